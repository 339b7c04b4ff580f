/**
 * Quiet: generations of an mbarrier that no agent looks at any more.
 *
 * C3 asks that events of a generation know those of the one before: else it is a matter of timing which of the two an arrival joins. Where no wait comes afterwards, and each wait before
 * is in order with all of them, it is no matter. What such arrivals publish, no agent receives; which generation they complete, no agent tests; and in each order they leave the same count.
 *
 *     count 2     T0   wait (fresh), ..., copy             T1   arrive, arrive             T2   arrive
 *
 *     two of three arrivals complete generation 0: whichever they are, generation 0 is complete at the end and one arrival of generation 1 has come. T0 has waited before the copy
 *     that T1 and T2 wait for, so it does not sleep in any order
 *
 * | what holds of each event, from a generation on that may change places | why                                                                |
 * |-----------------------------------------------------------------------|--------------------------------------------------------------------|
 * | it is in order with each wait and each test of the barrier            | else the phase may turn once more, or less, before that wait       |
 * | no wait observes its generation                                       | else what that agent acquires is a matter of timing                |
 * | it is an arrival without bytes, for as many as each other one, of which whole ones make a phase | else another order asks for more than a phase has |
 * | it takes none away for good, and the barrier's life does not end      | what comes then depends on who has come                            |
 *
 * It is asked for on request (`Options.quiet`): the comparison of how mutants of PTX end asks for it.
 *
 * Laws
 * 1. Where C3 fails in quiet generations alone, and all else holds, a search of all schedules finds nothing, and the one end of the run.
 * 2. Without the option nothing is kept.
 */
import type { Stamp } from '../../log/events.js'
import type { Knowledge } from './knowledge.js'
import { knowsAttendance } from './lanes.js'

// ---------------------------------------------------------------- model

/** One barrier, in one of its lives. */
export interface Quiet {
  /** the latest wait or test of each lane */
  looks: ReadonlyArray<Stamp>
  /** the first generation from which on every event so far is as the table asks */
  from: number
  /** for how many the latest event has arrived */
  each: number
  /** the first generation with an event that may change places with one of the next; Infinity: none */
  disputed: number
}

// ---------------------------------------------------------------- constructors

export const quiet = (number: number): Quiet => ({ looks: [], from: number, each: 0, disputed: Infinity })

// ---------------------------------------------------------------- combinators

/** A wait, or a test, while a generation is under way; `knowsAll`: its agent knows all that has come of it. */
export const lookedAt = (q: Quiet, stamp: Stamp, number: number, knowsAll: boolean): void => {
  const { agent, lanes } = stamp
  const isOver = (s: Stamp): boolean =>
    s.agent === agent && (lanes === undefined || ((s.lanes ?? -1) & ~lanes) === 0)
  q.looks = [...q.looks.filter((s) => !isOver(s)), stamp]
  q.from = Math.max(q.from, knowsAll ? number : number + 1)
}

/** An event of a generation of a barrier that counts so many, the first of it or not: an arrival for `counted`, or, with 0, another one. */
export const cameTo = (
  q: Quiet,
  number: number,
  isFirst: boolean,
  count: number,
  counted: number,
  knowledge: Knowledge,
  stamp: Stamp,
): void => {
  const isPlain = counted > 0 && count % counted === 0
  const isAfterAll = q.looks.every((look) => knowsAttendance(knowledge, look, stamp))
  const isOther = q.each !== 0 && q.each !== counted
  q.each = counted
  if (!isPlain || !isAfterAll || (isOther && !isFirst)) q.from = Math.max(q.from, number + 1)
  // from its generation on each arrives for as many
  else if (isOther) q.from = Math.max(q.from, number)
}

/** An arrival for good: one phase after the other has one fewer, and which is the first is a matter of timing. */
export const neverQuiet = (q: Quiet): void => {
  q.from = Infinity
}

/** C3 fails of an event, which knows all generations before this one, and not all of this one. */
export const changesPlaces = (q: Quiet, number: number): void => {
  q.disputed = Math.min(q.disputed, number)
}

// ---------------------------------------------------------------- destructors

/** Is it no matter which generation those joined that may change places? */
export const isQuiet = ({ disputed, from }: Quiet): boolean => disputed === Infinity || disputed >= from
