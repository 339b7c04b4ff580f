/**
 * Visiting orders: in which order a persistent grid comes to the tiles of a matrix, and which tiles are worked on together.
 *
 * An order is a list of all places of a grid of tiles. C clusters share it as `nd_loop` deals it out: cluster c takes the steps c, c + C,
 * c + 2 C, ... So the list falls into *waves* of C consecutive places, and a wave is what the clusters work on at one time, as far as they
 * keep pace.
 *
 *     (4, 4) tiles       rows             snake, minor dimension 0, 2 wide       bands, the same without turning round
 *                         0  1  2  3       0  2  4  6                              0  2  4  6
 *                         4  5  6  7       1  3  5  7                              1  3  5  7
 *                         8  9 10 11      14 12 10  8                              8 10 12 14
 *                        12 13 14 15      15 13 11  9                              9 11 13 15
 *     wave 0 of 4        a row            a square of 2 x 2                        the same
 *     wave 1 to wave 2                    stays in columns 2, 3                    goes back to columns 0, 1
 *
 * Laws
 * 1. Every order visits every place once.
 * 2. `rows` is the snake of minor dimension 1 as wide as the grid, `columns` that of minor dimension 0.
 * 3. Wave w, position c is what cluster c does w-th; only the last wave may be short.
 * 4. `bands` and `snake` go through the same places in each band, in the other direction in every second one.
 *
 * Names: `grid_minor_dim`, `grid_tile_width`.
 *
 * Source: JAX docs, writing high-performance matrix multiplication kernels for Blackwell, 6. Grid tiling; Pallas:MGPU, using the L2 cache.
 */
import * as A from 'fp-ts/lib/ReadonlyArray.js'
import * as E from 'fp-ts/lib/Either.js'
import { planarSnakeOf, type MinorDim } from '../../dialects/pallas/planar-snake.js'
import { refuse, type Failure } from '../../failure.js'

// ---------------------------------------------------------------- model

/** Tiles along m and along n. */
export type TileGrid = readonly [m: number, n: number]
/** The tile of rows m and columns n. */
export type TilePlace = readonly [m: number, n: number]

export type Order =
  | { readonly _tag: 'rows' }
  | { readonly _tag: 'columns' }
  | { readonly _tag: 'bands' | 'snake'; readonly minorDim: MinorDim; readonly width: number }

export const rows: Order = { _tag: 'rows' }
export const columns: Order = { _tag: 'columns' }
/** Band after band of `width` tiles, each begun at the same end. */
export const bands = (minorDim: MinorDim, width: number): Order => ({ _tag: 'bands', minorDim, width })
/** `planar_snake`. */
export const snake = (minorDim: MinorDim, width: number): Order => ({ _tag: 'snake', minorDim, width })

export const orderName = (order: Order): string =>
  order._tag === 'rows' || order._tag === 'columns'
    ? order._tag
    : `${order._tag}, minor ${String(order.minorDim)}, width ${String(order.width)}`

// ---------------------------------------------------------------- orders

const snakeOf = (
  grid: TileGrid,
  minorDim: MinorDim,
  width: number,
): E.Either<Failure, ReadonlyArray<TilePlace>> =>
  // a grid without places, or of half a tile, is refused by its first step
  A.traverse(E.Applicative)((step: number) => planarSnakeOf(step, grid, minorDim, width))(
    Array.from({ length: Math.max(1, Math.ceil(grid[0] * grid[1])) }, (_, step) => step),
  )

const inBands = (grid: TileGrid, minorDim: MinorDim, width: number): ReadonlyArray<TilePlace> => {
  const [minor, major] = minorDim === 0 ? grid : [grid[1], grid[0]]
  return Array.from({ length: Math.ceil(minor / width) }, (_, band) => band * width).flatMap((first) =>
    Array.from({ length: major }, (_, q) => q).flatMap((q) =>
      Array.from({ length: Math.min(width, minor - first) }, (_, r): TilePlace =>
        minorDim === 0 ? [first + r, q] : [q, first + r],
      ),
    ),
  )
}

/** All places in the order in which they are visited. Refuses extents and widths that are not positive integers. */
export const visitingOrder = (grid: TileGrid, order: Order): E.Either<Failure, ReadonlyArray<TilePlace>> => {
  switch (order._tag) {
    case 'rows':
      return snakeOf(grid, 1, Math.max(1, grid[1]))
    case 'columns':
      return snakeOf(grid, 0, Math.max(1, grid[0]))
    case 'snake':
      return snakeOf(grid, order.minorDim, order.width)
    case 'bands':
      return E.map(() => inBands(grid, order.minorDim, order.width))(
        snakeOf(grid, order.minorDim, order.width),
      )
  }
}

// ---------------------------------------------------------------- waves

/** The places that are visited together, wave after wave. Refuses a number of clusters that is not positive. */
export const wavesOf =
  (clusters: number) =>
  (places: ReadonlyArray<TilePlace>): E.Either<Failure, ReadonlyArray<ReadonlyArray<TilePlace>>> =>
    Number.isInteger(clusters) && clusters >= 1
      ? E.right(
          Array.from({ length: Math.ceil(places.length / clusters) }, (_, w) =>
            places.slice(w * clusters, (w + 1) * clusters),
          ),
        )
      : refuse('traffic.clusters', `clusters is ${String(clusters)}, expected a positive integer`)
