/**
 * Fellows: the same warp in other clusters of the grid.
 *
 * CTAs of one grid run one program and differ in their coordinates. Most of them do the same at other addresses of global memory, and who has run one of them
 * knows of the others what they do, if it is shown that they come the same way. So a warp can be run with *fellows*: beside a register that depends on the coordinates
 * stands what it holds in each other cluster, and an operation that reads such a register is computed for each of them, by the very code that computes it for the warp.
 *
 *     mov.u32 %r1, %ctaid.x         3       fellows  4, 5, 6, 7
 *     shl.b32 %r2, %r1, 7           384     512, 640, 768, 896
 *     add.s32 %r3, %r4, 64          the same in all: computed once
 *     setp.lt.s32 %p, %r2, 800      true    true, true, true, false
 *     @%p bra L                     the fellow in cluster 7 goes another way: it is parted, and will be run
 *     TMA box at row %r2            bytes from 384 * 512 on; in cluster 4 the same bytes, 65,536 further on
 *
 * A fellow is *parted* where it would do anything else: another way of a branch, another barrier, other lanes, a box that is clipped in another way, a fault. What is
 * left is that it touches global memory at other places; how far they are moved is kept with the footprint of the warp, and judged when the run is over
 * (`verdict/classes.ts`).
 *
 * Laws
 * 1. A fellow that is alike at the end has the same events as the warp, in the same order, but for places of global memory, and these are moved by `moves`: if it finds what
 *    the warp finds wherever it reads (`findAlike`).
 * 2. What a register holds beside a warp is what it holds when the fellow's cluster is run (the proof runs both).
 * 3. A warp with fellows does what it does without.
 */
import { bytesOfMark } from '../../numerics/shadow.js'
import { effort } from '../machine/effort.js'
import { footprints } from '../machine/footprint.js'
import type { Prepared } from '../machine/operation.js'
import * as V from '../machine/value.js'
import type { FaultValue } from '../machine/value.js'
import * as Fellowships from '../machine/fellowship.js'
import {
  eachApart,
  kindsBy,
  met,
  oneOf,
  partAll,
  partKind,
  type Fellowship,
  type Kinds,
} from '../machine/fellowship.js'
import type { FellowRows, FellowWords, Part, Receive, Shadow } from '../machine/warp-stand.js'
import type { Here } from './memory.js'
import type { Effect, Given, Operation, Place, Row } from './program.js'
import { ofPredicate } from './program.js'
import { wordAt, type Rows } from './rows.js'
import { shiftOf, shifts, type Shifts } from './shifts.js'
import { usesOf } from './uses.js'

// ---------------------------------------------------------------- what they hold

/** A warp begins, and its fellows: what each is given. */
export const beginning = (
  of: Fellowship,
  rows: number,
  predicates: number,
  givens: ReadonlyArray<{ readonly row: Row; readonly given: Given }>,
  word: (cluster: number, g: Given) => number | null,
  own: (g: Given) => number | null,
): FellowRows => {
  const words: (FellowWords | null)[] = Array.from({ length: rows }, () => null)
  for (const { row, given } of givens) {
    if (given._tag !== 'cta' && given._tag !== 'cluster') continue
    const theirs = Int32Array.from(of.clusters, (cluster) => word(cluster, given) ?? 0)
    if (theirs.some((w) => w !== own(given))) words[row] = fewer(of, eachApart(of), theirs)
  }
  return { of, words, predicates: Array.from({ length: predicates }, () => null) }
}

const held = (f: FellowRows, place: Place): FellowWords | null =>
  place >= 0 ? f.words[place]! : f.predicates[-1 - place]!

const hold = (f: FellowRows, place: Place, words: FellowWords | null): void => {
  if (place >= 0) f.words[place] = words
  else f.predicates[-1 - place] = words
}

/** Do some fellows hold in one of these places what the warp does not? */
export const differs = (f: FellowRows, places: ReadonlyArray<Place>): boolean =>
  places.some((place) => held(f, place) !== null)

/** Words of a kind for a row: one, or one for each lane. */
const widthOf = ({ by, words }: FellowWords): number => words.length / by.members.length

