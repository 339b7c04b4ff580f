/**
 * Blackwell matmul with the dynamic scheduler: blocks that ask for the next tile while they work.
 *
 * The kernel is launched with a block for every tile. A block that runs computes its own tile, and asks the launcher for one that has not begun
 * (cluster launch control): if it is given one, that block is never launched, and this one computes its tile as well. Which block computes what
 * is known only when it runs; that every tile is computed once does not depend on it.
 *
 * Three threads, each of which asks and is answered alike:
 *
 *     wg0   memory     keeps a ring of `stages` slots full, on and on through all tiles of the block
 *     wg1   products   of tile i into accumulator i mod 2, then one commit for the tile
 *     wg2   epilogue   reads accumulator i mod 2, gives it back, casts, stores
 *
 *     tile          0          1          2                 3
 *     accumulator   0          1          0, given back     1, given back
 *     store               0          1             2               3
 *
 * So a tile is stored while the next one is multiplied. At the end it is not known before the last answer that there is no further tile, so what was
 * consumed and given back last is waited for after the loop: all barriers complete as often as they are waited for.
 *
 * Cluster launch control begins with sm_100a: there is no such kernel for Hopper, where `hopper-persistent` deals the tiles out.
 *
 * Fidelity: documented. Nothing here was captured on a Blackwell chip.
 *
 * Source: JAX docs, Pallas:MGPU, `dynamic_scheduling_loop`; writing high-performance matrix multiplication kernels for Blackwell, 5. Dedicated epilogue
 * warpgroup.
 */
import * as E from 'fp-ts/lib/Either.js'
import * as Pallas from '../../dialects/pallas/index.js'
import type { Failure } from '../../failure.js'
import * as B from '../../semantics/writing/builder.js'
import {
  add,
  cast,
  eq,
  ge,
  gt,
  i32,
  min,
  mul,
  rem,
  slice,
  slot,
  sub,
  type Int,
} from '../../semantics/language/expression.js'
import type { Program } from '../../semantics/language/program.js'
import { computes, setup, type TuningConfig } from './setup.js'

/** `stages`: slots of the ring. */
export type MatmulDynamic = TuningConfig

/** Tiles whose sums tensor memory holds at once. */
const accumulators = 2
const threadCount = 3

