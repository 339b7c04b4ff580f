/**
 * Exchanges of the lanes of a warp: what they say of order, though they order no memory.
 *
 * A lane cannot give to a shuffle what it does not have. So a load whose value went into it is over for all who took part, and so is a wait that came before it; a store is
 * not, and what was stored need not be found.
 *
 *     load m (all lanes)   shuffle of what was loaded   store m (lane 0)      in order: all have loaded
 *     store m (lane 0)     shuffle                      load m (lane 5)       not in order
 *
 * Law 1. `withExchange` keeps, of equal exchanges, the latest.
 *
 * Source: PTX ISA, shfl.sync, vote.sync, match.sync.
 */

/** These lanes have exchanged what they had loaded at these sites, before this event of their warp. */
export interface Exchange {
  readonly lanes: number
  readonly before: number
  readonly loads: ReadonlySet<number>
}

/** The latest of each kind says all. */
export const withExchange = (all: ReadonlyArray<Exchange>, x: Exchange): ReadonlyArray<Exchange> => [
  x,
  ...all.filter(
    (y) =>
      y.lanes !== x.lanes || y.loads.size !== x.loads.size || [...y.loads].some((site) => !x.loads.has(site)),
  ),
]

/** Has each of these lanes given the others what it had loaded there (null: or has waited) at that event? */
export const isExchanged = (
  all: ReadonlyArray<Exchange>,
  lanes: number,
  at: number,
  site: number | null,
): boolean =>
  all.some((x) => at < x.before && (lanes & ~x.lanes) === 0 && (site === null || x.loads.has(site)))
