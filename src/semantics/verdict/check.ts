/**
 * Check: a program, run and judged.
 *
 * One run under one policy feeds the detector and provenance. If conditions C1 to C6 hold in it and nothing was found, it stands for every
 * schedule. A deadlock or a fault that it reached is real whatever the conditions say. A race that it found while C3, C4 or C6
 * failed is only a candidate, and a run without a finding while one of them failed decides nothing; then a few *directed* schedules
 * follow (each agent starved in turn, each operation of a finding starved in turn, eager, lazy, seeds), and what one of them
 * shows is real: a deadlock, a fault, a state that offers both accesses of a race, or a finding in a run whose conditions hold.
 *
 * Every finding says by which of the verdict's schedules it replays (`schedule.ts`).
 *
 * Laws
 * 1. the verdict is a function of program, arguments and options.
 * 2. replaying a finding's schedule gives a run with that finding.
 * 3. the first finding of each id stands before the second of any.
 * 4. under a policy with a name, nothing in a verdict but its numbers grows with the length of the run.
 */
import * as E from 'fp-ts/lib/Either.js'
import { refuse, unreachable, type Failure } from '../../failure.js'
import type { Algebra } from '../../numerics/algebra.js'
import { unit } from '../../numerics/unit.js'
import { actor, operation as operationOf } from '../judging/detector/report.js'
import { other } from '../judging/deed.js'
import { counted, thousands } from '../judging/counted.js'
import { defaults, detector, type Options, type Part } from '../judging/detector/index.js'
import { hazardIds, hazards } from '../judging/hazards.js'
import { ofColumns } from '../judging/subject.js'
import {
  added,
  behindConditions,
  candidates,
  decideRun,
  type Schedules,
  longestExplained,
  showAllBlocked,
  wanting,
  withMissing,
  type Ended,
} from '../judging/decision.js'
import {
  foremost,
  type Blocked,
  type Condition,
  type Conditions,
  type Diagnosis,
  type Judgement,
  type Remedy,
} from '../judging/finding.js'
import { noArguments, readTensor, sourceOf, type Arguments, type Launched } from '../execution/launch.js'
import type { Source } from '../machine/source.js'
import type { Fold } from '../log/events.js'
import { multiprocessors } from '../machine/multiprocessors.js'
import type { Machine } from '../machine/state.js'
import type { World } from '../machine/world.js'
import { affordable, priceOfRun, type Budget } from './budget.js'
import { classesOf, sourceVisiting, type Classes } from './classes.js'
import { foresee, type Foreseen } from './foresight.js'
import { otherwise } from './otherwise.js'
import { withoutEqualWrites } from './same-value.js'
import { oneGrouping, whoeverRuns } from './who-runs.js'
import * as Policy from '../execution/policy.js'
import type { AnyPolicy } from '../execution/policy.js'
import type { Program } from '../language/program.js'
import type { Refusal } from '../language/refusal.js'
import { layoutMismatch, provenance, provenanceOfClasses, type Kin } from '../judging/provenance/index.js'
import * as Run from '../execution/run.js'
import {
  byOutcomeAlone,
  byTickets,
  confirm,
  inNoOrder,
  inTurn,
  throughOutcomes,
  defaultBounds,
  unanswered,
  type Answer,
  type Bounds,
  type Decision,
  type Question,
  type Ran,
  type Shown,
} from './confirm.js'
import { noted } from '../files/schedule.js'
import { showKey, type EventKey, type Fault } from '../execution/step.js'
import {
  otherGrants,
  publishedConditions,
  replayable,
  verdictSchema,
  wayOf,
  type Provenance,
  type Searched,
  type Verdict,
} from '../judging/verdict.js'

// ---------------------------------------------------------------- model

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
  /** the events of `verdict.schedules`, key by key */
  readonly recorded: ReadonlyArray<ReadonlyArray<EventKey>>
  /** findings of the first run were taken back, because what races stores the same, or is dropped */
  readonly excused?: true
}

/** Run and judge. Refuses a program that cannot be launched; everything else is in the verdict. */
export type Check = (program: Program, options: CheckOptions) => E.Either<Refusal, Checked>

/** What the verdict of this program leaves out. */
const scopeOf = (world: World, { lanes }: CheckOptions): ReadonlyArray<string> => [
  ...(lanes === undefined ? [] : [withoutLanes[lanes]]),
  ...world.front.outside,
  ...(world.front.asksWhoRuns ? [oneGrouping] : []),
  ...(world.front.instructions.has('clc.tryCancel') ? [otherGrants] : []),
  ...beyondChip(world),
]

/** CTAs that may wait for one another are run together, whatever a chip holds. */
const beyondChip = ({ header, ctas, resident }: World): ReadonlyArray<string> => {
  const [count, most] = [ctas * resident, multiprocessors[header.arch]]
  return resident === 1 || count <= most
    ? []
    : [
        `whether a chip holds all ${thousands(count)} CTAs at once, because some may wait for others (with one on each multiprocessor it holds ${String(most)}; a cooperative launch requires it)`,
      ]
}

