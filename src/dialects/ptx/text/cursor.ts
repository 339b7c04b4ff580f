/**
 * A place in the tokens of a module, and the first thing that was wrong there.
 *
 * Reading is recursive descent. A reader that meets something else than it expected says so once, on the cursor, and gives back a value that
 * nothing looks at; from then on the cursor stands still at the end, so every loop of every reader ends. Where the reading began it is asked at last.
 *
 * Laws
 * 1. The first failure is the one that stays.
 * 2. After a failure the next token is the end for ever, and no list goes on.
 */
import type { Failure } from '../../../failure.js'
import { kinds, positionOf, type Tokens } from './lexer.js'
import type { Comment, SourceLocation } from './module.js'
import { failureAt, type Position, type PtxError } from './position.js'

export interface Cursor {
  readonly tokens: Tokens
  at: number
  depth: number
  /** the next comment that was not read */
  comment: number
  /** what the last `.loc` of this function said */
  location: SourceLocation | null
  failed: Failure<PtxError> | null
}

export const cursor = (tokens: Tokens): Cursor => ({
  tokens,
  at: 0,
  depth: 0,
  comment: 0,
  location: null,
  failed: null,
})

/** How deep brackets and scopes may stand in one another. */
export const deepest = 200

export const kindAt = (c: Cursor): number => c.tokens.kinds[c.at]!
/** The kind of the token `n` further on. */
export const kindAhead = (c: Cursor, n: number): number =>
  c.tokens.kinds[Math.min(c.at + n, c.tokens.kinds.length - 1)]!
export const textAt = (c: Cursor, k: number = c.at): string =>
  c.tokens.text.slice(c.tokens.starts[k], c.tokens.ends[k])
export const here = (c: Cursor): Position => positionOf(c.tokens, c.at)

/** The token that is next, as a message names it. */
export const shown = (c: Cursor): string =>
  kindAt(c) === kinds.end
    ? 'the end'
    : kindAt(c) === kinds.string
      ? textAt(c).slice(0, 40)
      : `'${textAt(c).slice(0, 40)}'`

/** Says what is wrong, if nothing was before. */
export const fail = (
  c: Cursor,
  expected: string,
  at: Position = here(c),
  found: string = shown(c),
  code: PtxError = 'ptx.syntax',
): void => {
  c.failed ??= failureAt(code, at, expected, found)
  c.at = c.tokens.kinds.length - 1
}

// ---------------------------------------------------------------- marks

export const isMark = (c: Cursor, mark: string): boolean => kindAt(c) === mark.charCodeAt(0)

/** Goes on behind it if it is there. */
export const take = (c: Cursor, mark: string): boolean => {
  if (kindAt(c) !== mark.charCodeAt(0)) return false
  c.at += 1
  return true
}
export const expect = (c: Cursor, mark: string, what: string = `'${mark}'`): void => {
  if (!take(c, mark)) fail(c, what)
}

// ---------------------------------------------------------------- words

/** Is this the text of the token? `.reg`, `inlined_at` */
export const isText = (c: Cursor, text: string): boolean => {
  const start = c.tokens.starts[c.at]!
  return c.tokens.ends[c.at]! - start === text.length && c.tokens.text.startsWith(text, start)
}
export const takeText = (c: Cursor, text: string): boolean => {
  if (!isText(c, text)) return false
  c.at += 1
  return true
}

/** The text of a token of this kind. */
const expectKind = (c: Cursor, kind: number, what: string): string => {
  if (kindAt(c) !== kind) {
    fail(c, what)
    return ''
  }
  const text = textAt(c)
  c.at += 1
  return text
}
export const expectWord = (c: Cursor, what: string): string => expectKind(c, kinds.word, what)
export const expectDotted = (c: Cursor, what: string): string => expectKind(c, kinds.dotted, what)
/** What a string says, without its quotation marks; escapes stay as they are. */
export const expectString = (c: Cursor, what: string): string =>
  expectKind(c, kinds.string, what).slice(1, -1)

// ---------------------------------------------------------------- lists

/** One or more, with commas between. */
export const separated = <A>(c: Cursor, item: () => A): ReadonlyArray<A> => {
  const items = [item()]
  while (take(c, ',')) items.push(item())
  return items
}

/** What stands between two brackets, with commas between; the opening one is still to come. */
export const listed = <A>(c: Cursor, open: string, close: string, item: () => A): ReadonlyArray<A> => {
  expect(c, open)
  if (take(c, close)) return []
  const items = separated(c, item)
  expect(c, close, `',' or '${close}'`)
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

// ---------------------------------------------------------------- comments

/** The comments that stand directly before the next token; what stood inside the last statement is left out. */
export const commentsHere = (c: Cursor): ReadonlyArray<Comment> => {
  const all = c.tokens.comments
  while (c.comment < all.length && all[c.comment]!.before < c.at) c.comment += 1
  const found: Comment[] = []
  while (c.comment < all.length && all[c.comment]!.before === c.at) {
    const { start, end, line } = all[c.comment]!
    found.push({
      _tag: 'comment',
      at: { line, column: start - c.tokens.lineStarts[line - 1]! + 1 },
      text: c.tokens.text.slice(start, end).trimEnd(),
    })
    c.comment += 1
  }
  return found
}
