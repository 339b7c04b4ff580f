/**
 * `emit_pipeline`: a body run over a grid of steps, with its blocks fetched ahead and stored behind.
 *
 * S = min(max_concurrent_steps, steps) slots of shared memory for each operand; step s works in slot s mod S. A slot has one barrier, which one
 * copy for each input completes.
 *
 *     before        fetch steps 0 .. S - 1
 *     step s        wait for the slot's inputs
 *                   with outputs: wait_smem_to_gmem(S - 1, read only): the slot's last store has been read
 *                   body
 *                   with outputs: commit_smem; store the blocks that changed (all, at the last step); close the group
 *                   fetch step s + S - d for the inputs of delay d, if s >= d and there is such a step
 *     after         with outputs: store those that no step changes; wait_smem_to_gmem(0)
 *
 * `delay_release = d`: the block that step s was given is overwritten only after the body of step s + d returned. By hand, S = 4, N = 6:
 *
 *     step        0    1    2    3    4    5
 *     fetch d=0   4    5    -    -    -    -      into the slot of the step itself
 *     fetch d=1   -    4    5    -    -    -      into the slot of the step before
 *
 * "Changed" compares with the step before. So a block that stays for several steps is stored after the first of them, and after the last
 * step of all: what steps between the two leave in it is not stored, and if it is the last block, its two stores are not ordered (D2).
 *
 * Laws
 * 1. Every step is fetched once for every input, into the slot where its step waits, and never before step (s - S + d) returned.
 * 2. Every barrier completes as often as it is waited for.
 *
 * Names: `plgpu.emit_pipeline(body, in_specs, out_specs, grid, max_concurrent_steps)`, `plgpu.BlockSpec(shape, index_map, transforms, delay_release)`.
 *
 * Source: JAX docs, Pallas:MGPU reference, pipelining; the definition of `emit_pipeline`.
 */
import * as E from 'fp-ts/lib/Either.js'
import { refuse, type Failure } from '../../failure.js'
import type { Dtype } from '../../numerics/dtype.js'
import {
  block,
  forRange,
  fromEither,
  letIn,
  run,
  sequence,
  sharedMemory,
  type Build,
  type Exprs,
  type Steps,
  type Tensor,
} from '../../semantics/builder.js'
import {
  add,
  and,
  eq,
  ge,
  i32,
  lt,
  mul,
  ne,
  or,
  quo,
  rem,
  slot,
  sub,
  type Condition,
  type Int,
  type View,
} from '../../semantics/expression.js'
import type { TypeIndex } from '../../semantics/types.js'
import { sizeOf } from '../../transforms/shape.js'
import type { Transform } from '../../transforms/transform.js'
import { Barrier } from './barrier.js'
import { at, commitSmem, copyGmemToSmem, copySmemToGmem, waitSmemToGmem, type GmemSlice } from './copy.js'
import { initBarrier } from './kernel.js'

// ---------------------------------------------------------------- model

/** Which block of a tensor a step works on. */
export interface BlockSpec<D extends Dtype> {
  readonly tensor: Tensor<D, 2>
  readonly shape: readonly [number, number]
  /** the block's place, counted in blocks */
  readonly indexMap: (...indices: ReadonlyArray<Int>) => readonly [Int, Int]
  readonly transforms?: ReadonlyArray<Transform>
  /** inputs: how many further bodies return before the block may be overwritten (default 0) */
  readonly delayRelease?: number
  /** outputs: the block does not depend on the step, and is stored once at the end (default false) */
  readonly invariant?: boolean
}

export interface PipelineSpec<D extends Dtype> {
  readonly inSpecs: ReadonlyArray<BlockSpec<D>>
  readonly outSpecs?: ReadonlyArray<BlockSpec<D>>
  /** steps per axis; the last axis runs fastest */
  readonly grid: ReadonlyArray<number>
  readonly maxConcurrentSteps: number
}

/** What a body is given at a step: its indices, and its blocks in shared memory, inputs before outputs. */
export interface PipelineStep<D extends Dtype> {
  readonly indices: ReadonlyArray<Int>
  readonly refs: ReadonlyArray<View<'smem', D, 2>>
}

/** An operand and its slots. */
interface Buffered<D extends Dtype> {
  readonly label: string
  readonly spec: BlockSpec<D>
  readonly ref: View<'smem', D, 3>
}

// ---------------------------------------------------------------- preconditions

const legal = <D extends Dtype>(label: string, spec: PipelineSpec<D>): E.Either<Failure, null> => {
  const { grid, maxConcurrentSteps } = spec
  if (!grid.every((n) => Number.isInteger(n) && n > 0))
    return refuse(
      'pallas.pipeline',
      `${label}: All elements in the grid must be strictly positive, found (${grid.join(', ')})`,
    )
  const delays = spec.inSpecs.map((s) => s.delayRelease ?? 0)
  const longest = Math.max(0, ...delays)
  return maxConcurrentSteps > longest
    ? E.right(null)
    : refuse(
        'pallas.pipeline',
        `${label}: max_concurrent_steps must be greater than all delay_release values, found ${String(maxConcurrentSteps)} and ${String(longest)}`,
      )
}

// ---------------------------------------------------------------- steps and blocks

