/**
 * A matmul of 8-bit elements: what `hopper-fp8` and `hopper-s8` have in common, which is everything but the product and its sums.
 *
 * `hopper-ws` by rows, with one difference. The tensor core transposes operands of 16 bits on the way and no others: of 8-bit operands both
 * must run along k in memory (K-major). a (m, k) row by row does. b is the (k, n) matrix of the product, but lies column by column, as an
 * (n, k) array: its copies see the transpose, its slots are (tileN, tileK), and `transpose_ref` turns a slot into the (tileK, tileN) operand.
 *
 *     b, k 64, n 32       element (x, y) at byte 64 y + x         b.T (32, 64) row-major: what TMA reads
 *     b_smem[slot]        (tileN, tileK), tiled (8, 128) and swizzled by 128 bytes where tileK is a multiple of 128
 *     wgmma               b_smem[slot].T (tileK, tileN), major k
 *
 * And one instruction adds 32 products, not 16.
 *
 * Source: JAX docs, Pallas:MGPU reference, wgmma (dtypes, transposed operands); PTX ISA, wgmma.mma_async, matrix shapes and types.
 */
import * as E from 'fp-ts/lib/Either.js'
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
  rem,
  slice,
  slot,
  sub,
  type Tile,
  type View,
} from '../../semantics/language/expression.js'
import type { Program, Spec } from '../../semantics/language/program.js'
import {
  computeThreads,
  illegalTiles,
  memoryRegisters,
  tooWide,
  wgmmaUnits,
  type HopperTiles,
  type OutDtype,
} from './tiles.js'

export type EightBits = 'e4m3' | 'e5m2' | 'i8' | 'u8'

export interface EightBitTiles extends Omit<HopperTiles, 'dtype'> {
  readonly aDtype: EightBits
  readonly bDtype: EightBits
}

/** What is multiplied into what, and how a tile of sums leaves. */
export interface Sums<Acc extends 'f32' | 'i32', Out extends OutDtype | 'i32'> {
  readonly name: string
  readonly accumulator: Acc
  readonly outDtype: Out
  readonly computes: Spec
  /** one group of products: acc += a @ b */
  readonly multiply: (
    label: string,
    acc: Pallas.Accumulator<Acc>,
    a: View<'smem', EightBits, 2>,
    b: View<'smem', EightBits, 2>,
  ) => B.Build<void>
  readonly store: (
    sum: Tile<B.ElementIndex<Acc>, 2>,
    outSmem: View<'smem', Out, 2>,
    out: Pallas.GmemSlice<Out, 2>,
  ) => B.Build<void>
}

/** Products that one instruction adds up. */
export const eightBitBlockK = 32

/** Why these settings are no kernel, or null. */
const illegal = (c: EightBitTiles): string | null =>
  illegalTiles(c, {
    ...wgmmaUnits,
    m: [128, 'the rows of one wgmma for each of two warpgroups'],
    k: [eightBitBlockK, 'the k of one wgmma'],
  }) ?? tooWide(c.tileN)

/** The kernel. Refuses sizes that the tiles do not divide and tiles that wgmma, TMA or shared memory do not take. */
export const eightBitMatmul = <Acc extends 'f32' | 'i32', Out extends OutDtype | 'i32'>(
  c: EightBitTiles,
  { name: kernel, accumulator, outDtype, computes, multiply, store }: Sums<Acc, Out>,
): E.Either<Failure, Program> => {
  const why = illegal(c)
  if (why !== null) return refuse('kernel.settings', `${kernel}: ${why}`)
  const { aDtype, bDtype, tileM, tileN, tileK } = c
  const partM = tileM / computeThreads
  return Pallas.kernel(
    {
      name: kernel,
      arch: 'sm90a',
      grid: [c.m / tileM, c.n / tileN],
      gridNames: ['m', 'n'],
      numThreads: computeThreads + 1,
      threadName: 'wg',
      computes,
    },
    function* () {
      const transforms = yield* B.fromEither(Pallas.mmaTransforms(8, [tileK]))
      const outTransforms = yield* B.fromEither(Pallas.mmaTransforms(bitsOf(outDtype), [tileN]))
      return {
        a: yield* B.tensorParam('a', aDtype, [c.m, c.k], { role: 'in' }),
        // column by column: k runs fastest
        b: yield* B.tensorParam('b', bDtype, [c.k, c.n], { role: 'in', strides: [1, c.k] }),
        out: yield* B.tensorParam('out', outDtype, [c.m, c.n], { role: 'out' }),
        aSmem: yield* B.sharedMemory('a_smem', aDtype, [c.stages, tileM, tileK], transforms),
        bSmem: yield* B.sharedMemory('b_smem', bDtype, [c.stages, tileN, tileK], transforms),
        outSmem: yield* B.sharedMemory('out_smem', outDtype, [computeThreads, partM, tileN], outTransforms),
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
        const bT = Pallas.transposeGmem(b)
        yield* B.forRange(
          { label: 'k', from: i32(0), to: K, carried: { parities: Pallas.freshParities } },
          function* (k, { parities }) {
            const s = yield* B.letIn('slot', rem(k, S))
            const next = yield* Pallas.barrierWait('wait consumed', consumed, s, parities, ge(k, S))
            const kStart = yield* B.letIn('k_start', Pallas.blockStart(k, tileK))
            const aBlock = Pallas.at(a, [mStart, kStart], [tileM, tileK])
            const bBlock = Pallas.at(bT, [nStart, kStart], [tileN, tileK])
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
        const acc = yield* Pallas.ACC(`acc_${name}`, name, accumulator, [partM, tileN])
        yield* Pallas.initAccumulator('zero acc', acc)
        const row = mul(wg, i32(partM))
        yield* B.forRange(
          { label: 'k', from: i32(0), to: K, carried: { parities: Pallas.freshParities } },
          function* (k, { parities }) {
            const s = yield* B.letIn('slot', rem(k, S))
            const next = yield* Pallas.barrierWait('wait loaded', loaded, s, parities)
            const aPart = slice(slot(aSmem, s), [row, i32(0)], [partM, tileK])
            const bOperand = yield* Pallas.transposeRef('b_smem.T', slot(bSmem, s), [1, 0])
            yield* multiply('wgmma', acc, aPart, bOperand)
            yield* Pallas.wgmmaWait('wgmma_wait 1', 1)
            const before = yield* B.letIn('before', sub(k, i32(1)))
            const refilled = and(ge(k, i32(1)), lt(add(before, S), K))
            yield* Pallas.barrierArrive('arrive consumed', consumed, rem(add(before, S), S), refilled)
            return { parities: next }
          },
        )
        const sum = yield* Pallas.readAccumulator('acc[...]', acc)
        const start = [add(mStart, row), nStart]
        yield* store(sum, slot(outSmem, wg), Pallas.at(out, start, [partM, tileN]))
        yield* Pallas.waitSmemToGmem('wait out', 0)
      })
    },
  )
}
