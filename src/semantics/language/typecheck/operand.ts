/**
 * Operands: what an operation demands of the types that it is given.
 *
 * Each demand is a function from a type to the same type or to a reason. `joint` is the demand that most operations make: the
 * operands are combined element by element, so they are scalars of one dtype, tiles of one shape, element and layout, or a tile
 * and a scalar that stands for all of its elements.
 *
 * | x                | y                | joint type              |
 * |------------------|------------------|-------------------------|
 * | f32              | f32              | f32                     |
 * | tile f32 WGMMA   | f32              | tile f32 WGMMA          |
 * | tile f32 'any'   | tile f32 WGMMA   | tile f32 WGMMA          |
 * | tile f32 splat   | tile f32 WGMMA   | tile f32 WGMMA          |
 * | tile f32 WGMMA   | tile f32 strided | L2                      |
 * | tile f32         | i32              | type.mismatch           |
 *
 * The modules above say what each operation does with such types. They are told how to type an operand (`TypeOf`): the
 * recursion is closed once, in `type-of.ts`.
 *
 * Laws
 * 1. `joint(x, x) = x`, and `joint(x, y) = joint(y, x)` up to the reason.
 * 2. The joint layout is the more definite one: 'any' below a splat, a splat below all others.
 *
 * Source: MLIR `arith` (elementwise on tensors of one encoding); Pallas splats.
 */
import * as E from 'fp-ts/lib/Either.js'
import { type Failure, refuse } from '../../../failure.js'
import type { RegisterLayout } from '../../../layouts/register-layout.js'
import { type FloatDtype, isFloat } from '../../../numerics/dtype.js'
import { sameShape } from '../../../transforms/shape.js'
import type { ExprNode } from '../expression.js'
import {
  type ScalarType,
  type TileType,
  type Type,
  type ViewType,
  i32,
  isInteger,
  tile,
  view,
} from '../types.js'
import type { Environment } from './environment.js'
import { showType } from './show-type.js'
import { type TypeErrorCode, type Typing, accepts, layoutsAgree, mismatch, sameElement } from './typing.js'

// ---------------------------------------------------------------- model

/** The type of an expression in one environment. */
export type TypeOf = (expr: ExprNode) => Typing
/** In every environment. */
export type Typer = (env: Environment) => TypeOf

// ---------------------------------------------------------------- elementwise

/** The scalars that a type is made of, if it is a scalar or a tile of them. */
export const elementOfType = (type: Type): ScalarType | null =>
  type._tag === 'scalar' ? type : type._tag === 'tile' && type.element._tag === 'scalar' ? type.element : null

/** The same shape with other elements. */
export const like = (type: Type, element: ScalarType): Type =>
  type._tag === 'tile' ? tile(type.shape, element, type.layout) : element

/** The more definite of two layouts that agree. */
export const definite = (a: RegisterLayout | 'any', b: RegisterLayout | 'any'): RegisterLayout | 'any' =>
  a === 'any' || (a._tag === 'splat' && b !== 'any') ? b : a

const splatted = (a: RegisterLayout | 'any'): boolean => a !== 'any' && a._tag === 'splat'

/** The common type of operands that are combined element by element: equal scalars, equal tiles, or a tile with scalars. */
export const joint = (what: string, x: Type, y: Type): Typing => {
  const [a, b] = [x, y]
  if (a._tag !== 'tile' || b._tag !== 'tile') {
    const left = a._tag === 'tile' ? a.element : a
    const right = b._tag === 'tile' ? b.element : b
    return accepts(left, right) ? E.right(a._tag === 'tile' ? a : b) : E.left(mismatch(what, x, y))
  }
  if (!sameElement(a.element, b.element) || !sameShape(a.shape, b.shape)) return E.left(mismatch(what, x, y))
  if (!layoutsAgree(a.layout, b.layout, a.shape) && !splatted(a.layout) && !splatted(b.layout))
    return refuse(
      'L2',
      `${what}: both operands must have one register layout, found ${showType(a)} and ${showType(b)}`,
    )
  return E.right(tile(a.shape, a.element, definite(a.layout, b.layout)))
}

