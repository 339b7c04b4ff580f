/**
 * Scalars: integers exactly, floats by the algebra.
 *
 * An `i32` wraps at 32 bits and an `i64` at 64, both in two's complement; an `i1` is a bit. A division by zero is zero, a shift by
 * more than the width shifts everything out, so every operation is total. Floats belong to the algebra: what it lacks is a
 * fault value.
 *
 *     i32   2147483647 + 1 = -2147483648      -7 quo 2 = -3   -7 rem 2 = -1      -7 div 2 = -4   -7 mod 2 = 1
 *
 * Laws
 * 1. each integer operation is that of the integers, reduced to the width (exhausted on small ranges against bigints).
 * 2. x = quo(x, y) * y + rem(x, y) = div(x, y) * y + mod(x, y) for y other than zero.
 *
 * Source: PTX ISA, integer arithmetic; MLIR `arith`.
 */
import * as O from 'fp-ts/lib/Option.js'
import type { BinaryOp } from '../../numerics/algebra.js'
import { bitsOf, isFloat, isInt } from '../../numerics/dtype.js'
import type { BinaryName, CompareName } from '../language/expression.js'
import { isBitcast, type ScalarName } from '../language/types.js'
import * as V from './value.js'
import type { FaultValue, Value } from './value.js'
import type { World } from './world.js'

// ---------------------------------------------------------------- integers

export const wrap32 = (x: number): number => x | 0

/** A division by zero is an infinity or a NaN, which wrap to zero. */
export const intBinary = (op: BinaryName, x: number, y: number): number | null => {
  switch (op) {
    case 'add':
      return wrap32(x + y)
    case 'sub':
      return wrap32(x - y)
    case 'mul':
      return Math.imul(x, y)
    case 'min':
      return Math.min(x, y)
    case 'max':
      return Math.max(x, y)
    case 'quo':
      return wrap32(Math.trunc(x / y))
    case 'rem':
      return wrap32(x % y)
    case 'div':
      return wrap32(Math.floor(x / y))
    case 'mod':
      return wrap32(x - y * Math.floor(x / y))
    case 'and':
      return x & y
    case 'or':
      return x | y
    case 'xor':
      return x ^ y
    case 'shl':
      return y < 0 || y > 31 ? 0 : x << y
    case 'shrS':
      return y < 0 || y > 31 ? (x < 0 ? -1 : 0) : x >> y
    case 'shrU':
      return y < 0 || y > 31 ? 0 : wrap32(x >>> y)
    case 'fdiv':
    case 'div.full.f32':
    case 'div.full.ftz.f32':
    case 'div.approx.ftz.f32':
    case 'dividend.div.full.f32':
      return null
  }
}

export const wrap64 = (x: bigint): bigint => BigInt.asIntN(64, x)
export const floorDiv = (x: bigint, y: bigint): bigint => {
  const q = x / y
  return x % y !== 0n && x < 0n !== y < 0n ? q - 1n : q
}
/** A shift to the right by more than the width has shifted everything out by itself; one to the left by as much would be too long to make. */
export const longBinary = (op: BinaryName, x: bigint, y: bigint): bigint | null => {
  switch (op) {
    case 'add':
      return wrap64(x + y)
    case 'sub':
      return wrap64(x - y)
    case 'mul':
      return wrap64(x * y)
    case 'min':
      return x < y ? x : y
    case 'max':
      return x > y ? x : y
    case 'quo':
      return y === 0n ? 0n : wrap64(x / y)
    case 'rem':
      return y === 0n ? 0n : wrap64(x % y)
    case 'div':
      return y === 0n ? 0n : wrap64(floorDiv(x, y))
    case 'mod':
      return y === 0n ? 0n : wrap64(x - y * floorDiv(x, y))
    case 'and':
      return x & y
    case 'or':
      return x | y
    case 'xor':
      return x ^ y
    case 'shl':
      return y < 0n || y > 63n ? 0n : wrap64(x << y)
    case 'shrS':
      return y < 0n ? (x < 0n ? -1n : 0n) : x >> y
    case 'shrU':
      return y < 0n ? 0n : wrap64(BigInt.asUintN(64, x) >> y)
    case 'fdiv':
    case 'div.full.f32':
    case 'div.full.ftz.f32':
    case 'div.approx.ftz.f32':
    case 'dividend.div.full.f32':
      return null
  }
}

