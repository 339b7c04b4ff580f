/**
 * Numbers element by element, of scalars and of arrays alike: integers as `arithmetic.ts` has them, floats as Mosaic GPU lowers them.
 *
 * | operation                  | of f32 becomes                                                                                   |
 * |----------------------------|--------------------------------------------------------------------------------------------------|
 * | `add`, `sub` of a product  | one fused multiply-add (`contraction.ts`)                                                         |
 * | `div`, `integer_pow` -1    | `div.full.f32`                                                                                    |
 * | `max`, `min`               | NaN where one is                                                                                  |
 * | `exp2`                     | `ex2.approx.ftz.f32` with approx_math, else `ex2.approx.f32`                                      |
 * | `exp`                      | `ex2.approx.ftz.f32` of x log2 e, which is rounded, with approx_math; else `expf`                 |
 * | `log`, `log2`              | `lg2.approx.ftz.f32`, for `log` times ln 2, with approx_math; else the library's                   |
 * | `tanh`                     | `tanh.approx.f32` with approx_math; else the library's                                             |
 * | `round`                    | the nearest integer, ties to even or away from zero                                              |
 * | `rsqrt`                    | `rsqrt.approx.f32`                                                                                |
 * | `neg`                      | the other sign (lane), 0 - x (warpgroup)                                                          |
 * | `logistic`, `sign`, `clamp`, `square`, `integer_pow` | as Mosaic GPU writes them with the operations above                     |
 * | to eight bits              | to the nearest finite one                                                                         |
 *
 * A scalar that meets an array stands for all of its elements. What is known is folded, and a scalar that is read once gets no name.
 *
 * Source: Mosaic GPU's lowering of lax; outputs of an H100 (`conformance/kernels`).
 */
import { bitsOf, isFloat, type Dtype } from '../../numerics/dtype.js'
import { block, letIn, typeHere, type Build, type Steps } from '../../semantics/writing/builder.js'
import * as X from '../../semantics/language/expression.js'
import type { Expr, Tile } from '../../semantics/language/expression.js'
import { checked } from '../../semantics/language/index-types.js'
import type { ScalarName } from '../../semantics/language/types.js'
import {
  chosen,
  constantOf,
  comparisons,
  integerBinaries,
  integerBinary,
  integerCompare,
  integerConvert,
  leadingZeros,
  negated,
  normal,
  type Comparison,
  type IntegerBinary,
} from './arithmetic.js'
import type { Eqn } from './document.js'
import { refusedAt, type Here, type Row, type Rows } from './here.js'
import { isArrayType, shapeOfVar } from './kinds.js'
import { dtypeHere, dtypeParam, number, operand, operandCount, param } from './operands.js'
import { literal, scalarNameOf } from './scalar-operands.js'
import { showKind, type ArrayValue, type Elaborated, type Scalar } from './values.js'

type Float = Expr<'f32'>
const float = (e: Expr): Float => checked<Float, Expr>(e)
const truth = (e: Expr): Expr<'i1'> => checked<Expr<'i1'>, Expr>(e)

// ---------------------------------------------------------------- results

const isLeaf = (e: Expr): boolean => e._tag === 'const' || e._tag === 'name' || e._tag === 'place'

/** A scalar or an array, named if it is read more than once. */
export const named = function* (h: Here, eqn: Eqn, label: string, dtype: Dtype, e: Expr): Steps<Elaborated> {
  const out = eqn.out?.[0]
  const shape = shapeOfVar(out)
  if (shape.length > 0) return yield* arrayNamed(label, dtype, shape, e)
  const often = out == null ? 0 : (h.reads.get(out.v) ?? 0)
  const expr: Expr = isLeaf(e) || often < 2 ? e : yield* letIn(label, e)
  return { _tag: 'scalar', dtype, expr: checked<Scalar['expr'], Expr>(expr) }
}

export const arrayNamed = function* (
  label: string,
  dtype: Dtype,
  shape: ReadonlyArray<number>,
  e: Expr,
): Steps<ArrayValue> {
  const tile: Expr = e._tag === 'name' ? e : yield* letIn(label, e)
  return { _tag: 'array', dtype, shape, tile: checked<ArrayValue['tile'], Expr>(tile) }
}

