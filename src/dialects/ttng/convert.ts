/**
 * `ttg.convert_layout`: the same elements in other registers.
 *
 *     %8 = ttg.convert_layout %7 : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #blocked1>      convertLayout('8', o7, blocked1)
 *
 * A compiler does it by shuffles, or through a piece of shared memory of its own with barriers around it; here it is one step of the agent.
 *
 * Source: Triton, TritonGPU dialect.
 */
import type { DistributedSpec } from '../../layouts/triton/encoding.js'
import { block, letIn, type Build } from '../../semantics/writing/builder.js'
import * as X from '../../semantics/language/expression.js'
import type { PtrIndex, ScalarName } from '../../semantics/language/types.js'
import { layoutOf } from './tensor.js'
import { tensorHere, type Tensor } from './types.js'

export const convertLayout = <D extends ScalarName | PtrIndex, R extends number>(
  label: string,
  src: Tensor<D, R>,
  encoding: DistributedSpec,
): Build<Tensor<D, R>> =>
  block(function* () {
    const { shape } = yield* tensorHere(label, 'src', src)
    return yield* letIn(label, X.convertLayout(src, yield* layoutOf(label, encoding, shape)))
  })
