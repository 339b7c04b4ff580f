import { describe, expect, test } from 'vitest'
import * as Linear from '../../../src/layouts/linear/linear-layout.js'
import type { LinearLayout } from '../../../src/layouts/linear/linear-layout.js'
import { indices, range } from '../captured.js'
import { code, right } from '../../either.js'

const bits = (...values: readonly number[]): readonly (readonly number[])[] => values.map((v) => [v])

const wgmma = (n: number): LinearLayout =>
  right(
    Linear.registerLinearLayout(
      [64, n],
      [[0, 1], [8, 0], ...range(Math.log2(n / 8)).map((k) => [0, 8 * 2 ** k])],
      [
        [0, 2],
        [0, 4],
        [1, 0],
        [2, 0],
        [4, 0],
      ],
      [
        [16, 0],
        [32, 0],
      ],
    ),
  )

type Row = readonly [string, () => LinearLayout, number, boolean, boolean]

const of = (
  shape: readonly number[],
  ...bases: readonly [
    register: readonly (readonly number[])[],
    lane: readonly (readonly number[])[],
    warp: readonly (readonly number[])[],
  ]
): LinearLayout => right(Linear.registerLinearLayout(shape, ...bases))

/** Name, layout, rank, onto, one-to-one. */
const layouts: readonly Row[] = [
  ['mma v3, 64 x 32', () => wgmma(32), 11, true, true],
  // sizePerThread 1, threadsPerWarp 4, warps 4
  ['blocked, 16', () => of([16], [], bits(1, 2), bits(4, 8)), 4, true, true],
  ['blocked, overshooting', () => of([4], [], bits(1, 2), bits(0, 0)), 2, true, false],
  ['half of an array', () => of([8], bits(1), bits(2), []), 2, false, true],
  ['bases of one input that share a bit', () => of([8], bits(3, 7), bits(1), []), 3, true, true],
  ['xor of two bits', () => of([4], bits(3), bits(1, 2), []), 2, true, false],
]

const sizesOf = (layout: LinearLayout): readonly number[] =>
  layout.inputs.map((input) => 2 ** input.bases.length)

const valueOf =
  (layout: LinearLayout) =>
  (x: readonly number[]): readonly number[] =>
    Linear.apply(layout)(Object.fromEntries(layout.inputs.map((input, k) => [input.name, x[k]!])))

describe.each([...layouts])('%s', (_, make, rank, onto, oneToOne) => {
  test('law 1: linear, all pairs with a power of two', () => {
    const layout = make()
    const [sizes, at] = [sizesOf(layout), valueOf(layout)]
    const units = layout.inputs.flatMap((input, k) =>
      input.bases.map((_, bit) => sizes.map((_, j) => (j === k ? 2 ** bit : 0))),
    )
    for (const x of indices(sizes))
      expect(units.map((y) => at(x.map((v, k) => v ^ y[k]!)))).toEqual(
        units.map((y) => at(x).map((v, k) => v ^ at(y)[k]!)),
      )
    expect(units.map(at)).toEqual(layout.inputs.flatMap((input) => input.bases))
  })

  test('law 2: onto and one-to-one by counting the image', () => {
    const layout = make()
    const all = indices(sizesOf(layout))
    const image = new Set(all.map((x) => valueOf(layout)(x).join()))
    const outputs = indices(Linear.outputShape(layout)).length
    expect(Linear.rank(layout)).toBe(rank)
    expect(image.size).toBe(2 ** rank)
    expect(Linear.isSurjective(layout)).toBe(image.size === outputs)
    expect(Linear.isSurjective(layout)).toBe(onto)
    expect(Linear.isInjective(layout)).toBe(image.size === all.length)
    expect(Linear.isInjective(layout)).toBe(oneToOne)
  })

  test('law 4: the table of positions', () => {
    const layout = make()
    const shape = Linear.outputShape(layout)
    const names = ['warp', 'lane', 'register']
    const expected = indices(names.map((name) => Linear.inputSize(layout, name))).map((x) =>
      Linear.apply(layout)({ warp: x[0]!, lane: x[1]!, register: x[2]! }).reduce(
        (p, i, k) => p * shape[k]! + i,
        0,
      ),
    )
    expect([...Linear.positionTable(layout, names)]).toEqual(expected)
  })
})

test('law 1: the example of the header', () => {
  const l = right(
    Linear.registerLinearLayout(
      [8, 8],
      [[0, 1]],
      [
        [0, 2],
        [0, 4],
        [1, 0],
        [2, 0],
        [4, 0],
      ],
      [],
    ),
  )
  expect(Linear.apply(l)({ lane: 13, register: 1 })).toEqual([3, 3])
  expect(Linear.apply(l)({})).toEqual([0, 0])
})

