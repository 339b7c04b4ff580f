/**
 * Pipeline states: where a ring of stages stands, and how often it has been stepped.
 *
 * `step` moves to the next stage and flips the phase bit at the end of the ring. A producer starts with phase 1, the one that a fresh barrier
 * has passed already; a consumer with 0. A wait for a parity p passes once the phase with that parity has completed: it blocks while
 * the current phase has parity p.
 *
 *     S = 3, a consumer    count 0 1 2 3 4 5 6
 *                          index 0 1 2 0 1 2 0
 *                          phase 0 0 0 1 1 1 0
 *
 * The count is for people: no barrier sees it. CUTLASS counts the same ring without one (`dialects/cutlass/pipeline-state.ts`).
 *
 * Laws
 * 1. index = count mod S; phase = (count div S) mod 2, flipped for a producer.
 * 2. Index and phase are those of CUTLASS's state, advanced as often.
 *
 * Names: Mojo `PipelineState`. Source: Mojo, layout/tma_async.
 */
import type { Words } from './words.js'

// ---------------------------------------------------------------- model

export interface PipelineState<W = number> {
  readonly index: W
  readonly phase: W
  readonly count: W
}

// ---------------------------------------------------------------- constructors

export const consumerState = <W>(words: Words<W>): PipelineState<W> => ({
  index: words.constant(0),
  phase: words.constant(0),
  count: words.constant(0),
})

export const producerState = <W>(words: Words<W>): PipelineState<W> => ({
  index: words.constant(0),
  phase: words.constant(1),
  count: words.constant(0),
})

/** The next stage of `numStages`. */
export const step =
  <W>(words: Words<W>, numStages: number) =>
  ({ index, phase, count }: PipelineState<W>): PipelineState<W> => {
    const next = words.add(index, words.constant(1))
    return {
      index: words.where(next, numStages, words.constant(0), next),
      phase: words.xor(phase, words.where(next, numStages, words.constant(1), words.constant(0))),
      count: words.add(count, words.constant(1)),
    }
  }
