/**
 * Tensor maps: how a slice of a GMEM tensor looks to a ref with transforms, and what the copy engine takes of it.
 *
 * The transforms of the ref apply to the slice as well. A ref tiled by (8, e) is filled through a view of the tensor in which the last two
 * dimensions are cut, so that the box arrives already tiled and swizzled, and the slice must start at a multiple of the tile:
 *
 *     SMEM (128, 64) f16, Tiling (8, 64), Swizzle 128
 *     GMEM (m, k)    seen as (m/8, k/64, 8, 64), strides (8k, 64, k, 1); box (16, 1, 8, 64)
 *
 * A dimension that is smaller than its tile is one tile of its own size, and the rest of the box is out of bounds. A transposed ref permutes
 * the view. Dimensions that an integer indexes come first, with boxes of 1. Dimensions of which there is one element, and of which one is
 * taken, go, wherever they start. If more than five remain, all integers become one. The innermost of them has a stride g that divides the
 * others', and
 *
 *     index = sum of i_d s_d / g      extent = 1 + sum of (n_d - 1) s_d / g      stride = g
 *
 *     q (2, 64, 3, 128), tiled by (8, 64), of batch b and head h      b, h, 8, 2, 8, 64       strides 24576, 128, ...
 *     as five dimensions                                              i = 192 b + h           extent 195, stride 128
 *
 * Not every index below the extent is one that is meant; those that are keep their addresses.
 *
 * | rule                                                    | else                                |
 * |---------------------------------------------------------|-------------------------------------|
 * | a ref in SMEM, one level of tiling                      | pallas.copy, pallas.copy.transforms |
 * | the slice has the ref's dtype                           | pallas.copy.dtype                   |
 * | the ref's elements lie without gaps                     | pallas.copy.contiguous              |
 * | the tensor is row-major without gaps                    | pallas.copy.contiguous              |
 * | the tile divides the tensor                             | pallas.copy.tile                    |
 * | a constant start is a multiple of the tile              | pallas.copy.slice                   |
 * | the innermost stride of the view is 1                   | pallas.copy.last-stride             |
 * | other strides are multiples of 16 bytes                 | pallas.copy.stride                  |
 * | at most five dimensions                                 | pallas.copy.rank                    |
 * | boxes of at most 256                                    | pallas.copy.box                     |
 * | the innermost box is a multiple of 16 bytes             | pallas.copy.last-dim                |
 * | with a swizzle, it is the span                          | pallas.copy.swizzle                 |
 *
 * Laws
 * 1. The element at index i of the slice arrives at index i of the ref (the collective-copy and round-trip proofs).
 * 2. The address of the first element of a box is that of the slice, at every index that is in bounds; of no index is more refused than of
 *    the dimensions with two elements or more, the integers counted once.
 *
 * Source: JAX docs, Pallas:MGPU reference; Mosaic GPU, asynchronous copies; CUDA driver API, tensor map objects.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../../failure.js'
import { bitsOf, type Dtype } from '../../../numerics/dtype.js'
import {
  block,
  build,
  descriptorParam,
  fail,
  fromEither,
  typeHere,
  type Build,
  type Tensor,
} from '../../../semantics/writing/builder.js'
import {
  add,
  i32,
  mul,
  quo,
  type Descriptor,
  type ExprNode,
  type Int,
  type View,
} from '../../../semantics/language/expression.js'
import { constantOf } from '../../../semantics/language/typecheck.js'
import * as Ref from '../../../transforms/ref.js'
import { rowMajorStrides, showShape, sizeOf } from '../../../transforms/shape.js'
import { swizzleElements, type Swizzle } from '../../../transforms/swizzle.js'
import { refuse, refused, type Code } from '../codes.js'
import type { GmemSlice } from './slice.js'

// ---------------------------------------------------------------- model

/** A dimension of the tensor as the copy engine sees it, and what the copy takes of it. */
export interface Dimension {
  readonly extent: number
  /** in elements */
  readonly stride: number
  readonly start: Int
  readonly box: number
  /** an integer index: known to be in bounds */
  readonly squeezed: boolean
}

/** A slice under the transforms of a ref, outermost dimension first. */
export interface Seen {
  readonly dims: ReadonlyArray<Dimension>
  readonly swizzle: Swizzle
}

/** An SMEM ref: what a copy asks of its type. */
export interface SmemRef {
  readonly name: string
  readonly dtype: Dtype
  readonly layout: Ref.TransformedRef
}

