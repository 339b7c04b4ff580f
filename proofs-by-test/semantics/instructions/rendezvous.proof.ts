/**
 * Meetings: named barriers, the cluster barrier, and the calls of mbarriers, each by itself.
 *
 * Tables by hand, in the second of two clusters that run, so that no index is that of the first.
 */
import { describe, expect, test } from 'vitest'
import { unit } from '../../../src/numerics/unit.js'
import * as B from '../../../src/semantics/writing/builder.js'
import {
  executeArrive,
  executeWait,
  reach,
  waitBlocked,
} from '../../../src/semantics/instructions/mbarrier.js'
import {
  clusterThreads,
  clusterWaitBlocked,
  executeBar,
  executeClusterArrive,
  leaveBlocked,
  named,
} from '../../../src/semantics/instructions/rendezvous.js'
import { init, type Mbarrier } from '../../../src/semantics/machine/mbarrier.js'
import type { Prepared } from '../../../src/semantics/machine/operation.js'
import {
  agentState,
  noVotes,
  withAgent,
  withBarrier,
  withGroups,
  withNamed,
  type Machine,
  type Named,
  type Status,
} from '../../../src/semantics/machine/state.js'
import { launched } from '../machine/machine-samples.js'
import { right } from '../../either.js'

const { world, machine } = launched(
  right(
    B.draft(
      {
        name: 'meetings',
        arch: 'sm90a',
        grid: [4],
        cluster: [2],
        agents: [B.warpgroup('four', 0), B.warp('one', 4), B.partition('forked', 6, 2)],
      },
      function* () {
        yield* B.barriers('b', [2])
        yield* B.fork('roles', { agent: 'four', captures: {}, body: () => B.of({}) }, [
          B.branch('forked', {}, () => B.of(undefined)),
        ])
      },
    ),
  ),
  unit,
  { resident: 2 },
)
/** Agents of CTA 3, the second of the second cluster. */
const [four, one, forked] = [9, 10, 11] as const
const stamp = { agent: four, at: 2, site: 0, iteration: [] }
const by = (agent: number) => ({ world, agent, stamp: { ...stamp, agent } })

describe('named barriers', () => {
  const bar = (agent: number, count: number, before: ReadonlyArray<Named>): ReadonlyArray<Named> =>
    executeBar(by(agent), withNamed(machine, before), { _tag: 'bar', id: 3, count, waits: true }).machine
      .named
  const at = (arrived: number, generation: number, cta = 3, id = 3): Named => ({
    cta,
    id,
    arrived,
    generation,
    votes: noVotes,
    outcome: noVotes,
  })
  test('threads are counted, 32 in each warp; the last of them opens the next generation', () => {
    expect(bar(four, 256, [])).toEqual([at(128, 0)])
    expect(bar(one, 256, [])).toEqual([at(32, 0)])
    expect(bar(forked, 256, [])).toEqual([at(64, 0)])
    expect(bar(four, 256, [at(96, 4)])).toEqual([at(224, 4)])
    expect(bar(four, 256, [at(128, 4)])).toEqual([at(0, 5)])
    expect(bar(four, 128, [])).toEqual([at(0, 1)])
    // more than are needed count for the next generation
    expect(bar(four, 256, [at(160, 4)])).toEqual([at(32, 5)])
  })
  test('of this CTA, with this number', () => {
    const others = [at(1, 1, 0), at(2, 2, 3, 4), at(3, 3, 1, 4)]
    expect(bar(four, 256, others)).toEqual([...others, at(128, 0)])
    expect(named(withNamed(machine, others), 3, 4)).toEqual(at(2, 2, 3, 4))
    expect(named(withNamed(machine, others), 3, 5)).toEqual(at(0, 0, 3, 5))
  })
  test('who waits leaves when the generation is over', () => {
    const blocked = (generation: number, waited: number): boolean =>
      leaveBlocked(world, four, withNamed(machine, [at(0, 9, 0), at(0, generation)]), {
        _tag: 'bar.leave',
        id: 3,
        count: 256,
        generation: waited,
      })
    expect([blocked(4, 4), blocked(5, 4), blocked(4, 5)]).toEqual([true, false, true])
  })
})

