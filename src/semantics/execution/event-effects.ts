/**
 * Touches: what an event reads, writes, counts and waits for.
 *
 * One answer for everybody who asks whether two events can change places: a watch for states that offer two conflicting accesses
 * (`verdict/race-witness.ts`), and the search of all schedules (`explore/`), which takes early what commutes with all else.
 *
 *     event                                  touches
 *     store to a slot                        write of its bytes
 *     the box of a TMA load arrives          read of global memory, write of the slot
 *     its bytes reach the barrier            count 0 arrivals and -bytes
 *     wait for parity 0                      wait
 *     tcgen05.dealloc 128                    write of the columns that it would free now, in both CTAs of a pair; the CTA's allocator changes
 *
 * An event that puts an operation in flight touches nothing by that: the operation's own events do.
 *
 * Law 1. Two offered events of different owners whose touches do not meet can be taken in either order, with the same machine after both.
 *
 * Source: the core's own semantics; docs/hazards.md.
 */
import * as Rendezvous from '../instructions/rendezvous.js'
import * as Tcgen05Memory from '../instructions/tcgen05-memory.js'
import type { Scope } from '../language/instruction.js'
import type { Footprint } from '../log/events.js'
import * as Reach from '../log/reach.js'
import { ctaOf, placeOf as clusterOf, threadsOf } from '../machine/effect.js'
import type { Elements, InFlight, Prepared, StAsyncInFlight, TmaLoadInFlight } from '../machine/operation.js'
import type { Machine, Ready } from '../machine/state.js'
import type { World } from '../machine/world.js'

// ---------------------------------------------------------------- model

/** `loads`: a load of tensor memory, which a dealloc does not race with. `frees`: a dealloc. */
export interface MemoryTouch {
  readonly _tag: 'memory'
  readonly rw: 'r' | 'w'
  readonly footprint: Footprint
  /** how far it is atomic */
  readonly reach: Reach.Reach
  readonly proxy: 'agent' | 'unit'
  readonly role: 'access' | 'frees'
  /** elements that are one scalar */
  readonly words: number
}
/** `bytes` are added to the transaction count: positive when they are expected, negative when they have come. */
export interface CountTouch {
  readonly _tag: 'count'
  readonly barrier: number
  readonly arrivals: number
  readonly bytes: number
}
export interface WaitTouch {
  readonly _tag: 'wait'
  readonly barrier: number
  readonly parity: 0 | 1
  /** false: it only asks */
  readonly blocks: boolean
}
/** An mbarrier is initialised or given up (`ends`: any other use of it then is wrong), or counts fewer or more from now on. */
export interface LifeTouch {
  readonly _tag: 'life'
  readonly barrier: number
  readonly ends: boolean
}
/** Arrival at a named barrier; `place` tells all of them apart. */
export interface MeetTouch {
  readonly _tag: 'meet'
  readonly place: number
  readonly threads: number
  readonly count: number
}
export interface LeaveTouch {
  readonly _tag: 'leave'
  readonly place: number
}
/**
 * What the machine keeps apart from memory: the tensor memory allocator of a CTA (its number), the tensor maps (`mapTable`), what is granted next,
 * registers, and the order of the atomics of one plane.
 */
export interface TableTouch {
  readonly _tag: 'table'
  readonly table: number
  readonly changes: boolean
}
/** Agents start. */
export interface StartTouch {
  readonly _tag: 'start'
  readonly agents: ReadonlyArray<number>
}

export type Touch =
  MemoryTouch | CountTouch | WaitTouch | LifeTouch | MeetTouch | LeaveTouch | TableTouch | StartTouch

export type Touches = ReadonlyArray<Touch>

// ---------------------------------------------------------------- constructors

