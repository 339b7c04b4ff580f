/**
 * `ttng`: products of matrices, wgmma's and tcgen05's, and how they are waited for.
 *
 * Source: Triton 3.6, dialect ttng.
 */
import { run, typeHere, type Steps } from '../../../semantics/writing/builder.js'
import type { Expr } from '../../../semantics/language/expression.js'
import { checked } from '../../../semantics/language/index-types.js'
import * as T from '../../ttng/index.js'
import { registerEncoding } from './encodings.js'
import { refusedAt, readAt, type Here, type Row, type Rows } from './here.js'
import { elementOf, shapeOf } from './kinds.js'
import { narrowOf } from './narrow.js'
import {
  encodingOf,
  flag,
  layoutOfResult,
  number,
  operand,
  operands,
  optional,
  options,
  resultType,
  when,
  word,
} from './operands.js'
import { showType } from '../text/show.js'
import { attributeOf, type Operation } from '../text/syntax.js'
import { own } from '../../../own.js'

const barriersOf = function* (h: Here, op: Operation): Steps<ReadonlyArray<T.MmaBarrier>> {
  const barriers = yield* operands(h, op, 'barriers')
  const predicates = yield* operands(h, op, 'barrier_preds')
  return barriers.map((barrier, k) => ({ barrier, when: predicates[k]! }))
}

/** The text is what is lowered, and there no product is waited for but by a barrier that the text says. */
const mmaOptions = function* (h: Here, op: Operation): Steps<T.MmaOptions> {
  return {
    ...options(h),
    ...(yield* when(h, op)),
    barriers: yield* barriersOf(h, op),
    isAsync: true,
    twoCtas: flag(op, 'two_ctas'),
  }
}

const warpGroupDot: Row = function* (h, op, label) {
  const type = resultType(op)
  const layout = yield* T.layoutOf(label, yield* layoutOfResult(h, op), shapeOf(type))
  const useC = yield* optional(h, op, 'useC', 'useC')
  const most = attributeOf(op.attributes, 'maxNumImpreciseAcc')
  const imprecise = most === undefined ? {} : { maxNumImpreciseAcc: yield* number(op, 'maxNumImpreciseAcc') }
  const common = {
    ...options(h),
    inputPrecision: checked<0, number>(yield* number(op, 'inputPrecision', 0)),
    ...useC,
    ...imprecise,
  }
  const [a, b, c] = [yield* operand(h, op, 'a'), yield* operand(h, op, 'b'), yield* operand(h, op, 'c')]
  // bytes in registers lie in i32, which says nothing of them
  const ofA = op.operands['a']?.[0]?.type
  const bytes = ofA?._tag === 'tensor' && narrowOf(ofA) === 8 ? { aType: 'i8' as const } : {}
  return flag(op, 'isAsync')
    ? [yield* T.warpGroupDot(label, a, b, c, { ...common, ...bytes, isAsync: true })]
    : [yield* T.warpGroupDot(label, a, b, c, { ...common, ...bytes, layout })]
}

const warpGroupDotWait: Row = function* (h, op, label) {
  const inputs = op.operands['inputs'] ?? []
  const pendings = yield* number(op, 'pendings')
  const given = yield* operands(h, op, 'inputs')
  const flights: number[] = []
  const buffers: number[] = []
  for (const [k, input] of given.entries()) {
    const type = yield* typeHere(input)
    if (type._tag === 'view') (type.space === 'regs' ? flights : buffers).push(k)
  }
  const results: Expr[] = [...given]
  // what is read of them is read in its own layout
  const isRead = (k: number): boolean => !h.flying.has(`${op.names[0]?.name ?? ''}#${String(k)}`)
  const waitedFor = [...flights, ...buffers].map((k) => given[k]!)
  if (waitedFor.length > 0) yield* T.warpGroupDotWait(label, waitedFor, { pendings })
  // what is there already: the wait is for the others that run
  else yield* run(label, { _tag: 'wgmma.waitGroup', pending: pendings })
  for (const k of flights.filter(isRead)) {
    const type = inputs[k]!.type
    const encoding = yield* readAt(op, registerEncoding(h.text, encodingOf(type)))
    const layout = yield* T.layoutOf(label, encoding, shapeOf(type))
    results[k] = yield* T.readWaited(
      flights.length === 1 ? `${label}.value` : `${label}.value${String(k)}`,
      given[k]!,
      layout,
    )
  }
  return results
}

