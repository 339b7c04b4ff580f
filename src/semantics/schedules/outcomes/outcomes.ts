/**
 * Outcomes: every order in which agents can come to what decides (C1), and no more.
 *
 * Where C2 to C6 hold and nothing races, a run stands for every schedule in which what decides comes in the same order. So it is enough to follow one
 * schedule for each of these orders: all that is of no consequence happens at once, and where only what may matter is on offer, each agent is tried in turn.
 *
 *     six blocks count themselves, the last one adds      of 6 x 5 x 4 ... orders there are 64 states: which blocks have counted, for all that follows
 *                                                         depends on no more than that
 *
 * | may matter, of the words that decide                             | is of no consequence            |
 * |------------------------------------------------------------------|---------------------------------|
 * | a read whose value decides, an atomic, a strong store, a wait for the word | everything else       |
 *
 * The words that decide are those that are read strongly, that a wait is for, and that strong stores or exchanges leave in an order that nothing fixes.
 *
 * Two states are one if their machines are, but for what agents hold that have ended, and if the detector remembers the same of both: what every agent
 * that goes on knows, what words and barriers tell, and which events each agent has executed. An agent that asks in vain and stands where it stood, with memory as it was, has done
 * nothing: it is left out.
 *
 * Each end is judged by a run of its schedule, each state by the detector as far as it has come. A clock, or a test of an mbarrier, is no such order, and is not asked here.
 *
 * Laws
 * 1. The schedule of what is found replays to it.
 * 2. A search that says complete has followed an order of what decides for every schedule.
 *
 * Names: stateful model checking with a happens-before race detector; the orders are those of observations.
 */
import { detector, type Options } from '../../judging/detector/index.js'
import { observe } from '../../judging/detector/detector.js'
import { programOf } from '../../judging/detector/knowledge.js'
import { start, type Detector } from '../../judging/detector/state.js'
import type { Judgement } from '../../judging/finding.js'
import { addressesIn, type Access, type Footprint, type LogEvent, type Stamp } from '../../log/events.js'
import type { Launched } from '../../machine/launch.js'
import type { Prepared } from '../../machine/operation.js'
import { agentState, type Machine } from '../../machine/state.js'
import type { World } from '../../machine/world.js'
import { finished, offered, take, type EventKey, type Offered } from '../../execution/step.js'
import { keySet, names, stateKey, type KeySet, type Names } from '../explore/key.js'
import type { Views } from '../explore/views.js'

// ---------------------------------------------------------------- model

export interface OutcomesBounds {
  /** most states in which something that matters is on offer */
  readonly states: number
  /** most events, of all paths together */
  readonly events: number
}
export const defaultOutcomes: OutcomesBounds = { states: 4_000, events: 4_000_000 }

export interface Outcomes {
  readonly complete: boolean
  readonly bound: 'states' | 'depth' | null
  readonly states: number
  readonly transitions: number
  /** schedules to the ends, each of which stands for those that come to the same */
  readonly ends: ReadonlyArray<ReadonlyArray<EventKey>>
  /** one along which the detector finds something, a fault ends the run, or it gets stuck */
  readonly found: ReadonlyArray<EventKey> | null
}

/** Words that decide, by plane and byte. */
type Words = Set<string>

/** A path: what happened last, and what before. */
interface Path {
  readonly before: Path | null
  readonly key: EventKey
  readonly events: ReadonlyArray<LogEvent>
  readonly length: number
}
interface Node {
  readonly machine: Machine
  readonly path: Path | null
}

// ---------------------------------------------------------------- what matters

const wordsIn = (f: Footprint): ReadonlyArray<string> => {
  if (f.map._tag !== 'scatter') return []
  const out: string[] = []
  for (const byte of addressesIn(f.map)) if (byte >= 0) out.push(`${String(f.plane)}+${String(byte)}`)
  return out
}

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

const footprintOf = (p: Prepared): Footprint | null => {
  switch (p._tag) {
    case 'load':
      return p.strong === undefined ? null : p.source.footprint
    case 'store':
      return p.strong === undefined ? null : p.destination.footprint
    case 'atomic.words':
      return p.destination.footprint
    case 'semaphore':
      return p.counter.footprint
    default:
      return null
  }
}

