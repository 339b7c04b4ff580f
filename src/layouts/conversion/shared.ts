/**
 * Transformed refs as linear layouts: the bits of an address from the bits of an index.
 *
 * A ref sends an index to an address by strides (of the dimensions of a cut array) and then a swizzle. Where extents are powers
 * of two and the sum does not carry, that is a linear layout from dim0, dim1, ... to the offset in elements, and the swizzle, which
 * is linear anyway, composes with it. Triton writes the same function backwards: from the offset to the index.
 *
 *     f16 (8, 64), Tile (8, 64), Swizzle 128      dim1  1 2 4 | 8 16 32        (chunks of 8 elements)
 *                                                 dim0  64+8  128+16  256+32
 *     inverse = nvmma_shared(128):                offset [0,1] [0,2] [0,4] [0,8] [0,16] [0,32] [1,8] [2,16] [4,32]
 *
 * The offset is that from an address which is a multiple of the swizzle's period; a ref that does not start at its base is
 * affine, not linear, and is refused.
 *
 * Laws
 * 1. `8 * byte address of i = bits * apply(linearOfRef(ref))(i) ` for every index i and base 0 (whole bytes or parts of one).
 * 2. The image of Tile (8, 8S/bits), Swizzle S on one panel is Triton's nvmma_shared of width S, inverted.
 *
 * Source: Triton, LinearLayout conversions (arXiv 2505.23819); JAX docs, Pallas:MGPU reference.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../failure.js'
import type { RefError, TransformedRef } from '../../transforms/ref.js'
import { check, tiledShape } from '../../transforms/ref.js'
import { dimensionChains } from '../../transforms/tile.js'
import { compose } from '../linear/algebra.js'
import type { SwizzleError } from '../cute/swizzle.js'
import type { LinearLayout } from '../linear/linear-layout.js'
import type { CarryFreeError, ExtentError } from './carry-free.js'
import { carryFree, checkExtents, doublings } from './carry-free.js'
import { elementSwizzle, linearOfSwizzle } from './swizzle.js'

export type RefConversionError = RefError | ExtentError | CarryFreeError | SwizzleError | 'conversion.offset'

/**
 * Offsets, in elements from a base that is a multiple of the swizzle's period, of the elements of a ref. Errors: those of `ref.check`,
 * an extent that is not a power of two, strides whose sum carries, a ref that does not start at its base.
 */
export const linearOfRef = (ref: TransformedRef): E.Either<Failure<RefConversionError>, LinearLayout> =>
  pipe(
    check(ref),
    E.filterOrElseW(
      ({ byteOffset }) => byteOffset === 0,
      ({ byteOffset }): Failure<'conversion.offset'> => ({
        code: 'conversion.offset',
        message: `A linear layout maps 0 to 0, but this ref starts ${String(byteOffset)} bytes after its base`,
      }),
    ),
    E.chainFirstW(({ shape }) => checkExtents((d) => `dimension ${String(d)}`)(shape)),
    E.chainW(() => {
      const extents = tiledShape(ref)
      const inputs = dimensionChains(ref.shape.length, ref.tiling).map((chain, d) => ({
        name: `dim${String(d)}`,
        bases: [...chain]
          .reverse()
          .flatMap((position) =>
            doublings(extents[position]!, ref.strides[position]!).map((value) => [value]),
          ),
      }))
      const last = inputs.flatMap(({ bases }) => bases).reduce((sum, [value]) => sum + value!, 0)
      const size = 2 ** Math.ceil(Math.log2(last + 1))
      return pipe(
        carryFree({ inputs, outputs: [{ name: 'offset', size }] }),
        E.chainW((strided) =>
          pipe(
            elementSwizzle(ref.swizzle, ref.bits),
            E.chainW((swizzle) => linearOfSwizzle(swizzle, size)),
            E.chainW((moved) => compose(strided, moved)),
          ),
        ),
      )
    }),
  )
