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
 * | 31      |                                         | 1 of columns of pixels (im2col): words 13 and 14 are then channels and pixels, words 15 to 17 the corners of the window, the lower one in the low half, of W, H, D |
 *
 * Fields are checked when a copy reads the map, by the rules of the driver: a kernel may replace them one by one.
 *
 *     f16 (256, 192), box (64, 32), swizzle of 64 bytes: dims 192 256, strides 384, box 32 64, elemtype 6, swizzle_mode 2
 *
 * Law 1. `mapOf(encoded(f))` has the fields f, if the driver takes them.
 *
 * Source: PTX ISA, tensormap.replace; CUDA driver API, cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col.
 */
import * as E from 'fp-ts/lib/Either.js'
import * as Box from '../../../layouts/shared-memory/box-image.js'
import * as Im2col from '../../../layouts/shared-memory/im2col.js'
import type { Failure } from '../../../failure.js'
import { bitsOf, isDtype, isFloat, type Dtype } from '../../../numerics/dtype.js'
import type { TensorInMemory } from '../../machine/operation.js'
import * as V from '../../machine/value.js'
import type { DescriptorValue, FaultValue, PixelWindow } from '../../machine/value.js'
import { columnsOf } from './box.js'

// ---------------------------------------------------------------- model

export const mapBytes = 128
export const mapAlignment = 64
/** Elements that a row of padded ones has a multiple of. */
const paddedRow = 128

/** Element types: beside those of memory, f32 that is copied or added in another manner, and elements of 4 and 6 bits, of which a copy moves the bits. */
export type MapElements = Dtype | 'f32_ftz' | 'tf32_ftz' | 'b4x16' | 'b4x16_p64' | 'b6x16_p32'