const memory = (rw: 'r' | 'w', e: Elements, role: MemoryTouch['role'] = 'access'): Touch => ({
  _tag: 'memory',
  rw,
  footprint: e.footprint,
  reach: 0,
  proxy: 'agent',
  role,
  words: 1,
})
const read = (e: Elements): Touch => memory('r', e)
const write = (e: Elements): Touch => memory('w', e)
const atomic = (rw: 'r' | 'w', e: Elements, scope: Scope, proxy: MemoryTouch['proxy'], words = 1): Touch => ({
  _tag: 'memory',
  rw,
  footprint: e.footprint,
  reach: Reach.reachOf(scope),
  proxy,
  role: 'access',
  words,
})
const count = (barrier: number, arrivals: number, bytes: number): Touch => ({
  _tag: 'count',
  barrier,
  arrivals,
  bytes,
})
export const mapTable = -1
/** What is granted next, and the registers of a CTA. */
const grantTable = -2
const registerTable = -3
/** The atomics of one plane: what one finds there depends on who was first. */
const atomicTable = (plane: number): number => -4 - plane
const table = (which: number, changes: boolean): Touch => ({ _tag: 'table', table: which, changes })
const meet = (place: number, threads: number, of: number): Touch => ({
  _tag: 'meet',
  place,
  threads,
  count: of,
})
const none: Touches = []

/** A number for the named barrier `id` of a CTA. */
export const placeOf = (cta: number, id: number): number => cta * 32 + id
/** The barrier of a cluster has the number of its first CTA. Nothing is counted there: everybody waits for all who have not ended. */
export const clusterPlaceOf = (world: World, agent: number): number =>
  placeOf(clusterOf(world, agent) * world.ctas, Rendezvous.clusterBarrier)
export const isClusterPlace = (place: number): boolean => place % 32 === Rendezvous.clusterBarrier

// ---------------------------------------------------------------- operations

/** A copy reads the tensor map that lies in memory. */
const ofMap = (map: Elements | null): Touches => (map === null ? none : [read(map)])

const ofProduct = (
  operands: ReadonlyArray<Elements>,
  accumulators: ReadonlyArray<Elements>,
  accumulates: boolean,
): Touches => [
  ...operands.map(read),
  ...(accumulates ? accumulators.map(read) : []),
  ...accumulators.map(write),
]

/** All that a product on tensor memory reads beside the accumulator, and all accumulators. */
const operandsOf = (p: Extract<Prepared, { readonly _tag: 'tcgen05.mma' }>): ReadonlyArray<Elements> => [
  ...p.shares.flatMap((share) => [
    ...share.a,
    ...share.scaleA,
    ...share.scaleB,
    ...(share.sparsity === null ? [] : [share.sparsity]),
  ]),
  ...p.b,
]
const accumulatorsOf = (p: Extract<Prepared, { readonly _tag: 'tcgen05.mma' }>): ReadonlyArray<Elements> =>
  p.shares.map((share) => share.accumulator)

/** What comes to a CTA's shared memory: it is written, or joins what is there. */
const arriving = ({ combine, destination }: TmaLoadInFlight | StAsyncInFlight): Touches =>
  combine === null
    ? [write(destination)]
    : [atomic('r', destination, 'cluster', 'unit'), atomic('w', destination, 'cluster', 'unit')]

/** The next event of an operation in flight. */
export const ofOperation = (f: InFlight): Touches => {
  switch (f._tag) {
    case 'clc':
      return f.stage === 'write' ? [write(f.response)] : [count(f.barrier, 0, -f.bytes)]
    case 'tmaLoad':
      return f.stage === 'write'
        ? [...ofMap(f.map), read(f.source), ...arriving(f)]
        : [count(f.barrier, 0, -f.bytes)]
    case 'tmaStore':
      return f.stage === 'read'
        ? [...ofMap(f.map), read(f.source)]
        : f.combine === null
          ? [write(f.destination)]
          : [atomic('r', f.destination, 'gpu', 'unit'), atomic('w', f.destination, 'gpu', 'unit')]
    case 'stAsync':
      return f.stage === 'write' ? arriving(f) : [count(f.barrier, 0, -f.bytes)]
    case 'cpAsync':
      return [read(f.source), write(f.destination)]
    case 'cpAsyncArrive':
      return [count(f.barrier, 1, 0)]
    case 'wgmma':
      return ofProduct([f.mma.part?.a ?? f.mma.a, f.mma.b], [f.mma.accumulator], f.mma.accumulates)
    case 'tcgen05':
      return ofProduct(operandsOf(f.mma), accumulatorsOf(f.mma), f.mma.accumulates)
    case 'tcgen05Copy':
      return f.copy.moves.flatMap((move) => [read(move.source), write(move.destination)])
    case 'tcgen05Commit':
      return f.barriers.map((b) => count(b, 1, 0))
    case 'tcgen05Ld':
      return [memory('r', f.source), memory('w', f.destination)]
    case 'tcgen05St':
      return [write(f.destination)]
  }
}

