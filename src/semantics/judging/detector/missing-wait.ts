/**
 * Missing waits: a barrier that is arrived on and not waited for.
 *
 * When a wait is left out, the run goes on with the wrong generations, and what the release would have told the writer is no longer to be
 * had from it: the reader has already read the next contents. But the log still shows that the release is not heard, and by whom it should be.
 *
 *     C  wait loaded 0    read slot 0    arrive consumed            P  load slot 0, loaded     load slot 0 again
 *
 * No wait for `consumed` is in the log. The second load overwrites what C reads; the first release of C after that read is the arrive on
 * `consumed`: a wait for it before the second load is what is missing.
 *
 * | finding             | the reader                                     | its release                                |
 * |---------------------|------------------------------------------------|--------------------------------------------|
 * | W, one side reads   | that side                                      | its first unheard one after the read        |
 * | W, two writes       | the first other agent that reads those bytes   | the same                                    |
 * | W, two writes of one agent that has not waited between them | the same | its first one that no other agent waits for, nor the writer before its write |
 * | W, no agent reads   | none: a barrier that is not waited for, with the index of the one that the first write signals ||
 * | W, two writes of one agent that has waited between them | -: the barrier that it waited for, whose arrives came before anybody had read ||
 * | W, the same, and nothing has arrived there yet | -: that barrier, too: its wait passes at the phase before the first          ||
 * | W, its writer waited for another index than its copy signals | -: the barrier of that ring with the index of the copy ||
 * | B2, B3 on barrier x | an agent that waits for x                      | the unheard one with the index of x, else the first |
 * | B1 on barrier x     | the one that can be late                       | the same                                    |
 * | B1, B2, B3, none has come to it | none: a barrier of another ring with the index of x, which is not waited for ||
 *
 * Laws
 * 1. A barrier that occurs in a wait, passed, blocked or tested, is never named as one that is not waited for.
 */
import type { Finding, Operation as Side } from '../finding.js'
import type { Header, LogEvent } from '../../log/events.js'
import { spansOf } from '../../log/events.js'
import { readBarrierName, type BarrierName } from '../../log/barrier-name.js'
import { indexOf } from './replay.js'
import { planeName } from './report.js'

// ---------------------------------------------------------------- model

/** An arrival: where in the log, by whom, on what. */
export interface Release {
  readonly index: number
  readonly agent: number
  readonly barrier: number
}

// ---------------------------------------------------------------- destructors

const awaited = (events: ReadonlyArray<LogEvent>): ReadonlySet<number> =>
  new Set(events.flatMap((e) => (e._tag === 'wait' ? [e.barrier] : [])))

/** The same; where a writer has not waited at all since its first write, without what it waits for behind the other: that is too late. */
const awaitedInTime = (events: ReadonlyArray<LogEvent>, first: Side, writer: Side): ReadonlySet<number> => {
  const [from, to] = [indexOf(events, first), indexOf(events, writer)]
  const its = (e: LogEvent): boolean => e._tag === 'wait' && e.stamp.agent === writer.index
  const patient = first.index !== writer.index || events.slice(from, to).some(its)
  return patient ? awaited(events) : awaited(events.filter((e, i) => i < to || !its(e)))
}

/** Whether no agent waits for the barrier. */
export const isUnheard = (events: ReadonlyArray<LogEvent>, barrier: number): boolean =>
  !awaited(events).has(barrier)

/** Arrivals on all but these barriers, an operation's at its issue. */
const unheard = (events: ReadonlyArray<LogEvent>, heard: ReadonlySet<number>): ReadonlyArray<Release> => {
  const issued = new Map<number, Omit<Release, 'barrier'>>()
  const out: Array<Release> = []
  events.forEach((e, index) => {
    if (e._tag === 'issue') issued.set(e.operation, { index, agent: e.stamp.agent })
    else if (e._tag === 'barrier' && e.kind === 'arrive' && !heard.has(e.barrier))
      out.push({ index, agent: e.stamp.agent, barrier: e.barrier })
    else if (e._tag === 'signal' && e.to === 'arrive' && !heard.has(e.barrier)) {
      const by = issued.get(e.operation)
      if (by !== undefined) out.push({ index: by.index, agent: by.agent, barrier: e.barrier })
    }
  })
  return out
}

