/**
 * Loads and gathers: boxes, or rows, of global memory into shared memory.
 *
 * A load performs (reads global memory and writes shared memory at once) and then signals its barrier; one with several destinations
 * does so once for each of them, and a gather once for each message of four rows and destination. Elements outside the tensor are
 * filled (zero, or NaN), and count: the transaction count is the bytes of the whole box, or of four rows, always.
 *
 *     load of a box (64, 64) f16                    one part, 8192 bytes on one barrier
 *     the same, mask 0b11                           two parts, 8192 bytes on each of two barriers
 *     gather of 8 rows of 128 bytes, mask 0b11      four parts, 512 bytes each
 *
 * Through a map of tf32 an f32 arrives rounded to the nearest, ties to even; a NaN arrives as 0x7fffe000.
 *
 * A prefetch is validated like a load and does nothing: there is no cache here, and nothing waits for it.
 *
 * Laws
 * 1. `box.ts`, laws 1 and 2.
 * 2. the bytes signalled are the bytes of the images.
 *
 * Source: PTX ISA, cp.async.bulk.tensor, cp.async.bulk.prefetch.tensor; behaviour captured on an H100.
 */
import { scalarOperation } from '../../../numerics/scalar/index.js'
import { lifted } from '../../../numerics/shadow.js'
import * as Box from '../../../layouts/shared-memory/box-image.js'
import type { InstructionOf } from '../../language/instruction.js'
import type { LogEvent } from '../../log/events.js'
import { descriptorOperand, effect, intsOperand, type Effect, type Executing } from '../../machine/effect.js'
import type { Environment } from '../../machine/environment.js'
import type { Elements, LoadPart, Prepared, TmaLoadInFlight } from '../../machine/operation.js'
import type { Edit } from '../../machine/cells.js'
import * as Plane from '../../machine/plane.js'
import { issuing, withInFlight, withPlane, type Machine } from '../../machine/state.js'
import { isFault, type DescriptorValue, type FaultValue } from '../../machine/value.js'
import type { World } from '../../machine/world.js'
import { access, combining } from '../generic.js'
import { reach } from '../mbarrier.js'
import {
  boxElements,
  boxImage,
  boxBytesOf,
  checkCoords,
  fillOf,
  outsideOf,
  messageImage,
  messageOf,
  rowElements,
} from './box.js'
import { destinations, type Destination } from './destination.js'
import { combined } from './reduce.js'
import { rowsOperand, type Rows } from './rows.js'
import { mapRead } from './tensormap.js'
import { carried } from './words.js'
import {
  changes,
  ctaOfBarrier,
  ctasOfElements,
  free,
  untouched,
  weak,
  type Family,
  type Flights,
} from '../../machine/family.js'
import { arriving, count, ofMap, read } from '../../machine/touches.js'

type Of<K extends Prepared['_tag']> = Extract<Prepared, { readonly _tag: K }>

// ---------------------------------------------------------------- reads and checks

export const prepareLoad = (o: Environment, i: InstructionOf<'tma.load'>): Prepared | FaultValue => {
  const d = descriptorOperand(o, 'descriptor', i.descriptor)
  if (isFault(d)) return d
  const coords = intsOperand(o, 'coords', i.coords)
  if (isFault(coords)) return coords
  const bad = checkCoords(d, coords, 'load')
  if (bad !== null) return bad
  const into = destinations(o, i.destination, i.barrier, i.multicast, i.ctaGroup)
  if (isFault(into)) return into
  return loadOf(o.world, d, boxElements(o.world, d, coords), into)
}

/** A load of those elements of the tensor; its operands are known. */
export const loadOf = (
  world: World,
  d: DescriptorValue,
  source: Elements | FaultValue,
  into: ReadonlyArray<Destination>,
): Prepared | FaultValue => {
  if (isFault(source)) return source
  const bytes = boxBytesOf(d)
  const parts: LoadPart[] = []
  for (const { start, barrier } of into) {
    const destination = boxImage(world, d, start, 'destination')
    if (isFault(destination)) return destination
    parts.push({ source, destination, barrier, bytes })
  }
  return {
    _tag: 'tma.load',
    parts,
    fill: fillOf(world, d),
    outside: outsideOf(d),
    bytes,
    combine: null,
    rounds: d.rounds,
    map: d.map,
  }
}

