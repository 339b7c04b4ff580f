/** Rows of the frame: kernels, meshes, warp maps, barriers, semaphores, atomics, registers, cluster launch control, inlined instructions. */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../../../src/failure.js'
import type * as Pallas from '../../../../src/dialects/pallas/index.js'
import * as B from '../../../../src/semantics/writing/builder.js'
import * as X from '../../../../src/semantics/language/expression.js'
import { i32, slice, slot, type Int, type Tile } from '../../../../src/semantics/language/expression.js'
import type { Program } from '../../../../src/semantics/language/program.js'
import type { Example, Row } from '../row.js'

type P = typeof Pallas
type Made = E.Either<Failure, Program>
const page = 'JAX docs, Pallas:MGPU reference'

// ---------------------------------------------------------------- what the examples share

const count = (n: number, f: (i: number) => number = (i) => i): ReadonlyArray<number> =>
  Array.from({ length: n }, (_, i) => f(i))
/** 0, 1, 2, 3 and more, with a run-time number added. */
const rowOf = (x: Int): Tile<'i32', 1> => X.add(X.iota<1>([4], 0), X.splat<'i32', 1>(x, [4]))
const write = (
  label: string,
  out: B.Tensor<'i32', 2>,
  row: Int,
  value: Tile<'i32', 1>,
  when?: X.Condition,
): B.Build<void> =>
  B.run(
    label,
    { _tag: 'gmem.store', destination: slot(out.view, row), value },
    when === undefined ? {} : { when },
  )
const rowsOut = (n: number): B.Build<B.Tensor<'i32', 2>> =>
  B.tensorParam('out', 'i32', [n, 4], { role: 'out' })

// ---------------------------------------------------------------- kernels, meshes, names

/** Every thread of every block writes a row of its own number: grid (2, 3), cluster (2), two threads. */
const numbered: Example<P> = {
  name: 'numbered',
  program: (P: P): Made => {
    const mesh = P.Mesh('numbered', {
      grid: [2, 3],
      gridNames: ['m', 'n'],
      cluster: [2],
      clusterNames: ['pair'],
      numThreads: 2,
      threadName: 'wg',
    })
    if (E.isLeft(mesh)) return mesh
    const { grid, gridNames, cluster, clusterNames, numThreads } = mesh.right
    return P.kernel(
      {
        name: 'numbered',
        arch: 'sm90a',
        grid,
        gridNames,
        cluster,
        clusterNames,
        numThreads,
        threadName: 'wg',
      },
      () => rowsOut(24),
      function* (out) {
        const [m, n, pair, wg] = [
          yield* P.axisIndex('m'),
          yield* P.axisIndex('n'),
          yield* P.axisIndex('pair'),
          yield* P.axisIndex('wg'),
        ]
        const digits = (
          [
            [m, 3],
            [n, 2],
            [pair, 2],
            [wg, 1],
          ] as const
        ).reduce((sum, [x, below]) => X.mul(X.add(sum, x), i32(below)), i32(0))
        const me = yield* B.letIn('me', digits)
        yield* write('write', out, me, rowOf(me))
      },
    )
  },
  outputs: { out: count(96, (i) => Math.floor(i / 4) + (i % 4)) },
}

/** Thread 1 adds 10, thread 0 nothing: one decided by `when`, one by `cond`; a run-time branch beside them. */
const branches: Example<P> = {
  name: 'branches',
  program: (P) =>
    P.kernel(
      { name: 'branches', arch: 'sm90a', grid: [2], gridNames: ['i'], numThreads: 2, threadName: 'wg' },
      () => rowsOut(4),
      function* (out) {
        const wg = yield* P.axisIndex('wg')
        const i = yield* P.axisIndex('i')
        const { x } = yield* P.cond<{ readonly x: 'i32' }>(
          'which',
          X.eq(wg, i32(1)),
          () => B.of({ x: i32(10) }),
          function* () {
            const { y } = yield* P.cond<{ readonly y: 'i32' }>(
              'block',
              X.eq(i, i32(1)),
              () => B.of({ y: i32(5) }),
              () => B.of({ y: i32(7) }),
            )
            return { x: y }
          },
        )
        const row = yield* B.letIn('row', X.add(X.mul(i, i32(2)), wg))
        yield* P.when('every', X.ge(i, i32(0)), () => write('write', out, row, rowOf(x)))
      },
    ),
  outputs: { out: [7, 10, 5, 10].flatMap((x) => count(4, (i) => x + i)) },
}

