/** What the operations of ttng refuse, word for word. Each use is legal but for what its message says. */
import * as E from 'fp-ts/lib/Either.js'
import type { Code } from '../../../../src/dialects/ttng/codes.js'
import * as Ttng from '../../../../src/dialects/ttng/index.js'
import type { Failure } from '../../../../src/failure.js'
import type { LinearLayout } from '../../../../src/layouts/linear/linear-layout.js'
import { onShape } from '../../../../src/layouts/triton/to-linear.js'
import { toRef } from '../../../../src/layouts/triton/to-ref.js'
import { bitsOf, type Dtype } from '../../../../src/numerics/dtype.js'
import * as B from '../../../../src/semantics/writing/builder.js'
import * as X from '../../../../src/semantics/language/expression.js'
import type { Agent } from '../../../../src/semantics/language/program.js'
import { checked } from '../../../../src/semantics/language/index-types.js'
import type { Refusal } from '../../coverage/refusal.js'
import {
  accumulatorEncoding,
  barrier,
  from,
  nvmma,
  origin,
  rowPerLane,
  thread,
  zeros,
} from '../../coverage/ttng/operations.js'

type Shape2 = readonly [number, number]
type Body = () => B.Steps<unknown>

const using = (body: Body) => (): E.Either<Failure, unknown> =>
  B.draft({ name: 'refused', arch: 'sm100a', agents: [thread] }, function* () {
    yield* body()
  })

const two: Ttng.Issuer = { agents: [thread], numCtas: 2 }
const four: Ttng.Issuer = { agents: [thread], numCtas: 4 }
const specialized: Ttng.Issuer = { agents: [thread], numCtas: 2, specialized: true }
const yes = X.i1(true)
const s0 = X.i32(0)

/** A buffer of any layout as a memdesc of shared memory. */
const smem = <D extends Dtype>(
  id: string,
  dtype: D,
  shape: ReadonlyArray<number>,
  width: number = 32,
): B.Build<X.View<'smem', D, 2>> =>
  B.block(function* () {
    const layout = yield* B.fromEither(toRef(nvmma(width, bitsOf(dtype)), shape, bitsOf(dtype)))
    return checked<X.View<'smem', D, 2>, X.View<'smem', D>>(
      yield* B.sharedMemory(id, dtype, shape, [], { layout }),
    )
  })
const plain = <D extends Dtype>(
  id: string,
  dtype: D,
  shape: ReadonlyArray<number>,
): B.Build<X.View<'smem', D, 2>> =>
  B.block(function* () {
    return checked<X.View<'smem', D, 2>, X.View<'smem', D>>(yield* B.sharedMemory(id, dtype, shape))
  })
const tmem = <D extends Dtype>(
  id: string,
  dtype: D,
  shape: Shape2,
  columnBits: number = bitsOf(dtype),
): B.Build<X.View<'tmem', D, 2>> => B.tensorMemory(id, dtype, shape, { columnBits })

// ---------------------------------------------------------------- barriers

const onBarrier = (body: (b: X.Barrier<'ptx', true>) => B.Steps<unknown>) =>
  using(function* () {
    yield* body(yield* barrier('bar'))
  })

/** Eight numbers of i32 into a buffer of a CTA of two. */
const sending = (o: { readonly from?: Ttng.Issuer | undefined; readonly dst?: B.Build<X.Expr> }) =>
  onBarrier(function* (b) {
    const dst = yield* o.dst ?? B.sharedMemory('s', 'i32', [8])
    const value = X.splat<'i32', 1>(X.i32(1), [8])
    yield* Ttng.asyncSharedStore('send', value, checked<X.View<'smem', 'i32', 1>, X.Expr>(dst), b, {
      ...('from' in o ? {} : { from: two }),
      rank: X.i32(1),
    })
  })

// ---------------------------------------------------------------- copies

interface Copy {
  readonly dtype?: Dtype
  readonly shape?: ReadonlyArray<number>
  readonly width?: number
  readonly coords?: ReadonlyArray<X.Int>
  readonly box?: ReadonlyArray<number>
  readonly swizzle?: 16 | 32 | 64 | 128
  readonly of?: Dtype
  readonly options?: Ttng.LoadOptions
  readonly rows?: boolean
}
const operands = (c: Copy) =>
  B.block(function* () {
    const t = yield* B.tensorParam('t', c.of ?? 'f16', [128, 128], { role: 'inout' })
    const desc = checked<Ttng.TensorDesc, X.Expr>(
      yield* B.descriptorParam('desc', t, c.box ?? [64, 16], { swizzle: c.swizzle ?? 32 }),
    )
    const shape = c.shape ?? [64, 16]
    const x =
      c.width === 16
        ? yield* plain('x', c.dtype ?? 'f16', shape)
        : yield* smem('x', c.dtype ?? 'f16', shape, c.width ?? 32)
    return { desc, x, full: yield* barrier('full') }
  })
const load = (c: Copy) =>
  using(function* () {
    const { desc, x, full } = yield* operands(c)
    yield* Ttng.asyncTmaCopyGlobalToLocal('load', desc, c.coords ?? origin, x, full, c.options)
  })
const reduction = (kind: number | 'add' | 'inc', dtype: Dtype) =>
  using(function* () {
    const columns = 256 / bitsOf(dtype)
    const { desc, x } = yield* operands({ dtype, of: dtype, box: [64, columns], shape: [64, columns] })
    yield* Ttng.asyncTmaReduce('reduce', checked<'add', string | number>(kind), desc, origin, x)
  })
const gather = (c: Copy & { readonly offsets?: X.Tile<'i32'> }) =>
  using(function* () {
    const { desc, x, full } = yield* operands({ box: [1, 16], shape: [8, 16], ...c })
    const offsets = checked<X.Tile<'i32', 1>, X.Tile<'i32'>>(c.offsets ?? X.iota<1>([8], 0))
    yield* Ttng.asyncTmaGather('gather', desc, offsets, s0, x, full)
  })