test('law 3: slices of the mma v3 layout, bases by hand', () => {
  const rows = right(Linear.sliceDimension(1)(wgmma(64)))
  const columns = right(Linear.sliceDimension(0)(wgmma(64)))
  const bases = (l: LinearLayout): unknown =>
    Object.fromEntries(l.inputs.map((input) => [input.name, input.bases.flat()]))
  expect(bases(rows)).toEqual({ register: [8], lane: [0, 0, 1, 2, 4], warp: [16, 32] })
  expect(bases(columns)).toEqual({ register: [1, 8, 16, 32], lane: [2, 4, 0, 0, 0], warp: [0, 0] })
  expect(rows.outputs).toEqual([{ name: 'dim0', size: 64 }])
  expect(columns.outputs).toEqual([{ name: 'dim0', size: 64 }])
})

test('law 3: what still tells rows or columns apart stays', () => {
  const cube = of(
    [2, 4, 4],
    [
      [1, 0, 0],
      [1, 2, 0],
      [0, 1, 1],
    ],
    [
      [1, 0, 0],
      [0, 0, 2],
    ],
    [],
  )
  expect(right(Linear.sliceDimension(0)(cube))).toEqual(
    of(
      [4, 4],
      [
        [2, 0],
        [1, 1],
      ],
      [
        [0, 0],
        [0, 2],
      ],
      [],
    ),
  )
})

test('refusals by code', () => {
  const refusal = (shape: readonly number[], register: readonly (readonly number[])[]): string | null =>
    code(Linear.registerLinearLayout(shape, register, [], []))
  expect(
    refusal(
      [8, 8],
      [
        [0, 1],
        [7, 7],
      ],
    ),
  ).toBeNull()
  expect(refusal([8, 6], [])).toBe('linear.output-size')
  expect(refusal([0], [])).toBe('linear.output-size')
  expect(refusal([8, 8], [[1]])).toBe('linear.basis-rank')
  expect(refusal([8, 8], [[0, 8]])).toBe('linear.basis-range')
  expect(refusal([8, 8], [[-1, 0]])).toBe('linear.basis-range')
  expect(refusal([8, 8], [[0.5, 0]])).toBe('linear.basis-range')
  expect(
    code(
      Linear.linearLayout({
        inputs: [
          { name: 'lane', bases: [] },
          { name: 'lane', bases: [] },
        ],
        outputs: [],
      }),
    ),
  ).toBe('linear.name')
  expect(
    Linear.isLinearLayout({
      _tag: 'linear',
      inputs: [{ name: 'lane', bases: [[9]] }],
      outputs: [{ name: 'dim0', size: 8 }],
    }),
  ).toBe(false)
})

test('refusals of inputs: at most 30 bits, distinct outputs', () => {
  const zeros = (n: number): string | null =>
    code(Linear.linearLayout({ inputs: [{ name: 'offset', bases: range(n).map(() => []) }], outputs: [] }))
  expect(zeros(30)).toBeNull()
  expect(zeros(31)).toBe('linear.input-size')
  const out = { name: 'dim0', size: 2 }
  expect(code(Linear.linearLayout({ inputs: [], outputs: [out, out] }))).toBe('linear.name')
  expect(code(Linear.linearLayout({ inputs: [], outputs: [{ name: 'dim0', size: 2 ** 30 }] }))).toBeNull()
  for (const size of [2 ** 31, 1.5, -2, Infinity, NaN])
    expect(code(Linear.linearLayout({ inputs: [], outputs: [{ name: 'dim0', size }] }))).toBe(
      'linear.output-size',
    )
})

test('a message names the dimension, the rule and what was found', () => {
  expect(Linear.linearLayout({ inputs: [], outputs: [{ name: 'dim1', size: 48 }] })).toEqual({
    _tag: 'Left',
    left: {
      code: 'linear.output-size',
      message: 'The size of output dim1 must be a power of two, at most 2^30, found 48',
    },
  })
  expect(
    Linear.showDimensions([
      { name: 'lane', size: 32 },
      { name: 'warp', size: 4 },
    ]),
  ).toBe('(lane 32, warp 4)')
})

