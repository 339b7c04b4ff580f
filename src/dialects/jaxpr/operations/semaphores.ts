/**
 * Semaphores and atomics: what blocks of the whole grid do to one place of memory.
 *
 * | operation                   | becomes                                                                       |
 * |-----------------------------|-------------------------------------------------------------------------------|
 * | `semaphore_signal`          | the signal, of this device; another's is refused                              |
 * | `semaphore_signal_parallel` | the signals, one after the other                                              |
 * | `semaphore_wait`            | the wait; it takes away what it waited for unless told not to                  |
 * | `semaphore_read`            | the number that the counter holds; nothing is ordered by it                   |
 * | `atomic_store`              | the atomic that `atomicType` names                                            |
 *
 * Source: JAX, lowering of Mosaic GPU.
 */
import type { Steps } from '../../../semantics/writing/builder.js'
import type { View } from '../../../semantics/language/expression.js'
import * as Pallas from '../../pallas/index.js'
import type { Eqn } from '../document.js'
import { refusedAt, type Here, type Rows } from '../here.js'
import { intOperand, operand, param, semaphoreUse, use, uses } from '../operands.js'
import { gmemView } from '../refs.js'
import { showKind } from '../values.js'

const scopeOf = function* (h: Here, eqn: Eqn): Steps<Pallas.MemoryScope> {
  const found = param(eqn, 'memoryScope') ?? 'sys'
  return found === 'gpu' || found === 'sys'
    ? found
    : yield* refusedAt(h, eqn, 'jaxpr.param', 'memoryScope = gpu or sys', JSON.stringify(found))
}

const atomics = {
  add: Pallas.atomicAdd,
  max: Pallas.atomicMax,
  min: Pallas.atomicMin,
  and: Pallas.atomicAnd,
  or: Pallas.atomicOr,
  xor: Pallas.atomicXor,
} as const
const isAtomic = (x: unknown): x is keyof typeof atomics => typeof x === 'string' && Object.hasOwn(atomics, x)

export const semaphoreRows: Rows = {
  *semaphore_signal(h, eqn, label) {
    const { semaphore, index } = yield* semaphoreUse(h, eqn, 'semaphore')
    const inc = yield* intOperand(h, eqn, 0)
    yield* Pallas.semaphoreSignal(label, semaphore, index, {
      inc,
      memoryScope: yield* scopeOf(h, eqn),
      ...(param(eqn, 'device') == null ? {} : { deviceId: 0 }),
    })
    return []
  },
  *semaphore_signal_parallel(h, eqn, label) {
    const devices = param(eqn, 'devices')
    const signals: Pallas.SemaphoreSignal[] = []
    for (const [k, of] of (yield* uses(h, eqn, 'semaphores')).entries()) {
      if (of._tag !== 'semaphore')
        return yield* refusedAt(h, eqn, 'jaxpr.operand', `a semaphore at ${String(k)}`, of._tag)
      const device = Array.isArray(devices) ? (devices[k] ?? null) : null
      signals.push({
        semaphore: of.semaphore,
        index: of.index,
        inc: yield* intOperand(h, eqn, k),
        memoryScope: 'sys',
        ...(device === null ? {} : { deviceId: 0 }),
      })
    }
    yield* Pallas.semaphoreSignalParallel(label, signals)
    return []
  },
  *semaphore_wait(h, eqn, label) {
    const { semaphore, index } = yield* semaphoreUse(h, eqn, 'semaphore')
    yield* Pallas.semaphoreWait(label, semaphore, index, {
      value: yield* intOperand(h, eqn, 0),
      decrement: param(eqn, 'decrement') !== false,
      memoryScope: yield* scopeOf(h, eqn),
    })
    return []
  },
  *semaphore_read(h, eqn, label) {
    const { semaphore, index } = yield* semaphoreUse(h, eqn, 'semaphore')
    return [{ _tag: 'scalar', dtype: 'i32', expr: yield* Pallas.semaphoreRead(label, semaphore, index) }]
  },
  *atomic_store(h, eqn, label) {
    const asked = param(eqn, 'atomicType')
    if (!isAtomic(asked))
      return yield* refusedAt(
        h,
        eqn,
        'jaxpr.param',
        `atomicType = ${Object.keys(atomics).join(', ')}`,
        JSON.stringify(asked) ?? 'none',
      )
    const found = yield* use(h, eqn, 'ref')
    if (found._tag !== 'smem' && found._tag !== 'gmem')
      return yield* refusedAt(h, eqn, 'jaxpr.operand', 'a ref in SMEM or GMEM', found._tag)
    const ref: View<'smem' | 'gmem'> =
      found._tag === 'smem' ? found.view : yield* gmemView(h, eqn, label, found)
    const value = yield* operand(h, eqn, 0)
    if (value._tag !== 'scalar' && value._tag !== 'array')
      return yield* refusedAt(h, eqn, 'jaxpr.operand', 'a scalar or an array', showKind(value))
    yield* atomics[asked](label, ref, value._tag === 'scalar' ? value.expr : value.tile)
    return []
  },
}
