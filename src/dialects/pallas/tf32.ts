/**
 * f32 operands of a tensor core: read as tf32.
 *
 * The tensor core has no f32 operands. A ref of f32 is given to it as it lies, and it looks at the upper 19 bits of each element: sign, exponent
 * and 10 bits of fraction; the lower 13 are ignored. That is tf32 in the same bytes.
 *
 *     1 + 2^-10   is multiplied as it is          1 + 2^-11   is multiplied as 1
 *
 * Law 1. Of any other dtype the view is itself.
 *
 * Source: PTX ISA, wgmma.mma_async and tcgen05.mma, kind::tf32; JAX docs, Pallas:MGPU reference, wgmma.
 */
import type { Dtype } from '../../numerics/dtype.js'
import { reinterpret, type View } from '../../semantics/language/expression.js'
import type { Space, ViewType } from '../../semantics/language/types.js'

/** The view as an operand. */
export const asOperand = <S extends Space>(of: View<S, Dtype, 2>, type: ViewType): View<S, Dtype, 2> =>
  type.dtype === 'f32' ? reinterpret<'tf32', 2, S>(of, 'tf32', type.layout) : of
