import { expect, test } from 'vitest'
import type { Layout } from '../../../src/layouts/cute/layout.js'
import {
  append,
  appendTo,
  at,
  cosize,
  dice,
  equals,
  evaluate,
  filterZeros,
  flatModes,
  flatten,
  fromModes,
  get,
  group,
  identityLayout,
  isPlain,
  layout,
  layoutLike,
  leaf,
  modes,
  offsetAt,
  orderedLayout,
  prepend,
  prependTo,
  rank,
  select,
  size,
  slice,
  table,
  take,
  trivial,
} from '../../../src/layouts/cute/layout.js'
import { basis } from '../../../src/layouts/cute/scaled-basis.js'
import { coordinateAt } from '../../../src/layouts/cute/coordinate.js'
import { showLayout } from '../../../src/layouts/cute/text.js'
import { allLayouts, extent, failing, image, L, range, same, text, value } from './readers.js'
import { code, right } from '../../either.js'

test('construction: what is no layout is refused', () => {
  expect(right(layout([4, 2], [1, 4]))).toEqual({ _tag: 'layout', shape: [4, 2], stride: [1, 4] })
  expect(text(layout([4, [2, 3]]))).toBe('(4,(2,3)):(1,(4,8))')
  expect(text(layout(5))).toBe('5:1')
  expect(code(layout([4, 2], 1))).toBe('cute.congruent')
  expect(code(layout([4, [2, 2]], [1, 4, 8]))).toBe('cute.congruent')
  for (const n of [0, -1, 1.5, NaN]) expect(code(layout([4, n], [1, 4]))).toBe('cute.extent')
  expect(code(layout(4, 0.5))).toBe('cute.stride')
  expect(code(layout(4, basis(0.5, [0])))).toBe('cute.stride')
  expect(code(layout(4, basis(1, [])))).toBe('cute.stride')
  expect(code(layout(4, basis(1, [-1])))).toBe('cute.stride')
  expect(code(layout(4, basis(1, [0, 0.5])))).toBe('cute.stride')
  expect(code(layout([4, 2], [1, basis(1, [0])]))).toBe('cute.codomain')
  expect(code(layout([4, 2], [basis(1, [0]), basis(1, [0, 1])]))).toBe('cute.codomain')
  expect(code(layout([4, 2], [basis(1, [1, 0]), basis(1, [1])]))).toBe('cute.codomain')
  // A stride of 0 adds nothing, so it is no clash.
  expect(text(layout([4, 2], [0, basis(1, [0])]))).toBe('(4,2):(0,1@0)')
  expect(text(layout([4, 2], [basis(1, [1]), basis(1, [0, 1])]))).toBe('(4,2):(1@1,1@1@0)')
  expect(text(layout([4, 2], [basis(1, [0, 1]), basis(1, [0, 0])]))).toBe('(4,2):(1@1@0,1@0@0)')
  expect(text(layout([4, 2], [-1, 4]))).toBe('(4,2):(-1,4)')
  expect(text(layout([], []))).toBe('():()')
})

test('law 1: evaluation is the sum of coordinate times stride, with no end to the last mode', () => {
  const indices = range(20)
  const byLeaves = (l: Layout): boolean => {
    const want = image(l, 20)
    return (
      same(
        indices.map((i) => Number(at(l, i))),
        want,
      ) &&
      same(
        indices.map((i) => offsetAt(l, i)),
        want,
      ) &&
      same(
        indices.map((i) => Number(right(evaluate(l, coordinateAt(l.shape, i))))),
        want,
      )
    )
  }
  expect(failing(allLayouts(2, [1, 2, 3], [-1, 0, 1, 5]), byLeaves, showLayout)).toEqual([])
  expect(range(16).map((i) => at(L('(4,(2,2)):(2,(1,8))'), i))).toEqual([
    0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15,
  ])
  expect(table(L('(2,2):(3,1)'))).toEqual([0, 3, 1, 4])
  expect(at(L('4:2'), 7)).toBe(14)
  expect(at(L('(4,2):(1,8)'), -5)).toBe(-9)
  const l = L('(4,(2,3)):(1,(4,8))')
  expect(right(evaluate(l, [1, 5]))).toBe(21)
  expect(right(evaluate(l, [1, [1, 2]]))).toBe(21)
  expect(right(evaluate(l, 21))).toBe(21)
  expect(code(evaluate(l, [1, 2, 3]))).toBe('cute.coordinate')
})

