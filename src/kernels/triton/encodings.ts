/**
 * Triton's distributed encodings as linear layouts.
 *
 * An encoding together with the shape of a tensor is a function from (register, lane, warp) to an index, linear over
 * GF(2). The three kinds that the modules here use:
 *
 *     blocked   sizePerThread, then threadsPerWarp, then warpsPerCTA fill the tensor along `order`; what is left over repeats
 *               in registers; what is too much replicates
 *     mma v3    the accumulator of a warpgroup: lane 4r + c holds (r, 2c), (r, 2c + 1), then 8 rows below, then 8 columns on
 *     slice     a parent without one of its dimensions
 *
 *     blocked {size [1, 8], lanes [8, 4], warps [4, 1], order [1, 0]} on (64, 32):
 *       register [0,1] [0,2] [0,4] [32,0]   lane [0,8] [0,16] [1,0] [2,0] [4,0]   warp [8,0] [16,0]
 *
 * Laws
 * 1. Surjective on every shape: each element has an owner.
 * 2. mma v3 on 64 rows is the WGMMA layout.
 * 3. A tensor smaller than its encoding is replicated: bases that would leave it are zero, and dropped from the registers.
 *
 * Source: Triton, LinearLayout conversions (arXiv 2505.23819).
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../failure.js'
import type { LinearError, LinearLayout } from '../../layouts/linear/linear-layout.js'
import { registerLinearLayout, sliceDimension } from '../../layouts/linear/linear-layout.js'
import type { Index, Shape } from '../../transforms/shape.js'

export type Encoded = E.Either<Failure<LinearError>, LinearLayout>
/** An encoding is a layout for every shape. */
export type Encoding = (shape: Shape) => Encoded

export interface Blocked {
  readonly sizePerThread: Shape
  readonly threadsPerWarp: Shape
  readonly warpsPerCTA: Shape
  /** fastest dimension first */
  readonly order: ReadonlyArray<number>
}

/** Bases of 1, 2, 4 ... along one dimension: `from` is the next, `count` elements are dealt. */
const doubling = (rank: number, d: number, from: number, count: number): ReadonlyArray<Index> => {
  const bases: Index[] = []
  for (let step = 1; step < count; step *= 2)
    bases.push(Array.from({ length: rank }, (_, k) => (k === d ? from * step : 0)))
  return bases
}

/** A basis that leaves the tensor holds what is there already. */
const inside = (shape: Shape, bases: ReadonlyArray<Index>): ReadonlyArray<Index> =>
  bases.map((basis) => (basis.every((v, k) => v < shape[k]!) ? basis : basis.map(() => 0)))
const telling = (bases: ReadonlyArray<Index>): ReadonlyArray<Index> =>
  bases.filter((basis) => basis.some((v) => v !== 0))

export const blocked =
  ({ sizePerThread, threadsPerWarp, warpsPerCTA, order }: Blocked): Encoding =>
  (shape) => {
    const rank = shape.length
    const next = shape.map(() => 1)
    const deal = (counts: Shape): ReadonlyArray<Index> =>
      order.flatMap((d) => {
        const bases = doubling(rank, d, next[d]!, counts[d]!)
        next[d] = next[d]! * counts[d]!
        return bases
      })
    const register = deal(sizePerThread)
    const lane = deal(threadsPerWarp)
    const warp = deal(warpsPerCTA)
    const rest = deal(shape.map((extent, d) => Math.max(1, extent / next[d]!)))
    return registerLinearLayout(
      shape,
      telling(inside(shape, [...register, ...rest])),
      inside(shape, lane),
      inside(shape, warp),
    )
  }

/** The accumulators of `wgmma` (nvidia_mma, version 3) with four warps along the rows. */
export const mmaV3: Encoding = (shape) => {
  const [rows = 1, columns = 1] = shape
  return registerLinearLayout(
    shape,
    telling(
      inside(shape, [
        [0, 1],
        [8, 0],
        ...doubling(2, 1, 8, columns / 8),
        ...doubling(2, 0, 64, Math.max(1, rows / 64)),
      ]),
    ),
    inside(shape, [
      [0, 2],
      [0, 4],
      [1, 0],
      [2, 0],
      [4, 0],
    ]),
    inside(shape, [
      [16, 0],
      [32, 0],
    ]),
  )
}

/** The parent on a tensor with an extent of 1 put back in, and that dimension forgotten. */
export const slice =
  (d: number, parent: Encoding): Encoding =>
  (shape) =>
    pipe(parent([...shape.slice(0, d), 1, ...shape.slice(d)]), E.chain(sliceDimension(d)))

/** A linear encoding, written out: it fits one shape, and its slices. */
export const linear =
  (
    of: Shape,
    register: ReadonlyArray<Index>,
    lane: ReadonlyArray<Index>,
    warp: ReadonlyArray<Index>,
  ): Encoding =>
  (shape) =>
    shape.every((extent, k) => extent === of[k])
      ? registerLinearLayout(shape, register, lane, warp)
      : registerLinearLayout(
          shape,
          telling(inside(shape, register)),
          inside(shape, lane),
          inside(shape, warp),
        )
