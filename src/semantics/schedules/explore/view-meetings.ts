/**
 * Meetings: how bits go from agent to agent, over mbarriers, named barriers, the barrier of a cluster, and semaphores.
 *
 * What is told over one of them is a *message*: as many masks as an agent has views that a release publishes. An mbarrier collects messages of the generation under way,
 * and tells them from its completion on. At a named barrier the message of all is given to each who leaves.
 *
 *     arrive (release): agent -> current        completion: current -> done        wait (acquire): done -> agent
 *
 * Laws
 * 1. A relaxed arrival tells nothing but fenced initialisations.
 * 2. Who leaves a barrier hears all who had to come.
 */
import type { Access, SemaphoreEvent, Signal } from '../../log/events.js'
import { reachOf } from '../../log/reach.js'
import type { InFlight } from '../../machine/operation.js'
import type { Machine } from '../../machine/state.js'
import { placeOf } from '../../machine/touches.js'
import {
  fault,
  barrierAt,
  CURRENT,
  DONE,
  perMessage,
  zero,
  ctaOf,
  flightOf,
  addMask,
  GENERIC,
  ASYNC,
  replace,
  tell,
  TENSOR_PART,
  agentAt,
  QUEUE,
  flight,
  TENSOR,
  PUBLISHED,
  RELEASED,
  MAPS,
  RECEIVED,
  add,
  meeting,
  BAR,
  copyOf,
  FENCED,
  plus,
  type Draft,
  type Meeting,
} from './view-bits.js'
import { access } from './view-accesses.js'

// ---------------------------------------------------------------- barriers

/** An event of a barrier has added what it tells; a generation that it completes is told from now on. */
export const reached = (d: Draft, b: number): void => {
  const before = d.before.barriers[b] ?? null
  const after = d.after.barriers[b] ?? null
  if (before === null) fault(d, 'lifecycle')
  else if (after === before) fault(d, 'overrun')
  else if (after?.completed !== before.completed) {
    const { width } = d.layout
    const current = barrierAt(d, b, CURRENT)
    d.words.copyWithin(barrierAt(d, b, DONE), current, current + 2 * perMessage * width)
    zero(d, current, 2 * perMessage)
    d.words[d.layout.flags + b] = 1
  }
}

/** A barrier of another CTA is used, by what sees this much: its initialisation has to be there. */
export const uses = (d: Draft, x: number, b: number, sees: (k: number) => number): void => {
  const life = d.places.lives[b] ?? null
  if (life === null || d.world.header.barriers[b]!.cta === ctaOf(d, x)) return
  for (let k = 0; k < life.length; k++) if ((life[k]! & ~sees(k)) !== 0) fault(d, 'visibility')
}

export const signal = (d: Draft, e: Signal): void => {
  const f = flightOf(d, e.operation, e.part)
  if (f === undefined) return
  if (e.to !== 'group') uses(d, f.agent, e.barrier, (k) => f.mask[k]!)
  switch (e.to) {
    case 'barrier':
      addMask(d, barrierAt(d, e.barrier, CURRENT + GENERIC), f.own)
      addMask(d, barrierAt(d, e.barrier, CURRENT + ASYNC), f.own)
      reached(d, e.barrier)
      replace(d, f, null)
      return
    case 'arrive':
      if (f.tag === 'cpAsyncArrive') addMask(d, barrierAt(d, e.barrier, CURRENT + GENERIC), f.own)
      else tell(d, barrierAt(d, e.barrier, CURRENT + TENSOR_PART), agentAt(d, f.agent, QUEUE))
      reached(d, e.barrier)
      return
    case 'group':
      if (e.side === 'read') return
      replace(
        d,
        f,
        e.family === 'bulk' || e.family === 'cpAsync'
          ? flight(f, true, d.places.none, d.places.none, f.own)
          : null,
      )
      return
  }
}

/** What landed in groups that are waited for. */
export const collect = (
  d: Draft,
  x: number,
  tag: InFlight['_tag'],
  upTo: number,
  views: ReadonlyArray<number>,
): void => {
  d.flights = d.flights.filter((f) => {
    if (!f.landed || f.agent !== x || f.tag !== tag || f.group > upTo) return true
    for (const view of views) addMask(d, agentAt(d, x, view), f.own)
    return false
  })
}

/** Is the barrier given up while its completions, or arrivals at it, were not seen by anybody? */
export const isUnobserved = (d: Draft, b: number): boolean => {
  const s = d.before.barriers[b] ?? null
  return (
    d.world.header.barriers[b]!.contract === 'pallas' &&
    s !== null &&
    (d.words[d.layout.flags + b] === 1 || s.pending !== s.expected || s.tx !== 0)
  )
}

// ---------------------------------------------------------------- rendezvous

/** The views of an agent that a release tells, in the order of a message. */
export const toldBy = (d: Draft, x: number, tensor: boolean): ReadonlyArray<number> => [
  agentAt(d, x, GENERIC),
  agentAt(d, x, ASYNC),
  agentAt(d, x, tensor ? TENSOR : PUBLISHED),
  agentAt(d, x, RELEASED),
  agentAt(d, x, MAPS),
]
/** And those that an acquire adds them to. */
export const heardBy = (d: Draft, x: number): ReadonlyArray<number> => [
  agentAt(d, x, GENERIC),
  agentAt(d, x, ASYNC),
  agentAt(d, x, RECEIVED),
  agentAt(d, x, RELEASED),
  agentAt(d, x, MAPS),
]

