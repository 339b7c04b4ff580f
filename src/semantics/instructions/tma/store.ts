/**
 * Stores, scatters and reductions: boxes, or rows, of shared memory into global memory.
 *
 * It reads shared memory, then writes global memory; its bulk group is done on the read side after the one, in full after the other.
 * Elements outside the tensor are dropped. A scatter is one operation for each message of four rows; if a row is named
 * twice, which of the two remains is not said (here the later one of a message), and two messages race.
 *
 * A reduction joins each element with what is there (`reduce.ts`), each at once for everybody on the GPU and in no order: its write is
 * an atomic read and write. Two of them do not race; a plain access beside one does.
 *
 * Laws
 * 1. `box.ts`, law 1.
 * 2. a scatter of what a gather of distinct rows brought leaves the tensor as it was.
 *
 * Source: PTX ISA, cp.async.bulk.tensor, cp.reduce.async.bulk.tensor; stores of tiles captured on an H100.
 */
import * as Box from '../../../layouts/shared-memory/box-image.js'
import type { InstructionOf, ReduceKind } from '../../language/instruction.js'
import type { Access, LogEvent } from '../../log/events.js'
import {
  descriptorOperand,
  effect,
  intsOperand,
  viewOperand,
  type Effect,
  type Executing,
} from '../../machine/effect.js'
import type { Environment } from '../../machine/environment.js'
import type { Elements, Prepared, StorePart, TmaStoreInFlight } from '../../machine/operation.js'
import * as Plane from '../../machine/plane.js'
import { issuing, withInFlight, withPlane, type Machine } from '../../machine/state.js'
import { isFault, type DescriptorValue, type FaultValue } from '../../machine/value.js'
import type { World } from '../../machine/world.js'
import { access, combining } from '../generic.js'
import {
  boxElements,
  boxImage,
  boxBytesOf,
  checkCoords,
  messageImage,
  messageOf,
  rowElements,
  startOf,
  type Start,
} from './box.js'
import { combined, reduction } from './reduce.js'
import { rowsOperand, type Rows } from './rows.js'
import { mapRead } from './tensormap.js'
import { carried } from './words.js'
import {
  changes,
  ctasOfElements,
  free,
  untouched,
  weak,
  type Family,
  type Flights,
} from '../../machine/family.js'
import { atomic, ofMap, read, write } from '../../machine/touches.js'

type Of<K extends Prepared['_tag']> = Extract<Prepared, { readonly _tag: K }>

// ---------------------------------------------------------------- reads and checks

const boxToTensor = (
  o: Environment,
  i: InstructionOf<'tma.store'> | InstructionOf<'tma.reduce'>,
  kind: ReduceKind | null,
): Prepared | FaultValue => {
  const d = descriptorOperand(o, 'descriptor', i.descriptor)
  if (isFault(d)) return d
  const coords = intsOperand(o, 'coords', i.coords)
  if (isFault(coords)) return coords
  const bad = checkCoords(d, coords, 'store')
  if (bad !== null) return bad
  const v = viewOperand(o, 'source', i.source)
  if (isFault(v)) return v
  return storeOf(o.world, d, boxElements(o.world, d, coords), startOf(v), kind)
}

/** A store, or a reduction, to those elements of the tensor; its operands are known. */
export const storeOf = (
  world: World,
  d: DescriptorValue,
  destination: Elements | FaultValue,
  from: Start,
  kind: ReduceKind | null,
): Prepared | FaultValue => {
  const source = boxImage(world, d, from, 'source', 'store')
  if (isFault(source)) return source
  if (isFault(destination)) return destination
  if (kind !== null) {
    const able = reduction(world, kind, d.dtype)
    if (typeof able !== 'function') return able
  }
  const bytes = boxBytesOf(d)
  return {
    _tag: 'tma.store',
    parts: [{ source, destination, bytes }],
    bytes,
    combine: kind === null ? null : { kind, words: null, flushes: d.flushes },
    map: d.map,
  }
}

export const prepareStore = (o: Environment, i: InstructionOf<'tma.store'>): Prepared | FaultValue =>
  boxToTensor(o, i, null)

export const prepareReduce = (o: Environment, i: InstructionOf<'tma.reduce'>): Prepared | FaultValue =>
  boxToTensor(o, i, i.kind)

export const prepareScatter = (o: Environment, i: InstructionOf<'tma.scatter'>): Prepared | FaultValue => {
  const d = descriptorOperand(o, 'descriptor', i.descriptor)
  if (isFault(d)) return d
  const rows = rowsOperand(o, d, i.rows, i.column, 'store')
  if (isFault(rows)) return rows
  const v = viewOperand(o, 'source', i.source)
  return isFault(v) ? v : scatterOf(o.world, d, rows, startOf(v))
}

