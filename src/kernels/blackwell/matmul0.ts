/**
 * matmul0: the first kernel of the Blackwell tutorial. One thread, a pipeline that fetches, and a tensor core that runs one step behind.
 *
 * One block computes one (tileM, tileN) tile. Step k issues its product and then waits for the one before it, so two barriers suffice, and
 * a block must outlive its step by one: `delay_release=1`.
 *
 *     step      0          1          2          3            after the loop, of 4 steps
 *     arrives   consumed 0 consumed 1 consumed 0 consumed 1
 *     waits     consumed 1 consumed 0 consumed 1 consumed 0   consumed 1 = consumed[1 - k_iters % 2]
 *               (arrived before the loop)
 *
 * Every completion is waited for, whatever the number of steps: of the tutorial's kernels this one alone keeps that rule, strictly.
 *
 * The listing below follows the tutorial's line by line. What it adds: the names of statements, the name of the thread whose registers a load
 * fills, and `wait_load_tmem`: on the page the use of the registers is all that orders the read before the columns are given back, which is
 * a note here (M3), and an error with `strict`. The parities that a thread keeps are values here; the surface carries them.
 *
 * Fidelity: documented. Nothing here was captured on a Blackwell chip.
 *
 * Source: JAX docs, writing high-performance matrix multiplication kernels for Blackwell, 0. Basic kernel.
 */
import * as E from 'fp-ts/lib/Either.js'
import * as Pallas from '../../dialects/pallas/index.js'
import type { Failure } from '../../failure.js'
import * as B from '../../semantics/writing/builder.js'
import { cast, gt, i32, rem, sub } from '../../semantics/language/expression.js'
import type { Program } from '../../semantics/language/program.js'
import { computes, operands, setup, type TuningConfig } from './setup.js'

/** The kernel. Refuses what `setup` refuses. */
export const matmul0 = (config: TuningConfig): E.Either<Failure, Program> => {
  const made = setup('matmul0', config, { leastStages: 2 })
  if (E.isLeft(made)) return made
  const { dtype, tileM, tileN, tileK, mIters, nIters, kIters, maxConcurrentSteps, transforms } = made.right

  return Pallas.kernel(
    {
      name: 'matmul0',
      arch: 'sm100a',
      grid: [mIters, nIters],
      gridNames: ['m', 'n'],
      computes,
    },
    function* scratchShapes() {
      return {
        ...(yield* operands(config)),
        accTmem: yield* Pallas.TMEM('acc_tmem', 'f32', [tileM, tileN]),
        accSmem: yield* Pallas.SMEM('acc_smem', dtype, [tileM, tileN], { transforms }),
        consumedBarriers: yield* Pallas.Barrier('consumed_barriers', {
          numArrivals: 1,
          numBarriers: 2,
          ordersTensorCore: true,
        }),
      }
    },
    function* kernel({ aGmem, bGmem, outGmem, accTmem, accSmem, consumedBarriers }) {
      const mi = yield* Pallas.axisIndex('m')
      const ni = yield* Pallas.axisIndex('n')
      const mSlice = yield* B.letIn('m_slice', Pallas.blockStart(mi, tileM))
      const nSlice = yield* B.letIn('n_slice', Pallas.blockStart(ni, tileN))

      // Make sure the wait succeeds in the first iteration.
      yield* Pallas.barrierArrive('arrive consumed[1]', consumedBarriers, i32(1))
      const blockKwargs = { transforms, delayRelease: 1 }
      yield* Pallas.emitPipeline(
        'pipeline',
        {
          inSpecs: [
            { tensor: aGmem, shape: [tileM, tileK], indexMap: (ki) => [mi, ki!], ...blockKwargs },
            { tensor: bGmem, shape: [tileK, tileN], indexMap: (ki) => [ki!, ni], ...blockKwargs },
          ],
          grid: [kIters],
          maxConcurrentSteps,
        },
        {},
        function* doMma({ indices: [ki], refs: [aSmem, bSmem] }) {
          const arriveBarrierSlot = yield* B.letIn('arrive_barrier_slot', rem(ki!, i32(2)))
          const waitBarrierSlot = yield* B.letIn('wait_barrier_slot', sub(i32(1), arriveBarrierSlot))
          yield* Pallas.tcgen05Mma(
            'tcgen05_mma',
            accTmem,
            aSmem,
            bSmem,
            consumedBarriers,
            arriveBarrierSlot,
            gt(ki!, i32(0)),
          )
          yield* Pallas.barrierWait('wait consumed', consumedBarriers, waitBarrierSlot)
          return {}
        },
      )

      const finalBarrier = 1 - (kIters % 2)
      yield* Pallas.barrierWait('wait final', consumedBarriers, i32(finalBarrier))
      const acc = yield* Pallas.asyncLoadTmem('load acc', 'thread', accTmem)
      yield* Pallas.store('acc_smem[...] = acc', accSmem, cast(acc, dtype))
      yield* Pallas.commitSmem('commit_smem')
      yield* Pallas.copySmemToGmem('copy out', accSmem, Pallas.at(outGmem, [mSlice, nSlice], [tileM, tileN]))
      yield* Pallas.waitSmemToGmem('wait out', 0, true)
      yield* Pallas.waitLoadTmem('wait_load_tmem') // Load must complete before TMEM is given back.
    },
  )
}
