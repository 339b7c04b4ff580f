/**
 * Hopper matmul, persistent: `hopper-ws` with several tiles to a block, one after the other.
 *
 * `blocks` blocks are launched, and `nd_loop` deals the tiles out to them (`tile-order.ts`: row by row, or in a planar snake). The ring does not know where a
 * tile ends: steps are counted through all tiles of the block, so while the last step of one tile is multiplied and stored, the first steps of the
 * next are fetched.
 *
 *     K = 3 steps, S = 2     tile 0           tile 1           of a block with two tiles
 *     step                   0   1   2        3   4   5
 *     slot                   0   1   0        1   0   1
 *     given back             -   0   1,2      -   3   -        2 when the sum of the tile is read; 4 and 5 are not filled again
 *
 * Before the loop over k a slot was given back one step late; at the end of a tile the sum is read, so all products are done and its last slot is
 * given back too. What is given back is what is filled again: of the steps of the block's last tiles, S are not.
 *
 * The accumulator starts again from zero at every tile. The store of a tile is either waited for (`epilogue: 'waited'`), or it runs on while the
 * next tile is multiplied (`'overlapped'`): then out_smem may be written again only when the copy has read it, which is waited for just before.
 *
 * Source: JAX docs, writing high-performance matrix multiplication kernels for Blackwell, 4. Persistent kernel (as on Hopper); Pallas:MGPU, `nd_loop`.
 */
import type * as E from 'fp-ts/lib/Either.js'
import * as Pallas from '../../dialects/pallas/index.js'
import { refuse, type Failure } from '../../failure.js'
import { bitsOf } from '../../numerics/dtype.js'
import * as B from '../../semantics/writing/builder.js'
import { add, and, eq, ge, i32, lt, mul, rem, slice, slot, sub } from '../../semantics/language/expression.js'
import type { Program } from '../../semantics/language/program.js'
import { illegalPersistent, tileLoop, type Persistent } from './tile-order.js'
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

export interface HopperPersistent extends HalvedTiles, Persistent {
  /** whether the store of a tile is waited for at once, or while the next tile is computed */
  readonly epilogue: 'overlapped' | 'waited'
}

/** The kernel. Refuses sizes that the tiles do not divide and tiles that wgmma, TMA or shared memory do not take. */
export const hopperPersistent = (c: HopperPersistent): E.Either<Failure, Program> => {
  const why = illegalHalves(c) ?? illegalPersistent(c)
  if (why !== null) return refuse('kernel.settings', `hopper-persistent: ${why}`)
  const { dtype, tileM, tileN, tileK } = c
  const [partM, partN] = partOf(c)
  const tiles = [c.m / tileM, c.n / tileN] as const
  return Pallas.kernel(
    {
      name: 'hopper-persistent',
      arch: 'sm90a',
      grid: [c.blocks],
      gridNames: ['block'],
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
      const K = i32(c.k / tileK)
      const S = i32(c.stages)
      const fresh = { parities: Pallas.freshParities }

      yield* Pallas.when('memory', eq(wg, i32(computeThreads)), function* memory() {
        yield* Pallas.setMaxRegisters('memory registers', memoryRegisters, { action: 'decrease' })
        yield* tileLoop(c, tiles, fresh, function* ({ mi, ni, localIndex }, carried) {
          const mStart = yield* B.letIn('m_start', Pallas.blockStart(mi, tileM))
          const nStart = yield* B.letIn('n_start', Pallas.blockStart(ni, tileN))
          return yield* B.forRange({ label: 'k', from: i32(0), to: K, carried }, function* (k, { parities }) {
            const step = yield* B.letIn('step', add(mul(localIndex, K), k))
            const s = yield* B.letIn('slot', rem(step, S))
            const next = yield* Pallas.barrierWait('wait consumed', consumed, s, parities, ge(step, S))
            const kStart = yield* B.letIn('k_start', Pallas.blockStart(k, tileK))
            const aBlock = Pallas.at(a, [mStart, kStart], [tileM, tileK])
            const bBlock = Pallas.at(b, [kStart, nStart], [tileK, tileN])
            yield* Pallas.copyGmemToSmem('copy a', aBlock, slot(aSmem, s), loaded, s)
            yield* Pallas.copyGmemToSmem('copy b', bBlock, slot(bSmem, s), loaded, s)
            return { parities: next }
          })
        })
      })

      yield* Pallas.when('compute', lt(wg, i32(computeThreads)), function* compute() {
        const registers = Pallas.computeRegisters(memoryRegisters, computeThreads)
        yield* Pallas.setMaxRegisters('compute registers', registers, { action: 'increase' })
        const { name } = yield* Pallas.threadHere('acc')
        const acc = yield* Pallas.ACC(`acc_${name}`, name, 'f32', [partM, partN])
        const [row, column] = partStart(c, wg)
        yield* tileLoop(c, tiles, fresh, function* ({ mi, ni, localIndex, numLocalSteps }, carried) {
          yield* Pallas.initAccumulator('zero acc', acc)
          const last = yield* B.letIn('last', mul(numLocalSteps, K))
          const next = yield* B.forRange(
            { label: 'k', from: i32(0), to: K, carried },
            function* (k, { parities }) {
              const step = yield* B.letIn('step', add(mul(localIndex, K), k))
              const s = yield* B.letIn('slot', rem(step, S))
              const waited = yield* Pallas.barrierWait('wait loaded', loaded, s, parities)
              const aPart = slice(slot(aSmem, s), [row, i32(0)], [partM, tileK])
              const bPart = slice(slot(bSmem, s), [i32(0), column], [tileK, partN])
              yield* Pallas.wgmma('wgmma', acc, aPart, bPart)
              yield* Pallas.wgmmaWait('wgmma_wait 1', 1)
              const before = yield* B.letIn('before', sub(step, i32(1)))
              const refilled = and(ge(k, i32(1)), lt(add(before, S), last))
              yield* Pallas.barrierArrive('arrive consumed', consumed, rem(add(before, S), S), refilled)
              return { parities: waited }
            },
          )
          const sum = yield* Pallas.readAccumulator('acc[...]', acc)
          // all products are done, so the last slot of the tile is free as well
          const end = yield* B.letIn('end', sub(mul(add(localIndex, i32(1)), K), i32(1)))
          yield* Pallas.barrierArrive('arrive consumed last', consumed, rem(end, S), lt(add(end, S), last))
          // the copy of the tile before has read out_smem
          if (c.epilogue === 'overlapped') yield* Pallas.waitSmemToGmem('wait out_smem', 0, true)
          const start = [add(Pallas.blockStart(mi, tileM), row), add(Pallas.blockStart(ni, tileN), column)]
          yield* storeTile(sum, dtype, slot(outSmem, wg), Pallas.at(out, start, [partM, partN]))
          if (c.epilogue === 'waited') yield* Pallas.waitSmemToGmem('wait out', 0)
          return next
        })
        if (c.epilogue === 'overlapped') yield* Pallas.waitSmemToGmem('wait out', 0)
      })
    },
  )
}
