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
 * Two CTAs of a pair (cta_group 2) take the same steps: the n-th allocation or dealloc of the one is the n-th of the other, with as many columns.
 * What one frees, both have freed, so a dealloc must come after the uses of the columns in both CTAs.
 *
 *     CTA 0  alloc 128   alloc 64    dealloc 64   dealloc 128
 *     CTA 1  alloc 128   alloc 32                               the second step differs (T4); the third and fourth are missing (T5)
 *
 * | the n-th steps of a pair                                     | id |
 * |--------------------------------------------------------------|----|
 * | differ                                                       | T4 |
 * | an allocation that the other CTA never makes                 | T4 |
 * | a dealloc that the other CTA never makes: it exits before    | T5 |
 *
 * Columns that are freed and not allocated again are freed twice (T2), if the log says so; the machine refuses to.
 *
 * Laws
 * 1. A program whose uses are all ordered after the allocation gets nothing from here but leaks.
 *
 * Source: PTX ISA, tcgen05.alloc, dealloc.
 */
import type { Alloc, Dealloc, Footprint, Stamp } from '../log.js'
import { bytesIn, startOf } from '../log.js'
import { tmemLanes } from '../../layouts/tensor-memory/geometry.js'
import type { AccessRecord } from './access-record.js'
import { overlap } from './atoms.js'
import { actorOf, doesAccess } from './conflicts.js'
import type { Context } from './context.js'
import { tick } from './context.js'
import { programOf } from './knowledge.js'
import { actor, draft, file, keyOf, planeName, agentName } from './report.js'

// ---------------------------------------------------------------- model

export interface Allocation {
  readonly stamp: Stamp
  readonly footprint: Footprint
}
/** One step of a pair's CTA. */
interface PairStep {
  readonly kind: 'alloc' | 'dealloc'
  readonly columns: number
  readonly stamp: Stamp
}
/** What was freed, and what the agent that did it knew. */
interface Freed {
  readonly stamp: Stamp
  readonly footprint: Footprint
  readonly order: ReadonlyArray<number>
}
/** Updated in place. */
export interface Allocations {
  readonly live: Allocation[]
  /** by footprint and by the CTA that freed it */
  readonly gone: Map<string, Freed>
  /** by CTA */
  readonly steps: Map<number, PairStep[]>
}

export const allocations = (): Allocations => ({ live: [], gone: new Map(), steps: new Map() })
export const forget = (all: Allocations): void => {
  all.live.length = 0
  all.gone.clear()
  all.steps.clear()
}

// ---------------------------------------------------------------- pairs

/** The number of columns of an allocation: all lanes of them, four bytes each. */
const columnsOf = (f: Footprint): number => bytesIn(f.spans) / (4 * tmemLanes)

const showStep = (s: PairStep): string => `${s.kind} of ${String(s.columns)} columns`

/** T4: the step that a CTA of a pair takes is not the one that the other has taken in its place. */
const inStep = (c: Context, all: Allocations, kind: PairStep['kind'], e: Alloc | Dealloc): void => {
  if (e.ctaGroup !== 2) return
  const cta = c.header.planes[e.footprint.plane]?.cta ?? 0
  const mine = all.steps.get(cta) ?? []
  all.steps.set(cta, mine)
  const step: PairStep = { kind, columns: columnsOf(e.footprint), stamp: e.stamp }
  mine.push(step)
  const other = all.steps.get(cta ^ 1)?.[mine.length - 1]
  if (other !== undefined && (other.kind !== kind || other.columns !== step.columns))
    file(c.report, keyOf('T4', other.stamp, e.stamp), () =>
      draft(
        'T4',
        'E',
        `the CTAs of a pair take different steps: ${showStep(other)} and ${showStep(step)}`,
        actor(other.stamp, `${other.kind}s for the pair`),
        actor(e.stamp, `${kind}s for the pair`),
      ),
    )
}

