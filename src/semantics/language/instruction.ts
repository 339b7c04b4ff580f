/**
 * Instructions: the only statements with an effect.
 *
 * PTX-shaped. Each record names its operands with their indices, so that a TMEM view given to a TMA copy or a
 * B operand in registers is a type error; `signature.ts` says the same at run time, once for decoding,
 * validation, linking and printing. What an instruction *does* stands beside its family under `instructions/`.
 *
 * Conventions: `count` of an arrive is logical, one per agent. `scope` is how far a release or acquire reaches.
 * A group wait names how many of the newest groups may still be open (`pending`). A `View` operand is the
 * whole footprint of the access.
 *
 * Source: PTX ISA 9, sections on mbarrier, cp.async, cp.async.bulk(.tensor), wgmma, tcgen05, proxies.
 */
import type { CopyShape } from '../../layouts/tensor-memory/copy-shape.js'
import type { Dtype } from '../../numerics/dtype.js'
import type { Barrier, Condition, Descriptor, Expr, Int, Ptr, Tile, View } from './expression.js'
import type { Contract, PtrIndex, ScalarName } from './types.js'

export type Scope = 'cta' | 'cluster' | 'gpu' | 'sys'
/** Any single barrier. */
export type AnyBarrier = Barrier<Contract, boolean>
/** A barrier whose arrives and waits carry tensor-core order: what an MMA or a commit may signal. */
export type TensorBarrier = Barrier<Contract, true>
export type AnyTile = Tile<ScalarName>
/** What a tensor core sums up in. */
export type AccumulatorDtype = 'f32' | 'f16' | 'i32'

// ---------------------------------------------------------------- mbarrier

export interface MbarrierInit {
  readonly _tag: 'mbarrier.init'
  readonly barrier: AnyBarrier
  readonly count: number
}
export interface MbarrierInval {
  readonly _tag: 'mbarrier.inval'
  readonly barrier: AnyBarrier
}
export interface MbarrierArrive {
  readonly _tag: 'mbarrier.arrive'
  readonly barrier: AnyBarrier
  readonly count: number
  readonly release: boolean
  readonly scope: Scope
}
export interface MbarrierExpectTx {
  readonly _tag: 'mbarrier.expectTx'
  readonly barrier: AnyBarrier
  readonly bytes: Int
}
export interface MbarrierArriveExpectTx {
  readonly _tag: 'mbarrier.arriveExpectTx'
  readonly barrier: AnyBarrier
  readonly bytes: Int
  readonly release: boolean
  readonly scope: Scope
}
export interface MbarrierArriveDrop {
  readonly _tag: 'mbarrier.arriveDrop'
  readonly barrier: AnyBarrier
  readonly count: number
  readonly release: boolean
  readonly scope: Scope
}
/** Blocks while the barrier's current phase has parity `parity`. */
export interface MbarrierWait {
  readonly _tag: 'mbarrier.wait'
  readonly barrier: AnyBarrier
  readonly parity: Int
  readonly acquire: boolean
  readonly scope: Scope
}
/** Does not block; the result says whether the wait would have passed. */
export interface MbarrierTest {
  readonly _tag: 'mbarrier.test'
  readonly barrier: AnyBarrier
  readonly parity: Int
  readonly acquire: boolean
  readonly scope: Scope
}
/** An arrive that happens once all earlier `cp.async` of this agent are done. */
export interface MbarrierCpAsyncArrive {
  readonly _tag: 'mbarrier.cpAsyncArrive'
  readonly barrier: AnyBarrier
  readonly noIncrement: boolean
}

// ---------------------------------------------------------------- rendezvous

/** `count` in threads, as in PTX; an agent of w warps contributes 32 w. Pairing is by count, not by members. */
export interface BarSync {
  readonly _tag: 'bar.sync'
  readonly id: number
  readonly count: number
}
export interface BarArrive {
  readonly _tag: 'bar.arrive'
  readonly id: number
  readonly count: number
}
export interface ClusterArrive {
  readonly _tag: 'cluster.arrive'
  readonly relaxed: boolean
}
export interface ClusterWait {
  readonly _tag: 'cluster.wait'
}

// ---------------------------------------------------------------- TMA

