/**
 * Views: who sees the last write of which place.
 *
 * Visibility as an operation on bits. Every view (of an agent through each proxy, of an mbarrier's generation, of a named barrier, of an
 * operation in flight) has one bit a place: "my view shows the last write". A write clears the bit in all views and sets it where it
 * is published; releases, waits and fences copy bits from view to view; an access whose view lacks a bit may find an older value, and that
 * is a visibility hazard. Nothing is counted and nothing is ordered: the bits are part of the machine's state, so two schedules
 * that lead to the same bits are one.
 *
 *     t0: write x; arrive b        t1: wait b; read x        views of x:  t0   b   t1
 *     at first                                                             1   .    1
 *     write x                                                              1   0    0
 *     arrive b (relaxed: b stays 0, and the read is a visibility hazard)   1   1    0
 *     wait b                                                               1   1    1
 *
 * | view                   | holds                                                                        |
 * |------------------------|------------------------------------------------------------------------------|
 * | generic, async, tensor | what the agent's accesses, and those of operations that it issues now, see   |
 * | published, received    | tensor, as of the last before_thread_sync; until the next after_thread_sync  |
 * | queue                  | what its tcgen05 queue has written                                           |
 * | stored, loaded         | what its tcgen05.st and .ld have written, until their wait                   |
 * | released, maps         | tensor maps: as of the last fence of them, and what copies read                |
 * | made, fenced           | the mbarriers that it has initialised, and those of them that it has fenced    |
 * | copied                 | what its cp.async have written, as far as it has waited for them             |
 * | bar                    | what a named barrier tells it, from the end of the generation until it leaves |
 * | current, done          | of an mbarrier: what the generation under way will tell, what the last one tells |
 *
 * A write may go over bits that its view lacks where the old value has *landed*: an agent that sees it has read it since, and it was not
 * written through the generic proxy or is overwritten through the proxy of that read. Registers belong to one agent, so it never
 * tells them to others. Two atomic accesses through one proxy that reach one another hide nothing
 * from each other (of CTA scope in a cluster of several CTAs they are taken to be of one CTA).
 *
 * The initialisation of an mbarrier is such a write, which agents of other CTAs have to see. A fence of it (fence.mbarrier_init) makes relaxed
 * arrives of its agent tell it, too.
 *
 * What else an event does wrong is told here, too: an arrival that a barrier does not count, a barrier that is not there, a read of nothing.
 *
 * Laws
 * 1. Equal machines with equal views have equal futures, and their futures have equal hazards.
 * 2. Events whose touches do not meet (`execution/event-effects.ts`) commute on views.
 *
 * Source: PTX ISA, memory consistency model, proxies, asynchronous operations, mbarrier, tcgen05 memory consistency.
 */
import { unreachable } from '../../../failure.js'
import type { Access, LogEvent, SemaphoreEvent, Signal } from '../../log/events.js'
import { reachOf } from '../../log/reach.js'
import { units, type UnitRow } from '../../log/units.js'
import type { InFlight } from '../../machine/operation.js'
import type { Machine } from '../../machine/state.js'
import type { World } from '../../machine/world.js'
import { clusterPlaceOf, isClusterPlace } from '../../instructions/rendezvous.js'
import { placeOf } from '../../machine/touches.js'
import type { Mask, Places } from './places.js'

// ---------------------------------------------------------------- model

/** An operation in flight, or a store or copy that has landed and has not been waited for. */
export interface Flight {
  readonly id: number
  readonly agent: number
  readonly at: number
  readonly part: number
  readonly tag: InFlight['_tag']
  readonly group: number
  readonly landed: boolean
  /** what it saw at its issue: through its own proxy, and of tensor memory (a copy: of tensor maps) */
  readonly mask: Mask
  readonly tensor: Mask
  /** what it has written, or an arrival will tell */
  readonly own: Mask
}

/** A named barrier some agents have arrived at. */
export interface Meeting {
  readonly place: number
  /** at the barrier of a cluster: which arrival of its agents it is; 0 at others */
  readonly turn: number
  /** those that have still to leave */
  readonly joined: ReadonlyArray<number>
  /** what it tells: as many masks as a message has */
  readonly message: ReadonlyArray<Mask>
}

export interface Views {
  /** all masks of agents and barriers, side by side */
  readonly words: Int32Array
  /** by agent, program-order index and part */
  readonly flights: ReadonlyArray<Flight>
  /** by place */
  readonly meetings: ReadonlyArray<Meeting>
}

