/**
 * Evaluation of places: where an agent stands, pointers, views, barriers and descriptors.
 *
 * A view is a plane, a static layout and a base. Layout arithmetic is static and therefore remembered: a slot of a view has one layout
 * object, however often it is taken; only the base is computed again.
 */
import * as E from 'fp-ts/lib/Either.js'
import { bitsOf } from '../../numerics/dtype.js'
import * as Ref from '../../transforms/ref.js'
import type { Failure } from '../../failure.js'
import type { NodeOf } from '../language/expression.js'
import { carrierOf } from './scalar.js'
import type { Evaluate, Environment } from './environment.js'
import { rememberedBy } from '../../remembered.js'
import { isTile, sameShape, shapeText, sizeOf } from './tile.js'
import * as V from './value.js'
import type { Value, ViewValue } from './value.js'
import { barrierIn, planeIn } from './world.js'
import type { Standpoint } from './front.js'
import type { World } from './world.js'

// ---------------------------------------------------------------- static layout arithmetic, remembered

type LayoutResult = E.Either<Failure, Ref.TransformedRef>
const laidOut = rememberedBy<Ref.TransformedRef, string, LayoutResult>()

const moved = (v: ViewValue, layout: LayoutResult, bytes: number): Value =>
  E.isLeft(layout)
    ? V.fault(layout.left.code, layout.left.message)
    : V.view(v.space, v.dtype, v.plane, layout.right, v.base + bytes)

// ---------------------------------------------------------------- evaluation

export type PlaceNode = NodeOf<'coordinates' | 'places'>

export const evaluatePlace = (env: Environment, e: PlaceNode, go: Evaluate): Value => {
  const { world, at } = env
  switch (e._tag) {
    case 'place':
      return placeOf(world, at, e.of, e.axis)
    case 'dim': {
      const tensor = world.tensors.get(e.param)
      return tensor?.shape[e.axis] ?? V.fault('dim', `${e.param} has no dimension ${String(e.axis)}`)
    }
    case 'paramPtr': {
      const tensor = world.tensors.get(e.param)
      return tensor === undefined
        ? V.fault('param.unknown', `no tensor parameter ${e.param}`)
        : V.ptr(tensor.dtype, tensor.plane, 0)
    }
    case 'addptr': {
      const p = go(env, e.ptr)
      const o = go(env, e.offset)
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
    case 'castPtr': {
      const p = go(env, e.ptr)
      if (V.isFault(p)) return p
      if (typeof p === 'object' && p._tag === 'ptr') return V.ptr(e.dtype, p.plane, p.address)
      return typeof p === 'object' && p._tag === 'tile' && p.element === 'ptr'
        ? V.ptrTile(p.shape, e.dtype, p.plane, p.layout, p.data)
        : V.fault('type.mismatch', `castPtr: expected a pointer, found ${V.kindOf(p)}`)
    }
    case 'storage': {
      const s = world.storages.get(e.storage)
      if (s === undefined) return V.fault('storage.unknown', `no storage ${e.storage}`)
      const c = s.contents
      const cta = at.place * world.ctas + at.cta
      return c._tag === 'barriers'
        ? V.barrier(cta * world.barriersPerCta + c.first, c.shape, c.contract, c.ordersTensorCore)
        : V.view(s.space, c.dtype, s.plane + cta * world.planesPerCta, c.layout, s.offset)
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
      const of = go(env, e.of)
      const index = go(env, e.index)
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
        laidOut(of.layout, 'slot', () => Ref.slotShape(of.layout)),
        index * Ref.slotStrideBytes(of.layout),
      )
    }
    case 'slice': {
      const of = go(env, e.of)
      if (V.isFault(of)) return of
      if (typeof of !== 'object' || of._tag !== 'view')
        return V.fault('type.mismatch', 'slice: expected a view')
      const starts: number[] = []
      for (const s of e.starts) {
        const v = go(env, s)
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
        laidOut(of.layout, `slice${e.sizes.join()}`, () => Ref.sliceShape(e.sizes)(of.layout)),
        bytes.right,
      )
    }
    case 'transposeView': {
      const of = go(env, e.of)
      if (typeof of !== 'object' || of._tag !== 'view')
        return V.isFault(of) ? of : V.fault('type.mismatch', 'transpose: expected a view')
      return moved(
        of,
        laidOut(of.layout, `t${e.perm.join()}`, () => Ref.transpose(e.perm)(of.layout)),
        0,
      )
    }
    case 'reshapeView': {
      const of = go(env, e.of)
      if (typeof of !== 'object' || of._tag !== 'view')
        return V.isFault(of) ? of : V.fault('type.mismatch', 'reshape: expected a view')
      return moved(
        of,
        laidOut(of.layout, `r${e.shape.join()}`, () => Ref.reshape(e.shape)(of.layout)),
        0,
      )
    }
    case 'reinterpret': {
      const of = go(env, e.of)
      if (typeof of !== 'object' || of._tag !== 'view')
        return V.isFault(of) ? of : V.fault('type.mismatch', 'reinterpret: expected a view')
      return V.view(of.space, e.dtype, of.plane, e.layout, of.base)
    }
    case 'remote': {
      const of = go(env, e.of)
      const rank = go(env, e.rank)
      if (V.isFault(of)) return of
      if (V.isFault(rank)) return rank
      if (typeof rank !== 'number' || typeof of !== 'object')
        return V.fault('type.mismatch', 'remote: expected an i32 rank')
      if (rank < 0 || rank >= world.ctas)
        return V.fault('I2', `rank ${String(rank)} is outside of a cluster of ${String(world.ctas)} CTAs`)
      if (of._tag === 'barrier')
        return V.barrier(barrierIn(world, of.first, rank), of.shape, of.contract, of.ordersTensorCore)
      if (of._tag === 'view')
        return V.view(of.space, of.dtype, planeIn(world, of.plane, rank), of.layout, of.base)
      return V.fault('type.mismatch', `remote: expected a view or a barrier, found ${of._tag}`)
    }
  }
}

const placeOf = (world: World, at: Standpoint, of: string, axis: number): Value => {
  const agent = world.front.agents[at.agent % world.agentsPerCta]!
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
