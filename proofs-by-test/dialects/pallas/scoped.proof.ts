/**
 * Scopes and unions: laws of `scoped.ts` and `ref-union.ts`. The oracles are the tables of their headers, and verdicts with a part taken away.
 */
import { describe, expect, test } from 'vitest'
import * as Pallas from '../../../src/dialects/pallas/index.js'
import { without } from '../../../src/kernels/broken/index.js'
import * as B from '../../../src/semantics/writing/builder.js'
import * as X from '../../../src/semantics/language/expression.js'
import { extentOf } from '../../../src/semantics/language/place.js'
import type { Program } from '../../../src/semantics/language/program.js'
import { checked, labels, statementsOf } from './programs.js'
import { right } from '../../either.js'

const extents = (p: Program): Readonly<Record<string, readonly [number, number]>> =>
  Object.fromEntries(
    p.storage
      .filter((s) => s.space === 'smem' || s.space === 'tmem')
      .map((s) => {
        const { start, end } = extentOf(s)
        return [s.id, [start, end]]
      }),
  )
const bytes = (name: string, n: number): B.Build<X.View<'smem', 'i8', 1>> => Pallas.SMEM(name, 'i8', [n])
const inKernel = (
  body: () => B.Steps<void>,
  numThreads: number = 1,
  arch: 'sm90a' | 'sm100a' = 'sm90a',
): Program =>
  right(
    Pallas.kernel(
      { name: 'scopes', arch, ...(numThreads === 1 ? {} : { numThreads, threadName: 'wg' }) },
      function* () {},
      body,
    ),
  )
const nothing = function* (): B.Steps<void> {}

describe('the stack', () => {
  test('law 1: the table of the header', () => {
    const p = inKernel(function* () {
      yield* Pallas.runScoped('A', [bytes('a', 4096)], function* () {
        yield* Pallas.runScoped('B', [bytes('b', 2048)], nothing)
        yield* Pallas.runScoped('C', [bytes('c', 8192)], nothing)
      })
      yield* Pallas.runScoped('D', [bytes('d', 2048)], nothing)
    })
    expect(extents(p)).toEqual({ a: [0, 4096], b: [4096, 6144], c: [4096, 12288], d: [0, 2048] })
  })
  test('law 1: three deep, beside what is no scope, and a scope in a loop', () => {
    const p = inKernel(function* () {
      const kept = yield* bytes('kept', 100)
      yield* Pallas.runScoped('A', [bytes('a', 1)], function* () {
        yield* B.forRange({ label: 'k', from: X.i32(0), to: X.i32(2) }, () =>
          Pallas.runScoped('B', [bytes('b0', 1), bytes('b1', 1)], () =>
            Pallas.runScoped('C', [bytes('c', 1)], nothing),
          ),
        )
        yield* Pallas.runScoped('E', [bytes('e', 3000)], nothing)
      })
      yield* B.smemLoad('kept', kept)
    })
    expect(extents(p)).toEqual({
      a: [0, 1],
      b0: [1024, 1025],
      b1: [2048, 2049],
      c: [3072, 3073],
      e: [1024, 4024],
      kept: [4096, 4196],
    })
  })
  test('law 1: two scopes, each of which would fill the memory', () => {
    const half = 120 * 1024
    const p = inKernel(function* () {
      yield* Pallas.runScoped('A', [bytes('a', half)], nothing)
      yield* Pallas.runScoped('B', [bytes('b', half)], nothing)
    })
    expect(extents(p)).toEqual({ a: [0, half], b: [0, half] })
  })
  test('tensor memory: columns of one scope after the other are given out again', () => {
    const tmem = (name: string, n: number): B.Build<unknown> => Pallas.TMEM(name, 'f32', [128, n])
    const p = inKernel(
      function* () {
        yield* Pallas.runScoped('A', [tmem('a', 200)], function* () {
          yield* Pallas.runScoped('B', [tmem('b', 300)], nothing)
        })
        yield* Pallas.runScoped('C', [tmem('c', 500)], nothing)
      },
      1,
      'sm100a',
    )
    expect(extents(p)).toEqual({ a: [0, 800], b: [800, 2000], c: [0, 2000] })
    const columns = statementsOf(p.entry).flatMap((s) =>
      s._tag === 'Do' && s.instruction._tag === 'tcgen05.alloc' ? [s.instruction.columns] : [],
    )
    expect(columns).toEqual([512])
  })
  test('barriers of a scope are initialised before the block starts, in loops too, and lie by themselves', () => {
    const p = inKernel(function* () {
      yield* B.forRange({ label: 'k', from: X.i32(0), to: X.i32(2) }, () =>
        Pallas.runScoped('A', [bytes('a', 8), Pallas.Barrier('b', { numBarriers: 2 })], nothing),
      )
    })
    const all = labels(p)
    expect(all.filter((l) => l.startsWith('init '))).toEqual(['init b[0]', 'init b[1]'])
    expect(all.indexOf('init b[1]')).toBeLessThan(all.indexOf('block starts'))
    const { a, b } = extents(p)
    expect(b![0]).toBeGreaterThanOrEqual(a![1])
  })
})