export type ViewFault = 'visibility' | 'unwritten' | 'lifecycle' | 'overrun' | 'unobserved'

/** What the event did to the views, and what was wrong with it. */
export interface Seen {
  readonly views: Views
  readonly faults: ReadonlyArray<ViewFault>
}

// ---------------------------------------------------------------- layout

const GENERIC = 0
const ASYNC = 1
const TENSOR = 2
const PUBLISHED = 3
const RECEIVED = 4
const QUEUE = 5
const STORED = 6
const LOADED = 7
const COPIED = 8
const RELEASED = 9
const MAPS = 10
const MADE = 11
const FENCED = 12
const BAR = 13

/** Masks of a message: generic, async, tensor, released, maps. */
const perMessage = 5
const TENSOR_PART = 2
const perAgent = BAR + perMessage

// what agents of the barrier's CTA tell, and what those of others tell to waits of a wider scope
const CURRENT = 0
const FAR = perMessage
const DONE = 2 * perMessage
const DONE_FAR = 3 * perMessage
const perBarrier = 4 * perMessage

// after those that a write clears
const LANDED = 0
const LANDED_OTHER = 1
const BY_GENERIC = 2
// written by an atomic access that reaches at least its CTA, its cluster, everybody
const BY_ATOMIC = 3
const WRITTEN = 6
const shared = 7

// per agent, then per barrier, one word each
const BULK_GROUPS = 0
const COPY_GROUPS = 1
const counters = 2

/** Where things lie in `words`. */
interface Layout {
  readonly width: number
  readonly agents: number
  readonly barriers: number
  readonly common: number
  readonly counts: number
  readonly flags: number
  readonly size: number
}

const layoutOf = (world: World, p: Places): Layout => {
  const agents = world.header.agents.length
  const barriers = world.header.barriers.length
  const common = (agents * perAgent + barriers * perBarrier) * p.width
  const counts = common + shared * p.width
  const flags = counts + agents * counters
  return { width: p.width, agents, barriers, common, counts, flags, size: flags + barriers }
}

// ---------------------------------------------------------------- constructors

/** Before anything has happened everybody sees everything. */
export const start = (world: World, p: Places): Views => {
  const l = layoutOf(world, p)
  const words = new Int32Array(l.size)
  for (let x = 0; x < l.agents; x++)
    for (const view of [GENERIC, ASYNC, TENSOR, PUBLISHED, RELEASED, MAPS])
      words.set(p.all, (x * perAgent + view) * l.width)
  words.set(p.initialised, l.common + WRITTEN * l.width)
  return { words, flights: [], meetings: [] }
}

const flight = (f: Flight, landed: boolean, mask: Mask, tensor: Mask, own: Mask): Flight => ({
  id: f.id,
  agent: f.agent,
  at: f.at,
  part: f.part,
  tag: f.tag,
  group: f.group,
  landed,
  mask,
  tensor,
  own,
})

const meeting = (
  place: number,
  turn: number,
  joined: ReadonlyArray<number>,
  message: ReadonlyArray<Mask>,
): Meeting => ({ place, turn, joined, message })

/** By agent, program-order index and part; those that are alike in these as they were issued. */
const compared = (a: Flight, b: Flight): number => a.agent - b.agent || a.at - b.at || a.part - b.part

// ---------------------------------------------------------------- one event

/** The next views, under construction. */
interface Draft {
  readonly world: World
  readonly places: Places
  readonly layout: Layout
  readonly before: Machine
  readonly after: Machine
  readonly words: Int32Array
  flights: ReadonlyArray<Flight>
  meetings: ReadonlyArray<Meeting>
  readonly faults: ViewFault[]
  /** of the operation that performs */
  part: number
}

const agentAt = (d: Draft, x: number, view: number): number => (x * perAgent + view) * d.layout.width
const barrierAt = (d: Draft, b: number, view: number): number =>
  (d.layout.agents * perAgent + b * perBarrier + view) * d.layout.width
const sharedAt = (d: Draft, view: number): number => d.layout.common + view * d.layout.width
const countAt = (d: Draft, x: number, which: number): number => d.layout.counts + x * counters + which

