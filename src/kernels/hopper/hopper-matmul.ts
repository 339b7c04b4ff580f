/**
 * Hopper matmul: out = a @ b with a TMA ring, wgmma, and a store through shared memory.
 *
 * One block computes one (tileM, tileN) tile of the output with two threads. `memory` keeps a ring of `stages` slots full;
 * `compute` multiplies slot after slot into an accumulator and gives a slot back once the multiplication that read it is known
 * to be done, which is one step late: while step k runs, step k - 1 is waited for.
 *
 *     memory    k:  wait consumed[k mod S] (from k = S on)   copy a, b -> slot k mod S, loaded[k mod S]
 *     compute   k:  wait loaded[k mod S]   wgmma slot k mod S   wgmma_wait 1   arrive consumed[(k - 1) mod S]
 *     compute  end: read the accumulator, cast, store to SMEM, commit, copy to GMEM, wait
 *
 * `consumed` is signalled exactly as often as it is awaited: for the steps whose slot is filled again.
 *
 * Source: JAX docs, Pallas:MGPU reference (pipelining, wgmma, asynchronous copies).
 */
import * as E from 'fp-ts/lib/Either.js'
import * as Pallas from '../../dialects/pallas/index.js'
import { refuse, type Failure } from '../../failure.js'
import { bitsOf } from '../../numerics/dtype.js'
import * as B from '../../semantics/writing/builder.js'
import { add, ge, i32, and, lt, rem, slot, sub } from '../../semantics/language/expression.js'
import type { Program } from '../../semantics/language/program.js'
import { illegalTiles, matmulSpec, storeTile, tooWide, type HopperTiles } from './tiles.js'

/** `stages`: slots of the ring. */
export type HopperMatmul = HopperTiles

/** The kernel. Refuses sizes that the tiles do not divide and tiles that wgmma, TMA or shared memory do not take. */
export const hopperMatmul = (c: HopperMatmul): E.Either<Failure, Program> => {
  const why = illegalTiles(c) ?? tooWide(c.tileN)
  if (why !== null) return refuse('kernel.settings', `hopper-matmul: ${why}`)
  const kSteps = c.k / c.tileK
  return B.kernel(
    {
      name: 'hopper-matmul',
      arch: 'sm90a',
      grid: [c.m / c.tileM, c.n / c.tileN],
      agents: [B.warpgroup('compute', 0), B.warpgroup('memory', 1)],
      computes: matmulSpec(),
    },
    function* () {
      const transforms = yield* B.fromEither(Pallas.mmaTransforms(bitsOf(c.dtype), [c.tileK, c.tileN]))
      const outTransforms = yield* B.fromEither(Pallas.mmaTransforms(bitsOf(c.dtype), [c.tileN]))

      const a = yield* B.tensorParam('a', c.dtype, [c.m, c.k], { role: 'in' })
      const b = yield* B.tensorParam('b', c.dtype, [c.k, c.n], { role: 'in' })
      const out = yield* B.tensorParam('out', c.dtype, [c.m, c.n], { role: 'out' })
      const aSmem = yield* B.sharedMemory('a_smem', c.dtype, [c.stages, c.tileM, c.tileK], transforms)
      const bSmem = yield* B.sharedMemory('b_smem', c.dtype, [c.stages, c.tileK, c.tileN], transforms)
      const outSmem = yield* B.sharedMemory('out_smem', c.dtype, [c.tileM, c.tileN], outTransforms)
      const acc = yield* Pallas.ACC('acc', 'compute', 'f32', [c.tileM, c.tileN])
      // one arrival for each operand's copy
      const loaded = yield* Pallas.Barrier('loaded', { numArrivals: 2, numBarriers: c.stages })
      const consumed = yield* Pallas.Barrier('consumed', { numBarriers: c.stages })

      const mStart = yield* B.letIn('m_start', Pallas.blockStart(Pallas.programId(0), c.tileM))
      const nStart = yield* B.letIn('n_start', Pallas.blockStart(Pallas.programId(1), c.tileN))
      const K = i32(kSteps)
      const S = i32(c.stages)

      const compute = function* (): Generator<B.Step, void, unknown> {
        yield* Pallas.initAccumulator('zero acc', acc)
        yield* B.forRange(
          { label: 'k', from: i32(0), to: K, carried: { parities: Pallas.freshParities } },
          function* (k, { parities }) {
            const s = yield* B.letIn('slot', rem(k, S))
            const next = yield* Pallas.barrierWait('wait loaded', loaded, s, parities)
            yield* Pallas.wgmma('wgmma', acc, slot(aSmem, s), slot(bSmem, s))
            yield* Pallas.wgmmaWait('wgmma_wait 1', 1)
            const before = yield* B.letIn('before', sub(k, i32(1)))
            const refilled = and(ge(k, i32(1)), lt(add(before, S), K))
            yield* Pallas.barrierArrive('arrive consumed', consumed, rem(add(before, S), S), refilled)
            return { parities: next }
          },
        )
        const sum = yield* Pallas.readAccumulator('acc[...]', acc)
        yield* storeTile(sum, c.dtype, outSmem, Pallas.at(out, [mStart, nStart], [c.tileM, c.tileN]))
        yield* Pallas.waitSmemToGmem('wait out', 0)
      }

      const memory = function* (): Generator<B.Step, void, unknown> {
        yield* B.forRange(
          { label: 'k', from: i32(0), to: K, carried: { parities: Pallas.freshParities } },
          function* (k, { parities }) {
            const s = yield* B.letIn('slot', rem(k, S))
            const full = ge(k, S)
            const next = yield* Pallas.barrierWait('wait consumed', consumed, s, parities, full)
            const kStart = yield* B.letIn('k_start', Pallas.blockStart(k, c.tileK))
            yield* Pallas.copyGmemToSmem(
              'copy a',
              Pallas.at(a, [mStart, kStart], [c.tileM, c.tileK]),
              slot(aSmem, s),
              loaded,
              s,
            )
            yield* Pallas.copyGmemToSmem(
              'copy b',
              Pallas.at(b, [kStart, nStart], [c.tileK, c.tileN]),
              slot(bSmem, s),
              loaded,
              s,
            )
            return { parities: next }
          },
        )
      }

      yield* Pallas.threads(
        [loaded, consumed],
        [
          { name: 'compute', body: compute },
          { name: 'memory', body: memory },
        ],
        // each thread is one agent, so they would order nothing; without them the listing is the kernel as it is explained
        { unsafeNoAutoBarriers: true },
      )
    },
  )
}
