/**
 * cp.async: a copy of single elements that an agent starts and forgets.
 *
 * Generic proxy on both sides, complete by group (`waitGroup`) or by an arrive on a barrier once all earlier copies of the agent
 * are done. That arrival is counted by the barrier's own count (noIncrement), or the open phase is asked for one more. Elements that the mask takes out become zero in shared memory.
 *
 * Source: PTX ISA, cp.async, cp.async.mbarrier.arrive.
 */
import { isFloat } from '../../numerics/dtype.js'
import type { InstructionOf } from '../language/instruction.js'
import type { LogEvent } from '../log/events.js'
import {
  barrierOperand,
  effect,
  elementsOperand,
  tileOperand,
  type Effect,
  type Executing,
} from '../machine/effect.js'
import type { Environment } from '../machine/environment.js'
import type { CpAsyncArriveInFlight, CpAsyncInFlight, Prepared } from '../machine/operation.js'
import * as Plane from '../machine/plane.js'
import { issuing, withBarrier, withInFlight, withPlane, type Machine } from '../machine/state.js'
import * as V from '../machine/value.js'
import { isFault, type FaultValue } from '../machine/value.js'
import type { World } from '../machine/world.js'
import { access, pointedElements } from './generic.js'
import { increment, isTrap } from '../machine/mbarrier.js'
import { reach } from './mbarrier.js'
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
import { count, none, read, write } from '../machine/touches.js'

type Of<K extends Prepared['_tag']> = Extract<Prepared, { readonly _tag: K }>

// ---------------------------------------------------------------- reads and checks

export const prepareCopy = (o: Environment, i: InstructionOf<'cpAsync.copy'>): Prepared | FaultValue => {
  const pointers = tileOperand(o, 'source', i.source)
  if (isFault(pointers)) return pointers
  const mask = i.mask === undefined ? null : tileOperand(o, 'mask', i.mask)
  if (isFault(mask)) return mask
  const source = pointedElements(o, 'source', pointers, mask)
  if (isFault(source)) return source
  const destination = elementsOperand(o, 'destination', i.destination)
  if (isFault(destination)) return destination
  if (destination.offsets.length !== source.offsets.length)
    return V.fault(
      'tile.shape',
      `destination: expected ${String(source.offsets.length)} elements, found ${String(destination.offsets.length)}`,
    )
  return {
    _tag: 'cpAsync.copy',
    source,
    destination,
    bytes: destination.offsets.length * Plane.bytesOf(destination.dtype),
    ways: null,
  }
}

export const prepareArrive = (
  o: Environment,
  i: InstructionOf<'mbarrier.cpAsyncArrive'>,
): Prepared | FaultValue => {
  const b = barrierOperand(o, 'barrier', i.barrier)
  if (isFault(b)) return b
  return { _tag: 'mbarrier.cpAsyncArrive', barrier: b.first, increment: !i.noIncrement }
}

// ---------------------------------------------------------------- effects

export const executeCopy = (x: Executing, m: Machine, p: Of<'cpAsync.copy'>): Effect => {
  const issue: LogEvent = {
    _tag: 'issue',
    stamp: x.stamp,
    operation: m.issued,
    unit: 'cpAsync',
    bytes: p.bytes,
    macs: 0,
    accumulates: false,
  }
  const f: CpAsyncInFlight = {
    _tag: 'cpAsync',
    id: m.issued,
    agent: x.agent,
    at: x.stamp.at,
    stamp: x.stamp,
    source: p.source,
    destination: p.destination,
    group: m.agents[x.agent]!.groups.cpAsync + 1,
    bytes: p.bytes,
    ways: p.ways,
  }
  return effect(issuing(m, [f]), [issue])
}

/**
 * The arrival to come is one of those that the barrier was initialised for; or the phase is asked for one more now, so that the two cancel out.
 * The increment stands in the log right before the issue.
 */
