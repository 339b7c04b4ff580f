/**
 * Buffers in shared memory.
 *
 * Offsets count elements. A swizzled buffer keeps rows one after the other, but exchanges the columns within a row in groups
 * (*vectors*): row r stores group g at g xor ((r div perPhase) mod maxPhase).
 *
 *     swizzled_shared (vec 1, perPhase 1, maxPhase 4) on (4, 4):    row 0   0 1 2 3
 *                                                                   row 1   1 0 3 2
 *                                                                   row 2   2 3 0 1
 *                                                                   row 3   3 2 1 0
 *
 * The form that TMA writes and the tensor cores read, `nvmma_shared` of W bytes, is made of boxes. A box is W bytes wide and up to
 * 256 rows high, and its rows are swizzled in groups of 16 bytes:
 *
 *     vec = 16 bytes, perPhase = 128 / W, maxPhase = W / 16      chunk c of row r lies at c xor ((r div (128/W)) mod (W/16))
 *
 * A wider tensor is a row of boxes, rows before columns: a 128 x 128 tensor of 16-bit elements is two panels of 128 x 64. W = 0
 * is row-major in boxes of up to 256 in every dimension, which repeat from the contiguous dimension on; TMA reads and writes it, the
 * tensor cores do not. Rank 3 and more: all dimensions but the contiguous one are the rows;
 * transposed, the compiler deals the middle ones in an order of its own, which is kept here.
 *
 * Names: Triton `#ttg.swizzled_shared`, `#ttg.nvmma_shared`, `#ttg.shared_linear`; on one panel Mosaic GPU's
 * `Tiling(8, 8W/bits)` with `Swizzle(W)`; CuTe's `Swizzle<1|2|3, 4, 3>`.
 *
 * Laws
 * 1. A bijection of a block's share, but for fp4Padded, where the offsets with bit 3 set repeat those without.
 * 2. The row of chunks above, for every width W and every element width.
 * 3. `nvmma_shared` is Tiling(8, 8W/bits) with Swizzle(W) on one panel, and not on more columns.
 * 4. Transposed is the layout of the transposed tensor, at rank 2 and within the rows of a box; boxes repeat along dimension 0 first.
 * 5. fp4Padded: offset x of a row, swizzled as bytes, holds column 8 (x div 16) + x mod 8.
 * 6. `defaultSwizzle` is the widest W for which the layout is defined on the shape, if the rows are 8 or more.
 *
 * Source: Triton, layout conversions and their unit tests; PTX ISA, the swizzling modes of tensor copies.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { refuse, unreachable } from '../../failure.js'
import type { Index, Shape } from '../../transforms/shape.js'
import { ravel, showShape, sizeOf, unravel } from '../../transforms/shape.js'
import { ensureNotSmaller } from '../linear/fit.js'
import { products } from '../linear/algebra.js'
import type { LinearLayout } from '../linear/linear-layout.js'
import {
  identity1D,
  linearLayout,
  linearLayoutInferred,
  outputShape,
  standardOutputs,
} from '../linear/linear-layout.js'
import { sameShape } from '../../transforms/shape.js'
import type { Converted } from './blocks.js'
import { blockLayout, dims, overBlocks, shapePerBlock } from './blocks.js'
import type { NvmmaShared, SharedLinear, SharedSpec, SwizzledShared } from './encoding.js'

// ------------------------------------------------------------------------------------------------ parts

const powersBelow = (extent: number): ReadonlyArray<number> =>
  Array.from({ length: Math.log2(extent) }, (_, bit) => 2 ** bit)

/** offset -> dimensions, listed fastest first. */
const dense = (shape: Shape, order: ReadonlyArray<number>): Converted =>
  pipe(
    order.map((d): Converted => identity1D(shape[d]!, 'offset', `dim${String(d)}`)),
    E.sequenceArray,
    E.chainW(products),
  )

// ------------------------------------------------------------------------------------ swizzled_shared

