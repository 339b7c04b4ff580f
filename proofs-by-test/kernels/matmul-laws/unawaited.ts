/**
 * Completions that the tutorial's kernels leave unawaited, by counting.
 *
 * The reference page has the rule that a barrier completes as often as it is waited for. In matmul1 to matmul6 two arrays break it, and
 * only at the end, where nobody comes after:
 *
 * - `consumed_barriers` completes once a k step of every tile, in each block, and is waited for only where `ki >= S` or it is not the first
 *   tile. With T tiles of K steps that is T K completions and max(0, K - S) + (T - 1) K waits: min(S, K) are left, however many
 *   tiles, and none without a tile.
 * - `store_done_barrier` (matmul5 and matmul6) completes once a tile, in each block, and is waited for from the third tile on: min(2, T)
 *   are left.
 *
 * By hand, 2 clusters of 2 blocks, S = 3, K = 5, 3 tiles:
 *
 *     cluster   T   consumed: completions, waits, left     store_done: completions, waits, left
 *     0         2   10, 2 + 5, 3                           2, 0, 2        both blocks
 *     1         1    5, 2,     3                           1, 0, 1        both blocks
 *     sum           12                                     6
 *
 * Tiles are dealt out in turn: of G tiles cluster c of P gets G div P, and one more if c < G mod P.
 *
 * Source: JAX docs, writing high-performance matrix multiplication kernels for Blackwell, 1. Warp specialization, 4. Persistent kernel,
 * 5. Dedicated epilogue warpgroup; Pallas:MGPU reference, barriers.
 */
import type { Point, Unawaited } from './laws.js'

const sum = (xs: ReadonlyArray<number>): number => xs.reduce((s, x) => s + x, 0)

/** What is left in all blocks of all clusters. */
export const tutorialLeaves =
  (how: { readonly blocks: 1 | 2; readonly storeDone: boolean }) =>
  ({ steps, stages, tiles, clusters }: Point): Unawaited => {
    const all = tiles[0] * tiles[1]
    const own = Array.from(
      { length: clusters },
      (_, c) => Math.floor(all / clusters) + (c < all % clusters ? 1 : 0),
    )
    const consumed = sum(own.map((t) => (t === 0 ? 0 : Math.min(stages, steps))))
    const storeDone = sum(own.map((t) => Math.min(2, t)))
    return {
      consumed_barriers: how.blocks * consumed,
      ...(how.storeDone ? { store_done_barrier: how.blocks * storeDone } : {}),
    }
  }
