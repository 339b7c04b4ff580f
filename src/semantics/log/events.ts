/**
 * The log: what happened, in one total order.
 *
 * The machine emits these events and keeps none of them; to judge, digest or draw a run is to fold over
 * them. A log from somewhere else, with the same shape, is judged by the same folds. Nothing in it is derived:
 * generations are computed by the reader, never believed.
 *
 * Three kinds of things happen. An *agent* executes statements; each of its effects carries a `Stamp`: agent,
 * `at` (its program-order index, counted from 1), site and iteration vector. An *operation* that an agent issued
 * goes on by itself: `issue`, then `perform` with the accesses it makes, then `signal`. And a *cluster* begins.
 *
 * A producer owes: a total order consistent with the run; for every operation issue < perform < signal; a wait
 * that is still blocked when nothing can move stands as `wait ... blocked` at the end (that is how a deadlock
 * looks in a trace), and may be followed by what stands behind such waits (`ahead`); an `exit` for every other agent
 * that starts, also for one that does nothing. A log that has neither was stopped or cut, and says nothing about the
 * end of its run.
 *
 * Source: PTX ISA, memory consistency model and asynchronous operations.
 */
import type { TransformedRef } from '../../transforms/ref.js'
import { bitsOf, type Dtype } from '../../numerics/dtype.js'
import type { AtomicOp, ReduceKind, Scope } from '../language/instruction.js'
import type { Site, Spec } from '../language/program.js'
import type { Contract, Space } from '../language/types.js'
import type { Computed, Stretches } from './computed.js'
import type { Family, Unit } from './units.js'

export type { Family, Unit }

export const traceSchema = 'tcspec.trace/1'

// ---------------------------------------------------------------- header

/** A plane of memory: one CTA's shared or tensor memory, one agent's register storage, or one tensor of global memory. */
export interface Plane {
  readonly space: Space
  /** name of the tensor or of the register storage; the space's own name for smem and tmem */
  readonly name: string
  /** the owning CTA, counted through all resident clusters; absent for gmem */
  readonly cta?: number
  /** owning agent (index into `agents`) of a register plane */
  readonly agent?: number
  readonly bytes: number
  /** an output: every byte must be written by the end (`spans` of it, when the tensor has holes) */
  readonly output?: boolean
  /** written before the launch, so that reading it is never a read of nothing; of an output: that the kernel reads what was there is told */
  readonly initialised: boolean
  /** of an output that is asked about: it is zeros before the launch, and sums may be added to them */
  readonly zeros?: true
  /** of an output: its caller gave what it holds before the launch, and bytes that nothing writes keep it (O1 is a note) */
  readonly given?: true
}

export interface LoggedAgent {
  readonly name: string
  /** counted through all resident clusters */
  readonly cta: number
  readonly warps: number
  /** its first warp in its CTA, where that is known: agents whose warps overlap are one another's parts */
  readonly firstWarp?: number
  /** runs from the start (true) or waits to be forked */
  readonly starts: boolean
}

export interface LoggedBarrier {
  /** storage, index in it: `full[1]` */
  readonly name: string
  readonly cta: number
  readonly contract: Contract
  readonly ordersTensorCore: boolean
  /** the shared-memory plane and bytes of the object */
  readonly plane: number
  readonly address: number
}

/** A tensor parameter: how its elements lie in its plane (strides in elements). */
export interface LoggedTensor {
  readonly name: string
  readonly plane: number
  readonly dtype: Dtype
  readonly shape: ReadonlyArray<number>
  readonly strides: ReadonlyArray<number>
}

/** `library`: the author, but for barriers that are a library's. `lowered`: a compiler, which publishes its barriers. */
export type Fencing = 'author' | 'library' | 'compiler' | 'lowered'

/** Fences that are missing are no author's. */
export const isCompilers = (fences: Fencing | undefined): boolean =>
  fences === 'compiler' || fences === 'lowered'

/** What lowers the program publishes its barriers. */
export const publishesBarriers = (fences: Fencing | undefined): fences is 'lowered' | undefined =>
  fences === undefined || fences === 'lowered'

