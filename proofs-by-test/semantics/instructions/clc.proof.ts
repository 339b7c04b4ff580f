/**
 * Cluster launch control: a persistent copy whose clusters take over the rest of the grid. For every plan (how many requests are granted before one
 * fails), every number of resident clusters and many schedules the tiles done are the grid, each exactly once. And the twins: no wait, a response used as
 * payload, a request after one that failed, two that ask at once.
 */
import { describe, expect, test } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import { unit } from '../../../src/numerics/unit.js'
import * as B from '../../../src/semantics/writing/builder.js'
import { check, standardOptions } from '../../../src/semantics/verdict/check.js'
import * as X from '../../../src/semantics/language/expression.js'
import {
  executeQuery,
  executeTryCancel,
  firstCta,
  perform,
  signal,
} from '../../../src/semantics/instructions/clc.js'
import { readTensor } from '../../../src/semantics/execution/launch.js'
import type { Executing } from '../../../src/semantics/machine/effect.js'
import { evaluate } from '../../../src/semantics/machine/evaluate.js'
import * as Footprint from '../../../src/semantics/machine/footprint.js'
import { init as initial } from '../../../src/semantics/machine/mbarrier.js'
import type { ClcInFlight, Elements } from '../../../src/semantics/machine/operation.js'
import {
  withBarrier,
  withInFlight,
  withResponses,
  withWave,
  type Machine,
  type Wave,
} from '../../../src/semantics/machine/state.js'
import { isFault } from '../../../src/semantics/machine/value.js'
import * as Policy from '../../../src/semantics/execution/policy.js'
import type { Program } from '../../../src/semantics/language/program.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { launched, logged } from '../machine/machine-samples.js'
import { startOf } from '../../../src/semantics/log/events.js'
import { right } from '../../either.js'

type Flaw = 'none' | 'no wait' | 'payload' | 'again'

/** One agent a CTA: does its own tile, then what it is granted, until it is refused. */
const persistent = (
  tiles: number,
  o: { readonly cluster?: 1 | 2; readonly flaw?: Flaw; readonly agents?: 1 | 2 } = {},
): Program => {
  const cluster = o.cluster ?? 1
  const flaw = o.flaw ?? 'none'
  return right(
    B.kernel(
      {
        name: 'persistent copy',
        arch: 'sm100a',
        grid: [tiles],
        cluster: [cluster],
        agents: [B.warp('w', 0), ...(o.agents === 2 ? [B.warp('v', 1)] : [])],
      },
      function* () {
        const x = yield* B.tensorParam('x', 'i32', [tiles, 4], { role: 'in' })
        const out = yield* B.tensorParam('out', 'i32', [tiles, 4], { role: 'out' })
        const responses = yield* B.sharedMemory('response', 'i32', [o.agents ?? 1, 4])
        const bs = yield* B.barriers('answered', [o.agents ?? 1])
        const me = X.place('agent')
        const response = X.slot(responses, me)
        const b = X.slot(bs, me)
        const rank = X.place('ctaRank')
        yield* B.run('init', { _tag: 'mbarrier.init', barrier: b, count: 1 })
        yield* B.run('arrive', { _tag: 'cluster.arrive', relaxed: false })
        yield* B.run('wait init', { _tag: 'cluster.wait' })
        yield* B.whileLoop<{ readonly tile: 'i32'; readonly more: 'i1'; readonly turn: 'i32' }>(
          { label: 'tiles', carried: { tile: X.place('programId'), more: X.i1(true), turn: X.i32(0) } },
          function* ({ tile, more, turn }) {
            const go = yield* B.letIn('go', more)
            return [go, { tile, more, turn }] as const
          },
          function* ({ tile, turn }) {
            // every CTA expects its own answer; the first one of the cluster asks for all
            yield* B.run('expect', {
              _tag: 'mbarrier.arriveExpectTx',
              barrier: b,
              bytes: X.i32(16),
              release: true,
              scope: 'cta',
            })
            yield* B.run(
              'ask',
              { _tag: 'clc.tryCancel', response, barrier: b, multicast: cluster > 1 },
              { when: X.eq(rank, X.i32(0)) },
            )
            const row = yield* B.gmemLoad('row', X.slot(x.view, tile))
            yield* B.run('write', { _tag: 'gmem.store', destination: X.slot(out.view, tile), value: row })
            if (flaw !== 'no wait')
              yield* B.run('wait', {
                _tag: 'mbarrier.wait',
                barrier: b,
                parity: X.rem(turn, X.i32(2)),
                acquire: true,
                scope: 'cta',
              })
            const [granted, first] = yield* B.clcQuery('answer', response)
            // the next answer comes through the asynchronous proxy
            yield* B.run('read', { _tag: 'fence.proxyAsync', scope: 'cta' })
            if (flaw === 'payload') yield* B.smemLoad('peek', response)
            if (flaw === 'again') {
              const late = X.xor(granted, X.i1(true))
              yield* B.run(
                'ask again',
                { _tag: 'clc.tryCancel', response, barrier: b, multicast: false },
                { when: late },
              )
            }
            // both CTAs have read the answer before the next one may come
            yield* B.run('arrive read', { _tag: 'cluster.arrive', relaxed: false })
            yield* B.run('wait read', { _tag: 'cluster.wait' })
            const next = X.add(first, rank)
            return { tile: next, more: granted, turn: X.add(turn, X.i32(1)) }
          },
        )
      },
    ),
  )
}

