import fc from 'fast-check'
import { expect, test } from 'vitest'
import * as L from '../../../src/layouts/linear/linear-layout.js'
import { parse, print } from '../../../src/layouts/linear/print.js'
import { layout, layouts, plain } from './small.js'
import { code, right } from '../../either.js'
import { nightly } from '../../extent.js'

const example = (): L.LinearLayout =>
  layout(
    [
      [
        'lane',
        [
          [0, 1],
          [0, 2],
        ],
      ],
      ['warp', [[1, 0]]],
      ['block', []],
    ],
    [
      ['dim0', 2],
      ['dim1', 4],
    ],
  )
const text = `(lane 4, warp 2, block 1) -> (dim0 2, dim1 4)
lane 1 -> (0, 1)
lane 2 -> (0, 2)
warp 1 -> (1, 0)`

test('the example of the header', () => {
  expect(print(example())).toBe(text)
  expect(right(parse(text))).toEqual(example())
  expect(print(L.empty)).toBe('() -> ()')
  expect(right(parse('() -> ()'))).toEqual(L.empty)
  const wide = layout(
    [['a', [[16, 10]]]],
    [
      ['x', 32],
      ['y', 16],
    ],
  )
  expect(print(wide)).toBe('(a 2) -> (x 32, y 16)\na 1 -> (16, 10)')
  expect(right(parse(print(wide)))).toEqual(wide)
})

test('law 1: round trip', () => {
  fc.assert(
    fc.property(layouts(['register', 'lane', 'a.b_2'], ['dim0', 'dim1', 'dim2'], 3), (l) => {
      expect(right(parse(print(l)))).toEqual(l)
    }),
    { numRuns: 60 },
  )
})

test('law 1: any names', () => {
  const odd = ['', ' ', '1', 'a b', 'a-b', 'é', '"', '\\', '\n', '(x 2)', 'x -> y', '\u0001', '_']
  for (const name of odd) {
    const l = layout(
      [
        [name, [[1, 0]]],
        ['lane', [[0, 0]]],
      ],
      [
        ['dim0', 2],
        [name, 1],
      ],
    )
    expect(right(parse(print(l)))).toEqual(l)
  }
  expect(print(layout([['a b', []]], [['_', 1]]))).toBe('("a b" 1) -> (_ 1)')
  fc.assert(
    fc.property(fc.string(), (name) => {
      const l = layout([[name, [[1]]]], [[name, 2]])
      expect(plain(right(parse(print(l))))).toEqual(plain(l))
    }),
    { numRuns: nightly ? 100 : 20 },
  )
})

test('law 2: blanks do not matter', () => {
  const spaced = `
  (  lane   4 ,warp 2 , block 1 )->(dim0 2,dim1 4  )
  	
 lane 1->( 0 ,1 )
\tlane  2 -> (0,2)
 warp 1 -> (1, 0)\t
`
  expect(print(right(parse(spaced)))).toBe(text)
  expect(right(parse('  ( a  1, b 1 ) -> ( )\n'))).toEqual(
    layout(
      [
        ['a', []],
        ['b', []],
      ],
      [],
    ),
  )
})

test('refusals by code', () => {
  for (const wrong of [
    '',
    'lane 4 -> dim0 4',
    'x (lane 1) -> ()',
    '(lane 1) -> () x',
    '(lane) -> ()',
    '(lane 1,) -> ()',
    '(1 2) -> ()',
    '("a\\x" 1) -> ()',
    '("" 2) -> (dim0 2)',
    '(lane 2) -> (dim0 2)\nlane 1 -> (1)\nlane 2 -> (1)',
    '(lane 2) -> (dim0 2)\nlane 2 -> (1)',
    '(lane 2) -> (dim0 2)\nwarp 1 -> (1)',
    '(lane 2) -> (dim0 2)\nlane 1 -> 1',
    '(lane 2) -> (dim0 2)\nlane 1 -> (1) 2',
    '(lane 2) -> (dim0 2)\nx lane 1 -> (1)',
    '(lane 2) -> (dim0 2)\nlane 1 -> (-1)',
  ])
    expect([wrong, code(parse(wrong))]).toEqual([wrong, 'linear.text'])
  for (const size of ['3', '0', '2147483648'])
    expect(code(parse(`(lane ${size}) -> ()`))).toBe('linear.input-size')
  expect(code(parse('() -> (dim0 3)'))).toBe('linear.output-size')
  expect(code(parse('(lane 2) -> (dim0 2)\nlane 1 -> (2)'))).toBe('linear.basis-range')
  expect(code(parse('(lane 2) -> (dim0 2)\nlane 1 -> ()'))).toBe('linear.basis-rank')
  expect(code(parse('(a 1, a 1) -> ()'))).toBe('linear.name')
})

test('a layout has at most 256 inputs, and outputs', () => {
  const names = (count: number): string =>
    `(${Array.from({ length: count }, (_, i) => `d${String(i)} 2`).join(', ')})`
  const zeros = (count: number): string => `(${Array.from({ length: count }, () => 0).join(', ')})`
  const wide = (count: number): string => `(x 2) -> ${names(count)}\nx 1 -> ${zeros(count)}`
  const high = (count: number): string =>
    [`${names(count)} -> (y 2)`, ...Array.from({ length: count }, (_, i) => `d${String(i)} 1 -> (0)`)].join(
      '\n',
    )
  for (const [text, what] of [
    [wide, 'outputs'],
    [high, 'inputs'],
  ] as const) {
    expect(code(parse(text(256)))).toBe(null)
    expect(parse(text(257))).toMatchObject({
      left: { code: 'linear.dimension', message: `A layout has at most 256 ${what}, found 257` },
    })
  }
})
