/**
 * Pallas barriers: arrive, wait, and the bit that every thread keeps for each barrier.
 *
 * `barrier_wait` takes no parity. The runtime keeps one 32-bit mask per thread, at first 0: waiting on barrier k reads bit k as the
 * parity, and flips it. Here the mask is an ordinary value of the agent: a wait takes it and gives the next one, and a loop
 * carries it. So a wait must see every completion, and nothing in the machine remembers who waited for what.
 *
 *     mask 0b00   wait 0 -> parity 0, mask 0b01   wait 1 -> parity 0, mask 0b11   wait 0 -> parity 1, mask 0b10
 *
 * A barrier that orders tensor cores carries their order too: an arrive on it comes behind `tcgen05.fenceBefore`, a wait before
 * `tcgen05.fenceAfter`. Without them what the tensor core does is not ordered by the barrier.
 *
 * Names: `plgpu.Barrier(num_arrivals, num_barriers, orders_tensor_core)`, `barrier_arrive`, `barrier_wait`.
 *
 * Source: JAX docs, Pallas:MGPU reference, synchronization.
 */
import { block, barriers, letIn, run, type Build } from '../../semantics/builder.js'
import {
  and,
  i32,
  select,
  shl,
  shrU,
  slot,
  xor,
  type Barrier as BarrierExpr,
  type Condition,
  type Int,
} from '../../semantics/expression.js'

/** An array of `numBarriers` barriers, each completed by `numArrivals` arrivals. */
export interface Barrier<O extends boolean = boolean> {
  readonly name: string
  readonly numArrivals: number
  readonly numBarriers: number
  readonly ordersTensorCore: boolean
  readonly expr: BarrierExpr<'pallas', O, 1>
}

/** `plgpu.Barrier`. At most 32 in one array: a thread keeps their parities in one 32-bit mask. */
export const Barrier = <const O extends boolean = false>(
  name: string,
  options: { readonly numArrivals?: number; readonly numBarriers: number; readonly ordersTensorCore?: O },
): Build<Barrier<O>> =>
  block(function* () {
    const expr = yield* barriers<readonly [number], 'pallas', O>(name, [options.numBarriers], {
      contract: 'pallas',
      ...(options.ordersTensorCore === undefined ? {} : { ordersTensorCore: options.ordersTensorCore }),
    })
    return {
      name,
      numArrivals: options.numArrivals ?? 1,
      numBarriers: options.numBarriers,
      ordersTensorCore: options.ordersTensorCore ?? false,
      expr,
    }
  })

/** The mask of a thread that has not waited yet. */
export const freshParities: Int = i32(0)

/** `barrier_arrive(barrier.at[index])`. */
export const barrierArrive = (label: string, barrier: Barrier, index: Int, when?: Condition): Build<void> =>
  block(function* () {
    const options = when === undefined ? {} : { when }
    if (barrier.ordersTensorCore) yield* run(`${label}.before`, { _tag: 'tcgen05.fenceBefore' }, options)
    yield* run(
      label,
      { _tag: 'mbarrier.arrive', barrier: slot(barrier.expr, index), count: 1, release: true, scope: 'cta' },
      options,
    )
  })

/** `barrier_wait(barrier.at[index])`: gives the thread's next parities. A wait that is predicated off flips nothing. */
export const barrierWait = (
  label: string,
  barrier: Barrier,
  index: Int,
  parities: Int,
  when?: Condition,
): Build<Int> =>
  block(function* () {
    const parity = yield* letIn(`${label}.parity`, and(shrU(parities, index), i32(1)))
    yield* run(
      label,
      { _tag: 'mbarrier.wait', barrier: slot(barrier.expr, index), parity, acquire: true, scope: 'cta' },
      when === undefined ? {} : { when },
    )
    if (barrier.ordersTensorCore)
      yield* run(`${label}.after`, { _tag: 'tcgen05.fenceAfter' }, when === undefined ? {} : { when })
    const flipped = xor(parities, shl(i32(1), index))
    return yield* letIn(`${label}.parities`, when === undefined ? flipped : select(when, flipped, parities))
  })
