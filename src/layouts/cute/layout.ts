/**
 * Layouts: shape and stride, a function from coordinates to offsets.
 *
 * A layout is a pair of congruent trees. At a natural coordinate it is the sum of coordinate times stride; an integer is first
 * read colexicographically.
 *
 *     (4,(2,2)):(2,(1,8))     0  2  4  6 |  1  3  5  7 |  8 10 12 14 |  9 11 13 15
 *     at 6 = (2,(1,0)):       2 * 2 + 1 * 1 + 0 * 8 = 5
 *
 * *Modes* are the entries at the top; a layout with a bare integer for a shape is its own only mode. A layout is a
 * function on all integers, because the last mode has no end: 4:2 at 7 is 14. (Shapes cut, strides do not.)
 *
 * Strides may be scaled basis elements (scaled-basis.ts); then the value is a tuple.
 *
 * Names: CuTe `Layout<Shape, Stride>`, printed `shape:stride`. A `StridedLayout` or a row-major array is the depth-1 case; Triton's
 * blocked encodings are the case with power-of-two extents, up to the order of bits.
 *
 * Laws
 * 1. `at(l, i)` is the sum over the leaves of the natural coordinate of i times the strides; `evaluate` accepts every coarser coordinate.
 * 2. `size` is the product of the shape; `cosize` is at(size - 1) + 1, the product of such bounds when the value is a tuple.
 * 3. `modes` and `fromModes` are inverse on tuples; grouping, ungrouping and flattening keep the function on integers.
 * 4. `slice(l, c)` at d, plus its offset, is l at c with d in the holes; `dice` keeps the other modes. Both lose the nesting of what they cut.
 * 5. `orderedLayout` and `layoutLike` are compact: bijections onto 0 .. size-1, fastest where asked.
 * 6. `identityLayout(s)` at a natural coordinate is that coordinate.
 *
 * Source: CUTLASS, CuTe: layout documentation.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import { refuse } from '../../failure.js'
import type { CoordinateError } from './coordinate.js'
import { coordinateAt, natural } from './coordinate.js'
import type { IntTuple, ShapeError } from './int-tuple.js'
import { compactInOrder, compactLeft, compactOrder, size as sizeOf } from './int-tuple.js'
import type { Stride } from './scaled-basis.js'
import { add, coefficient, pathOf, sameStride, strideAt, toTuple } from './scaled-basis.js'
import type { Tree } from './tree.js'
import { congruent, entries, isTuple, leaves, mapLeaves } from './tree.js'

// ---------------------------------------------------------------------------------------------- model

export interface Layout {
  readonly _tag: 'layout'
  readonly shape: IntTuple
  /** Congruent to the shape. */
  readonly stride: Tree<Stride>
}

/** One leaf of a layout. */
export interface Mode {
  readonly shape: number
  readonly stride: Stride
}

export type LayoutError = 'cute.congruent' | 'cute.extent' | 'cute.stride' | 'cute.codomain'
export type ModeError = 'cute.mode'
export type PlainError = 'cute.plain'

// ---------------------------------------------------------------------------------------- constructors

/** A layout from trees that are known to be congruent. Inside the algebra only; others use `layout`. */
export const unchecked = (shape: IntTuple, stride: Tree<Stride>): Layout => ({
  _tag: 'layout',
  shape,
  stride,
})

/** One mode as a layout. */
export const leaf = (shape: number, stride: Stride): Layout => unchecked(shape, stride)

export const fromModes = (modes: ReadonlyArray<Layout>): Layout =>
  unchecked(
    modes.map((mode) => mode.shape),
    modes.map((mode) => mode.stride),
  )

/** 1:0, the layout of a single element at offset 0. */
export const trivial: Layout = leaf(1, 0)

const startsWith = (path: ReadonlyArray<number>, prefix: ReadonlyArray<number>): boolean =>
  prefix.length < path.length && prefix.every((step, i) => step === path[i])

/** A layout; without a stride the compact column-major one. */
export const layout = (
  shape: IntTuple,
  stride: Tree<Stride> = compactLeft(shape),
): E.Either<Failure<LayoutError>, Layout> => {
  if (!congruent(shape, stride))
    return refuse(
      'cute.congruent',
      'The shape and the stride of a layout must have the same nesting, found different ones',
    )
  const extent = leaves(shape).find((n) => !Number.isSafeInteger(n) || n < 1)
  if (extent !== undefined)
    return refuse('cute.extent', `An extent must be a positive integer, found ${String(extent)}`)
  const strides = leaves(stride)
  const odd = strides.find(
    (d) =>
      !Number.isSafeInteger(coefficient(d)) ||
      (typeof d !== 'number' &&
        (d.path.length === 0 || d.path.some((step) => !Number.isSafeInteger(step) || step < 0))),
  )
  if (odd !== undefined)
    return refuse(
      'cute.stride',
      'A stride must be an integer, or one at a path of mode numbers; found something else',
    )
  const paths = strides.filter((d) => d !== 0).map(pathOf)
  const clash = paths.some((a) => paths.some((b) => startsWith(b, a)))
  return clash
    ? refuse(
        'cute.codomain',
        'The strides of one layout must point into one codomain: an integer stride and a basis stride, or a basis stride and one below it, do not add',
      )
    : E.right(unchecked(shape, stride))
}

