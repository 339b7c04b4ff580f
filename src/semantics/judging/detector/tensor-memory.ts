/**
 * Tensor memory that is allocated or freed: who did, and who may count on it.
 *
 * An allocation is an event of one agent. A use of the columns, or a dealloc, must be ordered after it: otherwise another schedule
 * finds nothing there. Order alone is asked for. What is still allocated at the end of its cluster is leaked.
 *
 *     T  alloc 128          T: order T=1
 *     M  mma D              M: order T=0: not ordered (D4)
 *     M  sync with T; mma D M: order T=2: fine
 *
 * A dealloc is held against what came before it in the log atom by atom (`memory.ts`). An operation that is still in flight then comes after
 * it in the log, without knowing of it: it is not over when its columns are freed (U2), all the same. Of a load it is M3, and no more than a note where a
 * use of its registers is known to the agent that frees: the registers were there, so the columns had been read. Under `strict` a use is no wait.
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
 * The steps of one allocator must be ordered where their order decides which columns there are (C5); if they are not, what is found is a candidate.
 *
 *     t0  alloc 64          t1  alloc 64              not ordered: each may get columns 0 to 63
 *     t0  dealloc 64        t1  dealloc 64            of what each has allocated: either order will do
 *     t0  dealloc 64        t1  alloc 32              not ordered: the second may find room or none
 *     t0  relinquish        t1  alloc 32              not ordered: the second may be refused
 *
 * Columns that are freed and not allocated again are freed twice (T2), if the log says so; the machine refuses to.
 *
 * Laws
 * 1. A program whose uses are all ordered after the allocation gets nothing from here but leaks.
 *
 * Source: PTX ISA, tcgen05.alloc, dealloc.
 */
import type { Alloc, Dealloc, Footprint, Relinquish, Stamp } from '../../log/events.js'
import { bytesIn, startOf } from '../../log/events.js'
import { tmemLanes } from '../../../layouts/tensor-memory/geometry.js'
import { ofColumns, ofPlane } from '../subject.js'
import { isUsed, type AccessRecord } from './access-record.js'
import { overlap } from './atoms.js'
import { actorOf, whoAccesses } from './conflicts.js'
import { whyOf } from './why.js'
import type { Context } from './context.js'
import { tick } from './context.js'
import { programOf, type Vector } from './knowledge.js'
import type { Draft } from './report.js'
import { actor, agentName, ctaName, draft, fail, file, filed, keyOf, planeName, where } from './report.js'
import { takesStepWith } from './started.js'
import { copyOf, valueAt } from './sparse.js'

// ---------------------------------------------------------------- model

export interface Allocation {
  readonly stamp: Stamp
  readonly footprint: Footprint
  /** its place among the allocations of its CTA */
  readonly nth: number
  /** the other CTA of the pair has freed its part */
  half: boolean
}
/** A step of a CTA's allocator since its last allocation. `own`: a dealloc of what the agent itself has allocated. */
interface AllocatorStep {
  readonly kind: 'alloc' | 'dealloc' | 'relinquish'
  readonly stamp: Stamp
  readonly columns: number
  readonly own: boolean
}
/** The last allocation of a CTA and its steps since, and how many allocations it has made. */
interface Allocator {
  allocations: number
  steps: AllocatorStep[]
}
/** One step of a pair's CTA. */
interface PairStep {
  readonly kind: 'alloc' | 'dealloc'
  readonly columns: number
  readonly stamp: Stamp
}
/** A dealloc of the `nth` allocation that a CTA has made for the pair. */
interface PairFree {
  readonly nth: number
  readonly stamp: Stamp
}
/** What was freed, and what the agent that did it knew. */
interface Freed {
  readonly stamp: Stamp
  readonly footprint: Footprint
  readonly order: Vector
}
/** Updated in place. */
export interface Allocations {
  readonly live: Allocation[]
  /** by footprint and by the CTA that freed it */
  readonly gone: Map<string, Freed>
  /** by CTA */
  readonly steps: Map<number, PairStep[]>
  /** deallocs for a pair that the other CTA's allocation may still follow, by the CTA that has freed */
  readonly ahead: Map<number, PairFree[]>
  /** by CTA */
  readonly allocators: Map<number, Allocator>
  /** the steps of some allocator depend on the schedule */
  contested: boolean
}

