/**
 * `emit_pipeline`: a body run over a grid of steps, with its blocks fetched ahead and stored behind.
 *
 * S = min(max_concurrent_steps, steps) slots of shared memory for each operand; step s works in slot s mod S. A slot has one barrier, which one
 * copy for each input completes.
 *
 *     before        fetch steps 0 .. S - 1
 *     step s        wait for the slot's inputs
 *                   with outputs that vary: wait_smem_to_gmem(S - 1, read only): the slot's last store has been read
 *                   body
 *                   with outputs that vary: commit_smem; store the blocks that changed (all, at the last step); close the group
 *                   fetch step s + S - d for the inputs of delay d, if s >= d and there is such a step
 *     after         with outputs that no step changes: commit_smem, unless the steps did; store them from the last step's slot; close the group
 *                   with outputs: wait_smem_to_gmem(0)
 *
 * `delay_release = d`: the block that step s was given is overwritten only after the body of step s + d returned. By hand, S = 4, N = 6:
 *
 *     step        0    1    2    3    4    5
 *     fetch d=0   4    5    -    -    -    -      into the slot of the step itself
 *     fetch d=1   -    4    5    -    -    -      into the slot of the step before
 *
 * "Changed" compares with the step before. So a block that stays for several steps is stored after the first of them, and after the last
 * step of all: what steps between the two leave in it is not stored, and if it is the last block, its two stores are not ordered (D2).
 * An output that no step changes has a slot for each step too, and what is stored is the last step's: a running value is carried, not left in it.
 *
 * A grid may have extents that the run gives. Then S is max_concurrent_steps, and a grid with fewer steps fetches blocks that are not waited for.
 *
 * A pipeline that runs again in an outer loop finds its barriers where it left them. `invocation` says how often it ran before (the
 * `local_index` of an `nd_loop`); all runs have the same grid.
 *
 * Pallas compares max_concurrent_steps with the smallest of the delays alone. Here a pipeline with a larger delay is refused as its message says:
 * its blocks would be overwritten before they are released.
 *
 * Laws
 * 1. Every step is fetched once for every input, into the slot where its step waits, and never before step (s - S + d) returned.
 * 2. Every barrier completes as often as it is waited for.
 * 3. It means its plain loop: for every step in order, the body on the blocks of the step, as long as each output's block is new at every step or at
 *    none.
 *
 * Names: `plgpu.emit_pipeline(body, in_specs, out_specs, grid, max_concurrent_steps, init_carry)`.
 *
 * Source: JAX docs, Pallas:MGPU reference, pipelining; the definition of `emit_pipeline`.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import {
  block,
  fromEither,
  letIn,
  run,
  type Build,
  type Exprs,
  type Steps,
} from '../../semantics/writing/builder.js'
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
} from '../../semantics/language/expression.js'
import type { TypeIndex } from '../../semantics/language/types.js'
import { Barrier, initBarrier } from './barrier.js'
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
  type BlockSpec,
  type Buffered,
  type Grid,
  type Operand,
  type RefsOf,
} from './blocks.js'
import { refuse } from './codes.js'
import { commitSmem, copyGmemToSmem, copySmemToGmem, waitSmemToGmem } from './copy.js'
import { loopWithMasks } from './parities.js'

// ---------------------------------------------------------------- model

export interface PipelineSpec<I extends ReadonlyArray<BlockSpec>, O extends ReadonlyArray<BlockSpec>> {
  readonly inSpecs: I
  readonly outSpecs?: O
  /** steps per axis; the last axis runs fastest */
  readonly grid: Grid
  readonly maxConcurrentSteps: number
  /** how often this pipeline ran before (default 0) */
  readonly invocation?: Int
}

/** The arguments of a body at a step: its indices, and its refs, inputs before outputs. */
export interface PipelineStep<I extends ReadonlyArray<BlockSpec>, O extends ReadonlyArray<BlockSpec>> {
  readonly indices: ReadonlyArray<Int>
  readonly refs: readonly [...RefsOf<I>, ...RefsOf<O>]
}

// ---------------------------------------------------------------- preconditions

/** A thread keeps the parities of an array of barriers in one word. */
export const mostSlots = 32

