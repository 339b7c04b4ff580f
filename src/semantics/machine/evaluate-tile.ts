/**
 * Evaluation of tile operations: making tiles, giving them another shape, reducing them, and taking a scalar out.
 */
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { evaluatePlan } from '../../layouts/register-layout.js'
import { mmaTypes } from '../../numerics/algebra.js'
import { isFloat } from '../../numerics/dtype.js'
import { wrap } from '../../numerics/integer.js'
import type { Combine, NodeOf } from '../language/expression.js'
import type { ScalarName } from '../language/types.js'
import { outOfFuel, spend } from './effort.js'
import { binaryName, carrierOf, dtypeOfScalar, scalarOf } from './scalar.js'
import { environment, type Evaluate, type Environment } from './environment.js'
import {
  isTile,
  notATile,
  regather,
  relabel,
  rememberedOrder,
  shapeText,
  sizeOf,
  strided,
  unknownData,
} from './tile.js'
import * as V from './value.js'
import type { FaultValue, TileValue, Value } from './value.js'
import type { World } from './world.js'

export type TileNode = NodeOf<'tiles'>

/** The operands come evaluated on demand (`go`), those of a combine under its names. */
export const evaluateTile = (env: Environment, e: TileNode, go: Evaluate): Value => {
  const { world } = env
  switch (e._tag) {
    case 'iota': {
      const data = new Float64Array(sizeOf(e.shape))
      const stride = strided(e.shape)[e.axis]!
      const extent = e.shape[e.axis]!
      for (let i = 0; i < data.length; i++) data[i] = e.start + (Math.floor(i / stride) % extent)
      return V.tile(e.shape, 'i32', e.layout, data, V.otherOrigin)
    }
    case 'splat': {
      const x = go(env, e.x)
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
      // what a tensor core may sum up in
      const zero = (floating || dtype === 'i32') && e.x._tag === 'const' && Number(e.x.value) === 0
      const data =
        floating && world.algebra.memory === 'none' ? null : new Float64Array(sizeOf(e.shape)).fill(c)
      return V.tile(e.shape, dtype, e.layout, data, zero ? V.zeroOrigin : V.otherOrigin)
    }
    case 'broadcast': {
      const x = go(env, e.x)
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
      const x = go(env, e.x)
      if (!isTile(x)) return notATile('expandDims', x)
      return relabel(x, [...x.shape.slice(0, e.axis), 1, ...x.shape.slice(e.axis)], e.layout, false)
    }
    case 'reshape': {
      const x = go(env, e.x)
      if (!isTile(x)) return notATile('reshape', x)
      return sizeOf(x.shape) === sizeOf(e.shape)
        ? relabel(x, e.shape, e.layout, false)
        : V.fault(
            'tile.shape',
            `reshape: ${shapeText(x.shape)} has not the elements of ${shapeText(e.shape)}`,
          )
    }
    case 'transpose': {
      const x = go(env, e.x)
      if (!isTile(x)) return notATile('transpose', x)
      const own = strided(x.shape)
      return regather(
        x,
        e.perm.map((p) => x.shape[p]!),
        e.layout,
        e.perm.map((p) => own[p]!),
      )
    }
    case 'gather': {
      const x = go(env, e.x)
      const index = go(env, e.index)
      if (!isTile(x)) return notATile('gather', x)
      return isTile(index) ? gatherTile(x, index, e.axis, e.layout) : notATile('gather', index)
    }
    case 'convertLayout': {
      const x = go(env, e.x)
      return isTile(x) ? relabel(x, x.shape, e.layout, true) : notATile('convertLayout', x)
    }
    case 'reduce': {
      const x = go(env, e.x)
      return !isTile(x)
        ? notATile('reduce', x)
        : x.data === null || spend(world.effort, 4 * x.data.length)
          ? reduceTile(env, x, e, go)
          : outOfFuel
    }
    case 'dot': {
      const [x, y, z] = [go(env, e.x), go(env, e.y), go(env, e.z)]
      if (!isTile(x)) return notATile('dot', x)
      if (!isTile(y)) return notATile('dot', y)
      return isTile(z) ? dotTile(world, e, x, y, z) : notATile('dot', z)
    }
    case 'vote': {
      const x = go(env, e.x)
      if (!isTile(x)) return notATile(e.of, x)
      if (x.data === null) return unknownData(e.of)
      return e.of === 'any' ? x.data.some((v) => v !== 0) : x.data.every((v) => v !== 0)
    }
    case 'item': {
      const x = go(env, e.x)
      if (!isTile(x)) return notATile('item', x)
      if (sizeOf(x.shape) !== 1)
        return V.fault('tile.shape', `item: expected one element, found ${shapeText(x.shape)}`)
      if (x.data === null)
        return x.element !== 'ptr' && isFloat(x.element) ? V.float(x.element, 0) : unknownData('item')
      return x.element === 'ptr' ? V.ptr(x.pointee, x.plane, x.data[0]!) : scalarOf(x.element, x.data[0]!)
    }
  }
}

