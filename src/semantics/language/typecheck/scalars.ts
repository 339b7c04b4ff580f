/**
 * The typing of arithmetic: constants, places, and operations on numbers, one at a time or tile by tile.
 *
 * | operation                                   | on                          | gives            |
 * |---------------------------------------------|-----------------------------|------------------|
 * | add sub mul min max                         | numbers (not i1)            | the same         |
 * | quo rem div mod and or xor shl shrS shrU    | integers (i1 too)           | the same         |
 * | fdiv, fma, unary                            | floats                      | the same         |
 * | a special function of the chip              | floats of its dtype         | the same         |
 * | compare                                     | scalars                     | i1               |
 * | select                                      | i1 or a tile of i1; two of one type | that type |
 * | trunc / extS, extU                          | integers, to fewer / more bits | the target    |
 * | cast                                        | all but integer to integer  | the target       |
 * | bitcast                                     | as many bits, or i32 and a narrower float | the target |
 * | pack / unpack                               | scalars whose bits add up / a part of one | the target |
 *
 * Whatever is elementwise takes tiles as well (`operand.ts`).
 *
 * Laws
 * 1. A binary operation or comparison of scalars has a type exactly in the rows of the table (exhausted over operations and dtypes).
 * 2. So has a conversion.
 * 3. On tiles an operation has the element type that it has on scalars, in the shape of the tiles.
 *
 * Source: MLIR `arith`, `math`; PTX ISA 9, cvt and mov.
 */
import * as E from 'fp-ts/lib/Either.js'
import { refuse } from '../../../failure.js'
import { bitsOf } from '../../../numerics/dtype.js'
import { isSpecialUnary, specialDtype } from '../../../numerics/special-functions/names.js'
import { sameShape } from '../../../transforms/shape.js'
import type { NodeOf } from '../expression.js'
import { type Type, i1, i32, isBitcast, isInteger, scalar, tile } from '../types.js'
import { literalType } from './constant.js'
import type { Declarations } from './environment.js'
import {
  type TypeOf,
  after,
  axisIn,
  definite,
  elementOfType,
  joint,
  like,
  withBoth,
  needDtype,
  needFloat,
  needInteger,
  needNumber,
} from './operand.js'
import { showType } from './show-type.js'
import { type Typing, accepts, layoutsAgree, mismatch } from './typing.js'

// ---------------------------------------------------------------- model

/** Expressions that compute numbers. */
export type ScalarNode =
  Extract<NodeOf<'names'>, { readonly _tag: 'const' }> | NodeOf<'coordinates' | 'numbers'>

// ---------------------------------------------------------------- conversions

const convert = (expr: Extract<ScalarNode, { readonly _tag: 'convert' }>, x: Type): Typing => {
  const what = `${expr.op} to ${expr.to}`
  const from = elementOfType(x)
  if (from === null)
    return refuse('type.mismatch', `${what}: expected a scalar or a tile of scalars, found ${showType(x)}`)
  const integers = isInteger(from.dtype) && isInteger(expr.to)
  const [was, is] = [bitsOf(from.dtype), bitsOf(expr.to)]
  const legal =
    expr.op === 'trunc'
      ? integers && is < was
      : expr.op === 'cast'
        ? !integers
        : expr.op === 'bitcast'
          ? isBitcast(from.dtype, expr.to)
          : integers && is > was
  return legal
    ? E.right(like(x, scalar(expr.to)))
    : refuse('type.mismatch', `${what}: not a conversion from ${from.dtype}`)
}

// ---------------------------------------------------------------- choices

/** What a condition chooses of values of this type. */
const chosen = (type: Type, cond: Type): Typing => {
  if (accepts(i1, cond)) return E.right(type)
  const element = elementOfType(cond)
  if (cond._tag !== 'tile' || element === null || element.dtype !== 'i1' || type._tag !== 'tile')
    return E.left(mismatch('the condition of a select', i1, cond))
  return sameShape(cond.shape, type.shape) && layoutsAgree(cond.layout, type.layout, type.shape)
    ? E.right(tile(type.shape, type.element, definite(type.layout, cond.layout)))
    : E.left(mismatch('the condition of a select', tile(type.shape, i1, type.layout), cond))
}

