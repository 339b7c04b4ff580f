/**
 * Tensors in registers.
 *
 * Every encoding here fixes a tile, a product of identities from register, lane and warp to dimensions, and fits it to the
 * shape: registers repeat it, or lanes and warps replicate. The tile of the tensor cores, for a tile of m x n with k neighbours
 * in a lane, is
 *
 *     register k along the inner dimension, lane 4 inner, lane 8 outer, register m/8 outer, register n/(4k) inner
 *     16 x 16, k = 2:  register [0,1] [8,0] [0,8]   lane [0,2] [0,4] [1,0] [2,0] [4,0]
 *
 * and all of them are instances of it:
 *
 *     encoding                 tile          k            inner   warps
 *     mma v2 result            16 x 8        2            N       row-major
 *     mma v3 result (wgmma)    16 x instrN   2            N       column-major: the first two bits are rows 16 and 32
 *     operand 0 of mma         16 x 8k       32/bits      K       as the result's; those along K hold the same
 *     operand 1 of mma v2      8k x 8        32/bits      K       as the result's; those along K hold the same
 *
 * Names: Triton `toLinearLayout` of its distributed encodings; in Mosaic GPU mma v3 is `WGMMA`, operand 0 is `MMA_LHS`, and the
 * slices of mma v3 are `WGMMA_ROW` and `WGMMA_COL`; CuTe's TV layouts of its MMA traits.
 *
 * Laws
 * 1. Onto every shape: each element has an owner.
 * 2. A warpgroup of mma v3 on 64 x N: row 16 warp + lane div 4 + 8 bit1(register), column 2 (lane mod 4) + bit0(register) +
 *    8 (register div 4).
 * 3. A slice is its parent on the shape with an extent of 1 put back in, projected; registers that tell nothing are dropped.
 * 4. An operand's function of (lane, register) does not depend on the warps along K, nor on the blocks along K.
 * 5. `linear` on its own shape is the layout.
 *
 * Source: Triton, layout conversions and their unit tests (arXiv 2505.23819).
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Index, Shape } from '../../transforms/shape.js'
import { products } from '../linear/algebra.js'
import { ensureNotLarger, ensureNotSmaller } from '../linear/fit.js'
import type { LinearLayout } from '../linear/linear-layout.js'
import {
  basesOf,
  identity1D,
  linearLayout,
  sliceDimension,
  standardOutputs,
  zeros1D,
} from '../linear/linear-layout.js'
import { transposeOuts } from '../linear/reshape.js'
import type { Converted } from './blocks.js'
import { dims, overBlocks } from './blocks.js'
import type { Blocked, DistributedSpec, DotOperand, Linear, NvidiaMma, Slice } from './encoding.js'
import { unreachable } from '../../failure.js'

// ------------------------------------------------------------------------------------------------ parts

const multiply = (factors: ReadonlyArray<Converted>): Converted =>
  pipe(factors, E.sequenceArray, E.chainW(products))

/** `counts` dealt from one input, the fastest dimension first; the dimension `same` gets nothing new. */
const deal = (
  input: string,
  counts: Shape,
  order: ReadonlyArray<number>,
  same: number | null = null,
): ReadonlyArray<Converted> =>
  order.map((d) => (d === same ? zeros1D : identity1D)(counts[d]!, input, `dim${String(d)}`))

/** Row-major, the last dimension fastest; or with the last two exchanged. */
const matrixOrder = (rank: number, rowMajor: boolean): ReadonlyArray<number> => {
  const batch = rank > 2 ? [0] : []
  return rowMajor ? [rank - 1, rank - 2, ...batch] : [rank - 2, rank - 1, ...batch]
}

interface MmaTile {
  readonly kWidth: number
  readonly inner: { readonly dim: number; readonly extent: number }
  readonly outer: { readonly dim: number; readonly extent: number }
}

/** The tile of the tensor cores. The inner dimension, listed first, repeats first, then the outer one. */
const mmaTile = ({ kWidth, inner, outer }: MmaTile): ReadonlyArray<Converted> => {
  const along = (input: string, count: number, dim: number): Converted =>
    identity1D(count, input, `dim${String(dim)}`)
  return [
    along('register', kWidth, inner.dim),
    along('lane', 4, inner.dim),
    along('lane', 8, outer.dim),
    along('register', outer.extent / 8, outer.dim),
    along('register', inner.extent / (4 * kWidth), inner.dim),
  ]
}

// -------------------------------------------------------------------------------------------- encodings

const blocked = (spec: Blocked, shape: Shape): Converted =>
  overBlocks(
    multiply([
      ...deal('register', spec.sizePerThread, spec.order),
      ...deal('lane', spec.threadsPerWarp, spec.order),
      ...deal('warp', spec.warpsPerCTA, spec.order),
    ]),
    spec.cgaBases,
    shape,
  )

