/**
 * Builders: how people and dialects write programs.
 *
 * A `Build<A>` is a state transition: from a half-written program to a longer one, together with an `A`, or to a
 * failure. It is a value; running it twice gives the same. `yield*` sequences builds inside a generator function, so a kernel
 * reads from top to bottom, and every name it binds comes back as a typed expression:
 *
 *     const kernelOf = kernel({ name: 'twice', arch: 'sm90a', agents: [warpgroup('wg', 0)] }, function* () {
 *       const a = yield* tensorParam('a', 'f32', [128], { role: 'in' })
 *       const out = yield* tensorParam('out', 'f32', [128], { role: 'out' })
 *       const x = yield* gmemLoad('x', a.view)                        Tile<'f32', 1>
 *       const y = yield* letIn('y', add(x, x))
 *       yield* run('write out', { _tag: 'gmem.store', destination: out.view, value: y })
 *     })
 *
 * Generators run while the program is written; none is stored in it. The result is the first-order data of
 * `program.ts`. Names are made fresh from a label by a pure supply: the second `x` is `x_1`.
 *
 * Types are found twice. tsc knows the index of every expression (space, dtype, rank, discipline) and refuses a TMEM view as
 * the destination of a TMA copy. `typeOf` finds the run-time type, sizes and layouts included, as each statement is
 * added, so a failure names the statement that caused it.
 *
 * Laws
 * 1. Monad: `of`, `chain` obey left and right identity and associativity.
 * 2. What `kernel` returns is valid, and its names are bound once.
 * 3. A generator and the same steps by `chain` build equal programs.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { type Failure, failure, refuse, unreachable } from '../failure.js'
import type { RegisterLayout } from '../layouts/register-layout.js'
import { bitsOf, type Dtype, type FloatDtype } from '../numerics/dtype.js'
import type { TransformedRef } from '../transforms/ref.js'
import * as Ref from '../transforms/ref.js'
import { rowMajorStrides } from '../transforms/shape.js'
import type { Transform } from '../transforms/transform.js'
import type { Barrier, Condition, Descriptor, Expr, Int, Ptr, Tile, View } from './expression.js'
import * as X from './expression.js'
import { checked } from './index-types.js'
import type { AnyBarrier, AnyTile, AtomicOp, Instruction, Scope } from './instruction.js'
import { place, tmemColumnsOf } from './place.js'
import type {
  Agent,
  Binder,
  Branch,
  DescriptorParam,
  Param,
  Program,
  Region,
  Spec,
  Stmt,
  Storage,
  TensorParam,
} from './program.js'
import { programSchema, region, site } from './program.js'
import { operandsOf, resultTypes } from './signature.js'
import type { Environment, Names } from './typecheck.js'
import { accepts, bind, bindingOf, checkType, lookup, mismatch, noNames, typeOf } from './typecheck.js'
import type { Contract, PtrIndex, ScalarName, Space, Type, TypeIndex } from './types.js'
import { i1, i32, scalar } from './types.js'
import { validate } from './validate.js'

// ---------------------------------------------------------------- model

interface Statements {
  readonly last: Stmt
  readonly before: Statements | null
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
  readonly body: Statements | null
}

/** What a running build says to whoever runs it. */
export type Step =
  | { readonly _tag: 'ask' }
  | { readonly _tag: 'tell'; readonly state: State }
  | { readonly _tag: 'fail'; readonly failure: Failure }

/** Anything that `yield*` can run for an `A`: a build, or a generator of builds. */
export interface Steps<A> {
  readonly [Symbol.iterator]: () => Iterator<Step, A, State>
}

export interface Build<A> extends Steps<A> {
  readonly run: (state: State) => E.Either<Failure, readonly [A, State]>
}

/** A record of expressions with the given indices. */
export type Exprs<C extends Readonly<Record<string, TypeIndex>>> = { readonly [K in keyof C]: Expr<C[K]> }

/** The index of an element once it is in a register: narrow integers are widened. */
export type ElementIndex<D extends Dtype> = D extends FloatDtype
  ? D
  : D extends 'i1'
    ? 'i1'
    : D extends 'i64' | 'u64'
      ? 'i64'
      : 'i32'