test('law 5: one-dimensional layouts by their values', () => {
  const values = (l: LinearLayout): readonly (readonly number[])[] =>
    range(Linear.inputSize(l, 'in')).map((x) => Linear.apply(l)({ in: x }))
  for (const size of [1, 2, 4, 8, 16])
    for (const stride of [1, 2, 8]) {
      const strided = right(Linear.strided1D(size, stride, 'in', 'out'))
      expect(values(strided)).toEqual(range(size).map((x) => [stride * x]))
      expect(Linear.outputShape(strided)).toEqual([stride * size])
      expect(values(right(Linear.zeros1D(size, 'in', 'out', stride)))).toEqual(range(size).map(() => [0]))
      expect(Linear.outputShape(right(Linear.zeros1D(size, 'in', 'out', stride)))).toEqual([stride])
    }
  expect(right(Linear.identity1D(8, 'in', 'out'))).toEqual(right(Linear.strided1D(8, 1, 'in', 'out')))
  expect(right(Linear.zeros1D(2, 'in', 'out')).outputs).toEqual([{ name: 'out', size: 1 }])
  expect(Linear.inputSize(right(Linear.identity1D(2 ** 30, 'in', 'out')), 'in')).toBe(2 ** 30)
  expect(Linear.empty).toEqual({ _tag: 'linear', inputs: [], outputs: [] })
  for (const size of [0, 3, -4, 2.5, Infinity, NaN, 2 ** 31]) {
    expect(code(Linear.identity1D(size, 'in', 'out'))).toBe('linear.output-size')
    expect(code(Linear.zeros1D(size, 'in', 'out'))).toBe('linear.input-size')
  }
  expect(code(Linear.strided1D(4, 3, 'in', 'out'))).toBe('linear.output-size')
  expect(code(Linear.strided1D(4, 0, 'in', 'out'))).toBe('linear.output-size')
  expect(code(Linear.zeros1D(4, 'in', 'out', 3))).toBe('linear.output-size')
})

test('law 6: inferred sizes', () => {
  const inferred = (
    ...bases: readonly (readonly number[])[]
  ): ReturnType<typeof Linear.linearLayoutInferred> =>
    Linear.linearLayoutInferred([{ name: 'in', bases }], ['a', 'b'])
  expect(right(inferred([1, 0], [5, 1], [2, 0], [0, 1])).outputs).toEqual([
    { name: 'a', size: 8 },
    { name: 'b', size: 2 },
  ])
  expect(right(Linear.linearLayoutInferred([], ['a'])).outputs).toEqual([{ name: 'a', size: 1 }])
  expect(right(Linear.linearLayoutInferred([], []))).toEqual(Linear.empty)
  expect(inferred([1, 0], [4, 0])).toEqual({
    _tag: 'Left',
    left: {
      code: 'linear.not-surjective',
      message: 'The bases reach 2^2 values of the outputs (a 8, b 1): give the sizes, or bases onto them',
    },
  })
  expect(code(inferred([1]))).toBe('linear.basis-rank')
  expect(code(inferred([-1, 0]))).toBe('linear.basis-range')
  expect(code(inferred([0.5, 0]))).toBe('linear.basis-range')
  expect(code(inferred([2 ** 31, 0]))).toBe('linear.output-size')
})

test('law 7: columns and back, by hand and on every layout above', () => {
  const l = right(
    Linear.linearLayout({
      inputs: [
        {
          name: 'in1',
          bases: [
            [1, 2],
            [3, 0],
          ],
        },
        { name: 'in2', bases: [[0, 1]] },
        { name: 'in3', bases: [] },
      ],
      outputs: [
        { name: 'a', size: 4 },
        { name: 'b', size: 8 },
      ],
    }),
  )
  expect(Linear.columns(l)).toEqual([0b01001n, 0b00011n, 0b00100n])
  // b minor, and a of more bits
  expect(
    Linear.columns(l, [
      { name: 'b', size: 8 },
      { name: 'a', size: 16 },
    ]),
  ).toEqual([0b01010n, 0b11000n, 0b00001n])
  expect(
    Linear.columns(l, [
      { name: 'c', size: 2 },
      { name: 'a', size: 4 },
    ]),
  ).toEqual([2n, 6n, 0n])
  for (const one of [l, ...layouts.map((row) => row[1]())])
    expect(right(Linear.fromColumns(Linear.inputDimensions(one), one.outputs, Linear.columns(one)))).toEqual(
      one,
    )
  expect(Linear.inputDimensions(l)).toEqual([
    { name: 'in1', size: 4 },
    { name: 'in2', size: 2 },
    { name: 'in3', size: 1 },
  ])
  expect(Linear.inputSize(l, 'in4')).toBe(1)
  expect(Linear.basesOf(l, 'in2')).toEqual([[0, 1]])
  expect(Linear.basesOf(l, 'in4')).toEqual([])
  expect([Linear.outputSize(l, 'b'), Linear.outputSize(l, 'c')]).toEqual([8, 1])
  expect(Linear.inputNames(l)).toEqual(['in1', 'in2', 'in3'])
  expect(Linear.outputNames(l)).toEqual(['a', 'b'])
  expect(code(Linear.fromColumns([{ name: 'in', size: 3 }], [], [0n, 0n]))).toBe('linear.input-size')
  expect(code(Linear.fromColumns([{ name: 'in', size: 4 }], [], [0n]))).toBe('linear.size')
  for (const size of [3, 0, 1.5])
    expect(code(Linear.fromColumns([{ name: 'in', size: 4 }], [{ name: 'a', size }], [0n, 0n]))).toBe(
      'linear.output-size',
    )
})