/** Neighbours along K that a thread holds, of both operands. */
const kWidthOf = function* (h: Here, op: Operation): Steps<number> {
  const widthOf = function* (name: string): Steps<number> {
    const type = own(op.operands, name)?.[0]?.type ?? resultType(op)
    const encoding = yield* readAt(op, registerEncoding(h.text, encodingOf(type)))
    return encoding._tag === 'dot_operand' ? (encoding.kWidth ?? 0) : 0
  }
  const [a, b] = [yield* widthOf('a'), yield* widthOf('b')]
  return a === b && a > 0
    ? a
    : yield* refusedAt(op, 'operands of one kWidth', `${String(a)} and ${String(b)}`)
}

/** Of tensors in registers. Where the parent of the operands is blocked the threads multiply; else one instruction of a warp does. */
const dot: Row = function* (h, op, label) {
  const encoding = yield* layoutOfResult(h, op)
  const [a, b, c] = [yield* operand(h, op, 'a'), yield* operand(h, op, 'b'), yield* operand(h, op, 'c')]
  if (encoding._tag === 'blocked') return [yield* T.dot(label, a, b, c)]
  if (encoding._tag !== 'nvidia_mma' || encoding.versionMajor !== 2)
    return yield* refusedAt(op, 'a blocked result, or an nvidia_mma of version 2', `a ${encoding._tag}`)
  for (const name of ['a', 'b']) {
    const element = elementOf(own(op.operands, name)?.[0]?.type ?? resultType(op))
    if (element._tag === 'integer' && element.bits !== 8)
      return yield* refusedAt(op, 'bytes, or floats', showType(element))
  }
  const of = elementOf(op.operands['a']?.[0]?.type ?? resultType(op))
  const precision = word(op, 'inputPrecision') ?? 'ieee'
  if (of._tag === 'float' && of.name === 'f32' && precision !== 'tf32')
    return yield* refusedAt(op, 'f32 taken as tf32', precision)
  return [yield* T.warpDot(label, a, b, c, yield* kWidthOf(h, op))]
}

export const productRows: Rows = {
  'tt.dot': dot,
  'ttng.warp_group_dot': warpGroupDot,
  'ttng.warp_group_dot_wait': warpGroupDotWait,
  'ttng.tc_gen5_mma': function* (h, op, label) {
    const token = yield* T.tcGen5Mma(
      label,
      yield* operand(h, op, 'a'),
      yield* operand(h, op, 'b'),
      yield* operand(h, op, 'd'),
      yield* operand(h, op, 'useD'),
      yield* mmaOptions(h, op),
    )
    return [token]
  },
  'ttng.tc_gen5_mma_scaled': function* (h, op, label) {
    const type = (name: string): 'e4m3' => checked<'e4m3', string>(word(op, name) ?? '')
    const token = yield* T.tcGen5MmaScaled(
      label,
      yield* operand(h, op, 'a'),
      yield* operand(h, op, 'b'),
      yield* operand(h, op, 'd'),
      yield* operand(h, op, 'a_scale'),
      yield* operand(h, op, 'b_scale'),
      yield* operand(h, op, 'useD'),
      { ...(yield* mmaOptions(h, op)), aType: type('a_type'), bType: type('b_type') },
    )
    return [token]
  },
  'ttng.tc_gen5_commit': function* (h, op, label) {
    yield* T.tcGen5Commit(label, yield* operand(h, op, 'barrier'), {
      ...options(h),
      ...(yield* when(h, op)),
    })
    return []
  },
}
