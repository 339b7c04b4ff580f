import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { type Algebra, binaryOps, compareOps, type MmaTypes, unaryOps } from '../../src/numerics/algebra.js'
import { bits } from '../../src/numerics/bits.js'
import { dtypes, floatDtypes, type FloatDtype, isFloat } from '../../src/numerics/dtype.js'
import { decode, encode, isNaNPattern } from '../../src/numerics/float-format.js'
import { field, prime } from '../../src/numerics/field.js'
import { real64 } from '../../src/numerics/real64.js'
import {
  compilers,
  lowerings,
  meaningOf,
  specialBinaryNames,
  specialDtype,
  specialUnaryNames,
  unaryFunction,
} from '../../src/numerics/special-functions/index.js'
import { terms, uses } from '../../src/numerics/terms.js'
import { unit } from '../../src/numerics/unit.js'
import { mismatches } from './captured.js'
import { generator, spreadValue } from './exact.js'
import { nightly } from '../extent.js'

const get = <A>(option: O.Option<A>): A =>
  O.getOrElseW(() => {
    throw new Error('the algebra lacks it')
  })(option)

const hopper = bits('hopper')
const blackwell = bits('blackwell')
const ieee32 = bits('ieee32')
const modular = field(7)
const algebras: readonly Algebra[] = [hopper, blackwell, ieee32, real64, modular, terms, uses, unit]
const types: MmaTypes = { a: 'f16', b: 'f16', acc: 'f32' }

describe.each(algebras.map((algebra) => [algebra.description, algebra] as const))('%s', (_, algebra) => {
  it('law 1: constants and bit patterns agree on representable values', () => {
    const next = generator(41)
    for (const dtype of ['f16', 'bf16', 'f32', 'tf32', 'e4m3', 'e5m2'] as const)
      for (let i = 0; i < 300; i++) {
        const x = decode(dtype, encode(dtype, spreadValue(next, -6, 6)))
        expect(algebra.fromBits(dtype, encode(dtype, x))).toBe(algebra.constant(dtype, x))
      }
  })

  it('law 3: mma over k1 + k2 is mma over k2 after mma over k1; no k is the identity', () => {
    const next = generator(42)
    const [m, n, k1, k2] = [5, 3, 32, 48]
    const k = k1 + k2
    const fill = (dtype: FloatDtype, count: number): Float64Array =>
      Float64Array.from({ length: count }, () => algebra.constant(dtype, (next() % 2001) / 1000 - 1))
    const [a, b, c] = [fill('f16', m * k), fill('f16', k * n), fill('f32', m * n)]
    const columns = (from: number, to: number): Float64Array =>
      a.filter((_x, i) => i % k >= from && i % k < to)
    const whole = get(algebra.mma(types, { m, n, k }))(a, b, c)
    const first = get(algebra.mma(types, { m, n, k: k1 }))(columns(0, k1), b.slice(0, k1 * n), c)
    const both = get(algebra.mma(types, { m, n, k: k2 }))(columns(k1, k), b.slice(k1 * n), first)
    expect(mismatches(both, whole)).toBe(0)
    const none = new Float64Array(0)
    expect(get(algebra.mma(types, { m, n, k: 0 }))(none, none, c)).toEqual(c)
  })

  it('integers are values everywhere: narrowing wraps, saturation clamps', () => {
    const narrow = (
      from: 'i32' | 'i64',
      to: 'i8' | 'u8' | 'i16' | 'u16' | 'u32' | 'i1',
      saturate: boolean,
      x: number,
    ): number => get(algebra.cast(from, to, 'rz', saturate))(x)
    expect([200, -1, 127, -129, 256].map((x) => narrow('i32', 'i8', false, x))).toEqual([
      -56, -1, 127, 127, 0,
    ])
    expect([200, -1, 127, -129, 256].map((x) => narrow('i32', 'i8', true, x))).toEqual([
      127, -1, 127, -128, 127,
    ])
    expect([300, -1, 70000].map((x) => narrow('i32', 'u8', false, x))).toEqual([44, 255, 112])
    expect([300, -1].map((x) => narrow('i32', 'u8', true, x))).toEqual([255, 0])
    expect([40000, 65536, -70000].map((x) => narrow('i32', 'i16', false, x))).toEqual([-25536, 0, -4464])
    expect([-1, 65537].map((x) => narrow('i32', 'u16', false, x))).toEqual([65535, 1])
    expect([-1, 2 ** 40 + 5].map((x) => narrow('i64', 'u32', false, x))).toEqual([4294967295, 5])
    expect([2, 3, -1].map((x) => narrow('i32', 'i1', false, x))).toEqual([0, 1, 1])
    expect(get(algebra.cast('u32', 'i32', 'rz', false))(4294967295)).toBe(-1)
    expect(get(algebra.cast('u32', 'i64', 'rz', false))(4294967295)).toBe(4294967295)
    expect(get(algebra.cast('u32', 'u64', 'rz', false))(4294967295)).toBe(4294967295)
    expect(algebra.cast('i32', 'u64', 'rz', false)).toEqual(O.none)
    expect(get(algebra.cast('i32', 'u64', 'rz', true))(-5)).toBe(0)
  })
})