/** Each program of a grid (2, 2) writes a row. */
const programs: Example<P> = {
  name: 'programs',
  program: (P) =>
    P.kernel(
      { name: 'programs', arch: 'sm90a', grid: [2, 2], gridNames: ['i', 'j'] },
      () => rowsOut(4),
      function* (out) {
        const row = yield* B.letIn('row', X.add(X.mul(P.programId(0), i32(2)), P.programId(1)))
        yield* write('write', out, row, rowOf(row))
      },
    ),
  outputs: { out: count(16, (i) => Math.floor(i / 4) + (i % 4)) },
}

/** x + bias, block by block: rows are blocks of the grid, columns are steps of a pipeline of two slots. */
const call: Example<P> = {
  name: 'call',
  program: (P) =>
    P.pallasCall(
      {
        name: 'call',
        arch: 'sm90a',
        grid: [2, 3],
        compilerParams: { dimensionSemantics: ['parallel', 'sequential'], maxConcurrentSteps: 2 },
      },
      function* () {
        const x = yield* B.tensorParam('x', 'i32', [16, 96], { role: 'in' })
        const bias = yield* B.tensorParam('bias', 'i32', [3], { role: 'in' })
        const out = yield* B.tensorParam('out', 'i32', [16, 96], { role: 'out' })
        const blocks = {
          shape: [8, 32],
          indexMap: (...ids: ReadonlyArray<Int>) => [ids[0]!, ids[1]!],
        }
        return {
          inSpecs: [
            { tensor: x, ...blocks },
            { tensor: bias, memorySpace: 'GMEM' },
          ],
          outSpecs: [{ tensor: out, ...blocks }],
          scratch: null,
        }
      },
      function* ({ programIds, refs: [x, bias, out] }) {
        const v = yield* B.smemLoad('x', x)
        const b = yield* B.gmemLoad('b', slice(bias, [programIds[1]!], [1]))
        const wide = X.broadcast(X.expandDims(b, 0), [8, 32])
        yield* B.run('store', { _tag: 'smem.store', destination: out, value: X.add(v, wide) })
      },
    ),
  inputs: { x: count(16 * 96), bias: [1000, 2000, 3000] },
  outputs: { out: count(16 * 96, (i) => i + 1000 * (1 + Math.floor((i % 96) / 32))) },
}

/** A thread that is its warps: each reads what its neighbour stored. Before the store between, they meet; if not, that is a race. */
const unsafe: Example<P> = {
  name: 'unsafe',
  program: (P) =>
    P.kernel(
      { name: 'unsafe', arch: 'sm90a', compilerParams: { unsafeNoAutoBarriers: true }, warps: 'agents' },
      function* () {
        return { out: yield* rowsOut(8), buf: yield* B.sharedMemory('buf', 'i32', [4, 4]) }
      },
      function* ({ out, buf }) {
        const me = X.place('agent')
        yield* B.run('store', { _tag: 'smem.store', destination: slot(buf, me), value: rowOf(me) })
        yield* write('write own', out, me, rowOf(me))
        const theirs = yield* B.smemLoad('theirs', slot(buf, X.mod(X.add(me, i32(1)), i32(4))))
        yield* write('write theirs', out, X.add(me, i32(4)), theirs)
      },
    ),
  verdict: 'hazard',
  ids: ['D1'],
}

// ---------------------------------------------------------------- warp maps

/** Each warp writes a row of what it is; the thread captures a number for them. */
const warps: Example<P> = {
  name: 'warps',
  program: (P) =>
    P.kernel(
      { name: 'warps', arch: 'sm90a', grid: [2], gridNames: ['i'] },
      () => rowsOut(8),
      function* (out) {
        const i = yield* P.axisIndex('i')
        const base = yield* B.letIn('base', X.mul(i, i32(4)))
        yield* P.coreMap('map', P.WarpMesh({ axisName: 'warp' }), { base }, function* (c) {
          const w = yield* P.axisIndex('warp')
          const row = yield* B.letIn('row', X.add(c.base, w))
          yield* write('write', out, row, rowOf(row))
        })
      },
    ),
  outputs: { out: count(32, (i) => Math.floor(i / 4) + (i % 4)) },
}

// ---------------------------------------------------------------- barriers

