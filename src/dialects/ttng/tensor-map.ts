/**
 * Tensor maps: `tensormap_create`, `tensormap_fenceproxy_acquire`, `reinterpret_tensor_descriptor`.
 *
 * A descriptor comes from the host (`hostTensorDescriptor`), or a kernel writes one for itself:
 *
 *     tensormap_create %p, ...               tensormap.create, fence.tensormap     128 bytes in global memory, published
 *     tensormap_fenceproxy_acquire %p        tensormap.acquire                     this thread may use what was published
 *     %d = reinterpret_tensor_descriptor %p  the descriptor that was acquired
 *
 * Dimensions are listed the innermost first; strides are in bytes, without the innermost; boxes are constants. What the text leaves to
 * the pointer, `reinterpret` must be told by the acquire before it: in the text it takes the pointer, here what the acquire of that pointer gave. A
 * pointer that was never acquired is no descriptor, and there is nothing to write for it.
 *
 * | elem_type | here              | elem_type    | here  |                                             |
 * |-----------|-------------------|--------------|-------|---------------------------------------------|
 * | 0 u8      | what the pointer points to, if that has 8 bits | 6 f16 | f16 | 8, 9, 12, 13 to 15: refused, no dtype here |
 * | 1 u16     | u16               | 7 f32        | f32   | element strides: every so many-th element, 1 to 8 |
 * | 2 u32, 3 s32 | u32, i32       | 10 bf16      | bf16  | interleave other than 0: refused            |
 * | 4 u64, 5 s64 | u64, i64       | 11 tf32      | tf32  |                                             |
 *
 * A step along the innermost dimension does nothing without an interleave, as on a chip. Interleaved tensors (NC/8HWC8, NC/16HWC16) are documented by the
 * order of their elements alone: which bytes a box of one brings is not, and no chip has been asked. So they are refused rather than guessed.
 *
 * Source: Triton, TritonNvidiaGPU dialect; CUDA driver API, tensor map objects; PTX ISA, tensormap.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { encoding as checkEncoding, type NvmmaShared } from '../../layouts/triton/encoding.js'
import { messages } from '../../layouts/triton/tma-message.js'
import { bitsOf, type Dtype } from '../../numerics/dtype.js'
import {
  acquireTensormap,
  block,
  descriptorParam,
  run,
  typeHere,
  type Build,
  type Tensor as TensorParameter,
} from '../../semantics/writing/builder.js'
import { i64, quo, type Expr, type Int, type Ptr } from '../../semantics/language/expression.js'
import { checked } from '../../semantics/language/index-types.js'
import type { Shape } from '../../transforms/shape.js'
import { isSwizzle } from '../../transforms/swizzle.js'
import { refused } from './codes.js'
import {
  TensormapElemType,
  TensormapFill,
  TensormapInterleave,
  TensormapSwizzle,
  nameOf,
  showTable,
  type Attribute,
} from './enums.js'
import { on } from './issue.js'
import type { OpOptions, TensorDesc } from './types.js'

// ---------------------------------------------------------------- from the host

/** A descriptor that the host makes of a tensor: of blocks of this shape, in buffers of this encoding. */
export const hostTensorDescriptor = <D extends Dtype, const S extends ReadonlyArray<number>>(
  name: string,
  tensor: TensorParameter<D>,
  blockShape: S,
  encoding: NvmmaShared,
  options: { readonly padding?: Attribute<typeof TensormapFill> } = {},
): Build<TensorDesc<D, S['length']>> =>
  block(function* () {
    // one row of a matrix is what gathers and scatters take of it: the encoding is that of the rows together
    const isRow = blockShape.length === 2 && blockShape[0] === 1
    const box = pipe(
      checkEncoding(encoding),
      E.chainW((legal) => messages(legal, isRow ? [8, blockShape[1]!] : blockShape)),
      E.map((made) => (isRow ? [1, ...made.box.slice(1)] : made.box)),
    )
    if (E.isLeft(box))
      return yield* refused(
        'ttng.tensordesc.encoding',
        `${name}: a ${encoding._tag} is not an encoding of a block of (${blockShape.join(', ')}): ${box.left.message}`,
      )
    const width = encoding.swizzlingByteWidth
    return yield* descriptorParam<D, S>(name, tensor, sized(box.right, blockShape), {
      swizzle: isSwizzle(width) ? width : 16,
      fill: nameOf(TensormapFill, options.padding ?? 'zero') ?? 'zero',
    })
  })

/** A list with the length of another. */
const sized = <S extends ReadonlyArray<number>>(list: Shape, like: S): S =>
  checked<S, Shape>(like.map((_, d) => list[d] ?? 1))

// ---------------------------------------------------------------- in memory

export interface TensormapOptions extends OpOptions {
  readonly elemType: Attribute<typeof TensormapElemType>
  readonly interleaveLayout: Attribute<typeof TensormapInterleave>
  readonly swizzleMode: Attribute<typeof TensormapSwizzle>
  readonly fillMode: Attribute<typeof TensormapFill>
}

const dtypes: Readonly<Partial<Record<keyof typeof TensormapElemType, Dtype>>> = {
  u8: 'u8',
  u16: 'u16',
  u32: 'u32',
  s32: 'i32',
  u64: 'u64',
  s64: 'i64',
  f16: 'f16',
  f32: 'f32',
  bf16: 'bf16',
  tf32: 'tf32',
}
const spans = { none: 16, '32B': 32, '64B': 64, '128B': 128 } as const

