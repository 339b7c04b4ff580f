/**
 * Waits for a word: loops that load and compare, or a wait at a semaphore.
 *
 * A wait goes on at its own time, so what it finds is not luck. It is asked instead whether this run could have gone otherwise:
 *
 * | asked of a wait that passes                                                                  | else                         |
 * |----------------------------------------------------------------------------------------------|------------------------------|
 * | every write of the word that comes after it knows it, or nothing undoes the wait (`sums.ts`) | it could have come first     |
 * | no fewer of the writes that it does not know anyhow would let it pass                        | it could have passed earlier |
 *
 * Fewer writes: where each knows all before it, the values that they leave; where all of them add something positive and the wait is for at least, or for exactly, a
 * number, all without the last of one agent. Else it is not known. What fails is C1: what the wait hears is a matter of timing. What was found in the run is so all the
 * same.
 *
 * The first question is asked when a write comes (`written`), the second when the wait passes (`watched`).
 *
 * What has been waited for so has come: the memory that the word lies in is not left before it (K1), also where nothing else is told.
 *
 * Law 1. Writes that all running agents know decide nothing any more, but for the last of them.
 */
import type { Access, Footprint, SemaphoreEvent, Stamp } from '../../log/events.js'
import { holds } from '../../log/comparison.js'
import { reachOf } from '../../log/reach.js'
import { addsWords } from './readings.js'
import { stampAt, type AgentState, type Context } from './context.js'
import { allLanes } from './activity.js'
import type { Knowledge } from './knowledge.js'
import { isAmong, knowsAttendance, knowsEvent } from './lanes.js'
import { fail, keyOf, planeName, where } from './report.js'
import { heardOf } from './obligations.js'
import type { Detector } from './state.js'
import { keyOfWord, wordsOf } from './words.js'
import type { Last, Left, Passed, Reached, Signed, Word } from './strong-state.js'
import { addedBy, isOfSign, isOneSign, needsAll, stays, sumsIn, total } from './sums.js'
import { strandsOf } from './strands.js'
import { wordAt, widthOf } from './strong-words.js'
import { reads } from './strong-reads.js'
import { finds } from './strong-found.js'
import { hear } from './strong-heard.js'

// ---------------------------------------------------------------- waits

const nameOf = (c: Context, f: Footprint, byte: number): string =>
  `the word at ${planeName(c.header, f.plane)}+${String(byte)}`

const ambiguous = (d: Detector, name: string, first: Stamp, second: Stamp, text: string): void => {
  if (d.context.options.rules.anyWord) return
  fail(d.context.report, 'C1', keyOf(name, first, second), () => ({
    text: `${name}: ${text}`,
    draft: undefined,
  }))
}

/** A write of a word that some agent may wait for, under so many that come later; `knew`: its agent, before it heard anything through the word. */
export const written = (
  d: Detector,
  w: Word,
  e: Access,
  stamp: Stamp,
  back: number,
  byte: number,
  before: number | undefined,
  after: number | undefined,
  knew: Knowledge,
): void => {
  const c = d.context
  const name = nameOf(c, e.footprint, byte)
  const far = farthest(w, stamp, knew)
  const isBehind = ({ stamp: of, nth }: Pick<Left, 'stamp' | 'nth'>): boolean =>
    nth < far || knowsEvent(knew, of, stamp)
  const more =
    before === undefined || after === undefined || !addsOneWord(e) ? NaN : addedBy({ before, after })
  w.reached = w.reached.map((wait) => {
    if (knowsAttendance(knew, wait.stamp, stamp)) return wait
    const { stamp: of, written: nth, asks, more: others } = wait
    const now: Reached = { stamp: of, written: nth, asks, more: others + more }
    if (asks === null || !asks.needs.every(isBehind) || !stays(asks, now.more))
      ambiguous(d, name, of, e.stamp, `${where(c.header, e.stamp)} can come before ${where(c.header, of)}`)
    return now
  })
  const fails = (of: Stamp, other: Stamp): void => {
    const text = `${where(c.header, of)} can find either sign, depending on what comes before it`
    ambiguous(d, name, of, other, text)
  }
  w.signed = w.signed.map((one) => {
    if (isBehind(one)) return one
    const now: Signed = { stamp: one.stamp, nth: one.nth, low: one.low, more: one.more + more }
    if (!isOneSign(now.low, now.more)) fails(one.stamp, stamp)
    return now
  })
  if (d.strong.signs === e.stamp.at) {
    const sums = Number.isNaN(more) ? null : sumsIn(w.left, isBehind, before ?? NaN)
    const [low, others] = sums === null ? [NaN, NaN] : [sums.low, total(sums.added)]
    if (!isOneSign(low, others)) fails(stamp, stamp)
    w.signed = [...w.signed, { stamp, nth: w.written, low, more: others }]
  }
  const { unsteady, overtaken } = d.strong.readings
  const word = keyOfWord(e.footprint.plane, byte)
  if (!unsteady.has(word) && w.passed.some((wait) => mayKeep(wait, { stamp, back, before, after, knew })))
    unsteady.add(word)
  if (!overtaken.has(word) && w.asked.some((read) => !knowsEvent(knew, read, stamp))) overtaken.add(word)
  if (after === undefined || before === undefined) return
  const at = Math.max(0, w.left.length - back)
  const last = w.left[at - 1]
  w.left.splice(at, 0, {
    stamp,
    nth: w.written++,
    before,
    after,
    adds: addsOneWord(e),
    knewAll: last === undefined || knowsEvent(knew, last.stamp, stamp),
  })
  if (w.left.length > 32) settle(c, w)
}

