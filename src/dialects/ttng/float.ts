/**
 * Floats beyond sums and products: to whole numbers, into bounds, and what of two is the greater where one is not a number.
 *
 *     floor -0.5 = -1, ceil -0.5 = -0        maxnumf NaN 1 = 1, maximumf NaN 1 = NaN
 *
 * | operation              | PTX                               | here                                                       |
 * |------------------------|-----------------------------------|------------------------------------------------------------|
 * | `maximumf`, `minimumf` | `max.NaN`, `min.NaN`              | NaN if one is                                              |
 * | `clampf`               | `max`, `min`; one `min.xorsign.abs` between -c and c | also there: what is not a number has a sign, and becomes c of it |
 * | `floor`, `ceil` of f32 | `cvt.rmi.ftz`, `cvt.rpi.ftz`      | subnormals are zeros of their sign                         |
 * | `remf` of f32          | `div.rn`, `cvt.rzi`, `fma`        | x - trunc(x / y) y, rounded once                           |
 * | `fptoui`, `uitofp`     | `cvt.rzi.u32`, `cvt.rn`           | towards zero, the nearest there is; to nearest             |
 *
 * Laws
 * 1. Each is what its PTX says, on every bit pattern; a NaN that is made is the chip's (0x7fffffff).
 *
 * Source: MLIR, arith and math; Triton 3.6, its lowering; PTX ISA, min, max, cvt.
 */
import { block, letIn, typeHere, type Build } from '../../semantics/writing/builder.js'
import * as X from '../../semantics/language/expression.js'
import type { Arithmetic, Expr, Like } from '../../semantics/language/expression.js'
import { checked } from '../../semantics/language/index-types.js'
import { scalar, tile, type ScalarName } from '../../semantics/language/types.js'
import { refused } from './codes.js'
import {
  alike,
  binary,
  convert,
  elementOf,
  everywhere,
  shown,
  wantedOf,
  type Binary,
  type Convert,
  type Floating,
  type Unary,
} from './tensor.js'

type Float = Expr<'f32'>
const float = (e: Expr): Float => checked<Float, Expr>(e)
type Constant = (value: number) => Float

const isNaN = (x: Float): Expr<'i1'> => X.ne(x, x)

// ---------------------------------------------------------------- of two

/** NaN where one is, else what `of` says. */
const propagating =
  (of: (x: Float, y: Float) => Float) =>
  (x: Float, y: Float): Float =>
    X.select(X.or(isNaN(x), isNaN(y)), X.add(x, y), of(x, y))

const maximum = propagating(X.max)
const minimum = propagating(X.min)

const asNumbers = (of: (x: Float, y: Float) => Float) => (x: Expr<'i32'>, y: Expr<'i32'>) =>
  checked<Expr<'i32'>, Expr>(of(float(x), float(y)))

export const maximumf: Binary = binary('maximumf', 'float', asNumbers(maximum))
export const minimumf: Binary = binary('minimumf', 'float', asNumbers(minimum))

export interface Clamp {
  readonly propagateNan: boolean
  /** the bounds are -c and c, and known when it is compiled: one instruction, which looks at the sign alone */
  readonly symmetric?: boolean
}
/** `tt.clampf %x, %min, %max`. */
export const clampf = <I extends Floating>(
  label: string,
  x: Expr<I>,
  min: Expr<I>,
  max: Expr<I>,
  { propagateNan, symmetric = false }: Clamp,
): Build<Expr<I>> =>
  block(function* () {
    yield* alike('clampf', label, 'float', x, min)
    yield* alike('clampf', label, 'float', x, max)
    const type = yield* typeHere(x)
    const [a, low, high] = [float(x), float(min), float(max)]
    const plain = X.min(X.max(a, low), high)
    if (propagateNan) return yield* letIn(label, checked<Expr<I>, Expr>(minimum(maximum(a, low), high)))
    if (!symmetric) return yield* letIn(label, checked<Expr<I>, Expr>(plain))
    if (elementOf(type) !== 'f32')
      return yield* refused('ttng.arith.element_type', `${label}: clampf takes f32, found ${shown(type)}`)
    const zero = checked<Expr<'i32'>, Expr>(
      type._tag === 'tile' ? X.splat(X.i32(0), type.shape, type.layout) : X.i32(0),
    )
    const signed = X.select(X.lt(checked<Expr<'i32'>, Expr>(X.bitcast(a, 'i32')), zero), low, high)
    return yield* letIn(label, checked<Expr<I>, Expr>(X.select(isNaN(a), signed, plain)))
  })

// ---------------------------------------------------------------- to whole numbers

/** What has no fraction at all: from 2^23 on, infinities, and what is not a number. */
const isWhole = (x: Float, constant: Constant): Expr<'i1'> => X.not(X.lt(X.abs(x), constant(2 ** 23)))
/** The whole part of what is below 2^23, without the sign of a zero. */
const wholePart = (x: Float): Float => {
  const whole: Expr<'i32'> = checked<Expr<'i32'>, Expr>(X.cast(x, 'i32', 'rz'))
  return float(X.cast(whole, 'f32'))
}
/** Zero of the sign of x. */
const zeroOf = (x: Float, constant: Constant): Float => X.mul(x, constant(0))
/** Itself, and the chip's NaN for any. */
const canonical = (x: Float): Float => X.select(isNaN(x), X.add(x, x), x)

