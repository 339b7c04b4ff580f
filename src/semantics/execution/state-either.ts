/**
 * StateEither: a computation that reads and replaces a state, or refuses.
 *
 *     StateEither<S, F, A>  =  S -> Either<F, [A, S]>
 *
 * fp-ts has the transformer (`StateT` over `Either`); this module gives the instance a name. It is the notation in which a step of
 * the machine is said. It is not stack-safe over long chains, so runs are loops.
 *
 * Laws: the monad laws, from `StateT` and `Either`.
 */
import * as E from 'fp-ts/lib/Either.js'
import * as StateT from 'fp-ts/lib/StateT.js'

export type StateEither<S, F, A> = (s: S) => E.Either<F, [A, S]>

/** Leaves the state as it is. */
export const of: <S, F, A>(a: A) => StateEither<S, F, A> = StateT.of(E.Pointed)
/** One after the other; a refusal ends it. */
export const chain: <S, F, A, B>(
  f: (a: A) => StateEither<S, F, B>,
) => (m: StateEither<S, F, A>) => StateEither<S, F, B> = StateT.chain(E.Chain)
