/** What the surroundings of ttng refuse: for each code a use of it, and the message. */
import type * as E from 'fp-ts/lib/Either.js'
import * as T from '../../../../src/dialects/ttng/index.js'
import type { Code } from '../../../../src/dialects/ttng/codes.js'
import type { Failure } from '../../../../src/failure.js'
import type { Blocked } from '../../../../src/layouts/triton/encoding.js'
import * as B from '../../../../src/semantics/writing/builder.js'
import * as X from '../../../../src/semantics/language/expression.js'
import { checked } from '../../../../src/semantics/language/index-types.js'
import type { Refusal } from '../../coverage/refusal.js'
import { nvmma } from '../../coverage/ttng/operations.js'
import { line, plain, warp } from '../../coverage/ttng/surroundings.js'

const flat = { ...plain, order: [0] }
const square: Blocked = {
  _tag: 'blocked',
  sizePerThread: [1, 1],
  threadsPerWarp: [8, 4],
  warpsPerCTA: [1, 1],
  order: [1, 0],
}

/** The expression as one of any type: what tsc would refuse first. */
const loose = <A>(value: unknown): A => checked<A, unknown>(value)

const inside = (
  body: (m: T.Module) => B.Steps<unknown>,
  attributes: T.ModuleAttributes = warp,
): (() => E.Either<Failure, unknown>) => {
  const use = function* (m: T.Module): Generator<B.Step, void, B.State> {
    yield* body(m)
  }
  return () => T.func(attributes, 'refused', {}, use)
}
const refusal = (code: Code, message: string, use: () => E.Either<Failure, unknown>): Refusal<Code> => ({
  code,
  message,
  use,
})

const ints = X.splat<'i32', 1>(X.i32(1), [32])
const floats = X.splat<'f32', 1>(X.float('f32', 1), [32])
const matrix = X.splat<'f32', 2>(X.float('f32', 1), [8, 4])

/** Pointers to 32 floats. */
const pointers: B.Build<
  X.Expr<{ readonly tile: { readonly element: { readonly ptr: 'f32' }; readonly rank: 1 } }>
> = B.block(function* () {
  return yield* T.splat('p', yield* T.ptrArg('x', 'f32', { shape: [32], role: 'in' }), [32], line)
})
const buffer = (shape: readonly [number, number] = [8, 8]): B.Build<T.MemDesc<'smem', 'f32', 2>> =>
  T.localAlloc('buffer', shape, 'f32', plain)
const twoWarps: T.ModuleAttributes = { ...warp, partitions: [{ numWarps: 1 }] }
const nothing = function* (): Generator<B.Step, void, B.State> {}
/** Keeps what stands on the left. */
const first: T.CombineTogether = function* (_, lhs) {
  return yield* B.of(lhs)
}
const noRegion = { captures: {}, body: nothing }

