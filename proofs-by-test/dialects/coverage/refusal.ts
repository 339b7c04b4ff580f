/** Refusals: for each code of a surface a use that it forbids, and the whole message. */
import type * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../../src/failure.js'

export interface Refusal<Code extends string> {
  readonly code: Code
  /** word for word, with the path that leads to the statement */
  readonly message: string
  readonly use: () => E.Either<Failure, unknown>
}
