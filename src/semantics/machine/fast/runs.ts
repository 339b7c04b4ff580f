/**
 * Bytes in runs: elements that lie together (`contiguous.ts`) are read, written and copied together, two and four bytes at a time.
 *
 * Each function answers null where there is nothing to gain, or where one by one is not the same: signed elements, those beyond four bytes, halves of
 * bytes, and elements that the origin would cut.
 *
 * Laws
 * 1. `readRuns` and `writeRuns`, where they answer, are `readBytes` and `writeBytes`.
 * 2. `moveRuns`, where it answers, writes what is read: elements of one dtype are moved as they are.
 */
import { bytesOf, isPacked, isSigned, type Cells, type Edit } from '../cells.js'
import { blank, ownPage, paging, writing, written, type BytePage, type Pages } from './byte-pages.js'
import { movesOf, runsOf, type Moves, type Runs } from './contiguous.js'

// of this module, so that they are constants where it is compiled: an imported binding is looked up at every use
const { bits: pageBits, size: pageSize, mask: pageMask } = paging

// ---------------------------------------------------------------- reading

/** What has runs: whole unsigned elements of at most four bytes, at an origin that leaves them whole and what is nowhere nowhere. */
const runnable = ({ dtype, offsets, origin }: Cells): Runs | null => {
  const width = bytesOf(dtype)
  if (width > 4 || isSigned(dtype) || origin < 0 || origin % width !== 0) return null
  const runs = runsOf(offsets, width)
  if (runs === null || origin === 0) return runs
  for (let r = 0; r < runs.length; r += 2) if (runs[r]! < 0) return null
  return runs
}

export const readRuns = (pages: Pages, c: Cells, fill: number): Float64Array | null => {
  const runs = runnable(c)
  if (runs === null) return null
  const width = bytesOf(c.dtype)
  const out = new Float64Array(c.offsets.length)
  let number = -1
  let page = blank
  let i = 0
  for (let r = 0; r < runs.length; r += 2) {
    const end = i + runs[r + 1]!
    if (runs[r]! < 0) {
      out.fill(fill, i, end)
      i = end
      continue
    }
    for (let a = runs[r]! + c.origin; i < end;) {
      if (a >> pageBits !== number) {
        number = a >> pageBits
        page = pages[number] ?? blank
      }
      const from = a & pageMask
      const n = Math.min(end - i, (pageSize - from) / width)
      // runs of eight elements of two bytes are most: a swizzled tile
      if (width === 2 && n === 8) {
        const { halves } = page
        const first = from >> 1
        out[i] = halves[first]!
        out[i + 1] = halves[first + 1]!
        out[i + 2] = halves[first + 2]!
        out[i + 3] = halves[first + 3]!
        out[i + 4] = halves[first + 4]!
        out[i + 5] = halves[first + 5]!
        out[i + 6] = halves[first + 6]!
        out[i + 7] = halves[first + 7]!
      } else readPiece(page, from, width, out, i, n)
      i += n
      a += n * width
    }
  }
  return out
}

/** Elements from which on an array is sooner asked to copy them itself. */
const longRun = 64

const readPiece = (
  { bytes, halves, words }: BytePage,
  from: number,
  width: number,
  out: Float64Array,
  at: number,
  n: number,
): void => {
  const of = width === 1 ? bytes : width === 2 ? halves : words
  const first = from / width
  if (n >= longRun) out.set(of.subarray(first, first + n), at)
  else for (let x = 0; x < n; x++) out[at + x] = of[first + x]!
}

// ---------------------------------------------------------------- writing

