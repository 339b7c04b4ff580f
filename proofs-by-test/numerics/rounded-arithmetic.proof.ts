import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import type { FloatDtype } from '../../src/numerics/dtype.js'
import { bitsOf } from '../../src/numerics/dtype.js'
import { decode, encode } from '../../src/numerics/float-format.js'
import { bits } from '../../src/numerics/bits.js'
import { addToOdd, roundedBinary, roundedFma, roundedUnary } from '../../src/numerics/rounded-arithmetic.js'
import {
  type Arithmetic,
  generator,
  infinityOf,
  nearest,
  nearestRoot,
  over,
  plus,
  ranges,
  rational,
  times,
  type Rational,
} from './exact.js'
import { nightly } from '../extent.js'

const trials = nightly ? 200_000 : 750

/** Finite patterns of several kinds: any bits, near one exponent, subnormal, few significant bits, extremes. */
const patternSource = (dtype: Arithmetic, seed: number): (() => number) => {
  const next = generator(seed)
  const sign = 2 ** (bitsOf(dtype) - 1)
  const infinity = infinityOf[dtype]
  const one = encode(dtype, 1)
  const kinds: readonly (() => number)[] = [
    () => next() % infinity,
    () => one + (next() % 4096) - 2048,
    () => next() % 200,
    () => encode(dtype, 2 ** ((next() % 24) - 12) * (1 + 2 ** -(next() % 12))),
    () => infinity - 1 - (next() % 100),
  ]
  return () => kinds[next() % kinds.length]!() + (next() % 2) * sign
}

const isZero = (x: number): boolean => x === 0
const negative = (x: number): boolean => x < 0 || Object.is(x, -0)

describe.each(ranges.map(([dtype]) => dtype))('law 1: %s equals the exact result rounded once', (dtype) => {
  const value = (p: number): number => decode(dtype, p)
  const check = (
    got: (x: number, y: number) => number,
    exact: (x: Rational, y: Rational) => Rational,
    zeroIsNegative: (x: number, y: number) => boolean,
    skip: (x: number, y: number) => boolean,
    seed: number,
  ): void => {
    const next = patternSource(dtype, seed)
    for (let i = 0; i < trials; i++) {
      const [x, y] = [value(next()), value(next())]
      if (skip(x, y)) continue
      const found = encode(dtype, got(x, y))
      const wanted = nearest(dtype, exact(rational(x), rational(y)), zeroIsNegative(x, y))
      // asked only of what differs: there are thousands
      if (!Object.is(found, wanted)) expect([x, y, found]).toEqual([x, y, wanted])
    }
  }
  const never = (): boolean => false
  const signs = (x: number, y: number): boolean => negative(x) !== negative(y)
  it('add', () => {
    check(roundedBinary('add', dtype), plus, (x, y) => negative(x) && negative(y), never, 11)
  })
  it('sub', () => {
    const exact = (x: Rational, y: Rational): Rational => plus(x, { ...y, numerator: -y.numerator })
    check(roundedBinary('sub', dtype), exact, (x, y) => negative(x) && !negative(y), never, 12)
  })
  it('mul', () => {
    check(roundedBinary('mul', dtype), times, signs, never, 13)
  })
  it('div', () => {
    check(roundedBinary('div', dtype), over, signs, (_, y) => isZero(y), 14)
  })
  it('sqrt and rcp', () => {
    const root = O.toNullable(roundedUnary('sqrt', dtype))!
    const reciprocal = O.toNullable(roundedUnary('rcp', dtype))!
    const next = patternSource(dtype, 15)
    for (let i = 0; i < trials; i++) {
      const x = value(next())
      if (isZero(x)) continue
      const found = [encode(dtype, reciprocal(x)), encode(dtype, root(Math.abs(x)))]
      const wanted = [
        nearest(dtype, over({ numerator: 1n, denominator: 1n }, rational(x)), x < 0),
        nearestRoot(dtype, rational(Math.abs(x))),
      ]
      if (!wanted.every((w, k) => Object.is(found[k], w))) expect([x, ...found]).toEqual([x, ...wanted])
    }
    expect(roundedUnary('exp2', dtype)).toEqual(O.none)
    expect(roundedUnary('log2', dtype)).toEqual(O.none)
  })
  it('fma, with addends that decide ties from afar', () => {
    const fma = roundedFma(dtype)
    const next = patternSource(dtype, 16)
    const random = generator(17)
    for (let i = 0; i < trials; i++) {
      const x = value(next())
      const y = value(next())
      const free = value(next())
      const near = value(encode(dtype, -x * y))
      const far = value(encode(dtype, x * y * 2 ** -(20 + (random() % 40))))
      for (const z of [
        free,
        Number.isFinite(near) ? near : free,
        far === Infinity || far === -Infinity ? free : far,
      ]) {
        const exact = plus(times(rational(x), rational(y)), rational(z))
        const zeroIsNegative = signs(x, y) && negative(z)
        const [found, wanted] = [encode(dtype, fma(x, y, z)), nearest(dtype, exact, zeroIsNegative)]
        if (!Object.is(found, wanted)) expect([x, y, z, found]).toEqual([x, y, z, wanted])
      }
    }
  })
})

