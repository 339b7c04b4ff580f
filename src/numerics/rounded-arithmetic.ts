/**
 * Correctly rounded arithmetic on values of f16, bf16 and f32, carried out in f64.
 *
 * An operation is the exact real operation followed by one rounding. f64 has 53 significant bits, more than
 * twice those of the three formats (11, 8, 24) plus two; so rounding an f64 sum, quotient or root of two values
 * of the format again gives the correctly rounded result (Figueroa 1995), and a product is exact to start with.
 * A fused multiply-add is the exception: the exact product plus the addend may need more than 53 bits. There the
 * f64 sum is *rounded to odd*: if bits were lost, the last kept bit is made 1, which remembers on which side of
 * every shorter midpoint the exact value lies (Boldo and Melquiond 2008).
 *
 * By hand, f32: fma(1.5, 1 + 2^-23, -2^-100). The product 1.5 + 1.5 * 2^-23 is a tie between 1.5 + 2^-23 and
 * 1.5 + 2^-22 (the even one); the addend, 75 binary places below, breaks it downwards. The f64 sum to nearest loses
 * the addend and would give 1.5 + 2^-22; rounded to odd it is one f64 step less, and gives 1.5 + 2^-23.
 *
 * NaN in, NaN out, but for `min` and `max`, which return the other operand (PTX without `.NaN`) and order -0
 * below +0.
 *
 * Laws
 * 1. Every operation equals the exact rational result rounded once, ties to even.
 * 2. add, mul, min, max commute.
 *
 * Source: IEEE 754-2019, 5.4.1; PTX ISA, "Floating-Point Instructions".
 */
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Binary, ElementaryBinary, ElementaryUnary, Ternary, Unary } from './algebra.js'
import type { FloatDtype } from './dtype.js'
import { decoder, encoder } from './float-format.js'

/** The dtypes with arithmetic of their own; the others are storage and tensor-core operands. */
export const arithmeticDtypes = ['f16', 'bf16', 'f32'] as const
export type ArithmeticDtype = (typeof arithmeticDtypes)[number]

export const isArithmetic = (dtype: FloatDtype): dtype is ArithmeticDtype =>
  dtype === 'f16' || dtype === 'bf16' || dtype === 'f32'

/** f64 to the nearest value of the dtype (ties to even), as an f64. */
export const rounder = (dtype: FloatDtype): Unary => {
  if (dtype === 'f32') return Math.fround
  const toPattern = encoder(dtype)
  const toValue = decoder(dtype)
  return (x) => toValue(toPattern(x))
}

/** x + y rounded to odd: exact, or the neighbour with an odd last bit. No intermediate may overflow. */
export const addToOdd: Binary = (() => {
  const value = new Float64Array([1])
  const words = new Uint32Array(value.buffer)
  const high = words[1] === 0 ? 0 : 1
  const low = 1 - high
  return (x: number, y: number): number => {
    const sum = x + y
    const fromY = sum - x
    const lost = x - (sum - fromY) + (y - fromY)
    if (lost === 0 || lost !== lost) return sum
    value[0] = sum
    if (words[low]! % 2 === 1) return sum
    // The exact value lies between sum and its neighbour on the side of what was lost; that one is odd.
    if (lost > 0 !== sum > 0) {
      if (words[low] === 0) words[high]! -= 1
      words[low]! -= 1
    } else words[low]! += 1
    return value[0]!
  }
})()

/** The smaller; a NaN loses; -0 is below +0. */
export const minimum: Binary = (x, y) => (x !== x ? y : y !== y ? x : Math.min(x, y))

/** The larger; a NaN loses; -0 is below +0. */
export const maximum: Binary = (x, y) => (x !== x ? y : y !== y ? x : Math.max(x, y))

const exactUnary = (op: ElementaryUnary): O.Option<Unary> => {
  switch (op) {
    case 'neg':
      return O.some((x) => -x)
    case 'abs':
      return O.some(Math.abs)
    case 'rcp':
      return O.some((x) => 1 / x)
    case 'sqrt':
      return O.some(Math.sqrt)
    case 'exp2':
    case 'log2':
    case 'rsqrt':
    case 'exp':
    case 'log':
    case 'tanh':
      return O.none
  }
}

const exactBinary = (op: ElementaryBinary): Binary => {
  switch (op) {
    case 'add':
      return (x, y) => x + y
    case 'sub':
      return (x, y) => x - y
    case 'mul':
      return (x, y) => x * y
    case 'div':
      return (x, y) => x / y
    case 'min':
      return minimum
    case 'max':
      return maximum
  }
}

/** A correctly rounded unary operation on values; rsqrt and the transcendental ones have none. */
export const roundedUnary = (op: ElementaryUnary, dtype: ArithmeticDtype): O.Option<Unary> =>
  pipe(
    exactUnary(op),
    O.map((f): Unary => {
      const round = rounder(dtype)
      return (x) => round(f(x))
    }),
  )

/** A correctly rounded binary operation on values. */
export const roundedBinary = (op: ElementaryBinary, dtype: ArithmeticDtype): Binary => {
  const f = exactBinary(op)
  const round = rounder(dtype)
  return (x, y) => round(f(x, y))
}

/** x * y + z with one rounding, on values. */
export const roundedFma = (dtype: ArithmeticDtype): Ternary => {
  const round = rounder(dtype)
  return (x, y, z) => round(addToOdd(x * y, z))
}
