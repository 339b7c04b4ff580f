/**
 * Twins: a kernel of a few lines with one hazard, and the same kernel mended.
 *
 * Both are one text: a body that is told whether to be the mended one, and differs there in one place. What a body uses is the stage
 * that is set below: tensors, storages, agents and one statement a call. Nothing here is special to a hazard.
 *
 *     twin('D1', ..., function* (fixed) {
 *       const s = yield* tile('s')
 *       const full = yield* barrier('full')                        mbarrier.init
 *       yield* together(
 *         ['producer', function* () { yield* write('write s', s); yield* arrive('arrive full', full) }],
 *         ['consumer', function* () { if (fixed) yield* wait('wait full', full, 0); yield* read('read s', s) }],
 *       )
 *     })
 *
 * What must be said of a twin stands beside it (`shows`): the verdict, the labels of the two statements that the finding must name, the
 * options without which it is no error.
 *
 * Laws
 * 1. Each twin has at most 15 statements, whatever they are: initialisations and allocations count.
 * 2. The bad one gets its verdict, with a finding of its id between the two statements; the mended one is `ok`, without a finding.
 * 3. So it is under every schedule.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../../failure.js'
import { accumulator as dataPath, accumulatorRef } from '../../../layouts/tensor-memory/accumulator.js'
import * as B from '../../../semantics/writing/builder.js'
import type { Barrier, Condition, Descriptor, Int, View } from '../../../semantics/language/expression.js'
import { float, i1, i32, slice, slot, splat } from '../../../semantics/language/expression.js'
import type { HazardId } from '../../../semantics/judging/finding.js'
import { place } from '../../../semantics/language/place.js'
import { statementsOf, type Program, type Spec } from '../../../semantics/language/program.js'
import type { Scope } from '../../../semantics/language/instruction.js'
import { validate } from '../../../semantics/language/validate.js'
import { swizzle, tile as tiling } from '../../../transforms/transform.js'

// ---------------------------------------------------------------- model

/** What the bad twin must show. */
export interface Shows {
  readonly verdict: 'hazard' | 'deadlock' | 'invalid' | 'wrong-result' | 'ok'
  /** labels of the two statements, in the finding's order; none for a program that is refused before it runs */
  readonly a?: string
  readonly b?: string
  /** contract notes are errors */
  readonly strict?: true
  /** a proxy fence is demanded before an asynchronous overwrite, too */
  readonly strictProxies?: true
}

export interface Stage {
  readonly arch?: 'sm90a' | 'sm100a'
  readonly agents?: ReadonlyArray<string>
  readonly grid?: ReadonlyArray<number>
  readonly cluster?: ReadonlyArray<number>
  readonly computes?: Spec
  /** registers of each thread, by agent */
  readonly registers?: ReadonlyArray<number>
}

export interface Twin {
  /** the id, or the id and a word where an id has several twins */
  readonly name: string
  /** the name of the bad one in the catalogue; the mended one's has `-fixed` behind it */
  readonly path: string
  readonly id: HazardId
  /** what went wrong, in one sentence */
  readonly title: string
  /** what mends it */
  readonly fix: string
  readonly shows: Shows
  /** the mended one, or the bad one: `zoo/R1-fixed`, `zoo/R1` */
  readonly program: (fixed: boolean) => E.Either<Failure, Program>
  /** as written, before anything is placed or refused */
  readonly draft: (fixed: boolean) => E.Either<Failure, Program>
}

/** A body that is told whether to be the mended one. */
export interface Text {
  readonly id: HazardId
  /** tells twins of one id apart */
  readonly word?: string
  readonly title: string
  readonly fix: string
  readonly stage?: Stage | ((fixed: boolean) => Stage)
  readonly shows: Shows
  readonly body: (fixed: boolean) => B.Steps<void>
}

// ---------------------------------------------------------------- constructors

const draftOf = (name: string, stage: Stage, body: () => B.Steps<void>): E.Either<Failure, Program> => {
  const header: B.KernelHeader = {
    name,
    arch: stage.arch ?? 'sm90a',
    grid: stage.grid ?? stage.cluster ?? [1],
    cluster: stage.cluster ?? [1],
    agents: (stage.agents ?? ['producer', 'consumer']).map((agent, i) =>
      B.warpgroup(agent, i, stage.registers?.[i]),
    ),
  }
  return B.draft(stage.computes === undefined ? header : { ...header, computes: stage.computes }, body)
}

