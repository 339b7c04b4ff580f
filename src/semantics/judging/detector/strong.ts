/**
 * Strong accesses: who inherits what through a word of memory.
 *
 * A strong access is atomic at its scope. A *release pattern* on a word is a releasing write, or a fence and then a write; an *acquire pattern* is an acquiring read, or
 * a read and then a fence. The second takes over what the first told, if the read finds its write, or what atomics that read and write have made of it, and if each
 * is in the other's scope.
 *
 *     A: write x    fence.gpu    atom.add c 1                   told c: what A knew at its fence
 *     B:                         atom.add c 1 -> 1   fence.gpu  read x      in order and seen
 *     without B's fence, or without A's, nothing is taken over, and the two accesses of x are a race
 *
 * | access                       | of what the word tells                                                        |
 * |------------------------------|-------------------------------------------------------------------------------|
 * | store                        | forgets it, and tells what its agent has released                             |
 * | atomic that reads and writes | hears it, adds what its agent has released                                    |
 * | load                         | hears it                                                                      |
 * | plain write                  | forgets it                                                                    |
 *
 * A relaxed wait at an mbarrier is such a read, too: a fence behind it takes over what the arrivals have told. A read that decides, and a wait, show besides that the writes
 * that they find come before all that they come before, where it touches the word (`shownBefore`).
 *
 * That a load finds this write and no other is luck, unless every write of the word is in order with it; where what it finds decides something, C1 fails else
 * (`cell.ts`), or where it hears something new. A wait for a word (a loop that loads and compares) goes on at its own time and is asked what a semaphore's is:
 *
 * | asked of a wait that passes                                                        | else                         |
 * |------------------------------------------------------------------------------------|------------------------------|
 * | every write of the word that comes after it knows it                               | it could have come first     |
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
import { clusterOf } from '../../log/events.js'
import { holds } from '../../log/comparison.js'
import { between, reachOf, type Reach } from '../../log/reach.js'
import type { AgentState, Context } from './context.js'
import { publish, receive } from './context.js'
import { join, nothing, pacedIn, telling, withLags, type Knowledge } from './knowledge.js'
import * as Pace from './pace.js'
import { fail, keyOf, planeName, where } from './report.js'
import { heardOf } from './obligations.js'
import type { Detector } from './state.js'
import { keyOfWord, knows, wordsOf } from './words.js'
import type { Fenced, Left, Pending, Strong, Told, Word } from './strong-state.js'
import { act, partLanes, strandsOf } from './strands.js'

// ---------------------------------------------------------------- words

const wordAt = (d: Detector, plane: number, byte: number): Word => {
  const key = keyOfWord(plane, byte)
  const found = d.strong.words.get(key)
  if (found !== undefined) return found
  const made: Word = { told: [], left: [], writers: new Map(), found: [], waits: new Map() }
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

// ---------------------------------------------------------------- fences

const slot = (agent: number, reach: number): number => agent * 4 + reach

const fenceReach = (scope: Fence['scope']): Reach => (scope === 'cta' ? 1 : scope === 'cluster' ? 2 : 3)

const snapshot = (c: Context, a: AgentState): Knowledge => {
  const k = nothing(c.extent)
  publish(k, a, false)
  return k
}

/** Does a message say something new? */
const isNews = (k: Knowledge, message: Knowledge): boolean => message.order.some((at, i) => at > k.order[i]!)

/** What is heard through a word that nothing orders with its writes is a matter of timing, if it says anything. */
const byChance = (c: Context, a: AgentState, stamp: Stamp, message: Knowledge): void => {
  if (isNews(a.knowledge, message))
    fail(c.report, 'C1', keyOf('hears', stamp, undefined), () => ({
      text: `what ${where(c.header, stamp)} takes over depends on whether it comes before or after what it reads is written`,
      draft: undefined,
    }))
}

/** A fence of memory: what the agent has read is taken over, and what it knows is released by its writes from now on. */
export const fenceMemory = (d: Detector, stamp: Stamp, scope: Fence['scope']): void => {
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
      for (const one of heard) {
        if ((one.lanes & lanes) === 0) continue
        if (!settled) byChance(c, a, stamp, one.knowledge)
        learn(a, agent, stamp.at, one.lanes & lanes, one.knowledge)
      }
      act(a, agent, lanes, stamp.at)
      const left = heard.flatMap((one) =>
        (one.lanes & ~lanes) === 0 ? [] : [{ lanes: one.lanes & ~lanes, knowledge: one.knowledge }],
      )
      if (left.length === 0) pending.delete(key)
      else pending.set(key, left)
    }
  }
  heardBy(d.strong.awaited, true)
  heardBy(d.strong.pending, false)
  const known: Fenced = { lanes, knowledge: snapshot(c, a), together: a.knowledge.together }
  // a wider fence is a narrower one too
  for (let r = 1; r <= reach; r++) {
    const key = slot(agent, r)
    const others = (d.strong.fenced.get(key) ?? []).filter((f) => (f.lanes & ~lanes) !== 0)
    d.strong.fenced.set(key, [...others, known])
  }
}