// ---------------------------------------------------------------- demands

export const needInteger = (what: string, type: Type): Typing => {
  const element = elementOfType(type)
  return element !== null && isInteger(element.dtype)
    ? E.right(type)
    : refuse('type.mismatch', `${what}: expected an integer or a tile of integers, found ${showType(type)}`)
}
export const needFloat = (what: string, type: Type): Typing => {
  const element = elementOfType(type)
  return element !== null && isFloat(element.dtype)
    ? E.right(type)
    : refuse('type.mismatch', `${what}: expected a float or a tile of floats, found ${showType(type)}`)
}
/** Floats of one dtype. */
export const needDtype = (what: string, dtype: FloatDtype, type: Type): Typing =>
  elementOfType(type)?.dtype === dtype
    ? E.right(type)
    : refuse('type.mismatch', `${what}: expected ${dtype} or a tile of ${dtype}, found ${showType(type)}`)
export const needNumber = (what: string, type: Type): Typing => {
  const element = elementOfType(type)
  return element !== null && element.dtype !== 'i1'
    ? E.right(type)
    : refuse('type.mismatch', `${what}: expected numbers, found ${showType(type)}`)
}
export const needTile = (what: string, type: Type): E.Either<Failure<TypeErrorCode>, TileType> =>
  type._tag === 'tile'
    ? E.right(type)
    : refuse('type.mismatch', `${what}: expected a tile, found ${showType(type)}`)
export const needView = (what: string, type: Type): E.Either<Failure<TypeErrorCode>, ViewType> =>
  type._tag === 'view'
    ? E.right(type)
    : refuse('type.mismatch', `${what}: expected a view, found ${showType(type)}`)
export const needI32 = (what: string, type: Type): Typing =>
  accepts(i32, type) ? E.right(type) : E.left(mismatch(what, i32, type))

/** What follows from a type: `E.chain`, without what that takes to see which argument it was given. */
export const after = <A, B>(
  found: E.Either<Failure<TypeErrorCode>, A>,
  f: (a: A) => E.Either<Failure<TypeErrorCode>, B>,
): E.Either<Failure<TypeErrorCode>, B> => (E.isLeft(found) ? found : f(found.right))

/** What follows from the types of two operands; a reason of the first comes first. */
export const withBoth = (of: TypeOf, x: ExprNode, y: ExprNode, f: (x: Type, y: Type) => Typing): Typing =>
  after(of(x), (first) => after(of(y), (second) => f(first, second)))

export const allI32 = (
  of: TypeOf,
  what: string,
  exprs: ReadonlyArray<ExprNode>,
): E.Either<Failure<TypeErrorCode>, null> => {
  for (const [k, expr] of exprs.entries()) {
    const type = of(expr)
    if (E.isLeft(type)) return type
    if (!accepts(i32, type.right)) return E.left(mismatch(`${what} ${String(k)}`, i32, type.right))
  }
  return E.right(null)
}

/** The view made of the view that an operand must be: same space, same elements, another layout. */
export const onView = (
  of: TypeOf,
  what: string,
  x: ExprNode,
  f: (layout: ViewType['layout']) => E.Either<Failure<TypeErrorCode>, ViewType['layout']>,
): Typing =>
  after(
    after(of(x), (type) => needView(what, type)),
    (was) => after(f(was.layout), (layout) => E.right(view(was.space, was.dtype, layout))),
  )

/** What follows from the tile that an operand must be. */
export const onTile = (of: TypeOf, what: string, x: ExprNode, f: (tile: TileType) => Typing): Typing =>
  after(
    after(of(x), (type) => needTile(what, type)),
    f,
  )

export const axisIn = (what: string, axis: number, rank: number): E.Either<Failure<TypeErrorCode>, null> =>
  Number.isInteger(axis) && axis >= 0 && axis < rank
    ? E.right(null)
    : refuse('type.shape', `${what}: axis ${String(axis)} is not one of ${String(rank)}`)
