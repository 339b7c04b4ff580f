/**
 * The frame of a Pallas kernel: what surrounds a body.
 *
 * A kernel is a grid of clusters of blocks of threads (`mesh.ts`); a thread is a warpgroup. What the frame adds, in this order:
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
 * Tensor memory is a pair's if it was declared so (`collective`), or if a tensor-core operation of the bodies is one of a pair: then it is
 * allocated and given back by both blocks (cta_group 2). A cluster without shared tensor memory has no barrier at its end: a kernel whose
 * blocks write to each other brings its own.
 *
 * `kernel` runs one body for every thread, and the body asks who it is:
 *
 *     kernel({ name: 'k', arch: 'sm90a', grid: [4], gridNames: ['i'], numThreads: 2, threadName: 'wg' },
 *       function* () { ... return { x, out, full } },           parameters, scratch; its barriers are initialised
 *       function* ({ x, out, full }) {
 *         const wg = yield* axisIndex('wg')                     0 in thread wg0, 1 in wg1
 *         yield* when('producer', eq(wg, i32(0)), function* () { ... })
 *       })
 *
 * It is written once for each thread, so that what belongs to one (registers, warps, a named barrier) is its own, and a branch on the thread is
 * decided at once. `threads` takes a body for each, and is for those who name their threads.
 *
 * A thread is one agent, so what "warp 0" does is the agent's. With `warps: 'agents'` a thread is four, one a warp, that run the same body
 * side by side, as they do on the chip; then the automatic barriers hold them together and nothing else does. What a thread does once (an arrival, a
 * signal, an atomic) its warps then do together: they meet, and the first does it.
 *
 * Names: `plgpu.kernel(body, grid=..., cluster=..., num_threads=..., thread_name=..., scratch_types=...)`.
 *
 * Laws
 * 1. Every barrier is initialised once, before the block starts, wherever it was allocated.
 * 2. The columns allocated are the least power of two from 32 on that holds the tensor memory that was declared;
 *    they are a pair's if it is collective.
 * 3. What thread i of `kernel` does is what the body does where axis_index of the threads is i.
 *
 * Source: JAX docs, Pallas:MGPU reference, kernel launch; Mosaic GPU's launch code.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../failure.js'
import { roundToAllocation, tmemColumns } from '../../layouts/tensor-memory/geometry.js'
import {
  block,
  build,
  draft,
  fromEither,
  ifThen,
  run,
  statement,
  warp as warpAgent,
  warpgroup,
  type Build,
  type State,
  type Steps,
} from '../../semantics/writing/builder.js'
import { div, eq, i32, place, type Condition } from '../../semantics/language/expression.js'
import { place as laid } from '../../semantics/language/place.js'
import {
  effectsOf,
  mapRegions,
  regionsOf,
  type Agent,
  type Program,
  type Region,
  type Spec,
  type Stmt,
} from '../../semantics/language/program.js'
import { validate } from '../../semantics/language/validate.js'
import { autoBarriers, warpgroupBarrierId } from './auto-barriers.js'
import { initBarrier, isBarrier, type Barrier } from './barrier.js'
import { refuse } from './codes.js'
import { checkParams, type CompilerParams } from './compiler-params.js'
import { contextHere, inContext, type Thread, type Warps } from './context.js'
import { aside, warpName } from './core-map.js'
import { columnsUsed, isCollective, tensorMemoryOwner } from './memory.js'
import { Mesh, axesOf, launchOf, type MeshOptions } from './mesh.js'
import { inMasks, withoutIdle } from './parities.js'
import { registerBudget } from './registers.js'

// ---------------------------------------------------------------- model

export interface FrameOptions {
  /** blocks of a cluster (default 1) */
  readonly cluster?: number
  /** the tensor memory belongs to a pair of blocks (default: if it is collective, or an operation of the tensor core is one of a pair) */
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

export interface KernelOptions extends MeshOptions {
  readonly name: string
  readonly arch: 'sm90a' | 'sm100a'
  readonly computes?: Spec
  readonly compilerParams?: CompilerParams
  /** the tensor memory belongs to a pair of blocks */
  readonly collective?: boolean
  /** default `together` */
  readonly warps?: Warps
}

// ---------------------------------------------------------------- agents

const fourWarps = [0, 1, 2, 3] as const

/** The agents of a thread: for one without warp maps, for one with warp maps, or for one whose warps are
 * agents. */
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

const clusterMeets = (label: string): Build<void> =>
  block(function* () {
    yield* run(`${label}.arrive`, { _tag: 'cluster.arrive', relaxed: true })
    yield* run(label, { _tag: 'cluster.wait' })
  })

