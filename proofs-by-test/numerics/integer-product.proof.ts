/** Integer products against the captured results of the chip, the definition against the matrix form, and what makes the two modes differ. */
import * as O from 'fp-ts/lib/Option.js'
import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import {
  mmaTypes,
  zeroOf,
  type IntegerMmaTypes,
  type Mma,
  type MmaShape,
} from '../../src/numerics/algebra.js'
import { arithmetics, bits } from '../../src/numerics/bits.js'
import { dtypes, isFloat } from '../../src/numerics/dtype.js'
import { field } from '../../src/numerics/field.js'
import { integerBlockK, integerBlockSum, integerMma } from '../../src/numerics/integer-product.js'
import { real64 } from '../../src/numerics/real64.js'
import { unit } from '../../src/numerics/unit.js'
import { capturedIntegers, dotProducts, mismatches } from './captured.js'
import { generator } from './exact.js'
import { integerKinds, integers, mixes } from './integer-matrices.js'
import { nightly, sampled } from '../extent.js'
import { prop } from '../prop.js'

const get = <A>(o: O.Option<A>): A =>
  O.getOrElseW(() => {
    throw new Error('no product')
  })(o)

/** A dot product of a rule for one instruction, chained over k. */
type One = (a: readonly number[], b: readonly number[], c: number) => number
const chained =
  (one: One, { m, n, k }: MmaShape, step: number = integerBlockK): Mma =>
  (a, b, c) =>
    Float64Array.from({ length: m * n }, (_, at) => {
      const [i, j] = [Math.floor(at / n), at % n]
      let sum = c[at]!
      for (let from = 0; from < k; from += step) {
        const ps = Array.from({ length: Math.min(step, k - from) }, (_, p) => from + p)
        sum = one(
          ps.map((p) => a[i * k + p]!),
          ps.map((p) => b[p * n + j]!),
          sum,
        )
      }
      return sum
    })

const wrong = (
  of: (types: IntegerMmaTypes, shape: MmaShape) => Mma,
  only: (t: IntegerMmaTypes) => boolean,
): number =>
  capturedIntegers
    .filter(({ types }) => only(types))
    .reduce(
      (total, { types, m, n, k, tiles }) =>
        total + tiles.reduce((count, t) => count + mismatches(of(types, { m, n, k })(t.a, t.b, t.c), t.d), 0),
      0,
    )

describe('law 1: the captured results of the chip', () => {
  it('has ten files of all four mixes, wrapping, and of s8 by s8 saturating', () => {
    expect(capturedIntegers.length).toBe(10)
    expect(dotProducts(capturedIntegers)).toBe(
      capturedIntegers.reduce((n, { tiles }) => n + tiles.reduce((x, { d }) => x + d.length, 0), 0),
    )
    expect(
      new Set(capturedIntegers.map(({ types: { a, b, saturate } }) => `${a} ${b} ${String(saturate)}`)),
    ).toEqual(new Set(['i8 i8 false', 'i8 i8 true', 'i8 u8 false', 'u8 i8 false', 'u8 u8 false']))
    for (const { instructionK } of capturedIntegers) expect(instructionK).toBe(integerBlockK)
  })
  it.each(sampled(2, capturedIntegers))(
    '$file, the definition and the matrix form',
    ({ types, m, n, k, tiles }) => {
      const shape = { m, n, k }
      for (const t of tiles) {
        expect(mismatches(chained(integerBlockSum(types), shape)(t.a, t.b, t.c), t.d)).toBe(0)
        expect(mismatches(get(integerMma(types, shape))(t.a, t.b, t.c), t.d)).toBe(0)
      }
    },
  )
})