/** The slots of a pipeline of these many steps. */
export const slotsFor = (
  label: string,
  maxConcurrentSteps: number,
  steps: number | Int,
): E.Either<Failure, number> => {
  if (!Number.isInteger(maxConcurrentSteps) || maxConcurrentSteps < 1)
    return refuse(
      'pallas.emit_pipeline.concurrent-steps',
      `${label}: max_concurrent_steps is ${String(maxConcurrentSteps)}, expected a positive integer`,
    )
  const slots = typeof steps === 'number' ? Math.min(maxConcurrentSteps, steps) : maxConcurrentSteps
  return slots <= mostSlots
    ? E.right(slots)
    : refuse(
        'pallas.emit_pipeline.slots',
        `${label}: max_concurrent_steps is ${String(slots)}: a Barrier has at most ${String(mostSlots)} barriers, one for each slot`,
      )
}

/** Refuses outputs that a cluster shares. */
export const ownOutput = (label: string, operand: string, s: BlockSpec): E.Either<Failure, null> =>
  s.collectiveAxes === undefined
    ? E.right(null)
    : refuse(
        'pallas.emit_pipeline.collective-output',
        `${label}: ${operand} has collective_axes (${s.collectiveAxes.join(', ')}): outputs cannot be collective`,
      )

const legal = (
  label: string,
  spec: PipelineSpec<ReadonlyArray<BlockSpec>, ReadonlyArray<BlockSpec>>,
  names: ReadonlyArray<string>,
): E.Either<Failure, number> => {
  const grid = legalGrid(label, spec.grid)
  if (E.isLeft(grid)) return grid
  for (const [k, s] of [...spec.inSpecs, ...(spec.outSpecs ?? [])].entries()) {
    const one = legalSpec(label, names[k]!, s, spec.grid.length)
    if (E.isLeft(one)) return one
    const isInput = k < spec.inSpecs.length
    if (isInput && s.collectiveAxes !== undefined)
      return refuse(
        'pallas.emit_pipeline.collective-input',
        `${label}: ${names[k]!} has collective_axes (${s.collectiveAxes.join(', ')}): collective inputs are not supported in emit_pipeline`,
      )
    if (!isInput) {
      const alone = ownOutput(label, names[k]!, s)
      if (E.isLeft(alone)) return alone
    }
  }
  const longest = spec.inSpecs.findIndex((s) => (s.delayRelease ?? 0) >= Math.max(1, spec.maxConcurrentSteps))
  return longest >= 0
    ? refuse(
        'pallas.emit_pipeline.concurrent-steps',
        `${label}: max_concurrent_steps must be greater than all delay_release values, found ${String(spec.maxConcurrentSteps)} and a delay_release of ${String(spec.inSpecs[longest]!.delayRelease)} for ${names[longest]!}`,
      )
    : slotsFor(label, spec.maxConcurrentSteps, stepsOf(spec.grid))
}

// ---------------------------------------------------------------- what steps do

/** The parity to wait for at the turn-th use of a slot, after `before` uses in earlier runs. */
export const parityOf = (turn: Int, before: Int | null): Int =>
  and(before === null ? turn : add(before, turn), i32(1))

/** The number of uses of a slot in a run of N steps. */
export const usesOf = (N: Int, S: Int, s: Int): Int => add(quo(sub(sub(N, i32(1)), s), S), i32(1))

/** Stores the blocks of a step that differ from those of the step before it; `also` says which other steps store. */
export const storeChanged = (
  label: string,
  outs: ReadonlyArray<Buffered>,
  grid: Grid,
  step: Int,
  s: Int,
  also: Condition,
): Build<void> =>
  block(function* () {
    for (const b of outs) {
      const [now, before] = [step, sub(step, i32(1))].map((x) => b.blockAt(indicesOf(grid, x)))
      const moved = now!.map((index, d) => ne(index, before![d]!)).reduce((x, y) => or(x, y))
      yield* copySmemToGmem(`${label}.store ${b.name}`, slotOf(b, s), blockOf(b, indicesOf(grid, step)), {
        when: or(moved, also),
        commitGroup: false,
      })
    }
    yield* run(`${label}.store.group`, { _tag: 'bulk.commitGroup' })
  })

