/**
 * Tensor memory that is allocated or freed: who did, and who may count on it.
 *
 * An allocation is an event of one agent. Whoever uses the columns, or frees them, must be ordered after it: otherwise another schedule
 * finds nothing there. Order alone is asked for. What is still allocated at the end of its cluster is leaked.
 *
 *     T  alloc 128          T: order T=1
 *     M  mma D              M: order T=0: not ordered (D4)
 *     M  sync with T; mma D M: order T=2: fine
 *
 * A dealloc is held against what came before it in the log atom by atom (`memory.ts`). An operation that is still in flight then comes after
 * it in the log, without knowing of it: it is not over when its columns are freed (U2), all the same. A load whose agent is known to have
 * gone on counts as over, unless `strict`.
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
/** What was freed, and what the agent that did it knew. */
interface Freed {
  readonly stamp: Stamp
  readonly footprint: Footprint
  readonly order: Int32Array
}
/** Updated in place. */
export interface Allocations {
  readonly live: Allocation[]
  readonly gone: Map<number, Freed>
}

export const allocations = (): Allocations => ({ live: [], gone: new Map() })
export const forget = (all: Allocations): void => {
  all.live.length = 0
  all.gone.clear()
}

// ---------------------------------------------------------------- combinators

export const allocated = (c: Context, all: Allocations, e: Alloc): void => {
  tick(c, e.stamp)
  all.live.push({ stamp: e.stamp, footprint: e.footprint })
}

const unordered = (a: Allocation, order: Int32Array): boolean => order[programOf(a.stamp.agent)]! < a.stamp.at

/** D4: an access by whoever is not ordered after the allocation. */
export const beforeAllocated = (c: Context, all: Allocations, r: AccessRecord, order: Int32Array): void => {
  for (const a of all.live) {
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

/** U2: an operation that was issued without knowing of a dealloc, and acts after it. */
export const afterFreed = (c: Context, all: Allocations, r: AccessRecord, order: Int32Array): void => {
  for (const f of all.gone.values()) {
    if (f.footprint.plane !== r.footprint.plane || order[programOf(f.stamp.agent)]! >= f.stamp.at) continue
    const shared = overlap(f.footprint.spans, r.footprint.spans)
    if (shared.length === 0) continue
    const { agent, at } = r.stamp
    if (!c.options.strict && r.unit === 'tcgen05Ld' && f.order[programOf(agent)]! > at)
      notWaitedFor(c, r, f.stamp)
    else notOver(c, r, f.stamp, f.footprint)
  }
}

/** U2 */
export const notOver = (c: Context, r: AccessRecord, by: Stamp, footprint: Footprint): void =>
  file(c.report, keyOf('dealloc', r.stamp, by), () =>
    draft(
      'U2',
      'E',
      `${doesAccess(r)} tensor memory and is not over when it is deallocated`,
      actorOf(r),
      actor(by, 'deallocates'),
      {
        plane: planeName(c.header, footprint.plane),
        spans: overlap(r.footprint.spans, footprint.spans),
      },
    ),
  )

/** M3, as a note: the registers of the load are needed by what the deallocating agent knows of. */
export const notWaitedFor = (c: Context, load: AccessRecord, by: Stamp): void =>
  file(c.report, keyOf('dealloc-note', load.stamp, by), () =>
    draft(
      'M3',
      'L',
      'deallocates before a wait for this load; the use of its registers orders them',
      actorOf(load),
      actor(by, 'deallocates'),
    ),
  )

/** The columns are gone; whoever frees them must know that they were there. */
export const freed = (c: Context, all: Allocations, e: Dealloc, order: Int32Array): void => {
  const { live, gone } = all
  gone.set(e.footprint.id, { stamp: e.stamp, footprint: e.footprint, order: order.slice() })
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
export const leaked = (c: Context, all: Allocations): void => {
  for (const a of all.live)
    file(c.report, keyOf(`T1|${String(a.footprint.plane)}`, a.stamp, undefined), () =>
      draft('T1', 'E', 'allocates tensor memory that nobody frees', actor(a.stamp, 'allocates')),
    )
}