describe('law 1, sensitivity: the captured results reject every neighbouring rule', () => {
  const clamped = (x: number): number => Math.min(2 ** 31 - 1, Math.max(-(2 ** 31), x))
  const sum = (a: readonly number[], b: readonly number[], c: number): number =>
    a.reduce((s, x, p) => s + x * b[p]!, c)
  const saturating = ({ saturate }: IntegerMmaTypes): boolean => saturate
  it('wrapping where it saturates, and saturating where it wraps', () => {
    const other = (types: IntegerMmaTypes): IntegerMmaTypes => ({ ...types, saturate: !types.saturate })
    const of = (types: IntegerMmaTypes, shape: MmaShape): Mma => get(integerMma(other(types), shape))
    expect(wrong(of, saturating)).toBeGreaterThan(100)
    expect(wrong(of, (t) => !saturating(t))).toBeGreaterThan(100)
  })
  it('clamped after every product', () => {
    const each: One = (a, b, c) => a.reduce((s, x, p) => clamped(s + x * b[p]!), c)
    expect(wrong((_, shape) => chained(each, shape), saturating)).toBeGreaterThan(0)
  })
  it('clamped once a chain, or after 64', () => {
    const once: One = (a, b, c) => clamped(sum(a, b, c))
    expect(wrong((_, shape) => chained(once, shape, shape.k), saturating)).toBeGreaterThan(0)
    expect(wrong((_, shape) => chained(once, shape, 64), saturating)).toBeGreaterThan(0)
  })
  it('clamped one off', () => {
    for (const [low, high] of [
      [-(2 ** 31) + 1, 2 ** 31 - 1],
      [-(2 ** 31), 2 ** 31 - 2],
    ] as const) {
      const off: One = (a, b, c) => Math.min(high, Math.max(low, sum(a, b, c)))
      expect(wrong((_, shape) => chained(off, shape), saturating)).toBeGreaterThan(0)
    }
  })
  it('the other reading of a byte', () => {
    const read = (dtype: 'i8' | 'u8', x: number): number => (dtype === 'i8' ? x & 0xff : (x << 24) >> 24)
    const of =
      (types: IntegerMmaTypes, shape: MmaShape): Mma =>
      (a, b, c) =>
        get(integerMma(types, shape))(
          a.map((x) => read(types.a, x)),
          b,
          c,
        )
    expect(wrong(of, (t) => t.a === 'i8')).toBeGreaterThan(100)
    expect(wrong(of, (t) => t.a === 'u8')).toBeGreaterThan(100)
  })
})

describe('law 2: the matrix form is the definition', () => {
  it.each(mixes)('$a x $b, saturating: $saturate', (types) => {
    const next = generator(51)
    const shape = { ...(nightly ? { m: 33, n: 17 } : { m: 5, n: 3 }), k: 3 * integerBlockK }
    const matrixForm = get(integerMma(types, shape))
    const definition = chained(integerBlockSum(types), shape)
    for (const left of integerKinds)
      for (const right of integerKinds)
        for (const acc of integerKinds) {
          const a = integers(left, types.a, shape.m * shape.k, next)
          const b = integers(right, types.b, shape.k * shape.n, next)
          const c = integers(acc, 'i32', shape.m * shape.n, next)
          const kept = [a.slice(), b.slice(), c.slice()]
          expect([left, right, acc, mismatches(matrixForm(a, b, c), definition(a, b, c))]).toEqual([
            left,
            right,
            acc,
            0,
          ])
          expect([a, b, c].map((x, i) => mismatches(x, kept[i]!))).toEqual([0, 0, 0])
        }
  })
})