const copyOf = (d: Draft, at: number): Mask => d.words.slice(at, at + d.layout.width)
const add = (d: Draft, to: number, from: number): void => {
  for (let k = 0; k < d.layout.width; k++) d.words[to + k]! |= d.words[from + k]!
}
/** Without registers: those are of one agent. */
const tell = (d: Draft, to: number, from: number): void => {
  const { regs } = d.places
  for (let k = 0; k < d.layout.width; k++) d.words[to + k]! |= d.words[from + k]! & ~regs[k]!
}
const addMask = (d: Draft, to: number, mask: Mask): void => {
  for (let k = 0; k < d.layout.width; k++) d.words[to + k]! |= mask[k]!
}
const addWithin = (d: Draft, to: number, from: number, mask: Mask): void => {
  for (let k = 0; k < d.layout.width; k++) d.words[to + k]! |= d.words[from + k]! & mask[k]!
}
const zero = (d: Draft, at: number, masks: number = 1): void => {
  d.words.fill(0, at, at + masks * d.layout.width)
}
const fault = (d: Draft, what: ViewFault): void => {
  if (!d.faults.includes(what)) d.faults.push(what)
}
const within = (mask: Mask, kept: Mask): Mask => mask.map((w, k) => w & kept[k]!)
const without = (mask: Mask, gone: Mask): Mask => {
  let k = 0
  while (k < mask.length && (mask[k]! & gone[k]!) === 0) k++
  return k === mask.length ? mask : mask.map((w, i) => w & ~gone[i]!)
}

const flightOf = (d: Draft, id: number, part: number): Flight | undefined =>
  d.flights.find((f) => f.id === id && f.part === part) ?? d.flights.find((f) => f.id === id)

const replace = (d: Draft, old: Flight, by: Flight | null): void => {
  d.flights = d.flights.flatMap((f) => (f === old ? (by === null ? [] : [by]) : [f]))
}

// ---------------------------------------------------------------- issue

/** What an operation sees, it sees when it is issued. */
const issue = (d: Draft, f: InFlight): void => {
  const x = f.agent
  const { none } = d.places
  const generic = agentAt(d, x, GENERIC)
  const async = agentAt(d, x, ASYNC)
  const tensor = agentAt(d, x, TENSOR)
  const put = (part: number, group: number, mask: Mask, ofTensor: Mask, own: Mask): void => {
    const made: Flight = {
      id: f.id,
      agent: x,
      at: f.at,
      part,
      tag: f._tag,
      group,
      landed: false,
      mask,
      tensor: ofTensor,
      own,
    }
    d.flights = [...d.flights, made].sort(compared)
  }
  switch (f._tag) {
    case 'tmaLoad':
      put(f.part, 0, copyOf(d, async), copyOf(d, agentAt(d, x, MAPS)), none)
      return
    case 'clc':
      put(f.part, 0, copyOf(d, async), none, none)
      return
    case 'tmaStore':
      put(f.part, f.group, copyOf(d, async), copyOf(d, agentAt(d, x, MAPS)), none)
      return
    case 'stAsync':
      put(0, 0, copyOf(d, generic), none, none)
      return
    case 'cpAsync':
      put(0, f.group, copyOf(d, generic), none, none)
      return
    case 'cpAsyncArrive': {
      const own = copyOf(d, agentAt(d, x, COPIED))
      for (const g of d.flights)
        if (g.agent === x && g.tag === 'cpAsync') for (let k = 0; k < own.length; k++) own[k]! |= g.own[k]!
      put(0, 0, none, none, own)
      return
    }
    case 'wgmma':
      put(0, f.group, copyOf(d, async), none, none)
      return
    case 'tcgen05':
    case 'tcgen05Copy':
      put(0, 0, copyOf(d, async), copyOf(d, tensor), none)
      return
    case 'tcgen05Commit':
      put(f.part, 0, within(copyOf(d, async), d.places.initialisations), none, none)
      return
    case 'tcgen05Ld':
    case 'tcgen05St':
      put(0, 0, copyOf(d, generic), copyOf(d, tensor), none)
      return
    default:
      unreachable(f)
  }
}

// ---------------------------------------------------------------- accesses

