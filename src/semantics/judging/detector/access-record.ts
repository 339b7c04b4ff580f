/**
 * One access as the detector remembers it: who made it, through which proxy, and by which clock others know that it is done.
 *
 * An agent's own access is done where its program counter is known to be past it; that of a unit, where the row of the unit says (`log/units.ts`).
 *
 * `known` is the order relation, `seen` the visibility relation, each one comparison.
 *
 * An atomic access has a *reach*: two that reach one another are no conflict, in order or not (`atomicTogether`). If they do not
 * commute (floats added, `add` against `max`), what memory holds afterwards is a matter of their order.
 *
 * Laws
 * 1. `known` and `seen` are monotone in the knowledge, but for the maximum that the weak rule takes.
 * 2. Between two accesses of one in-order unit both hold.
 */
import { isFloat } from '../../../numerics/dtype.js'
import type { ByteTerms, Combine, Footprint, Proxy, Stamp, Unit } from '../../log/events.js'
import { units } from '../../log/units.js'
import * as Ledger from '../../machine/ledger.js'
import * as Reach from '../../log/reach.js'
import type { GenerationSet } from './generation-set.js'
import { has, highest } from './generation-set.js'
import type { Knowledge, Vector } from './knowledge.js'
import { clockOf } from './knowledge.js'
import { lanesCovered } from './near.js'
import type { Place } from './queue.js'
import { valueAt } from './sparse.js'

// ---------------------------------------------------------------- model

/** When an access is done. That of a bulk load is filled in by its signal. */
export interface Completion {
  /** index of a clock of the order vector, -1 while no signal has come */
  clock: number
  at: number
  /** another clock that does as well, at the same `at`; -1 for none */
  readonly alternative: number
  /** the barrier whose generation it is, -1 if the clock is an agent's */
  barrier: number
  generation: number
}

/** Which fence makes a generic write visible to asynchronous units. `afar`: it is of shared memory of another CTA. */
export type FenceKind = 'shared' | 'afar' | 'global' | 'registers'

export interface AccessRecord {
  readonly rw: 'r' | 'w'
  readonly proxy: Proxy
  readonly stamp: Stamp
  readonly unit: Unit | 'agent'
  /** id of the operation, -1 for an agent's own access */
  readonly operation: number
  readonly completion: Completion
  /** its place in an in-order unit, if it has one */
  readonly queue: Place | undefined
  readonly fence: FenceKind
  /** the CTA whose memory it is of, -1 for none */
  readonly home: number
  /** it was judged visible: as a read it shows that what it read had landed */
  readonly sound: boolean
  readonly footprint: Footprint
  /** of a warp: the lanes that make it, and whether as one; 0: the agent acts as one */
  readonly lanes: number
  readonly whole: boolean
  /** up to which of its events all of these lanes knew their warp */
  readonly met: number
  /** how far it is atomic, and of how many elements a scalar is made */
  readonly reach: Reach.Reach
  readonly words: number
  readonly combine: Combine | undefined
  /** it reads and writes at once */
  readonly joins: boolean
  /** it adds, and rounds */
  readonly rounds: boolean
  /** what it finds may decide something */
  readonly decides: boolean
  /** of that a branch or an address comes, and not what memory holds alone */
  readonly controls: boolean
  /** it reads a tensor map, as such */
  readonly map: boolean
  /** CTA of the agent that makes or issued it, and its cluster among those that run together */
  readonly cta: number
  readonly place: number
  /** position in the log */
  readonly when: number
  /** the barrier that the agent waited for last before it (before its issue), -1 for none */
  readonly lastWait: number
  /** and the generation that it observed there, -1 on a fresh barrier */
  readonly lastObserved: number
  /** fences in vain that the agent had executed since its previous asynchronous issue or arrive */
  readonly fencesBefore: number
  /** what its operation knew at its issue, where that is worth keeping */
  readonly order: Vector | undefined
  /** of a read: it may find what nothing has written */
  readonly idle: boolean
  /** of a write what it stores, in a log that says it */
  readonly stored: ByteTerms | undefined
}

// ---------------------------------------------------------------- constructors

export const doneBy = (clock: number, at: number, alternative = -1): Completion => ({
  clock,
  at,
  alternative,
  barrier: -1,
  generation: -1,
})
export const notYet = (): Completion => ({ clock: -1, at: 0, alternative: -1, barrier: -1, generation: -1 })

/** What several lanes do as one, and these as well. */
export const ofMore = (r: AccessRecord, { lanes, met }: AccessRecord): AccessRecord =>
  Object.assign({}, r, { lanes: r.lanes | lanes, met: Math.min(r.met, met) })

/** What some of its lanes do. */
export const ofLanes = (r: AccessRecord, lanes: number): AccessRecord => Object.assign({}, r, { lanes })

