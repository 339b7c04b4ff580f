/**
 * From an encoding and a shape to a linear layout.
 *
 *     toLinear: (encoding, shape) -> (register, lane, warp, block) | (offset, block) | (row, col, block) -> (dim0, dim1, ...)
 *
 * Laws
 * 1. The inputs are those of the kind of memory, in this order; the outputs are those of the shape, in theirs.
 * 2. `onShape(spec)` is `toLinear` of the encoding that the spec is, or the reason why it is none.
 *
 * Source: Triton, `toLinearLayout`.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../failure.js'
import { unreachable } from '../../failure.js'
import { rememberedBy } from '../../remembered.js'
import type { Shape } from '../../transforms/shape.js'
import type { LinearLayout } from '../linear/linear-layout.js'
import type { Converted, ToLinearError } from './blocks.js'
import { checkedShape } from './blocks.js'
import { distributedToLinear } from './distributed.js'
import type { Encoding, EncodingError, EncodingSpec } from './encoding.js'
import { encoding, rankOf } from './encoding.js'
import { sharedToLinear } from './shared.js'
import { tensorMemoryToLinear } from './tensor-memory.js'

/** The layout of a tensor of this shape. Refuses another rank, extents that are not powers of two, and shapes smaller than the encoding's unit. */
export const toLinear = (spec: Encoding, shape: Shape): Converted =>
  converted(spec, shape.join(), () => convert(spec, shape))

const converted = rememberedBy<Encoding, string, Converted>()

const convert = (spec: Encoding, shape: Shape): Converted =>
  pipe(
    checkedShape(rankOf(spec), shape),
    E.chainW(() => {
      switch (spec._tag) {
        case 'blocked':
        case 'slice':
        case 'nvidia_mma':
        case 'dot_operand':
        case 'linear':
          return distributedToLinear(spec, shape)
        case 'swizzled_shared':
        case 'nvmma_shared':
        case 'shared_linear':
          return sharedToLinear(spec, shape)
        case 'tensor_memory':
        case 'tensor_memory_scales':
          return tensorMemoryToLinear(spec, shape)
        default:
          return unreachable(spec)
      }
    }),
  )

type OnShape = E.Either<Failure<EncodingError | ToLinearError>, LinearLayout>
const found = rememberedBy<EncodingSpec, string, OnShape>()

/** An encoding as a function of the shape, checked when it is used: once for an encoding and a shape. */
export const onShape =
  (spec: EncodingSpec) =>
  (shape: Shape): OnShape =>
    found(spec, shape.join(), () =>
      pipe(
        encoding(spec),
        E.chainW((legal) => toLinear(legal, shape)),
      ),
    )
