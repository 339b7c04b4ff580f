/**
 * Budget: what other schedules may cost, where one run does not decide; and other data, where data decide and were not given.
 *
 * It is counted in events and never in time, so a verdict is the same on every machine and with any number of threads. An event of a run is the unit. What is
 * dearer is counted as several:
 *
 * | work                                                        | events                                         |
 * |-------------------------------------------------------------|------------------------------------------------|
 * | a run                                                       | its steps, or its effort by `machine/effort.ts` if that is more |
 * | a state of a search of all schedules                        | 32: it is compared with all others             |
 * | a state in which the order of what decides is followed      | 75: the detector has heard all that led to it  |
 *
 * A run that follows costs about what the first has cost, so it is known beforehand whether it can be paid.
 *
 * Laws
 * 1. A larger budget decides whatever a smaller one does.
 * 2. What is spent is at most the budget, and one run.
 */
import { ticksOfEvent } from '../machine/effort.js'
import type { OutcomesBounds } from '../schedules/outcomes/index.js'

/** In events; `Infinity`: as far as the bounds of the searches let it go. */
export type Budget = number

/** Some seconds of one ordinary core. */
export const standardBudget: Budget = 300_000

const eventsOfState = 32
const eventsOfOutcome = 75
/** Events of the paths to such states, which are heard and not run. */
const heardForEvent = 1

export const priceOfRun = (steps: number, ticks: number): number =>
  Math.max(1, steps, Math.ceil(ticks / ticksOfEvent))

/** Of so many runs at this price the first that can be paid. */
export const affordable = <A>(runs: ReadonlyArray<A>, price: number, budget: Budget): ReadonlyArray<A> =>
  runs.slice(0, Math.floor(budget / price))

/** States of a search of all schedules. */
export const statesFor = (budget: Budget): number => Math.max(0, Math.floor(budget / eventsOfState))
export const priceOfStates = (states: number): number => states * eventsOfState

export const priceOfOutcomes = (states: number): number => states * eventsOfOutcome

/** How far the orders of what decides are followed: as far as the usual bounds at most. */
export const outcomesFor = (budget: Budget, usual: OutcomesBounds): OutcomesBounds => ({
  states: Math.min(usual.states, Math.floor(budget / eventsOfOutcome)),
  events: Math.min(usual.events, budget * heardForEvent),
})
