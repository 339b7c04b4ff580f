/**
 * Scaled basis strides: strides whose result is a coordinate.
 *
 * A stride is an integer, or an integer times a basis vector of a tuple. `path` walks from the outermost tuple inwards;
 * CuTe prints it the other way round, innermost first.
 *
 *     3@1     3 * (0,1,...)              path [1]
 *     2@1@0   2 * ((0,1,...),0,...)      path [0,1]
 *
 *     the layout (4,5):(1@1,1@0) at (i,j)   i (0,1) + j (1,0) = (j,i): a transposed coordinate tensor
 *
 * Sums of such things pad with zeros: (0,1) + (0,0,2) = (0,1,2).
 *
 * Laws
 * 1. `add` is associative and commutative, 0 is its unit, and on congruent tuples it is entrywise.
 * 2. `toTuple` of a scaled basis is nothing but its value at its path, zero elsewhere.
 * 3. `scale(k)` multiplies the tuple; by 0 it gives the integer 0.
 *
 * Names: CuTe `ScaledBasis`, `E<1>{}`, `ArithmeticTuple`; the coordinate tensors that a TMA descriptor is sliced with.
 * Source: CUTLASS, CuTe: TMA tensors documentation.
 */
import type { IntTuple } from './int-tuple.js'
import { isTuple } from './tree.js'

// ---------------------------------------------------------------------------------------------- model

export interface ScaledBasis {
  readonly _tag: 'basis'
  readonly value: number
  /** From the outermost tuple inwards; at least one step. */
  readonly path: ReadonlyArray<number>
}

export type Stride = number | ScaledBasis

// ---------------------------------------------------------------------------------------- constructors

export const basis = (value: number, path: ReadonlyArray<number>): ScaledBasis => ({
  _tag: 'basis',
  value,
  path,
})

/** A coefficient at a path; the empty path is the integers. */
export const strideAt = (value: number, path: ReadonlyArray<number>): Stride =>
  path.length === 0 ? value : basis(value, path)

// ----------------------------------------------------------------------------------------- destructors

/** The integer in front. */
export const coefficient = (stride: Stride): number => (typeof stride === 'number' ? stride : stride.value)

/** Where the stride points; the integers are the empty path. */
export const pathOf = (stride: Stride): ReadonlyArray<number> =>
  typeof stride === 'number' ? [] : stride.path

export const samePath = (a: ReadonlyArray<number>, b: ReadonlyArray<number>): boolean =>
  a.length === b.length && a.every((step, i) => step === b[i])

export const sameStride = (a: Stride, b: Stride): boolean =>
  coefficient(a) === coefficient(b) && samePath(pathOf(a), pathOf(b))

/** The tuple that a stride denotes, times `k`. */
export const toTuple = (stride: Stride, k: number): IntTuple =>
  pathOf(stride).reduceRight<IntTuple>(
    (inner, step) => [...Array.from({ length: step }, () => 0), inner],
    coefficient(stride) * k + 0,
  )

// ----------------------------------------------------------------------------------------- combinators

export const scale =
  (k: number) =>
  (stride: Stride): Stride =>
    k === 0 ? 0 : strideAt(coefficient(stride) * k, pathOf(stride))

/** Sum of two values of one codomain. Zero, the integer, is neutral. */
export const add = (a: IntTuple, b: IntTuple): IntTuple => {
  if (!isTuple(a)) return !isTuple(b) ? a + b : b
  if (!isTuple(b)) return a
  return Array.from({ length: Math.max(a.length, b.length) }, (_, i) => add(a[i] ?? 0, b[i] ?? 0))
}