const swizzled = (spec: SwizzledShared, shape: Shape): Converted =>
  pipe(
    blockLayout(spec.cgaBases, shape.length),
    E.chainW((blocks) => {
      const share = shapePerBlock(blocks, shape)
      const [columnDim, rowDim, ...others] = spec.order
      const columns = share[columnDim!]!
      const tile =
        rowDim === undefined
          ? dense(share, spec.order)
          : pipe(
              linearLayout({
                inputs: [
                  {
                    name: 'offset',
                    bases: [
                      ...powersBelow(columns).map((column) => [0, column]),
                      ...powersBelow(share[rowDim]!).map((row) => [
                        row,
                        (spec.vec * (Math.floor(row / spec.perPhase) % spec.maxPhase)) % columns,
                      ]),
                    ],
                  },
                ],
                outputs: [
                  { name: `dim${String(rowDim)}`, size: share[rowDim]! },
                  { name: `dim${String(columnDim)}`, size: columns },
                ],
              }),
              E.chainW((matrix) =>
                pipe(
                  dense(share, others),
                  E.chainW((rest) => products([matrix, rest])),
                ),
              ),
            )
      return overBlocks(tile, spec.cgaBases, shape)
    }),
  )

// --------------------------------------------------------------------------------------- nvmma_shared

/** Groups of 16 bytes, rows that are swizzled alike, phases: elements, rows, number. */
export const swizzlePhases = ({
  swizzlingByteWidth,
  elementBitWidth,
}: Pick<NvmmaShared, 'swizzlingByteWidth' | 'elementBitWidth'>): {
  readonly vec: number
  readonly perPhase: number
  readonly maxPhase: number
} => ({
  vec: 128 / elementBitWidth,
  perPhase: swizzlingByteWidth === 0 ? 1 : 128 / swizzlingByteWidth,
  maxPhase: Math.max(1, swizzlingByteWidth / 16),
})

/** Bytes: the period of the swizzle, 128 without one. */
export const alignmentBytes = (spec: SharedSpec): number => {
  switch (spec._tag) {
    case 'nvmma_shared':
      return 128 * swizzlePhases(spec).maxPhase
    case 'shared_linear':
      return spec.alignment ?? 16
    case 'swizzled_shared':
      return 16
    default:
      return unreachable(spec)
  }
}

/** The dimension that is contiguous. */
export const contiguousDim = ({ transposed }: NvmmaShared, rank: number): number =>
  transposed ? 0 : rank - 1

/** In a padded row every 8 bytes are followed by a gap of 8, which stands for the same columns. */
const unpadded = (column: number): number => 8 * Math.floor(column / 16) + (column % 8)

/** The unit of the swizzle: offset -> (row, column) on 8 rows of W bytes, or of 16 bytes if W = 0. */
export const coreTile = (
  spec: Pick<NvmmaShared, 'swizzlingByteWidth' | 'elementBitWidth' | 'fp4Padded'>,
): Converted => {
  const { vec, perPhase, maxPhase } = swizzlePhases(spec)
  const columns = (8 * Math.max(16, spec.swizzlingByteWidth)) / spec.elementBitWidth
  const column = spec.fp4Padded ? unpadded : (x: number): number => x
  return linearLayoutInferred(
    [
      {
        name: 'offset',
        bases: [
          ...powersBelow(columns).map((x): Index => [0, column(x)]),
          ...powersBelow(8).map((row): Index => [row, column(vec * (Math.floor(row / perPhase) % maxPhase))]),
        ],
      },
    ],
    dims(2),
  )
}

/** The box of one copy, in elements of the tensor: at most 256 in every dimension, W bytes in the contiguous one. */
export const copyBox = (spec: NvmmaShared, share: Shape): Converted<Shape> => {
  const contiguous = contiguousDim(spec, share.length)
  const { swizzlingByteWidth, elementBitWidth, fp4Padded } = spec
  if (swizzlingByteWidth === 0) return E.right(share.map((extent) => Math.min(256, extent)))
  const width = (8 * swizzlingByteWidth) / elementBitWidth / (fp4Padded ? 2 : 1)
  return share[contiguous]! < width
    ? refuse(
        'triton.too-small',
        `A block's share must have ${String(width)} elements or more in dimension ${String(contiguous)}, the width of the swizzle, found ${showShape(share)}`,
      )
    : E.right(share.map((extent, d) => (d === contiguous ? width : Math.min(256, extent))))
}

