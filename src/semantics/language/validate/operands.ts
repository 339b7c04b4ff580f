/**
 * Operands of instructions: of what kind each must be, and what types they have.
 *
 * The kinds come from the signature of the instruction (`signature.ts`), which says once for all what stands in each field: a view in
 * some spaces, a barrier, a tile of pointers. Here the kind is compared with the type that was found. What comes out are
 * the types by field, for the rules of single instructions, which ask for views and tiles by name.
 *
 * | kind                                  | accepts                                  | else  |
 * |---------------------------------------|------------------------------------------|-------|
 * | scalar i32                            | i32                                      | type.mismatch |
 * | view in smem, rank 2                  | view smem f16 (64, 32)                   | type.mismatch |
 * | barrier that orders the tensor core   | one that does                            | M5 for one that does not, type.mismatch for what is none |
 * | tile of pointers                      | tile ptr f16 (128,)                      | type.mismatch |
 *
 * Laws
 * 1. The table: an operand of another kind is refused with the field, what was expected and what was found.
 * 2. An array of barriers is no barrier.
 * 3. A value that goes into a view has its shape, and its elements as they are in registers.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Dtype } from '../../../numerics/dtype.js'
import type { ExprNode } from '../expression.js'
import type { Instruction } from '../instruction.js'
import type { OperandKind } from '../field.js'
import { elementOf, operandsOf } from '../signature.js'
import { accepts, mismatch, showType, typeOf } from '../typecheck.js'
import { type TileType, type Type, type ViewType, i1, tile } from '../types.js'
import { type Checked, type Problem, each, first, no } from './problem.js'
import { type Here, environment } from './scope.js'

// ---------------------------------------------------------------- kinds

const showKind = (kind: OperandKind): string => {
  switch (kind._tag) {
    case 'scalar':
      return kind.dtype
    case 'view':
      return `a view in ${kind.spaces.join(' or ')}${kind.rank === 'any' ? '' : ` of rank ${String(kind.rank)}`}${kind.dtypes === 'any' ? '' : ` of ${kind.dtypes.join(', ')}`}`
    case 'barrier':
      return kind.ordersTensorCore ? 'a barrier that orders the tensor core' : 'a barrier'
    case 'descriptor':
      return 'a descriptor'
    case 'ptr':
      return 'a pointer'
    case 'tile':
      return `a tile of ${kind.element === 'scalar' ? 'numbers' : kind.element === 'ptr' ? 'pointers' : kind.element}${kind.rank === 'any' ? '' : ` of rank ${String(kind.rank)}`}`
  }
}

const isOfKind = (kind: OperandKind, type: Type): boolean => {
  switch (kind._tag) {
    case 'scalar':
      return type._tag === 'scalar' && type.dtype === kind.dtype
    case 'view':
      return (
        type._tag === 'view' &&
        kind.spaces.includes(type.space) &&
        (kind.rank === 'any' || kind.rank === type.layout.shape.length) &&
        (kind.dtypes === 'any' || kind.dtypes.includes(type.dtype))
      )
    case 'barrier':
      return (
        type._tag === 'barrier' &&
        type.shape.length === 0 &&
        (!kind.ordersTensorCore || type.ordersTensorCore)
      )
    case 'descriptor':
      return type._tag === 'descriptor'
    case 'ptr':
      return type._tag === 'ptr'
    case 'tile':
      return (
        type._tag === 'tile' &&
        (kind.rank === 'any' || kind.rank === type.shape.length) &&
        (kind.element === 'ptr'
          ? type.element._tag === 'ptr'
          : type.element._tag === 'scalar' &&
            (kind.element === 'scalar' || kind.element === type.element.dtype))
      )
  }
}

const wrongKind = (field: string, kind: OperandKind, type: Type): Problem =>
  no(
    kind._tag === 'barrier' && kind.ordersTensorCore && type._tag === 'barrier' && type.shape.length === 0
      ? 'M5'
      : 'type.mismatch',
    `${field}: expected ${showKind(kind)}, found ${showType(type)}`,
  )

// ---------------------------------------------------------------- types by field

/** The types of the operands by field. */
export interface Operands {
  readonly type: (field: string) => Type | undefined
  readonly view: (field: string) => ViewType | undefined
  readonly tile: (field: string) => TileType | undefined
  readonly expr: (field: string) => ExprNode | undefined
}

/** The types of all operands, each of its kind. */
export const operands = (here: Here, instruction: Instruction): Operands | Problem => {
  const types = new Map<string, Type>()
  const exprs = new Map<string, ExprNode>()
  for (const { field, expr, kind } of operandsOf(instruction)) {
    const type = typeOf(environment(here))(expr)
    if (E.isLeft(type)) return no(type.left.code, `${field}: ${type.left.message}`)
    if (!isOfKind(kind, type.right)) return wrongKind(field, kind, type.right)
    types.set(field, type.right)
    exprs.set(field, expr)
  }
  return {
    type: (field) => types.get(field),
    view: (field) => {
      const type = types.get(field)
      return type?._tag === 'view' ? type : undefined
    },
    tile: (field) => {
      const type = types.get(field)
      return type?._tag === 'tile' ? type : undefined
    },
    expr: (field) => exprs.get(field),
  }
}

// ---------------------------------------------------------------- agreement between operands

/** A tile of the expected type, if it is given at all. */
export const shapeLike = (
  what: string,
  field: string,
  found: TileType | undefined,
  expected: Type,
): Checked =>
  found === undefined || accepts(expected, found) ? null : mismatch(`${what}: ${field}`, expected, found)

/** A value that goes into a view has its shape, and its elements once they are in registers. */
export const fits = (operand: Operands, view: string, value: string): Checked => {
  const into = operand.view(view)
  const found = operand.tile(value)
  return into === undefined || found === undefined
    ? null
    : shapeLike(`into ${showType(into)}`, value, found, tile(into.layout.shape, elementOf(into.dtype), 'any'))
}

/** What a tile of pointers points to, element by element. */
export const pointerTile = (
  operand: Operands,
  field: string,
):
  | { readonly shape: ReadonlyArray<number>; readonly layout: TileType['layout']; readonly dtype: Dtype }
  | undefined => {
  const type = operand.tile(field)
  return type?.element._tag === 'ptr'
    ? { shape: type.shape, layout: type.layout, dtype: type.element.dtype }
    : undefined
}

/** Mask and values lie as the pointers do. */
export const throughPointers = (operand: Operands, field: string, values: ReadonlyArray<string>): Checked => {
  const at = pointerTile(operand, field)
  return at === undefined
    ? null
    : first([
        () => shapeLike(field, 'mask', operand.tile('mask'), tile(at.shape, i1, at.layout)),
        () =>
          each(values, (value) =>
            shapeLike(field, value, operand.tile(value), tile(at.shape, elementOf(at.dtype), at.layout)),
          ),
      ])
}
