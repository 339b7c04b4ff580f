/**
 * Sparse rows: a value for each of very many numbers, of which most have none.
 *
 * What an agent knows is a number for every clock of every agent that runs beside it. Of 132 CTAs of 384 threads that is 1,584 warps of twelve clocks each, five times over, for each of
 * these warps, each message in a barrier and each operation in flight: as plain arrays a gigabyte before anything has happened. But agents that have never met have nothing to say of
 * one another, and what is handed on is mostly what both have already.
 *
 *     chunk                0            1            2            3
 *     warp 0 of CTA 0      [17, 4, …]   -            -            -           a chunk that nothing was written to is not there
 *     its message          the same     -            -            -           a copy shares chunks with what it is of, and so does a join where there was none
 *     warp 5 of CTA 40     -            -            [9, 0, …]    -
 *     after the message    the same     -            [9, 0, …]    -
 *
 * Where what is handed on is nowhere below what is there, its chunk is taken as it is. At a barrier of a grid every warp hears of all others: each would copy all chunks,
 * where it differs from the message in those of its own clocks alone.
 *
 * A chunk that two rows have is changed by neither: who writes makes a copy of it first.
 *
 * Laws
 * 1. `valueAt` of j after `put(row, i, x)` is x if j is i, else what it was; an absent chunk reads as the row's `none`.
 * 2. Whatever is done to a copy, the row that it is of reads as before; and the other way round.
 * 3. `raise`, `lower` and `exceeds` are pointwise the larger and the smaller, as of plain arrays.
 * 4. `textOf` two rows that hold numbers is the same just where `valueAt` is the same everywhere.
 */

/** Numbers of a chunk, as a power of two. */
const bits = 7
const size = 1 << bits
const mask = size - 1

interface Chunk<T> {
  readonly values: T[]
  /** several rows have it: it is not written to */
  shared: boolean
}

/** Changed by its owner alone; `none`: what it holds where nothing was written. */
export interface Sparse<T> {
  readonly none: T
  readonly chunks: (Chunk<T> | undefined)[]
}

// ---------------------------------------------------------------- constructors

export const row = <T>(none: T): Sparse<T> => ({ none, chunks: [] })

/** It shares every chunk, until one of the two is written to. */
export const copyOf = <T>(r: Sparse<T>): Sparse<T> => {
  const { chunks } = r
  for (let c = 0; c < chunks.length; c++) {
    const chunk = chunks[c]
    if (chunk !== undefined) chunk.shared = true
  }
  return { none: r.none, chunks: chunks.slice() }
}

// ---------------------------------------------------------------- destructors

export const valueAt = <T>(r: Sparse<T>, i: number): T => {
  const chunk = r.chunks[i >>> bits]
  return chunk === undefined ? r.none : chunk.values[i & mask]!
}

/** Each number that may have a value other than `none`, in order, with that. */
export const forEach = <T>(r: Sparse<T>, see: (value: T, i: number) => void): void => {
  r.chunks.forEach((chunk, c) => {
    if (chunk === undefined) return
    for (let k = 0; k < size; k++) if (chunk.values[k] !== r.none) see(chunk.values[k]!, c * size + k)
  })
}

/** Texts of chunks that are not written to any more. */
const texts = new WeakMap<object, string>()
const textOfChunk = <T>({ values, shared }: Chunk<T>, none: T, show: (value: T) => string): string => {
  const known = texts.get(values)
  if (known !== undefined) return known
  let text = ''
  for (let k = 0; k < size; k++) if (values[k] !== none) text += `${String(k)}:${show(values[k]!)} `
  if (shared) texts.set(values, text)
  return text
}

/** What it holds, as a text: the same of two rows just where they hold the same. Those of one row are shown by one function. */
export const textOf = <T>(r: Sparse<T>, show: (value: T) => string): string => {
  let text = ''
  r.chunks.forEach((chunk, c) => {
    const own = chunk === undefined ? '' : textOfChunk(chunk, r.none, show)
    if (own !== '') text += `${String(c)}(${own})`
  })
  return text
}

/** Do they hold the same? */
export const isSame = <T>(r: Sparse<T>, other: Sparse<T>, same: (x: T, y: T) => boolean): boolean => {
  for (let c = 0; c < Math.max(r.chunks.length, other.chunks.length); c++) {
    const [x, y] = [r.chunks[c], other.chunks[c]]
    if (x === y) continue
    for (let k = 0; k < size; k++) {
      const [a, b] = [x === undefined ? r.none : x.values[k]!, y === undefined ? other.none : y.values[k]!]
      if (a !== b && !same(a, b)) return false
    }
  }
  return true
}

