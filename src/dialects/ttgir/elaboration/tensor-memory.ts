/**
 * `ttng`: tensor memory, its allocations and views, loads, stores and copies.
 *
 * Source: Triton 3.6, dialect ttng.
 */
import * as T from '../../ttng/index.js'
import { tensorMemoryEncoding } from './encodings.js'
import { readAt, type Row, type Rows } from './here.js'
import { shapeOf } from './kinds.js'
import {
  dtypeHere,
  encodingOf,
  layoutOfResult,
  number,
  operand,
  optional,
  options,
  resultType,
  when,
} from './operands.js'

const tmemAlloc: Row = function* (h, op, label) {
  const type = resultType(op)
  const encoding = yield* readAt(op, tensorMemoryEncoding(h.text, encodingOf(type)))
  const src = yield* optional(h, op, 'src', 'src')
  const { result, token } = yield* T.tmemAlloc(label, yield* dtypeHere(op, type), shapeOf(type), {
    ...options(h),
    encoding,
    mutable: type._tag === 'memdesc' && type.mutable,
    ...src,
  })
  return [result, token]
}

export const tensorMemoryRows: Rows = {
  'ttng.tmem_alloc': tmemAlloc,
  'ttng.tmem_load': function* (h, op, label) {
    const layout = yield* T.layoutOf(label, yield* layoutOfResult(h, op), shapeOf(resultType(op)))
    const { result, token } = yield* T.tmemLoad(label, yield* operand(h, op, 'src'), layout, options(h))
    return [result, token]
  },
  'ttng.tmem_store': function* (h, op, label) {
    const token = yield* T.tmemStore(label, yield* operand(h, op, 'src'), yield* operand(h, op, 'dst'), {
      ...options(h),
      ...(yield* when(h, op)),
    })
    return [token]
  },
  'ttng.tmem_subslice': function* (h, op, label) {
    const [, columns = 0] = shapeOf(resultType(op))
    return [yield* T.tmemSubslice(label, yield* operand(h, op, 'src'), yield* number(op, 'N'), columns)]
  },
  'ttng.tmem_copy': function* (h, op, label) {
    const barrier = yield* optional(h, op, 'barrier', 'barrier')
    yield* T.tmemCopy(label, yield* operand(h, op, 'src'), yield* operand(h, op, 'dst'), {
      ...options(h),
      ...barrier,
    })
    return []
  },
}
