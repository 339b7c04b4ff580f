/**
 * st.async: registers into the shared memory of a CTA of the cluster, told to a barrier there.
 *
 * The agent starts it and goes on. It performs (writes) and then signals: its bytes come off the barrier, which lies in the CTA that is
 * written. So it is a message to a CTA that needs no copy engine:
 *
 *     CTA 0                                         CTA 1
 *     stAsync tile -> remote(buffer, 1), full of 1  arriveExpectTx full 512; wait full 0; load buffer
 *
 * An agent that waits for the barrier sees these bytes, and nothing else that the sender did before (the signal publishes its own operation alone).
 *
 * Proxy: generic. PTX names the bulk copies and the tensor cores as users of the async proxy, and st.async is neither. So a generic load after
 * the wait sees what it brought, and a bulk copy or a tensor core that reads it needs a proxy fence by the agent that waited, as
 * after any store. (Bulk copies and st.async on one generation of one barrier: that generation counts as fenced.)
 *
 * | rule                                        | else          |
 * |---------------------------------------------|---------------|
 * | elements of 32 or 64 bits                   | type.mismatch |
 * | of a reduction: integers of 32 bits, or a sum of u64 | A4   |
 * | the barrier lies in the CTA that is written | A4            |
 *
 * red.async is the same with a reduction of integers in place of the store: each element joins what is there, at once.
 *
 * Law 1. equals a generic store of the tile into the remote view, for the agent that waited.
 *
 * @fidelity documented
 *
 * Source: PTX ISA, st.async, red.async; asynchronous operations; proxies.
 */
import { bitsOf } from '../../numerics/dtype.js'
import type { InstructionOf } from '../language/instruction.js'
import type { Access, LogEvent } from '../log/events.js'
import {
  barrierOperand,
  effect,
  elementsOperand,
  tileOperand,
  type Effect,
  type Executing,
} from '../machine/effect.js'
import type { Environment } from '../machine/environment.js'
import type { Prepared, StAsyncInFlight } from '../machine/operation.js'
import * as Plane from '../machine/plane.js'
import { issuing, withInFlight, withPlane, type Machine } from '../machine/state.js'
import * as V from '../machine/value.js'
import { isFault, type FaultValue } from '../machine/value.js'
import type { World } from '../machine/world.js'
import { combining } from './generic.js'
import { reach } from './mbarrier.js'
import { combined } from './tma/reduce.js'
import { carried } from './tma/words.js'
import {
  changes,
  ctaOfBarrier,
  ctasOfElements,
  free,
  untouched,
  weak,
  type Family,
  type Flights,
} from '../machine/family.js'
import { arriving, count } from '../machine/touches.js'

type Of<K extends Prepared['_tag']> = Extract<Prepared, { readonly _tag: K }>

// ---------------------------------------------------------------- reads and checks

export const prepare = (
  o: Environment,
  i: InstructionOf<'stAsync.store'> | InstructionOf<'stAsync.reduce'>,
): Prepared | FaultValue => {
  const destination = elementsOperand(o, 'destination', i.destination)
  if (isFault(destination)) return destination
  const v = tileOperand(o, 'value', i.value)
  if (isFault(v)) return v
  const b = barrierOperand(o, 'barrier', i.barrier)
  if (isFault(b)) return b
  const bits = bitsOf(destination.dtype)
  const count = v.shape.reduce((n, d) => n * d, 1)
  if (bits !== 32 && bits !== 64)
    return V.fault(
      'type.mismatch',
      `destination: st.async stores elements of 32 or 64 bits, found ${destination.dtype}`,
    )
  if (destination.offsets.length !== count)
    return V.fault(
      'tile.shape',
      `destination: expected ${String(count)} elements, found ${String(destination.offsets.length)}`,
    )
  const into = o.world.header.planes[destination.plane]!.cta ?? 0
  const holder = Math.floor(b.first / o.world.barriersPerCta)
  if (into !== holder)
    return V.fault(
      'A4',
      `barrier: st.async into CTA ${String(into)} signals a barrier of that CTA, found one of CTA ${String(holder)}`,
    )
  return {
    _tag: 'stAsync',
    destination,
    data: v.data,
    combine: i._tag === 'stAsync.store' ? null : { kind: i.kind, words: null, flushes: false },
    origin: i._tag === 'stAsync.store' ? v.origin : V.otherOrigin,
    barrier: b.first,
    bytes: (count * bits) / 8,
  }
}

// ---------------------------------------------------------------- effect and completion

const staged = (
  x: Pick<StAsyncInFlight, 'agent' | 'stamp'>,
  id: number,
  stage: StAsyncInFlight['stage'],
  p: Pick<StAsyncInFlight, 'destination' | 'data' | 'combine' | 'origin' | 'barrier' | 'bytes'>,
): StAsyncInFlight => ({
  _tag: 'stAsync',
  id,
  agent: x.agent,
  at: x.stamp.at,
  stamp: x.stamp,
  stage,
  destination: p.destination,
  data: p.data,
  combine: p.combine,
  origin: p.origin,
  barrier: p.barrier,
  bytes: p.bytes,
})

export const execute = (x: Executing, m: Machine, p: Of<'stAsync'>): Effect => {
  const issue: LogEvent = {
    _tag: 'issue',
    stamp: x.stamp,
    operation: m.issued,
    unit: 'stAsync',
    bytes: p.bytes,
    macs: 0,
    accumulates: false,
    signals: 1,
  }
  return effect(issuing(m, [staged(x, m.issued, 'write', p)]), [issue])
}

const written = (f: StAsyncInFlight): ReadonlyArray<Access> =>
  f.combine === null
    ? [
        {
          _tag: 'access',
          stamp: f.stamp,
          operation: f.id,
          rw: 'w',
          proxy: 'generic',
          footprint: f.destination.footprint,
          role: 'destination',
          atomic: false,
          origin: f.origin,
        },
      ]
    : combining(f, f.id, 'generic', f.destination, 'cluster', f.combine.kind)

export const perform = (world: World, m: Machine, f: StAsyncInFlight): Effect => {
  const d = f.destination
  const plane = m.planes[d.plane]!
  const now =
    f.combine === null
      ? Plane.write(plane, d, f.data, m.edit)
      : Plane.write(plane, carried(plane, d), combined(world, plane, f.combine, d, f.data), m.edit)
  const after = withPlane(m, d.plane, now)
  return effect(
    withInFlight(
      after,
      after.inFlight.map((g) => (g === f ? staged(f, f.id, 'signal', f) : g)),
    ),
    [{ _tag: 'perform', operation: f.id, stage: 'write', part: 0 }, ...written(f)],
  )
}

export const signal = (m: Machine, f: StAsyncInFlight): Effect =>
  effect(
    withInFlight(
      reach(m, f.barrier, 0, -f.bytes, 0),
      m.inFlight.filter((g) => g !== f),
    ),
    [{ _tag: 'signal', operation: f.id, part: 0, to: 'barrier', barrier: f.barrier, bytes: f.bytes }],
  )

// ---------------------------------------------------------------- all that is asked

export const acts: Family<'stAsync'> = {
  stAsync: { execute, waits: null, touches: untouched, does: changes, strong: weak },
}

export const flights: Flights<'stAsync'> = {
  stAsync: {
    next: (world, m, f) => (f.stage === 'write' ? perform(world, m, f) : signal(m, f)),
    held: free,
    touches: (f) => (f.stage === 'write' ? arriving(f) : [count(f.barrier, 0, -f.bytes)]),
    ctas: (world, f) => [...ctasOfElements(world, [f.destination]), ctaOfBarrier(world, f.barrier)],
  },
}