/** One word for each kind: kinds that hold the same word are one. */
const fewer = (of: Fellowship, by: Kinds, words: Int32Array): FellowWords => {
  if (new Set(words).size === words.length) return { by, words }
  const together = kindsBy(of, (fellow) => words[by.of[fellow]!]!)
  return { by: together, words: Int32Array.from(together.members, ([fellow]) => words[by.of[fellow!]!]!) }
}

/** Fellows that hold the same in all of these places are of one kind. */
const kindsIn = (f: FellowRows, places: ReadonlyArray<Place>): Kinds =>
  places.reduce((kinds: Kinds | null, place) => {
    const words = held(f, place)
    return words === null ? kinds : kinds === null ? words.by : met(f.of, kinds, words.by)
  }, null) ?? eachApart(f.of)

/** By each kind that is not parted, one of it. */
const forEachKind = (of: Fellowship, kinds: Kinds, act: (fellow: number, kind: number) => void): void => {
  for (let kind = 0; kind < kinds.members.length; kind++) {
    const fellow = oneOf(of, kinds, kind)
    if (fellow !== null) act(fellow, kind)
  }
}

/** What a fellow holds takes the place of what the warp holds. */
const put = (r: Rows, f: FellowRows, fellow: number, places: ReadonlyArray<Place>): void => {
  for (const place of places) {
    const theirs = held(f, place)
    if (theirs === null) continue
    const { by, words } = theirs
    const kind = by.of[fellow]!
    if (place < 0) {
      r.predicates[-1 - place] = words[kind]!
      continue
    }
    const width = widthOf(theirs)
    for (let l = 0; l < width; l++) r.words[32 * place + l] = words[width * kind + l]!
    r.uniform[place] = width === 1 ? 1 : 0
  }
}

/** What some places hold, with all that is known of it, to be put back. */
interface Kept {
  readonly places: ReadonlyArray<Place>
  readonly words: Int32Array
  readonly uniform: Uint8Array
  readonly unknown: Int32Array
  readonly lanes: Int32Array
  readonly marks: Uint16Array
}

const kept = (r: Rows, places: ReadonlyArray<Place>): Kept => {
  const n = places.length
  const k: Kept = {
    places,
    words: new Int32Array(32 * n),
    uniform: new Uint8Array(n),
    unknown: new Int32Array(n),
    lanes: new Int32Array(n),
    marks: new Uint16Array(32 * n),
  }
  places.forEach((place, i) => {
    const p = -1 - place
    if (place >= 0) {
      k.words.set(r.words.subarray(32 * place, 32 * place + 32), 32 * i)
      k.uniform[i] = r.uniform[place]!
      k.unknown[i] = r.unknown[place]!
    } else {
      k.words[32 * i] = r.predicates[p]!
      k.unknown[i] = r.unknownPredicates[p]!
    }
    if (r.shadow !== null) keepMarks(k, i, r.shadow, place)
  })
  return k
}

const keepMarks = (k: Kept, i: number, s: Shadow, place: Place): void => {
  const p = -1 - place
  k.lanes[i] = place >= 0 ? s.lanes[place]! : s.predicates[p]!
  if (k.lanes[i] === 0) return
  const [from, at] = place >= 0 ? [s.marks, 32 * place] : [s.data, 32 * p]
  for (let l = 0; l < 32; l++) k.marks[32 * i + l] = from[at + l]!
}

const putBack = (r: Rows, k: Kept): void => {
  k.places.forEach((place, i) => {
    const p = -1 - place
    if (place >= 0) {
      r.words.set(k.words.subarray(32 * i, 32 * i + 32), 32 * place)
      r.uniform[place] = k.uniform[i]!
      r.unknown[place] = k.unknown[i]!
    } else {
      r.predicates[p] = k.words[32 * i]!
      r.unknownPredicates[p] = k.unknown[i]!
    }
    const s = r.shadow
    if (s === null) return
    if (place >= 0) s.lanes[place] = k.lanes[i]!
    else s.predicates[p] = k.lanes[i]!
    if (k.lanes[i] === 0) return
    const [into, at] = place >= 0 ? [s.marks, 32 * place] : [s.data, 32 * p]
    for (let l = 0; l < 32; l++) into[at + l] = k.marks[32 * i + l]!
  })
}

