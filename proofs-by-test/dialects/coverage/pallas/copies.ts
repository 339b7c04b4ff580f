/** Rows of copies between GMEM and SMEM, of peers' SMEM, and of loads, stores and layouts. */
import type * as E from 'fp-ts/lib/Either.js'
import type * as Pallas from '../../../../src/dialects/pallas/index.js'
import type { Failure } from '../../../../src/failure.js'
import { TMA_INDICES_4, WGMMA, WGMMA_TRANSPOSED } from '../../../../src/layouts/tiled.js'
import type { Dtype } from '../../../../src/numerics/dtype.js'
import * as B from '../../../../src/semantics/writing/builder.js'
import {
  add,
  bitcast,
  eq,
  float,
  i1,
  i32,
  iota,
  mul,
  place,
  slice,
  splat,
  sub,
  type Int,
  type View,
} from '../../../../src/semantics/language/expression.js'
import type { Program } from '../../../../src/semantics/language/program.js'
import type { Example, Row } from '../row.js'

type Surface = typeof Pallas
type Rows = ReadonlyArray<Row<Surface>>

const page = 'JAX docs, Pallas:MGPU reference, asynchronous copies'
const copyPage = 'JAX docs, plgpu.copy_gmem_to_smem'

// ---------------------------------------------------------------- small kernels

const zero = i32(0)
const count = (n: number, from = 0): ReadonlyArray<number> => Array.from({ length: n }, (_, i) => from + i)

/** One thread, in one block or a cluster with the axis "c"; the body declares, and gives what runs. */
const kernel = (
  P: Surface,
  name: string,
  made: { readonly arch?: 'sm90a' | 'sm100a'; readonly cluster?: number },
  body: () => B.Steps<{
    readonly barriers: ReadonlyArray<Pallas.Barrier>
    readonly run: () => B.Steps<void>
  }>,
): E.Either<Failure, Program> =>
  P.kernel(
    {
      name,
      arch: made.arch ?? 'sm90a',
      ...(made.cluster === undefined ? {} : { cluster: [made.cluster], clusterNames: ['c'] }),
    },
    body,
    ({ run }) => run(),
  )

const meet = (label: string): B.Build<void> =>
  B.block(function* () {
    yield* B.run(`${label}.arrive`, { _tag: 'cluster.arrive', relaxed: false })
    yield* B.run(label, { _tag: 'cluster.wait' })
  })

/** Loads a ref and writes it out. */
const out = <D extends 'i32' | 'f32'>(ref: View<'smem', D, 2>, to: View<'gmem', D, 2>): B.Build<void> =>
  B.block(function* () {
    const v = yield* B.smemLoad('v', ref)
    yield* B.run('write', { _tag: 'gmem.store', destination: to, value: v })
  })

const shape = [4, 32] as const
const size = 128

// ---------------------------------------------------------------- copy_gmem_to_smem

/** x (8, 32), of which 4 rows from `start` on are copied; what is written is their bits. */
const oneCopy = (
  name: string,
  start: number,
  options: Pallas.CopyOptions,
  outputs: ReadonlyArray<number>,
  dtype: 'i32' | 'f32' = 'i32',
): Example<Surface> => ({
  name,
  inputs: { x: count(256, 1) },
  outputs: { out: outputs },
  program: (P) =>
    kernel(P, name, {}, function* () {
      const x = yield* B.tensorParam('x', dtype, [8, 32], { role: 'in' })
      const to = yield* B.tensorParam('out', 'i32', shape, { role: 'out' })
      const s = yield* B.sharedMemory('s', dtype, shape)
      const full = yield* P.Barrier('full', { numBarriers: 1 })
      return {
        barriers: [full],
        *run() {
          const zeros =
            dtype === 'i32' ? splat<'i32', 2>(zero, shape) : splat<'f32', 2>(float('f32', 0), shape)
          yield* B.run('clear', { _tag: 'smem.store', destination: s, value: zeros })
          yield* P.commitSmem('commit')
          const from = P.at(x, [P.blockStart(i32(start), 1), zero], shape)
          yield* P.copyGmemToSmem('copy', from, s, full, null, options)
          yield* P.barrierWait('wait', full, zero, P.freshParities)
          const v = yield* B.smemLoad('v', s)
          const value = dtype === 'i32' ? v : bitcast(v, 'i32')
          yield* B.run('write', { _tag: 'gmem.store', destination: to.view, value })
        },
      }
    }),
})

