/**
 * Products: a layout repeated.
 *
 * A x B = (A, A* o B), A* the complement of A in size(A) cosize(B): the first mode is A itself, the second places copies of it, in the order
 * and at the distances that B says, into the gaps of A and after its end.
 *
 *     (2,2):(4,1) x 6:1      gap of A: 2:2, then 8 and on        ((2,2),(2,3)):((4,1),(2,8))
 *
 * `blocked` and `raked` match mode i of A with mode i of B instead: blocked keeps the copies of A whole, raked interleaves them. A layout with fewer
 * modes is padded with 1:0; raked leaves the padding out again.
 *
 *     (3,4):(4,1) with (2,5):(1,2)
 *       blocked   ((3,2),(4,5)):((4,12),(1,24))
 *       raked     ((2,3),(5,4)):((12,4),(24,1))
 *
 * `tileToShape` repeats an atom until it covers a shape, rounding up; `order` says in which order the modes advance.
 *
 * Laws
 * 1. Mode 0 of A x B is A; mode 1 has the shape of B up to refinement, and composed with A it is injective if both are.
 * 2. zipped, tiled, flat, blocked and raked products have the leaves of the logical one, up to order and padding.
 * 3. `tileToShape(A, s)` has in every mode A's extent times the number of tiles, and starts as A: its first tile is A.
 * 4. `tileToShape` of a compact atom is a bijection onto 0 .. size-1.
 *
 * Names: CuTe `logical_product`, `zipped_product`, `tiled_product`, `flat_product`, `blocked_product`, `raked_product`, `tile_to_shape`.
 * Where implementations differ: python/pycute divides when the second factor of a product is an integer; here, as in C++, n stands for n:1.
 * Source: CUTLASS, CuTe: layout algebra documentation, product.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import type { ByTileError, Operation } from './by-tile.js'
import { byTile, flat, tiled, zipped } from './by-tile.js'
import type { ComplementError } from './complement.js'
import { complement } from './complement.js'
import type { CompositionError } from './composition.js'
import { composition } from './composition.js'
import type { IntTuple, ShapeError } from './int-tuple.js'
import { ceilDiv, sizes } from './int-tuple.js'
import type { Layout } from './layout.js'
import { appendTo, cosize, fromModes, modes, orderedLayout, rank, size } from './layout.js'

export type ProductError = CompositionError | ComplementError | ByTileError

/** Where the copies go: A* o b, for every one of `places`. */
const copies = (
  a: Layout,
  b: Layout,
  places: ReadonlyArray<Layout>,
): E.Either<Failure<ProductError>, ReadonlyArray<Layout>> => {
  const star = complement(a, size(a) * cosize(b))
  if (E.isLeft(star)) return star
  const out: Layout[] = []
  for (const place of places) {
    const copy = composition(star.right, place)
    if (E.isLeft(copy)) return copy
    out.push(copy.right)
  }
  return E.right(out)
}

const multiply = (a: Layout, b: Layout): E.Either<Failure<ProductError>, Layout> => {
  const copied = copies(a, b, [b])
  return E.isLeft(copied) ? copied : E.right(fromModes([a, ...copied.right]))
}

/** (A, copies), mode by mode for a tile. */
export const logicalProduct: Operation<ProductError> = byTile(multiply)

/** ((blocks), (copies)). */
export const zippedProduct: Operation<ProductError> = zipped(logicalProduct)

/** ((blocks), copy, copy, ...). */
export const tiledProduct: Operation<ProductError> = tiled(logicalProduct)

/** (block, block, ..., copy, copy, ...). */
export const flatProduct: Operation<ProductError> = flat(logicalProduct)

/** Both factors with as many modes, and the copies of every mode. */
const paired = (
  a: Layout,
  b: Layout,
): E.Either<
  Failure<ProductError>,
  { readonly blocks: ReadonlyArray<Layout>; readonly copied: ReadonlyArray<Layout> }
> => {
  const most = Math.max(rank(a), rank(b))
  const copied = copies(a, b, modes(appendTo(b, most)))
  return E.isLeft(copied) ? copied : E.right({ blocks: modes(appendTo(a, most)), copied: copied.right })
}

/** ((A0, copies of mode 0), (A1, copies of mode 1), ...): every copy of A in one piece. */
export const blockedProduct = (a: Layout, b: Layout): E.Either<Failure<ProductError>, Layout> => {
  const pairs = paired(a, b)
  if (E.isLeft(pairs)) return pairs
  const { blocks, copied } = pairs.right
  return E.right(fromModes(blocks.map((block, i) => fromModes([block, copied[i]!]))))
}

/** ((copies of mode 0, A0), (copies of mode 1, A1), ...): the copies interleaved. */
export const rakedProduct = (a: Layout, b: Layout): E.Either<Failure<ProductError>, Layout> => {
  const pairs = paired(a, b)
  if (E.isLeft(pairs)) return pairs
  const { blocks, copied } = pairs.right
  return E.right(
    fromModes(
      blocks.map((block, i) =>
        i >= rank(a) ? copied[i]! : i >= rank(b) ? block : fromModes([copied[i]!, block]),
      ),
    ),
  )
}

/** `block` repeated until it covers `shape`; modes advance in the order given, the leftmost first by default. */
export const tileToShape = (
  block: Layout,
  shape: IntTuple,
  order?: IntTuple,
): E.Either<Failure<ProductError | ShapeError>, Layout> => {
  const target = sizes(shape)
  const padded = appendTo(block, target.length)
  const counts = ceilDiv(target, sizes(padded.shape))
  if (E.isLeft(counts)) return counts
  const grid = orderedLayout(counts.right, order ?? target.map((_, i) => i))
  return E.isLeft(grid) ? grid : blockedProduct(padded, grid.right)
}