/** Lanes take over what they have read. */
const learn = (a: AgentState, agent: number, at: number, lanes: number, message: Knowledge): void => {
  if (lanes !== a.acting) {
    partLanes(a, lanes)
    act(a, agent, lanes, at)
  }
  receive(a, message, true, false)
}

/** Lanes have met: what one of them has fenced the others may tell, and what one has read the others' fences take over. */
export const meetStrong = (s: Strong, agent: number, lanes: number): void => {
  for (let r = 1; r <= 3; r++) {
    const key = slot(agent, r)
    for (const kept of [s.pending, s.awaited]) {
      const all = kept.get(key)
      if (all !== undefined)
        kept.set(
          key,
          all.map((one) =>
            (one.lanes & lanes) === 0 ? one : { lanes: one.lanes | lanes, knowledge: one.knowledge },
          ),
        )
    }
    const fenced = s.fenced.get(key)
    if (fenced !== undefined)
      s.fenced.set(
        key,
        fenced.flatMap((f) => metIn(agent, f, lanes)),
      )
  }
}

/** What an agent knew at its last fence of memory that reaches its CTA (1), its cluster (2): what it tells where it does not release. */
export const fencedWithin = (d: Detector, agent: number, reach: Reach): Knowledge | undefined => {
  const a = d.context.agents[agent]!
  const all = d.strong.fenced.get(slot(agent, reach))?.filter((f) => (f.lanes & a.acting) !== 0)
  if (all === undefined || all.length === 0) return undefined
  const [first] = all
  if (all.length === 1) return fencedBy(a, agent, first!)
  const out = nothing(d.context.extent)
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
  if (f.together === null) return [{ lanes: f.lanes | lanes, knowledge: f.knowledge, together: null }]
  const met: Fenced = { lanes, knowledge: knownTo(agent, f, others), together: null }
  return others === 0
    ? [met]
    : [met, { lanes: others, knowledge: knownTo(agent, f, came), together: f.together }]
}

// ---------------------------------------------------------------- hearing and telling

/** Kept for the next fence that reaches so far. */
const keep = (
  c: Context,
  pending: Map<number, ReadonlyArray<Pending>>,
  key: number,
  lanes: number,
  message: Knowledge,
): void => {
  const all = pending.get(key) ?? []
  const kept = all.find((one) => one.lanes === lanes)
  if (kept !== undefined) {
    join(kept.knowledge, message)
    return
  }
  const fresh = nothing(c.extent)
  join(fresh, message)
  pending.set(key, [...all, { lanes, knowledge: fresh }])
}

/** What a relaxed wait has found: with a fence behind it that reaches so far, it acquires. */
export const keepForFence = (d: Detector, agent: number, reach: 1 | 2, message: Knowledge): void => {
  keep(d.context, d.strong.awaited, slot(agent, reach), d.context.agents[agent]!.acting, message)
}

/** `awaited`: by a wait, which is asked apart whether it could have heard something else. */
const hear = (
  d: Detector,
  w: Word,
  a: AgentState,
  stamp: Stamp,
  reach: Reach,
  acquires: boolean,
  awaited: boolean,
): void => {
  const c = d.context
  const x = stamp.agent
  for (const t of w.told) {
    const far = distance(c, x, t.agent)
    if (Math.min(t.reach, reach) < far && !c.options.rules.anyWordScope) continue
    // what another lane of the warp has told is news to this one alone
    if (t.agent === x && stamp.lanes === undefined) continue
    if (acquires) {
      if (!awaited && t.agent !== x) byChance(c, a, stamp, t.knowledge)
      receive(a, t.knowledge, true, false)
      continue
    }
    keep(c, awaited ? d.strong.awaited : d.strong.pending, slot(x, far), a.acting, t.knowledge)
  }
}

/** What a write tells: all that is known where it releases, else what was known at the last fence of each scope. */
const tells = (
  d: Detector,
  a: AgentState,
  x: number,
  reach: Reach,
  releases: boolean,
): ReadonlyArray<Told> => {
  if (releases) return [{ agent: x, reach, knowledge: snapshot(d.context, a) }]
  const out: Told[] = []
  let last: Knowledge | undefined
  for (let r = reach; r >= 1; r--) {
    const knowledge = fencedWithin(d, x, asReach(r))
    if (knowledge === undefined || knowledge === last) continue
    last = knowledge
    out.push({ agent: x, reach: asReach(r), knowledge })
  }
  return out
}
const asReach = (r: number): Reach => (r === 1 ? 1 : r === 2 ? 2 : 3)

/** Of one agent what reaches farther, or was told later, says more; an earlier one that reaches farther still does. */
const withMore = (told: ReadonlyArray<Told>, more: ReadonlyArray<Told>): ReadonlyArray<Told> => [
  ...told.filter((t) => !more.some((m) => m.agent === t.agent && m.reach >= t.reach)),
  ...more,
]

// ---------------------------------------------------------------- what was found

/**
 * A read finds what was written since the last store. It counts where its value is the same in every schedule that comes here: that of a wait, and one that decides,
 * whose orders are all followed.
 */
