/**
 * Parting: an event of a warp whose lanes do not all know the same, as events of the lanes that do.
 *
 *     { 0 } has waited, { 1..31 } have not:   ld.shared by all lanes     =>   a load by lane 0, a load by lanes 1 to 31
 *
 * What only some lanes learn parts them from the others first (`strands.ts`). An event that a warp does once, whatever its lanes know (an issue, a commit), stays one: it
 * relies on what all of its lanes know.
 *
 * Law 1. The lanes of the parts are those of the event, and so are the bytes that they touch and the arrivals that they make.
 *
 * Source: PTX ISA, memory consistency model: program order.
 */
import { bitsOf } from '../../../numerics/dtype.js'
import {
  addressesIn,
  asSpans,
  scattered,
  type Access,
  type Footprint,
  type LogEvent,
  type Stamp,
} from '../../log/events.js'
import { allLanes } from './activity.js'
import type { Context } from './context.js'
import { countOf } from './lanes.js'
import { partLanes } from './strands.js'

// ---------------------------------------------------------------- what an event teaches

/** Do those who execute it learn something of other agents by it? */
const teaches = (e: LogEvent): boolean => {
  switch (e._tag) {
    case 'wait':
      return e.outcome === 'passed'
    case 'semaphore':
      return e.kind === 'wait' && e.outcome === 'passed'
    case 'fence':
      return true
    case 'rendezvous':
      return e.kind === 'leave'
    case 'access':
      return e.operation === undefined && e.acquires === true
    case 'warpSync':
    case 'issue':
    case 'perform':
    case 'signal':
    case 'barrier':
    case 'group':
    case 'registers':
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

/** Whose event it is, by stamp; undefined: that of an operation. */
export const executedBy = (e: LogEvent): Stamp | undefined => {
  switch (e._tag) {
    case 'access':
      return e.operation === undefined ? e.stamp : undefined
    case 'wait':
    case 'semaphore':
    case 'fence':
    case 'barrier':
    case 'rendezvous':
    case 'issue':
    case 'group':
    case 'registers':
    case 'fork':
    case 'join':
    case 'alloc':
    case 'dealloc':
    case 'relinquish':
      return e.stamp
    case 'warpSync':
    case 'perform':
    case 'signal':
    case 'exit':
    case 'cluster':
    case 'ahead':
      return undefined
  }
}

/** Is it one event for each strand? The rest are of all lanes at once, whatever these know. */
const partedBy = (e: LogEvent): Stamp | undefined => {
  switch (e._tag) {
    case 'access':
      return e.operation === undefined ? e.stamp : undefined
    case 'wait':
    case 'semaphore':
    case 'fence':
    case 'barrier':
      return e.stamp
    case 'rendezvous':
    case 'warpSync':
    case 'issue':
    case 'perform':
    case 'signal':
    case 'group':
    case 'registers':
    case 'fork':
    case 'join':
    case 'alloc':
    case 'dealloc':
    case 'relinquish':
    case 'exit':
    case 'cluster':
    case 'ahead':
      return undefined
  }
}

// ---------------------------------------------------------------- parts

const spansFrom = (addresses: ReadonlyArray<number>, bytes: number): Int32Array => {
  const out: number[] = []
  for (const at of [...new Set(addresses)].sort((x, y) => x - y)) {
    const last = out.length - 1
    if (last >= 0 && out[last]! >= at) out[last] = Math.max(out[last]!, at + bytes)
    else out.push(at, at + bytes)
  }
  return Int32Array.from(out)
}

/** The bytes of some of the lanes of an access. Numbers below zero name what no log does. */
const footprintOf = (c: Context, f: Footprint, all: number, lanes: number): Footprint => {
  const count = countOf(all)
  if (f.map._tag !== 'scatter' || f.map.offsets.length % count !== 0) return f
  const key = `${String(f.id)} ${String(all)} ${String(lanes)}`
  const known = c.pieces.get(key)
  if (known !== undefined) return known
  const addresses = addressesIn(f.map)
  const each = addresses.length / count
  const own: number[] = []
  let left = all
  for (let i = 0; i < addresses.length; i += each) {
    if ((left & -left & lanes) !== 0) for (let k = i; k < i + each; k++) own.push(addresses[k]!)
    left &= left - 1
  }
  const made: Footprint = {
    id: -1 - c.pieces.size,
    plane: f.plane,
    spans: asSpans(
      spansFrom(
        own.filter((at) => at >= 0),
        Math.ceil(bitsOf(f.dtype) / 8),
      ),
    ),
    dtype: f.dtype,
    map: scattered([own.length], Int32Array.from(own)),
  }
  c.pieces.set(key, made)
  return made
}

/** What an access says, of some of its lanes; where its value came from is said element by element of all of them, and is left out. */
const accessBy = (c: Context, e: Access, stamp: Stamp, all: number, lanes: number): Access => {
  const made: { -readonly [K in keyof Access]: Access[K] } = Object.assign({}, e, {
    stamp,
    footprint: stamp.whole === true ? e.footprint : footprintOf(c, e.footprint, all, lanes),
  })
  delete made.origin
  delete made.found
  delete made.left
  return made
}

const by = (c: Context, e: LogEvent, stamp: Stamp, all: number): LogEvent => {
  const lanes = stamp.lanes!
  const share = countOf(lanes) / countOf(all)
  switch (e._tag) {
    case 'access':
      return accessBy(c, e, stamp, all, lanes)
    case 'barrier':
      return Object.assign({}, e, { stamp, count: e.count * share, bytes: e.bytes * share })
    default:
      return Object.assign({}, e, { stamp })
  }
}

/** The event as the strands of its agent do it, one after the other; null: one strand does it. */
export const byStrand = (c: Context, e: LogEvent): ReadonlyArray<LogEvent> | null => {
  const executed = executedBy(e)
  if (executed?.lanes === undefined) return null
  const { agent, lanes } = executed
  const a = c.agents[agent]!
  if (lanes !== allLanes && teaches(e)) partLanes(a, lanes)
  const stamp = partedBy(e)
  if (a.strands === null || stamp === undefined) return null
  const those = a.strands.filter((s) => (s.lanes & lanes) !== 0)
  if (those.length <= 1) return null
  return those.map((s) => by(c, e, withLanes(stamp, s.lanes & lanes), lanes))
}

const withLanes = ({ agent, at, site, iteration, whole }: Stamp, lanes: number): Stamp =>
  whole === true ? { agent, at, site, iteration, lanes, whole } : { agent, at, site, iteration, lanes }
