/**
 * Zero-column masks: which columns of B a weight-stationary tcgen05.mma takes as zero, in 64 bits.
 *
 * The columns of B come in four quarters; each alternates between spans that are used and spans that are skipped. The word, bits low to high:
 *
 * | bits  | field                                                          |
 * |-------|----------------------------------------------------------------|
 * | 0-31  | start count of each quarter, 8 bits each                       |
 * | 32-35 | first span of each quarter: 0 or 1                             |
 * | 39    | enabled                                                        |
 * | 40-47 | columns of a skipped span, less 1                              |
 * | 48-55 | columns of a used span, less 1                                 |
 * | 56-61 | shift                                                          |
 *
 * All other bits are 0. Here only the word is described; which columns a mask takes out is not.
 *
 *     start counts 1, 2, 3, 4, first spans 1, 0, 0, 0, enabled, skip 1, use 256, shift 2:   0x02ff_0081_0403_0201
 *
 * Laws
 * 1. `decodeMask(encodeMask(m)) = m` for every legal m, and `encodeMask(decodeMask(w)) = w` for every word that is accepted.
 *
 * @fidelity documented
 *
 * Source: PTX ISA, tcgen05.mma.ws: zero-column mask descriptor.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import { refuse } from '../../failure.js'

/** One value for each quarter of the columns. */
export type Quarters = readonly [number, number, number, number]

export interface ZeroColumnMask {
  /** 0 to 255. */
  readonly startCounts: Quarters
  /** 0 or 1. */
  readonly firstSpans: Quarters
  readonly enabled: boolean
  /** 1 to 256 columns. */
  readonly skipSpan: number
  /** 1 to 256 columns. */
  readonly useSpan: number
  /** 0 to 63. */
  readonly shift: number
}

export type MaskError = 'mask.field' | 'mask.word' | 'mask.reserved'

const wordOf = (m: ZeroColumnMask): bigint => {
  const fields: ReadonlyArray<readonly [from: number, value: number]> = [
    ...m.startCounts.map((count, q) => [8 * q, count] as const),
    ...m.firstSpans.map((span, q) => [32 + q, span] as const),
    [39, m.enabled ? 1 : 0],
    [40, m.skipSpan - 1],
    [48, m.useSpan - 1],
    [56, m.shift],
  ]
  return fields.reduce((word, [from, value]) => word | (BigInt(value) << BigInt(from)), 0n)
}

/** The 64 bits. Refuses fields out of range. */
export const encodeMask = (m: ZeroColumnMask): E.Either<Failure<MaskError>, bigint> => {
  const fields: ReadonlyArray<readonly [name: string, value: number, low: number, high: number]> = [
    ...m.startCounts.map((count, q) => [`startCounts[${String(q)}]`, count, 0, 255] as const),
    ...m.firstSpans.map((span, q) => [`firstSpans[${String(q)}]`, span, 0, 1] as const),
    ['skipSpan', m.skipSpan, 1, 256],
    ['useSpan', m.useSpan, 1, 256],
    ['shift', m.shift, 0, 63],
  ]
  const bad = fields.find(([, value, low, high]) => !Number.isInteger(value) || value < low || value > high)
  return bad === undefined
    ? E.right(wordOf(m))
    : refuse(
        'mask.field',
        `${bad[0]} must be ${String(bad[2])} to ${String(bad[3])}, found ${String(bad[1])}`,
      )
}

/** The mask that a word stands for. Refuses what is not 64 bits, and a bit that must be 0. */
export const decodeMask = (word: bigint): E.Either<Failure<MaskError>, ZeroColumnMask> => {
  if (BigInt.asUintN(64, word) !== word)
    return refuse('mask.word', `A zero-column mask is an unsigned number of 64 bits, found ${String(word)}`)
  const at = (from: number, bits: number): number => Number(BigInt.asUintN(bits, word >> BigInt(from)))
  const m: ZeroColumnMask = {
    startCounts: [at(0, 8), at(8, 8), at(16, 8), at(24, 8)],
    firstSpans: [at(32, 1), at(33, 1), at(34, 1), at(35, 1)],
    enabled: at(39, 1) === 1,
    skipSpan: at(40, 8) + 1,
    useSpan: at(48, 8) + 1,
    shift: at(56, 6),
  }
  return wordOf(m) === word
    ? E.right(m)
    : refuse('mask.reserved', `A bit that must be 0 is set in the zero-column mask 0x${word.toString(16)}`)
}
