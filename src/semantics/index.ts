/**
 * The core: programs, the machine that runs them, the log of a run, and what is judged from a log.
 *
 *     syntax      types, expression, instruction, program, builder, codec, print, validate
 *     machine     launch, step, policy, run, schedule
 *     judgement   log, trace, detector, provenance, check, verdict
 *     all schedules            explore, and of skeletons: naive
 */
export * as builder from './builder.js'
export * as codec from './codec.js'
export * as detector from './detector/index.js'
export * as expression from './expression.js'
export * as instruction from './instruction.js'
export * as launch from './launch.js'
export * as link from './link.js'
export * as log from './log.js'
export * as mutation from './mutation/index.js'
export * as naive from './naive/index.js'
export * as place from './place.js'
export * as policy from './policy.js'
export * as print from './print.js'
export * as program from './program.js'
export * as provenance from './provenance/index.js'
export * as run from './run.js'
export * as step from './step.js'
export * as trace from './trace/index.js'
export * as types from './types.js'
export * as validate from './validate.js'
export {
  defaultExplore,
  explore,
  kinds,
  type Exploration,
  type ExploreOptions,
  type Found,
} from './explore/index.js'
export { check, standardOptions, type Check, type CheckOptions, type Checked } from './check.js'
export type { Condition, Conditions, Finding, HazardId, Judgement, MissingEdge, Severity } from './finding.js'
export type { Program } from './program.js'
export { readSchedule, replaying } from './schedule.js'
export type { ReplayableFinding, Verdict, VerdictName } from './verdict.js'
