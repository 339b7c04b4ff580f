/**
 * Rows of Blackwell's tensor core and its memory. Products of 128 x 32 with small integers as inputs, so that every sum is exact.
 */
import * as E from 'fp-ts/lib/Either.js'
import type * as Pallas from '../../../../src/dialects/pallas/index.js'
import {
  scales as scalesLayout,
  sparseMetadata,
} from '../../../../src/layouts/tensor-memory/tensor-memory-layout.js'
import { TMEM_NATIVE } from '../../../../src/layouts/tiled.js'
import { bitsOf, type FloatDtype } from '../../../../src/numerics/dtype.js'
import * as B from '../../../../src/semantics/writing/builder.js'
import {
  broadcast,
  eq,
  expandDims,
  float,
  i1,
  i32,
  slice,
  slot,
  splat,
  type Tile,
  type View,
} from '../../../../src/semantics/language/expression.js'
import { cuteLines } from '../../../layouts/tensor-memory/sparse-lines.js'
import type { Failure } from '../../../../src/failure.js'
import type { Transform } from '../../../../src/transforms/transform.js'
import type { Example, Row } from '../row.js'
import { numbers, product } from './wgmma.js'

type Surface = typeof Pallas

const page = 'JAX docs, Pallas:MGPU reference, Blackwell (tcgen05)'
const tutorial = 'JAX docs, Writing high-performance matrix multiplication kernels for Blackwell'
const m = 128
const n = 32

// ---------------------------------------------------------------- one block

interface Block {
  readonly a: View<'smem', FloatDtype, 2>
  readonly b: View<'smem', FloatDtype, 2>
  readonly acc: View<'tmem', 'f32', 2>
  readonly done: Pallas.Barrier<true>
}

/** `stored` columns of a for k of b: the operands are loaded, a body computes and gives what is written. */
const oneBlock = <R extends Readonly<Record<string, unknown>>>(
  name: string,
  dtype: FloatDtype,
  [stored, k]: readonly [stored: number, k: number],
  inputs: Readonly<Record<string, ReadonlyArray<number>>>,
  out: ReadonlyArray<number>,
  declare: (P: Surface) => B.Steps<R>,
  body: (P: Surface, block: Block & R) => B.Steps<Tile<'f32', 2>>,
  transformsOfA: ((P: Surface) => E.Either<Failure, ReadonlyArray<Transform>>) | null = null,
): Example<Surface> => ({
  name,
  inputs,
  outputs: { out },
  program: (P) =>
    P.kernel(
      { name, arch: 'sm100a' },
      function* () {
        const transforms = yield* B.fromEither(P.mmaTransforms(bitsOf(dtype), [stored, n]))
        return {
          aGmem: yield* B.tensorParam('a', dtype, [m, stored], { role: 'in' }),
          bGmem: yield* B.tensorParam('b', dtype, [k, n], { role: 'in' }),
          out: yield* B.tensorParam('out', 'f32', [m, n], { role: 'out' }),
          a: yield* P.SMEM('a_smem', dtype, [m, stored], {
            transforms: transformsOfA === null ? transforms : yield* B.fromEither(transformsOfA(P)),
          }),
          b: yield* P.SMEM('b_smem', dtype, [k, n], { transforms }),
          acc: yield* P.TMEM('acc', 'f32', [m, n]),
          loaded: yield* P.Barrier('loaded', { numArrivals: 2 }),
          done: yield* P.Barrier('done', { ordersTensorCore: true }),
          more: yield* B.block(() => declare(P)),
        }
      },
      function* (r) {
        const origin = [i32(0), i32(0)]
        yield* P.copyGmemToSmem('load a', P.at(r.aGmem, origin, [m, stored]), r.a, r.loaded, null)
        yield* P.copyGmemToSmem('load b', P.at(r.bGmem, origin, [k, n]), r.b, r.loaded, null)
        yield* P.barrierWait('wait loaded', r.loaded, null, P.freshParities)
        const value = yield* body(P, Object.assign({ a: r.a, b: r.b, acc: r.acc, done: r.done }, r.more))
        yield* B.run('out[...] = acc', { _tag: 'gmem.store', destination: r.out.view, value })
      },
    ),
})

const nothing = (): B.Build<Readonly<Record<string, never>>> => B.of({})
const yes = i1(true)
const no = i1(false)
const load = (P: Surface, label: string, acc: View<'tmem', 'f32', 2>): B.Build<Tile<'f32', 2>> =>
  P.asyncLoadTmem(label, 'thread', acc, [m, n])

