/**
 * Schedules: what a run chose, in as few words as replay it.
 *
 * A schedule is a text of one of two forms. A run that chose as a policy with a name chooses is that name, however long it was; only where no
 * name says it (a schedule from a file, or one that a search has found) the keys of its events are written, up to the last one that eager
 * would not have chosen.
 *
 *     eager                             the choices of a policy (`policy.ts`), from the first event to the last
 *     seeded:7
 *     starving:3:17,seeded:1
 *     eager 12=1:4/write.0              the same, but at step 12 (the first is 0) the event with this key
 *     0:1 1:1 0:2 1:4/write.0           the events with these keys (`step.ts`), then those that eager chooses
 *
 * | by hand: offered          | chosen | eager chooses | written so far |
 * |---------------------------|--------|---------------|----------------|
 * | 0:1, 1:1                  | 1:1    | 0:1           | 1:1            |
 * | 0:1, 1:2                  | 0:1    | 0:1           | 1:1            |
 * | 0:2, 1:2                  | 1:2    | 0:2           | 1:1 0:1 1:2    |
 * | 0:2, and so to the end    | 0:2    | 0:2           | 1:1 0:1 1:2    |
 *
 * Laws
 * 1. A run under the policy that `readSchedule` makes of a run's schedule is that run, event for event.
 * 2. The schedule of a run under a named policy is its name, whatever the length of the run.
 * 3. What is no schedule is refused: the first word that is neither, and its place.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../failure.js'
import * as Policy from '../execution/policy.js'
import type { AnyPolicy } from '../execution/policy.js'
import { showKey, type EventKey } from '../execution/step.js'
import type { ReplayableFinding, Verdict } from '../judging/verdict.js'
import { readKeys } from './schedule-text.js'

export { readKeys } from './schedule-text.js'

// ---------------------------------------------------------------- text

export const showKeys = (keys: ReadonlyArray<EventKey>): string => keys.map(showKey).join(' ')

/** The policy that replays a schedule. */
export const readSchedule = (text: string): E.Either<Failure<'schedule'>, AnyPolicy> => {
  const policy = Policy.named(text.trim())
  return policy === null ? pipe(readKeys(text), E.map(Policy.recorded)) : E.right(policy)
}

/** The policy that replays a finding of a verdict; null in a trace, which has no schedule but its own order. */
export const replaying = (
  { schedules }: Pick<Verdict, 'schedules'>,
  { schedule }: ReplayableFinding,
): E.Either<Failure<'schedule'>, AnyPolicy | null> =>
  schedule === null ? E.right(null) : readSchedule(schedules[schedule] ?? '')

// ---------------------------------------------------------------- of a run

/** A policy that is listened to while it chooses for one run. */
export interface Noted {
  /** it chooses as it did */
  readonly policy: AnyPolicy
  /** the schedule of the run, which took these events */
  readonly scheduleOf: (taken: ReadonlyArray<EventKey>) => string
}

export const noted = (policy: AnyPolicy): Noted =>
  policy((p) => {
    const own = Policy.named(p.name)
    return own === policy
      ? { policy, scheduleOf: () => p.name }
      : own === null
        ? compared(policy, null, Policy.eager)
        : compared(policy, p.name, own)
  })

/** Beside every choice, that of the policy with the name, and while it is another (or there is none) that of eager. */
const compared = (inner: AnyPolicy, name: string | null, own: AnyPolicy): Noted =>
  own((o) => {
    let [says, at] = [name !== null, o.init]
    let [chosen, differs] = [0, 0]
    return {
      policy: (k) =>
        inner((p) =>
          k({
            name: p.name,
            init: p.init,
            choose: (state, offered) => {
              const choice = p.choose(state, offered)
              chosen++
              if (says) {
                const [theirs, next] = o.choose(at, offered)
                at = next
                says = theirs === choice[0]
              }
              if (choice[0] !== Policy.eagerly(offered)) differs = chosen
              return choice
            },
          }),
        ),
      scheduleOf: (taken) =>
        says && name !== null ? name : differs === 0 ? 'eager' : showKeys(taken.slice(0, differs)),
    }
  })
