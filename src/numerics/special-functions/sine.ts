/**
 * sin and cos on the special function unit.
 *
 * The operand is brought to turns: t = x * 0x3E22F983 (1 / 2 pi), rounded toward zero; the unit takes the fraction of |t| to 25 bits, cut off: two bits say
 * the quarter q, and 23 bits u where in it. The cosine is the sine one quarter on. In the second and fourth quarter u is complemented, bit by bit. With i
 * the upper 6 bits of u and x' the lower 17,
 *
 *   S(u) = c0[i] 2^11 + c1[i] x' - c2[i] Q(x')      2^37 sin(pi/2 u / 2^23)
 *
 * and the result is S / 2^37, cut off after 24 bits; negative in the third and fourth quarter, and for the sine of a negative t.
 *
 * By hand: t = 2^-25 is u = 1: S is c1[0] = 25737, 1.8727e-7, for 1.8725e-7. Angles below that have the sine 0. The error is absolute: near pi nothing is left.
 *
 * | x                | sin           | cos |
 * |------------------|---------------|-----|
 * | NaN, infinity    | NaN           | NaN |
 * | 0                | 0 of its sign | 1   |
 * | from 2^24 turns on | 0 of its sign | 1   |
 *
 * Laws
 * 1. sin is odd, cos is even.
 * 2. With and without `ftz` they are one.
 * 3. Between -pi and pi both are within 2^-20.9.
 *
 * Source: PTX ISA, sin, cos; the arithmetic measured on an H100, all 2^32 operands.
 */
import { infinity, magnitudeOf, quietNaN, signOf, truncatedPattern, valueOf } from './binary32.js'
import { truncatedSquare } from './square.js'
import { sineTable } from './tables.js'

const { c0, c1, c2 } = sineTable

/** One turn over 2 pi, as the chip has it. */
const perTurn = valueOf(0x3e22f983)

/** The sine of a quarter's u, times 2^37. */
export const sineOfQuarter = (u: number): number => {
  const i = u >>> 17
  const x = u & 131071
  return c0[i]! * 2048 + c1[i]! * x - c2[i]! * truncatedSquare[x]!
}

/** |x| in turns as the unit takes it: the product cut off to 24 bits, its fraction in units of 2^-25. */
const fractionOf = (magnitude: number): number => {
  const product = valueOf(magnitude) * perTurn
  // what is below 2^-25 has no bit left in any case
  if (product < 2 ** -25) return 0
  const turns = valueOf(truncatedPattern(product))
  return Math.floor((turns - Math.floor(turns)) * 33554432)
}

const wave =
  (quartersOn: 0 | 1) =>
  (x: number): number => {
    const magnitude = magnitudeOf(x)
    if (magnitude >= infinity) return quietNaN
    const fraction = fractionOf(magnitude)
    const quarter = ((fraction >>> 23) + quartersOn) & 3
    const u = fraction & 0x7fffff
    const sine = sineOfQuarter((quarter & 1) === 1 ? 0x7fffff - u : u)
    const pattern = sine === 0 ? 0 : truncatedPattern(sine / 137438953472)
    const turned = quarter >= 2 ? 0x80000000 : 0
    const sign = quartersOn === 1 || signOf(x) === 0 ? turned : 0x80000000 - turned
    return sign + pattern
  }

/** `sin.approx.f32`, with `ftz` and without. */
export const sine: (x: number) => number = wave(0)

/** `cos.approx.f32`, with `ftz` and without. */
export const cosine: (x: number) => number = wave(1)