/** A layout of rows and columns as one of the box, whose dimensions they are with the rows' flattened. */
const unflatten = (matrix: LinearLayout, spec: NvmmaShared, box: Shape): Converted => {
  // Transposed, the first dimension comes last among the tensor's.
  const shape = spec.transposed ? [...box.slice(1), ...box.slice(0, 1)] : box
  const back = (index: Index): Index =>
    spec.transposed ? [...index.slice(-1), ...index.slice(0, -1)] : index
  const position = ravel(outputShape(matrix))
  return linearLayout({
    inputs: matrix.inputs.map(({ name, bases }) => ({
      name,
      bases: bases.map((basis) => back(unravel(shape)(position(basis)))),
    })),
    outputs: standardOutputs(box),
  })
}

const swizzledBox = (spec: NvmmaShared, box: Shape): Converted => {
  const leading = sizeOf(box.slice(0, -1))
  const last = box[box.length - 1]!
  const [rows, columns] = spec.transposed ? [last, leading] : [leading, last]
  return rows < 8
    ? refuse(
        'triton.too-small',
        `A swizzle needs 8 rows or more next to the contiguous dimension, found ${String(rows)} in a box of ${showShape(box)}`,
      )
    : pipe(
        coreTile(spec),
        E.chainW(ensureNotSmaller(standardOutputs([rows, columns]))),
        E.chainW((matrix) => unflatten(matrix, spec, box)),
      )
}

const flatBox = (spec: NvmmaShared, box: Shape): Converted => {
  const lastFirst = box.map((_, d) => box.length - 1 - d)
  if (!spec.transposed) return dense(box, lastFirst)
  return box.length === 2
    ? dense(box, [0, 1])
    : refuse(
        'triton.undefined',
        `A transposed buffer without swizzle has a layout at rank 2 only, found ${showShape(box)}`,
      )
}

const nvmma = (spec: NvmmaShared, shape: Shape): Converted => {
  if (spec.swizzlingByteWidth > 0 && shape.length < 2)
    return refuse('triton.shape', `A swizzle needs two dimensions or more, found ${showShape(shape)}`)
  return pipe(
    E.Do,
    E.bindW('blocks', () => blockLayout(spec.cgaBases, shape.length)),
    E.let('share', ({ blocks }) => shapePerBlock(blocks, shape)),
    E.bindW('box', ({ share }) => copyBox(spec, share)),
    E.chainW(({ share, box }) =>
      overBlocks(
        pipe(
          spec.swizzlingByteWidth === 0 ? flatBox(spec, box) : swizzledBox(spec, box),
          E.chainW(ensureNotSmaller(standardOutputs(share))),
        ),
        spec.cgaBases,
        shape,
      ),
    ),
  )
}

/** The W that a compiler chooses for a tensor of this shape per block: the widest that fits the contiguous bytes, 0 if none does. */
export const defaultSwizzle = (
  share: Shape,
  elementBitWidth: number,
  {
    transposed = false,
    fp4Padded = false,
  }: { readonly transposed?: boolean; readonly fp4Padded?: boolean } = {},
): number => {
  const contiguous = transposed ? 0 : share.length - 1
  const bytes = (share[contiguous]! * elementBitWidth * (fp4Padded ? 2 : 1)) / 8
  const rows = sizeOf(share.filter((_, d) => d !== contiguous))
  return rows < 8 ? 0 : ([128, 64, 32].find((width) => bytes % width === 0) ?? 0)
}

// --------------------------------------------------------------------------------------- shared_linear

const sharedLinear = (spec: SharedLinear, shape: Shape): Converted =>
  pipe(
    linearLayoutInferred(
      [
        { name: 'offset', bases: spec.offsetBases },
        { name: 'block', bases: spec.blockBases ?? [] },
      ],
      dims(shape.length),
    ),
    E.chainW((layout): Converted =>
      sameShape(outputShape(layout), shape)
        ? E.right(layout)
        : refuse(
            'triton.shape',
            `The bases cover ${showShape(outputShape(layout))}, not ${showShape(shape)}`,
          ),
    ),
  )

/** The linear layout of a legal encoding on a shape of its rank. */
export const sharedToLinear = (spec: SharedSpec, shape: Shape): Converted => {
  switch (spec._tag) {
    case 'swizzled_shared':
      return swizzled(spec, shape)
    case 'nvmma_shared':
      return nvmma(spec, shape)
    case 'shared_linear':
      return sharedLinear(spec, shape)
    default:
      return unreachable(spec)
  }
}
