/**
 * What is remembered of a semaphore: per agent its last signal, its last wait, its last wait that took something away, and what it has told.
 *
 *     A: signal s 1    B: wait s >= 1, decrement        signals A, waits B, taken B, told A
 *
 * The rules over it are `semaphores.ts`'s.
 *
 * Law 1. Its size is that of the agents, whatever the length of the log.
 */
import type { Comparison, Stamp } from '../../log/events.js'
import type { Reach } from '../../log/reach.js'
import type { Knowledge } from './knowledge.js'

// ---------------------------------------------------------------- model

export interface Signal {
  readonly stamp: Stamp
  readonly value: number
}
/** What a signal tells, and how far. */
export interface Told {
  readonly knowledge: Knowledge
  readonly reach: Reach
}
export interface SemaphoreState {
  readonly label: string
  /** per agent */
  readonly signals: Array<Signal | undefined>
  readonly waits: Array<Stamp | undefined>
  readonly taken: Array<Stamp | undefined>
  /** its newest signals: none reaches farther than one before it */
  readonly told: Array<ReadonlyArray<Told>>
}
/** By plane and byte. */
export type Semaphores = Map<string, SemaphoreState>

/** What a blocked wait lacks. */
export interface Lacking {
  readonly label: string
  readonly before: number
  readonly value: number
  /** of a wait for a word, whatever is written there */
  readonly until: Comparison | null
  readonly signallers: ReadonlyArray<number>
}
