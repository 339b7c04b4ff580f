/**
 * matmul4: the persistent kernel. As many clusters as the machine runs at once; each computes several tiles, one after the other.
 *
 * The ring goes on from tile to tile, so the first S waits for `consumed` are skipped in the first tile only: from the second on a slot holds
 * operands of the tile before. By hand, 3 steps on 2 slots, waits of warp 0:
 *
 *     tile       0  0  0    1  1  1    2  2  2          each tile begins at slot 0 again, wherever the one before ended
 *     slot       0  1  0    0  1  0    0  1  0
 *     generation -  -  1    2  1  3    4  2  5          each completion once, in order
 *
 * Between two tiles the thread's warps meet (a `core_map` ends and begins with that), so the products of a tile begin when the epilogue of the
 * tile before is done: it has waited for `mma_done` and loaded its columns (`wait_load_tmem`), and its copies have read `acc_smem`.
 * In the other block nothing meets them: what holds the leader back there is that its products need the peer's copies of the tile, which the
 * peer's warp 0 issues behind the peer's own epilogue.
 *
 * Differences from the page: those of matmul1, but for `wait_load_tmem`, which the page has from here on; `clusters` stands for half the
 * number of SMs, which the page asks the device for.
 *
 * Fidelity: documented. Nothing here was captured on a Blackwell chip.
 *
 * Source: JAX docs, writing high-performance matrix multiplication kernels for Blackwell, 4. Persistent kernel.
 */
import * as E from 'fp-ts/lib/Either.js'
import * as Pallas from '../../dialects/pallas/index.js'
import type { Failure } from '../../failure.js'
import * as B from '../../semantics/writing/builder.js'
import {
  add,
  and,
  cast,
  eq,
  ge,
  gt,
  i32,
  mul,
  or,
  rem,
  slot as smemSlot,
} from '../../semantics/language/expression.js'
import type { Program } from '../../semantics/language/program.js'
import { computes, operands, setup, type Persistent } from './setup.js'