/** Two threads hand over the rows of an array of barriers (2, 2): thread 0 fills, thread 1 reads. */
const handOver: Example<P> = {
  name: 'handOver',
  program: (P) =>
    P.kernel(
      { name: 'handOver', arch: 'sm90a', numThreads: 2, threadName: 'wg' },
      function* () {
        return {
          out: yield* rowsOut(4),
          buf: yield* B.sharedMemory('buf', 'i32', [4, 4]),
          full: yield* P.Barrier('full', { numBarriers: [2, 2] }),
        }
      },
      function* ({ out, buf, full }) {
        const wg = yield* P.axisIndex('wg')
        yield* P.when('producer', X.eq(wg, i32(0)), function* () {
          for (const k of [0, 1, 2, 3]) {
            const value = rowOf(i32(10 * k))
            yield* B.run(`store ${String(k)}`, { _tag: 'smem.store', destination: slot(buf, i32(k)), value })
            yield* P.barrierArrive(`arrive ${String(k)}`, P.barrierAt(full, i32(k >> 1)), i32(k & 1))
          }
        })
        yield* P.when('consumer', X.eq(wg, i32(1)), function* () {
          const lower = yield* P.barrierSlice('full[1:]', full, 1, 1)
          let parities = P.freshParities
          for (const k of [0, 1, 2, 3]) {
            const [of, at] = k < 2 ? [full, [i32(0), i32(k)]] : [lower, [i32(0), i32(k - 2)]]
            parities = yield* P.barrierWait(`wait ${String(k)}`, of, at, parities)
            const v = yield* B.smemLoad(`load ${String(k)}`, slot(buf, i32(k)))
            yield* write(`write ${String(k)}`, out, i32(k), v)
          }
        })
      },
    ),
  outputs: { out: count(16, (i) => 10 * Math.floor(i / 4) + (i % 4)) },
}

/** A warp, or a thread, arrives, and tests twice: what it sees is certain here, for nobody else arrives. */
const testedBy = (who: 'a warp' | 'a thread'): Example<P> => ({
  name: 'tested',
  program: (P) =>
    P.kernel(
      { name: 'tested', arch: 'sm90a' },
      function* () {
        return { out: yield* rowsOut(1), b: yield* P.Barrier('b') }
      },
      function* ({ out, b }) {
        const tests = function* (): B.Steps<void> {
          const early = yield* P.barrierTest('early', b, null, P.freshParities)
          yield* P.barrierArrive('arrive', b, null)
          const late = yield* P.barrierTest('late', b, null, early.parities)
          const again = yield* P.barrierTest('again', b, null, late.parities)
          const digit = (c: X.Condition, n: number): Int => X.select(c, i32(n), i32(0))
          const sum = X.add(digit(early.done, 1), X.add(digit(late.done, 10), digit(again.done, 100)))
          yield* write('write', out, i32(0), rowOf(X.add(sum, X.mul(again.parities, i32(1000)))))
        }
        if (who === 'a thread') yield* tests()
        else
          yield* P.coreMap('map', P.WarpMesh({ axisName: 'warp' }), {}, function* () {
            const w = yield* P.axisIndex('warp')
            yield* P.when('first', X.eq(w, i32(0)), tests)
          })
      },
    ),
  outputs: { out: count(4, (i) => 1010 + i) },
})
const tested = testedBy('a warp')
export const testedByThread: Example<P> = testedBy('a thread')

/** Two threads hand over two slots, three times; every wait has the parity that its thread carries. */
const ring: Example<P> = {
  name: 'ring',
  program: (P) =>
    P.kernel(
      { name: 'ring', arch: 'sm90a', numThreads: 2, threadName: 'wg' },
      function* () {
        return {
          out: yield* rowsOut(6),
          buf: yield* B.sharedMemory('buf', 'i32', [2, 4]),
          full: yield* P.Barrier('full', { numBarriers: 2 }),
          empty: yield* P.Barrier('empty', { numBarriers: 2 }),
        }
      },
      function* ({ out, buf, full, empty }) {
        const wg = yield* P.axisIndex('wg')
        yield* P.when('producer', X.eq(wg, i32(0)), () =>
          P.foriLoop('k', 6, function* (k) {
            const s = yield* B.letIn('slot', X.rem(k, i32(2)))
            yield* P.when('used', X.ge(k, i32(2)), function* () {
              yield* P.barrierWait('wait empty', empty, s)
            })
            const value = rowOf(X.mul(k, i32(10)))
            yield* B.run('store', { _tag: 'smem.store', destination: slot(buf, s), value })
            yield* P.barrierArrive('arrive full', full, s)
          }),
        )
        yield* P.when('consumer', X.eq(wg, i32(1)), () =>
          P.foriLoop('k', 6, function* (k) {
            const s = yield* B.letIn('slot', X.rem(k, i32(2)))
            yield* P.barrierWait('wait full', full, s)
            yield* write('write', out, k, yield* B.smemLoad('load', slot(buf, s)))
            yield* P.when('again', X.lt(k, i32(4)), () => P.barrierArrive('arrive empty', empty, s))
          }),
        )
      },
    ),
  outputs: { out: count(24, (i) => 10 * Math.floor(i / 4) + (i % 4)) },
}

