/**
 * Chains of products through one accumulator.
 *
 * A warp, or a warpgroup, issues product after product into the same registers and reads them after its last turn. Their sum is made when it is read: what is
 * made once for an accumulator, its way into vectors and back, is then made once for a chain and not for every link. The operands
 * are those of the moment at which a product is performed.
 *
 *     d = 0, d += a0 b0, d += a1 b1, read d      one chain of two links
 *
 * Laws
 * 1. What is made is the product of the links one after another (`numerics/algebra.ts`, law 8).
 * 2. A chain holds the operands of at most `mostLinks` products: a longer one begins again with what the first part made.
 */
import type { Link, MmaChain, MmaShape, MmaTypes } from '../../numerics/algebra.js'
import type { Coming } from '../machine/plane.js'

/** Enough for the accumulator's own work to be small; a matrix of 256 columns of 16 f16 is 32 kilobytes. */
export const mostLinks = 16

/** Products of one type and shape. */
interface Of extends MmaShape {
  readonly types: MmaTypes
}

/** What comes of a chain. */
interface Sum extends Coming {
  readonly of: Of
  readonly links: ReadonlyArray<Link>
  readonly first: Float64Array
}

const isSum = (x: Coming | null): x is Sum => x !== null && 'links' in x

const sumOf = (chain: MmaChain, of: Of, links: ReadonlyArray<Link>, first: Float64Array): Sum => {
  let known: Float64Array | null = null
  return { count: of.m * of.n, made: () => (known ??= chain(links, first)), of, links, first }
}

const isAlike = (x: Of, y: Of): boolean =>
  x === y ||
  (x.m === y.m &&
    x.n === y.n &&
    x.k === y.k &&
    x.types.a === y.types.a &&
    x.types.b === y.types.b &&
    x.types.acc === y.types.acc &&
    (x.types.acc === 'i32' && x.types.saturate) === (y.types.acc === 'i32' && y.types.saturate))

/** A link more: after what is to come, if that is a chain of the same products, else after `first`. */
export const further = (
  chain: MmaChain,
  of: Of,
  link: Link,
  coming: Coming | null,
  first: () => Float64Array,
): Coming =>
  isSum(coming) && coming.links.length < mostLinks && isAlike(coming.of, of)
    ? sumOf(chain, of, [...coming.links, link], coming.first)
    : sumOf(chain, of, [link], first())