describe('unions', () => {
  test('law 1 of unions: the table of the header', () => {
    const p = right(
      B.kernel({ name: 'u', arch: 'sm100a', agents: [B.warpgroup('t', 0)] }, function* () {
        yield* Pallas.RefUnion(
          'u',
          [Pallas.SMEM('a', 'f32', [64, 64])],
          [Pallas.SMEM('b', 'f16', [32, 32]), Pallas.SMEM('c', 'f16', [32, 32])],
        )
        yield* Pallas.SMEM('after', 'i8', [1])
        yield* Pallas.RefUnion(
          't',
          [Pallas.TMEM('x', 'f32', [128, 30]), Pallas.TMEM('y', 'f32', [128, 2])],
          [Pallas.TMEM('z', 'f16', [128, 128], { packed: true })],
        )
      }),
    )
    expect(extents(p)).toEqual({
      a: [0, 16384],
      b: [0, 2048],
      c: [2048, 4096],
      after: [16384, 16385],
      x: [0, 120],
      y: [128, 136],
      z: [0, 256],
    })
  })
  test('law 2 of unions: one group lies as it would without; in a scope a union is one of its refs', () => {
    const three = [bytes('a', 5), bytes('b', 2000), bytes('c', 1)] as const
    const plain = inKernel(function* () {
      for (const one of three) yield* one
    })
    const united = inKernel(function* () {
      yield* Pallas.RefUnion('u', three)
    })
    expect(extents(united)).toEqual(extents(plain))
    const scoped = inKernel(function* () {
      yield* Pallas.runScoped(
        'A',
        [bytes('x', 1), Pallas.RefUnion('u', three, [bytes('d', 9)])],
        function* () {
          yield* Pallas.runScoped('B', [bytes('y', 1)], nothing)
        },
      )
    })
    expect(extents(scoped)).toEqual({
      x: [0, 1],
      a: [1024, 1029],
      b: [2048, 4048],
      c: [4096, 4097],
      d: [1024, 1033],
      y: [5120, 5121],
    })
  })
})

