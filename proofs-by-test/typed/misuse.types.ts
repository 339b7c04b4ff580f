/**
 * What tsc refuses, each beside its lawful neighbour. There is nothing to run: `tsc -p tsconfig.json` reads the comments.
 */
import type { MmaOperands } from '../../docs/typed/index.js'
import { ref, swizzle, tcgen05, tile, tmaLoad, transpose, wgmma } from '../../docs/typed/index.js'
import type { Failure } from '../../src/failure.js'
import type * as E from 'fp-ts/lib/Either.js'

const gmem = ref([128, 64], 'f16', 'gmem')
const tmem = ref([128, 64], 'f16', 'tmem')
const a = swizzle(tile(ref([128, 64], 'f16', 'smem'), [8, 64]), 128)
const b = swizzle(tile(ref([64, 128], 'f16', 'smem'), [8, 64]), 128)
const short = swizzle(tile(ref([32, 128], 'f16', 'smem'), [8, 64]), 128)

export const copies: readonly unknown[] = [
  tmaLoad(gmem, a),
  // @ts-expect-error WrongSpace<"expected smem, found tmem">
  tmaLoad(gmem, tmem),
  // @ts-expect-error ShapeMismatch<"the source is (128, 64), the destination is (64, 128)">
  tmaLoad(gmem, b),
]

const registers = ref([128, 128], 'f32', 'regs')
const columns = ref([128, 128], 'f32', 'tmem')

export const products: readonly E.Either<Failure, MmaOperands>[] = [
  wgmma(registers, a, b),
  tcgen05(columns, a, b),
  // @ts-expect-error KMismatch<"a has K = 64, b has K = 32">
  wgmma(registers, a, short),
  // @ts-expect-error KMismatch<"a has K = 64, b has K = 32">
  tcgen05(columns, a, short),
  // @ts-expect-error WrongSpace<"accumulator: expected regs, found tmem">
  wgmma(columns, a, b),
]

export const cuts: readonly unknown[] = [
  tile(ref([128, 128], 'f16', 'smem'), [64, 64]),
  // @ts-expect-error IllegalTile<"dim 0: 48 does not divide 128">
  tile(ref([128, 128], 'f16', 'smem'), [48, 64]),
  transpose(a, [1, 0]),
  // @ts-expect-error IllegalTranspose<"(1, 1) is not a permutation of 2 dimensions">
  transpose(a, [1, 1]),
]
