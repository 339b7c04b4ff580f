/** What copies, accesses to peers, loads, stores and layouts refuse, word for word. */
import type * as E from 'fp-ts/lib/Either.js'
import type { Code } from '../../../../src/dialects/pallas/codes.js'
import * as Pallas from '../../../../src/dialects/pallas/index.js'
import type { Failure } from '../../../../src/failure.js'
import { splatLayout } from '../../../../src/layouts/splat.js'
import { TCGEN05, TMA_INDICES, WGMMA, WGMMA_COL, WGMMA_ROW } from '../../../../src/layouts/tiled.js'
import type { Dtype } from '../../../../src/numerics/dtype.js'
import * as B from '../../../../src/semantics/writing/builder.js'
import {
  float,
  i1,
  i32,
  iota,
  slice,
  splat,
  type Int,
  type Tile,
  type View,
} from '../../../../src/semantics/language/expression.js'
import * as Ref from '../../../../src/transforms/ref.js'
import * as Transform from '../../../../src/transforms/transform.js'
import type { Refusal } from '../../coverage/refusal.js'

type Shape = ReadonlyArray<number>

const using =
  (body: () => B.Steps<unknown>, cluster: Readonly<Record<string, number>> = {}) =>
  (): E.Either<Failure, unknown> =>
    Pallas.kernel(
      {
        name: 'refused',
        arch: 'sm100a',
        cluster: Object.values(cluster),
        clusterNames: Object.keys(cluster),
      },
      function* () {},
      function* () {
        yield* B.block(body)
      },
    )

const transforms = (tile: Shape, span: number): B.Build<ReadonlyArray<Transform.Transform>> =>
  B.block(function* () {
    const cut = yield* B.fromEither(Transform.tile(tile))
    if (span === 16) return [cut]
    const swizzle = yield* B.fromEither(Transform.swizzle(span))
    return tile.length === 0 ? [swizzle] : [cut, swizzle]
  })

interface Copy {
  readonly x?: readonly [dtype: Dtype, shape: Shape]
  readonly strides?: Shape
  readonly starts?: Shape
  readonly sizes?: ReadonlyArray<number | null>
  readonly s?: readonly [dtype: Dtype, shape: Shape]
  readonly tile?: Shape
  readonly span?: number
  readonly options?: Pallas.CopyOptions
  readonly cluster?: Readonly<Record<string, number>>
}
/** f16 (64, 64) of x (128, 128), tiled by (8, 64) and swizzled by 128 bytes, but for what is given. */
const copy = (c: Copy): (() => E.Either<Failure, unknown>) =>
  using(function* () {
    const [dtype, shape] = c.x ?? ['f16', [128, 128]]
    const [own, size] = c.s ?? ['f16', [64, 64]]
    const x = yield* B.tensorParam<Dtype, Shape>('x', dtype, shape, {
      role: 'in',
      ...(c.strides === undefined ? {} : { strides: c.strides }),
    })
    const all = c.tile?.length === 0 ? [] : yield* transforms(c.tile ?? [8, 64], c.span ?? 128)
    const s = yield* B.sharedMemory<Dtype, Shape>('s', own, size, all)
    const full = yield* Pallas.Barrier('full')
    const starts = c.starts ?? shape.map(() => 0)
    yield* Pallas.copyGmemToSmem(
      'copy',
      Pallas.at(x, starts.map(i32), c.sizes ?? size),
      s,
      full,
      null,
      c.options,
    )
  }, c.cluster)
const plain = { tile: [], span: 16 } as const