const perThread: LinearLayout | null = E.getOrElse<unknown, LinearLayout | null>(() => null)(
  onShape({ _tag: 'blocked', sizePerThread: [1], threadsPerWarp: [32], warpsPerCTA: [4], order: [0] })([8]),
)

// ---------------------------------------------------------------- products of a warpgroup

interface Dot {
  readonly a?: readonly [Dtype, ReadonlyArray<number>, number]
  readonly b?: readonly [Dtype, ReadonlyArray<number>, number]
  readonly c?: Shape2
  readonly into?: 'f32' | 'f16'
  readonly agent?: Agent
  readonly options?: Omit<Ttng.DotOptions, 'from'>
  readonly inTensorMemory?: 'a' | 'b'
}
const operand = (id: string, [dtype, shape, width]: readonly [Dtype, ReadonlyArray<number>, number]) =>
  width === 16 ? plain(id, dtype, shape) : smem(id, dtype, shape, width)
const dot = (d: Dot) =>
  using(function* () {
    const a = yield* operand('a', d.a ?? ['f16', [64, 16], 32])
    const b = yield* operand('b', d.b ?? ['f16', [16, 16], 32])
    const inTmem = d.inTensorMemory === undefined ? null : yield* tmem('t', 'f16', [64, 16])
    const left = d.inTensorMemory === 'a' ? inTmem : a
    const right = d.inTensorMemory === 'b' ? inTmem : b
    const c = X.splat<'f32', 2>(checked<X.Expr<'f32'>, X.Expr>(X.float(d.into ?? 'f32', 0)), d.c ?? [64, 16])
    yield* Ttng.warpGroupDot(
      'dot',
      checked<X.View<'smem', Dtype, 2>, unknown>(left),
      checked<X.View<'smem', Dtype, 2>, unknown>(right),
      c,
      {
        from: d.agent === undefined ? from : { agents: [d.agent] },
        isAsync: true,
        ...d.options,
      },
    )
  })

// ---------------------------------------------------------------- tensor cores

interface Mma {
  readonly a?: readonly [Dtype, ReadonlyArray<number>, number]
  readonly b?: readonly [Dtype, ReadonlyArray<number>, number]
  readonly d?: readonly [Dtype, Shape2]
  readonly left?: readonly [Dtype, Shape2]
  readonly packedD?: boolean
  readonly wideA?: boolean
  readonly transposeA?: boolean
  readonly swap?: 'b' | 'd'
  readonly options?: Ttng.DenseOptions
}
const mma5 = (m: Mma) =>
  using(function* () {
    const aSmem = yield* operand('a', m.a ?? ['f16', [128, 16], 32])
    const a =
      m.left === undefined
        ? m.transposeA === true
          ? X.transposeView(aSmem, [1, 0])
          : aSmem
        : yield* tmem('a_tmem', m.left[0], m.left[1], m.wideA === true ? 32 : bitsOf(m.left[0]))
    const b = yield* operand('b', m.b ?? ['f16', [16, 16], 32])
    const [dtype, shape] = m.d ?? ['f32', [128, 16]]
    const d = yield* tmem('d', dtype, shape, m.packedD === true ? bitsOf(dtype) : 32)
    yield* Ttng.tcGen5Mma(
      'mma',
      a,
      m.swap === 'b' ? checked<X.View<'smem', Dtype, 2>, X.Expr>(d) : b,
      m.swap === 'd' ? checked<X.View<'tmem', Dtype, 2>, X.Expr>(b) : d,
      yes,
      { isAsync: true, ...m.options },
    )
  })

interface Scaled {
  readonly dtype?: Dtype
  readonly aType?: number
  readonly bType?: number
  readonly shape?: Shape2
  readonly scale?: Dtype
  readonly factors?: number
  readonly scalesInShared?: boolean
  /** A of bytes of two elements */
  readonly packed?: boolean
}
const scaled5 = (s: Scaled) =>
  using(function* () {
    const rows = s.shape?.[0] ?? 128
    const a = yield* smem(
      'a',
      s.dtype ?? 'e4m3',
      [rows, s.packed === true ? 64 : 128],
      s.packed === true ? 64 : 128,
    )
    const b = yield* smem('b', 'e4m3', [64, 128], 128)
    const d = yield* tmem('d', 'f32', [rows, 64])
    const scale = yield* tmem('scale', s.scale ?? 'e8m0', [rows, s.factors ?? 4])
    const shared = yield* plain('scale_smem', 'e8m0', [rows, 4])
    const other = yield* tmem('scale_b', 'e8m0', [64, 4])
    yield* Ttng.tcGen5MmaScaled(
      'mma',
      a,
      X.transposeView(b, [1, 0]),
      d,
      s.scalesInShared === true ? checked<X.View<'tmem', Dtype, 2>, X.Expr>(shared) : scale,
      other,
      yes,
      {
        aType: checked<0, number>(s.aType ?? 0),
        bType: checked<0, number>(s.bType ?? 0),
        isAsync: true,
      },
    )
  })

// ---------------------------------------------------------------- tensor memory

/** A row of it lies in four threads. */
const mmaRows = B.fromEither(
  onShape({ _tag: 'nvidia_mma', versionMajor: 3, instrShape: [16, 16, 16], warpsPerCTA: [4, 1] })([128, 16]),
)
const inTmem = (
  dtype: Dtype,
  shape: ReadonlyArray<number>,
  body: (t: X.View<'tmem', Dtype, 2>) => B.Steps<unknown>,
) =>
  using(function* () {
    const t = yield* B.tensorMemory('t', dtype, shape)
    yield* body(checked<X.View<'tmem', Dtype, 2>, X.Expr>(t))
  })
const copied = (
  dtype: Dtype,
  source: ReadonlyArray<number>,
  shape: Shape2,
  width: number = 16,
  of: Dtype = dtype,
) =>
  using(function* () {
    const x = yield* operand('x', [of, source, width])
    yield* Ttng.tmemCopy('copy', x, yield* tmem('t', dtype, shape))
  })

