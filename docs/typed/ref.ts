/**
 * Refs whose literal shape, dtype and memory space tsc knows.
 *
 *     const a = swizzle(tile(ref([128, 128], 'f16', 'smem'), [8, 64]), 128)
 *     //    Ref<readonly [128, 128], 'f16', 'smem', readonly [8, 64], 128>
 *     a.layout            // Either<Failure, TransformedRef>: what the rest of the library works with
 *     tile(ref([128, 128], 'f16', 'smem'), [48, 64])   // tsc: IllegalTile<"dim 0: 48 does not divide 128">
 *
 * This is a facade and owns no meaning: every function records what was asked in the type and asks the core for the value
 * (`transforms/ref.ts`). A fault that tsc could not see, such as that of a computed extent, is the `Left` of `layout`; the first one
 * stays. The ref is the first argument, not the last, because a check needs the ref's type beside the argument that it judges.
 *
 * A ref is first an *allocation*, which can be cut and swizzled, once each and in this order, and becomes a *view* when it is
 * sliced or transposed. Tilings of several levels have no literal form here; make those with the core.
 *
 * Laws
 * 1. `layout` is what the core makes of the same transforms and views.
 * 2. `physicalShape` is the core's tiled shape, and has the type `Tiled<S, T>`.
 *
 * Source: JAX docs, Pallas:MGPU reference (memory reference transforms).
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../src/failure.js'
import { refuse } from '../../src/failure.js'
import { tmemLaneBytes } from '../../src/layouts/tensor-memory/geometry.js'
import type { Dtype } from '../../src/numerics/dtype.js'
import { bitsOf } from '../../src/numerics/dtype.js'
import { checked } from '../../src/semantics/language/index-types.js'
import type { Space, ViewType } from '../../src/semantics/language/types.js'
import { view as viewType } from '../../src/semantics/language/types.js'
import * as R from '../../src/transforms/ref.js'
import type { TransformedRef } from '../../src/transforms/ref.js'
import type { Shape } from '../../src/transforms/shape.js'
import type { Swizzle } from '../../src/transforms/swizzle.js'
import * as T from '../../src/transforms/transform.js'
import { permute } from '../../src/transforms/transpose.js'
import type {
  Permuted,
  PermutedTile,
  SliceCheck,
  SpaceCheck,
  SwizzleCheck,
  TileCheck,
  Tiled,
  TransposeCheck,
} from './type-errors.js'

// ---------------------------------------------------------------------------------------------- model

export type Stage = 'allocation' | 'view'

export interface Ref<
  S extends Shape,
  D extends Dtype,
  M extends Space,
  T extends Shape = readonly [],
  W extends Swizzle = 16,
  V extends Stage = 'allocation',
> {
  readonly shape: S
  readonly dtype: D
  readonly space: M
  /** `[]` when nothing is cut. */
  readonly tile: T
  /** 16 is none. */
  readonly swizzle: W
  readonly stage: V
  /** The core's value, or the first thing that it refused. */
  readonly layout: E.Either<Failure, TransformedRef>
}

export type AnyRef = Ref<Shape, Dtype, Space, Shape, Swizzle, Stage>

// ---------------------------------------------------------------------------------------- constructors

const allocated = (shape: Shape, dtype: Dtype, space: Space): E.Either<Failure, TransformedRef> => {
  const bits = bitsOf(dtype)
  if (space !== 'tmem') return R.ofTransforms(shape, bits, [])
  return shape.length === 2
    ? R.ofStrides(shape, bits, [(8 * tmemLaneBytes) / bits, 1])
    : refuse(
        'typed.tensor-memory',
        `Tensor memory is lanes and columns, found an array of rank ${String(shape.length)}`,
      )
}

/**
 * An array in memory, row-major; in tensor memory row i is lane i, elements packed in its columns.
 *
 *     const a = ref([128, 64], 'f16', 'smem')
 *     a.shape, a.dtype, a.space      // [128, 64], 'f16', 'smem'
 */
export const ref = <const S extends Shape, D extends Dtype, M extends Space>(
  shape: S,
  dtype: D,
  space: M,
): Ref<S, D, M> => ({
  shape,
  dtype,
  space,
  tile: [],
  swizzle: 16,
  stage: 'allocation',
  layout: allocated(shape, dtype, space),
})

// ----------------------------------------------------------------------------------------- destructors

/** The core's type of a view, as programs use it. */
export const view = (of: AnyRef): E.Either<Failure, ViewType> =>
  E.map((layout: TransformedRef) => viewType(of.space, of.dtype, layout))(of.layout)

