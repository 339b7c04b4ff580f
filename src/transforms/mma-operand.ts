/**
 * MMA operands: the shapes of shared memory that a tensor core can read by itself.
 *
 * A matrix descriptor describes rows of 8 tiles of 8 x S bytes, each dense and swizzled by S. So exactly two
 * forms of a rank-2 ref are operands:
 *
 *     Tile (8, 8S/bits), Swizzle S                       the last dimension is contiguous
 *     the same, transposed (tile (8S/bits, 8),           the first dimension is contiguous
 *       the four physical dimensions seen as (1, 0, 3, 2))
 *
 * with S = 32, 64 or 128. The operand is K-major when its K dimension is the contiguous one: A is (M, K), B is (K, N).
 *
 *     A f16 (128, 128): Tile (8, 64), Swizzle 128  ->  K-major, next 8 rows 2048 bytes on, next 64 of K 1024 bytes on
 *
 * Names: Pallas matches `(UntilingTransform, UnswizzleTransform)` and the transposed pair; CuTe `GMMA::Layout_K_SW128_Atom`
 * and `Layout_MN_...`; Triton `nvmma_shared` with `transposed`.
 *
 * Laws
 * 1. The tiles lie `mnTileStrideBytes` and `kTileStrideBytes` apart: K-major, next tile of 8 rows and next S bytes of K; MN-major, next 8S/bits rows
 *    and next 8 of K. Inside a tile a line is S bytes.
 * 2. With these strides the ref is read, element for element, by the matrix descriptors of `layouts/shared-memory/matrix-descriptor.ts`.
 *
 * Source: JAX docs, Pallas:MGPU reference (wgmma, tcgen05_mma).
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../failure.js'
import { refuse } from '../failure.js'
import type { TransformedRef } from './ref.js'
import { showShape } from './shape.js'
import { swizzleElements } from './swizzle.js'
import { showTiling } from './tile.js'

export interface MmaOperand {
  readonly swizzle: 32 | 64 | 128
  /** Which dimension is contiguous. */
  readonly major: 'k' | 'mn'
  /** Extents in elements. */
  readonly mn: number
  readonly k: number
  /** Bytes from one tile to the next along M or N, and along K; 0 when there is only one. */
  readonly mnTileStrideBytes: number
  readonly kTileStrideBytes: number
}

export type MmaOperandError = 'mma.unsupported-transforms'

/** Recognises operand `a`, seen as (M, K), or `b`, seen as (K, N). */
export const mmaOperand =
  (operand: 'a' | 'b') =>
  (ref: TransformedRef): E.Either<Failure<MmaOperandError>, MmaOperand> => {
    const { swizzle, bits } = ref
    const unsupported = (): E.Either<Failure<MmaOperandError>, never> =>
      refuse(
        'mma.unsupported-transforms',
        `Unsupported transforms for MMA operand ${operand}: expected a rank 2 ref with tiling (8, 8S/${String(bits)}) and swizzle S of 32, 64 or 128, or its transpose, ` +
          `found shape ${showShape(ref.shape)} with ${ref.tiling.length === 0 ? 'no tiling' : `tiling ${showTiling(ref.tiling)}`} and ${swizzle === 16 ? 'no swizzle' : `swizzle ${String(swizzle)}`}`,
      )
    const tile = ref.tiling[0]
    if (swizzle === 16 || ref.shape.length !== 2 || tile === undefined || ref.tiling.length !== 1)
      return unsupported()
    const row = swizzleElements(swizzle, bits)
    const contiguous =
      ref.strides[3] === 1 && ref.strides[2] === row
        ? 1
        : ref.strides[2] === 1 && ref.strides[3] === row
          ? 0
          : null
    if (contiguous === null || tile[contiguous] !== row || tile[1 - contiguous] !== 8) return unsupported()
    const k = operand === 'a' ? 1 : 0
    const mn = 1 - k
    const strideBytes = (d: number): number => (ref.strides[d]! * bits) / 8
    return E.right({
      swizzle,
      major: contiguous === k ? 'k' : 'mn',
      mn: ref.shape[mn]!,
      k: ref.shape[k]!,
      mnTileStrideBytes: strideBytes(mn),
      kTileStrideBytes: strideBytes(k),
    })
  }
