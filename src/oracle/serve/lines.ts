/**
 * Lines of a stream of bytes: what stands between two newlines, however the bytes come in pieces.
 *
 *     {"a":1}\n{"b"   :2}\n                    '{"a":1}', '{"b":2}'
 *
 * A line that is longer than it may be is not kept: its beginning is handed on when it is too long, and what follows up to the newline is passed over.
 *
 * Laws
 *  1. the lines do not depend on how the bytes come in pieces
 *  2. no more bytes are kept than a line may have
 */

export type Line =
  | { readonly _tag: 'line'; readonly bytes: Uint8Array }
  | { readonly _tag: 'long'; readonly beginning: Uint8Array }

export interface Splitter {
  readonly hear: (piece: Uint8Array) => void
  /** there is no more: what stands behind the last newline is a line, too */
  readonly end: () => void
}

const newline = 0x0a
/** Bytes of a long line that are kept: its id stands there, if it stands in front. */
const kept = 256

export const lines = (most: number, tell: (line: Line) => void): Splitter => {
  let pieces: Uint8Array[] = []
  let length = 0
  let passing = false

  const whole = (): Uint8Array => {
    const bytes = new Uint8Array(length)
    let at = 0
    for (const piece of pieces) {
      bytes.set(piece, at)
      at += piece.length
    }
    return bytes
  }
  const add = (piece: Uint8Array): void => {
    if (passing || piece.length === 0) return
    pieces.push(piece.slice(0, most + 1 - length))
    length += piece.length
    if (length <= most) return
    length = pieces.reduce((n, p) => n + p.length, 0)
    tell({ _tag: 'long', beginning: whole().slice(0, kept) })
    passing = true
    pieces = []
    length = 0
  }
  const finish = (): void => {
    if (!passing && length > 0) tell({ _tag: 'line', bytes: whole() })
    passing = false
    pieces = []
    length = 0
  }
  return {
    hear: (piece) => {
      let from = 0
      for (let at = piece.indexOf(newline); at >= 0; at = piece.indexOf(newline, from)) {
        add(piece.subarray(from, at))
        finish()
        from = at + 1
      }
      add(piece.subarray(from))
    },
    end: finish,
  }
}

const quote = 0x22
const backslash = 0x5c

/** Behind a text that begins at `from`. */
const behindText = (bytes: Uint8Array, from: number): number => {
  for (let end = bytes.indexOf(quote, from + 1); end >= 0; end = bytes.indexOf(quote, end + 1)) {
    let escapes = 0
    while (bytes[end - 1 - escapes] === backslash) escapes++
    if (escapes % 2 === 0) return end + 1
  }
  return bytes.length
}

/** Whether JSON has more levels, or more values, than may be read: seen before anything is made of it. A text is one value, however long it is. */
export const excessOf = (
  bytes: Uint8Array,
  most: { readonly levels: number; readonly values: number },
): 'levels' | 'values' | null => {
  let depth = 0
  let values = 1
  for (let i = 0; i < bytes.length;) {
    const c = bytes[i]
    if (c === quote) {
      i = behindText(bytes, i)
      continue
    }
    if (c === 0x5b || c === 0x7b) {
      values++
      if (++depth > most.levels) return 'levels'
    } else if (c === 0x5d || c === 0x7d) depth--
    else if (c === 0x2c) values++
    if (values > most.values) return 'values'
    i++
  }
  return null
}