export const prepareGather = (o: Environment, i: InstructionOf<'tma.gather'>): Prepared | FaultValue => {
  const d = descriptorOperand(o, 'descriptor', i.descriptor)
  if (isFault(d)) return d
  const rows = rowsOperand(o, d, i.rows, i.column, 'load')
  if (isFault(rows)) return rows
  const into = destinations(o, i.destination, i.barrier, i.multicast, i.ctaGroup)
  return isFault(into) ? into : gatherOf(o.world, d, rows, into)
}

/** A gather whose operands are known. */
export const gatherOf = (
  world: World,
  d: DescriptorValue,
  rows: Rows,
  into: ReadonlyArray<Destination>,
): Prepared | FaultValue => {
  const bytes = Box.boxBytes(messageOf(d))
  const parts: LoadPart[] = []
  for (const [k, message] of rows.messages.entries()) {
    const source = rowElements(world, d, message, rows.column)
    for (const { start, barrier } of into) {
      const destination = messageImage(world, d, start, 'destination', k)
      if (isFault(destination)) return destination
      parts.push({ source, destination, barrier, bytes })
    }
  }
  return {
    _tag: 'tma.load',
    parts,
    fill: fillOf(world, d),
    outside: outsideOf(d),
    bytes: bytes * rows.messages.length,
    combine: null,
    rounds: d.rounds,
    map: d.map,
  }
}

export const preparePrefetch = (o: Environment, i: InstructionOf<'tma.prefetch'>): Prepared | FaultValue => {
  const d = descriptorOperand(o, 'descriptor', i.descriptor)
  if (isFault(d)) return d
  const coords = intsOperand(o, 'coords', i.coords)
  if (isFault(coords)) return coords
  return checkCoords(d, coords, 'load') ?? { _tag: 'nothing', results: [] }
}

// ---------------------------------------------------------------- effect and completion

export const executeLoad = (x: Executing, m: Machine, p: Of<'tma.load'>): Effect => {
  const issue: LogEvent = {
    _tag: 'issue',
    stamp: x.stamp,
    operation: m.issued,
    unit: 'tmaLoad',
    bytes: p.bytes,
    macs: 0,
    accumulates: false,
    signals: p.parts.length,
  }
  const parts = p.parts.map((part, i): TmaLoadInFlight => ({
    _tag: 'tmaLoad',
    id: m.issued,
    agent: x.agent,
    at: x.stamp.at,
    stamp: x.stamp,
    part: i,
    stage: 'write',
    source: part.source,
    destination: part.destination,
    barrier: part.barrier,
    fill: p.fill,
    outside: p.outside,
    bytes: part.bytes,
    combine: p.combine,
    rounds: p.rounds,
    map: p.map,
  }))
  return effect(issuing(m, parts), [issue])
}

const staged = (f: TmaLoadInFlight, stage: TmaLoadInFlight['stage']): TmaLoadInFlight => ({
  _tag: 'tmaLoad',
  id: f.id,
  agent: f.agent,
  at: f.at,
  stamp: f.stamp,
  part: f.part,
  stage,
  source: f.source,
  destination: f.destination,
  barrier: f.barrier,
  fill: f.fill,
  outside: f.outside,
  bytes: f.bytes,
  combine: f.combine,
  rounds: f.rounds,
  map: f.map,
})

const readOf = (f: TmaLoadInFlight): LogEvent =>
  f.outside === 'zero'
    ? access(f, f.id, 'r', 'async', f.source, 'source')
    : {
        _tag: 'access',
        stamp: f.stamp,
        operation: f.id,
        rw: 'r',
        proxy: 'async',
        footprint: f.source.footprint,
        role: 'source',
        atomic: false,
        outside: f.outside,
      }

