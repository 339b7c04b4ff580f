/** Rows of pipelines and loops: a few blocks of a few numbers, and what comes of them in plain loops. */
import * as E from 'fp-ts/lib/Either.js'
import * as Pallas from '../../../../src/dialects/pallas/index.js'
import type { Dtype } from '../../../../src/numerics/dtype.js'
import * as B from '../../../../src/semantics/writing/builder.js'
import {
  add,
  cast,
  i32,
  mul,
  reshape,
  reshapeView,
  slice,
  slot,
  splat,
  type Int,
  type Tile,
  type View,
} from '../../../../src/semantics/language/expression.js'
import { transpose } from '../../../../src/transforms/transform.js'
import type { Example, Row } from '../row.js'

type Surface = typeof Pallas

const reference = 'JAX docs, Pallas:MGPU reference'
const pipelining = 'JAX docs, Pallas:MGPU, pipelining'
const helpers = 'JAX docs, Pallas:MGPU API, helpers'

const lanes = 32
const counting = (n: number, from: number = 0): ReadonlyArray<number> =>
  Array.from({ length: n }, (_, i) => i + from)
/** An i32 in a place of a tensor. */
const put = (label: string, to: View<'gmem', 'i32'>, at: ReadonlyArray<Int>, value: Int): B.Build<void> =>
  B.run(label, {
    _tag: 'gmem.store',
    destination: slice(
      to,
      at,
      at.map(() => 1),
    ),
    value: splat<'i32', number>(
      value,
      at.map(() => 1),
    ),
  })
const row = <D extends Dtype>(of: View<'gmem', D>, at: ReadonlyArray<Int>): View<'gmem', D, 1> =>
  reshapeView<1, 'gmem', D>(
    at.reduce<View<'gmem', D>>((v, i) => slot(v, i), of),
    [lanes],
  )

// ---------------------------------------------------------------- numbers

const swizzles: Example<Surface> = {
  name: 'the widest swizzles of four rows',
  outputs: { out: [128, 64, 32, 16] },
  program: (P) =>
    P.kernel(
      { name: 'swizzles', arch: 'sm90a' },
      () => B.tensorParam('out', 'i32', [4], { role: 'out' }),
      function* (out) {
        for (const [k, bits] of [2048, 512, 256, 128].entries())
          yield* put('out', out.view, [i32(k)], i32(yield* B.fromEither(P.findSwizzle(bits))))
      },
    ),
}

const batches: Example<Surface> = {
  name: 'two slots of transposed blocks',
  inputs: { x: counting(64 * 16) },
  outputs: { out: counting(64 * 16) },
  program: (P) =>
    P.kernel(
      { name: 'batches', arch: 'sm90a' },
      function* () {
        const x = yield* B.tensorParam('x', 'i32', [2, 32, 16], { role: 'in' })
        const out = yield* B.tensorParam('out', 'i32', [2, 32, 16], { role: 'out' })
        const each = yield* B.fromEither(E.chain(P.batchTransform(1))(transpose([1, 0])))
        return { x, out, ring: yield* B.sharedMemory('ring', 'i32', [2, 32, 16], [each]) }
      },
      function* ({ x, out, ring }) {
        for (const k of [0, 1]) {
          const value = yield* B.gmemLoad('x', slot(x.view, i32(k)))
          yield* B.run('ring', { _tag: 'smem.store', destination: slot(ring, i32(k)), value })
          const again = yield* B.smemLoad('again', slot(ring, i32(k)))
          yield* B.run('out', { _tag: 'gmem.store', destination: slot(out.view, i32(k)), value: again })
        }
      },
    ),
}

