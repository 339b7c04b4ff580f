/**
 * Allocations: `run_scoped`, `run_state`, and what they give to their bodies.
 *
 * | type of a parameter            | becomes                                                                                       |
 * |--------------------------------|-----------------------------------------------------------------------------------------------|
 * | a ref in SMEM                  | `SMEM` of the shape that its author sees, under its transforms, or under those that are inferred |
 * | a ref in TMEM                  | `TMEM` in its layout                                                                           |
 * | barriers                       | `Barrier`, or `ClusterBarrier` where it has axes                                                |
 * | a union of refs                | `RefUnion`                                                                                     |
 * | an accumulator                 | `ACC` of the thread                                                                            |
 * | semaphores                     | `Semaphore`: one for all blocks where all axes are collective, else one for each                |
 *
 * A scope over the threads (`collective_axes` is their axis) is one allocation for all of them, and they meet on entering; in a kernel of one thread
 * that is its own. `run_state` keeps accumulators and values: what it is given of refs goes through as it is. Its results are what its body returns, and behind
 * that what it keeps at the end, as many as it keeps: so a body that returns nothing gives the last state, and one that returns a value gives that value, as JAX
 * lowers it for Mosaic GPU.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { unreachable, type Failure } from '../../failure.js'
import { block, build, of, type Build, type State, type Steps } from '../../semantics/writing/builder.js'
import { amend } from '../../semantics/writing/builder/state.js'
import * as X from '../../semantics/language/expression.js'
import type { Expr, Int, Tile, View } from '../../semantics/language/expression.js'
import { checked } from '../../semantics/language/index-types.js'
import { sameShape, sizeOf } from '../../transforms/shape.js'
import * as Transforms from '../../transforms/transform.js'
import * as Pallas from '../pallas/index.js'
import type { Eqn, RefType, Transform, Type, UnionType, Var } from './document.js'
import { inside, refusedAt, type Here, type Row, type Rows } from './here.js'
import { isArrayType, isRefType } from './kinds.js'
import { tensorMemoryLayoutOf } from './layouts.js'
import { dtypeHere, jaxprOf, number, operands, words } from './operands.js'
import {
  isRef,
  showKind,
  type ArrayValue,
  type Elaborated,
  type Ref,
  type SmemRef,
  type TmemRef,
} from './values.js'

// ---------------------------------------------------------------- shared memory

/** The shape that leads from what lies there through the transforms. */
const seenShape = (
  lies: ReadonlyArray<number>,
  transforms: ReadonlyArray<Transform>,
): ReadonlyArray<number> =>
  transforms.reduce((shape, t) => {
    if (t.untile !== undefined) {
      const rank = t.untile.length
      const cut = shape.length - 2 * rank
      return [...shape.slice(0, cut), ...t.untile.map((size, k) => (shape[cut + k] ?? 1) * size)]
    }
    return t.transpose === undefined ? shape : t.transpose.map((d) => shape[d] ?? 1)
  }, lies)

const inverse = (permutation: ReadonlyArray<number>): ReadonlyArray<number> =>
  permutation.map((_, d) => permutation.indexOf(d))

/** From the shape that is seen to what lies there. */
const allocated = function* (
  h: Here,
  eqn: Eqn,
  transforms: ReadonlyArray<Transform>,
): Steps<ReadonlyArray<Transforms.Transform>> {
  const made: Transforms.Transform[] = []
  for (const t of [...transforms].reverse()) {
    const one: E.Either<Failure, Transforms.Transform> | null =
      t.untile !== undefined
        ? Transforms.tile(t.untile)
        : t.unswizzle !== undefined
          ? Transforms.swizzle(t.unswizzle)
          : t.transpose !== undefined
            ? Transforms.transpose(inverse(t.transpose))
            : null
    if (one === null || E.isLeft(one))
      return yield* refusedAt(
        h,
        eqn,
        'jaxpr.view',
        'a tiling, a swizzle or a transposition of an allocation',
        JSON.stringify(t),
      )
    made.push(one.right)
  }
  return made
}

