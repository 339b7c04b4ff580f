/**
 * Acquire patterns: what a read of a word inherits from the writes that it observes, and when.
 *
 *     B: load c (acquire)                      inherits at once
 *     B: load c (relaxed)   ...   fence        what was told is pending; the fence inherits it (`strong-fences.ts`)
 *     B: load c (relaxed)   load c (acquire)   the acquire inherits what reads of the same word have heard before it
 *
 * That a load observes this write and no other is luck, unless something orders the two. So a message that says something new fails condition C1, except in a wait:
 * a wait is asked apart whether it could have passed earlier (`strong-waits.ts`), and what it inherits is settled. Each lane hears for itself, so an access of
 * several lanes is taken apart where they hear different things.
 *
 * Laws
 * 1. An agent that neither fences nor acquires hears nothing.
 * 2. What is told reaches as far as the smaller of its scope and the reader's.
 */
import type { Access, Stamp } from '../../log/events.js'
import { receive, type AgentState, type Context } from './context.js'
import { join, nothing, pacedIn, programOf, type Knowledge } from './knowledge.js'
import { isOne } from '../../log/lane-mask.js'
import { eachDealt, isDealt, knowsEvent } from './lanes.js'
import * as Pace from './pace.js'
import { fail, keyOf, where } from './report.js'
import type { Detector } from './state.js'
import type { Options } from './rules.js'
import { keyOfWord } from './words.js'
import type { Unacquired, Last, Past, Pending, Strong, Told, Word } from './strong-state.js'
import { act, partLanes } from './strands.js'
import { exceeds, valueAt } from './sparse.js'
import { isObserved, distance, joins, toldTo } from './strong-words.js'

// ---------------------------------------------------------------- fences

export const slot = (agent: number, reach: number): number => agent * 4 + reach

/** Does a message say something new, of warps or of lanes that were known less far? */
const isNews = (k: Knowledge, message: Knowledge): boolean =>
  exceeds(message.order, k.order) ||
  [...(k.lags ?? [])].some(([agent, lags]) => {
    const said = pacedIn(message, agent)
    return lags.some((l) => !Pace.isWithin(said, l))
  })

/** What is heard through a word that nothing orders with its writes is a matter of timing, if it says anything. */
export const byChance = (c: Context, a: AgentState, stamp: Stamp, message: Knowledge): void => {
  if (isNews(a.knowledge, message))
    fail(c.report, 'C1', keyOf('hears', stamp, undefined), () => ({
      text: `${where(c.header, stamp)} synchronises or not, depending on whether it comes before or after the write that it reads`,
      draft: undefined,
    }))
}

/** The same of what another lane of the warp has told. */
const byLane = (c: Context, a: AgentState, stamp: Stamp, { lanes, knowledge }: Told): void => {
  const { agent, site, iteration } = stamp
  const at = valueAt(knowledge.order, programOf(agent))
  if (!knowsEvent(a.knowledge, { agent, at, site, iteration, lanes }, stamp))
    fail(c.report, 'C1', keyOf('hears', stamp, undefined), () => ({
      text: `${where(c.header, stamp)} synchronises or not, depending on whether it comes before or after a write by another lane of its warp`,
      draft: undefined,
    }))
}

/** These lanes act, and the others do not learn what they do. */
export const alone = (a: AgentState, agent: number, at: number, lanes: number): void => {
  if (lanes === a.acting) return
  partLanes(a, lanes)
  act(a, agent, lanes, at)
}

// ---------------------------------------------------------------- hearing and telling

/** Kept for the next fence that reaches so far. */
export const keep = (
  pending: Map<number, ReadonlyArray<Pending>>,
  key: number,
  lanes: number,
  message: Knowledge,
  sequential: boolean,
): void => {
  const all = pending.get(key) ?? []
  const kept = all.find((one) => one.lanes === lanes && one.sequential === sequential)
  if (kept !== undefined) {
    join(kept.knowledge, message)
    return
  }
  const fresh = nothing()
  join(fresh, message)
  pending.set(key, [...all, { lanes, knowledge: fresh, sequential }])
}

/** What a relaxed wait has found: with a fence behind it that reaches so far, it acquires. */
export const keepForFence = (d: Detector, agent: number, reach: 1 | 2, message: Knowledge): void => {
  keep(d.strong.awaited, slot(agent, reach), d.context.agents[agent]!.acting, message, false)
}

/**
 * What a read that observes the last write hears: at once if it acquires and reaches who told it, else at a fence that does, or at an access of this word that does. `awaited`:
 * by a wait, which is asked apart whether it could have heard something else.
 */
