/**
 * Constants: expressions whose value is known before the run.
 *
 * Indices, extents and strides that are constant let validation check bounds, alignment and sizes; all others are checked when
 * they have a value. `constantOf` is a partial evaluator for integers: literals under +, -, *, `quo`
 * (towards zero) and `div` (towards minus infinity), the operations that index arithmetic is made of.
 *
 *     mul(i32(4), add(i32(1), i32(2)))     12
 *     div(i32(-7), i32(2))                 -4
 *     add(i32(1), name('k'))               not constant
 *
 * Laws
 * 1. A literal has a type exactly if its dtype has that value (an i64 travels as decimal text, and so do infinities, NaN and -0).
 * 2. `constantOf` of an expression is what the machine computes for it, wherever no intermediate leaves 32 bits.
 */
import * as E from 'fp-ts/lib/Either.js'
import { refuse } from '../../../failure.js'
import type { ExprNode } from '../expression.js'
import { type ScalarName, i1, i32, isInteger, scalar } from '../types.js'
import type { Typing } from './typing.js'

// ---------------------------------------------------------------- literals

/** The type of a literal, if its dtype has that value. */
export const literalType = (dtype: ScalarName, value: number | string): Typing => {
  const wrong = refuse(
    'type.constant',
    `A constant of ${dtype} cannot be ${typeof value === 'string' ? `"${value.length > 60 ? `${value.slice(0, 57)}...` : value}"` : String(value)}`,
  )
  switch (dtype) {
    case 'i1':
      return value === 0 || value === 1 ? E.right(i1) : wrong
    case 'i32':
      return typeof value === 'number' && (value | 0) === value ? E.right(i32) : wrong
    case 'i64':
      return typeof value === 'string' && /^-?\d{1,19}$/.test(value) ? E.right(scalar('i64')) : wrong
    default:
      return typeof value === 'number' || ['-0', 'Infinity', '-Infinity', 'NaN'].includes(value)
        ? E.right(scalar(dtype))
        : wrong
  }
}

// ---------------------------------------------------------------- known values

/** The value of an integer expression without names, if it is one. */
export const constantOf = (expr: ExprNode): number | undefined => {
  switch (expr._tag) {
    case 'const':
      return typeof expr.value === 'number' && isInteger(expr.dtype) ? expr.value : undefined
    case 'binary': {
      const x = constantOf(expr.x)
      const y = constantOf(expr.y)
      if (x === undefined || y === undefined) return undefined
      switch (expr.op) {
        case 'add':
          return x + y
        case 'sub':
          return x - y
        case 'mul':
          return x * y
        case 'quo':
          return y === 0 ? 0 : Math.trunc(x / y)
        case 'div':
          return y === 0 ? 0 : Math.floor(x / y)
        default:
          return undefined
      }
    }
    default:
      return undefined
  }
}

/** The values of a list of such expressions. */
export const constantsOf = (exprs: ReadonlyArray<ExprNode>): ReadonlyArray<number> | undefined => {
  const values = exprs.flatMap((expr) => {
    const value = constantOf(expr)
    return value === undefined ? [] : [value]
  })
  return values.length === exprs.length ? values : undefined
}
