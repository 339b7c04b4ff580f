export { codes, type Code, type Says } from './codes.js'
export {
  encoding,
  isEncoding,
  type Blocked,
  type DistributedSpec,
  type DotOperand,
  type Encoding,
  type EncodingError,
  type EncodingSpec,
  type Linear,
  type NvidiaMma,
  type NvmmaShared,
  type SharedLinear,
  type SharedSpec,
  type Slice,
  type SwizzledShared,
  type TensorMemory,
  type TensorMemoryScales,
  type TensorMemorySpec,
} from '../../layouts/triton/encoding.js'
export * from './async-copy.js'
export * from './async-shared-store.js'
export * from './atomic.js'
export * from './barrier.js'
export * from './clc.js'
export * from './cluster-layout.js'
export * from './cluster.js'
export * from './combine.js'
export * from './convert.js'
export * from './dot.js'
export * from './enums.js'
export * from './float.js'
export * from './integer.js'
export * from './issue.js'
export * from './lookup.js'
export * from './loop.js'
export * from './memdesc.js'
export * from './module.js'
export * from './nvmma.js'
export * from './partition.js'
export * from './pointer.js'
export * from './tensor.js'
export * from './tensor-core.js'
export * from './tensor-map.js'
export * from './tensor-memory.js'
export * from './tma.js'
export * from './types.js'
export * from './warp-group-dot.js'
