/** Attention: masks, naive attention and tolerances, and the kernels. */
export {
  alignments,
  bandOf,
  blocksOf,
  causal,
  keysOf,
  noMask,
  sees,
  shiftOf,
  showMask,
  slidingWindow,
} from './mask.js'
export type { Alignment, Band, Blocks, Lengths, Mask } from './mask.js'
export { attention, decodedAttention, kvHeadOf, log2e, naiveAttention, sizesOf } from './naive.js'
export type { Attended, Attention, AttentionFailure, AttentionShape, Hidden, Operands } from './naive.js'
export { farthest, largest, published, tolerances } from './tolerance.js'
export type { Excess, Tolerance } from './tolerance.js'
export { fa3Attention, mosaicNumerics, showFa3 } from './fa3.js'
export type { Fa3Attention, Fa3Numerics } from './fa3.js'
export { fa4, fa4Attention } from './fa4/index.js'
export { kvPipelineKernel } from './kv-pipeline.js'
export type { KvPipelineKernel } from './kv-pipeline.js'
export type { Fa4, Fa4Choices } from './fa4/index.js'
