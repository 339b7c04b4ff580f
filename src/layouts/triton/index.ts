export * as blocks from './blocks.js'
export * as distributed from './distributed.js'
export * as shared from './shared.js'
export * as tensorMemory from './tensor-memory.js'
export { encoding, isEncoding, rankOf } from './encoding.js'
export { onShape, toLinear } from './to-linear.js'
export type { ToLinearError } from './blocks.js'
export type {
  Blocked,
  DistributedSpec,
  DotOperand,
  Encoding,
  EncodingError,
  EncodingSpec,
  Linear,
  NvidiaMma,
  NvmmaShared,
  SharedLinear,
  SharedSpec,
  Slice,
  SwizzledShared,
  TensorMemory,
  TensorMemoryScales,
  TensorMemorySpec,
} from './encoding.js'
