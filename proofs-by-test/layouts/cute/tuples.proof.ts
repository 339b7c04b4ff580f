import { expect, test } from 'vitest'
import {
  ceilDiv,
  compactLeft,
  compactOrder,
  compactRight,
  compatible,
  elementwiseLess,
  equals,
  innerProduct,
  shapeDiv,
  size,
  sizes,
  weaklyCompatible,
} from '../../../src/layouts/cute/int-tuple.js'
import type { IntTuple } from '../../../src/layouts/cute/int-tuple.js'
import { convert, coordinateAt, increment, natural, toIndex } from '../../../src/layouts/cute/coordinate.js'
import {
  congruent,
  depth,
  entries,
  isProfile,
  leaves,
  mapLeaves,
  rank,
} from '../../../src/layouts/cute/tree.js'
import {
  add,
  basis,
  sameStride,
  samePath,
  scale,
  strideAt,
  toTuple,
} from '../../../src/layouts/cute/scaled-basis.js'
import { full, tile, tilerOfShape, tilerSize } from '../../../src/layouts/cute/tiler.js'
import { L, range } from './readers.js'
import { code, right } from '../../either.js'

test('trees, laws 1 and 2: rank, depth, leaves', () => {
  const facts = (t: IntTuple): unknown => [rank(t), depth(t), leaves(t), entries(t)]
  expect(facts(4)).toEqual([1, 0, [4], [4]])
  expect(facts([])).toEqual([0, 1, [], []])
  expect(facts([4])).toEqual([1, 1, [4], [4]])
  expect(facts([4, [2, 3]])).toEqual([2, 2, [4, 2, 3], [4, [2, 3]]])
  expect(depth([[1, [2]], 3])).toBe(3)
  expect(mapLeaves((n: number) => -n)([4, [2, 3]])).toEqual([-4, [-2, -3]])
})

test('trees, law 3: congruence and profiles', () => {
  const trees: IntTuple[] = [7, [7], [7, 7], [7, [7, 7]], [[7, 7], 7], []]
  expect(trees.map((a) => trees.map((b) => Number(congruent(a, b))).join(''))).toEqual([
    '100000',
    '010000',
    '001000',
    '000100',
    '000010',
    '000001',
  ])
  expect(trees.map((a) => trees.map((b) => Number(isProfile(a, b))).join(''))).toEqual([
    '111111',
    '010000',
    '001110',
    '000100',
    '000010',
    '000001',
  ])
})

test('law 1: sizes', () => {
  expect([size(6), size([]), size([4, [2, 3]])]).toEqual([6, 1, 24])
  expect([sizes(6), sizes([]), sizes([4, [2, 3]])]).toEqual([[6], [], [4, 6]])
  expect(equals([4, [2, 3]], [4, [2, 3]])).toBe(true)
  expect(equals([4, [2, 3]], [4, [2, 5]])).toBe(false)
  expect(equals([4, 2, 3], [4, [2, 3]])).toBe(false)
  expect(innerProduct([1, [2, 3]], [4, [5, 6]])).toBe(32)
  expect(innerProduct([1, 2, 3], [4, [5, 6]])).toBe(null)
})

test('law 2: division of shapes', () => {
  expect(right(shapeDiv([[3, 4], 6], 36))).toEqual([[1, 1], 2])
  expect(right(shapeDiv([[3, 4], 6], 6))).toEqual([[1, 2], 6])
  expect(right(shapeDiv(12, [2, 3]))).toBe(2)
  expect(right(shapeDiv([6, 8], [3, 16]))).toEqual([2, 1])
  expect(right(ceilDiv([4, 8], 2))).toEqual([2, 8])
  expect(right(ceilDiv([4, 8], 8))).toEqual([1, 4])
  expect(right(ceilDiv([8, 10, 6], [3, 4]))).toEqual([3, 3, 6])
  expect(right(ceilDiv(7, [3, 1]))).toBe(3)
  expect(right(ceilDiv([[6, 4], 6], [[4, 3], 5]))).toEqual([[2, 2], 2])
  expect(shapeDiv([6, 8], 4)).toEqual({
    _tag: 'Left',
    left: {
      code: 'cute.shape-divides',
      message: 'Neither of 6 and 4 divides the other in a division of shapes',
    },
  })
  expect(code(shapeDiv(6, 4))).toBe('cute.shape-divides')
  expect(code(shapeDiv([[6, 5], 8], [4, 2]))).toBe('cute.shape-divides')
  // The first mode fits, but what it leaves of the divisor does not.
  expect(code(shapeDiv([2, 6], 8))).toBe('cute.shape-divides')
  expect(code(shapeDiv([6, 8, 2], [3, 4]))).toBe('cute.shape-rank')
  expect(code(shapeDiv([6], [3, 4]))).toBe('cute.shape-rank')
  expect(code(ceilDiv([6], [3, 4]))).toBe('cute.shape-rank')
  for (const [a, b] of [
    [[4, 6], 2],
    [[4, 6], 8],
    [[[2, 2], 6], 8],
    [24, 6],
    [
      [4, 6],
      [2, 12],
    ],
  ] as const)
    expect(shapeDiv(a, b)).toEqual(ceilDiv(a, b))
  for (const a of range(13).slice(1))
    for (const b of range(13).slice(1))
      if (a % b === 0 || b % a === 0) expect(shapeDiv(a, b)).toEqual(ceilDiv(a, b))
      else expect(code(shapeDiv(a, b))).toBe('cute.shape-divides')
})

