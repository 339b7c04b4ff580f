/**
 * Strong accesses: who inherits what through a word of memory.
 *
 * A strong access is atomic at its scope. A *release pattern* on a word is a releasing write, alone or before a later strong write of its thread; or a fence and then a write.
 * An *acquire pattern* is an acquiring read, alone or after a strong read of its thread; or a read and then a fence. The second takes over what the first told, if the read
 * observes its write: it takes it, or what atomics that read and write have made of it. Each step of that is of two accesses in each other's scope and equally wide, and so
 * are the two ends of the patterns in each other's scope: the scope of a fence is its own, and not that of the access beside it.
 *
 *     A: write x    fence.gpu    atom.add c 1                   told c: what A knew at its fence
 *     B:                         atom.add c 1 -> 1   fence.gpu  read x      in order and seen
 *     without B's fence, or without A's, nothing is taken over, and the two accesses of x are a race
 *
 * | access                       | of what the word tells                                                        |
 * |------------------------------|-------------------------------------------------------------------------------|
 * | store                        | forgets it, and tells what its agent has released, by earlier releases of the word too |
 * | atomic that reads and writes | hears it, adds what its agent has released; forgets it if the two are not morally strong |
 * | load                         | hears it                                                                      |
 * | plain write, or an operation's | forgets it; patterns that have begun are not over                             |
 *
 * A relaxed wait at an mbarrier is such a read, too: a fence behind it takes over what the arrivals have told. A read that decides, and a wait, show besides that the writes
 * that they find come before all that they come before, where it touches the word (`shownBefore`).
 *
 * That a load finds this write and no other is luck, unless every write of the word is in order with it; where what it finds decides something, C1 fails else
 * (`cell.ts`), or where it hears something new. A wait for a word (a loop that loads and compares) goes on at its own time and is asked what a semaphore's is:
 *
 * | asked of a wait that passes                                                        | else                         |
 * |------------------------------------------------------------------------------------|------------------------------|
 * | every write of the word that comes after it knows it, or nothing undoes the wait (`sums.ts`) | it could have come first |
 * | no fewer of the writes that it does not know anyhow would let it pass               | it could have passed earlier |
 *
 * What has been waited for so has come: the memory that the word lies in is not left before it (K1), also where nothing else is told.
 *
 * Fewer writes: where each knows all before it, the values that they leave; where all of them add something positive and the wait is for at least, or for exactly, a number, all
 * without the last of one agent. Else it is not known. What
 * fails is C1: what the wait hears is a matter of timing. What was found in the run is so all the same.
 *
 * Laws
 * 1. An agent that neither fences nor acquires hears nothing.
 * 2. What is heard grows with the log as long as no store forgets it.
 *
 * Source: PTX ISA, memory consistency model: release and acquire patterns, observation order, causality order, synchronizes; volatile accesses are relaxed ones of system scope.
 */
import type { Access, Fence, Footprint, SemaphoreEvent, Stamp } from '../../log/events.js'
import { addressesIn, clusterOf } from '../../log/events.js'
import { holds } from '../../log/comparison.js'
import { between, reachOf, type Reach } from '../../log/reach.js'
import { bitsOf } from '../../../numerics/dtype.js'
import {
  acquired,
  addsWords,
  ahead,
  amongSums,
  backOf,
  before as beforeExchanges,
  earlier,
  forcedApart,
  hearing,
  later,
  onlyKept,
  refute,
  takes,
  takesSince,
  touch,
  type TakesOver,
} from './readings.js'
import type { Heard, Joined, Message, OpenRead, Sighting } from './readings-state.js'
import type { AgentState, Context } from './context.js'
import { publish, receive, stampAt } from './context.js'
import { allLanes } from './activity.js'
import {
  isSameKnowledge,
  copy,
  join,
  nothing,
  pacedIn,
  programOf,
  telling,
  withLags,
  type Knowledge,
} from './knowledge.js'
import { countOf, isOne } from '../../log/lane-mask.js'
import { eachDealt, isAmong, isDealt, knowsAttendance, knowsEvent } from './lanes.js'
import * as Pace from './pace.js'
import { fail, keyOf, planeName, where } from './report.js'
import { heardOf } from './obligations.js'
import type { Detector } from './state.js'
import type { Options } from './rules.js'
import { keyOfWord, lanesUpTo, wordsOf } from './words.js'
import {
  handed,
  type Fenced,
  type Unacquired,
  type Last,
  type Left,
  type Passed,
  type Reached,
  type Past,
  type Pending,
  type Shown,
  type Signed,
  type Strong,
  type Told,
  type Word,
  type Writer,
} from './strong-state.js'
import { addedBy, isOfSign, isOneSign, needsAll, stays, sumsIn, total } from './sums.js'
import { act, partLanes, strandsOf } from './strands.js'
import { exceeds, valueAt } from './sparse.js'

