/**
 * Where a thread stands, and equations that say something to a compiler or a person alone.
 *
 * | equation                                      | becomes                                                         |
 * |-----------------------------------------------|-----------------------------------------------------------------|
 * | `axis_index` of one name, or of several        | the place along an axis; along several, row-major               |
 * | `program_id`, `num_programs`                   | the place along an axis of the grid, and its extent              |
 * | `block_id`, `grid_dim` of x, y or z            | the place of the block in the launch as CUDA has it, and the extent |
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

/**
 * An axis of the launch: of x the last axis of the grid, of y the one before it, of z all others. JAX counts the blocks of a cluster by axes of their own;
 * CUDA's numbers run through them.
 */
const launchAxis = function* (h: Here, eqn: Eqn): Steps<{ readonly index: Int; readonly size: number }> {
  const dim = yield* number(h, eqn, 'dim')
  const { axes } = yield* Pallas.contextHere
  const along = (kind: 'grid' | 'cluster'): { readonly index: Int; readonly size: number } => {
    const found = axes.filter(({ of }) => of === kind).sort((a, b) => a.position - b.position)
    const cut = Math.max(found.length - 2, 0)
    const last = found.slice(cut)
    const own = dim === 2 ? found.slice(0, cut) : last.slice(last.length - 1 - dim, last.length - dim)
    return own.reduce<{ readonly index: Int; readonly size: number }>(
      (row, axis) => ({
        index: integerBinary(
          'add',
          'i32',
          integerBinary('mul', 'i32', row.index, X.i32(axis.size))!,
          axis.index,
        )!,
        size: row.size * axis.size,
      }),
      { index: X.i32(0), size: 1 },
    )
  }
  const [grid, cluster] = [along('grid'), along('cluster')]
  const before = integerBinary('mul', 'i32', grid.index, X.i32(cluster.size))!
  return { index: integerBinary('add', 'i32', before, cluster.index)!, size: grid.size * cluster.size }
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
  block_id: function* (h, eqn) {
    return [int((yield* launchAxis(h, eqn)).index)]
  },
  grid_dim: function* (h, eqn) {
    return [int(X.i32((yield* launchAxis(h, eqn)).size))]
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
