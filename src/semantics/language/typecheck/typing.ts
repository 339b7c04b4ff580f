/**
 * Typings: a type, or the reason why there is none; and when a value of one type may stand where another is expected.
 *
 * | expected            | found                        | accepted                                      |
 * |---------------------|------------------------------|-----------------------------------------------|
 * | scalar, pointer     | the same dtype               | yes                                           |
 * | view                | same space, dtype, layout    | yes: a view's layout is part of its type      |
 * | tile, layout L      | same shape and elements, layout 'any', or one that denotes the function of L | yes    |
 * | tile, layout L      | same shape and elements, another layout | no: L2                             |
 * | anything            | anything else                | no: type.mismatch                             |
 *
 * A layout 'any' is one that is not decided: it contradicts nothing.
 *
 * Laws
 * 1. `accepts` is reflexive; between types without tiles it is equality.
 * 2. `mismatch` says L2 exactly for tiles that differ in their register layout alone.
 * 3. `checkType(t) = t` or a reason: it never gives another type.
 *
 * Source: JAX docs, Pallas:MGPU reference (register layouts must agree or be converted).
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { type Failure, refuse } from '../../../failure.js'
import * as Layouts from '../../../layouts/register-layout.js'
import type { RegisterLayout } from '../../../layouts/register-layout.js'
import { bitsOf } from '../../../numerics/dtype.js'
import * as Ref from '../../../transforms/ref.js'
import type {
  BatchError,
  IndexError,
  RefError,
  ReshapeError,
  TransposeError,
} from '../../../transforms/ref.js'
import { sameShape, showShape, sizeOf } from '../../../transforms/shape.js'
import { mostElements } from '../limits.js'
import { type TileType, type Type, tile } from '../types.js'
import { showLayout, showType } from './show-type.js'

// ---------------------------------------------------------------- model

export type TypeErrorCode =
  | 'name.unbound'
  | 'param.unknown'
  | 'storage.unknown'
  | 'type.mismatch'
  | 'type.shape'
  | 'type.constant'
  | 'type.expression'
  | 'view.dynamic'
  | 'ir.linked'
  | 'L2'
  | RefError
  | IndexError
  | TransposeError
  | ReshapeError
  | BatchError

export type Typing = E.Either<Failure<TypeErrorCode>, Type>

// ---------------------------------------------------------------- instances

export const sameElement = (a: TileType['element'], b: TileType['element']): boolean =>
  a._tag === b._tag && a.dtype === b.dtype

/** Do two layouts say the same of an array of this shape? 'any' does not contradict. */
export const layoutsAgree = (
  a: RegisterLayout | 'any',
  b: RegisterLayout | 'any',
  shape: ReadonlyArray<number>,
): boolean =>
  a === 'any' ||
  b === 'any' ||
  Layouts.sameLayout(a, b) ||
  (a._tag !== b._tag &&
    E.isRight(Layouts.checkShape(a, shape)) &&
    E.isRight(Layouts.checkShape(b, shape)) &&
    Layouts.sameFunction(a, b, shape))

/** May a value of type `found` be bound to a name of type `expected`? Equality, but that 'any' layouts go with all. */
export const accepts = (expected: Type, found: Type): boolean => {
  switch (expected._tag) {
    case 'scalar':
    case 'ptr':
      return found._tag === expected._tag && found.dtype === expected.dtype
    case 'view':
      return (
        found._tag === 'view' &&
        found.space === expected.space &&
        found.dtype === expected.dtype &&
        Ref.sameRef(found.layout, expected.layout)
      )
    case 'barrier':
      return (
        found._tag === 'barrier' &&
        found.contract === expected.contract &&
        found.ordersTensorCore === expected.ordersTensorCore &&
        sameShape(found.shape, expected.shape)
      )
    case 'descriptor':
      return found._tag === 'descriptor' && found.dtype === expected.dtype && found.rank === expected.rank
    case 'tile':
      return (
        found._tag === 'tile' &&
        sameElement(found.element, expected.element) &&
        sameShape(found.shape, expected.shape) &&
        layoutsAgree(found.layout, expected.layout, expected.shape)
      )
    case 'token':
      return found._tag === 'token'
  }
}

/** Why not: a layout of registers that does not fit is L2, all else a mismatch. */
export const mismatch = (what: string, expected: Type, found: Type): Failure<'type.mismatch' | 'L2'> => ({
  code:
    expected._tag === 'tile' &&
    found._tag === 'tile' &&
    sameElement(expected.element, found.element) &&
    sameShape(expected.shape, found.shape)
      ? 'L2'
      : 'type.mismatch',
  message: `${what}: expected ${showType(expected)}, found ${showType(found)}`,
})

// ---------------------------------------------------------------- constructors

/** The type is fit to be a type at all: its layouts describe arrays of its shape. */
export const checkType = (type: Type): Typing => {
  switch (type._tag) {
    case 'view':
      return pipe(
        Ref.check(type.layout),
        E.chainW(() =>
          type.layout.bits === bitsOf(type.dtype)
            ? E.right<Failure<TypeErrorCode>, Type>(type)
            : refuse(
                'type.mismatch',
                `A ${type.dtype} view needs a layout of ${String(bitsOf(type.dtype))}-bit elements, found ${String(type.layout.bits)}`,
              ),
        ),
      )
    case 'tile':
      return tileType(type.shape, type.element, type.layout)
    case 'barrier':
    case 'descriptor':
    case 'ptr':
    case 'scalar':
    case 'token':
      return E.right(type)
  }
}

/** A tile type whose layout describes arrays of its shape. */
export const tileType = (
  shape: ReadonlyArray<number>,
  element: TileType['element'],
  layout: RegisterLayout | 'any',
): Typing => {
  if (!shape.every((extent) => Number.isSafeInteger(extent) && extent > 0))
    return refuse('type.shape', `Extents of a tile must be positive integers, found ${showShape(shape)}`)
  if (sizeOf(shape) > mostElements)
    return refuse(
      'type.shape',
      `A tile has at most ${String(mostElements)} elements, found ${showShape(shape)}`,
    )
  if (layout === 'any') return E.right(tile(shape, element, 'any'))
  const legal = Layouts.checkShape(layout, shape)
  return E.isLeft(legal)
    ? refuse(
        'L2',
        `A ${showLayout(layout)} layout for a tile of shape ${showShape(shape)}: ${legal.left.message}`,
      )
    : E.right(tile(shape, element, layout))
}
