/**
 * The frame of a Pallas kernel: what surrounds a body.
 *
 * A kernel is a grid of blocks of threads; a thread is a warpgroup. What the frame adds, in this order:
 *
 *     init barriers        thread 0 initialises every barrier, those that bodies allocate too     mbarrier.init ...
 *                          and makes them visible to the cluster                                  fence.mbarrierInit
 *     cluster starts       blocks of a cluster meet, if there is more than one                    cluster.arrive relaxed, wait
 *     allocate             if tensor memory is used: warp 0 allocates, and allocates no more      tcgen05.alloc, relinquish
 *     block starts         the block meets                                                        bar.sync 0
 *     each thread          its body, with automatic barriers (`auto-barriers.ts`)
 *     block ends           if tensor memory is used: the block meets;                             bar.sync 0
 *     cluster ends         if it is shared by a pair of blocks, the cluster does                  cluster.arrive relaxed, wait
 *     deallocate           warp 0 gives it back                                                   tcgen05.dealloc
 *
 * A cluster without shared tensor memory has no barrier at its end: a kernel whose blocks write to each other brings its own.
 *
 * A thread is one agent, so what "warp 0" does is the agent's. With `warps: 'agents'` a thread is four, one a warp, that run the same body
 * side by side, as they do on the chip; then the automatic barriers hold them together and nothing else does.
 *
 *     warpMap              thread is one agent                      thread is its warps
 *     becomes              fork into its four warps, join           `if warp = w`, four times
 *     surrounded by        bar.sync (orders nothing more)           bar.sync (the only thing that joins them)
 *
 * Names: `plgpu.kernel(body, grid=..., num_threads=..., thread_name=...)`, `lax.axis_index`, `pl.core_map(plgpu.WarpMesh(...))`.
 *
 * Laws
 * 1. Every barrier is initialised once, before the block starts, wherever it was allocated.
 * 2. The columns allocated are the least power of two from 32 on that holds the tensor memory that was declared.
 *
 * Source: JAX docs, Pallas:MGPU reference, kernel launch; Mosaic GPU's launch code.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import {
  block,
  branch,
  build,
  fork,
  ifThen,
  run,
  statement,
  warp as warpAgent,
  warpgroup,
  type Build,
  type Exprs,
  type State,
  type Steps,
} from '../../semantics/builder.js'
import { runSteps } from '../../semantics/builder/monad.js'
import { amend, statements } from '../../semantics/builder/state.js'
import { div, eq, i32, place, slot, type Condition, type Int } from '../../semantics/expression.js'
import type { Agent, Stmt, Storage } from '../../semantics/program.js'
import type { TypeIndex } from '../../semantics/types.js'
import { autoBarriers, isWarp, warpgroupBarrierId } from './auto-barriers.js'
import type { Barrier } from './barrier.js'

// ---------------------------------------------------------------- model

/** Is a thread one agent, or one for each of its warps? */
export type Warps = 'together' | 'agents'

/** A thread, as its body sees it. */
export interface Thread {
  readonly name: string
  readonly index: number
  readonly warps: Warps
  readonly autoBarriers: boolean
}

export interface FrameOptions {
  /** blocks of a cluster (default 1) */
  readonly cluster?: number
  /** the tensor memory belongs to a pair of blocks (default false) */
  readonly collective?: boolean
  /** leave out the barriers before stores and copies and around warp maps (default false) */
  readonly unsafeNoAutoBarriers?: boolean
  /** default `together` */
  readonly warps?: Warps
}

export interface ThreadBody {
  readonly name: string
  readonly body: (thread: Thread) => Steps<void>
}

// ---------------------------------------------------------------- places

/** `lax.axis_index(grid name)`: the block's place along an axis of the grid. */
export const axisIndex = (axis: number): Int => place('programId', axis)

const fourWarps = [0, 1, 2, 3] as const
const warpName = (thread: string, w: number): string => `${thread}.warp${String(w)}`

/** The agents of a thread that never parts, of one that has warp maps, or of one that is its warps. */
export const threadAgents = (
  name: string,
  index: number,
  as: 'one' | 'one and its warps' | 'its warps' = 'one',
): ReadonlyArray<Agent> => {
  const warps = fourWarps.map((w) => warpAgent(warpName(name, w), 4 * index + w))
  switch (as) {
    case 'one':
      return [warpgroup(name, index)]
    case 'one and its warps':
      return [warpgroup(name, index), ...warps]
    case 'its warps':
      return warps
  }
}

// ---------------------------------------------------------------- barriers of the frame

/** Named barrier 0 belongs to the whole block. */
const blockBarrier = 0

/** All threads of the block meet. */
export const blockSync = (label: string, threads: number): Build<void> =>
  run(label, { _tag: 'bar.sync', id: blockBarrier, count: 128 * threads })

/** The warps of a thread meet. */
export const warpgroupBarrier = (label: string, thread: Thread): Build<void> =>
  run(label, { _tag: 'bar.sync', id: warpgroupBarrierId(thread.index), count: 128 })

const clusterMeets = (label: string): Build<void> =>
  block(function* () {
    yield* run(`${label}.arrive`, { _tag: 'cluster.arrive', relaxed: true })
    yield* run(label, { _tag: 'cluster.wait' })
  })

/**
 * `pl.core_map(plgpu.WarpMesh(axis_name="warp"))`: the body for each of the four warps of the thread, which knows its index. The thread's
 * agents must be declared for it (`threadAgents`). What is captured is what a body may use of the values around it.
 */
