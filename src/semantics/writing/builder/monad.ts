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
 * A build that is made and never run would add nothing to the program, and nothing would say so: `arrive(b)` where `yield* arrive(b)` was
 * meant. So a generator that runs here remembers the builds that are made while it does, until they run, and a kernel that is finished
 * (`draft`) refuses what is left. Precisely: refused is a build that
 *
 *   - was made by code that a generator of this kernel ran, or by what it called: the body of the kernel, of a region, of a helper;
 *   - has not run in what became of the kernel, neither by `yield*` nor inside another build, at that place or at any later one; and
 *   - would have added a statement or a declaration, or would have failed, where it was made.
 *
 * A build may be made once and run often, be made in one region and run in another, or be handed to a combinator that runs it. Builds that
 * are made outside of any kernel, constants of a module say, need not run. Of a list of builds one of which runs, the others are refused:
 * make a list of functions. A generator (`function*`) that is called and not run cannot be seen, for the language runs nothing of it; in
 * `block` it can.
 *
 * Laws
 * 1. Monad: `of`, `chain` obey left and right identity and associativity; `fail` is a left zero.
 * 2. A generator and the same steps by `chain` are equal builds, and a build that runs twice does the same twice.
 * 3. `scope` and `located` change the path and the place of the statements inside, and of nothing after.
 * 4. `idleFailure` is null iff every build that was made in these steps and adds something has run.
 * 5. What is remembered ends with the generator: also when it throws, nothing of it reaches another kernel.
 */
import * as E from 'fp-ts/lib/Either.js'
import { type Failure, failure } from '../../../failure.js'
import type { Expr } from '../../language/expression.js'
import { checked } from '../../language/index-types.js'
import { typeOf } from '../../language/typecheck.js'
import type { Type } from '../../language/types.js'
import { type Runs, type State, addedBy, amend, environment } from './state.js'

// ---------------------------------------------------------------- model

/** What a generator hands to its runner: a build that is to run here. It goes on with what the build gives. */
export type Step = Runs

/** Anything that `yield*` can run for an `A`: a build, or a generator of builds. */
export interface Steps<A> {
  readonly [Symbol.iterator]: () => Iterator<Step, A, unknown>
}

export interface Build<A> extends Steps<A> {
  readonly run: (state: State) => E.Either<Failure, readonly [A, State]>
}

// ---------------------------------------------------------------- generators

/** A build that a generator made, until that has taken its next step. */
interface Made extends Runs {
  hasRun: boolean
}

/**
 * Where builds are entered while a generator runs. What a generator makes can be known in no other way: to make a value is no
 * step. It is set while its steps are run, and set back.
 */
let making: Made[] | null = null

/** The state without this build among those that have not run. */
const ran = (state: State, one: Runs): State =>
  state.idle.has(one)
    ? amend(state, { idle: new Map([...state.idle].filter(([other]) => other !== one)) })
    : state

export const build = <A>(run: (state: State) => E.Either<Failure, readonly [A, State]>): Build<A> => {
  const made: Build<A> & Made = {
    hasRun: false,
    run: (state) => {
      made.hasRun = true
      return run(state.idle.size === 0 ? state : ran(state, made))
    },
    // what a generator would do that yields this build and returns the answer: one is made for every statement of a kernel
    [Symbol.iterator]: (): Iterator<Step, A, unknown> => {
      let yielded = false
      return {
        next: (...[answer]) => {
          // the runner answers with what the build gave
          if (yielded) return { done: true, value: checked<A, unknown>(answer) }
          yielded = true
          return { done: false, value: made }
        },
      }
    },
  }
  making?.push(made)
  return made
}

/** The state, with what was made in `at` and has not run. */
const withIdle = (state: State, made: ReadonlyArray<Made>, at: State): State => {
  if (made.every(({ hasRun }) => hasRun)) return state
  const idle = made.flatMap((one) => (one.hasRun ? [] : [[one, at] as const]))
  return amend(state, { idle: new Map([...state.idle, ...idle]) })
}

