/**
 * Refs: parts of them, other views of them, and the transforms that they are allocated with.
 *
 * An operation on a ref is asked for in logical indices, and must be one on what lies in memory: it is pushed through the ref's transforms.
 *
 * | operation            | through a tiling by t                                     | through a swizzle of S bytes                        |
 * |----------------------|-----------------------------------------------------------|-----------------------------------------------------|
 * | `.at`, a slice       | start and size are multiples of t; step 1                 | the last dimension is whole                         |
 * | `.at`, an index      | of untiled dimensions only                                | not of the last two dimensions                      |
 * | `transpose_ref`      | tiled dimensions change places with each other only       | the last stays last                                 |
 * | `reshape`            | folds; all folded but the last have tile 1                | the last is not folded into another                 |
 *
 *     f16 (4, 64, 128), Tiling (8, 64), Swizzle 128
 *     ref.at[s, pl.ds(16, 32), pl.ds(64, 64)]     a (32, 64) ref: slot(ref, s), slice from (16, 64)
 *     ref.at[s, 3]                                refused: dimension 1 is tiled
 *     transpose_ref(ref.at[s], (1, 0))            a (128, 64) ref, tiles transposed; only products take it: its rows no longer end in the
 *                                                 swizzled dimension (`plainRef` refuses it)
 *
 * Tensor memory: rows stay, no index but of the batch, columns in whole base tiles of its layout; for half_lane and m64_collective that is all.
 *
 * `transform_ref(ref, t)` is the ref after one more transform: tiled by (8, 64), element [a, b, c, d] is element [8a + c, 64b + d].
 *
 * Laws
 * 1. Element i of a view is at the byte of element f(i) of the ref, f the operation on indices.
 * 2. What the table forbids is refused with a code of its own; what it allows is not refused.
 *
 * Names: `ref.at[...]`, `pl.ds`, `plgpu.transpose_ref`, `ref.reshape`, `plgpu.transform_ref`, `plgpu.TilingTransform` (older: `TileTransform`),
 * `plgpu.SwizzleTransform`, `plgpu.TransposeTransform` (older; now `transpose_ref`).
 *
 * Source: JAX docs, Pallas:MGPU reference (memory reference transforms); how Mosaic GPU commutes transforms.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, unreachable, type Failure } from '../../failure.js'
import * as Tmem from '../../layouts/tensor-memory/tensor-memory-layout.js'
import * as Tiled from '../../layouts/tiled.js'
import { bitsOf, type Dtype } from '../../numerics/dtype.js'
import { block, fromEither, typeHere, type Build } from '../../semantics/writing/builder.js'
import {
  i32,
  reinterpret,
  reshapeView,
  slice,
  slot,
  transposeView,
  type Below,
  type ExprNode,
  type Int,
  type View,
} from '../../semantics/language/expression.js'
import { checked } from '../../semantics/language/index-types.js'
import type { Space, ViewType } from '../../semantics/language/types.js'
import * as Ref from '../../transforms/ref.js'
import type { Chains, Mode, TransformedRef } from '../../transforms/ref.js'
import { isExtent, rowMajorStrides, showShape, sizeOf, type Shape } from '../../transforms/shape.js'
import { swizzleElements } from '../../transforms/swizzle.js'
import { showTiling } from '../../transforms/tile.js'
import * as Transform from '../../transforms/transform.js'
import { isPermutation } from '../../transforms/transpose.js'
import { refuse, refused, type Code } from './codes.js'
import { known } from './context.js'
import { splitModes, tensorMemoryLayoutOf } from './memory.js'

// ---------------------------------------------------------------- transforms

/** `plgpu.TilingTransform(tile)`. */
export const TilingTransform = (tile: ReadonlyArray<number>): E.Either<Failure<Code>, Transform.Transform> =>
  pipe(
    Transform.tile(tile),
    E.mapLeft((why) => failure('pallas.ref.tiling', why.message)),
  )
/** The older name of `TilingTransform`. */
export const TileTransform: typeof TilingTransform = TilingTransform

/** `plgpu.SwizzleTransform(bytes)`; 16 moves nothing, and no product takes it. */
export const SwizzleTransform = (bytes: number): E.Either<Failure<Code>, Transform.Transform> =>
  pipe(
    Transform.swizzle(bytes),
    E.mapLeft(() =>
      failure(
        'pallas.ref.swizzle-size',
        `Swizzle ${String(bytes)} is not supported: expected 16, 32, 64 or 128 bytes`,
      ),
    ),
  )

