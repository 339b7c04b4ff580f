/**
 * Surroundings: what a dialect knows of the place where the next statement will stand.
 *
 * The axes of a grid, the thread whose body is being written, whether that is inside a warp map: operations ask for it, a kernel does
 * not hand it from call to call. A surrounding is a key with the value that stands where none was given; `within` gives it to the
 * statements of a body, and to nothing after it.
 *
 *     const depth = surrounding('depth', 0)
 *     within(depth, 1)(function* () { yield* whereIAm(depth) })     1, and 0 again behind it
 *
 * Nothing of it is in the program: two surroundings that write the same statements give equal data.
 *
 * Laws
 * 1. `within(k, v)` of `whereIAm(k)` is v; of any other key it changes nothing.
 * 2. What stands behind a body does not see what was given to it. Regions inside a body do.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { checked } from '../../language/index-types.js'
import { build, runSteps, type Build, type Steps } from './monad.js'
import { amend } from './state.js'

// ---------------------------------------------------------------- model

export interface Surrounding<A> {
  readonly name: string
  /** where none was given */
  readonly otherwise: A
}

// ---------------------------------------------------------------- constructors

export const surrounding = <A>(name: string, otherwise: A): Surrounding<A> => ({ name, otherwise })

/** The body, with this value for the key. */
export const within =
  <A>(key: Surrounding<A>, value: A) =>
  <B>(body: () => Steps<B>): Build<B> =>
    build((state) =>
      pipe(
        runSteps(
          body(),
          amend(state, { surroundings: new Map<object, unknown>([...state.surroundings, [key, value]]) }),
        ),
        E.map(([b, after]) => [b, amend(after, { surroundings: state.surroundings })]),
      ),
    )

// ---------------------------------------------------------------- destructors

/** The value of the key, here. */
export const whereIAm = <A>(key: Surrounding<A>): Build<A> =>
  build((state) =>
    E.right([
      // only `within` puts a value under a key, and of the key's type
      state.surroundings.has(key) ? checked<A, unknown>(state.surroundings.get(key)) : key.otherwise,
      state,
    ]),
  )