const unravel = (grid: ReadonlyArray<number>, step: Int): ReadonlyArray<Int> =>
  grid.map((n, d) => {
    const below = sizeOf(grid.slice(d + 1))
    const high = below === 1 ? step : quo(step, i32(below))
    return d === 0 ? high : rem(high, i32(n))
  })

const blockOf = <D extends Dtype>(spec: BlockSpec<D>, indices: ReadonlyArray<Int>): GmemSlice<D, 2> =>
  at(
    spec.tensor,
    spec.indexMap(...indices).map((index, d) => mul(index, i32(spec.shape[d]!))),
    spec.shape,
  )

const allocate = <D extends Dtype>(label: string, spec: BlockSpec<D>, slots: number): Build<Buffered<D>> =>
  block(function* () {
    const shape = [slots, spec.shape[0], spec.shape[1]] as const
    const ref = yield* sharedMemory<D, readonly [number, number, number]>(
      label,
      spec.tensor.dtype,
      shape,
      spec.transforms ?? [],
    )
    return { label, spec, ref }
  })

// ---------------------------------------------------------------- the pipeline

/**
 * Allocates, fetches ahead, runs the body for every step of the grid and stores. The body is given what it carries, and gives the
 * next; the pipeline gives the last. Refuses a grid without steps and fewer slots than a delayed release needs.
 */
export const emitPipeline = <D extends Dtype, C extends Readonly<Record<string, TypeIndex>>>(
  label: string,
  spec: PipelineSpec<D>,
  carried: Exprs<C>,
  body: (step: PipelineStep<D>, carried: Exprs<C>) => Steps<Exprs<C>>,
): Build<Exprs<C>> =>
  block(function* () {
    yield* fromEither(legal(label, spec))
    const steps = sizeOf(spec.grid)
    const slots = Math.min(spec.maxConcurrentSteps, steps)
    const [N, S] = [i32(steps), i32(slots)]
    const outSpecs = spec.outSpecs ?? []

    const named = (s: BlockSpec<D>): string => `${label}.${s.tensor.param.name}`
    const ins = yield* sequence(spec.inSpecs.map((s) => allocate(named(s), s, slots)))
    const outs = yield* sequence(outSpecs.map((s) => allocate(named(s), s, s.invariant === true ? 1 : slots)))
    const varying = outs.filter((b) => b.spec.invariant !== true)
    const loaded = yield* Barrier(`${label}.loaded`, { numArrivals: ins.length, numBarriers: slots })
    if (ins.length > 0) yield* initBarrier(loaded)

    const fetch = (name: string, b: Buffered<D>, step: Int, into: Int, when?: Condition): Build<void> =>
      copyGmemToSmem(
        `${name} ${b.spec.tensor.param.name}`,
        blockOf(b.spec, unravel(spec.grid, step)),
        slot(b.ref, into),
        loaded,
        into,
        when,
      )
    for (let s = 0; s < slots; s++)
      for (const b of ins) yield* fetch(`${label}.prologue[${String(s)}]`, b, i32(s), i32(s))

    const last = yield* forRange<C>({ label, from: i32(0), to: N, carried }, function* (step, carrying) {
      const s = yield* letIn('slot', rem(step, S))
      if (ins.length > 0)
        // every slot is waited for once in S steps, so the parity is known without the thread's mask
        yield* run('wait loaded', {
          _tag: 'mbarrier.wait',
          barrier: slot(loaded.expr, s),
          parity: and(quo(step, S), i32(1)),
          acquire: true,
          scope: 'cta',
        })
      if (varying.length > 0) yield* waitSmemToGmem('wait stored', slots - 1, true)
      const indices = unravel(spec.grid, step)
      const refs = [...ins, ...outs].map((b) => slot(b.ref, b.spec.invariant === true ? i32(0) : s))
      const next = yield* body({ indices, refs }, carrying)
      if (outs.length > 0) yield* commitSmem('commit_smem')
      for (const b of varying) {
        const [now, before] = [step, sub(step, i32(1))].map((x) => b.spec.indexMap(...unravel(spec.grid, x)))
        const moved = [0, 1].map((d) => ne(now![d]!, before![d]!)).reduce((x, y) => or(x, y))
        const ends = or(eq(step, i32(0)), eq(step, sub(N, i32(1))))
        yield* copySmemToGmem('store', slot(b.ref, s), blockOf(b.spec, indices), {
          when: or(moved, ends),
          commitGroup: false,
        })
      }
      if (varying.length > 0) yield* run('store.group', { _tag: 'bulk.commitGroup' })
      const delays = [...new Set(ins.map((b) => b.spec.delayRelease ?? 0))].sort((x, y) => x - y)
      for (const d of delays) {
        const ahead = yield* letIn('ahead', add(step, i32(slots - d)))
        const into = yield* letIn('into', rem(ahead, S))
        const inRange = lt(ahead, N)
        const due = d === 0 ? inRange : and(ge(step, i32(d)), inRange)
        for (const b of ins) if ((b.spec.delayRelease ?? 0) === d) yield* fetch('fetch', b, ahead, into, due)
      }
      return next
    })
    for (const b of outs)
      if (b.spec.invariant === true)
        yield* copySmemToGmem(
          `${label}.store`,
          slot(b.ref, i32(0)),
          blockOf(b.spec, unravel(spec.grid, i32(0))),
        )
    if (outs.length > 0) yield* waitSmemToGmem(`${label}.wait stored`, 0)
    return last
  })
