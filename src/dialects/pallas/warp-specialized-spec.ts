/**
 * What a warp-specialized pipeline is told, refuses and allocates (`warp-specialized.ts` is what it does).
 *
 * | asked for                         | allocated, of S slots each                                                        |
 * |-----------------------------------|-----------------------------------------------------------------------------------|
 * | an operand in SMEM                | S blocks behind each other; one block if no step changes it                       |
 * | inputs                            | a ready barrier, one arrival for each input; a consumed one, one for each compute thread |
 * | `manual_ready_barriers`           | a ready barrier for each input                                                    |
 * | `manual_consumed_barriers`        | a consumed barrier for each input                                                 |
 * | `collective_axes` of inputs       | consumed barriers of the cluster                                                  |
 *
 * Allocations may be used by several pipelines in turn, if the blocks have the same shapes and dtypes.
 *
 * Law 1. Compute threads and the memory thread fit into the registers of a block, and eight more for each compute thread would not, or be more than 256.
 *
 * Source: JAX docs, Pallas:MGPU reference, pipelining; the definition of `emit_pipeline_warp_specialized`.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import {
  block,
  fromEither,
  run,
  type Build,
  type Exprs,
  type Steps,
} from '../../semantics/writing/builder.js'
import { slot, type Condition, type Int } from '../../semantics/language/expression.js'
import type { TypeIndex } from '../../semantics/language/types.js'
import { Barrier, barrierArrive } from './barrier.js'
import {
  allocate,
  isBuffered,
  legalGrid,
  legalSpec,
  operandNames,
  stepsOf,
  rebound,
  type BlockSpec,
  type Grid,
  type Operand,
  type RefsOf,
} from './blocks.js'
import { ClusterBarrier } from './cluster-barrier.js'
import { refuse, refused } from './codes.js'
import { declaredOnce, enterTogether } from './declared-once.js'
import { ownOutput, slotsFor } from './pipeline.js'

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

export type Specs = WarpSpecializedSpec<ReadonlyArray<BlockSpec>, ReadonlyArray<BlockSpec>>

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
  /** the arrivals that may complete it */
  readonly scope: 'cta' | 'cluster'
}

export type ConsumedBarrier = Omit<BarrierPhase, 'parity' | 'scope'>

/** The arguments of a body at a step. */
export interface WarpSpecializedStep<I extends ReadonlyArray<BlockSpec>, O extends ReadonlyArray<BlockSpec>> {
  readonly indices: ReadonlyArray<Int>
  readonly refs: readonly [...RefsOf<I>, ...RefsOf<O>]
  /** the number of this compute thread */
  readonly thread: number
  /** with `manualReadyBarriers`, one for each input */
  readonly ready: ReadonlyArray<BarrierPhase>
  /** with `manualConsumedBarriers`, one for each input */
  readonly consumed: ReadonlyArray<ConsumedBarrier>
}

/** Runs the pipeline from the first carried values to the last: the argument of a compute context, which must
 * call it once. */
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

export const room = 'pallas.emit_pipeline_warp_specialized'

export const delayOf = (spec: Specs): number => spec.inSpecs[0]?.delayRelease ?? 0

export const legal = (
  label: string,
  spec: Specs,
  names: ReadonlyArray<string>,
): E.Either<Failure, number> => {
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
 * `get_allocations`: buffers and barriers for all threads, which meet first if the threads allocate. Refuses
 * inputs that no step changes.
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
export const reused = (
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
