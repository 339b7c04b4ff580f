/**
 * KVPipeline: the ring that K and V share, and its barriers.
 *
 * S slots (`numKvStages`) hold a tile of K or of V each, in turn: K0 V0 K1 V1 ... A tile may be multiplied in M parts (`numMmaStages`), and
 * each part of each slot has two barriers: *full*, on which the copy arrives, and *empty*, on which the agent that multiplied does. The state of
 * the ring counts slots and not parts, since a part is known when the kernel is written.
 *
 * The array has 2 S M barriers in two blocks, first the full ones, then the empty ones; they are not interleaved. S = 3, M = 2:
 *
 *     number   0     1     2     3     4     5     6     7     8     9     10    11
 *     barrier  f0.0  f0.1  f1.0  f1.1  f2.0  f2.1  e0.0  e0.1  e1.0  e1.1  e2.0  e2.1
 *
 * | release  | an empty barrier counts | and is arrived at by                                                              |
 * |----------|-------------------------|-----------------------------------------------------------------------------------|
 * | `commit` | 1                       | `tcgen05.commit`, behind the products that read the slot                          |
 * | `arrive` | 32                      | the warp's own arrive as soon as the products are issued: too early, see the kernel |
 *
 * Laws
 * 1. full(i, m) = M i + m and empty(i, m) = S M + M i + m: together each number below 2 S M once.
 * 2. `init` names each of them once; a full barrier counts 1.
 *
 * Names: Mojo `KVPipeline`. Source: Mojo, mha_sm100_2q.
 */
import type { BarrierOperation, Init } from './barrier-operation.js'
import type { PipelineState } from './pipeline-state.js'
import type { Words } from './words.js'

// ---------------------------------------------------------------- model

/** How a slot is released. */
export type Release = 'arrive' | 'commit'

/** The parameters of the ring: `FA4Config` has all of them except the release. */
export interface KVPipeline {
  readonly numKvStages: number
  readonly numMmaStages: number
  readonly release: Release
  /** rows of a tile of K, and of V */
  readonly bn: number
  /** columns of a part of a tile of K */
  readonly bk0: number
  readonly paddedDepth: number
  /** bytes of an element */
  readonly dtypeSize: number
}

export const warpSize = 32
export const mbarrierBytes = 8

// ---------------------------------------------------------------- barriers

export const numBarriers = ({ numKvStages, numMmaStages }: KVPipeline): number =>
  2 * numKvStages * numMmaStages

export const fullBarrier = <W>(
  words: Words<W>,
  { numMmaStages }: KVPipeline,
  index: W,
  mmaStage: number,
): W => words.add(words.times(numMmaStages, index), words.constant(mmaStage))

export const emptyBarrier = <W>(words: Words<W>, pipeline: KVPipeline, index: W, mmaStage: number): W =>
  words.add(
    fullBarrier(words, pipeline, index, mmaStage),
    words.constant(pipeline.numKvStages * pipeline.numMmaStages),
  )

/** Barriers of the ring, initialised by one thread, once. */
export const initBarriers = <W>(words: Words<W>, pipeline: KVPipeline): ReadonlyArray<Init<W>> => {
  const half = pipeline.numKvStages * pipeline.numMmaStages
  const released = pipeline.release === 'commit' ? 1 : warpSize
  return Array.from({ length: 2 * half }, (_, n) => ({
    _tag: 'init',
    barrier: words.constant(n),
    count: n < half ? 1 : released,
    threads: n < half ? 1 : released,
  }))
}

// ---------------------------------------------------------------- bytes

/** Of a slot. */
export const fullKvBytes = ({ bn, paddedDepth, dtypeSize }: KVPipeline): number =>
  bn * paddedDepth * dtypeSize
/** Bytes of K or V that one part multiplies. */
export const mmaKvBytes = ({ bn, bk0, dtypeSize }: KVPipeline): number => bn * bk0 * dtypeSize

// ---------------------------------------------------------------- acts

/** The result of a method: the new pipeline, and the operation to perform. */
export interface Acted<P, O extends BarrierOperation<unknown>> {
  readonly pipeline: P
  readonly operation: O
}

/** An object with the state of a ring. */
export interface OnRing<W> {
  readonly kvPipeline: PipelineState<W>
}
