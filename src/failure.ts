/**
 * Failures are values.
 *
 * Every function that can refuse its input returns `Either<Failure<Code>, A>`. A failure carries a stable
 * `code`, which programs match on, and a `message`, which people read: it names the thing, what was expected
 * and what was found. Nothing in the library throws, but for `unreachable`, which marks a branch that the
 * types exclude: reaching it is a bug in this library.
 */
import * as E from 'fp-ts/lib/Either.js'

export interface Failure<Code extends string = string> {
  readonly code: Code
  readonly message: string
  /** of a text that is refused: its line, counted from 1 */
  readonly line?: number
  /** of what is refused for its cost: the option that allows it. Each interface writes options in its own
   * syntax. */
  readonly allowedBy?: AllowedBy
}
export interface AllowedBy {
  readonly option: string
  /** what is said with it: `EVENTS` */
  readonly value: string
}

/** The one constructor of a failure. */
export const failure = <Code extends string>(code: Code, message: string): Failure<Code> => ({
  code,
  message,
})

/** The same refusal, with the option that allows what it refuses. */
export const allowedBy = <Code extends string>(
  f: Failure<Code>,
  option: string,
  value: string,
): Failure<Code> => ({ ...f, allowedBy: { option, value } })

/** The same refusal in other words. */
export const retold = <Code extends string>(f: Failure<Code>, message: string): Failure<Code> => ({
  ...f,
  message,
})

/** A computation that refuses. */
export const refuse = <Code extends string>(code: Code, message: string): E.Either<Failure<Code>, never> =>
  E.left(failure(code, message))

/** Marks a branch that cannot be taken; `what` says why. */
export const unreachable = (what: never | string): never => {
  throw new Error(`unreachable: ${String(what)}`)
}