export interface Header {
  readonly schema: typeof traceSchema
  readonly arch: 'sm90a' | 'sm100a'
  readonly program: string
  readonly agents: ReadonlyArray<LoggedAgent>
  /** CTAs that run together: those of one cluster, or of several */
  readonly ctas: number
  /** clusters that run together, each with as many of the CTAs, in their order; absent: one */
  readonly resident?: number
  /** clusters of the whole grid, if cluster launch control may cancel some of them; absent: those that the log has */
  readonly clusters?: number
  readonly planes: ReadonlyArray<Plane>
  readonly tensors: ReadonlyArray<LoggedTensor>
  /** what the outputs must be, if the program says */
  readonly computes: Spec | null
  readonly barriers: ReadonlyArray<LoggedBarrier>
  readonly sites: ReadonlyArray<Site>
  /** why the control of an agent may depend on timing (a branch on a test, an atomic's return), if it may */
  readonly nondeterminism: ReadonlyArray<string>
  /**
   * who writes the fences that asynchronous units need: the author of the program, each of them, or the compiler that made it from a language that has none; absent:
   * what lowers the program publishes its barriers
   */
  readonly fences?: Fencing
}

// ---------------------------------------------------------------- places

/**
 * How the elements of an access lie in its plane: a layout at a base, or one address an element, with `by` added. A negative one is nowhere, and where
 * there is one nothing is added.
 */
export type Map = { readonly _tag: 'view'; readonly layout: TransformedRef; readonly base: number } | Scatter
export interface Scatter {
  readonly _tag: 'scatter'
  readonly shape: ReadonlyArray<number>
  readonly offsets: Int32Array
  readonly by: number
}

/**
 * Bytes: start, end, start, end ..., ascending, disjoint and not touching, each with `by` added. Boxes of a tensor differ in where they begin,
 * so they share a list; `spansOf` adds.
 */
export interface Spans {
  readonly list: Int32Array
  readonly by: number
}

/**
 * The bytes of one access, interned: equal footprints of one run are one object with one `id`, so that their
 * overlap need be computed once.
 */
export interface Footprint {
  readonly id: number
  readonly plane: number
  readonly spans: Spans
  readonly dtype: Dtype
  readonly map: Map
}

/** Elements at these addresses. */
export const scattered = (shape: ReadonlyArray<number>, addresses: Int32Array): Scatter => ({
  _tag: 'scatter',
  shape,
  offsets: addresses,
  by: 0,
})
/** The address of each element, negative of one that is nowhere. */
export const addressesIn = ({ offsets, by }: Scatter): Int32Array =>
  by === 0 ? offsets : offsets.map((offset) => offset + by)

/** Spans that are not moved. */
export const asSpans = (list: Int32Array): Spans => ({ list, by: 0 })

/** Start, end, start, end ... of the bytes of a footprint. */
export const spansOf = ({ spans: { list, by } }: Footprint): Int32Array =>
  by === 0 ? list : list.map((byte) => byte + by)

/** The first byte, and the end of the last one; 0 of none. */
export const startOf = ({ list, by }: Spans): number => (list.length === 0 ? 0 : list[0]! + by)
export const endOf = ({ list, by }: Spans): number => (list.length === 0 ? 0 : list[list.length - 1]! + by)

/** How many bytes. */
export const bytesIn = ({ list }: Spans): number => {
  let bytes = 0
  for (let i = 0; i < list.length; i += 2) bytes += list[i + 1]! - list[i]!
  return bytes
}

/** Are the elements of a footprint bytes of their own each? They are where its bytes are as many as theirs together. */
export const isApart = ({ map, dtype, spans }: Footprint): boolean => {
  if (map._tag !== 'scatter') return false
  let elements = 0
  for (const offset of map.offsets) if (offset + map.by >= 0) elements++
  return elements * Math.ceil(bitsOf(dtype) / 8) === bytesIn(spans)
}

/** Through which window of the memory system an access goes: by itself, the copy engines, tensor memory, or the reader of tensor maps. */
/** `readOnly`: the path of loads that may find memory as it was before the kernel (`ld.global.nc`). */
export type Proxy = 'generic' | 'async' | 'tensor' | 'tensormap' | 'readOnly'

// ---------------------------------------------------------------- events

export interface Stamp {
  readonly agent: number
  readonly at: number
  readonly site: number
  readonly iteration: ReadonlyArray<number>
  /**
   * Of an agent that is a warp: which of its lanes do it, a bit each. The elements of an access that they make belong to the lanes in turn, equally many to each, unless
   * it is `whole`. Absent: the agent acts as one.
   */
  readonly lanes?: number
  /** the lanes do it as one: every one of them has a part in all of it (ldmatrix, wgmma) */
  readonly whole?: true
}

