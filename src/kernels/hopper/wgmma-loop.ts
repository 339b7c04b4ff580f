/**
 * wgmma-loop: one thread that loads ahead and multiplies, without a second thread to help.
 *
 * `buffers` slots are filled before the loop. Step i multiplies slot i mod S and then, knowing that no wgmma but the last one still runs,
 * fills the slot of step i - 1 with the operands of step i + S - 1:
 *
 *     step i:  wait a_loaded, b_loaded[i mod S]   wgmma slot i mod S
 *              load_i = i + S - 1   load_slot = load_i mod S = (i - 1) mod S   fetch load_i into load_slot (if S <= load_i < steps)
 *
 *     S = 3     step 0   step 1   step 2   step 3
 *     wgmma     slot 0   slot 1   slot 2   slot 0
 *     refills   -        slot 0   slot 1   slot 2
 *
 * What makes that knowledge true:
 *
 *     wgmmaWait     explicitWait   when step i refills slot (i - 1) mod S
 *     documented    either         wgmma i has waited for wgmma i - 1: clean
 *     implemented   true           wgmma_wait(1) has: clean
 *     implemented   false          wgmma i - 1 may still read the slot: W3
 *
 * The page prints `fetch_a_b(load_i, slot)`: it computes `load_slot` and does not use it. `refills: 'slot'` is that loop. It overwrites the
 * slot that the wgmma it has just issued reads, and waits for a slot that is not filled: see `broken/wgmma-loop.ts`.
 *
 * Source: JAX docs, Pallas:MGPU reference, wgmma (waiting for completion).
 */
import type * as E from 'fp-ts/lib/Either.js'
import * as Pallas from '../../dialects/pallas/index.js'
import { refuse, type Failure } from '../../failure.js'
import { bitsOf } from '../../numerics/dtype.js'
import * as B from '../../semantics/writing/builder.js'
import { add, and, ge, i32, lt, rem, slot, type Int } from '../../semantics/language/expression.js'
import type { Program } from '../../semantics/language/program.js'
import {
  illegalTiles,
  matmulSpec,
  storeTile,
  tooWide,
  wgmmaUnits,
  type HopperTiles,
  type Units,
} from './tiles.js'

/** `stages`: slots of the ring, `buffers` on the page. */
export interface WgmmaLoop extends HopperTiles {
  /** whether a wgmma waits for the previous ones */
  readonly wgmmaWait: Pallas.WgmmaWait
  /** `wgmma_wait(1)` after every wgmma */
  readonly explicitWait: boolean
}

/** The slot that a step refills: the one it computed for that, or the one it has just multiplied (as printed). */
export type Refills = 'load_slot' | 'slot'

const refilled: Units = {
  ...wgmmaUnits,
  stages: [2, 32, 'since a slot is refilled one step after it is read'],
}

/** The loop, corrected. */
export const wgmmaLoop = (c: WgmmaLoop): E.Either<Failure, Program> => wgmmaLoopThat('load_slot', c)

