/**
 * Older writes: which writes of a word a strong read may take.
 *
 * The log has an order of its own, and a read of the machine finds the last write in it. The memory model has less of an order: a read takes any write that nothing shows
 * to be over. Over is a write that another has overwritten which comes before the read in causality order, or which something read that does.
 *
 *     A: store x 1      B: store y 1          A may take the 0 of y, and B the 0 of x, whichever was last:
 *     A: load y         B: load x             neither knows what the other has stored
 *
 *     A: store x 1, fence.sc, load y          one fence comes before the other, and shows to it what its agent has stored:
 *     B: store y 1, fence.sc, load x          so one of them takes the 1
 *
 * Writes of a word are in the order of the log, and all orders of it are followed (`outcomes.ts`). What a read takes from a write that comes behind it in every order
 * of the log (load buffering) is not followed here.
 *
 * Laws
 * 1. The last write may always be taken, and a write that may be taken was not over for any read before that comes before this one.
 * 2. What more is known, the fewer may be taken.
 *
 * Source: PTX ISA, memory consistency model: observation order, Fence-SC order, causality order; axioms Causality and SC-per-location.
 */
import { seesEvent } from '../../judging/detector/lanes.js'
import type { Knowledge } from '../../judging/detector/knowledge.js'
import type { LogEvent, Stamp } from '../../log/events.js'
import { addressesIn, type Access } from '../../log/events.js'
import { bitsOf } from '../../../numerics/dtype.js'

// ---------------------------------------------------------------- what has happened to a word

/** A write of a word, or a strong read: how many writes before the last one it took. */
export interface Touch {
  readonly rw: 'r' | 'w'
  readonly stamp: Stamp
  readonly back: number
  /** which step of the path it was */
  readonly step: number
}

/** The strong accesses of a word at this byte, the first one first. */
export const touchesOf = (
  log: ReadonlyArray<ReadonlyArray<LogEvent>>,
  plane: number,
  byte: number,
): ReadonlyArray<Touch> => {
  const out: Touch[] = []
  log.forEach((events, step) => {
    for (const e of events) {
      if (e._tag === 'semaphore') {
        if (e.outcome === 'passed' && e.footprint.plane === plane && elementsAt(e, byte).length > 0)
          out.push({ rw: 'r', stamp: e.stamp, back: 0, step })
        continue
      }
      if (e._tag !== 'access' || e.footprint.plane !== plane || e.operation !== undefined) continue
      const at = elementsAt(e, byte)
      if (at.length === 0) continue
      // an atomic that joins writes right away what it has read
      if (e.rw === 'r' && e.joins === true) continue
      out.push({ rw: e.rw, stamp: e.stamp, back: e.older?.[at[0]!] ?? 0, step })
    }
  })
  return out
}

/** The elements that lie at a byte, or over it. */
const elementsAt = ({ footprint: f }: Pick<Access, 'footprint'>, byte: number): ReadonlyArray<number> => {
  if (f.map._tag !== 'scatter') return []
  const size = Math.max(1, bitsOf(f.dtype) / 8)
  const out: number[] = []
  addressesIn(f.map).forEach((at, i) => {
    if (at >= 0 && at <= byte && byte < at + size) out.push(i)
  })
  return out
}

// ---------------------------------------------------------------- what may be taken

/** How many writes before the last a read may go back. */
export interface Reach {
  readonly most: number
  /** the same if nothing were known by the order of fences */
  readonly without: number
}

/** Of a read by these lanes, who know this, and to whom fences have shown that. */
export const reachOf = (
  touches: ReadonlyArray<Touch>,
  by: Stamp,
  k: Knowledge,
  shown: Knowledge | undefined,
): Reach => {
  const most = (all: ReadonlyArray<Knowledge>): number => {
    const isKnown = (stamp: Stamp): boolean => all.some((own) => seesEvent(own, stamp, by))
    // writes are counted from the last one on
    let writes = 0
    let limit = Infinity
    for (let i = touches.length - 1; i >= 0; i--) {
      const t = touches[i]!
      if (t.rw === 'r') {
        // what it took was `back` writes before the last one that stood before it
        if (isKnown(t.stamp)) limit = Math.min(limit, writes + t.back)
        continue
      }
      if (isKnown(t.stamp)) return Math.min(limit, writes)
      writes++
    }
    return Math.min(limit, writes)
  }
  return { most: most(shown === undefined ? [k] : [k, shown]), without: most([k]) }
}
