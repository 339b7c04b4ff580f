/**
 * Barriers and fences.
 *
 * | operation                                  | becomes                                                                                          |
 * |--------------------------------------------|--------------------------------------------------------------------------------------------------|
 * | `barrier_arrive`, `barrier_wait`           | those of the surface; the parities go along (`pallas/parities.ts`)                                |
 * | `barrier_test`                             | the same, of a warp: a truth value                                                               |
 * | `commit_smem`                              | the proxy fence                                                                                  |
 * | `inline_ptx`                               | the two fences around an answer of cluster launch control, which JAX's own loop writes as text    |
 * | `griddepcontrol_wait`, `_launch_dependents` | nothing: the launch is the only one, so that no grid is waited for and none is told               |
 *
 * The fences of `inline_ptx` order one way, and only accesses to shared memory; `fence.proxyAsync` orders both ways. So a kernel that is clean by the
 * wider half alone is not told from one that is clean.
 *
 * Source: JAX, lowering of Mosaic GPU; PTX ISA, `fence.proxy.async`.
 */
import { of, run } from '../../../semantics/writing/builder.js'
import * as Pallas from '../../pallas/index.js'
import { refusedAt, type Row, type Rows } from '../here.js'
import { barrierUse, word } from '../operands.js'
import { whenOf } from './predicates.js'

/** The fences that JAX's own helpers write, and how far each reaches. */
const fences: ReadonlyMap<string, 'cta' | 'cluster'> = new Map([
  ['fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster', 'cluster'],
  ['fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster', 'cluster'],
])

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
  *commit_smem(_, __, label) {
    yield* Pallas.commitSmem(label)
    return []
  },
  *inline_ptx(h, eqn, label) {
    const text = yield* word(h, eqn, 'text')
    const scope = fences.get(text.trim().replace(/;$/, ''))
    if (scope === undefined)
      return yield* refusedAt(
        h,
        eqn,
        'jaxpr.operation',
        `one of the fences ${[...fences.keys()].join(' and ')}`,
        text,
      )
    yield* run(label, { _tag: 'fence.proxyAsync', scope })
    return []
  },
  griddepcontrol_wait: nothing,
  griddepcontrol_launch_dependents: nothing,
}
