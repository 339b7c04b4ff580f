/** What pipelines and loops refuse, word for word. */
import type * as E from 'fp-ts/lib/Either.js'
import type { Code } from '../../../../src/dialects/pallas/codes.js'
import * as Pallas from '../../../../src/dialects/pallas/index.js'
import type { Failure } from '../../../../src/failure.js'
import * as B from '../../../../src/semantics/writing/builder.js'
import { i32, type Int } from '../../../../src/semantics/language/expression.js'
import type { Refusal } from '../../coverage/refusal.js'

const lanes = 32
type Meshed = Pick<Pallas.KernelOptions, 'grid' | 'gridNames' | 'cluster' | 'clusterNames'>

const inKernel =
  (threads: number, body: (x: B.Tensor<'f32', 2>) => B.Steps<void>, mesh: Meshed = {}) =>
  (): E.Either<Failure, unknown> =>
    Pallas.kernel(
      {
        name: 'refused',
        arch: 'sm90a',
        ...mesh,
        ...(threads === 1 ? {} : { numThreads: threads, threadName: 'wg' }),
      },
      () => B.tensorParam('x', 'f32', [64, lanes], { role: 'inout' }),
      body,
    )

type Spec = Pallas.BlockSpec
const byRow = (i: Int | undefined): ReadonlyArray<Int> => [i!, i32(0)]
const blockOf = (x: Spec['tensor'], more: Partial<Spec> = {}): Spec => ({
  tensor: x,
  shape: [1, lanes],
  indexMap: (i) => byRow(i),
  ...more,
})

interface Piped {
  readonly grid?: ReadonlyArray<number>
  readonly concurrent?: number
  readonly ins?: ReadonlyArray<Partial<Spec>>
  readonly outs?: ReadonlyArray<Partial<Spec>>
}
const piped = ({ grid = [4], concurrent = 2, ins = [{}], outs = [] }: Piped): Refusal<Code>['use'] =>
  inKernel(1, function* (x) {
    yield* Pallas.emitPipeline(
      'pipe',
      {
        inSpecs: ins.map((more) => blockOf(x, more)),
        outSpecs: outs.map((more) => blockOf(x, more)),
        grid,
        maxConcurrentSteps: concurrent,
      },
      {},
      function* () {
        return yield* B.of({})
      },
    )
  })

interface Specialized extends Piped {
  readonly threads?: number
  readonly compute?: number
  readonly memoryThread?: number
  readonly wgAxis?: string
  readonly state?: Pallas.PipelineState
  readonly dynamic?: boolean
  /** blocks of the allocations, made apart */
  readonly allocated?: ReadonlyArray<Partial<Spec>>
  readonly context?: Pallas.ComputeContext<Readonly<Record<string, never>>>
}
const specialized = (s: Specialized, mesh: Meshed = {}): Refusal<Code>['use'] =>
  inKernel(
    s.threads ?? (s.compute ?? 1) + 1,
    function* (x) {
      const ofBlocks = (ins: ReadonlyArray<Partial<Spec>>) => ({
        inSpecs: ins.map((more) => blockOf(x, more)),
        outSpecs: (s.outs ?? []).map((more) => blockOf(x, more)),
        grid: s.dynamic === true ? [x.dims[0]!] : (s.grid ?? [4]),
        maxConcurrentSteps: s.concurrent ?? 2,
        memoryRegisters: 40,
        numComputeWgs: s.compute ?? 1,
        ...(s.wgAxis === undefined ? {} : { wgAxis: s.wgAxis }),
        ...(s.memoryThread === undefined ? {} : { memoryThreadIdx: s.memoryThread }),
      })
      const allocations =
        s.allocated === undefined
          ? null
          : yield* Pallas.warpSpecializedAllocations('made', ofBlocks(s.allocated))
      yield* Pallas.emitPipelineWarpSpecialized(
        'pipe',
        {
          ...ofBlocks(s.ins ?? [{}]),
          ...(allocations === null ? {} : { allocations }),
          ...(s.state === undefined ? {} : { pipelineState: s.state }),
        },
        function* () {
          return yield* B.of({})
        },
        s.context,
      )
    },
    mesh,
  )
const loop = (spec: Pallas.NDLoopSpec): Refusal<Code>['use'] =>
  inKernel(
    1,
    function* () {
      yield* Pallas.ndLoop('loop', spec, {}, function* () {
        return yield* B.of({})
      })
    },
    { grid: [2], gridNames: ['p'] },
  )
const dynamic = (threads: number, spec: Pallas.DynamicScheduling, mesh: Meshed): Refusal<Code>['use'] =>
  inKernel(
    threads,
    function* () {
      yield* Pallas.dynamicSchedulingLoop('loop', spec, {}, function* () {
        return yield* B.of({})
      })
    },
    mesh,
  )

