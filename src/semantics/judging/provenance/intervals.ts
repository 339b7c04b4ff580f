/**
 * Intervals: the k's that an accumulator has added, in the order of addition.
 *
 * A flat list start, end, start, end ...; neighbours that meet are one. As a multiset it says which k's were added how often; as a sequence, in
 * which order.
 *
 *     0:64 then 64:128      0:128
 *     0:64 then 128:192     0:64, 128:192        k-slices 64:128 missing
 *     0:64 then 0:64        0:64, 0:64           k-slices 0:64 repeated
 *
 * Laws
 * 1. `andThen` is associative, and the empty list its unit.
 * 2. `unordered` of equal multisets is one list.
 * 3. `ascending` keeps the multiset; `against(ks, K)` is empty iff that is 0:K once.
 */
export type Intervals = ReadonlyArray<number>

/** A list of coordinates as intervals: consecutive runs, in order. */
export const intervals = (ks: Int32Array): Intervals => {
  const out: number[] = []
  for (const k of ks)
    if (out[out.length - 1] === k) out[out.length - 1] = k + 1
    else out.push(k, k + 1)
  return out
}

export const sameIntervals = (x: Intervals, y: Intervals): boolean =>
  x.length === y.length && x.every((end, i) => end === y[i])

export const shifted = (ks: Intervals, by: number): Intervals => ks.map((k) => k + by)

/** First the one list, then the other. */
export const andThen = (x: Intervals, y: Intervals): Intervals =>
  x[x.length - 1] === y[0] ? [...x.slice(0, -1), ...y.slice(1)] : [...x, ...y]

/** The same multiset in ascending order. */
export const ascending = (ks: Intervals): Intervals => {
  const pairs: (readonly [number, number])[] = []
  for (let i = 0; i < ks.length; i += 2) pairs.push([ks[i]!, ks[i + 1]!])
  pairs.sort((p, q) => p[0] - q[0] || p[1] - q[1])
  return pairs.reduce<Intervals>((out, pair) => andThen(out, pair), [])
}

/** The same multiset, as one that was added in no order that matters: never one chain, unless it is a single k. */
export const unordered = (ks: Intervals): Intervals => {
  const [start, end, ...rest] = ascending(ks)
  return start === undefined || end === undefined || end - start === 1
    ? ascending(ks)
    : [start, start + 1, start + 1, end, ...rest]
}

export const show = (ks: Intervals): string => {
  const parts: string[] = []
  for (let i = 0; i < ks.length; i += 2) parts.push(`${String(ks[i])}:${String(ks[i + 1])}`)
  return parts.length === 0 ? 'nothing' : parts.join(', ')
}

/** What of 0:K is missing from ascending intervals, and what is there more than once; empty if nothing is. */
export const against = (ks: Intervals, K: number): string => {
  const missing: number[] = []
  const repeated: number[] = []
  let covered = 0
  for (let i = 0; i < ks.length; i += 2) {
    const [start, end] = [ks[i]!, ks[i + 1]!]
    if (start > covered) missing.push(covered, start)
    if (start < covered) repeated.push(start, Math.min(covered, end))
    covered = Math.max(covered, end)
  }
  if (covered < K) missing.push(covered, K)
  return [
    ...(missing.length > 0 ? [`k-slices ${show(missing)} missing`] : []),
    ...(repeated.length > 0 ? [`k-slices ${show(repeated)} repeated`] : []),
  ].join(', ')
}