const keptTogether: Schedules = 'any schedule in which nothing comes between atomics of one instruction'
const otherTurns =
  'orders in which other threads come between the atomics of one instruction (four schedules were tried)'

const askedInPairs: Schedules = 'any schedule that gives each two reads of one instruction any two values'
const inPairs =
  'other combinations of older values of the lanes and words that one instruction reads (each was tried alone, each pair separately, and all together)'

const otherOutputs =
  'whether outputs depend on timing: the program tests the progress of other agents, and all schedules were searched for hazards only'

const oneOrderOfLanes = 'orders of unordered strong accesses by lanes of one warp (one order was followed)'

const withoutLanes: Readonly<Record<NonNullable<CheckOptions['lanes']>, string>> = {
  off: 'races between lanes of one warp (with --lanes off each warp acts as one thread)',
  converged: 'races between lanes of one warp that run together (with --lanes converged they are notes)',
}

// ---------------------------------------------------------------- one run

const nullFold: Fold<null, null> = Run.ignore

const judged = (
  launched: Launched,
  options: CheckOptions,
  detecting: Options,
  policy: AnyPolicy,
  proving: typeof provenance | null,
  ahead: boolean = true,
): Ran => {
  const { policy: listened, scheduleOf } = noted(policy)
  const { fuel } = options
  const bare: Run.Settings = { policy: listened, fuel, keepSchedule: true, transient: true, ahead }
  const how: Run.Settings =
    options.progress === undefined ? bare : Object.assign({ progress: options.progress }, bare)
  const { world, machine } = launched
  const ran: Run.Ran<Shown> =
    options.hazards && proving !== null
      ? Run.run(world, machine, how, Run.both(detector(detecting), proving))
      : options.hazards
        ? Run.run(world, machine, how, Run.both(detector(detecting), nullFold))
        : proving !== null
          ? Run.run(world, machine, how, Run.both(nullFold, proving))
          : Run.run(world, machine, how, Run.both(nullFold, nullFold))
  return Object.assign({ replay: scheduleOf(ran.schedule) }, ran)
}

