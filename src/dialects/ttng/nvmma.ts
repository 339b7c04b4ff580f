/**
 * Messages: what a copy of a buffer in shared memory takes.
 *
 * A swizzle of W bytes makes panels of W bytes: all rows of one panel, then the next. One message moves a box: W bytes of at most 256 rows
 * (without a swizzle at most 256 in every dimension), and its bytes lie one after another.
 *
 *     f16 (128, 128), W = 128     panels of 64 columns: tile (8, 64), strides (512, 8192, 64, 1)
 *     messages                    (128, 64) from (0, 0) and (128, 64) from (0, 64), the second 16384 bytes on
 *
 * `messagesOf` reads them off any layout. So a buffer that was cut in another order (Mosaic orders tiles row by row) is refused where it
 * takes more than one message.
 *
 * Laws
 * 1. The messages tile the buffer, in the order of the encoding's messages; the image of each is one run of bytes.
 *
 * Source: Triton, `nvmma_shared` and the lowering of TMA copies.
 */
import * as E from 'fp-ts/lib/Either.js'
import * as Ref from '../../transforms/ref.js'
import type { TransformedRef } from '../../transforms/ref.js'
import { showShape, type Shape } from '../../transforms/shape.js'

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

const dense = (layout: TransformedRef): boolean => Ref.isRowMajor(layout)

/** The messages of a copy of this buffer, or a text that says why there are none. */
export const messagesOf = (layout: TransformedRef): E.Either<string, ReadonlyArray<Message>> => {
  const sizes = boxOf(layout)
  if (layout.shape.length === 0) return E.left('a buffer of rank 1 or more')
  if (layout.shape.some((extent, d) => extent % sizes[d]! !== 0))
    return E.left(`a shape that is a multiple of its boxes ${showShape(sizes)}`)
  const part = Ref.sliceShape(sizes)(layout)
  if (E.isLeft(part) || !dense(part.right))
    return E.left(
      `nvmma_shared, not transposed: the rows of a box of ${showShape(sizes)} one after another, the last dimension contiguous`,
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
