/**
 * Scalar operations that move bytes, or change their type: what they leave of the origins of their operands.
 *
 *     prmt.b32 with a known selector        bytes picked
 *     shl.b32 by a known multiple of 8      bytes moved, zeros behind them
 *     and.b32 with 0x0000ffff               two bytes kept, two zeros
 *     cvt.rn.f16.f32                        bytes of the cast value (`log/casts.ts`)
 *
 * Packed code is full of these, and each of them would otherwise end what can be said of a kernel. What the operation computes is asked of its name
 * (`numerics/scalar`), and null says that it is none of these.
 *
 * Law 1. Bytes that are given an origin have the bits that the operation leaves there.
 *
 * Source: PTX ISA, prmt, shl, shr, and, or, xor, cvt, selp.
 */
import { doingOf } from '../../numerics/scalar/index.js'
import { casts, mostBytes } from '../log/casts.js'
import { own } from '../../own.js'
import { plain, data, picked, isPlain, type Word } from './byte-words.js'

/** The first of the bytes of one element that stand at `from` and on, if they are one that is whole and as it was read. */
const elementAt = (w: Word, from: number, width: number): { value: number; byte: number } | null => {
  const value = w.values[from]!
  const byte = w.bytes[from]!
  if (value === plain || value === data || byte >= mostBytes || byte % width !== 0) return null
  for (let b = 1; b < width; b++)
    if (w.values[from + b] !== value || w.bytes[from + b] !== byte + b) return null
  return { value, byte }
}

/** The bytes of an element as it is in another type. */
const cast = (
  w: Word,
  from: number,
  width: number,
  kind: number,
  wide: number,
): ReadonlyArray<number> | null => {
  const element = elementAt(w, from, width)
  if (element === null) return null
  const first = (element.byte / width) * wide
  return first + wide > mostBytes
    ? null
    : Array.from({ length: wide }, (_, b) => kind * mostBytes + first + b)
}

const widthOf: Readonly<Record<string, number>> = { f32: 4, f16: 2, bf16: 2, e4m3: 1, e5m2: 1, tf32: 4 }

/** What rounds to whole numbers, or cuts at zero, is no change of type. */
const changesMore: ReadonlySet<string> = new Set(['rni', 'rzi', 'rmi', 'rpi', 'sat', 'relu'])

/** `cvt.rn.satfinite.f16x2.f32`: types and how many there are; null: not between types of this kind. */
const conversionOf = (
  name: string,
): { readonly kind: number; readonly to: string; readonly from: string; readonly count: 1 | 2 } | null => {
  const does = doingOf(name)
  if (does._tag !== 'converts' || does.modifiers.some((m) => changesMore.has(m))) return null
  const { to, from, count } = does
  const kind = casts.findIndex((c) => c !== null && c.to === to && c.from === from)
  return kind < 0 ? null : { kind, to, from, count }
}

const converted = (name: string, words: ReadonlyArray<Word>): ReadonlyArray<Word> | null => {
  const c = conversionOf(name)
  if (c === null) return null
  const wide = own(widthOf, c.to)!
  const width = own(widthOf, c.from)!
  const elements: ReadonlyArray<readonly [Word, number]> =
    c.count === 1
      ? [[words[0]!, 0]]
      : words.length === 2
        ? // the first operand becomes the upper half
          [
            [words[1]!, 0],
            [words[0]!, 0],
          ]
        : [
            [words[0]!, 0],
            [words[0]!, width],
          ]
  const values: number[] = []
  const bytes: number[] = []
  for (const [w, from] of elements) {
    const made = cast(w, from, width, c.kind, wide)
    if (made === null) return null
    for (const b of made) {
      values.push(w.values[from]!)
      bytes.push(b)
    }
  }
  const words4 = Math.max(1, values.length / 4)
  return Array.from({ length: words4 }, (_, k): Word => ({
    values: [0, 1, 2, 3].map((b) => values[4 * k + b] ?? plain),
    bytes: [0, 1, 2, 3].map((b) => bytes[4 * k + b] ?? 0),
  }))
}

/** Where the four bytes of a permutation are from, by its selector; null: one of them is a sign. */
const permuted = (selector: number): ReadonlyArray<number> | null => {
  const nibbles = [0, 1, 2, 3].map((i) => (selector >>> (4 * i)) & 15)
  return nibbles.some((n) => n > 7) ? null : nibbles
}

/** Where the bytes of a number of `wide` bytes are from that is moved by so many bits, to the left if positive; below 0: a zero; null: not by whole bytes. */
const movedBits = (bits: number, wide: 4 | 8): ReadonlyArray<number> | null => {
  const by = bits / 8
  if (Math.abs(by) < wide && !Number.isInteger(by)) return null
  return Array.from({ length: wide }, (_, b) => (b - by < wide ? b - by : -1))
}

