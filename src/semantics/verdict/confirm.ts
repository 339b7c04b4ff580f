/**
 * Confirm: what one run leaves open, settled by other schedules.
 *
 * Where C3, C4 or C6 fails a run stands for itself alone: a deadlock or a fault that it reached is real, any other finding is a candidate (but where a wait can only come
 * too late, `judging/detector/verdict.ts`), and finding nothing means little. Then, in this order:
 *
 * | step               | settles                                                                                   |
 * |--------------------|-------------------------------------------------------------------------------------------|
 * | directed schedules | two agents starved in turn, each operation of a finding starved in turn, eager, lazy, four seeds, more agents starved |
 * | a search           | all schedules, up to a bound (`explore/`)                                                 |
 * | where C1 alone fails | every order in which agents come to what decides (`schedules/outcomes/`): no other is asked |
 *
 * Each step goes as far as the budget lets it (`budget.ts`).
 *
 * A directed schedule settles it by what it reaches: a deadlock, a fault, a finding while its own conditions hold, or something wrong in one
 * of its states. The last is the witness rule. It infers nothing from missing order: two conflicting accesses on offer at once, an
 * access whose view does not show the last write, a CTA that has ended while something acts on it (`along` of `explore/`).
 *
 * A search that followed all schedules and found nothing refutes the candidates, for it looks for all that they say. What does not
 * depend on the schedule it does not look for (`unanswered`), nor for what only the lanes of a warp do to one another: it follows warps. Where lanes could
 * go ahead of others of their warp, it refutes nothing.
 *
 * Laws
 * 1. What is confirmed replays: the run of the answer is one of its schedule.
 * 2. A candidate is confirmed or refuted, never both.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Algebra } from '../../numerics/algebra.js'
import { unit } from '../../numerics/unit.js'
import { affordable, outcomesFor, priceOfOutcomes, priceOfStates, statesFor, type Budget } from './budget.js'
import { contested, watched } from './race-witness.js'
import { deadlockText, type Decision } from '../judging/decision.js'
import type { Options } from '../judging/detector/index.js'
import {
  along,
  defaultExplore,
  exploreLaunched,
  type ExploreOptions,
  type Found,
} from '../schedules/explore/index.js'
import { defaultOutcomes, fellowsOf, outcomes, type Outcomes } from '../schedules/outcomes/index.js'
import type { Diagnosis, Finding, HazardId, Judgement } from '../judging/finding.js'
import { hazards } from '../judging/hazards.js'
import type { Arguments, Launched } from '../execution/launch.js'
import type { Source } from '../machine/source.js'
import type { Fellowships } from '../machine/fellowship.js'
import type { World } from '../machine/world.js'
import * as Policy from '../execution/policy.js'
import { isAmid, type Offered, type EventKey } from '../execution/step.js'
import type { AnyPolicy } from '../execution/policy.js'
import type * as Run from '../execution/run.js'
import { notedIn } from './same-value.js'
import { gates, type Gates } from './gates.js'
import { lookbacks, type Lookbacks } from './lookbacks.js'
import { tickets, type Tickets } from './tickets.js'
import { openTensors, turnedRound, unlike } from './unlike-ends.js'
import type { Provenance, Searched } from '../judging/verdict.js'

// ---------------------------------------------------------------- model

export type Shown = readonly [Judgement | null, Provenance | null]

/** A run, what it shows, and the schedule that replays it (`schedule.ts`). */
export interface Ran extends Run.Ran<Shown> {
  readonly replay: string
  /** of V2 the run in which an access finds something else (`otherwise.ts`) */
  readonly other?: { readonly of: Diagnosis; readonly ran: Ran }
  /** what was not asked of it to the end */
  readonly left?: string
  /** findings of it were taken back, because what races stores the same, or is dropped (`same-value.ts`) */
  readonly excused?: true
}

export type { Decision } from '../judging/decision.js'

/** How far a search may go. */
export interface Bounds {
  readonly states: number
  readonly depth: number
}
export const defaultBounds: Bounds = { states: defaultExplore.states, depth: defaultExplore.depth }

/** A note, and the run that shows it. */
export interface Noted {
  readonly ran: Ran
  readonly note: Diagnosis
}

