/** What allocations, refs, unions and scopes refuse, word for word. */
import * as E from 'fp-ts/lib/Either.js'
import type { Code } from '../../../../src/dialects/pallas/codes.js'
import * as Pallas from '../../../../src/dialects/pallas/index.js'
import type { Failure } from '../../../../src/failure.js'
import * as Tmem from '../../../../src/layouts/tensor-memory/tensor-memory-layout.js'
import * as B from '../../../../src/semantics/writing/builder.js'
import * as X from '../../../../src/semantics/language/expression.js'
import * as Transform from '../../../../src/transforms/transform.js'
import type { Refusal } from '../../coverage/refusal.js'

const using = (body: () => B.Steps<unknown>) => (): E.Either<Failure, unknown> =>
  B.draft({ name: 'refused', arch: 'sm100a', agents: [B.warpgroup('thread', 0)] }, function* () {
    yield* body()
  })
const one = (build: B.Build<unknown>): (() => E.Either<Failure, unknown>) => using(() => build)
/** In the thread of a kernel. */
const inThreads = (numThreads: number, body: () => B.Steps<unknown>) => (): E.Either<Failure, unknown> =>
  Pallas.kernel(
    {
      name: 'refused',
      arch: 'sm100a',
      ...(numThreads === 1 ? {} : { numThreads, threadName: 'wg' }),
    },
    function* () {},
    function* () {
      yield* body()
    },
  )

type Transforms = ReadonlyArray<E.Either<Failure, Transform.Transform>>
const madeOf = (transforms: Transforms): B.Build<ReadonlyArray<Transform.Transform>> =>
  B.sequence(transforms.map(B.fromEither))
const tiling = Pallas.TilingTransform([8, 64])
const swizzle = Pallas.SwizzleTransform(128)

const allocation = (
  shape: ReadonlyArray<number>,
  transforms: Transforms,
): (() => E.Either<Failure, unknown>) =>
  using(function* () {
    yield* Pallas.SMEM('a_smem', 'f16', shape, { transforms: yield* madeOf(transforms) })
  })
/** Of an f16 ref of shared memory. */
const ofRef = (
  shape: ReadonlyArray<number>,
  transforms: Transforms,
  use: (ref: X.View<'smem', 'f16'>) => B.Build<unknown>,
): (() => E.Either<Failure, unknown>) =>
  using(function* () {
    yield* use(yield* Pallas.SMEM('a_smem', 'f16', shape, { transforms: yield* madeOf(transforms) }))
  })
const ofTensorMemory = (
  shape: ReadonlyArray<number>,
  use: (ref: X.View<'tmem', 'f32'>) => B.Build<unknown>,
): (() => E.Either<Failure, unknown>) =>
  using(function* () {
    yield* use(yield* Pallas.TMEM('acc_tmem', 'f32', shape))
  })
const acc = (name: string, shape: readonly [number, number] = [64, 64]): B.Build<Pallas.Accumulator> =>
  Pallas.ACC(name, 'thread', 'f32', shape)
const accInit: B.Build<Pallas.Accumulator> = Pallas.ACC.init(
  'acc',
  'thread',
  'f32',
  X.splat<'f32', 2>(X.float('f32', 0), [64, 64]),
)
const everything = Pallas.everything

