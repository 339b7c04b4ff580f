/**
 * Knowledge: which events of a run happened before this point, and which of them can be seen from it.
 *
 * An agent, a message in a barrier, an operation at its issue has five vectors. A vector maps a *clock* to
 * how far it is known: clock "program counter of agent 2" at 17 says that events 1 to 17 of agent 2 are known.
 *
 * | vector  | question it answers                                                      |
 * |---------|--------------------------------------------------------------------------|
 * | order   | has it happened before?                                                  |
 * | firm    | has it happened before, by the manual's word: over no relaxed arrive or wait? |
 * | visible | would a generic access find what it wrote?                               |
 * | async   | would an asynchronous unit find it? (generic writes: only across a fence) |
 * | tensor  | would a tensor-memory access find it?                                    |
 *
 * Clocks of an agent: its program counter; the reads and the whole of its bulk groups; its wgmma groups; its cp.async
 * copies; its tensor queue; its tensor-memory loads, their registers, and stores. In `async` the program counter is kept four times, as
 * fenced for its CTA's shared memory, for that of other CTAs (by a fence of the cluster's), for global memory and (by wgmma.fence) for registers. A fence that is limited to one CTA's shared
 * memory covers what agents of other CTAs have written there, and nothing else of them: that is `near`, by CTA. Of a warp it is kept twice in `order`: what its lanes have
 * attended (waits, and arrivals at a barrier that ends) is over where they execute an instruction that is `.sync`, and what else they did need not be. Clocks of a barrier: generations. 0 is "nothing" everywhere.
 *
 * The vectors have one width; the last two clocks but one are the fenced ones in `async`. Writes of tensor maps that were released to their reader are kept by the scope of the
 * release and the CTA that made it; which of those were acquired since, by the bytes that the acquire was about and who may read them. The clock of the tensor queue is in `visible` that of
 * initialisations: barriers that an agent has initialised and fenced (fence.mbarrier_init), for agents that have acquired from it since, be its arrive relaxed.
 *
 * `firm` is `order` itself, the same array, until a relaxed edge tells them apart: a run without any pays nothing for it.
 *
 * In `order` a barrier is its highest generation (stored plus one). In `visible` and `async` it is the exact set, because
 * visibility is not cumulative over bulk completions:
 *
 *     T0: arriveExpectTx b; TMA x -> b                              generation 0 of b: x
 *     T1: wait b 0; TMA z -> c; TMA y -> b                          generation 0 of c: z; generation 1 of b: y
 *     T2: arriveExpectTx c; wait c 0; arriveExpectTx b; wait b 1; read x
 *
 *     T2 knows        order                      visible
 *     after wait c 0  b up to 0, c up to 0       c {0}          (T1 had waited for b before it issued z)
 *     after wait b 1  b up to 1, c up to 0       c {0}, b {1}
 *     read x          x is b's generation 0: ordered, but 0 is not in {1}: finding V1. A maximum would say ok.
 *
 * Names: a vector clock (Lamport, Mattern) with more clocks than threads; ConSan calls its bits visibility.
 *
 * Laws
 * 1. `join` is idempotent, commutative, associative, and monotone in every clock.
 * 2. `copy` shares nothing that changes.
 * 3. `firm` is at most `order` in every clock, and equal to it where no relaxed edge came before.
 *
 * Source: PTX ISA, memory consistency model (causality order; proxies; asynchronous operations).
 */
import { clocks, width, type ClockName } from './clocks.js'
import type { GenerationSet } from './generation-set.js'
import { common, empty, union } from './generation-set.js'
import {
  clear,
  copyOf,
  forEach,
  isSame,
  lower,
  meet,
  merge,
  put,
  raise,
  row,
  valueAt,
  type Sparse,
} from './sparse.js'
import type { Exchange } from './exchanges.js'
import { nowhere, type Near } from './near.js'
import * as Nearby from './near.js'
import * as Pace from './pace.js'
import type { FencedSpace, Lag, Paced } from './pace.js'

export type { ClockName }

// ---------------------------------------------------------------- model

/** How many clocks there are. */
export interface Extent {
  readonly agents: number
  readonly barriers: number
}

/** Index of an agent's clock in every vector. */
export const clockOf = (clock: ClockName, agent: number): number => agent * width + clocks[clock]
export const programOf = (agent: number): number => agent * width
/** Index of a barrier's clock in the order vector: its highest generation known, plus one. */
export const barrierClock = (extent: Extent, barrier: number): number => extent.agents * width + barrier

