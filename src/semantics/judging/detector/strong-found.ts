/**
 * Found writes: which writes of a word a read has seen, and through them which events must have come before it.
 *
 *     A: store x 1     B: load x -> 1   bar.sync   C: store y 1      D: load y -> 1
 *
 * D has found C's write, behind which B's finding lies: A's store comes before D's load in every execution with these values, though nothing synchronises them. Such an
 * order is weaker than being known. It never excuses a race; it only says which older writes a search need not try (`readings.ts`). A barrier passes on what was found,
 * as far as the last `mostCome` comings of each agent are remembered.
 *
 * Laws
 * 1. An agent never finds its own writes.
 * 2. Forgetting a finding lets a search try more, never less.
 */
import { clusterOf, type Stamp } from '../../log/events.js'
import type { Sighting } from './readings-state.js'
import { allLanes } from './activity.js'
import type { Knowledge } from './knowledge.js'
import { isAmong, knowsEvent } from './lanes.js'
import type { Detector } from './state.js'
import { lanesUpTo } from './words.js'
import type { Last, Past, Word, Writer } from './strong-state.js'
import { isObserved, never } from './strong-words.js'

// ---------------------------------------------------------------- what was found

/**
 * A read finds what was written since the last store. It counts where its value is the same in every schedule that comes here: that of a wait, and one that decides,
 * whose orders are all followed.
 */
export const finds = (
  d: Detector,
  w: Word,
  { writers: all, last }: Pick<Past, 'writers' | 'last'>,
  stamp: Stamp,
  by: Last,
): void => {
  if (!isObserved(d, last, by)) return
  const writers = all.filter(({ stamp: { agent } }) => agent !== stamp.agent)
  // a lane that has found as much before knows it from then on
  const old = w.found.filter((f) => f.stamp.agent === stamp.agent && isAmong(stamp, f.stamp))
  const news = writers.some(
    ({ stamp: s }) => !old.some((f) => ((s.lanes ?? allLanes) & ~lanesUpTo(f.writers, s.agent, s.at)) === 0),
  )
  if (news) w.found.push({ stamp, writers })
}

/** Who has written a word after this write. One that observes no other leaves of its agent those that its lane knew, and of others none: they may come later. */
export const writersAfter = (
  before: ReadonlyArray<Writer>,
  stamp: Stamp,
  joins: boolean,
  knew: Knowledge,
): ReadonlyArray<Writer> => [
  ...before.filter(
    ({ stamp: s }) =>
      !(s.agent === stamp.agent && isAmong(s, stamp)) &&
      (joins || (s.agent === stamp.agent && knowsEvent(knew, s, stamp))),
  ),
  { stamp },
]

/** What an agent has found, of each other agent up to which of its events. */
const foundBy = (d: Detector, agent: number): ReadonlyMap<number, Sighting> =>
  d.strong.found.get(agent) ?? never.found

/**
 * The same, and what others of its cluster had found before what is known of them: a barrier between them tells that, too.
 */
export const foundBehind = (d: Detector, by: Stamp, knew: Knowledge): ReadonlyMap<number, Sighting> => {
  const own = foundBy(d, by.agent)
  const { header } = d.context
  const cluster = clusterOf(header, header.agents[by.agent]!.cta)
  let merged: Map<number, Sighting> | null = null
  for (const [agent, all] of d.strong.found) {
    if (agent === by.agent || clusterOf(header, header.agents[agent]!.cta) !== cluster) continue
    for (const [other, { event, at }] of all) {
      if (other === by.agent || ((merged ?? own).get(other)?.event.at ?? -1) >= event.at) continue
      if (!knowsEvent(knew, { agent, at, site: -1, iteration: [] }, by)) continue
      merged ??= new Map(own)
      merged.set(other, { event, at: by.at })
    }
  }
  return merged ?? own
}

/** How often an agent may have come to barriers while another has not heard of it. */
const mostCome = 4

/** It has come to a barrier: who leaves that knows what it did before. */
export const came = ({ context, strong: { words, came: all } }: Detector, stamp: Stamp): void => {
  if (words.size === 0) return
  const { header } = context
  const cluster = clusterOf(header, header.agents[stamp.agent]!.cta)
  const agents = all.get(cluster) ?? new Map<number, ReadonlyArray<Stamp>>()
  all.set(cluster, agents)
  agents.set(stamp.agent, [stamp, ...(agents.get(stamp.agent) ?? []).slice(0, mostCome - 1)])
}

/** What an agent has found, and up to where others of its cluster have come that it has met at barriers: who finds what it writes now finds that, too. */
export const withMet = (
  d: Detector,
  by: Stamp,
  knew: Knowledge,
  found: ReadonlyMap<number, Sighting>,
): ReadonlyMap<number, Sighting> => {
  const { header } = d.context
  const agents = d.strong.came.get(clusterOf(header, header.agents[by.agent]!.cta))
  if (agents === undefined) return found
  let merged: Map<number, Sighting> | null = null
  for (const [agent, all] of agents) {
    if (agent === by.agent) continue
    const event = all.find((e) => knowsEvent(knew, e, by))
    if (event === undefined || (found.get(agent)?.event.at ?? -1) >= event.at) continue
    merged ??= new Map(found)
    merged.set(agent, { event, at: by.at })
  }
  return merged ?? found
}

/** It finds this write, and what its thread had found. */
export const finding = (d: Detector, { agent, at }: Stamp, w: Word, back: number): void => {
  const past = w.past[w.past.length - 1 - Math.max(0, back)]
  const writer = past?.writers[past.writers.length - 1]?.stamp
  if (past === undefined || writer === undefined || back < 0) return
  const known = foundBy(d, agent)
  const news = [...[...past.found.values()].map(({ event }) => event), writer].filter(
    (e) => e.agent !== agent && (known.get(e.agent)?.event.at ?? -1) < e.at,
  )
  if (news.length === 0) return
  const merged = new Map(known)
  for (const event of news)
    if ((merged.get(event.agent)?.event.at ?? -1) < event.at) merged.set(event.agent, { event, at })
  d.strong.found.set(agent, merged)
}