// ---------------------------------------------------------------- words

const wordAt = (d: Detector, plane: number, byte: number): Word => {
  const key = keyOfWord(plane, byte)
  const found = d.strong.words.get(key)
  if (found !== undefined) return found
  const made: Word = {
    told: [],
    last: null,
    released: new Map(),
    heard: new Map(),
    past: [],
    touches: [],
    open: [],
    left: [],
    writers: [],
    found: [],
    asked: [],
    passed: [],
    signed: [],
    written: 0,
    reached: [],
  }
  d.strong.words.set(key, made)
  d.strong.planes.add(plane)
  return made
}

/** Of an agent to itself: it is in its own CTA. */
const distance = (c: Context, x: number, y: number): 1 | 2 | 3 => {
  const a = c.header.agents[x]!.cta
  const b = c.header.agents[y]!.cta
  return between(a === b, clusterOf(c.header, a) === clusterOf(c.header, b))
}

/** Something that is not strong has written it: who reads it now observes nothing. Patterns that have begun are not over. */
const forgetWord = (d: Detector, key: string): void => {
  const w = d.strong.words.get(key)
  if (w === undefined) return
  if (w.passed.length > 0) d.strong.readings.unsteady.add(key)
  if (w.asked.length > 0) d.strong.readings.overtaken.add(key)
  if (w.released.size === 0 && w.heard.size === 0) {
    d.strong.words.delete(key)
    return
  }
  w.told = []
  w.last = null
  w.past.length = 0
  w.touches.length = 0
  w.open = []
  w.left = []
  w.writers = []
  w.found = []
  w.passed = []
  w.asked = []
  w.signed = []
  w.reached = []
}

/** A write by an operation, through whatever proxy: no strong access of an agent is morally strong with it. */
export const overwritten = (d: Detector, e: Access): void => {
  if (e.rw === 'w' && d.strong.planes.has(e.footprint.plane))
    for (const byte of wordsOf(e.footprint)) forgetWord(d, keyOfWord(e.footprint.plane, byte))
}

/** Bits of one scalar. */
const widthOf = (e: Pick<Access, 'footprint' | 'words'>): number => (e.words ?? 1) * bitsOf(e.footprint.dtype)

/** Are a write and what comes to its word next morally strong: each in the other's scope, and equally wide? */
const isObserved = (d: Detector, last: Last | null, by: Last): boolean =>
  last !== null &&
  (d.context.options.rules.anyWordScope ||
    (last.width === by.width && Math.min(last.reach, by.reach) >= distance(d.context, by.agent, last.agent)))

// ---------------------------------------------------------------- fences

const slot = (agent: number, reach: number): number => agent * 4 + reach

const fenceReach = (scope: Fence['scope']): Reach => (scope === 'cta' ? 1 : scope === 'cluster' ? 2 : 3)

const snapshot = (a: AgentState): Knowledge => {
  const k = nothing()
  publish(k, a, false)
  return k
}

/** Does a message say something new, of warps or of lanes that were known less far? */
const isNews = (k: Knowledge, message: Knowledge): boolean =>
  exceeds(message.order, k.order) ||
  [...(k.lags ?? [])].some(([agent, lags]) => {
    const said = pacedIn(message, agent)
    return lags.some((l) => !Pace.isWithin(said, l))
  })

