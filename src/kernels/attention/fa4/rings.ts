/**
 * Rings of a running kernel: the KV pipeline, carried round a loop.
 *
 * The pipeline's methods give the next state and an operation; here the operation is carried out in the program, and what the state became is
 * named, so that the loop can carry it. Two forms have one interface:
 *
 *     shared      K0 V0 K1 V1 ... in one ring: `KVConsumerPipeline`, which sets the index of V aside
 *     separate    K0 K1 ... and V0 V1 ...: each ring has a state of its own, and nothing is set aside
 *
 * Laws
 * 1. With either form tile n of K and of V is read from the slot it was copied to, and released once, but for the last V.
 *
 * Source: Mojo, mha_sm100_2q (shared) and its later form (an even number of slots: separate).
 */
import {
  emptyBarrier,
  expressions,
  fullBarrier,
  consumerState,
  kvConsumerPipeline,
  kvProducerPipeline,
  perform,
  step,
  type BarrierOperation,
  type KVConsumerPipeline,
  type KVPipeline,
  type KVProducerPipeline,
  type PipelineState,
} from '../../../dialects/mojo/index.js'
import * as B from '../../../semantics/writing/builder.js'
import { i32, slot, type Int, type View } from '../../../semantics/language/expression.js'
import type { Memory, Operand, Ring } from './memory.js'
import type { Fa4 } from './model.js'

// ---------------------------------------------------------------- model

/** What a loop carries of a ring. */
export type Carried = Readonly<Record<string, Int>>
/** What of the kernel a ring depends on. */
export type RingChoices = Pick<Fa4, 'rings' | 'release' | 'stages' | 'blockKv' | 'headDim'>
/** A tile of K or V. */
export type TileOf = View<'smem', Operand, 2>

/** Which pipelines count: those of the dialect, unless a proof puts a wrong one in. */
export interface Pipelines {
  readonly consumer: (of: KVPipeline) => KVConsumerPipeline<Int>
  readonly producer: (of: KVPipeline) => KVProducerPipeline<Int>
}
export const pipelines: Pipelines = {
  consumer: (of) => kvConsumerPipeline(expressions, of),
  producer: (of) => kvProducerPipeline(expressions, of),
}

/** The side that multiplies. */
export interface Consuming {
  readonly start: Carried
  readonly waitK: (label: string, at: Carried, first: boolean) => B.Build<readonly [TileOf, Carried]>
  readonly waitV: (label: string, at: Carried) => B.Build<readonly [TileOf, Carried]>
  readonly releaseK: (label: string, at: Carried) => B.Build<Carried>
  readonly releaseV: (label: string, at: Carried) => B.Build<Carried>
  /** the tile of V that was waited for, and is not released yet */
  readonly heldV: (at: Carried) => TileOf
}

/** Where the next tile goes. */
export interface Place {
  readonly tile: TileOf
  readonly ring: Ring
  /** of `ring` */
  readonly barrier: Int
  readonly operation: BarrierOperation<Int> | null
}

/** The side that copies. */
export interface Producing {
  readonly start: Carried
  readonly acquireK: (label: string, at: Carried) => B.Build<void>
  readonly acquireV: (label: string, at: Carried) => B.Build<void>
  readonly getK: (at: Carried, expect: boolean) => Place
  readonly getV: (at: Carried) => Place
  readonly commitK: (label: string, at: Carried) => B.Build<Carried>
  readonly commitV: (label: string, at: Carried) => B.Build<Carried>
  readonly kvBytes: number
}

// ---------------------------------------------------------------- states

const settled = (label: string, x: Int): B.Build<Int> =>
  x._tag === 'const' || x._tag === 'name' ? B.of(x) : B.letIn(label, x)

/** Names what a state became. The count is for people, and stays behind. */
const carry = (
  prefix: string,
  { index, phase }: PipelineState<Int>,
): B.Build<{ readonly index: Int; readonly phase: Int }> =>
  B.block(function* () {
    return {
      index: yield* settled(`${prefix}index`, index),
      phase: yield* settled(`${prefix}phase`, phase),
    }
  })

const stateOf = (at: Carried, prefix: string): PipelineState<Int> => ({
  index: at[`${prefix}index`]!,
  phase: at[`${prefix}phase`]!,
  count: i32(0),
})

