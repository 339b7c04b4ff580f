/**
 * An operation in flight: what an agent has started and what goes on without it.
 *
 * At its issue an operation takes a copy of what its issuer knows (it acts with that, whatever the issuer learns later) and a *number* in
 * some sequence of its agent. How others come to know that it is done depends on its unit: they know the number, or, for a copy that
 * signals a barrier, the generation that its signal joined. A load with several destinations (multicast) has a completion for each part.
 *
 * | unit                  | number                                    | reads done by          | writes done by        |
 * |-----------------------|-------------------------------------------|------------------------|-----------------------|
 * | tmaLoad, stAsync, clc      | none                                      | the generation of its part                     ||
 * | tmaStore              | the bulk group that is open               | read side of the group, or its whole | its whole |
 * | cpAsync               | which of the agent's copies               | that number; an arrival: its generation        ||
 * | wgmma                 | the wgmma group that is open              | its group                                      ||
 * | tcgen05 mma, cp, shift | position in the agent's tensor queue      | that position                                  ||
 * | tcgen05Ld             | which of the agent's loads                | that number            | that number, or that its registers hold it |
 * | tcgen05St             | which of the agent's stores               | that number                                    ||
 *
 * Worked: an agent issues store s1, commits, issues s2. s1 is number 1, s2 number 2; a group wait that leaves one group open lets the
 * agent know bulk group 1, hence s1 and not s2.
 *
 * Names: an async token (Triton), a transaction (mbarrier), a bulk group member (PTX).
 *
 * Laws
 * 1. The numbers of one agent and unit do not decrease in program order.
 * 2. A completion of a load is not known before its signal.
 *
 * Source: PTX ISA, asynchronous operations and their completion mechanisms.
 */
import type { Issue, Stamp, Unit } from '../../log/events.js'
import type { Completion } from './access-record.js'
import { doneBy, notYet } from './access-record.js'
import type { AgentState, Context } from './context.js'
import type { Knowledge } from './knowledge.js'
import { clockOf } from './knowledge.js'
import type { Place } from './queue.js'
import { inOrder, listed } from './queue.js'

// ---------------------------------------------------------------- model

/** An operation between its issue and its last signal. */
export interface Operation {
  readonly id: number
  readonly stamp: Stamp
  readonly unit: Unit
  /** what the issuer knew */
  readonly knowledge: Knowledge
  /** number of its bulk or wgmma group, of the copy, of the queue entry, of the tensor-memory load or store */
  readonly number: number
  /** of the agent's operations, which */
  readonly instance: number
  readonly lastWait: number
  readonly lastObserved: number
  readonly fences: number
  /** in the in-order unit that it belongs to, if it does */
  readonly place: Place | undefined
  /** the arrival of cp.async for which the barrier was incremented */
  readonly offset: boolean
  /** completions of the parts of a load (or of an arrival of cp.async), filled in by its signals, and the CTAs that each has an effect on (a bit each) */
  readonly parts: Array<Completion>
  readonly ctas: Array<number>
  part: number
  owed: number
}

// ---------------------------------------------------------------- constructors

/** Takes the next number of the unit's sequence. */
export const numbered = (a: AgentState, unit: Unit): number => {
  switch (unit) {
    case 'tmaLoad':
    case 'stAsync':
    case 'clc':
      return 0
    case 'tmaStore':
      return a.bulkGroups + 1
    case 'wgmma':
      return a.wgmmaGroups + 1
    case 'cpAsync':
      return ++a.copies
    case 'tcgen05':
      return ++a.queue
    case 'tcgen05Ld':
      return ++a.loads
    case 'tcgen05St':
      return ++a.stores
  }
}

// ---------------------------------------------------------------- destructors

export const partOf = (op: Operation, part: number): Completion => {
  // a later part may be done before an earlier one
  while (op.parts.length <= part) op.parts.push(notYet())
  return op.parts[part]!
}

/** By what others know that this access of the operation is done. */
export const completionOf = (op: Operation, rw: 'r' | 'w'): Completion => {
  const x = op.stamp.agent
  switch (op.unit) {
    case 'tmaLoad':
    case 'stAsync':
    case 'clc':
      return partOf(op, op.part)
    case 'tmaStore':
      return rw === 'r'
        ? doneBy(clockOf('bulkRead', x), op.number, clockOf('bulkFull', x))
        : doneBy(clockOf('bulkFull', x), op.number)
    case 'cpAsync':
      return doneBy(clockOf('cpAsync', x), op.number)
    case 'wgmma':
      return doneBy(clockOf('wgmma', x), op.number)
    case 'tcgen05':
      return doneBy(clockOf('queue', x), op.number)
    case 'tcgen05Ld':
      return rw === 'w'
        ? doneBy(clockOf('loadedRegisters', x), op.number, clockOf('tensorLoad', x))
        : doneBy(clockOf('tensorLoad', x), op.number)
    case 'tcgen05St':
      return doneBy(clockOf('tensorStore', x), op.number)
  }
}

/** Its place among what happens in order without an edge. Takes the place, for an entry of a tensor queue. */
export const placeOf = (c: Context, a: AgentState, e: Issue, number: number): Place | undefined => {
  const x = e.stamp.agent
  switch (e.unit) {
    case 'wgmma':
      return c.options.wgmmaOrder === 'issue' ? inOrder(2 * x, ++a.products, 'mma', false) : undefined
    case 'tcgen05': {
      const pair = e.ctaGroup === 2
      return listed(a.tensorQueue, 2 * x + 1, number, e.tensor ?? 'mma', e.pipe ?? 0, pair)
    }
    case 'tmaLoad':
    case 'tmaStore':
    case 'cpAsync':
    case 'tcgen05Ld':
    case 'tcgen05St':
    case 'stAsync':
    case 'clc':
      return undefined
  }
}
