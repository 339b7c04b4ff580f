/**
 * What instructions do, as far as a change of them is asked: which order, which move data; the others compute.
 *
 * What orders is of the class *synchronisation*; loads, stores, copies and products are of the class *data*. Of a load or a store with an order the order is
 * synchronisation, what it moves is data. The table of opcodes says what each does (`opcodes/acts.ts`).
 */
import type { MutantClass } from '../../../semantics/mutation/index.js'
import type { Ordering } from '../opcodes/acts.js'
import type { Resolved } from '../opcodes/resolve.js'

export type Kind =
  | Ordering
  /** loads, stores, copies, products */
  | 'access'

/** Memory of the launch or of a thread alone: what is there, no other thread changes. */
const isOwn = (r: Resolved): boolean => {
  const space = r.modifiers['space']
  return space === 'param' || space === 'local' || space === 'const'
}

/** What an instruction does; null of what only computes, and of what goes elsewhere. */
export const kindOf = (r: Resolved): Kind | null => {
  const { act } = r.form
  switch (act._tag) {
    case 'orders':
      return act.kind
    case 'accesses':
      return isOwn(r) ? null : 'access'
    case 'computes':
    case 'steers':
      return null
  }
}

export const classOf = (kind: Kind): MutantClass => (kind === 'access' ? 'data' : 'synchronisation')
