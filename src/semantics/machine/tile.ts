/**
 * Tiles: arrays of carriers, row-major, with the register layout they have.
 *
 * Element by element where the shapes agree, by strides where they do not (a broadcast has stride 0, a transpose permutes). A
 * reduction combines in the order that the register layout defines. A tile without data stays without data.
 *
 * Laws
 * 1. `regather` with the row-major strides of its own shape is the identity.
 * 2. a reduction calls its combine exactly once less often than there are elements, in the order of `reduceOrder`.
 */
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { reduceOrder, type ReduceOrder, type RegisterLayout } from '../../layouts/register-layout.js'
import { isFloat } from '../../numerics/dtype.js'
import type { Failure } from '../../failure.js'
import type { BinaryName, CompareName } from '../language/expression.js'
import type { ScalarName } from '../language/types.js'
import {
  bitBinary,
  carrierOf,
  compareOrdered,
  dtypeOfScalar,
  intBinary,
  lacks,
  longBinary,
  mismatch,
  binaryName,
} from './scalar.js'
import { rememberedBy } from '../../remembered.js'
import * as V from './value.js'
import type { FaultValue, TileValue, Value } from './value.js'
import type { World } from './world.js'

// ---------------------------------------------------------------- tiles

export const sizeOf = (shape: ReadonlyArray<number>): number => shape.reduce((n, d) => n * d, 1)

export const sameShape = (x: ReadonlyArray<number>, y: ReadonlyArray<number>): boolean =>
  x.length === y.length && x.every((d, i) => d === y[i])

export const shapeText = (shape: ReadonlyArray<number>): string => `(${shape.join(', ')})`

/** Apply a binary function on carriers, element by element; a scalar stands for a tile of itself. */
export const lift2 = (
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

export const isTile = (v: Value): v is TileValue => typeof v === 'object' && v._tag === 'tile'

export const splatLike = (v: Value, like: TileValue): Value => {
  if (isTile(v)) return v
  const dtype = dtypeOfScalar(v)
  const x = carrierOf(v)
  if (typeof x !== 'number') return x
  return V.tile(like.shape, dtype!, like.layout, new Float64Array(sizeOf(like.shape)).fill(x), V.otherOrigin)
}

export const binaryTile = (world: World, op: BinaryName, x: TileValue, y: TileValue): Value => {
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

export const compareTile = (
  world: World,
  op: CompareName,
  signed: boolean,
  x: TileValue,
  y: TileValue,
): Value => {
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

export const strided = (shape: ReadonlyArray<number>): ReadonlyArray<number> => {
  const out = new Array<number>(shape.length).fill(1)
  for (let d = shape.length - 2; d >= 0; d--) out[d] = out[d + 1]! * shape[d + 1]!
  return out
}

/** The carriers at the positions that `from` names, for an output of `shape`. */
export const regather = (
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

export const relabel = (
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

export const notATile = (op: string, x: Value): FaultValue =>
  V.isFault(x) ? x : V.fault('type.mismatch', `${op}: expected a tile, found ${V.kindOf(x)}`)

export const unknownData = (op: string): FaultValue =>
  V.fault('algebra.control', `${op}: control depends on data, which this algebra does not keep`)

type OrderResult = E.Either<Failure, ReduceOrder>
const orders = rememberedBy<RegisterLayout, string, OrderResult>()
/** A tile of any layout is combined row-major, as in the registers of one lane. */
const rowMajor = new Map<string, RegisterLayout>()
export const rememberedOrder = (
  layout: RegisterLayout | 'any',
  shape: ReadonlyArray<number>,
  axis: number,
): OrderResult => {
  const key = shape.join()
  const own: RegisterLayout = layout === 'any' ? (rowMajor.get(key) ?? { _tag: 'splat', shape }) : layout
  if (layout === 'any') rowMajor.set(key, own)
  return orders(own, `${key}/${String(axis)}`, () => reduceOrder(own, shape, axis))
}
