/**
 * Fences, what does nothing, and traps: what touches neither memory nor barriers.
 */
import { changes, untouched, weak, type Family } from '../machine/family.js'
import { effect, type Effect, type Executing } from '../machine/effect.js'
import type { Prepared } from '../machine/operation.js'
import type { Machine } from '../machine/state.js'
import { fault } from '../machine/value.js'

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