const plain = oneCopy('copy', 2, {}, count(size, 65))
const outside = oneCopy('out-of-bounds', 6, { oobMode: 'ZEROS' }, [
  ...count(64, 193),
  ...count(64).map(() => 0),
])
/** bits of floats: numbers, and the NaN that the copy engine fills in */
const undefinedOutside = oneCopy(
  'undefined',
  6,
  { oobMode: 'UNDEFINED' },
  [
    ...count(64, 193).map((x) => new Int32Array(Float32Array.of(x).buffer)[0]!),
    ...count(64).map(() => 0x7ff77ff7),
  ],
  'f32',
)
const promised = oneCopy('promised', 4, { oobMode: 'PROMISE_IN_BOUNDS' }, count(size, 129))
const predicated = oneCopy(
  'predicated',
  2,
  { predicate: i1(false) },
  count(size).map(() => 0),
)

/** Two blocks; x (8, 32) is copied together; each block writes what it holds to out[block]. */
const together = (
  name: string,
  source: (block: Int) => readonly [starts: ReadonlyArray<Int>, sizes: readonly [number, number]],
  optionsOf: (P: Surface) => Pallas.CopyOptions,
  outputs: ReadonlyArray<number>,
): Example<Surface> => ({
  name,
  inputs: { x: count(256, 1) },
  outputs: { out: outputs },
  program: (P) => {
    const options = optionsOf(P)
    const leader = options.leaderTracked !== undefined || options.partitionedAxis !== undefined
    return kernel(P, name, { cluster: 2, arch: 'sm100a' }, function* () {
      const x = yield* B.tensorParam('x', 'i32', [8, 32], { role: 'in' })
      const to = yield* B.tensorParam('out', 'i32', [8, 32], { role: 'out' })
      const s = yield* B.sharedMemory('s', 'i32', shape)
      const full = yield* P.Barrier('full', { numBarriers: 1 })
      return {
        barriers: [full],
        *run() {
          const me = place('ctaRank')
          const [starts, sizes] = source(me)
          yield* P.copyGmemToSmem('copy', P.at(x, starts, sizes), s, full, null, options)
          if (leader) {
            yield* B.ifThen('leader', eq(me, zero), function* () {
              yield* P.barrierWait('wait', full, zero, P.freshParities)
            })
            yield* meet('copied')
          } else yield* P.barrierWait('wait', full, zero, P.freshParities)
          yield* out(s, slice(to.view, [mul(me, i32(4)), zero], shape))
          yield* meet('end')
        },
      }
    })
  },
})
const both = [...count(size, 65), ...count(size, 65)]
const multicast = together(
  'multicast',
  () => [[i32(2), zero], shape],
  () => ({ collectiveAxes: 'c' }),
  both,
)
const halves = (name: string, options: (P: Surface) => Pallas.CopyOptions): Example<Surface> =>
  together(
    name,
    () => [
      [zero, zero],
      [8, 32],
    ],
    (P) => ({ collectiveAxes: 0, ...options(P) }),
    count(256, 1),
  )
const older = halves('older', () => ({ partitionedAxis: 0 }))

const firstFour = iota<1>([4], 0, TMA_INDICES_4)
const rowsOf = (name: string, direction: 'gather' | 'scatter'): Example<Surface> => {
  const rows = [5, 0, 7, 2]
  return {
    name,
    inputs: { x: count(256, 1), rows, ...(direction === 'gather' ? {} : { out: count(256).map(() => 0) }) },
    outputs: {
      out:
        direction === 'gather'
          ? rows.flatMap((r) => count(32, 1 + 32 * r))
          : count(8).flatMap((r) =>
              rows.includes(r) ? count(32, 1 + 32 * rows.indexOf(r)) : count(32).map(() => 0),
            ),
    },
    program: (P) =>
      kernel(P, name, { arch: 'sm100a' }, function* () {
        const x = yield* B.tensorParam('x', 'i32', [8, 32], { role: 'in' })
        const idx = yield* B.tensorParam('rows', 'u32', [4], { role: 'in' })
        const to = yield* B.tensorParam('out', 'i32', direction === 'gather' ? [4, 32] : [8, 32], {
          role: direction === 'gather' ? 'out' : 'inout',
        })
        const s = yield* B.sharedMemory('s', 'i32', shape)
        const full = yield* P.Barrier('full', { numBarriers: 1 })
        return {
          barriers: [full],
          *run() {
            const named = yield* P.load('rows', idx.view, { layout: TMA_INDICES_4 })
            if (direction === 'gather') {
              yield* P.copyGmemToSmem('gather', P.rowsAt(x, named, zero, 32), s, full, null)
              yield* P.barrierWait('wait', full, zero, P.freshParities)
              yield* out(s, to.view)
            } else {
              yield* P.copyGmemToSmem('copy', P.at(x, [zero, zero], shape), s, full, null)
              yield* P.barrierWait('wait', full, zero, P.freshParities)
              yield* P.copySmemToGmem('scatter', s, P.rowsAt(to, named, zero, 32))
              yield* P.waitSmemToGmem('stored', 0)
            }
          },
        }
      }),
  }
}

