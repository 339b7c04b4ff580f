/**
 * Scoped allocations: memory for the time of a body.
 *
 * | `run_scoped(body, SMEM(...), TMEM(...), Barrier(...), ACC(...))`  | what the body is given, for as long as it runs                |
 * | `run_state(body)(ACC.init(x))`                                    | accumulators that start with x; their last values are given   |
 *
 * Shared and tensor memory are a stack: a scope begins where the one around it ends, and the next scope begins there again. So two scopes one
 * after the other lie at the same bytes:
 *
 *     run_scoped A  (a of 4 KiB                       a   bytes 0 .. 4095
 *       run_scoped B  (b of 2 KiB)                    b   bytes 4096 .. 6143
 *       run_scoped C  (c of 8 KiB)                    c   bytes 4096 .. 12287
 *     )
 *     run_scoped D  (d of 2 KiB)                      d   bytes 0 .. 2047
 *
 * What a body leaves running (a copy, a product) meets the next scope's data: the detector says so. Barriers are initialised before the block
 * starts, wherever they are allocated (`kernel.ts`), and are not used again by other scopes: the reference's pool gives them out again.
 *
 * In a kernel of several threads allocations are made by all of them together (`collective`): every thread runs the scope, under the same label,
 * and is given the same refs. The threads meet on entering, so that all have left what lay there before. Accumulators are the
 * thread's own.
 *
 * Laws
 * 1. The bytes of a scope are free of those of the scopes around it; scopes that are not around each other begin at the same byte.
 * 2. All threads of a collective scope are given the same refs, and the threads meet before it.
 * 3. An accumulator is zero when the body of `run_scoped` begins, and what it was given when that of `run_state` does.
 * 4. `run_state` ends with `wgmma_wait(0)` and gives what the accumulators hold then.
 *
 * Names: `pl.run_scoped(body, *types, collective_axes=...)`, `pl.run_state(body)(*arguments)`.
 *
 * Source: JAX docs, Pallas:MGPU reference (allocation, accumulators); Mosaic GPU's lowering of scopes.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../failure.js'
import {
  build,
  fromEither,
  regsRead,
  scope,
  sequence,
  surrounding,
  whereIAm,
  within,
  type Build,
  type ElementIndex,
  type State,
  type Steps,
  type Surrounding,
} from '../../semantics/writing/builder.js'
import { amend } from '../../semantics/writing/builder/state.js'
import type { Tile } from '../../semantics/language/expression.js'
import { checked } from '../../semantics/language/index-types.js'
import { usedOf } from '../../semantics/language/place.js'
import type { Storage } from '../../semantics/language/program.js'
import { initAccumulator, type Accumulator, type AccumulatorDtype } from './accumulator.js'
import { initBarrier, isBarrier } from './barrier.js'
import { refuse, refused, type Code } from './codes.js'
import { contextHere } from './context.js'
import { blockSync } from './kernel.js'
import {
  alignmentOf,
  columnsUsed,
  declareStorage,
  declaredStorage,
  declaring,
  isCollective,
  placed,
  unionName,
  type Results,
} from './memory.js'
import { sameMasks } from './parities.js'
import { wgmmaWait } from './wgmma.js'

// ---------------------------------------------------------------- what was allocated

const isAccumulator = (x: unknown): x is Accumulator<AccumulatorDtype> =>
  typeof x === 'object' && x !== null && '_tag' in x && x._tag === 'Accumulator'

/** The results of allocations, unions opened. */
const leaves = (x: unknown): ReadonlyArray<unknown> => (Array.isArray(x) ? x.flatMap(leaves) : [x])

// ---------------------------------------------------------------- the stack

/** The union that all scoped memory is in: what is given out again overlaps what lay there. */
const stackUnion = ': run_scoped'

type Stacked = 'smem' | 'tmem'
const inStack = (s: Storage): boolean =>
  s.contents._tag === 'elements' && (s.space === 'smem' || s.space === 'tmem')
const isStacked = (s: Storage): boolean => s.alias?.union.startsWith(stackUnion) ?? false

/** Storages at their offsets from the scope's start, each a member of its own. */
const stacked = (
  label: string,
  storage: ReadonlyArray<Storage>,
  member: number,
): E.Either<Failure, ReadonlyArray<Storage>> => {
  const mine = storage.filter(inStack)
  const columns = columnsUsed(mine)
  if (columns > 512)
    return refuse(
      'pallas.tmem.columns',
      `${label}: its tensor memory takes ${String(columns)} columns, exceeding the limit of 512`,
    )
  return pipe(
    placed(mine),
    E.map((laid) => [
      ...laid.map((s, k): Storage => ({
        ...s,
        alias: { union: unionName(stackUnion, isCollective(s)), member: member + k },
      })),
      ...storage.filter((s) => !inStack(s)),
    ]),
  )
}

const lengths = (storage: ReadonlyArray<Storage>): Readonly<Record<Stacked, number>> => {
  const up = (space: Stacked): number =>
    alignmentOf[space] * Math.ceil(usedOf(storage.filter(inStack), space) / alignmentOf[space])
  return { smem: up('smem'), tmem: up('tmem') }
}

/** What was allocated in the body lies behind what the scope allocated. */
const raised = (before: ReadonlySet<string>, by: Readonly<Record<Stacked, number>>): Build<void> =>
  build((state: State) => {
    const storage = new Map(
      [...state.storage].map(([id, s]): readonly [string, Storage] =>
        before.has(id) || !isStacked(s)
          ? [id, s]
          : [id, { ...s, offset: (s.offset ?? 0) + by[s.space === 'tmem' ? 'tmem' : 'smem'] }],
      ),
    )
    return E.right([undefined, amend(state, { storage })])
  })