/** How far each clock is known: not at all, where agents have never met (`sparse.ts`). */
export type Vector = Sparse<number>

/**
 * Counters, and per barrier the generations acquired: these arrays are their owner's to change. `released`: for each scope and CTA of a release of tensor maps
 * (`releaseOf`), up to which event writes of each agent it covers. `maps`: the same for each range that an acquire of them was about (`Context.ranges`).
 */
export interface Visible {
  readonly counters: Vector
  readonly acquired: Sparse<GenerationSet>
  released: ReadonlyArray<ReadonlyArray<number>>
  maps: ReadonlyArray<ReadonlyArray<number>>
  near: Near
}

export interface Knowledge {
  readonly order: Vector
  /** `order` itself, or what of it came over no relaxed edge */
  firm: Vector
  readonly visible: Visible
  readonly async: Visible
  readonly tensor: Vector
  /** by warp: lanes of it that are known less far than its clocks say; null: there are none */
  lags: Lags | null
  /** of what a warp knows: how far each of these lanes knows the others. Each knows itself as far as the warp's own clocks say */
  together: Together | null
}
export type Lags = ReadonlyMap<number, ReadonlyArray<Lag>>
export interface Together {
  readonly agent: number
  readonly paced: Paced
  /** what the lanes of the warp have given to one another */
  readonly exchanges: ReadonlyArray<Exchange>
}

// ---------------------------------------------------------------- constructors

const zeros = (): Vector => row(0)
const noMaps: Visible['maps'] = []

const nothingVisible = (): Visible => ({
  counters: zeros(),
  acquired: row(empty),
  released: noMaps,
  maps: noMaps,
  near: nowhere,
})

const knowledge = (
  order: Vector,
  firm: Vector,
  visible: Visible,
  async: Visible,
  tensor: Vector,
  lags: Lags | null,
  together: Together | null,
): Knowledge => ({ order, firm, visible, async, tensor, lags, together })

export const nothing = (): Knowledge => {
  const order = zeros()
  return knowledge(order, order, nothingVisible(), nothingVisible(), zeros(), null, null)
}

export const tensorNothing = (): Vector => zeros()

const copyVisible = (v: Visible): Visible => ({
  counters: copyOf(v.counters),
  acquired: copyOf(v.acquired),
  released: v.released,
  maps: v.maps,
  near: v.near,
})

export const copy = (k: Knowledge): Knowledge => {
  const order = copyOf(k.order)
  return knowledge(
    order,
    k.firm === k.order ? order : copyOf(k.firm),
    copyVisible(k.visible),
    copyVisible(k.async),
    copyOf(k.tensor),
    k.lags,
    k.together,
  )
}

/** The same knowledge, with other tensor knowledge and with other lags; its vectors are shared. */
export const telling = (k: Knowledge, tensor: Vector, lags: Lags | null): Knowledge =>
  knowledge(k.order, k.firm, k.visible, k.async, tensor, lags, k.together)

// ---------------------------------------------------------------- combinators

const forgetVisible = (v: Visible): void => {
  clear(v.counters)
  clear(v.acquired)
  v.released = noMaps
  v.maps = noMaps
  v.near = nowhere
}

/** k := nothing. */
export const forget = (k: Knowledge): void => {
  clear(k.order)
  k.firm = k.order
  forgetVisible(k.visible)
  forgetVisible(k.async)
  clear(k.tensor)
  k.lags = null
  k.together = null
}

/** What both know: pointwise the smaller. */
export const meetVector: (a: Vector, b: Vector) => Vector = lower

/** into := into join from. */
export const joinVector: (into: Vector, from: Vector) => void = raise

export const joinVisible = (into: Visible, from: Visible): void => {
  joinVector(into.counters, from.counters)
  merge(into.acquired, from.acquired, union)
  if (from.released !== noMaps && from.released !== into.released)
    into.released = joinedMaps(into.released, from.released)
  if (from.maps !== noMaps && from.maps !== into.maps) into.maps = joinedMaps(into.maps, from.maps)
  into.near = Nearby.join(into.near, from.near)
}

const joinedMaps = (x: Visible['maps'], y: Visible['maps']): Visible['maps'] =>
  Array.from({ length: Math.max(x.length, y.length) }, (_, range) => {
    const [a = [], b = []] = [x[range], y[range]]
    return Array.from({ length: Math.max(a.length, b.length) }, (_at, agent) =>
      Math.max(a[agent] ?? 0, b[agent] ?? 0),
    )
  })

