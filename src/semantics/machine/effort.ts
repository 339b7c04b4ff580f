/**
 * Effort: what agents compute between two effects.
 *
 * Events are counted by the run; what happens between them is not seen by anybody, and could go on for ever: a loop without an
 * effect, a tile as large as memory. So it is counted in *ticks*, about a third of a microsecond each, and stopped.
 *
 * | work                                             | ticks                 |
 * |--------------------------------------------------|-----------------------|
 * | a statement, a turn of a loop, the end of a region | 1                   |
 * | a tile of n elements made by an expression       | n / 16                |
 * | a reduction of n elements                        | 4 n                   |
 * | a footprint of n elements, when it is new        | n / 4                 |
 * | an access of n elements, a copy of n bytes       | n / 16                |
 * | a product of n multiplications                   | n / 256               |
 * | a cluster of n agents and barriers               | 2 n^2                 |
 *
 * An agent whose control takes `endless` steps without an effect has the fault `loop.endless`; a warp, whose steps compute little, after as many ticks. A run as a whole has a limit, from its
 * fuel; beyond it every evaluation is a fault `fuel`, and the run says `outOfFuel`. Outside of a run there is no limit.
 *
 * It is the one part of a world that changes, beside the numbering of footprints, and nothing that is computed depends on it.
 *
 * Laws
 * 1. A run with fuel f ends after at most f events and in a time linear in f, whatever the program.
 * 2. A run that ends within its fuel is the same with any more.
 */
import { lookAfter } from './looks.js'
import { fault, type FaultValue } from './value.js'

export interface Effort {
  spent: number
  limit: number
}

/** Ticks that count as an event. */
export const ticksOfEvent = 64
/** Ticks of a run with fuel for so many events; a short run may compute as well. */
export const fuelTicks = (fuel: number): number => ticksOfEvent * fuel + 2 ** 18
/** Steps, or ticks of a warp, between two effects of an agent. */
export const endless: number = 2 ** 21
/** Ticks for all agents of a cluster to come to their first effect, before a run has said how much fuel there is. */
export const launching: number = 2 ** 22

export const effort = (): Effort => ({ spent: 0, limit: Infinity })

/** Spends; true as long as there is something left. */
export const spend = (e: Effort, ticks: number): boolean => {
  e.spent += ticks
  lookAfter(ticks)
  return e.spent <= e.limit
}

export const outOfFuel: FaultValue = fault('fuel', 'more is computed here than the run may compute')

/** Runs `work` under a limit of its own, within the one that holds. */
export const within = <A>(e: Effort, ticks: number, work: () => A): A => {
  const outer = e.limit
  e.limit = Math.min(outer, e.spent + ticks)
  const done = work()
  e.limit = outer
  return done
}