/** Runs the steps from a state. */
export const runSteps = <A>(steps: Steps<A>, from: State): E.Either<Failure, readonly [A, State]> => {
  const outer = making
  // what is made on the way to a build, and by it, has until that has run
  let made: Made[] = []
  let state = from
  try {
    const running = steps[Symbol.iterator]()
    making = made
    let next = running.next()
    while (next.done !== true) {
      const done = next.value.run(state)
      if (E.isLeft(done)) return done
      state = withIdle(done.right[1], made, state)
      // an array anew costs less than one that is emptied
      if (made.length > 0) made = []
      making = made
      next = running.next(done.right[0])
    }
    return E.right([next.value, withIdle(state, made, state)])
  } finally {
    making = outer
  }
}

/** A build that was made and has not run, if it would have done anything. */
export const idleFailure = (state: State): Failure | null => {
  for (const [one, made] of state.idle) {
    const would = one.run(made)
    const remedy = 'expected yield* before it'
    if (E.isLeft(would))
      return failure(
        'build.not-run',
        `A build is made and never run, ${remedy}; and it fails: ${would.left.message}`,
      )
    const names = addedBy(made, would.right[1])
    if (names.length > 0)
      return failure(
        'build.not-run',
        `${[...made.path, names.join(', ')].join(' / ')}: made and never run: ${remedy}`,
      )
  }
  return null
}

/** Steps as one build. */
export const block = <A>(body: () => Steps<A>): Build<A> => build((state) => runSteps(body(), state))

// ---------------------------------------------------------------- combinators

export const of = <A>(a: A): Build<A> => build((state) => E.right([a, state]))
export const fail = (why: Failure): Build<never> => build(() => E.left(why))
export const fromEither = <A>(either: E.Either<Failure, A>): Build<A> =>
  build((state) => (E.isLeft(either) ? either : E.right([either.right, state])))
export const map =
  <A, B>(f: (a: A) => B) =>
  (fa: Build<A>): Build<B> =>
    build((state) => {
      const done = fa.run(state)
      return E.isLeft(done) ? done : E.right([f(done.right[0]), done.right[1]])
    })
export const chain =
  <A, B>(f: (a: A) => Build<B>) =>
  (fa: Build<A>): Build<B> =>
    build((state) => {
      const done = fa.run(state)
      return E.isLeft(done) ? done : f(done.right[0]).run(done.right[1])
    })
/** Builds one after the other; the list of their results. */
export const sequence = <A>(all: ReadonlyArray<Build<A>>): Build<ReadonlyArray<A>> =>
  block(function* () {
    const results: A[] = []
    for (const one of all) results.push(yield* one)
    return results
  })

// ---------------------------------------------------------------- where

/** Runs steps in a state of their own, and goes on in what became of it with the path and the place of before. */
const inside = <A>(
  state: State,
  own: State,
  body: () => Steps<A>,
): E.Either<Failure, readonly [A, State]> => {
  const done = runSteps(body(), own)
  return E.isLeft(done)
    ? done
    : E.right([done.right[0], amend(done.right[1], { path: state.path, loc: state.loc })])
}
/** The statements inside belong to this scope: their sites carry it in the path. */
export const scope = <A>(name: string, body: () => Steps<A>): Build<A> =>
  build((state) => inside(state, amend(state, { path: [...state.path, name] }), body))
/** The statements inside come from this place of a text, `file:line:column`. */
export const located = <A>(loc: string, body: () => Steps<A>): Build<A> =>
  build((state) => inside(state, amend(state, { loc }), body))

/** What is read off the run-time type of an expression, here. */
export const typedHere = <A>(expr: Expr, read: (type: Type) => E.Either<Failure, A>): Build<A> =>
  build((state) => {
    const type = typeOf(environment(state))(expr)
    if (E.isLeft(type)) return type
    const found = read(type.right)
    return E.isLeft(found) ? found : E.right([found.right, state])
  })
/** The run-time type of an expression, here. */
export const typeHere = (expr: Expr): Build<Type> => typedHere(expr, E.right)
