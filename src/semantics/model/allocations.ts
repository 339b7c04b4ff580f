/**
 * Tensor memory that is allocated and freed.
 *
 * An allocation lives from its `alloc` to the `dealloc` of the same columns. Its uses are ordered between the two, by order alone; a load that was not waited for
 * counts as over at the dealloc if a later event of its agent is known there (its registers were needed), but not under `strict`. What one CTA of a pair frees, both have freed, and
 * both take the same steps.
 *
 *     T0: alloc 64 #1; arrive b #2     T1: wait b #3; mma #4; commit c        T0: wait c #5; dealloc #6        1 is before 4, 4 before 6
 *
 * | asked                                                                        | else |
 * |------------------------------------------------------------------------------|------|
 * | a use, or a dealloc, comes after the allocation                              | D4   |
 * | a use comes before the dealloc: it is known there                            | U2 (or the note M3) |
 * | what is freed lives                                                          | T2   |
 * | what is allocated is freed                                                   | T1   |
 * | the n-th steps of the CTAs of a pair are the same, and as many               | T4, T5 |
 *
 * Source: PTX ISA 9.7.16.7 (tcgen05.alloc, dealloc, relinquish_alloc_permit).
 */
import type { Alloc, Dealloc, Footprint, Stamp } from '../log.js'
import { bytesIn } from '../log.js'
import { bytesOf, common } from './bytes.js'
import type { Judging } from './judging.js'
import { doneFact } from './order.js'
import { meets } from './race.js'
import type { Reading, Touch } from './reading.js'
import type { Knows } from './views.js'

export interface Step {
  readonly at: number
  readonly e: Alloc | Dealloc
}
export interface Misuse {
  readonly id: 'D4' | 'U2' | 'M3' | 'T1' | 'T2' | 'T4' | 'T5'
  readonly stamp: Stamp
  readonly at: number
}

const stepsOf = (r: Reading): ReadonlyArray<Step> =>
  r.log.flatMap((e, at) => (e._tag === 'alloc' || e._tag === 'dealloc' ? [{ at, e }] : []))

const sameBytes = (a: Footprint, b: Footprint): boolean =>
  a.plane === b.plane && JSON.stringify(bytesOf(a)) === JSON.stringify(bytesOf(b))

/** The allocation that a dealloc ends: the first of the same columns that lives. */
const endedBy = (r: Reading, d: Step): Step | undefined => {
  const live: Step[] = []
  for (const s of stepsOf(r)) {
    const i = live.findIndex((a) => sameBytes(a.e.footprint, s.e.footprint))
    if (s.at === d.at) return live[i]
    if (s.e._tag === 'alloc') live.push(s)
    else if (i >= 0) live.splice(i, 1)
  }
  return undefined
}

/** The plane of the other CTA of a pair. */
const peerPlane = (r: Reading, plane: number): number => {
  const cta = (r.header.planes[plane]?.cta ?? 0) ^ 1
  return r.header.planes.findIndex((p) => p.space === 'tmem' && p.cta === cta)
}

/** The columns that a step is about; a dealloc by a pair also about the peer's. */
const about = (r: Reading, { e }: Step): ReadonlyArray<number> =>
  e._tag === 'dealloc' && e.ctaGroup === 2
    ? [e.footprint.plane, peerPlane(r, e.footprint.plane)]
    : [e.footprint.plane]

const misuse = (id: Misuse['id'], stamp: Stamp, at: number): Misuse => ({ id, stamp, at })

