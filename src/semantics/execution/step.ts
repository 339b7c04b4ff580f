/**
 * Step: the machine as a transition system.
 *
 * `offered(machine)` are the events that can happen now: the next effect of every agent that is not blocked, and the next event
 * of every operation in flight that nothing holds back. `step(key)` makes one of them happen. It is a state-monad computation
 * (a fault or a log and a new machine), so runs compose with `chain`; `run.ts` says the same with a loop.
 *
 * An event is named by its key (`event-key.ts`).
 *
 * Laws
 * 1. `step` is a function: equal machines and keys give equal machines and logs.
 * 2. an event stays offered until it is taken, unless a barrier that it waits for moves on (parity waits alone can), or a part of the same warp that is asked before
 *    can go on.
 * 3. the fold of steps with `chain` equals the loop of `run`.
 * 4. an agent is offered when any of its parts can go on, with the first that can.
 *
 * Source: the core's own semantics; PTX ISA for each instruction.
 */
import * as E from 'fp-ts/lib/Either.js'
import { bitsOf } from '../../numerics/dtype.js'
import { among, sameKey, showKey, type EventKey, type Older } from './event-key.js'
import type { StateEither } from './state-either.js'
import * as Families from '../instructions/families.js'
import * as Rendezvous from '../instructions/rendezvous.js'
import type { Access, Exit, LogEvent, Stamp } from '../log/events.js'
import { countOf, singles } from '../log/lane-mask.js'
import { ctaOf, effect, placeOf, type Effect, type Executing } from '../machine/effect.js'
import type { Apart, Strongly } from '../machine/family.js'
import { lookAfterEvent } from '../machine/looks.js'
import type { InFlight, Prepared } from '../machine/operation.js'
import * as Plane from '../machine/plane.js'
import {
  agentState,
  withAgent,
  withPlane,
  type AgentState,
  type Doing,
  type Machine,
  type Ready,
} from '../machine/state.js'
import type { FaultValue } from '../machine/value.js'
import type { Parts, Standpoint } from '../machine/front.js'
import type { World } from '../machine/world.js'

export * from './event-key.js'

// ---------------------------------------------------------------- model

/** An event that can happen, with what a timed policy wants to know. */
export interface Offered {
  readonly key: EventKey
  readonly unit: 'agent' | InFlight['_tag']
  readonly bytes: number
  readonly macs: number
  /** the operation that it continues, or what its agent stands ready to do */
  readonly operation: InFlight | null
  readonly ready: Ready | null
  /** its agent has come back to where it stood, and nothing has changed since: a run knows (`livelock.ts`) */
  readonly inVain?: true
}

/** Where a run cannot go on: the program is invalid here, or the library is wrong. */
export interface Fault {
  readonly kind: 'invalid' | 'crash'
  readonly code: string
  readonly message: string
  /** index of the site, and the agent */
  readonly site: number
  readonly agent: number
  /** it is about which columns of tensor memory are allocated */
  readonly columns?: true
}

export type Step = StateEither<Machine, Fault, ReadonlyArray<LogEvent>>

// ---------------------------------------------------------------- offered

const standpoint = (world: World, m: Machine, agent: number): Standpoint => {
  const cta = ctaOf(world, agent)
  const place = Math.floor(cta / world.ctas)
  return { agent, cta: cta - place * world.ctas, place, cluster: m.wave.clusters[place]! }
}

const blockedDo = (world: World, m: Machine, agent: number, p: Prepared): boolean =>
  Families.waitsOf(p)?.blocked(world, agent, m, p) ?? false

/** Is the agent's next statement one that cannot happen yet? */
export const blocked = (world: World, m: Machine, agent: number, r: Ready): boolean => {
  switch (r._tag) {
    case 'do':
      return blockedDo(world, m, agent, r.prepared)
    case 'fork':
    case 'join':
      return r.children.some((c) => m.agents[c]!.status === 'running')
    case 'fault':
      return false
  }
}

