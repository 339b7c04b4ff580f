/**
 * Division: a layout cut into tiles.
 *
 * A / B = A o (B, B*), B* the complement of B in the size of A: the first mode walks inside a tile, the second from tile to tile. With a
 * tile for B every mode is cut by its own tiler. The four forms differ in how they group the modes.
 *
 *     (6,8):(8,1) by (3,4)
 *       logical   ((3,2),(4,2)):((8,24),(1,4))       (tile 0, rest 0), (tile 1, rest 1)
 *       zipped    ((3,4),(2,2)):((8,1),(24,4))       (tiles), (rests)
 *       tiled     ((3,4),2,2):((8,1),24,4)           (tiles), rest, rest
 *       flat      (3,4,2,2):(8,1,24,4)
 *
 * Laws
 * 1. Mode 0 of `zippedDivide(A, T)` is A o T.
 * 2. `logicalDivide(A, B)` of sizes that divide is a rearrangement: it takes the values of A, each as often.
 * 3. The four forms are those of `by-tile`.
 *
 * Names: CuTe `logical_divide`, `zipped_divide`, `tiled_divide`, `flat_divide`; `local_tile` is the last three at a tile coordinate.
 * Source: CUTLASS, CuTe: layout algebra documentation, division.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import type { ByTileError, Operation } from './by-tile.js'
import { byTile, flat, tiled, zipped } from './by-tile.js'
import type { ComplementError } from './complement.js'
import { complement } from './complement.js'
import type { CompositionError } from './composition.js'
import { composition } from './composition.js'
import type { Layout } from './layout.js'
import { fromModes, isPlain, size } from './layout.js'

export type DivideError = CompositionError | ComplementError | ByTileError

const cut = (a: Layout, b: Layout): E.Either<Failure<DivideError>, Layout> => {
  const rest = complement(b, isPlain(b) ? size(a) : a.shape)
  if (E.isLeft(rest)) return rest
  const inside = composition(a, b)
  if (E.isLeft(inside)) return inside
  const across = composition(a, rest.right)
  return E.isLeft(across) ? across : E.right(fromModes([inside.right, across.right]))
}

/** (tile, rest) for every layout of the tiler, where the tiler has it. */
export const logicalDivide: Operation<DivideError> = byTile(cut)

/** ((tiles), (rests)). */
export const zippedDivide: Operation<DivideError> = zipped(logicalDivide)

/** ((tiles), rest, rest, ...). */
export const tiledDivide: Operation<DivideError> = tiled(logicalDivide)

/** (tile, tile, ..., rest, rest, ...). */
export const flatDivide: Operation<DivideError> = flat(logicalDivide)