// ---------------------------------------------------------------- state

const emptyState: State = {
  params: new Map(),
  storage: new Map(),
  names: noNames,
  used: noNames,
  supply: 0,
  path: [],
  loc: null,
  body: null,
}

const amend = (state: State, change: Partial<State>): State => ({
  params: change.params ?? state.params,
  storage: change.storage ?? state.storage,
  names: change.names ?? state.names,
  used: change.used ?? state.used,
  supply: change.supply ?? state.supply,
  path: change.path ?? state.path,
  loc: change.loc === undefined ? state.loc : change.loc,
  body: change.body === undefined ? state.body : change.body,
})

const environment = (state: State): Environment => ({
  declarations: { params: state.params, storage: state.storage },
  names: state.names,
})

const siteOf = (state: State, label: string): ReturnType<typeof site> =>
  state.loc === null ? site(label, state.path) : site(label, state.path, state.loc)

const statements = (body: Statements | null): ReadonlyArray<Stmt> => {
  const list: Stmt[] = []
  for (let at = body; at !== null; at = at.before) list.push(at.last)
  return list.reverse()
}

const push = (state: State, stmt: Stmt): State => amend(state, { body: { last: stmt, before: state.body } })

/** A name for the label that nothing in the program has yet, and the state that knows it. */
const fresh = (state: State, label: string, type: Type): readonly [name: string, state: State] => {
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

const freshAll = (
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

// ---------------------------------------------------------------- the monad

const ask: Step = { _tag: 'ask' }

export const build = <A>(run: (state: State) => E.Either<Failure, readonly [A, State]>): Build<A> => ({
  run,
  [Symbol.iterator]: function* (): Iterator<Step, A, State> {
    const result = run(yield ask)
    if (E.isLeft(result)) {
      yield { _tag: 'fail', failure: result.left }
      return unreachable('a failed build is not resumed')
    }
    yield { _tag: 'tell', state: result.right[1] }
    return result.right[0]
  },
})

const runSteps = <A>(steps: Steps<A>, from: State): E.Either<Failure, readonly [A, State]> => {
  const running = steps[Symbol.iterator]()
  let state = from
  let next = running.next(state)
  while (next.done !== true) {
    const step = next.value
    switch (step._tag) {
      case 'fail':
        return E.left(step.failure)
      case 'tell':
        state = step.state
        break
      case 'ask':
        break
    }
    next = running.next(state)
  }
  return E.right([next.value, state])
}

/** Steps as one build. */
export const block = <A>(body: () => Steps<A>): Build<A> => build((state) => runSteps(body(), state))

export const of = <A>(a: A): Build<A> => build((state) => E.right([a, state]))
export const fail = (why: Failure): Build<never> => build(() => E.left(why))
export const fromEither = <A>(either: E.Either<Failure, A>): Build<A> =>
  build((state) =>
    pipe(
      either,
      E.map((a) => [a, state]),
    ),
  )
export const map =
  <A, B>(f: (a: A) => B) =>
  (fa: Build<A>): Build<B> =>
    build((state) =>
      pipe(
        fa.run(state),
        E.map(([a, after]) => [f(a), after]),
      ),
    )
export const chain =
  <A, B>(f: (a: A) => Build<B>) =>
  (fa: Build<A>): Build<B> =>
    build((state) =>
      pipe(
        fa.run(state),
        E.chain(([a, after]) => f(a).run(after)),
      ),
    )
/** Builds one after the other; the list of their results. */
export const sequence = <A>(all: ReadonlyArray<Build<A>>): Build<ReadonlyArray<A>> =>
  block(function* () {
    const results: A[] = []
    for (const one of all) results.push(yield* one)
    return results
  })

/** The statements inside belong to this scope: their sites carry it in the path. */
export const scope = <A>(name: string, body: () => Steps<A>): Build<A> =>
  build((state) =>
    pipe(
      runSteps(body(), amend(state, { path: [...state.path, name] })),
      E.map(([a, after]) => [a, amend(after, { path: state.path })]),
    ),
  )
/** The statements inside come from this place of a text, `file:line:column`. */
export const located = <A>(loc: string, body: () => Steps<A>): Build<A> =>
  build((state) =>
    pipe(
      runSteps(body(), amend(state, { loc })),
      E.map(([a, after]) => [a, amend(after, { loc: state.loc })]),
    ),
  )

/** The run-time type of an expression, here. */
export const typeHere = (expr: Expr): Build<Type> =>
  build((state) =>
    pipe(
      typeOf(environment(state))(expr),
      E.map((type) => [type, state]),
    ),
  )

const at = (state: State, label: string, why: Failure): Failure =>
  failure(why.code, `${[...state.path, label].join(' / ')}: ${why.message}`)

const typeAt = (state: State, label: string, expr: Expr): E.Either<Failure, Type> =>
  pipe(
    typeOf(environment(state))(expr),
    E.mapLeft((why) => at(state, label, why)),
  )

// ---------------------------------------------------------------- statements

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
        const known = amend(next, {
          names: bind(next.names, name, bindingOf(environment(state))(expr, given)),
        })
        return [
          X.name<I>(name),
          push(known, { _tag: 'Let', binder: { name, type: given }, expr, site: siteOf(state, label) }),
        ]
      }),
    ),
  )

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

