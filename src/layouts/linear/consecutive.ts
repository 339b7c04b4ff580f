/**
 * How many neighbours stay neighbours.
 *
 * The number of consecutive coordinates of the first input, aligned to their number, that are consecutive in the first
 * output wherever the other coordinates are. It bounds the length of a vector access: V registers of one lane that hold
 * V consecutive elements.
 *
 *     register [1] [2] [4], lane [8]   ->  8
 *     register [1] [2] [4], lane [9]   ->  1: for odd lanes the run is 9, 8, 11, ...
 *     register [1] [2] [8], lane [4]   ->  4
 *
 * Names: Triton `getNumConsecutiveInOut`.
 *
 * Laws
 * 1. It is the largest power of two V with L(V a + v, b) = L(V a, b) + (v, 0, ..., 0) for v < V: a sum, not an xor.
 * 2. 1 for a layout without inputs or without outputs.
 */
import type { LinearSpec } from './linear-layout.js'

/** The V of law 1. */
export const numConsecutiveInOut = (layout: LinearSpec): number => {
  const [first, ...others] = layout.inputs
  if (first === undefined || layout.outputs.length === 0) return 1
  const inStep = first.bases.findIndex((basis, bit) => basis.some((v, d) => v !== (d === 0 ? 2 ** bit : 0)))
  const run = inStep < 0 ? first.bases.length : inStep
  // Any other basis must leave the low bits alone.
  const rest = [first.bases.slice(run), ...others.map((input) => input.bases)].flat()
  const touched = rest.reduce((bits, basis) => bits | basis[0]!, 2 ** run)
  return touched & -touched
}