/**
 * CTAs that must not have ended before the next events of this operation: those whose shared memory, tensor memory or barriers it
 * uses. A tcgen05.ld or .st is its agent's own affair.
 */
export const ctasOf = (world: World, f: InFlight): ReadonlyArray<number> => {
  const barrierCta = (b: number): number => world.header.barriers[b]!.cta
  const of = (es: ReadonlyArray<Elements>): ReadonlyArray<number> =>
    es.flatMap((e) => {
      const { space, cta } = world.header.planes[e.plane]!
      return cta === undefined || space === 'gmem' || space === 'regs' ? [] : [cta]
    })
  switch (f._tag) {
    case 'clc':
      return [...of([f.response]), barrierCta(f.barrier)]
    case 'tmaLoad':
      return [...of([f.source, f.destination]), barrierCta(f.barrier)]
    case 'stAsync':
      return [...of([f.destination]), barrierCta(f.barrier)]
    case 'tmaStore':
      return f.stage === 'read' ? of([f.source]) : []
    case 'cpAsync':
      return of([f.destination])
    case 'cpAsyncArrive':
      return [barrierCta(f.barrier)]
    case 'wgmma':
      return [ctaOf(world, f.agent)]
    case 'tcgen05':
      return of([...operandsOf(f.mma), ...accumulatorsOf(f.mma)])
    case 'tcgen05Copy':
      return of(f.copy.moves.flatMap((move) => [move.source, move.destination]))
    case 'tcgen05Commit':
      return f.barriers.map(barrierCta)
    case 'tcgen05Ld':
    case 'tcgen05St':
      return []
  }
}

// ---------------------------------------------------------------- agents

/** Which columns a dealloc frees depends on the machine: this one, any (all columns that it may free), or it is not asked (none). */
export type When = Machine | 'any' | null

const usesColumns = (world: World, es: ReadonlyArray<Elements>): Touches =>
  es.flatMap((e) => {
    const { space, cta } = world.header.planes[e.plane]!
    return space === 'tmem' ? [table(cta ?? 0, false)] : []
  })