export const unsound = (r: AccessRecord): AccessRecord => ({
  rw: r.rw,
  proxy: r.proxy,
  stamp: r.stamp,
  unit: r.unit,
  operation: r.operation,
  completion: r.completion,
  queue: r.queue,
  fence: r.fence,
  home: r.home,
  sound: false,
  footprint: r.footprint,
  lanes: r.lanes,
  whole: r.whole,
  met: r.met,
  reach: r.reach,
  words: r.words,
  combine: r.combine,
  joins: r.joins,
  rounds: r.rounds,
  decides: r.decides,
  controls: r.controls,
  map: r.map,
  cta: r.cta,
  place: r.place,
  when: r.when,
  lastWait: r.lastWait,
  lastObserved: r.lastObserved,
  fencesBefore: r.fencesBefore,
  order: r.order,
  idle: r.idle,
  stored: r.stored,
})

// ---------------------------------------------------------------- destructors

/** It is done before what has this order vector. */
export const known = (order: Vector, c: Completion): boolean =>
  (c.clock >= 0 && valueAt(order, c.clock) >= c.at) ||
  (c.alternative >= 0 && valueAt(order, c.alternative) >= c.at)

/** Have the registers of this tensor-memory load been found to be written? Then it has been read from, whether or not its columns are given up. */
export const isUsed = (order: Vector, load: AccessRecord): boolean =>
  load.unit === 'tcgen05Ld' &&
  valueAt(order, clockOf(units.tcgen05Ld.writes.clock, load.stamp.agent)) >= load.completion.at

const acquired = (set: GenerationSet, generation: number, byMaximum: boolean): boolean =>
  byMaximum ? highest(set) >= generation : has(set, generation)

/** The fenced clock that stands for the program counter of the writer. */
export const fencedClock = (r: AccessRecord): number => {
  switch (r.fence) {
    case 'shared':
      return r.completion.clock
    case 'afar':
    case 'global':
      return r.completion.clock === clockOf('program', r.stamp.agent)
        ? clockOf(r.fence === 'afar' ? 'fencedAfar' : 'fencedGlobal', r.stamp.agent)
        : r.completion.clock
    case 'registers':
      return clockOf('fencedRegisters', r.stamp.agent)
  }
}

/** The lanes of a generic access that fences of the CTA whose memory it is of have covered. */
export const coveredNear = (r: AccessRecord, k: Knowledge): number =>
  r.fence === 'afar' ? lanesCovered(k.async.near, r.home, r.stamp.agent, r.completion.at) : 0

/** Has a proxy fence covered it, or what some lane of it did? */
export const isCovered = (r: AccessRecord, k: Knowledge): boolean =>
  valueAt(k.async.counters, fencedClock(r)) >= r.completion.at ||
  (coveredNear(r, k) & (r.lanes === 0 ? -1 : r.lanes)) !== 0

/** Whether an access through `proxy`, by an actor with this knowledge, finds what the record wrote. */
export const seen = (r: AccessRecord, proxy: Proxy, k: Knowledge, byMaximum: boolean): boolean => {
  const c = r.completion
  if (c.clock < 0) return false
  if (r.proxy === 'tensor')
    return (
      valueAt(k.tensor, c.clock) >= c.at || (c.alternative >= 0 && valueAt(k.tensor, c.alternative) >= c.at)
    )
  const byUnit = proxy === 'async' || proxy === 'tensormap'
  const window = byUnit ? k.async : k.visible
  if (c.barrier >= 0) return acquired(valueAt(window.acquired, c.barrier), c.generation, byMaximum)
  if (r.proxy === 'generic' && byUnit) return isCovered(r, k)
  return (
    valueAt(window.counters, c.clock) >= c.at ||
    (c.alternative >= 0 && valueAt(window.counters, c.alternative) >= c.at)
  )
}

/** Do two plain writes leave the same in all bytes that both write? */
export const storeAlike = (a: AccessRecord, b: AccessRecord): boolean =>
  a.stored !== undefined &&
  b.stored !== undefined &&
  a.reach === 0 &&
  b.reach === 0 &&
  Ledger.storeAlike(a.footprint, a.stored, b.footprint, b.stored)

/** Whether both are atomic for one another (`log/reach.ts`). `together`: both belong to one cluster. */
export const atomicTogether = (a: AccessRecord, b: AccessRecord, together: boolean): boolean =>
  Reach.atomicTogether(a, b, together ? Reach.between(a.cta === b.cta, true) : 3)

/** It is a sum of floats, whose rounding shows what was there before. */
export const addsFloats = (r: AccessRecord): boolean =>
  r.combine === 'add' && (r.rounds || isFloat(r.footprint.dtype))

/** Whether memory is the same after two atomic writes in either order, whatever they carry. */
export const commutes = (a: AccessRecord, b: AccessRecord): boolean => {
  if (a.combine !== b.combine) return false
  switch (a.combine) {
    case 'add':
      return !addsFloats(a) && !addsFloats(b)
    case 'min':
    case 'max':
      return a.footprint.dtype === b.footprint.dtype
    case 'and':
    case 'or':
    case 'xor':
      return true
    // the bounds may differ
    case 'inc':
    case 'dec':
    case 'exchange':
    case 'cas':
    case undefined:
      return false
  }
}