/** `plgpu.TransposeTransform(permutation)` of older versions of JAX. */
export const TransposeTransform = (
  permutation: ReadonlyArray<number>,
): E.Either<Failure<Code>, Transform.Transform> =>
  pipe(
    Transform.transpose(permutation),
    E.mapLeft((why) => failure('pallas.ref.permutation', why.message)),
  )

// ---------------------------------------------------------------- indices

/** `pl.ds(start, size, stride)`. */
export interface DynamicSlice {
  readonly _tag: 'ds'
  readonly start: Int | number
  readonly size: number
  readonly stride: number
}
export const ds = (start: Int | number, size: number, stride: number = 1): DynamicSlice => ({
  _tag: 'ds',
  start,
  size,
  stride,
})
/** `:`, a whole dimension. */
export interface Everything {
  readonly _tag: 'everything'
}
export const everything: Everything = { _tag: 'everything' }

/** An argument of `.at` for one dimension. Omitted dimensions at the end stay whole. */
export type RefIndex = Int | number | DynamicSlice | Everything

/** An index drops a dimension, a slice keeps it. */
export type RankAfter<R extends number, I extends ReadonlyArray<unknown>> = I extends readonly [
  infer Head,
  ...infer Tail,
]
  ? RankAfter<Head extends DynamicSlice | Everything ? R : Below<R>, Tail>
  : R

const isSlice = (i: RefIndex): i is DynamicSlice | Everything =>
  typeof i !== 'number' && (i._tag === 'ds' || i._tag === 'everything')
const asInt = (i: Int | number): Int => (typeof i === 'number' ? i32(i) : i)
const valueOf = (i: Int | number): number | null => (typeof i === 'number' ? i : known(i))

/** One index for each dimension. */
type Indexer =
  | { readonly _tag: 'index'; readonly at: Int | number }
  | { readonly _tag: 'slice'; readonly start: Int | number; readonly size: number; readonly stride: number }

const indexersOf = (indices: ReadonlyArray<RefIndex>, shape: Shape): ReadonlyArray<Indexer> =>
  shape.map((extent, d): Indexer => {
    const i = indices[d]
    if (i === undefined) return { _tag: 'slice', start: 0, size: extent, stride: 1 }
    if (!isSlice(i)) return { _tag: 'index', at: i }
    return i._tag === 'ds'
      ? { _tag: 'slice', start: i.start, size: i.size, stride: i.stride }
      : { _tag: 'slice', start: 0, size: extent, stride: 1 }
  })

const isWhole = (i: Indexer, extent: number): boolean =>
  i._tag === 'slice' && i.size === extent && i.stride === 1 && valueOf(i.start) === 0

type Why = readonly [Code, string] | null
const showStart = (start: Int | number): string => {
  const value = valueOf(start)
  return value === null ? 'a value of the run' : String(value)
}

/** Bounds and steps, of whatever space. */
const outside = (i: Indexer, d: number, shape: Shape): Why => {
  const extent = shape[d]!
  const where = `dimension ${String(d)} of ${showShape(shape)}`
  if (i._tag === 'index') {
    const at = valueOf(i.at)
    return at !== null && !(Number.isInteger(at) && at >= 0 && at < extent)
      ? ['pallas.ref.bounds', `index ${String(at)} is out of bounds for ${where}`]
      : null
  }
  if (i.stride !== 1)
    return ['pallas.ref.stride', `strided slices are unsupported: stride ${String(i.stride)} in ${where}`]
  const start = valueOf(i.start) ?? 0
  return isExtent(i.size) && Number.isInteger(start) && start >= 0 && start + i.size <= extent
    ? null
    : [
        'pallas.ref.bounds',
        `a slice of ${String(i.size)} from ${String(start)} is out of bounds for ${where}`,
      ]
}

