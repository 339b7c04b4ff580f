/**
 * Rows of Mojo's KV pipeline. The ring's kernel is `kv-pipeline`: tiles of K and V through one ring, whose sums show every tile that is lost, doubled or
 * confused with another. An operation that does nothing leaves the state as it is, or names what it would name at the start.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as Mojo from '../../../src/dialects/mojo/index.js'
import type { Failure } from '../../../src/failure.js'
import { kvPipelineThat } from '../../../src/kernels/attention/kv-pipeline.js'
import * as S from '../../../src/kernels/broken/zoo/twin.js'
import * as B from '../../../src/semantics/writing/builder.js'
import {
  i1,
  i32,
  slice,
  slot,
  splat,
  transposeView,
  type Int,
} from '../../../src/semantics/language/expression.js'
import type { Program } from '../../../src/semantics/language/program.js'
import type { Refusal } from './refusal.js'
import type { Example, Row } from './row.js'

export type MojoSurface = typeof Mojo
export type MojoCode = Mojo.ReleaseError
export const surface: MojoSurface = Mojo
export const codes: Readonly<Record<MojoCode, string>> = {
  'mojo.release.before-producer-commit': 'a comment asks for it: nothing checks',
}

const page = 'Mojo docs, KVConsumerPipeline'
type Consumer = Mojo.KVConsumerPipeline<Int>
type Producer = Mojo.KVProducerPipeline<Int>

// ---------------------------------------------------------------- tiles through the ring

const [rows, headDim, blockKv, tiles] = [128, 64, 16, 4]
const q = Array.from({ length: rows * headDim }, (_, p) => ((p * 7) % 5) - 2)
const keys = Array.from({ length: tiles * blockKv * headDim }, (_, p) => ((p * 11) % 7) - 3)
const values = Array.from({ length: tiles * blockKv * headDim }, (_, p) => ((p * 13) % 9) - 4)
/** Rows of q by rows of the sum of all tiles. */
const product = (of: ReadonlyArray<number>): ReadonlyArray<number> =>
  Array.from({ length: rows * blockKv }, (_, p) => {
    const [row, column] = [Math.floor(p / blockKv), p % blockKv]
    let sum = 0
    for (let d = 0; d < headDim; d++)
      for (let n = 0; n < tiles; n++) sum += q[row * headDim + d]! * of[(n * blockKv + column) * headDim + d]!
    return sum
  })

const throughTheRing: Example<MojoSurface> = {
  name: 'kv-pipeline: 4 tiles of K and of V through 3 slots',
  inputs: { q, k: keys, v: values },
  outputs: { qk: product(keys), qv: product(values) },
  program: (M) =>
    kvPipelineThat(
      {
        consumer: (of) => M.kvConsumerPipeline(M.expressions, of),
        producer: (of) => M.kvProducerPipeline(M.expressions, of),
      },
      { dtype: 'f16', kv: tiles * blockKv, headDim, blockKv, stages: 3, rings: 'shared', release: 'commit' },
    ),
}

/** The surface with another consumer, or another producer, where the pipeline counts in a program. */
const consumerThat =
  (change: (made: Consumer) => Partial<Consumer>) =>
  (M: MojoSurface): MojoSurface => {
    const kvConsumerPipeline = <W>(words: Mojo.Words<W>, ring: Mojo.KVPipeline, smem?: W) => {
      const made = M.kvConsumerPipeline(words, ring, smem)
      return Object.assign({}, made, change(made as unknown as Consumer)) as Mojo.KVConsumerPipeline<W>
    }
    return { ...M, kvConsumerPipeline }
  }
const producerThat =
  (change: (made: Producer) => Partial<Producer>) =>
  (M: MojoSurface): MojoSurface => {
    const kvProducerPipeline = <W>(words: Mojo.Words<W>, ring: Mojo.KVPipeline) => {
      const made = M.kvProducerPipeline(words, ring)
      return Object.assign({}, made, change(made as unknown as Producer)) as Mojo.KVProducerPipeline<W>
    }
    return { ...M, kvProducerPipeline }
  }

const ringRow = (
  operation: string,
  side: 'kvConsumerPipeline' | 'kvProducerPipeline',
  without: (M: MojoSurface) => MojoSurface,
): Row<MojoSurface> => ({
  operation,
  names: [side],
  page,
  example: throughTheRing,
  kind: 'frame',
  without,
})