const smem = function* (
  h: Here,
  eqn: Eqn,
  name: string,
  type: RefType,
  inferred: ReadonlyArray<Transform> | undefined,
): Steps<Allocation> {
  const dtype = yield* dtypeHere(h, eqn, type.dtype)
  const physical = type.transforms ?? []
  // what is inferred is said of the shape that is seen
  const transforms = yield* allocated(h, eqn, physical.length === 0 ? (inferred ?? []) : physical)
  return {
    declare: Pallas.SMEM(name, dtype, seenShape(type.shape, physical), { transforms }),
    ref: (view): SmemRef => ({
      _tag: 'smem',
      name,
      dtype,
      view: checked<View<'smem'>, unknown>(view),
      physical,
    }),
  }
}

// ---------------------------------------------------------------- one allocation

/** What is declared, and the ref that it becomes. */
interface Allocation {
  readonly declare: Build<unknown>
  readonly ref: (declared: unknown) => Ref
}

/** A batch lies behind each other in the columns: (m, b n) is seen as (b, m, n). */
const leadingShape = (
  lies: ReadonlyArray<number>,
  transforms: ReadonlyArray<Transform>,
): ReadonlyArray<number> =>
  transforms.reduce<ReadonlyArray<number>>((shape, { expandLeading }) => {
    const [rows = 1, columns = 1] = shape.slice(-2)
    return expandLeading === undefined
      ? shape
      : [...expandLeading, ...shape.slice(0, -2), rows, columns / sizeOf(expandLeading)]
  }, lies)

const tmem = function* (h: Here, eqn: Eqn, name: string, type: RefType): Steps<Allocation> {
  const dtype = yield* dtypeHere(h, eqn, type.dtype)
  const collective = type.collective === true
  const how =
    type.layout != null
      ? { layout: yield* tensorMemoryLayoutOf(h, eqn, type.layout) }
      : type.packed != null
        ? { packed: type.packed }
        : {}
  return {
    declare: Pallas.TMEM(
      name,
      dtype,
      leadingShape(type.shape, type.transforms ?? []),
      collective ? { ...how, collective } : how,
    ),
    ref: (view): TmemRef => ({
      _tag: 'tmem',
      name,
      dtype,
      view: checked<View<'tmem'>, unknown>(view),
      physical: type.transforms ?? [],
      collective,
    }),
  }
}

const accumulatorDtypes: ReadonlyArray<string> = ['f16', 'f32', 'i32']
const accumulatorDtype = (h: Here, eqn: Eqn, name: string): Build<Pallas.AccumulatorDtype> =>
  accumulatorDtypes.includes(name)
    ? of(checked<Pallas.AccumulatorDtype, string>(name))
    : refusedAt(h, eqn, 'jaxpr.dtype', 'an accumulator of f16, f32 or i32', name)

/** The name of what belongs to a thread. */
const ofThread = (label: string, name: string): Build<readonly [name: string, thread: string]> =>
  block(function* () {
    const thread = yield* Pallas.threadHere(label)
    const { numThreads } = yield* Pallas.contextHere
    return [numThreads > 1 ? `${name}_${thread.name}` : name, thread.name]
  })

/** Number of this block among all. */
const blockHere: Build<{ readonly index: Int; readonly count: number }> = block(function* () {
  const { axes, cluster } = yield* Pallas.contextHere
  const grid = sizeOf(axes.filter((a) => a.of === 'grid').map((a) => a.size))
  const blocks = sizeOf(cluster)
  const index = axes
    .filter((a) => a.of === 'grid' || a.of === 'cluster')
    .reduce<Int | null>(
      (sum, a) => (sum === null ? a.index : X.add(X.mul(sum, X.i32(a.size)), a.index)),
      null,
    )
  return { index: index ?? X.i32(0), count: grid * blocks }
})

