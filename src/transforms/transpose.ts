/**
 * Permutations of dimensions.
 *
 * A permutation `p` renames coordinates: dimension k of the result is dimension p[k] of the source, for shapes,
 * indices and strides alike.
 *
 *     p = (1, 2, 0) on shape (2, 3, 5)  ->  (3, 5, 2);  index [1, 2, 4]  ->  [2, 4, 1]
 *
 * Names: Pallas `transpose_ref` (once `TransposeTransform`), Triton `memdesc_trans` with `order`, CuTe `select`.
 *
 * Laws
 * 1. `permute(inverse(p))(permute(p)(x)) = x`.
 * 2. `permute(q)(permute(p)(x)) = permute(compose(p, q))(x)` with `compose(p, q)[k] = p[q[k]]`.
 * 3. The dot product of index and strides is unchanged when both are permuted.
 *
 * Source: JAX docs, Pallas:MGPU reference.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../failure.js'
import { refuse } from '../failure.js'
import { showShape } from './shape.js'

export type Permutation = ReadonlyArray<number>
export type PermutationError = 'transpose.not-a-permutation'

export const isPermutation = (p: ReadonlyArray<number>): boolean =>
  p.every((k) => Number.isInteger(k) && k >= 0 && k < p.length) && new Set(p).size === p.length

/** A permutation of 0..n-1. Refuses duplicates and numbers out of range. */
export const permutation = (p: ReadonlyArray<number>): E.Either<Failure<PermutationError>, Permutation> =>
  isPermutation(p)
    ? E.right(p)
    : refuse(
        'transpose.not-a-permutation',
        `Expected each of 0..${String(p.length - 1)} once, found ${showShape(p)}`,
      )

export const permute =
  (p: Permutation) =>
  <A>(values: ReadonlyArray<A>): ReadonlyArray<A> =>
    p.map((k) => values[k]!)

export const inversePermutation = (p: Permutation): Permutation => p.map((_, k) => p.indexOf(k))

/** First p, then q. */
export const composePermutations = (p: Permutation, q: Permutation): Permutation => q.map((k) => p[k]!)

export const identityPermutation = (rank: number): Permutation => Array.from({ length: rank }, (_, k) => k)
