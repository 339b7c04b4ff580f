/**
 * KVProducerPipeline: the side that copies tiles of K and V into the ring.
 *
 *     K0 V0                      getK, getV, commitKvStep each: no acquire, the ring is empty
 *     then K1 V1 K2 V2 ...       acquireKv before each
 *
 * `acquireKv` waits for the empty barrier of the last part with the producer's phase, 1 at first: S acquires fall through. `getK` and `getV`
 * say which barrier the copy arrives on and where it goes, and expect the bytes; without `expect` the caller expects them, as for K0,
 * whose barrier also hears of Q0. `commitKvStep` steps; the barrier was told by the expect, and completes with the copy.
 *
 *     S = 3    K0   V0   K1   V1   K2   V2   K3           slot / parity of the acquire
 *              0/-  1/-  2/1  0/0  1/0  2/0  0/1
 *
 * Parts of a tile: the source's address of a part is index (BN BK0) + m (padded depth BN) elements here, and index (BN padded depth) + m (BN BK0)
 * at the consumer. They are one address where a tile has one part; with more, only where m is the index. Both are kept as they are.
 *
 * Laws
 * 1. The c-th tile (K_n is 2 n, V_n is 2 n + 1) goes to slot c mod S; its acquire waits for completion c div S of that slot's empty barrier.
 * 2. `offset` of producer and consumer agree for M = 1; for M > 1 they agree where the part's number is the slot's, and nowhere else.
 *
 * Names: Mojo `KVProducerPipeline`. Source: Mojo, mha_sm100_2q.
 */
import type { ExpectBytes, Init, Wait } from './barrier-operation.js'
import {
  emptyBarrier,
  fullBarrier,
  initBarriers,
  mmaKvBytes,
  type Acted,
  type KVPipeline,
  type OnRing,
} from './kv-pipeline.js'
import { producerState, step } from './pipeline-state.js'
import type { Words } from './words.js'

// ---------------------------------------------------------------- model

/** The state of the producer. */
export type KVProducerState<W = number> = OnRing<W>

/** The destination of a copy, the barrier that it signals, and the expect, unless the caller does it. */
export interface Target<W> {
  readonly barrier: W
  /** bytes from the start of the ring */
  readonly offset: W
  readonly operation: ExpectBytes<W> | null
}

export interface OfTile {
  /** part of the tile; default the last for an acquire, the first for a copy */
  readonly mmaStage?: number
  /** default true */
  readonly expect?: boolean
}

/** The methods. */
export interface KVProducerPipeline<W> {
  readonly start: KVProducerState<W>
  /** one of producer and consumer initialises */
  readonly init: ReadonlyArray<Init<W>>
  readonly acquireKv: (at: KVProducerState<W>) => Acted<KVProducerState<W>, Wait<W>>
  readonly getK: (at: KVProducerState<W>, of?: OfTile) => Target<W>
  readonly getV: (at: KVProducerState<W>, of?: OfTile) => Target<W>
  readonly commitKvStep: (at: KVProducerState<W>) => KVProducerState<W>
  /** bytes that a copy brings */
  readonly kvBytes: number
}

// ---------------------------------------------------------------- constructor

export const kvProducerPipeline = <W>(words: Words<W>, ring: KVPipeline): KVProducerPipeline<W> => {
  const kvBytes = mmaKvBytes(ring)
  const part = ring.paddedDepth * ring.bn * ring.dtypeSize
  const target = (
    { kvPipeline: { index } }: KVProducerState<W>,
    { mmaStage = 0, expect = true }: OfTile = {},
  ): Target<W> => {
    const barrier = fullBarrier(words, ring, index, mmaStage)
    return {
      barrier,
      offset: words.add(words.times(kvBytes, index), words.constant(mmaStage * part)),
      operation: expect ? { _tag: 'expectBytes', barrier, bytes: kvBytes } : null,
    }
  }
  return {
    start: { kvPipeline: producerState(words) },
    init: initBarriers(words, ring),
    acquireKv: (at) => ({
      pipeline: at,
      operation: {
        _tag: 'wait',
        barrier: emptyBarrier(words, ring, at.kvPipeline.index, ring.numMmaStages - 1),
        parity: at.kvPipeline.phase,
      },
    }),
    getK: target,
    getV: target,
    commitKvStep: ({ kvPipeline }) => ({ kvPipeline: step(words, ring.numKvStages)(kvPipeline) }),
    kvBytes,
  }
}
