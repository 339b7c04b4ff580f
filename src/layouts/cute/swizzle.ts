/**
 * Swizzles: an exclusive-or of two bit fields.
 *
 * S<B,M,S> adds B bits of an offset, without carry, to B other bits, S places below them. The lowest M bits never change.
 *
 *     S<2,0,3>      offset ...yy.zz      zz xor yy       0 1 2 3 | 9 8 11 10 | 18 19 16 17 | 27 26 25 24   (at 0, 8, 16, 24 plus 0 .. 3)
 *
 * A negative S moves the other way: the low field is added to the high one. |S| is at least B, or the fields would overlap.
 *
 * This is the swizzle of *offsets in elements*; `ofSpan` is the one of bytes that the hardware knows (transforms/swizzle.ts).
 *
 * Laws
 * 1. f(x) = x xor shift(x and yyy), the bits yyy = (2^B - 1) << (M + max(0, S)), moved S places down (up when negative).
 * 2. An involution; a bijection of every aligned block of `period`, and f(x + period) = f(x) + period.
 * 3. f(x) = x for x below `maxAlignment`, and f keeps x modulo it.
 * 4. `ofSpan(s)` is X_s of transforms/swizzle.ts at every byte address, and `spanOf` finds it again.
 * 5. Linear over GF(2).
 * 6. `upcast(n)`: n elements become one. f'(x) = f(n x) / n, rounded down; `downcast` is its inverse where no bits are lost.
 *
 * Offsets go up to 2^53. Names: CuTe `Swizzle<BBits, MBase, SShift>`; in PTX, the tensor map's and the matrix descriptor's swizzle mode.
 * Source: CUTLASS, CuTe: swizzle.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import { refuse } from '../../failure.js'
import type { Swizzle as Span } from '../../transforms/swizzle.js'

// ---------------------------------------------------------------------------------------------- model

export interface Swizzle {
  readonly _tag: 'swizzle'
  /** B: how many bits move. */
  readonly bits: number
  /** M: how many of the lowest bits stay. */
  readonly base: number
  /** S: how far, downwards; negative upwards. */
  readonly shift: number
}

export type SwizzleError = 'cute.swizzle'

// ---------------------------------------------------------------------------------------- constructors

const natural = (n: number): boolean => Number.isSafeInteger(n) && n >= 0

export const swizzle = (
  bits: number,
  base: number,
  shift: number,
): E.Either<Failure<SwizzleError>, Swizzle> =>
  natural(bits) && natural(base) && natural(Math.abs(shift)) && Math.abs(shift) >= bits
    ? E.right({ _tag: 'swizzle', bits, base, shift })
    : refuse(
        'cute.swizzle',
        `A swizzle S<B,M,S> has B and M of at least 0 and |S| of at least B, found S<${String(bits)},${String(base)},${String(shift)}>`,
      )

/** The byte swizzle of a span of 16, 32, 64 or 128 bytes: S<0 .. 3, 4, 3>. */
export const ofSpan = (span: Span): Swizzle => ({
  _tag: 'swizzle',
  bits: Math.log2(span / 16),
  base: 4,
  shift: 3,
})

// ----------------------------------------------------------------------------------------- destructors

/** The span of a byte swizzle; null when it is none of the four. */
export const spanOf = ({ bits, base, shift }: Swizzle): Span | null => {
  const spans: ReadonlyArray<Span> = [16, 32, 64, 128]
  return base === 4 && shift === 3 ? (spans[bits] ?? null) : null
}

/** Where an offset goes. */
export const apply =
  ({ bits, base, shift }: Swizzle) =>
  (offset: number): number => {
    const width = 2 ** bits
    const from = 2 ** (base + Math.max(0, shift))
    const to = 2 ** (base - Math.min(0, shift))
    const moved = Math.floor(offset / from) % width
    const here = Math.floor(offset / to) % width
    return offset + ((here ^ moved) - here) * to
  }

/** The pattern repeats after this many offsets. */
export const period = ({ bits, base, shift }: Swizzle): number => 2 ** (base + Math.abs(shift) + bits)

/** Aligned blocks of this many offsets stay together. */
export const maxAlignment = ({ base }: Swizzle): number => 2 ** base

// ----------------------------------------------------------------------------------------- combinators

const exponent = (n: number): number | null => {
  const k = Math.log2(n)
  return Number.isInteger(k) && k >= 0 ? k : null
}

const notPower = (n: number): E.Either<Failure<SwizzleError>, never> =>
  refuse('cute.swizzle', `A swizzle can only be recast by a power of two, found ${String(n)}`)

/** Offsets of elements n times as wide. Fields that fall below the new lowest bit are cut. */
export const upcast =
  (n: number) =>
  (s: Swizzle): E.Either<Failure<SwizzleError>, Swizzle> => {
    const k = exponent(n)
    return k === null
      ? notPower(n)
      : E.right({
          ...s,
          base: Math.max(0, s.base - k),
          bits: Math.max(0, s.bits + Math.min(0, s.base - k)),
        })
  }

/** Offsets of elements that are an n-th as wide. */
export const downcast =
  (n: number) =>
  (s: Swizzle): E.Either<Failure<SwizzleError>, Swizzle> => {
    const k = exponent(n)
    return k === null ? notPower(n) : E.right({ ...s, base: s.base + k })
  }