// ---------------------------------------------------------------- descriptors

const smem = 1024
const ring: Mojo.KVPipeline = {
  numKvStages: 3,
  numMmaStages: 1,
  release: 'commit',
  bn: 64,
  bk0: 64,
  paddedDepth: 64,
  dtypeSize: 2,
}
/** Starts of K0 V0 K1 V1 K2 V2 in a ring of three slots of 8 KiB at 1024. */
const starts: Example<MojoSurface> = {
  name: 'where the descriptors of six tiles start',
  outputs: { out: [0, 1, 2, 0, 1, 2].map((at) => smem + at * 64 * 64 * 2) },
  program: (M) =>
    B.kernel({ name: 'starts', arch: 'sm100a', agents: [B.warp('w', 0)] }, function* () {
      const out = yield* B.tensorParam('out', 'i32', [6], { role: 'out' })
      const pipeline = M.kvConsumerPipeline(M.expressions, ring, i32(smem))
      let at = pipeline.start
      for (let n = 0; n < 3; n++) {
        const k = pipeline.waitK(at, { preIncrement: n > 0 })
        at = pipeline.releaseK(k.pipeline).pipeline
        const v = pipeline.waitV(at)
        at = v.pipeline
        for (const [i, { startBytes }] of [k.descriptor, v.descriptor].entries())
          yield* B.run(`start ${String(2 * n + i)}`, {
            _tag: 'gmem.store',
            destination: slice(out.view, [i32(2 * n + i)], [1]),
            value: splat<'i32', 1>(startBytes, [1]),
          })
      }
    }),
}
/** Only one of the two descriptors is moved by the offset. */
const unmoved = (side: 'waitK' | 'waitV') =>
  consumerThat((made) => ({
    [side]: (at: Mojo.KVConsumerState<Int>, of?: Mojo.OfK) => ({
      ...made[side](at, of),
      descriptor: side === 'waitK' ? made.kSmemDescriptor : made.vSmemDescriptor,
    }),
  }))

// ---------------------------------------------------------------- the rule of a release

type Order = 'committed' | 'released first' | 'never committed'

/** Two tiles through one slot; an epilogue hears of each product by `producer_commit`. */
export const released = (
  M: MojoSurface,
  order: Order,
  release: 'commit' | 'arrive' = 'commit',
): E.Either<Failure, Program> =>
  B.kernel(
    {
      name: 'released',
      arch: 'sm100a',
      agents: [B.warpgroup('epilogue', 0), B.warp('mma', 4), B.warp('load', 5)],
    },
    function* () {
      const x = yield* B.tensorParam('x', 'f16', [64, 64], { role: 'in' })
      const map = yield* B.descriptorParam('x_map', x, [64, 64], { swizzle: 128 })
      const tile = yield* S.operandRing('kv', 1)
      const acc = yield* S.accumulator('acc')
      const kv = yield* S.tensorBarriers('kv_barriers', 2)
      const done = yield* S.tensorBarriers('done', 2)
      yield* S.allocate()
      yield* S.together({
        *epilogue() {
          for (const n of [0, 1]) yield* S.wait(`wait S ${String(n)}`, slot(done, i32(n)), 0)
        },
        *load() {
          for (const n of [0, 1]) {
            if (n > 0) yield* S.wait('acquire', slot(kv, i32(1)), 0)
            yield* S.expect('copy.expect', slot(kv, i32(0)), 8192)
            yield* B.run('copy', {
              _tag: 'tma.load',
              descriptor: map,
              coords: [i32(0), i32(0)],
              destination: slot(tile, i32(0)),
              barrier: slot(kv, i32(0)),
              ctaGroup: 1,
            })
          }
          // the last release, too: nothing may be under way when the block ends
          yield* S.wait('acquire last', slot(kv, i32(1)), 1)
        },
        *mma() {
          for (const n of [0, 1]) {
            yield* S.wait('wait K', slot(kv, i32(0)), n)
            yield* B.run('S = Q K', {
              _tag: 'tcgen05.mma',
              accumulator: acc,
              a: slot(tile, i32(0)),
              b: transposeView(slot(tile, i32(0)), [1, 0]),
              accumulate: i1(n > 0),
              ctaGroup: 1,
              completions: [],
            })
            const commit = (): B.Build<void> => M.producerCommit('commit S', slot(done, i32(n)))
            if (order === 'committed') yield* commit()
            const free = slot(kv, i32(1))
            yield* release === 'commit' ? S.commit('release K', free) : S.arrive('release K', free)
            if (order === 'released first') yield* commit()
          }
        },
      })
      yield* S.deallocate()
    },
  )

