/**
 * Barriers: `init_barrier`, `inval_barrier`, `barrier_expect`, `arrive_barrier`, `async_copy_mbarrier_arrive`, `wait_barrier`.
 *
 * A barrier is eight bytes of shared memory. Its phase has a parity, first 0; it completes when as many arrivals as it was initialised for
 * have come and the bytes that were expected. `wait_barrier %b, P` goes on once the parity is not P: on a fresh barrier a wait for 1 passes
 * at once. `barrier_expect` is an arrival that brings a number of bytes.
 *
 *     init_barrier %b, 1          pending 1, parity 0
 *     barrier_expect %b, 4096     pending 0, 4096 bytes to come
 *     async_tma_copy ... %b       4096 bytes come: pending 1, parity 1
 *     wait_barrier %b, 0          passes
 *
 * Where the CTAs of a cluster share barriers (`layout`: its CGA rows, a zero row shares) the lead CTA initialises, waits and invalidates, all
 * expect and arrive at the lead's, and the count is multiplied by the CTAs that share.
 *
 * `arrive_barrier` and `barrier_expect` begin with a barrier of the whole partition (`issue.ts`). In a module of several CTAs releases
 * and acquires reach the cluster.
 *
 * | operation                   | seed's form                  | today's attributes                                             |
 * |-----------------------------|------------------------------|----------------------------------------------------------------|
 * | arrive_barrier              | alloc, count, pred           | ctaMask: one arrival at each CTA that differs in these bits    |
 * | the others                  | the same                     |                                                                |
 *
 * Source: Triton, TritonNvidiaGPU dialect; PTX ISA, mbarrier.
 */
import { sizeOf } from '../../transforms/shape.js'
import { block, run, typeHere, type Build } from '../../semantics/writing/builder.js'
import { i32, or, remote, slot, type Barrier, type Int } from '../../semantics/language/expression.js'
import { checked } from '../../semantics/language/index-types.js'
import type { TensorBarrier, Scope } from '../../semantics/language/instruction.js'
import { isLead, leadOf, sharedBits, subsetsOf, type CgaLayout } from './cluster-layout.js'
import { refused } from './codes.js'
import { numCtas, on, partitionSync, speaks } from './issue.js'
import type { BarrierDesc, Issuer, MemDesc, OpOptions } from './types.js'

export interface BarrierOptions extends OpOptions {
  /** how the CTAs share: a row for each bit of the rank; default: each CTA has its own */
  readonly layout?: CgaLayout
}

// ---------------------------------------------------------------- the operand

/** A barrier of this CTA, the barrier of its lead, and the consequences of sharing. */
export interface Resolved {
  readonly own: TensorBarrier
  readonly lead: TensorBarrier
  /** the bits of the rank that share */
  readonly bits: number
  readonly scope: Scope
}

/** One barrier, of a legal layout. */
export const resolve = (
  label: string,
  alloc: BarrierDesc,
  { layout, from }: { readonly layout?: CgaLayout | undefined; readonly from?: Issuer | undefined },
): Build<Resolved> =>
  block(function* () {
    const type = yield* typeHere(alloc)
    if (type._tag !== 'barrier')
      return yield* refused(
        'ttng.barrier',
        `${label}: a barrier is a memdesc of rank 1 with elements of i64, found a ${type._tag}`,
      )
    if (sizeOf(type.shape) !== 1)
      return yield* refused(
        'ttng.barrier.shape',
        `${label}: a barrier has one element for each CTA, so here 1: take one by memdesc_index, found ${String(sizeOf(type.shape))}`,
      )
    const ctas = numCtas(from)
    if (layout !== undefined) {
      if (2 ** layout.length !== ctas)
        return yield* refused(
          'ttng.barrier.layout',
          `${label}: the layout of a barrier has a row for each bit of a CTA's rank, expected ${String(Math.log2(ctas))} for ${String(ctas)} CTAs, found ${String(layout.length)}`,
        )
      let next = 1
      for (const [bit, row] of layout.entries()) {
        const value = row[0] ?? 0
        if (row.length !== 1 || (value !== 0 && value !== next))
          return yield* refused(
            'ttng.barrier.layout',
            `${label}: the rows of a barrier's layout are 1, 2, 4, ... in their order, and zeros, expected [0] or [${String(next)}] for bit ${String(bit)}, found [${row.join(', ')}]`,
          )
        if (value !== 0) next *= 2
      }
    }
    const own =
      type.shape.length === 0
        ? checked<TensorBarrier, BarrierDesc>(alloc)
        : slot(checked<Barrier<'ptx', true, 1>, BarrierDesc>(alloc), i32(0))
    const bits = layout === undefined ? 0 : sharedBits(layout)
    return {
      own,
      lead: bits === 0 ? own : remote(own, leadOf(bits)),
      bits,
      scope: ctas > 1 ? 'cluster' : 'cta',
    }
  })

const counted = (
  label: string,
  code: 'ttng.init_barrier.count' | 'ttng.arrive_barrier.count',
  count: number,
) =>
  block(function* () {
    if (Number.isInteger(count) && count >= 1) return
    return yield* refused(code, `${label}: count must be greater than or equal to 1, found ${String(count)}`)
  })

// ---------------------------------------------------------------- life

