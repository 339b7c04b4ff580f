/**
 * Points: thirty configurations of a tiled matmul, small ones.
 *
 * | slots | steps                   | tiles of the output, round about                             |
 * |-------|-------------------------|--------------------------------------------------------------|
 * | 2     | 1, 2, 3, 4, 5           | 1 x 1, 1 x 2, 1 x 1, 3 x 1, 1 x 3, 1 x 1, 2 x 3, 2 x 1, 3 x 3 |
 * | 3     | 1, 2, 3, 4, 5, 6, 7     | the next of that row at every point, so that each number of   |
 * | 4     | 1, 3, 4, 5, 7, 8, 9, 11 | steps meets another shape                                     |
 * | 5     | 1, 4, 5, 6, 9, 10, 11   |                                                               |
 * | 6     | 5, 6, 7                 |                                                               |
 *
 * The element type changes at every point, the tile's columns at every third and its depth at every fifth.
 */
import type { Settings } from '../../../src/kernels/catalogue/index.js'
import type { Point } from './laws.js'

/** What a tile of the output is made of, in the unit that the kernel's settings are in. */
export interface Grain {
  /** rows and columns of the output that one block of the grid (or one cluster) computes at least */
  readonly rows: number
  readonly columns: number
  /** settings of a tile of so many columns (a multiple of `columns`) */
  readonly tile: (columns: number) => Settings
}

const shapes: ReadonlyArray<readonly [number, number]> = [
  [1, 1],
  [1, 2],
  [1, 1],
  [3, 1],
  [1, 3],
  [1, 1],
  [2, 3],
  [2, 1],
  [3, 3],
]

const rings: ReadonlyArray<readonly [stages: number, steps: ReadonlyArray<number>]> = [
  [2, [1, 2, 3, 4, 5]],
  [3, [1, 2, 3, 4, 5, 6, 7]],
  [4, [1, 3, 4, 5, 7, 8, 9, 11]],
  [5, [1, 4, 5, 6, 9, 10, 11]],
  [6, [5, 6, 7]],
]

/** A point: tiles of the output, steps, slots, and what else is set. */
export const pointOf = (
  grain: Grain,
  [rows, columns]: readonly [number, number],
  steps: number,
  stages: number,
  how: {
    readonly wide?: number
    readonly tileK?: number
    readonly rest?: Settings
    readonly clusters?: number
  } = {},
): Point => {
  const { wide = 1, tileK = 16, rest = {}, clusters = rows * columns } = how
  return {
    settings: {
      m: rows * grain.rows,
      n: columns * wide * grain.columns,
      k: steps * tileK,
      tileK,
      stages,
      ...grain.tile(wide * grain.columns),
      ...rest,
    },
    steps,
    stages,
    tiles: [rows, columns],
    clusters,
  }
}

/** Thirty points of a kernel that computes one tile with one cluster. */
export const oneTileEach = (
  grain: Grain,
  restOf: (i: number) => Settings = (i) => ({ dtype: i % 2 === 0 ? 'f16' : 'bf16' }),
): ReadonlyArray<Point> =>
  rings.flatMap(([stages, all], ring) =>
    all.map((steps, at) => {
      const i = rings.slice(0, ring).reduce((n, [, before]) => n + before.length, 0) + at
      return pointOf(grain, shapes[i % shapes.length]!, steps, stages, {
        wide: i % 3 === 2 ? 2 : 1,
        tileK: i % 5 === 4 ? 32 : 16,
        rest: restOf(i),
      })
    }),
  )
