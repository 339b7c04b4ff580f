/**
 * The machine on a schedule of a skeleton.
 *
 * `follow` is a policy for the embedded program: it makes the machine take the steps that a walk through the skeleton
 * took, in the same order, and refuses where the machine does not offer one. What the skeleton does not have (the prologue,
 * agents that only fill up a CTA) goes first, as soon as it can. A choice may be several events: a rendezvous
 * is the arrivals of all members and then their departures; a wgmma is its fence and the product.
 *
 *     choice          events of the machine
 *     x0.3            all events of operation 3 of agent 0
 *     p0.3.1          the next stage of what operation 3 of agent 0 issued, in its second destination
 *     q0, w0          the head of the queue
 *
 * Laws
 * 1. The machine offers every step that a walk takes, and nothing is offered where a walk finds nothing.
 */
import type { AnyPolicy, Policy } from '../../execution/policy.js'
import type { Offered } from '../../execution/step.js'
import type { Embedded } from './embed.js'
import type { Choice, Op, Skeleton } from './skeleton.js'

/** Where the policy stands: a choice, and how many of its events have happened. */
interface Progress {
  readonly choice: number
  readonly done: number
}

/** The events of one choice, in order of preference: for each, agents of the machine with program-order indices. */
interface Expected {
  readonly count: number
  readonly operation: boolean
  readonly part: number
  readonly events: ReadonlyArray<readonly [agent: number, at: number]>
}

const expectedOf = (skeleton: Skeleton, embedded: Embedded, choice: Choice): Expected => {
  const op = skeleton.agents[choice.agent]!.ops[choice.op]!
  const at = (x: number, i: number): ReadonlyArray<readonly [number, number]> =>
    embedded.events[x]![i]!.map((k) => [embedded.agents[x]!, k])
  if (choice._tag !== 'agent')
    return {
      count: 1,
      operation: true,
      part: choice._tag === 'operation' ? choice.part : 0,
      events: at(choice.agent, choice.op),
    }
  const events =
    op._tag === 'rendezvous'
      ? op.members.flatMap((y) => at(y, turnOf(skeleton, choice, op.id, y)))
      : at(choice.agent, choice.op)
  return { count: events.length, operation: false, part: 0, events }
}

/** The operation of `member` that meets the choice: the rendezvous with this id that is as many-th there. */
const turnOf = (skeleton: Skeleton, choice: Choice, id: string, member: number): number => {
  const here = skeleton.agents[choice.agent]!.ops
  const turn = here.slice(0, choice.op).filter((o) => o._tag === 'rendezvous' && o.id === id).length
  const there = skeleton.agents[member]!.ops.flatMap((o, i) =>
    o._tag === 'rendezvous' && o.id === id ? [i] : [],
  )
  return there[turn] ?? 0
}

/** The machine follows `schedule`; where that has ended, whatever is offered is refused. */
export const follow = (
  skeleton: Skeleton,
  embedded: Embedded,
  schedule: ReadonlyArray<Choice>,
): AnyPolicy => {
  const expected = schedule.map((choice) => expectedOf(skeleton, embedded, choice)).filter((e) => e.count > 0)
  const keys = (kept: (op: Op) => boolean): ReadonlySet<string> =>
    new Set(
      embedded.events.flatMap((ops, x) =>
        ops.flatMap((of, i) =>
          kept(skeleton.agents[x]!.ops[i]!)
            ? of.map((at) => `${String(embedded.agents[x])}:${String(at)}`)
            : [],
        ),
      ),
    )
  const own = keys(() => true)
  const meets = keys((op) => op._tag === 'rendezvous')
  const keyOf = (o: Offered): string => `${String(o.key.agent)}:${String(o.key.at)}`
  // of an agent or of what the prologue has issued
  const foreign = (o: Offered): boolean => !own.has(keyOf(o))
  const policy: Policy<Progress> = {
    name: 'follow',
    init: { choice: 0, done: 0 },
    choose: (state, offered) => {
      const aside = offered.findIndex(foreign)
      if (aside >= 0) return [aside, state]
      const now = expected[state.choice]
      // a member that no other will meet still arrives
      const early = now === undefined ? offered.findIndex((o) => meets.has(keyOf(o))) : -1
      if (now === undefined) return [early < 0 ? null : early, state]
      const taken = offered.findIndex(
        (o) =>
          (o.operation !== null) === now.operation &&
          (!now.operation || o.key.part === now.part) &&
          now.events.some(([agent, at]) => o.key.agent === agent && o.key.at === at),
      )
      const last = state.done + 1 === now.count
      return [
        taken < 0 ? null : taken,
        last ? { choice: state.choice + 1, done: 0 } : { choice: state.choice, done: state.done + 1 },
      ]
    },
  }
  return (k) => k(policy)
}