/** Shared and global memory: the table of the header. */
const throughTransforms = (layout: TransformedRef, i: Indexer, d: number): Why => {
  const rank = layout.shape.length
  const tile = Ref.startUnits(layout)[d]!.multipleOf
  const tiled = d >= rank - (layout.tiling[0]?.length ?? 0)
  const swizzled = layout.swizzle !== 16 && layout.tiling.length === 0
  const where = `dimension ${String(d)} of ${showShape(layout.shape)}`
  if (i._tag === 'index') {
    if (tiled)
      return [
        'pallas.ref.index-tiled',
        `${where} is tiled by ${String(tile)} and can only be sliced, found index ${showStart(i.at)}`,
      ]
    return swizzled && d >= rank - 2
      ? [
          'pallas.ref.index-swizzled',
          `the last two dimensions of a swizzled ref can only be sliced, found index ${showStart(i.at)} for ${where}`,
        ]
      : null
  }
  if (swizzled && d === rank - 1 && !isWhole(i, layout.shape[d]!))
    return [
      'pallas.ref.slice-swizzled',
      `swizzled dims cannot be sliced: expected all of ${where}, found ${String(i.size)} from ${showStart(i.start)}`,
    ]
  const start = valueOf(i.start) ?? 0
  return start % tile !== 0 || i.size % tile !== 0
    ? [
        'pallas.ref.tile',
        `expected slice start ${String(start)} and slice size ${String(i.size)} to be divisible by the tile size ${String(tile)} of ${where}`,
      ]
    : null
}

/** Is every value of the expression a multiple of n? */
const provably = (e: ExprNode, n: number): boolean => {
  const value = known(e)
  if (value !== null) return value % n === 0
  if (n === 1) return true
  if (e._tag !== 'binary') return false
  switch (e.op) {
    case 'mul':
      return provably(e.x, n) || provably(e.y, n)
    case 'add':
    case 'sub':
      return provably(e.x, n) && provably(e.y, n)
    default:
      return false
  }
}

/** The width of the pieces in which a ref of tensor memory can be cut. */
const baseWidth = (layout: TransformedRef): number => {
  let matrix = layout
  while (matrix.shape.length > 2) {
    const one = Ref.slotShape(matrix)
    if (E.isLeft(one)) return layout.shape[layout.shape.length - 1]!
    matrix = one.right
  }
  const found = tensorMemoryLayoutOf(matrix)
  return found === null
    ? Ref.startUnits(matrix)[1]!.multipleOf
    : (Tiled.baseTileShape(found.tiled)[1] ?? Tmem.vectorLength(found))
}

const throughTensorMemory = (layout: TransformedRef, i: Indexer, d: number): Why => {
  const rank = layout.shape.length
  const where = `dimension ${String(d)} of ${showShape(layout.shape)}`
  if (d < rank - 2) return null
  if (i._tag === 'index')
    return [
      'pallas.tmem.index',
      `TMEM can only be sliced, not indexed: found index ${showStart(i.at)} for ${where}`,
    ]
  if (isWhole(i, layout.shape[d]!)) return null
  const found = `found ${String(i.size)} from ${showStart(i.start)}`
  if (d === rank - 2)
    return ['pallas.tmem.slice-rows', `the rows of TMEM cannot be sliced: ${where}, ${found}`]
  const width = baseWidth(layout)
  const start = typeof i.start === 'number' ? i.start % width === 0 : provably(i.start, width)
  return start && i.size % width === 0
    ? null
    : [
        'pallas.tmem.slice-columns',
        `${where} is cut in pieces of ${String(width)} columns, ${found}: expected multiples that are known to be so`,
      ]
}

// ---------------------------------------------------------------- operations

const viewHere = (ref: View): Build<ViewType> =>
  block(function* () {
    const type = yield* typeHere(ref)
    return type._tag === 'view' ? type : unreachable('a view has the type of a view')
  })

/** `ref.at[indices]`. */
export const refAt = <
  S extends Space,
  D extends Dtype,
  R extends number,
  const I extends ReadonlyArray<RefIndex>,
>(
  label: string,
  ref: View<S, D, R>,
  indices: I,
): Build<View<S, D, RankAfter<R, I>>> =>
  block(function* () {
    const { layout, space } = yield* viewHere(ref)
    const { shape } = layout
    if (indices.length > shape.length)
      return yield* refused(
        'pallas.ref.rank',
        `${label}: ${String(indices.length)} indices for a ref of shape ${showShape(shape)}`,
      )
    const indexers = indexersOf(indices, shape)
    for (const [d, i] of indexers.entries()) {
      const no =
        outside(i, d, shape) ??
        (space === 'tmem' ? throughTensorMemory(layout, i, d) : throughTransforms(layout, i, d))
      if (no !== null) return yield* refused(no[0], `${label}: ${no[1]}`)
    }
    // indexed dimensions first, one after the other; those before it have gone
    let view: View = ref
    let gone = 0
    let rank = shape.length
    for (const [d, i] of indexers.entries()) {
      if (i._tag !== 'index') continue
      const at = d - gone
      if (at > 0)
        view = transposeView(
          view,
          Array.from({ length: rank }, (_, k) => (k === 0 ? at : k <= at ? k - 1 : k)),
        )
      view = slot(view, asInt(i.at))
      gone++
      rank--
    }
    const kept = indexers.flatMap((i, d) => (i._tag === 'slice' ? [{ ...i, extent: shape[d]! }] : []))
    if (kept.some((i) => !isWhole(i, i.extent)))
      view = slice(
        view,
        kept.map((i) => asInt(i.start)),
        kept.map((i) => i.size),
      )
    return checked<View<S, D, RankAfter<R, I>>, View>(view)
  })