// ---------------------------------------------------------------- operands

type Number = Scalar | ArrayValue

const numberOperand = function* (h: Here, eqn: Eqn, k: number): Steps<Number> {
  const found = yield* operand(h, eqn, k)
  return found._tag === 'scalar' || found._tag === 'array'
    ? found
    : yield* refusedAt(
        h,
        eqn,
        'jaxpr.operand',
        `a number or an array for operand ${String(k)}`,
        showKind(found),
      )
}

/** A literal where the result has this shape. */
const shapedFor =
  (shape: ReadonlyArray<number>) =>
  (e: Expr): Expr =>
    shape.length === 0 ? e : X.splat(checked<Expr<ScalarName>, Expr>(e), shape)

interface Given {
  readonly dtype: Dtype
  readonly shape: ReadonlyArray<number>
  readonly exprs: ReadonlyArray<Expr>
  /** as they are, scalars not as arrays */
  readonly plain: ReadonlyArray<Number>
}
/** The shape of arrays that meet: a dimension of one element is as long as the other's. Null: they do not meet. */
const metShape = (a: ReadonlyArray<number>, b: ReadonlyArray<number>): ReadonlyArray<number> | null =>
  a.length === b.length && a.every((n, d) => n === b[d] || n === 1 || b[d] === 1)
    ? a.map((n, d) => Math.max(n, b[d]!))
    : null

/** All operands, scalars as arrays where one is an array. */
const given = function* (h: Here, eqn: Eqn, least = 1): Steps<Given> {
  if (operandCount(eqn) < least)
    return yield* refusedAt(h, eqn, 'jaxpr.form', `${String(least)} operands`, String(operandCount(eqn)))
  const plain: Number[] = []
  for (let k = 0; k < operandCount(eqn); k++) plain.push(yield* numberOperand(h, eqn, k))
  const arrays = plain.filter((x): x is ArrayValue => x._tag === 'array')
  let shape = arrays[0]?.shape ?? []
  for (const other of arrays) {
    const met = metShape(shape, other.shape)
    if (met === null) return yield* refusedAt(h, eqn, 'jaxpr.operand', showKind(arrays[0]), showKind(other))
    shape = met
  }
  const isWhole = (x: ArrayValue): boolean => x.shape.join() === shape.join()
  // what is stretched lies as the others do
  const whole = arrays.every(isWhole) ? undefined : arrays.find(isWhole)
  const type = whole === undefined ? null : yield* typeHere(whole.tile)
  const layout = type?._tag === 'tile' ? type.layout : 'any'
  const stretched = (x: ArrayValue): ArrayValue =>
    isWhole(x)
      ? x
      : {
          _tag: 'array',
          dtype: x.dtype,
          shape,
          tile: checked<ArrayValue['tile'], Expr>(
            X.broadcast(checked<Tile<'f32', number>, Expr>(x.tile), shape, layout),
          ),
        }
  const shaped = shapedFor(shape)
  const met = plain.map((x) => (x._tag === 'array' ? stretched(x) : x))
  return {
    dtype: plain[0]?.dtype ?? 'i32',
    shape,
    exprs: met.map((x) => (x._tag === 'array' ? x.tile : shaped(x.expr))),
    plain: met,
  }
}

// ---------------------------------------------------------------- floats of two

const isNaN = (x: Float): Expr<'i1'> => X.ne(x, x)
/** NaN where one is, else what `of` says. */
const propagating =
  (of: (x: Float, y: Float) => Float) =>
  (x: Float, y: Float): Float =>
    X.select(X.or(isNaN(x), isNaN(y)), X.add(x, y), of(x, y))
export const maximum: (x: Float, y: Float) => Float = propagating(X.max)
export const minimum: (x: Float, y: Float) => Float = propagating(X.min)

/** In f32, rounded again: what has no operation of its own. */
const inF32 =
  (dtype: Dtype, of: (x: Float) => Float) =>
  (x: Float): Float =>
    dtype === 'f32' ? of(x) : float(X.cast(of(float(X.cast(x, 'f32'))), isFloat(dtype) ? dtype : 'f32'))

