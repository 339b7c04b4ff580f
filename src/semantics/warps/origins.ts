/**
 * Origins: of which value which byte each byte of a register is.
 *
 * A run that asks what a kernel computes for all inputs follows data through the registers. A read of memory numbers its value (`log/events.ts`, `Access.value`);
 * from there bytes are moved, picked and put side by side, and are still bytes of that value. A conversion of one type to another makes the bytes of a
 * *cast* value, a sum or a product those of a *computed* one (`computed.ts`). What is computed by other means is data of which nothing can be said, and what comes
 * from no data at all is *plain*: addresses, counters, constants, and what memory holds where such was stored (`machine/plain.ts`).
 *
 *     ld.shared.b32 %r1, [..]            bytes 0 1 2 3 of value 7
 *     prmt.b32 %r2, %r1, 0, 0x4432       bytes 2 3 of value 7, and two plain ones
 *     cvt.rn.f16x2.f32 %r3, %r1, %r4     bytes 0 1 of %r4's value as f16, then those of %r1's
 *     add.f32 %r5, %r1, %r4              bytes of a computed value: the sum of the two
 *     ex2.approx.f32 %r6, %r5            data
 *
 * A kernel whose control or whose addresses depend on data moves other bytes for other inputs: from the first such decision on a warp's bytes are data alone.
 *
 * Laws
 * 1. `follow` before an operation and the operation itself agree on what moves: bytes that keep an origin keep their bits, a cast's are those of the cast.
 * 2. an operation that reads no data writes none.
 *
 * Source: PTX ISA, prmt, mov (packing and unpacking), cvt.
 */
import { unreachable } from '../../failure.js'
import { doingOf } from '../../numerics/scalar/index.js'
import { firstComputed, type Computed, type Stretches } from '../log/computed.js'
import { constant, type Origin, type StoredFrom } from '../log/events.js'
import { casts, mostBytes } from '../log/casts.js'
import type { ByteOrigins } from '../machine/warp-stand.js'
import type { Operation, Place, Row, Silent } from './program.js'
import { arithmeticOf, computedOf, matrixType, oneOf, type Arithmetic } from './computed.js'
import { sourceLane } from './lanes.js'
import type { LinkedProduct } from './products.js'
import { lowest, wordAt, type Rows } from './rows.js'
import { isComputing, usesOf } from './uses.js'
import * as Terms from './word-terms.js'
import { own } from '../../own.js'

// ---------------------------------------------------------------- model

/** Of no data; of data that cannot be said; else 1 + the number of the value. */
const plain = 0
const data = -1

export const origins = (rows: number, predicates: number): ByteOrigins => ({
  _tag: 'bytes',
  values: new Int32Array(rows * 128),
  bytes: new Int32Array(rows * 128),
  predicates: new Int32Array(predicates),
  decided: new Int32Array(1),
  computed: { count: 0, unsaid: [] },
})

const at = (row: Row, lane: number): number => row * 128 + lane * 4

// ---------------------------------------------------------------- words

/** Four bytes and where each is from. */
interface Word {
  readonly values: ReadonlyArray<number>
  readonly bytes: ReadonlyArray<number>
}
const none = [0, 0, 0, 0] as const
const plainWord: Word = { values: none, bytes: none }
const dataWord: Word = { values: [data, data, data, data], bytes: none }

const wordOf = (o: ByteOrigins, row: Row, lane: number): Word => {
  const i = at(row, lane)
  const { values: v, bytes: b } = o
  return {
    values: [v[i]!, v[i + 1]!, v[i + 2]!, v[i + 3]!],
    bytes: [b[i]!, b[i + 1]!, b[i + 2]!, b[i + 3]!],
  }
}

const setWord = (o: ByteOrigins, row: Row, lane: number, w: Word): void => {
  const i = at(row, lane)
  for (let b = 0; b < 4; b++) {
    o.values[i + b] = w.values[b]!
    o.bytes[i + b] = w.bytes[b]!
  }
}

