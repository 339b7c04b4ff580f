/**
 * Contested states: two conflicting accesses on offer at once.
 *
 * A race that a detector infers from missing order may be an artefact of a run whose barriers are ambiguous (C3, C4 or C6 fails). A state
 * that offers both accesses, at least one of them a write, to overlapping bytes is beyond argument: either may come first.
 *
 * The watch wraps a policy: it looks at what is offered before the policy chooses, and changes nothing. It sees what is offered and not
 * the machine, so which columns a dealloc would free is not asked.
 */
import { share } from '../machine/footprint.js'
import type { World } from '../machine/world.js'
import type { AnyPolicy, Policy } from '../execution/policy.js'
import { showKey, type Offered } from '../execution/step.js'
import { atomicTogether, ofOperation, ofReady } from '../execution/event-effects.js'
import type { MemoryTouch } from '../machine/touches.js'

interface Accesses {
  readonly key: string
  readonly agent: number
  readonly touches: ReadonlyArray<MemoryTouch>
}

const overlaps = (x: MemoryTouch, y: MemoryTouch): boolean =>
  x.footprint.plane === y.footprint.plane && share(x.footprint.spans, y.footprint.spans)

const conflicts = (world: World, a: Accesses, b: Accesses): boolean =>
  a.touches.some((x) =>
    b.touches.some(
      (y) =>
        (x.rw === 'w' || y.rw === 'w') && overlaps(x, y) && !atomicTogether(world, x, a.agent, y, b.agent),
    ),
  )

const accesses = (world: World, o: Offered): Accesses => {
  const all = o.operation === null ? ofReady(world, null, o.key.agent, o.ready) : ofOperation(o.operation)
  return {
    key: showKey(o.key),
    agent: o.key.agent,
    touches: all.flatMap((t) => (t._tag === 'memory' ? [t] : [])),
  }
}

/** The first two offered events that conflict: their keys. */
export const contestedPair = (world: World, offered: ReadonlyArray<Offered>): string | null => {
  const all = offered.map((o) => accesses(world, o)).filter((a) => a.touches.length > 0)
  for (let i = 0; i < all.length; i++)
    for (let j = 0; j < i; j++) {
      const [a, b] = [all[i]!, all[j]!]
      if (conflicts(world, a, b)) return `${b.key} and ${a.key}`
    }
  return null
}

export interface Watch {
  /** the same policy, watched */
  readonly policy: (inner: AnyPolicy) => AnyPolicy
  /** the first contested pair seen so far */
  readonly seen: () => string | null
}

/** The same policy, and `see` is shown what is on offer at each step. */
export const watched =
  (inner: AnyPolicy, see: (offered: ReadonlyArray<Offered>) => void): AnyPolicy =>
  <R>(k: <S>(policy: Policy<S>) => R): R =>
    inner((policy) =>
      k({
        name: policy.name,
        init: policy.init,
        choose: (state, offered) => {
          see(offered)
          return policy.choose(state, offered)
        },
      }),
    )

/** A watch remembers across the run that it watches; use one for each run. */
export const contested = (world: World): Watch => {
  let pair: string | null = null
  return {
    policy: (inner) =>
      watched(inner, (offered) => {
        pair ??= contestedPair(world, offered)
      }),
    seen: () => pair,
  }
}