/** A read that sees places shows that they have landed. */
const saw = (d: Draft, mask: Mask, generic: boolean): void => {
  const any = sharedAt(d, LANDED)
  const other = sharedAt(d, LANDED_OTHER)
  const by = sharedAt(d, BY_GENERIC)
  for (let k = 0; k < mask.length; k++) {
    const anyone = mask[k]! & ~d.words[by + k]!
    d.words[any + k]! |= anyone | (generic ? mask[k]! : 0)
    d.words[other + k]! |= anyone | (generic ? 0 : mask[k]!)
  }
}

const wrote = (d: Draft, mask: Mask, generic: boolean, reach: number): void => {
  const { width, common } = d.layout
  const views = common / width
  for (let k = 0; k < width; k++) {
    const gone = mask[k]!
    if (gone === 0) continue
    for (let v = 0; v < views; v++) d.words[v * width + k]! &= ~gone
    d.words[sharedAt(d, LANDED) + k]! &= ~gone
    d.words[sharedAt(d, LANDED_OTHER) + k]! &= ~gone
    if (generic) d.words[sharedAt(d, BY_GENERIC) + k]! |= gone
    else d.words[sharedAt(d, BY_GENERIC) + k]! &= ~gone
    for (let r = 0; r < 3; r++)
      if (r < reach) d.words[sharedAt(d, BY_ATOMIC + r) + k]! |= gone
      else d.words[sharedAt(d, BY_ATOMIC + r) + k]! &= ~gone
    d.words[sharedAt(d, WRITTEN) + k]! |= gone
  }
  d.flights = d.flights.map((f) =>
    flight(f, f.landed, without(f.mask, mask), without(f.tensor, mask), without(f.own, mask)),
  )
  d.meetings = d.meetings.map((m) =>
    meeting(
      m.place,
      m.turn,
      m.joined,
      m.message.map((told) => without(told, mask)),
    ),
  )
}

/** Where what an operation writes is kept until an agent may see it. */
const homeOf = (tag: InFlight['_tag']): UnitRow['home'] | 'none' => {
  switch (tag) {
    case 'tcgen05Copy':
      return units.tcgen05.home
    case 'cpAsyncArrive':
    case 'tcgen05Commit':
      return 'none'
    case 'stAsync':
    case 'cpAsync':
    case 'wgmma':
    case 'tcgen05Ld':
    case 'tcgen05St':
    case 'tmaLoad':
    case 'tmaStore':
    case 'tcgen05':
    case 'clc':
      return units[tag].home
  }
}

const plus = (mask: Mask, more: Mask): Mask => mask.map((w, k) => w | more[k]!)

/** Where a write is seen from the first. */
const publish = (d: Draft, x: number, f: Flight | undefined, mask: Mask): void => {
  if (f === undefined) {
    addMask(d, agentAt(d, x, GENERIC), mask)
    return
  }
  switch (homeOf(f.tag)) {
    case 'flight':
      replace(d, f, flight(f, f.landed, f.mask, f.tensor, plus(f.own, mask)))
      return
    case 'copies':
      // and arrivals that wait for this copy
      d.flights = d.flights.map((g) =>
        g === f || (g.tag === 'cpAsyncArrive' && g.agent === x && g.at > f.at)
          ? flight(g, g.landed, g.mask, g.tensor, plus(g.own, mask))
          : g,
      )
      return
    case 'products':
      addMask(d, agentAt(d, x, GENERIC), mask)
      addMask(d, agentAt(d, x, ASYNC), mask)
      // registers are of one agent, so no other's products look there
      d.flights = d.flights.map((g) =>
        g.tag === 'wgmma' ? flight(g, g.landed, plus(g.mask, mask), g.tensor, g.own) : g,
      )
      return
    case 'queue':
      addMask(d, agentAt(d, x, QUEUE), mask)
      return
    case 'stored':
      addMask(d, agentAt(d, x, STORED), mask)
      return
    case 'loaded':
      addMask(d, agentAt(d, x, LOADED), mask)
      return
    case 'none':
      return
  }
}

