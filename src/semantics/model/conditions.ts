/**
 * The conditions under which one schedule decides, as far as a log can show them.
 *
 * | condition | holds if                                                                                                                    | else      |
 * |-----------|-----------------------------------------------------------------------------------------------------------------------------|-----------|
 * | C1        | no control depends on timing (the header says), atomic writes that do not commute are ordered, and so are requests for clusters | undecided |
 * | C1 peek   | a wait is spared by its agent's last peek of that barrier, once, of the same parity, which acquires what the wait would        | undecided |
 * | C2        | the log does not contradict itself: a wait passes on the parity of a phase that is over, and not else                         | undecided |
 * | C3        | every event of phase g is known to every event of phase g + 1 of that barrier (of the next generation, for a named one)       | B3        |
 * | C4 upper  | if phase g + 1 completes, one of its events knows each wait that observed g                                                   | B1        |
 * | C4 lower  | a wait that observes g is made by an agent that knew every event of g - 1, without that wait                                   | B3        |
 * | C4 peek   | the wait that a peek may spare still observes the phase that the peek was of, and the agent knew every event of the phase before at the peek | B1, B3 |
 * | C4 semaphore | no other set of signals could have let a semaphore wait pass                                                              | B3        |
 * | C5        | the run ends and leaves nothing over (`ends.ts`)                                                                              | U, K, T, O |
 * | C6        | of a phase that is complete, or has an arrival: every expectation (and every arrival asked for) is known to a counted arrival  | B4        |
 *
 * To know an event of a phase is to have it in `order`, or to know that its phase is complete.
 *
 * Law 1. If all hold, nothing meets that should not and nothing is left over, then every schedule has these events, phases and relations (docs/hazards.md).
 *
 * Source: the theorem is this project's; C3 to C6 are what is left of Keller's persistence when arrivals are counted (docs/hazards.md, "Why each condition").
 */
import type { ConditionName } from '../judging/finding.js'
import type { SemaphoreEvent } from '../log/events.js'
import { contested } from './allocations.js'
import type { Judging } from './judging.js'
import { eventFact, operationOf } from './order.js'
import { rounds, type Asked, type Found, type Judged, type Pair } from './race.js'
import type { Phase, Reading, Touch } from './reading.js'
import { indices, samePlace } from './reading.js'
import { forced, isStrong, synchronised, wordsIn } from './strong.js'
import type { Knows } from './views.js'

/** What fails, and the events between which. */
export interface Failing {
  readonly condition: ConditionName
  readonly of:
    | 'hears'
    | 'decides'
    | 'word'
    | 'peek'
    | 'order'
    | 'requests'
    | 'parity'
    | 'C3'
    | 'upper'
    | 'lower'
    | 'semaphore'
    | 'allocator'
    | 'C6'
  /** indices of events in the log of the cluster */
  readonly a: number
  readonly b: number
}

const fails = (condition: ConditionName, of: Failing['of'], a: number, b: number): Failing => ({
  condition,
  of,
  a,
  b,
})

/** Does an event know this event of a phase? */
const knowsOf =
  (r: Reading, knows: Knows, view: 'order' | 'before') =>
  (at: number, p: Phase, event: number): boolean =>
    knows(at, view, eventFact(r, event)) || (p.completedBy >= 0 && knows(at, view, p.fact))

/** An arrival that the phase counts, not one of cp.async for which it was asked to count one more. */
const isCounted = (r: Reading, at: number): boolean => {
  const e = r.log[at]!
  if (e._tag === 'barrier') return e.kind === 'arrive' || e.kind === 'drop'
  if (e._tag !== 'signal' || e.to !== 'arrive') return false
  return !isAskedFor(r, at)
}
const isAskedFor = (r: Reading, at: number): boolean => {
  const stamp = operationOf(r, at)?.issue.stamp
  return (
    stamp !== undefined &&
    r.log.some(
      (e) =>
        e._tag === 'barrier' &&
        e.kind === 'increment' &&
        e.stamp.agent === stamp.agent &&
        e.stamp.at === stamp.at,
    )
  )
}
const isArrival = (r: Reading, at: number): boolean => isCounted(r, at) || isAskedFor(r, at)

// ---------------------------------------------------------------- C3

/** Every event of a phase knows every event of the phase before. */
export const phasesInOrder = (r: Reading, knows: Knows): ReadonlyArray<Failing> => {
  const known = knowsOf(r, knows, 'order')
  const barriers = r.histories.flatMap((h) =>
    h.phases.flatMap((p) => {
      const last = h.phases.find((q) => q.number === p.number - 1 && p.number > p.base)
      if (last === undefined) return []
      return p.events.flatMap((b) =>
        last.events.filter((a) => !known(b, last, a)).map((a) => fails('C3', 'C3', a, b)),
      )
    }),
  )
  const meetings = r.meetings.flatMap((m) => {
    const last = r.meetings.find((n) => n.key === m.key && n.number === m.number - 1)
    return m.arrivals.flatMap((b) =>
      (last?.arrivals ?? []).filter((a) => !knows(b, 'order', a)).map((a) => fails('C3', 'C3', a, b)),
    )
  })
  return [...barriers, ...meetings]
}

