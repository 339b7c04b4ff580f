/**
 * Evaluation of arithmetic: on scalars, and element by element on tiles.
 *
 * The operands come evaluated on demand (`go`); this module knows nothing of frames or places.
 */
import * as O from 'fp-ts/lib/Option.js'
import { bitsOf, isFloat } from '../../numerics/dtype.js'
import type { NodeOf } from '../language/expression.js'
import {
  binaryScalar,
  carrierOf,
  compareScalar,
  convertBig,
  convertScalar,
  dtypeOfScalar,
  lacks,
  mismatch,
  scalarOf,
  wrap64,
} from './scalar.js'
import type { Evaluate, Environment } from './environment.js'
import { binaryTile, compareTile, isTile, sameShape, splatLike } from './tile.js'
import * as V from './value.js'
import type { Value } from './value.js'

export type NumberNode = NodeOf<'numbers'>

const isFloating = (v: Value): v is V.FloatValue => typeof v === 'object' && v._tag === 'float'

export const evaluateNumber = (env: Environment, e: NumberNode, go: Evaluate): Value => {
  const { world } = env
  switch (e._tag) {
    case 'unary': {
      const x = go(env, e.x)
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
      if (isFloating(x)) {
        const f = world.algebra.unary(e.op, e.mode, x.dtype)
        return O.isNone(f) ? lacks(world, e.op, x.dtype) : V.float(x.dtype, f.value(x.x))
      }
      return V.fault('type.mismatch', `${e.op}: expected a float, found ${V.kindOf(x)}`)
    }
    case 'binary': {
      const x = go(env, e.x)
      const y = go(env, e.y)
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
      const x = go(env, e.x)
      const y = go(env, e.y)
      const z = go(env, e.z)
      if (V.isFault(x)) return x
      if (V.isFault(y)) return y
      if (V.isFault(z)) return z
      if (isFloating(x) && isFloating(y) && isFloating(z) && x.dtype === y.dtype && x.dtype === z.dtype) {
        const f = world.algebra.fma(x.dtype)
        return O.isNone(f) ? lacks(world, 'fma', x.dtype) : V.float(x.dtype, f.value(x.x, y.x, z.x))
      }
      if (isTile(x) && isTile(y) && isTile(z) && x.element === y.element && x.element === z.element) {
        if (!isFloat(x.element)) return mismatch('fma', x, y)
        const f = world.algebra.fma(x.element)
        if (O.isNone(f)) return lacks(world, 'fma', x.element)
        if (!sameShape(x.shape, y.shape) || !sameShape(x.shape, z.shape))
          return V.fault('tile.shape', 'fma: three tiles of one shape')
        const [a, b, c] = [x.data, y.data, z.data]
        const data = a === null || b === null || c === null ? null : a.map((v, i) => f.value(v, b[i]!, c[i]!))
        return V.tile(x.shape, x.element, x.layout, data, V.otherOrigin)
      }
      return mismatch('fma', x, y)
    }
    case 'compare': {
      const x = go(env, e.x)
      const y = go(env, e.y)
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
      const c = go(env, e.cond)
      const x = go(env, e.x)
      const y = go(env, e.y)
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
      const x = go(env, e.x)
      if (V.isFault(x)) return x
      if (isTile(x)) {
        if (x.element === 'ptr') return V.fault('type.mismatch', `${e.op}: expected numbers, found pointers`)
        const f = convertScalar(world, e.op, x.element, e.to, e.rounding, e.saturate)
        if (typeof f !== 'function') return f
        const data = x.data === null ? null : x.data.map((v) => f(v))
        if (e.to === 'i64' && data?.some((v) => !Number.isSafeInteger(v)) === true)
          return V.fault('i64.range', `${e.op}: an i64 element of a tile is beyond 2^53`)
        // a rounding of the whole tile keeps what the tile is made of
        return V.tile(x.shape, e.to, x.layout, data, e.op === 'cast' ? x.origin : V.otherOrigin)
      }
      const from = dtypeOfScalar(x)
      if (from === null) return V.fault('type.mismatch', `${e.op}: expected a scalar, found ${V.kindOf(x)}`)
      if (from === 'i64' && typeof x === 'bigint')
        return e.to === 'i32'
          ? Number(BigInt.asIntN(32, x))
          : e.to === 'i1'
            ? (x & 1n) === 1n
            : convertBig(world, e.to, e.rounding, e.saturate, x)
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
        const v = go(env, part)
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
      const x = go(env, e.x)
      const c = typeof x === 'bigint' ? x : carrierOf(x)
      if (typeof c === 'object') return c
      const width = bitsOf(e.to)
      const bits = BigInt.asUintN(width, BigInt(c) >> BigInt(width * e.part))
      return scalarOf(e.to, e.to === 'i32' ? Number(BigInt.asIntN(32, bits)) : Number(bits))
    }
  }
}