const access = (d: Draft, e: Access): void => {
  const mask = d.places.masks.get(e.footprint.id)
  for (const b of d.places.under.get(e.footprint.id) ?? []) {
    if (d.before.barriers[b] !== null) fault(d, 'lifecycle')
    else if (d.words[d.layout.flags + b] === 2) fault(d, 'unobserved')
  }
  if (mask === undefined) return
  const x = e.stamp.agent
  const flying = (): Flight | undefined =>
    e.operation === undefined ? undefined : flightOf(d, e.operation, d.part)
  const f = flying()
  const generic = e.proxy === 'generic'
  const own = agentAt(d, x, GENERIC)
  const queue = agentAt(d, x, QUEUE)
  const queued = f?.tag === 'tcgen05' || f?.tag === 'tcgen05Copy'
  const landed = sharedAt(d, generic ? LANDED : LANDED_OTHER)
  const reach = e.atomic ? reachOf(e.scope) : 0
  // with one cluster, with one CTA, a narrower reach is as good
  const needed = d.world.resident > 1 ? 3 : d.world.header.ctas > 1 ? 2 : 1
  const atomically = sharedAt(d, BY_ATOMIC + Math.min(reach, needed) - 1)
  const byGeneric = sharedAt(d, BY_GENERIC)
  const written = sharedAt(d, WRITTEN)
  const found = new Int32Array(mask.length)
  let hidden = false
  let nothing = false
  for (let k = 0; k < mask.length; k++) {
    const view =
      f === undefined
        ? d.words[own + k]!
        : e.proxy === 'tensor'
          ? f.tensor[k]! | (queued ? d.words[queue + k]! : 0)
          : e.proxy === 'tensormap'
            ? (f.tensor[k]! & d.words[byGeneric + k]!) | (f.mask[k]! & ~d.words[byGeneric + k]!)
            : f.mask[k]!
    // an atomic access finds what another has left, if they go through one proxy
    const same = generic ? d.words[byGeneric + k]! : ~d.words[byGeneric + k]!
    const seen = view | (reach > 0 ? d.words[atomically + k]! & same : 0)
    found[k] = mask[k]! & seen
    const missing = mask[k]! & ~seen
    if ((e.rw === 'r' ? missing : missing & ~d.words[landed + k]!) !== 0) hidden = true
    if (e.rw === 'r' && (mask[k]! & ~d.words[written + k]!) !== 0) nothing = true
  }
  if (nothing) fault(d, 'unwritten')
  else if (hidden) fault(d, 'visibility')
  if (e.rw === 'r') saw(d, found, generic)
  else {
    wrote(d, mask, generic, reach)
    publish(d, x, flying(), mask)
  }
}

// ---------------------------------------------------------------- barriers

