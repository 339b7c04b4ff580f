/**
 * Columns of pixels (im2col): the elements that a TMA copy takes of an image, for a convolution that is a matrix product.
 *
 * A tensor is N images of D x H x W pixels of C channels, outermost first (or N x H x W x C, or N x W x C). Its map has, in place of a box, a window: of W, H
 * and D the first and the last pixel at which a filter stands, said as distances from the first and the last pixel of the tensor. A copy takes `pixels` pixels, and
 * `channels` channels of each, from its coordinates on: along W, then along H, then along D, then the next image, and at the end of the window back to its
 * beginning. To where it stands are added the offsets of the copy, the place in the filter. The copy is a matrix of pixels x channels, and its image in
 * shared memory that of a box.
 *
 *     W = 4, window from -1 to 0 behind the last, 4 pixels from pixel 2 of image 0 on:    2 3 of image 0, -1 0 of image 1
 *     the same with an offset of 1:                                                       3 4 of image 0,  0 1 of image 1; 4 is outside: the fill
 *
 * Element strides are how far apart the filter stands: of C it is ignored. What is outside of the tensor is filled in by a load; it is the window that may leave the tensor.
 *
 * | rule                                                                    | else                  |
 * |-------------------------------------------------------------------------|-----------------------|
 * | rank 3 to 5; 1 to 256 channels, a multiple of 16 bytes and no wider than the swizzle; 1 to 1024 pixels | the map is refused |
 * | element strides 1 to 8                                                  | the map is refused    |
 * | corners of 16 bits of rank 3, 8 of rank 4, 5 of rank 5                  | the map is refused    |
 * | a pixel in the window, in every dimension                               | the map is refused    |
 * | the copy begins in the window                                           | illegal instruction   |
 * | the channel at a multiple of 16 bytes                                   | illegal instruction   |
 * | a store: a window within the tensor, no negative coordinate             | illegal instruction   |
 *
 * An offset has as many bits as a corner, and no sign. Of a larger one the compiler takes bits that overlap: it is refused here.
 *
 * Names: `cp.async.bulk.tensor` with `.im2col`, `.im2col_no_offs` (PTX); `cuTensorMapEncodeIm2col` (CUDA); `SM90_TMA_LOAD_IM2COL` (CuTe).
 *
 * Laws
 * 1. The image and the tensor elements of every captured copy, byte for byte.
 * 2. `checkColumns` refuses exactly the captured maps that the driver refused; `checkStart` exactly the copies that faulted.
 * 3. With a window of the whole tensor, element strides of 1 and no offsets, the pixels are those of the tensor in their order.
 *
 * @fidelity silicon
 *
 * Source: CUDA driver API, cuTensorMapEncodeIm2col; PTX ISA, im2col mode; copies captured on an H100 (conformance/hopper/tma).
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import { refuse } from '../../failure.js'
import { showShape, type Index, type Shape } from '../../transforms/shape.js'
import type { Swizzle } from '../../transforms/swizzle.js'
import { isBetween, type Box, type CopyDirection } from './box-image.js'

// ---------------------------------------------------------------- model

/** The part of a tensor map that says what one copy takes. All lists outermost first. */
export interface Columns {
  /** Bits of an element. */
  readonly bits: number
  readonly pixels: number
  readonly channels: number
  /** Of D, H, W, or of those that there are: the first pixel of the window from the first of the tensor, the last one from the last. */
  readonly lower: ReadonlyArray<number>
  readonly upper: ReadonlyArray<number>
  /** Of every dimension. */
  readonly elementStrides: ReadonlyArray<number>
  readonly swizzle: Swizzle
}

export type ColumnsError =
  | 'columns.rank'
  | 'columns.channels'
  | 'columns.pixels'
  | 'columns.element-stride'
  | 'columns.corner'
  | 'columns.window'
export type ColumnsCopyError =
  'columns.rank' | 'columns.start' | 'columns.channel' | 'columns.offset' | 'columns.store'

// ---------------------------------------------------------------- rules

/** Bits of a corner of the window, and of an offset, by rank. */
export const cornerBits = (rank: number): number => (rank === 3 ? 16 : rank === 4 ? 8 : 5)

/** Dimensions of pixels: all but the images and the channels. */
const pixelsOf = (dims: ReadonlyArray<number>): ReadonlyArray<number> => dims.slice(1, -1)

