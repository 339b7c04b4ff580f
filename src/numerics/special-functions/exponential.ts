/**
 * The exponential functions of CUDA's mathematical library, in terms of ex2.
 *
 * `__expf(x)` multiplies by log2 e, rounds, and takes ex2. `expf(x)` keeps what that product loses: it splits x log2 e into an integer n
 * and a remainder r with three fused multiply-adds, and answers ex2(r) 2^n.
 *
 * | step                             | constant            | by hand, x = 1             |
 * |----------------------------------|---------------------|----------------------------|
 * | t = fma(x, c, 1/2) in [0, 1]     | c = log2 e / 252    | 0.50572497                 |
 * | m = floor(252 t)                 |                     | 127                        |
 * | n = m - 126                      |                     | 1                          |
 * | r = fma(x, log2 e, -n)           | 0x3FB8AA3B          | 0.44269502                 |
 * | r = fma(x, the rest of log2 e, r) | 0x32A57060         | 0.44269505                 |
 * | ex2(r) 2^n                       |                     | 2.7182817 (0x402DF854)     |
 *
 * The chip finds m by adding 252 t, rounded downwards, to 1.5 2^23 + 1, and reads n and the pattern of 2^n off the last bits of the sum;
 * in the range of t that is the floor, so no directed rounding is needed here. A NaN has t = 0.
 *
 * `exp2f` is the instruction `ex2.approx.f32` by default flags.
 *
 * Laws
 * 1. Both are 1 at 0; expf is infinity from 88.73 on and 0 from -104 on downwards.
 * 2. expf is within 2 units in the last place on [-87, 88]; __expf is off by more than 30 there.
 *
 * Source: CUDA C++ Programming Guide, mathematical functions; the arithmetic measured on an H100, all 2^32 operands of both.
 */
import { roundedFma } from '../rounded-arithmetic.js'
import { multiply, patternOf, valueOf } from './binary32.js'
import { ex2, ex2Flushed } from './ex2.js'

const fma = roundedFma('f32')

/** log2 e, rounded to f32. */
export const log2e = 0x3fb8aa3b
const log2eHigh = valueOf(log2e)
const log2eLow = valueOf(0x32a57060)
const log2eOver252 = valueOf(0x3bbb989d)

/** `expf` of CUDA by default flags. */
export const expf = (x: number): number => {
  const value = valueOf(x)
  const t = fma(value, log2eOver252, 0.5)
  const m = Math.floor(252 * (t > 0 ? Math.min(t, 1) : 0))
  const n = m - 126
  const r = fma(value, log2eLow, fma(value, log2eHigh, -n))
  return multiply(ex2Flushed(patternOf(r)), (m + 1) * 8388608)
}

/** `__expf` of CUDA by default flags. */
export const expfIntrinsic = (x: number): number => ex2(multiply(x, log2e))
