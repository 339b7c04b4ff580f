/**
 * Pallas barriers: arrive, wait, test, and the bit that every thread keeps for each barrier.
 *
 * `barrier_wait` takes no parity. The runtime keeps one 32-bit mask per thread, at first 0: waiting on barrier k reads bit k as the
 * parity, and flips it. Here the mask is an ordinary value of the agent: a wait takes it and gives the next one, and a loop
 * carries it (by itself, or by the kernel's own hand: `parities.ts`). So a wait must see every completion, and nothing in the machine remembers who waited for what.
 *
 *     mask 0b00   wait 0 -> parity 0, mask 0b01   wait 1 -> parity 0, mask 0b11   wait 0 -> parity 1, mask 0b10
 *
 * Arrays of barriers may have several dimensions; together they are at most 32, the bits of the mask. `barrierAt` and `barrierSlice` are parts
 * of an array, and keep the bits that they have in it: of num_barriers = (2, 3), `.at[1].at[2]` is bit 5. An operation takes one barrier: the index
 * may be null where there is one, and is one number an axis otherwise.
 *
 * A barrier that orders tensor cores carries their order too: an arrive on it comes behind `tcgen05.fenceBefore`, a wait before
 * `tcgen05.fenceAfter`. Without them what the tensor core does is not ordered by the barrier.
 *
 * In a cluster other blocks may arrive, so there a wait acquires what the cluster released; else what the block did.
 *
 * Laws
 * 1. The parities that a thread carries are those of the reference's mask, whatever it waits for and in whatever order.
 * 2. A test that fails leaves the mask as it was; one that succeeds is a wait.
 *
 * Names: `plgpu.Barrier(num_arrivals, num_barriers, orders_tensor_core)`, `barrier_arrive`, `barrier_wait`, `barrier_test`.
 *
 * Source: JAX docs, Pallas:MGPU reference, synchronization.
 */
import { failure } from '../../failure.js'
import {
  barriers,
  block,
  fail,
  letIn,
  of,
  run,
  testBarrier,
  type Build,
} from '../../semantics/writing/builder.js'
import {
  add,
  and,
  i32,
  mul,
  remote,
  select,
  shl,
  shrU,
  slot,
  xor,
  type Barrier as BarrierExpr,
  type Condition,
  type Int,
} from '../../semantics/language/expression.js'
import { showShape, sizeOf } from '../../transforms/shape.js'
import { refused, type Code } from './codes.js'
import { blockScope, contextHere, known } from './context.js'
import { onceInThread } from './core-map.js'
import { maskFor } from './parities.js'

// ---------------------------------------------------------------- model

/** An array of barriers, or a part of one. */
export interface Barrier<O extends boolean = boolean> {
  readonly _tag: 'pallas.barrier'
  readonly name: string
  /** arrivals of each block that complete a barrier, as asked for */
  readonly numArrivals: number
  /** arrivals that complete it */
  readonly count: number
  readonly shape: ReadonlyArray<number>
  /** those of `shape` */
  readonly numBarriers: number
  readonly ordersTensorCore: boolean
  /** the first of them among those allocated (null: the first) */
  readonly base: Int | null
  /** allocated together */
  readonly allocated: number
  readonly expr: BarrierExpr<'pallas', O, 1>
  /** ranks in the cluster that an arrive reaches; null: the block's own (`cluster-barrier.ts`) */
  readonly reaches: ReadonlyArray<Int> | null
  /** the block it lies in; null: one's own */
  readonly rank: Int | null
}

/** The index of a barrier in an array: one number for each axis, or none if there is one barrier. */
export type BarrierIndex = Int | ReadonlyArray<Int> | null

export interface BarrierOptions<O extends boolean> {
  /** default 1 */
  readonly numArrivals?: number
  /** a number or a shape (default 1) */
  readonly numBarriers?: number | ReadonlyArray<number>
  readonly ordersTensorCore?: O
}

/** Parities that a thread keeps: the bits of one word. */
const mostBarriers = 32
const positive = (n: number): boolean => Number.isSafeInteger(n) && n >= 1
const isShape = (n: number | ReadonlyArray<number>): n is ReadonlyArray<number> => typeof n !== 'number'
const isIndices = (i: BarrierIndex): i is ReadonlyArray<Int> => Array.isArray(i)

// ---------------------------------------------------------------- allocation