/** Behind how many writes is who knows so much of waits for the word that have found them? */
const farthest = ({ reached }: Word, by: Stamp, knew: Knowledge): number =>
  reached.reduce(
    (far, wait) => (wait.written > far && knowsAttendance(knew, wait.stamp, by) ? wait.written : far),
    0,
  )

const addsOneWord = (e: Access): boolean => addsWords(e) && (e.words ?? 1) === 1

/** May a write that does not know of a wait come before it, and then it is not over? */
const mayKeep = (
  { stamp: wait, until, value }: Passed,
  write: {
    readonly stamp: Stamp
    readonly back: number
    readonly before: number | undefined
    readonly after: number | undefined
    readonly knew: Knowledge
  },
): boolean => {
  const { stamp, back, before, after, knew } = write
  const isPassing = (word: number): boolean => !Number.isNaN(word) && holds(until, word, value)
  const leavesIt =
    back === 0 && before !== undefined && after !== undefined && (!isPassing(before) || isPassing(after))
  return !leavesIt && !knowsAttendance(knew, wait, stamp)
}

const everyLane = ({ knowledge: { together } }: AgentState): Stamp | undefined =>
  together === null ? undefined : { agent: together.agent, at: 0, site: -1, iteration: [], lanes: allLanes }

/** Writes that all agents know which have not ended decide nothing any more, but for the last of them. */
const settle = (c: Context, w: Word): void => {
  const running = c.agents.filter((a) => !a.exited)
  let n = 0
  while (
    n + 1 < w.left.length &&
    running.every((a) =>
      strandsOf(a).every(({ knowledge }) => knowsEvent(knowledge, w.left[n + 1]!.stamp, everyLane(a))),
    )
  )
    n++
  if (n === 0) return
  w.left.splice(0, n)
  const isKnownToAll = (knows: (k: Knowledge, by: Stamp | undefined) => boolean): boolean =>
    running.every((a) => strandsOf(a).every(({ knowledge }) => knows(knowledge, everyLane(a))))
  w.signed = w.signed.filter(({ stamp }) => !isKnownToAll((k, by) => knowsEvent(k, stamp, by)))
  w.reached = w.reached.filter(({ stamp }) => !isKnownToAll((k, by) => knowsAttendance(k, stamp, by)))
}

/** Comparisons that hold from some word on, or of one word alone. */
const leastOf: ReadonlySet<string> = new Set(['eq', 'ge', 'gt', 'hs', 'hi'])

