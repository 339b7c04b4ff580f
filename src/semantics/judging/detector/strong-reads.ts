/**
 * A read of one word: what the search of other values (`readings.ts`) is told of it.
 *
 * A load and a wait come here alike. A read that decides something, that controls a branch, or that takes an older write than the last one, each asks something else of
 * the search: whether a later write could be read instead, whether the branch could go the other way, and whether the choice of this run is allowed at all.
 *
 * Law 1. Who knows that a read is over cannot be read by it: later writes that know of it leave the list of open reads.
 */
import type { Stamp } from '../../log/events.js'
import type { Reach } from '../../log/reach.js'
import { backOf, earlier, hearing, refute, takesSince, touch } from './readings.js'
import type { AgentState } from './context.js'
import { isAmong, knowsEvent } from './lanes.js'
import type { Detector } from './state.js'
import type { Last, Word } from './strong-state.js'
import { shownTo } from './strong-fences.js'
import { finding } from './strong-found.js'

/**
 * A read of a word that takes the write that many before the last. `bytes`: so many it has, if something comes of it; `controls`: from which site on it decides what its thread does; null: it only
 * gives what memory holds.
 */
export const reads = (
  d: Detector,
  w: Word,
  a: AgentState,
  stamp: Stamp,
  back: number,
  plane: number,
  byte: number,
  bytes: number | null,
  controls: number | null,
  acquires: Reach,
  by: Last,
): void => {
  if (controls !== null && d.strong.readings.stale === null) {
    const { without } = backOf(w.touches, stamp, a.knowledge, undefined, 'some')
    if (without > 0) d.strong.readings.stale = stamp
  }
  if (back > 0) {
    const shown = shownTo(d.strong, stamp)
    d.strong.readings.over ||= back > backOf(w.touches, stamp, a.knowledge, shown, 'some').most
    refute(d.strong.readings, w.touches, stamp, back, a.knowledge, shown)
  }
  if (controls === null && bytes !== null) {
    const { most } = backOf(w.touches, stamp, a.knowledge, shownTo(d.strong, stamp))
    earlier(d.strong.readings, w.touches, most, stamp, back, { plane, byte, bytes })
  }
  // who knows of a read that it was, has overtaken it
  if (w.open.length > 0) w.open = w.open.filter((o) => !knowsEvent(a.knowledge, o.stamp, stamp))
  if (bytes !== null) {
    w.asked = [...w.asked.filter((s) => s.agent !== stamp.agent || !isAmong(s, stamp)), stamp]
    const heard = hearing(d.strong.readings, stamp, acquires)
    w.open = [...w.open, { stamp, bytes, controls, by, heard }]
  }
  if (acquires > 0) takenHere(w, stamp, by, acquires)
  finding(d, stamp, w, back)
  touch(w.touches, { rw: 'r', stamp, joined: null }, back)
}

/** An acquire of a word takes over what its lanes have read of it before. */
export const takenHere = (w: Word, stamp: Stamp, { width }: Last, reach: Reach): void => {
  const isOurs = (other: Stamp, its: Last | null | undefined): boolean =>
    other.agent === stamp.agent && its?.width === width && isAmong(other, stamp)
  const writes = w.touches.filter(({ rw }) => rw === 'w')
  const from = w.past.length - writes.length
  for (const [i, t] of writes.entries())
    if (t.joined !== null && isOurs(t.stamp, w.past[from + i]?.last)) takesSince(t.joined.heard, stamp, reach)
  for (const o of w.open) if (isOurs(o.stamp, o.by)) takesSince(o.heard, stamp, reach)
}
