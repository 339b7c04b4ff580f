/**
 * Structured sparsity: which elements of a row of A are stored, and the words that say so.
 *
 * Of every group of elements along k a fixed number is stored; the metadata name them, lowest bits first.
 *
 * | elements             | group | stored | metadata of a group                               | k in a word of 32 bits |
 * |----------------------|-------|--------|---------------------------------------------------|------------------------|
 * | tf32                 | 2     | 1      | 4 bits: 0100 for the first, 1110 for the second   | 16                     |
 * | f16, bf16, 8-bit     | 4     | 2      | two numbers of 2 bits, ascending                  | 32                     |
 * | of 4 bits (e2m1, s4, u4) | 8 | 2 pairs | two numbers of 2 bits, ascending, of pairs       | 64                     |
 *
 *     f16, metadata 1000 of the first group: elements 0 and 2 are stored (00 first, then 10)
 *
 * `mma.sp` and `wgmma.mma_async.sp` of an H100 take two different numbers in any order: the first stored element is where the first number says. Two that are
 * equal mean nothing. Where the words stand in the registers of a warp is `semantics/warps/sparsity.ts`.
 *
 * In tensor memory eight groups of a row fill a column, and which lanes have them depends on how wide the elements are. Where a word is not one row's,
 * the layout tag that Pallas gives to metadata says nothing of it: the tag is the same for all elements, and is compared only.
 *
 * | elements    | row r, group g lies in lane           | column   | from bit                       |
 * |-------------|---------------------------------------|----------|--------------------------------|
 * | 16, 32 bits | 16 (r div 16) + r mod 8, and 8 more if g div 4 is odd | g div 8 | 16 (r div 8 mod 2) + 4 (g mod 4) |
 * | 8, 4 bits   | r                                     | g div 8  | 4 (g mod 8)                    |
 *
 *     f16, row 9, group 5 (k 20 to 23): lane 1 + 8, column 0, bits 16 + 4 to 16 + 7
 *
 * Laws
 * 1. `storedAt` has of every group as many as are stored, ascending unless any order is allowed.
 * 2. `metadataOf(dtype, storedAt(dtype, words))` gives the words back.
 * 3. `placeInTensorMemory` is a bijection of rows and groups to lanes, columns and fours of bits, of 16 rows at a time and 8 groups at a time.
 *
 * @fidelity documented
 *
 * Source: PTX ISA, sparse matrices of wgmma and tcgen05.mma; JAX, `format_tcgen05_sparse_metadata`; CUTLASS's CuTe, metadata fragments of tensor memory.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import { refuse } from '../../failure.js'
import type { Dtype } from '../../numerics/dtype.js'
import { bitsOf } from '../../numerics/dtype.js'

export type SparsityError = 'sparsity.metadata'

export interface Sparsity {
  /** elements along k of a group, and how many of them are stored */
  readonly group: number
  readonly stored: number
  /** neighbours that are stored together */
  readonly unit: number
}

/** Bits of metadata of a group, whatever the elements. */
const groupBits = 4
const groupsInWord = 32 / groupBits

export const sparsityOf = (dtype: Dtype): Sparsity => {
  switch (bitsOf(dtype)) {
    case 32:
      return { group: 2, stored: 1, unit: 1 }
    case 4:
      return { group: 8, stored: 4, unit: 2 }
    default:
      return { group: 4, stored: 2, unit: 1 }
  }
}

/** Elements along k that a word of 32 bits tells of. */
export const kOfWord = (dtype: Dtype): number => groupsInWord * sparsityOf(dtype).group

/** The two codes of a group of which one element is stored. */
const oneOfTwo: ReadonlyArray<number> = [0b0100, 0b1110]

/** May the numbers of a group stand in any order? */
export type SparsityOrder = 'ascending' | 'any'

/** The k of every stored element of a row, in order. Errors: a group whose numbers do not ascend, or are equal, a code that is none. */
export const storedAt = (
  dtype: Dtype,
  words: ArrayLike<number>,
  k: number,
  order: SparsityOrder = 'ascending',
): E.Either<Failure<SparsityError>, Int32Array> => {
  const { group, stored, unit } = sparsityOf(dtype)
  const out = new Int32Array((k / group) * stored)
  let at = 0
  for (let g = 0; g < k / group; g++) {
    const bits = ((words[Math.floor(g / groupsInWord)] ?? 0) >>> (groupBits * (g % groupsInWord))) & 0xf
    const [i, j] = [bits & 3, bits >>> 2]
    if (stored === 1 ? !oneOfTwo.includes(bits) : order === 'any' ? i === j : i >= j)
      return refuse(
        'sparsity.metadata',
        `metadata of k ${String(g * group)} to ${String((g + 1) * group - 1)}: expected ${stored === 1 ? '0100 or 1110' : order === 'any' ? 'two different numbers of 2 bits' : 'two ascending numbers of 2 bits'}, found ${bits.toString(2).padStart(4, '0')}`,
      )
    if (stored === 1) out[at++] = g * group + oneOfTwo.indexOf(bits)
    else for (const index of [i, j]) for (let u = 0; u < unit; u++) out[at++] = g * group + index * unit + u
  }
  return E.right(out)
}

/** The words of a row whose stored elements are these. */
export const metadataOf = (dtype: Dtype, at: ArrayLike<number>): ReadonlyArray<number> => {
  const { group, stored, unit } = sparsityOf(dtype)
  const groups = at.length / stored
  const words = new Array<number>(Math.ceil(groups / groupsInWord)).fill(0)
  for (let g = 0; g < groups; g++) {
    const index = (which: number): number => (at[g * stored + which * unit]! - g * group) / unit
    const bits = stored === 1 ? oneOfTwo[index(0)]! : index(0) + 4 * index(1)
    const word = Math.floor(g / groupsInWord)
    words[word] = (words[word]! | (bits << (groupBits * (g % groupsInWord)))) >>> 0
  }
  return words
}

/** Where the four bits of a group of a row lie, counted from the first lane and the first column of the metadata. */
export const placeInTensorMemory = (
  dtype: Dtype,
  row: number,
  group: number,
): { readonly lane: number; readonly column: number; readonly bit: number } => {
  const column = Math.floor(group / groupsInWord)
  if (bitsOf(dtype) < 16) return { lane: row, column, bit: groupBits * (group % groupsInWord) }
  const half = groupsInWord / 2
  return {
    lane: row - (row % 16) + (row % 8) + 8 * (Math.floor(group / half) % 2),
    column,
    bit: 16 * (Math.floor(row / 8) % 2) + groupBits * (group % half),
  }
}

/** The words of a row, its groups in order, out of the words of the lanes. */
export const rowInTensorMemory = (
  dtype: Dtype,
  lanes: ArrayLike<number>,
  wordsOfLane: number,
  row: number,
): Int32Array => {
  const words = new Int32Array(wordsOfLane)
  for (let group = 0; group < wordsOfLane * groupsInWord; group++) {
    const { lane, column, bit } = placeInTensorMemory(dtype, row, group)
    const bits = ((lanes[lane * wordsOfLane + column] ?? 0) >>> bit) & 0xf
    const word = Math.floor(group / groupsInWord)
    words[word] = words[word]! | (bits << (groupBits * (group % groupsInWord)))
  }
  return words
}