/** The shape in memory: quotients, then the tile. */
export const physicalShape = <S extends Shape, T extends Shape>(
  of: Ref<S, Dtype, Space, T, Swizzle, Stage>,
): E.Either<Failure, Tiled<S, T>> =>
  E.map((layout: TransformedRef) => checked<Tiled<S, T>, Shape>(R.tiledShape(layout)))(of.layout)

// ------------------------------------------------------------------------------------------ transforms

/** Cuts the last dimensions by a tile. Refuses a tile that does not divide them. */
export const tile = <const S extends Shape, D extends Dtype, M extends Space, const By extends Shape>(
  of: Ref<S, D, M>,
  by: By & TileCheck<S, By>,
): Ref<S, D, M, By> => ({
  shape: of.shape,
  dtype: of.dtype,
  space: of.space,
  tile: by,
  swizzle: 16,
  stage: 'allocation',
  layout: pipe(
    of.layout,
    E.chainW(() => T.tile(by)),
    E.chainW((cut) => R.ofTransforms(of.shape, bitsOf(of.dtype), [cut])),
  ),
})

const swizzled = (of: AnyRef, span: number): E.Either<Failure, TransformedRef> => {
  if (of.space !== 'smem') return refuse('typed.space', `Only shared memory is swizzled, found ${of.space}`)
  const none: ReadonlyArray<T.Transform> = []
  const cuts: E.Either<Failure, ReadonlyArray<T.Transform>> = of.tile.length === 0
    ? E.right(none)
    : E.map((cut: T.Transform) => [cut])(T.tile(of.tile))
  return pipe(
    cuts,
    E.bindTo('cuts'),
    E.bindW('last', () => T.swizzle(span)),
    E.chainW(({ cuts: before, last }) => R.ofTransforms(of.shape, bitsOf(of.dtype), [...before, last])),
  )
}

/** Swizzles shared memory. The last physical dimension must fill the span exactly. */
export const swizzle = <
  S extends Shape,
  D extends Dtype,
  M extends Space,
  T extends Shape,
  const W extends number,
>(
  of: Ref<S, D, M, T> & SpaceCheck<M, 'smem', 'smem'>,
  span: W & SwizzleCheck<S, D, T, W>,
): Ref<S, D, M, T, Extract<W, Swizzle>> => ({
  shape: of.shape,
  dtype: of.dtype,
  space: of.space,
  tile: of.tile,
  swizzle: checked<Extract<W, Swizzle>, number>(span),
  stage: 'allocation',
  layout: swizzled(of, span),
})

// ----------------------------------------------------------------------------------------------- views

/** A rectangular part. Starts and sizes respect the tile. */
export const slice = <
  S extends Shape,
  D extends Dtype,
  M extends Space,
  T extends Shape,
  W extends Swizzle,
  const I extends Shape,
  const N extends Shape,
>(
  of: Ref<S, D, M, T, W, Stage>,
  starts: I & SliceCheck<S, T, I>,
  sizes: N & SliceCheck<S, T, N>,
): Ref<N, D, M, T, W, 'view'> => ({
  shape: sizes,
  dtype: of.dtype,
  space: of.space,
  tile: of.tile,
  swizzle: of.swizzle,
  stage: 'view',
  layout: E.chainW(R.slice(starts, sizes))(of.layout),
})

/** One index of the leading dimension, which is dropped: a buffer of a ring. */
export const slot = <
  N extends number,
  S extends Shape,
  D extends Dtype,
  M extends Space,
  T extends Shape,
  W extends Swizzle,
>(
  of: Ref<readonly [N, ...S], D, M, T, W, Stage>,
  index: number,
): Ref<readonly [...S], D, M, T, W, 'view'> => ({
  shape: checked<readonly [...S], Shape>(of.shape.slice(1)),
  dtype: of.dtype,
  space: of.space,
  tile: of.tile,
  swizzle: of.swizzle,
  stage: 'view',
  layout: E.chainW(R.slot(index))(of.layout),
})

/** Dimension k of the result is dimension p[k]; a tile is permuted too, and no byte moves. */
export const transpose = <
  S extends Shape,
  D extends Dtype,
  M extends Space,
  T extends Shape,
  W extends Swizzle,
  const P extends Shape,
>(
  of: Ref<S, D, M, T, W, Stage>,
  p: P & TransposeCheck<S, P>,
): Ref<Permuted<S, P>, D, M, PermutedTile<S, T, P>, W, 'view'> => {
  const from = of.shape.length - of.tile.length
  return {
    shape: checked<Permuted<S, P>, Shape>(permute(p)(of.shape)),
    dtype: of.dtype,
    space: of.space,
    tile: checked<PermutedTile<S, T, P>, Shape>(permute(p.slice(from).map((d) => d - from))(of.tile)),
    swizzle: of.swizzle,
    stage: 'view',
    layout: E.chainW(R.transpose(p))(of.layout),
  }
}