export interface Question {
  readonly source: Source
  readonly arguments: Arguments
  readonly launched: Launched
  /** no cluster is taken for another */
  readonly everyCluster?: boolean
  /** no wait and no read is followed alone, without what others do first */
  readonly everyOrder?: boolean
  /** what the first run showed */
  readonly judgement: Judgement | null
  readonly bounds: Bounds
  readonly budget: Budget
  /** what the first run has cost, and so about each other */
  readonly price: number
  /** `controlled`: words that schedules read for control, if that is known (`otherwise.ts`) */
  readonly run: (policy: AnyPolicy, controlled?: ReadonlySet<string>) => Ran
  readonly decide: (ran: Ran) => Decision
}

export interface Answer {
  readonly runs: number
  /** in events */
  readonly spent: number
  readonly search: Searched | null
  /** a run that shows something wrong, and what */
  readonly found: { readonly ran: Ran; readonly decision: Decision } | null
  /** false: all schedules cannot be searched, whatever the budget; absent: they can be, or the question did not arise */
  readonly searchable?: false
  /** every schedule was followed, and none shows anything */
  readonly refuted: boolean
  /** what a schedule that stands for others leaves open: its run wants data that are not given, or not all that it may find could be asked */
  readonly open?: Decision
  /** older values of strong reads were followed, too */
  readonly byValues?: true
  /** what other schedules note that the first run does not, where each of them was judged */
  readonly noted?: ReadonlyArray<Noted>
  /** of what many lanes or words of one instruction may find together some ways were asked */
  readonly some?: true
  /** lanes could have gone ahead of others of their warp, and were not followed so (`schedules/outcomes/ahead.ts`, `schedules/explore/ahead.ts`) */
  readonly ahead?: true
  /** operations that combine into one word came in one order, although another may matter (`schedules/outcomes/learned.ts`) */
  readonly units?: true
  /** one run decides: it is no matter which CTA draws which number from a counter (`tickets.ts`) */
  readonly tickets?: Tickets
  /** one run decides: it is no matter which CTA is the last at a barrier of the grid (`gates.ts`) */
  readonly gates?: Gates
  /** one run decides: what CTAs find of words that others store is no matter (`lookbacks.ts`) */
  readonly lookbacks?: Lookbacks
}

// ---------------------------------------------------------------- directed schedules

// schedules worth trying when one run does not decide: about twenty, those that show most first

/** In which one of the first agents is starved. */
const starvingAgents = ({ launched }: Question, from: number, to: number): ReadonlyArray<AnyPolicy> =>
  launched.world.header.agents.slice(from, to).map((_, i) => Policy.starvingAgent(from + i, from + i + 1))

/** In which an operation of a finding is starved, and the usual ones. */
const others = ({ judgement }: Question): ReadonlyArray<AnyPolicy> => {
  const sides = (judgement?.findings ?? []).flatMap((f) => [f.a, ...(f.b === undefined ? [] : [f.b])])
  const distinct = new Map(sides.map((o) => [`${String(o.index)}:${String(o.at)}`, o]))
  return [
    ...[...distinct.values()].slice(0, 6).map((o, i) => Policy.starvingOperation(o.index, o.at, i + 1)),
    Policy.eager,
    Policy.lazy,
    ...[1, 2, 3, 4].map((seed) => Policy.seeded(seed)),
  ]
}

/** The longest schedule whose states are looked at one by one. */
const longestWatched = 20_000

/** May the detector call it so? */
const mayCall = (f: Found, id: HazardId): boolean =>
  f.kind === 'deadlock' || f.kind === 'fault' || hazards[id].witness?.includes(f.kind) === true

const decisionOf = (f: Found, ran: Ran): Decision => {
  if (f.kind === 'deadlock') return { name: 'deadlock', reason: deadlockText(ran.result[0]?.deadlock ?? []) }
  if (f.kind === 'fault') return { name: 'invalid', reason: f.text }
  const findings = ran.result[0]?.findings ?? []
  const said = findings.find((x) => mayCall(f, x.id)) ?? findings[0]
  return { name: 'hazard', reason: said === undefined ? f.text : `${said.text} (${f.text})` }
}

const isBad = (d: Decision): boolean => d.name === 'deadlock' || d.name === 'hazard' || d.name === 'invalid'

// ---------------------------------------------------------------- the answer

/** Of programs of warps, which keep addresses in memory. */
const keepsData = ({ memory }: Algebra): boolean => memory === 'bytes' || memory === 'shadow'

/**
 * The same program without data, if it can be searched at all; one that keeps addresses among its data is searched with what it was launched with: what its
 * memory holds is part of a state then.
 */
