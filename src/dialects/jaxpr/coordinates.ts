/**
 * Where a thread stands, and equations that say something to a compiler or a person alone.
 *
 * | equation                                      | becomes                                                         |
 * |-----------------------------------------------|-----------------------------------------------------------------|
 * | `axis_index` of one name, or of several        | the place along an axis; along several, row-major               |
 * | `program_id`, `num_programs`                   | the place along an axis of the grid, and its extent              |
 * | `multiple_of`, `optimization_barrier`          | its operands; a sum behind a barrier takes no product before it  |
 * | `debug_print`, `print_layout`, `delay`, `check` | nothing                                                        |
 */
import { of, type Steps } from '../../semantics/writing/builder.js'
import * as X from '../../semantics/language/expression.js'
import type { Int } from '../../semantics/language/expression.js'
import * as Pallas from '../pallas/index.js'
import { integerBinary } from './arithmetic.js'
import { refusedAt, type Here, type Row, type Rows } from './here.js'
import type { Eqn } from './document.js'
import { number, operands, words } from './operands.js'
import type { Scalar } from './values.js'

const int = (expr: Int): Scalar => ({ _tag: 'scalar', dtype: 'i32', expr })

const axisIndex: Row = function* (h, eqn) {
  const names = yield* words(h, eqn, 'axisName')
  let index: Int = X.i32(0)
  for (const name of names) {
    const axis = yield* Pallas.axisHere('axis_index', name)
    const above = integerBinary('mul', 'i32', index, X.i32(axis.size))!
    index = integerBinary('add', 'i32', above, axis.index)!
  }
  return [int(index)]
}

const gridAxis = function* (h: Here, eqn: Eqn): Steps<{ readonly index: Int; readonly size: number }> {
  const axis = yield* number(h, eqn, 'axis')
  const { axes } = yield* Pallas.contextHere
  const found = axes.find((a) => a.of === 'grid' && a.position === axis)
  return (
    found ??
    (yield* refusedAt(
      h,
      eqn,
      'jaxpr.param',
      `an axis of the grid, which has ${String(axes.filter((a) => a.of === 'grid').length)}`,
      String(axis),
    ))
  )
}

const same: Row = function* (h, eqn) {
  return yield* operands(h, eqn)
}
const nothing: Row = function* (h, eqn) {
  yield* operands(h, eqn)
  return []
}

/** What it takes is a ref or an array, and says nothing to a program. */
const silent: Row = () => of([])

export const coordinateRows: Rows = {
  axis_index: axisIndex,
  program_id: function* (h, eqn) {
    const said = h.programIds?.[yield* number(h, eqn, 'axis')]
    return [said ?? int((yield* gridAxis(h, eqn)).index)]
  },
  num_programs: function* (h, eqn) {
    return [int(X.i32((yield* gridAxis(h, eqn)).size))]
  },
  multiple_of: function* (h, eqn) {
    return (yield* operands(h, eqn)).slice(0, 1)
  },
  optimization_barrier: same,
  debug_print: nothing,
  print_layout: silent,
  delay: nothing,
  check: nothing,
}
