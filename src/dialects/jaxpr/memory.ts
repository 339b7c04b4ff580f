/**
 * Loads and stores of refs: `get` and `swap`, of what lies in shared or global memory, and of values that `run_state` keeps.
 *
 * A load says its layout (`plgpu.load`, or a `layout_cast` right behind it), or it is inferred; in lane semantics what says none is strided, or `WGMMA`
 * where the ref is tiled. A ref of one element gives a scalar. What a store leaves behind is loaded before it only if it is read.
 */
import * as E from 'fp-ts/lib/Either.js'
import { block, typeHere, type Build, type Steps } from '../../semantics/writing/builder.js'
import * as X from '../../semantics/language/expression.js'
import type { Expr, Tile, View } from '../../semantics/language/expression.js'
import { checked } from '../../semantics/language/index-types.js'
import type { ScalarName } from '../../semantics/language/types.js'
import { checkShape, type RegisterLayout } from '../../layouts/register-layout.js'
import { WGMMA } from '../../layouts/tiled.js'
import type { Dtype } from '../../numerics/dtype.js'
import * as Pallas from '../pallas/index.js'
import { integerBinary } from './arithmetic.js'
import { isFloat } from '../../numerics/dtype.js'

import { isLayout, type Eqn } from './document.js'
import { refusedAt, type Here, type Row, type Rows } from './here.js'
import { registerLayoutOf, stridedFor } from './layouts.js'
import { operand, param, use } from './operands.js'
import { gmemView, type GmemUse, type SmemUse, type Used } from './refs.js'
import { showKind, type ArrayValue, type Elaborated, type Scalar } from './values.js'

type Number = Scalar | ArrayValue

// ---------------------------------------------------------------- what is loaded

const viewOf = function* (
  h: Here,
  eqn: Eqn,
  label: string,
  used: GmemUse | SmemUse,
): Steps<View<'smem' | 'gmem'>> {
  return used._tag === 'smem' ? used.view : yield* gmemView(h, eqn, label, used)
}

const shapeOfView = (view: View): Build<{ readonly shape: ReadonlyArray<number>; readonly tiled: boolean }> =>
  block(function* () {
    const type = yield* typeHere(view)
    return type._tag === 'view'
      ? { shape: type.layout.shape, tiled: type.layout.tiling.length > 0 }
      : { shape: [], tiled: false }
  })

/** The layout that a load is asked for, or that nothing else says. */
const layoutOfLoad = function* (
  h: Here,
  eqn: Eqn,
  dtype: Dtype,
  shape: ReadonlyArray<number>,
  tiled: boolean,
): Steps<RegisterLayout | undefined> {
  const said = param(eqn, 'layout')
  if (isLayout(said)) return yield* registerLayoutOf(h, eqn, said, shape, dtype)
  const out = eqn.out?.[0]
  const inferred = out == null ? undefined : h.inferred.layouts.get(out.v)
  if (inferred !== undefined) return inferred
  return tiled && E.isRight(checkShape(WGMMA, shape)) ? WGMMA : (stridedFor(shape, dtype) ?? undefined)
}

/** What lies in a view: a scalar where it has one element and no dimensions. */
const loaded = function* (
  h: Here,
  eqn: Eqn,
  label: string,
  dtype: Dtype,
  view: View<'smem' | 'gmem'>,
): Steps<Number> {
  const { shape, tiled } = yield* shapeOfView(view)
  if (shape.length === 0) {
    const tile = yield* Pallas.load(label, view, {})
    return {
      _tag: 'scalar',
      dtype,
      expr: checked<Scalar['expr'], Expr>(X.item(checked<Tile<'i32', 0>, Expr>(tile))),
    }
  }
  const layout = yield* layoutOfLoad(h, eqn, dtype, shape, tiled)
  // what is optimised is asked for only where the author says so
  const optimized = param(eqn, 'optimized') !== false && isLayout(param(eqn, 'layout'))
  const tile = yield* Pallas.load(label, view, {
    optimized,
    ...(layout === undefined ? {} : { layout }),
  })
  return { _tag: 'array', dtype, shape, tile: checked<ArrayValue['tile'], Expr>(tile) }
}

