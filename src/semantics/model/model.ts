/**
 * The memory model: what is wrong with a run, from its finished log, by the definitions alone.
 *
 *     reading      the log, cut into clusters: operations, phases, meetings               reading.ts
 *     arrows       what the clauses of order and visibility draw between views            clauses.ts, order.ts, visible.ts
 *     known        their least solution                                                   views.ts
 *     questions    races, conditions, ends, allocations                                   race.ts, conditions.ts, ends.ts, allocations.ts
 *
 * Everything is computed from scratch, at least quadratic in the log, and nothing is remembered; the detector (`../judging/detector`) is the same in one pass, with vector
 * clocks. Neither knows of the other: they meet in a proof.
 *
 * Laws
 * 1. Of every log the model and the detector say the same: the same pairs, the same conditions, the same ends.
 * 2. Each clause is needed: without it there is a log of which they do not.
 *
 * Names: an axiomatic model (herd); the relational half of the memory model of WebAssembly's threads.
 */
import type { ConditionName } from '../judging/finding.js'
import type { Header, LogEvent } from '../log/events.js'
import type { Misused } from './allocations.js'
import { misused } from './allocations.js'
import { arrowsOf } from './clauses.js'
import type { Failing } from './conditions.js'
import { certainPeeks, conditionClauses } from './conditions.js'
import type { Left } from './ends.js'
import * as Ends from './ends.js'
import type { Choices, Judging } from './judging.js'
import type { Asked, Found } from './race.js'
import { asked, races } from './race.js'
import type { Reading, Touch } from './reading.js'
import { otherwise, type Otherwise } from './readings.js'
import { clusters, reading } from './reading.js'
import { solve, type Knows } from './views.js'

// ---------------------------------------------------------------- model

/** What one cluster, or several that run together, shows. */
export interface Shown {
  readonly reading: Reading
  /** what is known where, and the relations that are asked of it */
  readonly asked: Asked
  readonly found: Found
  readonly failing: ReadonlyArray<Failing>
  readonly left: ReadonlyArray<Left>
  readonly misused: Misused
  /** what its strong accesses could have found or left otherwise */
  readonly otherwise: ReadonlyArray<Otherwise>
  readonly stuck: boolean
}
export interface Modelled {
  readonly clusters: ReadonlyArray<Shown>
  /** planes of outputs that are not written */
  readonly unwritten: ReadonlyArray<number>
  readonly fails: (condition: ConditionName) => boolean
}

// ---------------------------------------------------------------- one cluster

const isBlocked = (e: LogEvent): boolean =>
  ((e._tag === 'wait' || e._tag === 'semaphore') && e.outcome === 'blocked') ||
  ((e._tag === 'group' || e._tag === 'registers') && e.blocked) ||
  (e._tag === 'rendezvous' && e.kind === 'blocked')

/** Peeks that cannot be false observe, and what they observe may make others such: until there are no more. */
const settled = (
  header: Header,
  log: ReadonlyArray<LogEvent>,
  how: Judging,
): { readonly r: Reading; readonly knows: Knows } => {
  let certain: ReadonlySet<number> = new Set()
  for (;;) {
    const r = reading(header, log, certain)
    const knows = solve(log.length, arrowsOf(r, how))
    const more = how.has('certain-peeks') ? certainPeeks(r, knows) : certain
    if (more.size === certain.size) return { r, knows }
    certain = more
  }
}

/** `past`: what earlier clusters did to global memory; `whole`: the cluster has come to its end. */
const shown = (
  header: Header,
  log: ReadonlyArray<LogEvent>,
  past: ReadonlyArray<Touch>,
  how: Judging,
  whole: boolean,
): Shown => {
  const { r, knows } = settled(header, log, how)
  const q = asked(r, knows, how)
  const found = races(q, past)
  const stuck = log.some(isBlocked)
  const over = whole && !stuck
  return {
    reading: r,
    asked: q,
    found,
    failing: conditionClauses(r, knows, q, found, how, whole),
    left: [
      ...Ends.lives(r, knows, how),
      ...(how.has('unit-told') ? Ends.unshown(r, knows) : []),
      ...(how.has('life') ? [...Ends.invalidated(r, knows), ...Ends.payload(r, knows)] : []),
      ...(how.has('count') ? [...Ends.excess(r), ...Ends.miscounted(r)] : []),
      ...(how.has('contract') ? Ends.contracts(r, over) : []),
      ...(how.has('absent') ? Ends.absent(r) : []),
      ...(how.has('start') ? Ends.unstarted(r, knows) : []),
      ...(how.has('exit') && over ? Ends.outstanding(r, knows, how) : []),
    ],
    misused: how.has('allocation') ? misused(r, knows, how, over) : { misuses: [], leaning: [] },
    otherwise: otherwise(q, found.pairs),
    stuck,
  }
}

// ---------------------------------------------------------------- a log

/** What only the end of a run can say, and C5 asks. */
const isOver = (id: string): boolean => ['U2', 'K1', 'K2', 'T1', 'T4', 'T5'].includes(id)

/** `leftOut`: clauses that do not stand; `whole`: the run has come to its end. */
export const model = (
  header: Header,
  log: ReadonlyArray<LogEvent>,
  options: Choices,
  leftOut: ReadonlyArray<string> = [],
  whole: boolean = true,
): Modelled => {
  const how: Judging = { options, has: (clause) => !leftOut.includes(clause) }
  const parts = clusters(log)
  const all: Shown[] = []
  for (const part of parts) {
    const past = all.flatMap((s) =>
      s.reading.touches.filter((t) => header.planes[t.access.footprint.plane]!.space === 'gmem'),
    )
    all.push(shown(header, part, past, how, whole || part !== parts.at(-1)))
  }
  const stuck = all.some((s) => s.stuck)
  const unwritten = stuck || !whole || !how.has('output') ? [] : Ends.unwritten(all.map((s) => s.reading))
  const isLeft = (l: Left): boolean =>
    isOver(l.id) || l.reused || (options.strict && (l.id === 'U1' || l.id === 'B8'))
  const overdue =
    stuck ||
    !whole ||
    unwritten.length > 0 ||
    all.some((s) => s.left.some(isLeft) || s.misused.misuses.some((m) => isOver(m.id)))
  return {
    clusters: all,
    unwritten,
    fails: (condition) =>
      (condition === 'C1' && header.nondeterminism.length > 0) ||
      (condition === 'C5' && overdue) ||
      all.some((s) => s.failing.some((f) => f.condition === condition)),
  }
}