/** Other parts of an agent, in the order in which they are asked. */
export const partsOf = (world: World, a: AgentState): ReadonlyArray<number> =>
  world.front.parts === null ? noParts : world.front.parts.others(a)
const noParts: ReadonlyArray<number> = []

/** An agent that is ready for what this part of it waits for. */
const turned = (world: World, m: Machine, agent: number, part: number): AgentState => {
  const a = m.agents[agent]!
  return part === 0 || world.front.parts === null
    ? a
    : world.front.parts.turn(world, standpoint(world, m, agent), a, part)
}

/** The first part of an agent that can go on, 0 for the one that it is ready for; -1: none can. */
export const partThatCan = (world: World, m: Machine, agent: number): number => {
  const a = m.agents[agent]!
  if (a.ready === null) return -1
  if (!blocked(world, m, agent, a.ready)) return 0
  for (const part of partsOf(world, a)) {
    const { ready } = turned(world, m, agent, part)
    if (ready !== null && !blocked(world, m, agent, ready)) return part
  }
  return -1
}

const macsOf = (f: InFlight): number =>
  f._tag === 'wgmma'
    ? f.mma.m * f.mma.n * f.mma.k
    : f._tag === 'tcgen05'
      ? f.mma.m * f.mma.n * f.mma.k * f.mma.shares.length
      : 0
const bytesOf = (f: InFlight): number => ('bytes' in f ? f.bytes : 0)

/** Which of its events comes next: operations with one event have it all at once. */
export const stageOf = (f: InFlight): EventKey['stage'] => {
  switch (f._tag) {
    case 'tmaLoad':
    case 'tmaStore':
    case 'stAsync':
    case 'clc':
      return f.stage
    case 'tcgen05Commit':
      return f.alone ? 'all' : 'signal'
    case 'cpAsync':
    case 'cpAsyncArrive':
    case 'wgmma':
    case 'tcgen05':
    case 'tcgen05Copy':
    case 'tcgen05Ld':
    case 'tcgen05St':
      return 'all'
  }
}
export const partOf = (f: InFlight): number =>
  f._tag === 'tmaLoad' || f._tag === 'tmaStore' || f._tag === 'tcgen05Commit' || f._tag === 'clc' ? f.part : 0

/** Is its next event held back by what is before it? */
export const held: (world: World, m: Machine, f: InFlight) => boolean = Families.held

const ofAgent = (agent: number, at: number, part: number, ready: Ready | null): Offered => ({
  key: { agent, at, stage: 'agent', part },
  unit: 'agent',
  bytes: 0,
  macs: 0,
  operation: null,
  ready,
})

const ofOperation = (f: InFlight): Offered => ({
  key: { agent: f.agent, at: f.at, stage: stageOf(f), part: partOf(f) },
  unit: f._tag,
  bytes: bytesOf(f),
  macs: macsOf(f),
  operation: f,
  ready: null,
})

const nothingBefore: ReadonlyArray<Offered> = []

/** Does another lane of the agent do what is left of its instruction (`warps/atomics.ts`)? */
const isBehind = ({ ready }: Offered): boolean =>
  ready?._tag === 'do' && ready.prepared._tag === 'atomic.words' && ready.prepared.behind === true

/** What is on offer where nothing comes between the lanes of one instruction. A search asks for no more: 32 tickets of two warps have some 10^18 orders. */
export const together = (all: ReadonlyArray<Offered>): ReadonlyArray<Offered> => {
  const first = all.find(isBehind)
  return first === undefined ? all : [first]
}

/** Is there an instruction on offer that lanes have begun? */
export const isAmid = (all: ReadonlyArray<Offered>): boolean => all.some(isBehind)

/**
 * The events that can happen now: agents in their order, then operations in the order of their issue. Those of them that were on offer before are the
 * same objects. `last`: the event that has happened since, where it is one.
 */
