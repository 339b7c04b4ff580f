/** The calls of the kernel's warps in their order, over numbers: what the golden traces are made of. */
import {
  kvConsumerPipeline,
  kvProducerPipeline,
  numbers,
  type KVConsumerState,
  type KVPipeline,
} from '../../../src/dialects/mojo/index.js'

export const ring = (numKvStages: number, numMmaStages: number = 1): KVPipeline => ({
  numKvStages,
  numMmaStages,
  release: 'commit',
  bn: 128,
  bk0: 128 / numMmaStages,
  paddedDepth: 128,
  dtypeSize: 2,
})

export interface Called {
  readonly name: string
  readonly count: number
  readonly barrier: number
  readonly parity: number | null
  readonly after: KVConsumerState
}

/** wK0 rK0 wV0, then wK_n rV_{n-1} rK_n wV_n. */
export const consumed = (stages: number, iterations: number): ReadonlyArray<Called> => {
  const pipeline = kvConsumerPipeline(numbers, ring(stages))
  const calls: Called[] = []
  let state = pipeline.start
  const call = (name: string, made: ReturnType<typeof pipeline.waitK | typeof pipeline.releaseK>): void => {
    const { operation } = made
    const counted = operation._tag === 'wait' ? made.pipeline : state
    calls.push({
      name,
      count: counted.kvPipeline.count,
      barrier: operation.barrier,
      parity: operation._tag === 'wait' ? operation.parity : null,
      after: made.pipeline,
    })
    state = made.pipeline
  }
  for (let n = 0; n < iterations; n++) {
    call(`wK${String(n)}`, pipeline.waitK(state, { preIncrement: n > 0 }))
    if (n > 0) call(`rV${String(n - 1)}`, pipeline.releaseV(state))
    call(`rK${String(n)}`, pipeline.releaseK(state))
    call(`wV${String(n)}`, pipeline.waitV(state))
  }
  return calls
}

export interface Produced {
  readonly name: string
  readonly full: number
  readonly empty: number
  readonly parity: number
}

/** K0 V0 K1 V1 ..., each with the acquire that it would make. */
export const produced = (stages: number, iterations: number): ReadonlyArray<Produced> => {
  const pipeline = kvProducerPipeline(numbers, ring(stages))
  let state = pipeline.start
  return Array.from({ length: 2 * iterations }, (_, c) => {
    const acquired = pipeline.acquireKv(state)
    const made = {
      name: `${c % 2 === 0 ? 'K' : 'V'}${String(Math.floor(c / 2))}`,
      full: pipeline.getK(state).barrier,
      empty: acquired.operation.barrier,
      parity: acquired.operation.parity,
    }
    state = pipeline.commitKvStep(acquired.pipeline)
    return made
  })
}
