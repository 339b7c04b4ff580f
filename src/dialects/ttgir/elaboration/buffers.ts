/**
 * `ttg`: buffers of shared memory and their views, and the copies that fill them by themselves.
 *
 * Source: Triton 3.6, dialect ttg.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { alignmentBytes } from '../../../layouts/triton/shared.js'
import { bitsOf } from '../../../numerics/dtype.js'
import { extentBytes } from '../../../transforms/ref.js'
import * as T from '../../ttng/index.js'
import { sharedEncoding } from './encodings.js'
import { readAt, type Row, type Rows } from './here.js'
import { dtypeOf, elementOf, shapeOf } from './kinds.js'
import { livesOf, offsetsOf } from './liveness.js'
import { fencedCopies, type Placement } from './proxy-fences.js'
import {
  dtypeHere,
  encodingOf,
  layoutOfResult,
  number,
  numbers,
  operand,
  operands,
  optional,
  resultType,
} from './operands.js'
import type { Module, Operation } from '../text/syntax.js'

/** Where the buffers of a function begin; one whose encoding is none is refused where it is allocated. */
export const placementIn = (m: Module, op: Operation): Placement => {
  const { lives, names } = livesOf([op])
  const buffers = [...lives].flatMap(([allocation, life]) => {
    const type = resultType(allocation)
    const dtype = dtypeOf(elementOf(type))
    if (type._tag !== 'memdesc' || dtype === null) return []
    return pipe(
      sharedEncoding(m, type.encoding),
      E.chainW((encoding) =>
        pipe(
          T.layOut(encoding, type.shape, bitsOf(dtype)),
          E.map((ref) => ({ bytes: ref.byteOffset + extentBytes(ref), align: alignmentBytes(encoding) })),
        ),
      ),
      E.match(
        () => [],
        ({ bytes, align }) => [{ allocation, life, bytes, align }],
      ),
    )
  })
  const offsets = offsetsOf(buffers)
  const extents = new Map(
    buffers.map(({ allocation, bytes }, k) => [allocation, [offsets[k]!, offsets[k]! + bytes] as const]),
  )
  const share = (a: Operation, b: Operation): boolean => {
    const [x, y] = [extents.get(a), extents.get(b)]
    return x !== undefined && y !== undefined && x[0] < y[1] && y[0] < x[1]
  }
  return {
    offsets: new Map(buffers.map(({ allocation }, k) => [allocation, offsets[k]!])),
    fenced: fencedCopies([op], names, share),
  }
}

const localAlloc: Row = function* (h, op, label) {
  const type = resultType(op)
  const encoding = yield* readAt(op, sharedEncoding(h.text, encodingOf(type)))
  const src = yield* optional(h, op, 'src', 'src')
  const mutable = type._tag === 'memdesc' && type.mutable
  const offset = h.placement.offsets.get(op)
  return [
    yield* T.localAlloc(label, shapeOf(type), yield* dtypeHere(op, type), encoding, {
      mutable,
      ...src,
      ...(offset === undefined ? {} : { offset }),
      ordersTensorCore: !h.plain.has(op),
    }),
  ]
}

/** The same bytes, as the result says. */
const reinterpreted: Row = function* (h, op, label) {
  const type = resultType(op)
  const encoding = yield* readAt(op, sharedEncoding(h.text, encodingOf(type)))
  return [
    yield* T.memdescReinterpret(
      label,
      yield* operand(h, op, 'src'),
      shapeOf(type),
      yield* dtypeHere(op, type),
      encoding,
    ),
  ]
}

export const bufferRows: Rows = {
  'ttg.convert_layout': function* (h, op, label) {
    return [yield* T.convertLayout(label, yield* operand(h, op, 'src'), yield* layoutOfResult(h, op))]
  },
  'ttg.local_alloc': localAlloc,
  'ttg.local_dealloc': function* (h, op, label) {
    yield* T.localDealloc(label, yield* operand(h, op, 'src'))
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
  'ttg.memdesc_reshape': reinterpreted,
  'ttg.memdesc_reinterpret': reinterpreted,
  'ttg.async_copy_global_to_local': function* (h, op, label) {
    // `other` is not looked at: where the mask is false the copy writes zeros, and a `select` behind the load brings what is not zero
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
    // each CTA of a cluster has its own
    const grid = h.grid.map((n, axis) => (axis === 0 ? n * (h.from.numCtas ?? 1) : n))
    return [
      yield* T.globalScratchAlloc(label, {
        nbytes: yield* number(op, 'nbytes'),
        alignment: yield* number(op, 'alignment'),
        ...(grid.every((n) => n === 1) ? {} : { grid }),
      }),
    ]
  },
}
