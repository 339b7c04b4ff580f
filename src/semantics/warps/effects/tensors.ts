/**
 * Copies of boxes by the lanes of a warp, and the tensor maps that say what a box is.
 *
 * A map in the parameters or in constant memory is known when the instruction is prepared. One in global memory, which the kernel may have made, is read when
 * the copy is issued (`instructions/tma/through.ts`).
 *
 * Source: PTX ISA, cp.async.bulk.tensor, cp.reduce.async.bulk.tensor, tensormap.replace, tensormap.cp_fenceproxy, fence.proxy.tensormap.
 */
import { rememberedBy } from '../../../remembered.js'
import type { Start } from '../../instructions/tma/box.js'
import { throughMap } from '../../instructions/tma/boxed.js'
import { deliveries } from '../../instructions/tma/destination.js'
import { mapAlignment, mapBytes, mapOf, placeOfField } from '../../instructions/tma/object.js'
import type { Scope } from '../../language/instruction.js'
import type { Boxed, Elements, Prepared } from '../../machine/operation.js'
import * as V from '../../machine/value.js'
import type { DescriptorValue, FaultValue } from '../../machine/value.js'
import { nothing, part, type Part, type Row } from '../../machine/warp-stand.js'
import { placedIn, tensorsIn, type Region } from '../launched.js'
import { elementsOf, reaches, type Here, type Reach } from '../memory.js'
import { barriersAt, operand } from '../operands.js'
import type { TensorsOperation } from '../operations/tensors.js'
import type { Address } from '../program.js'
import { lanesOf } from '../rows.js'

type Of<K extends TensorsOperation['_tag']> = Extract<TensorsOperation, { readonly _tag: K }>

// ---------------------------------------------------------------- maps

/** Where the object of one lane is. */
const objectAt = (h: Here, address: Address, own: number): Reach | FaultValue => {
  const found = reaches(h, address, 16, own, () => mapBytes)
  if ('code' in found) return found
  const reach = found[0]!
  return reach.bytes[0]! % mapAlignment === 0
    ? reach
    : V.fault(
        'A4',
        `a tensor map must be at a multiple of ${String(mapAlignment)} bytes, found ${String(reach.bytes[0])}`,
      )
}

const objectElements = (h: Here, plane: number, at: number): Elements =>
  elementsOf(h.world, plane, [at], 'u8', 1, mapBytes)

/** A map that nothing writes is decoded once for its launch, whose region it lies in. */
const mapIn = rememberedBy<Region, number, DescriptorValue | FaultValue>()

/** What a copy becomes when its map is known, or is read. */
const copyThrough = (h: Here, address: Address, own: number, copy: Boxed): Prepared | FaultValue => {
  const object = objectAt(h, address, own)
  if ('code' in object) return object
  const at = object.bytes[0]!
  const { regions } = h.launch
  const { target } = object
  switch (target._tag) {
    case 'local':
      return V.fault(
        'A4',
        'a tensor map must be in parameters, constants or global memory, found local memory',
      )
    case 'constant': {
      const { region } = target
      const d = mapIn(region, at, () =>
        mapOf(region.constant!.subarray(at, at + mapBytes), 'the tensor map', placedIn(regions), null),
      )
      return V.isFault(d) ? d : throughMap(h.world, d, copy)
    }
    case 'plane': {
      const { space, name } = h.world.header.planes[target.plane]!
      if (space !== 'gmem')
        return V.fault(
          'A4',
          'a tensor map must be in parameters, constants or global memory, found shared memory',
        )
      const map = objectElements(h, target.plane, at)
      return {
        _tag: 'tensormap.through',
        map,
        name: `the tensor map at byte ${String(at)} of ${name}`,
        tensors: tensorsIn(regions),
        copy,
      }
    }
  }
}

// ---------------------------------------------------------------- copies

/** Where an image begins in the shared memory of a CTA. */
const startAt = (h: Here, address: Address, own: number): Start | FaultValue => {
  const found = reaches(h, address, 1, own)
  if ('code' in found) return found
  const { target, bytes } = found[0]!
  return target._tag === 'plane' && h.world.header.planes[target.plane]!.space === 'smem'
    ? { plane: target.plane, at: bytes[0]! }
    : V.fault('A4', 'a tensor copy has its image in shared memory')
}

/** The words that a lane has in some rows. */
const wordsOf = (
  h: Here,
  what: string,
  rows: ReadonlyArray<Row>,
  own: number,
): ReadonlyArray<number> | FaultValue => {
  const words: number[] = []
  for (const row of rows) {
    const word = operand(h, what, row, own)
    if (typeof word !== 'number') return word
    words.push(word)
  }
  return words
}

const copyOf = (h: Here, o: Of<'tensorCopy'>, own: number): Prepared | FaultValue => {
  const coordinates = wordsOf(h, 'a coordinate', o.coordinates, own)
  if ('code' in coordinates) return coordinates
  const start = startAt(h, o.shared, own)
  if ('code' in start) return start
  const given = wordsOf(h, 'an offset', o.offsets, own)
  if ('code' in given) return given
  const to = endOf(h, o, start, own)
  if ('code' in to) return to
  return copyThrough(h, o.map, own, {
    mode: o.mode,
    at: [...coordinates].reverse(),
    offsets: given.map((word) => word & 0xffff).reverse(),
    to,
  })
}