describe('fma: ties that only an odd bit decides', () => {
  it('f16: a tie decided by the smallest subnormal', () => {
    // 1.5 * (1 + 2^-10) is a tie between 1.5 + 2^-10 and 1.5 + 2^-9; the addend is far below.
    const [x, y] = [1.5, 1 + 2 ** -10]
    expect(roundedFma('f16')(x, y, 0)).toBe(1.5 + 2 ** -9)
    expect(roundedFma('f16')(x, y, -(2 ** -24))).toBe(1.5 + 2 ** -10)
  })
  it('bf16 and f32: an addend below the 53 bits of f64 (the worked example)', () => {
    const x = 1 + 2 ** -7
    expect(roundedFma('bf16')(1.5, x, 0)).toBe(1.5 + 2 ** -6)
    expect(roundedFma('bf16')(1.5, x, -(2 ** -100))).toBe(1.5 + 2 ** -7)
    const y = 1 + 2 ** -23
    expect(roundedFma('f32')(1.5, y, 0)).toBe(1.5 + 2 ** -22)
    expect(roundedFma('f32')(1.5, y, -(2 ** -100))).toBe(1.5 + 2 ** -23)
    expect(roundedFma('f32')(-1.5, y, 2 ** -100)).toBe(-1.5 - 2 ** -23)
    // A borrow across the words of the f64.
    expect(addToOdd(1, -(2 ** -100))).toBe(1 - 2 ** -53)
    expect(addToOdd(1, 2 ** -100)).toBe(1 + 2 ** -52)
  })
})

describe('law 2: add, mul, min and max commute; specials', () => {
  const specials = [
    0x0000, 0x8000, 0x0001, 0x3c00, 0xbc00, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x7fff, 0xfe01,
  ]
  const algebra = bits('hopper')
  const f16: FloatDtype = 'f16'
  const apply = (op: 'add' | 'sub' | 'mul' | 'div' | 'min' | 'max', x: number, y: number): number =>
    O.toNullable(algebra.binary(op, f16))!(x, y)
  it('all pairs of special f16 patterns', () => {
    for (const op of ['add', 'mul', 'min', 'max'] as const)
      for (const x of specials) for (const y of specials) expect(apply(op, x, y)).toBe(apply(op, y, x))
  })
  it('a NaN makes the canonical NaN, but loses in min and max', () => {
    for (const x of specials)
      for (const nan of [0x7e00, 0x7c01, 0xffff]) {
        for (const op of ['add', 'sub', 'mul', 'div'] as const) expect(apply(op, x, nan)).toBe(0x7fff)
        const canonical = (x & 0x7fff) > 0x7c00 ? 0x7fff : x
        for (const op of ['min', 'max'] as const) expect(apply(op, nan, x)).toBe(canonical)
      }
  })
  it('signed zeros and infinities', () => {
    expect(apply('min', 0, 0x8000)).toBe(0x8000)
    expect(apply('max', 0x8000, 0)).toBe(0)
    expect(apply('add', 0x3c00, 0xbc00)).toBe(0)
    expect(apply('sub', 0x7c00, 0x7c00)).toBe(0x7fff)
    expect(apply('mul', 0x7c00, 0)).toBe(0x7fff)
    expect(apply('div', 0xbc00, 0)).toBe(0xfc00)
    expect(apply('div', 0, 0)).toBe(0x7fff)
    expect(apply('add', 0x7bff, 0x7bff)).toBe(0x7c00)
  })
})
