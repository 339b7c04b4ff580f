/**
 * In-order units: what follows what without an edge.
 *
 * The wgmma of one warpgroup happen in the order of their issue, and of the entries of one agent's tensor queue some pairs do. So two of
 * their accesses are ordered, and the later finds what the earlier wrote, though no wait stands between them. An operation's *place* says
 * enough to tell in one comparison: its unit, its position there, and for each kind of entry the last position that it comes after.
 *
 * Those pairs are what the ISA lists (`../../log/tensor-queue.ts`), and all that `tensorPipe: documented` grants; order is transitive, so more follows. Worked,
 * m and n products of two lanes (accumulator, shape and kind):
 *
 *     position    1    2    3    4    5      what the last comes after
 *     entries     cp   m    n    s    m      all of cp, all of s; of the products 1 .. 4 (by s), and m's anyhow
 *     entries     cp   m    n    cp   m      all of cp; of the products those of its own lane only
 *
 * `issueOrder` adds what shipped kernels rely on and the ISA does not say: a product comes after every product before it, whatever their lanes. That
 * is all it adds: what comes before a product of one lane, or after it, does so of every lane. A copy after a copy, or after a product, needs a
 * completion under both. A verdict that rests on the addition says so (N3).
 *
 * Laws
 * 1. `follows` is the transitive closure of the table, on the entries of one unit in order of position; with `assumed`, of the table and
 *    of products after products.
 * 2. Of two reads with equal `lane`, what follows the later one follows the earlier one.
 *
 * Source: PTX ISA, memory consistency of tcgen05 (pipelined pairs); wgmma.
 */
import type { TensorEntry } from '../../log/events.js'
import { holdsBack } from '../../log/tensor-queue.js'

// ---------------------------------------------------------------- model

export interface Place {
  readonly unit: number
  readonly position: number
  readonly entry: TensorEntry
  /** equal for entries between which nothing but position differs */
  readonly lane: number
  /** it comes after all products, all copies, all shifts up to these positions */
  readonly afterMma: number
  readonly afterCopy: number
  readonly afterShift: number
  /** it acts on a pair of CTAs */
  readonly pair: boolean
}

/** The newest entry of each kind. Updated in place. */
export type TensorQueue = Map<TensorEntry, Place>

// ---------------------------------------------------------------- constructors

export const tensorQueue = (): TensorQueue => new Map()

const entries: ReadonlyArray<TensorEntry> = ['mma', 'cp', 'cp.4x256b', 'shift']
/** What each kind of entry comes after, whatever the lanes. */
const behind = new Map(
  entries.map((then) => [then, entries.filter((first) => holdsBack(first, then, false))]),
)

const place = (
  unit: number,
  position: number,
  entry: TensorEntry,
  lane: number,
  afterMma: number,
  afterCopy: number,
  afterShift: number,
  pair: boolean,
): Place => ({ unit, position, entry, lane, afterMma, afterCopy, afterShift, pair })

/** The place of an entry that comes after everything before it in its unit. */
export const inOrder = (unit: number, position: number, entry: TensorEntry, pair: boolean): Place =>
  place(unit, position, entry, 0, position - 1, position - 1, position - 1, pair)

/** The place of an entry of a tensor queue; products of one `pipe` share a lane. */
export const listed = (
  q: TensorQueue,
  unit: number,
  position: number,
  entry: TensorEntry,
  pipe: number,
  pair: boolean,
): Place => {
  // a commit has its place by what it covers
  if (entry === 'commit') return place(unit, position, entry, 0, 0, 0, 0, pair)
  let [mma, copy, shift] = [0, 0, 0]
  for (const kind of behind.get(entry) ?? []) {
    const first = q.get(kind)
    if (first === undefined) continue
    mma = Math.max(mma, first.afterMma, kind === 'mma' ? first.position : 0)
    copy = Math.max(copy, first.afterCopy, kind === 'cp' || kind === 'cp.4x256b' ? first.position : 0)
    shift = Math.max(shift, first.afterShift, kind === 'shift' ? first.position : 0)
  }
  const lane = entry === 'mma' ? entries.length + pipe : entries.indexOf(entry)
  const made = place(unit, position, entry, lane, mma, copy, shift, pair)
  q.set(entry, made)
  return made
}

/** An agent's queue at the start of a cluster. */
export const emptied = (q: TensorQueue): void => {
  q.clear()
}

// ---------------------------------------------------------------- destructors

/** Does `then` come after `first`? */
export const follows = (first: Place, then: Place): boolean => {
  if (first.unit !== then.unit || first.position >= then.position) return false
  switch (first.entry) {
    case 'mma':
      return first.position <= then.afterMma || (then.entry === 'mma' && first.lane === then.lane)
    case 'cp':
    case 'cp.4x256b':
      return first.position <= then.afterCopy
    case 'shift':
      return first.position <= then.afterShift
    case 'commit':
      return false
  }
}

/** Does `then` come after `first` because products are taken to happen in the order of their issue, and for no other reason? */
export const assumed = (first: Place, then: Place): boolean =>
  first.unit === then.unit &&
  first.position < then.position &&
  first.entry === 'mma' &&
  then.entry === 'mma' &&
  !follows(first, then)

/** What comes after the later of the two comes after both. */
export const alike = (a: Place | undefined, b: Place | undefined): boolean =>
  a === b ||
  (a !== undefined && b !== undefined && a.unit === b.unit && a.entry === b.entry && a.lane === b.lane)
