/**
 * matmul5 and matmul6 as they are printed: from three tiles of a cluster on, a schedule deadlocks.
 *
 * The page lets warp 1 of both blocks wait for `store_done`, "only because arriving twice without a wait" may trip the hardware. In the block
 * that does not lead, nothing is ordered after that wait, so nothing that leads to the barrier's next completion waits for it. What happens if
 * that warp is slow, by hand, acc_slot 0, four tiles:
 *
 *     tile   leader, block 0                                   peer, block 1
 *     0      products, commit, epilogue arrives                epilogue arrives          store_done[0]: generation 0 is over
 *     1      the same in slot 1
 *     2      warp 1 waits for generation 0, sees it            warp 0 copies, ends       warp 1 has not run yet
 *            products, commit, epilogue arrives                epilogue arrives          store_done[0]: generation 1 is over
 *     3      warp 1 waits for the peer's copies of tile 3      warp 1 looks for parity 0: the phase under way is 2, of parity 0: it waits
 *                                                              the thread waits for warp 1, and copies nothing of tile 3
 *            epilogues wait for the products of tile 3, and arrive at slot 0 again in tile 4 only
 *
 * With three tiles the same happens at the end: the thread never joins its warp, and the cluster never meets. No chip is likely to show it: a warp
 * must be late by a whole tile. The rule that is broken is the page's own: every completion is waited for, before the next can come.
 *
 * | tiles of a cluster | a run in which the warp is in time  | the warp starved | `check` with `explore`                         |
 * |--------------------|-------------------------------------|------------------|------------------------------------------------|
 * | 1, 2               | ok, decided by this schedule        | ok               | ok                                             |
 * | 3, 4, 5            | undecided: C3 and C4 fail           | deadlock, B1     | deadlock: a directed schedule finds it, and it replays |
 *
 * Mended by a wait in another warp: `blackwell/store-done.ts`. The source is the kernel's own, with that one word changed.
 *
 * Source: JAX docs, writing high-performance matrix multiplication kernels for Blackwell, 5. Dedicated epilogue warpgroup; Final kernel.
 */
import type * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import * as Policy from '../../semantics/execution/policy.js'
import type { AnyPolicy } from '../../semantics/execution/policy.js'
import type { Program } from '../../semantics/language/program.js'
import { matmul5That } from '../blackwell/matmul5.js'
import { matmul6That } from '../blackwell/matmul6.js'
import type { Persistent, TiledGrid } from '../blackwell/setup.js'

export const printedMatmul5 = (c: Persistent): E.Either<Failure, Program> => matmul5That('as printed', c)
export const printedMatmul6 = (c: TiledGrid): E.Either<Failure, Program> => matmul6That('as printed', c)

/** The warp that the schedule starves: warp 1 of the compute warpgroup, in the block that does not lead. */
export const starved: { readonly agent: string; readonly cta: number } = { agent: 'wg0.warp1', cta: 1 }

/** The schedule that shows it: that warp moves only when nothing else can. */
export const starvingSchedule = (program: Program): AnyPolicy => {
  const names = program.launch.agents.map(({ name }) => name)
  return Policy.starvingAgent(starved.cta * names.length + names.indexOf(starved.agent), 1)
}