/** `ttng.tensormap_create %desc_ptr, %global_address, [box_dim], [global_dim], [global_stride], [element_stride]`. */
export const tensormapCreate = (
  label: string,
  descPtr: Ptr,
  globalAddress: Ptr,
  boxDim: ReadonlyArray<number>,
  globalDim: ReadonlyArray<Int>,
  globalStride: ReadonlyArray<Expr<'i64'>>,
  elementStride: ReadonlyArray<number>,
  options: TensormapOptions,
): Build<void> =>
  block(function* () {
    const rank = boxDim.length
    if (rank < 1 || rank > 5)
      return yield* refused(
        'ttng.tensormap_create.rank',
        `${label}: a tensor map has rank 1 to 5, found ${String(rank)} box_dim`,
      )
    if (globalDim.length !== rank || elementStride.length !== rank)
      return yield* refused(
        'ttng.tensormap_create.rank',
        `${label}: expected ${String(rank)} global_dim and element_stride, as box_dim, found ${String(globalDim.length)} and ${String(elementStride.length)}`,
      )
    if (globalStride.length !== rank - 1)
      return yield* refused(
        'ttng.tensormap_create.rank',
        `${label}: expected ${String(rank - 1)} global_stride, one less than box_dim, found ${String(globalStride.length)}`,
      )
    const elemType = nameOf(TensormapElemType, options.elemType)
    const swizzle = nameOf(TensormapSwizzle, options.swizzleMode)
    const fill = nameOf(TensormapFill, options.fillMode)
    const interleave = nameOf(TensormapInterleave, options.interleaveLayout)
    const wrong = (
      [
        ['elem_type', elemType, TensormapElemType, options.elemType],
        ['interleave_layout', interleave, TensormapInterleave, options.interleaveLayout],
        ['swizzle_mode', swizzle, TensormapSwizzle, options.swizzleMode],
        ['fill_mode', fill, TensormapFill, options.fillMode],
      ] as const
    ).find(([, name]) => name === null)
    if (wrong !== undefined || elemType === null || swizzle === null || fill === null)
      return yield* refused(
        'ttng.tensormap_create.attribute',
        `${label}: ${wrong?.[0] ?? 'attribute'} is one of ${showTable(wrong?.[2] ?? {})}, found ${String(wrong?.[3])}`,
      )
    const pointee = yield* typeHere(globalAddress)
    const named = dtypes[elemType]
    if (named === undefined || interleave !== 'none')
      return yield* refused(
        'ttng.tensormap_create.unsupported',
        `${label}: tensor maps here are of whole elements without interleaving (which bytes a box of an interleaved tensor brings is not documented), found elem_type ${elemType} and interleave_layout ${interleave ?? 'none'}`,
      )
    const far = elementStride.findIndex((n) => n < 1 || n > 8)
    if (far >= 0)
      return yield* refused(
        'ttng.tensormap_create.element_stride',
        `${label}: element_stride[${String(far)}] must be 1 to 8, found ${String(elementStride[far])}`,
      )
    const dtype =
      named === 'u8' && pointee._tag === 'ptr' && bitsOf(pointee.dtype) === 8 ? pointee.dtype : named
    const bytes = bitsOf(dtype) / 8
    const strides = globalStride.map((s) => (bytes === 1 ? s : quo(s, i64(BigInt(bytes)))))
    yield* run(
      label,
      {
        _tag: 'tensormap.create',
        at: descPtr,
        tensor: globalAddress,
        dims: [...globalDim].reverse(),
        strides: [...[...strides].reverse(), i64(1n)],
        box: [...boxDim].reverse(),
        ...(elementStride.every((n) => n === 1) ? {} : { elementStrides: [...elementStride].reverse() }),
        dtype,
        swizzle: spans[swizzle],
        fill,
      },
      on(options.when),
    )
    yield* run(`${label}.fence`, { _tag: 'fence.tensormap', at: descPtr }, on(options.when))
  })

/** A pointer to a tensor map that this thread may use. */
export interface RawDesc<D extends Dtype = Dtype, R extends number = number> {
  readonly pointer: Ptr
  readonly acquired: TensorDesc<D, R>
}

/** `ttng.tensormap_fenceproxy_acquire %desc_ptr`. `dtype` and `rank` are those of the type that `reinterpret` gives it. */
export const tensormapFenceproxyAcquire = <D extends Dtype, R extends number>(
  label: string,
  descPtr: Ptr,
  type: { readonly dtype: D; readonly rank: R },
): Build<RawDesc<D, R>> =>
  block(function* () {
    return { pointer: descPtr, acquired: yield* acquireTensormap(label, descPtr, type.dtype, type.rank) }
  })

/** `ttng.reinterpret_tensor_descriptor %rawDesc`: a cast; the type must be that of the descriptor. */
export const reinterpretTensorDescriptor = <D extends Dtype, R extends number>(
  label: string,
  rawDesc: RawDesc<D, R>,
  to: { readonly dtype: D; readonly rank: R },
): Build<TensorDesc<D, R>> =>
  block(function* () {
    const type = yield* typeHere(rawDesc.acquired)
    if (type._tag !== 'descriptor' || type.dtype !== to.dtype || type.rank !== to.rank)
      return yield* refused(
        'ttng.reinterpret_tensor_descriptor.type',
        `${label}: the descriptor that was acquired is of ${type._tag === 'descriptor' ? `${type.dtype} of rank ${String(type.rank)}` : type._tag}, expected ${to.dtype} of rank ${String(to.rank)}`,
      )
    return rawDesc.acquired
  })
