/**
 * TMA: a copy engine that is told a box, not an address for each element.
 *
 * A descriptor sees a tensor with `dims` and `strides`; an instruction names the box's first coordinates. Where the box's elements lie on
 * both sides, what they weigh and what faults is said in `layouts/shared-memory/box-image.ts`; here is when they are read and written.
 * Elements outside the tensor: a load fills them (zero, or NaN), a store drops them. The transaction count is the bytes of the whole box, always.
 *
 * A load performs (reads global memory and writes shared memory at once) and then signals its barrier; a multicast does so once
 * for each destination CTA. A store reads shared memory, then writes global memory; its bulk group is done on the read side
 * after the one, in full after the other.
 *
 * Laws (captured on an H100)
 * 1. the image of every captured load and store, byte for byte.
 * 2. a fault wherever the capture has one.
 *
 * Source: PTX ISA, cp.async.bulk.tensor; CUDA driver API, tensor map; behaviour captured on an H100.
 */
import * as E from 'fp-ts/lib/Either.js'
import { bitsOf, isFloat } from '../../numerics/dtype.js'
import type { Failure } from '../../failure.js'
import * as Box from '../../layouts/shared-memory/box-image.js'
import * as Ref from '../../transforms/ref.js'
import type { RefError } from '../../transforms/ref.js'
import type { InstructionOf } from '../instruction.js'
import type { LogEvent } from '../log.js'
import {
  barrierOperand,
  descriptorOperand,
  effect,
  inBounds,
  intOperand,
  intsOperand,
  viewOperand,
  type Effect,
  type Executing,
  type Operands,
} from '../machine/effect.js'
import * as Footprint from '../machine/footprint.js'
import type { Elements, Prepared, TmaLoadInFlight, TmaStoreInFlight } from '../machine/operation.js'
import * as Plane from '../machine/plane.js'
import { issuing, withInFlight, withPlane, type Machine } from '../machine/state.js'
import * as V from '../machine/value.js'
import { isFault, type DescriptorValue, type FaultValue, type ViewValue } from '../machine/value.js'
import type { World } from '../machine/world.js'
import { access } from './generic.js'
import { reach } from './mbarrier.js'

type Of<K extends Prepared['_tag']> = Extract<Prepared, { readonly _tag: K }>

// ---------------------------------------------------------------- the box

const boxOf = (d: DescriptorValue): Box.Box => ({
  bits: bitsOf(d.dtype),
  extents: d.box,
  elementStrides: d.elementStrides,
  swizzle: d.swizzle,
})

const faultOf = (field: string, d: DescriptorValue, e: Failure<Box.CopyError>): FaultValue =>
  V.fault(e.code === 'box.rank' ? 'type.mismatch' : 'A4', `${field}: ${d.name}: ${e.message}`)

/** The elements of global memory under the box; those outside the tensor have no address. */
const sourceElements = (
  world: World,
  d: DescriptorValue,
  coords: ReadonlyArray<number>,
): Elements | FaultValue => {
  const box = boxOf(d)
  const bytes = bitsOf(d.dtype) / 8
  if (Box.isInside(box, d.dims, coords)) {
    const layout = remembered(d, box)
    if (E.isLeft(layout)) return layout.left
    const base = d.base + coords.reduce((sum, c, i) => sum + c * d.strides[i]! * bytes, 0)
    return Footprint.ofLayout(world.footprints, d.plane, d.dtype, layout.right, base)
  }
  const addresses = Box.tensorOffsets(box, d.dims, d.strides, coords)
  for (let i = 0; i < addresses.length; i++)
    if (addresses[i]! >= 0) addresses[i] = d.base + addresses[i]! * bytes
  return Footprint.ofAddresses(world.footprints, d.plane, d.dtype, Box.boxShape(box), addresses)
}

const layouts = new WeakMap<DescriptorValue, E.Either<FaultValue, Ref.TransformedRef>>()
const remembered = (d: DescriptorValue, box: Box.Box): E.Either<FaultValue, Ref.TransformedRef> => {
  const known = layouts.get(d)
  if (known !== undefined) return known
  const steps = Box.elementSteps(box)
  const strides = d.strides.map((s, i) => s * steps[i]!)
  const out = asFault(Ref.ofStrides(Box.boxShape(box), box.bits, strides))
  layouts.set(d, out)
  return out
}

