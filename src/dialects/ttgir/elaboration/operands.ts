/**
 * What an operation is given: operands, attributes, and the types of its results, each refused at its line where it is missing.
 */
import * as E from 'fp-ts/lib/Either.js'
import { of, regsRead, typedHere, type Build, type Steps } from '../../../semantics/writing/builder.js'
import type { Expr, View } from '../../../semantics/language/expression.js'
import type { DistributedSpec } from '../../../layouts/triton/encoding.js'
import type { ScalarName } from '../../../semantics/language/types.js'
import type { Dtype } from '../../../numerics/dtype.js'
import { checked } from '../../../semantics/language/index-types.js'
import * as T from '../../ttng/index.js'
import { registerEncoding } from './encodings.js'
import { known, labelOf, readAt, refusedAt, valueOf, type Here } from './here.js'
import { dtypeOf, elementOf, scalarOf, shapeOf } from './kinds.js'
import { showAttribute, showType } from '../text/show.js'
import { attributeOf, type Attribute, type Operation, type Type, type Value } from '../text/syntax.js'
import { own } from '../../../own.js'

/** The text has been checked against its types, so an operand is taken as what the call takes; the call checks it again. */
export const as = (e: Expr): never => checked<never, Expr>(e)

export const operand = function* (h: Here, op: Operation, name: string): Steps<never> {
  const [value] = own(op.operands, name) ?? []
  if (value === undefined) return yield* refusedAt(op, name, 'none')
  const e = known(h, value) ?? (yield* valueOf(h, op, value))
  // a number, a pointer and a buffer are on no way
  const mayFly = h.flying.size > 0 && value.type._tag === 'tensor' && !isHandedOn(op, name)
  return as(mayFly && (yield* isFlight(e)) ? yield* landed(h, op, value, e) : e)
}

/** A product goes on with what may still be on its way. */
const isHandedOn = (op: Operation, name: string): boolean => op.name === 'ttng.warp_group_dot' && name === 'c'

/** Is it a product that may still be on its way? */
export const isFlight = (e: Expr): Build<boolean> =>
  typedHere(e, (type) => E.right(type._tag === 'view' && type.space === 'regs'))

/** What is on its way, as a tensor: read from its registers, here. */
export const landed = function* (h: Here, op: Operation, value: Value, e: Expr): Steps<Expr> {
  const label = `${labelOf(h, op)}.${value.name}`
  const encoding = yield* readAt(op, registerEncoding(h.text, encodingOf(value.type)))
  const layout = yield* T.layoutOf(label, encoding, shapeOf(value.type))
  return yield* regsRead(label, checked<View<'regs'>, Expr>(e), { layout })
}

export const operands = function* (h: Here, op: Operation, name: string): Steps<ReadonlyArray<never>> {
  const found: never[] = []
  for (const value of own(op.operands, name) ?? []) found.push(as(yield* valueOf(h, op, value)))
  return found
}
export const isGiven = (op: Operation, name: string): boolean => (own(op.operands, name) ?? []).length > 0
/** An operand that may be left out, under the name that a call gives it. */
export const optional = function* <N extends string>(
  h: Here,
  op: Operation,
  name: string,
  called: N,
): Steps<{ readonly [K in N]?: never }> {
  return checked<{ readonly [K in N]?: never }, object>(
    isGiven(op, name) ? { [called]: yield* operand(h, op, name) } : {},
  )
}
export const when = (h: Here, op: Operation): Steps<{ readonly when?: never }> =>
  optional(h, op, 'pred', 'when')

export const resultType = (op: Operation, k = 0): Type => op.results[k] ?? { _tag: 'index' }

export const number = (op: Operation, name: string, instead?: number): Build<number> => {
  const a = attributeOf(op.attributes, name)
  if (a?._tag === 'integer') return of(Number(a.value))
  if (a === undefined && instead !== undefined) return of(instead)
  return refusedAt(op, `${name} = a number`, a === undefined ? 'none' : showAttribute(a))
}
export const flag = (op: Operation, name: string): boolean => {
  const a = attributeOf(op.attributes, name)
  return a?._tag === 'unit' || (a?._tag === 'boolean' && a.value) || (a?._tag === 'integer' && a.value !== 0n)
}
export const word = (op: Operation, name: string): string | undefined => {
  const a = attributeOf(op.attributes, name)
  return a?._tag === 'word' ? a.word : undefined
}
export const numbers = (op: Operation, name: string): Build<ReadonlyArray<number>> => {
  const a = attributeOf(op.attributes, name)
  const items = a?._tag === 'array' || a?._tag === 'list' ? a.items : []
  const found = items.flatMap((item) => (item._tag === 'integer' ? [Number(item.value)] : []))
  return found.length > 0 && found.length === items.length
    ? of(found)
    : refusedAt(op, `${name} = numbers`, a === undefined ? 'none' : showAttribute(a))
}

export const encodingOf = (t: Type): Attribute | null =>
  t._tag === 'tensor' ? t.encoding : t._tag === 'memdesc' ? t.encoding : null

/** How the result of an operation lies in registers. */
export const layoutOfResult = (h: Here, op: Operation, k = 0): Build<DistributedSpec> =>
  readAt(op, registerEncoding(h.text, encodingOf(resultType(op, k))))

export const dtypeHere = (op: Operation, t: Type): Build<Dtype> => {
  const dtype = dtypeOf(elementOf(t))
  return dtype === null ? refusedAt(op, 'an element type of this library', showType(elementOf(t))) : of(dtype)
}
export const scalarHere = (op: Operation, t: Type): Build<ScalarName> => {
  const name = scalarOf(elementOf(t))
  return name === null
    ? refusedAt(
        op,
        'an integer of 1, 8, 16, 32 or 64 bits, or a float, in a register',
        showType(elementOf(t)),
      )
    : of(name)
}

/** Who issues. */
export const options = (h: Here): { readonly from: T.Issuer } => ({ from: h.from })