describe('threads', () => {
  /** Each thread stores to its half of a, then reads the other's; then they store to b, which lies where a lay. */
  const handOver = (): Program =>
    right(
      Pallas.kernel(
        { name: 'hand over', arch: 'sm90a', numThreads: 2, threadName: 'wg' },
        function* () {
          return yield* B.tensorParam('out', 'f32', [2, 8, 16], { role: 'out' })
        },
        function* (out) {
          const { thread } = yield* Pallas.contextHere
          const me = thread?.index ?? 0
          const value = X.splat<'f32', 2>(X.float('f32', me + 1), [8, 16])
          yield* Pallas.runScoped(
            'A',
            [Pallas.SMEM('a', 'f32', [2, 8, 16]), Pallas.Barrier('full', { numArrivals: 2 })],
            function* (a, full) {
              const mine = yield* Pallas.refAt('mine', a, [me])
              const theirs = yield* Pallas.refAt('theirs', a, [1 - me])
              yield* B.run('store a', { _tag: 'smem.store', destination: mine, value })
              yield* Pallas.barrierArrive('arrive', full, null)
              yield* Pallas.barrierWait('wait', full, null, Pallas.freshParities)
              const got = yield* B.smemLoad('read a', theirs)
              const into = X.slot(out.view, X.i32(me))
              yield* B.run('give', { _tag: 'gmem.store', destination: into, value: got })
            },
            { collective: true },
          )
          yield* Pallas.runScoped(
            'B',
            [Pallas.SMEM('b', 'f32', [2, 8, 16])],
            function* (b) {
              const mine = yield* Pallas.refAt('mine', b, [me])
              yield* B.run('store b', { _tag: 'smem.store', destination: mine, value })
            },
            { collective: true },
          )
        },
      ),
    )
  test('law 2: one allocation for all threads; they meet before each scope', () => {
    const p = handOver()
    expect(p.storage.map((s) => s.id)).toEqual(['a', 'full', 'b'])
    expect(extents(p)['a']).toEqual(extents(p)['b'])
    expect(labels(p).filter((l) => l === 'enter').length).toBe(4)
    expect(labels(p).filter((l) => l.startsWith('init '))).toEqual(['init full[0]'])
    expect(checked(p).verdict.verdict).toBe('ok')
  })
  test('what the meeting is for: without it one thread stores where the other still reads', () => {
    const p = handOver()
    const bare = right(without('enter')(p))
    const { verdict, findings } = checked(bare).verdict
    expect(verdict).toBe('hazard')
    expect(findings.map((f) => f.id)).toEqual(['D1', 'D1'])
  })
  test('what a body leaves running meets the next scope: a copy out of a, then a store to b', () => {
    const copies = (waits: boolean): Program =>
      right(
        Pallas.kernel(
          { name: 'left running', arch: 'sm90a' },
          function* () {
            return yield* B.tensorParam('out', 'f32', [8, 16], { role: 'out' })
          },
          function* (out) {
            const value = X.splat<'f32', 2>(X.float('f32', 1), [8, 16])
            yield* Pallas.runScoped('A', [Pallas.SMEM('a', 'f32', [8, 16])], function* (a) {
              yield* B.run('store a', { _tag: 'smem.store', destination: a, value })
              yield* Pallas.commitSmem('commit')
              yield* Pallas.copySmemToGmem('copy out', a, Pallas.at(out, [X.i32(0), X.i32(0)], [8, 16]))
              if (waits) yield* Pallas.waitSmemToGmem('wait', 0)
            })
            yield* Pallas.runScoped('B', [Pallas.SMEM('b', 'f32', [8, 16])], function* (b) {
              yield* B.run('store b', { _tag: 'smem.store', destination: b, value })
            })
            if (!waits) yield* Pallas.waitSmemToGmem('wait', 0)
          },
        ),
      )
    expect(checked(copies(true)).verdict.verdict).toBe('ok')
    expect(checked(copies(false)).verdict.verdict).toBe('hazard')
  })
})

describe('accumulators', () => {
  const labelsOf = (body: () => B.Steps<void>): ReadonlyArray<string> =>
    labels(
      right(
        B.draft({ name: 'acc', arch: 'sm90a', agents: [B.warpgroup('t', 0)] }, function* () {
          yield* body()
        }),
      ),
    )
  test('law 3, law 4: what entering and leaving do', () => {
    const acc = Pallas.ACC('acc', 't', 'f32', [64, 8])
    expect(
      labelsOf(() => Pallas.runScoped('s', [acc], () => B.run('body', { _tag: 'wgmma.fence' }))),
    ).toEqual(['acc := 0', 'acc := 0.fence', 'body'])
    const value = X.splat<'f32', 2>(X.float('f32', 3), [64, 8])
    const init = Pallas.ACC.init('acc', 't', 'f32', value)
    expect(
      labelsOf(function* () {
        yield* Pallas.runState('s', [init], () => B.run('body', { _tag: 'wgmma.fence' }))
      }),
    ).toEqual(['acc := init', 'acc := init.fence', 'body', 'await', 'acc[...]'])
  })
})
