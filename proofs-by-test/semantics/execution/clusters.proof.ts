/**
 * Clusters: their barrier (arrive, wait, relaxed, who has ended), what may still reach a CTA that ends (K1), and an operation of the
 * cluster that only some of its CTAs reach (K2). Each bad program beside the right one; a verdict is the same under every schedule tried.
 */
import { describe, expect, test } from 'vitest'
import { unit } from '../../../src/numerics/unit.js'
import * as B from '../../../src/semantics/writing/builder.js'
import { check, standardOptions } from '../../../src/semantics/verdict/check.js'
import * as X from '../../../src/semantics/language/expression.js'
import { launch } from '../../../src/semantics/execution/launch.js'
import { evaluate } from '../../../src/semantics/machine/evaluate.js'
import * as V from '../../../src/semantics/machine/value.js'
import * as Policy from '../../../src/semantics/execution/policy.js'
import { noArguments, type Arguments } from '../../../src/semantics/execution/launch.js'
import type { Program } from '../../../src/semantics/language/program.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { right } from '../../either.js'

const verdict = (
  program: Program,
  policy: Policy.AnyPolicy = Policy.eager,
  more: Partial<Arguments> = {},
): Verdict =>
  right(
    check(program, {
      ...standardOptions,
      arguments: { ...noArguments, ...more },
      policy,
      provenance: false,
      explore: false,
      explain: false,
      fuel: 1e5,
    }),
  ).verdict

const schedules: ReadonlyArray<Policy.AnyPolicy> = [
  Policy.eager,
  Policy.lazy,
  Policy.roundRobin,
  ...[1, 2, 3, 4, 5].map((seed) => Policy.seeded(seed)),
]
/** The verdict and the ids, the same whatever the schedule. */
const shows = (program: Program): ReadonlyArray<string> => {
  const all = schedules.map((policy) => {
    const v = verdict(program, policy)
    return [v.verdict, ...[...new Set(v.findings.map((f) => f.id))].sort()]
  })
  for (const one of all) expect(one).toEqual(all[0])
  return all[0]!
}

const pair = (body: () => B.Steps<void>, agents = [B.warpgroup('wg', 0)], grid = [2]): Program =>
  right(B.kernel({ name: 'pair', arch: 'sm90a', grid, cluster: [2], agents }, body))
const rank = X.place('ctaRank')
const leader = X.eq(rank, X.i32(0))
const arrive = (label: string, relaxed = false): B.Build<void> =>
  B.run(label, { _tag: 'cluster.arrive', relaxed })
const wait = (label: string): B.Build<void> => B.run(label, { _tag: 'cluster.wait' })
function* meet(label: string, relaxed = false): B.Steps<void> {
  yield* arrive(`arrive ${label}`, relaxed)
  yield* wait(`wait ${label}`)
}

describe('cluster barrier', () => {
  const handOver = (relaxed: boolean, fence: boolean): Program =>
    pair(function* () {
      const x = yield* B.sharedMemory('x', 'i32', [4])
      yield* B.run('store', { _tag: 'smem.store', destination: x, value: X.iota<1>([4], 0) })
      if (fence) yield* arrive('arrive', relaxed)
      if (fence) yield* wait('wait')
      yield* B.smemLoad('read', X.remote(x, X.sub(X.i32(1), rank)))
      yield* meet('end')
    })
  test('with release and acquire what came before is seen; relaxed it is only ordered; without it there is a race', () => {
    expect(shows(handOver(false, true))).toEqual(['ok'])
    expect(shows(handOver(true, true))).toEqual(['hazard', 'V1'])
    expect(shows(handOver(false, false))).toEqual(['hazard', 'D1', 'K4'])
  })
  test('between arrive and wait nothing is ordered', () => {
    const early = pair(function* () {
      const x = yield* B.sharedMemory('x', 'i32', [4])
      yield* arrive('arrive')
      yield* B.run('store', { _tag: 'smem.store', destination: x, value: X.iota<1>([4], 0) })
      yield* wait('wait')
      yield* B.smemLoad('read', X.remote(x, X.sub(X.i32(1), rank)))
      yield* meet('end')
    })
    expect(shows(early)).toEqual(['hazard', 'D1'])
  })
  test('clusters do not wait for one another', () => {
    const program = pair(() => meet('once'), [B.warpgroup('wg', 0)], [8])
    for (const resident of [1, 2, 4]) {
      const v = verdict(program, Policy.seeded(resident), { resident })
      expect(v).toMatchObject({ verdict: 'ok', findings: [] })
    }
  })
  test('who arrives twice without a wait is told', () => {
    const twice = pair(function* () {
      yield* arrive('first')
      yield* arrive('second')
      yield* wait('wait')
    })
    for (const policy of schedules) expect(verdict(twice, policy).findings.map((f) => f.id)).toContain('B2')
  })
})

