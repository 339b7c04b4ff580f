/**
 * Which lane touches which byte, and whether the threads of two accesses are in order where their warps are.
 *
 * The elements of an access of a warp belong to its lanes in turn. Two accesses of one warp conflict where one lane touches a byte that another lane has touched; a lane's
 * own accesses are in the order of its program. Nearly always every lane has its own bytes: that is found out once for a pair of footprints.
 *
 *     st.shared s[t]; ld.shared s[t]          each lane reads its own: nothing to ask
 *     st.shared s[t]; ld.shared s[31 - t]     lane 0 reads what lane 31 wrote: does it know lane 31 as far as the store?
 *
 * An access that lanes make as one (ldmatrix, wgmma) is every lane's, byte by byte: PTX does not say which thread performs it, so each must know what it conflicts with.
 *
 * Laws
 * 1. `crossing` of a footprint with itself is 0 exactly if no two lanes touch one byte.
 * 2. `meetingIn` is the crossing of a footprint with itself.
 * 3. `crossing` and `shared` say all lanes of the first access that touch a byte of the second.
 *
 * Source: PTX ISA, memory consistency model: program order; overlap.
 */
import { bitsOf } from '../../../numerics/dtype.js'
import { addressesIn, isApart, spansOf, type Footprint, type Stamp } from '../../log/events.js'
import { countOf, isOne, singles } from '../../log/lane-mask.js'
import type { AccessRecord, Completion } from './access-record.js'
import { allLanes } from './activity.js'
import { width } from './clocks.js'
import { isExchanged } from './exchanges.js'
import { clockOf, programOf, type Knowledge, type Together, type Vector } from './knowledge.js'
import * as Pace from './pace.js'
import type { Window } from './pace.js'
import { valueAt } from './sparse.js'

// ---------------------------------------------------------------- bytes by lane

/** Which lanes of an access touch each byte of a plane. */
type Touched = ReadonlyMap<number, number>

/** Do the elements belong to the lanes in turn? A few that all lanes name (a word that they wait for) are everybody's. */
export const isDealt = (f: Footprint, lanes: number): boolean =>
  f.map._tag === 'scatter' && f.map.offsets.length % countOf(lanes) === 0

/** Each element of a footprint that is dealt: the bit of its lane, and where it is; negative: nowhere. */
export const eachDealt = (
  f: Footprint,
  lanes: number,
  deal: (lane: number, address: number) => void,
): void => {
  if (f.map._tag !== 'scatter') return
  const addresses = addressesIn(f.map)
  const each = addresses.length / countOf(lanes)
  let left = lanes
  for (let i = 0; i < addresses.length; i += each) {
    for (let k = i; k < i + each; k++) deal(left & -left, addresses[k]!)
    left &= left - 1
  }
}

const touchedBy = (f: Footprint, lanes: number, whole: boolean): Touched => {
  const out = new Map<number, number>()
  const touch = (from: number, to: number, mask: number): void => {
    for (let byte = from; byte < to; byte++) out.set(byte, (out.get(byte) ?? 0) | mask)
  }
  if (whole || !isDealt(f, lanes)) {
    const spans = spansOf(f)
    for (let i = 0; i < spans.length; i += 2) touch(spans[i]!, spans[i + 1]!, lanes)
    return out
  }
  const bytes = Math.ceil(bitsOf(f.dtype) / 8)
  eachDealt(f, lanes, (lane, address) => {
    if (address >= 0) touch(address, address + bytes, lane)
  })
  return out
}

/** Lanes of one access that touch bytes of another: where another lane does, and where the same lane does. */
export interface Crossing {
  readonly crossing: number
  readonly shared: number
}

const crossed = (x: Touched, y: Touched): Crossing => {
  let crossing = 0
  let shared = 0
  for (const [byte, those] of x) {
    const others = y.get(byte)
    if (others === undefined) continue
    shared |= those & others
    crossing |= isOne(others) ? those & ~others : those
  }
  return { crossing, shared }
}

// ---------------------------------------------------------------- what has been found out

/** Answers are kept as long as the footprints: programs ask the same of the same ones again and again. */
type Kept<A> = WeakMap<Footprint, Map<string, A>>
const touchedOf: Kept<Touched> = new WeakMap()
const found = new WeakMap<Footprint, Kept<Crossing>>()
const within = new WeakMap<Footprint, Kept<boolean>>()

const remembered = <A>(all: Kept<A>, f: Footprint, key: string, make: () => A): A => {
  let own = all.get(f)
  if (own === undefined) {
    own = new Map()
    all.set(f, own)
  }
  const known = own.get(key)
  if (known !== undefined) return known
  const made = make()
  own.set(key, made)
  return made
}

const ofPair = <A>(all: WeakMap<Footprint, Kept<A>>, x: Touching, y: Touching, make: () => A): A => {
  let own = all.get(x.footprint)
  if (own === undefined) {
    own = new WeakMap()
    all.set(x.footprint, own)
  }
  return remembered(
    own,
    y.footprint,
    `${String(y.lanes)} ${String(x.lanes)}${y.whole ? 'w' : ''}${x.whole ? 'W' : ''}`,
    make,
  )
}