/** An index that leaves the dimension says no element. */
const gatherTile = (
  x: TileValue,
  index: TileValue,
  axis: number,
  layout: TileValue['layout'],
): TileValue | FaultValue => {
  if (index.element !== 'i32')
    return V.fault('type.mismatch', `gather: expected an index of i32, found ${index.element}`)
  if (
    x.shape.length !== index.shape.length ||
    x.shape.some((extent, d) => d !== axis && extent !== index.shape[d])
  )
    return V.fault(
      'tile.shape',
      `gather: ${shapeText(index.shape)} does not look up ${shapeText(x.shape)} along dimension ${String(axis)}`,
    )
  const extent = x.shape[axis]!
  let data: Float64Array | null = null
  if (x.data !== null && index.data !== null) {
    const stride = strided(x.shape)[axis]!
    const own = index.shape[axis]!
    data = new Float64Array(index.data.length)
    for (let i = 0; i < data.length; i++) {
      const k = index.data[i]!
      if (k < 0 || k >= extent)
        return V.fault(
          'tile.index',
          `gather: dimension ${String(axis)} has ${String(extent)} elements, found index ${String(k)}`,
        )
      data[i] = x.data[Math.floor(i / (stride * own)) * stride * extent + k * stride + (i % stride)]!
    }
  }
  return {
    _tag: 'tile',
    shape: index.shape,
    element: x.element,
    pointee: x.pointee,
    plane: x.plane,
    layout,
    data,
    origin: V.otherOrigin,
  }
}

/** The instructions of a warp along k, each of which sums up as one block of the tensor core does. */
const dotTile = (
  { algebra, effort }: World,
  { as, saturate }: Extract<TileNode, { readonly _tag: 'dot' }>,
  x: TileValue,
  y: TileValue,
  z: TileValue,
): TileValue | FaultValue => {
  const [m = 0, k = 0] = x.shape
  const n = y.shape[1] ?? 0
  if (z.element === 'ptr' || y.shape[0] !== k || z.shape[0] !== m || z.shape[1] !== n)
    return V.fault(
      'tile.shape',
      `dot: expected (m, k), (k, n) and (m, n), found ${shapeText(x.shape)}, ${shapeText(y.shape)} and ${shapeText(z.shape)}`,
    )
  const types = mmaTypes(as, as, z.element, saturate)
  const mma = O.isSome(types) ? algebra.mma(types.value, { m, n, k }) : O.none
  if (O.isNone(mma))
    return V.fault(
      'algebra.lacks',
      `dot: the ${algebra.name} algebra has no product of ${shapeText(x.shape)} and ${shapeText(y.shape)} as ${as} into ${z.element}`,
    )
  if (x.data === null || y.data === null || z.data === null)
    return V.tile(z.shape, z.element, z.layout, null, V.otherOrigin)
  if (!spend(effort, (m * n * k) / 256)) return outOfFuel
  // a byte is the low bits of a register
  const [a, b] = as === 'i8' || as === 'u8' ? [x.data.map(wrap(as)), y.data.map(wrap(as))] : [x.data, y.data]
  return V.tile(z.shape, z.element, z.layout, mma.value(a, b, z.data), V.otherOrigin)
}

/** The combination as a function of carriers, where it is one operation on floats: the same, without names for every element. */
const direct = (
  world: World,
  { params, body, result }: Combine,
  dtype: ScalarName,
): ((a: number, b: number) => number) | null => {
  if (body.length > 0 || result._tag !== 'binary' || !isFloat(dtype)) return null
  const { x, y } = result
  const inOrder = x._tag === 'name' && y._tag === 'name' && x.name === params[0] && y.name === params[1]
  const op = inOrder && params[0] !== params[1] ? binaryName(result.op) : null
  return op === null ? null : O.toNullable(world.algebra.binary(op, dtype))
}

const reduceTile = (
  { world, at, frame }: Environment,
  x: TileValue,
  e: Extract<TileNode, { readonly _tag: 'reduce' }>,
  go: Evaluate,
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
    const inside = environment(world, at, frame, names)
    for (const step of e.combine.body) names.set(step.name, go(inside, step.value))
    return carrierOf(go(inside, e.combine.result))
  }
  let failed: FaultValue | null = null
  const step = (a: number, b: number): number => {
    const c = combine(a, b)
    if (typeof c === 'number') return c
    failed = c
    return NaN
  }
  const run = evaluatePlan(direct(world, e.combine, dtype) ?? step)
  const out = new Float64Array(sizeOf(shape))
  for (const plan of order.right.plans)
    for (let o = 0; o < plan.outputs.length; o++)
      out[plan.outputs[o]!] = run(plan, o, (position) => data[position]!)
  return failed ?? V.tile(shape, dtype, e.layout, out, V.otherOrigin)
}
