/**
 * Fragments: which thread holds which element, as CuTe writes it.
 *
 * A thread-value layout maps (thread, value) to an element. For `wgmma` the element of a 64-row tile is row + 64 column, for tensor memory it
 * is a coordinate: lane at 0, column at 1, CTA of a pair at 2.
 *
 *     accumulator of wgmma, N = 8:  ((4,8,4),(2,2,1)):((128,1,16),(64,8,512))
 *       thread 6 = (2,1,0), value 3 = (1,1,0)     2 * 128 + 1 + 64 + 8 = 329 = 9 + 64 * 5:  row 9, column 5
 *
 * Laws
 * 1. The wgmma fragments are bijections onto the 64 x N, 64 x K tile, and equal to the captured fragments of an H100.
 * 2. The accumulator is Mosaic's WGMMA register layout, in register order; a 16-column accumulator tile, packed, is a 16-bit A fragment.
 * 3. `tensorMemoryLoad` is a bijection of (thread, register) onto its lanes and columns.
 * 4. `accumulatorPlace` is injective; F uses half of the lanes.
 * 5. `scaleAtom` is a bijection of (row, factor) onto 512 bytes; all elements of one scaled block share a byte.
 *
 * Names: CuTe `MMA_Traits<...>::CLayout`, `ALayout`, `Copy_Traits<SM100_TMEM_LOAD_...>`, `tmem_frg`, `tmem_sf_frg`.
 * @fidelity silicon for wgmma, documented for tensor memory.
 * Source: CUTLASS, CuTe: MMA and copy traits of sm90 and sm100; PTX ISA, tcgen05.
 */
import type { Layout } from './layout.js'
import { unchecked } from './layout.js'
import { basis } from './scaled-basis.js'

// ----------------------------------------------------------------------------------------------- wgmma

/** The accumulator of a 64 x n tile; n a multiple of 8. */
export const wgmmaAccumulator = (n: number): Layout =>
  unchecked(
    [
      [4, 8, 4],
      [2, 2, n / 8],
    ],
    [
      [128, 1, 16],
      [64, 8, 512],
    ],
  )

/** A in registers, 64 x 16 of 16 bits. */
export const wgmmaOperand16: Layout = wgmmaAccumulator(16)

/** A in registers, 64 x 32 of 8 bits. */
export const wgmmaOperand8: Layout = unchecked(
  [
    [4, 8, 4],
    [4, 2, 2],
  ],
  [
    [256, 1, 16],
    [64, 8, 1024],
  ],
)

/** A in registers, 64 x 8 of tf32. */
export const wgmmaOperandTf32: Layout = unchecked(
  [
    [4, 8, 4],
    [2, 2],
  ],
  [
    [64, 1, 16],
    [8, 256],
  ],
)

// --------------------------------------------------------------------------------------- tensor memory

const lane = (n: number): ReturnType<typeof basis> => basis(n, [0])
const column = (n: number): ReturnType<typeof basis> => basis(n, [1])
const cta = (n: number): ReturnType<typeof basis> => basis(n, [2])

export type LoadShape = '32x32b' | '16x64b' | '16x128b' | '16x256b'

/** (thread of a warp, register) to (lane, column), for `tcgen05.ld` and `st` of `num` repetitions. */
export const tensorMemoryLoad = (shape: LoadShape, num: number): Layout => {
  switch (shape) {
    case '32x32b':
      return unchecked([32, num], [lane(1), column(1)])
    case '16x64b':
      return unchecked([[2, 2, 8], num], [[lane(8), column(1), lane(1)], column(2)])
    case '16x128b':
      return unchecked(
        [
          [4, 8],
          [2, num],
        ],
        [
          [column(1), lane(1)],
          [lane(8), column(4)],
        ],
      )
    case '16x256b':
      return unchecked(
        [
          [4, 8],
          [2, 2, num],
        ],
        [
          [column(2), lane(1)],
          [column(1), lane(8), column(8)],
        ],
      )
  }
}

/** The layouts of PTX that CuTe has: A and B for pairs of CTAs, D, E, F and G for one. */
export type AccumulatorLayout = 'A' | 'B' | 'D' | 'E' | 'F' | 'G'

/** (row, column) of an accumulator with n columns to (lane, column of tensor memory, CTA). */
export const accumulatorPlace = (id: AccumulatorLayout, n: number): Layout => {
  switch (id) {
    case 'A':
      return unchecked([[128, 2], n], [[lane(1), cta(1)], column(1)])
    case 'B':
      return unchecked(
        [
          [64, 2],
          [n / 2, 2],
        ],
        [
          [lane(1), cta(1)],
          [column(1), lane(64)],
        ],
      )
    case 'D':
      return unchecked([128, n], [lane(1), column(1)])
    case 'E':
      return unchecked([64, [n / 2, 2]], [lane(1), [column(1), lane(64)]])
    case 'F':
      return unchecked([[16, 4], n], [[lane(1), lane(32)], column(1)])
    case 'G':
      return unchecked([32, [n / 4, 4]], [lane(1), [column(1), lane(32)]])
  }
}

/** (row, element along K) of 128 x 4 scaled blocks to the byte of its scale factor, blocks of `block` elements. */
export const scaleAtom = (block: number): Layout =>
  unchecked(
    [
      [32, 4],
      [block, 4],
    ],
    [
      [16, 4],
      [0, 1],
    ],
  )
