/** Naive attention: the example by hand, another way to write it down, and what hidden keys count. */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import {
  attention,
  causal,
  decodedAttention,
  farthest,
  largest,
  naiveAttention,
  noMask,
  sizesOf,
  slidingWindow,
  tolerances,
  type Attention,
  type Mask,
  type Operands,
} from '../../../src/kernels/attention/index.js'
import { randomPatterns } from '../../../src/kernels/reference-inputs.js'
import { bits, decode, field, real64, unit } from '../../../src/numerics/index.js'
import { right } from '../../either.js'

test('by hand: two keys, weights 1/4 and 3/4', () => {
  const a = attention({ batch: 1, q: 1, kv: 2, heads: 1, kvHeads: 1, headDim: 2 })
  const { out, lse } = right(
    naiveAttention(real64, 'f32', a, {
      q: Float64Array.of(1, 0),
      k: Float64Array.of(0, 0, Math.log(3), 5),
      v: Float64Array.of(4, 0, 8, 1),
    }),
  )
  expect(out[0]).toBeCloseTo(7, 14)
  expect(out[1]).toBeCloseTo(0.75, 14)
  expect(lse[0]).toBeCloseTo(Math.log(4), 14)
})

// ---------------------------------------------------------------- another way to write it down

const inputs = (a: Attention, seed: number): Operands => {
  const sizes = sizesOf(a)
  const of = (t: number, n: number): Float64Array => randomPatterns('f16', seed, t, n)
  return { q: of(0, sizes.q), k: of(1, sizes.k), v: of(2, sizes.v) }
}

/** No maximum is taken out, weights are a matrix, and a key is hidden or not by the words of the mask. */
const plain = (a: Attention, { q, k, v }: Operands): Float64Array => {
  const x = (of: Float64Array, i: number): number => decode('f16', of[i]!)
  const shift = (m: Exclude<Mask, { _tag: 'none' }>): number => (m.alignment === 'top-left' ? 0 : a.kv - a.q)
  const hidden = (i: number, j: number): boolean => {
    const m = a.mask
    if (m._tag === 'none') return false
    if (m._tag === 'causal') return j > i + shift(m)
    return (m.left !== null && j < i + shift(m) - m.left) || (m.right !== null && j > i + shift(m) + m.right)
  }
  const group = a.heads / a.kvHeads
  return Float64Array.from({ length: sizesOf(a).out }, (_, e) => {
    const d = e % a.headDim
    const h = Math.floor(e / a.headDim) % a.heads
    const i = Math.floor(e / (a.headDim * a.heads)) % a.q
    const b = Math.floor(e / (a.headDim * a.heads * a.q))
    const kvRow = (j: number): number => ((b * a.kv + j) * a.kvHeads + Math.floor(h / group)) * a.headDim
    let [top, bottom] = [0, 0]
    for (let j = 0; j < a.kv; j++) {
      if (hidden(i, j)) continue
      let s = 0
      for (let c = 0; c < a.headDim; c++) s += x(q, e - d + c) * x(k, kvRow(j) + c)
      const w = Math.exp(s * (a.scale ?? 1))
      top += w * x(v, kvRow(j) + d)
      bottom += w
    }
    return bottom === 0 ? 0 : top / bottom
  })
}

const masks: ReadonlyArray<Mask> = [
  noMask,
  causal(),
  causal('bottom-right'),
  slidingWindow(3),
  slidingWindow(2, 4, 'top-left'),
  slidingWindow(null, 2),
]

describe('law 1: weights and means, without a maximum', () => {
  test.each(masks.map((mask) => [JSON.stringify(mask), mask] as const))('%s', (_, mask) => {
    for (const [q, kv] of [
      [7, 12],
      [12, 7],
      [1, 9],
    ] as const)
      for (const [heads, kvHeads] of [
        [1, 1],
        [4, 2],
        [3, 1],
      ] as const) {
        const a = attention({ batch: 2, q, kv, heads, kvHeads, headDim: 8 }, { mask, scale: 8 ** -0.5 })
        const given = inputs(a, q + kv)
        const { out } = right(decodedAttention('f16', a, given))
        expect(farthest(tolerances.real64, out, plain(a, given))).toBeNull()
      }
  })
})

test('law 2: scores that are all higher change lse alone', () => {
  const a = attention({ batch: 1, q: 5, kv: 6, heads: 1, kvHeads: 1, headDim: 4 })
  const r = inputs(a, 9)
  const [q, k, v] = [r.q, r.k, r.v].map((xs) => xs.map((x) => decode('f16', x)))
  // the last coordinate of every query is 1: what is added to that of every key is added to every score
  const ones = q!.map((x, i) => (i % 4 === 3 ? 1 : x))
  const higher = k!.map((x, i) => (i % 4 === 3 ? x + 3 : x))
  const low = right(naiveAttention(real64, 'f32', a, { q: ones, k: k!, v: v! }))
  const high = right(naiveAttention(real64, 'f32', a, { q: ones, k: higher, v: v! }))
  expect(farthest(tolerances.real64, high.out, low.out)).toBeNull()
  expect(
    farthest(
      tolerances.real64,
      high.lse,
      low.lse.map((x) => x + 3),
    ),
  ).toBeNull()
})

