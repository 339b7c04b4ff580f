/** Floats as Mosaic GPU lowers them: one rounding where the compiler contracts, NaN where one is, the sign of a zero, functions of the chip. */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { elaborate, type Eqn } from '../../../src/dialects/jaxpr/index.js'
import { decode, encode } from '../../../src/numerics/float-format.js'
import { array, document, get, ran, swap, v } from './documents.js'

const f32 = array('f32', [128])
const operands = ['x', 'y', 'z', 'out'].map((name) => ({
  name,
  role: name === 'out' ? ('out' as const) : ('in' as const),
  dtype: 'f32',
  shape: [128],
}))
const bitsOf = (x: number): number => new Uint32Array(Float32Array.of(x).buffer)[0]!
const all = (x: number): ReadonlyArray<number> => new Array<number>(128).fill(bitsOf(x))
const of = (op: string, x: number, ...inputs: ReadonlyArray<number>): Eqn => ({
  op,
  in: inputs.map(v),
  out: [{ v: x, type: f32 }],
})

/** The first element of what these make of x (variable 4), y (5) and z (6): variable `result`. */
const made = (
  [x, y, z]: readonly [number, number, number],
  eqns: ReadonlyArray<Eqn>,
  result: number,
  params: { readonly lowering?: 'lane' | 'warpgroup'; readonly approxMath?: boolean } = {},
): number =>
  ran(
    document(operands, [get(4, f32, 0), get(5, f32, 1), get(6, f32, 2), ...eqns, swap(3, v(result))], [], {
      params,
    }),
    { x: all(x), y: all(y), z: all(z) },
  )['out']![0]!

const near = 1 + 2 ** -12
const product = of('mul', 7, 4, 5)

describe('contraction', () => {
  const numbers = [near, near, -1] as const
  test('a product in a sum is rounded once', () => {
    expect(made(numbers, [product, of('add', 8, 7, 6)], 8)).toBe(bitsOf(2 ** -11 + 2 ** -24))
    expect(made(numbers, [product, of('add', 8, 6, 7)], 8)).toBe(bitsOf(2 ** -11 + 2 ** -24))
  })
  test('also in a difference, on either side', () => {
    expect(made([near, near, 1], [product, of('sub', 8, 7, 6)], 8)).toBe(bitsOf(2 ** -11 + 2 ** -24))
    expect(made([near, near, 1], [product, of('sub', 8, 6, 7)], 8)).toBe(bitsOf(-(2 ** -11) - 2 ** -24))
  })
  test('not behind a barrier for the compiler', () => {
    const barrier: Eqn = { op: 'optimization_barrier', in: [v(7)], out: [{ v: 9, type: f32 }] }
    expect(made(numbers, [product, barrier, of('add', 8, 9, 6)], 8)).toBe(bitsOf(2 ** -11))
  })
})

describe('one at a time', () => {
  test('max and min are NaN where one is', () => {
    for (const op of ['max', 'min'])
      expect(made([NaN, 1, 0], [of(op, 7, 4, 5)], 7) & 0x7f800000).toBe(0x7f800000)
    expect(made([3, 1, 0], [of('max', 7, 4, 5)], 7)).toBe(bitsOf(3))
  })
  test('neg: the other sign in lane semantics, 0 - x in those of a warpgroup', () => {
    expect(made([0, 0, 0], [of('neg', 7, 4)], 7, { lowering: 'lane' })).toBe(0x80000000)
    expect(made([0, 0, 0], [of('neg', 7, 4)], 7, { lowering: 'warpgroup' })).toBe(0)
    expect(made([5, 0, 0], [of('neg', 7, 4)], 7, { lowering: 'warpgroup' })).toBe(bitsOf(-5))
  })
  test('exp2 flushes what is below the normal numbers with approx_math alone', () => {
    expect(made([-140, 0, 0], [of('exp2', 7, 4)], 7, { approxMath: true })).toBe(0)
    expect(made([-140, 0, 0], [of('exp2', 7, 4)], 7)).toBe(bitsOf(2 ** -140))
  })
  test('sign, clamp and a quotient', () => {
    expect(made([-3, 0, 0], [of('sign', 7, 4)], 7)).toBe(bitsOf(-1))
    expect(made([0, 7, 5], [of('clamp', 7, 4, 5, 6)], 7)).toBe(bitsOf(5))
    expect(made([3, 2, 0], [of('div', 7, 4, 5)], 7)).toBe(bitsOf(1.5))
  })
})

