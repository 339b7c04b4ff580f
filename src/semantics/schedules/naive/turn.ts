/**
 * What one expansion of a state is given and what it says: the successors, the accesses that are offered, and what is wrong.
 *
 * The state is read and never written. `next` is one vector for all successors: a move fills it and gives it away at once.
 */
import { STAGE, slotWidth, type Layout, type Step } from './layout.js'
import type { Choice, Op } from './skeleton.js'

export type Kind =
  'race' | 'visibility' | 'fault' | 'deadlock' | 'exit' | 'gone' | 'early' | 'refused' | 'unwritten'

/** An access that a state offers. */
export interface Offer {
  readonly agent: number
  readonly index: number
  readonly op: Op
  readonly reads: number
  readonly writes: number
}
/** A strong access of a word that a state offers. */
export interface Told {
  readonly agent: number
  readonly index: number
  readonly word: number
  readonly own: number
  readonly writes: boolean
}

export interface Expansion {
  readonly state: Int32Array
  readonly next: Int32Array
  readonly report: (kind: Kind, what: string) => void
  readonly offer: (x: number, i: number, reads: number, writes: number) => void
  readonly tell: (told: Told) => void
  /** `next` is a successor. */
  readonly emit: (tag: Choice['_tag'], x: number, i: number, part: number) => void
  /** The run ends here: no deadlock. */
  readonly refuse: (x: number, i: number) => void
}

/** An agent whose turn it is: its next operation, and what it sees. */
export interface Turn extends Expansion {
  readonly x: number
  readonly i: number
  readonly step: Step
  readonly view: number
  readonly generic: number
  readonly async: number
  readonly tensor: number
  readonly published: number
  /** The agent goes on by one, with these changes to `next`. */
  readonly taken: (change: () => void) => void
}

/** An operation as the findings name it: `agent.op`. */
export const named = (x: number, i: number): string => `${String(x)}.${String(i)}`
/** Two operations, in the order of their names. */
export const both = (a: string, b: string): string => [a, b].sort().join(' ')

/** The stage of an operation in flight, or of one of its parts. */
export const stageOf =
  ({ steps }: Layout, state: Int32Array) =>
  (x: number, i: number, part: number = 0): number =>
    state[steps[x]![i]!.slot + part * slotWidth + STAGE]!
