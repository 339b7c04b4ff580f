/**
 * Shadows: which bytes of the registers of a warp are known, in a run without data.
 *
 * Beside its word each lane of a row has a mark: bytes that are not known, and the datum that they are of (`numerics/shadow.ts`). A mark goes where its bytes go;
 * what is computed of them is marked where it depends on them (`numerics/scalar/dependence.ts`). That nothing has written a register is another matter, and
 * `Rows.unknown` has it.
 *
 *     ld.global.f32 %f1, [a]       all four bytes are of a
 *     and.b32 %r1, %f1, 0xff       byte 0 is, the others are known
 *     setp.lt.s32 %p, %r1, 9       the predicate is
 *     @%p bra L                    and the run is stopped: where it goes depends on the data of a
 *
 * Laws
 * 1. `follow` before an operation: after it the known bytes of what it has written are what any data would make of them.
 * 2. where no mark is set, a run is that over bits.
 */
import { unreachable } from '../../failure.js'
import { dependenceOf, type ScalarOperation } from '../../numerics/scalar/index.js'
import {
  bytesOfMark,
  datumOf,
  isKnown,
  joinedMark,
  mark,
  marked,
  markOf as markOfCarrier,
  ofProduct,
  type Mark,
} from '../../numerics/shadow.js'
import type { Row, Rows, Shadow } from '../machine/warp-stand.js'
import { sourceLane } from './lanes.js'
import { ofPredicate, type Guard, type Operation, type Place, type Silent } from './program.js'
import { holding, lowest, wordAt } from './rows.js'
import { usesOf } from './uses.js'

type Of<K extends Operation['_tag']> = Extract<Operation, { readonly _tag: K }>

// ---------------------------------------------------------------- marks

/** Of registers of which everything is known. */
export const shadow = (rows: number, predicates: number): Shadow => ({
  lanes: new Int32Array(rows),
  marks: new Uint16Array(rows * 32),
  predicates: new Int32Array(predicates),
  data: new Uint8Array(predicates * 32),
})

const wordMark = (s: Shadow, row: Row, lane: number): Mark =>
  (s.lanes[row]! & (1 << lane)) === 0 ? 0 : s.marks[row * 32 + lane]!

export const markIn = (s: Shadow, place: Place, lane: number): Mark => {
  if (place >= 0) return wordMark(s, place, lane)
  const p = -1 - place
  return (s.predicates[p]! & (1 << lane)) === 0 ? 0 : mark(1, s.data[p * 32 + lane]!)
}

export const markAs = (s: Shadow, place: Place, lane: number, m: Mark): void => {
  const bit = 1 << lane
  if (place >= 0) {
    s.marks[place * 32 + lane] = m
    s.lanes[place] = m === 0 ? s.lanes[place]! & ~bit : s.lanes[place]! | bit
    return
  }
  const p = -1 - place
  s.data[p * 32 + lane] = datumOf(m)
  s.predicates[p] = m === 0 ? s.predicates[p]! & ~bit : s.predicates[p]! | bit
}

/** Of one word of two, by a condition that has a mark of its own: what is not known of it. */
export const chosenMark = (condition: Mark, holds: boolean, yes: Mark, no: Mark): Mark =>
  condition === 0 ? (holds ? yes : no) : mark(15, Math.max(datumOf(condition), datumOf(yes), datumOf(no)))

const setAll = (s: Shadow, places: ReadonlyArray<Place>, mask: number, m: Mark): void => {
  for (const place of places) for (let l = mask; l !== 0; l &= l - 1) markAs(s, place, lowest(l), m)
}

const clear = (s: Shadow, place: Place, mask: number): void => {
  if (place >= 0) s.lanes[place] = s.lanes[place]! & ~mask
  else s.predicates[-1 - place] = s.predicates[-1 - place]! & ~mask
}

const lanesOf = (s: Shadow, place: Place): number =>
  place >= 0 ? s.lanes[place]! : s.predicates[-1 - place]!

/** In these lanes what the places hold is known. */
export const known = (r: Rows, places: ReadonlyArray<Place | null>, mask: number): void => {
  if (r.shadow !== null) for (const place of places) if (place !== null) clear(r.shadow, place, mask)
}

/** A word of a lane as a carrier; `bytes` of it are meant. */
export const carrierAt = (r: Rows, row: Row, lane: number, word: number, bytes: 1 | 2 | 4 = 4): number => {
  if (r.shadow === null) return word
  const m = wordMark(r.shadow, row, lane)
  return marked(word, mark(bytesOfMark(m) & ((1 << bytes) - 1), datumOf(m)))
}

