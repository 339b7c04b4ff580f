/**
 * Patterns as a reader compares them. A tensor in JSON holds integers; what two floats differ in is seen in hexadecimal, and what they are in their values.
 *
 *     {"dtype": "f16", "bits": [15360]}      0x3c00 (1)
 *     {"dtype": "i8", "bits": [255]}         0xff (-1)
 *     {"dtype": "u32", "bits": [144]}        144
 *
 * Law 1. Of one type, two patterns read alike only if they are equal.
 */
import { bitsOf, dtypes, isFloat, type Dtype } from '../../numerics/dtype.js'
import { decoder } from '../../numerics/float-format.js'

export const dtypeNamed = (name: unknown): Dtype | null => dtypes.find((d) => d === name) ?? null

const signed: ReadonlySet<Dtype> = new Set(['i4', 'i8', 'i16', 'i32'])

export const patternText = (dtype: Dtype, pattern: number): string => {
  const bits = bitsOf(dtype)
  const hexadecimal = `0x${pattern.toString(16).padStart(Math.ceil(bits / 4), '0')}`
  return isFloat(dtype)
    ? `${hexadecimal} (${Object.is(decoder(dtype)(pattern), -0) ? '-0' : String(decoder(dtype)(pattern))})`
    : signed.has(dtype) && pattern >= 2 ** (bits - 1)
      ? `${hexadecimal} (${String(pattern - 2 ** bits)})`
      : String(pattern)
}
