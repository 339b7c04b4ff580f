import { expect, test } from 'vitest'
import { composed } from '../../../src/layouts/cute/composed.js'
import {
  parseComposed,
  parseLayout,
  parseSlicer,
  parseSwizzle,
  parseTiler,
  parseTuple,
  showComposed,
  showLayout,
  showSlicer,
  showStride,
  showSwizzle,
  showTiler,
  showTuple,
} from '../../../src/layouts/cute/text.js'
import { basis } from '../../../src/layouts/cute/scaled-basis.js'
import { L } from './readers.js'
import { code, right } from '../../either.js'

test('laws 1 and 2: there and back', () => {
  for (const t of ['4', '-3', '()', '(4)', '(4,(2,3))', '((1,2),(3,(4)),5)']) {
    expect(showTuple(right(parseTuple(t)))).toBe(t)
    expect(right(parseTuple(showTuple(right(parseTuple(t)))))).toEqual(right(parseTuple(t)))
  }
  for (const t of ['4:1', '():()', '(4,(2,3)):(1,(4,-8))', '((2,3),4):((1@1@0,1@0@0),-5@1)'])
    expect(showLayout(right(parseLayout(t)))).toBe(t)
  for (const t of ['S<3,4,3>', 'S<0,1,-2>']) expect(showSwizzle(right(parseSwizzle(t)))).toBe(t)
  for (const t of [
    'S<3,4,3> o 0 o (5,4):(4,1)',
    '(4,5):(1,4) o 2 o (2,3):(1,2)',
    '(4,5):(1,4) o (1,-2) o (2,3):(1@0,1@1)',
  ])
    expect(showComposed(right(parseComposed(t)))).toBe(t)
  for (const t of ['[3:1;_;[2:1;4:1]]', '_', '[(3):(1);(4):(1)]', '(3,4):(1,3)', '[]'])
    expect(showTiler(right(parseTiler(t)))).toBe(t)
  for (const t of ['_', '3', '(_,0)', '((_,-1),_)']) expect(showSlicer(right(parseSlicer(t)))).toBe(t)
})

test('what the texts mean', () => {
  expect(right(parseTuple('( 4 , (2,3) )'))).toEqual([4, [2, 3]])
  expect(right(parseTuple('( )'))).toEqual([])
  expect(L('2:1@1@0').stride).toEqual(basis(1, [0, 1]))
  expect(showStride(basis(2, [4, 1]))).toBe('2@1@4')
  expect(showStride(7)).toBe('7')
  expect(right(parseSlicer('(_,3)'))).toEqual(['_', 3])
  expect(right(parseSwizzle('S<2,5,-2>'))).toEqual({ _tag: 'swizzle', bits: 2, base: 5, shift: -2 })
  expect(right(parseComposed('4:1 o 3 o 2:1'))).toEqual(composed(L('4:1'), L('2:1'), 3))
  expect(right(parseTiler('[_]'))).toEqual({ _tag: 'tile', modes: [{ _tag: 'full' }] })
})

test('law 3: what is refused', () => {
  for (const t of ['', '(', '(4', '(4,', '(4,)', '(4;2)', 'x', '4)', '4 ', '4:1', '(4 2)'])
    expect(code(parseTuple(t)), t).toBe('cute.text')
  for (const t of ['4', '4:', ':1', '4:x', '(4,2)', '4:1:2', '(4:1'])
    expect(code(parseLayout(t)), t).toBe('cute.text')
  expect(code(parseLayout('(4,2):1'))).toBe('cute.congruent')
  expect(code(parseLayout('0:1'))).toBe('cute.extent')
  for (const t of ['S<3,4>', 'S<3,4,3', 's<3,4,3>', ' S<3,4,3>'])
    expect(code(parseSwizzle(t)), t).toBe('cute.text')
  expect(code(parseSwizzle('S<3,4,2>'))).toBe('cute.swizzle')
  for (const t of [
    'S<3,4,3>',
    'S<3,4,3> o 0',
    'S<3,4,3> o 0 o ',
    'S<3,4,3> o x o 4:1',
    'S<3,4,3> 0 o 4:1',
    'S<3,4,3> o 0  4:1',
    'x o 0 o 4:1',
  ])
    expect(code(parseComposed(t)), t).toBe('cute.text')
  expect(code(parseComposed('S<3,4,2> o 0 o 4:1'))).toBe('cute.swizzle')
  expect(code(parseComposed('S<3,4,3> o 0 o 0:1'))).toBe('cute.extent')
  for (const t of ['[4:1', '[4:1,2:1]', '[4]', '4', '[_;]']) expect(code(parseTiler(t)), t).toBe('cute.text')
  expect(code(parseTiler('[4:1;0:1]'))).toBe('cute.extent')
  expect(code(parseSlicer('(_,x)'))).toBe('cute.text')
  expect(parseTuple('(4))')).toEqual({
    _tag: 'Left',
    left: {
      code: 'cute.text',
      message: 'Expected a tuple of integers, such as (4,(2,3)), to end at character 3; found "(4))"',
    },
  })
  expect(parseLayout('4')).toEqual({
    _tag: 'Left',
    left: { code: 'cute.text', message: 'Expected a layout, such as (4,2):(1,4); found "4"' },
  })
})

test('law 3: as many levels as the stack has room for, and no more; blanks are passed once', () => {
  const nested = (levels: number): string => `${'('.repeat(levels)}4${')'.repeat(levels)}`
  expect(code(parseTuple(nested(256)))).toBe(null)
  expect(parseTuple(nested(5000))).toMatchObject({
    left: {
      code: 'cute.text',
      message: 'Expected a tuple of integers of at most 256 levels, such as (4,(2,3)); found 5000 levels',
    },
  })
  expect(code(parseTiler('['.repeat(100_000)))).toBe('cute.text')
  expect(code(parseTuple(`(${'4, '.repeat(20_000)}4)`))).toBe(null)
})
