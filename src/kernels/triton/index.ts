export { attentionWarpSpecialised } from './attention-ws.js'
export { asCompiled, matmulPointer, matmulPointerScalars } from './matmul-pointer.js'
export type { MatmulPointer } from './matmul-pointer.js'
