/**
 * `tt`: atomics. An element is read, joined and written at once; the result is what was there.
 *
 * The core's atomics order nothing but themselves. So an atomic that acquires is one that orders nothing where its result is not read: nothing is
 * learned by it. Where it is read, what it has acquired would have to be known, and the operation is refused.
 *
 * Source: Triton 3.6, dialect tt; its lowering to atom and red.
 */
import type { Expr } from '../../../semantics/language/expression.js'
import { checked } from '../../../semantics/language/index-types.js'
import * as T from '../../ttng/index.js'
import { refusedAt, type Row, type Rows } from './here.js'
import { operand, word } from './operands.js'
import { storing } from './tensors.js'
import { own } from '../../../own.js'

type Join = 'add' | 'min' | 'max' | 'and' | 'or' | 'xor' | 'exchange'
const joins: Readonly<Record<string, Join>> = {
  add: 'add',
  fadd: 'add',
  min: 'min',
  max: 'max',
  and: 'and',
  or: 'or',
  xor: 'xor',
  exch: 'exchange',
}

const scopeOf = (text: string | undefined): 'cta' | 'gpu' | 'sys' =>
  text === 'cta' ? 'cta' : text === 'sys' ? 'sys' : 'gpu'

const rmw: Row = function* (h, op, label) {
  const kind = word(op, 'atomic_rmw_op') ?? ''
  const join = own(joins, kind)
  if (join === undefined)
    return yield* refusedAt(
      op,
      `one of ${Object.keys(joins).join(', ')}`,
      `${kind}, of integers without a sign`,
    )
  const sem = word(op, 'sem') ?? 'relaxed'
  const isRead = op.names.some(({ name }) => h.read.has(name))
  if (isRead && sem !== 'relaxed')
    return yield* refusedAt(
      op,
      'a relaxed one where its result is read',
      `${sem}: what it orders is not known here`,
    )
  if (isRead && (h.from.numCtas ?? 1) > 1)
    return yield* refusedAt(op, 'one CTA where its result is read', 'a cluster')
  const mask = yield* storing(h, op, label)
  const old: Expr = yield* T.atomicRmw(
    label,
    join,
    yield* operand(h, op, 'ptr'),
    yield* operand(h, op, 'val'),
    { ...mask, scope: scopeOf(word(op, 'scope')) },
  )
  return [old]
}

const cas: Row = function* (h, op, label) {
  const sem = word(op, 'sem') ?? 'relaxed'
  const isRead = op.names.some(({ name }) => h.read.has(name))
  if (isRead && sem !== 'relaxed')
    return yield* refusedAt(
      op,
      'a relaxed one where its result is read',
      `${sem}: what it orders is not known here`,
    )
  if ((h.from.numCtas ?? 1) > 1) return yield* refusedAt(op, 'one CTA', 'a cluster')
  return [
    yield* T.atomicCas(
      label,
      yield* operand(h, op, 'ptr'),
      yield* operand(h, op, 'cmp'),
      yield* operand(h, op, 'val'),
      { scope: checked<'gpu', string>(scopeOf(word(op, 'scope'))) },
    ),
  ]
}

export const atomicRows: Rows = { 'tt.atomic_rmw': rmw, 'tt.atomic_cas': cas }
