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
import { refuse } from '../../failure.js'
import type { ComplementError } from './complement.js'
import { complement } from './complement.js'
import type { CompositionError } from './composition.js'
import { composition } from './composition.js'
import type { Unzipped } from './divide.js'
import { unzip } from './divide.js'
import type { IntTuple, ShapeError } from './int-tuple.js'
import { ceilDiv, sizes } from './int-tuple.js'
import type { Layout } from './layout.js'
import { appendTo, cosize, fromModes, modes, orderedLayout, rank, size } from './layout.js'
import type { Tiler } from './tiler.js'

export type ProductError = CompositionError | ComplementError | 'cute.tile-modes'

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

/** (A, copies), mode by mode for a tile. */
export const logicalProduct = (a: Layout, by: Tiler): E.Either<Failure<ProductError>, Layout> => {
  switch (by._tag) {
    case 'layout': {
      const copied = copies(a, by, [by])
      return E.isLeft(copied) ? copied : E.right(fromModes([a, ...copied.right]))
    }
    case 'full':
      return E.right(a)
    case 'tile': {
      const all = modes(a)
      if (by.modes.length > all.length)
        return refuse(
          'cute.tile-modes',
          `The tile has ${String(by.modes.length)} modes, the layout that it repeats only ${String(all.length)}`,
        )
      const out: Layout[] = []
      for (const [i, mode] of all.entries()) {
        const inner = i < by.modes.length ? logicalProduct(mode, by.modes[i]!) : E.right(mode)
        if (E.isLeft(inner)) return inner
        out.push(inner.right)
      }
      return E.right(fromModes(out))
    }
  }
}

const regroup =
  (form: (parts: Unzipped) => ReadonlyArray<Layout>) =>
  (a: Layout, by: Tiler): E.Either<Failure<ProductError>, Layout> => {
    const product = logicalProduct(a, by)
    if (E.isLeft(product)) return product
    const parts = unzip(product.right, by)
    return E.isLeft(parts) ? parts : E.right(fromModes(form(parts.right)))
  }

/** ((blocks), (copies)). */
export const zippedProduct: (a: Layout, by: Tiler) => E.Either<Failure<ProductError>, Layout> = regroup(
  ({ tile, rest }) => [tile, rest],
)

/** ((blocks), copy, copy, ...). */
export const tiledProduct: (a: Layout, by: Tiler) => E.Either<Failure<ProductError>, Layout> = regroup(
  ({ tile, rest }) => [tile, ...modes(rest)],
)

/** (block, block, ..., copy, copy, ...). */
export const flatProduct: (a: Layout, by: Tiler) => E.Either<Failure<ProductError>, Layout> = regroup(
  ({ tile, rest }) => [...modes(tile), ...modes(rest)],
)

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
