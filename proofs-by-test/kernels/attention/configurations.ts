/**
 * Where fa3-attention is looked at: lengths below, at and above a block, odd numbers of blocks, every mask, both head dimensions, grouped heads, both
 * dtypes, every variant.
 */
import {
  causal,
  noMask,
  showFa3,
  slidingWindow,
  type Fa3Attention,
} from '../../../src/kernels/attention/index.js'
import { base } from './attending.js'

type Row = Partial<Fa3Attention>

/** Lengths of q and kv: below, at and above a block; odd numbers of blocks; shorter, as long and longer than one another. */
const lengths: ReadonlyArray<readonly [q: number, kv: number]> = [
  [8, 24],
  [64, 64],
  [128, 192],
  [104, 80],
  [136, 328],
  [256, 104],
]

const masks: ReadonlyArray<Row['mask']> = [
  noMask,
  causal(),
  causal('bottom-right'),
  slidingWindow(70),
  slidingWindow(40, 30, 'top-left'),
  slidingWindow(null, 20),
]

const even: ReadonlyArray<Row> = lengths.flatMap(([q, kv], i) =>
  masks.map((mask, j): Row => {
    const n = i + j
    return {
      q,
      kv,
      mask: mask!,
      dtype: n % 2 === 0 ? 'f16' : 'bf16',
      headDim: n % 3 === 2 ? 128 : 64,
      maxConcurrentSteps: 2 + (n % 3),
      scale: n % 5 === 4 ? null : 0.125,
      rowSum: n % 4 === 3 ? 'after' : 'before',
      ...(n % 6 === 5 ? { heads: 4, kvHeads: 2 } : {}),
    }
  }),
)

/** What the table leaves out. */
const odd: ReadonlyArray<Row> = [
  { q: 128, kv: 128, batch: 2, heads: 3, kvHeads: 1, scale: 0.125 },
  { q: 256, kv: 192, blockKv: 128, mask: causal(), scale: 0.125 },
  { q: 256, kv: 320, blockQ: 128, mask: causal('bottom-right'), dtype: 'bf16', scale: 0.125 },
  { q: 200, kv: 448, blockQ: 128, blockKv: 128, mask: slidingWindow(100, 0), scale: 0.125 },
  { q: 8, kv: 64, lse: false, mask: causal() },
  { q: 128, kv: 64, prefetch: 'all', numerics: { ilp: 1, update: 'separate' } },
]

export const configurations: ReadonlyArray<readonly [name: string, c: Fa3Attention]> = [...even, ...odd].map(
  (row, i) => {
    const c: Fa3Attention = { ...base, ...row }
    return [`${String(i)}: ${showFa3(c)}`, c] as const
  },
)