export const offered = (
  world: World,
  m: Machine,
  before: ReadonlyArray<Offered> = nothingBefore,
  last: Offered | null = null,
): ReadonlyArray<Offered> => {
  const own = last === null ? null : offeredInstead(world, m, before, last)
  if (own !== null) return own
  const out: Offered[] = []
  let next = 0
  for (let agent = 0; agent < m.agents.length; agent++) {
    const part = partThatCan(world, m, agent)
    if (part < 0) continue
    const a = m.agents[agent]!
    const { ready } = turned(world, m, agent, part)
    while (next < before.length && before[next]!.operation === null && before[next]!.key.agent < agent) next++
    const known = before[next]
    out.push(known?.ready === ready && known.key.agent === agent ? known : ofAgent(agent, a.at, part, ready))
  }
  while (next < before.length && before[next]!.operation === null) next++
  for (let i = 0; i < m.inFlight.length; i++) {
    const f = m.inFlight[i]!
    if (held(world, m, f)) continue
    let at = next
    while (at < before.length && before[at]!.operation !== f) at++
    const known = before[at]
    if (known !== undefined) next = at + 1
    out.push(known ?? ofOperation(f))
  }
  return out.length > 0 || world.front.parts === null ? out : parkedOffers(world, m, world.front.parts)
}

/** Is it heard in the agent's own cluster at most? */
const isOfItsCluster = (world: World, { ready }: Offered): boolean => {
  if (ready?._tag !== 'do') return false
  const p = ready.prepared
  return p._tag === 'store'
    ? world.header.planes[p.destination.plane]!.space !== 'gmem'
    : p._tag === 'bar' || p._tag === 'bar.leave' || p._tag === 'fence' || p._tag === 'load'
}

/** What is on offer behind an event that only its own cluster hears of: what was, but for the agents there; null: that is not so, or nothing is. */
const offeredInstead = (
  world: World,
  m: Machine,
  before: ReadonlyArray<Offered>,
  last: Offered,
): ReadonlyArray<Offered> | null => {
  if (m.inFlight.length > 0 || !isOfItsCluster(world, last)) return null
  if (before.length === 0 || before[before.length - 1]!.operation !== null) return null
  const each = world.ctas * world.agentsPerCta
  const first = placeOf(world, last.key.agent) * each
  const from = behindAgents(before, first)
  const to = behindAgents(before, first + each)
  // parts that go on where nothing else can are asked anew
  const other = from > 0 ? before[0] : before[to]
  if (other !== undefined && partThatCan(world, m, other.key.agent) !== other.key.part) return null
  const own: Offered[] = []
  let next = from
  for (let agent = first; agent < first + each; agent++) {
    const part = partThatCan(world, m, agent)
    if (part < 0) continue
    const a = m.agents[agent]!
    const { ready } = turned(world, m, agent, part)
    while (next < to && before[next]!.key.agent < agent) next++
    const known = before[next]
    own.push(known?.ready === ready && known.key.agent === agent ? known : ofAgent(agent, a.at, part, ready))
  }
  const out = [...before.slice(0, from), ...own, ...before.slice(to)]
  return out.length === 0 ? null : out
}

/** How many of the events on offer are of agents before this one. */
const behindAgents = (all: ReadonlyArray<Offered>, agent: number): number => {
  let [low, high] = [0, all.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (all[middle]!.key.agent < agent) low = middle + 1
    else high = middle
  }
  return low
}

/** The event of this name, if it is on offer. */
export const offeredAs = (world: World, m: Machine, key: EventKey): Offered | undefined => {
  const own = key.stage === 'agent' ? offeredOf(world, m, key.agent) : null
  return own !== null && sameKey(own.key, key) ? own : offered(world, m).find((o) => sameKey(o.key, key))
}