describe('laws 3 and 4', () => {
  const vector = fc.array(fc.tuple(fc.integer({ min: -128, max: 127 }), fc.integer({ min: 0, max: 255 })), {
    minLength: 32,
    maxLength: 32,
  })
  const sums = fc.oneof(
    fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
    fc.integer({ min: 2 ** 31 - 2 ** 21, max: 2 ** 31 - 1 }),
    fc.integer({ min: -(2 ** 31), max: -(2 ** 31) + 2 ** 21 }),
  )
  const wrapping = integerBlockSum({ saturate: false })
  const saturating = integerBlockSum({ saturate: true })
  prop([vector, vector, sums])(
    '3: wrapping, any order and any cut give the exact sum modulo 2^32',
    (x, y, c) => {
      const all = [...x, ...y]
      const exact = all.reduce((s, [p, q]) => s + p * q, c)
      const modulo = ((((exact + 2 ** 31) % 2 ** 32) + 2 ** 32) % 2 ** 32) - 2 ** 31
      const chain = (pairs: typeof all, cut: number): number =>
        [pairs.slice(0, cut), pairs.slice(cut)].reduce(
          (s, part) =>
            wrapping(
              part.map(([p]) => p),
              part.map(([, q]) => q),
              s,
            ),
          c,
        )
      expect(chain(all, 32)).toBe(modulo)
      expect(chain([...all].reverse(), 32)).toBe(modulo)
      expect(chain(all, 7)).toBe(modulo)
    },
  )
  prop([vector, sums])('4: saturating is wrapping, or the limit that the exact sum passed', (x, c) => {
    const [a, b] = [x.map(([p]) => p), x.map(([, q]) => q)]
    const exact = x.reduce((s, [p, q]) => s + p * q, c)
    const expected = exact > 2 ** 31 - 1 ? 2 ** 31 - 1 : exact < -(2 ** 31) ? -(2 ** 31) : wrapping(a, b, c)
    expect(saturating(a, b, c)).toBe(expected)
  })
  test('the header, by hand', () => {
    const c = 2 ** 31 - 10
    expect([wrapping([3, 1], [5, 1], c), saturating([3, 1], [5, 1], c)]).toEqual([
      -(2 ** 31) + 6,
      2 ** 31 - 1,
    ])
    expect([wrapping, saturating].map((one) => one([-1], [8], one([3, 1], [5, 1], c)))).toEqual([
      2 ** 31 - 2,
      2 ** 31 - 9,
    ])
  })
})

describe('law 7 of the algebras', () => {
  const algebras = [...arithmetics.map((chip) => bits(chip)), real64, field(3), unit]
  test.each(algebras.map((algebra) => [algebra.description, algebra] as const))('%s', (_, algebra) => {
    const next = generator(52)
    for (const types of mixes) {
      const shape = { m: 3, n: 2, k: 2 * integerBlockK }
      const given = [
        integers('any', types.a, shape.m * shape.k, next),
        integers('any', types.b, shape.k * shape.n, next),
        integers('limits', 'i32', shape.m * shape.n, next),
      ] as const
      expect(get(algebra.mma(types, shape))(...given)).toEqual(get(integerMma(types, shape))(...given))
      expect(zeroOf(algebra, types)).toBe(0)
      for (const k of [1, 8, 16, 31, 33]) expect(algebra.mma(types, { ...shape, k })).toEqual(O.none)
      const none = new Float64Array(0)
      expect(get(algebra.mma(types, { m: 3, n: 2, k: 0 }))(none, none, given[2])).toEqual(given[2])
    }
  })
  test('the zero of a float is that of the algebra', () => {
    for (const algebra of algebras) {
      expect(zeroOf(algebra, { a: 'f16', b: 'f16', acc: 'f32' })).toBe(algebra.constant('f32', 0))
    }
  })
  test('types of a product: floats, or bytes into i32; only those saturate', () => {
    const wrong: unknown[] = []
    for (const a of dtypes)
      for (const b of dtypes)
        for (const acc of dtypes)
          for (const saturate of [false, true]) {
            const floats = [a, b, acc].every(isFloat) && !saturate
            const bytes = [a, b].every((d) => d === 'i8' || d === 'u8') && acc === 'i32'
            if (O.isSome(mmaTypes(a, b, acc, saturate)) !== (floats || bytes))
              wrong.push([a, b, acc, saturate])
          }
    expect(wrong).toEqual([])
    expect(mmaTypes('e4m3', 'e5m2', 'f16')).toEqual(O.some({ a: 'e4m3', b: 'e5m2', acc: 'f16' }))
    expect(mmaTypes('u8', 'i8', 'i32', true)).toEqual(
      O.some({ a: 'u8', b: 'i8', acc: 'i32', saturate: true }),
    )
    expect(mmaTypes('i8', 'u8', 'i32')).toEqual(O.some({ a: 'i8', b: 'u8', acc: 'i32', saturate: false }))
  })
})
