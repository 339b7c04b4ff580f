/**
 * Blocks of keys: which tiles of K and V a block of rows goes through, counted by every role for itself.
 *
 * All four roles must go through the same tiles, so each computes the same two numbers from the place of its block: the first tile in which some row
 * sees something, and how many there are. It is `blocksOf` of the mask with run-time rows. There is always one tile, if only of keys
 * that no row sees: the roles' loops begin with one that is peeled.
 *
 *     causal, 256 rows from 256 on, tiles of 128 keys, 512 keys     from 0, 4 tiles; whole for the rows 256 .. 383: tiles 0 and 1
 *
 * A tile that all rows of a warpgroup see whole is not masked; the last tile, where it reaches past the keys, always is.
 *
 * Laws
 * 1. `from` and `count` are those of `blocksOf`, but one tile at least.
 * 2. A tile that is not `whole` for a warpgroup's rows has a key that one of them does not see, or is past the last; the others have none.
 *
 * Source: Mojo, mha_mask (tile status); CUTLASS example 77 (trip counts).
 */
import {
  add,
  and,
  ge,
  i32,
  lt,
  max,
  min,
  mul,
  quo,
  sub,
  type Condition,
  type Int,
} from '../../../semantics/language/expression.js'
import type { Band } from '../mask.js'

// ---------------------------------------------------------------- model

export interface KeyBlocks {
  readonly from: Int
  readonly count: Int
}

// ---------------------------------------------------------------- arithmetic

const within = (x: Int, from: number, to: number): Int => min(max(x, i32(from)), i32(to))
const ceiling = (x: Int, size: number): Int => quo(add(x, i32(size - 1)), i32(size))
const times = (x: Int, n: number): Int => mul(x, i32(n))

/** Tiles for the rows [first, first + rows), of which the last exist only up to `q`. */
export const keyBlocks = (
  { lo, hi }: Band,
  lengths: { readonly q: number; readonly kv: number },
  size: number,
  first: Int,
  rows: number,
): KeyBlocks => {
  const { q, kv } = lengths
  const all = Math.ceil(kv / size)
  const last = min(add(first, i32(rows - 1)), i32(q - 1))
  const from =
    lo === -Infinity ? i32(0) : min(quo(within(add(first, i32(lo)), 0, kv), i32(size)), i32(all - 1))
  const to = hi === Infinity ? i32(all) : ceiling(within(add(last, i32(hi + 1)), 0, kv), size)
  return { from, count: lo === -Infinity && hi === Infinity ? i32(all) : max(sub(to, from), i32(1)) }
}

/** Does every row of [first, first + rows) see all of tile `block`? */
export const isWhole = (
  { lo, hi }: Band,
  lengths: { readonly q: number; readonly kv: number },
  size: number,
  first: Int,
  rows: number,
  block: Int,
): Condition => {
  const { q, kv } = lengths
  const start = times(block, size)
  const last = min(add(first, i32(rows - 1)), i32(q - 1))
  const inside = lt(start, i32(kv - size + 1))
  const above = lo === -Infinity ? inside : and(inside, ge(start, add(last, i32(lo))))
  return hi === Infinity ? above : and(above, lt(add(start, i32(size - 1)), add(first, i32(hi + 1))))
}
