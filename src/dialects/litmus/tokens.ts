/**
 * The words of a litmus test, each with its line and column.
 *
 * Comments are skipped: `(* ... *)`, `// ...` and texts in quotes (which describe a test). `/\` and `\/` are words, and so are `==`, `!=`, `<=`, `>=`.
 *
 * Law 1. Every character belongs to a word, a comment or a space, or the first that does not is refused with its place.
 */
import * as E from 'fp-ts/lib/Either.js'
import { refuse, type Failure } from '../../failure.js'

/** A word and its place, both counted from 1. */
export interface Token {
  readonly text: string
  readonly line: number
  readonly column: number
}

/** Why a text is refused: it is not a litmus test (`litmus.syntax`), or it uses a part of the format that is
 * not supported (`litmus.unsupported`). */
export type LitmusTextFailure = Failure<'litmus.syntax' | 'litmus.unsupported'>

const pattern =
  /(\s+)|(\(\*[\s\S]*?\*\)|\/\/[^\n]*|"[^"]*")|(0x[0-9a-fA-F]+|[0-9]+|[A-Za-z_$%][A-Za-z0-9_$]*|\/\\|\\\/|==|!=|<=|>=|[=<>~(){}[\];,|@:.&*+-])/y

/** The words of a text. */
export const tokensOf = (text: string): E.Either<LitmusTextFailure, ReadonlyArray<Token>> => {
  const tokens: Token[] = []
  let [line, start, at] = [1, 0, 0]
  while (at < text.length) {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    const column = at - start + 1
    if (found === null)
      return refuse(
        'litmus.syntax',
        `line ${String(line)}, column ${String(column)}: '${text[at]!}' is not part of a litmus test`,
      )
    const [whole] = found
    if (found[3] !== undefined) tokens.push({ text: whole, line, column })
    for (let k = 0; k < whole.length; k++)
      if (whole[k] === '\n') {
        line++
        start = at + k + 1
      }
    at += whole.length
  }
  return E.right(tokens)
}
