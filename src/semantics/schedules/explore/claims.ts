/**
 * Claims: touches in the form in which a search compares them, and what every agent will still touch.
 *
 * An agent whose control does not depend on timing is a list: its n-th event is the same in every schedule, and so are the operations that
 * it issues there. One run, in which an agent that is stuck is pushed on, writes all lists down. From them a search knows the *future* of
 * every agent, without which it cannot be said that an event commutes with all that is to come.
 *
 *     agent 0   1: init b    2: issue load -> {write: x, ...; signal: b -16}    3: wait b 0    4: read x
 *     agent 1   1: wait b 0  2: read x
 *
 * Where control may depend on timing, or an agent faults, the list is open: it may be followed by anything.
 *
 * Laws
 * 1. Whatever a schedule does, the events of an agent are a prefix of its list, if that is closed.
 *
 * Source: the core's own semantics (C1).
 */
import { unreachable } from '../../../failure.js'
import type { InFlight } from '../../machine/operation.js'
import type { Machine } from '../../machine/state.js'
import type { World } from '../../machine/world.js'
import { offered, partOf, partsOf, stageOf, take, type EventKey, type Offered } from '../../execution/step.js'
import { ofOperation, ofReady } from '../../execution/event-effects.js'
import type { Touches } from '../../machine/touches.js'
import { note, type Mask, type Places, type Seen } from './places.js'

// ---------------------------------------------------------------- model

export interface Count {
  readonly barrier: number
  readonly arrivals: number
  readonly bytes: number
}
export interface Ask {
  readonly barrier: number
  readonly parity: 0 | 1
  readonly blocks: boolean
}
export interface Meet {
  readonly place: number
  readonly threads: number
  readonly count: number
}

/** What one event touches. */
export interface Claim {
  readonly touches: Touches
  readonly empty: boolean
  readonly reads: Mask
  readonly writes: Mask
  /** of these, atomically */
  readonly atomics: Mask
  readonly frees: boolean
  readonly counts: ReadonlyArray<Count>
  readonly asks: ReadonlyArray<Ask>
  readonly lives: ReadonlyArray<number>
  /** of these, the ones that are initialised or given up */
  readonly ends: ReadonlyArray<number>
  /** mbarriers whose bytes it accesses */
  readonly under: ReadonlyArray<number>
  readonly meets: ReadonlyArray<Meet>
  readonly leaves: ReadonlyArray<number>
  readonly tables: ReadonlyArray<number>
  readonly changesTables: boolean
  readonly starts: ReadonlyArray<number>
}

/** The event of an operation, with what tells it from the others of its statement. */
export interface Stage<A> {
  readonly stage: EventKey['stage']
  readonly part: number
  readonly what: A
}
/** One event of an agent, and those of what it issues there. */
export interface Entry<A> {
  readonly own: A
  readonly operations: ReadonlyArray<Stage<A>>
}

/** Per agent, by program-order index (from 1). `open`: what follows the last is not known. */
export interface Future<A> {
  readonly events: ReadonlyArray<ReadonlyArray<Entry<A> | undefined>>
  readonly open: ReadonlyArray<boolean>
}

// ---------------------------------------------------------------- claims

const intoMask = (into: Int32Array, from: Mask | undefined): void => {
  if (from !== undefined) for (let k = 0; k < into.length; k++) into[k]! |= from[k]!
}

export const claim = (places: Places, touches: Touches): Claim => {
  const reads = new Int32Array(places.width)
  const writes = new Int32Array(places.width)
  const atomics = new Int32Array(places.width)
  const counts: Count[] = []
  const asks: Ask[] = []
  const lives: number[] = []
  const ends: number[] = []
  const under: number[] = []
  const meets: Meet[] = []
  const leaves: number[] = []
  const tables: number[] = []
  const starts: number[] = []
  let frees = false
  let changesTables = false
  for (const t of touches) {
    switch (t._tag) {
      case 'memory':
        intoMask(t.rw === 'r' ? reads : writes, places.masks.get(t.footprint.id))
        if (t.reach > 0) intoMask(atomics, places.masks.get(t.footprint.id))
        for (const plane of places.under.get(t.footprint.id) ?? []) under.push(plane)
        frees ||= t.role === 'frees'
        break
      case 'count':
        counts.push(t)
        break
      case 'wait':
        asks.push(t)
        break
      case 'life':
        lives.push(t.barrier)
        if (t.ends) ends.push(t.barrier)
        break
      case 'meet':
        meets.push(t)
        break
      case 'leave':
        leaves.push(t.place)
        break
      case 'table':
        tables.push(t.table)
        changesTables ||= t.changes
        break
      case 'start':
        for (const agent of t.agents) starts.push(agent)
        break
      default:
        unreachable(t)
    }
  }
  return {
    touches,
    empty: touches.length === 0,
    reads,
    writes,
    atomics,
    frees,
    counts,
    asks,
    lives,
    ends,
    under,
    meets,
    leaves,
    tables,
    changesTables,
    starts,
  }
}