/** The access of another agent that reads bytes of the finding first, after `from`. */
const readerOf = (
  header: Header,
  events: ReadonlyArray<LogEvent>,
  finding: Finding,
  writer: number,
  from: number,
): { readonly agent: number; readonly index: number } | undefined => {
  const place = finding.place
  if (place === undefined) return undefined
  const touches = (spans: Int32Array): boolean =>
    place.spans.some(([start, end]) => {
      for (let i = 0; i < spans.length; i += 2) if (spans[i]! < end && spans[i + 1]! > start) return true
      return false
    })
  for (let i = from; i < events.length; i++) {
    const e = events[i]!
    if (e._tag !== 'access' || e.rw !== 'r' || e.stamp.agent === writer) continue
    if (planeName(header, e.footprint.plane) !== place.plane || !touches(spansOf(e.footprint))) continue
    const { agent, at } = e.stamp
    const issue = events.findIndex((x) => x._tag === 'issue' && x.stamp.agent === agent && x.stamp.at === at)
    return { agent, index: issue < 0 ? i : issue }
  }
  return undefined
}

/** The release that the writer of a W finding should have waited for. */
export const releaseBefore = (
  header: Header,
  events: ReadonlyArray<LogEvent>,
  finding: Finding,
  first: Side,
  firstWrites: boolean,
  writer: Side,
): Release | undefined => {
  const from = indexOf(events, first)
  const reader = firstWrites
    ? readerOf(header, events, finding, writer.index, from)
    : { agent: first.index, index: from }
  if (reader === undefined) return undefined
  return unheard(events, awaitedInTime(events, first, writer)).find(
    (r) => r.agent === reader.agent && r.agent !== writer.index && r.index > reader.index,
  )
}

/** Where the reader never came to its release: a barrier that is not waited for, with the index of this one, else the first. */
export const silentPartner = (
  header: Header,
  events: ReadonlyArray<LogEvent>,
  barrier: number,
): number | undefined => {
  const cta = header.barriers[barrier]?.cta
  const silent = header.barriers.flatMap((b, i) => (b.cta === cta && isUnheard(events, i) ? [i] : []))
  // bytes that come tell that they are there, and not that they were read
  const delivered = new Set(
    events.flatMap((e) => (e._tag === 'signal' && e.to === 'barrier' ? [e.barrier] : [])),
  )
  const releases = silent.filter((i) => !delivered.has(i))
  const same = (of: ReadonlyArray<number>): number | undefined =>
    of.find((i) => indexIn(header, i) === indexIn(header, barrier))
  return same(releases) ?? same(silent) ?? silent[0]
}

/** Is there, with the index of this one, a barrier that is not waited for, and which no copy signals? */
export const hasSilentRelease = (
  header: Header,
  events: ReadonlyArray<LogEvent>,
  barrier: number,
): boolean => {
  const partner = silentPartner(header, events, barrier)
  return (
    partner !== undefined &&
    indexIn(header, partner) === indexIn(header, barrier) &&
    indexIn(header, barrier) !== '' &&
    !events.some((e) => e._tag === 'signal' && e.to === 'barrier' && e.barrier === partner)
  )
}

const nameIn = (header: Header, barrier: number): BarrierName =>
  readBarrierName(header.barriers[barrier]?.name ?? '')
const indexIn = (header: Header, barrier: number): string => nameIn(header, barrier).index
const ringIn = (header: Header, barrier: number): string => nameIn(header, barrier).storage