/** A block writes to its peer, and both say that it is done. */
const exchange: Example<P> = {
  name: 'exchange',
  program: (P) =>
    P.kernel(
      { name: 'exchange', arch: 'sm90a', cluster: [2], clusterNames: ['x'] },
      function* () {
        return {
          out: yield* rowsOut(2),
          buf: yield* B.sharedMemory('buf', 'i32', [4]),
          done: yield* P.ClusterBarrier('done', { collectiveAxes: ['x'] }),
        }
      },
      function* ({ out, buf, done }) {
        const x = yield* P.axisIndex('x')
        yield* B.run('store', {
          _tag: 'smem.store',
          destination: X.remote(buf, X.sub(i32(1), x)),
          value: rowOf(X.mul(i32(10), x)),
        })
        yield* P.barrierArrive('arrive', done, null)
        yield* P.barrierWait('wait', done, null, P.freshParities)
        yield* write('write', out, x, yield* B.smemLoad('load', buf))
      },
    ),
  outputs: { out: [10, 11, 12, 13, 0, 1, 2, 3] },
}

/** Block 1 arrives at block 0's barrier, which alone waits. */
const remoteArrive: Example<P> = {
  name: 'remoteArrive',
  program: (P) =>
    P.kernel(
      { name: 'remoteArrive', arch: 'sm90a', cluster: [2], clusterNames: ['x'] },
      function* () {
        return {
          out: yield* rowsOut(1),
          buf: yield* B.sharedMemory('buf', 'i32', [4]),
          full: yield* P.Barrier('full'),
        }
      },
      function* ({ out, buf, full }) {
        const x = yield* P.axisIndex('x')
        const lead = X.eq(x, i32(0))
        const theirs = yield* P.clusterBarrierRef('full of 0', full, { x: i32(0) })
        yield* P.when('writer', X.not(lead), function* () {
          yield* B.run('store', {
            _tag: 'smem.store',
            destination: X.remote(buf, i32(0)),
            value: rowOf(i32(7)),
          })
          yield* P.barrierArrive('arrive', theirs, null)
        })
        yield* P.when('reader', lead, function* () {
          yield* P.barrierWait('wait', full, null, P.freshParities)
          yield* write('write', out, i32(0), yield* B.smemLoad('load', buf))
        })
      },
    ),
  outputs: { out: [7, 8, 9, 10] },
}

// ---------------------------------------------------------------- semaphores, atomics

/** Block 0 writes a row that block 1 reads; two counters are signalled together, one of them waited for twice. */
const semaphores: Example<P> = {
  name: 'semaphores',
  program: (P) =>
    P.kernel(
      { name: 'semaphores', arch: 'sm90a', grid: [2], gridNames: ['i'] },
      function* () {
        return {
          out: yield* rowsOut(2),
          partial: yield* B.tensorParam('partial', 'i32', [1, 4], { role: 'inout' }),
          sem: yield* P.Semaphore('sem', { type: P.SemaphoreType.REGULAR, shape: [2] }),
        }
      },
      function* ({ out, partial, sem }) {
        const i = yield* P.axisIndex('i')
        yield* P.when('first', X.eq(i, i32(0)), function* () {
          yield* write('partial', partial, i32(0), rowOf(i32(3)))
          yield* P.semaphoreSignal('signal', sem, i32(0), { inc: 2 })
          yield* P.semaphoreSignalParallel('signals', [
            { semaphore: sem, index: i32(0) },
            { semaphore: sem, index: i32(1), inc: 4 },
          ])
          yield* write('own', out, i32(0), rowOf(i32(0)))
        })
        yield* P.when('second', X.eq(i, i32(1)), function* () {
          yield* P.semaphoreWait('wait', sem, i32(0), { value: 3 })
          yield* P.semaphoreWait('wait 1', sem, i32(1), { value: 1, decrement: false })
          yield* write('copy', out, i32(1), yield* B.gmemLoad('read', slot(partial.view, i32(0))))
        })
      },
    ),
  inputs: { partial: [0, 0, 0, 0], sem: [0, 0] },
  outputs: { out: [0, 1, 2, 3, 3, 4, 5, 6], sem: [0, 4] },
}

