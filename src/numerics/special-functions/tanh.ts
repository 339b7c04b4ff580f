/**
 * tanh: the hyperbolic tangent on the special function unit.
 *
 * Odd: the sign is carried over. The exponent of |x| chooses a table of 1 to 16 quadratics. From the mantissa the lowest bits are dropped;
 * of the rest v, i = v div 2^17 is the segment and x' = v mod 2^17:
 *
 *   S = c0[i] + floor((c1[i] x' - c2[i] Q(x')) / 2^15)      in units of the table, 2^-31 to 2^-24
 *
 * normalised and cut off to 24 bits. By hand, tanh(1): exponent 0, i = 0, x' = 0, S = 12777544 in units of 2^-24, that is 0.76160097
 * (0x3F42F848); tanh 1 is 0.76159416, so the error is 9e-6: this function is much coarser than the others.
 *
 * | x                     | result    |
 * |-----------------------|-----------|
 * | NaN                   | NaN       |
 * | |x| < 2^-8            | x itself, subnormals too |
 * | |x| >= 8              | 1 with the sign of x |
 *
 * Laws
 * 1. Odd, on all patterns but NaN.
 * 2. The relative error is below 1.12e-5 where |x| >= 2^-8, and |tanh| never exceeds 1; it is not monotone.
 *
 * Source: PTX ISA, tanh; the arithmetic measured on an H100, all 2^32 operands.
 */
import { infinity, magnitudeOf, one, quietNaN, signOf } from './binary32.js'
import { truncatedSquare } from './square.js'
import { tanhBands } from './tables.js'

const lowest = tanhBands[0]!.exponent

/** `tanh.approx.f32` */
export const tanh = (x: number): number => {
  const magnitude = magnitudeOf(x)
  if (magnitude > infinity) return quietNaN
  const sign = signOf(x)
  const exponent = (magnitude >>> 23) - 127
  if (exponent < lowest) return x
  const band = tanhBands[exponent - lowest]
  if (band === undefined) return sign + one
  const v = (magnitude & 0x7fffff) >>> band.ignoredBits
  const i = v >>> 17
  const r = v & 131071
  const s = band.c0[i]! + Math.floor((band.c1[i]! * r - band.c2[i]! * truncatedSquare[r]!) / 32768)
  const top = 31 - Math.clz32(s)
  const significand = top > 23 ? s >>> (top - 23) : s << (23 - top)
  return sign + (top + band.unit + 126) * 8388608 + significand
}
