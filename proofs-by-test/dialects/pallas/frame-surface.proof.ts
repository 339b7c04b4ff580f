/**
 * Meshes, contexts, barriers of a cluster, registers, calls: their laws, and what the frame refuses.
 *
 * Oracles: places counted by nested loops, barriers by counting blocks, the mask of a thread as a set, a plain sum for a call.
 */
import * as E from 'fp-ts/lib/Either.js'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as Pallas from '../../../src/dialects/pallas/index.js'
import { without } from '../../../src/kernels/broken/index.js'
import { bits } from '../../../src/numerics/bits.js'
import { unit } from '../../../src/numerics/unit.js'
import * as B from '../../../src/semantics/writing/builder.js'
import * as X from '../../../src/semantics/language/expression.js'
import { i32, slot, type Int } from '../../../src/semantics/language/expression.js'
import { readTensor } from '../../../src/semantics/execution/launch.js'
import * as Policy from '../../../src/semantics/execution/policy.js'
import type { Program } from '../../../src/semantics/language/program.js'
import { launched, logged } from '../../semantics/machine/machine-samples.js'
import { rows } from '../coverage/pallas/frame.js'
import { checked, labels } from './programs.js'
import { right } from '../../either.js'
import { nightly } from '../../extent.js'

// ---------------------------------------------------------------- meshes

/** What every block writes: a row for each block of the launch, with its places. */
const places = (o: Pallas.MeshOptions): ReadonlyArray<ReadonlyArray<number>> => {
  const names = [...(o.gridNames ?? []), ...(o.clusterNames ?? [])]
  const blocks = [...(o.grid ?? []), ...(o.cluster ?? [])].reduce((n, x) => n * x, 1)
  const p = right(
    Pallas.kernel(
      { name: 'places', arch: 'sm90a', ...o },
      () => B.tensorParam('out', 'i32', [blocks, names.length], { role: 'out' }),
      function* (out) {
        const size = (o.cluster ?? []).reduce((n, x) => n * x, 1)
        const me = X.add(X.mul(X.place('clusterId'), i32(size)), X.place('ctaRank'))
        for (const [k, name] of names.entries()) {
          const x = yield* Pallas.axisIndex(name)
          yield* B.run(`write ${name}`, {
            _tag: 'gmem.store',
            destination: X.slice(slot(out.view, me), [i32(k)], [1]),
            value: X.splat<'i32', 1>(x, [1]),
          })
        }
      },
    ),
  )
  const l = launched(p, bits('hopper'))
  const out = [...readTensor(l.world, logged(l, Policy.eager).machine, 'out')!]
  return Array.from({ length: blocks }, (_, b) => out.slice(b * names.length, (b + 1) * names.length))
}
/** All places of a shape, the last axis fastest. */
const counted = (shape: ReadonlyArray<number>): ReadonlyArray<ReadonlyArray<number>> =>
  shape.reduceRight<ReadonlyArray<ReadonlyArray<number>>>(
    (rest, n) => Array.from({ length: n }, (_, i) => rest.map((r) => [i, ...r])).flat(),
    [[]],
  )

describe('meshes', () => {
  test('laws 1 and 2: blocks are numbered row by row over the grid, and then over their cluster', () => {
    for (const [grid, cluster] of [
      [[5], []],
      [[2, 3], []],
      [[2, 1, 3], []],
      [[2, 1, 3, 2], []],
      [[], [4]],
      [[3], [2]],
      [
        [2, 2],
        [2, 2],
      ],
      [[2], [1, 3]],
      [
        [2, 3],
        [2, 1, 2],
      ],
    ] as const) {
      const named = (kind: string, shape: ReadonlyArray<number>): ReadonlyArray<string> =>
        shape.map((_, k) => `${kind}${String(k)}`)
      expect(
        places({ grid, gridNames: named('g', grid), cluster, clusterNames: named('c', cluster) }),
      ).toEqual(counted([...grid, ...cluster]))
    }
  })
})