/** An entry of a tensor queue; the copy of shape 4x256b alone is pipelined behind a shift. */
export type TensorEntry = 'mma' | 'cp' | 'cp.4x256b' | 'shift' | 'commit'

/** The role that an access plays in its operation, for provenance; `map`: it is of a tensor map, an opaque object of 128 bytes; `response`: of an answer of cluster launch control, one of 16. */
export type Role =
  'source' | 'destination' | 'a' | 'b' | 'accumulator' | 'scaleA' | 'scaleB' | 'sparsity' | 'map' | 'response'

/** Where a value that is written came from: a read that gave it this number, a constant zero, or anything else. */
export type Origin =
  | { readonly _tag: 'value'; readonly id: number }
  | { readonly _tag: 'zero' }
  /** `decided`: the site where data decided what the agent does next */
  | { readonly _tag: 'other'; readonly decided?: number }
  /**
   * stretches of bytes, three numbers each: 1 + the number of the value (0: zeros for all inputs; -1: anything else; -2: a constant for all inputs; -3 - n: value n
   * that the agent has computed), the first of its bytes, or of those of a cast of its elements (`casts.ts`), and how many follow one another. `computed`:
   * what the agent has computed since its last event with this member
   */
  | { readonly _tag: 'bytes'; readonly stretches: Stretches; readonly computed?: ReadonlyArray<Computed> }

/** Of bytes that are written, in their order, 1 for each that is the same for all inputs; null: none is. */
export const plainBytes = (o: StoredFrom): Uint8Array | null => {
  if (o._tag !== 'bytes') return null
  const { stretches } = o
  let count = 0
  let some = false
  for (let s = 0; s < stretches.length; s += 3) {
    count += stretches[s + 2]!
    some ||= stretches[s] === 0 || stretches[s] === constant
  }
  if (!some) return null
  const out = new Uint8Array(count)
  let at = 0
  for (let s = 0; s < stretches.length; s += 3) {
    if (stretches[s] === 0 || stretches[s] === constant) out.fill(1, at, at + stretches[s + 2]!)
    at += stretches[s + 2]!
  }
  return out
}
/** In place of a value's number: bytes that are the same for all inputs, and not all zero. */
export const constant = -2

/** The same of what is stored, or what each byte of it has been computed from (`machine/ledger.ts`): in a run that follows terms, and in no trace. */
export type StoredFrom =
  | Origin
  | { readonly _tag: 'terms'; readonly stored: ByteTerms }
  /** by a copy: what has led each of its elements to be copied, a term (0: nothing) */
  | { readonly _tag: 'led'; readonly ways: Float64Array }

/**
 * What bytes have been computed from, element by element: which term, and which byte of it. Term 0: a byte of the program, the same for all inputs, and its value
 * in the place of the number.
 */
export interface ByteTerms {
  readonly terms: Float64Array
  readonly index: Uint8Array
}

export type Combine = ReduceKind | AtomicOp