const snakes: Example<Surface> = {
  name: 'a walk through 5 x 5, three rows at a time',
  outputs: {
    out: [
      ...[0, 3, 6, 9, 12],
      ...[1, 4, 7, 10, 13],
      ...[2, 5, 8, 11, 14],
      ...[23, 21, 19, 17, 15],
      ...[24, 22, 20, 18, 16],
    ],
  },
  program: (P) =>
    P.kernel(
      { name: 'snakes', arch: 'sm90a' },
      () => B.tensorParam('out', 'i32', [5, 5], { role: 'out' }),
      function* (out) {
        yield* B.forRange({ label: 'step', from: i32(0), to: i32(25) }, function* (step) {
          yield* put('out', out.view, yield* P.planarSnake(step, [5, 5], 0, 3), step)
        })
      },
    ),
}

// ---------------------------------------------------------------- loops

const dealt: Example<Surface> = {
  name: 'a grid of (2, 4) in tiles of (2, 2), dealt to three programs',
  // the step of each place: tile by tile
  outputs: { out: [0, 1, 4, 5, 2, 3, 6, 7].map((step) => 10 * Math.floor(step / 3) + (step % 3)) },
  program: (P) =>
    P.kernel(
      { name: 'dealt', arch: 'sm90a', grid: [3], gridNames: ['p'] },
      () => B.tensorParam('out', 'i32', [2, 4], { role: 'out' }),
      function* (out) {
        const p = yield* P.axisIndex('p')
        yield* P.ndLoop(
          'loop',
          { grid: [2, 4], collectiveAxes: 'p', tiling: [2, 2] },
          {},
          function* ({ index, localIndex }) {
            yield* put('out', out.view, index, add(mul(localIndex, i32(10)), p))
            return {}
          },
        )
      },
    ),
}

const tiles = 5
const taken: Example<Surface> = {
  name: 'a grid of pairs of blocks that take over from one another',
  inputs: { x: counting(tiles * 2 * lanes) },
  outputs: { out: counting(tiles * 2 * lanes, 1) },
  program: (P) =>
    P.kernel(
      {
        name: 'taken',
        arch: 'sm100a',
        grid: [tiles],
        gridNames: ['tile'],
        cluster: [2],
        clusterNames: ['c'],
        numThreads: 2,
        threadName: 'wg',
      },
      function* () {
        const x = yield* B.tensorParam('x', 'i32', [tiles, 2, lanes], { role: 'in' })
        return { x, out: yield* B.tensorParam('out', 'i32', [tiles, 2, lanes], { role: 'out' }) }
      },
      function* ({ x, out }) {
        const c = yield* P.axisIndex('c')
        const wg = yield* P.axisIndex('wg')
        const half = lanes / 2
        yield* P.dynamicSchedulingLoop(
          'loop',
          { gridNames: ['tile'], threadAxis: 'wg', clusterAxes: ['c'] },
          {},
          function* ({ index: [tile] }) {
            const mine = <D extends Dtype>(of: View<'gmem', D>): View<'gmem', D, 1> =>
              slice(row(of, [tile!, c]), [mul(wg, i32(half))], [half])
            const v = yield* B.gmemLoad('v', mine(x.view))
            yield* B.run('out', {
              _tag: 'gmem.store',
              destination: mine(out.view),
              value: add(v, splat<'i32', 1>(i32(1), [half])),
            })
            return {}
          },
        )
      },
    ),
}
// ---------------------------------------------------------------- pipelines

