/**
 * Touches: what an event reads, writes, counts and waits for.
 *
 *     event                                  touches
 *     store to a slot                        write of its bytes
 *     the box of a TMA load arrives          read of global memory, write of the slot
 *     its bytes reach the barrier            count 0 arrivals and -bytes
 *     wait for parity 0                      wait
 *     tcgen05.dealloc 128                    write of the columns that it would free now, in both CTAs of a pair; the CTA's allocator changes
 *
 * Each instruction says its own (`family.ts`); `execution/event-effects.ts` says them of the events on offer.
 *
 * Source: the core's own semantics; docs/hazards.md.
 */
import type { Scope } from '../language/instruction.js'
import type { Footprint } from '../log/events.js'
import * as Reach from '../log/reach.js'
import type { Elements, StAsyncInFlight, TmaLoadInFlight } from './operation.js'
import type { World } from './world.js'

// ---------------------------------------------------------------- model

/** `loads`: a load of tensor memory, which a dealloc does not race with. `frees`: a dealloc. */
export interface MemoryTouch {
  readonly _tag: 'memory'
  readonly rw: 'r' | 'w'
  readonly footprint: Footprint
  /** how far it is atomic */
  readonly reach: Reach.Reach
  readonly proxy: 'agent' | 'unit'
  readonly role: 'access' | 'frees'
  /** elements that are one scalar */
  readonly words: number
}
/** `bytes` are added to the transaction count: positive when they are expected, negative when they have come. */
export interface CountTouch {
  readonly _tag: 'count'
  readonly barrier: number
  readonly arrivals: number
  readonly bytes: number
}
export interface WaitTouch {
  readonly _tag: 'wait'
  readonly barrier: number
  readonly parity: 0 | 1
  /** false: it only asks */
  readonly blocks: boolean
}
/** An mbarrier is initialised or given up (`ends`: any other use of it then is wrong), or counts fewer or more from now on. */
export interface LifeTouch {
  readonly _tag: 'life'
  readonly barrier: number
  readonly ends: boolean
}
/** Arrival at a named barrier; `place` tells all of them apart. */
export interface MeetTouch {
  readonly _tag: 'meet'
  readonly place: number
  readonly threads: number
  readonly count: number
}
export interface LeaveTouch {
  readonly _tag: 'leave'
  readonly place: number
}
/**
 * What the machine keeps apart from memory: the tensor memory allocator of a CTA (its number), the tensor maps (`mapTable`), what is granted next,
 * registers, and the order of the atomics of one plane.
 */
export interface TableTouch {
  readonly _tag: 'table'
  readonly table: number
  readonly changes: boolean
}
/** Agents start. */
export interface StartTouch {
  readonly _tag: 'start'
  readonly agents: ReadonlyArray<number>
}

export type Touch =
  MemoryTouch | CountTouch | WaitTouch | LifeTouch | MeetTouch | LeaveTouch | TableTouch | StartTouch

export type Touches = ReadonlyArray<Touch>

// ---------------------------------------------------------------- constructors

const plain = (rw: 'r' | 'w', footprint: Footprint, role: MemoryTouch['role']): Touch => ({
  _tag: 'memory',
  rw,
  footprint,
  reach: 0,
  proxy: 'agent',
  role,
  words: 1,
})
export const memory = (rw: 'r' | 'w', e: Elements): Touch => plain(rw, e.footprint, 'access')
/** What a dealloc gives back. */
export const freed = (footprint: Footprint): Touch => plain('w', footprint, 'frees')
export const read = (e: Elements): Touch => memory('r', e)
export const write = (e: Elements): Touch => memory('w', e)
export const atomic = (
  rw: 'r' | 'w',
  e: Elements,
  scope: Scope,
  proxy: MemoryTouch['proxy'],
  words = 1,
): Touch => ({
  _tag: 'memory',
  rw,
  footprint: e.footprint,
  reach: Reach.reachOf(scope),
  proxy,
  role: 'access',
  words,
})
export const count = (barrier: number, arrivals: number, bytes: number): Touch => ({
  _tag: 'count',
  barrier,
  arrivals,
  bytes,
})
export const mapTable = -1
/** What is granted next, and the registers of a CTA. */
export const grantTable = -2
export const registerTable = -3
/** The atomics of one plane: what one finds there depends on who was first. */
export const atomicTable = (plane: number): number => -4 - plane
export const table = (which: number, changes: boolean): Touch => ({ _tag: 'table', table: which, changes })
export const meet = (place: number, threads: number, of: number): Touch => ({
  _tag: 'meet',
  place,
  threads,
  count: of,
})
export const none: Touches = []

/** A number for the named barrier `id` of a CTA. */
export const placeOf = (cta: number, id: number): number => cta * 32 + id

/** An agent's atomic: of words that are read, joined and written at once. */
export const joined = (e: Elements, scope: Scope, words: number): Touches => [
  atomic('r', e, scope, 'agent', words),
  atomic('w', e, scope, 'agent', words),
  table(atomicTable(e.plane), true),
]

/** A copy reads the tensor map that lies in memory. */
export const ofMap = (map: Elements | null): Touches => (map === null ? none : [read(map)])

export const ofProduct = (
  operands: ReadonlyArray<Elements>,
  accumulators: ReadonlyArray<Elements>,
  accumulates: boolean,
): Touches => [
  ...operands.map(read),
  ...(accumulates ? accumulators.map(read) : []),
  ...accumulators.map(write),
]

/** What comes to a CTA's shared memory: it is written, or joins what is there. */
export const arriving = ({ combine, destination }: TmaLoadInFlight | StAsyncInFlight): Touches =>
  combine === null
    ? [write(destination)]
    : [atomic('r', destination, 'cluster', 'unit'), atomic('w', destination, 'cluster', 'unit')]

/** Elements of tensor memory: whether their columns are there is asked when the instruction executes. */
export const columns = (world: World, es: ReadonlyArray<Elements>): Touches =>
  es.flatMap((e) => {
    const { space, cta } = world.header.planes[e.plane]!
    return space === 'tmem' ? [table(cta ?? 0, false)] : []
  })
