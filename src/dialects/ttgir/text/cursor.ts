/**
 * A place in a list of tokens, and the first thing that was wrong there.
 *
 * Reading is recursive descent. A reader that meets something else than it expected says so once, on the cursor, and gives back a value that
 * nothing looks at; from then on the cursor stands still at the end, so every loop of every reader ends. Where the reading began it is asked at last.
 *
 * Laws
 * 1. The first failure is the one that stays.
 * 2. After a failure `peek` is the end for ever, and no list goes on.
 */
import type { Failure } from '../../../failure.js'
import type { Token, TokenKind } from './lexer.js'
import { failureAt, type Position, type TtgirError } from './position.js'

export interface Cursor {
  readonly tokens: ReadonlyArray<Token>
  at: number
  depth: number
  failed: Failure<TtgirError> | null
}

export const cursor = (tokens: ReadonlyArray<Token>): Cursor => ({ tokens, at: 0, depth: 0, failed: null })

/** How deep brackets, types and regions may stand in one another. */
export const deepest = 200

export const peek = (c: Cursor): Token => c.tokens[c.at]!
/** The token `n` further on. */
export const ahead = (c: Cursor, n: number): Token => c.tokens[Math.min(c.at + n, c.tokens.length - 1)]!

export const next = (c: Cursor): Token => {
  const token = peek(c)
  if (token.kind !== 'end') c.at += 1
  return token
}

/** A token as a message names it. */
export const shown = ({ kind, text }: Token): string =>
  kind === 'end'
    ? 'the end'
    : kind === 'string'
      ? `the string ${JSON.stringify(text.slice(0, 40))}`
      : `'${text.slice(0, 40)}'`

/** Says what is wrong, if nothing was before. */
export const fail = (
  c: Cursor,
  expected: string,
  at: Position = peek(c),
  found: string = shown(peek(c)),
  code: TtgirError = 'ttgir.syntax',
): void => {
  c.failed ??= failureAt(code, at, expected, found)
  c.at = c.tokens.length - 1
}

export const isMark = (c: Cursor, text: string): boolean => {
  const token = peek(c)
  return token.kind === 'mark' && token.text === text
}
export const isWord = (c: Cursor, text: string): boolean => {
  const token = peek(c)
  return token.kind === 'word' && token.text === text
}
/** Is a mark or a word there, as it is written? */
export const isText = (c: Cursor, text: string): boolean => isMark(c, text) || isWord(c, text)

/** Goes on behind it if it is there. */
export const take = (c: Cursor, text: string): boolean => {
  if (!isText(c, text)) return false
  c.at += 1
  return true
}
export const expectText = (c: Cursor, text: string, what: string = `'${text}'`): void => {
  if (!take(c, text)) fail(c, what)
}

/** The text of a token of this kind. */
export const expectKind = (c: Cursor, kind: TokenKind, what: string): string => {
  const token = peek(c)
  if (token.kind !== kind) {
    fail(c, what)
    return ''
  }
  c.at += 1
  return token.text
}

/** What stands between two brackets, with commas between; the opening one is still to come. */
export const listed = <A>(c: Cursor, open: string, close: string, item: () => A): ReadonlyArray<A> => {
  expectText(c, open)
  if (take(c, close)) return []
  const items = separated(c, item)
  expectText(c, close, `',' or '${close}'`)
  return items
}

/** One or more, with commas between. */
export const separated = <A>(c: Cursor, item: () => A): ReadonlyArray<A> => {
  const items = [item()]
  while (take(c, ',')) items.push(item())
  return items
}

/** Reads what stands in something else; too deep a text is refused and not followed. */
export const within = <A>(c: Cursor, read: () => A, instead: A): A => {
  if (c.depth >= deepest) {
    fail(c, `at most ${String(deepest)} brackets in one another`)
    return instead
  }
  c.depth += 1
  const value = read()
  c.depth -= 1
  return value
}
