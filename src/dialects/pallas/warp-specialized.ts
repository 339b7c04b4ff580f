/**
 * `emit_pipeline_warp_specialized`: a pipeline whose copies a thread of its own issues.
 *
 * n compute threads run the body; the last thread, n, fetches. S = min(max_concurrent_steps, steps) slots for each operand; slot k has a *ready*
 * barrier, which one copy for each input completes, and a *consumed* barrier, which one arrival of each compute thread completes.
 *
 *     memory thread                                        compute threads
 *     give registers back                                  take registers
 *     before        fetch steps 0 .. S - 1                 step s    wait ready[s mod S]
 *     s = 0, 1 ..   wait consumed[s mod S]                           with outputs that vary: wait_smem_to_gmem(S - 1, read only)
 *                   fetch step s + S                                 body
 *     after         wait consumed of steps                           arrive consumed[(s - d) mod S], if s >= d
 *                   N - S .. N - d - 1                               store the blocks that changed
 *                                                          after     store those that no step changes; wait_smem_to_gmem(0)
 *
 * The last waits are for nothing but balance: every barrier has completed as often as it was waited for. By hand, N = 5, S = 3, d = 1:
 *
 *     consumed arrives for step     0 1 2 3        in slot     0 1 2 0
 *     waited for before fetches     0 1            after       2 3
 *
 * Stores follow what changed since the step before, and there is no store at the last step for itself: of a block that stays for several steps the first
 * one's contents are stored. Only one compute thread may have outputs in SMEM: nothing holds two together before a store.
 *
 * *Registers*: the memory thread keeps `memory_registers`; each compute thread gets floor8(min(256, (512 - memory_registers) / n)).
 *
 * *Manual barriers*: with `manual_ready_barriers` there is a ready barrier for each input, and the body waits (`waitReady`); with
 * `manual_consumed_barriers` a consumed barrier for each input, and the body arrives (`arriveConsumed`), not before step d.
 *
 * *Allocations*: buffers and barriers belong to all threads. A pipeline allocates them itself, or is given them (`warpSpecializedAllocations`). Where
 * threads allocate, the block meets first: no thread may still be in an earlier scope. Where they are declared with the kernel's scratch, it does not.
 *
 * *Clusters*: inputs may be collective over one axis of the cluster, one copy for all blocks along it. Then a block may overwrite a slot only when
 * all of them have consumed it, and the consumed barriers are cluster barriers.
 *
 * *Pipelines of pipelines*: START, STEADY .., STOP, one after the other on the same allocations, leave no bubble. START does not wait at its end, a
 * STEADY one finds the slots in use and fetches nothing ahead, STOP waits as above. The number of steps is a multiple of S and no release is
 * delayed, so every run uses every slot equally often; `invocation` counts the runs.
 *
 * Laws
 * 1. Every barrier completes as often as it is waited for, from START to STOP.
 * 2. Step s of the compute threads works on the blocks of step s, and they are overwritten only after step s + d.
 * 3. It means its plain loop in each compute thread (`pipeline.ts`).
 *
 * Names: `plgpu.emit_pipeline_warp_specialized(body, in_specs, out_specs, grid, memory_registers, max_concurrent_steps, wg_axis, num_compute_wgs,
 * pipeline_state, manual_consumed_barriers, compute_context, memory_thread_idx)`, `plgpu.PipelinePipeline`, `get_allocations`.
 *
 * Source: JAX docs, Pallas:MGPU reference, pipelining; the definition of `emit_pipeline_warp_specialized`.
 */
import { pipe } from 'fp-ts/lib/function.js'
import {
  block,
  forRange,
  fromEither,
  ifThen,
  letIn,
  map,
  type Build,
  type Exprs,
  type Steps,
} from '../../semantics/writing/builder.js'
import {
  add,
  eq,
  ge,
  i32,
  max,
  min,
  mul,
  quo,
  rem,
  select,
  sub,
  type Int,
} from '../../semantics/language/expression.js'
import { checked } from '../../semantics/language/index-types.js'
import type { TypeIndex } from '../../semantics/language/types.js'
import { Barrier } from './barrier.js'
import {
  asInt,
  blockOf,
  copyOptions,
  indicesOf,
  isBuffered,
  operandNames,
  refsOf,
  slotOf,
  stepsOf,
  type BlockSpec,
  type Grid,
} from './blocks.js'
import { refused } from './codes.js'
import { commitSmem, copyGmemToSmem, waitSmemToGmem } from './copy.js'
import { loopWithMasks } from './parities.js'
import { axisHere, blockScope, contextHere, threadHere } from './context.js'
import { setMaxRegisters } from './registers.js'
import { parityOf, storeChanged, storeLast, usesOf } from './pipeline.js'
import {
  PipelinePipeline,
  type WarpSpecializedSpec,
  type Specs,
  type Allocations,
  type WarpSpecializedStep,
  type RunPipeline,
  type ComputeContext,
  waitReady,
  arriveConsumed,
  computeRegisters,
  room,
  delayOf,
  legal,
  warpSpecializedAllocations,
  reused,
} from './warp-specialized-spec.js'

