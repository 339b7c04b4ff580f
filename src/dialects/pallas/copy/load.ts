/**
 * `copy_gmem_to_smem`: a slice, or rows, of a GMEM tensor go to an SMEM ref, and a barrier hears of it.
 *
 * The issuing thread expects the bytes on the barrier and arrives there, once; then it issues the copy:
 *
 *     copy_gmem_to_smem(x.at[...], x_smem, full)     mbarrier.arriveExpectTx full, bytes of x_smem      tma.load
 *     ... collective_axes="c"                        the same on each block's own barrier               tma.load of a part, to all
 *     ... leader_tracked=...                         on the leader's, by the leader, twice the bytes    tma.load (pair of CTAs)
 *     ... predicate=p                                p ? bytes : 0, but one arrival in any case         tma.load if p
 *
 * So a barrier that two copies complete has `num_arrivals=2`. `when` is something else than a predicate: a `pl.when` around the call, and
 * without it nothing happens at all.
 *
 * What lies outside of the tensor:
 *
 * | oob_mode             | reads as                                                                                     |
 * |----------------------|----------------------------------------------------------------------------------------------|
 * | ZEROS (the default)  | zero                                                                                         |
 * | UNDEFINED            | anything: here NaN, where the dtype has one that the copy engine fills in, so that it shows  |
 * | PROMISE_IN_BOUNDS    | nothing does: the caller promised; a broken promise is refused, or a trap where it is run    |
 *
 * In all three the barrier hears of all bytes.
 *
 * Laws
 * 1. After the barrier completes the ref holds the slice, outside elements as the table says (round trips over refs and modes).
 * 2. `partitionedAxis: a` is `leaderTracked: CopyPartition.PARTITIONED(a)`, statement for statement.
 *
 * Names: `plgpu.copy_gmem_to_smem(src, dst, barrier, collective_axes=, leader_tracked=, oob_mode=, predicate=)`, `plgpu.OOBFillMode`.
 *
 * Source: JAX docs, Pallas:MGPU reference, `copy_gmem_to_smem`.
 */
import { isFloat, bitsOf, type Dtype } from '../../../numerics/dtype.js'
import { block, fromEither, run, type Build, type Tensor } from '../../../semantics/writing/builder.js'
import {
  add,
  and,
  div,
  eq,
  gt,
  i1,
  i32,
  lt,
  mod,
  mul,
  or,
  reinterpret,
  remote,
  select,
  slot,
  type Barrier as BarrierExpr,
  type Condition,
  type Int,
  type View,
} from '../../../semantics/language/expression.js'
import { constantOf } from '../../../semantics/language/typecheck.js'
import * as Ref from '../../../transforms/ref.js'
import { showShape, sizeOf } from '../../../transforms/shape.js'
import { swizzleElements } from '../../../transforms/swizzle.js'
import { barrierSlot, type Barrier, type BarrierIndex } from '../barrier.js'
import { refused } from '../codes.js'
import { onceInThread } from '../core-map.js'
import { checkSource, cutsOf, togetherOf, type Together } from './collective.js'
import { runsOf } from './contiguous.js'
import { gatherRows } from './gather.js'
import type { CopyOptions, OOBFillMode } from './options.js'
import {
  bytesOf,
  orRefused,
  seenBy,
  smemRef,
  tensorMap,
  type Dimension,
  type Seen,
  type SmemRef,
} from './map.js'
import { isRows, shapeOf, type GmemRows, type GmemSlice } from './slice.js'

// ---------------------------------------------------------------- out of bounds

/** What fills elements outside of the tensor. */
const fillOf = (mode: OOBFillMode, dtype: Dtype): 'zero' | 'nan' =>
  mode === 'UNDEFINED' && isFloat(dtype) && bitsOf(dtype) >= 16 ? 'nan' : 'zero'

/** Some element of the slice is outside of the tensor: true, false, or known at run time only. */
const leaves = (
  tensor: Tensor,
  starts: ReadonlyArray<Int>,
  sizes: ReadonlyArray<number | null>,
): Condition | boolean => {
  let found: Condition | boolean = false
  for (const [d, start] of starts.entries()) {
    const [size, extent] = [sizes[d] ?? 1, constantOf(tensor.param.shape[d]!)!]
    const known = constantOf(start)
    if (known !== undefined) {
      if (known < 0 || known + size > extent) return true
      continue
    }
    const here = or(lt(start, i32(0)), gt(start, i32(extent - size)))
    found = found === false ? here : or(found, here)
  }
  return found
}

