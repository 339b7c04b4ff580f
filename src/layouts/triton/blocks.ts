/**
 * Blocks: a tensor dealt to the thread blocks of a cluster.
 *
 * The number of a block within its cluster has a few bits, and each bit moves the block by some tiles along some dimension, or
 * not at all: then two blocks hold the same. The tile of a block is the tensor, divided by what the blocks cover.
 *
 *     bases [0, 1] [1, 0] on (1024, 128):  4 blocks, each with 512 x 64;  block 1 has the right half, block 2 the lower
 *
 * Names: Triton `CGAEncodingAttr` (before: `CTALayout`), `getShapePerCTA`, `combineCtaCgaWithShape`.
 *
 * Laws
 * 1. `shapePerBlock` times what the blocks cover is the shape; where the tensor has fewer elements than blocks, 1 each.
 * 2. `overBlocks` covers the shape with the tile, repeated or cut to the share of a block.
 *
 * Source: Triton, layout conversions.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../failure.js'
import { refuse } from '../../failure.js'
import type { Index, Shape } from '../../transforms/shape.js'
import { showShape } from '../../transforms/shape.js'
import { combine } from '../linear/fit.js'
import type { LinearError, LinearLayout } from '../linear/linear-layout.js'
import { isPowerOfTwo, linearLayoutInferred, outputShape, standardOutputs } from '../linear/linear-layout.js'

export type ToLinearError =
  | LinearError
  /** Another rank than the encoding's, or an extent that is not a power of two. */
  | 'triton.shape'
  /** The share of a block is smaller than the unit of the encoding. */
  | 'triton.too-small'
  /** No layout is defined for this combination. */
  | 'triton.undefined'

export type Converted<A = LinearLayout> = E.Either<Failure<ToLinearError>, A>

/** dim0, dim1, ... */
export const dims = (rank: number): ReadonlyArray<string> =>
  Array.from({ length: rank }, (_, d) => `dim${String(d)}`)

/** The shape, if its extents are powers of two, and of this rank unless that is null. */
export const checkedShape = (rank: number | null, shape: Shape): Converted<Shape> => {
  const d = shape.findIndex((extent) => !isPowerOfTwo(extent))
  if (shape.length !== (rank ?? shape.length))
    return refuse(
      'triton.shape',
      `Expected a shape of rank ${String(rank)}, as the encoding, found ${showShape(shape)}`,
    )
  return d < 0
    ? E.right(shape)
    : refuse(
        'triton.shape',
        `Extents must be powers of two, found ${String(shape[d])} in dimension ${String(d)} of ${showShape(shape)}`,
      )
}

/** block -> tile of the tensor. */
export const blockLayout = (cgaBases: ReadonlyArray<Index> | undefined, rank: number): Converted =>
  linearLayoutInferred([{ name: 'block', bases: cgaBases ?? [] }], dims(rank))

/** The share of one block. */
export const shapePerBlock = (blocks: LinearLayout, shape: Shape): Shape =>
  outputShape(blocks).map((covered, d) => Math.max(1, shape[d]! / covered))

/** The tile over the tensor, dealt to the blocks. */
export const overBlocks = (
  tile: Converted,
  cgaBases: ReadonlyArray<Index> | undefined,
  shape: Shape,
): Converted =>
  pipe(
    E.Do,
    E.apSW('tile', tile),
    E.apSW('blocks', blockLayout(cgaBases, shape.length)),
    E.chainW(({ tile: cta, blocks }) => combine(cta, blocks, standardOutputs(shape))),
  )