/** Rows of x (128, 128) f16 into s, by so many indices. */
const gather = (
  indices: Tile<'i32', 1>,
  s: Shape,
  all: Partial<Copy> & { readonly columns?: number } = {},
): (() => E.Either<Failure, unknown>) =>
  using(function* () {
    const x = yield* B.tensorParam('x', 'f16', [128, 128], { role: 'in' })
    const made = all.tile?.length === 0 ? [] : yield* transforms(all.tile ?? [8, 64], all.span ?? 128)
    const ref = yield* B.sharedMemory<'f16', Shape>('s', 'f16', s, made)
    const full = yield* Pallas.Barrier('full')
    const rows = Pallas.rowsAt(x, indices, i32(0), all.columns ?? s[1] ?? 64)
    yield* Pallas.copyGmemToSmem('gather', rows, ref, full, null, all.options)
  }, all.cluster)
const sixteen = iota<1>([16], 0, TMA_INDICES)

const withArray = (
  use: (s: View<'smem', 'f32', 2>, full: Pallas.Barrier) => B.Steps<unknown>,
  cluster: Readonly<Record<string, number>> = { c: 2 },
): (() => E.Either<Failure, unknown>) =>
  using(function* () {
    const s = yield* B.sharedMemory('s', 'f32', [64, 64])
    const full = yield* Pallas.Barrier('full')
    yield* B.block(() => use(s, full))
  }, cluster)
const filled = (shape: Shape): Tile<'f32', 2> => splat<'f32', 2>(float('f32', 1), shape)
const peer = { clusterDim: 'c', clusterIdx: i32(1) } as const
const pair = { c: 2 } as const
const half: Int = i32(1)