/** The loop that refills one slot or the other. Refuses sizes that the tiles do not divide and tiles that wgmma or TMA do not take. */
export const wgmmaLoopThat = (refills: Refills, c: WgmmaLoop): E.Either<Failure, Program> => {
  const why = illegalTiles(c, refilled) ?? tooWide(c.tileN)
  if (why !== null) return refuse('kernel.settings', `wgmma-loop: ${why}`)
  const numSteps = c.k / c.tileK
  const buffers = c.stages
  return B.kernel(
    {
      name: 'wgmma-loop',
      arch: 'sm90a',
      grid: [c.m / c.tileM, c.n / c.tileN],
      agents: [B.warpgroup('thread', 0)],
      computes: matmulSpec(),
    },
    function* () {
      const bits = bitsOf(c.dtype)
      const transforms = yield* B.fromEither(Pallas.mmaTransforms(bits, [c.tileK, c.tileN]))
      const outTransforms = yield* B.fromEither(Pallas.mmaTransforms(bits, [c.tileN]))

      const aGmem = yield* B.tensorParam('a', c.dtype, [c.m, c.k], { role: 'in' })
      const bGmem = yield* B.tensorParam('b', c.dtype, [c.k, c.n], { role: 'in' })
      const outGmem = yield* B.tensorParam('out', c.dtype, [c.m, c.n], { role: 'out' })
      const aSmem = yield* B.sharedMemory('a_smem', c.dtype, [buffers, c.tileM, c.tileK], transforms)
      const bSmem = yield* B.sharedMemory('b_smem', c.dtype, [buffers, c.tileK, c.tileN], transforms)
      const outSmem = yield* B.sharedMemory('out_smem', c.dtype, [c.tileM, c.tileN], outTransforms)
      const acc = yield* Pallas.ACC('acc', 'thread', 'f32', [c.tileM, c.tileN])
      const aLoaded = yield* Pallas.Barrier('a_loaded', { numBarriers: buffers })
      const bLoaded = yield* Pallas.Barrier('b_loaded', { numBarriers: buffers })

      const m = yield* B.letIn('m_start', Pallas.blockStart(Pallas.programId(0), c.tileM))
      const n = yield* B.letIn('n_start', Pallas.blockStart(Pallas.programId(1), c.tileN))

      const fetchAB = (label: string, ki: Int, into: Int, when?: B.DoOptions['when']): B.Build<void> =>
        B.block(function* () {
          const k = yield* B.letIn('k_start', Pallas.blockStart(ki, c.tileK))
          const aSlice = Pallas.at(aGmem, [m, k], [c.tileM, c.tileK])
          const bSlice = Pallas.at(bGmem, [k, n], [c.tileK, c.tileN])
          yield* Pallas.copyGmemToSmem(`${label} a`, aSlice, slot(aSmem, into), aLoaded, into, { when })
          yield* Pallas.copyGmemToSmem(`${label} b`, bSlice, slot(bSmem, into), bLoaded, into, { when })
        })

      const thread = function* (): Generator<B.Step, void, unknown> {
        yield* Pallas.initAccumulator('zero acc', acc)
        for (let s = 0; s < Math.min(buffers, numSteps); s++)
          yield* fetchAB(`fetch[${String(s)}]`, i32(s), i32(s))
        yield* B.forRange(
          {
            label: 'i',
            from: i32(0),
            to: i32(numSteps),
            carried: { a: Pallas.freshParities, b: Pallas.freshParities },
          },
          function* (i, parities) {
            const s = yield* B.letIn('slot', rem(i, i32(buffers)))
            const a = yield* Pallas.barrierWait('wait a_loaded', aLoaded, s, parities.a)
            const b = yield* Pallas.barrierWait('wait b_loaded', bLoaded, s, parities.b)
            yield* Pallas.wgmma('wgmma', acc, slot(aSmem, s), slot(bSmem, s), c.wgmmaWait)
            if (c.explicitWait) yield* Pallas.wgmmaWait('wgmma_wait 1', 1)
            // Only the last wgmma is running, so another slot can be filled
            const loadI = yield* B.letIn('load_i', add(i, i32(buffers - 1)))
            const loadSlot = yield* B.letIn('load_slot', rem(loadI, i32(buffers)))
            const inRange = and(ge(loadI, i32(buffers)), lt(loadI, i32(numSteps)))
            yield* fetchAB('refill', loadI, refills === 'slot' ? s : loadSlot, inRange)
            return { a, b }
          },
        )
        const sum = yield* Pallas.readAccumulator('acc[...]', acc)
        yield* storeTile(sum, c.dtype, outSmem, Pallas.at(outGmem, [m, n], [c.tileM, c.tileN]))
        yield* Pallas.waitSmemToGmem('wait out', 0)
      }

      yield* Pallas.threads([aLoaded, bLoaded], [{ name: 'thread', body: thread }])
    },
  )
}