/** Uses, between the allocation and the dealloc. */
const uses = (r: Reading, knows: Knows, how: Judging): ReadonlyArray<Misuse> => {
  const steps = stepsOf(r)
  const deallocs = steps.filter((s) => s.e._tag === 'dealloc')
  const ends = deallocs.map((d) => endedBy(r, d)?.at)
  const touches = r.touches.filter((t) => r.header.planes[t.access.footprint.plane]?.space === 'tmem')
  const overlaps = (t: Touch, s: Step): boolean =>
    about(r, s).includes(t.access.footprint.plane) && common(t.bytes, bytesOf(s.e.footprint)).length > 0
  const isUsedOn = (t: Touch, at: number): boolean =>
    t.operation?.issue.unit === 'tcgen05Ld' &&
    !how.options.strict &&
    (r.programs[t.access.stamp.agent] ?? []).some((i) => i > t.operation!.at && knows(at, 'order', i))
  const notOver = (t: Touch, at: number): Misuse =>
    misuse(isUsedOn(t, at) ? 'M3' : 'U2', t.access.stamp, t.at)
  const lives = (a: Step, at: number): boolean =>
    a.at < at && !deallocs.some((d, i) => ends[i] === a.at && d.at < at)
  return [
    ...touches.flatMap((t) => [
      ...steps
        .filter(
          (s) => s.e._tag === 'alloc' && lives(s, t.at) && overlaps(t, s) && !knows(t.at, 'order', s.at),
        )
        .map(() => misuse('D4', t.access.stamp, t.at)),
      ...deallocs
        .filter((d) => d.at < t.at && overlaps(t, d) && !knows(t.at, 'order', d.at))
        .map((d) => notOver(t, d.at)),
    ]),
    ...deallocs.flatMap((d, i) => {
      const began = ends[i]
      const met = about(r, d).flatMap((plane) => {
        const end: Touch = {
          at: d.at,
          access: {
            _tag: 'access',
            stamp: d.e.stamp,
            rw: 'w',
            proxy: 'tensor',
            footprint: {
              id: -1,
              plane,
              spans: d.e.footprint.spans,
              dtype: d.e.footprint.dtype,
              map: d.e.footprint.map,
            },
            role: 'destination',
            atomic: false,
          },
          bytes: bytesOf(d.e.footprint),
          operation: undefined,
          part: 0,
        }
        const before = touches.filter((t) => t.at < d.at && t.access.footprint.plane === plane)
        return meets(before, end).met.map((m) => m.touch)
      })
      return [
        ...met
          .filter((t) => doneFact(t) < 0 || !knows(d.at, 'order', doneFact(t)))
          .map((t) => notOver(t, d.at)),
        ...(began !== undefined && !knows(d.at, 'order', began) ? [misuse('D4', d.e.stamp, d.at)] : []),
        ...(began === undefined && deallocs.slice(0, i).some((x) => sameBytes(x.e.footprint, d.e.footprint))
          ? [misuse('T2', d.e.stamp, d.at)]
          : []),
      ]
    }),
  ]
}

/** Whether two steps of one CTA's allocator, the first of them no older than its last allocation, have another effect in the other order. */
export const contested = (
  r: Reading,
  knows: Knows,
): ReadonlyArray<{ readonly a: number; readonly b: number }> => {
  const steps = stepsOf(r)
  const ctaOf = (s: Step): number => r.header.agents[s.e.stamp.agent]!.cta
  const isOwn = (s: Step): boolean => endedBy(r, s)?.e.stamp.agent === s.e.stamp.agent
  return steps.flatMap((b) => {
    const mine = steps.filter((s) => s.at < b.at && ctaOf(s) === ctaOf(b))
    const since = mine.slice(Math.max(0, mine.map((s) => s.e._tag).lastIndexOf('alloc')))
    return since
      .filter((a) => !knows(b.at, 'order', a.at))
      .filter((a) => {
        if (a.e._tag === 'alloc' || b.e._tag === 'alloc') return true
        return bytesIn(a.e.footprint.spans) === bytesIn(b.e.footprint.spans) && !(isOwn(a) && isOwn(b))
      })
      .map((a) => ({ a: a.at, b: b.at }))
  })
}

/** T1, T4, T5: what is left, and what the CTAs of a pair do not both do. */
const leftOver = (r: Reading): ReadonlyArray<Misuse> => {
  const steps = stepsOf(r)
  const deallocs = steps.filter((s) => s.e._tag === 'dealloc')
  const ended = deallocs.map((d) => endedBy(r, d)?.at)
  const half = (a: Step): boolean =>
    deallocs.some(
      (d) =>
        d.at > a.at &&
        about(r, d).includes(a.e.footprint.plane) &&
        d.e.footprint.plane !== a.e.footprint.plane &&
        common(bytesOf(d.e.footprint), bytesOf(a.e.footprint)).length > 0,
    )
  const leaks = steps
    .filter((a) => a.e._tag === 'alloc' && !ended.includes(a.at) && !half(a))
    .map((a) => misuse('T1', a.e.stamp, a.at))
  const ofPair = (cta: number): ReadonlyArray<Step> =>
    steps.filter((s) => s.e.ctaGroup === 2 && r.header.planes[s.e.footprint.plane]?.cta === cta)
  const pairs = r.header.planes.flatMap((p) =>
    p.space !== 'tmem'
      ? []
      : ofPair(p.cta ?? 0).flatMap((s, n) => {
          const other = ofPair((p.cta ?? 0) ^ 1)[n]
          if (other === undefined) return [misuse(s.e._tag === 'alloc' ? 'T4' : 'T5', s.e.stamp, s.at)]
          const differs =
            other.e._tag !== s.e._tag || bytesIn(other.e.footprint.spans) !== bytesIn(s.e.footprint.spans)
          return differs && other.at < s.at ? [misuse('T4', s.e.stamp, s.at)] : []
        }),
  )
  return [...leaks, ...pairs]
}

export const misused = (r: Reading, knows: Knows, how: Judging, stuck: boolean): ReadonlyArray<Misuse> => [
  ...uses(r, knows, how),
  ...(stuck ? [] : leftOver(r)),
]
