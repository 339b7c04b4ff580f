/**
 * `dynamic_scheduling_loop`: a grid of work that clusters take from one another while they run.
 *
 * The kernel is launched with a cluster for each piece of work. A running cluster does its own piece and asks for one that has not been launched,
 * until there is none. It asks before it works, so the answer is there when it is needed; answers have two slots.
 *
 *     step s, slot s mod 2        every thread of every block of the cluster
 *         from s = 2 on           wait used[slot]: all have read the answer of step s - 2
 *         try_cluster_cancel      the first thread of the first block asks; all arrive on their block's asked[slot]
 *         body
 *         wait asked[slot]        the answer is there
 *         query_cluster_cancel    the next place, or none: the last step
 *         arrive used[slot]       in a cluster on the barrier of every block
 *     after                       wait used of the last steps, at most two
 *
 *     steps 5     used waited for at steps 2, 3, 4 (of steps 0, 1, 2) and after the loop (of steps 3 and 4)
 *
 * Between the read of an answer and its arrival stands a proxy fence: the next answer is written by the asynchronous proxy.
 *
 * The block that asks must hear of all others. So the axes of a cluster are given as one dimension, `cluster_axes=(("x", "y"),)`: as two they are
 * accepted, the block across is not heard of, and the loop deadlocks. With three blocks or more an arrival can reach a barrier before another's of the
 * step before it (B3): a run alone does not decide, all schedules of small clusters end well.
 *
 * `num_local_steps` is unknown: null.
 *
 * Laws
 * 1. Over all clusters every place of the grid is visited once, whatever is granted.
 * 2. Every barrier completes as often as it is waited for.
 *
 * Names: `plgpu.dynamic_scheduling_loop(grid_names, thread_axis=..., cluster_axes=..., init_carry=...)`.
 *
 * Source: JAX docs, Pallas:MGPU, `dynamic_scheduling_loop`; PTX ISA, clusterlaunchcontrol.
 */
import {
  block,
  forRange,
  letIn,
  run,
  whileLoop,
  type Build,
  type Exprs,
  type Steps,
} from '../../semantics/writing/builder.js'
import {
  add,
  and,
  ge,
  i1,
  i32,
  min,
  quo,
  rem,
  slot,
  sub,
  type Condition,
  type Expr,
  type Int,
} from '../../semantics/language/expression.js'
import { checked } from '../../semantics/language/index-types.js'
import type { TypeIndex } from '../../semantics/language/types.js'
import { Barrier, barrierArrive } from './barrier.js'
import { ClusterBarrier, type CollectiveAxes } from './cluster-barrier.js'
import { queryClusterCancel, tryClusterCancel, TryClusterCancelResults } from './cluster-cancel.js'
import { refused } from './codes.js'
import { axisHere, blockScope, clusterSize, contextHere, threadHere } from './context.js'
import { declaredOnce, enterTogether } from './declared-once.js'
import type { NDLoopInfo } from './nd-loop.js'

// ---------------------------------------------------------------- model

export interface DynamicScheduling {
  readonly gridNames: ReadonlyArray<string>
  /** the axis of the threads, if there are several */
  readonly threadAxis?: string
  /** all axes of the cluster, if it has several blocks */
  readonly clusterAxes?: CollectiveAxes
}

const slots = 2

// ---------------------------------------------------------------- preconditions

const legal = (label: string, spec: DynamicScheduling): Build<void> =>
  block(function* () {
    const here = yield* contextHere
    const room = 'pallas.dynamic_scheduling_loop'
    if (spec.threadAxis === undefined && here.numThreads > 1)
      return yield* refused(
        `${room}.threads`,
        `${label}: the kernel has ${String(here.numThreads)} threads, so thread_axis is needed`,
      )
    if (spec.threadAxis !== undefined) {
      const axis = yield* axisHere(label, spec.threadAxis)
      if (axis.of !== 'threads')
        return yield* refused(
          `${room}.threads`,
          `${label}: thread_axis ${axis.name} is an axis of the ${axis.of}, expected the axis of the threads`,
        )
    }
    const named = (spec.clusterAxes ?? []).flat()
    const missing = here.axes.find((a) => a.of === 'cluster' && a.size > 1 && !named.includes(a.name))
    if (missing !== undefined || (clusterSize(here) > 1 && named.length === 0))
      return yield* refused(
        `${room}.cluster-axes`,
        `${label}: cluster_axes (${named.join(', ')}) lack ${missing?.name ?? 'the axes of the cluster'}: expected all axes of the cluster, whose blocks read one answer`,
      )
  })