const metMaps = (x: Visible['maps'], y: Visible['maps']): Visible['maps'] =>
  x === y
    ? x
    : x
        .slice(0, y.length)
        .map((a, range) => a.slice(0, y[range]!.length).map((at, agent) => Math.min(at, y[range]![agent]!)))

// ---------------------------------------------------------------- lanes of warps

/** How far a warp is known. */
export const paceIn = (k: Knowledge, agent: number): Pace.Pace => {
  const first = agent * width
  const { order } = k
  const [seen, fenced] = [k.visible.counters, k.async.counters]
  const out = new Array<number>(Pace.paceLength)
  for (let i = 0; i < width; i++) {
    out[i] = valueAt(order, first + i)
    out[width + i] = valueAt(seen, first + i)
    out[2 * width + i] = valueAt(fenced, first + i)
  }
  return out
}

export const pacedIn = (k: Knowledge, agent: number): Paced => ({
  pace: paceIn(k, agent),
  lags: k.lags?.get(agent) ?? Pace.noLags,
})

/** The lags of one warp, replaced. */
export const withLags = (lags: Lags | null, agent: number, own: ReadonlyArray<Lag>): Lags | null => {
  if (own.length === 0 && lags?.has(agent) !== true) return lags
  const out = new Map(lags ?? [])
  if (own.length === 0) out.delete(agent)
  else out.set(agent, own)
  return out.size === 0 ? null : out
}

/** The lags of every warp that lags in one of two. */
const lagsOf = (x: Knowledge, y: Knowledge, both: (x: Paced, y: Paced) => Paced): Lags | null => {
  if (x.lags === null && y.lags === null) return null
  let out: Lags | null = null
  for (const agent of new Set([...(x.lags?.keys() ?? []), ...(y.lags?.keys() ?? [])]))
    out = withLags(out, agent, both(pacedIn(x, agent), pacedIn(y, agent)).lags)
  return out
}

/** What is heard of order alone. */
const joinHeard = (x: Paced, heard: Paced): Paced => Pace.join(x, Pace.orderAlone(heard))

/** What a message says of the own lanes of a warp: all of its lanes that hear it know it from now on. */
export const hearOfOwnLanes = (k: Knowledge, message: Knowledge, what: 'order' | 'all'): void => {
  const { together } = k
  if (together === null) return
  const { agent, paced, exchanges } = together
  const own = agent * width
  if (
    paced.lags.length === 0 &&
    Pace.laneSlots.every((s) => {
      const clock = own + (s % width)
      const window =
        s < width ? message.order : s < 2 * width ? message.visible.counters : message.async.counters
      return valueAt(window, clock) <= paced.pace[s]!
    })
  )
    return
  const heard = pacedIn(message, agent)
  k.together = {
    agent,
    paced: (what === 'all' ? Pace.join : joinHeard)(paced, heard),
    exchanges,
  }
}

/** The knowledge that all of several have: what lanes that know different things can rely on when they act as one. */
export const commonOf = (x: Knowledge, y: Knowledge): Knowledge => {
  const seen = (a: Visible, b: Visible): Visible => ({
    counters: meetVector(a.counters, b.counters),
    acquired: meet(a.acquired, b.acquired, common),
    released: metMaps(a.released, b.released),
    maps: metMaps(a.maps, b.maps),
    near: Nearby.meet(a.near, b.near),
  })
  const order = meetVector(x.order, y.order)
  const together =
    x.together === null || y.together === null
      ? null
      : {
          agent: x.together.agent,
          paced: Pace.meet(x.together.paced, y.together.paced),
          exchanges: x.together.exchanges,
        }
  return knowledge(
    order,
    x.firm === x.order && y.firm === y.order ? order : meetVector(x.firm, y.firm),
    seen(x.visible, y.visible),
    seen(x.async, y.async),
    meetVector(x.tensor, y.tensor),
    lagsOf(x, y, Pace.meet),
    together,
  )
}

/** Is all that is known the same? */
export const isSameKnowledge = (x: Knowledge, y: Knowledge): boolean => {
  const isSeenAlike = (a: Visible, b: Visible): boolean =>
    isSame(a.counters, b.counters, never) &&
    isSame(a.acquired, b.acquired, inWords) &&
    inWords(a.released, b.released) &&
    inWords(a.maps, b.maps) &&
    inWords(a.near, b.near)
  return (
    isSame(x.order, y.order, never) &&
    isSame(x.firm, y.firm, never) &&
    isSeenAlike(x.visible, y.visible) &&
    isSeenAlike(x.async, y.async) &&
    isSame(x.tensor, y.tensor, never) &&
    inWords(x.lags, y.lags) &&
    inWords(x.together, y.together)
  )
}
const never = (): boolean => false
const inWords = (a: unknown, b: unknown): boolean =>
  a === b || JSON.stringify(a, asEntries) === JSON.stringify(b, asEntries)
