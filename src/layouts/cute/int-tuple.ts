/**
 * Int tuples: trees of integers, and the arithmetic of shapes.
 *
 * The *size* of a shape is the product of its leaves. Dividing a shape by an integer uses the integer up from the left:
 * what the first mode cannot absorb is left for the second.
 *
 *     shapeDiv(((3,4),6), 36)     3 takes 3, 12 left; 4 takes 4, 3 left; 6 / 3        ->  ((1,1),2)
 *     ceilDiv((4,8), 2)           4 / 2, nothing left                                 ->  (2,8)
 *     compactLeft((4,(2,3)))      running products                                    ->  (1,(4,8))
 *
 * Compatibility orders shapes by how much of a coordinate they can read: a coordinate of `a` is a coordinate of `b`
 * when a is compatible with b: 24 with (4,6) with ((2,2),6), also 24 with (24), but not (24) with 24.
 *
 * Laws
 * 1. `size` is the product of the leaves, and `sizes` that of every entry on its own.
 * 2. `ceilDiv` and `shapeDiv` agree wherever `shapeDiv` is defined, that is where one of two leaves always divides the other.
 * 3. `compactLeft(s)` evaluates s as the identity on 0 .. size-1; `compactRight` is its mirror image. A mode of extent 1 has stride 0
 *    (`static`), or the running product (`running`).
 * 4. `compatible` is reflexive and transitive, and implies equal sizes.
 * 5. `elementwiseLess(c, s)` for a non-negative c says that c is a coordinate of s.
 *
 * Names: CuTe `product`, `product_each`, `shape_div`, `ceil_div`, `compact_major`, `compatible`, `elem_less`, `prefix_product`.
 * The static form is what CuTe does with extents known at compile time, `running` what it does with those that are not.
 * Source: CUTLASS, CuTe: int_tuple, stride and layout algebra documentation.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import { refuse } from '../../failure.js'
import type { Tree } from './tree.js'
import { congruent, entries, isTuple, leaves, mapLeaves } from './tree.js'

// ---------------------------------------------------------------------------------------------- model

export type IntTuple = Tree<number>

export type ShapeError = 'cute.shape-rank' | 'cute.shape-divides'

// ----------------------------------------------------------------------------------------- destructors

/** Product of all leaves; 1 for the empty tuple. */
export const size = (shape: IntTuple): number => leaves(shape).reduce((product, n) => product * n, 1)

/** The size of every entry. */
export const sizes = (shape: IntTuple): ReadonlyArray<number> => entries(shape).map(size)

export const equals = (a: IntTuple, b: IntTuple): boolean => {
  const [as, bs] = [leaves(a), leaves(b)]
  return congruent(a, b) && as.every((n, i) => n === bs[i])
}

/** Every coordinate of `a` is one of `b`, and the sizes agree. */
export const compatible = (a: IntTuple, b: IntTuple): boolean =>
  isTuple(a)
    ? isTuple(b) && a.length === b.length && a.every((entry, i) => compatible(entry, b[i]!))
    : a === size(b)

/** As `compatible`, but sizes of `a` need only divide those of `b`. */
export const weaklyCompatible = (a: IntTuple, b: IntTuple): boolean =>
  isTuple(a)
    ? isTuple(b) && a.length === b.length && a.every((entry, i) => weaklyCompatible(entry, b[i]!))
    : size(b) % a === 0

/** Is every entry of `a` less than its partner in `b`? A shorter `a` is fine, a longer one or a tuple against a number is not. */
export const elementwiseLess = (a: IntTuple, b: IntTuple): boolean =>
  isTuple(a)
    ? isTuple(b) && a.length <= b.length && a.every((entry, i) => elementwiseLess(entry, b[i]!))
    : !isTuple(b) && a < b

/** Sum of the products of partners; null when the two do not nest alike. */
export const innerProduct = (a: IntTuple, b: IntTuple): number | null => {
  const bs = leaves(b)
  return congruent(a, b) ? leaves(a).reduce((sum, n, i) => sum + n * bs[i]!, 0) : null
}

// ----------------------------------------------------------------------------------------- combinators

const shown = (tuple: IntTuple): string => JSON.stringify(tuple).replaceAll('[', '(').replaceAll(']', ')')

type LeafDivision = (a: number, b: number) => E.Either<Failure<ShapeError>, number>