/** The name of one of the two, as the catalogue has it: `zoo/R1`, `zoo/R1-fixed`. */
export const programName = (t: Pick<Twin, 'path'>, fixed: boolean): string =>
  `${t.path}${fixed ? '-fixed' : ''}`

const twinAt = (path: string, name: string, text: Text): Twin => {
  const { id, title, fix, stage, shows, body } = text
  const stageOf = (fixed: boolean): Stage =>
    stage === undefined ? {} : typeof stage === 'function' ? stage(fixed) : stage
  const draft = (fixed: boolean): E.Either<Failure, Program> =>
    draftOf(programName({ path }, fixed), stageOf(fixed), () => body(fixed))
  const program = (fixed: boolean): E.Either<Failure, Program> =>
    pipe(draft(fixed), E.chainW(place), E.chainW(validate))
  return { name, path, id, title, fix, shows, program, draft }
}

export const twin = (text: Text): Twin => {
  const name = text.word === undefined ? text.id : `${text.id}-${text.word}`
  return twinAt(`zoo/${name}`, name, text)
}

/** A bug that was found elsewhere, under a name of its own. */
export const foreignTwin = (name: string, text: Text): Twin => twinAt(`foreign/${name}`, name, text)

// ---------------------------------------------------------------- destructors

/** Lines of the body: statements, and a line for each loop, condition and agent. */
export const linesOf = (program: Program): number =>
  statementsOf(program.entry.body).reduce((n, s) => n + (s._tag === 'Fork' ? s.branches.length : 1), 0)

// ---------------------------------------------------------------- the stage: memory

/** A tile is 8 rows of 32 f32: 1024 bytes. */
export const tileBytes = 1024
const tileShape = [8, 32] as const

export type Tile = View<'smem', 'f32', 2>
export type Ring = View<'smem', 'f32', 3>

export const tile = (id: string): B.Build<Tile> => B.sharedMemory(id, 'f32', tileShape)
export const ring = (id: string, slots: number): B.Build<Ring> =>
  B.sharedMemory(id, 'f32', [slots, ...tileShape])

/** A tensor of 32 rows, its map for tiles. */
export interface Global {
  readonly tensor: B.Tensor<'f32', 2>
  readonly map: Descriptor<'f32', 2>
}
export const global = (
  id: string,
  role: 'in' | 'inout' | 'out' = 'inout',
  rows: number = 32,
): B.Build<Global> =>
  B.block(function* () {
    const tensor = yield* B.tensorParam(id, 'f32', [rows, 32], { role })
    return { tensor, map: yield* B.descriptorParam(`${id}_map`, tensor, tileShape) }
  })
/** 8 rows from `row`. */
export const rows = (g: Global, row: Int | number): View<'gmem', 'f32', 2> =>
  slice(g.tensor.view, [at(row), i32(0)], tileShape)

const at = (n: Int | number): Int => (typeof n === 'number' ? i32(n) : n)

/** Tiled and swizzled as the tensor core reads it: 64 x 64 f16, both operands at once. */
export const operand = (id: string): B.Build<View<'smem', 'f16', 2>> =>
  B.block(function* () {
    const t = yield* B.fromEither(tiling([8, 64]))
    const z = yield* B.fromEither(swizzle(128))
    return yield* B.sharedMemory(id, 'f16', [64, 64], [t, z])
  })

export const operandRing = (id: string, slots: number): B.Build<View<'smem', 'f16', 3>> =>
  B.block(function* () {
    const t = yield* B.fromEither(tiling([8, 64]))
    const z = yield* B.fromEither(swizzle(128))
    return yield* B.sharedMemory(id, 'f16', [slots, 64, 64], [t, z])
  })

// ---------------------------------------------------------------- the stage: agents

/** What each agent does, by its name. */
export type Roles = Readonly<Record<string, () => B.Steps<void>>>

/** The first agent starts the others, which know what it knew; at the end it joins them. */
export const together = (roles: Roles): B.Build<void> => {
  const [first, ...others] = Object.entries(roles)
  return first === undefined
    ? B.of(undefined)
    : B.fork(
        'together',
        { agent: first[0], captures: {}, body: first[1] },
        others.map(([agent, body]) => B.branch(agent, {}, body)),
      )
}

