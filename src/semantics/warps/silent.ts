/**
 * What a warp does by itself: words to words, row by row.
 *
 * No other agent can observe it. Rows that are uniform are computed once (`rows.ts`, law 2); the others lane by lane.
 *
 * Laws
 * 1. `scalar` is its operation of `numerics/scalar` in every lane of the mask, and nothing in the others.
 * 2. what is not chosen may hold nothing: of `selp` the other operand, of `and.pred` whatever stands beside a false one, of `or.pred` beside a true one.
 */
import { doingOf, rest, type Compute, type ScalarOperation } from '../../numerics/scalar/index.js'
import type { Guard, Operation, Place, Row } from './program.js'
import { holding, lowest, setLane, setPredicate, spread, wordAt, type Rows } from './rows.js'

type Of<K extends Operation['_tag']> = Extract<Operation, { readonly _tag: K }>

// ---------------------------------------------------------------- places

const wordOf = (r: Rows, place: Place, lane: number): number =>
  place >= 0 ? wordAt(r, place, lane) : (r.predicates[-1 - place]! >>> lane) & 1

/** Is it one word for all lanes of the mask? */
const isUniform = (r: Rows, place: Place, mask: number): boolean => {
  if (place >= 0) return r.uniform[place] === 1
  const holds = r.predicates[-1 - place]! & mask
  return holds === 0 || holds === mask
}

const unknownAt = (r: Rows, place: Place): number =>
  place >= 0 ? r.unknown[place]! : r.unknownPredicates[-1 - place]!

/** A word for all lanes of `mask`; `full`: they are all that there are. */
const give = (r: Rows, place: Place, mask: number, full: boolean, word: number, unknown: number): void => {
  if (place < 0) {
    setPredicate(r, -1 - place, mask, word !== 0 ? mask : 0, unknown)
    return
  }
  const at = place * 32
  if (full) {
    r.words[at] = word
    r.uniform[place] = 1
    r.unknown[place] = unknown
    return
  }
  if (r.uniform[place] === 0 || r.words[at] !== word) {
    spread(r, place)
    for (let m = mask; m !== 0; m &= m - 1) r.words[at + lowest(m)] = word
  }
  r.unknown[place] = (r.unknown[place]! & ~mask) | (unknown & mask)
}

const giveLane = (r: Rows, place: Place, lane: number, word: number): void => {
  if (place < 0) {
    const p = -1 - place
    const bit = 1 << lane
    r.predicates[p] = word !== 0 ? r.predicates[p]! | bit : r.predicates[p]! & ~bit
  } else setLane(r, place, lane, word)
}

const setUnknown = (r: Rows, place: Place, mask: number, unknown: number): void => {
  if (place >= 0) r.unknown[place] = (r.unknown[place]! & ~mask) | unknown
  else r.unknownPredicates[-1 - place] = (r.unknownPredicates[-1 - place]! & ~mask) | unknown
}

// ---------------------------------------------------------------- scalar operations

const inLane = (r: Rows, f: Compute, from: ReadonlyArray<Place>, lane: number): number => {
  switch (from.length) {
    case 1:
      return f(wordOf(r, from[0]!, lane))
    case 2:
      return f(wordOf(r, from[0]!, lane), wordOf(r, from[1]!, lane))
    case 3:
      return f(wordOf(r, from[0]!, lane), wordOf(r, from[1]!, lane), wordOf(r, from[2]!, lane))
    case 4:
      return f(
        wordOf(r, from[0]!, lane),
        wordOf(r, from[1]!, lane),
        wordOf(r, from[2]!, lane),
        wordOf(r, from[3]!, lane),
      )
    default:
      return f(...from.map((place) => wordOf(r, place, lane)))
  }
}

const isOfRows = (from: ReadonlyArray<Place>): boolean => {
  for (let i = 0; i < from.length; i++) if (from[i]! < 0) return false
  return from.length > 0
}