export type ReduceKind = 'add' | 'min' | 'max' | 'inc' | 'dec' | 'and' | 'or' | 'xor'
/** `multicast` is a mask of CTA ranks. Signals `bytes of the box` on the barrier of every destination CTA. */
export interface TmaLoad {
  readonly _tag: 'tma.load'
  readonly descriptor: Descriptor
  readonly coords: ReadonlyArray<Int>
  readonly destination: View<'smem'>
  readonly barrier: AnyBarrier
  readonly multicast?: Int
  readonly ctaGroup: 1 | 2
}
/** Four rows `rows` of a rank-2 tensor a message, from column `column`. */
export interface TmaGather {
  readonly _tag: 'tma.gather'
  readonly descriptor: Descriptor
  readonly rows: Tile<'i32', 1>
  readonly column: Int
  readonly destination: View<'smem'>
  readonly barrier: AnyBarrier
  readonly multicast?: Int
  readonly ctaGroup: 1 | 2
}
export interface TmaStore {
  readonly _tag: 'tma.store'
  readonly descriptor: Descriptor
  readonly coords: ReadonlyArray<Int>
  readonly source: View<'smem'>
}
export interface TmaScatter {
  readonly _tag: 'tma.scatter'
  readonly descriptor: Descriptor
  readonly rows: Tile<'i32', 1>
  readonly column: Int
  readonly source: View<'smem'>
}
export interface TmaReduce {
  readonly _tag: 'tma.reduce'
  readonly kind: ReduceKind
  readonly descriptor: Descriptor
  readonly coords: ReadonlyArray<Int>
  readonly source: View<'smem'>
}
export interface TmaPrefetch {
  readonly _tag: 'tma.prefetch'
  readonly descriptor: Descriptor
  readonly coords: ReadonlyArray<Int>
}
export interface BulkCommitGroup {
  readonly _tag: 'bulk.commitGroup'
}
/** `read`: only the reads of the source need to be done. */
export interface BulkWaitGroup {
  readonly _tag: 'bulk.waitGroup'
  readonly pending: number
  readonly read: boolean
}
/** Writes a descriptor of `tensor` (dims and strides in elements, innermost last) into 128 bytes of memory. */
export interface TensormapCreate {
  readonly _tag: 'tensormap.create'
  readonly at: Ptr
  readonly tensor: Ptr
  readonly dims: ReadonlyArray<Int>
  readonly strides: ReadonlyArray<Expr<'i64'>>
  readonly box: ReadonlyArray<number>
  readonly dtype: Dtype
  readonly swizzle: 16 | 32 | 64 | 128
  readonly fill: 'zero' | 'nan'
}
/** Makes a descriptor in memory usable; the result is the descriptor. */
export interface TensormapAcquire {
  readonly _tag: 'tensormap.acquire'
  readonly at: Ptr
  readonly dtype: Dtype
  readonly rank: number
}

// ---------------------------------------------------------------- generic accesses

export type AtomicOp = 'add' | 'min' | 'max' | 'and' | 'or' | 'xor' | 'exchange' | 'cas'
export interface SmemLoad {
  readonly _tag: 'smem.load'
  readonly source: View<'smem'>
}
export interface SmemStore {
  readonly _tag: 'smem.store'
  readonly destination: View<'smem'>
  readonly value: AnyTile
}
export interface GmemLoad {
  readonly _tag: 'gmem.load'
  readonly source: View<'gmem'>
}
export interface GmemStore {
  readonly _tag: 'gmem.store'
  readonly destination: View<'gmem'>
  readonly value: AnyTile
}
/** Loads through a tile of pointers; where `mask` is false the element is `other` (zero without one). */
export interface GmemLoadPtr {
  readonly _tag: 'gmem.loadPtr'
  readonly source: Tile<PtrIndex>
  readonly mask?: Tile<'i1'>
  readonly other?: AnyTile
}
export interface GmemStorePtr {
  readonly _tag: 'gmem.storePtr'
  readonly destination: Tile<PtrIndex>
  readonly value: AnyTile
  readonly mask?: Tile<'i1'>
}
export interface SmemAtomic {
  readonly _tag: 'smem.atomic'
  readonly op: AtomicOp
  readonly destination: View<'smem'>
  readonly value: AnyTile
  readonly compare?: AnyTile
  readonly scope: Scope
}
export interface GmemAtomicPtr {
  readonly _tag: 'gmem.atomicPtr'
  readonly op: AtomicOp
  readonly destination: Tile<PtrIndex>
  readonly value: AnyTile
  readonly compare?: AnyTile
  readonly mask?: Tile<'i1'>
  readonly scope: Scope
}
export interface RegsRead {
  readonly _tag: 'regs.read'
  readonly source: View<'regs'>
}
export interface RegsWrite {
  readonly _tag: 'regs.write'
  readonly destination: View<'regs'>
  readonly value: AnyTile
}

