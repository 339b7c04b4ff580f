/**
 * Sums that all come to: barriers of a grid, round after round, of which one run says what each order does.
 *
 *     every CTA: add 1, wait until there are n       it may be in its second round, and have added, before the wait of another is over in the first
 *
 *     CTA 0: old = add 0x80000000 - (n - 1)          whichever of them comes first, each finds less than 0x80000000, and the n-th leaves it:
 *     others: old = add 1                            so the sign that each has found is the same in every order, and each wait needs all n
 *     all: wait until the sign differs from old's
 *
 * Sums of words commute. What a word may hold is what is there in every order, and some of what is added without one: from a number on (`low`) to one that is greater by all of
 * that. If the comparison says the same at both ends, and the highest bit does not turn between them, it says so of all that is between.
 *
 * | asked                                                                                              | of                                         |
 * |----------------------------------------------------------------------------------------------------|--------------------------------------------|
 * | R1 without any of the writes that it does not know a wait is not over                               | a wait, when it passes                     |
 * | R2 nothing comes of the word, but that the wait is over                                             | a wait that some later write does not know |
 * | R3 such a write comes behind all that the wait has needed                                           | the same                                   |
 * | R4 with all such writes, and with any of them, the wait is over                                     | the same                                   |
 * | R5 the sign is the same with any of what is added that does not come behind it, and that it does not come behind | a sum of which the sign is used |
 *
 * A write comes behind another if it knows it, or if it knows of a wait for the word that has found it.
 *
 * Why that is enough. Let each wait have found the writes A in the run, and take any other run. Of its waits take the first that has not found all of its A. It is over, so by R1 it
 * has found something that is not in A. That does not know of the wait: what makes it known are waits that came before, which have found all of theirs. So R3 holds of it, and
 * what it comes behind are all of A: of these, too, waits have told that came before. So each wait finds A and more: it hears no less, and goes on in the same way (R2, R4), and so
 * does who has asked for a sign (R5). What each agent knows is no less than in the run, so there is no race that the run does not have.
 *
 * Laws
 * 1. `isOneSign` holds just if the highest bit of `low`, and of that and each number up to `more` more, is the same.
 * 2. A wait that `needsAll` passes on all that is added, and on no smaller part of it.
 */
import type { Comparison } from '../../log/events.js'
import { holds } from '../../log/comparison.js'
import type { Left } from './strong-state.js'

/** What a word may hold: at least this, and any part of that more. */
export interface Sums {
  readonly low: number
  readonly added: ReadonlyArray<number>
}

const half = 2 ** 31

export const addedBy = ({ before, after }: Pick<Left, 'before' | 'after'>): number => (after - before) >>> 0

/** What may have been there, of these writes, for one who knows some of them; `before`: what the last has left; null: that is not known. */
export const sumsIn = (
  left: ReadonlyArray<Left>,
  isKnown: (write: Left) => boolean,
  before: number,
): Sums | null => {
  const from = left.findIndex((l) => !isKnown(l))
  const tail = from < 0 ? [] : left.slice(from)
  const start = tail[0]?.before ?? before
  if (Number.isNaN(start) || tail.some((l) => !l.adds || Number.isNaN(l.before) || Number.isNaN(l.after)))
    return null
  let low = start
  const added: number[] = []
  for (const l of tail)
    if (isKnown(l)) low += addedBy(l)
    else added.push(addedBy(l))
  return { low: low >>> 0, added }
}

export const total = (all: ReadonlyArray<number>): number => all.reduce((sum, x) => sum + x, 0)

/** Is the sign the same with nothing more, with so much more, and with anything between? */
export const isOneSign = (low: number, more: number): boolean => ((low >>> 0) % half) + more < half

export const isOfSign = (until: Comparison | undefined): boolean => until === 'os' || until === 'ss'

/** Is a wait over as well with so much more, and with anything between? */
export const stays = (
  { until, before }: { readonly until: Comparison; readonly before: number },
  more: number,
): boolean => {
  switch (until) {
    case 'os':
    case 'ss':
      return isOneSign(before, more)
    case 'ge':
    case 'gt':
      return (before | 0) + more < half
    case 'hs':
    case 'hi':
      return (before >>> 0) + more < 2 * half
    case 'eq':
    case 'ne':
    case 'lt':
    case 'le':
    case 'lo':
    case 'ls':
    case 'sc':
    case 'nc':
      return false
  }
}

/** Does a wait for a sign need all that is added? It passes with all of it. */
export const needsAll = ({ low, added }: Sums, until: Comparison | undefined, value: number): boolean =>
  added.length === 0 ||
  (until !== undefined &&
    !holds(until, low | 0, value) &&
    isOneSign(low, total(added) - added.reduce((a, b) => Math.min(a, b))))