/** One to three rows to one, lane by lane: each lane is read before it is written, so the row may be one of them. */
const inRow = (r: Rows, f: Compute, from: ReadonlyArray<Row>, to: Row, mask: number): void => {
  spread(r, to)
  const { words, uniform } = r
  const at = to * 32
  // a uniform row has its word in the place of lane 0
  const a = from[0]! * 32
  const aBy = uniform[from[0]!] === 1 ? 0 : 1
  const b = from.length > 1 ? from[1]! * 32 : a
  const bBy = from.length > 1 ? (uniform[from[1]!] === 1 ? 0 : 1) : aBy
  const c = from.length > 2 ? from[2]! * 32 : a
  const cBy = from.length > 2 ? (uniform[from[2]!] === 1 ? 0 : 1) : aBy
  for (let m = mask; m !== 0; m &= m - 1) {
    const lane = lowest(m)
    words[at + lane] =
      from.length === 1
        ? f(words[a + aBy * lane]!)
        : from.length === 2
          ? f(words[a + aBy * lane]!, words[b + bBy * lane]!)
          : f(words[a + aBy * lane]!, words[b + bBy * lane]!, words[c + cBy * lane]!)
  }
}

/** Lanes in which a choice has taken what holds nothing, or does not know what it takes. */
const unknownChoice = (r: Rows, from: ReadonlyArray<Place>, mask: number): number => {
  const by = from[from.length - 1]!
  const half = (from.length - 1) / 2
  let unknown = unknownAt(r, by) & mask
  for (let m = mask & ~unknown; m !== 0; m &= m - 1) {
    const bit = m & -m
    const first = wordOf(r, by, lowest(m)) !== 0 ? 0 : half
    for (let k = 0; k < half; k++) if ((unknownAt(r, from[first + k]!) & bit) !== 0) unknown |= bit
  }
  return unknown
}

/** One operation on words, in the lanes of `mask`. */
export const scalar = (
  r: Rows,
  name: string,
  { compute }: ScalarOperation,
  from: ReadonlyArray<Place>,
  to: ReadonlyArray<Place | null>,
  mask: number,
  full: boolean,
): void => {
  let unknown = 0
  let uniform = true
  for (let i = 0; i < from.length; i++) {
    const place = from[i]!
    unknown |= unknownAt(r, place)
    if (uniform && !isUniform(r, place, mask)) uniform = false
  }
  unknown &= mask
  if (unknown !== 0 && doingOf(name)._tag === 'chooses') unknown = unknownChoice(r, from, mask)
  if (uniform && (unknown === 0 || unknown === mask)) {
    const first = inLane(r, compute, from, lowest(mask))
    const [r0, r1, r2] = to.length > 1 ? [rest[0]!, rest[1]!, rest[2]!] : [0, 0, 0]
    for (let i = 0; i < to.length; i++) {
      const place = to[i]!
      if (place !== null)
        give(
          r,
          place,
          mask,
          full,
          i === 0 ? first : i === 1 ? r0 : i === 2 ? r1 : r2,
          unknown === 0 ? 0 : full ? -1 : unknown,
        )
    }
    return
  }
  const only = to.length === 1 ? to[0]! : null
  if (only !== null && only >= 0 && from.length <= 3 && isOfRows(from)) {
    inRow(r, compute, from, only, mask)
    setUnknown(r, only, mask, unknown)
    return
  }
  for (let m = mask; m !== 0; m &= m - 1) {
    const lane = lowest(m)
    const word = inLane(r, compute, from, lane)
    for (let i = 0; i < to.length; i++) {
      const place = to[i]!
      if (place !== null) giveLane(r, place, lane, i === 0 ? word : rest[i - 1]!)
    }
  }
  for (let i = 0; i < to.length; i++) {
    const place = to[i]!
    if (place !== null) setUnknown(r, place, mask, unknown)
  }
}

// ---------------------------------------------------------------- moves