// ---------------------------------------------------------------- cp.async, st.async

/** Where `mask` is false the destination is filled with zero. */
export interface CpAsyncCopy {
  readonly _tag: 'cpAsync.copy'
  readonly source: Tile<PtrIndex>
  readonly mask?: Tile<'i1'>
  readonly destination: View<'smem'>
}
export interface CpAsyncCommitGroup {
  readonly _tag: 'cpAsync.commitGroup'
}
export interface CpAsyncWaitGroup {
  readonly _tag: 'cpAsync.waitGroup'
  readonly pending: number
}
export interface StAsync {
  readonly _tag: 'stAsync.store'
  readonly destination: View<'smem'>
  readonly value: AnyTile
  readonly barrier: AnyBarrier
}

// ---------------------------------------------------------------- fences

/** Makes this agent's generic accesses visible to the async proxy: of its own shared memory, of the cluster's, or of global memory. */
export interface FenceProxyAsync {
  readonly _tag: 'fence.proxyAsync'
  readonly scope: 'cta' | 'cluster' | 'global'
}
export interface FenceTensormap {
  readonly _tag: 'fence.tensormap'
  readonly at: Ptr
}
export interface FenceMbarrierInit {
  readonly _tag: 'fence.mbarrierInit'
}

// ---------------------------------------------------------------- wgmma

/** Orders the warpgroup's register accesses before the wgmma that follow. */
export interface WgmmaFence {
  readonly _tag: 'wgmma.fence'
}
/**
 * accumulator (m x n) = accumulator * scaleD + A (m x k) * B (k x n): the instructions of 64 rows and one k block
 * each, issued together, k innermost. A may be in registers; B may not.
 */
export interface WgmmaMma {
  readonly _tag: 'wgmma.mma'
  readonly accumulator: View<'regs', AccumulatorDtype, 2>
  readonly a: View<'smem' | 'regs', Dtype, 2>
  readonly b: View<'smem', Dtype, 2>
  readonly scaleD: Condition
  readonly negateA: boolean
  readonly negateB: boolean
  /** of integers: a sum beyond 32 bits is the nearest number there is; without it, it wraps */
  readonly saturate?: boolean
}
export interface WgmmaCommitGroup {
  readonly _tag: 'wgmma.commitGroup'
}
export interface WgmmaWaitGroup {
  readonly _tag: 'wgmma.waitGroup'
  readonly pending: number
}

// ---------------------------------------------------------------- tcgen05

/** `columns`: a power of two from 32 to 512. The TMEM storages of the program live inside the allocation. */
export interface Tcgen05Alloc {
  readonly _tag: 'tcgen05.alloc'
  readonly columns: number
  readonly ctaGroup: 1 | 2
}
export interface Tcgen05Dealloc {
  readonly _tag: 'tcgen05.dealloc'
  readonly columns: number
  readonly ctaGroup: 1 | 2
}
export interface Tcgen05Relinquish {
  readonly _tag: 'tcgen05.relinquish'
  readonly ctaGroup: 1 | 2
}
/** One arrival when the MMA completes, unless its predicate is false. */
export interface Completion {
  readonly barrier: TensorBarrier
  readonly when: Condition
  readonly multicast?: Int
}
export interface Tcgen05Mma {
  readonly _tag: 'tcgen05.mma'
  readonly accumulator: View<'tmem', AccumulatorDtype, 2>
  readonly a: View<'smem' | 'tmem', Dtype, 2>
  readonly b: View<'smem', Dtype, 2>
  readonly accumulate: Condition
  readonly ctaGroup: 1 | 2
  readonly scaleA?: View<'tmem'>
  readonly scaleB?: View<'tmem'>
  readonly sparsity?: View<'tmem'>
  /** as of wgmma.mma */
  readonly saturate?: boolean
  readonly completions: ReadonlyArray<Completion>
}
export interface Tcgen05Commit {
  readonly _tag: 'tcgen05.commit'
  readonly barrier: TensorBarrier
  readonly multicast?: Int
  readonly ctaGroup: 1 | 2
}
/** Rows of shared memory to lanes of tensor memory; the shape says to which. */
export interface Tcgen05Cp {
  readonly _tag: 'tcgen05.cp'
  readonly source: View<'smem'>
  readonly destination: View<'tmem'>
  readonly shape: CopyShape
  readonly ctaGroup: 1 | 2
}
/** Rows of 32 bytes, each to the next lane. */
export interface Tcgen05Shift {
  readonly _tag: 'tcgen05.shift'
  readonly destination: View<'tmem'>
  readonly ctaGroup: 1 | 2
}
/** Asynchronous: the registers hold the data after `tcgen05.waitLd`. */
export interface Tcgen05Ld {
  readonly _tag: 'tcgen05.ld'
  readonly source: View<'tmem'>
  readonly destination: View<'regs'>
}
export interface Tcgen05St {
  readonly _tag: 'tcgen05.st'
  readonly destination: View<'tmem'>
  readonly value: AnyTile
}
export interface Tcgen05WaitLd {
  readonly _tag: 'tcgen05.waitLd'
}
/**
 * The registers of the loads so far hold the data. It says nothing of the columns: those may still be read, until `tcgen05.waitLd`. No instruction
 * of PTX: it is what the compiler does when the result of a load is used, where a language says that it may be used at once.
 */
