/**
 * The algebra of what has been written: an element is something, or nothing.
 *
 *     nothing has written x          x is NaN
 *     x + 1, max(x, y)               nothing, too: it is made of nothing
 *     the product of a and b         nothing in the rows of a and the columns of b that have nothing in them
 *     b ? x : y                      that of the two which is taken
 *
 * A run over it says where what nothing has written comes to: a compiler loads an accumulator in front of a loop that is not entered, and drops it. It says so of all inputs as
 * long as no float decides anything: which of two numbers is less is not known, so a comparison is told to who asks (`compared`).
 *
 * Laws
 * 1. Of operands that are something every operation makes something; of operands of which one is nothing, nothing.
 * 2. An element is nothing if and only if its term, written out, has a leaf that nothing has written.
 */
import * as O from 'fp-ts/lib/Option.js'
import type { Algebra, Mma, MmaShape } from './algebra.js'
import { isFloat } from './dtype.js'
import { integerCast } from './integer.js'
import { integerMma } from './integer-product.js'

const something = 0
const nothing = NaN

const hasNothing = (from: Float64Array, at: number, count: number, step: number): boolean => {
  for (let i = 0; i < count; i++) if (Number.isNaN(from[at + i * step]!)) return true
  return false
}

const product =
  ({ m, n, k }: MmaShape): Mma =>
  (a, b, c) => {
    const rows = Array.from({ length: m }, (_, i) => hasNothing(a, i * k, k, 1))
    const columns = Array.from({ length: n }, (_, j) => hasNothing(b, j, k, n))
    return c.map((x, at) => (rows[Math.floor(at / n)]! || columns[at % n]! ? nothing : x))
  }

/** The algebra; `compared` is called where floats are compared. */
export const written = (compared: () => void): Algebra => ({
  name: 'terms',
  description: 'written: which elements come from unwritten memory',
  memory: 'slots',
  constant: () => something,
  fromBits: () => something,
  unary: () => O.some((x) => x),
  binary: () => O.some((x, y) => x + y),
  fma: () => O.some((x, y, z) => x + y + z),
  compare: () =>
    O.some(() => {
      compared()
      return false
    }),
  cast: (from, to, _rounding, saturate) =>
    isFloat(to)
      ? O.some(isFloat(from) ? (x: number) => x : () => something)
      : // which integer it is, is not known
        isFloat(from)
        ? O.none
        : integerCast(from, to, saturate),
  mma: (types, shape) => (types.acc === 'i32' ? integerMma(types, shape) : O.some(product(shape))),
  scaledMma: ({ block }, shape) =>
    O.some((a, b, sa, sb, c) => {
      const scales: MmaShape = { m: shape.m, n: shape.n, k: shape.k / block }
      return product(scales)(sa, sb, product(shape)(a, b, c))
    }),
})
