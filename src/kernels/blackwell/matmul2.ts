/**
 * matmul2: matmul1 with a tiled epilogue. The result leaves in pieces of epilogueTileN columns, through two small buffers in turn.
 *
 * A piece is loaded from tensor memory while the one before is still on its way to GMEM. By hand, 4 pieces:
 *
 *     ni                          0      1      2      3
 *     buffer                      0      1      0      1
 *     wait_smem_to_gmem(1) sees   -      -      0 read 1 read       at most one copy still reads
 *
 * So a buffer is written again when the copy of two pieces before has read it; the copy of the piece before may still read the other one.
 *
 * Differences from the page: those of matmul1.
 *
 * Fidelity: documented. Nothing here was captured on a Blackwell chip.
 *
 * Source: JAX docs, writing high-performance matrix multiplication kernels for Blackwell, 2. Tiled epilogue.
 */
import * as E from 'fp-ts/lib/Either.js'
import * as Pallas from '../../dialects/pallas/index.js'
import type { Failure } from '../../failure.js'
import * as B from '../../semantics/writing/builder.js'
import { cast, eq, ge, gt, i32, rem, slot as smemSlot } from '../../semantics/language/expression.js'
import type { Program } from '../../semantics/language/program.js'
import { computes, operands, setup, type TiledEpilogue } from './setup.js'

/** The kernel. Refuses what `setup` refuses. */
export const matmul2 = (config: TiledEpilogue): E.Either<Failure, Program> => {
  const made = setup('matmul2', config)
  if (E.isLeft(made)) return made
  const { dtype, tileM, tileN, tileK, mIters, nIters, kIters, maxConcurrentSteps, transforms } = made.right

  return Pallas.kernel(
    {
      name: 'matmul2',
      arch: 'sm100a',
      grid: [mIters, nIters],
      gridNames: ['m', 'n'],
      computes,
    },
    function* scratchShapes() {
      return {
        ...(yield* operands(config)),
        aSmem: yield* Pallas.SMEM('a_smem', dtype, [maxConcurrentSteps, tileM, tileK], { transforms }),
        bSmem: yield* Pallas.SMEM('b_smem', dtype, [maxConcurrentSteps, tileK, tileN], { transforms }),
        accTmem: yield* Pallas.TMEM('acc_tmem', 'f32', [tileM, tileN]),
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
      const mIndex = yield* Pallas.axisIndex('m')
      const nIndex = yield* Pallas.axisIndex('n')
      const mSlice = yield* B.letIn('m_slice', Pallas.blockStart(mIndex, tileM))
      const nSlice = yield* B.letIn('n_slice', Pallas.blockStart(nIndex, tileN))

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
                Pallas.at(aGmem, [mSlice, kSlice], [tileM, tileK]),
                smemSlot(aSmem, slot),
                loadBarriers,
                slot,
              )
              yield* Pallas.copyGmemToSmem(
                'copy b',
                Pallas.at(bGmem, [kSlice, nSlice], [tileK, tileN]),
                smemSlot(bSmem, slot),
                loadBarriers,
                slot,
              )
            })
          })

          yield* Pallas.when('compute', eq(warpId, i32(1)), function* compute() {
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
              )
            })
            yield* Pallas.tcgen05CommitArrive('commit mma_done', mmaDoneBarrier, null)
          })
        },
      )

      yield* Pallas.barrierWait('wait mma_done', mmaDoneBarrier, null)
      const outGmemWindow = Pallas.at(outGmem, [mSlice, nSlice], [tileM, tileN])
      for (let ni = 0; ni < tileN / config.epilogueTileN; ni++) {
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