/** Runs an instruction for its effect. */
export const run = (label: string, instruction: Instruction, options: DoOptions = {}): Build<void> =>
  build((state) => {
    for (const { field, expr } of operandsOf(instruction)) {
      const type = typeAt(state, `${label} (${instruction._tag}, ${field})`, checked<Expr, X.ExprNode>(expr))
      if (E.isLeft(type)) return type
    }
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

const one = <I extends TypeIndex>(
  label: string,
  instruction: Instruction,
  options: ResultOptions,
): Build<Expr<I>> =>
  pipe(
    runFor([label], instruction, options),
    map((results) => checked<Expr<I>, Expr>(results[0]!)),
  )

/** The contents of a shared-memory view, in registers. */
export const smemLoad = <D extends Dtype, R extends number>(
  label: string,
  source: View<'smem', D, R>,
  options: ResultOptions = {},
): Build<Tile<ElementIndex<D>, R>> => one(label, { _tag: 'smem.load', source }, options)
export const gmemLoad = <D extends Dtype, R extends number>(
  label: string,
  source: View<'gmem', D, R>,
  options: ResultOptions = {},
): Build<Tile<ElementIndex<D>, R>> => one(label, { _tag: 'gmem.load', source }, options)
export const regsRead = <D extends Dtype, R extends number>(
  label: string,
  source: View<'regs', D, R>,
  options: ResultOptions = {},
): Build<Tile<ElementIndex<D>, R>> => one(label, { _tag: 'regs.read', source }, options)
export const loadPtr = <D extends Dtype, R extends number>(
  label: string,
  source: Tile<PtrIndex<D>, R>,
  options: ResultOptions & { readonly mask?: Tile<'i1'>; readonly other?: AnyTile } = {},
): Build<Tile<ElementIndex<D>, R>> =>
  one(
    label,
    options.mask === undefined
      ? { _tag: 'gmem.loadPtr', source }
      : options.other === undefined
        ? { _tag: 'gmem.loadPtr', source, mask: options.mask }
        : { _tag: 'gmem.loadPtr', source, mask: options.mask, other: options.other },
    options,
  )
/** The old contents. */
export const smemAtomic = <D extends Dtype, R extends number>(
  label: string,
  op: Exclude<AtomicOp, 'cas'>,
  destination: View<'smem', D, R>,
  value: AnyTile,
  options: ResultOptions = {},
): Build<Tile<ElementIndex<D>, R>> =>
  one(label, { _tag: 'smem.atomic', op, destination, value, scope: 'cta' }, options)
/** The old pointees. */
export const atomicPtr = <D extends Dtype, R extends number>(
  label: string,
  op: Exclude<AtomicOp, 'cas'>,
  destination: Tile<PtrIndex<D>, R>,
  value: AnyTile,
  options: ResultOptions & { readonly scope?: Scope } = {},
): Build<Tile<ElementIndex<D>, R>> =>
  one(label, { _tag: 'gmem.atomicPtr', op, destination, value, scope: options.scope ?? 'gpu' }, options)
/** True when a wait for this parity would pass now. */
export const testBarrier = (
  label: string,
  barrier: AnyBarrier,
  parity: Int,
  options: DoOptions = {},
): Build<Condition> =>
  one(label, { _tag: 'mbarrier.test', barrier, parity, acquire: true, scope: 'cta' }, options)
export const elect = (label: string): Build<Condition> => one(label, { _tag: 'elect' }, {})
/** Granted, then the coordinates of the cancelled cluster. */
export const clcQuery = (
  label: string,
  response: View<'smem'>,
): Build<readonly [granted: Condition, x: Int, y: Int, z: Int]> =>
  pipe(
    runFor([label, `${label}_x`, `${label}_y`, `${label}_z`], { _tag: 'clc.query', response }),
    map((results) => checked<readonly [Condition, Int, Int, Int], ReadonlyArray<Expr>>(results)),
  )
/** The descriptor that lies in memory. */
export const acquireTensormap = <D extends Dtype, R extends number>(
  label: string,
  at: Ptr,
  dtype: D,
  rank: R,
): Build<Descriptor<D, R>> => one(label, { _tag: 'tensormap.acquire', at, dtype, rank }, {})

/** `cp.async` through a tile of pointers; the token stands for the copy in a text that has such tokens. */
export const copyAsync = <D extends Dtype, R extends number>(
  label: string,
  source: Tile<PtrIndex<D>, R>,
  destination: View<'smem', D, R>,
  options: DoOptions & { readonly mask?: Tile<'i1', R> } = {},
): Build<Expr<'token'>> =>
  one(
    label,
    options.mask === undefined
      ? { _tag: 'cpAsync.copy', source, destination }
      : { _tag: 'cpAsync.copy', source, mask: options.mask, destination },
    options,
  )
export const commitAsync = (label: string): Build<Expr<'token'>> =>
  one(label, { _tag: 'cpAsync.commitGroup' }, {})
export const waitAsync = (label: string, pending: number): Build<Expr<'token'>> =>
  one(label, { _tag: 'cpAsync.waitGroup', pending }, {})

/** Adds a statement made elsewhere. Its names must be fresh and its types right: validation will say. */
export const statement = (stmt: Stmt): Build<void> =>
  build((state) => E.right([undefined, push(state, stmt)]))

// ---------------------------------------------------------------- regions

type Bodies = Readonly<Record<string, Expr>>

/** The types of a record of expressions, in its order. */
const typesOf = (
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
const named = <B extends Bodies>(like: B, binders: ReadonlyArray<Binder>): B =>
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

interface Opened<A> {
  readonly region: (yields: ReadonlyArray<Expr>, params: ReadonlyArray<Binder>) => Region
  readonly result: A
  /** inside the region, for checking what it yields */
  readonly inside: State
  /** outside again */
  readonly outside: State
}

/** Runs a body in a region of its own. */
const inRegion = <A>(
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
      }),
    })),
  )

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
                  step: spec.step ?? X.i32(1),
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

