/**
 * Hopper matmul, ping-pong: two warpgroups that take turns at the tensor core, each with tiles of its own.
 *
 * A persistent kernel (`tile-order.ts`). Of the tiles of a block `wg0` computes the first, third, fifth, `wg1` the others. While one multiplies, the
 * other reads its accumulator, casts and stores: the tensor core is not idle during an epilogue.
 *
 *     wg0    multiply 0 | store 0    | multiply 2 | store 2
 *     wg1               | multiply 1 | store 1    | multiply 3 | store 3
 *     turn   arrive 1   -> wait 1  arrive 0 -> wait 0  arrive 1 -> ...
 *
 * The order is handed over by two barriers: thread t waits for `turn[t]` before it multiplies (its first tile of all needs no leave), and
 * arrives on the other's when its products are issued. Without them the results would be the same; the two would multiply at the same time and
 * store at the same time.
 *
 * Each thread has a ring of `stages` slots of its own, since a thread that waits for a barrier must wait for all of its completions: in one
 * ring for both each would skip the other's. `wg2` fills the rings in the order of the tiles.
 *
 * Source: JAX docs, Pallas:MGPU reference (barriers); CUTLASS, ping-pong schedule of warp-specialised kernels.
 */
import type * as E from 'fp-ts/lib/Either.js'
import * as Pallas from '../../dialects/pallas/index.js'
import { refuse, type Failure } from '../../failure.js'
import { bitsOf } from '../../numerics/dtype.js'
import * as B from '../../semantics/writing/builder.js'
import {
  add,
  and,
  eq,
  ge,
  i32,
  lt,
  mul,
  quo,
  rem,
  slot,
  sub,
  type Int,
} from '../../semantics/language/expression.js'
import type { Program } from '../../semantics/language/program.js'
import { illegalPersistent, tileLoop, type Persistent } from './tile-order.js'
import {
  computeThreads,
  illegalTiles,
  matmulSpec,
  memoryRegisters,
  storeTile,
  tooWide,
  wgmmaUnits,
  type HopperTiles,
} from './tiles.js'

/** `stages`: slots of the ring of each of the two. */
export type HopperPingPong = HopperTiles & Persistent

