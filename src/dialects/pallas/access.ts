/**
 * Arrays in registers: loads and stores of refs, casts between layouts, iotas.
 *
 *     plgpu.load(ref, layout=..., optimized=True)     load       smem.load, gmem.load
 *     ref[...] = x                                    store      smem.store, gmem.store
 *     plgpu.layout_cast(x, layout)                    layoutCast convertLayout
 *     plgpu.broadcasted_iota(dtype, shape, d)         broadcastedIota
 *
 * A register layout says which lane holds which element. A cast is free or cheap between some layouts and refused between others: what must go
 * through SMEM has to be written so. `any` is a layout that inference has yet to choose; a cast fixes it.
 *
 * | cast                                                                             | for elements of   |
 * |----------------------------------------------------------------------------------|-------------------|
 * | to itself; from a splat; from `any`                                              | all widths        |
 * | WGMMA - WGMMA_TRANSPOSED, TCGEN05 - TCGEN05_TRANSPOSED                           | 16 and 32 bits    |
 * | WGMMA_UPCAST_4X to WGMMA_UPCAST_2X, WGMMA_UPCAST_2X to WGMMA, and both           | 4, up to 16, 4    |
 * | TMEM_NATIVE(v) - TMEM_NATIVE(w); WGMMA - WGMMA_ACC_32BIT                         | all widths        |
 *
 * Laws
 * 1. A cast changes no element; which pairs are legal is `canConvert`'s, refused with its reason.
 * 2. `broadcastedIota(dtype, shape, d)` at index i is i[d].
 *
 * Names: `plgpu.load`, `plgpu.layout_cast`, `plgpu.broadcasted_iota`.
 *
 * Source: JAX docs, Pallas:MGPU reference (layouts, loads).
 */
import * as E from 'fp-ts/lib/Either.js'
import { canConvert, checkShape, showLayout, type RegisterLayout } from '../../layouts/register-layout.js'
import { bitsOf, isFloat, type Dtype, type FloatDtype } from '../../numerics/dtype.js'
import {
  block,
  gmemLoad,
  letIn,
  run,
  smemLoad,
  typeHere,
  type Build,
  type ElementIndex,
} from '../../semantics/writing/builder.js'
import {
  cast,
  convertLayout,
  extS,
  iota,
  type Condition,
  type ExprNode,
  type Tile,
  type View,
} from '../../semantics/language/expression.js'
import { checked } from '../../semantics/language/index-types.js'
import type { AnyTile } from '../../semantics/language/instruction.js'
import { elementOf } from '../../semantics/language/signature.js'
import { showType } from '../../semantics/language/typecheck.js'
import type { PtrIndex, ScalarName } from '../../semantics/language/types.js'
import { sameShape, showShape, sizeOf } from '../../transforms/shape.js'
import { refused } from './codes.js'
import { nameOf, orRefused } from './copy/map.js'
import { checkOptimized } from './copy/optimized.js'

// ---------------------------------------------------------------- loads

export interface LoadOptions {
  /** how the array lies in registers; inferred if not given */
  readonly layout?: RegisterLayout
  /** refuse a load that takes more passes than necessary (default true) */
  readonly optimized?: boolean
  readonly when?: Condition | undefined
}

/** `plgpu.load(ref, layout, optimized)`: the contents of a ref in SMEM or GMEM. */
export const load = <D extends Dtype, R extends number>(
  label: string,
  ref: View<'smem' | 'gmem', D, R>,
  options: LoadOptions = {},
): Build<Tile<ElementIndex<D>, R>> =>
  block(function* () {
    const type = yield* typeHere(ref)
    const name = nameOf(ref)
    if (type._tag !== 'view' || (type.space !== 'smem' && type.space !== 'gmem'))
      return yield* refused(
        'pallas.load',
        `${label}: only refs in SMEM and GMEM are loaded, found ${type._tag === 'view' ? `${name} in ${type.space.toUpperCase()}` : showType(type)}`,
      )
    const { layout } = options
    if (layout !== undefined) {
      const fits = checkShape(layout, type.layout.shape)
      if (E.isLeft(fits))
        return yield* refused(
          'pallas.load.layout',
          `${label}: ${name} has not the layout: ${fits.left.message}`,
        )
      if (layout._tag === 'splat' && sizeOf(type.layout.shape) > 1)
        return yield* refused(
          'pallas.load.layout',
          `${label}: ${name} of shape ${showShape(type.layout.shape)} has more than one element: it cannot be loaded as ${showLayout(layout)}`,
        )
      if (type.space === 'smem' && options.optimized !== false)
        yield* orRefused(
          checkOptimized(label, 'load', layout, { name, dtype: type.dtype, layout: type.layout }),
        )
    }
    const how = {
      ...(layout === undefined ? {} : { layout }),
      ...(options.when === undefined ? {} : { when: options.when }),
    }
    return type.space === 'smem'
      ? yield* smemLoad(label, checked<View<'smem', D, R>, ExprNode>(ref), how)
      : yield* gmemLoad(label, checked<View<'gmem', D, R>, ExprNode>(ref), how)
  })