export interface Access {
  readonly _tag: 'access'
  readonly stamp: Stamp
  /** the operation that makes it; absent for an agent's own synchronous access */
  readonly operation?: number
  readonly rw: 'r' | 'w'
  readonly proxy: Proxy
  readonly footprint: Footprint
  readonly role: Role
  /**
   * each element at once, as `scope` sees it (absent: gpu). An atomic that reads and writes is two accesses, one right after the
   * other. Two of them do not race if each is in the other's scope, they go through one proxy and their elements are equally wide.
   */
  readonly atomic: boolean
  readonly scope?: Scope
  /** how an atomic write combines with the old value; absent: it replaces it */
  readonly combine?: Combine
  /** a read that would find something other than zero in place of elements that are nowhere; absent: zero */
  readonly outside?: 'other'
  /** a read: the number of the value it produced; a write: where its value came from */
  readonly value?: number
  readonly origin?: StoredFrom
  /** of a read: what it finds of what nothing has written comes to nothing; in no trace */
  readonly idle?: true
  /**
   * of an atomic access: it takes over what the releases that it reads have told, at once (a read, or the write of an atomic that joins); absent: what they
   * told is taken over by the next fence of memory
   */
  readonly acquires?: true
  /** of an atomic write: it tells what its agent knows; absent: what its agent knew at its last fence of memory */
  readonly releases?: true
  /** of a write by lanes of which several name one byte: all of these write the same there */
  readonly agrees?: true
  /** of an atomic write that adds: it rounds, whatever its footprint calls the bytes */
  readonly rounds?: true
  /** of an atomic read: the same instruction writes, right away */
  readonly joins?: true
  /** of an atomic read: what it finds may decide what its agent does, where, or what it writes */
  readonly decides?: true
  /** it may decide more than what memory holds, as an address: the site of the first branch that depends on it, or one behind all sites */
  readonly controls?: number
  /** of a read that does: its scalars, of each lane, of which nothing comes but what memory holds; in no trace */
  readonly shows?: ReadonlyArray<number>
  /** of an atomic read: of what it finds the sign is used, by waits that compare it with that of a word, and nothing else */
  readonly signs?: true
  /** of an atomic access: elements that are one scalar, as the two words of one of 64 bits; absent: each is one */
  readonly words?: number
  /** of a strong access: how many writes before the last of its word it takes, or lies under, element by element; -1: one that comes later; absent: it takes the last, or is the last */
  readonly older?: ReadonlyArray<number>
  /** of an atomic write: the words that it finds, and those that it leaves, element by element */
  readonly found?: ReadonlyArray<number>
  readonly left?: ReadonlyArray<number>
}
export interface Issue {
  readonly _tag: 'issue'
  readonly stamp: Stamp
  /** dense in the order of issue */
  readonly operation: number
  readonly unit: Unit
  readonly bytes: number
  readonly macs: number
  /** an mma: whether the old accumulator is added */
  readonly accumulates: boolean
  /** an mma whose sum is not A * B and perhaps D: one factor has the other sign, D is divided by a power of two, or bits are counted; absent: it is */
  readonly altered?: 'negated' | 'divided' | 'counted'
  /** signals that it owes, one per destination CTA of a copy or of a commit (the commits that an mma names are operations of their own); absent: one, or one per CTA of the cluster for a load */
  readonly signals?: number
  /** a tcgen05.mma: products of one agent with the same number (one accumulator, shape and kind) are in order whatever else is */
  readonly pipe?: number
  /** which entry of its agent's tensor queue a `tcgen05` is; absent: an mma */
  readonly tensor?: TensorEntry
  /** how many CTAs a `tcgen05` acts on: 2 for a pair, whose even CTA must issue it; absent: 1 */
  readonly ctaGroup?: 1 | 2
}
/** Comes right before the accesses it makes. */
export interface Perform {
  readonly _tag: 'perform'
  readonly operation: number
  /** a load writes, a store reads and then writes, an mma does both at once; `part` is the destination CTA of a multicast */
  readonly stage: 'read' | 'write' | 'all'
  readonly part: number
}
export type Signal = {
  readonly _tag: 'signal'
  readonly operation: number
  readonly part: number
} & (
  | { readonly to: 'barrier'; readonly barrier: number; readonly bytes: number }
  | { readonly to: 'arrive'; readonly barrier: number }
  | { readonly to: 'group'; readonly family: Family; readonly side: 'read' | 'full' }
)
/** `arrive` may carry bytes (`arriveExpectTx`); `expect` carries bytes alone; `increment` asks the phase for `count` arrivals more. */
export interface BarrierEvent {
  readonly _tag: 'barrier'
  readonly stamp: Stamp
  readonly kind: 'init' | 'inval' | 'expect' | 'arrive' | 'drop' | 'increment'
  readonly barrier: number
  readonly count: number
  readonly bytes: number
  readonly release: boolean
  readonly scope: Scope
  /** the arrive carries tensor-core order */
  readonly tensor: boolean
}
export interface Wait {
  readonly _tag: 'wait'
  readonly stamp: Stamp
  readonly barrier: number
  readonly parity: 0 | 1
  readonly acquire: boolean
  readonly scope: Scope
  readonly tensor: boolean
  readonly outcome: 'passed' | 'blocked' | 'skipped' | 'tested'
  /** of a peek its own program-order index; of a wait that a peek may spare, the peek's: `skipped` if it was true */
  readonly peek?: number
}
/** `commit` closes a group, empty or not; `wait` leaves at most `pending` of the newest open. */
export interface Group {
  readonly _tag: 'group'
  readonly stamp: Stamp
  readonly kind: 'commit' | 'wait'
  readonly family: Family
  readonly pending: number
  readonly read: boolean
  /** a wait that is still blocked at the end of the run */
  readonly blocked: boolean
  /** of a wait: agents whose groups of the same numbers it is for, beside its own; absent: none */
  readonly with?: ReadonlyArray<number>
}
export interface Fence {
  readonly _tag: 'fence'
  readonly stamp: Stamp
  /** `memory` orders all accesses, as far as its scope; `tensormap` releases tensor maps to their readers, `tensormapAcquire` acquires what was released */
  readonly kind:
    | 'memory'
    | 'proxyAsync'
    | 'tensormap'
    | 'tensormapAcquire'
    | 'mbarrierInit'
    | 'wgmma'
    | 'tensorBefore'
    | 'tensorAfter'
  readonly scope: 'cta' | 'cluster' | 'global'
  /** of `memory`: it is in one order with all others that are (fence.sc) */
  readonly sequential?: true
  /** of `memory`: it only takes over what was told, or only tells; absent: both */
  readonly half?: 'acquire' | 'release'
  /** of `tensormapAcquire`: the bytes of the tensor maps that it takes; absent: all */
  readonly footprint?: Footprint
}
/**
 * bar.sync is an arrive and then a leave; the reader pairs them by count (threads). An id from 0 to 15 is a named
 * barrier of the agent's CTA, a larger one a barrier of the whole cluster.
 */