const a16 = numbers(m, 64, 0)
const b16 = numbers(64, n, 1)
const product16 = product(a16, b16, [m, n, 64])

const dense = oneBlock(
  'a dense product',
  'f16',
  [64, 64],
  { a: a16, b: b16 },
  product16,
  nothing,
  function* (P, r) {
    yield* P.tcgen05Mma('tcgen05_mma', r.acc, r.a, r.b, r.done, null, no)
    yield* P.barrierWait('wait done', r.done, null, P.freshParities)
    return yield* load(P, 'load acc', r.acc)
  },
)

/** Two products, each half of k, and one commit for both. */
const committed = oneBlock(
  'two products, one commit',
  'f16',
  [64, 64],
  { a: a16, b: b16 },
  product16,
  nothing,
  function* (P, r) {
    for (const half of [0, 1]) {
      const [from, size] = [i32(half * 32), 32]
      yield* P.tcgen05Mma(
        `tcgen05_mma ${String(half)}`,
        r.acc,
        slice(r.a, [i32(0), from], [m, size]),
        slice(r.b, [from, i32(0)], [size, n]),
        null,
        null,
        half === 0 ? no : yes,
      )
    }
    yield* P.tcgen05CommitArrive('tcgen05_commit_arrive', r.done, null)
    yield* P.barrierWait('wait done', r.done, null, P.freshParities)
    return yield* load(P, 'load acc', r.acc)
  },
)

/** The accumulator starts with ones, and is stored over after it was read. */
const stored = oneBlock(
  'stores around a product',
  'f16',
  [64, 64],
  { a: a16, b: b16 },
  product16.map((x) => x + 1),
  nothing,
  function* (P, r) {
    const constant = (x: number): Tile<'f32', 2> => splat<'f32', 2>(float('f32', x), [m, n])
    yield* P.asyncStoreTmem('store ones', r.acc, constant(1))
    yield* P.commitTmem('commit_tmem')
    yield* P.tcgen05Mma('tcgen05_mma', r.acc, r.a, r.b, r.done, null, yes)
    yield* P.barrierWait('wait done', r.done, null, P.freshParities)
    const value = yield* load(P, 'load acc', r.acc)
    yield* P.waitLoadTmem('wait_load_tmem')
    yield* P.asyncStoreTmem('store zeros', r.acc, constant(0))
    yield* P.commitTmem('commit zeros')
    return value
  },
)

const leftThrough = (
  name: string,
  transformsOfA: ((P: Surface) => E.Either<Failure, ReadonlyArray<Transform>>) | null,
): Example<Surface> =>
  oneBlock(
    name,
    'f16',
    [64, 64],
    { a: a16, b: b16 },
    product16,
    function* (P) {
      return { aTmem: yield* P.TMEM('a_tmem', 'f16', [m, 64], { packed: true }) }
    },
    function* (P, r) {
      yield* P.asyncCopySmemToTmem('copy a', r.a, r.aTmem)
      yield* P.tcgen05Mma('tcgen05_mma', r.acc, r.aTmem, r.b, r.done, null, no)
      yield* P.barrierWait('wait done', r.done, null, P.freshParities)
      return yield* load(P, 'load acc', r.acc)
    },
    transformsOfA,
  )
const leftInTmem = leftThrough('a in tensor memory', null)
/** The same from tiles that no swizzle permutes, whose lines are 16 bytes: (8, 8) of f16, and others. */
export const leftFromPlainTiles = (tile: ReadonlyArray<number>): Example<Surface> =>
  leftThrough('a in tensor memory, from plain tiles', (P) =>
    E.Functor.map(P.TilingTransform(tile), (tiling) => [tiling]),
  )

// ---------------------------------------------------------------- reductions

const native = TMEM_NATIVE(2)
/** Of each row of the product, the largest magnitude, in every column. */
const reduced = oneBlock(
  'a load that reduces',
  'f16',
  [64, 64],
  { a: a16, b: b16 },
  Array.from({ length: m * n }, (_, at) => {
    const row = Math.floor(at / n)
    return Math.max(...product16.slice(row * n, (row + 1) * n).map(Math.abs))
  }),
  nothing,
  function* (P, r) {
    yield* P.tcgen05Mma('tcgen05_mma', r.acc, r.a, r.b, r.done, null, no)
    yield* P.barrierWait('wait done', r.done, null, P.freshParities)
    const layout = yield* B.fromEither(native)
    const found = yield* P.asyncLoadTmemReduce('load acc', 'thread', r.acc, [m, n], layout, 'absmax')
    return broadcast<'f32', 2>(expandDims<'f32', 1>(found.reduced, 1), [m, n])
  },
)

