/**
 * Operations by tile: what is done with a layout, done with a tiler, and three ways to group what it leaves.
 *
 * Division and product with a layout leave two modes, (tile, rest). With a tile for the second argument every mode is treated by its own
 * tiler, so there is a pair in every mode, and the three groupings gather them:
 *
 *       logical   ((tile 0, rest 0), (tile 1, rest 1))
 *       zipped    ((tile 0, tile 1), (rest 0, rest 1))
 *       tiled     ((tile 0, tile 1), rest 0, rest 1)
 *       flat      (tile 0, tile 1, rest 0, rest 1)
 *
 * A mode of the layout that the tile does not name goes whole to the rests. A mode under `_` is left as it is: in the last three forms it must have
 * two modes itself, its own tile and rest.
 *
 * Laws
 * 1. With a layout, `byTile` is the operation; with a tile it is the operation mode by mode.
 * 2. All four forms have the same leaves; zipped, tiled and flat in the same order.
 *
 * Names: CuTe's `logical_`, `zipped_`, `tiled_` and `flat_` forms. Source: CUTLASS, CuTe: layout algebra documentation.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import { refuse } from '../../failure.js'
import type { Layout } from './layout.js'
import { fromModes, modes } from './layout.js'
import type { Tiler } from './tiler.js'

export type ByTileError = 'cute.tile-modes'

/** An operation that takes a tiler. */
export type Operation<Code extends string> = (a: Layout, by: Tiler) => E.Either<Failure<Code>, Layout>

/** The logical form. Errors: those of the operation, a tile with more modes than the layout. */
export const byTile = <Code extends string>(
  operation: (a: Layout, b: Layout) => E.Either<Failure<Code>, Layout>,
): Operation<Code | ByTileError> => {
  const logical: Operation<Code | ByTileError> = (a, by) => {
    switch (by._tag) {
      case 'layout':
        return operation(a, by)
      case 'full':
        return E.right(a)
      case 'tile': {
        const all = modes(a)
        if (by.modes.length > all.length)
          return refuse(
            'cute.tile-modes',
            `The tile has ${String(by.modes.length)} modes, the layout under it only ${String(all.length)}`,
          )
        const out: Layout[] = []
        for (const [i, mode] of all.entries()) {
          const inner = i < by.modes.length ? logical(mode, by.modes[i]!) : E.right(mode)
          if (E.isLeft(inner)) return inner
          out.push(inner.right)
        }
        return E.right(fromModes(out))
      }
    }
  }
  return logical
}

/** Tiles and rests. */
interface Unzipped {
  readonly tile: Layout
  readonly rest: Layout
}

/** Gathers what the logical form left at every layout of the tiler. */
const unzip = (logical: Layout, by: Tiler): E.Either<Failure<ByTileError>, Unzipped> => {
  const all = modes(logical)
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

const regrouped =
  (form: (parts: Unzipped) => ReadonlyArray<Layout>) =>
  <Code extends string>(logical: Operation<Code>): Operation<Code | ByTileError> =>
  (a, by) => {
    const whole = logical(a, by)
    if (E.isLeft(whole)) return whole
    const parts = unzip(whole.right, by)
    return E.isLeft(parts) ? parts : E.right(fromModes(form(parts.right)))
  }

/** ((tiles), (rests)). */
export const zipped: <Code extends string>(logical: Operation<Code>) => Operation<Code | ByTileError> =
  regrouped(({ tile, rest }) => [tile, rest])

/** ((tiles), rest, rest, ...). */
export const tiled: <Code extends string>(logical: Operation<Code>) => Operation<Code | ByTileError> =
  regrouped(({ tile, rest }) => [tile, ...modes(rest)])

/** (tile, tile, ..., rest, rest, ...). */
export const flat: <Code extends string>(logical: Operation<Code>) => Operation<Code | ByTileError> =
  regrouped(({ tile, rest }) => [...modes(tile), ...modes(rest)])
