/**
 * Random CuTe layouts: nested shapes, and strides of every kind.
 *
 * Laws
 * 1. `layout` accepts every one; bare, flat and nested shapes, zero strides and layouts that are no injection occur.
 * 2. A compact layout is a bijection onto 0 .. size-1.
 */
import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { unreachable } from '../failure.js'
import type { IntTuple } from '../layouts/cute/int-tuple.js'
import type { Layout } from '../layouts/cute/layout.js'
import { layout, orderedLayout } from '../layouts/cute/layout.js'
import type { Tree } from '../layouts/cute/tree.js'
import { leaves, mapLeaves } from '../layouts/cute/tree.js'
import { permutation } from './shape.js'

export interface CuteConstraints {
  /** Largest number of coordinates, 256 if not given. */
  readonly maxSize?: number
  /** Largest stride, 64 if not given. */
  readonly maxStride?: number
}

const nested = (leaf: fc.Arbitrary<number>, depth: number): fc.Arbitrary<Tree<number>> =>
  depth === 0
    ? leaf
    : fc.oneof(
        { withCrossShrink: true },
        leaf,
        fc.array(nested(leaf, depth - 1), { minLength: 1, maxLength: 3 }),
      )

/** A shape of at most three levels. */
export const cuteShape = (constraints: CuteConstraints = {}): fc.Arbitrary<IntTuple> => {
  const { maxSize = 256 } = constraints
  return nested(fc.integer({ min: 1, max: 8 }), 3).map((tree) => {
    let size = 1
    return mapLeaves((n: number) => {
      const kept = size * n <= maxSize ? n : 1
      size *= kept
      return kept
    })(tree)
  })
}

/** A layout with strides of 0 or more. */
export const cuteLayout = (constraints: CuteConstraints = {}): fc.Arbitrary<Layout> =>
  cuteShape(constraints).chain((shape) => {
    const count = leaves(shape).length
    const { maxStride = 64 } = constraints
    return fc
      .array(
        fc.oneof(
          fc.nat(maxStride),
          fc.constantFrom(0, 1, 2, 4, 8, 16, 32).map((d) => Math.min(d, maxStride)),
        ),
        {
          minLength: count,
          maxLength: count,
        },
      )
      .map((strides) => {
        let k = 0
        return pipe(
          layout(shape, mapLeaves(() => strides[k++]!)(shape)),
          E.getOrElseW((why) => unreachable(why.message)),
        )
      })
  })

/** A layout that is dense, its modes in any order. */
export const compactCuteLayout = (constraints: CuteConstraints = {}): fc.Arbitrary<Layout> =>
  cuteShape(constraints).chain((shape) =>
    permutation(leaves(shape).length).map((order) => {
      let k = 0
      return pipe(
        orderedLayout(shape, mapLeaves(() => order[k++]!)(shape)),
        E.getOrElseW((why) => unreachable(why.message)),
      )
    }),
  )