describe('contexts', () => {
  const small = fc.integer({ min: -9, max: 9 })
  const { int } = fc.letrec<{ int: Int; cond: X.Condition }>((tie) => ({
    int: fc.oneof(
      { depthSize: 'small' },
      small.map(i32),
      fc
        .tuple(fc.constantFrom(X.add, X.sub, X.mul, X.quo, X.rem, X.and, X.or, X.xor), tie('int'), tie('int'))
        .map(([f, x, y]) => f(x, y)),
      fc.tuple(tie('cond'), tie('int'), tie('int')).map(([c, x, y]) => X.select(c, x, y)),
    ),
    cond: fc.oneof(
      { depthSize: 'small' },
      fc.boolean().map(X.i1),
      fc
        .tuple(fc.constantFrom(X.eq, X.ne, X.lt, X.le, X.gt, X.ge), tie('int'), tie('int'))
        .map(([f, x, y]) => f(x, y)),
    ),
  }))
  test('law 2: what is known is what the machine computes', () => {
    fc.assert(
      fc.property(fc.array(int, { minLength: 8, maxLength: 8 }), (all) => {
        const p = right(
          Pallas.kernel(
            { name: 'known', arch: 'sm90a' },
            () => B.tensorParam('out', 'i32', [8], { role: 'out' }),
            function* (out) {
              for (const [k, e] of all.entries())
                yield* B.run(`write ${String(k)}`, {
                  _tag: 'gmem.store',
                  destination: X.slice(out.view, [i32(k)], [1]),
                  value: X.splat<'i32', 1>(e, [1]),
                })
            },
          ),
        )
        const l = launched(p, bits('hopper'))
        const out = [...readTensor(l.world, logged(l, Policy.eager).machine, 'out')!]
        expect(all.map(Pallas.known)).toEqual(out)
      }),
      { numRuns: 30 },
    )
  })
  test('law 1: a branch on the thread leaves no branch, one on the block does', () => {
    const kinds = (condition: (wg: Int) => X.Condition): ReadonlyArray<string> =>
      right(
        Pallas.kernel(
          { name: 'branch', arch: 'sm90a', numThreads: 2, threadName: 'wg' },
          () => Pallas.Barrier('b'),
          function* (b) {
            const wg = yield* Pallas.axisIndex('wg')
            yield* Pallas.when('side', condition(wg), () => Pallas.barrierArrive(`arrive`, b, null))
          },
        ),
      ).entry.body.flatMap((s) =>
        s._tag === 'If' && s.site.label.startsWith('wg')
          ? s.then.body.map((t) => `${s.site.label} ${t._tag}`)
          : [],
      )
    expect(kinds((wg) => X.eq(wg, i32(1)))).toEqual(['wg1 Do'])
    expect(kinds((wg) => X.eq(X.add(wg, X.place('ctaRank')), i32(1)))).toEqual(['wg0 If', 'wg1 If'])
  })
})

// ---------------------------------------------------------------- barriers

describe('barriers', () => {
  test('law 1: parities are the bits of a mask: in turn 0, 1, 0 for each barrier', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 12 }), (waits) => {
        const p = right(
          Pallas.kernel(
            { name: 'mask', arch: 'sm90a' },
            () => Pallas.Barrier('b', { numBarriers: [2, 3] }),
            function* (b) {
              let parities = Pallas.freshParities
              for (const [k, n] of waits.entries()) {
                const index = [i32(Math.floor(n / 3)), i32(n % 3)]
                yield* Pallas.barrierArrive(`arrive ${String(k)}`, b, index)
                parities = yield* Pallas.barrierWait(`wait ${String(k)}`, b, index, parities)
              }
            },
          ),
        )
        const { result: log } = logged(launched(p, unit), Policy.eager)
        const seen = log.flatMap((e) => (e._tag === 'wait' ? [[e.barrier, e.parity]] : []))
        const before = (k: number): number => waits.slice(0, k).filter((n) => n === waits[k]).length
        expect(seen).toEqual(waits.map((n, k) => [n, before(k) % 2]))
        expect(checked(p).verdict.verdict).toBe('ok')
      }),
      { numRuns: 20 },
    )
  })
})

interface Case {
  readonly cluster: ReadonlyArray<number>
  readonly axes: Pallas.CollectiveAxes
}
const cases: ReadonlyArray<Case> = [
  { cluster: [1], axes: ['c0'] },
  { cluster: [2], axes: ['c0'] },
  { cluster: [4], axes: ['c0'] },
  { cluster: [2, 2], axes: ['c0'] },
  { cluster: [2, 2], axes: ['c1'] },
  { cluster: [2, 2], axes: ['c0', 'c1'] },
  { cluster: [2, 2], axes: [['c0', 'c1']] },
  { cluster: [2, 3], axes: [['c1', 'c0']] },
  { cluster: [2, 2, 2], axes: ['c0', 'c1', 'c2'] },
  { cluster: [2, 2, 2], axes: [['c0', 'c1'], 'c2'] },
  { cluster: [2, 2, 2], axes: [['c0', 'c2'], 'c1'] },
  { cluster: [2, 2, 2], axes: [['c0', 'c2']] },
  { cluster: [2, 2, 2], axes: [['c0', 'c1', 'c2']] },
]
const title = ({ cluster, axes }: Case): string => `(${cluster.join(', ')}) ${JSON.stringify(axes)}`

