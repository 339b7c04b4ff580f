/** Kernels that must be rejected, and how they are made. */
export { linesOf, programName, zoo } from './zoo/index.js'
export type { Shows, Twin } from './zoo/index.js'
export { labelsOf, without } from './without.js'
export type { WithoutFailure } from './without.js'
export { brokenHopperMatmuls } from './hopper-matmul.js'
export type { Broken } from './hopper-matmul.js'
export { brokenWgmmaLoop, brokenWgmmaLoops } from './wgmma-loop.js'
export type { BrokenLoop } from './wgmma-loop.js'
