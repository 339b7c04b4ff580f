/** What the frame refuses, word for word. */
import type * as E from 'fp-ts/lib/Either.js'
import type { Code } from '../../../../src/dialects/pallas/codes.js'
import * as Pallas from '../../../../src/dialects/pallas/index.js'
import type { Failure } from '../../../../src/failure.js'
import * as B from '../../../../src/semantics/writing/builder.js'
import * as X from '../../../../src/semantics/language/expression.js'
import { i32 } from '../../../../src/semantics/language/expression.js'
import type { Refusal } from '../../coverage/refusal.js'

type Use = () => E.Either<Failure, unknown>

const mesh =
  (o: Pallas.MeshOptions): Use =>
  () =>
    Pallas.Mesh('k', o)

/** A kernel of two threads in clusters of two by two, with that body. */
const body =
  (steps: () => B.Steps<void>, o: Partial<Pallas.KernelOptions> = {}): Use =>
  () =>
    Pallas.kernel(
      {
        name: 'k',
        arch: 'sm100a',
        grid: [2],
        gridNames: ['i'],
        cluster: [2, 2],
        clusterNames: ['x', 'y'],
        numThreads: 2,
        threadName: 'wg',
        ...o,
      },
      () => B.of(null),
      steps,
    )
/** The first warp of each thread does it. */
const inWarp = (steps: () => B.Steps<void>): Use =>
  body(() => Pallas.coreMap('map', Pallas.WarpMesh({ axisName: 'warp' }), {}, steps))
const ref = (name: string, shape: ReadonlyArray<number> = [4]): B.Build<X.View<'smem', 'i32', number>> =>
  B.sharedMemory(name, 'i32', shape)
const spec =
  (o: Partial<Pallas.GPUBlockSpec>): Use =>
  () =>
    Pallas.pallasCall(
      { name: 'k', arch: 'sm90a', grid: [2] },
      function* () {
        const x = yield* B.tensorParam('x', 'i32', [8, 32], { role: 'in' })
        const one: Pallas.GPUBlockSpec = { tensor: x, shape: [4, 32], indexMap: (i) => [i!, i32(0)], ...o }
        return { inSpecs: [one], outSpecs: [], scratch: null }
      },
      () => B.of(undefined),
    )

