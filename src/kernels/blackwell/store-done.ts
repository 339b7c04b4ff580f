/**
 * Who waits for `store_done`: the leader's products must not overwrite columns that an epilogue still reads.
 *
 * Both blocks of a cluster arrive on both blocks' `store_done`, so each block has a barrier to wait for, and each must wait: a barrier that
 * completes twice unseen has lost a phase. The leader's wait stands before its products. Where the other block's stands is the question:
 *
 *     as printed           warp 1, which does nothing else there        its wait holds no copy back
 *     before its copies    warp 0, which then copies the tile's operands    the leader's products wait for the copies
 *
 * By hand, acc_slot 0, the peer's wait for the first completion (tile 0) stands in tile 2, that for the second (tile 2) in tile 4:
 *
 *     as printed       tile 2: the leader has waited, multiplies, both epilogues store, store_done[0] completes a second time. The peer's warp 1
 *                      has not run since: it looks for phase 0, meets phase 2, of the same parity, and waits for the end of *that* one. The
 *                      thread waits for its warp, no copies of tile 3 come from it, and so nothing completes phase 2: deadlock.
 *     before copies    the second completion needs the products of tile 2, those need the peer's copies of tile 2, those stand behind the wait
 *                      for the first completion. So the wait sees the first, in every schedule.
 *
 * With one or two tiles no agent waits.
 *
 * Laws
 * 1. Before its copies: one schedule decides, any number of tiles. As printed: it does not from three tiles on, and some schedule deadlocks.
 *
 * Source: JAX docs, writing high-performance matrix multiplication kernels for Blackwell, 5. Dedicated epilogue warpgroup.
 */
import { and, eq, i32, not, or, type Condition, type Int } from '../../semantics/language/expression.js'

/** Where the block that does not lead waits for `store_done`. */
export type PeerWaits = 'before its copies' | 'as printed'

/** Is this the warp of its block that waits? */
export const waitsForStore = (peer: PeerWaits, warpId: Int, isLeadBlock: Condition): Condition => {
  const warp = (w: number): Condition => eq(warpId, i32(w))
  return peer === 'as printed' ? warp(1) : or(and(warp(1), isLeadBlock), and(warp(0), not(isLeadBlock)))
}
