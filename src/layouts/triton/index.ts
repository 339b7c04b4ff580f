export * as bankConflicts from './bank-conflicts.js'
export * as blocks from './blocks.js'
export * as distributed from './distributed.js'
export * as mmaOperand from './mma-operand.js'
export * as repetition from './repetition.js'
export * as shared from './shared.js'
export * as tensorMemory from './tensor-memory.js'
export * as tmaMessage from './tma-message.js'
export * as tmemAtoms from './tmem-atoms.js'
export { encoding, isEncoding, rankOf } from './encoding.js'
export { onShape, toLinear } from './to-linear.js'
export { encodingText } from './text.js'
export { toRef } from './to-ref.js'
export type { BufferSpec, ToRefError } from './to-ref.js'
export type { BankConflicts } from './bank-conflicts.js'
export type { ToLinearError } from './blocks.js'
export type { OperandForm, OperandRequest, RecognisedOperand } from './mma-operand.js'
export type { Messages } from './tma-message.js'
export type { AtomName, Transfer } from './tmem-atoms.js'
export type {
  Blocked,
  DistributedSpec,
  DotOperand,
  Encoding,
  EncodingError,
  EncodingSpec,
  Linear,
  NvidiaMma,
  NvmmaShared,
  SharedLinear,
  SharedSpec,
  Slice,
  SwizzledShared,
  TensorMemory,
  TensorMemoryScales,
  TensorMemorySpec,
} from './encoding.js'
