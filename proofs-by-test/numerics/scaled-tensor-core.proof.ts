/** Block-scaled products: the fast form is the definition, and both are exact where the rule is. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as O from 'fp-ts/lib/Option.js'
import type { ScaledTypes } from '../../src/numerics/algebra.js'
import type { FloatDtype } from '../../src/numerics/dtype.js'
import { bitsOf } from '../../src/numerics/dtype.js'
import { decode, encoder } from '../../src/numerics/float-format.js'
import { bits, field, real64 } from '../../src/numerics/index.js'
import { scaledMma, scaledRules, scaledSum, type ScaledRules } from '../../src/numerics/scaled-tensor-core.js'
import { blackwellRules, tensorCoreMma } from '../../src/numerics/tensor-core.js'
import { nightly } from '../extent.js'

const some = <A>(x: O.Option<A>): A => {
  if (O.isNone(x)) throw new Error('none')
  return x.value
}
const types = (a: FloatDtype, b: FloatDtype, scale: 'e8m0' | 'ue4m3', block: 16 | 32): ScaledTypes => ({
  a,
  b,
  acc: 'f32',
  scale,
  block,
})
const combinations: ReadonlyArray<ScaledTypes> = [
  types('e4m3', 'e4m3', 'e8m0', 32),
  types('e5m2', 'e4m3', 'e8m0', 32),
  types('e5m2', 'e5m2', 'e8m0', 32),
  types('e2m1', 'e4m3', 'e8m0', 32),
  types('e2m3', 'e3m2', 'e8m0', 32),
  types('e3m2', 'e5m2', 'e8m0', 32),
  types('e2m1', 'e2m3', 'e8m0', 32),
  { ...types('e2m1', 'e2m1', 'e8m0', 32), kind: 'mxf8f6f4' },
  types('e2m1', 'e2m1', 'e8m0', 32),
  types('e2m1', 'e2m1', 'e8m0', 16),
  types('e2m1', 'e2m1', 'ue4m3', 16),
]
const name = (t: ScaledTypes): string => `${t.a} x ${t.b}, ${t.scale} every ${String(t.block)}`

const patterns = (dtype: FloatDtype, count: number): fc.Arbitrary<number[]> =>
  fc.array(fc.integer({ min: 0, max: 2 ** bitsOf(dtype) - 1 }), { minLength: count, maxLength: count })
/** Scales near one another, or anywhere. */
const scales = (dtype: FloatDtype, count: number): fc.Arbitrary<number[]> =>
  fc.array(
    fc.oneof(
      {
        weight: 3,
        arbitrary: fc.integer({ min: dtype === 'e8m0' ? 120 : 40, max: dtype === 'e8m0' ? 134 : 70 }),
      },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: dtype === 'e8m0' ? 255 : 127 }) },
    ),
    { minLength: count, maxLength: count },
  )

describe.each(combinations.map((t) => [name(t), t] as const))('%s', (_name, t) => {
  const rules: ScaledRules = some(scaledRules(t))
  const k = 2 * rules.blockK
  const blocks = k / t.block

  test('law 1: the fast form is the definition, chained', () => {
    fc.assert(
      fc.property(
        patterns(t.a, k),
        patterns(t.b, k),
        scales(t.scale, blocks),
        scales(t.scale, blocks),
        patterns('f32', 1),
        (a, b, sa, sb, [c]) => {
          let expected = c!
          for (let first = 0; first < k; first += rules.blockK) {
            const [from, to] = [first, first + rules.blockK]
            expected = scaledSum(rules)(
              a.slice(from, to),
              b.slice(from, to),
              sa.slice(from / t.block, to / t.block),
              sb.slice(from / t.block, to / t.block),
              expected,
            )
          }
          const array = (x: ReadonlyArray<number>): Float64Array => Float64Array.from(x)
          const got = scaledMma(rules, { m: 1, n: 1, k })(
            array(a),
            array(b),
            array(sa),
            array(sb),
            array([c!]),
          )
          expect(got[0]).toBe(expected)
        },
      ),
      { numRuns: nightly ? 150 : 30, seed: 5 },
    )
  })

  test('law 3: small integers and powers of two are exact', () => {
    const of = (dtype: FloatDtype, x: number): number => encoder(dtype)(x)
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 2 * k, maxLength: 2 * k }),
        fc.array(fc.integer({ min: -2, max: 2 }), { minLength: 2 * blocks, maxLength: 2 * blocks }),
        fc.integer({ min: -9, max: 9 }),
        (x, e, c) => {
          const [a, b] = [x.slice(0, k), x.slice(k)]
          const [sa, sb] = [e.slice(0, blocks), e.slice(blocks)]
          const exact = a.reduce((sum, v, p) => {
            const s = Math.floor(p / t.block)
            return sum + v * b[p]! * 2 ** (sa[s]! + sb[s]!)
          }, c)
          const got = scaledMma(rules, { m: 1, n: 1, k })(
            Float64Array.from(a, (v) => of(t.a, v)),
            Float64Array.from(b, (v) => of(t.b, v)),
            Float64Array.from(sa, (v) => of(t.scale, 2 ** v)),
            Float64Array.from(sb, (v) => of(t.scale, 2 ** v)),
            Float64Array.of(of('f32', c)),
          )
          expect(decode('f32', got[0]!)).toBe(exact)
        },
      ),
      { numRuns: 60, seed: 6 },
    )
  })
})

