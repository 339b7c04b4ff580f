/**
 * Pipeline states: the index and the phase bit of a ring of stages.
 *
 * A ring of S stages counts index 0 .. S-1 and flips its phase at every wrap. Both are one number, the *position*
 * p = index + S phase, which counts modulo 2 S.
 *
 *     S = 3     positions 0 1 2 3 4 5 0 ...     (index, phase) = (0,0) (1,0) (2,0) (0,1) (1,1) (2,1) (0,0)
 *
 * The producer starts S positions ahead of the consumer: its phase bit is the one that a fresh barrier has passed already.
 *
 * Laws
 * 1. `advance(S, n)` adds n to the position modulo 2 S; advance by m, then by n, is advance by m + n.
 * 2. `producerStart` is `consumerStart` advanced by S, for every S.
 *
 * Names: CUTLASS `PipelineState`, `make_producer_start_state`. Source: CUTLASS, pipelines for sm90.
 */

export interface PipelineState {
  readonly index: number
  readonly phase: number
}

export const consumerStart: PipelineState = { index: 0, phase: 0 }
export const producerStart: PipelineState = { index: 0, phase: 1 }

export const position = (stages: number, { index, phase }: PipelineState): number => index + stages * phase

/** `n` steps further round a ring of `stages`. */
export const advance =
  (stages: number, n: number) =>
  (state: PipelineState): PipelineState => {
    const p = (position(stages, state) + n) % (2 * stages)
    return { index: p % stages, phase: Math.floor(p / stages) }
  }