const isRecord = (value: unknown): value is Bodies => typeof value === 'object' && value !== null
const bodyRecord = (value: unknown): Bodies => (isRecord(value) ? value : {})

/** Loops while `before` gives true; `before` also gives what `after` takes, under the keys of `carried`. */
export const whileLoop = <C extends Readonly<Record<string, TypeIndex>>>(
  spec: { readonly label: string; readonly carried: Exprs<C> },
  before: (carried: Exprs<C>) => Steps<readonly [condition: Condition, args: Exprs<C>]>,
  after: (args: Exprs<C>) => Steps<Exprs<C>>,
): Build<Exprs<C>> =>
  build((state) => {
    const { label, carried } = spec
    const types = typesOf(state, label, carried)
    if (E.isLeft(types)) return types
    const [binders, entered] = freshAll(state, types.right)
    const tested = inRegion(entered, label, () => before(named(carried, binders)), entered.names)
    if (E.isLeft(tested)) return tested
    const args = yieldsOf(tested.right.inside, label, types.right, tested.right.result[1])
    if (E.isLeft(args)) return args
    const [params, looping] = freshAll(amend(tested.right.outside, { names: state.names }), types.right)
    const looped = inRegion(looping, label, () => after(named(carried, params)), looping.names)
    if (E.isLeft(looped)) return looped
    const yields = yieldsOf(looped.right.inside, label, types.right, looped.right.result)
    if (E.isLeft(yields)) return yields
    const [results, done] = freshAll(amend(looped.right.outside, { names: state.names }), types.right)
    return E.right([
      named(carried, results),
      push(done, {
        _tag: 'While',
        carried: Object.values<Expr>(carried).map((init, k) => ({ binder: binders[k]!, init })),
        before: tested.right.region([tested.right.result[0], ...args.right], []),
        after: looped.right.region(yields.right, params),
        results,
        site: siteOf(state, label),
      }),
    ])
  })

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
    const type = typeAt(state, label, cond)
    if (E.isLeft(type)) return type
    if (!accepts(i1, type.right)) return E.left(at(state, label, mismatch('a condition', i1, type.right)))
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

