/**
 * The verdict on a trace: that of the run which wrote it.
 *
 * The folds that judge a run judge its trace; the words are the same (`decision.ts`). A trace is one run of an unknown program, so
 * nothing can be explored and no finding has a schedule; settings, data and steps are not in it.
 *
 * How the run ended is read off the trace (`ending.ts`): it came to its end, is stuck, or was stopped, or the trace was cut.
 *
 * Laws
 * 1. The verdict on the trace of a run that ended by itself has the name, reason, conditions, findings, notes, provenance and digest of
 *    order of the verdict on the run.
 * 2. A trace that is cut off before its end is `undecided`, unless what it shows is worse.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import {
  added,
  behindConditions,
  decideRun,
  longestExplained,
  showAllBlocked,
  withMissing,
} from '../../judging/decision.js'
import { detector, type Options } from '../../judging/detector/index.js'
import { foremost, type Diagnosis } from '../../judging/finding.js'
import { conclusion, type Fold, type Header, type LogEvent } from '../../log/events.js'
import { layoutMismatch, provenance } from '../../judging/provenance/index.js'
import { both } from '../../execution/run.js'
import {
  otherGrants,
  publishedConditions,
  replayable,
  verdictSchema,
  wayOf,
  type ReplayableFinding,
  type Verdict,
} from '../../judging/verdict.js'
import { ending, endingOf } from './ending.js'
import type { TraceError } from './error.js'
import { foldTrace } from './reader.js'

export interface JudgeOptions extends Options {
  /** what the verdict does not speak of */
  readonly scope: ReadonlyArray<string>
}

// ---------------------------------------------------------------- what is heard

/** The log, while it is short enough to be asked again. */
const short: Fold<{ readonly events: LogEvent[]; count: number }, ReadonlyArray<LogEvent>> = {
  init: () => ({ events: [], count: 0 }),
  observe: (s, e) => {
    s.count++
    if (s.count <= longestExplained) s.events.push(e)
    else s.events.length = 0
    return s
  },
  finish: ({ events }) => events,
}

/** All that is asked of a trace; the judges hear how it ends only where it has ended. */
const judging = (options: Options) => {
  const judges = both(detector(options), provenance)
  const asked = both(judges, both(ending, short))
  const fold: typeof asked = {
    init: asked.init,
    observe: asked.observe,
    finish: ([judged, [read, kept]]) => {
      const end = ending.finish(read)
      return [conclusion(judges, judged, endingOf(end)._tag !== 'stopped'), [end, short.finish(kept)]]
    },
    exhausted: ([judged]) => judges.exhausted?.(judged) === true,
  }
  return fold
}

// ---------------------------------------------------------------- the verdict

/** A trace has no schedule but its own order. */
const unscheduled =
  (header: Header) =>
  (f: Diagnosis): ReplayableFinding =>
    replayable(header, f, null)

/** The verdict on the lines of a trace. */
export const judgeTrace =
  (options: JudgeOptions) =>
  (lines: Iterable<string>): E.Either<TraceError, Verdict> =>
    pipe(
      foldTrace(judging(options))(lines),
      E.map(([[judgement, proof], [read, events]]): Verdict => {
        const { header } = read
        const claim = header.computes === null ? null : proof
        const end = endingOf(read)
        const { name, reason } = decideRun(
          end._tag === 'stopped'
            ? { name: 'undecided', reason: `the trace stops before the end of its run: ${end.why}` }
            : end._tag,
          judgement,
          claim,
          options.lanes === undefined ? 'any schedule' : 'any schedule of warps',
        )
        const layout = name === 'wrong-result' ? layoutMismatch(header, events) : null
        const missing = (some: ReadonlyArray<Diagnosis>): ReadonlyArray<Diagnosis> =>
          withMissing(header, events, some, options)
        // those that were found and those behind a condition are told apart, and so many of each explained
        const shown = added([judgement.findings, behindConditions(judgement)]).flatMap(missing)
        const judged: Verdict = {
          schema: verdictSchema,
          kernel: header.program,
          settings: {},
          verdict: name,
          reason,
          search: null,
          schedule: null,
          conditions: publishedConditions(header, judgement.conditions),
          findings: foremost([
            ...(layout === null
              ? []
              : [
                  unscheduled(header)(
                    Object.assign({}, layout, {
                      missing: {
                        kind: 'none-found',
                        text: 'use one layout for the write and the read',
                        about: [],
                      } as const,
                    }),
                  ),
                ]),
            ...shown.map(unscheduled(header)),
          ]),
          notes: judgement.notes.map(unscheduled(header)),
          schedules: [],
          waitFor: showAllBlocked(judgement.deadlock),
          provenance: claim,
          digest: { order: judgement.digest, output: 'none' },
          counts: {
            events: judgement.events,
            steps: 0,
            agents: header.agents.length,
            ctas: header.ctas / (header.resident ?? 1),
            clusters: read.begun,
            runs: 1,
          },
          // the one that asked for a cluster got one answer of several
          scope: read.requests > 0 ? [...options.scope, otherGrants] : options.scope,
        }
        return Object.assign(judged, wayOf(name, 'one-schedule'))
      }),
    )
