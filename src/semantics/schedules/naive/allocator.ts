/**
 * The allocator of tensor memory of one CTA, as a history: what its agents have allocated, given back and promised so far, in that order.
 *
 * From the history follows all that an allocator knows, so a state keeps that alone. Columns are taken at the first place that has room; given back is
 * the agent's own newest allocation of so many columns, else the newest of the CTA; nothing larger than the one before, and nothing after a promise, is
 * allocated.
 *
 *     a: alloc 64    b: alloc 32    a: free 64    b: alloc 32        held: 64..96 of b, 0..32 of b; the largest that is left 32
 *
 * Law 1. Columns that are held at one time do not overlap.
 */
import { atomColumns, type Op } from './skeleton.js'

// ---------------------------------------------------------------- model

/** A step of an agent: `alloc`, `free` or `relinquish`. */
export interface Taken {
  readonly agent: number
  readonly op: Op
}
/** Columns that are allocated, and by which agent. */
export interface Held {
  readonly start: number
  readonly columns: number
  readonly agent: number
  /** its place among the allocations of the CTA for its pair, -1 if it is not for the pair */
  readonly nth: number
}
/** What a history comes to. */
export interface Allocator {
  readonly held: ReadonlyArray<Held>
  /** columns of the newest allocation: none is larger from then on */
  readonly largest: number
  readonly closed: boolean
  /** how many allocations it has made for its pair */
  readonly pairs: number
  /** the steps that are a pair's: columns allocated, or given back (negative) */
  readonly steps: ReadonlyArray<number>
}

// ---------------------------------------------------------------- destructors

const allColumns = 512

export const isStep = (op: Op): boolean =>
  op._tag === 'alloc' || op._tag === 'free' || op._tag === 'relinquish'

const firstFit = (held: ReadonlyArray<Held>, count: number): number | null => {
  for (let start = 0; start + count <= allColumns; start += atomColumns)
    if (held.every((h) => start + count <= h.start || h.start + h.columns <= start)) return start
  return null
}

/** Whether so many columns can be had. */
export const grants = ({ held, largest, closed }: Allocator, columns: number): boolean =>
  !closed && columns <= largest && firstFit(held, columns) !== null

/** What an agent gives back. */
export const givenBack = (held: ReadonlyArray<Held>, agent: number, columns: number): Held | undefined => {
  const fitting = held.filter((h) => h.columns === columns)
  const own = fitting.filter((h) => h.agent === agent)
  return own[own.length - 1] ?? fitting[fitting.length - 1]
}

// ---------------------------------------------------------------- constructors

/** After steps that were all granted. */
export const after = (history: ReadonlyArray<Taken>): Allocator => {
  let held: ReadonlyArray<Held> = []
  let largest = allColumns
  let closed = false
  let pairs = 0
  const steps: number[] = []
  for (const { agent, op } of history)
    if (op._tag === 'alloc') {
      const nth = op.ctaGroup === 2 ? pairs++ : -1
      held = [...held, { start: firstFit(held, op.columns)!, columns: op.columns, agent, nth }]
      largest = op.columns
      if (op.ctaGroup === 2) steps.push(op.columns)
    } else if (op._tag === 'free') {
      const gone = givenBack(held, agent, op.columns)
      held = held.filter((h) => h !== gone)
      if (op.ctaGroup === 2) steps.push(-op.columns)
    } else closed = true
  return { held, largest, closed, pairs, steps }
}
