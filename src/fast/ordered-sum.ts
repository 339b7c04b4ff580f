/**
 * Products in order of k in f32, every product and every sum rounded to nearest: `ieee32`, bit for bit.
 *
 * The plain definition rounds x * y and then the sum from f64. A product of two f32 is exact in f64, and a sum of two f32 that is rounded to
 * f64 and then to f32 is the sum rounded once (53 bits are more than 2 * 24 + 1), so the vectors' own f32 operations give the same bits.
 *
 * Law 1. For all patterns this is the product of `bits('ieee32')`.
 */
import type { Mma, MmaShape } from '../numerics/algebra.js'
import type { FloatDtype } from '../numerics/dtype.js'
import { engine, placed, reserve, words } from './engine.js'
import { decoded, encoded, widthOf } from './operand.js'

const lanes = 16

/** The product in vectors, into f32; null where the engine has none, and of an odd number of rows, which go two by two. */
export const fastOrderedSum = (aType: FloatDtype, bType: FloatDtype, { m, n, k }: MmaShape): Mma | null => {
  const e = engine()
  if (e === null || m * n * k === 0 || m % 2 !== 0) return null
  const [rowsOfA, columnsOfB] = [
    { rows: m, columns: k, lanes: k },
    { rows: k, columns: n, lanes },
  ]
  const columnsOfD = { rows: m, columns: n, lanes }
  const width = widthOf(columnsOfB)
  const [P, A, B, D, end] = placed(8 * Math.max(m * k, k * n, m * n), 4 * m * k, 4 * k * width, 4 * m * width)
  if (!reserve(e, end!)) return null
  return (a, b, c) => {
    const memory = words(e)
    memory.set(a, P! / 8)
    decoded(e, aType, P!, rowsOfA, 'f32', A!, 0)
    memory.set(b, P! / 8)
    decoded(e, bType, P!, columnsOfB, 'f32', B!, 0)
    memory.set(c, P! / 8)
    decoded(e, 'f32', P!, columnsOfD, 'f32', D!, 0)
    e.orderedSum(m, width / lanes, k, A!, B!, D!)
    encoded(e, D!, columnsOfD, 'f32', P!)
    return memory.slice(P! / 8, P! / 8 + m * n)
  }
}