/** A word came with this mark; of a narrow one that is extended by its sign, `bits` of it. */
export const came = (r: Rows, row: Row, lane: number, m: Mark, bits: 8 | 16 | 32, signed: boolean): void => {
  if (r.shadow === null) return
  const top = bits / 8 - 1
  const sign = signed && bits < 32 && ((m >>> top) & 1) === 1 ? 15 & ~((1 << (top + 1)) - 1) : 0
  markAs(r.shadow, row, lane, m === 0 ? 0 : mark(bytesOfMark(m) | sign, datumOf(m)))
}

/** All lanes of a row came as carriers: those at `from` and on. */
export const cameAll = (r: Rows, row: Row, carriers: Float64Array, from: number): void => {
  if (r.shadow === null) return
  clear(r.shadow, row, -1)
  for (let lane = 0; lane < 32; lane++)
    if (!isKnown(carriers[from + lane]!)) markAs(r.shadow, row, lane, markOfCarrier(carriers[from + lane]!))
}

/** A datum that what these places hold in these lanes depends on; 0: it is all known. */
export const dependsOn = (r: Rows, places: ReadonlyArray<Place>, mask: number): number => {
  const s = r.shadow
  if (s === null) return 0
  let datum = 0
  for (const place of places)
    for (let l = lanesOf(s, place) & mask; l !== 0; l &= l - 1)
      datum = Math.max(datum, datumOf(markIn(s, place, lowest(l))))
  return datum
}

// ---------------------------------------------------------------- what lanes compute

const wordOf = (r: Rows, place: Place, lane: number): number =>
  place >= 0 ? wordAt(r, place, lane) : (r.predicates[-1 - place]! >>> lane) & 1

const scalar = (r: Rows, s: Shadow, o: Of<'scalar'>, operation: ScalarOperation, mask: number): void => {
  const dependence = dependenceOf(operation)
  const count = o.from.length
  const words = new Array<number>(count)
  const bytes = new Array<number>(count)
  let some = 0
  for (const place of o.from) some |= lanesOf(s, place)
  for (const place of o.to) if (place !== null) clear(s, place, mask & ~some)
  for (let l = mask & some; l !== 0; l &= l - 1) {
    const lane = lowest(l)
    let datum = 0
    for (let i = 0; i < count; i++) {
      const m = markIn(s, o.from[i]!, lane)
      words[i] = wordOf(r, o.from[i]!, lane)
      bytes[i] = bytesOfMark(m)
      datum = Math.max(datum, datumOf(m))
    }
    const out = dependence(words, bytes)
    for (let k = 0; k < o.to.length; k++) {
      const place = o.to[k]!
      if (place !== null) markAs(s, place, lane, mark(out[k]!, datum))
    }
  }
}

const move = (s: Shadow, { to, from }: Of<'move'>, mask: number): void => {
  if (from.every((row) => (s.lanes[row]! & mask) === 0)) {
    for (const row of to) clear(s, row, mask)
    return
  }
  for (let l = mask; l !== 0; l &= l - 1) {
    const lane = lowest(l)
    const marks = from.map((row) => wordMark(s, row, lane))
    to.forEach((row, k) => {
      markAs(s, row, lane, marks[k]!)
    })
  }
}

/** Bytes of a register, narrow ones side by side, become those of another. */
const picked = (
  s: Shadow,
  to: Row,
  from: ReadonlyArray<Row>,
  mask: number,
  place: (bytes: number, i: number) => number,
): void => {
  for (let l = mask; l !== 0; l &= l - 1) {
    const lane = lowest(l)
    let made = 0
    for (let i = 0; i < from.length; i++) {
      const m = wordMark(s, from[i]!, lane)
      made = joinedMark(bytesOfMark(made) | place(bytesOfMark(m), i), made, m)
    }
    markAs(s, to, lane, made)
  }
}

/** One that does not hold settles a conjunction, one that holds a disjunction. */
const predicate = (r: Rows, s: Shadow, { op, to, from }: Of<'predicate'>, mask: number): void => {
  const [x, y] = from
  const truth = (g: Guard): number => holding(r, g.predicate, g.negated, mask)
  const open = (g: Guard | undefined): number => (g === undefined ? 0 : s.predicates[g.predicate]! & mask)
  const settledBy = (g: Guard | undefined): number =>
    g === undefined ? 0 : (op === 'and' ? ~truth(g) : op === 'or' ? truth(g) : 0) & ~open(g)
  const unknown = (open(x) & ~settledBy(y)) | (open(y) & ~settledBy(x))
  for (let l = mask; l !== 0; l &= l - 1) {
    const lane = lowest(l)
    const datum = from.reduce((d, g) => Math.max(d, datumOf(markIn(s, ofPredicate(g.predicate), lane))), 0)
    markAs(s, ofPredicate(to), lane, (unknown & (1 << lane)) === 0 ? 0 : mark(1, datum))
  }
}