describe('bits', () => {
  const f = (dtype: FloatDtype, x: number): number => encode(dtype, x)

  it('constants are rounded, patterns are themselves', () => {
    expect(hopper.constant('f16', 0.1)).toBe(0x2e66)
    expect(hopper.constant('bf16', 1)).toBe(0x3f80)
    expect(hopper.fromBits('f16', 0xfe01)).toBe(0xfe01)
  })

  it('law 1: neg is an involution and abs clears the sign, all f16 patterns', () => {
    const neg = get(hopper.unary('neg', 'rn', 'f16'))
    const abs = get(hopper.unary('abs', 'approx', 'f16'))
    const patterns = Array.from({ length: 65536 }, (_, p) => p)
    expect(patterns.filter((p) => neg(p) !== (p ^ 0x8000) || abs(p) !== (p & 0x7fff))).toEqual([])
    expect(get(hopper.unary('neg', 'rn', 'f32'))(0x3f800000)).toBe(0xbf800000)
    expect(get(hopper.unary('neg', 'rn', 'f32'))(0xbf800000)).toBe(0x3f800000)
  })

  it('law 2: f16 and bf16 to f32 and back, all patterns', () => {
    for (const dtype of ['f16', 'bf16'] as const) {
      const up = get(hopper.cast(dtype, 'f32', 'rn', false))
      const down = get(hopper.cast('f32', dtype, 'rn', false))
      const truncated = get(hopper.cast('f32', dtype, 'rz', false))
      const patterns = Array.from({ length: 65536 }, (_, p) => p)
      const returns = (p: number): boolean => {
        const expected = isNaNPattern(dtype, p) ? 0x7fff : p
        return down(up(p)) === expected && truncated(up(p)) === expected
      }
      expect(patterns.filter((p) => !returns(p))).toEqual([])
      expect(up(0x7fff)).toBe(0x7fffffff)
    }
  })

  it('float conversions round once, truncate, saturate, and leave their own dtype alone', () => {
    const cast = (
      from: FloatDtype,
      to: FloatDtype,
      rounding: 'rn' | 'rz',
      saturate: boolean,
      x: number,
    ): number => get(hopper.cast(from, to, rounding, saturate))(x)
    expect(cast('f32', 'f16', 'rn', false, f('f32', 70000))).toBe(0x7c00)
    expect(cast('f32', 'f16', 'rz', false, f('f32', 70000))).toBe(0x7bff)
    expect(cast('f32', 'f16', 'rn', true, f('f32', -70000))).toBe(0xfbff)
    expect(cast('f32', 'bf16', 'rn', false, 0x3f808000)).toBe(0x3f80)
    expect(cast('f32', 'bf16', 'rn', false, 0x3f818000)).toBe(0x3f82)
    expect(cast('f32', 'bf16', 'rz', false, 0x3f81ffff)).toBe(0x3f81)
    expect(cast('f32', 'e4m3', 'rn', true, f('f32', 1000))).toBe(0x7e)
    expect(cast('f16', 'f16', 'rn', false, 0xfe01)).toBe(0xfe01)
    expect(cast('f16', 'f16', 'rn', true, 0xfc00)).toBe(0xfbff)
  })

  it('integers to floats and back', () => {
    const to = get(hopper.cast('i32', 'f32', 'rn', false))
    expect([16777217, 16777219, -3, 0].map(to)).toEqual([0x4b800000, 0x4b800002, 0xc0400000, 0])
    expect(get(hopper.cast('i32', 'f32', 'rz', false))(16777219)).toBe(0x4b800001)
    expect(get(hopper.cast('i32', 'f16', 'rn', false))(65520)).toBe(0x7c00)
    const nearest = get(hopper.cast('f32', 'i32', 'rn', false))
    expect([0.5, 1.5, 2.5, -0.5, -1.5, 2.51, 3e9, -3e9, NaN].map((x) => nearest(f('f32', x)))).toEqual([
      0, 2, 2, 0, -2, 3, 2147483647, -2147483648, 0,
    ])
    const cut = get(hopper.cast('f16', 'u8', 'rz', false))
    expect([2.75, -1, 300, Infinity].map((x) => cut(f('f16', x)))).toEqual([2, 0, 255, 255])
    const towardZero = get(hopper.cast('f32', 'i32', 'rz', false))
    expect(Object.is(towardZero(f('f32', -0.5)), 0)).toBe(true)
    const long = get(hopper.cast('f32', 'i64', 'rz', false))
    expect([2.75, -2.75, -0.5, 2 ** 40 + 2 ** 20, 1e30, -1e30, NaN].map((x) => long(f('f32', x)))).toEqual([
      2,
      -2,
      0,
      2 ** 40 + 2 ** 20,
      2 ** 63,
      -(2 ** 63),
      -(2 ** 63),
    ])
    const four = get(hopper.cast('i32', 'i4', 'rn', false))
    expect([7, 8, -9, 15].map(four)).toEqual([7, -8, 7, -1])
    expect(hopper.cast('f32', 'u64', 'rz', false)).toEqual(O.none)
    expect(hopper.cast('f32', 'i1', 'rz', false)).toEqual(O.none)
  })

  it('comparisons are by value: zeros are equal, a NaN is unordered', () => {
    const table: readonly (readonly [number, number, readonly boolean[]])[] = [
      [1, 2, [false, true, true, true, false, false]],
      [2, 1, [false, true, false, false, true, true]],
      [-1, -1, [true, false, false, true, false, true]],
      [0, -0, [true, false, false, true, false, true]],
      [NaN, 1, [false, true, false, false, false, false]],
      [NaN, NaN, [false, true, false, false, false, false]],
    ]
    for (const dtype of ['f16', 'bf16', 'f32'] as const)
      for (const [x, y, expected] of table)
        expect(compareOps.map((op) => get(hopper.compare(op, dtype))(f(dtype, x), f(dtype, y)))).toEqual(
          expected,
        )
  })

  it('lacks what no compiler is named for, arithmetic in narrow formats and unknown matrix products', () => {
    for (const dtype of floatDtypes) {
      for (const op of ['exp2', 'log2', 'exp', 'log', 'rsqrt', 'tanh'] as const)
        for (const mode of ['rn', 'approx'] as const) expect(hopper.unary(op, mode, dtype)).toEqual(O.none)
      for (const op of ['rcp', 'sqrt'] as const) expect(hopper.unary(op, 'approx', dtype)).toEqual(O.none)
      const has = dtype === 'f16' || dtype === 'bf16' || dtype === 'f32'
      for (const op of ['neg', 'abs', 'rcp', 'sqrt'] as const)
        expect(O.isSome(hopper.unary(op, 'rn', dtype))).toBe(has)
      for (const op of binaryOps) expect(O.isSome(hopper.binary(op, dtype))).toBe(has)
      for (const op of compareOps) expect(O.isSome(hopper.compare(op, dtype))).toBe(has)
      expect(O.isSome(hopper.fma(dtype))).toBe(has)
    }
    expect(hopper.mma(types, { m: 1, n: 1, k: 8 })).toEqual(O.none)
    expect(hopper.mma({ ...types, b: 'bf16' }, { m: 1, n: 1, k: 16 })).toEqual(O.none)
    expect(ieee32.mma({ ...types, acc: 'e4m3' }, { m: 1, n: 1, k: 16 })).toEqual(O.none)
  })

  it('has the special functions by name, each for its dtype, on every chip', () => {
    for (const algebra of [hopper, blackwell, ieee32])
      for (const dtype of floatDtypes) {
        for (const name of specialUnaryNames)
          for (const mode of ['rn', 'approx'] as const)
            expect(algebra.unary(name, mode, dtype)).toEqual(
              dtype === specialDtype(name) ? O.some(unaryFunction[name]) : O.none,
            )
        for (const name of specialBinaryNames)
          expect(O.isSome(algebra.binary(name, dtype))).toBe(dtype === 'f32')
      }
    expect(get(hopper.binary('div.full.f32', 'f32'))(f('f32', 1), f('f32', 3))).toBe(0x3eaaaaab)
    expect(get(hopper.binary('div.approx.ftz.f32', 'f32'))(f('f32', 1), f('f32', 2 ** 127))).toBe(0)
    expect(get(hopper.binary('div.full.ftz.f32', 'f32'))(f('f32', 2 ** 127), f('f32', 2 ** 127))).toBe(
      f('f32', 1),
    )
  })

  it('has the functions of a source as its compiler makes them, in f32', () => {
    for (const compiler of compilers)
      for (const op of unaryOps) {
        if (op === 'neg' || op === 'abs') continue
        const algebra = bits('hopper', compiler)
        expect(algebra.unary(op, 'approx', 'f32')).toEqual(O.fromNullable(lowerings[compiler][op]))
        expect(algebra.unary(op, 'approx', 'f16')).toEqual(O.none)
        expect(O.isSome(algebra.unary(op, 'rn', 'f32'))).toBe(op === 'rcp' || op === 'sqrt')
      }
    const exp = compilers.map((c) => get(bits('hopper', c).unary('exp', 'approx', 'f32'))(f('f32', 20)))
    // e^20 = 485165195.4 is 0x4DE75844 to the nearest.
    expect(exp.map((x) => x - 0x4de75844)).toEqual([2, 1, 1, 2, 1])
  })

  it('blackwell: the documented rule, said so; its products alone differ from hopper, in fp8 and in fp4', () => {
    expect(blackwell.description).toBe(
      'bit patterns; matrix products by the documented rule of Blackwell tensor cores (not measured)',
    )
    const fp8: MmaTypes = { a: 'e4m3', b: 'e4m3', acc: 'f32' }
    const shape = { m: 1, n: 1, k: 32 }
    const row = (x: number): Float64Array =>
      Float64Array.from({ length: 32 }, (_, p) => f('e4m3', p === 31 ? x : 0))
    const dot = (algebra: Algebra): number =>
      decode(
        'f32',
        get(algebra.mma(fp8, shape))(row(2 ** -9), row(2 ** -6), Float64Array.of(f('f32', 1)))[0]!,
      )
    expect([hopper, blackwell].map(dot)).toEqual([1, 1 + 2 ** -15])
    const fp4: MmaTypes = { a: 'e2m1', b: 'e2m1', acc: 'f32' }
    expect([hopper, blackwell].map((algebra) => O.isSome(algebra.mma(fp4, shape)))).toEqual([false, true])
    expect(blackwell.mma(fp8, { m: 1, n: 1, k: 16 })).toEqual(O.none)
    expect(blackwell.mma({ ...types, b: 'bf16' }, { m: 1, n: 1, k: 16 })).toEqual(O.none)
    expect(get(blackwell.binary('add', 'f16'))(f('f16', 1), f('f16', 2))).toBe(f('f16', 3))
  })

  it('ieee32 adds in order of k and rounds every step, where Hopper cuts off', () => {
    const a = Float64Array.from({ length: 16 }, (_, p) => f('f16', p === 0 ? 1 : 2 ** -12))
    const b = Float64Array.from({ length: 16 }, (_, p) =>
      f('f16', p === 0 ? 1 : p % 2 ? 1.5 * 2 ** -12 : 2 ** -13),
    )
    const c = Float64Array.of(0)
    let sum = Math.fround(0)
    for (let p = 0; p < 16; p++)
      sum = Math.fround(sum + Math.fround(decode('f16', a[p]!) * decode('f16', b[p]!)))
    const shape = { m: 1, n: 1, k: 16 }
    expect(decode('f32', get(ieee32.mma(types, shape))(a, b, c)[0]!)).toBe(sum)
    // 8 products of 3 * 2^-25 and 7 of 2^-25, all kept: 1 + 31 * 2^-25, cut off at 2^-23.
    expect(decode('f32', get(hopper.mma(types, shape))(a, b, c)[0]!)).toBe(1 + 7 * 2 ** -23)
    expect(sum).not.toBe(1 + 7 * 2 ** -23)
    const f16Types = { ...types, acc: 'f16' } as const
    // A product of f16s rounds to f16 before it is added: 1 + 2^-9 + 2^-20 loses the bit that would break the tie.
    const x = Float64Array.of(f('f16', 1 + 2 ** -10))
    const tie = Float64Array.of(f('f16', 2 ** -11))
    expect(decode('f16', get(ieee32.mma(f16Types, { m: 1, n: 1, k: 1 }))(x, x, tie)[0]!)).toBe(1 + 2 ** -9)
    const halves = Float64Array.of(f('f16', 2048), f('f16', 1), f('f16', 1))
    const ones = Float64Array.of(f('f16', 1), f('f16', 1), f('f16', 1))
    expect(decode('f16', get(ieee32.mma(f16Types, { m: 1, n: 1, k: 3 }))(halves, ones, c)[0]!)).toBe(2048)
  })
})