const nowhere: Crossing = { crossing: 0, shared: 0 }

type Touching = Pick<AccessRecord, 'footprint' | 'lanes' | 'whole'>

const touched = ({ footprint, lanes, whole }: Touching): Touched =>
  remembered(touchedOf, footprint, `${String(lanes)}${whole ? 'w' : ''}`, () =>
    touchedBy(footprint, lanes, whole),
  )

/** Which lanes of `x` touch this byte. */
export const lanesAt = (x: Touching, byte: number): number => touched(x).get(byte) ?? 0

/** Which lanes of `x` touch bytes of `y`. */
export const crossing = (x: Touching, y: Touching): Crossing => {
  if (x.footprint.plane !== y.footprint.plane) return nowhere
  if (x.lanes === y.lanes && isOne(x.lanes)) return { crossing: 0, shared: x.lanes }
  return ofPair(found, x, y, () => crossed(touched(x), touched(y)))
}

/** Of each byte that both touch: are the lanes of `x` among those of `y`? */
export const isWithin = (x: Touching, y: Touching): boolean => {
  if (x.footprint === y.footprint && x.lanes === y.lanes && x.whole === y.whole) return true
  if (isOne(x.lanes) && isOne(y.lanes)) return x.lanes === y.lanes
  if (y.whole && (x.lanes & ~y.lanes) === 0) return true
  return ofPair(within, x, y, () => {
    const others = touched(y)
    for (const [byte, those] of touched(x)) if ((those & ~(others.get(byte) ?? those)) !== 0) return false
    return true
  })
}

/** Lanes of one instruction that touch bytes which another of them touches. */
export const meetingIn = (x: Touching): number =>
  isOne(x.lanes) || x.whole || (isDealt(x.footprint, x.lanes) && isApart(x.footprint))
    ? 0
    : crossing(x, x).crossing

// ---------------------------------------------------------------- order of threads

const slotOf = (window: Window, agent: number, clock: number): number | undefined => {
  const own = clock - programOf(agent)
  return own < 0 || own >= width ? undefined : Pace.slotOf(window, own)
}

/**
 * Do the threads that make `r`, each with this knowledge, know those of `x` where their warp does? Asked of a clock of the warp of `x`, in one window; a clock of a barrier,
 * or of what a whole warp does, has no lanes.
 */
const threadsKnow = (
  x: AccessRecord,
  r: AccessRecord,
  k: Knowledge,
  window: Window,
  clock: number,
  at: number,
): boolean => {
  if (x.lanes === 0 || x.completion.barrier >= 0) return true
  const agent = x.stamp.agent
  const slot = slotOf(window, agent, clock)
  if (slot === undefined || !Pace.laneSlots.includes(slot)) return true
  const own = k.lags?.get(agent)
  if (r.stamp.agent !== agent || r.lanes === 0) {
    if (own === undefined) return true
    const those = r.lanes === 0 || x.whole ? x.lanes : lanesAlong(x, r)
    return Pace.lagsReach(own, those, slot, at)
  }
  const { together } = k
  const met = together === null ? Pace.standing : together.paced
  if (own === undefined && met.lags.length === 0 && met.pace[slot]! >= at) return true
  const { crossing: apart, shared } = crossing(x, r)
  return (
    (apart === 0 || Pace.reaches(met, apart, slot, at) || isGiven(x, r, together, apart)) &&
    (own === undefined || Pace.lagsReach(own, shared & ~apart, slot, at))
  )
}

/** Have these lanes given those of `r` what they had loaded? */
const isGiven = (x: AccessRecord, r: AccessRecord, together: Together | null, lanes: number): boolean =>
  together !== null &&
  x.rw === 'r' &&
  x.operation < 0 &&
  isExchanged(together.exchanges, lanes | r.lanes, x.stamp.at, x.stamp.site)

/** Lanes of `x` that touch bytes of `r`, of all lanes that make it. */
const lanesAlong = (x: AccessRecord, r: AccessRecord): number => {
  const all = crossing(x, r)
  return all.crossing | all.shared
}

/** Are the lanes of one those of the other, or some of them? An agent that acts as one is all of its lanes. */
export const isAmong = (a: Stamp, b: Stamp): boolean => ((a.lanes ?? allLanes) & ~(b.lanes ?? allLanes)) === 0

/**
 * Does each of the lanes that act, with this knowledge, know what lanes did at an event of a warp? `by`: who acts; undefined: what several have told together.
 */
export const knowsEvent = (k: Knowledge, event: Stamp, by: Stamp | undefined): boolean =>
  knowsDone(k, event, programOf(event.agent), event.at, by)

/** The same of a wait, or of an arrival at a barrier that ends: it is over for who knows so much, though of memory that says nothing. */
export const knowsAttendance = (k: Knowledge, wait: Stamp, by: Stamp | undefined): boolean =>
  knowsDone(
    k,
    wait,
    wait.lanes === undefined ? programOf(wait.agent) : clockOf('attended', wait.agent),
    wait.at,
    by,
  )

