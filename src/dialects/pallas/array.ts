/**
 * Arithmetic of arrays in registers whose shapes differ: reductions along an axis, and back.
 *
 *     x.max(axis=1), x.sum(axis=1)             reduceMax, reduceSum     (64, 128) in WGMMA -> (64,) in WGMMA.reduce(1)
 *     lax.broadcast_in_dim(m, x.shape, [0])    broadcastInDim           (64,) in WGMMA.reduce(1) -> (64, 128) in WGMMA
 *
 * A statistic of the rows of an array lies where the array does: lane 5 of warp 1 holds elements of rows 17 and 25, and, after a reduction, what
 * came of those two rows, as do the lanes 4, 6 and 7 that share them. So a statistic meets its array again without a message between lanes; one with
 * another layout does not, and is refused: cast it, or go through SMEM.
 *
 * Sums round, so their order is part of what they are. Mosaic GPU adds up in several partial sums, to keep the adders busy: of r registers along
 * the axis, register i goes to partial sum i mod p; then the partial sums, then the elements of a vector, then lanes by butterfly:
 *
 *     p = max(1, ilp div (elements of a vector) div (statistics of a lane)),     ilp = 8
 *
 *     rows   statistics of a lane   p       a row of 64 columns, registers 0 .. 7
 *     64     2                      2       ((r0 + r2) + r4) + r6   +   ((r1 + r3) + r5) + r7
 *     128    4                      1       ((((((r0 + r1) + r2) + r3) + r4) + r5) + r6) + r7
 *
 * With `ilp: 1` there is one partial sum: the order of older versions, and of `layouts/register-layout.ts`. A maximum is the same in every order.
 *
 * Laws
 * 1. `reduceSum` with ilp 1 is the reduction in the order of the layout; with p partial sums it is the table above, bit for bit.
 * 2. What `reduceSum` and `reduceMax` give, `broadcastInDim` takes back to the layout it came from; other layouts are refused.
 *
 * Limits: partial sums only where one base tile of the layout has a single register along the axis (WGMMA has), and where p divides the registers.
 *
 * Names: `jnp.sum`, `jnp.max`, `lax.broadcast_in_dim`; `FragmentedArray.reduce(op, axis, acc_ilp=...)`, `broadcast_in_dim`.
 *
 * Source: Mosaic GPU's fragmented arrays (JAX 0.11.2); the order is confirmed by row sums of an H100 (`conformance/kernels`).
 */
import * as E from 'fp-ts/lib/Either.js'
import { showLayout, type RegisterLayout } from '../../layouts/register-layout.js'
import { splatLayout } from '../../layouts/splat.js'
import * as Tiled from '../../layouts/tiled.js'
import type { FloatDtype } from '../../numerics/dtype.js'
import { block, letIn, typeHere, type Build } from '../../semantics/writing/builder.js'
import {
  add,
  broadcast,
  convertLayout,
  expandDims,
  max,
  reduce,
  reshape,
  type Above,
  type Below,
  type Expr,
  type Tile,
} from '../../semantics/language/expression.js'
import { checked } from '../../semantics/language/index-types.js'
import { layoutsAgree, sameElement, showType } from '../../semantics/language/typecheck.js'
import type { TileIndex, TileType } from '../../semantics/language/types.js'
import { sameShape, showShape } from '../../transforms/shape.js'
import { refused } from './codes.js'

// ---------------------------------------------------------------- layouts of statistics

/** The layout of an array that has lost an axis, or why it has none. */
const reducedLayout = (
  layout: RegisterLayout | 'any',
  shape: ReadonlyArray<number>,
  axis: number,
): E.Either<string, RegisterLayout | 'any'> => {
  if (layout === 'any') return E.right('any')
  const kept = shape.filter((_, d) => d !== axis)
  // of the last axis a number is left, which every lane has
  if (kept.length === 0 && layout._tag === 'tiled') return E.right(splatLayout(kept))
  switch (layout._tag) {
    case 'splat':
      return E.right(splatLayout(kept))
    case 'tiled': {
      const inTile = axis - (shape.length - layout.tiling[0]!.length)
      if (inTile < 0) return E.right(layout)
      const less = Tiled.reduce([inTile])(layout)
      return E.isLeft(less) ? E.left(less.left.message) : less
    }
    case 'strided':
    case 'linear':
      return E.left(`${showLayout(layout)} is not reduced along one axis: expected a tiled layout`)
  }
}

