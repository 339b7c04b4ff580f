/**
 * ex2: powers of two on the special function unit.
 *
 * x is taken as a fixed-point number with 23 fraction bits, which splits it into an integer n and a fraction u / 2^23. The result has the
 * exponent n, and its significand is a quadratic in u: with i the upper 6 bits of u (the segment) and x' the lower 17,
 *
 *   y(u) = floor((c0[i] 2^13 + c1[i] x' + c2[i] Q(x') + 6114) / 2^15)      24 bits, y / 2^23 is about 2^(u / 2^23)
 *
 * By hand, ex2(0.3): 0.3 is 0x3E99999A, so t = floor(0.3 2^23) = 2516582 = 19 * 2^17 + 26214.
 *
 * | c0[19] 2^13  | c1[19] x'       | c2[19] Q(x')  | sum + 6114   | y        | exactly     |
 * |--------------|-----------------|---------------|--------------|----------|-------------|
 * | 337682186240 | 27902 * 26214   | 609 * 1309    | 338414412563 | 10327588 | 10327587.96 |
 *
 * A negative x is not negated but complemented: the bits of t are inverted (unless u = 0), so 2^-f comes out as if f were 2^-23 larger.
 *
 * | x                 | result                                                     |
 * |-------------------|------------------------------------------------------------|
 * | NaN               | NaN                                                        |
 * | at least 128      | infinity                                                   |
 * | below -126        | 0 in the `ftz` form                                        |
 * |                   | without `ftz`: h h rounded, where h is the `ftz` form of x / 2 |
 * | |x| below 2^-23   | 1: the bits below 2^-23 are dropped, not rounded           |
 *
 * The half-precision forms are the `ftz` form on the widened operand, cut off to the narrow format (`half.ts`).
 *
 * Laws
 * 1. The `ftz` form is exact at every integer from -126 to 127; the other one also at the even ones down to -148, not at the odd ones.
 * 2. It never decreases from one operand to the next inside an octave of x, of either sign.
 * 3. Its error on [1, 2) lies between -0.74 and +1.39 units in the last place.
 *
 * Source: PTX ISA, ex2; the arithmetic measured on an H100, all 2^32 operands of both forms.
 */
import { infinity, magnitudeOf, multiply, patternOf, quietNaN, signBit, valueOf } from './binary32.js'
import { truncatedSquare } from './square.js'
import { ex2Table } from './tables.js'

const { c0, c1, c2 } = ex2Table

/** 2^(u / 2^23) in units of 2^-23, for a fraction u of 23 bits. */
export const ex2Significand = (u: number): number => {
  const i = u >>> 17
  const x = u & 131071
  return Math.floor((c0[i]! * 8192 + c1[i]! * x + c2[i]! * truncatedSquare[x]! + 6114) / 32768)
}

/** |x| in units of 2^-23, cut off, for |x| below 256. */
const fixedPoint = (magnitude: number): number => {
  const exponent = (magnitude >>> 23) - 127
  const significand = (magnitude & 0x7fffff) | 0x800000
  return exponent >= 0 ? significand << exponent : exponent > -24 ? significand >>> -exponent : 0
}

/** `ex2.approx.ftz.f32` */
export const ex2Flushed = (x: number): number => {
  const magnitude = magnitudeOf(x)
  const negative = x >= signBit
  if (magnitude > infinity) return quietNaN
  if (magnitude >= 0x43800000) return negative ? 0 : infinity
  const t = fixedPoint(magnitude)
  // The ones' complement, but for integers.
  const s = negative ? ((t & 0x7fffff) === 0 ? -t : ~t) : t
  const n = s >> 23
  if (n >= 128) return infinity
  if (n < -126) return 0
  return (n + 126) * 8388608 + ex2Significand(s & 0x7fffff)
}

/** `ex2.approx.f32`, and `exp2f` of CUDA by default flags. */
export const ex2 = (x: number): number => {
  // Below -126, infinity included.
  if (x > 0xc2fc0000 && x <= 0xff800000) {
    const h = ex2Flushed(patternOf(valueOf(x) * 0.5))
    return multiply(h, h)
  }
  return ex2Flushed(x)
}