/** Would the driver encode a map of a tensor with this window? */
export const checkColumns = (c: Columns, dims: Shape): E.Either<Failure<ColumnsError>, Columns> => {
  const rank = dims.length
  const { lower, upper, elementStrides } = c
  if (
    !isBetween(3, 5)(rank) ||
    lower.length !== rank - 2 ||
    upper.length !== rank - 2 ||
    elementStrides.length !== rank
  )
    return refuse(
      'columns.rank',
      `Columns of pixels need a tensor of rank 3 to 5, with two corners of its pixels, found ${showShape(dims)}, ${showShape(lower)} and ${showShape(upper)}`,
    )
  const bytes = (c.channels * c.bits) / 8
  if (!isBetween(1, 256)(c.channels) || bytes % 16 !== 0 || (c.swizzle !== 16 && bytes > c.swizzle))
    return refuse(
      'columns.channels',
      `A pixel has 1 to 256 channels, of a multiple of 16 bytes${c.swizzle === 16 ? '' : ` that fits in the swizzle of ${String(c.swizzle)} bytes`}, found ${String(c.channels)} of ${String(c.bits)} bits`,
    )
  if (!isBetween(1, 1024)(c.pixels))
    return refuse('columns.pixels', `A column has 1 to 1024 pixels, found ${String(c.pixels)}`)
  const sparse = elementStrides.findIndex((n) => !isBetween(1, 8)(n))
  if (sparse >= 0)
    return refuse(
      'columns.element-stride',
      `Element stride ${String(sparse)} of a column is 1 to 8, found ${String(elementStrides[sparse])}`,
    )
  const most = 2 ** (cornerBits(rank) - 1)
  const far = [...lower, ...upper].find((n) => !isBetween(-most, most - 1)(n))
  if (far !== undefined)
    return refuse(
      'columns.corner',
      `A corner of a window of rank ${String(rank)} is from ${String(-most)} to ${String(most - 1)}, found ${String(far)}`,
    )
  const empty = pixelsOf(dims).findIndex((n, d) => lower[d]! >= n + upper[d]!)
  return empty < 0
    ? E.right(c)
    : refuse(
        'columns.window',
        `The window has a pixel in every dimension, found none in dimension ${String(empty + 1)}: from ${String(lower[empty])} to ${String(dims[empty + 1]! - 1 + upper[empty]!)}`,
      )
}

/** Does a copy fault that begins there? Coordinates outermost first, as offsets are, of those dimensions that pixels have. */
export const checkStart = (
  c: Columns,
  dims: Shape,
  direction: CopyDirection,
  coordinates: Index,
  offsets: ReadonlyArray<number>,
): E.Either<Failure<ColumnsCopyError>, Index> => {
  const rank = dims.length
  if (coordinates.length !== rank)
    return refuse(
      'columns.rank',
      `A column of rank ${String(rank)} needs that many coordinates, found ${showShape(coordinates)}`,
    )
  const inner = (coordinates[rank - 1]! * c.bits) / 8
  if (inner % 16 !== 0)
    return refuse(
      'columns.channel',
      `The first channel must be at a multiple of 16 bytes, found byte ${String(inner)}`,
    )
  const off = offsets.find((n) => !isBetween(0, 2 ** cornerBits(rank) - 1)(n))
  if (off !== undefined)
    return refuse(
      'columns.offset',
      `An offset of rank ${String(rank)} is 0 to ${String(2 ** cornerBits(rank) - 1)}, found ${String(off)}`,
    )
  const outside = pixelsOf(dims).findIndex((n, d) => {
    const at = coordinates[d + 1]!
    return at < c.lower[d]! || at >= n + c.upper[d]!
  })
  if (outside >= 0)
    return refuse(
      'columns.start',
      `A column begins in its window, from ${String(c.lower[outside])} to ${String(dims[outside + 1]! - 1 + c.upper[outside]!)} in dimension ${String(outside + 1)}, found ${showShape(coordinates)}`,
    )
  return direction === 'store' &&
    (coordinates.some((n) => n < 0) || c.lower.some((n) => n < 0) || c.upper.some((n) => n > 0))
    ? refuse(
        'columns.store',
        `Columns are stored through a window within the tensor, at coordinates of 0 or more, found a window from ${showShape(c.lower)} to ${showShape(c.upper)} after the last pixel, and ${showShape(coordinates)}`,
      )
    : E.right(coordinates)
}

// ---------------------------------------------------------------- elements

/** The box whose image in shared memory a copy has. */
export const columnsBox = (c: Columns): Box => ({
  bits: c.bits,
  extents: [c.pixels, c.channels],
  elementStrides: [1, 1],
  swizzle: c.swizzle,
})

/** Offsets in the tensor of all elements, pixel by pixel, in units of `strides`; -1 outside of the tensor. */
export const columnOffsets = (
  c: Columns,
  dims: Shape,
  strides: ReadonlyArray<number>,
  coordinates: Index,
  offsets: ReadonlyArray<number>,
): Int32Array => {
  const inner = dims.length - 1
  const found = new Int32Array(c.pixels * c.channels)
  const at = coordinates.slice(0, inner)
  for (let pixel = 0, next = 0; pixel < c.pixels; pixel++) {
    let base = 0
    for (let d = 0; d < inner && base >= 0; d++) {
      const place = at[d]! + (d === 0 ? 0 : (offsets[d - 1] ?? 0))
      base = place < 0 || place >= dims[d]! ? -1 : base + place * strides[d]!
    }
    for (let k = 0; k < c.channels; k++) {
      const channel = coordinates[inner]! + k
      found[next++] =
        base < 0 || channel < 0 || channel >= dims[inner]! ? -1 : base + channel * strides[inner]!
    }
    // on to the next pixel of the window, the innermost first
    let d = inner - 1
    at[d]! += c.elementStrides[d]!
    while (d > 0 && at[d]! >= dims[d]! + c.upper[d - 1]!) {
      at[d] = c.lower[d - 1]!
      d--
      at[d]! += c.elementStrides[d]!
    }
  }
  return found
}