/** A branch of a fork: the agent that runs it, what it captures, and its body over the captured names. */
export interface BranchSpec {
  readonly agent: string
  /** opens the branch in a state: opaque to users */
  readonly open: (
    state: State,
    label: string,
  ) => E.Either<
    Failure,
    { readonly branch: Branch; readonly after: State; readonly types: ReadonlyArray<readonly [string, Type]> }
  >
}

const openBranch = (
  agent: string,
  captures: Bodies,
  body: (captured: Bodies) => Steps<unknown>,
): BranchSpec => ({
  agent,
  open: (state, label) =>
    pipe(
      typesOf(state, `${label}.${agent}`, captures),
      E.chain((types) => {
        const [binders, entered] = freshAll(amend(state, { names: noNames }), types)
        // A captured descriptor is still the parameter that it was.
        const known = Object.values(captures).reduce(
          (names, value, k) =>
            bind(names, binders[k]!.name, bindingOf(environment(state))(value, binders[k]!.type)),
          entered.names,
        )
        return pipe(
          inRegion(entered, agent, () => body(named(captures, binders)), known),
          E.chain((opened) => {
            const record = bodyRecord(opened.result)
            return pipe(
              typesOf(opened.inside, `${label}.${agent}`, record),
              E.map((results) => ({
                branch: {
                  agent,
                  captures: Object.values(captures).map((value, k) => ({ binder: binders[k]!, value })),
                  body: opened.region(Object.values(record), []),
                },
                after: amend(opened.outside, { names: state.names }),
                types: results,
              })),
            )
          }),
        )
      }),
    ),
})

/** A branch that another agent runs. Its body sees what it captures and nothing else. */
export const branch = <C extends Readonly<Record<string, TypeIndex>>>(
  agent: string,
  captures: Exprs<C>,
  body: (captured: Exprs<C>) => Steps<void>,
): BranchSpec => openBranch(agent, captures, (captured) => body(checked<Exprs<C>, unknown>(captured)))

type ForkBuilder = {
  <C extends Readonly<Record<string, TypeIndex>>>(
    label: string,
    parent: {
      readonly agent: string
      readonly captures: Exprs<C>
      readonly body: (captured: Exprs<C>) => Steps<void>
    },
    branches: ReadonlyArray<BranchSpec>,
  ): Build<void>
  <C extends Readonly<Record<string, TypeIndex>>, R extends Readonly<Record<string, TypeIndex>>>(
    label: string,
    parent: {
      readonly agent: string
      readonly captures: Exprs<C>
      readonly body: (captured: Exprs<C>) => Steps<Exprs<R>>
    },
    branches: ReadonlyArray<BranchSpec>,
  ): Build<Exprs<R>>
}