// ---------------------------------------------------------------- the stage: one statement a call

type When = Condition | undefined
const only = (when: When): B.DoOptions => (when === undefined ? {} : { when })

export const init = (label: string, barrier: Barrier, count: number = 1): B.Build<void> =>
  B.run(label, { _tag: 'mbarrier.init', barrier, count })

/** A barrier, initialised. */
export const barrier = (id: string, count: number = 1): B.Build<Barrier<'ptx'>> =>
  B.block(function* () {
    const b = yield* B.barriers(id, [])
    yield* init(`init ${id}`, b, count)
    return b
  })
/** An array of them, by index. */
export const barriers = (
  id: string,
  n: number,
  count: number = 1,
): B.Build<(index: number) => Barrier<'ptx'>> =>
  B.block(function* () {
    const all = yield* B.barriers(id, [n])
    const one = (index: number): Barrier<'ptx'> => slot(all, i32(index))
    for (let i = 0; i < n; i++) yield* init(`init ${id}[${String(i)}]`, one(i), count)
    return one
  })
/** One that the tensor core may signal and that orders it. */
export const tensorBarrier = (id: string, count: number = 1): B.Build<Barrier<'ptx', true>> =>
  B.block(function* () {
    const b = yield* B.barriers(id, [], { ordersTensorCore: true })
    yield* init(`init ${id}`, b, count)
    return b
  })
export const tensorBarriers = (id: string, n: number): B.Build<Barrier<'ptx', true, 1>> =>
  B.block(function* () {
    const all = yield* B.barriers(id, [n], { ordersTensorCore: true })
    for (let i = 0; i < n; i++) yield* init(`init ${id}[${String(i)}]`, slot(all, i32(i)))
    return all
  })
/** One under the contract of Pallas. */
export const pallasBarrier = (id: string): B.Build<Barrier<'pallas'>> =>
  B.block(function* () {
    const b = yield* B.barriers(id, [], { contract: 'pallas' })
    yield* init(`init ${id}`, b)
    return b
  })

export const wait = (label: string, b: Barrier, parity: Int | number, when?: Condition): B.Build<void> =>
  B.run(
    label,
    { _tag: 'mbarrier.wait', barrier: b, parity: at(parity), acquire: true, scope: 'cta' },
    only(when),
  )
export const arrive = (label: string, b: Barrier, scope: Scope = 'cta'): B.Build<void> =>
  B.run(label, { _tag: 'mbarrier.arrive', barrier: b, count: 1, release: true, scope })
export const expect = (label: string, b: Barrier, bytes: number = tileBytes): B.Build<void> =>
  B.run(label, {
    _tag: 'mbarrier.arriveExpectTx',
    barrier: b,
    bytes: i32(bytes),
    release: true,
    scope: 'cta',
  })
/** Bytes are announced without an arrival. */
export const expectOnly = (label: string, b: Barrier, bytes: number = tileBytes): B.Build<void> =>
  B.run(label, { _tag: 'mbarrier.expectTx', barrier: b, bytes: i32(bytes) })

export const read = (label: string, source: Tile): B.Build<unknown> => B.smemLoad(label, source)
export const write = (label: string, destination: Tile, value: number = 0): B.Build<void> =>
  B.run(label, {
    _tag: 'smem.store',
    destination,
    value: splat(float('f32', value), tileShape),
  })
export const readGlobal = (label: string, source: View<'gmem', 'f32', 2>): B.Build<unknown> =>
  B.gmemLoad(label, source)
export const writeGlobal = (label: string, destination: View<'gmem', 'f32', 2>): B.Build<void> =>
  B.run(label, { _tag: 'gmem.store', destination, value: splat(float('f32', 1), tileShape) })
/** A tile of one tensor, stored to another. */
export const copyGlobal = function* (
  label: string,
  source: View<'gmem', 'f32', 2>,
  destination: View<'gmem', 'f32', 2>,
): B.Steps<void> {
  const tile = yield* B.gmemLoad(`${label}, read`, source)
  yield* B.run(label, { _tag: 'gmem.store', destination, value: tile })
}

export const zeroAll = (label: string, destination: View<'smem', 'f32', 2>): B.Build<void> =>
  B.run(label, { _tag: 'smem.store', destination, value: splat(float('f32', 0), [64, 64]) })

