/** Mojo's pipeline of K and V, and the sizes of its attention kernel. See README.md. */
export * from './barrier-operation.js'
export * from './fa4-config.js'
export * from './kv-consumer-pipeline.js'
export * from './kv-pipeline.js'
export * from './kv-producer-pipeline.js'
export * from './pipeline-state.js'
export * from './words.js'
