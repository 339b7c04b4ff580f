/**
 * Conversions between float formats as instructions make them: one rounding in one of five ways, saturation, relu, and two results in a word.
 *
 * | modifier     | what it does                                                                  | e.g.                              |
 * |--------------|-------------------------------------------------------------------------------|-----------------------------------|
 * | rn rz rm rp  | to nearest (ties to even), toward zero, down, up                              | cvt.rz.bf16.f32, cvt.rp ... ue8m0 |
 * | rna          | to nearest, ties away from zero                                               | cvt.rna.tf32.f32                  |
 * | satfinite    | the largest finite value instead of an infinity                               | cvt.rn.satfinite.e4m3x2.f32       |
 * | relu         | a negative result is +0; a NaN stays one                                      | cvt.rn.relu.f16.f32               |
 * | x2           | two results in one word, the *first* operand in the upper part                | cvt.rn.f16x2.f32 d, a, b          |
 *
 * By hand, f32 1 + 2^-11 + 2^-30 to tf32 (10 fraction bits): 2^-11 is half a unit. rn, rna, rp: 1 + 2^-10; rz, rm: 1. Without the 2^-30 it is a tie: rn goes to
 * even, 1, and rna to 1 + 2^-10. And 448 and -1 to e4m3x2: 0x7e and 0xb8, the word 0x7eb8.
 *
 * In a word an element takes whole halves or bytes, or 4 bits: e2m3 and e3m2 have two zero bits above them.
 *
 * @fidelity documented: what relu makes of -0 (here +0) and of a NaN's payload (the canonical NaN) was not measured.
 *
 * Laws
 * 1. A conversion is `encode` after `decode`: one rounding.
 * 2. relu of a number that is not negative is that number, of a negative one +0.
 * 3. `unpack` after `pack` gives the two back.
 *
 * Source: PTX ISA, "cvt" and "cvt.pack".
 */
import { bitsOf, type FloatDtype } from './dtype.js'
import { decoder, encoder, formatOf, type RoundingMode } from './float-format.js'

export interface Conversion {
  readonly from: FloatDtype
  readonly to: FloatDtype
  readonly rounding: RoundingMode
  readonly satfinite: boolean
  readonly relu: boolean
}

/** Patterns to patterns. */
export const conversion = ({
  from,
  to,
  rounding,
  satfinite,
  relu,
}: Conversion): ((pattern: number) => number) => {
  const value = decoder(from)
  const pattern = encoder(to, rounding, satfinite)
  if (!relu) return (x) => pattern(value(x))
  const result = decoder(to)
  const zero = pattern(0)
  const { signBits } = formatOf(to)
  const sign = 2 ** (bitsOf(to) - 1)
  return (x) => {
    const y = pattern(value(x))
    const v = result(y)
    return v < 0 || (v === 0 && signBits === 1 && y >= sign) ? zero : y
  }
}

/** Bits that an element takes in a word of two. */
const placeBits = (dtype: FloatDtype): number => (bitsOf(dtype) === 6 ? 8 : bitsOf(dtype))

/** Two patterns in a word: the first is the upper one. */
export const pack = (dtype: FloatDtype, first: number, second: number): number =>
  first * 2 ** placeBits(dtype) + second

/** The two patterns of a word, the upper one first. */
export const unpack = (dtype: FloatDtype, word: number): readonly [number, number] => {
  const unit = 2 ** placeBits(dtype)
  return [Math.floor(word / unit), word % unit]
}
