/**
 * Masks of lanes: a bit for each lane of a warp.
 *
 *     0b1101      lanes 0, 2 and 3: three of them, the lowest is 0
 *
 * Law 1. `countOf` of two masks without a lane in common is the sum of both.
 */

/** The lowest lane of a mask that has one. */
export const lowest = (mask: number): number => 31 - Math.clz32(mask & -mask)

export const countOf = (mask: number): number => {
  let n = 0
  for (let m = mask; m !== 0; m &= m - 1) n++
  return n
}

/** It has one lane, or none. */
export const isOne = (mask: number): boolean => (mask & (mask - 1)) === 0