const ruled: Example<MojoSurface> = {
  name: 'two tiles through one slot, each product committed before its slot is released',
  program: (M) => pipe(released(M, 'committed'), E.chainW(M.releasedAfterCommit(['kv_barriers']))),
}

// ---------------------------------------------------------------- rows

const lastRelease = consumerThat((made) => ({
  releaseV: (at, of) => made.releaseV({ ...at, vPipelineReleaseIndex: at.kvPipeline.index }, of),
}))

export const producing: ReadonlyArray<Row<MojoSurface>> = [
  ringRow(
    'init',
    'kvConsumerPipeline',
    consumerThat(() => ({ init: [] })),
  ),
  ringRow(
    'acquire_kv',
    'kvProducerPipeline',
    producerThat((made) => ({ acquireKv: (at) => ({ ...made.acquireKv(made.start), pipeline: at }) })),
  ),
  ringRow(
    'get_k',
    'kvProducerPipeline',
    producerThat((made) => ({ getK: (_at, of) => made.getK(made.start, of) })),
  ),
  ringRow(
    'get_v',
    'kvProducerPipeline',
    producerThat((made) => ({ getV: (_at, of) => made.getV(made.start, of) })),
  ),
  ringRow(
    'commit_kv_step',
    'kvProducerPipeline',
    producerThat(() => ({ commitKvStep: (at) => at })),
  ),
]

export const consuming: ReadonlyArray<Row<MojoSurface>> = [
  ringRow(
    'KVConsumerPipeline',
    'kvConsumerPipeline',
    consumerThat((made) => ({
      waitK: (at, of) => ({ ...made.waitK(at, of), pipeline: at }),
      releaseK: (at, of) => ({ ...made.releaseK(at, of), pipeline: at }),
    })),
  ),
  ringRow(
    'wait',
    'kvConsumerPipeline',
    consumerThat((made) => ({ wait: (_at, of) => made.wait(made.start, of) })),
  ),
  ringRow(
    'wait_k',
    'kvConsumerPipeline',
    consumerThat((made) => ({ waitK: (at, of) => made.waitK(at, { ...of, preIncrement: false }) })),
  ),
  ringRow(
    'wait_v',
    'kvConsumerPipeline',
    consumerThat((made) => ({ waitV: (_at, of) => made.waitV(made.start, of) })),
  ),
  ringRow(
    'release_k',
    'kvConsumerPipeline',
    consumerThat((made) => ({ releaseK: (at, of) => ({ ...made.releaseK(at, of), pipeline: at }) })),
  ),
  ringRow('release_v', 'kvConsumerPipeline', lastRelease),
  ringRow('v_pipeline_release_index', 'kvConsumerPipeline', lastRelease),
  {
    operation: 'k_smem_descriptor',
    names: ['kvConsumerPipeline', 'kSmemDescriptor', 'advanced'],
    page,
    example: starts,
    kind: 'view',
    without: unmoved('waitK'),
  },
  {
    operation: 'v_smem_descriptor',
    names: ['kvConsumerPipeline', 'vSmemDescriptor', 'advanced'],
    page,
    example: starts,
    kind: 'view',
    without: unmoved('waitV'),
  },
  {
    operation: 'producer_commit before consumer_release',
    names: ['producerCommit', 'releasedAfterCommit'],
    page,
    example: ruled,
    kind: 'statements',
    change: (M, wrap) => ({ ...M, producerCommit: wrap(M.producerCommit) }),
  },
]

export const refusals: ReadonlyArray<Refusal<MojoCode>> = [
  {
    code: 'mojo.release.before-producer-commit',
    message:
      'mma / release K: the product mma / S = Q K has no producer_commit yet: commit it to its resource in tensor memory first',
    use: () => pipe(released(Mojo, 'released first'), E.chainW(Mojo.releasedAfterCommit(['kv_barriers']))),
  },
]
