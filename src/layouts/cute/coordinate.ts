/**
 * Coordinates: three ways to name the same element of a shape.
 *
 * A shape accepts an integer (colexicographic: the leftmost mode is the fastest), a tuple with one entry for each mode, or
 * the natural coordinate that nests as the shape does. They are in bijection on 0 .. size-1.
 *
 *     shape (4,(2,3))    5  =  (1,1)  =  (1,(1,0))            4 c + r:  r = 1, c = 1 and 1 = (1,0) in (2,3)
 *
 * Past the end the last mode simply goes on, so that an integer is never out of range: 27 = (3,(0,3)). A
 * negative integer is the mirror image of its magnitude: -5 = (-1,(-1,0)).
 *
 * Laws
 * 1. `toIndex(s)(natural(s)(i)) = i` for every integer i.
 * 2. `natural(s)` is a bijection of 0 .. size-1 onto the coordinates of s, and 0 .. n-1 ascending in colexicographic order.
 * 3. `increment` steps the natural coordinate of i to that of i + 1, for all i; the last mode takes the overflow.
 * 4. `natural(s)` of a coordinate that is coarser than s is that of its index.
 *
 * Names: CuTe `idx2crd`, `crd2idx`, `crd2crd`, `increment`.
 * Source: CUTLASS, CuTe: layout documentation, coordinate mapping.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import { refuse } from '../../failure.js'
import type { IntTuple } from './int-tuple.js'
import { size } from './int-tuple.js'
import { isTuple } from './tree.js'

export type CoordinateError = 'cute.coordinate'

const shown = (tuple: IntTuple): string => JSON.stringify(tuple).replaceAll('[', '(').replaceAll(']', ')')

/** Adding 0 turns -0 into 0. */
const remainder = (a: number, n: number): number => (a % n) + 0
const quotient = (a: number, n: number): number => Math.trunc(a / n) + 0

const naturalOfIndex = (shape: IntTuple, index: number): IntTuple => {
  if (!isTuple(shape)) return index
  let left = index
  return shape.map((entry, i) => {
    const extent = size(entry)
    const here = i === shape.length - 1 ? left : remainder(left, extent)
    left = quotient(left, extent)
    return naturalOfIndex(entry, here)
  })
}

/** The coordinate that nests as the shape does. CuTe `idx2crd`. */
export const natural =
  (shape: IntTuple) =>
  (coordinate: IntTuple): E.Either<Failure<CoordinateError>, IntTuple> => {
    if (!isTuple(coordinate)) return E.right(naturalOfIndex(shape, coordinate))
    if (!isTuple(shape) || shape.length !== coordinate.length)
      return refuse(
        'cute.coordinate',
        `The coordinate ${shown(coordinate)} does not fit the shape ${shown(shape)}: the entries differ in number`,
      )
    const out: IntTuple[] = []
    for (const [i, entry] of coordinate.entries()) {
      const inner = natural(shape[i]!)(entry)
      if (E.isLeft(inner)) return inner
      out.push(inner.right)
    }
    return E.right(out)
  }

/** The colexicographic index of a coordinate of any granularity. CuTe `crd2idx` with compact strides. */
export const toIndex =
  (shape: IntTuple) =>
  (coordinate: IntTuple): E.Either<Failure<CoordinateError>, number> => {
    const walk = (s: IntTuple, c: IntTuple): number => {
      if (!isTuple(c)) return c
      let running = 1
      let index = 0
      for (const [i, entry] of c.entries()) {
        const sub = isTuple(s) ? s[i]! : s
        index += running * walk(sub, entry)
        running *= size(sub)
      }
      return index
    }
    const fits = natural(shape)(coordinate)
    return E.isLeft(fits) ? fits : E.right(walk(shape, coordinate))
  }

/** The natural coordinate in `to` of the element that `coordinate` names in `from`. CuTe `crd2crd`. */
export const convert =
  (from: IntTuple, to: IntTuple) =>
  (coordinate: IntTuple): E.Either<Failure<CoordinateError>, IntTuple> => {
    const index = toIndex(from)(coordinate)
    return E.isLeft(index) ? index : E.right(naturalOfIndex(to, index.right))
  }

/** The next coordinate, natural in `shape`. */
export const increment =
  (shape: IntTuple) =>
  (coordinate: IntTuple): E.Either<Failure<CoordinateError>, IntTuple> => {
    const index = toIndex(shape)(coordinate)
    return E.isLeft(index) ? index : E.right(naturalOfIndex(shape, index.right + 1))
  }

/** The natural coordinate of an integer: never refuses. */
export const coordinateAt: (shape: IntTuple, index: number) => IntTuple = naturalOfIndex