/** Does each of the lanes that act, with this knowledge, see what lanes wrote at an event of a warp? */
export const seesEvent = (k: Knowledge, event: Stamp, by: Stamp): boolean =>
  findsEvent(k, 'visible', k.visible.counters, event, by)

/** The same of asynchronous units that they start: has a proxy fence covered it? */
export const fencedEvent = (k: Knowledge, event: Stamp, by: Stamp): boolean =>
  findsEvent(k, 'async', k.async.counters, event, by)

const findsEvent = (
  k: Knowledge,
  window: Window,
  counters: Vector,
  { agent, lanes, at }: Stamp,
  by: Stamp,
): boolean => {
  const clock = programOf(agent)
  if (valueAt(counters, clock) < at) return false
  if (lanes === undefined) return true
  const slot = slotOf(window, agent, clock)
  return slot === undefined || !Pace.laneSlots.includes(slot) || lanesKnow(k, agent, lanes, slot, at, by)
}

/** The same of what lanes have started, which is done where this clock is so far. */
export const knowsDone = (
  k: Knowledge,
  { agent, lanes }: Stamp,
  clock: number,
  at: number,
  by: Stamp | undefined,
): boolean => {
  if (valueAt(k.order, clock) < at) return false
  if (lanes === undefined) return true
  const slot = slotOf('order', agent, clock)
  if (slot === undefined || !Pace.laneSlots.includes(slot)) return true
  return lanesKnow(k, agent, lanes, slot, at, by)
}

const lanesKnow = (
  k: Knowledge,
  agent: number,
  lanes: number,
  slot: number,
  at: number,
  by: Stamp | undefined,
): boolean => {
  const own = k.lags?.get(agent)
  if (by === undefined || by.agent !== agent || by.lanes === undefined)
    return own === undefined || Pace.lagsReach(own, lanes, slot, at)
  const others = isOne(by.lanes) ? lanes & ~by.lanes : lanes
  return (
    (others === 0 || Pace.reaches(k.together?.paced ?? Pace.standing, others, slot, at)) &&
    (own === undefined || Pace.lagsReach(own, lanes & ~others, slot, at))
  )
}

/** Does each lane of `by`, with this knowledge, know of an event what some lane has done that made it? Lanes 0: it acts as one. */
export const knowsSome = (
  k: Knowledge,
  event: Stamp,
  by: { readonly agent: number; readonly lanes: number },
): boolean => {
  const clock = programOf(event.agent)
  if (event.lanes === undefined) return valueAt(k.order, clock) >= event.at
  const isKnownTo = (lanes: number): boolean =>
    lanesDone(k, event, clock, event.at, { agent: by.agent, lanes }) !== 0
  return by.lanes === 0 ? isKnownTo(0) : singles(by.lanes).every(isKnownTo)
}

/** Of the lanes that have started something those of which some lane, of these that know this, knows that it is done. */
export const lanesDone = (
  k: Knowledge,
  { agent, lanes = 0 }: Pick<Stamp, 'agent' | 'lanes'>,
  clock: number,
  at: number,
  by: { readonly agent: number; readonly lanes: number },
): number => {
  if (clock < 0 || valueAt(k.order, clock) < at) return 0
  const slot = slotOf('order', agent, clock)
  if (slot === undefined || !Pace.laneSlots.includes(slot)) return lanes
  const own = k.lags?.get(agent) ?? []
  let out = 0
  for (let left = lanes; left !== 0; left &= left - 1) {
    const lane = left & -left
    const isKnown =
      by.agent !== agent
        ? Pace.lagsReach(own, lane, slot, at)
        : ((by.lanes & lane) !== 0 && Pace.lagsReach(own, lane, slot, at)) ||
          ((by.lanes & ~lane) !== 0 && Pace.reaches(k.together?.paced ?? Pace.standing, lane, slot, at))
    if (isKnown) out |= lane
  }
  return out
}

/** The same by the clock that says that `x` is done, or by the other one that does. */
export const inOrderByLanes = (x: AccessRecord, r: AccessRecord, k: Knowledge): boolean => {
  if (x.lanes === 0) return true
  const c: Completion = x.completion
  return (
    (valueAt(k.order, c.clock) >= c.at && threadsKnow(x, r, k, 'order', c.clock, c.at)) ||
    (c.alternative >= 0 &&
      valueAt(k.order, c.alternative) >= c.at &&
      threadsKnow(x, r, k, 'order', c.alternative, c.at))
  )
}

/** Lanes of an access of one warp of which an agent of another one that knows this knows that they are done. */
export const orderedLanes = (
  { stamp, lanes, completion: c }: AccessRecord,
  by: Stamp,
  k: Knowledge,
): number => {
  const event = { agent: stamp.agent, lanes }
  const other = { agent: by.agent, lanes: 0 }
  return lanesDone(k, event, c.clock, c.at, other) | lanesDone(k, event, c.alternative, c.at, other)
}

/** Whether the threads of `r` find what those of `x` wrote, where their warp does; `clock` is that by which it does. */
export const seenByLanes = (
  x: AccessRecord,
  r: AccessRecord,
  k: Knowledge,
  window: 'visible' | 'async',
  clock: number,
): boolean => threadsKnow(x, r, k, window, clock, x.completion.at)
