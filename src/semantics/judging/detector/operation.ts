/**
 * An operation in flight: what an agent has started and what goes on without it.
 *
 * At its issue an operation takes a copy of what its issuer knows (it acts with that, whatever the issuer learns later) and a *number* in
 * some sequence of its agent. How others come to know that it is done depends on its unit: they know the number, or, for a copy that
 * signals a barrier, the generation that its signal joined. A load with several destinations (multicast) has a completion for each part.
 *
 * Which sequence, and which clock says that its reads and its writes are done, is in the row of its unit (`log/units.ts`). It is looked up once, at the
 * issue: from then on the operation has its row, its number and its completions.
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
import type { Header, Issue, Stamp, Unit } from '../../log/events.js'
import type { UnitRow } from '../../log/units.js'
import type { Completion } from './access-record.js'
import { doneBy, notYet } from './access-record.js'
import type { AgentState, Context } from './context.js'
import type { Knowledge } from './knowledge.js'
import { clockOf } from './knowledge.js'
import type { Place } from './queue.js'
import { inOrder, listed } from './queue.js'

// ---------------------------------------------------------------- model

/** Lanes that have started a part of an operation: what they knew, and the CTAs that this part has an effect on. */
export interface Issuer {
  readonly lanes: number
  readonly knowledge: Knowledge
  readonly ctas: Array<number>
}

/** An operation between its issue and its last signal. */
export interface Operation {
  readonly id: number
  readonly stamp: Stamp
  readonly unit: Unit
  /** all that is known of its unit */
  readonly row: UnitRow
  /** by what others know that its reads, and that its writes are done; undefined: each part by its own signal */
  readonly reads: Completion | undefined
  readonly writes: Completion | undefined
  /** what the issuer knew; where lanes that do not know the same have each started a part, what all of them knew */
  readonly knowledge: Knowledge
  /** of such lanes what each of them knew; null: they knew the same, or have started one thing together */
  readonly issuers: ReadonlyArray<Issuer> | null
  /** of a copy, or its arrival: lanes of the warp that have copies of their own, of which this one says nothing */
  readonly others: number
  /** number of its bulk or wgmma group, of the copy, of the queue entry, of the tensor-memory load or store */
  readonly number: number
  /** of a commit: up to which entry of the queue it says that they are done */
  readonly covers: number
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

/** Takes the next number of the unit's sequence; that of a group is the one that its commit will give. */
export const numbered = (a: AgentState, row: UnitRow): number => {
  switch (row.completes) {
    case 'phase':
      return 0
    case 'group':
      return a[row.sequence] + 1
    case 'queue':
    case 'each':
      return ++a[row.sequence]
  }
}

/** Done where a clock of the agent stands at the number; a unit without clocks says so part by part. */
export const doneAt = (
  cell: UnitRow['reads' | 'writes'],
  agent: number,
  number: number,
): Completion | undefined =>
  cell === null
    ? undefined
    : doneBy(clockOf(cell.clock, agent), number, cell.or === null ? -1 : clockOf(cell.or, agent))

/** How many signals it owes. */
export const owedBy = (header: Header, e: Issue, row: UnitRow): number => {
  if (e.signals !== undefined) return e.signals
  switch (row.signals) {
    case 'each CTA':
      return header.ctas / (header.resident ?? 1)
    case 'open':
      return Infinity
    case 2:
    case 1:
      return row.signals
  }
}

// ---------------------------------------------------------------- destructors

export const partOf = (op: Operation, part: number): Completion => {
  // a later part may be done before an earlier one
  while (op.parts.length <= part) op.parts.push(notYet())
  return op.parts[part]!
}

/** By what others know that this access of the operation is done. */
export const completionOf = (op: Operation, rw: 'r' | 'w'): Completion =>
  (rw === 'r' ? op.reads : op.writes) ?? partOf(op, op.part)

/** Its place among what happens in order without an edge. Takes the place, for an entry of a tensor queue. */
export const placeOf = (
  c: Context,
  a: AgentState,
  e: Issue,
  row: UnitRow,
  number: number,
): Place | undefined => {
  const x = e.stamp.agent
  switch (row.pipeline) {
    case null:
      return undefined
    case 'all':
      return c.options.wgmmaOrder === 'issue' ? inOrder(2 * x, ++a.products, 'mma', false) : undefined
    case 'pairs':
      return listed(a.tensorQueue, 2 * x + 1, number, e.tensor ?? 'mma', e.pipe ?? 0, e.ctaGroup === 2)
  }
}