// ---------------------------------------------------------------- scales

const k8 = 128
const a8 = numbers(m, k8, 2)
const b8 = numbers(k8, n, 3)
/** Powers of two, for each row and each 32 of k. */
const scaleOf = (row: number, block: number, seed: number): number => 2 ** ((row + 2 * block + seed) % 4)
/** Scales of 128 rows by 4 factors, in the order in which one copy takes them. */
const prepared = (seed: number): ReadonlyArray<number> =>
  Array.from({ length: 512 }, (_, at) => {
    const [lane, word, block] = [Math.floor(at / 16), Math.floor(at / 4) % 4, at % 4]
    return scaleOf(lane + 32 * word, block, seed)
  })
const scaledProduct = product(
  a8.map((x, at) => x * scaleOf(Math.floor(at / k8), Math.floor((at % k8) / 32), 0)),
  b8.map((x, at) => x * scaleOf(at % n, Math.floor(Math.floor(at / n) / 32), 1)),
  [m, n, k8],
)
const scaled = oneBlock(
  'a scaled product',
  'e4m3',
  [k8, k8],
  { a: a8, b: b8, sa: prepared(0), sb: prepared(1) },
  scaledProduct,
  function* (P) {
    const one = function* (name: string): B.Steps<{
      readonly gmem: B.Tensor<'e8m0', 4>
      readonly smem: View<'smem', 'e8m0', 4>
      readonly tmem: View<'tmem', 'e8m0', 2>
    }> {
      return {
        gmem: yield* B.tensorParam(name, 'e8m0', [1, 1, 32, 16], { role: 'in' }),
        smem: yield* P.SMEM(`${name}_smem`, 'e8m0', [1, 1, 32, 16]),
        tmem: yield* P.TMEM(`${name}_tmem`, 'e8m0', [128, 4], { layout: scalesLayout }),
      }
    }
    return {
      sa: yield* B.block(() => one('sa')),
      sb: yield* B.block(() => one('sb')),
      scalesLoaded: yield* P.Barrier('scales_loaded', { numArrivals: 2 }),
    }
  },
  function* (P, r) {
    const origin = [i32(0), i32(0), i32(0), i32(0)]
    for (const [name, s] of [
      ['sa', r.sa],
      ['sb', r.sb],
    ] as const)
      yield* P.copyGmemToSmem(
        `load ${name}`,
        P.at(s.gmem, origin, [1, 1, 32, 16]),
        s.smem,
        r.scalesLoaded,
        null,
      )
    yield* P.barrierWait('wait scales', r.scalesLoaded, null, P.freshParities)
    yield* P.asyncCopyScalesToTmem('copy sa', r.sa.smem, r.sa.tmem)
    yield* P.asyncCopyScalesToTmem('copy sb', r.sb.smem, r.sb.tmem)
    yield* P.tcgen05Mma('tcgen05_mma', r.acc, r.a, r.b, r.done, null, no, {
      aScale: r.sa.tmem,
      bScale: r.sb.tmem,
    })
    yield* P.barrierWait('wait done', r.done, null, P.freshParities)
    return yield* load(P, 'load acc', r.acc)
  },
)

// ---------------------------------------------------------------- sparsity

const kSparse = 128
const groups = kSparse / 4
/** Which two of each group of four are stored. */
const pairs: ReadonlyArray<readonly [number, number]> = [
  [0, 1],
  [0, 2],
  [0, 3],
  [1, 2],
  [1, 3],
  [2, 3],
]
const storedOf = (row: number, group: number): readonly [number, number] =>
  pairs[(row + 5 * group) % pairs.length]!