type Checked<A> = E.Either<Failure<Code>, A>

// ---------------------------------------------------------------- refs

/** What people call the ref. */
export const nameOf = (view: View): string => {
  let at: ExprNode = view
  for (;;)
    switch (at._tag) {
      case 'storage':
        return at.storage
      case 'tensor':
        return at.param
      case 'name':
        return at.name
      case 'slot':
      case 'slice':
      case 'transposeView':
      case 'reshapeView':
      case 'reinterpret':
      case 'remote':
        at = at.of
        break
      default:
        return 'the ref'
    }
}

/** The SMEM ref that a copy names. */
export const smemRef = (label: string, view: View): Build<SmemRef> =>
  block(function* () {
    const type = yield* typeHere(view)
    return type._tag === 'view' && type.space === 'smem'
      ? { name: nameOf(view), dtype: type.dtype, layout: type.layout }
      : yield* refused(
          'pallas.copy',
          `${label}: expected a ref in SMEM, found ${type._tag === 'view' ? `${nameOf(view)} in ${type.space.toUpperCase()}` : `a ${type._tag}`}`,
        )
  })

/** Bytes of the ref: a whole number, and for every lane the same. */
export const bytesOf = (label: string, ref: SmemRef): Checked<number> => {
  const bits = sizeOf(ref.layout.shape) * bitsOf(ref.dtype)
  if (bits % 8 !== 0)
    return refuse(
      'pallas.copy.sub-byte',
      `${label}: ${ref.name} has ${String(bits)} bits: expected a whole number of bytes`,
    )
  return bits % 1024 === 0
    ? E.right(bits / 8)
    : refuse(
        'pallas.copy.bytes',
        `${label}: ${ref.name} has ${String(bits / 8)} bytes: only copies of a multiple of 128 bytes are supported`,
      )
}

/** The tiled dimensions of the ref in the order in which they lie in SMEM, if they lie without gaps. */
const orderOf = (label: string, ref: SmemRef): Checked<ReadonlyArray<number>> => {
  const extents = Ref.tiledShape(ref.layout)
  const { strides } = ref.layout
  const all = extents.map((_, d) => d)
  const lies = (order: ReadonlyArray<number>): boolean => {
    const plain = rowMajorStrides(order.map((d) => extents[d]!))
    return order.every((d, k) => extents[d] === 1 || strides[d] === plain[k])
  }
  if (lies(all)) return E.right(all)
  const sorted = [
    ...all.filter((d) => extents[d] === 1),
    ...all.filter((d) => extents[d]! > 1).sort((x, y) => strides[y]! - strides[x]!),
  ]
  return lies(sorted)
    ? E.right(sorted)
    : refuse(
        'pallas.copy.contiguous',
        `${label}: ${ref.name} is a part of an SMEM ref with gaps between its elements (strides ${showShape(strides)} for ${showShape(extents)}): only contiguous SMEM can be copied`,
      )
}

// ---------------------------------------------------------------- tensors

/** Extents and strides of a tensor, which must be constant and row-major. */
export const contiguousTensor = (label: string, tensor: Tensor): Checked<ReadonlyArray<number>> => {
  const { name, shape, strides } = tensor.param
  const extents = shape.map((e) => constantOf(e) ?? NaN)
  if (extents.some(Number.isNaN))
    return refuse('pallas.copy.shape', `${label}: the shape of ${name} is not constant`)
  const plain = rowMajorStrides(extents)
  const found = strides.map(constantOf)
  const off = extents.findIndex((n, d) => n > 1 && found[d] !== plain[d])
  return off < 0
    ? E.right(extents)
    : refuse(
        'pallas.copy.contiguous',
        `${label}: only contiguous GMEM can be copied: dimension ${String(off)} of ${name} has stride ${String(found[off])}, expected ${String(plain[off])}`,
      )
}

// ---------------------------------------------------------------- the view