const nearest = scalarOperation('cvt.rn.tf32.f32')
/** The word of an f32 that of the nearest tf32; what is known in part is not known. */
const toTf32 = lifted('u32')((word) => (nearest?.compute(word | 0, 0) ?? 0) >>> 0)

const asWords = ({ offsets, origin }: Plane.Cells): Plane.Cells => ({ dtype: 'u32', offsets, origin })

/** A copy of f32 that is rounded to tf32 on its way; what fills stays as it is. */
const rounded = (
  source: Plane.Plane,
  from: Plane.Cells,
  fill: number,
  plane: Plane.Plane,
  to: Plane.Cells,
  edit: Edit | null,
): Plane.Plane => {
  const words = Plane.read(source, asWords(from), fill).data
  const data = words?.map((word, i) => (from.offsets[i]! < 0 ? word : toTf32(word, word))) ?? null
  return Plane.write(plane, asWords(to), data, edit)
}

/** What is there when the box has arrived: it, or it joined with what was there. */
const arrived = (world: World, m: Machine, f: TmaLoadInFlight): Plane.Plane => {
  const source = m.planes[f.source.plane]!
  const from = carried(source, f.source)
  const d = f.destination
  const plane = m.planes[d.plane]!
  const to = carried(plane, d)
  if (f.rounds) return rounded(source, from, f.fill, plane, to, m.edit)
  return f.combine === null
    ? Plane.copy(source, from, f.fill, plane, to, m.edit)
    : Plane.write(plane, to, combined(world, plane, f.combine, d, Plane.read(source, from).data), m.edit)
}

/** What is written is no element of the tensor. */
const roundedWrite = (f: TmaLoadInFlight): LogEvent => ({
  _tag: 'access',
  stamp: f.stamp,
  operation: f.id,
  rw: 'w',
  proxy: 'async',
  footprint: f.destination.footprint,
  role: 'destination',
  atomic: false,
  origin: { _tag: 'other' },
})

/** The box arrives in one CTA's shared memory. */
export const performLoad = (world: World, m: Machine, f: TmaLoadInFlight): Effect => {
  const d = f.destination
  const written = withPlane(m, d.plane, arrived(world, m, f))
  const events: LogEvent[] = [{ _tag: 'perform', operation: f.id, stage: 'write', part: f.part }]
  if (f.map !== null) events.push(mapRead(f, f.map))
  events.push(readOf(f))
  if (f.rounds) events.push(roundedWrite(f))
  else if (f.combine === null) events.push(access(f, f.id, 'w', 'async', d, 'destination'))
  else for (const one of combining(f, f.id, 'async', d, 'cluster', f.combine.kind)) events.push(one)
  return effect(
    withInFlight(
      written,
      written.inFlight.map((g) => (g === f ? staged(f, 'signal') : g)),
    ),
    events,
  )
}

/** Its bytes are taken off the barrier of that CTA. */
export const signalLoad = (m: Machine, f: TmaLoadInFlight): Effect =>
  effect(
    withInFlight(
      reach(m, f.barrier, 0, -f.bytes, 0),
      m.inFlight.filter((g) => g !== f),
    ),
    [{ _tag: 'signal', operation: f.id, part: f.part, to: 'barrier', barrier: f.barrier, bytes: f.bytes }],
  )

// ---------------------------------------------------------------- all that is asked

export const loads: Family<'tma.load'> = {
  'tma.load': { execute: executeLoad, waits: null, touches: untouched, does: changes, strong: weak },
}

export const loadFlights: Flights<'tmaLoad'> = {
  tmaLoad: {
    next: (world, m, f) => (f.stage === 'write' ? performLoad(world, m, f) : signalLoad(m, f)),
    held: free,
    touches: (f) =>
      f.stage === 'write'
        ? [...ofMap(f.map), read(f.source), ...arriving(f)]
        : [count(f.barrier, 0, -f.bytes)],
    ctas: (world, f) => [...ctasOfElements(world, [f.source, f.destination]), ctaOfBarrier(world, f.barrier)],
  },
}
