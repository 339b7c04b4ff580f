/**
 * Named barriers (bar.sync, bar.arrive) and the cluster barrier.
 *
 * They pair by count, not by members: a generation of barrier `id` ends when `count` threads have arrived, whichever they are. An
 * agent of w warps brings 32 w. bar.sync arrives and then leaves; it can leave once the generation it arrived in has ended.
 *
 * The cluster barrier is arrived at by every agent of the cluster that has not ended, each once a generation: a wait passes when none of them
 * has arrived less often than the waiter. Who has ended is not waited for.
 *
 * Source: PTX ISA, parallel synchronization: bar, barrier, barrier.cluster.
 */
import { remembered } from '../../remembered.js'
import type { InstructionOf } from '../language/instruction.js'
import type { Loose, Rendezvous } from '../log/events.js'
import { ctaOf, effect, placeOf, threadsOf, type Effect, type Executing } from '../machine/effect.js'
import type { Ballot, Prepared } from '../machine/operation.js'
import {
  closeGroup,
  noVotes,
  withAgent,
  withGroups,
  withNamed,
  type Machine,
  type Named,
  type Votes,
} from '../machine/state.js'
import type { Value } from '../machine/value.js'
import type { World } from '../machine/world.js'
import { changes, weak, type Family } from '../machine/family.js'
import * as Touches from '../machine/touches.js'

type Bar = Extract<Prepared, { readonly _tag: 'bar' }>
type Leave = Extract<Prepared, { readonly _tag: 'bar.leave' }>

export const prepareBar = (i: InstructionOf<'bar.sync'> | InstructionOf<'bar.arrive'>): Prepared => ({
  _tag: 'bar',
  id: i.id,
  count: i.count,
  waits: i._tag === 'bar.sync',
})

const fresh = (cta: number, id: number): Named => ({
  cta,
  id,
  arrived: 0,
  generation: 0,
  votes: noVotes,
  outcome: noVotes,
})

/** The named barrier `id` of a CTA. */
export const named = (m: Machine, cta: number, id: number): Named =>
  byNumber(m.named).get(cta * barriersOfCta + id) ?? fresh(cta, id)
/** A CTA has sixteen, and that of its cluster. */
const barriersOfCta = 32
const byNumber: (all: Machine['named']) => ReadonlyMap<number, Named> = remembered(
  (all) => new Map(all.map((n) => [n.cta * barriersOfCta + n.id, n])),
)

const rendezvous = (
  x: Executing,
  kind: Rendezvous['kind'],
  id: number,
  count: number,
  relaxed: boolean = false,
  threads: number = threadsOf(x.world, x.agent),
): Rendezvous => ({
  _tag: 'rendezvous',
  stamp: x.stamp,
  kind,
  id,
  count,
  threads,
  relaxed,
})

/** The arrive of a warp that PTX promises nothing of. */
const loosely = (e: Rendezvous, loose: Loose | undefined): Rendezvous =>
  loose === undefined ? e : Object.assign({ loose }, e)

export const blockedEvent = (x: Executing, p: Leave): Rendezvous => rendezvous(x, 'blocked', p.id, p.count)

const arriveAt = (
  m: Machine,
  cta: number,
  id: number,
  count: number,
  threads: number,
  ballot: Ballot | undefined,
): Machine => {
  const before = named(m, cta, id)
  const arrived = before.arrived + threads
  const votes =
    ballot === undefined
      ? before.votes
      : { yes: before.votes.yes + ballot.yes, of: before.votes.of + ballot.of }
  const after: Named =
    arrived >= count
      ? {
          cta,
          id,
          arrived: arrived - count,
          generation: before.generation + 1,
          votes: noVotes,
          outcome: votes,
        }
      : { cta, id, arrived, generation: before.generation, votes, outcome: before.outcome }
  return withNamed(m, [...m.named.filter((n) => n.cta !== cta || n.id !== id), after])
}

/** Arrive; a bar.sync then waits for the end of the generation that was open before. */
export const executeBar = (x: Executing, m: Machine, p: Bar): Effect =>
  effect(
    arriveAt(m, ctaOf(x.world, x.agent), p.id, p.count, p.threads ?? threadsOf(x.world, x.agent), p.ballot),
    [loosely(rendezvous(x, 'arrive', p.id, p.count, false, p.threads), p.loose)],
  )

/** What a bar.sync waits for, once it has arrived. */
export const leaving = ({ id, count, ballot, all }: Bar, generation: number): Leave => {
  const plain: Leave = { _tag: 'bar.leave', id, count, generation }
  const asked = ballot === undefined ? plain : Object.assign({ ballot }, plain)
  return all === undefined ? asked : Object.assign({ all }, asked)
}

/** Threads of the agents of a CTA that have ended. */
const endedIn = (world: World, m: Machine, cta: number): number => {
  let threads = 0
  for (let x = cta * world.agentsPerCta; x < (cta + 1) * world.agentsPerCta; x++)
    if (m.agents[x]!.status === 'done') threads += threadsOf(world, x)
  return threads
}