const piping = 'pallas.emit_pipeline'
const specializing = 'pallas.emit_pipeline_warp_specialized'

export const refusals: ReadonlyArray<Refusal<Code>> = [
  {
    code: 'pallas.find_swizzle.bits',
    message:
      'No valid swizzle for the operand a: the minor dimension has 96 bits, which is not a multiple of 128 (16 bytes)',
    use: () => Pallas.findSwizzle(96, 'the operand a'),
  },
  {
    code: 'pallas.planar_snake.shape',
    message: 'planar_snake of shape (4, 4), minor_dim 1: tile_width is 0, expected a positive integer',
    use: () => Pallas.planarSnakeOf(0, [4, 4], 1, 0),
  },
  {
    code: 'pallas.nd_loop.grid',
    message: 'loop: dimension 1 of the grid (2, 0) is 0, expected a positive integer',
    use: loop({ grid: [2, 0], collectiveAxes: 'p' }),
  },
  {
    code: 'pallas.nd_loop.grid',
    message: 'loop: collective_axes is empty, expected the axes that share the work',
    use: loop({ grid: [2, 2], collectiveAxes: [] }),
  },
  {
    code: 'pallas.nd_loop.tiling-rank',
    message: 'loop: tiling=(2,) and grid=(4, 4) must have same length',
    use: loop({ grid: [4, 4], collectiveAxes: 'p', tiling: [2] }),
  },
  {
    code: 'pallas.nd_loop.tiling',
    message: 'loop: Tiling (2, 3) does not divide grid (4, 4): dimension 1 is 4, its tile 3',
    use: loop({ grid: [4, 4], collectiveAxes: 'p', tiling: [2, 3] }),
  },
  {
    code: 'pallas.dynamic_scheduling_loop.threads',
    message: 'loop: the kernel has 2 threads, so thread_axis is needed',
    use: dynamic(2, { gridNames: ['g'] }, { grid: [2], gridNames: ['g'] }),
  },
  {
    code: 'pallas.dynamic_scheduling_loop.threads',
    message: 'loop: thread_axis g is an axis of the grid, expected the axis of the threads',
    use: dynamic(1, { gridNames: ['g'], threadAxis: 'g' }, { grid: [2], gridNames: ['g'] }),
  },
  {
    code: 'pallas.dynamic_scheduling_loop.cluster-axes',
    message: 'loop: cluster_axes (x) lack y: expected all axes of the cluster, whose blocks read one answer',
    use: dynamic(
      1,
      { gridNames: ['g'], clusterAxes: ['x'] },
      { grid: [2], gridNames: ['g'], cluster: [2, 2], clusterNames: ['x', 'y'] },
    ),
  },
  {
    code: `${piping}.grid`,
    message: 'pipe: All elements in the grid must be strictly positive, found (2, 0)',
    use: piped({ grid: [2, 0] }),
  },
  {
    code: `${piping}.concurrent-steps`,
    message: 'pipe: max_concurrent_steps is 0, expected a positive integer',
    use: piped({ concurrent: 0 }),
  },
  {
    code: `${piping}.concurrent-steps`,
    message:
      'pipe: max_concurrent_steps must be greater than all delay_release values, found 2 and a delay_release of 3 for x_1',
    use: piped({ ins: [{}, { delayRelease: 3 }] }),
  },
  {
    code: `${piping}.slots`,
    message: 'pipe: max_concurrent_steps is 33: a Barrier has at most 32 barriers, one for each slot',
    use: piped({ grid: [40], concurrent: 33 }),
  },
  {
    code: `${piping}.delay`,
    message: 'pipe: delay_release of x is -1, expected a natural number of steps',
    use: piped({ ins: [{ delayRelease: -1 }] }),
  },
  {
    code: `${piping}.block`,
    message: 'pipe: x has blocks of shape (32,), expected 2 dimensions as the ref has',
    use: piped({ ins: [{ shape: [lanes] }] }),
  },
  {
    code: `${piping}.block`,
    message: 'pipe: dimension 1 of the blocks of x is 0, expected a positive integer',
    use: piped({ ins: [{ shape: [1, 0] }] }),
  },
  {
    code: `${piping}.block`,
    message: 'pipe: x has no block shape: expected one, or memory_space=GMEM',
    use: inKernel(1, function* (x) {
      yield* Pallas.emitPipeline(
        'pipe',
        { inSpecs: [{ tensor: x }], grid: [4], maxConcurrentSteps: 2 },
        {},
        function* () {
          return yield* B.of({})
        },
      )
    }),
  },
  {
    code: `${piping}.index-map`,
    message: 'pipe: the index map of x gives 1 indices, expected 2, one for each dimension',
    use: piped({ ins: [{ indexMap: (i) => [i!] }] }),
  },
  {
    code: `${piping}.mode`,
    message: 'pipe: x has pipeline_mode Buffered(2): pipeline_mode is not supported in a pipeline',
    use: piped({ ins: [{ pipelineMode: 'Buffered(2)' }] }),
  },
  {
    code: `${piping}.collective-input`,
    message: 'pipe: x has collective_axes (c): collective inputs are not supported in emit_pipeline',
    use: piped({ ins: [{ collectiveAxes: ['c'] }] }),
  },
  {
    code: `${piping}.collective-output`,
    message: 'pipe: x_1 has collective_axes (c): outputs cannot be collective',
    use: piped({ outs: [{ collectiveAxes: ['c'] }] }),
  },
  {
    code: `${specializing}.threads`,
    message: 'pipe: num_compute_wgs is 0, expected a positive integer',
    use: specialized({ compute: 0, threads: 2 }),
  },
  {
    code: `${specializing}.threads`,
    message: 'pipe: num_compute_wgs is 1 and there is one memory thread, but the kernel has 3 threads',
    use: specialized({ threads: 3 }),
  },
  {
    code: `${specializing}.threads`,
    message: 'pipe: wg_axis g is an axis of the grid, expected the axis of the threads',
    use: specialized({ wgAxis: 'g' }, { grid: [2], gridNames: ['g'] }),
  },
  {
    code: `${specializing}.memory-thread`,
    message: 'pipe: Memory thread must be the last thread: memory_thread_idx is 0, num_compute_wgs 1',
    use: specialized({ memoryThread: 0 }),
  },
  {
    code: `${specializing}.delay`,
    message: 'pipe: All inputs must have the same delay_release, found 0 for x and 1 for x_1',
    use: specialized({ ins: [{}, { delayRelease: 1 }] }),
  },
  {
    code: `${specializing}.concurrent-steps`,
    message: 'pipe: max_concurrent_steps must be greater than delay_release, found 2 and 2',
    use: specialized({ ins: [{ delayRelease: 2 }] }),
  },
  {
    code: `${specializing}.outputs`,
    message:
      'pipe: SMEM outputs are not supported with multiple compute warpgroups: x_1 is in SMEM, num_compute_wgs 2',
    use: specialized({ compute: 2, outs: [{}] }),
  },
  {
    code: `${specializing}.invariant-input`,
    message:
      'pipe: Only inputs with a dependency on the grid are supported: the index map of x uses no index',
    use: specialized({ ins: [{ indexMap: () => [i32(0), i32(0)] }] }),
  },
  {
    code: `${specializing}.collective`,
    message: 'pipe: only one collective axis is supported, found c, d',
    use: specialized(
      { ins: [{ collectiveAxes: ['c'] }, { collectiveAxes: ['d'] }] },
      { cluster: [2, 2], clusterNames: ['c', 'd'] },
    ),
  },
  {
    code: `${specializing}.allocations`,
    message: 'pipe: the allocations are of 1 inputs, 0 outputs and 2 slots, expected 2, 0 and 2',
    use: specialized({ allocated: [{}], ins: [{}, {}] }),
  },
  {
    code: `${specializing}.allocations`,
    message:
      'pipe: the allocations of x are not of the blocks of x: expected the same shape, dtype and memory space',
    use: specialized({ allocated: [{ shape: [2, lanes] }] }),
  },
  {
    code: `${specializing}.pipeline-state`,
    message: 'pipe: A pipeline of pipelines is not supported with dynamic grids',
    use: specialized({ state: 0, dynamic: true }),
  },
  {
    code: `${specializing}.pipeline-state`,
    message:
      'pipe: A pipeline of pipelines is only allowed when the number of steps (product of grid, here 5) is divisible by max_concurrent_steps, here 2',
    use: specialized({ state: 0, grid: [5] }),
  },
  {
    code: `${specializing}.pipeline-state`,
    message: 'pipe: A pipeline of pipelines is not supported with delay_release, found 1',
    use: specialized({ state: 0, ins: [{ delayRelease: 1 }] }),
  },
  {
    code: `${specializing}.pipeline-state`,
    message: 'pipe: A pipeline of pipelines works on allocations made apart: expected allocations',
    use: specialized({ state: 0 }),
  },
  {
    code: `${specializing}.compute-context`,
    message: 'pipe: Cannot call pipeline more than once in `compute_context`',
    use: specialized({
      context: function* (pipeline) {
        yield* pipeline({})
        yield* pipeline({})
      },
    }),
  },
  {
    code: `${specializing}.compute-context`,
    message: 'pipe: Pipeline was not called in `compute_context`',
    use: specialized({ context: () => B.of(undefined) }),
  },
]
