/**
 * Tilings: cutting an array into equal tiles, and tiles into smaller tiles.
 *
 * One tile `t` of rank r acts on the last r dimensions. As a function on indices it is division with remainder,
 * all the quotients first and then all the remainders:
 *
 *     [u..., i1, ..., ir]  ->  [u..., i1 div t1, ..., ir div tr, i1 mod t1, ..., ir mod tr]
 *
 * so a shape `[U..., d1..dr]` becomes `[U..., d1/t1 .. dr/tr, t1..tr]`. A tiling is a list of tiles ("levels"):
 * each acts on the suffix of what the one before produced. Since ranks do not increase, a later level always
 * acts inside the tile of the level before, and every array dimension is cut along a chain of divisors.
 *
 *     (128, 128) by (8, 64)      ->  (16, 2, 8, 64)
 *     index [9, 70]              ->  [1, 1, 1, 6]
 *     (64, 16) by (64, 8)(8, 8)  ->  (1, 2, 8, 1, 8, 8)
 *
 * Names: Pallas `TilingTransform` (once `TileTransform`), Mosaic `Tiling`; in CuTe the same cut is a
 * `zipped_divide` by the tile; Triton writes it as blocks of bases. Mojo spells out the quotients and remainders.
 *
 * Laws
 * 1. `untileIndex(t)(tileIndex(t)(i)) = i` for every index; `tileIndex(t)(untileIndex(t)(j)) = j` for every index of the tiled shape.
 * 2. `untileShape(t)(tileShape(t)(s)) = s` where the first is defined.
 * 3. `tileIndex` is a bijection from the indices of s to the indices of `tileShape(t)(s)`: sizes agree.
 * 4. Strides: the dot product of an index with s equals that of `tileIndex(t)(i)` with `tileStrides(t)(s)`.
 * 5. `canonicalTiling` is idempotent.
 * 6. `canonicalTiling` keeps the meaning: the dimensions longer than one of both tiled shapes are the same list, with the same coordinates.
 *
 * Source: JAX docs, Pallas:MGPU reference (memory reference transforms) and the Mosaic GPU tiling definition.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../failure.js'
import { refuse } from '../failure.js'
import type { Index, Shape } from './shape.js'
import { isExtent, sameShape, showShape } from './shape.js'

// ---------------------------------------------------------------------------------------------- model

export type Tile = ReadonlyArray<number>

declare const legalTiling: unique symbol

/** One or more tiles, ranks not increasing, all extents positive. Only `tiling` and `isTiling` make one. */
export type Tiling = ReadonlyArray<Tile> & { readonly [legalTiling]: true }

export type TilingError = 'tile.empty' | 'tile.not-positive' | 'tile.rank-increases'
export type TileShapeError = 'tile.rank' | 'tile.not-divisible'
export type UntileShapeError = 'tile.rank' | 'tile.not-tiled'

// ---------------------------------------------------------------------------------------- constructors

/** Is this list of tiles a legal tiling? */
export const isTiling = (levels: ReadonlyArray<Tile>): levels is Tiling =>
  levels.length > 0 &&
  levels.every(
    (tile, k) => tile.length > 0 && tile.every(isExtent) && (k === 0 || tile.length <= levels[k - 1]!.length),
  )

/**
 * A tiling from its levels, outermost first.
 * Refuses no tile or a tile of rank 0, extents that are not positive integers, and ranks that grow.
 */
export const tiling = (levels: ReadonlyArray<Tile>): E.Either<Failure<TilingError>, Tiling> => {
  if (isTiling(levels)) return E.right(levels)
  if (levels.length === 0) return refuse('tile.empty', 'A tiling needs at least one tile, found none')
  const empty = levels.findIndex((tile) => tile.length === 0)
  if (empty >= 0)
    return refuse(
      'tile.empty',
      `Tile ${String(empty)} of the tiling has no dimensions, expected at least one`,
    )
  const bad = levels.find((tile) => !tile.every(isExtent))
  if (bad !== undefined)
    return refuse('tile.not-positive', `Tile extents must be positive integers, found ${showShape(bad)}`)
  return refuse(
    'tile.rank-increases',
    `Tiles must have a decreasing rank (equal ranks are fine), found ${levels.map(showShape).join('')}`,
  )
}

// ----------------------------------------------------------------------------------------- destructors

/** The tile of the first level: the unit that slices must respect. */
export const baseTile = (levels: Tiling): Tile => levels[0]!

/** Number of dimensions of the array that the tiling cuts. */
export const tiledRank = (levels: Tiling): number => levels[0]!.length

export const showTiling = (levels: ReadonlyArray<Tile>): string => levels.map(showShape).join('')

/**
 * For an array of this rank: which dimensions of the tiled shape each array dimension became, major to minor.
 * `dimensionChains(2, (8,64))` is `[[0, 2], [1, 3]]`.
 */
export const dimensionChains = (
  rank: number,
  levels: ReadonlyArray<Tile>,
): ReadonlyArray<ReadonlyArray<number>> => {
  let order: ReadonlyArray<readonly [dimension: number, level: number]> = Array.from(
    { length: rank },
    (_, d) => [d, 0],
  )
  for (const tile of levels) {
    const kept = order.slice(0, order.length - tile.length)
    const cut = order.slice(order.length - tile.length)
    order = [...kept, ...cut, ...cut.map(([d, level]): readonly [number, number] => [d, level + 1])]
  }
  const chains: number[][] = Array.from({ length: rank }, () => [])
  order.forEach(([d, level], position) => {
    chains[d]![level] = position
  })
  return chains
}