const finds = (d: Detector, w: Word, stamp: Stamp, reach: Reach): void => {
  const writers = new Map<number, number>()
  for (const [agent, by] of w.writers)
    if (agent !== stamp.agent && Math.min(by.reach, reach) >= distance(d.context, stamp.agent, agent))
      writers.set(agent, by.at)
  const old = w.found.filter((f) => f.stamp.agent === stamp.agent)
  const news = [...writers].some(([agent, at]) => !old.some((f) => (f.writers.get(agent) ?? -1) >= at))
  if (news) w.found.push({ stamp, writers })
}

// ---------------------------------------------------------------- accesses

const joins = (e: Access): boolean => e.combine !== undefined

/** An access of an agent, behind its judgement against the memory that it touches. */
export const strong = (d: Detector, e: Access, a: AgentState): void => {
  const x = e.stamp.agent
  const { plane } = e.footprint
  const { words } = d.strong
  if (!e.atomic) {
    if (e.rw === 'w' && words.size > 0 && d.strong.planes.has(plane))
      for (const byte of wordsOf(e.footprint)) words.delete(keyOfWord(plane, byte))
    return
  }
  const reach = reachOf(e.scope)
  if (e.rw === 'r') {
    if (words.size > 0)
      for (const byte of wordsOf(e.footprint)) {
        const w = words.get(keyOfWord(plane, byte))
        if (w === undefined) continue
        if (e.decides === true) finds(d, w, e.stamp, reach)
        hear(d, w, a, e.stamp, reach, e.acquires === true, false)
      }
    return
  }
  const places = wordsOf(e.footprint)
  const knew = a.knowledge.order.slice()
  if (joins(e))
    for (const byte of places) {
      const w = words.get(keyOfWord(plane, byte))
      if (w !== undefined) hear(d, w, a, e.stamp, reach, e.acquires === true, false)
    }
  const more = tells(d, a, x, reach, e.releases === true)
  places.forEach((byte, i) => {
    const known = words.get(keyOfWord(plane, byte))
    const after = e.left?.[i]
    const before = e.found?.[i]
    const w = known ?? wordAt(d, plane, byte)
    if (!joins(e)) w.writers.clear()
    w.writers.set(x, { at: e.stamp.at, reach })
    w.told = joins(e) ? withMore(w.told, more) : more
    written(d, w, e, byte, before, after, knew)
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

/** A write of a word that some agent may wait for; `knew`: its agent, before it heard anything through the word. */
const written = (
  d: Detector,
  w: Word,
  e: Access,
  byte: number,
  before: number | undefined,
  after: number | undefined,
  knew: ReadonlyArray<number>,
): void => {
  const c = d.context
  for (const wait of w.waits.values())
    if (!knows(knew, wait)) {
      const name = nameOf(c, e.footprint, byte)
      ambiguous(
        d,
        name,
        wait,
        e.stamp,
        `${where(c.header, e.stamp)} can come before ${where(c.header, wait)}`,
      )
    }
  if (after === undefined || before === undefined) return
  const last = w.left[w.left.length - 1]
  w.left.push({
    stamp: e.stamp,
    before,
    after,
    adds: e.combine === 'add',
    knewAll: last === undefined || knows(knew, last.stamp),
  })
  if (w.left.length > 32) settle(c, w)
}

/** Writes that all agents know which have not ended decide nothing any more, but for the last of them. */
const settle = (c: Context, w: Word): void => {
  const running = c.agents.filter((a) => !a.exited)
  let n = 0
  while (
    n + 1 < w.left.length &&
    running.every((a) => strandsOf(a).every((s) => knows(s.knowledge.order, w.left[n + 1]!.stamp)))
  )
    n++
  if (n > 0) w.left.splice(0, n)
}

/** Comparisons that hold from some word on, or of one word alone. */
const leastOf: ReadonlySet<string> = new Set(['eq', 'ge', 'gt', 'hs', 'hi'])

/** Could a wait that passes on the last value have passed on fewer of the writes that it does not know? Which of them it can do without. */
const spare = (
  left: ReadonlyArray<Left>,
  order: ReadonlyArray<number>,
  e: SemaphoreEvent,
): Left | undefined => {
  const from = left.findIndex((l) => !knows(order, l.stamp))
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
  const newest = new Map(tail.map((l) => [l.stamp.agent, l]))
  for (const l of newest.values()) if (is(e.before - (l.after - l.before))) return l
  return undefined
}

/** A wait for a word has passed; its access is judged, and its agent has ticked. */
export const watched = (d: Detector, e: SemaphoreEvent, a: AgentState): void => {
  const c = d.context
  const x = e.stamp.agent
  const { plane } = e.footprint
  for (const byte of wordsOf(e.footprint)) {
    const w = wordAt(d, plane, byte)
    const without = spare(w.left, a.knowledge.order, e)
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
    finds(d, w, e.stamp, reachOf(e.scope))
    hear(d, w, a, e.stamp, reachOf(e.scope), e.relaxed !== true, true)
    for (const l of w.left) heardOf(d.obligations, l.stamp, plane, byte, e.stamp)
    w.waits.set(x, e.stamp)
  }
}