/** `plgpu.transpose_ref(ref, permutation)`. */
export const transposeRef = <S extends Space, D extends Dtype, R extends number>(
  label: string,
  ref: View<S, D, R>,
  permutation: ReadonlyArray<number>,
): Build<View<S, D, R>> =>
  block(function* () {
    const { layout, space } = yield* viewHere(ref)
    if (space === 'tmem')
      return yield* refused('pallas.ref.transpose-tmem', `${label}: can't transpose a TMEM reference`)
    const { shape } = layout
    const rank = shape.length
    if (permutation.length !== rank || !isPermutation(permutation))
      return yield* refused(
        'pallas.ref.permutation',
        `${label}: expected a permutation of the ${String(rank)} dimensions of ${showShape(shape)}, found ${showShape(permutation)}`,
      )
    const cut = rank - (layout.tiling[0]?.length ?? 0)
    if (permutation.slice(cut).some((d) => d < cut))
      return yield* refused(
        'pallas.ref.transpose-tiled',
        `${label}: transpose ${showShape(permutation)} cannot be moved before a tiling transform: it changes the set of tiled dimensions, the last ${String(rank - cut)} of ${showShape(shape)}`,
      )
    if (layout.swizzle !== 16 && layout.tiling.length === 0 && permutation[rank - 1] !== rank - 1)
      return yield* refused(
        'pallas.ref.transpose-swizzled',
        `${label}: can't transpose the swizzled dimension: ${showShape(permutation)} moves the last dimension of ${showShape(shape)}`,
      )
    return transposeView(ref, permutation)
  })

/** Refuses a ref whose rows no longer end in the swizzled dimension: only products accept those. */
export const plainRef = (label: string, ref: View): Build<void> =>
  block(function* () {
    const { layout } = yield* viewHere(ref)
    if (!Ref.hasSwizzledMinor(layout))
      yield* refused(
        'pallas.ref.transpose-swizzled',
        `${label}: can't transpose the swizzled dimension: the ref of shape ${showShape(layout.shape)} is transposed inside its tiles ${showTiling(layout.tiling)}`,
      )
  })

/** Which dimensions become each of the new ones; null if one would have to be split. */
const folds = (shape: Shape, into: Shape): ReadonlyArray<readonly [number, number]> | null => {
  const found: (readonly [number, number])[] = []
  let from = 0
  for (const [k, target] of into.entries()) {
    let end = from
    let product = 1
    while (end < shape.length && (product < target || end === from)) product *= shape[end++]!
    if (product !== target || end === from) return null
    while (k === into.length - 1 && end < shape.length && shape[end] === 1) end++
    found.push([from, end])
    from = end
  }
  return from === shape.length ? found : null
}

const reshapeCode = (code: string): Code => {
  switch (code) {
    case 'ref.reshape-tiled':
      return 'pallas.ref.reshape-tiled'
    case 'ref.reshape-swizzled':
      return 'pallas.ref.reshape-swizzled'
    case 'ref.reshape-strided':
      return 'pallas.ref.reshape-strided'
    default:
      return 'pallas.ref.reshape-unfold'
  }
}

/** Another shape of elements that lie in a row, under no transforms; null: they do not. */
const unfolded = (layout: TransformedRef, shape: Shape): TransformedRef | null => {
  const rows = rowMajorStrides(layout.shape)
  const inRow = layout.shape.every((n, d) => n === 1 || layout.strides[d] === rows[d])
  if (layout.tiling.length > 0 || layout.swizzle !== 16 || !inRow || sizeOf(shape) !== sizeOf(layout.shape))
    return null
  const made = Ref.ofStrides(shape, layout.bits, rowMajorStrides(shape), layout.swizzle)
  return E.isRight(made) ? { ...made.right, byteOffset: layout.byteOffset } : null
}

