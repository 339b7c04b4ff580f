/**
 * Words of memory, by plane and byte, and which strong accesses of them come before others because they were found.
 *
 * Law 1. Of no word in common nothing is shown.
 *
 * Source: PTX ISA, memory consistency model: observation order, causality order.
 */
import { bitsOf } from '../../../numerics/dtype.js'
import { addressesIn, spansOf, type Footprint, type Stamp } from '../../log/events.js'
import { singles } from '../../log/lane-mask.js'
import type { AccessRecord } from './access-record.js'
import { allLanes } from './activity.js'
import { overlap } from './atoms.js'
import type { Knowledge } from './knowledge.js'
import { knowsSome, lanesAt } from './lanes.js'
import type { Found, Word, Writer } from './strong-state.js'

/** The words of a footprint, by their first byte; an element of several words is each of them. */
export const wordsOf = (f: Footprint): ReadonlyArray<number> => {
  const size = Math.max(1, bitsOf(f.dtype) / 8)
  if (f.map._tag === 'scatter') {
    const out: number[] = []
    for (const at of addressesIn(f.map)) if (at >= 0) out.push(at)
    return out
  }
  const spans = spansOf(f)
  const out: number[] = []
  for (let i = 0; i < spans.length; i += 2)
    for (let at = spans[i]!; at < spans[i + 1]!; at += size) out.push(at)
  return out
}

export const keyOfWord = (plane: number, byte: number): string => `${String(plane)}+${String(byte)}`

/**
 * Is a strong access before a plain one because what comes before that has found it? So says observation order, of this word alone: what else the writer has done
 * is told by releases. Each lane that makes the later access asks for itself, and each that made the earlier one must be found.
 *
 *     A: atom.add c 1        B: atom.add c 1 -> 1 (decides)    B: store c 0        no race, with a fence or without
 *     A: store c 1           B, lane 0: waits for c            B, lane 1: load c   a race, unless the lanes have met
 */
export const shownBefore = (
  words: ReadonlyMap<string, Word>,
  earlier: AccessRecord,
  later: AccessRecord,
  k: Knowledge,
): boolean => {
  if (earlier.reach === 0 || earlier.operation >= 0 || later.operation >= 0) return false
  if (earlier.proxy !== 'generic' || later.proxy !== 'generic') return false
  const shared = overlap(earlier.footprint.spans, later.footprint.spans)
  const both = wordsOf(earlier.footprint).filter((byte) =>
    shared.some(([from, to]) => byte >= from && byte < to),
  )
  return (
    both.length > 0 &&
    both.every((byte) => {
      const found = words.get(keyOfWord(earlier.footprint.plane, byte))?.found ?? []
      const writers = earlier.lanes === 0 ? allLanes : lanesAt(earlier, byte)
      const isShownTo = (lanes: number): boolean =>
        (writers & ~foundOf(earlier.stamp, found, k, { agent: later.stamp.agent, lanes })) === 0
      return later.lanes === 0 ? isShownTo(0) : singles(lanesAt(later, byte)).every(isShownTo)
    })
  )
}

/** Lanes of a write that those have found whom these lanes, with this knowledge, know. */
const foundOf = (
  { agent, at }: Stamp,
  found: ReadonlyArray<Found>,
  k: Knowledge,
  by: { readonly agent: number; readonly lanes: number },
): number => {
  let out = 0
  for (const { stamp, writers } of found) {
    const those = lanesUpTo(writers, agent, at)
    if ((those & ~out) !== 0 && knowsSome(k, stamp, by)) out |= those
  }
  return out
}

/** Lanes of an agent that have written at an event of theirs, or later. */
export const lanesUpTo = (writers: ReadonlyArray<Writer>, agent: number, at: number): number =>
  writers.reduce(
    (lanes, { stamp: s }) => (s.agent === agent && s.at >= at ? lanes | (s.lanes ?? allLanes) : lanes),
    0,
  )
