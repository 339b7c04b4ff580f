/**
 * Integers and truth values, as `lax` has them: expressions that are folded where all of them is known.
 *
 * | type                  | lies in  | an operation                                                                          |
 * |-----------------------|----------|---------------------------------------------------------------------------------------|
 * | bool                  | `i1`     | `and`, `or`, `xor`, `not`; compared as 0 and 1                                         |
 * | i4, i8, i16           | `i32`    | is done in 32 bits; what leaves the range is brought back, with its sign                |
 * | u4, u8, u16           | `i32`    | the same, zeros above                                                                   |
 * | i32, i64              | as it is | wraps                                                                                  |
 * | u32                   | `i32`    | the same bits; quotients, order and conversions without a sign                          |
 * | u64                   | `i64`    | the same bits; order without a sign; quotients are refused                              |
 *
 * `div` and `rem` truncate; what JAX calls `floor_divide` and `remainder` is made of them in the jaxpr.
 *
 * Law 1. On every value, the value that `lax` gives: a quotient by zero has all bits set, and the remainder is the dividend.
 */
import { isFloat, type Dtype } from '../../numerics/dtype.js'
import * as X from '../../semantics/language/expression.js'
import type { Expr, ExprNode } from '../../semantics/language/expression.js'
import { checked } from '../../semantics/language/index-types.js'

/** An integer expression, of whatever width; operations are between those of one. */
export type Whole = Expr<'i32'>
const whole = (e: Expr): Whole => checked<Whole, Expr>(e)

// ---------------------------------------------------------------- what is known

/** The value of a literal of an integer. */
export const constantOf = (e: ExprNode): bigint | null => {
  if (e._tag !== 'const' || (e.dtype !== 'i1' && e.dtype !== 'i32' && e.dtype !== 'i64')) return null
  return BigInt(e.value)
}

const literalLike = (of: ExprNode, value: bigint): Whole =>
  whole(
    of._tag === 'const' && of.dtype === 'i64'
      ? X.i64(BigInt.asIntN(64, value))
      : X.i32(Number(BigInt.asIntN(32, value))),
  )

const isUnsigned = (dtype: Dtype): boolean =>
  dtype === 'u4' || dtype === 'u8' || dtype === 'u16' || dtype === 'u32' || dtype === 'u64'
/** Bits of what is narrower than its register. */
const narrowBits: Partial<Readonly<Record<Dtype, number>>> = {
  i4: 4,
  u4: 4,
  i8: 8,
  u8: 8,
  i16: 16,
  u16: 16,
}
const is64 = (dtype: Dtype): boolean => dtype === 'i64' || dtype === 'u64'

/** A value of 64 bits as one of the type. */
export const wrapped = (dtype: Dtype, value: bigint): bigint => {
  const bits = narrowBits[dtype] ?? (is64(dtype) ? 64 : 32)
  if (dtype === 'i1') return value & 1n
  return isUnsigned(dtype) && bits < 32 ? BigInt.asUintN(bits, value) : BigInt.asIntN(bits, value)
}
/** What a literal of the type means. */
const meant = (dtype: Dtype, value: bigint): bigint =>
  dtype === 'u32' ? BigInt.asUintN(32, value) : dtype === 'u64' ? BigInt.asUintN(64, value) : value

/** A literal of a bit or of a number where an operand has `like`'s form: a number or a tile. */
export type Shaped = (literal: Expr) => Expr

// ---------------------------------------------------------------- back into range