/** What is heard through a word that nothing orders with its writes is a matter of timing, if it says anything. */
const byChance = (c: Context, a: AgentState, stamp: Stamp, message: Knowledge): void => {
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

/** A fence of memory: what the agent has read is taken over, and what it knows is released by its writes from now on. */
export const fenceMemory = (d: Detector, e: Fence): void => {
  const { stamp, scope, half } = e
  const sequential = e.sequential === true
  const c = d.context
  const { agent } = stamp
  const a = c.agents[agent]!
  const reach = fenceReach(scope)
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
const show = (s: Strong, agent: number, lanes: number, news: Knowledge): ReadonlyArray<Shown> => {
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

/** These lanes act, and the others do not learn what they do. */
const alone = (a: AgentState, agent: number, at: number, lanes: number): void => {
  if (lanes === a.acting) return
  partLanes(a, lanes)
  act(a, agent, lanes, at)
}

/**
 * Lanes have met: what one of them knew at a fence.sc the others hand on, and so they do what one has read. Two fences that are fence.sc are in one order: that of the reader
 * cannot be the first of the two, or what is read would come after its reading.
 */
export const meetStrong = (s: Strong, agent: number, lanes: number): void => {
  if (!s.sequential) return
  const known = s.shown.get(agent)?.filter((one) => (one.lanes & lanes) !== 0) ?? []
  if (known.some((one) => (lanes & ~one.lanes) !== 0))
    show(
      s,
      agent,
      lanes,
      known.reduce((k, one) => (join(k, one.knowledge), k), copy(known[0]!.knowledge)),
    )
  for (let r = 1; r <= 3; r++) {
    const key = slot(agent, r)
    for (const kept of [s.pending, s.awaited]) {
      const all = kept.get(key)
      if (all !== undefined)
        kept.set(
          key,
          all.map((one) =>
            one.sequential && (one.lanes & lanes) !== 0
              ? { lanes: one.lanes | lanes, knowledge: one.knowledge, sequential: true }
              : one,
          ),
        )
    }
    const fenced = s.fenced.get(key)
    if (fenced !== undefined)
      s.fenced.set(key, joined(fenced.flatMap((f) => (f.sequential ? metIn(agent, f, lanes) : [f]))))
  }
}

/** Of what the same lanes hand on one entry. */
const joined = (all: ReadonlyArray<Fenced>): ReadonlyArray<Fenced> => {
  const out: Fenced[] = []
  for (const f of all) {
    const same = out.findIndex((x) => isHandedOn(x) && isHandedOn(f) && x.lanes === f.lanes)
    if (same < 0) {
      out.push(f)
      continue
    }
    const knowledge = copy(out[same]!.knowledge)
    join(knowledge, f.knowledge)
    out[same] = { lanes: f.lanes, knowledge, together: null, sequential: true }
  }
  return out
}
const isHandedOn = (f: Fenced): boolean => f.sequential && f.together === null

// ---------------------------------------------------------------- what a barrier of the CTA hands on

/** What lanes hand on to all who leave a barrier. */
export const handOn = (d: Detector, agent: number, meeting: string): void => {
  const s = d.strong
  if (!s.sequential) return
  const { acting } = d.context.agents[agent]!
  const to = s.handed.get(meeting) ?? handed()
  s.handed.set(meeting, to)
  for (const r of [1, 2, 3] as const) {
    const key = slot(agent, r)
    const known = fencedWithin(d, agent, r, true)
    if (known !== undefined) add(to.fenced, r, known)
    for (const [kept, into] of [
      [s.pending, to.pending],
      [s.awaited, to.awaited],
    ] as const)
      for (const one of kept.get(key) ?? [])
        if (one.sequential && (one.lanes & acting) !== 0) add(into, r, one.knowledge)
  }
  for (const one of s.shown.get(agent) ?? [])
    if ((one.lanes & acting) !== 0) join((to.shown ??= nothing()), one.knowledge)
}

const add = (into: Map<Reach, Knowledge>, reach: Reach, message: Knowledge): void => {
  const k = into.get(reach) ?? nothing()
  join(k, message)
  into.set(reach, k)
}

/** What those who have come to it have handed on. */
export const takeOn = (d: Detector, agent: number, meeting: string): void => {
  const s = d.strong
  const from = s.handed.get(meeting)
  if (from === undefined) return
  const { acting } = d.context.agents[agent]!
  if (from.shown !== null) show(s, agent, acting, copy(from.shown))
  for (const [r, knowledge] of from.fenced) {
    const key = slot(agent, r)
    s.fenced.set(
      key,
      joined([
        ...(s.fenced.get(key) ?? []),
        { lanes: acting, knowledge: copy(knowledge), together: null, sequential: true },
      ]),
    )
  }
  for (const [r, message] of from.pending) keep(s.pending, slot(agent, r), acting, message, true)
  for (const [r, message] of from.awaited) keep(s.awaited, slot(agent, r), acting, message, true)
}

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
const knownTo = (agent: number, { knowledge: k, together }: Fenced, others: number): Knowledge =>
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

/** The same once these lanes have met: they tell what each of them fenced, and nothing of those that have not come. */
const metIn = (agent: number, f: Fenced, lanes: number): ReadonlyArray<Fenced> => {
  const [came, others] = [f.lanes & lanes, f.lanes & ~lanes]
  if (came === 0) return [f]
  if (f.together === null)
    return [{ lanes: f.lanes | lanes, knowledge: f.knowledge, together: null, sequential: true }]
  const met: Fenced = { lanes, knowledge: knownTo(agent, f, others), together: null, sequential: true }
  return others === 0
    ? [met]
    : [met, { lanes: others, knowledge: knownTo(agent, f, came), together: f.together, sequential: true }]
}

// ---------------------------------------------------------------- hearing and telling

/** Kept for the next fence that reaches so far. */
const keep = (
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
const hear = (
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

/** What a write tells: all that is known where it releases, and what was known at the last fence of each scope. */
const tells = (
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

/** Of one thread what reaches as far and was known later says more: a fence may be older than a release. */
const withMore = (
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

// ---------------------------------------------------------------- what was found

/**
 * A read finds what was written since the last store. It counts where its value is the same in every schedule that comes here: that of a wait, and one that decides,
 * whose orders are all followed.
 */
const finds = (
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
const writersAfter = (
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

// ---------------------------------------------------------------- accesses

/** Was it told by these lanes, or some of them? */
const isOwn = (t: Told, { lanes }: Stamp): boolean =>
  lanes === undefined || (t.lanes !== 0 && (t.lanes & ~lanes) === 0)

const joins = (e: Access): boolean => e.combine !== undefined

/** What a release tells its thread's later writes of the word tell, too. */
const releasedBy = (w: Word, x: number, width: number, told: Told, options: Options): void => {
  const all = w.released.get(x) ?? []
  const same = all.filter((r) => r.width === width).map((r) => r.told)
  w.released.set(x, [
    ...all.filter((r) => r.width !== width),
    ...withMore(same, [told], options).map((t) => ({ width, told: t })),
  ])
}

/** Of an access of several lanes the lane of each of its elements. */
const elementsOfLanes = ({ lanes }: Stamp, elements: number): ReadonlyArray<number> | null => {
  if (lanes === undefined || countOf(lanes) === 1 || elements % countOf(lanes) !== 0) return null
  const each = elements / countOf(lanes)
  const out: number[] = []
  for (let left = lanes; left !== 0; left &= left - 1) for (let i = 0; i < each; i++) out.push(left & -left)
  return out
}

const byLanes = ({ agent, at, site, iteration }: Stamp, lanes: number): Stamp => ({
  agent,
  at,
  site,
  iteration,
  lanes,
})

/** Writes of a word that a read may still take, at least: of those before them it is forgotten what they told. */
const mostPast = 64

/** Before the first write of a word. */
const never: Past = { told: [], writers: [], found: new Map(), last: null }

/** A word as it was so many writes before the last. */
const pastOf = (w: Word, back: number): Pick<Past, 'told' | 'writers' | 'last'> =>
  back <= 0 ? w : (w.past[w.past.length - 1 - back] ?? never)

const toldTo = (w: Word | undefined, back: number): ReadonlyArray<Told> =>
  w === undefined ? never.told : pastOf(w, back).told

/** The words that an access names, and how many writes before the last of each it takes, or lies under. */
const takenBy = (e: Access): ReadonlyArray<readonly [byte: number, back: number]> => {
  const { older } = e
  if (older === undefined || e.footprint.map._tag !== 'scatter')
    return wordsOf(e.footprint).map((byte) => [byte, 0])
  return [...addressesIn(e.footprint.map)].flatMap((byte, i) =>
    byte < 0 ? [] : [[byte, older[i] ?? 0] as const],
  )
}

/** Which words of a read that controls only come into memory, of so many in all. */
const onlyShown = ({ shows, stamp, words = 1 }: Access, count: number): ((word: number) => boolean) => {
  if (shows === undefined) return () => false
  const each = stamp.lanes === undefined || stamp.whole === true ? count : count / countOf(stamp.lanes)
  return (word) => shows.includes(Math.floor((word % each) / words))
}

/** What an agent has found, of each other agent up to which of its events. */
const foundBy = (d: Detector, agent: number): ReadonlyMap<number, Sighting> =>
  d.strong.found.get(agent) ?? never.found

/**
 * The same, and what others of its cluster had found before what is known of them: a barrier between them tells that, too.
 */
const foundBehind = (d: Detector, by: Stamp, knew: Knowledge): ReadonlyMap<number, Sighting> => {
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
const withMet = (
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
const finding = (d: Detector, { agent, at }: Stamp, w: Word, back: number): void => {
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

/**
 * A read of a word that takes the write that many before the last. `bytes`: so many it has, if something comes of it; `controls`: from which site on it decides what its thread does; null: it only
 * gives what memory holds.
 */
const reads = (
  d: Detector,
  w: Word,
  a: AgentState,
  stamp: Stamp,
  back: number,
  plane: number,
  byte: number,
  bytes: number | null,
  controls: number | null,
  acquires: Reach,
  by: Last,
): void => {
  if (controls !== null && d.strong.readings.stale === null) {
    const { without } = backOf(w.touches, stamp, a.knowledge, undefined, 'some')
    if (without > 0) d.strong.readings.stale = stamp
  }
  if (back > 0) {
    const shown = shownTo(d.strong, stamp)
    d.strong.readings.over ||= back > backOf(w.touches, stamp, a.knowledge, shown, 'some').most
    refute(d.strong.readings, w.touches, stamp, back, a.knowledge, shown)
  }
  if (controls === null && bytes !== null) {
    const { most } = backOf(w.touches, stamp, a.knowledge, shownTo(d.strong, stamp))
    earlier(d.strong.readings, w.touches, most, stamp, back, { plane, byte, bytes })
  }
  // who knows of a read that it was, has overtaken it
  if (w.open.length > 0) w.open = w.open.filter((o) => !knowsEvent(a.knowledge, o.stamp, stamp))
  if (bytes !== null) {
    w.asked = [...w.asked.filter((s) => s.agent !== stamp.agent || !isAmong(s, stamp)), stamp]
    const heard = hearing(d.strong.readings, stamp, acquires)
    w.open = [...w.open, { stamp, bytes, controls, by, heard }]
  }
  if (acquires > 0) takenHere(w, stamp, by, acquires)
  finding(d, stamp, w, back)
  touch(w.touches, { rw: 'r', stamp, joined: null }, back)
}

/** An acquire of a word takes over what its lanes have read of it before. */
const takenHere = (w: Word, stamp: Stamp, { width }: Last, reach: Reach): void => {
  const isOurs = (other: Stamp, its: Last | null | undefined): boolean =>
    other.agent === stamp.agent && its?.width === width && isAmong(other, stamp)
  const writes = w.touches.filter(({ rw }) => rw === 'w')
  const from = w.past.length - writes.length
  for (const [i, t] of writes.entries())
    if (t.joined !== null && isOurs(t.stamp, w.past[from + i]?.last)) takesSince(t.joined.heard, stamp, reach)
  for (const o of w.open) if (isOurs(o.stamp, o.by)) takesSince(o.heard, stamp, reach)
}

/** A write under so many others: atomics that have read on from it, and observe it, hand on what it tells. */
const under = (
  d: Detector,
  w: Word,
  write: {
    readonly agent: number
    readonly back: number
    readonly own: ReadonlyArray<Told>
    readonly last: Last
  },
  word: string,
): void => {
  const c = d.context
  const { back, own } = write
  d.strong.readings.under.add(word)
  if (own.length === 0) return
  const above = w.touches.filter(({ rw }) => rw === 'w').slice(-back)
  let { last } = write
  for (const [i, { stamp, joined }] of above.entries()) {
    if (joined === null) return
    const at = w.past.length - back + i
    const past = w.past[at]
    if (past === undefined || past.last === null || !isObserved(d, last, past.last)) return
    last = past.last
    const told = withMore(past.told, own, c.options)
    w.past[at] = { told, writers: past.writers, found: past.found, last }
    if (i + 1 === back) w.told = told
    for (const t of own) {
      const far = distance(c, stamp.agent, write.agent)
      if (t.reach >= far && stamp.agent !== write.agent)
        keep(d.strong.pending, slot(stamp.agent, far), stamp.lanes ?? allLanes, t.knowledge, t.sequential)
    }
  }
}

/**
 * Had this store come before that atomic, would someone who reads on from there have taken over what it tells, and done behind that what its thread has found? Then it comes after it
 * in every execution.
 */
const comesBehind = (
  d: Detector,
  w: Word,
  first: Stamp,
  write: {
    readonly by: Last
    readonly own: ReadonlyArray<Told>
    readonly found: ReadonlyMap<number, Sighting>
  },
): boolean => {
  const { own, found } = write
  const from = w.touches.findIndex(({ rw, stamp }) => rw === 'w' && isSameEvent(stamp, first))
  if (from < 0) return false
  const behind = w.touches.slice(from)
  let at = w.past.length - behind.filter(({ rw }) => rw === 'w').length
  let last = write.by
  const isTold = (by: Stamp, heard: Heard): boolean => {
    const seen = found.get(by.agent)
    const far = distance(d.context, by.agent, write.by.agent)
    return (
      seen !== undefined &&
      own.some(
        ({ reach, agent, knowledge }) =>
          valueAt(knowledge.order, programOf(agent)) >= seen.at &&
          takes(heard, { reach, far }, seen.event.at),
      )
    )
  }
  for (const { rw, stamp, joined } of behind) {
    if (rw === 'r') {
      const read = w.open.find((o) => isSameEvent(o.stamp, stamp) && o.stamp.lanes === stamp.lanes)
      if (read !== undefined && isObserved(d, last, read.by) && isTold(stamp, read.heard)) return true
      continue
    }
    const now = w.past[at++]?.last ?? null
    if (joined === null || now === null || !isObserved(d, last, now)) return false
    last = now
    if (isTold(stamp, joined.heard)) return true
  }
  return false
}
const isSameEvent = (a: Stamp, b: Stamp): boolean => a.agent === b.agent && a.at === b.at

/** Who of those that have read a write takes over something of what it tells. */
const takingOver =
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

/** An access of an agent, behind its judgement against the memory that it touches. */
export const strong = (d: Detector, e: Access, a: AgentState): void => {
  const x = e.stamp.agent
  const { plane } = e.footprint
  const all = d.strong.words
  if (!e.atomic) {
    if (e.rw === 'w' && all.size > 0 && d.strong.planes.has(plane))
      for (const byte of wordsOf(e.footprint)) forgetWord(d, keyOfWord(plane, byte))
    return
  }
  const reach = reachOf(e.scope)
  const one: Last = { agent: x, reach, width: widthOf(e) }
  if (e.rw === 'r') {
    // its write comes next
    if (e.joins === true) {
      d.strong.decided = e.decides === true ? e.stamp.at : -1
      d.strong.controlling = e.controls === undefined ? -1 : e.stamp.at
      d.strong.branch = e.controls ?? null
      d.strong.signs = e.signs === true ? e.stamp.at : -1
    }
    const kept = onlyKept(e)
    const decides = e.decides === true && e.joins !== true
    const { words = 1 } = e
    const size = bitsOf(e.footprint.dtype) / 8
    const isMeant = e.controls !== undefined || (e.joins === true && e.decides === true)
    if (all.size > 0 || decides) {
      const taken = takenBy(e)
      const isShown = onlyShown(e, taken.length)
      for (const [i, [byte, back]] of taken.entries()) {
        const w = decides ? wordAt(d, plane, byte) : all.get(keyOfWord(plane, byte))
        if (isMeant && !isShown(i)) d.strong.readings.controlled.add(keyOfWord(plane, byte))
        if (w === undefined) continue
        const stamp = stampAt(d.context, e.stamp, e.footprint, byte)
        // one that joins writes right away, and finds the last
        if (e.joins !== true)
          reads(
            d,
            w,
            a,
            stamp,
            back,
            plane,
            byte,
            e.decides === true && i % words === 0 ? words * size : null,
            kept || isShown(i) ? null : (e.controls ?? null),
            e.acquires === true ? reach : 0,
            one,
          )
        const past = pastOf(w, back)
        if (e.decides === true) finds(d, w, past, stamp, one)
        hear(d, w, past, a, e.stamp, one, e.acquires === true, false)
      }
    } else if (isMeant)
      for (const byte of wordsOf(e.footprint)) d.strong.readings.controlled.add(keyOfWord(plane, byte))
    return
  }
  const places = takenBy(e)
  const knew = copy(a.knowledge)
  const had = foundBehind(d, e.stamp, a.knowledge)
  if (joins(e))
    for (const [byte, back] of places) {
      const w = all.get(keyOfWord(plane, byte))
      if (w === undefined) continue
      finding(d, e.stamp, w, back)
      hear(d, w, pastOf(w, back), a, e.stamp, one, e.acquires === true, false)
    }
  const { acting } = a
  const each = elementsOfLanes(e.stamp, places.length)
  const told = each === null ? tells(d, a, x, reach, e.releases === true) : []
  // of the words of one stamp it is the same; only one that joins has heard anything since
  const shared = each !== null ? null : joins(e) ? foundBehind(d, e.stamp, knew) : had
  places.forEach(([byte, back], i) => {
    // each lane tells for itself
    const by = each === null ? e.stamp : byLanes(e.stamp, each[i]!)
    a.acting = by.lanes ?? acting
    const more = each === null ? told : tells(d, a, x, reach, e.releases === true)
    a.acting = acting
    const known = all.get(keyOfWord(plane, byte))
    const after = e.left?.[i]
    const before = e.found?.[i]
    const w = known ?? wordAt(d, plane, byte)
    const past = pastOf(w, back)
    // an atomic hands on what it has observed
    const handsOn = joins(e) && isObserved(d, past.last, one)
    // a release of this thread still tells where the thread writes again
    const earlierOnes = (w.released.get(x) ?? []).filter((r) => r.width === one.width && isOwn(r.told, by))
    const own = withMore(
      earlierOnes.map((r) => r.told),
      more,
      d.context.options,
    )
    if (e.releases === true) releasedBy(w, x, one.width, more[0]!, d.context.options)
    const found = shared ?? foundBehind(d, by, knew)
    const now: Past = {
      told: withMore(handsOn ? past.told : [], own, d.context.options),
      writers: writersAfter(past.writers, by, handsOn, knew),
      found: withMet(d, by, knew, found),
      last: one,
    }
    w.past.splice(Math.max(0, w.past.length - back), 0, now)
    if (w.past.length > 2 * mostPast) w.past.splice(0, mostPast)
    if (back === 0) {
      w.told = now.told
      w.writers = now.writers
      w.last = one
    } else under(d, w, { agent: x, back, own, last: one }, keyOfWord(plane, byte))
    const messages = ({ stamp: read, by: reader }: OpenRead, from: number): ReadonlyArray<Message> => {
      const far = distance(d.context, x, read.agent)
      return isObserved(d, one, reader)
        ? own
            .filter(({ reach, knowledge }) => reach >= far && valueAt(knowledge.order, programOf(x)) >= from)
            .map(({ reach, knowledge }) => ({ reach, far, knowledge }))
        : []
    }
    const behind = { by: one, own, found: had }
    if (!joins(e))
      forcedApart(d.strong.readings, by, { plane, byte }, (first) => comesBehind(d, w, first, behind))
    w.open = later(d.strong.readings, w.open, by, knew, messages, found, { plane, byte })
    const isExchange = joins(e) && e.combine === 'exchange'
    const isUnheeded = d.strong.decided !== e.stamp.at
    const isOnlyShown = !isUnheeded && d.strong.controlling !== e.stamp.at
    const isBlind = isExchange && isUnheeded
    const isSum = joins(e) && addsWords(e)
    const { words = 1 } = e
    const bytes = (words * bitsOf(e.footprint.dtype)) / 8
    const isAmong = isSum && isOnlyShown && i % words === 0
    if (back === 0) {
      const { most } = backOf(w.touches, by, knew, shownTo(d.strong, by))
      const takesOver = takingOver(d.context, own, x)
      ahead(d.strong.readings, w.touches, most, by, takesOver, had)
      if (isAmong) amongSums(d.strong.readings, w.touches, most, by, takesOver, { plane, byte, bytes })
      else if (isBlind || !joins(e))
        beforeExchanges(d.strong.readings, w.touches, most, by, takesOver, { plane, byte })
    }
    const joinedOf = (heard: Heard): Joined => {
      const isShown = isExchange && isOnlyShown && i % words === 0
      return {
        blind: isBlind,
        controls: isUnheeded || isOnlyShown ? null : d.strong.branch,
        sums: isSum && isUnheeded,
        heard,
        shows: isShown ? { stamp: by, bytes, controls: null, by: one, heard } : null,
      }
    }
    if (joins(e) && e.acquires === true) takenHere(w, by, one, reach)
    const joined = joins(e) ? joinedOf(hearing(d.strong.readings, by, e.acquires === true ? reach : 0)) : null
    touch(w.touches, { rw: 'w', stamp: by, joined }, back)
    written(d, w, e, by, back, byte, before, after, knew)
  })
}

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
const written = (
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
