/**
 * `plgpu.Layout`: how an array lies in the registers of a thread, by the names of Pallas.
 *
 * Those of one shape are layouts; those that take numbers give one or say why not. `Layout.WGMMA.reduce(1)` is
 * `reduce([1])(Layout.WGMMA)` of `layouts/tiled.ts`.
 *
 * Names: `plgpu.Layout`; `layouts/named.ts` reads the same names from text.
 *
 * Source: JAX docs, Pallas:MGPU reference (layouts).
 */
import { WG_SPLAT } from '../../layouts/splat.js'
import { stridedLayout } from '../../layouts/strided.js'
import * as Tiled from '../../layouts/tiled.js'

export const Layout: {
  readonly WGMMA: Tiled.TiledLayout
  readonly WGMMA_8BIT: Tiled.TiledLayout
  readonly WGMMA_UPCAST_2X: Tiled.TiledLayout
  readonly WGMMA_UPCAST_4X: Tiled.TiledLayout
  readonly WGMMA_TRANSPOSED: Tiled.TiledLayout
  readonly TCGEN05: Tiled.TiledLayout
  readonly TCGEN05_TRANSPOSED: Tiled.TiledLayout
  readonly TCGEN05_M64_COLLECTIVE: typeof Tiled.TCGEN05_M64_COLLECTIVE
  readonly TCGEN05_TMEM_NATIVE: typeof Tiled.TMEM_NATIVE
  readonly TMA_INDICES: Tiled.TiledLayout
  readonly WG_SPLAT: typeof WG_SPLAT
  readonly WG_STRIDED: typeof stridedLayout
} = {
  WGMMA: Tiled.WGMMA,
  WGMMA_8BIT: Tiled.WGMMA_8BIT,
  WGMMA_UPCAST_2X: Tiled.WGMMA_UPCAST_2X,
  WGMMA_UPCAST_4X: Tiled.WGMMA_UPCAST_4X,
  WGMMA_TRANSPOSED: Tiled.WGMMA_TRANSPOSED,
  TCGEN05: Tiled.TCGEN05,
  TCGEN05_TRANSPOSED: Tiled.TCGEN05_TRANSPOSED,
  TCGEN05_M64_COLLECTIVE: Tiled.TCGEN05_M64_COLLECTIVE,
  TCGEN05_TMEM_NATIVE: Tiled.TMEM_NATIVE,
  TMA_INDICES: Tiled.TMA_INDICES,
  WG_SPLAT,
  WG_STRIDED: stridedLayout,
}
