/** Correctly rounded operations against rationals: the result is the representable number that the direction asks for. */
import { describe, expect, it } from 'vitest'
import { rest, scalarOperation } from '../../../src/numerics/scalar/index.js'
import { nightly } from '../../extent.js'
import { over, plus, times, generator, type Rational } from '../exact.js'

const trials = nightly ? 20_000 : 60

interface Format {
  readonly bits: bigint
  readonly fraction: bigint
  readonly bias: bigint
}
const formats = {
  f16: { bits: 16n, fraction: 10n, bias: 15n },
  bf16: { bits: 16n, fraction: 7n, bias: 127n },
  f32: { bits: 32n, fraction: 23n, bias: 127n },
  f64: { bits: 64n, fraction: 52n, bias: 1023n },
} as const satisfies Record<string, Format>
type Name = keyof typeof formats

const infinityOf = ({ bits, fraction }: Format): bigint => ((1n << (bits - 1n - fraction)) - 1n) << fraction

/** The value of a magnitude; infinity counts as the first power of two out of range. */
const magnitude = ({ fraction, bias }: Format, m: bigint): Rational => {
  const biased = m >> fraction
  const significand = (m & ((1n << fraction) - 1n)) + (biased === 0n ? 0n : 1n << fraction)
  const exponent = (biased === 0n ? 1n : biased) - bias - fraction
  return exponent >= 0n
    ? { numerator: significand << exponent, denominator: 1n }
    : { numerator: significand, denominator: 1n << -exponent }
}
const valueOf = (f: Format, pattern: bigint): Rational => {
  const negative = pattern >> (f.bits - 1n) === 1n
  const { numerator, denominator } = magnitude(f, pattern & ((1n << (f.bits - 1n)) - 1n))
  return { numerator: negative ? -numerator : numerator, denominator }
}
const compare = (x: Rational, y: Rational): bigint =>
  x.numerator * y.denominator - y.numerator * x.denominator

/** Is this pattern the rounding of an exact quantity, given by comparison with it? `exact` < 0 where the quantity is less. */
const isRounding = (
  f: Format,
  direction: string,
  pattern: bigint,
  against: (v: Rational) => bigint,
  negative: boolean,
): boolean => {
  const infinity = infinityOf(f)
  const size = pattern & ((1n << (f.bits - 1n)) - 1n)
  const sign = negative ? -1n : 1n
  if ((pattern >> (f.bits - 1n) === 1n) !== negative) return false
  // On magnitudes.
  const above = (m: bigint): bigint => {
    const { numerator, denominator } = magnitude(f, m)
    return sign * against({ numerator: sign * numerator, denominator })
  }
  const outward = direction === (negative ? 'rm' : 'rp')
  const inward = direction !== 'rn' && !outward
  if (inward) return size < infinity && above(size) >= 0n && (size === infinity - 1n || above(size + 1n) < 0n)
  if (outward) return (size === infinity || above(size) <= 0n) && (size === 0n || above(size - 1n) > 0n)
  const between = (a: bigint, b: bigint): bigint => {
    const middle = times(plus(magnitude(f, a), magnitude(f, b)), { numerator: 1n, denominator: 2n })
    return sign * against({ numerator: sign * middle.numerator, denominator: middle.denominator })
  }
  const even = size % 2n === 0n
  const low = size === 0n ? 1n : between(size - 1n, size)
  const high = size === infinity ? -1n : between(size, size + 1n)
  return (even ? low >= 0n : low > 0n) && (even ? high <= 0n : high < 0n)
}

const next = generator(20260)
const raw = (): bigint => (BigInt(next()) << 32n) | BigInt(next())
/** A finite pattern: any bits, near one, subnormal, near the ends, few bits. */
const draw = (f: Format): bigint => {
  const infinity = infinityOf(f)
  const any = raw()
  const one = f.bias << f.fraction
  const kind = next() % 6
  const size =
    kind === 0
      ? any % infinity
      : kind === 1
        ? one + ((any % 8n) << (f.fraction - 2n)) + ((any >> 40n) % 64n)
        : kind === 2
          ? any % (4n << f.fraction)
          : kind === 3
            ? infinity - 1n - (any % (2n << f.fraction))
            : kind === 4
              ? one + (any % (8n << f.fraction)) - (4n << f.fraction)
              : ((any % (infinity >> f.fraction)) << f.fraction) + (1n << ((any >> 20n) % f.fraction))
  return size | ((any >> 63n) << (f.bits - 1n))
}

const wordsOf = (f: Format, pattern: bigint): number[] =>
  f.bits === 64n
    ? [Number(BigInt.asIntN(32, pattern)), Number(BigInt.asIntN(32, pattern >> 32n))]
    : [Number(BigInt.asIntN(32, pattern))]

const apply = (name: string, f: Format, operands: readonly bigint[]): bigint => {
  const row = scalarOperation(name)
  if (row === undefined) return expect.fail(`no row ${name}`)
  const low = row.compute(...operands.flatMap((x) => wordsOf(f, x)))
  return f.bits === 64n
    ? BigInt.asUintN(32, BigInt(low)) | (BigInt.asUintN(32, BigInt(rest[0]!)) << 32n)
    : BigInt.asUintN(Number(f.bits), BigInt(low))
}

const exactly: Readonly<Record<string, (x: readonly Rational[]) => Rational>> = {
  add: ([x, y]) => plus(x!, y!),
  sub: ([x, y]) => plus(x!, { ...y!, numerator: -y!.numerator }),
  mul: ([x, y]) => times(x!, y!),
  fma: ([x, y, z]) => plus(times(x!, y!), z!),
  div: ([x, y]) => over(x!, y!),
  rcp: ([x]) => over({ numerator: 1n, denominator: 1n }, x!),
}
const arity: Readonly<Record<string, number>> = { add: 2, sub: 2, mul: 2, fma: 3, div: 2, rcp: 1, sqrt: 1 }

