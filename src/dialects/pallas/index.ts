export * from './barrier.js'
export * from './copy.js'
export * from './kernel.js'
export * from './wgmma.js'
