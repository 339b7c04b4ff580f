/**
 * Origins: of which value which byte each byte of a register is.
 *
 * A run that asks what a kernel computes for all inputs follows data through the registers. A read of memory numbers its value (`log/events.ts`, `Access.value`);
 * from there bytes are moved, picked and put side by side, and are still bytes of that value. A conversion of one type to another makes the bytes of a
 * *cast* value. What is computed by other means is data of which nothing can be said, and what comes from no data at all is *plain*: addresses, counters,
 * constants.
 *
 *     ld.shared.b32 %r1, [..]            bytes 0 1 2 3 of value 7
 *     prmt.b32 %r2, %r1, 0, 0x4432       bytes 2 3 of value 7, and two plain ones
 *     cvt.rn.f16x2.f32 %r3, %r1, %r4     bytes 0 1 of %r4's value as f16, then those of %r1's
 *     add.f32 %r5, %r1, %r1              data
 *
 * A kernel whose control or whose addresses depend on data moves other bytes for other inputs: from the first such decision on a warp's bytes are data alone.
 *
 * Laws
 * 1. `follow` before an operation and the operation itself agree on what moves: bytes that keep an origin keep their bits, a cast's are those of the cast.
 * 2. an operation that reads no data writes none.
 *
 * Source: PTX ISA, prmt, mov (packing and unpacking), cvt.
 */
import type { Origin } from '../log/events.js'
import { casts, mostBytes } from '../log/casts.js'
import type { Origins } from '../machine/warp-stand.js'
import { ofPredicate, type Operation, type Place, type Row } from './program.js'
import { sourceLane } from './lanes.js'
import { lowest, wordAt, type Rows } from './rows.js'
import { usesOf } from './uses.js'

// ---------------------------------------------------------------- model

/** Of no data; of data that cannot be said; else 1 + the number of the value. */
const plain = 0
const data = -1