describe('the cluster barrier', () => {
  test('threads of those who run from the start, in all its CTAs', () => {
    expect(clusterThreads(world)).toBe(2 * (128 + 32))
    const done = executeClusterArrive(by(one), machine, false)
    expect(done.events).toMatchObject([{ id: 16, count: 320, threads: 32, relaxed: false }])
    expect(done.machine.agents.map((a) => a.groups.cluster)).toEqual(
      machine.agents.map((_, agent) => (agent === one ? 1 : 0)),
    )
  })
  test('somebody of its cluster who runs has arrived less often', () => {
    const all = (arrivals: number, status: Status): Machine =>
      machine.agents.reduce(
        (m, a, agent) =>
          withAgent(
            m,
            agent,
            withGroups(agentState(status, a.stand, a.ready, a.at, a.groups), {
              ...a.groups,
              cluster: arrivals,
            }),
          ),
        machine,
      )
    const everybody = all(2, 'running')
    const but = (agent: number, arrivals: number, status: Status): boolean => {
      const a = everybody.agents[agent]!
      const late = agentState(status, a.stand, a.ready, a.at, { ...a.groups, cluster: arrivals })
      return clusterWaitBlocked(world, four, withAgent(everybody, agent, late))
    }
    expect(clusterWaitBlocked(world, four, everybody)).toBe(false)
    // the agents of the first cluster, then of this one; the third of each CTA does not run from the start
    expect(machine.agents.map((_, agent) => but(agent, 1, 'running'))).toEqual(
      [0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0].map((late, agent) => late === 1 && agent !== four),
    )
    expect(but(one, 1, 'done')).toBe(false)
    expect(but(one, 3, 'running')).toBe(false)
    expect(but(6, 0, 'running')).toBe(true)
  })
})

describe('mbarriers', () => {
  type Arrive = Extract<Prepared, { readonly _tag: 'mbarrier.arrive' }>
  const after = (b: Mbarrier | null, more: Partial<Arrive>): Mbarrier | null => {
    const done = executeArrive(by(four), withBarrier(machine, 7, b), {
      _tag: 'mbarrier.arrive',
      kind: 'arrive',
      barrier: 7,
      count: 0,
      bytes: 0,
      release: true,
      scope: 'cta',
      tensor: false,
      ...more,
    })
    expect(done.machine.barriers.every((other, i) => i === 7 || other === null)).toBe(true)
    return done.machine.barriers[7]!
  }
  const b: Mbarrier = { completed: 4, expected: 5, pending: 3, tx: 16 }
  test.each<readonly [what: string, before: Mbarrier | null, Partial<Arrive>, after: Mbarrier | null]>([
    ['arrivals', b, { count: 2 }, { ...b, pending: 1 }],
    ['arrivals with bytes', b, { count: 1, bytes: 32 }, { ...b, pending: 2, tx: 48 }],
    [
      'the last, with no bytes to come',
      { ...b, tx: 0 },
      { count: 3 },
      { ...b, completed: 5, pending: 5, tx: 0 },
    ],
    ['bytes alone are no arrival', b, { kind: 'expect', count: 3, bytes: 8 }, { ...b, tx: 24 }],
    [
      'who drops out arrives, and is not expected again',
      b,
      { kind: 'drop', count: 2 },
      { ...b, expected: 3, pending: 1 },
    ],
    ['who arrives is expected again', b, { kind: 'arrive', count: 1 }, { ...b, pending: 2 }],
    ['one too many: it stays as it was', b, { count: 4 }, b],
    ['none is there', null, { count: 1 }, null],
  ])('%s', (_what, before, more, expected) => {
    expect(after(before, more)).toEqual(expected)
  })
  test('what reaches a barrier that is not there, or would trap, changes nothing', () => {
    expect(reach(machine, 7, 1, 0, 0)).toBe(machine)
    expect(reach(machine, 900, 1, 0, 0)).toBe(machine)
    const there = withBarrier(machine, 7, init(1))
    expect(reach(there, 7, 2, 0, 0)).toBe(there)
  })
  test('a wait stands before the phase whose parity it names; a test says whether it would', () => {
    const wait = (completed: number | null, parity: 0 | 1): ReadonlyArray<unknown> => {
      const m = withBarrier(machine, 7, completed === null ? null : { ...b, completed })
      const p = {
        _tag: 'mbarrier.wait',
        barrier: 7,
        parity,
        acquire: true,
        scope: 'cta',
        tensor: true,
      } as const
      const tested = executeWait(by(four), m, { ...p, blocks: false })
      const waited = executeWait(by(four), m, { ...p, blocks: true })
      return [
        waitBlocked(m, { ...p, blocks: true }),
        waitBlocked(m, { ...p, blocks: false }),
        tested.results,
        tested.events.map((e) => e._tag === 'wait' && e.outcome),
        waited.events.map((e) => e._tag === 'wait' && e.outcome),
        waited.results,
      ]
    }
    const stands = [true, false, [false], ['tested'], ['passed'], [true]]
    const passes = [false, false, [true], ['passed'], ['passed'], [true]]
    expect(wait(4, 0)).toEqual(stands)
    expect(wait(4, 1)).toEqual(passes)
    expect(wait(5, 0)).toEqual(passes)
    expect(wait(5, 1)).toEqual(stands)
    // on an object that is not there it never can
    expect(wait(null, 0)).toEqual(stands)
    expect(wait(null, 1)).toEqual(stands)
  })
})