/** Every thread of every block arrives, and one of each block waits. */
const meeting = ({ cluster, axes }: Case, leaderTracked = false, numArrivals = 2): Program =>
  right(
    Pallas.kernel(
      {
        name: 'meeting',
        arch: 'sm90a',
        cluster,
        clusterNames: cluster.map((_, k) => `c${String(k)}`),
        numThreads: 2,
        threadName: 'wg',
      },
      () => Pallas.ClusterBarrier('met', { collectiveAxes: axes, numArrivals, leaderTracked }),
      function* (met) {
        const wg = yield* Pallas.axisIndex('wg')
        yield* Pallas.barrierArrive('arrive', met, null)
        const leads = leaderTracked ? X.eq(yield* Pallas.axisIndex('c0'), i32(0)) : X.i1(true)
        yield* Pallas.when('waits', X.and(X.eq(wg, i32(0)), leads), function* () {
          yield* Pallas.barrierWait('wait', met, null, Pallas.freshParities)
        })
      },
    ),
  )

/** Blocks that a block reaches: they differ from it in one dimension at most. */
const reached = ({ cluster, axes }: Case, from: number): ReadonlyArray<number> => {
  const all = counted(cluster)
  const dims = axes.map((a) => (typeof a === 'string' ? [a] : a).map((n) => Number(n.slice(1))))
  const free = new Set(dims.flat())
  const mine = all[from]!
  return all.flatMap((b, rank) => {
    const elsewhere = mine.some((x, k) => !free.has(k) && x !== b[k])
    const differs = dims.filter((dim) => dim.some((k) => mine[k] !== b[k])).length
    return !elsewhere && differs <= 1 ? [rank] : []
  })
}

describe('cluster barriers', () => {
  test.each(cases.map((c) => [title(c), c] as const))(
    'law 1, %s: whom an arrive reaches and how many complete it, by counting blocks',
    (_, c) => {
      const p = meeting(c)
      const l = launched(p, unit)
      const { result: log } = logged(l, Policy.eager)
      const blocks = counted(c.cluster).length
      const ctaOf = (agent: number): number => l.world.header.agents[agent]!.cta
      const arrivals = log.flatMap((e) =>
        e._tag === 'barrier' && e.kind === 'arrive' ? [[ctaOf(e.stamp.agent), e.barrier]] : [],
      )
      const inits = log.flatMap((e) =>
        e._tag === 'barrier' && e.kind === 'init' ? [[e.barrier, e.count]] : [],
      )
      const ranks = Array.from({ length: blocks }, (_unused, rank) => rank)
      for (const rank of ranks) {
        const to = arrivals.flatMap(([from, b]) => (from === rank ? [b!] : [])).sort((x, y) => x - y)
        // both threads of the block arrive
        expect(to).toEqual(reached(c, rank).flatMap((b) => [b, b]))
      }
      const sizes = c.axes.map((a) =>
        (typeof a === 'string' ? [a] : a).reduce((n, name) => n * c.cluster[Number(name.slice(1))]!, 1),
      )
      const formula = 2 * (sizes.reduce((x, y) => x + y, 0) - sizes.length + 1)
      expect(inits).toEqual(ranks.map((rank) => [rank, formula]))
      expect(ranks.map((rank) => 2 * reached(c, rank).length)).toEqual(ranks.map(() => formula))
      expect(checked(p).verdict).toMatchObject({ verdict: 'ok', findings: [] })
    },
  )
  test('one arrival that is dropped is a deadlock, whichever it is', () => {
    for (const c of cases) {
      const p = meeting(c)
      const arrivals = [...new Set(labels(p).filter((l) => /^arrive/.test(l)))]
      expect(arrivals.length).toBe(reached(c, 0).length)
      // by day the last of each
      for (const one of nightly ? arrivals : arrivals.slice(-1)) {
        const verdict = checked(right(without(one)(p))).verdict
        expect([title(c), one, verdict.verdict]).toEqual([title(c), one, 'deadlock'])
      }
    }
  })
  test('a tracked leader: all arrivals reach the block at index 0 of the axis', () => {
    for (const c of cases.filter(({ axes }) => axes.length === 1 && axes[0] === 'c0')) {
      const p = meeting(c, true)
      const l = launched(p, unit)
      const to = logged(l, Policy.eager).result.flatMap((e) =>
        e._tag === 'barrier' && e.kind === 'arrive'
          ? [[l.world.header.agents[e.stamp.agent]!.cta, e.barrier]]
          : [],
      )
      const all = counted(c.cluster)
      for (const [from, b] of to) expect(all[b!]).toEqual(all[from!]!.map((x, k) => (k === 0 ? 0 : x)))
      expect(to.length).toBe(2 * all.length)
      expect(checked(p).verdict.verdict).toBe('ok')
    }
  })
  test('law 2: with clusters of one block it is a barrier', () => {
    const p = meeting({ cluster: [1], axes: ['c0'] })
    expect(labels(p).filter((l) => l.startsWith('arrive'))).toEqual(['arrive', 'arrive'])
  })
})