const withoutData = (q: Question): Launched | null => {
  const { algebra } = q.launched.world
  if (algebra === unit) return q.launched
  const a = q.arguments
  const launched = q.source.launch(unit, Object.assign({}, a, { tensors: new Map() }))
  return E.isRight(launched) ? launched.right : keepsData(algebra) ? q.launched : null
}

const searching = (q: Question, states: number): ExploreOptions => ({
  arguments: q.arguments,
  states,
  depth: q.bounds.depth,
  reduced: true,
  stop: true,
})

/** The first of these schedules that shows something wrong. */
const shownByOne = (
  q: Question,
  bare: Launched | null,
  how: ExploreOptions,
  policies: ReadonlyArray<AnyPolicy>,
): Answer | null => {
  const { world } = q.launched
  for (const [i, policy] of policies.entries()) {
    const watch = contested(world)
    const ran = q.run(watch.policy(policy))
    const runs = i + 1
    const decision = q.decide(ran)
    const shown = (is: Decision): Answer => ({
      runs,
      spent: runs * q.price,
      search: null,
      found: { ran, decision: is },
      refuted: false,
    })
    if (isBad(decision)) return shown(decision)
    const said = ran.result[0]?.findings[0]
    const both = watch.seen()
    if (both !== null && said !== undefined) {
      const reason = `${said.text} (one state offers both accesses: ${both})`
      return shown({ name: 'hazard', reason })
    }
    const seen = bare === null || ran.schedule.length > longestWatched ? null : along(bare, how, ran.schedule)
    const found = seen === null || E.isLeft(seen) ? undefined : seen.right.found[0]
    if (found !== undefined) return shown(decisionOf(found, ran))
  }
  return null
}

/** Other schedules, as far as the budget goes. */
export const confirm = (q: Question): Answer => {
  const bare = withoutData(q)
  const policies = affordable(
    [...starvingAgents(q, 0, 2), ...others(q), ...starvingAgents(q, 2, 8)],
    q.price,
    q.budget,
  )
  const shown = shownByOne(q, bare, searching(q, q.bounds.states), policies)
  if (shown !== null) return shown
  const runs = policies.length
  const states = Math.min(q.bounds.states, statesFor(q.budget - runs * q.price))
  const all = bare === null || states === 0 ? null : exploreLaunched(bare, searching(q, states))
  if (all === null || E.isLeft(all)) {
    const open: Answer = { runs, spent: runs * q.price, search: null, found: null, refuted: false }
    return bare !== null && all === null ? open : Object.assign({ searchable: false as const }, open)
  }
  const search: Searched = {
    complete: all.right.complete,
    bound: all.right.bound,
    states: all.right.states,
    transitions: all.right.transitions,
  }
  const spent = runs * q.price + priceOfStates(search.states)
  const witness = all.right.found[0]
  if (witness === undefined)
    return Object.assign(
      { runs, spent, search, found: null, refuted: search.complete },
      all.right.ahead ? { ahead: true as const } : null,
    )
  const ran = q.run(Policy.recorded(witness.schedule))
  const found = { ran, decision: decisionOf(witness, ran) }
  return { runs: runs + 1, spent: spent + q.price, search, found, refuted: false }
}

// ---------------------------------------------------------------- lanes in turn

/** Schedules in which others come between the lanes of an atomic instruction. */
const parting: ReadonlyArray<AnyPolicy> = [Policy.roundRobin, ...[1, 2, 3].map((seed) => Policy.seeded(seed))]

/**
 * Atomics of several lanes are an event each, and no search follows all of their orders (`together`). These few schedules part them; what they reach is real. Null where
 * nothing else can come between. Every two tickets that two lanes can have, they have in a schedule in which each instruction is parted in one place.
 */
export const inTurn = (q: Question): Answer | null => {
  if (!q.launched.world.front.instructions.has('atomic')) return null
  let parted = false
  const see = (all: ReadonlyArray<Offered>): void => {
    parted ||= all.length > 1 && isAmid(all)
  }
  for (const [i, policy] of parting.entries()) {
    const ran = q.run(watched(policy, see))
    if (!parted) return null
    const decision = q.decide(ran)
    if (isBad(decision))
      return { runs: i + 1, spent: (i + 1) * q.price, search: null, found: { ran, decision }, refuted: false }
  }
  return {
    runs: parting.length,
    spent: parting.length * q.price,
    search: null,
    found: null,
    refuted: false,
  }
}

// ---------------------------------------------------------------- outcomes

