/**
 * Warp maps: a thread parts into its four warps, and they meet again.
 *
 * The body is written for each warp, which knows its index. What surrounds it are the warpgroup's barriers:
 *
 *     warp map             thread is one agent                      thread is its warps
 *     becomes              fork into its four warps, join           `if warp = w`, four times
 *     surrounded by        bar.sync (orders nothing more)           bar.sync (the only thing that joins them)
 *
 * A warp has no arrays: it may capture and load scalars and refs only, and a warp map does not nest. Inside, copies, matrix products, arrivals and waits
 * are a warp's; cluster barriers are not.
 *
 * Laws
 * 1. Whatever the warps do is behind what the thread did before and before what it does after.
 *
 * Names: `pl.core_map(plgpu.WarpMesh(axis_name="warp"))`, `plgpu.warp_map`.
 *
 * Source: JAX docs, Pallas:MGPU reference (core_map); the Blackwell matmul tutorial.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import {
  block,
  branch,
  build,
  fork,
  run,
  statement,
  typeHere,
  type Build,
  type Exprs,
  type State,
  type Steps,
} from '../../semantics/writing/builder.js'
import { runSteps } from '../../semantics/writing/builder/monad.js'
import { amend, statements } from '../../semantics/writing/builder/state.js'
import { and, i32, select, type Condition, type Expr, type Int } from '../../semantics/language/expression.js'
import { effectsOf, type Do, type Stmt } from '../../semantics/language/program.js'
import { checked } from '../../semantics/language/index-types.js'
import type { TypeIndex } from '../../semantics/language/types.js'
import { showShape, sizeOf } from '../../transforms/shape.js'
import { isWarp, warpgroupBarrierId } from './auto-barriers.js'
import { refused } from './codes.js'
import { contextHere, inContext, threadHere, when, type Thread } from './context.js'
import {
  flipped,
  flippedAlike,
  inMasks,
  isTrial,
  masksBeside,
  masksHere,
  masksOf,
  ofWarp,
  recordOf,
  rejoined,
  setFlipped,
  setMasks,
  type Masks,
} from './parities.js'

// ---------------------------------------------------------------- model

/** The warps of a thread: an axis of 4. */
export interface WarpMesh {
  readonly axisName: string
}

export const WarpMesh = (options: { readonly axisName: string }): WarpMesh => options

const fourWarps = [0, 1, 2, 3] as const
/** The agent that is one warp of a thread. */
export const warpName = (thread: string, w: number): string => `${thread}.warp${String(w)}`

// ---------------------------------------------------------------- statements made aside

/** The statements that the steps would add, without adding them. */
export const aside = (steps: () => Steps<void>): Build<ReadonlyArray<Stmt>> =>
  build((state: State) =>
    pipe(
      runSteps(steps(), amend(state, { body: null })),
      E.map(([, after]) => [statements(after.body), amend(after, { body: state.body })]),
    ),
  )

/** The first load of the statements that gives an array, if there is one. */
const arrayLoad = (made: ReadonlyArray<Stmt>): readonly [Do, ReadonlyArray<number>] | null => {
  for (const s of effectsOf(made)) {
    const tag = s.instruction._tag
    if (tag !== 'smem.load' && tag !== 'gmem.load' && tag !== 'gmem.loadPtr') continue
    const type = s.results[0]?.type
    if (type?._tag === 'tile' && sizeOf(type.shape) > 1) return [s, type.shape]
  }
  return null
}

// ---------------------------------------------------------------- warp maps

type Any = Readonly<Record<string, TypeIndex>>

/** The warps of a thread meet. */
export const warpgroupBarrier = (label: string, thread: Thread): Build<void> =>
  run(label, { _tag: 'bar.sync', id: warpgroupBarrierId(thread.index), count: 128 })

/**
 * Statements that a thread runs once. If its warps are agents, they meet and the first warp runs them.
 * Returns the condition, or null if there is none. So an arrival of a thread is one arrival, and covers the
 * work of all its warps.
 */
export const onceInThread = (label: string, when?: Condition): Build<Condition | null> =>
  block(function* () {
    const { thread, warp } = yield* contextHere
    if (thread?.warps !== 'agents' || warp !== null) return when ?? null
    yield* warpgroupBarrier(`${label}.together`, thread)
    return when === undefined ? isWarp(0) : and(when, isWarp(0))
  })

const allowed = (label: string, captures: Readonly<Record<string, Expr>>): Build<void> =>
  block(function* () {
    const { warp } = yield* contextHere
    if (warp !== null)
      return yield* refused(
        'pallas.core-map.nested',
        `${label}: warp ${String(warp)} cannot part again: a core_map does not nest`,
      )
    for (const [name, value] of Object.entries(captures)) {
      const type = yield* typeHere(value)
      if (type._tag === 'tile' && sizeOf(type.shape) > 1)
        return yield* refused(
          'pallas.core-map.capture',
          `${label}: ${name} is an array of shape ${showShape(type.shape)}: a core_map can close over scalars and refs only`,
        )
    }
  })