const both = (x: Condition | undefined, y: Condition | undefined): Condition | undefined =>
  x === undefined ? y : y === undefined ? x : and(x, y)
const onlyIf = (when: Condition | undefined): { readonly when?: Condition } =>
  when === undefined ? {} : { when }

/** Holds the caller to a promise that the slice is inside. */
const promised = <D extends Dtype, R extends number>(
  label: string,
  slice: GmemSlice<D, R>,
  when: Condition | undefined,
): Build<void> =>
  block(function* () {
    const outside = leaves(slice.tensor, slice.starts, slice.sizes)
    if (outside === true && when === undefined)
      return yield* refused(
        'pallas.copy.promise',
        `${label}: PROMISE_IN_BOUNDS: a slice of ${showShape(slice.sizes.map((n) => n ?? 1))} at ${showShape(slice.starts.map((s) => constantOf(s) ?? NaN))} leaves ${slice.tensor.param.name} of shape ${showShape(slice.tensor.param.shape.map((e) => constantOf(e) ?? NaN))}`,
      )
    if (outside !== false)
      yield* run(
        `${label}.promise`,
        { _tag: 'trap' },
        onlyIf(outside === true ? (when ?? i1(true)) : both(when, outside)),
      )
  })

// ---------------------------------------------------------------- the part of a block

/** What a block issues of a slice that `count` blocks share: its part, and where the part goes in the ref. */
export const partOf = (
  label: string,
  seen: Seen,
  name: string,
  { blocks }: Together,
): Build<{ readonly seen: Seen; readonly index: Int; readonly count: number }> =>
  block(function* () {
    const { size: count, index } = blocks
    const shape = seen.dims.map(({ box }) => box)
    const cuts = cutsOf(shape, count, seen.swizzle !== 16)
    if (cuts === null)
      return yield* refused(
        'pallas.copy.share',
        `${label}: none of the leading dimensions of the transformed slice ${showShape(shape)} of ${name} is divisible by the ${String(count)} blocks of the collective${seen.swizzle === 16 ? '' : ' (the swizzled dimension cannot be divided)'}`,
      )
    const after = (d: number): number => cuts.slice(d + 1).reduce((product, n) => product * n, 1)
    const dims = seen.dims.map((dim, d): Dimension => {
      if (cuts[d] === 1) return dim
      const box = dim.box / cuts[d]!
      const mine =
        cuts[d] === count ? index : mod(after(d) === 1 ? index : div(index, i32(after(d))), i32(cuts[d]!))
      return { ...dim, box, start: add(dim.start, box === 1 ? mine : mul(mine, i32(box))) }
    })
    return { seen: { dims, swizzle: seen.swizzle }, index, count }
  })

/** Part `index` of `count` equal runs of a contiguous ref. */
const runOf = (
  label: string,
  destination: View<'smem'>,
  ref: SmemRef,
  index: Int,
  count: number,
): Build<View<'smem'>> =>
  block(function* () {
    const { layout, dtype } = ref
    const elements = sizeOf(layout.shape) / count
    const bytes = (elements * bitsOf(dtype)) / 8
    if (bytes % 128 !== 0)
      return yield* refused(
        'pallas.copy.share',
        `${label}: each of ${String(count)} blocks copies ${String(bytes)} bytes of ${ref.name}: expected a multiple of 128`,
      )
    const inner = layout.swizzle === 16 ? elements : swizzleElements(layout.swizzle, layout.bits)
    const plain = layout.swizzle === 16
    const flat = yield* fromEither<Ref.TransformedRef>(
      Ref.ofStrides(
        plain ? [count, inner] : [count, elements / inner, inner],
        layout.bits,
        plain ? [inner, 1] : [elements, inner, 1],
        layout.swizzle,
      ),
    )
    const runs = reinterpret<Dtype, number, 'smem'>(destination, dtype, {
      ...flat,
      byteOffset: layout.byteOffset,
    })
    return slot(runs, index)
  })

// ---------------------------------------------------------------- the copy

/** One arrival, and the bytes that are to come. */
const expect = (
  label: string,
  barrier: BarrierExpr<'pallas', boolean>,
  bytes: number,
  predicate: Condition | undefined,
  when: Condition | undefined,
): Build<void> =>
  run(
    `${label}.expect`,
    {
      _tag: 'mbarrier.arriveExpectTx',
      barrier,
      bytes: predicate === undefined ? i32(bytes) : select(predicate, i32(bytes), i32(0)),
      release: true,
      scope: 'cta',
    },
    onlyIf(when),
  )

