/**
 * Arrays in registers whose shapes or layouts differ from what they are made of.
 *
 * | equation                          | becomes                                                                                 |
 * |-----------------------------------|-----------------------------------------------------------------------------------------|
 * | `broadcast_in_dim` of a scalar    | `splat`                                                                                  |
 * | `broadcast_in_dim` of an array    | `expandDims` and `broadcast`, in the layout whose reduction is that of the array          |
 * | `reduce_sum`, `reduce_max`, `reduce_min` | `reduce` in the order of Mosaic GPU, whose partial sums are those of the version    |
 * | `iota`                            | `iota`, cast to the element type                                                         |
 * | `layout_cast`                     | `convertLayout`                                                                          |
 * | `slice`                           | `gather` of neighbouring elements, an axis at a time; of what an accumulator holds, that part of it |
 * | `concatenate`                     | at each index a `gather` of the array that has it; registers stand one after another, so all lie alike |
 * | `reshape`, `squeeze`              | `reshape`; of one element to no dimensions, `item`                                        |
 *
 * Versions: sums of floats have one partial sum up to JAX 0.10, and eight additions under way from 0.11 on.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { RegisterLayout } from '../../layouts/register-layout.js'
import { splatLayout } from '../../layouts/splat.js'
import { stridedLayout } from '../../layouts/strided.js'
import * as Tiled from '../../layouts/tiled.js'
import { bitsOf, isFloat, type Dtype } from '../../numerics/dtype.js'
import { block, letIn, typeHere, type Build, type Steps } from '../../semantics/writing/builder.js'
import * as X from '../../semantics/language/expression.js'
import type { Expr, Tile } from '../../semantics/language/expression.js'
import { checked } from '../../semantics/language/index-types.js'
import { sizeOf, showShape } from '../../transforms/shape.js'
import * as Pallas from '../pallas/index.js'
import { integerBinary, integerConvert } from './arithmetic.js'

import { isLayout, type Eqn } from './document.js'
import { arrayNamed, maximum, minimum } from './elementwise.js'
import { refusedAt, type Here, type Row, type Rows } from './here.js'
import { registerLayoutOf, stridedFor } from './layouts.js'
import { arrayOperand, dtypeParam, number, numbers, operand, param } from './operands.js'
import { scalarNameOf } from './scalar-operands.js'
import { showKind, type ArrayValue, type Elaborated } from './values.js'

type AnyLayout = RegisterLayout | 'any'
/** The layout that is inferred for the result, if one is. */
const inferredFor = (h: Here, eqn: Eqn): RegisterLayout | undefined => {
  const out = eqn.out?.[0]
  return out == null ? undefined : h.inferred.layouts.get(out.v)
}

export const layoutHere = (x: ArrayValue): Build<AnyLayout> =>
  block(function* () {
    const type = yield* typeHere(x.tile)
    return type._tag === 'tile' ? type.layout : 'any'
  })

// ---------------------------------------------------------------- broadcasts

/** A layout of the whole whose reduction is that of the part: WGMMA before TCGEN05, as lowering prefers. */
const grown = (
  layout: Tiled.TiledLayout,
  shape: ReadonlyArray<number>,
  gone: ReadonlyArray<number>,
): RegisterLayout | null => {
  const native = Tiled.TMEM_NATIVE(2)
  const collective = Tiled.TCGEN05_M64_COLLECTIVE(shape[shape.length - 1] ?? 0)
  const candidates = [
    Tiled.WGMMA,
    Tiled.WGMMA_TRANSPOSED,
    Tiled.TCGEN05,
    Tiled.TCGEN05_TRANSPOSED,
    ...(E.isRight(native) ? [native.right] : []),
    ...(E.isRight(collective) ? [collective.right] : []),
  ]
  const fits = candidates.find((candidate) => {
    if (Tiled.baseTileShape(candidate).length !== shape.length) return false
    const less = Tiled.reduce(gone)(candidate)
    return E.isRight(less) && Tiled.sameTiledLayout(less.right, layout)
  })
  return fits ?? null
}