// ---------------------------------------------------------------- C4

/** A phase that completes was waited for: some event of it knows each wait for the one before. */
export const notOverrun = (r: Reading, knows: Knows): ReadonlyArray<Failing> =>
  r.histories.flatMap((h) =>
    h.observations.flatMap((o) => {
      const next = h.phases.find((p) => p.number === o.observed + 1 && p.base === o.base)
      return next === undefined || next.completedBy < 0 || next.events.some((e) => knows(e, 'order', o.at))
        ? []
        : [fails('C4', 'upper', o.at, next.completedBy)]
    }),
  )

/** A wait cannot have passed two phases too early. */
export const notTooEarly = (r: Reading, knows: Knows): ReadonlyArray<Failing> => {
  const known = knowsOf(r, knows, 'before')
  return r.histories.flatMap((h) =>
    h.observations.flatMap((o) => {
      const p = h.phases.find((q) => q.number === o.observed - 1 && q.number >= o.base)
      return (p?.events ?? []).filter((a) => !known(o.at, p!, a)).map((a) => fails('C4', 'lower', a, o.at))
    }),
  )
}

/** A peek that is true of a phase all of whose events its agent knows cannot be false. */
export const certainPeeks = (r: Reading, knows: Knows): ReadonlySet<number> => {
  const known = knowsOf(r, knows, 'before')
  return new Set(
    r.histories.flatMap((h) =>
      h.peeks.flatMap(({ at, ready, base, observed }) => {
        const p = h.phases.find((q) => q.number === observed && q.base === base)
        return ready && (p?.events ?? []).every((e) => known(at, p!, e)) ? [at] : []
      }),
    ),
  )
}

/** A peek that spares a wait cannot have been true two phases too early, and the wait, had it been made, would not have come too late. */
export const sparedInTime = (r: Reading, knows: Knows): ReadonlyArray<Failing> => {
  const known = knowsOf(r, knows, 'before')
  return r.histories.flatMap((h) =>
    h.peeks.flatMap(({ at, ready, base, observed, certain, sparing }) => {
      if (certain || sparing === undefined) return []
      if (sparing.current - 1 !== observed) return [fails('C4', ready ? 'upper' : 'lower', at, sparing.at)]
      const p = h.phases.find((q) => q.number === observed - 1 && q.number >= base)
      return (p?.events ?? []).filter((a) => !known(at, p!, a)).map((a) => fails('C4', 'lower', a, at))
    }),
  )
}

/** Which signals a semaphore wait inherits is settled. */
export const settledSignals = (r: Reading, knows: Knows): ReadonlyArray<Failing> =>
  r.log.flatMap((e, at) => {
    if (e._tag !== 'semaphore' || e.outcome === 'blocked' || e.until !== undefined) return []
    const earlier = (
      is: (s: SemaphoreEvent) => boolean,
    ): ReadonlyArray<{ readonly i: number; readonly s: SemaphoreEvent }> =>
      r.log
        .slice(0, at)
        .flatMap((s, i) =>
          s._tag === 'semaphore' &&
          s.outcome !== 'blocked' &&
          s.until === undefined &&
          samePlace(s, e) &&
          is(s) &&
          !knows(at, 'before', i)
            ? [{ i, s }]
            : [],
        )
    const failing = (events: ReturnType<typeof earlier>): ReadonlyArray<Failing> =>
      events.map(({ i }) => fails('C4', 'semaphore', i, at))
    if (e.kind === 'signal') return failing(earlier((s) => s.kind === 'wait'))
    const signals = earlier((s) => s.kind === 'signal')
    // without one of them, those behind it of its agent are lacking, too
    const without = (from: number, agent: number): number =>
      signals.reduce((n, { i, s }) => (i >= from && s.stamp.agent === agent ? n - s.value : n), e.before)
    const spare = signals.filter(({ i, s }) => without(i, s.stamp.agent) >= e.value)
    const taken = earlier((s) => s.kind === 'wait' && (e.decrement || s.decrement))
    return failing([...spare, ...taken])
  })

// ---------------------------------------------------------------- C6

/** Bytes are announced before the phase can complete without them; arrivals that are asked for, too. */
export const announced = (r: Reading, knows: Knows, whole: boolean): ReadonlyArray<Failing> =>
  r.histories.flatMap((h) =>
    h.phases.flatMap((p) => {
      const counted = p.events.filter((at) => isCounted(r, at))
      const isAsked = p.completedBy >= 0 || (whole && p.events.some((at) => isArrival(r, at)))
      return p.events
        .filter((at) => {
          const e = r.log[at]!
          if (e._tag !== 'barrier') return false
          return e.kind === 'expect'
            ? isAsked && e.bytes >= 0
            : e.kind === 'increment' && isAsked && counted.length > 0
        })
        .filter((at) => !counted.some((x) => knows(x, 'order', at)))
        .map((at) => fails('C6', 'C6', at, counted[0] ?? at))
    }),
  )