// ---------------------------------------------------------------- stores

export interface StoreArrayOptions {
  /** refuse a store that takes more passes than necessary (default false) */
  readonly optimized?: boolean
  readonly when?: Condition | undefined
}

/** `ref[...] = value`, of a ref in SMEM or GMEM. */
export const store = (
  label: string,
  ref: View<'smem' | 'gmem'>,
  value: AnyTile,
  options: StoreArrayOptions = {},
): Build<void> =>
  block(function* () {
    const type = yield* typeHere(ref)
    const given = yield* typeHere(value)
    const name = nameOf(ref)
    const no = (what: string): Build<never> => refused('pallas.store', `${label}: ${what}`)
    if (type._tag !== 'view' || (type.space !== 'smem' && type.space !== 'gmem'))
      return yield* no(
        `only refs in SMEM and GMEM are stored to, found ${type._tag === 'view' ? `${name} in ${type.space.toUpperCase()}` : showType(type)}`,
      )
    if (given._tag !== 'tile' || !sameShape(given.shape, type.layout.shape))
      return yield* no(
        `Expected an array of shape ${showShape(type.layout.shape)} for ${name}, found ${given._tag === 'tile' ? showShape(given.shape) : showType(given)}`,
      )
    const element = elementOf(type.dtype)
    if (given.element._tag !== 'scalar' || given.element.dtype !== element.dtype)
      return yield* no(`Expected an array of ${type.dtype} for ${name}, found ${showType(given)}`)
    if (type.space === 'smem' && options.optimized === true)
      yield* orRefused(
        checkOptimized(label, 'store', given.layout, { name, dtype: type.dtype, layout: type.layout }),
      )
    const guard = options.when === undefined ? {} : { when: options.when }
    yield* type.space === 'smem'
      ? run(label, { _tag: 'smem.store', destination: checked<View<'smem'>, ExprNode>(ref), value }, guard)
      : run(label, { _tag: 'gmem.store', destination: checked<View<'gmem'>, ExprNode>(ref), value }, guard)
  })

// ---------------------------------------------------------------- layouts

/** `plgpu.layout_cast(x, layout)`. */
export const layoutCast = <E extends ScalarName | PtrIndex, R extends number>(
  label: string,
  x: Tile<E, R>,
  layout: RegisterLayout,
  /** of the elements as their author has them: narrow integers are held in i32 here */
  bits?: number,
): Build<Tile<E, R>> =>
  block(function* () {
    const type = yield* typeHere(x)
    if (type._tag !== 'tile')
      return yield* refused('pallas.layout-cast', `${label}: expected an array, found ${showType(type)}`)
    const legal =
      type.layout === 'any' || type.element._tag !== 'scalar'
        ? checkShape(layout, type.shape)
        : canConvert(type.layout, layout, type.shape, bits ?? bitsOf(type.element.dtype))
    if (E.isLeft(legal)) return yield* refused('pallas.layout-cast', `${label}: ${legal.left.message}`)
    return yield* letIn(label, convertLayout(x, layout))
  })

export interface IotaOptions {
  /** how the array lies in registers; inferred if not given */
  readonly layout?: RegisterLayout
}

/** `plgpu.broadcasted_iota(dtype, shape, dimension, layout)`: the index along a dimension, at every index. */
export const broadcastedIota = <D extends 'i32' | 'i64' | FloatDtype, R extends number>(
  label: string,
  dtype: D,
  shape: ReadonlyArray<number>,
  dimension: number,
  options: IotaOptions = {},
): Build<Tile<D, R>> =>
  block(function* () {
    if (!Number.isInteger(dimension) || dimension < 0 || dimension >= shape.length)
      return yield* refused(
        'pallas.iota',
        `${label}: dimension ${String(dimension)} is out of range for shape ${showShape(shape)}`,
      )
    if (options.layout !== undefined) {
      const fits = checkShape(options.layout, shape)
      if (E.isLeft(fits)) return yield* refused('pallas.iota', `${label}: ${fits.left.message}`)
    }
    if (options.layout?._tag === 'splat' && shape[dimension]! > 1)
      return yield* refused(
        'pallas.iota',
        `${label}: the elements along dimension ${String(dimension)} of ${showShape(shape)} differ: they cannot be ${showLayout(options.layout)}`,
      )
    if (isFloat(dtype) && bitsOf(dtype) < 16)
      return yield* refused(
        'pallas.iota',
        `${label}: expected integers or floats of 16 bits or more, found ${dtype}`,
      )
    const counted = iota<R>(shape, dimension, options.layout ?? 'any')
    const of: ExprNode = isFloat(dtype)
      ? cast(counted, dtype)
      : dtype === 'i64'
        ? extS(counted, 'i64')
        : counted
    return yield* letIn(label, checked<Tile<D, R>, ExprNode>(of))
  })
