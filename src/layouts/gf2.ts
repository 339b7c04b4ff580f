/**
 * Matrices over GF(2), as columns.
 *
 * A matrix is the function on bits that sends input bit i to column i and a sum (xor) of input bits to the sum of their
 * columns. A column is a bigint, one bit per row, so any number of rows fits.
 *
 * Everything is read off one elimination, which walks the columns from the lowest input bit up and keeps those that are
 * no sum of earlier ones, the *pivots*:
 *
 *     columns 1, 3, 2, 4:   1 is new, 3 is new (3 = 2 xor 1), 2 = 1 xor 3 is not, 4 is new
 *     pivots 0, 1, 3; rank 3; kernel { 0b0111 }; solve(6) = 0b1011, that is 1 xor 3 xor 4: bit 2 stays 0
 *
 * Preferring low input bits is what makes a solution canonical. A column that is a sum of earlier ones is never needed,
 * and doing without it makes the input smaller: of all addresses of an element, `solve` names the least.
 *
 * Names: the reduced row echelon form with the free variables set to 0 (Triton's F2 solver).
 *
 * Laws
 * 1. `multiply(m)(x xor y) = multiply(m)(x) xor multiply(m)(y)`, and `multiply(m)(2^i) = m[i]`.
 * 2. The image has 2^rank elements; `pivots` is the lexicographically first list of `rank` independent columns.
 * 3. `solve(m)(y)` is the least x with `multiply(m)(x) = y`, none if there is none.
 * 4. `kernel` is a basis of the inputs that map to 0: its length and the rank add up to the number of columns.
 *
 * Source: linear algebra; Triton, LinearLayout (arXiv 2505.23819).
 */
import * as O from 'fp-ts/lib/Option.js'

// ---------------------------------------------------------------------------------------------- model

/** Column i is the value at input bit i. */
export type Matrix = ReadonlyArray<bigint>

interface Pivot {
  /** Which column it is. */
  readonly input: number
  /** The column less earlier pivots, as a vector and as the set of columns it sums. */
  readonly vector: bigint
  readonly sum: bigint
  /** One bit of `vector` that no later pivot's vector has. */
  readonly lead: bigint
}

interface Elimination {
  readonly pivots: ReadonlyArray<Pivot>
  readonly kernel: ReadonlyArray<bigint>
}

// ------------------------------------------------------------------------------------------ elimination

/** Adds pivots until none of their leads is left. Every pivot is free of earlier leads, so one pass in order suffices. */
const reduce = (pivots: ReadonlyArray<Pivot>, start: { readonly vector: bigint; readonly sum: bigint }) =>
  pivots.reduce(
    (rest, pivot) =>
      (rest.vector & pivot.lead) === 0n
        ? rest
        : { vector: rest.vector ^ pivot.vector, sum: rest.sum ^ pivot.sum },
    start,
  )

const eliminate = (columns: Matrix): Elimination => {
  const pivots: Pivot[] = []
  const kernel: bigint[] = []
  columns.forEach((column, input) => {
    const { vector, sum } = reduce(pivots, { vector: column, sum: 1n << BigInt(input) })
    if (vector === 0n) kernel.push(sum)
    else pivots.push({ input, vector, sum, lead: vector & -vector })
  })
  return { pivots, kernel }
}

// ----------------------------------------------------------------------------------------- destructors

/** The sum of the columns whose bit is set. */
export const multiply =
  (columns: Matrix) =>
  (x: bigint): bigint =>
    columns.reduce((sum, column, i) => (((x >> BigInt(i)) & 1n) === 1n ? sum ^ column : sum), 0n)

export const rank = (columns: Matrix): number => eliminate(columns).pivots.length

/** The columns that are no sum of earlier ones, ascending. Those columns are a basis of the image. */
export const pivots = (columns: Matrix): ReadonlyArray<number> =>
  eliminate(columns).pivots.map((pivot) => pivot.input)

/** A basis of the inputs that map to 0; each has exactly one bit that is no pivot, its highest. */
export const kernel = (columns: Matrix): ReadonlyArray<bigint> => eliminate(columns).kernel

/** The least input with value y, or none. Apply it to the matrix once for many y. */
export const solve = (columns: Matrix): ((y: bigint) => O.Option<bigint>) => {
  const { pivots } = eliminate(columns)
  return (y) => {
    const { vector, sum } = reduce(pivots, { vector: y, sum: 0n })
    return vector === 0n ? O.some(sum) : O.none
  }
}
