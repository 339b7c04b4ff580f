/** Addresses as operations of lanes have them: the words of each lane, in a state space. */
import type { Row } from '../../machine/warp-stand.js'

/** `shared`: of the CTA itself; `sharedCluster`: of any CTA of the cluster. */
export type Space = 'global' | 'shared' | 'sharedCluster' | 'local' | 'const' | 'param' | 'generic'

/** A place in memory, lane by lane: the word or two words of `rows`, and bytes behind them. */
export interface Address {
  readonly space: Space
  readonly rows: ReadonlyArray<Row>
  readonly offset: number
}
