/**
 * Integers beyond sums and products: without a sign, rounded up or down, and the upper half of a product.
 *
 *     divui, remui      -1 / 2 = 2147483647
 *     ceildivsi          7 / 2 = 4, -7 / 2 = -3
 *     mulhiui           2^31 * 6 = 3 * 2^32
 *
 * The core's integers have a sign, so what has none is said by comparisons without one and by shifts.
 *
 * Law 1. Each is the operation on integers of any size, reduced to the width. A division by zero is whatever it is; no kernel may ask for it.
 *
 * Source: MLIR, arith; Triton, `tt.mulhiui`.
 */
import { block, letIn, typeHere, type Build } from '../../semantics/writing/builder.js'
import * as X from '../../semantics/language/expression.js'
import type { Arithmetic, Expr } from '../../semantics/language/expression.js'
import { checked } from '../../semantics/language/index-types.js'
import { refused } from './codes.js'
import { alike, binary, elementOf, everywhere, shown, wantedOf, type Binary } from './tensor.js'

type Int = Expr<'i32'>
const int = (e: Expr): Int => checked<Int, Expr>(e)

/** With constants of the type of the operands. */
const withConstants =
  (op: string, of: (x: Int, y: Int, constant: (value: number) => Int) => Int): Binary =>
  <I extends Arithmetic>(label: string, x: Expr<I>, y: Expr<I>): Build<Expr<I>> =>
    block(function* () {
      yield* alike(op, label, 'integer', x, y)
      const type = yield* typeHere(x)
      const constant = (value: number): Int => int(everywhere(type, value))
      return yield* letIn(label, checked<Expr<I>, Expr>(of(int(x), int(y), constant)))
    })

// ---------------------------------------------------------------- division

/** Half the dividend divided, twice that, and one more where it is too little. What has the uppermost bit goes in once or not at all. */
const quotient = (x: Int, y: Int, constant: (value: number) => Int): Int => {
  const [zero, one] = [constant(0), constant(1)]
  const even = X.shl(X.quo(X.shrU(x, one), y), one)
  const odd = X.select(X.leU(y, X.sub(x, X.mul(even, y))), one, zero)
  return X.select(X.lt(y, zero), X.select(X.leU(y, x), one, zero), X.add(even, odd))
}

/** Both operands are unsigned. */
export const divui: Binary = withConstants('divui', quotient)
export const remui: Binary = withConstants('remui', (x, y, constant) =>
  X.sub(x, X.mul(quotient(x, y, constant), y)),
)
export const ceildivui: Binary = withConstants('ceildivui', (x, y, constant) => {
  const q = quotient(x, y, constant)
  return X.add(q, X.select(X.eq(X.mul(q, y), x), constant(0), constant(1)))
})
export const floordivsi: Binary = binary('floordivsi', 'integer', X.div)
export const ceildivsi: Binary = withConstants('ceildivsi', (x, y, constant) =>
  X.add(X.div(x, y), X.select(X.eq(X.mod(x, y), constant(0)), constant(0), constant(1))),
)

// ---------------------------------------------------------------- order

export const minui: Binary = binary('minui', 'integer', (x, y) => X.select(X.ltU(y, x), y, x))
export const maxui: Binary = binary('maxui', 'integer', (x, y) => X.select(X.ltU(x, y), y, x))

/** `math.absi`: the least integer is unchanged. */
export const absi = <I extends Arithmetic>(label: string, x: Expr<I>): Build<Expr<I>> =>
  block(function* () {
    const type = yield* wantedOf('absi', label, 'integer', x)
    const zero = int(everywhere(type, 0))
    return yield* letIn(
      label,
      checked<Expr<I>, Expr>(X.select(X.lt(int(x), zero), X.sub(zero, int(x)), int(x))),
    )
  })

// ---------------------------------------------------------------- products

/** The upper half of a product without signs, of halves of 16 bits. */
const upper = (x: Int, y: Int, constant: (value: number) => Int): Int => {
  const [half, low] = [constant(16), constant(0xffff)]
  const [x0, y0] = [X.and(x, low), X.and(y, low)]
  const [x1, y1] = [X.shrU(x, half), X.shrU(y, half)]
  const first = X.add(X.mul(x1, y0), X.shrU(X.mul(x0, y0), half))
  const second = X.add(X.mul(x0, y1), X.and(first, low))
  return X.add(X.add(X.mul(x1, y1), X.shrU(first, half)), X.shrU(second, half))
}

const ofWords = (label: string, op: string, x: Expr): Build<void> =>
  block(function* () {
    const type = yield* typeHere(x)
    if (elementOf(type) !== 'i32')
      return yield* refused('ttng.arith.element_type', `${label}: ${op} takes i32, found ${shown(type)}`)
  })

/** `tt.mulhiui`: the upper 32 bits. */
export const mulhiui: Binary = (label, x, y) =>
  block(function* () {
    yield* ofWords(label, 'mulhiui', x)
    return yield* withConstants('mulhiui', upper)(label, x, y)
  })

/** `arith.mulsi_extended`, its upper half: computed from the unsigned product, less the excess for negative
 * operands. */
export const mulhisi: Binary = (label, x, y) =>
  block(function* () {
    yield* ofWords(label, 'mulsi_extended', x)
    return yield* withConstants('mulsi_extended', (a, b, constant) => {
      const zero = constant(0)
      const without = X.sub(upper(a, b, constant), X.select(X.lt(a, zero), b, zero))
      return X.sub(without, X.select(X.lt(b, zero), a, zero))
    })(label, x, y)
  })
