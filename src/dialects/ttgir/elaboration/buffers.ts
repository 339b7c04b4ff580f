/**
 * `ttg`: buffers of shared memory and their views, and the copies that fill them by themselves.
 *
 * Source: Triton 3.6, dialect ttg.
 */
import * as T from '../../ttng/index.js'
import { sharedEncoding } from './encodings.js'
import { refusedAt, type Here, type Row, type Rows } from './here.js'
import { bytesOf, shapeOf } from './kinds.js'
import {
  dtypeHere,
  encoded,
  encodingOf,
  isGiven,
  layoutOfResult,
  number,
  numbers,
  operand,
  operands,
  optional,
  resultType,
} from './operands.js'

/** The first buffer that was given back and is large enough, for the new one. */
const takeFreed = (h: Here, bytes: number): { readonly reuses?: T.Freed } => {
  const at = h.freed?.findIndex((f) => f.bytes >= bytes) ?? -1
  const [found] = at < 0 ? [] : (h.freed?.splice(at, 1) ?? [])
  return found === undefined ? {} : { reuses: found.by }
}

const localAlloc: Row = function* (h, op, label) {
  const type = resultType(op)
  const encoding = yield* encoded(op, sharedEncoding(h.text, encodingOf(type)))
  const src = yield* optional(h, op, 'src', 'src')
  const mutable = type._tag === 'memdesc' && type.mutable
  return [
    yield* T.localAlloc(label, shapeOf(type), yield* dtypeHere(op, type), encoding, {
      mutable,
      ...src,
      ...takeFreed(h, bytesOf(type)),
    }),
  ]
}

export const bufferRows: Rows = {
  'ttg.convert_layout': function* (h, op, label) {
    return [yield* T.convertLayout(label, yield* operand(h, op, 'src'), yield* layoutOfResult(h, op))]
  },
  'ttg.local_alloc': localAlloc,
  'ttg.local_dealloc': function* (h, op, label) {
    const by = yield* T.localDealloc(label, yield* operand(h, op, 'src'))
    h.freed?.push({ bytes: bytesOf(op.operands['src']![0]!.type), by })
    return []
  },
  'ttg.local_load': function* (h, op, label) {
    return [yield* T.localLoad(label, yield* operand(h, op, 'src'), yield* layoutOfResult(h, op))]
  },
  'ttg.local_store': function* (h, op, label) {
    yield* T.localStore(label, yield* operand(h, op, 'src'), yield* operand(h, op, 'dst'))
    return []
  },
  'ttg.memdesc_index': function* (h, op, label) {
    return [yield* T.memdescIndex(label, yield* operand(h, op, 'src'), yield* operand(h, op, 'index'))]
  },
  'ttg.memdesc_subslice': function* (h, op, label) {
    const shape = shapeOf(resultType(op))
    return [
      yield* T.memdescSubslice(label, yield* operand(h, op, 'src'), yield* numbers(op, 'offsets'), shape),
    ]
  },
  'ttg.memdesc_trans': function* (h, op, label) {
    return [yield* T.memdescTrans(label, yield* operand(h, op, 'src'), yield* numbers(op, 'order'))]
  },
  'ttg.async_copy_global_to_local': function* (h, op, label) {
    if (isGiven(op, 'other'))
      return yield* refusedAt(op, 'no `other`: where a mask is false zeros are written', 'one')
    const mask = yield* optional(h, op, 'mask', 'mask')
    const contiguity = yield* number(op, 'contiguity', 0)
    return [
      yield* T.asyncCopyGlobalToLocal(label, yield* operand(h, op, 'src'), yield* operand(h, op, 'result'), {
        ...mask,
        ...(contiguity === 0 ? {} : { contiguity }),
      }),
    ]
  },
  'ttg.async_commit_group': function* (h, op, label) {
    return [yield* T.asyncCommitGroup(label, yield* operands(h, op, 'inputTokens'))]
  },
  'ttg.async_wait': function* (h, op, label) {
    return [yield* T.asyncWait(label, yield* operands(h, op, 'asyncToken'), yield* number(op, 'num'))]
  },
  'ttg.global_scratch_alloc': function* (h, op, label) {
    return [
      yield* T.globalScratchAlloc(label, {
        nbytes: yield* number(op, 'nbytes'),
        alignment: yield* number(op, 'alignment'),
        ...(h.grid.every((n) => n === 1) ? {} : { grid: h.grid }),
      }),
    ]
  },
}
