/**
 * Operands of matrix products that tell one arithmetic of a tensor core from another: ordinary numbers are right under all of them.
 *
 * A kind says how raw bits become operands of a dtype; it shrinks as the raw bits do.
 *
 * | kind           | products                                                        | what it tells apart                                       |
 * |----------------|-----------------------------------------------------------------|-----------------------------------------------------------|
 * | `alignment`    | exponents some 24 apart                                         | how many bits are kept below the largest exponent          |
 * | `truncation`   | one large, the others just where they are cut off               | cutting off from rounding, term by term                   |
 * | `cancellation` | pairs that cancel but for the last bit                           | one exact sum from a sum in some order                    |
 * | `rounding`     | one-bit significands around the last bit of c                   | toward zero from to nearest, and ties                     |
 * | `subnormals`   | one factor subnormal                                            | subnormals from zeros                                     |
 * | `floor`        | sums about the least exponent that is aligned to                | where alignment ends                                      |
 * | `range`        | the largest numbers there are                                   | overflow of a product from overflow of a sum              |
 * | `specials`     | infinities, NaN, zeros among others                             | infinity * 0, infinity - infinity, the one NaN            |
 * | `zeros`        | zeros of both signs, and numbers that cancel                    | the sign of a zero                                        |
 * | `bytes`        | any bytes                                                       | (integers) wrapping from saturating                       |
 * | `extremes`     | least and greatest bytes, c at the limits of 32 bits            | (integers) the same, once an instruction                  |
 */
import type { Dtype } from '../../numerics/dtype.js'
import { bitsOf, isFloat } from '../../numerics/dtype.js'
import { decoder, formatOf, maxExponent, minExponent, type FloatFormat } from '../../numerics/float-format.js'
import { tensorOf, type Tensor } from './suite.js'

export const kinds = [
  'alignment',
  'truncation',
  'cancellation',
  'rounding',
  'subnormals',
  'floor',
  'range',
  'specials',
  'zeros',
  'bytes',
  'extremes',
] as const
export type Kind = (typeof kinds)[number]

/** Dtypes of a product; `acc` is that of c and d. */
export interface Types {
  readonly a: Dtype
  readonly b: Dtype
  readonly acc: Dtype
}

export interface Extents {
  /** products that are asked about together */
  readonly batch: number
  readonly m: number
  readonly n: number
  readonly k: number
}

/** Natural numbers below 2^32, one for each element. */
export interface Raw {
  readonly a: ReadonlyArray<number>
  readonly b: ReadonlyArray<number>
  readonly c: ReadonlyArray<number>
}

// ---------------------------------------------------------------- one number

/** The pattern of a sign, an exponent and the bits below it; the exponent is brought into the range of normal numbers. */
const number = (f: FloatFormat, raw: number, exponent: number, fraction: number): number => {
  const least = minExponent(f)
  const field = Math.min(Math.max(exponent, least), maxExponent(f)) + f.bias
  const sign = f.signBits === 1 ? Math.floor(raw / 2 ** 31) : 0
  const pattern = (sign * 2 ** f.exponentBits + field) * 2 ** f.fractionBits + fraction
  // the low bits of a container are ignored, so they are anything
  return finite(f, pattern * 2 ** f.paddingBits + (raw % 2 ** f.paddingBits))
}

const fractionOf = (f: FloatFormat, raw: number): number => (raw >>> 8) % 2 ** f.fractionBits

/** What is infinite or NaN becomes the number below it. */
const finite = (f: FloatFormat, pattern: number): number => {
  if (Number.isFinite(decoder(f.dtype)(pattern))) return pattern
  const unit = 2 ** f.paddingBits
  return f.specials === 'ieee' ? pattern - 2 ** f.fractionBits * unit : pattern - unit
}

const subnormal = (f: FloatFormat, raw: number): number =>
  ((f.signBits === 1 ? Math.floor(raw / 2 ** 31) : 0) * 2 ** (f.exponentBits + f.fractionBits) +
    fractionOf(f, raw)) *
  2 ** f.paddingBits

const negated = (f: FloatFormat, pattern: number): number => {
  const sign = 2 ** (bitsOf(f.dtype) - 1)
  return pattern >= sign ? pattern - sign : pattern + sign
}

/** Zeros, infinities, NaN, the largest number and one, of those that there are. */
const special = (f: FloatFormat, raw: number): number => {
  const magnitudeBits = f.exponentBits + f.fractionBits
  const one = f.bias * 2 ** f.fractionBits
  const top = (2 ** f.exponentBits - 1) * 2 ** f.fractionBits
  const magnitudes = [0, top, top + 1, 2 ** magnitudeBits - 1, top - 1, one]
  const sign = f.signBits === 1 ? (raw >>> 5) % 2 : 0
  return (magnitudes[raw % magnitudes.length]! + sign * 2 ** magnitudeBits) * 2 ** f.paddingBits
}

// ---------------------------------------------------------------- one kind

/** The exponent in the middle of a range, some steps on. */
const about = (middle: number, raw: number, steps: number): number => middle + (raw % (2 * steps + 1)) - steps

