/**
 * `inline_mgpu`: core instructions in the midst of a kernel, behind a type.
 *
 * What is inlined says which refs, arrays and scalars it takes and what it gives. Both are checked against what it is handed and what it gives back, so
 * that a kernel can be read without looking inside. Between the two everything of the core is allowed.
 *
 *     inlineMgpu('double', { argTypes: [RefType({ space: 'smem', dtype: 'i32', shape: [4] })],
 *                            returnType: ArrayType({ dtype: 'i32', shape: [4] }) }, [buf],
 *       function* ([ref]) { const x = yield* smemLoad('x', ref); return add(x, x) })
 *
 * A warp inside a warp map has no arrays: there the result is a scalar, or nothing.
 *
 * Laws
 * 1. With types that fit, the statements are those of the body and the result is its result.
 *
 * Names: `plgpu.inline_mgpu(arg_types=..., return_type=...)`, `plgpu.RefType`, `plgpu.Layout`.
 *
 * Source: JAX docs, Pallas:MGPU reference (inline Mosaic GPU).
 */
import * as E from 'fp-ts/lib/Either.js'
import type { RegisterLayout } from '../../layouts/register-layout.js'
import { bitsOf, type Dtype } from '../../numerics/dtype.js'
import { block, typeHere, type Build, type Steps } from '../../semantics/writing/builder.js'
import type { Expr } from '../../semantics/language/expression.js'
import { showType } from '../../semantics/language/typecheck.js'
import type { ScalarName, Space, Type } from '../../semantics/language/types.js'
import * as Ref from '../../transforms/ref.js'
import { sameShape, showShape, sizeOf } from '../../transforms/shape.js'
import type { Transform } from '../../transforms/transform.js'
import { refused } from './codes.js'
import { contextHere } from './context.js'

// ---------------------------------------------------------------- model

/** The type of an argument or a result. */
export type InlineType =
  | {
      readonly _tag: 'ref'
      readonly space: Space
      readonly dtype: Dtype
      readonly shape: ReadonlyArray<number>
      readonly transforms: ReadonlyArray<Transform>
    }
  | {
      readonly _tag: 'array'
      readonly dtype: ScalarName
      readonly shape: ReadonlyArray<number>
      readonly layout: RegisterLayout | null
    }
  | { readonly _tag: 'scalar'; readonly dtype: ScalarName }

/** `plgpu.RefType(transforms)`, with the ref's shape and dtype. */
export const RefType = (o: {
  readonly space: Space
  readonly dtype: Dtype
  readonly shape: ReadonlyArray<number>
  readonly transforms?: ReadonlyArray<Transform>
}): InlineType => ({
  _tag: 'ref',
  space: o.space,
  dtype: o.dtype,
  shape: o.shape,
  transforms: o.transforms ?? [],
})
/** `plgpu.ShapeDtypeStruct(shape, dtype, layout)`; without a layout, any. */
export const ArrayType = (o: {
  readonly dtype: ScalarName
  readonly shape: ReadonlyArray<number>
  readonly layout?: RegisterLayout
}): InlineType => ({ _tag: 'array', dtype: o.dtype, shape: o.shape, layout: o.layout ?? null })
export const ScalarType = (dtype: ScalarName): InlineType => ({ _tag: 'scalar', dtype })

// ---------------------------------------------------------------- types

const show = (t: InlineType): string => {
  switch (t._tag) {
    case 'ref':
      return `a ref of ${t.space} ${t.dtype} ${showShape(t.shape)}${t.transforms.length === 0 ? '' : ` with ${String(t.transforms.length)} transforms`}`
    case 'array':
      return `an array of ${t.dtype} ${showShape(t.shape)}${t.layout === null ? '' : ' in its layout'}`
    case 'scalar':
      return `a scalar ${t.dtype}`
  }
}

/** Deep equality of plain data. */
const same = (x: unknown, y: unknown): boolean => JSON.stringify(x) === JSON.stringify(y)

const fits = (t: InlineType, found: Type): boolean => {
  switch (t._tag) {
    case 'ref': {
      if (found._tag !== 'view' || found.space !== t.space || found.dtype !== t.dtype) return false
      if (!sameShape(found.layout.shape, t.shape)) return false
      if (t.space !== 'smem') return true
      const layout = Ref.ofTransforms(t.shape, bitsOf(t.dtype), t.transforms)
      return (
        E.isRight(layout) &&
        same(layout.right.tiling, found.layout.tiling) &&
        layout.right.swizzle === found.layout.swizzle
      )
    }
    case 'array':
      return (
        found._tag === 'tile' &&
        found.element._tag === 'scalar' &&
        found.element.dtype === t.dtype &&
        sameShape(found.shape, t.shape) &&
        (t.layout === null || same(t.layout, found.layout))
      )
    case 'scalar':
      return found._tag === 'scalar' && found.dtype === t.dtype
  }
}

const isScalar = (t: InlineType): boolean =>
  t._tag === 'scalar' || (t._tag === 'array' && sizeOf(t.shape) === 1)

// ---------------------------------------------------------------- the operation

/** `inline_mgpu`: runs the body on the arguments; null means no result. Refuses arguments and results of
 * other types than declared. */
export const inlineMgpu = <const A extends ReadonlyArray<Expr>, R extends Expr | null>(
  label: string,
  types: { readonly argTypes: ReadonlyArray<InlineType>; readonly returnType?: InlineType },
  args: A,
  body: (args: A) => Steps<R>,
): Build<R> =>
  block(function* () {
    const { warp } = yield* contextHere
    const { argTypes, returnType } = types
    if (args.length !== argTypes.length)
      return yield* refused(
        'pallas.inline.arity',
        `${label}: expected ${String(argTypes.length)} arguments, found ${String(args.length)}`,
      )
    for (const [k, arg] of args.entries()) {
      const found = yield* typeHere(arg)
      const expected = argTypes[k]!
      if (!fits(expected, found))
        return yield* refused(
          'pallas.inline.argument',
          `${label}: argument ${String(k)}: expected ${show(expected)}, found ${showType(found)}`,
        )
    }
    if (warp !== null && returnType !== undefined && !isScalar(returnType))
      return yield* refused(
        'pallas.inline.warp',
        `${label}: a warp gives ${show(returnType)}: expected a scalar, or nothing`,
      )
    const result = yield* body(args)
    if (result === null || returnType === undefined) {
      if (result !== null || returnType !== undefined)
        return yield* refused(
          'pallas.inline.result',
          `${label}: expected ${returnType === undefined ? 'no result' : show(returnType)}, found ${result === null ? 'none' : 'one'}`,
        )
      return result
    }
    const found = yield* typeHere(result)
    if (!fits(returnType, found))
      return yield* refused(
        'pallas.inline.result',
        `${label}: expected ${show(returnType)}, found ${showType(found)}`,
      )
    return result
  })