describe('real64', () => {
  it('has every operation on floats, and does not round', () => {
    const one = (op: (typeof unaryOps)[number], x: number): number =>
      get(real64.unary(op, 'approx', 'f16'))(x)
    // of 0.25
    const meant: Readonly<Record<string, number>> = {
      expm1: Math.expm1(0.25),
      log1p: Math.log1p(0.25),
      sin: Math.sin(0.25),
      cos: Math.cos(0.25),
      erf: 0.2763263901682369,
    }
    expect(unaryOps.map((op) => one(op, 0.25))).toEqual([
      ...[-0.25, 0.25, 2 ** 0.25, -2, 4, 0.5, 2],
      ...[Math.E ** 0.25, Math.log(0.25), Math.tanh(0.25)],
    ])
    for (const name of specialUnaryNames) {
      const op = unaryOps.find((of) => of === meaningOf[name])
      const expected = op === undefined ? meant[meaningOf[name]]! : one(op, 0.25)
      expect(get(real64.unary(name, 'approx', 'f32'))(0.25), name).toBeCloseTo(expected, 15)
    }
    for (const name of specialBinaryNames)
      expect(get(real64.binary(name, 'f32'))(3, 7)).toBe(name.startsWith('dividend') ? 3 : 3 / 7)
    expect(binaryOps.map((op) => get(real64.binary(op, 'f16'))(3, 7))).toEqual([10, -4, 21, 3 / 7, 3, 7])
    expect(get(real64.fma('f16'))(3, 7, 0.1)).toBe(21.1)
    expect(get(real64.binary('max', 'f16'))(NaN, 1)).toBe(1)
    expect(compareOps.map((op) => get(real64.compare(op, 'f16'))(0.1, 0.2))).toEqual([
      false,
      true,
      true,
      true,
      false,
      false,
    ])
    expect(real64.constant('f16', 0.1)).toBe(0.1)
    expect(real64.fromBits('bf16', 0x3fc0)).toBe(1.5)
    expect(get(real64.cast('f32', 'f16', 'rn', false))(0.1)).toBe(0.1)
    expect(get(real64.cast('i32', 'f16', 'rn', false))(70001)).toBe(70001)
    expect(get(real64.cast('f32', 'i32', 'rn', false))(2.5)).toBe(2)
    expect(get(real64.cast('f32', 'i32', 'rz', false))(-2.5)).toBe(-2)
  })
  it('a matrix product by hand', () => {
    const d = get(real64.mma(types, { m: 2, n: 2, k: 3 }))(
      Float64Array.of(1, 2, 3, 4, 5, 6),
      Float64Array.of(7, 8, 9, 10, 11, 12),
      Float64Array.of(0.5, 0, 0, -0.5),
    )
    expect([...d]).toEqual([58.5, 64, 139, 153.5])
  })
})