/** Is a row anywhere above another? */
export const exceeds = (r: Sparse<number>, other: Sparse<number>): boolean => {
  for (let c = 0; c < r.chunks.length; c++) {
    const [x, y] = [r.chunks[c], other.chunks[c]]
    if (x === undefined || x === y) continue
    for (let k = 0; k < size; k++)
      if (x.values[k]! > (y === undefined ? other.none : y.values[k]!)) return true
  }
  return false
}

// ---------------------------------------------------------------- changes

/** A chunk in its place; before it there are no holes. */
const place = <T>(r: Sparse<T>, c: number, chunk: Chunk<T>): void => {
  while (r.chunks.length < c) r.chunks.push(undefined)
  r.chunks[c] = chunk
}

/** The values of a chunk, to be written to. */
const open = <T>(r: Sparse<T>, c: number): T[] => {
  const chunk = r.chunks[c]
  if (chunk !== undefined && !chunk.shared) return chunk.values
  const values = chunk === undefined ? new Array<T>(size).fill(r.none) : chunk.values.slice()
  place(r, c, { values, shared: false })
  return values
}

export const put = <T>(r: Sparse<T>, i: number, value: T): void => {
  if (valueAt(r, i) !== value) open(r, i >>> bits)[i & mask] = value
}

/** Nothing was written to it. */
export const clear = <T>(r: Sparse<T>): void => {
  r.chunks.length = 0
}

/** into := pointwise of both by `both`, where `from` has anything; what is there may stay itself. */
export const merge = <T>(into: Sparse<T>, from: Sparse<T>, both: (x: T, y: T) => T): void => {
  for (let c = 0; c < from.chunks.length; c++) {
    const chunk = from.chunks[c]
    const own = into.chunks[c]
    if (chunk === undefined || chunk === own) continue
    if (own === undefined) {
      chunk.shared = true
      place(into, c, chunk)
      continue
    }
    let { values } = own
    for (let k = 0; k < size; k++) {
      const old = values[k]!
      const other = chunk.values[k]!
      if (other === old || other === from.none) continue
      const now = both(old, other)
      if (now === old) continue
      values = open(into, c)
      values[k] = now
    }
  }
}

/** into := pointwise the larger, of rows of which none is below `none`. */
export const raise = (into: Sparse<number>, from: Sparse<number>): void => {
  for (let c = 0; c < from.chunks.length; c++) {
    const chunk = from.chunks[c]
    const own = into.chunks[c]
    if (chunk === undefined || chunk === own) continue
    if (own === undefined) {
      chunk.shared = true
      place(into, c, chunk)
      continue
    }
    const theirs = chunk.values
    const values = own.values
    let [isAbove, isBelow] = [false, false]
    for (let k = 0; k < size && !(isAbove && isBelow); k++) {
      if (theirs[k]! > values[k]!) isAbove = true
      else if (theirs[k]! < values[k]!) isBelow = true
    }
    if (!isBelow && (isAbove || chunk.shared)) {
      // theirs alone is what both come to: those who hear one message keep it once
      chunk.shared = true
      place(into, c, chunk)
    } else if (isAbove) {
      const opened = open(into, c)
      for (let k = 0; k < size; k++) if (theirs[k]! > opened[k]!) opened[k] = theirs[k]!
    }
  }
}

/** Pointwise by `both`, which gives `none` where one of the two is that. */
export const meet = <T>(x: Sparse<T>, y: Sparse<T>, both: (x: T, y: T) => T): Sparse<T> => {
  const out = row(x.none)
  for (let c = 0; c < Math.min(x.chunks.length, y.chunks.length); c++) {
    const [a, b] = [x.chunks[c], y.chunks[c]]
    if (a === undefined || b === undefined) {
      out.chunks.push(undefined)
      continue
    }
    if (a === b) a.shared = true
    out.chunks.push(a === b ? a : { values: a.values.map((v, k) => both(v, b.values[k]!)), shared: false })
  }
  return out
}

/** Pointwise the smaller. */
export const lower = (x: Sparse<number>, y: Sparse<number>): Sparse<number> => meet(x, y, Math.min)
