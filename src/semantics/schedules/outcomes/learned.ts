/**
 * What a search learns of a program and keeps for the next one: which words decide, who reads and writes them, and which clusters share them.
 *
 * | may matter, of the words that decide                             | is of no consequence            |
 * |------------------------------------------------------------------|---------------------------------|
 * | a read whose value decides, an atomic, a strong store, a wait for the word | everything else       |
 *
 * The words that decide are those that are read strongly, that a wait is for, and that strong stores or exchanges leave in an order that nothing fixes.
 *
 * Law 1. What is learned grows, but for the equals, of which it is learned that they are none.
 */
import { bitsOf } from '../../../numerics/dtype.js'
import { clusterOf, type Access, type Footprint, type Header, type LogEvent } from '../../log/events.js'
import type { Ready } from '../../machine/state.js'
import type { Prepared } from '../../machine/operation.js'
import type { Offered } from '../../execution/step.js'
import { stronglyNamed } from '../../instructions/families.js'
import { grouping, type Grouping } from './groups.js'
import type * as Exchange from './exchange.js'
import { isSteadyWait, steady, wordsIn, type Steady } from './steady.js'

// ---------------------------------------------------------------- model

/** Words that decide, by plane and byte, and who has touched them. */
export type Words = Map<string, Set<number>>

/** What is learned in one search and kept for the next. */
export interface Learned {
  readonly words: Words
  /** words that strong reads name which write nothing: how many bytes each has, and which agents read it */
  readonly read: Map<string, { readonly bytes: number; readonly by: Set<number> }>
  /** words that decide, and which agents write them strongly */
  readonly written: Map<string, Set<number>>
  readonly groups: Grouping
  /** what agents stand ready for that may matter: it does from then on */
  readonly mattering: WeakSet<Prepared>
  /** groups whose states are told apart by all bytes */
  readonly exact: Set<number>
  /** some read may take an older write unless fences are in an order that says otherwise: their orders are followed, too */
  fences: boolean
  /** words that were read for control */
  readonly controlled: Set<string>
  /** words that atomic writes combine into: how, and whether an operation does */
  readonly combined: Map<string, Combined>
  /** words of which some atomic leaves what it finds, whatever that is */
  readonly idle: Set<string>
  /** waits and reads that need not be tried in turn */
  readonly steady: Steady
  /** clusters that are equals, as far as is known; null: none are asked */
  equals: Exchange.Equals | null
  /** plain reads that are judged as wider ones */
  wider: Exchange.Wider
  events: number
  /** something that the search under way has not known: it begins again */
  news: boolean
}

interface Combined {
  readonly how: Set<string>
  byUnit: boolean
  /** some of them matter in which order they come, even alike */
  inOrder: boolean
}

export const nothingLearned = (everyOrder: boolean): Learned => ({
  words: new Map(),
  read: new Map(),
  written: new Map(),
  groups: grouping(),
  mattering: new WeakSet(),
  exact: new Set(),
  fences: false,
  controlled: new Set(),
  combined: new Map(),
  idle: new Set(),
  steady: steady(everyOrder),
  equals: null,
  wider: new Map(),
  events: 0,
  news: false,
})

/** Are there words among these that were not known to be such? */
export const learnMore = (learned: Learned, known: Set<string>, words: Iterable<string>): void => {
  for (const word of words)
    if (!known.has(word)) {
      known.add(word)
      learned.news = true
    }
}

// ---------------------------------------------------------------- what matters

/** The words that an event shows to decide. */
const shownBy = (e: LogEvent): ReadonlyArray<string> =>
  e._tag === 'access'
    ? e.decides === true || isSet(e) || mayHear(e)
      ? wordsIn(e.footprint)
      : []
    : e._tag === 'semaphore' && e.until !== undefined
      ? wordsIn(e.footprint)
      : []

/** A strong write that does not commute with another. */
const isSet = (e: Access): boolean =>
  e.atomic &&
  e.operation === undefined &&
  e.rw === 'w' &&
  (e.combine === undefined || e.combine === 'exchange' || e.combine === 'cas')