// ---------------------------------------------------------------- the two sides

/** What both sides count with. */
interface Counting {
  readonly label: string
  readonly grid: Grid
  readonly N: Int
  readonly S: Int
  /** there are at least S steps, for certain */
  readonly fits: boolean
  readonly delay: number
  readonly invocation: Int | null
  readonly scope: 'cta' | 'cluster'
}

/** The parity of the turn-th completion of slot s in this run, when a run completes it `uses` times. */
const phase = (c: Counting, uses: Int, turn: Int): Int =>
  parityOf(turn, c.invocation === null ? null : mul(c.invocation, uses))

/** Waits on each of the barriers at slot s for the turn-th completion of this run. */
const waitAll = (
  label: string,
  c: Counting,
  barriers: ReadonlyArray<Barrier>,
  s: Int,
  uses: Int,
  turn: Int,
): Build<void> =>
  block(function* () {
    for (const [k, barrier] of barriers.entries())
      yield* waitReady(barriers.length === 1 ? label : `${label} ${String(k)}`, {
        barrier,
        index: s,
        parity: phase(c, uses, turn),
        scope: c.scope,
      })
  })

/** How often slot s is released by a run: the last d steps release nothing. */
const releasesOf = (c: Counting, s: Int): Int =>
  c.delay === 0
    ? usesOf(c.N, c.S, s)
    : quo(max(i32(0), add(sub(sub(c.N, i32(c.delay)), s), sub(c.S, i32(1)))), c.S)

const memoryThread = (spec: Specs, a: Allocations, c: Counting): Build<void> =>
  block(function* () {
    const { label, grid, N, S } = c
    const ins = a.ins.filter(isBuffered)
    yield* setMaxRegisters(`${label}.memory registers`, spec.memoryRegisters, { action: 'decrease' })
    const state = spec.pipelineState
    const fetch = (name: string, step: Int, into: Int): Build<void> =>
      block(function* () {
        for (const [k, b] of ins.entries())
          yield* copyGmemToSmem(
            `${label}.${name} ${b.name}`,
            blockOf(b, indicesOf(grid, step)),
            slotOf(b, into),
            a.ready[spec.manualReadyBarriers === true ? k : 0]!,
            into,
            copyOptions(b.spec),
          )
      })
    const isStart =
      state === undefined || state === PipelinePipeline.START
        ? true
        : typeof state === 'number'
          ? false
          : eq(state, i32(PipelinePipeline.START))
    // steps that are fetched before any was consumed
    const ahead = c.fits ? S : min(S, N)
    const prologue = isStart === true ? ahead : isStart === false ? i32(0) : select(isStart, ahead, i32(0))
    if (isStart !== false)
      yield* forRange({ label: `${label}.prologue`, from: i32(0), to: prologue }, (step) =>
        fetch('prologue', step, step),
      )
    // a slot is released for the turn-th time by its turn-th step; a steady pipeline begins with the last releases of the one before
    yield* forRange({ label: `${label}.fetches`, from: i32(0), to: sub(N, prologue) }, function* (s) {
      const into = yield* letIn('slot', rem(s, S))
      const turn =
        isStart === true
          ? quo(s, S)
          : isStart === false
            ? sub(quo(s, S), i32(1))
            : sub(quo(s, S), select(isStart, i32(0), i32(1)))
      yield* waitAll(`${label}.wait consumed`, c, a.consumed, into, releasesOf(c, into), turn)
      yield* fetch('fetch', add(s, prologue), into)
    })
    const quiesce = (): Build<void> =>
      forRange(
        {
          label: `${label}.quiesce`,
          from: sub(N, ahead),
          to: max(sub(N, ahead), sub(N, i32(c.delay))),
        },
        function* (s) {
          const at = yield* letIn('slot', rem(s, S))
          yield* waitAll(`${label}.wait drained`, c, a.consumed, at, releasesOf(c, at), quo(s, S))
        },
      )
    if (state === undefined || state === PipelinePipeline.STOP) yield* quiesce()
    else if (typeof state !== 'number')
      yield* ifThen(`${label}.stop`, eq(state, i32(PipelinePipeline.STOP)), quiesce)
  })

const computeThread = <
  const I extends ReadonlyArray<BlockSpec>,
  const O extends ReadonlyArray<BlockSpec>,
  C extends Readonly<Record<string, TypeIndex>>,