const quotient = (dtype: Dtype, x: Float, y: Float): Float => {
  const full = (a: Float, b: Float): Float => X.specialQuotient('div.full.f32', a, b)
  const wide = (e: Float): Float => float(X.cast(e, 'f32'))
  return dtype === 'f32' ? full(x, y) : float(X.cast(full(wide(x), wide(y)), isFloat(dtype) ? dtype : 'f32'))
}

const floatBinary = (op: IntegerBinary, dtype: Dtype, x: Float, y: Float): Float | null => {
  switch (op) {
    case 'add':
      return X.add(x, y)
    case 'sub':
      return X.sub(x, y)
    case 'mul':
      return X.mul(x, y)
    case 'div':
      return quotient(dtype, x, y)
    case 'max':
      return maximum(x, y)
    case 'min':
      return minimum(x, y)
    default:
      return null
  }
}

const notHere = (h: Here, eqn: Eqn, dtype: Dtype): Build<never> =>
  refusedAt(h, eqn, 'jaxpr.dtype', `elements for which ${eqn.op} is known here`, dtype)

const binary = (op: IntegerBinary): Row =>
  function* (h, eqn, label) {
    const { dtype, shape, exprs, plain } = yield* given(h, eqn, 2)
    const [x, y] = exprs
    if (isFloat(dtype)) {
      const fused = op === 'add' || op === 'sub' ? fusedSum(h, eqn, op, shape, plain) : null
      const e = fused ?? floatBinary(op, dtype, float(x!), float(y!))
      if (e === null) return yield* notHere(h, eqn, dtype)
      const result = yield* named(h, eqn, label, dtype, e)
      const out = eqn.out?.[0]
      if (op === 'mul' && out != null) h.products.set(out.v, [plain[0]!, plain[1]!])
      return [result]
    }
    const e = integerBinary(op, dtype, x!, y!, shapedFor(shape))
    return e === null ? yield* notHere(h, eqn, dtype) : [yield* named(h, eqn, label, dtype, e)]
  }

/** A sum that takes a product of its block into one rounding, or null. */
const fusedSum = (
  h: Here,
  eqn: Eqn,
  op: 'add' | 'sub',
  shape: ReadonlyArray<number>,
  plain: ReadonlyArray<Number>,
): Float | null => {
  const shaped = shapedFor(shape)
  const of = (x: Number): Float => float(x._tag === 'array' ? x.tile : shaped(x.expr))
  const product = (k: number): readonly [Number, Number] | undefined => {
    const value = eqn.in?.[k]
    return value !== undefined && 'v' in value ? h.products.get(value.v) : undefined
  }
  const [left, right] = [product(0), product(1)]
  const takesRight = right !== undefined && (left === undefined || h.contracted.get(eqn) === 'rhs')
  if (takesRight) {
    const x = of(right[0])
    return X.fma(op === 'sub' ? X.neg(x) : x, of(right[1]), of(plain[0]!))
  }
  if (left === undefined) return null
  const rest = of(plain[1]!)
  return X.fma(of(left[0]), of(left[1]), op === 'sub' ? X.neg(rest) : rest)
}

// ---------------------------------------------------------------- order and choice

const floatCompare: Readonly<Record<Comparison, (x: Float, y: Float) => Expr<'i1'>>> = {
  eq: X.eq,
  ne: X.ne,
  lt: X.lt,
  le: X.le,
  gt: X.gt,
  ge: X.ge,
}

const comparison = (op: Comparison): Row =>
  function* (h, eqn, label) {
    const { dtype, exprs } = yield* given(h, eqn, 2)
    const [x, y] = exprs
    const e = isFloat(dtype) ? floatCompare[op](float(x!), float(y!)) : integerCompare(op, dtype, x!, y!)
    return [yield* named(h, eqn, label, 'i1', e)]
  }