/** A strong read: what it hears may matter, now or at a fence. */
const mayHear = (e: Access): boolean =>
  e.atomic && e.operation === undefined && (e.acquires === true || (e.rw === 'r' && e.combine === undefined))

const footprintOf = (p: Prepared): Footprint | null =>
  p._tag === 'semaphore' ? p.counter.footprint : (stronglyNamed(p)?.elements.footprint ?? null)

/** The words that an agent stands at. */
export const wordsAt = (r: Ready): ReadonlyArray<string> => {
  const f = r._tag === 'do' ? footprintOf(r.prepared) : null
  return f === null ? [] : wordsIn(f)
}

export const matters = (known: Learned, o: Offered): boolean => {
  const { words, fences, mattering } = known
  if (o.operation !== null || o.ready?._tag !== 'do') return false
  const { prepared } = o.ready
  if (isSteadyWait(known.steady, prepared)) return false
  if (prepared._tag === 'fence') return fences && prepared.sequential === true
  if (mattering.has(prepared)) return true
  const f = footprintOf(prepared)
  if (f === null || !wordsIn(f).some((w) => words.has(w))) return false
  mattering.add(prepared)
  return true
}

/** Words that an event touches in a way that may matter. */
const touchedBy = (e: LogEvent): ReadonlyArray<string> =>
  (e._tag === 'access' && e.atomic) || e._tag === 'semaphore' ? wordsIn(e.footprint) : []

const inAnyOrder: ReadonlySet<string> = new Set(['add', 'and', 'or', 'xor', 'min', 'max'])

/** An atomic write, and how it combines. */
const combines = ({ combined }: Learned, e: Access): void => {
  const { combine = 'exchange' } = e
  const how = combine === 'min' || combine === 'max' ? `${combine} ${e.footprint.dtype}` : combine
  for (const word of wordsIn(e.footprint)) {
    const all = combined.get(word) ?? { how: new Set(), byUnit: false, inOrder: false }
    combined.set(word, all)
    all.how.add(how)
    all.inOrder ||= !inAnyOrder.has(combine)
    all.byUnit ||= e.operation !== undefined
  }
}

/**
 * Operations and others combine into one word in ways of which the last one matters: `add` and `max`. Operations come as they come and are no agents that are tried in turn, so that
 * order is not followed. Sums alone, and maxima alone, are the same in any order.
 */
export const leavesUnitsOpen = ({ combined }: Learned): boolean =>
  [...combined.values()].some(({ how, byUnit, inOrder }) => byUnit && (inOrder || how.size > 1))

/** The words that events show to decide, and who shares them. */
export const learn = (
  known: Learned,
  header: Header,
  agent: number,
  events: ReadonlyArray<LogEvent>,
): void => {
  const { words, read, written, groups } = known
  const cluster = clusterOf(header, header.agents[agent]!.cta)
  for (const e of events) {
    if (e._tag === 'access' && e.atomic && e.rw === 'w') combines(known, e)
    if (e._tag === 'access' && e.atomic && e.operation === undefined)
      for (const word of wordsIn(e.footprint)) {
        if (e.rw === 'r' && e.joins !== true && e.combine === undefined) {
          const all = read.get(word) ?? { bytes: bitsOf(e.footprint.dtype) / 8, by: new Set() }
          read.set(word, all)
          known.news ||= !all.by.has(agent)
          all.by.add(agent)
        } else if (e.rw === 'w') {
          const all = written.get(word) ?? new Set()
          written.set(word, all)
          known.news ||= words.has(word) && !all.has(agent)
          all.add(agent)
        }
      }
    for (const word of shownBy(e))
      if (!words.has(word)) {
        words.set(word, new Set())
        known.news = true
      }
    for (const word of touchedBy(e)) {
      const sharers = words.get(word)
      if (sharers === undefined || sharers.has(cluster)) continue
      const [first] = sharers
      sharers.add(cluster)
      if (groups.join(first ?? cluster, cluster)) known.news = true
    }
  }
}
