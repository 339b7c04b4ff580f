/**
 * The frame of a Pallas kernel and its automatic barriers: laws of `kernel.ts` and `auto-barriers.ts`, and what they decide.
 */
import { describe, expect, test } from 'vitest'
import * as Pallas from '../../../src/dialects/pallas/index.js'
import { without } from '../../../src/kernels/broken/index.js'
import { instanceOf, kernels } from '../../../src/kernels/catalogue/index.js'
import * as B from '../../../src/semantics/writing/builder.js'
import { i32 } from '../../../src/semantics/language/expression.js'
import * as Policy from '../../../src/semantics/execution/policy.js'
import type { Program, Region, Stmt } from '../../../src/semantics/language/program.js'
import { checked, fourWarps, labels, statementsOf, type Story } from './programs.js'
import { nightly } from '../../extent.js'
import { right } from '../../either.js'

const stories: ReadonlyArray<Story> = ['fetch, then read', 'store, then copy', 'read, then store']
/** Kernels of this surface: those of Mojo's ring set up their barriers by themselves. */
const catalogue = kernels
  .map((k) => right(instanceOf(k, {}, [])).program)
  .filter((p) => !['fa4-attention', 'kv-pipeline'].includes(p.name))

describe('the frame', () => {
  const framed = (options: Pallas.FrameOptions, tmem: ReadonlyArray<number>, threadCount = 1): Program =>
    right(
      B.draft(
        {
          name: 'framed',
          arch: 'sm100a',
          agents: Array.from({ length: threadCount }, (_, i) => B.warpgroup(`t${String(i)}`, i)),
        },
        function* () {
          const b = yield* Pallas.Barrier('b', { numArrivals: 3, numBarriers: 2 })
          for (const [i, n] of tmem.entries()) yield* Pallas.TMEM(`acc${String(i)}`, 'f32', [128, n])
          yield* Pallas.threads(
            [b],
            Array.from({ length: threadCount }, (_, i) => ({
              name: `t${String(i)}`,
              body: function* () {
                const own = yield* Pallas.Barrier(`own${String(i)}`, { numBarriers: 1 })
                yield* Pallas.initBarrier(own)
                yield* Pallas.barrierArrive(`arrive ${String(i)}`, own, i32(0))
              },
            })),
            options,
          )
        },
      ),
    )
  test('law 1: what surrounds two threads; barriers that bodies allocate are initialised before the block starts', () => {
    expect(labels(framed({}, [], 2))).toEqual([
      'init b[0]',
      'init b[1]',
      'init own0[0]',
      'init own1[0]',
      'publish barriers',
      'block starts',
      'arrive 0',
      'arrive 1',
    ])
    for (const p of catalogue) {
      const all = labels(p)
      const inits = all.filter((l) => l.startsWith('init '))
      const barriers = p.storage.flatMap((s) => (s.contents._tag === 'barriers' ? s.contents.shape : []))
      expect(new Set(inits).size).toBe(inits.length)
      expect(inits.length).toBe(barriers.reduce((sum, n) => sum + n, 0))
      expect(Math.max(...inits.map((l) => all.indexOf(l)))).toBeLessThan(all.indexOf('block starts'))
    }
  })
  test('a cluster meets before; tensor memory is allocated before and given back after; a pair meets in between', () => {
    expect(labels(framed({ cluster: 2 }, [64]))).toEqual([
      'init b[0]',
      'init b[1]',
      'init own0[0]',
      'publish barriers',
      'cluster starts.arrive',
      'cluster starts',
      'allocate',
      'relinquish',
      'block starts',
      'arrive 0',
      'block ends',
      'deallocate',
    ])
    const pair = labels(framed({ cluster: 2, collective: true }, [64]))
    expect(pair.slice(-4)).toEqual(['block ends', 'cluster ends.arrive', 'cluster ends', 'deallocate'])
  })
  test('law 2: the least power of two that holds the columns, by a table', () => {
    for (const [declared, columns] of [
      [[16], 32],
      [[32], 32],
      [[48], 64],
      [[64, 64], 128],
      [[128, 32], 256],
      [[256, 256], 512],
    ] as const) {
      const found = statementsOf(framed({}, declared).entry).flatMap((s) =>
        s._tag === 'Do' &&
        (s.instruction._tag === 'tcgen05.alloc' || s.instruction._tag === 'tcgen05.dealloc')
          ? [s.instruction.columns]
          : [],
      )
      expect(found).toEqual([columns, columns])
    }
  })
})

