/** What lanes have given to one another, by hand. */
import { expect, test } from 'vitest'
import {
  isExchanged,
  withExchange,
  type Exchange,
} from '../../../../src/semantics/judging/detector/exchanges.js'

const exchange = (lanes: number, before: number, ...loads: ReadonlyArray<number>): Exchange => ({
  lanes,
  before,
  loads: new Set(loads),
})

test('law 1: of equal exchanges the latest is kept, and it comes first', () => {
  const first = exchange(0xff, 3, 1, 2)
  const others = [exchange(0xf, 3, 1, 2), exchange(0xff, 3, 1), exchange(0xff, 3, 1, 4), exchange(0xff, 3)]
  const again = exchange(0xff, 9, 2, 1)
  expect(withExchange([], first)).toEqual([first])
  expect(withExchange([...others, first], again)).toEqual([again, ...others])
})

test.each([
  ['all of those lanes, of that load, before', 0x3, 4, 1, true],
  ['not before it', 0x3, 5, 1, false],
  ['a lane that was not there', 0x10, 4, 1, false],
  ['some that were, and one that was not', 0x13, 4, 1, false],
  ['another load', 0x3, 4, 7, false],
  ['whatever they had loaded', 0x3, 4, null, true],
] as const)('asked of %s', (_, lanes, at, site, expected) => {
  const all = [exchange(0xf, 5, 1), exchange(0xf00, 99, 7)]
  expect(isExchanged(all, lanes, at, site)).toBe(expected)
})

test('of no exchange nothing is known', () => {
  expect(isExchanged([], 0, 0, null)).toBe(false)
})
