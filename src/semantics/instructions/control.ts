/**
 * Fences, what does nothing, and traps: what touches neither memory nor barriers.
 *
 * Source: PTX ISA 9, "membar, fence", "trap".
 */
import type { InstructionOf } from '../language/instruction.js'
import type { Environment } from '../machine/environment.js'
import { changes, untouched, weak, type Family } from '../machine/family.js'
import { effect, longOperand, type Effect, type Executing } from '../machine/effect.js'
import type { Prepared } from '../machine/operation.js'
import type { Machine } from '../machine/state.js'
import { fault, isFault, type FaultValue } from '../machine/value.js'

const executeFence = (
  { stamp }: Executing,
  m: Machine,
  { kind, scope, over, sequential, half }: Extract<Prepared, { readonly _tag: 'fence' }>,
): Effect =>
  effect(m, [
    over !== undefined
      ? { _tag: 'fence', stamp, kind, scope, footprint: over.footprint }
      : sequential === true
        ? { _tag: 'fence', stamp, kind, scope, sequential: true }
        : half === undefined
          ? { _tag: 'fence', stamp, kind, scope }
          : { _tag: 'fence', stamp, kind, scope, half },
  ])

/** The words of a trap, with the values that they show. */
export const prepareTrap = (
  o: Environment,
  { why, left, right }: InstructionOf<'trap'>,
): Prepared | FaultValue => {
  const [l, r] = [
    left === undefined ? null : longOperand(o, 'left', left),
    right === undefined ? null : longOperand(o, 'right', right),
  ]
  if (l !== null && isFault(l)) return l
  if (r !== null && isFault(r)) return r
  const shown = (words: string, name: string, value: bigint | null): string =>
    value === null ? words : words.replaceAll(`{${name}}`, String(value))
  return {
    _tag: 'trap',
    why: why === undefined ? 'the program traps here' : shown(shown(why, 'left', l), 'right', r),
  }
}

export const acts: Family<'fence' | 'nothing' | 'trap'> = {
  fence: {
    execute: executeFence,
    waits: null,
    touches: untouched,
    does: (p) => (p.kind === 'memory' ? 'reads' : 'changes'),
    strong: weak,
  },
  nothing: {
    execute: (_, m, p) => effect(m, [], p.results),
    waits: null,
    touches: untouched,
    does: () => 'reads',
    strong: weak,
  },
  trap: {
    execute: (_, _m, p) => fault('trap', p.why),
    waits: null,
    touches: untouched,
    does: changes,
    strong: weak,
  },
}
