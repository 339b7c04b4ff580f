/**
 * The builder monad: state transitions that may fail, and generators that sequence them.
 *
 *     Build<A>  =  State -> Either<Failure, [A, State]>
 *
 * A `Build` is a value; running it twice gives the same. It is also iterable, so that `yield*` runs it inside a generator function:
 * the generator asks for the state, tells the next one, or fails, and `runSteps` answers. The two ways to write are one:
 *
 *     block(function* () {                    pipe(letIn('x', a),
 *       const x = yield* letIn('x', a)          chain((x) => letIn('y', mul(x, x))))
 *       return yield* letIn('y', mul(x, x))
 *     })
 *
 * Laws
 * 1. Monad: `of`, `chain` obey left and right identity and associativity; `fail` is a left zero.
 * 2. A generator and the same steps by `chain` are equal builds, and a build that runs twice does the same twice.
 * 3. `scope` and `located` change the path and the place of the statements inside, and of nothing after.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { type Failure, unreachable } from '../../failure.js'
import type { Expr } from '../expression.js'
import { typeOf } from '../typecheck.js'
import type { Type } from '../types.js'
import { type State, amend, environment } from './state.js'

// ---------------------------------------------------------------- model

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

// ---------------------------------------------------------------- generators

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

/** Runs the steps from a state. */
export const runSteps = <A>(steps: Steps<A>, from: State): E.Either<Failure, readonly [A, State]> => {
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

// ---------------------------------------------------------------- combinators

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

// ---------------------------------------------------------------- where

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
