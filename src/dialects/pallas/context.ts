/**
 * Context: where in a Pallas kernel the next operation stands.
 *
 * `axis_index("wg")`, a cluster barrier, a collective copy ask for it; `kernel` and warp maps give it (`surroundings.ts` of the builder). The
 * body of a kernel is written once for every thread, with the thread's index known; that of a warp map once for every warp.
 *
 *     kernel(num_threads=2, thread_name="wg")     thread wg0: axis_index("wg") = 0     thread wg1: axis_index("wg") = 1
 *     core_map(WarpMesh("warp"))                  warp 0 .. 3 of the thread: axis_index("warp") = 0 .. 3
 *
 * So a test of a thread's or warp's index is decided while the kernel is written: `when` keeps the side that is taken, and the listing shows each
 * thread what it does.
 *
 * Laws
 * 1. `when` and `cond` with a condition that is known add the side taken, and nothing else.
 * 2. What `known` says is what the machine computes.
 *
 * Names: `lax.axis_index`, `pl.program_id`, `pl.when`, `lax.cond`.
 *
 * Source: JAX docs, Pallas:MGPU reference (kernel launch, core_map).
 */
import {
  block,
  of,
  surrounding,
  whereIAm,
  within,
  type Build,
  type Exprs,
  type Steps,
  type Surrounding,
} from '../../semantics/writing/builder.js'
import { place, type Condition, type ExprNode, type Int } from '../../semantics/language/expression.js'
import type { TypeIndex } from '../../semantics/language/types.js'
import { sizeOf } from '../../transforms/shape.js'
import { refused } from './codes.js'
import type { Axis } from './mesh.js'
import { branchWithMasks, sameMasks } from './parities.js'

// ---------------------------------------------------------------- model

/** Whether a thread is one agent, or one for each of its warps. */
export type Warps = 'together' | 'agents'

/** A thread, from the view of its body. */
export interface Thread {
  readonly name: string
  readonly index: number
  readonly warps: Warps
  readonly autoBarriers: boolean
}

export interface Context {
  /** of the grid, the cluster, the threads and, inside a warp map, the warps */
  readonly axes: ReadonlyArray<Axis>
  /** blocks of a cluster along each axis */
  readonly cluster: ReadonlyArray<number>
  readonly numThreads: number
  /** null outside of every thread */
  readonly thread: Thread | null
  /** inside a warp map: which warp of the thread */
  readonly warp: number | null
}

const context: Surrounding<Context> = surrounding<Context>('pallas', {
  axes: [],
  cluster: [],
  numThreads: 1,
  thread: null,
  warp: null,
})

// ---------------------------------------------------------------- constructors

/** Runs the steps in this context. */
export const inContext = <A>(here: Context, body: () => Steps<A>): Build<A> =>
  sameMasks<A>((inside) => within(context, here)(inside))(body)

// ---------------------------------------------------------------- destructors

/** The place of the next operation. */
export const contextHere: Build<Context> = whereIAm(context)

/** Blocks of a cluster. */
export const clusterSize = (here: Context): number => sizeOf(here.cluster)

/** The scope that contains every thread that may wait for what a block does. */
export const blockScope = (here: Context): 'cta' | 'cluster' => (clusterSize(here) > 1 ? 'cluster' : 'cta')

/** The thread whose body this is. */
export const threadHere = (label: string): Build<Thread> =>
  block(function* () {
    const { thread } = yield* contextHere
    return (
      thread ??
      (yield* refused('pallas.kernel.outside', `${label}: expected the body of a thread of a kernel`))
    )
  })

const boundNames = (here: Context): string =>
  here.axes.length === 0 ? 'none' : here.axes.map(({ name }) => name).join(', ')

/** The axis of this name. */
export const axisHere = (label: string, name: string): Build<Axis> =>
  block(function* () {
    const here = yield* contextHere
    const axis = here.axes.find((a) => a.name === name)
    return (
      axis ??
      (yield* refused(
        'pallas.axis.unbound',
        `${label}: unbound axis name ${name}; bound here: ${boundNames(here)}`,
      ))
    )
  })