/** All threads are given one: a parameter of the program that the first declares. */
const once = (name: string, declare: Build<Pallas.Semaphore>): Build<Pallas.Semaphore> =>
  build((state: State) =>
    state.params.has(name)
      ? pipe(
          declare.run(amend(state, { params: new Map() })),
          E.map(([semaphore, after]) => [semaphore, amend(after, { params: state.params })]),
        )
      : declare.run(state),
  )

/** Semaphores: those of every block, or one for all. */
export const semaphores = (
  name: string,
  kind: 'regular' | 'barrier',
  shape: ReadonlyArray<number>,
  ofBlock: boolean,
): Build<Ref> =>
  block(function* () {
    const { index, count } = yield* blockHere
    const each = sizeOf(shape)
    const own = ofBlock && count > 1
    const semaphore = yield* once(
      name,
      Pallas.Semaphore(name, { type: kind, shape: own ? [count * each] : shape }),
    )
    const base = !own ? null : each === 1 ? index : X.mul(index, X.i32(each))
    return { _tag: 'semaphore', semaphore, shape, base }
  })

const unionOf = function* (h: Here, eqn: Eqn, name: string, type: UnionType): Steps<Allocation> {
  const members: {
    readonly group: number
    readonly position: number
    readonly type: RefType
    readonly of: Allocation
  }[] = []
  for (const [group, types] of type.union.entries())
    for (const [position, one] of types.entries()) {
      const own = `${name}.${String(group)}.${String(position)}`
      const t: Type = one
      if (!isRefType(t) || (t.ref !== 'smem' && t.ref !== 'tmem'))
        return yield* refusedAt(
          h,
          eqn,
          'jaxpr.operand',
          'refs in SMEM or TMEM as members of a union',
          JSON.stringify(one),
        )
      const of_ = t.ref === 'smem' ? yield* smem(h, eqn, own, t, undefined) : yield* tmem(h, eqn, own, t)
      members.push({ group, position, type: t, of: of_ })
    }
  const groups = type.union.map((_, group) =>
    members.filter((m) => m.group === group).map((m) => m.of.declare),
  )
  return {
    declare: Pallas.RefUnion(name, ...groups),
    ref: (declared) => {
      const given = checked<ReadonlyArray<ReadonlyArray<unknown>>, unknown>(declared)
      return {
        _tag: 'union',
        name,
        members: members.map(({ group, position, type: t, of: one }) => ({
          group,
          position,
          dtype: t.dtype,
          shape: t.shape,
          ref: checked<SmemRef | TmemRef, Ref>(one.ref(given[group]?.[position])),
        })),
      }
    },
  }
}

const allocationOf = function* (
  h: Here,
  eqn: Eqn,
  variable: Var,
  label: string,
  axes: ReadonlyArray<string>,
): Steps<Allocation> {
  const { type } = variable
  const name = h.names.of(variable, h.chain)
  if ('barrier' in type) {
    const { shape, numArrivals, ordersTensorCore = false, cluster } = type.barrier
    const options = { numArrivals, numBarriers: shape, ordersTensorCore }
    return {
      declare:
        cluster == null
          ? Pallas.Barrier(name, options)
          : Pallas.ClusterBarrier(name, {
              ...options,
              collectiveAxes: cluster.axes,
              leaderTracked: cluster.leaderTracked === true,
            }),
      ref: (barrier) => ({ _tag: 'barrier', barrier: checked<Pallas.Barrier, unknown>(barrier) }),
    }
  }
  if ('semaphore' in type) {
    const { kind, shape } = type.semaphore
    const { axes: all } = yield* Pallas.contextHere
    const ofBlock = !all.every((a) => a.of === 'warps' || axes.includes(a.name))
    return {
      declare: semaphores(name, kind, shape, ofBlock),
      ref: (ref) => checked<Ref, unknown>(ref),
    }
  }
  if ('union' in type) return yield* unionOf(h, eqn, name, type)
  if (!isRefType(type))
    return yield* refusedAt(h, eqn, 'jaxpr.operand', 'a ref that is allocated', JSON.stringify(type))
  if (type.accumulator === true) {
    const [own, thread] = yield* ofThread(label, name)
    const dtype = yield* accumulatorDtype(h, eqn, type.dtype)
    const [m = 0, n = 0] = type.shape
    return {
      declare: Pallas.ACC(own, thread, dtype, [m, n]),
      ref: (acc) => ({
        _tag: 'accumulator',
        acc: checked<Pallas.Accumulator<Pallas.AccumulatorDtype>, unknown>(acc),
      }),
    }
  }
  switch (type.ref) {
    case 'smem':
      return yield* smem(h, eqn, name, type, h.inferred.transforms.get(variable.v))
    case 'tmem':
      return yield* tmem(h, eqn, name, type)
    case 'gmem': {
      const dtype = yield* dtypeHere(h, eqn, type.dtype)
      return {
        declare: Pallas.GMEM(name, dtype, type.shape),
        ref: (view) => ({
          _tag: 'gmem',
          name,
          dtype,
          tensor: null,
          view: checked<View<'gmem'>, unknown>(view),
          shape: type.shape,
        }),
      }
    }
    case 'regs':
      return yield* refusedAt(h, eqn, 'jaxpr.operand', 'memory, or an accumulator', 'registers')
  }
}