/** `ref.reshape(shape)`: merges dimensions; without transforms, any shape is allowed. */
export const reshapeRef = <S extends Space, D extends Dtype, const N extends ReadonlyArray<number>>(
  label: string,
  ref: View<S, D>,
  shape: N,
): Build<View<S, D, N['length']>> =>
  block(function* () {
    const { layout, dtype } = yield* viewHere(ref)
    const groups = folds(layout.shape, shape)
    const plain = groups === null ? unfolded(layout, shape) : null
    if (plain !== null)
      return checked<View<S, D, N['length']>, View>(reinterpret<Dtype, number, Space>(ref, dtype, plain))
    if (groups === null)
      return yield* refused(
        'pallas.ref.reshape-unfold',
        `${label}: only folding is supported: ${showShape(shape)} is not ${showShape(layout.shape)} with neighbouring dimensions merged`,
      )
    const cut = layout.shape.length - (layout.tiling[0]?.length ?? 0)
    const mixed = groups.find(([from, end]) => from < cut && end > cut)
    if (mixed !== undefined)
      return yield* refused(
        'pallas.ref.reshape-mixed',
        `${label}: dimensions ${String(mixed[0])} to ${String(mixed[1] - 1)} of ${showShape(layout.shape)} are folded, but the last ${String(layout.shape.length - cut)} are tiled and the others are not`,
      )
    const legal = Ref.reshape(shape)(layout)
    if (E.isLeft(legal))
      return yield* refused(reshapeCode(legal.left.code), `${label}: ${legal.left.message}`)
    return reshapeView<N['length'], S, D>(ref, shape)
  })

/** The modes after a cut of the last dimensions by a tile. */
const tiledChains = (
  label: string,
  chains: Chains,
  tile: ReadonlyArray<number>,
): E.Either<Failure<Code>, Chains> => {
  const shape = chains.map((chain) => sizeOf(chain.map(({ size }) => size)))
  const from = shape.length - tile.length
  if (from < 0)
    return refuse(
      'pallas.ref.tiling',
      `${label}: tile ${showShape(tile)} has a higher rank than the ref of shape ${showShape(shape)}`,
    )
  const majors: ReadonlyArray<Mode>[] = []
  const minors: ReadonlyArray<Mode>[] = []
  for (const [k, t] of tile.entries()) {
    const cut = splitModes(chains[from + k]!, t)
    if (cut === null || shape[from + k]! % t !== 0)
      return refuse(
        'pallas.ref.tiling',
        `${label}: tile ${showShape(tile)} does not cut dimension ${String(from + k)} of ${showShape(shape)} in whole pieces of ${String(t)}`,
      )
    majors.push(cut[0])
    minors.push(cut[1])
  }
  return E.right([...chains.slice(0, from), ...majors, ...minors])
}

/** `plgpu.transform_ref(ref, transform)`. */
export const transformRef = <S extends Space, D extends Dtype>(
  label: string,
  ref: View<S, D>,
  transform: Transform.Transform,
): Build<View<S, D>> =>
  block(function* () {
    const { layout, space, dtype } = yield* viewHere(ref)
    if (space === 'tmem')
      return yield* refused(
        'pallas.memory.transforms',
        `${label}: transforms are not supported for TMEM, found ${Transform.showTransform(transform)}`,
      )
    const viewed = (as: TransformedRef): View<S, D> =>
      checked<View<S, D>, View>(reinterpret<Dtype, number, Space>(ref, dtype, as))
    switch (transform._tag) {
      case 'Transpose':
        return yield* transposeRef(label, ref, transform.permutation)
      case 'Tile': {
        let chains = Ref.chainsOf(layout)
        for (const tile of transform.tiling) chains = yield* fromEither(tiledChains(label, chains, tile))
        return viewed(Ref.ofChains(chains, layout.bits, layout.byteOffset, layout.swizzle))
      }
      case 'Swizzle': {
        const physical = Ref.tiledShape(layout)
        const minor = physical.length - 1
        const elements = swizzleElements(transform.swizzle, bitsOf(dtype))
        if (layout.swizzle !== 16)
          return yield* refused(
            'pallas.ref.swizzle',
            `${label}: the ref of shape ${showShape(layout.shape)} is swizzled by ${String(layout.swizzle)} bytes already`,
          )
        if (physical[minor] !== elements || layout.strides[minor] !== 1)
          return yield* refused(
            'pallas.ref.swizzle',
            `${label}: Swizzle ${String(transform.swizzle)} requires the trailing dimension to be of size ${String(elements)}, but got ${showShape(physical)}`,
          )
        return viewed({ ...layout, swizzle: transform.swizzle })
      }
    }
  })