// ----------------------------------------------------------------------------------------- combinators

const tileOnce = (tile: Tile, shape: Shape): E.Either<Failure<TileShapeError>, Shape> => {
  if (tile.length > shape.length)
    return refuse(
      'tile.rank',
      `Tile ${showShape(tile)} has rank ${String(tile.length)}, but the shape ${showShape(shape)} has only rank ${String(shape.length)}`,
    )
  const from = shape.length - tile.length
  const k = tile.findIndex((t, j) => shape[from + j]! % t !== 0)
  if (k >= 0)
    return refuse(
      'tile.not-divisible',
      `Tile ${showShape(tile)} does not apply to shape ${showShape(shape)}: dimension ${String(from + k)} is ${String(shape[from + k])}, not divisible by ${String(tile[k])}`,
    )
  return E.right([...shape.slice(0, from), ...tile.map((t, j) => shape[from + j]! / t), ...tile])
}

/** Shape after the cut. Refuses a tile of higher rank than the shape and extents that a tile does not divide. */
export const tileShape =
  (levels: Tiling) =>
  (shape: Shape): E.Either<Failure<TileShapeError>, Shape> => {
    let result: E.Either<Failure<TileShapeError>, Shape> = E.right(shape)
    for (const tile of levels) result = E.chain((s: Shape) => tileOnce(tile, s))(result)
    return result
  }

/** The shape that was cut. Refuses a shape whose last dimensions are not those of the tiles. */
export const untileShape =
  (levels: Tiling) =>
  (tiled: Shape): E.Either<Failure<UntileShapeError>, Shape> => {
    let shape = tiled
    for (let level = levels.length - 1; level >= 0; level--) {
      const tile = levels[level]!
      const r = tile.length
      if (shape.length < 2 * r)
        return refuse(
          'tile.rank',
          `A shape tiled by ${showShape(tile)} has at least rank ${String(2 * r)}, found ${showShape(shape)}`,
        )
      const at = shape.length - 2 * r
      if (!sameShape(shape.slice(at + r), tile))
        return refuse(
          'tile.not-tiled',
          `Expected a shape that ends in the tile ${showShape(tile)}, found ${showShape(shape)}`,
        )
      shape = [...shape.slice(0, at), ...tile.map((t, k) => shape[at + k]! * t)]
    }
    return E.right(shape)
  }

/** Where an element of the array stands in the tiled array. The index must be inside the array. */
export const tileIndex =
  (levels: ReadonlyArray<Tile>) =>
  (index: Index): Index => {
    let result = index
    for (const tile of levels) {
      const from = result.length - tile.length
      const suffix = result.slice(from)
      result = [
        ...result.slice(0, from),
        ...suffix.map((i, k) => Math.floor(i / tile[k]!)),
        ...suffix.map((i, k) => i % tile[k]!),
      ]
    }
    return result
  }

/** Which element of the array stands at this index of the tiled array. */
export const untileIndex =
  (levels: ReadonlyArray<Tile>) =>
  (tiled: Index): Index => {
    let result = tiled
    for (let level = levels.length - 1; level >= 0; level--) {
      const tile = levels[level]!
      const r = tile.length
      const at = result.length - 2 * r
      const inner = result
      result = [...inner.slice(0, at), ...tile.map((t, k) => inner[at + k]! * t + inner[at + r + k]!)]
    }
    return result
  }

/** Strides of the tiled dimensions, given those of the array: a quotient steps over a whole tile. */
export const tileStrides =
  (levels: ReadonlyArray<Tile>) =>
  (strides: ReadonlyArray<number>): ReadonlyArray<number> => {
    let result = strides
    for (const tile of levels) {
      const from = result.length - tile.length
      const suffix = result.slice(from)
      result = [...result.slice(0, from), ...suffix.map((s, k) => s * tile[k]!), ...suffix]
    }
    return result
  }

/**
 * The canonical tiling: no level after the first that cuts nothing, and no leading ones in a later level
 * (a level of ones only becomes the tile `(1,)`). The first level stays as it is: it defines the base tile.
 */
export const canonicalTiling = (levels: Tiling): Tiling => {
  const kept: Tile[] = [levels[0]!]
  for (const tile of levels.slice(1)) {
    const first = tile.findIndex((t) => t !== 1)
    const stripped = first < 0 ? [1] : tile.slice(first)
    const around = kept[kept.length - 1]!
    if (!sameShape(around.slice(around.length - stripped.length), stripped)) kept.push(stripped)
  }
  // Stripping and dropping keep ranks from growing, so the guard only attaches the evidence.
  return isTiling(kept) ? kept : levels
}

// ------------------------------------------------------------------------------------------- instances

export const sameTiling = (a: ReadonlyArray<Tile>, b: ReadonlyArray<Tile>): boolean =>
  a.length === b.length && a.every((tile, k) => sameShape(tile, b[k]!))