/** Storage for barriers that `count` arrivals complete. */
export const allocateBarriers = <O extends boolean>(
  name: string,
  { numArrivals = 1, numBarriers = 1, ordersTensorCore }: BarrierOptions<O>,
  arrivals: (numArrivals: number) => number,
  reaches: ReadonlyArray<Int> | null,
): Build<Barrier<O>> =>
  block(function* () {
    const shape = isShape(numBarriers) ? numBarriers : [numBarriers]
    if (!positive(numArrivals))
      return yield* refused(
        'pallas.barrier.arrivals',
        `${name}: num_arrivals is ${String(numArrivals)}: expected at least 1`,
      )
    if (!shape.every(positive))
      return yield* refused(
        'pallas.barrier.shape',
        `${name}: num_barriers is ${showShape(shape)}: expected positive integers`,
      )
    const total = sizeOf(shape)
    if (total > mostBarriers)
      return yield* refused(
        'pallas.barrier.many',
        `${name}: num_barriers ${showShape(shape)} are ${String(total)} barriers: a thread keeps the parities of at most ${String(mostBarriers)}`,
      )
    const expr = yield* barriers<readonly [number], 'pallas', O>(name, [total], {
      contract: 'pallas',
      ...(ordersTensorCore === undefined ? {} : { ordersTensorCore }),
    })
    return {
      _tag: 'pallas.barrier',
      name,
      numArrivals,
      count: arrivals(numArrivals),
      shape,
      numBarriers: total,
      ordersTensorCore: ordersTensorCore ?? false,
      base: null,
      allocated: total,
      expr,
      reaches,
      rank: null,
    }
  })

/** `plgpu.Barrier`. At most 32 in one array: a thread keeps their parities in one 32-bit mask. */
export const Barrier = <const O extends boolean = false>(
  name: string,
  options: BarrierOptions<O> = {},
): Build<Barrier<O>> => allocateBarriers(name, options, (n) => n, null)

/** Whether it is an array of barriers of Pallas. */
export const isBarrier = (x: unknown): x is Barrier =>
  typeof x === 'object' && x !== null && '_tag' in x && x._tag === 'pallas.barrier'

/** `mbarrier.init` for every barrier of this allocation. */
export const initBarrier = (b: Barrier): Build<void> =>
  block(function* () {
    for (let i = 0; i < b.allocated; i++)
      yield* run(`init ${b.name}[${String(i)}]`, {
        _tag: 'mbarrier.init',
        barrier: slot(b.expr, i32(i)),
        count: b.count,
      })
  })

// ---------------------------------------------------------------- parts

const from = (b: Barrier, offset: Int): Int => (b.base === null ? offset : add(b.base, offset))

/** `barrier.at[index]`: the barrier or the array at an index of the first axis. */
export const barrierAt = <O extends boolean>(b: Barrier<O>, index: Int): Barrier<O> => {
  const shape = b.shape.slice(1)
  const each = sizeOf(shape)
  return { ...b, shape, numBarriers: each, base: from(b, each === 1 ? index : mul(index, i32(each))) }
}

/** `barrier.at[start:start + size]` along the first axis. */
export const barrierSlice = <O extends boolean>(
  label: string,
  b: Barrier<O>,
  start: number,
  size: number,
  step: number = 1,
): Build<Barrier<O>> =>
  block(function* () {
    const no = (code: Code, why: string): Build<never> => refused(code, `${label}: barrier ${b.name}: ${why}`)
    if (step !== 1)
      return yield* no('pallas.barrier.slice', `a slice of step ${String(step)}: expected step 1`)
    const extent = b.shape[0] ?? 0
    if (!positive(size) || start < 0 || start + size > extent)
      return yield* no(
        'pallas.barrier.slice',
        `slice ${String(start)}:${String(start + size)} of dimension 0, which has ${String(extent)}`,
      )
    const below = sizeOf(b.shape.slice(1))
    return {
      ...b,
      shape: [size, ...b.shape.slice(1)],
      numBarriers: size * below,
      base: from(b, i32(start * below)),
    }
  })

/** Types say that it is one, and JavaScript does not read them. */
const needBarrier = (label: string, b: unknown): Build<void> =>
  isBarrier(b)
    ? of(undefined)
    : fail(
        failure(
          'type.expression',
          `${label}: expected a barrier, found ${typeof b === 'object' ? 'another object' : `the ${typeof b} ${String(b)}`}`,
        ),
      )

/** Its number in its allocation: the bit that a thread keeps for it. Refuses anything but a single barrier. */
export const barrierNumber = (label: string, b: Barrier, index: BarrierIndex): Build<Int> =>
  block(function* () {
    yield* needBarrier(label, b)
    const indices = index === null ? [] : isIndices(index) ? index : [index]
    if (index === null && b.numBarriers === 1) return b.base ?? i32(0)
    if (indices.length !== b.shape.length)
      return yield* refused(
        'pallas.barrier.single',
        `${label}: expected a single barrier, found ${b.name} of shape ${showShape(b.shape)} with ${String(indices.length)} ${indices.length === 1 ? 'index' : 'indices'}`,
      )
    for (const [d, i] of indices.entries()) {
      const at = known(i)
      if (at !== null && (at < 0 || at >= b.shape[d]!))
        return yield* refused(
          'pallas.barrier.index',
          `${label}: index ${String(at)} is outside of dimension ${String(d)} of barrier ${b.name}, which has ${String(b.shape[d])}`,
        )
    }
    const number = indices
      .map((i, d) => {
        const below = sizeOf(b.shape.slice(d + 1))
        return below === 1 ? i : mul(i, i32(below))
      })
      .reduce<Int | null>((sum, i) => (sum === null ? i : add(sum, i)), null)
    return from(b, number ?? i32(0))
  })