/** The kernel. Refuses what `setup` refuses. */
export const matmul4 = (config: Persistent): E.Either<Failure, Program> => {
  const made = setup('matmul4', config, { blocks: 2 })
  if (E.isLeft(made)) return made
  const { dtype, tileM, tileN, tileK, mIters, nIters, kIters, maxConcurrentSteps, transforms } = made.right
  const { clusterTileM, clusterTileN } = made.right

  return Pallas.kernel(
    {
      name: 'matmul4',
      arch: 'sm100a',
      grid: [config.clusters],
      gridNames: ['cluster_grid'],
      cluster: [2],
      clusterNames: ['cluster'],
      computes,
    },
    function* scratchShapes() {
      return {
        ...(yield* operands(config)),
        aSmem: yield* Pallas.SMEM('a_smem', dtype, [maxConcurrentSteps, tileM, tileK], { transforms }),
        bSmem: yield* Pallas.SMEM('b_smem', dtype, [maxConcurrentSteps, tileK, tileN], { transforms }),
        accTmem: yield* Pallas.TMEM('acc_tmem', 'f32', [tileM, clusterTileN], { collective: true }),
        accSmem: yield* Pallas.SMEM('acc_smem', dtype, [2, tileM, config.epilogueTileN], { transforms }),
        loadBarriers: yield* Pallas.Barrier('load_barriers', {
          numArrivals: 2,
          numBarriers: maxConcurrentSteps,
        }),
        consumedBarriers: yield* Pallas.Barrier('consumed_barriers', {
          numArrivals: 1,
          numBarriers: maxConcurrentSteps,
          ordersTensorCore: true,
        }),
        mmaDoneBarrier: yield* Pallas.Barrier('mma_done_barrier', {
          numArrivals: 1,
          numBarriers: 1,
          ordersTensorCore: true,
        }),
      }
    },
    function* kernel({
      aGmem,
      bGmem,
      outGmem,
      aSmem,
      bSmem,
      accTmem,
      accSmem,
      loadBarriers,
      consumedBarriers,
      mmaDoneBarrier,
    }) {
      const isLeadBlock = eq(yield* Pallas.axisIndex('cluster'), i32(0))

      const space = { grid: [mIters, nIters], collectiveAxes: 'cluster_grid' }
      yield* Pallas.ndLoop('mn_loop', space, {}, function* mnLoop({ index, localIndex }) {
        const [mIndex, nIndex] = [index[0]!, index[1]!]
        const mSlice = yield* B.letIn('m_slice', Pallas.blockStart(mIndex, clusterTileM))
        const nSlice = yield* B.letIn('n_slice', Pallas.blockStart(nIndex, clusterTileN))

        const captures = { mSlice, nSlice, localIndex }
        yield* Pallas.coreMap(
          'per_warp',
          Pallas.WarpMesh({ axisName: 'warp' }),
          captures,
          function* perWarp({ mSlice, nSlice, localIndex }) {
            const warpId = yield* Pallas.axisIndex('warp')

            yield* Pallas.when('memory', eq(warpId, i32(0)), function* memory() {
              yield* Pallas.foriLoop('k', kIters, function* loopBody(ki) {
                const slot = yield* B.letIn('slot', rem(ki, i32(maxConcurrentSteps)))
                const used = or(ge(ki, i32(maxConcurrentSteps)), gt(localIndex, i32(0)))
                yield* Pallas.when('used', used, function* () {
                  // Make sure the data has been consumed before overwriting.
                  yield* Pallas.barrierWait('wait consumed', consumedBarriers, slot)
                })
                const kSlice = yield* B.letIn('k_slice', Pallas.blockStart(ki, tileK))
                yield* Pallas.copyGmemToSmem(
                  'copy a',
                  Pallas.at(aGmem, [mSlice, kSlice], [clusterTileM, tileK]),
                  smemSlot(aSmem, slot),
                  loadBarriers,
                  slot,
                  { collectiveAxes: 'cluster', partitionedAxis: 0 },
                )
                yield* Pallas.copyGmemToSmem(
                  'copy b',
                  Pallas.at(bGmem, [kSlice, nSlice], [tileK, clusterTileN]),
                  smemSlot(bSmem, slot),
                  loadBarriers,
                  slot,
                  { collectiveAxes: 'cluster', partitionedAxis: 1 },
                )
              })
            })

            yield* Pallas.when('compute', and(eq(warpId, i32(1)), isLeadBlock), function* compute() {
              yield* Pallas.foriLoop('k', kIters, function* loopBody(ki) {
                const slot = yield* B.letIn('slot', rem(ki, i32(maxConcurrentSteps)))
                yield* Pallas.barrierWait('wait load', loadBarriers, slot) // Wait for data to arrive.
                yield* Pallas.tcgen05Mma(
                  'tcgen05_mma',
                  accTmem,
                  smemSlot(aSmem, slot),
                  smemSlot(bSmem, slot),
                  consumedBarriers,
                  slot,
                  gt(ki, i32(0)),
                  { collectiveAxis: 'cluster' },
                )
              })
              yield* Pallas.tcgen05CommitArrive('commit mma_done', mmaDoneBarrier, null, {
                collectiveAxis: 'cluster',
              })
            })
          },
        )

        yield* Pallas.barrierWait('wait mma_done', mmaDoneBarrier, null)
        const outMIndex = add(mul(mIndex, i32(2)), yield* Pallas.axisIndex('cluster'))
        const outMSlice = yield* B.letIn('out_m_slice', Pallas.blockStart(outMIndex, tileM))
        const outGmemWindow = Pallas.at(outGmem, [outMSlice, nSlice], [tileM, clusterTileN])
        for (let ni = 0; ni < clusterTileN / config.epilogueTileN; ni++) {
          const accSmemNi = smemSlot(accSmem, i32(ni % 2))
          const niSlice = Pallas.ds(ni * config.epilogueTileN, config.epilogueTileN)
          // Make sure that previous copy is done before we overwrite.
          yield* Pallas.waitSmemToGmem(`wait out ${String(ni)}`, 1, true)
          const accNi = yield* Pallas.refAt('acc_tmem.at[:, ni_slice]', accTmem, [Pallas.everything, niSlice])
          const acc = yield* Pallas.asyncLoadTmem(`load acc ${String(ni)}`, 'thread', accNi)
          yield* Pallas.store(`acc_smem[${String(ni % 2)}] = acc ${String(ni)}`, accSmemNi, cast(acc, dtype))
          yield* Pallas.commitSmem(`commit_smem ${String(ni)}`)
          const outNi = Pallas.within(outGmemWindow, [Pallas.everything, niSlice])
          yield* Pallas.copySmemToGmem(`copy out ${String(ni)}`, accSmemNi, outNi)
        }
        yield* Pallas.waitSmemToGmem('wait out', 0, true)
        yield* Pallas.waitLoadTmem('wait_load_tmem') // Load must complete before MMA can overwrite TMEM.
        return {}
      })
    },
  )
}