export interface Tcgen05UseLd {
  readonly _tag: 'tcgen05.useLd'
}
export interface Tcgen05WaitSt {
  readonly _tag: 'tcgen05.waitSt'
}
export interface Tcgen05FenceBefore {
  readonly _tag: 'tcgen05.fenceBefore'
}
export interface Tcgen05FenceAfter {
  readonly _tag: 'tcgen05.fenceAfter'
}

// ---------------------------------------------------------------- the rest

export interface SemaphoreSignal {
  readonly _tag: 'semaphore.signal'
  readonly at: Ptr
  readonly value: Int
  readonly scope: Scope
}
export interface SemaphoreWait {
  readonly _tag: 'semaphore.wait'
  readonly at: Ptr
  readonly value: Int
  readonly decrement: boolean
  readonly scope: Scope
}
export interface ClcTryCancel {
  readonly _tag: 'clc.tryCancel'
  readonly response: View<'smem'>
  readonly barrier: AnyBarrier
  readonly multicast: boolean
}
/** Results: `i1` granted, then the three coordinates of the cancelled cluster. */
export interface ClcQuery {
  readonly _tag: 'clc.query'
  readonly response: View<'smem'>
}
/** Result: `i1`, true for the one thread that speaks for the agent. */
export interface Elect {
  readonly _tag: 'elect'
}
export interface SetMaxRegisters {
  readonly _tag: 'setMaxRegisters'
  readonly count: number
  readonly action: 'increase' | 'decrease'
}
export interface Trap {
  readonly _tag: 'trap'
}

export type Instruction =
  | MbarrierInit
  | MbarrierInval
  | MbarrierArrive
  | MbarrierExpectTx
  | MbarrierArriveExpectTx
  | MbarrierArriveDrop
  | MbarrierWait
  | MbarrierTest
  | MbarrierCpAsyncArrive
  | BarSync
  | BarArrive
  | ClusterArrive
  | ClusterWait
  | TmaLoad
  | TmaGather
  | TmaStore
  | TmaScatter
  | TmaReduce
  | TmaPrefetch
  | BulkCommitGroup
  | BulkWaitGroup
  | TensormapCreate
  | TensormapAcquire
  | SmemLoad
  | SmemStore
  | GmemLoad
  | GmemStore
  | GmemLoadPtr
  | GmemStorePtr
  | SmemAtomic
  | GmemAtomicPtr
  | RegsRead
  | RegsWrite
  | CpAsyncCopy
  | CpAsyncCommitGroup
  | CpAsyncWaitGroup
  | StAsync
  | FenceProxyAsync
  | FenceTensormap
  | FenceMbarrierInit
  | WgmmaFence
  | WgmmaMma
  | WgmmaCommitGroup
  | WgmmaWaitGroup
  | Tcgen05Alloc
  | Tcgen05Dealloc
  | Tcgen05Relinquish
  | Tcgen05Mma
  | Tcgen05Commit
  | Tcgen05Cp
  | Tcgen05Shift
  | Tcgen05Ld
  | Tcgen05St
  | Tcgen05WaitLd
  | Tcgen05UseLd
  | Tcgen05WaitSt
  | Tcgen05FenceBefore
  | Tcgen05FenceAfter
  | SemaphoreSignal
  | SemaphoreWait
  | ClcTryCancel
  | ClcQuery
  | Elect
  | SetMaxRegisters
  | Trap

export type InstructionName = Instruction['_tag']
export type InstructionOf<K extends InstructionName> = Extract<Instruction, { readonly _tag: K }>
