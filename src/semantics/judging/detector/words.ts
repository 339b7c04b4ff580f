/**
 * Words of memory, by plane and byte, and which strong accesses of them come before others because they were found.
 *
 * Law 1. Of no word in common nothing is shown.
 *
 * Source: PTX ISA, memory consistency model: observation order, causality order.
 */
import { bitsOf } from '../../../numerics/dtype.js'
import { addressesIn, spansOf, type Footprint, type Stamp } from '../../log/events.js'
import type { AccessRecord } from './access-record.js'
import { overlap } from './atoms.js'
import { programOf } from './knowledge.js'
import type { Word } from './strong-state.js'

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

export const knows = (order: ReadonlyArray<number>, s: Stamp): boolean => order[programOf(s.agent)]! >= s.at

/**
 * Is a strong access before a plain one because what comes before that has found it? So says observation order, of this word alone: what else the writer has done
 * is told by releases.
 *
 *     A: atom.add c 1        B: atom.add c 1 -> 1 (decides)    B: store c 0        no race, with a fence or without
 */
export const shownBefore = (
  words: ReadonlyMap<string, Word>,
  earlier: AccessRecord,
  later: AccessRecord,
  order: ReadonlyArray<number>,
): boolean => {
  if (earlier.reach === 0 || earlier.operation >= 0 || later.operation >= 0) return false
  if (earlier.proxy !== 'generic' || later.proxy !== 'generic') return false
  const { agent, at } = earlier.stamp
  const shared = overlap(earlier.footprint.spans, later.footprint.spans)
  const both = wordsOf(earlier.footprint).filter((byte) =>
    shared.some(([from, to]) => byte >= from && byte < to),
  )
  return (
    both.length > 0 &&
    both.every((byte) =>
      words
        .get(keyOfWord(earlier.footprint.plane, byte))
        ?.found.some((f) => (f.writers.get(agent) ?? -1) >= at && knows(order, f.stamp)),
    )
  )
}
