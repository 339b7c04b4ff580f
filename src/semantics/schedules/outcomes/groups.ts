/**
 * Groups of clusters: those that share a word that decides, directly or through others.
 *
 *     words a: clusters 0, 2    b: 2, 5    c: 3        groups 0 (0, 2, 5) and 3
 *
 * Law 1. Two clusters are in one group just where a chain of joins leads from one to the other.
 */
export interface Grouping {
  /** true: they were in different groups, or in none */
  readonly join: (x: number, y: number) => boolean
  /** the least cluster of the group; -1 of one that is in none */
  readonly of: (cluster: number) => number
  readonly all: () => ReadonlyArray<number>
}

export const grouping = (): Grouping => {
  const least = new Map<number, number>()
  const of = (cluster: number): number => least.get(cluster) ?? -1
  return {
    of,
    join: (x, y) => {
      const [a, b] = [of(x), of(y)]
      if (a >= 0 && a === b) return false
      const to = Math.min(a < 0 ? x : a, b < 0 ? y : b)
      for (const [cluster, group] of least) if (group === a || group === b) least.set(cluster, to)
      least.set(x, to)
      least.set(y, to)
      return true
    },
    all: () => [...new Set(least.values())].sort((a, b) => a - b),
  }
}
