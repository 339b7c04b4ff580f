import { expect, test } from 'vitest'
import type { LinearLayout } from '../../../src/layouts/linear/linear-layout.js'
import { equalIgnoringOutDimSizes, sameLinear, sameNames } from '../../../src/layouts/linear/equality.js'
import { layout } from './small.js'

const of = (first: string, bases: readonly (readonly number[])[], out: string, size: number): LinearLayout =>
  layout(
    [
      [first, bases],
      ['warp', []],
    ],
    [
      [out, size],
      ['dim1', 2],
    ],
  )
const one = (): LinearLayout => of('lane', [[1, 0]], 'dim0', 4)

test('law 1: which differences count', () => {
  const same = of('lane', [[1, 0]], 'dim0', 4)
  const wider = of('lane', [[1, 0]], 'dim0', 8)
  expect([equalIgnoringOutDimSizes(one(), same), sameLinear(one(), same)]).toEqual([true, true])
  expect([equalIgnoringOutDimSizes(one(), wider), sameLinear(one(), wider)]).toEqual([true, false])
  for (const other of [
    of('register', [[1, 0]], 'dim0', 4),
    of('lane', [[2, 0]], 'dim0', 4),
    of('lane', [[1, 1]], 'dim0', 4),
    of('lane', [], 'dim0', 4),
    of(
      'lane',
      [
        [1, 0],
        [0, 0],
      ],
      'dim0',
      4,
    ),
    of('lane', [[1, 0]], 'dim2', 4),
    layout(
      [['lane', [[1, 0]]]],
      [
        ['dim0', 4],
        ['dim1', 2],
      ],
    ),
    layout(
      [
        ['warp', []],
        ['lane', [[1, 0]]],
      ],
      [
        ['dim0', 4],
        ['dim1', 2],
      ],
    ),
    layout(
      [
        ['lane', [[1]]],
        ['warp', []],
      ],
      [['dim0', 4]],
    ),
    layout(
      [
        ['lane', [[1, 0, 0]]],
        ['warp', []],
      ],
      [
        ['dim0', 4],
        ['dim1', 2],
        ['dim2', 2],
      ],
    ),
  ]) {
    expect([equalIgnoringOutDimSizes(one(), other), sameLinear(one(), other)]).toEqual([false, false])
    expect([equalIgnoringOutDimSizes(other, one()), sameLinear(other, one())]).toEqual([false, false])
  }
})

test('names as sets', () => {
  expect(sameNames(['a', 'b'], ['b', 'a'])).toBe(true)
  expect(sameNames(['a', 'b'], ['a'])).toBe(false)
  expect(sameNames(['a'], ['a', 'b'])).toBe(false)
  expect(sameNames(['a', 'b'], ['a', 'c'])).toBe(false)
  expect(sameNames([], [])).toBe(true)
})