const operand = (kind: Kind, f: FloatFormat, acc: FloatFormat, raw: number, first: boolean): number => {
  const fraction = fractionOf(f, raw)
  const small = raw >>> 3
  switch (kind) {
    case 'alignment':
      return number(f, raw, about(0, small, 6), fraction)
    case 'truncation':
      return first ? number(f, raw, 3, fraction) : number(f, raw, about(-7, small, 3), fraction)
    case 'cancellation':
      return number(f, raw, about(0, small, 3), fraction)
    case 'rounding':
      return number(f, raw, about(-Math.ceil((acc.fractionBits + 1) / 2), small, 1), 0)
    case 'floor':
      return number(f, raw, about(Math.floor((minExponent(acc) - 7) / 2), small, 4), fraction)
    case 'range':
      return number(f, raw, about(Math.floor(maxExponent(acc) / 2), small, 1), fraction)
    case 'zeros':
      return raw % 3 === 0 ? number(f, raw, 0, 0) : zero(f, raw)
    case 'specials':
      return raw % 4 === 0 ? special(f, small) : number(f, raw, about(0, small, 6), fraction)
    case 'subnormals':
      return raw % 2 === 0 ? subnormal(f, raw) : number(f, raw, about(minExponent(f) + 2, small, 2), fraction)
    case 'bytes':
    case 'extremes':
      return raw
  }
}
/** Of either sign. */
const zero = (f: FloatFormat, raw: number): number => (raw >= 2 ** 31 ? 2 ** (bitsOf(f.dtype) - 1) : 0)

const accumulator = (kind: Kind, f: FloatFormat, raw: number): number => {
  const fraction = fractionOf(f, raw)
  const small = raw >>> 3
  switch (kind) {
    case 'alignment':
    case 'truncation':
    case 'cancellation':
      return raw % 3 === 0 ? 0 : number(f, raw, about(0, small, 8), fraction)
    case 'rounding':
      return number(f, raw, 0, fraction)
    case 'subnormals':
    case 'floor':
      return raw % 3 === 0 ? 0 : raw % 3 === 1 ? subnormal(f, raw) : number(f, raw, minExponent(f), fraction)
    case 'range':
      return number(f, raw, maxExponent(f), fraction)
    case 'specials':
      return raw % 5 === 0 ? special(f, small) : number(f, raw, about(0, small, 6), fraction)
    case 'zeros':
      return raw % 3 === 0 ? number(f, raw, 0, 0) : zero(f, raw)
    case 'bytes':
    case 'extremes':
      return raw
  }
}

// ---------------------------------------------------------------- matrices

const extreme = (dtype: Dtype, raw: number): number => {
  const bits = bitsOf(dtype)
  const limits = [0, 1, 2 ** (bits - 1) - 1, 2 ** (bits - 1), 2 ** bits - 1]
  return limits[raw % limits.length]!
}

/** Operands of a kind: a is batch x m x k, b batch x k x n, c batch x m x n. */
export const operandsOf = (
  kind: Kind,
  types: Types,
  { batch, m, n, k }: Extents,
  raw: Raw,
): { readonly a: Tensor; readonly b: Tensor; readonly c: Tensor } => {
  const { a, b, acc } = types
  const shapes = { a: [batch, m, k], b: [batch, k, n], c: [batch, m, n] }
  if (!isFloat(a) || !isFloat(b) || !isFloat(acc)) {
    const of = (dtype: Dtype, drawn: ReadonlyArray<number>): ReadonlyArray<number> =>
      drawn.map((r) => (kind === 'extremes' ? extreme(dtype, r) : r % 2 ** bitsOf(dtype)))
    return {
      a: tensorOf(a, shapes.a, of(a, raw.a)),
      b: tensorOf(b, shapes.b, of(b, raw.b)),
      c: tensorOf(acc, shapes.c, of(acc, raw.c)),
    }
  }
  const total = formatOf(acc)
  const paired = kind === 'cancellation'
  const left = (at: number): number => {
    const p = at % k
    const twin = paired && p % 2 === 1 ? at - 1 : at
    return operand(kind, formatOf(a), total, raw.a[twin]!, p === 0)
  }
  const right = (at: number): number => {
    const p = Math.floor(at / n) % k
    const f = formatOf(b)
    if (!paired || p % 2 === 0) return operand(kind, f, total, raw.b[at]!, p === 0)
    const twin = negated(f, operand(kind, f, total, raw.b[at - n]!, p === 1))
    const step = 2 ** f.paddingBits
    const odd = Math.floor(twin / step) % 2 === 1
    return raw.b[at]! % 2 === 0 ? twin : finite(f, odd ? twin - step : twin + step)
  }
  return {
    a: tensorOf(
      a,
      shapes.a,
      raw.a.map((_, at) => left(at)),
    ),
    b: tensorOf(
      b,
      shapes.b,
      raw.b.map((_, at) => right(at)),
    ),
    c: tensorOf(
      acc,
      shapes.c,
      raw.c.map((r) => accumulator(kind, total, r)),
    ),
  }
}