const metadata: ReadonlyArray<number> = Array.from({ length: m * groups * 2 }, (_, at) => {
  const [row, group] = [Math.floor(at / (groups * 2)), Math.floor((at % (groups * 2)) / 2)]
  return storedOf(row, group)[at % 2]!
})
/** A line of 4 words for each lane. */
const words = cuteLines('f16', m, groups, (row, group) => {
  const [first, second] = storedOf(row, group)
  return first + 4 * second
})
const aSparse = numbers(m, kSparse / 2, 4)
const bSparse = numbers(kSparse, n, 5)
const aDense: ReadonlyArray<number> = Array.from({ length: m * kSparse }, (_, at) => {
  const [row, k] = [Math.floor(at / kSparse), at % kSparse]
  const group = Math.floor(k / 4)
  const which = storedOf(row, group).indexOf(k % 4)
  return which < 0 ? 0 : aSparse[(row * kSparse) / 2 + 2 * group + which]!
})
const sparse = oneBlock(
  'a sparse product',
  'f16',
  [kSparse / 2, kSparse],
  { a: aSparse, b: bSparse, meta: words },
  product(aDense, bSparse, [m, n, kSparse]),
  function* (P) {
    return {
      meta: yield* B.tensorParam('meta', 'u32', [1, 1, 128, 4], { role: 'in' }),
      metaSmem: yield* P.SMEM('meta_smem', 'u32', [1, 1, 128, 4]),
      metaTmem: yield* P.TMEM('meta_tmem', 'u32', [m, 4], { layout: sparseMetadata }),
      metaLoaded: yield* P.Barrier('meta_loaded'),
    }
  },
  function* (P, r) {
    const origin = [i32(0), i32(0), i32(0), i32(0)]
    yield* P.copyGmemToSmem('load meta', P.at(r.meta, origin, [1, 1, 128, 4]), r.metaSmem, r.metaLoaded, null)
    yield* P.barrierWait('wait meta', r.metaLoaded, null, P.freshParities)
    yield* P.asyncCopySparseMetadataToTmem('copy meta', r.metaSmem, r.metaTmem)
    yield* P.tcgen05Mma('tcgen05_mma', r.acc, r.a, r.b, r.done, null, no, { aSparseMetadata: r.metaTmem })
    yield* P.barrierWait('wait done', r.done, null, P.freshParities)
    return yield* load(P, 'load acc', r.acc)
  },
)

/** Words of the formatted metadata, one in 37, as constants. */
const samples = Array.from({ length: 13 }, (_, i) => 37 * i)
const formatted: Example<Surface> = {
  name: 'formatted metadata',
  outputs: { out: samples.map((at) => words[at]!) },
  program: (P) =>
    P.kernel(
      { name: 'formatted metadata', arch: 'sm100a' },
      () => B.tensorParam('out', 'u32', [samples.length], { role: 'out' }),
      function* (out) {
        const found = yield* B.fromEither(P.formatTcgen05SparseMetadata(metadata, [m, groups, 2], 'f16'))
        for (const [i, at] of samples.entries())
          yield* B.run(`out[${String(i)}]`, {
            _tag: 'gmem.store',
            destination: slice(out.view, [i32(i)], [1]),
            value: splat<'i32', 1>(i32(found[at]! | 0), [1]),
          })
      },
    ),
}

// ---------------------------------------------------------------- a pair of blocks

/** Each block has 128 rows of a and 16 columns of b; both copy together, the leader multiplies, each block writes its rows. */
const pair: Example<Surface> = {
  name: 'a product of a pair',
  inputs: { a: numbers(2 * m, 64, 0), b: b16 },
  outputs: { out: product(numbers(2 * m, 64, 0), b16, [2 * m, n, 64]) },
  program: (P) =>
    P.kernel(
      { name: 'pair', arch: 'sm100a', cluster: [2], clusterNames: ['cluster'] },
      function* () {
        const transforms = yield* B.fromEither(P.mmaTransforms(16, [64, n / 2]))
        return {
          aGmem: yield* B.tensorParam('a', 'f16', [2 * m, 64], { role: 'in' }),
          bGmem: yield* B.tensorParam('b', 'f16', [64, n], { role: 'in' }),
          out: yield* B.tensorParam('out', 'f32', [2, m, n], { role: 'out' }),
          a: yield* P.SMEM('a_smem', 'f16', [m, 64], { transforms }),
          b: yield* P.SMEM('b_smem', 'f16', [64, n / 2], { transforms }),
          acc: yield* P.TMEM('acc', 'f32', [m, n], { collective: true }),
          loaded: yield* P.Barrier('loaded', { numArrivals: 2 }),
          done: yield* P.Barrier('done', { ordersTensorCore: true }),
        }
      },
      function* (r) {
        const rank = yield* P.axisIndex('cluster')
        const leads = eq(rank, i32(0))
        const together = { collectiveAxes: 'cluster' }
        yield* P.copyGmemToSmem('load a', P.at(r.aGmem, [i32(0), i32(0)], [2 * m, 64]), r.a, r.loaded, null, {
          ...together,
          leaderTracked: P.CopyPartition.PARTITIONED(0),
        })
        yield* P.copyGmemToSmem('load b', P.at(r.bGmem, [i32(0), i32(0)], [64, n]), r.b, r.loaded, null, {
          ...together,
          leaderTracked: P.CopyPartition.PARTITIONED(1),
        })
        yield* P.barrierWait('wait loaded', r.loaded, null, P.freshParities, leads)
        yield* P.tcgen05Mma('tcgen05_mma', r.acc, r.a, r.b, null, null, no, { collectiveAxis: 'cluster' })
        yield* P.tcgen05CommitArrive('tcgen05_commit_arrive', r.done, null, { collectiveAxis: 'cluster' })
        yield* P.barrierWait('wait done', r.done, null, P.freshParities)
        const value = yield* load(P, 'load acc', r.acc)
        yield* B.run('out[...] = acc', { _tag: 'gmem.store', destination: slot(r.out.view, rank), value })
      },
    ),
}