// ---------------------------------------------------------------- registers

describe('registers', () => {
  /** Thread i says the i-th list; where `hidden`, behind a condition that the budget cannot see through. */
  const saying = (all: ReadonlyArray<ReadonlyArray<number>>, hidden: boolean): E.Either<unknown, Program> =>
    Pallas.kernel(
      { name: 'saying', arch: 'sm90a', numThreads: all.length, threadName: 'wg' },
      () => B.of(null),
      function* () {
        const wg = yield* Pallas.axisIndex('wg')
        for (const [i, counts] of all.entries())
          yield* Pallas.when(`thread ${String(i)}`, X.eq(wg, i32(i)), () =>
            B.block(function* () {
              let now = all.length === 2 ? 256 : all.length === 3 ? 168 : 128
              for (const [k, n] of counts.entries()) {
                const action = n >= now ? 'increase' : 'decrease'
                now = n
                const say = (): B.Build<void> => Pallas.setMaxRegisters(`say ${String(k)}`, n, { action })
                yield* hidden ? B.ifThen('if', X.eq(X.place('ctaRank'), i32(0)), say) : say()
              }
            }),
          )
      },
    )
  test('law 1: what the budget refuses never ends on the machine', () => {
    const counts = fc.constantFrom(24, 40, 104, 128, 168, 232, 240, 256)
    let refused = 0
    fc.assert(
      fc.property(
        fc
          .integer({ min: 2, max: 4 })
          .chain((n) => fc.array(fc.array(counts, { maxLength: 2 }), { minLength: n, maxLength: n })),
        (all) => {
          const budget = saying(all, false)
          const verdict = checked(right(E.mapLeft(() => ({ message: 'refused' }))(saying(all, true)))).verdict
          if (E.isLeft(budget)) {
            refused++
            expect(verdict.verdict).toBe('deadlock')
          }
          if (all.every((c) => c.length === 0)) expect(verdict.verdict).toBe('ok')
        },
      ),
      { numRuns: 40 },
    )
    expect(refused).toBeGreaterThan(2)
  })
})

describe('registers, by hand', () => {
  test('three threads: 40, 232 and 232 fit; 40, 240 and 240 are 1,024 too many; 65,536 is enough and one step more is not', () => {
    const fits = (counts: ReadonlyArray<number>): boolean =>
      E.isRight(
        Pallas.registerBudget(
          counts.map((n, i) => {
            const action = n >= 168 ? 'increase' : 'decrease'
            const said = { _tag: 'setMaxRegisters', count: n, action } as const
            return [
              `wg${String(i)}`,
              [{ _tag: 'Do', results: [], instruction: said, site: { label: 'say', path: [] } }],
            ] as const
          }),
        ),
      )
    expect([
      fits([40, 232, 232]),
      fits([40, 240, 240]),
      fits([40, 232, 240]),
      fits([32, 240, 240]),
      fits([24, 240, 248]),
      fits([32, 240, 248]),
    ]).toEqual([true, false, true, true, true, false])
  })
})

// ---------------------------------------------------------------- threads that are their warps

