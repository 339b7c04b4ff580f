/**
 * Tensor maps in memory: descriptors that a kernel writes for itself.
 *
 * A tensor map is an opaque object of 128 bytes, at a multiple of 64. The machine keeps it in a table by its address; the bytes themselves hold
 * nothing that a payload access could read. Its life is a sequence that four instructions make:
 *
 *     create at p       a generic write of the object                            agent T
 *     fence at p        what T sees of tensor maps is released to the map proxy  T, or one that sees the write
 *     (synchronise)
 *     acquire at p      takes what was released; gives the descriptor            agent U, or one that U hears from
 *     load through it   the copy engine reads the object, through the map proxy  U
 *
 * | what is missing                          | seen as                                              |
 * |------------------------------------------|------------------------------------------------------|
 * | the fence, or the acquire since the last write | the map that the copy reads is not visible (P5) |
 * | the synchronisation                      | a race of the write and the copy's read of the map (D2) |
 * | the object, at the acquire               | invalid                                              |
 * | a payload access of its bytes            | B7                                                   |
 *
 * The descriptor is a value, as it was when it was acquired: a copy that uses it after the object has been written anew uses the old one, and is
 * reported. A copy is done with the map when its reads are done: overwriting it earlier is a race.
 *
 * An acquire takes the map at its address, and no other: an old descriptor of a map that was written anew is reported, whatever else was acquired in between.
 *
 * Pointers point into global memory, so an object lies in a tensor parameter; the copy of it in shared memory, which PTX edits field by
 * field and then publishes, is part of `create` here.
 *
 * Law 1. A map that was created, fenced and acquired equals the static descriptor of the same fields.
 *
 * Source: PTX ISA, tensormap.replace, tensormap.cp_fenceproxy, fence.proxy.tensormap; CUDA driver API, tensor map objects.
 */
import type { ExprNode } from '../../language/expression.js'
import type { InstructionOf } from '../../language/instruction.js'
import type { Access, Stamp } from '../../log/events.js'
import { effect, intsOperand, type Effect, type Executing } from '../../machine/effect.js'
import { valueIn } from '../../machine/evaluate.js'
import type { Environment } from '../../machine/environment.js'
import * as Footprint from '../../machine/footprint.js'
import type { Elements, Prepared } from '../../machine/operation.js'
import { withTensormaps, type Machine } from '../../machine/state.js'
import * as V from '../../machine/value.js'
import { isFault, type DescriptorValue, type FaultValue, type PtrValue } from '../../machine/value.js'
import { mapAlignment, mapBytes, refusedMap } from './object.js'
import { changes, weak, type Family } from '../../machine/family.js'
import { mapTable, table, write } from '../../machine/touches.js'

type Of<K extends Prepared['_tag']> = Extract<Prepared, { readonly _tag: K }>

// ---------------------------------------------------------------- reads and checks

const ptrOperand = (o: Environment, field: string, e: ExprNode): PtrValue | FaultValue => {
  const v = valueIn(o, e)
  if (typeof v === 'object' && (v._tag === 'ptr' || v._tag === 'fault')) return v
  return V.fault('type.mismatch', `${field}: expected a ptr, found ${V.kindOf(v)}`)
}

/** The 128 bytes of the object. */
const objectOperand = (o: Environment, e: ExprNode): Elements | FaultValue => {
  const p = ptrOperand(o, 'at', e)
  if (isFault(p)) return p
  const size = o.world.planeBytes[p.plane]!
  if (p.address % mapAlignment !== 0)
    return V.fault(
      'A4',
      `at: a tensor map must be at a multiple of ${String(mapAlignment)} bytes, found ${String(p.address)}`,
    )
  if (p.address < 0 || p.address + mapBytes > size)
    return V.fault(
      'I2',
      `at: a tensor map has ${String(mapBytes)} bytes, found byte ${String(p.address)} of ${o.world.header.planes[p.plane]!.name}, which has ${String(size)}`,
    )
  const addresses = Int32Array.from({ length: mapBytes }, (_, i) => p.address + i)
  return Footprint.ofAddresses(o.world.footprints, p.plane, 'u8', [mapBytes], addresses)
}

const longsOperand = (
  o: Environment,
  field: string,
  es: ReadonlyArray<ExprNode>,
): ReadonlyArray<number> | FaultValue => {
  const out: number[] = []
  for (const e of es) {
    const v = valueIn(o, e)
    if (typeof v !== 'bigint')
      return isFault(v) ? v : V.fault('type.mismatch', `${field}: expected an i64, found ${V.kindOf(v)}`)
    out.push(Number(v))
  }
  return out
}

