/**
 * What instructions do, as far as a change of them is asked: which order, which move data; the others compute.
 *
 * A fence, an arrival, a wait, a commit and whatever allocates are of the class *synchronisation*; loads, stores, copies and products of the class *data*.
 * Of a load or a store with an order the order is synchronisation, what it moves is data.
 *
 * Source: PTX ISA, parallel synchronization and communication; asynchronous copies; wgmma; tcgen05.
 */
import type { MutantClass } from '../../../semantics/mutation/index.js'
import type { Form } from '../opcodes/form.js'
import type { Resolved } from '../opcodes/resolve.js'
import { own } from '../../../own.js'

export type Kind =
  /** a barrier of threads: bar, barrier */
  | 'bar'
  | 'cluster barrier'
  | 'warp barrier'
  | 'fence'
  | 'mbarrier init'
  | 'mbarrier inval'
  | 'mbarrier expect'
  | 'mbarrier arrive'
  | 'mbarrier wait'
  | 'commit'
  | 'group wait'
  | 'tensor fence'
  | 'tensor allocation'
  /** loads, stores, copies, products */
  | 'access'

const exact: Readonly<Record<string, Kind>> = {
  'bar.warp.sync': 'warp barrier',
  'barrier.cluster.arrive': 'cluster barrier',
  'barrier.cluster.wait': 'cluster barrier',
  membar: 'fence',
  'membar.proxy': 'fence',
  fence: 'fence',
  'fence.mbarrier_init': 'fence',
  'fence.proxy': 'fence',
  'wgmma.fence': 'fence',
  'mbarrier.init': 'mbarrier init',
  'mbarrier.inval': 'mbarrier inval',
  'mbarrier.expect_tx': 'mbarrier expect',
  'mbarrier.complete_tx': 'mbarrier expect',
  'mbarrier.arrive': 'mbarrier arrive',
  'mbarrier.arrive_drop': 'mbarrier arrive',
  'cp.async.mbarrier.arrive': 'mbarrier arrive',
  'tcgen05.commit': 'mbarrier arrive',
  'mbarrier.test_wait': 'mbarrier wait',
  'mbarrier.try_wait': 'mbarrier wait',
  'cp.async.commit_group': 'commit',
  'cp.async.bulk.commit_group': 'commit',
  'wgmma.commit_group': 'commit',
  'cp.async.wait_group': 'group wait',
  'cp.async.wait_all': 'group wait',
  'cp.async.bulk.wait_group': 'group wait',
  'wgmma.wait_group': 'group wait',
  'tcgen05.wait::ld': 'group wait',
  'tcgen05.wait::st': 'group wait',
  'tcgen05.fence::before_thread_sync': 'tensor fence',
  'tcgen05.fence::after_thread_sync': 'tensor fence',
  'tcgen05.alloc': 'tensor allocation',
  'tcgen05.dealloc': 'tensor allocation',
  'tcgen05.relinquish_alloc_permit': 'tensor allocation',
}

const barriers = /^(?:bar|barrier)(?:\.cta)?\.(?:sync|arrive|red)$/u

/** Their addresses are advice to a cache: they move nothing. */
const advice: ReadonlySet<string> = new Set([
  'prefetch',
  'prefetchu',
  'discard',
  'applypriority',
  'createpolicy.range',
  'cp.async.bulk.prefetch',
  'cp.async.bulk.prefetch.tensor',
])

/** It names a place by an address, or by a descriptor of shared memory. */
const reaches = ({ base, operands }: Form): boolean =>
  base === 'wgmma.mma_async' || (operands.some(({ _tag }) => _tag === 'address') && !advice.has(base))

/** Memory of the launch or of a thread alone: what is there, no other thread changes. */
const isOwn = (r: Resolved): boolean => {
  const space = r.modifiers['space']
  return space === 'param' || space === 'local' || space === 'const'
}

/** What an instruction does; null of what only computes, and of what goes elsewhere. */
export const kindOf = (r: Resolved): Kind | null => {
  const { base } = r.form
  const known = own(exact, base)
  if (known !== undefined) return known
  if (barriers.test(base)) return 'bar'
  return reaches(r.form) && !isOwn(r) ? 'access' : null
}

export const classOf = (kind: Kind): MutantClass => (kind === 'access' ? 'data' : 'synchronisation')
