/**
 * Views as bits: where each view lies in one array of words, and how bits go from one to the other.
 *
 * A search holds as many views as it has states, so a view is no object: all masks of agents and barriers lie side by side in one array, copied once an event and compared
 * word by word. Operations in flight and meetings come and go, and are short lists beside it.
 *
 *     agent 0: generic async tensor ... bar | agent 1: ... | barrier 0: current far done done-far | ... | shared | counters | flags
 *
 * Law 1. Registers belong to one agent, so `tell` leaves them out.
 */
import type { InFlight } from '../../machine/operation.js'
import type { Machine } from '../../machine/state.js'
import type { World } from '../../machine/world.js'
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

// ---------------------------------------------------------------- layout

export const GENERIC = 0
export const ASYNC = 1
export const TENSOR = 2
export const PUBLISHED = 3
export const RECEIVED = 4
export const QUEUE = 5
export const STORED = 6
export const LOADED = 7
export const COPIED = 8
export const RELEASED = 9
export const MAPS = 10
export const MADE = 11
export const FENCED = 12
export const BAR = 13

/** Masks of a message: generic, async, tensor, released, maps. */
export const perMessage = 5
export const TENSOR_PART = 2
const perAgent = BAR + perMessage

// what agents of the barrier's CTA tell, and what those of others tell to waits of a wider scope
export const CURRENT = 0
export const FAR: number = perMessage
export const DONE: number = 2 * perMessage
export const DONE_FAR: number = 3 * perMessage
export const perBarrier: number = 4 * perMessage

// after those that a write clears
export const LANDED = 0
export const LANDED_OTHER = 1
export const BY_GENERIC = 2
// written by an atomic access that reaches at least its CTA, its cluster, everybody
export const BY_ATOMIC = 3
export const WRITTEN = 6
const shared = 7

// per agent, then per barrier, one word each
export const BULK_GROUPS = 0
export const COPY_GROUPS = 1
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

export const layoutOf = (world: World, p: Places): Layout => {
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

export const flight = (f: Flight, landed: boolean, mask: Mask, tensor: Mask, own: Mask): Flight => ({
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

export const meeting = (
  place: number,
  turn: number,
  joined: ReadonlyArray<number>,
  message: ReadonlyArray<Mask>,
): Meeting => ({ place, turn, joined, message })

/** By agent, program-order index and part; those that are alike in these as they were issued. */
export const compared = (a: Flight, b: Flight): number => a.agent - b.agent || a.at - b.at || a.part - b.part

// ---------------------------------------------------------------- one event

/** The next views, under construction. */
export interface Draft {
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

export const agentAt = (d: Draft, x: number, view: number): number => (x * perAgent + view) * d.layout.width
export const barrierAt = (d: Draft, b: number, view: number): number =>
  (d.layout.agents * perAgent + b * perBarrier + view) * d.layout.width
export const sharedAt = (d: Draft, view: number): number => d.layout.common + view * d.layout.width
export const countAt = (d: Draft, x: number, which: number): number => d.layout.counts + x * counters + which

export const copyOf = (d: Draft, at: number): Mask => d.words.slice(at, at + d.layout.width)
export const add = (d: Draft, to: number, from: number): void => {
  for (let k = 0; k < d.layout.width; k++) d.words[to + k]! |= d.words[from + k]!
}
/** Without registers: those are of one agent. */
export const tell = (d: Draft, to: number, from: number): void => {
  const { regs } = d.places
  for (let k = 0; k < d.layout.width; k++) d.words[to + k]! |= d.words[from + k]! & ~regs[k]!
}
export const addMask = (d: Draft, to: number, mask: Mask): void => {
  for (let k = 0; k < d.layout.width; k++) d.words[to + k]! |= mask[k]!
}
export const addWithin = (d: Draft, to: number, from: number, mask: Mask): void => {
  for (let k = 0; k < d.layout.width; k++) d.words[to + k]! |= d.words[from + k]! & mask[k]!
}
export const zero = (d: Draft, at: number, masks: number = 1): void => {
  d.words.fill(0, at, at + masks * d.layout.width)
}
export const fault = (d: Draft, what: ViewFault): void => {
  if (!d.faults.includes(what)) d.faults.push(what)
}
export const within = (mask: Mask, kept: Mask): Mask => mask.map((w, k) => w & kept[k]!)
export const without = (mask: Mask, gone: Mask): Mask => {
  let k = 0
  while (k < mask.length && (mask[k]! & gone[k]!) === 0) k++
  return k === mask.length ? mask : mask.map((w, i) => w & ~gone[i]!)
}

export const flightOf = (d: Draft, id: number, part: number): Flight | undefined =>
  d.flights.find((f) => f.id === id && f.part === part) ?? d.flights.find((f) => f.id === id)

export const replace = (d: Draft, old: Flight, by: Flight | null): void => {
  d.flights = d.flights.flatMap((f) => (f === old ? (by === null ? [] : [by]) : [f]))
}

export const plus = (mask: Mask, more: Mask): Mask => mask.map((w, k) => w | more[k]!)

export const ctaOf = (d: Draft, x: number): number => d.world.header.agents[x]!.cta
