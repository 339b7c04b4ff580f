/**
 * Evaluation of expressions: a function of the world, the agent's standpoint and its frame.
 *
 * Total. Integers wrap; a division by zero is zero; an operation that the algebra lacks is a fault value that
 * propagates. Layout arithmetic is static and therefore remembered: a slot of a view has one layout object, however
 * often it is taken.
 *
 * Law: an expression's value depends on nothing but its operands (no memory, no clock, no order).
 */
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import {
  evaluatePlan,
  reduceOrder,
  type ReduceOrder,
  type RegisterLayout,
} from '../../layouts/register-layout.js'
import { bitsOf, isFloat, isInt } from '../../numerics/dtype.js'
import * as Ref from '../../transforms/ref.js'
import type { Failure } from '../../failure.js'
import type { BinaryName, CompareName, ExprNode } from '../expression.js'
import type { ScalarName } from '../types.js'
import * as V from './value.js'
import type { FaultValue, TileValue, Value, ViewValue } from './value.js'
import type { Standpoint, World } from './world.js'

// ---------------------------------------------------------------- model

/** The names of a `reduce`'s combine; everything else is resolved to slots. */
type Names = ReadonlyMap<string, Value>
const noNames: Names = new Map()

/** A frame: the values of the names bound so far. */
export type Frame = ReadonlyArray<Value | undefined>

// ---------------------------------------------------------------- integers

const wrap32 = (x: number): number => x | 0

const intBinary = (op: BinaryName, x: number, y: number): number | null => {
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
      return y === 0 ? 0 : wrap32(Math.trunc(x / y))
    case 'rem':
      return y === 0 ? 0 : wrap32(x % y)
    case 'div':
      return y === 0 ? 0 : wrap32(Math.floor(x / y))
    case 'mod':
      return y === 0 ? 0 : wrap32(x - y * Math.floor(x / y))
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
      return null
  }
}

const wrap64 = (x: bigint): bigint => BigInt.asIntN(64, x)
const floorDiv = (x: bigint, y: bigint): bigint => {
  const q = x / y
  return x % y !== 0n && x < 0n !== y < 0n ? q - 1n : q
}
const longBinary = (op: BinaryName, x: bigint, y: bigint): bigint | null => {
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
      return y < 0n || y > 63n ? (x < 0n ? -1n : 0n) : x >> y
    case 'shrU':
      return y < 0n || y > 63n ? 0n : wrap64(BigInt.asUintN(64, x) >> y)
    case 'fdiv':
      return null
  }
}

const bitBinary = (op: BinaryName, x: boolean, y: boolean): boolean | null => {
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
    default:
      return null
  }
}