/** What this agent itself can do now, as `offered` has it; null: nothing. */
export const offeredOf = (world: World, m: Machine, agent: number): Offered | null => {
  const part = partThatCan(world, m, agent)
  return part < 0 ? null : ofAgent(agent, m.agents[agent]!.at, part, turned(world, m, agent, part).ready)
}

/** What its parts stand at, but for those that are parked. */
export const readiesOf = (world: World, m: Machine, agent: number): ReadonlyArray<Ready> =>
  [0, ...partsOf(world, m.agents[agent]!)].flatMap((part) => turned(world, m, agent, part).ready ?? [])

/** The machine as if of this agent only these lanes went on. `meets`: no further than where they meet others of their warp. */
export const aloneIn = (
  world: World,
  m: Machine,
  agent: number,
  lanes: number,
  meets: boolean = false,
): Machine => {
  const { parts } = world.front
  return parts === null
    ? m
    : withAgent(m, agent, parts.alone(world, standpoint(world, m, agent), m.agents[agent]!, lanes, meets))
}

/** What threads can do that the machine keeps behind others of their warp: they go on where nothing else can. */
const parkedOffers = (world: World, m: Machine, parts: Parts<World>): ReadonlyArray<Offered> =>
  m.agents.flatMap((a, agent) => {
    if (a.status !== 'running') return []
    const ways = parts.parked(a).flatMap((part) => {
      const { ready } = turned(world, m, agent, part)
      return ready === null || blocked(world, m, agent, ready) ? [] : [ofAgent(agent, a.at, part, ready)]
    })
    return ways.slice(0, 1)
  })

// ---------------------------------------------------------------- an agent's event

const stampOf = (a: AgentState, agent: number, r: Ready): Stamp => {
  const { site, iteration } = r
  const by = r._tag === 'do' ? r.by : undefined
  if (by === undefined) return { agent, at: a.at, site, iteration }
  return by.whole
    ? { agent, at: a.at, site, iteration, lanes: by.mask, whole: true }
    : { agent, at: a.at, site, iteration, lanes: by.mask }
}

/** Where lanes of a warp have met since its last effect: said before the next one. */
export const meetingsOf = ({ at }: AgentState, agent: number, { by }: Doing): ReadonlyArray<LogEvent> =>
  (by?.synced ?? []).map(({ site, iteration, lanes, how, loads }): LogEvent => {
    const stamp: Stamp = { agent, at, site, iteration, lanes }
    return how === 'meets' ? { _tag: 'warpSync', stamp } : { _tag: 'warpSync', stamp, how, loads }
  })

const behind = (met: ReadonlyArray<LogEvent>, events: ReadonlyArray<LogEvent>): ReadonlyArray<LogEvent> =>
  met.length === 0 ? events : [...met, ...events]

const exits = (world: World, before: AgentState, after: AgentState, agent: number): boolean =>
  before.status === 'running' &&
  after.status === 'done' &&
  world.front.starts[agent % world.agentsPerCta] === true

/** An agent has come to its end. */
export const exitOf = (agent: number, { stand }: AgentState): Exit => {
  const origins = stand?._tag === 'warp' ? stand.rows.origins : null
  const decided = origins?._tag === 'bytes' ? origins.decided[0]! : 0
  return decided === 0 ? { _tag: 'exit', agent } : { _tag: 'exit', agent, decided: decided - 1 }
}

/** Install the agent's next state; say so when it has come to its end. */
const moved = (
  world: World,
  m: Machine,
  agent: number,
  before: AgentState,
  after: AgentState,
  events: ReadonlyArray<LogEvent>,
): Effect =>
  effect(
    withAgent(m, agent, after),
    exits(world, before, after, agent) ? [...events, exitOf(agent, after)] : events,
  )

const invalid = ({ code, message, columns }: FaultValue, site: number, agent: number): Fault =>
  columns === undefined
    ? { kind: 'invalid', code, message, site, agent }
    : { kind: 'invalid', code, message, site, agent, columns }

