/**
 * `mma` of a traced kernel: operands from memory into the registers of four warps, the product, and back.
 *
 * Oracle: `numerics/warp-product.ts` (one instruction of m16n8, as an H100 computes it), chained along k by plain loops over the matrices, without layouts.
 * What a chip made of whole kernels is `registers.proof.ts`.
 */
import { describe, expect, test } from 'vitest'
import { elaborate, type Eqn } from '../../../src/dialects/jaxpr/index.js'
import { decoder, encoder } from '../../../src/numerics/float-format.js'
import { warpMma, type WarpAccumulator, type WarpInput } from '../../../src/numerics/warp-product.js'
import { left } from '../../either.js'
import * as O from 'fp-ts/lib/Option.js'
import { array, document, ran, swap, v } from './documents.js'

interface Product {
  readonly dtype: string
  readonly input: WarpInput
  readonly k: number
  readonly bits: number
  readonly lowering: 'lane' | 'warpgroup'
}
const products: ReadonlyArray<Product> = [
  { dtype: 'f16', input: 'f16', k: 16, bits: 16, lowering: 'lane' },
  { dtype: 'bf16', input: 'bf16', k: 16, bits: 16, lowering: 'lane' },
  { dtype: 'e4m3', input: 'e4m3', k: 32, bits: 8, lowering: 'lane' },
  { dtype: 'e5m2', input: 'e5m2', k: 32, bits: 8, lowering: 'lane' },
  { dtype: 'i8', input: 's8', k: 32, bits: 8, lowering: 'lane' },
  { dtype: 'u8', input: 'u8', k: 32, bits: 8, lowering: 'lane' },
  // what a chip was seen to do
  { dtype: 'u8', input: 's8', k: 32, bits: 8, lowering: 'warpgroup' },
  { dtype: 'e4m3', input: 'e4m3', k: 32, bits: 8, lowering: 'warpgroup' },
]
const [m, n, K] = [64, 16, 64]

const loaded = (
  variable: number,
  ref: number,
  dtype: string,
  shape: ReadonlyArray<number>,
  layout: string,
  of: string,
): Eqn => ({
  op: 'get',
  uses: { ref: { ref: v(ref) } },
  params: { layout: { name: layout, args: [of] } },
  out: [{ v: variable, type: array(dtype, shape) }],
})
const kernel = (
  dtype: string,
  into: string,
  lowering: 'lane' | 'warpgroup' = 'lane',
  { asked = dtype, other = dtype }: { readonly asked?: string; readonly other?: string } = {},
) =>
  document(
    [
      { name: 'a', role: 'in', dtype, shape: [m, K] },
      { name: 'b', role: 'in', dtype: other, shape: [K, n] },
      { name: 'c', role: 'in', dtype: into, shape: [m, n] },
      { name: 'd', role: 'out', dtype: into, shape: [m, n] },
    ],
    [
      loaded(4, 0, dtype, [m, K], 'MMA_LHS', asked),
      loaded(5, 1, other, [K, n], 'MMA_RHS', asked),
      loaded(6, 2, into, [m, n], 'MMA_ACC', asked),
      { op: 'mma', in: [v(6), v(4), v(5)], out: [{ v: 7, type: array(into, [m, n]) }] },
      swap(3, v(7)),
    ],
    [],
    { params: { lowering } },
  )

/** Numbers without a pattern, from a seed. */
const dice = (seed: number) => {
  let state = seed >>> 0
  return (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

describe.each(products)('$dtype, lowered by $lowering', ({ dtype, input, k, bits, lowering }) => {
  test.each([1, 2])('the bits of one instruction after another along k, seed %i', (seed) => {
    const roll = dice(seed * 977 + bits)
    const whole = input === 's8' || input === 'u8'
    const signed = dtype === 'i8'
    const far = dtype === 'e4m3' ? 5 : 8
    const real = (): number => (roll() * 2 - 1) * 2 ** Math.round((roll() * 2 - 1) * far)
    const [operand, accumulator]: readonly [WarpInput, WarpAccumulator] = [input, whole ? 's32' : 'f32']
    const pattern = whole ? null : encoder(dtype as 'f16')
    const some8 = (count: number): number[] =>
      Array.from({ length: count }, () =>
        pattern === null ? Math.floor(roll() * 256) - (signed ? 128 : 0) : pattern(real()),
      )
    const [a, b] = [some8(m * K), some8(K * n)]
    const word = encoder('f32')
    const c = Array.from({ length: m * n }, () =>
      whole ? Math.floor((roll() - 0.5) * 2 ** 32) : word(real()),
    )
    const one = O.toNullable(
      warpMma({
        instruction: 'mma',
        shape: { m, n, k },
        products: 1,
        a: operand,
        b: operand,
        c: accumulator,
        d: accumulator,
        saturate: false,
        counts: null,
        rounding: 'rn',
      }),
    )
    let d: Float64Array = Float64Array.from(c, (x) => (whole ? x >>> 0 : x))
    for (let from = 0; from < K; from += k) {
      const left = Float64Array.from(
        { length: m * k },
        (_, at) => a[Math.floor(at / k) * K + from + (at % k)]! & 0xffff,
      )
      const of = Float64Array.from({ length: k * n }, (_, at) => b[from * n + at]! & 0xffff)
      const byte = (x: number): number => (whole ? x & 0xff : x)
      d = one!(left.map(byte), of.map(byte), d)
    }
    const found = ran(kernel(dtype, whole ? 'i32' : 'f32', lowering), { a, b, c })['d']!
    expect(found).toEqual([...d].map((x) => (whole ? x | 0 : x)))
    // no operand is such that everything is zero
    expect(new Set(found).size).toBeGreaterThan(100)
    if (!whole) expect(found.every((x) => Number.isFinite(decoder('f32')(x)))).toBe(true)
  })
})

/** A number of four bits with a sign. */
const nibble = (x: number): number => (x > 7 ? x - 16 : x)

test.each([
  ['i4', 'lane', nibble],
  ['u4', 'lane', (x: number): number => x],
  ['i4', 'warpgroup', nibble],
  ['u4', 'warpgroup', nibble],
] as const)('the sum of %s, lowered by %s, is exact', (dtype, lowering, meant) => {
  const roll = dice(5)
  const given = (count: number): number[] => Array.from({ length: count }, () => Math.floor(roll() * 16))
  const [a, b] = [given(m * K), given(K * n)]
  const c = Array.from({ length: m * n }, (_, at) => (at % 2 === 0 ? 2 ** 31 - 1 : -(2 ** 31)))
  const d = c.map((x, at) => {
    let sum = BigInt(x)
    for (let q = 0; q < K; q++)
      sum += BigInt(meant(a[Math.floor(at / n) * K + q]!) * meant(b[q * n + (at % n)]!))
    return Number(BigInt.asIntN(32, sum))
  })
  const held = (xs: ReadonlyArray<number>): number[] => xs.map(dtype === 'i4' ? nibble : (x) => x)
  expect(ran(kernel(dtype, 'i32', lowering), { a: held(a), b: held(b), c })['d']).toEqual(d)
})

test('operands that lie otherwise are refused at their line', () => {
  expect(left(elaborate(kernel('f16', 'f32', 'lane', { asked: 'i8' }))).message).toContain(
    'Layout.MMA_LHS of 16 bits',
  )
})
test('a and b of two types are refused', () => {
  const mixed = kernel('f16', 'f32', 'lane', { other: 'bf16' })
  expect(left(elaborate(mixed)).message).toContain('b of f16, as a')
})
