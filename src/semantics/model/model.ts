/**
 * The memory model: what is wrong with a run, from its finished log, by the definitions alone.
 */
import type { Header, LogEvent } from '../log.js'
import type { ConditionName } from '../finding.js'
import type { Misuse } from './allocations.js'
import { misused } from './allocations.js'
import { arrowsOf } from './clauses.js'
import type { Failing } from './conditions.js'
import { conditionClauses } from './conditions.js'
import type { Left } from './ends.js'
import * as Ends from './ends.js'
import type { Choices, Judging } from './judging.js'
import type { Found } from './race.js'
import { asked, races } from './race.js'
import type { Reading, Touch } from './reading.js'
import { clusters, reading } from './reading.js'
import { solve } from './views.js'

/** What one cluster, or several that run together, shows. */
export interface Shown {
  readonly reading: Reading
  readonly found: Found
  readonly failing: ReadonlyArray<Failing>
  readonly left: ReadonlyArray<Left>
  readonly misused: ReadonlyArray<Misuse>
  readonly stuck: boolean
}
export interface Modelled {
  readonly clusters: ReadonlyArray<Shown>
  /** planes of outputs that are not written */
  readonly unwritten: ReadonlyArray<number>
  readonly fails: (condition: ConditionName) => boolean
}

/** What only the end of a run can say, and C5 asks. */
const over: ReadonlyArray<string> = ['U2', 'K1', 'K2', 'T1', 'T4', 'T5']

const isBlocked = (e: LogEvent): boolean =>
  ((e._tag === 'wait' || e._tag === 'semaphore') && e.outcome === 'blocked') ||
  ((e._tag === 'group' || e._tag === 'registers') && e.blocked) ||
  (e._tag === 'rendezvous' && e.kind === 'blocked')

const shown = (
  header: Header,
  log: ReadonlyArray<LogEvent>,
  past: ReadonlyArray<Touch>,
  how: Judging,
): Shown => {
  const r = reading(header, log)
  const knows = solve(log.length, arrowsOf(r, how))
  const found = races(asked(r, knows, how), past)
  const stuck = log.some(isBlocked)
  return {
    reading: r,
    found,
    failing: conditionClauses(r, knows, found.pairs, how),
    left: [
      ...Ends.lives(r, knows, how),
      ...(how.has('life') ? [...Ends.invalidated(r, knows), ...Ends.payload(r, knows)] : []),
      ...(how.has('count') ? [...Ends.excess(r), ...Ends.miscounted(r)] : []),
      ...(how.has('contract') ? Ends.contracts(r, stuck) : []),
      ...(how.has('absent') ? Ends.absent(r) : []),
      ...(stuck || !how.has('exit') ? [] : Ends.outstanding(r, knows)),
    ],
    misused: how.has('allocation') ? misused(r, knows, how, stuck) : [],
    stuck,
  }
}

export const model = (
  header: Header,
  log: ReadonlyArray<LogEvent>,
  options: Choices,
  leftOut: ReadonlyArray<string> = [],
): Modelled => {
  const how: Judging = { options, has: (clause) => !leftOut.includes(clause) }
  const all: Shown[] = []
  for (const part of clusters(log)) {
    const past = all.flatMap((s) =>
      s.reading.touches.filter((t) => header.planes[t.access.footprint.plane]!.space === 'gmem'),
    )
    all.push(shown(header, part, past, how))
  }
  const stuck = all.some((s) => s.stuck)
  const unwritten = stuck || !how.has('output') ? [] : Ends.unwritten(all.map((s) => s.reading))
  const isOver = (l: Left): boolean =>
    over.includes(l.id) || l.reused || (options.strict && ['U1', 'B8'].includes(l.id))
  const fails = (condition: ConditionName): boolean =>
    (condition === 'C1' && header.nondeterminism.length > 0) ||
    (condition === 'C5' &&
      (stuck ||
        unwritten.length > 0 ||
        all.some((s) => s.left.some(isOver) || s.misused.some((m) => over.includes(m.id))))) ||
    all.some((s) => s.failing.some((f) => f.condition === condition))
  return { clusters: all, unwritten, fails }
}
