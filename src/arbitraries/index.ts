export type {
  BarrierConstraints,
  BarrierOperation,
  BarrierScript,
  PipelineCounts,
  PipelineStep,
} from './barrier.js'
export {
  afterOperation,
  afterStep,
  barrierScript,
  barrierStates,
  goesThrough,
  noSteps,
  pipelineScript,
  showBarrierOperation,
  showBarrierScript,
} from './barrier.js'
export type { CuteConstraints } from './cute.js'
export { compactCuteLayout, cuteLayout, cuteShape } from './cute.js'
export type { DamageConstraints, Edit, EditKind } from './json.js'
export { damaged, edit, edited, edits } from './json.js'
export type { LinearDimension, LinearSizes } from './linear.js'
export { fullRankLinearLayout, linearLayout, linearSizes } from './linear.js'
export type { Schedule } from './program.js'
export { cleanProgram, program, schedule, skeleton } from './program.js'
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
