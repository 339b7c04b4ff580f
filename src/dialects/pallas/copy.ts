/**
 * Pallas copies: `copy_gmem_to_smem`, `copy_smem_to_gmem` and what they are ordered by.
 *
 * A copy moves a slice of a GMEM tensor to or from an SMEM ref with the same logical shape. The transforms of the ref decide the
 * tensor map: a ref tiled by (8, e) is filled through a rank-4 view of the tensor, so that the box arrives already tiled and
 * swizzled, and the slice must start at a multiple of the tile.
 *
 *     SMEM (128, 64) f16, Tiling (8, 64), Swizzle 128
 *     GMEM (m, k)    seen as (m/8, k/64, 8, 64), strides (8k, 64, k, 1); box (16, 1, 8, 64)
 *
 * A load elaborates to `mbarrier.arriveExpectTx` (the bytes of the destination) and `tma.load`: one arrival a copy, so a barrier
 * that two copies complete has `num_arrivals=2`. A store closes its group at once. `commit_smem` is the proxy fence between the
 * thread's own stores to SMEM and a copy that reads them.
 *
 * Source: JAX docs, Pallas:MGPU reference, asynchronous copies.
 */
import { failure } from '../../failure.js'
import { bitsOf, type Dtype } from '../../numerics/dtype.js'
import {
  block,
  descriptorParam,
  fail,
  run,
  typeHere,
  type Build,
  type Tensor,
} from '../../semantics/builder.js'
import {
  i32,
  mul,
  quo,
  slot,
  type Condition,
  type Descriptor,
  type Int,
  type View,
} from '../../semantics/expression.js'
import * as Ref from '../../transforms/ref.js'
import { sizeOf } from '../../transforms/shape.js'
import type { Barrier } from './barrier.js'

/** `tensor.at[pl.ds(start, size), ...]`. */
export interface GmemSlice<D extends Dtype, R extends number> {
  readonly tensor: Tensor<D, R>
  readonly starts: ReadonlyArray<Int>
  readonly sizes: ReadonlyArray<number>
}

export const at = <D extends Dtype, R extends number>(
  tensor: Tensor<D, R>,
  starts: ReadonlyArray<Int>,
  sizes: ReadonlyArray<number>,
): GmemSlice<D, R> => ({ tensor, starts, sizes })

const show = (shape: ReadonlyArray<number>): string => `(${shape.join(', ')})`

/** The tensor map of a copy between a slice and a ref, and the coordinates of the slice in it. */
const mapOf = <D extends Dtype, R extends number>(
  label: string,
  slice: GmemSlice<D, R>,
  ref: View<'smem', D, R>,
): Build<{
  readonly descriptor: Descriptor<D, number>
  readonly coords: ReadonlyArray<Int>
  readonly bytes: number
}> =>
  block(function* () {
    const type = yield* typeHere(ref)
    if (type._tag !== 'view') return yield* fail(failure('pallas.copy', `${label}: expected an SMEM ref`))
    const layout = type.layout
    if (!slice.sizes.every((n, d) => n === layout.shape[d]) || slice.sizes.length !== layout.shape.length)
      return yield* fail(
        failure(
          'pallas.copy.shape',
          `${label}: Expected shapes to match, found a slice of ${show(slice.sizes)} and a ref of ${show(layout.shape)}`,
        ),
      )
    const shape = slice.tensor.param.shape.map((e) => (e._tag === 'const' ? Number(e.value) : NaN))
    if (shape.some(Number.isNaN))
      return yield* fail(
        failure('pallas.copy.shape', `${label}: the shape of ${slice.tensor.param.name} is not constant`),
      )
    const tile = layout.tiling[0]
    if (layout.tiling.length > 1)
      return yield* fail(
        failure(
          'pallas.copy.transforms',
          `${label}: a copy takes one level of tiling, found ${String(layout.tiling.length)}`,
        ),
      )
    const rank = shape.length
    const strides = shape.map((_, d) => sizeOf(shape.slice(d + 1)))
    // the dimensions that the tile cuts, seen as (outer, inner)
    const from = tile === undefined ? rank : rank - tile.length
    const cut = tile ?? []
    const uneven = cut.findIndex((t, k) => shape[from + k]! % t !== 0)
    if (uneven >= 0)
      return yield* fail(
        failure(
          'pallas.copy.tile',
          `${label}: dimension ${String(from + uneven)} of ${slice.tensor.param.name} is ${String(shape[from + uneven])}: expected a multiple of the tile's ${String(cut[uneven])}`,
        ),
      )
    const dims = [...shape.slice(0, from), ...cut.map((t, k) => shape[from + k]! / t), ...cut]
    const tiledStrides = [
      ...strides.slice(0, from),
      ...cut.map((t, k) => strides[from + k]! * t),
      ...cut.map((_, k) => strides[from + k]!),
    ]
    const box = Ref.tiledShape(layout)
    const coords = [
      ...slice.starts.slice(0, from),
      ...cut.map((t, k) => quo(slice.starts[from + k]!, i32(t))),
      ...cut.map(() => i32(0)),
    ]
    const descriptor = yield* descriptorParam(`${label}.map`, slice.tensor, box, {
      swizzle: layout.swizzle,
      dims,
      strides: tiledStrides,
    })
    return { descriptor, coords, bytes: (sizeOf(layout.shape) * bitsOf(type.dtype)) / 8 }
  })