/** What was done, or what only the machine as it is now can refuse, at this stamp. */
const refusable = (done: Effect | FaultValue, { site, agent }: Stamp): Effect | Fault =>
  'machine' in done ? done : invalid(done, site, agent)

/** What arrives at a barrier by these lanes leaves it by the same. */
const departing = (r: Doing, prepared: Prepared): Doing => {
  const { site, iteration, layouts, resume, by } = r
  return by === undefined
    ? { _tag: 'do', site, iteration, layouts, resume, prepared }
    : {
        _tag: 'do',
        site,
        iteration,
        layouts,
        resume,
        prepared,
        by: { mask: by.mask, whole: by.whole, synced: [] },
      }
}

const stepAgent = (world: World, m: Machine, agent: number, apart: ReadonlyArray<Apart>): Effect | Fault => {
  const a = m.agents[agent]!
  const r = a.ready
  if (r === null) return crash(`agent ${String(agent)} has nothing to do`, agent)
  const x: Executing = { world, agent, stamp: stampOf(a, agent, r) }
  const at = standpoint(world, m, agent)
  switch (r._tag) {
    case 'fault':
      return invalid(r.fault, r.site, agent)
    case 'fork': {
      const begun = world.front.forks?.fork(world, at, m.agents, r, m.edit) ?? null
      if (begun === null) return crash(`a fork of agent ${String(agent)} has no branch`, agent)
      const forked = r.children.reduce((now, child, i) => withAgent(now, child, begun.children[i]!), m)
      const event: LogEvent = { _tag: 'fork', stamp: x.stamp, children: r.children }
      return moved(world, forked, agent, a, begun.own, [event])
    }
    case 'join': {
      const next = world.front.forks?.join(world, at, a, r, m.edit) ?? null
      if (next === null) return crash(`agent ${String(agent)} joins what it has not forked`, agent)
      return moved(world, m, agent, a, next, [{ _tag: 'join', stamp: x.stamp, children: r.children }])
    }
    case 'do': {
      const done = refusable(Families.execute(x, m, r.prepared, r.layouts, apart), x.stamp)
      if ('kind' in done) return done
      // what the instruction did to its own agent (a closed group) is in the new machine
      const now = done.machine.agents[agent]!
      const p = r.prepared
      if (p._tag === 'bar' && p.waits) {
        const generation = Rendezvous.named(m, ctaOf(world, agent), p.id).generation
        const leave = departing(r, Rendezvous.leaving(p, generation))
        const waiting = agentState(now.status, now.stand, leave, now.at + 1, now.groups)
        return effect(withAgent(done.machine, agent, waiting), behind(meetingsOf(a, agent, r), done.events))
      }
      const next = world.front.proceed(world, at, now, r, done.results, 1, m.edit)
      return moved(world, done.machine, agent, a, next, behind(meetingsOf(a, agent, r), done.events))
    }
  }
}

const crash = (message: string, agent: number): Fault => ({
  kind: 'crash',
  code: 'crash',
  message,
  site: 0,
  agent,
})

// ---------------------------------------------------------------- an operation's event

const stepOperation = (world: World, m: Machine, f: InFlight): Effect | Fault =>
  refusable(Families.next(world, m, f), f.stamp)

/** Make an offered event happen. */
export const take = (world: World, m: Machine, o: Offered): Effect | Fault => {
  lookAfterEvent()
  return o.operation !== null
    ? stepOperation(world, m, o.operation)
    : o.key.older !== undefined
      ? stepReading(world, m, o, o.key.older, o.key.below ?? [])
      : o.key.below !== undefined
        ? stepBelow(world, m, o, o.key.below)
        : stepPart(world, m, o.key)
}

const stepPart = (
  world: World,
  m: Machine,
  { agent, part }: EventKey,
  apart: ReadonlyArray<Apart> = [],
): Effect | Fault =>
  part === 0
    ? stepAgent(world, m, agent, apart)
    : stepAgent(world, withAgent(m, agent, turned(world, m, agent, part)), agent, apart)