describe('automatic barriers', () => {
  const plain = (body: ReadonlyArray<Stmt>): ReadonlyArray<Stmt> =>
    body.flatMap((s): ReadonlyArray<Stmt> => {
      const region = (r: Region): Region => ({ ...r, body: plain(r.body) })
      if (s._tag === 'Do') return s.site.label.endsWith('.sync') ? [] : [s]
      if (s._tag === 'For') return [{ ...s, body: region(s.body) }]
      if (s._tag === 'If') return [{ ...s, then: region(s.then), else: region(s.else) }]
      if (s._tag === 'While') return [{ ...s, before: region(s.before), after: region(s.after) }]
      if (s._tag === 'Fork')
        return [{ ...s, branches: s.branches.map((b) => ({ ...b, body: region(b.body) })) }]
      return [s]
    })
  test('law 1: without the .sync statements the body is what it was', () => {
    for (const p of catalogue) {
      const body = plain(p.entry.body)
      const again = Pallas.autoBarriers(1, body)
      expect(plain(again)).toEqual(body)
    }
  })
  test('law 2: before every store and copy, once, under its condition', () => {
    let all = 0
    for (const p of catalogue.filter((q) => q.name !== 'hopper-matmul')) {
      const walk = (r: Region): number =>
        r.body.reduce((count, s, i) => {
          if (s._tag === 'For') return count + walk(s.body)
          if (s._tag === 'If') return count + walk(s.then) + walk(s.else)
          if (s._tag === 'While') return count + walk(s.before) + walk(s.after)
          // warps that act alone meet nobody
          if (s._tag !== 'Do') return count
          const tag = s.instruction._tag
          if (!['tma.load', 'tma.store', 'smem.store', 'gmem.store'].includes(tag)) return count
          const barrier = r.body[tag === 'tma.load' ? i - 2 : i - 1]
          expect(barrier).toMatchObject({ instruction: { _tag: 'bar.sync', count: 128 } })
          expect(barrier?._tag === 'Do' ? barrier.when : null).toEqual(s.when)
          return count + 1
        }, 0)
      const moved = walk(p.entry)
      all += moved
      expect([p.name, labels(p).filter((l) => l.endsWith('.sync')).length]).toEqual([p.name, moved])
    }
    expect(all).toBeGreaterThan(20)
  })
  test('threads have barriers of their own', () => {
    const ids = new Map<string, Set<number>>()
    for (const s of statementsOf(catalogue.find((p) => p.name === 'queue')!.entry))
      if (s._tag === 'Do' && s.instruction._tag === 'bar.sync')
        ids.set(s.site.path[0] ?? '', new Set([...(ids.get(s.site.path[0] ?? '') ?? []), s.instruction.id]))
    expect(Object.fromEntries([...ids].map(([k, v]) => [k, [...v]]))).toEqual({
      '': [0],
      producer: [1],
      consumer: [2],
    })
  })
})

describe('what they decide', () => {
  test.each(stories)(
    'a thread that is its warps, %s: clean with them, a hazard without, in every schedule',
    (story) => {
      const clean = checked(fourWarps(story, false)).verdict
      expect([clean.verdict, clean.decidedBy, clean.findings]).toEqual(['ok', 'one-schedule', []])
      for (let seed = 0; seed < (nightly ? 20 : 2); seed++) {
        const policy = seed === 0 ? Policy.eager : Policy.seeded(seed)
        expect(checked(fourWarps(story, false), { policy }).verdict.verdict).toBe('ok')
        const { verdict, findings } = checked(fourWarps(story, true), { policy, explain: seed === 0 }).verdict
        expect(verdict).toBe('hazard')
        for (const f of findings) expect(f.id).toMatch(/^(R1|W1|D1)$/)
      }
    },
  )
  test('it is one barrier that does it', () => {
    const needed = {
      'fetch, then read': ['fetch.exit'],
      'store, then copy': ['copy.enter'],
      'read, then store': ['fetch.exit', 'swap.sync'],
    } as const
    for (const story of stories) {
      const p = fourWarps(story, false)
      const barriers = labels(p).filter((l) => /\.(sync|enter|exit)$/.test(l))
      const matter = barriers.filter((l) => checked(right(without(l)(p))).verdict.verdict !== 'ok')
      expect([story, matter]).toEqual([story, needed[story]])
    }
  })
  test('a thread that is one agent meets only itself: no catalogue kernel changes its verdict without them', () => {
    for (const k of kernels.filter((_, i) => nightly || i % 12 === 0)) {
      const small = instanceOf(k, { m: 128, n: 32, k: 144, tileK: 16 }, [])
      const p = right(small._tag === 'Right' ? small : instanceOf(k, {}, [])).program
      const bare: Program = {
        ...p,
        entry: labels(p)
          .filter((l) => l.endsWith('.sync'))
          .reduce((q, l) => {
            const less = without(l)(q)
            return less._tag === 'Right' ? less.right : q
          }, p).entry,
      }
      const [a, b] = [p, bare].map((q) => checked(q, { strict: false }).verdict)
      expect([k.name, b!.verdict, b!.findings, b!.provenance]).toEqual([
        k.name,
        a!.verdict,
        a!.findings,
        a!.provenance,
      ])
    }
  })
  test('a warp map of one agent is a fork and a join: the join orders, with the barriers and without', () => {
    for (const unsafeNoAutoBarriers of [false, true]) {
      const p = right(
        B.kernel(
          {
            name: 'forked',
            arch: 'sm90a',
            agents: Pallas.threadAgents('t', 0, 'one and its warps'),
            computes: { _tag: 'copy', from: 'x', out: 'out' },
          },
          function* () {
            const x = yield* B.tensorParam('x', 'f16', [64, 64], { role: 'in' })
            const out = yield* B.tensorParam('out', 'f16', [64, 64], { role: 'out' })
            const buf = yield* B.sharedMemory('buf', 'f16', [64, 64])
            const full = yield* Pallas.Barrier('full', { numBarriers: 1 })
            yield* Pallas.threads(
              [full],
              [
                {
                  name: 't',
                  body: function* (thread) {
                    yield* Pallas.warpMap('fetch', thread, {}, function* (w) {
                      if (w !== 1) return
                      const from = Pallas.at(x, [i32(0), i32(0)], [64, 64])
                      yield* Pallas.copyGmemToSmem('copy', from, buf, full, i32(0))
                      yield* Pallas.barrierWait('wait full', full, i32(0), Pallas.freshParities)
                    })
                    const v = yield* B.smemLoad('v', buf)
                    yield* B.run('store', { _tag: 'gmem.store', destination: out.view, value: v })
                  },
                },
              ],
              { unsafeNoAutoBarriers },
            )
          },
        ),
      )
      expect(labels(p).includes('fetch.exit')).toBe(!unsafeNoAutoBarriers)
      expect(checked(p).verdict).toMatchObject({
        verdict: 'ok',
        decidedBy: 'one-schedule',
        findings: [],
        provenance: { proved: true },
      })
    }
  })
})
