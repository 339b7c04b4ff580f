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
 * What is asked and given is in `checked.ts`, one run in `one-run.ts`, the word in `settled.ts`, the findings in `shown.ts`; the README has the rest.
 *
 * Laws
 * 1. the verdict is a function of program, arguments and options.
 * 2. replaying a finding's schedule gives a run with that finding.
 * 3. the first finding of each id stands before the second of any.
 * 4. under a policy with a name, nothing in a verdict but its numbers grows with the length of the run.
 */
import * as E from 'fp-ts/lib/Either.js'
import { refuse, type Failure } from '../../failure.js'
import { defaults, type Options, type Part } from '../judging/detector/index.js'
import { showAllBlocked, type Schedules } from '../judging/decision.js'
import {
  foremost,
  type Condition,
  type Conditions,
  type Diagnosis,
  type Judgement,
} from '../judging/finding.js'
import { readTensor, sourceOf, type Launched } from '../execution/launch.js'
import type { Source } from '../machine/source.js'
import type { World } from '../machine/world.js'
import { affordable, priceOfRun } from './budget.js'
import { byThreads } from './by-threads.js'
import { classesOf, sourceVisiting, type Classes } from './classes.js'
import { foresee } from './foresight.js'
import { withHardware } from './hardware.js'
import { whoeverRuns } from './who-runs.js'
import { eager, type AnyPolicy } from '../execution/policy.js'
import type { Logged } from '../execution/run.js'
import type { Refusal } from '../language/refusal.js'
import { provenance, provenanceOfClasses, type Kin } from '../judging/provenance/index.js'
import {
  byOutcomeAlone,
  byOneRun,
  confirm,
  inNoOrder,
  inTurn,
  isOfOneRun,
  throughOutcomes,
  defaultBounds,
  type Question,
  type Ran,
} from './confirm.js'
import { showKey, type EventKey } from '../execution/step.js'
import { publishedConditions, replayable, verdictSchema, wayOf, type Verdict } from '../judging/verdict.js'
import type { Check, CheckOptions, Checked, Completed } from './checked.js'
import { withEqualWritesNoted, judged, isClean, isQuiet, withOtherwise } from './one-run.js'
import {
  decide,
  isOfGuessAlone,
  settled,
  withProof,
  ofSome,
  mayComeOfGuess,
  someOf,
  searchOf,
} from './settled.js'
import {
  keptTogether,
  askedInPairs,
  scopeOf,
  otherTurns,
  oneOrderOfLanes,
  inPairs,
  otherOutputs,
} from './scope.js'
import { betweenLanes, noneBetweenLanes } from './between-lanes.js'
import {
  causing,
  asideOf,
  shownBy,
  noAside,
  rowOf,
  layoutFindings,
  findingsOf,
  faultOf,
  faultIn,
  type Table,
} from './shown.js'

export {
  type CheckOptions,
  standardOptions,
  type Reasons,
  type Completed,
  type Checked,
  type Check,
} from './checked.js'

const holds: Condition = { holds: true, failures: [], findings: [] }
const unjudged: Conditions = { C1: holds, C2: holds, C3: holds, C4: holds, C5: holds, C6: holds }

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

/** The tensors whose contents are digested, in order. */
export const digested = (world: World): ReadonlyArray<string> =>
  world.header.planes.flatMap((p) => (p.output === true ? [p.name] : []))

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
    withHardware(
      whoeverRuns(decidedByThreads(source, options, checked), (given) =>
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
      () => {
        const launched = source.launch(options.algebra, options.arguments)
        return E.isLeft(launched) ? null : launched.right
      },
    ),
  )(checkedOnce(source, options))

/** The same kernel with each thread as an agent, if warps leave open in which order lanes go on. Its schedules are no schedules of warps: it begins with the usual one. */
const decidedByThreads = (source: Source, options: CheckOptions, checked: Checked): Checked =>
  byThreads(checked, (budget, alone) =>
    checkedOnce(
      source,
      Object.assign({}, options, {
        arguments: Object.assign({}, options.arguments, { alone }),
        policy: eager,
        explain: false,
        explore: false,
        budget,
      }),
    ),
  )