/** An offered event, as this key asks for it. */
export const as = (o: Offered, key: EventKey): Offered =>
  key.older === undefined && key.below === undefined
    ? o
    : {
        key: among(o.key, key.older ?? [], key.below ?? []),
        unit: o.unit,
        bytes: o.bytes,
        macs: o.macs,
        operation: o.operation,
        ready: o.ready,
      }

/** A memory in which words are otherwise. */
const withWords = (m: Machine, words: ReadonlyArray<Older>): Machine =>
  words.reduce(
    (now, { plane, byte, held }) => withPlane(now, plane, Plane.withWord(now.planes[plane]!, byte, held)),
    m,
  )

const namesNo = ({ key }: Offered, does: 'reads' | 'stores'): Fault => ({
  kind: 'invalid',
  code: 'schedule.not-offered',
  message: `event ${showKey(key)} ${does} no strong access to these words`,
  site: 0,
  agent: key.agent,
})

/** The lanes that do what an agent is ready for, to whom its elements are dealt; null: it is done as one. */
const lanesOf = ({ ready: r }: Offered): number | null =>
  r?._tag === 'do' && r.by !== undefined && !r.by.whole ? r.by.mask : null

/** The same of what an agent is ready for. */
const strongIn = ({ ready: r }: Offered, does: 'reads' | 'writes'): Strongly | null => {
  const s = r?._tag === 'do' ? Families.stronglyNamed(r.prepared) : null
  return s === null || s[does] === null || s[does] === false ? null : s
}

const isStrong = (e: LogEvent): e is Access => e._tag === 'access' && e.atomic && e.operation === undefined

const withBacks = (events: ReadonlyArray<LogEvent>, backs: ReadonlyArray<number>): ReadonlyArray<LogEvent> =>
  backs.every((back) => back === 0)
    ? events
    : events.map((e) => (isStrong(e) ? Object.assign({ older: backs }, e) : e))

/** A strong read in a memory of other writes; what it names of the memory stays as it is, or is what is said. */
const stepReading = (
  world: World,
  m: Machine,
  o: Offered,
  older: ReadonlyArray<Older>,
  below: ReadonlyArray<Older>,
): Effect | Fault => {
  const backs = elementsTaking(m, strongIn(o, 'reads'), older, lanesOf(o))
  if (backs === null) return namesNo(o, 'reads')
  if (older.some(({ lanes }) => lanes !== undefined)) return stepApart(world, m, o, older, backs)
  if (below.length > 0 && elementsTaking(m, strongIn(o, 'writes'), below, null) === null)
    return namesNo(o, 'stores')
  const done = stepPart(world, withWords(m, older), o.key)
  if ('kind' in done) return done
  const taken = older.some(({ back }) => back > 0) ? backs : backs.map(() => -1)
  const now = older.map((w) =>
    Object.assign({}, w, { held: Plane.wordAt(m.planes[w.plane]!, w.byte, sizeOf(w)) }),
  )
  return effect(withWords(done.machine, [...now, ...below]), withBacks(done.events, taken), done.results)
}

/** A load of which lanes find other writes than others, each in a memory of its own; the memory stays as it is. */
const stepApart = (
  world: World,
  m: Machine,
  o: Offered,
  older: ReadonlyArray<Older>,
  backs: ReadonlyArray<number>,
): Effect | Fault => {
  const lanes = lanesOf(o)
  const { ready } = o
  if (lanes === null || ready?._tag !== 'do' || ready.prepared._tag !== 'load') return namesNo(o, 'reads')
  const each = backs.length / countOf(lanes)
  const apart = singles(lanes).flatMap((lane, i): ReadonlyArray<Apart> => {
    const words = older.filter((w) => w.lanes === undefined || (w.lanes & lane) !== 0)
    if (words.length === 0) return []
    const { planes } = withWords(m, words)
    return [{ from: i * each, to: (i + 1) * each, plane: planes[words[0]!.plane]! }]
  })
  const done = stepPart(world, m, o.key, apart)
  return 'kind' in done ? done : effect(done.machine, withBacks(done.events, backs), done.results)
}