// ---------------------------------------------------------------- copy_smem_to_gmem

/** s holds 1, 2, ...; out held 100 everywhere if it is an input as well. */
const stored = (
  name: string,
  outputs: ReadonlyArray<number>,
  run: (
    P: Surface,
    s: View<'smem', 'i32', 2>,
    to: Pallas.GmemSlice<'i32', 2>,
    again: Pallas.GmemSlice<'i32', 2>,
  ) => B.Steps<void>,
): Example<Surface> => ({
  name,
  inputs: { out: count(256).map(() => 100) },
  outputs: { out: outputs },
  program: (P) =>
    kernel(P, name, {}, function* () {
      const to = yield* B.tensorParam('out', 'i32', [8, 32], { role: 'inout' })
      const s = yield* B.sharedMemory('s', 'i32', shape)
      return {
        barriers: [],
        *run() {
          yield* number(P, s, 1)
          yield* P.commitSmem('commit')
          yield* run(P, s, P.at(to, [zero, zero], shape), P.at(to, [i32(4), zero], shape))
        },
      }
    }),
})
/** Stores 32 i + j + from. */
const number = (P: Surface, s: View<'smem', 'i32', 2>, from: number): B.Build<void> =>
  B.block(function* () {
    const i = yield* P.broadcastedIota<'i32', 2>('i', 'i32', shape, 0)
    const j = yield* P.broadcastedIota<'i32', 2>('j', 'i32', shape, 1)
    const all = (x: number): typeof i => splat<'i32', 2>(i32(x), shape)
    yield* P.store('number', s, add(add(mul(i, all(32)), j), all(from)))
  })
const hundreds = (n: number): ReadonlyArray<number> => count(n).map(() => 100)

const storeOnce = stored('store', [...count(size, 1), ...hundreds(size)], function* (P, s, to) {
  yield* P.copySmemToGmem('copy', s, to)
  yield* P.waitSmemToGmem('wait', 0)
})
const storeIf = stored('store-if', [...count(size, 1), ...hundreds(size)], function* (P, s, to, again) {
  yield* P.copySmemToGmem('copy', s, to, { predicate: i1(true) })
  yield* P.copySmemToGmem('not', s, again, { predicate: i1(false) })
  // the group of the second is closed, so one that may remain is not the first
  yield* P.waitSmemToGmem('wait', 1)
})
const storeSum = stored('store-sum', [...count(size, 101), ...hundreds(size)], function* (P, s, to) {
  yield* P.copySmemToGmem('copy', s, to, { reductionOp: 'add' })
  yield* P.waitSmemToGmem('wait', 0)
})
/** Without the wait the overwriting races with the copy; without the commit the wait finds no group. */
const grouped = stored('groups', [...count(size, 1), ...count(size, 1)], function* (P, s, to, again) {
  yield* P.copySmemToGmem('copy', s, to, { commitGroup: false })
  yield* P.copySmemToGmem('copy again', s, again, { commitGroup: false })
  yield* P.commitSmemToGmemGroup('group')
  yield* P.waitSmemToGmem('wait', 0, true)
  yield* number(P, s, 1000)
})

// ---------------------------------------------------------------- peers