export const refusals: ReadonlyArray<Refusal<Code>> = [
  // tensors
  refusal(
    'ttng.encoding',
    's: a blocked is not an encoding of (8, 4): Expected a shape of rank 1, as the encoding, found (8, 4)',
    inside(() => T.splat('s', X.i32(0), [8, 4], line)),
  ),
  refusal(
    'ttng.arith.element_type',
    'z: addi takes integers, found tensor f32 (32,)',
    inside(() => T.addi('z', floats, floats)),
  ),
  refusal(
    'ttng.arith.operands',
    'z: addf takes operands of one type, found tensor f32 (32,) and f32',
    inside(() => T.addf('z', floats, loose<typeof floats>(X.float('f32', 1)))),
  ),
  refusal(
    'ttng.arith.cast',
    'z: truncf gives a narrower float than it takes, found f32 to f32',
    inside(() => T.truncf('z', floats, 'f32')),
  ),
  refusal(
    'ttng.arith.cast',
    'z: extf gives a wider float than it takes, found f32 to f16',
    inside(() => T.extf('z', floats, 'f16')),
  ),
  refusal(
    'ttng.arith.cast',
    'z: extf gives a wider float than it takes, found f32 to f32',
    inside(() => T.extf('z', floats, 'f32')),
  ),
  refusal(
    'ttng.constant.value',
    'c: a constant of i32 is an integer, found 0.5',
    inside(() => T.constant('c', 'i32', 0.5)),
  ),
  refusal(
    'ttng.make_range.range',
    'r: make_range counts from start up to end, a power of two of numbers, found 0 to 24',
    inside(() => T.makeRange('r', 0, 24, line)),
  ),
  refusal(
    'ttng.splat.operand',
    's: splat takes a scalar or a pointer, found tensor i32 (32,)',
    inside(() => T.splat('s', loose<X.Int>(ints), [32], line)),
  ),
  refusal(
    'ttng.expand_dims.axis',
    'e: axis of expand_dims must be one of the 2 dimensions, from 0, found 2',
    inside(() => T.expandDims('e', ints, 2, square)),
  ),
  refusal(
    'ttng.expand_dims.encoding',
    "e: the encoding of src must be the slice of dimension 1 of the result's blocked, on (32,)",
    inside(function* () {
      return yield* T.expandDims('e', yield* T.makeRange('r', 0, 32, line), 1, square)
    }),
  ),
  refusal(
    'ttng.broadcast.shape',
    'b: broadcast repeats dimensions of extent 1 and keeps the others, found (8, 4) to (8, 8)',
    inside(() => T.broadcast('b', matrix, [8, 8], square)),
  ),
  refusal(
    'ttng.broadcast.encoding',
    "b: src and result of broadcast must have one encoding, and src is not the result's blocked on (8, 1)",
    inside(function* () {
      const column = yield* T.splat('s', X.i32(0), [8, 1], square)
      return yield* T.broadcast('b', column, [8, 4], { ...square, threadsPerWarp: [4, 8] })
    }),
  ),
  refusal(
    'ttng.reshape.shape',
    'r: reshape keeps the number of elements, found (32,) to (8, 8)',
    inside(() => T.reshape('r', ints, [8, 8], square)),
  ),
  refusal(
    'ttng.trans.order',
    't: order must be a permutation of the dimensions of (8, 4), found (0, 0)',
    inside(() => T.trans('t', matrix, [0, 0], square)),
  ),
  refusal(
    'ttng.reduce.axis',
    'r: axis of reduce must be one of the 2 dimensions, from 0, found 2',
    inside(() => T.reduce('r', matrix, 2, (x, y) => X.add(x, y))),
  ),
  refusal(
    'ttng.reduce.shape',
    'r: operands have one shape, expected (8, 4), found (32,)',
    inside(() => T.reduceTogether('r', [{ value: matrix }, { value: loose<T.Tensor>(floats) }], 1, first)),
  ),
  refusal(
    'ttng.reduce.layout',
    'r: the bits of dimension 1 of (8, 4) must each be one of a register, a lane or a warp',
    inside(() => T.reduceTogether('r', [{ value: matrix }], 1, first)),
  ),
  refusal(
    'ttng.scan.layout',
    's: dimension 0 of (32,) must be distributed over neighbours of a thread, then to lanes, warps and blocks',
    inside(() => T.scan('s', [{ value: floats }], { axis: 0, reverse: false }, first)),
  ),
  refusal(
    'ttng.gather.shape',
    'g: indices have the shape of src except along the axis, expected (8, 2), found (4, 2)',
    inside(() => T.gather('g', matrix, X.splat<'i32', 2>(X.i32(0), [4, 2]), 1, square)),
  ),
  refusal(
    'ttng.histogram.shape',
    'h: mask must have the shape of src, expected (32,), found (16,)',
    inside(() => T.histogram('h', ints, 8, line, { mask: X.splat<'i1', 1>(X.i1(true), [16]) })),
  ),
  refusal(
    'ttng.join.shape',
    'j: lhs and rhs must have one shape, expected (8, 4), found (32,)',
    inside(() => T.join('j', matrix, loose<T.Tensor<'f32', 2>>(floats), square)),
  ),
  refusal(
    'ttng.split.shape',
    's: the last dimension of src must have 2 elements, found tensor f32 (8, 4)',
    inside(() => T.split('s', matrix, line)),
  ),
  refusal(
    'ttng.unsplat.shape',
    'u: src must have one element, found tensor f32 (32,)',
    inside(() => T.unsplat('u', floats)),
  ),
  refusal(
    'ttng.dot.shape',
    'd: b must have as many rows as a has columns, expected (4, 4), found (8, 4)',
    inside(() => T.dot('d', matrix, matrix, matrix)),
  ),
  refusal(
    'ttng.dot.element_type',
    'd: a product of threads is of floats, into their own type or f32, found tensor i32 (4, 4) into tensor f32 (4, 4)',
    inside(() => {
      const x = X.splat<'i32', 2>(X.i32(1), [4, 4])
      return T.dot(
        'd',
        loose<T.Tensor<'f32', 2>>(x),
        loose<T.Tensor<'f32', 2>>(x),
        X.splat<'f32', 2>(X.float('f32', 1), [4, 4]),
      )
    }),
  ),
  refusal(
    'ttng.dot.element_type',
    'd: a warp multiplies two tensors of f16 into f16 or f32, bf16 into f32, f32 into f32, i32 into i32, found tensor f16 (4, 4) and tensor bf16 (4, 4) into tensor f32 (4, 4)',
    inside(() =>
      T.warpDot(
        'd',
        X.splat<'f16', 2>(X.float('f16', 1), [4, 4]),
        X.splat<'bf16', 2>(X.float('bf16', 1), [4, 4]),
        X.splat<'f32', 2>(X.float('f32', 1), [4, 4]),
        2,
      ),
    ),
  ),
  // pointers
  refusal(
    'ttng.pointers',
    'l: load takes a tensor of pointers, found tensor i32 (32,)',
    inside(() => T.load('l', loose<T.Tensor<{ readonly ptr: 'f32' }, 1>>(ints))),
  ),
  refusal(
    'ttng.addptr.operands',
    'a: addptr takes a pointer and an integer, or a tensor of each, found tensor i32 (32,) and tensor i32 (32,)',
    inside(() => T.addptr('a', loose<X.Ptr>(ints), ints)),
  ),
  refusal(
    'ttng.addptr.shape',
    'a: ptr and offset must have one shape, expected (32,), found (16,)',
    inside(function* () {
      return yield* T.addptr('a', yield* pointers, X.splat<'i32', 1>(X.i32(0), [16]))
    }),
  ),
  refusal(
    'ttng.load.other',
    'l: other replaces masked elements, found no mask',
    inside(function* () {
      return yield* T.load('l', yield* pointers, { other: floats })
    }),
  ),
  refusal(
    'ttng.load.shape',
    'l: mask must have the shape of ptr, expected (32,), found (16,)',
    inside(function* () {
      return yield* T.load('l', yield* pointers, { mask: X.splat<'i1', 1>(X.i1(true), [16]) })
    }),
  ),
  refusal(
    'ttng.store.shape',
    's: value must have the shape of ptr, expected (32,), found (16,)',
    inside(function* () {
      return yield* T.store('s', yield* pointers, X.splat<'f32', 1>(X.float('f32', 0), [16]))
    }),
  ),
  refusal(
    'ttng.global_scratch_alloc.size',
    'g: expected a number of bytes at a power of two, found 128 at 24',
    inside(() => T.globalScratchAlloc('g', { nbytes: 128, alignment: 24 })),
  ),
  // copies of the threads
  refusal(
    'ttng.async_copy.element_type',
    'c: src must be a tensor of pointers to f16, as result, found tensor ptr f32 (32,) linear',
    inside(function* () {
      const half = yield* T.localAlloc('half', [32], 'f16', flat)
      return yield* T.asyncCopyGlobalToLocal(
        'c',
        loose<T.Tensor<{ readonly ptr: 'f16' }, 1>>(yield* pointers),
        half,
      )
    }),
  ),
  refusal(
    'ttng.async_copy.shape',
    'c: src must have the shape of result, expected (16,), found (32,)',
    inside(function* () {
      return yield* T.asyncCopyGlobalToLocal(
        'c',
        yield* pointers,
        yield* T.localAlloc('b', [16], 'f32', flat),
      )
    }),
  ),
  refusal(
    'ttng.async_copy.contiguity',
    'c: a copy is of 4, 8 or 16 bytes, found 1 elements of 16 bits next to each other',
    inside(function* () {
      const ptr = yield* T.splat('p', yield* T.ptrArg('x', 'f16', { shape: [32], role: 'in' }), [32], line)
      const half = yield* T.localAlloc('half', [32], 'f16', flat)
      return yield* T.asyncCopyGlobalToLocal('c', ptr, half, { contiguity: 1 })
    }),
  ),
  refusal(
    'ttng.async_token',
    'g: operand 0 must be an async token, found i32',
    inside(() => T.asyncCommitGroup('g', [loose<T.AsyncToken>(X.i32(0))])),
  ),
  refusal(
    'ttng.async_wait.num',
    'w: num is a number of groups of 0 or more, found -1',
    inside(() => T.asyncWait('w', [], -1)),
  ),
  // memdescs
  refusal(
    'ttng.local_alloc.mutable',
    'a: a buffer without a source must be mutable, or nothing could be in it',
    inside(() => T.localAlloc('a', [8, 8], 'f32', plain, { mutable: false })),
  ),
  refusal(
    'ttng.local_alloc.encoding',
    "a: a nvmma_shared is not an encoding of f16 (64, 32): A block's share must have 64 elements or more in dimension 1, the width of the swizzle, found (64, 32)",
    inside(() => T.localAlloc('a', [64, 32], 'f16', nvmma(128))),
  ),
  refusal(
    'ttng.local_alloc.shape',
    'a: src must have the shape of the result, expected (8, 8), found (8, 4)',
    inside(() => T.localAlloc('a', [8, 8], 'f32', plain, { src: matrix })),
  ),
  refusal(
    'ttng.local_dealloc.allocation',
    'd: local_dealloc needs the whole allocation of a local_alloc, found a part of it',
    inside(function* () {
      return yield* T.localDealloc('d', yield* T.memdescTrans('t', yield* buffer(), [1, 0]))
    }),
  ),
  refusal(
    'ttng.memdesc_index.rank',
    'i: memdesc_index takes one of several buffers, so src has a dimension more than the result, found memdesc smem f32 (32,)',
    inside(function* () {
      return yield* T.memdescIndex('i', yield* T.localAlloc('b', [32], 'f32', flat), X.i32(0))
    }),
  ),
  refusal(
    'ttng.memdesc_index.bounds',
    'i: src has 8 buffers, found index 8',
    inside(function* () {
      return yield* T.memdescIndex('i', yield* buffer(), X.i32(8))
    }),
  ),
  refusal(
    'ttng.memdesc_subslice.rank',
    's: offsets and result must have the rank of src, 2, found 1 and 2',
    inside(function* () {
      return yield* T.memdescSubslice('s', yield* buffer(), [0], [8, 4])
    }),
  ),
  refusal(
    'ttng.memdesc_subslice.bounds',
    's: dimension 1 of src has 8 elements, found 4 of them from 6',
    inside(function* () {
      return yield* T.memdescSubslice('s', yield* buffer(), [0, 6], [8, 4])
    }),
  ),
  refusal(
    'ttng.memdesc_subslice.tile',
    's: a part must begin and end with the tiles of the encoding: Expected slice start of dimension 0 to be divisible by the tile size 8, found 4',
    inside(function* () {
      return yield* T.memdescSubslice(
        's',
        yield* T.localAlloc('b', [64, 64], 'f16', nvmma(128)),
        [4, 0],
        [8, 64],
      )
    }),
  ),
  refusal(
    'ttng.memdesc_reinterpret.size',
    'r: a buffer keeps its bytes, expected 256, found 128',
    inside(function* () {
      yield* T.memdescReinterpret('r', yield* buffer(), [8, 8], 'f16', plain)
    }),
  ),
  refusal(
    'ttng.memdesc_trans.order',
    't: order must be a permutation of the dimensions of (8, 8), found (1, 1)',
    inside(function* () {
      return yield* T.memdescTrans('t', yield* buffer(), [1, 1])
    }),
  ),
  refusal(
    'ttng.local_load.space',
    'l: src of local_load must be in shared memory, found tmem',
    inside(function* () {
      const columns = yield* B.tensorMemory('t', 'f32', [128, 32])
      return yield* T.localLoad('l', loose<T.MemDesc<'smem', 'f32', 2>>(columns), square)
    }),
  ),
  refusal(
    'ttng.local_store.space',
    's: dst of local_store must be in shared memory, found tmem',
    inside(function* () {
      const columns = yield* B.tensorMemory('t', 'f32', [128, 32])
      return yield* T.localStore('s', matrix, loose<T.MemDesc<'smem', 'f32', 2>>(columns))
    }),
  ),
  refusal(
    'ttng.local_store.shape',
    's: src must have the shape of dst, expected (8, 8), found (8, 4)',
    inside(function* () {
      return yield* T.localStore('s', matrix, yield* buffer())
    }),
  ),
  // control
  refusal(
    'ttng.scf_for.step',
    'k: the step of a loop is greater than 0, found 0',
    inside(() => T.scfFor('k', { from: X.i32(0), to: X.i32(1), step: X.i32(0) }, nothing)),
  ),
  refusal(
    'ttng.scf_for.yield',
    'k: what is yielded for n must have its type, i32, found tensor i32 (32,)',
    inside(() =>
      T.scfFor(
        'k',
        { from: X.i32(0), to: X.i32(1), step: X.i32(1), iterArgs: { n: X.i32(0) } },
        function* () {
          yield* B.of(undefined)
          return { n: loose<X.Int>(ints) }
        },
      ),
    ),
  ),
  refusal(
    'ttng.scf_while.yield',
    'w: what is yielded for n must have its type, i32, found i1',
    inside(() =>
      T.scfWhile(
        'w',
        { n: X.i32(0) },
        () => B.of([X.i1(true), { n: X.i32(0) }] as const),
        () => B.of({ n: loose<X.Int>(X.i1(true)) }),
      ),
    ),
  ),
  refusal(
    'ttng.scf_if.condition',
    'i: a condition is an i1, found i32',
    inside(() => T.scfIf('i', loose<X.Condition>(X.i32(1)), nothing)),
  ),
  refusal(
    'ttng.scf_if.yield',
    'i: a region yields a value for each of n, found none for n',
    inside(() =>
      T.scfIf(
        'i',
        X.i1(true),
        function* () {
          yield* B.of(undefined)
          return { n: X.i32(0) }
        },
        function* () {
          yield* B.of(undefined)
          return loose<{ readonly n: X.Int }>({})
        },
      ),
    ),
  ),
  refusal(
    'ttng.warp_specialize.nested',
    'inner: warp_specialize cannot be nested, found it in partition0',
    inside(
      (m) =>
        T.warpSpecialize('outer', m, {
          operands: {},
          default: noRegion,
          partitions: [
            () => T.warpSpecialize('inner', m, { operands: {}, default: noRegion, partitions: [nothing] }),
          ],
        }),
      twoWarps,
    ),
  ),
  refusal(
    'ttng.warp_specialize.partitions',
    'w: the module has warps for 1 partitions, found 0 regions',
    inside((m) => T.warpSpecialize('w', m, { operands: {}, default: noRegion, partitions: [] }), twoWarps),
  ),
  refusal(
    'ttng.warp_specialize.capture',
    'w: a tensor lies in registers, which another partition does not have: pass x through shared memory, found tensor i32 (32,)',
    inside(
      (m) => T.warpSpecialize('w', m, { operands: { x: ints }, default: noRegion, partitions: [nothing] }),
      twoWarps,
    ),
  ),
  refusal(
    'ttng.warp_specialize.requested_registers',
    'partition0: requestedRegisters is a multiple of 8 from 24 to 256, found 20',
    inside(nothing, { ...warp, partitions: [{ numWarps: 1, requestedRegisters: 20 }] }),
  ),
  // modules
  refusal(
    'ttng.module.num_warps',
    'default: the number of warps must be a power of two, found 3',
    inside(nothing, { ...warp, numWarps: 3 }),
  ),
  refusal(
    'ttng.module.most_warps',
    'partition0: a CTA has at most 32 warps, found 64',
    inside(nothing, { ...warp, partitions: [{ numWarps: 64 }] }),
  ),
  refusal(
    'ttng.module.num_ctas',
    'module: num-ctas must be a power of two of at most 16, found 3',
    inside(nothing, { ...warp, numCtas: 3 }),
  ),
  refusal(
    'ttng.tensordesc.encoding',
    "d: a nvmma_shared is not an encoding of a block of (64, 32): A block's share must have 64 elements or more in dimension 1, the width of the swizzle, found (64, 32)",
    inside(() =>
      T.tensordescArg('d', 'f16', [64, 32], nvmma(128), {
        tensor: 'x',
        role: 'in',
        names: ['m', 'n', 'p', 'q'],
      }),
    ),
  ),
  refusal(
    'ttng.tensordesc.names',
    'd: a descriptor of rank 2 brings 4 arguments, its extents and its strides, found 2',
    inside(() =>
      T.tensordescArg('d', 'f16', [64, 64], nvmma(128), { tensor: 'x', role: 'in', names: ['m', 'n'] }),
    ),
  ),
]