const ofPrepared = (world: World, m: When, agent: number, p: Prepared): Touches => {
  const cta = ctaOf(world, agent)
  switch (p._tag) {
    case 'load':
      return [
        p.strong === undefined
          ? read(p.source)
          : atomic('r', p.source, p.strong.scope, 'agent', p.strong.words),
      ]
    case 'store':
      return [
        p.strong === undefined
          ? write(p.destination)
          : atomic('w', p.destination, p.strong.scope, 'agent', p.strong.words),
      ]
    case 'atomic':
    case 'atomic.words': {
      const words = p._tag === 'atomic' ? 1 : p.words
      return [
        atomic('r', p.destination, p.scope, 'agent', words),
        atomic('w', p.destination, p.scope, 'agent', words),
        table(atomicTable(p.destination.plane), true),
      ]
    }
    case 'semaphore': {
      const changes = p.kind === 'signal' || p.decrement
      const found = [atomic('r', p.counter, p.scope, 'agent'), table(atomicTable(p.counter.plane), changes)]
      return changes ? [...found, atomic('w', p.counter, p.scope, 'agent')] : found
    }
    case 'clc.tryCancel':
      return [table(grantTable, true)]
    case 'clc.query':
      // a failure that has been read forbids the next request
      return [read(p.response), table(grantTable, true)]
    case 'setMaxRegisters':
      return [table(registerTable, true)]
    case 'tensormap.create':
      return [write(p.object), table(mapTable, true)]
    case 'tensormap.acquire':
      return [table(mapTable, false)]
    case 'tensormap.through':
      return [read(p.map)]
    case 'tensormap.replace':
      return [write(p.object)]
    case 'tensormap.publish':
      return [read(p.source), write(p.object)]
    case 'mbarrier.init':
    case 'mbarrier.inval':
      return [{ _tag: 'life', barrier: p.barrier, ends: true }]
    case 'mbarrier.arrive': {
      const arrives = count(p.barrier, p.kind === 'expect' ? 0 : p.count, p.bytes)
      return p.kind === 'drop' ? [arrives, { _tag: 'life', barrier: p.barrier, ends: false }] : [arrives]
    }
    case 'mbarrier.wait':
      // a wait that its peek has spared asks nothing
      return p.peek !== undefined && p.peek !== 'makes' && p.peek.ready
        ? []
        : [{ _tag: 'wait', barrier: p.barrier, parity: p.parity, blocks: p.blocks }]
    case 'bar':
      return [meet(placeOf(cta, p.id), p.threads ?? threadsOf(world, agent), p.count)]
    case 'bar.leave':
      return [{ _tag: 'leave', place: placeOf(cta, p.id) }]
    case 'cluster.arrive':
      return [meet(clusterPlaceOf(world, agent), 0, 0)]
    case 'cluster.wait':
      return [{ _tag: 'leave', place: clusterPlaceOf(world, agent) }]
    case 'tcgen05.alloc':
      return p.into === undefined ? [table(cta, true)] : [table(cta, true), write(p.into)]
    case 'tcgen05.relinquish':
      return [table(cta, true)]
    case 'tcgen05.dealloc': {
      const freed =
        m === null
          ? []
          : m === 'any'
            ? Tcgen05Memory.freeable(world, agent, p.ctaGroup)
            : Tcgen05Memory.freedBy(world, m, agent, p)
      return [
        table(cta, true),
        ...freed.map((footprint): MemoryTouch => ({
          _tag: 'memory',
          rw: 'w',
          footprint,
          reach: 0,
          proxy: 'agent',
          role: 'frees',
          words: 1,
        })),
      ]
    }
    case 'tcgen05.mma':
      return usesColumns(world, [...operandsOf(p), ...accumulatorsOf(p)])
    case 'tcgen05.copy':
      return usesColumns(
        world,
        p.moves.flatMap((move) => [move.source, move.destination]),
      )
    case 'tcgen05.ld':
      return usesColumns(world, [p.source])
    case 'tcgen05.st':
      return usesColumns(world, [p.destination])
    case 'mbarrier.cpAsyncArrive':
      // an increment is counted like an arrival the other way
      return p.increment ? [count(p.barrier, 0, 0), { _tag: 'life', barrier: p.barrier, ends: false }] : none
    case 'tma.load':
    case 'tma.store':
    case 'stAsync':
    case 'group.commit':
    case 'group.wait':
    case 'cpAsync.copy':
    case 'fence':
    case 'wgmma.mma':
    case 'tcgen05.commit':
    case 'nothing':
    case 'trap':
      return none
  }
}

/** What an agent stands ready to do. */
export const ofReady = (world: World, m: When, agent: number, r: Ready | null): Touches => {
  if (r === null) return none
  switch (r._tag) {
    case 'do':
      return ofPrepared(world, m, agent, r.prepared)
    case 'fork':
      return [{ _tag: 'start', agents: r.children }]
    case 'join':
    case 'fault':
      return none
  }
}

/** Whether two accesses of these agents are atomic for one another (`log/reach.ts`). */
export const atomicTogether = (
  world: World,
  x: MemoryTouch,
  agentX: number,
  y: MemoryTouch,
  agentY: number,
): boolean =>
  Reach.atomicTogether(
    x,
    y,
    Reach.between(
      ctaOf(world, agentX) === ctaOf(world, agentY),
      clusterOf(world, agentX) === clusterOf(world, agentY),
    ),
  )
