/**
 * Traffic: what an order of tiles asks memory for, and what a cache in between makes of it.
 *
 *     visiting-order   an order of the tiles, and the waves in which clusters work on them
 *     footprint        the operands that a wave reads
 *     lru              a cache
 *     study            the two together, for one matmul
 *     observed         what the loads of a run really read
 */
export { footprints, panelsOf, type Footprint, type PanelBytes } from './footprint.js'
export { lru, type Request, type Traffic } from './lru.js'
export { loadsOf, type Box, type Load } from './observed.js'
export { operandBytes, panelBytes, requestsOf, visit, type Tiling, type Visit } from './study.js'
export {
  bands,
  columns,
  orderName,
  rows,
  snake,
  visitingOrder,
  wavesOf,
  type Order,
  type TileGrid,
  type TilePlace,
} from './visiting-order.js'
