/**
 * Foresight: how long the run of a grid will be, by a scout of its first cluster.
 *
 * Clusters that run one after another are mostly of one length. So one of them is run alone, without a judge, before the grid is: what is too long is told before it begins, and not
 * when its fuel has been used up.
 *
 *     ring, 2,048 CTAs     the first: 7,344 events     the grid: some 15,000,000
 *
 * | not foreseen                             | because                                     |
 * |------------------------------------------|---------------------------------------------|
 * | a grid of few clusters                   | the scout would be a good part of the run   |
 * | clusters that run together               | one of them does not come to its end alone  |
 * | a first cluster that does not come to its end | the run says why                       |
 *
 * Law 1. Of a grid whose clusters all have as many events as the first, what is foreseen is what the run has.
 */
import * as Run from '../execution/run.js'
import type { Launched } from '../execution/launch.js'
import type { AnyPolicy } from '../execution/policy.js'
import { visiting } from './classes.js'

/** From so many clusters on it is worth a scout. */
const leastClusters = 16

export interface Foreseen {
  /** of all clusters */
  readonly events: number
  readonly clusters: number
}

/** Null: not foreseen. */
export const foresee = (launched: Launched, policy: AnyPolicy, fuel: number): Foreseen | null => {
  const { clusterCount, resident, visits } = launched.world
  if (clusterCount < leastClusters || resident > 1 || visits !== null) return null
  const begins = visiting(launched, [0])
  if (begins === null) return null
  const { outcome, steps } = Run.run(
    begins.world,
    begins.machine,
    { policy, fuel, keepSchedule: false, transient: true, ahead: false },
    Run.ignore,
  )
  return outcome._tag === 'completed' ? { events: clusterCount * (steps + 1), clusters: clusterCount } : null
}
