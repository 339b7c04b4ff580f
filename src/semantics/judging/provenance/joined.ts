/**
 * Reductions: the terms of elements that have joined what was there.
 *
 * A sum of floats or integers adds multisets: each side is a sum over rows and columns, the two agree on both, and the k's are those of both.
 * They stay two lists: each was rounded by itself, so nothing is said of the order in which a chain would add them.
 *
 *     {A[m, 0:64] B[0:64, n]} joined by {A[m, 64:128] B[64:128, n]}     {0:64, 64:128}: every k once, not in one chain
 *     zero joined by anything                                            the same
 *
 * A minimum, or a bit operation, is no sum of products.
 *
 * Law 1. `added` is commutative as a multiset, with `zero` neutral.
 */
import { columnOf, other, rowOf, sum, type Terms } from './terms.js'

/** What is there after `by` has been added to `old`, element by element. */
export const added = (old: Terms, by: Terms): Terms => {
  if (old._tag === 'other') return old
  if (by._tag === 'other') return by
  if (old._tag === 'zero') return by
  if (by._tag === 'zero') return old
  if (old._tag !== 'sum' || by._tag !== 'sum' || old.a !== by.a || old.b !== by.b || old.scaled !== by.scaled)
    return other('a reduction adds to something other than a sum of the same two tensors')
  const moved = old.rows.values.findIndex(
    (_, e) => rowOf(old, e) !== rowOf(by, e) || columnOf(old, e) !== columnOf(by, e),
  )
  return moved < 0
    ? sum(old.a, old.b, old.rows, old.row, old.columns, old.column, [...old.ks, ...by.ks], old.scaled)
    : other(
        `a reduction adds the sum for row ${String(rowOf(by, moved))} and column ${String(columnOf(by, moved))} to that for row ${String(rowOf(old, moved))} and column ${String(columnOf(old, moved))}`,
      )
}

/** By how the write joins what was there. */
export const joined = (combine: string, old: Terms, by: Terms): Terms =>
  combine === 'add'
    ? added(old, by)
    : combine === 'exchange'
      ? by
      : other(`a reduction by ${combine} is not a sum`)
