/** Operations that are done if an operand says so: `params.predicate` tells that there is one, the last operand. */
import type { Steps } from '../../../semantics/writing/builder.js'
import type { Condition } from '../../../semantics/language/expression.js'
import type { Eqn } from '../document.js'
import type { Here } from '../here.js'
import { conditionOperand, flag, operandCount } from '../operands.js'

/** The predicate of an operation that has one. */
export const predicateOf = function* (h: Here, eqn: Eqn): Steps<{ readonly predicate?: Condition }> {
  return flag(eqn, 'predicate') ? { predicate: yield* conditionOperand(h, eqn, operandCount(eqn) - 1) } : {}
}

/** The same, of operations that take it as what surrounds them. */
export const whenOf = function* (h: Here, eqn: Eqn): Steps<{ readonly when?: Condition }> {
  const { predicate } = yield* predicateOf(h, eqn)
  return predicate === undefined ? {} : { when: predicate }
}
