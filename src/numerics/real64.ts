/**
 * The algebra of f64 values: what a kernel means when no dtype rounds.
 *
 * A carrier is the value itself; a cast between floats is the identity, so the difference between a `bits` run and
 * a `real64` run of one program is its rounding error. Nothing is lacking but conversions into 64-bit integers.
 * `min` and `max` treat NaN as PTX does; matrix products add in order of k, from c on.
 *
 * Laws: 1 of `algebra.ts` up to rounding (a decoded pattern is the rounded constant), 2, 3, and 4 up to f64 rounding.
 */
import * as O from 'fp-ts/lib/Option.js'
import type { Algebra, Binary, BinaryOp, ElementaryUnary, Mma, MmaShape, Unary, UnaryOp } from './algebra.js'
import { compareValues } from './bits.js'
import { isFloat } from './dtype.js'
import { decode } from './float-format.js'
import { floatToInteger, integerCast } from './integer.js'
import { integerMma } from './integer-product.js'
import { maximum, minimum } from './rounded-arithmetic.js'
import { isSpecialUnary, meaningOf, type Meaning } from './special-functions/names.js'
import { dequantised, dequantisedColumns } from './scales.js'

/** 2 / sqrt pi e^-x^2 (x + 2 x^3 / 3 + 4 x^5 / 15 + ...): no term is negative, so nothing is lost. */
const erf = (x: number): number => {
  if (Math.abs(x) > 6) return Math.sign(x)
  let term = x
  let sum = x
  for (let n = 1; Math.abs(term) > Math.abs(sum) * 2 ** -54; n++) {
    term *= (2 * x * x) / (2 * n + 1)
    sum += term
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum
}

const elementary = (op: ElementaryUnary | Meaning): Unary => {
  switch (op) {
    case 'neg':
      return (x) => -x
    case 'abs':
      return Math.abs
    case 'exp2':
      return (x) => 2 ** x
    case 'log2':
      return Math.log2
    case 'rcp':
      return (x) => 1 / x
    case 'sqrt':
      return Math.sqrt
    case 'rsqrt':
      return (x) => 1 / Math.sqrt(x)
    case 'exp':
      return Math.exp
    case 'log':
      return Math.log
    case 'tanh':
      return Math.tanh
    case 'expm1':
      return Math.expm1
    case 'log1p':
      return Math.log1p
    case 'sin':
      return Math.sin
    case 'cos':
      return Math.cos
    case 'erf':
      return erf
  }
}

/** A special function is what it approximates. */
const unary = (op: UnaryOp): Unary => elementary(isSpecialUnary(op) ? meaningOf[op] : op)

const binary = (op: BinaryOp): Binary => {
  switch (op) {
    case 'add':
      return (x, y) => x + y
    case 'sub':
      return (x, y) => x - y
    case 'mul':
      return (x, y) => x * y
    case 'div':
    case 'div.full.f32':
    case 'div.full.ftz.f32':
    case 'div.approx.ftz.f32':
      return (x, y) => x / y
    case 'dividend.div.full.f32':
      return (x) => x
    case 'min':
      return minimum
    case 'max':
      return maximum
  }
}

const mma =
  ({ m, n, k }: MmaShape): Mma =>
  (a, b, c) => {
    const d = c.slice()
    for (let i = 0; i < m; i++)
      for (let p = 0; p < k; p++) {
        const x = a[i * k + p]!
        for (let j = 0; j < n; j++) d[i * n + j]! += x * b[p * n + j]!
      }
    return d
  }

const times = (x: number, y: number): number => x * y

/** f64 values, never rounded to a dtype. */
export const real64: Algebra = {
  name: 'real64',
  description: 'f64 values, never rounded to a dtype',
  memory: 'slots',
  constant: (_dtype, x) => x,
  fromBits: decode,
  unary: (op) => O.some(unary(op)),
  binary: (op) => O.some(binary(op)),
  fma: () => O.some((x, y, z) => x * y + z),
  compare: (op) => O.some(compareValues(op)),
  cast: (from, to, rounding, saturate) => {
    if (isFloat(to)) return O.some((x) => x)
    return isFloat(from) ? floatToInteger(to, rounding) : integerCast(from, to, saturate)
  },
  mma: (types, shape) => (types.acc === 'i32' ? integerMma(types, shape) : O.some(mma(shape))),
  scaledMma: ({ block }, shape) =>
    O.some((a, b, sa, sb, c) =>
      mma(shape)(
        dequantised(a, shape.k, block, sa, times),
        dequantisedColumns(b, shape.n, shape.k, block, sb, times),
        c,
      ),
    ),
}
