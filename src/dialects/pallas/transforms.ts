/**
 * The transforms that an MMA operand needs: `(TilingTransform((8, e)), SwizzleTransform(s))`.
 *
 * A swizzle span of s bytes holds e = 8 s / bits elements, and a row must be whole spans. The widest legal span is the best:
 *
 *     f16, rows of 64 -> s 128, e 64     rows of 32 -> s 64, e 32     rows of 16 -> s 32, e 16     rows of 8 -> refused
 *
 * `findSwizzle` asks the same of one row, given in bits, and takes 16 bytes too: a swizzle that moves nothing, and no MMA takes.
 *
 * A pipeline keeps several blocks behind each other, so its buffers have one dimension more than its blocks. Tilings and swizzles count dimensions
 * from the last one and stay as they are; a permutation is about all of them and is shifted (`batchTransform`).
 *
 *     transpose (1, 0) of a block (m, k)  ->  transpose (0, 2, 1) of a buffer (slots, m, k)
 *
 * Laws
 * 1. The span is the widest of 128, 64, 32 that divides every given row.
 * 2. `findSwizzle` of b bits is the widest of 128, 64, 32, 16 bytes that divides them.
 * 3. A batched transform does to every slot what the transform does to a block.
 *
 * Names: `mma_transforms` of the reference, `plgpu.find_swizzle`, `batch` of a transform.
 *
 * Source: JAX docs, Pallas:MGPU reference, memory space of A and B operands.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, type Failure } from '../../failure.js'
import * as Swizzle from '../../transforms/swizzle.js'
import * as Transform from '../../transforms/transform.js'
import { refuse, type Code } from './codes.js'

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

/** `find_swizzle(minor_dim_bits, what)`: the widest swizzle, in bytes, that divides a row of these bits. */
export const findSwizzle = (bits: number, what: string = ''): E.Either<Failure, Swizzle.Swizzle> =>
  pipe(
    Swizzle.findSwizzle(bits),
    E.mapLeft(() =>
      failure(
        'pallas.find_swizzle.bits' satisfies Code,
        `No valid swizzle${what === '' ? '' : ` for ${what}`}: the minor dimension has ${String(bits)} bits, which is not a multiple of 128 (16 bytes)`,
      ),
    ),
  )

/** `transform.batch(leading_rank)`: the same transform for each array along the leading dimensions. */
export const batchTransform =
  (leadingRank: number) =>
  (t: Transform.Transform): E.Either<Failure, Transform.Transform> =>
    t._tag === 'Transpose'
      ? Transform.transpose([
          ...Array.from({ length: leadingRank }, (_, d) => d),
          ...t.permutation.map((d) => d + leadingRank),
        ])
      : E.right(t)
