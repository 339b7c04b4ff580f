/**
 * Statements: a `let`, and an instruction that is done.
 *
 * Each statement is typed as it is added, so a failure names the statement that caused it. `letIn` types its expression; `run` and
 * `runFor` type the operands of an instruction; `runFor` also finds the types of the results from the signature and binds them.
 *
 *     letIn('s', rem(k, i32(2)))              let s: i32 = k rem 2
 *     run('wait', { mbarrier.wait ... })      do mbarrier.wait
 *     runFor(['x'], { smem.load ... })        x: tile f16 (64, 64) = do smem.load
 *
 * The index of a result is the caller's claim: `results.ts` makes it for every instruction that has results, and no other place need.
 *
 * Laws
 * 1. The name that comes back has the run-time type of what it is bound to, or the one given, if that accepts it.
 * 2. An operand without a type is a failure at the label, the instruction and the field; so is a condition that is none.
 * 3. As many labels as results, or a failure.
 */
import * as E from 'fp-ts/lib/Either.js'
import { type Failure, refuse } from '../../../failure.js'
import type { RegisterLayout } from '../../../layouts/register-layout.js'
import * as X from '../../language/expression.js'
import type { Condition, Expr } from '../../language/expression.js'
import type { Instruction } from '../../language/instruction.js'
import { type Binder, type Stmt } from '../../language/program.js'
import { operandsOf, resultTypes, type Operand } from '../../language/signature.js'
import { accepts, checkType, mismatch, typeOf } from '../../language/typecheck.js'
import { type Type, type TypeIndex, i1 } from '../../language/types.js'
import { type Build, build } from './monad.js'
import { type State, at, environment, fresh, freshAll, hasTypeAt, push, siteOf, typeAt } from './state.js'

// ---------------------------------------------------------------- let

/** `let label = expr`; gives the name. With a type, the name has exactly that one (an 'any' layout made definite, say). */
export const letIn = <I extends TypeIndex>(label: string, expr: Expr<I>, type?: Type): Build<Expr<I>> =>
  build((state) => {
    const found = typeAt(state, label, expr)
    if (E.isLeft(found)) return found
    if (type !== undefined && !accepts(type, found.right))
      return E.left(at(state, label, mismatch(label, type, found.right)))
    const given = type ?? found.right
    const [name, next] = fresh(state, label, given)
    return E.right([
      X.name<I>(name),
      push(next, { _tag: 'Let', binder: { name, type: given }, expr, site: siteOf(state, label) }),
    ])
  })

// ---------------------------------------------------------------- do

export interface DoOptions {
  /** skip the instruction when this is false */
  readonly when?: Condition
}
export interface ResultOptions extends DoOptions {
  /** how the result lies in registers */
  readonly layout?: RegisterLayout
}

const doStatement = (
  label: string,
  results: ReadonlyArray<Binder>,
  instruction: Instruction,
  when: Condition | undefined,
  state: State,
): Stmt =>
  when === undefined
    ? { _tag: 'Do', results, instruction, site: siteOf(state, label) }
    : { _tag: 'Do', results, instruction, when, site: siteOf(state, label) }

/** The type of an operand, where it stands. */
const operandType = (
  state: State,
  label: string,
  { _tag }: Instruction,
  { field, expr }: Operand,
): E.Either<Failure, Type> => {
  const type = typeOf(environment(state))(expr)
  return E.isLeft(type) ? E.left(at(state, `${label} (${_tag}, ${field})`, type.left)) : type
}

const checkWhen = (
  state: State,
  label: string,
  instruction: Instruction,
  { when }: DoOptions,
): E.Either<Failure, null> =>
  when === undefined
    ? E.right(null)
    : hasTypeAt(state, `${label} (${instruction._tag}, when)`, 'a condition', i1, when)

/** Runs an instruction for its effect. */
export const run = (label: string, instruction: Instruction, options: DoOptions = {}): Build<void> =>
  build((state) => {
    for (const operand of operandsOf(instruction)) {
      const type = operandType(state, label, instruction, operand)
      if (E.isLeft(type)) return type
    }
    const when = checkWhen(state, label, instruction, options)
    if (E.isLeft(when)) return when
    return E.right([undefined, push(state, doStatement(label, [], instruction, options.when, state))])
  })

/** Runs an instruction and binds its results under labels; the caller knows their indices. */
export const runFor = (
  labels: ReadonlyArray<string>,
  instruction: Instruction,
  options: ResultOptions = {},
): Build<ReadonlyArray<Expr>> =>
  build((state) => {
    const label = labels[0] ?? instruction._tag
    const types = new Map<string, Type>()
    for (const operand of operandsOf(instruction)) {
      const type = operandType(state, label, instruction, operand)
      if (E.isLeft(type)) return type
      types.set(operand.field, type.right)
    }
    const when = checkWhen(state, label, instruction, options)
    if (E.isLeft(when)) return when
    const found = resultTypes(instruction, (field) => types.get(field))
    if (found?.length !== labels.length)
      return refuse(
        'type.mismatch',
        `${[...state.path, label].join(' / ')}: ${instruction._tag} gives ${found === undefined ? 'nothing for these operands' : `${String(found.length)} results`}, found ${String(labels.length)} labels`,
      )
    const given = found.map((type): Type =>
      type._tag === 'tile' && options.layout !== undefined
        ? { _tag: 'tile', shape: type.shape, element: type.element, layout: options.layout }
        : type,
    )
    for (const type of given) {
      const legal = checkType(type)
      if (E.isLeft(legal)) return E.left(at(state, label, legal.left))
    }
    const [binders, next] = freshAll(
      state,
      given.map((type, k) => [labels[k]!, type]),
    )
    return E.right([
      binders.map(({ name }) => X.name(name)),
      push(next, doStatement(label, binders, instruction, options.when, state)),
    ])
  })

// ---------------------------------------------------------------- made elsewhere

/** Adds a statement made elsewhere. Its names must be fresh and its types right: validation will say. */
export const statement = (stmt: Stmt): Build<void> =>
  build((state) => E.right([undefined, push(state, stmt)]))
