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
 * threads allocate, the block meets first: nobody may still be in an earlier scope. Where they are declared with the kernel's scratch, nobody does.
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
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../failure.js'
import {
  block,
  forRange,
  fromEither,
  ifThen,
  letIn,
  map,
  run,
  type Build,
  type Exprs,
  type Steps,
} from '../../semantics/builder.js'
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
  slot,
  sub,
  type Condition,
  type Int,
} from '../../semantics/expression.js'
import { checked } from '../../semantics/index-types.js'
import type { TypeIndex } from '../../semantics/types.js'
import { Barrier, barrierArrive } from './barrier.js'
import {
  allocate,
  asInt,
  blockOf,
  copyOptions,
  indicesOf,
  isBuffered,
  legalGrid,
  legalSpec,
  operandNames,
  refsOf,
  slotOf,
  stepsOf,
  rebound,
  type BlockSpec,
  type Grid,
  type Operand,
  type RefsOf,
} from './blocks.js'
import { ClusterBarrier } from './cluster-barrier.js'
import { refuse, refused } from './codes.js'
import { commitSmem, copyGmemToSmem, waitSmemToGmem } from './copy.js'
import { axisHere, blockScope, contextHere, threadHere } from './context.js'
import { declaredOnce, enterTogether } from './declared-once.js'
import { setMaxRegisters } from './registers.js'
import { ownOutput, parityOf, slotsFor, storeChanged, storeLast, usesOf } from './pipeline.js'

// ---------------------------------------------------------------- model

export type PipelineState = 0 | 1 | 2
/** `plgpu.PipelinePipeline`. */
export const PipelinePipeline: Readonly<Record<'START' | 'STEADY' | 'STOP', PipelineState>> = {
  START: 0,
  STEADY: 1,
  STOP: 2,
}

export interface WarpSpecializedSpec<I extends ReadonlyArray<BlockSpec>, O extends ReadonlyArray<BlockSpec>> {
  readonly inSpecs: I
  readonly outSpecs?: O
  /** steps per axis; the last axis runs fastest */
  readonly grid: Grid
  /** default 2 */
  readonly maxConcurrentSteps?: number
  /** registers of a lane of the memory thread */
  readonly memoryRegisters: number
  readonly numComputeWgs: number
  /** the axis of the threads, if it has a name */
  readonly wgAxis?: string
  /** default the last thread, which is the only one allowed */
  readonly memoryThreadIdx?: number
  readonly manualReadyBarriers?: boolean
  readonly manualConsumedBarriers?: boolean
  readonly pipelineState?: PipelineState | Int
  /** how often this pipeline (or one of its pipeline of pipelines) ran before (default 0) */
  readonly invocation?: Int
  /** of `warpSpecializedAllocations`, if they are made apart */
  readonly allocations?: Allocations
}

type Specs = WarpSpecializedSpec<ReadonlyArray<BlockSpec>, ReadonlyArray<BlockSpec>>

/** The buffers and barriers of a pipeline. */
export interface Allocations {
  readonly slots: number
  readonly ins: ReadonlyArray<Operand>
  readonly outs: ReadonlyArray<Operand>
  /** one, or one for each input */
  readonly ready: ReadonlyArray<Barrier>
  readonly consumed: ReadonlyArray<Barrier>
}

/** A barrier of an array, and the parity to wait for. */
export interface BarrierPhase {
  readonly barrier: Barrier
  readonly index: Int
  readonly parity: Int
  /** whose arrivals it may complete by */
  readonly scope: 'cta' | 'cluster'
}

export type ConsumedBarrier = Omit<BarrierPhase, 'parity' | 'scope'>

/** What a body is given at a step. */
export interface WarpSpecializedStep<I extends ReadonlyArray<BlockSpec>, O extends ReadonlyArray<BlockSpec>> {
  readonly indices: ReadonlyArray<Int>
  readonly refs: readonly [...RefsOf<I>, ...RefsOf<O>]
  /** which compute thread this is */
  readonly thread: number
  /** with `manualReadyBarriers`, one for each input */
  readonly ready: ReadonlyArray<BarrierPhase>
  /** with `manualConsumedBarriers`, one for each input */
  readonly consumed: ReadonlyArray<ConsumedBarrier>
}

/** Runs the pipeline from a carry to the last one: what a compute context is given, to be run once. */
export type RunPipeline<C extends Readonly<Record<string, TypeIndex>>> = (
  carried: Exprs<C>,
) => Build<Exprs<C>>
export type ComputeContext<C extends Readonly<Record<string, TypeIndex>>> = (
  pipeline: RunPipeline<C>,
) => Steps<void>

