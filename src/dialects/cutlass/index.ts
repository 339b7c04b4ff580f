export * as multicast from './multicast.js'
export * as pipelineState from './pipeline-state.js'
export type { PipelineState } from './pipeline-state.js'
