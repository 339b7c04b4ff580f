/**
 * The algebra of shadows: bits, of which each byte is known or is data that were not brought.
 *
 * PTX keeps addresses, counters and descriptors among its data, so a run without data has to tell the two apart, byte by byte. A carrier is the pattern of an
 * element, as in `bits`, and above its 32 bits a *mark*: which of its bytes are not known, and of which datum they are. What is known is the number that it is
 * in `bits`; a byte that is not known is zero in the pattern.
 *
 *     2^32 * (mask + 16 * datum) + pattern      mask 1 to 15, bit b for byte b; datum 1 to 254
 *
 *     f16 1.0, known                            0x3c00
 *     the same pattern from tensor 2            2^32 * (3 + 16 * 2)
 *     a word whose upper half is of tensor 2    2^32 * (12 + 16 * 2) + its lower half
 *
 * A *datum* is what would have to be brought: a tensor, by a number of the caller's, or `ofProduct`, what a matrix product makes. Of two data it is the greater
 * one; so where a product took part it is said, for no tensor that is brought makes that known.
 *
 * Operations on what is known are those of `bits`; of what is not they give what is not known. Products are not computed: they give elements of `ofProduct`
 * (`Plane.forget`). Comparisons of floats are lacking, and elements of 64 bits are carried as words.
 *
 * Laws: 1 and 2 of `algebra.ts`, and
 * 1. `wordOf(marked(w, m))` is w in the known bytes, and `markOf(marked(w, m))` is m.
 * 2. on known carriers every operation is that of `bits`.
 * 3. sound: whatever the unknown bytes hold, the operation of `bits` has the known bytes of this one.
 */
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { unmade, type Algebra, type Binary, type Ternary, type Unary } from './algebra.js'
import { bitsOf, type Dtype } from './dtype.js'
import { bitsOfBytes, type Bytes } from './scalar/dependence.js'

// ---------------------------------------------------------------- marks

/** Unknown bytes of a word, and sixteen times the number of their datum; 0 for a known word. */
export type Mark = number

/** The datum of results of products. */
export const ofProduct = 254
/** The largest tensor number; later tensors share it. */
export const mostDatum = 253

/** Without bytes or without a datum there is no mark. */
export const mark = (bytes: Bytes, datum: number): Mark =>
  bytes === 0 || datum === 0 ? 0 : bytes + 16 * datum
export const bytesOfMark = (m: Mark): Bytes => m & 15
export const datumOf = (m: Mark): number => m >>> 4
/** The mark of one byte of a word, as a separate element. */
export const markOfByte = (m: Mark, b: number): Mark => mark((m >>> b) & 1, datumOf(m))
/** The mark of a result of both operands, for these bytes. */
export const joinedMark = (bytes: Bytes, m: Mark, n: Mark): Mark =>
  mark(bytes, Math.max(datumOf(m), datumOf(n)))

// ---------------------------------------------------------------- carriers

const above = 4294967296

export const isKnown = (x: number): boolean => !(x >= above)
export const markOf = (x: number): Mark => (x >= above ? Math.floor(x / above) : 0)
/** The pattern, as a word of 32 bits; unknown bytes are zero. */
export const patternOf = (x: number): number => x | 0

/** A word with some unknown bytes. */
export const marked = (word: number, m: Mark): number =>
  m === 0 ? word : ((word & ~bitsOfBytes(bytesOfMark(m))) >>> 0) + above * m

/** All bytes of an element. */
const whole = (dtype: Dtype): Bytes => (1 << Math.min(4, Math.ceil(bitsOf(dtype) / 8))) - 1

// ---------------------------------------------------------------- operations

const unary =
  (to: Dtype) =>
  (f: Unary): Unary =>
  (x) =>
    isKnown(x) ? f(x) : marked(0, mark(whole(to), datumOf(markOf(x))))

/** The result of `f` for known carriers, else an unknown element. */
export const lifted =
  (to: Dtype) =>
  (f: Binary): Binary =>
  (x, y) =>
    isKnown(x) && isKnown(y) ? f(x, y) : marked(0, joinedMark(whole(to), markOf(x), markOf(y)))

const liftedThree =
  (to: Dtype) =>
  (f: Ternary): Ternary =>
  (x, y, z) =>
    isKnown(x) && isKnown(y) && isKnown(z)
      ? f(x, y, z)
      : marked(0, joinedMark(whole(to), joinedMark(whole(to), markOf(x), markOf(y)), markOf(z)))

/** Bits with some unknown bytes. */
export const shadow = (bits: Algebra): Algebra => ({
  name: 'shadow',
  description: 'bit patterns of known values; missing data and products are unknown',
  memory: 'shadow',
  runs: true,
  constant: bits.constant,
  fromBits: bits.fromBits,
  unary: (op, mode, dtype) => pipe(bits.unary(op, mode, dtype), O.map(unary(dtype))),
  binary: (op, dtype) => pipe(bits.binary(op, dtype), O.map(lifted(dtype))),
  fma: (dtype) => pipe(bits.fma(dtype), O.map(liftedThree(dtype))),
  compare: () => O.none,
  cast: (from, to, rounding, saturate) => pipe(bits.cast(from, to, rounding, saturate), O.map(unary(to))),
  mma: (types, shape) =>
    pipe(
      bits.mma(types, shape),
      O.map(() => unmade),
    ),
  scaledMma: (types, shape) =>
    pipe(
      bits.scaledMma(types, shape),
      O.map(() => (_a, _b, _sa, _sb, c) => c),
    ),
})