/** Is of these places the same known as was kept? */
const isKnownAlike = (r: Rows, k: Kept): boolean =>
  k.places.every((place, i) => {
    const p = -1 - place
    if ((place >= 0 ? r.unknown[place]! : r.unknownPredicates[p]!) !== k.unknown[i]) return false
    const s = r.shadow
    if (s === null) return true
    if ((place >= 0 ? s.lanes[place]! : s.predicates[p]!) !== k.lanes[i]) return false
    if (k.lanes[i] === 0) return true
    const [marks, at] = place >= 0 ? [s.marks, 32 * place] : [s.data, 32 * p]
    for (let l = 0; l < 32; l++)
      if ((k.lanes[i]! & (1 << l)) !== 0 && marks[at + l] !== k.marks[32 * i + l]) return false
    return true
  })

/** What kinds of fellows hold in places that an operation writes, while it is computed for each: 32 words, or the lanes of a predicate. */
const results = (kinds: Kinds, places: ReadonlyArray<Place>): ReadonlyArray<Int32Array> =>
  places.map((place) => new Int32Array(kinds.members.length * (place >= 0 ? 32 : 1)))

const enter = (r: Rows, kind: number, places: ReadonlyArray<Place>, into: ReadonlyArray<Int32Array>): void =>
  places.forEach((place, i) => {
    if (place < 0) into[i]![kind] = r.predicates[-1 - place]!
    else if (r.uniform[place] === 1) into[i]!.fill(r.words[32 * place]!, 32 * kind, 32 * kind + 32)
    else into[i]!.set(r.words.subarray(32 * place, 32 * place + 32), 32 * kind)
  })

/** What was computed for the kinds is what they hold; nothing where all hold what the warp holds, and one word where each holds one. */
const settle = (
  r: Rows,
  f: FellowRows,
  kinds: Kinds,
  places: ReadonlyArray<Place>,
  found: ReadonlyArray<Int32Array>,
): void =>
  places.forEach((place, i) => {
    const words = found[i]!
    const width = place >= 0 ? 32 : 1
    const own = (l: number): number => (place >= 0 ? wordAt(r, place, l) : r.predicates[-1 - place]!)
    let same = true
    let uniform = true
    forEachKind(f.of, kinds, (_, kind) => {
      const first = words[width * kind]!
      for (let l = 0; l < width; l++) {
        const word = words[width * kind + l]!
        if (word !== first) uniform = false
        if (word !== own(l)) same = false
      }
    })
    hold(
      f,
      place,
      same
        ? null
        : uniform
          ? fewer(f.of, kinds, width === 1 ? words : words.filter((_, at) => at % width === 0))
          : { by: kinds, words },
    )
  })

/** In the lanes of `mask` the fellows hold what the warp holds now. */
export const overwritten = (r: Rows, f: FellowRows, place: Place, mask: number): void => {
  const theirs = held(f, place)
  if (theirs === null) return
  if (mask === -1) {
    hold(f, place, null)
    return
  }
  const { by, words } = theirs
  if (place < 0) {
    const own = r.predicates[-1 - place]! & mask
    hold(f, place, { by, words: words.map((w) => (w & ~mask) | own) })
    return
  }
  const width = widthOf(theirs)
  const found = new Int32Array(32 * by.members.length)
  for (let at = 0; at < found.length; at++) {
    const lane = at % 32
    found[at] =
      (mask & (1 << lane)) !== 0 ? wordAt(r, place, lane) : words[width === 1 ? Math.floor(at / 32) : at]!
  }
  settle(r, f, by, [place], [found])
}

// ---------------------------------------------------------------- what must be one

