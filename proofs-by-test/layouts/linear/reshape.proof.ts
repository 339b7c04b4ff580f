import fc from 'fast-check'
import { pipe } from 'fp-ts/lib/function.js'
import * as E from 'fp-ts/lib/Either.js'
import { expect, test } from 'vitest'
import * as L from '../../../src/layouts/linear/linear-layout.js'
import * as R from '../../../src/layouts/linear/reshape.js'
import { key, layout, layouts, plain, pointsIn, pointsOut, valueAt } from './small.js'
import { code, right } from '../../either.js'

const some = layouts(['register', 'lane', 'warp'], ['dim0', 'dim1', 'dim2'])
const names = (l: L.LinearSpec): readonly string[] => l.outputs.map(({ name }) => name)

/** The value of every flattened input as a flattened number: positions in the lists of points. */
const flattened = (l: L.LinearSpec): readonly number[] => {
  const position = new Map(pointsOut(l).map((y, k) => [key(y), k]))
  return pointsIn(l).map((x) => position.get(key(valueAt(l)(x)))!)
}

const split = (): L.LinearLayout =>
  layout(
    [
      ['in1', [[1], [4], [8]]],
      ['in2', [[3]]],
    ],
    [['out', 16]],
  )

test('the examples of the header', () => {
  expect(
    plain(
      right(
        R.reshapeIns([
          { name: 'in3', size: 2 },
          { name: 'in4', size: 8 },
        ])(split()),
      ),
    ),
  ).toEqual({
    inputs: [
      ['in3', [[1]]],
      ['in4', [[4], [8], [3]]],
    ],
    outputs: [['out', 16]],
  })
  expect(
    plain(
      right(
        R.reshapeOuts([
          { name: 'out2', size: 2 },
          { name: 'out3', size: 8 },
        ])(split()),
      ),
    ),
  ).toEqual({
    inputs: [
      [
        'in1',
        [
          [1, 0],
          [0, 2],
          [0, 4],
        ],
      ],
      ['in2', [[1, 1]]],
    ],
    outputs: [
      ['out2', 2],
      ['out3', 8],
    ],
  })
})

test('law 1: transposing moves names and bases together', () => {
  const l = layout(
    [
      ['a', [[1, 0, 2]]],
      ['b', [[0, 1, 3]]],
    ],
    [
      ['x', 2],
      ['y', 4],
      ['z', 8],
    ],
  )
  expect(plain(right(R.transposeOuts(['z', 'x', 'y'])(l)))).toEqual({
    inputs: [
      ['a', [[2, 1, 0]]],
      ['b', [[3, 0, 1]]],
    ],
    outputs: [
      ['z', 8],
      ['x', 2],
      ['y', 4],
    ],
  })
  expect(plain(right(R.transposeIns(['b', 'a'])(l)))).toEqual({
    inputs: [
      ['b', [[0, 1, 3]]],
      ['a', [[1, 0, 2]]],
    ],
    outputs: [
      ['x', 2],
      ['y', 4],
      ['z', 8],
    ],
  })
  fc.assert(
    fc.property(some, (one) => {
      const turned = right(
        pipe(
          R.transposeIns([...L.inputNames(one)].reverse())(one),
          E.chain(R.transposeOuts([...names(one)].reverse())),
        ),
      )
      for (const x of pointsIn(one)) expect(key(valueAt(turned)(x))).toBe(key(valueAt(one)(x)))
    }),
    { numRuns: 40 },
  )
  for (const wrong of [[], ['a'], ['a', 'c'], ['a', 'a'], ['a', 'b', 'b']]) {
    expect(code(R.transposeIns(wrong)(l))).toBe('linear.dimension')
    expect(code(R.transposeOuts(wrong)(l))).toBe('linear.dimension')
  }
})

test('laws 2 and 3: reshaping keeps the flattened function', () => {
  fc.assert(
    fc.property(some, (one) => {
      const total = { in: pointsIn(one).length, out: pointsOut(one).length }
      const flatIn = right(R.flattenIns(one))
      const flatOut = right(R.flattenOuts(one))
      expect(flattened(flatIn)).toEqual(flattened(one))
      expect(flattened(flatOut)).toEqual(flattened(one))
      expect(L.inputDimensions(flatIn)).toEqual(
        L.inputNames(one)
          .slice(0, 1)
          .map((name) => ({ name, size: total.in })),
      )
      expect(flatOut.outputs).toEqual(
        names(one)
          .slice(0, 1)
          .map((name) => ({ name, size: total.out })),
      )
      const cut = [
        { name: 'low', size: Math.min(2, total.in) },
        { name: 'high', size: Math.ceil(total.in / 2) },
      ]
      expect(flattened(right(R.reshapeIns(cut)(one)))).toEqual(flattened(one))
      expect(right(R.reshapeIns(L.inputDimensions(one))(right(R.reshapeIns(cut)(one))))).toEqual(one)
      const cutOut = [
        { name: 'low', size: Math.min(2, total.out) },
        { name: 'high', size: Math.ceil(total.out / 2) },
      ]
      expect(flattened(right(R.reshapeOuts(cutOut)(one)))).toEqual(flattened(one))
      expect(right(R.reshapeOuts(one.outputs)(right(R.reshapeOuts(cutOut)(one))))).toEqual(one)
    }),
    { numRuns: 40 },
  )
  expect(right(R.flattenIns(L.empty))).toEqual(L.empty)
  expect(code(R.reshapeIns([{ name: 'in', size: 8 }])(split()))).toBe('linear.size')
  expect(code(R.reshapeIns([{ name: 'in', size: 12 }])(split()))).toBe('linear.input-size')
  expect(code(R.reshapeOuts([{ name: 'out', size: 8 }])(split()))).toBe('linear.size')
  expect(
    code(
      R.reshapeOuts([
        { name: 'out', size: 0.5 },
        { name: 'out2', size: 32 },
      ])(split()),
    ),
  ).toBe('linear.output-size')
  expect(code(R.reshapeOuts([{ name: 'out', size: 32 }])(split()))).toBe('linear.size')
})

test('law 4: squeezing', () => {
  const l = layout(
    [
      ['a', [[1, 0]]],
      ['b', []],
    ],
    [
      ['x', 2],
      ['y', 1],
    ],
  )
  expect(plain(right(R.squeezeIn('b')(l)))).toEqual({
    inputs: [['a', [[1, 0]]]],
    outputs: [
      ['x', 2],
      ['y', 1],
    ],
  })
  expect(plain(right(R.squeezeOut('y')(l)))).toEqual({
    inputs: [
      ['a', [[1]]],
      ['b', []],
    ],
    outputs: [['x', 2]],
  })
  expect(code(R.squeezeIn('a')(l))).toBe('linear.size')
  expect(code(R.squeezeOut('x')(l))).toBe('linear.size')
  expect(code(R.squeezeIn('c')(l))).toBe('linear.dimension')
  expect(code(R.squeezeOut('c')(l))).toBe('linear.dimension')
})