const floored = (x: Float, constant: Constant): Float => {
  const part = wholePart(x)
  const below = X.select(X.gt(part, x), X.sub(part, constant(1)), part)
  const isZero = X.lt(X.abs(x), constant(2 ** -126))
  return X.select(isWhole(x, constant), canonical(x), X.select(isZero, zeroOf(x, constant), below))
}
const truncated = (x: Float, constant: Constant): Float =>
  X.select(
    isWhole(x, constant),
    canonical(x),
    X.select(X.lt(X.abs(x), constant(1)), zeroOf(x, constant), wholePart(x)),
  )

const ofF32 = (label: string, op: string, x: Expr): Build<Constant> =>
  block(function* () {
    const type = yield* wantedOf(op, label, 'float', x)
    if (elementOf(type) !== 'f32')
      return yield* refused('ttng.arith.element_type', `${label}: ${op} takes f32, found ${shown(type)}`)
    return (value) => float(everywhere(type, value))
  })

export const floor: Unary = <I extends Floating>(label: string, x: Expr<I>): Build<Expr<I>> =>
  block(function* () {
    const constant = yield* ofF32(label, 'floor', x)
    return yield* letIn(label, checked<Expr<I>, Expr>(floored(float(x), constant)))
  })
export const ceil: Unary = <I extends Floating>(label: string, x: Expr<I>): Build<Expr<I>> =>
  block(function* () {
    const constant = yield* ofF32(label, 'ceil', x)
    const up = X.neg(floored(X.neg(float(x)), constant))
    return yield* letIn(
      label,
      checked<Expr<I>, Expr>(X.select(isNaN(float(x)), X.add(float(x), float(x)), up)),
    )
  })

export const remf: Binary = <I extends Arithmetic>(label: string, x: Expr<I>, y: Expr<I>): Build<Expr<I>> =>
  block(function* () {
    yield* alike('remf', label, 'float', x, y)
    const constant = yield* ofF32(label, 'remf', x)
    const [a, b] = [float(x), float(y)]
    const quotient = float(yield* letIn(`${label}.quotient`, X.fdiv(a, b)))
    const rest = X.fma(X.neg(truncated(quotient, constant)), b, a)
    const isInfinite = X.eq(X.abs(b), constant(Infinity))
    return yield* letIn(label, checked<Expr<I>, Expr>(X.select(isInfinite, a, rest)))
  })

// ---------------------------------------------------------------- integers without a sign

type From = <I extends Arithmetic, D extends ScalarName>(x: Expr<I>, to: D) => Expr<Like<I, D>>

const fromUnsigned: From = <I extends Arithmetic, D extends ScalarName>(x: Expr<I>, to: D) =>
  checked<Expr<Like<I, D>>, Expr>(X.cast(X.extU(x, 'i64'), to))
/** `arith.uitofp` of i1 and i32: to nearest, ties to even. */
export const uitofp: Convert = (label, x, to) =>
  block(function* () {
    const type = yield* wantedOf('uitofp', label, 'integer', x)
    if (elementOf(type) === 'i64')
      return yield* refused(
        'ttng.arith.element_type',
        `${label}: uitofp takes i1 or i32, found ${shown(type)}`,
      )
    return yield* convert('uitofp', 'integer', 'float', 'any', fromUnsigned)(label, x, to)
  })

/** `arith.fptoui` to i32: toward zero; a negative number and a NaN give 0, and a number beyond the range
 * gives the greatest. */
export const fptoui: Convert = <I extends Arithmetic, D extends ScalarName>(
  label: string,
  x: Expr<I>,
  to: D,
): Build<Expr<Like<I, D>>> =>
  block(function* () {
    const type = yield* wantedOf('fptoui', label, 'float', x)
    if (to !== 'i32')
      return yield* refused(
        'ttng.arith.cast',
        `${label}: fptoui gives i32 here, found ${shown(type)} to ${to}`,
      )
    const wide = elementOf(type) === 'f32' ? float(x) : float(X.cast(x, 'f32'))
    const f32 = yield* typeHere(wide)
    const constant: Constant = (value) => float(everywhere(f32, value))
    const words = f32._tag === 'tile' ? tile(f32.shape, scalar('i32'), f32.layout) : scalar('i32')
    const word = (value: number): Expr<'i32'> => checked<Expr<'i32'>, Expr>(everywhere(words, value))
    const signed = (of: Float): Expr<'i32'> => checked<Expr<'i32'>, Expr>(X.cast(of, 'i32', 'rz'))
    // the upper half is the lower one with the uppermost bit
    const half = constant(2 ** 31)
    const upper = X.add(signed(X.sub(wide, half)), word(-(2 ** 31)))
    const within = X.select(X.lt(wide, half), signed(X.max(wide, constant(0))), upper)
    const below = X.select(isNaN(wide), word(0), within)
    return yield* letIn(
      label,
      checked<Expr<Like<I, D>>, Expr>(X.select(X.ge(wide, constant(2 ** 32)), word(-1), below)),
    )
  })
