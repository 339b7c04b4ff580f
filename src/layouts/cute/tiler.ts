/**
 * Tilers: what a layout is cut or composed with.
 *
 * A tiler is a layout, or a tile: a tuple with a tiler for each mode, or `_` for a mode that is left alone. A shape is shorthand:
 * an integer n is n:1, a tuple of shapes is a tile.
 *
 *     (3,4)  =  [3:1;4:1]        cuts mode 0 in threes, mode 1 in fours
 *     (3,4):(1,3)                cuts the whole layout, read as one long mode, in twelves
 *
 * Laws
 * 1. `tilerOfShape` nests as the shape does; `tilerSize` is the product of the sizes of its layouts, when there is no `_`.
 *
 * Names: CuTe `Tiler`, `Tile`, `make_tile`, `Underscore`.
 * Source: CUTLASS, CuTe: layout algebra documentation.
 */
import type { IntTuple } from './int-tuple.js'
import type { Layout } from './layout.js'
import { leaf, size } from './layout.js'
import { isTuple } from './tree.js'

// ---------------------------------------------------------------------------------------------- model

export interface Tile {
  readonly _tag: 'tile'
  readonly modes: ReadonlyArray<Tiler>
}

/** The mode as it is. */
export interface FullMode {
  readonly _tag: 'full'
}

export type Tiler = Layout | Tile | FullMode

// ---------------------------------------------------------------------------------------- constructors

export const tile = (modes: ReadonlyArray<Tiler>): Tile => ({ _tag: 'tile', modes })

export const full: FullMode = { _tag: 'full' }

export const tilerOfShape = (shape: IntTuple): Tiler =>
  isTuple(shape) ? tile(shape.map(tilerOfShape)) : leaf(shape, 1)

// ----------------------------------------------------------------------------------------- destructors

/** How many elements one tile has; null when a mode is left alone. */
export const tilerSize = (tiler: Tiler): number | null => {
  switch (tiler._tag) {
    case 'layout':
      return size(tiler)
    case 'full':
      return null
    case 'tile':
      return tiler.modes
        .map(tilerSize)
        .reduce((product, n) => (product === null || n === null ? null : product * n), 1)
  }
}
