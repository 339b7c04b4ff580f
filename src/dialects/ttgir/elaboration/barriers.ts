/**
 * `ttng`: mbarriers, fences, and the barriers of a partition and of a cluster.
 *
 * Source: Triton 3.6, dialect ttng.
 */
import * as T from '../../ttng/index.js'
import { type Row, type Rows } from './here.js'
import { flag, number, operand, operands, options, when } from './operands.js'

/** All threads of a partition meet. */
const meeting: Row = function* (h, _, label) {
  yield* T.partitionSync(label, h.from)
  return []
}

export const barrierRows: Rows = {
  'ttng.init_barrier': function* (h, op, label) {
    yield* T.initBarrier(label, yield* operand(h, op, 'alloc'), yield* number(op, 'count'), options(h))
    return []
  },
  'ttng.inval_barrier': function* (h, op, label) {
    yield* T.invalBarrier(label, yield* operand(h, op, 'alloc'), options(h))
    return []
  },
  'ttng.barrier_expect': function* (h, op, label) {
    yield* T.barrierExpect(label, yield* operand(h, op, 'alloc'), yield* number(op, 'size'), {
      ...options(h),
      ...(yield* when(h, op)),
    })
    return []
  },
  'ttng.wait_barrier': function* (h, op, label) {
    yield* T.waitBarrier(label, yield* operand(h, op, 'alloc'), yield* operand(h, op, 'phase'), {
      ...options(h),
      ...(yield* when(h, op)),
      deps: yield* operands(h, op, 'deps'),
    })
    return []
  },
  'ttng.arrive_barrier': function* (h, op, label) {
    yield* T.arriveBarrier(label, yield* operand(h, op, 'alloc'), yield* number(op, 'count'), {
      ...options(h),
      ...(yield* when(h, op)),
    })
    return []
  },
  'ttng.async_copy_mbarrier_arrive': function* (h, op, label) {
    yield* T.asyncCopyMbarrierArrive(label, yield* operand(h, op, 'barrier'), {
      ...options(h),
      noIncrement: flag(op, 'noIncrement'),
    })
    return []
  },
  'ttng.fence_async_shared': function* (_, op, label) {
    yield* T.fenceAsyncShared(label, { bCluster: flag(op, 'bCluster') })
    return []
  },
  'gpu.barrier': meeting,
  'ttg.local_barrier': meeting,
  'ttng.cluster_arrive': function* (h, op, label) {
    yield* T.clusterArrive(label, { ...options(h), relaxed: flag(op, 'relaxed') })
    return []
  },
  'ttng.cluster_wait': function* (h, _, label) {
    yield* T.clusterWait(label, options(h))
    return []
  },
}
