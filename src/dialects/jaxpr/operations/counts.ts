/** Counts: numbers that a wait or a request has. They stand as operands, and are known. */
import type { Steps } from '../../../semantics/writing/builder.js'
import { known } from '../../pallas/context.js'
import type { Eqn } from '../document.js'
import { refusedAt, type Here } from '../here.js'
import { intOperand } from '../operands.js'

/** Operand k, a number. */
export const countOperand = function* (h: Here, eqn: Eqn, k: number): Steps<number> {
  const found = known(yield* intOperand(h, eqn, k))
  return found ?? (yield* refusedAt(h, eqn, 'jaxpr.operand', 'a number that is known', 'a value of the run'))
}