/** The slice under the transforms of the ref. */
export const seenBy = <D extends Dtype, R extends number>(
  label: string,
  slice: GmemSlice<D, R>,
  ref: SmemRef,
): Checked<Seen> => {
  const { layout } = ref
  const tensor = slice.tensor.param.name
  if (slice.tensor.dtype !== ref.dtype)
    return refuse(
      'pallas.copy.dtype',
      `${label}: Expected dtypes to match, found ${slice.tensor.dtype} of ${tensor} and ${ref.dtype} of ${ref.name}`,
    )
  if (layout.tiling.length > 1)
    return refuse(
      'pallas.copy.transforms',
      `${label}: a copy takes one level of tiling, found ${String(layout.tiling.length)} of ${ref.name}`,
    )
  const extents = contiguousTensor(label, slice.tensor)
  if (E.isLeft(extents)) return extents
  const order = orderOf(label, ref)
  if (E.isLeft(order)) return order
  const shape = extents.right
  if (slice.starts.length !== shape.length || slice.sizes.length !== shape.length)
    return refuse(
      'pallas.copy.shape',
      `${label}: ${tensor} has ${String(shape.length)} dimensions, found ${String(slice.starts.length)} indices`,
    )
  const strides = rowMajorStrides(shape)
  const squeezed: Dimension[] = []
  const kept: number[] = []
  slice.sizes.forEach((size, d) => {
    if (size === null)
      squeezed.push({
        extent: shape[d]!,
        stride: strides[d]!,
        start: slice.starts[d]!,
        box: 1,
        squeezed: true,
      })
    else kept.push(d)
  })
  const cut = layout.tiling[0] ?? []
  const from = kept.length - cut.length
  const outer: Dimension[] = []
  const inner: Dimension[] = []
  for (const [k, d] of kept.entries()) {
    const [extent, stride, start, size] = [shape[d]!, strides[d]!, slice.starts[d]!, layout.shape[k]!]
    const tile = cut[k - from]
    if (tile === undefined) {
      outer.push({ extent, stride, start, box: size, squeezed: false })
      continue
    }
    if (extent % tile !== 0 && extent > tile)
      return refuse(
        'pallas.copy.tile',
        `${label}: dimension ${String(d)} of ${tensor} is ${String(extent)}: expected a multiple of the tile's ${String(tile)}`,
      )
    const known = constantOf(start)
    if (known !== undefined && known % tile !== 0)
      return refuse(
        'pallas.copy.slice',
        `${label}: Expected slice start of dimension ${String(d)} of ${tensor} to be divisible by the tile size ${String(tile)}, found ${String(known)}`,
      )
    const whole = Math.min(extent, tile)
    outer.push({
      extent: extent / whole,
      stride: stride * whole,
      start: tile === 1 ? start : known === undefined ? quo(start, i32(tile)) : i32(known / tile),
      box: size / tile,
      squeezed: false,
    })
    inner.push({ extent: whole, stride, start: i32(0), box: tile, squeezed: false })
  }
  const tiled = [...outer, ...inner]
  const dims = [...squeezed, ...order.right.map((d) => tiled[d]!)]
  return fits(label, slice.tensor, ref.name, { dims, swizzle: layout.swizzle })
}

/** The slice as the copy engine takes it without a ref: for hints. */
export const seenPlain = <D extends Dtype, R extends number>(
  label: string,
  slice: GmemSlice<D, R>,
): Checked<Seen> => {
  const extents = contiguousTensor(label, slice.tensor)
  if (E.isLeft(extents)) return extents
  const strides = rowMajorStrides(extents.right)
  const dims = extents.right.map((extent, d): Dimension => ({
    extent,
    stride: strides[d]!,
    start: slice.starts[d]!,
    box: slice.sizes[d] ?? 1,
    squeezed: slice.sizes[d] === null,
  }))
  return fits(label, slice.tensor, 'the slice', { dims, swizzle: 16 })
}

// ---------------------------------------------------------------- what the copy engine takes

const mostDimensions = 5

/** Integers in any dimensions are one integer, in steps of the innermost: of a row-major tensor its stride divides all the others. */
const collapsed = (integers: ReadonlyArray<Dimension>): Dimension => {
  const step = integers.reduce((least, { stride }) => Math.min(least, stride), Infinity)
  const steps = integers.map(({ start, stride }) => mul(start, i32(stride / step)))
  return {
    extent: integers.reduce((most, { extent, stride }) => most + (extent - 1) * (stride / step), 1),
    stride: step,
    start: steps.reduce(add),
    box: 1,
    squeezed: true,
  }
}

