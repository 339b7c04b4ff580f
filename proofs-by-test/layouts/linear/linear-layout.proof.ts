import { describe, expect, test } from 'vitest'
import * as Linear from '../../../src/layouts/linear/linear-layout.js'
import type { LinearLayout } from '../../../src/layouts/linear/linear-layout.js'
import { code, indices, range, right } from '../captured.js'

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

const layouts: readonly (readonly [string, LinearLayout, number, boolean, boolean])[] = [
  ['mma v3, 64 x 32', wgmma(32), 11, true, true],
  // sizePerThread 1, threadsPerWarp 4, warps 4
  ['blocked, 16', right(Linear.registerLinearLayout([16], [], bits(1, 2), bits(4, 8))), 4, true, true],
  [
    'blocked, overshooting',
    right(Linear.registerLinearLayout([4], [], bits(1, 2), bits(0, 0))),
    2,
    true,
    false,
  ],
  ['half of an array', right(Linear.registerLinearLayout([8], bits(1), bits(2), [])), 2, false, true],
  [
    'bases of one input that share a bit',
    right(Linear.registerLinearLayout([8], bits(3, 7), bits(1), [])),
    3,
    true,
    true,
  ],
  ['xor of two bits', right(Linear.registerLinearLayout([4], bits(3), bits(1, 2), [])), 2, true, false],
]

describe.each([...layouts])('%s', (_, layout, rank, onto, oneToOne) => {
  const sizes = layout.inputs.map((input) => 2 ** input.bases.length)
  const at = (x: readonly number[]): readonly number[] =>
    Linear.apply(layout)(Object.fromEntries(layout.inputs.map((input, k) => [input.name, x[k]!])))

  test('law 1: linear, all pairs with a power of two', () => {
    const all = indices(sizes)
    const units = layout.inputs.flatMap((input, k) =>
      input.bases.map((_, bit) => sizes.map((_, j) => (j === k ? 2 ** bit : 0))),
    )
    for (const x of all)
      for (const y of units)
        expect(at(x.map((v, k) => v ^ y[k]!))).toEqual(at(x).map((v, k) => v ^ at(y)[k]!))
    layout.inputs.forEach((input, k) =>
      input.bases.forEach((basis, bit) =>
        expect(at(sizes.map((_, j) => (j === k ? 2 ** bit : 0)))).toEqual(basis),
      ),
    )
  })

  test('law 2: onto and one-to-one by counting the image', () => {
    const image = new Set(indices(sizes).map((x) => at(x).join()))
    const [inputs, outputs] = [indices(sizes).length, indices(Linear.outputShape(layout)).length]
    expect(Linear.rank(layout)).toBe(rank)
    expect(image.size).toBe(2 ** rank)
    expect(Linear.isSurjective(layout)).toBe(image.size === outputs)
    expect(Linear.isSurjective(layout)).toBe(onto)
    expect(Linear.isInjective(layout)).toBe(image.size === inputs)
    expect(Linear.isInjective(layout)).toBe(oneToOne)
  })

  test('law 4: the table of positions', () => {
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

test('refusals by code', () => {
  const of = (shape: readonly number[], register: readonly (readonly number[])[]): string | null =>
    code(Linear.registerLinearLayout(shape, register, [], []))
  expect(
    of(
      [8, 8],
      [
        [0, 1],
        [7, 7],
      ],
    ),
  ).toBeNull()
  expect(of([8, 6], [])).toBe('linear.output-size')
  expect(of([0], [])).toBe('linear.output-size')
  expect(of([8, 8], [[1]])).toBe('linear.basis-rank')
  expect(of([8, 8], [[0, 8]])).toBe('linear.basis-range')
  expect(of([8, 8], [[-1, 0]])).toBe('linear.basis-range')
  expect(of([8, 8], [[0.5, 0]])).toBe('linear.basis-range')
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
