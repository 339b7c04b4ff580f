/**
 * Cluster launch control: a cluster takes over the work of one that has not been launched.
 *
 * All threads of a block ask together, and each arrives on the barrier; the first thread expects the answer, and that of the first block of
 * the cluster sends the request for all. The answer is 16 bytes of shared memory in every block, and all read the same.
 *
 *     thread 0     mbarrier.arriveExpectTx 16     clc.tryCancel (block 0 only; to all blocks of a cluster)
 *     thread 1     mbarrier.arrive
 *     all          barrier_wait, then query_cluster_cancel: success, and the cluster's place along each axis of the grid
 *
 * Who asks is what `collective_axes` says (without it: all ask as one): the first along each axis that is named, and everyone along the others. So an axis
 * that is forgotten is a request for each of its places, every one of which is answered to all blocks of the cluster.
 *
 * Without success the places are undefined: to use one is a fault.
 *
 * Laws
 * 1. The places of a cluster that was cancelled are those it would have had if it had been launched.
 *
 * Names: `plgpu.TryClusterCancelResult`, `plgpu.try_cluster_cancel(result, barrier)`, `plgpu.query_cluster_cancel(result, grid_names)`.
 *
 * Source: PTX ISA, clusterlaunchcontrol; JAX docs, Pallas:MGPU reference.
 */
import { bitsOf } from '../../numerics/dtype.js'
import { block, clcQuery, run, sharedMemory, typeHere, type Build } from '../../semantics/writing/builder.js'
import {
  and,
  eq,
  i32,
  place,
  quo,
  type Condition,
  type Int,
  type View,
} from '../../semantics/language/expression.js'
import { showType } from '../../semantics/language/typecheck.js'
import { sizeOf } from '../../transforms/shape.js'
import { barrierSlot, type Barrier, type BarrierIndex } from './barrier.js'
import { refused } from './codes.js'
import { axisHere, clusterSize, contextHere, threadHere, type Context } from './context.js'
import { coordinate, type Axis } from './mesh.js'

/** Bytes of an answer. */
const answer = 16

/** `plgpu.TryClusterCancelResult()`: shared memory for an answer. */
export const TryClusterCancelResult = (name: string): Build<View<'smem', 'i8', 1>> =>
  sharedMemory(name, 'i8', [answer], [], { align: 128 })

/** `plgpu.TryClusterCancelResult(n)`: for n answers. */
export const TryClusterCancelResults = (name: string, n: number): Build<View<'smem', 'i8', 2>> =>
  sharedMemory(name, 'i8', [n, answer], [], { align: 128 })

const oneAnswer = (label: string, result: View<'smem'>): Build<void> =>
  block(function* () {
    const type = yield* typeHere(result)
    const bits =
      type._tag === 'view' && type.space === 'smem' ? sizeOf(type.layout.shape) * bitsOf(type.dtype) : 0
    if (bits !== 8 * answer)
      return yield* refused(
        'pallas.cluster-cancel.result',
        `${label}: expected a result of ${String(8 * answer)} bits in SMEM, found ${showType(type)}`,
      )
  })

export interface ClusterCancelOptions {
  /** axes of the threads and of the cluster along which the first asks for all (default: all of them) */
  readonly collectiveAxes?: ReadonlyArray<string>
}

/** Axes along which there are several that may ask. */
const askers = (here: Context): ReadonlyArray<Axis> =>
  here.axes.filter((a) => (a.of === 'threads' || a.of === 'cluster') && a.size > 1)

/** `try_cluster_cancel(result, barrier)`, by every thread of the block. */
export const tryClusterCancel = (
  label: string,
  result: View<'smem'>,
  barrier: Barrier,
  index: BarrierIndex,
  { collectiveAxes }: ClusterCancelOptions = {},
): Build<void> =>
  block(function* () {
    const thread = yield* threadHere(label)
    const here = yield* contextHere
    for (const name of collectiveAxes ?? []) {
      const axis = yield* axisHere(label, name)
      if (axis.of !== 'threads' && axis.of !== 'cluster')
        return yield* refused(
          'pallas.cluster-cancel.axis',
          `${label}: ${name} is an axis of the ${axis.of}: expected axes of the threads or of the cluster`,
        )
    }
    const apart = askers(here).filter((a) => collectiveAxes?.includes(a.name) === false)
    const firstThread = thread.index === 0 || apart.some((a) => a.of === 'threads')
    if (here.warp !== null)
      return yield* refused(
        'pallas.cluster-cancel.warp',
        `${label}: warp ${String(here.warp)} asks alone: expected all threads of the block`,
      )
    yield* oneAnswer(label, result)
    if (barrier.count !== here.numThreads)
      return yield* refused(
        'pallas.cluster-cancel.arrivals',
        `${label}: ${barrier.name} is completed by ${String(barrier.count)} arrivals: expected ${String(here.numThreads)}, one of each thread of the block`,
      )
    const on = yield* barrierSlot(label, barrier, index)
    if (!firstThread) {
      yield* run(label, { _tag: 'mbarrier.arrive', barrier: on, count: 1, release: true, scope: 'cta' })
      return
    }
    const many = clusterSize(here) > 1
    // of the blocks that differ along axes that are named, the first; of all, the first of the cluster
    const alone = apart.filter((a) => a.of === 'cluster')
    const named = askers(here).filter((a) => a.of === 'cluster' && !alone.includes(a))
    const first: Condition | null =
      alone.length === 0
        ? many
          ? eq(place('ctaRank'), i32(0))
          : null
        : named
            .map((a) => eq(a.index, i32(0)))
            .reduce<Condition | null>((x, y) => (x === null ? y : and(x, y)), null)
    yield* run(`${label}.expect`, {
      _tag: 'mbarrier.arriveExpectTx',
      barrier: on,
      bytes: i32(answer),
      release: true,
      scope: 'cta',
    })
    yield* run(
      label,
      { _tag: 'clc.tryCancel', response: result, barrier: on, multicast: many },
      first === null ? {} : { when: first },
    )
  })

/** `query_cluster_cancel(result, grid_names)`: success, and the place along each of the axes. */
export const queryClusterCancel = (
  label: string,
  result: View<'smem'>,
  gridNames: ReadonlyArray<string>,
): Build<{ readonly success: Condition; readonly indices: ReadonlyArray<Int> }> =>
  block(function* () {
    const here = yield* contextHere
    yield* oneAnswer(label, result)
    const axes: Axis[] = []
    for (const name of gridNames) {
      const axis = yield* axisHere(label, name)
      if (axis.of !== 'grid')
        return yield* refused(
          'pallas.cluster-cancel.axis',
          `${label}: ${name} is an axis of the ${axis.of}: expected axes of the grid`,
        )
      axes.push(axis)
    }
    const [success, ...first] = yield* clcQuery(label, result)
    const grid = here.axes.filter((a) => a.of === 'grid').map((a) => a.size)
    const flat = here.cluster.length > 0 || grid.length > 3
    const size = clusterSize(here)
    const cluster = size === 1 ? first[0] : quo(first[0], i32(size))
    return {
      success,
      indices: axes.map((a) => (flat ? coordinate(grid, a.position, cluster) : first[a.position]!)),
    }
  })
