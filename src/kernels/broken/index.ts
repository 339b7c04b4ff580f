/** Kernels that must be rejected, and how they are made. */
export { labelsOf, without } from './without.js'
export type { WithoutFailure } from './without.js'
export { brokenHopperMatmuls } from './hopper-matmul.js'
export type { Broken } from './hopper-matmul.js'
export { brokenWgmmaLoop, brokenWgmmaLoops } from './wgmma-loop.js'
export type { BrokenLoop } from './wgmma-loop.js'
