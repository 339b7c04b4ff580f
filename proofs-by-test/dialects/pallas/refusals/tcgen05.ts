/** What `tcgen05_mma`, its commits, and the transfers and copies of tensor memory refuse, word for word. */
import type * as E from 'fp-ts/lib/Either.js'
import type { Code } from '../../../../src/dialects/pallas/codes.js'
import * as Pallas from '../../../../src/dialects/pallas/index.js'
import type { Failure } from '../../../../src/failure.js'
import {
  scales,
  sparseMetadata,
  type TensorMemoryLayout,
} from '../../../../src/layouts/tensor-memory/tensor-memory-layout.js'
import { TCGEN05, WGMMA } from '../../../../src/layouts/tiled.js'
import { bitsOf, type Dtype } from '../../../../src/numerics/dtype.js'
import * as B from '../../../../src/semantics/writing/builder.js'
import { float, i1, splat, transposeView, type View } from '../../../../src/semantics/language/expression.js'
import { checked } from '../../../../src/semantics/language/index-types.js'
import type { Refusal } from '../../coverage/refusal.js'

type Shape = readonly [number, number]

const using =
  (body: () => B.Steps<void>, cluster: ReadonlyArray<number> = []) =>
  (): E.Either<Failure, unknown> =>
    Pallas.kernel(
      { name: 'refused', arch: 'sm100a', cluster, clusterNames: cluster.map((_, i) => `c${String(i)}`) },
      function* () {},
      body,
    )

interface Ref {
  readonly dtype?: Dtype
  readonly shape?: Shape
  /** elements of a row that the swizzle must divide; null: no transforms */
  readonly rows?: number | null
  readonly tmem?: Pallas.TmemOptions
  readonly transposed?: boolean
}
const ref = (
  id: string,
  { dtype = 'f16', shape = [128, 64], rows = 64, tmem, transposed = false }: Ref,
): B.Build<View<'smem' | 'tmem', Dtype, 2>> =>
  B.block(function* (): Generator<B.Step, View<'smem' | 'tmem', Dtype, 2>, B.State> {
    if (tmem !== undefined) return yield* Pallas.TMEM(id, dtype, shape, tmem)
    const transforms = rows === null ? [] : yield* B.fromEither(Pallas.mmaTransforms(bitsOf(dtype), [rows]))
    const made: View<'smem', Dtype, 2> = yield* Pallas.SMEM(id, dtype, shape, { transforms })
    return transposed ? transposeView(made, [1, 0]) : made
  })

interface Product {
  readonly acc?: Ref
  readonly a?: Ref
  readonly b?: Ref
  readonly aScale?: Ref
  readonly bScale?: Ref
  readonly metadata?: Ref
  readonly axis?: string
  readonly cluster?: ReadonlyArray<number>
  readonly orders?: boolean
}
/** f16 (128, 64) by (64, 64) into f32, but for what is given. */
const product = (p: Product): (() => E.Either<Failure, unknown>) =>
  using(function* () {
    const acc = yield* ref('acc', { dtype: 'f32', shape: [128, 64], tmem: {}, ...p.acc })
    const a = yield* ref('a', p.a ?? {})
    const b = yield* ref('b', { shape: [64, 64], ...p.b })
    const tmemOf = (name: string, given: Ref | undefined): B.Build<View<'tmem', Dtype, 2> | null> =>
      B.block(function* () {
        return given === undefined ? null : checked<View<'tmem', Dtype, 2>, View>(yield* ref(name, given))
      })
    const [aScale, bScale, metadata] = [
      yield* tmemOf('a_scale', p.aScale),
      yield* tmemOf('b_scale', p.bScale),
      yield* tmemOf('metadata', p.metadata),
    ]
    const barrier =
      p.orders === undefined ? null : yield* Pallas.Barrier('done', { ordersTensorCore: p.orders })
    yield* Pallas.tcgen05Mma(
      'mma',
      checked<View<'tmem', Dtype, 2>, View>(acc),
      a,
      checked<View<'smem', Dtype, 2>, View>(b),
      // the types refuse it too
      barrier === null ? null : checked<Pallas.Barrier<true>, Pallas.Barrier>(barrier),
      null,
      i1(false),
      {
        ...(p.axis === undefined ? {} : { collectiveAxis: p.axis }),
        ...(aScale === null ? {} : { aScale }),
        ...(bScale === null ? {} : { bScale }),
        ...(metadata === null ? {} : { aSparseMetadata: checked<View<'tmem', 'u32', 2>, View>(metadata) }),
      },
    )
  }, p.cluster)

