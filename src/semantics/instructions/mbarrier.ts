/**
 * mbarrier instructions: init, inval, arrive, expectTx, completeTx, arriveExpectTx, arriveDrop, wait, test.
 *
 * An operation that the hardware traps on (an arrive of more than pending, a transaction count out of range, an operation on
 * an object that is not there) leaves the barrier as it was and stands in the log; the detector, which counts for itself,
 * names it. So a run goes on after it as far as it can.
 *
 *     expectTx 16       expect, 16 bytes      arrivals 0
 *     completeTx 16     expect, -16 bytes     arrivals 0
 *     arriveExpectTx 16 arrive, 16 bytes      arrivals 1
 *
 * Source: PTX ISA, parallel synchronization: mbarrier.
 */
import type { ExprNode } from '../language/expression.js'
import type { InstructionOf } from '../language/instruction.js'
import type { BarrierEvent, Wait } from '../log/events.js'
import { barrierOperand, effect, intOperand, type Effect, type Executing } from '../machine/effect.js'
import type { Environment } from '../machine/environment.js'
import { init, isTrap, passes, stateWord, update } from '../machine/mbarrier.js'
import type { Prepared } from '../machine/operation.js'
import { withBarrier, type Machine } from '../machine/state.js'
import {
  fault,
  isFault,
  otherOrigin,
  peek,
  tile,
  type FaultValue,
  type PeekValue,
  type Value,
} from '../machine/value.js'
import { changes, weak, type Family } from '../machine/family.js'
import { count } from '../machine/touches.js'

type Of<K extends Prepared['_tag']> = Extract<Prepared, { readonly _tag: K }>
type Arrives =
  | InstructionOf<'mbarrier.arrive'>
  | InstructionOf<'mbarrier.arriveExpectTx'>
  | InstructionOf<'mbarrier.arriveDrop'>
type Transacts = InstructionOf<'mbarrier.expectTx'> | InstructionOf<'mbarrier.completeTx'>

// ---------------------------------------------------------------- reads and checks

export const prepareInit = (o: Environment, i: InstructionOf<'mbarrier.init'>): Prepared | FaultValue => {
  const b = barrierOperand(o, 'barrier', i.barrier)
  return isFault(b) ? b : { _tag: 'mbarrier.init', barrier: b.first, count: i.count }
}

export const prepareInval = (o: Environment, i: InstructionOf<'mbarrier.inval'>): Prepared | FaultValue => {
  const b = barrierOperand(o, 'barrier', i.barrier)
  return isFault(b) ? b : { _tag: 'mbarrier.inval', barrier: b.first }
}

/** Bytes that an instruction names: a count, so never below zero. */
const bytesOperand = (o: Environment, e: ExprNode): number | FaultValue => {
  const bytes = intOperand(o, 'bytes', e)
  return typeof bytes !== 'number' || bytes >= 0
    ? bytes
    : fault('mbarrier.bytes', `bytes: expected 0 or more, found ${String(bytes)}`)
}

export const prepareArrive = (o: Environment, i: Arrives): Prepared | FaultValue => {
  const b = barrierOperand(o, 'barrier', i.barrier)
  if (isFault(b)) return b
  const bytes = i._tag === 'mbarrier.arriveExpectTx' ? bytesOperand(o, i.bytes) : 0
  if (typeof bytes !== 'number') return bytes
  return {
    _tag: 'mbarrier.arrive',
    kind: i._tag === 'mbarrier.arriveDrop' ? 'drop' : 'arrive',
    barrier: b.first,
    count: i._tag === 'mbarrier.arriveExpectTx' ? 1 : i.count,
    bytes,
    release: i.release,
    scope: i.scope,
    tensor: b.ordersTensorCore,
  }
}

/** Bytes without an arrival are always relaxed. */
export const prepareBytes = (o: Environment, i: Transacts): Prepared | FaultValue => {
  const b = barrierOperand(o, 'barrier', i.barrier)
  if (isFault(b)) return b
  const bytes = bytesOperand(o, i.bytes)
  if (typeof bytes !== 'number') return bytes
  return {
    _tag: 'mbarrier.arrive',
    kind: 'expect',
    barrier: b.first,
    count: 0,
    bytes: i._tag === 'mbarrier.completeTx' ? 0 - bytes : bytes,
    release: false,
    scope: 'cta',
    tensor: b.ordersTensorCore,
  }
}

export const prepareWait = (
  o: Environment,
  i: InstructionOf<'mbarrier.wait'> | InstructionOf<'mbarrier.test'>,
  by: 'makes' | PeekValue | null,
): Prepared | FaultValue => {
  const b = barrierOperand(o, 'barrier', i.barrier)
  if (isFault(b)) return b
  const parity = intOperand(o, 'parity', i.parity)
  if (typeof parity !== 'number') return parity
  const p: Prepared = {
    _tag: 'mbarrier.wait',
    blocks: i._tag === 'mbarrier.wait',
    barrier: b.first,
    parity: (parity & 1) === 1 ? 1 : 0,
    acquire: i.acquire,
    scope: i.scope,
    tensor: b.ordersTensorCore,
  }
  return by === null ? p : Object.assign(p, { peek: by })
}

/** The peek that spares this wait, if it does. */
const sparing = ({ peek }: Of<'mbarrier.wait'>): boolean =>
  peek !== undefined && peek !== 'makes' && peek.ready