const arrayHere = (label: string, x: Tile, axis: number): Build<TileType> =>
  block(function* () {
    const type = yield* typeHere(x)
    if (type._tag !== 'tile')
      return yield* refused('pallas.array.reduce', `${label}: expected an array, found ${showType(type)}`)
    if (!Number.isInteger(axis) || axis < 0 || axis >= type.shape.length)
      return yield* refused(
        'pallas.array.reduce',
        `${label}: axis ${String(axis)} is out of range for an array of shape ${showShape(type.shape)}`,
      )
    return type
  })

const layoutAfter = (label: string, type: TileType, axis: number): Build<RegisterLayout | 'any'> =>
  block(function* () {
    const layout = reducedLayout(type.layout, type.shape, axis)
    return E.isLeft(layout) ? yield* refused('pallas.array.reduce', `${label}: ${layout.left}`) : layout.right
  })

// ---------------------------------------------------------------- sums of two arrays

const isSplat = (layout: RegisterLayout | 'any'): boolean => layout !== 'any' && layout._tag === 'splat'

/** `x + y`: a splat takes the layout of the other operand. No other layout is converted implicitly. */
export const addArrays = <D extends FloatDtype | 'i32', R extends number>(
  label: string,
  x: Tile<D, R>,
  y: Tile<D, R>,
): Build<Tile<D, R>> =>
  block(function* () {
    const [a, b] = [yield* typeHere(x), yield* typeHere(y)]
    if (
      a._tag !== 'tile' ||
      b._tag !== 'tile' ||
      !sameShape(a.shape, b.shape) ||
      !sameElement(a.element, b.element)
    )
      return yield* refused(
        'pallas.array.add',
        `${label}: expected two arrays of one shape and dtype, found ${showType(a)} and ${showType(b)}`,
      )
    if (!isSplat(a.layout) && !isSplat(b.layout) && !layoutsAgree(a.layout, b.layout, a.shape))
      return yield* refused(
        'pallas.array.layouts',
        `${label}: arrays in ${shownLayout(a.layout)} and in ${shownLayout(b.layout)} are not added: cast one of them with layout_cast, or store it in SMEM and load it in the layout of the other`,
      )
    return yield* letIn(label, add<TileIndex<D, R>>(x, y))
  })

const shownLayout = (layout: RegisterLayout | 'any'): string =>
  layout === 'any' ? 'any layout' : showLayout(layout)

// ---------------------------------------------------------------- reductions

/** `x.max(axis)`. */
export const reduceMax = <D extends FloatDtype, R extends number>(
  label: string,
  x: Tile<D, R>,
  axis: number,
): Build<Tile<D, Below<R>>> =>
  block(function* () {
    const layout = yield* layoutAfter(label, yield* arrayHere(label, x, axis), axis)
    return yield* letIn(
      label,
      reduce(x, axis, (a, b) => max<D>(a, b), layout),
    )
  })

/** Partial sums of each statistic that a lane holds, for this many independent additions. */
export const partialSums = (
  layout: RegisterLayout | 'any',
  shape: ReadonlyArray<number>,
  axis: number,
  ilp: number,
): number => {
  if (layout === 'any' || layout._tag !== 'tiled') return 1
  const less = reducedLayout(layout, shape, axis)
  if (E.isLeft(less) || less.right === 'any' || less.right._tag !== 'tiled') return 1
  const kept = shape.filter((_, d) => d !== axis)
  const statistics = Tiled.registerCount(less.right, kept)
  return Math.max(1, Math.floor(Math.floor(ilp / Tiled.vectorLength(layout)) / statistics))
}

export interface SumOptions {
  /** additions that a lane has under way at once (default 8) */
  readonly ilp?: number
}

