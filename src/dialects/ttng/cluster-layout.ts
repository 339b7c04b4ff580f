/**
 * How the CTAs of a cluster share: the rows of a CGA layout, one for each bit of a CTA's rank.
 *
 * A zero row: the two CTAs that differ in this bit have the same. Of a barrier: both use the barrier of the one without the bit, the
 * *lead*. Of a buffer: both hold the same elements, so one load may fill both (*multicast*). The other rows of a barrier are 1, 2, 4, ...
 *
 *     barrier, 4 CTAs, [[0], [1]]     lead of rank 3: 3 without bit 0 = 2     2 barriers, each with twice the arrivals
 *     buffer, 4 CTAs, [[0,0],[1,0]]   ranks {0,1} and {2,3} hold the same     mask of rank 3: 0b1100
 *
 * Laws
 * 1. `leadOf` is idempotent, and a lead is its own lead.
 * 2. The masks of the ranks partition the cluster; the lowest rank of each mask issues.
 *
 * Names: `#ttg.cga_encoding`, CTA broadcast groups, lead CTA.
 *
 * Source: Triton, verification of barriers and lowering of TMA copies with multicast.
 */
import {
  add,
  and,
  eq,
  i32,
  ne,
  place,
  select,
  shl,
  type Condition,
  type Int,
} from '../../semantics/language/expression.js'

/** One row for each bit of the rank; of rank-1 buffers the rows may be numbers. */
export type CgaLayout = ReadonlyArray<ReadonlyArray<number>>

const rank: Int = place('ctaRank')

/** The bits of the rank on which the layout does not depend. */
export const sharedBits = (layout: CgaLayout): number =>
  layout.reduce((bits, row, bit) => (row.every((v) => v === 0) ? bits | (1 << bit) : bits), 0)

/** The CTA that leads the group of a CTA. */
export const leadOf = (bits: number): Int => and(rank, i32(~bits))

/** Whether this CTA is the lead; undefined if every CTA is. */
export const isLead = (bits: number): Condition | undefined =>
  bits === 0 ? undefined : eq(and(rank, i32(bits)), i32(0))

/** Whether this CTA issues for itself and the next. */
export const evenCta: Condition = eq(and(rank, i32(1)), i32(0))

/** Every way to set these bits. */
export const subsetsOf = (bits: number): ReadonlyArray<number> => {
  const all: number[] = []
  for (let s = 0; s <= bits; s++) if ((s & ~bits) === 0) all.push(s)
  return all
}

/** The mask of the CTAs that differ from this one in these bits at most. */
export const groupMask = (bits: number): Int =>
  shl(i32(subsetsOf(bits).reduce((mask, s) => mask | (1 << s), 0)), leadOf(bits))

/** The start of the share of this CTA in dimension d of the block, in elements. */
export const shareStart = (layout: CgaLayout, d: number, share: number): Int | null =>
  layout.reduce<Int | null>((sum, row, bit) => {
    const step = (row[d] ?? 0) * share
    if (step === 0) return sum
    const term = select(ne(and(rank, i32(1 << bit)), i32(0)), i32(step), i32(0))
    return sum === null ? term : add(sum, term)
  }, null)