/** Ends that are run and judged once more, each. */
const mostEnds = 200
/** Schedules on which something is found that are run to see whether anything comes of it. */
const mostAsks = 100

/** Is it C1 alone that fails, and in what a run shows? */
export const byOutcomeAlone = (world: World, j: Judgement | null): boolean =>
  j !== null &&
  world.header.nondeterminism.length === 0 &&
  j.findings.length === 0 &&
  !j.conditions.C1.holds &&
  // a wait that a test of something else has spared is waited for if that test comes sooner: no order of strong accesses shows it
  !j.candidates &&
  j.conditions.C2.holds &&
  j.conditions.C3.holds &&
  j.conditions.C4.holds &&
  j.conditions.C5.holds &&
  j.conditions.C6.holds

/** The first run, asked for its stores as well: where no search says which words are read for control, its own reads do. */
export const inNoOrder = (q: Question, ran: Ran): Answer | null => {
  if (ran.other === undefined) return null
  return { runs: 0, spent: 0, search: null, found: { ran, decision: q.decide(ran) }, refuted: false }
}

/**
 * One run decides but for who draws which number from a counter, or who is the last at a barrier of the grid, and that is no matter. `ran`: the first run, asked for what
 * its reads may find.
 */
export const byOneRun = (q: Question, ran: Ran, fuel: number): Answer | null => {
  const { world } = q.launched
  if (!byOutcomeAlone(world, ran.result[0]) || ran.other !== undefined || ran.left !== undefined) return null
  const answer: Answer = {
    runs: 1,
    spent: q.price,
    search: null,
    found: null,
    refuted: true,
    byValues: true,
  }
  const drawn = tickets(q.launched, ran.schedule, fuel)
  if (drawn !== null) return Object.assign({ tickets: drawn }, answer)
  const opened = gates(q.launched, ran.schedule, fuel)
  if (opened !== null) return Object.assign({ gates: opened }, answer)
  const walked = lookbacks(q.launched, ran.schedule, fuel)
  if (walked.decides !== null) return Object.assign({ lookbacks: walked.decides }, answer)
  return walked.unheard ? whereAllGoOn(q) : null
}

/** A fetch may not know of a write (`lookbacks.ts`): where all CTAs go on in turn, most find each other halfway. */
const whereAllGoOn = (q: Question): Answer | null => {
  const ran = q.run(Policy.roundRobin)
  const decision = q.decide(ran)
  return isBad(decision)
    ? { runs: 1, spent: q.price, search: null, found: { ran, decision }, refuted: false }
    : null
}

/** Is it one run that decides, whatever C1 says? */
export const isOfOneRun = (answer: Answer | null): boolean =>
  answer === null ||
  answer.tickets !== undefined ||
  answer.gates !== undefined ||
  answer.lookbacks !== undefined

/** The launch, with each cluster followed in the place of every other, if that can be asked. */
const followed = (q: Question): { readonly launched: Launched; readonly fellows: Fellowships | null } => {
  const { world } = q.launched
  const fellows = q.everyCluster === true ? null : fellowsOf(world)
  if (fellows === null) return { launched: q.launched, fellows }
  const launched = q.source.launch(world.algebra, Object.assign({}, q.arguments, { fellows }))
  return E.isRight(launched) ? { launched: launched.right, fellows } : { launched: q.launched, fellows: null }
}

/** What a note is about, whichever agents it names, and in whatever order. */
const aboutOf = ({ id, a, b }: Diagnosis): string => [id, ...[a.site, b?.site ?? ''].sort()].join('|')

/** Notes of a run about what none of these is about, which they are from then on. */
const newIn = (ran: Ran, known: Set<string>): ReadonlyArray<Noted> =>
  (ran.result[0]?.notes ?? []).flatMap((note) => {
    const about = aboutOf(note)
    if (known.has(about)) return []
    known.add(about)
    return [{ ran, note }]
  })

/** What a run leaves otherwise than another one that came to its end. */
const unlikeIn = (q: Question, first: Ran, second: Ran, known: Set<string>): ReadonlyArray<Noted> =>
  second.outcome._tag === 'completed'
    ? unlike(q.launched, first, second, known).map((note) => ({ ran: second, note }))
    : []

