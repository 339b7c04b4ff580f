/**
 * The shapes of tcgen05.cp: to which lanes of tensor memory a row of shared memory goes.
 *
 * | shape    | to                | rows | columns | row i goes to lanes                                                  |
 * |----------|-------------------|------|---------|----------------------------------------------------------------------|
 * | 128x256b | all               | 128  | 8       | i                                                                    |
 * | 128x128b | all               | 128  | 4       | i                                                                    |
 * | 64x128b  | warpx2::02_13     | 64   | 4       | i, i + 64                                                            |
 * | 64x128b  | warpx2::01_23     | 64   | 4       | i, i + 32 for i < 32; i + 32, i + 64 from there                      |
 * | 32x128b  | warpx4            | 32   | 4       | i, i + 32, i + 64, i + 96                                            |
 * | 4x256b   | one lane a quarter | 4   | 8       | 32 i: which lane of the quarter is not confirmed                     |
 *
 *     32x128b warpx4 moves the scales of 128 rows and 4 factors: 32 rows of 16 bytes; byte b of a row is column b div 4, part b mod 4
 *
 * For warpx2::01_23 the ISA's text could be read the other way round; CuTe's layout of the copy and of the scales it carries agree on
 * this one.
 *
 * Laws
 * 1. Every lane gets one row at most; all 128 do but for 4x256b.
 * 2. A row goes to equally many lanes, its copies lie 32 or 64 lanes apart.
 *
 * Source: PTX ISA, tcgen05.cp; CUTLASS's CuTe copy traits.
 */
import { unreachable } from '../../failure.js'
import { tmemColumnBits } from './geometry.js'

export type CopyShape =
  '128x256b' | '128x128b' | '64x128b.warpx2::02_13' | '64x128b.warpx2::01_23' | '32x128b.warpx4' | '4x256b'

export const copyShapes: ReadonlyArray<CopyShape> = [
  '128x256b',
  '128x128b',
  '64x128b.warpx2::02_13',
  '64x128b.warpx2::01_23',
  '32x128b.warpx4',
  '4x256b',
]

/** Rows of shared memory. */
export const copyRows = (shape: CopyShape): number => Number(shape.slice(0, shape.indexOf('x')))

/** Columns of tensor memory: 32 bits each. */
export const copyColumns = (shape: CopyShape): number =>
  (shape.includes('x256b') ? 256 : 128) / tmemColumnBits

/** Do sources say to which lanes a row goes? */
export const isConfirmed = (shape: CopyShape): boolean => shape !== '4x256b'

/** The lanes that get a row, ascending. */
export const copyLanes = (shape: CopyShape, row: number): ReadonlyArray<number> => {
  switch (shape) {
    case '128x256b':
    case '128x128b':
      return [row]
    case '64x128b.warpx2::02_13':
      return [row, row + 64]
    case '64x128b.warpx2::01_23': {
      const first = row + 32 * Math.floor(row / 32)
      return [first, first + 32]
    }
    case '32x128b.warpx4':
      return [row, row + 32, row + 64, row + 96]
    case '4x256b':
      return [32 * row]
    default:
      return unreachable(shape)
  }
}

/** The row that a lane gets, or null. */
export const rowAt = (shape: CopyShape, lane: number): number | null => {
  for (let row = 0; row < copyRows(shape); row++) if (copyLanes(shape, row).includes(lane)) return row
  return null
}