/** The first case where the predicate is false. */
const selectN: Row = function* (h, eqn, label) {
  const which = yield* numberOperand(h, eqn, 0)
  const cases: Number[] = []
  for (let k = 1; k < operandCount(eqn); k++) cases.push(yield* numberOperand(h, eqn, k))
  if (which.dtype !== 'i1' || cases.length !== 2)
    return yield* refusedAt(
      h,
      eqn,
      'jaxpr.operand',
      'a truth value and two cases',
      `${showKind(which)} and ${String(cases.length)} cases`,
    )
  const array = [which, ...cases].find((x): x is ArrayValue => x._tag === 'array')
  const shaped = shapedFor(array?.shape ?? [])
  const [no, yes] = cases.map((x) => (x._tag === 'array' ? x.tile : shaped(x.expr)))
  const e =
    which._tag === 'scalar' ? chosen(truth(which.expr), yes!, no!) : X.select(truth(which.tile), yes!, no!)
  return [yield* named(h, eqn, label, cases[0]!.dtype, e)]
}

// ---------------------------------------------------------------- of one

const unary = (
  of: (h: Here, eqn: Eqn, dtype: Dtype, x: Expr, shaped: (e: Expr) => Expr) => Expr | string,
): Row =>
  function* (h, eqn, label) {
    const { dtype, shape, exprs } = yield* given(h, eqn)
    if (param(eqn, 'accuracy') != null)
      return yield* refusedAt(h, eqn, 'jaxpr.param', 'no accuracy', JSON.stringify(param(eqn, 'accuracy')))
    const made = of(h, eqn, dtype, exprs[0]!, shapedFor(shape))
    return typeof made === 'string'
      ? yield* refusedAt(h, eqn, 'jaxpr.operation', made, dtype)
      : [yield* named(h, eqn, label, dtype, made)]
  }

const floatsAlone = 'a float'
const constant = (dtype: Dtype, shaped: (e: Expr) => Expr, value: number): Float =>
  float(shaped(literal(dtype, value)))

/** ln 2 and log2 e, as f32 has them. */
const ln2 = Math.fround(Math.LN2)
const log2e = Math.fround(Math.LOG2E)

const exp2Of = (h: Here, dtype: Dtype, x: Float): Float | string =>
  !h.approxMath
    ? inF32(dtype, (e) => X.special('ex2.approx.f32', e))(x)
    : dtype === 'f32'
      ? X.special('ex2.approx.ftz.f32', x)
      : 'f32 with approx_math'

const expOf = (h: Here, dtype: Dtype, x: Float, shaped: (e: Expr) => Expr): Float | string =>
  !h.approxMath
    ? inF32(dtype, (e) => X.special('expf', e))(x)
    : dtype === 'f32'
      ? X.special('ex2.approx.ftz.f32', X.mul(x, constant(dtype, shaped, log2e)))
      : 'f32 with approx_math'

const log2Of = (h: Here, dtype: Dtype, x: Float): Float | string =>
  !h.approxMath
    ? inF32(dtype, (e) => X.special('log2f', e))(x)
    : dtype === 'f32'
      ? X.special('lg2.approx.ftz.f32', x)
      : 'f32 with approx_math'

const logOf = (h: Here, dtype: Dtype, x: Float, shaped: (e: Expr) => Expr): Float | string => {
  if (!h.approxMath) return inF32(dtype, (e) => X.special('logf', e))(x)
  const e = log2Of(h, dtype, x)
  return typeof e === 'string' ? e : X.mul(e, constant(dtype, shaped, ln2))
}

const tanhOf = (h: Here, dtype: Dtype, x: Float): Float | string =>
  !h.approxMath
    ? inF32(dtype, (e) => X.special('tanhf', e))(x)
    : dtype === 'f32'
      ? X.special('tanh.approx.f32', x)
      : 'f32 with approx_math'

/**
 * The nearest integer. Of a number below 2^23 the sum with 2^23 has no fraction left and is rounded to even; where that went down from a half,
 * away from zero is one more. What is above has no fraction. The sign is that of x, of zero too.
 */
const rounded = (x: Float, awayFromZero: boolean, shaped: (e: Expr) => Expr): Float => {
  const of = (value: number): Float => constant('f32', shaped, value)
  const bits = (e: Float): Expr<'i32'> => checked<Expr<'i32'>, Expr>(X.bitcast(e, 'i32'))
  const size = X.abs(x)
  const even = X.sub(X.add(size, of(2 ** 23)), of(2 ** 23))
  const whole = awayFromZero
    ? float(X.select(X.eq(X.sub(size, even), of(0.5)), X.add(even, of(1)), even))
    : even
  const sign = X.and(bits(x), checked<Expr<'i32'>, Expr>(shaped(literal('i32', -(2 ** 31)))))
  const signed = float(X.bitcast(checked<Expr<'f32'>, Expr>(X.or(bits(whole), sign)), 'f32'))
  return float(X.select(X.lt(size, of(2 ** 23)), signed, x))
}

