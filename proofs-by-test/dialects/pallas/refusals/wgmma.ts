/** What `wgmma` refuses, word for word. */
import type * as E from 'fp-ts/lib/Either.js'
import type { Code } from '../../../../src/dialects/pallas/codes.js'
import * as Pallas from '../../../../src/dialects/pallas/index.js'
import type { Failure } from '../../../../src/failure.js'
import {
  MMA_ACC,
  MMA_LHS,
  MMA_RHS,
  WGMMA_ROW,
  WGMMA_TRANSPOSED,
  type TiledLayout,
} from '../../../../src/layouts/tiled.js'
import { bitsOf, type Dtype, type FloatDtype } from '../../../../src/numerics/dtype.js'
import * as B from '../../../../src/semantics/writing/builder.js'
import { float, splat, type Tile, type View } from '../../../../src/semantics/language/expression.js'
import type { ScalarName } from '../../../../src/semantics/language/types.js'
import { right } from '../../../either.js'
import type { Refusal } from '../../coverage/refusal.js'

type Shape = readonly [number, number]

/** A ref with the transforms of an operand whose rows are of so many elements; null: none. */
const ref = (id: string, dtype: Dtype, shape: Shape, rows: number | null): B.Build<View<'smem', Dtype, 2>> =>
  B.block(function* () {
    const transforms = rows === null ? [] : yield* B.fromEither(Pallas.mmaTransforms(bitsOf(dtype), [rows]))
    return yield* B.sharedMemory(id, dtype, shape, transforms)
  })

const using = (body: () => B.Steps<void>) => (): E.Either<Failure, unknown> =>
  B.draft({ name: 'refused', arch: 'sm90a', agents: [B.warpgroup('thread', 0)] }, body)

interface Operands {
  readonly acc?: Shape
  readonly a?: readonly [dtype: Dtype, shape: Shape, rows: number | null]
  readonly b?: readonly [dtype: Dtype, shape: Shape, rows: number | null]
}
/** f16 (64, 16) by (16, 8) in the registers of warps, but for what is given. */
const warps = ({
  acc = right(MMA_ACC(4)),
  b: [of, shape, bits] = ['f16', [16, 8], 16],
  dtype = 'f16',
}: {
  readonly acc?: TiledLayout
  readonly b?: readonly [of: FloatDtype, shape: Shape, bits: number]
  readonly dtype?: Dtype
}): (() => E.Either<Failure, unknown>) =>
  using(function* () {
    yield* Pallas.mma(
      'mma',
      splat<'f32', 2>(float('f32', 0), [64, 8], acc),
      splat<'f16', 2>(float('f16', 1), [64, 16], right(MMA_LHS(16, 4))),
      splat<ScalarName, 2>(float(of, 1), shape, right(MMA_RHS(bits, 4))),
      dtype,
    )
  })
/** f16 (64, 64) by (64, 64), but for what is given. */
const product = ({
  acc: shape = [64, 64],
  a = ['f16', [64, 64], 64],
  b = ['f16', [64, 64], 64],
}: Operands): (() => E.Either<Failure, unknown>) =>
  using(function* () {
    const acc = yield* Pallas.ACC('acc', 'thread', 'f32', shape)
    yield* Pallas.wgmma('wgmma', acc, yield* ref('a', ...a), yield* ref('b', ...b))
  })
const ofArray = (value: Tile<FloatDtype, 2>): (() => E.Either<Failure, unknown>) =>
  using(function* () {
    const acc = yield* Pallas.ACC('acc', 'thread', 'f32', [64, 64])
    yield* Pallas.wgmma('wgmma', acc, value, yield* ref('b', 'f16', [64, 64], 64))
  })