const under = (layout: TensorMemoryLayout): Pallas.TmemOptions => ({ layout })
const fp8: Product = {
  a: { dtype: 'e4m3', shape: [128, 128], rows: 64 },
  b: { dtype: 'e4m3', shape: [128, 64], rows: 64 },
}
const scaleRef: Ref = { dtype: 'e8m0', shape: [128, 4], tmem: under(scales) }
const copy = (
  into: Ref,
  dtype: Dtype,
  shape: ReadonlyArray<number>,
  how: 'data' | 'scales' | 'metadata',
): (() => E.Either<Failure, unknown>) =>
  using(function* () {
    const to = checked<View<'tmem', Dtype, 2>, View>(yield* ref('to', into))
    const from = yield* Pallas.SMEM('from', dtype, shape)
    if (how === 'data')
      yield* Pallas.asyncCopySmemToTmem('copy', checked<View<'smem', Dtype, 2>, View>(from), to)
    else if (how === 'scales')
      yield* Pallas.asyncCopyScalesToTmem('copy', checked<View<'smem', Dtype, 4>, View>(from), to)
    else
      yield* Pallas.asyncCopySparseMetadataToTmem(
        'copy',
        checked<View<'smem', 'u32', 4>, View>(from),
        checked<View<'tmem', 'u32', 2>, View>(to),
      )
  })

