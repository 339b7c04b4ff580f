/**
 * The word of a verdict and its reason: from one run, from what other schedules answered, and from the proof of the result.
 *
 * | first run                         | other schedules                  | word                                |
 * |-----------------------------------|----------------------------------|-------------------------------------|
 * | refused for what no data changes  |                                  | invalid                             |
 * | nothing found, conditions hold    |                                  | ok                                  |
 * | a finding, conditions hold        |                                  | hazard                              |
 * | a condition fails                 | one shows it                     | what that one shows                 |
 * | a condition fails                 | all were searched, none shows it | ok, or hazard by the manual         |
 * | a condition fails                 | some were asked                  | undecided, and how far it was looked |
 *
 * On guessed arguments a fault and a read of unwritten memory may come from the guess. They then decide nothing.
 *
 * Law 1. Nothing but a deciding run, a search of all schedules, or a proof about tickets or gates makes an `ok`.
 */
import { unreachable } from '../../failure.js'
import { counted, thousands } from '../judging/counted.js'
import { candidates, decideRun, type Schedules, type Ended } from '../judging/decision.js'
import type { Diagnosis, Judgement } from '../judging/finding.js'
import type { World } from '../machine/world.js'
import type { Budget } from './budget.js'
import type * as Run from '../execution/run.js'
import { unanswered, type Answer, type Decision, type Ran, type Shown } from './confirm.js'
import type { Fault } from '../execution/step.js'
import type { Provenance, Searched } from '../judging/verdict.js'
import type { BetweenLanes } from './between-lanes.js'

export const showFault = (world: World, f: Fault): string => {
  const site = world.header.sites[f.site]
  const agent = world.header.agents[f.agent]
  const loc = site?.loc === undefined ? '' : ` (${site.loc})`
  const where = site === undefined ? '' : `${[...site.path, site.label].join(' / ')}${loc}: `
  const who = agent === undefined ? '' : ` (agent ${agent.name} of CTA ${String(agent.cta)})`
  return `${f.code}: ${where}${f.message}${who}`
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

export const decide = (
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
export const mayComeOfGuess = ({ id }: Diagnosis): boolean => id === 'I1'
export const isOfGuessAlone = (judgement: Judgement | null): boolean =>
  judgement !== null && judgement.findings.length > 0 && judgement.findings.every(mayComeOfGuess)

/** Names, the first few of them. */
export const someOf = (names: ReadonlyArray<string>): string =>
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

/** What stands once other schedules have been asked. `lanes`: what these do not answer; `isParted`: lanes of a warp may wait for a lock that another of them has. */
export const settled = (
  world: World,
  decision: Decision,
  [judgement]: Shown,
  answer: Answer | null,
  lanes: BetweenLanes,
  schedules: Schedules,
  budget: Budget,
  guessed: boolean,
  isParted: boolean,
): Decision => {
  if (answer === null) return decision
  if (answer.found !== null) return answer.found.decision
  if (answer.open !== undefined) return answer.open
  const { search, tickets, gates, lookbacks } = answer
  if (tickets !== undefined)
    return {
      name: 'ok',
      reason: `no hazards in ${schedules} (conditions C2-C6 and Q1-Q8 hold, so one run is enough, whichever CTA draws which of ${thousands(tickets.drawn)} numbers)`,
    }
  if (gates !== undefined)
    return {
      name: 'ok',
      reason: `no hazards in ${schedules} (conditions C2-C6 and J1-J6 hold, so one run is enough, whichever CTA arrives last in each of ${counted(gates.rounds, 'round')} of the grid barrier)`,
    }
  if (lookbacks !== undefined)
    return {
      name: 'ok',
      reason: `no hazards in ${schedules} (conditions C2-C6 and H1-H8 hold, so one run is enough, whatever ${counted(lookbacks.walks, 'look-back')} find of what other CTAs store)`,
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
  if (isParted)
    return stillOpen(
      judgement,
      `${searched}, in which lanes that have a lock, for which others of their warp wait, go on only when nothing else can`,
    )
  if (answer.ahead === true)
    return stillOpen(
      judgement,
      `${searched}, in which lanes of a warp go on in one order, although another order may matter`,
    )
  if (answer.units === true)
    return stillOpen(
      judgement,
      `${searched}, in which asynchronous operations that combine into one word come in one order, although another order may matter`,
    )
  return lanes.findings.length > 0 || lanes.fails
    ? stillOpen(judgement, `${searched}, which does not look between the lanes of a warp`)
    : {
        name: 'ok',
        reason: `no hazards in ${schedules} (all of them searched: ${counted(search.states, 'state')})`,
      }
}

/** A deadlock, or a fault, that not every schedule ends in says so. */
export const ofSome = (d: Decision, completes: Ran | null): Decision =>
  completes === null
    ? d
    : { name: d.name, reason: `in some schedules (${nameOfRun(completes)} completes), ${d.reason}` }

/** A run by the schedule that it followed: a name, unless its events are listed. */
const nameOfRun = ({ replay }: Ran): string =>
  replay.length <= longestName ? `schedule ${replay}` : 'the first schedule'
const longestName = 24

/** How far a search went; where a condition fails by lanes, it does not follow what may come of that. */
export const searchOf = (answer: Answer | null, { fails }: BetweenLanes): Searched | null =>
  answer === null || answer.search === null
    ? null
    : fails
      ? Object.assign({}, answer.search, { leaves: 'lanes' as const })
      : answer.search

/** A result that is wrong in the first run is wrong, whatever all schedules agree on. */
export const withProof = (d: Decision, proof: Provenance | null): Decision =>
  d.name === 'ok' && proof !== null && !proof.proved ? { name: 'wrong-result', reason: proof.text } : d
