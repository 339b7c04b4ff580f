/**
 * Relations over the events of one execution, as rows of bits: bit b of row a says that a is related to b.
 *
 * Why 32: an execution of a litmus test has rarely 20 events, and a row is then one number. `mostEvents` is asked before a relation is made.
 *
 * Laws
 * 1. `closure(r)` is the least transitive relation that includes `r`; it is reflexive at an event exactly where `r` has a cycle through it.
 * 2. `path(r, a, b)` is a shortest way of one arrow or more, and there is one exactly where `closure(r)` relates a to b.
 */

/** Events of one execution, at most. */
export const mostEvents = 32

/** Bit b of row a: a is related to b. */
export type Relation = ReadonlyArray<number>

/** Whether a is related to b. */
export const has = (r: Relation, a: number, b: number): boolean => ((r[a]! >>> b) & 1) === 1

/** The pairs that a predicate has. */
export const relation = (n: number, holds: (a: number, b: number) => boolean): Relation => {
  const rows: number[] = []
  for (let a = 0; a < n; a++) {
    let row = 0
    for (let b = 0; b < n; b++) if (holds(a, b)) row |= 1 << b
    rows.push(row)
  }
  return rows
}

/** The relation without a pair. */
export const none = (n: number): Relation => new Array<number>(n).fill(0)

/** A relation with one pair more. */
export const withPair = (r: Relation, a: number, b: number): Relation =>
  r.map((row, k) => (k === a ? row | (1 << b) : row))

/** The pairs of the one or the other. */
export const union = (r: Relation, s: Relation): Relation => r.map((row, a) => row | s[a]!)

/** The pairs of both. */
export const meet = (r: Relation, s: Relation): Relation => r.map((row, a) => row & s[a]!)

/** The pairs a, c with a b between them: a `r` b, b `s` c. */
export const compose = (r: Relation, s: Relation): Relation =>
  r.map((row) => {
    let out = 0
    for (let rest = row; rest !== 0; rest &= rest - 1) out |= s[31 - Math.clz32(rest & -rest)]!
    return out
  })

/** The pairs whose first is in a set of bits. */
export const from = (set: number, r: Relation): Relation =>
  r.map((row, a) => (((set >>> a) & 1) === 1 ? row : 0))

/** One step, two steps, and so on. */
export const closure = (r: Relation): Relation => {
  const rows = [...r]
  for (let k = 0; k < rows.length; k++) {
    const bit = 1 << k
    const through = rows[k]!
    if (through === 0) continue
    for (let a = 0; a < rows.length; a++) if ((rows[a]! & bit) !== 0) rows[a]! |= rows[k]!
  }
  return rows
}

/** Whether no event comes before itself. `closed`: the relation is transitive already. */
export const isAcyclic = (r: Relation): boolean => closure(r).every((row, a) => ((row >>> a) & 1) === 0)

/** The pairs, in order. */
export const pairs = (r: Relation): ReadonlyArray<readonly [number, number]> =>
  r.flatMap((row, a) => {
    const out: Array<readonly [number, number]> = []
    for (let b = 0; b < r.length; b++) if (((row >>> b) & 1) === 1) out.push([a, b])
    return out
  })

/** A shortest way from a to b, its events in order; nothing where there is none. From a to a: a cycle. */
export const path = (r: Relation, a: number, b: number): ReadonlyArray<number> | undefined => {
  const before = new Map<number, number>()
  let front: ReadonlyArray<number> = [a]
  while (front.length > 0) {
    const next: number[] = []
    for (const e of front)
      for (let to = 0; to < r.length; to++)
        if (has(r, e, to) && !before.has(to)) {
          before.set(to, e)
          if (to === b) {
            const way = [b]
            for (let at = e; ; at = before.get(at)!) {
              way.unshift(at)
              if (at === a) return way
            }
          }
          next.push(to)
        }
    front = next
  }
  return undefined
}

/** A shortest cycle, its first event also its last; nothing where there is none. */
export const cycle = (r: Relation): ReadonlyArray<number> | undefined => {
  const closed = closure(r)
  const ways = closed.flatMap((_, a) => {
    const way = has(closed, a, a) ? path(r, a, a) : undefined
    return way === undefined ? [] : [way]
  })
  return ways.reduce<ReadonlyArray<number> | undefined>(
    (best, way) => (best === undefined || way.length < best.length ? way : best),
    undefined,
  )
}