// ---------------------------------------------------------------- what bodies declare and use

const isInit = (s: Stmt): boolean => s._tag === 'Do' && s.instruction._tag === 'mbarrier.init'

/** A thread's statements without the initialisation of what it allocates, wherever that stands, and that initialisation. */
const hoisted = (
  body: ReadonlyArray<Stmt>,
): { readonly inits: ReadonlyArray<Stmt>; readonly rest: ReadonlyArray<Stmt> } => {
  const inits: Stmt[] = []
  const region = (r: Region): Region => {
    const inside = hoisted(r.body)
    for (const init of inside.inits) inits.push(init)
    return { ...r, body: inside.rest }
  }
  const rest = body.flatMap((s): ReadonlyArray<Stmt> => {
    if (isInit(s)) {
      inits.push(s)
      return []
    }
    return [mapRegions(s, region)]
  })
  return { inits, rest }
}

/** Tensor memory that is declared: the columns to allocate for it, and whether they belong to a pair of blocks. */
const declaredTensorMemory: Build<{ readonly columns: number; readonly pair: boolean }> = build(
  (
    state: State,
  ): E.Either<Failure, readonly [{ readonly columns: number; readonly pair: boolean }, State]> => {
    const storage = [...state.storage.values()]
    const owner = tensorMemoryOwner(storage)
    if (owner === 'mixed')
      return refuse(
        'pallas.tmem.collective-mixed',
        `Tensor memory of a kernel is collective throughout or not at all, found ${storage
          .flatMap((s) => (s.space === 'tmem' ? [`${s.id} ${isCollective(s) ? 'collective' : 'not'}`] : []))
          .join(', ')}`,
      )
    const columns = columnsUsed(storage)
    const allocated = columns === 0 ? 0 : roundToAllocation(8 * Math.ceil(columns / 8))
    return allocated === null
      ? refuse(
          'pallas.tmem.columns',
          `The tensor memory of the kernel takes ${String(columns)} columns, exceeding the limit of ${String(tmemColumns)}`,
        )
      : E.right([{ columns: allocated, pair: owner === 'pair' }, state])
  },
)

/** Is an operation of the tensor core one of a pair of blocks? */
const pairs = (body: ReadonlyArray<Stmt>): boolean =>
  effectsOf(body).some(
    ({ instruction: i }) => i._tag.startsWith('tcgen05.') && 'ctaGroup' in i && i.ctaGroup === 2,
  )

/** The agents that forks start. */
const forkedIn = (body: ReadonlyArray<Stmt>): ReadonlyArray<string> =>
  body.flatMap((s) => [
    ...(s._tag === 'Fork' ? s.branches.slice(1).map((b) => b.agent) : []),
    ...regionsOf(s).flatMap((r) => forkedIn(r.body)),
  ])

/** The barriers among what a declaration returned, in records and arrays. */
const barriersIn = (x: unknown): ReadonlyArray<Barrier> => {
  if (isBarrier(x)) return [x]
  if (typeof x !== 'object' || x === null || '_tag' in x) return []
  return Object.values(x).flatMap(barriersIn)
}

const distinct = (all: ReadonlyArray<Barrier>): ReadonlyArray<Barrier> =>
  all.filter((b, k) => all.findIndex(({ name }) => name === b.name) === k)

