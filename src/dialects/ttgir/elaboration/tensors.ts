/**
 * `tt`: programs of the grid, ranges and shapes of tensors, pointers, loads and stores.
 *
 * Source: Triton 3.6, dialect tt.
 */
import { letIn, of, typeHere, type Build, type Steps } from '../../../semantics/writing/builder.js'
import * as X from '../../../semantics/language/expression.js'
import type { Expr, Int } from '../../../semantics/language/expression.js'
import { checked } from '../../../semantics/language/index-types.js'
import type { TileType } from '../../../semantics/language/types.js'
import * as T from '../../ttng/index.js'
import { registerEncoding } from './encodings.js'
import { readAt, type Here, type Row, type Rows } from './here.js'
import { shapeOf } from './kinds.js'
import {
  as,
  encodingOf,
  layoutOfResult,
  number,
  numbers,
  operand,
  optional,
  resultType,
  word,
} from './operands.js'
import { told } from './promises.js'
import { attributeOf, type Operation } from '../text/syntax.js'

/** One pointer, not a tensor of them. */
const isOne = (op: Operation): boolean => op.operands['ptr']?.[0]?.type._tag === 'pointer'

const shapeChange = (
  of: (label: string, x: never, shape: ReadonlyArray<number>, encoding: never) => Build<Expr>,
): Row =>
  function* (h, op, label) {
    const encoding = yield* layoutOfResult(h, op)
    return [
      yield* of(
        label,
        yield* operand(h, op, 'src'),
        shapeOf(resultType(op)),
        checked<never, typeof encoding>(encoding),
      ),
    ]
  }

/** A product under another name is the product of its factors under that name. */
const renamed = (row: Row, again: (x: Expr, type: TileType, axis: number) => Expr): Row =>
  function* (h, op, label) {
    const results = yield* row(h, op, label)
    const product = h.products.get(op.operands['src']?.[0]?.name ?? '')
    const [result] = results
    if (product === undefined || result === undefined) return results
    const type = yield* typeHere(result)
    const axis = yield* number(op, 'axis', 0)
    if (type._tag === 'tile')
      for (const { name } of op.names)
        h.products.set(name, [again(product[0], type, axis), again(product[1], type, axis)])
    return results
  }

const expandDims: Row = function* (h, op, label) {
  return [
    yield* T.expandDims(
      label,
      yield* operand(h, op, 'src'),
      yield* number(op, 'axis'),
      yield* layoutOfResult(h, op),
    ),
  ]
}

/** A program is a cluster: its CTAs are counted along the first axis of the grid. */
const ofGrid = (of: (label: string, axis: 'x') => Build<Int>): Row =>
  function* (h, op, label) {
    const axis = word(op, 'axis') ?? 'x'
    const ctas = h.from.numCtas ?? 1
    if (axis !== 'x' || ctas === 1) return [yield* of(label, checked<'x', string>(axis))]
    const counted = yield* of(`${label}.cta`, 'x')
    return [yield* letIn(label, X.quo(counted, X.i32(ctas)))]
  }

/** Of a cluster each CTA has a share, from where its rank says. */
const range: Row = function* (h, op, label) {
  const [start, end] = [yield* number(op, 'start'), yield* number(op, 'end')]
  const layout = yield* layoutOfResult(h, op)
  const [share = end - start] = shapeOf(resultType(op))
  const from = T.shareStart(h.dealt.get(op) ?? [], 0, share)
  if (share === end - start || from === null) return [yield* T.makeRange(label, start, end, layout)]
  const first = yield* T.makeRange(`${label}.0`, start, start + share, layout)
  return [yield* T.addi(label, first, yield* T.splat(`${label}.from`, from, [share], layout))]
}

/** The mask of a store: where several CTAs of a cluster have the same, the first of them stores. */
export const storing = function* (h: Here, op: Operation, label: string): Steps<{ readonly mask?: never }> {
  const given = yield* optional(h, op, 'mask', 'mask')
  const type = op.operands['ptr']![0]!.type
  const rows = h.dealt.get(op)
  const ctas = h.from.numCtas ?? 1
  const bits = rows === undefined ? 0 : type._tag === 'pointer' ? ctas - 1 : T.sharedBits(rows)
  const lead = T.isLead(bits)
  if (lead === undefined) return given
  if (type._tag === 'pointer')
    return { mask: as(given.mask === undefined ? lead : X.and(checked<Expr<'i1'>, Expr>(given.mask), lead)) }
  const encoding = yield* readAt(op, registerEncoding(h.text, encodingOf(type)))
  const everywhere = yield* T.splat(`${label}.first`, lead, shapeOf(type), encoding)
  return {
    mask: as(
      given.mask === undefined ? everywhere : yield* T.andi(`${label}.mask`, as(given.mask), as(everywhere)),
    ),
  }
}

