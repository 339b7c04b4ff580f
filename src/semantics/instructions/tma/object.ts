/**
 * A tensor map as an object of 128 bytes.
 *
 * To a kernel the bytes are opaque: it copies them, and `tensormap.replace` writes one field. Which byte holds what is not said, so here every field
 * is a word of its own, and a copy of the bytes is a copy of the map, wherever it lies.
 *
 * | word    | field                                   | holds                                                      |
 * |---------|-----------------------------------------|------------------------------------------------------------|
 * | 0, 1    | `global_address`                        | the address of the tensor, the low word first               |
 * | 2       | `rank`                                  | dimensions less one                                         |
 * | 3       | `elemtype`                              | a number of PTX: 0 u8 .. 6 f16, 7 f32 ..                     |
 * | 4 .. 7  | `interleave_layout`, `swizzle_mode`, `fill_mode`, `swizzle_atomicity` | numbers of PTX                |
 * | 8 .. 12 | `global_dim`, innermost first           | elements                                                    |
 * | 13 .. 17 | `box_dim`, innermost first             | elements                                                    |
 * | 18 .. 22 | `element_stride`, innermost first      | elements                                                    |
 * | 23 .. 30 | `global_stride`, two words each        | bytes, from the second innermost dimension on                |
 * | 31      |                                         | nothing                                                     |
 *
 * Fields are checked when a copy reads the map, by the rules of the driver: a kernel may replace them one by one.
 *
 *     f16 (256, 192), box (64, 32), swizzle of 64 bytes: dims 192 256, strides 384, box 32 64, elemtype 6, swizzle_mode 2
 *
 * Law 1. `mapOf(encoded(f))` has the fields f, if the driver takes them.
 *
 * Source: PTX ISA, tensormap.replace; CUDA driver API, cuTensorMapEncodeTiled.
 */
import * as E from 'fp-ts/lib/Either.js'
import * as Box from '../../../layouts/shared-memory/box-image.js'
import { bitsOf, isFloat, type Dtype } from '../../../numerics/dtype.js'
import * as V from '../../machine/value.js'
import type { DescriptorValue, FaultValue } from '../../machine/value.js'

// ---------------------------------------------------------------- model

export const mapBytes = 128
export const mapAlignment = 64

/** What a tensor map says of a tensor, as the driver is told it: all lists innermost first. */
export interface MapFields {
  readonly elements: Dtype
  readonly dims: ReadonlyArray<number>
  /** bytes, one less than there are dimensions */
  readonly strides: ReadonlyArray<number>
  readonly box: ReadonlyArray<number>
  readonly elementStrides: ReadonlyArray<number>
  readonly swizzle: 0 | 32 | 64 | 128
  readonly fill: 'zero' | 'nan'
}

export type MapField =
  | 'global_address'
  | 'rank'
  | 'elemtype'
  | 'interleave_layout'
  | 'swizzle_mode'
  | 'fill_mode'
  | 'swizzle_atomicity'
  | 'global_dim'
  | 'box_dim'
  | 'element_stride'
  | 'global_stride'

/** Words of a field; of those that stand for every dimension, of the first. */
const fields: Readonly<
  Record<MapField, { readonly word: number; readonly words: 1 | 2; readonly of: number }>
> = {
  global_address: { word: 0, words: 2, of: 1 },
  rank: { word: 2, words: 1, of: 1 },
  elemtype: { word: 3, words: 1, of: 1 },
  interleave_layout: { word: 4, words: 1, of: 1 },
  swizzle_mode: { word: 5, words: 1, of: 1 },
  fill_mode: { word: 6, words: 1, of: 1 },
  swizzle_atomicity: { word: 7, words: 1, of: 1 },
  global_dim: { word: 8, words: 1, of: 5 },
  box_dim: { word: 13, words: 1, of: 5 },
  element_stride: { word: 18, words: 1, of: 5 },
  global_stride: { word: 23, words: 2, of: 4 },
}