/** A strong store that comes before the last writes of these words: they keep what they hold. */
const stepBelow = (world: World, m: Machine, o: Offered, below: ReadonlyArray<Older>): Effect | Fault => {
  const backs = elementsTaking(m, strongIn(o, 'writes'), below, null)
  if (backs === null) return namesNo(o, 'stores')
  const done = stepPart(world, m, o.key)
  return 'kind' in done
    ? done
    : effect(withWords(done.machine, below), withBacks(done.events, backs), done.results)
}

/** Memory as an event leaves it that writes under later writes: as it is there, where it stands among the writes. */
export const leaving = (world: World, m: Machine, key: EventKey): Machine | null => {
  const o = offered(world, m).find((candidate) => sameKey(candidate.key, key))
  if (o === undefined || o.operation !== null) return null
  const done = stepPart(
    world,
    withWords(
      m,
      (key.older ?? []).filter(({ lanes }) => lanes === undefined),
    ),
    o.key,
  )
  return 'kind' in done ? null : done.machine
}

/** Bytes of a word. */
const sizeOf = ({ held }: Older): number => held.replaceAll('?', '').length / 2

/** Element by element, how many writes before the last it takes; null: one of these words is none of its. */
const elementsTaking = (
  m: Machine,
  by: Strongly | null,
  taken: ReadonlyArray<Older>,
  dealt: number | null,
): ReadonlyArray<number> | null => {
  if (by === null) return null
  const { elements, words } = by
  const size = (words * bitsOf(elements.dtype)) / 8
  const backs = Array.from(elements.offsets, () => 0)
  const those = dealt === null ? [] : singles(dealt)
  const each = backs.length / those.length
  for (const { plane, byte, back, held, lanes } of taken) {
    if (lanes !== undefined && !Number.isInteger(each)) return null
    if (plane !== elements.plane || held.replaceAll('?', '').length !== 2 * size) return null
    if (byte + size > m.planes[plane]!.size) return null
    let some = false
    for (let i = 0; i < backs.length; i += words) {
      if (elements.offsets[i]! + elements.origin !== byte) continue
      if (lanes !== undefined && (those[Math.floor(i / each)]! & lanes) === 0) continue
      backs.fill(back, i, i + words)
      some = true
    }
    if (!some) return null
  }
  return backs
}

/** The event named by `key`, if it is offered. */
export const step =
  (world: World) =>
  (key: EventKey): Step =>
  (m) => {
    const o = offered(world, m).find((candidate) => sameKey(candidate.key, key))
    if (o === undefined)
      return E.left({
        kind: 'invalid',
        code: 'schedule.not-offered',
        message: `event ${showKey(key)} is not offered here`,
        site: 0,
        agent: key.agent,
      })
    const done = take(world, m, as(o, key))
    return 'kind' in done ? E.left(done) : E.right([done.events, done.machine])
  }

/** Agents that are blocked, as the log says it when nothing can move: for the wait-for cycle. */
export const blockedEvents = (world: World, m: Machine): ReadonlyArray<LogEvent> =>
  m.agents.flatMap((a, agent): ReadonlyArray<LogEvent> => {
    if (a.ready === null || a.ready._tag !== 'do') return []
    const p = a.ready.prepared
    const x: Executing = { world, agent, stamp: stampOf(a, agent, a.ready) }
    return Families.waitsOf(p)?.stands(x, m, p) ?? []
  })

/** Has every agent that started come to its end, and every operation? */
export const finished = (m: Machine): boolean =>
  m.inFlight.length === 0 && m.agents.every((a) => a.status !== 'running')
