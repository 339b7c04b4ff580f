/**
 * Sums that all come to, number by number: what a word may hold is each part of what is added to it, and a comparison is asked of each.
 */
import { describe, expect, test } from 'vitest'
import { holds } from '../../../../src/semantics/log/comparison.js'
import type { Comparison } from '../../../../src/semantics/log/events.js'
import { addedBy, needsAll, stays, sumsIn } from '../../../../src/semantics/judging/detector/sums.js'
import type { Left } from '../../../../src/semantics/judging/detector/strong-state.js'
import { dice } from '../../../../src/semantics/schedules/naive/random.js'

const half = 2 ** 31
const upwards: ReadonlyArray<Comparison> = ['ge', 'gt', 'hs', 'hi']
const signs: ReadonlyArray<Comparison> = ['os', 'ss']
const others: ReadonlyArray<Comparison> = ['eq', 'ne', 'lt', 'le', 'lo', 'ls', 'sc', 'nc']

describe('a wait that is over stays over with all that is added', () => {
  const die = dice(11)
  test.each([...upwards, ...signs, ...others])('%s', (until) => {
    let [yes, no] = [0, 0]
    for (let k = 0; k < 2_000; k++) {
      const before = die.pick([0, 1, 5, half - 3, half - 1, half, half + 2, 2 * half - 4, 2 * half - 1])
      const more = die.below(7)
      const value = (before - 3 + die.below(7)) | 0
      const found = Array.from({ length: more + 1 }, (_, x) => (before + x) | 0)
      if (!holds(until, before | 0, value)) continue
      const all = found.every((x) => holds(until, x, value))
      const said = stays({ until, before }, more)
      if (said) {
        yes++
        expect([until, before, more, value, all]).toEqual([until, before, more, value, true])
      } else no++
    }
    // of the others nothing is known, and of these all but what wraps
    expect(yes > 0).toBe(!others.includes(until))
    expect(no).toBeGreaterThan(0)
  })

  test('up to the number that wraps, and not beyond it', () => {
    expect(stays({ until: 'ge', before: half - 4 }, 3)).toBe(true)
    expect(stays({ until: 'ge', before: half - 4 }, 4)).toBe(false)
    expect(stays({ until: 'hs', before: 2 * half - 4 }, 3)).toBe(true)
    expect(stays({ until: 'hs', before: 2 * half - 4 }, 4)).toBe(false)
    expect(stays({ until: 'ss', before: half - 4 }, 3)).toBe(true)
    expect(stays({ until: 'ss', before: half - 4 }, 4)).toBe(false)
    expect(stays({ until: 'gt', before: half + 5 }, 1)).toBe(true)
    expect(stays({ until: 'hi', before: half - 1 }, 1)).toBe(true)
  })
})

test('without anything that is added, a wait needs all of it', () => {
  expect(needsAll({ low: 3, added: [] }, 'eq', 3)).toBe(true)
  expect(needsAll({ low: 3, added: [1] }, undefined, 3)).toBe(false)
  // the last of two turns the sign, whichever it is; of three any two do
  expect(needsAll({ low: half - 2, added: [1, 1] }, 'os', 0)).toBe(true)
  expect(needsAll({ low: half - 2, added: [1, 1, 1] }, 'os', 0)).toBe(false)
  // it is over already
  expect(needsAll({ low: half, added: [1] }, 'os', 0)).toBe(false)
})

describe('what a word may hold, for one who knows some of its writes', () => {
  const write = (nth: number, before: number, after: number, adds = true): Left => ({
    stamp: { agent: 0, at: nth, site: 0, lanes: 1 } as Left['stamp'],
    nth,
    before,
    after,
    adds,
    knewAll: true,
  })
  const all = [write(0, 0, 2), write(1, 2, 5), write(2, 5, 6), write(3, 6, 10)]
  const knowing =
    (...nths: ReadonlyArray<number>) =>
    (l: Left): boolean =>
      nths.includes(l.nth)

  test.each([
    // all is known: what the last has left
    [[0, 1, 2, 3], 10, { low: 10, added: [] }],
    // none is: from what was there before the first, each may have come
    [[], 10, { low: 0, added: [2, 3, 1, 4] }],
    [[0], 10, { low: 2, added: [3, 1, 4] }],
    // what is known behind one that is not, is there in any case
    [[0, 2], 10, { low: 3, added: [3, 4] }],
    [[1, 3], 10, { low: 7, added: [2, 1] }],
  ] as const)('who knows %j', (known, before, expected) => {
    expect(sumsIn(all, knowing(...known), before)).toEqual(expected)
  })

  test('what is no addition, and what is no number, is no sum, unless it is known with all before it', () => {
    const stored = [write(0, 0, 7, false), write(1, 7, 8)]
    expect(sumsIn(stored, knowing(), 8)).toBeNull()
    expect(sumsIn(stored, knowing(0), 8)).toEqual({ low: 7, added: [1] })
    expect(sumsIn([], knowing(), Number.NaN)).toBeNull()
    expect(sumsIn([write(0, 0, Number.NaN)], knowing(), 0)).toBeNull()
    expect(sumsIn([write(0, 0, 1), write(1, Number.NaN, 3)], knowing(), 0)).toBeNull()
  })

  test('an addition wraps', () => {
    expect(addedBy({ before: 2 * half - 1, after: 3 })).toBe(4)
    expect(addedBy({ before: -1, after: 1 })).toBe(2)
    expect(sumsIn([write(0, -2, -1), write(1, -1, 1)], knowing(1), 1)).toEqual({ low: 0, added: [1] })
  })
})
