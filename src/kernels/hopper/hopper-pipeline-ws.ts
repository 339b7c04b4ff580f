/**
 * Hopper matmul by `emit_pipeline_warp_specialized`: the pipeline brings the thread for the copies, its ring and its registers.
 *
 * What `hopper-ws` writes out is here said: three threads, of which the last one copies; a body, which each of the other two runs for its half of
 * the tile; and a compute context around the pipeline, where the accumulator begins and its sum is stored.
 *
 *     wg0, wg1     accumulator := 0     pipeline: every step     its half of the product, one step behind     read, cast, store
 *     wg2                               fetches ahead, waits for what was consumed, and for the last of it
 *
 * A product of step k runs until the wait of step k + 1, so the slot of step k is consumed one step late: `delay_release=1`. The last slots are
 * waited for by the thread that copies though they are not filled again: every barrier completes as often as it is waited for.
 *
 *     steps 5, 3 slots     consumed for steps 0 1 2 3     waited for before fetches 0 1, and after 2 3
 *
 * Source: JAX docs, Pallas:MGPU reference, pipelining (emit_pipeline_warp_specialized, compute_context).
 */
import type * as E from 'fp-ts/lib/Either.js'
import * as Pallas from '../../dialects/pallas/index.js'
import { refuse, type Failure } from '../../failure.js'
import { bitsOf } from '../../numerics/dtype.js'
import * as B from '../../semantics/writing/builder.js'
import { add, i32, slice, slot } from '../../semantics/language/expression.js'
import type { Program } from '../../semantics/language/program.js'
import {
  computeThreads,
  illegalHalves,
  matmulSpec,
  memoryRegisters,
  partOf,
  partStart,
  storeTile,
  type HalvedTiles,
} from './tiles.js'

/** `stages` is the `max_concurrent_steps` of the pipeline. */
export type HopperPipelineWs = HalvedTiles

/** The kernel. Refuses sizes that the tiles do not divide and tiles that wgmma, TMA or shared memory do not take. */
export const hopperPipelineWs = (c: HopperPipelineWs): E.Either<Failure, Program> => {
  const why = illegalHalves(c)
  if (why !== null) return refuse('kernel.settings', `hopper-pipeline-ws: ${why}`)
  const { dtype, tileM, tileN, tileK } = c
  const [partM, partN] = partOf(c)
  return Pallas.kernel(
    {
      name: 'hopper-pipeline-ws',
      arch: 'sm90a',
      grid: [c.m / tileM, c.n / tileN],
      gridNames: ['m', 'n'],
      numThreads: computeThreads + 1,
      threadName: 'wg',
      computes: matmulSpec(),
    },
    function* () {
      const outTransforms = yield* B.fromEither(Pallas.mmaTransforms(bitsOf(dtype), [partN]))
      const accOf = (thread: number): B.Build<Pallas.Accumulator> =>
        Pallas.ACC(`acc_wg${String(thread)}`, `wg${String(thread)}`, 'f32', [partM, partN])
      return {
        transforms: yield* B.fromEither(Pallas.mmaTransforms(bitsOf(dtype), [tileK, partN])),
        a: yield* B.tensorParam('a', dtype, [c.m, c.k], { role: 'in' }),
        b: yield* B.tensorParam('b', dtype, [c.k, c.n], { role: 'in' }),
        out: yield* B.tensorParam('out', dtype, [c.m, c.n], { role: 'out' }),
        outSmem: yield* B.sharedMemory('out_smem', dtype, [computeThreads, partM, partN], outTransforms),
        accs: [yield* accOf(0), yield* accOf(1)],
      }
    },
    function* ({ transforms, a, b, out, outSmem, accs }) {
      const wg = yield* Pallas.axisIndex('wg')
      const { index: thread } = yield* Pallas.threadHere('hopper-pipeline-ws')
      const mi = yield* Pallas.axisIndex('m')
      const ni = yield* Pallas.axisIndex('n')
      const [row, column] = partStart(c, wg)
      const blockKwargs = { transforms, delayRelease: 1 }
      yield* Pallas.emitPipelineWarpSpecialized(
        'pipeline',
        {
          inSpecs: [
            { tensor: a, shape: [tileM, tileK], indexMap: (ki) => [mi, ki!], ...blockKwargs },
            { tensor: b, shape: [tileK, tileN], indexMap: (ki) => [ki!, ni], ...blockKwargs },
          ],
          grid: [c.k / tileK],
          maxConcurrentSteps: c.stages,
          memoryRegisters,
          numComputeWgs: computeThreads,
          wgAxis: 'wg',
        },
        function* multiply({ refs: [aSmem, bSmem] }) {
          const aPart = slice(aSmem, [row, i32(0)], [partM, tileK])
          const bPart = slice(bSmem, [i32(0), column], [tileK, partN])
          yield* Pallas.wgmma('wgmma', accs[thread]!, aPart, bPart)
          // the product before this one is done, so its blocks are consumed
          yield* Pallas.wgmmaWait('wgmma_wait 1', 1)
          return {}
        },
        function* computeContext(pipeline) {
          const acc = accs[thread]!
          yield* Pallas.initAccumulator('zero acc', acc)
          yield* pipeline({})
          const sum = yield* Pallas.readAccumulator('acc[...]', acc)
          const start = [add(Pallas.blockStart(mi, tileM), row), add(Pallas.blockStart(ni, tileN), column)]
          yield* storeTile(sum, dtype, slot(outSmem, wg), Pallas.at(out, start, [partM, partN]))
          yield* Pallas.waitSmemToGmem('wait out', 0)
        },
      )
    },
  )
}