// ---------------------------------------------------------------- scopes

const runScoped: Row = function* (h, eqn, label) {
  const consts = yield* operands(h, eqn)
  const body = yield* jaxprOf(h, eqn, 'body')
  const count = yield* number(h, eqn, 'allocations', 0)
  const axes = yield* words(h, eqn, 'collectiveAxes')
  const parameters = h.document.jaxprs[body]?.in ?? []
  const own = parameters.slice(parameters.length - count)
  const { axes: all, thread, numThreads } = yield* Pallas.contextHere
  const threads = all.find((a) => a.of === 'threads')
  const other = axes.find(
    (name) => name !== threads?.name && all.find((a) => a.name === name)?.of !== 'threads',
  )
  const onlySemaphores = own.every(({ type }) => 'semaphore' in type)
  if (other !== undefined && !onlySemaphores)
    return yield* refusedAt(
      h,
      eqn,
      'jaxpr.param',
      `allocations of a thread, or of all threads of a block${threads === undefined ? '' : ` (${threads.name})`}`,
      `collective_axes ${axes.join(', ')}`,
    )
  const allocations: Allocation[] = []
  for (const variable of own) allocations.push(yield* allocationOf(h, eqn, variable, label, axes))
  const collective = threads !== undefined && axes.includes(threads.name) && thread !== null && numThreads > 1
  return yield* Pallas.runScoped(
    label,
    allocations.map(({ declare }) => declare),
    (...declared: ReadonlyArray<unknown>) =>
      block(() => h.run(h, body, [...consts, ...allocations.map((one, k) => one.ref(declared[k]))])),
    { collective },
  )
}

// ---------------------------------------------------------------- state

const isAccumulator = ({ type }: Var): boolean => isRefType(type) && type.accumulator === true