/** The words of a number whose bytes are picked so. */
const pickedWords = (
  words: ReadonlyArray<Word>,
  from: ReadonlyArray<number> | null,
): ReadonlyArray<Word> | null =>
  from === null
    ? null
    : Array.from({ length: from.length / 4 }, (_, w) => picked(words, from.slice(4 * w, 4 * w + 4)))

const unsignedBytes: Readonly<Record<string, number>> = { u8: 1, u16: 2, u32: 4, u64: 8 }

/** An integer as a wider or a narrower unsigned one: its lower bytes, and zeros. */
const widened = (name: string, words: ReadonlyArray<Word>): ReadonlyArray<Word> | null => {
  const does = doingOf(name)
  if (does._tag !== 'converts' || does.modifiers.length > 0) return null
  const [to, from] = [own(unsignedBytes, does.to), own(unsignedBytes, does.from)]
  if (to === undefined || from === undefined) return null
  return pickedWords(
    words,
    Array.from({ length: Math.max(4, to) }, (_, b) => (b < Math.min(to, from) ? b : -1)),
  )
}

/** Byte by byte: one side's byte as it is where the other's leaves it so. */
const joined = (
  a: Word,
  b: Word,
  wordA: number,
  wordB: number,
  keeps: (plainByte: number) => boolean | null,
): Word | null => {
  const values: number[] = []
  const bytes: number[] = []
  for (let i = 0; i < 4; i++) {
    const [va, vb] = [a.values[i]!, b.values[i]!]
    if (va === plain && vb === plain) {
      values.push(plain)
      bytes.push(0)
      continue
    }
    if (va !== plain && vb !== plain) return null
    const kept = keeps(((va === plain ? wordA : wordB) >>> (8 * i)) & 0xff)
    if (kept === null) return null
    values.push(kept ? (va === plain ? vb : va) : plain)
    bytes.push(kept ? (va === plain ? b.bytes[i]! : a.bytes[i]!) : 0)
  }
  return {
    values: values,
    bytes: bytes,
  }
}

/** What a scalar operation leaves, where it moves bytes or casts them; null: it computes. */
export const movedBy = (
  name: string,
  words: ReadonlyArray<Word>,
  numbers: ReadonlyArray<number>,
): ReadonlyArray<Word> | null => {
  const one = (w: Word | null): ReadonlyArray<Word> | null => (w === null ? null : [w])
  switch (name) {
    case 'prmt.b32': {
      const from = isPlain(words[2]!) ? permuted(numbers[2]!) : null
      return from === null ? null : [picked(words, from)]
    }
    case 'shl.b32':
      return isPlain(words[1]!) ? pickedWords(words, movedBits(numbers[1]! >>> 0, 4)) : null
    case 'shr.b32':
    case 'shr.u32':
      return isPlain(words[1]!) ? pickedWords(words, movedBits(-(numbers[1]! >>> 0), 4)) : null
    case 'shl.b64':
      return isPlain(words[2]!) ? pickedWords(words, movedBits(numbers[2]! >>> 0, 8)) : null
    case 'shr.b64':
    case 'shr.u64':
      return isPlain(words[2]!) ? pickedWords(words, movedBits(-(numbers[2]! >>> 0), 8)) : null
    case 'and.b64':
    case 'or.b64':
    case 'xor.b64': {
      const name32 = name.replace('64', '32')
      const half = (w: number): Word | undefined =>
        movedBy(name32, [words[w]!, words[w + 2]!], [numbers[w]!, numbers[w + 2]!])?.[0]
      const [low, high] = [half(0), half(1)]
      return low === undefined || high === undefined ? null : [low, high]
    }
    case 'and.b32':
    case 'and.b16':
      return one(
        joined(words[0]!, words[1]!, numbers[0]!, numbers[1]!, (b) =>
          b === 0xff ? true : b === 0 ? false : null,
        ),
      )
    case 'or.b32':
    case 'or.b16':
    case 'xor.b32':
    case 'xor.b16':
      return one(joined(words[0]!, words[1]!, numbers[0]!, numbers[1]!, (b) => (b === 0 ? true : null)))
    default:
      if (doingOf(name)._tag === 'chooses' && words.length >= 3 && isPlain(words[words.length - 1]!)) {
        const half = (words.length - 1) / 2
        const chosen = numbers[words.length - 1] !== 0 ? 0 : half
        return Array.from({ length: half }, (_, k) => words[chosen + k]!)
      }
      return widened(name, words) ?? converted(name, words)
  }
}