// ---------------------------------------------------------------- what lanes do together

const shuffle = (r: Rows, s: Shadow, o: Of<'shuffle'>, mask: number): void => {
  const marks: Mark[] = []
  const controls: number[] = []
  for (let l = mask; l !== 0; l &= l - 1) {
    const lane = lowest(l)
    const steers = joinedMark(1, wordMark(s, o.lane, lane), wordMark(s, o.clamp, lane))
    const from = sourceLane(o.mode, lane, wordAt(r, o.lane, lane), wordAt(r, o.clamp, lane))
    controls[lane] = datumOf(steers)
    marks[lane] = controls[lane] === 0 ? wordMark(s, o.value, from.lane) : mark(15, controls[lane])
  }
  for (let l = mask; l !== 0; l &= l - 1) {
    const lane = lowest(l)
    if (o.to !== null) markAs(s, o.to, lane, marks[lane]!)
    if (o.inRange !== null)
      markAs(s, ofPredicate(o.inRange), lane, controls[lane] === 0 ? 0 : mark(1, controls[lane]!))
  }
}

const vote = (r: Rows, s: Shadow, o: Of<'vote'>, mask: number): void => {
  const open = s.predicates[o.by.predicate]! & mask
  const datum = dependsOn(r, [ofPredicate(o.by.predicate)], mask)
  const yes = holding(r, o.by.predicate, o.by.negated, mask) & ~open
  const no = mask & ~open & ~yes
  const settled =
    open === 0 ||
    (o.mode === 'all' ? no !== 0 : o.mode === 'any' ? yes !== 0 : o.mode === 'uni' && yes !== 0 && no !== 0)
  const ballot = [0, 1, 2, 3].reduce((b, k) => b | ((open >>> (8 * k)) & 0xff ? 1 << k : 0), 0)
  if (o.to !== null) setAll(s, [o.to], mask, mark(ballot, datum))
  if (o.toPredicate !== null) setAll(s, [ofPredicate(o.toPredicate)], mask, settled ? 0 : mark(1, datum))
}

/** Everything that is written depends on all that is read, of all these lanes. */
const together = (r: Rows, s: Shadow, o: Operation, mask: number): void => {
  const { reads, writes } = usesOf(o)
  const datum = dependsOn(r, reads, mask)
  setAll(s, writes, mask, datum === 0 ? 0 : mark(15, datum))
}

/** movmatrix moves halves of words (`effects/matrices.ts`). */
const transposed = (s: Shadow, { to, from }: Of<'transposeMatrix'>): void => {
  const marks = Array.from({ length: 32 }, (_, lane) => wordMark(s, from, lane))
  for (let lane = 0; lane < 32; lane++) {
    const row = Math.floor(lane / 4)
    const halves = [0, 1].map((half): Mark => {
      const m = marks[4 * (2 * (lane % 4) + half) + Math.floor(row / 2)]!
      return mark(((bytesOfMark(m) >>> (2 * (row % 2))) & 3) << (2 * half), datumOf(m))
    })
    const [low, high] = [halves[0]!, halves[1]!]
    markAs(s, to, lane, joinedMark(bytesOfMark(low) | bytesOfMark(high), low, high))
  }
}

// ---------------------------------------------------------------- following

/** A silent operation of these lanes that is about to be done; `operation`: of a scalar one, what its name means. */
export const follow = (r: Rows, o: Silent, operation: ScalarOperation | null, mask: number): void => {
  const s = r.shadow
  if (s === null) return
  switch (o._tag) {
    case 'scalar':
      scalar(r, s, o, operation!, mask)
      return
    case 'move':
      move(s, o, mask)
      return
    case 'part':
      picked(s, o.to, [o.from], mask, (bytes) => (bytes >>> (o.at / 8)) & (o.bits === 8 ? 1 : 3))
      return
    case 'pack':
      picked(s, o.to, o.from, mask, (bytes, i) => (o.bits === 8 ? (bytes & 1) << i : (bytes & 3) << (2 * i)))
      return
    case 'predicate':
      predicate(r, s, o, mask)
      return
    case 'shuffle':
      shuffle(r, s, o, mask)
      return
    case 'vote':
      vote(r, s, o, mask)
      return
    case 'match':
    case 'reduce':
      together(r, s, o, mask)
      return
    case 'transposeMatrix':
      transposed(s, o)
      return
    case 'multiply':
      setAll(s, o.d, -1, mark(15, ofProduct))
      return
    case 'setPredicate':
    case 'elect':
    case 'activeLanes':
    case 'mbarrierPending':
      for (const place of usesOf(o).writes) clear(s, place, mask)
      return
    case 'meetLanes':
    case 'wholeWarp':
      return
    default:
      unreachable(o)
  }
}