test('law 1: basis strides give coordinates', () => {
  const l = L('((2,3),4):((2@0@0,3@1@0),5@1)')
  expect(at(l, 0)).toEqual([[0, 0], 0])
  expect(at(l, 3)).toEqual([[2, 3], 0])
  expect(right(evaluate(l, [[1, 2], 3]))).toEqual([[2, 6], 15])
  expect(right(evaluate(L('(4,8):(1@1,1@0)'), [1, 2]))).toEqual([2, 1])
  expect(isPlain(l)).toBe(false)
  expect(isPlain(L('(4,2):(0,1)'))).toBe(true)
})

test('law 2: size and cosize', () => {
  for (const l of allLayouts(2, [1, 2, 3], [0, 1, 4, 7])) {
    expect(size(l)).toBe(extent(l))
    expect(cosize(l)).toBe(1 + Math.max(...image(l)))
  }
  expect(cosize(L('4:-1'))).toBe(-2)
  expect(cosize(L('(2,3):(1@0,1@1)'))).toBe(6)
  expect(cosize(L('(2,3):(5@0,2@1)'))).toBe(30)
})

test('law 3: modes, groups and flattening', () => {
  const l = L('((4,3),((3,(2,2)),2)):((1,4),((12,(36,72)),144))')
  expect(modes(l).map(showLayout)).toEqual(['(4,3):(1,4)', '((3,(2,2)),2):((12,(36,72)),144)'])
  expect(equals(fromModes(modes(l)), l)).toBe(true)
  expect(modes(L('4:2')).map(showLayout)).toEqual(['4:2'])
  expect([rank(l), rank(L('4:2')), rank(L('():()'))]).toEqual([2, 1, 0])
  expect(showLayout(flatten(l))).toBe('(4,3,3,2,2,2):(1,4,12,36,72,144)')
  expect(showLayout(flatten(L('4:2')))).toBe('4:2')
  expect(showLayout(flatten(L('(4):(2)')))).toBe('(4):(2)')
  expect(image(flatten(l))).toEqual(image(l))
  expect(flatModes(L('(4,(2,1)):(1,(4,1))'))).toEqual([
    { shape: 4, stride: 1 },
    { shape: 2, stride: 4 },
    { shape: 1, stride: 1 },
  ])
  expect(text(get(l, [1, 0, 1]))).toBe('(2,2):(36,72)')
  expect(text(get(l, []))).toBe(showLayout(l))
  expect(text(get(L('4:1'), [0]))).toBe('4:1')
  expect(code(get(l, [1, 2]))).toBe('cute.mode')
  expect(code(get(L('4:1'), [1]))).toBe('cute.mode')
  const flat = L('(4,5,6):(1,4,20)')
  expect(text(group(flat, 1, 3))).toBe('(4,(5,6)):(1,(4,20))')
  expect(text(group(flat, 0, 1))).toBe('((4),5,6):((1),4,20)')
  for (const [from, to] of [
    [-1, 2],
    [1, 1],
    [2, 1],
    [1, 4],
  ] as const)
    expect(code(group(flat, from, to))).toBe('cute.mode')
  expect(text(select(flat, [2, 0]))).toBe('(6,4):(20,1)')
  expect(code(select(flat, [0, 3]))).toBe('cute.mode')
  expect(showLayout(take(flat, 1, 3))).toBe('(5,6):(4,20)')
  expect(showLayout(append(flat, leaf(2, 9)))).toBe('(4,5,6,2):(1,4,20,9)')
  expect(showLayout(prepend(flat, leaf(2, 9)))).toBe('(2,4,5,6):(9,1,4,20)')
  expect(showLayout(appendTo(L('4:2'), 3))).toBe('(4,1,1):(2,0,0)')
  expect(showLayout(appendTo(L('4:2'), 1))).toBe('4:2')
  expect(showLayout(appendTo(L('4:2'), 2, leaf(3, 7)))).toBe('(4,3):(2,7)')
  expect(showLayout(prependTo(L('4:2'), 3))).toBe('(1,1,4):(0,0,2)')
  expect(showLayout(prependTo(L('4:2'), 2, leaf(3, 7)))).toBe('(3,4):(7,2)')
  expect(showLayout(trivial)).toBe('1:0')
})

