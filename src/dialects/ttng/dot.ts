/**
 * `tt.dot` that no tensor core does: the threads multiply and add.
 *
 *     d[m, n] = fma(a[m, K-1], b[K-1, n], ... fma(a[m, 1], b[1, n], fma(a[m, 0], b[0, n], c[m, n])))
 *
 * Law 1. Each step is rounded once, in the order of K.
 *
 * Source: Triton, Triton dialect; Triton 3.6, its lowering of blocked dot operands.
 */
import type { FloatDtype } from '../../numerics/dtype.js'
import { block, letIn, typeHere, type Build } from '../../semantics/writing/builder.js'
import * as X from '../../semantics/language/expression.js'
import type { Expr } from '../../semantics/language/expression.js'
import { checked } from '../../semantics/language/index-types.js'
import { isInteger } from '../../semantics/language/types.js'
import { refused } from './codes.js'
import { elementOf, sameShapes, shown } from './tensor.js'
import { tensorHere, type Tensor } from './types.js'

/** `tt.dot %a, %b, %c` of operands whose parent is blocked. */
export const dot = <D extends FloatDtype>(
  label: string,
  a: Tensor<FloatDtype, 2>,
  b: Tensor<FloatDtype, 2>,
  c: Tensor<D, 2>,
): Build<Tensor<D, 2>> =>
  block(function* () {
    const [left, right, into] = [
      yield* tensorHere(label, 'a', a),
      yield* tensorHere(label, 'b', b),
      yield* tensorHere(label, 'c', c),
    ]
    const [m = 0, k = 0] = left.shape
    const n = right.shape[1] ?? 0
    yield* sameShapes(
      label,
      'ttng.dot.shape',
      'b must have as many rows as a has columns',
      [k, n],
      right.shape,
    )
    yield* sameShapes(
      label,
      'ttng.dot.shape',
      'c must have the rows of a and the columns of b',
      [m, n],
      into.shape,
    )
    const to = elementOf(into)
    for (const type of [left, right]) {
      const from = elementOf(type)
      if (to === null || from === null || isInteger(from) || isInteger(to) || (from !== to && to !== 'f32'))
        return yield* refused(
          'ttng.dot.element_type',
          `${label}: a product of threads is of floats, into their own type or f32, found ${shown(type)} into ${shown(into)}`,
        )
    }
    const widened = function* (name: string, x: Tensor<FloatDtype, 2>) {
      const type = yield* typeHere(x)
      return elementOf(type) === to
        ? checked<Tensor<'f32', 2>, Expr>(x)
        : yield* letIn(`${label}.${name}`, checked<Tensor<'f32', 2>, Expr>(X.cast(x, 'f32')))
    }
    const [rows, columns] = [yield* widened('a', a), yield* widened('b', b)]
    const step = (j: number, sum: Tensor<'f32', 2>): Tensor<'f32', 2> =>
      X.fma(
        X.broadcast(X.gather(rows, X.iota<2>([m, 1], 1, 'any', j), 1), [m, n], into.layout),
        X.broadcast(X.gather(columns, X.iota<2>([1, n], 0, 'any', j), 0), [m, n], into.layout),
        sum,
      )
    let sum = checked<Tensor<'f32', 2>, Expr>(c)
    for (let j = 0; j < k; j++)
      sum = yield* letIn(j === k - 1 ? label : `${label}.${String(j)}`, step(j, sum))
    return checked<Tensor<D, 2>, Expr>(sum)
  })