const toPeer = (name: string, how: 'st.async' | 'ref'): Example<Surface> => ({
  name,
  outputs: { out: [...count(size, 2000), ...count(size, 1000)] },
  program: (P) => {
    return kernel(P, name, { cluster: 2 }, function* () {
      const to = yield* B.tensorParam('out', 'i32', [8, 32], { role: 'out' })
      const s = yield* B.sharedMemory('s', 'i32', shape)
      const full = yield* P.Barrier('full', { numBarriers: 1 })
      return {
        barriers: how === 'ref' ? [] : [full],
        *run() {
          const me = place('ctaRank')
          const peer = sub(i32(1), me)
          const i = yield* P.broadcastedIota<'i32', 2>('i', 'i32', shape, 0)
          const j = yield* P.broadcastedIota<'i32', 2>('j', 'i32', shape, 1)
          const all = (x: Int): typeof i => splat<'i32', 2>(x, shape)
          const mine = add(add(mul(i, all(i32(32))), j), all(mul(add(me, i32(1)), i32(1000))))
          const value = yield* B.letIn('value', mine)
          if (how === 'st.async') {
            yield* P.asyncStoreSmem('send', value, s, full, null, { clusterDim: 'c', clusterIdx: peer })
            yield* P.barrierWait('wait', full, zero, P.freshParities)
          } else {
            const there = yield* P.clusterRef('peer', s, { c: peer })
            yield* P.store('send', there, value)
            yield* meet('sent')
          }
          yield* out(s, slice(to.view, [mul(me, i32(4)), zero], shape))
          yield* meet('end')
        },
      }
    })
  },
})

const prefetched: Example<Surface> = {
  name: 'prefetch',
  program: (P) => {
    return kernel(P, 'prefetch', { cluster: 2 }, function* () {
      const x = yield* B.tensorParam('x', 'i32', [8, 32], { role: 'in' })
      return {
        barriers: [],
        *run() {
          yield* P.asyncPrefetch('prefetch', P.at(x, [zero, zero], [8, 32]), { collectiveAxes: 'c' })
        },
      }
    })
  },
}

// ---------------------------------------------------------------- arrays

const square = [64, 64] as const
const iotas: Example<Surface> = {
  name: 'iotas',
  outputs: { out: count(4096).map((p) => Math.floor(p / 64) + 100 * (p % 64)) },
  program: (P) =>
    kernel(P, 'iotas', {}, function* () {
      const to = yield* B.tensorParam('out', 'i32', square, { role: 'out' })
      const s = yield* B.sharedMemory('s', 'i32', square)
      return {
        barriers: [],
        *run() {
          const i = yield* P.broadcastedIota<'i32', 2>('i', 'i32', square, 0, { layout: WGMMA })
          yield* P.store('keep', s, i)
          const j = yield* P.broadcastedIota<'i32', 2>('j', 'i32', square, 1, { layout: WGMMA_TRANSPOSED })
          // arrays of two layouts cannot be added
          const same = yield* P.layoutCast('same', j, WGMMA)
          const kept = yield* P.load('kept', s, { layout: WGMMA, optimized: false })
          const hundred = splat<'i32', 2>(i32(100), square, WGMMA)
          yield* P.store('write', to.view, add(kept, mul(same, hundred)))
        },
      }
    }),
}

// ---------------------------------------------------------------- rows

const copyRow = (operation: string, example: Example<Surface>, at = copyPage): Row<Surface> => ({
  operation,
  names: ['copyGmemToSmem'],
  page: at,
  example,
  kind: 'statements',
  change: (surface, wrap) => ({ ...surface, copyGmemToSmem: wrap(surface.copyGmemToSmem) }),
})
const storeRow = (operation: string, example: Example<Surface>): Row<Surface> => ({
  operation,
  names: ['copySmemToGmem'],
  page,
  example,
  kind: 'statements',
  change: (surface, wrap) => ({ ...surface, copySmemToGmem: wrap(surface.copySmemToGmem) }),
})

