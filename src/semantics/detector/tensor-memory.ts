/**
 * Tensor memory that is allocated: who did, and who may count on it.
 *
 * An allocation is an event of one agent. Whoever uses the columns, or frees them, must be ordered after it: otherwise another schedule
 * finds nothing there. Order alone is asked for. What is still allocated at the end of its cluster is leaked.
 *
 *     T  alloc 128          T: order T=1
 *     M  mma D              M: order T=0: not ordered (D4)
 *     M  sync with T; mma D M: order T=2: fine
 *
 * A log that says nothing of allocations is judged without them.
 *
 * Laws
 * 1. A program whose uses are all ordered after the allocation gets nothing from here but leaks.
 *
 * Source: PTX ISA, tcgen05.alloc, dealloc.
 */
import type { Alloc, Dealloc, Footprint, Stamp } from '../log.js'
import type { AccessRecord } from './access-record.js'
import { overlap } from './atoms.js'
import { actorOf, doesAccess } from './conflicts.js'
import type { Context } from './context.js'
import { tick } from './context.js'
import { programOf } from './knowledge.js'
import { actor, draft, file, keyOf, planeName } from './report.js'

// ---------------------------------------------------------------- model

export interface Allocation {
  readonly stamp: Stamp
  readonly footprint: Footprint
}
/** Updated in place. */
export type Allocations = Allocation[]

// ---------------------------------------------------------------- combinators

export const allocated = (c: Context, live: Allocations, e: Alloc): void => {
  tick(c, e.stamp)
  live.push({ stamp: e.stamp, footprint: e.footprint })
}

const unordered = (a: Allocation, order: Int32Array): boolean =>
  order[programOf(a.stamp.agent)]! < a.stamp.at

/** D4: an access by whoever is not ordered after the allocation. */
export const beforeAllocated = (
  c: Context,
  live: Allocations,
  r: AccessRecord,
  order: Int32Array,
): void => {
  for (const a of live) {
    if (a.footprint.plane !== r.footprint.plane || !unordered(a, order)) continue
    const shared = overlap(a.footprint.spans, r.footprint.spans)
    if (shared.length > 0)
      file(c.report, keyOf('alloc', a.stamp, r.stamp), () =>
        draft(
          'D4',
          'E',
          `${doesAccess(r)} tensor memory and is not ordered after its allocation`,
          actor(a.stamp, 'allocates'),
          actorOf(r),
          { plane: planeName(c.header, r.footprint.plane), spans: shared },
        ),
      )
  }
}

/** The columns are gone; whoever frees them must know that they were there. */
export const freed = (c: Context, live: Allocations, e: Dealloc, order: Int32Array): void => {
  const at = live.findIndex((a) => a.footprint.id === e.footprint.id)
  if (at < 0) return
  const a = live[at]!
  if (unordered(a, order))
    file(c.report, keyOf('alloc', a.stamp, e.stamp), () =>
      draft(
        'D4',
        'E',
        'frees tensor memory and is not ordered after its allocation',
        actor(a.stamp, 'allocates'),
        actor(e.stamp, 'deallocates'),
      ),
    )
  live.splice(at, 1)
}

/** T1: what nobody has freed. */
export const leaked = (c: Context, live: Allocations): void => {
  for (const a of live)
    file(c.report, keyOf(`T1|${String(a.footprint.plane)}`, a.stamp, undefined), () =>
      draft('T1', 'E', 'allocates tensor memory that nobody frees', actor(a.stamp, 'allocates')),
    )
}