/** The same of what states go on to that were taken for one, and of clusters that went first for their equals. */
const unlikeBehind = (q: Question, all: Outcomes, first: Ran, known: Set<string>): ReadonlyArray<Noted> => {
  const pairs = affordable(all.apart, 2 * q.price, q.budget)
  const turned = all.exchanged ? turnedRound(q.launched.world, first.schedule) : null
  return [
    ...pairs.flatMap(([one, other]) => {
      const ran = q.run(Policy.recorded(one), all.controlled)
      return ran.outcome._tag === 'completed'
        ? unlikeIn(q, ran, q.run(Policy.recorded(other), all.controlled), known)
        : []
    }),
    ...(turned === null ? [] : unlikeIn(q, first, q.run(Policy.loosely(turned), all.controlled), known)),
  ]
}

/** Where one run is decided but for the order in which agents come to what decides: all these orders. Null where that is not what is open. */
export const throughOutcomes = (q: Question, detecting: Options): Answer | null => {
  const { world } = q.launched
  if (!byOutcomeAlone(world, q.judgement)) return null
  const isLeftOpen = (decision: Decision, ran: Ran): boolean =>
    decision.name !== 'ok' && !byOutcomeAlone(world, ran.result[0])
  let asks = 0
  const stands = (schedule: ReadonlyArray<EventKey>): boolean | null => {
    if (asks >= mostAsks) return null
    asks++
    const ran = q.run(Policy.recorded(schedule))
    const decision = q.decide(ran)
    return isBad(decision) || isLeftOpen(decision, ran)
  }
  const { launched, fellows } = followed(q)
  const all = outcomes(
    launched,
    detecting,
    outcomesFor(q.budget, defaultOutcomes),
    notedIn(q.judgement?.notes ?? []),
    stands,
    fellows,
    q.everyOrder === true,
  )
  if (all === null) return null
  const { states, transitions } = all
  const answer = (runs: number, bound: Searched['bound'], found: Answer['found']): Answer => ({
    runs: asks + runs,
    spent: priceOfOutcomes(states) + (asks + runs) * q.price,
    search: Object.assign(
      { complete: bound === null && found === null, bound, states, transitions },
      all.exchanged ? { exchanged: true as const } : null,
    ),
    found,
    refuted: bound === null && found === null,
    byValues: true,
  })
  const ends = affordable(all.ends.slice(0, mostEnds), q.price, q.budget - priceOfOutcomes(states))
  const asked = all.found === null ? ends : [all.found]
  const known = new Set((q.judgement?.notes ?? []).map(aboutOf))
  const noted: Noted[] = []
  const compared = openTensors(q.judgement?.notes ?? [])
  let first: Ran | null = null
  for (const [i, end] of asked.entries()) {
    const ran = q.run(Policy.recorded(end), all.controlled)
    const decision = q.decide(ran)
    for (const one of newIn(ran, known)) noted.push(one)
    for (const tensor of openTensors(ran.result[0]?.notes ?? [])) compared.add(tensor)
    if (isBad(decision)) return answer(i + 1, all.bound, { ran, decision })
    if (isLeftOpen(decision, ran)) return Object.assign({ open: decision }, answer(i + 1, 'states', null))
    if (ran.left !== undefined)
      return Object.assign(
        { open: { name: 'undecided' as const, reason: `no hazard found, but ${ran.left}` } },
        answer(i + 1, 'states', null),
      )
    if (first === null) first = ran.outcome._tag === 'completed' ? ran : null
    else for (const one of unlikeIn(q, first, ran, compared)) noted.push(one)
  }
  if (first !== null) for (const one of unlikeBehind(q, all, first, compared)) noted.push(one)
  const done = Object.assign(
    answer(asked.length, all.found !== null || asked.length < all.ends.length ? 'states' : all.bound, null),
    noted.length === 0 ? null : { noted },
  )
  return Object.assign(
    done,
    all.some ? { some: true as const } : null,
    all.ahead ? { ahead: true as const } : null,
    all.units ? { units: true as const } : null,
  )
}

// ---------------------------------------------------------------- what a search does not look for

/** What does not depend on the schedule, or is a contract. Clusters that run together are searched together. */
const isOutside = (world: World, id: HazardId): boolean => {
  const { outside } = hazards[id]
  return outside === 'always' || (outside === 'clusters apart' && world.resident < world.clusterCount)
}

/** Findings that stand although no schedule shows them; `apart`: those that a search of this program does not look for. */
export const unanswered = <F extends Finding>(
  world: World,
  findings: ReadonlyArray<F>,
  apart: ReadonlyArray<F>,
): ReadonlyArray<F> => findings.filter((f) => isOutside(world, f.id) || apart.includes(f))
