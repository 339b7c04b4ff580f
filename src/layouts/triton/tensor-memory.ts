/**
 * Buffers in tensor memory.
 *
 * Tensor memory has 128 rows (lanes) of 512 words; `col` counts columns of the element's width, so 32 / bits of them in a word.
 * A block of 128 x N fills the rows one to one. A block of 64 x N leaves every second group of 16 rows to another block:
 *
 *     blockM 128      row bits  1 2 4 8 16 32 64        of dimension 0
 *     blockM 64       row bits  1 2 4 8 .. 16 32        bit 4: the next block of rows, or of columns, if there is one
 *     64, a pair      row bits  1 2 4 8 16 32 ..        bit 6: the right half of the columns
 *
 * More blocks follow in the columns, rows first. A zero basis at bits 5 and 6 (the warps') replicates; any other is a cell that
 * not written: of an element in a wider column, of a padded row, of a missing block.
 *
 * Scales of a block-scaled product come 4 along K in a word, 32 rows, 4 times: every warp finds its own. A block of 128 x 4 fills four
 * words; more blocks follow along the rows first (`mnThenK`), or along K first (`kThenMn`):
 *
 *     (256, 8), kThenMn      col bits  0,1 0,2 32,0 64,0    0,4    128,0
 *
 * Names: Triton `#ttng.tensor_memory_encoding`, `#ttng.tensor_memory_scales_encoding`; blockM 128 is Mosaic GPU's default TMEM
 * layout and CuTe's accumulator D, 64 is F, a pair with 64 is B (Mosaic: M64_COLLECTIVE).
 *
 * Laws
 * 1. Onto the tensor; injective where no basis is zero.
 * 2. blockM 128: cell (r, c) of block (i, j), of I x J blocks, lies at row r, column stride (c + blockN (i + I j)).
 * 3. blockM 64: rows 16 apart belong to different blocks.
 * 4. Scales: row x of a block at row x mod 32 (4 times), factor k at column 4 (x div 32) + k; block (i, j), of I x J blocks, 16 (i + I j)
 *    columns further, or 16 (j + J i) under `kThenMn`.
 * 5. `allocation` is the rows and words that the cells span.
 *
 * Source: Triton, layout conversions; PTX ISA, tensor memory layouts of tcgen05.mma.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Index, Shape } from '../../transforms/shape.js'
import { showShape } from '../../transforms/shape.js'
import { refuse, unreachable } from '../../failure.js'
import { product, products } from '../linear/algebra.js'
import { ensureNotLarger } from '../linear/fit.js'
import type { LinearLayout } from '../linear/linear-layout.js'
import {
  basesOf,
  identity1D,
  inputSize,
  linearLayout,
  standardOutputs,
  zeros1D,
} from '../linear/linear-layout.js'
import { transposeIns } from '../linear/reshape.js'
import type { Converted } from './blocks.js'
import { blockLayout, dims, shapePerBlock } from './blocks.js'
import type { TensorMemory, TensorMemoryScales, TensorMemorySpec } from './encoding.js'

const doubling = (d: 0 | 1, from: number, to: number): ReadonlyArray<Index> => {
  const bases: Index[] = []
  for (let step = from; step < to; step *= 2) bases.push(d === 0 ? [step, 0] : [0, step])
  return bases
}

const repeats = (d: 0 | 1, times: number): Converted => identity1D(times, 'col', `dim${String(d)}`)

const cells = (row: ReadonlyArray<Index>, col: ReadonlyArray<Index>, shape: Shape): Converted =>
  linearLayout({
    inputs: [
      { name: 'row', bases: row },
      { name: 'col', bases: col },
    ],
    outputs: standardOutputs(shape),
  })

/** One block, and with it the neighbour in the rows that a block of 64 leaves. */
const tile = (spec: TensorMemory, [rows, columns]: readonly [number, number]): Converted => {
  const { blockM, twoCTAs } = spec
  const blockN = Math.min(spec.blockN, columns)
  const gaps = Array.from({ length: Math.log2(spec.colStride) + (spec.fp4Padded ? 1 : 0) }, () => [0, 0])
  const along = doubling(1, 1, blockN)
  if (blockM === 128) return cells(doubling(0, 1, 128), [...gaps, ...along], [128, blockN])
  if (twoCTAs)
    return cells([...doubling(0, 1, 64), ...along.slice(-1)], [...gaps, ...along.slice(0, -1)], [64, blockN])
  const [next, shape]: readonly [Index, Shape] =
    rows > 64
      ? [
          [64, 0],
          [128, blockN],
        ]
      : columns > blockN
        ? [
            [0, blockN],
            [64, 2 * blockN],
          ]
        : [
            [0, 0],
            [64, blockN],
          ]
  return cells([...doubling(0, 1, 16), next, ...doubling(0, 16, 64)], [...gaps, ...along], shape)
}

