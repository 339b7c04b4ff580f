/** Kernels: the catalogue, the kernels themselves, what they are compared with, and broken ones. See README.md. */
export { instanceOf, isOfZoo, kernelNamed, kernels, settingsOf } from './catalogue/index.js'
export type {
  Input,
  Instance,
  Kernel,
  Parameter,
  Settings,
  SettingValue,
  TensorRole,
} from './catalogue/index.js'
export { hopperFp8 } from './hopper/hopper-fp8.js'
export type { HopperFp8 } from './hopper/hopper-fp8.js'
export { hopperMatmul } from './hopper/hopper-matmul.js'
export type { HopperMatmul } from './hopper/hopper-matmul.js'
export { hopperPersistent } from './hopper/hopper-persistent.js'
export type { HopperPersistent } from './hopper/hopper-persistent.js'
export { hopperPingPong } from './hopper/hopper-ping-pong.js'
export type { HopperPingPong } from './hopper/hopper-ping-pong.js'
export { hopperPipelineWs } from './hopper/hopper-pipeline-ws.js'
export type { HopperPipelineWs } from './hopper/hopper-pipeline-ws.js'
export { hopperPipelined } from './hopper/hopper-pipelined.js'
export type { HopperPipelined } from './hopper/hopper-pipelined.js'
export { hopperWs } from './hopper/hopper-ws.js'
export type { HopperWs } from './hopper/hopper-ws.js'
export { matmul0 } from './blackwell/matmul0.js'
export { matmul1 } from './blackwell/matmul1.js'
export { matmul2 } from './blackwell/matmul2.js'
export { matmul3 } from './blackwell/matmul3.js'
export { matmul4 } from './blackwell/matmul4.js'
export { matmul5 } from './blackwell/matmul5.js'
export { matmul6 } from './blackwell/matmul6.js'
export type { Persistent, TiledEpilogue, TiledGrid, TuningConfig } from './blackwell/setup.js'
export { matmulDynamic } from './blackwell/matmul-dynamic.js'
export type { MatmulDynamic } from './blackwell/matmul-dynamic.js'
export { matmulMxfp8 } from './blackwell/matmul-mxfp8.js'
export type { MatmulMxfp8 } from './blackwell/matmul-mxfp8.js'
export { queue } from './hopper/queue.js'
export type { Queue } from './hopper/queue.js'
export { naiveMatmul, naiveScaledMatmul, referenceOf, shapeOf, tensorsOf } from './reference.js'
export type { Reference, ReferenceFailure } from './reference.js'
export { randomPatterns } from './reference-inputs.js'
export { wgmmaLoop } from './hopper/wgmma-loop.js'
export type { WgmmaLoop } from './hopper/wgmma-loop.js'
export * as attention from './attention/index.js'
export * as broken from './broken/index.js'
export * as traffic from './traffic/index.js'
