/** The encodings that the modules of this folder name, as they write them. */
import type * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { linearLayout, standardOutputs } from '../../layouts/linear/linear-layout.js'
import type {
  Blocked,
  DistributedSpec,
  Linear,
  NvmmaShared,
  Slice,
  SwizzledShared,
} from '../../layouts/triton/encoding.js'
import type { Failure } from '../../failure.js'
import { fromEither, map, type Build } from '../../semantics/writing/builder.js'
import type { Index } from '../../transforms/shape.js'

/** `#ttg.slice<{dim, parent}>`. */
export const slice = (dim: number, parent: DistributedSpec): Slice => ({ _tag: 'slice', dim, parent })

/** `#ttg.blocked<{...}>` of four warps below each other, the last dimension first. */
export const blockedRows = (sizePerThread: Index, threadsPerWarp: Index): Blocked => ({
  _tag: 'blocked',
  sizePerThread,
  threadsPerWarp,
  warpsPerCTA: [4, 1],
  order: [1, 0],
})

/** `#ttg.nvmma_shared<{swizzlingByteWidth, transposed = false, elementBitWidth = 16}>`. */
export const nvmma16 = (swizzlingByteWidth: 64 | 128): NvmmaShared => ({
  _tag: 'nvmma_shared',
  swizzlingByteWidth,
  transposed: false,
  elementBitWidth: 16,
  fp4Padded: false,
})

/** `#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>`. */
export const flat: SwizzledShared = { _tag: 'swizzled_shared', vec: 1, perPhase: 1, maxPhase: 1, order: [0] }

const powers = (count: number, at: (power: number) => Index): ReadonlyArray<Index> =>
  Array.from({ length: count }, (_, k) => at(2 ** k))

/** `#ttg.linear<{...}>`: a row of tensor memory for each lane, its columns in registers. */
export const rowPerLane = (columns: 64 | 128): Build<Linear> =>
  pipe(
    linearLayout({
      inputs: [
        { name: 'register', bases: powers(Math.log2(columns), (p) => [0, p]) },
        { name: 'lane', bases: powers(5, (p) => [p, 0]) },
        {
          name: 'warp',
          bases: [
            [32, 0],
            [64, 0],
          ],
        },
        { name: 'block', bases: [] },
      ],
      outputs: standardOutputs([128, columns]),
    }),
    (layout: E.Either<Failure, Linear['layout']>) => fromEither(layout),
    map((layout): Linear => ({ _tag: 'linear', layout })),
  )
