export * as encodings from './encodings.js'
export { attentionWarpSpecialised } from './attention-ws.js'
export { matmulPointer, matmulPointerScalars } from './matmul-pointer.js'
