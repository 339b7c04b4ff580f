/**
 * Copies of contiguous elements, which need no tensor map: so they may be wider than the 256 elements of a box.
 *
 * JAX takes `cp.async.bulk` for a slice that lies in one piece, unless it has to fill in zeros, is shared by blocks, or meets a ref with transforms. This
 * library's machine copies boxes, so such a copy is several of them, of a map in which the tensor is one row:
 *
 *     x.at[4, 4] of (5, 5, 512) f32        from 24 * 512: two boxes of 256 elements, into 256 elements of the ref each
 *
 * A slice that leaves the tensor behind its last element is cut off there, and the barrier hears of all bytes.
 *
 * Laws
 * 1. After the copy the ref, or the tensor, holds the slice; of a slice that fits a box, too.
 * 2. What lies in pieces is none: the box decides.
 *
 * Source: JAX 0.10.2, Mosaic GPU, asynchronous copies; PTX ISA, cp.async.bulk.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../../failure.js'
import { bitsOf, type Dtype } from '../../../numerics/dtype.js'
import {
  add,
  i32,
  mul,
  reinterpret,
  slot,
  type Int,
  type View,
} from '../../../semantics/language/expression.js'
import * as Ref from '../../../transforms/ref.js'
import { rowMajorStrides, sizeOf } from '../../../transforms/shape.js'
import type { Code } from '../codes.js'
import { contiguousTensor, type Seen, type SmemRef } from './map.js'
import type { GmemSlice } from './slice.js'

/** The most elements of a box in one dimension, and the bits that its innermost is a multiple of. */
const widest = 256
const step = 128

/** One box of a copy: of the tensor as one row, and the part of the ref that it fills or is taken from. */
export interface Run {
  readonly seen: Seen
  readonly part: View<'smem'>
}

/** Does what is taken lie in one piece? */
const isWhole = (sizes: ReadonlyArray<number | null>, strides: ReadonlyArray<number>): boolean => {
  let expected = 1
  for (let d = sizes.length - 1; d >= 0; d--) {
    const size = sizes[d] ?? 1
    if (size !== 1 && strides[d] !== expected) return false
    expected *= size
  }
  return true
}

/** The elements of a box: the most that divide all of them. */
const boxOf = (elements: number, bits: number): number | null => {
  for (let box = Math.min(widest, elements); box > 0; box--)
    if (elements % box === 0 && (box * bits) % step === 0) return box
  return null
}

/** The boxes of a slice that is wider than one and lies in one piece, in a ref that does; null: it is none. */
export const runsOf = <D extends Dtype, R extends number>(
  label: string,
  slice: GmemSlice<D, R>,
  view: View<'smem'>,
  ref: SmemRef,
): E.Either<Failure<Code>, ReadonlyArray<Run> | null> => {
  const { layout, dtype } = ref
  if (layout.tiling.length > 0 || layout.swizzle !== 16 || slice.tensor.dtype !== dtype) return E.right(null)
  if (layout.shape.every((n) => n <= widest)) return E.right(null)
  const extents = contiguousTensor(label, slice.tensor)
  if (E.isLeft(extents)) return extents
  const strides = rowMajorStrides(extents.right)
  const plain = rowMajorStrides(layout.shape)
  const elements = sizeOf(layout.shape)
  const box = boxOf(elements, bitsOf(dtype))
  if (
    box === null ||
    !isWhole(slice.sizes, strides) ||
    layout.shape.some((n, d) => n > 1 && layout.strides[d] !== plain[d])
  )
    return E.right(null)
  const flat = Ref.ofStrides([elements / box, box], layout.bits, [box, 1], layout.swizzle)
  if (E.isLeft(flat)) return E.right(null)
  const parts = reinterpret<Dtype, number, 'smem'>(view, dtype, {
    ...flat.right,
    byteOffset: layout.byteOffset,
  })
  const from = slice.starts.map((start, d): Int => mul(start, i32(strides[d]!))).reduce(add)
  return E.right(
    Array.from({ length: elements / box }, (_, k) => ({
      seen: {
        dims: [
          { extent: sizeOf(extents.right), stride: 1, start: add(from, i32(k * box)), box, squeezed: false },
        ],
        swizzle: 16 as const,
      },
      part: slot(parts, i32(k)),
    })),
  )
}