const isPlain = (w: Word): boolean => w.values.every((v) => v === plain)

/** Byte i of the word is byte `from[i]` of these words side by side; -1: a zero. */
const picked = (words: ReadonlyArray<Word>, from: ReadonlyArray<number>): Word => {
  const pick = (f: (w: Word, b: number) => number): ReadonlyArray<number> => {
    const one = (i: number): number => {
      const b = from[i] ?? -1
      return b < 0 ? 0 : f(words[b >> 2]!, b & 3)
    }
    return [one(0), one(1), one(2), one(3)]
  }
  return { values: pick((w, b) => w.values[b]!), bytes: pick((w, b) => w.bytes[b]!) }
}

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

// ---------------------------------------------------------------- operations of numerics/scalar

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

/** Where the bytes of a number of `wide` bytes are from that is moved by so many bits, to the left if positive; null: not by whole bytes. */
const movedBits = (bits: number, wide: 4 | 8): ReadonlyArray<number> | null => {
  const by = bits / 8
  if (!Number.isInteger(by) || Math.abs(by) >= wide) return null
  return Array.from({ length: wide }, (_, b) => (b - by >= 0 && b - by < wide ? b - by : -1))
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
const movedBy = (
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

// ---------------------------------------------------------------- following

const placeWord = (o: ByteOrigins, place: Place, lane: number): Word =>
  place >= 0 ? wordOf(o, place, lane) : (o.predicates[-1 - place]! & (1 << lane)) === 0 ? plainWord : dataWord

const numberOf = (r: Rows, place: Place, lane: number): number =>
  place >= 0 ? wordAt(r, place, lane) : (r.predicates[-1 - place]! >>> lane) & 1

const setPlace = (o: ByteOrigins, place: Place, lane: number, w: Word): void => {
  if (place >= 0) setWord(o, place, lane, w)
  else {
    const p = -1 - place
    o.predicates[p] = isPlain(w) ? o.predicates[p]! & ~(1 << lane) : o.predicates[p]! | (1 << lane)
  }
}

type Of<K extends Operation['_tag']> = Extract<Operation, { readonly _tag: K }>

// ---------------------------------------------------------------- sums and products

/** A value is computed; its number among those of values. */
const compute = ({ computed }: ByteOrigins, value: Computed): number => {
  computed.unsaid.push(value)
  return firstComputed - computed.count++
}

/** Are these bytes of a word all of a value, or zeros that no data has made? */
const isSayable = (r: Rows, o: ByteOrigins, row: Row, lane: number, from: number, bytes: number): boolean => {
  const word = wordAt(r, row, lane)
  if ((r.unknown[row]! & (1 << lane)) !== 0) return false
  for (let b = from; b < from + bytes; b++) {
    const held = o.values[at(row, lane) + b]!
    if (held === data || (held === plain && ((word >>> (8 * b)) & 0xff) !== 0)) return false
  }
  return true
}

/** A word that no data has made. */
const isNumber = (r: Rows, o: ByteOrigins, row: Row, lane: number): boolean =>
  (r.unknown[row]! & (1 << lane)) === 0 && isPlain(wordOf(o, row, lane))

const rowsOfOperand = (i: Of<'scalar'>, { rows }: Arithmetic, k: number): ReadonlyArray<Place> =>
  i.from.slice(k * rows, (k + 1) * rows)

/** Which of the first two operands is multiplied by a one that no data has made; null: none is. */
const multipliedByOne = (
  r: Rows,
  o: ByteOrigins,
  i: Of<'scalar'>,
  how: Arithmetic,
  lane: number,
): 0 | 1 | null => {
  const isOne = (k: number): boolean =>
    rowsOfOperand(i, how, k).every((row) => {
      const word = wordAt(r, row, lane) & (how.bytes === 4 ? -1 : 0xffff)
      return isNumber(r, o, row, lane) && word === (oneOf(how) | 0)
    })
  return how.how === 'add' ? null : isOne(1) ? 0 : isOne(0) ? 1 : null
}

/** The lanes compute alike, each with elements of its own. */
const arithmetic = (r: Rows, o: ByteOrigins, i: Of<'scalar'>, how: Arithmetic, mask: number): void => {
  const lanes: number[] = []
  /** lanes of which one operand is multiplied by one, and then a third is added, if there is one */
  const byOne: [number[], number[]] = [[], []]
  const operands = Array.from({ length: i.from.length / how.rows }, (_, k) => rowsOfOperand(i, how, k))
  for (let m = mask; m !== 0; m &= m - 1) {
    const lane = lowest(m)
    if (i.from.every((p) => isPlain(placeWord(o, p, lane)))) {
      for (const to of i.to) if (to !== null) setPlace(o, to, lane, plainWord)
      continue
    }
    const kept = multipliedByOne(r, o, i, how, lane)
    const isSaid = (rows: ReadonlyArray<Place>): boolean =>
      rows.every((p) => isSayable(r, o, p, lane, 0, how.bytes) || isNumber(r, o, p, lane))
    if (kept !== null && operands.every((rows, k) => k === 1 - kept || isSaid(rows))) byOne[kept].push(lane)
    else if (operands.every(isSaid)) lanes.push(lane)
    else for (const to of i.to) if (to !== null) setPlace(o, to, lane, dataWord)
  }
  computeBy(r, o, i, how, how.how, lanes, [0, 1, 2])
  for (const kept of [0, 1] as const) {
    if (how.how === 'multiplyAdd') computeBy(r, o, i, how, 'add', byOne[kept], [kept, 2])
    else
      for (const lane of byOne[kept]) {
        const words = i.to.map((_, w) => wordOf(o, i.from[kept * how.rows + w]!, lane))
        i.to.forEach((to, w) => {
          if (to !== null) setPlace(o, to, lane, lowerOf(words[w]!, how.bytes))
        })
      }
  }
}

/** The first bytes of a word, and zeros. */
const lowerOf = ({ values, bytes }: Word, count: number): Word => ({
  values: values.map((v, b) => (b < count ? v : plain)),
  bytes: bytes.map((v, b) => (b < count ? v : 0)),
})

/** These lanes compute by these operands. */
const computeBy = (
  r: Rows,
  o: ByteOrigins,
  i: Of<'scalar'>,
  how: Arithmetic,
  by: Arithmetic['how'],
  lanes: ReadonlyArray<number>,
  operands: ReadonlyArray<number>,
): void => {
  if (lanes.length === 0) return
  const operand = (k: number): Stretches => {
    const made = stretches()
    for (const lane of lanes)
      for (let w = 0; w < how.rows; w++) extendOperand(r, o, made, i.from[k * how.rows + w]!, lane, how.bytes)
    return made.list
  }
  const value = compute(
    o,
    computedOf(
      { how: by, dtype: how.dtype, bytes: how.bytes, rows: how.rows },
      operands.filter((k) => k * how.rows < i.from.length).map(operand),
    ),
  )
  lanes.forEach((lane, n) => {
    i.to.forEach((to, w) => {
      if (to === null) return
      const first = (n * how.rows + w) * how.bytes
      const within = (b: number): boolean => b < how.bytes
      setPlace(o, to, lane, {
        values: [0, 1, 2, 3].map((b) => (within(b) ? value : plain)),
        bytes: [0, 1, 2, 3].map((b) => (within(b) ? first + b : 0)),
      })
    })
  })
}

/** A product of matrices; null: it is not followed, or reads what cannot be said. */
const matrices = (r: Rows, o: ByteOrigins, i: Of<'multiply'>, linked: LinkedProduct): Computed | null => {
  const { shape, products, saturate, a, b, c, d } = i.product
  const [aType, bType, cType, dtype] = [a, b, c, d].map(matrixType)
  if (
    products !== 1 ||
    saturate ||
    i.sparsity !== null ||
    aType == null ||
    bType == null ||
    cType == null ||
    dtype == null
  )
    return null
  const operand = (which: 'a' | 'b' | 'c'): Stretches | null => {
    const { fragment, places } = linked[which]
    const bytes = fragment.bits / 8
    const made = stretches()
    for (let e = 0; e < fragment.rows * fragment.columns; e++) {
      const row = i[which][places.registers[e]!]!
      const [lane, from] = [places.lanes[e]!, places.shifts[e]! / 8]
      if (!isSayable(r, o, row, lane, from, bytes)) return null
      extend(r, o, made, row, lane, from, bytes)
    }
    return made.list
  }
  const [x, y, z] = [operand('a'), operand('b'), operand('c')]
  return x === null || y === null || z === null
    ? null
    : { _tag: 'matrices', m: shape.m, n: shape.n, k: shape.k, aType, bType, cType, dtype, a: x, b: y, c: z }
}

const multiply = (r: Rows, o: ByteOrigins, i: Of<'multiply'>, linked: LinkedProduct, mask: number): void => {
  const areAllPlain = usesOf(i).reads.every((row) => everyLane.every((lane) => isPlain(wordOf(o, row, lane))))
  const made = areAllPlain ? null : matrices(r, o, i, linked)
  if (made === null) {
    tainted(o, i, mask)
    return
  }
  const value = compute(o, made)
  const { fragment, places } = linked.d
  const bytes = fragment.bits / 8
  for (let e = 0; e < fragment.rows * fragment.columns; e++) {
    const start = at(i.d[places.registers[e]!]!, places.lanes[e]!) + places.shifts[e]! / 8
    for (let b = 0; b < bytes; b++) {
      o.values[start + b] = value
      o.bytes[start + b] = e * bytes + b
    }
  }
}
const everyLane = Array.from({ length: 32 }, (_, lane) => lane)

const scalar = (r: Rows, o: ByteOrigins, i: Of<'scalar'>, lane: number): void => {
  const words = i.from.map((p) => placeWord(o, p, lane))
  const made = words.every(isPlain)
    ? null
    : (movedBy(
        i.name,
        words,
        i.from.map((p) => numberOf(r, p, lane)),
      ) ?? [])
  i.to.forEach((to, k) => {
    if (to !== null) setPlace(o, to, lane, made === null ? plainWord : (made[k] ?? dataWord))
  })
}

const shuffle = (r: Rows, o: ByteOrigins, i: Of<'shuffle'>, mask: number): void => {
  const words: Word[] = []
  for (let m = mask; m !== 0; m &= m - 1) {
    const lane = lowest(m)
    const controls = [i.lane, i.clamp].every((row) => isPlain(wordOf(o, row, lane)))
    const from = sourceLane(i.mode, lane, wordAt(r, i.lane, lane), wordAt(r, i.clamp, lane))
    words[lane] = controls ? wordOf(o, i.value, from.lane) : dataWord
  }
  for (let m = mask; m !== 0; m &= m - 1) {
    const lane = lowest(m)
    if (i.to !== null) setWord(o, i.to, lane, words[lane]!)
    if (i.inRange !== null) setPlace(o, -1 - i.inRange, lane, plainWord)
  }
}

/** Everything that is written is data if anything that is read in these lanes is. */
const tainted = (o: ByteOrigins, i: Operation, mask: number): void => {
  const { reads, writes } = usesOf(i)
  let isData = false
  for (let m = mask; m !== 0 && !isData; m &= m - 1)
    isData = reads.some((p) => !isPlain(placeWord(o, p, lowest(m))))
  for (let m = mask; m !== 0; m &= m - 1)
    for (const p of writes) setPlace(o, p, lowest(m), isData ? dataWord : plainWord)
}

/** A silent operation that is about to be done; `product` is what it means, if it is one of matrices. */
export const follow = (r: Rows, i: Silent, mask: number, product: LinkedProduct | null): void => {
  const o = r.origins
  if (o === null) return
  if (o._tag === 'terms') {
    Terms.follow(r, o, i, mask)
    return
  }
  switch (i._tag) {
    case 'move':
      for (let m = mask; m !== 0; m &= m - 1) {
        const lane = lowest(m)
        const words = i.from.map((row) => wordOf(o, row, lane))
        i.to.forEach((row, k) => {
          setWord(o, row, lane, words[k]!)
        })
      }
      return
    case 'part':
      for (let m = mask; m !== 0; m &= m - 1) {
        const first = i.at / 8
        const word = wordOf(o, i.from, lowest(m))
        setWord(o, i.to, lowest(m), picked([word], i.bits === 8 ? [first] : [first, first + 1]))
      }
      return
    case 'pack':
      for (let m = mask; m !== 0; m &= m - 1) {
        const words = i.from.map((row) => wordOf(o, row, lowest(m)))
        setWord(
          o,
          i.to,
          lowest(m),
          picked(
            words,
            i.from.flatMap((_, k) => (i.bits === 8 ? [4 * k] : [4 * k, 4 * k + 1])),
          ),
        )
      }
      return
    case 'scalar': {
      const how = arithmeticOf(i.name)
      if (how !== null) arithmetic(r, o, i, how, mask)
      else for (let m = mask; m !== 0; m &= m - 1) scalar(r, o, i, lowest(m))
      return
    }
    case 'multiply':
      if (product === null) tainted(o, i, mask)
      else multiply(r, o, i, product, mask)
      return
    case 'shuffle':
      shuffle(r, o, i, mask)
      return
    case 'transposeMatrix': {
      const words = Array.from({ length: 32 }, (_, lane) => wordOf(o, i.from, lane))
      for (let lane = 0; lane < 32; lane++) {
        const row = Math.floor(lane / 4)
        const halves = [0, 1].map((half) => words[4 * (2 * (lane % 4) + half) + Math.floor(row / 2)]!)
        const first = 2 * (row % 2)
        setWord(o, i.to, lane, picked(halves, [first, first + 1, 4 + first, 5 + first]))
      }
      return
    }
    case 'predicate':
    case 'setPredicate':
    case 'activeLanes':
    case 'mbarrierPending':
    case 'wholeWarp':
    case 'vote':
    case 'match':
    case 'reduce':
    case 'elect':
    case 'meetLanes':
      tainted(o, i, mask)
      return
    default:
      unreachable(i)
  }
}

/** An operation that a warp does by itself, if it is one. */
export const followAlone = (r: Rows, i: Operation, mask: number, product: LinkedProduct | null): void => {
  if (isComputing(i)) follow(r, i, mask, product)
}

// ---------------------------------------------------------------- arms that only compute

/** What a word is made of: its term, or its bytes. */
export type Made = number | Word
interface Choice {
  readonly word: number
  readonly isUnknown: boolean
  readonly made: Made
}

/** The lanes of `mask` in which data have decided whether a predicate holds; none, where data have decided all that the warp does. */
export const ofDataIn = ({ origins: o }: Rows, predicate: number, mask: number): number =>
  o === null
    ? 0
    : o._tag === 'terms'
      ? Terms.ofDataIn(o, predicate, mask)
      : o.decided[0] === 0
        ? o.predicates[predicate]! & mask
        : 0

export const madeAt = (r: Rows, place: Place, lane: number): Made =>
  r.origins === null
    ? 0
    : r.origins._tag === 'terms'
      ? Terms.termIn(r, r.origins, place, lane)
      : placeWord(r.origins, place, lane)

export const makeAs = ({ origins: o }: Rows, place: Place, lane: number, made: Made): void => {
  if (o === null) return
  if (o._tag === 'terms') {
    if (typeof made === 'number') Terms.setTerm(o, place, lane, made)
  } else if (typeof made !== 'number') setPlace(o, place, lane, made)
}

export const areOne = (a: Made, b: Made): boolean =>
  typeof a === 'number' || typeof b === 'number'
    ? a === b
    : a.values.every((value, i) => value === b.values[i] && a.bytes[i] === b.bytes[i])

/** Of one of two words, by a condition: the first, if it holds. */
export const chosen = ({ origins: o }: Rows, condition: Made, yes: Choice, no: Choice): Made => {
  if (o === null) return 0
  if (o._tag === 'bytes') return areOne(yes.made, no.made) && !isPlainMade(yes.made) ? yes.made : dataWord
  return Terms.chosen(o, made(condition), [yes, no].map(termed), [yes, no].map(isNothing))
}
const made = (m: Made): number => (typeof m === 'number' ? m : 0)
const termed = ({ word, made: m }: Choice): readonly [term: number, word: number] => [made(m), word]
const isNothing = ({ isUnknown }: Choice): boolean => isUnknown
const isPlainMade = (m: Made): boolean => typeof m === 'number' || isPlain(m)

// ---------------------------------------------------------------- what data decides

/** The site where data first decided what this warp does, or null. */
export const decidedAt = (o: ByteOrigins): number | null => (o.decided[0] === 0 ? null : o.decided[0]! - 1)

/** These places decide what the lanes of `mask` do next. */
export const decide = (r: Rows, places: ReadonlyArray<Place>, mask: number, site: number): void => {
  const o = r.origins
  if (o === null) return
  if (o._tag === 'terms') {
    Terms.decide(r, o, places, mask, site)
    return
  }
  if (o.decided[0] !== 0) return
  for (let m = mask; m !== 0; m &= m - 1)
    for (const p of places)
      if (!isPlain(placeWord(o, p, lowest(m)))) {
        o.decided[0] = site + 1
        return
      }
}

/** Does what leads to an access decide no more than the words that it moves? */
const movesWords = (i: Operation): boolean =>
  (i._tag === 'load' && i.until === undefined) || i._tag === 'store' || i._tag === 'copyAsync'

/** Places that lead to what an access moves, those together that say one thing: where a copy goes is not what it copies. */
const leadingPlaces = (i: Operation): ReadonlyArray<ReadonlyArray<Place>> =>
  i._tag === 'copyAsync'
    ? [i.into.rows, usesOf(i).decides.filter((place) => !i.into.rows.includes(place))]
    : [usesOf(i).decides]

/** What has led lanes to a copy, for each of their words, as `StoredFrom` has it. */
export const waysTo = (r: Rows, lanes: ReadonlyArray<number>, words: number): Float64Array | null =>
  r.origins?._tag === 'terms' ? Terms.waysOf(r.origins, lanes, words) : null

/** An access begins. */
export const begin = (r: Rows, i: Operation, mask: number): void => {
  if (r.origins?._tag === 'terms' && !usesOf(i).computes) Terms.begin(r.origins, mask)
}

/** Its predicate decides whether the lanes of `mask` do an instruction. */
export const guarded = (r: Rows, i: Operation, guard: Place, mask: number, site: number): void => {
  if (r.origins?._tag === 'terms' && movesWords(i)) Terms.lead(r, r.origins, [guard], mask, site)
  else decide(r, [guard], mask, site)
}

/** What decides where an effect goes and what it does has come to be known. */
export const directed = (r: Rows, i: Operation, mask: number, site: number): void => {
  if (r.origins?._tag === 'terms' && movesWords(i))
    for (const places of leadingPlaces(i)) Terms.lead(r, r.origins, places, mask, null)
  else decide(r, usesOf(i).decides, mask, site)
}

/** The predicate of the instruction leaves these lanes out. */
export const leftOut = (r: Rows, i: Operation, mask: number): void => {
  if (r.origins?._tag === 'terms' && movesWords(i)) Terms.cameByWay(r, r.origins, usesOf(i).writes, mask)
}

// ---------------------------------------------------------------- to and from memory

/**
 * The value of a read comes into the registers: element i of `bytes` each goes to lane `lanes[i / to.length]`, row `to[i % to.length]`. A value without a
 * number is data; bytes that no data has decided are 1 in `plains`.
 */
export const received = (
  r: Rows,
  lanes: ReadonlyArray<number>,
  to: ReadonlyArray<Row | null>,
  bytes: number,
  signed: boolean,
  origin: Origin | null,
  plains: Uint8Array | null,
): void => {
  const o = r.origins
  if (o === null) return
  if (o._tag === 'terms') {
    Terms.received(r, o, lanes, to, bytes, signed)
    return
  }
  const value = origin?._tag === 'value' ? origin.id + 1 : data
  lanes.forEach((lane, i) => {
    to.forEach((row, k) => {
      if (row === null) return
      const first = (i * to.length + k) * bytes
      const isPlainAt = (b: number): boolean => plains !== null && plains[first + b] === 1
      const sign = signed && bytes < 4 && !isPlainAt(bytes - 1) ? data : plain
      for (let b = 0; b < 4; b++) {
        const within = b < bytes && first + bytes <= mostBytes && !isPlainAt(b)
        o.values[at(row, lane) + b] = within ? value : b >= bytes ? sign : isPlainAt(b) ? plain : data
        o.bytes[at(row, lane) + b] = within ? first + b : 0
      }
    })
  })
}

/** Fields of a read come into words, four to a word: data of which nothing can be said. */
export const receivedFields = (r: Rows, lanes: ReadonlyArray<number>, to: ReadonlyArray<Row>): void => {
  const o = r.origins
  if (o === null) return
  if (o._tag === 'terms') {
    Terms.receivedFields(r, o, lanes, to)
    return
  }
  for (const row of to) for (const lane of lanes) setWord(o, row, lane, dataWord)
}

/** The value of a read comes into whole rows, row by row. */
export const receivedRows = (r: Rows, to: ReadonlyArray<Row>, origin: Origin): void => {
  const o = r.origins
  if (o === null) return
  if (o._tag === 'terms') {
    Terms.receivedRows(r, o, to)
    return
  }
  const value = origin._tag === 'value' ? origin.id + 1 : data
  to.forEach((row, i) => {
    for (let b = 0; b < 128; b++) {
      o.values[row * 128 + b] = value
      o.bytes[row * 128 + b] = 128 * i + b
    }
  })
}

/** These rows hold words that no data has decided, or data of which nothing can be said. */
export const filled = (r: Rows, to: ReadonlyArray<Row | null>, mask: number, isData: boolean): void => {
  const o = r.origins
  if (o === null) return
  if (o._tag === 'terms') {
    Terms.filled(o, to, mask, isData)
    return
  }
  for (const row of to)
    if (row !== null)
      for (let m = mask; m !== 0; m &= m - 1) setWord(o, row, lowest(m), isData ? dataWord : plainWord)
}

/** The word of a lane is `bytes` of what nothing writes. */
export const isConstant = (
  r: Rows,
  row: Row,
  lane: number,
  plane: number,
  at: number,
  bytes: number,
  signed: boolean,
): void => {
  if (r.origins?._tag === 'terms') Terms.isConstant(r, r.origins, row, lane, plane, at, bytes, signed)
}

/** A predicate says in these lanes what no data has decided. */
export const settled = (r: Rows, predicate: number, mask: number): void => {
  const o = r.origins
  if (o?._tag === 'terms') Terms.settled(o, predicate, mask)
  else if (o !== null) o.predicates[predicate] = o.predicates[predicate]! & ~mask
}

/** Where the bytes of words are from that lanes write, lane by lane, `bytes` of each. */
export const originOf = (
  r: Rows,
  from: ReadonlyArray<Row>,
  lanes: ReadonlyArray<number>,
  bytes: number,
  otherwise: Origin,
): StoredFrom => {
  const o = r.origins
  if (o === null) return otherwise
  if (o._tag === 'terms') return Terms.originOf(r, o, from, lanes, bytes)
  const decided = decidedAt(o)
  if (decided !== null) return { _tag: 'other', decided }
  const made = stretches()
  for (const lane of lanes) for (const row of from) extend(r, o, made, row, lane, 0, bytes)
  return said(o, made)
}

/** The bytes that are written, and what has been computed before. */
const said = ({ computed }: ByteOrigins, { list }: Stretching): Origin => {
  if (computed.unsaid.length === 0) return { _tag: 'bytes', stretches: list }
  const made = computed.unsaid
  computed.unsaid = []
  return { _tag: 'bytes', stretches: list, computed: made }
}

/** Has no data decided what these rows hold in these lanes? */
export const arePlain = (r: Rows, from: ReadonlyArray<Row>, lanes: ReadonlyArray<number>): boolean => {
  const o = r.origins
  return o?._tag !== 'bytes' || from.every((row) => lanes.every((lane) => isPlain(wordOf(o, row, lane))))
}

/** Of whole rows, row by row: all words, or those that are known. */
export const originOfRows = (
  r: Rows,
  from: ReadonlyArray<Row>,
  which: 'all' | 'known',
  otherwise: Origin,
): StoredFrom => {
  const o = r.origins
  if (o === null) return otherwise
  if (o._tag === 'terms') return Terms.originOfRows(r, o, from)
  const decided = decidedAt(o)
  if (decided !== null) return { _tag: 'other', decided }
  const made = stretches()
  for (const row of from)
    for (let m = which === 'all' ? -1 : ~r.unknown[row]!; m !== 0; m &= m - 1)
      extend(r, o, made, row, lowest(m), 0, 4)
  return said(o, made)
}

interface Stretching {
  readonly list: number[]
  /** where the last one begins */
  last: number
}
const stretches = (): Stretching => ({ list: [], last: -1 })

/** These bytes of a word come next. */
const extend = (
  r: Rows,
  o: ByteOrigins,
  s: Stretching,
  row: Row,
  lane: number,
  from: number,
  bytes: number,
): void => {
  const { list } = s
  const word = wordAt(r, row, lane)
  const isUnknown = (r.unknown[row]! & (1 << lane)) !== 0
  for (let b = from; b < from + bytes; b++) {
    const held = isUnknown ? data : o.values[at(row, lane) + b]!
    // a zero that no data has made is the zero of all inputs
    const value = held === plain && ((word >>> (8 * b)) & 0xff) !== 0 ? constant : held
    const isOfValue = value > 0 || value <= firstComputed
    const place = isOfValue ? o.bytes[at(row, lane) + b]! : 0
    const { last } = s
    if (last >= 0 && list[last] === value && (!isOfValue || list[last + 1]! + list[last + 2]! === place)) {
      list[last + 2] = list[last + 2]! + 1
      continue
    }
    s.last = list.length
    list.push(value, place, 1)
  }
}

/** An operand comes next: these bytes of a word, or the number that it is. */
const extendOperand = (
  r: Rows,
  o: ByteOrigins,
  s: Stretching,
  row: Row,
  lane: number,
  bytes: 2 | 4,
): void => {
  const held = wordAt(r, row, lane)
  const word = bytes === 4 ? held : (held & 0xffff) | (held << 16)
  if (word === 0 || !isNumber(r, o, row, lane)) {
    extend(r, o, s, row, lane, 0, bytes)
    return
  }
  const { list, last } = s
  if (last >= 0 && list[last] === constant && list[last + 1] === word) {
    list[last + 2] = list[last + 2]! + bytes
    return
  }
  s.last = list.length
  list.push(constant, word, bytes)
}