/** Starts the other agents; the parent goes on in its own branch, whose yields are the results; joins them all. */
export const fork: ForkBuilder = <C extends Readonly<Record<string, TypeIndex>>>(
  label: string,
  parent: {
    readonly agent: string
    readonly captures: Exprs<C>
    readonly body: (captured: Exprs<C>) => Steps<unknown>
  },
  branches: ReadonlyArray<BranchSpec>,
): Build<never> =>
  build((state) => {
    const first = openBranch(parent.agent, parent.captures, (captured) =>
      parent.body(checked<Exprs<C>, unknown>(captured)),
    )
    let after = state
    let types: ReadonlyArray<readonly [string, Type]> = []
    const opened: Branch[] = []
    for (const spec of [first, ...branches]) {
      const next = spec.open(after, label)
      if (E.isLeft(next)) return next
      after = next.right.after
      if (spec === first) types = next.right.types
      opened.push(next.right.branch)
    }
    const [results, done] = freshAll(after, types)
    return checked<E.Either<Failure, readonly [never, State]>, unknown>(
      E.right([
        Object.fromEntries(types.map(([key], k) => [key, X.name(results[k]!.name)])),
        push(done, { _tag: 'Fork', branches: opened, results, site: siteOf(state, label) }),
      ]),
    )
  })

// ---------------------------------------------------------------- parameters

/** A tensor parameter in its three guises. */
export interface Tensor<D extends Dtype = Dtype, R extends number = number> {
  readonly param: TensorParam
  readonly dtype: D
  /** a static view; only when the shape is constant */
  readonly view: View<'gmem', D, R>
  readonly ptr: Ptr<D>
  readonly dims: ReadonlyArray<Int>
}

const asInt = (extent: number | Int): Int => (typeof extent === 'number' ? X.i32(extent) : extent)

const declare = (state: State, param: Param): E.Either<Failure, State> =>
  state.params.has(param.name)
    ? refuse('name.bound-twice', `There are two parameters ${param.name}`)
    : E.right(amend(state, { params: new Map([...state.params, [param.name, param]]) }))

/** Strides are in elements; row-major if not given, which needs constant inner extents or multiplies them out. */
export const tensorParam = <D extends Dtype, const S extends ReadonlyArray<number | Int>>(
  name: string,
  dtype: D,
  shape: S,
  options: { readonly role: 'in' | 'out' | 'inout'; readonly strides?: ReadonlyArray<number | Int> },
): Build<Tensor<D, S['length']>> =>
  build((state) => {
    const dims = shape.map(asInt)
    const rowMajor = dims.map((_, d) =>
      dims
        .slice(d + 1)
        .reduce<Int | null>((product, dim) => (product === null ? dim : times(product, dim)), null),
    )
    const param: TensorParam = {
      _tag: 'tensor',
      name,
      dtype,
      shape: dims,
      strides: options.strides?.map(asInt) ?? rowMajor.map((stride) => stride ?? X.i32(1)),
      role: options.role,
    }
    return pipe(
      declare(state, param),
      E.map((after) => [
        {
          param,
          dtype,
          view: X.tensor<D, S['length']>(name),
          ptr: X.paramPtr<D>(name),
          dims: dims.map((_, axis) => X.dim(name, axis)),
        },
        after,
      ]),
    )
  })

const times = (x: Int, y: Int): Int =>
  x._tag === 'const' && y._tag === 'const' && typeof x.value === 'number' && typeof y.value === 'number'
    ? X.i32(x.value * y.value)
    : X.mul(x, y)

/** A scalar parameter is a name in scope everywhere. */
export const scalarParam = <D extends ScalarName>(name: string, dtype: D): Build<Expr<D>> =>
  build((state) =>
    pipe(
      declare(state, { _tag: 'scalar', name, dtype }),
      E.map((after) => [
        X.name<D>(name),
        amend(after, {
          used: bind(after.used, name, { type: scalar(dtype) }),
        }),
      ]),
    ),
  )

/** A tensor map of a tensor parameter: its own dims and strides unless others are given. */
export const descriptorParam = <D extends Dtype, const S extends ReadonlyArray<number>>(
  name: string,
  of: Tensor<D>,
  box: S,
  options: {
    readonly swizzle?: 16 | 32 | 64 | 128
    readonly fill?: 'zero' | 'nan'
    readonly dims?: ReadonlyArray<number | Int>
    readonly strides?: ReadonlyArray<number | Int>
    readonly elementStrides?: ReadonlyArray<number>
  } = {},
): Build<Descriptor<D, S['length']>> =>
  build((state) => {
    const param: DescriptorParam = {
      _tag: 'descriptor',
      name,
      tensor: of.param.name,
      dims: options.dims?.map(asInt) ?? of.param.shape,
      strides: options.strides?.map(asInt) ?? of.param.strides,
      box,
      elementStrides: options.elementStrides ?? box.map(() => 1),
      swizzle: options.swizzle ?? 16,
      fill: options.fill ?? 'zero',
    }
    return pipe(
      declare(state, param),
      E.map((after) => [X.descriptor<D, S['length']>(name), after]),
    )
  })