/** Compact, fastest where `order` is smallest. CuTe `make_ordered_layout`. */
export const orderedLayout = (shape: IntTuple, order: IntTuple): E.Either<Failure<ShapeError>, Layout> => {
  const stride = compactOrder(shape, order)
  return E.isLeft(stride) ? stride : E.right(unchecked(shape, stride.right))
}

/** The coordinate of a coordinate: strides 1@0, 1@1 ... CuTe `make_identity_layout`. */
export const identityLayout = (shape: IntTuple): Layout => {
  const walk = (s: IntTuple, path: ReadonlyArray<number>): Tree<Stride> =>
    isTuple(s) ? s.map((entry, i) => walk(entry, [...path, i])) : strideAt(1, path)
  return unchecked(shape, walk(shape, []))
}

// ----------------------------------------------------------------------------------------- destructors

export const size = (l: Layout): number => sizeOf(l.shape)

/** The entries at the top. A layout with a bare extent is its own only mode. */
export const modes = (l: Layout): ReadonlyArray<Layout> => {
  const strides = entries(l.stride)
  return isTuple(l.shape) ? l.shape.map((shape, i) => unchecked(shape, strides[i]!)) : [l]
}

export const rank = (l: Layout): number => modes(l).length

/** All leaves, left to right. */
export const flatModes = (l: Layout): ReadonlyArray<Mode> => {
  const strides = leaves(l.stride)
  return leaves(l.shape).map((shape, i) => ({ shape, stride: strides[i]! }))
}

/** Are all strides integers? */
export const isPlain = (l: Layout): boolean => leaves(l.stride).every((d) => typeof d === 'number')

const dot = (coordinate: IntTuple, stride: Tree<Stride>): IntTuple => {
  const strides = leaves(stride)
  return leaves(coordinate).reduce<IntTuple>((sum, c, i) => add(sum, toTuple(strides[i]!, c)), 0)
}

/** The value at an integer: an integer, or a tuple when strides are basis elements. */
export const at = (l: Layout, index: number): IntTuple => dot(coordinateAt(l.shape, index), l.stride)

/** The value at a coordinate of any granularity. */
export const evaluate = (l: Layout, coordinate: IntTuple): E.Either<Failure<CoordinateError>, IntTuple> => {
  const crd = natural(l.shape)(coordinate)
  return E.isLeft(crd) ? crd : E.right(dot(crd.right, l.stride))
}

/** The values at 0 .. size-1. */
export const table = (l: Layout): ReadonlyArray<IntTuple> =>
  Array.from({ length: size(l) }, (_, i) => at(l, i))

/** The value at an integer of a layout with integer strides; a basis stride counts by its coefficient. */
export const offsetAt = (l: Layout, index: number): number => {
  const crd = leaves(coordinateAt(l.shape, index))
  const strides = leaves(l.stride)
  return crd.reduce((sum, c, i) => sum + c * coefficient(strides[i]!), 0)
}

/** The last offset plus one: how many slots non-negative strides need. Of a coordinate, the size of the box. */
export const cosize = (l: Layout): number =>
  leaves(at(l, size(l) - 1)).reduce((box, last) => box * (last + 1), 1)

const noMode = (l: Layout, path: ReadonlyArray<number>): E.Either<Failure<ModeError>, never> =>
  refuse('cute.mode', `There is no mode ${path.join('.')} in a layout with ${String(rank(l))} modes`)

/** The mode at a path, outermost step first. CuTe `get<i, j>`. */
export const get = (l: Layout, path: ReadonlyArray<number>): E.Either<Failure<ModeError>, Layout> => {
  let here = l
  for (const step of path) {
    const next = modes(here)[step]
    if (next === undefined) return noMode(l, path)
    here = next
  }
  return E.right(here)
}

export const equals = (a: Layout, b: Layout): boolean => {
  const [as, bs] = [flatModes(a), flatModes(b)]
  return (
    congruent(a.shape, b.shape) &&
    as.every((mode, i) => mode.shape === bs[i]!.shape && sameStride(mode.stride, bs[i]!.stride))
  )
}

// ----------------------------------------------------------------------------------------- combinators

/** All leaves as modes. CuTe `flatten`. A bare extent stays bare. */
export const flatten = (l: Layout): Layout =>
  isTuple(l.shape) ? unchecked(leaves(l.shape), leaves(l.stride)) : l