/** What these places hold in the lanes of `mask` decides which way the warp takes: fellows that hold something else are parted. */
export const agree = (r: Rows, places: ReadonlyArray<Place>, mask: number): void => {
  const f = r.fellows
  if (f === null) return
  for (const place of places) {
    const theirs = held(f, place)
    if (theirs === null) continue
    const { by, words } = theirs
    const width = widthOf(theirs)
    const isOwn = (kind: number): boolean => {
      if (place < 0) return ((words[kind]! ^ r.predicates[-1 - place]!) & mask) === 0
      for (let l = 0; l < 32; l++)
        if ((mask & (1 << l)) !== 0 && words[width * kind + (width === 1 ? 0 : l)] !== wordAt(r, place, l))
          return false
      return true
    }
    forEachKind(f.of, by, (_, kind) => {
      if (!isOwn(kind)) partKind(f.of, by, kind)
    })
  }
}

/** Operands of an operation whose words say which lanes it has to do with, or which way they go. */
const steering = (o: Operation): ReadonlyArray<Place> => {
  if (o._tag === 'branchIndexed') return [o.index]
  const members = usesOf(o).lanes?.members ?? null
  return members === null ? [] : [members]
}

/** The lanes of `mask` come to an instruction. */
export const arriving = (r: Rows, o: Operation, mask: number): void => agree(r, steering(o), mask)

// ---------------------------------------------------------------- what is computed

/** What the lanes of `mask` compute among themselves by `act`, for the warp and its fellows. `isWhole`: they are all that have not ended. */
export const along = (
  r: Rows,
  f: FellowRows,
  o: Operation,
  mask: number,
  isWhole: boolean,
  act: () => FaultValue | null,
): FaultValue | null => {
  const { reads, writes } = usesOf(o)
  const isMoved = differs(f, reads)
  if (!isMoved && (isWhole || !differs(f, writes))) {
    const wrong = act()
    for (const place of writes) hold(f, place, null)
    return wrong
  }
  if (!isMoved) {
    const wrong = act()
    for (const place of writes) overwritten(r, f, place, mask)
    return wrong
  }
  const places = [...new Set([...reads, ...writes])]
  const before = kept(r, places)
  const wrong = act()
  const after = kept(r, writes)
  if (wrong !== null) return wrong
  const kinds = kindsIn(f, places)
  const found = results(kinds, writes)
  forEachKind(f.of, kinds, (fellow, kind) => {
    putBack(r, before)
    put(r, f, fellow, places)
    if (act() !== null || !isKnownAlike(r, after)) partKind(f.of, kinds, kind)
    enter(r, kind, writes, found)
  })
  putBack(r, before)
  putBack(r, after)
  settle(r, f, kinds, writes, found)
  return null
}

// ---------------------------------------------------------------- effects

export { fellowship } from '../machine/fellowship.js'

type Effects = (h: Here, o: Effect, mask: number, whole: number) => ReadonlyArray<Part> | FaultValue

/** What an instruction of these lanes is to the machine, and whether it is the same for the fellows but for places of global memory. */
export const effects = (
  h: Here,
  f: FellowRows,
  o: Effect,
  mask: number,
  whole: number,
  isWhole: boolean,
  of: Effects,
): ReadonlyArray<Part> | FaultValue => {
  const r = h.rows
  const { reads, writes } = usesOf(o)
  const isMoved = differs(f, reads)
  const places = [...new Set([...reads, ...writes])]
  const before = isMoved ? kept(r, places) : null
  const there = isMoved ? localOf(h) : null
  const done = of(h, o, mask, whole)
  if (V.isFault(done)) return done
  const { header } = h.world
  if (before === null) {
    Fellowships.unmoved(header, f.of, done)
    if (done.length === 0) for (const place of writes) overwritten(r, f, place, isWhole ? -1 : mask)
    return done
  }
  // registers in flight are not followed, nor is memory that a lane has to itself
  if (changesFlight(o) || !isSame(there, localOf(h))) {
    partAll(f.of)
    return done
  }
  const after = kept(r, writes)
  const kinds = kindsIn(f, places)
  const found = results(kinds, writes)
  const apart = elsewhere(h)
  const shifting = shiftsOf(h, f, o, mask, done)
  Fellowships.follow(header, f.of, kinds, done, (fellow) => {
    if (shifting !== null) {
      put(r, f, fellow, shifting.address.rows)
      const further = shiftOf(r, shifting)
      if (further !== null) return further
    }
    putBack(r, before)
    put(r, f, fellow, places)
    const theirs = of(apart, o, mask, whole)
    if (V.isFault(theirs) || !isKnownAlike(r, after)) return null
    enter(r, kinds.of[fellow]!, writes, found)
    return theirs
  })
  putBack(r, before)
  putBack(r, after)
  if (done.length === 0) settle(r, f, kinds, writes, found)
  return done
}