/** The bytes of a field; null if there is no such dimension. */
export const placeOfField = (
  field: MapField,
  ordinal: number,
): { readonly at: number; readonly words: 1 | 2 } | null => {
  const { word, words, of } = fields[field]
  return ordinal < of ? { at: 4 * (word + ordinal * words), words } : null
}

/** Element types by their numbers; null: which bits a copy of them brings is not known here. */
const elementTypes: ReadonlyArray<readonly [name: string, dtype: Dtype | null]> = [
  ['u8', 'u8'],
  ['u16', 'u16'],
  ['u32', 'u32'],
  ['s32', 'i32'],
  ['u64', 'u64'],
  ['s64', 'i64'],
  ['f16', 'f16'],
  ['f32', 'f32'],
  ['f32 with subnormals flushed', null],
  // a copy moves its bits, as those of any element of 8 bytes
  ['f64', 'u64'],
  ['bf16', 'bf16'],
  ['tf32', null],
  ['tf32 with subnormals flushed', null],
  ['b4x16', null],
  ['b4x16 padded to 64 bits', null],
  ['b6x16 padded to 32 bits', null],
]
const swizzles = [16, 32, 64, 128] as const

const numberOfType = (dtype: Dtype): number => {
  const named = elementTypes.findIndex(([, d]) => d === dtype)
  // 8-bit elements of any kind are bytes
  return named >= 0 ? named : bitsOf(dtype) === 16 ? 1 : 0
}

// ---------------------------------------------------------------- bytes

/** A map of a tensor at an address. */
export const encoded = (f: MapFields, low: number, high: number): Uint8Array => {
  const bytes = new Uint8Array(mapBytes)
  const view = new DataView(bytes.buffer)
  const put = (field: MapField, ordinal: number, value: number, above = 0): void => {
    const place = placeOfField(field, ordinal)
    if (place === null) return
    view.setInt32(place.at, value | 0, true)
    if (place.words === 2) view.setInt32(place.at + 4, above | 0, true)
  }
  put('global_address', 0, low, high)
  put('rank', 0, f.dims.length - 1)
  put('elemtype', 0, numberOfType(f.elements))
  put('swizzle_mode', 0, f.swizzle === 0 ? 0 : Math.log2(f.swizzle) - 4)
  put('fill_mode', 0, f.fill === 'nan' ? 1 : 0)
  f.dims.forEach((n, k) => {
    put('global_dim', k, n)
  })
  f.box.forEach((n, k) => {
    put('box_dim', k, n)
  })
  f.elementStrides.forEach((n, k) => {
    put('element_stride', k, n)
  })
  f.strides.forEach((n, k) => {
    put('global_stride', k, n, Math.floor(n / 4294967296))
  })
  return bytes
}

// ---------------------------------------------------------------- the rules of the driver

type Seen = Pick<
  DescriptorValue,
  'base' | 'dtype' | 'dims' | 'strides' | 'box' | 'elementStrides' | 'swizzle' | 'fill'
>

/** What the driver would refuse to encode of a tensor in a plane of so many bytes. */
export const refusedMap = (d: Seen, planeBytes: number): FaultValue | null => {
  const { base, dims, strides } = d
  const bits = bitsOf(d.dtype)
  const rank = d.box.length
  const no = (message: string): FaultValue => V.fault('A4', message)
  if (dims.length !== rank || strides.length !== rank)
    return V.fault(
      'type.mismatch',
      `dims, strides and box must have one rank, found ${String(dims.length)}, ${String(strides.length)} and ${String(rank)}`,
    )
  const box = Box.checkBox({
    bits,
    extents: d.box,
    elementStrides: d.elementStrides,
    swizzle: d.swizzle,
  })
  if (E.isLeft(box)) return no(`box: ${box.left.message}`)
  if (base % 16 !== 0)
    return no(`tensor: a tensor map sees a tensor at a multiple of 16 bytes, found ${String(base)}`)
  const empty = dims.findIndex((n) => n < 1)
  if (empty >= 0) return no(`dims[${String(empty)}]: expected 1 or more, found ${String(dims[empty])}`)
  const odd = strides.findIndex((s, k) =>
    k === rank - 1 ? s !== 1 : s <= 0 || ((s * bits) / 8) % 16 !== 0 || (s * bits) / 8 >= 2 ** 40,
  )
  if (odd >= 0)
    return no(
      `strides[${String(odd)}]: expected ${odd === rank - 1 ? '1' : 'a multiple of 16 bytes below 2^40'}, found ${String(strides[odd])} elements`,
    )
  if (d.fill === 'nan' && (!isFloat(d.dtype) || bits < 16))
    return no(`fill: a tensor map fills floats of 16 or 32 bits with NaN, found ${d.dtype}`)
  const last = dims.reduce((n, extent, k) => n + (extent - 1) * strides[k]!, 0)
  const end = base + ((last + 1) * bits) / 8
  return base < 0 || end > planeBytes
    ? V.fault('I2', `tensor: the map sees bytes up to ${String(end)}, there are ${String(planeBytes)}`)
    : null
}