/** The kernel. Refuses sizes that the tiles do not divide and tiles that wgmma, TMA or shared memory do not take. */
export const hopperPingPong = (c: HopperPingPong): E.Either<Failure, Program> => {
  const why =
    illegalTiles(c, {
      ...wgmmaUnits,
      stages: [2, 16, 'two rings of at most 32 barriers, where a slot is given back one step late'],
    }) ??
    tooWide(c.tileN) ??
    illegalPersistent(c)
  if (why !== null) return refuse('kernel.settings', `hopper-ping-pong: ${why}`)
  const { dtype, tileM, tileN, tileK, stages } = c
  const tiles = [c.m / tileM, c.n / tileN] as const
  const slots = computeThreads * stages
  return Pallas.kernel(
    {
      name: 'hopper-ping-pong',
      arch: 'sm90a',
      grid: [c.blocks],
      gridNames: ['block'],
      numThreads: computeThreads + 1,
      threadName: 'wg',
      computes: matmulSpec(),
    },
    function* () {
      const transforms = yield* B.fromEither(Pallas.mmaTransforms(bitsOf(dtype), [tileK, tileN]))
      const outTransforms = yield* B.fromEither(Pallas.mmaTransforms(bitsOf(dtype), [tileN]))
      return {
        a: yield* B.tensorParam('a', dtype, [c.m, c.k], { role: 'in' }),
        b: yield* B.tensorParam('b', dtype, [c.k, c.n], { role: 'in' }),
        out: yield* B.tensorParam('out', dtype, [c.m, c.n], { role: 'out' }),
        aSmem: yield* B.sharedMemory('a_smem', dtype, [slots, tileM, tileK], transforms),
        bSmem: yield* B.sharedMemory('b_smem', dtype, [slots, tileK, tileN], transforms),
        outSmem: yield* B.sharedMemory('out_smem', dtype, [computeThreads, tileM, tileN], outTransforms),
        // one arrival for each operand's copy
        loaded: yield* Pallas.Barrier('loaded', { numArrivals: 2, numBarriers: [computeThreads, stages] }),
        consumed: yield* Pallas.Barrier('consumed', { numBarriers: [computeThreads, stages] }),
        turn: yield* Pallas.Barrier('turn', { numBarriers: computeThreads }),
      }
    },
    function* ({ a, b, out, aSmem, bSmem, outSmem, loaded, consumed, turn }) {
      const wg = yield* Pallas.axisIndex('wg')
      const K = i32(c.k / tileK)
      const S = i32(stages)
      const two = i32(computeThreads)
      /** The slot of a step in the ring of a thread. */
      const slotOf = (t: Int, s: Int): Int => add(mul(t, S), s)

      yield* Pallas.when('memory', eq(wg, two), function* memory() {
        yield* Pallas.setMaxRegisters('memory registers', memoryRegisters, { action: 'decrease' })
        const fresh = { parities: Pallas.freshParities }
        yield* tileLoop(c, tiles, fresh, function* ({ mi, ni, localIndex }, carried) {
          const mStart = yield* B.letIn('m_start', Pallas.blockStart(mi, tileM))
          const nStart = yield* B.letIn('n_start', Pallas.blockStart(ni, tileN))
          // whose tile it is, and which of its own
          const t = yield* B.letIn('thread', rem(localIndex, two))
          const own = yield* B.letIn('own', quo(localIndex, two))
          return yield* B.forRange({ label: 'k', from: i32(0), to: K, carried }, function* (k, { parities }) {
            const step = yield* B.letIn('step', add(mul(own, K), k))
            const s = yield* B.letIn('slot', rem(step, S))
            const next = yield* Pallas.barrierWait('wait consumed', consumed, [t, s], parities, ge(step, S))
            const kStart = yield* B.letIn('k_start', Pallas.blockStart(k, tileK))
            const aBlock = Pallas.at(a, [mStart, kStart], [tileM, tileK])
            const bBlock = Pallas.at(b, [kStart, nStart], [tileK, tileN])
            yield* Pallas.copyGmemToSmem('copy a', aBlock, slot(aSmem, slotOf(t, s)), loaded, [t, s])
            yield* Pallas.copyGmemToSmem('copy b', bBlock, slot(bSmem, slotOf(t, s)), loaded, [t, s])
            return { parities: next }
          })
        })
      })

      yield* Pallas.when('compute', lt(wg, two), function* compute() {
        const registers = Pallas.computeRegisters(memoryRegisters, computeThreads)
        yield* Pallas.setMaxRegisters('compute registers', registers, { action: 'increase' })
        const { name, index: thread } = yield* Pallas.threadHere('acc')
        const acc = yield* Pallas.ACC(`acc_${name}`, name, 'f32', [tileM, tileN])
        const fresh = { parities: Pallas.freshParities, turns: Pallas.freshParities }
        yield* tileLoop(c, tiles, fresh, function* ({ mi, ni, localIndex, numLocalSteps }, carried) {
          return yield* Pallas.cond(
            'mine',
            eq(rem(localIndex, two), wg),
            function* () {
              const own = yield* B.letIn('own', quo(localIndex, two))
              // steps of all tiles of this thread: of n tiles of the block it has (n + 1 - thread) div 2
              const last = yield* B.letIn('last', mul(quo(add(numLocalSteps, i32(1 - thread)), two), K))
              yield* Pallas.initAccumulator('zero acc', acc)
              const turns = yield* Pallas.barrierWait(
                'wait turn',
                turn,
                wg,
                carried.turns,
                ge(localIndex, i32(1)),
              )
              const { parities } = yield* B.forRange(
                { label: 'k', from: i32(0), to: K, carried: { parities: carried.parities } },
                function* (k, now) {
                  const step = yield* B.letIn('step', add(mul(own, K), k))
                  const s = yield* B.letIn('slot', rem(step, S))
                  const next = yield* Pallas.barrierWait('wait loaded', loaded, [wg, s], now.parities)
                  const at = slotOf(wg, s)
                  yield* Pallas.wgmma('wgmma', acc, slot(aSmem, at), slot(bSmem, at))
                  yield* Pallas.wgmmaWait('wgmma_wait 1', 1)
                  const before = yield* B.letIn('before', sub(step, i32(1)))
                  const free = yield* B.letIn('free', rem(add(before, S), S))
                  const refilled = and(ge(k, i32(1)), lt(add(before, S), last))
                  yield* Pallas.barrierArrive('arrive consumed', consumed, [wg, free], refilled)
                  return { parities: next }
                },
              )
              // the products are issued: the other may go on, if there is another tile
              const more = lt(add(localIndex, i32(1)), numLocalSteps)
              yield* Pallas.barrierArrive('arrive turn', turn, sub(i32(1), wg), more)
              const sum = yield* Pallas.readAccumulator('acc[...]', acc)
              const end = yield* B.letIn('end', sub(mul(add(own, i32(1)), K), i32(1)))
              const again = lt(add(end, S), last)
              yield* Pallas.barrierArrive('arrive consumed last', consumed, [wg, rem(end, S)], again)
              // the copy of this thread's tile before has read out_smem
              yield* Pallas.waitSmemToGmem('wait out_smem', 0, true)
              const start = [Pallas.blockStart(mi, tileM), Pallas.blockStart(ni, tileN)]
              yield* storeTile(sum, dtype, slot(outSmem, wg), Pallas.at(out, start, [tileM, tileN]))
              return { parities, turns }
            },
            function* () {
              return yield* B.of(carried)
            },
          )
        })
        yield* Pallas.waitSmemToGmem('wait out', 0)
      })
    },
  )
}
