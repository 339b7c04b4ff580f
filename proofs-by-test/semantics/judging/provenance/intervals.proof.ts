/** Lists of k's as intervals. Oracle: the lists themselves. */
import { describe, expect, it } from 'vitest'
import { dice } from '../../../../src/semantics/schedules/naive/random.js'
import {
  against,
  andThen,
  ascending,
  intervals,
  sameIntervals,
  shifted,
  show,
  type Intervals,
} from '../../../../src/semantics/judging/provenance/intervals.js'

const listed = (ks: Intervals): ReadonlyArray<number> => {
  const out: number[] = []
  for (let i = 0; i < ks.length; i += 2) for (let k = ks[i]!; k < ks[i + 1]!; k++) out.push(k)
  return out
}
/** Runs of numbers from 0 to 11, now and then one after the other. */
const drawn = (seed: number): ReadonlyArray<number> => {
  const die = dice(seed)
  return Array.from({ length: die.below(5) }, () => {
    const start = die.below(10)
    return Array.from({ length: 1 + die.below(3) }, (_, i) => start + i)
  }).flat()
}

describe('intervals', () => {
  it('list what they were made of, and neighbours that meet are one', () => {
    for (let seed = 0; seed < 500; seed++) {
      const ks = drawn(seed)
      const made = intervals(Int32Array.from(ks))
      expect(listed(made)).toEqual(ks)
      const breaks = ks.filter((k, i) => i > 0 && ks[i - 1]! + 1 !== k).length
      expect(made.length).toBe(ks.length === 0 ? 0 : 2 * (breaks + 1))
      expect(listed(shifted(made, 5))).toEqual(ks.map((k) => k + 5))
      const sorted = ascending(made)
      const numbers = [...ks].sort((p, q) => p - q)
      expect([...listed(sorted)].sort((p, q) => p - q)).toEqual(numbers)
      for (let i = 2; i < sorted.length; i += 2) expect(sorted[i]!).toBeGreaterThanOrEqual(sorted[i - 2]!)
      const once = numbers.length === 12 && numbers.every((k, i) => k === i)
      expect(against(sorted, 12) === '').toBe(once)
    }
  })
  it('are the same if they list the same', () => {
    const lists: ReadonlyArray<Intervals> = [
      [],
      [0, 1],
      [0, 2],
      [1, 2],
      [0, 1, 0, 1],
      [0, 1, 2, 3],
      [0, 2, 0, 1],
    ]
    for (const x of lists)
      for (const y of lists) expect(sameIntervals(x, y)).toBe(listed(x).join() === listed(y).join())
  })
  it('law 1: one list after another', () => {
    for (let seed = 0; seed < 300; seed++) {
      const [x, y, z] = [0, 1000, 2000].map((base) => intervals(Int32Array.from(drawn(base + seed))))
      expect(listed(andThen(x!, y!))).toEqual([...listed(x!), ...listed(y!)])
      expect(andThen(x!, y!)).toEqual(intervals(Int32Array.from([...listed(x!), ...listed(y!)])))
      expect(andThen(andThen(x!, y!), z!)).toEqual(andThen(x!, andThen(y!, z!)))
      expect(andThen(x!, [])).toEqual(x)
      expect(andThen([], x!)).toEqual(x)
    }
  })
  it('law 2: what is missing and what comes again, in words', () => {
    expect(show([])).toBe('nothing')
    expect(show([0, 64, 128, 192])).toBe('0:64, 128:192')
    expect(against([0, 8], 8)).toBe('')
    expect(against([], 8)).toBe('k-slices 0:8 missing')
    expect(against([0, 4], 8)).toBe('k-slices 4:8 missing')
    expect(against([2, 8], 8)).toBe('k-slices 0:2 missing')
    expect(against([0, 2, 4, 8], 8)).toBe('k-slices 2:4 missing')
    expect(against([0, 8, 2, 4], 8)).toBe('k-slices 2:4 repeated')
    expect(against([0, 4, 2, 8], 8)).toBe('k-slices 2:4 repeated')
    expect(against([0, 4, 0, 4], 8)).toBe('k-slices 4:8 missing, k-slices 0:4 repeated')
    expect(ascending([4, 6, 0, 2, 2, 4])).toEqual([0, 6])
    expect(ascending([0, 4, 0, 2])).toEqual([0, 2, 0, 4])
  })
})