/** The axes of the cluster with these names. Refuses others, and one twice. */
export const clusterAxes = (label: string, names: ReadonlyArray<string>): Build<ReadonlyArray<Axis>> =>
  block(function* () {
    const twice = names.find((name, k) => names.indexOf(name) < k)
    if (twice !== undefined)
      return yield* refused('pallas.axis.duplicate', `${label}: collective axis ${twice} is named twice`)
    const axes: Axis[] = []
    for (const name of names) {
      const axis = yield* axisHere(label, name)
      if (axis.of !== 'cluster')
        return yield* refused(
          'pallas.axis.not-cluster',
          `${label}: ${name} is an axis of the ${axis.of}: expected an axis of the cluster`,
        )
      axes.push(axis)
    }
    return axes
  })

/** `lax.axis_index(name)`. */
export const axisIndex = (name: string): Build<Int> =>
  block(function* () {
    return (yield* axisHere('axis_index', name)).index
  })

/** `pl.program_id(axis)`: the block's place along an axis of the grid as it was launched. */
export const programId = (axis: number): Int => place('programId', axis)

// ---------------------------------------------------------------- branches

const wrapped = (x: number): number => x | 0

const compared = (
  e: Extract<ExprNode, { readonly _tag: 'compare' }>,
  x: number,
  y: number,
): number | null => {
  if (e.op === 'eq') return Number(x === y)
  if (e.op === 'ne') return Number(x !== y)
  if (!e.signed) return null
  switch (e.op) {
    case 'lt':
      return Number(x < y)
    case 'le':
      return Number(x <= y)
    case 'gt':
      return Number(x > y)
    case 'ge':
      return Number(x >= y)
  }
}

/** The value of an expression that depends on no name and no coordinate; null if it depends on one. */
export const known = (e: ExprNode): number | null => {
  switch (e._tag) {
    case 'const':
      return (e.dtype === 'i1' || e.dtype === 'i32') && typeof e.value === 'number' ? e.value : null
    case 'select': {
      const c = known(e.cond)
      return c === null ? null : known(c === 1 ? e.x : e.y)
    }
    case 'binary': {
      const x = known(e.x)
      const y = known(e.y)
      // one side of these decides
      if (e.op === 'and' && (x === 0 || y === 0)) return 0
      if (x === null || y === null) return null
      switch (e.op) {
        case 'add':
          return wrapped(x + y)
        case 'sub':
          return wrapped(x - y)
        case 'mul':
          return Math.imul(x, y)
        case 'quo':
          return y === 0 ? 0 : wrapped(Math.trunc(x / y))
        case 'rem':
          return y === 0 ? 0 : wrapped(x % y)
        case 'and':
          return x & y
        case 'or':
          return x | y
        case 'xor':
          return x ^ y
        default:
          return null
      }
    }
    case 'compare': {
      const x = known(e.x)
      const y = known(e.y)
      return x === null || y === null ? null : compared(e, x, y)
    }
    default:
      return null
  }
}

const given = (body: () => Steps<void>): Build<Readonly<Record<string, never>>> =>
  block(function* () {
    yield* body()
    return {}
  })

/** `pl.when(condition)(body)`. */
export const when = (label: string, condition: Condition, body: () => Steps<void>): Build<void> =>
  block(function* () {
    const decided = known(condition)
    if (decided === null)
      yield* branchWithMasks<Readonly<Record<string, TypeIndex>>>(
        label,
        condition,
        () => given(body),
        () => given(() => of(undefined)),
      )
    else if (decided === 1) yield* body()
  })

/** `lax.cond(condition, then, otherwise)`: both give the same names. */
export const cond = <C extends Readonly<Record<string, TypeIndex>>>(
  label: string,
  condition: Condition,
  then: () => Steps<Exprs<C>>,
  otherwise: () => Steps<Exprs<C>>,
): Build<Exprs<C>> =>
  block(function* () {
    const decided = known(condition)
    if (decided === null) return yield* branchWithMasks<C>(label, condition, then, otherwise)
    return yield* decided === 1 ? then() : otherwise()
  })