describe('K2: an operation of the cluster, reached by some of its CTAs', () => {
  test('a CTA that ends without it is named', () => {
    const alone = pair(function* () {
      yield* B.ifThen('leader', leader, () => meet('alone'))
    })
    expect(shows(alone)).toEqual(['hazard', 'K2'])
    expect(verdict(alone).findings[0]!.text).toContain('wg@1 ends without arriving in generation 0')
  })
  test('several that end without it are all named', () => {
    const three = right(
      B.kernel(
        { name: 'three', arch: 'sm90a', grid: [3], cluster: [3], agents: [B.warp('w', 0)] },
        function* () {
          yield* B.ifThen('leader', leader, () => meet('alone'))
        },
      ),
    )
    expect(shows(three)).toEqual(['hazard', 'K2'])
    expect(verdict(three).findings[0]!.text).toContain('w@1, w@2 end without arriving in generation 0')
  })
  test('each cluster answers for its own, also where several run together', () => {
    const alone = pair(
      function* () {
        yield* B.ifThen('leader', leader, () => meet('alone'))
      },
      [B.warpgroup('wg', 0)],
      [4],
    )
    const v = verdict(alone, Policy.eager, { resident: 2 })
    expect(v.findings.map((f) => f.text.replace(/^[^:]*: /, ''))).toEqual([
      'wg@1.c0 ends without arriving in generation 0',
      'wg@1.c1 ends without arriving in generation 0',
    ])
  })
  test('one agent of a CTA is enough: who has ended is not waited for', () => {
    const some = pair(
      function* () {
        yield* B.ifThen('first', X.eq(X.place('warp'), X.i32(0)), () => meet('first'))
      },
      [B.warpgroup('wg', 0), B.warp('idle', 4)],
    )
    expect(shows(some)).toEqual(['ok'])
  })
  test('if the others wait elsewhere it is a deadlock that names them', () => {
    const crossed = pair(function* () {
      const b = yield* B.barriers('b', [])
      yield* B.run('init', { _tag: 'mbarrier.init', barrier: b, count: 1 })
      yield* meet('begin')
      yield* B.ifThen('leader', leader, () => meet('second'))
      yield* B.run('wait b', {
        _tag: 'mbarrier.wait',
        barrier: b,
        parity: X.i32(0),
        acquire: true,
        scope: 'cta',
      })
    })
    const v = verdict(crossed)
    expect(v.verdict).toBe('deadlock')
    const cluster = v.waitFor.find((w) => w.includes('cluster barrier'))
    expect(cluster).toContain('cluster barrier generation 1: 128 of 256 threads missing (wg@1)')
    expect(cluster).toContain('wg@1 could signal it')
  })
})

interface Reached {
  readonly x: X.View<'smem', 'i32', 1>
  readonly b: X.Barrier<'ptx', false>
}

describe('K1: a CTA that ends while others still reach into it', () => {
  /** CTA 0 does something to CTA 1; `meets`: both come together at the end. */
  const reaches = (meets: boolean, what: (x: Reached) => B.Steps<void>): Program =>
    pair(function* () {
      const x = yield* B.sharedMemory('x', 'i32', [4])
      const b = yield* B.barriers('b', [])
      yield* B.run('init', { _tag: 'mbarrier.init', barrier: b, count: 1 })
      yield* B.run('store', { _tag: 'smem.store', destination: x, value: X.iota<1>([4], 0) })
      yield* meet('begin')
      yield* B.ifThen('leader', leader, () => what({ x: X.remote(x, X.i32(1)), b: X.remote(b, X.i32(1)) }))
      if (meets) yield* meet('end')
    })
  const ways: ReadonlyArray<readonly [string, (x: Reached) => B.Steps<void>]> = [
    [
      'a remote arrive',
      function* ({ b }) {
        yield* B.run('remote arrive', {
          _tag: 'mbarrier.arrive',
          barrier: b,
          count: 1,
          release: true,
          scope: 'cluster',
        })
      },
    ],
    [
      'a remote read',
      function* ({ x }) {
        yield* B.smemLoad('remote read', x)
      },
    ],
    [
      'a remote store',
      function* ({ x }) {
        yield* B.run('remote store', { _tag: 'smem.store', destination: x, value: X.iota<1>([4], 0) })
      },
    ],
  ]
  test.each(ways)('%s', (_, what) => {
    expect(shows(reaches(false, what))).toEqual(['hazard', 'K1'])
    expect(shows(reaches(true, what))).toEqual(['ok'])
  })
})

describe('the same place in another CTA', () => {
  const four = right(
    B.kernel(
      { name: 'four', arch: 'sm90a', grid: [8], cluster: [4], agents: [B.warpgroup('wg', 0)] },
      function* () {
        yield* B.sharedMemory('first', 'i32', [4])
        yield* B.sharedMemory('x', 'i32', [2, 4])
        yield* B.barriers('a', [])
        yield* B.barriers('b', [3])
        yield* meet('once')
      },
    ),
  )
  const { world } = right(launch(four, unit, { scalars: new Map(), tensors: new Map(), resident: 2 }))
  const slot = (id: string, index: number): X.ExprNode => ({
    _tag: 'slot',
    of: { _tag: 'storage', storage: id },
    index: X.i32(index),
  })
  const inside: ReadonlyArray<readonly [string, X.ExprNode]> = [
    ['a view', { _tag: 'storage', storage: 'x' }],
    ['a slot of a view', slot('x', 1)],
    ['a barrier', { _tag: 'storage', storage: 'a' }],
    ['a slot of barriers', slot('b', 2)],
  ]
  const ranks = [0, 1, 2, 3]
  const to = (of: X.ExprNode, rank: number): X.ExprNode => ({ _tag: 'remote', of, rank: X.i32(rank) })
  test.each(inside)(
    '%s: remote to rank r is what stands there, wherever one stands and however one came',
    (_, e) => {
      const seen = new Set<string>()
      for (const place of [0, 1])
        for (const there of ranks) {
          const at = (cta: number) => ({ agent: 4 * place + cta, cta, place, cluster: place })
          const own = evaluate(world, at(there), [], e)
          seen.add(JSON.stringify([V.isFault(own), own]))
          for (const here of ranks) {
            expect(evaluate(world, at(here), [], to(e, there))).toEqual(own)
            for (const via of ranks) expect(evaluate(world, at(here), [], to(to(e, via), there))).toEqual(own)
          }
        }
      // eight CTAs, eight places, and none is a fault
      expect(seen.size).toBe(8)
      expect([...seen].every((text) => text.startsWith('[false'))).toBe(true)
    },
  )
})