export const refusals: ReadonlyArray<Refusal<Code>> = [
  {
    code: 'pallas.memory.shape',
    message: 'a_smem: dimension 1 of (64, 0) is 0: expected a positive integer',
    use: one(Pallas.SMEM('a_smem', 'f16', [64, 0])),
  },
  {
    code: 'pallas.memory.transforms',
    message: 'acc: transforms are not supported for TMEM, found Tile(8, 64)',
    use: using(function* () {
      const transforms = yield* madeOf([tiling])
      yield* Pallas.MemoryRef(Pallas.MemorySpace.TMEM, 'acc', 'f32', [128, 64], { transforms })
    }),
  },
  {
    code: 'pallas.memory.tmem-only',
    message:
      'a_smem: packed, collective and layout are only supported for TMEM, found packed and collective for SMEM',
    use: one(
      Pallas.MemoryRef(Pallas.MemorySpace.SMEM, 'a_smem', 'f16', [8, 64], {
        packed: true,
        collective: false,
      }),
    ),
  },
  {
    code: 'pallas.memory.space',
    message: 'x: unsupported memory space REGS: registers are values, or an accumulator',
    use: one(Pallas.MemoryRef(Pallas.MemorySpace.REGS, 'x', 'f32', [64, 64])),
  },
  {
    code: 'pallas.tmem.packed-unsaid',
    message: 'a_tmem: dtypes narrower than 32 bits, here 16, require either packed or a layout',
    use: one(Pallas.TMEM('a_tmem', 'bf16', [128, 64])),
  },
  {
    code: 'pallas.tmem.packed-and-layout',
    message: 'sf: packed cannot be specified if layout is specified',
    use: one(Pallas.TMEM('sf', 'e8m0', [128, 4], { packed: true, layout: Tmem.scales })),
  },
  {
    code: 'pallas.tmem.rank',
    message: 'acc: An array in tensor memory has two dimensions or more, found (128,)',
    use: one(Pallas.TMEM('acc', 'f32', [128])),
  },
  {
    code: 'pallas.tmem.rows',
    message: 'acc: dimension 0 is 96: expected 64 or 128 rows unless a layout is given',
    use: one(Pallas.TMEM('acc', 'f32', [96, 64])),
  },
  {
    code: 'pallas.tmem.packing',
    message: 'a_tmem: Dimension 1: 63 elements of a row must be a multiple of the packing 2',
    use: one(Pallas.TMEM('a_tmem', 'f16', [128, 63], { packed: true })),
  },
  {
    code: 'pallas.tmem.layout',
    message:
      'sf: The base tile (128, 4) does not divide the array shape (64, 4): dimension 0 must be a positive multiple of 128, found 64',
    use: one(Pallas.TMEM('sf', 'e8m0', [64, 4], { layout: Tmem.scales })),
  },
  {
    code: 'pallas.tmem.columns',
    message: 'The tensor memory of the kernel takes 600 columns, exceeding the limit of 512',
    use: using(function* () {
      yield* Pallas.TMEM('a', 'f32', [128, 300])
      yield* Pallas.TMEM('b', 'f32', [128, 300])
      yield* Pallas.threads([], [{ name: 'thread', body: function* () {} }])
    }),
  },
  {
    code: 'pallas.tmem.collective-mixed',
    message: 'Tensor memory of a kernel is collective throughout or not at all, found a collective, b not',
    use: using(function* () {
      yield* Pallas.TMEM('a', 'f32', [128, 64], { collective: true })
      yield* Pallas.TMEM('b', 'f32', [128, 64])
      yield* Pallas.threads([], [{ name: 'thread', body: function* () {} }])
    }),
  },
  {
    code: 'pallas.acc.shape',
    message: 'acc: dimension 0 of the accumulator (32, 64) is 32: expected a positive multiple of 64',
    use: one(acc('acc', [32, 64])),
  },
  {
    code: 'pallas.acc.shape',
    message: 'acc: dimension 1 of the accumulator (64, 60) is 60: expected a positive multiple of 8',
    use: one(acc('acc', [64, 60])),
  },
  {
    code: 'pallas.acc.init',
    message: 'sum: acc: ACC.init is for run_state: an accumulator of run_scoped starts at zero',
    use: using(() => Pallas.runScoped('sum', [accInit], function* () {})),
  },
  {
    code: 'pallas.acc.value',
    message: 'store: expected an array of f32 (64, 64) for acc, found tile f32 (64, 32)',
    use: using(() =>
      Pallas.runScoped('sum', [acc('acc', [64, 64])], function* (one) {
        yield* Pallas.storeAccumulator('store', one, X.splat(X.float('f32', 0), [64, 32]))
      }),
    ),
  },
  {
    code: 'pallas.union.spaces',
    message: 'u: all aliased refs must have the same memory space, SMEM or TMEM, found a SMEM, b TMEM',
    use: one(Pallas.RefUnion('u', [Pallas.SMEM('a', 'f32', [8, 64])], [Pallas.TMEM('b', 'f32', [128, 64])])),
  },
  {
    code: 'pallas.union.spaces',
    message: 'u: all aliased refs must have the same memory space, SMEM or TMEM, found a SMEM, b barriers',
    use: one(Pallas.RefUnion('u', [Pallas.SMEM('a', 'f32', [8, 64])], [Pallas.Barrier('b')])),
  },
  {
    code: 'pallas.union.collective',
    message: 'u: some aliased TMEM refs are collective and some are not: a is, b is not',
    use: one(
      Pallas.RefUnion(
        'u',
        [Pallas.TMEM('a', 'f32', [128, 64], { collective: true })],
        [Pallas.TMEM('b', 'f32', [128, 64])],
      ),
    ),
  },
  {
    code: 'pallas.union.bytes',
    message: 'u: only byte-aligned shapes are supported: a of e2m1 (3, 3) has 36 bits',
    use: one(Pallas.RefUnion('u', [Pallas.SMEM('a', 'e2m1', [3, 3])])),
  },
  {
    code: 'pallas.union.rows',
    message: 'u: aliased TMEM refs must have equally many rows: a has 128 and b has 64',
    use: one(Pallas.RefUnion('u', [Pallas.TMEM('a', 'f32', [128, 64])], [Pallas.TMEM('b', 'f32', [64, 64])])),
  },
  {
    code: 'pallas.union.empty',
    message: 'u: a union has at least one ref, found none',
    use: one(Pallas.RefUnion('u', [])),
  },
  {
    code: 'pallas.union.nested',
    message: 'u: a is in the union v already: a union has refs as members',
    use: one(Pallas.RefUnion('u', [Pallas.RefUnion('v', [Pallas.SMEM('a', 'f32', [8, 64])])])),
  },
  {
    code: 'pallas.scoped.threads',
    message:
      'scope: a_smem: only thread-collective allocations are supported in a kernel of 2 threads; say collective if all threads are to share it',
    use: inThreads(2, () =>
      Pallas.runScoped('scope', [Pallas.SMEM('a_smem', 'f32', [8, 64])], function* () {}),
    ),
  },
  {
    code: 'pallas.scoped.accumulator',
    message:
      'scope: acc: an accumulator can only be allocated by one thread for itself; give it a scope of its own that is not collective',
    use: using(() => Pallas.runScoped('scope', [acc('acc')], function* () {}, { collective: true })),
  },
  {
    code: 'pallas.scoped.differs',
    message:
      'scope: all threads must make the same collective allocation, but a_smem is not what another thread allocated',
    use: inThreads(2, function* () {
      const { thread } = yield* Pallas.contextHere
      const rows = thread?.index === 0 ? 8 : 16
      yield* Pallas.runScoped('scope', [Pallas.SMEM('a_smem', 'f32', [rows, 64])], function* () {}, {
        collective: true,
      })
    }),
  },
  {
    code: 'pallas.scoped.live',
    message: 'inner: a_smem is allocated by a scope around this one',
    use: inThreads(1, () =>
      Pallas.runScoped('outer', [Pallas.SMEM('a_smem', 'f32', [8, 64])], () =>
        Pallas.runScoped('inner', [Pallas.SMEM('a_smem', 'f32', [8, 64])], function* () {}),
      ),
    ),
  },
  {
    code: 'pallas.state.accumulator',
    message: 'sum: expected at least one accumulator, found none',
    use: using(() => Pallas.runState('sum', [], function* () {})),
  },
  {
    code: 'pallas.state.accumulator',
    message: 'sum: expected accumulators, found another allocation at 0',
    use: using(() => Pallas.runState('sum', [Pallas.SMEM('a_smem', 'f32', [8, 64])], function* () {})),
  },
  {
    code: 'pallas.state.uninitialised',
    message: 'sum: acc has no first value: expected ACC.init',
    use: using(() => Pallas.runState('sum', [acc('acc')], function* () {})),
  },
  {
    code: 'pallas.ref.tiling',
    message: 'a_smem: Tile (8, 64) does not apply to shape (100, 64): dimension 0 is 100, not divisible by 8',
    use: allocation([100, 64], [tiling]),
  },
  {
    code: 'pallas.ref.tiling',
    message: 'Tile extents must be positive integers, found (8, 0)',
    use: () => Pallas.TilingTransform([8, 0]),
  },
  {
    code: 'pallas.ref.swizzle',
    message:
      'a_smem: Swizzle 128 requires the trailing dimension to be of size 64 (16-bit elements), but got (64, 128)',
    use: allocation([64, 128], [swizzle]),
  },
  {
    code: 'pallas.ref.after-swizzle',
    message: 'a_smem: A swizzle moves bytes and must be the last transform, but Tile(8, 64) follows it',
    use: allocation([64, 64], [swizzle, tiling]),
  },
  {
    code: 'pallas.ref.permutation',
    message: 'Expected each of 0..1 once, found (0, 0)',
    use: () => Pallas.TransposeTransform([0, 0]),
  },
  {
    code: 'pallas.ref.permutation',
    message: 'transpose_ref: expected a permutation of the 2 dimensions of (64, 64), found (1, 1)',
    use: ofRef([64, 64], [], (ref) => Pallas.transposeRef('transpose_ref', ref, [1, 1])),
  },
  {
    code: 'pallas.ref.swizzle-size',
    message: 'Swizzle 8 is not supported: expected 16, 32, 64 or 128 bytes',
    use: () => Pallas.SwizzleTransform(8),
  },
  {
    code: 'pallas.ref.rank',
    message: 'a_smem.at: 3 indices for a ref of shape (64, 64)',
    use: ofRef([64, 64], [], (ref) => Pallas.refAt('a_smem.at', ref, [0, 0, 0])),
  },
  {
    code: 'pallas.ref.bounds',
    message: 'a_smem.at: index 4 is out of bounds for dimension 0 of (4, 64)',
    use: ofRef([4, 64], [], (ref) => Pallas.refAt('a_smem.at', ref, [X.i32(4)])),
  },
  {
    code: 'pallas.ref.bounds',
    message: 'a_smem.at: a slice of 32 from 48 is out of bounds for dimension 1 of (4, 64)',
    use: ofRef([4, 64], [], (ref) => Pallas.refAt('a_smem.at', ref, [everything, Pallas.ds(48, 32)])),
  },
  {
    code: 'pallas.ref.stride',
    message: 'a_smem.at: strided slices are unsupported: stride 2 in dimension 0 of (4, 64)',
    use: ofRef([4, 64], [], (ref) => Pallas.refAt('a_smem.at', ref, [Pallas.ds(0, 2, 2)])),
  },
  {
    code: 'pallas.ref.tile',
    message:
      'a_smem.at: expected slice start 4 and slice size 8 to be divisible by the tile size 8 of dimension 0 of (64, 64)',
    use: ofRef([64, 64], [tiling, swizzle], (ref) => Pallas.refAt('a_smem.at', ref, [Pallas.ds(4, 8)])),
  },
  {
    code: 'pallas.ref.index-tiled',
    message: 'a_smem.at: dimension 0 of (64, 64) is tiled by 8 and can only be sliced, found index 3',
    use: ofRef([64, 64], [tiling, swizzle], (ref) => Pallas.refAt('a_smem.at', ref, [3])),
  },
  {
    code: 'pallas.ref.index-swizzled',
    message:
      'a_smem.at: the last two dimensions of a swizzled ref can only be sliced, found index 1 for dimension 1 of (4, 8, 64)',
    use: ofRef([4, 8, 64], [swizzle], (ref) => Pallas.refAt('a_smem.at', ref, [0, 1])),
  },
  {
    code: 'pallas.ref.slice-swizzled',
    message:
      'a_smem.at: swizzled dims cannot be sliced: expected all of dimension 1 of (8, 64), found 32 from 0',
    use: ofRef([8, 64], [swizzle], (ref) => Pallas.refAt('a_smem.at', ref, [everything, Pallas.ds(0, 32)])),
  },
  {
    code: 'pallas.ref.transpose-tmem',
    message: "transpose_ref: can't transpose a TMEM reference",
    use: ofTensorMemory([128, 64], (ref) => Pallas.transposeRef('transpose_ref', ref, [1, 0])),
  },
  {
    code: 'pallas.ref.transpose-tiled',
    message:
      'transpose_ref: transpose (1, 0, 2) cannot be moved before a tiling transform: it changes the set of tiled dimensions, the last 2 of (4, 64, 64)',
    use: ofRef([4, 64, 64], [tiling], (ref) => Pallas.transposeRef('transpose_ref', ref, [1, 0, 2])),
  },
  {
    code: 'pallas.ref.transpose-swizzled',
    message:
      "transpose_ref: can't transpose the swizzled dimension: (1, 0) moves the last dimension of (8, 64)",
    use: ofRef([8, 64], [swizzle], (ref) => Pallas.transposeRef('transpose_ref', ref, [1, 0])),
  },
  {
    code: 'pallas.ref.transpose-swizzled',
    message:
      "load: can't transpose the swizzled dimension: the ref of shape (64, 64) is transposed inside its tiles (64, 8)",
    use: ofRef([64, 64], [tiling, swizzle], (ref) =>
      B.chain((t: X.View) => Pallas.plainRef('load', t))(Pallas.transposeRef('transpose_ref', ref, [1, 0])),
    ),
  },
  {
    code: 'pallas.ref.reshape-unfold',
    message:
      'reshape: only folding is supported: (8, 8, 64) is not (64, 64) with neighbouring dimensions merged',
    use: ofRef([64, 64], [tiling], (ref) => Pallas.reshapeRef('reshape', ref, [8, 8, 64])),
  },
  {
    code: 'pallas.ref.reshape-mixed',
    message:
      'reshape: dimensions 0 to 1 of (4, 64, 64) are folded, but the last 2 are tiled and the others are not',
    use: ofRef([4, 64, 64], [tiling], (ref) => Pallas.reshapeRef('reshape', ref, [256, 64])),
  },
  {
    code: 'pallas.ref.reshape-tiled',
    message:
      'reshape: Dimension 0 of (64, 64) is tiled by 8: only the minormost of the folded dimensions may be tiled',
    use: ofRef([64, 64], [tiling], (ref) => Pallas.reshapeRef('reshape', ref, [4096])),
  },
  {
    code: 'pallas.ref.reshape-swizzled',
    message: 'reshape: The swizzled last dimension of (8, 64) cannot be folded into another one',
    use: ofRef([8, 64], [swizzle], (ref) => Pallas.reshapeRef('reshape', ref, [512])),
  },
  {
    code: 'pallas.ref.reshape-strided',
    message:
      'reshape: Dimensions 0 and 1 of (4, 32) do not follow one another in memory: strides 64 and 1 for 32 steps',
    use: ofRef([4, 64], [], (ref) =>
      B.chain((part: X.View<'smem', 'f16'>) => Pallas.reshapeRef('reshape', part, [128]))(
        Pallas.refAt('a_smem.at', ref, [everything, Pallas.ds(0, 32)]),
      ),
    ),
  },
  {
    code: 'pallas.tmem.index',
    message: 'acc.at: TMEM can only be sliced, not indexed: found index 0 for dimension 0 of (128, 64)',
    use: ofTensorMemory([128, 64], (ref) => Pallas.refAt('acc.at', ref, [0])),
  },
  {
    code: 'pallas.tmem.slice-rows',
    message: 'acc.at: the rows of TMEM cannot be sliced: dimension 0 of (128, 64), found 64 from 0',
    use: ofTensorMemory([128, 64], (ref) => Pallas.refAt('acc.at', ref, [Pallas.ds(0, 64)])),
  },
  {
    code: 'pallas.tmem.slice-columns',
    message:
      'acc.at: dimension 1 of (64, 64) is cut in pieces of 64 columns, found 32 from 0: expected multiples that are known to be so',
    use: ofTensorMemory([64, 64], (ref) => Pallas.refAt('acc.at', ref, [everything, Pallas.ds(0, 32)])),
  },
]
