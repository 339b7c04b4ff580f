/**
 * Transforms: from the array a kernel talks about to the array that lies in shared memory.
 *
 * A transform is an isomorphism between a logical and a physical index set. `transforms = (T1, ..., Tn)` are
 * applied left to right to the logical type; the physical array is then laid out row-major, and a swizzle, which
 * must come last, moves 16-byte chunks of its bytes.
 *
 *     f16 (128, 128)  --Tile (8, 64)-->  (16, 2, 8, 64)  --Swizzle 128-->  the same shape, chunk j of line k at j xor k
 *
 * Names: Pallas writes `SMEM(shape, dtype, transforms=(TilingTransform((8, 64)), SwizzleTransform(128)))`; Triton has
 * one attribute, `nvmma_shared`, for the pair (panels instead of row-major tiles beyond one panel); CuTe composes a
 * swizzle functor with a tiled layout. Older Pallas names are kept as aliases at the end.
 *
 * Laws
 * 1. `physicalShape` has as many elements as the logical shape.
 * 2. `physicalShape(ts ++ us) = physicalShape(us) after physicalShape(ts)` as long as ts has no swizzle.
 * 3. A swizzle leaves the shape alone and is legal only on a minor dimension of exactly 8 * S / bits elements.
 *
 * Source: JAX docs, Pallas:MGPU reference (memory reference transforms).
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../failure.js'
import { refuse, unreachable } from '../failure.js'
import type { Shape } from './shape.js'
import { showShape } from './shape.js'
import type { Swizzle, SwizzleError } from './swizzle.js'
import { swizzleElements, swizzleOf } from './swizzle.js'
import type { Tile, TileShapeError, Tiling, TilingError } from './tile.js'
import { showTiling, tileShape, tiling } from './tile.js'
import type { Permutation, PermutationError } from './transpose.js'
import { permutation, permute } from './transpose.js'

// ---------------------------------------------------------------------------------------------- model

export type Transform =
  | { readonly _tag: 'Tile'; readonly tiling: Tiling }
  | { readonly _tag: 'Swizzle'; readonly swizzle: Swizzle }
  | { readonly _tag: 'Transpose'; readonly permutation: Permutation }

export type TransformError =
  | TileShapeError
  | 'transpose.rank'
  | 'swizzle.element-bits'
  | 'swizzle.minor-dimension'
  | 'transform.after-swizzle'

// ---------------------------------------------------------------------------------------- constructors

/** A cut by one or more tiles, outermost first. */
export const tiled = (levels: ReadonlyArray<Tile>): E.Either<Failure<TilingError>, Transform> =>
  E.map((legal: Tiling): Transform => ({ _tag: 'Tile', tiling: legal }))(tiling(levels))
/**
 * @example
 * ```ts
 * import { transform } from 'tensorcore-spec/transforms'
 *
 * const tiles = transform.tile([8, 64])
 * console.log(tiles._tag === 'Right' ? transform.showTransform(tiles.right) : tiles.left.message) // Tile(8, 64)
 * const none = transform.tile([0, 64])
 * console.log(none._tag === 'Right' ? transform.showTransform(none.right) : none.left.message) // Tile extents must be positive integers, found (0, 64)
 * ```
 */
export const tile = (...levels: ReadonlyArray<Tile>): E.Either<Failure<TilingError>, Transform> =>
  tiled(levels)

/**
 * A swizzle of 16, 32, 64 or 128 bytes.
 *
 * @example
 * ```ts
 * import { transform } from 'tensorcore-spec/transforms'
 *
 * const swizzle = transform.swizzle(48)
 * console.log(swizzle._tag === 'Right' ? transform.showTransform(swizzle.right) : swizzle.left.message) // A swizzle spans 16, 32, 64 or 128 bytes, found 48
 * ```
 */
export const swizzle = (bytes: number): E.Either<Failure<SwizzleError>, Transform> =>
  E.map((span: Swizzle): Transform => ({ _tag: 'Swizzle', swizzle: span }))(swizzleOf(bytes))

/** Dimension k of the physical array is dimension p[k] of the logical one. */
export const transpose = (p: ReadonlyArray<number>): E.Either<Failure<PermutationError>, Transform> =>
  E.map((legal: Permutation): Transform => ({ _tag: 'Transpose', permutation: legal }))(permutation(p))

// ----------------------------------------------------------------------------------------- destructors

export const showTransform = (t: Transform): string => {
  switch (t._tag) {
    case 'Tile':
      return `Tile${showTiling(t.tiling)}`
    case 'Swizzle':
      return `Swizzle(${String(t.swizzle)})`
    case 'Transpose':
      return `Transpose${showShape(t.permutation)}`
    default:
      return unreachable(t)
  }
}

/** May an array with this minor extent be swizzled? */
export const checkSwizzle = (
  span: Swizzle,
  bits: number,
  shape: Shape,
): E.Either<Failure<'swizzle.element-bits' | 'swizzle.minor-dimension'>, Shape> => {
  const elements = swizzleElements(span, bits)
  if (!Number.isInteger(elements))
    return refuse(
      'swizzle.element-bits',
      `Elements of ${String(bits)} bits do not fill a swizzle of ${String(span)} bytes`,
    )
  const minor = shape[shape.length - 1]
  return minor === elements
    ? E.right(shape)
    : refuse(
        'swizzle.minor-dimension',
        `Swizzle ${String(span)} requires the trailing dimension to be of size ${String(elements)} (${String(bits)}-bit elements), but got ${showShape(shape)}`,
      )
}

/** The type after one transform. */
export const applyTransform =
  (bits: number, t: Transform) =>
  (shape: Shape): E.Either<Failure<TransformError>, Shape> => {
    switch (t._tag) {
      case 'Tile':
        return tileShape(t.tiling)(shape)
      case 'Swizzle':
        return checkSwizzle(t.swizzle, bits, shape)
      case 'Transpose':
        return t.permutation.length === shape.length
          ? E.right(permute(t.permutation)(shape))
          : refuse(
              'transpose.rank',
              `A permutation of ${String(t.permutation.length)} dimensions, ${showShape(t.permutation)}, does not apply to shape ${showShape(shape)}`,
            )
      default:
        return unreachable(t)
    }
  }

// ----------------------------------------------------------------------------------------- combinators

/** The physical shape of an array of `bits`-bit elements, or why the transforms do not apply. */
export const physicalShape =
  (bits: number, transforms: ReadonlyArray<Transform>) =>
  (shape: Shape): E.Either<Failure<TransformError>, Shape> => {
    let result: E.Either<Failure<TransformError>, Shape> = E.right(shape)
    let swizzled = false
    for (const t of transforms) {
      if (swizzled)
        return refuse(
          'transform.after-swizzle',
          `A swizzle moves bytes and must be the last transform, but ${showTransform(t)} follows it`,
        )
      swizzled = t._tag === 'Swizzle'
      result = E.chain(applyTransform(bits, t))(result)
    }
    return result
  }

// --------------------------------------------------------------------------------------- today's and older names

/** Pallas' name today. */
export const TilingTransform = (t: Tile): E.Either<Failure<TilingError>, Transform> => tile(t)
/** Pallas' older name of `TilingTransform`. */
export const TileTransform: typeof TilingTransform = TilingTransform
/** Pallas' name. */
export const SwizzleTransform: typeof swizzle = swizzle
/** Pallas' older name; today a transposed view is made by `transpose_ref`. */
export const TransposeTransform: typeof transpose = transpose
