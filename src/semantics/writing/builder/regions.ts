/**
 * Regions: loops and branches.
 *
 * A body is a generator over the names that its region binds. It is run at once, in a state of its own; what it returns is what the
 * region yields. Carried values and results are records, so that they are matched by key and not by place:
 *
 *     const { parity } = yield* forRange({ label: 'k', from, to, carried: { parity: i32(0) } }, function* (k, c) {
 *       ...
 *       return { parity: xor(c.parity, i32(1)) }
 *     })
 *
 * | builder     | Pallas        | Triton     | statement |
 * |-------------|---------------|------------|-----------|
 * | `forRange`  | `fori_loop`   | scf.for    | For       |
 * | `whileLoop` | `while_loop`  | scf.while  | While     |
 * | `ifThen`    | `pl.when`, `cond` | scf.if | If        |
 *
 * Laws
 * 1. Names bound inside are not in scope after; they are used, and will not be made again.
 * 2. A parameter or storage declared inside belongs to the whole program.
 * 3. A condition is an i1, a bound of a loop an i32, or the failure says where it was given.
 * 4. What is yielded has the types of what is carried, key by key, or the failure names the key. What the test of a while hands on has types of
 *    its own.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { type Failure, refuse } from '../../../failure.js'
import * as X from '../../language/expression.js'
import type { Condition, Expr, Int } from '../../language/expression.js'
import { checked } from '../../language/index-types.js'
import { type Binder, type Region, type Stmt, region } from '../../language/program.js'
import { type Names, accepts, mismatch } from '../../language/typecheck.js'
import { type Type, type TypeIndex, i1, i32 } from '../../language/types.js'
import { type Build, type Steps, build, of, runSteps } from './monad.js'
import { type State, amend, at, freshAll, hasTypeAt, push, siteOf, statements, typeAt } from './state.js'

// ---------------------------------------------------------------- records

/** What bodies take and give: a record of expressions, its indices forgotten. */
export type Bodies = Readonly<Record<string, Expr>>

/** A record of expressions with the given indices. */
export type Exprs<C extends Readonly<Record<string, TypeIndex>>> = { readonly [K in keyof C]: Expr<C[K]> }

const isRecord = (value: unknown): value is Bodies => typeof value === 'object' && value !== null
/** What a body returned, as a record; nothing is the empty one. */
export const bodyRecord = (value: unknown): Bodies => (isRecord(value) ? value : {})

/** The types of a record of expressions, in its order. */
export const typesOf = (
  state: State,
  label: string,
  record: Bodies,
): E.Either<Failure, ReadonlyArray<readonly [label: string, type: Type]>> => {
  const types: (readonly [string, Type])[] = []
  for (const [key, expr] of Object.entries(record)) {
    const type = typeAt(state, `${label}.${key}`, expr)
    if (E.isLeft(type)) return type
    types.push([key, type.right])
  }
  return E.right(types)
}

/** Names under the keys of a record that has the same indices. */
export const named = <B extends Bodies>(like: B, binders: ReadonlyArray<Binder>): B =>
  checked<B, unknown>(Object.fromEntries(Object.keys(like).map((key, k) => [key, X.name(binders[k]!.name)])))

/** Yields in the order of the keys of `like`, of the types that `like` has. */
const yieldsOf = (
  state: State,
  label: string,
  types: ReadonlyArray<readonly [label: string, type: Type]>,
  record: Bodies,
): E.Either<Failure, ReadonlyArray<Expr>> => {
  const yields: Expr[] = []
  for (const [key, expected] of types) {
    const expr = record[key]
    if (expr === undefined)
      return refuse('type.mismatch', `${[...state.path, label].join(' / ')}: nothing is yielded for ${key}`)
    const found = typeAt(state, `${label}.${key}`, expr)
    if (E.isLeft(found)) return found
    if (!accepts(expected, found.right))
      return E.left(at(state, label, mismatch(`the value yielded for ${key}`, expected, found.right)))
    yields.push(expr)
  }
  return E.right(yields)
}

// ---------------------------------------------------------------- a region

/** A body that has run. */
export interface Opened<A> {
  readonly region: (yields: ReadonlyArray<Expr>, params: ReadonlyArray<Binder>) => Region
  readonly result: A
  /** inside the region, for checking what it yields */
  readonly inside: State
  /** outside again */
  readonly outside: State
}

/** Runs a body in a region of its own. */
export const inRegion = <A>(
  state: State,
  label: string,
  body: () => Steps<A>,
  names: Names,
): E.Either<Failure, Opened<A>> =>
  pipe(
    runSteps(body(), amend(state, { body: null, names, path: [...state.path, label] })),
    E.map(([result, inside]) => ({
      region: (yields, params) => region(statements(inside.body), yields, params),
      result,
      inside,
      // a parameter or storage declared inside belongs to the whole program
      outside: amend(state, {
        used: inside.used,
        supply: inside.supply,
        params: inside.params,
        storage: inside.storage,
        idle: inside.idle,
      }),
    })),
  )

// ---------------------------------------------------------------- for

export interface ForSpec {
  readonly label: string
  readonly from: Int
  readonly to: Int
  readonly step?: Int
}

type ForRange = {
  (spec: ForSpec, body: (index: Int) => Steps<void>): Build<void>
  <C extends Readonly<Record<string, TypeIndex>>>(
    spec: ForSpec & { readonly carried: Exprs<C> },
    body: (index: Int, carried: Exprs<C>) => Steps<Exprs<C>>,
  ): Build<Exprs<C>>
}

