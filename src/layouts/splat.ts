/**
 * The splat layout: one register in every lane stands for every element of an array of equal elements.
 *
 *     WG_SPLAT((64, 8)): every (warp, lane) holds register 0; register 0 is element [i, j] for all i, j
 *
 * Names: Mosaic GPU `WGSplatFragLayout`, `plgpu.Layout.WG_SPLAT`; in Triton a layout all of whose bases are zero.
 *
 * Laws
 * 1. Every element is held by all 128 lanes, in register 0.
 * 2. `canBroadcast(a, b)` exactly when NumPy broadcasts a to b.
 *
 * Source: JAX docs, Pallas:MGPU reference (layouts).
 */
import type { Shape } from '../transforms/shape.js'

export interface SplatLayout {
  readonly _tag: 'splat'
  readonly shape: Shape
}

export const splatLayout = (shape: Shape): SplatLayout => ({ _tag: 'splat', shape })

/** Mosaic GPU's and Pallas' name. */
export const WG_SPLAT: typeof splatLayout = splatLayout

/** May a splat of the first shape stand for an array of the second? Trailing extents must be equal or 1. */
export const canBroadcast = (from: Shape, to: Shape): boolean =>
  from.length <= to.length &&
  from.every((extent, k) => extent === 1 || extent === to[to.length - from.length + k])