const overShare = (
  spec: TensorMemorySpec,
  shape: Shape,
  part: (share: readonly [number, number]) => Converted,
): Converted =>
  pipe(
    blockLayout(spec.cgaBases, 2),
    E.chainW((blocks) => {
      const [rows, columns] = shapePerBlock(blocks, shape)
      return pipe(
        part([rows!, columns!]),
        E.chainW((layout) => product(layout, blocks)),
      )
    }),
    E.chainW(transposeIns(['row', 'col', 'block'])),
  )

const tensorMemory = (spec: TensorMemory, shape: Shape): Converted =>
  overShare(spec, shape, (share) => {
    const [rows, columns] = share
    if (rows < spec.blockM)
      return refuse(
        'triton.too-small',
        `A block's share must have ${String(spec.blockM)} rows or more, blockM, found ${showShape(share)}`,
      )
    if (spec.blockM === 64 && spec.twoCTAs && Math.min(columns, spec.blockN) < 2)
      return refuse(
        'triton.too-small',
        `A pair of blocks with blockM 64 splits the columns: 2 or more are needed, found ${showShape(share)} with blockN ${String(spec.blockN)}`,
      )
    return pipe(
      tile(spec, share),
      E.chainW((block) => {
        const [height, width] = block.outputs.map(({ size }) => size)
        return pipe(
          [repeats(0, rows / height!), repeats(1, columns / width!)],
          E.sequenceArray,
          E.chainW((more) => products([block, ...more])),
        )
      }),
    )
  })

const scales = (spec: TensorMemoryScales, shape: Shape): Converted =>
  overShare(spec, shape, (share) => {
    const [mn, k] = share
    // 64 rows more belong to the block, where there are any: blocks of 128 x 4 repeat
    const block = mn! > 64 ? 128 : 64
    const blocks = [repeats(0, Math.max(1, mn! / block)), repeats(1, Math.max(1, k! / 4))]
    return pipe(
      [
        identity1D(32, 'row', 'dim0'),
        zeros1D(4, 'row', 'dim0'),
        identity1D(4, 'col', 'dim1'),
        identity1D(block / 32, 'col', 'dim0'),
        ...(spec.blockRepOrder === 'kThenMn' ? blocks.reverse() : blocks),
      ],
      E.sequenceArray,
      E.chainW(products),
      E.chainW(ensureNotLarger(standardOutputs(share))),
    )
  })

/** The linear layout of a legal encoding on a shape of rank 2. */
export const tensorMemoryToLinear = (spec: TensorMemorySpec, shape: Shape): Converted => {
  switch (spec._tag) {
    case 'tensor_memory':
      return tensorMemory(spec, shape)
    case 'tensor_memory_scales':
      return scales(spec, shape)
    default:
      return unreachable(spec)
  }
}

/** Rows and 32-bit columns that a buffer of this layout takes, for elements of `bits`: half the rows if only every second group of 16 is used. */
export const allocation = (
  layout: LinearLayout,
  bits: number,
): { readonly rows: number; readonly columns: number } => {
  const group = basesOf(layout, 'row')[4]!
  return {
    rows: group.every((v) => v === 0) ? 64 : 128,
    columns: Math.ceil((inputSize(layout, 'col') * bits) / 32),
  }
}

/**
 * Scales in shared memory as `tcgen05.cp` takes them: offset -> (row, factor), in atoms of 128 rows x 4 factors, 512 bytes
 * with the rows 32 apart next to each other. Rows must be a multiple of 128, factors of 4; both powers of two.
 */
export const scalesInSharedMemory = ([rows, factors]: readonly [number, number]): Converted =>
  rows < 128 || factors < 4
    ? refuse(
        'triton.too-small',
        `Scales are copied in atoms of 128 rows x 4 factors, found ${showShape([rows, factors])}`,
      )
    : linearLayout({
        inputs: [
          {
            name: 'offset',
            bases: [
              ...doubling(1, 1, 4),
              ...doubling(0, 32, 128),
              ...doubling(0, 1, 32),
              ...doubling(1, 4, factors),
              ...doubling(0, 128, rows),
            ],
          },
          { name: 'block', bases: [] },
        ],
        outputs: dims(2).map((name, d) => ({ name, size: d === 0 ? rows : factors })),
      })