export const tensorRows: Rows = {
  'tt.get_program_id': ofGrid(T.getProgramId),
  'tt.get_num_programs': ofGrid(T.getNumPrograms),
  'tt.make_range': range,
  'tt.splat': renamed(shapeChange(T.splat), (x, { shape, layout }) => X.splat(as(x), shape, layout)),
  'tt.broadcast': renamed(shapeChange(T.broadcast), (x, { shape, layout }) =>
    X.broadcast(as(x), shape, layout),
  ),
  'tt.reshape': shapeChange(T.reshape),
  'tt.expand_dims': renamed(expandDims, (x, { layout }, axis) => X.expandDims(as(x), axis, layout)),
  'tt.trans': function* (h, op, label) {
    return [
      yield* T.trans(
        label,
        yield* operand(h, op, 'src'),
        yield* numbers(op, 'order'),
        yield* layoutOfResult(h, op),
      ),
    ]
  },
  'tt.addptr': function* (h, op, label) {
    return [yield* T.addptr(label, yield* operand(h, op, 'ptr'), yield* operand(h, op, 'offset'))]
  },
  'tt.load': function* (h, op, label) {
    const mask = yield* optional(h, op, 'mask', 'mask')
    const other = yield* optional(h, op, 'other', 'other')
    const [ptr, options] = [yield* operand(h, op, 'ptr'), { ...mask, ...other }]
    return [yield* isOne(op) ? T.loadOne(label, ptr, options) : T.load(label, ptr, options)]
  },
  'tt.store': function* (h, op, label) {
    const mask = yield* storing(h, op, label)
    const [ptr, value] = [yield* operand(h, op, 'ptr'), yield* operand(h, op, 'value')]
    yield* isOne(op) ? T.storeOne(label, ptr, value, mask) : T.store(label, ptr, value, mask)
    return []
  },
  'tt.gather': function* (h, op, label) {
    return [
      yield* T.gather(
        label,
        yield* operand(h, op, 'src'),
        yield* operand(h, op, 'indices'),
        yield* number(op, 'axis'),
        yield* layoutOfResult(h, op),
      ),
    ]
  },
  'tt.histogram': function* (h, op, label) {
    const mask = yield* optional(h, op, 'mask', 'mask')
    const [bins = 0] = shapeOf(resultType(op))
    return [yield* T.histogram(label, yield* operand(h, op, 'src'), bins, yield* layoutOfResult(h, op), mask)]
  },
  'tt.join': function* (h, op, label) {
    return [
      yield* T.join(
        label,
        yield* operand(h, op, 'lhs'),
        yield* operand(h, op, 'rhs'),
        yield* layoutOfResult(h, op),
      ),
    ]
  },
  'tt.split': function* (h, op, label) {
    return yield* T.split(label, yield* operand(h, op, 'src'), yield* layoutOfResult(h, op))
  },
  'tt.unsplat': function* (h, op, label) {
    return [yield* T.unsplat(label, yield* operand(h, op, 'src'))]
  },
  // says something while a kernel is looked for errors, and computes nothing
  'tt.print': function* () {
    return yield* of([])
  },
  // what the compiler was promised: where it is not so, anything may have become of the kernel
  'llvm.intr.assume': function* (h, op, label) {
    const who = '; the kernel promised this to its compiler, so the result is undefined'
    yield* T.assert(label, yield* operand(h, op, 'condition'), yield* told(h, op, 'tl.assume', who))
    return []
  },
  'tt.assert': function* (h, op, label) {
    const message = attributeOf(op.attributes, 'message')
    const who = message?._tag === 'string' && message.value !== '' ? `; it says: ${message.value}` : ''
    yield* T.assert(label, yield* operand(h, op, 'condition'), yield* told(h, op, 'tl.device_assert', who))
    return []
  },
}
