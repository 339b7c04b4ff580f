/**
 * The SMEM of other blocks of the cluster: refs to it, and stores into it that a barrier there hears of.
 *
 * A cluster ref is the same ref in another block: it can be loaded from and stored to. `async_store_smem` stores registers into a
 * peer's SMEM without waiting. It arrives on the peer's barrier, which expects the bytes; the agent that waits for it there sees them:
 *
 *     block 0: async_store_smem(x, buf, full, cluster_idx=1, cluster_dim="c")     arriveExpectTx full of 1, 512 bytes     st.async
 *     block 1: barrier_wait(full); buf[...]
 *
 * | rule                                             | else                        |
 * |--------------------------------------------------|-----------------------------|
 * | the array has the shape and dtype of the ref     | pallas.async-store          |
 * | a multiple of 128 bytes                          | pallas.async-store.bytes    |
 * | elements of 32 or 64 bits                        | pallas.async-store.element  |
 * | `atomic`: integers of 32 bits                    | pallas.async-store.atomic   |
 *
 * A block whose SMEM others reach must not end before they are done with it, and must have started: the cluster meets.
 *
 * Law 1. An async store is a plain store into the cluster ref, for the agent that waited; one with `atomic` joins what is there, as if alone.
 *
 * Names: `plgpu.cluster_ref(ref, {axis: idx})`, `plgpu.async_store_smem(arr, ref, barrier, cluster_idx, cluster_dim)`.
 *
 * Source: JAX docs, Pallas:MGPU reference; PTX ISA, st.async, red.async, mapa.
 */
import { bitsOf, type Dtype } from '../../../numerics/dtype.js'
import { block, run, typeHere, type Build } from '../../../semantics/writing/builder.js'
import { i32, remote, type Condition, type Int, type View } from '../../../semantics/language/expression.js'
import type { AnyTile } from '../../../semantics/language/instruction.js'
import { elementOf } from '../../../semantics/language/signature.js'
import { showType } from '../../../semantics/language/typecheck.js'
import { sameShape, showShape, sizeOf } from '../../../transforms/shape.js'
import { barrierSlot, type Barrier, type BarrierIndex } from '../barrier.js'
import { refused } from '../codes.js'
import { onceInThread } from '../core-map.js'
import { peerRank, type ClusterAxis } from './cluster.js'
import { orRefused, smemRef } from './map.js'
import { checkOptimized } from './optimized.js'

/** `cluster_ref(ref, {axis: idx})`: the ref in the block with these indices, and this block's own along the other axes. */
export const clusterRef = <D extends Dtype, R extends number>(
  label: string,
  ref: View<'smem', D, R>,
  at: Readonly<Record<string, Int>>,
): Build<View<'smem', D, R>> =>
  block(function* () {
    yield* smemRef(label, ref)
    return remote(ref, yield* peerRank(label, Object.entries(at)))
  })

export const asyncReductions = ['add', 'max', 'min', 'and', 'or', 'xor'] as const
export type AsyncReduction = (typeof asyncReductions)[number]

export interface AsyncStoreOptions {
  readonly clusterDim: ClusterAxis
  readonly clusterIdx: Int
  /** refuse a store that takes more passes than necessary (default true) */
  readonly optimized?: boolean
  /** how an element combines with the old one; absent: it replaces it */
  readonly atomic?: AsyncReduction
  readonly when?: Condition | undefined
}

/** `async_store_smem(arr, ref, barrier, cluster_idx, cluster_dim)`: one arrival on the peer's barrier, and the bytes of the array. */
export const asyncStoreSmem = (
  label: string,
  value: AnyTile,
  ref: View<'smem'>,
  barrier: Barrier,
  index: BarrierIndex,
  options: AsyncStoreOptions,
): Build<void> =>
  block(function* () {
    const into = yield* smemRef(label, ref)
    const type = yield* typeHere(value)
    if (type._tag !== 'tile' || !sameShape(type.shape, into.layout.shape))
      return yield* refused(
        'pallas.async-store',
        `${label}: Expected an array of shape ${showShape(into.layout.shape)} for ${into.name}, found ${type._tag === 'tile' ? showShape(type.shape) : showType(type)}`,
      )
    if (type.element._tag !== 'scalar' || type.element.dtype !== elementOf(into.dtype).dtype)
      return yield* refused(
        'pallas.async-store',
        `${label}: Expected an array of ${into.dtype} for ${into.name}, found ${showType(type)}`,
      )
    const { atomic } = options
    if (atomic !== undefined && into.dtype !== 'i32' && into.dtype !== 'u32')
      return yield* refused(
        'pallas.async-store.atomic',
        `${label}: atomic=${atomic} of ${into.name}: expected i32 or u32, found ${into.dtype}`,
      )
    const bits = bitsOf(into.dtype)
    const bytes = (sizeOf(into.layout.shape) * bits) / 8
    if (bytes % 128 !== 0)
      return yield* refused(
        'pallas.async-store.bytes',
        `${label}: ${into.name} has ${String(bytes)} bytes: only multiples of 128 bytes are supported`,
      )
    if (bits !== 32 && bits !== 64)
      return yield* refused(
        'pallas.async-store.element',
        `${label}: only elements of 32 or 64 bits are stored asynchronously, found ${into.dtype} of ${into.name}`,
      )
    if (options.optimized !== false) yield* orRefused(checkOptimized(label, 'store', type.layout, into))
    const rank = yield* peerRank(label, [[options.clusterDim, options.clusterIdx]])
    const on = remote(yield* barrierSlot(label, barrier, index), rank)
    const once = yield* onceInThread(label, options.when)
    const guard = once === null ? {} : { when: once }
    yield* run(
      `${label}.expect`,
      { _tag: 'mbarrier.arriveExpectTx', barrier: on, bytes: i32(bytes), release: true, scope: 'cluster' },
      guard,
    )
    const there = { destination: remote(ref, rank), value, barrier: on }
    yield* atomic === undefined
      ? run(label, { _tag: 'stAsync.store', ...there }, guard)
      : run(label, { _tag: 'stAsync.reduce', kind: atomic, ...there }, guard)
  })