/**
 * A barrier that is `.aligned`, and not all threads of the warp have executed it: some have ended (`ended`); or they have not executed the same instruction
 * of the text (`places`).
 */
export type Loose = 'ended' | 'places'

export interface Rendezvous {
  readonly _tag: 'rendezvous'
  readonly stamp: Stamp
  readonly kind: 'arrive' | 'leave' | 'blocked'
  readonly id: number
  readonly count: number
  readonly threads: number
  /** orders, but publishes (an arrive) or acquires (a leave) nothing */
  readonly relaxed?: boolean
  /** carries tensor-core order without the thread-sync fences */
  readonly tensor?: boolean
  /** an arrive that PTX promises nothing of */
  readonly loose?: Loose
}
/**
 * bar.warp.sync: the lanes of the stamp know from now on what each of them knew and did. It comes before the event of its agent that has the same program-order index,
 * and joins what came before that index. No other agent learns anything by it.
 */
export interface WarpSync {
  readonly _tag: 'warpSync'
  readonly stamp: Stamp
  /** absent: they meet */
  readonly how?: Exclude<Meeting, 'meets'>
  /** of an exchange: the sites of the loads whose values went into it */
  readonly loads?: ReadonlyArray<number>
}
/**
 * `meets`: bar.warp.sync. `arrives`: the lanes come to the barrier of the cluster, and their warp arrives there, for them too, with the last of its lanes. `exchanges`: a
 * shuffle, a vote or a match of the lanes, which orders no memory; but what a lane gives to it that lane has, so the loads that it comes from are over, and so are the waits before it.
 */
export type Meeting = 'meets' | 'arrives' | 'exchanges'
/** A comparison of words, as PTX names it: `lo ls hi hs` are of unsigned ones; `os ss`, which PTX has no name for, of their highest bits: the other, the same; `sc nc` of bits in common: some, none. */
export type Comparison =
  'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge' | 'lo' | 'ls' | 'hi' | 'hs' | 'os' | 'ss' | 'sc' | 'nc'
/**
 * A semaphore: 32 bits of memory (`footprint`) that held `before`. A signal adds `value`, atomically and as a release at `scope`; a wait has
 * found at least `value` there (and, with `decrement`, taken it away), as an acquire, or is still blocked at the end of the run.
 */
export interface SemaphoreEvent {
  readonly _tag: 'semaphore'
  readonly stamp: Stamp
  readonly kind: 'signal' | 'wait'
  readonly footprint: Footprint
  readonly value: number
  readonly decrement: boolean
  readonly scope: Scope
  readonly before: number
  readonly outcome: 'passed' | 'blocked'
  /**
   * of a wait: it reads the word, whatever is written there and however, until it compares so with `value`; absent: until it is at least that, and what is
   * added comes of signals alone
   */
  readonly until?: Comparison
  /** of a wait with `until`: it acquires nothing by itself, the next fence of memory does */
  readonly relaxed?: true
  /** of a wait with `until`: nothing comes of the word but that the wait is over */
  readonly unheeded?: true
}
/**
 * The threads of the agent have `count` registers from now on, which takes `needs` words of the `free` ones of the CTA (gives some back, if negative);
 * `blocked`: they wait for them at the end of the run.
 */
