/**
 * What a kernel promises its compiler, or asserts, in words: `tl.assume(n % 16 == 0)`.
 *
 *     %0 = arith.remsi %n, %c16                          n % 16 == 0 does not hold: n % 16 is 1
 *     %1 = arith.cmpi eq, %0, %c0
 *     llvm.intr.assume %1
 *
 * Who breaks a promise is who gives the arguments, and reads no text of a compiler. So the condition is written as Python writes it, from the operations
 * that compute it; a value that has a name in the source is called so, and one that is computed in another way is "...".
 */
import { typeHere, type Steps } from '../../../semantics/writing/builder.js'
import * as X from '../../../semantics/language/expression.js'
import type { Expr } from '../../../semantics/language/expression.js'
import { checked } from '../../../semantics/language/index-types.js'
import type { Told } from '../../ttng/index.js'
import { attributeOf, definitionOf, type Location, type Operation, type Value } from '../text/syntax.js'
import { known, type Here } from './here.js'
import { word } from './operands.js'

/** How Python writes it between two values. A comparison also says how its sides are read. */
const infix: ReadonlyMap<string, string> = new Map([
  ['arith.addi', '+'],
  ['arith.subi', '-'],
  ['arith.muli', '*'],
  ['arith.divsi', '//'],
  ['arith.divui', '//'],
  ['arith.remsi', '%'],
  ['arith.remui', '%'],
  ['arith.andi', '&'],
  ['arith.ori', '|'],
  ['arith.xori', '^'],
  ['arith.shli', '<<'],
  ['arith.shrsi', '>>'],
  ['arith.shrui', '>>'],
])
const comparisons: ReadonlyMap<string, string> = new Map([
  ['eq', '=='],
  ['ne', '!='],
  ['slt', '<'],
  ['sle', '<='],
  ['sgt', '>'],
  ['sge', '>='],
  ['ult', '<'],
  ['ule', '<='],
  ['ugt', '>'],
  ['uge', '>='],
])
/** The value goes through these as it is. */
const sameValue: ReadonlySet<string> = new Set(['arith.extsi', 'arith.extui', 'arith.trunci', 'tt.splat'])

const comparison = (op: Operation): string | undefined =>
  op.name === 'arith.cmpi' ? comparisons.get(word(op, 'predicate') ?? '') : undefined

/** `x` of `loc("x"(...))`: the name that the author gave to what stands here. */
const nameOf = (h: Here, l: Location | null): string | null =>
  l?._tag === 'name'
    ? l.name
    : l?._tag === 'alias'
      ? nameOf(h, definitionOf(h.text, l.name)?.location ?? null)
      : null

const side = (op: Operation, name: string): Value | undefined => op.operands[name]?.[0]

/** What computes each value of the text. */
const makers = (h: Here): ReadonlyMap<string, Operation> =>
  new Map([...h.labels.keys()].flatMap((op) => op.names.map(({ name }) => [name, op] as const)))

const unwritten = '...'

interface Written {
  readonly text: string
  /** it stands in brackets between others */
  readonly isJoined: boolean
}
const alone = (text: string): Written => ({ text, isJoined: false })

const writer = (h: Here) => {
  const from = makers(h)
  const joined = (op: Operation, sign: string): Written => {
    const inside = (name: string): string => {
      const { text, isJoined } = written(side(op, name), false)
      return isJoined && comparison(op) === undefined ? `(${text})` : text
    }
    return { text: `${inside('lhs')} ${sign} ${inside('rhs')}`, isJoined: true }
  }
  /** `isWhole`: it is the condition itself, which is written out though it has a name. */
  const written = (value: Value | undefined, isWhole: boolean): Written => {
    if (value === undefined) return alone(unwritten)
    const op = from.get(value.name)
    // a parameter is called as the author has called it
    if (op === undefined) return alone(value.name)
    const given = attributeOf(op.attributes, 'value')
    if (op.name === 'arith.constant')
      return alone(given?._tag === 'integer' || given?._tag === 'boolean' ? String(given.value) : unwritten)
    const name = isWhole ? null : nameOf(h, op.location)
    if (name !== null) return alone(name)
    if (op.name === 'tt.get_program_id') return alone('tl.program_id')
    if (sameValue.has(op.name)) return written(side(op, 'in') ?? side(op, 'src'), isWhole)
    const sign = comparison(op) ?? infix.get(op.name)
    return sign === undefined ? alone(unwritten) : joined(op, sign)
  }
  return { from, written }
}

/** A number that the run can show. */
const shown = function* (h: Here, value: Value, predicate: string): Steps<Expr<'i64'> | null> {
  const e = known(h, value)
  const type = e === undefined ? undefined : yield* typeHere(e)
  if (e === undefined || type?._tag !== 'scalar') return null
  if (type.dtype === 'i64') return checked<Expr<'i64'>, Expr>(e)
  const widened = predicate.startsWith('u') ? X.extU : X.extS
  return type.dtype === 'i32' ? widened(checked<Expr<'i32'>, Expr>(e), 'i64') : null
}

/**
 * What is told where the condition of this operation is false. `by`: the function that says it; `who`: whose word it was, and what follows.
 * The sides of a comparison are shown as they are found, but for a constant, which the condition shows.
 */
export const told = function* (h: Here, op: Operation, by: string, who: string): Steps<Told> {
  const condition = side(op, 'condition')
  const { from, written } = writer(h)
  const whole = `${by}(${written(condition, true).text}) does not hold`
  const compares = condition === undefined ? undefined : from.get(condition.name)
  if (compares === undefined || comparison(compares) === undefined) return { why: `${whole}${who}` }
  const predicate = word(compares, 'predicate') ?? ''
  const found = function* (name: 'lhs' | 'rhs'): Steps<Expr<'i64'> | null> {
    const value = side(compares, name)
    return value === undefined || from.get(value.name)?.name === 'arith.constant'
      ? null
      : yield* shown(h, value, predicate)
  }
  const left = yield* found('lhs')
  const right = yield* found('rhs')
  const called = (name: 'lhs' | 'rhs', instead: string): string => {
    const { text } = written(side(compares, name), false)
    return text === unwritten ? instead : text
  }
  const values = [
    ...(left === null ? [] : [`${called('lhs', 'the left side')} is {left}`]),
    ...(right === null ? [] : [`${called('rhs', 'the right side')} is {right}`]),
  ]
  return {
    why: `${whole}${values.length === 0 ? '' : `: ${values.join(', ')}`}${who}`,
    ...(left === null ? {} : { left }),
    ...(right === null ? {} : { right }),
  }
}
