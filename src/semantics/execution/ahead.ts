/**
 * Ahead: what stands behind waits that are blocked.
 *
 * When nothing can move, the log says which agents wait and for what. What would end a wait has often not happened at all: it stands behind
 * the wait of another agent, and no log of what was done can name it. The machine can: it lets one agent go on alone, as if its waits passed,
 * and looks at what that agent would do.
 *
 *     T0   wait pong 0      arrive ping            stuck at both waits, and neither barrier has ever seen an arrival
 *     T1   wait ping 0      arrive pong            ahead: `arrive ping` of T0 helps T1, `arrive pong` of T1 helps T0
 *
 * | an agent that waits for            | is helped by                                                             |
 * |------------------------------------|--------------------------------------------------------------------------|
 * | an mbarrier that lacks arrivals    | an arrive or drop, an operation that arrives or delivers bytes           |
 * | an mbarrier that lacks bytes alone | an operation that delivers bytes, but not those that the agent would announce itself before |
 * | an mbarrier that is not there      | its initialisation                                                       |
 * | a named barrier, the cluster's     | an arrival there                                                         |
 * | a semaphore                        | a signal                                                                 |
 * | registers                          | registers of its CTA given back                                          |
 * | its own groups                     | nothing                                                                  |
 *
 * With the agent go the branches that it forks and the operations that they issue; an agent that waits for its branches takes them along. What a
 * wait should have brought is not there when it passes so, and a branch on such data may go another way than it would: this is what an agent
 * would do, never evidence for a finding. It is bounded in events and in effort, so the list may be short of something far away.
 *
 * Laws
 * 1. The machine is left as it was.
 * 2. For an agent and one whom it helps there is at most one event, the first in the order in which it would come.
 */
import { clusterBarrier } from '../instructions/rendezvous.js'
import { clusterOf, type Ahead, type LogEvent, type Stamp } from '../log/events.js'
import { spend, within } from '../machine/effort.js'
import { withEdit, type Machine } from '../machine/state.js'
import type { World } from '../machine/world.js'
import { blocked, offered, take, type Offered } from './step.js'

/** Events that an agent goes on for, and ticks of effort. */
const patience = 256
const ticks = 2 ** 18

// ---------------------------------------------------------------- who is helped by what

/** Would this event bring what a blocked wait of the machine waits for? `agent` is whose event it is. */
const helps = (
  world: World,
  m: Machine,
  waiting: LogEvent,
  e: LogEvent,
  agent: number,
  announced: ReadonlyMap<number, number>,
): boolean => {
  switch (waiting._tag) {
    case 'wait': {
      const b = m.barriers[waiting.barrier] ?? null
      if (e._tag === 'signal')
        return (
          b !== null &&
          e.to !== 'group' &&
          e.barrier === waiting.barrier &&
          (e.to === 'arrive' ? b.pending > 0 : e.bytes > (announced.get(e.barrier) ?? 0))
        )
      if (e._tag !== 'barrier' || e.barrier !== waiting.barrier) return false
      return b === null ? e.kind === 'init' : b.pending > 0 && (e.kind === 'arrive' || e.kind === 'drop')
    }
    case 'rendezvous': {
      if (e._tag !== 'rendezvous' || e.kind !== 'arrive' || e.id !== waiting.id) return false
      const [here, there] = [ctaOf(world, agent), ctaOf(world, waiting.stamp.agent)]
      return e.id === clusterBarrier
        ? clusterOf(world.header, here) === clusterOf(world.header, there)
        : here === there
    }
    case 'semaphore':
      return e._tag === 'semaphore' && e.kind === 'signal' && e.footprint.id === waiting.footprint.id
    case 'registers':
      return (
        e._tag === 'registers' && e.needs < 0 && ctaOf(world, agent) === ctaOf(world, waiting.stamp.agent)
      )
    case 'barrier':
    case 'fence':
    case 'group':
    case 'access':
    case 'issue':
    case 'perform':
    case 'signal':
    case 'warpSync':
    case 'fork':
    case 'join':
    case 'alloc':
    case 'dealloc':
    case 'relinquish':
    case 'exit':
    case 'cluster':
    case 'ahead':
      return false
  }
}