const matters = (words: Words, o: Offered): boolean => {
  if (o.operation !== null || o.ready?._tag !== 'do') return false
  const f = footprintOf(o.ready.prepared)
  return f !== null && wordsIn(f).some((w) => words.has(w))
}

// ---------------------------------------------------------------- states

const noViews: Views = { words: new Int32Array(0), flights: [], meetings: [] }

/** Agents that have ended hold nothing; `counts`: how many events each has executed is part of the state. */
const bare = (m: Machine, counts: boolean): Machine =>
  Object.assign({}, m, {
    agents: m.agents.map((a) =>
      agentState(
        a.status,
        a.status === 'running' ? a.stand : null,
        a.status === 'running' ? a.ready : null,
        counts ? a.at : 0,
        a.groups,
      ),
    ),
  })

const asText = (_: string, value: unknown): unknown =>
  value instanceof Map
    ? [...value.entries()].sort(([x], [y]) => (String(x) < String(y) ? -1 : 1))
    : value instanceof Set
      ? [...value].sort()
      : value

/** What the detector remembers that what follows can ask for. */
const remembered = (d: Detector, m: Machine): string => {
  const c = d.context
  const running = (agent: number): boolean => m.agents[agent]!.status === 'running'
  const messages = [
    ...c.agents.flatMap((a, x) => (running(x) ? [a.knowledge] : [])),
    ...[...d.strong.words.values()].flatMap((w) => w.told.map((t) => t.knowledge)),
  ]
  const isTold = ({ agent, at }: Stamp): boolean => messages.some((k) => k.order[programOf(agent)]! >= at)
  return JSON.stringify(
    [
      c.agents.map((a, x) => (running(x) ? [a.knowledge, a.published, a.received] : null)),
      [...d.strong.words.entries()].map(([word, w]) => [
        word,
        [...w.told].sort((p, q) => p.agent - q.agent || p.reach - q.reach),
        w.left,
        w.writers,
        w.found.filter((f) => running(f.stamp.agent) || isTold(f.stamp)),
        w.waits,
      ]),
      [...d.strong.fenced, ...d.strong.pending, ...d.strong.awaited].filter(([slot]) => running(slot >> 2)),
      d.barriers.map((b) => b),
      d.named,
      d.semaphores,
      [...c.digest.low, ...c.digest.high, c.digest.totalLow, c.digest.totalHigh],
    ],
    asText,
  )
}

// ---------------------------------------------------------------- the search

interface Search {
  readonly world: World
  readonly detecting: Options
  readonly bounds: OutcomesBounds
  readonly words: Words
  readonly names: Names
  readonly texts: Map<string, number>
  readonly keys: KeySet
  readonly ends: ReadonlyArray<EventKey>[]
  transitions: number
  events: number
  bound: 'states' | 'depth' | null
  /** a word has shown to decide that was not known to: the search begins again */
  news: boolean
  found: ReadonlyArray<EventKey> | null
}

const scheduleOf = (p: Path | null): ReadonlyArray<EventKey> => {
  const out: EventKey[] = []
  for (let at = p; at !== null; at = at.before) out.push(at.key)
  return out.reverse()
}
const logOf = (p: Path | null): ReadonlyArray<ReadonlyArray<LogEvent>> => {
  const out: ReadonlyArray<LogEvent>[] = []
  for (let at = p; at !== null; at = at.before) out.push(at.events)
  return out.reverse()
}

/** One event; null if it faults. */
const follow = (s: Search, n: Node, o: Offered): Node | null => {
  const done = take(s.world, n.machine, o)
  s.events++
  const path: Path = {
    before: n.path,
    key: o.key,
    events: 'kind' in done ? [] : done.events,
    length: (n.path?.length ?? 0) + 1,
  }
  if ('kind' in done) {
    s.found ??= scheduleOf(path)
    return null
  }
  for (const e of done.events)
    for (const word of shownBy(e))
      if (!s.words.has(word)) {
        s.words.add(word)
        s.news = true
      }
  return { machine: done.machine, path }
}