const negative = (h: Here, dtype: Dtype, x: Expr, shaped: (e: Expr) => Expr): Expr => {
  if (isFloat(dtype))
    return h.lowering === 'lane' ? X.neg(float(x)) : X.sub(constant(dtype, shaped, 0), float(x))
  return integerBinary('sub', dtype, shaped(literal(dtype, 0)), x, shaped) ?? x
}

const functions: Rows = {
  neg: unary((h, _, dtype, x, shaped) => negative(h, dtype, x, shaped)),
  not: unary((_, __, dtype, x, shaped) => {
    if (dtype === 'i1') return negated(truth(x))
    return isFloat(dtype)
      ? 'an integer or a truth value'
      : integerBinary('xor', dtype, x, shaped(literal(dtype, -1)), shaped) === null
        ? 'an integer'
        : normal(
            dtype,
            X.xor(checked<Expr<'i32'>, Expr>(x), checked<Expr<'i32'>, Expr>(shaped(literal(dtype, -1)))),
            shaped,
          )
  }),
  abs: unary((_, __, dtype, x, shaped) => {
    if (isFloat(dtype)) return X.abs(float(x))
    const zero = shaped(literal(dtype, 0))
    const below = integerBinary('sub', dtype, zero, x, shaped)
    return below === null ? 'an integer' : X.select(integerCompare('lt', dtype, x, zero), below, x)
  }),
  sign: unary((_, __, dtype, x, shaped) => {
    const [zero, one, minus] = [0, 1, -1].map((n) => shaped(literal(dtype, n)))
    if (isFloat(dtype)) {
      const e = float(x)
      return X.select(
        X.ne(e, float(zero!)),
        X.select(X.lt(e, float(zero!)), float(minus!), float(one!)),
        float(zero!),
      )
    }
    const known = constantOf(x)
    if (known !== null) return literal(dtype, known > 0n ? 1n : known < 0n ? -1n : 0n)
    return X.select(
      integerCompare('gt', dtype, x, zero!),
      one!,
      X.select(integerCompare('lt', dtype, x, zero!), minus!, zero!),
    )
  }),
  square: unary((_, __, dtype, x, shaped) =>
    isFloat(dtype) ? X.mul(float(x), float(x)) : (integerBinary('mul', dtype, x, x, shaped) ?? 'an integer'),
  ),
  exp2: unary((h, _, dtype, x) => (isFloat(dtype) ? exp2Of(h, dtype, float(x)) : floatsAlone)),
  exp: unary((h, _, dtype, x, shaped) => (isFloat(dtype) ? expOf(h, dtype, float(x), shaped) : floatsAlone)),
  log2: unary((h, _, dtype, x) => (isFloat(dtype) ? log2Of(h, dtype, float(x)) : floatsAlone)),
  log: unary((h, _, dtype, x, shaped) => (isFloat(dtype) ? logOf(h, dtype, float(x), shaped) : floatsAlone)),
  tanh: unary((h, _, dtype, x) => (isFloat(dtype) ? tanhOf(h, dtype, float(x)) : floatsAlone)),
  clz: unary((_, __, dtype, x, shaped) => leadingZeros(dtype, x, shaped) ?? 'an integer of 32 bits at most'),
  rsqrt: unary((h, _, dtype, x) =>
    !isFloat(dtype)
      ? floatsAlone
      : dtype === 'f32' || !h.approxMath
        ? inF32(dtype, (e) => X.special('rsqrt.approx.f32', e))(float(x))
        : 'f32 with approx_math',
  ),
  logistic: unary((h, _, dtype, x, shaped) => {
    if (!isFloat(dtype)) return floatsAlone
    const below = expOf(h, dtype, float(negative(h, dtype, x, shaped)), shaped)
    if (typeof below === 'string') return below
    const one = constant(dtype, shaped, 1)
    return quotient(dtype, one, X.add(one, below))
  }),
}