/** What may have left the range of a narrow type, brought back. */
export const normal = (dtype: Dtype, e: Whole, shaped: Shaped = (x) => x): Whole => {
  const bits = narrowBits[dtype]
  if (bits === undefined) return e
  const known = constantOf(e)
  if (known !== null) return X.i32(Number(wrapped(dtype, known)))
  if (isUnsigned(dtype)) return X.and(e, whole(shaped(X.i32(2 ** bits - 1))))
  const by = whole(shaped(X.i32(32 - bits)))
  return X.shrS(X.shl(e, by), by)
}
/** Of a narrow one with its sign the bits alone. */
const bitsAlone = (dtype: Dtype, e: Whole, shaped: Shaped): Whole => {
  const bits = narrowBits[dtype]
  return bits === undefined || isUnsigned(dtype) ? e : X.and(e, whole(shaped(X.i32(2 ** bits - 1))))
}
const signAlone = (dtype: Dtype, e: Whole, shaped: Shaped): Whole => {
  const bits = narrowBits[dtype]
  if (bits === undefined || !isUnsigned(dtype)) return e
  const by = whole(shaped(X.i32(32 - bits)))
  return X.shrS(X.shl(e, by), by)
}

// ---------------------------------------------------------------- of two

export const integerBinaries = [
  'add',
  'sub',
  'mul',
  'div',
  'rem',
  'max',
  'min',
  'and',
  'or',
  'xor',
  'shift_left',
  'shift_right_logical',
  'shift_right_arithmetic',
] as const
export type IntegerBinary = (typeof integerBinaries)[number]

const evaluate = (op: IntegerBinary, dtype: Dtype, x: bigint, y: bigint): bigint | null => {
  const bits = BigInt(narrowBits[dtype] ?? (is64(dtype) ? 64 : 32))
  switch (op) {
    case 'add':
      return x + y
    case 'sub':
      return x - y
    case 'mul':
      return x * y
    case 'div':
      return y === 0n ? -1n : x / y
    case 'rem':
      return y === 0n ? x : x % y
    case 'max':
      return x > y ? x : y
    case 'min':
      return x < y ? x : y
    case 'and':
      return x & y
    case 'or':
      return x | y
    case 'xor':
      return x ^ y
    case 'shift_left':
      return y < 0n || y >= bits ? 0n : x << y
    case 'shift_right_logical':
      return y < 0n || y >= bits ? 0n : BigInt.asUintN(Number(bits), x) >> y
    case 'shift_right_arithmetic':
      return BigInt.asIntN(Number(bits), x) >> (y < 0n || y >= bits ? bits - 1n : y)
  }
}

/** What one known operand decides. */
const simpler = (op: IntegerBinary, x: Whole, y: Whole, a: bigint | null, b: bigint | null): Whole | null => {
  switch (op) {
    case 'add':
    case 'or':
    case 'xor':
      return b === 0n ? x : a === 0n ? y : null
    case 'sub':
    case 'shift_left':
    case 'shift_right_logical':
    case 'shift_right_arithmetic':
      return b === 0n ? x : null
    case 'mul':
      return b === 1n ? x : a === 1n ? y : b === 0n ? y : a === 0n ? x : null
    case 'div':
      // of nothing, too, a quotient by zero has all bits set
      return b === 1n ? x : null
    case 'rem':
      return b === 1n ? literalLike(y, 0n) : a === 0n ? x : null
    case 'and':
      return b === 0n ? y : a === 0n ? x : null
    default:
      return null
  }
}

/** Quotients without a sign, in twice the bits. */
const inTwice = (of: (x: Whole, y: Whole) => Whole, x: Whole, y: Whole): Whole => {
  const wide = (e: Whole): Whole => whole(X.extU(e, 'i64'))
  return whole(X.trunc(of(wide(x), wide(y)), 'i32'))
}

/** What a division gives, but of a divisor that may be zero: `otherwise` where it is. */
const unlessZero = (dtype: Dtype, y: Whole, shaped: Shaped, quotient: Whole, otherwise: Whole): Whole => {
  const known = constantOf(y)
  if (known !== null && known !== 0n) return quotient
  const zero = whole(shaped(is64(dtype) ? X.i64(0n) : X.i32(0)))
  return whole(X.select(X.eq(y, zero), otherwise, quotient))
}