/** All that is of no consequence happens; gives what is on offer then. */
const settle = (
  s: Search,
  from: Node,
): { readonly node: Node; readonly choices: ReadonlyArray<Offered> } | null => {
  let node = from
  for (;;) {
    const all = offered(s.world, node.machine)
    const next = all.find((o) => !matters(s.words, o))
    if (next === undefined) return { node, choices: all }
    if (s.events > s.bounds.events) {
      s.bound = 'depth'
      return null
    }
    const after = follow(s, node, next)
    if (after === null || s.news) return null
    node = after
  }
}

const isBad = (j: Judgement): boolean =>
  j.findings.length > 0 || !j.conditions.C2.holds || !j.conditions.C3.holds || !j.conditions.C4.holds

const heard = (s: Search, n: Node): Detector => {
  const d = start(s.world.header, s.detecting)
  observe(d, { _tag: 'cluster', id: n.machine.wave.clusters[0]! })
  for (const events of logOf(n.path)) for (const e of events) observe(d, e)
  s.events += n.path?.length ?? 0
  return d
}

const keyOf = (s: Search, n: Node, counts: boolean): ReadonlyArray<number> =>
  stateKey(s.names, s.world.front.where, bare(n.machine, counts), noViews, null)

const same = (x: ReadonlyArray<number>, y: ReadonlyArray<number>): boolean =>
  x.length === y.length && x.every((v, i) => v === y[i])

const search = (s: Search, first: Node): void => {
  const open: Node[] = [first]
  for (let from = open.pop(); from !== undefined; from = open.pop()) {
    if (s.found !== null || s.news || s.bound !== null) return
    const settled = settle(s, from)
    if (settled === null) return
    const { node, choices } = settled
    const d = heard(s, node)
    const text = remembered(d, node.machine)
    const known = s.texts.get(text) ?? s.texts.size
    s.texts.set(text, known)
    if (!s.keys.add([...keyOf(s, node, true), known])) continue
    if (isBad(detector(s.detecting).stopped!(d))) {
      s.found = scheduleOf(node.path)
      return
    }
    if (choices.length === 0) {
      if (finished(node.machine)) s.ends.push(scheduleOf(node.path))
      else s.found = scheduleOf(node.path)
      continue
    }
    if (s.keys.size() > s.bounds.states) {
      s.bound = 'states'
      return
    }
    const here = keyOf(s, node, false)
    let moved = false
    for (const o of choices) {
      s.transitions++
      const after = follow(s, node, o)
      if (after === null || s.news) return
      if (same(keyOf(s, after, false), here)) continue
      moved = true
      open.push(after)
    }
    // all ask in vain, for ever
    if (!moved) s.found = scheduleOf(node.path)
  }
}

/** How often it may begin again because it has met new words. */
const mostRestarts = 100

/** Every order of what decides; null where clusters do not all run together, or data is not kept. */
export const outcomes = (
  { world, machine }: Launched,
  detecting: Options,
  bounds: OutcomesBounds = defaultOutcomes,
): Outcomes | null => {
  const { memory } = world.algebra
  if ((memory !== 'bytes' && memory !== 'shadow') || world.resident < world.clusterCount) return null
  const words: Words = new Set()
  let events = 0
  for (let k = 0; ; k++) {
    const s: Search = {
      world,
      detecting,
      bounds,
      words,
      names: names(),
      texts: new Map(),
      keys: keySet(),
      ends: [],
      transitions: 0,
      events,
      bound: null,
      news: false,
      found: null,
    }
    search(s, { machine, path: null })
    events = s.events
    if (s.news && k < mostRestarts && events < bounds.events) continue
    const bound = s.news ? 'depth' : s.bound
    return {
      complete: bound === null && s.found === null,
      bound,
      states: s.keys.size(),
      transitions: s.transitions,
      ends: s.ends,
      found: s.found,
    }
  }
}