/** T4 and T5: the steps of one CTA that the other has not taken by the end. */
export const outOfStep = (c: Context, all: Allocations): void => {
  for (const [cta, mine] of all.steps) {
    const theirs = all.steps.get(cta ^ 1) ?? []
    for (const step of mine.slice(theirs.length)) {
      const id = step.kind === 'alloc' ? 'T4' : 'T5'
      const last = theirs[theirs.length - 1]
      file(c.report, keyOf(id, step.stamp, last?.stamp), () =>
        draft(
          id,
          'E',
          `CTA ${String(cta ^ 1)} ${id === 'T4' ? 'never takes part in the' : 'exits before its part in the'} ${showStep(step)}`,
          actor(step.stamp, `${step.kind}s for the pair`),
          last === undefined ? undefined : actor(last.stamp, `${last.kind}s for the pair, the last time`),
        ),
      )
    }
  }
}

/** The columns at the same place in the other CTA of the pair. */
export const ofPeer = (c: Context, all: Allocations, f: Footprint): Footprint | undefined => {
  const peer = (c.header.planes[f.plane]?.cta ?? 0) ^ 1
  const isIt = (g: Footprint): boolean =>
    c.header.planes[g.plane]?.cta === peer &&
    startOf(g.spans) === startOf(f.spans) &&
    g.spans.list.length === f.spans.list.length
  const alive = all.live.find((a) => isIt(a.footprint))
  if (alive !== undefined) return alive.footprint
  for (const gone of all.gone.values()) if (isIt(gone.footprint)) return gone.footprint
  return undefined
}

// ---------------------------------------------------------------- combinators

export const allocated = (c: Context, all: Allocations, e: Alloc): void => {
  tick(c, e.stamp)
  inStep(c, all, 'alloc', e)
  all.live.push({ stamp: e.stamp, footprint: e.footprint })
}

const unordered = (a: Allocation, order: ReadonlyArray<number>): boolean =>
  order[programOf(a.stamp.agent)]! < a.stamp.at

/** D4: an access by whoever is not ordered after the allocation. */
export const beforeAllocated = (
  c: Context,
  all: Allocations,
  r: AccessRecord,
  order: ReadonlyArray<number>,
): void => {
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
          `${agentName(c.header, r.stamp.agent)} knows ${agentName(c.header, a.stamp.agent)} up to its event ${String(order[programOf(a.stamp.agent)]!)} (the allocation is ${String(a.stamp.at)})`,
        ),
      )
  }
}

/** U2: an operation that was issued without knowing of a dealloc, and acts after it. */
export const afterFreed = (
  c: Context,
  all: Allocations,
  r: AccessRecord,
  order: ReadonlyArray<number>,
): void => {
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
        plane: planeName(c.header, r.footprint.plane),
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

const goneKey = (f: Footprint, by: number): string => `${String(f.id)}/${String(by)}`

/** The columns are gone, also the peer's of an allocation by a pair; whoever frees them must know that they were there. */
export const freed = (
  c: Context,
  all: Allocations,
  e: Dealloc,
  order: ReadonlyArray<number>,
  peer: Footprint | undefined,
): void => {
  const { live, gone } = all
  inStep(c, all, 'dealloc', e)
  const by = c.header.agents[e.stamp.agent]?.cta ?? 0
  const before = gone.get(goneKey(e.footprint, by))
  if (before !== undefined && !live.some((a) => a.footprint.id === e.footprint.id))
    file(c.report, keyOf('T2', before.stamp, e.stamp), () =>
      draft(
        'T2',
        'E',
        'frees tensor memory that has been freed',
        actor(before.stamp, 'deallocates'),
        actor(e.stamp, 'deallocates again'),
      ),
    )
  gone.set(goneKey(e.footprint, by), { stamp: e.stamp, footprint: e.footprint, order: order.slice() })
  if (peer !== undefined)
    gone.set(goneKey(peer, by), { stamp: e.stamp, footprint: peer, order: order.slice() })
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

/** T1: what nobody has freed. What the other CTA of a pair has freed is T5 already. */
export const leaked = (c: Context, all: Allocations): void => {
  outOfStep(c, all)
  const half = (a: Allocation): boolean => {
    for (const f of all.gone.values()) if (f.footprint.id === a.footprint.id) return true
    return false
  }
  for (const a of all.live.filter((one) => !half(one)))
    file(c.report, keyOf(`T1|${String(a.footprint.plane)}`, a.stamp, undefined), () =>
      draft('T1', 'E', 'allocates tensor memory that nobody frees', actor(a.stamp, 'allocates')),
    )
}
