/**
 * Memdescs: buffers of shared memory, their parts, and what threads read and write in them.
 *
 *     %x    = ttg.local_alloc : () -> !ttg.memdesc<4x64x32xf16, #shared>      localAlloc('x', [4, 64, 32], 'f16', shared)
 *     %acc  = ttg.local_alloc : () -> !ttg.memdesc<4x1xi64, #shared2>         localAlloc('acc', [4, 1], 'i64', shared2)
 *     %x_31 = ttg.memdesc_index %x[%c0]                                       memdescIndex('x_31', x, c0)
 *     %1    = ttg.local_alloc %0 : (tensor<64x64xf16>) -> ...                 localAlloc('1', [64, 64], 'f16', shared1, { src: o0 })
 *
 * How a buffer lies is its encoding's (`layouts/triton/to-ref.ts`, `layOut`): dimensions before those of the encoding count buffers behind each
 * other. An `i64` of one element, or an array of such, is barriers.
 *
 * | operation          | core                        | note                                                              |
 * |--------------------|-----------------------------|-------------------------------------------------------------------|
 * | local_alloc        | a storage; `smem.store`     | the store if there is a source                                    |
 * | local_dealloc      | `alias`                     | the bytes are free for an allocation that `reuses` them           |
 * | memdesc_index      | `slot`                      | of buffers, of barriers, of tensor memory                         |
 * | memdesc_subslice   | `slice`                     | static offsets                                                    |
 * | memdesc_trans      | `transposeView`             |                                                                   |
 * | local_load, _store | `smem.load`, `smem.store`   |                                                                   |
 *
 * A compiler decides which buffers share bytes: those whose lives do not overlap, in the order of the text. Here nothing is shared unless `reuses` or
 * `offset` says so; then a copy that still runs in the old buffer meets the new one.
 *
 * Mutability is asked of an allocation only: of a view it is not known (`types.ts`).
 *
 * Laws
 * 1. A buffer lies as the linear layout of its encoding says, if its XORs are a swizzle of the chip.
 * 2. An allocation that reuses what was given back starts where that started, and one with an offset there.
 *
 * Source: Triton, TritonGPU dialect and its lowering.
 */
import * as E from 'fp-ts/lib/Either.js'
import { greatest } from '../../greatest.js'
import { alignmentBytes } from '../../layouts/triton/shared.js'
import type { DistributedSpec, SharedSpec } from '../../layouts/triton/encoding.js'
import { toRef } from '../../layouts/triton/to-ref.js'
import { bitsOf, type Dtype } from '../../numerics/dtype.js'
import {
  barriers,
  block,
  build,
  freshStorage,
  letIn,
  of,
  run,
  sharedMemory,
  smemLoad,
  typeHere,
  type Build,
  type ElementIndex,
} from '../../semantics/writing/builder.js'
import { amend } from '../../semantics/writing/builder/state.js'
import * as X from '../../semantics/language/expression.js'
import type { Barrier, Below, Expr, Int, View } from '../../semantics/language/expression.js'
import { checked } from '../../semantics/language/index-types.js'
import type { Storage } from '../../semantics/language/program.js'
import type { ScalarName, Space, ViewType } from '../../semantics/language/types.js'
import * as Ref from '../../transforms/ref.js'
import { showShape, type Shape } from '../../transforms/shape.js'
import { isPermutation } from '../../transforms/transpose.js'
import { refused } from './codes.js'
import { layoutOf, sameShapes, shown } from './tensor.js'
import { memDescHere, tensorHere, type MemDesc, type Tensor } from './types.js'

// ---------------------------------------------------------------- how a buffer lies

/**
 * The layout of a buffer with this encoding. An XOR in units of fewer than 16 bytes is not a swizzle of the
 * chip, so such a buffer has no swizzle here. Only loads and stores of threads access such a buffer, through
 * its encoding, so each element is found where it was stored.
 */
export const layOut = (encoding: SharedSpec, shape: Shape, bits: number): ReturnType<typeof toRef> => {
  const made = toRef(encoding, shape, bits)
  return E.isLeft(made) && made.left.code === 'triton.not-a-ref' && encoding._tag === 'swizzled_shared'
    ? toRef({ ...encoding, perPhase: 1, maxPhase: 1 }, shape, bits)
    : made
}

