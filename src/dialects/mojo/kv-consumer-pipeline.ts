/**
 * KVConsumerPipeline: the side that multiplies with K and V.
 *
 * K_n is released before V_n is waited for, but V_n only after K_{n+1} has been waited for: two products with V_n are apart by one with K_{n+1}, so
 * that the softmax of one half runs under the products of the other. One state cannot be at V_n and at K_{n+1}, so the index of V_n is set
 * aside, in one register:
 *
 *     waitK      sets the index aside and steps, then waits      (not for K0: the state is there already)
 *     releaseK   steps after releasing
 *     waitV      changes nothing
 *     releaseV   releases what was set aside                     (an index is enough: an arrival needs no phase)
 *
 *     S = 3     wK0  rK0  wV0  wK1  rV0  rK1  wV1  wK2  rV1  rK2  wV2       in this order
 *     slot      0    0    1    2    1    2    0    1    0    1    2
 *     phase     0         0    0              1    1              1
 *     aside     0    0    0    1    1    1    1    0    0    0    0
 *
 * At wK_n the warp still holds V_{n-1}: a ring has two slots at least. The last V is not released, since nothing calls for it. `releaseV` there would
 * release V_{n-2}, whose index is still set aside: the wrong slot, but for two slots, where both are slot 1.
 *
 * Parts: `mmaStage` is the last unless given, and `waitK` steps only with the first. So with M > 1 a bare `waitK()` does not step: callers name part 0.
 *
 * `wait` gives the offset of the tile in the ring; `waitK` and `waitV` give the descriptor by which the tensor core reads it, which is that of the
 * ring's start moved by that offset (`smem-descriptor.ts`). When a release is due is a rule of its own (`release-rule.ts`).
 *
 * Laws
 * 1. wK_n and rK_n are at count 2 n, wV_n at 2 n + 1, rV_n at the index of count 2 n + 1; index and phase follow from the count.
 * 2. `releaseV` after the last `waitV` names the slot of count 2 n - 3 in the place of 2 n - 1: another slot from three slots on.
 * 3. With M > 1 a bare `waitK()` is `wait` of the last part.
 * 4. The descriptor of `waitK`, and of `waitV`, is that of the ring's start moved by the offset of `wait` in the same state.
 *
 * Names: Mojo `KVConsumerPipeline`. Source: Mojo docs, mha_sm100_2q, KVConsumerPipeline.
 */
import type { Arrive, Commit, Init, Wait } from './barrier-operation.js'
import {
  emptyBarrier,
  fullBarrier,
  fullKvBytes,
  initBarriers,
  mmaKvBytes,
  warpSize,
  type Acted,
  type KVPipeline,
  type OnRing,
} from './kv-pipeline.js'
import { consumerState, step, type PipelineState } from './pipeline-state.js'
import { advanced, kSmemDescriptor, vSmemDescriptor, type SmemDescriptor } from './smem-descriptor.js'
import type { Words } from './words.js'

// ---------------------------------------------------------------- model

/** The state of the consumer. */
export interface KVConsumerState<W = number> extends OnRing<W> {
  readonly vPipelineReleaseIndex: W
}

export interface OfPart {
  /** part of the tile; default the last */
  readonly mmaStage?: number
}
export interface OfK extends OfPart {
  /** default true; false for K0 */
  readonly preIncrement?: boolean
}

/** A wait, and the place of the tile that it waits for. */
export interface Awaited<W> extends Acted<KVConsumerState<W>, Wait<W>> {
  /** bytes from the start of the ring */
  readonly offset: W
}
/** A wait for a tile of K or of V, and how the tensor core reads the tile. */
export interface AwaitedTile<W> extends Acted<KVConsumerState<W>, Wait<W>> {
  readonly descriptor: SmemDescriptor<W>
}
export type Released<W> = Acted<KVConsumerState<W>, Arrive<W> | Commit<W>>

/** The methods. */
export interface KVConsumerPipeline<W> {
  readonly start: KVConsumerState<W>
  /** of the ring's start */
  readonly kSmemDescriptor: SmemDescriptor<W>
  readonly vSmemDescriptor: SmemDescriptor<W>
  /** one of producer and consumer initialises */
  readonly init: ReadonlyArray<Init<W>>
  readonly wait: (at: KVConsumerState<W>, of: { readonly mmaStage: number }) => Awaited<W>
  readonly waitK: (at: KVConsumerState<W>, of?: OfK) => AwaitedTile<W>
  readonly waitV: (at: KVConsumerState<W>, of?: OfPart) => AwaitedTile<W>
  readonly releaseK: (at: KVConsumerState<W>, of?: OfPart) => Released<W>
  readonly releaseV: (at: KVConsumerState<W>, of?: OfPart) => Released<W>
}

// ---------------------------------------------------------------- constructor

/** `smem` is the address of the ring; without one, descriptors count from its start. */
export const kvConsumerPipeline = <W>(
  words: Words<W>,
  ring: KVPipeline,
  smem: W = words.constant(0),
): KVConsumerPipeline<W> => {
  const last = ring.numMmaStages - 1
  const next = step(words, ring.numKvStages)

  const wait = (at: KVConsumerState<W>, mmaStage: number): Awaited<W> => {
    const { index, phase } = at.kvPipeline
    return {
      pipeline: at,
      operation: { _tag: 'wait', barrier: fullBarrier(words, ring, index, mmaStage), parity: phase },
      offset: words.add(words.times(fullKvBytes(ring), index), words.constant(mmaStage * mmaKvBytes(ring))),
    }
  }
  const kStart = kSmemDescriptor(smem)
  const vStart = vSmemDescriptor(smem, ring)
  const tile = (from: SmemDescriptor<W>, { pipeline, operation, offset }: Awaited<W>): AwaitedTile<W> => ({
    pipeline,
    operation,
    descriptor: advanced(words, from, offset),
  })
  const signal = (index: W, mmaStage: number): Arrive<W> | Commit<W> => {
    const barrier = emptyBarrier(words, ring, index, mmaStage)
    return ring.release === 'commit'
      ? { _tag: 'commit', barrier }
      : { _tag: 'arrive', barrier, threads: warpSize }
  }
  const at = (kvPipeline: PipelineState<W>, vPipelineReleaseIndex: W): KVConsumerState<W> => ({
    kvPipeline,
    vPipelineReleaseIndex,
  })

  return {
    start: at(consumerState(words), words.constant(0)),
    kSmemDescriptor: kStart,
    vSmemDescriptor: vStart,
    init: initBarriers(words, ring),
    wait: (from, { mmaStage }) => wait(from, mmaStage),
    waitK: (from, { mmaStage = last, preIncrement = true } = {}) =>
      tile(
        kStart,
        wait(
          preIncrement && mmaStage === 0 ? at(next(from.kvPipeline), from.kvPipeline.index) : from,
          mmaStage,
        ),
      ),
    waitV: (from, { mmaStage = last } = {}) => tile(vStart, wait(from, mmaStage)),
    releaseK: (from, { mmaStage = last } = {}) => ({
      pipeline: mmaStage === last ? at(next(from.kvPipeline), from.vPipelineReleaseIndex) : from,
      operation: signal(from.kvPipeline.index, mmaStage),
    }),
    releaseV: (from, { mmaStage = last } = {}) => ({
      pipeline: from,
      operation: signal(from.vPipelineReleaseIndex, mmaStage),
    }),
  }
}
