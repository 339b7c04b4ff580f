/**
 * Hopper matmul, warp-specialised: one thread for the copies, two that share the products of a tile.
 *
 * One block computes one (tileM, tileN) tile with three threads. `wg2` keeps a ring of `stages` slots full; `wg0` and `wg1` each compute half
 * of the tile: the upper and lower rows, or the left and right columns. Both read the whole slot's b (or a), so a slot is free when both have
 * given it back: `consumed` takes two arrivals.
 *
 *     tile 128 x 128, rows        tile 128 x 128, columns
 *     wg0   rows 0 to 63          columns 0 to 63
 *     wg1   rows 64 to 127        columns 64 to 127
 *
 *     wg2      k:  wait consumed[k mod S] (from k = S on)   copy a, b -> slot k mod S, loaded[k mod S]
 *     wg0, 1   k:  wait loaded[k mod S]   wgmma its half of slot k mod S   wgmma_wait 1   arrive consumed[(k - 1) mod S]
 *     wg0, 1 end:  read the accumulator, cast, store to SMEM, commit, copy to GMEM, wait
 *
 * `consumed` completes exactly as often as it is awaited: arrivals are for the steps whose slot is filled again. The thread that copies needs
 * few registers and gives the rest to the others: 40 + 2 * 232, where each began with 168.
 *
 * Source: JAX docs, Pallas:MGPU reference (warp specialisation, wgmma, set_max_registers).
 */
import type * as E from 'fp-ts/lib/Either.js'
import * as Pallas from '../../dialects/pallas/index.js'
import { refuse, type Failure } from '../../failure.js'
import { bitsOf } from '../../numerics/dtype.js'
import * as B from '../../semantics/writing/builder.js'
import { add, and, eq, ge, i32, lt, rem, slice, slot, sub } from '../../semantics/language/expression.js'
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

export type HopperWs = HalvedTiles

/** The kernel. Refuses sizes that the tiles do not divide and tiles that wgmma, TMA or shared memory do not take. */
export const hopperWs = (c: HopperWs): E.Either<Failure, Program> => {
  const why = illegalHalves(c)
  if (why !== null) return refuse('kernel.settings', `hopper-ws: ${why}`)
  const { dtype, tileM, tileN, tileK } = c
  const [partM, partN] = partOf(c)
  return Pallas.kernel(
    {
      name: 'hopper-ws',
      arch: 'sm90a',
      grid: [c.m / tileM, c.n / tileN],
      gridNames: ['m', 'n'],
      numThreads: computeThreads + 1,
      threadName: 'wg',
      computes: matmulSpec(),
    },
    function* () {
      const transforms = yield* B.fromEither(Pallas.mmaTransforms(bitsOf(dtype), [tileK, partN]))
      const outTransforms = yield* B.fromEither(Pallas.mmaTransforms(bitsOf(dtype), [partN]))
      return {
        a: yield* B.tensorParam('a', dtype, [c.m, c.k], { role: 'in' }),
        b: yield* B.tensorParam('b', dtype, [c.k, c.n], { role: 'in' }),
        out: yield* B.tensorParam('out', dtype, [c.m, c.n], { role: 'out' }),
        aSmem: yield* B.sharedMemory('a_smem', dtype, [c.stages, tileM, tileK], transforms),
        bSmem: yield* B.sharedMemory('b_smem', dtype, [c.stages, tileK, tileN], transforms),
        outSmem: yield* B.sharedMemory('out_smem', dtype, [computeThreads, partM, partN], outTransforms),
        // one arrival for each operand's copy
        loaded: yield* Pallas.Barrier('loaded', { numArrivals: 2, numBarriers: c.stages }),
        consumed: yield* Pallas.Barrier('consumed', { numArrivals: computeThreads, numBarriers: c.stages }),
      }
    },
    function* ({ a, b, out, aSmem, bSmem, outSmem, loaded, consumed }) {
      const wg = yield* Pallas.axisIndex('wg')
      const mStart = yield* B.letIn('m_start', Pallas.blockStart(yield* Pallas.axisIndex('m'), tileM))
      const nStart = yield* B.letIn('n_start', Pallas.blockStart(yield* Pallas.axisIndex('n'), tileN))
      const K = i32(c.k / tileK)
      const S = i32(c.stages)

      yield* Pallas.when('memory', eq(wg, i32(computeThreads)), function* memory() {
        yield* Pallas.setMaxRegisters('memory registers', memoryRegisters, { action: 'decrease' })
        yield* B.forRange(
          { label: 'k', from: i32(0), to: K, carried: { parities: Pallas.freshParities } },
          function* (k, { parities }) {
            const s = yield* B.letIn('slot', rem(k, S))
            const next = yield* Pallas.barrierWait('wait consumed', consumed, s, parities, ge(k, S))
            const kStart = yield* B.letIn('k_start', Pallas.blockStart(k, tileK))
            const aBlock = Pallas.at(a, [mStart, kStart], [tileM, tileK])
            const bBlock = Pallas.at(b, [kStart, nStart], [tileK, tileN])
            yield* Pallas.copyGmemToSmem('copy a', aBlock, slot(aSmem, s), loaded, s)
            yield* Pallas.copyGmemToSmem('copy b', bBlock, slot(bSmem, s), loaded, s)
            return { parities: next }
          },
        )
      })

      yield* Pallas.when('compute', lt(wg, i32(computeThreads)), function* compute() {
        const registers = Pallas.computeRegisters(memoryRegisters, computeThreads)
        yield* Pallas.setMaxRegisters('compute registers', registers, { action: 'increase' })
        const { name } = yield* Pallas.threadHere('acc')
        const acc = yield* Pallas.ACC(`acc_${name}`, name, 'f32', [partM, partN])
        yield* Pallas.initAccumulator('zero acc', acc)
        // where this thread's part of the tile begins
        const [row, column] = partStart(c, wg)
        yield* B.forRange(
          { label: 'k', from: i32(0), to: K, carried: { parities: Pallas.freshParities } },
          function* (k, { parities }) {
            const s = yield* B.letIn('slot', rem(k, S))
            const next = yield* Pallas.barrierWait('wait loaded', loaded, s, parities)
            const aPart = slice(slot(aSmem, s), [row, i32(0)], [partM, tileK])
            const bPart = slice(slot(bSmem, s), [i32(0), column], [tileK, partN])
            yield* Pallas.wgmma('wgmma', acc, aPart, bPart)
            yield* Pallas.wgmmaWait('wgmma_wait 1', 1)
            const before = yield* B.letIn('before', sub(k, i32(1)))
            const refilled = and(ge(k, i32(1)), lt(add(before, S), K))
            yield* Pallas.barrierArrive('arrive consumed', consumed, rem(add(before, S), S), refilled)
            return { parities: next }
          },
        )
        const sum = yield* Pallas.readAccumulator('acc[...]', acc)
        const start = [add(mStart, row), add(nStart, column)]
        yield* storeTile(sum, dtype, slot(outSmem, wg), Pallas.at(out, start, [partM, partN]))
        yield* Pallas.waitSmemToGmem('wait out', 0)
      })
    },
  )
}