const cases: readonly (readonly [Name, string, string])[] = [
  ...(['f32', 'f64'] as const).flatMap((type) =>
    ['add', 'sub', 'mul', 'fma', 'div', 'rcp', 'sqrt'].flatMap((op) =>
      ['rn', 'rz', 'rm', 'rp'].map((d) => [type, op, d] as const),
    ),
  ),
  ...(['f16', 'bf16'] as const).flatMap((type) =>
    ['add', 'sub', 'mul', 'fma'].map((op) => [type, op, 'rn'] as const),
  ),
]

describe('the exact result, rounded once', () => {
  it.each(cases)('%s %s.%s', (type, op, direction) => {
    const f = formats[type]
    for (let trial = 0; trial < trials; trial++) {
      const operands = Array.from({ length: arity[op]! }, () => draw(f))
      // Sums that nearly cancel.
      if (op === 'fma' && trial % 3 === 0)
        operands[2] = apply(`mul.rn.${type}`, f, operands.slice(0, 2)) ^ (1n << (f.bits - 1n))
      // Ties of the product that a far smaller addend breaks.
      if (op === 'fma' && trial % 3 === 1) {
        const one = f.bias << f.fraction
        operands[0] = one + (1n << (f.fraction - 1n))
        operands[1] = one + BigInt(2 * (next() % 8) + 1)
        operands[2] = BigInt(1 + (next() % 5)) | (BigInt(next() & 1) << (f.bits - 1n))
        if (trial % 2 === 0 && f.bias > 15n)
          operands[2] |= (f.bias / 2n + (raw() % (f.bias / 8n))) << f.fraction
      }
      if ((op === 'add' || op === 'sub') && trial % 5 === 0)
        operands[1] = operands[0]! ^ (BigInt(next() % 8) | ((BigInt(next()) & 1n) << (f.bits - 1n)))
      if (op === 'sqrt') operands[0]! &= (1n << (f.bits - 1n)) - 1n
      const values = operands.map((x) => valueOf(f, x))
      if (op === 'div' && values[1]!.numerator === 0n) continue
      if (op === 'rcp' && values[0]!.numerator === 0n) continue
      if (values.some((_, i) => (operands[i]! & infinityOf(f)) === infinityOf(f))) continue
      const result = apply(`${op}.${direction}.${type}`, f, operands)
      const shown = `${op}.${direction}.${type}(${operands.map((x) => x.toString(16)).join(', ')}) = ${result.toString(16)}`
      if (op === 'sqrt') {
        const x = values[0]!
        expect(
          isRounding(f, direction, result, (v) => compare(x, times(v, v)), false),
          shown,
        ).toBe(true)
        continue
      }
      const exact = exactly[op]!(values)
      if (exact.numerator === 0n) expect(result & ((1n << (f.bits - 1n)) - 1n), shown).toBe(0n)
      else
        expect(
          isRounding(f, direction, result, (v) => compare(exact, v), exact.numerator < 0n),
          shown,
        ).toBe(true)
    }
  })

  it('an exact zero has the sign that IEEE 754 says', () => {
    const add = (d: string, a: number, b: number): number =>
      scalarOperation(`add.${d}.f32`)!.compute(a, b) >>> 0
    expect([add('rn', 0x3f800000, 0xbf800000 | 0), add('rm', 0x3f800000, 0xbf800000 | 0)]).toEqual([
      0, 0x80000000,
    ])
    expect([add('rm', 0, 0), add('rm', 0, -0x80000000), add('rz', -0x80000000, -0x80000000)]).toEqual([
      0, 0x80000000, 0x80000000,
    ])
    const fma = scalarOperation('fma.rm.f64')!
    expect([fma.compute(0, 0x3ff00000, 0, 0x3ff00000, 0, -0x40100000), rest[0]! >>> 0]).toEqual([
      0, 0x80000000,
    ])
  })
})

/** Products of f16 next to the smallest normal number, with ftz, against whole numbers: what rounds to less, with 11 bits and whatever exponent, is a zero. */
it('a product of f16 is flushed by its rounding as if no exponent were the least', () => {
  const { compute } = scalarOperation('mul.ftz.f16')!
  const plain = scalarOperation('mul.f16')!.compute
  const seen = { flushed: 0, kept: 0, apart: 0 }
  // (1 + i / 1024) / 2 times (1 + j / 1024) / 2^14: next to 2^-14 where (1024 + i) (1024 + j) is next to 2^21
  for (let i = 0; i < 1024; i++) {
    const j = Math.floor(2 ** 21 / (1024 + i)) - 1024
    for (let k = Math.max(0, j - 1); k <= Math.min(1023, j + 1); k++) {
      const product = (1024 + i) * (1024 + k)
      // below 2^21 a unit of the last of 11 bits is 2^10: it rounds to 2^21 from the middle on, as 2^21 is even
      const isTiny = product < 2 ** 21 - 2 ** 9
      const [x, y] = [(14 << 10) | i, (1 << 10) | k]
      for (const sign of [0, 0x8000]) {
        const got = compute(x | sign, y, 0) & 0xffff
        const unflushed = plain(x | sign, y, 0) & 0xffff
        expect([x, y, got]).toEqual([x, y, isTiny ? sign : unflushed])
        seen[isTiny ? 'flushed' : 'kept']++
        // subnormal numbers have fewer bits: the rounding to them alone does not tell
        if (isTiny && (unflushed & 0x7fff) === 0x0400) seen.apart++
      }
    }
  }
  expect(Math.min(seen.flushed, seen.kept, seen.apart)).toBeGreaterThan(100)
})
