/**
 * Parting: an event of a warp whose lanes do not all know the same, as events of the lanes that do.
 *
 *     { 0 } has waited, { 1..31 } have not:   ld.shared by all lanes     =>   a load by lane 0, a load by lanes 1 to 31
 *
 * What only some lanes learn parts them from the others first (`strands.ts`); so does what each reads in a word of its own. An event that a warp does once, whatever its lanes
 * know (an issue, a commit), stays one: it relies on what all of its lanes know.
 *
 * Law 1. The lanes of the parts are those of the event, and so are the bytes that they touch and the arrivals that they make.
 *
 * Source: PTX ISA, memory consistency model: program order.
 */
import {
  asSpans,
  scattered,
  type Access,
  type Footprint,
  type LogEvent,
  type Stamp,
} from '../../log/events.js'
import { countOf } from '../../log/lane-mask.js'
import { spansAt } from '../../machine/addresses.js'
import { allLanes } from './activity.js'
import type { Context } from './context.js'
import { eachDealt, isDealt } from './lanes.js'
import type { Operation } from './operation.js'
import { partLanes, strandsOf } from './strands.js'

// ---------------------------------------------------------------- what an event teaches

/**
 * Who executes an event. `each`: every strand of the lanes, for itself; `once`: all of them at once, whatever they know; `none`: no agent does, or it is no more than
 * what an operation does.
 */
const executed: Readonly<Record<LogEvent['_tag'], 'each' | 'once' | 'none'>> = {
  access: 'each',
  wait: 'each',
  semaphore: 'each',
  fence: 'each',
  barrier: 'each',
  rendezvous: 'once',
  issue: 'once',
  group: 'once',
  registers: 'once',
  fork: 'once',
  join: 'once',
  alloc: 'once',
  dealloc: 'once',
  relinquish: 'once',
  warpSync: 'none',
  perform: 'none',
  signal: 'none',
  exit: 'none',
  cluster: 'none',
  ahead: 'none',
}

/** The stamp of those who execute it; undefined: no agent does. */
export const executedBy = (e: LogEvent): Stamp | undefined =>
  executed[e._tag] === 'none' || !('stamp' in e) || (e._tag === 'access' && e.operation !== undefined)
    ? undefined
    : e.stamp

/** The same, done by the agent as one. */
export const asOne = (e: LogEvent): LogEvent => {
  if (!('stamp' in e) || e.stamp.lanes === undefined) return e
  const { agent, at, site, iteration } = e.stamp
  return Object.assign({}, e, { stamp: { agent, at, site, iteration } })
}

/** Do those who execute it learn something of other agents by it? */
const teaches = (e: LogEvent): boolean =>
  e._tag === 'fence' ||
  ((e._tag === 'wait' || e._tag === 'semaphore') && e.outcome === 'passed') ||
  (e._tag === 'rendezvous' && e.kind === 'leave') ||
  (e._tag === 'access' && e.acquires === true)

// ---------------------------------------------------------------- parts

/** Of what is listed lane by lane that of these lanes. */
const ofThese = <A>(list: ReadonlyArray<A>, all: number, lanes: number): ReadonlyArray<A> => {
  const each = list.length / countOf(all)
  if (!Number.isInteger(each)) return list
  const out: A[] = []
  let left = all
  for (let i = 0; i < list.length; i += each) {
    if ((left & -left & lanes) !== 0) for (let k = i; k < i + each; k++) out.push(list[k]!)
    left &= left - 1
  }
  return out
}

/** The bytes of some of the lanes of an access. Numbers below zero name what no log does. */
const footprintOf = (c: Context, f: Footprint, all: number, lanes: number): Footprint => {
  if (!isDealt(f, all)) return f
  const key = `${String(f.id)} ${String(all)} ${String(lanes)}`
  const known = c.pieces.get(key)
  if (known !== undefined) return known
  const own: number[] = []
  eachDealt(f, all, (lane, address) => {
    if ((lane & lanes) !== 0) own.push(address)
  })
  const addresses = Int32Array.from(own)
  const made: Footprint = {
    id: -1 - c.pieces.size,
    plane: f.plane,
    spans: asSpans(spansAt(f.dtype, addresses)),
    dtype: f.dtype,
    map: scattered([own.length], addresses),
  }
  c.pieces.set(key, made)
  return made
}

