/**
 * Semaphores: counters in global memory that blocks of the whole grid signal and wait for.
 *
 * A signal adds; a wait blocks until the counter has the value, and takes it away unless told otherwise. Both reach over the GPU. The counter is a
 * hidden operand of the kernel that begins with zero.
 *
 *     block 0: partial[0] = ..; semaphore_signal(sem)        sem = 1
 *     block 1: semaphore_wait(sem, value=1); partial[0]      sem = 0 again
 *
 * Regular semaphores and barrier semaphores are the same counter. Signals to other devices are outside: there is one.
 *
 * Laws
 * 1. The counter is the sum of the signals less what waits took.
 * 2. Signals in parallel are signals one after another, in any order.
 *
 * Names: `plgpu.SemaphoreType.REGULAR`, `semaphore_signal`, `semaphore_wait`, `semaphore_read`, `semaphore_signal_parallel`.
 *
 * Source: JAX docs, Pallas:MGPU reference (semaphores).
 */
import {
  block,
  letIn,
  run,
  runFor,
  tensorParam,
  type Build,
  type Tensor,
} from '../../semantics/writing/builder.js'
import {
  addptr,
  i32,
  item,
  splat,
  type Condition,
  type Expr,
  type Int,
  type Ptr,
  type Tile,
} from '../../semantics/language/expression.js'
import { checked } from '../../semantics/language/index-types.js'
import type { PtrIndex } from '../../semantics/language/types.js'
import { showShape, sizeOf } from '../../transforms/shape.js'
import { refused } from './codes.js'
import { known } from './context.js'
import { onceInThread } from './core-map.js'

// ---------------------------------------------------------------- model

export const SemaphoreType = { REGULAR: 'regular', BARRIER: 'barrier' } as const
export type SemaphoreType = (typeof SemaphoreType)[keyof typeof SemaphoreType]

/** An array of counters, and its operand. */
export interface Semaphore {
  readonly _tag: 'pallas.semaphore'
  readonly name: string
  readonly type: SemaphoreType
  readonly shape: ReadonlyArray<number>
  readonly counters: Tensor<'u32'>
}

/** The scope of a signal or a wait. */
export type MemoryScope = 'gpu' | 'sys'

export interface SignalOptions {
  /** default 1 */
  readonly inc?: number | Int
  /** another device: outside */
  readonly deviceId?: number | Int
  /** default gpu */
  readonly memoryScope?: MemoryScope
  readonly when?: Condition
}
export interface WaitOptions {
  /** default 1 */
  readonly value?: number | Int
  /** default true */
  readonly decrement?: boolean
  readonly memoryScope?: MemoryScope
  readonly when?: Condition
}

// ---------------------------------------------------------------- allocation

/** `SemaphoreType.REGULAR` among the scratch types: one counter, or an array of them. */
export const Semaphore = (
  name: string,
  options: { readonly type?: SemaphoreType; readonly shape?: ReadonlyArray<number> } = {},
): Build<Semaphore> =>
  block(function* () {
    const shape = options.shape ?? []
    if (!shape.every((n) => Number.isSafeInteger(n) && n >= 1))
      return yield* refused(
        'pallas.semaphore.shape',
        `${name}: semaphores of shape ${showShape(shape)}: expected positive integers`,
      )
    const counters = yield* tensorParam(name, 'u32', [sizeOf(shape)], { role: 'inout' })
    return { _tag: 'pallas.semaphore', name, type: options.type ?? SemaphoreType.REGULAR, shape, counters }
  })

// ---------------------------------------------------------------- one of them

const asInt = (x: number | Int): Int => (typeof x === 'number' ? i32(x) : x)