/** A counted loop. With `carried`, the body yields the next values under the same keys and the loop gives the last ones. */
export const forRange: ForRange = (
  spec: ForSpec & { readonly carried?: Bodies },
  body: (index: Int, carried: Bodies) => Steps<unknown>,
): Build<never> =>
  build((state) => {
    const { label } = spec
    const carried = spec.carried ?? {}
    const step = spec.step ?? X.i32(1)
    for (const [what, expr] of [
      ['from', spec.from],
      ['to', spec.to],
      ['step', step],
    ] as const) {
      const known = hasTypeAt(state, `${label}.${what}`, `'${what}' of a loop`, i32, expr)
      if (E.isLeft(known)) return known
    }
    const result = pipe(
      typesOf(state, label, carried),
      E.chain((types) => {
        const [[index], withIndex] = freshAll(state, [[label, i32]])
        const [binders, entered] = freshAll(withIndex, types)
        return pipe(
          inRegion(entered, label, () => body(X.name(index!.name), named(carried, binders)), entered.names),
          E.chain((opened) =>
            pipe(
              yieldsOf(opened.inside, label, types, bodyRecord(opened.result)),
              E.map((yields) => {
                const after = amend(opened.outside, { names: state.names })
                const [results, done] = freshAll(after, types)
                const stmt: Stmt = {
                  _tag: 'For',
                  index: index!,
                  from: spec.from,
                  to: spec.to,
                  step,
                  carried: Object.values(carried).map((init, k) => ({ binder: binders[k]!, init })),
                  body: opened.region(yields, []),
                  results,
                  site: siteOf(state, label),
                }
                return [named(carried, results), push(done, stmt)]
              }),
            ),
          ),
        )
      }),
    )
    return checked<E.Either<Failure, readonly [never, State]>, unknown>(result)
  })

// ---------------------------------------------------------------- while

/** Loops while `before` gives true; `before` also gives what `after` takes, and the loop in the end, under keys of its own. */
export const whileLoop = <
  C extends Readonly<Record<string, TypeIndex>>,
  A extends Readonly<Record<string, TypeIndex>> = C,
>(
  spec: { readonly label: string; readonly carried: Exprs<C> },
  before: (carried: Exprs<C>) => Steps<readonly [condition: Condition, args: Exprs<A>]>,
  after: (args: Exprs<A>) => Steps<Exprs<C>>,
): Build<Exprs<A>> =>
  build((state) => {
    const { label, carried } = spec
    const types = typesOf(state, label, carried)
    if (E.isLeft(types)) return types
    const [binders, entered] = freshAll(state, types.right)
    const tested = inRegion(entered, label, () => before(named(carried, binders)), entered.names)
    if (E.isLeft(tested)) return tested
    const { inside } = tested.right
    const [test, args] = tested.right.result
    const cond = hasTypeAt(inside, 'before', 'a condition', i1, test)
    if (E.isLeft(cond)) return cond
    const handed = typesOf(inside, label, args)
    if (E.isLeft(handed)) return handed
    const [params, looping] = freshAll(amend(tested.right.outside, { names: state.names }), handed.right)
    const looped = inRegion(looping, label, () => after(named(args, params)), looping.names)
    if (E.isLeft(looped)) return looped
    const yields = yieldsOf(looped.right.inside, label, types.right, looped.right.result)
    if (E.isLeft(yields)) return yields
    const [results, done] = freshAll(amend(looped.right.outside, { names: state.names }), handed.right)
    return E.right([
      named(args, results),
      push(done, {
        _tag: 'While',
        carried: Object.values<Expr>(carried).map((init, k) => ({ binder: binders[k]!, init })),
        before: tested.right.region([test, ...Object.values<Expr>(args)], []),
        after: looped.right.region(yields.right, params),
        results,
        site: siteOf(state, label),
      }),
    ])
  })

// ---------------------------------------------------------------- if

type IfThen = {
  (label: string, cond: Condition, then: () => Steps<void>, otherwise?: () => Steps<void>): Build<void>
  <C extends Readonly<Record<string, TypeIndex>>>(
    label: string,
    cond: Condition,
    then: () => Steps<Exprs<C>>,
    otherwise: () => Steps<Exprs<C>>,
  ): Build<Exprs<C>>
}

/** A branch. With results, both sides yield them under the same keys. */
export const ifThen: IfThen = (
  label: string,
  cond: Condition,
  then: () => Steps<unknown>,
  otherwise?: () => Steps<unknown>,
): Build<never> =>
  build((state) => {
    const known = hasTypeAt(state, label, 'a condition', i1, cond)
    if (E.isLeft(known)) return known
    const yes = inRegion(state, label, then, state.names)
    if (E.isLeft(yes)) return yes
    const record = bodyRecord(yes.right.result)
    const types = typesOf(yes.right.inside, label, record)
    if (E.isLeft(types)) return types
    const no = inRegion(
      yes.right.outside,
      label,
      otherwise ?? ((): Steps<void> => of(undefined)),
      state.names,
    )
    if (E.isLeft(no)) return no
    const yields = yieldsOf(no.right.inside, label, types.right, bodyRecord(no.right.result))
    if (E.isLeft(yields)) return yields
    const [results, done] = freshAll(no.right.outside, types.right)
    return checked<E.Either<Failure, readonly [never, State]>, unknown>(
      E.right([
        named(record, results),
        push(done, {
          _tag: 'If',
          cond,
          then: yes.right.region(Object.values(record), []),
          else: no.right.region(yields.right, []),
          results,
          site: siteOf(state, label),
        }),
      ]),
    )
  })
