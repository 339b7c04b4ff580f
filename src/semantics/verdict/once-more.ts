/**
 * A run that was taken is gone once more, and each event is heard together with the machine behind its step.
 *
 *     schedule --again--> begun, its events; step, its events, the machine behind; ... --> was all of it so, to the end?
 *
 * A question of one run (`tickets`, `gates`, `lookbacks`) is a list of what must be so of every event, and of the machine between steps. The log of the first run
 * was never kept, and the machine is no part of a log. So each of them asks the run itself, and all in the same way. What is not so of one event is not so of the run: no later event is heard.
 *
 * Law 1. Where the answer is true, the run has come to its end, and every event and every step of it was so.
 */
import * as Run from '../execution/run.js'
import * as Policy from '../execution/policy.js'
import type { EventKey } from '../execution/step.js'
import type { LogEvent } from '../log/events.js'
import type { Launched } from '../machine/launch.js'
import type { Machine } from '../machine/state.js'

/** What must be so. */
export interface Asked {
  readonly ofEvent: (e: LogEvent) => boolean
  /** clusters have begun */
  readonly ofBeginning: (m: Machine) => boolean
  /** a step has been taken, its events were so, and this is the machine behind it */
  readonly ofStep: (m: Machine, key: EventKey) => boolean
  /** a machine is looked at when later steps have been taken */
  readonly keepsMachines: boolean
}

export const isSoAgain = (
  { world, machine }: Launched,
  schedule: ReadonlyArray<EventKey>,
  fuel: number,
  asked: Asked,
): boolean => {
  let isSo = true
  const { outcome } = Run.run(
    world,
    machine,
    {
      policy: Policy.recorded(schedule),
      fuel,
      keepSchedule: false,
      transient: !asked.keepsMachines,
      watch: {
        begun: (m, events) => {
          isSo = isSo && events.every(asked.ofEvent) && asked.ofBeginning(m)
        },
        stepped: (m, key, events) => {
          isSo = isSo && events.every(asked.ofEvent) && asked.ofStep(m, key)
        },
        ended: () => {
          isSo = false
        },
      },
    },
    Run.ignore,
  )
  return isSo && outcome._tag === 'completed'
}