export const refusals: ReadonlyArray<Refusal<Code>> = [
  {
    code: 'pallas.transforms',
    message: 'no swizzle fits rows of 8 elements of 16 bits: expected multiples of 16',
    use: () => Pallas.mmaTransforms(16, [8]),
  },
  {
    code: 'pallas.wgmma.shape',
    message:
      'wgmma: expected a (m, k), b (k, n) and an accumulator (m, n), found a (64, 64), b (128, 64) and an accumulator (64, 64)',
    use: product({ b: ['f16', [128, 64], 64] }),
  },
  {
    code: 'pallas.wgmma.shape',
    message:
      'wgmma: dimension 1 of b, n, is 320: expected a multiple of 8, at most 256, in a (64, 64), b (64, 320) and an accumulator (64, 320)',
    use: product({ acc: [64, 320], b: ['f16', [64, 320], 64] }),
  },
  {
    code: 'pallas.wgmma.shape',
    message:
      'wgmma: dimension 0 of b, k, is 16: expected a multiple of the 64 elements of f16 in a swizzle of 128 bytes',
    use: product({ a: ['f16', [64, 16], 16], b: ['f16', [16, 64], 64] }),
  },
  {
    code: 'pallas.wgmma.dtype',
    message:
      'wgmma: a is f16 and b is bf16: expected both f16, bf16 or f32, or each e4m3 or e5m2, or each i8 or u8',
    use: product({ b: ['bf16', [64, 64], 64] }),
  },
  {
    code: 'pallas.wgmma.transforms',
    message:
      'wgmma: a: Unsupported transforms for MMA operand a: expected a rank 2 ref with tiling (8, 8S/16) and swizzle S of 32, 64 or 128, or its transpose, found shape (64, 64) with no tiling and no swizzle',
    use: product({ a: ['f16', [64, 64], null] }),
  },
  {
    code: 'pallas.wgmma.swizzle',
    message: 'wgmma: a is swizzled by 64 bytes and b by 128: expected the same swizzle',
    use: product({ a: ['f16', [64, 64], 32] }),
  },
  {
    code: 'pallas.wgmma.transposed',
    message:
      'wgmma: b: only operands of 16 bits may run along n in memory, found f32: expected a transpose_ref of an (n, k) ref',
    use: product({ a: ['f32', [64, 64], 32], b: ['f32', [64, 64], 32] }),
  },
  {
    code: 'pallas.wgmma.registers',
    message: 'wgmma: a is an array of f16 with layout WGMMA_ROW: expected Layout.WGMMA',
    use: ofArray(splat<'f16', 2>(float('f16', 1), [64, 64], WGMMA_ROW)),
  },
  {
    code: 'pallas.wgmma.slice',
    message:
      'acc.at: dimension 1 of an accumulator of shape (64, 64) is sliced in multiples of 8 inside it, found 12 from 0',
    use: using(function* () {
      const acc = yield* Pallas.ACC('acc', 'thread', 'f32', [64, 64])
      yield* Pallas.accumulatorAt('acc.at', acc, [0, 0], [64, 12])
    }),
  },
  {
    code: 'pallas.wgmma.wait',
    message: 'wgmma_wait: n groups may still run, n from 0, found -1',
    use: using(() => Pallas.wgmmaWait('wgmma_wait', -1)),
  },
  {
    code: 'pallas.mma.shape',
    message: 'mma: expected acc (m, n), a (m, k) and b (k, n), found (64, 8), (64, 16), (32, 8)',
    use: warps({ b: ['f16', [32, 8], 16] }),
  },
  {
    code: 'pallas.mma.dtype',
    message:
      'mma: expected f16, bf16, e4m3 or e5m2 into f32, or integers of 8 or 4 bits into i32, found f32 into f32',
    use: warps({ dtype: 'f32' }),
  },
  {
    code: 'pallas.mma.layout',
    message: 'mma: expected Layout.MMA_ACC for acc, found WGMMA_TRANSPOSED',
    use: warps({ acc: WGMMA_TRANSPOSED }),
  },
  {
    code: 'pallas.mma.layout',
    message: 'mma: expected Layout.MMA_RHS of 16 bits with 4 warps along m for b, found MMA_RHS(32, 4)',
    use: warps({ b: ['f16', [16, 8], 32] }),
  },
]