/** An event of a barrier has added what it tells; a generation that it completes is told from now on. */
const reached = (d: Draft, b: number): void => {
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
const uses = (d: Draft, x: number, b: number, sees: (k: number) => number): void => {
  const life = d.places.lives[b] ?? null
  if (life === null || d.world.header.barriers[b]!.cta === ctaOf(d, x)) return
  for (let k = 0; k < life.length; k++) if ((life[k]! & ~sees(k)) !== 0) fault(d, 'visibility')
}

const signal = (d: Draft, e: Signal): void => {
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
const collect = (
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
const isUnobserved = (d: Draft, b: number): boolean => {
  const s = d.before.barriers[b] ?? null
  return (
    d.world.header.barriers[b]!.contract === 'pallas' &&
    s !== null &&
    (d.words[d.layout.flags + b] === 1 || s.pending !== s.expected || s.tx !== 0)
  )
}

// ---------------------------------------------------------------- rendezvous

/** The views of an agent that a release tells, in the order of a message. */
const toldBy = (d: Draft, x: number, tensor: boolean): ReadonlyArray<number> => [
  agentAt(d, x, GENERIC),
  agentAt(d, x, ASYNC),
  agentAt(d, x, tensor ? TENSOR : PUBLISHED),
  agentAt(d, x, RELEASED),
  agentAt(d, x, MAPS),
]
/** And those that an acquire adds them to. */
const heardBy = (d: Draft, x: number): ReadonlyArray<number> => [
  agentAt(d, x, GENERIC),
  agentAt(d, x, ASYNC),
  agentAt(d, x, RECEIVED),
  agentAt(d, x, RELEASED),
  agentAt(d, x, MAPS),
]

/** A message that lies in `words`. */
const receive = (d: Draft, x: number, from: number, tensor: boolean): void => {
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
const join = (d: Draft, x: number, place: number, tensor: boolean): void => {
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
const joinCluster = (d: Draft, x: number, place: number, relaxed: boolean, tensor: boolean): void => {
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

const leaveCluster = (d: Draft, x: number, place: number, relaxed: boolean, tensor: boolean): void => {
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
const semaphore = (d: Draft, e: SemaphoreEvent): void => {
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

// ---------------------------------------------------------------- events

const ctaOf = (d: Draft, x: number): number => d.world.header.agents[x]!.cta

const event = (d: Draft, e: LogEvent): void => {
  switch (e._tag) {
    case 'access':
      access(d, e)
      return
    case 'perform':
      d.part = e.part
      return
    case 'signal':
      signal(d, e)
      return
    case 'barrier': {
      const x = e.stamp.agent
      const b = e.barrier
      const flag = d.layout.flags + b
      const near = d.world.header.barriers[b]!.cta === ctaOf(d, x)
      if (e.kind !== 'init' && e.kind !== 'inval') uses(d, x, b, (k) => d.words[agentAt(d, x, GENERIC) + k]!)
      switch (e.kind) {
        case 'increment':
          if (d.before.barriers[b] === null) fault(d, 'lifecycle')
          return
        case 'init':
          if (d.before.barriers[b] !== null) fault(d, 'lifecycle')
          if (d.words[flag] === 2) fault(d, 'unobserved')
          zero(d, barrierAt(d, b, CURRENT), perBarrier)
          d.words[flag] = 0
          if (d.places.lives[b] != null) {
            wrote(d, d.places.lives[b], true, 0)
            for (const view of [GENERIC, ASYNC, MADE]) addMask(d, agentAt(d, x, view), d.places.lives[b])
          }
          return
        case 'inval':
          if (d.before.barriers[b] === null) fault(d, 'lifecycle')
          d.words[flag] = isUnobserved(d, b) ? 2 : 0
          return
        case 'expect':
        case 'arrive':
        case 'drop':
          if (e.release && (near || e.scope !== 'cta'))
            toldBy(d, x, e.tensor).forEach((from, k) => {
              tell(d, barrierAt(d, b, (near ? CURRENT : FAR) + k), from)
            })
          else if (near || e.scope !== 'cta')
            for (const view of [GENERIC, ASYNC])
              add(d, barrierAt(d, b, (near ? CURRENT : FAR) + view), agentAt(d, x, FENCED))
          reached(d, b)
          return
      }
      return
    }
    case 'wait':
      if (e.outcome !== 'passed') return
      if (d.words[d.layout.flags + e.barrier] === 1) d.words[d.layout.flags + e.barrier] = 0
      if (e.acquire) receive(d, e.stamp.agent, barrierAt(d, e.barrier, DONE), e.tensor)
      if (e.acquire && e.scope !== 'cta')
        receive(d, e.stamp.agent, barrierAt(d, e.barrier, DONE_FAR), e.tensor)
      return
    case 'group': {
      const x = e.stamp.agent
      if (e.kind === 'commit') {
        if (e.family === 'bulk') d.words[countAt(d, x, BULK_GROUPS)]! += 1
        if (e.family === 'cpAsync') d.words[countAt(d, x, COPY_GROUPS)]! += 1
        return
      }
      switch (e.family) {
        case 'bulk':
          if (!e.read)
            collect(d, x, 'tmaStore', d.words[countAt(d, x, BULK_GROUPS)]! - e.pending, [GENERIC, ASYNC])
          return
        case 'cpAsync':
          collect(d, x, 'cpAsync', d.words[countAt(d, x, COPY_GROUPS)]! - e.pending, [GENERIC, COPIED])
          return
        case 'tcgen05Ld':
          add(d, agentAt(d, x, GENERIC), agentAt(d, x, LOADED))
          zero(d, agentAt(d, x, LOADED))
          return
        case 'tcgen05St':
          add(d, agentAt(d, x, TENSOR), agentAt(d, x, STORED))
          zero(d, agentAt(d, x, STORED))
          return
        case 'wgmma':
          return
      }
      return
    }
    case 'fence': {
      const x = e.stamp.agent
      const { smem, gmem, regs } = d.places
      switch (e.kind) {
        // a search stops before them (`search.ts`)
        case 'memory':
          return
        case 'proxyAsync':
          addWithin(d, agentAt(d, x, ASYNC), agentAt(d, x, GENERIC), e.scope === 'global' ? gmem : smem)
          return
        case 'wgmma':
          addWithin(d, agentAt(d, x, ASYNC), agentAt(d, x, GENERIC), regs)
          return
        case 'tensorBefore':
          d.words.copyWithin(
            agentAt(d, x, PUBLISHED),
            agentAt(d, x, TENSOR),
            agentAt(d, x, TENSOR) + d.layout.width,
          )
          return
        case 'tensorAfter':
          add(d, agentAt(d, x, TENSOR), agentAt(d, x, RECEIVED))
          return
        case 'tensormap':
          add(d, agentAt(d, x, RELEASED), agentAt(d, x, GENERIC))
          return
        case 'tensormapAcquire':
          addWithin(
            d,
            agentAt(d, x, MAPS),
            agentAt(d, x, RELEASED),
            e.footprint === undefined ? d.places.all : (d.places.masks.get(e.footprint.id) ?? d.places.none),
          )
          return
        case 'mbarrierInit':
          add(d, agentAt(d, x, FENCED), agentAt(d, x, MADE))
          return
      }
      return
    }
    case 'rendezvous': {
      const x = e.stamp.agent
      const relaxed = e.relaxed === true
      const tensor = e.tensor === true
      const cluster = clusterPlaceOf(d.world, x)
      const meetsCluster = isClusterPlace(e.id)
      if (e.kind === 'arrive' && meetsCluster) joinCluster(d, x, cluster, relaxed, tensor)
      else if (e.kind === 'arrive') join(d, x, placeOf(ctaOf(d, x), e.id), tensor)
      else if (e.kind === 'leave' && meetsCluster) leaveCluster(d, x, cluster, relaxed, tensor)
      else if (e.kind === 'leave') {
        receive(d, x, agentAt(d, x, BAR), tensor)
        zero(d, agentAt(d, x, BAR), perMessage)
      }
      return
    }
    case 'fork':
    case 'join':
      for (const child of e.children) {
        const [from, to] = e._tag === 'fork' ? [e.stamp.agent, child] : [child, e.stamp.agent]
        const heard = heardBy(d, to)
        toldBy(d, from, false).forEach((at, k) => {
          add(d, heard[k]!, at)
        })
      }
      return
    case 'semaphore':
      semaphore(d, e)
      return
    // programs of warps alone have them
    case 'warpSync':
    case 'registers':
    case 'issue':
    case 'alloc':
    case 'dealloc':
    case 'relinquish':
    case 'exit':
    case 'cluster':
    case 'ahead':
      return
    default:
      unreachable(e)
  }
}

/** The views after an event that took `before` to `after` and said `events`. */
export const follow = (
  world: World,
  places: Places,
  views: Views,
  before: Machine,
  after: Machine,
  events: ReadonlyArray<LogEvent>,
): Seen => {
  const d: Draft = {
    world,
    places,
    layout: layoutOf(world, places),
    before,
    after,
    words: views.words.slice(),
    flights: views.flights,
    meetings: views.meetings,
    faults: [],
    part: 0,
  }
  for (const e of events) event(d, e)
  for (const f of after.inFlight) if (f.id >= before.issued) issue(d, f)
  // what is over and has nothing to be waited for: a commit that has told all its barriers, a product
  d.flights = d.flights.filter((f) => f.landed || after.inFlight.some((g) => g.id === f.id))
  return { views: { words: d.words, flights: d.flights, meetings: d.meetings }, faults: d.faults }
}

// ---------------------------------------------------------------- keys

/** Words in order; zeros in a row are one, and how many. With many barriers nearly all are: so a key is as long as what is seen. */
const writeWords = (words: Views['words'], out: number[]): void => {
  for (let k = 0; k < words.length; k++) {
    const word = words[k]!
    out.push(word)
    if (word !== 0) continue
    const from = k
    while (k + 1 < words.length && words[k + 1] === 0) k++
    out.push(k - from)
  }
}

/** Says the views in numbers, without the names that depend on the schedule (`Flight.id`). */
export const writeKey = (v: Views, out: number[]): void => {
  writeWords(v.words, out)
  const mask = (m: Mask): void => {
    for (let k = 0; k < m.length; k++) out.push(m[k]!)
  }
  out.push(v.flights.length)
  for (const f of v.flights) {
    out.push(f.agent, f.at, f.part, f.landed ? 1 : 0)
    mask(f.mask)
    mask(f.tensor)
    mask(f.own)
  }
  out.push(v.meetings.length)
  for (const m of v.meetings) {
    out.push(m.place, m.turn, m.joined.length)
    for (const x of m.joined) out.push(x)
    m.message.forEach(mask)
  }
}
