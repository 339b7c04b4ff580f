/**
 * Tensor memory that is allocated and freed.
 *
 * An allocation lives from its `alloc` to the `dealloc` of the same columns. Its uses are ordered between the two, by order alone; a load that was not waited for
 * counts as over at the dealloc if a use of its registers is known there, but not under `strict`. What one CTA of a pair frees, both
 * have freed, and both take the same steps.
 *
 *     T0: alloc t #1; arrive b #2     T1: wait b #3; mma #4; commit c        T0: wait c #5; dealloc t #6        1 is before 4, 4 before 6
 *
 * | asked                                                                        | else |
 * |------------------------------------------------------------------------------|------|
 * | a use, or a dealloc, comes after the allocation                              | D4   |
 * | a use comes before the dealloc: it is known there                            | U2; M3 of a load, which is a note if its registers are known to be used |
 * | what the pair frees both CTAs have allocated, and the one that frees knows it | K4   |
 * | what is freed lives                                                          | T2   |
 * | what is allocated is freed                                                   | T1   |
 * | the n-th steps of the CTAs of a pair are the same, and as many               | T4, T5 |
 * | two steps of one allocator are ordered, if their order decides which columns there are | C5 |
 *
 * Source: PTX 9.7.16 (tcgen05.alloc, dealloc, relinquish_alloc_permit).
 */
import type { Alloc, Dealloc, Footprint, Relinquish, Stamp } from '../log/events.js'
import { bytesIn, spansOf } from '../log/events.js'
import { bytesOf, common } from './bytes.js'
import type { Judging } from './judging.js'
import { doneFact } from './order.js'
import { meets } from './race.js'
import type { Reading, Touch } from './reading.js'
import type { Knows } from './views.js'

// ---------------------------------------------------------------- model

interface Step<E> {
  readonly at: number
  readonly e: E
}
type Change = Alloc | Dealloc

export interface Misuse {
  readonly id: 'D4' | 'U2' | 'K4' | 'M3' | 'M3 noted' | 'T1' | 'T2' | 'T4' | 'T5'
  readonly stamp: Stamp
  readonly at: number
}
export interface Misused {
  readonly misuses: ReadonlyArray<Misuse>
  /** uses that are before a dealloc over relaxed edges alone */
  readonly leaning: ReadonlyArray<{ readonly a: Touch; readonly dealloc: Dealloc }>
}

const misuse = (id: Misuse['id'], stamp: Stamp, at: number): Misuse => ({ id, stamp, at })

// ---------------------------------------------------------------- lives

const changesOf = (r: Reading): ReadonlyArray<Step<Change>> =>
  r.log.flatMap((e, at) => (e._tag === 'alloc' || e._tag === 'dealloc' ? [{ at, e }] : []))
const deallocsOf = (r: Reading): ReadonlyArray<Step<Dealloc>> =>
  r.log.flatMap((e, at) => (e._tag === 'dealloc' ? [{ at, e }] : []))

const sameBytes = (a: Footprint, b: Footprint): boolean => {
  if (a.plane !== b.plane) return false
  const [these, those] = [spansOf(a), spansOf(b)]
  return these.length === those.length && these.every((x, i) => x === those[i])
}

/** The allocation that a dealloc ends: the first of the same columns that lives. */
const endedBy = (r: Reading, dealloc: number): Step<Change> | undefined => {
  const live: Array<Step<Change>> = []
  for (const s of changesOf(r)) {
    const i = live.findIndex((a) => sameBytes(a.e.footprint, s.e.footprint))
    if (s.at === dealloc) return live[i]
    if (s.e._tag === 'alloc') live.push(s)
    else if (i >= 0) live.splice(i, 1)
  }
  return undefined
}

/** The planes that a change is about: of a dealloc by a pair, of both CTAs. */
const planesOf = (r: Reading, e: Change): ReadonlyArray<number> => {
  const { plane } = e.footprint
  if (e._tag === 'alloc' || e.ctaGroup !== 2) return [plane]
  const peer = (r.header.planes[plane]?.cta ?? 0) ^ 1
  return [plane, r.header.planes.findIndex((p) => p.space === 'tmem' && p.cta === peer)]
}

// ---------------------------------------------------------------- uses