/** What some of the lanes store, of what is said byte by byte; of values that are said in stretches nothing. */
const originBy = (origin: Access['origin'], all: number, lanes: number): Access['origin'] => {
  if (origin?._tag !== 'terms') return undefined
  const { terms, index } = origin.stored
  if (terms.length % countOf(all) !== 0) return undefined
  return {
    _tag: 'terms',
    stored: {
      terms: Float64Array.from(ofThese([...terms], all, lanes)),
      index: Uint8Array.from(ofThese([...index], all, lanes)),
    },
  }
}

/** What an access says, of some of its lanes. */
const accessBy = (c: Context, e: Access, stamp: Stamp, all: number, lanes: number): Access => {
  const made: { -readonly [K in keyof Access]: Access[K] } = Object.assign({}, e, {
    stamp,
    footprint: stamp.whole === true ? e.footprint : footprintOf(c, e.footprint, all, lanes),
  })
  delete made.origin
  const origin = stamp.whole === true ? undefined : originBy(e.origin, all, lanes)
  if (origin !== undefined) made.origin = origin
  for (const words of ['older', 'found', 'left'] as const) {
    const list = e[words]
    if (list === undefined || stamp.whole === true) continue
    made[words] = ofThese(list, all, lanes)
  }
  return made
}

/** What an operation does, by the lanes that have started it. */
export const byIssuers = (
  c: Context,
  e: Access,
  op: Operation,
): ReadonlyArray<readonly [Access, Operation]> =>
  (op.issuers ?? []).map(({ lanes, knowledge, ctas }) => {
    const stamp = withLanes(op.stamp, lanes)
    const own: Operation = Object.assign({}, op, { stamp, knowledge, ctas, issuers: null })
    return [accessBy(c, e, stamp, op.stamp.lanes!, lanes), own]
  })

const by = (c: Context, e: LogEvent, stamp: Stamp, all: number): LogEvent => {
  const lanes = stamp.lanes!
  if (e._tag === 'access') return accessBy(c, e, stamp, all, lanes)
  if (e._tag !== 'barrier') return Object.assign({}, e, { stamp })
  const [mine, whole] = [countOf(lanes), countOf(all)]
  return Object.assign({}, e, { stamp, count: (e.count * mine) / whole, bytes: (e.bytes * mine) / whole })
}

/**
 * What those who execute it do, as the strands of their agent do it, one after the other; null: one event is all. `apart`: lanes of it that hear different things, all of
 * its lanes together; none: all hear the same.
 */
export const byStrand = (
  c: Context,
  e: LogEvent,
  stamp: Stamp,
  lanes: number,
  apart: ReadonlyArray<number> = [],
): ReadonlyArray<LogEvent> | null => {
  const a = c.agents[stamp.agent]!
  const { rules } = c.options
  const isForAll =
    (rules.anyLaneWaits && e._tag === 'wait') ||
    (rules.anyLaneFences && e._tag === 'fence' && e.kind === 'proxyAsync')
  if (teaches(e) && !isForAll)
    for (const part of lanes === allLanes ? apart : [lanes, ...apart]) partLanes(a, part)
  if (executed[e._tag] !== 'each' || rules.jointLanes) return null
  // all lanes are one strand
  if (a.strands === null && apart.length === 0) return null
  const those = strandsOf(a)
    .flatMap((s) => (apart.length === 0 ? [s.lanes] : apart.map((part) => s.lanes & part)))
    .map((part) => part & lanes)
    .filter((part) => part !== 0)
  if (those.length <= 1) return null
  // what is left in a word is what its last lane left, whatever that lane knows, and a lane hears what those before it have told
  const parts = e._tag === 'access' && e.atomic && e.rw === 'w' ? inTurn(lanes, those) : those
  if (teaches(e)) for (const part of parts) partLanes(a, part)
  return parts.map((part) => by(c, e, withLanes(stamp, part), lanes))
}

/** Lanes one after the other, as many at once as are of one of these sets. */
const inTurn = (lanes: number, sets: ReadonlyArray<number>): ReadonlyArray<number> => {
  const out: number[] = []
  let own = 0
  for (let left = lanes; left !== 0; left &= left - 1) {
    const lane = left & -left
    if ((own & lane) !== 0) out[out.length - 1]! |= lane
    else {
      own = sets.find((s) => (s & lane) !== 0) ?? lane
      out.push(lane)
    }
  }
  return out
}

const withLanes = ({ agent, at, site, iteration, whole }: Stamp, lanes: number): Stamp =>
  whole === true ? { agent, at, site, iteration, lanes, whole } : { agent, at, site, iteration, lanes }
