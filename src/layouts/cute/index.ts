export * as coalescing from './coalesce.js'
export * as codomain from './codomain.js'
export * as complements from './complement.js'
export * as composedLayouts from './composed.js'
export * as compositions from './composition.js'
export * as coordinates from './coordinate.js'
export * as division from './divide.js'
export * as fragments from './fragments.js'
export * as intTuples from './int-tuple.js'
export * as inverses from './inverse.js'
export * as layouts from './layout.js'
export * as products from './product.js'
export * as recasting from './recast.js'
export * as scaledBasis from './scaled-basis.js'
export * as swizzles from './swizzle.js'
export * as tensorMap from './tensor-map.js'
export * as text from './text.js'
export * as tilers from './tiler.js'
export * as trees from './tree.js'
export { coalesce, coalesceBy } from './coalesce.js'
export { complement } from './complement.js'
export type { ComposedLayout } from './composed.js'
export { composed } from './composed.js'
export { composition } from './composition.js'
export { flatDivide, logicalDivide, tiledDivide, zippedDivide } from './divide.js'
export type { IntTuple } from './int-tuple.js'
export { leftInverse, maxCommonLayout, maxCommonVector, rightInverse } from './inverse.js'
export type { Layout } from './layout.js'
export { at, cosize, evaluate, layout, size } from './layout.js'
export {
  blockedProduct,
  flatProduct,
  logicalProduct,
  rakedProduct,
  tiledProduct,
  tileToShape,
  zippedProduct,
} from './product.js'
export type { ScaledBasis, Stride } from './scaled-basis.js'
export type { Swizzle } from './swizzle.js'
export { swizzle } from './swizzle.js'
export {
  parseComposed,
  parseLayout,
  parseSwizzle,
  parseTiler,
  parseTuple,
  showComposed,
  showLayout,
  showSwizzle,
  showTiler,
  showTuple,
} from './text.js'
export type { Tiler } from './tiler.js'
export { full, tile, tilerOfShape } from './tiler.js'
