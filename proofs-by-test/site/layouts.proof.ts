/** Pure parts of the place of layouts: which cells belong together, the command line of a question, and the words of an expression. */
import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { commands } from '../../src/oracle/cli/commands/index.js'
import { tcspec } from '../../src/oracle/cli/program.js'
import { commandLine, quoted, type Request } from '../../site/src/places/layouts/command.js'
import { cuteWords } from '../../site/src/places/layouts/cute-words.js'
import { relation } from '../../site/src/places/layouts/relation.js'
import { beginAt, shownFrom, sizesIn, type Side } from '../../site/src/places/layouts/side.js'
import { answers, world } from '../oracle/serve/here.js'
import { right } from '../either.js'

test('a relation is its pairs, both ways, in ascending order', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { maxLength: 40 }), (pairs) => {
      const { toRight, toLeft } = relation(
        pairs.map(([l]) => l),
        pairs.map(([, r]) => r),
      )
      for (let cell = 0; cell < 10; cell++) {
        expect(toRight(cell)).toEqual(
          pairs
            .filter(([l]) => l === cell)
            .map(([, r]) => r)
            .sort((a, b) => a - b),
        )
        expect(toLeft(cell)).toEqual(
          pairs
            .filter(([, r]) => r === cell)
            .map(([l]) => l)
            .sort((a, b) => a - b),
        )
      }
    }),
  )
})

/** As a shell splits a line, with single quotes. */
const split = (line: string): ReadonlyArray<string> =>
  [...line.matchAll(/(?:[^\s'\\]|\\.|'[^']*')+/g)].map(([word]) =>
    word.replace(
      /'([^']*)'|\\(.)/g,
      (_, inside: string | undefined, escaped: string | undefined) => inside ?? escaped ?? '',
    ),
  )

describe('the command line of a question', () => {
  it('is split into the words that were meant', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 12 }), (word) => {
        expect(split(quoted(word))).toEqual([word])
      }),
    )
  })
  const rows: ReadonlyArray<readonly [string, Request]> = [
    ['layout', { layout: 'WG_STRIDED((64, 16), 2)' }],
    ['layout', { layout: 'check', file: 'WGMMA', against: 'WGMMA_TRANSPOSED', shape: '64x16' }],
    ['layout', { layout: 'words', file: 'WGMMA', shape: '64x16' }],
    ['transform', { transforms: ['tile=8x64', 'swizzle=128'], shape: '16x64', dtype: 'f16' }],
    ['image', { box: '8x64', tensor: '100x256', at: '-4,224', swizzle: '128', elementStrides: '1,1' }],
    ['image', { box: '8x64', store: true }],
    ['tmem', { layouts: ['DEFAULT(1)'], shape: '128x8' }],
    ['banks', { words: ['WGMMA', 'tile=8x64'], shape: '64x64', maxBytes: '4' }],
    ['linear', { words: ['WGMMA'], shape: '64x16', invert: true }],
    ['cute', { words: ['complement', '(2,2):(1,6)', '24'] }],
  ]
  it.each(rows)('%s %j: the terminal answers what the page is answered', async (method, request) => {
    const line = commandLine(method, request)
    const outcome = await tcspec(commands, world)([...split(line).slice(1), '--json'])()
    expect([line, JSON.parse(outcome.stdout)]).toEqual([
      line,
      JSON.parse(right(await answers(method, request, () => undefined))),
    ])
  })
})

test('the words of an expression of CuTe', () => {
  expect(cuteWords('composition (6,2):(8,2)  (4, 3):(3, 1)')).toEqual([
    'composition',
    '(6,2):(8,2)',
    '(4, 3):(3, 1)',
  ])
  expect(cuteWords('S<3,4,3> o 0 o (8,8):(8,1)')).toEqual(['S<3,4,3> o 0 o (8,8):(8,1)'])
  expect(cuteWords('(4,2) : (2,1)')).toEqual(['(4,2):(2,1)'])
  expect(cuteWords('logical_divide (4,2,3):(2,1,8) [3:3;(2,4):(1,8)]')).toHaveLength(3)
  expect(cuteWords('  ')).toEqual([])
})

const side = (rows: number, columns: number, longest = 5): Side => ({
  name: 'cell',
  rows,
  columns,
  rowTitle: 'row',
  columnTitle: 'column',
  rowLabel: String,
  columnLabel: String,
  label: () => '',
  longest,
  colour: () => 0,
  says: String,
})

test('a window holds the cell that is stepped to, and never more cells than are drawn at once', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5000 }),
      fc.integer({ min: 1, max: 5000 }),
      fc.nat(4999),
      fc.nat(4999),
      (rows, columns, r, c) => {
        const [row, column] = [r % rows, c % columns]
        const before = shownFrom(side(rows, columns), [0, 0])
        const { rows: down, columns: across } = shownFrom(side(rows, columns), beginAt(before, row, column))
        expect(row >= down.from && row < down.to && column >= across.from && column < across.to).toBe(true)
        expect((down.to - down.from) * (across.to - across.from)).toBeLessThanOrEqual(131_072)
        const sizes = sizesIn(side(rows, columns), before, 600, false)
        expect(sizes.width).toBeGreaterThanOrEqual(5)
        expect(sizes.height).toBeGreaterThanOrEqual(6)
      },
    ),
  )
})
