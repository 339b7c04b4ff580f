/**
 * `planar_snake`: a walk through a grid of two dimensions that stays near where it was.
 *
 * The minor dimension is cut into tiles, `tileWidth` wide; the last one may be narrower. The walk goes through tile after tile, in each along the
 * major dimension with all of the tile's width at every place, and turns round from one tile to the next.
 *
 *     (5, 5), minor dimension 0, tiles 3 wide        rows 0 to 2 are a tile, rows 3 and 4 another, walked backwards
 *      0  3  6  9 12
 *      1  4  7 10 13
 *      2  5  8 11 14
 *     23 21 19 17 15
 *     24 22 20 18 16
 *
 * With M the major extent, W the width, T = step / (W M) the tile, w its own width (W, or what is left over), and r the steps since the last
 * tile of full width if it is the narrower one (else the step itself): minor = T W + r mod w; q = (r / w) mod M; major = q if T is even, M - 1 - q
 * if it is odd.
 *
 * Said once, for numbers and for expressions.
 *
 * Laws
 * 1. A bijection from 0 .. m n - 1 to the places of an (m, n) grid.
 * 2. The expression has the value of the number.
 * 3. From one step to the next it moves within the width of a tile, and by at most one along the major dimension.
 *
 * Names: `plgpu.planar_snake(lin_idx, shape, minor_dim, tile_width)`.
 *
 * Source: JAX docs, Pallas:MGPU, `planar_snake`.
 */
import * as E from 'fp-ts/lib/Either.js'
import { fromEither, type Build } from '../../semantics/writing/builder.js'
import {
  add,
  eq,
  i32,
  lt,
  mul,
  quo,
  rem,
  select,
  sub,
  type Condition,
  type Int,
} from '../../semantics/language/expression.js'
import { type Failure } from '../../failure.js'
import { refuse } from './codes.js'

// ---------------------------------------------------------------- model

/** The dimension whose tiles are visited one after the other. */
export type MinorDim = 0 | 1

/** What the walk is computed with. */
interface Arithmetic<N, C> {
  readonly constant: (n: number) => N
  readonly add: (x: N, y: N) => N
  readonly sub: (x: N, y: N) => N
  readonly mul: (x: N, y: N) => N
  readonly quo: (x: N, y: N) => N
  readonly rem: (x: N, y: N) => N
  readonly less: (x: N, y: N) => C
  readonly equal: (x: N, y: N) => C
  readonly select: (c: C, x: N, y: N) => N
}

const numbers: Arithmetic<number, boolean> = {
  constant: (n) => n,
  add: (x, y) => x + y,
  sub: (x, y) => x - y,
  mul: (x, y) => x * y,
  quo: (x, y) => Math.trunc(x / y),
  rem: (x, y) => x % y,
  less: (x, y) => x < y,
  equal: (x, y) => x === y,
  select: (c, x, y) => (c ? x : y),
}
const expressions: Arithmetic<Int, Condition> = {
  constant: i32,
  add,
  sub,
  mul,
  quo,
  rem,
  less: lt,
  equal: eq,
  select,
}

// ---------------------------------------------------------------- the walk

/** Steps of a tile. */
const mostSteps = 2 ** 31 - 1

const legal = (
  shape: readonly [number, number],
  minorDim: MinorDim,
  tileWidth: number,
): E.Either<Failure, null> => {
  for (const [what, n] of [
    ['dimension 0 of the shape', shape[0]],
    ['dimension 1 of the shape', shape[1]],
    ['tile_width', tileWidth],
  ] as const)
    if (!Number.isInteger(n) || n < 1)
      return refuse(
        'pallas.planar_snake.shape',
        `planar_snake of shape (${shape.join(', ')}), minor_dim ${String(minorDim)}: ${what} is ${String(n)}, expected a positive integer`,
      )
  const most = Math.floor(mostSteps / shape[1 - minorDim]!)
  return tileWidth <= most
    ? E.right(null)
    : refuse(
        'pallas.planar_snake.shape',
        `planar_snake of shape (${shape.join(', ')}), minor_dim ${String(minorDim)}: tile_width is ${String(tileWidth)}, expected at most ${String(most)}: the steps of a tile are counted in 32 bits`,
      )
}

const walk =
  <N, C>(a: Arithmetic<N, C>) =>
  (step: N, shape: readonly [number, number], minorDim: MinorDim, tileWidth: number): readonly [N, N] => {
    const major = minorDim === 0 ? shape[1] : shape[0]
    const minor = shape[minorDim]
    const of = a.constant
    const tile = a.quo(step, of(tileWidth * major))
    const within = (since: N, width: number): readonly [minor: N, major: N] => {
      const along = a.rem(a.quo(since, of(width)), of(major))
      const turned = a.sub(of(major - 1), along)
      return [
        a.add(a.mul(tile, of(tileWidth)), a.rem(since, of(width))),
        a.select(a.equal(a.rem(tile, of(2)), of(0)), along, turned),
      ]
    }
    const full = Math.floor(minor / tileWidth)
    const steps = full * tileWidth * major
    const left = minor - full * tileWidth
    const wide = within(step, tileWidth)
    // without tiles of one kind there is nothing to choose, and no width of zero to divide by
    const narrow = left === 0 ? wide : within(a.sub(step, of(steps)), left)
    const isWide = a.less(step, of(steps))
    const at =
      left === 0
        ? wide
        : full === 0
          ? narrow
          : ([0, 1] as const).map((k) => a.select(isWide, wide[k], narrow[k]))
    return minorDim === 0 ? [at[0]!, at[1]!] : [at[1]!, at[0]!]
  }

/** The place of a step, as numbers. Refuses extents and widths that are not positive. */
export const planarSnakeOf = (
  step: number,
  shape: readonly [number, number],
  minorDim: MinorDim,
  tileWidth: number,
): E.Either<Failure, readonly [number, number]> =>
  E.map(() => walk(numbers)(step, shape, minorDim, tileWidth))(legal(shape, minorDim, tileWidth))

/** `planar_snake(step, shape, minor_dim, tile_width)`. Refuses extents and widths that are not positive. */
export const planarSnake = (
  step: Int,
  shape: readonly [number, number],
  minorDim: MinorDim,
  tileWidth: number,
): Build<readonly [Int, Int]> =>
  fromEither(
    E.map(() => walk(expressions)(step, shape, minorDim, tileWidth))(legal(shape, minorDim, tileWidth)),
  )