// ---------------------------------------------------------------- bytes that are given back

/** Bytes that no buffer uses any more; null: none. */
export interface Freed {
  readonly storage: string | null
}

const withAlias = (s: Storage, union: string, member: number): Storage => {
  const { id, space, owner, contents, bits, align } = s
  return { id, space, owner, contents, bits, align, alias: { union, member } }
}

/** Of allocations whose offsets are given. */
const placedUnion = 'placed'

/** The new storage begins where the one that was given back began. */
const reuse = (id: string, freed: Freed | undefined): Build<void> =>
  build((state) => {
    const old = freed?.storage === null || freed === undefined ? undefined : state.storage.get(freed.storage)
    const made = state.storage.get(id)
    if (old === undefined || made === undefined) return E.right([undefined, state])
    const union = old.alias?.union ?? old.id
    const members = [...state.storage.values()].flatMap((s) =>
      s.alias?.union === union ? [s.alias.member] : [],
    )
    const storage = new Map(state.storage)
    if (old.alias === undefined) storage.set(old.id, withAlias(old, union, 0))
    storage.set(id, withAlias(made, union, 1 + greatest(0)(members)))
    return E.right([undefined, amend(state, { storage })])
  })

/** The new storage begins at an offset, where others may lie too. */
const placeAt = (id: string, offset: number | undefined): Build<void> =>
  build((state) => {
    const made = state.storage.get(id)
    if (offset === undefined || made === undefined) return E.right([undefined, state])
    const member = [...state.storage.values()].filter((s) => s.alias?.union === placedUnion).length
    const storage = new Map(state.storage)
    storage.set(id, { ...withAlias(made, placedUnion, member), offset })
    return E.right([undefined, amend(state, { storage })])
  })

// ---------------------------------------------------------------- allocations

interface AllocOptions {
  /** default: without a source */
  readonly mutable?: boolean
  /** bytes that `localDealloc` gave back */
  readonly reuses?: Freed
  /** in bytes: Triton's `allocation.offset` */
  readonly offset?: number
  /** of a barrier: the tensor core may arrive on it, and arrives and waits of threads carry its order too; true if not given */
  readonly ordersTensorCore?: boolean
}

type LocalAlloc = {
  /** one barrier */
  (
    label: string,
    shape: readonly [1],
    dtype: 'i64',
    encoding: SharedSpec,
    options?: AllocOptions,
  ): Build<Barrier<'ptx', true>>
  /** an array of barriers */
  (
    label: string,
    shape: readonly [number, 1],
    dtype: 'i64',
    encoding: SharedSpec,
    options?: AllocOptions,
  ): Build<Barrier<'ptx', true, 1>>
  <D extends Dtype, const S extends Shape>(
    label: string,
    shape: S,
    dtype: D,
    encoding: SharedSpec,
    options?: AllocOptions & { readonly src?: Tensor<ElementIndex<D>, S['length']> },
  ): Build<MemDesc<'smem', D, S['length']>>
}

/** `ttg.local_alloc (%src) : (...) -> !ttg.memdesc<shape x dtype, encoding>`. */
export const localAlloc: LocalAlloc = (
  label: string,
  shape: Shape,
  dtype: Dtype,
  encoding: SharedSpec,
  options: AllocOptions & { readonly src?: Tensor } = {},
): Build<never> =>
  block(function* () {
    const { src, mutable = src === undefined, reuses, offset, ordersTensorCore = true } = options
    if (src === undefined && !mutable)
      return yield* refused(
        'ttng.local_alloc.mutable',
        `${label}: a buffer without a source must be mutable, or nothing could be in it`,
      )
    const ref = layOut(encoding, shape, bitsOf(dtype))
    if (E.isLeft(ref))
      return yield* refused(
        'ttng.local_alloc.encoding',
        `${label}: a ${encoding._tag} is not an encoding of ${dtype} ${showShape(shape)}: ${ref.left.message}`,
      )
    const id = yield* freshStorage(label)
    if (dtype === 'i64' && shape[shape.length - 1] === 1 && shape.length <= 2 && src === undefined) {
      const made = yield* barriers(id, shape.slice(0, -1), { ordersTensorCore })
      yield* reuse(id, reuses)
      yield* placeAt(id, offset)
      return checked<never, Expr>(made)
    }
    if (src !== undefined) {
      const type = yield* tensorHere(label, 'src', src)
      yield* sameShapes(
        label,
        'ttng.local_alloc.shape',
        'src must have the shape of the result',
        shape,
        type.shape,
      )
    }
    const made = yield* sharedMemory(id, dtype, shape, [], {
      layout: ref.right,
      align: alignmentBytes(encoding),
    })
    yield* reuse(id, reuses)
    yield* placeAt(id, offset)
    if (src !== undefined)
      yield* run(label, {
        _tag: 'smem.store',
        destination: made,
        value: checked<Tensor<ScalarName>, Tensor>(src),
      })
    return checked<never, View>(made)
  })

