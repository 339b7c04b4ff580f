/**
 * Hopper matmul, pipelined: one warpgroup, a pipeline that fetches ahead, and a wgmma that runs one step behind.
 *
 * One block computes one (tileM, tileN) tile with one thread. Step k issues its product and waits for the one before it, so its own slot is
 * still being read when the step returns, and the slot of step k - 1 no longer is: `delay_release=1`.
 *
 *     S = 3       step 0        step 1          step 2          step 3
 *     wgmma       slot 0        slot 1          slot 2          slot 0
 *     wgmma_wait  -             step 0 done     step 1 done     step 2 done
 *     fetch       -             3 into slot 0   4 into slot 1   5 into slot 2
 *
 * With `delay_release=0` the fetch of step k would go into the slot that product k reads: W3, for every number of steps beyond the slots.
 *
 * Source: JAX docs, Pallas:MGPU, software pipelining on Hopper (wgmma, delay_release).
 */
import type * as E from 'fp-ts/lib/Either.js'
import * as Pallas from '../../dialects/pallas/index.js'
import { refuse, type Failure } from '../../failure.js'
import { bitsOf } from '../../numerics/dtype.js'
import * as B from '../../semantics/writing/builder.js'
import type { Program } from '../../semantics/language/program.js'
import { illegalTiles, matmulSpec, storeTile, tooWide, type HopperTiles } from './tiles.js'

/** `stages` is the `max_concurrent_steps` of the pipeline. */
export type HopperPipelined = HopperTiles

/** The kernel. Refuses sizes that the tiles do not divide and tiles that wgmma, TMA or shared memory do not take. */
export const hopperPipelined = (c: HopperPipelined): E.Either<Failure, Program> => {
  const why = illegalTiles(c) ?? tooWide(c.tileN)
  if (why !== null) return refuse('kernel.settings', `hopper-pipelined: ${why}`)
  const { dtype, tileM, tileN, tileK } = c
  return Pallas.kernel(
    {
      name: 'hopper-pipelined',
      arch: 'sm90a',
      grid: [c.m / tileM, c.n / tileN],
      gridNames: ['m', 'n'],
      computes: matmulSpec(),
    },
    function* () {
      const outTransforms = yield* B.fromEither(Pallas.mmaTransforms(bitsOf(dtype), [tileN]))
      return {
        transforms: yield* B.fromEither(Pallas.mmaTransforms(bitsOf(dtype), [tileK, tileN])),
        a: yield* B.tensorParam('a', dtype, [c.m, c.k], { role: 'in' }),
        b: yield* B.tensorParam('b', dtype, [c.k, c.n], { role: 'in' }),
        out: yield* B.tensorParam('out', dtype, [c.m, c.n], { role: 'out' }),
        outSmem: yield* B.sharedMemory('out_smem', dtype, [tileM, tileN], outTransforms),
      }
    },
    function* ({ transforms, a, b, out, outSmem }) {
      const mi = yield* Pallas.axisIndex('m')
      const ni = yield* Pallas.axisIndex('n')
      const { name } = yield* Pallas.threadHere('acc')
      const acc = yield* Pallas.ACC('acc', name, 'f32', [tileM, tileN])
      yield* Pallas.initAccumulator('zero acc', acc)
      const blockKwargs = { transforms, delayRelease: 1 }
      yield* Pallas.emitPipeline(
        'pipeline',
        {
          inSpecs: [
            { tensor: a, shape: [tileM, tileK], indexMap: (ki) => [mi, ki!], ...blockKwargs },
            { tensor: b, shape: [tileK, tileN], indexMap: (ki) => [ki!, ni], ...blockKwargs },
          ],
          grid: [c.k / tileK],
          maxConcurrentSteps: c.stages,
        },
        {},
        function* compute({ refs: [aSmem, bSmem] }) {
          yield* Pallas.wgmma('wgmma', acc, aSmem, bSmem)
          // the product before this one is done, so its blocks may be overwritten
          yield* Pallas.wgmmaWait('wgmma_wait 1', 1)
          return {}
        },
      )
      const sum = yield* Pallas.readAccumulator('acc[...]', acc)
      const start = [Pallas.blockStart(mi, tileM), Pallas.blockStart(ni, tileN)]
      yield* storeTile(sum, dtype, outSmem, Pallas.at(out, start, [tileM, tileN]))
      yield* Pallas.waitSmemToGmem('wait out', 0)
    },
  )
}