test('law 3: compact strides', () => {
  expect(compactLeft([4, [2, 3]])).toEqual([1, [4, 8]])
  expect(compactRight([4, [2, 3]])).toEqual([6, [3, 1]])
  expect(compactLeft([4, 1, 2])).toEqual([1, 0, 4])
  expect(compactLeft([4, 1, 2], 'running')).toEqual([1, 4, 4])
  expect(compactRight([4, 1, 2])).toEqual([2, 0, 1])
  expect(compactRight([4, 1, 2], 'running')).toEqual([2, 2, 1])
  expect(compactLeft(6)).toBe(1)
  expect(compactRight(1)).toBe(0)
})

test('orders: smaller is faster, an entry orders a nested mode from the left', () => {
  expect(right(compactOrder([2, 2, 2, 2], [0, 2, 3, 1]))).toEqual([1, 4, 8, 2])
  expect(right(compactOrder([4, [2, 3]], [1, 0]))).toEqual([6, [1, 2]])
  expect(right(compactOrder([4, [2, 3]], [1, [2, 0]]))).toEqual([3, [12, 1]])
  expect(right(compactOrder([4, 3, 2], [0, 0, 0]))).toEqual([1, 4, 12])
  expect(right(compactOrder([4, 1, 2], [0, 1, 2], 'running'))).toEqual([1, 4, 4])
  expect(right(compactOrder([4, 1, 2], [0, 1, 2]))).toEqual([1, 0, 4])
  expect(code(compactOrder([4, 3], [0, 1, 2]))).toBe('cute.shape-rank')
  expect(code(compactOrder([4, 3], [0, [1, 2]]))).toBe('cute.shape-rank')
})

test('law 4: compatibility is an order on coordinates', () => {
  const shapes: IntTuple[] = [24, [24], [4, 6], [[2, 2], 6], [2, 12], 12, [12], [4, 12]]
  expect(shapes.map((a) => shapes.map((b) => Number(compatible(a, b))).join(''))).toEqual([
    '11111000',
    '01000000',
    '00110000',
    '00010000',
    '00001000',
    '00000110',
    '00000010',
    '00000001',
  ])
  expect(shapes.map((a) => shapes.map((b) => Number(weaklyCompatible(a, b))).join(''))).toEqual([
    '11111001',
    '01000000',
    '00110001',
    '00010000',
    '00001001',
    '11111111',
    '01000010',
    '00000001',
  ])
  for (const a of shapes)
    for (const b of shapes)
      if (compatible(a, b))
        // Every coordinate of a is read by b, as another name of the same index.
        for (const i of range(size(a))) {
          const c = coordinateAt(a, i)
          expect(right(toIndex(b)(c))).toBe(i)
        }
})

test('law 5: elementwise comparison', () => {
  expect(elementwiseLess([3, [1, 2]], [4, [2, 3]])).toBe(true)
  expect(elementwiseLess([3, [2, 2]], [4, [2, 3]])).toBe(false)
  expect(elementwiseLess([3], [4, 5])).toBe(true)
  expect(elementwiseLess([3, 4], [4])).toBe(false)
  expect(elementwiseLess(3, [4])).toBe(false)
  expect(elementwiseLess([3], 4)).toBe(false)
  expect(elementwiseLess(3, 3)).toBe(false)
})

