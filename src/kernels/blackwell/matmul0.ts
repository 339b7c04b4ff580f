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
 * The listing below follows the tutorial's line by line. What it adds: the parities that a thread carries (they are values here), the names
 * of statements, the name of the thread whose registers a load fills, and `wait_load_tmem`: on the page the use of the registers is all that
 * orders the read before the columns are given back, which is a note here, and an error with `strict`.
 *
 * Fidelity: documented. Nothing here was captured on a Blackwell chip.
 *
 * Source: JAX docs, writing high-performance matrix multiplication kernels for Blackwell, 0. Basic kernel.
 */
import type * as E from 'fp-ts/lib/Either.js'
import * as Pallas from '../../dialects/pallas/index.js'
import { refuse, type Failure } from '../../failure.js'
import { bitsOf } from '../../numerics/dtype.js'
import * as B from '../../semantics/builder.js'
import { cast, gt, i32, rem, sub } from '../../semantics/expression.js'
import type { Program } from '../../semantics/program.js'

export interface Matmul0 {
  readonly dtype: 'f16' | 'bf16'
  readonly m: number
  readonly n: number
  readonly k: number
  readonly tileM: number
  readonly tileN: number
  readonly tileK: number
  /** slots of the pipeline: `max_concurrent_steps` of the tutorial */
  readonly stages: number
}

/** Why these settings are no kernel, or null. */
const illegal = (c: Matmul0): string | null => {
  const positive = (['m', 'n', 'k', 'tileM', 'tileN', 'tileK', 'stages'] as const).find(
    (name) => !Number.isInteger(c[name]) || c[name] < 1,
  )
  if (positive !== undefined) return `${positive} is ${String(c[positive])}: expected a positive integer`
  if (c.tileM !== 128) return `tileM is ${String(c.tileM)}: expected 128, the lanes of tensor memory`
  if (c.tileN % 16 !== 0 || (c.tileN > 256 && c.tileN !== 512))
    return `tileN is ${String(c.tileN)}: expected a multiple of 16 up to 256, or 512`
  if (c.tileK % 16 !== 0) return `tileK is ${String(c.tileK)}: expected a multiple of 16, the k of one MMA`
  if (c.stages < 2 || c.stages > 32)
    return `stages is ${String(c.stages)}: expected 2 to 32, since a block is released one step late`
  for (const [size, tile, s, t] of [
    ['m', 'tileM', c.m, c.tileM],
    ['n', 'tileN', c.n, c.tileN],
    ['k', 'tileK', c.k, c.tileK],
  ] as const)
    if (s % t !== 0) return `${size} is ${String(s)}: expected a multiple of ${tile}, which is ${String(t)}`
  return null
}

/** The kernel. Refuses sizes that the tiles do not divide and tiles that the tensor core, TMA or memory do not take. */
export const matmul0 = (c: Matmul0): E.Either<Failure, Program> => {
  const why = illegal(c)
  if (why !== null) return refuse('kernel.settings', `matmul0: ${why}`)
  const { dtype, tileM, tileN, tileK } = c
  const mIters = c.m / tileM
  const nIters = c.n / tileN
  const kIters = c.k / tileK
  return B.kernel(
    {
      name: 'matmul0',
      arch: 'sm100a',
      grid: [mIters, nIters],
      agents: Pallas.threadAgents('thread', 0),
      computes: { _tag: 'matmul', a: 'a', b: 'b', out: 'out', accumulator: 'f32', blockK: 16 },
    },
    function* () {
      const transforms = yield* B.fromEither(Pallas.mmaTransforms(bitsOf(dtype), [tileK, tileN]))
      const aGmem = yield* B.tensorParam('a', dtype, [c.m, c.k], { role: 'in' })
      const bGmem = yield* B.tensorParam('b', dtype, [c.k, c.n], { role: 'in' })
      const outGmem = yield* B.tensorParam('out', dtype, [c.m, c.n], { role: 'out' })
      const accTmem = yield* Pallas.TMEM('acc_tmem', 'f32', [tileM, tileN])
      const accSmem = yield* B.sharedMemory('acc_smem', dtype, [tileM, tileN], transforms)
      const consumedBarriers = yield* Pallas.Barrier('consumed_barriers', {
        numArrivals: 1,
        numBarriers: 2,
        ordersTensorCore: true,
      })

      const kernel = function* (): Generator<B.Step, void, B.State> {
        const mi = Pallas.programId(0)
        const ni = Pallas.programId(1)
        const mSlice = yield* B.letIn('m_slice', Pallas.blockStart(mi, tileM))
        const nSlice = yield* B.letIn('n_slice', Pallas.blockStart(ni, tileN))

        // step 0 waits for slot 1, which no product has signalled yet
        yield* Pallas.barrierArrive('arrive consumed[1]', consumedBarriers, i32(1))
        const blockKwargs = { transforms, delayRelease: 1 }
        const { parities } = yield* Pallas.emitPipeline(
          'pipeline',
          {
            inSpecs: [
              { tensor: aGmem, shape: [tileM, tileK], indexMap: (ki) => [mi, ki!], ...blockKwargs },
              { tensor: bGmem, shape: [tileK, tileN], indexMap: (ki) => [ki!, ni], ...blockKwargs },
            ],
            grid: [kIters],
            maxConcurrentSteps: c.stages,
          },
          { parities: Pallas.freshParities },
          function* doMma({ indices, refs }, carried) {
            const [ki] = indices
            const [aSmem, bSmem] = refs
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
            return {
              parities: yield* Pallas.barrierWait(
                'wait consumed',
                consumedBarriers,
                waitBarrierSlot,
                carried.parities,
              ),
            }
          },
        )

        const finalBarrier = 1 - (kIters % 2)
        yield* Pallas.barrierWait('wait final', consumedBarriers, i32(finalBarrier), parities)
        const acc = yield* Pallas.asyncLoadTmem('load acc', 'thread', accTmem, [tileM, tileN])
        // not on the page
        yield* Pallas.waitLoadTmem('wait_load_tmem')
        yield* B.run('acc_smem[...] = acc', {
          _tag: 'smem.store',
          destination: accSmem,
          value: cast(acc, dtype),
        })
        yield* Pallas.commitSmem('commit_smem')
        yield* Pallas.copySmemToGmem(
          'copy out',
          accSmem,
          Pallas.at(outGmem, [mSlice, nSlice], [tileM, tileN]),
        )
        yield* Pallas.waitSmemToGmem('wait out', 0, true)
      }

      yield* Pallas.threads([consumedBarriers], [{ name: 'thread', body: kernel }])
    },
  )
}
