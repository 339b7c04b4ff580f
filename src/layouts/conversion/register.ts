/**
 * Register layouts as linear layouts: one answer to "which element is this?" in Triton's vocabulary.
 *
 * Mosaic's layouts hand dimensions of a cut array to warps, lanes and registers; Triton's list what each bit of a warp, lane or
 * register number does. For extents that are powers of two the first are a special case of the second: a tiled dimension of extent
 * 2^k, one step of which is `unit` elements of array dimension d, is the k bases [unit e_d], [2 unit e_d], ...
 *
 *     WGMMA on (64, 16):  register [0,1] [8,0] [0,8]    lane [0,2] [0,4] [1,0] [2,0] [4,0]    warp [16,0] [32,0]
 *
 *     a replicated entry    zero bases                    a splat    no linear layout: its register is every element
 *
 * Register bits count elements of a lane, position in the vector first, as in `register-layout`.
 *
 * Laws
 * 1. `elementOf(l, s, w, t, r) = apply(linearOfRegisters(l, s))({ warp: w, lane: t, register: r })` at every place.
 * 2. The inputs are register, lane, warp, minor to major; the outputs dim0, dim1, ... have the extents of the array.
 * 3. A linear layout is itself.
 *
 * Source: Triton, LinearLayout (arXiv 2505.23819); JAX docs, Pallas:MGPU reference (layouts).
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../failure.js'
import { refuse, unreachable } from '../../failure.js'
import type { Index, Shape } from '../../transforms/shape.js'
import { showShape, sizeOf, unravel } from '../../transforms/shape.js'
import { dimensionChains, tileShape } from '../../transforms/tile.js'
import type { LinearLayout } from '../linear/linear-layout.js'
import { registerLinearLayout } from '../linear/linear-layout.js'
import type { LayoutError, RegisterLayout } from '../register-layout.js'
import { checkShape } from '../register-layout.js'
import type { StridedLayout } from '../strided.js'
import type { Partitioned, TiledLayout } from '../tiled.js'
import { lanesPerWarp, registersShape, warpsPerWarpgroup } from '../tiled.js'
import type { CarryFreeError, ExtentError } from './carry-free.js'
import { along, checkExtents, doublings } from './carry-free.js'

export type RegisterConversionError = LayoutError | ExtentError | CarryFreeError | 'conversion.splat'

type Converted = E.Either<Failure<RegisterConversionError>, LinearLayout>

const dimension = (d: number): string => `dimension ${String(d)}`

/** For every tiled dimension: the array dimension that it counts, and how many of its elements one step is. */
const steps = (layout: TiledLayout, shape: Shape, tiled: Shape): ReadonlyArray<(value: number) => Index> => {
  const result: ((value: number) => Index)[] = []
  dimensionChains(shape.length, layout.tiling).forEach((chain, d) => {
    let unit = 1
    for (const position of [...chain].reverse()) {
      const step = unit
      result[position] = (value) => along(shape.length, d)(value * step)
      unit *= tiled[position]!
    }
  })
  return result
}

const ofTiled = (layout: TiledLayout, shape: Shape): Converted =>
  pipe(
    tileShape(layout.tiling)(shape),
    E.getOrElseW((why) => unreachable(`unchecked shape: ${why.message}`)),
    checkExtents((k) => `tiled dimension ${String(k)}`),
    E.chainW((tiled): Converted => {
      const step = steps(layout, shape, tiled)
      const bases = (position: number): ReadonlyArray<Index> =>
        doublings(tiled[position]!, 1).map(step[position]!)
      const entries = (partitioned: ReadonlyArray<Partitioned>): ReadonlyArray<Index> =>
        [...partitioned]
          .reverse()
          .flatMap((entry) =>
            typeof entry === 'number'
              ? bases(tiled.length + entry)
              : doublings(entry.times, 0).map(along(shape.length, 0)),
          )
      const registers = registersShape(layout, shape)
        .flatMap((extent, position) => (extent > 1 ? [bases(position)] : []))
        .reverse()
        .flat()
      return registerLinearLayout(
        shape,
        [...bases(tiled.length + layout.vectorDim), ...registers],
        entries(layout.laneDims),
        entries(layout.warpDims),
      )
    }),
  )

const ofStrided = (layout: StridedLayout, shape: Shape): Converted =>
  pipe(
    [...shape, layout.vectorLength],
    checkExtents((d) => (d < shape.length ? dimension(d) : 'the vector')),
    E.chainW(() => {
      const v = layout.vectorLength
      const place = unravel(shape)
      const lane = doublings(lanesPerWarp, v).map(place)
      const warp = doublings(warpsPerWarpgroup, v * lanesPerWarp).map(place)
      const threads = v * lanesPerWarp * warpsPerWarpgroup
      const register = [...doublings(v, 1), ...doublings(sizeOf(shape) / threads, threads)].map(place)
      return registerLinearLayout(shape, register, lane, warp)
    }),
  )

/**
 * The linear layout of a register layout on an array of this shape. Errors: a shape that the layout does not describe, an extent
 * that is not a power of two, a splat.
 */
export const linearOfRegisters = (layout: RegisterLayout, shape: Shape): Converted =>
  pipe(
    checkShape(layout, shape),
    E.chainW((): Converted => {
      switch (layout._tag) {
        case 'tiled':
          return ofTiled(layout, shape)
        case 'strided':
          return ofStrided(layout, shape)
        case 'splat':
          return refuse(
            'conversion.splat',
            `A splat of shape ${showShape(layout.shape)} is every element in one register; no linear layout says that`,
          )
        case 'linear':
          return E.right(layout)
        default:
          return unreachable(layout)
      }
    }),
  )
