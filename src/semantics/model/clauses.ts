/** The clauses by name (see the table; filled in below). */
import type { Judging } from './judging.js'
import * as Order from './order.js'
import * as Visible from './visible.js'
import type { Reading } from './reading.js'
import type { Arrow } from './views.js'

export interface ArrowClause {
  readonly id: string
  readonly arrows: (r: Reading) => ReadonlyArray<Arrow>
}

export const arrowClauses: ReadonlyArray<ArrowClause> = [
  { id: 'program', arrows: Order.program },
  { id: 'issue', arrows: Order.issue },
  { id: 'fork', arrows: Order.fork },
  { id: 'arrive', arrows: Order.arrive },
  { id: 'complete', arrows: Order.complete },
  { id: 'commit', arrows: Order.commit },
  { id: 'copies', arrows: Order.copies },
  { id: 'group', arrows: Order.group },
  { id: 'meet', arrows: Order.meet },
  { id: 'semaphore', arrows: Order.semaphore },
  { id: 'proxy-fence', arrows: Visible.proxyFence },
  { id: 'register-fence', arrows: Visible.registerFence },
  { id: 'map-fence', arrows: Visible.mapFence },
  { id: 'init-fence', arrows: Visible.initFence },
  { id: 'thread-sync', arrows: Visible.threadSync },
]

export const arrowsOf = (r: Reading, { has }: Judging): ReadonlyArray<Arrow> =>
  arrowClauses.flatMap((c) => (has(c.id) ? c.arrows(r) : []))