const asEntries = (_: string, value: unknown): unknown => (value instanceof Map ? [...value] : value)

// ---------------------------------------------------------------- joins

/** What `from` knows of order; over a relaxed edge nothing of it is firm. */
export const joinOrder = (into: Knowledge, from: Knowledge, firmly: boolean): void => {
  // before the vectors are joined, which say how far the others are
  into.lags = lagsOf(into, from, joinHeard)
  joinOrderVectors(into, from, firmly)
}

const joinOrderVectors = (into: Knowledge, from: Knowledge, firmly: boolean): void => {
  if (into.firm === into.order && (!firmly || from.firm !== from.order)) into.firm = copyOf(into.order)
  joinVector(into.order, from.order)
  if (firmly && into.firm !== into.order) joinVector(into.firm, from.firm)
}

/** into := into join from, in all vectors. */
export const join = (into: Knowledge, from: Knowledge): void => {
  joinSeen(into, from)
  joinVector(into.tensor, from.tensor)
}

/** The same in all vectors but that of tensor memory. */
export const joinSeen = (into: Knowledge, from: Knowledge): void => {
  into.lags = lagsOf(into, from, Pace.join)
  joinOrderVectors(into, from, true)
  joinVisible(into.visible, from.visible)
  joinVisible(into.async, from.async)
}

/** vector[clock] := max(vector[clock], at). */
export const advance = (vector: Vector, clock: number, to: number): void => {
  if (valueAt(vector, clock) < to) put(vector, clock, to)
}

/** The same in `order`, and in what of it is firm. */
export const advanceOrder = (k: Knowledge, clock: number, at: number): void => {
  advance(k.order, clock, at)
  if (k.firm !== k.order) advance(k.firm, clock, at)
}

/** fence.mbarrier_init: the barriers that the agent has initialised so far, for agents that acquire from it from now on. */
export const fenceInitialisations = (k: Knowledge, agent: number): void =>
  advance(k.visible.counters, clockOf('initialisations', agent), valueAt(k.order, programOf(agent)))

/** What a relaxed arrive of this agent tells of barriers: those that it has fenced itself. */
export const publishInitialisations = (into: Knowledge, k: Knowledge, agent: number): void => {
  const clock = clockOf('initialisations', agent)
  advance(into.visible.counters, clock, valueAt(k.visible.counters, clock))
}

/** Whether barriers that `agent` had fenced at `at` were told. */
export const seesFencedInits = (k: Knowledge, agent: number, at: number): boolean =>
  valueAt(k.visible.counters, clockOf('initialisations', agent)) >= at

/** Whether an agent of another CTA finds a barrier that `agent` has initialised at `at`, without a fence of barriers. */
export const seesInitialisation = (k: Knowledge, agent: number, at: number): boolean =>
  valueAt(k.visible.counters, programOf(agent)) >= at

/** A window of shared memory: that of one CTA, its agents and barriers, and agents of other CTAs that have reached into the shared memory of another one. */
export interface Home {
  readonly cta: number
  readonly isOwn: (agent: number) => boolean
  readonly holds: (barrier: number) => boolean
  readonly guests: ReadonlyArray<number>
}

const everywhere = (): true => true

/**
 * A proxy fence: what this agent sees, asynchronous units that it starts from now on see too. `cluster` fences shared memory (and with it what cp.async and
 * st.async brought there), `global` fences global memory, and a home the shared memory of that CTA alone.
 */
export const fenceAsync = (k: Knowledge, space: 'cluster' | 'global' | Home): void => {
  const [name, isOwn] = typeof space === 'string' ? [space, everywhere] : (['shared', space.isOwn] as const)
  fenceLanes(k, name, isOwn)
  const fenced = k.async.counters
  forEach(k.visible.counters, (seen, clock) => {
    const own = clock % width
    if (own !== clocks.program && own !== clocks.cpAsync) return
    if (space === 'global') {
      if (own === clocks.program) advance(fenced, clock + clocks.fencedGlobal, seen)
      return
    }
    if (isOwn(Math.floor(clock / width))) advance(fenced, clock, seen)
    if (space === 'cluster' && own === clocks.program) advance(fenced, clock + clocks.fencedAfar, seen)
  })
  if (space === 'global') return
  // generations that brought generic writes (st.async)
  if (space === 'cluster') merge(k.async.acquired, k.visible.acquired, union)
  else {
    forEach(k.visible.acquired, (generations, barrier) => {
      if (space.holds(barrier))
        put(k.async.acquired, barrier, union(valueAt(k.async.acquired, barrier), generations))
    })
    for (const guest of space.guests)
      k.async.near = Nearby.heard(k.async.near, space.cta, guest, seenOfLanes(k, guest))
  }
}