// ---------------------------------------------------------------- the frame

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
    const here = yield* contextHere
    const cluster = options.cluster ?? 1
    const bodiesOf: Stmt[] = []
    const inits: Stmt[] = []
    const made: (readonly [string, ReadonlyArray<Stmt>])[] = []
    for (const [index, { name, body }] of bodies.entries()) {
      const thread: Thread = { name, index, warps, autoBarriers: options.unsafeNoAutoBarriers !== true }
      const inside = {
        ...here,
        thread,
        numThreads: bodies.length,
        cluster: here.cluster.length > 0 || cluster === 1 ? here.cluster : [cluster],
      }
      const split = hoisted(
        yield* aside(() =>
          ifThen(name, isThread(index), () =>
            inContext(inside, function* () {
              yield* inMasks(new Map(), () => body(thread))
            }),
          ),
        ),
      )
      const own = withoutIdle(split.rest)
      for (const init of split.inits) inits.push(init)
      made.push([name, own])
      const inOrder = thread.autoBarriers ? autoBarriers(warpgroupBarrierId(index), own) : own
      for (const stmt of inOrder) bodiesOf.push(stmt)
    }
    yield* fromEither(registerBudget(made))
    const { columns, pair } = yield* declaredTensorMemory
    const collective = options.collective ?? (pair || pairs(bodiesOf))
    const ctaGroup = collective ? 2 : 1

    yield* ifThen('init barriers', first, function* () {
      for (const b of barriers) yield* initBarrier(b)
      for (const s of inits) yield* statement({ ...s, site: { ...s.site, path: ['init barriers'] } })
      yield* run('publish barriers', { _tag: 'fence.mbarrierInit' })
    })
    if (cluster > 1) yield* clusterMeets('cluster starts')
    if (columns > 0)
      yield* ifThen('tensor memory', first, function* () {
        yield* run('allocate', { _tag: 'tcgen05.alloc', columns, ctaGroup })
        yield* run('relinquish', { _tag: 'tcgen05.relinquish', ctaGroup })
      })
    yield* blockSync('block starts', bodies.length)
    for (const s of bodiesOf) yield* statement(s)
    if (columns > 0) {
      yield* blockSync('block ends', bodies.length)
      if (collective) yield* clusterMeets('cluster ends')
      yield* ifThen('tensor memory', first, () =>
        run('deallocate', { _tag: 'tcgen05.dealloc', columns, ctaGroup }),
      )
    }
  })

// ---------------------------------------------------------------- kernels

/** Names of the threads of a mesh: `wg0`, `wg1`; `thread` if they have none. */
export const threadNames = (m: Mesh): ReadonlyArray<string> =>
  Array.from({ length: m.numThreads }, (_, i) =>
    m.threadName === null ? 'thread' : `${m.threadName}${String(i)}`,
  )

/** Only what is forked gets agents of its own; those of threads stand first, so that a thread's number is its agent's. */
const agentsOf = (m: Mesh, warps: Warps, program: Program): ReadonlyArray<Agent> => {
  const names = threadNames(m)
  if (warps === 'agents') return names.flatMap((name, i) => threadAgents(name, i, 'its warps'))
  const forked = new Set(forkedIn(program.entry.body))
  return [
    ...names.flatMap((name, i) => threadAgents(name, i)),
    ...names.flatMap((name, i) =>
      threadAgents(name, i, 'its warps').filter((agent) => forked.has(agent.name)),
    ),
  ]
}

/**
 * `plgpu.kernel`. `declare` gives parameters and scratch; `body` is run by every thread with them.
 * Refuses an illegal mesh, and everything that the operations refuse.
 */
export const kernel = <R>(
  options: KernelOptions,
  declare: () => Steps<R>,
  body: (refs: R) => Steps<void>,
): E.Either<Failure, Program> =>
  pipe(
    E.Do,
    E.bind('mesh', () => Mesh(options.name, options)),
    E.bindW('params', () => checkParams(options.name, options.compilerParams ?? {})),
    E.chainW(({ mesh, params }) => {
      const { grid, cluster } = launchOf(mesh)
      const warps = options.warps ?? 'together'
      const axes = axesOf(mesh)
      const header = { name: options.name, arch: options.arch, grid, cluster, agents: [] }
      const outside = { axes, cluster: mesh.cluster, numThreads: mesh.numThreads, thread: null, warp: null }
      const steps = function* (): Steps<void> {
        const refs = yield* inContext(outside, declare)
        yield* inContext(outside, () =>
          threads(
            distinct(barriersIn(refs)),
            threadNames(mesh).map((name, i) => ({
              name,
              body: () =>
                block(function* () {
                  const here = yield* contextHere
                  const own =
                    mesh.threadName === null
                      ? []
                      : [
                          {
                            name: mesh.threadName,
                            of: 'threads',
                            position: 0,
                            size: mesh.numThreads,
                            index: i32(i),
                          } as const,
                        ]
                  yield* inContext({ ...here, axes: [...axes, ...own] }, () => body(refs))
                }),
            })),
            {
              cluster: cluster.reduce((n, c) => n * c, 1),
              unsafeNoAutoBarriers: params.unsafeNoAutoBarriers ?? false,
              warps,
              ...(options.collective === undefined ? {} : { collective: options.collective }),
            },
          ),
        )
      }
      return pipe(
        draft(options.computes === undefined ? header : { ...header, computes: options.computes }, steps),
        E.map((program): Program => ({
          ...program,
          launch: { ...program.launch, agents: agentsOf(mesh, warps, program) },
        })),
        E.chainW(laid),
        E.chainW(validate),
      )
    }),
  )