/** `ttng.init_barrier %alloc, count`. */
export const initBarrier = (
  label: string,
  alloc: BarrierDesc,
  count: number,
  options: BarrierOptions = {},
): Build<void> =>
  block(function* () {
    const { from } = options
    yield* counted(label, 'ttng.init_barrier.count', count)
    const { own, bits } = yield* resolve(label, alloc, options)
    if (bits !== 0 && from?.specialized === true)
      return yield* refused(
        'ttng.init_barrier.warp_specialize',
        `${label}: a barrier that CTAs share cannot be initialised inside of warp_specialize, since a barrier of the whole cluster must follow; it is shared over rank bits ${bits.toString(2)}`,
      )
    yield* run(
      label,
      { _tag: 'mbarrier.init', barrier: own, count: count * subsetsOf(bits).length },
      on(options.when, isLead(bits), speaks(from)),
    )
  })

/** `ttng.inval_barrier %alloc`: its bytes may be used for something else. */
export const invalBarrier = (label: string, alloc: BarrierDesc, options: BarrierOptions = {}): Build<void> =>
  block(function* () {
    const { own, bits } = yield* resolve(label, alloc, options)
    yield* run(
      label,
      { _tag: 'mbarrier.inval', barrier: own },
      on(options.when, isLead(bits), speaks(options.from)),
    )
  })

// ---------------------------------------------------------------- arrivals

/** `ttng.barrier_expect %alloc, size, %pred`: one arrival, and so many bytes will come. */
export const barrierExpect = (
  label: string,
  alloc: BarrierDesc,
  size: number,
  options: BarrierOptions = {},
): Build<void> =>
  block(function* () {
    if (!Number.isInteger(size) || size < 0)
      return yield* refused(
        'ttng.barrier_expect.size',
        `${label}: size is a number of bytes of 0 or more, found ${String(size)}`,
      )
    const { lead, scope } = yield* resolve(label, alloc, options)
    yield* partitionSync(`${label}.sync`, options.from)
    yield* run(
      label,
      { _tag: 'mbarrier.arriveExpectTx', barrier: lead, bytes: i32(size), release: true, scope },
      on(options.when, speaks(options.from)),
    )
  })

export interface ArriveOptions extends BarrierOptions {
  /** today's: arrive at the barriers of all CTAs whose rank differs from this one's in these bits at most */
  readonly ctaMask?: number
}

/** `ttng.arrive_barrier %alloc, count (, %pred)`. */
export const arriveBarrier = (
  label: string,
  alloc: BarrierDesc,
  count: number,
  options: ArriveOptions = {},
): Build<void> =>
  block(function* () {
    const { ctaMask = 0, from, when } = options
    yield* counted(label, 'ttng.arrive_barrier.count', count)
    const { own, lead, bits, scope } = yield* resolve(label, alloc, options)
    const ctas = numCtas(from)
    if (ctaMask !== 0) {
      if (ctas < 2)
        return yield* refused(
          'ttng.arrive_barrier.cta_mask',
          `${label}: ctaMask ${String(ctaMask)} arrives in other CTAs, and the module has one`,
        )
      if (!Number.isInteger(ctaMask) || ctaMask < 0 || ctaMask > ctas - 1)
        return yield* refused(
          'ttng.arrive_barrier.cta_mask',
          `${label}: ctaMask must have bits of a rank only, at most ${String(ctas - 1)} for ${String(ctas)} CTAs, found ${String(ctaMask)}`,
        )
      if (bits !== 0)
        return yield* refused(
          'ttng.arrive_barrier.cta_mask',
          `${label}: ctaMask ${String(ctaMask)} needs a barrier of its own in every CTA, found one that is shared over rank bits ${bits.toString(2)}`,
        )
    }
    yield* partitionSync(`${label}.sync`, from)
    const at =
      ctaMask === 0 ? [lead] : subsetsOf(ctaMask).map((s) => remote(own, or(leadOf(ctaMask), i32(s))))
    for (const barrier of at)
      yield* run(
        label,
        { _tag: 'mbarrier.arrive', barrier, count, release: true, scope },
        on(when, speaks(from)),
      )
  })

export interface AsyncArriveOptions extends BarrierOptions {
  /** the arrival is one of those that the barrier was initialised for; otherwise it is added to them first */
  readonly noIncrement?: boolean
}

/** `ttng.async_copy_mbarrier_arrive %barrier`: an arrival once all copies that this thread issued by async_copy are done. */
export const asyncCopyMbarrierArrive = (
  label: string,
  barrier: BarrierDesc,
  options: AsyncArriveOptions = {},
): Build<void> =>
  block(function* () {
    const { own } = yield* resolve(label, barrier, options)
    yield* run(
      label,
      { _tag: 'mbarrier.cpAsyncArrive', barrier: own, noIncrement: options.noIncrement ?? false },
      on(options.when),
    )
  })

// ---------------------------------------------------------------- waits

export interface WaitOptions extends BarrierOptions {
  /** memdescs that may be accessed until the barrier completes; they keep buffers alive in a compiler and order nothing */
  readonly deps?: ReadonlyArray<MemDesc>
}

/** `ttng.wait_barrier %alloc, %phase (, %pred) (deps ...)`: until the parity is not `phase`. Of CTAs that share, the lead waits. */
export const waitBarrier = (
  label: string,
  alloc: BarrierDesc,
  phase: Int,
  options: WaitOptions = {},
): Build<void> =>
  block(function* () {
    const { own, bits, scope } = yield* resolve(label, alloc, options)
    yield* run(
      label,
      { _tag: 'mbarrier.wait', barrier: own, parity: phase, acquire: true, scope },
      on(options.when, isLead(bits)),
    )
  })