test('equality is of representations', () => {
  const l = L('(4,(2,1)):(1@0,(4@1,1@0))')
  expect(equals(l, L('(4,(2,1)):(1@0,(4@1,1@0))'))).toBe(true)
  for (const other of [
    '(4,2,1):(1@0,4@1,1@0)',
    '(4,(3,1)):(1@0,(4@1,1@0))',
    '(4,(2,1)):(1@0,(5@1,1@0))',
    '(4,(2,1)):(1@0,(4@2,1@0))',
  ])
    expect(equals(l, L(other))).toBe(false)
})

test('law 4: a slice and its offset', () => {
  const l = L('((2,4),3):((1,2),8)')
  const cut = (s: Parameters<typeof slice>[1]): unknown => {
    const r = right(slice(l, s))
    return [showLayout(r.layout), r.offset]
  }
  expect(cut(['_', 2])).toEqual(['((2,4)):((1,2))', 16])
  expect(cut([3, '_'])).toEqual(['(3):(8)', 3])
  expect(cut([['_', 3], '_'])).toEqual(['(2,3):(1,8)', 6])
  expect(cut([[1, '_'], 1])).toEqual(['(4):(2)', 9])
  expect(cut('_')).toEqual([showLayout(l), 0])
  expect(cut(9)).toEqual(['():()', 9])
  expect(code(slice(l, ['_', '_', 1]))).toBe('cute.coordinate')
  expect(code(slice(l, ['_', ['_']]))).toBe('cute.coordinate')
  expect(code(slice(L('4:1'), ['_']))).toBe('cute.coordinate')
  expect(text(dice(l, ['_', 2]))).toBe('(3):(8)')
  expect(text(dice(l, [['_', 3], 1]))).toBe('(4,3):(2,8)')
  expect(text(dice(l, 7))).toBe(showLayout(l))
  expect(text(dice(l, '_'))).toBe('():()')
  expect(code(dice(l, [1, '_', '_']))).toBe('cute.coordinate')
  for (const i of range(8))
    for (const k of range(3)) {
      const { layout: column, offset } = right(slice(l, ['_', k]))
      expect(value(column, i) + Number(offset)).toBe(right(evaluate(l, [i, k])))
    }
})

test('law 5: ordered layouts and layouts like another', () => {
  expect(text(orderedLayout([4, 2], [1, 0]))).toBe('(4,2):(2,1)')
  expect(code(orderedLayout([4, 2], [0, 1, 2]))).toBe('cute.shape-rank')
  expect(text(layoutLike(L('8:2')))).toBe('8:1')
  expect(text(layoutLike(L('(4,(2,3)):(30,(0,7))')))).toBe('(4,(2,3)):(3,(0,1))')
  expect(text(layoutLike(L('(4,2):(4,4)')))).toBe('(4,2):(1,4)')
  expect(code(layoutLike(L('(4,2):(1@0,1@1)')))).toBe('cute.plain')
  for (const l of allLayouts(2, [2, 3, 4], [1, 2, 5]))
    expect([...image(right(layoutLike(l)))].sort((a, b) => a - b)).toEqual(range(extent(l)))
  expect(showLayout(filterZeros(L('(4,(2,3)):(1,(0,5))')))).toBe('(4,(1,3)):(1,(0,5))')
  expect(showLayout(filterZeros(L('(4,2):(1@0,0)')))).toBe('(4,1):(1@0,0)')
})

test('law 6: the identity layout', () => {
  const shape = [4, [2, 3]]
  expect(showLayout(identityLayout(shape))).toBe('(4,(2,3)):(1@0,(1@0@1,1@1@1))')
  expect(showLayout(identityLayout(5))).toBe('5:1')
  for (const i of range(24)) expect(at(identityLayout(shape), i)).toEqual(coordinateAt(shape, i))
})
