/** Where something stands in a text, and refusals that say so. */
import * as E from 'fp-ts/lib/Either.js'
import { failure, type Failure } from '../../../failure.js'

/** A line and a column, both counted from 1; a column counts UTF-16 units, as editors do. */
export interface Position {
  readonly line: number
  readonly column: number
}

export type TtgirError =
  /** the text is no TTGIR */
  | 'ttgir.syntax'
  /** an operation that this reader has no row for, or that elaboration does not know */
  | 'ttgir.operation'
  /** a value, an alias or a function that is not there, or is there twice */
  | 'ttgir.name'
  /** a type other than the one that was declared */
  | 'ttgir.type'

export const showPosition = ({ line, column }: Position): string => `${String(line)}:${String(column)}`

/** A type of many parameters is long; what is wrong is said in some hundred letters. */
const clipped = (text: string): string => (text.length <= 400 ? text : `${text.slice(0, 400)}...`)

/** `12:7: expected a type, found '->'` */
export const failureAt = (
  code: TtgirError,
  position: Position,
  expected: string,
  found: string,
): Failure<TtgirError> =>
  failure(code, `${showPosition(position)}: expected ${clipped(expected)}, found ${clipped(found)}`)

export const refuseAt = (
  code: TtgirError,
  position: Position,
  expected: string,
  found: string,
): E.Either<Failure<TtgirError>, never> => E.left(failureAt(code, position, expected, found))
