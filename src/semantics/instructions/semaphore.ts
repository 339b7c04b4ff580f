/**
 * Semaphores: 32-bit counters in memory that agents of any cluster signal and wait for.
 *
 * A signal adds, as a release at its scope. A wait blocks until the counter is at least `value`; with `decrement` it takes that much away in the
 * same moment. It is an acquire at its scope. The counter is an ordinary i32 or u32 of global memory: what a program or its caller puts there is
 * what it starts from.
 *
 *     s = 0     A: wait s >= 2     blocked
 *     B: signal s 1                s = 1
 *     C: signal s 1                s = 2: A can go on, and knows what B and C did before
 *
 * In the log both are `semaphore` events, with what the counter was; a wait that never passes stands there as blocked.
 *
 * Names: REGULAR semaphores, `semaphore_signal`, `semaphore_wait` (Pallas); a flag of a stream-K or split-K kernel (CUTLASS, Triton).
 *
 * A wait with `until` is on a word that agents write as they like, strongly: it passes when the word compares so, changes nothing, and gives the word. A loop that does
 * nothing but load and compare is such a wait.
 *
 * Laws
 * 1. The counter is what it was at first, plus all signals, minus all decrements.
 * 2. A signal of less than one, a counter that leaves its 31 bits and an address that is no 32-bit integer are faults.
 *
 * Source: PTX ISA, red.release and atom.acquire; JAX docs, Pallas:MGPU reference (semaphores).
 */
import type { InstructionOf } from '../language/instruction.js'
import type { SemaphoreEvent } from '../log/events.js'
import { datumOf, markOf } from '../../numerics/shadow.js'
import { holds } from '../log/comparison.js'
import { effect, intOperand, type Effect, type Executing } from '../machine/effect.js'
import { valueIn } from '../machine/evaluate.js'
import type { Environment } from '../machine/environment.js'
import * as Footprint from '../machine/footprint.js'
import { lacking } from '../machine/marks.js'
import type { Elements, Prepared } from '../machine/operation.js'
import * as Plane from '../machine/plane.js'
import { withPlane, type Machine } from '../machine/state.js'
import * as V from '../machine/value.js'
import { isFault, type FaultValue } from '../machine/value.js'
import { weak, type Family } from '../machine/family.js'
import * as Touches from '../machine/touches.js'

type Semaphore = Extract<Prepared, { readonly _tag: 'semaphore' }>

const bytes = 4
const greatest = 2 ** 31 - 1

// ---------------------------------------------------------------- reads and checks

const counterOperand = (
  o: Environment,
  i: InstructionOf<'semaphore.signal' | 'semaphore.wait'>,
): Elements | FaultValue => {
  const at = valueIn(o, i.at)
  if (isFault(at)) return at
  if (typeof at !== 'object' || at._tag !== 'ptr')
    return V.fault('type.mismatch', `at: expected a pointer, found ${V.kindOf(at)}`)
  if ((at.dtype !== 'i32' && at.dtype !== 'u32') || at.address % bytes !== 0)
    return V.fault(
      'semaphore.counter',
      `at: expected an aligned counter of i32 or u32, found ${at.dtype} at byte ${String(at.address)}`,
    )
  return at.address < 0 || at.address + bytes > o.world.planeBytes[at.plane]!
    ? V.fault('I2', `at: byte ${String(at.address)} is outside of ${o.world.header.planes[at.plane]!.name}`)
    : Footprint.ofAddresses(o.world.footprints, at.plane, at.dtype, [1], Int32Array.of(at.address))
}

export const prepare = (
  o: Environment,
  i: InstructionOf<'semaphore.signal' | 'semaphore.wait'>,
): Prepared | FaultValue => {
  const counter = counterOperand(o, i)
  if (isFault(counter)) return counter
  const value = intOperand(o, 'value', i.value)
  if (typeof value !== 'number') return value
  if (i._tag === 'semaphore.signal' && value < 1)
    return V.fault('semaphore.value', `value: expected a signal of at least 1, found ${String(value)}`)
  return {
    _tag: 'semaphore',
    kind: i._tag === 'semaphore.signal' ? 'signal' : 'wait',
    counter,
    value,
    decrement: i._tag === 'semaphore.wait' && i.decrement,
    scope: i.scope,
  }
}

// ---------------------------------------------------------------- effects

/** What the counter is; what was not written counts as nothing that a wait can pass on. */
export const counterOf = (m: Machine, counter: Elements): number => {
  const { data } = Plane.read(m.planes[counter.plane]!, counter)
  const x = data === null ? 0 : data[0]!
  return Number.isNaN(x) ? 0 : x | 0
}

