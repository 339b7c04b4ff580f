/**
 * `nvmma_shared`: how a buffer lies that copies fill and tensor cores read, and the messages that a copy of it takes.
 *
 * A swizzle of W bytes makes panels of W bytes: all rows of one panel, then the next. One message moves a box: W bytes of at most 256 rows
 * (without a swizzle at most 256 in every dimension), and its bytes lie behind one another.
 *
 *     f16 (128, 128), W = 128     panels of 64 columns: tile (8, 64), strides (512, 8192, 64, 1)
 *     messages                    (128, 64) from (0, 0) and (128, 64) from (0, 64), the second 16384 bytes on
 *
 * `nvmmaRef` makes the layout of a buffer, `messagesOf` reads the messages off any layout. So a buffer that was cut in another order (Mosaic
 * orders tiles row by row) is refused where it takes more than one message.
 *
 * Laws
 * 1. `nvmmaRef` puts every element where the linear layout of the encoding puts it.
 * 2. The messages tile the buffer, in the order of the encoding's messages; the image of each is one run of bytes.
 *
 * Not here: 4-bit elements padded to 16 in 16 bytes, and transposed buffers of rank 3 without a swizzle.
 *
 * Source: Triton, `nvmma_shared` and the lowering of TMA copies.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { NvmmaShared } from '../../layouts/triton/encoding.js'
import { encoding } from '../../layouts/triton/encoding.js'
import * as Ref from '../../transforms/ref.js'
import type { TransformedRef } from '../../transforms/ref.js'
import { showShape, sizeOf, type Shape } from '../../transforms/shape.js'
import { isSwizzle } from '../../transforms/swizzle.js'
import { refuse, type Code } from './codes.js'
import type { Failure } from '../../failure.js'

// ---------------------------------------------------------------- messages

export interface Message {
  readonly starts: Shape
  /** of the buffer; as long as `starts` */
  readonly sizes: Shape
}

const mostRows = 256

/** The box of one message of this buffer. */
export const boxOf = (layout: TransformedRef): Shape => {
  const { shape, swizzle, bits } = layout
  const width = swizzle === 16 ? mostRows : (8 * swizzle) / bits
  return shape.map((extent, d) => Math.min(extent, d === shape.length - 1 ? width : mostRows))
}

const dense = (layout: TransformedRef): boolean => Ref.elementOffsets(layout).every((at, i) => at === i)

/** The messages of a copy of this buffer; a text says why there are none. */
export const messagesOf = (layout: TransformedRef): E.Either<string, ReadonlyArray<Message>> => {
  const sizes = boxOf(layout)
  if (layout.shape.length === 0) return E.left('a buffer of rank 1 or more')
  if (layout.shape.some((extent, d) => extent % sizes[d]! !== 0))
    return E.left(`a shape that is a multiple of its boxes ${showShape(sizes)}`)
  const part = Ref.sliceShape(sizes)(layout)
  if (E.isLeft(part) || !dense(part.right))
    return E.left(
      `nvmma_shared, not transposed: the rows of a box of ${showShape(sizes)} behind one another, the last dimension contiguous`,
    )
  // dimension 0 runs first
  let starts: ReadonlyArray<Shape> = [layout.shape.map(() => 0)]
  layout.shape.forEach((extent, d) => {
    starts = Array.from({ length: extent / sizes[d]! }, (_, k) => k).flatMap((k) =>
      starts.map((s) => s.map((v, e) => (e === d ? k * sizes[d]! : v))),
    )
  })
  return E.right(starts.map((s) => ({ starts: s, sizes })))
}

/** Without leading extents of 1. */
export const stripped = (shape: Shape): Shape => {
  const from = shape.findIndex((n) => n !== 1)
  return from < 0 ? shape.slice(-1) : shape.slice(from)
}

// ---------------------------------------------------------------- layouts

const refuseRef = (message: string): E.Either<Failure<Code>, never> => refuse('ttng.nvmma_shared', message)

