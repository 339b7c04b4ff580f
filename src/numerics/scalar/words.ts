/**
 * Words and the numbers in them: narrow integers, products of 64 bits, floats.
 *
 * | function                  | e.g.                                             |
 * |---------------------------|--------------------------------------------------|
 * | `narrow.s16(x)`           | 0x18000 -> -32768: a word of the type            |
 * | `productHigh(a, b)`       | upper word of the unsigned product of two words  |
 * | `floatOf`, `wordOf`       | 0x3F800000 <-> 1                                 |
 * | `doubleOf(low, high)`     | (0, 0x3FF00000) -> 1                             |
 *
 * Laws
 * 1. `wordOf(floatOf(w)) = w` for every w that is no NaN.
 * 2. `productHigh(a, b) 2^32 + imul(a, b)` (both unsigned) is the product of the unsigned a and b.
 */

export const signBit = -0x80000000

const low8 = (x: number): number => x & 0xff
const low16 = (x: number): number => x & 0xffff
const signed8 = (x: number): number => (x << 24) >> 24
const signed16 = (x: number): number => (x << 16) >> 16
const signed32 = (x: number): number => x | 0
const unsigned32 = (x: number): number => x >>> 0

export type NarrowType = 'u8' | 's8' | 'b16' | 'u16' | 's16' | 'b32' | 'u32' | 's32'

/** An integer to the word of a type. */
export const narrow: Readonly<Record<NarrowType, (x: number) => number>> = {
  u8: low8,
  s8: signed8,
  b16: low16,
  u16: low16,
  s16: signed16,
  b32: signed32,
  u32: signed32,
  s32: signed32,
}

/** The word of a type to the integer that it stands for. */
export const integerOf: Readonly<Record<NarrowType, (word: number) => number>> = {
  u8: low8,
  s8: signed8,
  b16: low16,
  u16: low16,
  s16: signed16,
  b32: unsigned32,
  u32: unsigned32,
  s32: signed32,
}

/** Upper word of the product of two unsigned words. */
export const productHigh = (a: number, b: number): number => {
  const al = a & 0xffff
  const ah = a >>> 16
  const bl = b & 0xffff
  const bh = b >>> 16
  const middle = ah * bl + ((al * bl) >>> 16)
  const other = al * bh + (middle % 65536)
  return (ah * bh + Math.floor(middle / 65536) + Math.floor(other / 65536)) | 0
}

/** Upper word of the product of two signed words. */
export const productHighSigned = (a: number, b: number): number =>
  (productHigh(a, b) - (a < 0 ? b : 0) - (b < 0 ? a : 0)) | 0

const single = new Float32Array(1)
const singleWord = new Int32Array(single.buffer)

/** The value of an f32 word. */
export const floatOf = (word: number): number => {
  singleWord[0] = word
  return single[0]!
}

/** The f32 word of a number, to nearest. A NaN becomes some NaN. */
export const wordOf = (x: number): number => {
  single[0] = x
  return singleWord[0]!
}

const double = new Float64Array(1)
const doubleWords = new Int32Array(double.buffer)
const [high, low] = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1 ? [1, 0] : [0, 1]

/** The value of the words of an f64. */
export const doubleOf = (lowWord: number, highWord: number): number => {
  doubleWords[low] = lowWord
  doubleWords[high] = highWord
  return double[0]!
}

/** The lower word of an f64. */
export const lowWordOf = (x: number): number => {
  double[0] = x
  return doubleWords[low]!
}

/** The upper word of an f64. */
export const highWordOf = (x: number): number => {
  double[0] = x
  return doubleWords[high]!
}