export const allocations = (): Allocations => ({
  live: [],
  gone: new Map(),
  steps: new Map(),
  ahead: new Map(),
  allocators: new Map(),
  contested: false,
})
export const forget = (all: Allocations): void => {
  all.live.length = 0
  all.gone.clear()
  all.steps.clear()
  all.ahead.clear()
  all.allocators.clear()
}

// ---------------------------------------------------------------- the order of the steps

/** Do two steps of one allocator have another effect in the other order? */
const dependent = (a: AllocatorStep, b: AllocatorStep): boolean => {
  if (a.kind === 'alloc' || b.kind === 'alloc') return true
  return a.kind === 'dealloc' && b.kind === 'dealloc' && a.columns === b.columns && !(a.own && b.own)
}

/** C5: a step that is not ordered after those before it, where the order decides which columns there are. */
const inOrder = (c: Context, all: Allocations, next: AllocatorStep, order: Vector): Allocator => {
  const cta = c.header.agents[next.stamp.agent]?.cta ?? 0
  const allocator = all.allocators.get(cta) ?? { allocations: 0, steps: [] }
  all.allocators.set(cta, allocator)
  for (const before of c.options.rules.anyAllocation ? [] : allocator.steps) {
    if (valueAt(order, programOf(before.stamp.agent)) >= before.stamp.at || !dependent(before, next)) continue
    all.contested = true
    fail(c.report, 'C5', keyOf('allocator', before.stamp, next.stamp), () => ({
      text: `allocation in CTA ${ctaName(c.header, cta)} depends on the schedule: ${where(c.header, before.stamp)} (${before.kind}) and ${where(c.header, next.stamp)} (${next.kind}) are not ordered`,
      draft: undefined,
    }))
  }
  if (next.kind === 'alloc') {
    allocator.allocations++
    allocator.steps = [next]
  } else {
    // of one agent the newest of a kind stands for those before it
    const same = (s: AllocatorStep): boolean =>
      s.kind === next.kind &&
      s.stamp.agent === next.stamp.agent &&
      s.columns === next.columns &&
      s.own === next.own
    allocator.steps = [...allocator.steps.filter((s) => !same(s)), next]
  }
  return allocator
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
        [ofColumns],
        actor(other.stamp, `${other.kind}s for the pair`),
        actor(e.stamp, `${kind}s for the pair`),
      ),
    )
}

/** The allocations that a CTA has made for its pair, in their order. */
const pairAllocations = (all: Allocations, cta: number): ReadonlyArray<PairStep> =>
  (all.steps.get(cta) ?? []).filter((s) => s.kind === 'alloc')

const freedEarly = (c: Context, allocation: Stamp, by: Stamp): void => {
  file(c.report, keyOf('K4', allocation, by), () =>
    draft(
      'K4',
      'E',
      `${agentName(c.header, by.agent)} frees tensor memory of the pair before anything tells it that CTA ${ctaName(c.header, c.header.agents[allocation.agent]!.cta)} has allocated it`,
      [ofColumns],
      actor(by, 'deallocates for the pair'),
      actor(allocation, 'allocates for the pair'),
    ),
  )
}

/** K4: what the pair frees both CTAs must have allocated, and the CTA that frees must know it of both. */
const freesForPair = (
  c: Context,
  all: Allocations,
  e: Dealloc,
  mine: Allocation | undefined,
  order: Vector,
): void => {
  if (e.ctaGroup !== 2 || mine === undefined) return
  const cta = c.header.planes[e.footprint.plane]?.cta ?? 0
  const nth = pairAllocations(all, cta).findIndex((s) => s.stamp === mine.stamp)
  if (nth < 0) return
  const theirs = pairAllocations(all, cta ^ 1)[nth]
  if (theirs === undefined) all.ahead.set(cta, [...(all.ahead.get(cta) ?? []), { nth, stamp: e.stamp }])
  else if (valueAt(order, programOf(theirs.stamp.agent)) < theirs.stamp.at)
    freedEarly(c, theirs.stamp, e.stamp)
}

