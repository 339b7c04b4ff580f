/**
 * The KV pipeline alone: FA4's load warp and MMA warp round their ring, and nothing else.
 *
 * K_n and V_n of every n come through one ring (or one each) and are multiplied with one tile of 128 rows of q, which is added up, so that every tile that
 * is lost, doubled or confused with another shows in an output:
 *
 *     qk = Q K0' + Q K1' + ...        qv = Q V0' + Q V1' + ...        (' is transposed: a V is multiplied like a K here)
 *
 * The order is FA4's: V_(n-1) is held while K_n is waited for, and given back first.
 *
 *     load    K0 Q   V0        acquire K1   acquire V1   acquire K2 ...
 *     mma     wait K0  S += Q K0  release K0  wait V0      for n = 1, 2, ...: wait Kn  S += Q Kn  O += Q V(n-1)  release V  release Kn  wait Vn
 *             O += Q V(last)  commit                       (the last V is not released: its slot is not acquired again)
 *     epilogue                                             waits for that, S and O to global memory
 *
 * Three slots, three tiles of keys; c counts tiles of the ring, slot / parity:
 *
 *     c          0    1    2    3    4    5
 *     tile       K0   V0   K1   V1   K2   V2
 *     full       0/0  1/0  2/0  0/1  1/1  2/1
 *     acquire    -    -    2/1  0/0  1/0  2/0
 *
 * With an even number of slots K and V would each have their own ones, and a tile in the wrong place could come out right: mutants are judged at three.
 *
 * Laws
 * 1. qk and qv are those sums, bit for bit in the order of n.
 * 2. With `release: 'arrive'` a slot is given back before the products have read it: a race, as soon as it is refilled.
 *
 * Source: Mojo docs, KVConsumerPipeline; Mojo, mha_sm100_2q.
 */
import * as E from 'fp-ts/lib/Either.js'
import { perform } from '../../dialects/mojo/index.js'
import { refuse, type Failure } from '../../failure.js'
import * as B from '../../semantics/writing/builder.js'
import {
  gt,
  i1,
  i32,
  mul,
  slot,
  sub,
  transposeView,
  type Condition,
  type Descriptor,
  type Int,
  type View,
} from '../../semantics/language/expression.js'
import type { Program } from '../../semantics/language/program.js'
import { commit, wait } from './fa4/barriers.js'
import { loaded } from './fa4/correction.js'
import { span, tilesLayout, type Operand, type Ring } from './fa4/memory.js'
import { mostStages, tileRows } from './fa4/model.js'
import {
  consuming,
  initRings,
  pipelines,
  producing,
  type Pipelines,
  type Place,
  type RingChoices,
  type TileOf,
} from './fa4/rings.js'
import { rowsLayout } from './fa4/rows.js'

// ---------------------------------------------------------------- model

export interface KvPipelineKernel extends RingChoices {
  readonly dtype: Operand
  /** rows of k and of v: a multiple of blockKv */
  readonly kv: number
}

const illegal = (c: KvPipelineKernel): string | null => {
  if (c.headDim !== 64 && c.headDim !== 128) return `headDim is ${String(c.headDim)}: expected 64 or 128`
  if (c.blockKv < 16 || c.blockKv % 16 !== 0 || c.blockKv > 128)
    return `blockKv is ${String(c.blockKv)}: expected a multiple of 16 up to 128`
  if (c.kv < c.blockKv || c.kv % c.blockKv !== 0)
    return `kv is ${String(c.kv)}: expected a multiple of blockKv, which is ${String(c.blockKv)}`
  if (c.stages < 2)
    return `stages is ${String(c.stages)}: expected 2 or more, since V is held while K is waited for`
  const slots = mostStages(c)
  if (c.stages > slots)
    return `stages is ${String(c.stages)}: expected at most ${String(slots)}, the tiles that shared memory holds`
  if (c.rings === 'separate' && c.stages % 2 !== 0)
    return `stages is ${String(c.stages)}: expected an even number, half for each ring`
  return null
}

const columnsOf = (c: KvPipelineKernel): number =>
  [32, 64, 128, 256].find((columns) => columns >= 2 * c.blockKv) ?? 256

// ---------------------------------------------------------------- memory

/** `rows` rows of a matrix at a time, spans outermost, as they lie in shared memory. */
const mapOf = (
  name: string,
  of: B.Tensor<Operand, 2>,
  length: number,
  headDim: number,
  rows: number,
): B.Build<Descriptor<Operand, 3>> =>
  B.descriptorParam(name, of, [headDim / span, rows, span] as const, {
    dims: [headDim / span, length, span],
    strides: [span, headDim, 1],
    swizzle: 128,
  })