/** Registers of a lane along the axis, if each covers a whole base tile of it. */
const registersAlong = (
  layout: Tiled.TiledLayout,
  shape: ReadonlyArray<number>,
  axis: number,
): number | null => {
  const base = layout.tiling[0]!
  const inTile = axis - (shape.length - base.length)
  if (inTile < 0) return null
  const less = Tiled.reduce([inTile])(layout)
  const single =
    E.isRight(less) &&
    Tiled.registerCount(
      less.right,
      base.filter((_, d) => d !== inTile),
    ) === Tiled.registerCount(layout, base)
  return single ? shape[axis]! / base[inTile]! : null
}

const plus = <D extends FloatDtype>(a: Expr<D>, b: Expr<D>): Expr<D> => add<D>(a, b)

/** `x.sum(axis)`, in the order of Mosaic GPU. */
export const reduceSum = <D extends FloatDtype, R extends number>(
  label: string,
  x: Tile<D, R>,
  axis: number,
  { ilp = 8 }: SumOptions = {},
): Build<Tile<D, Below<R>>> =>
  block(function* () {
    const type = yield* arrayHere(label, x, axis)
    const { layout, shape } = type
    const given = yield* layoutAfter(label, type, axis)
    const parts = partialSums(layout, shape, axis, ilp)
    if (parts === 1 || layout === 'any' || layout._tag !== 'tiled')
      return yield* letIn(label, reduce(x, axis, plus<D>, given))
    const registers = registersAlong(layout, shape, axis)
    if (registers === null || registers % parts !== 0)
      return yield* refused(
        'pallas.array.reduce',
        `${label}: ${String(parts)} partial sums of an array of shape ${showShape(shape)} in ${showLayout(layout)}: expected a number of registers along axis ${String(axis)} that they divide, found ${registers === null ? 'several in one tile' : String(registers)}`,
      )
    const width = shape[axis]! / registers
    const cut = [...shape.slice(0, axis), registers / parts, parts, width, ...shape.slice(axis + 1)]
    const before = reshape<D, number>(x, cut)
    // the registers of a partial sum, the partial sums, and what is left is one register a lane
    const sums = reduce<D, number>(reduce<D, number>(before, axis, plus<D>), axis, plus<D>)
    const single = checked<Tile<D, R>, Expr>(convertLayout(sums, layout))
    return yield* letIn(label, reduce<D, R>(single, axis, plus<D>, given))
  })

// ---------------------------------------------------------------- and back

/** `lax.broadcast_in_dim(x, shape, dims)` that adds an axis to x; `layout` is the layout of the other
 * operand. */
export const broadcastInDim = <D extends FloatDtype, R extends number>(
  label: string,
  x: Tile<D, R>,
  shape: ReadonlyArray<number>,
  axis: number,
  layout: RegisterLayout,
): Build<Tile<D, Above<R>>> =>
  block(function* () {
    const type = yield* typeHere(x)
    const kept = shape.filter((_, d) => d !== axis)
    if (type._tag !== 'tile' || !sameShape(type.shape, kept))
      return yield* refused(
        'pallas.array.broadcast',
        `${label}: expected an array of shape ${showShape(kept)} to repeat along axis ${String(axis)} of ${showShape(shape)}, found ${showType(type)}`,
      )
    const wanted = reducedLayout(layout, shape, axis)
    if (E.isLeft(wanted)) return yield* refused('pallas.array.broadcast', `${label}: ${wanted.left}`)
    const found = type.layout
    const fits =
      found === 'any' ||
      found._tag === 'splat' ||
      (wanted.right !== 'any' &&
        wanted.right._tag === 'tiled' &&
        found._tag === 'tiled' &&
        Tiled.sameTiledLayout(found, wanted.right))
    if (!fits)
      return yield* refused(
        'pallas.array.broadcast',
        `${label}: an array in ${showLayout(found)} does not meet one in ${showLayout(layout)} along axis ${String(axis)}: expected ${wanted.right === 'any' ? 'any layout' : showLayout(wanted.right)}`,
      )
    return yield* letIn(label, broadcast<D, Above<R>>(expandDims(x, axis), shape, layout))
  })