/** Null: there is no such operation here. */
export const integerBinary = (
  op: IntegerBinary,
  dtype: Dtype,
  left: Expr,
  right: Expr,
  shaped: Shaped = (x) => x,
): Whole | null => {
  const [x, y] = [whole(left), whole(right)]
  const [a, b] = [constantOf(x), constantOf(y)]
  if (dtype === 'i1') {
    switch (op) {
      case 'and':
      case 'mul':
      case 'min':
        return a === 1n ? y : b === 1n ? x : a === 0n ? x : b === 0n ? y : X.and(x, y)
      case 'or':
      case 'add':
      case 'max':
        return a === 0n ? y : b === 0n ? x : a === 1n ? x : b === 1n ? y : X.or(x, y)
      case 'xor':
        return a !== null && b !== null ? whole(X.i1(a !== b)) : a === 0n ? y : b === 0n ? x : X.xor(x, y)
      default:
        return null
    }
  }
  if (a !== null && b !== null) {
    const value = evaluate(op, dtype, meant(dtype, a), meant(dtype, b))
    return value === null ? null : literalLike(x, wrapped(dtype, value))
  }
  const short = simpler(op, x, y, a, b)
  if (short !== null) return short
  const unsigned = dtype === 'u32' || dtype === 'u64'
  switch (op) {
    case 'add':
      return normal(dtype, X.add(x, y), shaped)
    case 'sub':
      return normal(dtype, X.sub(x, y), shaped)
    case 'mul':
      return normal(dtype, X.mul(x, y), shaped)
    case 'div': {
      if (dtype === 'u64') return null
      const quotient = dtype === 'u32' ? inTwice(X.quo, x, y) : X.quo(x, y)
      const ones = whole(shaped(is64(dtype) ? X.i64(-1n) : X.i32(-1)))
      return normal(dtype, unlessZero(dtype, y, shaped, quotient, ones), shaped)
    }
    case 'rem':
      return dtype === 'u64'
        ? null
        : unlessZero(dtype, y, shaped, dtype === 'u32' ? inTwice(X.rem, x, y) : X.rem(x, y), x)
    case 'max':
      return unsigned ? X.select(X.ltU(x, y), y, x) : X.max(x, y)
    case 'min':
      return unsigned ? X.select(X.ltU(y, x), y, x) : X.min(x, y)
    case 'and':
      return X.and(x, y)
    case 'or':
      return X.or(x, y)
    case 'xor':
      return X.xor(x, y)
    case 'shift_left':
      return normal(dtype, X.shl(x, y), shaped)
    case 'shift_right_logical':
      return normal(dtype, X.shrU(bitsAlone(dtype, x, shaped), y), shaped)
    case 'shift_right_arithmetic':
      return normal(dtype, X.shrS(signAlone(dtype, x, shaped), y), shaped)
  }
}

/**
 * How many zeros stand before the first bit that is set. As a number of 64 bits x has no sign; without the bit behind each that is set it is
 * rounded nowhere above the first, so the exponent of the float says where that stands. Null: there is no such operation here.
 */
export const leadingZeros = (dtype: Dtype, given: Expr, shaped: Shaped): Whole | null => {
  const bits = narrowBits[dtype] ?? 32
  if (dtype === 'i1' || isFloat(dtype) || is64(dtype)) return null
  const x = bitsAlone(dtype, whole(given), shaped)
  const of = (value: number): Whole => whole(shaped(X.i32(value)))
  const sparse = X.and(x, X.xor(X.shrU(x, of(1)), of(-1)))
  const size = X.bitcast(X.cast(whole(X.extU(sparse, 'i64')), 'f32'), 'i32')
  const found = X.sub(of(126 + bits), X.shrU(whole(size), of(23)))
  return whole(X.select(X.eq(x, of(0)), of(bits), found))
}

// ---------------------------------------------------------------- order

export const comparisons = ['eq', 'ne', 'lt', 'le', 'gt', 'ge'] as const
export type Comparison = (typeof comparisons)[number]

/** A condition that was made a number: 1 where it holds, else 0. */
const conditionOf = (e: ExprNode): Expr<'i1'> | null =>
  e._tag === 'select' && constantOf(e.x) === 1n && constantOf(e.y) === 0n
    ? checked<Expr<'i1'>, ExprNode>(e.cond)
    : null

