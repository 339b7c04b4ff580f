/**
 * sqrt: square roots on the special function unit, nearly.
 *
 * With x = 2^k (1 + u / 2^23), half the exponent goes to the result and its parity to the significand, as in `rsqrt.ts`. With i the upper 6 bits of u and x'
 * the lower 17,
 *
 *   even k   y(u) = floor((c0[i] 2^15 + c1[i] x' - 2 c2[i] Q(x') + 32767) / 2^17)      2^23 sqrt m, in [2^23, 2^24)
 *   odd k    y(u) = floor((c0[i] 2^14 + c1[i] x' -   c2[i] Q(x') + 16383) / 2^16)      2^23 sqrt 2 m
 *
 * By hand, x = 2: k is 1 and u is 0, c0[0] of the odd table is 47453132, so y is 11863283 and the result 0x3FB504F3. Exactly it is 11863283.20.
 *
 * | x, `ftz` form    | result           |
 * |------------------|------------------|
 * | NaN, negative    | NaN              |
 * | 0, subnormal     | 0 of its sign    |
 * | infinity         | infinity         |
 *
 * Without `ftz` a subnormal operand is scaled by 2^24 and the result by 2^-12; both are exact.
 *
 * Laws
 * 1. Exact at even powers of two.
 * 2. sqrt(4x) = 2 sqrt(x) wherever x and 4x are normal.
 * 3. It is within one unit in the last place.
 *
 * Source: PTX ISA, sqrt; the arithmetic measured on an H100, all 2^32 operands of both forms.
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
import { sqrtEvenTable, sqrtOddTable } from './tables.js'

/** 2^23 times the root of 1 + u / 2^23 (even exponents) or of twice that (odd ones). */
export const sqrtSignificand = (odd: boolean, u: number): number => {
  const { c0, c1, c2 } = odd ? sqrtOddTable : sqrtEvenTable
  const i = u >>> 17
  const x = u & 131071
  const linear = c1[i]! * x
  const square = c2[i]! * truncatedSquare[x]!
  return odd
    ? Math.floor((c0[i]! * 16384 + linear - square + 16383) / 65536)
    : Math.floor((c0[i]! * 32768 + linear - 2 * square + 32767) / 131072)
}

/** `sqrt.approx.ftz.f32` */
export const sqrtFlushed = (x: number): number => {
  const magnitude = magnitudeOf(x)
  if (magnitude > infinity) return quietNaN
  if (magnitude < smallestNormal) return signOf(x)
  if (x >= signBit) return quietNaN
  if (x === infinity) return infinity
  const k = (x >>> 23) - 127
  // y counts 2^-23 of the octave of 2^h, and has its leading bit
  return (126 + (k >> 1)) * 8388608 + sqrtSignificand((k & 1) === 1, x & 0x7fffff)
}

/** `sqrt.approx.f32` */
export const sqrt = (x: number): number =>
  magnitudeOf(x) < smallestNormal
    ? patternOf(valueOf(sqrtFlushed(patternOf(valueOf(x) * 16777216))) / 4096)
    : sqrtFlushed(x)