/** What a tensor map says of a tensor, as the driver is told it: all lists innermost first. */
export interface MapFields {
  readonly elements: MapElements
  readonly dims: ReadonlyArray<number>
  /** bytes, one less than there are dimensions */
  readonly strides: ReadonlyArray<number>
  /** of columns of pixels: channels, pixels */
  readonly box: ReadonlyArray<number>
  readonly elementStrides: ReadonlyArray<number>
  readonly window: PixelWindow | null
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

/** Element types by their numbers, and as what a copy moves them. */
const elementTypes: ReadonlyArray<readonly [name: MapElements | string, dtype: Dtype]> = [
  ['u8', 'u8'],
  ['u16', 'u16'],
  ['u32', 'u32'],
  ['s32', 'i32'],
  ['u64', 'u64'],
  ['s64', 'i64'],
  ['f16', 'f16'],
  ['f32', 'f32'],
  ['f32_ftz', 'f32'],
  // a copy moves its bits, as those of any element of 8 bytes
  ['f64', 'u64'],
  ['bf16', 'bf16'],
  ['tf32', 'f32'],
  ['tf32_ftz', 'f32'],
  ['b4x16', 'e2m1'],
  ['b4x16_p64', 'e2m1'],
  // in stores b6p2x16
  ['b6x16_p32', 'e3m2'],
]
const swizzles = [16, 32, 64, 128] as const

const numberOfType = (elements: MapElements): number => {
  const named = elementTypes.findIndex(([name]) => name === elements)
  const typed = named >= 0 ? named : elementTypes.findIndex(([, d]) => d === elements)
  // 8-bit elements of any kind are bytes
  if (typed >= 0) return typed
  const bits = isDtype(elements) ? bitsOf(elements) : 8
  return bits === 16 ? 1 : bits === 6 ? elementTypes.length - 1 : 0
}

/** The elements that a number of the driver means (CUtensorMapDataType); null: none. */
export const elementsNumbered = (number: number): MapElements | null => {
  const driver: ReadonlyArray<MapElements> = [
    ...(['u8', 'u16', 'u32', 'i32', 'u64', 'i64', 'f16', 'f32', 'u64', 'bf16'] as const),
    ...(['f32_ftz', 'f32', 'tf32_ftz', 'b4x16', 'b4x16_p64', 'b6x16_p32'] as const),
  ]
  return driver[number] ?? null
}

/** The word that says that there is a window, and where among the words of a box its corners begin. */
const windowWord = 31
const cornersFrom = 2

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
  if (f.window !== null) {
    view.setInt32(4 * windowWord, 1, true)
    const { lower, upper } = f.window
    lower.forEach((low, k) => {
      put('box_dim', cornersFrom + k, (low & 0xffff) | (upper[k]! << 16))
    })
  }
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
  'base' | 'dtype' | 'dims' | 'strides' | 'box' | 'elementStrides' | 'swizzle' | 'fill' | 'padded' | 'window'
>

/** What the driver would refuse to encode of a tensor in a plane of so many bytes. */
export const refusedMap = (d: Seen, planeBytes: number): FaultValue | null => {
  const { base, dims, strides } = d
  const bits = bitsOf(d.dtype)
  const columns = columnsOf(d)
  const rank = columns === null ? d.box.length : dims.length
  const no = (message: string): FaultValue => V.fault('A4', message)
  if (dims.length !== rank || strides.length !== rank)
    return V.fault(
      'type.mismatch',
      `dims, strides and box must have one rank, found ${String(dims.length)}, ${String(strides.length)} and ${String(rank)}`,
    )
  const box: E.Either<Failure<Box.BoxError | Im2col.ColumnsError>, unknown> = columns === null
    ? Box.checkBox({
        bits,
        extents: d.box,
        elementStrides: d.elementStrides,
        swizzle: d.swizzle,
        padded: d.padded,
      })
    : Im2col.checkColumns(columns, dims)
  if (E.isLeft(box)) return no(`${columns === null ? 'box' : 'window'}: ${box.left.message}`)
  const isPadded = Box.isPadded({ bits, padded: d.padded })
  const unit = isPadded ? 32 : 16
  if (base % unit !== 0)
    return no(
      `tensor: a tensor map sees a tensor at a multiple of ${String(unit)} bytes, found ${String(base)}`,
    )
  if (isPadded && dims[rank - 1]! % paddedRow !== 0)
    return no(
      `dims[0]: a row of padded elements has a multiple of ${String(paddedRow)} of them, found ${String(dims[rank - 1])}`,
    )
  const empty = dims.findIndex((n) => n < 1)
  if (empty >= 0) return no(`dims[${String(empty)}]: expected 1 or more, found ${String(dims[empty])}`)
  if (strides[rank - 1] !== 1)
    return no(
      `the stride of the innermost dimension: expected 1, found ${String(strides[rank - 1])} elements`,
    )
  // as the driver's call counts them: `strides[0]` steps along the second innermost dimension
  for (let k = rank - 2; k >= 0; k--) {
    const [bytes, extent] = [(strides[k]! * bits) / 8, dims[k]!]
    const isUnused = bytes === 0 && extent === 1
    if (isUnused || (bytes > 0 && bytes % unit === 0 && bytes < 2 ** 40)) continue
    const dimension = rank - 1 - k
    return no(
      `strides[${String(dimension - 1)}], of dimension ${String(dimension)} (the innermost is 0) of extent ${String(extent)}: expected a multiple of ${String(unit)} bytes below 2^40${extent === 1 ? ', or 0' : ''}, found ${String(bytes)}`,
    )
  }
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
export type Placed = TensorInMemory

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
  const swizzle = swizzles[word('swizzle_mode')]
  if (swizzle === undefined) return no(`swizzle_mode: expected 0 to 3, found ${String(word('swizzle_mode'))}`)
  if (word('interleave_layout') !== 0)
    return no(
      'interleave_layout: expected 0: the order of the bytes that a box of an interleaved tensor brings is not documented',
    )
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
  const uneven = strides.findIndex((s) => !Number.isInteger(s))
  if (uneven >= 0)
    return no(
      `global_stride: expected rows of whole elements of ${String(bitsOf(dtype))} bits, found ${String(strides[uneven]! * bytesOfElement)} bytes`,
    )
  const windowed = view.getUint32(4 * windowWord, true) !== 0
  const corners = Array.from({ length: Math.max(0, rank - 2) }, (_, k) => word('box_dim', rank - 1 - k) | 0)
  const found: DescriptorValue = {
    _tag: 'descriptor',
    name: tensor.name,
    plane: tensor.plane,
    base: word('global_address'),
    dtype,
    dims: along('global_dim'),
    strides,
    box: windowed ? [word('box_dim', 1), word('box_dim', 0)] : along('box_dim'),
    elementStrides: along('element_stride'),
    swizzle,
    fill: word('fill_mode') === 1 ? 'nan' : 'zero',
    padded: typeName === 'b4x16_p64',
    window: windowed
      ? { lower: corners.map((w) => (w << 16) >> 16), upper: corners.map((w) => w >> 16) }
      : null,
    rounds: typeName === 'tf32' || typeName === 'tf32_ftz',
    flushes: typeName === 'f32_ftz' || typeName === 'tf32_ftz',
    map,
  }
  const refused = refusedMap(found, tensor.bytes)
  return refused === null ? found : V.fault(refused.code, `${name}: ${refused.message}`)
}