export const warpMap = <C extends Readonly<Record<string, TypeIndex>>>(
  label: string,
  thread: Thread,
  captures: Exprs<C>,
  body: (warp: number, captured: Exprs<C>) => Steps<void>,
): Build<void> =>
  block(function* () {
    if (thread.autoBarriers) yield* warpgroupBarrier(`${label}.enter`, thread)
    if (thread.warps === 'agents')
      for (const w of fourWarps)
        yield* ifThen(`${label}.warp${String(w)}`, isWarp(w), () => body(w, captures))
    else
      yield* fork(
        label,
        { agent: thread.name, captures: {}, body: function* () {} },
        fourWarps.map((w) => branch(warpName(thread.name, w), captures, (c: Exprs<C>) => body(w, c))),
      )
    if (thread.autoBarriers) yield* warpgroupBarrier(`${label}.exit`, thread)
  })

// ---------------------------------------------------------------- the frame

/** The statements that the steps add, which are not added. */
const aside = (steps: () => Steps<void>): Build<ReadonlyArray<Stmt>> =>
  build((state: State) =>
    pipe(
      runSteps(steps(), amend(state, { body: null })),
      E.map(([, after]) => [statements(after.body), amend(after, { body: state.body })]),
    ),
  )

const isInit = (s: Stmt): boolean => s._tag === 'Do' && s.instruction._tag === 'mbarrier.init'

/** A thread's statements without the initialisation of what it allocates, and that initialisation. */
const hoisted = (
  body: ReadonlyArray<Stmt>,
): { readonly inits: ReadonlyArray<Stmt>; readonly rest: ReadonlyArray<Stmt> } => {
  const inits: Stmt[] = []
  const rest = body.flatMap((s): ReadonlyArray<Stmt> => {
    if (isInit(s)) {
      inits.push(s)
      return []
    }
    if (s._tag !== 'If') return [s]
    const then = hoisted(s.then.body)
    inits.push(...then.inits)
    return [{ ...s, then: { ...s.then, body: then.rest } }]
  })
  return { inits, rest }
}

/** Columns of the tensor memory that was declared; storages of one alias group share theirs. */
const columnsOf = (storage: Iterable<Storage>): number => {
  const groups = new Map<string, Map<number, number>>()
  for (const s of storage) {
    if (s.space !== 'tmem') continue
    const { union, member } = s.alias ?? { union: `: ${s.id}`, member: 0 }
    const group = groups.get(union) ?? new Map<number, number>()
    group.set(member, (group.get(member) ?? 0) + s.bits / (32 * 128))
    groups.set(union, group)
  }
  return [...groups.values()].reduce((sum, members) => sum + Math.max(...members.values()), 0)
}

const atLeast32 = (columns: number): number => Math.max(32, 2 ** Math.ceil(Math.log2(columns)))

const declaredColumns: Build<number> = build((state: State) =>
  E.right([columnsOf(state.storage.values()), state]),
)

/** `mbarrier.init` of every barrier of an array. */
export const initBarrier = (b: Barrier): Build<void> =>
  block(function* () {
    for (let i = 0; i < b.numBarriers; i++)
      yield* run(`init ${b.name}[${String(i)}]`, {
        _tag: 'mbarrier.init',
        barrier: slot(b.expr, i32(i)),
        count: b.numArrivals,
      })
  })

/** Barriers are initialised, tensor memory is allocated; the block meets; each thread runs its body; tensor memory is given back. */
export const threads = (
  barriers: ReadonlyArray<Barrier>,
  bodies: ReadonlyArray<ThreadBody>,
  options: FrameOptions = {},
): Build<void> =>
  block(function* () {
    const warps = options.warps ?? 'together'
    const agent = place('agent')
    const isThread = (i: number): Condition => eq(warps === 'agents' ? div(agent, i32(4)) : agent, i32(i))
    const first = eq(agent, i32(0))
    const bodiesOf: Stmt[] = []
    const inits: Stmt[] = []
    for (const [index, { name, body }] of bodies.entries()) {
      const thread: Thread = { name, index, warps, autoBarriers: options.unsafeNoAutoBarriers !== true }
      const made = hoisted(yield* aside(() => ifThen(name, isThread(index), () => body(thread))))
      inits.push(...made.inits)
      bodiesOf.push(...(thread.autoBarriers ? autoBarriers(warpgroupBarrierId(index), made.rest) : made.rest))
    }
    const columns = yield* declaredColumns

    yield* ifThen('init barriers', first, function* () {
      for (const b of barriers) yield* initBarrier(b)
      for (const s of inits) yield* statement({ ...s, site: { ...s.site, path: ['init barriers'] } })
      yield* run('publish barriers', { _tag: 'fence.mbarrierInit' })
    })
    if ((options.cluster ?? 1) > 1) yield* clusterMeets('cluster starts')
    if (columns > 0)
      yield* ifThen('tensor memory', first, function* () {
        yield* run('allocate', { _tag: 'tcgen05.alloc', columns: atLeast32(columns), ctaGroup: 1 })
        yield* run('relinquish', { _tag: 'tcgen05.relinquish', ctaGroup: 1 })
      })
    yield* blockSync('block starts', bodies.length)
    for (const s of bodiesOf) yield* statement(s)
    if (columns > 0) {
      yield* blockSync('block ends', bodies.length)
      if (options.collective === true) yield* clusterMeets('cluster ends')
      yield* ifThen('tensor memory', first, () =>
        run('deallocate', { _tag: 'tcgen05.dealloc', columns: atLeast32(columns), ctaGroup: 1 }),
      )
    }
  })