>(
  spec: WarpSpecializedSpec<I, O>,
  a: Allocations,
  c: Counting,
  thread: number,
  body: (step: WarpSpecializedStep<I, O>, carried: Exprs<C>) => Steps<Exprs<C>>,
  context: ComputeContext<C>,
): Build<void> =>
  block(function* () {
    const { label, grid, N, S } = c
    const ins = a.ins.filter(isBuffered)
    const outs = a.outs.filter(isBuffered)
    const varying = outs.filter((b) => !b.invariant)
    const registers = computeRegisters(spec.memoryRegisters, spec.numComputeWgs)
    yield* setMaxRegisters(`${label}.compute registers`, registers, { action: 'increase' })
    const calls: string[] = []
    const pipeline: RunPipeline<C> = (carried) =>
      block(function* () {
        calls.push(label)
        if (calls.length > 1)
          return yield* refused(
            `${room}.compute-context`,
            `${label}: Cannot call pipeline more than once in \`compute_context\``,
          )
        return yield* loopWithMasks<C>({ label, from: i32(0), to: N }, carried, function* (step, carrying) {
          const s = yield* letIn('slot', rem(step, S))
          const parity = phase(c, usesOf(N, S, s), quo(step, S))
          const ready = a.ready.map((barrier) => ({ barrier, index: s, parity, scope: c.scope }))
          if (spec.manualReadyBarriers !== true)
            for (const at of ready) yield* waitReady(`${label}.wait ready`, at)
          if (varying.length > 0) yield* waitSmemToGmem(`${label}.wait stored`, a.slots - 1, true)
          // S is added so that the first d steps have a slot, too
          const released =
            c.delay === 0 ? s : yield* letIn('released', rem(add(step, i32(a.slots - c.delay)), S))
          const next = yield* body(
            {
              indices: indicesOf(grid, step),
              refs: refsOf<WarpSpecializedStep<I, O>['refs']>([...a.ins, ...a.outs], (b) =>
                b.invariant ? i32(0) : s,
              ),
              thread,
              ready: spec.manualReadyBarriers === true ? ready : [],
              consumed:
                spec.manualConsumedBarriers === true
                  ? a.consumed.map((barrier) => ({ barrier, index: released }))
                  : [],
            },
            carrying,
          )
          if (spec.manualConsumedBarriers !== true && ins.length > 0)
            yield* arriveConsumed(
              `${label}.arrive consumed`,
              { barrier: a.consumed[0]!, index: released },
              c.delay === 0 ? undefined : ge(step, i32(c.delay)),
            )
          if (varying.length > 0) {
            yield* commitSmem(`${label}.commit_smem`)
            yield* storeChanged(label, varying, grid, step, s, eq(step, i32(0)))
          }
          return next
        })
      })
    yield* context(pipeline)
    if (calls.length === 0)
      return yield* refused(
        `${room}.compute-context`,
        `${label}: Pipeline was not called in \`compute_context\``,
      )
    yield* storeLast(label, outs, grid, () => i32(0))
  })

// ---------------------------------------------------------------- the pipeline

const withoutCarry = <C extends Readonly<Record<string, TypeIndex>>>(pipeline: RunPipeline<C>): Steps<void> =>
  pipe(
    pipeline(checked<Exprs<C>, object>({})),
    map(() => undefined),
  )

/**
 * Runs the body for every step of the grid in each compute thread, while the last thread fetches. Without a compute context nothing is carried:
 * the pipeline runs from an empty carry.
 */
export const emitPipelineWarpSpecialized = <
  const I extends ReadonlyArray<BlockSpec>,
  const O extends ReadonlyArray<BlockSpec>,
  C extends Readonly<Record<string, TypeIndex>>,
>(
  label: string,
  spec: WarpSpecializedSpec<I, O>,
  body: (step: WarpSpecializedStep<I, O>, carried: Exprs<C>) => Steps<Exprs<C>>,
  computeContext: ComputeContext<C> = withoutCarry,
): Build<void> =>
  block(function* () {
    const names = operandNames([...spec.inSpecs, ...(spec.outSpecs ?? [])])
    yield* fromEither(legal(label, spec, names))
    const thread = yield* threadHere(label)
    const here = yield* contextHere
    if (spec.wgAxis !== undefined) {
      const axis = yield* axisHere(label, spec.wgAxis)
      if (axis.of !== 'threads')
        return yield* refused(
          `${room}.threads`,
          `${label}: wg_axis ${axis.name} is an axis of the ${axis.of}, expected the axis of the threads`,
        )
    }
    if (here.numThreads !== spec.numComputeWgs + 1)
      return yield* refused(
        `${room}.threads`,
        `${label}: num_compute_wgs is ${String(spec.numComputeWgs)} and there is one memory thread, but the kernel has ${String(here.numThreads)} threads`,
      )
    const a =
      spec.allocations === undefined
        ? yield* warpSpecializedAllocations(label, spec)
        : yield* fromEither(reused(label, spec, spec.allocations, names))
    const steps = stepsOf(spec.grid)
    const c: Counting = {
      label,
      grid: spec.grid,
      N: asInt(steps),
      S: i32(a.slots),
      fits: typeof steps === 'number',
      delay: delayOf(spec),
      invocation: spec.invocation ?? null,
      scope: blockScope(here),
    }
    return yield* thread.index === spec.numComputeWgs
      ? memoryThread(spec, a, c)
      : computeThread<I, O, C>(spec, a, c, thread.index, body, computeContext)
  })
