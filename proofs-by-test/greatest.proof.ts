/** The greatest and the least of many numbers: as `Math.max` says, and of lists that no call could take. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { greatest, least } from '../src/greatest.js'
import { table } from '../src/render/table.js'

describe('law 1', () => {
  test('of few numbers: what Math says', () => {
    expect([greatest(0)([]), greatest(0)([-3]), greatest(-9)([-3, -5]), greatest(2)([1, 7, 3])]).toEqual([
      0, 0, -3, 7,
    ])
    expect([least(0)([]), least(0)([3]), least(9)([3, 5]), least(Infinity)(new Set([4, 2]))]).toEqual([
      0, 0, 3, 2,
    ])
    fc.assert(
      fc.property(fc.double(), fc.array(fc.double(), { maxLength: 6 }), (bound, xs) => {
        expect(greatest(bound)(xs)).toBe(Math.max(bound, ...xs))
        expect(least(bound)(xs)).toBe(Math.min(bound, ...xs))
      }),
      { numRuns: 50 },
    )
  })
})

describe('as long as a user can make it', () => {
  const long = 200_000
  test('numbers', () => {
    const xs = Float64Array.from({ length: long }, (_, k) => k)
    expect(() => Math.max(...xs)).toThrow(RangeError)
    expect([greatest(0)(xs), least(0)(xs)]).toEqual([long - 1, 0])
  })
  test('rows of a table', () => {
    const rows = Array.from({ length: long }, (_, k) => [String(k)])
    expect(table(rows).length).toBe(rows.join('\n').length)
  })
})