/** Without dimensions of one element, and with the integers as one, if there are too many otherwise. */
const fewer = (dims: ReadonlyArray<Dimension>): ReadonlyArray<Dimension> => {
  const telling = dims.filter(({ extent, box }, k) => k === dims.length - 1 || extent > 1 || box > 1)
  const integers = telling.filter(({ squeezed }) => squeezed)
  return telling.length <= mostDimensions || integers.length === 0
    ? telling
    : [collapsed(integers), ...telling.filter(({ squeezed }) => !squeezed)]
}

const fits = (label: string, tensor: Tensor, ref: string, seen: Seen): Checked<Seen> => {
  const dims = fewer(seen.dims)
  const { swizzle } = seen
  const bits = bitsOf(tensor.dtype)
  const name = tensor.param.name
  const last = dims[dims.length - 1]
  if (last === undefined)
    return refuse('pallas.copy.shape', `${label}: a slice of ${name} has at least one dimension, found ()`)
  if (dims.length > mostDimensions)
    return refuse(
      'pallas.copy.rank',
      `${label}: the copy engine takes at most 5 dimensions, found ${String(dims.length)} of ${name} under the transforms of ${ref}`,
    )
  if (last.stride !== 1 && last.extent > 1)
    return refuse(
      'pallas.copy.last-stride',
      `${label}: the last dimension of ${name} under the transforms of ${ref} must have stride 1, found ${String(last.stride)}`,
    )
  const odd = dims.findIndex(
    ({ stride, extent }, k) => k < dims.length - 1 && extent > 1 && (stride * bits) % 128 !== 0,
  )
  if (odd >= 0)
    return refuse(
      'pallas.copy.stride',
      `${label}: all strides but the last must be multiples of 16 bytes, found ${String((dims[odd]!.stride * bits) / 8)} bytes in dimension ${String(odd)} of ${name} under the transforms of ${ref}`,
    )
  const wide = dims.findIndex(({ box }) => box > 256)
  if (wide >= 0)
    return refuse(
      'pallas.copy.box',
      `${label}: a copy takes at most 256 elements of each dimension, found ${String(dims[wide]!.box)} in dimension ${String(wide)} of ${name} under the transforms of ${ref}`,
    )
  if (swizzle !== 16 && last.box !== swizzleElements(swizzle, bits))
    return refuse(
      'pallas.copy.swizzle',
      `${label}: with a swizzle of ${String(swizzle)} bytes the last dimension of ${ref} must be ${String(swizzleElements(swizzle, bits))} elements of ${tensor.dtype}, found ${String(last.box)}`,
    )
  return (last.box * bits) % 128 === 0
    ? E.right({ dims, swizzle })
    : refuse(
        'pallas.copy.last-dim',
        `${label}: the last dimension must be a multiple of 16 bytes, found ${String(last.box)} elements of ${tensor.dtype} in ${ref}`,
      )
}

// ---------------------------------------------------------------- the map

/** A tensor map with a name of its own. */
const mapParam = <D extends Dtype>(
  name: string,
  tensor: Tensor<D>,
  dims: ReadonlyArray<Dimension>,
  swizzle: Swizzle,
  fill: 'zero' | 'nan',
): Build<Descriptor<D, number>> =>
  build((state) => {
    let free = name
    for (let k = 1; state.params.has(free); k++) free = `${name}_${String(k)}`
    return descriptorParam(
      free,
      tensor,
      dims.map(({ box }) => box),
      {
        swizzle,
        fill,
        dims: dims.map(({ extent }) => extent),
        // along a dimension of one element nothing moves: any stride that the engine takes will do
        strides: dims.map(({ extent, stride }, k) =>
          extent > 1 ? stride : k === dims.length - 1 ? 1 : 128 / bitsOf(tensor.dtype),
        ),
      },
    ).run(state)
  })

/** The tensor map for what is seen, and the coordinates in it. */
export const tensorMap = <D extends Dtype>(
  label: string,
  tensor: Tensor<D>,
  seen: Seen,
  fill: 'zero' | 'nan' = 'zero',
): Build<{ readonly descriptor: Descriptor<D, number>; readonly coords: ReadonlyArray<Int> }> =>
  block(function* () {
    const descriptor = yield* mapParam(`${label}.map`, tensor, seen.dims, seen.swizzle, fill)
    return { descriptor, coords: seen.dims.map(({ start }) => start) }
  })

/** The value, or the refusal inside a kernel. */
export const orRefused = <A>(checked: Checked<A>): Build<A> =>
  E.isLeft(checked) ? fail(checked.left) : fromEither<A>(checked)