const created = (
  rank: readonly [box: number, dims: number, strides: number, elementStrides: number],
  attributes: Partial<Record<'elemType' | 'swizzleMode' | 'fillMode' | 'interleaveLayout', number>> = {},
  elementStride: number = 1,
) =>
  using(function* () {
    const t = yield* B.tensorParam('t', 'f16', [64, 16], { role: 'in' })
    const maps = yield* B.tensorParam('maps', 'u8', [128], { role: 'inout' })
    const times = <A>(n: number, value: A): ReadonlyArray<A> => Array.from({ length: n }, () => value)
    yield* Ttng.tensormapCreate(
      'create',
      maps.ptr,
      t.ptr,
      times(rank[0], 16),
      times(rank[1], X.i32(16)),
      times(rank[2], X.i64(32n)),
      times(rank[3], elementStride),
      {
        elemType: checked<6, number>(attributes.elemType ?? 6),
        swizzleMode: checked<1, number>(attributes.swizzleMode ?? 1),
        fillMode: checked<0, number>(attributes.fillMode ?? 0),
        interleaveLayout: checked<0, number>(attributes.interleaveLayout ?? 0),
      },
    )
  })

const example = (code: Code, message: string, use: () => E.Either<Failure, unknown>): Refusal<Code> => ({
  code,
  message,
  use,
})

