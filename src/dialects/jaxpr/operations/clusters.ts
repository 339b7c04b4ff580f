/**
 * Cluster launch control, and registers.
 *
 * | operation              | becomes                                                                                                  |
 * |------------------------|----------------------------------------------------------------------------------------------------------|
 * | `try_cluster_cancel`   | arrivals of all threads, and a request of the first along `collectiveAxes`                                 |
 * | `query_cluster_cancel` | the places along `gridNames`, and whether there was one                                                    |
 * | `set_max_registers`    | the request                                                                                               |
 *
 * Versions without `collectiveAxes` mean all axes. One that is forgotten is a request more for each of its places.
 *
 * Source: JAX, lowering of Mosaic GPU.
 */
import * as Pallas from '../../pallas/index.js'
import { refusedAt, type Rows } from '../here.js'
import { barrierUse, number, param, smemUse, words } from '../operands.js'

export const clusterRows: Rows = {
  *try_cluster_cancel(h, eqn, label) {
    const { view } = yield* smemUse(h, eqn, 'result')
    const barrier = yield* barrierUse(h, eqn, 'barrier')
    yield* Pallas.tryClusterCancel(
      label,
      view,
      barrier,
      null,
      param(eqn, 'collectiveAxes') === undefined
        ? {}
        : { collectiveAxes: yield* words(h, eqn, 'collectiveAxes') },
    )
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