const broadcastInDim: Row = function* (h, eqn, label) {
  const x = yield* operand(h, eqn, 0)
  const shape = yield* numbers(h, eqn, 'shape')
  const dims = yield* numbers(h, eqn, 'broadcastDimensions')
  const wanted = inferredFor(h, eqn)
  if (x._tag === 'scalar') {
    if (shape.length === 0) return [x]
    return [yield* arrayNamed(label, x.dtype, shape, X.splat(x.expr, shape, wanted ?? 'any'))]
  }
  if (x._tag !== 'array')
    return yield* refusedAt(h, eqn, 'jaxpr.operand', 'a number or an array', showKind(x))
  const gone = shape.flatMap((_, d) => (dims.includes(d) ? [] : [d]))
  const found = yield* layoutHere(x)
  const layout: AnyLayout | null =
    wanted ??
    (found === 'any'
      ? 'any'
      : found._tag === 'splat'
        ? splatLayout(shape)
        : found._tag === 'tiled'
          ? grown(found, shape, gone)
          : 'any')
  if (layout === null)
    return yield* refusedAt(
      h,
      eqn,
      'jaxpr.layout',
      `a layout of ${showShape(shape)} whose part is that of the array (plgpu.layout_cast sets one)`,
      showKind(x),
    )
  const [axis] = gone
  // one new axis: the surface asks whether the layouts meet
  if (
    gone.length === 1 &&
    axis !== undefined &&
    layout !== 'any' &&
    layout._tag === 'tiled' &&
    isFloat(x.dtype)
  ) {
    const kept = shape.filter((_, d) => d !== axis)
    if (kept.join() === x.shape.join()) {
      const tile = yield* Pallas.broadcastInDim(
        label,
        checked<Tile<'f32', 1>, Expr>(x.tile),
        shape,
        axis,
        layout,
      )
      return [{ _tag: 'array', dtype: x.dtype, shape, tile: checked<ArrayValue['tile'], Expr>(tile) }]
    }
  }
  let e: Expr = x.tile
  for (const d of gone) e = X.expandDims(checked<Tile<'f32', number>, Expr>(e), d)
  return [
    yield* arrayNamed(
      label,
      x.dtype,
      shape,
      X.broadcast(checked<Tile<'f32', number>, Expr>(e), shape, layout),
    ),
  ]
}

// ---------------------------------------------------------------- reductions

type Reduction = 'sum' | 'max' | 'min' | 'prod'

const combined =
  (of: Reduction, dtype: Dtype) =>
  (x: Expr<'f32'>, y: Expr<'f32'>): Expr<'f32'> => {
    if (!isFloat(dtype)) {
      const op = of === 'sum' ? 'add' : of === 'prod' ? 'mul' : of
      return checked<Expr<'f32'>, Expr>(integerBinary(op, dtype, x, y) ?? x)
    }
    switch (of) {
      case 'sum':
        return X.add(x, y)
      case 'prod':
        return X.mul(x, y)
      case 'max':
        return maximum(x, y)
      case 'min':
        return minimum(x, y)
    }
  }

/** Additions that a lane has under way at once. */
const ilpOf = ({ document }: Here, of: Reduction): number => {
  const version = document.producer?.['jax']
  const [major = 0, minor = 0] = typeof version === 'string' ? version.split('.').map(Number) : [0, 11]
  return (of === 'sum' || of === 'prod') && (major > 0 || minor >= 11) ? 8 : 1
}

/** Elements dealt out to 128 lanes as one row. */
const flatLayout = (vector: number): E.Either<unknown, RegisterLayout> =>
  Tiled.tiledLayout({
    tiling: [[128 * vector], [32 * vector], [vector]],
    warpDims: [-3],
    laneDims: [-2],
    vectorDim: -1,
  })

const reduceOne = function* (
  h: Here,
  label: string,
  of: Reduction,
  x: ArrayValue,
  axis: number,
): Steps<ArrayValue> {
  const shape = x.shape.filter((_, d) => d !== axis)
  const tile = checked<Tile<'f32', number>, Expr>(x.tile)
  const layout = yield* layoutHere(x)
  let reduced: Expr
  if (of === 'sum' && isFloat(x.dtype))
    reduced = yield* Pallas.reduceSum(label, tile, axis, { ilp: ilpOf(h, of) })
  else {
    const less =
      layout !== 'any' && layout._tag === 'tiled' ? afterReduction(layout, x.shape, axis) : ('any' as const)
    reduced = yield* letIn(label, X.reduce<'f32', number>(tile, axis, combined(of, x.dtype), less))
  }
  return { _tag: 'array', dtype: x.dtype, shape, tile: checked<ArrayValue['tile'], Expr>(reduced) }
}

const afterReduction = (layout: Tiled.TiledLayout, shape: ReadonlyArray<number>, axis: number): AnyLayout => {
  const inTile = axis - (shape.length - Tiled.baseTileShape(layout).length)
  if (inTile < 0) return layout
  const less = Tiled.reduce([inTile])(layout)
  return E.isRight(less) ? less.right : 'any'
}

