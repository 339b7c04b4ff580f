/**
 * Sets of generations of one barrier, exactly.
 *
 * A set is an ascending list of half-open intervals `from, to, from, to, ...`: {0, 1, 2, 5} is `[0, 3, 5, 6]`. A value is
 * never changed, so vectors share it.
 *
 * Why not the highest generation: what a bulk completion publishes is its own accesses and nothing else, so to see generation
 * 1 of a barrier is not to have seen generation 0 (the example is worked in `knowledge.ts`).
 *
 * Laws
 * 1. `union` is idempotent, commutative, associative; `empty` is its unit.
 * 2. `has(g)(union(a, b)) = has(g)(a) || has(g)(b)`.
 * 3. Canonical: intervals are not empty and do not touch, so equal sets are equal as data.
 */

export type GenerationSet = ReadonlyArray<number>

export const empty: GenerationSet = []

export const singleton = (generation: number): GenerationSet => [generation, generation + 1]

/** The largest member, -1 of the empty set. */
export const highest = (set: GenerationSet): number => (set.length === 0 ? -1 : set[set.length - 1]! - 1)

export const has = (set: GenerationSet, generation: number): boolean => {
  // the last interval is the likely one
  for (let i = set.length - 2; i >= 0; i -= 2) {
    if (generation >= set[i]!) return generation < set[i + 1]!
  }
  return false
}

const covers = (outer: GenerationSet, inner: GenerationSet): boolean => {
  let o = 0
  for (let i = 0; i < inner.length; i += 2) {
    while (o < outer.length && outer[o + 1]! < inner[i + 1]!) o += 2
    if (o >= outer.length || outer[o]! > inner[i]!) return false
  }
  return true
}

/** Returns an operand itself when it holds the other: the usual case costs no allocation. */
export const union = (a: GenerationSet, b: GenerationSet): GenerationSet => {
  if (a === b || covers(a, b)) return a
  if (covers(b, a)) return b
  const out: Array<number> = []
  let i = 0
  let j = 0
  while (i < a.length || j < b.length) {
    const left = j >= b.length || (i < a.length && a[i]! <= b[j]!)
    const from = left ? a[i]! : b[j]!
    const to = left ? a[i + 1]! : b[j + 1]!
    if (left) i += 2
    else j += 2
    const last = out.length - 1
    if (last >= 0 && from <= out[last]!) {
      if (to > out[last]!) out[last] = to
    } else out.push(from, to)
  }
  return out
}

/** What both hold. */
export const common = (a: GenerationSet, b: GenerationSet): GenerationSet => {
  if (a === b) return a
  const out: number[] = []
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    const from = Math.max(a[i]!, b[j]!)
    const to = Math.min(a[i + 1]!, b[j + 1]!)
    if (from < to) out.push(from, to)
    if (a[i + 1]! < b[j + 1]!) i += 2
    else j += 2
  }
  return out.length === 0 ? empty : out
}
