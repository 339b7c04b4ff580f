/**
 * `tt`: programs of the grid, ranges and shapes of tensors, pointers, loads and stores.
 *
 * Source: Triton 3.6, dialect tt.
 */
import { of, type Build } from '../../../semantics/writing/builder.js'
import type { Expr } from '../../../semantics/language/expression.js'
import { checked } from '../../../semantics/language/index-types.js'
import * as T from '../../ttng/index.js'
import { type Row, type Rows } from './here.js'
import { shapeOf } from './kinds.js'
import { layoutOfResult, number, numbers, operand, optional, resultType, word } from './operands.js'
import type { Operation } from '../text/syntax.js'

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

export const tensorRows: Rows = {
  'tt.get_program_id': function* (_, op, label) {
    return [yield* T.getProgramId(label, checked<'x', string>(word(op, 'axis') ?? 'x'))]
  },
  'tt.get_num_programs': function* (_, op, label) {
    return [yield* T.getNumPrograms(label, checked<'x', string>(word(op, 'axis') ?? 'x'))]
  },
  'tt.make_range': function* (h, op, label) {
    return [
      yield* T.makeRange(
        label,
        yield* number(op, 'start'),
        yield* number(op, 'end'),
        yield* layoutOfResult(h, op),
      ),
    ]
  },
  'tt.splat': shapeChange(T.splat),
  'tt.broadcast': shapeChange(T.broadcast),
  'tt.reshape': shapeChange(T.reshape),
  'tt.expand_dims': function* (h, op, label) {
    return [
      yield* T.expandDims(
        label,
        yield* operand(h, op, 'src'),
        yield* number(op, 'axis'),
        yield* layoutOfResult(h, op),
      ),
    ]
  },
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
    const mask = yield* optional(h, op, 'mask', 'mask')
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
  'tt.assert': function* (h, op, label) {
    yield* T.assert(label, yield* operand(h, op, 'condition'))
    return []
  },
}
