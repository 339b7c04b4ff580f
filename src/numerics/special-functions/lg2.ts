/**
 * lg2: binary logarithms on the special function unit.
 *
 * With x = 2^k (1 + u / 2^23), i the upper 6 bits of u and x' the lower 17,
 *
 *   S(u) = floor((c0[i] 2^12 + c1[i] x' - 2 c2[i] Q(x') + 837) / 2^2)      log2(1 + u / 2^23) in units of 2^-36
 *
 * and k 2^36 + S is the result in fixed point, then normalised and cut off to 24 bits. A negative sum is complemented, not negated, before
 * that: its magnitude is one unit less. By hand:
 *
 * | x   | k  | S           | v = k 2^36 + S | magnitude     | result     |                              |
 * |-----|----|-------------|----------------|---------------|------------|------------------------------|
 * | 1.5 | 0  | 40198321361 | 40198321361    | 0x95C01B4D1   | 0x3F15C01B | 0.58496255; log2 1.5 is 0.58496250 |
 * | 2   | 1  | 7377        | 2^36 + 7377    | 0x1000001CD1  | 0x3F800000 | exactly 1: S is cut off      |
 * | 0.5 | -1 | 7377        | 7377 - 2^36    | 0xFFFFFE32E   | 0xBF7FFFFE | not -1: S is not cut off     |
 *
 * | x, `ftz` form | result      |
 * |---------------|-------------|
 * | NaN, negative | NaN         |
 * | 0, subnormal  | -infinity, of either sign |
 * | infinity      | infinity    |
 * | exactly 1     | 0           |
 *
 * Without `ftz` a subnormal operand is scaled by 2^24 and 24 is taken away, rounded to nearest.
 *
 * Laws
 * 1. Exact at 2^k for 0 <= k <= 127, and at no 2^k for k < 0.
 * 2. It never decreases inside an octave.
 * 3. Its absolute error on [1/2, 2) and its relative error from 2 on are below 2^-22.
 *
 * Source: PTX ISA, lg2; the arithmetic measured on an H100, all 2^32 operands of both forms.
 */
import {
  infinity,
  magnitudeOf,
  one,
  patternOf,
  quietNaN,
  signBit,
  smallestNormal,
  truncatedPattern,
  valueOf,
} from './binary32.js'
import { truncatedSquare } from './square.js'
import { lg2Table } from './tables.js'

const { c0, c1, c2 } = lg2Table

const unit = 2 ** 36

/** log2(1 + u / 2^23) in units of 2^-36, for a fraction u of 23 bits. */
export const lg2Fraction = (u: number): number => {
  const i = u >>> 17
  const x = u & 131071
  return Math.floor((c0[i]! * 4096 + c1[i]! * x - 2 * c2[i]! * truncatedSquare[x]! + 837) / 4)
}

/** `lg2.approx.ftz.f32` */
export const lg2Flushed = (x: number): number => {
  const magnitude = magnitudeOf(x)
  if (magnitude > infinity) return quietNaN
  if (magnitude < smallestNormal) return signBit + infinity
  if (x >= signBit) return quietNaN
  if (x === infinity) return infinity
  if (x === one) return 0
  const v = ((x >>> 23) - 127) * unit + lg2Fraction(x & 0x7fffff)
  return v < 0 ? signBit + truncatedPattern((-1 - v) / unit) : truncatedPattern(v / unit)
}

/** `lg2.approx.f32` */
export const lg2 = (x: number): number =>
  magnitudeOf(x) < smallestNormal
    ? patternOf(valueOf(lg2Flushed(patternOf(valueOf(x) * 16777216))) - 24)
    : lg2Flushed(x)
