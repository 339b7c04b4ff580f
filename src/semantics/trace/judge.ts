/**
 * The verdict on a trace: that of the run which wrote it.
 *
 * The folds that judge a run judge its trace; the words are the same (`decision.ts`). A trace is one run of an unknown program, so
 * nothing can be explored and no finding has a schedule; settings, data and steps are not in it.
 *
 * | the trace ends                                                     | the run       |
 * |--------------------------------------------------------------------|---------------|
 * | with waits that are blocked                                        | is stuck      |
 * | before an agent that has begun has exited, or an operation done anything | was stopped |
 * | else                                                               | completed     |
 *
 * Laws
 * 1. The verdict on the trace of a run that ended by itself has the name, reason, conditions, findings, notes, provenance and digest of
 *    order of the verdict on the run.
 * 2. A trace that is cut off before its end is `out-of-fuel`, unless what it shows is worse.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import {
  added,
  beforeTheEnd,
  behindConditions,
  decideRun,
  longestExplained,
  showBlocked,
  withMissing,
} from '../decision.js'
import { detector, type Options } from '../detector/index.js'
import { foremost, type Finding } from '../finding.js'
import type { Fold, Header, LogEvent } from '../log.js'
import { layoutMismatch, provenance } from '../provenance/index.js'
import { both } from '../run.js'
import { otherGrants, verdictSchema, type ReplayableFinding, type Verdict } from '../verdict.js'
import type { TraceError } from './error.js'
import { foldTrace } from './reader.js'

export interface JudgeOptions extends Options {
  /** what the verdict does not speak of */
  readonly scope: ReadonlyArray<string>
}

// ---------------------------------------------------------------- how it ends

/** Where the reader of a trace is: who has yet to exit. */
interface Ending {
  readonly header: Header
  readonly running: Set<number>
  /** operations that have done nothing since their issue */
  readonly idle: Set<number>
  blocked: boolean
  cut: boolean
  /** somebody asked for a cluster that has not begun */
  requests: boolean
  clusters: number
  /** the log, while it is short enough to be asked again */
  events: LogEvent[] | null
}

const isBlocked = (e: LogEvent): boolean =>
  (e._tag === 'wait' && e.outcome === 'blocked') ||
  (e._tag === 'group' && e.blocked) ||
  (e._tag === 'rendezvous' && e.kind === 'blocked') ||
  (e._tag === 'semaphore' && e.outcome === 'blocked') ||
  (e._tag === 'registers' && e.blocked)

/** The agent that executes a statement by this event; -1: an operation goes on by itself. */
const agentOf = (e: LogEvent): number =>
  e._tag === 'access'
    ? e.operation === undefined
      ? e.stamp.agent
      : -1
    : 'stamp' in e && e._tag !== 'ahead'
      ? e.stamp.agent
      : -1

const isOpen = (s: Ending): boolean => (s.running.size > 0 || s.idle.size > 0) && !s.blocked

const ending: Fold<Ending, Ending> = {
  init: (header) => ({
    header,
    running: new Set(),
    idle: new Set(),
    blocked: false,
    cut: false,
    requests: false,
    clusters: 0,
    events: [],
  }),
  observe: (s, e) => {
    if (s.events !== null) {
      s.events.push(e)
      if (s.events.length > longestExplained) s.events = null
    }
    if (e._tag === 'cluster') {
      s.cut ||= isOpen(s)
      s.running.clear()
      s.idle.clear()
      s.clusters++
    } else if (e._tag === 'exit') s.running.delete(e.agent)
    else {
      const agent = agentOf(e)
      if (agent >= 0 && s.header.agents[agent]!.starts) s.running.add(agent)
      s.blocked ||= isBlocked(e)
      if (e._tag === 'issue') {
        s.idle.add(e.operation)
        s.requests ||= e.unit === 'clc'
      }
      if (e._tag === 'perform' || e._tag === 'signal') s.idle.delete(e.operation)
    }
    return s
  },
  finish: (s) => {
    s.cut ||= isOpen(s)
    return s
  },
}

// ---------------------------------------------------------------- the verdict

/** A trace has no schedule but its own order. */
const unscheduled = (f: Finding): ReplayableFinding => Object.assign({ schedule: null }, f)

/** The verdict on the lines of a trace. */
export const judgeTrace =
  (options: JudgeOptions) =>
  (lines: Iterable<string>): E.Either<TraceError, Verdict> =>
    pipe(
      foldTrace(both(detector(options), both(provenance, ending)))(lines),
      E.map(([judgement, [proof, end]]): Verdict => {
        const { header } = end
        const claim = header.computes === null ? null : proof
        const ended = end.blocked ? 'stuck' : end.cut ? 'outOfFuel' : 'completed'
        const { name, reason } = decideRun(ended, judgement, claim)
        const events = end.events ?? []
        const layout = name === 'wrong-result' ? layoutMismatch(header, events) : null
        const found = ended === 'outOfFuel' ? beforeTheEnd(judgement) : judgement.findings
        const missing = (some: ReadonlyArray<Finding>): ReadonlyArray<Finding> =>
          withMissing(header, events, some, options)
        // those that were found and those behind a condition are told apart, and so many of each explained
        const shown = added([found, behindConditions(judgement)]).flatMap(missing)
        return {
          schema: verdictSchema,
          kernel: header.program,
          settings: {},
          verdict: name,
          reason,
          decidedBy: 'one-schedule',
          search: null,
          schedule: null,
          conditions: judgement.conditions,
          findings: foremost([
            ...(layout === null
              ? []
              : [
                  unscheduled(
                    Object.assign({}, layout, {
                      missing: { kind: 'none-found', text: 'one layout for the write and the read' } as const,
                    }),
                  ),
                ]),
            ...shown.map(unscheduled),
          ]),
          notes: judgement.notes.map(unscheduled),
          schedules: [],
          waitFor: judgement.deadlock.map(showBlocked),
          provenance: claim,
          digest: { order: judgement.digest, output: 'none' },
          counts: {
            events: judgement.events,
            steps: 0,
            agents: header.agents.length,
            ctas: header.ctas / (header.resident ?? 1),
            clusters: end.clusters * (header.resident ?? 1),
            runs: 1,
          },
          // whoever asked for a cluster got one answer of several
          scope: end.requests ? [...options.scope, otherGrants] : options.scope,
        }
      }),
    )
