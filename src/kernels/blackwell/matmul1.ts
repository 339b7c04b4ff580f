/**
 * matmul1: warp specialisation. One warp fetches, one multiplies; the thread itself comes back for the epilogue.
 *
 * The pipeline of matmul0 is written out: a ring of S slots with two barriers each. By hand, 5 steps on 2 slots:
 *
 *     ki                          0     1     2            3            4
 *     warp 0 waits consumed       -     -     [0], first   [1], first   [0], second
 *            copies a, b into     0     1     0            1            0
 *     warp 1 waits load           [0]   [1]   [0]          [1]          [0]
 *            MMA, then consumed   [0]   [1]   [0]          [1]          [0]
 *
 * | edge                                                    | so that                                                    |
 * |---------------------------------------------------------|------------------------------------------------------------|
 * | copies complete load[s], warp 1 waits                   | the MMA reads a slot that has arrived                      |
 * | the MMA completes consumed[s], warp 0 waits             | a slot is filled again when it has been read                |
 * | the commit completes mma_done, the thread waits         | the accumulator is read when every product is in it        |
 *
 * `consumed` completes once a step and is awaited from step S on: the last min(S, k_iters) completions go unawaited, one a slot. That is a contract note
 * (U1), and an error with `strict`.
 *
 * Differences from the page: a warp is told what it may use of the values around it (`captures`); `wait_load_tmem` stands at the end, as in
 * matmul0 and for its reason.
 *
 * Fidelity: documented. Nothing here was captured on a Blackwell chip.
 *
 * Source: JAX docs, writing high-performance matrix multiplication kernels for Blackwell, 1. Warp specialization.
 */
import * as E from 'fp-ts/lib/Either.js'
import * as Pallas from '../../dialects/pallas/index.js'
import type { Failure } from '../../failure.js'
import * as B from '../../semantics/writing/builder.js'
import { cast, eq, ge, gt, i32, rem, slot as smemSlot } from '../../semantics/language/expression.js'
import type { Program } from '../../semantics/language/program.js'
import { computes, operands, setup, type TuningConfig } from './setup.js'

/** The kernel. Refuses what `setup` refuses. */
export const matmul1 = (config: TuningConfig): E.Either<Failure, Program> => {
  const made = setup('matmul1', config)
  if (E.isLeft(made)) return made
  const { dtype, tileM, tileN, tileK, mIters, nIters, kIters, maxConcurrentSteps, transforms } = made.right

  return Pallas.kernel(
    {
      name: 'matmul1',
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
        accSmem: yield* Pallas.SMEM('acc_smem', dtype, [tileM, tileN], { transforms }),
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
      const acc = yield* Pallas.asyncLoadTmem('load acc', 'thread', accTmem)
      yield* Pallas.store('acc_smem[...] = acc', accSmem, cast(acc, dtype))
      yield* Pallas.commitSmem('commit_smem')
      yield* Pallas.copySmemToGmem('copy out', accSmem, Pallas.at(outGmem, [mSlice, nSlice], [tileM, tileN]))
      yield* Pallas.waitSmemToGmem('wait out', 0, true)
      yield* Pallas.waitLoadTmem('wait_load_tmem') // Load must complete before TMEM is given back.
    },
  )
}
