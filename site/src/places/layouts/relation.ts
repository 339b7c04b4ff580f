/**
 * Which cells of two boards belong together: an element and the registers that hold it, a byte and its element.
 *
 * Laws
 *  1. r is in `toRight(l)` exactly when (l, r) is one of the pairs, and exactly then l is in `toLeft(r)`
 *  2. partners stand in ascending order
 */
export interface Relation {
  readonly toRight: (left: number) => ReadonlyArray<number>
  readonly toLeft: (right: number) => ReadonlyArray<number>
}

const sorted = (
  from: ReadonlyArray<number>,
  to: ReadonlyArray<number>,
): ((cell: number) => ReadonlyArray<number>) => {
  const partners = new Map<number, number[]>()
  from.forEach((cell, k) => {
    const partner = to[k]
    if (partner === undefined) return
    const before = partners.get(cell)
    if (before === undefined) partners.set(cell, [partner])
    else before.push(partner)
  })
  for (const list of partners.values()) list.sort((a, b) => a - b)
  return (cell) => partners.get(cell) ?? []
}

/** The pairs are (left[k], right[k]). */
export const relation = (left: ReadonlyArray<number>, right: ReadonlyArray<number>): Relation => ({
  toRight: sorted(left, right),
  toLeft: sorted(right, left),
})
