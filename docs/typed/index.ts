export { tmaLoad, tmaStore } from './copy.js'
export type { Copy } from './copy.js'
export { tcgen05, wgmma } from './mma.js'
export type { MmaOperands, Operand } from './mma.js'
export type { Quotients, SwizzleElements } from './quotients.js'
export type {
  Div,
  DtypeMismatch,
  IllegalOperand,
  IllegalSlice,
  IllegalSwizzle,
  IllegalTile,
  IllegalTranspose,
  KMismatch,
  ShapeMismatch,
  Tiled,
  WrongSpace,
} from './type-errors.js'
export { physicalShape, ref, slice, slot, swizzle, tile, transpose, view } from './ref.js'
export type { AnyRef, Ref, Stage } from './ref.js'