/** A wait is offered once it can pass, or is spared; on an object that is not there it never passes. */
export const waitBlocked = (m: Machine, p: Of<'mbarrier.wait'>): boolean => {
  const b = m.barriers[p.barrier]
  return p.blocks && !sparing(p) && (b === null || b === undefined || !passes(b, p.parity))
}

// ---------------------------------------------------------------- effects

const barrierEvent = (
  x: Executing,
  kind: BarrierEvent['kind'],
  barrier: number,
  count: number,
  bytes: number,
  release: boolean,
  scope: BarrierEvent['scope'],
  tensor: boolean,
): BarrierEvent => ({ _tag: 'barrier', stamp: x.stamp, kind, barrier, count, bytes, release, scope, tensor })

export const executeInit = (x: Executing, m: Machine, p: Of<'mbarrier.init'>): Effect =>
  effect(withBarrier(m, p.barrier, init(p.count)), [
    barrierEvent(x, 'init', p.barrier, p.count, 0, false, 'cta', false),
  ])

export const executeInval = (x: Executing, m: Machine, p: Of<'mbarrier.inval'>): Effect =>
  effect(withBarrier(m, p.barrier, null), [barrierEvent(x, 'inval', p.barrier, 0, 0, false, 'cta', false)])

/** Arrivals and bytes reach a barrier; a trap leaves it as it was. */
export const reach = (
  m: Machine,
  barrier: number,
  arrivals: number,
  bytes: number,
  dropped: number,
): Machine => {
  const b = m.barriers[barrier]
  if (b === null || b === undefined) return m
  const next = update(b, arrivals, bytes, dropped)
  return isTrap(next) ? m : withBarrier(m, barrier, next)
}

export const executeArrive = (x: Executing, m: Machine, p: Of<'mbarrier.arrive'>): Effect =>
  effect(
    reach(m, p.barrier, p.kind === 'expect' ? 0 : p.count, p.bytes, p.kind === 'drop' ? p.count : 0),
    [barrierEvent(x, p.kind, p.barrier, p.count, p.bytes, p.release, p.scope, p.tensor)],
    p.token === true ? [tokenOf(m, p)] : [],
  )

/** The words of the barrier before an arrival, the lower one first; of one that is not there, nothing is known. */
const tokenOf = (m: Machine, p: Of<'mbarrier.arrive'>): Value => {
  const b = m.barriers[p.barrier]
  const words =
    b === null || b === undefined
      ? null
      : Float64Array.of(p.bytes > 0 ? p.bytes : p.count === 1 ? 0 : p.count, stateWord(b))
  return tile([2], 'i32', 'any', words, otherOrigin)
}

const plainWait = (x: Executing, p: Of<'mbarrier.wait'>, outcome: Wait['outcome']): Wait => ({
  _tag: 'wait',
  stamp: x.stamp,
  barrier: p.barrier,
  parity: p.parity,
  acquire: p.acquire,
  scope: p.scope,
  tensor: p.tensor,
  outcome,
})

/** A peek, and the wait that it may spare, name the event of the peek. */
export const waitEvent = (x: Executing, p: Of<'mbarrier.wait'>, outcome: Wait['outcome']): Wait =>
  p.peek === undefined
    ? plainWait(x, p, outcome)
    : Object.assign(plainWait(x, p, outcome), { peek: p.peek === 'makes' ? x.stamp.at : p.peek.at })

const passed: ReadonlyArray<Value> = [true]

export const executeWait = (x: Executing, m: Machine, p: Of<'mbarrier.wait'>): Effect => {
  if (p.blocks) return effect(m, [waitEvent(x, p, sparing(p) ? 'skipped' : 'passed')], passed)
  const b = m.barriers[p.barrier]
  const done = b !== null && b !== undefined && passes(b, p.parity)
  return effect(
    m,
    [waitEvent(x, p, done ? 'passed' : 'tested')],
    [p.peek === 'makes' ? peek(done, x.stamp.at) : done],
  )
}

// ---------------------------------------------------------------- all that is asked

export const acts: Family<'mbarrier.init' | 'mbarrier.inval' | 'mbarrier.arrive' | 'mbarrier.wait'> = {
  'mbarrier.init': {
    execute: executeInit,
    waits: null,
    touches: (_, p) => [{ _tag: 'life', barrier: p.barrier, ends: true }],
    does: changes,
    strong: weak,
  },
  'mbarrier.inval': {
    execute: executeInval,
    waits: null,
    touches: (_, p) => [{ _tag: 'life', barrier: p.barrier, ends: true }],
    does: changes,
    strong: weak,
  },
  'mbarrier.arrive': {
    execute: executeArrive,
    waits: null,
    touches: (_, p) => {
      const arrives = count(p.barrier, p.kind === 'expect' ? 0 : p.count, p.bytes)
      return p.kind === 'drop' ? [arrives, { _tag: 'life', barrier: p.barrier, ends: false }] : [arrives]
    },
    does: changes,
    strong: weak,
  },
  'mbarrier.wait': {
    execute: executeWait,
    waits: {
      of: 'mbarrier',
      blocked: (_world, _agent, m, p) => waitBlocked(m, p),
      stands: (x, _, p) => [waitEvent(x, p, 'blocked')],
    },
    // a wait that its peek has spared asks nothing
    touches: (_, p) =>
      sparing(p) ? [] : [{ _tag: 'wait', barrier: p.barrier, parity: p.parity, blocks: p.blocks }],
    does: (p) => (p.blocks ? 'changes' : 'asks'),
    strong: weak,
  },
}
