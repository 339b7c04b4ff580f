/** Where something stands in a text of PTX, and refusals that say so. */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../../failure.js'

/** A line and a column, both counted from 1; a column counts UTF-16 units, as editors do. */
export interface Position {
  readonly line: number
  readonly column: number
}

export type PtxError =
  /** the text is no PTX */
  | 'ptx.syntax'
  /** a number that its place cannot hold */
  | 'ptx.number'
  /** a register, a symbol, a label that is not there, or is there twice */
  | 'ptx.name'
  /** an opcode that no row of the table has, or a modifier that its row does not take */
  | 'ptx.opcode'
  /** an operand of another kind, type or range than its row asks for, or too many or too few */
  | 'ptx.operand'

export const showPosition = ({ line, column }: Position): string => `${String(line)}:${String(column)}`

/** What is wrong is said in some hundred letters. */
const clipped = (text: string): string => (text.length <= 400 ? text : `${text.slice(0, 400)}...`)

/** `12:7: expected an operand, found ';'` */
export const failureAt = (
  code: PtxError,
  position: Position,
  expected: string,
  found: string,
): Failure<PtxError> => ({
  code,
  message: `${showPosition(position)}: expected ${clipped(expected)}, found ${clipped(found)}`,
  line: position.line,
})

export const refuseAt = (
  code: PtxError,
  position: Position,
  expected: string,
  found: string,
): E.Either<Failure<PtxError>, never> => E.left(failureAt(code, position, expected, found))