const data = (tiles: number): ReadonlyMap<string, Float64Array> =>
  new Map([['x', Float64Array.from({ length: 4 * tiles }, (_, i) => i * i)]])

const verdictOf = (program: Program, policy: Policy.AnyPolicy = Policy.eager): Verdict =>
  right(
    check(program, {
      ...standardOptions,
      policy,
      provenance: false,
      explore: false,
      explain: false,
      fuel: 1e5,
    }),
  ).verdict

const policies = [Policy.eager, Policy.lazy, ...[1, 2, 3].map((seed) => Policy.seeded(seed))]

describe('law 1: every tile once', () => {
  const cases = ([1, 2] as const).flatMap((cluster) =>
    [1, 2, 3].flatMap((resident) => [2, 4, 6].map((tiles) => [cluster, resident, tiles] as const)),
  )
  test.each(cases)('clusters of %i, %i resident, %i tiles: all plans', (cluster, resident, tiles) => {
    const program = persistent(tiles, { cluster })
    const clusters = tiles / cluster
    for (let grants = 0; grants <= clusters; grants++)
      for (const policy of policies) {
        const l = launched(program, bits('blackwell'), { tensors: data(tiles), resident, grants })
        const ran = logged(l, policy)
        expect(ran.outcome._tag).toBe('completed')
        // by the log: who wrote which row
        const rows = ran.result.flatMap((e) =>
          e._tag === 'access' && e.rw === 'w' && l.world.header.planes[e.footprint.plane]!.name === 'out'
            ? [startOf(e.footprint.spans) / 16]
            : [],
        )
        expect(rows.sort((a, b) => a - b)).toEqual(Array.from({ length: tiles }, (_, i) => i))
        expect([...readTensor(l.world, ran.machine, 'out')!]).toEqual([...data(tiles).get('x')!])
        // what was launched and what was granted are all clusters
        const granted = ran.result.filter((e) => e._tag === 'perform').length / cluster
        expect(ran.clusters).toBeGreaterThanOrEqual(clusters - Math.min(grants, granted))
      }
  })
  test('without a limit one resident cluster does everything', () => {
    const l = launched(persistent(6), unit)
    expect(logged(l, Policy.seeded(5)).clusters).toBe(1)
  })
  test('coordinates of the first CTA, along the axes of the grid', () => {
    const l = launched(persistent(6, { cluster: 2 }), unit)
    expect([0, 1, 2].map((c) => firstCta(l.world, c))).toEqual([
      [0, 0, 0],
      [2, 0, 0],
      [4, 0, 0],
    ])
  })
})