/** A bulk copy of the tile at a row; `full` receives the bytes. */
export const load = (
  label: string,
  from: Global,
  row: Int | number,
  to: Tile,
  full: Barrier,
  multicast?: Int,
): B.Build<void> =>
  B.run(label, {
    _tag: 'tma.load',
    descriptor: from.map,
    coords: [at(row), i32(0)],
    destination: to,
    barrier: full,
    ctaGroup: 1,
    ...(multicast === undefined ? {} : { multicast }),
  })
/** The same with the announcement of its bytes before it: two statements. */
export const fetch = (
  label: string,
  from: Global,
  row: Int | number,
  to: Tile,
  full: Barrier,
): B.Build<void> =>
  B.block(function* () {
    yield* expect(`${label}.expect`, full)
    yield* load(label, from, row, to, full)
  })
export const store = (label: string, from: Tile, to: Global, row: Int | number): B.Build<void> =>
  B.run(label, { _tag: 'tma.store', descriptor: to.map, coords: [at(row), i32(0)], source: from })
/** Adds the tile to what is there, element by element. */
export const addTo = (label: string, from: Tile, to: Global, row: Int | number): B.Build<void> =>
  B.run(label, {
    _tag: 'tma.reduce',
    kind: 'add',
    descriptor: to.map,
    coords: [at(row), i32(0)],
    source: from,
  })
export const commitStores: B.Build<void> = B.run('commit stores', { _tag: 'bulk.commitGroup' })
/** `reads`: only the sources have to be read. */
export const waitStores = (label: string, of: 'reads' | 'all' = 'all'): B.Build<void> =>
  B.run(label, { _tag: 'bulk.waitGroup', pending: 0, read: of === 'reads' })

export const fence = (label: string, scope: 'cta' | 'cluster' | 'global' = 'cta'): B.Build<void> =>
  B.run(label, { _tag: 'fence.proxyAsync', scope })

/** Operands for the tensor core: ones, fenced. Two statements. */
export const fill = (
  label: string,
  destination: View<'smem', 'f16', 2>,
  scope: 'cta' | 'cluster' = 'cta',
): B.Build<void> =>
  B.block(function* () {
    yield* B.run(label, {
      _tag: 'smem.store',
      destination,
      value: splat(float('f16', 1), [64, 64]),
    })
    yield* fence(`${label}.fence`, scope)
  })

/** Other operands in their place, by ordinary stores: one statement. */
export const refill = (label: string, destination: View<'smem', 'f16', 2>): B.Build<void> =>
  B.run(label, { _tag: 'smem.store', destination, value: splat(float('f16', 2), [64, 64]) })

// ---------------------------------------------------------------- the stage: Hopper's tensor core

/** A fragment of a warpgroup: 64 x 64 sums in its registers. */
export const fragment = (id: string, agent: string): B.Build<View<'regs', 'f32', 2>> =>
  B.registers(id, agent, 'f32', [64, 64])
export const zero = (label: string, destination: View<'regs', 'f32', 2>): B.Build<void> =>
  B.run(label, { _tag: 'regs.write', destination, value: splat(float('f32', 0), [64, 64]) })
export const readFragment = (label: string, source: View<'regs', 'f32', 2>): B.Build<unknown> =>
  B.regsRead(label, source)
export const wgmmaFence: B.Build<void> = B.run('wgmma.fence', { _tag: 'wgmma.fence' })
export const wgmma = (
  label: string,
  accumulator: View<'regs', 'f32', 2>,
  s: View<'smem', 'f16', 2>,
): B.Build<void> =>
  B.run(label, {
    _tag: 'wgmma.mma',
    accumulator,
    a: s,
    b: s,
    scaleD: i1(false),
    negateA: false,
    negateB: false,
  })
export const commitWgmma: B.Build<void> = B.run('commit wgmma', { _tag: 'wgmma.commitGroup' })
export const waitWgmma = (label: string, pending: number): B.Build<void> =>
  B.run(label, { _tag: 'wgmma.waitGroup', pending })

// ---------------------------------------------------------------- the stage: Blackwell's tensor core

