/**
 * Cluster launch control, and registers.
 *
 * | operation              | becomes                                                                                                  |
 * |------------------------|----------------------------------------------------------------------------------------------------------|
 * | `try_cluster_cancel`   | arrivals of all threads, one request of the first block of the cluster                                     |
 * | `query_cluster_cancel` | the places along `gridNames`, and whether there was one                                                    |
 * | `set_max_registers`    | the request                                                                                               |
 *
 * A request is one for all threads of the block and all blocks of the cluster: `collectiveAxes` must name them. (Versions without the parameter mean
 * all.)
 *
 * Source: JAX, lowering of Mosaic GPU.
 */
import { block, type Build } from '../../../semantics/writing/builder.js'
import * as Pallas from '../../pallas/index.js'
import { contextHere } from '../../pallas/context.js'
import type { Eqn } from '../document.js'
import { refusedAt, type Here, type Rows } from '../here.js'
import { barrierUse, number, param, smemUse, words } from '../operands.js'

/** All that ask are named. */
const asksOnce = (h: Here, eqn: Eqn): Build<void> =>
  block(function* () {
    if (param(eqn, 'collectiveAxes') === undefined) return
    const named = yield* words(h, eqn, 'collectiveAxes')
    const { axes } = yield* contextHere
    const missing = axes.find(
      (a) => (a.of === 'threads' || a.of === 'cluster') && a.size > 1 && !named.includes(a.name),
    )
    if (missing !== undefined)
      yield* refusedAt(
        h,
        eqn,
        'jaxpr.param',
        `collective_axes with ${missing.name}, along which ${String(missing.size)} ask`,
        `(${named.join(', ')})`,
      )
  })

export const clusterRows: Rows = {
  *try_cluster_cancel(h, eqn, label) {
    yield* asksOnce(h, eqn)
    const { view } = yield* smemUse(h, eqn, 'result')
    yield* Pallas.tryClusterCancel(label, view, yield* barrierUse(h, eqn, 'barrier'), null)
    return []
  },
  *query_cluster_cancel(h, eqn, label) {
    const { view } = yield* smemUse(h, eqn, 'result')
    const names = yield* words(h, eqn, 'gridNames')
    const { success, indices } = yield* Pallas.queryClusterCancel(label, view, names)
    return [
      ...indices.map((expr) => ({ _tag: 'scalar', dtype: 'i32', expr }) as const),
      { _tag: 'scalar', dtype: 'i1', expr: success },
    ]
  },
  *set_max_registers(h, eqn, label) {
    const action = param(eqn, 'action')
    if (action !== 'increase' && action !== 'decrease')
      return yield* refusedAt(
        h,
        eqn,
        'jaxpr.param',
        'action = increase or decrease',
        JSON.stringify(action) ?? 'none',
      )
    yield* Pallas.setMaxRegisters(label, yield* number(h, eqn, 'n'), { action })
    return []
  },
}