/** `ttg.local_dealloc %src`: no buffer uses these bytes any more. */
export const localDealloc = (
  label: string,
  src: MemDesc<'smem'> | Barrier<'ptx', true> | Barrier<'ptx', true, 1>,
): Build<Freed> =>
  src._tag === 'storage'
    ? of({ storage: src.storage })
    : refused(
        'ttng.local_dealloc.allocation',
        `${label}: local_dealloc needs the whole allocation of a local_alloc, found a part of it`,
      )

// ---------------------------------------------------------------- parts

type MemdescIndex = {
  (label: string, src: Barrier<'ptx', true, 1>, index: Int): Build<Barrier<'ptx', true>>
  <S extends Space, D extends Dtype, R extends number>(
    label: string,
    src: View<S, D, R>,
    index: Int,
  ): Build<View<S, D, Below<R>>>
}
/** `ttg.memdesc_index %src[%index]`: one of the buffers that the leading dimension counts. */
export const memdescIndex: MemdescIndex = (
  label: string,
  src: View | Barrier<'ptx', true, 1>,
  index: Int,
): Build<never> =>
  block(function* () {
    const type = yield* typeHere(src)
    const shape = type._tag === 'view' ? type.layout.shape : type._tag === 'barrier' ? type.shape : []
    if (shape.length < (type._tag === 'view' ? 2 : 1))
      return yield* refused(
        'ttng.memdesc_index.rank',
        `${label}: memdesc_index takes one of several buffers, so src has a dimension more than the result, found ${shown(type)}`,
      )
    if (index._tag === 'const' && (Number(index.value) < 0 || Number(index.value) >= shape[0]!))
      return yield* refused(
        'ttng.memdesc_index.bounds',
        `${label}: src has ${String(shape[0])} buffers, found index ${String(index.value)}`,
      )
    return checked<never, Expr>(yield* letIn(label, X.slot(checked<View, Expr>(src), index)))
  })

/** `ttg.memdesc_subslice %src[offsets]` of the shape of the result. */
export const memdescSubslice = <S extends 'smem' | 'tmem', D extends Dtype, R extends number>(
  label: string,
  src: MemDesc<S, D, R>,
  offsets: Shape,
  shape: Shape,
): Build<MemDesc<S, D, R>> =>
  block(function* () {
    const { layout } = yield* memDescHere(label, 'src', src)
    if (offsets.length !== layout.shape.length || shape.length !== layout.shape.length)
      return yield* refused(
        'ttng.memdesc_subslice.rank',
        `${label}: offsets and result must have the rank of src, ${String(layout.shape.length)}, found ${String(offsets.length)} and ${String(shape.length)}`,
      )
    const outside = layout.shape.findIndex((extent, d) => offsets[d]! < 0 || offsets[d]! + shape[d]! > extent)
    if (outside >= 0)
      return yield* refused(
        'ttng.memdesc_subslice.bounds',
        `${label}: dimension ${String(outside)} of src has ${String(layout.shape[outside])} elements, found ${String(shape[outside])} of them from ${String(offsets[outside])}`,
      )
    const part = Ref.slice(offsets, shape)(layout)
    if (E.isLeft(part))
      return yield* refused(
        'ttng.memdesc_subslice.tile',
        `${label}: a part must begin and end with the tiles of the encoding: ${part.left.message}`,
      )
    return yield* letIn(
      label,
      X.slice(
        src,
        offsets.map((o) => X.i32(o)),
        shape,
      ),
    )
  })