interface Memory {
  readonly maps: Readonly<Record<'q' | 'k' | 'v', Descriptor<Operand, 3>>>
  readonly q: View<'smem', Operand, 3>
  readonly k: Ring
  readonly v: Ring
  /** sums of products with K and with V, and where they go */
  readonly sums: Readonly<Record<'qk' | 'qv', View<'tmem', 'f32', 2>>>
  readonly outs: Readonly<Record<'qk' | 'qv', View<'gmem', 'f32', 2>>>
  readonly done: ReturnType<typeof barriersOf> extends B.Build<infer A> ? A : never
}

const barriersOf = (id: string, count: number) => B.barriers(id, [count], { ordersTensorCore: true })

const declare = (c: KvPipelineKernel): B.Build<Memory> =>
  B.block(function* () {
    const rows = c.blockKv
    const q = yield* B.tensorParam('q', c.dtype, [tileRows, c.headDim], { role: 'in' })
    const k = yield* B.tensorParam('k', c.dtype, [c.kv, c.headDim], { role: 'in' })
    const v = yield* B.tensorParam('v', c.dtype, [c.kv, c.headDim], { role: 'in' })
    const qk = yield* B.tensorParam('qk', 'f32', [tileRows, rows], { role: 'out' })
    const qv = yield* B.tensorParam('qv', 'f32', [tileRows, rows], { role: 'out' })
    const maps = {
      q: yield* mapOf('q_map', q, tileRows, c.headDim, tileRows),
      k: yield* mapOf('k_map', k, c.kv, c.headDim, rows),
      v: yield* mapOf('v_map', v, c.kv, c.headDim, rows),
    }
    const tiles = (name: string, count: number, height: number) =>
      B.sharedMemory(name, c.dtype, [count, height, c.headDim], [], {
        layout: tilesLayout(count, height, c.headDim),
      })
    const ringOf = (name: string, stages: number): B.Build<Ring> =>
      B.block(function* () {
        const slots = yield* tiles(name, stages, rows)
        return { slots, barriers: yield* barriersOf(`${name.toLowerCase()}_barriers`, 2 * stages) }
      })
    const shared = c.rings === 'shared'
    const qTile = yield* tiles('Q', 1, tileRows)
    const first = yield* ringOf(shared ? 'KV' : 'K', shared ? c.stages : c.stages / 2)
    return {
      maps,
      q: qTile,
      k: first,
      v: shared ? first : yield* ringOf('V', c.stages / 2),
      sums: {
        qk: yield* B.tensorMemory('S', 'f32', [tileRows, rows]),
        qv: yield* B.tensorMemory('O', 'f32', [tileRows, rows]),
      },
      outs: { qk: qk.view, qv: qv.view },
      done: yield* barriersOf('done', 1),
    }
  })

// ---------------------------------------------------------------- roles

const load = (made: Pipelines, c: KvPipelineKernel, m: Memory): B.Build<void> =>
  B.block(function* () {
    const ring = producing(c, m, made)
    const bring = (label: string, map: Memory['maps']['k'], { tile, ring: to, barrier }: Place, n: Int) =>
      B.run(`copy ${label}`, {
        _tag: 'tma.load',
        descriptor: map,
        coords: [i32(0), mul(n, i32(c.blockKv)), i32(0)],
        destination: tile,
        barrier: slot(to.barriers, barrier),
        ctaGroup: 1,
      })
    const copy = (label: string, map: Memory['maps']['k'], place: Place, n: Int): B.Build<void> =>
      B.block(function* () {
        if (place.operation !== null) yield* perform(`expect ${label}`, place.ring.barriers, place.operation)
        yield* bring(label, map, place, n)
      })
    // K0's barrier hears of Q too
    const k0 = ring.getK(ring.start, false)
    yield* perform('expect K0 Q', k0.ring.barriers, {
      _tag: 'expectBytes',
      barrier: k0.barrier,
      bytes: ring.kvBytes + tileRows * c.headDim * 2,
    })
    yield* bring('Q', m.maps.q, { ...k0, tile: slot(m.q, i32(0)) }, i32(0))
    yield* bring('K0', m.maps.k, k0, i32(0))
    const first = yield* ring.commitK('K0', ring.start)
    yield* copy('V0', m.maps.v, ring.getV(first), i32(0))
    const second = yield* ring.commitV('V0', first)
    yield* B.forRange(
      { label: 'n', from: i32(1), to: i32(c.kv / c.blockKv), carried: second },
      function* (n, at) {
        yield* ring.acquireK('acquire Kn', at)
        yield* copy('Kn', m.maps.k, ring.getK(at, true), n)
        const next = yield* ring.commitK('Kn', at)
        yield* ring.acquireV('acquire Vn', next)
        yield* copy('Vn', m.maps.v, ring.getV(next), n)
        return yield* ring.commitV('Vn', next)
      },
    )
  })

