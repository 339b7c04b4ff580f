/**
 * `copy_smem_to_gmem` and the groups by which its copies are awaited.
 *
 * A store returns at once. Each thread has a queue of groups: a store joins the group that is open, and closes it unless told not to; a wait
 * leaves at most the n newest closed groups under way, or under way and still reading SMEM:
 *
 *     copy_smem_to_gmem(a_smem, a, commit_group=False)     a reads and writes in the open group
 *     copy_smem_to_gmem(b_smem, b)                         b joins it, and closes it
 *     copy_smem_to_gmem(c_smem, c)                         a group of its own
 *     wait_smem_to_gmem(1)                                 a and b are done; c may be under way
 *     wait_smem_to_gmem(0, wait_read_only=True)            c has read c_smem: it may be written
 *
 * A thread waits for its own stores and no others. What a thread wrote to SMEM itself a store reads only behind `commit_smem`. Elements
 * outside of the tensor are not written.
 *
 * | reduction_op           | of                             | what remains: old, new ->          |
 * |------------------------|--------------------------------|------------------------------------|
 * | add                    | f16 bf16 f32 i32 u32 u64       | old + new                          |
 * | min, max               | f16 bf16                       | the lesser, the greater            |
 * | umin, umax; smin, smax | u32 u64; i32 i64               | the same                           |
 * | and, or, xor           | i32 u32 i64 u64                | bit by bit                         |
 * | inc, dec               | u32                            | counts up to new, down from new    |
 *
 * In Pallas an integer has no sign until an operation gives it one (`umax` of an int32 ref compares as unsigned); here the dtype
 * of the tensor has it, and must be the operation's. For the same reason add of i64 is refused: the copy engine adds u64.
 *
 * Laws
 * 1. The tensor holds what the ref held when the copy read it; with a reduction, what the table says of that and what was there.
 * 2. A predicated store that does not happen closes its group all the same.
 *
 * Names: `plgpu.copy_smem_to_gmem(src, dst, predicate, commit_group, reduction_op)`, `plgpu.commit_smem_to_gmem_group`,
 * `plgpu.wait_smem_to_gmem(n, wait_read_only)`, `plgpu.commit_smem`, `plgpu.wait_gmem_to_smem`.
 *
 * Source: JAX docs, Pallas:MGPU reference, asynchronous copies; PTX ISA, cp.reduce.async.bulk.tensor.
 */
import type { Dtype } from '../../../numerics/dtype.js'
import { block, run, type Build } from '../../../semantics/writing/builder.js'
import { and, type Condition, type View } from '../../../semantics/language/expression.js'
import type { ReduceKind } from '../../../semantics/language/instruction.js'
import { reducible } from '../../../semantics/language/signature.js'
import { refused } from '../codes.js'
import { contextHere } from '../context.js'
import { onceInThread, warpgroupBarrier } from '../core-map.js'
import { checkSource } from './collective.js'
import { runsOf } from './contiguous.js'
import { scatterRows } from './gather.js'
import { bytesOf, orRefused, seenBy, smemRef, tensorMap } from './map.js'
import { isRows, shapeOf, type GmemRows, type GmemSlice } from './slice.js'

// ---------------------------------------------------------------- reductions

export type ReductionOp = ReduceKind | 'umin' | 'umax' | 'smin' | 'smax'

const kinds: Readonly<Record<ReductionOp, readonly [kind: ReduceKind, of: ReadonlyArray<Dtype>]>> = {
  add: ['add', reducible.add],
  min: ['min', ['f16', 'bf16']],
  max: ['max', ['f16', 'bf16']],
  umin: ['min', ['u32', 'u64']],
  umax: ['max', ['u32', 'u64']],
  smin: ['min', ['i32', 'i64']],
  smax: ['max', ['i32', 'i64']],
  and: ['and', reducible.and],
  or: ['or', reducible.or],
  xor: ['xor', reducible.xor],
  inc: ['inc', reducible.inc],
  dec: ['dec', reducible.dec],
}

/** All of them. */
export const reductionOps: ReadonlyArray<ReductionOp> = [
  ...(['add', 'min', 'max', 'umin', 'umax', 'smin', 'smax'] as const),
  ...(['and', 'or', 'xor', 'inc', 'dec'] as const),
]

/** What each `reduction_op` takes. */
export const reductionDtypes = (op: ReductionOp): ReadonlyArray<Dtype> => kinds[op][1]

// ---------------------------------------------------------------- the copy

export interface StoreOptions {
  /** a `pl.when` around the copy: if false there is no copy, and no group is closed */
  readonly when?: Condition | undefined
  /** if false, it stores nothing, and still closes its group */
  readonly predicate?: Condition | undefined
  /** closes a group with all copies that are in no group (default true) */
  readonly commitGroup?: boolean
  /** combines the elements with the old ones */
  readonly reductionOp?: ReductionOp
}