// ---------------------------------------------------------------- C1, C2

/** Atomic writes whose order matters, but for the rounding of sums; requests of cluster launch control. */
export const determined = (r: Reading, knows: Knows, pairs: ReadonlyArray<Pair>): ReadonlyArray<Failing> => {
  const isSum = ({ access }: Pair['a']): boolean => rounds(access)
  const requests = indices(r.log, (e) => e._tag === 'issue' && e.unit === 'clc')
  return [
    ...pairs
      .filter((p) => p.kind === 'anyOrder' && !(isSum(p.a) && isSum(p.b)))
      .map((p) => fails('C1', 'order', p.a.at, p.b.at)),
    ...requests.flatMap((b) =>
      requests.filter((a) => a < b && !knows(b, 'order', a)).map((a) => fails('C1', 'requests', a, b)),
    ),
  ]
}

// ---------------------------------------------------------------- C1, strong accesses

/** What is taken over through a word depends on when its read comes, unless it was known anyhow; when a wait comes is asked of the wait. */
export const heardByChance = (r: Reading, knows: Knows, { has }: Judging): ReadonlyArray<Failing> => {
  const all = [...synchronised(r, has), ...forced(r, has)]
  const facts = r.log.length + r.histories.reduce((n, h) => n + h.phases.length, 0)
  const isNews = (from: number, to: number): boolean => {
    const settled = all.filter((s) => s.awaited && s.to === to)
    for (let fact = 0; fact < facts; fact++)
      if (
        knows(from, 'order', fact) &&
        !knows(to, 'before', fact) &&
        !settled.some((s) => knows(s.from, 'order', fact))
      )
        return true
    return false
  }
  return all
    .filter(({ from, to, awaited }) => !awaited && isNews(from, to))
    .map(({ from, to }) => fails('C1', 'hears', from, to))
}

/** A read that decides something, and a write, both strong, in no order. */
export const decided = (
  judged: ReadonlyArray<Judged>,
  ordered: (a: Touch, b: Touch) => boolean,
): ReadonlyArray<Failing> =>
  judged
    .filter(
      ({ a, b, is }) =>
        (is === 'atomic' || is === 'anyOrder') &&
        // of two that meet, one writes
        (a.access.decides === true || b.access.decides === true) &&
        !ordered(a, b),
    )
    .map(({ a, b }) => fails('C1', 'decides', a.at, b.at))

/** A strong write of a word knows every wait for it that comes before; else it could have come first. */
export const waitedFor = (r: Reading, knows: Knows): ReadonlyArray<Failing> =>
  wordsIn(r).flatMap(({ touches }) =>
    touches.flatMap((wait, i) => {
      const e = r.log[wait.at]!
      if (e._tag !== 'semaphore' || e.until === undefined) return []
      const after = touches.slice(i + 1)
      const plain = after.findIndex((t) => t.access.rw === 'w' && !isStrong(t))
      return (plain < 0 ? after : after.slice(0, plain))
        .filter((t) => t.access.rw === 'w' && !knows(t.at, 'before', wait.at))
        .map((t) => fails('C1', 'word', wait.at, t.at))
    }),
  )

/** What the log says of parities is what its phases say. */
export const wellFormed = (r: Reading): ReadonlyArray<Failing> => [
  ...r.histories.flatMap((h) => h.contradictions.map((at) => fails('C2', 'parity', at, at))),
  ...r.meetings
    .filter((m) => m.short && m.key.startsWith('cta'))
    .flatMap((m) => m.leaves.slice(0, 1).map((at) => fails('C2', 'parity', at, at))),
]

export const conditionClauses = (
  r: Reading,
  knows: Knows,
  q: Asked,
  { pairs, judged }: Found,
  how: Judging,
  whole: boolean,
): ReadonlyArray<Failing> => {
  const { has } = how
  return [
    ...(has('C1') ? determined(r, knows, pairs) : []),
    ...(has('C1-hears') ? heardByChance(r, knows, how) : []),
    ...(has('C1-decides') ? decided(judged, q.ordered) : []),
    ...(has('C1-word') ? waitedFor(r, knows) : []),
    ...(has('C2') ? wellFormed(r) : []),
    ...(has('C3') ? phasesInOrder(r, knows) : []),
    ...(has('C4-upper') ? notOverrun(r, knows) : []),
    ...(has('C4-lower') ? notTooEarly(r, knows) : []),
    ...(has('C4-peek') ? sparedInTime(r, knows) : []),
    ...(has('C1-peek') ? r.histories.flatMap((h) => h.misled.map((at) => fails('C1', 'peek', at, at))) : []),
    ...(has('C4-semaphore') ? settledSignals(r, knows) : []),
    ...(has('allocation') ? contested(r, knows).map(({ a, b }) => fails('C5', 'allocator', a, b)) : []),
    ...(has('C6') ? announced(r, knows, whole) : []),
  ]
}