const start = [12, 12, 12, 12]
/** Two blocks work on the same counters, of global memory; one row for each operation. */
const counters: Example<P> = {
  name: 'counters',
  program: (P) =>
    P.kernel(
      { name: 'counters', arch: 'sm90a', grid: [2], gridNames: ['i'] },
      function* () {
        return {
          c: yield* B.tensorParam('c', 'i32', [6, 4], { role: 'inout' }),
          local: yield* B.sharedMemory('local', 'i32', [4]),
        }
      },
      function* ({ c, local }) {
        const i = yield* P.axisIndex('i')
        const v = yield* B.letIn('v', rowOf(X.mul(i, i32(9))))
        const row = (k: number): X.View<'gmem', 'i32', 1> => slot(c.view, i32(k))
        yield* B.run('zero', { _tag: 'smem.store', destination: local, value: rowOf(i32(0)) })
        yield* P.atomicAdd('add local', slice(local, [i32(1)], [2]), i32(5))
        const own = yield* B.smemLoad('own', local)
        yield* P.atomicAdd('add', row(0), own)
        yield* P.atomicMax('max', row(1), v)
        yield* P.atomicMin('min', row(2), v)
        yield* P.atomicAnd('and', row(3), v)
        yield* P.atomicOr('or', row(4), v)
        yield* P.atomicXor('xor', slice(row(5), [i32(1)], [3]), i32(7))
      },
    ),
  inputs: { c: [0, 1, 2, 3, 4, 5].flatMap(() => start) },
  outputs: {
    // by hand: block 0 brings (0, 1, 2, 3), block 1 (9, 10, 11, 12); both add (0, 6, 7, 3); two equal xors cancel
    c: [
      ...[12, 24, 26, 18],
      ...[12, 12, 12, 12],
      ...[0, 1, 2, 3],
      ...[12 & 0 & 9, 12 & 1 & 10, 12 & 2 & 11, 12 & 3 & 12],
      ...[12 | 0 | 9, 12 | 1 | 10, 12 | 2 | 11, 12 | 3 | 12],
      ...start,
    ],
  },
}
/** One block, so that two equal operations do not cancel. */
const flipped: Example<P> = {
  name: 'flipped',
  program: (P) =>
    P.kernel(
      { name: 'flipped', arch: 'sm90a' },
      () => B.tensorParam('c', 'i32', [2, 4], { role: 'inout' }),
      function* (c) {
        yield* P.atomicXor('xor', slice(c.view, [i32(0), i32(1)], [2, 2]), i32(7))
        yield* P.atomicMax('max', slot(c.view, i32(1)), rowOf(i32(11)))
      },
    ),
  inputs: { c: [12, 12, 12, 12, 12, 12, 12, 12] },
  // 12 xor 7 is 11; the second row is then raised to (11, 12, 13, 14)
  outputs: { c: [12, 11, 11, 12, 12, 12, 13, 14] },
}

// ---------------------------------------------------------------- registers

/** Three threads have 168 each. One takes 232 before anybody gives back, and only it would: it waits for ever. */
const starved: Example<P> = {
  name: 'starved',
  program: (P) =>
    P.kernel(
      { name: 'starved', arch: 'sm90a', grid: [1], gridNames: ['i'], numThreads: 3, threadName: 'wg' },
      () => P.Barrier('full'),
      function* (full) {
        const wg = yield* P.axisIndex('wg')
        yield* P.when('greedy', X.eq(wg, i32(0)), function* () {
          yield* P.setMaxRegisters('increase', 232, { action: 'increase' })
          yield* P.barrierArrive('arrive', full, null)
        })
        yield* P.when('late', X.eq(wg, i32(1)), function* () {
          yield* P.barrierWait('wait', full, null, P.freshParities)
          yield* P.setMaxRegisters('decrease', 40, { action: 'decrease' })
        })
      },
    ),
  verdict: 'deadlock',
}