export const bitBinary = (op: BinaryName, x: boolean, y: boolean): boolean | null => {
  switch (op) {
    case 'and':
    case 'mul':
    case 'min':
      return x && y
    case 'or':
    case 'max':
      return x || y
    case 'xor':
    case 'add':
    case 'sub':
      return x !== y
    case 'quo':
    case 'rem':
    case 'div':
    case 'mod':
    case 'shl':
    case 'shrS':
    case 'shrU':
    case 'fdiv':
    case 'div.full.f32':
    case 'div.full.ftz.f32':
    case 'div.approx.ftz.f32':
    case 'dividend.div.full.f32':
      return null
  }
}

export const compareOrdered = <T>(op: CompareName, x: T, y: T): boolean => {
  switch (op) {
    case 'eq':
      return x === y
    case 'ne':
      return x !== y
    case 'lt':
      return x < y
    case 'le':
      return x <= y
    case 'gt':
      return x > y
    case 'ge':
      return x >= y
  }
}

// ---------------------------------------------------------------- scalars

export const lacks = (world: World, what: string, dtype: string): FaultValue =>
  V.fault('algebra.lacks', `the ${world.algebra.name} algebra has no ${what} for ${dtype}`)

export const mismatch = (op: string, x: Value, y: Value): FaultValue =>
  V.fault(
    'type.mismatch',
    `${op}: expected two operands of one type, found ${V.kindOf(x)} and ${V.kindOf(y)}`,
  )

export const binaryName = (op: BinaryName): BinaryOp | null => {
  switch (op) {
    case 'add':
    case 'sub':
    case 'mul':
    case 'min':
    case 'max':
    case 'div.full.f32':
    case 'div.full.ftz.f32':
    case 'div.approx.ftz.f32':
    case 'dividend.div.full.f32':
      return op
    case 'fdiv':
      return 'div'
    default:
      return null
  }
}

export const binaryScalar = (world: World, op: BinaryName, x: Value, y: Value): Value => {
  if (typeof x === 'number' && typeof y === 'number') return intBinary(op, x, y) ?? lacks(world, op, 'i32')
  if (typeof x === 'boolean' && typeof y === 'boolean') return bitBinary(op, x, y) ?? lacks(world, op, 'i1')
  if (typeof x === 'bigint' && typeof y === 'bigint') return longBinary(op, x, y) ?? lacks(world, op, 'i64')
  if (typeof x === 'object' && typeof y === 'object') {
    if (x._tag === 'float' && y._tag === 'float' && x.dtype === y.dtype) {
      const name = binaryName(op)
      const f = name === null ? O.none : world.algebra.binary(name, x.dtype)
      return O.isNone(f) ? lacks(world, op, x.dtype) : V.float(x.dtype, f.value(x.x, y.x))
    }
  }
  return mismatch(op, x, y)
}

export const compareScalar = (world: World, op: CompareName, signed: boolean, x: Value, y: Value): Value => {
  if (typeof x === 'number' && typeof y === 'number')
    return signed ? compareOrdered(op, x, y) : compareOrdered(op, x >>> 0, y >>> 0)
  if (typeof x === 'boolean' && typeof y === 'boolean') return compareOrdered(op, x, y)
  if (typeof x === 'bigint' && typeof y === 'bigint')
    return signed
      ? compareOrdered(op, x, y)
      : compareOrdered(op, BigInt.asUintN(64, x), BigInt.asUintN(64, y))
  if (typeof x === 'object' && typeof y === 'object') {
    if (x._tag === 'float' && y._tag === 'float' && x.dtype === y.dtype) {
      const f = world.algebra.compare(op, x.dtype)
      return O.isNone(f) ? lacks(world, `comparison ${op}`, x.dtype) : f.value(x.x, y.x)
    }
  }
  return mismatch(op, x, y)
}

