/**
 * Tensor-core products in vectors: `tensorCoreMma`, bit for bit.
 *
 * The formula is that of `numerics/tensor-core.ts`, all of it in f64: a product is exact, scaled by 2^(F - E) it is cut by one
 * instruction, and a sum of such integers, below 2^(F + 2) each, is exact whatever its order. The result's rounding toward zero is a mask
 * over the f64's fraction; to nearest even it is an addition before the mask.
 *
 * | by hand: f16 -> f32, c = 1, products 2^-25, 2^-26      | F = 25, E = 0                       |
 * |--------------------------------------------------------|-------------------------------------|
 * | exponents: 0 of c, -25 and -26 of the products         | scale 2^25                          |
 * | terms 2^25, 1, 0.5 -> 0                                | sum 2^25 + 1                        |
 * | times 2^-25, 29 bits of the f64's fraction masked away | 1 + 2^-25 -> 1                      |
 *
 * Where the vectors do not hold (an infinity or a NaN among the terms, a result beyond the accumulator's range or below its least normal
 * number) the module answers NaN, and `tensorCoreMma` is asked for that element.
 *
 * Law 1. For all patterns this is `tensorCoreMma`.
 */
import type { Mma, MmaShape } from '../numerics/algebra.js'
import { formatOf, maxExponent, minExponent } from '../numerics/float-format.js'
import { tensorCoreMma, type ArithmeticRules } from '../numerics/tensor-core.js'
import { engine, placed, reserve, words } from './engine.js'
import { decoded, encoded, widthOf } from './operand.js'

const lanes = 8
const scratch = 0

/** The product by the rules, in vectors; null where they do not apply or the engine has none. */
export const fastBlockSum = (rules: ArithmeticRules, { m, n, k }: MmaShape): Mma | null => {
  const { a: aType, b: bType, acc } = rules.types
  const e = engine()
  if (e === null || (acc !== 'f32' && acc !== 'f16') || m * n * k === 0) return null
  const format = formatOf(acc)
  const least = minExponent(format)
  const [rowsOfA, columnsOfB] = [
    { rows: m, columns: k, lanes: k },
    { rows: k, columns: n, lanes },
  ]
  const columnsOfD = { rows: m, columns: n, lanes }
  const width = widthOf(columnsOfB)
  // patterns come and go in one place
  const [P, A, AE, B, BE, D, end] = placed(
    8 * Math.max(m * k, k * n, m * n),
    8 * m * k,
    2 * m * k,
    8 * k * width,
    2 * k * width,
    8 * m * width,
  )
  if (!reserve(e, end!)) return null
  return (a, b, c) => {
    const memory = words(e)
    memory.set(a, P! / 8)
    decoded(e, aType, P!, rowsOfA, 'f64', A!, AE!)
    memory.set(b, P! / 8)
    decoded(e, bType, P!, columnsOfB, 'f64', B!, BE!)
    memory.set(c, P! / 8)
    decoded(e, acc, P!, columnsOfD, 'f64', D!, 0)
    e.blockSum(
      m,
      width / lanes,
      k,
      rules.blockK,
      A!,
      AE!,
      B!,
      BE!,
      D!,
      scratch,
      rules.alignmentBits,
      rules.exponentFloor,
      rules.resultFractionBits,
      rules.rounding === 'rn' ? 1 : 0,
      least,
      maxExponent(format) - least,
    )
    const left = encoded(e, D!, columnsOfD, acc === 'f32' ? 'f64AsF32' : 'f64AsF16', P!)
    const d = memory.slice(P! / 8, P! / 8 + m * n)
    if (left > 0) {
      const one = tensorCoreMma(rules, { m: 1, n: 1, k })
      const column = new Float64Array(k)
      for (let at = 0; at < d.length; at++) {
        if (d[at] === d[at]) continue
        const [i, j] = [Math.floor(at / n), at % n]
        for (let p = 0; p < k; p++) column[p] = b[p * n + j]!
        d[at] = one(a.subarray(i * k, (i + 1) * k), column, c.subarray(at, at + 1))[0]!
      }
    }
    return d
  }
}
