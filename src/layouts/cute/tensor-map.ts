/**
 * The swizzle modes of a tensor map, as swizzles of byte addresses.
 *
 *     mode            swizzle     atom    pattern repeats after
 *     none            S<0,4,3>    16 B    -
 *     32B, 96B        S<1,4,3>    16 B    256 B
 *     64B             S<2,4,3>    16 B    512 B
 *     128B            S<3,4,3>    16 B    1024 B
 *     128B, atom 32B  S<2,5,2>    32 B    512 B
 *     128B, atom 64B  S<1,6,1>    64 B    256 B
 *
 * The pattern belongs to the address, not to the tile: a tile that does not start at a multiple of the period starts in the middle of
 * the pattern, in the row that `baseOffset` says.
 *
 * The modes with an 8-byte flip are left out: no public text says which lines they flip.
 *
 * Laws
 * 1. Line r of 128 bytes has chunk c at c xor the pattern's row r: exactly the rows of `chunkTable`, each a permutation.
 * 2. `baseOffset(mode)(dst)` is (dst / 128) mod the rows of the pattern, 0 at every multiple of the period.
 *
 * @fidelity silicon for none, 32B, 64B, 128B; documented for the others. Where implementations differ: CuTe's
 * mapping for the 64-byte atom does not agree with the two-row table of PTX, which is followed.
 * Names: `CU_TENSOR_MAP_SWIZZLE_*`. Source: PTX ISA, swizzling modes.
 */
import type { Swizzle } from './swizzle.js'
import { apply } from './swizzle.js'

export type TensorMapSwizzle = 'none' | '32B' | '64B' | '96B' | '128B' | '128B_ATOM_32B' | '128B_ATOM_64B'

const field = (bits: number, base: number, shift: number): Swizzle => ({
  _tag: 'swizzle',
  bits,
  base,
  shift,
})

export const tensorMapSwizzles: Readonly<Record<TensorMapSwizzle, Swizzle>> = {
  none: field(0, 4, 3),
  '32B': field(1, 4, 3),
  '64B': field(2, 4, 3),
  '96B': field(1, 4, 3),
  '128B': field(3, 4, 3),
  '128B_ATOM_32B': field(2, 5, 2),
  '128B_ATOM_64B': field(1, 6, 1),
}

/** The row of the pattern in which a tile at byte address `dst` starts. */
export const baseOffset =
  (mode: TensorMapSwizzle) =>
  (dst: number): number =>
    Math.floor(dst / 128) % 2 ** tensorMapSwizzles[mode].bits

/** One period: for every line of 128 bytes, where its eight 16-byte chunks are. */
export const chunkTable = (mode: TensorMapSwizzle): ReadonlyArray<ReadonlyArray<number>> => {
  const s = tensorMapSwizzles[mode]
  return Array.from({ length: 2 ** s.bits }, (_, row) =>
    Array.from({ length: 8 }, (__, chunk) => (apply(s)(128 * row + 16 * chunk) - 128 * row) / 16),
  )
}