const pipelineOf = (c: RingChoices, numKvStages: number): KVPipeline => ({
  numKvStages,
  numMmaStages: 1,
  release: c.release,
  bn: c.blockKv,
  bk0: c.headDim,
  paddedDepth: c.headDim,
  dtypeSize: 2,
})

/** The barriers of every ring, initialised. */
export const initRings = (
  c: RingChoices,
  { k, v }: Pick<Memory, 'k' | 'v'>,
  made: Pipelines,
): B.Build<void> =>
  B.block(function* () {
    const shared = c.rings === 'shared'
    const stages = shared ? c.stages : c.stages / 2
    const { init } = made.consumer(pipelineOf(c, stages))
    for (const [name, ring] of shared ? [['kv', k] as const] : [['k', k] as const, ['v', v] as const])
      for (const [i, operation] of init.entries())
        yield* perform(
          `init ${name} ${i < stages ? 'full' : 'empty'}[${String(i % stages)}]`,
          ring.barriers,
          operation,
        )
  })

// ---------------------------------------------------------------- one ring

const sharedConsumer = (c: RingChoices, ring: Ring, made: Pipelines): Consuming => {
  const kv = made.consumer(pipelineOf(c, c.stages))
  const from = (at: Carried): typeof kv.start => ({
    kvPipeline: stateOf(at, 'kv_'),
    vPipelineReleaseIndex: at['kv_aside']!,
  })
  const after = ({ kvPipeline, vPipelineReleaseIndex }: typeof kv.start, v: Int): B.Build<Carried> =>
    B.block(function* () {
      const { index, phase } = yield* carry('kv_', kvPipeline)
      return { kv_index: index, kv_phase: phase, kv_aside: vPipelineReleaseIndex, v_tile: v }
    })
  const tile = (index: Int): TileOf => slot(ring.slots, index)
  return {
    start: {
      kv_index: kv.start.kvPipeline.index,
      kv_phase: kv.start.kvPipeline.phase,
      kv_aside: kv.start.vPipelineReleaseIndex,
      v_tile: i32(0),
    },
    waitK: (label, at, first) =>
      B.block(function* () {
        const before = kv.waitK(from(at), { mmaStage: 0, preIncrement: !first })
        const named = yield* after(before.pipeline, at['v_tile']!)
        // the state is named before it is waited on
        yield* perform(label, ring.barriers, kv.wait(from(named), { mmaStage: 0 }).operation)
        return [tile(named['kv_index']!), named] as const
      }),
    waitV: (label, at) =>
      B.block(function* () {
        yield* perform(label, ring.barriers, kv.waitV(from(at)).operation)
        return [tile(at['kv_index']!), { ...at, v_tile: at['kv_index']! }] as const
      }),
    releaseK: (label, at) =>
      B.block(function* () {
        const { operation, pipeline } = kv.releaseK(from(at))
        yield* perform(label, ring.barriers, operation)
        return yield* after(pipeline, at['v_tile']!)
      }),
    releaseV: (label, at) =>
      B.block(function* () {
        const { operation, pipeline } = kv.releaseV(from(at))
        yield* perform(label, ring.barriers, operation)
        return yield* after(pipeline, at['v_tile']!)
      }),
    heldV: (at) => tile(at['v_tile']!),
  }
}

const sharedProducer = (c: RingChoices, ring: Ring, made: Pipelines): Producing => {
  const kv = made.producer(pipelineOf(c, c.stages))
  const from = (at: Carried): typeof kv.start => ({ kvPipeline: stateOf(at, 'kv_') })
  const acquire = (label: string, at: Carried): B.Build<void> =>
    perform(label, ring.barriers, kv.acquireKv(from(at)).operation)
  const place = (at: Carried, got: ReturnType<typeof kv.getK>): Place => ({
    tile: slot(ring.slots, at['kv_index']!),
    ring,
    barrier: got.barrier,
    operation: got.operation,
  })
  const commit = (_label: string, at: Carried): B.Build<Carried> =>
    B.block(function* () {
      const { index, phase } = yield* carry('kv_', kv.commitKvStep(from(at)).kvPipeline)
      return { kv_index: index, kv_phase: phase }
    })
  return {
    start: { kv_index: kv.start.kvPipeline.index, kv_phase: kv.start.kvPipeline.phase },
    acquireK: acquire,
    acquireV: acquire,
    getK: (at, expect) => place(at, kv.getK(from(at), { expect })),
    getV: (at) => place(at, kv.getV(from(at))),
    commitK: commit,
    commitV: commit,
    kvBytes: kv.kvBytes,
  }
}

