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
 * Clusters that share none of them tell one another nothing: the orders of each such *group* are followed alone, and the others go as they come. That holds as long as no
 * group has written what another touches; groups that do are followed together.
 *
 * Two states are one if their machines are, but for what agents hold that have ended, and if the detector remembers the same of both: what every agent
 * that goes on knows, what words and barriers tell, and what kinds of events each agent has executed. Where its events were may differ, as the tiles that blocks have fetched
 * do, if nothing that follows touches these bytes (`touched.ts`): this is asked at the end, and where it does not hold states are told apart by all bytes.
 *
 *     three blocks fetch tiles, five of which there are     which block has had how many, not which
 *
 * Agents that ask in vain come back to a state of the same path. Such a way is not followed a second time; where nothing but ways back leads on, they ask for ever.
 *
 * A finding ends the search if a run of its schedule shows it too. It does not where what was read comes to nothing: the way is followed further, and states with other
 * such races are others.
 *
 * Each end is judged by a run of its schedule, each state by the detector as far as it has come. A clock, or a test of an mbarrier, is no such order, and is not asked here.
 *
 * Laws
 * 1. The schedule of what is found replays to it.
 * 2. A search that says complete has followed an order of what decides for every schedule.
 *
 * Names: stateful model checking with a happens-before race detector; the orders are those of observations.
 */
import { greatest } from '../../../greatest.js'
import { bitsOf } from '../../../numerics/dtype.js'
import { allLanes } from '../../judging/detector/activity.js'
import { soFar, type Options } from '../../judging/detector/index.js'
import { aside } from '../../judging/detector/aside.js'
import { observe } from '../../judging/detector/detector.js'
import { width } from '../../judging/detector/clocks.js'
import { clockOf, join, nothing, programOf, type Knowledge } from '../../judging/detector/knowledge.js'
import { forEach, textOf, valueAt, type Sparse } from '../../judging/detector/sparse.js'
import { start, type Detector } from '../../judging/detector/state.js'
import type { Told, Writer } from '../../judging/detector/strong-state.js'
import { stampAt, type Context } from '../../judging/detector/context.js'
import {
  act,
  knowsLanes,
  metIn,
  strandsOf,
  type Strand,
  type Stranded,
} from '../../judging/detector/strands.js'
import type { Diagnosis, Judgement } from '../../judging/finding.js'
import {
  addressesIn,
  clusterOf,
  type Access,
  type Footprint,
  type LogEvent,
  type Stamp,
} from '../../log/events.js'
import { isOne, singles } from '../../log/lane-mask.js'
import type { Launched } from '../../machine/launch.js'
import type { Prepared } from '../../machine/operation.js'
import * as Plane from '../../machine/plane.js'
import { agentState, type Machine, type Ready } from '../../machine/state.js'
import type { Fellowships } from '../../machine/warp-stand.js'
import type { World } from '../../machine/world.js'
import {
  as,
  finished,
  isAmid,
  keeping,
  leaving,
  meetingsOf,
  offered,
  offeredOf,
  take,
  taking,
  together,
  type EventKey,
  type Offered,
  type Older as OlderWord,
} from '../../execution/step.js'
import { stronglyNamed } from '../../instructions/families.js'
import type { Strongly } from '../../machine/family.js'
import { names, stateKey, type Names } from '../explore/key.js'
import type { Views } from '../explore/views.js'
import * as Contents from './contents.js'
import type { Touch } from '../../judging/detector/readings-state.js'
import {
  backOf,
  keptIn,
  placesBehind,
  rumoursIn,
  tellsNothing,
  type Back,
} from '../../judging/detector/readings.js'
import { shownTo, wouldTell } from '../../judging/detector/strong.js'
import { reachOf, type Reach } from '../../log/reach.js'
import { keyOfWord } from '../../judging/detector/words.js'
import { grouping, type Grouping } from './groups.js'
import * as Exchange from './exchange.js'
import * as Touched from './touched.js'
import { findersOf, given, isParted, readings, type Finder, type Given } from './finders.js'

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
  /** words that some schedule reads for control */
  readonly controlled: ReadonlySet<string>
  /** of what many lanes or words of one instruction may find together some ways were asked */
  readonly some: boolean
  /** clusters that are one another's equals were taken for one another (`exchange.ts`) */
  readonly exchanged: boolean
}

/** Words that decide, by plane and byte, and who has touched them. */
type Words = Map<string, Set<number>>

