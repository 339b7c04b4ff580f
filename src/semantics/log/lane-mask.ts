/**
 * Masks of lanes: a bit for each lane of a warp.
 *
 *     0b1101      lanes 0, 2 and 3: three of them, the lowest is 0
 *
 * Laws
 * 1. `countOf` of two masks without a lane in common is the sum of both.
 * 2. `singles` are `countOf` masks of one lane, and all of them together are the mask.
 */

/** The lowest lane of a mask that has one. */
export const lowest = (mask: number): number => 31 - Math.clz32(mask & -mask)

export const countOf = (mask: number): number => {
  let n = 0
  for (let m = mask; m !== 0; m &= m - 1) n++
  return n
}

/** A mask for each of its lanes, the lowest first. */
export const singles = (mask: number): ReadonlyArray<number> => {
  const out: number[] = []
  for (let left = mask; left !== 0; left &= left - 1) out.push(left & -left)
  return out
}

/** It has one lane, or none. */
export const isOne = (mask: number): boolean => (mask & (mask - 1)) === 0