/** Does the result depend on the order in which elements are combined? */
const isRounded = (of: Reduction, dtype: Dtype): boolean => isFloat(dtype) && (of === 'sum' || of === 'prod')

const reduction = (of: Reduction): Row =>
  function* (h, eqn, label) {
    const given = yield* arrayOperand(h, eqn, 0)
    const axes = [...(yield* numbers(h, eqn, 'axes'))].sort((a, b) => b - a)
    let x = given
    const layout = yield* layoutHere(given)
    const all = axes.length === x.shape.length
    // an array that is dealt out in a row is reduced as that row, and only as a whole
    if (layout !== 'any' && layout._tag === 'strided') {
      const flat = flatLayout(layout.vectorLength)
      if (!all || E.isLeft(flat))
        return yield* refusedAt(
          h,
          eqn,
          'jaxpr.layout',
          'a tiled layout, or a reduction along all axes',
          `${showKind(given)} in a strided layout, along ${axes.map(String).join(', ')}`,
        )
      const size = sizeOf(given.shape)
      const row = yield* letIn(
        `${label}.row`,
        X.reshape<'f32', number>(checked<Tile<'f32', number>, Expr>(x.tile), [size], flat.right),
      )
      x = { ...x, shape: [size], tile: checked<ArrayValue['tile'], Expr>(row) }
      x = yield* reduceOne(h, label, of, x, 0)
    } else if (
      all &&
      axes.length > 1 &&
      isRounded(of, x.dtype) &&
      layout !== 'any' &&
      layout._tag === 'tiled'
    )
      return yield* refusedAt(
        h,
        eqn,
        'jaxpr.layout',
        'a sum or a product of floats along one axis of a tiled layout at a time, as JAX lowers it',
        `${showKind(given)} along ${axes.map(String).join(', ')}`,
      )
    else
      for (const [k, axis] of axes.entries())
        x = yield* reduceOne(h, k === axes.length - 1 ? label : `${label}.${String(axis)}`, of, x, axis)
    if (x.shape.length > 0) return [x]
    const item = X.item(checked<Tile<'f32', 0>, Expr>(x.tile))
    return [{ _tag: 'scalar', dtype: x.dtype, expr: item }]
  }

// ---------------------------------------------------------------- made, cast

const iota: Row = function* (h, eqn, label) {
  const dtype = yield* dtypeParam(h, eqn, 'dtype')
  const shape = yield* numbers(h, eqn, 'shape')
  const dimension = yield* number(h, eqn, 'dimension')
  const layout = inferredFor(h, eqn)
  const name = scalarNameOf(dtype)
  const options = layout === undefined ? {} : { layout }
  if (name === 'i1') return yield* refusedAt(h, eqn, 'jaxpr.dtype', 'numbers that can be counted', dtype)
  const tile = yield* Pallas.broadcastedIota(label, name, shape, dimension, options)
  if (isFloat(dtype)) return [yield* arrayNamed(label, dtype, shape, tile)]
  return [
    yield* arrayNamed(
      label,
      dtype,
      shape,
      name === 'i32'
        ? integerConvert('i32', dtype, tile, (e) => X.splat(checked<Expr<'i32'>, Expr>(e), shape))
        : tile,
    ),
  ]
}

const layoutCast: Row = function* (h, eqn, label) {
  const x = yield* operand(h, eqn, 0)
  if (x._tag === 'scalar') return [x]
  const said = param(eqn, 'layout')
  if (x._tag !== 'array' || !isLayout(said))
    return yield* refusedAt(h, eqn, 'jaxpr.operand', 'an array and a layout', showKind(x))
  const layout = yield* registerLayoutOf(h, eqn, said, x.shape, x.dtype)
  const found = yield* layoutHere(x)
  if (found !== 'any' && JSON.stringify(found) === JSON.stringify(layout)) return [x]
  const tile = yield* Pallas.layoutCast(
    label,
    checked<Tile<'f32', number>, Expr>(x.tile),
    layout,
    bitsOf(x.dtype),
  )
  return [{ ...x, tile: checked<ArrayValue['tile'], Expr>(tile) }]
}

// ---------------------------------------------------------------- parts and other shapes

