/**
 * Computed values: sums and products that a warp has made in its registers, as it says them with what it writes next.
 *
 * The values that a warp has computed are numbered from 0 in their order. Operands are stretches of bytes, as those of an `Origin` are: of values that were read,
 * or of computed ones before this; a number that no data has made is a stretch of `constant`, with its word in the place of a first byte. A computed value is its elements, one behind the other.
 *
 *     fma.rn.f32 %f3, %f1, %f2, %f3 of 32 lanes     32 elements of f32: those of the first, times those of the second, and those of the third added
 *     mma.sync.m16n8k16                             128 elements of f32: a (16, 16), b (16, 8) and c (16, 8), row by row
 *
 * Source: PTX ISA, floating-point instructions; mma.
 */
import type { Dtype } from '../../numerics/dtype.js'

/** Three numbers a stretch (`Origin`). */
export type Stretches = ReadonlyArray<number>

export type Computed =
  | { readonly _tag: 'add'; readonly dtype: Dtype; readonly x: Stretches; readonly y: Stretches }
  | { readonly _tag: 'multiply'; readonly dtype: Dtype; readonly x: Stretches; readonly y: Stretches }
  | {
      readonly _tag: 'multiplyAdd'
      readonly dtype: Dtype
      readonly x: Stretches
      readonly y: Stretches
      readonly z: Stretches
    }
  | {
      readonly _tag: 'matrices'
      readonly m: number
      readonly n: number
      readonly k: number
      readonly aType: Dtype
      readonly bType: Dtype
      readonly cType: Dtype
      readonly dtype: Dtype
      readonly a: Stretches
      readonly b: Stretches
      readonly c: Stretches
    }

/** In place of a value's number: the computed value n of the agent that writes is `firstComputed - n`. */
export const firstComputed = -3