const steps = 5
const sums: Example<Surface> = {
  name: 'running sums of the rows of a tensor',
  inputs: { x: counting(steps * lanes) },
  outputs: {
    out: counting(steps * lanes).map((n) => {
      const [s, e] = [Math.floor(n / lanes), n % lanes]
      return counting(s + 1).reduce((sum, i) => sum + i * lanes + e, 0)
    }),
    last: counting(lanes).map((e) => counting(steps).reduce((sum, i) => sum + i * lanes + e, 0)),
  },
  program: (P) =>
    P.kernel(
      { name: 'sums', arch: 'sm90a' },
      function* () {
        const x = yield* B.tensorParam('x', 'f32', [steps, lanes], { role: 'in' })
        const out = yield* B.tensorParam('out', 'f32', [steps, lanes], { role: 'out' })
        return { x, out, last: yield* B.tensorParam('last', 'f32', [lanes], { role: 'out' }) }
      },
      function* ({ x, out, last }) {
        yield* P.emitPipeline(
          'pipeline',
          {
            inSpecs: [{ tensor: x, shape: [1, lanes], indexMap: (i) => [i!, i32(0)], delayRelease: 1 }],
            outSpecs: [
              { tensor: out, shape: [1, lanes], indexMap: (i) => [i!, i32(0)] },
              { tensor: last, shape: [lanes], indexMap: () => [i32(0)] },
            ],
            grid: [steps],
            maxConcurrentSteps: 3,
          },
          { sum: splat<'f32', 1>(cast(i32(0), 'f32'), [lanes]) },
          function* ({ refs: [xs, os, ls] }, { sum }) {
            const next = add(sum, reshape<'f32', 1>(yield* B.smemLoad('x', xs), [lanes]))
            const value = reshape<'f32', 2>(next, [1, lanes])
            yield* B.run('out', { _tag: 'smem.store', destination: os, value })
            yield* B.run('last', { _tag: 'smem.store', destination: ls, value: next })
            return { sum: next }
          },
        )
      },
    ),
}

interface Specializing {
  readonly manual: boolean
  readonly apart: boolean
}
/** Two compute threads: thread t writes (t + 2) x. */
const specialized = (name: string, { manual, apart }: Specializing): Example<Surface> => ({
  name,
  inputs: { x: counting(4 * lanes) },
  outputs: { out: [2, 3].flatMap((f) => counting(4 * lanes).map((v) => f * v)) },
  program: (P) =>
    P.kernel(
      { name: 'specialized', arch: 'sm90a', numThreads: 3, threadName: 'wg' },
      function* () {
        const x = yield* B.tensorParam('x', 'f32', [4, lanes], { role: 'in' })
        const out = yield* B.tensorParam('out', 'f32', [2, 4, lanes], { role: 'out' })
        const spec = {
          inSpecs: [
            {
              tensor: x,
              shape: [1, lanes],
              indexMap: (...[i]: ReadonlyArray<Int>): ReadonlyArray<Int> => [i!, i32(0)],
            },
          ],
          grid: [4],
          maxConcurrentSteps: 2,
          memoryRegisters: 40,
          numComputeWgs: 2,
          wgAxis: 'wg',
          manualReadyBarriers: manual,
          manualConsumedBarriers: manual,
        } as const
        return {
          spec,
          out,
          allocations: apart ? yield* P.warpSpecializedAllocations('pipeline', spec) : null,
        }
      },
      function* ({ spec, out, allocations }) {
        // with allocations made apart the four steps are two pipelines of two
        const half = (from: number) =>
          ({
            ...spec,
            inSpecs: [
              {
                ...spec.inSpecs[0],
                indexMap: (...[i]: ReadonlyArray<Int>): ReadonlyArray<Int> => [add(i!, i32(from)), i32(0)],
              },
            ],
            grid: [2],
          }) as const
        const body = (from: number) =>
          function* ({
            indices: [i],
            refs: [xs],
            thread,
            ready,
            consumed,
          }: Pallas.WarpSpecializedStep<typeof spec.inSpecs, readonly []>): Generator<
            B.Step,
            Readonly<Record<string, never>>,
            B.State
          > {
            for (const at of ready) yield* P.waitReady('wait ready', at)
            const v: Tile<'f32', 1> = reshape<'f32', 1>(yield* B.smemLoad('x', xs), [lanes])
            for (const at of consumed) yield* P.arriveConsumed('arrive consumed', at)
            yield* B.run('out', {
              _tag: 'gmem.store',
              destination: row(out.view, [i32(thread), add(i!, i32(from))]),
              value: mul(v, splat<'f32', 1>(cast(i32(thread + 2), 'f32'), [lanes])),
            })
            return {}
          }
        if (allocations === null) return yield* P.emitPipelineWarpSpecialized('pipeline', spec, body(0))
        const { START, STOP } = P.PipelinePipeline
        yield* P.emitPipelineWarpSpecialized(
          'first',
          { ...half(0), allocations, pipelineState: START },
          body(0),
        )
        yield* P.emitPipelineWarpSpecialized(
          'second',
          { ...half(2), allocations, pipelineState: STOP, invocation: i32(1) },
          body(2),
        )
      },
    ),
})
const automatic = specialized('two compute threads and one for copies', { manual: false, apart: false })
const manual = specialized('bodies that wait and arrive themselves', { manual: true, apart: false })
const apart = specialized('two pipelines on the same buffers', { manual: false, apart: true })