// ---------------------------------------------------------------- typing

export const typeOfScalars =
  (declarations: Declarations, of: TypeOf) =>
  (expr: ScalarNode): Typing => {
    switch (expr._tag) {
      case 'const':
        return literalType(expr.dtype, expr.value)
      case 'place':
        return after(axisIn(expr.of, expr.axis, 3), () => E.right(i32))
      case 'dim': {
        const param = declarations.params.get(expr.param)
        return param?._tag === 'tensor'
          ? after(axisIn(`dim of ${expr.param}`, expr.axis, param.shape.length), () => E.right(i32))
          : refuse('param.unknown', `There is no tensor parameter ${expr.param}`)
      }
      case 'unary':
        return after(of(expr.x), (x) =>
          isSpecialUnary(expr.op) ? needDtype(expr.op, specialDtype(expr.op), x) : needFloat(expr.op, x),
        )
      case 'binary':
        return after(
          withBoth(of, expr.x, expr.y, (x, y) => joint(expr.op, x, y)),
          (type) => {
            switch (expr.op) {
              case 'add':
              case 'sub':
              case 'mul':
              case 'min':
              case 'max':
                return needNumber(expr.op, type)
              case 'fdiv':
                return needFloat(expr.op, type)
              case 'div.full.f32':
              case 'div.full.ftz.f32':
              case 'div.approx.ftz.f32':
              case 'dividend.div.full.f32':
                return needDtype(expr.op, specialDtype(expr.op), type)
              case 'quo':
              case 'rem':
              case 'div':
              case 'mod':
              case 'and':
              case 'or':
              case 'xor':
              case 'shl':
              case 'shrS':
              case 'shrU':
                return needInteger(expr.op, type)
            }
          },
        )
      case 'fma':
        return after(
          after(
            withBoth(of, expr.x, expr.y, (x, y) => joint('fma', x, y)),
            (xy) => after(of(expr.z), (z) => joint('fma', xy, z)),
          ),
          (type) => needFloat('fma', type),
        )
      case 'compare':
        return after(
          withBoth(of, expr.x, expr.y, (x, y) => joint(expr.op, x, y)),
          (type) =>
            elementOfType(type) === null
              ? refuse('type.mismatch', `${expr.op}: expected scalars, found ${showType(type)}`)
              : E.right(like(type, i1)),
        )
      case 'select':
        return after(
          withBoth(of, expr.x, expr.y, (x, y) =>
            x._tag === 'tile' || y._tag === 'tile'
              ? joint('select', x, y)
              : accepts(x, y)
                ? E.right(x)
                : E.left(mismatch('select', x, y)),
          ),
          (type) => after(of(expr.cond), (cond) => chosen(type, cond)),
        )
      case 'convert':
        return after(of(expr.x), (x) => convert(expr, x))
      case 'pack': {
        let bits = 0
        let first: Type | null = null
        for (const part of expr.parts) {
          const type = of(part)
          if (E.isLeft(type)) return type
          if (type.right._tag !== 'scalar' || (first !== null && !accepts(first, type.right)))
            return refuse(
              'type.mismatch',
              `pack: expected scalars of one type, found ${showType(type.right)}`,
            )
          first ??= type.right
          bits += bitsOf(type.right.dtype)
        }
        return bits === bitsOf(expr.to)
          ? E.right(scalar(expr.to))
          : refuse(
              'type.mismatch',
              `pack: the parts have ${String(bits)} bits, ${expr.to} has ${String(bitsOf(expr.to))}`,
            )
      }
      case 'unpack':
        return after(of(expr.x), (x) => {
          if (x._tag !== 'scalar')
            return refuse('type.mismatch', `unpack: expected a scalar, found ${showType(x)}`)
          const parts = bitsOf(x.dtype) / bitsOf(expr.to)
          return Number.isInteger(parts) && expr.part >= 0 && expr.part < parts
            ? E.right(scalar(expr.to))
            : refuse('type.mismatch', `unpack: ${x.dtype} has no part ${String(expr.part)} of ${expr.to}`)
        })
    }
  }
