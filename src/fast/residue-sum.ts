/**
 * Products over the field: 26-bit residues multiplied into 64 bits, summed, and reduced once in 2048 products.
 *
 * 2^26 is 5 modulo 2^26 - 5: a sum t below 2^64 is (t mod 2^26) + 5 floor(t / 2^26), below 2^41; once more below 2^26 + 5 2^15, once more below
 * 2 p, and one subtraction leaves the residue.
 *
 * Law 1. For all residues this is the product of `field`; a carrier that is no residue (NaN) is the plain definition's affair.
 */
import type { Mma, MmaShape } from '../numerics/algebra.js'
import { engine, placed, reserve, words } from './engine.js'
import { encoded, residues, widthOf } from './operand.js'

const lanes = 4

const hasNaN = (xs: Float64Array): boolean => {
  for (let i = 0; i < xs.length; i++) if (xs[i] !== xs[i]) return true
  return false
}

/** The product in vectors, by `plain` where there is a carrier that is no residue; null where the engine has none. */
export const fastResidueSum = (plain: Mma, { m, n, k }: MmaShape): Mma | null => {
  const e = engine()
  if (e === null || m * n * k === 0) return null
  const [rowsOfA, columnsOfB] = [
    { rows: m, columns: k, lanes: k },
    { rows: k, columns: n, lanes },
  ]
  const columnsOfD = { rows: m, columns: n, lanes }
  const width = widthOf(columnsOfB)
  const [P, A, B, D, end] = placed(8 * Math.max(m * k, k * n, m * n), 4 * m * k, 4 * k * width, 8 * m * width)
  if (!reserve(e, end!)) return null
  return (a, b, c) => {
    if (hasNaN(a) || hasNaN(b) || hasNaN(c)) return plain(a, b, c)
    const memory = words(e)
    memory.set(a, P! / 8)
    residues(e, P!, rowsOfA, 'u32', A!)
    memory.set(b, P! / 8)
    residues(e, P!, columnsOfB, 'u32', B!)
    memory.set(c, P! / 8)
    residues(e, P!, columnsOfD, 'u64', D!)
    e.residueSum(m, width / lanes, k, A!, B!, D!)
    encoded(e, D!, columnsOfD, 'u64', P!)
    return memory.slice(P! / 8, P! / 8 + m * n)
  }
}
