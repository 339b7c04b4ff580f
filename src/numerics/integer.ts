/**
 * Integer elements: in every algebra the carrier of an integer is its value, a JavaScript number.
 *
 * Values are exact up to 2^53; the 64-bit dtypes are for addresses and loop counters, which stay far below. A
 * conversion whose result could lie beyond (a negative number to u64, a float to 64 bits) is not offered.
 *
 * By hand, to i8: 200 wraps to -56 and clamps to 127; to u8: -1 wraps to 255 and clamps to 0.
 *
 * Laws
 * 1. `wrap` is the residue modulo 2^bits in the dtype's range; the identity on the range.
 * 2. `clamp` is the nearest value of the range; the identity on the range.
 *
 * Source: PTX ISA, "cvt" (integer narrowing wraps, `.sat` clamps; float to integer clamps, NaN gives 0).
 */
import * as O from 'fp-ts/lib/Option.js'
import type { RoundingMode, Unary } from './algebra.js'
import type { IntDtype } from './dtype.js'

/** Least and greatest value of a dtype; of 64-bit dtypes, the exact carriers among them. */
export const integerRange = (dtype: IntDtype): { readonly least: number; readonly greatest: number } => {
  switch (dtype) {
    case 'i1':
      return { least: 0, greatest: 1 }
    case 'i4':
      return { least: -8, greatest: 7 }
    case 'u4':
      return { least: 0, greatest: 15 }
    case 'i8':
      return { least: -128, greatest: 127 }
    case 'u8':
      return { least: 0, greatest: 255 }
    case 'i16':
      return { least: -32768, greatest: 32767 }
    case 'u16':
      return { least: 0, greatest: 65535 }
    case 'i32':
      return { least: -2147483648, greatest: 2147483647 }
    case 'u32':
      return { least: 0, greatest: 4294967295 }
    case 'i64':
      return { least: Number.MIN_SAFE_INTEGER, greatest: Number.MAX_SAFE_INTEGER }
    case 'u64':
      return { least: 0, greatest: Number.MAX_SAFE_INTEGER }
  }
}

/** The value of the dtype congruent to an integer modulo 2^bits; on 64 bits, the integer itself. */
export const wrap = (dtype: IntDtype): Unary => {
  switch (dtype) {
    case 'i1':
      return (x) => x & 1
    case 'i4':
      return (x) => (x << 28) >> 28
    case 'u4':
      return (x) => x & 0xf
    case 'i8':
      return (x) => (x << 24) >> 24
    case 'u8':
      return (x) => x & 0xff
    case 'i16':
      return (x) => (x << 16) >> 16
    case 'u16':
      return (x) => x & 0xffff
    case 'i32':
      return (x) => x | 0
    case 'u32':
      return (x) => x >>> 0
    case 'i64':
    case 'u64':
      return (x) => x
  }
}

/** The nearest value of the dtype; NaN gives 0. */
export const clamp = (dtype: IntDtype): Unary => {
  const { least, greatest } = integerRange(dtype)
  return (x) => (x !== x ? 0 : x < least ? least : x > greatest ? greatest : x + 0)
}

/** Integer to integer: wraps, or clamps when `saturate`. */
export const integerCast = (from: IntDtype, to: IntDtype, saturate: boolean): O.Option<Unary> =>
  saturate ? O.some(clamp(to)) : to === 'u64' && integerRange(from).least < 0 ? O.none : O.some(wrap(to))

/** An integer beside x, or x. */
const roundToInteger = (rounding: RoundingMode): Unary => {
  switch (rounding) {
    case 'rz':
      return Math.trunc
    case 'rm':
      return Math.floor
    case 'rp':
      return Math.ceil
    case 'rna':
      return (x) => {
        const below = Math.trunc(x)
        return Math.abs(x - below) >= 0.5 ? below + Math.sign(x) : below
      }
    case 'rn':
      return (x) => {
        const below = Math.floor(x)
        const rest = x - below
        return rest > 0.5 || (rest === 0.5 && below % 2 !== 0) ? below + 1 : below
      }
  }
}

/**
 * The value of a float to an integer dtype: rounded, then clamped. None for i1 and u64. To i64 what is not a number is the least, as on the chip; the greatest is
 * 2^63 here, which stands for the number below it: a carrier has no such number.
 */
export const floatToInteger = (to: IntDtype, rounding: RoundingMode): O.Option<Unary> => {
  if (to === 'i1' || to === 'u64') return O.none
  const round = roundToInteger(rounding)
  if (to === 'i64')
    return O.some((x) => (x !== x ? -(2 ** 63) : Math.min(Math.max(round(x), -(2 ** 63)), 2 ** 63) + 0))
  const nearest = clamp(to)
  return O.some((x) => nearest(round(x)))
}
