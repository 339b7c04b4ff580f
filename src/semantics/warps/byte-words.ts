/**
 * Words of registers as bytes with origins: for each byte of each lane, which value it is of, and which byte of that value.
 *
 *     value  0 is plain: no data has made it        value -1 is data of which nothing can be said
 *     value  n + 1 is value n of the log            values below are computed ones (`log/computed.ts`)
 *
 * Four bytes a word and one array for all: a run that follows origins takes as many of these as it has registers and lanes, so they are numbers in one block.
 *
 * Law 1. `setWord` and then `wordOf` give the same word.
 */
import type { ByteOrigins } from '../machine/warp-stand.js'
import type { Place, Row } from './program.js'
import { wordAt, type Rows } from './rows.js'

/** Of no data; of data that cannot be said; else 1 + the number of the value. */
export const plain = 0
export const data = -1

export const at = (row: Row, lane: number): number => row * 128 + lane * 4

/** Four bytes and where each is from. */
export interface Word {
  readonly values: ReadonlyArray<number>
  readonly bytes: ReadonlyArray<number>
}
const none = [0, 0, 0, 0] as const
export const plainWord: Word = { values: none, bytes: none }
export const dataWord: Word = { values: [data, data, data, data], bytes: none }

export const wordOf = (o: ByteOrigins, row: Row, lane: number): Word => {
  const i = at(row, lane)
  const { values: v, bytes: b } = o
  return {
    values: [v[i]!, v[i + 1]!, v[i + 2]!, v[i + 3]!],
    bytes: [b[i]!, b[i + 1]!, b[i + 2]!, b[i + 3]!],
  }
}

export const setWord = (o: ByteOrigins, row: Row, lane: number, w: Word): void => {
  const i = at(row, lane)
  for (let b = 0; b < 4; b++) {
    o.values[i + b] = w.values[b]!
    o.bytes[i + b] = w.bytes[b]!
  }
}

export const isPlain = (w: Word): boolean => w.values.every((v) => v === plain)

/** Byte i of the word is byte `from[i]` of these words side by side; below 0: a zero. */
export const picked = (words: ReadonlyArray<Word>, from: ReadonlyArray<number>): Word => {
  const pick = (f: (w: Word, b: number) => number): ReadonlyArray<number> => {
    const one = (i: number): number => {
      const b = from[i] ?? -1
      return b < 0 ? 0 : f(words[b >> 2]!, b & 3)
    }
    return [one(0), one(1), one(2), one(3)]
  }
  return { values: pick((w, b) => w.values[b]!), bytes: pick((w, b) => w.bytes[b]!) }
}

export const placeWord = (o: ByteOrigins, place: Place, lane: number): Word =>
  place >= 0 ? wordOf(o, place, lane) : (o.predicates[-1 - place]! & (1 << lane)) === 0 ? plainWord : dataWord

export const numberOf = (r: Rows, place: Place, lane: number): number =>
  place >= 0 ? wordAt(r, place, lane) : (r.predicates[-1 - place]! >>> lane) & 1

export const setPlace = (o: ByteOrigins, place: Place, lane: number, w: Word): void => {
  if (place >= 0) setWord(o, place, lane, w)
  else {
    const p = -1 - place
    o.predicates[p] = isPlain(w) ? o.predicates[p]! & ~(1 << lane) : o.predicates[p]! | (1 << lane)
  }
}

/** The first bytes of a word, and zeros. */
export const lowerOf = ({ values, bytes }: Word, count: number): Word => ({
  values: values.map((v, b) => (b < count ? v : plain)),
  bytes: bytes.map((v, b) => (b < count ? v : 0)),
})
