/**
 * Matrix products of ordinary arithmetic, for contrast with the tensor cores': every operation rounded to the accumulator's format, to nearest
 * even, in an order that is said.
 *
 * | order      | c + the sum of x_k y_k, four products                         | fused                       |
 * |------------|---------------------------------------------------------------|-----------------------------|
 * | ascending  | (((c + p0) + p1) + p2) + p3                                    | fma(x3, y3, ... fma(x0, y0, c)) |
 * | descending | (((c + p3) + p2) + p1) + p0                                    | the same, the other way     |
 * | pairwise   | c + ((p0 + p1) + (p2 + p3)); halves, the first the shorter one | none: nothing to fuse with  |
 *
 * p_k is the product rounded by itself; fused, product and sum are rounded together, once. By hand, f32, c = 1, x = y = 2^-12 four times: p is
 * 2^-24, half a unit of 1: ascending gives 1 (each tie goes to even), pairwise 1 + 2^-22. With c = -1 and one product of 1 + 2^-12 by itself:
 * separately 2^-11, since the product's 2^-24 is rounded away; fused 2^-11 + 2^-24.
 *
 * Only ascending orders continue one another (law 3 of `algebra.ts`): k in two pieces is k in one. So only they are algebras (`bits('ieee32')`,
 * `bits('ieee32-fused')`); the others are products of all of k.
 *
 * Laws
 * 1. Every result is that of exact rational operations, each rounded once, in the order of the table.
 * 2. Descending is ascending of k turned round.
 *
 * Source: IEEE 754-2019, 5.4.1 (multiplication, addition, fusedMultiplyAdd).
 */
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type { FloatMmaTypes, Mma, MmaShape } from './algebra.js'
import { decoder, encoder } from './float-format.js'
import { isArithmetic, roundedFma, rounder } from './rounded-arithmetic.js'

/** How a sum of products is made of operations. */
export interface SumRule {
  readonly order: 'ascending' | 'descending' | 'pairwise'
  readonly fused: boolean
}

/** Bit patterns; none into a format without arithmetic, and of what cannot be fused. */
export const orderedMma = (
  types: FloatMmaTypes,
  { m, n, k }: MmaShape,
  { order, fused }: SumRule = { order: 'ascending', fused: false },
): O.Option<Mma> =>
  pipe(
    types.acc,
    O.fromPredicate(isArithmetic),
    O.filter(() => !fused || order !== 'pairwise'),
    O.map((acc): Mma => {
      const round = rounder(acc)
      const pattern = encoder(acc)
      const fma = roundedFma(acc)
      return (a, b, c) => {
        if (k === 0) return c.slice()
        const av = a.map(decoder(types.a))
        const bv = b.map(decoder(types.b))
        const d = c.map(decoder(acc))
        if (order === 'pairwise') {
          const tree = (i: number, j: number, from: number, count: number): number => {
            if (count === 1) return round(av[i * k + from]! * bv[from * n + j]!)
            const half = Math.floor(count / 2)
            return round(tree(i, j, from, half) + tree(i, j, from + half, count - half))
          }
          for (let i = 0; i < m; i++)
            for (let j = 0; j < n; j++) d[i * n + j] = round(d[i * n + j]! + tree(i, j, 0, k))
          return d.map(pattern)
        }
        for (let i = 0; i < m; i++)
          for (let step = 0; step < k; step++) {
            const p = order === 'ascending' ? step : k - 1 - step
            const x = av[i * k + p]!
            for (let j = 0; j < n; j++) {
              const y = bv[p * n + j]!
              d[i * n + j] = fused ? fma(x, y, d[i * n + j]!) : round(d[i * n + j]! + round(x * y))
            }
          }
        return d.map(pattern)
      }
    }),
  )