export const prepareCreate = (
  o: Environment,
  i: InstructionOf<'tensormap.create'>,
): Prepared | FaultValue => {
  const object = objectOperand(o, i.at)
  if (isFault(object)) return object
  const tensor = ptrOperand(o, 'tensor', i.tensor)
  if (isFault(tensor)) return tensor
  const dims = intsOperand(o, 'dims', i.dims)
  if (isFault(dims)) return dims
  const strides = longsOperand(o, 'strides', i.strides)
  if (isFault(strides)) return strides
  const plane = o.world.header.planes[object.plane]!.name
  const descriptor: DescriptorValue = {
    _tag: 'descriptor',
    name: `${plane}@${String(Footprint.firstOf(object))}`,
    plane: tensor.plane,
    base: tensor.address,
    dtype: i.dtype,
    dims,
    strides,
    box: i.box,
    elementStrides: i.elementStrides ?? i.box.map(() => 1),
    swizzle: i.swizzle,
    fill: i.fill,
    padded: false,
    window: null,
    rounds: false,
    flushes: false,
    map: object,
  }
  return (
    refusedMap(descriptor, o.world.planeBytes[tensor.plane]!) ?? {
      _tag: 'tensormap.create',
      object,
      descriptor,
    }
  )
}

export const prepareFence = (o: Environment, i: InstructionOf<'fence.tensormap'>): Prepared | FaultValue => {
  const object = objectOperand(o, i.at)
  return isFault(object) ? object : { _tag: 'fence', kind: 'tensormap', scope: 'global' }
}

export const prepareAcquire = (
  o: Environment,
  i: InstructionOf<'tensormap.acquire'>,
): Prepared | FaultValue => {
  const object = objectOperand(o, i.at)
  return isFault(object) ? object : { _tag: 'tensormap.acquire', object, dtype: i.dtype, rank: i.rank }
}

// ---------------------------------------------------------------- effects

const overlaps = (a: Elements, b: Elements): boolean =>
  a.plane === b.plane && Math.abs(Footprint.firstOf(a) - Footprint.firstOf(b)) < mapBytes

/** The object that was there, or that it cuts into, is there no more. */
export const executeCreate = (x: Executing, m: Machine, p: Of<'tensormap.create'>): Effect => {
  const others = m.tensormaps.filter((d) => d.map === null || !overlaps(d.map, p.object))
  const write: Access = {
    _tag: 'access',
    stamp: x.stamp,
    rw: 'w',
    proxy: 'generic',
    footprint: p.object.footprint,
    role: 'map',
    atomic: false,
  }
  return effect(withTensormaps(m, [...others, p.descriptor]), [write])
}

export const executeAcquire = (x: Executing, m: Machine, p: Of<'tensormap.acquire'>): Effect | FaultValue => {
  const found = m.tensormaps.find((d) => d.map === p.object)
  if (found === undefined)
    return V.fault(
      'tensormap.none',
      `at: there is no tensor map at byte ${String(Footprint.firstOf(p.object))} of ${x.world.header.planes[p.object.plane]!.name}`,
    )
  if (found.dtype !== p.dtype || found.box.length !== p.rank)
    return V.fault(
      'type.mismatch',
      `at: expected a tensor map of ${p.dtype} of rank ${String(p.rank)}, found ${found.dtype} of rank ${String(found.box.length)}`,
    )
  const { footprint } = p.object
  return effect(
    m,
    [{ _tag: 'fence', stamp: x.stamp, kind: 'tensormapAcquire', scope: 'global', footprint }],
    [found],
  )
}

/** The copy engine reads the object for an operation. */
export const mapRead = (
  f: { readonly id: number; readonly stamp: Stamp },
  map: NonNullable<DescriptorValue['map']>,
): Access => ({
  _tag: 'access',
  stamp: f.stamp,
  operation: f.id,
  rw: 'r',
  proxy: 'tensormap',
  footprint: map.footprint,
  role: 'map',
  atomic: false,
})

// ---------------------------------------------------------------- all that is asked

export const maps: Family<'tensormap.create' | 'tensormap.acquire'> = {
  'tensormap.create': {
    execute: executeCreate,
    waits: null,
    touches: (_, p) => [write(p.object), table(mapTable, true)],
    does: changes,
    strong: weak,
  },
  'tensormap.acquire': {
    execute: executeAcquire,
    waits: null,
    touches: () => [table(mapTable, false)],
    does: changes,
    strong: weak,
  },
}
