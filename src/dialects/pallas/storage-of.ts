/**
 * The storage that a view is of: what was allocated, seen through its slices, slots, transposes and reinterpretations.
 *
 *     slice(slot(acc_slots, i), ...)      acc_slots
 *
 * Law 1. A view of a storage, and every view made from it, has that storage; a view of a tensor parameter has none.
 */
import * as E from 'fp-ts/lib/Either.js'
import { build, type Build } from '../../semantics/writing/builder.js'
import type { ExprNode } from '../../semantics/language/expression.js'
import type { Storage } from '../../semantics/language/program.js'

const idOf = (e: ExprNode): string | null => {
  switch (e._tag) {
    case 'storage':
      return e.storage
    case 'slice':
    case 'slot':
    case 'transposeView':
    case 'reshapeView':
    case 'reinterpret':
    case 'remote':
      return idOf(e.of)
    default:
      return null
  }
}

/** What was allocated, or null. */
export const storageOf = (view: ExprNode): Build<Storage | null> =>
  build((state) => E.right([state.storage.get(idOf(view) ?? '') ?? null, state]))