/** Version 2 deals the warps to columns first, version 3 to rows. */
const warpOrder = ({ versionMajor }: NvidiaMma, rank: number): ReadonlyArray<number> =>
  matrixOrder(rank, versionMajor === 2)

/** The warps' part, listing the dimensions as the tile does. */
const warps = (order: ReadonlyArray<number>, parts: ReadonlyArray<Converted>): Converted =>
  pipe(multiply(parts), E.chainW(transposeOuts(order.map((d) => `dim${String(d)}`))))

const mma = (spec: NvidiaMma, shape: Shape): Converted => {
  const rank = shape.length
  const [rows, columns] = spec.versionMajor === 2 ? spec.instrShape.slice(-2) : spec.instrShape
  return overBlocks(
    multiply([
      ...mmaTile({
        kWidth: 2,
        inner: { dim: rank - 1, extent: columns! },
        outer: { dim: rank - 2, extent: rows! },
      }),
      warps(matrixOrder(rank, true), deal('warp', spec.warpsPerCTA, warpOrder(spec, rank))),
    ]),
    spec.cgaBases,
    shape,
  )
}

/** Blocks along K hold the same operand. */
const withoutK = (cgaBases: ReadonlyArray<Index> | undefined, kDim: number): ReadonlyArray<Index> =>
  (cgaBases ?? []).map((basis) => basis.map((v, d) => (d === kDim ? 0 : v)))

const dotOperand = ({ opIdx, kWidth = 0, parent }: DotOperand, shape: Shape): Converted => {
  const rank = shape.length
  const [kDim, otherDim] = opIdx === 0 ? [rank - 1, rank - 2] : [rank - 2, rank - 1]
  const order = matrixOrder(rank, opIdx === 0)
  const tile =
    parent._tag === 'blocked'
      ? [
          // A thread of a dot without tensor cores needs all of K.
          ...deal(
            'register',
            parent.sizePerThread.map((count, d) => (d === kDim ? shape[d]! : count)),
            parent.order,
          ),
          ...deal('lane', parent.threadsPerWarp, parent.order, kDim),
          ...deal('warp', parent.warpsPerCTA, parent.order, kDim),
        ]
      : [
          ...mmaTile({
            kWidth,
            inner: { dim: kDim, extent: 8 * kWidth },
            outer: { dim: otherDim, extent: opIdx === 0 ? 16 : 8 },
          }),
          warps(order, deal('warp', parent.warpsPerCTA, warpOrder(parent, rank), kDim)),
        ]
  return overBlocks(multiply(tile), withoutK(parent.cgaBases, kDim), shape)
}

const slice = ({ dim, parent }: Slice, shape: Shape): Converted =>
  pipe(
    distributedToLinear(parent, [...shape.slice(0, dim), 1, ...shape.slice(dim)]),
    E.chainW(sliceDimension(dim)),
  )

/** Dimensions in the order in which the registers run along them, then the others, the last first. */
const registerOrder = (layout: LinearLayout): ReadonlyArray<number> => {
  const along = basesOf(layout, 'register').map((basis) => basis.findIndex((v) => v !== 0))
  const rest = layout.outputs.map((_, d) => layout.outputs.length - 1 - d)
  return [...new Set([...along, ...rest])].filter((d) => d >= 0)
}

const linear = ({ layout }: Linear, shape: Shape): Converted => {
  const outputs = standardOutputs(shape)
  // Registers beyond the shape go, lanes and warps replicate.
  const fitting = {
    inputs: layout.inputs.map(({ name, bases }) => ({
      name,
      bases: bases.filter((basis) => name !== 'register' || basis.every((v, d) => v < shape[d]!)),
    })),
    outputs: layout.outputs,
  }
  return pipe(
    linearLayout(fitting),
    E.chainW(transposeOuts(registerOrder(layout).map((d) => `dim${String(d)}`))),
    E.chainW(ensureNotSmaller(outputs)),
    E.chainW(ensureNotLarger(outputs)),
    E.chainW(transposeOuts(dims(shape.length))),
  )
}

/** The linear layout of a legal encoding on a shape of its rank. */
export const distributedToLinear = (spec: DistributedSpec, shape: Shape): Converted => {
  switch (spec._tag) {
    case 'blocked':
      return blocked(spec, shape)
    case 'slice':
      return slice(spec, shape)
    case 'nvidia_mma':
      return mma(spec, shape)
    case 'dot_operand':
      return dotOperand(spec, shape)
    case 'linear':
      return linear(spec, shape)
    default:
      return unreachable(spec)
  }
}
