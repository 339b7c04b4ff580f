/**
 * The transforms that an MMA operand needs: `(TilingTransform((8, e)), SwizzleTransform(s))`.
 *
 * A swizzle span of s bytes holds e = 8 s / bits elements, and a row must be whole spans. The widest legal span is the best:
 *
 *     f16, rows of 64 -> s 128, e 64     rows of 32 -> s 64, e 32     rows of 16 -> s 32, e 16     rows of 8 -> refused
 *
 * Law 1. The span is the widest of 128, 64, 32 that divides every given row.
 *
 * Names: `mma_transforms` of the reference, `plgpu.find_swizzle`.
 *
 * Source: JAX docs, Pallas:MGPU reference, memory space of A and B operands.
 */
import * as E from 'fp-ts/lib/Either.js'
import { refuse, type Failure } from '../../failure.js'
import * as Swizzle from '../../transforms/swizzle.js'
import * as Transform from '../../transforms/transform.js'

/** Tiling and swizzle for refs whose rows have these many elements of `bits` bits. */
export const mmaTransforms = (
  bits: number,
  rows: ReadonlyArray<number>,
): E.Either<Failure, ReadonlyArray<Transform.Transform>> => {
  const span = ([128, 64, 32] as const).find((s) =>
    rows.every((n) => n % Swizzle.swizzleElements(s, bits) === 0),
  )
  if (span === undefined)
    return refuse(
      'pallas.transforms',
      `no swizzle fits rows of ${rows.map(String).join(' and ')} elements of ${String(bits)} bits: expected multiples of ${String(Swizzle.swizzleElements(32, bits))}`,
    )
  const tiling = Transform.tile([8, Swizzle.swizzleElements(span, bits)])
  const swizzle = Transform.swizzle(span)
  if (E.isLeft(tiling)) return tiling
  return E.isLeft(swizzle) ? swizzle : E.right([tiling.right, swizzle.right])
}