// ---------------------------------------------------------------- reading

/** Memory that an address is in, by its upper word. */
export interface Placed {
  readonly name: string
  readonly plane: number
  readonly bytes: number
}

/** The map that lies in the bytes: `name` says where they are, `map` is the object in memory, if it is none of the launch. */
export const mapOf = (
  bytes: Uint8Array,
  name: string,
  placed: (high: number) => Placed | null,
  map: DescriptorValue['map'],
): DescriptorValue | FaultValue => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const word = (field: MapField, ordinal = 0): number => {
    const place = placeOfField(field, ordinal)
    return place === null ? 0 : view.getUint32(place.at, true)
  }
  const no = (message: string): FaultValue => V.fault('A4', `${name}: ${message}`)
  const rank = word('rank') + 1
  if (rank > 5) return no(`rank: expected 1 to 5 dimensions, found ${String(rank)}`)
  const type = elementTypes[word('elemtype')]
  if (type === undefined) return no(`elemtype: expected 0 to 15, found ${String(word('elemtype'))}`)
  const [typeName, dtype] = type
  if (dtype === null) return no(`elemtype: copies of ${typeName} are not described here`)
  const swizzle = swizzles[word('swizzle_mode')]
  if (swizzle === undefined) return no(`swizzle_mode: expected 0 to 3, found ${String(word('swizzle_mode'))}`)
  if (word('interleave_layout') !== 0)
    return no('interleave_layout: interleaved tensors are not described here')
  if (word('swizzle_atomicity') !== 0)
    return no('swizzle_atomicity: swizzles of other atoms than 16 bytes are not described here')
  if (word('fill_mode') > 1) return no(`fill_mode: expected 0 or 1, found ${String(word('fill_mode'))}`)
  const high = view.getInt32(4, true)
  const tensor = placed(high)
  if (tensor === null) return no('global_address: expected the address of a tensor in global memory')
  // a map counts from the innermost dimension, a descriptor from the outermost
  const along = (field: MapField): ReadonlyArray<number> =>
    Array.from({ length: rank }, (_, k) => word(field, rank - 1 - k))
  const bytesOfElement = bitsOf(dtype) / 8
  const strides = Array.from({ length: rank }, (_, k) => {
    const place = k === rank - 1 ? null : placeOfField('global_stride', rank - 2 - k)
    return place === null
      ? 1
      : (view.getUint32(place.at, true) + 4294967296 * view.getUint32(place.at + 4, true)) / bytesOfElement
  })
  const found: DescriptorValue = {
    _tag: 'descriptor',
    name: tensor.name,
    plane: tensor.plane,
    base: word('global_address'),
    dtype,
    dims: along('global_dim'),
    strides,
    box: along('box_dim'),
    elementStrides: along('element_stride'),
    swizzle,
    fill: word('fill_mode') === 1 ? 'nan' : 'zero',
    map,
  }
  const refused = refusedMap(found, tensor.bytes)
  return refused === null ? found : V.fault(refused.code, `${name}: ${refused.message}`)
}
