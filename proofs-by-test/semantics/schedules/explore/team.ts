/**
 * Programs of a few agents, a list of short words each: what skeletons have no words for (atomics, semaphores, split barriers, scopes, forks, tensor
 * maps, barriers that are given up).
 */
import type { AtomicOp, Scope } from '../../../../src/semantics/language/instruction.js'
import * as B from '../../../../src/semantics/writing/builder.js'
import * as X from '../../../../src/semantics/language/expression.js'
import type { Program } from '../../../../src/semantics/language/program.js'
import { right } from '../../../either.js'

/** What all agents of a team have. */
export interface Things {
  readonly x: X.View<'smem', 'i32', 1>
  readonly y: X.View<'smem', 'i32', 1>
  readonly g: B.Tensor<'i32', 1>
  readonly h: B.Tensor<'i32', 1>
  /** counters */
  readonly c: B.Tensor<'i32', 1>
  readonly d: B.Tensor<'i32', 1>
  readonly toG: X.Descriptor<'i32'>
  readonly bs: ReadonlyArray<X.Barrier<'ptx', false, 0>>
}

export type Word = (t: Things) => B.Build<unknown>

const ones: X.Tile<'i32', 1> = X.splat<'i32', 1>(X.i32(1), [4])
let label = 0
const next = (what: string): string => `${what} ${String(label++)}`

// ---------------------------------------------------------------- words

export const wr: Word = (t) => B.run(next('write x'), { _tag: 'smem.store', destination: t.x, value: ones })
export const rd: Word = (t) => B.smemLoad(next('read x'), t.x)
/** The x of another CTA, by its rank. */
export const rdFar =
  (rank: number): Word =>
  (t) =>
    B.smemLoad(next('read far'), X.remote(t.x, X.i32(rank)))
export const wrY: Word = (t) => B.run(next('write y'), { _tag: 'smem.store', destination: t.y, value: ones })
export const rdY: Word = (t) => B.smemLoad(next('read y'), t.y)
export const wrG: Word = (t) =>
  B.run(next('write g'), { _tag: 'gmem.store', destination: t.g.view, value: ones })
export const rdG: Word = (t) => B.gmemLoad(next('read g'), t.g.view)
export const wrH: Word = (t) =>
  B.run(next('write h'), { _tag: 'gmem.store', destination: t.h.view, value: ones })
export const rdH: Word = (t) => B.gmemLoad(next('read h'), t.h.view)

/** An atomic on x. */
export const atom =
  (scope: Scope = 'cta', op: AtomicOp = 'add'): Word =>
  (t) =>
    B.run(next('atomic x'), { _tag: 'smem.atomic', op, destination: t.x, value: ones, scope })
/** An atomic on y. */
export const atomY =
  (scope: Scope = 'cta'): Word =>
  (t) =>
    B.run(next('atomic y'), { _tag: 'smem.atomic', op: 'add', destination: t.y, value: ones, scope })
/** An atomic on g. */
export const atomG =
  (scope: Scope = 'gpu'): Word =>
  (t) =>
    B.run(next('atomic g'), {
      _tag: 'gmem.atomicPtr',
      op: 'add',
      destination: X.addptr(X.splat(t.g.ptr, [4]), X.iota<1>([4], 0)),
      value: ones,
      scope,
    })
/** x is added to g by the copy engine, and waited for. */
export const reduceG: ReadonlyArray<Word> = [
  (t) =>
    B.run(next('reduce g'), {
      _tag: 'tma.reduce',
      kind: 'add',
      descriptor: t.toG,
      coords: [X.i32(0)],
      source: t.x,
    }),
  () => B.run(next('commit'), { _tag: 'bulk.commitGroup' }),
  () => B.run(next('wait bulk'), { _tag: 'bulk.waitGroup', pending: 0, read: false }),
]

export const signal =
  (scope: Scope = 'gpu', of: 'c' | 'd' = 'c'): Word =>
  (t) =>
    B.run(next('signal'), { _tag: 'semaphore.signal', at: t[of].ptr, value: X.i32(1), scope })
