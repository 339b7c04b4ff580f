/** Sets of generations against plain sets of numbers. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  common,
  empty,
  has,
  highest,
  singleton,
  union,
  type GenerationSet,
} from '../../../../src/semantics/judging/detector/generation-set.js'

const most = 12
/** Its intervals, read off its members: canonical, as law 3 says. */
const asIntervals = (members: ReadonlySet<number>): GenerationSet =>
  Array.from({ length: most + 2 }, (_, n) => n).filter((n) => members.has(n) !== members.has(n - 1))
const members = fc.uniqueArray(fc.nat(most), { maxLength: 9 }).map((all) => new Set(all))
const made = (all: ReadonlySet<number>): GenerationSet =>
  [...all].reduce<GenerationSet>((set, n) => union(set, singleton(n)), empty)

test('members one by one, both together and what both hold', () => {
  fc.assert(
    fc.property(members, members, (x, y) => {
      const [a, b] = [made(x), made(y)]
      expect(a).toEqual(asIntervals(x))
      expect(union(a, b)).toEqual(asIntervals(new Set([...x, ...y])))
      expect(common(a, b)).toEqual(asIntervals(new Set([...x].filter((n) => y.has(n)))))
      expect(common(a, a)).toEqual(a)
      expect(highest(a)).toBe(Math.max(-1, ...x))
      for (let n = -1; n <= most + 1; n++) expect([n, has(a, n)]).toEqual([n, x.has(n)])
    }),
    { numRuns: 200 },
  )
})

test('an operand that holds the other is given back as it is', () => {
  const [a, b] = [made(new Set([0, 1, 2, 5])), made(new Set([1, 5]))]
  expect([union(a, b) === a, union(b, a) === a, union(a, empty) === a]).toEqual([true, true, true])
})
