/**
 * rcp and rsqrt of f64: the unit takes the upper word of the operand and gives that of the result, by the tables of f32.
 *
 * The 20 bits of the significand in the upper word are the upper 20 of the 23 of an f32, and of what comes out the lower 3 bits are dropped. The lower word of the
 * operand is not looked at, that of the result is zero. It is where divisions and roots of f64 begin.
 *
 * By hand: of 3 (0x40080000 00000000) the significand 1.5 has 2^24 / 1.5 = 11184810, and the result is 0x3FD55555.
 *
 * | x                     | rcp                         | rsqrt                |
 * |-----------------------|-----------------------------|----------------------|
 * | NaN in the upper word | 0x7FFFFFFF                  | 0x7FFFFFFF           |
 * | infinity              | 0 of its sign               | 0; of -infinity NaN  |
 * | 0, subnormal          | infinity of its sign        | infinity of its sign |
 * | negative              |                             | 0x7FFFFFFF           |
 * | above 2^1022          | 0 of its sign               |                      |
 *
 * Laws
 * 1. Both are exact at powers of two whose result is one.
 *
 * Source: PTX ISA, rcp, rsqrt; the arithmetic measured on an H100, all 2^20 significands of rcp and all 2^21 of rsqrt.
 */
import { rcpSignificand } from './rcp.js'
import { rsqrtSignificand } from './rsqrt.js'

const signBit = 0x80000000
const infinity = 0x7ff00000
const quietNaN = 0x7fffffff
const octave = 0x100000

/** The upper word of `rcp.approx.ftz.f64`, of the upper word of its operand. */
export const rcpUpper = (word: number): number => {
  const magnitude = word & 0x7fffffff
  const sign = word >>> 0 >= signBit ? signBit : 0
  if (magnitude > infinity) return quietNaN
  if (magnitude === infinity) return sign
  if (magnitude < octave) return sign + infinity
  // the significand counts 2^-20 of the octave below 1 / 2^e
  const result = (2044 - (magnitude >>> 20)) * octave + (rcpSignificand((magnitude & 0xfffff) * 8) >>> 3)
  return result < octave ? sign : sign + result
}

/** The upper word of `rsqrt.approx.ftz.f64`, of the upper word of its operand. */
export const rsqrtUpper = (word: number): number => {
  const magnitude = word & 0x7fffffff
  const negative = word >>> 0 >= signBit
  if (magnitude > infinity) return quietNaN
  if (magnitude < octave) return infinity + (negative ? signBit : 0)
  if (negative) return quietNaN
  if (magnitude === infinity) return 0
  const k = (magnitude >>> 20) - 1023
  const h = k >> 1
  const odd = (k & 1) === 1
  const u = magnitude & 0xfffff
  if (u === 0 && !odd) return (1023 - h) * octave
  return (1021 - h) * octave + (rsqrtSignificand(odd, u * 8) >>> 3)
}