export const refusals: ReadonlyArray<Refusal<Code>> = [
  example(
    'ttng.barrier',
    'init: a barrier is a memdesc of rank 1 with elements of i64, found a scalar',
    using(function* () {
      yield* Ttng.initBarrier('init', checked<X.Barrier<'ptx', true>, X.Expr>(s0), 1)
    }),
  ),
  example(
    'ttng.barrier.shape',
    'wait: a barrier has one element for each CTA, so here 1: take one by memdesc_index, found 3',
    using(function* () {
      yield* Ttng.waitBarrier(
        'wait',
        checked<X.Barrier<'ptx', true>, X.Expr>(yield* B.barriers('bars', [3], { ordersTensorCore: true })),
        s0,
      )
    }),
  ),
  example(
    'ttng.barrier.layout',
    "init: the layout of a barrier has a row for each bit of a CTA's rank, expected 1 for 2 CTAs, found 2",
    onBarrier((b) => Ttng.initBarrier('init', b, 1, { from: two, layout: [[0], [1]] })),
  ),
  example(
    'ttng.barrier.layout',
    "init: the rows of a barrier's layout are 1, 2, 4, ... in their order, and zeros, expected [0] or [1] for bit 0, found [2]",
    onBarrier((b) => Ttng.initBarrier('init', b, 1, { from: four, layout: [[2], [1]] })),
  ),
  example(
    'ttng.barrier.layout',
    "init: the rows of a barrier's layout are 1, 2, 4, ... in their order, and zeros, expected [0] or [1] for bit 0, found [1, 0]",
    onBarrier((b) => Ttng.initBarrier('init', b, 1, { from: two, layout: [[1, 0]] })),
  ),
  example(
    'ttng.barrier.layout',
    "init: the rows of a barrier's layout are 1, 2, 4, ... in their order, and zeros, expected [0] or [2] for bit 1, found []",
    onBarrier((b) => Ttng.initBarrier('init', b, 1, { from: four, layout: [[1], []] })),
  ),
  example(
    'ttng.init_barrier.count',
    'init: count must be greater than or equal to 1, found 0',
    onBarrier((b) => Ttng.initBarrier('init', b, 0)),
  ),
  example(
    'ttng.init_barrier.warp_specialize',
    'init: a barrier that CTAs share cannot be initialised inside of warp_specialize, since a barrier of the whole cluster must follow; it is shared over rank bits 1',
    onBarrier((b) => Ttng.initBarrier('init', b, 1, { from: specialized, layout: [[0]] })),
  ),
  example(
    'ttng.barrier_expect.size',
    'expect: size is a number of bytes of 0 or more, found -16',
    onBarrier((b) => Ttng.barrierExpect('expect', b, -16)),
  ),
  example(
    'ttng.arrive_barrier.count',
    'arrive: count must be greater than or equal to 1, found 0',
    onBarrier((b) => Ttng.arriveBarrier('arrive', b, 0)),
  ),
  example(
    'ttng.arrive_barrier.cta_mask',
    'arrive: ctaMask 1 arrives in other CTAs, and the module has one',
    onBarrier((b) => Ttng.arriveBarrier('arrive', b, 1, { ctaMask: 1 })),
  ),
  example(
    'ttng.arrive_barrier.cta_mask',
    'arrive: ctaMask must have bits of a rank only, at most 1 for 2 CTAs, found 2',
    onBarrier((b) => Ttng.arriveBarrier('arrive', b, 1, { from: two, ctaMask: 2 })),
  ),
  example(
    'ttng.arrive_barrier.cta_mask',
    'arrive: ctaMask 1 needs a barrier of its own in every CTA, found one that is shared over rank bits 1',
    onBarrier((b) => Ttng.arriveBarrier('arrive', b, 1, { from: two, ctaMask: 1, layout: [[0]] })),
  ),
  example(
    'ttng.cluster.num_ctas',
    'arrive: cluster_arrive needs a module of more than one CTA, found 1',
    using(() => Ttng.clusterArrive('arrive')),
  ),
  example(
    'ttng.cluster.warp_specialize',
    'wait: every thread of the cluster must execute cluster_wait, so it cannot be inside warp_specialize',
    using(() => Ttng.clusterWait('wait', { from: specialized })),
  ),
  example(
    'ttng.clc.result',
    'try: result must be a memdesc of 2 x i64 in shared memory, found memdesc smem i32 (4,)',
    using(function* () {
      const answer = yield* B.sharedMemory('answer', 'i32', [4])
      const b = yield* barrier('bar')
      yield* Ttng.clcTryCancel('try', checked<X.View<'smem', 'i64', 1>, X.Expr>(answer), b)
    }),
  ),
  example(
    'ttng.clc.result',
    'answer: src must be a memdesc of 2 x i64 in shared memory, found memdesc smem i64 (4,)',
    using(function* () {
      yield* Ttng.clcLoadResult('answer', yield* B.sharedMemory('answer', 'i64', [4]))
    }),
  ),
  example(
    'ttng.clc_get_program_id.dim',
    'next: dim must be x, y or z, found w',
    using(function* () {
      const result = yield* Ttng.clcLoadResult('answer', yield* B.sharedMemory('answer', 'i64', [2]))
      yield* Ttng.clcGetProgramId('next', result, checked<'x', string>('w'))
    }),
  ),
  example(
    'ttng.async_shared_store.num_ctas',
    'send: async_shared_store requires at least two CTAs in the cluster, found 1',
    sending({ from: undefined }),
  ),
  example(
    'ttng.async_shared_store.memory',
    'send: dst must be a memdesc of shared memory, found memdesc gmem i32 (8,)',
    sending({ dst: B.globalScratch('s', 'i32', [8]) }),
  ),
  example(
    'ttng.async_shared_store.element_type',
    'send: the elements of src must be those of dst, expected f32, found tensor i32 (8,)',
    sending({ dst: B.sharedMemory('s', 'f32', [8]) }),
  ),
  example(
    'ttng.async_shared_store.shape',
    'send: src must have the shape of dst, expected (16,), found (8,)',
    sending({ dst: B.sharedMemory('s', 'i32', [16]) }),
  ),
  example(
    'ttng.async_shared_store.unsupported',
    'send: elements of 32 or 64 bits are stored one by one, found i8, which has several in a word',
    sending({ dst: B.sharedMemory('s', 'i8', [8]) }),
  ),
  example(
    'ttng.memdesc',
    'part: src must be a memdesc, found a scalar',
    using(function* () {
      yield* Ttng.tmemSubslice('part', checked<X.View<'tmem', 'f32', 2>, X.Expr>(s0), 0, 8)
    }),
  ),
  example(
    'ttng.tensor',
    'acc: value must be a tensor, found a scalar',
    using(function* () {
      yield* Ttng.inFlight('acc', checked<X.Tile<'f32', 2>, X.Expr>(s0), from)
    }),
  ),
  example(
    'ttng.partition',
    'acc: a tensor lies in the registers of one agent, so `from` must name exactly one, found 2',
    using(() => Ttng.inFlight('acc', zeros([64, 16]), { agents: [thread, B.warpgroup('other', 1)] })),
  ),
  example(
    'ttng.async_tma.descriptor',
    'load: desc must be a tensor descriptor, found a scalar',
    using(function* () {
      const { x, full } = yield* operands({})
      yield* Ttng.asyncTmaCopyGlobalToLocal('load', checked<Ttng.TensorDesc, X.Expr>(s0), origin, x, full)
    }),
  ),
  example(
    'ttng.async_tma.coords',
    'load: a TMA copy takes 1 to 5 coordinates, found 0',
    load({ coords: [] }),
  ),
  example(
    'ttng.async_tma.coords',
    "load: expected as many coordinates as the descriptor's block has dimensions, 2, found 1",
    load({ coords: [s0] }),
  ),
  example(
    'ttng.async_tma.element_type',
    'load: result and the descriptor must have one element type, found f16 and bf16',
    load({ of: 'bf16' }),
  ),
  example(
    'ttng.async_tma.shape',
    'load: result (64, 16) is copied in boxes of (64, 16), and the descriptor desc is of boxes of (32, 16): the block and result must have the same shape',
    load({ box: [32, 16] }),
  ),
  example(
    'ttng.async_tma.layout',
    'load: result must be swizzled as the descriptor desc, by 16 bytes, found 32',
    load({ swizzle: 16 }),
  ),
  example(
    'ttng.async_tma.layout',
    'load: result of async_tma_copy_global_to_local must be nvmma_shared, not transposed: the rows of a box of (16, 16) one after another, the last dimension contiguous, found (16, 16) with tiling (16, 8) and strides (0, 128, 1, 16)',
    using(function* () {
      const { desc, x, full } = yield* operands({ box: [16, 16], shape: [16, 16] })
      yield* Ttng.asyncTmaCopyGlobalToLocal('load', desc, origin, X.transposeView(x, [1, 0]), full)
    }),
  ),
  example(
    'ttng.async_tma.cga',
    'load: a row of cga has an entry for each of the 2 dimensions, found (1,)',
    load({ options: { from: two, cga: [[1]] } }),
  ),
  example(
    'ttng.async_tma.barrier',
    "load: the barrier of async_tma_copy_global_to_local is each CTA's own, or that of the lead of a pair, found one that is shared over rank bits 10",
    load({ options: { from: four, layout: [[1], [0]] } }),
  ),
  example(
    'ttng.async_tma.multicast',
    'load: multicast needs a result that several CTAs have the same share of: expected a zero row in cga, found (1, 0)',
    load({ options: { from: two, multicast: true, cga: [[1, 0]] } }),
  ),
  example(
    'ttng.async_tma.mode',
    'load: tensorMode is tiled (0); copies in mode im2col (1) are not in this library, found im2col',
    load({ options: { tensorMode: 'im2col' } }),
  ),
  example(
    'ttng.async_tma.offsets',
    'load: offsets belong to mode im2col, found 1 in mode tiled',
    load({ options: { offsets: [s0] } }),
  ),
  example(
    'ttng.async_tma.cache_modifier',
    'load: a TMA copy takes no cache modifier but none (1), found cg',
    load({ options: { cacheModifier: 'cg' } }),
  ),
  example(
    'ttng.async_tma.eviction_policy',
    'load: evictionPolicy is one of evict_normal (1), evict_first (2), evict_last (3), found 4',
    load({ options: { evictionPolicy: checked<1, number>(4) } }),
  ),
  example(
    'ttng.async_tma.volatile',
    'load: a TMA copy cannot be volatile',
    load({ options: { isVolatile: true } }),
  ),
  example(
    'ttng.async_tma_reduce.kind',
    'reduce: kind is one of add (1), min (2), max (3), inc (4), dec (5), and (6), or (7), xor (8), found 0',
    reduction(0, 'f32'),
  ),
  example(
    'ttng.async_tma_reduce.element_type',
    'reduce: Triton takes inc for no element type (PTX has it for u32, in cp.reduce.async.bulk.tensor), found u32',
    reduction('inc', 'u32'),
  ),
  example(
    'ttng.async_tma_reduce.element_type',
    'reduce: add is a reduction of i32, u32, u64, f32, f16, bf16, found e4m3',
    reduction('add', 'e4m3'),
  ),
  example(
    'ttng.async_tma_rows.block',
    'gather: the block of a descriptor of async_tma_gather must be one row of a matrix, found (8, 16)',
    gather({ box: [8, 16] }),
  ),
  example(
    'ttng.async_tma_rows.shape',
    'gather: result must be a matrix with a row for each of the 8 x_offsets, found (16, 16)',
    gather({ shape: [16, 16] }),
  ),
  example(
    'ttng.async_tma_rows.shape',
    'gather: async_tma_gather must have at least 8 rows, found 4',
    gather({ shape: [4, 16], width: 16, offsets: X.iota<1>([4], 0) }),
  ),
  example(
    'ttng.async_tma_rows.shape',
    'gather: async_tma_gather of f16 must have at least 16 columns, found 8',
    gather({ box: [1, 8], swizzle: 16, shape: [8, 8], width: 16 }),
  ),
  example(
    'ttng.async_tma_rows.shape',
    'gather: result (8, 16) is copied 16 columns at a time, and the descriptor desc is of boxes of (1, 32)',
    gather({ box: [1, 32], swizzle: 64 }),
  ),
  example(
    'ttng.async_tma_rows.offsets',
    'gather: x_offsets must have one dimension, found (8, 1)',
    gather({ offsets: X.iota<2>([8, 1], 0) }),
  ),
  example(
    'ttng.async_tma_rows.offsets',
    'gather: x_offsets must have 4 neighbours or more in a thread, and the same in every thread of a warp',
    gather({ offsets: X.iota<1>([8], 0, perThread ?? 'any') }),
  ),
  example(
    'ttng.async_tma_rows.element_type',
    'gather: async_tma_gather must have elements of at most 32 bits, found i64',
    gather({ dtype: 'i64', of: 'i64', box: [1, 16], swizzle: 128, width: 128 }),
  ),
  example(
    'ttng.async_tma_rows.layout',
    'gather: result must be nvmma_shared, not transposed, found (16, 16)',
    using(function* () {
      const { desc, x, full } = yield* operands({ box: [1, 16], shape: [16, 16] })
      yield* Ttng.asyncTmaGather('gather', desc, X.iota<1>([16], 0), s0, X.transposeView(x, [1, 0]), full)
    }),
  ),
  example(
    'ttng.async_tma_store_wait.pendings',
    'wait: pendings is a number of groups of 0 or more, found -1',
    using(() => Ttng.asyncTmaStoreWait('wait', -1)),
  ),
  example(
    'ttng.tc_gen5.completion_layout',
    "commit: the barrier of a completion is each CTA's own or one for the whole cluster, found one that is shared over rank bits 1",
    onBarrier((b) => Ttng.tcGen5Commit('commit', b, { from: four, layout: [[0], [1]] })),
  ),
  example(
    'ttng.tc_gen5.two_ctas',
    'commit: two_ctas needs a module of an even number of CTAs, found 1',
    onBarrier((b) => Ttng.tcGen5Commit('commit', b, { twoCtas: true })),
  ),
  example(
    'ttng.tc_gen5_commit.descs',
    'commit: tc_gen5_commit takes at most 4 descs, found 5',
    onBarrier((b) => Ttng.tcGen5Commit('commit', b, { descs: [[], [], [], [], []] })),
  ),
  example(
    'ttng.tc_gen5_mma.rank',
    'mma: a must have rank 2, found (1, 128, 16) (tc_gen5_mma)',
    using(function* () {
      const x = yield* smem('x', 'f16', [1, 128, 16])
      yield* Ttng.tcGen5Mma('mma', x, x, yield* tmem('d', 'f32', [128, 16]), yes)
    }),
  ),
  example(
    'ttng.tc_gen5_mma.memory',
    'mma: b must be in shared memory, found tmem (tc_gen5_mma)',
    mma5({ swap: 'b' }),
  ),
  example(
    'ttng.tc_gen5_mma.memory',
    'mma: d must be in tensor memory, found smem (tc_gen5_mma)',
    mma5({ swap: 'd' }),
  ),
  example(
    'ttng.tc_gen5_mma.shape',
    'mma: d (128, 16) = a (128, 16) x b (16, 16), found a (128, 16) and b (32, 16) (tc_gen5_mma)',
    mma5({ b: ['f16', [32, 16], 32] }),
  ),
  example(
    'ttng.tc_gen5_mma.shape',
    'mma: M of a CTA must be 64 or a multiple of 128, found 32 (tc_gen5_mma)',
    mma5({ a: ['f16', [32, 16], 32], d: ['f32', [32, 16]] }),
  ),
  example(
    'ttng.tc_gen5_mma.element_type',
    'mma: a and b must be of one kind (tf32, f16, bf16, f8f6f4 or i8), found f16 and bf16 (tc_gen5_mma)',
    mma5({ b: ['bf16', [16, 16], 32] }),
  ),
  example(
    'ttng.tc_gen5_mma.accumulator',
    'mma: bf16 accumulates in f32, found f16 (tc_gen5_mma)',
    mma5({ a: ['bf16', [128, 16], 32], b: ['bf16', [16, 16], 32], d: ['f16', [128, 16]] }),
  ),
  example(
    'ttng.tc_gen5_mma.accumulator',
    'mma: d must have colStride 2, one element of f16 to a column, found columns 2 bytes apart (tc_gen5_mma)',
    mma5({ d: ['f16', [128, 16]], packedD: true }),
  ),
  example(
    'ttng.tc_gen5_mma.layout',
    'mma: a must be nvmma_shared with a swizzle: Unsupported transforms for MMA operand a: expected a rank 2 ref with tiling (8, 8S/16) and swizzle S of 32, 64 or 128, or its transpose, found shape (128, 16) with no tiling and no swizzle (tc_gen5_mma)',
    mma5({ a: ['f16', [128, 16], 16] }),
  ),
  example(
    'ttng.tc_gen5_mma.layout',
    'mma: a in tensor memory must have colStride 1, found elements of f16 4 bytes apart (tc_gen5_mma)',
    mma5({ left: ['f16', [128, 16]], wideA: true }),
  ),
  example(
    'ttng.tc_gen5_mma.layout',
    'mma: a of f32 must not be transposed: contiguous along K (tc_gen5_mma)',
    mma5({
      a: ['f32', [128, 128], 128],
      transposeA: true,
      b: ['f32', [128, 32], 128],
      d: ['f32', [128, 32]],
    }),
  ),
  example(
    'ttng.tc_gen5_mma.cga',
    'mma: a must not be split between CTAs along K, found (0, 1) (tc_gen5_mma)',
    mma5({ options: { from: two, cga: { a: [[0, 1]] } } }),
  ),
  example(
    'ttng.tc_gen5_mma.cga',
    'mma: row 0 of the CGA layout of d must have the rows of a and the columns of b, expected (1, 1), found (1, 0) (tc_gen5_mma)',
    mma5({ options: { from: two, cga: { a: [[1, 0]], b: [[0, 1]], d: [[1, 0]] } } }),
  ),
  example(
    'ttng.tc_gen5_mma.cga',
    'mma: multicast needs a copy of an operand in several CTAs: a zero row in its CGA layout (tc_gen5_mma)',
    mma5({ options: { multicast: true } }),
  ),
  example(
    'ttng.tc_gen5_mma.sync',
    'mma: a product that is not async takes no barriers, found 1 (tc_gen5_mma)',
    using(function* () {
      const a = yield* smem('a', 'f16', [128, 16])
      const b = yield* smem('b', 'f16', [16, 16])
      yield* Ttng.tcGen5Mma('mma', a, b, yield* tmem('d', 'f32', [128, 16]), yes, {
        barriers: [{ barrier: yield* barrier('bar') }],
      })
    }),
  ),
  example(
    'ttng.tc_gen5_mma.sync',
    'mma: a synchronous product of two CTAs has a barrier of the whole cluster, which cannot be inside warp_specialize (tc_gen5_mma)',
    mma5({ d: ['f32', [128, 32]], options: { from: specialized, isAsync: false, twoCtas: true } }),
  ),
  example(
    'ttng.tc_gen5_mma.layout',
    'mma: a of e2m1 must be nvmma_shared with fp4Padded in a product with e4m3: 16 elements in the first half of every 16 bytes (tc_gen5_mma_scaled)',
    scaled5({ dtype: 'i8', aType: 4, packed: true }),
  ),
  example(
    'ttng.tc_gen5_mma_scaled.type',
    'mma: a_type is one of e4m3 (0), e5m2 (1), e2m3 (2), e3m2 (3), e2m1 (4), bf16 (5), fp16 (6), found 7',
    scaled5({ aType: 7 }),
  ),
  example(
    'ttng.tc_gen5_mma_scaled.type',
    'mma: a_type bf16 is not multiplied with scales: e4m3, e5m2, e2m3, e3m2 and e2m1 are',
    scaled5({ aType: 5 }),
  ),
  example(
    'ttng.tc_gen5_mma_scaled.type',
    'mma: a of a_type e2m3 must be a memdesc of i8, 16 elements in the first 12 of every 16, found e4m3',
    scaled5({ aType: 2 }),
  ),
  example(
    'ttng.tc_gen5_mma_scaled.type',
    'mma: a of a_type e5m2 must be a memdesc of e5m2, found e4m3',
    scaled5({ aType: 1 }),
  ),
  example(
    'ttng.tc_gen5_mma_scaled.block_m',
    'mma: d of a scaled product must have blockM 128, found 64 rows',
    scaled5({ shape: [64, 64] }),
  ),
  example(
    'ttng.tc_gen5_mma_scaled.scales',
    'mma: a_scale must be in tensor memory, found smem',
    scaled5({ scalesInShared: true }),
  ),
  example(
    'ttng.tc_gen5_mma_scaled.scales',
    'mma: a_scale must be (128, 4), a factor for 32 elements of K, or (128, 8), for 16, found (128, 1)',
    scaled5({ factors: 1 }),
  ),
  example(
    'ttng.tc_gen5_mma_scaled.scales',
    'mma: a_scale must be of i8 (powers of two) or e4m3, found e5m2',
    scaled5({ scale: 'e5m2' }),
  ),
  example(
    'ttng.tensormap_create.rank',
    'create: a tensor map has rank 1 to 5, found 0 box_dim',
    created([0, 0, 0, 0]),
  ),
  example(
    'ttng.tensormap_create.rank',
    'create: expected 2 global_dim and element_stride, as box_dim, found 3 and 2',
    created([2, 3, 1, 2]),
  ),
  example(
    'ttng.tensormap_create.rank',
    'create: expected 1 global_stride, one less than box_dim, found 2',
    created([2, 2, 2, 2]),
  ),
  example(
    'ttng.tensormap_create.attribute',
    'create: swizzle_mode is one of none (0), 32B (1), 64B (2), 128B (3), found 4',
    created([2, 2, 1, 2], { swizzleMode: 4 }),
  ),
  example(
    'ttng.tensormap_create.unsupported',
    'create: tensor maps here are of whole elements without interleaving (which bytes a box of an interleaved tensor brings is not documented), found elem_type b4x16_p64 and interleave_layout none',
    created([2, 2, 1, 2], { elemType: 14 }),
  ),
  example(
    'ttng.tensormap_create.unsupported',
    'create: tensor maps here are of whole elements without interleaving (which bytes a box of an interleaved tensor brings is not documented), found elem_type f16 and interleave_layout 32B',
    created([2, 2, 1, 2], { elemType: 6, interleaveLayout: 2 }),
  ),
  example(
    'ttng.tensormap_create.element_stride',
    'create: element_stride[0] must be 1 to 8, found 9',
    created([2, 2, 1, 2], {}, 9),
  ),
  example(
    'ttng.reinterpret_tensor_descriptor.type',
    'desc: the descriptor that was acquired is of f16 of rank 2, expected bf16 of rank 2',
    using(function* () {
      const maps = yield* B.tensorParam('maps', 'u8', [128], { role: 'inout' })
      const raw = yield* Ttng.tensormapFenceproxyAcquire('acquire', maps.ptr, { dtype: 'f16', rank: 2 })
      yield* Ttng.reinterpretTensorDescriptor<Dtype, number>('desc', raw, { dtype: 'bf16', rank: 2 })
    }),
  ),
  example(
    'ttng.tmem.memory',
    'load: src must be in tensor memory, found smem',
    using(function* () {
      const x = yield* smem('x', 'f16', [64, 16])
      yield* Ttng.tmemLoad('load', checked<X.View<'tmem', 'f16', 2>, X.Expr>(x), yield* rowPerLane(16), {
        from,
      })
    }),
  ),
  example(
    'ttng.tmem_alloc.encoding',
    "acc: a tensor_memory is not an encoding of f32 (64, 16): A block's share must have 128 rows or more, blockM, found (64, 16)",
    using(() => Ttng.tmemAlloc('acc', 'f32', [64, 16], { encoding: accumulatorEncoding(16) })),
  ),
  example(
    'ttng.tmem_alloc.encoding',
    'acc: a tensor_memory is not an encoding of f32 (64, 64): blockM must be 64, 128, found 96',
    using(() =>
      Ttng.tmemAlloc('acc', 'f32', [64, 64], { encoding: { ...accumulatorEncoding(16), blockM: 96 } }),
    ),
  ),
  example(
    'ttng.tmem_alloc.encoding',
    'scale: scales have 8 bits, found elements of f16 under tensor_memory_scales_encoding',
    using(() => Ttng.tmemAlloc('scale', 'f16', [128, 4], { encoding: { _tag: 'tensor_memory_scales' } })),
  ),
  example(
    'ttng.tmem_alloc.columns',
    'acc: tensor memory has 512 columns, and (2, 128, 512) of f32 takes 1024',
    using(() => Ttng.tmemAlloc('acc', 'f32', [2, 128, 512], { encoding: accumulatorEncoding(512) })),
  ),
  example(
    'ttng.tmem_alloc.columns',
    'tensor memory: a kernel allocates 32, 64, 128, 256 or 512 columns, found 48',
    using(() => Ttng.tcgen5GlobalAlloc('tensor memory', 48)),
  ),
  example(
    'ttng.tmem_alloc.mutable',
    'acc: an allocation that is not mutable needs a source, since nothing else can write it',
    using(() =>
      Ttng.tmemAlloc('acc', 'f32', [128, 16], { encoding: accumulatorEncoding(16), mutable: false }),
    ),
  ),
  example(
    'ttng.tmem_load.shape',
    'load: src must have rank 2, found (2, 128, 16)',
    inTmem('f32', [2, 128, 16], function* (t) {
      yield* Ttng.tmemLoad('load', t, yield* rowPerLane(16), { from })
    }),
  ),
  example(
    'ttng.tmem_load.encoding',
    'load: src must have a tensor_memory_encoding, found scales of e8m0',
    inTmem('e8m0', [128, 16], function* (t) {
      yield* Ttng.tmemLoad('load', t, yield* rowPerLane(16), { from })
    }),
  ),
  example(
    'ttng.tmem_load.layout',
    'load: no shape of tcgen05.ld gives (128, 16) of f32 in this layout: Warp bit 0 must hold what row 32 holds, [32, 0], found [16, 0]',
    inTmem('f32', [128, 16], function* (t) {
      yield* Ttng.tmemLoad('load', t, yield* mmaRows, { from })
    }),
  ),
  example(
    'ttng.tmem_load.reduction',
    'load: a reduction is of f32 without NaN, a row in one thread, found NaN',
    inTmem('f32', [128, 16], function* (t) {
      yield* Ttng.tmemLoad('load', t, yield* rowPerLane(16), { from, redOp: 'max', NaN: true })
    }),
  ),
  example(
    'ttng.tmem_load.reduction',
    'load: a reduction is of f32 without NaN, a row in one thread, found f16',
    inTmem('f16', [128, 16], function* (t) {
      yield* Ttng.tmemLoad('load', t, yield* rowPerLane(16), { from, redOp: 1 })
    }),
  ),
  example(
    'ttng.tmem_store.shape',
    'store: src and dst must have one shape, found (128, 8) and (128, 16)',
    inTmem('f32', [128, 16], (t) => Ttng.tmemStore('store', zeros([128, 8]), t)),
  ),
  example(
    'ttng.tmem_store.layout',
    'store: no shape of tcgen05.st moves (128, 16) of f32 from this layout: Warp bit 0 must hold what row 32 holds, [32, 0], found [16, 0]',
    inTmem('f32', [128, 16], function* (t) {
      yield* Ttng.tmemStore('store', zeros([128, 16], yield* mmaRows), t)
    }),
  ),
  example(
    'ttng.tmem_subslice.rank',
    'part: src must have rank 2, found (2, 128, 16)',
    inTmem('f32', [2, 128, 16], (t) => Ttng.tmemSubslice('part', t, 0, 8)),
  ),
  example(
    'ttng.tmem_subslice.offset',
    'part: N must be a multiple of the columns of the result, 8, found 4',
    inTmem('f32', [128, 16], (t) => Ttng.tmemSubslice('part', t, 4, 8)),
  ),
  example(
    'ttng.tmem_subslice.offset',
    'part: columns 16 to 23 are not all in src, which has 16',
    inTmem('f32', [128, 16], (t) => Ttng.tmemSubslice('part', t, 16, 8)),
  ),
  example(
    'ttng.tmem_copy.memory',
    'copy: src must be in shared memory, found tmem',
    using(function* () {
      const t = yield* tmem('t', 'f32', [128, 8])
      yield* Ttng.tmemCopy('copy', checked<X.View<'smem'>, X.Expr>(t), t)
    }),
  ),
  example(
    'ttng.tmem_copy.element_type',
    'copy: src and dst must have one element type, found i32 and f32',
    copied('f32', [128, 8], [128, 8], 32, 'i32'),
  ),
  example(
    'ttng.tmem_copy.element_type',
    'copy: a copy that is not of scales has elements of 32 bits, found f16',
    copied('f16', [128, 16], [128, 16], 32),
  ),
  example(
    'ttng.tmem_copy.layout',
    'copy: scales are copied from chunks of 32 rows of 16 bytes without a swizzle, one after another, found (64, 32) with swizzle 32 and strides (256, 0, 32, 1)',
    copied('e8m0', [64, 32], [128, 16], 32),
  ),
  example(
    'ttng.tmem_copy.layout',
    'copy: src must be nvmma_shared with a swizzle, not transposed, found none',
    copied('f32', [128, 8], [128, 8]),
  ),
  example(
    'ttng.tmem_copy.shape',
    'copy: scales are copied in chunks of 128 rows of 4 factors: expected 256 scales for (64, 4), found (64, 4)',
    copied('e8m0', [64, 4], [64, 4]),
  ),
  example(
    'ttng.tmem_copy.shape',
    'copy: src and dst must have one shape, of 128 rows, found (128, 16) and (128, 8)',
    copied('f32', [128, 16], [128, 8], 64),
  ),
  example(
    'ttng.warp_group_dot.num_warps',
    'dot: warp_group_dot is run by one agent of a multiple of 4 warps, found one of 1',
    dot({ agent: B.warp('one', 0) }),
  ),
  example(
    'ttng.warp_group_dot.rank',
    'dot: a must have rank 2, found (1, 64, 16) in smem',
    dot({ a: ['f16', [1, 64, 16], 32] }),
  ),
  example(
    'ttng.warp_group_dot.shape',
    'dot: a (64, 16) and b (32, 16) must have one K, found 16 and 32',
    dot({ b: ['f16', [32, 16], 32] }),
  ),
  example(
    'ttng.warp_group_dot.shape',
    'dot: M of a CTA must be a multiple of 64, found 32',
    dot({ a: ['f16', [32, 16], 32], c: [32, 16] }),
  ),
  example(
    'ttng.warp_group_dot.shape',
    'dot: c must be (64, 16), as a (64, 16) times b (16, 16), found (64, 32)',
    dot({ c: [64, 32] }),
  ),
  example(
    'ttng.warp_group_dot.operand_space',
    'dot: a must be in shared memory or in registers, found tmem',
    dot({ inTensorMemory: 'a' }),
  ),
  example(
    'ttng.warp_group_dot.operand_space',
    'dot: b must be in shared memory, found tmem',
    dot({ inTensorMemory: 'b' }),
  ),
  example(
    'ttng.warp_group_dot.element_type',
    'dot: no tensor core multiplies f16 by bf16 into f32',
    dot({ b: ['bf16', [16, 16], 32] }),
  ),
  example(
    'ttng.warp_group_dot.element_type',
    'dot: no tensor core multiplies bf16 by bf16 into f16',
    dot({ a: ['bf16', [64, 16], 32], b: ['bf16', [16, 16], 32], into: 'f16' }),
  ),
  example(
    'ttng.warp_group_dot.layout',
    'dot: a must be nvmma_shared with a swizzle: Unsupported transforms for MMA operand a: expected a rank 2 ref with tiling (8, 8S/16) and swizzle S of 32, 64 or 128, or its transpose, found shape (64, 16) with no tiling and no swizzle',
    dot({ a: ['f16', [64, 16], 16] }),
  ),
  example(
    'ttng.warp_group_dot.layout',
    'dot: b of f32 must be contiguous along K, found it contiguous along N',
    dot({ a: ['f32', [64, 16], 32], b: ['f32', [16, 16], 32] }),
  ),
  example(
    'ttng.warp_group_dot.input_precision',
    'dot: inputPrecision is one of tf32 (0), tf32x3 (1), ieee (2), bf16x3 (3), bf16x6 (4), found 5',
    dot({ options: { inputPrecision: checked<0, number>(5) } }),
  ),
  example(
    'ttng.warp_group_dot.input_precision',
    'dot: a tensor core multiplies f32 as tf32 only, found inputPrecision ieee',
    dot({ a: ['f32', [64, 16], 32], b: ['f32', [16, 16], 32], options: { inputPrecision: 'ieee' } }),
  ),
  example(
    'ttng.warp_group_dot.max_num_imprecise_acc',
    'dot: maxNumImpreciseAcc of a product of e4m3 into f32 must be 32 or more, found 16',
    dot({
      a: ['e4m3', [64, 32], 32],
      b: ['e4m3', [32, 32], 32],
      c: [64, 32],
      options: { maxNumImpreciseAcc: 16 },
    }),
  ),
  example(
    'ttng.warp_group_dot_wait.inputs',
    'wait: warp_group_dot_wait must have at least one input',
    using(() => Ttng.warpGroupDotWait('wait', [], { pendings: 0 })),
  ),
  example(
    'ttng.warp_group_dot_wait.pendings',
    'wait: pendings is a number of products of 0 or more, found -1',
    using(function* () {
      const acc = yield* Ttng.inFlight('acc', zeros([64, 16]), from)
      yield* Ttng.warpGroupDotWait('wait', [acc], { pendings: -1 })
    }),
  ),
]
