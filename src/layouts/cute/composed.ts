/**
 * Composed layouts: what is not a layout any more, written as one behind another.
 *
 * outer o offset o inner is the function c -> outer(offset + inner(c)). With a swizzle outside it is a swizzled tile; with a layout outside
 * it is a layout whose composition was left standing.
 *
 *     S<1,4,3> o 0 o 1024:1     at 129 = 128 + 1: bit 7 is set, so bit 4 flips: 145
 *
 * The domain is that of the inner layout, so everything that reshapes a domain (grouping, divisions, products, slices) acts on the
 * inner layout: `mapInner`.
 *
 * Laws
 * 1. `evaluate(c, x)` = outer(offset + inner(x)), and `at` likewise at integers.
 * 2. For f with f(l)(i) = l(g(i)): mapInner(f)(c)(i) = c(g(i)).
 * 3. `sliceComposed` moves what is cut off into the offset: the slice at d is the whole at the coordinate with d in the holes.
 * 4. `recastComposed` recasts all three parts, each as on its own.
 *
 * Names: CuTe `ComposedLayout`, `make_composed_layout`, `composition(swizzle, layout)`.
 * Source: CUTLASS, CuTe: swizzle layout.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import { refuse } from '../../failure.js'
import type { CoordinateError } from './coordinate.js'
import type { IntTuple } from './int-tuple.js'
import type { Layout, Slicer } from './layout.js'
import { at as layoutAt, evaluate as layoutEvaluate, slice } from './layout.js'
import type { RecastError } from './recast.js'
import { downcast, recast, recastFactors, upcast } from './recast.js'
import { add } from './scaled-basis.js'
import type { Swizzle, SwizzleError } from './swizzle.js'
import * as Sw from './swizzle.js'
import { isTuple } from './tree.js'

// ---------------------------------------------------------------------------------------------- model

export interface ComposedLayout {
  readonly _tag: 'composed'
  readonly outer: Swizzle | Layout
  readonly offset: IntTuple
  readonly inner: Layout
}

// ---------------------------------------------------------------------------------------- constructors

export const composed = (outer: Swizzle | Layout, inner: Layout, offset: IntTuple = 0): ComposedLayout => ({
  _tag: 'composed',
  outer,
  offset,
  inner,
})

// ----------------------------------------------------------------------------------------- destructors

const through = (outer: Swizzle | Layout, value: IntTuple): E.Either<Failure<CoordinateError>, IntTuple> => {
  if (outer._tag === 'layout') return layoutEvaluate(outer, value)
  return isTuple(value)
    ? refuse('cute.coordinate', 'A swizzle takes an integer offset; the inner layout has basis strides')
    : E.right(Sw.apply(outer)(value))
}

/** The value at a coordinate of the inner layout. */
export const evaluate = (
  c: ComposedLayout,
  coordinate: IntTuple,
): E.Either<Failure<CoordinateError>, IntTuple> => {
  const value = layoutEvaluate(c.inner, coordinate)
  return E.isLeft(value) ? value : through(c.outer, add(c.offset, value.right))
}

/** The value at an integer. */
export const at = (c: ComposedLayout, index: number): E.Either<Failure<CoordinateError>, IntTuple> =>
  through(c.outer, add(c.offset, layoutAt(c.inner, index)))

// ----------------------------------------------------------------------------------------- combinators

/** Reshapes the domain. */
export const mapInner =
  <Error>(f: (inner: Layout) => E.Either<Error, Layout>) =>
  (c: ComposedLayout): E.Either<Error, ComposedLayout> => {
    const inner = f(c.inner)
    return E.isLeft(inner) ? inner : E.right({ ...c, inner: inner.right })
  }

/** The part over the holes; the rest of the coordinate goes into the offset. */
export const sliceComposed = (
  c: ComposedLayout,
  slicer: Slicer,
): E.Either<Failure<CoordinateError>, ComposedLayout> => {
  const cut = slice(c.inner, slicer)
  return E.isLeft(cut)
    ? cut
    : E.right({ ...c, inner: cut.right.layout, offset: add(c.offset, cut.right.offset) })
}

const recastOuter = (
  outer: Swizzle | Layout,
  from: number,
  to: number,
): E.Either<Failure<RecastError | SwizzleError>, Swizzle | Layout> => {
  if (outer._tag === 'layout') return recast(from, to)(outer)
  const { up, down } = recastFactors(from, to)
  const wide = Sw.upcast(up)(outer)
  return E.isLeft(wide) ? wide : Sw.downcast(down)(wide.right)
}

/** Elements of `from` bits read as elements of `to` bits. The offset must be a whole number of them. */
export const recastComposed =
  (from: number, to: number) =>
  (c: ComposedLayout): E.Either<Failure<RecastError | SwizzleError>, ComposedLayout> => {
    const { up, down } = recastFactors(from, to)
    if (isTuple(c.offset))
      return refuse('cute.plain', 'Only an integer offset can be recast; found a coordinate')
    if (c.offset % up !== 0)
      return refuse(
        'cute.recast-divides',
        `The offset ${String(c.offset)} is not a whole number of elements ${String(up)} times as wide`,
      )
    const outer = recastOuter(c.outer, from, to)
    if (E.isLeft(outer)) return outer
    const wide = upcast(up)(c.inner)
    const inner = E.isLeft(wide) ? wide : downcast(down)(wide.right)
    return E.isLeft(inner) ? inner : E.right(composed(outer.right, inner.right, (c.offset / up) * down))
  }