const multiply = (made: Pipelines, c: KvPipelineKernel, m: Memory): B.Build<void> =>
  B.block(function* () {
    const ring = consuming(c, m, made)
    const product = (label: string, into: 'qk' | 'qv', tile: TileOf, accumulate: Condition): B.Build<void> =>
      B.run(label, {
        _tag: 'tcgen05.mma',
        accumulator: m.sums[into],
        a: slot(m.q, i32(0)),
        b: transposeView(tile, [1, 0]),
        accumulate,
        ctaGroup: 1,
        completions: [],
      })
    const [k0, waitedK0] = yield* ring.waitK('wait K0', ring.start, true)
    yield* product('S = Q K0', 'qk', k0, i1(false))
    const releasedK0 = yield* ring.releaseK('release K0', waitedK0)
    const [, waitedV0] = yield* ring.waitV('wait V0', releasedK0)
    const tiles = c.kv / c.blockKv
    const last = yield* B.forRange(
      { label: 'n', from: i32(1), to: i32(tiles), carried: waitedV0 },
      function* (n, at) {
        const held = ring.heldV(at)
        const [k, waitedK] = yield* ring.waitK('wait Kn', at, false)
        yield* product('S += Q Kn', 'qk', k, i1(true))
        yield* product('O += Q V', 'qv', held, gt(sub(n, i32(1)), i32(0)))
        const releasedV = yield* ring.releaseV('release V', waitedK)
        const releasedK = yield* ring.releaseK('release Kn', releasedV)
        const [, waitedV] = yield* ring.waitV('wait Vn', releasedK)
        return waitedV
      },
    )
    yield* product('O += Q V(last)', 'qv', ring.heldV(last), i1(tiles > 1))
    yield* commit('commit', m.done, 0)
  })

const epilogue = (c: KvPipelineKernel, m: Memory): B.Build<void> =>
  B.block(function* () {
    const { pairs } = yield* rowsLayout
    yield* wait('wait done', m.done, 0, i32(0))
    for (const name of ['qk', 'qv'] as const) {
      const registers = yield* B.registers(`${name}_registers`, 'epilogue', 'f32', [tileRows, c.blockKv])
      const value = yield* loaded(`load ${name}`, m.sums[name], registers, pairs)
      yield* B.run(`store ${name}`, { _tag: 'gmem.store', destination: m.outs[name], value })
    }
  })

// ---------------------------------------------------------------- the kernel

/** The kernel. Refuses tiles that the tensor core does not take, and rings that would wait for themselves. */
export const kvPipelineKernel = (c: KvPipelineKernel): E.Either<Failure, Program> =>
  kvPipelineThat(pipelines, c)

/** The kernel over pipelines that count in this way. */
export const kvPipelineThat = (made: Pipelines, c: KvPipelineKernel): E.Either<Failure, Program> => {
  const why = illegal(c)
  if (why !== null) return refuse('kernel.settings', `kv-pipeline: ${why}`)
  return B.kernel(
    {
      name: 'kv-pipeline',
      arch: 'sm100a',
      agents: [B.warpgroup('epilogue', 0), B.warp('mma', 4), B.warp('load', 5)],
    },
    function* () {
      const m = yield* declare(c)
      const columns = columnsOf(c)
      yield* B.run('allocate', { _tag: 'tcgen05.alloc', columns, ctaGroup: 1 })
      yield* B.run('relinquish', { _tag: 'tcgen05.relinquish', ctaGroup: 1 })
      yield* initRings(c, m, made)
      yield* B.run('init done', { _tag: 'mbarrier.init', barrier: slot(m.done, i32(0)), count: 1 })
      yield* B.run('publish barriers', { _tag: 'fence.mbarrierInit' })
      yield* B.fork('roles', { agent: 'epilogue', captures: {}, body: () => epilogue(c, m) }, [
        B.branch('mma', {}, () => multiply(made, c, m)),
        B.branch('load', {}, () => load(made, c, m)),
      ])
      yield* B.run('deallocate', { _tag: 'tcgen05.dealloc', columns, ctaGroup: 1 })
    },
  )
}