/** Rows and columns, columns contiguous. */
const matrix = (
  spec: NvmmaShared,
  bits: number,
  [rows, columns]: readonly [number, number],
): TransformedRef => {
  const width = (8 * spec.swizzlingByteWidth) / bits
  const extents = [rows / 8, columns / width, 8, width]
  const swizzle = isSwizzle(spec.swizzlingByteWidth) ? spec.swizzlingByteWidth : 16
  return {
    _tag: 'TransformedRef',
    shape: [rows, columns],
    bits,
    tiling: [[8, width]],
    strides: [8 * width, rows * width, width, 1].map((s, k) => (extents[k] === 1 ? 0 : s)),
    byteOffset: 0,
    swizzle,
  }
}

/** A buffer without a swizzle: boxes of at most 256 by 256, the last dimension first. */
const flat = (bits: number, shape: Shape): TransformedRef => {
  const box = shape.map((extent) => Math.min(extent, mostRows))
  const extents = shape.map((extent, d) => extent / box[d]!)
  const cut = extents.some((n) => n > 1)
  const all = cut ? [...extents, ...box] : shape
  const strides = all.map((n, k) => (n === 1 ? 0 : sizeOf(all.slice(k + 1))))
  return {
    _tag: 'TransformedRef',
    shape,
    bits,
    tiling: cut ? [box] : [],
    strides,
    byteOffset: 0,
    swizzle: 16,
  }
}

/**
 * The layout of a buffer of elements of `bits`: the share of one CTA. `buffers`: so many of them behind each other, in a leading dimension.
 */
export const nvmmaRef = (
  spec: NvmmaShared,
  bits: number,
  shape: Shape,
  buffers?: number,
): E.Either<Failure, TransformedRef> =>
  pipe(
    encoding(spec),
    E.chainW((): E.Either<Failure, TransformedRef> => {
      const { swizzlingByteWidth: width, transposed, fp4Padded } = spec
      if (fp4Padded)
        return refuseRef(
          'nvmma_shared with fp4Padded: elements of 4 bits in gaps are no view of this library',
        )
      if (bits !== spec.elementBitWidth)
        return refuseRef(
          `nvmma_shared with elementBitWidth ${String(spec.elementBitWidth)}: found elements of ${String(bits)} bits`,
        )
      if (width === 0)
        return transposed
          ? shape.length === 2
            ? Ref.transpose([1, 0])(flat(bits, [shape[1]!, shape[0]!]))
            : refuseRef(
                `nvmma_shared without swizzle, transposed: expected rank 2, found ${showShape(shape)}`,
              )
          : E.right(flat(bits, shape))
      if (shape.length < 2)
        return refuseRef(
          `nvmma_shared with swizzle ${String(width)}: expected rank 2 or more, found ${showShape(shape)}`,
        )
      // the leading dimensions are rows, too
      const contiguous = transposed ? shape[0]! : shape[shape.length - 1]!
      const others = transposed ? shape.slice(1) : shape.slice(0, -1)
      const rows = sizeOf(others)
      if (rows % 8 !== 0 || (contiguous * bits) % (8 * width) !== 0)
        return refuseRef(
          `nvmma_shared with swizzle ${String(width)}: expected a multiple of 8 rows of a multiple of ${String((8 * width) / bits)} elements, found ${showShape(shape)}`,
        )
      if (others.length > 1 && (transposed || others.slice(0, -1).some((n) => n !== 1)))
        return refuseRef(
          `nvmma_shared with swizzle ${String(width)}: expected leading dimensions of 1, found ${showShape(shape)}`,
        )
      const made = matrix(spec, bits, [rows, contiguous])
      if (transposed) return Ref.transpose([1, 0])(made)
      return others
        .slice(0, -1)
        .reduce<E.Either<Failure, TransformedRef>>((ref) => pipe(ref, E.chainW(Ref.batch(1))), E.right(made))
    }),
    E.chainW((ref) => (buffers === undefined ? E.right(ref) : Ref.batch(buffers)(ref))),
  )