/** `lax.round`: what is no tie goes to the nearest integer by either method. */
const round: Row = function* (h, eqn, label) {
  const { dtype, shape, exprs } = yield* given(h, eqn)
  const method = param(eqn, 'roundingMethod')
  if (!isFloat(dtype)) return yield* notHere(h, eqn, dtype)
  const shaped = shapedFor(shape)
  const of = (x: Float): Float => rounded(x, method === 'away_from_zero', shaped)
  return [yield* named(h, eqn, label, dtype, inF32(dtype, of)(float(exprs[0]!)))]
}

const clamp: Row = function* (h, eqn, label) {
  const { shape, exprs, plain } = yield* given(h, eqn, 3)
  const dtype = plain[1]?.dtype ?? 'i32'
  const [low, x, high] = exprs
  if (isFloat(dtype))
    return [yield* named(h, eqn, label, dtype, minimum(maximum(float(x!), float(low!)), float(high!)))]
  const above = integerBinary('max', dtype, x!, low!, shapedFor(shape))
  const e = above === null ? null : integerBinary('min', dtype, above, high!, shapedFor(shape))
  return e === null ? yield* notHere(h, eqn, dtype) : [yield* named(h, eqn, label, dtype, e)]
}

/** By squaring, as Mosaic GPU multiplies. */
const integerPow: Row = function* (h, eqn, label) {
  const { dtype, shape, exprs } = yield* given(h, eqn)
  const power = yield* number(h, eqn, 'y')
  const x = exprs[0]!
  if (power === -1 && isFloat(dtype))
    return [
      yield* named(h, eqn, label, dtype, quotient(dtype, constant(dtype, shapedFor(shape), 1), float(x))),
    ]
  if (power < 2) return yield* refusedAt(h, eqn, 'jaxpr.param', 'y = -1 or at least 2', String(power))
  const times = (a: Expr, b: Expr): Expr =>
    isFloat(dtype) ? X.mul(float(a), float(b)) : (integerBinary('mul', dtype, a, b, shapedFor(shape)) ?? a)
  let result: Expr = x
  for (const bit of power.toString(2).slice(1)) {
    result = yield* letIn(`${label}.square`, times(result, result))
    if (bit === '1') result = yield* letIn(`${label}.power`, times(result, x))
  }
  return [yield* named(h, eqn, label, dtype, result)]
}

// ---------------------------------------------------------------- conversions

const range = (to: Dtype): readonly [number, number] => {
  const bits = bitsOf(to)
  return to.startsWith('u') ? [0, 2 ** bits - 1] : [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1]
}

/** As a `u32`, towards zero and no further than it goes: by the conversion with a sign of x, or of what is above 2^31. */
const unsignedOf = (from: Dtype, x: Float, shaped: (e: Expr) => Expr): Expr => {
  const wide = from === 'f32' ? x : float(X.cast(x, 'f32'))
  const constant = (value: number): Float => float(shaped(literal('f32', value)))
  const middle = constant(2 ** 31)
  const least = float(X.select(X.lt(wide, constant(0)), constant(0), wide))
  const upper = X.ge(least, middle)
  const low = checked<Expr<'i32'>, Expr>(
    X.cast(float(X.select(upper, X.sub(least, middle), least)), 'i32', 'rz', true),
  )
  const top = checked<Expr<'i32'>, Expr>(shaped(literal('i32', -(2 ** 31))))
  return X.select(upper, X.xor(low, top), low)
}