// ---------------------------------------------------------------- futures

/** Notes the memory that is touched. True where it was not known. */
export const noteAll = (seen: Seen, touches: Touches): boolean => {
  let news = false
  for (const t of touches) if (t._tag === 'memory') news = note(seen, t.footprint, t.rw === 'w') || news
  return news
}

export const touchesOf = (world: World, m: Machine, o: Offered): Touches =>
  o.operation === null ? ofReady(world, m, o.key.agent, o.ready) : ofOperation(o.operation)

/** Most events of the run that writes the lists down; a longer list stays open. */
const longest = 200_000

/** The event of an agent that is stuck: what it would do if it were not. */
const pushed = (m: Machine, beyond: ReadonlyArray<boolean>): Offered | null => {
  for (let agent = 0; agent < m.agents.length; agent++) {
    const a = m.agents[agent]!
    if (beyond[agent] === true || a.ready === null || a.ready._tag !== 'do') continue
    return {
      key: { agent, at: a.at, stage: 'agent', part: 0 },
      unit: 'agent',
      bytes: 0,
      macs: 0,
      operation: null,
      ready: a.ready,
    }
  }
  return null
}

/** The lists of one cluster, from its first machine. */
export const future = (world: World, start: Machine): Future<Touches> => {
  const events: ({ own: Touches; operations: Stage<Touches>[] } | undefined)[][] = start.agents.map(() => [])
  const open = start.agents.map(() => world.front.timed)
  if (open.includes(true)) return { events, open }
  // which part of an agent does its next event depends on the schedule
  const noteParts = (m: Machine, agent: number): void => {
    if (partsOf(world, m.agents[agent]!).length > 0) open[agent] = true
  }
  start.agents.forEach((_, agent) => noteParts(start, agent))
  let m = start
  let left = longest
  for (;;) {
    const choices = offered(world, m).filter((o) => o.operation !== null || open[o.key.agent] !== true)
    const o = choices.find((c) => c.operation !== null) ?? choices[0] ?? pushed(m, open)
    if (o === null || left === 0) break
    left--
    const { agent, at, stage, part } = o.key
    // in another schedule a dealloc may find another allocation
    const what = o.operation === null ? ofReady(world, 'any', agent, o.ready) : ofOperation(o.operation)
    const done = take(world, m, o)
    if ('kind' in done) {
      // an operation does not fault; an agent that does goes no further
      open[agent] = true
      continue
    }
    if (o.operation === null) events[agent]![at] = { own: what, operations: [] }
    else events[agent]![at]?.operations.push({ stage, part, what })
    m = done.machine
    noteParts(m, agent)
  }
  // an agent that is not at its end, or has started something that is not, may do more
  m.agents.forEach((a, x) => {
    if (a.ready !== null || m.inFlight.some((f) => f.agent === x)) open[x] = true
  })
  return { events, open }
}

export const mapFuture = <A, B>(f: Future<A>, g: (a: A) => B): Future<B> => ({
  events: f.events.map((of) =>
    of.map((e) =>
      e === undefined
        ? undefined
        : {
            own: g(e.own),
            operations: e.operations.map((s) => ({ stage: s.stage, part: s.part, what: g(s.what) })),
          },
    ),
  ),
  open: f.open,
})

/** What is left of an operation in flight. */
export const remaining = <A>(f: Future<A>, op: InFlight): ReadonlyArray<A> | null => {
  const entry = f.events[op.agent]![op.at]
  if (entry === undefined) return null
  const part = partOf(op)
  const own = entry.operations.filter((s) => s.part === part)
  const from = own.findIndex((s) => s.stage === stageOf(op))
  return from < 0 ? null : own.slice(from).map((s) => s.what)
}
