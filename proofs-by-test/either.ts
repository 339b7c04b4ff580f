/** What a proof takes for granted: a value, or the proof ends with all that is said against it. */
import * as E from 'fp-ts/lib/Either.js'
import { inspect } from 'node:util'

export const right = <A>(either: E.Either<unknown, A>): A => {
  if (E.isLeft(either)) throw new Error(inspect(either.left))
  return either.right
}

/** The code of a refusal; null where there is none. */
export const code = (either: E.Either<{ readonly code: string }, unknown>): string | null =>
  E.isLeft(either) ? either.left.code : null

export const left = <E1>(either: E.Either<E1, unknown>): E1 => {
  if (E.isRight(either)) throw new Error(`expected a Left, found ${JSON.stringify(either.right)}`)
  return either.left
}