/** A word for each lane of `mask`, made of one place. */
const mapped = (
  r: Rows,
  from: Row,
  to: Row,
  mask: number,
  full: boolean,
  f: (word: number) => number,
): void => {
  const unknown = r.unknown[from]! & mask
  if (r.uniform[from] === 1 && (unknown === 0 || unknown === mask)) {
    give(r, to, mask, full, f(r.words[from * 32]!), unknown === 0 ? 0 : full ? -1 : unknown)
    return
  }
  for (let m = mask; m !== 0; m &= m - 1) {
    const lane = lowest(m)
    setLane(r, to, lane, f(wordAt(r, from, lane)))
  }
  setUnknown(r, to, mask, unknown)
}

const same = (word: number): number => word

/** All at once: a row may be on both sides. */
export const move = (r: Rows, { to, from }: Of<'move'>, mask: number, full: boolean): void => {
  if (to.length === 1) {
    mapped(r, from[0]!, to[0]!, mask, full, same)
    return
  }
  const overlaps = to.some((row, i) => from.indexOf(row, i + 1) > i)
  if (!overlaps) {
    for (let i = 0; i < to.length; i++) mapped(r, from[i]!, to[i]!, mask, full, same)
    return
  }
  const words = from.map((row) => Array.from({ length: 32 }, (_, lane) => wordAt(r, row, lane)))
  const unknown = from.map((row) => r.unknown[row]! & mask)
  to.forEach((row, i) => {
    for (let m = mask; m !== 0; m &= m - 1) setLane(r, row, lowest(m), words[i]![lowest(m)]!)
    setUnknown(r, row, mask, unknown[i]!)
  })
}

export const part = (r: Rows, { to, from, at, bits }: Of<'part'>, mask: number, full: boolean): void => {
  const ones = bits === 8 ? 0xff : 0xffff
  mapped(r, from, to, mask, full, (word) => (word >>> at) & ones)
}

export const pack = (r: Rows, { to, from, bits }: Of<'pack'>, mask: number, full: boolean): void => {
  const ones = bits === 8 ? 0xff : 0xffff
  const packed = (lane: number): number =>
    from.reduce((word, row, i) => word | ((wordAt(r, row, lane) & ones) << (i * bits)), 0)
  let unknown = 0
  for (const row of from) unknown |= r.unknown[row]!
  unknown &= mask
  if (from.every((row) => r.uniform[row] === 1) && (unknown === 0 || unknown === mask)) {
    give(r, to, mask, full, packed(0), unknown === 0 ? 0 : full ? -1 : unknown)
    return
  }
  const words = Array.from({ length: 32 }, (_, lane) => packed(lane))
  for (let m = mask; m !== 0; m &= m - 1) setLane(r, to, lowest(m), words[lowest(m)]!)
  setUnknown(r, to, mask, unknown)
}

// ---------------------------------------------------------------- predicates

const truth = (r: Rows, g: Guard, mask: number): number => holding(r, g.predicate, g.negated, mask)

export const predicate = (r: Rows, { op, to, from }: Of<'predicate'>, mask: number): void => {
  const a = truth(r, from[0]!, mask)
  const b = from.length > 1 ? truth(r, from[1]!, mask) : 0
  const holds =
    op === 'and' ? a & b : op === 'or' ? a | b : op === 'xor' ? a ^ b : op === 'not' ? ~a & mask : a
  let unknown = 0
  let settled = 0
  for (const g of from) {
    const without = r.unknownPredicates[g.predicate]!
    const yes = truth(r, g, mask)
    unknown |= without
    settled |= ~without & (op === 'and' ? ~yes : op === 'or' ? yes : 0)
  }
  unknown &= ~settled
  setPredicate(r, to, mask, holds, unknown)
}

/** The arrivals that the open phase of a state still expected: in the word, their number is negative (`machine/mbarrier.ts`). */
export const pending = (r: Rows, { to, state }: Of<'mbarrierPending'>, mask: number): void => {
  for (let m = mask; m !== 0; m &= m - 1) {
    const lane = lowest(m)
    setLane(r, to, lane, -(wordAt(r, state[1]!, lane) >>> 11) & 0xfffff)
  }
  setUnknown(r, to, mask, r.unknown[state[1]!]! & mask)
}
