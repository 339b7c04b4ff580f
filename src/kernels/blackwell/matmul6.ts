/**
 * matmul6: matmul5 with a tiled grid. The tiles of the output are visited in a snake, so that the operands of a wave are found in L2.
 *
 * Nothing of the kernel changes but where a tile lies. By hand, (4, 4) tiles, grid_minor_dim 1, grid_tile_width 2:
 *
 *      0  1 14 15
 *      2  3 12 13
 *      4  5 10 11
 *      6  7  8  9
 *
 * Differences from the page: those of matmul5. The final listing of the page renames acc_tmem and its half; here the names of matmul5 stay.
 *
 * Fidelity: documented. Nothing here was captured on a Blackwell chip.
 *
 * Source: JAX docs, writing high-performance matrix multiplication kernels for Blackwell, 6. Grid tiling; Final kernel; JAX docs, `planar_snake`.
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
import { computes, operands, setup, type TiledGrid } from './setup.js'
import { waitsForStore, type PeerWaits } from './store-done.js'

/** The kernel. Refuses what `setup` refuses. */
export const matmul6 = (config: TiledGrid): E.Either<Failure, Program> =>
  matmul6That('before its copies', config)

/** The kernel whose non-leader block waits for `store_done` there. */
export const matmul6That = (peerWaits: PeerWaits, config: TiledGrid): E.Either<Failure, Program> => {
  const made = setup('matmul6', config, { blocks: 2, accumulators: 2 })
  if (E.isLeft(made)) return made
  const { dtype, tileM, tileN, tileK, mIters, nIters, kIters, maxConcurrentSteps, transforms } = made.right
  const { clusterTileM, clusterTileN } = made.right

  return Pallas.kernel(
    {
      name: 'matmul6',
      arch: 'sm100a',
      grid: [config.clusters],
      gridNames: ['cluster_grid'],
      cluster: [2],
      clusterNames: ['cluster'],
      numThreads: 2,
      threadName: 'wg',
      computes,
    },
    function* scratchShapes() {
      return {
        ...(yield* operands(config)),
        aSmem: yield* Pallas.SMEM('a_smem', dtype, [maxConcurrentSteps, tileM, tileK], { transforms }),
        bSmem: yield* Pallas.SMEM('b_smem', dtype, [maxConcurrentSteps, tileK, tileN], { transforms }),
        accTmemSlots: yield* Pallas.TMEM('acc_tmem', 'f32', [tileM, 2 * clusterTileN], { collective: true }),
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
          numBarriers: 2,
          ordersTensorCore: true,
        }),
        storeDoneBarrier: yield* Pallas.ClusterBarrier('store_done_barrier', {
          collectiveAxes: ['cluster'],
          numArrivals: 1,
          numBarriers: 2,
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
      accTmemSlots,
      accSmem,
      loadBarriers,
      consumedBarriers,
      mmaDoneBarrier,
      storeDoneBarrier,
    }) {
      const wgIdx = yield* Pallas.axisIndex('wg')
      const isLeadBlock = eq(yield* Pallas.axisIndex('cluster'), i32(0))

      const space = { grid: [mIters * nIters], collectiveAxes: 'cluster_grid' }
      yield* Pallas.ndLoop('mn_loop', space, {}, function* mnLoop({ index, localIndex }) {
        const [mIndex, nIndex] = yield* Pallas.planarSnake(
          index[0]!, // Linear index.
          [mIters, nIters], // The 2D iteration space.
          config.gridMinorDim, // 0 or 1, indicates the fastest changing dim.
          config.gridTileWidth, // The width of tiles along the fastest changing dim.
        )
        const mSlice = yield* B.letIn('m_slice', Pallas.blockStart(mIndex, clusterTileM))
        const nSlice = yield* B.letIn('n_slice', Pallas.blockStart(nIndex, clusterTileN))

        const accSlot = yield* B.letIn('acc_slot', rem(localIndex, i32(2)))
        const accSlice = Pallas.ds(mul(accSlot, i32(clusterTileN)), clusterTileN)
        const accTmem = yield* Pallas.refAt('acc_tmem', accTmemSlots, [Pallas.everything, accSlice])

        yield* Pallas.when('compute_wg', eq(wgIdx, i32(0)), function* computeWg() {
          const captures = { mSlice, nSlice, localIndex, accSlot, accTmem }
          yield* Pallas.coreMap(
            'per_warp',
            Pallas.WarpMesh({ axisName: 'warp' }),
            captures,
            function* perWarp({ mSlice, nSlice, localIndex, accSlot, accTmem }) {
              const warpId = yield* Pallas.axisIndex('warp')

              // Wait for store to complete (except for the first two steps).
              yield* Pallas.when(
                'wait_store',
                and(waitsForStore(peerWaits, warpId, isLeadBlock), ge(localIndex, i32(2))),
                function* waitStore() {
                  yield* Pallas.barrierWait('wait store_done', storeDoneBarrier, accSlot)
                },
              )

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
                yield* Pallas.tcgen05CommitArrive('commit mma_done', mmaDoneBarrier, accSlot, {
                  collectiveAxis: 'cluster',
                })
              })
            },
          )
        })

        yield* Pallas.when('store_wg', eq(wgIdx, i32(1)), function* storeWg() {
          // Ensure that copies from the previous mn step have completed.
          yield* Pallas.waitSmemToGmem('wait out before', 0, true)
          yield* Pallas.barrierWait('wait mma_done', mmaDoneBarrier, accSlot)
          const outMIndex = add(mul(mIndex, i32(2)), yield* Pallas.axisIndex('cluster'))
          const outMSlice = yield* B.letIn('out_m_slice', Pallas.blockStart(outMIndex, tileM))
          const outGmemWindow = Pallas.at(outGmem, [outMSlice, nSlice], [tileM, clusterTileN])
          for (let ni = 0; ni < clusterTileN / config.epilogueTileN; ni++) {
            const accSmemNi = smemSlot(accSmem, i32(ni % 2))
            const niSlice = Pallas.ds(ni * config.epilogueTileN, config.epilogueTileN)
            // Make sure that previous copy is done before we overwrite.
            yield* Pallas.waitSmemToGmem(`wait out ${String(ni)}`, 1, true)
            const accNi = yield* Pallas.refAt('acc_tmem.at[:, ni_slice]', accTmem, [
              Pallas.everything,
              niSlice,
            ])
            const acc = yield* Pallas.asyncLoadTmem(`load acc ${String(ni)}`, 'wg1', accNi)
            yield* Pallas.store(
              `acc_smem[${String(ni % 2)}] = acc ${String(ni)}`,
              accSmemNi,
              cast(acc, dtype),
            )
            yield* Pallas.commitSmem(`commit_smem ${String(ni)}`)
            const outNi = Pallas.within(outGmemWindow, [Pallas.everything, niSlice])
            yield* Pallas.copySmemToGmem(`copy out ${String(ni)}`, accSmemNi, outNi)
          }
          yield* Pallas.waitLoadTmem('wait_load_tmem') // Load must complete before we signal.
          yield* Pallas.barrierArrive('arrive store_done', storeDoneBarrier, accSlot)
        })
        return {}
      })
      yield* Pallas.waitSmemToGmem('wait out', 0, true)
    },
  )
}