/** Could a wait that passes on the last value have passed on fewer of the writes that it does not know? Which of them it can do without. */
const spare = (
  left: ReadonlyArray<Left>,
  k: Knowledge,
  e: SemaphoreEvent,
  isBehind: (l: Left) => boolean,
): Left | undefined => {
  const sums = isOfSign(e.until) ? sumsIn(left, isBehind, e.before) : null
  if (sums !== null && needsAll(sums, e.until, e.value)) return undefined
  const from = left.findIndex((l) => !knowsEvent(k, l.stamp, e.stamp))
  if (from < 0) return undefined
  const tail = left.slice(from)
  const [first] = tail
  // what is not known may be anything
  const is = (value: number): boolean => Number.isNaN(value) || holds(e.until ?? 'ge', value, e.value)
  // before the first of them the word held what the last known write left, or what was there from the start
  if (first === undefined || is(first.before)) return first
  const last = tail[tail.length - 1]!
  if (tail.slice(1).every((l) => l.knewAll)) return tail.slice(0, -1).find((l) => is(l.after))
  const growing = tail.every((l) => l.adds && l.after > l.before)
  if (!growing || e.until === undefined || !leastOf.has(e.until)) return last
  if (e.until === 'eq') return undefined
  const newest = new Map(tail.map((l) => [`${String(l.stamp.agent)} ${String(l.stamp.lanes)}`, l]))
  for (const l of newest.values()) if (is(e.before - (l.after - l.before))) return l
  return undefined
}

/** What a wait has asked of which nothing comes but that it is over; null: every write that comes later must know of it. */
const asksIn = (
  { left }: Word,
  isBehind: (l: Left) => boolean,
  { until, unheeded, value, before }: SemaphoreEvent,
): Reached['asks'] =>
  until === undefined || unheeded !== true || Number.isNaN(before)
    ? null
    : { until, value, before, needs: left.filter((l) => !isBehind(l)) }

/** Waits that later writes need not know are all kept; of the others of its lanes the latest. */
const withReached = (all: ReadonlyArray<Reached>, one: Reached): ReadonlyArray<Reached> => [
  ...all.filter((r) => r.asks !== null || r.stamp.agent !== one.stamp.agent || !isAmong(r.stamp, one.stamp)),
  one,
]

/** Of those of its lanes that have asked the same the latest. */
const withPassed = (all: ReadonlyArray<Passed>, one: Passed): ReadonlyArray<Passed> => {
  const { stamp, until, value } = one
  const isOver = (p: Passed): boolean =>
    p.stamp.agent === stamp.agent && p.until === until && p.value === value && isAmong(p.stamp, stamp)
  return [...all.filter((p) => !isOver(p)), one]
}

/** A wait for a word has passed; its access is judged, and its agent has ticked. */
export const watched = (d: Detector, e: SemaphoreEvent, a: AgentState): void => {
  const c = d.context
  const x = e.stamp.agent
  const { plane } = e.footprint
  for (const byte of wordsOf(e.footprint)) {
    const w = wordAt(d, plane, byte)
    const far = farthest(w, e.stamp, a.knowledge)
    const known = (l: Left): boolean => l.nth < far || knowsEvent(a.knowledge, l.stamp, e.stamp)
    const asks = asksIn(w, known, e)
    const without = spare(w.left, a.knowledge, e, known)
    if (without !== undefined) {
      const name = nameOf(c, e.footprint, byte)
      ambiguous(
        d,
        name,
        without.stamp,
        e.stamp,
        `${where(c.header, e.stamp)} passes at ${String(e.before)}: it may have passed without ${where(c.header, without.stamp)}`,
      )
    }
    const stamp = stampAt(c, e.stamp, e.footprint, byte)
    d.strong.readings.controlled.add(keyOfWord(plane, byte))
    const one: Last = { agent: x, reach: reachOf(e.scope), width: widthOf({ footprint: e.footprint }) }
    reads(d, w, a, stamp, 0, plane, byte, null, null, e.relaxed === true ? 0 : one.reach, one)
    finds(d, w, w, stamp, one)
    hear(d, w, w, a, e.stamp, one, e.relaxed !== true, true)
    for (const l of w.left) heardOf(d.obligations, l.stamp, plane, byte, stamp)
    w.reached = withReached(w.reached, {
      stamp: e.stamp,
      written: w.written,
      asks,
      more: 0,
    })
    if (e.until !== undefined)
      w.passed = withPassed(w.passed, { stamp: e.stamp, until: e.until, value: e.value })
  }
}
