/**
 * What a copy takes of a GMEM tensor: a slice, or some rows.
 *
 * A slice has a start for each dimension, and a size, or none where the dimension is indexed by an integer and goes away. Sizes are static,
 * starts are run-time values. Rows are named by an array of indices; of each, some columns are taken.
 *
 *     x.at[pl.ds(m, 64), pl.ds(k, 32)]     at(x, [m, k], [64, 32])          shape (64, 32)
 *     x.at[b, pl.ds(m, 64)]                at(x, [b, m], [null, 64])        shape (64,)
 *     x.at[idx, pl.ds(k, 32)]              rowsAt(x, idx, k, 32)            shape (idx, 32)
 *
 * Source: JAX docs, Pallas:MGPU reference.
 */
import type { Dtype } from '../../../numerics/dtype.js'
import type { Tensor } from '../../../semantics/writing/builder.js'
import { add, i32, mul, transposeView, type Int, type Tile } from '../../../semantics/language/expression.js'
import type { DynamicSlice, Everything } from '../refs.js'

/** `tensor.at[pl.ds(start, size), ...]`; a size of null is an integer index. */
export interface GmemSlice<D extends Dtype, R extends number> {
  readonly tensor: Tensor<D>
  readonly starts: ReadonlyArray<Int>
  readonly sizes: ReadonlyArray<number | null>
  /** only for tsc: the rank that remains */
  readonly rank?: R
}

/** `tensor.at[rows, pl.ds(start, size)]` of a matrix. */
export interface GmemRows<D extends Dtype> {
  readonly tensor: Tensor<D>
  readonly rows: Tile<'i32', 1>
  readonly start: Int
  readonly size: number
}

type At = {
  <D extends Dtype, R extends number>(
    tensor: Tensor<D, R>,
    starts: ReadonlyArray<Int>,
    sizes: ReadonlyArray<number>,
  ): GmemSlice<D, R>
  <D extends Dtype>(
    tensor: Tensor<D>,
    starts: ReadonlyArray<Int>,
    sizes: ReadonlyArray<number | null>,
  ): GmemSlice<D, number>
}
/** A slice of a tensor. */
export const at: At = <D extends Dtype>(
  tensor: Tensor<D>,
  starts: ReadonlyArray<Int>,
  sizes: ReadonlyArray<number | null>,
): GmemSlice<D, number> => ({ tensor, starts, sizes })

const reversed = (xs: ReadonlyArray<Int>): ReadonlyArray<Int> => [...xs].reverse()

/** `plgpu.transpose_ref(ref, (1, 0))` of a matrix in GMEM: the same elements, columns as rows. For copies. */
export const transposeGmem = <D extends Dtype>(of: Tensor<D, 2>): Tensor<D, 2> => ({
  param: { ...of.param, shape: reversed(of.param.shape), strides: reversed(of.param.strides) },
  dtype: of.dtype,
  view: transposeView(of.view, [1, 0]),
  ptr: of.ptr,
  dims: reversed(of.dims),
})

/** A slice of a slice: `window.at[:, pl.ds(start, size)]`. Dimensions that the window has dropped are not
 * counted. */
export const within = <D extends Dtype, R extends number>(
  window: GmemSlice<D, R>,
  indices: ReadonlyArray<DynamicSlice | Everything>,
): GmemSlice<D, R> => {
  const left = [...indices]
  const axes = window.sizes.map((size, d): readonly [Int, number | null] => {
    const start = window.starts[d]!
    const index = size === null ? undefined : left.shift()
    if (index === undefined || index._tag === 'everything') return [start, size]
    return [add(start, typeof index.start === 'number' ? i32(index.start) : index.start), index.size]
  })
  return {
    tensor: window.tensor,
    starts: axes.map(([start]) => start),
    sizes: axes.map(([, size]) => size),
  }
}

/** Some rows of a matrix. */
export const rowsAt = <D extends Dtype>(
  tensor: Tensor<D, 2>,
  rows: Tile<'i32', 1>,
  start: Int,
  size: number,
): GmemRows<D> => ({ tensor, rows, start, size })

export const isRows = <D extends Dtype, R extends number>(
  source: GmemSlice<D, R> | GmemRows<D>,
): source is GmemRows<D> => 'rows' in source

/** The shape of a slice. */
export const shapeOf = (slice: Pick<GmemSlice<Dtype, number>, 'sizes'>): ReadonlyArray<number> =>
  slice.sizes.flatMap((n) => (n === null ? [] : [n]))

/** The start of the slice `pl.ds(index * size, size)`. */
export const blockStart = (index: Int, size: number): Int => mul(index, i32(size))