/** Elements in a row along each axis. */
const slice: Row = function* (h, eqn, label) {
  const x = yield* arrayOperand(h, eqn, 0)
  const starts = yield* numbers(h, eqn, 'startIndices')
  const limits = yield* numbers(h, eqn, 'limitIndices')
  if (param(eqn, 'strides') != null && !(yield* numbers(h, eqn, 'strides')).every((s) => s === 1))
    return yield* refusedAt(h, eqn, 'jaxpr.param', 'strides of 1', JSON.stringify(param(eqn, 'strides')))
  const found = yield* layoutHere(x)
  const { part } = x
  if (part !== undefined && part.block === h.products && part.products === h.issued.count) {
    const sizes = [limits[0]! - starts[0]!, limits[1]! - starts[1]!] as const
    const tile = yield* part.read(label, [starts[0]!, starts[1]!], sizes)
    return [{ _tag: 'array', dtype: x.dtype, shape: sizes, tile: checked<ArrayValue['tile'], Expr>(tile) }]
  }
  let shape = x.shape
  let e: Expr = x.tile
  for (const [d, start] of starts.entries()) {
    const size = limits[d]! - start
    if (size === shape[d]) continue
    shape = shape.map((extent, k) => (k === d ? size : extent))
    const layout =
      found === 'any' ? 'any' : found._tag === 'tiled' ? found : slicedLayout(found, shape, x.dtype)
    if (layout === null)
      return yield* refusedAt(h, eqn, 'jaxpr.layout', `a layout of ${showShape(shape)}`, showKind(x))
    const base = found !== 'any' && found._tag === 'tiled' ? Tiled.baseTileShape(found) : []
    const tile = base[d - (shape.length - base.length)] ?? 1
    if (start % tile !== 0 || size % tile !== 0)
      return yield* refusedAt(
        h,
        eqn,
        'jaxpr.layout',
        `a slice in multiples of ${String(tile)} along dimension ${String(d)}`,
        `${String(size)} from ${String(start)}`,
      )
    const index = X.iota<number>(shape, d, layout, start)
    e = yield* letIn(label, X.gather<'f32', number>(checked<Tile<'f32', number>, Expr>(e), index, d, layout))
  }
  return [{ ...x, shape, tile: checked<ArrayValue['tile'], Expr>(e) }]
}

const slicedLayout = (
  layout: RegisterLayout,
  shape: ReadonlyArray<number>,
  dtype: Dtype,
): RegisterLayout | null => (layout._tag === 'splat' ? splatLayout(shape) : stridedFor(shape, dtype))

/** The layout of arrays one after another along an axis, each of which has this one; null where lowering has none. */
const joinedLayout = (
  layout: AnyLayout,
  shape: ReadonlyArray<number>,
  dimension: number,
): AnyLayout | null => {
  if (layout === 'any') return 'any'
  switch (layout._tag) {
    case 'tiled':
      return layout
    case 'strided': {
      const made = dimension === 0 ? stridedLayout(shape, layout.vectorLength) : null
      return made !== null && E.isRight(made) ? made.right : null
    }
    case 'splat':
    case 'linear':
      return null
  }
}

/** Do registers of two arrays stand one after another? Strided ones of other shapes do, with the same vectors. */
const liesAs = (x: AnyLayout, y: AnyLayout): boolean =>
  x !== 'any' && y !== 'any' && x._tag === 'strided' && y._tag === 'strided'
    ? x.vectorLength === y.vectorLength
    : JSON.stringify(x) === JSON.stringify(y)