/** Stores the blocks that no step changes, and waits for all stores. */
export const storeLast = (
  label: string,
  outs: ReadonlyArray<Buffered>,
  grid: Grid,
  lastSlot: (b: Buffered) => Int,
): Build<void> =>
  block(function* () {
    const staying = outs.filter((b) => b.invariant)
    if (staying.length > 0) {
      if (staying.length === outs.length) yield* commitSmem(`${label}.commit_smem last`)
      for (const b of staying)
        yield* copySmemToGmem(
          `${label}.store last ${b.name}`,
          slotOf(b, lastSlot(b)),
          blockOf(b, indicesOf(grid, i32(0))),
          { commitGroup: false },
        )
      yield* run(`${label}.store last.group`, { _tag: 'bulk.commitGroup' })
    }
    if (outs.length > 0) yield* waitSmemToGmem(`${label}.wait stored last`, 0)
  })

// ---------------------------------------------------------------- the pipeline

/**
 * Allocates, fetches ahead, runs the body for every step of the grid and stores. The body gets the carried
 * values and returns the next ones; the pipeline returns the last ones. Refuses a grid without steps and
 * fewer slots than a delayed release needs.
 */
export const emitPipeline = <
  const I extends ReadonlyArray<BlockSpec>,
  C extends Readonly<Record<string, TypeIndex>>,
  const O extends ReadonlyArray<BlockSpec>,
>(
  label: string,
  spec: PipelineSpec<I, O>,
  carried: Exprs<C>,
  body: (step: PipelineStep<I, O>, carried: Exprs<C>) => Steps<Exprs<C>>,
): Build<Exprs<C>> =>
  block(function* () {
    const { grid } = spec
    const all: ReadonlyArray<BlockSpec> = [...spec.inSpecs, ...(spec.outSpecs ?? [])]
    const names = operandNames(all)
    const slots = yield* fromEither(legal(label, spec, names))
    const steps = stepsOf(grid)
    const [N, S] = [asInt(steps), i32(slots)]

    const operands: Operand[] = []
    for (const [k, s] of all.entries()) operands.push(yield* allocate(label, names[k]!, s, grid, () => slots))
    const ins = operands.slice(0, spec.inSpecs.length).filter(isBuffered)
    const outs = operands.slice(spec.inSpecs.length).filter(isBuffered)
    const varying = outs.filter((b) => !b.invariant)
    const loaded =
      ins.length === 0
        ? null
        : yield* Barrier(`${label}.loaded`, { numArrivals: ins.length, numBarriers: slots })
    if (loaded !== null) yield* initBarrier(loaded)

    const fetch = (name: string, b: Buffered, step: Int, into: Int, when?: Condition): Build<void> =>
      loaded === null
        ? block(function* () {})
        : copyGmemToSmem(
            `${label}.${name} ${b.name}`,
            blockOf(b, indicesOf(grid, step)),
            slotOf(b, into),
            loaded,
            into,
            copyOptions(b.spec, when),
          )
    for (let s = 0; s < slots; s++) {
      // a dynamic grid may have fewer steps than slots: then its first blocks are fetched again
      const step = typeof steps === 'number' ? i32(s) : rem(i32(s), N)
      for (const b of ins) yield* fetch(`prologue[${String(s)}]`, b, step, i32(s))
    }

    const last = yield* loopWithMasks<C>({ label, from: i32(0), to: N }, carried, function* (step, carrying) {
      const s = yield* letIn('slot', rem(step, S))
      if (loaded !== null)
        // every slot is waited for once in S steps, so the parity is known without the thread's mask
        yield* run(`${label}.wait loaded`, {
          _tag: 'mbarrier.wait',
          barrier: slot(loaded.expr, s),
          parity: parityOf(
            quo(step, S),
            spec.invocation === undefined ? null : mul(spec.invocation, usesOf(N, S, s)),
          ),
          acquire: true,
          scope: 'cta',
        })
      if (varying.length > 0) yield* waitSmemToGmem(`${label}.wait stored`, slots - 1, true)
      const refs = refsOf<PipelineStep<I, O>['refs']>(operands, () => s)
      const next = yield* body({ indices: indicesOf(grid, step), refs }, carrying)
      if (varying.length > 0) {
        yield* commitSmem(`${label}.commit_smem`)
        const ends = or(eq(step, i32(0)), eq(step, sub(N, i32(1))))
        yield* storeChanged(label, varying, grid, step, s, ends)
      }
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
    const lastSlot = typeof steps === 'number' ? i32((steps - 1) % slots) : rem(sub(N, i32(1)), S)
    yield* storeLast(label, outs, grid, () => lastSlot)
    return last
  })