export const refusals: ReadonlyArray<Refusal<Code>> = [
  {
    code: 'pallas.tcgen05.shape',
    message:
      'mma: expected a (m, k), b (k, n) and an accumulator (m, n), found a (128, 64), b (128, 64) and an accumulator (128, 64)',
    use: product({ b: { shape: [128, 64] } }),
  },
  {
    code: 'pallas.tcgen05.shape',
    message:
      'mma: dimension 1 of the accumulator, n, is 320: expected a multiple of 8 up to 256, or 512, found a (128, 64), b (64, 320) and an accumulator (128, 320)',
    use: product({ acc: { shape: [128, 320] }, b: { shape: [64, 320] } }),
  },
  {
    code: 'pallas.tcgen05.shape',
    message:
      'mma: dimension 1 of the accumulator, 2n, is 512: expected a multiple of 16 up to 256, found a (128, 64), b (64, 256) and an accumulator (128, 512)',
    use: product({
      acc: { shape: [128, 512], tmem: { collective: true } },
      b: { shape: [64, 256] },
      axis: 'c0',
      cluster: [2],
    }),
  },
  {
    code: 'pallas.tcgen05.shape',
    message:
      "mma: dimension 1 of b, n, is 64: 64 rows are two products of n / 2 = 32 columns, expected a multiple of the tile's 64",
    use: product({ acc: { shape: [64, 64] }, a: { shape: [64, 64] } }),
  },
  {
    code: 'pallas.tcgen05.shape',
    message:
      'mma: dimension 0 of b, k, is 32: expected a multiple of 64, the elements of f16 in a swizzle of 128 bytes',
    use: product({ a: { shape: [128, 32], tmem: { packed: true } }, b: { shape: [32, 64] } }),
  },
  {
    code: 'pallas.tcgen05.dtype',
    message:
      'mma: a is f16 and b is bf16: expected both f16, bf16, f32 or e2m1, or each e4m3 or e5m2, or each i8 or u8',
    use: product({ b: { dtype: 'bf16' } }),
  },
  {
    code: 'pallas.tcgen05.dtype',
    message: 'mma: the accumulator is f16: products of bf16 and bf16 accumulate in f32',
    use: product({
      acc: { dtype: 'f16', tmem: { packed: false } },
      a: { dtype: 'bf16' },
      b: { dtype: 'bf16' },
    }),
  },
  {
    code: 'pallas.tcgen05.dtype',
    message: 'mma: the accumulator is f32: products of i8 and i8 accumulate in i32',
    use: product({ a: { dtype: 'i8' }, b: { dtype: 'i8' } }),
  },
  {
    code: 'pallas.tcgen05.transforms',
    message:
      'mma: b: Unsupported transforms for MMA operand b: expected a rank 2 ref with tiling (8, 8S/16) and swizzle S of 32, 64 or 128, or its transpose, found shape (64, 64) with no tiling and no swizzle',
    use: product({ b: { rows: null } }),
  },
  {
    code: 'pallas.tcgen05.swizzle',
    message: 'mma: a is swizzled by 64 bytes and b by 128: expected the same swizzle',
    use: product({ a: { rows: 32 } }),
  },
  {
    code: 'pallas.tcgen05.tmem',
    message: 'mma: a in TMEM is packed, 2 elements of f16 to a column: found DEFAULT(1)',
    use: product({ a: { tmem: { packed: false } } }),
  },
  {
    code: 'pallas.tcgen05.accumulator',
    message: 'mma: the accumulator (128, 64) is unpacked and lies as default: found DEFAULT(2)',
    use: product({ acc: { dtype: 'f16', tmem: { packed: true } } }),
  },
  {
    code: 'pallas.tcgen05.scales',
    message: 'mma: expected scales of a and of b, or of neither: found those of a alone',
    use: product({ ...fp8, aScale: scaleRef }),
  },
  {
    code: 'pallas.tcgen05.scales',
    message:
      'mma: a_scale is e8m0 (128, 8) and b_scale e8m0 (128, 8) for 128 stored elements of e4m3 in a row: expected e8m0 for every 32',
    use: product({
      ...fp8,
      aScale: { ...scaleRef, shape: [128, 8] },
      bScale: { ...scaleRef, shape: [128, 8] },
    }),
  },
  {
    code: 'pallas.tcgen05.scales',
    message: 'mma: b_scale (256, 4): expected (128, 4), whole blocks of 128 rows for 64 columns',
    use: product({ ...fp8, aScale: scaleRef, bScale: { ...scaleRef, shape: [256, 4] } }),
  },
  {
    code: 'pallas.tcgen05.scales-view',
    message:
      'mma: b_scale: the first 48 rows of an array of scales are not a view in this library: expected a multiple of 32, or fewer',
    use: product({
      acc: { shape: [128, 48] },
      a: { dtype: 'e4m3', shape: [128, 128], rows: 128 },
      b: { dtype: 'e4m3', shape: [48, 128], rows: 128, transposed: true },
      aScale: scaleRef,
      bScale: scaleRef,
    }),
  },
  {
    code: 'pallas.tcgen05.sparse',
    message: 'mma: the metadata are u32 (128, 8): expected u32 (128, 4), a word for 32 of k',
    use: product({
      a: { shape: [128, 64] },
      b: { shape: [128, 64] },
      metadata: { dtype: 'u32', shape: [128, 8], tmem: under(sparseMetadata) },
    }),
  },
  {
    code: 'pallas.tcgen05.barrier',
    message: 'mma: barrier done: expected orders_tensor_core=True for a barrier of the tensor core',
    use: product({ orders: false }),
  },
  {
    code: 'pallas.tcgen05.axis',
    message: 'mma: collective axis c0 is axis 0 of the cluster: expected the minormost, 1',
    use: product({ axis: 'c0', cluster: [2, 2] }),
  },
  {
    code: 'pallas.tcgen05.axis',
    message: 'mma: collective axis c0 has size 4: expected 2, a pair of blocks',
    use: product({ axis: 'c0', cluster: [4] }),
  },
  {
    code: 'pallas.tcgen05.cluster',
    message:
      'commit: a collective completion arrives in both blocks of a cluster (2, 1, 1), found a cluster of 4 blocks',
    use: using(
      function* () {
        const done = yield* Pallas.Barrier('done', { ordersTensorCore: true })
        yield* Pallas.tcgen05CommitArrive('commit', done, null, { collectiveAxis: 'c1' })
      },
      [2, 2],
    ),
  },
  {
    code: 'pallas.tcgen05.collective',
    message:
      'mma: the accumulator acc is not collective: with collective_axis all tensor memory must be allocated with collective=True',
    use: product({ b: { shape: [64, 32], rows: 32 }, a: { rows: 32 }, axis: 'c0', cluster: [2] }),
  },
  {
    code: 'pallas.tcgen05.collective',
    message: 'mma: the accumulator acc is collective: expected collective_axis',
    use: product({ acc: { tmem: { collective: true } }, cluster: [2] }),
  },
  {
    code: 'pallas.tmem.transfer',
    message:
      'load: Registers of layout WGMMA do not go with DEFAULT(1) for elements of 32 bits: expected TCGEN05 or TMEM_NATIVE(1)',
    use: using(function* () {
      const acc = yield* Pallas.TMEM('acc', 'f32', [128, 64])
      yield* Pallas.asyncLoadTmem('load', 'thread', acc, [128, 64], WGMMA)
    }),
  },
  {
    code: 'pallas.tmem.shape',
    message: "store: expected an array of shape (128, 64), as the ref's, found (128, 32)",
    use: using(function* () {
      const acc = yield* Pallas.TMEM('acc', 'f32', [128, 64])
      yield* Pallas.asyncStoreTmem('store', acc, splat<'f32', 2>(float('f32', 0), [128, 32]))
    }),
  },
  {
    code: 'pallas.tmem.reduce',
    message:
      'load: a load that reduces brings whole rows to a lane: expected the native layout of DEFAULT(1), found TCGEN05',
    use: using(function* () {
      const acc = yield* Pallas.TMEM('acc', 'f32', [128, 64])
      yield* Pallas.asyncLoadTmemReduce('load', 'thread', acc, [128, 64], TCGEN05, 'max')
    }),
  },
  {
    code: 'pallas.tmem.reduce',
    message: 'load: reduce=absmax of i32: expected f32 by min, max, absmin or absmax, or i32 by min or max',
    use: using(function* () {
      const acc = yield* Pallas.TMEM('acc', 'i32', [128, 64])
      yield* Pallas.asyncLoadTmemReduce('load', 'thread', acc, [128, 64], TCGEN05, 'absmax')
    }),
  },
  {
    code: 'pallas.tmem.copy',
    message:
      'copy: the SMEM ref: expected tiling (8, 8S/16) and swizzle S of 32, 64 or 128, or S = 16 and no swizzle, not transposed',
    use: copy({ tmem: { packed: true } }, 'f16', [128, 64], 'data'),
  },
  {
    code: 'pallas.tmem.copy',
    message: 'copy: the TMEM ref (128, 64): expected 128 rows of f16, packed, in the default layout',
    use: copy({ tmem: { packed: false } }, 'f16', [128, 64], 'data'),
  },
  {
    code: 'pallas.tmem.scales',
    message: 'copy: the SMEM ref (128, 4): expected (1, 1, 32, 16), contiguous, for scales (128, 4)',
    use: copy(scaleRef, 'e8m0', [128, 4], 'scales'),
  },
  {
    code: 'pallas.tmem.metadata',
    message: 'copy: the SMEM ref (128, 4): expected (1, 1, 128, 4), contiguous, for metadata (128, 4)',
    use: copy({ dtype: 'u32', shape: [128, 4], tmem: under(sparseMetadata) }, 'u32', [128, 4], 'metadata'),
  },
  {
    code: 'pallas.sparse.metadata',
    message: 'format_tcgen05_sparse_metadata: expected numbers of 2 bits, found 4',
    use: () =>
      Pallas.formatTcgen05SparseMetadata(
        Array.from({ length: 128 * 64 }, () => 4),
        [128, 32, 2],
        'f16',
      ),
  },
  {
    code: 'pallas.sparse.metadata',
    message:
      'format_tcgen05_sparse_metadata: the metadata (64, 32, 2): expected (m, groups, 2), m a multiple of 128 and groups of 32',
    use: () => Pallas.formatTcgen05SparseMetadata([], [64, 32, 2], 'f16'),
  },
]