/** `barrier_wait` on the ready barrier of an input, in a body that does so itself. */
export const waitReady = (label: string, at: BarrierPhase): Build<void> =>
  run(label, {
    _tag: 'mbarrier.wait',
    barrier: slot(at.barrier.expr, at.index),
    parity: at.parity,
    acquire: true,
    scope: at.scope,
  })

/** `barrier_arrive` on the consumed barrier of an input, in a body that does so itself. */
export const arriveConsumed = (label: string, at: ConsumedBarrier, when?: Condition): Build<void> =>
  barrierArrive(label, at.barrier, at.index, when)

/** Registers of a lane of a compute thread. */
export const computeRegisters = (memoryRegisters: number, numComputeWgs: number): number =>
  Math.floor(Math.min(256, (512 - memoryRegisters) / numComputeWgs) / 8) * 8

// ---------------------------------------------------------------- preconditions

const room = 'pallas.emit_pipeline_warp_specialized'

const delayOf = (spec: Specs): number => spec.inSpecs[0]?.delayRelease ?? 0

const legal = (label: string, spec: Specs, names: ReadonlyArray<string>): E.Either<Failure, number> => {
  const { numComputeWgs, memoryThreadIdx = numComputeWgs } = spec
  const steps = stepsOf(spec.grid)
  const concurrent = spec.maxConcurrentSteps ?? 2
  const delay = delayOf(spec)
  const grid = legalGrid(label, spec.grid)
  if (E.isLeft(grid)) return grid
  for (const [k, s] of [...spec.inSpecs, ...(spec.outSpecs ?? [])].entries()) {
    const one = legalSpec(label, names[k]!, s, spec.grid.length)
    if (E.isLeft(one)) return one
    const own = k < spec.inSpecs.length ? E.right(null) : ownOutput(label, names[k]!, s)
    if (E.isLeft(own)) return own
  }
  if (!Number.isInteger(numComputeWgs) || numComputeWgs < 1)
    return refuse(
      `${room}.threads`,
      `${label}: num_compute_wgs is ${String(numComputeWgs)}, expected a positive integer`,
    )
  if (memoryThreadIdx !== numComputeWgs)
    return refuse(
      `${room}.memory-thread`,
      `${label}: Memory thread must be the last thread: memory_thread_idx is ${String(memoryThreadIdx)}, num_compute_wgs ${String(numComputeWgs)}`,
    )
  const other = spec.inSpecs.findIndex((s) => (s.delayRelease ?? 0) !== delay)
  if (other >= 0)
    return refuse(
      `${room}.delay`,
      `${label}: All inputs must have the same delay_release, found ${String(delay)} for ${names[0]!} and ${String(spec.inSpecs[other]!.delayRelease ?? 0)} for ${names[other]!}`,
    )
  if (concurrent <= delay)
    return refuse(
      `${room}.concurrent-steps`,
      `${label}: max_concurrent_steps must be greater than delay_release, found ${String(concurrent)} and ${String(delay)}`,
    )
  if (numComputeWgs > 1 && (spec.outSpecs ?? []).some((s) => s.memorySpace !== 'GMEM'))
    return refuse(
      `${room}.outputs`,
      `${label}: SMEM outputs are not supported with multiple compute warpgroups: ${names[spec.inSpecs.length]!} is in SMEM, num_compute_wgs ${String(numComputeWgs)}`,
    )
  const slots = slotsFor(label, concurrent, steps)
  if (E.isLeft(slots) || spec.pipelineState === undefined) return slots
  const mixed = `${room}.pipeline-state`
  if (typeof steps !== 'number')
    return refuse(mixed, `${label}: A pipeline of pipelines is not supported with dynamic grids`)
  if (steps % slots.right !== 0)
    return refuse(
      mixed,
      `${label}: A pipeline of pipelines is only allowed when the number of steps (product of grid, here ${String(steps)}) is divisible by max_concurrent_steps, here ${String(slots.right)}`,
    )
  if (delay > 0)
    return refuse(
      mixed,
      `${label}: A pipeline of pipelines is not supported with delay_release, found ${String(delay)}`,
    )
  return spec.allocations === undefined
    ? refuse(mixed, `${label}: A pipeline of pipelines works on allocations made apart: expected allocations`)
    : slots
}

// ---------------------------------------------------------------- allocations