describe('field', () => {
  const p = BigInt(prime)
  const residue = (x: bigint): number => Number(((x % p) + p) % p)
  const add = get(modular.binary('add', 'f32'))
  const sub = get(modular.binary('sub', 'f32'))
  const mul = get(modular.binary('mul', 'f32'))
  const div = get(modular.binary('div', 'f32'))
  const neg = get(modular.unary('neg', 'rn', 'f32'))
  const rcp = get(modular.unary('rcp', 'approx', 'f32'))
  const fma = get(modular.fma('f32'))
  const edges = [0, 1, 2, 3, (prime - 1) / 2, (prime + 1) / 2, prime - 2, prime - 1]
  const next = generator(43)
  const sample = [...edges, ...Array.from({ length: 60 }, () => next() % prime)]

  it('the modulus is the largest prime below 2^26', () => {
    const isPrime = (n: number): boolean => {
      for (let d = 2; d * d <= n; d++) if (n % d === 0) return false
      return true
    }
    expect(prime).toBe(2 ** 26 - 5)
    expect([5, 4, 3, 2, 1].map((below) => isPrime(2 ** 26 - below))).toEqual([
      true,
      false,
      false,
      false,
      false,
    ])
  })

  it('law 1: operations equal big-integer arithmetic modulo p, and the axioms hold', () => {
    const wrong: number[][] = []
    for (const x of sample) {
      expect(add(x, neg(x))).toBe(0)
      expect([add(x, 0), mul(x, 1), mul(x, 0)]).toEqual([x, x, 0])
      if (x !== 0) expect([mul(x, rcp(x)), div(x, x)]).toEqual([1, 1])
      for (const y of sample) {
        if (
          !Object.is(add(x, y), residue(BigInt(x) + BigInt(y))) ||
          !Object.is(sub(x, y), residue(BigInt(x) - BigInt(y))) ||
          !Object.is(mul(x, y), residue(BigInt(x) * BigInt(y))) ||
          (y !== 0 && !Object.is(mul(div(x, y), y), x))
        )
          wrong.push([x, y])
        for (const z of edges)
          if (
            !Object.is(mul(x, add(y, z)), add(mul(x, y), mul(x, z))) ||
            !Object.is(mul(x, mul(y, z)), mul(mul(x, y), z)) ||
            !Object.is(add(x, add(y, z)), add(add(x, y), z)) ||
            !Object.is(fma(x, y, z), residue(BigInt(x) * BigInt(y) + BigInt(z)))
          )
            wrong.push([x, y, z])
      }
    }
    expect(wrong).toEqual([])
    expect([rcp(0), div(1, 0), add(NaN, 1), mul(NaN, 0), sub(0, NaN)]).toEqual([NaN, NaN, NaN, NaN, NaN])
  })

  it('law 1: a product is reduced by an f64 quotient that is right at every step', () => {
    // The steps of floor(t / p) are at the multiples of p: all 2^26 of them nightly, a stride of them otherwise.
    const stride = nightly ? 1 : 61
    let wrong = 0
    for (let q = 1; q < 2 ** 26; q += stride) {
      if (Math.floor(q * prime * (1 / prime)) !== q) wrong += 1
      if (Math.floor((q * prime - 1) * (1 / prime)) !== q - 1) wrong += 1
    }
    expect(wrong).toBe(0)
  })

  it('law 2: constants are a homomorphism of the dyadic rationals', () => {
    const image = (x: number): number => modular.constant('f32', x)
    expect([0, -0, 1, 3, -1, 0.5, prime, prime + 2].map(image)).toEqual([
      0,
      0,
      1,
      3,
      prime - 1,
      33554430,
      0,
      2,
    ])
    expect([NaN, Infinity, -Infinity].map(image)).toEqual([NaN, NaN, NaN])
    expect(mul(image(2 ** -1074), image(2 ** 1000))).toBe(image(2 ** -74))
    expect(image(2 ** 1000)).toBe(residue(2n ** 1000n))
    const random = generator(44)
    const small = (): number => (random() % 4001) / 64 - 30
    for (let i = 0; i < 2000; i++) {
      const [x, y] = [small(), small()]
      expect(image(x + y)).toBe(add(image(x), image(y)))
      expect(image(x * y)).toBe(mul(image(x), image(y)))
      expect(image(-x)).toBe(neg(image(x)))
    }
    expect(get(modular.cast('i32', 'f16', 'rn', false))(-7)).toBe(prime - 7)
    expect(get(modular.cast('f32', 'f16', 'rn', false))(12345)).toBe(12345)
  })

  it('law 3: input elements are reproducible, distinct streams, and even', () => {
    expect(modular.element(0, 5)).toBe(field(7).element(0, 5))
    const draw = (seed: number, tensor: number): readonly number[] =>
      Array.from({ length: 4096 }, (_, i) => field(seed).element(tensor, i))
    const streams = [draw(7, 0), draw(8, 0), draw(7, 1), draw(0, 0), draw(1, 0), draw(0, 1)]
    for (const stream of streams) {
      expect(stream.every((x) => Number.isInteger(x) && x >= 0 && x < prime)).toBe(true)
      // 4096 draws from 2^26: 0.125 collisions expected.
      expect(new Set(stream).size).toBeGreaterThan(4092)
      const buckets = new Array<number>(16).fill(0)
      for (const x of stream) buckets[Math.floor((x / prime) * 16)]! += 1
      expect(buckets.reduce((chi, count) => chi + (count - 256) ** 2 / 256, 0)).toBeLessThan(45)
    }
    expect(new Set(streams.flat()).size).toBeGreaterThan(6 * 4096 - 40)
    expect(modular.element(0, 2 ** 32)).not.toBe(modular.element(0, 0))
  })

  it('law 4: matrix products equal big-integer arithmetic, at the largest residues too', () => {
    const [m, n, k] = [3, 4, 500]
    for (const draw of [(): number => next() % prime, (): number => prime - 1]) {
      const a = Float64Array.from({ length: m * k }, draw)
      const b = Float64Array.from({ length: k * n }, draw)
      const c = Float64Array.from({ length: m * n }, draw)
      const d = get(modular.mma(types, { m, n, k }))(a, b, c)
      for (let i = 0; i < m; i++)
        for (let j = 0; j < n; j++) {
          let sum = BigInt(c[i * n + j]!)
          for (let s = 0; s < k; s++) sum += BigInt(a[i * k + s]!) * BigInt(b[s * n + j]!)
          expect(d[i * n + j]).toBe(residue(sum))
        }
    }
  })

  it('lacks order and analysis', () => {
    for (const op of ['abs', 'exp2', 'log2', 'sqrt', 'rsqrt', 'exp', 'log', 'tanh'] as const)
      expect(modular.unary(op, 'rn', 'f32')).toEqual(O.none)
    for (const name of specialUnaryNames)
      expect(O.isSome(modular.unary(name, 'approx', 'f32')), name).toBe(meaningOf[name] === 'rcp')
    for (const name of specialBinaryNames)
      expect(get(modular.binary(name, 'f32'))(6, 3)).toBe(name.startsWith('dividend') ? 6 : 2)
    for (const op of ['min', 'max'] as const) expect(modular.binary(op, 'f32')).toEqual(O.none)
    for (const op of compareOps) expect(modular.compare(op, 'f32')).toEqual(O.none)
    expect(modular.cast('f32', 'i32', 'rz', false)).toEqual(O.none)
  })
})