/** Up to which event this sees an agent of another CTA: lane by lane, where they are seen less far than one another. */
const seenOfLanes = (k: Knowledge, agent: number): ReadonlyArray<number> => {
  const lags = k.lags?.get(agent)
  if (lags === undefined) return [valueAt(k.visible.counters, programOf(agent))]
  const paced = pacedIn(k, agent)
  const slot = Pace.slotNamed('visible', 'program')
  return Array.from({ length: 32 }, (_, lane) => Pace.paceOf(paced, lane)[slot]!)
}

const fenceLanes = (k: Knowledge, space: FencedSpace, isOwn: (agent: number) => boolean): void => {
  if (k.lags !== null)
    k.lags = new Map(
      [...k.lags].map(([agent, lags]) => [agent, isOwn(agent) ? Pace.fenced(lags, space) : lags] as const),
    )
  if (k.together !== null) {
    const { agent, paced, exchanges } = k.together
    const [all] = Pace.fenced([{ lanes: -1, pace: paced.pace }], space)
    k.together = {
      agent,
      paced: { pace: all!.pace, lags: Pace.fenced(paced.lags, space) },
      exchanges,
    }
  }
}

/**
 * Advances a clock of a warp in `order` and, where they are named, in other windows: of all its lanes but these, which stay where they were.
 */
export const advanceWithout = (
  k: Knowledge,
  agent: number,
  clock: ClockName,
  at: number,
  lanes: number,
  windows: ReadonlyArray<'visible' | 'async'>,
): void => {
  const before = pacedIn(k, agent)
  advanceOrder(k, clockOf(clock, agent), at)
  for (const w of windows) advance(k[w].counters, clockOf(clock, agent), at)
  if (lanes === 0 && before.lags.length === 0) return
  const slots = [Pace.slotNamed('order', clock), ...windows.map((w) => Pace.slotNamed(w, clock))]
  const raised = Pace.raised(Pace.lagsWithout(before.lags, lanes), slots, at)
  k.lags = withLags(k.lags, agent, [...raised, ...Pace.lagging(before, lanes)])
}

/** wgmma.fence: the agent's own register accesses so far come before the wgmma that follow. */
export const fenceRegisters = (k: Knowledge, agent: number): void =>
  advance(k.async.counters, clockOf('fencedRegisters', agent), valueAt(k.order, programOf(agent)))

/** The place in `released` of releases of this scope by this CTA. */
const releaseOf = (cta: number, reach: 1 | 2 | 3): number => 3 * cta + reach - 1

const rowAt = (at: number, far: ReadonlyArray<number>): Visible['maps'] => [
  ...Array.from({ length: at }, () => []),
  far,
]

/** A release of tensor maps: what this agent sees of them is released to agents that acquire it, as far as it reaches. */
export const releaseMaps = (extent: Extent, k: Knowledge, cta: number, reach: 1 | 2 | 3): void => {
  const seen = Array.from({ length: extent.agents }, (_, x) => valueAt(k.visible.counters, programOf(x)))
  k.visible.released = joinedMaps(k.visible.released, rowAt(releaseOf(cta, reach), seen))
}

/** Up to which event writes of each agent were released by this CTA, by a release of this scope. */
export const releasedBy = (k: Knowledge, cta: number, reach: 1 | 2 | 3): ReadonlyArray<number> =>
  k.visible.released[releaseOf(cta, reach)] ?? []

/** An acquire of tensor maps: copies from now on read what was released before, up to here, of maps in this range. */
export const acquireMaps = (k: Knowledge, range: number, released: ReadonlyArray<number>): void => {
  k.visible.maps = joinedMaps(k.visible.maps, rowAt(range, released))
}

/** Whether what an agent has written at `at` was released and acquired in this range. */
export const hasAcquired = (k: Knowledge, range: number, agent: number, at: number): boolean =>
  (k.visible.maps[range]?.[agent] ?? 0) >= at
