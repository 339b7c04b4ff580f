/**
 * Sets of bytes of one plane, as ascending disjoint intervals `[start, end)`.
 *
 * Laws: `common` is intersection, `without` is difference, on the sets that the intervals stand for.
 */
import { bitsOf } from '../../numerics/dtype.js'
import type { Footprint } from '../log/events.js'
import { addressesIn, spansOf } from '../log/events.js'

export type Bytes = ReadonlyArray<readonly [number, number]>

export const bytesOf = (f: Footprint): Bytes => {
  const spans = spansOf(f)
  const out: Array<readonly [number, number]> = []
  for (let i = 0; i < spans.length; i += 2) out.push([spans[i]!, spans[i + 1]!])
  return out
}

export const common = (a: Bytes, b: Bytes): Bytes => {
  const out: Array<readonly [number, number]> = []
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    const from = Math.max(a[i]![0], b[j]![0])
    const to = Math.min(a[i]![1], b[j]![1])
    if (from < to) out.push([from, to])
    if (a[i]![1] <= b[j]![1]) i++
    else j++
  }
  return out
}

export const without = (a: Bytes, b: Bytes): Bytes => {
  const out: Array<readonly [number, number]> = []
  let j = 0
  for (const [start, end] of a) {
    let from = start
    while (j < b.length && b[j]![1] <= from) j++
    for (let k = j; k < b.length && b[k]![0] < end; k++) {
      if (b[k]![0] > from) out.push([from, b[k]![0]])
      from = Math.max(from, b[k]![1])
    }
    if (from < end) out.push([from, end])
  }
  return out
}

/** The words of a footprint, by their first bytes; an element of several words is each of them. */
export const wordsOf = (f: Footprint): ReadonlyArray<number> => {
  const size = Math.max(1, bitsOf(f.dtype) / 8)
  if (f.map._tag === 'scatter') return [...addressesIn(f.map)].filter((byte) => byte >= 0)
  return bytesOf(f).flatMap(([from, end]) =>
    Array.from({ length: Math.ceil((end - from) / size) }, (_, k) => from + k * size),
  )
}