export const origins = (rows: number, predicates: number): Origins => ({
  values: new Int32Array(rows * 128),
  bytes: new Int32Array(rows * 128),
  predicates: new Int32Array(predicates),
  decided: new Int32Array(1),
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

const wordOf = (o: Origins, row: Row, lane: number): Word => {
  const i = at(row, lane)
  const { values: v, bytes: b } = o
  return {
    values: [v[i]!, v[i + 1]!, v[i + 2]!, v[i + 3]!],
    bytes: [b[i]!, b[i + 1]!, b[i + 2]!, b[i + 3]!],
  }
}

const setWord = (o: Origins, row: Row, lane: number, w: Word): void => {
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
  if (value <= 0 || byte >= mostBytes || byte % width !== 0) return null
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

/** `cvt.rn.satfinite.f16x2.f32`: types and how many there are; null: not between types of this kind. */
const conversionOf = (
  name: string,
): { readonly kind: number; readonly to: string; readonly from: string; readonly count: 1 | 2 } | null => {
  const found = /^cvt\.(?:[a-z]+\.)*?(f32|f16|bf16|e4m3|e5m2|tf32)(x2)?\.(f32|f16|bf16|e4m3|e5m2)(x2)?$/.exec(
    name,
  )
  if (found === null) return null
  // what rounds to whole numbers, or cuts at zero, is no change of type
  if (/\.(?:rni|rzi|rmi|rpi|sat|relu)\./.test(name)) return null
  const kind = casts.findIndex((c) => c !== null && c.to === found[1] && c.from === found[3])
  return kind < 0 ? null : { kind, to: found[1]!, from: found[3]!, count: found[2] === undefined ? 1 : 2 }
}

const converted = (name: string, words: ReadonlyArray<Word>): ReadonlyArray<Word> | null => {
  const c = conversionOf(name)
  if (c === null) return null
  const wide = widthOf[c.to]!
  const width = widthOf[c.from]!
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

const movedLeft = (bits: number): ReadonlyArray<number> | null =>
  bits >= 0 && bits < 32 && bits % 8 === 0
    ? [0, 1, 2, 3].map((b) => (b >= bits / 8 ? b - bits / 8 : -1))
    : null
const movedRight = (bits: number): ReadonlyArray<number> | null =>
  bits >= 0 && bits < 32 && bits % 8 === 0
    ? [0, 1, 2, 3].map((b) => (b + bits / 8 < 4 ? b + bits / 8 : -1))
    : null

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
    case 'shl.b32': {
      const from = isPlain(words[1]!) ? movedLeft(numbers[1]! >>> 0) : null
      return from === null ? null : [picked(words, from)]
    }
    case 'shr.b32':
    case 'shr.u32': {
      const from = isPlain(words[1]!) ? movedRight(numbers[1]! >>> 0) : null
      return from === null ? null : [picked(words, from)]
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
      if (name.startsWith('selp.') && words.length >= 3 && isPlain(words[words.length - 1]!)) {
        const half = (words.length - 1) / 2
        const chosen = numbers[words.length - 1] !== 0 ? 0 : half
        return Array.from({ length: half }, (_, k) => words[chosen + k]!)
      }
      return converted(name, words)
  }
}

// ---------------------------------------------------------------- following

const placeWord = (o: Origins, place: Place, lane: number): Word =>
  place >= 0 ? wordOf(o, place, lane) : (o.predicates[-1 - place]! & (1 << lane)) === 0 ? plainWord : dataWord

const numberOf = (r: Rows, place: Place, lane: number): number =>
  place >= 0 ? wordAt(r, place, lane) : (r.predicates[-1 - place]! >>> lane) & 1

const setPlace = (o: Origins, place: Place, lane: number, w: Word): void => {
  if (place >= 0) setWord(o, place, lane, w)
  else {
    const p = -1 - place
    o.predicates[p] = isPlain(w) ? o.predicates[p]! & ~(1 << lane) : o.predicates[p]! | (1 << lane)
  }
}

type Of<K extends Operation['_tag']> = Extract<Operation, { readonly _tag: K }>

const scalar = (r: Rows, o: Origins, i: Of<'scalar'>, lane: number): void => {
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

const shuffle = (r: Rows, o: Origins, i: Of<'shuffle'>, mask: number): void => {
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
const tainted = (o: Origins, i: Operation, mask: number): void => {
  const { reads, writes } = usesOf(i)
  let isData = false
  for (let m = mask; m !== 0 && !isData; m &= m - 1)
    isData = reads.some((p) => !isPlain(placeWord(o, p, lowest(m))))
  for (let m = mask; m !== 0; m &= m - 1)
    for (const p of writes) setPlace(o, p, lowest(m), isData ? dataWord : plainWord)
}

/** A silent operation that is about to be done. */
export const follow = (r: Rows, i: Operation, mask: number): void => {
  const o = r.origins
  if (o === null) return
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
    case 'scalar':
      for (let m = mask; m !== 0; m &= m - 1) scalar(r, o, i, lowest(m))
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
    default:
      tainted(o, i, mask)
  }
}

/** An operation that a warp does by itself, if it is one. */
export const followAlone = (r: Rows, i: Operation, mask: number): void => {
  if (usesOf(i).computes) follow(r, i, mask)
}

// ---------------------------------------------------------------- what data decides

/** The site where data first decided what this warp does, or null. */
export const decidedAt = (o: Origins): number | null => (o.decided[0] === 0 ? null : o.decided[0]! - 1)

/** What decides where an effect goes and what it does: all that it reads but the words that it moves. */
export const decidingPlaces = (i: Operation): ReadonlyArray<Place> => {
  switch (i._tag) {
    case 'store':
    case 'storeMatrices':
      return i.into.rows
    case 'atomic':
      return i.at.rows
    case 'tcgen05Store':
      return [i.at.row]
    case 'wgmma':
      return [
        ...(i.a._tag === 'registers' ? [] : i.a.descriptor),
        ...i.b.descriptor,
        ofPredicate(i.accumulates.predicate),
      ]
    default: {
      const { reads, computes } = usesOf(i)
      return computes ? [] : reads
    }
  }
}

/** These places decide what the lanes of `mask` do next. */
export const decide = (r: Rows, places: ReadonlyArray<Place>, mask: number, site: number): void => {
  const o = r.origins
  if (o === null || o.decided[0] !== 0) return
  for (let m = mask; m !== 0; m &= m - 1)
    for (const p of places)
      if (!isPlain(placeWord(o, p, lowest(m)))) {
        o.decided[0] = site + 1
        return
      }
}

// ---------------------------------------------------------------- to and from memory

/**
 * The value of a read comes into the registers: element i of `bytes` each goes to lane `lanes[i / to.length]`, row `to[i % to.length]`. A value without a
 * number is data.
 */
export const received = (
  r: Rows,
  lanes: ReadonlyArray<number>,
  to: ReadonlyArray<Row | null>,
  bytes: number,
  signed: boolean,
  origin: Origin | null,
): void => {
  const o = r.origins
  if (o === null) return
  const value = origin?._tag === 'value' ? origin.id + 1 : data
  lanes.forEach((lane, i) => {
    to.forEach((row, k) => {
      if (row === null) return
      const first = (i * to.length + k) * bytes
      const sign = signed && bytes < 4 ? data : plain
      for (let b = 0; b < 4; b++) {
        const within = b < bytes && first + bytes <= mostBytes
        o.values[at(row, lane) + b] = within ? value : b < bytes ? data : sign
        o.bytes[at(row, lane) + b] = within ? first + b : 0
      }
    })
  })
}

/** The value of a read comes into whole rows, row by row. */
export const receivedRows = (r: Rows, to: ReadonlyArray<Row>, origin: Origin): void => {
  const o = r.origins
  if (o === null) return
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
  for (const row of to)
    if (row !== null)
      for (let m = mask; m !== 0; m &= m - 1) setWord(o, row, lowest(m), isData ? dataWord : plainWord)
}

/** A predicate says in these lanes what no data has decided. */
export const settled = (r: Rows, predicate: number, mask: number): void => {
  if (r.origins !== null) r.origins.predicates[predicate] = r.origins.predicates[predicate]! & ~mask
}

/** Where the bytes of words are from that lanes write, lane by lane, `bytes` of each. */
export const originOf = (
  r: Rows,
  from: ReadonlyArray<Row>,
  lanes: ReadonlyArray<number>,
  bytes: number,
  otherwise: Origin,
): Origin => {
  const o = r.origins
  if (o === null) return otherwise
  const decided = decidedAt(o)
  if (decided !== null) return { _tag: 'other', decided }
  const made = stretches()
  for (const lane of lanes) for (const row of from) extend(r, o, made, row, lane, bytes)
  return { _tag: 'bytes', stretches: made.list }
}

/** Of whole rows, row by row: the words that are known. */
export const originOfRows = (r: Rows, from: ReadonlyArray<Row>, otherwise: Origin): Origin => {
  const o = r.origins
  if (o === null) return otherwise
  const decided = decidedAt(o)
  if (decided !== null) return { _tag: 'other', decided }
  const made = stretches()
  for (const row of from)
    for (let m = ~r.unknown[row]!; m !== 0; m &= m - 1) extend(r, o, made, row, lowest(m), 4)
  return { _tag: 'bytes', stretches: made.list }
}

interface Stretches {
  readonly list: number[]
  /** where the last one begins */
  last: number
}
const stretches = (): Stretches => ({ list: [], last: -1 })

/** The lowest bytes of a word come next. */
const extend = (r: Rows, o: Origins, s: Stretches, row: Row, lane: number, bytes: number): void => {
  const { list } = s
  const word = wordAt(r, row, lane)
  for (let b = 0; b < bytes; b++) {
    const held = o.values[at(row, lane) + b]!
    // a zero that no data has made is the zero of all inputs
    const value = held === plain && ((word >>> (8 * b)) & 0xff) !== 0 ? data : held
    const place = value > 0 ? o.bytes[at(row, lane) + b]! : 0
    const { last } = s
    if (last >= 0 && list[last] === value && (value <= 0 || list[last + 1]! + list[last + 2]! === place)) {
      list[last + 2] = list[last + 2]! + 1
      continue
    }
    s.last = list.length
    list.push(value, place, 1)
  }
}