test('law 2: with scales of one, mxf8f6f4 is f8f6f4', () => {
  const t = types('e4m3', 'e5m2', 'e8m0', 32)
  const plain = tensorCoreMma(some(blackwellRules({ a: 'e4m3', b: 'e5m2', acc: 'f32' })), {
    m: 2,
    n: 3,
    k: 64,
  })
  const scaled = scaledMma(some(scaledRules(t)), { m: 2, n: 3, k: 64 })
  const random = (count: number, seed: number): Float64Array =>
    Float64Array.from({ length: count }, (_, i) => (i * 7919 + seed * 104729) % 256)
  const ones = (count: number): Float64Array => new Float64Array(count).fill(127)
  for (let seed = 0; seed < 20; seed++) {
    const [a, b] = [random(128, seed), random(192, seed + 100)]
    const c = random(6, seed + 200).map((x) => encoder('f32')(x / 16))
    expect(scaled(a, b, ones(4), ones(6), c)).toEqual(plain(a, b, c))
  }
})

test('by hand: sixteen products of 1/4 under scales 8 and 1/2', () => {
  const rules = some(scaledRules(types('e2m1', 'e2m1', 'ue4m3', 16)))
  const half = encoder('e2m1')(0.5)
  const scale = encoder('ue4m3')
  const sum = scaledSum(rules)(
    [...new Array<number>(16).fill(half), ...new Array<number>(48).fill(0)],
    new Array<number>(64).fill(half),
    [scale(8), scale(1), scale(1), scale(1)],
    [scale(0.5), scale(1), scale(1), scale(1)],
    0,
  )
  expect(decode('f32', sum)).toBe(16)
})

test('what is lost: a term 2^-26 below the largest, at F = 25', () => {
  const rules = some(scaledRules(types('e4m3', 'e4m3', 'e8m0', 32)))
  const one = encoder('e4m3')(1)
  const zeros = new Array<number>(31).fill(0)
  const at = (exponent: number): number =>
    decode(
      'f32',
      scaledSum(rules)([one, ...zeros], [one, ...zeros], [127 + exponent], [127], encoder('f32')(-1)),
    )
  // -1 + 2^-25 truncates to 24 bits; a bit less and nothing is left of the product
  expect([at(-25), at(-26)]).toEqual([-(1 - 2 ** -24), -1])
})

test('a type without a published arithmetic is refused', () => {
  for (const dtype of ['f16', 'e8m0'] as const)
    expect(O.isNone(scaledRules(types(dtype, 'e4m3', 'e8m0', 32)))).toBe(true)
  expect(O.isNone(bits('hopper').scaledMma(types('e4m3', 'e4m3', 'e8m0', 32), { m: 1, n: 1, k: 32 }))).toBe(
    true,
  )
})

test('algebra law 5: in a field and in f64, the product of the dequantised operands', () => {
  const t = types('e4m3', 'e4m3', 'e8m0', 32)
  const shape = { m: 3, n: 2, k: 64 }
  const f = field(4)
  const input = (tensor: number, count: number): Float64Array =>
    Float64Array.from({ length: count }, (_, i) => f.element(tensor, i))
  const [a, b, sa, sb, c] = [input(1, 192), input(2, 128), input(3, 6), input(4, 4), input(5, 6)]
  const mul = some(f.binary('mul', 'f32'))
  const add = some(f.binary('add', 'f32'))
  const expected = c.map((x, at) => {
    const [i, j] = [Math.floor(at / 2), at % 2]
    return Array.from({ length: 64 }, (_, p) => p).reduce((sum, p) => {
      const left = mul(a[i * 64 + p]!, sa[i * 2 + Math.floor(p / 32)]!)
      const right = mul(b[p * 2 + j]!, sb[j * 2 + Math.floor(p / 32)]!)
      return add(sum, mul(left, right))
    }, x)
  })
  expect(some(f.scaledMma(t, shape))(a, b, sa, sb, c)).toEqual(expected)
  const small = (x: Float64Array): Float64Array => x.map((v) => (v % 7) - 3)
  const got = some(real64.scaledMma(t, shape))(small(a), small(b), small(sa), small(sb), small(c))
  const [as, bs, ps, qs, cs] = [a, b, sa, sb, c].map(small)
  expect(got).toEqual(
    cs!.map((x, at) => {
      let sum = x
      for (let p = 0; p < 64; p++) {
        const [i, j, s] = [Math.floor(at / 2), at % 2, Math.floor(p / 32)]
        sum += as![i * 64 + p]! * ps![i * 2 + s]! * bs![p * 2 + j]! * qs![j * 2 + s]!
      }
      return sum
    }),
  )
})