/** The barrier that other operations signal. */
export const barrierSlot = <O extends boolean>(
  label: string,
  b: Barrier<O>,
  index: BarrierIndex,
): Build<BarrierExpr<'pallas', O>> =>
  block(function* () {
    const one = slot(b.expr, yield* barrierNumber(label, b, index))
    return b.rank === null ? one : remote<'pallas', O>(one, b.rank)
  })

// ---------------------------------------------------------------- operations

/** The mask of a thread that has not waited yet. */
export const freshParities: Int = i32(0)

/** `barrier_arrive(barrier.at[index])`. */
export const barrierArrive = (
  label: string,
  barrier: Barrier,
  index: BarrierIndex,
  when?: Condition,
): Build<void> =>
  block(function* () {
    const here = yield* contextHere
    const one = yield* barrierSlot(label, barrier, index)
    if (barrier.reaches !== null && here.warp !== null)
      return yield* refused(
        'pallas.cluster-barrier.warp',
        `${label}: a warp cannot arrive on ${barrier.name}: expected a whole thread at a ClusterBarrier`,
      )
    if (barrier.ordersTensorCore)
      yield* run(`${label}.before`, { _tag: 'tcgen05.fenceBefore' }, when === undefined ? {} : { when })
    const once = yield* onceInThread(label, when)
    const far = barrier.reaches !== null || barrier.rank !== null
    const scope = far ? 'cluster' : 'cta'
    for (const [k, rank] of (barrier.reaches ?? [null]).entries())
      yield* run(
        k === 0 ? label : `${label}.${String(k)}`,
        {
          _tag: 'mbarrier.arrive',
          barrier: rank === null ? one : remote<'pallas', boolean>(one, rank),
          count: 1,
          release: true,
          scope,
        },
        once === null ? {} : { when: once },
      )
  })

const waitsHere = (label: string, b: Barrier): Build<void> =>
  block(function* () {
    yield* needBarrier(label, b)
    if (b.rank !== null)
      return yield* refused(
        'pallas.barrier.remote-wait',
        `${label}: ${b.name} belongs to another block: a thread can arrive there, but can wait only for barriers of its own block`,
      )
  })

/**
 * `barrier_wait(barrier.at[index])`: gives the thread's next parities. A wait that is predicated off flips nothing. Without parities they
 * are the thread's own, which go along by themselves (`parities.ts`).
 */
export const barrierWait = (
  label: string,
  barrier: Barrier,
  index: BarrierIndex,
  given?: Int,
  when?: Condition,
): Build<Int> =>
  block(function* () {
    yield* waitsHere(label, barrier)
    const options = when === undefined ? {} : { when }
    const here = yield* contextHere
    const scope = blockScope(here)
    const own = given === undefined ? yield* maskFor(label, barrier.name, here.warp) : null
    const parities = own?.mask ?? given ?? freshParities
    const bit = yield* barrierNumber(label, barrier, index)
    const parity = yield* letIn(`${label}.parity`, and(shrU(parities, bit), i32(1)))
    yield* run(
      label,
      { _tag: 'mbarrier.wait', barrier: slot(barrier.expr, bit), parity, acquire: true, scope },
      options,
    )
    if (barrier.ordersTensorCore) yield* run(`${label}.after`, { _tag: 'tcgen05.fenceAfter' }, options)
    const flipped = xor(parities, shl(i32(1), bit))
    const next = yield* letIn(
      `${label}.parities`,
      when === undefined ? flipped : select(when, flipped, parities),
    )
    if (own !== null) yield* own.keep(next)
    return next
  })

/**
 * `barrier_test(barrier.at[index])`: has it completed? If so, the parities advance. Without parities, those
 * of the warp or of the thread are used, as for a wait. The lanes of a warp, and the warps of a thread, agree
 * on one answer.
 */
export const barrierTest = (
  label: string,
  barrier: Barrier,
  index: BarrierIndex,
  given?: Int,
): Build<{ readonly done: Condition; readonly parities: Int }> =>
  block(function* () {
    const here = yield* contextHere
    yield* waitsHere(label, barrier)
    const own = given === undefined ? yield* maskFor(label, barrier.name, here.warp) : null
    const parities = own?.mask ?? given ?? freshParities
    const bit = yield* barrierNumber(label, barrier, index)
    const parity = yield* letIn(`${label}.parity`, and(shrU(parities, bit), i32(1)))
    const done = yield* testBarrier(label, slot(barrier.expr, bit), parity)
    if (barrier.ordersTensorCore) yield* run(`${label}.after`, { _tag: 'tcgen05.fenceAfter' }, { when: done })
    const next = yield* letIn(`${label}.parities`, select(done, xor(parities, shl(i32(1), bit)), parities))
    if (own !== null) yield* own.keep(next)
    return { done, parities: next }
  })