describe('functions of the chip', () => {
  // of numbers around 1, within half a percent: no two of these functions are that near one another
  const functions: Readonly<Record<string, (x: number) => number>> = {
    exp: Math.exp,
    exp2: (x) => 2 ** x,
    log: Math.log,
    log2: Math.log2,
    tanh: Math.tanh,
    rsqrt: (x) => 1 / Math.sqrt(x),
    logistic: (x) => 1 / (1 + Math.exp(-x)),
  }
  const given = Array.from({ length: 128 }, (_, k) => 0.125 + k / 64)
  const kernel = (op: string, dtype: string, approxMath: boolean) =>
    document(
      ['x', 'out'].map((name) => ({
        ...{ name, role: name === 'out' ? ('out' as const) : ('in' as const), dtype, shape: [128] },
      })),
      [
        get(4, array(dtype, [128]), 0),
        { op, in: [v(4)], out: [{ v: 5, type: array(dtype, [128]) }] },
        swap(1, v(5)),
      ],
      [],
      { params: { approxMath } },
    )
  test.each(Object.entries(functions))('%s: of every float, and with approx_math of f32 alone', (op, of) => {
    for (const dtype of ['f32', 'f16', 'bf16'] as const)
      for (const approxMath of [false, true]) {
        const d = kernel(op, dtype, approxMath)
        if (approxMath && dtype !== 'f32') {
          const made = elaborate(d)
          expect([dtype, E.isLeft(made) ? made.left.message : null]).toEqual([
            dtype,
            expect.stringContaining('f32 with approx_math'),
          ])
          continue
        }
        const found = ran(d, { x: given.map((x) => encode(dtype, x)) })['out']!
        for (const [k, x] of given.entries())
          expect(
            Math.abs(decode(dtype, found[k]!) - of(x)),
            `${op} of ${String(x)} in ${dtype}`,
          ).toBeLessThan(0.005 * Math.max(1, Math.abs(of(x))))
      }
  })
  test.each([...Object.keys(functions), 'round'])('%s is of no integer', (op) => {
    expect(elaborate(kernel(op, 'i32', false))).toMatchObject({ _tag: 'Left' })
  })
})

describe('to u32: towards zero, and no further than it goes', () => {
  const convert = (from: number, to: number, dtype: string): Eqn => ({
    op: 'convert_element_type',
    in: [v(from)],
    params: { dtype },
    out: [{ v: to, type: array(dtype, [128]) }],
  })
  const to = (x: number, eqns: ReadonlyArray<Eqn>, result: number): number =>
    ran(
      document(
        [operands[0]!, { name: 'out', role: 'out', dtype: 'u32', shape: [128] }],
        [get(4, f32, 0), ...eqns, swap(1, v(result))],
      ),
      { x: all(x) },
    )['out']![0]! >>> 0
  test.each([
    [0, 0],
    [-0.5, 0],
    [-7, 0],
    [2.75, 2],
    [2 ** 31, 2 ** 31],
    [2 ** 32 - 256, 2 ** 32 - 256],
    [2 ** 32, 2 ** 32 - 1],
    [Infinity, 2 ** 32 - 1],
    [NaN, 0],
  ])('%s as u32 is %s', (x, wanted) => {
    expect(to(x, [convert(4, 5, 'u32')], 5)).toBe(wanted)
  })
})

describe('rounding to an integer', () => {
  const some = [
    0,
    -0,
    0.25,
    0.5,
    0.75,
    1.5,
    2.5,
    -0.5,
    -1.5,
    -2.5,
    3.4999998,
    8388607.5,
    -8388609,
    1e20,
    Infinity,
    NaN,
  ]
  const round = (roundingMethod: string): Eqn => ({
    op: 'round',
    in: [v(4)],
    params: { roundingMethod },
    out: [{ v: 7, type: f32 }],
  })
  /** On the size: ties by `tie`; the sign is put back, of a zero too. */
  const rounded = (x: number, tie: (below: number) => number): number => {
    const size = Math.abs(x)
    const below = Math.floor(size)
    const whole = size - below === 0.5 ? tie(below) : Math.round(size)
    return x < 0 || Object.is(x, -0) ? -whole : whole
  }
  test.each([
    ['to_nearest_even', (below: number) => below + (below % 2)],
    ['away_from_zero', (below: number) => below + 1],
  ] as const)('%s', (method, tie) => {
    for (const x of some.map(Math.fround)) {
      const found = made([x, 0, 0], [round(method)], 7)
      if (Number.isNaN(x)) expect(found & 0x7f800000).toBe(0x7f800000)
      else expect([x, found]).toEqual([x, bitsOf(Math.abs(x) < 2 ** 23 ? rounded(x, tie) : x)])
    }
  })
})