/** A scatter whose operands are known. */
export const scatterOf = (
  world: World,
  d: DescriptorValue,
  rows: Rows,
  from: Start,
): Prepared | FaultValue => {
  const bytes = Box.boxBytes(messageOf(d))
  const parts: StorePart[] = []
  for (const [k, message] of rows.messages.entries()) {
    const source = messageImage(world, d, from, 'source', k, 'store')
    if (isFault(source)) return source
    parts.push({ source, destination: rowElements(world, d, message, rows.column), bytes })
  }
  return { _tag: 'tma.store', parts, bytes: bytes * parts.length, combine: null, map: d.map }
}

// ---------------------------------------------------------------- effect and completion

/** Each message of a scatter is an operation with a number of its own, all in the open bulk group. */
export const executeStore = (x: Executing, m: Machine, p: Of<'tma.store'>): Effect => {
  const group = m.agents[x.agent]!.groups.bulk + 1
  const events: LogEvent[] = []
  let now = m
  p.parts.forEach((part, i) => {
    events.push({
      _tag: 'issue',
      stamp: x.stamp,
      operation: now.issued,
      unit: 'tmaStore',
      bytes: part.bytes,
      macs: 0,
      accumulates: false,
    })
    now = issuing(now, [stored(x, now.issued, i, 'read', part, null, group, p.combine, p.map)])
  })
  return effect(now, events)
}

const stored = (
  x: Pick<TmaStoreInFlight, 'agent' | 'stamp'>,
  id: number,
  part: number,
  stage: TmaStoreInFlight['stage'],
  p: StorePart,
  data: Float64Array | null,
  group: number,
  combine: TmaStoreInFlight['combine'],
  map: TmaStoreInFlight['map'],
): TmaStoreInFlight => ({
  _tag: 'tmaStore',
  id,
  agent: x.agent,
  at: x.stamp.at,
  stamp: x.stamp,
  part,
  stage,
  source: p.source,
  destination: p.destination,
  data,
  group,
  bytes: p.bytes,
  combine,
  map,
})

/** The source has been read: it may be overwritten. */
export const performStoreRead = (m: Machine, f: TmaStoreInFlight): Effect => {
  const from = carried(m.planes[f.source.plane]!, f.source)
  const { data } = Plane.read(m.planes[f.source.plane]!, from)
  const next = stored(f, f.id, f.part, 'write', f, data, f.group, f.combine, f.map)
  const events: LogEvent[] = [{ _tag: 'perform', operation: f.id, stage: 'read', part: 0 }]
  if (f.map !== null) events.push(mapRead(f, f.map))
  events.push(access(f, f.id, 'r', 'async', f.source, 'source'), {
    _tag: 'signal',
    operation: f.id,
    part: 0,
    to: 'group',
    family: 'bulk',
    side: 'read',
  })
  return effect(
    withInFlight(
      m,
      m.inFlight.map((g) => (g === f ? next : g)),
    ),
    events,
  )
}

/** The box has reached global memory. */
export const performStoreWrite = (world: World, m: Machine, f: TmaStoreInFlight): Effect => {
  const d = f.destination
  const plane = m.planes[d.plane]!
  const to = carried(plane, d)
  const data = f.combine === null ? f.data : combined(world, plane, f.combine, d, f.data)
  const written = withPlane(m, d.plane, Plane.write(plane, to, data, m.edit))
  const accesses: ReadonlyArray<Access> =
    f.combine === null
      ? [access(f, f.id, 'w', 'async', d, 'destination')]
      : combining(f, f.id, 'async', d, 'gpu', f.combine.kind)
  return effect(
    withInFlight(
      written,
      written.inFlight.filter((g) => g !== f),
    ),
    [
      { _tag: 'perform', operation: f.id, stage: 'write', part: 0 },
      ...accesses,
      { _tag: 'signal', operation: f.id, part: 0, to: 'group', family: 'bulk', side: 'full' },
    ],
  )
}

// ---------------------------------------------------------------- all that is asked

export const stores: Family<'tma.store'> = {
  'tma.store': { execute: executeStore, waits: null, touches: untouched, does: changes, strong: weak },
}

export const storeFlights: Flights<'tmaStore'> = {
  tmaStore: {
    next: (world, m, f) => (f.stage === 'read' ? performStoreRead(m, f) : performStoreWrite(world, m, f)),
    held: free,
    touches: (f) =>
      f.stage === 'read'
        ? [...ofMap(f.map), read(f.source)]
        : f.combine === null
          ? [write(f.destination)]
          : [atomic('r', f.destination, 'gpu', 'unit'), atomic('w', f.destination, 'gpu', 'unit')],
    ctas: (world, f) => (f.stage === 'read' ? ctasOfElements(world, [f.source]) : []),
  },
}
