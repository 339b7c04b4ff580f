/**
 * Footprints: the operands that a wave reads, each counted once.
 *
 * Tile (i, j) of `out` is made of all of row panel i of `a` and all of column panel j of `b`, whatever the depth of its steps. So a wave reads as
 * many row panels as its tiles have different rows and as many column panels as they have different columns; how often a panel is asked for
 * is another number.
 *
 *     16 clusters, 16 x 16 tiles     rows of `a`   columns of `b`   panels   asked for
 *     rows                           1             16               17       32
 *     snake, 4 wide                  4             4                 8       32
 *
 * The second reads less than half of what the first does. That a wave is near to a square is the best there is: of s panels of equal size
 * no more than (s / 2)^2 tiles can be made.
 *
 * Laws
 * 1. With R different rows and C different columns in T tiles: T <= R C, and R, C <= T.
 * 2. The bytes are R panels of `a` and C panels of `b`; asked for are T of each.
 * 3. `kept` is what this wave and the one before it have in common, at most the bytes of either.
 *
 * Source: JAX docs, Pallas:MGPU, using the L2 cache (the example of 16 blocks).
 */
import type { TilePlace } from './visiting-order.js'

/** Bytes of one row panel of `a` and of one column panel of `b`. */
export interface PanelBytes {
  readonly a: number
  readonly b: number
}

export interface Footprint {
  readonly tiles: ReadonlyArray<TilePlace>
  /** row panels of `a`, ascending */
  readonly rows: ReadonlyArray<number>
  /** column panels of `b`, ascending */
  readonly columns: ReadonlyArray<number>
  /** each panel once */
  readonly bytes: number
  /** each panel as often as a tile needs it */
  readonly asked: number
  /** of `bytes`, those that the wave before read too */
  readonly kept: number
}

const distinct = (xs: ReadonlyArray<number>): ReadonlyArray<number> => [...new Set(xs)].sort((x, y) => x - y)

const common = (xs: ReadonlyArray<number>, ys: ReadonlyArray<number>): number => {
  const there = new Set(ys)
  return xs.filter((x) => there.has(x)).length
}

export const footprints = (
  panel: PanelBytes,
  waves: ReadonlyArray<ReadonlyArray<TilePlace>>,
): ReadonlyArray<Footprint> => {
  const read = waves.map((tiles) => ({
    tiles,
    rows: distinct(tiles.map(([m]) => m)),
    columns: distinct(tiles.map(([, n]) => n)),
  }))
  return read.map(({ tiles, rows, columns }, w) => {
    const before = read[w - 1]
    return {
      tiles,
      rows,
      columns,
      bytes: rows.length * panel.a + columns.length * panel.b,
      asked: tiles.length * (panel.a + panel.b),
      kept:
        before === undefined
          ? 0
          : common(rows, before.rows) * panel.a + common(columns, before.columns) * panel.b,
    }
  })
}

/** Row and column panels. */
export const panelsOf = (f: Footprint): number => f.rows.length + f.columns.length
