/**
 * Keys: two states are one if their machines are, but for what agents hold that have ended, and if the detector remembers the same of both: what every agent
 * that goes on knows, what words and barriers tell, and what kinds of events each agent has executed.
 *
 * | part                                        | in the key                                                                | left out, and why                        |
 * |---------------------------------------------|---------------------------------------------------------------------------|------------------------------------------|
 * | an agent                                    | where it stands, what it is ready for                                     | what it holds if it has ended            |
 * | memory                                      | the words that decide                                                     | the rest, which is asked at the end (`touched.ts`, `contents.ts`), unless that has failed |
 * | what a word tells                           | whatever some agent that goes on does not know (`floorOf`)                | what all of them know                    |
 * | who has told it                             | of those that go on                                                       | which of those that have ended, if they tell as far from as near |
 *
 * Laws
 * 1. States with one key offer equal events, and equal events lead to equal keys.
 * 2. The same findings follow from states with one key, as far as what follows touches no byte in which they differ.
 */
import { allLanes } from '../../judging/detector/activity.js'
import { width } from '../../judging/detector/clocks.js'
import type { Context } from '../../judging/detector/context.js'
import { clockOf, join, nothing, programOf, type Knowledge } from '../../judging/detector/knowledge.js'
import { keptIn, rumoursIn } from '../../judging/detector/readings.js'
import { forEach, textOf, valueAt, type Sparse } from '../../judging/detector/sparse.js'
import type { Detector } from '../../judging/detector/state.js'
import { knowsLanes, metIn, strandsOf, type Strand, type Stranded } from '../../judging/detector/strands.js'
import type { Passed, Told, Writer } from '../../judging/detector/strong-state.js'
import { clusterOf, type Stamp } from '../../log/events.js'
import * as Plane from '../../machine/plane.js'
import { agentState, type Machine, type Ready } from '../../machine/state.js'
import type { World } from '../../machine/world.js'
import { stateKey, type Names } from '../explore/key.js'
import type { Views } from '../explore/views.js'
import type { Steady } from './steady.js'

// ---------------------------------------------------------------- machines

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

/** The machine in words, `counts`: with how many events each agent has executed; unless all bytes tell states apart, of memory the words that decide. */
export const keyOf = (
  world: World,
  names: Names,
  m: Machine,
  decisive: Iterable<string>,
  counts: boolean,
  exactly: boolean,
): string => {
  const bared = bare(world, m, !counts ? 'none' : exactly ? 'all' : 'running')
  const { where } = world.front
  if (exactly) return stateKey(names, where, bared, noViews, null).join()
  const words = [...decisive].map((word) => {
    const [plane, byte] = word.split('+')
    return Plane.wordAsText(m.planes[Number(plane)]!, Number(byte))
  })
  return `${stateKey(names, where, Object.assign({}, bared, { planes: [] }), noViews, null).join()}|${words.join()}`
}

// ---------------------------------------------------------------- detectors

const isSparse = (value: unknown): value is Sparse<unknown> =>
  typeof value === 'object' && value !== null && 'chunks' in value
const isRow = (value: unknown): value is ReadonlyArray<number> | Int32Array =>
  value instanceof Int32Array ||
  (Array.isArray(value) && value.length > 0 && value.every((x) => typeof x === 'number'))
const shown = (value: unknown): string =>
  typeof value === 'number' ? String(value) : JSON.stringify(value, asText)

/** How state is put into a text: what is equal gives equal texts, whatever shares it. */
export const asText = (_: string, value: unknown): unknown =>
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
export interface Floor {
  readonly order: (clock: number) => number
  readonly visible: (clock: number) => number
  readonly async: (clock: number) => number
}
export const floorOf = (c: Context, m: Machine): Floor => {
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
  k.visible.released,
  k.visible.maps,
  above(k.async.counters, floor.async),
  k.async.acquired,
  k.async.maps,
  k.async.near,
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
export const toldIn = (
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

export const numberIn = (texts: Map<string, number>, text: string): number => {
  const known = texts.get(text)
  if (known !== undefined) return known
  texts.set(text, texts.size)
  return texts.size - 1
}

/** A detector, and what was said of what it remembers: of agents and clusters that have done nothing since then, by the number of the text. */
export interface Said {
  readonly detector: Detector
  readonly agents: Map<number, number>
  readonly clusters: Map<number, number>
}

/** In whatever order they have come. */
const inStamps = (all: ReadonlyArray<Stamp>): ReadonlyArray<string> =>
  all.map((stamp) => JSON.stringify(stamp)).sort()

const passedIn = (all: ReadonlyArray<Passed>): ReadonlyArray<string> =>
  all.map(({ stamp, until, value }) => JSON.stringify([stamp, until, value])).sort()

/** What the detector remembers that what follows can ask for; `exactly`: also where words were found. What it remembers of an agent is said anew where that has done something since. */
export const memoryOf = (
  world: World,
  { detector: d, agents, clusters }: Said,
  texts: Map<string, number>,
  m: Machine,
  exactly: boolean,
  floor: Floor,
  steady: Steady,
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
        steady.none || steady.unsteady.has(word) ? '' : passedIn(w.passed),
        steady.none || steady.overtaken.has(word) ? '' : inStamps(w.asked),
        w.open.map(({ stamp }) => stamp),
      ]),
      // what is acquired is numbered in the order in which it was met
      c.ranges.map(({ bytes, cta, reach }) => [bytes?.id, cta, reach]),
      keptIn(d.strong.readings),
      rumoursIn(d.strong.readings)
        .filter(([agent]) => running(agent))
        .map(([agent, all]) => [
          agent,
          all.map(({ one: { read, beside, plane, byte }, heard, messages }) => [
            [read.site, read.lanes, beside.agent, beside.site, plane, byte, heard.since.length],
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
export const foundIn = (d: Detector, m: Machine): ReadonlyMap<string, string> => {
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