// ---------------------------------------------------------------- storage

const store = (state: State, storage: Storage): E.Either<Failure, State> =>
  state.storage.has(storage.id)
    ? refuse('name.bound-twice', `There are two storages ${storage.id}`)
    : E.right(amend(state, { storage: new Map([...state.storage, [storage.id, storage]]) }))

export interface StorageOptions {
  /** bytes; a swizzled buffer starts at a multiple of its period by default, others at 128 */
  readonly align?: number
  /** member of a union: all members of one number lie behind each other, different members overlap */
  readonly alias?: { readonly union: string; readonly member: number }
  /** in place of the layout that the transforms give */
  readonly layout?: TransformedRef
}

const storageRecord = (
  id: string,
  space: Space,
  owner: Storage['owner'],
  contents: Storage['contents'],
  bits: number,
  align: number,
  options: StorageOptions,
): Storage =>
  options.alias === undefined
    ? { id, space, owner, contents, bits, align }
    : { id, space, owner, contents, bits, align, alias: options.alias }

const declareElements = <S extends Space, D extends Dtype, R extends number>(
  id: string,
  space: S,
  owner: Storage['owner'],
  dtype: D,
  layout: TransformedRef,
  bits: number,
  options: StorageOptions,
): Build<View<S, D, R>> =>
  build((state) => {
    const align = options.align ?? (space === 'smem' ? Math.max(128, layout.swizzle * 8) : 4)
    return pipe(
      store(
        state,
        storageRecord(id, space, owner, { _tag: 'elements', dtype, layout }, bits, align, options),
      ),
      E.map((after) => [checked<View<S, D, R>, Expr>(X.storage(id)), after]),
    )
  })

const layoutOf = (
  dtype: Dtype,
  shape: ReadonlyArray<number>,
  transforms: ReadonlyArray<Transform>,
  options: StorageOptions,
): E.Either<Failure, TransformedRef> =>
  options.layout === undefined ? Ref.ofTransforms(shape, bitsOf(dtype), transforms) : E.right(options.layout)

/** A buffer of shared memory. */
export const sharedMemory = <D extends Dtype, const S extends ReadonlyArray<number>>(
  id: string,
  dtype: D,
  shape: S,
  transforms: ReadonlyArray<Transform> = [],
  options: StorageOptions = {},
): Build<View<'smem', D, S['length']>> =>
  pipe(
    fromEither(layoutOf(dtype, shape, transforms, options)),
    chain((layout) =>
      declareElements<'smem', D, S['length']>(
        id,
        'smem',
        'cta',
        dtype,
        layout,
        Ref.extentBytes(layout) * 8,
        options,
      ),
    ),
  )

/** Bytes from one lane of tensor memory to the next. */
const laneBytes = 2048

/** Rows of 128 lanes side by side, elements packed in the columns unless `columnBits` spreads them out; leading dimensions are buffers behind each other. */
export const tensorMemory = <D extends Dtype, const S extends ReadonlyArray<number>>(
  id: string,
  dtype: D,
  shape: S,
  options: StorageOptions & { readonly columnBits?: number } = {},
): Build<View<'tmem', D, S['length']>> => {
  const bits = bitsOf(dtype)
  const step = (options.columnBits ?? bits) / bits
  const rank = shape.length
  const columns = shape[rank - 1] ?? 1
  const strides = rowMajorStrides([...shape.slice(0, Math.max(0, rank - 2)), columns]).map((s) => s * step)
  const leading = strides.slice(0, -1)
  const layout =
    options.layout === undefined
      ? Ref.ofStrides(shape, bits, rank < 2 ? [step] : [...leading, (laneBytes * 8) / bits, step])
      : E.right(options.layout)
  return pipe(
    fromEither<TransformedRef>(layout),
    chain((legal) =>
      declareElements<'tmem', D, S['length']>(
        id,
        'tmem',
        'cta',
        dtype,
        legal,
        tmemColumnsOf(legal) * 32 * 128,
        options,
      ),
    ),
  )
}

