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
import { pipe } from 'fp-ts/lib/function.js'
import { type Failure, refuse } from '../../../failure.js'
import type { RegisterLayout } from '../../../layouts/register-layout.js'
import * as X from '../../language/expression.js'
import type { Condition, Expr } from '../../language/expression.js'
import { checked } from '../../language/index-types.js'
import type { Instruction } from '../../language/instruction.js'
import { type Binder, type Stmt } from '../../language/program.js'
import { operandsOf, resultTypes } from '../../language/signature.js'
import { accepts, checkType, mismatch } from '../../language/typecheck.js'
import { type Type, type TypeIndex, i1 } from '../../language/types.js'
import { type Build, build } from './monad.js'
import { type State, at, fresh, freshAll, hasTypeAt, push, siteOf, typeAt } from './state.js'

// ---------------------------------------------------------------- let

/** `let label = expr`; gives the name. With a type, the name has exactly that one (an 'any' layout made definite, say). */
export const letIn = <I extends TypeIndex>(label: string, expr: Expr<I>, type?: Type): Build<Expr<I>> =>
  build((state) =>
    pipe(
      typeAt(state, label, expr),
      E.chain((found) =>
        type === undefined || accepts(type, found)
          ? E.right(type ?? found)
          : E.left(at(state, label, mismatch(label, type, found))),
      ),
      E.map((given) => {
        const [name, next] = fresh(state, label, given)
        return [
          X.name<I>(name),
          push(next, { _tag: 'Let', binder: { name, type: given }, expr, site: siteOf(state, label) }),
        ]
      }),
    ),
  )

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
    for (const { field, expr } of operandsOf(instruction)) {
      const type = typeAt(state, `${label} (${instruction._tag}, ${field})`, checked<Expr, X.ExprNode>(expr))
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
    for (const { field, expr } of operandsOf(instruction)) {
      const type = typeAt(state, `${label} (${instruction._tag}, ${field})`, checked<Expr, X.ExprNode>(expr))
      if (E.isLeft(type)) return type
      types.set(field, type.right)
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