/**
 * `get_allocations`: buffers and barriers for all threads, which meet first if it is they who allocate. Refuses inputs that no step changes.
 */
export const warpSpecializedAllocations = <
  const I extends ReadonlyArray<BlockSpec>,
  const O extends ReadonlyArray<BlockSpec>,
>(
  label: string,
  spec: Omit<WarpSpecializedSpec<I, O>, 'allocations' | 'pipelineState' | 'invocation'>,
): Build<Allocations> =>
  block(function* () {
    const all: ReadonlyArray<BlockSpec> = [...spec.inSpecs, ...(spec.outSpecs ?? [])]
    const names = operandNames(all)
    const slots = yield* fromEither(legal(label, spec, names))
    const axes = [...new Set(spec.inSpecs.flatMap((s) => s.collectiveAxes ?? []))]
    if (axes.length > 1)
      return yield* refused(
        `${room}.collective`,
        `${label}: only one collective axis is supported, found ${axes.join(', ')}`,
      )
    const made = yield* declaredOnce(
      block(function* () {
        const operands: Operand[] = []
        for (const [k, s] of all.entries()) {
          const o = yield* allocate(label, names[k]!, s, spec.grid, (invariant) => (invariant ? 1 : slots))
          if (k < spec.inSpecs.length && isBuffered(o) && o.invariant)
            return yield* refused(
              `${room}.invariant-input`,
              `${label}: Only inputs with a dependency on the grid are supported: the index map of ${o.name} uses no index`,
            )
          operands.push(o)
        }
        const ins = operands.slice(0, spec.inSpecs.length)
        const buffered = ins.filter(isBuffered)
        const ready: Barrier[] = []
        const consumed: Barrier[] = []
        const readyOf = (name: string, numArrivals: number): Build<Barrier> =>
          Barrier(`${label}.${name}`, { numArrivals, numBarriers: slots })
        const consumedOf = (name: string): Build<Barrier> => {
          const counted = { numArrivals: spec.numComputeWgs, numBarriers: slots }
          return axes.length === 0
            ? Barrier(`${label}.${name}`, counted)
            : ClusterBarrier(`${label}.${name}`, { ...counted, collectiveAxes: axes })
        }
        if (spec.manualReadyBarriers === true)
          for (const b of buffered) ready.push(yield* readyOf(`ready ${b.name}`, 1))
        else if (buffered.length > 0) ready.push(yield* readyOf('ready', buffered.length))
        if (spec.manualConsumedBarriers === true)
          for (const b of buffered) consumed.push(yield* consumedOf(`consumed ${b.name}`))
        else if (buffered.length > 0) consumed.push(yield* consumedOf('consumed'))
        return { slots, ins, outs: operands.slice(spec.inSpecs.length), ready, consumed }
      }),
    )
    yield* enterTogether(label, [...made.ready, ...made.consumed])
    return made
  })

/** Allocations that another pipeline of the same blocks made, for these specs. */
const reused = (
  label: string,
  spec: Specs,
  a: Allocations,
  names: ReadonlyArray<string>,
): E.Either<Failure, Allocations> => {
  const specs = [...spec.inSpecs, ...(spec.outSpecs ?? [])]
  const made = [...a.ins, ...a.outs]
  const slots = slotsFor(label, spec.maxConcurrentSteps ?? 2, stepsOf(spec.grid))
  if (E.isLeft(slots)) return slots
  if (a.ins.length !== spec.inSpecs.length || made.length !== specs.length || a.slots !== slots.right)
    return refuse(
      `${room}.allocations`,
      `${label}: the allocations are of ${String(a.ins.length)} inputs, ${String(a.outs.length)} outputs and ${String(a.slots)} slots, expected ${String(spec.inSpecs.length)}, ${String(specs.length - spec.inSpecs.length)} and ${String(slots.right)}`,
    )
  const operands: Operand[] = []
  for (const [k, o] of made.entries()) {
    const one = rebound(label, o, names[k]!, specs[k]!, spec.grid)
    if (E.isLeft(one)) return one
    if (one.right === null)
      return refuse(
        `${room}.allocations`,
        `${label}: the allocations of ${o.name} are not of the blocks of ${names[k]!}: expected the same shape, dtype and memory space`,
      )
    operands.push(one.right)
  }
  return E.right({ ...a, ins: operands.slice(0, a.ins.length), outs: operands.slice(a.ins.length) })
}

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
        return yield* forRange<C>({ label, from: i32(0), to: N, carried }, function* (step, carrying) {
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
