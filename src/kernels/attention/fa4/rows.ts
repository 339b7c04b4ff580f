/**
 * A row in a thread: how tiles of tensor memory lie in the registers of a warpgroup.
 *
 * Thread t of a warpgroup has row t, as tcgen05.ld 32x32b brings it: a reduction of a row stays in its thread, and a statistic meets its row without
 * a shuffle.
 *
 * | layout   | of                                | is                        |
 * |----------|-----------------------------------|---------------------------|
 * | `pairs`  | S, P, O: columns two at a time    | TMEM_NATIVE(2)            |
 * | `single` | a column                          | TMEM_NATIVE(1)            |
 * | `row`    | a statistic, one number a row     | TMEM_NATIVE(1).reduce(1)  |
 *
 * Source: Mojo, mha_sm100_2q (softmax: one thread a row); PTX ISA, tcgen05.ld.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as Tiled from '../../../layouts/tiled.js'
import * as B from '../../../semantics/writing/builder.js'
import { broadcast, expandDims, type Tile } from '../../../semantics/language/expression.js'
import { tileRows } from './model.js'

export interface Rows {
  readonly pairs: Tiled.TiledLayout
  readonly single: Tiled.TiledLayout
  readonly row: Tiled.TiledLayout
}

export const rowsLayout: B.Build<Rows> = B.fromEither(
  pipe(
    E.Do,
    E.bind('pairs', () => Tiled.TMEM_NATIVE(2)),
    E.bind('single', () => Tiled.TMEM_NATIVE(1)),
    E.bindW('row', ({ single }) => Tiled.reduce([1])(single)),
  ),
)

/** A column beside itself. */
export const across = (column: Tile<'f32', 2>, columns: number, { pairs }: Rows): Tile<'f32', 2> =>
  broadcast(column, [tileRows, columns], pairs)

/** A statistic as a column. */
export const asColumn = (statistic: Tile<'f32', 1>, { single }: Rows): Tile<'f32', 2> =>
  expandDims(statistic, 1, single)
