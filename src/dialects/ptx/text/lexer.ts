/**
 * Tokens: the words of a text of PTX, each with where it stands.
 *
 *     @%p1 ld.shared::cta.u32 %r1, [%rd4+0x10];   // first
 *     '@' word word dotted dotted word ',' '[' word '+' number ']' ';' comment
 *
 * | kind    | is                                                                              |
 * |---------|---------------------------------------------------------------------------------|
 * | word    | a name or the first part of an opcode: `add`, `%r1`, `$L__BB0_1`, `_`           |
 * | dotted  | a directive or a modifier: `.entry`, `.shared::cta`, `.16x256b`                 |
 * | number  | `42`, `0x1F`, `017`, `0b101`, `8U`, `1.5e-3`, `0f3F800000`, `0d...`             |
 * | string  | between quotation marks, which are a part of it                                 |
 * | mark    | a single character                                                              |
 *
 * Tokens are kept as columns of numbers: a module has some ten thousand, and a parser asks few of them for their text. Comments are no tokens:
 * each is kept with the number of the token behind it.
 *
 * Laws
 * 1. Tokens stand in the order of the text, and between them stand blanks and comments alone.
 * 2. Every text ends with one `end`.
 *
 * Source: PTX ISA 9.0, syntax.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../../failure.js'
import { refuseAt, type Position, type PtxError } from './position.js'

/** The kind of a token; of a mark the code of its character, which is above all of these. */
export const kinds = { end: 0, word: 1, dotted: 2, number: 3, string: 4 } as const

export interface Tokens {
  readonly text: string
  readonly kinds: ReadonlyArray<number>
  readonly starts: ReadonlyArray<number>
  readonly ends: ReadonlyArray<number>
  readonly lines: ReadonlyArray<number>
  /** where each line begins; the first is line 1 */
  readonly lineStarts: ReadonlyArray<number>
  readonly comments: ReadonlyArray<{
    readonly before: number
    readonly start: number
    readonly end: number
    readonly line: number
  }>
}

export const positionOf = (tokens: Tokens, k: number): Position => {
  const line = tokens.lines[k]!
  return { line, column: tokens.starts[k]! - tokens.lineStarts[line - 1]! + 1 }
}

// classes of characters
const blank = 1
const letter = 2
const digit = 4
const starter = 8

const classes = Uint8Array.from({ length: 128 }, (_, c) => {
  const s = String.fromCharCode(c)
  return /[ \t\r\f\v]/.test(s)
    ? blank
    : /[A-Za-z]/.test(s)
      ? letter | starter
      : /[0-9]/.test(s)
        ? digit
        : /[_$]/.test(s)
          ? letter | starter
          : s === '%'
            ? starter
            : 0
})
const classOf = (c: number): number => (c < 128 ? classes[c]! : 0)

const marks = new Set(Array.from('@!{}()[]<>,;:|+-*/%&^~=?', (s) => s.charCodeAt(0)))
const literal =
  /0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16}|0[xX][0-9a-fA-F]+U?|0[bB][01]+U?|\d+(?:\.\d*)?[eE][-+]?\d+|\d+\.\d*|\d+U?/y
const fraction = /\.\d+(?:[eE][-+]?\d+)?/y
const quoted = /"(?:[^"\\\n]|\\.)*"/y

/** All tokens of a text, or the place of the first character that begins none. */
export const tokensOf = (text: string): E.Either<Failure<PtxError>, Tokens> => {
  const tokenKinds: number[] = []
  const starts: number[] = []
  const ends: number[] = []
  const lines: number[] = []
  const lineStarts: number[] = [0]
  const comments: { before: number; start: number; end: number; line: number }[] = []
  const length = text.length
  let at = 0
  let line = 1
  const put = (kind: number, end: number): void => {
    tokenKinds.push(kind)
    starts.push(at)
    ends.push(end)
    lines.push(line)
    at = end
  }
  const wordEnd = (from: number): number => {
    let end = from
    while (end < length && (classOf(text.charCodeAt(end)) & (letter | digit)) !== 0) end += 1
    return end
  }
  /** Does what is here belong to a word before it? */
  const follows = (from: number): boolean =>
    from > 0 && (classOf(text.charCodeAt(from - 1)) & (letter | digit)) !== 0
  /** Where a number without digits before its point ends, as `.5` has it; `.2d` is none. */
  const fractionAt = (from: number): number => {
    fraction.lastIndex = from
    const end = from + (fraction.exec(text)?.[0].length ?? 0)
    return end > from && wordEnd(end) === end ? end : from
  }
  const here = (): Position => ({ line, column: at - lineStarts[line - 1]! + 1 })
  while (at < length) {
    const c = text.charCodeAt(at)
    const kind = classOf(c)
    if (kind === blank) at += 1
    else if (c === 10) {
      at += 1
      line += 1
      lineStarts.push(at)
    } else if (
      (kind & starter) !== 0 &&
      (c !== 37 || (classOf(text.charCodeAt(at + 1)) & (letter | digit)) !== 0)
    )
      put(kinds.word, wordEnd(at + 1))
    else if (c === 46 && !follows(at) && fractionAt(at) > at) put(kinds.number, fractionAt(at))
    else if (c === 46) {
      let end = wordEnd(at + 1)
      if (end === at + 1) return refuseAt('ptx.syntax', here(), "a name after '.'", shownText(text, end))
      // `::` goes on with the next part
      while (text.startsWith('::', end) && wordEnd(end + 2) > end + 2) end = wordEnd(end + 2)
      put(kinds.dotted, end)
    } else if (kind === digit) {
      literal.lastIndex = at
      const found = literal.exec(text)?.[0] ?? ''
      const end = at + found.length
      if (wordEnd(end) > end)
        return refuseAt(
          'ptx.number',
          here(),
          'a number',
          `'${text.slice(at, Math.min(wordEnd(end), at + 40))}'`,
        )
      put(kinds.number, end)
    } else if (c === 47 && text.charCodeAt(at + 1) === 47) {
      const newline = text.indexOf('\n', at)
      const end = newline < 0 ? length : newline
      comments.push({ before: tokenKinds.length, start: at, end, line })
      at = end
    } else if (c === 47 && text.charCodeAt(at + 1) === 42) {
      const close = text.indexOf('*/', at + 2)
      if (close < 0) return refuseAt('ptx.syntax', here(), "a comment that ends in '*/'", 'the end')
      comments.push({ before: tokenKinds.length, start: at, end: close + 2, line })
      for (let k = text.indexOf('\n', at); k >= 0 && k < close; k = text.indexOf('\n', k + 1)) {
        line += 1
        lineStarts.push(k + 1)
      }
      at = close + 2
    } else if (c === 34) {
      quoted.lastIndex = at
      const found = quoted.exec(text)?.[0]
      if (found === undefined)
        return refuseAt('ptx.syntax', here(), "a string that ends in '\"' on its line", shownText(text, at))
      put(kinds.string, at + found.length)
    } else if (marks.has(c)) put(c, at + 1)
    else return refuseAt('ptx.syntax', here(), 'a token', shownText(text, at))
  }
  put(kinds.end, at)
  return E.right({ text, kinds: tokenKinds, starts, ends, lines, lineStarts, comments })
}

/** What stands at a place, as a message says it. */
const shownText = (text: string, at: number): string =>
  at >= text.length ? 'the end' : JSON.stringify(text.slice(at, at + 12).split('\n')[0])
