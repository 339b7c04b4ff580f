/**
 * Copies through a tensor map in memory, and what changes one.
 *
 * Where a kernel makes its maps itself, which tensor a copy moves is known when the copy is issued: the bytes of the object are read then (`object.ts`), and
 * it goes on as the copy that they describe. The copy engine reads them through a proxy of its own, so that a map that was written before has to be
 * published and acquired (`tensormap.ts`); that read is an access of the copy.
 *
 *     tensormap.replace           one field of an object in shared or global memory: a write of the whole object
 *     tensormap.cp_fenceproxy     an object from shared memory into global memory, and what is seen of maps is released
 *
 * Source: PTX ISA, tensormap.replace, tensormap.cp_fenceproxy, cp.async.bulk.tensor.
 */
import { datumOf, markOf } from '../../../numerics/shadow.js'
import type { Access } from '../../log/events.js'
import { effect, type Effect, type Executing } from '../../machine/effect.js'
import type { Elements, Prepared } from '../../machine/operation.js'
import { lacking } from '../../machine/marks.js'
import * as Plane from '../../machine/plane.js'
import { withPlane, type Machine } from '../../machine/state.js'
import * as V from '../../machine/value.js'
import type { FaultValue } from '../../machine/value.js'
import type { World } from '../../machine/world.js'
import { changes, weak, type Family } from '../../machine/family.js'
import { read, write } from '../../machine/touches.js'
import { throughMap } from './boxed.js'
import { mapOf } from './object.js'

type Of<K extends Prepared['_tag']> = Extract<Prepared, { readonly _tag: K }>

/** The bytes of an object, if memory holds all of them, and they are known. */
export const objectIn = (world: World, m: Machine, object: Elements): Uint8Array | FaultValue => {
  const { data } = Plane.read(m.planes[object.plane]!, object)
  if (data === null || data.some((byte) => Number.isNaN(byte)))
    return V.fault('I1', 'the tensor map has unwritten bytes')
  const datum = data.reduce((d, byte) => Math.max(d, datumOf(markOf(byte))), 0)
  return datum === 0 ? Uint8Array.from(data) : lacking(world.header, 'the tensor map', datum)
}

const touching = (x: Executing, rw: 'r' | 'w', e: Elements, role: Access['role']): Access => ({
  _tag: 'access',
  stamp: x.stamp,
  rw,
  proxy: 'generic',
  footprint: e.footprint,
  role,
  atomic: false,
})

export const executeReplace = (x: Executing, m: Machine, p: Of<'tensormap.replace'>): Effect =>
  effect(withPlane(m, p.object.plane, Plane.write(m.planes[p.object.plane]!, p.field, p.data, m.edit)), [
    touching(x, 'w', p.object, 'destination'),
  ])

export const executePublish = (x: Executing, m: Machine, p: Of<'tensormap.publish'>): Effect => {
  const { data } = Plane.read(m.planes[p.source.plane]!, p.source)
  return effect(
    withPlane(m, p.object.plane, Plane.write(m.planes[p.object.plane]!, p.object, data, m.edit)),
    [
      touching(x, 'r', p.source, 'map'),
      touching(x, 'w', p.object, 'destination'),
      { _tag: 'fence', stamp: x.stamp, kind: 'tensormap', scope: p.scope },
    ],
  )
}

// ---------------------------------------------------------------- all that is asked

export const objects: Family<'tensormap.through' | 'tensormap.replace' | 'tensormap.publish'> = {
  'tensormap.through': {
    execute: (x, m, p, { execute }) => {
      const bytes = objectIn(x.world, m, p.map)
      if (V.isFault(bytes)) return bytes
      const d = mapOf(bytes, p.name, (high) => p.tensors.get(high) ?? null, p.map)
      const copy = V.isFault(d) ? d : throughMap(x.world, d, p.copy)
      return V.isFault(copy) ? copy : execute(copy)
    },
    waits: null,
    touches: (_, p) => [read(p.map)],
    does: changes,
    strong: weak,
  },
  'tensormap.replace': {
    execute: executeReplace,
    waits: null,
    touches: (_, p) => [write(p.object)],
    does: changes,
    strong: weak,
  },
  'tensormap.publish': {
    execute: executePublish,
    waits: null,
    touches: (_, p) => [read(p.source), write(p.object)],
    does: changes,
    strong: weak,
  },
}
