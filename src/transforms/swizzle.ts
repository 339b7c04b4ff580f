/**
 * Swizzles: how tensor-core hardware scatters a row-major tile over the shared-memory banks.
 *
 * A swizzle of span S bytes is a bijection of byte addresses. It exchanges 16-byte chunks inside every aligned
 * S-byte block; which ones depends on the 128-byte line that the address lies in:
 *
 *     X_S(b) = b xor (((b >> 7) mod (S / 16)) << 4)
 *
 * It acts on the *absolute* shared-memory address. Relative to a buffer the picture is the one below only when
 * the buffer starts at a multiple of the period 8 * S.
 *
 *     S = 128, chunk j of line k goes to chunk j xor k       S = 64: j xor (k mod 4)    S = 32: j xor (k mod 2)
 *     line 0   0 1 2 3 4 5 6 7
 *     line 1   1 0 3 2 5 4 7 6
 *     line 2   2 3 0 1 6 7 4 5
 *     line 3   3 2 1 0 7 6 5 4 ...
 *
 * Names: Pallas `SwizzleTransform(128)`; CuTe `Swizzle<3,4,3>`, `<2,4,3>`, `<1,4,3>`, `<0,4,3>` for 128, 64, 32, 16;
 * Triton `nvmma_shared` with swizzlingByteWidth S (vec 16 bytes, perPhase 128/S, maxPhase S/16); the tensor map's
 * SWIZZLE_128B, 64B, 32B, NONE. Sixteen bytes is the identity: a legal transform, never a legal MMA operand.
 *
 * Laws (all addresses b >= 0, S in 16, 32, 64, 128)
 * 1. Equal to CuTe's S<log2(S/16), 4, 3>: bits [7, 7+B) are added, without carry, to bits [4, 4+B).
 * 2. Equal to Triton's chunk form: row r of an array with rows of S bytes keeps chunk c at c xor ((r div (128/S)) mod (S/16)).
 * 3. Equal to the (8, S)-tile row form: j xor r, j xor (r>>1 and 3), j xor (r>>2 and 1) for S = 128, 64, 32.
 * 4. A bijection of every aligned block of `swizzlePeriodBytes(S)` bytes, and its own inverse.
 * 5. Periodic: X(b + 8S) = X(b) + 8S, and no smaller power of two has this property (S > 16).
 * 6. Linear over GF(2): X(a xor b) = X(a) xor X(b).
 * 7. From any base, the bytes of one period go to all residues of the period; from a base that is a multiple of 128, line by line as in the
 *    picture, which then starts in line (base / 128) mod (S / 16).
 *
 * Source: PTX ISA, tensor swizzling modes; JAX docs, Pallas:MGPU reference; confirmed by captured H100 images (conformance/hopper).
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../failure.js'
import { refuse } from '../failure.js'

// ---------------------------------------------------------------------------------------------- model

/** Span of the pattern in bytes. 16 is the identity. */
export type Swizzle = 16 | 32 | 64 | 128

export const swizzles: ReadonlyArray<Swizzle> = [16, 32, 64, 128]

export type SwizzleError = 'swizzle.span'
export type FindSwizzleError = 'swizzle.none-fits'

// ---------------------------------------------------------------------------------------- constructors

export const isSwizzle = (bytes: number): bytes is Swizzle =>
  bytes === 16 || bytes === 32 || bytes === 64 || bytes === 128

/** A swizzle from its span in bytes. */
export const swizzleOf = (bytes: number): E.Either<Failure<SwizzleError>, Swizzle> =>
  isSwizzle(bytes)
    ? E.right(bytes)
    : refuse('swizzle.span', `A swizzle spans 16, 32, 64 or 128 bytes, found ${String(bytes)}`)

/** The widest swizzle whose span divides a minor dimension of `bits` bits. */
export const findSwizzle = (bits: number): E.Either<Failure<FindSwizzleError>, Swizzle> => {
  const fits = [128 as const, 64 as const, 32 as const, 16 as const].find(
    (s) => bits > 0 && bits % (8 * s) === 0,
  )
  return fits !== undefined
    ? E.right(fits)
    : refuse(
        'swizzle.none-fits',
        `No valid swizzle: the minor dimension has ${String(bits)} bits, which is not a multiple of 128 (16 bytes)`,
      )
}

// ----------------------------------------------------------------------------------------- destructors

const exchanged = (swizzle: Swizzle, byteAddress: number): number =>
  byteAddress ^ (((byteAddress >>> 7) & ((swizzle >> 4) - 1)) << 4)

/**
 * X_S of one byte address. Addresses lie below 2^31.
 *
 * @example
 * ```ts
 * import { swizzle } from 'tensorcore-spec/transforms'
 *
 * // line 1 of a tile: chunk 0 goes to the place of chunk 1
 * console.log(swizzle.swizzleAddress(128)(128)) // 144
 * ```
 */
export const swizzleAddress =
  (swizzle: Swizzle) =>
  (byteAddress: number): number =>
    exchanged(swizzle, byteAddress)

/** X_S of each of many. */
export const swizzleAddresses = (swizzle: Swizzle, byteAddresses: Int32Array): Int32Array => {
  const count = byteAddresses.length
  const out = new Int32Array(count)
  for (let i = 0; i < count; i++) out[i] = exchanged(swizzle, byteAddresses[i]!)
  return out
}

/** The pattern repeats after this many bytes: 1024, 512, 256, and 128 (trivially) for the identity. */
export const swizzlePeriodBytes = (swizzle: Swizzle): number => 8 * swizzle

/** How many elements of `bits` bits fill the span: the only legal extent of a swizzled minor dimension. */
export const swizzleElements = (swizzle: Swizzle, bits: number): number => (8 * swizzle) / bits
