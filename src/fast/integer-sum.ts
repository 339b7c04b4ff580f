/**
 * Products of s8 and u8 into s32 in vectors: `integerMma`, bit for bit.
 *
 * One vector instruction multiplies eight pairs of i16 and adds them two by two: neighbours along k. So rows of a are i16 one after the
 * other, and b stands in pairs; the two values of a pair are broadcast at once.
 *
 *     a, one row     1 2 | 3 4              b, k = 4, two columns    5 6        as pairs    5 7 | 6 8
 *                                                                    7 8                    9 1 | 2 3
 *     sums           1*5 + 2*7, 1*6 + 2*8                            9 2
 *                    + 3*9 + 4*1, + 3*2 + 4*3                        1 3
 *
 * The 32 products of an instruction are at most 32 * 255^2, which fits; then the accumulator takes them in, wrapping as the vectors do, or,
 * where both terms have a sign that their sum has not, by the limit of that sign.
 *
 * Law 1. For all values of the types this is `integerMma`.
 */
import type { IntegerMmaTypes, Mma, MmaShape } from '../numerics/algebra.js'
import { integerBlockK } from '../numerics/integer-product.js'
import { engine, placed, reserve, words } from './engine.js'

const lanes = 16

/** The product in vectors; null where the engine has none, and of a k that is no whole number of instructions. */
export const fastIntegerSum = (
  { saturate }: Pick<IntegerMmaTypes, 'saturate'>,
  { m, n, k }: MmaShape,
): Mma | null => {
  const e = engine()
  if (e === null || m * n * k === 0 || k % integerBlockK !== 0) return null
  const tiles = Math.ceil(n / lanes)
  // rows go two by two: one more, of whatever is there, for an odd number
  const rows = m + (m % 2)
  const [P, A, B, D, end] = placed(
    8 * Math.max(m * k, k * n, m * n),
    2 * rows * k,
    2 * k * tiles * lanes,
    4 * rows * tiles * lanes,
  )
  if (!reserve(e, end!)) return null
  return (a, b, c) => {
    const memory = words(e)
    memory.set(a, P! / 8)
    e.packRows(P!, m * k, A!)
    memory.set(b, P! / 8)
    e.packPairs(P!, k, n, B!)
    memory.set(c, P! / 8)
    e.moveSums(P!, m, n, rows, D!, 0)
    e.integerSum(rows, tiles, k, A!, B!, D!, saturate ? 1 : 0)
    e.moveSums(P!, m, n, rows, D!, 1)
    return memory.slice(P! / 8, P! / 8 + m * n)
  }
}