/** A message that lies in `words`. */
export const receive = (d: Draft, x: number, from: number, tensor: boolean): void => {
  heardBy(d, x).forEach((to, k) => {
    add(d, to, from + k * d.layout.width)
  })
  if (tensor) add(d, agentAt(d, x, TENSOR), agentAt(d, x, RECEIVED))
}

const generationAt = (m: Machine, place: number): number =>
  m.named.find((n) => placeOf(n.cta, n.id) === place)?.generation ?? 0

/** What is told at a meeting, once this agent has told what it sees. */
const told = (d: Draft, old: Meeting, x: number, joined: ReadonlyArray<number>, tensor: boolean): Meeting => {
  const { regs } = d.places
  const from = toldBy(d, x, tensor)
  return meeting(
    old.place,
    old.turn,
    joined,
    old.message.map((mask, j) => mask.map((w, k) => w | (d.words[from[j]! + k]! & ~regs[k]!))),
  )
}

const meetingAt = (d: Draft, place: number, turn: number): Meeting =>
  d.meetings.find((m) => m.place === place && m.turn === turn) ??
  meeting(
    place,
    turn,
    [],
    Array.from({ length: perMessage }, () => d.places.none),
  )

const replaceMeeting = (d: Draft, now: Meeting, keep: boolean): void => {
  const others = d.meetings.filter((m) => m.place !== now.place || m.turn !== now.turn)
  d.meetings = keep ? [...others, now].sort((p, q) => p.place - q.place || p.turn - q.turn) : others
}

/** An arrival at a named barrier; the one that ends the generation tells all who are to leave. */
export const join = (d: Draft, x: number, place: number, tensor: boolean): void => {
  const old = meetingAt(d, place, 0)
  const ready = d.after.agents[x]!.ready
  const leaves = ready?._tag === 'do' && ready.prepared._tag === 'bar.leave'
  const now = told(d, old, x, leaves ? [...old.joined, x].sort((p, q) => p - q) : old.joined, tensor)
  const over = generationAt(d.after, place) !== generationAt(d.before, place)
  replaceMeeting(d, now, !over)
  if (!over) return
  for (const y of now.joined)
    now.message.forEach((mask, k) => {
      d.words.set(mask, agentAt(d, y, BAR + k))
    })
}

/**
 * Arrivals at a cluster barrier are numbered by their agents; an agent that leaves hears those with its number. None leaves before all have arrived who
 * still can, so a meeting is over with the last who leaves.
 */
export const joinCluster = (d: Draft, x: number, place: number, relaxed: boolean, tensor: boolean): void => {
  const old = meetingAt(d, place, d.after.agents[x]!.groups.cluster)
  const joined = [...old.joined, x].sort((p, q) => p - q)
  const fenced = copyOf(d, agentAt(d, x, FENCED))
  const now = relaxed
    ? meeting(
        old.place,
        old.turn,
        joined,
        old.message.map((mask, j) => (j === GENERIC || j === ASYNC ? plus(mask, fenced) : mask)),
      )
    : told(d, old, x, joined, tensor)
  replaceMeeting(d, now, true)
}

export const leaveCluster = (d: Draft, x: number, place: number, relaxed: boolean, tensor: boolean): void => {
  const of = meetingAt(d, place, d.before.agents[x]!.groups.cluster)
  if (!relaxed) {
    heardBy(d, x).forEach((to, k) => {
      addMask(d, to, of.message[k]!)
    })
    if (tensor) add(d, agentAt(d, x, TENSOR), agentAt(d, x, RECEIVED))
  }
  const now = meeting(
    of.place,
    of.turn,
    of.joined.filter((y) => y !== x),
    of.message,
  )
  replaceMeeting(d, now, now.joined.length > 0)
}

// ---------------------------------------------------------------- semaphores

/** What the signals of an agent have told at one reach, under a number that no barrier has. */
const signalled = (d: Draft, e: SemaphoreEvent, agent: number, reach: number): Meeting =>
  meetingAt(d, -1 - e.footprint.id, agent * 4 + reach)

const counterAccess = (e: SemaphoreEvent, rw: 'r' | 'w'): Access => ({
  _tag: 'access',
  stamp: e.stamp,
  rw,
  proxy: 'generic',
  footprint: e.footprint,
  role: rw === 'r' ? 'source' : 'destination',
  atomic: true,
  scope: e.scope,
})

/** A wait hears all signals so far that reach it and that it reaches. */
export const semaphore = (d: Draft, e: SemaphoreEvent): void => {
  const x = e.stamp.agent
  access(d, counterAccess(e, 'r'))
  if (e.kind === 'signal' || e.decrement) access(d, counterAccess(e, 'w'))
  const reach = reachOf(e.scope)
  if (e.kind === 'signal') {
    replaceMeeting(d, told(d, signalled(d, e, x, reach), x, [], false), true)
    return
  }
  const place = -1 - e.footprint.id
  const cluster = (y: number): number => Math.floor(ctaOf(d, y) / d.world.ctas)
  for (const m of d.meetings) {
    const y = Math.floor(m.turn / 4)
    const narrower = Math.min(reach, m.turn % 4)
    const heard =
      m.place === place &&
      (ctaOf(d, y) === ctaOf(d, x) || (cluster(y) === cluster(x) ? narrower > 1 : narrower > 2))
    if (heard)
      heardBy(d, x).forEach((to, k) => {
        addMask(d, to, m.message[k]!)
      })
  }
}