export const writeRuns = (old: Pages, c: Cells, data: Float64Array, edit: Edit | null): Pages | null => {
  const runs = runnable(c)
  if (runs === null || data.length < c.offsets.length) return null
  const width = bytesOf(c.dtype)
  const w = writing(old, edit)
  let i = 0
  for (let r = 0; r < runs.length; r += 2) {
    const end = i + runs[r + 1]!
    if (runs[r]! < 0) {
      i = end
      continue
    }
    for (let a = runs[r]! + c.origin; i < end;) {
      const page = ownPage(w, a >> pageBits)
      const to = a & pageMask
      const n = Math.min(end - i, (pageSize - to) / width)
      writePiece(page, to, width, data, i, n)
      i += n
      a += n * width
    }
  }
  return written(w)
}

const writePiece = (
  { bytes, halves, words }: BytePage,
  to: number,
  width: number,
  data: Float64Array,
  at: number,
  n: number,
): void => {
  switch (width) {
    case 1:
      for (let x = 0; x < n; x++) bytes[to + x] = data[at + x]!
      return
    case 2: {
      const first = to >> 1
      for (let x = 0; x < n; x++) halves[first + x] = data[at + x]!
      return
    }
    default: {
      const first = to >> 2
      let x = 0
      for (; x + 4 <= n; x += 4) {
        words[first + x] = data[at + x]!
        words[first + x + 1] = data[at + x + 1]!
        words[first + x + 2] = data[at + x + 2]!
        words[first + x + 3] = data[at + x + 3]!
      }
      for (; x < n; x++) words[first + x] = data[at + x]!
    }
  }
}

// ---------------------------------------------------------------- copying

/** Elements that are moved as they are: whole ones of at most four bytes, the same on both sides. */
export const moveRuns = (
  from: Pages,
  source: Cells,
  old: Pages,
  target: Cells,
  edit: Edit | null,
): Pages | null => {
  const width = bytesOf(source.dtype)
  if (
    source.dtype !== target.dtype ||
    isPacked(source.dtype) ||
    width > 4 ||
    source.origin < 0 ||
    target.origin < 0
  )
    return null
  const moves = movesOf(source.offsets, target.offsets, width)
  return moves === null ? null : moved(from, source.origin, old, target.origin, moves, edit)
}

const moved = (
  from: Pages,
  fromOrigin: number,
  old: Pages,
  toOrigin: number,
  moves: Moves,
  edit: Edit | null,
): Pages => {
  const w = writing(old, edit)
  let number = -1
  let page = blank
  let sourceNumber = -1
  let source = blank
  for (let r = 0; r < moves.length; r += 3) {
    let a = moves[r]! + fromOrigin
    let b = moves[r + 1]! + toOrigin
    for (let left = moves[r + 2]!; left > 0;) {
      if (b >> pageBits !== number) {
        number = b >> pageBits
        page = ownPage(w, number)
      }
      if (a >> pageBits !== sourceNumber) {
        sourceNumber = a >> pageBits
        source = from[sourceNumber] ?? blank
      }
      const x = a & pageMask
      const y = b & pageMask
      const n = Math.min(left, pageSize - x, pageSize - y)
      // 16 bytes are most: a piece of a swizzled row
      if (n === 16 && ((x | y) & 3) === 0) {
        const [f, t] = [x >> 2, y >> 2]
        const u = source.words
        const v = page.words
        v[t] = u[f]!
        v[t + 1] = u[f + 1]!
        v[t + 2] = u[f + 2]!
        v[t + 3] = u[f + 3]!
      } else movePiece(source, x, page, y, n)
      a += n
      b += n
      left -= n
    }
  }
  return written(w)
}

const movePiece = (from: BytePage, x: number, to: BytePage, y: number, n: number): void => {
  if (n > 256) to.bytes.set(from.bytes.subarray(x, x + n), y)
  else if (((x | y | n) & 3) === 0) {
    const [source, target] = [from.words, to.words]
    const [first, second] = [x >> 2, y >> 2]
    for (let w = 0; w < n >> 2; w++) target[second + w] = source[first + w]!
  } else for (let w = 0; w < n; w++) to.bytes[y + w] = from.bytes[x + w]!
}