export const sleep =
  (value: number, scope: Scope = 'gpu', decrement = false, of: 'c' | 'd' = 'c'): Word =>
  (t) =>
    B.run(next('sleep'), { _tag: 'semaphore.wait', at: t[of].ptr, value: X.i32(value), decrement, scope })

interface How {
  readonly relaxed?: boolean
  readonly scope?: Scope
  /** rank of the CTA whose barrier it is */
  readonly of?: number
}
const barrierOf = (t: Things, b: number, o: How): X.Barrier<'ptx', false, 0> =>
  o.of === undefined ? t.bs[b]! : X.remote(t.bs[b]!, X.i32(o.of))
export const arr =
  (b: number, o: How = {}): Word =>
  (t) =>
    B.run(next('arrive'), {
      _tag: 'mbarrier.arrive',
      barrier: barrierOf(t, b, o),
      count: 1,
      release: o.relaxed !== true,
      scope: o.scope ?? 'cta',
    })
export const wait =
  (b: number, parity: 0 | 1 = 0, o: How = {}): Word =>
  (t) =>
    B.run(next('wait'), {
      _tag: 'mbarrier.wait',
      barrier: barrierOf(t, b, o),
      parity: X.i32(parity),
      acquire: o.relaxed !== true,
      scope: o.scope ?? 'cta',
    })
export const init =
  (b: number, count = 1): Word =>
  (t) =>
    B.run(next('init'), { _tag: 'mbarrier.init', barrier: t.bs[b]!, count })
export const inval =
  (b: number): Word =>
  (t) =>
    B.run(next('give up'), { _tag: 'mbarrier.inval', barrier: t.bs[b]! })

/** Bytes are expected, without an arrival. */
export const expecting =
  (b: number, bytes: number): Word =>
  (t) =>
    B.run(next('expect'), { _tag: 'mbarrier.expectTx', barrier: t.bs[b]!, bytes: X.i32(bytes) })
/** An arrival, and one fewer from the next phase on. */
export const drop =
  (b: number, o: How = {}): Word =>
  (t) =>
    B.run(next('drop'), {
      _tag: 'mbarrier.arriveDrop',
      barrier: barrierOf(t, b, o),
      count: 1,
      release: o.relaxed !== true,
      scope: o.scope ?? 'cta',
    })
/** Asks, and does not wait. */
export const ask =
  (b: number, parity: 0 | 1 = 0): Word =>
  (t) =>
    B.testBarrier(next('test'), t.bs[b]!, X.i32(parity))
/** An arrival behind the copies so far that counts itself. */
export const behindCopies =
  (b: number): Word =>
  (t) =>
    B.run(next('behind copies'), {
      _tag: 'mbarrier.cpAsyncArrive',
      barrier: t.bs[b]!,
      noIncrement: false,
    })

/** bar.sync and bar.arrive of so many warps. */
export const bar =
  (id: number, warps: number): Word =>
  () =>
    B.run(next('bar'), { _tag: 'bar.sync', id, count: 32 * warps })
export const barArrive =
  (id: number, warps: number): Word =>
  () =>
    B.run(next('bar arrive'), { _tag: 'bar.arrive', id, count: 32 * warps })
export const gather =
  (relaxed = false): Word =>
  () =>
    B.run(next('cluster arrive'), { _tag: 'cluster.arrive', relaxed })
export const gathered: Word = () => B.run(next('cluster wait'), { _tag: 'cluster.wait' })

// ---------------------------------------------------------------- teams

/** What the words are about. */
export const things = function* (): B.Steps<Things> {
  const x = yield* B.sharedMemory('x', 'i32', [4])
  const y = yield* B.sharedMemory('y', 'i32', [4])
  const g = yield* B.tensorParam('g', 'i32', [4], { role: 'inout' })
  const h = yield* B.tensorParam('h', 'i32', [4], { role: 'inout' })
  const c = yield* B.tensorParam('c', 'i32', [1], { role: 'inout' })
  const d = yield* B.tensorParam('d', 'i32', [1], { role: 'inout' })
  const toG = yield* B.descriptorParam('to_g', g, [4])
  const bs: X.Barrier<'ptx', false, 0>[] = []
  for (let k = 0; k < 4; k++) bs.push(yield* B.barriers(`b${String(k)}`, []))
  return { x, y, g, h, c, d, toG, bs }
}