describe('what hidden keys count', () => {
  const shape = { batch: 1, q: 4, kv: 2, heads: 1, kvHeads: 1, headDim: 4 }
  const mask = causal('bottom-right')
  const given = inputs(attention(shape), 4)
  const rows = (hidden: Attention['hidden']) =>
    right(decodedAttention('f16', attention(shape, { mask, hidden }), given))
  test('a row without keys is zero, or no number', () => {
    const zero = rows({ _tag: 'minus-infinity', empty: 'zero' })
    const nan = rows({ _tag: 'minus-infinity', empty: 'nan' })
    expect([...zero.out.slice(0, 8)]).toEqual(Array.from({ length: 8 }, () => 0))
    expect([...zero.lse.slice(0, 2)]).toEqual([-Infinity, -Infinity])
    expect(nan.out.slice(0, 8).every(Number.isNaN)).toBe(true)
    expect([...nan.out.slice(8)]).toEqual([...zero.out.slice(8)])
  })
  test('with a finite sentinel it is the mean of all v, and other rows are as before', () => {
    const mean = rows({ _tag: 'sentinel', score: -10000 })
    const zero = rows({ _tag: 'minus-infinity', empty: 'zero' })
    const v = given.v.map((x) => decode('f16', x))
    const expected = Float64Array.from({ length: 4 }, (_, d) => (v[d]! + v[4 + d]!) / 2)
    expect(farthest(tolerances.real64, mean.out.slice(0, 4), expected)).toBeNull()
    expect(farthest(tolerances.real64, mean.out.slice(8), zero.out.slice(8))).toBeNull()
  })
})

describe('algebras', () => {
  const a = attention(
    { batch: 1, q: 9, kv: 17, heads: 2, kvHeads: 1, headDim: 16 },
    { mask: causal('bottom-right'), scale: 0.25 },
  )
  test.each(['f16', 'bf16'] as const)('bits of %s are within the tolerance of f64', (dtype) => {
    const sizes = sizesOf(a)
    const given: Operands = {
      q: randomPatterns(dtype, 1, 0, sizes.q),
      k: randomPatterns(dtype, 1, 1, sizes.k),
      v: randomPatterns(dtype, 1, 2, sizes.v),
    }
    const found = right(naiveAttention(bits('hopper'), dtype, a, given))
    const exact = right(decodedAttention(dtype, a, given))
    const v = largest(given.v.map((x) => decode(dtype, x)))
    expect(
      farthest(
        tolerances[dtype],
        found.out.map((x) => decode(dtype, x)),
        exact.out,
        v,
      ),
    ).toBeNull()
    expect(
      farthest(
        tolerances.lse,
        found.lse.map((x) => decode('f32', x)),
        exact.lse,
      ),
    ).toBeNull()
  })
  test('a field has no exponential, unit no values to compare', () => {
    const sizes = sizesOf(a)
    const zeros: Operands = {
      q: new Float64Array(sizes.q),
      k: new Float64Array(sizes.k),
      v: new Float64Array(sizes.v),
    }
    for (const algebra of [field(1), unit])
      expect(naiveAttention(algebra, 'f16', a, zeros)).toMatchObject(E.left({ code: 'attention.algebra' }))
  })
})

test.each([
  [{ heads: 3, kvHeads: 2 }, /heads is 3: expected a multiple of kvHeads/],
  [{ kv: 0 }, /kv is 0: expected a positive integer/],
  [{ q: 3 }, /q has 8 elements: expected 12/],
])('refuses %j', (wrong, message) => {
  const shape = { batch: 1, q: 2, kv: 2, heads: 1, kvHeads: 1, headDim: 4 }
  const a = attention({ ...shape, ...wrong })
  const [q, k, v] = [8, 8, 8].map((n) => new Float64Array(n))
  expect(naiveAttention(real64, 'f16', a, { q: q!, k: k!, v: v! })).toMatchObject(
    E.left({ code: 'attention.shape', message: expect.stringMatching(message) }),
  )
})

test('an excess is named, and no number is not close to a number', () => {
  expect(farthest({ kind: 'absolute', bound: 0.5 }, [1, 2, 3], [1, 2.6, 3])).toMatchObject({ at: 1 })
  expect(farthest({ kind: 'absolute', bound: 1 }, [NaN], [0])).toMatchObject({ by: Infinity })
  expect(farthest({ kind: 'absolute', bound: 1 }, [NaN, -Infinity], [NaN, -Infinity])).toBeNull()
  expect(farthest({ kind: 'absolute', bound: 1 }, [1], [1, 2])).toMatchObject({ at: 1 })
})