const onlyIf = (when: Condition | undefined): { readonly when?: Condition } =>
  when === undefined ? {} : { when }

/** `copy_smem_to_gmem(src, dst, predicate, commit_group, reduction_op)`: a group of its own unless others were left open. */
export const copySmemToGmem = <D extends Dtype, R extends number>(
  label: string,
  source: View<'smem', D, R>,
  destination: GmemSlice<D, R> | GmemRows<D>,
  options: StoreOptions = {},
): Build<void> =>
  block(function* () {
    const { predicate, reductionOp } = options
    const when = (yield* onceInThread(label, options.when)) ?? undefined
    const ref = yield* smemRef(label, source)
    yield* orRefused(bytesOf(label, ref))
    if (isRows(destination)) {
      if (predicate !== undefined || reductionOp !== undefined)
        return yield* refused(
          'pallas.copy.gather',
          `${label}: scatters do not support ${predicate === undefined ? 'reduction_op' : 'a predicate'}`,
        )
      yield* scatterRows(label, destination, source, ref, { when })
    } else {
      yield* orRefused(checkSource(label, shapeOf(destination), ref.layout.shape, null))
      const whole: View<'smem'> = source
      const runs = reductionOp === undefined ? yield* orRefused(runsOf(label, destination, whole, ref)) : null
      const parts = runs ?? [{ seen: yield* orRefused(seenBy(label, destination, ref)), part: whole }]
      if (reductionOp !== undefined && !kinds[reductionOp][1].includes(ref.dtype))
        return yield* refused(
          'pallas.copy.reduction',
          `${label}: reduction_op "${reductionOp}" is of ${kinds[reductionOp][1].join(', ')}, found ${ref.dtype} of ${ref.name}`,
        )
      const copying = onlyIf(
        when === undefined ? predicate : predicate === undefined ? when : and(when, predicate),
      )
      for (const [k, { seen, part }] of parts.entries()) {
        const { descriptor, coords } = yield* tensorMap(label, destination.tensor, seen)
        yield* run(
          k === 0 ? label : `${label}.${String(k)}`,
          reductionOp === undefined
            ? { _tag: 'tma.store', descriptor, coords, source: part }
            : { _tag: 'tma.reduce', kind: kinds[reductionOp][0], descriptor, coords, source: part },
          copying,
        )
      }
    }
    if (options.commitGroup !== false) yield* commitSmemToGmemGroup(`${label}.group`, options.when)
  })

// ---------------------------------------------------------------- groups

/** `commit_smem_to_gmem_group()`: the stores of the thread that are in no group become one, even if there are none. */
export const commitSmemToGmemGroup = (label: string, when?: Condition): Build<void> =>
  run(label, { _tag: 'bulk.commitGroup' }, onlyIf(when))

/**
 * `wait_smem_to_gmem(n, wait_read_only)`: at most the n newest groups are still on their way (or still
 * reading). One warp issues the copies. If each warp is an agent, the others meet it after its wait.
 */
export const waitSmemToGmem = (label: string, n: number, waitReadOnly: boolean = false): Build<void> =>
  Number.isInteger(n) && n >= 0
    ? block(function* () {
        const { thread, warp } = yield* contextHere
        yield* run(label, { _tag: 'bulk.waitGroup', pending: n, read: waitReadOnly })
        if (thread?.warps === 'agents' && warp === null) yield* warpgroupBarrier(`${label}.meet`, thread)
      })
    : refused('pallas.copy.groups', `${label}: expected a number of groups of 0 or more, found ${String(n)}`)

/** `wait_gmem_to_smem(n)`: only for chips before Hopper, whose copies have no barriers. */
export const waitGmemToSmem = (label: string, n: number): Build<void> =>
  refused(
    'pallas.copy.wait-gmem',
    `${label}: wait_gmem_to_smem(${String(n)}) is for GPUs before Hopper: on Hopper and later wait for the barrier of the copy`,
  )

// ---------------------------------------------------------------- the proxy fence

/**
 * `commit_smem()`: orders the thread's accesses to SMEM before later copies and matrix operations. After the
 * fence, the warps of the thread meet. If the thread is one agent, there is nothing to meet.
 */
export const commitSmem = (label: string): Build<void> =>
  block(function* () {
    const { thread, warp } = yield* contextHere
    yield* run(label, { _tag: 'fence.proxyAsync', scope: 'cta' })
    if (thread?.warps === 'agents' && warp === null) yield* warpgroupBarrier(`${label}.meet`, thread)
  })