/**
 * The body for each of the four warps of a thread. What is captured is what a body may use of the values around it.
 * `axis` names the warps inside.
 */
const mapWarps = <C extends Readonly<Record<string, TypeIndex>>>(
  label: string,
  thread: Thread,
  axis: string | null,
  captures: Exprs<C>,
  body: (warp: number, captured: Exprs<C>) => Steps<void>,
): Build<void> =>
  block(function* () {
    yield* allowed(label, captures)
    const here = yield* contextHere
    const inWarp = (w: number, captured: Exprs<C>): Build<void> =>
      inContext(
        {
          ...here,
          warp: w,
          axes:
            axis === null
              ? here.axes
              : [...here.axes, { name: axis, of: 'warps', position: 0, size: 4, index: i32(w) }],
        },
        () => body(w, captured),
      )
    const before = yield* masksHere
    const keys: (readonly [warp: number, keys: ReadonlyArray<string>])[] = []
    for (const w of fourWarps) keys.push([w, yield* flipped(label, () => inWarp(w, captures))])
    const all = keys.flatMap(([, some]) => some)
    const alike = yield* flippedAlike(
      label,
      keys.map(([, some]) => some),
      (w) => inWarp(w, captures),
    )
    if (yield* isTrial) {
      yield* setFlipped(all)
      for (const barrier of alike) yield* rejoined(barrier, i32(0))
      return
    }
    let after: ReadonlyArray<readonly [string, Int]> = []
    const made = yield* aside(function* () {
      if (thread.autoBarriers) yield* warpgroupBarrier(`${label}.enter`, thread)
      if (thread.warps === 'agents')
        for (const w of fourWarps)
          yield* when(`${label}.warp${String(w)}`, isWarp(w), () => inWarp(w, captures))
      else {
        const own = (w: number, some: ReadonlyArray<string>, c: Exprs<Any>): Build<Masks> =>
          block(function* () {
            const masks = new Map([...before, ...masksOf(c, some)])
            return (yield* inMasks(masks, () => inWarp(w, checked<Exprs<C>, Exprs<Any>>(c))))[1]
          })
        const given = yield* fork<Any, Any>(
          label,
          {
            agent: thread.name,
            captures: all.length === 0 ? {} : { ...captures, ...recordOf(before, all) },
            body: (c) =>
              masksBeside(all, function* () {
                const masks: (readonly [string, Int])[] = []
                for (const [w, some] of keys)
                  if (some.length > 0) {
                    const left = yield* own(w, some, c)
                    for (const key of some) masks.push([key, left.get(key)!])
                  }
                return new Map(masks)
              }),
          },
          keys.map(([w, some]) =>
            branch(
              warpName(thread.name, w),
              { ...captures, ...recordOf(before, some) },
              function* (c: Exprs<Any>) {
                yield* own(w, some, c)
              },
            ),
          ),
        )
        after = masksOf(given, all)
      }
      if (thread.autoBarriers) yield* warpgroupBarrier(`${label}.exit`, thread)
    })
    const array = arrayLoad(made)
    if (array !== null)
      return yield* refused(
        'pallas.core-map.load',
        `${label}: ${array[0].site.label} loads an array of shape ${showShape(array[1])}: a warp can load scalars only`,
      )
    for (const s of made) yield* statement(s)
    yield* setMasks(after)
    const masks = yield* masksHere
    for (const barrier of alike) {
      const of = (w: number): Int => masks.get(ofWarp(barrier, w))!
      // an agent that is a warp has flipped its own mask
      const mask =
        thread.warps === 'agents'
          ? select(isWarp(0), of(0), select(isWarp(1), of(1), select(isWarp(2), of(2), of(3))))
          : of(0)
      yield* rejoined(barrier, mask)
    }
  })

/** A warp map of a given thread. The thread's agents must be declared for it (`threadAgents`). */
export const warpMap = <C extends Readonly<Record<string, TypeIndex>>>(
  label: string,
  thread: Thread,
  captures: Exprs<C>,
  body: (warp: number, captured: Exprs<C>) => Steps<void>,
): Build<void> => mapWarps(label, thread, null, captures, body)

/** `pl.core_map(plgpu.WarpMesh(axis_name=...))`: inside, `axisIndex` of that name is the warp. */
export const coreMap = <C extends Readonly<Record<string, TypeIndex>>>(
  label: string,
  mesh: WarpMesh,
  captures: Exprs<C>,
  body: (captured: Exprs<C>) => Steps<void>,
): Build<void> =>
  block(function* () {
    const thread = yield* threadHere(label)
    const { axes } = yield* contextHere
    if (axes.some(({ name }) => name === mesh.axisName))
      return yield* refused(
        'pallas.core-map.axis',
        `${label}: there is already an axis named ${mesh.axisName}`,
      )
    yield* mapWarps(label, thread, mesh.axisName, captures, (_, captured) => body(captured))
  })