/** K4: an allocation for the pair that comes after the other CTA's dealloc of it. */
const allocatedLate = (c: Context, all: Allocations, e: Alloc): void => {
  if (e.ctaGroup !== 2) return
  const cta = c.header.planes[e.footprint.plane]?.cta ?? 0
  const nth = pairAllocations(all, cta).length - 1
  for (const free of all.ahead.get(cta ^ 1) ?? []) if (free.nth === nth) freedEarly(c, e.stamp, free.stamp)
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
          [ofColumns],
          actor(step.stamp, `${step.kind}s for the pair`),
          last === undefined ? undefined : actor(last.stamp, `${last.kind}s for the pair, the last time`),
        ),
      )
    }
  }
}

/**
 * The columns at the same place in the other CTA of the pair, whether it has allocated them yet or not: its uses of them may come later in the log, and have to
 * come before the dealloc all the same.
 */
export const ofPeer = (c: Context, all: Allocations, f: Footprint): Footprint | undefined => {
  const peer = (c.header.planes[f.plane]?.cta ?? 0) ^ 1
  const isIt = (g: Footprint): boolean =>
    c.header.planes[g.plane]?.cta === peer &&
    startOf(g.spans) === startOf(f.spans) &&
    g.spans.list.length === f.spans.list.length
  const alive = all.live.find((a) => isIt(a.footprint))
  if (alive !== undefined) return alive.footprint
  for (const gone of all.gone.values()) if (isIt(gone.footprint)) return gone.footprint
  const plane = c.header.planes.findIndex((p) => p.space === 'tmem' && p.cta === peer)
  // an id that no footprint of the log has
  return plane < 0 ? undefined : { id: -1 - f.id, plane, spans: f.spans, dtype: f.dtype, map: f.map }
}

// ---------------------------------------------------------------- combinators

export const allocated = (c: Context, all: Allocations, e: Alloc): void => {
  const { order } = tick(c, e.stamp).knowledge
  inStep(c, all, 'alloc', e)
  if (e.ctaGroup === 2)
    takesStepWith(
      c,
      (c.header.planes[e.footprint.plane]?.cta ?? 0) ^ 1,
      e.stamp,
      'allocates for the pair',
      order,
    )
  allocatedLate(c, all, e)
  const columns = columnsOf(e.footprint)
  const { allocations: nth } = inOrder(c, all, { kind: 'alloc', stamp: e.stamp, columns, own: false }, order)
  all.live.push({ stamp: e.stamp, footprint: e.footprint, nth, half: false })
}

/** An allocation after it is refused, so those before it must be known. */
export const relinquished = (c: Context, all: Allocations, e: Relinquish): void => {
  const { order } = tick(c, e.stamp).knowledge
  inOrder(c, all, { kind: 'relinquish', stamp: e.stamp, columns: 0, own: false }, order)
}

const unordered = (a: Allocation, order: Vector): boolean =>
  valueAt(order, programOf(a.stamp.agent)) < a.stamp.at

/** D4: an access that is not ordered after the allocation. */
export const beforeAllocated = (c: Context, all: Allocations, r: AccessRecord, order: Vector): void => {
  for (const a of all.live) {
    if (a.footprint.plane !== r.footprint.plane || !unordered(a, order)) continue
    const shared = overlap(a.footprint.spans, r.footprint.spans)
    if (shared.length > 0)
      file(c.report, keyOf('alloc', a.stamp, r.stamp), () =>
        draft(
          'D4',
          'E',
          `${whoAccesses(c.header, r)} tensor memory and is not ordered after its allocation`,
          [ofColumns, ofPlane(r.footprint.plane)],
          actor(a.stamp, 'allocates'),
          actorOf(r),
          { plane: planeName(c.header, r.footprint.plane), spans: shared },
          `${agentName(c.header, r.stamp.agent)} has synchronised with ${agentName(c.header, a.stamp.agent)} only up to event ${String(valueAt(order, programOf(a.stamp.agent)))}, before the allocation (event ${String(a.stamp.at)})`,
        ),
      )
  }
}

/** U2, or M3 of a load: an operation that was issued without knowing of a dealloc, and acts after it. */
export const afterFreed = (c: Context, all: Allocations, r: AccessRecord, order: Vector): void => {
  for (const f of all.gone.values()) {
    if (f.footprint.plane !== r.footprint.plane || valueAt(order, programOf(f.stamp.agent)) >= f.stamp.at)
      continue
    const shared = overlap(f.footprint.spans, r.footprint.spans)
    if (shared.length === 0) continue
    if (!c.options.strict && isUsed(f.order, r)) notWaitedFor(c, r, f.stamp)
    else notOver(c, r, f.stamp, f.footprint, f.order)
  }
}