const asFault = (
  made: E.Either<Failure<RefError>, Ref.TransformedRef>,
): E.Either<FaultValue, Ref.TransformedRef> =>
  E.isLeft(made) ? E.left(V.fault(made.left.code, made.left.message)) : made

const images = new WeakMap<DescriptorValue, E.Either<FaultValue, Ref.TransformedRef>>()
const imageElements = (
  world: World,
  d: DescriptorValue,
  v: ViewValue,
  field: string,
): Elements | FaultValue => {
  const base = v.base + v.layout.byteOffset
  const aligned = Box.checkSharedAddress(base)
  if (E.isLeft(aligned)) return faultOf(field, d, aligned.left)
  const layout = images.get(d) ?? asFault(Box.boxImage(boxOf(d)))
  images.set(d, layout)
  return E.isLeft(layout)
    ? layout.left
    : inBounds(world, field, Footprint.ofLayout(world.footprints, v.plane, d.dtype, layout.right, base))
}

const checkCoords = (
  d: DescriptorValue,
  coords: ReadonlyArray<number>,
  direction: Box.CopyDirection,
): FaultValue | null => {
  const checked = Box.checkCoordinates(boxOf(d), direction, coords)
  return E.isLeft(checked) ? faultOf('coords', d, checked.left) : null
}

// ---------------------------------------------------------------- load: reads and checks

/** What fills the elements outside the tensor. */
const fillOf = (world: World, d: DescriptorValue): number => {
  if (!isFloat(d.dtype)) return 0
  if (d.fill === 'zero') return world.algebra.constant(d.dtype, 0)
  return world.algebra.fromBits(d.dtype, Box.nanFill(bitsOf(d.dtype) === 32 ? 32 : 16))
}

export const prepareLoad = (o: Operands, i: InstructionOf<'tma.load'>): Prepared | FaultValue => {
  const d = descriptorOperand(o, 'descriptor', i.descriptor)
  if (isFault(d)) return d
  const coords = intsOperand(o, 'coords', i.coords)
  if (isFault(coords)) return coords
  const bad = checkCoords(d, coords, 'load')
  if (bad !== null) return bad
  const v = viewOperand(o, 'destination', i.destination)
  if (isFault(v)) return v
  const b = barrierOperand(o, 'barrier', i.barrier)
  if (isFault(b)) return b
  const mask = i.multicast === undefined ? null : intOperand(o, 'multicast', i.multicast)
  if (mask !== null && typeof mask !== 'number') return mask
  if (mask !== null && mask >>> o.world.ctas !== 0)
    return V.fault(
      'I2',
      `multicast: mask ${String(mask)} names a CTA outside of a cluster of ${String(o.world.ctas)}`,
    )
  const source = sourceElements(o.world, d, coords)
  if (isFault(source)) return source
  const ranks =
    mask === null
      ? [o.at.cta]
      : Array.from({ length: o.world.ctas }, (_, c) => c).filter((c) => (mask & (1 << c)) !== 0)
  const parts: { readonly destination: Elements; readonly barrier: number }[] = []
  for (const rank of ranks) {
    // the same place in every destination CTA, and its own barrier at the same place
    const by = mask === null ? 0 : rank - o.at.cta
    const at = V.view(v.space, v.dtype, v.plane + by * o.world.planesPerCta, v.layout, v.base)
    const destination = imageElements(o.world, d, at, 'destination')
    if (isFault(destination)) return destination
    parts.push({ destination, barrier: b.first + by * o.world.barriersPerCta })
  }
  return { _tag: 'tma.load', source, parts, fill: fillOf(o.world, d), bytes: Box.boxBytes(boxOf(d)) }
}

// ---------------------------------------------------------------- load: effect and completion

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
    source: p.source,
    destination: part.destination,
    barrier: part.barrier,
    fill: p.fill,
    bytes: p.bytes,
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
  bytes: f.bytes,
})

