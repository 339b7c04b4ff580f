/**
 * Fences of memory, and release patterns: what an agent knew at its fences, and what its writes tell from then on.
 *
 *     A: write x    fence.gpu    store c 1 (relaxed)      told c, as far as .gpu: what A knew at its fence
 *     A: write x    store c 1 (release)                   told c: all that A knows
 *
 * A fence works both ways. It inherits what its lanes have read and not yet taken over (`strong-heard.ts`), and it keeps what they know. A wider fence is a narrower
 * one too, so a fence is kept once for each scope within its own. Of its own warp a lane tells no more than it knew of the others at the fence.
 *
 * All fence.sc are in one order: a later one is shown what those before it knew that are morally strong with it. What was shown only narrows which older writes a read
 * can still take, so it is kept apart from what is known, and so is what other lanes knew at a fence.sc and handed on (`strong-meeting.ts`).
 *
 * Laws
 * 1. Without a fence and without a release nothing is told.
 * 2. A release tells at least what a fence before it tells, as far as the release reaches.
 */
import type { Fence, Stamp } from '../../log/events.js'
import { reachOf, type Reach } from '../../log/reach.js'
import { acquired, takes, type TakesOver } from './readings.js'
import { publish, receive, type AgentState, type Context } from './context.js'
import { allLanes } from './activity.js'
import {
  isSameKnowledge,
  copy,
  join,
  nothing,
  pacedIn,
  telling,
  withLags,
  type Knowledge,
} from './knowledge.js'
import * as Pace from './pace.js'
import type { Detector } from './state.js'
import type { Fenced, Pending, Shown, Strong, Told } from './strong-state.js'
import { act } from './strands.js'
import { slot, alone, byChance } from './strong-heard.js'
import { distance } from './strong-words.js'

const snapshot = (a: AgentState): Knowledge => {
  const k = nothing()
  publish(k, a, false)
  return k
}

/** A fence of memory: what the agent has read is taken over, and what it knows is released by its writes from now on. */
export const fenceMemory = (d: Detector, e: Fence): void => {
  const { stamp, scope, half } = e
  const sequential = e.sequential === true
  const c = d.context
  const { agent } = stamp
  const a = c.agents[agent]!
  const reach = reachOf(scope)
  const lanes = a.acting
  const heardBy = (pending: Map<number, ReadonlyArray<Pending>>, settled: boolean): void => {
    for (let r = 1; r <= reach; r++) {
      const key = slot(agent, r)
      const heard = pending.get(key)
      if (heard === undefined) continue
      // the fence of a lane is for what that lane has read
      const taken = heard.filter((one) => (one.lanes & lanes) !== 0 && (sequential || !one.sequential))
      for (const one of taken) {
        alone(a, agent, stamp.at, one.lanes & lanes)
        if (!settled && c.options.deaf === true) continue
        if (!settled) byChance(c, a, stamp, one.knowledge)
        receive(a, one.knowledge, true, false)
      }
      act(a, agent, lanes, stamp.at)
      const left = heard.flatMap((one) =>
        !taken.includes(one)
          ? [one]
          : (one.lanes & ~lanes) === 0
            ? []
            : [{ lanes: one.lanes & ~lanes, knowledge: one.knowledge, sequential: one.sequential }],
      )
      if (left.length === 0) pending.delete(key)
      else pending.set(key, left)
    }
  }
  if (half !== 'release') {
    heardBy(d.strong.awaited, true)
    heardBy(d.strong.pending, false)
    acquired(d.strong.readings, stamp, reach)
  }
  if (half === 'acquire') return
  const knowledge = snapshot(a)
  const { together } = a.knowledge
  const known: Fenced[] = [{ lanes, knowledge, together, sequential: false }]
  if (sequential) {
    d.strong.sequential = true
    inOrder(d, agent, lanes, reach, knowledge)
    known.push({ lanes, knowledge, together, sequential: true })
  }
  // a wider fence is a narrower one too
  for (let r = 1; r <= reach; r++) {
    const key = slot(agent, r)
    const others = (d.strong.fenced.get(key) ?? []).filter(
      (f) => (f.lanes & ~lanes) !== 0 || (f.sequential && !sequential),
    )
    d.strong.fenced.set(key, [...others, ...known])
  }
}

/** A fence.sc comes after those before it that are morally strong with it, and they show to its lanes what they knew. */
const inOrder = (d: Detector, agent: number, lanes: number, reach: Reach, knowledge: Knowledge): void => {
  const c = d.context
  const { inOrder: all } = d.strong
  const news = nothing()
  const { widest } = d.strong
  // it has been shown what all before it knew that reach as far
  if (reach === 3 && widest !== null) join(news, widest)
  for (const [key, known] of all) {
    const [other, its] = [key >> 2, key & 3]
    if (reach === 3 && its === 3) continue
    if (Math.min(its, reach) >= distance(c, agent, other)) join(news, known)
  }
  const told = copy(knowledge)
  for (const one of show(d.strong, agent, lanes, news)) join(told, one.knowledge)
  all.set(slot(agent, reach), told)
  if (reach === 3) d.strong.widest = told
}

