/** Values of a jaxpr where an equation stands: variables, and constants as expressions. */
import { isDtype, isFloat, type Dtype } from '../../numerics/dtype.js'
import { of, type Build, type Steps } from '../../semantics/writing/builder.js'
import { float, i1, i32, i64, trunc, type Expr, type Int } from '../../semantics/language/expression.js'
import { checked } from '../../semantics/language/index-types.js'
import { elementOf } from '../../semantics/language/signature.js'
import type { ScalarName } from '../../semantics/language/types.js'
import { isObject } from '../../wire.js'
import { isVariable, type Constant, type ConstantArray, type Eqn, type Value } from './document.js'
import { refusedAt, type Here } from './here.js'
import { showKind, type Elaborated, type Scalar } from './values.js'
import { own } from '../../own.js'

// ---------------------------------------------------------------- element types

/** An element type of this library. */
export const dtypeHere = (h: Here, eqn: Eqn, name: string): Build<Dtype> =>
  isDtype(name) ? of(name) : refusedAt(h, eqn, 'jaxpr.dtype', 'an element type of this library', name)

/** In a register. */
export const scalarNameOf = (dtype: Dtype): ScalarName => elementOf(dtype).dtype

// ---------------------------------------------------------------- constants

const isConstant = (v: object): v is Constant => 'k' in v
const isArray = (v: object): v is ConstantArray => 'array' in v

/** A number as an expression of the type; integers wrap. */
export const literal = (dtype: Dtype, value: number | bigint | boolean): Expr<ScalarName> => {
  const name = scalarNameOf(dtype)
  switch (name) {
    case 'i1':
      return i1(Number(value) !== 0)
    case 'i32':
      return i32(
        Number(BigInt.asIntN(32, typeof value === 'bigint' ? value : BigInt(Math.trunc(Number(value))))),
      )
    case 'i64':
      return i64(BigInt.asIntN(64, typeof value === 'bigint' ? value : BigInt(Math.trunc(Number(value)))))
    default:
      return float(isFloat(name) ? name : 'f32', Number(value))
  }
}

const special: Readonly<Record<string, number>> = {
  inf: Infinity,
  '-inf': -Infinity,
  nan: NaN,
  '-0': -0,
  '-0.0': -0,
}

const constantOf = function* (h: Here, eqn: Eqn, { k, dtype }: Constant): Steps<Scalar> {
  const type = yield* dtypeHere(h, eqn, dtype)
  const value =
    typeof k !== 'string'
      ? k
      : (own(special, k) ?? (/^[+-]?\d+$/.test(k) ? BigInt(k) : k.trim() === '' ? NaN : Number(k)))
  if (typeof value === 'number' && Number.isNaN(value) && k !== 'nan')
    return yield* refusedAt(h, eqn, 'jaxpr.form', `a number of ${dtype}`, JSON.stringify(k))
  if (!isFloat(type) && typeof value === 'number' && !Number.isFinite(value))
    return yield* refusedAt(h, eqn, 'jaxpr.form', `an integer of ${dtype}`, JSON.stringify(k))
  return { _tag: 'scalar', dtype: type, expr: literal(type, value) }
}

// ---------------------------------------------------------------- values

/** What a value is. */
export const valueOf = function* (h: Here, eqn: Eqn, value: Value | unknown): Steps<Elaborated> {
  if (!isObject(value)) return yield* refusedAt(h, eqn, 'jaxpr.form', 'a value', JSON.stringify(value))
  if (isVariable(value)) {
    const found = h.values.get(value.v)
    return (
      found ??
      (yield* refusedAt(h, eqn, 'jaxpr.form', `a variable that is known here`, `variable ${String(value.v)}`))
    )
  }
  if (isConstant(value)) return yield* constantOf(h, eqn, value)
  if (isArray(value))
    return yield* refusedAt(h, eqn, 'jaxpr.operand', 'a value that is computed', 'an array of constants')
  return yield* refusedAt(h, eqn, 'jaxpr.form', 'a value', JSON.stringify(value))
}

/** An index: 32 bits. */
export const intOf = function* (h: Here, eqn: Eqn, value: unknown): Steps<Int> {
  const found = yield* valueOf(h, eqn, value)
  if (found._tag !== 'scalar' || isFloat(found.dtype))
    return yield* refusedAt(h, eqn, 'jaxpr.operand', 'an integer', showKind(found))
  return asI32(found)
}

/** The low 32 bits. */
export const asI32 = ({ dtype, expr }: Scalar): Int => {
  const name = scalarNameOf(dtype)
  if (name === 'i64') {
    const e: Expr = expr
    return e._tag === 'const' ? i32(Number(BigInt.asIntN(32, BigInt(e.value)))) : trunc(expr, 'i32')
  }
  return checked<Int, Expr>(expr)
}