const compareOrdered = <T>(op: CompareName, x: T, y: T): boolean => {
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

const lacks = (world: World, what: string, dtype: string): FaultValue =>
  V.fault('algebra.lacks', `the ${world.algebra.name} algebra has no ${what} for ${dtype}`)

const mismatch = (op: string, x: Value, y: Value): FaultValue =>
  V.fault(
    'type.mismatch',
    `${op}: expected two operands of one type, found ${V.kindOf(x)} and ${V.kindOf(y)}`,
  )

const binaryName = (op: BinaryName): 'add' | 'sub' | 'mul' | 'div' | 'min' | 'max' | null => {
  switch (op) {
    case 'add':
    case 'sub':
    case 'mul':
    case 'min':
    case 'max':
      return op
    case 'fdiv':
      return 'div'
    default:
      return null
  }
}

const binaryScalar = (world: World, op: BinaryName, x: Value, y: Value): Value => {
  if (typeof x === 'number' && typeof y === 'number') return intBinary(op, x, y) ?? lacks(world, op, 'i32')
  if (typeof x === 'boolean' && typeof y === 'boolean') return bitBinary(op, x, y) ?? lacks(world, op, 'i1')
  if (typeof x === 'bigint' && typeof y === 'bigint') return longBinary(op, x, y) ?? lacks(world, op, 'i64')
  if (typeof x === 'object' && typeof y === 'object') {
    if (V.isFault(x)) return x
    if (V.isFault(y)) return y
    if (x._tag === 'float' && y._tag === 'float' && x.dtype === y.dtype) {
      const name = binaryName(op)
      const f = name === null ? O.none : world.algebra.binary(name, x.dtype)
      return O.isNone(f) ? lacks(world, op, x.dtype) : V.float(x.dtype, f.value(x.x, y.x))
    }
  }
  return mismatch(op, x, y)
}

const compareScalar = (world: World, op: CompareName, signed: boolean, x: Value, y: Value): Value => {
  if (typeof x === 'number' && typeof y === 'number')
    return signed ? compareOrdered(op, x, y) : compareOrdered(op, x >>> 0, y >>> 0)
  if (typeof x === 'boolean' && typeof y === 'boolean') return compareOrdered(op, x, y)
  if (typeof x === 'bigint' && typeof y === 'bigint')
    return signed
      ? compareOrdered(op, x, y)
      : compareOrdered(op, BigInt.asUintN(64, x), BigInt.asUintN(64, y))
  if (typeof x === 'object' && typeof y === 'object') {
    if (V.isFault(x)) return x
    if (V.isFault(y)) return y
    if (x._tag === 'float' && y._tag === 'float' && x.dtype === y.dtype) {
      const f = world.algebra.compare(op, x.dtype)
      return O.isNone(f) ? lacks(world, `comparison ${op}`, x.dtype) : f.value(x.x, y.x)
    }
  }
  return mismatch(op, x, y)
}

/** The scalar that a carrier of a tile stands for, and back. */
const scalarOf = (dtype: ScalarName, x: number): Value =>
  dtype === 'i1' ? x !== 0 : dtype === 'i32' ? x : dtype === 'i64' ? BigInt(x) : V.float(dtype, x)
const carrierOf = (v: Value): number | FaultValue => {
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
const dtypeOfScalar = (v: Value): ScalarName | null =>
  typeof v === 'boolean'
    ? 'i1'
    : typeof v === 'number'
      ? 'i32'
      : typeof v === 'bigint'
        ? 'i64'
        : v._tag === 'float'
          ? v.dtype
          : null

const constantOf = (world: World, dtype: ScalarName, value: number | string): Value => {
  if (dtype === 'i1') return Number(value) !== 0
  if (dtype === 'i32') return Number(value) | 0
  if (dtype === 'i64') return BigInt(value)
  return V.float(dtype, world.algebra.constant(dtype, Number(value)))
}

const convertScalar = (
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
      if (bitsOf(from) !== bitsOf(to))
        return V.fault('type.mismatch', `bitcast: ${from} and ${to} differ in width`)
      if (world.algebra.memory !== 'bytes') return lacks(world, `bitcast to ${to}`, from)
      if (isFloat(from) && isFloat(to)) return (x) => x
      if (to === 'i32') return wrap32
      return from === 'i32' ? (x) => x >>> 0 : lacks(world, `bitcast to ${to}`, from)
  }
}

// ---------------------------------------------------------------- tiles

const sizeOf = (shape: ReadonlyArray<number>): number => shape.reduce((n, d) => n * d, 1)

const sameShape = (x: ReadonlyArray<number>, y: ReadonlyArray<number>): boolean =>
  x.length === y.length && x.every((d, i) => d === y[i])

const shapeText = (shape: ReadonlyArray<number>): string => `(${shape.join(', ')})`

/** Apply a binary function on carriers, element by element; a scalar stands for a tile of itself. */
const lift2 = (
  x: TileValue,
  y: TileValue,
  element: ScalarName,
  f: (x: number, y: number) => number,
): Value => {
  if (!sameShape(x.shape, y.shape))
    return V.fault(
      'tile.shape',
      `expected two tiles of one shape, found ${shapeText(x.shape)} and ${shapeText(y.shape)}`,
    )
  const layout = x.layout === 'any' ? y.layout : x.layout
  if (x.data === null || y.data === null) return V.tile(x.shape, element, layout, null, V.otherOrigin)
  const out = new Float64Array(x.data.length)
  for (let i = 0; i < out.length; i++) out[i] = f(x.data[i]!, y.data[i]!)
  return V.tile(x.shape, element, layout, out, V.otherOrigin)
}

const isTile = (v: Value): v is TileValue => typeof v === 'object' && v._tag === 'tile'

const splatLike = (v: Value, like: TileValue): Value => {
  if (isTile(v)) return v
  const dtype = dtypeOfScalar(v)
  const x = carrierOf(v)
  if (typeof x !== 'number') return x
  return V.tile(like.shape, dtype!, like.layout, new Float64Array(sizeOf(like.shape)).fill(x), V.otherOrigin)
}

const binaryTile = (world: World, op: BinaryName, x: TileValue, y: TileValue): Value => {
  const dtype = x.element
  if (dtype !== y.element || dtype === 'ptr') return mismatch(op, x, y)
  if (isFloat(dtype)) {
    const name = binaryName(op)
    const f = name === null ? O.none : world.algebra.binary(name, dtype)
    return O.isNone(f) ? lacks(world, op, dtype) : lift2(x, y, dtype, f.value)
  }
  if (dtype === 'i32') {
    if (intBinary(op, 1, 1) === null) return lacks(world, op, dtype)
    return lift2(x, y, dtype, (a, b) => intBinary(op, a, b)!)
  }
  if (dtype === 'i1') {
    if (bitBinary(op, true, true) === null) return lacks(world, op, dtype)
    return lift2(x, y, dtype, (a, b) => (bitBinary(op, a !== 0, b !== 0)! ? 1 : 0))
  }
  if (longBinary(op, 1n, 1n) === null) return lacks(world, op, dtype)
  const out = lift2(x, y, dtype, (a, b) => Number(longBinary(op, BigInt(a), BigInt(b))!))
  return isTile(out) && out.data !== null && out.data.some((v) => !Number.isSafeInteger(v))
    ? V.fault('i64.range', `${op}: an i64 element of a tile is beyond 2^53`)
    : out
}

const compareTile = (world: World, op: CompareName, signed: boolean, x: TileValue, y: TileValue): Value => {
  const dtype = x.element
  if (dtype !== y.element || dtype === 'ptr') return mismatch(op, x, y)
  if (isFloat(dtype)) {
    if (x.data === null || y.data === null) return V.tile(x.shape, 'i1', x.layout, null, V.otherOrigin)
    const f = world.algebra.compare(op, dtype)
    return O.isNone(f)
      ? lacks(world, `comparison ${op}`, dtype)
      : lift2(x, y, 'i1', (a, b) => (f.value(a, b) ? 1 : 0))
  }
  if (signed || dtype === 'i1') return lift2(x, y, 'i1', (a, b) => (compareOrdered(op, a, b) ? 1 : 0))
  return dtype === 'i32'
    ? lift2(x, y, 'i1', (a, b) => (compareOrdered(op, a >>> 0, b >>> 0) ? 1 : 0))
    : lift2(x, y, 'i1', (a, b) =>
        compareOrdered(op, BigInt.asUintN(64, BigInt(a)), BigInt.asUintN(64, BigInt(b))) ? 1 : 0,
      )
}

const strided = (shape: ReadonlyArray<number>): ReadonlyArray<number> => {
  const out = new Array<number>(shape.length).fill(1)
  for (let d = shape.length - 2; d >= 0; d--) out[d] = out[d + 1]! * shape[d + 1]!
  return out
}

/** The carriers at the positions that `from` names, for an output of `shape`. */
const regather = (
  x: TileValue,
  shape: ReadonlyArray<number>,
  layout: RegisterLayout | 'any',
  /** stride in `x` of each dimension of the output */
  strides: ReadonlyArray<number>,
): TileValue => {
  let data: Float64Array | null = null
  if (x.data !== null) {
    data = new Float64Array(sizeOf(shape))
    const index = new Array<number>(shape.length).fill(0)
    let at = 0
    for (let i = 0; i < data.length; i++) {
      data[i] = x.data[at]!
      for (let d = shape.length - 1; d >= 0; d--) {
        at += strides[d]!
        if (++index[d]! < shape[d]!) break
        at -= strides[d]! * shape[d]!
        index[d] = 0
      }
    }
  }
  return {
    _tag: 'tile',
    shape,
    element: x.element,
    pointee: x.pointee,
    plane: x.plane,
    layout,
    data,
    origin: V.otherOrigin,
  }
}

const relabel = (
  x: TileValue,
  shape: ReadonlyArray<number>,
  layout: RegisterLayout | 'any',
  keepsOrigin: boolean,
): TileValue => ({
  _tag: 'tile',
  shape,
  element: x.element,
  pointee: x.pointee,
  plane: x.plane,
  layout,
  data: x.data,
  origin: keepsOrigin ? x.origin : V.otherOrigin,
})

// ---------------------------------------------------------------- static layout arithmetic, remembered

type LayoutResult = E.Either<Failure, Ref.TransformedRef>
const memo = new WeakMap<Ref.TransformedRef, Map<string, LayoutResult>>()
const remembered = (of: Ref.TransformedRef, key: string, make: () => LayoutResult): LayoutResult => {
  const known = memo.get(of) ?? new Map<string, LayoutResult>()
  if (!memo.has(of)) memo.set(of, known)
  const hit = known.get(key)
  if (hit !== undefined) return hit
  const made = make()
  known.set(key, made)
  return made
}

const moved = (v: ViewValue, layout: LayoutResult, bytes: number): Value =>
  E.isLeft(layout)
    ? V.fault(layout.left.code, layout.left.message)
    : V.view(v.space, v.dtype, v.plane, layout.right, v.base + bytes)

// ---------------------------------------------------------------- evaluation

const evaluateIn = (world: World, at: Standpoint, frame: Frame, names: Names, e: ExprNode): Value => {
  const go = (x: ExprNode): Value => evaluateIn(world, at, frame, names, x)
  switch (e._tag) {
    case 'local':
      return (
        frame[e.slot] ??
        V.fault('name.unset', `slot ${String(e.slot)} is read before it is bound: its statement was skipped`)
      )
    case 'name': {
      const bound = names.get(e.name) ?? world.scalars.get(e.name)
      return bound ?? V.fault('name.unbound', `${e.name} is not bound`)
    }
    case 'const':
      return constantOf(world, e.dtype, e.value)
    case 'place':
      return placeOf(world, at, e.of, e.axis)
    case 'dim': {
      const tensor = world.tensors.get(e.param)
      return tensor?.shape[e.axis] ?? V.fault('dim', `${e.param} has no dimension ${String(e.axis)}`)
    }
    case 'unary': {
      const x = go(e.x)
      if (V.isFault(x)) return x
      if (isTile(x) && isFloat(x.element)) {
        const f = world.algebra.unary(e.op, e.mode, x.element)
        if (O.isNone(f)) return lacks(world, e.op, x.element)
        return V.tile(
          x.shape,
          x.element,
          x.layout,
          x.data === null ? null : x.data.map((v) => f.value(v)),
          V.otherOrigin,
        )
      }
      if (typeof x === 'object' && x._tag === 'float') {
        const f = world.algebra.unary(e.op, e.mode, x.dtype)
        return O.isNone(f) ? lacks(world, e.op, x.dtype) : V.float(x.dtype, f.value(x.x))
      }
      return V.fault('type.mismatch', `${e.op}: expected a float, found ${V.kindOf(x)}`)
    }
    case 'binary': {
      const x = go(e.x)
      const y = go(e.y)
      if (V.isFault(x)) return x
      if (V.isFault(y)) return y
      if (isTile(x) || isTile(y)) {
        const like = isTile(x) ? x : isTile(y) ? y : null
        const a = splatLike(x, like!)
        const b = splatLike(y, like!)
        return isTile(a) && isTile(b) ? binaryTile(world, e.op, a, b) : isTile(a) ? b : a
      }
      return binaryScalar(world, e.op, x, y)
    }
    case 'fma': {
      const x = go(e.x)
      const y = go(e.y)
      const z = go(e.z)
      if (V.isFault(x)) return x
      if (V.isFault(y)) return y
      if (V.isFault(z)) return z
      if (typeof x !== 'object' || typeof y !== 'object' || typeof z !== 'object')
        return mismatch('fma', x, y)
      if (x._tag === 'float' && y._tag === 'float' && z._tag === 'float') {
        const f = world.algebra.fma(x.dtype)
        return O.isNone(f) ? lacks(world, 'fma', x.dtype) : V.float(x.dtype, f.value(x.x, y.x, z.x))
      }
      if (x._tag === 'tile' && y._tag === 'tile' && z._tag === 'tile' && isFloat(x.element)) {
        const f = world.algebra.fma(x.element)
        if (O.isNone(f)) return lacks(world, 'fma', x.element)
        if (!sameShape(x.shape, y.shape) || !sameShape(x.shape, z.shape))
          return V.fault('tile.shape', 'fma: three tiles of one shape')
        const [a, b, c] = [x.data, y.data, z.data]
        if (a === null || b === null || c === null)
          return V.tile(x.shape, x.element, x.layout, null, V.otherOrigin)
        return V.tile(
          x.shape,
          x.element,
          x.layout,
          a.map((v, i) => f.value(v, b[i]!, c[i]!)),
          V.otherOrigin,
        )
      }
      return mismatch('fma', x, y)
    }
    case 'compare': {
      const x = go(e.x)
      const y = go(e.y)
      if (V.isFault(x)) return x
      if (V.isFault(y)) return y
      if (isTile(x) || isTile(y)) {
        const like = isTile(x) ? x : isTile(y) ? y : null
        const a = splatLike(x, like!)
        const b = splatLike(y, like!)
        return isTile(a) && isTile(b) ? compareTile(world, e.op, e.signed, a, b) : isTile(a) ? b : a
      }
      return compareScalar(world, e.op, e.signed, x, y)
    }
    case 'select': {
      const c = go(e.cond)
      const x = go(e.x)
      const y = go(e.y)
      if (V.isFault(c)) return c
      if (typeof c === 'boolean') return c ? x : y
      if (V.isFault(x)) return x
      if (V.isFault(y)) return y
      if (isTile(c) && isTile(x) && isTile(y)) {
        if (!sameShape(c.shape, x.shape) || !sameShape(x.shape, y.shape))
          return V.fault('tile.shape', 'select: three tiles of one shape')
        if (x.element !== y.element || x.plane !== y.plane)
          return V.fault('type.mismatch', 'select: two tiles of one element type, in one plane')
        const [k, a, b] = [c.data, x.data, y.data]
        const data = k === null || a === null || b === null ? null : a.map((v, i) => (k[i] !== 0 ? v : b[i]!))
        return {
          _tag: 'tile',
          shape: x.shape,
          element: x.element,
          pointee: x.pointee,
          plane: x.plane,
          layout: x.layout,
          data,
          origin: V.otherOrigin,
        }
      }
      return V.fault('type.mismatch', `select: expected an i1 or a tile of them, found ${V.kindOf(c)}`)
    }
    case 'convert': {
      const x = go(e.x)
      if (V.isFault(x)) return x
      if (isTile(x)) {
        if (x.element === 'ptr') return V.fault('type.mismatch', `${e.op}: expected numbers, found pointers`)
        const f = convertScalar(world, e.op, x.element, e.to, e.rounding, e.saturate)
        if (typeof f !== 'function') return f
        // a rounding of the whole tile keeps what the tile is made of
        return V.tile(
          x.shape,
          e.to,
          x.layout,
          x.data === null ? null : x.data.map((v) => f(v)),
          e.op === 'cast' ? x.origin : V.otherOrigin,
        )
      }
      const from = dtypeOfScalar(x)
      if (from === null) return V.fault('type.mismatch', `${e.op}: expected a scalar, found ${V.kindOf(x)}`)
      if (from === 'i64' && typeof x === 'bigint')
        return e.to === 'i32'
          ? Number(BigInt.asIntN(32, x))
          : e.to === 'i1'
            ? (x & 1n) === 1n
            : convertBig(world, e.to, x)
      const f = convertScalar(world, e.op, from, e.to, e.rounding, e.saturate)
      if (typeof f !== 'function') return f
      const c = carrierOf(x)
      return typeof c === 'number' ? scalarOf(e.to, f(c)) : c
    }
    case 'pack': {
      if (world.algebra.memory !== 'bytes') return lacks(world, 'packing', e.to)
      let bits = 0n
      let at = 0n
      for (const part of e.parts) {
        const v = go(part)
        if (V.isFault(v)) return v
        const dtype = dtypeOfScalar(v)
        const c = carrierOf(v)
        if (dtype === null || typeof c !== 'number') return V.fault('type.mismatch', 'pack: expected scalars')
        const width = BigInt(bitsOf(dtype))
        bits |= BigInt.asUintN(Number(width), BigInt(c)) << at
        at += width
      }
      return e.to === 'i64'
        ? wrap64(bits)
        : scalarOf(e.to, e.to === 'i32' ? Number(BigInt.asIntN(32, bits)) : Number(bits))
    }
    case 'unpack': {
      if (world.algebra.memory !== 'bytes') return lacks(world, 'unpacking', e.to)
      const x = go(e.x)
      if (V.isFault(x)) return x
      const c = typeof x === 'bigint' ? x : carrierOf(x)
      if (typeof c === 'object') return c
      const width = bitsOf(e.to)
      const bits = BigInt.asUintN(width, BigInt(c) >> BigInt(width * e.part))
      return scalarOf(e.to, e.to === 'i32' ? Number(BigInt.asIntN(32, bits)) : Number(bits))
    }
    case 'iota': {
      const data = new Float64Array(sizeOf(e.shape))
      const stride = strided(e.shape)[e.axis]!
      const extent = e.shape[e.axis]!
      for (let i = 0; i < data.length; i++) data[i] = e.start + (Math.floor(i / stride) % extent)
      return V.tile(e.shape, 'i32', e.layout, data, V.otherOrigin)
    }
    case 'splat': {
      const x = go(e.x)
      if (V.isFault(x)) return x
      if (typeof x === 'object' && x._tag === 'ptr')
        return V.ptrTile(
          e.shape,
          x.dtype,
          x.plane,
          e.layout,
          new Float64Array(sizeOf(e.shape)).fill(x.address),
        )
      const dtype = dtypeOfScalar(x)
      const c = carrierOf(x)
      if (dtype === null || typeof c !== 'number')
        return V.fault('type.mismatch', `splat: expected a scalar, found ${V.kindOf(x)}`)
      const floating = isFloat(dtype)
      const zero = floating && e.x._tag === 'const' && Number(e.x.value) === 0
      const data =
        floating && world.algebra.memory === 'none' ? null : new Float64Array(sizeOf(e.shape)).fill(c)
      return V.tile(e.shape, dtype, e.layout, data, zero ? V.zeroOrigin : V.otherOrigin)
    }
    case 'broadcast': {
      const x = go(e.x)
      if (!isTile(x)) return notATile('broadcast', x)
      if (x.shape.length !== e.shape.length || x.shape.some((d, i) => d !== 1 && d !== e.shape[i]))
        return V.fault(
          'tile.shape',
          `broadcast: ${shapeText(x.shape)} does not broadcast to ${shapeText(e.shape)}`,
        )
      const own = strided(x.shape)
      return regather(
        x,
        e.shape,
        e.layout,
        x.shape.map((d, i) => (d === 1 ? 0 : own[i]!)),
      )
    }
    case 'expandDims': {
      const x = go(e.x)
      if (!isTile(x)) return notATile('expandDims', x)
      return relabel(x, [...x.shape.slice(0, e.axis), 1, ...x.shape.slice(e.axis)], e.layout, false)
    }
    case 'reshape': {
      const x = go(e.x)
      if (!isTile(x)) return notATile('reshape', x)
      return sizeOf(x.shape) === sizeOf(e.shape)
        ? relabel(x, e.shape, e.layout, false)
        : V.fault(
            'tile.shape',
            `reshape: ${shapeText(x.shape)} has not the elements of ${shapeText(e.shape)}`,
          )
    }
    case 'transpose': {
      const x = go(e.x)
      if (!isTile(x)) return notATile('transpose', x)
      const own = strided(x.shape)
      return regather(
        x,
        e.perm.map((p) => x.shape[p]!),
        e.layout,
        e.perm.map((p) => own[p]!),
      )
    }
    case 'convertLayout': {
      const x = go(e.x)
      return isTile(x) ? relabel(x, x.shape, e.layout, true) : notATile('convertLayout', x)
    }
    case 'reduce': {
      const x = go(e.x)
      return isTile(x) ? reduceTile(world, at, frame, x, e) : notATile('reduce', x)
    }
    case 'vote': {
      const x = go(e.x)
      if (!isTile(x)) return notATile(e.of, x)
      if (x.data === null) return unknownData(e.of)
      return e.of === 'any' ? x.data.some((v) => v !== 0) : x.data.every((v) => v !== 0)
    }
    case 'item': {
      const x = go(e.x)
      if (!isTile(x)) return notATile('item', x)
      if (sizeOf(x.shape) !== 1)
        return V.fault('tile.shape', `item: expected one element, found ${shapeText(x.shape)}`)
      if (x.data === null)
        return x.element !== 'ptr' && isFloat(x.element) ? V.float(x.element, 0) : unknownData('item')
      return x.element === 'ptr' ? V.ptr(x.pointee, x.plane, x.data[0]!) : scalarOf(x.element, x.data[0]!)
    }
    case 'paramPtr': {
      const tensor = world.tensors.get(e.param)
      return tensor === undefined
        ? V.fault('param.unknown', `no tensor parameter ${e.param}`)
        : V.ptr(tensor.dtype, tensor.plane, 0)
    }
    case 'addptr': {
      const p = go(e.ptr)
      const o = go(e.offset)
      if (V.isFault(p)) return p
      if (V.isFault(o)) return o
      if (typeof p !== 'object')
        return V.fault('type.mismatch', `addptr: expected a pointer, found ${V.kindOf(p)}`)
      if (p._tag === 'ptr') {
        const by = carrierOf(o)
        return typeof by === 'number' ? V.ptr(p.dtype, p.plane, p.address + (by * bitsOf(p.dtype)) / 8) : by
      }
      if (p._tag === 'tile' && p.element === 'ptr' && isTile(o)) {
        if (!sameShape(p.shape, o.shape))
          return V.fault('tile.shape', `addptr: ${shapeText(p.shape)} and ${shapeText(o.shape)} differ`)
        const bytes = bitsOf(p.pointee) / 8
        const [a, b] = [p.data, o.data]
        return V.ptrTile(
          p.shape,
          p.pointee,
          p.plane,
          p.layout,
          a === null || b === null ? null : a.map((v, i) => v + b[i]! * bytes),
        )
      }
      return V.fault('type.mismatch', `addptr: expected a pointer, found ${V.kindOf(p)}`)
    }
    case 'storage': {
      const s = world.storages.get(e.storage)
      if (s === undefined) return V.fault('storage.unknown', `no storage ${e.storage}`)
      const c = s.contents
      return c._tag === 'barriers'
        ? V.barrier(at.cta * world.barriersPerCta + c.first, c.shape, c.contract, c.ordersTensorCore)
        : V.view(s.space, c.dtype, s.plane + at.cta * world.planesPerCta, c.layout, s.offset)
    }
    case 'tensor': {
      const t = world.tensors.get(e.param)
      return t === undefined
        ? V.fault('param.unknown', `no tensor parameter ${e.param}`)
        : V.view('gmem', t.dtype, t.plane, t.layout, 0)
    }
    case 'descriptor':
      return world.descriptors.get(e.param) ?? V.fault('param.unknown', `no descriptor parameter ${e.param}`)
    case 'slot': {
      const of = go(e.of)
      const index = go(e.index)
      if (V.isFault(of)) return of
      if (V.isFault(index)) return index
      if (typeof index !== 'number' || typeof of !== 'object')
        return V.fault('type.mismatch', 'slot: expected an i32 index')
      if (of._tag === 'barrier') {
        const extent = of.shape[0]
        if (extent === undefined || index < 0 || index >= extent)
          return V.fault('I2', `barrier index ${String(index)} is outside of ${shapeText(of.shape)}`)
        const rest = of.shape.slice(1)
        return V.barrier(of.first + index * sizeOf(rest), rest, of.contract, of.ordersTensorCore)
      }
      if (of._tag !== 'view') return V.fault('type.mismatch', `slot: expected a view, found ${of._tag}`)
      const extent = of.layout.shape[0]
      if (extent === undefined || index < 0 || index >= extent)
        return V.fault(
          'I2',
          `slot ${String(index)} is outside of a view of shape ${shapeText(of.layout.shape)}`,
        )
      return moved(
        of,
        remembered(of.layout, 'slot', () => Ref.slotShape(of.layout)),
        index * Ref.slotStrideBytes(of.layout),
      )
    }
    case 'slice': {
      const of = go(e.of)
      if (V.isFault(of)) return of
      if (typeof of !== 'object' || of._tag !== 'view')
        return V.fault('type.mismatch', 'slice: expected a view')
      const starts: number[] = []
      for (const s of e.starts) {
        const v = go(s)
        if (V.isFault(v)) return v
        if (typeof v !== 'number') return V.fault('type.mismatch', 'slice: expected i32 starts')
        starts.push(v)
      }
      const outside = starts.findIndex((s, d) => s < 0 || s + e.sizes[d]! > of.layout.shape[d]!)
      if (outside >= 0)
        return V.fault(
          'I2',
          `slice [${starts.join(', ')}] + ${shapeText(e.sizes)} leaves ${shapeText(of.layout.shape)} in dimension ${String(outside)}`,
        )
      const bytes = Ref.sliceOffsetBytes(of.layout, starts)
      if (E.isLeft(bytes)) return V.fault(bytes.left.code, bytes.left.message)
      return moved(
        of,
        remembered(of.layout, `slice${e.sizes.join()}`, () => Ref.sliceShape(e.sizes)(of.layout)),
        bytes.right,
      )
    }
    case 'transposeView': {
      const of = go(e.of)
      if (typeof of !== 'object' || of._tag !== 'view')
        return V.isFault(of) ? of : V.fault('type.mismatch', 'transpose: expected a view')
      return moved(
        of,
        remembered(of.layout, `t${e.perm.join()}`, () => Ref.transpose(e.perm)(of.layout)),
        0,
      )
    }
    case 'reshapeView': {
      const of = go(e.of)
      if (typeof of !== 'object' || of._tag !== 'view')
        return V.isFault(of) ? of : V.fault('type.mismatch', 'reshape: expected a view')
      return moved(
        of,
        remembered(of.layout, `r${e.shape.join()}`, () => Ref.reshape(e.shape)(of.layout)),
        0,
      )
    }
    case 'reinterpret': {
      const of = go(e.of)
      if (typeof of !== 'object' || of._tag !== 'view')
        return V.isFault(of) ? of : V.fault('type.mismatch', 'reinterpret: expected a view')
      return V.view(of.space, e.dtype, of.plane, e.layout, of.base)
    }
    case 'remote': {
      const of = go(e.of)
      const rank = go(e.rank)
      if (V.isFault(of)) return of
      if (V.isFault(rank)) return rank
      if (typeof rank !== 'number' || typeof of !== 'object')
        return V.fault('type.mismatch', 'remote: expected an i32 rank')
      if (rank < 0 || rank >= world.ctas)
        return V.fault('I2', `rank ${String(rank)} is outside of a cluster of ${String(world.ctas)} CTAs`)
      const by = rank - at.cta
      if (of._tag === 'barrier')
        return V.barrier(of.first + by * world.barriersPerCta, of.shape, of.contract, of.ordersTensorCore)
      if (of._tag === 'view')
        return V.view(of.space, of.dtype, of.plane + by * world.planesPerCta, of.layout, of.base)
      return V.fault('type.mismatch', `remote: expected a view or a barrier, found ${of._tag}`)
    }
  }
}

const convertBig = (world: World, to: ScalarName, x: bigint): Value => {
  if (to === 'i64') return x
  const c = carrierOf(x)
  if (typeof c !== 'number') return c
  const f = world.algebra.cast('i64', to, 'rn', false)
  return O.isNone(f) ? lacks(world, `cast to ${to}`, 'i64') : scalarOf(to, f.value(c))
}

const notATile = (op: string, x: Value): FaultValue =>
  V.isFault(x) ? x : V.fault('type.mismatch', `${op}: expected a tile, found ${V.kindOf(x)}`)

const unknownData = (op: string): FaultValue =>
  V.fault('algebra.control', `${op}: control depends on data, which this algebra does not keep`)

const placeOf = (world: World, at: Standpoint, of: string, axis: number): Value => {
  const agent = world.linked.agents[at.agent % world.agentsPerCta]!
  switch (of) {
    case 'agent':
      return at.agent % world.agentsPerCta
    case 'warp':
      return agent.firstWarp
    case 'ctaRank':
      return at.cta
    case 'clusterId':
      return at.cluster
    case 'gridDim':
      return world.grid[axis] ?? 1
    default: {
      // programs are numbered over the grid; a cluster is a box of it, its CTAs row-major inside
      let cluster = at.cluster
      const origin = new Array<number>(world.grid.length).fill(0)
      for (let d = world.grid.length - 1; d >= 0; d--) {
        origin[d] = cluster % world.clusters[d]!
        cluster = Math.floor(cluster / world.clusters[d]!)
      }
      let rank = at.cta
      const inside = new Array<number>(world.grid.length).fill(0)
      for (let d = world.grid.length - 1; d >= 0; d--) {
        inside[d] = rank % (world.cluster[d] ?? 1)
        rank = Math.floor(rank / (world.cluster[d] ?? 1))
      }
      return (origin[axis] ?? 0) * (world.cluster[axis] ?? 1) + (inside[axis] ?? 0)
    }
  }
}

const reduceTile = (
  world: World,
  at: Standpoint,
  frame: Frame,
  x: TileValue,
  e: Extract<ExprNode, { readonly _tag: 'reduce' }>,
): Value => {
  const shape = x.shape.filter((_, d) => d !== e.axis)
  if (x.element === 'ptr') return V.fault('type.mismatch', 'reduce: expected numbers, found pointers')
  if (x.data === null) return V.tile(shape, x.element, e.layout, null, V.otherOrigin)
  const dtype = x.element
  const data = x.data
  const order = rememberedOrder(x.layout, x.shape, e.axis)
  if (E.isLeft(order)) return V.fault(order.left.code, order.left.message)
  const [lhs, rhs] = e.combine.params
  const combine = (a: number, b: number): number | FaultValue => {
    const names = new Map<string, Value>([
      [lhs, scalarOf(dtype, a)],
      [rhs, scalarOf(dtype, b)],
    ])
    for (const step of e.combine.body) names.set(step.name, evaluateIn(world, at, frame, names, step.value))
    return carrierOf(evaluateIn(world, at, frame, names, e.combine.result))
  }
  let failed: FaultValue | null = null
  const step = (a: number, b: number): number => {
    const c = combine(a, b)
    if (typeof c === 'number') return c
    failed = c
    return NaN
  }
  const run = evaluatePlan(step)
  const out = new Float64Array(sizeOf(shape))
  for (const plan of order.right.plans)
    for (let o = 0; o < plan.outputs.length; o++)
      out[plan.outputs[o]!] = run(plan, o, (position) => data[position]!)
  return failed ?? V.tile(shape, dtype, e.layout, out, V.otherOrigin)
}

type OrderResult = E.Either<Failure, ReduceOrder>
const orders = new WeakMap<RegisterLayout, Map<string, OrderResult>>()
/** A tile of any layout is combined row-major, as in the registers of one lane. */
const rowMajor = new Map<string, RegisterLayout>()
const rememberedOrder = (
  layout: RegisterLayout | 'any',
  shape: ReadonlyArray<number>,
  axis: number,
): OrderResult => {
  const key = shape.join()
  const own: RegisterLayout = layout === 'any' ? (rowMajor.get(key) ?? { _tag: 'splat', shape }) : layout
  if (layout === 'any') rowMajor.set(key, own)
  const known = orders.get(own) ?? new Map<string, OrderResult>()
  if (!orders.has(own)) orders.set(own, known)
  const hit = known.get(`${key}/${String(axis)}`)
  if (hit !== undefined) return hit
  const made = reduceOrder(own, shape, axis)
  known.set(`${key}/${String(axis)}`, made)
  return made
}

/** The value of `e` for the agent at `at` whose names are in `frame`. */
export const evaluate = (world: World, at: Standpoint, frame: Frame, e: ExprNode): Value =>
  evaluateIn(world, at, frame, noNames, e)