/** 2^63, which a cast of a float may give, stands for the greatest number. */
const wholeOf = (x: number): bigint => (x >= 2 ** 63 ? 2n ** 63n - 1n : BigInt(x))

/** The scalar that a carrier of a tile stands for, and back. */
export const scalarOf = (dtype: ScalarName, x: number): Value =>
  dtype === 'i1' ? x !== 0 : dtype === 'i32' ? x : dtype === 'i64' ? wholeOf(x) : V.float(dtype, x)
export const carrierOf = (v: Value): number | FaultValue => {
  if (typeof v === 'boolean') return v ? 1 : 0
  if (typeof v === 'number') return v
  if (typeof v === 'bigint') {
    const x = Number(v)
    return Number.isSafeInteger(x)
      ? x
      : V.fault('i64.range', `an i64 element of a tile is beyond 2^53: ${String(v)}`)
  }
  if (v._tag === 'float') return v.x
  return V.isFault(v) ? v : V.fault('type.mismatch', `expected a scalar, found ${v._tag}`)
}
export const dtypeOfScalar = (v: Value): ScalarName | null =>
  typeof v === 'boolean'
    ? 'i1'
    : typeof v === 'number'
      ? 'i32'
      : typeof v === 'bigint'
        ? 'i64'
        : v._tag === 'float'
          ? v.dtype
          : null

export const constantOf = (world: World, dtype: ScalarName, value: number | string): Value => {
  if (dtype === 'i1') return Number(value) !== 0
  if (dtype === 'i32') return Number(value) | 0
  if (dtype === 'i64') return BigInt(value)
  return V.float(dtype, world.algebra.constant(dtype, Number(value)))
}

export const convertScalar = (
  world: World,
  op: 'trunc' | 'extS' | 'extU' | 'cast' | 'bitcast',
  from: ScalarName,
  to: ScalarName,
  rounding: 'rn' | 'rz',
  saturate: boolean,
): ((x: number) => number) | FaultValue => {
  if (from === to) return (x) => x
  const ints = isInt(from) && isInt(to)
  switch (op) {
    case 'trunc':
      if (ints && to === 'i1') return (x) => Math.abs(x) % 2
      if (ints && to === 'i32') return (x) => Number(BigInt.asIntN(32, BigInt(x)))
      return lacks(world, `trunc to ${to}`, from)
    case 'extS':
      return ints
        ? from === 'i1'
          ? (x) => (x === 0 ? 0 : -1)
          : (x) => x
        : lacks(world, `extS to ${to}`, from)
    case 'extU':
      return ints ? (from === 'i32' ? (x) => x >>> 0 : (x) => x) : lacks(world, `extU to ${to}`, from)
    case 'cast': {
      const f = world.algebra.cast(from, to, rounding, saturate)
      return O.isNone(f) ? lacks(world, `cast to ${to}`, from) : f.value
    }
    case 'bitcast':
      if (!isBitcast(from, to)) return V.fault('type.mismatch', `bitcast: ${from} and ${to} differ in width`)
      // where floats have one value, any bits are its
      if (world.algebra.memory === 'none' && isFloat(to)) return () => world.algebra.fromBits(to, 0)
      if (world.algebra.memory !== 'bytes') return lacks(world, `bitcast to ${to}`, from)
      if (isFloat(from) && isFloat(to)) return (x) => x
      if (to === 'i32') return wrap32
      return from === 'i32' ? (x) => (x >>> 0) % 2 ** bitsOf(to) : lacks(world, `bitcast to ${to}`, from)
  }
}

export const convertBig = (
  world: World,
  to: ScalarName,
  rounding: 'rn' | 'rz',
  saturate: boolean,
  x: bigint,
): Value => {
  if (to === 'i64') return x
  const c = carrierOf(x)
  if (typeof c !== 'number') return c
  const f = world.algebra.cast('i64', to, rounding, saturate)
  return O.isNone(f) ? lacks(world, `cast to ${to}`, 'i64') : scalarOf(to, f.value(c))
}
