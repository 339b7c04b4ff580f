/**
 * Activity: what each lane of a warp has done last, by the clocks that count it.
 *
 * A lane that has done nothing since others met it keeps nothing from them (`strands.ts`). Warps mostly act with one set of lanes for long, so the last set is kept as it
 * is, and dealt to its lanes when another one acts.
 *
 * Law 1. `lastOf(a, lane)` is the largest number that `does` was given with that lane.
 */

/** The lanes of a whole warp. */
export const allLanes = -1

export interface Doings {
  lanes: number
  at: number
  readonly last: Int32Array
}

export interface Activity {
  /** accesses, and arrivals at barriers, by the program counter */
  readonly accesses: Doings
  /** waits and arrivals, by the program counter */
  readonly attended: Doings
  /** cp.async copies, and bulk groups that hold a copy, by their numbers */
  readonly copies: Doings
  readonly bulk: Doings
  /** strong accesses, and those of them that write, by the program counter */
  readonly strong: Doings
  readonly told: Doings
}

const doings = (): Doings => ({ lanes: 0, at: 0, last: new Int32Array(32) })
export const activity = (): Activity => ({
  accesses: doings(),
  attended: doings(),
  copies: doings(),
  bulk: doings(),
  strong: doings(),
  told: doings(),
})

export const does = (d: Doings, lanes: number, at: number): void => {
  if (d.lanes !== lanes) {
    for (let lane = 0; lane < 32; lane++) if (((d.lanes >>> lane) & 1) === 1) d.last[lane] = d.at
    d.lanes = lanes
  }
  d.at = at
}

export const lastOf = (d: Doings, lane: number): number =>
  ((d.lanes >>> lane) & 1) === 1 ? d.at : d.last[lane]!
