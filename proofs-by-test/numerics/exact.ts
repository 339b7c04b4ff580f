/**
 * Exact rational arithmetic on big integers: the oracle for everything that rounds. It knows a float format only
 * through a decode function that is itself proved against independent tables.
 */
import type { FloatDtype } from '../../src/numerics/dtype.js'

/** numerator / denominator, denominator > 0. */
export interface Rational {
  readonly numerator: bigint
  readonly denominator: bigint
}

const view = new DataView(new ArrayBuffer(8))

/** A finite f64, exactly: taken apart from its bit pattern. */
export const rational = (x: number): Rational => {
  view.setFloat64(0, x)
  const bits = view.getBigUint64(0)
  const biased = (bits >> 52n) & 0x7ffn
  const fraction = bits & 0xfffffffffffffn
  const significand = (biased === 0n ? fraction : fraction + 0x10000000000000n) * (bits >> 63n ? -1n : 1n)
  const exponent = (biased === 0n ? 1n : biased) - 1075n
  return exponent >= 0n
    ? { numerator: significand << exponent, denominator: 1n }
    : { numerator: significand, denominator: 1n << -exponent }
}

export const plus = (x: Rational, y: Rational): Rational => ({
  numerator: x.numerator * y.denominator + y.numerator * x.denominator,
  denominator: x.denominator * y.denominator,
})
export const times = (x: Rational, y: Rational): Rational => ({
  numerator: x.numerator * y.numerator,
  denominator: x.denominator * y.denominator,
})
export const over = (x: Rational, y: Rational): Rational => {
  const sign = y.numerator < 0n ? -1n : 1n
  return { numerator: sign * x.numerator * y.denominator, denominator: sign * x.denominator * y.numerator }
}
const compare = (x: Rational, y: Rational): number => {
  const d = x.numerator * y.denominator - y.numerator * x.denominator
  return d < 0n ? -1 : d > 0n ? 1 : 0
}

/** An f32 pattern's value, through the host's own reader. */
const f32Value = (pattern: number): number => {
  view.setUint32(0, pattern)
  return view.getFloat32(0)
}
/** An f16 pattern's value, by the definition in IEEE 754. */
const f16Value = (pattern: number): number => {
  const exponent = (pattern >> 10) & 31
  const fraction = pattern & 1023
  const magnitude = exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15)
  return pattern & 0x8000 ? -magnitude : magnitude
}

/** Value of a *finite* non-negative pattern; the infinity's pattern gives the first power of two out of range. */
const magnitudeOf: Readonly<Record<'f16' | 'bf16' | 'f32', (pattern: number) => number>> = {
  f16: f16Value,
  bf16: (pattern) => (pattern === 0x7f80 ? 2 ** 128 : f32Value(pattern * 65536)),
  f32: (pattern) => (pattern === 0x7f800000 ? 2 ** 128 : f32Value(pattern)),
}

export type Arithmetic = 'f16' | 'bf16' | 'f32'
export const infinityOf: Readonly<Record<Arithmetic, number>> = { f16: 0x7c00, bf16: 0x7f80, f32: 0x7f800000 }

/**
 * The greatest non-negative pattern whose value is at most a quantity. `atMost(v)` says whether v <= the quantity.
 */
const floorPattern = (dtype: Arithmetic, atMost: (v: Rational) => boolean): number => {
  let low = 0
  let high = infinityOf[dtype]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (atMost(rational(magnitudeOf[dtype](middle)))) low = middle
    else high = middle - 1
  }
  return low
}

const signBit: Readonly<Record<Arithmetic, number>> = { f16: 0x8000, bf16: 0x8000, f32: 0x80000000 }

/** Round a magnitude given by comparison: -1, 0, 1 as the magnitude is below, at, above the argument. */
const nearestMagnitude = (dtype: Arithmetic, against: (v: Rational) => number): number => {
  const below = floorPattern(dtype, (v) => against(v) >= 0)
  if (below === infinityOf[dtype]) return below
  const middle = times(plus(rational(magnitudeOf[dtype](below)), rational(magnitudeOf[dtype](below + 1))), {
    numerator: 1n,
    denominator: 2n,
  })
  const side = against(middle)
  return side > 0 || (side === 0 && below % 2 === 1) ? below + 1 : below
}

/** Nearest pattern, ties to even; `negativeZero` is the sign of an exact zero. */
export const nearest = (dtype: Arithmetic, x: Rational, negativeZero = false): number => {
  const negative = x.numerator < 0n || (x.numerator === 0n && negativeZero)
  const size: Rational = x.numerator < 0n ? { ...x, numerator: -x.numerator } : x
  return nearestMagnitude(dtype, (v) => compare(size, v)) + (negative ? signBit[dtype] : 0)
}

/** Toward zero; no infinity comes of a finite number. */
export const towardZero = (dtype: Arithmetic, x: Rational): number => {
  const size: Rational = x.numerator < 0n ? { ...x, numerator: -x.numerator } : x
  const below = Math.min(
    floorPattern(dtype, (v) => compare(v, size) <= 0),
    infinityOf[dtype] - 1,
  )
  return below + (x.numerator < 0n ? signBit[dtype] : 0)
}

/** Nearest pattern to the square root of x >= 0: compared through squares. */
export const nearestRoot = (dtype: Arithmetic, x: Rational): number =>
  nearestMagnitude(dtype, (v) => compare(x, times(v, v)))

/** The next f64 upwards of a positive finite x. */
export const nextUp = (x: number): number => {
  view.setFloat64(0, x)
  view.setBigUint64(0, view.getBigUint64(0) + 1n)
  return view.getFloat64(0)
}
/** The next f64 downwards of a positive x. */
export const nextDown = (x: number): number => {
  view.setFloat64(0, x)
  view.setBigUint64(0, view.getBigUint64(0) - 1n)
  return view.getFloat64(0)
}

/** Deterministic 32-bit numbers. */
export const generator = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return (t ^ (t >>> 14)) >>> 0
  }
}

/** A random f64 with a uniform exponent in [from, to]. */
export const spreadValue = (next: () => number, from: number, to: number): number =>
  (next() % 2 ? -1 : 1) *
  (1 + next() / 2 ** 32 + next() / 2 ** 52 / 2 ** 12) *
  2 ** (from + (next() % (to - from + 1)))

/** The arithmetic dtypes with the exponent range worth drawing from. */
export const ranges: readonly (readonly [Arithmetic & FloatDtype, number, number])[] = [
  ['f16', -28, 17],
  ['bf16', -140, 129],
  ['f32', -155, 129],
]
