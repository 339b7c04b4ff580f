/**
 * Who issues: which of the threads of a partition do an operation that only one does, or all together.
 *
 * An agent acts as one thread here, so a partition of one agent needs nothing. A partition of several agents runs the code in all of them:
 *
 * | operation                                    | Triton                                            | several agents                          |
 * |----------------------------------------------|---------------------------------------------------|-----------------------------------------|
 * | init_barrier, inval_barrier                  | an elected thread of warp 0                       | the first agent                         |
 * | barrier_expect, arrive_barrier               | a barrier of the partition, then thread 0         | `bar.sync`, then the first agent        |
 * | tc_gen5_mma, tc_gen5_commit, tmem_copy       | an elected thread of warp 0, of an even CTA if of two | the first agent                     |
 * | async_tma_copy, gather, scatter, reduce      | the messages are dealt to the warps               | message k by agent k mod their number   |
 * | async_tma_store_wait, fences, wait_barrier   | every thread                                      | every agent                             |
 * | tmem_load, warp_group_dot, ...               | all warps, each its part                          | refused: a tensor lies in one agent     |
 *
 *     two agents of four warps, arrive_barrier %b, 1      bar.sync 1, 256     mbarrier.arrive %b when warp = 0
 *
 * So arriving says: every thread of the partition came here. With one agent it says so by itself.
 *
 * Laws
 * 1. One agent: nothing is added to an operation.
 * 2. Several: each instruction of the table is executed by exactly one of them, and the synchronisation by all.
 *
 * Source: Triton, lowering of the TritonNvidiaGPU dialect.
 */
import { block, run, type Build, type DoOptions } from '../../semantics/writing/builder.js'
import { and, eq, i32, place, type Condition } from '../../semantics/language/expression.js'
import type { Issuer } from './types.js'

/** The conjunction of the given conditions. */
export const both = (x: Condition | undefined, y: Condition | undefined): Condition | undefined =>
  x === undefined ? y : y === undefined ? x : and(x, y)

export const on = (...conditions: ReadonlyArray<Condition | undefined>): DoOptions => {
  const when = conditions.reduce<Condition | undefined>(both, undefined)
  return when === undefined ? {} : { when }
}

export const numCtas = (from: Issuer | undefined): number => from?.numCtas ?? 1

/** Whether this is the k-th agent of the partition; undefined if there is only one. */
export const isAgent = (from: Issuer | undefined, k: number): Condition | undefined => {
  const agents = from?.agents ?? []
  return agents.length < 2 ? undefined : eq(place('warp'), i32(agents[k % agents.length]!.firstWarp))
}

/** Whether this agent acts for the whole partition. */
export const speaks = (from: Issuer | undefined): Condition | undefined => isAgent(from, 0)

/** Waits until every thread of the partition has arrived here. */
export const partitionSync = (label: string, from: Issuer | undefined): Build<void> =>
  block(function* () {
    const agents = from?.agents ?? []
    if (agents.length < 2) return
    const warps = agents.reduce((sum, agent) => sum + agent.warps, 0)
    yield* run(label, { _tag: 'bar.sync', id: from?.barrierId ?? 1, count: 32 * warps })
  })