export const rows: ReadonlyArray<Row<Surface>> = [
  {
    kind: 'view',
    operation: 'find_swizzle',
    names: ['findSwizzle'],
    page: helpers,
    example: swizzles,
    without: (P) => ({ ...P, findSwizzle: () => E.right(16) }),
  },
  {
    kind: 'view',
    operation: 'transform.batch',
    names: ['batchTransform'],
    page: reference,
    example: batches,
    without: (P) => ({ ...P, batchTransform: () => E.right }),
  },
  {
    kind: 'view',
    operation: 'planar_snake',
    names: ['planarSnake', 'planarSnakeOf'],
    page: helpers,
    example: snakes,
    without: (P) => ({ ...P, planarSnake: (step) => B.of([i32(0), step] as const) }),
  },
  {
    kind: 'statements',
    operation: 'nd_loop',
    names: ['ndLoop'],
    page: helpers,
    example: dealt,
    change: (P, wrap) => ({ ...P, ndLoop: wrap(P.ndLoop) }),
  },
  {
    kind: 'statements',
    operation: 'dynamic_scheduling_loop',
    names: ['dynamicSchedulingLoop'],
    page: helpers,
    example: taken,
    change: (P, wrap) => ({ ...P, dynamicSchedulingLoop: wrap(P.dynamicSchedulingLoop) }),
  },
  {
    kind: 'statements',
    operation: 'emit_pipeline',
    names: ['emitPipeline'],
    page: pipelining,
    example: sums,
    change: (P, wrap) => ({ ...P, emitPipeline: wrap(P.emitPipeline) }),
  },
  {
    kind: 'statements',
    operation: 'emit_pipeline_warp_specialized',
    names: ['emitPipelineWarpSpecialized'],
    page: pipelining,
    example: automatic,
    change: (P, wrap) => ({ ...P, emitPipelineWarpSpecialized: wrap(P.emitPipelineWarpSpecialized) }),
  },
  {
    kind: 'storage',
    operation: 'emit_pipeline_warp_specialized(...).get_allocations',
    names: ['warpSpecializedAllocations'],
    page: pipelining,
    example: apart,
    without: (P) => ({
      ...P,
      warpSpecializedAllocations: () => B.of({ slots: 2, ins: [], outs: [], ready: [], consumed: [] }),
    }),
  },
  {
    kind: 'view',
    operation: 'PipelinePipeline',
    names: ['PipelinePipeline'],
    page: pipelining,
    example: apart,
    // every pipeline of the sequence takes itself for the first
    without: (P) => ({ ...P, PipelinePipeline: { START: 0, STEADY: 0, STOP: 0 } }),
  },
  {
    kind: 'statements',
    operation: 'emit_pipeline_warp_specialized(manual_ready_barriers=True)',
    names: ['waitReady'],
    page: pipelining,
    example: manual,
    change: (P, wrap) => ({ ...P, waitReady: wrap(P.waitReady) }),
  },
  {
    kind: 'statements',
    operation: 'emit_pipeline_warp_specialized(manual_consumed_barriers=True)',
    names: ['arriveConsumed'],
    page: pipelining,
    example: manual,
    change: (P, wrap) => ({ ...P, arriveConsumed: wrap(P.arriveConsumed) }),
  },
]