// ---------------------------------------------------------------- the loop

/** The body for this cluster's place of the grid, and for every place that it takes over. */
export const dynamicSchedulingLoop = <C extends Readonly<Record<string, TypeIndex>>>(
  label: string,
  spec: DynamicScheduling,
  carried: Exprs<C>,
  body: (info: NDLoopInfo, carried: Exprs<C>) => Steps<Exprs<C>>,
): Build<Exprs<C>> =>
  block(function* () {
    yield* threadHere(label)
    yield* legal(label, spec)
    const here = yield* contextHere
    const scope = blockScope(here)
    const counted = { numArrivals: here.numThreads, numBarriers: slots }
    const { answers, asked, used } = yield* declaredOnce(
      block(function* () {
        return {
          answers: yield* TryClusterCancelResults(`${label}.answers`, slots),
          asked: yield* Barrier(`${label}.asked`, counted),
          used:
            spec.clusterAxes === undefined
              ? yield* Barrier(`${label}.used`, counted)
              : yield* ClusterBarrier(`${label}.used`, { ...counted, collectiveAxes: spec.clusterAxes }),
        }
      }),
    )
    yield* enterTogether(label, [asked, used])

    const wait = (name: string, b: Barrier, s: Int, turn: Int, when?: Condition): Build<void> =>
      run(
        `${label}.${name}`,
        {
          _tag: 'mbarrier.wait',
          barrier: slot(b.expr, s),
          parity: and(turn, i32(1)),
          acquire: true,
          scope,
        },
        when === undefined ? {} : { when },
      )

    // the loop's own values stand beside what is carried
    const own = { more: `${label}.more`, step: `${label}.step` }
    const place = spec.gridNames.map((name) => `${label}.${name}`)
    const start: Record<string, Expr> = { ...carried, [own.more]: i1(true), [own.step]: i32(0) }
    for (const [d, name] of spec.gridNames.entries()) start[place[d]!] = (yield* axisHere(label, name)).index
    type Carried = Readonly<Record<string, TypeIndex>>
    const all = (record: Readonly<Record<string, Expr>>): Exprs<Carried> =>
      checked<Exprs<Carried>, Readonly<Record<string, Expr>>>(record)
    const int = (record: Exprs<Carried>, key: string): Int => checked<Int, Expr>(record[key]!)
    const users = (record: Exprs<Carried>): Exprs<C> =>
      checked<Exprs<C>, Readonly<Record<string, Expr>>>(
        Object.fromEntries(Object.keys(carried).map((key) => [key, record[key]!])),
      )

    const last = yield* whileLoop<Carried>(
      { label, carried: all(start) },
      function* (now) {
        const go = yield* letIn('more', checked<Condition, Expr>(now[own.more]!))
        return [go, now] as const
      },
      function* (now) {
        const step = int(now, own.step)
        const s = yield* letIn('slot', rem(step, i32(slots)))
        const turn = yield* letIn('turn', quo(step, i32(slots)))
        yield* wait('wait used', used, s, sub(turn, i32(1)), ge(step, i32(slots)))
        yield* tryClusterCancel(`${label}.try_cluster_cancel`, slot(answers, s), asked, s)
        const next = yield* body(
          { index: place.map((key) => int(now, key)), localIndex: step, numLocalSteps: null },
          users(now),
        )
        yield* wait('wait asked', asked, s, turn)
        const { success, indices } = yield* queryClusterCancel(
          `${label}.query_cluster_cancel`,
          slot(answers, s),
          spec.gridNames,
        )
        yield* run(`${label}.fence`, { _tag: 'fence.proxyAsync', scope })
        yield* barrierArrive(`${label}.arrive used`, used, s)
        return all({
          ...next,
          [own.more]: success,
          [own.step]: add(step, i32(1)),
          ...Object.fromEntries(indices.map((index, d) => [place[d]!, index])),
        })
      },
    )
    const steps = int(last, own.step)
    yield* forRange(
      { label: `${label}.drain`, from: sub(steps, min(steps, i32(slots))), to: steps },
      (step) => wait('wait drained', used, rem(step, i32(slots)), quo(step, i32(slots))),
    )
    return users(last)
  })