/** `ttg.memdesc_trans %src {order}`. */
export const memdescTrans = <S extends 'smem' | 'tmem', D extends Dtype, R extends number>(
  label: string,
  src: MemDesc<S, D, R>,
  order: ReadonlyArray<number>,
): Build<MemDesc<S, D, R>> =>
  block(function* () {
    const { layout } = yield* memDescHere(label, 'src', src)
    if (order.length !== layout.shape.length || !isPermutation(order))
      return yield* refused(
        'ttng.memdesc_trans.order',
        `${label}: order must be a permutation of the dimensions of ${showShape(layout.shape)}, found ${showShape(order)}`,
      )
    return yield* letIn(label, X.transposeView(src, order))
  })

/** `ttg.memdesc_reinterpret`, `ttg.memdesc_reshape`: the same bytes as a buffer of another shape, element type and encoding. */
export const memdescReinterpret = <D extends Dtype, const S extends Shape>(
  label: string,
  src: MemDesc<'smem'>,
  shape: S,
  dtype: D,
  encoding: SharedSpec,
): Build<MemDesc<'smem', D, S['length']>> =>
  block(function* () {
    const type = yield* memDescHere(label, 'src', src)
    const ref = toRef(encoding, shape, bitsOf(dtype))
    if (E.isLeft(ref))
      return yield* refused(
        'ttng.local_alloc.encoding',
        `${label}: a ${encoding._tag} is not an encoding of ${dtype} ${showShape(shape)}: ${ref.left.message}`,
      )
    const bytes = (of: Shape, bits: number): number => (of.reduce((n, extent) => n * extent, 1) * bits) / 8
    const [found, expected] = [bytes(shape, bitsOf(dtype)), bytes(type.layout.shape, bitsOf(type.dtype))]
    if (found !== expected)
      return yield* refused(
        'ttng.memdesc_reinterpret.size',
        `${label}: a buffer keeps its bytes, expected ${String(expected)}, found ${String(found)}`,
      )
    return yield* letIn(label, X.reinterpret<D, S['length'], 'smem'>(src, dtype, ref.right))
  })

// ---------------------------------------------------------------- accesses

const inShared = (label: string, field: string, op: string, type: ViewType): Build<void> =>
  block(function* () {
    if (type.space !== 'smem')
      return yield* refused(
        op === 'local_load' ? 'ttng.local_load.space' : 'ttng.local_store.space',
        `${label}: ${field} of ${op} must be in shared memory, found ${type.space}`,
      )
  })

/** `ttg.local_load %src : ... -> tensor<..., encoding>`. */
export const localLoad = <D extends Dtype, R extends number>(
  label: string,
  src: MemDesc<'smem', D, R>,
  encoding: DistributedSpec,
): Build<Tensor<ElementIndex<D>, R>> =>
  block(function* () {
    const type = yield* memDescHere(label, 'src', src)
    yield* inShared(label, 'src', 'local_load', type)
    return yield* smemLoad(label, src, { layout: yield* layoutOf(label, encoding, type.layout.shape) })
  })

/** `ttg.local_store %src, %dst`. */
export const localStore = <D extends Dtype, R extends number>(
  label: string,
  src: Tensor<ElementIndex<D>, R>,
  dst: MemDesc<'smem', D, R>,
): Build<void> =>
  block(function* () {
    const from = yield* tensorHere(label, 'src', src)
    const to = yield* memDescHere(label, 'dst', dst)
    yield* inShared(label, 'dst', 'local_store', to)
    yield* sameShapes(
      label,
      'ttng.local_store.shape',
      'src must have the shape of dst',
      to.layout.shape,
      from.shape,
    )
    yield* run(label, {
      _tag: 'smem.store',
      destination: dst,
      value: checked<Tensor<ScalarName>, Tensor>(src),
    })
  })