/** Arrays one after another along an axis. */
const concatenate: Row = function* (h, eqn, label) {
  const dimension = yield* number(h, eqn, 'dimension')
  const arrays: ArrayValue[] = []
  for (const k of (eqn.in ?? []).keys()) arrays.push(yield* arrayOperand(h, eqn, k))
  const [first] = arrays
  if (first === undefined) return yield* refusedAt(h, eqn, 'jaxpr.operand', 'at least one array', 'none')
  const alike = (x: ArrayValue): boolean =>
    x.dtype === first.dtype &&
    x.shape.length === first.shape.length &&
    x.shape.every((extent, d) => d === dimension || extent === first.shape[d])
  const other = arrays.find((x) => !alike(x))
  if (first.shape[dimension] === undefined || other !== undefined)
    return yield* refusedAt(
      h,
      eqn,
      'jaxpr.operand',
      `arrays that differ along dimension ${String(dimension)} alone`,
      [first, other ?? first].map(showKind).join(' and '),
    )
  const shape = first.shape.map((extent, d) =>
    d === dimension ? arrays.reduce((sum, x) => sum + (x.shape[d] ?? 0), 0) : extent,
  )
  const found = yield* layoutHere(first)
  const layout = joinedLayout(found, shape, dimension)
  for (const x of arrays) {
    const its = yield* layoutHere(x)
    if (layout === null || !liesAs(found, its))
      return yield* refusedAt(
        h,
        eqn,
        'jaxpr.layout',
        'arrays in one tiled layout, or in strided ones along dimension 0',
        its === 'any' ? 'none' : its._tag,
      )
  }
  const place = (from: number): Tile<'i32', number> =>
    X.iota<number>(shape, dimension, layout ?? 'any', -from)
  const limit = (n: number): Tile<'i32', number> => X.splat(X.i32(n), shape, layout ?? 'any')
  let from = 0
  let joined: Expr | null = null
  for (const x of arrays) {
    const size = x.shape[dimension] ?? 0
    // an index of another array looks up what is not taken
    const inside = X.max(X.min(place(from), limit(size - 1)), limit(0))
    const piece = X.gather<'f32', number>(
      checked<Tile<'f32', number>, Expr>(x.tile),
      checked<Tile<'i32', number>, Expr>(inside),
      dimension,
      layout ?? 'any',
    )
    joined =
      joined === null
        ? piece
        : X.select(
            checked<Tile<'i1', number>, Expr>(X.lt(place(from), limit(0))),
            checked<Tile<'f32', number>, Expr>(joined),
            piece,
          )
    from += size
  }
  return [yield* arrayNamed(label, first.dtype, shape, joined ?? first.tile)]
}

/** What an array in this layout has after a reshape; null where lowering has none. */
const reshapedLayout = (
  layout: AnyLayout,
  from: ReadonlyArray<number>,
  to: ReadonlyArray<number>,
): AnyLayout | null => {
  if (layout === 'any') return 'any'
  switch (layout._tag) {
    case 'splat':
      return splatLayout(to)
    case 'strided': {
      const made = stridedLayout(to, layout.vectorLength)
      return E.isRight(made) ? made.right : null
    }
    case 'tiled': {
      // dimensions in front of the tile come and go; its first may be cut into whole tiles
      const base = Tiled.baseTileShape(layout)
      const [first = 1, ...inner] = to.slice(-base.length)
      const same = from.slice(from.length - inner.length).join() === inner.join()
      return same && to.length >= base.length && first % base[0]! === 0 ? layout : null
    }
    case 'linear':
      return null
  }
}

const reshaped = function* (
  h: Here,
  eqn: Eqn,
  label: string,
  x: Elaborated,
  shape: ReadonlyArray<number>,
): Steps<Elaborated> {
  if (x._tag === 'scalar')
    return shape.length === 0 ? x : yield* arrayNamed(label, x.dtype, shape, X.splat(x.expr, shape))
  if (x._tag !== 'array')
    return yield* refusedAt(h, eqn, 'jaxpr.operand', 'a number or an array', showKind(x))
  const tile = checked<Tile<'f32', number>, Expr>(x.tile)
  if (shape.length === 0) {
    const one = X.reshape<'f32', 0>(tile, [])
    return { _tag: 'scalar', dtype: x.dtype, expr: yield* letIn(label, X.item(one)) }
  }
  const found = yield* layoutHere(x)
  const layout = inferredFor(h, eqn) ?? reshapedLayout(found, x.shape, shape)
  if (layout === null)
    return yield* refusedAt(
      h,
      eqn,
      'jaxpr.layout',
      `a layout of ${showShape(shape)} that ${showKind(x)} has already`,
      'none',
    )
  return yield* arrayNamed(label, x.dtype, shape, X.reshape<'f32', number>(tile, shape, layout))
}

const reshapeRow: Row = function* (h, eqn, label) {
  return [yield* reshaped(h, eqn, label, yield* operand(h, eqn, 0), yield* numbers(h, eqn, 'newSizes'))]
}
const squeeze: Row = function* (h, eqn, label) {
  const x = yield* operand(h, eqn, 0)
  const gone = yield* numbers(h, eqn, 'dimensions')
  const shape = x._tag === 'array' ? x.shape.filter((_, d) => !gone.includes(d)) : []
  return [yield* reshaped(h, eqn, label, x, shape)]
}

export const arrayRows: Rows = {
  broadcast_in_dim: broadcastInDim,
  reduce_sum: reduction('sum'),
  reduce_max: reduction('max'),
  reduce_min: reduction('min'),
  reduce_prod: reduction('prod'),
  iota,
  layout_cast: layoutCast,
  slice,
  concatenate,
  reshape: reshapeRow,
  squeeze,
}
