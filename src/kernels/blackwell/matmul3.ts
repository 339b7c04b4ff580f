/**
 * matmul3: collective MMA. Two blocks compute one tile of twice the height and twice the width; each loads half of each operand.
 *
 *                       block 0 (leader)             block 1
 *     copies of a       rows 0 .. tileM - 1          rows tileM ..            partitioned_axis 0
 *     copies of b       columns 0 .. tileN - 1       columns tileN ..         partitioned_axis 1
 *     load[s]           hears of all four copies     is never used
 *     tcgen05_mma       issues it, for both          -
 *     consumed[s]       hears of the MMA             hears of the MMA          so each block's warp 0 waits for its own
 *     acc_tmem          its tileM rows, 2 tileN columns                        each block stores its own rows
 *
 * A slot of block 1 is read by an MMA that block 0 issued: its completion arrives at both blocks, and that alone frees the slot there.
 *
 * The frame ends with a cluster barrier, since the tensor memory is the pair's: block 0 must not be gone while block 1 signals its barrier.
 *
 * Differences from the page: those of matmul1.
 *
 * Fidelity: documented. Nothing here was captured on a Blackwell chip.
 *
 * Source: JAX docs, writing high-performance matrix multiplication kernels for Blackwell, 3. Collective (2CTA) MMA.
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
  rem,
  slot as smemSlot,
} from '../../semantics/language/expression.js'
import type { Program } from '../../semantics/language/program.js'
import { computes, operands, setup, type TiledEpilogue } from './setup.js'

/** The kernel. Refuses what `setup` refuses. */
export const matmul3 = (config: TiledEpilogue): E.Either<Failure, Program> => {
  const made = setup('matmul3', config, { blocks: 2 })
  if (E.isLeft(made)) return made
  const { dtype, tileM, tileN, tileK, mIters, nIters, kIters, maxConcurrentSteps, transforms } = made.right
  const { clusterTileM, clusterTileN } = made.right

  return Pallas.kernel(
    {
      name: 'matmul3',
      arch: 'sm100a',
      grid: [mIters, nIters],
      gridNames: ['m', 'n'],
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
      const mIndex = yield* Pallas.axisIndex('m')
      const nIndex = yield* Pallas.axisIndex('n')
      const mSlice = yield* B.letIn('m_slice', Pallas.blockStart(mIndex, clusterTileM))
      const nSlice = yield* B.letIn('n_slice', Pallas.blockStart(nIndex, clusterTileN))

      const captures = { mSlice, nSlice }
      yield* Pallas.coreMap(
        'per_warp',
        Pallas.WarpMesh({ axisName: 'warp' }),
        captures,
        function* perWarp({ mSlice, nSlice }) {
          const warpId = yield* Pallas.axisIndex('warp')

          yield* Pallas.when('memory', eq(warpId, i32(0)), function* memory() {
            yield* Pallas.foriLoop('k', kIters, function* loopBody(ki) {
              const slot = yield* B.letIn('slot', rem(ki, i32(maxConcurrentSteps)))
              const used = ge(ki, i32(maxConcurrentSteps))
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
      yield* Pallas.waitLoadTmem('wait_load_tmem') // Load must complete before TMEM is given back.
    },
  )
}
