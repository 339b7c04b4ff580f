/**
 * Tensors that are looked up, put together and taken apart: `tt.gather`, `tt.histogram`, `tt.join`, `tt.split`, `tt.unsplat`.
 *
 *     gather (a, b, c)[2, 0, 0]       (c, a, a)
 *     histogram (1, 3, 1) of 4        (0, 2, 0, 1)
 *     join (a, b) (c, d)              ((a, c), (b, d))        split is the reverse
 *
 * Laws
 * 1. split of join is both.
 * 2. A histogram counts each element once, and none whose mask is false or that is no bin.
 *
 * Source: Triton, Triton dialect.
 */
import type { DistributedSpec } from '../../layouts/triton/encoding.js'
import { block, letIn, type Build } from '../../semantics/writing/builder.js'
import * as X from '../../semantics/language/expression.js'
import type { Above, Below, Expr } from '../../semantics/language/expression.js'
import { checked } from '../../semantics/language/index-types.js'
import type { PtrIndex, ScalarName } from '../../semantics/language/types.js'
import type { Shape } from '../../transforms/shape.js'
import { refused } from './codes.js'
import { layoutOf, sameShapes, shown } from './tensor.js'
import { tensorHere, type Tensor } from './types.js'

type Element = ScalarName | PtrIndex

// ---------------------------------------------------------------- by an index

/** `tt.gather %src[%indices] {axis}`. An index outside the dimension is a fault. */
export const gather = <D extends Element, R extends number>(
  label: string,
  src: Tensor<D, R>,
  indices: Tensor<'i32', R>,
  axis: number,
  encoding: DistributedSpec,
): Build<Tensor<D, R>> =>
  block(function* () {
    const type = yield* tensorHere(label, 'src', src)
    const index = yield* tensorHere(label, 'indices', indices)
    const expected = type.shape.map((extent, d) => (d === axis ? index.shape[d]! : extent))
    yield* sameShapes(
      label,
      'ttng.gather.shape',
      'indices have the shape of src except along the axis',
      expected,
      index.shape,
    )
    return yield* letIn(label, X.gather(src, indices, axis, yield* layoutOf(label, encoding, index.shape)))
  })

/** `tt.histogram %src (, %mask)`: how often each number from 0 on occurs. */
export const histogram = (
  label: string,
  src: Tensor<'i32', 1>,
  bins: number,
  encoding: DistributedSpec,
  { mask }: { readonly mask?: Tensor<'i1', 1> } = {},
): Build<Tensor<'i32', 1>> =>
  block(function* () {
    const { shape } = yield* tensorHere(label, 'src', src)
    if (mask !== undefined) {
      const masked = yield* tensorHere(label, 'mask', mask)
      yield* sameShapes(label, 'ttng.histogram.shape', 'mask must have the shape of src', shape, masked.shape)
    }
    const table = [shape[0]!, bins]
    const spread = <D extends Element>(x: Tensor<D, 1>): Tensor<D, 2> =>
      X.broadcast<D, 2>(X.reshape<D, 2>(x, [shape[0]!, 1]), table)
    const found = X.eq(spread(src), X.iota<2>(table, 1))
    const counted = mask === undefined ? found : X.and(found, spread(mask))
    const ones = yield* letIn(`${label}.found`, X.extU(counted, 'i32'))
    const layout = yield* layoutOf(label, encoding, [bins])
    return yield* letIn(label, X.reduce<'i32', 2>(checked<Tensor<'i32', 2>, Expr>(ones), 0, X.add, layout))
  })

// ---------------------------------------------------------------- together and apart

/** `tt.join %lhs, %rhs`: along a new last dimension. */
export const join = <D extends Element, R extends number>(
  label: string,
  lhs: Tensor<D, R>,
  rhs: Tensor<D, R>,
  encoding: DistributedSpec,
): Build<Tensor<D, Above<R>>> =>
  block(function* () {
    const { shape } = yield* tensorHere(label, 'lhs', lhs)
    const other = yield* tensorHere(label, 'rhs', rhs)
    yield* sameShapes(label, 'ttng.join.shape', 'lhs and rhs must have one shape', shape, other.shape)
    const both = [...shape, 2]
    const layout = yield* layoutOf(label, encoding, both)
    const twice = (x: Tensor<D, R>): Tensor<D, Above<R>> =>
      X.broadcast<D, Above<R>>(X.reshape<D, Above<R>>(x, [...shape, 1]), both, layout)
    const isFirst = X.eq(X.iota<Above<R>>(both, shape.length, layout), zeros(both, layout))
    return yield* letIn(label, X.select(checked<Tensor<'i1'>, Expr>(isFirst), twice(lhs), twice(rhs)))
  })

const zeros = <R extends number>(shape: Shape, layout: Parameters<typeof X.splat>[2]): Tensor<'i32', R> =>
  X.splat<'i32', R>(X.i32(0), shape, layout)

/** `tt.split %src`: the first and the second elements of the last dimension. */
export const split = <D extends Element, R extends number>(
  label: string,
  src: Tensor<D, R>,
  encoding: DistributedSpec,
): Build<readonly [lhs: Tensor<D, Below<R>>, rhs: Tensor<D, Below<R>>]> =>
  block(function* () {
    const type = yield* tensorHere(label, 'src', src)
    const axis = type.shape.length - 1
    if (type.shape[axis] !== 2)
      return yield* refused(
        'ttng.split.shape',
        `${label}: the last dimension of src must have 2 elements, found ${shown(type)}`,
      )
    const shape = type.shape.slice(0, axis)
    const layout = yield* layoutOf(label, encoding, shape)
    const one = (k: number): Tensor<D, Below<R>> =>
      X.reshape<D, Below<R>>(X.gather(src, X.iota<R>([...shape, 1], axis, 'any', k), axis), shape, layout)
    return [yield* letIn(`${label}.0`, one(0)), yield* letIn(`${label}.1`, one(1))]
  })

/** `tt.unsplat %src`: the only element. */
export const unsplat = <D extends Element>(label: string, src: Tensor<D>): Build<Expr<D>> =>
  block(function* () {
    const type = yield* tensorHere(label, 'src', src)
    if (type.shape.some((extent) => extent !== 1))
      return yield* refused('ttng.unsplat.shape', `${label}: src must have one element, found ${shown(type)}`)
    return yield* letIn(label, X.item(X.reshape<D, 0>(src, [])))
  })