/** The kernel. Refuses sizes that the tiles do not divide and tiles that the tensor core, TMA or memory do not take. */
export const matmulDynamic = (c: MatmulDynamic): E.Either<Failure, Program> => {
  const made = setup('matmul-dynamic', c, { accumulators })
  if (E.isLeft(made)) return made
  const { dtype, tileM, tileN, tileK, stages, mIters, nIters, kIters, transforms } = made.right
  return Pallas.kernel(
    {
      name: 'matmul-dynamic',
      arch: 'sm100a',
      grid: [mIters, nIters],
      gridNames: ['m', 'n'],
      numThreads: threadCount,
      threadName: 'wg',
      computes,
    },
    function* () {
      return {
        a: yield* B.tensorParam('a', dtype, [c.m, c.k], { role: 'in' }),
        b: yield* B.tensorParam('b', dtype, [c.k, c.n], { role: 'in' }),
        out: yield* B.tensorParam('out', dtype, [c.m, c.n], { role: 'out' }),
        aSmem: yield* Pallas.SMEM('a_smem', dtype, [stages, tileM, tileK], { transforms }),
        bSmem: yield* Pallas.SMEM('b_smem', dtype, [stages, tileK, tileN], { transforms }),
        accTmem: yield* Pallas.TMEM('acc_tmem', 'f32', [tileM, accumulators * tileN]),
        outSmem: yield* Pallas.SMEM('out_smem', dtype, [tileM, tileN], { transforms }),
        // one arrival for each operand's copy
        loaded: yield* Pallas.Barrier('loaded', { numArrivals: 2, numBarriers: stages }),
        consumed: yield* Pallas.Barrier('consumed', { numBarriers: stages, ordersTensorCore: true }),
        multiplied: yield* Pallas.Barrier('multiplied', {
          numBarriers: accumulators,
          ordersTensorCore: true,
        }),
        read: yield* Pallas.Barrier('read', { numBarriers: accumulators, ordersTensorCore: true }),
      }
    },
    function* ({ a, b, out, aSmem, bSmem, accTmem, outSmem, loaded, consumed, multiplied, read }) {
      const wg = yield* Pallas.axisIndex('wg')
      const K = i32(kIters)
      const S = i32(stages)
      const two = i32(accumulators)
      const scheduling = { gridNames: ['m', 'n'], threadAxis: 'wg' }
      const accOf = (tile: Int): typeof accTmem =>
        slice(accTmem, [i32(0), mul(rem(tile, two), i32(tileN))], [tileM, tileN])

      /** Waits for the completions that were not waited for: of the last `kept` of `total`. */
      const drain = (
        name: string,
        barrier: Pallas.Barrier,
        total: Int,
        kept: Int,
        parities: Int,
      ): B.Build<void> =>
        B.block(function* () {
          yield* B.forRange(
            { label: `drain ${name}`, from: sub(total, min(total, kept)), to: total, carried: { parities } },
            function* (i, now) {
              return {
                parities: yield* Pallas.barrierWait(`wait ${name} last`, barrier, rem(i, kept), now.parities),
              }
            },
          )
        })

      yield* Pallas.when('memory', eq(wg, i32(0)), function* memory() {
        const { tiles, free } = yield* Pallas.dynamicSchedulingLoop(
          'tile',
          scheduling,
          { tiles: i32(0), free: Pallas.freshParities },
          function* ({ index: [mi, ni], localIndex }, carried) {
            const mStart = yield* B.letIn('m_start', Pallas.blockStart(mi!, tileM))
            const nStart = yield* B.letIn('n_start', Pallas.blockStart(ni!, tileN))
            const now = yield* B.forRange(
              { label: 'k', from: i32(0), to: K, carried: { free: carried.free } },
              function* (k, at) {
                const step = yield* B.letIn('step', add(mul(localIndex, K), k))
                const s = yield* B.letIn('slot', rem(step, S))
                const next = yield* Pallas.barrierWait('wait consumed', consumed, s, at.free, ge(step, S))
                const kStart = yield* B.letIn('k_start', Pallas.blockStart(k, tileK))
                const aBlock = Pallas.at(a, [mStart, kStart], [tileM, tileK])
                const bBlock = Pallas.at(b, [kStart, nStart], [tileK, tileN])
                yield* Pallas.copyGmemToSmem('copy a', aBlock, slot(aSmem, s), loaded, s)
                yield* Pallas.copyGmemToSmem('copy b', bBlock, slot(bSmem, s), loaded, s)
                return { free: next }
              },
            )
            return { tiles: add(localIndex, i32(1)), free: now.free }
          },
        )
        yield* drain('consumed', consumed, mul(tiles, K), S, free)
      })

      yield* Pallas.when('products', eq(wg, i32(1)), function* products() {
        const fresh = { tiles: i32(0), full: Pallas.freshParities, free: Pallas.freshParities }
        const { tiles, free } = yield* Pallas.dynamicSchedulingLoop(
          'tile',
          scheduling,
          fresh,
          function* ({ localIndex }, carried) {
            const which = yield* B.letIn('accumulator', rem(localIndex, two))
            const used = ge(localIndex, two)
            const free = yield* Pallas.barrierWait('wait read', read, which, carried.free, used)
            const { full } = yield* B.forRange(
              { label: 'k', from: i32(0), to: K, carried: { full: carried.full } },
              function* (k, at) {
                const s = yield* B.letIn('slot', rem(add(mul(localIndex, K), k), S))
                const next = yield* Pallas.barrierWait('wait loaded', loaded, s, at.full)
                yield* Pallas.tcgen05Mma(
                  'tcgen05_mma',
                  accOf(localIndex),
                  slot(aSmem, s),
                  slot(bSmem, s),
                  consumed,
                  s,
                  gt(k, i32(0)),
                )
                return { full: next }
              },
            )
            yield* Pallas.tcgen05CommitArrive('commit multiplied', multiplied, which)
            return { tiles: add(localIndex, i32(1)), full, free }
          },
        )
        yield* drain('read', read, tiles, two, free)
      })

      yield* Pallas.when('epilogue', eq(wg, i32(2)), function* epilogue() {
        const { name } = yield* Pallas.threadHere('load acc')
        yield* Pallas.dynamicSchedulingLoop(
          'tile',
          scheduling,
          { done: Pallas.freshParities },
          function* ({ index: [mi, ni], localIndex }, carried) {
            const which = yield* B.letIn('accumulator', rem(localIndex, two))
            const done = yield* Pallas.barrierWait('wait multiplied', multiplied, which, carried.done)
            const acc = yield* Pallas.asyncLoadTmem('load acc', name, accOf(localIndex), [tileM, tileN])
            // the read is over before the accumulator is given back
            yield* Pallas.waitLoadTmem('wait_load_tmem')
            yield* Pallas.barrierArrive('arrive read', read, which)
            // the copy of the tile before has read out_smem
            yield* Pallas.waitSmemToGmem('wait out_smem', 0, true)
            yield* B.run('out_smem[...] = acc', {
              _tag: 'smem.store',
              destination: outSmem,
              value: cast(acc, dtype),
            })
            yield* Pallas.commitSmem('commit_smem')
            const start = [Pallas.blockStart(mi!, tileM), Pallas.blockStart(ni!, tileN)]
            yield* Pallas.copySmemToGmem('copy out', outSmem, Pallas.at(out, start, [tileM, tileN]))
            return { done }
          },
        )
        yield* Pallas.waitSmemToGmem('wait out', 0)
      })
    },
  )
}