/** The box arrives in one CTA's shared memory. */
export const performLoad = (m: Machine, f: TmaLoadInFlight): Effect => {
  const { data } = Plane.read(m.planes[f.source.plane]!, f.source.dtype, f.source.addresses, f.fill)
  const d = f.destination
  const written = withPlane(m, d.plane, Plane.write(m.planes[d.plane]!, d.dtype, d.addresses, data, m.edit))
  return effect(
    withInFlight(
      written,
      written.inFlight.map((g) => (g === f ? staged(f, 'signal') : g)),
    ),
    [
      { _tag: 'perform', operation: f.id, stage: 'write', part: f.part },
      access(f, f.id, 'r', 'async', f.source, 'source'),
      access(f, f.id, 'w', 'async', d, 'destination'),
    ],
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

// ---------------------------------------------------------------- store

export const prepareStore = (o: Operands, i: InstructionOf<'tma.store'>): Prepared | FaultValue => {
  const d = descriptorOperand(o, 'descriptor', i.descriptor)
  if (isFault(d)) return d
  const coords = intsOperand(o, 'coords', i.coords)
  if (isFault(coords)) return coords
  const bad = checkCoords(d, coords, 'store')
  if (bad !== null) return bad
  const v = viewOperand(o, 'source', i.source)
  if (isFault(v)) return v
  const source = imageElements(o.world, d, v, 'source')
  if (isFault(source)) return source
  const destination = sourceElements(o.world, d, coords)
  return isFault(destination)
    ? destination
    : { _tag: 'tma.store', source, destination, bytes: Box.boxBytes(boxOf(d)) }
}

export const executeStore = (x: Executing, m: Machine, p: Of<'tma.store'>): Effect => {
  const group = m.agents[x.agent]!.groups.bulk + 1
  const issue: LogEvent = {
    _tag: 'issue',
    stamp: x.stamp,
    operation: m.issued,
    unit: 'tmaStore',
    bytes: p.bytes,
    macs: 0,
    accumulates: false,
  }
  return effect(issuing(m, [stored(x, m.issued, 'read', p, null, group)]), [issue])
}

const stored = (
  x: Pick<TmaStoreInFlight, 'agent' | 'stamp'>,
  id: number,
  stage: TmaStoreInFlight['stage'],
  p: { readonly source: Elements; readonly destination: Elements; readonly bytes: number },
  data: Float64Array | null,
  group: number,
): TmaStoreInFlight => ({
  _tag: 'tmaStore',
  id,
  agent: x.agent,
  at: x.stamp.at,
  stamp: x.stamp,
  stage,
  source: p.source,
  destination: p.destination,
  data,
  group,
  bytes: p.bytes,
})

/** The source has been read: it may be overwritten. */
export const performStoreRead = (m: Machine, f: TmaStoreInFlight): Effect => {
  const { data } = Plane.read(m.planes[f.source.plane]!, f.source.dtype, f.source.addresses)
  const next = stored(f, f.id, 'write', f, data, f.group)
  return effect(
    withInFlight(
      m,
      m.inFlight.map((g) => (g === f ? next : g)),
    ),
    [
      { _tag: 'perform', operation: f.id, stage: 'read', part: 0 },
      access(f, f.id, 'r', 'async', f.source, 'source'),
      { _tag: 'signal', operation: f.id, part: 0, to: 'group', family: 'bulk', side: 'read' },
    ],
  )
}

/** The box has reached global memory. */
export const performStoreWrite = (m: Machine, f: TmaStoreInFlight): Effect => {
  const d = f.destination
  const written = withPlane(m, d.plane, Plane.write(m.planes[d.plane]!, d.dtype, d.addresses, f.data, m.edit))
  return effect(
    withInFlight(
      written,
      written.inFlight.filter((g) => g !== f),
    ),
    [
      { _tag: 'perform', operation: f.id, stage: 'write', part: 0 },
      access(f, f.id, 'w', 'async', d, 'destination'),
      { _tag: 'signal', operation: f.id, part: 0, to: 'group', family: 'bulk', side: 'full' },
    ],
  )
}
