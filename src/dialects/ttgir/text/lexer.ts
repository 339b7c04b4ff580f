/**
 * Tokens: the words of a text of MLIR, each with where it stands.
 *
 *     %y_50, 32768 : !ttg.memdesc<3x128x64xf16, #shared, mutable> loc(#loc30)
 *     value ',' number ':' type '<' number word ',' alias ',' word '>' word '(' alias ')'
 *
 * | kind    | is                                                                                     |
 * |---------|----------------------------------------------------------------------------------------|
 * | word    | a keyword, an operation's name, an unprefixed type: `module`, `tt.func`, `f16`         |
 * | number  | `42`, `1.0e+00`, `0xFF800000`; a sign is a token of its own                            |
 * | string  | between quotation marks, escapes resolved                                              |
 * | value   | `%x`, `%0`                                                                             |
 * | alias   | `#blocked`, `#ttg.blocked`; behind a value `#2` is one of its results                  |
 * | type    | `!tt.ptr`                                                                              |
 * | symbol  | `@kernel`, `@"kernel(1,)"`                                                                              |
 * | block   | `^bb0`                                                                                 |
 * | mark    | `->`, `::`, `{-#`, `#-}` and single characters                                         |
 *
 * The extents of a shape are written without spaces, so `128x64xf16` is the number 128 and the word `x64xf16`; who reads shapes takes it apart.
 *
 * Laws
 * 1. Tokens stand in the order of the text, and between them stand blanks and comments alone.
 * 2. Every text ends with one `end`, at the position behind its last character.
 *
 * Source: MLIR language reference, identifiers and keywords.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../../failure.js'
import { refuseAt, type Position, type TtgirError } from './position.js'

export type TokenKind =
  'word' | 'number' | 'string' | 'value' | 'alias' | 'type' | 'symbol' | 'block' | 'mark' | 'end'

export interface Token extends Position {
  readonly kind: TokenKind
  /** as it stands there; of a string, what it says */
  readonly text: string
  /** index of the first character behind it */
  readonly end: number
}

const prefixes: Readonly<Record<string, TokenKind>> = {
  '%': 'value',
  '#': 'alias',
  '!': 'type',
  '@': 'symbol',
  '^': 'block',
}

// in the order in which they are tried; sticky, so that each is asked at one place of the text
const blank = /(?:[ \t\r]+|\/\/[^\n]*)+/y
const word = /[A-Za-z_][\w$.]*/y
const number = /0x[0-9A-Fa-f]+|\d+(?:\.\d*(?:[eE][-+]?\d+)?)?/y
const prefixed = /[%#!@^][\w$.-]+/y
const quotedSymbol = /@"(?:[^"\\\n]|\\.)*"/y
const mark = /->|::|\{-#|#-\}|[(){}[\]<>,:=*?+/|-]/y
const quoted = /"(?:[^"\\\n]|\\.)*"/y

const utf8 = new TextEncoder()
const text8 = new TextDecoder()

/** Two hexadecimal digits are a byte of UTF-8; `\n`, `\t`, `\"` and `\\` are what they are everywhere. */
const unescaped = (text: string): string =>
  text.includes('\\')
    ? text8.decode(
        Uint8Array.from(
          (text.match(/\\[0-9A-Fa-f]{2}|\\.|[^\\]+/gs) ?? []).flatMap((part) =>
            part.charAt(0) !== '\\'
              ? [...utf8.encode(part)]
              : part.length === 3
                ? [Number.parseInt(part.slice(1), 16)]
                : [...utf8.encode(part === '\\n' ? '\n' : part === '\\t' ? '\t' : part.slice(1))],
          ),
        ),
      )
    : text

/** The reverse: a string as MLIR writes it, in quotation marks. */
export const quote = (text: string): string =>
  `"${Array.from(utf8.encode(text), (byte) =>
    byte === 0x22 || byte < 0x20 || byte > 0x7e
      ? `\\${byte.toString(16).toUpperCase().padStart(2, '0')}`
      : byte === 0x5c
        ? '\\\\'
        : String.fromCharCode(byte),
  ).join('')}"`

/** All tokens of a text, or the place of the first character that begins none. */
export const tokensOf = (text: string): E.Either<Failure<TtgirError>, ReadonlyArray<Token>> => {
  const tokens: Token[] = []
  let at = 0
  let line = 1
  let lineStart = 0
  const matchAt = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    return pattern.exec(text)?.[0]
  }
  const put = (kind: TokenKind, length: number, said: string): void => {
    tokens.push({ kind, text: said, line, column: at - lineStart + 1, end: at + length })
    at += length
  }
  while (at < text.length) {
    const c = text.charAt(at)
    if (c === '\n') {
      at += 1
      line += 1
      lineStart = at
      continue
    }
    const skipped = matchAt(blank)
    if (skipped !== undefined) {
      at += skipped.length
      continue
    }
    const kind = prefixes[c]
    const found = kind === undefined ? undefined : matchAt(prefixed)
    if (kind !== undefined && found !== undefined) {
      put(kind, found.length, found)
      continue
    }
    const symbol = kind === 'symbol' ? matchAt(quotedSymbol) : undefined
    if (symbol !== undefined) {
      put('symbol', symbol.length, `@${unescaped(symbol.slice(2, -1))}`)
      continue
    }
    const name = matchAt(word)
    if (name !== undefined) {
      put('word', name.length, name)
      continue
    }
    const digits = matchAt(number)
    if (digits !== undefined) {
      put('number', digits.length, digits)
      continue
    }
    const punctuation = matchAt(mark)
    if (punctuation !== undefined) {
      put('mark', punctuation.length, punctuation)
      continue
    }
    const string = matchAt(quoted)
    if (string !== undefined) {
      put('string', string.length, unescaped(string.slice(1, -1)))
      continue
    }
    return refuseAt(
      'ttgir.syntax',
      { line, column: at - lineStart + 1 },
      c === '"' ? "a string that ends in '\"' on its line" : 'a token',
      JSON.stringify(text.slice(at, at + 12).split('\n')[0]),
    )
  }
  tokens.push({ kind: 'end', text: '', line, column: at - lineStart + 1, end: at })
  return E.right(tokens)
}
