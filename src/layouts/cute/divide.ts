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
 * A mode of the layout that the tile does not name goes whole to the rests. A mode under `_` is not cut: in the last three forms it must have
 * two modes itself, its own tile and rest.
 *
 * Laws
 * 1. Mode 0 of `zippedDivide(A, T)` is A o T.
 * 2. `logicalDivide(A, B)` of sizes that divide is a rearrangement: it takes the values of A, each as often.
 * 3. All four forms have the same leaves; zipped, tiled and flat in the same order.
 *
 * Names: CuTe `logical_divide`, `zipped_divide`, `tiled_divide`, `flat_divide`; `local_tile` is the last three at a tile coordinate.
 * Source: CUTLASS, CuTe: layout algebra documentation, division.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import { refuse } from '../../failure.js'
import type { ComplementError } from './complement.js'
import { complement } from './complement.js'
import type { CompositionError } from './composition.js'
import { composition } from './composition.js'
import type { Layout } from './layout.js'
import { fromModes, isPlain, modes, size } from './layout.js'
import type { Tiler } from './tiler.js'

export type DivideError = CompositionError | ComplementError | 'cute.tile-modes'

const cut = (a: Layout, b: Layout): E.Either<Failure<DivideError>, Layout> => {
  const rest = complement(b, isPlain(b) ? size(a) : a.shape)
  if (E.isLeft(rest)) return rest
  const inside = composition(a, b)
  if (E.isLeft(inside)) return inside
  const across = composition(a, rest.right)
  return E.isLeft(across) ? across : E.right(fromModes([inside.right, across.right]))
}

/** (tile, rest) for every layout of the tiler, where the tiler has it. */
export const logicalDivide = (a: Layout, by: Tiler): E.Either<Failure<DivideError>, Layout> => {
  switch (by._tag) {
    case 'layout':
      return cut(a, by)
    case 'full':
      return E.right(a)
    case 'tile': {
      const all = modes(a)
      if (by.modes.length > all.length)
        return refuse(
          'cute.tile-modes',
          `The tile has ${String(by.modes.length)} modes, the layout that it cuts only ${String(all.length)}`,
        )
      const out: Layout[] = []
      for (const [i, mode] of all.entries()) {
        const inner = i < by.modes.length ? logicalDivide(mode, by.modes[i]!) : E.right(mode)
        if (E.isLeft(inner)) return inner
        out.push(inner.right)
      }
      return E.right(fromModes(out))
    }
  }
}

/** Tiles and rests of a layout that was divided (or multiplied) by `by`. */
export interface Unzipped {
  readonly tile: Layout
  readonly rest: Layout
}

/** Gathers what `logicalDivide` left at every layout of the tiler. */
export const unzip = (divided: Layout, by: Tiler): E.Either<Failure<'cute.tile-modes'>, Unzipped> => {
  const all = modes(divided)
  if (by._tag !== 'tile')
    return all.length === 2
      ? E.right({ tile: all[0]!, rest: all[1]! })
      : refuse(
          'cute.tile-modes',
          `A mode under _ is its own tile and rest, so it must have 2 modes; found ${String(all.length)}`,
        )
  const tiles: Layout[] = []
  const rests: Layout[] = []
  for (const [i, mode] of all.entries()) {
    const tiler = by.modes[i]
    if (tiler === undefined) rests.push(mode)
    else {
      const inner = unzip(mode, tiler)
      if (E.isLeft(inner)) return inner
      tiles.push(inner.right.tile)
      rests.push(inner.right.rest)
    }
  }
  return E.right({ tile: fromModes(tiles), rest: fromModes(rests) })
}

const regroup =
  (form: (parts: Unzipped) => ReadonlyArray<Layout>) =>
  (a: Layout, by: Tiler): E.Either<Failure<DivideError>, Layout> => {
    const divided = logicalDivide(a, by)
    if (E.isLeft(divided)) return divided
    const parts = unzip(divided.right, by)
    return E.isLeft(parts) ? parts : E.right(fromModes(form(parts.right)))
  }

/** ((tiles), (rests)). */
export const zippedDivide: (a: Layout, by: Tiler) => E.Either<Failure<DivideError>, Layout> = regroup(
  ({ tile, rest }) => [tile, rest],
)

/** ((tiles), rest, rest, ...). */
export const tiledDivide: (a: Layout, by: Tiler) => E.Either<Failure<DivideError>, Layout> = regroup(
  ({ tile, rest }) => [tile, ...modes(rest)],
)

/** (tile, tile, ..., rest, rest, ...). */
export const flatDivide: (a: Layout, by: Tiler) => E.Either<Failure<DivideError>, Layout> = regroup(
  ({ tile, rest }) => [...modes(tile), ...modes(rest)],
)