/** The same is shown to these lanes, too; gives what each of them has been shown then. */
export const show = (s: Strong, agent: number, lanes: number, news: Knowledge): ReadonlyArray<Shown> => {
  const before = s.shown.get(agent) ?? []
  const others = before.reduce((left, one) => left & ~one.lanes, lanes)
  const known = [
    ...before.flatMap((one): ReadonlyArray<Shown> => {
      const ours = one.lanes & lanes
      if (ours === 0) return []
      const both = copy(one.knowledge)
      join(both, news)
      return [{ lanes: ours, knowledge: both }]
    }),
    ...(others === 0 ? [] : [{ lanes: others, knowledge: news }]),
  ]
  s.shown.set(agent, [
    ...before.flatMap((one) =>
      (one.lanes & ~lanes) === 0 ? [] : [{ lanes: one.lanes & ~lanes, knowledge: one.knowledge }],
    ),
    ...alikeTo(known),
  ])
  return known
}

/** Lanes to whom the same was shown are one entry. */
const alikeTo = (all: ReadonlyArray<Shown>): ReadonlyArray<Shown> => {
  const [first, ...more] = all
  if (first === undefined || more.length === 0) return all
  return more.every((one) => isSameKnowledge(one.knowledge, first.knowledge))
    ? [{ lanes: all.reduce((m, one) => m | one.lanes, 0), knowledge: first.knowledge }]
    : all
}

/** What fences have shown to each of these lanes. */
export const shownTo = ({ shown }: Strong, { agent, lanes = allLanes }: Stamp): Knowledge | undefined =>
  shown.get(agent)?.find((one) => (lanes & ~one.lanes) === 0)?.knowledge

/**
 * What an agent knew at its last fence of memory that reaches its CTA (1), its cluster (2): what it tells where it does not release. `sequential`: and what others knew at
 * a fence.sc, and have handed on to it; that only a fence.sc takes over.
 */
export const fencedWithin = (
  d: Detector,
  agent: number,
  reach: Reach,
  sequential: boolean = false,
): Knowledge | undefined => {
  const a = d.context.agents[agent]!
  const any = d.context.options.rules.anyLaneTells
  const all = d.strong.fenced
    .get(slot(agent, reach))
    ?.filter((f) => f.sequential === sequential && (any || (f.lanes & a.acting) !== 0))
  if (all === undefined || all.length === 0) return undefined
  const [first] = all
  if (any) return all.reduce((k, f) => (join(k, f.knowledge), k), nothing())
  if (all.length === 1) return fencedBy(a, agent, first!)
  const out = nothing()
  for (const f of all) join(out, fencedBy(a, agent, f))
  return out
}

/** What the lanes that act have fenced: what they knew at the fence, and of their own warp no more than they knew of it then. */
const fencedBy = (a: AgentState, agent: number, f: Fenced): Knowledge =>
  knownTo(agent, f, f.lanes & ~a.acting)

/** What lanes knew at a fence that these others made with them: of the others no more than was known of them before. */
export const knownTo = (agent: number, { knowledge: k, together }: Fenced, others: number): Knowledge =>
  others === 0 || together === null
    ? k
    : telling(
        k,
        k.tensor,
        withLags(k.lags, agent, [
          // those that did not fence with them lag as they did then
          ...Pace.lagsWithout(pacedIn(k, agent).lags, others),
          ...Pace.lagging(together.paced, others),
        ]),
      )

/** What a write tells: all that is known where it releases, and what was known at the last fence of each scope. */
export const tells = (
  d: Detector,
  a: AgentState,
  x: number,
  reach: Reach,
  releases: boolean,
): ReadonlyArray<Told> => {
  const lanes = a.knowledge.together === null ? 0 : a.acting
  const out: Told[] = releases ? [{ agent: x, lanes, reach, knowledge: snapshot(a), sequential: false }] : []
  for (const sequential of d.strong.sequential ? [false, true] : [false]) {
    let last: Knowledge | undefined
    // a release says more than a fence before it, as far as it reaches
    for (let r = 3; r > (releases && !sequential ? reach : 0); r--) {
      const knowledge = fencedWithin(d, x, asReach(r), sequential)
      if (knowledge === undefined || knowledge === last) continue
      last = knowledge
      out.push({ agent: x, lanes, reach: asReach(r), knowledge, sequential })
    }
  }
  return out
}
const asReach = (r: number): Reach => (r === 1 ? 1 : r === 2 ? 2 : 3)

/** Who of those that have read a write takes over something of what it tells. */
export const takingOver =
  (c: Context, told: ReadonlyArray<Told>, teller: number): TakesOver =>
  (by, heard, before) =>
    told.some(({ reach }) => takes(heard, { reach, far: distance(c, by.agent, teller) }, before))

/** What a write of these lanes would tell now, and who of those that have read it would have taken that over. */
export const wouldTell = (
  d: Detector,
  a: AgentState,
  agent: number,
  reach: Reach,
  releases: boolean,
): TakesOver => {
  return takingOver(d.context, tells(d, a, agent, reach, releases), agent)
}
