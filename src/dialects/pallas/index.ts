export { codes, type Code, type Raises } from './codes.js'
export * from './access.js'
export * from './accumulator.js'
export * from './array.js'
export * from './atomic.js'
export * from './auto-barriers.js'
export * from './barrier.js'
export * from './blocks.js'
export * from './cluster-barrier.js'
export * from './cluster-cancel.js'
export * from './compiler-params.js'
export * from './context.js'
export * from './copy.js'
export * from './core-map.js'
export * from './device.js'
export * from './dynamic-scheduling.js'
export * from './inline.js'
export * from './kernel.js'
export { Layout } from './layout.js'
export * from './memory.js'
export * from './mesh.js'
export * from './nd-loop.js'
export * from './pallas-call.js'
export { foriLoop } from './parities.js'
export * from './pipeline.js'
export * from './planar-snake.js'
export * from './ref-union.js'
export * from './refs.js'
export * from './registers.js'
export * from './scoped.js'
export * from './semaphore.js'
export * from './smem-to-tmem.js'
export * from './tcgen05.js'
export * from './tmem-transfer.js'
export * from './transforms.js'
export {
  type PipelineState,
  PipelinePipeline,
  type WarpSpecializedSpec,
  type Allocations,
  type BarrierPhase,
  type ConsumedBarrier,
  type WarpSpecializedStep,
  type RunPipeline,
  type ComputeContext,
  waitReady,
  arriveConsumed,
  computeRegisters,
  warpSpecializedAllocations,
} from './warp-specialized-spec.js'
export * from './warp-specialized.js'
export * from './warp-product.js'
export * from './wgmma.js'
