/**
 * Decisions: from what one run shows to a verdict's name and reason, of whatever origin the run.
 *
 * | the run            | and                                     | verdict       |
 * |--------------------|-----------------------------------------|---------------|
 * | is stuck           |                                         | deadlock      |
 * | was stopped        | something is found, and it is settled   | hazard        |
 * |                    | one of C1 to C4 or C6 fails             | undecided     |
 * |                    | by its fuel                             | out-of-fuel   |
 * |                    | by anything else                        | undecided     |
 * | completed          | something is found, and it is settled   | hazard        |
 * |                    | provenance is refuted                   | wrong-result  |
 * |                    | one of C1 to C6 fails                   | undecided     |
 * |                    | else                                    | ok            |
 *
 * A run is stopped by its fuel, or where it needs what it does not have: data, in an algebra that keeps none. A trace is stopped where it was
 * cut. Nothing is then said about the end of the run. `out-of-fuel` is the `undecided` that more fuel may settle; any other needs something else, and
 * comes first.
 *
 * The reason is the first line that a reader sees, so it says what follows from the verdict: how many schedules an `ok` covers, how many hazards an `undecided` could not
 * reproduce, which agent a deadlock waits for. Details (every failing condition, every blocked agent) stand in rows of their own.
 *
 * A run of a program and the trace of a run are decided here alike. Which missing edge would make a finding disappear is asked of the
 * log of its cluster, for the first findings and for logs that are not too long.
 */
import { agentsText, numbersText } from './agent-names.js'
import { firstAlike } from './alike.js'
import { counted } from './counted.js'
import { hazards } from './hazards.js'
import {
  canBeOfLanes,
  explain,
  isAnsweredBetter,
  isAnsweredById,
  judgeLog,
  settledVerdictOf,
  type Options,
} from './detector/index.js'
import type { Blocked, Conditions, Diagnosis, Finding, Judgement } from './finding.js'
import type { Header, LogEvent } from '../log/events.js'
import type { Provenance, VerdictName } from './verdict.js'

// ---------------------------------------------------------------- model

export interface Decision {
  readonly name: VerdictName
  readonly reason: string
}

/** Why a log is not that of a whole run. */
export interface Stopped {
  readonly name: 'undecided' | 'out-of-fuel'
  readonly reason: string
}

export type Ended = 'completed' | 'stuck' | Stopped

// ---------------------------------------------------------------- words

export const showBlocked = (b: Blocked): string => `${b.agent} is ${blockedText(b)}`

const blockedText = (b: Blocked): string =>
  `blocked at ${[...b.operation.path, b.operation.site].join(' / ')}${
    b.operation.iteration.length === 0 ? '' : ` [${b.operation.iteration.join(', ')}]`
  }${b.operation.loc === undefined ? '' : ` (${b.operation.loc})`}, waiting for ${b.waitsFor}; ${supplyOf(b)}`

