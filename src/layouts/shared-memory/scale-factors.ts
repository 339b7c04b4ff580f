/**
 * Scale factors of block-scaled products, as they lie in shared and global memory.
 *
 * An atom holds the scales of 128 rows x 4 blocks of K, one byte each, so that one copy of 32 lanes x 16 bytes moves it to tensor memory: lane
 * x mod 32 gets, in the word x div 32, the four scales of row x.
 *
 *     offset(x, j) = (x mod 32) * 16 + (x div 32) * 4 + j            row 33, block 2:  16 + 4 + 2 = 22
 *
 * A larger array is atoms of 512 bytes, those of the next 4 blocks first, then those of the next 128 rows.
 *
 * Names: CuTe ((32,4),(VS,4)):((16,4),(0,1)), `Sm1xxBlkScaledConfig`; Triton's shared layout of `tmem_copy`; Mosaic's reshape and transpose of scales.
 *
 * Laws
 * 1. `scaleOffset` is a bijection onto 0 .. rows * blocks - 1, with `scaleIndex` as its inverse.
 * 2. On powers of two it is linear over GF(2), with Triton's bases: 4 blocks, rows 32 and 64, rows 1 to 16, further blocks, further rows.
 * 3. In an atom it is Mosaic's: (4, 32, 4) of (word, lane, block) transposed to (lane, word, block).
 *
 * @fidelity documented
 *
 * Source: CUTLASS, block-scaled layouts of sm_100; PTX ISA, tcgen05.mma scale factors.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import { refuse } from '../../failure.js'
import { isExtent, showShape } from '../../transforms/shape.js'

export type ScaleError = 'scale.shape'

/** Rows and blocks of an atom. */
export const scaleAtom: readonly [rows: 128, blocks: 4] = [128, 4]

/** Is the array made of atoms? */
const checkScales = (rows: number, blocks: number): E.Either<Failure<ScaleError>, number> =>
  isExtent(rows) && isExtent(blocks) && rows % 128 === 0 && blocks % 4 === 0
    ? E.right(blocks / 4)
    : refuse(
        'scale.shape',
        `Scale factors need multiples of 128 rows and of 4 blocks, found ${showShape([rows, blocks])}`,
      )

/** The byte of the scale of row x and block j of an array of scales. Refuses what is not made of atoms. */
export const scaleOffset = (
  rows: number,
  blocks: number,
): E.Either<Failure<ScaleError>, (x: number, j: number) => number> =>
  E.map(
    (across: number) => (x: number, j: number) =>
      512 * (Math.floor(x / 128) * across + Math.floor(j / 4)) +
      16 * (x % 32) +
      4 * Math.floor((x % 128) / 32) +
      (j % 4),
  )(checkScales(rows, blocks))

/** The row and the block whose scale lies in a byte. */
export const scaleIndex = (
  rows: number,
  blocks: number,
): E.Either<Failure<ScaleError>, (offset: number) => readonly [x: number, j: number]> =>
  E.map((across: number) => (offset: number): readonly [number, number] => {
    const atom = Math.floor(offset / 512)
    const word = Math.floor(offset / 4) % 4
    const lane = Math.floor(offset / 16) % 32
    return [128 * Math.floor(atom / across) + 32 * word + lane, 4 * (atom % across) + (offset % 4)]
  })(checkScales(rows, blocks))