describe('judged', () => {
  test('ok, in clusters of one and of two, and the verdict says what it leaves out', () => {
    for (const cluster of [1, 2] as const)
      for (const policy of policies) {
        const v = verdictOf(persistent(4, { cluster }), policy)
        expect([v.verdict, v.findings]).toEqual(['ok', []])
        expect(v.scope.join()).toContain('grants of cluster launch control')
      }
  })
  test('without the wait the answer is read too early', () => {
    const shown = policies.map((policy) => verdictOf(persistent(4, { flaw: 'no wait' }), policy))
    for (const v of shown) expect(v.verdict).not.toBe('ok')
    expect(shown.flatMap((v) => v.findings.map((f) => f.id))).toContain('P4')
  })
  test('an answer is no payload: B7', () => {
    const v = verdictOf(persistent(4, { flaw: 'payload' }))
    // and what is read as one is overwritten without a fence behind it
    expect([v.verdict, v.findings.map((f) => [f.id, f.b?.site])]).toEqual([
      'hazard',
      [
        ['P3', 'ask'],
        ['B7', 'peek'],
      ],
    ])
  })
  test('a request after one that was seen to fail is a fault', () => {
    for (const policy of policies) {
      const v = verdictOf(persistent(4, { flaw: 'again' }), policy)
      expect([v.verdict, v.reason.split(':')[0]]).toEqual(['invalid', 'clc.refused'])
    }
  })
  test('two agents that ask in no order: who is granted what is a matter of timing (C1)', () => {
    const v = verdictOf(persistent(6, { agents: 2 }))
    expect(v.conditions.C1.failures.join()).toContain('which cluster is granted depends on who asks first')
    expect(v.verdict).not.toBe('ok')
  })
})

// ---------------------------------------------------------------- one request by itself