/** All of a deadlock, a line each; warps of one CTA that wait in one place for the same are one line. */
export const showAllBlocked = (all: ReadonlyArray<Blocked>): ReadonlyArray<string> => {
  const groups = new Map<string, Blocked[]>()
  for (const [i, b] of all.entries()) {
    const key = b.warp === null ? `agent ${String(i)}` : `${String(b.warp.cta)} ${blockedText(b)}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [b])
    else group.push(b)
  }
  return [...groups.values()].map((group) => {
    const [first] = group
    const numbers = group.flatMap(({ warp }) => (warp === null ? [] : [warp.number])).sort((a, b) => a - b)
    return first!.warp === null || numbers.length < 2
      ? showBlocked(first!)
      : `warps ${numbersText(numbers)} of CTA ${String(first!.warp.cta)} are ${blockedText(first!)}`
  })
}

/** What could end the wait. */
const supplyOf = (b: Blocked): string =>
  b.suppliers.length === 0
    ? 'no agent signals it in this run'
    : b.ahead.length === 0
      ? `${agentsText(b.suppliers)} could signal it`
      : `${b.ahead.join(', ')} would signal it, after a wait that is blocked`

/** Agents of a deadlock that are named, with what has become of them: each is blocked, or has ended. */
const fateOf = (all: ReadonlyArray<Blocked>, names: ReadonlyArray<string>): string => {
  const stands = names.filter((name) => all.some(({ agent }) => agent === name))
  const ended = names.filter((name) => !stands.includes(name))
  const verb = (of: ReadonlyArray<string>, one: string, many: string): string =>
    of.length === 1 ? one : many
  const parts = [
    ...(stands.length === 0 ? [] : [`${agentsText(stands)} ${verb(stands, 'is', 'are')} blocked too`]),
    ...(ended.length === 0 ? [] : [`${agentsText(ended)} ${verb(ended, 'has', 'have')} ended`]),
  ]
  return parts.join(', and ')
}

/** A deadlock in one line: who waits for what, and what has become of those that could end the wait. */
export const deadlockText = (all: ReadonlyArray<Blocked>): string => {
  const [first] = all
  if (first === undefined) return 'every agent is blocked'
  const waits = `${first.agent} waits for ${first.waitsFor}`
  const others = first.suppliers.filter((name) => name !== first.agent)
  if (first.suppliers.length === 0) return `${waits}; no agent signals it in this run`
  if (first.ahead.length > 0)
    return `${waits}; ${first.ahead.join(', ')} would signal it, after a wait that is blocked`
  return others.length === 0
    ? `${waits}; only ${first.agent} itself has signalled it before`
    : `${waits}; of the agents that could signal it, ${fateOf(all, others)}`
}

const names = ['C1', 'C2', 'C3', 'C4', 'C5', 'C6'] as const

/** Why the conditions do not decide: the first failure of each that fails. */
export const failing = (c: Conditions, of: ReadonlyArray<keyof Conditions> = names): string =>
  of
    .filter((name) => !c[name].holds)
    .map((name) => `${name} fails (${c[name].failures[0] ?? 'no detail'})`)
    .join('; ')

/** How many findings no schedule has shown yet, and what they are: `20 possible races`. */
export const candidates = (findings: ReadonlyArray<Diagnosis>): string => {
  const n = findings.length
  const noun = findings.every(({ id }) => hazards[id].witness?.some((w) => w === 'race') === true)
    ? 'race'
    : 'hazard'
  return counted(n, `possible ${noun}`)
}

// ---------------------------------------------------------------- decisions

/** What can fail before the end of a run. */
const unlessEnded = names.filter((name) => name !== 'C5')

/** The schedules that one run, or a search, covers: where lanes are judged as one, or atomics of several lanes kept together, not those of threads. */
export type Schedules =
  | 'any schedule'
  | 'any schedule of warps'
  | 'any schedule in which nothing comes between atomics of one instruction'
  | 'any schedule that gives each two reads of one instruction any two values'

/** `judgement` null: hazards were not looked for; `proof` null: nothing is claimed. */
export const decideRun = (
  ended: Ended,
  judgement: Judgement | null,
  proof: Provenance | null,
  schedules: Schedules = 'any schedule',
): Decision => {
  if (ended === 'stuck')
    return {
      name: 'deadlock',
      reason: deadlockText(judgement?.deadlock ?? []),
    }
  const settled = judgement === null ? 'ok' : settledVerdictOf(judgement)
  if (ended !== 'completed' && settled !== 'hazard') {
    const why = judgement === null ? '' : failing(judgement.conditions, unlessEnded)
    return why === '' ? ended : { name: 'undecided', reason: `${why}; ${ended.reason}` }
  }
  if (settled === 'hazard' && judgement !== null)
    return { name: 'hazard', reason: judgement.findings[0]?.text ?? 'a hazard' }
  if (proof !== null && !proof.proved && settled !== 'undecided')
    return { name: 'wrong-result', reason: proof.text }
  if (settled === 'undecided' && judgement !== null)
    return {
      name: 'undecided',
      reason:
        judgement.findings.length > 0
          ? `${candidates(judgement.findings)}, not reproduced: one schedule does not decide, because ${failing(judgement.conditions)}`
          : `one schedule does not decide, because ${failing(judgement.conditions)}`,
    }
  return {
    name: 'ok',
    reason:
      judgement === null
        ? 'the run completed; hazards were not checked'
        : `no hazards in ${schedules} (conditions C1-C6 hold, so one run is enough)`,
  }
}

// ---------------------------------------------------------------- findings

/** What two findings have in common that are one. */
const nameOf = (f: Finding): string =>
  [f.id, f.a.agent, f.a.site, f.b?.agent ?? '', f.b?.site ?? ''].join('|')

/** What stands behind a condition that fails: B4, B1, B3. */
export const behindConditions = (j: Judgement): ReadonlyArray<Diagnosis> =>
  (['C6', 'C4', 'C3'] as const).flatMap((name) => j.conditions[name].findings)

/** What each group adds to those before it. Within a group nothing is dropped: one conflict in two planes is two findings. */
export const added = (
  groups: ReadonlyArray<ReadonlyArray<Diagnosis>>,
): ReadonlyArray<ReadonlyArray<Diagnosis>> => {
  const known = new Set<string>()
  return groups.map((group) => {
    const fresh = group.filter((f) => !known.has(nameOf(f)))
    for (const f of fresh) known.add(nameOf(f))
    return fresh
  })
}

/** Findings whose missing edge is looked for, the longest log in which it is, and the most that one judgement of it may look at. */
export const explained = 3
export const longestExplained = 20_000
const mostLooked = 2 ** 18

/** The logs of the clusters of a run, with what each shows by itself. */
interface Segment {
  readonly events: ReadonlyArray<LogEvent>
  readonly shows: ReadonlySet<string>
  /** it may be judged some hundred times more */
  readonly cheap: boolean
}

const segmentsOf = (
  header: Header,
  events: ReadonlyArray<LogEvent>,
  detecting: Options,
): ReadonlyArray<Segment> => {
  const starts = events.flatMap((e, i) => (e._tag === 'cluster' ? [i] : []))
  return starts.map((start, i) => {
    const segment = events.slice(start, starts[i + 1] ?? events.length)
    const judgement = judgeLog(header, segment, detecting)
    return {
      events: segment,
      shows: new Set([...judgement.findings, ...behindConditions(judgement)].map(nameOf)),
      cheap: judgement.looked <= mostLooked,
    }
  })
}

/** Findings whose missing edge is not known but will be looked for in the log; of the others the id says it, unless lanes can be the cause. */
export const wanting = (findings: ReadonlyArray<Diagnosis>): ReadonlyArray<Diagnosis> => {
  // of findings that are told as one, the first is what is told
  const first = firstAlike(findings).slice(0, explained)
  return findings.filter(
    (f, i) =>
      f.missing === undefined &&
      (isAnsweredBetter(f) ||
        ((i < explained || first.includes(f)) && (!isAnsweredById(f) || canBeOfLanes(f.id)))),
  )
}

/** The findings with their missing edges, as far as `events` (the log, or nothing where it is too long) shows them. */
export const withMissing = (
  header: Header,
  events: ReadonlyArray<LogEvent>,
  findings: ReadonlyArray<Diagnosis>,
  detecting: Options,
): ReadonlyArray<Diagnosis> => {
  const wanted = wanting(findings)
  const segments =
    wanted.length === 0 || events.length > longestExplained ? [] : segmentsOf(header, events, detecting)
  return findings.map((f) => {
    if (f.missing !== undefined) return f
    const segment = wanted.includes(f) ? segments.find((s) => s.cheap && s.shows.has(nameOf(f))) : undefined
    const log = segment?.events ?? (isAnsweredById(f) ? [] : undefined)
    return log === undefined ? f : Object.assign({}, f, { missing: explain(header, log, f, detecting) })
  })
}