test('coordinates, laws 1 to 4', () => {
  const shapes: IntTuple[] = [6, [6], [4, [2, 3]], [[2, 3], 4], [2, [1, [3, 2]], 2]]
  for (const s of shapes) {
    const seen = new Set<string>()
    for (let i = -30; i < 60; i++) {
      const c = coordinateAt(s, i)
      expect(right(natural(s)(i))).toEqual(c)
      expect(right(toIndex(s)(c))).toBe(i)
      expect(right(natural(s)(c))).toEqual(c)
      if (i >= 0) expect(right(increment(s)(c))).toEqual(coordinateAt(s, i + 1))
      if (i >= 0 && i < size(s)) {
        expect(elementwiseLess(c, s)).toBe(true)
        expect(leaves(c).every((n) => n >= 0)).toBe(true)
        seen.add(JSON.stringify(c))
      }
    }
    expect(seen.size).toBe(size(s))
  }
  expect(coordinateAt([4, [2, 3]], 5)).toEqual([1, [1, 0]])
  expect(coordinateAt([4, [2, 3]], 27)).toEqual([3, [0, 3]])
  expect(coordinateAt([4, [2, 3]], -5)).toEqual([-1, [-1, 0]])
  expect(right(natural([4, [2, 3]])([1, 5]))).toEqual([1, [1, 2]])
  expect(right(toIndex([4, [2, 3]])([1, 5]))).toBe(21)
  expect(right(toIndex([4, [2, 3]])(21))).toBe(21)
  expect(right(convert([4, [2, 3]], [6, 4])([1, 5]))).toEqual([3, 3])
  expect(right(increment([4, 8])([3, 7]))).toEqual([0, 8])
  for (const f of [natural([4, 2]), toIndex([4, 2]), increment([4, 2]), convert([4, 2], 8)]) {
    expect(code(f([1, 2, 3]))).toBe('cute.coordinate')
    expect(code(f([[1], 2]))).toBe('cute.coordinate')
  }
  expect(code(natural(8)([1]))).toBe('cute.coordinate')
})

test('scaled bases, laws 1 to 3', () => {
  expect(toTuple(basis(3, [1]), 2)).toEqual([0, 6])
  expect(toTuple(basis(2, [0, 1]), 1)).toEqual([[0, 2]])
  expect(toTuple(5, 2)).toBe(10)
  expect(toTuple(basis(2, [2]), 0)).toEqual([0, 0, 0])
  expect(toTuple(-1, 0)).toBe(0)
  expect(strideAt(4, [])).toBe(4)
  expect(strideAt(4, [1])).toEqual({ _tag: 'basis', value: 4, path: [1] })
  expect(scale(3)(basis(2, [1]))).toEqual(basis(6, [1]))
  expect(scale(0)(basis(2, [1]))).toBe(0)
  expect(scale(3)(2)).toBe(6)
  expect(samePath([1, 2], [1, 2])).toBe(true)
  expect(samePath([1, 2], [1, 3])).toBe(false)
  expect(samePath([1], [1, 2])).toBe(false)
  expect(sameStride(basis(2, [1]), basis(2, [1]))).toBe(true)
  expect(sameStride(basis(2, [1]), basis(3, [1]))).toBe(false)
  expect(sameStride(basis(2, [1]), 2)).toBe(false)
  const values: IntTuple[] = [0, [1], [1, 2], [0, [3, 4]], [[5], 0, 6]]
  const compatiblePairs = [
    [0, [1, 2], [1, 2]],
    [[1, 2], 0, [1, 2]],
    [[1], [1, 2], [2, 2]],
    [[1, 2, 3], [1], [2, 2, 3]],
    [
      [0, [3, 4]],
      [1, [1]],
      [1, [4, 4]],
    ],
    [2, 3, 5],
  ] as const
  for (const [a, b, sum] of compatiblePairs) {
    expect(add(a, b)).toEqual(sum)
    expect(add(b, a)).toEqual(sum)
  }
  for (const v of values) expect([add(0, v), add(v, 0)]).toEqual([v, v])
})

test('tilers, law 1', () => {
  expect(tilerOfShape([3, [4, 5]])).toEqual(tile([L('3:1'), tile([L('4:1'), L('5:1')])]))
  expect(tilerOfShape(3)).toEqual(L('3:1'))
  expect(tilerSize(tilerOfShape([3, [4, 5]]))).toBe(60)
  expect(tilerSize(L('(4,8):(1,4)'))).toBe(32)
  expect(tilerSize(tile([L('4:1'), full]))).toBe(null)
  expect(tilerSize(tile([full, L('4:1')]))).toBe(null)
  expect(tilerSize(full)).toBe(null)
  expect(tilerSize(tile([]))).toBe(1)
})
