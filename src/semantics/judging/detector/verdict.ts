/**
 * From a judgement to one word.
 *
 * | first that applies                       | verdict   |
 * |------------------------------------------|-----------|
 * | the run is stuck                         | deadlock  |
 * | something is found                       | hazard    |
 * | one of C1 to C6 fails                    | undecided |
 * | else                                     | ok        |
 *
 * Laws
 * 1. `ok` stands for every schedule (the theorem of docs/hazards.md).
 * 2. `settled` turns a hazard that is only a candidate into `undecided`: C3, C6 or the lower half of C4 fails or the order of allocations is not fixed, and nothing found is a fault.
 *
 * Why not the upper half of C4 (a generation can complete before some wait has seen the one before): take of the run what the two accesses of a race know of, in the order of
 * the run. Whatever is left out has completed no generation, and no wait in it has been for that, so that all of it happens as it did, and both accesses are next.
 */
import type { Judgement } from '../finding.js'
import { hazards } from '../hazards.js'

export type Verdict = 'ok' | 'hazard' | 'deadlock' | 'undecided'

export const allHold = (j: Judgement): boolean =>
  j.conditions.C1.holds &&
  j.conditions.C2.holds &&
  j.conditions.C3.holds &&
  j.conditions.C4.holds &&
  j.conditions.C5.holds &&
  j.conditions.C6.holds

/** What this one run shows. */
export const verdictOf = (j: Judgement): Verdict =>
  j.deadlock.length > 0 ? 'deadlock' : j.findings.length > 0 ? 'hazard' : allHold(j) ? 'ok' : 'undecided'

/** What may be said of all schedules. */
export const settledVerdictOf = (j: Judgement): Verdict => {
  const v = verdictOf(j)
  return v === 'hazard' && j.candidates && !j.findings.some((f) => hazards[f.id].fault) ? 'undecided' : v
}