export const executeArrive = (x: Executing, m: Machine, p: Of<'mbarrier.cpAsyncArrive'>): Effect => {
  const issue: LogEvent = {
    _tag: 'issue',
    stamp: x.stamp,
    operation: m.issued,
    unit: 'cpAsync',
    bytes: 0,
    macs: 0,
    accumulates: false,
  }
  const f: CpAsyncArriveInFlight = {
    _tag: 'cpAsyncArrive',
    id: m.issued,
    agent: x.agent,
    at: x.stamp.at,
    stamp: x.stamp,
    barrier: p.barrier,
  }
  if (!p.increment) return effect(issuing(m, [f]), [issue])
  const more: LogEvent = {
    _tag: 'barrier',
    stamp: x.stamp,
    kind: 'increment',
    barrier: p.barrier,
    count: 1,
    bytes: 0,
    release: false,
    scope: 'cta',
    tensor: false,
  }
  return effect(issuing(ask(m, p.barrier), [f]), [more, issue])
}

/** One arrival more; a phase that asks for all there can be stays as it is. */
const ask = (m: Machine, barrier: number): Machine => {
  const b = m.barriers[barrier]
  const next = b === null || b === undefined ? 'count-range' : increment(b, 1)
  return isTrap(next) ? m : withBarrier(m, barrier, next)
}

// ---------------------------------------------------------------- completion

export const performCopy = (world: World, m: Machine, f: CpAsyncInFlight): Effect => {
  const zero = isFloat(f.source.dtype) ? world.algebra.constant(f.source.dtype, 0) : 0
  const { data } = Plane.read(m.planes[f.source.plane]!, f.source, zero)
  const d = f.destination
  const write = access(f, f.id, 'w', 'generic', d, 'destination')
  const written = withPlane(m, d.plane, Plane.write(m.planes[d.plane]!, d, data, m.edit))
  return effect(
    withInFlight(
      written,
      written.inFlight.filter((g) => g !== f),
    ),
    [
      { _tag: 'perform', operation: f.id, stage: 'all', part: 0 },
      access(f, f.id, 'r', 'generic', f.source, 'source'),
      f.ways === null ? write : Object.assign({}, write, { origin: { _tag: 'led' as const, ways: f.ways } }),
      { _tag: 'signal', operation: f.id, part: 0, to: 'group', family: 'cpAsync', side: 'full' },
    ],
  )
}

/** The arrive waits for every earlier copy of its agent. */
export const arriveHeld = (m: Machine, f: CpAsyncArriveInFlight): boolean =>
  m.inFlight.some((g) => g._tag === 'cpAsync' && g.agent === f.agent && g.at < f.at)

export const performArrive = (m: Machine, f: CpAsyncArriveInFlight): Effect =>
  effect(
    withInFlight(
      reach(m, f.barrier, 1, 0, 0),
      m.inFlight.filter((g) => g !== f),
    ),
    [
      { _tag: 'perform', operation: f.id, stage: 'all', part: 0 },
      { _tag: 'signal', operation: f.id, part: 0, to: 'arrive', barrier: f.barrier },
    ],
  )

// ---------------------------------------------------------------- all that is asked

export const acts: Family<'cpAsync.copy' | 'mbarrier.cpAsyncArrive'> = {
  'cpAsync.copy': { execute: executeCopy, waits: null, touches: untouched, does: changes, strong: weak },
  'mbarrier.cpAsyncArrive': {
    execute: executeArrive,
    waits: null,
    // an increment is counted like an arrival the other way
    touches: (_, p) =>
      p.increment ? [count(p.barrier, 0, 0), { _tag: 'life', barrier: p.barrier, ends: false }] : none,
    does: changes,
    strong: weak,
  },
}

export const flights: Flights<'cpAsync' | 'cpAsyncArrive'> = {
  cpAsync: {
    next: performCopy,
    held: free,
    touches: (f) => [read(f.source), write(f.destination)],
    ctas: (world, f) => ctasOfElements(world, [f.destination]),
  },
  cpAsyncArrive: {
    next: (_, m, f) => performArrive(m, f),
    held: (_, m, f) => arriveHeld(m, f),
    touches: (f) => [count(f.barrier, 1, 0)],
    ctas: (world, f) => [ctaOfBarrier(world, f.barrier)],
  },
}