export const integerCompare = (op: Comparison, dtype: Dtype, left: Expr, right: Expr): Expr<'i1'> => {
  const [x, y] = [whole(left), whole(right)]
  const [a, b] = [constantOf(x), constantOf(y)]
  if (a !== null && b !== null) {
    const [p, q] = [meant(dtype, a), meant(dtype, b)]
    const found = { eq: p === q, ne: p !== q, lt: p < q, le: p <= q, gt: p > q, ge: p >= q }
    return X.i1(found[op])
  }
  const truth = conditionOf(x)
  if (truth !== null && (b === 0n || b === 1n) && (op === 'eq' || op === 'ne'))
    return (op === 'eq') === (b === 1n) ? truth : negated(truth)
  if (dtype === 'i1') {
    const [p, q] = [checked<Expr<'i1'>, Expr>(x), checked<Expr<'i1'>, Expr>(y)]
    switch (op) {
      case 'eq':
        return negated(X.xor(p, q))
      case 'ne':
        return a === 0n ? q : b === 0n ? p : X.xor(p, q)
      case 'lt':
        return X.and(negated(p), q)
      case 'le':
        return X.or(negated(p), q)
      case 'gt':
        return X.and(p, negated(q))
      case 'ge':
        return X.or(p, negated(q))
    }
  }
  const unsigned = dtype === 'u32' || dtype === 'u64'
  switch (op) {
    case 'eq':
      return X.eq(x, y)
    case 'ne':
      return X.ne(x, y)
    case 'lt':
      return unsigned ? X.ltU(x, y) : X.lt(x, y)
    case 'le':
      return unsigned ? X.leU(x, y) : X.le(x, y)
    case 'gt':
      return unsigned ? X.ltU(y, x) : X.gt(x, y)
    case 'ge':
      return unsigned ? X.leU(y, x) : X.ge(x, y)
  }
}

/** `not`, which undoes itself. */
export const negated = (c: Expr<'i1'>): Expr<'i1'> => {
  const known = constantOf(c)
  if (known !== null) return X.i1(known === 0n)
  return c._tag === 'binary' && c.op === 'xor' && constantOf(c.y) === 1n
    ? checked<Expr<'i1'>, ExprNode>(c.x)
    : X.not(c)
}

// ---------------------------------------------------------------- choice, and other types

/** `c ? x : y`. */
export const chosen = (c: Expr<'i1'>, x: Expr, y: Expr): Expr => {
  const known = constantOf(c)
  return known === null ? X.select(c, x, y) : known === 1n ? x : y
}

/** Between integers. */
export const integerConvert = (from: Dtype, to: Dtype, x: Expr, shaped: Shaped = (e) => e): Expr => {
  const known = constantOf(x)
  if (from === to || isFloat(from) || isFloat(to)) return x
  if (to === 'i1') {
    const zero = is64(from) ? X.i64(0n) : X.i32(0)
    return integerCompare('ne', from, x, whole(shaped(zero)))
  }
  if (known !== null) {
    const value = wrapped(to, meant(from, known))
    return is64(to) ? X.i64(value) : X.i32(Number(BigInt.asIntN(32, value)))
  }
  if (from === 'i1') {
    const [one, none] = is64(to) ? [X.i64(1n), X.i64(0n)] : [X.i32(1), X.i32(0)]
    return X.select(checked<Expr<'i1'>, Expr>(x), shaped(one), shaped(none))
  }
  if (is64(from)) return is64(to) ? x : normal(to, whole(X.trunc(whole(x), 'i32')), shaped)
  if (is64(to)) return isUnsigned(from) ? X.extU(whole(x), 'i64') : X.extS(whole(x), 'i64')
  // a wider range holds what is there, but for what has no sign
  const [fromBits, toBits] = [narrowBits[from] ?? 32, narrowBits[to] ?? 32]
  const fits = (toBits > fromBits && (isUnsigned(from) || !isUnsigned(to))) || toBits === 32
  return fits ? x : normal(to, whole(x), shaped)
}
