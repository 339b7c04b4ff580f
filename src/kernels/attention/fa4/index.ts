/** FA4: attention on Blackwell's tensor core. See fa4-attention.ts. */
export { counters, fa4Attention } from './fa4-attention.js'
export type { Counters } from './fa4-attention.js'
export { isWhole, keyBlocks } from './key-blocks.js'
export type { KeyBlocks } from './key-blocks.js'
export { blockRows, choices, configOf, fa4, tileRows } from './model.js'
export type { Fa4, Fa4Choices } from './model.js'