// ---------------------------------------------------------------- two rings

const separateConsumer = (c: RingChoices, k: Ring, v: Ring): Consuming => {
  const of = pipelineOf(c, c.stages / 2)
  const next = step(expressions, of.numKvStages)
  const fresh = consumerState(expressions)
  const wait = (label: string, ring: Ring, { index, phase }: PipelineState<Int>): B.Build<void> =>
    perform(label, ring.barriers, {
      _tag: 'wait',
      barrier: fullBarrier(expressions, of, index, 0),
      parity: phase,
    })
  const release = (label: string, ring: Ring, prefix: string, at: Carried): B.Build<Carried> =>
    B.block(function* () {
      const state = stateOf(at, prefix)
      const barrier = emptyBarrier(expressions, of, state.index, 0)
      yield* perform(
        label,
        ring.barriers,
        c.release === 'commit' ? { _tag: 'commit', barrier } : { _tag: 'arrive', barrier, threads: 32 },
      )
      const { index, phase } = yield* carry(prefix, next(state))
      return { ...at, [`${prefix}index`]: index, [`${prefix}phase`]: phase }
    })
  const held = (ring: Ring, prefix: string, at: Carried): TileOf => slot(ring.slots, at[`${prefix}index`]!)
  const waited = (label: string, ring: Ring, prefix: string, at: Carried) =>
    B.block(function* () {
      yield* wait(label, ring, stateOf(at, prefix))
      return [held(ring, prefix, at), at] as const
    })
  return {
    start: { k_index: fresh.index, k_phase: fresh.phase, v_index: fresh.index, v_phase: fresh.phase },
    waitK: (label, at) => waited(label, k, 'k_', at),
    waitV: (label, at) => waited(label, v, 'v_', at),
    releaseK: (label, at) => release(label, k, 'k_', at),
    releaseV: (label, at) => release(label, v, 'v_', at),
    heldV: (at) => held(v, 'v_', at),
  }
}

const separateProducer = (c: RingChoices, k: Ring, v: Ring, made: Pipelines): Producing => {
  const of = made.producer(pipelineOf(c, c.stages / 2))
  const from = (at: Carried, prefix: string): typeof of.start => ({ kvPipeline: stateOf(at, prefix) })
  const acquire =
    (ring: Ring, prefix: string) =>
    (label: string, at: Carried): B.Build<void> =>
      perform(label, ring.barriers, of.acquireKv(from(at, prefix)).operation)
  const place = (ring: Ring, prefix: string, at: Carried, expect: boolean): Place => {
    const got = of.getK(from(at, prefix), { expect })
    return {
      tile: slot(ring.slots, at[`${prefix}index`]!),
      ring,
      barrier: got.barrier,
      operation: got.operation,
    }
  }
  const commit =
    (prefix: string) =>
    (_label: string, at: Carried): B.Build<Carried> =>
      B.block(function* () {
        const { index, phase } = yield* carry(prefix, of.commitKvStep(from(at, prefix)).kvPipeline)
        return { ...at, [`${prefix}index`]: index, [`${prefix}phase`]: phase }
      })
  const { index, phase } = of.start.kvPipeline
  return {
    start: { k_index: index, k_phase: phase, v_index: index, v_phase: phase },
    acquireK: acquire(k, 'k_'),
    acquireV: acquire(v, 'v_'),
    getK: (at, expect) => place(k, 'k_', at, expect),
    getV: (at) => place(v, 'v_', at, true),
    commitK: commit('k_'),
    commitV: commit('v_'),
    kvBytes: of.kvBytes,
  }
}

// ---------------------------------------------------------------- constructors

export const consuming = (c: RingChoices, { k, v }: Pick<Memory, 'k' | 'v'>, made: Pipelines): Consuming =>
  c.rings === 'shared' ? sharedConsumer(c, k, made) : separateConsumer(c, k, v)

export const producing = (c: RingChoices, { k, v }: Pick<Memory, 'k' | 'v'>, made: Pipelines): Producing =>
  c.rings === 'shared' ? sharedProducer(c, k, made) : separateProducer(c, k, v, made)