const notLoaded = (h: Here, eqn: Eqn, used: Used): Build<never> =>
  refusedAt(
    h,
    eqn,
    'jaxpr.operand',
    'a ref in SMEM or GMEM',
    used._tag === 'tmem'
      ? `${used.name} in TMEM: async_load_tmem and async_store_tmem are for it`
      : used._tag === 'accumulator'
        ? showKind(used)
        : used._tag,
  )

const masked = function* (h: Here, eqn: Eqn): Steps<void> {
  if (param(eqn, 'masked') === true)
    yield* refusedAt(h, eqn, 'jaxpr.operation', 'a load or a store of all elements', 'one with a mask')
}

const get: Row = function* (h, eqn, label) {
  yield* masked(h, eqn)
  const used = yield* use(h, eqn, 'ref')
  switch (used._tag) {
    case 'cell':
      return [used.cell.value]
    case 'smem':
    case 'gmem':
      return [yield* loaded(h, eqn, label, used.dtype, yield* viewOf(h, eqn, label, used))]
    case 'accumulator': {
      const tile = yield* Pallas.readAccumulator(label, used.acc)
      const { dtype, shape } = used.acc
      return [{ _tag: 'array', dtype, shape, tile: checked<ArrayValue['tile'], Expr>(tile) }]
    }
    case 'barrier':
    case 'semaphore':
    case 'tmem':
      return yield* notLoaded(h, eqn, used)
  }
}

// ---------------------------------------------------------------- what is stored

/** A number as an array of the shape. */
const asArray = (x: Number, shape: ReadonlyArray<number>): Tile<ScalarName> =>
  checked<Tile<ScalarName>, Expr>(x._tag === 'array' ? x.tile : X.splat(x.expr, shape))

const numberOperand = function* (h: Here, eqn: Eqn, k: number): Steps<Number> {
  const found = yield* operand(h, eqn, k)
  return found._tag === 'scalar' || found._tag === 'array'
    ? found
    : yield* refusedAt(h, eqn, 'jaxpr.operand', 'a number or an array that is stored', showKind(found))
}

const isRead = (h: Here, eqn: Eqn): boolean => {
  const out = eqn.out?.[0]
  return out != null && (h.reads.get(out.v) ?? 0) > 0
}

const swap: Row = function* (h, eqn, label) {
  yield* masked(h, eqn)
  const value = yield* numberOperand(h, eqn, 0)
  const used = yield* use(h, eqn, 'ref')
  switch (used._tag) {
    case 'cell': {
      const before = used.cell.value
      used.cell.value = value
      return [before]
    }
    case 'smem':
    case 'gmem': {
      const view = yield* viewOf(h, eqn, label, used)
      const { shape } = yield* shapeOfView(view)
      const before: Elaborated | null = isRead(h, eqn)
        ? yield* loaded(h, eqn, `${label}.before`, used.dtype, view)
        : null
      yield* Pallas.store(label, view, asArray(value, shape))
      return [before]
    }
    case 'barrier':
    case 'semaphore':
    case 'tmem':
    case 'accumulator':
      return yield* notLoaded(h, eqn, used)
  }
}

/** `ref[...] += value`, by one thread: a load, a sum and a store. */
const addUpdate: Row = function* (h, eqn, label) {
  const value = yield* numberOperand(h, eqn, 0)
  const used = yield* use(h, eqn, 'ref')
  if (used._tag !== 'smem' && used._tag !== 'gmem') return yield* notLoaded(h, eqn, used)
  const view = yield* viewOf(h, eqn, label, used)
  const { shape } = yield* shapeOfView(view)
  const before = yield* loaded(h, eqn, `${label}.before`, used.dtype, view)
  const [x, y] = [asArray(before, shape), asArray(value, shape)]
  const sum: Expr | null = isFloat(used.dtype)
    ? X.add(checked<Expr<'f32'>, Expr>(x), checked<Expr<'f32'>, Expr>(y))
    : integerBinary('add', used.dtype, x, y, (e) => X.splat(checked<Expr<'i32'>, Expr>(e), shape))
  if (sum === null) return yield* refusedAt(h, eqn, 'jaxpr.dtype', 'numbers that are added', used.dtype)
  yield* Pallas.store(label, view, checked<Tile<ScalarName>, Expr>(sum))
  return []
}

export const memoryRows: Rows = { get, swap, addupdate: addUpdate }