/** A run whose races between equal values are notes. */
const withEqualWritesNoted = (
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

const isClean = ({ findings, conditions }: Judgement): boolean =>
  findings.length === 0 && Object.values(conditions).every(({ holds }) => holds)

/** A run in which the result depends on what a strong access finds says so. */
const withOtherwise = (
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

// ---------------------------------------------------------------- words

const holds: Condition = { holds: true, failures: [], findings: [] }
const unjudged: Conditions = { C1: holds, C2: holds, C3: holds, C4: holds, C5: holds, C6: holds }

export const showFault = (world: World, f: Fault): string => {
  const site = world.header.sites[f.site]
  const agent = world.header.agents[f.agent]
  const loc = site?.loc === undefined ? '' : ` (${site.loc})`
  const where = site === undefined ? '' : `${[...site.path, site.label].join(' / ')}${loc}: `
  const who = agent === undefined ? '' : ` (agent ${agent.name} of CTA ${String(agent.cta)})`
  return `${f.code}: ${where}${f.message}${who}`
}

/** 64 bits of the outputs' carriers, for comparing runs; null is an output without data. */
export const digestOf = (outputs: ReadonlyArray<Float64Array | null>): string => {
  let hi = 0x811c9dc5
  let lo = 0x01000193
  const words = new Uint32Array(2)
  const value = new Float64Array(words.buffer)
  let any = false
  for (const data of outputs) {
    if (data === null) continue
    any = true
    for (let i = 0; i < data.length; i++) {
      value[0] = data[i]!
      hi = Math.imul(hi ^ words[0]!, 0x01000193)
      lo = Math.imul(lo ^ words[1]! ^ (hi >>> 15), 0x85ebca6b)
    }
  }
  const hex = (x: number): string => (x >>> 0).toString(16).padStart(8, '0')
  return any ? hex(hi) + hex(lo) : 'none'
}

const faultIn = ({ outcome }: Pick<Ran, 'outcome'>): Fault | null =>
  outcome._tag === 'fault' ? outcome.fault : null

/** The tensors whose contents are digested, in order. */
export const digested = (world: World): ReadonlyArray<string> =>
  world.header.planes.flatMap((p) => (p.output === true ? [p.name] : []))

// ---------------------------------------------------------------- the verdict

/** The runs that a verdict speaks of: two that chose alike are one. */
interface Table {
  readonly rows: Ran[]
}

/** Its place in the table, which it takes if it has none. */
const rowOf = ({ rows }: Table, ran: Ran): number => {
  const at = rows.findIndex((r) => r.replay === ran.replay)
  return at < 0 ? rows.push(ran) - 1 : at
}

/** A finding, and the place of its schedule in the table. */
interface Scheduled extends Diagnosis {
  readonly schedule: number
}

/** Findings with their schedule; the missing edge of the first few, which needs the log of their cluster again. */
const withSchedule = (
  launched: Launched,
  table: Table,
  findings: ReadonlyArray<Diagnosis>,
  ran: Ran,
  options: CheckOptions,
  detecting: Options,
): ReadonlyArray<Scheduled> => {
  if (findings.length === 0) return []
  const { world, machine } = launched
  const row = rowOf(table, ran)
  const rowsOf = (f: Diagnosis): number =>
    ran.other !== undefined && ran.other.of.id === f.id ? rowOf(table, ran.other.ran) : row
  const how: Run.Settings = {
    policy: Policy.recorded(ran.schedule),
    fuel: options.fuel,
    keepSchedule: false,
    transient: true,
  }
  const events =
    wanting(findings).length === 0 || options.explain === false
      ? []
      : Run.run(world, machine, how, Run.collect).result
  return withMissing(world.header, events, findings, detecting).map((f) =>
    Object.assign({ schedule: rowsOf(f) }, f),
  )
}

/** The fault that ended a run, as a finding: the code is an id of the taxonomy, or there is none. */
const faultOf = (world: World, ran: Ran): ReadonlyArray<Diagnosis> => {
  if (ran.outcome._tag !== 'fault') return []
  const { code, message, site, agent, columns } = ran.outcome.fault
  const id = hazardIds.find((h) => h === code)
  const state = ran.machine.agents[agent]
  if (id === undefined || state === undefined) return []
  const iteration = state.ready?.iteration ?? []
  const a = operationOf(world.header, actor({ agent, at: state.at, site, iteration }, 'is refused'))
  const about = columns === undefined ? [] : [ofColumns]
  return [{ id, severity: hazards[id].severity, text: message, about, deeds: { a: other, b: null }, a }]
}

/** What a run shows. */
const foundBy = (world: World, ran: Ran): ReadonlyArray<Diagnosis> => {
  const j = ran.result[0]
  const fault = faultOf(world, ran)
  if (j === null) return fault
  return [...fault, ...j.findings]
}

/** What stands behind a condition that fails in a run: B4, B1, B3. */
const behind = (ran: Ran): ReadonlyArray<Diagnosis> => {
  const j = ran.result[0]
  return j === null ? [] : behindConditions(j)
}

const shownBy = (world: World, ran: Ran): ReadonlyArray<Diagnosis> => [...foundBy(world, ran), ...behind(ran)]

/** A finding about two operations: what a deadlock is more often caused by than its blocked waits say. */
const isPair = (f: Diagnosis): boolean => f.b !== undefined && hazards[f.id].cause === 'conflict'
/** An arrival too many, or at another time, lets an agent pass that should wait: what it runs into later does not say so. */
const isCause = (f: Diagnosis): boolean => f.b !== undefined && hazards[f.id].cause !== undefined

/** The conflicts; where there are none, the first arrival that comes too often or too early. */
const causesIn = (shown: ReadonlyArray<Diagnosis>): ReadonlyArray<Diagnosis> =>
  shown.some(isPair) ? shown.filter(isPair) : shown.filter(isCause).slice(0, 1)

/** Schedules that show what is behind a deadlock or a fault, if a few do. */
const causing: ReadonlyArray<AnyPolicy> = [
  Policy.lazy,
  Policy.roundRobin,
  Policy.seeded(1),
  Policy.seeded(2),
  Policy.seeded(3),
]

/** What other schedules say of a run that got stuck, or that was refused half way. */
interface Aside {
  /** one that shows what is behind it */
  readonly cause: Ran | null
  /** one that comes to its end */
  readonly completes: Ran | null
}
const noAside: Aside = { cause: null, completes: null }

/**
 * A run that got stuck, or that was refused half way, shows where, not always why, and not whether every schedule ends so. Another schedule of the same program may get
 * far enough to show the conflict behind it: the first of a few that finds one, if it can one that is not refused itself; else one with an arrival too many. One that
 * comes to its end says that the deadlock is one of some schedules, and has the outputs.
 */
const asideOf = (
  launched: Launched,
  options: CheckOptions,
  detecting: Options,
  decided: ReadonlyArray<Diagnosis>,
  known: Ran | null,
  tried: ReadonlyArray<AnyPolicy>,
): Aside => {
  let conflict: Ran | null = null
  let halfway: Ran | null = null
  let surplus: Ran | null = null
  let completes = known
  const isPlain = decided.some(isPair)
  for (const policy of tried) {
    if (completes !== null && (isPlain || conflict !== null)) break
    // it is asked for conflicts and arrivals: who waits in vain for whom, the deciding run has said
    const ran = judged(launched, options, detecting, policy, null, false)
    if (ran.outcome._tag === 'completed') completes ??= ran
    const shown = shownBy(launched.world, ran)
    if (!shown.some(isPair)) {
      if (shown.some(isCause)) surplus ??= ran
    } else if (ran.outcome._tag !== 'fault') conflict ??= ran
    else halfway ??= ran
  }
  return { cause: isPlain ? null : (conflict ?? halfway ?? surplus), completes }
}

/** What causes a deadlock; the findings of the run that decided; those of the first run that it confirms. Each once. */
const findingsOf = (
  launched: Launched,
  table: Table,
  first: Ran,
  answer: Answer | null,
  apart: ReadonlyArray<Diagnosis>,
  cause: Ran | null,
  options: CheckOptions,
  detecting: Options,
): ReadonlyArray<Scheduled> => {
  const deciding = answer?.found?.ran ?? first
  if (answer?.refuted === true)
    return withSchedule(
      launched,
      table,
      unanswered(launched.world, shownBy(launched.world, first), apart),
      first,
      options,
      detecting,
    )
  const found = foundBy(launched.world, deciding)
  const causes = cause === null ? [] : [{ ran: cause, shown: causesIn(shownBy(launched.world, cause)) }]
  const isConflict = causes.some(({ shown }) => shown.some(isPair))
  const runs = [
    ...(isConflict ? causes : []),
    { ran: deciding, shown: found },
    // an arrival too many explains less than who waits in vain, and where
    ...(isConflict ? [] : causes),
    // the condition that failed at first is why another schedule could show more
    ...(deciding === first ? [] : [{ ran: first, shown: behind(first) }]),
    { ran: deciding, shown: behind(deciding) },
    ...(deciding === first ? [] : [{ ran: first, shown: foundBy(launched.world, first) }]),
  ]
  const fresh = added(runs.map(({ shown }) => shown))
  return runs.flatMap(({ ran }, i) => withSchedule(launched, table, fresh[i]!, ran, options, detecting))
}

/** Why the result is wrong, if it is a layout: bytes that were written as other elements than they are read as. */
const layoutFindings = (
  launched: Launched,
  table: Table,
  ran: Ran,
  options: CheckOptions,
): ReadonlyArray<Scheduled> => {
  if (ran.steps > longestExplained) return []
  const { world, machine } = launched
  const how: Run.Settings = {
    policy: Policy.recorded(ran.schedule),
    fuel: options.fuel,
    keepSchedule: false,
    transient: true,
  }
  const found = layoutMismatch(world.header, Run.run(world, machine, how, Run.collect).result)
  if (found === null) return []
  const missing: Remedy = { kind: 'none-found', text: 'use one layout for the write and the read', about: [] }
  return [Object.assign({ schedule: rowOf(table, ran), missing }, found)]
}

/** Faults of the algebra and not of the program: what a run needs and this algebra does not have; nor has any what hardware alone knows, such as a clock. */
const ofAlgebra: ReadonlyArray<string> = ['algebra.control', 'algebra.lacks', 'warp.unspecified']

/** Was a run stopped for want of data? Another algebra, and inputs, let it go on. */
export const wantsData = (outcome: Run.Outcome): boolean =>
  outcome._tag === 'fault' && ofAlgebra.includes(outcome.fault.code)

const endedBy = (
  world: World,
  { outcome, steps }: Pick<Ran, 'outcome' | 'steps'>,
  guessed: boolean,
): Ended => {
  switch (outcome._tag) {
    case 'stuck':
      return 'stuck'
    case 'outOfFuel':
      return {
        name: 'out-of-fuel',
        reason: `the run was stopped by its fuel after ${String(steps)} events, before its end`,
      }
    case 'fault':
      return {
        name: 'undecided',
        reason:
          guessed && !wantsData(outcome)
            ? `a fault that may come from the guess ended the run: ${showFault(world, outcome.fault)}`
            : `the run was stopped before its end, over ${world.algebra.name}: ${showFault(world, outcome.fault)}`,
      }
    case 'completed':
    case 'refused':
      return 'completed'
  }
}

const decide = (
  world: World,
  ran: Pick<Ran, 'outcome' | 'steps'>,
  judgement: Judgement | null,
  proof: Provenance | null,
  schedules: Schedules,
  guessed: boolean,
): Decision => {
  const { outcome } = ran
  if (outcome._tag === 'fault' && !wantsData(outcome) && (!guessed || isOfNoValue(outcome.fault)))
    return outcome.fault.kind === 'crash'
      ? unreachable(showFault(world, outcome.fault))
      : { name: 'invalid', reason: showFault(world, outcome.fault) }
  const decision = decideRun(endedBy(world, ran, guessed), judgement, proof, schedules)
  return decision.name === 'hazard' && guessed && isOfGuessAlone(judgement)
    ? { name: 'undecided', reason: `${decision.reason}, which may come from the guess` }
    : decision
}

/** No size and no value makes lanes of a warp wait at different barriers; and a crash is of this library. */
export const isOfNoValue = ({ kind, code }: Fault): boolean => kind === 'crash' || code === 'warp.aligned'

/** Too few threads, or a size that is too small, leave memory unwritten that is read. */
const mayComeOfGuess = ({ id }: Diagnosis): boolean => id === 'I1'
const isOfGuessAlone = (judgement: Judgement | null): boolean =>
  judgement !== null && judgement.findings.length > 0 && judgement.findings.every(mayComeOfGuess)

/** Of arrivals, waits and what they announce. That one order of strong accesses was followed (C1) is said beside an `ok`. */
const ofBarriers = ['C3', 'C4', 'C6'] as const

/** What is of lanes alone: a search follows warps, so it does not look for it. */
interface BetweenLanes {
  readonly findings: ReadonlyArray<Diagnosis>
  /** a condition of barriers fails by lanes, so that other generations are possible */
  readonly fails: boolean
}
const noneBetweenLanes: BetweenLanes = { findings: [], fails: false }

/** Of what two agents' own events do to one another: is it one agent, whose lanes have no order? */
const isOfOneWarp = ({ a, b }: Diagnosis): boolean =>
  b !== undefined && a.index === b.index && a.operation === undefined && b.operation === undefined

/** Findings that are none where a warp acts as one thread, and whether a condition fails that does not fail there, or somewhere else. */
const betweenLanes = (judgement: Judgement, ofOne: () => Judgement | null): BetweenLanes => {
  const holds = ofBarriers.every((name) => judgement.conditions[name].holds)
  if (judgement.findings.length === 0 && holds) return noneBetweenLanes
  const asOne = ofOne()
  if (asOne === null) return noneBetweenLanes
  const nameOf = ({ id, a, b }: Diagnosis): string =>
    [id, a.agent, a.site, b?.agent ?? '', b?.site ?? ''].join('|')
  const notIn = (known: ReadonlyArray<Diagnosis>) => {
    const names = new Set(known.map(nameOf))
    return (f: Diagnosis): boolean => !names.has(nameOf(f))
  }
  const fails = ofBarriers.some((name) => {
    const [here, there] = [judgement.conditions[name], asOne.conditions[name]]
    return (
      !here.holds &&
      (there.holds || here.findings.some(isOfOneWarp) || here.findings.some(notIn(there.findings)))
    )
  })
  return { findings: judgement.findings.filter(notIn(asOne.findings)), fails }
}

/** Names, the first few of them. */
const someOf = (names: ReadonlyArray<string>): string =>
  names.length <= mostNamed
    ? names.join(', ')
    : `${names.slice(0, mostNamed).join(', ')} and ${String(names.length - mostNamed)} more`
const mostNamed = 6

/** What other schedules may cost, and how far they went without a hazard. */
const extentOf = ({ search, runs, searchable }: Answer, budget: Budget): string => {
  if (searchable === false)
    return `in ${counted(runs, 'other schedule')}; a search of all schedules is not possible for this program`
  if (budget !== Infinity)
    return `within the budget of ${thousands(budget)} events; --explore searches further`
  if (search === null) return `in ${counted(runs, 'other schedule')}`
  return search.bound === 'depth'
    ? `in ${counted(search.states, 'state')}; schedules longer than the bound of the search were not followed`
    : `in ${counted(search.states, 'state')}, the bound of the search`
}

/** Other schedules did not decide: what is left open, and how far they went. */
const stillOpen = (judgement: Judgement | null, how: string): Decision => ({
  name: 'undecided',
  reason:
    judgement !== null && judgement.findings.length > 0
      ? `${candidates(judgement.findings)}, none reproduced ${how}`
      : `no hazard found ${how}`,
})

/** What stands once other schedules have been asked. `lanes`: what these do not answer. */
const settled = (
  world: World,
  decision: Decision,
  [judgement]: Shown,
  answer: Answer | null,
  lanes: BetweenLanes,
  schedules: Schedules,
  budget: Budget,
  guessed: boolean,
): Decision => {
  if (answer === null) return decision
  if (answer.found !== null) return answer.found.decision
  if (answer.open !== undefined) return answer.open
  const { search, tickets } = answer
  if (tickets !== undefined)
    return {
      name: 'ok',
      reason: `no hazards in ${schedules} (conditions C2-C6 and Q1-Q8 hold, so one run is enough, whichever CTA draws which of ${thousands(tickets.drawn)} numbers)`,
    }
  if (search === null || !answer.refuted) return stillOpen(judgement, extentOf(answer, budget))
  const searched = `in a search of all schedules (${counted(search.states, 'state')})`
  const stale = judgement?.otherwise.stale
  if (stale != null && answer.byValues !== true)
    return stillOpen(
      judgement,
      `${searched}, which does not try older values of what ${stale.agent} ${stale.site} reads`,
    )
  const [left] = unanswered(world, judgement?.findings ?? [], judgement?.byManual ?? []).filter(
    (f) => !guessed || !mayComeOfGuess(f),
  )
  if (left?.id === 'P3') return decision
  if (left !== undefined) return { name: 'hazard', reason: left.text }
  return lanes.findings.length > 0 || lanes.fails
    ? stillOpen(judgement, `${searched}, which does not look between the lanes of a warp`)
    : {
        name: 'ok',
        reason: `no hazards in ${schedules} (all of them searched: ${counted(search.states, 'state')})`,
      }
}

/** A deadlock, or a fault, that not every schedule ends in says so. */
const ofSome = (d: Decision, completes: Ran | null): Decision =>
  completes === null
    ? d
    : { name: d.name, reason: `in some schedules (${nameOfRun(completes)} completes), ${d.reason}` }

/** A run by the schedule that it followed: a name, unless its events are listed. */
const nameOfRun = ({ replay }: Ran): string =>
  replay.length <= longestName ? `schedule ${replay}` : 'the first schedule'
const longestName = 24

/** How far a search went; where a condition fails by lanes, it does not follow what may come of that. */
const searchOf = (answer: Answer | null, { fails }: BetweenLanes): Searched | null =>
  answer === null || answer.search === null
    ? null
    : fails
      ? Object.assign({}, answer.search, { leaves: 'lanes' as const })
      : answer.search

/** A result that is wrong in the first run is wrong, whatever all schedules agree on. */
const withProof = (d: Decision, proof: Provenance | null): Decision =>
  d.name === 'ok' && proof !== null && !proof.proved ? { name: 'wrong-result', reason: proof.text } : d

/** Keys that a refusal lists. */
const mostListed = 8

/** The schedule that was given is of another program. */
const notOffered = (
  steps: number,
  key: EventKey | null,
  offered: ReadonlyArray<EventKey>,
): E.Either<Failure<'schedule.not-offered'>, never> => {
  const more = offered.length - mostListed
  const found =
    offered.length === 0
      ? 'the run is over'
      : `on offer are ${offered.slice(0, mostListed).map(showKey).join(', ')}${more > 0 ? ` and ${String(more)} more` : ''}`
  return refuse(
    'schedule.not-offered',
    `the schedule does not fit this program: after ${String(steps)} events its next one${key === null ? '' : `, ${showKey(key)},`} is not on offer; ${found}`,
  )
}

/**
 * Runs a program once, judges the run, and says whether this run covers all schedules.
 *
 * @example
 * ```ts
 * import { instanceOf, kernelNamed } from 'tensorcore-spec/kernels'
 * import { check, standardOptions } from 'tensorcore-spec/semantics'
 * import * as E from 'fp-ts/lib/Either.js'
 * import { pipe } from 'fp-ts/lib/function.js'
 *
 * const verdict = pipe(
 *   kernelNamed('zoo/R1'),
 *   E.chainW((kernel) => instanceOf(kernel, {}, [])),
 *   E.chainW(({ program, settings }) => check(program, { ...standardOptions, settings })),
 *   E.map((checked) => checked.verdict),
 * )
 * console.log(E.isRight(verdict) ? `${verdict.right.verdict} ${verdict.right.findings[0]?.id}` : verdict.left.message) // hazard R1
 * ```
 */
export const check: Check = (program, options) => checkSource(sourceOf(program), options)

/** The same of anything that can be launched (`machine/source.ts`). */
export const checkSource = (source: Source, options: CheckOptions): E.Either<Refusal, Checked> =>
  E.map((checked: Checked) =>
    whoeverRuns(checked, (given) =>
      checkedOnce(
        source,
        Object.assign({}, options, {
          arguments: Object.assign({}, options.arguments, given),
          explain: false,
          explore: false,
          budget: 0,
        }),
      ),
    ),
  )(checkedOnce(source, options))

/** Judged with lanes that stay together where they ask who runs and the lowest of those that elect, or with what is given. */
const checkedOnce = (source: Source, options: CheckOptions): E.Either<Refusal, Checked> => {
  const launched = source.launch(options.algebra, options.arguments)
  if (E.isLeft(launched)) return launched
  const found = options.everyCluster === true ? null : classesOf(source, launched.right.world, options)
  return (
    (found === null ? null : ofClasses(source, options, found)) ??
    E.chain((fueled: CheckOptions) => checkLaunched(source, launched.right, fueled))(
      fueledFor(launched.right, options),
    )
  )
}

/** The same with the fuel that a run of every cluster is to have. */
const fueledFor = (launched: Launched, options: CheckOptions): E.Either<Refusal, CheckOptions> => {
  const { fuelFor, policy, fuel } = options
  return fuelFor === undefined
    ? E.right(options)
    : E.map((enough: number): CheckOptions => Object.assign({}, options, { fuel: enough }))(
        fuelFor(() => foresee(launched, policy, fuel)),
      )
}

/** The verdict of a grid by one cluster of each class; null: it takes all of them. */
const ofClasses = (
  source: Source,
  options: CheckOptions,
  { classes, written, kin }: Classes,
): E.Either<Refusal, Checked> | null => {
  const some = sourceVisiting(
    source,
    classes.map(({ cluster }) => cluster),
  )
  const part: Part = {
    standsFor: new Map(classes.map(({ cluster, members }) => [cluster, members.length])),
    written,
  }
  const checked = E.chain((launched: Launched) => checkLaunched(some, launched, options, { part, kin }))(
    some.launch(options.algebra, options.arguments),
  )
  if (E.isLeft(checked) || !decidesForClass(checked.right, options)) return null
  const { verdict } = checked.right
  const told: Verdict = Object.assign({}, verdict, {
    classes: classes.map(({ cluster, members }) => ({ cluster, of: members.length })),
  })
  return E.right(Object.assign({}, checked.right, { verdict: told }))
}

/** Does what the run of one cluster says stand for those like it: is it decided by one schedule that the whole grid has as well? */
const decidesForClass = ({ verdict, world, excused }: Checked, options: CheckOptions): boolean =>
  verdict.decidedBy === 'one-schedule' &&
  verdict.schedules.length === 1 &&
  (verdict.verdict === 'ok' || verdict.verdict === 'hazard') &&
  // that two store the same is so of the numbers of one cluster
  excused !== true &&
  // why it is not proved may be found in another cluster first
  (!options.provenance || world.header.computes === null || verdict.provenance?.proved === true)

/** A launch of which some clusters are run. */
interface Some {
  readonly part: Part
  readonly kin: Kin
}

/** A launch, run and judged. `some`: of its grid it has one cluster of each class. */
const checkLaunched = (
  source: Source,
  launch: Launched,
  options: CheckOptions,
  some: Some | null = null,
): E.Either<Refusal, Checked> => {
  const { world } = launch
  const proving = some === null ? provenance : provenanceOfClasses(some.kin)
  const isGuess = (options.guessed?.length ?? 0) > 0
  const bare: Options = {
    strict: options.strict,
    strictProxies: options.strictProxies,
    wgmmaOrder: defaults.wgmmaOrder,
    tensorPipe: options.arguments.tensorPipe ?? defaults.tensorPipe,
    registerFence: defaults.registerFence,
    rules: defaults.rules,
  }
  const asGuessed: Options = isGuess ? Object.assign({ guessed: true as const }, bare) : bare
  const usual: Options = some === null ? asGuessed : Object.assign({ part: some.part }, asGuessed)
  const detecting: Options =
    options.lanes === undefined ? usual : Object.assign({ lanes: options.lanes }, usual)
  const ranAs = (how: Options, policy: AnyPolicy, withProvenance: boolean): Ran =>
    withEqualWritesNoted(
      source,
      options,
      how,
      world,
      judged(launch, options, how, policy, withProvenance ? proving : null),
    )
  const asRun = (policy: AnyPolicy, withProvenance: boolean): Ran => {
    const ran = ranAs(detecting, policy, withProvenance)
    if (ran.outcome._tag !== 'completed' || !byOutcomeAlone(world, ran.result[0])) return ran
    // which atomic comes first may decide what an agent knows, and it may not matter: it is judged as if no agent had heard another
    const deaf = ranAs(Object.assign({ deaf: true as const }, detecting), policy, withProvenance)
    return deaf.result[0] !== null && isClean(deaf.result[0]) ? deaf : ran
  }
  const asked = (ran: Ran, controlled: ReadonlySet<string> | null): Ran =>
    withOtherwise(launch, options, detecting, ran, controlled, (other) => asRun(other, false))
  const asJudged = (
    policy: AnyPolicy,
    withProvenance: boolean,
    controlled: ReadonlySet<string> | null = null,
  ): Ran => asked(asRun(policy, withProvenance), controlled)
  const before = world.effort.spent
  const first = asJudged(options.policy, options.provenance, world.front.obeysNoWord ? new Set() : null)
  if (first.outcome._tag === 'refused') {
    const { key, offered } = first.outcome
    return notOffered(first.steps, key, offered)
  }
  const last = options.policy(({ last: detour }) => detour)
  if (last !== undefined && last.step >= first.steps && first.outcome._tag !== 'outOfFuel')
    return notOffered(first.steps, last.key, [])
  const schedules: Schedules = options.lanes === undefined ? 'any schedule' : 'any schedule of warps'
  const decision = decide(world, first, first.result[0], first.result[1], schedules, isGuess)
  const budget = options.budget ?? Infinity
  const limit = budget === Infinity ? null : budget
  const question: Question = {
    source,
    arguments: options.arguments,
    launched: launch,
    everyCluster: options.everyCluster === true,
    everyOrder: options.everyOrder === true,
    judgement: first.result[0],
    bounds: options.bounds ?? defaultBounds,
    budget,
    price: priceOfRun(first.steps, world.effort.spent - before),
    run: (policy, controlled) => asJudged(policy, false, controlled),
    decide: (ran) => decide(world, ran, ran.result[0], null, schedules, isGuess),
  }
  // what stops one run stops all of them, at the same cost
  const isOpen =
    decision.name === 'undecided' &&
    first.outcome._tag === 'completed' &&
    !(isGuess && isOfGuessAlone(first.result[0]))
  const turns = isOpen ? inTurn(question) : null
  const answer = !isOpen
    ? null
    : turns?.found != null
      ? turns
      : ((options.everyOrder === true
          ? null
          : byTickets(question, asked(first, first.result[0]?.otherwise.controlled ?? null), options.fuel)) ??
        throughOutcomes(question, detecting) ??
        inNoOrder(question, asked(first, first.result[0]?.otherwise.controlled ?? null)) ??
        (options.explore ? confirm(question) : null))
  const lanesInTurn = answer !== null && first.result[0]?.lanesInTurn === true
  const followed: Schedules =
    turns !== null
      ? keptTogether
      : answer?.some === true
        ? askedInPairs
        : lanesInTurn
          ? 'any schedule of warps'
          : schedules
  const shown = answer?.found?.ran ?? first
  const asOne = (): Judgement | null =>
    judged(launch, options, Object.assign({}, usual, { lanes: 'off' as const }), options.policy, null)
      .result[0]
  const lanes =
    answer?.refuted === true && options.lanes === undefined && first.result[0] !== null
      ? betweenLanes(first.result[0], asOne)
      : noneBetweenLanes
  const apart = [...(first.result[0]?.byManual ?? []), ...lanes.findings]
  const stands = settled(world, decision, first.result, answer, lanes, followed, budget, isGuess)
  const judgement = shown.result[0]
  const proof = first.result[1]
  const spent = (answer?.spent ?? 0) + (turns === answer ? 0 : (turns?.spent ?? 0))
  const tried =
    (options.askOthers ?? options.explore) ? affordable(causing, question.price, budget - spent) : []
  const known = first.outcome._tag === 'completed' ? first : null
  const aside =
    stands.name === 'deadlock'
      ? asideOf(launch, options, detecting, shownBy(world, answer?.found?.ran ?? first), known, tried)
      : stands.name === 'invalid'
        ? // what was found before the fault was found in half a run
          asideOf(launch, options, detecting, [], known, tried)
        : noAside
  const final = withProof(ofSome(stands, aside.completes), first.result[1])
  const table: Table = { rows: [first] }
  const row = rowOf(table, shown)
  const findings = foremost([
    ...(final.name === 'wrong-result' ? layoutFindings(launch, table, first, options) : []),
    ...findingsOf(launch, table, first, answer, apart, aside.cause, options, detecting),
  ])
  // what a guess may have caused is not held against the kernel
  const guesses = isGuess ? faultOf(world, shown) : []
  const isOfGuess = (f: Diagnosis): boolean =>
    (isGuess && mayComeOfGuess(f)) ||
    guesses.some(({ id, a }) => id === f.id && a.index === f.a.index && a.at === f.a.at)
  const ended = known ?? aside.completes
  const completed: Completed | null =
    ended === null ? null : { row: rowOf(table, ended), schedule: ended.schedule, machine: ended.machine }
  const plain: Verdict = {
    schema: verdictSchema,
    kernel: source.name,
    settings: options.settings,
    verdict: final.name,
    reason: isGuess
      ? `on guessed arguments (${someOf(options.guessed ?? [])}): ${final.reason}`
      : final.reason,
    search: searchOf(answer, lanes),
    conditions: judgement === null ? unjudged : publishedConditions(world.header, judgement.conditions),
    schedule: row,
    findings: findings.filter((f) => !isOfGuess(f)).map((f) => replayable(world.header, f, f.schedule)),
    notes: [
      ...findings
        .filter(isOfGuess)
        .map((f) => replayable(world.header, Object.assign({}, f, { severity: 'L' as const }), f.schedule)),
      ...(judgement?.notes ?? []).map((f) => replayable(world.header, f, row)),
      ...(answer?.noted ?? []).map(({ ran, note }) => replayable(world.header, note, rowOf(table, ran))),
    ],
    schedules: table.rows.map((r) => r.replay),
    waitFor: showAllBlocked(judgement?.deadlock ?? []),
    provenance: proof,
    digest: {
      order: judgement?.digest ?? 'none',
      output: digestOf(digested(world).map((name) => readTensor(world, (completed ?? first).machine, name))),
    },
    counts: {
      events: judgement?.events ?? 0,
      steps: shown.steps,
      agents: world.header.agents.length,
      ctas: world.ctas,
      clusters: shown.clusters,
      runs: 1 + (answer?.runs ?? 0) + (turns === answer ? 0 : (turns?.runs ?? 0)),
    },
    scope: [
      ...scopeOf(world, options),
      ...(turns === null ? [] : [otherTurns]),
      ...(lanesInTurn ? [oneOrderOfLanes] : []),
      ...(answer?.some === true ? [inPairs] : []),
      ...(answer?.refuted === true && answer.byValues !== true && judgement?.conditions.C1.holds === false
        ? [otherOutputs]
        : []),
    ],
  }
  const verdict: Verdict = Object.assign(
    plain,
    wayOf(final.name, answer === null || answer.tickets !== undefined ? 'one-schedule' : 'exploration'),
    options.guessed === undefined || !isGuess ? null : { guessed: options.guessed },
    shown === first || first.result[0] === null
      ? null
      : { firstConditions: publishedConditions(world.header, first.result[0].conditions) },
    completed === null || aside.completes === null ? null : { completes: completed.row },
    isOpen && options.explore ? { spent: { events: spent, budget: limit } } : null,
  )
  const checked: Checked = {
    verdict,
    reasons: { findings, blocked: judgement?.deadlock ?? [], fault: faultIn(shown) },
    world,
    outcome: first.outcome,
    machine: first.machine,
    completed,
    schedule: first.schedule,
    recorded: table.rows.map((r) => r.schedule),
  }
  return E.right(first.excused === true ? Object.assign({ excused: true as const }, checked) : checked)
}
