/**
 * Findings of a verdict: which runs they come from, in which order they stand, and by which schedule each replays.
 *
 * A run that gets stuck shows where it got stuck. Why is often a race some events earlier, which only another schedule lives to show. So a few other schedules are asked
 * (`causing`), and what they show as the cause comes first. A run is named once, however many findings it has (`Table`).
 *
 * The missing edge of a finding needs the log, so the run is made again with its log kept, for the first few findings only.
 *
 * Laws
 * 1. Each finding names a schedule of the table, and that schedule has it.
 * 2. A conflict comes before the deadlock that it may cause.
 */
import { actor, operation as operationOf } from '../judging/detector/report.js'
import { other } from '../judging/deed.js'
import type { Options } from '../judging/detector/index.js'
import { hazardIds, hazards } from '../judging/hazards.js'
import { ofColumns } from '../judging/subject.js'
import { added, behindConditions, longestExplained, wanting, withMissing } from '../judging/decision.js'
import type { Diagnosis, Remedy } from '../judging/finding.js'
import type { Launched } from '../execution/launch.js'
import type { World } from '../machine/world.js'
import * as Policy from '../execution/policy.js'
import type { AnyPolicy } from '../execution/policy.js'
import { layoutMismatch } from '../judging/provenance/index.js'
import * as Run from '../execution/run.js'
import { unanswered, type Answer, type Ran } from './confirm.js'
import type { Fault } from '../execution/step.js'
import type { CheckOptions } from './checked.js'
import { judged } from './one-run.js'

export const faultIn = ({ outcome }: Pick<Ran, 'outcome'>): Fault | null =>
  outcome._tag === 'fault' ? outcome.fault : null

/** The runs that a verdict speaks of: two that chose alike are one. */
export interface Table {
  readonly rows: Ran[]
}

/** Its place in the table, which it takes if it has none. */
export const rowOf = ({ rows }: Table, ran: Ran): number => {
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
export const faultOf = (world: World, ran: Ran): ReadonlyArray<Diagnosis> => {
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

export const shownBy = (world: World, ran: Ran): ReadonlyArray<Diagnosis> => [
  ...foundBy(world, ran),
  ...behind(ran),
]

/** A finding about two operations: what a deadlock is more often caused by than its blocked waits say. */
const isPair = (f: Diagnosis): boolean => f.b !== undefined && hazards[f.id].cause === 'conflict'
/** An arrival too many, or at another time, lets an agent pass that should wait: what it runs into later does not say so. */
const isCause = (f: Diagnosis): boolean => f.b !== undefined && hazards[f.id].cause !== undefined

/** The conflicts; where there are none, the first arrival that comes too often or too early. */
const causesIn = (shown: ReadonlyArray<Diagnosis>): ReadonlyArray<Diagnosis> =>
  shown.some(isPair) ? shown.filter(isPair) : shown.filter(isCause).slice(0, 1)

/** Schedules that show what is behind a deadlock or a fault, if a few do. */
export const causing: ReadonlyArray<AnyPolicy> = [
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
export const noAside: Aside = { cause: null, completes: null }

/**
 * A run that got stuck, or that was refused half way, shows where, not always why, and not whether every schedule ends so. Another schedule of the same program may get
 * far enough to show the conflict behind it: the first of a few that finds one, if it can one that is not refused itself; else one with an arrival too many. One that
 * comes to its end says that the deadlock is one of some schedules, and has the outputs.
 */
export const asideOf = (
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
export const findingsOf = (
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
export const layoutFindings = (
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