export const refusals: ReadonlyArray<Refusal<Code>> = [
  // ------------------------------------------------------------ what is copied
  {
    code: 'pallas.copy',
    message: 'copy: expected a ref in SMEM, found acc in TMEM',
    use: using(function* () {
      const x = yield* B.tensorParam('x', 'f32', [4, 32], { role: 'in' })
      const t = yield* B.tensorMemory('acc', 'f32', [128, 32])
      const full = yield* Pallas.Barrier('full')
      const from = Pallas.at(x, [i32(0), i32(0)], [4, 32])
      // a caller without types
      const ref: View<'smem', 'f32', 2> = Object.assign({}, t, yield* B.sharedMemory('s', 'f32', [4, 32]), t)
      yield* Pallas.copyGmemToSmem('copy', from, ref, full, null)
    }),
  },
  {
    code: 'pallas.copy.shape',
    message: 'copy: Expected shapes to match, found a slice of (64, 32) and a ref of (64, 64)',
    use: copy({ sizes: [64, 32] }),
  },
  {
    code: 'pallas.copy.shape',
    message: 'copy: x has 2 dimensions, found 1 indices',
    use: copy({ sizes: [64, 64], starts: [0] }),
  },
  {
    code: 'pallas.copy.dtype',
    message: 'copy: Expected dtypes to match, found bf16 of x and f16 of s',
    use: copy({ x: ['bf16', [128, 128]] }),
  },
  {
    code: 'pallas.copy.transforms',
    message: 'copy: a copy takes one level of tiling, found 2 of s',
    use: using(function* () {
      const x = yield* B.tensorParam('x', 'f16', [128, 128], { role: 'in' })
      const twice = yield* B.fromEither(Transform.tile([64, 64], [8, 8]))
      const s = yield* B.sharedMemory('s', 'f16', [64, 64], [twice])
      const full = yield* Pallas.Barrier('full')
      yield* Pallas.copyGmemToSmem('copy', Pallas.at(x, [i32(0), i32(0)], [64, 64]), s, full, null)
    }),
  },
  {
    code: 'pallas.copy.tile',
    message: "copy: dimension 0 of x is 100: expected a multiple of the tile's 8",
    use: copy({ x: ['f16', [100, 128]] }),
  },
  {
    code: 'pallas.copy.slice',
    message: 'copy: Expected slice start of dimension 0 of x to be divisible by the tile size 8, found 4',
    use: copy({ starts: [4, 64] }),
  },
  {
    code: 'pallas.copy.sub-byte',
    message: 'copy: s has 260 bits: expected a whole number of bytes',
    use: copy({ x: ['e2m1', [8, 65]], s: ['e2m1', [1, 65]], ...plain }),
  },
  {
    code: 'pallas.copy.bytes',
    message: 'copy: s has 64 bytes: only copies of a multiple of 128 bytes are supported',
    use: copy({ x: ['f16', [8, 32]], s: ['f16', [1, 32]], ...plain }),
  },
  {
    code: 'pallas.copy.barrier',
    message: 'copy: copy_gmem_to_smem needs a barrier on Hopper and later, found none',
    use: using(function* () {
      const x = yield* B.tensorParam('x', 'f32', [4, 32], { role: 'in' })
      const s = yield* B.sharedMemory('s', 'f32', [4, 32])
      yield* Pallas.copyGmemToSmem('copy', Pallas.at(x, [i32(0), i32(0)], [4, 32]), s, null, null)
    }),
  },
  {
    code: 'pallas.copy.promise',
    message: 'copy: PROMISE_IN_BOUNDS: a slice of (64, 64) at (96, 0) leaves x of shape (128, 128)',
    use: copy({ starts: [96, 0], options: { oobMode: 'PROMISE_IN_BOUNDS' } }),
  },
  // ------------------------------------------------------------ what the copy engine takes
  {
    code: 'pallas.copy.contiguous',
    message: 'copy: only contiguous GMEM can be copied: dimension 0 of x has stride 256, expected 128',
    use: copy({ strides: [256, 1] }),
  },
  {
    code: 'pallas.copy.contiguous',
    message:
      'copy: s is a part of an SMEM ref with gaps between its elements (strides (64, 1) for (8, 32)): only contiguous SMEM can be copied',
    use: using(function* () {
      const x = yield* B.tensorParam('x', 'f32', [8, 64], { role: 'in' })
      const s = yield* B.sharedMemory('s', 'f32', [8, 64])
      const full = yield* Pallas.Barrier('full')
      const left = slice(s, [i32(0), i32(0)], [8, 32])
      yield* Pallas.copyGmemToSmem('copy', Pallas.at(x, [i32(0), i32(0)], [8, 32]), left, full, null)
    }),
  },
  {
    code: 'pallas.copy.stride',
    message:
      'copy: all strides but the last must be multiples of 16 bytes, found 200 bytes in dimension 0 of x under the transforms of s',
    use: copy({ x: ['f16', [128, 100]], s: ['f16', [64, 64]], ...plain }),
  },
  {
    code: 'pallas.copy.last-stride',
    message: 'copy: the last dimension of x under the transforms of s must have stride 1, found 128',
    use: using(function* () {
      const x = yield* B.tensorParam('x', 'f16', [128, 128], { role: 'in' })
      const turned = yield* B.fromEither(Transform.transpose([1, 0]))
      const s = yield* B.sharedMemory('s', 'f16', [64, 64], [turned])
      const full = yield* Pallas.Barrier('full')
      yield* Pallas.copyGmemToSmem('copy', Pallas.at(x, [i32(0), i32(0)], [64, 64]), s, full, null)
    }),
  },
  {
    code: 'pallas.copy.rank',
    message: 'copy: the copy engine takes at most 5 dimensions, found 6 of x under the transforms of s',
    use: copy({ x: ['f16', [2, 2, 2, 16, 64]], s: ['f16', [2, 2, 2, 16, 64]], tile: [8, 64] }),
  },
  {
    code: 'pallas.copy.box',
    message:
      'copy: a copy takes at most 256 elements of each dimension, found 512 in dimension 0 of x under the transforms of s',
    use: copy({ x: ['f16', [512, 64]], s: ['f16', [512, 64]], ...plain }),
  },
  {
    code: 'pallas.copy.last-dim',
    message: 'copy: the last dimension must be a multiple of 16 bytes, found 4 elements of f16 in s',
    use: copy({ x: ['f16', [64, 64]], s: ['f16', [64, 4]], ...plain }),
  },
  {
    code: 'pallas.copy.swizzle',
    message: 'copy: with a swizzle of 128 bytes the last dimension of s must be 64 elements of f16, found 32',
    use: using(function* () {
      const x = yield* B.tensorParam('x', 'f16', [64, 32], { role: 'in' })
      const layout = yield* B.fromEither(Ref.ofStrides([64, 32], 16, [32, 1], 128))
      const s = yield* B.sharedMemory('s', 'f16', [64, 32], [], { layout })
      const full = yield* Pallas.Barrier('full')
      yield* Pallas.copyGmemToSmem('copy', Pallas.at(x, [i32(0), i32(0)], [64, 32]), s, full, null)
    }),
  },
  // ------------------------------------------------------------ collectives
  {
    code: 'pallas.copy.axis',
    message: 'copy: there is no cluster axis 3: the cluster has c of size 2',
    use: copy({ options: { collectiveAxes: 3 }, cluster: pair }),
  },
  {
    code: 'pallas.copy.leader',
    message: 'copy: leader_tracked needs collective_axes, found none',
    use: copy({ options: { leaderTracked: { _tag: 'REPLICATED' } }, cluster: pair }),
  },
  {
    code: 'pallas.copy.leader',
    message: 'copy: leader_tracked takes one collective axis, found x, y',
    use: copy({
      options: { collectiveAxes: ['x', 'y'], leaderTracked: { _tag: 'REPLICATED' } },
      cluster: { x: 1, y: 2 },
    }),
  },
  {
    code: 'pallas.copy.leader',
    message: 'copy: partitioned_axis=0 is the older spelling of leader_tracked: give one of the two',
    use: copy({
      options: { collectiveAxes: 'c', partitionedAxis: 0, leaderTracked: { _tag: 'REPLICATED' } },
      cluster: pair,
    }),
  },
  {
    code: 'pallas.copy.leader.size',
    message: 'copy: leader_tracked copies are of two blocks, found the collective axis c of size 4',
    use: copy({ options: { collectiveAxes: 'c', leaderTracked: { _tag: 'REPLICATED' } }, cluster: { c: 4 } }),
  },
  {
    code: 'pallas.copy.leader.pair',
    message:
      'copy: leader_tracked copies are of blocks with neighbouring ranks: expected the minormost axis of the cluster, found x, along which ranks are 2 apart',
    use: copy({
      options: { collectiveAxes: 'x', leaderTracked: { _tag: 'REPLICATED' } },
      cluster: { x: 2, y: 2 },
    }),
  },
  {
    code: 'pallas.copy.leader.axis',
    message: 'copy: PARTITIONED(2): the source has dimensions 0 to 1',
    use: copy({ options: { collectiveAxes: 'c', partitionedAxis: 2 }, cluster: pair }),
  },
  {
    code: 'pallas.copy.leader.divisible',
    message: 'copy: dimension 0 of the source is 127: expected a multiple of the collective axis size 2',
    use: copy({ sizes: [127, 64], options: { collectiveAxes: 'c', partitionedAxis: 0 }, cluster: pair }),
  },
  {
    code: 'pallas.copy.leader.shape',
    message:
      'copy: Expected source shape to be (128, 64), but got (64, 64). Dim 0 is partitioned over an axis of size 2.',
    use: copy({ sizes: [64, 64], options: { collectiveAxes: 'c', partitionedAxis: 0 }, cluster: pair }),
  },
  {
    code: 'pallas.copy.share',
    message:
      'copy: none of the leading dimensions of the transformed slice (3, 64) of s is divisible by the 2 blocks of the collective (the swizzled dimension cannot be divided)',
    use: copy({
      x: ['f16', [3, 64]],
      s: ['f16', [3, 64]],
      tile: [1, 64],
      options: { collectiveAxes: 'c' },
      cluster: pair,
    }),
  },
  {
    code: 'pallas.copy.share',
    message: 'copy: each of 8 blocks copies 64 bytes of s: expected a multiple of 128',
    use: copy({
      x: ['f16', [8, 32]],
      s: ['f16', [8, 32]],
      ...plain,
      options: { collectiveAxes: 'c' },
      cluster: { c: 8 },
    }),
  },
  // ------------------------------------------------------------ rows
  {
    code: 'pallas.copy.gather',
    message: 'gather: gathers do not support a predicate',
    use: gather(sixteen, [16, 64], { options: { predicate: i1(true) } }),
  },
  {
    code: 'pallas.copy.gather',
    message: 'gather: gathers do not support collective axes',
    use: gather(sixteen, [16, 64], { options: { collectiveAxes: 'c' }, cluster: pair }),
  },
  {
    code: 'pallas.copy.gather',
    message:
      'gather: rows are gathered and scattered with tiles of 8 rows and one swizzle span, found s of tiles (16, 64) and a swizzle of 128 bytes',
    use: gather(sixteen, [16, 64], { tile: [16, 64] }),
  },
  {
    code: 'pallas.copy.gather',
    message: 'gather: expected a matrix to gather or scatter rows, found s of shape (2, 8, 64)',
    use: gather(sixteen, [2, 8, 64], {}),
  },
  {
    code: 'pallas.copy.gather.indices',
    message: 'gather: expected 32 indices, one for each row of the ref, found 16',
    use: gather(sixteen, [32, 64]),
  },
  {
    code: 'pallas.copy.gather.indices',
    message: 'gather: expected indices in the layout TMA_INDICES or TMA_INDICES_4, found WGMMA_ROW',
    use: gather(iota<1>([64], 0, WGMMA_ROW), [64, 64]),
  },
  {
    code: 'pallas.copy.gather.rows',
    message: 'gather: four rows must be a multiple of 128 bytes, found 64: 8 elements of f16 each',
    use: gather(sixteen, [16, 8], { tile: [], span: 16 }),
  },
  // ------------------------------------------------------------ stores
  {
    code: 'pallas.copy.reduction',
    message: 'copy: reduction_op "max" is of f16, bf16, found f32 of s',
    use: using(function* () {
      const out = yield* B.tensorParam('out', 'f32', [4, 32], { role: 'inout' })
      const s = yield* B.sharedMemory('s', 'f32', [4, 32])
      yield* Pallas.copySmemToGmem('copy', s, Pallas.at(out, [i32(0), i32(0)], [4, 32]), {
        reductionOp: 'max',
      })
    }),
  },
  {
    code: 'pallas.copy.gather',
    message: 'scatter: scatters do not support reduction_op',
    use: using(function* () {
      const out = yield* B.tensorParam('out', 'f32', [16, 32], { role: 'inout' })
      const s = yield* B.sharedMemory('s', 'f32', [16, 32])
      yield* Pallas.copySmemToGmem('scatter', s, Pallas.rowsAt(out, sixteen, i32(0), 32), {
        reductionOp: 'add',
      })
    }),
  },
  {
    code: 'pallas.copy.groups',
    message: 'wait: expected a number of groups of 0 or more, found -1',
    use: using(() => Pallas.waitSmemToGmem('wait', -1)),
  },
  {
    code: 'pallas.copy.wait-gmem',
    message:
      'wait: wait_gmem_to_smem(0) is for GPUs before Hopper: on Hopper and later wait for the barrier of the copy',
    use: using(() => Pallas.waitGmemToSmem('wait', 0)),
  },
  {
    code: 'pallas.copy.prefetch',
    message: 'prefetch: prefetches of gathered rows are not supported',
    use: using(function* () {
      const x = yield* B.tensorParam('x', 'f32', [16, 32], { role: 'in' })
      yield* Pallas.asyncPrefetch('prefetch', Pallas.rowsAt(x, sixteen, i32(0), 32))
    }),
  },
  // ------------------------------------------------------------ peers
  {
    code: 'pallas.copy.peer',
    message: 'peer: index 2 is out of bounds for the cluster axis c of size 2',
    use: withArray((s) => Pallas.clusterRef('peer', s, { c: i32(2) })),
  },
  {
    code: 'pallas.async-store',
    message: 'send: Expected an array of shape (64, 64) for s, found (64, 32)',
    use: withArray((s, full) => Pallas.asyncStoreSmem('send', filled([64, 32]), s, full, null, peer)),
  },
  {
    code: 'pallas.async-store',
    message: 'send: Expected an array of f32 for s, found tile i32 (64, 64)',
    use: withArray((s, full) =>
      Pallas.asyncStoreSmem('send', splat<'i32', 2>(half, [64, 64]), s, full, null, peer),
    ),
  },
  {
    code: 'pallas.async-store.atomic',
    message: 'send: atomic=add of s: expected i32 or u32, found f32',
    use: withArray((s, full) =>
      Pallas.asyncStoreSmem('send', filled([64, 64]), s, full, null, { ...peer, atomic: 'add' }),
    ),
  },
  {
    code: 'pallas.async-store.bytes',
    message: 'send: s has 64 bytes: only multiples of 128 bytes are supported',
    use: using(function* () {
      const s = yield* B.sharedMemory('s', 'f32', [1, 16])
      const full = yield* Pallas.Barrier('full')
      yield* Pallas.asyncStoreSmem('send', filled([1, 16]), s, full, null, peer)
    }, pair),
  },
  {
    code: 'pallas.async-store.element',
    message: 'send: only elements of 32 or 64 bits are stored asynchronously, found f16 of s',
    use: using(function* () {
      const s = yield* B.sharedMemory('s', 'f16', [64, 64])
      const full = yield* Pallas.Barrier('full')
      const ones = splat<'f16', 2>(float('f16', 1), [64, 64])
      yield* Pallas.asyncStoreSmem('send', ones, s, full, null, peer)
    }, pair),
  },
  // ------------------------------------------------------------ loads, stores, layouts
  {
    code: 'pallas.load',
    message: 'load: only refs in SMEM and GMEM are loaded, found acc in TMEM',
    use: using(function* () {
      const acc: View = yield* B.tensorMemory('acc', 'f32', [128, 32])
      const s: View<'smem', 'f32', 2> = Object.assign({}, yield* B.sharedMemory('s', 'f32', [4, 32]), acc)
      yield* Pallas.load('load', s)
    }),
  },
  {
    code: 'pallas.load.layout',
    message:
      'load: s has not the layout: The base tile (64, 8) does not divide the array shape (32, 8): dimension 0 must be a positive multiple of 64, found 32',
    use: using(function* () {
      const s = yield* B.sharedMemory('s', 'f32', [32, 8])
      yield* Pallas.load('load', s, { layout: WGMMA })
    }),
  },
  {
    code: 'pallas.load.layout',
    message: 'load: s of shape (64, 64) has more than one element: it cannot be loaded as WG_SPLAT((64, 64))',
    use: withArray((s) => Pallas.load('load', s, { layout: splatLayout([64, 64]) })),
  },
  {
    code: 'pallas.load.optimized',
    message:
      'load: there is no optimized load between s and the layout WGMMA: 384 of its 512 passes are bank conflicts; optimized=False allows it',
    use: withArray((s) => Pallas.load('load', s, { layout: WGMMA })),
  },
  {
    code: 'pallas.store',
    message: 'store: Expected an array of shape (64, 64) for s, found (64, 32)',
    use: withArray((s) => Pallas.store('store', s, filled([64, 32]))),
  },
  {
    code: 'pallas.store',
    message: 'store: Expected an array of f32 for s, found tile i32 (64, 64)',
    use: withArray((s) => Pallas.store('store', s, splat<'i32', 2>(half, [64, 64]))),
  },
  {
    code: 'pallas.layout-cast',
    message:
      'cast: Cannot convert from WGMMA to TCGEN05 for 32-bit elements of shape (128, 64): it converts to WGMMA_TRANSPOSED, WGMMA_ACC_32BIT',
    use: using(function* () {
      const x = splat<'f32', 2>(float('f32', 1), [128, 64], WGMMA)
      yield* Pallas.layoutCast('cast', x, TCGEN05)
    }),
  },
  {
    code: 'pallas.array.add',
    message: 'sum: expected two arrays of one shape and dtype, found tile f32 (64, 64) and tile f32 (64, 32)',
    use: using(() =>
      Pallas.addArrays(
        'sum',
        splat<'f32', 2>(float('f32', 1), [64, 64]),
        splat<'f32', 2>(float('f32', 1), [64, 32]),
      ),
    ),
  },
  {
    code: 'pallas.array.layouts',
    message:
      'sum: arrays in WGMMA and in TCGEN05 are not added: cast one of them with layout_cast, or store it in SMEM and load it in the layout of the other',
    use: using(() =>
      Pallas.addArrays(
        'sum',
        splat<'f32', 2>(float('f32', 1), [128, 64], WGMMA),
        splat<'f32', 2>(float('f32', 1), [128, 64], TCGEN05),
      ),
    ),
  },
  ...[2, -1, 0.5].map((axis) => ({
    code: 'pallas.array.reduce' as const,
    message: `sum: axis ${String(axis)} is out of range for an array of shape (64, 64)`,
    use: using(() => Pallas.reduceSum('sum', splat<'f32', 2>(float('f32', 1), [64, 64], WGMMA), axis)),
  })),
  {
    code: 'pallas.array.reduce',
    message:
      'sum: 2 partial sums of an array of shape (64, 24) in WGMMA: expected a number of registers along axis 1 that they divide, found 3',
    use: using(() => Pallas.reduceSum('sum', splat<'f32', 2>(float('f32', 1), [64, 24], WGMMA), 1)),
  },
  {
    code: 'pallas.array.broadcast',
    message: 'meet: an array in WGMMA_COL does not meet one in WGMMA along axis 1: expected WGMMA_ROW',
    use: using(() =>
      Pallas.broadcastInDim('meet', splat<'f32', 1>(float('f32', 1), [64], WGMMA_COL), [64, 64], 1, WGMMA),
    ),
  },
  {
    code: 'pallas.array.broadcast',
    message:
      'meet: expected an array of shape (64,) to repeat along axis 1 of (64, 64), found tile f32 (32,)',
    use: using(() =>
      Pallas.broadcastInDim('meet', splat<'f32', 1>(float('f32', 1), [32]), [64, 64], 1, WGMMA),
    ),
  },
  ...[2, -1, 0.5].map((dimension) => ({
    code: 'pallas.iota' as const,
    message: `iota: dimension ${String(dimension)} is out of range for shape (64, 8)`,
    use: using(() => Pallas.broadcastedIota('iota', 'i32', [64, 8], dimension)),
  })),
  {
    code: 'pallas.iota',
    message:
      'iota: The base tile (64, 8) does not divide the array shape (32, 8): dimension 0 must be a positive multiple of 64, found 32',
    use: using(() => Pallas.broadcastedIota('iota', 'i32', [32, 8], 0, { layout: WGMMA })),
  },
  {
    code: 'pallas.iota',
    message: 'iota: the elements along dimension 0 of (64, 8) differ: they cannot be WG_SPLAT((64, 8))',
    use: using(() => Pallas.broadcastedIota('iota', 'i32', [64, 8], 0, { layout: splatLayout([64, 8]) })),
  },
  {
    code: 'pallas.iota',
    message: 'iota: expected integers or floats of 16 bits or more, found e4m3',
    use: using(() => Pallas.broadcastedIota('iota', 'e4m3', [64, 8], 0)),
  },
]
