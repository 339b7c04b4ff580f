/**
 * Parameters: what a launch hands to a kernel.
 *
 * A tensor parameter has three guises: a pointer to its first element, its extents as scalars, and, when the shape is constant, a
 * view. A tensor map is a parameter of its own, made on the host from a tensor. A scalar is a name that is in scope everywhere.
 *
 *     tensorParam('a', 'f16', [128, 64])      strides 64, 1
 *     tensorParam('a', 'f16', [m, n])         strides n, 1; no view, only the pointer and dims
 *
 * Laws
 * 1. Strides that are not given are row-major, in elements: those of `rowMajorStrides` when the shape is constant.
 * 2. A name is a parameter's once.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { type Failure, refuse } from '../../../failure.js'
import type { Dtype } from '../../../numerics/dtype.js'
import * as X from '../../language/expression.js'
import type { Descriptor, Expr, Int, Ptr, View } from '../../language/expression.js'
import type { DescriptorParam, Param, TensorParam } from '../../language/program.js'
import { bind } from '../../language/typecheck.js'
import { type ScalarName, scalar } from '../../language/types.js'
import { type Build, build } from './monad.js'
import { type State, amend } from './state.js'

// ---------------------------------------------------------------- model

/** A tensor parameter in its three guises. */
export interface Tensor<D extends Dtype = Dtype, R extends number = number> {
  readonly param: TensorParam
  readonly dtype: D
  /** a static view; only when the shape is constant */
  readonly view: View<'gmem', D, R>
  readonly ptr: Ptr<D>
  readonly dims: ReadonlyArray<Int>
}

// ---------------------------------------------------------------- constructors

/** An extent as an expression. */
export const asInt = (extent: number | Int): Int => (typeof extent === 'number' ? X.i32(extent) : extent)

const declare = (state: State, param: Param): E.Either<Failure, State> =>
  state.params.has(param.name)
    ? refuse('name.bound-twice', `There are two parameters ${param.name}`)
    : E.right(amend(state, { params: new Map([...state.params, [param.name, param]]) }))

const times = (x: Int, y: Int): Int =>
  x._tag === 'const' && y._tag === 'const' && typeof x.value === 'number' && typeof y.value === 'number'
    ? X.i32(x.value * y.value)
    : X.mul(x, y)

/** Strides are in elements; row-major if not given, which needs constant inner extents or multiplies them out. */
export const tensorParam = <D extends Dtype, const S extends ReadonlyArray<number | Int>>(
  name: string,
  dtype: D,
  shape: S,
  options: { readonly role: 'in' | 'out' | 'inout'; readonly strides?: ReadonlyArray<number | Int> },
): Build<Tensor<D, S['length']>> =>
  build((state) => {
    const dims = shape.map(asInt)
    const rowMajor = dims.map((_, d) =>
      dims
        .slice(d + 1)
        .reduce<Int | null>((product, dim) => (product === null ? dim : times(product, dim)), null),
    )
    const param: TensorParam = {
      _tag: 'tensor',
      name,
      dtype,
      shape: dims,
      strides: options.strides?.map(asInt) ?? rowMajor.map((stride) => stride ?? X.i32(1)),
      role: options.role,
    }
    return pipe(
      declare(state, param),
      E.map((after) => [
        {
          param,
          dtype,
          view: X.tensor<D, S['length']>(name),
          ptr: X.paramPtr<D>(name),
          dims: dims.map((_, axis) => X.dim(name, axis)),
        },
        after,
      ]),
    )
  })

/** A scalar parameter is a name in scope everywhere. */
export const scalarParam = <D extends ScalarName>(name: string, dtype: D): Build<Expr<D>> =>
  build((state) =>
    pipe(
      declare(state, { _tag: 'scalar', name, dtype }),
      E.map((after) => [
        X.name<D>(name),
        amend(after, {
          used: bind(after.used, name, { type: scalar(dtype) }),
        }),
      ]),
    ),
  )

/** A tensor map of a tensor parameter: its own dims and strides unless others are given. */
export const descriptorParam = <D extends Dtype, const S extends ReadonlyArray<number>>(
  name: string,
  of: Tensor<D>,
  box: S,
  options: {
    readonly swizzle?: 16 | 32 | 64 | 128
    readonly fill?: 'zero' | 'nan'
    readonly dims?: ReadonlyArray<number | Int>
    readonly strides?: ReadonlyArray<number | Int>
    readonly elementStrides?: ReadonlyArray<number>
    readonly padded?: boolean
  } = {},
): Build<Descriptor<D, S['length']>> =>
  build((state) => {
    const param: DescriptorParam = {
      _tag: 'descriptor',
      name,
      tensor: of.param.name,
      dims: options.dims?.map(asInt) ?? of.param.shape,
      strides: options.strides?.map(asInt) ?? of.param.strides,
      box,
      elementStrides: options.elementStrides ?? box.map(() => 1),
      swizzle: options.swizzle ?? 16,
      fill: options.fill ?? 'zero',
    }
    const { padded } = options
    return pipe(
      declare(state, padded === undefined ? param : Object.assign({ padded }, param)),
      E.map((after) => [X.descriptor<D, S['length']>(name), after]),
    )
  })
