/**
 * Barriers and fences that JAX has primitives for; those that a kernel writes as text are in `inline-ptx.ts`.
 *
 * | operation                                  | becomes                                                                                          |
 * |--------------------------------------------|--------------------------------------------------------------------------------------------------|
 * | `barrier_arrive`, `barrier_wait`           | those of the surface; the parities go along (`pallas/parities.ts`)                                |
 * | `barrier_test`                             | the same, of a warp or a thread: a truth value                                                    |
 * | `warpgroup_barrier`                        | the warps of the thread meet                                                                     |
 * | `commit_smem`                              | the proxy fence                                                                                  |
 * | `griddepcontrol_wait`, `_launch_dependents` | nothing: the launch is the only one, so that no grid is waited for and none is told               |
 *
 * Source: JAX, lowering of Mosaic GPU; PTX ISA, `fence.proxy.async`.
 */
import { of } from '../../../semantics/writing/builder.js'
import * as Pallas from '../../pallas/index.js'
import type { Row, Rows } from '../here.js'
import { barrierUse } from '../operands.js'
import { whenOf } from './predicates.js'

const nothing: Row = () => of([])

export const barrierRows: Rows = {
  *barrier_arrive(h, eqn, label) {
    const barrier = yield* barrierUse(h, eqn, 'barrier')
    const { when } = yield* whenOf(h, eqn)
    yield* Pallas.barrierArrive(label, barrier, null, when)
    return []
  },
  *barrier_wait(h, eqn, label) {
    yield* Pallas.barrierWait(label, yield* barrierUse(h, eqn, 'barrier'), null)
    return []
  },
  *barrier_test(h, eqn, label) {
    const { done } = yield* Pallas.barrierTest(label, yield* barrierUse(h, eqn, 'barrier'), null)
    return [{ _tag: 'scalar', dtype: 'i1', expr: done }]
  },
  *warpgroup_barrier(_, __, label) {
    yield* Pallas.warpgroupBarrier(label, yield* Pallas.threadHere(label))
    return []
  },
  *commit_smem(_, __, label) {
    yield* Pallas.commitSmem(label)
    return []
  },
  griddepcontrol_wait: nothing,
  griddepcontrol_launch_dependents: nothing,
}
