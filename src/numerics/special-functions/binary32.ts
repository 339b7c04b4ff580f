/**
 * f32 patterns as the special functions need them: the landmarks, and the two ways in which a result gets its 24 bits.
 *
 * | pattern    | what it is                          |
 * |------------|-------------------------------------|
 * | 0x00800000 | 2^-126, the smallest normal         |
 * | 0x3F800000 | 1                                   |
 * | 0x7E800000 | 2^126                               |
 * | 0x7F800000 | infinity                            |
 * | 0x7FFFFFFF | the NaN that the chip answers       |
 *
 * `multiply` rounds to nearest and keeps subnormals; `multiplyFlushed` takes and gives zeros for them, with their signs. By hand:
 * 2^-100 * 2^-30 is 0x00080000, a subnormal; flushed it is 0.
 *
 * Laws
 * 1. `multiply` is the product of the values, rounded once; every NaN is 0x7FFFFFFF.
 * 2. `multiplyFlushed(x, y)` is `flush(multiply(flush(x), flush(y)))`.
 */
import { decoder, encoder } from '../float-format.js'

export const smallestNormal = 0x00800000
export const one = 0x3f800000
export const infinity = 0x7f800000
export const quietNaN = 0x7fffffff
export const signBit = 0x80000000

/** The sign bit of a pattern, in its place. */
export const signOf = (x: number): number => (x >= signBit ? signBit : 0)

/** The pattern without its sign. */
export const magnitudeOf = (x: number): number => x & 0x7fffffff

export const valueOf: (pattern: number) => number = decoder('f32')
/** To nearest, ties to even. */
export const patternOf: (value: number) => number = encoder('f32')

/** Subnormals to zeros of their sign. */
export const flush = (x: number): number => (magnitudeOf(x) < smallestNormal ? signOf(x) : x)

export const multiply = (x: number, y: number): number => patternOf(valueOf(x) * valueOf(y))

export const multiplyFlushed = (x: number, y: number): number => flush(multiply(flush(x), flush(y)))

const wide = new Float64Array(1)
const words = new Uint32Array(wide.buffer)
const [high, low] = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1 ? [1, 0] : [0, 1]

/** The pattern of a positive value in the range of normal f32, cut off after 24 bits. */
export const truncatedPattern = (x: number): number => {
  wide[0] = x
  // f64 has a bias of 1023 and 29 bits more: rebias, and drop them.
  return (words[high]! - 896 * 1048576) * 8 + (words[low]! >>> 29)
}
