/**
 * A program half written: what a builder carries from statement to statement.
 *
 *     params, storage    declared so far, in order, wherever in the body that was
 *     names              in scope here, with their types
 *     used               bound anywhere so far, in scope or not
 *     supply             how many names have been made up
 *     path, loc          the scopes around the next statement, and its place in a text
 *     surroundings       what dialects know of the place where it stands (`surroundings.ts`)
 *     idle               builds that were made on the way and have not run (`monad.ts`)
 *     body               the statements of this region so far, the latest first
 *
 * A fresh name is its label if nothing has that name, else the label with the next number of the supply: `x`, `x_1`, `x_2`. The
 * supply never goes back, so a name is made once in a program and the same steps make the same names.
 *
 * Laws
 * 1. `fresh` gives a name that is not in `used`, and puts it there.
 * 2. `statements` gives the statements in the order in which they were pushed.
 * 3. A failure found `at` a label begins with the path to it.
 */
import * as E from 'fp-ts/lib/Either.js'
import { type Failure, failure } from '../../../failure.js'
import type { Expr } from '../../language/expression.js'
import { type Binder, type Param, type Stmt, type Storage, site } from '../../language/program.js'
import {
  type Environment,
  type Names,
  accepts,
  bind,
  lookup,
  mismatch,
  noNames,
  typeOf,
} from '../../language/typecheck.js'
import type { Type } from '../../language/types.js'

// ---------------------------------------------------------------- model

/** Statements, the latest first. */
export interface Statements {
  readonly last: Stmt
  readonly before: Statements | null
}

/** What can run from a state: a build. */
export interface Runs {
  readonly run: (state: State) => E.Either<Failure, readonly [unknown, State]>
}

/** A program half written. */
export interface State {
  readonly params: ReadonlyMap<string, Param>
  readonly storage: ReadonlyMap<string, Storage>
  /** in scope */
  readonly names: Names
  /** bound anywhere so far */
  readonly used: Names
  readonly supply: number
  readonly path: ReadonlyArray<string>
  readonly loc: string | null
  /** by key */
  readonly surroundings: ReadonlyMap<object, unknown>
  /** and the state in which each was made */
  readonly idle: ReadonlyMap<Runs, State>
  readonly body: Statements | null
}

// ---------------------------------------------------------------- constructors

export const emptyState: State = {
  params: new Map(),
  storage: new Map(),
  names: noNames,
  used: noNames,
  supply: 0,
  path: [],
  loc: null,
  surroundings: new Map(),
  idle: new Map(),
  body: null,
}

/** The state with some of its parts replaced. */
export const amend = (state: State, change: Partial<State>): State => ({
  params: change.params ?? state.params,
  storage: change.storage ?? state.storage,
  names: change.names ?? state.names,
  used: change.used ?? state.used,
  supply: change.supply ?? state.supply,
  path: change.path ?? state.path,
  loc: change.loc === undefined ? state.loc : change.loc,
  surroundings: change.surroundings ?? state.surroundings,
  idle: change.idle ?? state.idle,
  body: change.body === undefined ? state.body : change.body,
})

export const push = (state: State, stmt: Stmt): State =>
  amend(state, { body: { last: stmt, before: state.body } })

/** A name for the label that nothing in the program has yet, and the state that knows it. */
export const fresh = (state: State, label: string, type: Type): readonly [name: string, state: State] => {
  let name = label
  let supply = state.supply
  while (lookup(state.used, name) !== undefined) {
    supply++
    name = `${label}_${String(supply)}`
  }
  return [
    name,
    amend(state, {
      supply,
      used: bind(state.used, name, { type }),
      names: bind(state.names, name, { type }),
    }),
  ]
}

/** A fresh name for each, as binders. */
export const freshAll = (
  state: State,
  types: ReadonlyArray<readonly [label: string, type: Type]>,
): readonly [binders: ReadonlyArray<Binder>, state: State] => {
  let after = state
  const binders = types.map(([label, type]): Binder => {
    const [name, next] = fresh(after, label, type)
    after = next
    return { name, type }
  })
  return [binders, after]
}

// ---------------------------------------------------------------- destructors

export const environment = (state: State): Environment => ({
  declarations: { params: state.params, storage: state.storage },
  names: state.names,
})

export const siteOf = (state: State, label: string): ReturnType<typeof site> =>
  state.loc === null ? site(label, state.path) : site(label, state.path, state.loc)

export const statements = (body: Statements | null): ReadonlyArray<Stmt> => {
  const list: Stmt[] = []
  for (let at = body; at !== null; at = at.before) list.push(at.last)
  return list.reverse()
}

/** The labels of the statements, or the names of the declarations, that are in the later state and were not in the earlier. */
export const addedBy = (earlier: State, later: State): ReadonlyArray<string> => {
  const labels: string[] = []
  for (let at = later.body; at !== null && at !== earlier.body; at = at.before)
    labels.unshift(at.last.site.label)
  const declared = [...later.params.keys(), ...later.storage.keys()].filter(
    (name) => !earlier.params.has(name) && !earlier.storage.has(name),
  )
  return [...new Set(labels.length > 0 ? labels : declared)]
}

/** The failure, found at this label of this scope. */
export const at = (state: State, label: string, why: Failure): Failure =>
  failure(why.code, `${[...state.path, label].join(' / ')}: ${why.message}`)

/** Nothing, if the expression that stands at this label has this type. */
export const hasTypeAt = (
  state: State,
  label: string,
  what: string,
  expected: Type,
  expr: Expr,
): E.Either<Failure, null> => {
  const found = typeAt(state, label, expr)
  if (E.isLeft(found)) return found
  return accepts(expected, found.right)
    ? nothing
    : E.left(at(state, label, mismatch(what, expected, found.right)))
}
const nothing: E.Either<never, null> = E.right(null)

/** The run-time type of an expression that stands at this label. */
export const typeAt = (state: State, label: string, expr: Expr): E.Either<Failure, Type> => {
  const found = typeOf(environment(state))(expr)
  return E.isLeft(found) ? E.left(at(state, label, found.left)) : found
}
