/**
 * Trees: the nesting that every CuTe object shares.
 *
 * A shape, a stride, a coordinate and an order are all the same thing: a value, or a tuple of such things. Two trees are
 * *congruent* when they nest alike; a tree is a *profile* of another when cutting the other at some of its nodes gives
 * the first one's nesting.
 *
 *     (4,(2,3))   rank 2   depth 2   leaves 4 2 3        (4) is a tuple of one: rank 1, depth 1; 4 has rank 1, depth 0
 *     (7,7) is a profile of (4,(2,3)) and so is 7; (7,(7,7),7) and ((7,7),7) are not
 *
 * Names: CuTe `IntTuple`, `congruent`, `weakly_congruent`, `rank`, `depth`, `flatten`.
 *
 * Laws
 * 1. `rank` of a leaf is 1, its depth 0; a tuple is one deeper than its deepest entry, and the empty tuple has depth 1.
 * 2. `leaves` lists left to right; `mapLeaves(f)` keeps the nesting and maps the list.
 * 3. `congruent` is an equivalence; `isProfile` is a partial order up to it, with every leaf below everything.
 *
 * Source: CUTLASS, CuTe: int_tuple and layout documentation.
 */

// ---------------------------------------------------------------------------------------------- model

/** A value or a tuple of trees. `A` is never an array. */
export type Tree<A> = A | ReadonlyArray<Tree<A>>

// ----------------------------------------------------------------------------------------- destructors

export const isTuple = <A>(tree: Tree<A>): tree is ReadonlyArray<Tree<A>> => Array.isArray(tree)

/** The entries of a tuple; a leaf counts as a tuple of itself. */
export const entries = <A>(tree: Tree<A>): ReadonlyArray<Tree<A>> => (isTuple(tree) ? tree : [tree])

export const rank = <A>(tree: Tree<A>): number => entries(tree).length

export const depth = <A>(tree: Tree<A>): number =>
  isTuple(tree) ? 1 + tree.reduce<number>((deepest, entry) => Math.max(deepest, depth(entry)), 0) : 0

/** All leaves, left to right. */
export const leaves = <A>(tree: Tree<A>): ReadonlyArray<A> =>
  isTuple(tree) ? tree.flatMap((entry) => leaves(entry)) : [tree]

/** The same nesting? */
export const congruent = <A, B>(a: Tree<A>, b: Tree<B>): boolean =>
  isTuple(a)
    ? isTuple(b) && a.length === b.length && a.every((entry, i) => congruent(entry, b[i]!))
    : !isTuple(b)

/** Is `a` what `b` becomes when some of its nodes are taken for leaves? */
export const isProfile = <A, B>(a: Tree<A>, b: Tree<B>): boolean =>
  !isTuple(a) || (isTuple(b) && a.length === b.length && a.every((entry, i) => isProfile(entry, b[i]!)))

// ----------------------------------------------------------------------------------------- combinators

export const mapLeaves =
  <A, B>(f: (leaf: A) => B) =>
  (tree: Tree<A>): Tree<B> =>
    isTuple(tree) ? tree.map(mapLeaves(f)) : f(tree)