export const hear = (
  d: Detector,
  w: Word,
  { told, last }: Pick<Past, 'told' | 'last'>,
  a: AgentState,
  stamp: Stamp,
  by: Last,
  acquires: boolean,
  awaited: boolean,
): void => {
  const c = d.context
  const x = stamp.agent
  // what a wait has heard is settled: it comes first
  if (acquires) again(d, w, a, stamp, by, true)
  const left: Told[] = []
  for (const t of isObserved(d, last, by) ? told : []) {
    const far = distance(c, x, t.agent)
    if (t.reach < far && !c.options.rules.anyWordScope) continue
    // what another lane of the warp has told is news to this one alone
    if (t.agent === x && stamp.lanes === undefined) continue
    if (acquires && !t.sequential && (by.reach >= far || c.options.rules.anyWordScope)) {
      take(d, a, stamp, t, awaited)
      continue
    }
    keep(awaited ? d.strong.awaited : d.strong.pending, slot(x, far), a.acting, t.knowledge, t.sequential)
    if (!t.sequential) left.push(t)
  }
  if (left.length > 0) keepHeard(d, w, x, { lanes: a.acting, width: by.width, awaited, told: left })
  if (acquires) again(d, w, a, stamp, by, false)
}

const take = (d: Detector, a: AgentState, stamp: Stamp, t: Told, awaited: boolean): void => {
  if (!awaited && d.context.options.deaf === true) return
  if (!awaited) byChance(d.context, a, stamp, t.knowledge)
  if (!awaited && t.agent === stamp.agent) byLane(d.context, a, stamp, t)
  receive(a, t.knowledge, true, false)
}

const keepHeard = (d: Detector, w: Word, x: number, heard: Unacquired): void => {
  const all = w.heard.get(x) ?? []
  const isSame = (h: Unacquired): boolean =>
    h.lanes === heard.lanes && h.width === heard.width && h.awaited === heard.awaited
  const before = all.find(isSame)
  const told = withMore(before?.told ?? [], heard.told, d.context.options)
  w.heard.set(x, [
    ...all.filter((h) => h !== before),
    { lanes: heard.lanes, width: heard.width, awaited: heard.awaited, told },
  ])
}

/** An access that acquires takes over what reads of the same word before it have heard. */
const again = (d: Detector, w: Word, a: AgentState, stamp: Stamp, by: Last, awaited: boolean): void => {
  const x = stamp.agent
  const all = w.heard.get(x)
  if (all === undefined) return
  const { acting } = a
  const isTaken = (t: Told): boolean => by.reach >= distance(d.context, x, t.agent)
  for (const h of all) {
    if (h.awaited !== awaited || h.width !== by.width || (h.lanes & acting) === 0) continue
    alone(a, x, stamp.at, h.lanes & acting)
    for (const t of h.told) if (isTaken(t)) take(d, a, stamp, t, awaited)
  }
  act(a, x, acting, stamp.at)
}

/** Lanes of an access that hear different things, as each reads words of its own, or takes writes of its own; none: all hear the same. */
export const hearingApart = ({ words }: Strong, e: Access, lanes: number): ReadonlyArray<number> => {
  const isHeard = e.atomic && (e.rw === 'r' || joins(e)) && e.stamp.whole !== true
  if (!isHeard || words.size === 0 || isOne(lanes) || !isDealt(e.footprint, lanes)) return []
  const by = new Map<string, number>()
  let lane = 0
  let heard = ''
  let i = 0
  const kept = (): void => {
    by.set(heard, (by.get(heard) ?? 0) | lane)
  }
  eachDealt(e.footprint, lanes, (next, address) => {
    if (next !== lane) {
      if (lane !== 0) kept()
      lane = next
      heard = ''
    }
    const key = keyOfWord(e.footprint.plane, address)
    const back = e.older?.[i++] ?? 0
    if (toldTo(words.get(key), back).length > 0) heard = `${heard} ${key}`
    if (back !== 0) heard = `${heard}~${String(back)}`
  })
  kept()
  return by.size === 1 ? [] : [...by.values()]
}

/** Of one thread what reaches as far and was known later says more: a fence may be older than a release. */
export const withMore = (
  told: ReadonlyArray<Told>,
  more: ReadonlyArray<Told>,
  { rules }: Options,
): ReadonlyArray<Told> => [
  ...told.filter(
    (t) =>
      !more.some(
        (m) =>
          m.agent === t.agent &&
          m.sequential === t.sequential &&
          m.reach >= t.reach &&
          valueAt(m.knowledge.order, programOf(t.agent)) >= valueAt(t.knowledge.order, programOf(t.agent)) &&
          (rules.lastLaneTells || (t.lanes & ~m.lanes) === 0),
      ),
  ),
  ...more,
]