/** A number of one type as one of another; null where there is no such conversion here. */
const convertedTo = (from: Dtype, to: Dtype, x: Expr, shape: ReadonlyArray<number>): Expr | null => {
  const shaped = shapedFor(shape)
  if (from === to) return x
  if (!isFloat(from) && !isFloat(to)) return integerConvert(from, to, x, shaped)
  if (isFloat(from) && isFloat(to)) {
    const known = x._tag === 'const' && bitsOf(to) === 32 && shape.length === 0 ? Number(x.value) : null
    if (known !== null) return literal(to, known)
    const narrow = bitsOf(to) === 8
    // floats of one width have no conversion of their own
    const wide = bitsOf(from) === bitsOf(to) ? X.cast(float(x), 'f32') : x
    return X.cast(float(wide), to, 'rn', narrow)
  }
  if (isFloat(to)) {
    if (from === 'i1') return X.select(truth(x), shaped(literal(to, 1)), shaped(literal(to, 0)))
    if (from === 'u64') return null
    const known = constantOf(x)
    if (known !== null && to === 'f32' && shape.length === 0)
      return literal(to, Math.fround(Number(from === 'u32' ? BigInt.asUintN(32, known) : known)))
    const whole = checked<Expr<'i32'>, Expr>(x)
    return X.cast(from === 'u32' ? checked<Expr<'i32'>, Expr>(X.extU(whole, 'i64')) : whole, to)
  }
  if (to === 'i1') return X.ne(float(x), float(shaped(literal(from, 0))))
  if (!isFloat(from)) return null
  if (to === 'u64') return null
  if (to === 'u32') return unsignedOf(from, float(x), shaped)
  const name = scalarNameOf(to)
  if (to === 'i32' || to === 'i64') return X.cast(float(x), name, 'rz', true)
  const [low, high] = range(to)
  const wide = from === 'f32' ? float(x) : float(X.cast(float(x), 'f32'))
  const inside = X.min(X.max(wide, float(shaped(literal('f32', low)))), float(shaped(literal('f32', high))))
  return X.cast(inside, name, 'rz', true)
}

const convert: Row = function* (h, eqn, label) {
  const { dtype, shape, exprs, plain } = yield* given(h, eqn)
  const to = yield* dtypeParam(h, eqn, 'dtype')
  const e = convertedTo(dtype, to, exprs[0]!, shape)
  return e === null
    ? yield* refusedAt(h, eqn, 'jaxpr.dtype', `a conversion from ${dtype} that is known here`, to)
    : [
        withPart(
          yield* named(h, eqn, label, to, e),
          plain[0],
          (x, sizes) => convertedTo(dtype, to, x, sizes) ?? x,
        ),
      ]
}

/** What a part of the result is, where a part of the operand can be read. */
const withPart = (
  result: Elaborated,
  operand: Number | undefined,
  of: (x: Expr, sizes: ReadonlyArray<number>) => Expr,
): Elaborated => {
  if (result._tag !== 'array' || operand?._tag !== 'array' || operand.part === undefined) return result
  const { part } = operand
  return {
    ...result,
    part: {
      ...part,
      read: (label, starts, sizes) =>
        block(function* () {
          const x = yield* part.read(`${label}.part`, starts, sizes)
          return yield* letIn(label, of(x, sizes))
        }),
    },
  }
}

/** The same bits; narrow ones lie in the low bits of 32. */
const bitcast: Row = function* (h, eqn, label) {
  const { dtype, shape, exprs } = yield* given(h, eqn)
  const out = eqn.out?.[0]
  const said = param(eqn, 'dtype')
  const to = yield* dtypeHere(
    h,
    eqn,
    typeof said === 'string' ? said : out != null && isArrayType(out.type) ? out.type.dtype : 'none',
  )
  const x = exprs[0]!
  if (bitsOf(dtype) !== bitsOf(to))
    return yield* refusedAt(h, eqn, 'jaxpr.dtype', `a type of ${String(bitsOf(dtype))} bits`, to)
  if (!isFloat(dtype) && !isFloat(to))
    return [yield* named(h, eqn, label, to, integerConvert(dtype, to, x, shapedFor(shape)))]
  const bits = X.bitcast(float(x), scalarNameOf(to))
  return [
    yield* named(
      h,
      eqn,
      label,
      to,
      isFloat(to) ? bits : normal(to, checked<Expr<'i32'>, Expr>(bits), shapedFor(shape)),
    ),
  ]
}

// ---------------------------------------------------------------- the table

export const elementwiseRows: Rows = {
  ...Object.fromEntries(integerBinaries.map((op) => [op, binary(op)])),
  ...Object.fromEntries(comparisons.map((op) => [op, comparison(op)])),
  ...functions,
  select_n: selectN,
  clamp,
  round,
  integer_pow: integerPow,
  convert_element_type: convert,
  bitcast_convert_type: bitcast,
}
