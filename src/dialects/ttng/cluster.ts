/**
 * The barrier of a cluster in two halves, and the fence between the generic and the async proxy.
 *
 *     cluster_arrive {relaxed = 0}      what this thread did before is published
 *     cluster_wait                      every thread of the cluster has arrived, and what it published is seen
 *     fence_async_shared                this thread's stores to shared memory are seen by copies and tensor cores that come later
 *
 * A relaxed arrival orders, but publishes nothing. The fence works for what its thread has seen: it stands behind the stores, and before
 * the arrival that tells others of them. `bCluster`: also the shared memory of the other CTAs.
 *
 * Both halves of the cluster barrier are for every thread of every CTA, so they cannot stand inside of `warp_specialize`.
 *
 * Source: Triton, TritonNvidiaGPU dialect; PTX ISA, barrier.cluster, fence.proxy.async.
 */
import { block, run, type Build } from '../../semantics/writing/builder.js'
import { refused } from './codes.js'
import { numCtas } from './issue.js'
import type { Issuer } from './types.js'

export interface ClusterOptions {
  readonly from?: Issuer
}

const inCluster = (label: string, op: string, { from }: ClusterOptions): Build<void> =>
  block(function* () {
    if (numCtas(from) < 2)
      return yield* refused(
        'ttng.cluster.num_ctas',
        `${label}: ${op} needs a module of more than one CTA, found ${String(numCtas(from))}`,
      )
    if (from?.specialized === true)
      return yield* refused(
        'ttng.cluster.warp_specialize',
        `${label}: every thread of the cluster must execute ${op}, so it cannot be inside warp_specialize`,
      )
  })

/** `ttng.cluster_arrive {relaxed}`. */
export const clusterArrive = (
  label: string,
  options: ClusterOptions & { readonly relaxed?: boolean } = {},
): Build<void> =>
  block(function* () {
    yield* inCluster(label, 'cluster_arrive', options)
    yield* run(label, { _tag: 'cluster.arrive', relaxed: options.relaxed ?? false })
  })

/** `ttng.cluster_wait`. */
export const clusterWait = (label: string, options: ClusterOptions = {}): Build<void> =>
  block(function* () {
    yield* inCluster(label, 'cluster_wait', options)
    yield* run(label, { _tag: 'cluster.wait' })
  })

/** `ttng.fence_async_shared {bCluster}`. */
export const fenceAsyncShared = (label: string, options: { readonly bCluster?: boolean } = {}): Build<void> =>
  run(label, { _tag: 'fence.proxyAsync', scope: options.bCluster === true ? 'cluster' : 'cta' })