/** Judged with lanes that stay together where they ask who runs and the lowest of those that elect, or with what is given. */
const checkedOnce = (source: Source, options: CheckOptions): E.Either<Refusal, Checked> => {
  const launched = source.launch(options.algebra, options.arguments)
  if (E.isLeft(launched)) return launched
  // which bytes hold what hardware alone knows is asked of all clusters
  const isAsked = launched.right.world.front.hardware !== null
  const found =
    isAsked || options.everyCluster === true ? null : classesOf(source, launched.right.world, options)
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
  { classes, written, kin, logged }: Classes,
): E.Either<Refusal, Checked> | null => {
  const some = sourceVisiting(
    source,
    classes.map(({ cluster }) => cluster),
  )
  const part: Part = {
    standsFor: new Map(classes.map(({ cluster, members }) => [cluster, members.length])),
    written,
  }
  const checked = E.chain((launched: Launched) =>
    checkLaunched(some, launched, options, { part, kin, logged }),
  )(some.launch(options.algebra, options.arguments))
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
  /** its run, if it has been kept */
  readonly logged: Logged | null
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
  const logged = some?.logged ?? null
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
  const asPart: Options = some === null ? asGuessed : Object.assign({ part: some.part }, asGuessed)
  const usual: Options = options.quiet === true ? Object.assign({ quiet: true as const }, asPart) : asPart
  const detecting: Options =
    options.lanes === undefined ? usual : Object.assign({ lanes: options.lanes }, usual)
  const ranAs = (how: Options, policy: AnyPolicy, withProvenance: boolean): Ran =>
    withEqualWritesNoted(
      source,
      options,
      how,
      world,
      judged(
        launch,
        options,
        how,
        policy,
        withProvenance ? proving : null,
        true,
        policy === options.policy ? logged : null,
      ),
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
    price: priceOfRun(first.steps, world.effort.spent - before + (logged?.spent ?? 0)),
    run: (policy, controlled) => asJudged(policy, false, controlled),
    decide: (ran) => decide(world, ran, ran.result[0], null, schedules, isGuess),
  }
  // what stops one run stops all of them, at the same cost
  const isOpen =
    decision.name === 'undecided' &&
    first.outcome._tag === 'completed' &&
    !(isGuess && isOfGuessAlone(first.result[0]))
  // what one run decides is by one lane each: nothing comes between lanes of an instruction
  const one =
    isOpen && options.everyOrder !== true
      ? byOneRun(question, asked(first, first.result[0]?.otherwise.controlled ?? null), options.fuel)
      : null
  const turns = isOpen && one === null ? inTurn(question) : null
  const answer = !isOpen
    ? null
    : turns?.found != null
      ? turns
      : (one ??
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
  const stands = settled(
    world,
    decision,
    first.result,
    answer,
    lanes,
    followed,
    budget,
    isGuess,
    lanesInTurn && world.front.waitsForLocks,
  )
  const isOpenByLanes =
    (stands.name === 'undecided' || stands.name === 'ok') &&
    options.lanes === undefined &&
    answer?.refuted === true &&
    (answer.ahead === true || lanesInTurn)
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
      // gates leave the same words, whichever CTA was the last (`gates.ts`), and nothing else of such a run is atomic
      ...(judgement?.notes ?? [])
        .filter(({ id }) => id !== 'N1' || answer?.gates === undefined)
        .map((f) => replayable(world.header, f, row)),
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
    wayOf(final.name, isOfOneRun(answer) ? 'one-schedule' : 'exploration'),
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
  return E.right(
    Object.assign(
      checked,
      first.excused === true ? { excused: true as const } : null,
      isQuiet(first) ? { quiet: true as const } : null,
      isOpenByLanes ? { byLanes: budget - spent } : null,
    ),
  )
}
