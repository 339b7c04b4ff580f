/**
 * Operands that a tensor core reads as another dtype than the ref's.
 *
 * | ref  | as operand | as scale | because                                                                                          |
 * |------|------------|----------|--------------------------------------------------------------------------------------------------|
 * | f32  | tf32       |          | there are no f32 operands: of each element the upper 19 bits count, sign, exponent, 10 of fraction |
 * | e4m3 | e4m3       | ue4m3    | JAX has no unsigned dtype for scales; the sign bit is not looked at                               |
 * | u8   | i8         |          | of Mosaic GPU alone: its products of bytes have signs, whatever the array has                     |
 *
 *     1 + 2^-10 of f32    is multiplied as it is          1 + 2^-11   is multiplied as 1
 *     -2 of e4m3          scales by 2
 *     200 of u8           is multiplied as -56
 *
 * Law 1. Of any other dtype the view is itself.
 *
 * Source: PTX ISA, wgmma.mma_async and tcgen05.mma, kind::tf32 and kind::mxf4nvf4; JAX docs, Pallas:MGPU reference; Triton 3.6, its lowering of products of f32.
 */
import type { Dtype } from '../numerics/dtype.js'
import { reinterpret, type View } from '../semantics/language/expression.js'
import type { Space, ViewType } from '../semantics/language/types.js'

const readAs = <S extends Space>(
  of: View<S, Dtype, 2>,
  type: ViewType,
  from: Dtype,
  to: Dtype,
): View<S, Dtype, 2> => (type.dtype === from ? reinterpret<Dtype, 2, S>(of, to, type.layout) : of)

/** The view as an operand. */
export const asOperand = <S extends Space>(of: View<S, Dtype, 2>, type: ViewType): View<S, Dtype, 2> =>
  readAs(of, type, 'f32', 'tf32')

/** The view as an operand of Mosaic GPU. */
export const asSignedOperand = <S extends Space>(of: View<S, Dtype, 2>, type: ViewType): View<S, Dtype, 2> =>
  type.dtype === 'u8' ? readAs(of, type, 'u8', 'i8') : asOperand(of, type)

/** The dtype that a scale is read as. */
export const scaleDtype = (dtype: Dtype): Dtype => (dtype === 'e4m3' ? 'ue4m3' : dtype)

/** The view as scales. */
export const asScales = (of: View<'tmem', Dtype, 2>, type: ViewType): View<'tmem', Dtype, 2> =>
  readAs(of, type, 'e4m3', scaleDtype('e4m3'))