/** Modes [from, to) become one. CuTe `group_modes`. */
export const group = (l: Layout, from: number, to: number): E.Either<Failure<ModeError>, Layout> => {
  const all = modes(l)
  return from >= 0 && from < to && to <= all.length
    ? E.right(fromModes([...all.slice(0, from), fromModes(all.slice(from, to)), ...all.slice(to)]))
    : refuse(
        'cute.mode',
        `Modes [${String(from)}, ${String(to)}) are not a range of a layout with ${String(all.length)} modes`,
      )
}

/** The chosen modes, in the order given. CuTe `select`. */
export const select = (l: Layout, chosen: ReadonlyArray<number>): E.Either<Failure<ModeError>, Layout> => {
  const all = modes(l)
  const missing = chosen.find((i) => all[i] === undefined)
  return missing === undefined ? E.right(fromModes(chosen.map((i) => all[i]!))) : noMode(l, [missing])
}

/** Modes [from, to). CuTe `take`. */
export const take = (l: Layout, from: number, to: number): Layout => fromModes(modes(l).slice(from, to))

export const append = (l: Layout, mode: Layout): Layout => fromModes([...modes(l), mode])

export const prepend = (l: Layout, mode: Layout): Layout => fromModes([mode, ...modes(l)])

/** Modes are added at the end until there are `to`. A layout that has as many is returned as it is. */
export const appendTo = (l: Layout, to: number, mode: Layout = trivial): Layout =>
  rank(l) < to ? appendTo(append(l, mode), to, mode) : l

/** Modes are added in front until there are `to`. */
export const prependTo = (l: Layout, to: number, mode: Layout = trivial): Layout =>
  rank(l) < to ? prependTo(prepend(l, mode), to, mode) : l

/** Stride-0 modes get extent 1. CuTe `filter_zeros`. */
export const filterZeros = (l: Layout): Layout => {
  const strides = leaves(l.stride)
  let i = 0
  return unchecked(mapLeaves((n: number) => (coefficient(strides[i++]!) === 0 ? 1 : n))(l.shape), l.stride)
}

/** Compact, in the order of the strides of `l`; stride-0 modes stay at 0. CuTe `make_layout_like`. */
export const layoutLike = (l: Layout): E.Either<Failure<PlainError>, Layout> => {
  if (!isPlain(l))
    return refuse('cute.plain', 'Only a layout with integer strides orders its modes; found a basis stride')
  const strides = leaves(l.stride).map(coefficient)
  const order = strides.map((_, i) => i).sort((i, j) => strides[i]! - strides[j]!)
  const compact = leaves(compactInOrder(filterZeros(l).shape, order, 'static'))
  let i = 0
  return E.right(unchecked(l.shape, mapLeaves(() => compact[i++]!)(l.shape)))
}

// ---------------------------------------------------------------------------------------------- slices

/** A coordinate with holes: `_` keeps a mode. */
export type Slicer = Tree<number | '_'>

interface Sliced {
  readonly kept: ReadonlyArray<Layout>
  readonly offset: IntTuple
}

/** The modes at the holes, or at the numbers, concatenated; and the offset of the numbers. */
const walkSlicer = (
  l: Layout,
  slicer: Slicer,
  keep: 'holes' | 'numbers',
): E.Either<Failure<CoordinateError>, Sliced> => {
  if (slicer === '_') return E.right({ kept: keep === 'holes' ? [l] : [], offset: 0 })
  if (!isTuple(slicer)) return E.right({ kept: keep === 'holes' ? [] : [l], offset: at(l, slicer) })
  const all = modes(l)
  if (!isTuple(l.shape) || all.length !== slicer.length)
    return refuse(
      'cute.coordinate',
      `A slice names ${String(slicer.length)} modes, the layout has ${isTuple(l.shape) ? String(all.length) : 'a bare extent'}`,
    )
  const kept: Layout[] = []
  let offset: IntTuple = 0
  for (const [i, entry] of slicer.entries()) {
    const inner = walkSlicer(all[i]!, entry, keep)
    if (E.isLeft(inner)) return inner
    for (const mode of inner.right.kept) kept.push(mode)
    offset = add(offset, inner.right.offset)
  }
  return E.right({ kept, offset })
}

/** The sub-layout over the holes, and the offset of its origin. CuTe `slice_and_offset`. */
export const slice = (
  l: Layout,
  slicer: Slicer,
): E.Either<Failure<CoordinateError>, { readonly layout: Layout; readonly offset: IntTuple }> => {
  const walked = walkSlicer(l, slicer, 'holes')
  return E.isLeft(walked)
    ? walked
    : E.right({
        layout: slicer === '_' ? l : fromModes(walked.right.kept),
        offset: walked.right.offset,
      })
}

/** The modes that are not holes. CuTe `dice`. */
export const dice = (l: Layout, slicer: Slicer): E.Either<Failure<CoordinateError>, Layout> => {
  const walked = walkSlicer(l, slicer, 'numbers')
  return E.isLeft(walked) ? walked : E.right(typeof slicer === 'number' ? l : fromModes(walked.right.kept))
}
