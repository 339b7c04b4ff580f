/**
 * One element, read: from a bit pattern to a value, and to a place on a line on which distances are counted.
 *
 * | dtype    | pattern    | value | position                                    |
 * |----------|------------|-------|---------------------------------------------|
 * | f16      | 0x3c00     | 1     | 15360: that many f16 values lie below, from 0 |
 * | f16      | 0xbc00     | -1    | -15360                                      |
 * | f16      | 0x8000     | -0    | 0: both zeros stand at one place            |
 * | f16      | 0x7e00     | NaN   | none                                        |
 * | i8       | 0xff       | -1    | -1                                          |
 *
 * Laws
 *  1. position is strictly monotone in value, zeros being one
 *  2. the next larger value of a float dtype has the next position; infinity follows the largest finite value
 *  3. of an integer, position and value are the same
 */
import type { FloatDtype } from '../../numerics/dtype.js'
import { isFloat } from '../../numerics/dtype.js'
import { decoder, ordinal } from '../../numerics/float-format.js'
import { patternBits, type TensorDtype } from './tensor.js'

const float64Value = (bits: bigint): number => {
  const view = new DataView(new ArrayBuffer(8))
  view.setBigUint64(0, bits)
  return view.getFloat64(0)
}

const integerValue = (
  dtype: Exclude<TensorDtype, FloatDtype | 'f64'>,
): ((bits: number | bigint) => number | bigint) => {
  const width = patternBits(dtype)
  // A single bit is 0 or 1, though MLIR calls its type i1.
  const signed = dtype.startsWith('i') && width > 1
  return width === 64
    ? (bits) => (signed ? BigInt.asIntN(64, BigInt(bits)) : BigInt(bits))
    : (bits) => (signed && Number(bits) >= 2 ** (width - 1) ? Number(bits) - 2 ** width : Number(bits))
}

/** Pattern to value, exactly: a bigint for 64-bit integers, a number for all others. */
export const valueOf = (dtype: TensorDtype): ((bits: number | bigint) => number | bigint) => {
  if (dtype === 'f64') return (bits) => float64Value(BigInt(bits))
  if (!isFloat(dtype)) return integerValue(dtype)
  const decode = decoder(dtype)
  return (bits) => decode(Number(bits))
}

/** Pattern to position; undefined for a NaN. A bigint for the 64-bit dtypes. */
export const positionOf = (dtype: TensorDtype): ((bits: number | bigint) => number | bigint | undefined) => {
  const value = valueOf(dtype)
  if (dtype === 'f64') {
    const signBit = 1n << 63n
    return (bits) => {
      const pattern = BigInt(bits)
      return Number.isNaN(value(pattern)) ? undefined : pattern >= signBit ? signBit - pattern : pattern
    }
  }
  if (!isFloat(dtype)) return value
  return (bits) => (Number.isNaN(value(bits)) ? undefined : ordinal(dtype, Number(bits)))
}

/** A value as JSON can hold it exactly: words for what JSON has no number for, digits for large integers. */
export const jsonOfValue = (value: number | bigint): number | string => {
  if (typeof value === 'bigint') {
    const exact = BigInt.asIntN(53, value) === value
    return exact ? Number(value) : String(value)
  }
  if (Number.isNaN(value)) return 'nan'
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf'
  return Object.is(value, -0) ? '-0' : value
}

/** A pattern in hexadecimal, as wide as the dtype: `0x3c00`. */
export const hexOfPattern = (dtype: TensorDtype, bits: number | bigint): string =>
  `0x${bits.toString(16).padStart(Math.ceil(patternBits(dtype) / 4), '0')}`