/** Does any agent wait for a barrier of its ring? */
export const isRingHeard = (header: Header, events: ReadonlyArray<LogEvent>, barrier: number): boolean =>
  [...awaited(events)].some((b) => ringIn(header, b) === ringIn(header, barrier))

/**
 * The last wait of a writer before it writes, if that was for another index of a ring of barriers than its copy signals: with the one that has the index of
 * the copy. Rings that belong together have one index for one slot.
 */
export const mistakenWait = (
  header: Header,
  events: ReadonlyArray<LogEvent>,
  writer: Side,
  own: number,
): { readonly site: number; readonly barrier: number } | undefined => {
  const to = indexOf(events, writer)
  for (let i = to - 1; i >= 0; i--) {
    const e = events[i]!
    if (e._tag !== 'wait' || e.stamp.agent !== writer.index || e.outcome !== 'passed') continue
    const { barrier } = e
    if (indexIn(header, barrier) === '' || indexIn(header, barrier) === indexIn(header, own)) return undefined
    const cta = header.barriers[barrier]?.cta
    const meant = header.barriers.findIndex(
      (b, k) =>
        b.cta === cta &&
        ringIn(header, k) === ringIn(header, barrier) &&
        indexIn(header, k) === indexIn(header, own),
    )
    return meant < 0 || ringIn(header, barrier) === ringIn(header, own)
      ? undefined
      : { site: e.stamp.site, barrier: meant }
  }
  return undefined
}

/**
 * The wait of a writer for the ring that frees its slot, between its two writes (`spent`: behind it the writer has announced a copy on another barrier), if it has passed: on arrivals that came before anybody had read, with the
 * statement of the last of those (`arrive`); or, when nothing has arrived there yet, at the phase before the first (`arrive` is null).
 */
export const earlyRelease = (
  header: Header,
  events: ReadonlyArray<LogEvent>,
  first: Side,
  writer: Side,
  own: number,
):
  | {
      readonly barrier: number
      readonly wait: number
      readonly arrive: number | null
      readonly spent: boolean
    }
  | undefined => {
  const [from, to] = [indexOf(events, first), indexOf(events, writer)]
  let spent = false
  for (let i = to - 1; i > from; i--) {
    const e = events[i]!
    if (e._tag === 'barrier' && e.stamp.agent === writer.index && e.bytes > 0 && e.barrier !== own)
      spent = true
    if (e._tag !== 'wait' || e.stamp.agent !== writer.index || e.outcome !== 'passed') continue
    const { barrier } = e
    if (ringIn(header, barrier) === ringIn(header, own) || indexIn(header, barrier) !== indexIn(header, own))
      return undefined
    const wait = e.stamp.site
    for (let k = i - 1; k >= 0; k--) {
      const x = events[k]!
      if (x._tag === 'barrier' && x.kind === 'arrive' && x.barrier === barrier)
        return { barrier, wait, arrive: x.stamp.site, spent }
      // what an operation arrives with has no statement of its own
      if (x._tag === 'signal' && x.to === 'arrive' && x.barrier === barrier) return undefined
    }
    return { barrier, wait, arrive: null, spent }
  }
  return undefined
}

/** The release that should have come before another arrival on `barrier`: by `waiter`, where it has to be that agent's. */
export const releaseOf = (
  header: Header,
  events: ReadonlyArray<LogEvent>,
  barrier: number,
  writer: Side,
  waiter?: Side,
): Release | undefined => {
  const all = unheard(events, awaited(events))
  for (const [i, e] of events.entries()) {
    if (e._tag !== 'wait' || e.barrier !== barrier || e.stamp.agent === writer.index) continue
    if (waiter !== undefined && e.stamp.agent !== waiter.index) continue
    const after = all.filter((r) => r.agent === e.stamp.agent && r.index > i)
    const same = after.find((r) => indexIn(header, r.barrier) === indexIn(header, barrier))
    if (after.length > 0) return same ?? after[0]
  }
  return undefined
}
