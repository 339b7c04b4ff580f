/**
 * Hopper matmul of 8-bit floats: e4m3 and e5m2 operands, mixed or not, sums in f32.
 *
 * `eight-bits.ts` says how operands of 8 bits lie. Of floats one instruction adds 32 products with 13 bits below the largest exponent, toward
 * zero: sums of 8-bit products on Hopper are far from f32's own precision, and the bits are those of that chain. (Kernels that need more add
 * the accumulator to another one every so many steps; this one does not.)
 *
 *     e4m3, one instruction, 31 products of 2^-6 * 2^-8 and one of 1 * 1    1: each of the others is below 2^-13 and is dropped
 *     the 1 in the first, the others in the next       the same: the accumulator is one of the terms
 *
 * Source: JAX docs, Pallas:MGPU reference, wgmma (dtypes); PTX ISA, wgmma.mma_async, matrix shapes and types.
 */
import type * as E from 'fp-ts/lib/Either.js'
import * as Pallas from '../../dialects/pallas/index.js'
import type { Failure } from '../../failure.js'
import type { Program } from '../../semantics/language/program.js'
import { eightBitBlockK, eightBitMatmul } from './eight-bits.js'
import { matmulSpec, storeTile, type HopperTiles, type OutDtype } from './tiles.js'

export type EightBitFloat = 'e4m3' | 'e5m2'

export interface HopperFp8 extends Omit<HopperTiles, 'dtype'> {
  readonly aDtype: EightBitFloat
  readonly bDtype: EightBitFloat
  readonly outDtype: OutDtype
}

/** The kernel. Refuses sizes that the tiles do not divide and tiles that wgmma, TMA or shared memory do not take. */
export const hopperFp8 = (c: HopperFp8): E.Either<Failure, Program> =>
  eightBitMatmul(c, {
    name: 'hopper-fp8',
    accumulator: 'f32',
    outDtype: c.outDtype,
    computes: matmulSpec(eightBitBlockK),
    multiply: (label, acc, a, b) => Pallas.wgmma(label, acc, a, b),
    store: (sum, outSmem, out) => storeTile(sum, c.outDtype, outSmem, out),
  })