/** `copy_gmem_to_smem(src, dst, barrier)`: one arrival, and the bytes of `dst`. Predicated off, it does nothing at all. */
export const copyGmemToSmem = <D extends Dtype, R extends number>(
  label: string,
  source: GmemSlice<D, R>,
  destination: View<'smem', D, R>,
  barrier: Barrier,
  index: Int,
  when?: Condition,
): Build<void> =>
  block(function* () {
    const { descriptor, coords, bytes } = yield* mapOf(label, source, destination)
    const options = when === undefined ? {} : { when }
    const on = slot(barrier.expr, index)
    yield* run(
      `${label}.expect`,
      { _tag: 'mbarrier.arriveExpectTx', barrier: on, bytes: i32(bytes), release: true, scope: 'cta' },
      options,
    )
    yield* run(
      label,
      { _tag: 'tma.load', descriptor, coords, destination, barrier: on, ctaGroup: 1 },
      options,
    )
  })

export interface StoreOptions {
  /** predicated off, it stores nothing; its group is closed all the same */
  readonly when?: Condition
  /** closes the group of all copies that are in none (default true) */
  readonly commitGroup?: boolean
}

/** `copy_smem_to_gmem(src, dst, predicate, commit_group)`: a group of its own unless others were left open. */
export const copySmemToGmem = <D extends Dtype, R extends number>(
  label: string,
  source: View<'smem', D, R>,
  destination: GmemSlice<D, R>,
  { when, commitGroup = true }: StoreOptions = {},
): Build<void> =>
  block(function* () {
    const { descriptor, coords } = yield* mapOf(label, destination, source)
    yield* run(label, { _tag: 'tma.store', descriptor, coords, source }, when === undefined ? {} : { when })
    if (commitGroup) yield* run(`${label}.group`, { _tag: 'bulk.commitGroup' })
  })

/** `commit_smem()`: the thread's stores to SMEM become visible to copies and matrix units. */
export const commitSmem = (label: string): Build<void> =>
  run(label, { _tag: 'fence.proxyAsync', scope: 'cta' })

/** `wait_smem_to_gmem(n, wait_read_only)`: at most the n newest copies are still on their way (or still reading). */
export const waitSmemToGmem = (label: string, n: number, waitReadOnly: boolean = false): Build<void> =>
  run(label, { _tag: 'bulk.waitGroup', pending: n, read: waitReadOnly })

/** `pl.ds(index * size, size)` as a start. */
export const blockStart = (index: Int, size: number): Int => mul(index, i32(size))
