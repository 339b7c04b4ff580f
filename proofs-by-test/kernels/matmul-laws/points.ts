/**
 * Points: thirty configurations of a tiled matmul, small ones.
 *
 * | slots | steps                   | tiles of the output, round about                             |
 * |-------|-------------------------|--------------------------------------------------------------|
 * | 2     | 1, 2, 3, 4, 5           | 1 x 1, 1 x 2, 1 x 1, 3 x 1, 1 x 3, 1 x 1, 2 x 3, 2 x 1, 3 x 3|
 * | 3     | 1, 2, 3, 4, 5, 6, 7     | the next of that row at every point, so that each number of   |
 * | 4     | 1, 3, 4, 5, 7, 8, 9, 11 | steps meets another shape                                     |
 * | 5     | 1, 4, 5, 6, 9, 10, 11   |                                                               |
 * | 6     | 5, 6, 7                 |                                                               |
 *
 * And thirty of a persistent one: 1 to 5 tiles of a cluster, each with six rings; two clusters where the row says 2.
 *
 * | tiles of one | shapes (clusters)                  | slots and steps, in turn                        |
 * |--------------|------------------------------------|-------------------------------------------------|
 * | 1            | 1 x 1 (1), 1 x 3 (3), 2 x 1 (2)    | 2: 1, 2, 5      fewer than slots, as many, more   |
 * | 2            | 2 x 1 (1), 1 x 2 (1), 1 x 3 (2)    | 3: 2, 3, 4      and not a multiple of them       |
 * | 3            | 3 x 1 (1), 1 x 3 (1), 1 x 5 (2)    |                                                 |
 * | 4            | 2 x 2 (1), 1 x 4 (1), 7 x 1 (2)    |                                                 |
 * | 5            | 1 x 5 (1), 5 x 1 (1), 3 x 3 (2)    |                                                 |
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
  /** the k of one product, 16 unless it says so */
  readonly depth?: number
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
    readonly deep?: number
    readonly rest?: Settings
    readonly clusters?: number
  } = {},
): Point => {
  const { wide = 1, deep = 1, rest = {}, clusters = rows * columns } = how
  const tileK = deep * (grain.depth ?? 16)
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
        deep: i % 5 === 4 ? 2 : 1,
        rest: restOf(i),
      })
    }),
  )

const shared: ReadonlyArray<readonly [shape: readonly [number, number], clusters: number]> = [
  [[1, 1], 1],
  [[1, 3], 3],
  [[2, 1], 2],
  [[2, 1], 1],
  [[1, 2], 1],
  [[1, 3], 2],
  [[3, 1], 1],
  [[1, 3], 1],
  [[1, 5], 2],
  [[2, 2], 1],
  [[1, 4], 1],
  [[7, 1], 2],
  [[1, 5], 1],
  [[5, 1], 1],
  [[3, 3], 2],
]

/** Each shape with one step or so of two slots, and of three: steps below, at and above the slots for each number of tiles. */
const turns: ReadonlyArray<readonly [stages: number, steps: number]> = [
  [2, 1],
  [2, 2],
  [2, 5],
  [3, 2],
  [3, 3],
  [3, 4],
]

/** Thirty points of a kernel whose clusters compute one tile after the other; `restOf` says how many clusters there are. */
export const tilesShared = (
  grain: Grain,
  restOf: (i: number, clusters: number) => Settings,
): ReadonlyArray<Point> =>
  shared.flatMap(([shape, clusters], at) =>
    [0, 3].map((ring) => {
      const i = 2 * at + (ring === 0 ? 0 : 1)
      const [stages, steps] = turns[ring + (at % 3)]!
      return pointOf(grain, shape, steps, stages, {
        clusters,
        wide: i % 7 === 6 ? 2 : 1,
        deep: i % 5 === 4 ? 2 : 1,
        rest: { dtype: i % 2 === 0 ? 'f16' : 'bf16', ...restOf(i, clusters) },
      })
    }),
  )
