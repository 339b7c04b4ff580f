/**
 * rcp: reciprocals on the special function unit.
 *
 * The significand m = 1 + u / 2^23 lies in [1, 2), so 2 / m lies in (1, 2]. With i the upper 7 bits of u and x the lower 16,
 *
 *   y(u) = floor((c0[i] 2^13 - c1[i] x + c2[i] Q(2x) + 2023) / 2^15)      2^24 / m, in (2^23, 2^24]
 *
 * By hand, rcp(pi): 0x40490FDB has the biased exponent 128 and u = 4788187 = 73 * 2^16 + 4059.
 *
 * | c0[73] 2^13     | c1[73] x     | c2[73] Q(2x) | sum + 2023   | y        | exactly     |
 * |-----------------|--------------|--------------|--------------|----------|-------------|
 * | 42735995 * 2^13 | 26577 * 4059 | 263 * 122    | 349985429106 | 10680707 | 10680707.13 |
 *
 * and the result has the biased exponent 253 - 128 = 125: 0x3EA2F983.
 *
 * | x, `ftz` form     | result                                      |
 * |-------------------|---------------------------------------------|
 * | NaN               | NaN                                         |
 * | infinity          | 0 of its sign                               |
 * | 0, subnormal      | infinity of its sign                        |
 * | above 2^126       | 0 of its sign: the result would be subnormal |
 *
 * Without `ftz` the operand is scaled into the range by a power of two, k, and the result again by k, now rounded to nearest.
 *
 * Laws
 * 1. Both forms are odd.
 * 2. Exact at every power of two whose reciprocal is normal.
 * 3. It never increases inside an octave, and is within one unit in the last place.
 *
 * Source: PTX ISA, rcp; the arithmetic measured on an H100, all 2^32 operands of both forms.
 */
import { infinity, magnitudeOf, patternOf, quietNaN, signOf, smallestNormal, valueOf } from './binary32.js'
import { truncatedSquare } from './square.js'
import { rcpTable } from './tables.js'

const { c0, c1, c2 } = rcpTable

/** 2^24 / (1 + u / 2^23), for a fraction u of 23 bits. */
export const rcpSignificand = (u: number): number => {
  const i = u >>> 16
  const x = u & 65535
  return Math.floor((c0[i]! * 8192 - c1[i]! * x + c2[i]! * truncatedSquare[2 * x]! + 2023) / 32768)
}

/** `rcp.approx.ftz.f32` */
export const rcpFlushed = (x: number): number => {
  const magnitude = magnitudeOf(x)
  const sign = signOf(x)
  if (magnitude > infinity) return quietNaN
  if (magnitude === infinity) return sign
  if (magnitude < smallestNormal) return sign + infinity
  // y counts 2^-23 of the octave below 1 / 2^e; y = 2^24 carries into the exponent by itself.
  const result = (252 - (magnitude >>> 23)) * 8388608 + rcpSignificand(magnitude & 0x7fffff)
  return result < smallestNormal ? sign : sign + result
}

/** The power of two that brings an operand into the range of the `ftz` form. */
export const rcpScale = (x: number): number => {
  const magnitude = magnitudeOf(x)
  if (magnitude < smallestNormal) return 16777216
  return magnitude > 0x7e800000 && magnitude <= infinity ? 0.25 : 1
}

/** `rcp.approx.f32` */
export const rcp = (x: number): number => {
  const k = rcpScale(x)
  return k === 1 ? rcpFlushed(x) : patternOf(valueOf(rcpFlushed(patternOf(valueOf(x) * k))) * k)
}
