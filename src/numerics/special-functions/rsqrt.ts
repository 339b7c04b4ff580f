/**
 * rsqrt: reciprocal square roots on the special function unit.
 *
 * With x = 2^k (1 + u / 2^23), half the exponent goes to the result and its parity to the significand: there is a table for even k and one
 * for odd k. With i the upper 6 bits of u and x' the lower 17,
 *
 *   y(u) = floor((c0[i] 2^14 - c1[i] x' + 4 c2[i] Q(x') + 16383) / 2^16)      2^24 / sqrt m or 2^24 / sqrt 2 m, in [2^23, 2^24)
 *
 * By hand, x' = 0 in both:
 *
 * | x   | k | table | i  | c0       | y        | exactly     | result     |
 * |-----|---|-------|----|----------|----------|-------------|------------|
 * | 1.5 | 0 | even  | 32 | 54794159 | 13698539 | 13698539.50 | 0x3F5105EB |
 * | 2   | 1 | odd   | 0  | 47453130 | 11863282 | 11863283.20 | 0x3F3504F2 |
 *
 * | x, `ftz` form    | result               |
 * |------------------|----------------------|
 * | NaN, negative    | NaN                  |
 * | 0, subnormal     | infinity of its sign |
 * | infinity         | 0                    |
 * | an even power of two, 2^2h | exactly 2^-h |
 *
 * Without `ftz` a subnormal operand is scaled by 2^24 and the result by 2^12; both are exact.
 *
 * Laws
 * 1. Exact at even powers of two.
 * 2. rsqrt(4x) = rsqrt(x) / 2 wherever x and 4x are normal.
 * 3. It never increases inside an octave, and is within 1.6 units in the last place.
 *
 * Source: PTX ISA, rsqrt; the arithmetic measured on an H100: all 2^32 operands of the `ftz` form, 2^16 of the other.
 */
import {
  infinity,
  magnitudeOf,
  patternOf,
  quietNaN,
  signBit,
  signOf,
  smallestNormal,
  valueOf,
} from './binary32.js'
import { truncatedSquare } from './square.js'
import { rsqrtEvenTable, rsqrtOddTable } from './tables.js'

/** 2^24 over the root of 1 + u / 2^23 (even exponents) or of twice that (odd ones). */
export const rsqrtSignificand = (odd: boolean, u: number): number => {
  const { c0, c1, c2 } = odd ? rsqrtOddTable : rsqrtEvenTable
  const i = u >>> 17
  const x = u & 131071
  return Math.floor((c0[i]! * 16384 - c1[i]! * x + 4 * c2[i]! * truncatedSquare[x]! + 16383) / 65536)
}

/** `rsqrt.approx.ftz.f32` */
export const rsqrtFlushed = (x: number): number => {
  const magnitude = magnitudeOf(x)
  if (magnitude > infinity) return quietNaN
  if (magnitude < smallestNormal) return signOf(x) + infinity
  if (x >= signBit) return quietNaN
  if (x === infinity) return 0
  const k = (x >>> 23) - 127
  const u = x & 0x7fffff
  const h = k >> 1
  const odd = (k & 1) === 1
  // y counts 2^-23 of the octave below 2^-h.
  return u === 0 && !odd ? (127 - h) * 8388608 : (125 - h) * 8388608 + rsqrtSignificand(odd, u)
}

/** `rsqrt.approx.f32` */
export const rsqrt = (x: number): number =>
  magnitudeOf(x) < smallestNormal
    ? patternOf(valueOf(rsqrtFlushed(patternOf(valueOf(x) * 16777216))) * 4096)
    : rsqrtFlushed(x)