/** Where it goes: from an image to the tensor, or from the tensor to the images of CTAs. */
const endOf = (h: Here, o: Of<'tensorCopy'>, start: Start, own: number): Boxed['to'] | FaultValue => {
  if (o.barrier === null) return { _tag: 'store', from: start, combine: o.combine }
  const met = barriersAt(h, o.barrier, own)
  if ('code' in met) return met
  const mask = o.multicast === null ? null : operand(h, 'the CTAs of a multicast', o.multicast, own)
  if (mask !== null && typeof mask !== 'number') return mask
  const into = deliveries(h.world, start, met[0]!.barrier, mask === null ? null : mask & 0xffff, o.group)
  return 'code' in into ? into : { _tag: 'load', into }
}

const eachLane = (
  mask: number,
  f: (own: number) => Prepared | FaultValue,
): ReadonlyArray<Part> | FaultValue => {
  const out: Part[] = []
  for (const lane of lanesOf(mask)) {
    const p = f(1 << lane)
    if ('code' in p) return p
    out.push(part(p, nothing, 1 << lane))
  }
  return out
}

// ---------------------------------------------------------------- objects

const writable = (h: Here, address: Address, own: number): Elements | FaultValue => {
  const object = objectAt(h, address, own)
  if ('code' in object) return object
  return object.target._tag === 'plane'
    ? objectElements(h, object.target.plane, object.bytes[0]!)
    : V.fault('address.constant', 'a written tensor map must be in shared or global memory')
}

const replace = (h: Here, o: Of<'tensormapReplace'>, own: number): Prepared | FaultValue => {
  const object = writable(h, o.map, own)
  if ('code' in object) return object
  const place = placeOfField(o.field, o.ordinal)
  if (place === null) return V.fault('A4', `${o.field}: there is no dimension ${String(o.ordinal)}`)
  const data = new Float64Array(4 * place.words)
  for (let k = 0; k < place.words; k++) {
    const word = operand(h, o.field, o.value[k]!, own)
    if (typeof word !== 'number') return word
    for (let b = 0; b < 4; b++) data[4 * k + b] = (word >>> (8 * b)) & 0xff
  }
  const at = object.offsets[0]! + object.origin + place.at
  return {
    _tag: 'tensormap.replace',
    object,
    field: elementsOf(h.world, object.plane, [at], 'u8', 1, data.length),
    data,
  }
}

const publish = (h: Here, o: Of<'tensormapPublish'>, mask: number): ReadonlyArray<Part> | FaultValue => {
  // all lanes name one object: it is copied once
  const own = mask & -mask
  for (const row of [...o.into.rows, ...o.from.rows]) {
    const same = operand(h, 'tensormap.cp_fenceproxy: the address', row, mask)
    if (typeof same !== 'number') return same
  }
  const source = writable(h, o.from, own)
  if ('code' in source) return source
  const object = writable(h, o.into, own)
  if ('code' in object) return object
  return [
    part(
      {
        _tag: 'tensormap.publish',
        source,
        object,
        scope: reachOf(o.scope),
      },
      nothing,
    ),
  ]
}

const reachOf = (scope: Scope): 'cta' | 'cluster' | 'global' =>
  scope === 'cta' || scope === 'cluster' ? scope : 'global'

/** Lanes that name one map take it once. What lies in parameters or constant memory nothing writes: there is nothing to take. */
const acquire = (h: Here, o: Of<'tensormapAcquire'>, mask: number): ReadonlyArray<Part> | FaultValue => {
  const found = reaches(h, o.map, 1, mask, () => mapBytes)
  if ('code' in found) return found
  const out: Part[] = []
  for (const { target, bytes } of found) {
    if (target._tag === 'constant') continue
    if (target._tag === 'local' || h.world.header.planes[target.plane]!.space !== 'gmem')
      return V.fault(
        'A4',
        `an acquired tensor map must be in global memory, found ${target._tag === 'local' ? 'local' : 'shared'} memory`,
      )
    for (const at of new Set(bytes))
      out.push(
        part(
          {
            _tag: 'fence',
            kind: 'tensormapAcquire',
            scope: reachOf(o.scope),
            over: objectElements(h, target.plane, at),
          },
          nothing,
        ),
      )
  }
  return out
}

export const tensors = (h: Here, o: TensorsOperation, mask: number): ReadonlyArray<Part> | FaultValue => {
  switch (o._tag) {
    case 'tensorCopy':
      return eachLane(mask, (own) => copyOf(h, o, own))
    case 'tensormapReplace':
      return eachLane(mask, (own) => replace(h, o, own))
    case 'tensormapPublish':
      return publish(h, o, mask)
    case 'tensormapAcquire':
      return acquire(h, o, mask)
  }
}
