/**
 * Random shapes, indices and permutations.
 *
 * Everything here is a map of plain numbers, so it shrinks as numbers do: shapes towards `[1]`, indices towards the origin,
 * permutations towards the identity. A permutation is drawn as its Lehmer code: digit k says which of the k + 1 gaps the next dimension takes.
 *
 *     code 0 0 0 -> 0 1 2      code 0 1 0 -> 1 0 2      code 0 1 2 -> 2 1 0
 *
 * Laws
 * 1. Extents are positive and their product is at most `maxSize`; every rank in the range occurs.
 * 2. An index is inside its shape; every index of a small shape occurs.
 * 3. A permutation is one, and all of a rank occur.
 */
import * as fc from 'fast-check'
import type { Index, Shape } from '../transforms/shape.js'
import type { Permutation } from '../transforms/transpose.js'

export interface ShapeConstraints {
  /** 1 if not given. */
  readonly minRank?: number
  /** 4 if not given. */
  readonly maxRank?: number
  /** Largest number of elements, 4096 if not given. */
  readonly maxSize?: number
}

/** Small numbers of every kind, and the powers of two that tiles are made of. */
const extents: ReadonlyArray<number> = [1, 2, 3, 4, 5, 6, 7, 8, 16, 32, 64, 128]
const extent: fc.Arbitrary<number> = fc.nat(extents.length - 1).map((k) => extents[k]!)

/** Extents of 1 where the product would pass the bound. */
const bounded =
  (maxSize: number) =>
  (drawn: Shape): Shape => {
    let size = 1
    return drawn.map((n) => {
      const kept = size * n <= maxSize ? n : 1
      size *= kept
      return kept
    })
  }

/** A shape. */
export const shape = (constraints: ShapeConstraints = {}): fc.Arbitrary<Shape> => {
  const { minRank = 1, maxRank = 4, maxSize = 4096 } = constraints
  return fc
    .integer({ min: minRank, max: maxRank })
    .chain((rank) => fc.array(extent, { minLength: rank, maxLength: rank }))
    .map(bounded(maxSize))
}

/** An index of the shape. */
export const index = (of: Shape): fc.Arbitrary<Index> => fc.tuple(...of.map((n) => fc.nat(n - 1)))

/** A permutation of 0 .. rank-1. */
export const permutation = (rank: number): fc.Arbitrary<Permutation> =>
  fc.tuple(...Array.from({ length: rank }, (_, k) => fc.nat(k))).map((code) =>
    code.reduce<ReadonlyArray<number>>((order, digit, k) => {
      const at = order.length - digit
      return [...order.slice(0, at), k, ...order.slice(at)]
    }, []),
  )