/** Walks two shapes; `rest` says whether entries of `a` without a partner pass. */
const divideBy =
  (leaf: LeafDivision, rest: boolean) =>
  (a: IntTuple, b: IntTuple): E.Either<Failure<ShapeError>, IntTuple> => {
    const divide = divideBy(leaf, rest)
    if (!isTuple(a)) return leaf(a, size(b))
    const out: IntTuple[] = []
    if (isTuple(b)) {
      if (b.length > a.length || (b.length < a.length && !rest))
        return refuse(
          'cute.shape-rank',
          `The shape ${shown(a)} is divided by ${shown(b)}: expected ${rest ? 'at most as many' : 'as many'} entries`,
        )
      for (const [i, entry] of a.entries()) {
        const q = i < b.length ? divide(entry, b[i]!) : E.right(entry)
        if (E.isLeft(q)) return q
        out.push(q.right)
      }
      return E.right(out)
    }
    let left = b
    for (const entry of a) {
      const q = divide(entry, left)
      if (E.isLeft(q)) return q
      const next = leaf(left, size(entry))
      if (E.isLeft(next)) return next
      out.push(q.right)
      left = next.right
    }
    return E.right(out)
  }

/** Ceiling division; entries of `a` that `b` does not reach pass unchanged. */
export const ceilDiv: (a: IntTuple, b: IntTuple) => E.Either<Failure<ShapeError>, IntTuple> = divideBy(
  (a, b) => E.right(Math.ceil(a / b)),
  true,
)

/** Division in which one of two leaves always divides the other; 1 where the divisor is larger. */
export const shapeDiv: (a: IntTuple, b: IntTuple) => E.Either<Failure<ShapeError>, IntTuple> = divideBy(
  (a, b) =>
    a % b === 0 || b % a === 0
      ? E.right(Math.ceil(a / b))
      : refuse(
          'cute.shape-divides',
          `Neither of ${String(a)} and ${String(b)} divides the other in a division of shapes`,
        ),
  false,
)

export type UnitStride = 'static' | 'running'

const rebuild = (shape: IntTuple, strides: ReadonlyArray<number>): IntTuple => {
  let next = 0
  return mapLeaves(() => strides[next++]!)(shape)
}

/** Compact strides when the leaves are visited in the order of `positions`, fastest first. */
export const compactInOrder = (
  shape: IntTuple,
  positions: ReadonlyArray<number>,
  unit: UnitStride,
): IntTuple => {
  const extents = leaves(shape)
  const strides = extents.map(() => 0)
  let running = 1
  for (const position of positions) {
    const extent = extents[position]!
    strides[position] = extent === 1 && unit === 'static' ? 0 : running
    running *= extent
  }
  return rebuild(shape, strides)
}

/** Column-major (leftmost fastest) strides, congruent to the shape. */
export const compactLeft = (shape: IntTuple, unit: UnitStride = 'static'): IntTuple =>
  compactInOrder(
    shape,
    leaves(shape).map((_, i) => i),
    unit,
  )

/** Row-major (rightmost fastest) strides, congruent to the shape. */
export const compactRight = (shape: IntTuple, unit: UnitStride = 'static'): IntTuple =>
  compactInOrder(
    shape,
    leaves(shape)
      .map((_, i) => i)
      .reverse(),
    unit,
  )

/**
 * Strides that are compact in the order that `order` gives: a smaller entry is faster, an entry for a whole nested mode
 * orders that mode from the left, equal entries go left to right.
 */
export const compactOrder = (
  shape: IntTuple,
  order: IntTuple,
  unit: UnitStride = 'static',
): E.Either<Failure<ShapeError>, IntTuple> => {
  const spread = (s: IntTuple, o: IntTuple): ReadonlyArray<number> | null => {
    if (!isTuple(o)) return leaves(s).map(() => o)
    if (!isTuple(s) || s.length !== o.length) return null
    const parts = s.map((entry, i) => spread(entry, o[i]!))
    const out: number[] = []
    for (const part of parts) {
      if (part === null) return null
      for (const leaf of part) out.push(leaf)
    }
    return out
  }
  const keys = spread(shape, order)
  return keys === null
    ? refuse('cute.shape-rank', `The order ${shown(order)} does not follow the nesting of ${shown(shape)}`)
    : E.right(
        compactInOrder(
          shape,
          keys.map((_, i) => i).sort((i, j) => keys[i]! - keys[j]!),
          unit,
        ),
      )
}