// ---------------------------------------------------------------- cluster launch control

/** A persistent copy: a cluster of two blocks does its tile, then asks for another until none is left. Two threads a block. */
const persistent: Example<P> = {
  name: 'persistent',
  program: (P) =>
    P.kernel(
      {
        name: 'persistent',
        arch: 'sm100a',
        grid: [2, 2],
        gridNames: ['m', 'n'],
        cluster: [2],
        clusterNames: ['c'],
        numThreads: 2,
        threadName: 'wg',
      },
      function* () {
        return {
          out: yield* rowsOut(16),
          results: yield* P.TryClusterCancelResults('results', 2),
          answered: yield* P.Barrier('answered', { numArrivals: 2, numBarriers: 2 }),
        }
      },
      function* ({ out, results, answered }) {
        const [m, n, c, wg] = [
          yield* P.axisIndex('m'),
          yield* P.axisIndex('n'),
          yield* P.axisIndex('c'),
          yield* P.axisIndex('wg'),
        ]
        yield* B.whileLoop<{
          readonly m: 'i32'
          readonly n: 'i32'
          readonly more: 'i1'
          readonly turn: 'i32'
          readonly parities: 'i32'
        }>(
          {
            label: 'tiles',
            carried: { m, n, more: X.i1(true), turn: i32(0), parities: P.freshParities },
          },
          function* (carried) {
            const go = yield* B.letIn('go', carried.more)
            return [go, carried] as const
          },
          function* (carried) {
            const s = yield* B.letIn('slot', X.rem(carried.turn, i32(2)))
            const result = slot(results, s)
            yield* P.tryClusterCancel('ask', result, answered, s)
            const tile = X.add(X.mul(carried.m, i32(2)), carried.n)
            const row = yield* B.letIn('row', X.add(X.mul(X.add(X.mul(tile, i32(2)), c), i32(2)), wg))
            yield* write('write', out, row, rowOf(row))
            const parities = yield* P.barrierWait('wait', answered, s, carried.parities)
            const { success, indices } = yield* P.queryClusterCancel('answer', result, ['m', 'n'])
            // everybody has read it before the next answer may come, which the async proxy writes
            yield* P.commitSmem('commit')
            yield* B.run('arrive read', { _tag: 'cluster.arrive', relaxed: false })
            yield* B.run('wait read', { _tag: 'cluster.wait' })
            return {
              m: indices[0]!,
              n: indices[1]!,
              more: success,
              turn: X.add(carried.turn, i32(1)),
              parities,
            }
          },
        )
      },
    ),
  outputs: { out: count(64, (i) => Math.floor(i / 4) + (i % 4)) },
}

// ---------------------------------------------------------------- inlined instructions

const doubled: Example<P> = {
  name: 'doubled',
  program: (P) =>
    P.kernel(
      { name: 'doubled', arch: 'sm90a' },
      function* () {
        return { out: yield* rowsOut(1), buf: yield* B.sharedMemory('buf', 'i32', [4]) }
      },
      function* ({ out, buf }) {
        yield* B.run('store', { _tag: 'smem.store', destination: buf, value: rowOf(i32(1)) })
        const twice = yield* P.inlineMgpu(
          'inline',
          {
            argTypes: [P.RefType({ space: 'smem', dtype: 'i32', shape: [4] }), P.ScalarType('i32')],
            returnType: P.ArrayType({ dtype: 'i32', shape: [4] }),
          },
          [buf, i32(100)] as const,
          function* ([ref, by]) {
            const x = yield* B.smemLoad('x', ref)
            return yield* B.letIn('sum', X.add(X.add(x, x), X.splat<'i32', 1>(by, [4])))
          },
        )
        yield* write('write', out, i32(0), twice)
      },
    ),
  outputs: { out: [102, 104, 106, 108] },
}

// ---------------------------------------------------------------- the rows

const nothing = function* (): B.Steps<void> {}

