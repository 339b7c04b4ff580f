/**
 * Hopper matmul of integers: s8 and u8 operands, mixed or not, sums in s32, which leave as they are.
 *
 * `eight-bits.ts` says how operands of 8 bits lie. Of integers one instruction adds 32 products exactly, and its sum wraps, or, with
 * `saturate`, becomes the nearest number of 32 bits. Where no sum leaves 32 bits (k below 2^31 / 2^14 of s8, so below 131,072) the two are one,
 * and both are the textbook product.
 *
 *     s8, k 262,144, all -128: 2^32     wraps to 0     saturates at 2^31 - 1
 *
 * The product is written as the instruction: the surface multiplies with signs and wraps, and knows neither u8 nor `.satfinite`.
 *
 * Source: PTX ISA, wgmma.mma_async: matrix shapes and types, .satfinite.
 */
import type * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import { integerBlockK } from '../../numerics/integer-product.js'
import * as B from '../../semantics/writing/builder.js'
import { i1 } from '../../semantics/language/expression.js'
import type { Program } from '../../semantics/language/program.js'
import { eightBitMatmul } from './eight-bits.js'
import { leave, matmulSpec, type HopperTiles } from './tiles.js'

export type Byte = 'i8' | 'u8'

export interface HopperS8 extends Omit<HopperTiles, 'dtype'> {
  readonly aDtype: Byte
  readonly bDtype: Byte
  readonly saturate: boolean
}

/** The kernel. Refuses sizes that the tiles do not divide and tiles that wgmma, TMA or shared memory do not take. */
export const hopperS8 = (c: HopperS8): E.Either<Failure, Program> => {
  const sums = c.saturate ? { saturate: true } : {}
  return eightBitMatmul(c, {
    name: 'hopper-s8',
    accumulator: 'i32',
    outDtype: 'i32',
    computes: { ...matmulSpec(integerBlockK, 'i32'), ...sums },
    multiply: (label, acc, a, b) =>
      B.block(function* () {
        yield* B.run(label, {
          _tag: 'wgmma.mma',
          accumulator: acc.view,
          a,
          b,
          scaleD: i1(true),
          negateA: false,
          negateB: false,
          ...sums,
        })
        yield* B.run(`${label}.group`, { _tag: 'wgmma.commitGroup' })
      }),
    store: leave,
  })
}