const runState: Row = function* (h, eqn, label) {
  const inits = yield* operands(h, eqn)
  const body = yield* jaxprOf(h, eqn, 'body')
  const parameters = h.document.jaxprs[body]?.in ?? []
  if (inits.length !== parameters.length)
    return yield* refusedAt(
      h,
      eqn,
      'jaxpr.operand',
      'a value that every ref begins with',
      `${String(inits.length)} for ${String(parameters.length)} refs`,
    )
  /** Does this one begin here, with an array? One from around is that one. */
  const begins = (variable: Var, k: number): boolean =>
    isAccumulator(variable) && inits[k]?._tag !== 'accumulator'
  const accumulators: Build<unknown>[] = []
  for (const [k, variable] of parameters.entries()) {
    if (!begins(variable, k)) continue
    const init = inits[k]
    if (init?._tag !== 'array')
      return yield* refusedAt(
        h,
        eqn,
        'jaxpr.operand',
        'an array that an accumulator begins with',
        showKind(init),
      )
    const [own, thread] = yield* ofThread(label, h.names.of(variable, h.chain))
    const dtype = yield* accumulatorDtype(h, eqn, init.dtype)
    accumulators.push(
      Pallas.ACC.init(own, thread, dtype, checked<Tile<Pallas.AccumulatorDtype, 2>, Expr>(init.tile)),
    )
  }
  const args: (Elaborated | null)[] = parameters.map((variable, k): Elaborated | null => {
    const init = inits[k]
    if (init === undefined || begins(variable, k)) return null
    return isRef(init) ? init : { _tag: 'cell', cell: { value: init } }
  })
  let returned: ReadonlyArray<Elaborated | null> = []
  const inner = function* (refs: ReadonlyArray<unknown>): Steps<void> {
    returned = yield* bodyOf(h, body, args, refs)
  }
  const held =
    accumulators.length === 0
      ? yield* block(() => inner([]))
      : yield* Pallas.runState(label, accumulators, (...refs: ReadonlyArray<unknown>) =>
          block(() => inner(refs)),
        )
  let next = 0
  const kept: (Elaborated | null)[] = []
  const passed = parameters.map((variable, k): Elaborated | null => {
    const [arg, init] = [args[k], inits[k]]
    if (!begins(variable, k)) {
      if (arg?._tag === 'cell') kept.push(arg.cell.value)
      return arg ?? null
    }
    if (init?._tag !== 'array' || held === undefined)
      return unreachable('an accumulator begins with an array')
    kept.push({ ...init, tile: checked<ArrayValue['tile'], unknown>(held[next++]) })
    return null
  })
  const results = [...returned, ...kept]
  let given = 0
  const out: (Elaborated | null)[] = []
  for (const [k, variable] of parameters.entries()) {
    const isKept = begins(variable, k) || args[k]?._tag === 'cell'
    const one = isKept ? (results[given++] ?? null) : (passed[k] ?? null)
    const wanted = eqn.out?.[k]?.type
    if (isKept && wanted !== undefined && !isOfType(one, wanted))
      return yield* refusedAt(
        h,
        eqn,
        'jaxpr.operand',
        `a body that returns nothing, or first what becomes result ${String(k)}, ${JSON.stringify(wanted)}: JAX takes what the body returns for the last states`,
        showKind(one ?? undefined),
      )
    out.push(one)
  }
  return out
}

/** Is it a number or an array of this type? */
const isOfType = (x: Elaborated | null, type: Type): boolean =>
  x !== null &&
  isArrayType(type) &&
  (x._tag === 'array'
    ? x.dtype === type.dtype && sameShape(x.shape, type.shape)
    : x._tag === 'scalar' && x.dtype === type.dtype && type.shape.length === 0)

const bodyOf = function* (
  h: Here,
  body: number,
  args: ReadonlyArray<Elaborated | null>,
  refs: ReadonlyArray<unknown>,
): Steps<ReadonlyArray<Elaborated | null>> {
  let next = 0
  return yield* h.run(
    inside(h),
    body,
    args.map((arg): Elaborated | null => {
      if (arg !== null) return arg
      const acc = checked<Pallas.Accumulator<Pallas.AccumulatorDtype>, unknown>(refs[next++])
      return { _tag: 'accumulator', acc }
    }),
  )
}

// ---------------------------------------------------------------- of the whole kernel

/** Semaphores that all blocks of all launches of the kernel share. */
const getGlobal: Row = function* (h, eqn, label) {
  const out = eqn.out?.[0]
  if (out == null || !('semaphore' in out.type))
    return yield* refusedAt(h, eqn, 'jaxpr.operand', 'semaphores', JSON.stringify(out?.type ?? null))
  const { kind, shape } = out.type.semaphore
  return [yield* semaphores(out.name === undefined ? label : h.names.of(out, ''), kind, shape, false)]
}

export const allocationRows: Rows = { run_scoped: runScoped, run_state: runState, get_global: getGlobal }
