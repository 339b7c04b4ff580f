import { expect, test } from 'vitest'
import { numConsecutiveInOut } from '../../../src/layouts/linear/consecutive.js'
import * as L from '../../../src/layouts/linear/linear-layout.js'
import { every, layout, pointsIn, valueAt } from './small.js'

/** Law 1 tried for every run length, as a sum of numbers. */
const byPoints = (l: L.LinearSpec): number => {
  const [first] = l.inputs
  const [out, ...others] = l.outputs.map(({ name }) => name)
  const holds = (run: number): boolean =>
    pointsIn(l).every((x) => {
      const v = x[first!.name]! % run
      const [at, start] = [valueAt(l)(x), valueAt(l)({ ...x, [first!.name]: x[first!.name]! - v })]
      return at[out!] === start[out!]! + v && others.every((name) => at[name] === start[name])
    })
  const runs = first!.bases.map((_, bit) => 2 ** (bit + 1)).filter(holds)
  return Math.max(1, ...runs)
}

test('law 1: all layouts of 3 bits in two inputs to 4 x 2, and of 3 bits to 8', () => {
  for (const l of [
    ...every(
      [
        ['a', 2],
        ['b', 1],
      ],
      [
        ['x', 4],
        ['y', 2],
      ],
    ),
    ...every([['a', 3]], [['x', 8]]),
  ])
    if (numConsecutiveInOut(l) !== byPoints(l)) expect([l, numConsecutiveInOut(l)]).toEqual([l, byPoints(l)])
})

test('the examples of the header', () => {
  const of = (register: readonly number[], lane: number): number =>
    numConsecutiveInOut(
      layout(
        [
          ['register', register.map((v) => [v])],
          ['lane', [[lane]]],
        ],
        [['dim0', 16]],
      ),
    )
  expect(of([1, 2, 4], 8)).toBe(8)
  expect(of([1, 2, 4], 9)).toBe(1)
  expect(of([1, 2, 8], 4)).toBe(4)
})

test('law 2: nothing to count', () => {
  expect(numConsecutiveInOut(L.empty)).toBe(1)
  expect(numConsecutiveInOut(layout([], [['x', 4]]))).toBe(1)
  expect(numConsecutiveInOut(layout([['a', [[], []]]], []))).toBe(1)
})
