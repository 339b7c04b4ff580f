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
 * | module              | concept                                     |
 * |---------------------|---------------------------------------------|
 * | `byte-words.ts`     | words as bytes with origins                 |
 * | `byte-moves.ts`     | operations that move or cast bytes          |
 * | `byte-stretches.ts` | bytes in a row, as the log has them         |
 * | `byte-sums.ts`      | sums and products, as computed values       |
 *
 * Laws
 * 1. `follow` before an operation and the operation itself agree on what moves: bytes that keep an origin keep their bits, a cast's are those of the cast.
 * 2. an operation that reads no data writes none.
 *
 * Source: PTX ISA, prmt, mov (packing and unpacking), cvt.
 */
import { unreachable } from '../../failure.js'
import type { Origin, StoredFrom } from '../log/events.js'
import { mostBytes } from '../log/casts.js'
import type { ByteOrigins } from '../machine/warp-stand.js'
import type { Operation, Place, Row, Silent } from './program.js'
import { arithmeticOf } from './computed.js'
import { sourceLane } from './lanes.js'
import type { LinkedProduct } from './products.js'
import { lowest, wordAt, type Rows } from './rows.js'
import { isComputing, usesOf } from './uses.js'
import * as Terms from './word-terms.js'
import { arithmetic, tainted, multiply, type Of } from './byte-sums.js'
import {
  placeWord,
  isPlain,
  numberOf,
  setPlace,
  plainWord,
  dataWord,
  wordOf,
  setWord,
  picked,
  data,
  plain,
  at,
  type Word,
} from './byte-words.js'
import { movedBy } from './byte-moves.js'
import { stretches, extend, said } from './byte-stretches.js'

export const origins = (rows: number, predicates: number): ByteOrigins => ({
  _tag: 'bytes',
  values: new Int32Array(rows * 128),
  bytes: new Int32Array(rows * 128),
  predicates: new Int32Array(predicates),
  decided: new Int32Array(1),
  computed: { count: 0, unsaid: [] },
})

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
