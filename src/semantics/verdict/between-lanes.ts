/**
 * Findings between lanes of one warp, which a search of schedules cannot confirm.
 *
 * A search follows agents, and a warp is one agent: it never puts one lane before another. So if a search of all schedules finds nothing, the findings that exist only
 * because lanes are judged as threads are still open. They are those that the same run does not have when each warp acts as one thread.
 *
 * Law 1. Where nothing was found and the conditions of barriers hold, nothing is between lanes.
 */
import type { Diagnosis, Judgement } from '../judging/finding.js'

/** Of arrivals, waits and what they announce. That one order of strong accesses was followed (C1) is said beside an `ok`. */
const ofBarriers = ['C3', 'C4', 'C6'] as const

/** What is of lanes alone: a search follows warps, so it does not look for it. */
export interface BetweenLanes {
  readonly findings: ReadonlyArray<Diagnosis>
  /** a condition of barriers fails by lanes, so that other generations are possible */
  readonly fails: boolean
}
export const noneBetweenLanes: BetweenLanes = { findings: [], fails: false }

/** Of what two agents' own events do to one another: is it one agent, whose lanes have no order? */
const isOfOneWarp = ({ a, b }: Diagnosis): boolean =>
  b !== undefined && a.index === b.index && a.operation === undefined && b.operation === undefined

/** Findings that are none where a warp acts as one thread, and whether a condition fails that does not fail there, or somewhere else. */
export const betweenLanes = (judgement: Judgement, ofOne: () => Judgement | null): BetweenLanes => {
  const holds = ofBarriers.every((name) => judgement.conditions[name].holds)
  if (judgement.findings.length === 0 && holds) return noneBetweenLanes
  const asOne = ofOne()
  if (asOne === null) return noneBetweenLanes
  const nameOf = ({ id, a, b }: Diagnosis): string =>
    [id, a.agent, a.site, b?.agent ?? '', b?.site ?? ''].join('|')
  const notIn = (known: ReadonlyArray<Diagnosis>) => {
    const names = new Set(known.map(nameOf))
    return (f: Diagnosis): boolean => !names.has(nameOf(f))
  }
  const fails = ofBarriers.some((name) => {
    const [here, there] = [judgement.conditions[name], asOne.conditions[name]]
    return (
      !here.holds &&
      (there.holds || here.findings.some(isOfOneWarp) || here.findings.some(notIn(there.findings)))
    )
  })
  return { findings: judgement.findings.filter(notIn(asOne.findings)), fails }
}