describe('unit', () => {
  it('everything is zero, and no data can decide anything', () => {
    expect([unit.constant('f16', 3), unit.fromBits('f16', 0x3c00)]).toEqual([0, 0])
    for (const op of [...unaryOps, ...specialUnaryNames])
      expect(get(unit.unary(op, 'approx', 'f16'))(0)).toBe(0)
    for (const op of binaryOps) expect(get(unit.binary(op, 'f16'))(0, 0)).toBe(0)
    expect(get(unit.fma('f16'))(0, 0, 0)).toBe(0)
    for (const op of compareOps) expect(unit.compare(op, 'f16')).toEqual(O.none)
    for (const from of dtypes)
      for (const to of floatDtypes)
        expect(get(unit.cast(from, to, 'rn', false))(isFloat(from) ? 0 : 9)).toBe(0)
    expect(unit.cast('f32', 'i32', 'rz', false)).toEqual(O.none)
    expect(
      get(unit.mma(types, { m: 2, n: 3, k: 1 }))(
        Float64Array.of(0, 0),
        Float64Array.of(0, 0, 0),
        new Float64Array(6),
      ),
    ).toEqual(new Float64Array(6))
  })
})

describe('what an algebra says of itself', () => {
  it('names and memory', () => {
    expect(algebras.map(({ name, memory }) => [name, memory])).toEqual([
      ['bits', 'bytes'],
      ['bits', 'bytes'],
      ['bits', 'bytes'],
      ['real64', 'slots'],
      ['field', 'slots'],
      ['terms', 'slots'],
      ['uses', 'slots'],
      ['unit', 'none'],
    ])
    expect(new Set(algebras.map(({ description }) => description)).size).toBe(8)
    expect(modular.seed).toBe(7)
  })
})