describe('a thread that is its warps', () => {
  test('arrives once, signals once and adds once, behind all that its warps did', () => {
    const p = right(
      Pallas.kernel(
        { name: 'once', arch: 'sm90a', numThreads: 2, threadName: 'wg', warps: 'agents' },
        function* () {
          return {
            full: yield* Pallas.Barrier('full'),
            sem: yield* Pallas.Semaphore('sem'),
            sum: yield* B.tensorParam('sum', 'i32', [1], { role: 'inout' }),
            out: yield* B.tensorParam('out', 'i32', [4], { role: 'out' }),
            buf: yield* B.sharedMemory('buf', 'i32', [4]),
          }
        },
        function* ({ full, sem, sum, out, buf }) {
          const wg = yield* Pallas.axisIndex('wg')
          const w = X.mod(X.place('agent'), i32(4))
          yield* Pallas.when('first', X.eq(wg, i32(0)), function* () {
            yield* B.run('store', {
              _tag: 'smem.store',
              destination: X.slice(buf, [w], [1]),
              value: X.splat<'i32', 1>(X.add(w, i32(5)), [1]),
            })
            yield* Pallas.atomicAdd('add', sum.view, i32(3))
            yield* Pallas.semaphoreSignal('signal', sem, null, { inc: 2 })
            yield* Pallas.barrierArrive('arrive', full, null)
          })
          yield* Pallas.when('second', X.eq(wg, i32(1)), function* () {
            yield* Pallas.barrierWait('wait', full, null, Pallas.freshParities)
            yield* Pallas.semaphoreWait('take', sem, null)
            // what another warp of the thread stored
            const v = yield* B.smemLoad('v', X.slice(buf, [X.sub(i32(3), w)], [1]))
            yield* B.run('write', {
              _tag: 'gmem.store',
              destination: X.slice(out.view, [w], [1]),
              value: v,
            })
          })
        },
      ),
    )
    for (const policy of [Policy.eager, Policy.lazy, Policy.seeded(3)]) {
      const zeros = new Map(['sem', 'sum'].map((n) => [n, new Float64Array(1)]))
      const done = checked(p, { policy }, bits('hopper'), zeros)
      expect([done.verdict.verdict, done.verdict.findings]).toEqual(['ok', []])
      expect(['out', 'sum', 'sem'].map((n) => [...readTensor(done.world, done.machine, n)!])).toEqual([
        [8, 7, 6, 5],
        [3],
        [1],
      ])
    }
  })
})

describe('tensor memory of a pair', () => {
  test('is allocated and given back by both blocks, which meet before', () => {
    const made = (collective: boolean): ReadonlyArray<string> => {
      const p = right(
        Pallas.kernel(
          { name: 'pair', arch: 'sm100a', cluster: [2], clusterNames: ['c'] },
          () => Pallas.TMEM('acc', 'f32', [128, 64], { collective }),
          () => B.of(undefined),
        ),
      )
      return p.entry.body.flatMap((s) =>
        (s._tag === 'If' ? s.then.body : [s]).flatMap((t) =>
          t._tag !== 'Do'
            ? []
            : [
                'ctaGroup' in t.instruction
                  ? `${t.site.label} ${String(t.instruction.ctaGroup)}`
                  : t.site.label,
              ],
        ),
      )
    }
    expect(made(true).slice(-7)).toEqual([
      'allocate 2',
      'relinquish 2',
      'block starts',
      'block ends',
      'cluster ends.arrive',
      'cluster ends',
      'deallocate 2',
    ])
    expect(made(false).slice(-5)).toEqual([
      'allocate 1',
      'relinquish 1',
      'block starts',
      'block ends',
      'deallocate 1',
    ])
  })
})

// ---------------------------------------------------------------- calls