export const refusals: ReadonlyArray<Refusal<Code>> = [
  {
    code: 'pallas.mesh.cluster-rank',
    message: 'k: cluster (1, 1, 1, 2) has 4 axes: expected at most 3',
    use: mesh({ cluster: [1, 1, 1, 2], clusterNames: ['a', 'b', 'c', 'd'] }),
  },
  {
    code: 'pallas.mesh.names',
    message: 'k: grid (2, 3) and grid_names (m): expected a name for each axis of the grid',
    use: mesh({ grid: [2, 3], gridNames: ['m'] }),
  },
  {
    code: 'pallas.mesh.names',
    message: 'k: cluster (2) and cluster_names (): expected a name for each axis of the cluster',
    use: mesh({ cluster: [2], clusterNames: [] }),
  },
  {
    code: 'pallas.mesh.size',
    message: 'k: axis n of the grid has size 0: expected a positive integer',
    use: mesh({ grid: [2, 0], gridNames: ['m', 'n'] }),
  },
  {
    code: 'pallas.mesh.size',
    message: 'k: num_threads is 0: expected a positive integer',
    use: mesh({ numThreads: 0, threadName: 'wg' }),
  },
  {
    code: 'pallas.mesh.thread-name',
    message: 'k: num_threads is 2 and thread_name is not given: expected both or neither',
    use: mesh({ numThreads: 2 }),
  },
  {
    code: 'pallas.mesh.thread-name',
    message: 'k: thread_name is wg and num_threads is not given: expected both or neither',
    use: mesh({ threadName: 'wg' }),
  },
  {
    code: 'pallas.mesh.num-threads',
    message: 'k: num_threads is 17: expected at most 16 (2048 CUDA threads of 128 each)',
    use: mesh({ numThreads: 17, threadName: 'wg' }),
  },
  {
    code: 'pallas.mesh.block',
    message: 'k: num_threads is 9: a block has at most 1024 CUDA threads, which are 8 Pallas threads',
    use: mesh({ numThreads: 9, threadName: 'wg' }),
  },
  {
    code: 'pallas.mesh.cluster-size',
    message: 'k: cluster (4, 5) has 20 blocks: expected at most 16',
    use: mesh({ cluster: [4, 5], clusterNames: ['a', 'b'] }),
  },
  {
    code: 'pallas.mesh.duplicate',
    message: 'k: two axes are named x: expected distinct names',
    use: mesh({ grid: [2], gridNames: ['x'], cluster: [2], clusterNames: ['x'] }),
  },
  {
    code: 'pallas.params.profile',
    message: 'k: profile_space is given and profile_dir is not: expected both or neither',
    use: body(() => B.of(undefined), { compilerParams: { profileSpace: 64 } }),
  },
  {
    code: 'pallas.params.profile',
    message: 'k: profile_dir is given and profile_space is not: expected both or neither',
    use: body(() => B.of(undefined), { compilerParams: { profileDir: 'profiles' } }),
  },
  {
    code: 'pallas.params.steps',
    message: 'k: max_concurrent_steps is 0: expected a positive integer',
    use: body(() => B.of(undefined), { compilerParams: { maxConcurrentSteps: 0 } }),
  },
  {
    code: 'pallas.kernel.outside',
    message: 'map: expected the body of a thread of a kernel',
    use: () =>
      B.draft({ name: 'k', arch: 'sm90a', agents: [B.warpgroup('t', 0)] }, () =>
        Pallas.coreMap('map', Pallas.WarpMesh({ axisName: 'warp' }), {}, () => B.of(undefined)),
      ),
  },
  {
    code: 'pallas.axis.unbound',
    message: 'axis_index: unbound axis name z; bound here: i, x, y, wg',
    use: body(function* () {
      yield* Pallas.axisIndex('z')
    }),
  },
  {
    code: 'pallas.axis.unbound',
    message: 'axis_index: unbound axis name i; bound here: none',
    use: () =>
      B.draft({ name: 'k', arch: 'sm90a', agents: [B.warpgroup('t', 0)] }, function* () {
        yield* Pallas.axisIndex('i')
      }),
  },
  {
    code: 'pallas.axis.duplicate',
    message: 'done: collective axis x is named twice',
    use: body(function* () {
      yield* Pallas.ClusterBarrier('done', { collectiveAxes: ['x', ['y', 'x']] })
    }),
  },
  {
    code: 'pallas.axis.not-cluster',
    message: 'done: i is an axis of the grid: expected an axis of the cluster',
    use: body(function* () {
      yield* Pallas.ClusterBarrier('done', { collectiveAxes: ['i'] })
    }),
  },
  {
    code: 'pallas.core-map.nested',
    message: 'again: warp 0 cannot part again: a core_map does not nest',
    use: inWarp(() => Pallas.coreMap('again', Pallas.WarpMesh({ axisName: 'w' }), {}, () => B.of(undefined))),
  },
  {
    code: 'pallas.core-map.capture',
    message: 'map: rows is an array of shape (4,): a core_map can close over scalars and refs only',
    use: body(() =>
      Pallas.coreMap('map', Pallas.WarpMesh({ axisName: 'warp' }), { rows: X.iota<1>([4], 0) }, () =>
        B.of(undefined),
      ),
    ),
  },
  {
    code: 'pallas.core-map.load',
    message: 'map: rows loads an array of shape (4,): a warp can load scalars only',
    use: body(
      function* () {
        const buf = yield* ref('buf')
        yield* Pallas.coreMap('map', Pallas.WarpMesh({ axisName: 'warp' }), {}, function* () {
          yield* B.smemLoad('rows', buf)
        })
      },
      { numThreads: 1 },
    ),
  },
  {
    code: 'pallas.core-map.axis',
    message: 'map: there is already an axis named wg',
    use: body(() => Pallas.coreMap('map', Pallas.WarpMesh({ axisName: 'wg' }), {}, () => B.of(undefined))),
  },
  {
    code: 'pallas.call.dimension-semantics',
    message: 'k: dimension_semantics has 1 entries and the grid 2 axes: expected one for each',
    use: () =>
      Pallas.pallasCall(
        { name: 'k', arch: 'sm90a', grid: [2, 3], compilerParams: { dimensionSemantics: ['parallel'] } },
        () => B.of({ inSpecs: [], outSpecs: [], scratch: null }),
        () => B.of(undefined),
      ),
  },
  {
    code: 'pallas.call.collective-axes',
    message: 'k: the spec of x has collective_axes (x): a pallas_call takes none',
    use: spec({ collectiveAxes: ['x'] }),
  },
  {
    code: 'pallas.inline.arity',
    message: 'inline: expected 1 arguments, found 0',
    use: body(function* () {
      yield* Pallas.inlineMgpu('inline', { argTypes: [Pallas.ScalarType('i32')] }, [], () => B.of(null))
    }),
  },
  {
    code: 'pallas.inline.argument',
    message: 'inline: argument 0: expected a scalar i32, found i1',
    use: body(function* () {
      yield* Pallas.inlineMgpu('inline', { argTypes: [Pallas.ScalarType('i32')] }, [X.i1(true)], () =>
        B.of(null),
      )
    }),
  },
  {
    code: 'pallas.inline.argument',
    message: 'inline: argument 0: expected a ref of smem i32 (8,), found view smem i32 (4,)',
    use: body(function* () {
      yield* Pallas.inlineMgpu(
        'inline',
        { argTypes: [Pallas.RefType({ space: 'smem', dtype: 'i32', shape: [8] })] },
        [yield* ref('buf')],
        () => B.of(null),
      )
    }),
  },
  {
    code: 'pallas.inline.result',
    message: 'inline: expected an array of i32 (8,), found tile i32 (4,)',
    use: body(function* () {
      yield* Pallas.inlineMgpu(
        'inline',
        { argTypes: [], returnType: Pallas.ArrayType({ dtype: 'i32', shape: [8] }) },
        [],
        () => B.of(X.iota<1>([4], 0)),
      )
    }),
  },
  {
    code: 'pallas.inline.result',
    message: 'inline: expected no result, found one',
    use: body(function* () {
      yield* Pallas.inlineMgpu('inline', { argTypes: [] }, [], () => B.of(i32(1)))
    }),
  },
  {
    code: 'pallas.inline.result',
    message: 'inline: expected a scalar i32, found none',
    use: body(function* () {
      yield* Pallas.inlineMgpu('inline', { argTypes: [], returnType: Pallas.ScalarType('i32') }, [], () =>
        B.of(null),
      )
    }),
  },
  {
    code: 'pallas.inline.warp',
    message: 'inline: a warp gives an array of i32 (4,): expected a scalar, or nothing',
    use: inWarp(function* () {
      yield* Pallas.inlineMgpu(
        'inline',
        { argTypes: [], returnType: Pallas.ArrayType({ dtype: 'i32', shape: [4] }) },
        [],
        () => B.of(X.iota<1>([4], 0)),
      )
    }),
  },
  {
    code: 'pallas.cluster-cancel.result',
    message: 'ask: expected a result of 128 bits in SMEM, found view smem i32 (8,)',
    use: body(function* () {
      const b = yield* Pallas.Barrier('b', { numArrivals: 2 })
      yield* Pallas.tryClusterCancel('ask', yield* ref('result', [8]), b, null)
    }),
  },
  {
    code: 'pallas.cluster-cancel.warp',
    message: 'ask: warp 0 asks alone: expected all threads of the block',
    use: inWarp(function* () {
      const b = yield* Pallas.Barrier('b')
      yield* Pallas.tryClusterCancel('ask', yield* ref('result'), b, null)
    }),
  },
  {
    code: 'pallas.cluster-cancel.arrivals',
    message: 'ask: b is completed by 1 arrivals: expected 2, one of each thread of the block',
    use: body(function* () {
      const b = yield* Pallas.Barrier('b')
      yield* Pallas.tryClusterCancel('ask', yield* ref('result'), b, null)
    }),
  },
  {
    code: 'pallas.cluster-cancel.axis',
    message: 'ask: i is an axis of the grid: expected axes of the threads or of the cluster',
    use: body(function* () {
      const b = yield* Pallas.Barrier('b', { numArrivals: 2 })
      yield* Pallas.tryClusterCancel('ask', yield* ref('result'), b, null, { collectiveAxes: ['wg', 'i'] })
    }),
  },
  {
    code: 'pallas.cluster-cancel.axis',
    message: 'answer: x is an axis of the cluster: expected axes of the grid',
    use: body(function* () {
      yield* Pallas.queryClusterCancel('answer', yield* ref('result'), ['x'])
    }),
  },
  {
    code: 'pallas.device.remote',
    message:
      'peer: remote_ref of view smem i32 (4,) on device 1: kernels over several devices are not judged yet',
    use: body(function* () {
      yield* Pallas.remoteRef('peer', yield* ref('buf'), 1)
    }),
  },
  {
    code: 'pallas.device.multicast',
    message:
      'all: multicast_ref of view smem i32 (4,) on all devices: kernels over several devices are not judged yet',
    use: body(function* () {
      yield* Pallas.multicastRef('all', yield* ref('buf'))
    }),
  },
  {
    code: 'pallas.device.multicast',
    message:
      'store: multimem_store of tile i32 (4,) to all devices: kernels over several devices are not judged yet',
    use: body(() => Pallas.multimemStore('store', X.iota<1>([4], 0))),
  },
  {
    code: 'pallas.device.multicast',
    message:
      'sum: multimem_load_reduce of view smem i32 (4,) over all devices: kernels over several devices are not judged yet',
    use: body(function* () {
      yield* Pallas.multimemLoadReduce('sum', yield* ref('buf'))
    }),
  },
  {
    code: 'pallas.device.signal',
    message:
      'signal: sem of another device (device_id is given): kernels over several devices are not judged yet',
    use: body(function* () {
      const s = yield* Pallas.Semaphore('sem')
      yield* Pallas.semaphoreSignal('signal', s, null, { deviceId: 1 })
    }),
  },
  {
    code: 'pallas.device.signal',
    message:
      'signal: semaphore_signal_multicast of sem to all devices: kernels over several devices are not judged yet',
    use: body(function* () {
      const s = yield* Pallas.Semaphore('sem')
      yield* Pallas.semaphoreSignalMulticast('signal', s)
    }),
  },
  {
    code: 'pallas.registers.warp',
    message: 'more: warp 0 alone cannot increase its registers: expected a whole thread',
    use: inWarp(() => Pallas.setMaxRegisters('more', 232, { action: 'increase' })),
  },
  {
    code: 'pallas.registers.multiple',
    message: 'more: set_max_registers to 233: expected a multiple of 8',
    use: body(() => Pallas.setMaxRegisters('more', 233, { action: 'increase' })),
  },
  {
    code: 'pallas.registers.range',
    message: 'less: set_max_registers to 16: expected 24 to 256',
    use: body(() => Pallas.setMaxRegisters('less', 16, { action: 'decrease' })),
  },
  {
    code: 'pallas.registers.action',
    message: 'more: wg0 has 256 registers: it cannot increase them to 232',
    use: body(() => Pallas.setMaxRegisters('more', 232, { action: 'increase' }), { numThreads: 2 }),
  },
  {
    code: 'pallas.registers.budget',
    message:
      'in the end the threads have 232 (wg0), 232 (wg1), 232 (wg2): 89088 registers, and a block has 65536',
    use: body(() => Pallas.setMaxRegisters('more', 232, { action: 'increase' }), { numThreads: 3 }),
  },
  {
    code: 'pallas.barrier.parities',
    message:
      'wait: nothing here carries the parity of b: expected the body of a kernel, foriLoop, when, cond, ndLoop, coreMap, or parities that are given',
    use: body(function* () {
      const b = yield* Pallas.Barrier('b')
      yield* B.forRange({ label: 'k', from: i32(0), to: i32(2) }, function* () {
        yield* Pallas.barrierWait('wait', b, null)
      })
    }),
  },
  {
    code: 'pallas.barrier.parities',
    message:
      'wait: warp 0, warp 1 of the thread waited for b in a core_map: the thread has no one parity for it',
    use: body(function* () {
      const b = yield* Pallas.Barrier('b')
      yield* Pallas.coreMap('map', Pallas.WarpMesh({ axisName: 'warp' }), {}, function* () {
        const warp = Pallas.known(yield* Pallas.axisIndex('warp'))
        if (warp === 0 || warp === 1) yield* Pallas.barrierWait('wait in', b, null)
      })
      yield* Pallas.barrierWait('wait', b, null)
    }),
  },
  {
    code: 'pallas.barrier.parities',
    message:
      'wait: whether warp 0 has waited for b depends on what it loaded or tested in a core_map before: its parity was not kept',
    use: body(function* () {
      const b = yield* Pallas.Barrier('b')
      const x = yield* B.sharedMemory('x', 'i32', [])
      for (const turn of ['once', 'again'])
        yield* Pallas.coreMap(turn, Pallas.WarpMesh({ axisName: 'warp' }), {}, function* () {
          const one = X.item(yield* B.smemLoad('one', x))
          yield* Pallas.when('if it says so', X.eq(one, i32(1)), function* () {
            yield* Pallas.barrierWait('wait', b, null)
          })
        })
    }),
  },
  {
    code: 'pallas.barrier.parities',
    message:
      'twice: whether the parity of b of warp 0 flips depends on what the warp loaded or tested: it cannot be kept for the next turn of the loop',
    use: body(function* () {
      const b = yield* Pallas.Barrier('b')
      yield* Pallas.foriLoop('twice', 2, function* () {
        yield* Pallas.coreMap('map', Pallas.WarpMesh({ axisName: 'warp' }), {}, function* () {
          yield* Pallas.barrierTest('test', b, null)
        })
      })
    }),
  },
  {
    code: 'pallas.barrier.arrivals',
    message: 'b: num_arrivals is 0: expected at least 1',
    use: body(function* () {
      yield* Pallas.Barrier('b', { numArrivals: 0 })
    }),
  },
  {
    code: 'pallas.barrier.shape',
    message: 'b: num_barriers is (2, 0): expected positive integers',
    use: body(function* () {
      yield* Pallas.Barrier('b', { numBarriers: [2, 0] })
    }),
  },
  {
    code: 'pallas.barrier.many',
    message: 'b: num_barriers (3, 11) are 33 barriers: a thread keeps the parities of at most 32',
    use: body(function* () {
      yield* Pallas.Barrier('b', { numBarriers: [3, 11] })
    }),
  },
  {
    code: 'pallas.barrier.single',
    message: 'arrive: expected a single barrier, found b of shape (2, 3) with 0 indices',
    use: body(function* () {
      const b = yield* Pallas.Barrier('b', { numBarriers: [2, 3] })
      yield* Pallas.barrierArrive('arrive', b, null)
    }),
  },
  {
    code: 'pallas.barrier.single',
    message: 'wait: expected a single barrier, found b of shape (2, 3) with 1 index',
    use: body(function* () {
      const b = yield* Pallas.Barrier('b', { numBarriers: [2, 3] })
      yield* Pallas.barrierWait('wait', b, i32(1), Pallas.freshParities)
    }),
  },
  {
    code: 'pallas.barrier.index',
    message: 'arrive: index 3 is outside of dimension 1 of barrier b, which has 3',
    use: body(function* () {
      const b = yield* Pallas.Barrier('b', { numBarriers: [2, 3] })
      yield* Pallas.barrierArrive('arrive', b, [i32(1), i32(3)])
    }),
  },
  {
    code: 'pallas.barrier.slice',
    message: 'b[0:2:2]: barrier b: a slice of step 2: expected step 1',
    use: body(function* () {
      const b = yield* Pallas.Barrier('b', { numBarriers: [2, 3] })
      yield* Pallas.barrierSlice('b[0:2:2]', b, 0, 1, 2)
    }),
  },
  {
    code: 'pallas.barrier.slice',
    message: 'b[1:3]: barrier b: slice 1:3 of dimension 0, which has 2',
    use: body(function* () {
      const b = yield* Pallas.Barrier('b', { numBarriers: [2, 3] })
      yield* Pallas.barrierSlice('b[1:3]', b, 1, 2)
    }),
  },
  {
    code: 'pallas.barrier.remote-wait',
    message:
      'wait: b belongs to another block: a thread can arrive there, but can wait only for barriers of its own block',
    use: body(function* () {
      const b = yield* Pallas.Barrier('b')
      const r = yield* Pallas.clusterBarrierRef('peer', b, { x: i32(1) })
      yield* Pallas.barrierWait('wait', r, null, Pallas.freshParities)
    }),
  },
  {
    code: 'pallas.semaphore.shape',
    message: 'sem: semaphores of shape (2, 0): expected positive integers',
    use: body(function* () {
      yield* Pallas.Semaphore('sem', { shape: [2, 0] })
    }),
  },
  {
    code: 'pallas.semaphore.single',
    message: 'signal: expected a single semaphore, found sem of shape (2,)',
    use: body(function* () {
      const s = yield* Pallas.Semaphore('sem', { shape: [2] })
      yield* Pallas.semaphoreSignal('signal', s, null)
    }),
  },
  {
    code: 'pallas.semaphore.index',
    message: 'wait: index 2 is outside of sem, which has 2 semaphores',
    use: body(function* () {
      const s = yield* Pallas.Semaphore('sem', { shape: [2] })
      yield* Pallas.semaphoreWait('wait', s, i32(2))
    }),
  },
  {
    code: 'pallas.semaphore.value',
    message: 'signal: inc of sem is 0: expected at least 1',
    use: body(function* () {
      const s = yield* Pallas.Semaphore('sem')
      yield* Pallas.semaphoreSignal('signal', s, null, { inc: 0 })
    }),
  },
  {
    code: 'pallas.semaphore.value',
    message: 'wait: value to wait for on sem is -1: a counter is never negative',
    use: body(function* () {
      const s = yield* Pallas.Semaphore('sem')
      yield* Pallas.semaphoreWait('wait', s, null, { value: -1 })
    }),
  },
  {
    code: 'pallas.atomic.ref',
    message: 'add: atomic_add: expected a tensor, or slices of it, where the operation stands',
    use: body(function* () {
      const x = yield* B.letIn('x', (yield* B.tensorParam('bins', 'i32', [4], { role: 'inout' })).view)
      yield* Pallas.atomicAdd('add', x, i32(1))
    }),
  },
  {
    code: 'pallas.atomic.dtype',
    message: 'xor: there is no atomic_xor of f32',
    use: body(function* () {
      yield* Pallas.atomicXor('xor', yield* B.sharedMemory('buf', 'f32', [4]), X.float('f32', 1))
    }),
  },
  {
    code: 'pallas.atomic.value',
    message: 'add: atomic_add of a ref of shape (4,): expected a value of that shape, found (8,)',
    use: body(function* () {
      yield* Pallas.atomicAdd('add', yield* ref('buf'), X.iota<1>([8], 0))
    }),
  },
  {
    code: 'pallas.atomic.value',
    message: 'add: atomic_add of a ref of i32: expected a value of i32, found f32',
    use: body(function* () {
      yield* Pallas.atomicAdd('add', yield* ref('buf'), X.float('f32', 1))
    }),
  },
  {
    code: 'pallas.cluster-barrier.warp',
    message: 'arrive: a warp cannot arrive on done: expected a whole thread at a ClusterBarrier',
    use: inWarp(function* () {
      const b = yield* Pallas.ClusterBarrier('done', { collectiveAxes: ['x'] })
      yield* Pallas.barrierArrive('arrive', b, null)
    }),
  },
  {
    code: 'pallas.cluster-barrier.leader',
    message: 'done: leader_tracked with collective_axes ((x, y)): expected one axis, not in a tuple',
    use: body(function* () {
      yield* Pallas.ClusterBarrier('done', { collectiveAxes: [['x', 'y']], leaderTracked: true })
    }),
  },
]