/** The datum that the counter is of, where it is not known; else 0. */
const datumOfCounter = (m: Machine, counter: Elements): number => {
  const { data } = Plane.read(m.planes[counter.plane]!, counter)
  return data === null ? 0 : datumOf(markOf(data[0]!))
}

/** A wait for what is not known goes on, and is refused. */
export const blocked = (m: Machine, p: Semaphore): boolean =>
  p.kind === 'wait' &&
  !holds(p.until ?? 'ge', counterOf(m, p.counter), p.value) &&
  datumOfCounter(m, p.counter) === 0

export const event = (
  x: Executing,
  m: Machine,
  p: Semaphore,
  outcome: SemaphoreEvent['outcome'],
): SemaphoreEvent => {
  const made: { -readonly [K in keyof SemaphoreEvent]: SemaphoreEvent[K] } = {
    _tag: 'semaphore',
    stamp: x.stamp,
    kind: p.kind,
    footprint: p.counter.footprint,
    value: p.value,
    decrement: p.decrement,
    scope: p.scope,
    before: counterOf(m, p.counter),
    outcome,
  }
  if (p.until !== undefined) made.until = p.until
  if (p.relaxed !== undefined) made.relaxed = p.relaxed
  if (p.unheeded !== undefined) made.unheeded = p.unheeded
  return made
}

/**
 * Where an agent asks for a word in vain, for ever (`execution/livelock.ts`), it waits: an exchange that compares, until the word is what it compares with; whatever
 * else asks, until the word is another.
 */
export const askedEvent = (
  x: Executing,
  m: Machine,
  p: Extract<Prepared, { readonly _tag: 'load' | 'atomic.words' }>,
): ReadonlyArray<SemaphoreEvent> => {
  const asked = p._tag === 'load' ? p.source : p.destination
  const scope = p._tag === 'load' ? p.strong?.scope : p.scope
  const lane = asked.offsets.findIndex((offset) => offset >= 0)
  if (scope === undefined || lane < 0) return []
  const counter = Footprint.ofAddresses(
    x.world.footprints,
    asked.plane,
    asked.dtype,
    [1],
    Int32Array.of(asked.offsets[lane]! + asked.origin),
  )
  const compared = p._tag === 'atomic.words' && p.op === 'cas' ? p.compare?.[lane] : undefined
  return [
    {
      _tag: 'semaphore',
      stamp: x.stamp,
      kind: 'wait',
      footprint: counter.footprint,
      value: compared ?? counterOf(m, counter),
      decrement: false,
      scope,
      before: counterOf(m, counter),
      outcome: 'blocked',
      until: compared === undefined ? 'ne' : 'eq',
    },
  ]
}

export const execute = (x: Executing, m: Machine, p: Semaphore): Effect | FaultValue => {
  const datum = datumOfCounter(m, p.counter)
  if (datum !== 0) return lacking(x.world.header, 'the awaited value', datum)
  const by = p.kind === 'signal' ? p.value : p.decrement ? -p.value : 0
  const after = counterOf(m, p.counter) + by
  if (after > greatest)
    return V.fault('semaphore.value', `the counter goes beyond ${String(greatest)}: ${String(after)}`)
  const e = event(x, m, p, 'passed')
  if (p.until !== undefined) {
    const found = V.tile([1], 'i32', 'any', Float64Array.of(counterOf(m, p.counter)), V.otherOrigin)
    const plain = Plane.plainAt(m.planes[p.counter.plane]!, p.counter)
    return effect(m, [e], [plain === null ? found : Object.assign({ plain }, found)])
  }
  if (by === 0) return effect(m, [e])
  const { plane, dtype } = p.counter
  const data = Float64Array.of(dtype === 'u32' ? after >>> 0 : after)
  return effect(withPlane(m, plane, Plane.write(m.planes[plane]!, p.counter, data, m.edit)), [e])
}

// ---------------------------------------------------------------- all that is asked

export const acts: Family<'semaphore'> = {
  semaphore: {
    execute,
    waits: {
      of: 'word',
      blocked: (_world, _agent, m, p) => blocked(m, p),
      stands: (x, m, p) => [event(x, m, p, 'blocked')],
    },
    touches: (_, p) => {
      const changes = p.kind === 'signal' || p.decrement
      const found = [
        Touches.atomic('r', p.counter, p.scope, 'agent'),
        Touches.table(Touches.atomicTable(p.counter.plane), changes),
      ]
      return changes ? [...found, Touches.atomic('w', p.counter, p.scope, 'agent')] : found
    },
    does: (p) => (p.kind === 'wait' && p.until !== undefined ? 'reads' : 'changes'),
    strong: weak,
  },
}