describe('one request by itself', () => {
  // 3 x 2 clusters of (2, 3) CTAs; two of them run
  const { world, machine } = launched(
    right(
      B.draft(
        { name: 'request', arch: 'sm100a', grid: [6, 6], cluster: [2, 3], agents: [B.warp('w', 0)] },
        () => B.of(undefined),
      ),
    ),
    unit,
    { resident: 2 },
  )
  const planes = [0, 1].map((cta) =>
    world.header.planes.findIndex((p) => p.space === 'smem' && p.cta === cta),
  )
  const place = (plane: number, address: number): Elements =>
    Footprint.ofAddresses(world.footprints, plane, 'i32', [1], Int32Array.of(address))
  const by = (agent: number, w = world): Executing => ({
    world: w,
    agent,
    stamp: { agent, at: 4, site: 0, iteration: [1] },
  })
  const wave = (w: Partial<Wave>, m = machine): Machine => withWave(m, { ...m.wave, ...w })
  const flight = (fields: Partial<ClcInFlight>): ClcInFlight => ({
    _tag: 'clc',
    id: 5,
    agent: 7,
    at: 4,
    stamp: by(7).stamp,
    part: 1,
    stage: 'write',
    response: place(planes[1]!, 32),
    barrier: 2,
    cluster: 3,
    bytes: 16,
    ...fields,
  })

  test('granted as long as the plan and the grid have one left: the lowest', () => {
    const asked = (grants: number, requests: number, next: number): ReadonlyArray<number> => {
      const before = wave({ requests, next })
      const done = executeTryCancel(by(0, { ...world, grants }), before, {
        _tag: 'clc.tryCancel',
        parts: [{ response: place(planes[0]!, 16), barrier: 0 }],
      })
      if (isFault(done)) throw new Error(done.message)
      const { machine: after } = done
      expect([after.wave.clusters, after.wave.refused]).toEqual([before.wave.clusters, before.wave.refused])
      const [f] = after.inFlight
      return [f?._tag === 'clc' ? f.cluster : NaN, after.wave.next, after.wave.requests]
    }
    expect(asked(Infinity, 0, 2)).toEqual([2, 3, 1])
    expect(asked(3, 2, 4)).toEqual([4, 5, 3])
    expect(asked(3, 3, 4)).toEqual([-1, 4, 4])
    expect(asked(0, 0, 2)).toEqual([-1, 2, 1])
    // six clusters
    expect(asked(Infinity, 9, 5)).toEqual([5, 6, 10])
    expect(asked(Infinity, 9, 6)).toEqual([-1, 6, 10])
  })
  test('a cluster that has read of a failure may not ask again, another may', () => {
    const refused = wave({ refused: [true, false] })
    const ask = (agent: number) => executeTryCancel(by(agent), refused, { _tag: 'clc.tryCancel', parts: [] })
    // six agents in each cluster
    expect([0, 5, 6, 11].map((agent) => isFault(ask(agent)))).toEqual([true, true, false, false])
    expect(ask(5)).toMatchObject({ code: 'clc.refused' })
  })
  test('an answer replaces the one at its place, and no other', () => {
    const here = { plane: planes[1]!, address: 32, cluster: 1 }
    const behind = { plane: planes[1]!, address: 48, cluster: 2 }
    const there = { plane: planes[0]!, address: 32, cluster: 4 }
    const f = flight({})
    const others = [flight({ id: 6 }), flight({ id: 7, stage: 'signal' })]
    const before = withResponses(withInFlight(machine, [others[0]!, f, others[1]!]), [here, behind, there])
    const { machine: after } = perform(before, f)
    expect(after.responses).toEqual([behind, there, { ...here, cluster: 3 }])
    expect(after.inFlight).toEqual([others[0], { ...f, stage: 'signal' }, others[1]])
  })
  test('its bytes are taken off its barrier', () => {
    const f = flight({ stage: 'signal' })
    const other = flight({ id: 6 })
    const before = withBarrier(withInFlight(machine, [other, f]), 2, { ...initial(1), tx: 40 })
    const { machine: after } = signal(before, f)
    expect(after.barriers[2]).toEqual({ ...initial(1), tx: 24 })
    expect(after.inFlight).toEqual([other])
  })

  test('read at its place: granted, failed, or not there yet', () => {
    const answers = withResponses(machine, [
      { plane: planes[0]!, address: 32, cluster: 0 },
      { plane: planes[1]!, address: 32, cluster: 5 },
      { plane: planes[1]!, address: 48, cluster: -1 },
    ])
    const read = (agent: number, plane: number, address: number) => {
      const { machine: after, results } = executeQuery(by(agent), answers, {
        _tag: 'clc.query',
        response: place(plane, address),
      })
      return [
        results.map((v) => (typeof v === 'object' && v._tag === 'fault' ? v.code : v)),
        after.wave.refused,
        after === answers,
      ]
    }
    const none = [false, 'clc.refused', 'clc.refused', 'clc.refused']
    expect(read(0, planes[0]!, 32)).toEqual([[true, 0, 0, 0], [false, false], true])
    // cluster 5 is the last of 3 x 2
    expect(read(0, planes[1]!, 32)).toEqual([[true, 4, 3, 0], [false, false], true])
    expect(read(0, planes[1]!, 48)).toEqual([none, [true, false], false])
    expect(read(6, planes[1]!, 48)).toEqual([none, [false, true], false])
    expect(read(0, planes[0]!, 48)).toEqual([none, [false, false], true])
    expect(read(0, planes[1]!, 0)).toEqual([none, [false, false], true])
  })
  test('a second cluster that reads of a failure does not make the first forget', () => {
    const m = withResponses(wave({ refused: [true, false] }), [
      { plane: planes[1]!, address: 48, cluster: -1 },
    ])
    const { machine: after } = executeQuery(by(6), m, {
      _tag: 'clc.query',
      response: place(planes[1]!, 48),
    })
    expect(after.wave).toEqual({ ...m.wave, refused: [true, true] })
  })
  test('the first CTA of each cluster is the one that is there when it is launched', () => {
    const axes = [0, 1, 2] as const
    const launchedAt = (cluster: number): ReadonlyArray<unknown> =>
      axes.map((axis) =>
        evaluate(world, { agent: 0, cta: 0, place: 0, cluster }, [], {
          _tag: 'place',
          of: 'programId',
          axis,
        } as never),
      )
    expect([0, 1, 2, 3, 4, 5].map((c) => firstCta(world, c))).toEqual([
      [0, 0, 0],
      [0, 3, 0],
      [2, 0, 0],
      [2, 3, 0],
      [4, 0, 0],
      [4, 3, 0],
    ])
    for (let c = 0; c < 6; c++) expect(firstCta(world, c)).toEqual(launchedAt(c))
  })
})