export interface Team {
  /** by CTA of the whole grid, by agent: its words. CTAs of a cluster share barriers 0 to 3 of their own. */
  readonly words: ReadonlyArray<ReadonlyArray<ReadonlyArray<Word>>>
  /** CTAs of a cluster; those that are left over are further clusters */
  readonly cluster?: number
  /** arrivals that the barriers count; 0 leaves one without an init */
  readonly counts?: readonly [number, number, number, number]
  readonly contract?: 'ptx' | 'pallas'
  /** y lies where barriers 0 and 1 are, and is not written before */
  readonly under?: boolean
}

/** Barriers are initialised, x and y of every CTA written, and everybody has seen that. */
export const team = (o: Team): Program => {
  const agents = Math.max(...o.words.map((of) => of.length))
  const cluster = o.cluster ?? 1
  const counts = o.counts ?? [1, 1, 1, 1]
  const program = right(
    B.kernel(
      {
        name: 'team',
        arch: 'sm90a',
        grid: [o.words.length],
        cluster: [cluster],
        agents: Array.from({ length: agents }, (_, k) => B.warp(`w${String(k)}`, k)),
      },
      function* () {
        const t = yield* things()
        yield* B.ifThen('first', X.eq(X.place('agent'), X.i32(0)), function* () {
          for (const [k, count] of counts.entries()) if (count > 0) yield* init(k, count)(t)
          yield* wr(t)
          if (o.under !== true) yield* wrY(t)
          yield* B.run('fence', { _tag: 'fence.proxyAsync', scope: 'cta' })
          yield* B.run('fence of barriers', { _tag: 'fence.mbarrierInit' })
        })
        if (agents > 1) yield* bar(0, agents)(t)
        if (cluster > 1) {
          yield* gather()(t)
          yield* gathered(t)
        }
        for (const [cta, of] of o.words.entries())
          for (const [k, words] of of.entries())
            yield* B.ifThen(
              `agent ${String(k)} of ${String(cta)}`,
              X.and(X.eq(X.place('programId', 0), X.i32(cta)), X.eq(X.place('agent'), X.i32(k))),
              function* () {
                for (const word of words) yield* word(t)
              },
            )
      },
    ),
  )
  const laid = (s: Program['storage'][number]): Program['storage'][number] => {
    const { contents } = s
    const ofContract =
      contents._tag === 'barriers' && o.contract !== undefined
        ? { ...s, contents: { ...contents, contract: o.contract } }
        : s
    // the builder has placed them all, barrier 1 right behind barrier 0
    const first = program.storage.find((b) => b.id === 'b0')?.offset ?? 0
    return o.under === true && s.id === 'y' ? { ...ofContract, offset: first } : ofContract
  }
  return { ...program, storage: program.storage.map(laid) }
}

/** Agent 0 does what is `before`, forks 1 and 2, does its own branch, and what is `after` when both have ended. */
export const forked = (o: {
  readonly before?: ReadonlyArray<Word>
  readonly children: readonly [ReadonlyArray<Word>, ReadonlyArray<Word>]
  readonly parent?: ReadonlyArray<Word>
  readonly after?: ReadonlyArray<Word>
}): Program =>
  right(
    B.kernel(
      { name: 'fork', arch: 'sm90a', agents: [B.warp('p', 0), B.warp('c', 1), B.warp('d', 2)] },
      function* () {
        const t = yield* things()
        for (const word of o.before ?? []) yield* word(t)
        yield* B.fork(
          'fork',
          {
            agent: 'p',
            captures: {},
            body: function* () {
              for (const word of o.parent ?? []) yield* word(t)
              return {}
            },
          },
          ['c', 'd'].map((agent, k) =>
            B.branch(agent, {}, function* () {
              for (const word of o.children[k]!) yield* word(t)
            }),
          ),
        )
        for (const word of o.after ?? []) yield* word(t)
      },
    ),
  )
