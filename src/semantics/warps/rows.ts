/**
 * Rows: the registers of a warp.
 *
 * A row is a word of 32 bits for each of 32 lanes. A *uniform* row holds one word for all of them, in the place of lane 0: what every lane would
 * compute alike is computed once. A predicate is a mask of lanes. `unknown` has the lanes whose word nothing has said: a register that was not
 * written, or data that a run without data does not have; it goes where the word goes.
 *
 *     mov.u32 %r1, %tid.x      row (0, 1, ..., 31)        not uniform
 *     mov.u32 %r2, 7           row (7)                    uniform
 *     add.s32 %r3, %r2, %r2    row (14)                   uniform: one addition
 *     add.s32 %r4, %r1, %r2    row (7, 8, ..., 38)        32 additions
 *
 * The rows of a warp are written in place by the run that owns them, and copied by any other.
 *
 * Laws
 * 1. `wordAt` after `setAll` and `setLanes` is what was written last in that lane.
 * 2. what is computed with uniform rows is what is computed lane by lane.
 * 3. a copy and its original do not see each other's writes.
 */
import { countOf, lowest } from '../log/lane-mask.js'
import type { Edit } from '../machine/cells.js'
import type { FellowRows, Origins, Row, Rows, RowsInFlight, Shadow } from '../machine/warp-stand.js'

export type { Rows }

export const everyLane = -1

/** Rows of which nothing is known. */
export const rows = (
  count: number,
  predicates: number,
  flight: RowsInFlight | null,
  origins: Origins | null,
  shadow: Shadow | null,
  fellows: FellowRows | null,
  wraps: Map<number, bigint> | null,
  edit: Edit | null,
): Rows => ({
  words: new Int32Array(count * 32),
  uniform: new Uint8Array(count).fill(1),
  unknown: new Int32Array(count).fill(everyLane),
  predicates: new Int32Array(predicates),
  unknownPredicates: new Int32Array(predicates).fill(everyLane),
  absent: new Map(),
  flight,
  origins,
  shadow,
  fellows,
  wraps,
  edit,
})

const copied = (o: Origins | null): Origins | null =>
  o === null
    ? null
    : o._tag === 'terms'
      ? {
          _tag: 'terms',
          words: o.words.slice(),
          lanes: o.lanes.slice(),
          predicates: o.predicates.slice(),
          path: o.path.slice(),
          way: o.way.slice(),
          constants: o.constants,
          ledger: o.ledger,
        }
      : {
          _tag: 'bytes',
          values: o.values.slice(),
          bytes: o.bytes.slice(),
          predicates: o.predicates.slice(),
          decided: o.decided.slice(),
          computed: { count: o.computed.count, unsaid: o.computed.unsaid.slice() },
        }

const shadowCopied = (s: Shadow | null): Shadow | null =>
  s === null
    ? null
    : {
        lanes: s.lanes.slice(),
        marks: s.marks.slice(),
        predicates: s.predicates.slice(),
        data: s.data.slice(),
      }

/** Rows that the holder of `edit` may write: these, if they are its own. */
export const owned = (r: Rows, edit: Edit | null): Rows =>
  edit !== null && r.edit !== null && r.edit.run === edit.run ? r : another(r, edit)

/** Rows that hold the same, of the holder of `edit`. */
export const another = (r: Rows, edit: Edit | null): Rows => ({
  words: r.words.slice(),
  uniform: r.uniform.slice(),
  unknown: r.unknown.slice(),
  predicates: r.predicates.slice(),
  unknownPredicates: r.unknownPredicates.slice(),
  absent: new Map(r.absent),
  flight:
    r.flight === null
      ? null
      : {
          state: r.flight.state.slice(),
          since: r.flight.since.slice(),
          columns: r.flight.columns.slice(),
          closed: r.flight.closed.slice(),
        },
  origins: copied(r.origins),
  shadow: shadowCopied(r.shadow),
  fellows:
    r.fellows === null
      ? null
      : { of: r.fellows.of, words: r.fellows.words.slice(), predicates: r.fellows.predicates.slice() },
  wraps: r.wraps === null ? null : new Map(r.wraps),
  edit,
})

// ---------------------------------------------------------------- lanes

export { countOf, lowest }
export const everyLaneInOrder: ReadonlyArray<number> = Array.from({ length: 32 }, (_, lane) => lane)
/** The lanes of a mask, ascending. */
export const lanesOf = (mask: number): ReadonlyArray<number> => {
  if (mask === everyLane) return everyLaneInOrder
  const out: number[] = []
  for (let m = mask; m !== 0; m &= m - 1) out.push(lowest(m))
  return out
}

// ---------------------------------------------------------------- words

export const wordAt = (r: Rows, row: Row, lane: number): number =>
  r.uniform[row] === 1 ? r.words[row * 32]! : r.words[row * 32 + lane]!

/** All lanes hold this word. */
export const setAll = (r: Rows, row: Row, word: number): void => {
  r.words[row * 32] = word
  r.uniform[row] = 1
  r.unknown[row] = 0
}

/** Makes a row hold a word for each lane, so that some can be written. */
export const spread = (r: Rows, row: Row): void => {
  if (r.uniform[row] === 0) return
  const at = row * 32
  r.words.fill(r.words[at]!, at, at + 32)
  r.uniform[row] = 0
}

export const setLane = (r: Rows, row: Row, lane: number, word: number): void => {
  if (r.uniform[row] === 1) spread(r, row)
  r.words[row * 32 + lane] = word
  r.unknown[row] = r.unknown[row]! & ~(1 << lane)
}

/** All lanes hold words of their own: those at `from` and on. */
export const setLanes = (r: Rows, row: Row, words: ArrayLike<number>, from: number): void => {
  for (let l = 0; l < 32; l++) r.words[row * 32 + l] = words[from + l]!
  r.uniform[row] = 0
  r.unknown[row] = 0
}

/** The lanes of `mask` hold nothing that is known. */
export const forget = (r: Rows, row: Row, mask: number): void => {
  r.unknown[row] = r.unknown[row]! | mask
}

/** One word for all lanes of `mask`, or null: they differ. */
export const commonWord = (r: Rows, row: Row, mask: number): number | null => {
  if (r.uniform[row] === 1) return r.words[row * 32]!
  const first = r.words[row * 32 + lowest(mask)]!
  for (let m = mask & (mask - 1); m !== 0; m &= m - 1)
    if (r.words[row * 32 + lowest(m)] !== first) return null
  return first
}

// ---------------------------------------------------------------- predicates

/** The lanes of `mask` for which a predicate holds, or does not. */
export const holding = (r: Rows, predicate: number, negated: boolean, mask: number): number =>
  (negated ? ~r.predicates[predicate]! : r.predicates[predicate]!) & mask

export const setPredicate = (
  r: Rows,
  predicate: number,
  mask: number,
  holds: number,
  unknown: number,
): void => {
  r.predicates[predicate] = (r.predicates[predicate]! & ~mask) | (holds & mask)
  r.unknownPredicates[predicate] = (r.unknownPredicates[predicate]! & ~mask) | (unknown & mask)
}