/** Where the lanes are, if by their addresses alone the fellows differ. */
const shiftsOf = (
  h: Here,
  f: FellowRows,
  o: Operation,
  mask: number,
  done: ReadonlyArray<Part>,
): Shifts | null => {
  const own = shifts(h, o, mask, done)
  return own === null ||
    differs(
      f,
      usesOf(o).reads.filter((place) => !own.address.rows.includes(place)),
    )
    ? null
    : own
}

/** The results of an effect have come: the same for the fellows. */
export const took = (r: Rows, f: FellowRows, done: Prepared, how: Receive): void => {
  if (done._tag === 'load' && done.strong === undefined && bringsKnown(r, how))
    f.of.known.add(done.source.footprint.id)
  switch (how._tag) {
    case 'nothing':
      return
    case 'number':
      overwritten(r, f, how.to, how.mask)
      return
    case 'truth':
      if (how.to !== null) overwritten(r, f, ofPredicate(how.to), how.mask)
      if (how.tag !== undefined) overwritten(r, f, how.tag, how.mask)
      return
    case 'rows':
      for (const row of how.to) overwritten(r, f, row, -1)
      return
    case 'broadcast':
      if (how.to !== null) overwritten(r, f, how.to, lanesIn(how.lanes))
      return
    case 'words':
    case 'bytes':
    case 'fields':
      for (const row of how.to) if (row !== null) overwritten(r, f, row, lanesIn(how.lanes))
  }
}

/** Is of what has come any byte known? */
const bringsKnown = (r: Rows, how: Receive): boolean => {
  switch (how._tag) {
    case 'words':
    case 'bytes':
      return how.to.some((row) => row !== null && isKnownIn(r, row, lanesIn(how.lanes), how.bits / 8))
    case 'fields':
      return how.to.some((row) => isKnownIn(r, row, lanesIn(how.lanes), 1))
    case 'broadcast':
      return how.to !== null && isKnownIn(r, how.to, lanesIn(how.lanes), 4)
    case 'rows':
      return how.to.some((row) => isKnownIn(r, row, -1, 4))
    case 'nothing':
    case 'number':
    case 'truth':
      return true
  }
}

/** Is of the lowest bytes of a row any known, in any of these lanes? */
const isKnownIn = ({ shadow }: Rows, row: Row, mask: number, bytes: number): boolean => {
  if (shadow === null || (mask & ~shadow.lanes[row]!) !== 0) return true
  const all = (1 << bytes) - 1
  for (let l = 0; l < 32; l++)
    if ((mask & (1 << l)) !== 0 && (bytesOfMark(shadow.marks[32 * row + l]!) & all) !== all) return true
  return false
}

const lanesIn = (lanes: ReadonlyArray<number>): number => lanes.reduce((mask, lane) => mask | (1 << lane), 0)

/** Does it say what becomes of registers in flight? */
const changesFlight = (o: Operation): boolean => usesOf(o).flight !== null || o._tag === 'tcgen05Store'

const localOf = (h: Here): Uint8Array | null => (h.local.length === 0 ? null : h.local.slice())
const isSame = (a: Uint8Array | null, b: Uint8Array | null): boolean =>
  a === null || b === null || a.every((byte, i) => byte === b[i])

/** The warp in a world whose footprints and efforts are those of no run. */
const elsewhere = (h: Here): Here => ({
  world: Object.assign({}, h.world, { footprints: footprints(h.launch.program), effort: effort() }),
  launch: h.launch,
  at: h.at,
  rows: h.rows,
  local: h.local,
  localWritten: h.localWritten,
  shared: h.shared,
})