/**
 * `copy_gmem_to_smem(src, dst, barrier)`: one arrival on the barrier, and the bytes of `dst` when they are there. `index` null: the barrier is
 * not an array.
 */
export const copyGmemToSmem = <D extends Dtype, R extends number>(
  label: string,
  source: GmemSlice<D, R> | GmemRows<D>,
  destination: View<'smem', D, R>,
  barrier: Barrier | null,
  index: BarrierIndex,
  options: CopyOptions = {},
): Build<void> =>
  block(function* () {
    const { predicate } = options
    if (barrier === null)
      return yield* refused(
        'pallas.copy.barrier',
        `${label}: copy_gmem_to_smem needs a barrier on Hopper and later, found none`,
      )
    const on = yield* barrierSlot(label, barrier, index)
    const ref = yield* smemRef(label, destination)
    const bytes = yield* orRefused(bytesOf(label, ref))
    if (isRows(source)) return yield* gatherRows(label, source, destination, ref, on, bytes, options)
    const when = (yield* onceInThread(label, options.when)) ?? undefined

    const mode = options.oobMode ?? 'ZEROS'
    const together = yield* togetherOf(label, shapeOf(source).length, options)
    const partition = together?.partition ?? null
    yield* orRefused(checkSource(label, shapeOf(source), ref.layout.shape, partition))
    const copying = both(when, predicate)

    // the half of a partitioned source is the whole of what this block sees
    const own: GmemSlice<D, R> =
      together !== null && partition?._tag === 'PARTITIONED'
        ? halved(source, partition.axis, together.blocks.index, ref.layout.shape)
        : source
    const runs =
      mode === 'ZEROS' || together !== null ? null : yield* orRefused(runsOf(label, source, destination, ref))
    if (runs !== null) {
      if (mode === 'PROMISE_IN_BOUNDS') yield* promised(label, source, copying)
      yield* expect(label, on, bytes, predicate, when)
      for (const [k, { seen, part }] of runs.entries()) {
        const { descriptor, coords } = yield* tensorMap(label, source.tensor, seen, fillOf(mode, ref.dtype))
        const load = {
          _tag: 'tma.load',
          descriptor,
          coords,
          destination: part,
          barrier: on,
          ctaGroup: 1,
        } as const
        yield* run(k === 0 ? label : `${label}.${String(k)}`, load, onlyIf(copying))
      }
      return
    }
    const whole = yield* orRefused(seenBy(label, own, ref))
    const shares = together !== null && partition?._tag !== 'PARTITIONED'
    const part = shares ? yield* partOf(label, whole, ref.name, together) : null
    const into: View<'smem'> =
      part === null ? destination : yield* runOf(label, destination, ref, part.index, part.count)
    if (mode === 'PROMISE_IN_BOUNDS') yield* promised(label, source, copying)
    const { descriptor, coords } = yield* tensorMap(
      label,
      source.tensor,
      part?.seen ?? whole,
      fillOf(mode, source.tensor.dtype),
    )

    const leads = partition === null ? undefined : eq(together!.blocks.index, i32(0))
    yield* expect(label, on, partition === null ? bytes : 2 * bytes, predicate, both(when, leads))
    const load = {
      _tag: 'tma.load',
      descriptor,
      coords,
      destination: into,
      barrier: partition === null ? on : remote(on, together!.blocks.leader),
      ctaGroup: partition === null ? 1 : 2,
    } as const
    yield* run(label, shares ? { ...load, multicast: together.blocks.mask } : load, onlyIf(copying))
  })

/** The block's half along a dimension. */
const halved = <D extends Dtype, R extends number>(
  source: GmemSlice<D, R>,
  axis: number,
  index: Int,
  shape: ReadonlyArray<number>,
): GmemSlice<D, R> => {
  let k = -1
  const starts: Int[] = []
  const sizes = source.sizes.map((size, d) => {
    const start = source.starts[d]!
    if (size !== null) k++
    const mine = size !== null && k === axis
    starts.push(mine ? add(start, mul(index, i32(shape[axis]!))) : start)
    return mine ? shape[axis]! : size
  })
  return { tensor: source.tensor, starts, sizes }
}
