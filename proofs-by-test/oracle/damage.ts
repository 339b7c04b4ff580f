/**
 * Damaged files: bytes that are a few changes away from a file that was right.
 *
 * | change   | does                                                                                   |
 * |----------|----------------------------------------------------------------------------------------|
 * | flip     | one bit                                                                                |
 * | set      | a byte: 0, 255, or any                                                                 |
 * | cut      | the end is gone                                                                        |
 * | grow     | bytes behind the end                                                                   |
 * | splice   | bytes from elsewhere in it, in the place of others                                     |
 * | drop     | some bytes are gone                                                                    |
 * | number   | a field of 2, 4 or 8 bytes that lies: 0, 1, all ones, the sign, a length of gigabytes  |
 * | digits   | a number in digits that lies                                                           |
 * | name     | a word that every object of JavaScript's has, or none: for a word, wherever it stands  |
 * | lines    | of a text: two lines exchanged, one twice, one gone                                    |
 * | terminal | behind a word: what a terminal obeys, or what ends a line and begins another one; raw, or as JSON writes it |
 */
import * as fc from 'fast-check'

const kinds = [
  'flip',
  'set',
  'cut',
  'grow',
  'splice',
  'drop',
  'number',
  'digits',
  'name',
  'lines',
  'terminal',
] as const

interface Change {
  readonly kind: (typeof kinds)[number]
  /** where, as a share of the whole; most lies happen in the first bytes, and in the last */
  readonly at: number
  readonly end: 'anywhere' | 'first' | 'last'
  readonly what: number
  readonly length: number
}

const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom(...kinds),
  at: fc.nat(2 ** 20 - 1),
  end: fc.constantFrom('anywhere', 'first', 'last'),
  what: fc.nat(),
  length: fc.nat(64),
})

const lies: ReadonlyArray<bigint> = [
  0n,
  1n,
  2n,
  0xffn,
  0x7fffn,
  0xffffn,
  2n ** 24n,
  2n ** 30n,
  2n ** 31n - 1n,
  2n ** 31n,
  2n ** 32n - 1n,
  2n ** 53n,
  2n ** 63n,
  2n ** 64n - 1n,
]
const digits = [
  '0',
  '1',
  '-1',
  '7',
  '63',
  '64',
  '1e3',
  '65536',
  '16777217',
  '2147483648',
  '4294967295',
  '1e308',
  '9007199254740993',
  '18446744073709551616',
  '0.5',
  '00',
  '1e999',
  '-1e999',
  '"NaN"',
  '"Infinity"',
]
const names = ['constructor', 'toString', '__proto__', 'hasOwnProperty', 'valueOf', '__defineGetter__']

/** The word that no line of an answer may begin with, and no colour. */
export const forged = 'FORGED'
const obeyed = [
  `\x1b[35m${forged}\x1b[0m`,
  `\x1b[32m${forged}\x1b[39m`,
  `\x1b]0;${forged}\x07`,
  `\r\n${forged}: ok`,
  `\n${forged}: ok`,
  `\r${forged}`,
  `\x85${forged}`,
  `\0${forged}`,
]

const joined = (...parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const bytes = new Uint8Array(parts.reduce((n, p) => n + p.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

const placeOf = ({ at, end }: Change, size: number): number => {
  const anywhere = Math.floor((at / 2 ** 20) * size)
  const near = Math.floor((at / 2 ** 20) * Math.min(size, 160))
  return end === 'anywhere' ? anywhere : end === 'first' ? near : Math.max(0, size - 1 - near)
}

const latin1 = {
  of: (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1'),
  to: (text: string) => new Uint8Array(Buffer.from(text, 'latin1')),
}

const changed = (bytes: Uint8Array, c: Change): Uint8Array => {
  const size = bytes.length
  if (size === 0) return Uint8Array.of(c.what % 256)
  const at = placeOf(c, size)
  const copy = bytes.slice()
  switch (c.kind) {
    case 'flip':
      copy[at]! ^= 1 << (c.what % 8)
      return copy
    case 'set':
      copy[at] = [0, 255, c.what % 256][c.what % 3]!
      return copy
    case 'cut':
      return copy.subarray(0, at)
    case 'grow':
      return joined(copy, bytes.subarray(at, at + c.length), Uint8Array.of(c.what % 256))
    case 'splice': {
      const from = c.what % size
      return joined(
        bytes.subarray(0, at),
        bytes.subarray(from, from + c.length),
        bytes.subarray(Math.min(size, at + c.length)),
      )
    }
    case 'drop':
      return joined(bytes.subarray(0, at), bytes.subarray(Math.min(size, at + 1 + (c.length % 16))))
    case 'number': {
      const width = [2, 4, 8][c.length % 3]!
      const lie = lies[c.what % lies.length]!
      for (let k = 0; k < width && at + k < size; k++) copy[at + k] = Number((lie >> BigInt(8 * k)) & 0xffn)
      return copy
    }
    case 'digits': {
      const text = latin1.of(bytes)
      const found = [...text.matchAll(/-?\d+/g)]
      const one = found[c.at % Math.max(1, found.length)]
      return one === undefined
        ? copy
        : latin1.to(
            text.slice(0, one.index) +
              digits[c.what % digits.length]! +
              text.slice(one.index + one[0].length),
          )
    }
    case 'name': {
      const text = latin1.of(bytes)
      const found = [...text.matchAll(/[A-Za-z_][\w]*/g)]
      const one = found[c.at % Math.max(1, found.length)]
      if (one === undefined) return copy
      const name = names[c.what % names.length]!
      // one place of it, or all: then what declares it and what uses it still agree
      return latin1.to(
        c.length % 2 === 0
          ? text.slice(0, one.index) + name + text.slice(one.index + one[0].length)
          : text.replaceAll(new RegExp(`\\b${one[0]}\\b`, 'g'), name),
      )
    }
    case 'terminal': {
      const text = latin1.of(bytes)
      const found = [...text.matchAll(/[A-Za-z_$][\w$.]*/g)]
      const one = found[c.at % Math.max(1, found.length)]
      if (one === undefined) return copy
      const raw = obeyed[c.what % obeyed.length]!
      const put = c.length % 3 === 0 ? raw : JSON.stringify(raw).slice(1, -1)
      // one place of it, or all
      return latin1.to(
        c.length % 2 === 0
          ? text.slice(0, one.index + one[0].length) + put + text.slice(one.index + one[0].length)
          : text.split(one[0]).join(one[0] + put),
      )
    }
    case 'lines': {
      const lines = latin1.of(bytes).split('\n')
      const [i, j] = [c.at % lines.length, c.what % lines.length]
      const [a, b] = [lines[i]!, lines[j]!]
      if (c.length % 3 === 0) lines.splice(i, 1)
      else if (c.length % 3 === 1) lines.splice(i, 0, b)
      else [lines[i], lines[j]] = [b, a]
      return latin1.to(lines.join('\n'))
    }
  }
}

/** One of these files after one to four changes. */
export const damagedBytes = (files: ReadonlyArray<Uint8Array>): fc.Arbitrary<Uint8Array> =>
  fc
    .tuple(
      fc.constantFrom(...files),
      fc.oneof(fc.tuple(change), fc.array(change, { minLength: 1, maxLength: 4 })),
    )
    .map(([file, changes]) => changes.reduce((bytes: Uint8Array, c) => changed(bytes, c), file))