export const rows: Rows = [
  copyRow('copy_gmem_to_smem', plain),
  copyRow('copy_gmem_to_smem(oob_mode=ZEROS)', outside),
  copyRow('copy_gmem_to_smem(oob_mode=UNDEFINED)', undefinedOutside),
  copyRow('copy_gmem_to_smem(oob_mode=PROMISE_IN_BOUNDS)', promised),
  copyRow('copy_gmem_to_smem(predicate)', predicated),
  copyRow('copy_gmem_to_smem(collective_axes)', multicast),
  {
    operation: 'copy_gmem_to_smem(leader_tracked=PARTITIONED)',
    names: ['copyGmemToSmem', 'CopyPartition'],
    page: copyPage,
    example: halves('partitioned', (P) => ({ leaderTracked: P.CopyPartition.PARTITIONED(0) })),
    kind: 'statements',
    change: (surface, wrap) => ({ ...surface, copyGmemToSmem: wrap(surface.copyGmemToSmem) }),
  },
  copyRow(
    'copy_gmem_to_smem(leader_tracked=REPLICATED)',
    together(
      'replicated',
      () => [[i32(2), zero], shape],
      (P) => ({ collectiveAxes: 'c', leaderTracked: P.CopyPartition.REPLICATED }),
      both,
    ),
  ),
  copyRow('copy_gmem_to_smem(partitioned_axis)', older, 'JAX docs, Pallas:MGPU, Blackwell matmul tutorial'),
  copyRow('copy_gmem_to_smem of x.at[indices]', rowsOf('gather', 'gather'), page),
  {
    operation: 'x.at[pl.ds(start, size), ...]',
    names: ['at'],
    page,
    example: plain,
    kind: 'view',
    // the whole from the origin
    without: (surface) => ({
      ...surface,
      at: <D extends Dtype>(
        of: B.Tensor<D>,
        starts: ReadonlyArray<Int>,
        sizes: ReadonlyArray<number | null>,
      ) =>
        surface.at(
          of,
          starts.map(() => zero),
          sizes,
        ),
    }),
  },
  {
    operation: 'pl.ds(i * size, size)',
    names: ['blockStart'],
    page,
    example: plain,
    kind: 'view',
    without: (surface) => ({ ...surface, blockStart: () => zero }),
  },
  {
    operation: 'x.at[indices]',
    names: ['rowsAt'],
    page,
    example: rowsOf('rows', 'gather'),
    kind: 'view',
    without: (surface) => ({
      ...surface,
      // the first rows, whatever the indices say
      rowsAt: (tensor, _, start, width) => surface.rowsAt(tensor, firstFour, start, width),
    }),
  },
  storeRow('copy_smem_to_gmem', storeOnce),
  storeRow('copy_smem_to_gmem(predicate)', storeIf),
  storeRow('copy_smem_to_gmem(reduction_op)', storeSum),
  storeRow('copy_smem_to_gmem to x.at[indices]', rowsOf('scatter', 'scatter')),
  {
    operation: 'commit_smem_to_gmem_group',
    names: ['commitSmemToGmemGroup'],
    page,
    example: grouped,
    kind: 'statements',
    change: (surface, wrap) => ({ ...surface, commitSmemToGmemGroup: wrap(surface.commitSmemToGmemGroup) }),
  },
  {
    operation: 'wait_smem_to_gmem',
    names: ['waitSmemToGmem'],
    page,
    example: grouped,
    kind: 'statements',
    change: (surface, wrap) => ({ ...surface, waitSmemToGmem: wrap(surface.waitSmemToGmem) }),
  },
  {
    operation: 'commit_smem',
    names: ['commitSmem'],
    page: 'JAX docs, Pallas:MGPU reference, synchronization',
    example: storeOnce,
    kind: 'statements',
    change: (surface, wrap) => ({ ...surface, commitSmem: wrap(surface.commitSmem) }),
  },
  {
    operation: 'async_prefetch',
    names: ['asyncPrefetch'],
    page,
    example: prefetched,
    kind: 'hint',
    change: (surface, wrap) => ({ ...surface, asyncPrefetch: wrap(surface.asyncPrefetch) }),
  },
  {
    operation: 'async_store_smem',
    names: ['asyncStoreSmem'],
    page,
    example: toPeer('async-store', 'st.async'),
    kind: 'statements',
    change: (surface, wrap) => ({ ...surface, asyncStoreSmem: wrap(surface.asyncStoreSmem) }),
  },
  {
    operation: 'cluster_ref',
    names: ['clusterRef'],
    page,
    example: toPeer('cluster-ref', 'ref'),
    kind: 'view',
    without: (surface) => ({ ...surface, clusterRef: (_, ref) => B.of(ref) }),
  },
  {
    operation: 'load',
    names: ['load'],
    page,
    example: iotas,
    kind: 'statements',
    change: (surface, wrap) => ({ ...surface, load: wrap(surface.load) }),
  },
  {
    operation: 'ref[...] = x',
    names: ['store'],
    page,
    example: iotas,
    kind: 'statements',
    change: (surface, wrap) => ({ ...surface, store: wrap(surface.store) }),
  },
  {
    operation: 'layout_cast',
    names: ['layoutCast'],
    page: 'JAX docs, Pallas:MGPU reference, layouts',
    example: iotas,
    kind: 'view',
    without: (surface) => ({ ...surface, layoutCast: (_, x) => B.of(x) }),
  },
  {
    operation: 'broadcasted_iota',
    names: ['broadcastedIota'],
    page: 'JAX docs, Pallas:MGPU reference, layouts',
    example: iotas,
    kind: 'view',
    without: (surface) => ({
      ...surface,
      broadcastedIota: (label, dtype, of, dimension, options) =>
        surface.broadcastedIota(label, dtype, of, 1 - dimension, options),
    }),
  },
]