export type Accumulator = View<'tmem', 'f32', 2>
/** 64 x `columns` sums, spread over the quarters of the lanes as the tensor core wants 64 rows; `member`: one of two that share their columns. */
export const accumulator = (id: string, columns: number = 64, member?: 0 | 1): B.Build<Accumulator> =>
  B.block(function* () {
    const layout = accumulatorRef(yield* B.fromEither(dataPath('F', columns)), 32)
    return yield* B.tensorMemory(
      id,
      'f32',
      [64, columns],
      member === undefined ? { layout } : { layout, alias: { union: 'shared', member } },
    )
  })
export const allocate = (label: string = 'allocate', columns: number = 64): B.Build<void> =>
  B.run(label, { _tag: 'tcgen05.alloc', columns, ctaGroup: 1 })
export const deallocate = (label: string = 'deallocate', columns: number = 64): B.Build<void> =>
  B.run(label, { _tag: 'tcgen05.dealloc', columns, ctaGroup: 1 })

export const mma = (
  label: string,
  acc: Accumulator,
  s: View<'smem', 'f16', 2>,
  accumulate: boolean = false,
): B.Build<void> =>
  B.run(label, {
    _tag: 'tcgen05.mma',
    accumulator: acc,
    a: s,
    b: s,
    accumulate: i1(accumulate),
    ctaGroup: 1,
    completions: [],
  })
/** An arrival when the tensor core has done what this agent gave it so far. */
export const commit = (label: string, b: Barrier<'ptx', true>): B.Build<void> =>
  B.run(label, { _tag: 'tcgen05.commit', barrier: b, ctaGroup: 1 })
export const loadAccumulator = (
  label: string,
  acc: Accumulator,
  into: View<'regs', 'f32', 2>,
): B.Build<void> => B.run(label, { _tag: 'tcgen05.ld', source: acc, destination: into })
export const storeAccumulator = (label: string, acc: Accumulator): B.Build<void> =>
  B.run(label, {
    _tag: 'tcgen05.st',
    destination: acc,
    value: splat(float('f32', 0), [64, 64]),
  })
export const waitLoads = (label: string): B.Build<void> => B.run(label, { _tag: 'tcgen05.waitLd' })
export const waitAccumulator = (label: string): B.Build<void> => B.run(label, { _tag: 'tcgen05.waitSt' })
/** Before and after a handshake that carries no tensor-core order. */
export const fenceBefore: B.Build<void> = B.run('before_thread_sync', { _tag: 'tcgen05.fenceBefore' })
export const fenceAfter: B.Build<void> = B.run('after_thread_sync', { _tag: 'tcgen05.fenceAfter' })

// ---------------------------------------------------------------- the stage: pairs of CTAs

/** 128 x 128 sums of a pair: 64 rows in each CTA. */
export const pairAccumulator = (id: string): B.Build<Accumulator> =>
  B.block(function* () {
    const layout = yield* B.fromEither(dataPath('B', 128))
    return yield* B.tensorMemory(id, 'f32', [64, 128], { layout: accumulatorRef(layout, 32) })
  })
export const allocatePair = (label: string, columns: number, when?: Condition): B.Build<void> =>
  B.run(label, { _tag: 'tcgen05.alloc', columns, ctaGroup: 2 }, only(when))
export const deallocatePair = (label: string, columns: number, when?: Condition): B.Build<void> =>
  B.run(label, { _tag: 'tcgen05.dealloc', columns, ctaGroup: 2 }, only(when))
export const mmaPair = (
  label: string,
  acc: Accumulator,
  s: View<'smem', 'f16', 2>,
  when?: Condition,
): B.Build<void> =>
  B.run(
    label,
    {
      _tag: 'tcgen05.mma',
      accumulator: acc,
      a: s,
      b: s,
      accumulate: i1(false),
      ctaGroup: 2,
      completions: [],
    },
    only(when),
  )
export const commitPair = (label: string, b: Barrier<'ptx', true>, when?: Condition): B.Build<void> =>
  B.run(label, { _tag: 'tcgen05.commit', barrier: b, multicast: i32(3), ctaGroup: 2 }, only(when))

// ---------------------------------------------------------------- the stage: clusters

/** Every agent of the cluster arrives and waits: two statements. Relaxed, it publishes nothing. */
export const clusterMeets = (label: string, relaxed: boolean = false): B.Build<void> =>
  B.block(function* () {
    yield* B.run(`${label}.arrive`, { _tag: 'cluster.arrive', relaxed })
    yield* B.run(`${label}.wait`, { _tag: 'cluster.wait' })
  })
