/**
 * What a check is asked, and what it gives: options, and a verdict with the runs that it speaks of.
 *
 * A verdict is a document, and goes to files as it is. What a caller wants besides (the world, the machine after the run, findings as data and not as words) stands
 * beside it and is never written, so the format of the document does not grow with what callers ask.
 *
 * Law 1. An option that is absent is the default that stands beside it, and nothing else depends on whether it is there.
 */
import type { OpenBytes } from './hardware.js'
import type * as E from 'fp-ts/lib/Either.js'
import type { Algebra } from '../../numerics/algebra.js'
import { unit } from '../../numerics/unit.js'
import type { Options } from '../judging/detector/index.js'
import type { Blocked, Diagnosis } from '../judging/finding.js'
import { noArguments, type Arguments } from '../execution/launch.js'
import type { Machine } from '../machine/state.js'
import type { World } from '../machine/world.js'
import type { Budget } from './budget.js'
import type { Foreseen } from './foresight.js'
import * as Policy from '../execution/policy.js'
import type { AnyPolicy } from '../execution/policy.js'
import type { Program } from '../language/program.js'
import type { Refusal } from '../language/refusal.js'
import * as Run from '../execution/run.js'
import type { Bounds } from './confirm.js'
import type { EventKey, Fault } from '../execution/step.js'
import type { Verdict } from '../judging/verdict.js'

export interface CheckOptions {
  readonly settings: Readonly<Record<string, string | number | boolean>>
  readonly algebra: Algebra
  readonly arguments: Arguments
  /** the schedule of the run that decides or is explored from */
  readonly policy: AnyPolicy
  /** contract notes become errors */
  readonly strict: boolean
  /** a proxy fence is demanded between a generic read and an async overwrite, too */
  readonly strictProxies: boolean
  /** where C3 alone fails, and of nothing that any agent looks at, that is told (`Checked.quiet`); absent: it is not */
  readonly quiet?: true
  /** how lanes of a warp are judged; absent: as threads (`detector/rules.ts`) */
  readonly lanes?: Options['lanes']
  /** judge the log (otherwise the run only computes) */
  readonly hazards: boolean
  /**
   * which unordered writes of one value are a note and no hazard (`same-value.ts`): of values that depend on inputs (the default), any, or none (the default
   * where `strict`)
   */
  readonly equalWrites?: 'of inputs' | 'any' | 'none'
  /** fold tile provenance over the log, when the program says what it computes */
  readonly provenance: boolean
  /** where one schedule does not decide, try directed ones and then all of them (`confirm.ts`) */
  readonly explore: boolean
  /** where a run gets stuck, or is refused half way, ask a few other schedules why, and whether they do; absent: as `explore` says */
  readonly askOthers?: boolean
  /** what that may cost, in events (`budget.ts`); absent: as much as its bounds let it */
  readonly budget?: Budget
  /** how far that search may go */
  readonly bounds?: Bounds
  /**
   * arguments of the launch whose sizes or values are a guess: a fault and a read of what nothing has written, which they may cause, then decide nothing, and an
   * output that is not written whole is a note. Absent: all were given
   */
  readonly guessed?: ReadonlyArray<string>
  /** run every cluster of a grid, also where some are known to be the same up to addresses (`classes.ts`); absent: one of each class, if that decides */
  readonly everyCluster?: boolean
  /** follow every order of waits and reads, also where some are known to come to the same (`schedules/outcomes/steady.ts`) */
  readonly everyOrder?: boolean
  /** look for the missing edge of the first findings (default true): it judges the log again for each candidate */
  readonly explain?: boolean
  /** told of the clusters that a run has done, in every run that is made */
  readonly progress?: Run.Progress
  readonly fuel: number
  /** asked before every cluster of a grid is run: the fuel for that, or why it is not begun; how long it will be is found out if that is asked (`foresight.ts`). Absent: `fuel` */
  readonly fuelFor?: (foreseen: () => Foreseen | null) => E.Either<Refusal, number>
}

/**
 * Everything that can be judged without inputs: every hazard, the claim of the program, and other schedules
 * if one does not decide.
 *
 * @example
 * ```ts
 * import { instanceOf, kernelNamed } from 'tensorcore-spec/kernels'
 * import { check, standardOptions } from 'tensorcore-spec/semantics'
 *
 * const kernel = kernelNamed('zoo/D2-strict')
 * const made = kernel._tag === 'Right' ? instanceOf(kernel.right, {}, []) : kernel
 * const verdict = (strict: boolean) => {
 *   const checked = made._tag === 'Right' ? check(made.right.program, { ...standardOptions, strict }) : made
 *   return checked._tag === 'Right' ? checked.right.verdict.verdict : checked.left.message
 * }
 * console.log(verdict(false), verdict(true)) // ok hazard
 * ```
 */
export const standardOptions: CheckOptions = {
  settings: {},
  algebra: unit,
  arguments: noArguments,
  policy: Policy.eager,
  strict: false,
  strictProxies: false,
  hazards: true,
  provenance: true,
  explore: true,
  fuel: Run.standardFuel,
}

/** What a verdict says in words, with what it is about as data (`judging/subject.ts`). */
export interface Reasons {
  /** the findings of the verdict, in its order */
  readonly findings: ReadonlyArray<Diagnosis>
  /** those of `waitFor` */
  readonly blocked: ReadonlyArray<Blocked>
  /** what ended the run that the verdict speaks of, if a fault did */
  readonly fault: Fault | null
}

/** A run that has come to its end: its place in the verdict's schedules, its events, and what is there after it. */
export interface Completed {
  readonly row: number
  readonly schedule: ReadonlyArray<EventKey>
  readonly machine: Machine
}

export interface Checked {
  readonly verdict: Verdict
  /** beside the verdict, and in no document */
  readonly reasons: Reasons
  readonly world: World
  /** how the first run ended */
  readonly outcome: Run.Outcome
  /** after the first run */
  readonly machine: Machine
  /** a run that completed, whose outputs are what the program computes: the first one, or where that gets stuck another that was tried; null: none did */
  readonly completed: Completed | null
  /** of the first run */
  readonly schedule: ReadonlyArray<EventKey>
  /** in which order lanes of a warp go on is open, and nothing else (`by-threads.ts`): what is left of the budget */
  readonly byLanes?: Budget
  /** the events of `verdict.schedules`, key by key */
  readonly recorded: ReadonlyArray<ReadonlyArray<EventKey>>
  /** findings of the first run were taken back, because what races stores the same, or is dropped */
  readonly excused?: true
  /** the first run has come to its end, has no finding, and of its conditions C3 alone fails, in generations of mbarriers that no agent looks at (`judging/detector/quiet.ts`) */
  readonly quiet?: true
  /** it is undecided, and no other schedule can decide it: what is open is no order of events (`who-runs.ts`, `hardware.ts`) */
  readonly beyondSchedules?: true
  /** bytes that hold what hardware alone knows (`hardware.ts`); absent: it was not asked, or the program keeps nothing of that */
  readonly open?: ReadonlyArray<OpenBytes>
}

/** Run and judge. Refuses a program that cannot be launched; everything else is in the verdict. */
export type Check = (program: Program, options: CheckOptions) => E.Either<Refusal, Checked>
