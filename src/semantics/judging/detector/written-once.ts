/**
 * Planes of which each byte has been written at most once, and none read: most outputs, from beginning to end.
 *
 * A write of bytes that no access has touched conflicts with nothing. As long as a plane has seen no other access, all that there is to know of it is who has
 * written what, and which bytes that are: a bit for each. With the first other access (a read, a byte written again) the plane becomes like any other: the
 * writes are judged then, in their order, as if they came just before it.
 *
 *     store C[0:8, 0:8]       kept: 8 rows of the plane have their bits
 *     store C[0:8, 8:16]      kept
 *     store C[4:12, 0:8]      both are put on their atoms; the store finds the first one there
 *
 * Laws
 * 1. A log is judged as it would be without this module.
 */
import { endOf, startOf, type Spans } from '../../log/events.js'
import type { AccessRecord } from './access-record.js'
import type { Deferred } from './read-only.js'

/** The writes of one plane in their order; null once it is like any other. */
export interface WrittenOnce {
  writes: Deferred[] | null
  /** a bit for each byte, made at the first write */
  written: Int32Array | null
  readonly bytes: number
}

/** Most bytes of a plane that has a bit for each. */
const most = 2 ** 28

export const writtenOnce = (isOutput: boolean, bytes: number): WrittenOnce => ({
  writes: isOutput && bytes <= most ? [] : null,
  written: null,
  bytes,
})

/** The bits [start, end) of a word of 32 that begins at bit `base`. */
const bitsOf = (base: number, start: number, end: number): number => {
  const from = Math.max(0, start - base)
  const to = Math.min(32, end - base)
  return (to === 32 ? -1 : (1 << to) - 1) & (-1 << from)
}

const anyOf = (written: Int32Array, { list, by }: Spans): boolean => {
  for (let i = 0; i < list.length; i += 2) {
    const start = list[i]! + by
    const end = list[i + 1]! + by
    for (let w = start >>> 5; w * 32 < end; w++)
      if ((written[w]! & bitsOf(w * 32, start, end)) !== 0) return true
  }
  return false
}

const mark = (written: Int32Array, { list, by }: Spans): void => {
  for (let i = 0; i < list.length; i += 2) {
    const start = list[i]! + by
    const end = list[i + 1]! + by
    for (let w = start >>> 5; w * 32 < end; w++) written[w] = written[w]! | bitsOf(w * 32, start, end)
  }
}

/** Keeps a write of bytes that no access has touched; false if the access has to be judged. */
export const deferWrite = (p: WrittenOnce, record: AccessRecord, cluster: number): boolean => {
  if (p.writes === null || record.rw === 'r') return false
  const { spans } = record.footprint
  if (startOf(spans) < 0 || endOf(spans) > p.bytes) return false
  p.written ??= new Int32Array((p.bytes >>> 5) + 1)
  if (anyOf(p.written, spans)) return false
  mark(p.written, spans)
  p.writes.push({ record, cluster })
  return true
}

/** Gives back what was kept: from now on every access is judged. */
export const giveBackWrites = (p: WrittenOnce): ReadonlyArray<Deferred> => {
  const writes = p.writes ?? []
  p.writes = null
  p.written = null
  return writes
}

/** Calls `f` for every maximal interval of bytes that no access has written, in ascending order. */
export const eachMissing = (
  { written, bytes }: WrittenOnce,
  f: (start: number, end: number) => void,
): void => {
  let from = -1
  for (let a = 0; a < bytes;) {
    const word = written === null ? 0 : written[a >>> 5]!
    // a word is most often all written, or not at all
    if ((a & 31) === 0 && a + 32 <= bytes && (word === 0 || word === -1)) {
      if (word === 0 && from < 0) from = a
      if (word === -1 && from >= 0) {
        f(from, a)
        from = -1
      }
      a += 32
      continue
    }
    const isWritten = ((word >>> (a & 31)) & 1) === 1
    if (!isWritten && from < 0) from = a
    if (isWritten && from >= 0) {
      f(from, a)
      from = -1
    }
    a++
  }
  if (from >= 0) f(from, bytes)
}