const ctaOf = (world: World, agent: number): number => world.header.agents[agent]!.cta

// ---------------------------------------------------------------- going on alone

/** The agents that go with this one, itself first: the branches that it waits for. */
const crewOf = (m: Machine, agent: number): ReadonlyArray<number> => {
  const ready = m.agents[agent]!.ready
  return ready?._tag === 'join' ? [agent, ...ready.children] : [agent]
}

/** What can happen to the crew: operations first, then agents that can move, then one that is blocked in a wait. */
const following = (world: World, m: Machine, crew: ReadonlyArray<number>): Offered | undefined => {
  const can = offered(world, m).filter((o) => crew.includes(o.key.agent))
  const operation = can.find((o) => o.operation !== null) ?? can[0]
  if (operation !== undefined) return operation
  const held = crew.find((x) => {
    const ready = m.agents[x]!.ready
    return ready?._tag === 'do' && blocked(world, m, x, ready)
  })
  return held === undefined
    ? undefined
    : {
        key: { agent: held, at: m.agents[held]!.at, stage: 'agent', part: 0 },
        unit: 'agent',
        bytes: 0,
        macs: 0,
        operation: null,
        ready: m.agents[held]!.ready,
      }
}

/** Hands on what the agent and its branches would do, until `found` has seen enough. */
const goOn = (
  world: World,
  stuck: Machine,
  agent: number,
  found: (e: LogEvent, s: Stamp) => boolean,
): void => {
  let m = withEdit(stuck, null)
  let crew = crewOf(m, agent)
  for (let event = 0; event < patience; event++) {
    const next = following(world, m, crew)
    if (next === undefined || !spend(world.effort, 1 + next.bytes / 16 + next.macs / 256)) return
    const done = take(world, m, next)
    if ('kind' in done) return
    m = done.machine
    for (const e of done.events) {
      if (e._tag === 'fork') crew = [...crew, ...e.children]
      const stamp = 'stamp' in e ? e.stamp : next.operation?.stamp
      if (stamp !== undefined && found(e, stamp)) return
    }
  }
}

// ---------------------------------------------------------------- the list

/** What stands behind the waits of a machine in which nothing can move. `waits`: its blocked events (`blockedEvents`). */
export const aheadOf = (world: World, m: Machine, waits: ReadonlyArray<LogEvent>): ReadonlyArray<Ahead> =>
  m.agents.flatMap((a, behind): ReadonlyArray<Ahead> => {
    if (a.status !== 'running') return []
    const out: Ahead[] = []
    // branches that have not ended: what stands behind the wait of one is told of it, until its parent has joined it
    let others = crewOf(m, behind).filter((x) => x !== behind && m.agents[x]!.status === 'running')
    const announced = new Map<number, number>()
    const announce = (barrier: number, bytes: number): void => {
      announced.set(barrier, (announced.get(barrier) ?? 0) + bytes)
    }
    within(world.effort, ticks, () => {
      goOn(world, m, behind, (e, stamp) => {
        if (e._tag === 'join' && stamp.agent === behind) others = []
        if (others.includes(stamp.agent)) return false
        for (const waiting of waits) {
          if (!('stamp' in waiting) || out.some((x) => x.helps === waiting.stamp.agent)) continue
          if (helps(world, m, waiting, e, stamp.agent, announced))
            out.push({ _tag: 'ahead', stamp, behind, helps: waiting.stamp.agent })
        }
        if (e._tag === 'barrier') announce(e.barrier, e.bytes)
        else if (e._tag === 'signal' && e.to === 'barrier') announce(e.barrier, -e.bytes)
        return out.length === waits.length
      })
    })
    return out
  })