const uses = (r: Reading, knows: Knows, { options }: Judging): Misused => {
  const touches = r.touches.filter((t) => r.header.planes[t.access.footprint.plane]?.space === 'tmem')
  const deallocs = deallocsOf(r).map((d) => ({ at: d.at, e: d.e, ended: endedBy(r, d.at) }))
  const overlaps = (t: Touch, e: Change): boolean =>
    planesOf(r, e).includes(t.access.footprint.plane) && common(t.bytes, bytesOf(e.footprint)).length > 0
  /** Its registers are known to be written. */
  const isUsed = (t: Touch, at: number): boolean =>
    !options.strict &&
    t.operation!.touches.some((w) => w.access.rw === 'w' && knows(at, 'order', doneFact(w)))
  const notOver = (t: Touch, at: number): Misuse =>
    t.operation?.issue.unit !== 'tcgen05Ld'
      ? misuse('U2', t.access.stamp, t.at)
      : misuse(isUsed(t, at) ? 'M3 noted' : 'M3', t.access.stamp, t.at)
  const isLive = (at: number, from: number): boolean =>
    from < at && !deallocs.some((d) => d.ended?.at === from && d.at < at)

  const allocs = changesOf(r).filter((s) => s.e._tag === 'alloc')
  const early = touches.flatMap((t) =>
    allocs
      .filter((s) => isLive(t.at, s.at) && overlaps(t, s.e))
      .filter((s) => !knows(t.at, 'order', s.at))
      .map(() => misuse('D4', t.access.stamp, t.at)),
  )
  const late = touches.flatMap((t) =>
    deallocs
      .filter((d) => d.at < t.at && overlaps(t, d.e) && !knows(t.at, 'order', d.at))
      .map((d) => notOver(t, d.at)),
  )
  /** Uses that a dealloc meets, and whether they are done there. */
  const met = deallocs.flatMap((d) =>
    planesOf(r, d.e).flatMap((plane) => {
      const before = touches.filter((t) => t.at < d.at && t.access.footprint.plane === plane)
      const by = { bytes: bytesOf(d.e.footprint), isWrite: true, atomic: false }
      return meets(before, by).met.map(({ touch }) => {
        const fact = doneFact(touch)
        const [order, firm] = (['order', 'firm'] as const).map((v) => fact >= 0 && knows(d.at, v, fact))
        return { a: touch, d, done: options.strict ? firm : order, leans: order === true && firm !== true }
      })
    }),
  )
  const freed = deallocs.flatMap((d, i) => [
    ...(d.ended !== undefined && !knows(d.at, 'order', d.ended.at) ? [misuse('D4', d.e.stamp, d.at)] : []),
    ...(d.ended === undefined && deallocs.slice(0, i).some((x) => sameBytes(x.e.footprint, d.e.footprint))
      ? [misuse('T2', d.e.stamp, d.at)]
      : []),
  ])
  return {
    misuses: [
      ...early,
      ...late,
      ...met.filter((m) => m.done !== true).map((m) => notOver(m.a, m.d.at)),
      ...freed,
    ],
    leaning: met.filter((m) => m.done === true && m.leans).map((m) => ({ a: m.a, dealloc: m.d.e })),
  }
}

// ---------------------------------------------------------------- steps

/** Steps of one CTA's allocator that are not ordered, the first of them no older than its last allocation, and have another effect in the other order. */
export const contested = (
  r: Reading,
  knows: Knows,
): ReadonlyArray<{ readonly a: number; readonly b: number }> => {
  const steps = r.log.flatMap((e, at): ReadonlyArray<Step<Change | Relinquish>> =>
    e._tag === 'alloc' || e._tag === 'dealloc' || e._tag === 'relinquish' ? [{ at, e }] : [],
  )
  const ctaOf = ({ e }: Step<Change | Relinquish>): number => r.header.agents[e.stamp.agent]!.cta
  const isOwn = (at: number, e: Dealloc): boolean => endedBy(r, at)?.e.stamp.agent === e.stamp.agent
  return steps.flatMap((b) => {
    const mine = steps.filter((s) => s.at < b.at && ctaOf(s) === ctaOf(b))
    const since = mine.slice(Math.max(0, mine.map((s) => s.e._tag).lastIndexOf('alloc')))
    return since
      .filter((a) => !knows(b.at, 'order', a.at))
      .filter((a) => {
        if (a.e._tag === 'alloc' || b.e._tag === 'alloc') return true
        if (a.e._tag === 'relinquish' || b.e._tag === 'relinquish') return false
        const alike = bytesIn(a.e.footprint.spans) === bytesIn(b.e.footprint.spans)
        return alike && !(isOwn(a.at, a.e) && isOwn(b.at, b.e))
      })
      .map((a) => ({ a: a.at, b: b.at }))
  })
}

