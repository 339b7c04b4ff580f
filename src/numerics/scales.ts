/**
 * Block scales: `block` elements along k share one.
 *
 *     k = 64, block 32:   elements 0 .. 31 of a row times its scale 0, elements 32 .. 63 times its scale 1
 *
 * The scales of a stand by rows, those of b by columns: a is m x k with scales m x k/block, b is k x n with scales n x k/block.
 *
 * Law 1. Scales of one change nothing.
 *
 * Source: OCP Microscaling Formats; PTX ISA, tcgen05.mma, block scaling.
 */
import type { Binary } from './algebra.js'

/** a, each element times its scale. */
export const dequantised = (
  a: Float64Array,
  k: number,
  block: number,
  scales: Float64Array,
  times: Binary,
): Float64Array =>
  a.map((x, at) => times(x, scales[Math.floor(at / k) * (k / block) + Math.floor((at % k) / block)]!))

/** b, each element times its scale. */
export const dequantisedColumns = (
  b: Float64Array,
  n: number,
  k: number,
  block: number,
  scales: Float64Array,
  times: Binary,
): Float64Array =>
  b.map((x, at) => times(x, scales[(at % n) * (k / block) + Math.floor(Math.floor(at / n) / block)]!))