/** A path: what happened last, and what before. */
interface Path {
  readonly before: Path | null
  readonly key: EventKey
  /** behind it */
  readonly machine: Machine | null
  readonly events: ReadonlyArray<LogEvent>
  readonly length: number
  /** clusters that others can have heard of */
  readonly heard: ReadonlySet<number>
}
interface Node {
  readonly machine: Machine
  readonly path: Path | null
}
/** A state in which something that matters is on offer, or nothing. */
interface State {
  readonly node: Node
  /** where the detector has seen words found, word by word */
  readonly found: ReadonlyMap<string, string>
  readonly to: { readonly state: number; readonly events: ReadonlyArray<ReadonlyArray<LogEvent>> }[]
  /** other paths that have come here, and what was found on them */
  readonly others: { readonly node: Node; readonly found: ReadonlyMap<string, string> }[]
  ends: boolean
}
/** The states of a path, the newest first. */
interface Trail {
  readonly state: number
  /** the machine, without how many events each agent has executed */
  readonly stands: string
  readonly before: Trail | null
}
interface Open {
  readonly node: Node
  readonly trail: Trail | null
  /** lanes of one instruction have been given different writes on it */
  readonly parted: boolean
  /** of the instruction that lanes are executing one after the other what those before have been given */
  readonly given: Given | null
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

const footprintOf = (p: Prepared): Footprint | null =>
  p._tag === 'semaphore' ? p.counter.footprint : (stronglyNamed(p)?.elements.footprint ?? null)

const matters = ({ words, fences }: Learned, o: Offered): boolean => {
  if (o.operation !== null || o.ready?._tag !== 'do') return false
  const { prepared } = o.ready
  if (prepared._tag === 'fence') return fences && prepared.sequential === true
  const f = footprintOf(prepared)
  return f !== null && wordsIn(f).some((w) => words.has(w))
}

/** Words that an event touches in a way that may matter. */
const touchedBy = (e: LogEvent): ReadonlyArray<string> =>
  (e._tag === 'access' && e.atomic) || e._tag === 'semaphore' ? wordsIn(e.footprint) : []

// ---------------------------------------------------------------- states

const noViews: Views = { words: new Int32Array(0), flights: [], meetings: [] }

/** Clusters of which some agent goes on. */
const alive = (world: World, m: Machine): ReadonlySet<number> =>
  new Set(
    m.agents.flatMap((a, x) =>
      a.status === 'done' ? [] : [clusterOf(world.header, world.header.agents[x]!.cta)],
    ),
  )

/** What an agent is ready for; which generation of a named barrier it waits for is counted from the one under way. */
const unnumbered = (world: World, m: Machine, agent: number): Ready | null => {
  const { ready } = m.agents[agent]!
  if (ready?._tag !== 'do' || ready.prepared._tag !== 'bar.leave') return ready
  const { cta } = world.header.agents[agent]!
  const p = ready.prepared
  const open = m.named.find((n) => n.cta === cta && n.id === p.id)?.generation ?? 0
  const known = countedFrom.get(ready)
  if (known?.open === open) return known.ready
  const made: Ready = Object.assign({}, ready, {
    prepared: Object.assign({}, p, { generation: p.generation - open }),
  })
  countedFrom.set(ready, { open, ready: made })
  return made
}
/** Asked in each state anew, of agents that wait for long. */
const countedFrom = new WeakMap<Ready, { readonly open: number; readonly ready: Ready }>()

/**
 * Agents that have ended hold nothing, and neither do the barriers of their clusters; `counts`: how many events each has executed is part of the state, and where
 * states are told apart by all that has happened so is that of those that have ended.
 */
const bare = (world: World, m: Machine, counts: 'none' | 'running' | 'all'): Machine => {
  const { header } = world
  const live = alive(world, m)
  const isAlive = (cta: number): boolean => counts !== 'running' || live.has(clusterOf(header, cta))
  return Object.assign({}, m, {
    agents: m.agents.map((a, x) =>
      agentState(
        a.status,
        a.status === 'running' ? a.stand : null,
        a.status !== 'running' ? null : counts === 'none' ? unnumbered(world, m, x) : a.ready,
        counts === 'all' || (counts === 'running' && a.status !== 'done') ? a.at : 0,
        a.groups,
      ),
    ),
    barriers: m.barriers.map((b, i) => (isAlive(header.barriers[i]!.cta) ? b : null)),
    named: m.named
      .filter(({ cta }) => isAlive(cta))
      .map((n) => (counts === 'none' ? Object.assign({}, n, { generation: 0 }) : n)),
  })
}

const isSparse = (value: unknown): value is Sparse<unknown> =>
  typeof value === 'object' && value !== null && 'chunks' in value
const isRow = (value: unknown): value is ReadonlyArray<number> | Int32Array =>
  value instanceof Int32Array ||
  (Array.isArray(value) && value.length > 0 && value.every((x) => typeof x === 'number'))
const shown = (value: unknown): string =>
  typeof value === 'number' ? String(value) : JSON.stringify(value, asText)

/** How state is put into a text: what is equal gives equal texts, whatever shares it. */
const asText = (_: string, value: unknown): unknown =>
  isRow(value)
    ? value.join()
    : isSparse(value)
      ? textOf(value, shown)
      : value instanceof Map
        ? [...value.entries()].sort(([x], [y]) => (String(x) < String(y) ? -1 : 1))
        : value instanceof Set
          ? [...value].sort()
          : value

/** In whatever order they have written. */
const inTurn = (writers: ReadonlyArray<Writer>): ReadonlyArray<Writer> =>
  [...writers].sort(
    ({ stamp: x }, { stamp: y }) => x.agent - y.agent || x.at - y.at || (x.lanes ?? 0) - (y.lanes ?? 0),
  )

/**
 * What all agents that go on know already of each clock: so much of a message tells none of them anything, now or later. Of a warp that goes on it is that only where its lanes know
 * all that each of them has done.
 */
interface Floor {
  readonly order: (clock: number) => number
  readonly visible: (clock: number) => number
  readonly async: (clock: number) => number
}
const floorOf = (c: Context, m: Machine): Floor => {
  const going = c.agents.map((a, x) => {
    const { status, stand } = m.agents[x]!
    // lanes that have ended hear nothing
    const on = stand?._tag === 'warp' ? ~stand.ended : allLanes
    return status !== 'running' ? [] : strandsOf(a).filter(({ lanes }) => (lanes & on) !== 0)
  })
  const all = going.flatMap((strands) => strands.map(({ knowledge }) => knowledge))
  // where lanes of a warp are known less far than it is, its clocks do not say all
  const lagging = new Set(all.flatMap(({ lags }) => [...(lags?.keys() ?? [])]))
  const isKnown = (agent: number, clock: number, own: boolean): boolean =>
    !lagging.has(agent) &&
    (agent >= going.length ||
      going[agent]!.length === 0 ||
      (own && isStepped(clock) && going[agent]!.every((s) => knowsLanes(c.agents[agent]!.did, s))))
  const of = (own: boolean, rowOf: (k: Knowledge) => Sparse<number>): ((clock: number) => number) => {
    const known = new Map<number, number>()
    return (clock) => {
      const before = known.get(clock)
      if (before !== undefined) return before
      const said = isKnown(Math.floor(clock / width), clock, own)
        ? leastOf(all, (k) => valueAt(rowOf(k), clock))
        : 0
      known.set(clock, said)
      return said
    }
  }
  return {
    order: of(true, (k) => k.firm),
    visible: of(true, (k) => k.visible.counters),
    async: of(false, (k) => k.async.counters),
  }
}
/** No less than 0: who knows nothing ends the question. */
const leastOf = (all: ReadonlyArray<Knowledge>, of: (k: Knowledge) => number): number => {
  let least = Infinity
  for (let i = all.length - 1; i >= 0 && least > 0; i--) least = Math.min(least, of(all[i]!))
  return least
}
const isStepped = (clock: number): boolean =>
  clock === programOf(Math.floor(clock / width)) || clock === clockOf('attended', Math.floor(clock / width))
const above = (r: Sparse<number>, floor: (clock: number) => number): string => {
  let text = ''
  forEach(r, (value, clock) => {
    if (value > floor(clock)) text += `${String(clock)}:${String(value)} `
  })
  return text
}
/** A message, but for what no agent learns by it. */
const newsIn = (k: Knowledge, floor: Floor): ReadonlyArray<unknown> => [
  above(k.order, floor.order),
  k.firm === k.order ? '' : above(k.firm, floor.order),
  above(k.visible.counters, floor.visible),
  k.visible.acquired,
  k.visible.maps,
  above(k.async.counters, floor.async),
  k.async.acquired,
  k.async.maps,
  k.tensor,
  k.lags,
  k.together,
]
const tellsIn = (t: Told, floor: Floor): ReadonlyArray<unknown> => [
  t.agent,
  t.lanes,
  t.reach,
  t.sequential,
  valueAt(t.knowledge.order, programOf(t.agent)),
  newsIn(t.knowledge, floor),
]

/** What a word tells. Which of the ended agents has told what is no matter: a reader that hears one of them hears all that tell as far, from as near. */
const toldIn = (
  c: Context,
  told: ReadonlyArray<Told>,
  running: (agent: number) => boolean,
  floor: Floor,
): ReadonlyArray<unknown> => {
  const of = (t: Told): string => {
    const { cta } = c.header.agents[t.agent]!
    const near = t.reach === 1 ? cta : t.reach === 2 ? clusterOf(c.header, cta) : -1
    return `${String(t.reach)} ${String(t.sequential)} ${String(near)}`
  }
  const ended = new Map<string, Knowledge>()
  for (const t of told)
    if (!running(t.agent)) {
      const k = ended.get(of(t)) ?? nothing()
      join(k, t.knowledge)
      ended.set(of(t), k)
    }
  return [
    told
      .filter((t) => running(t.agent))
      .sort((p, q) => p.agent - q.agent || p.reach - q.reach)
      .map((t) => tellsIn(t, floor)),
    [...ended].sort(([p], [q]) => (p < q ? -1 : 1)).map(([near, k]) => [near, newsIn(k, floor)]),
  ]
}

/** What a strand knows. Of another lane of its warp it is the same to know all that this has done, or more. */
const strandIn = (a: Stranded, s: Strand): ReadonlyArray<unknown> => {
  const { order, firm, visible, async, tensor, lags, together } = s.knowledge
  return [
    s.lanes,
    [order, firm === order ? '' : firm, visible, async, tensor, lags],
    together === null ? null : [metIn(a.did, s.lanes, together.paced), together.exchanges],
    s.published,
    s.received,
  ]
}

const numberIn = (texts: Map<string, number>, text: string): number => {
  const known = texts.get(text)
  if (known !== undefined) return known
  texts.set(text, texts.size)
  return texts.size - 1
}

/** What the detector remembers that what follows can ask for; `exactly`: also where words were found. What it remembers of an agent is said anew where that has done something since. */
const memoryOf = (
  world: World,
  { detector: d, agents, clusters }: Listening,
  texts: Map<string, number>,
  m: Machine,
  exactly: boolean,
  floor: Floor,
): string => {
  const c = d.context
  const { header } = c
  const running = (agent: number): boolean => m.agents[agent]!.status === 'running'
  const live = alive(world, m)
  const isAlive = (cluster: number): boolean => exactly || live.has(cluster)
  const ofNamed = (key: number): number =>
    key >= 0 ? clusterOf(header, key >> 4) : -key % (header.resident ?? 1)
  const numbered = (known: Map<number, number>, x: number, said: () => unknown): string => {
    const before = known.get(x)
    if (before !== undefined) return String(before)
    const number = numberIn(texts, JSON.stringify(said(), asText))
    known.set(x, number)
    return String(number)
  }
  const ofAgents = c.agents.map((a, x) =>
    running(x) ? numbered(agents, x, () => [strandsOf(a).map((s) => strandIn(a, s)), a.did, a.arrived]) : '',
  )
  const ofClusters = Array.from({ length: header.resident ?? 1 }, (_, cluster) =>
    isAlive(cluster)
      ? numbered(clusters, cluster, () => [
          d.barriers.filter((_b, i) => clusterOf(header, header.barriers[i]!.cta) === cluster),
          [...d.named].filter(([key]) => ofNamed(key) === cluster).sort(([x], [y]) => x - y),
        ])
      : '',
  )
  const rest = JSON.stringify(
    [
      [...d.strong.words.entries()].map(([word, w]) => [
        word,
        exactly
          ? [...w.told].sort((p, q) => p.agent - q.agent || p.reach - q.reach).map((t) => tellsIn(t, floor))
          : toldIn(c, w.told, running, floor),
        w.left,
        inTurn(w.writers.filter(({ stamp }) => exactly || running(stamp.agent))),
        w.waits,
        w.open.map(({ stamp }) => stamp),
      ]),
      keptIn(d.strong.readings),
      rumoursIn(d.strong.readings)
        .filter(([agent]) => running(agent))
        .map(([agent, all]) => [
          agent,
          all.map(({ one: { read, beside, plane, byte }, heard, messages }) => [
            [read.site, read.lanes, beside.agent, beside.site, plane, byte, heard.acquires],
            messages.map(({ reach, far, knowledge }) => [reach, far, newsIn(knowledge, floor)]),
          ]),
        ]),
      exactly ? foundIn(d, m) : null,
      [...d.strong.fenced]
        .filter(([slot]) => running(slot >> 2))
        .map(([slot, all]) => [
          slot,
          all.map((f) => [f.lanes, f.sequential, f.together, newsIn(f.knowledge, floor)]),
        ]),
      [d.strong.pending, d.strong.awaited].map((kept) =>
        [...kept]
          .filter(([slot]) => running(slot >> 2))
          .map(([slot, all]) => [slot, all.map((p) => [p.lanes, p.sequential, newsIn(p.knowledge, floor)])]),
      ),
      d.semaphores,
      [d.obligations.pending, d.obligations.remote, d.obligations.words],
      [...c.digest.low, ...c.digest.high].filter((_, x) => exactly || running(x % m.agents.length)),
      [c.digest.totalLow, c.digest.totalHigh],
    ],
    asText,
  )
  return `${ofAgents.join()}|${ofClusters.join()}|${rest}`
}

/** Of each word where agents that go on have found it, or what has been told of others. */
const foundIn = (d: Detector, m: Machine): ReadonlyMap<string, string> => {
  const c = d.context
  const running = (agent: number): boolean => m.agents[agent]!.status === 'running'
  const messages = [
    ...c.agents.flatMap((a, x) => (running(x) ? strandsOf(a).map((s) => s.knowledge) : [])),
    ...[...d.strong.words.values()].flatMap((w) => w.told.map((t) => t.knowledge)),
  ]
  const isTold = ({ agent, at }: Stamp): boolean =>
    messages.some((k) => valueAt(k.order, programOf(agent)) >= at)
  return new Map(
    [...d.strong.words].map(([word, w]) => [
      word,
      [
        ...w.found
          .filter((f) => running(f.stamp.agent) || isTold(f.stamp))
          .map((f) => JSON.stringify(f, asText))
          .sort(),
        JSON.stringify(inTurn(w.writers), asText),
      ].join(),
    ]),
  )
}

// ---------------------------------------------------------------- the search

/** What is learned in one search and kept for the next. */
interface Learned {
  readonly words: Words
  /** words that strong reads name which write nothing: how many bytes each has, and which agents read it */
  readonly read: Map<string, { readonly bytes: number; readonly by: Set<number> }>
  /** words that decide, and which agents write them strongly */
  readonly written: Map<string, Set<number>>
  readonly groups: Grouping
  /** groups whose states are told apart by all bytes */
  readonly exact: Set<number>
  /** some read may take an older write unless fences are in an order that says otherwise: their orders are followed, too */
  fences: boolean
  /** words that were read for control */
  readonly controlled: Set<string>
  /** words of which some atomic leaves what it finds, whatever that is */
  readonly idle: Set<string>
  /** clusters that are equals, as far as is known; null: none are asked */
  equals: Exchange.Equals | null
  /** plain reads that are judged as wider ones */
  wider: Exchange.Wider
  events: number
}

/** Does a run of this schedule show what the detector has found on it? What a statement finds and drops is no race. Null: no more runs can be asked. */
export type Stands = (schedule: ReadonlyArray<EventKey>) => boolean | null

/** A detector, and what it has heard. */
interface Listening {
  readonly detector: Detector
  readonly path: Path | null
  readonly exactly: boolean
  /** what it remembers of agents and clusters that have done nothing since that was said, by the number of the text */
  readonly agents: Map<number, number>
  readonly clusters: Map<number, number>
  readonly touched: Touched.Touched
  /** the bytes that were written, as long as there are no more */
  readonly written: { footprints: number; text: string }
}

interface Search {
  readonly world: World
  /** the cluster that the log begins with */
  readonly first: number
  /** what the detector has heard last */
  listening: Listening | null
  /** what was said of what the detector remembers */
  readonly texts: Map<string, number>
  readonly detecting: Options
  readonly bounds: OutcomesBounds
  /** is this a finding that comes to nothing? The ends are asked whether it does there */
  readonly isNoted: (f: Diagnosis) => boolean
  readonly stands: Stands
  readonly learned: Learned
  readonly exchange: Exchange.Exchange | null
  readonly names: Names
  readonly ends: ReadonlyArray<EventKey>[]
  /** of each group what it touches */
  readonly touched: Map<number, Touched.Touched>
  size: number
  transitions: number
  bound: 'states' | 'depth' | null
  /** something was learned that the search has not known: it begins again */
  news: boolean
  /** of what many lanes or words of one instruction may find together some ways were asked */
  some: boolean
  /** a cluster went first for its equals */
  exchanged: boolean
  found: ReadonlyArray<EventKey> | null
}

const scheduleOf = (p: Path | null): ReadonlyArray<EventKey> => {
  const out: EventKey[] = []
  for (let at = p; at !== null; at = at.before) out.push(at.key)
  return out.reverse()
}
/** What has happened on a path behind one that it goes on from. */
const logOf = (p: Path | null, behind: Path | null = null): ReadonlyArray<ReadonlyArray<LogEvent>> => {
  const out: ReadonlyArray<LogEvent>[] = []
  for (let at = p; at !== null && at !== behind; at = at.before) out.push(at.events)
  return out.reverse()
}

/** The words that events show to decide, and who shares them. */
const learn = (s: Search, agent: number, events: ReadonlyArray<LogEvent>): void => {
  const { words, read, written, groups } = s.learned
  const { header } = s.world
  const cluster = clusterOf(header, header.agents[agent]!.cta)
  for (const e of events) {
    if (e._tag === 'access' && e.atomic && e.operation === undefined)
      for (const word of wordsIn(e.footprint)) {
        if (e.rw === 'r' && e.joins !== true && e.combine === undefined) {
          const known = read.get(word) ?? { bytes: bitsOf(e.footprint.dtype) / 8, by: new Set() }
          read.set(word, known)
          s.news ||= !known.by.has(agent)
          known.by.add(agent)
        } else if (e.rw === 'w') {
          const known = written.get(word) ?? new Set()
          written.set(word, known)
          s.news ||= words.has(word) && !known.has(agent)
          known.add(agent)
        }
      }
    for (const word of shownBy(e))
      if (!words.has(word)) {
        words.set(word, new Set())
        s.news = true
      }
    for (const word of touchedBy(e)) {
      const sharers = words.get(word)
      if (sharers === undefined || sharers.has(cluster)) continue
      const [first] = sharers
      sharers.add(cluster)
      if (groups.join(first ?? cluster, cluster)) s.news = true
    }
  }
}

const noClusters: ReadonlySet<number> = new Set()
const heardOf = (p: Path | null): ReadonlySet<number> => p?.heard ?? noClusters

/** Clusters that others can have heard of, behind an event. */
const nowHeard = (
  s: Search,
  before: Path | null,
  o: Offered,
  events: ReadonlyArray<LogEvent>,
): ReadonlySet<number> => {
  const known = heardOf(before)
  if (s.learned.equals === null) return known
  const { header } = s.world
  const cluster = clusterOf(header, header.agents[o.key.agent]!.cta)
  return known.has(cluster) || !(matters(s.learned, o) || Exchange.isHeard(s.world, events))
    ? known
    : new Set([...known, cluster])
}

/** One event; null if it faults. */
const follow = (s: Search, n: Node, o: Offered): Node | null => {
  const done = take(s.world, n.machine, o)
  s.learned.events++
  const path: Path = {
    before: n.path,
    key: o.key,
    machine: 'kind' in done ? null : done.machine,
    events: 'kind' in done ? [] : done.events,
    length: (n.path?.length ?? 0) + 1,
    heard: 'kind' in done ? heardOf(n.path) : nowHeard(s, n.path, o, done.events),
  }
  if ('kind' in done) {
    s.found ??= scheduleOf(path)
    return null
  }
  learn(s, o.key.agent, done.events)
  if (s.exchange !== null) Exchange.see(s.exchange, o.key.agent, done.events)
  return { machine: done.machine, path }
}

/** Who has executed least. */
const slowest = (m: Machine, choices: ReadonlyArray<Offered>): Offered =>
  choices.reduce((a, b) => (m.agents[b.key.agent]!.at < m.agents[a.key.agent]!.at ? b : a))

/** All that is of no consequence happens, and what other groups do; gives what is on offer to the group then. `group`: -1 is none. */
const settle = (
  s: Search,
  from: Node,
  group: number,
): { readonly node: Node; readonly choices: ReadonlyArray<Offered> } | null => {
  const { header } = s.world
  const { groups } = s.learned
  const isOurs = (o: Offered): boolean =>
    group >= 0 && groups.of(clusterOf(header, header.agents[o.key.agent]!.cta)) === group
  let node = from
  let going: Offered | null = null
  for (;;) {
    let next = going
    if (next === null) {
      const all = together(offered(s.world, node.machine))
      next = all.find((o) => !matters(s.learned, o)) ?? null
      if (next === null) {
        const ours = all.filter(isOurs)
        if (ours.length > 0 || all.length === 0) return { node, choices: ours }
        next = slowest(node.machine, all)
      }
    }
    if (s.learned.events > s.bounds.events) {
      s.bound = 'depth'
      return null
    }
    const after = follow(s, node, next)
    if (after === null || (s.news && group >= 0)) return null
    node = after
    // who has begun goes on as long as it is of no consequence
    const own = offeredOf(s.world, node.machine, next.key.agent)
    going = own === null || matters(s.learned, own) ? null : own
  }
}

/** Which events were found to race, those that come to nothing left out. States that do not have the same are two: what comes to nothing there may come to something here. */
const racesIn = (j: Pick<Judgement, 'findings'>, isNoted: (f: Diagnosis) => boolean): string =>
  j.findings
    .filter((f) => !isNoted(f))
    .map(({ id, a, b }) => [id, a.index, a.at, b?.index ?? '', b?.at ?? ''].join())
    .sort()
    .join(';')

/** The detector that has heard a path. One that has heard the beginning of it hears the rest; where ways part, another hears all. */
const heard = (s: Search, n: Node, exactly: boolean): Listening => {
  const known = s.listening
  const goesOn = known?.exactly === exactly && isBehind(n.path, known.path)
  const d = goesOn ? known.detector : listening(s, exactly)
  const news = logOf(n.path, goesOn ? known.path : null)
  for (const events of news) for (const e of events) observe(d, Exchange.asWider(s.learned.wider, e))
  s.learned.events += news.length
  if (goesOn) forgetSaid(s.world, known, n.path)
  const now: Listening = {
    detector: d,
    path: n.path,
    exactly,
    agents: goesOn ? known.agents : new Map(),
    clusters: goesOn ? known.clusters : new Map(),
    touched: goesOn ? known.touched : Touched.nothing(),
    written: goesOn ? known.written : { footprints: -1, text: '' },
  }
  Touched.add(now.touched, news, () => true)
  s.listening = now
  for (const word of d.strong.readings.controlled) s.learned.controlled.add(word)
  return now
}
const writtenSoFar = ({ touched, written }: Listening): string => {
  const { size } = touched.writes
  if (size !== written.footprints) {
    written.footprints = size
    written.text = Touched.writtenIn(touched)
  }
  return written.text
}
/** Of those who have done something since. */
const forgetSaid = (
  { header }: World,
  { path: before, agents, clusters }: Listening,
  path: Path | null,
): void => {
  for (let at = path; at !== null && at !== before; at = at.before) {
    const { agent } = at.key
    agents.delete(agent)
    clusters.delete(clusterOf(header, header.agents[agent]!.cta))
  }
}
const listening = (s: Search, exactly: boolean): Detector => {
  const detecting = exactly ? s.detecting : Object.assign({}, s.detecting, { digestsPlaces: false as const })
  const d = start(s.world.header, detecting)
  observe(d, { _tag: 'cluster', id: s.first })
  return d
}
const isBehind = (path: Path | null, before: Path | null): boolean => {
  const length = before?.length ?? 0
  let at = path
  while (at !== null && at.length > length) at = at.before
  return at === before
}

const keyOf = (s: Search, n: Node, counts: boolean, exactly: boolean): string => {
  const m = bare(s.world, n.machine, !counts ? 'none' : exactly ? 'all' : 'running')
  const { where } = s.world.front
  if (exactly) return stateKey(s.names, where, m, noViews, null).join()
  const words = [...s.learned.words.keys()].map((word) => {
    const [plane, byte] = word.split('+')
    return Plane.wordAsText(m.planes[Number(plane)]!, Number(byte))
  })
  return `${stateKey(s.names, where, Object.assign({}, m, { planes: [] }), noViews, null).join()}|${words.join()}`
}

// ---------------------------------------------------------------- older writes

/** The machine that an event left behind it, by itself: of one that took or kept other words, before these were put back. Asked again by every path that goes on from there. */
const behindEvents = new WeakMap<Path, Machine | null>()
const behindEvent = (world: World, at: Path, before: Machine): Machine | null => {
  const { key, machine } = at
  if (key.older === undefined && key.below === undefined) return machine
  const known = behindEvents.get(at)
  if (known !== undefined) return known
  const behind = leaving(world, before, key)
  behindEvents.set(at, behind)
  return behind
}

/** What a word held behind each of its last writes, and before the first of them, the last one first; of several writes of one event the last alone. */
const heldIn = (
  world: World,
  n: Node,
  first: Node,
  touches: ReadonlyArray<Touch>,
  plane: number,
  byte: number,
  bytes: number,
  most: number,
): ReadonlyArray<string | undefined> => {
  const writes = touches.filter(({ rw }) => rw === 'w').slice(-most - 1)
  const wanted = new Map(writes.map(({ stamp }, i) => [`${String(stamp.agent)}:${String(stamp.at)}`, i]))
  const held: (string | undefined)[] = []
  for (let at = n.path; at !== null; at = at.before) {
    const { key } = at
    const i = wanted.get(`${String(key.agent)}:${String(key.at)}`)
    if (i === undefined || at.machine === null || key.stage !== 'agent') continue
    const before = at.before?.machine ?? first.machine
    const behind = behindEvent(world, at, before)
    held[writes.length - 1 - i] =
      behind === null ? undefined : Plane.wordAt(behind.planes[plane]!, byte, bytes)
    // what was there before the first of all that have happened
    if (writes.length <= most) held[writes.length] = Plane.wordAt(before.planes[plane]!, byte, bytes)
  }
  return held
}

/** An atomic that leaves what it finds, whatever that is. */
const leavesWhatItFinds = (p: Extract<Prepared, { readonly _tag: 'atomic.words' }>): boolean => {
  const data = p.data
  if (data === null) return false
  switch (p.op) {
    case 'add':
    case 'or':
    case 'xor':
      return !p.rounds && data.every((x) => x === 0)
    case 'and':
      return data.every((x) => (x | 0) === -1)
    case 'cas':
      return p.compare?.every((x, i) => x === data[i]) === true
    case 'min':
    case 'max':
    case 'inc':
    case 'dec':
    case 'exch':
      return false
  }
}

/** What a strong write may have besides its place: whether it leaves what it finds, and whom it tells. */
interface Landing {
  readonly leaves: boolean
  readonly reach: Reach
  readonly releases: boolean
}
const landingOf = (p: Prepared): Landing | null => {
  switch (p._tag) {
    case 'store':
      return p.strong === undefined
        ? null
        : { leaves: false, reach: reachOf(p.strong.scope), releases: p.strong.orders }
    case 'atomic.words':
      return { leaves: leavesWhatItFinds(p), reach: reachOf(p.scope), releases: p.releases }
    default:
      return null
  }
}
/** Where the scalars lie that it names, each once. */
const scalarsIn = ({ elements: { offsets, origin }, words }: Strongly): ReadonlyArray<number> =>
  [...new Set([...offsets].flatMap((offset, i) => (i % words === 0 ? [offset + origin] : [])))].filter(
    (byte) => byte >= 0,
  )

/** The words of a strong access that is on offer, and what else those that name them may take of them, or lie under. */
const takeable = (s: Search, first: Node, n: Node, d: Detector, o: Offered): ReadonlyArray<Finder> =>
  aside(d, o.key.agent, () => takenBy(s, first, n, d, o))

const takenBy = (s: Search, first: Node, n: Node, d: Detector, o: Offered): ReadonlyArray<Finder> => {
  const r = o.ready
  const named = r?._tag === 'do' ? stronglyNamed(r.prepared) : null
  if (r?._tag !== 'do' || r.by === undefined || named === null) return []
  const { plane, dtype, footprint } = named.elements
  const bytes = (named.words * bitsOf(dtype)) / 8
  const writes = landingOf(r.prepared)
  const { agent, at } = o.key
  const state = d.context.agents[agent]!
  // its lanes have met since its last effect: what each then knows of the others is over
  for (const e of meetingsOf(n.machine.agents[agent]!, agent, r)) observe(d, e)
  return scalarsIn(named).flatMap((byte) => {
    const touches = d.strong.words.get(keyOfWord(plane, byte))?.touches ?? []
    if (touches.every(({ rw }) => rw === 'r')) return []
    const stamp = stampAt(
      d.context,
      { agent, at, site: r.site, iteration: r.iteration, lanes: r.by!.mask },
      footprint,
      byte,
    )
    const isDealt = !r.by!.whole && footprint.map._tag === 'scatter' && writes === null
    const isMany = isDealt && stamp.lanes !== undefined && !isOne(stamp.lanes)
    const word = keyOfWord(plane, byte)
    if (writes?.leaves === true && !s.learned.idle.has(word)) {
      s.learned.idle.add(word)
      s.news = true
    }
    act(state, agent, stamp.lanes ?? r.by!.mask, at)
    const takesOver =
      writes === null ? tellsNothing : wouldTell(d, state, agent, writes.reach, writes.releases)
    const backsOf = (limit: number): ReadonlyArray<number> =>
      writes !== null
        ? placesBehind(touches, limit, writes.leaves, takesOver)
        : Array.from({ length: limit }, (_, back) => back + 1)
    const by = isMany
      ? backsBy(d, stamp, touches)
      : [
          {
            lanes: stamp.lanes,
            back: backOf(touches, stamp, state.knowledge, shownTo(d.strong, stamp)),
          },
        ]
    const most = greatest(0)(by.map(({ back }) => back.most))
    if (
      !s.learned.fences &&
      by.some(
        ({ back }) => back.most < back.without && backsOf(back.without).length > backsOf(back.most).length,
      )
    ) {
      s.learned.fences = true
      s.news = true
    }
    const backs = backsOf(most)
    if (backs.length === 0) return []
    const held = heldIn(s.world, n, first, touches, plane, byte, bytes, most)
    const now = Plane.wordAt(n.machine.planes[plane]!, byte, bytes)
    const keeps = !named.reads
    const ways = backs.flatMap((back): ReadonlyArray<OlderWord> => {
      const found = keeps ? now : held[back]
      return found === undefined ? [] : [{ plane, byte, back, held: found }]
    })
    if (ways.length === 0) return []
    return isMany
      ? findersOf(
          stamp.lanes!,
          by.map(({ lanes, back }) => [lanes!, back.most] as const),
          ways,
        )
      : [{ lanes: null, all: null, ways: ways.map((w) => [w]) }]
  })
}

/** How far back each of these lanes may go, for itself; those that may go as far are one entry. */
const backsBy = (
  d: Detector,
  stamp: Stamp,
  touches: ReadonlyArray<Touch>,
): ReadonlyArray<{ readonly lanes: number | undefined; readonly back: Back }> => {
  const { agent, at, site, iteration, lanes: asking = allLanes } = stamp
  const out = new Map<string, { lanes: number; readonly back: Back }>()
  const own = touches.some((t) => t.stamp.agent === agent)
  for (const { lanes, knowledge } of strandsOf(d.context.agents[agent]!)) {
    const those = lanes & asking
    if (those === 0) continue
    // lanes of a strand differ in what they know of their own warp alone, and in what fences have shown to them
    const shown = shownTo(d.strong, { agent, at, site, iteration, lanes: those })
    const isOneForAll = !own && (shown !== undefined || !d.strong.shown.has(agent))
    for (const some of isOneForAll ? [those] : singles(those)) {
      const by: Stamp = { agent, at, site, iteration, lanes: some }
      const back = backOf(touches, by, knowledge, isOneForAll ? shown : shownTo(d.strong, by))
      const key = `${String(back.most)} ${String(back.without)}`
      const same = out.get(key)
      if (same === undefined) out.set(key, { lanes: some, back })
      else same.lanes |= some
    }
  }
  return [...out.values()]
}

/** How far back lanes may go that know the same, taken together. */
const backsTogether: typeof backsBy = (d, { agent, at, site, iteration }, touches) =>
  strandsOf(d.context.agents[agent]!).map(({ lanes, knowledge }) => {
    const by: Stamp = { agent, at, site, iteration, lanes }
    return { lanes, back: backOf(touches, by, knowledge, shownTo(d.strong, by)) }
  })

/**
 * What agents that go on may still take of words, or write under: what each held and told then. Two states in which they may take other writes are two.
 */
const olderIn = (s: Search, first: Node, n: Node, d: Detector, floor: Floor): string => {
  const { words, read, written, fences, idle } = s.learned
  const c = d.context
  const running = (agent: number): boolean => n.machine.agents[agent]!.status === 'running'
  const out: unknown[] = []
  for (const [word, w] of d.strong.words) {
    if (w.touches.every(({ rw }) => rw === 'r')) continue
    const reads = read.get(word)
    const writers = words.has(word) ? written.get(word) : undefined
    if (reads === undefined && writers === undefined) continue
    /** Of the lanes of each agent that has such accesses and goes on: how far back they may go, each for itself or as far as they know the same. */
    const backsOf = (
      by: ReadonlySet<number> | undefined,
      each: typeof backsBy,
    ): ReadonlyArray<readonly [number, ReadonlyArray<readonly [lanes: number, back: number]>]> =>
      [...(by ?? [])]
        .filter(running)
        .sort((x, y) => x - y)
        .map((agent) => {
          const stamp: Stamp = { agent, at: n.machine.agents[agent]!.at, site: -1, iteration: [] }
          const some = each(d, stamp, w.touches).map(
            ({ lanes, back }) => [lanes ?? allLanes, fences ? back.most : back.without] as const,
          )
          return [agent, some]
        })
    const mostOf = (some: ReadonlyArray<readonly [number, number]>): number =>
      greatest(0)(some.map(([, back]) => back))
    const reading = backsOf(reads?.by, backsBy).filter(([, backs]) => mostOf(backs) > 0)
    const writing = backsOf(writers, backsTogether).flatMap(([agent, backs]) => {
      const places = placesBehind(w.touches, mostOf(backs), idle.has(word), tellsNothing)
      return places.length === 0 ? [] : [[agent, backs, places] as const]
    })
    if (reading.length + writing.length === 0) continue
    const most = greatest(0)([...reading, ...writing].map(([, backs]) => mostOf(backs)))
    const [plane, byte] = [Number(word.split('+')[0]), Number(word.split('+')[1])]
    const held = heldIn(s.world, n, first, w.touches, plane, byte, reads?.bytes ?? 4, most)
    out.push([
      word,
      reading,
      writing,
      held.map((bits, back) => {
        const past = w.past[w.past.length - 1 - back]
        return past === undefined
          ? [bits]
          : [
              bits,
              toldIn(c, past.told, running, floor),
              past.writers.filter(({ stamp }) => running(stamp.agent)),
            ]
      }),
    ])
  }
  return out.length === 0 ? '' : JSON.stringify(out, asText)
}

/** A read takes these, and a store leaves them where they are. */
const keyed = ({ key, ready }: Offered, words: ReadonlyArray<OlderWord>): EventKey =>
  ready?._tag === 'do' && ready.prepared._tag === 'store' ? keeping(key, words) : taking(key, words)

/** Lanes that come behind the first of an instruction, one after the other. */
const lanesBehind = (world: World, m: Machine, o: Offered): number => {
  let lanes = 0
  for (let done = take(world, m, o); !('kind' in done);) {
    const next = together(offered(world, done.machine))
    if (next[0]?.key.agent !== o.key.agent || !isAmid(next)) break
    lanes++
    done = take(world, done.machine, next[0])
  }
  return lanes
}

/** The ways in which an instruction is followed, that which takes the last writes last: it is taken up first, so that a state is known by such a schedule where one comes to it. */
const askedOf = (
  s: Search,
  first: Node,
  n: Node,
  d: Detector,
  o: Offered,
  from: Open,
): {
  readonly ways: ReadonlyArray<{
    readonly words: ReadonlyArray<OlderWord>
    readonly parted: boolean
    readonly given: Given | null
  }>
  readonly some: boolean
} => {
  const finders = takeable(s, first, n, d, o)
  const isTurn = from.given !== null && isAmid([o])
  const isAtomic = o.ready?._tag === 'do' && o.ready.prepared._tag === 'atomic.words'
  if (isAtomic && finders.length <= 1) {
    const ways = finders[0]?.ways ?? []
    const taken = isTurn ? from.given! : []
    const lanes = ways.length === 0 ? 1 : taken.length + 1 + lanesBehind(s.world, n.machine, o)
    const next = given(lanes, taken, ways.length, from.parted)
    return {
      ways: [...next.ways].reverse().map((way) => {
        const now: Given = [...taken, [ways.length, way]]
        return {
          words: way === 0 ? [] : ways[way - 1]!,
          parted: from.parted || (next.some && isParted(now)),
          given: now,
        }
      }),
      some: next.some,
    }
  }
  const all = readings(finders, from.parted)
  return {
    ways: [
      ...all.ways.map(({ words, parts }) => ({ words, parted: from.parted || parts, given: null })),
      { words: [], parted: from.parted, given: null },
    ],
    some: all.some,
  }
}

/** States with these machines on a path, the newest first. */
const standing = (trail: Trail | null, stands: string): ReadonlyArray<Trail> => {
  const out: Trail[] = []
  for (let at = trail; at !== null; at = at.before) if (at.stands === stands) out.push(at)
  return out
}

/** An atomic that leaves what it has found, and tells nothing but what its thread has told before. */
const isInVain = (e: Access, m: Machine, before: Machine): boolean => {
  const { plane, dtype, map } = e.footprint
  if (e.combine !== 'cas' || e.releases === true || map._tag !== 'scatter') return false
  const bytes = bitsOf(dtype) / 8
  return [...addressesIn(map)].every(
    (at) =>
      at < 0 || Plane.wordAt(m.planes[plane]!, at, bytes) === Plane.wordAt(before.planes[plane]!, at, bytes),
  )
}

/** Only asks since then: what it does once more, it has done. */
const onlyAsks = (path: Path | null, behind: Path | null, first: Machine): boolean => {
  for (let at = path; at !== null && at !== behind; at = at.before) {
    const { machine } = at
    const before = at.before?.machine ?? first
    if (machine === null) return false
    for (const e of at.events)
      if (
        e._tag === 'access'
          ? !e.atomic || !(e.rw === 'r' || isInVain(e, machine, before))
          : e._tag !== 'rendezvous'
      )
        return false
  }
  return true
}

/** What is on offer, of equals that no other cluster can have heard of what the first of them offers. */
const firstsOf = (
  s: Search,
  { machine, path }: Node,
  choices: ReadonlyArray<Offered>,
): ReadonlyArray<Offered> => {
  const { equals } = s.learned
  if (equals === null || isAmid(choices)) return choices
  const firsts = Exchange.ofFirsts(s.world, machine, equals, heardOf(path), choices)
  s.exchanged ||= firsts.length < choices.length
  return firsts
}

/** All orders of one group. */
const search = (s: Search, first: Node, group: number): void => {
  const exactly = s.learned.exact.has(group)
  const states: State[] = []
  const numbers = new Map<string, number>()
  const open: Open[] = [{ node: first, trail: null, parted: false, given: null }]
  const lead = (trail: Trail | null, path: Path | null, to: number): void => {
    if (trail === null) return
    const from = states[trail.state]!
    from.to.push({ state: to, events: logOf(path, from.node.path) })
  }
  /** What is on offer, in every way in which it may read; false: the search ends here. */
  const go = (
    from: Open,
    node: Node,
    choices: ReadonlyArray<Offered>,
    d: Detector,
    trail: Trail | null,
  ): boolean => {
    for (const o of firstsOf(s, node, choices)) {
      s.transitions++
      const asked = askedOf(s, first, node, d, o, from)
      if (s.news) return false
      s.some ||= asked.some
      for (const { words, parted, given: known } of asked.ways) {
        s.transitions++
        const after = follow(s, node, words.length === 0 ? o : as(o, keyed(o, words)))
        if (after === null || s.news) return false
        open.push({ node: after, trail, parted, given: known })
      }
    }
    return true
  }
  for (let from = open.pop(); from !== undefined; from = open.pop()) {
    const settled = settle(s, from.node, group)
    if (settled === null) return
    const { node, choices } = settled
    if (from.given !== null && isAmid(choices)) {
      // what comes of it is asked behind the last of its lanes
      if (!go(from, node, choices, heard(s, node, exactly).detector, from.trail)) return
      continue
    }
    const stands = keyOf(s, node, false, true)
    const before = standing(from.trail, stands)
    const back = before[0]
    if (
      back !== undefined &&
      (before.length > 1 || onlyAsks(node.path, states[back.state]!.node.path, first.machine))
    ) {
      lead(from.trail, node.path, back.state)
      continue
    }
    const listening = heard(s, node, exactly)
    const d = listening.detector
    const floor = floorOf(d.context, node.machine)
    const text = memoryOf(s.world, listening, s.texts, node.machine, exactly, floor)
    const found = foundIn(d, node.machine)
    const known = numberIn(s.texts, text)
    const written = exactly ? '' : writtenSoFar(listening)
    const older = olderIn(s, first, node, d, floor)
    const so = soFar(d)
    const races = racesIn(so, s.isNoted)
    const { C2, C3, C4 } = so.conditions
    if (races !== '' || !C2.holds || !C3.holds || !C4.holds) {
      const stands = C2.holds && C3.holds && C4.holds ? s.stands(scheduleOf(node.path)) : true
      if (stands === null) {
        s.bound = 'states'
        return
      }
      if (stands) {
        s.found = scheduleOf(node.path)
        return
      }
      // a read that was judged as a wider one may race where it does not as it is
      if (s.learned.wider.size > 0) {
        withoutEquals(s)
        return
      }
    }
    const key = `${keyOf(s, node, true, exactly)}|${String(known)}|${written}|${older}|${String(from.parted)}|${races}`
    const same = numbers.get(key)
    if (same !== undefined) {
      lead(from.trail, node.path, same)
      if (!exactly) states[same]!.others.push({ node, found })
      continue
    }
    const number = states.length
    numbers.set(key, number)
    const state: State = { node, found, to: [], others: [], ends: false }
    states.push(state)
    lead(from.trail, node.path, number)
    if (choices.length === 0) {
      if (!finished(node.machine)) {
        s.found = scheduleOf(node.path)
        return
      }
      state.ends = true
      s.ends.push(scheduleOf(node.path))
      continue
    }
    if (s.size + states.length > s.bounds.states) {
      s.bound = 'states'
      return
    }
    if (!go(from, node, choices, d, { state: number, stands, before: from.trail })) return
  }
  s.size += states.length
  const stuck = neverEnding(states)
  if (stuck !== undefined) {
    s.found = scheduleOf(stuck.node.path)
    return
  }
  judgeMerged(s, states, group)
}

/** They are no equals as far as can be shown: it begins again without. */
const withoutEquals = (s: Search): void => {
  s.learned.equals = null
  s.learned.wider = new Map()
  s.news = true
}

/** Were equals rightly taken for one another? What has been learned of them is kept. */
const judgeExchanged = (s: Search): void => {
  const { exchange, learned } = s
  if (exchange === null || learned.equals === null) return
  const equals = Exchange.equalsIn(exchange.fellows)
  if (equals.join() !== learned.equals.join()) {
    learned.equals = Exchange.hasEquals(equals) ? equals : null
    if (learned.equals === null) learned.wider = new Map()
    s.news = true
    return
  }
  const wider = Exchange.judged(exchange, equals)
  if (wider === null) withoutEquals(s)
  else if (!Exchange.isWithin(wider, learned.wider)) {
    learned.wider = wider
    s.news = true
  }
}

/** A state from which no way leads to an end: some ask for ever. */
const neverEnding = (states: ReadonlyArray<State>): State | undefined => {
  const end = new Set(states.filter(({ ends }) => ends))
  for (let grew = true; grew;) {
    grew = false
    for (const state of states)
      if (!end.has(state) && state.to.some(({ state: to }) => end.has(states[to]!))) {
        end.add(state)
        grew = true
      }
  }
  return states.find((state) => !end.has(state))
}

/** Were states rightly taken for one, although what has led to them touched other bytes? What the group touches is kept. */
const judgeMerged = (s: Search, states: ReadonlyArray<State>, group: number): void => {
  const { header } = s.world
  const isOurs = (agent: number): boolean =>
    s.learned.groups.of(clusterOf(header, header.agents[agent]!.cta)) === group
  const ahead = Touched.aheadOf(states)
  const all = Touched.nothing()
  const seen = new Set<Path>()
  const addUnseen = ({ path }: Node): void => {
    for (let at = path; at !== null && !seen.has(at); at = at.before) {
      seen.add(at)
      Touched.add(all, [at.events], isOurs)
    }
  }
  for (const { node, others } of states) {
    addUnseen(node)
    for (const other of others) addUnseen(other.node)
  }
  s.touched.set(group, all)
  const bytes: Contents.Bytes = new Map()
  const pairs = states.flatMap((one, k) => one.others.map((other) => ({ one, other, k })))
  const contents = pairs.map(({ one, other }) => {
    const differing: Contents.Bytes = new Map()
    Contents.addDiffering(differing, one.node.machine.planes, other.node.machine.planes)
    for (const [plane, some] of differing) {
      const known = bytes.get(plane) ?? new Set()
      bytes.set(plane, known)
      for (const byte of some) known.add(byte)
    }
    return differing
  })
  const isRead = Contents.readAhead(states, bytes)
  const differs = pairs.some(
    ({ one, other, k }, i) =>
      [...contents[i]!].some(([plane, some]) => [...some].some((byte) => isRead(k, plane, byte))) ||
      !Touched.mayDiffer(
        header,
        logOf(one.node.path),
        logOf(other.node.path),
        ahead[k]!,
        (agent) => one.node.machine.agents[agent]!.status === 'done',
      ) ||
      [...new Set([...other.found.keys(), ...one.found.keys()])].some(
        (word) => other.found.get(word) !== one.found.get(word) && Touched.plainly(ahead[k]!, word),
      ),
  )
  if (!differs) return
  s.learned.exact.add(group)
  s.news = true
}

/** One schedule, so that words and who shares them are known; false: it has not come to its end, and has shown nothing. */
const scout = (s: Search, first: Node): boolean => {
  const settled = settle(s, first, -1)
  const wasStopped = settled === null && s.bound !== null
  if (wasStopped) {
    s.bound = null
    s.learned.events = 0
  }
  s.found = null
  s.news = false
  return !wasStopped || s.learned.groups.all().length > 0
}

/** How often it may begin again because it has learned something. */
const mostRestarts = 100

/** Every order of what decides; null where clusters do not all run together, or data is not kept. */
export const outcomes = (
  { world, machine }: Launched,
  detecting: Options,
  bounds: OutcomesBounds = defaultOutcomes,
  isNoted: (f: Diagnosis) => boolean = () => false,
  stands: Stands = () => true,
  fellows: Fellowships | null = null,
): Outcomes | null => {
  const { memory } = world.algebra
  if ((memory !== 'bytes' && memory !== 'shadow') || world.resident < world.clusterCount) return null
  const learned: Learned = {
    words: new Map(),
    read: new Map(),
    written: new Map(),
    groups: grouping(),
    exact: new Set(),
    fences: false,
    controlled: new Set(),
    idle: new Set(),
    equals: null,
    wider: new Map(),
    events: 0,
  }
  const exchange = fellows === null ? null : Exchange.exchange({ world, machine }, fellows)
  const first: Node = { machine, path: null }
  const fresh = (): Search => ({
    world,
    first: machine.wave.clusters[0]!,
    listening: null,
    texts: new Map(),
    detecting,
    bounds,
    isNoted,
    stands,
    learned,
    exchange,
    names: names(),
    ends: [],
    touched: new Map(),
    size: 0,
    transitions: 0,
    bound: null,
    news: false,
    some: false,
    exchanged: false,
    found: null,
  })
  if (!scout(fresh(), first))
    return {
      complete: false,
      bound: 'depth',
      states: 0,
      transitions: 0,
      ends: [],
      found: null,
      controlled: learned.controlled,
      some: false,
      exchanged: false,
    }
  if (exchange !== null) {
    const equals = Exchange.equalsIn(exchange.fellows)
    if (Exchange.hasEquals(equals)) learned.equals = equals
  }
  for (let k = 0; ; k++) {
    const s = fresh()
    const done = new Set<number>()
    for (const group of learned.groups.all()) {
      done.add(group)
      search(s, first, group)
      if (s.news || s.bound !== null || s.found !== null) break
    }
    if (!s.news && s.bound === null && s.found === null) {
      const meeting = Touched.meeting(s.touched)
      if (meeting !== null) {
        learned.groups.join(meeting[0], meeting[1])
        s.news = true
      }
    }
    if (!s.news && s.bound === null && s.found === null) judgeExchanged(s)
    if (s.news && k < mostRestarts && learned.events < bounds.events) continue
    const bound = s.news ? 'depth' : s.bound
    return {
      complete: bound === null && s.found === null,
      bound,
      states: s.size,
      transitions: s.transitions,
      ends: s.ends,
      found: s.found,
      controlled: learned.controlled,
      some: s.some,
      exchanged: s.exchanged,
    }
  }
}