/** U2; M3 of a load. */
export const notOver = (
  c: Context,
  r: AccessRecord,
  by: Stamp,
  footprint: Footprint,
  order: Vector,
  overRelaxed: boolean = false,
): Draft =>
  filed(c.report, keyOf('dealloc', r.stamp, by), () =>
    draft(
      r.unit === 'tcgen05Ld' ? 'M3' : 'U2',
      'E',
      overRelaxed
        ? `${whoAccesses(c.header, r)} tensor memory, and only a relaxed arrive or wait orders the deallocation after it: PTX does not let it order ordinary accesses`
        : `${whoAccesses(c.header, r)} tensor memory and may still run when it is deallocated`,
      [ofColumns, ofPlane(r.footprint.plane)],
      actorOf(r),
      actor(by, 'deallocates'),
      {
        plane: planeName(c.header, r.footprint.plane),
        spans: overlap(r.footprint.spans, footprint.spans),
      },
      whyOf(c, r, by.agent, { order: copyOf(order) }),
    ),
  )

/** M3, as a note: the registers of the load are needed by what the deallocating agent knows of. */
export const notWaitedFor = (c: Context, load: AccessRecord, by: Stamp): void =>
  file(c.report, keyOf('dealloc-note', load.stamp, by), () =>
    draft(
      'M3',
      'L',
      `${agentName(c.header, by.agent)} deallocates tensor memory before a wait for this load; the use of its registers orders them`,
      [ofColumns],
      actorOf(load),
      actor(by, 'deallocates'),
    ),
  )

const goneKey = (f: Footprint, by: number): string => `${String(f.id)}/${String(by)}`

/** The columns are gone, also the peer's of an allocation by a pair; the agent that frees them must know that they were there. */
export const freed = (
  c: Context,
  all: Allocations,
  e: Dealloc,
  order: Vector,
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
        `${agentName(c.header, e.stamp.agent)} frees tensor memory that has been freed`,
        [ofColumns],
        actor(before.stamp, 'deallocates'),
        actor(e.stamp, 'deallocates again'),
      ),
    )
  const at = live.findIndex((a) => a.footprint.id === e.footprint.id)
  const mine = live[at]
  const nth = mine?.nth ?? -1
  freesForPair(c, all, e, mine, order)
  inOrder(
    c,
    all,
    {
      kind: 'dealloc',
      stamp: e.stamp,
      columns: columnsOf(e.footprint),
      own: mine?.stamp.agent === e.stamp.agent,
    },
    order,
  )
  gone.set(goneKey(e.footprint, by), { stamp: e.stamp, footprint: e.footprint, order: copyOf(order) })
  if (peer !== undefined) {
    gone.set(goneKey(peer, by), { stamp: e.stamp, footprint: peer, order: copyOf(order) })
    const theirs = live.find((a) => a.footprint.id === peer.id)
    if (theirs?.nth === nth) theirs.half = true
  }
  if (mine === undefined) return
  if (unordered(mine, order))
    file(c.report, keyOf('alloc', mine.stamp, e.stamp), () =>
      draft(
        'D4',
        'E',
        `${agentName(c.header, e.stamp.agent)} frees tensor memory and is not ordered after its allocation`,
        [ofColumns],
        actor(mine.stamp, 'allocates'),
        actor(e.stamp, 'deallocates'),
      ),
    )
  live.splice(at, 1)
}

/** T1: what was not freed. What the other CTA of a pair has freed is T5 already. */
export const leaked = (c: Context, all: Allocations): void => {
  outOfStep(c, all)
  for (const a of all.live.filter(({ half }) => !half))
    file(c.report, keyOf(`T1|${String(a.footprint.plane)}`, a.stamp, undefined), () =>
      draft(
        'T1',
        'E',
        `${agentName(c.header, a.stamp.agent)} allocates tensor memory that no dealloc frees`,
        [ofColumns],
        actor(a.stamp, 'allocates'),
      ),
    )
}