const counterAt = (label: string, s: Semaphore, index: Int | null): Build<Ptr<'u32'>> =>
  block(function* () {
    const count = sizeOf(s.shape)
    if (index === null && count !== 1)
      return yield* refused(
        'pallas.semaphore.single',
        `${label}: expected a single semaphore, found ${s.name} of shape ${showShape(s.shape)}`,
      )
    const at = index === null ? 0 : known(index)
    if (at !== null && (at < 0 || at >= count))
      return yield* refused(
        'pallas.semaphore.index',
        `${label}: index ${String(at)} is outside of ${s.name}, which has ${String(count)} semaphores`,
      )
    return at === 0 || index === null ? s.counters.ptr : addptr(s.counters.ptr, index)
  })

// ---------------------------------------------------------------- operations

/** `semaphore_signal(sem, inc)`. */
export const semaphoreSignal = (
  label: string,
  semaphore: Semaphore,
  index: Int | null,
  options: SignalOptions = {},
): Build<void> =>
  block(function* () {
    if (options.deviceId !== undefined)
      return yield* refused(
        'pallas.device.signal',
        `${label}: ${semaphore.name} of another device (device_id is given): kernels over several devices are not judged yet`,
      )
    const inc = asInt(options.inc ?? 1)
    const by = known(inc)
    if (by !== null && by < 1)
      return yield* refused(
        'pallas.semaphore.value',
        `${label}: inc of ${semaphore.name} is ${String(by)}: expected at least 1`,
      )
    const at = yield* counterAt(label, semaphore, index)
    const once = yield* onceInThread(label, options.when)
    yield* run(
      label,
      { _tag: 'semaphore.signal', at, value: inc, scope: options.memoryScope ?? 'gpu' },
      once === null ? {} : { when: once },
    )
  })

/** `semaphore_wait(sem, value, decrement)`. */
export const semaphoreWait = (
  label: string,
  semaphore: Semaphore,
  index: Int | null,
  options: WaitOptions = {},
): Build<void> =>
  block(function* () {
    const value = asInt(options.value ?? 1)
    const least = known(value)
    if (least !== null && least < 0)
      return yield* refused(
        'pallas.semaphore.value',
        `${label}: value to wait for on ${semaphore.name} is ${String(least)}: a counter is never negative`,
      )
    const at = yield* counterAt(label, semaphore, index)
    const once = yield* onceInThread(label, options.when)
    yield* run(
      label,
      {
        _tag: 'semaphore.wait',
        at,
        value,
        decrement: options.decrement ?? true,
        scope: options.memoryScope ?? 'gpu',
      },
      once === null ? {} : { when: once },
    )
    // the other warps go on when the first has passed
    yield* onceInThread(`${label}.passed`)
  })

/**
 * `semaphore_read(sem)`: the current value of the counter. It orders nothing; only a wait does. The signals
 * that it finds depend on the schedule, so a verdict on a kernel that uses the number must cover all
 * schedules (C1).
 */
export const semaphoreRead = (label: string, semaphore: Semaphore, index: Int | null): Build<Expr<'i32'>> =>
  block(function* () {
    const at = yield* counterAt(label, semaphore, index)
    const one = <I extends 'i32' | PtrIndex<'u32'>>(x: Expr<I>): Tile<I, 0> => splat<I, 0>(x, [], 'any')
    const [old] = yield* runFor([`${label}.0`], {
      _tag: 'gmem.atomicPtr',
      op: 'add',
      destination: one(at),
      value: one(i32(0)),
      scope: 'gpu',
    })
    return yield* letIn(label, item(checked<Tile<'i32', 0>, Expr>(old!)))
  })

/** One of several signals: `plgpu.SemaphoreSignal`. */
export interface SemaphoreSignal extends SignalOptions {
  readonly semaphore: Semaphore
  readonly index?: Int | null
}

/** `semaphore_signal_parallel(*signals)`: sends all of them, in no particular order. */
export const semaphoreSignalParallel = (
  label: string,
  signals: ReadonlyArray<SemaphoreSignal>,
): Build<void> =>
  block(function* () {
    for (const [k, signal] of signals.entries())
      yield* semaphoreSignal(`${label}[${String(k)}]`, signal.semaphore, signal.index ?? null, signal)
  })