export const rows: ReadonlyArray<Row<P>> = [
  {
    operation: 'plgpu.kernel',
    names: ['kernel'],
    page,
    example: numbered,
    kind: 'frame',
    without: (P) => ({ ...P, kernel: (o, declare) => P.kernel(o, declare, nothing) }),
  },
  {
    operation: 'plgpu.Mesh',
    names: ['Mesh'],
    page,
    example: numbered,
    kind: 'frame',
    without: (P) => ({
      ...P,
      Mesh: (label, o) => E.map((m: Pallas.Mesh) => ({ ...m, grid: [1, 1] }))(P.Mesh(label, o)),
    }),
  },
  {
    operation: 'lax.axis_index',
    names: ['axisIndex'],
    page,
    example: numbered,
    kind: 'view',
    without: (P) => ({ ...P, axisIndex: () => B.of(i32(0)) }),
  },
  {
    operation: 'pl.program_id',
    names: ['programId'],
    page,
    example: programs,
    kind: 'view',
    without: (P) => ({ ...P, programId: () => i32(0) }),
  },
  {
    operation: 'pl.when',
    names: ['when'],
    page,
    example: branches,
    kind: 'statements',
    change: (P, wrap) => ({ ...P, when: wrap(P.when) }),
  },
  {
    operation: 'lax.cond',
    names: ['cond'],
    page,
    example: branches,
    kind: 'view',
    without: (P) => ({ ...P, cond: (_label, _condition, _then, otherwise) => B.block(otherwise) }),
  },
  {
    operation: 'pl.pallas_call',
    names: ['pallasCall'],
    page,
    example: call,
    kind: 'frame',
    without: (P) => ({ ...P, pallasCall: (o, declare) => P.pallasCall(o, declare, nothing) }),
  },
  {
    operation: 'plgpu.GPUBlockSpec',
    names: ['pallasCall'],
    page,
    example: call,
    kind: 'frame',
    without: (P) => ({
      ...P,
      pallasCall: (o, declare, body) => P.pallasCall({ ...o, grid: o.grid.map(() => 1) }, declare, body),
    }),
  },
  {
    operation: 'plgpu.CompilerParams',
    names: ['kernel', 'checkParams'],
    page,
    example: unsafe,
    kind: 'frame',
    without: (P) => ({
      ...P,
      kernel: (o, declare, body) => P.kernel({ ...o, compilerParams: {} }, declare, body),
    }),
  },
  {
    operation: 'pl.core_map',
    names: ['coreMap', 'WarpMesh', 'warpMap'],
    page,
    example: warps,
    kind: 'statements',
    change: (P, wrap) => ({ ...P, coreMap: wrap(P.coreMap) }),
  },
  {
    operation: 'lax.fori_loop',
    names: ['foriLoop'],
    page,
    example: ring,
    kind: 'statements',
    change: (P, wrap) => ({ ...P, foriLoop: wrap(P.foriLoop) }),
  },
  {
    operation: 'plgpu.Barrier',
    names: ['Barrier', 'initBarrier'],
    page,
    example: handOver,
    kind: 'storage',
    without: (P) => ({
      ...P,
      Barrier: (name, o) =>
        B.block(function* () {
          return { ...(yield* P.Barrier(name, o)), allocated: 0 }
        }),
    }),
  },
  {
    operation: 'barrier.at[...]',
    names: ['barrierAt', 'barrierSlice'],
    page,
    example: handOver,
    kind: 'view',
    without: (P) => ({ ...P, barrierAt: (b) => P.barrierAt(b, i32(0)) }),
  },
  {
    operation: 'plgpu.barrier_arrive',
    names: ['barrierArrive'],
    page,
    example: handOver,
    kind: 'statements',
    change: (P, wrap) => ({ ...P, barrierArrive: wrap(P.barrierArrive) }),
  },
  {
    operation: 'plgpu.barrier_wait',
    names: ['barrierWait'],
    page,
    example: handOver,
    kind: 'statements',
    change: (P, wrap) => ({ ...P, barrierWait: wrap(P.barrierWait) }),
  },
  {
    operation: 'plgpu.barrier_test',
    names: ['barrierTest'],
    page,
    example: tested,
    kind: 'statements',
    change: (P, wrap) => ({ ...P, barrierTest: wrap(P.barrierTest) }),
  },
  {
    operation: 'plgpu.ClusterBarrier',
    names: ['ClusterBarrier'],
    page,
    example: exchange,
    kind: 'storage',
    without: (P) => ({ ...P, ClusterBarrier: (name, o) => P.Barrier(name, o) }),
  },
  {
    operation: 'plgpu.cluster_ref (of a barrier)',
    names: ['clusterBarrierRef'],
    page,
    example: remoteArrive,
    kind: 'view',
    without: (P) => ({ ...P, clusterBarrierRef: (_label, b) => B.of(b) }),
  },
  {
    operation: 'plgpu.SemaphoreType.REGULAR',
    names: ['Semaphore', 'SemaphoreType'],
    page,
    example: semaphores,
    kind: 'storage',
    without: (P) => ({ ...P, Semaphore: (name, o) => P.Semaphore(name, { ...o, shape: [1] }) }),
  },
  {
    operation: 'plgpu.semaphore_signal',
    names: ['semaphoreSignal'],
    page,
    example: semaphores,
    kind: 'statements',
    change: (P, wrap) => ({ ...P, semaphoreSignal: wrap(P.semaphoreSignal) }),
  },
  {
    operation: 'plgpu.semaphore_signal_parallel',
    names: ['semaphoreSignalParallel'],
    page,
    example: semaphores,
    kind: 'statements',
    change: (P, wrap) => ({ ...P, semaphoreSignalParallel: wrap(P.semaphoreSignalParallel) }),
  },
  {
    operation: 'plgpu.semaphore_wait',
    names: ['semaphoreWait'],
    page,
    example: semaphores,
    kind: 'statements',
    change: (P, wrap) => ({ ...P, semaphoreWait: wrap(P.semaphoreWait) }),
  },
  {
    operation: 'plgpu.atomic_add',
    names: ['atomicAdd'],
    page,
    example: counters,
    kind: 'statements',
    change: (P, wrap) => ({ ...P, atomicAdd: wrap(P.atomicAdd) }),
  },
  {
    operation: 'plgpu.atomic_max',
    names: ['atomicMax'],
    page,
    example: flipped,
    kind: 'statements',
    change: (P, wrap) => ({ ...P, atomicMax: wrap(P.atomicMax) }),
  },
  {
    operation: 'plgpu.atomic_min',
    names: ['atomicMin'],
    page,
    example: counters,
    kind: 'statements',
    change: (P, wrap) => ({ ...P, atomicMin: wrap(P.atomicMin) }),
  },
  {
    operation: 'plgpu.atomic_and',
    names: ['atomicAnd'],
    page,
    example: counters,
    kind: 'statements',
    change: (P, wrap) => ({ ...P, atomicAnd: wrap(P.atomicAnd) }),
  },
  {
    operation: 'plgpu.atomic_or',
    names: ['atomicOr'],
    page,
    example: counters,
    kind: 'statements',
    change: (P, wrap) => ({ ...P, atomicOr: wrap(P.atomicOr) }),
  },
  {
    operation: 'plgpu.atomic_xor',
    names: ['atomicXor'],
    page,
    example: flipped,
    kind: 'statements',
    change: (P, wrap) => ({ ...P, atomicXor: wrap(P.atomicXor) }),
  },
  {
    operation: 'plgpu.set_max_registers',
    names: ['setMaxRegisters'],
    page,
    example: starved,
    kind: 'statements',
    change: (P, wrap) => ({ ...P, setMaxRegisters: wrap(P.setMaxRegisters) }),
  },
  {
    operation: 'plgpu.TryClusterCancelResult',
    names: ['TryClusterCancelResults', 'TryClusterCancelResult'],
    page,
    example: persistent,
    kind: 'storage',
    without: (P) => ({ ...P, TryClusterCancelResults: (name) => B.sharedMemory(name, 'i8', [1, 8]) }),
  },
  {
    operation: 'plgpu.try_cluster_cancel',
    names: ['tryClusterCancel'],
    page,
    example: persistent,
    kind: 'statements',
    change: (P, wrap) => ({ ...P, tryClusterCancel: wrap(P.tryClusterCancel) }),
  },
  {
    operation: 'plgpu.query_cluster_cancel',
    names: ['queryClusterCancel'],
    page,
    example: persistent,
    kind: 'statements',
    change: (P, wrap) => ({ ...P, queryClusterCancel: wrap(P.queryClusterCancel) }),
  },
  {
    operation: 'plgpu.inline_mgpu',
    names: ['inlineMgpu', 'RefType', 'ArrayType', 'ScalarType'],
    page,
    example: doubled,
    kind: 'statements',
    change: (P, wrap) => ({ ...P, inlineMgpu: wrap(P.inlineMgpu) }),
  },
]
