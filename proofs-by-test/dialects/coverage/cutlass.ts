/** Rows of CUTLASS's pipelines: a ring whose two sides count with `PipelineState`, and a commit that all CTAs of a cluster hear. */
import { multicast, pipelineState } from '../../../src/dialects/cutlass/index.js'
import * as S from '../../../src/kernels/broken/zoo/twin.js'
import * as B from '../../../src/semantics/writing/builder.js'
import { float, i32, slot, splat } from '../../../src/semantics/language/expression.js'
import type { Example, Row } from './row.js'

export type CutlassSurface = typeof pipelineState & typeof multicast
export const surface: CutlassSurface = Object.assign({}, pipelineState, multicast)

const [items, stages] = [5, 2] as const

/** Five items through two slots; item i is i + 1. */
const ring: Example<CutlassSurface> = {
  name: 'five items through a ring of two slots',
  outputs: { out: Array.from({ length: items * 32 }, (_, p) => Math.floor(p / 32) + 1) },
  program: (C) =>
    B.kernel(
      { name: 'ring', arch: 'sm90a', agents: [B.warp('producer', 0), B.warp('consumer', 1)] },
      function* () {
        const out = yield* B.tensorParam('out', 'f32', [items, 32], { role: 'out' })
        const slots = yield* B.sharedMemory('slots', 'f32', [stages, 32], [])
        const full = yield* S.tensorBarriers('full', stages)
        const empty = yield* S.tensorBarriers('empty', stages)
        yield* S.together({
          *producer() {
            let at = C.producerStart
            for (let i = 0; i < items; i++) {
              yield* S.wait(`acquire ${String(i)}`, slot(empty, i32(at.index)), at.phase)
              yield* B.run(`write ${String(i)}`, {
                _tag: 'smem.store',
                destination: slot(slots, i32(at.index)),
                value: splat<'f32', 1>(float('f32', i + 1), [32]),
              })
              yield* S.arrive(`commit ${String(i)}`, slot(full, i32(at.index)))
              at = C.advance(stages, 1)(at)
            }
          },
          *consumer() {
            let at = C.consumerStart
            for (let i = 0; i < items; i++) {
              yield* S.wait(`wait ${String(i)}`, slot(full, i32(at.index)), at.phase)
              const x = yield* B.smemLoad(`read ${String(i)}`, slot(slots, i32(at.index)))
              yield* B.run(`out ${String(i)}`, {
                _tag: 'gmem.store',
                destination: slot(out.view, i32(i)),
                value: x,
              })
              yield* S.arrive(`release ${String(i)}`, slot(empty, i32(at.index)))
              at = C.advance(stages, 1)(at)
            }
          },
        })
      },
    ),
}

const cluster = [2, 1] as const
/** Both CTAs of a cluster commit, and each waits for the commits of both. */
const heard: Example<CutlassSurface> = {
  name: 'a commit of each CTA that both CTAs of the cluster hear',
  program: (C) =>
    B.kernel(
      { name: 'heard', arch: 'sm100a', grid: [2], cluster: [2], agents: [B.warp('mma', 0)] },
      function* () {
        const done = yield* B.barriers('done', [], { ordersTensorCore: true })
        yield* B.run('init', {
          _tag: 'mbarrier.init',
          barrier: done,
          count: C.commitArrivals(cluster, [1, 1]),
        })
        yield* B.run('publish', { _tag: 'fence.mbarrierInit' })
        yield* S.clusterMeets('meet')
        yield* B.run('commit', {
          _tag: 'tcgen05.commit',
          barrier: done,
          multicast: i32(C.commitMask(cluster, [1, 1], [0, 0], 'both')),
          ctaGroup: 1,
        })
        yield* S.wait('wait', done, 0)
      },
    ),
}

const states = 'CUTLASS, pipelines for sm90'
const masks = 'CUTLASS, pipelines for sm100'

export const rows: ReadonlyArray<Row<CutlassSurface>> = [
  {
    operation: 'PipelineState',
    names: ['advance', 'consumerStart', 'position'],
    page: states,
    example: ring,
    kind: 'frame',
    without: (C) => ({ ...C, advance: () => (at) => at }),
  },
  {
    operation: 'make_producer_start_state',
    names: ['producerStart'],
    page: states,
    example: ring,
    kind: 'frame',
    without: (C) => ({ ...C, producerStart: C.consumerStart }),
  },
  {
    operation: 'PipelineTmaUmmaAsync, mask of a commit',
    names: ['commitMask'],
    page: masks,
    example: heard,
    kind: 'frame',
    // each tells itself alone
    without: (C) => ({ ...C, commitMask: () => 1 }),
  },
  {
    operation: 'PipelineTmaUmmaAsync, arrivals of a stage',
    names: ['commitArrivals'],
    page: masks,
    example: heard,
    kind: 'frame',
    without: (C) => ({ ...C, commitArrivals: () => 1 }),
  },
]
