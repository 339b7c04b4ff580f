/**
 * `tt.reduce`: a tensor's elements along an axis, combined two by two in the order of Triton's lowering.
 *
 * Source: Triton 3.6, dialect tt.
 */
import * as X from '../../../semantics/language/expression.js'
import type { Expr } from '../../../semantics/language/expression.js'
import { checked } from '../../../semantics/language/index-types.js'
import * as T from '../../ttng/index.js'
import { refusedAt, valueOf, type Row, type Rows } from './here.js'
import { operationsOf } from './regions.js'
import { attributeOf } from '../text/syntax.js'

/** Operations that a reduction may combine two numbers with, as expressions. */
const combining: Readonly<Record<string, (x: never, y: never) => Expr>> = {
  'arith.addf': X.add,
  'arith.addi': X.add,
  'arith.mulf': X.mul,
  'arith.muli': X.mul,
  'arith.maxnumf': X.max,
  'arith.minnumf': X.min,
  'arith.maxsi': X.max,
  'arith.minsi': X.min,
  'arith.andi': X.and,
  'arith.ori': X.or,
  'arith.xori': X.xor,
}

const reduction: Row = function* (h, op, label) {
  const [src, ...others] = op.operands['srcs'] ?? []
  const [x, y] = op.regions[0]?.blocks[0]?.parameters ?? []
  const [combine, last, ...more] = operationsOf(op.regions[0])
  const axis = attributeOf(op.attributes, 'axis')
  const of = combine === undefined ? undefined : combining[combine.name]
  const taken = [combine?.operands['lhs']?.[0]?.name, combine?.operands['rhs']?.[0]?.name]
  const isPlain =
    others.length === 0 &&
    more.length === 0 &&
    last?.operands['values']?.[0]?.name === combine?.names[0]?.name &&
    taken[0] === x?.name &&
    taken[1] === y?.name
  if (src === undefined || of === undefined || !isPlain || axis?._tag !== 'integer')
    return yield* refusedAt(
      op,
      `one tensor, combined by one of ${Object.keys(combining).join(', ')}`,
      combine?.name ?? 'nothing',
    )
  const value = checked<never, Expr>(yield* valueOf(h, op, src))
  return [
    yield* T.reduce(label, value, Number(axis.value), (a, b) =>
      checked<never, Expr>(of(checked<never, Expr>(a), checked<never, Expr>(b))),
    ),
  ]
}

export const reductionRows: Rows = { 'tt.reduce': reduction }