// ---------------------------------------------------------------- rows

const mma = (operation: string, example: Example<Surface>, where: string = page): Row<Surface> => ({
  kind: 'statements',
  operation,
  names: ['tcgen05Mma'],
  page: where,
  example,
  change: (P, wrap) => ({ ...P, tcgen05Mma: wrap(P.tcgen05Mma) }),
})

export const rows: ReadonlyArray<Row<Surface>> = [
  mma('tcgen05_mma', dense),
  mma('tcgen05_mma (without a barrier)', committed),
  mma('tcgen05_mma (A in TMEM)', leftInTmem),
  mma('tcgen05_mma (scaled)', scaled),
  mma('tcgen05_mma (sparse)', sparse),
  mma('tcgen05_mma (collective)', pair, tutorial),
  {
    kind: 'statements',
    operation: 'tcgen05_commit_arrive',
    names: ['tcgen05CommitArrive'],
    page,
    example: committed,
    change: (P, wrap) => ({ ...P, tcgen05CommitArrive: wrap(P.tcgen05CommitArrive) }),
  },
  {
    kind: 'statements',
    operation: 'tcgen05_commit_arrive (collective)',
    names: ['tcgen05CommitArrive'],
    page: tutorial,
    example: pair,
    change: (P, wrap) => ({ ...P, tcgen05CommitArrive: wrap(P.tcgen05CommitArrive) }),
  },
  {
    kind: 'statements',
    operation: 'async_load_tmem',
    names: ['asyncLoadTmem'],
    page,
    example: dense,
    change: (P, wrap) => ({ ...P, asyncLoadTmem: wrap(P.asyncLoadTmem) }),
  },
  {
    kind: 'statements',
    operation: 'async_load_tmem (reduce)',
    names: ['asyncLoadTmemReduce'],
    page,
    example: reduced,
    change: (P, wrap) => ({ ...P, asyncLoadTmemReduce: wrap(P.asyncLoadTmemReduce) }),
  },
  {
    kind: 'statements',
    operation: 'wait_load_tmem',
    names: ['waitLoadTmem'],
    page,
    example: stored,
    change: (P, wrap) => ({ ...P, waitLoadTmem: wrap(P.waitLoadTmem) }),
  },
  {
    kind: 'statements',
    operation: 'async_store_tmem',
    names: ['asyncStoreTmem'],
    page,
    example: stored,
    change: (P, wrap) => ({ ...P, asyncStoreTmem: wrap(P.asyncStoreTmem) }),
  },
  {
    kind: 'statements',
    operation: 'commit_tmem',
    names: ['commitTmem'],
    page,
    example: stored,
    change: (P, wrap) => ({ ...P, commitTmem: wrap(P.commitTmem) }),
  },
  {
    kind: 'statements',
    operation: 'async_copy_smem_to_tmem',
    names: ['asyncCopySmemToTmem'],
    page,
    example: leftInTmem,
    change: (P, wrap) => ({ ...P, asyncCopySmemToTmem: wrap(P.asyncCopySmemToTmem) }),
  },
  {
    kind: 'statements',
    operation: 'async_copy_scales_to_tmem',
    names: ['asyncCopyScalesToTmem'],
    page,
    example: scaled,
    change: (P, wrap) => ({ ...P, asyncCopyScalesToTmem: wrap(P.asyncCopyScalesToTmem) }),
  },
  {
    kind: 'statements',
    operation: 'async_copy_sparse_metadata_to_tmem',
    names: ['asyncCopySparseMetadataToTmem'],
    page,
    example: sparse,
    change: (P, wrap) => ({ ...P, asyncCopySparseMetadataToTmem: wrap(P.asyncCopySparseMetadataToTmem) }),
  },
  {
    kind: 'view',
    operation: 'format_tcgen05_sparse_metadata',
    names: ['formatTcgen05SparseMetadata'],
    page,
    example: formatted,
    without: (P) => ({ ...P, formatTcgen05SparseMetadata: (given) => E.right(given.map(() => 0)) }),
  },
]
