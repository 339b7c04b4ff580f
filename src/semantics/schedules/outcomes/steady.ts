/**
 * Steady: waits and reads of words that decide, and that need not be tried in turn with what others do.
 *
 *     A: count 1, wait until count is 2, add       once B has counted A's wait is over, whatever B does next: so it goes on at once
 *     B: count 1, wait until count is 2, add       and so does B's; in turn they would be 2^n states of n blocks that leave
 *
 *     A: g = sense; fence; count ...               who sets `sense` knows that all have counted, and so of all these reads:
 *     B: the same                                  none of them can find what is set. They go first, one after the other
 *
 * | law                                                                                                                  | asked of      | otherwise                       |
 * |----------------------------------------------------------------------------------------------------------------------|---------------|---------------------------------|
 * | S1 a wait that is over stays so: every write of the word that does not know of the wait leaves what lets it pass       | every path    | waits for that word are tried in turn |
 * | S2 nothing comes of the word that it finds, but that it is over (`unheeded` of `warps/spins.ts`)                       | the program   | it is tried in turn             |
 * | S3 no read is overtaken: every write of its words knows of it                                                         | every path    | reads of these words are tried in turn |
 * | S4 a read that goes alone is on no way that comes back to where it was                                                | every path    | the same                        |
 *
 * Why that is enough. Let e be such a wait, or read, on offer in a state, and take any run from there. Nothing before e in it undoes e: a write that did would not know of e, as e has not
 * happened, and S1 or S3 would fail in that run, or in one that differs by when e happens. So e can happen first, and all that follows happens as it did; what e has found
 * is the same (S3, with the older writes that it may take as well), or nothing comes of it (S2). What differs is what its agent has heard: first it hears no more than later. Who knows
 * less finds all that who knows more finds, and may take every write that that one may take.
 *
 * S1, S3 and S4 are looked at in hindsight, on all that is followed: where one fails the search begins again and tries these words in turn. That a first failure is followed at all is the same
 * argument, up to it.
 *
 * Laws
 * 1. With steady waits and reads or without, the same is found: something, or nothing.
 */
import type { Footprint } from '../../log/events.js'
import { addressesIn } from '../../log/events.js'
import type { Prepared } from '../../machine/operation.js'
import type { Offered } from '../../execution/step.js'

export interface Steady {
  /** words that some wait was for which would not be over behind a write that may come before it */
  readonly unsteady: Set<string>
  /** words that some read has asked which a later write does not know */
  readonly overtaken: Set<string>
  /** nothing is taken to be steady */
  readonly none: boolean
}

export const steady = (none: boolean): Steady => ({ unsteady: new Set(), overtaken: new Set(), none })

/** Words of memory that an instruction names, by plane and byte. */
export const wordsIn = (f: Footprint): ReadonlyArray<string> => {
  if (f.map._tag !== 'scatter') return []
  const out: string[] = []
  for (const byte of addressesIn(f.map)) if (byte >= 0) out.push(`${String(f.plane)}+${String(byte)}`)
  return out
}

/** A wait that nothing undoes. */
export const isSteadyWait = ({ unsteady, none }: Steady, p: Prepared): boolean =>
  !none &&
  p._tag === 'semaphore' &&
  p.unheeded === true &&
  !wordsIn(p.counter.footprint).some((word) => unsteady.has(word))

/** The words of a read that no write overtakes; none: it is no such read. */
export const steadyRead = (
  { overtaken, none }: Steady,
  { operation, ready }: Offered,
): ReadonlyArray<string> => {
  if (none || operation !== null || ready?._tag !== 'do' || ready.prepared._tag !== 'load') return []
  const { strong, source } = ready.prepared
  if (strong?.decides !== true) return []
  const words = wordsIn(source.footprint)
  return words.some((word) => overtaken.has(word)) ? [] : words
}