/** The generation under way lacks none but threads that have ended. */
const excused = (world: World, agent: number, m: Machine, p: Leave): boolean => {
  const cta = ctaOf(world, agent)
  return p.all === true && named(m, cta, p.id).arrived + endedIn(world, m, cta) >= p.count
}

export const leaveBlocked = (world: World, agent: number, m: Machine, p: Leave): boolean =>
  named(m, ctaOf(world, agent), p.id).generation <= p.generation && !excused(world, agent, m, p)

/** The first to leave a generation that lacks threads which have ended closes it. */
export const executeLeave = (x: Executing, m: Machine, p: Leave): Effect => {
  const cta = ctaOf(x.world, x.agent)
  const b = named(m, cta, p.id)
  const after = b.generation <= p.generation ? arriveAt(m, cta, p.id, b.arrived, 0, undefined) : m
  return effect(
    after,
    [rendezvous(x, 'leave', p.id, p.count)],
    p.ballot === undefined ? [] : [answer(p.ballot.op, named(after, cta, p.id).outcome)],
  )
}

/** What a generation has said. */
const answer = (op: Ballot['op'], { yes, of }: Votes): Value =>
  op === 'popc' ? yes : op === 'and' ? yes === of : yes > 0

// ---------------------------------------------------------------- the cluster barrier

/** Its id in the log; the named barriers of a CTA are 0 to 15. */
export const clusterBarrier = 16

/** Threads of all CTAs of the cluster. */
export const clusterThreads = (world: World): number =>
  world.ctas *
  world.front.agents.reduce((n, a, i) => n + (world.front.starts[i] === true ? 32 * a.warps : 0), 0)

/** Everybody arrives once a generation, so an agent's own arrivals number the generations it waits for. */
export const executeClusterArrive = (x: Executing, m: Machine, relaxed: boolean, loose?: Loose): Effect => {
  const a = m.agents[x.agent]!
  return effect(withAgent(m, x.agent, withGroups(a, closeGroup(a.groups, 'cluster'))), [
    loosely(rendezvous(x, 'arrive', clusterBarrier, clusterThreads(x.world), relaxed), loose),
  ])
}

/** An agent of its cluster that has not ended has arrived less often. */
export const clusterWaitBlocked = (world: World, agent: number, m: Machine): boolean => {
  const mine = m.agents[agent]!.groups.cluster
  const members = world.ctas * world.agentsPerCta
  const first = placeOf(world, agent) * members
  for (let y = first; y < first + members; y++) {
    const a = m.agents[y]!
    if (
      a.groups.cluster < mine &&
      a.status === 'running' &&
      world.front.starts[y % world.agentsPerCta] === true
    )
      return true
  }
  return false
}

export const clusterEvent = (x: Executing, kind: 'leave' | 'blocked'): Rendezvous =>
  rendezvous(x, kind, clusterBarrier, clusterThreads(x.world))

export const executeClusterWait = (x: Executing, m: Machine): Effect => effect(m, [clusterEvent(x, 'leave')])

// ---------------------------------------------------------------- all that is asked

/** The barrier of a cluster has the number of its first CTA. Nothing is counted there: everybody waits for all who have not ended. */
export const clusterPlaceOf = (world: World, agent: number): number =>
  Touches.placeOf(placeOf(world, agent) * world.ctas, clusterBarrier)
export const isClusterPlace = (place: number): boolean => place % 32 === clusterBarrier

export const acts: Family<'bar' | 'bar.leave' | 'cluster.arrive' | 'cluster.wait'> = {
  bar: {
    execute: executeBar,
    waits: null,
    touches: ({ world, agent }, p) => [
      Touches.meet(Touches.placeOf(ctaOf(world, agent), p.id), p.threads ?? threadsOf(world, agent), p.count),
    ],
    does: changes,
    strong: weak,
  },
  'bar.leave': {
    execute: executeLeave,
    waits: { of: 'barrier', blocked: leaveBlocked, stands: (x, _, p) => [blockedEvent(x, p)] },
    touches: ({ world, agent }, p) => [{ _tag: 'leave', place: Touches.placeOf(ctaOf(world, agent), p.id) }],
    does: changes,
    strong: weak,
  },
  'cluster.arrive': {
    execute: (x, m, p) => executeClusterArrive(x, m, p.relaxed, p.loose),
    waits: null,
    touches: ({ world, agent }) => [Touches.meet(clusterPlaceOf(world, agent), 0, 0)],
    does: changes,
    strong: weak,
  },
  'cluster.wait': {
    execute: executeClusterWait,
    waits: { of: 'cluster', blocked: clusterWaitBlocked, stands: (x) => [clusterEvent(x, 'blocked')] },
    touches: ({ world, agent }) => [{ _tag: 'leave', place: clusterPlaceOf(world, agent) }],
    does: changes,
    strong: weak,
  },
}
