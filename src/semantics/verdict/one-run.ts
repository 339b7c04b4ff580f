/**
 * One run, judged: the log of one schedule, read by the detector and by provenance while the program runs.
 *
 *     run -> findings and conditions -> without races of equal values -> with what else strong reads may find
 *
 * The log is never kept: one run can have millions of events. What a second look needs is found by running the same schedule again. A short log that another question has
 * kept is read instead (`logged`): the classes of a grid are found by a run of one cluster (`classes.ts`), which is the run to be judged.
 *
 * A race between writes of one value is a note where it cannot be seen (`same-value.ts`). A result that depends on what a strong access finds is a finding of this run,
 * though it shows only in another (`otherwise.ts`).
 *
 * Law 1. The schedule that a run names replays it.
 */
import { detector, type Options } from '../judging/detector/index.js'
import type { Judgement } from '../judging/finding.js'
import type { Launched } from '../execution/launch.js'
import type { Source } from '../machine/source.js'
import type { Fold } from '../log/events.js'
import type { World } from '../machine/world.js'
import { otherwise } from './otherwise.js'
import { withoutEqualWrites } from './same-value.js'
import * as Policy from '../execution/policy.js'
import type { AnyPolicy } from '../execution/policy.js'
import type { provenance } from '../judging/provenance/index.js'
import * as Run from '../execution/run.js'
import type { Ran, Shown } from './confirm.js'
import { noted } from '../files/schedule.js'
import type { CheckOptions } from './checked.js'

const nullFold: Fold<null, null> = Run.ignore

export const judged = (
  launched: Launched,
  options: CheckOptions,
  detecting: Options,
  policy: AnyPolicy,
  proving: typeof provenance | null,
  ahead: boolean = true,
  logged: Run.Logged | null = null,
): Ran => {
  const { policy: listened, scheduleOf } = noted(policy)
  const { fuel } = options
  const bare: Run.Settings = { policy: listened, fuel, keepSchedule: true, transient: true, ahead }
  const how: Run.Settings =
    options.progress === undefined ? bare : Object.assign({ progress: options.progress }, bare)
  const { world, machine } = launched
  // the log may be there already, of a run that was taken for another question
  const ranWith = <S>(fold: Fold<S, Shown>): Run.Ran<Shown> =>
    (logged === null ? null : Run.heard(logged, world.header, fold)) ?? Run.run(world, machine, how, fold)
  const ran: Run.Ran<Shown> =
    options.hazards && proving !== null
      ? ranWith(Run.both(detector(detecting), proving))
      : options.hazards
        ? ranWith(Run.both(detector(detecting), nullFold))
        : proving !== null
          ? ranWith(Run.both(nullFold, proving))
          : ranWith(Run.both(nullFold, nullFold))
  return Object.assign({ replay: scheduleOf(ran.schedule) }, ran)
}

/** A run whose races between equal values are notes. */
export const withEqualWritesNoted = (
  source: Source,
  options: CheckOptions,
  detecting: Options,
  world: World,
  ran: Ran,
): Ran => {
  const [judgement, proof] = ran.result
  const which = options.equalWrites ?? (options.strict ? 'none' : 'of inputs')
  if (judgement === null || ran.outcome._tag !== 'completed' || which === 'none') return ran
  const left = withoutEqualWrites(
    source,
    options.arguments,
    options.fuel,
    world,
    ran.schedule,
    judgement,
    which,
    detecting,
  )
  const result: Shown = [left, proof]
  const isExcused =
    left.findings.length < judgement.findings.length || left.notes.length > judgement.notes.length
  return Object.assign({}, ran, { result }, isExcused ? { excused: true as const } : null)
}

export const isClean = ({ findings, conditions }: Judgement): boolean =>
  findings.length === 0 && Object.values(conditions).every(({ holds }) => holds)

/** Does a run leave nothing open but who joins which generation of those that no agent looks at? */
export const isQuiet = ({ outcome, excused, left, other, result: [judgement] }: Ran): boolean =>
  outcome._tag === 'completed' &&
  excused !== true &&
  left === undefined &&
  other === undefined &&
  judgement?.quiet === true &&
  judgement.findings.length === 0 &&
  !judgement.conditions.C3.holds &&
  (['C1', 'C2', 'C4', 'C5', 'C6'] as const).every((name) => judgement.conditions[name].holds)

/** A run in which the result depends on what a strong access finds says so. */
export const withOtherwise = (
  launched: Launched,
  options: CheckOptions,
  detecting: Options,
  ran: Ran,
  controlled: ReadonlySet<string> | null,
  again: (policy: AnyPolicy) => Ran,
): Ran => {
  const [judgement, proof] = ran.result
  if (judgement === null || ran.outcome._tag !== 'completed' || judgement.findings.length > 0) return ran
  const { found, ahead, left } = otherwise(launched, judgement, controlled, ran, options.fuel, detecting)
  for (const schedule of ahead) {
    const other = again(Policy.recorded(schedule))
    if (other.outcome._tag !== 'completed' || (other.result[0]?.findings.length ?? 0) > 0) return other
  }
  if (ahead.length > 0 && found === null)
    return Object.assign(
      { left: 'a read may take a later write of an agent that has read what its thread writes after it' },
      ran,
    )
  if (found === null) {
    const { behind } = judgement.otherwise
    const open =
      left ??
      (behind === null
        ? null
        : `${behind.agent} ${behind.site} may come before an atomic of an agent that has written what its own has read, and that order was not followed`)
    return open === null ? ran : Object.assign({ left: open }, ran)
  }
  const findings = [...judgement.findings, found.diagnosis]
  const result: Shown = [Object.assign({}, judgement, { findings }), proof]
  return Object.assign({}, ran, {
    result,
    other: {
      of: found.diagnosis,
      ran: found.schedule === ran.schedule ? ran : again(Policy.recorded(found.schedule)),
    },
  })
}
