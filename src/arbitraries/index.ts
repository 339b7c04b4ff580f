export type { CuteConstraints } from './cute.js'
export { compactCuteLayout, cuteLayout, cuteShape } from './cute.js'
export type { LinearDimension, LinearSizes } from './linear.js'
export { fullRankLinearLayout, linearLayout, linearSizes } from './linear.js'
export type { Allocation } from './ref.js'
export { allocation, transformedRef } from './ref.js'
export type { Sample } from './register-layout.js'
export {
  namedTiledLayout,
  registerLayout,
  splat,
  strided,
  tiledLayout,
  tiledSample,
} from './register-layout.js'
export type { ShapeConstraints } from './shape.js'
export { index, permutation, shape } from './shape.js'
export { elementBits, swizzle, tile, tiling, transforms } from './transform.js'