// ---------------------------------------------------------------- scopes

const sameAllocation = (a: Storage, b: Storage): boolean =>
  a.bits === b.bits && JSON.stringify(a.contents) === JSON.stringify(b.contents)

/** Storages of the scopes around. */
const live: Surrounding<ReadonlyArray<string>> = surrounding<ReadonlyArray<string>>('pallas.live', [])

/** Why the threads cannot allocate this, or null. */
const why = (
  storage: ReadonlyArray<Storage>,
  results: ReadonlyArray<unknown>,
  collective: boolean,
  numThreads: number,
): readonly [Code, string] | null => {
  const shared = storage.find((s) => s.space !== 'regs')
  const acc = results.find(isAccumulator)
  if (shared !== undefined && numThreads > 1 && !collective)
    return [
      'pallas.scoped.threads',
      `${shared.id}: only thread-collective allocations are supported in a kernel of ${String(numThreads)} threads; say collective if all threads are to share it`,
    ]
  if (acc !== undefined && collective)
    return [
      'pallas.scoped.accumulator',
      `${acc.name}: an accumulator can only be allocated by one thread for itself; give it a scope of its own that is not collective`,
    ]
  if (acc !== undefined && acc.init !== null)
    return [
      'pallas.acc.init',
      `${acc.name}: ACC.init is for run_state: an accumulator of run_scoped starts at zero`,
    ]
  return null
}

export interface ScopeOptions {
  /** `collective_axes=thread_name`: one allocation for all threads (default false) */
  readonly collective?: boolean
}

/** `pl.run_scoped(body, *types, collective_axes=...)`: the result of the body. */
export const runScoped = <const A extends ReadonlyArray<Build<unknown>>, R>(
  label: string,
  allocations: A,
  body: (...refs: Results<A>) => Steps<R>,
  { collective = false }: ScopeOptions = {},
): Build<R> =>
  scope(label, function* () {
    const { numThreads } = yield* contextHere
    const { result, storage } = yield* declaring(sequence(allocations))
    const wanted = [...storage.values()]
    const flat = leaves(result)
    const no = why(wanted, flat, collective, numThreads)
    if (no !== null) return yield* refused(no[0], `${label}: ${no[1]}`)
    if (collective && numThreads > 1) yield* blockSync('enter', numThreads)

    const declared = yield* declaredStorage
    const around = yield* whereIAm(live)
    const twice = wanted.find(({ id }) => around.includes(id))
    if (twice !== undefined)
      return yield* refused(
        'pallas.scoped.live',
        `${label}: ${twice.id} is allocated by a scope around this one`,
      )
    const known = collective ? wanted.filter(({ id }) => declared.has(id)) : []
    const other = wanted.find((s) => {
      const before = declared.get(s.id)
      return known.length > 0 && (before === undefined || !sameAllocation(before, s))
    })
    if (other !== undefined)
      return yield* refused(
        'pallas.scoped.differs',
        `${label}: all threads must make the same collective allocation, but ${other.id} is not what another thread allocated`,
      )
    const laid = yield* fromEither(stacked(label, wanted, declared.size))
    if (known.length === 0) {
      yield* declareStorage(laid)
      for (const one of flat) if (isBarrier(one)) yield* initBarrier(one)
    }
    for (const one of flat) if (isAccumulator(one)) yield* initAccumulator(`${one.name} := 0`, one)

    const before = new Set((yield* declaredStorage).keys())
    const inside = [...around, ...wanted.map(({ id }) => id)]
    const given = yield* sameMasks<R>((steps) => within(live, inside)(steps))(() =>
      body(...checked<Results<A>, unknown>(result)),
    )
    yield* raised(before, lengths(laid))
    return given
  })

// ---------------------------------------------------------------- state

/** What accumulators hold. */
export type Held<A extends ReadonlyArray<Build<unknown>>> = {
  readonly [K in keyof A]: A[K] extends Build<Accumulator<infer D>> ? Tile<ElementIndex<D>, 2> : never
}

/** `pl.run_state(body)(*ACC.init(...))`: the contents of the accumulators when all products are done. */
export const runState = <const A extends ReadonlyArray<Build<unknown>>>(
  label: string,
  accumulators: A,
  body: (...refs: Results<A>) => Steps<void>,
): Build<Held<A>> =>
  scope(label, function* () {
    const result = yield* sequence(accumulators)
    if (result.length === 0)
      return yield* refused(
        'pallas.state.accumulator',
        `${label}: expected at least one accumulator, found none`,
      )
    const all: Accumulator<AccumulatorDtype>[] = []
    for (const one of result) {
      if (!isAccumulator(one))
        return yield* refused(
          'pallas.state.accumulator',
          `${label}: expected accumulators, found another allocation at ${String(all.length)}`,
        )
      if (one.init === null)
        return yield* refused(
          'pallas.state.uninitialised',
          `${label}: ${one.name} has no first value: expected ACC.init`,
        )
      all.push(one)
    }
    for (const one of all) yield* initAccumulator(`${one.name} := init`, one)
    yield* body(...checked<Results<A>, unknown>(result))
    yield* wgmmaWait('await', 0)
    const values: Tile[] = []
    for (const one of all) values.push(yield* regsRead(`${one.name}[...]`, one.view, { layout: one.layout }))
    return checked<Held<A>, unknown>(values)
  })
