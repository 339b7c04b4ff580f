/**
 * The core: programs, the machine that runs them, the log of a run, and what is judged from a log.
 *
 *     syntax      types, expression, instruction, program, builder, codec, print, validate
 *     machine     launch, step, policy, run, schedule
 *     judgement   log, trace, detector, provenance, check, verdict
 *     all schedules            explore, and of skeletons: naive
 */
export * as axioms from './axioms/index.js'
export * as builder from './writing/builder.js'
export * as codec from './files/codec.js'
export * as detector from './judging/detector/index.js'
export * as expression from './language/expression.js'
export * as instruction from './language/instruction.js'
export * as launch from './execution/launch.js'
export * as link from './language/link.js'
export * as log from './log/events.js'
export * as mending from './mending/index.js'
export * as mutation from './mutation/index.js'
export * as naive from './schedules/naive/index.js'
export * as place from './language/place.js'
export * as policy from './execution/policy.js'
export * as print from './language/print.js'
export * as program from './language/program.js'
export * as provenance from './judging/provenance/index.js'
export * as run from './execution/run.js'
export * as step from './execution/step.js'
export * as trace from './files/trace/index.js'
export * as types from './language/types.js'
export * as validate from './language/validate.js'
export {
  defaultExplore,
  explore,
  kinds,
  type Exploration,
  type ExploreOptions,
  type Found,
} from './schedules/explore/index.js'
export { check, standardOptions, type Check, type CheckOptions, type Checked } from './verdict/check.js'
export type {
  Condition,
  Conditions,
  Finding,
  HazardId,
  Judgement,
  MissingEdge,
  Severity,
} from './judging/finding.js'
export type { Program } from './language/program.js'
export { readSchedule, replaying } from './files/schedule.js'
export type { ReplayableFinding, Verdict, VerdictName } from './judging/verdict.js'
