/**
 * Orders of tiles: which tile a block of a persistent kernel computes, one after the other.
 *
 * A persistent kernel launches `blocks` blocks, about as many as there are multiprocessors, and each computes several tiles. The tiles stand in one
 * line, and block p of P takes the places p, p + P, p + 2 P, ... of it. How the line runs through the (m, n) grid of tiles decides which operands
 * the blocks of one wave have in common:
 *
 *     grid 4 x 4, 8 blocks: the tiles of wave 0
 *
 *     row-major     planar-snake, minor m, width 2      planar-snake, minor n, width 2
 *     X X X X       X X X X                             X X . .
 *     X X X X       X X X X                             X X . .
 *     . . . .       . . . .                             X X . .
 *     . . . .       . . . .                             X X . .
 *
 * Laws
 * 1. Every tile is computed by one block, once: `ndLoop` deals out every place of the line, and the order is a bijection of places and tiles.
 *
 * Source: JAX docs, writing high-performance matrix multiplication kernels for Blackwell, 4. Persistent kernel, 6. Grid tiling; Pallas:MGPU,
 * `nd_loop`, `planar_snake`.
 */
import * as Pallas from '../../dialects/pallas/index.js'
import * as B from '../../semantics/writing/builder.js'
import type { Int } from '../../semantics/language/expression.js'
import type { TypeIndex } from '../../semantics/language/types.js'

export interface TileOrder {
  readonly order: 'row-major' | 'planar-snake'
  /** of the snake: the dimension that is cut, and how many tiles wide */
  readonly gridMinorDim: 'm' | 'n'
  readonly gridTileWidth: number
}

export interface Persistent extends TileOrder {
  /** blocks that are launched */
  readonly blocks: number
}

/** Why this is no order, or null. */
export const illegalOrder = (c: TileOrder): string | null =>
  Number.isInteger(c.gridTileWidth) && c.gridTileWidth >= 1
    ? null
    : `gridTileWidth is ${String(c.gridTileWidth)}: expected a positive integer`

/** Why the tiles cannot be shared so, or null. */
export const illegalPersistent = (c: Persistent): string | null =>
  Number.isInteger(c.blocks) && c.blocks >= 1
    ? illegalOrder(c)
    : `blocks is ${String(c.blocks)}: expected a positive integer`

/** The tile at a place of the line. */
export const tileAt = (
  c: TileOrder,
  grid: readonly [number, number],
  place: Int,
): B.Build<readonly [mi: Int, ni: Int]> =>
  B.block(function* () {
    const { order, gridMinorDim, gridTileWidth } = c
    const at =
      order === 'row-major'
        ? Pallas.indicesOf(grid, place)
        : yield* Pallas.planarSnake(place, grid, gridMinorDim === 'm' ? 0 : 1, gridTileWidth)
    return [yield* B.letIn('mi', at[0]!), yield* B.letIn('ni', at[1]!)]
  })

/** A tile of a block, and which of its own it is. */
export interface LocalTile {
  readonly mi: Int
  readonly ni: Int
  readonly localIndex: Int
  readonly numLocalSteps: Int
}

/** The body for every tile of this block; its axis is called `block`. */
export const tileLoop = <C extends Readonly<Record<string, TypeIndex>>>(
  c: Persistent,
  grid: readonly [number, number],
  carried: B.Exprs<C>,
  body: (tile: LocalTile, carried: B.Exprs<C>) => B.Steps<B.Exprs<C>>,
): B.Build<B.Exprs<C>> =>
  Pallas.ndLoop(
    'tile',
    { grid: [grid[0] * grid[1]], collectiveAxes: 'block' },
    carried,
    function* ({ index, localIndex, numLocalSteps }, carrying) {
      const [mi, ni] = yield* tileAt(c, grid, index[0]!)
      return yield* body({ mi, ni, localIndex, numLocalSteps }, carrying)
    },
  )