export interface RegistersEvent {
  readonly _tag: 'registers'
  readonly stamp: Stamp
  readonly count: number
  readonly needs: number
  readonly free: number
  readonly blocked: boolean
}
/** `fork`: the parent's branches start. `join`: it has seen them all end. */
export interface ForkEvent {
  readonly _tag: 'fork' | 'join'
  readonly stamp: Stamp
  readonly children: ReadonlyArray<number>
}
/** tcgen05.alloc: the columns are there for every event that is ordered after it, and hold nothing. */
export interface Alloc {
  readonly _tag: 'alloc'
  readonly stamp: Stamp
  readonly footprint: Footprint
  /** 2: this CTA's part of an allocation by a pair; absent: 1 */
  readonly ctaGroup?: 1 | 2
}
/** tcgen05.dealloc: the columns are gone. */
export interface Dealloc {
  readonly _tag: 'dealloc'
  readonly stamp: Stamp
  readonly footprint: Footprint
  readonly ctaGroup?: 1 | 2
}
/** tcgen05.relinquish_alloc_permit: the CTA allocates no more. */
export interface Relinquish {
  readonly _tag: 'relinquish'
  readonly stamp: Stamp
}
export interface Exit {
  readonly _tag: 'exit'
  readonly agent: number
  /** the site where data first decided what the agent did: other data, and it may have done anything; absent: it is not known that any has */
  readonly decided?: number
}
/**
 * The next clusters begin, as many as run together: nothing of those before is ordered with them but by the launch. `id` is the first of them
 * in the grid.
 */
export interface ClusterEvent {
  readonly _tag: 'cluster'
  readonly id: number
}

/**
 * Has not happened: agent `behind` is blocked for ever, and behind its wait stands `stamp`, which would supply what agent `helps` waits for.
 * Comes after the waits that are blocked.
 */
export interface Ahead {
  readonly _tag: 'ahead'
  readonly stamp: Stamp
  readonly behind: number
  readonly helps: number
}

export type LogEvent =
  | Access
  | Issue
  | Perform
  | Signal
  | BarrierEvent
  | Wait
  | Group
  | Fence
  | Rendezvous
  | WarpSync
  | SemaphoreEvent
  | RegistersEvent
  | ForkEvent
  | Alloc
  | Dealloc
  | Relinquish
  | Exit
  | ClusterEvent
  | Ahead

/** The cluster of a CTA among those that run together. */
export const clusterOf = (header: Header, cta: number): number =>
  Math.floor((cta * (header.resident ?? 1)) / header.ctas)

/** Is every cluster one CTA? */
export const isOfSingles = ({ ctas, resident }: Header): boolean => ctas === (resident ?? 1)

/** An online fold over a log. The state is the fold's own: it may be updated in place, so use each state once. */
export interface Fold<S, R> {
  readonly init: (header: Header) => S
  readonly observe: (state: S, event: LogEvent) => S
  /** `observe` of each in order; given by what hands events on to others, each of which reads best on its own */
  readonly observeAll?: (state: S, events: ReadonlyArray<LogEvent>) => S
  readonly finish: (state: S) => R
  /** what a log shows that stops before its run has ended: of that end it says nothing; `finish`, if it is not given */
  readonly stopped?: (state: S) => R
  /** it can hear no more: its caller stops, and says so; never, if it is not given */
  readonly exhausted?: (state: S) => boolean
}

/** What a fold has found, of a log that is whole or was stopped. */
export const conclusion = <S, R>(fold: Fold<S, R>, state: S, whole: boolean): R =>
  whole || fold.stopped === undefined ? fold.finish(state) : fold.stopped(state)

/** A stretch of the log. */
export const observeAll = <S, R>(fold: Fold<S, R>, before: S, events: ReadonlyArray<LogEvent>): S => {
  if (fold.observeAll !== undefined) return fold.observeAll(before, events)
  let state = before
  for (let i = 0; i < events.length; i++) state = fold.observe(state, events[i]!)
  return state
}