describe('pallas_call', () => {
  /** out = 3 x + place, block by block of (4, 32) of a (8, 96). */
  const call = (dimensionSemantics: ReadonlyArray<'parallel' | 'sequential'>, slots: number): Program =>
    right(
      Pallas.pallasCall(
        {
          name: 'call',
          arch: 'sm90a',
          grid: [2, 3],
          compilerParams: { dimensionSemantics, maxConcurrentSteps: slots },
        },
        function* () {
          const x = yield* B.tensorParam('x', 'i32', [8, 96], { role: 'in' })
          const out = yield* B.tensorParam('out', 'i32', [8, 96], { role: 'out' })
          const blocks = { shape: [4, 32], indexMap: (...ids: ReadonlyArray<Int>) => [ids[0]!, ids[1]!] }
          return {
            inSpecs: [{ tensor: x, ...blocks }],
            outSpecs: [{ tensor: out, ...blocks }],
            scratch: null,
          }
        },
        function* ({ programIds: [i, j], refs: [x, out] }) {
          const v = yield* B.smemLoad('x', x)
          const place = X.splat<'i32', 2>(X.add(X.mul(i!, i32(10)), j!), [4, 32])
          yield* B.run('store', {
            _tag: 'smem.store',
            destination: out,
            value: X.add(X.add(X.add(v, v), v), place),
          })
        },
      ),
    )
  test('law 1: each place once with its blocks, whatever the axes are called and however many slots there are', () => {
    const x = Float64Array.from({ length: 8 * 96 }, (_, i) => (i * 7) % 1000)
    const expected = [...x].map((v, i) => {
      const [r, c] = [Math.floor(i / 96), i % 96]
      return 3 * v + 10 * Math.floor(r / 4) + Math.floor(c / 32)
    })
    const kinds = ['parallel', 'sequential'] as const
    for (const a of kinds)
      for (const b of kinds)
        for (const slots of [1, 2, 4]) {
          const done = checked(call([a, b], slots), {}, bits('hopper'), new Map([['x', x]]))
          expect([a, b, slots, done.verdict.verdict, done.verdict.decidedBy]).toEqual([
            a,
            b,
            slots,
            'ok',
            'one-schedule',
          ])
          expect([...readTensor(done.world, done.machine, 'out')!]).toEqual(expected)
        }
  })
})

// ---------------------------------------------------------------- cluster launch control

describe('cluster launch control', () => {
  test('law 1: whatever is granted, every row is written once and by the places of the cluster that was cancelled', () => {
    const example = rows.find((r) => r.operation === 'plgpu.try_cluster_cancel')!.example
    const p = right(example.program(Pallas))
    for (const grants of [0, 1, 2, 3])
      for (const policy of [Policy.eager, Policy.lazy, Policy.seeded(grants)]) {
        const l = launched(p, bits('blackwell'), { grants })
        const out = [...readTensor(l.world, logged(l, policy).machine, 'out')!]
        expect(out).toEqual(example.outputs!['out'])
      }
  })
})

describe('surroundings', () => {
  const depth = B.surrounding('depth', 0)
  const other = B.surrounding('other', 'none')
  test('laws 1 and 2: given to a body, its regions and branches, and to nothing after it', () => {
    const seen: (readonly [string, number, string])[] = []
    const look = function* (where: string): B.Steps<void> {
      seen.push([where, yield* B.whereIAm(depth), yield* B.whereIAm(other)])
    }
    right(
      B.draft({ name: 's', arch: 'sm90a', agents: [B.warpgroup('t', 0), B.warp('w', 0)] }, function* () {
        yield* look('before')
        yield* B.within(
          depth,
          1,
        )(function* () {
          yield* B.ifThen('if', X.eq(X.place('ctaRank'), i32(0)), () => look('inside if'))
          yield* B.within(depth, 2)(() => look('deeper'))
          yield* B.fork('fork', { agent: 't', captures: {}, body: () => look('parent') }, [
            B.branch('w', {}, () => look('branch')),
          ])
          yield* look('again')
        })
        yield* look('after')
      }),
    )
    expect(seen).toEqual([
      ['before', 0, 'none'],
      ['inside if', 1, 'none'],
      ['deeper', 2, 'none'],
      ['parent', 1, 'none'],
      ['branch', 1, 'none'],
      ['again', 1, 'none'],
      ['after', 0, 'none'],
    ])
  })
})

describe('kernels', () => {
  test('law 3: a branch that is decided while the kernel is written does what one decided on the machine does', () => {
    const roles = (decided: boolean): Program =>
      right(
        Pallas.kernel(
          { name: 'roles', arch: 'sm90a', numThreads: 3, threadName: 'wg' },
          () => B.tensorParam('out', 'i32', [3], { role: 'out' }),
          function* (out) {
            const given = yield* Pallas.axisIndex('wg')
            const wg = decided ? given : yield* B.letIn('wg', given)
            for (const k of [0, 1, 2])
              yield* Pallas.when(`role ${String(k)}`, X.eq(wg, i32(k)), () =>
                B.run(`write ${String(k)}`, {
                  _tag: 'gmem.store',
                  destination: X.slice(out.view, [i32(k)], [1]),
                  value: X.splat<'i32', 1>(i32(10 + k), [1]),
                }),
              )
          },
        ),
      )
    for (const decided of [true, false]) {
      const done = checked(roles(decided), {}, bits('hopper'))
      expect(done.verdict.verdict).toBe('ok')
      expect([...readTensor(done.world, done.machine, 'out')!]).toEqual([10, 11, 12])
    }
  })
})
