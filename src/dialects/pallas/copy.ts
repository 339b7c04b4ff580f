/**
 * Pallas copies between GMEM and SMEM: see `copy/`.
 *
 * | module       | holds                                                                          |
 * |--------------|--------------------------------------------------------------------------------|
 * | `slice`      | what a copy takes of a tensor: slices, rows                                     |
 * | `map`        | the tensor map of a slice under a ref's transforms, and the copy engine's limits |
 * | `collective` | copies that blocks of a cluster do together                                     |
 * | `load`       | `copy_gmem_to_smem`                                                             |
 * | `gather`     | gathers and scatters                                                            |
 * | `store`      | `copy_smem_to_gmem`, groups, `commit_smem`                                      |
 * | `prefetch`   | `async_prefetch`                                                                |
 * | `peer`       | `cluster_ref`, `async_store_smem`                                               |
 */
export { CopyPartition, type CollectiveOptions } from './copy/collective.js'
export { copyGmemToSmem } from './copy/load.js'
export type { CopyOptions, OOBFillMode } from './copy/options.js'
export {
  asyncReductions,
  asyncStoreSmem,
  clusterRef,
  type AsyncReduction,
  type AsyncStoreOptions,
} from './copy/peer.js'
export { asyncPrefetch, type PrefetchOptions } from './copy/prefetch.js'
export { at, blockStart, rowsAt, transposeGmem, within, type GmemRows, type GmemSlice } from './copy/slice.js'
export {
  commitSmem,
  commitSmemToGmemGroup,
  copySmemToGmem,
  reductionOps,
  waitGmemToSmem,
  waitSmemToGmem,
  type ReductionOp,
  type StoreOptions,
} from './copy/store.js'