/** Registers of one agent that an asynchronous unit reads or writes. */
export const registers = <D extends Dtype, const S extends ReadonlyArray<number>>(
  id: string,
  agent: string,
  dtype: D,
  shape: S,
  options: StorageOptions = {},
): Build<View<'regs', D, S['length']>> =>
  pipe(
    fromEither(layoutOf(dtype, shape, [], options)),
    chain((layout) =>
      declareElements<'regs', D, S['length']>(
        id,
        'regs',
        { agent },
        dtype,
        layout,
        Ref.extentBytes(layout) * 8,
        options,
      ),
    ),
  )

/** Global memory of the kernel's own. */
export const globalScratch = <D extends Dtype, const S extends ReadonlyArray<number>>(
  id: string,
  dtype: D,
  shape: S,
  options: StorageOptions = {},
): Build<View<'gmem', D, S['length']>> =>
  pipe(
    fromEither(layoutOf(dtype, shape, [], options)),
    chain((layout) =>
      declareElements<'gmem', D, S['length']>(id, 'gmem', 'cta', dtype, layout, Ref.extentBytes(layout) * 8, {
        align: 128,
      }),
    ),
  )

/** One barrier (shape `[]`) or an array of them. `ordersTensorCore`: a tensor core may arrive on it. */
export const barriers = <
  const S extends ReadonlyArray<number>,
  C extends Contract = 'ptx',
  const O extends boolean = false,
>(
  id: string,
  shape: S,
  options: { readonly contract?: C; readonly ordersTensorCore?: O } = {},
): Build<Barrier<C, O, S['length']>> =>
  build((state) =>
    pipe(
      store(
        state,
        storageRecord(
          id,
          'smem',
          'cta',
          {
            _tag: 'barriers',
            contract: options.contract ?? 'ptx',
            ordersTensorCore: options.ordersTensorCore ?? false,
            shape,
          },
          64 * shape.reduce((product, extent) => product * extent, 1),
          8,
          {},
        ),
      ),
      E.map((after) => [checked<Barrier<C, O, S['length']>, Expr>(X.storage(id)), after]),
    ),
  )

// ---------------------------------------------------------------- kernels

export const warpgroup = (name: string, index: number, registersEach?: number): Agent =>
  registersEach === undefined
    ? { name, kind: 'warpgroup', firstWarp: 4 * index, warps: 4 }
    : { name, kind: 'warpgroup', firstWarp: 4 * index, warps: 4, registers: registersEach }
export const warp = (name: string, firstWarp: number): Agent => ({ name, kind: 'warp', firstWarp, warps: 1 })
export const partition = (name: string, firstWarp: number, warps: number): Agent => ({
  name,
  kind: 'partition',
  firstWarp,
  warps,
})

export interface KernelHeader {
  readonly name: string
  readonly arch: 'sm90a' | 'sm100a'
  /** CTAs (clusters times their size) per axis; scalar parameters may occur in it by name */
  readonly grid?: ReadonlyArray<number | Int>
  readonly cluster?: ReadonlyArray<number>
  readonly agents: ReadonlyArray<Agent>
  readonly computes?: Spec
}

/** The program as written: neither placed nor validated. */
export const draft = (header: KernelHeader, body: () => Steps<void>): E.Either<Failure, Program> =>
  pipe(
    runSteps(body(), emptyState),
    E.map(([, state]) => {
      const launch = {
        grid: (header.grid ?? [1]).map(asInt),
        cluster: header.cluster ?? [1],
        agents: header.agents,
      }
      const params = [...state.params.values()]
      const storage = [...state.storage.values()]
      const entry = region(statements(state.body))
      const { name, arch } = header
      return header.computes === undefined
        ? { schema: programSchema, name, arch, params, launch, storage, entry }
        : { schema: programSchema, name, arch, params, launch, storage, entry, computes: header.computes }
    }),
  )

/** A finished kernel: placed and valid. */
export const kernel = (header: KernelHeader, body: () => Steps<void>): E.Either<Failure, Program> =>
  pipe(draft(header, body), E.chainW(place), E.chainW(validate))