const planeCta = (r: Reading, { e }: Step<Change>): number => r.header.planes[e.footprint.plane]?.cta ?? 0

/** K4: a dealloc for the pair of what the other CTA is not known to have allocated. */
const freedAhead = (r: Reading, knows: Knows): ReadonlyArray<Misuse> => {
  const forPair = (cta: number): ReadonlyArray<number> =>
    changesOf(r)
      .filter((s) => s.e._tag === 'alloc' && s.e.ctaGroup === 2 && planeCta(r, s) === cta)
      .map((s) => s.at)
  return deallocsOf(r).flatMap((d) => {
    const ended = endedBy(r, d.at)
    if (d.e.ctaGroup !== 2 || ended === undefined) return []
    const n = forPair(planeCta(r, d)).indexOf(ended.at)
    const theirs = n < 0 ? undefined : forPair(planeCta(r, d) ^ 1)[n]
    return theirs === undefined || knows(d.at, 'order', theirs) ? [] : [misuse('K4', d.e.stamp, d.at)]
  })
}

/** T1, T4, T5: what is left, and what the CTAs of a pair do not both do. */
const leftOver = (r: Reading): ReadonlyArray<Misuse> => {
  const changes = changesOf(r)
  const deallocs = deallocsOf(r)
  const ended = deallocs.map((d) => endedBy(r, d.at)?.at)
  const nth = (s: Step<Change> | undefined): number =>
    changes.filter(
      (x) => x.e._tag === 'alloc' && s !== undefined && x.at <= s.at && planeCta(r, x) === planeCta(r, s),
    ).length
  /** The other CTA of the pair has freed it: the same columns, by the same number of its allocations. */
  const half = (a: Step<Change>): boolean =>
    deallocs.some(
      (d) =>
        d.at > a.at &&
        d.e.footprint.plane !== a.e.footprint.plane &&
        planesOf(r, d.e).includes(a.e.footprint.plane) &&
        common(bytesOf(d.e.footprint), bytesOf(a.e.footprint)).length > 0 &&
        nth(endedBy(r, d.at)) === nth(a),
    )
  const leaks = changes
    .filter((a) => a.e._tag === 'alloc' && !ended.includes(a.at) && !half(a))
    .map((a) => misuse('T1', a.e.stamp, a.at))
  return [...leaks, ...stepsOfPairs(r, true)]
}

/** The n-th steps of the CTAs of a pair: those that differ, or that one of them has not taken. */
const stepsOfPairs = (r: Reading, missing: boolean): ReadonlyArray<Misuse> => {
  const ofCta = (cta: number): ReadonlyArray<Step<Change>> =>
    changesOf(r).filter((s) => s.e.ctaGroup === 2 && r.header.planes[s.e.footprint.plane]?.cta === cta)
  return r.header.planes.flatMap((p) =>
    p.space !== 'tmem'
      ? []
      : ofCta(p.cta ?? 0).flatMap((s, n) => {
          const other = ofCta((p.cta ?? 0) ^ 1)[n]
          if (other === undefined)
            return missing ? [misuse(s.e._tag === 'alloc' ? 'T4' : 'T5', s.e.stamp, s.at)] : []
          const differs =
            other.e._tag !== s.e._tag || bytesIn(other.e.footprint.spans) !== bytesIn(s.e.footprint.spans)
          return differs && !missing ? [misuse('T4', s.e.stamp, s.at)] : []
        }),
  )
}

export const misused = (r: Reading, knows: Knows, how: Judging, over: boolean): Misused => {
  const { misuses, leaning } = uses(r, knows, how)
  const always = [...misuses, ...stepsOfPairs(r, false), ...freedAhead(r, knows)]
  return { misuses: over ? [...always, ...leftOver(r)] : always, leaning }
}
