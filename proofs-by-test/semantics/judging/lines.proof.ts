/** Lines of a source, of operations whose place has a line and a column, a line alone, or neither. */
import { expect, test } from 'vitest'
import type { Operation } from '../../../src/semantics/judging/finding.js'
import { authorLineOf, lineOf, lineOrder } from '../../../src/semantics/judging/lines.js'

const at = (loc: string | undefined): Operation =>
  Object.assign(
    { index: 0, agent: 'one@0', site: 'x', path: [], iteration: [], at: 1, does: 'reads' },
    loc === undefined ? {} : { loc },
  ) as Operation

test.each<readonly [string | undefined, string | null, string | null]>([
  ['a/k.cu:12:5', 'a/k.cu:12', 'a/k.cu:12'],
  ['k.cu:1:30', 'k.cu:1', 'k.cu:1'],
  ['C:\\k.cu:120:7', 'C:\\k.cu:120', 'C:\\k.cu:120'],
  ['two\nlines.cu:12:5', 'two\nlines.cu:12', 'two\nlines.cu:12'],
  // no column
  ['k.cu:12', null, 'k.cu:12'],
  ['k.cu:7', null, 'k.cu:7'],
  ['two\nlines.cu:12', null, 'two\nlines.cu:12'],
  // no line
  ['k.cu', null, null],
  ['k.cu:12:5 and more', null, null],
  ['k.cu:', null, null],
  [undefined, null, null],
])('%j', (loc, line, author) => {
  expect([lineOf(at(loc)), authorLineOf(at(loc))]).toEqual([line, author])
})

test('no operation is in no line, and not in an unknown one', () => {
  expect([lineOf(undefined), authorLineOf(undefined)]).toEqual(['', ''])
})

test('lines of one file are in order by their numbers, and nothing else is', () => {
  const order = (x: string, y: string): number => Math.sign(lineOrder(at(x), at(y)))
  expect(order('k.cu:9:1', 'k.cu:12:1')).toBe(-1)
  expect(order('k.cu:12:1', 'k.cu:9:1')).toBe(1)
  expect(order('k.cu:9:1', 'k.cu:9:7')).toBe(0)
  expect(order('k.cu:9:1', 'j.cu:12:1')).toBe(0)
  expect(order('k.cu:9:1', 'k.cu:12')).toBe(0)
  expect(order('k.cu:9', 'k.cu:12')).toBe(0)
})
