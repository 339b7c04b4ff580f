/**
 * Runs: elements that lie one after another, so that they can be moved together.
 *
 * Row-major order walks a tile of shared memory in pieces: a swizzle leaves 16 bytes together, a row of a tensor or of registers is one piece.
 * Of f16 (2, 16) in rows of 32 bytes, with the halves of the second row exchanged:
 *
 *     offsets   0 2 .. 30   48 50 .. 62   32 34 .. 46        runs   16 from 0, 8 from 48, 8 from 32
 *
 * Tables are of offsets alone, and places of one layout share their offsets, so a table is made once for all of them. Where runs are so short
 * that nothing is gained there is none, and the elements are moved one by one.
 *
 * Laws
 * 1. The runs, spelt out, are the offsets; no offset of a run but the first is below one before it.
 * 2. A run of elements that are nowhere begins at -1.
 */

/** Pairs: where a run begins, in bytes from the origin, and how many elements it has. */
export type Runs = Int32Array
/** Triples: from where, to where, how many bytes. */
export type Moves = Int32Array

interface Made {
  readonly width: number
  readonly runs: Runs | null
}

/** Least elements of a run, on average. */
const worthwhile = 4

const runs = new WeakMap<Int32Array, Made>()
const moves = new WeakMap<
  Int32Array,
  WeakMap<Int32Array, { readonly width: number; readonly moves: Moves | null }>
>()

const madeRuns = (offsets: Int32Array, width: number): Runs | null => {
  const most = offsets.length / worthwhile
  const out: number[] = []
  for (let i = 0; i < offsets.length;) {
    const first = i
    const start = offsets[i]!
    if (start < 0) while (i < offsets.length && offsets[i]! < 0) i++
    else {
      if (start % width !== 0) return null
      for (i++; i < offsets.length && offsets[i] === start + (i - first) * width;) i++
    }
    out.push(start < 0 ? -1 : start, i - first)
    if (out.length > 2 * most + 2) return null
  }
  return Int32Array.from(out)
}

/** The runs of elements of `width` bytes at these offsets; null where they are short, or begin inside an element. */
export const runsOf = (offsets: Int32Array, width: number): Runs | null => {
  const known = runs.get(offsets)
  if (known?.width === width) return known.runs
  const made = madeRuns(offsets, width)
  runs.set(offsets, { width, runs: made })
  return made
}

const madeMoves = (from: Int32Array, to: Int32Array, width: number): Moves | null => {
  if (from.length !== to.length) return null
  const most = from.length / worthwhile
  const out: number[] = []
  for (let i = 0; i < from.length;) {
    const first = i
    const [source, target] = [from[i]!, to[i]!]
    if (source < 0 || target < 0) return null
    for (i++; i < from.length; i++) {
      const by = (i - first) * width
      if (from[i] !== source + by || to[i] !== target + by) break
    }
    out.push(source, target, (i - first) * width)
    if (out.length > 3 * most + 3) return null
  }
  return Int32Array.from(out)
}

/** Where both offsets run on together; null where that is not far, or an element is nowhere. */
export const movesOf = (from: Int32Array, to: Int32Array, width: number): Moves | null => {
  const beside =
    moves.get(from) ?? new WeakMap<Int32Array, { readonly width: number; readonly moves: Moves | null }>()
  moves.set(from, beside)
  const known = beside.get(to)
  if (known?.width === width) return known.moves
  const made = madeMoves(from, to, width)
  beside.set(to, { width, moves: made })
  return made
}
