/**
 * Transformed refs: where every element of an array lies, in bytes.
 *
 * A ref is a function from logical indices to byte addresses, held in one physical form:
 *
 *     address(i) = X_S( base + byteOffset + bits/8 * ( tileIndex(tiling)(i) . strides ) )
 *
 * that is: cut the index along the tiling, take the dot product with the strides of the tiled dimensions (in
 * elements; of elements of 6 bits in quarters of a byte, for 16 bytes are no whole number of those elements), add the base, and swizzle the absolute address. Slicing, transposing and reshaping a ref change the
 * data of this form and never move an element: they are pushed to the physical side at once.
 *
 *     f16 (128, 128), Tile (8, 64), Swizzle 128:   tiled dimensions (16, 2, 8, 64), strides (1024, 512, 64, 1)
 *     element [9, 70]  ->  tiled [1, 1, 1, 6]  ->  element offset 1606  ->  byte 3212  ->  swizzled 3228 (base 0)
 *
 *     operation          tiled dimensions                          swizzled minor dimension
 *     slice              start and size divisible by the tile      whole
 *     one index          refused                                   refused in the last two physical dimensions
 *     transpose          permutes exactly the tiled ones           untiled: stays last
 *     reshape            folds; major parts have tile 1            untiled: stays last
 *
 * The offset of a slice can be computed apart from its shape (`sliceOffsetBytes`, `slotStrideBytes`), so a program can
 * index with run-time values on a ref whose form is static.
 *
 * Names: Pallas, a ref with `transforms` (its user operations are commuted to the physical side in the same way);
 * CuTe, a `ComposedLayout` of a swizzle and a hierarchical layout (one chain of modes per dimension); Triton, a
 * memdesc; Mojo, a `LayoutTensor`.
 *
 * Laws
 * 1. Canonical: extents of 1 have stride 0, so refs that mean the same with the same tiling are equal as data.
 * 2. A ref of transforms is row-major on the physical shape: `byteOffsets` is a bijection onto 0, b, 2b, ... (b bytes an element).
 * 3. `byteOffsets(slice(o, n)(r))[i] = byteOffsets(r)[o + i]`, and the offset is `sliceOffsetBytes(r, o)` plus the offset of the static part.
 * 4. `byteOffsets(transpose(p)(r))[permute(p)(i)] = byteOffsets(r)[i]`.
 * 5. `byteOffsets(reshape(s)(r))[k] = byteOffsets(r)[k]` at every row-major position k.
 * 6. `slot(k)(batch(n)(r))` is r moved by k * `slotStrideBytes`.
 * 7. `spans(r, base)` is the sorted list of maximal intervals of the set of bytes under `swizzledAddresses(r, base)`.
 * 8. Pushing through a cut: transposing a tiled ref permutes quotients and remainders alike (p ++ p + rank) and the tile.
 * 9. A tile-aligned slice of a swizzled ref is a swizzled ref: the same form, another offset.
 *
 * Source: JAX docs, Pallas:MGPU reference (memory reference transforms).
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../failure.js'
import { refuse } from '../failure.js'
import { remembered, rememberedBy } from '../remembered.js'
import type { Index, Shape } from './shape.js'
import { isExtent, rowMajorStrides, sameShape, showShape, sizeOf } from './shape.js'
import type { Swizzle } from './swizzle.js'
import { isSwizzle, swizzleAddress, swizzleAddresses, swizzleElements } from './swizzle.js'
import type { Tile } from './tile.js'
import { dimensionChains, isTiling, sameTiling, showTiling } from './tile.js'
import type { Transform, TransformError } from './transform.js'
import { physicalShape } from './transform.js'
import { isPermutation, permute } from './transpose.js'

// ---------------------------------------------------------------------------------------------- model

/** Plain data: it survives JSON. `check` tells a legal one from any other. */
export interface TransformedRef {
  readonly _tag: 'TransformedRef'
  /** Logical shape. */
  readonly shape: Shape
  /** Bits of one element. */
  readonly bits: number
  /** Levels of the cut, outermost first; empty when nothing is cut. */
  readonly tiling: ReadonlyArray<Tile>
  /** Strides of the tiled dimensions, in units of `strideBits`: elements; 0 where the extent is 1. */
  readonly strides: ReadonlyArray<number>
  /** Bytes from the base to the element of index 0, before the swizzle. */
  readonly byteOffset: number
  /** Span of the swizzle in bytes; 16 is none. */
  readonly swizzle: Swizzle
}

/** The argument of `at` for one dimension. */
export type Indexer =
  | { readonly _tag: 'at'; readonly index: number }
  | { readonly _tag: 'slice'; readonly start: number; readonly size: number; readonly step?: number }

export type RefError = 'ref.shape' | 'ref.bits' | 'ref.tiling' | 'ref.strides' | 'ref.offset' | 'ref.swizzle'
export type OfTransformsError = TransformError | 'ref.shape' | 'ref.bits'
export type IndexError =
  | 'ref.rank'
  | 'ref.bounds'
  | 'ref.step'
  | 'ref.tile-start'
  | 'ref.tile-size'
  | 'ref.index-tiled'
  | 'ref.index-swizzled'
  | 'ref.slice-swizzled'
  | 'ref.sub-byte'
export type OffsetError = 'ref.rank' | 'ref.tile-start' | 'ref.sub-byte'
export type TransposeError = 'ref.not-a-permutation' | 'ref.transpose-tiled' | 'ref.transpose-swizzled'
export type ReshapeError =
  'ref.reshape-unfold' | 'ref.reshape-tiled' | 'ref.reshape-strided' | 'ref.reshape-swizzled'
export type BatchError = 'ref.shape' | 'ref.sub-byte'

/** A tiled dimension: how many, and how far apart in units of `strideBits`: elements. */
export interface Mode {
  readonly size: number
  readonly stride: number
}

/** One chain of modes per logical dimension, major to minor: the working form of this module. */
export type Chains = ReadonlyArray<ReadonlyArray<Mode>>

/** Bits that a stride counts: those of an element, but of elements of 6 bits a quarter of a byte. */
export const strideBits = (bits: number): number => (bits === 6 ? 2 : bits)
/** Strides of elements that lie behind one another. */
const unitOf = (bits: number): number => bits / strideBits(bits)

// ------------------------------------------------------------------------------------ the working form

const tiledExtents = (shape: Shape, levels: ReadonlyArray<Tile>): ReadonlyArray<number> => {
  let extents = shape
  for (const tile of levels) {
    const from = extents.length - tile.length
    const whole = extents
    extents = [...whole.slice(0, from), ...tile.map((t, k) => whole[from + k]! / t), ...tile]
  }
  return extents
}

/** The modes of each dimension. A ref does not change, and every address that is asked of it goes by its chains. */
export const chainsOf: (ref: TransformedRef) => Chains = remembered((ref) => {
  const extents = tiledExtents(ref.shape, ref.tiling)
  return dimensionChains(ref.shape.length, ref.tiling).map((chain) =>
    chain.map((k) => ({ size: extents[k]!, stride: ref.strides[k]! })),
  )
})

const productFrom = (chain: ReadonlyArray<Mode>, level: number): number =>
  chain.slice(level).reduce((product, mode) => product * mode.size, 1)

/** Builds the canonical data of legal modes. Dimensions right of a cut one that are cut less often get tiles of 1. */
export const ofChains = (
  chains: Chains,
  bits: number,
  byteOffset: number,
  swizzle: Swizzle,
): TransformedRef => {
  const depth = chains.reduce((deepest, chain) => Math.max(deepest, chain.length - 1), 0)
  const tiling: Tile[] = []
  for (let level = 1; level <= depth; level++) {
    const first = chains.findIndex((chain) => chain.length > level)
    tiling.push(chains.slice(first).map((chain) => productFrom(chain, level)))
  }
  const positions = dimensionChains(chains.length, tiling)
  const strides = new Array<number>(positions.reduce((count, chain) => count + chain.length, 0)).fill(0)
  positions.forEach((chain, d) => {
    chain.forEach((position, level) => {
      const mode = chains[d]![level]
      strides[position] = mode === undefined || mode.size === 1 ? 0 : mode.stride
    })
  })
  return {
    _tag: 'TransformedRef',
    shape: chains.map((chain) => productFrom(chain, 0)),
    bits,
    tiling,
    strides,
    byteOffset,
    swizzle,
  }
}

const checkType = (shape: Shape, bits: number): E.Either<Failure<'ref.shape' | 'ref.bits'>, null> => {
  if (!shape.every(isExtent))
    return refuse('ref.shape', `Extents must be positive integers, found ${showShape(shape)}`)
  if (!isExtent(bits))
    return refuse('ref.bits', `Elements have a positive number of bits, found ${String(bits)}`)
  return E.right(null)
}

// ---------------------------------------------------------------------------------------- constructors

/**
 * The ref of an allocation: the transforms, and row-major on the physical side. Errors: those of the transforms.
 *
 * @example
 * ```ts
 * import { ref, transform } from 'tensorcore-spec/transforms'
 * import * as E from 'fp-ts/lib/Either.js'
 * import { pipe } from 'fp-ts/lib/function.js'
 *
 * const where = pipe(
 *   E.Do,
 *   E.bind('tile', () => transform.tile([8, 64])),
 *   E.bindW('swizzle', () => transform.swizzle(128)),
 *   E.chainW(({ tile, swizzle }) => ref.ofTransforms([128, 128], 16, [tile, swizzle])),
 *   E.map((array) => ref.addressOf(array, 0, [9, 70])),
 * )
 * console.log(where) // { _tag: 'Right', right: 3228 }
 * ```
 */
export const ofTransforms = (
  shape: Shape,
  bits: number,
  transforms: ReadonlyArray<Transform>,
): E.Either<Failure<OfTransformsError>, TransformedRef> =>
  pipe(
    checkType(shape, bits),
    E.chainW(() => physicalShape(bits, transforms)(shape)),
    E.map((physical) => {
      const chains: number[][] = shape.map((_, d) => [d])
      const extents: number[] = [...shape]
      let order: ReadonlyArray<number> = shape.map((_, d) => d)
      let swizzle: Swizzle = 16
      for (const t of transforms) {
        if (t._tag === 'Swizzle') swizzle = t.swizzle
        else if (t._tag === 'Transpose') order = permute(t.permutation)(order)
        else
          for (const tile of t.tiling) {
            const from = order.length - tile.length
            const inner = tile.map((extent, k) => {
              const outer = order[from + k]!
              const chain = chains.find((ids) => ids.includes(outer))!
              chain.splice(chain.indexOf(outer) + 1, 0, extents.length)
              extents[outer] = extents[outer]! / extent
              return extents.push(extent) - 1
            })
            order = [...order, ...inner]
          }
      }
      const strides = rowMajorStrides(physical).map((s) => s * unitOf(bits))
      return ofChains(
        chains.map((ids) => ids.map((id) => ({ size: extents[id]!, stride: strides[order.indexOf(id)]! }))),
        bits,
        0,
        swizzle,
      )
    }),
  )

/**
 * An uncut ref with the given strides in elements (0 or more), such as a tensor in global memory.
 *
 * @example
 * ```ts
 * import { ref } from 'tensorcore-spec/transforms'
 *
 * const made = ref.ofStrides([8, 64], 16, [64, 1])
 * console.log(made._tag === 'Right' ? ref.extentBytes(made.right) : made.left.message) // 1024
 * ```
 */
export const ofStrides = (
  shape: Shape,
  bits: number,
  strides: ReadonlyArray<number>,
  swizzle: Swizzle = 16,
): E.Either<Failure<'ref.shape' | 'ref.bits' | 'ref.strides'>, TransformedRef> =>
  pipe(
    checkType(shape, bits),
    E.chainW(() =>
      strides.length === shape.length && strides.every((s) => Number.isSafeInteger(s) && s >= 0)
        ? E.right(
            ofChains(
              shape.map((size, d) => [{ size, stride: strides[d]! * unitOf(bits) }]),
              bits,
              0,
              swizzle,
            ),
          )
        : refuse(
            'ref.strides',
            `Expected one stride of 0 or more for each dimension of ${showShape(shape)}, found ${showShape(strides)}`,
          ),
    ),
  )

/** Is this data a legal, canonical ref? For data that comes from outside. */
export const check: (ref: TransformedRef) => E.Either<Failure<RefError>, TransformedRef> = remembered((ref) =>
  pipe(
    checkType(ref.shape, ref.bits),
    E.chainW((): E.Either<Failure<RefError>, TransformedRef> => {
      const { shape, tiling, strides, byteOffset, swizzle } = ref
      const cut = tiling[0] ?? []
      if (tiling.length > 0 && !isTiling(tiling))
        return refuse('ref.tiling', `Not a tiling: ${showTiling(tiling)}`)
      if (cut.length > shape.length)
        return refuse(
          'ref.tiling',
          `Tile ${showShape(cut)} has a higher rank than the shape ${showShape(shape)}`,
        )
      const extents = tiledExtents(shape, tiling)
      if (!extents.every(isExtent))
        return refuse(
          'ref.tiling',
          `Tiling ${showTiling(tiling)} does not divide the shape ${showShape(shape)}`,
        )
      if (
        strides.length !== extents.length ||
        !strides.every((s, k) => Number.isSafeInteger(s) && s >= 0 && (extents[k] !== 1 || s === 0))
      )
        return refuse(
          'ref.strides',
          `Expected one stride of 0 or more for each of the tiled dimensions ${showShape(extents)}, 0 for extents of 1, found ${showShape(strides)}`,
        )
      if (!Number.isSafeInteger(byteOffset) || byteOffset < 0)
        return refuse('ref.offset', `Expected a byte offset of 0 or more, found ${String(byteOffset)}`)
      if (!isSwizzle(swizzle))
        return refuse('ref.swizzle', `A swizzle spans 16, 32, 64 or 128 bytes, found ${String(swizzle)}`)
      return E.right(ref)
    }),
  ),
)

// ----------------------------------------------------------------------------------------- destructors

/** The shape of the tiled dimensions: quotients, then remainders. */
export const tiledShape = (ref: TransformedRef): Shape => tiledExtents(ref.shape, ref.tiling)

/** Bits of the ref's elements together; not those of gaps between them. */
export const sizeBits = (ref: TransformedRef): number => sizeOf(ref.shape) * ref.bits

/** Number of bytes from `byteOffset` to the end of the last byte touched, before the swizzle. */
export const extentBytes = (ref: TransformedRef): number => {
  const extents = tiledShape(ref)
  const last = extents.reduce((sum, extent, k) => sum + (extent - 1) * ref.strides[k]!, 0)
  return Math.ceil((last * strideBits(ref.bits) + ref.bits) / 8)
}

/**
 * Per dimension: run-time starts must be multiples of `multipleOf`, and a step of that many elements moves the ref by
 * `strideBytes` bytes (a fraction only for elements of less than a byte).
 */
export const startUnits: (ref: TransformedRef) => ReadonlyArray<StartUnit> = remembered((ref) =>
  chainsOf(ref).map((chain) => ({
    multipleOf: productFrom(chain, 1),
    strideBytes: (chain[0]!.stride * strideBits(ref.bits)) / 8,
  })),
)
export interface StartUnit {
  readonly multipleOf: number
  readonly strideBytes: number
}

/** Bytes between neighbouring slots, that is along the leading dimension; 0 when there is only one, or none. */
export const slotStrideBytes = (ref: TransformedRef): number => startUnits(ref)[0]?.strideBytes ?? 0

/** Bytes by which a slice at these starts is moved. Refuses starts that are not multiples of the tile. */
export const sliceOffsetBytes = (
  ref: TransformedRef,
  starts: Index,
): E.Either<Failure<OffsetError>, number> => {
  if (starts.length !== ref.shape.length)
    return refuse(
      'ref.rank',
      `Expected ${String(ref.shape.length)} starts for a ref of shape ${showShape(ref.shape)}, found ${String(starts.length)}`,
    )
  let bytes = 0
  const units = startUnits(ref)
  for (let d = 0; d < starts.length; d++) {
    const { multipleOf, strideBytes } = units[d]!
    if (starts[d]! % multipleOf !== 0) return startRefused(d, starts[d]!, multipleOf)
    bytes += (starts[d]! / multipleOf) * strideBytes
  }
  return wholeBytes(bytes)
}

const startRefused = (d: number, start: number, tile: number): E.Either<Failure<'ref.tile-start'>, never> =>
  refuse(
    'ref.tile-start',
    `Expected slice start of dimension ${String(d)} to be divisible by the tile size ${String(tile)}, found ${String(start)}`,
  )

const wholeBytes = (bytes: number): E.Either<Failure<'ref.sub-byte'>, number> =>
  Number.isInteger(bytes)
    ? E.right(bytes)
    : refuse('ref.sub-byte', `The slice starts inside a byte, at offset ${String(bytes)}`)

// ---------------------------------------------------------------------------------- combinators: indexing

const isSwizzled = (ref: TransformedRef): boolean => ref.swizzle !== 16

/** The rules for the last two physical dimensions when nothing is cut: a cut ref keeps its tiles whole anyway. */
const swizzledDimension = (ref: TransformedRef, d: number): boolean =>
  isSwizzled(ref) && ref.tiling.length === 0 && d === ref.shape.length - 1

const nextToSwizzled = (ref: TransformedRef, d: number): boolean =>
  isSwizzled(ref) && ref.tiling.length === 0 && d >= ref.shape.length - 2

/** The part of `at` that does not depend on starts: extents, tiling, strides. The offset stays that of the ref. */
const narrowed = (ref: TransformedRef, sizes: ReadonlyArray<number | null>): TransformedRef => {
  const kept: ReadonlyArray<Mode>[] = []
  chainsOf(ref).forEach((chain, d) => {
    const size = sizes[d]
    if (size === null || size === undefined) return
    const head = { size: size / productFrom(chain, 1), stride: chain[0]!.stride }
    kept.push([head, ...chain.slice(1)])
  })
  return ofChains(kept, ref.bits, ref.byteOffset, ref.swizzle)
}

/**
 * The static part of a slice: the ref of the given sizes at start 0. A program adds `sliceOffsetBytes` at run time.
 * Errors: sizes out of bounds or not divisible by the tile, a swizzled dimension that is cut short.
 */
export const sliceShape =
  (sizes: Shape) =>
  (ref: TransformedRef): E.Either<Failure<IndexError>, TransformedRef> =>
    sliced(ref, sizes.join(), () => at(sizes.map((size) => ({ _tag: 'slice', start: 0, size })))(ref))
const sliced = rememberedBy<TransformedRef, string, E.Either<Failure<IndexError>, TransformedRef>>()

/** The static part of taking one slot: the ref at slot 0. A program adds index * `slotStrideBytes` at run time. */
export const slotShape: (ref: TransformedRef) => E.Either<Failure<IndexError>, TransformedRef> = remembered(
  (ref) => slot(0)(ref),
)

/**
 * Basic indexing: an integer drops its dimension, a slice keeps it. One indexer per dimension.
 * Errors: the table in the header, bounds, a step other than 1.
 */
export const at =
  (indexers: ReadonlyArray<Indexer>) =>
  (ref: TransformedRef): E.Either<Failure<IndexError>, TransformedRef> => {
    const rank = ref.shape.length
    if (indexers.length !== rank)
      return refuse(
        'ref.rank',
        `Expected ${String(rank)} indices for a ref of shape ${showShape(ref.shape)}, found ${String(indexers.length)}`,
      )
    const units = startUnits(ref)
    const firstCut = rank - (ref.tiling[0]?.length ?? 0)
    let bytes = 0
    for (let d = 0; d < rank; d++) {
      const indexer = indexers[d]!
      const extent = ref.shape[d]!
      const { multipleOf, strideBytes } = units[d]!
      const where = `dimension ${String(d)} of ${showShape(ref.shape)}`
      if (indexer._tag === 'at') {
        const { index } = indexer
        if (!Number.isInteger(index) || index < 0 || index >= extent)
          return refuse('ref.bounds', `Index ${String(index)} is out of bounds for ${where}`)
        if (d >= firstCut)
          return refuse(
            'ref.index-tiled',
            `Tiled dimensions can only be sliced, but ${where} is indexed by ${String(index)}`,
          )
        if (nextToSwizzled(ref, d))
          return refuse(
            'ref.index-swizzled',
            `The last two dimensions of a swizzled ref can only be sliced, but ${where} is indexed by ${String(index)}`,
          )
        bytes += index * strideBytes
      } else {
        const { start, size, step } = indexer
        if (step !== undefined && step !== 1)
          return refuse('ref.step', `Slices must have step 1, found ${String(step)} in ${where}`)
        if (!isExtent(size) || !Number.isInteger(start) || start < 0 || start + size > extent)
          return refuse(
            'ref.bounds',
            `Slice of ${String(size)} from ${String(start)} is out of bounds for ${where}`,
          )
        if (swizzledDimension(ref, d) && size !== extent)
          return refuse(
            'ref.slice-swizzled',
            `Swizzled dims cannot be sliced: expected all ${String(extent)} of ${where}, found ${String(size)} from ${String(start)}`,
          )
        if (start % multipleOf !== 0) return startRefused(d, start, multipleOf)
        if (size % multipleOf !== 0)
          return refuse(
            'ref.tile-size',
            `Expected slice size of dimension ${String(d)} to be divisible by the tile size ${String(multipleOf)}, found ${String(size)}`,
          )
        bytes += (start / multipleOf) * strideBytes
      }
    }
    return pipe(
      wholeBytes(bytes),
      E.map((moved) => {
        const part = narrowed(
          ref,
          indexers.map((indexer) => (indexer._tag === 'at' ? null : indexer.size)),
        )
        return { ...part, byteOffset: part.byteOffset + moved }
      }),
    )
  }

/** A rectangular part. */
export const slice =
  (starts: Index, sizes: Shape) =>
  (ref: TransformedRef): E.Either<Failure<IndexError>, TransformedRef> =>
    starts.length === sizes.length
      ? at(starts.map((start, d) => ({ _tag: 'slice', start, size: sizes[d]! })))(ref)
      : refuse(
          'ref.rank',
          `Expected as many starts as sizes, found ${showShape(starts)} and ${showShape(sizes)}`,
        )

/** One index of the leading dimension, which is dropped. */
export const slot =
  (index: number) =>
  (ref: TransformedRef): E.Either<Failure<IndexError>, TransformedRef> =>
    at(
      ref.shape.length === 0
        ? [{ _tag: 'at', index }]
        : ref.shape.map((size, d): Indexer =>
            d === 0 ? { _tag: 'at', index } : { _tag: 'slice', start: 0, size },
          ),
    )(ref)

/** A leading dimension of `count` copies, `strideBytes` apart (one right after the other if not given). */
export const batch =
  (count: number, strideBytes?: number) =>
  (ref: TransformedRef): E.Either<Failure<BatchError>, TransformedRef> => {
    if (!isExtent(count))
      return refuse('ref.shape', `Expected a positive number of slots, found ${String(count)}`)
    const stride = ((strideBytes ?? extentBytes(ref)) * 8) / strideBits(ref.bits)
    return Number.isSafeInteger(stride) && stride >= 0
      ? E.right(
          ofChains([[{ size: count, stride }], ...chainsOf(ref)], ref.bits, ref.byteOffset, ref.swizzle),
        )
      : refuse(
          'ref.sub-byte',
          `Slots must be a whole number of ${String(ref.bits)}-bit elements apart, found ${String(strideBytes)} bytes`,
        )
  }

// ------------------------------------------------------------------------- combinators: transpose, reshape

/**
 * A view with permuted dimensions. The bytes stay where they are, so a cut and swizzled ref can be transposed
 * (its tile is permuted too); `hasSwizzledMinor` tells whether the result still ends in the swizzled dimension,
 * as everything but an MMA operand needs.
 */
export const transpose =
  (p: ReadonlyArray<number>) =>
  (ref: TransformedRef): E.Either<Failure<TransposeError>, TransformedRef> => {
    const rank = ref.shape.length
    if (p.length !== rank || !isPermutation(p))
      return refuse(
        'ref.not-a-permutation',
        `Expected a permutation of the ${String(rank)} dimensions of ${showShape(ref.shape)}, found ${showShape(p)}`,
      )
    const cut = ref.tiling[0]?.length ?? 0
    if (p.slice(rank - cut).some((d) => d < rank - cut))
      return refuse(
        'ref.transpose-tiled',
        `Transpose ${showShape(p)} cannot be moved before a tiling transform: the last ${String(cut)} dimensions are tiled by ${showShape(ref.tiling[0] ?? [])} and may only change places with each other`,
      )
    if (isSwizzled(ref) && cut === 0 && p[rank - 1] !== rank - 1)
      return refuse(
        'ref.transpose-swizzled',
        `Can't transpose the swizzled dimension: ${showShape(p)} moves the last dimension of ${showShape(ref.shape)}`,
      )
    return E.right(ofChains(permute(p)(chainsOf(ref)), ref.bits, ref.byteOffset, ref.swizzle))
  }

/** The longest prefix of extents, from `from` on, whose product is exactly `target`; unit extents are taken in. */
const foldEnd = (shape: Shape, from: number, target: number, last: boolean): number | null => {
  let product = 1
  let end = from
  while (end < shape.length && (product < target || end === from)) product *= shape[end++]!
  while (last && end < shape.length && shape[end] === 1) end++
  return product === target ? end : null
}

/**
 * Folds neighbouring dimensions into one. Errors: a shape that splits a dimension, a folded major dimension whose
 * tile is not 1, parts that do not follow one another in memory, a fold into the swizzled dimension.
 */
export const reshape =
  (shape: Shape) =>
  (ref: TransformedRef): E.Either<Failure<ReshapeError>, TransformedRef> => {
    const chains = chainsOf(ref)
    const folded: ReadonlyArray<Mode>[] = []
    let from = 0
    for (let d = 0; d < shape.length; d++) {
      const end = foldEnd(ref.shape, from, shape[d]!, d === shape.length - 1)
      if (end === null || end === from)
        return refuse(
          'ref.reshape-unfold',
          `Only folding is possible: ${showShape(shape)} is not ${showShape(ref.shape)} with neighbouring dimensions merged`,
        )
      if (
        isSwizzled(ref) &&
        ref.tiling.length === 0 &&
        end === ref.shape.length &&
        ref.shape.slice(from, end - 1).some((n) => n !== 1)
      )
        return refuse(
          'ref.reshape-swizzled',
          `The swizzled last dimension of ${showShape(ref.shape)} cannot be folded into another one`,
        )
      let chain = chains[end - 1]!
      for (let k = end - 2; k >= from; k--) {
        const major = chains[k]!
        if (productFrom(major, 1) !== 1)
          return refuse(
            'ref.reshape-tiled',
            `Dimension ${String(k)} of ${showShape(ref.shape)} is tiled by ${String(productFrom(major, 1))}: only the minormost of the folded dimensions may be tiled`,
          )
        const minor = chain[0]!
        const merged = merge(major[0]!, minor)
        if (merged === null)
          return refuse(
            'ref.reshape-strided',
            `Dimensions ${String(k)} and ${String(k + 1)} of ${showShape(ref.shape)} do not follow one another in memory: strides ${String(major[0]!.stride)} and ${String(minor.stride)} for ${String(minor.size)} steps`,
          )
        chain = [merged, ...chain.slice(1)]
      }
      folded.push(chain)
      from = end
    }
    return from === ref.shape.length
      ? E.right(ofChains(folded, ref.bits, ref.byteOffset, ref.swizzle))
      : refuse(
          'ref.reshape-unfold',
          `A reshape keeps the number of elements: ${showShape(ref.shape)} has more than ${showShape(shape)}`,
        )
  }

const merge = (major: Mode, minor: Mode): Mode | null => {
  if (major.size === 1) return minor
  if (minor.size === 1) return major
  return major.stride === minor.size * minor.stride
    ? { size: major.size * minor.size, stride: minor.stride }
    : null
}

/** Is the minor physical dimension still the swizzled one: dense, and as long as the span? True without a swizzle. */
export const hasSwizzledMinor = (ref: TransformedRef): boolean => {
  if (!isSwizzled(ref)) return true
  const extents = tiledShape(ref)
  const minor = extents.length - 1
  return extents[minor] === swizzleElements(ref.swizzle, ref.bits) && ref.strides[minor] === unitOf(ref.bits)
}

// --------------------------------------------------------------------------------- combinators: addresses

// Loops over elements are functions of their own, of arrays and numbers alone: in a process that has just begun, compiling what is
// around such a loop takes longer than the loop.

/** From each of the offsets `size` of them, `stride` apart: the next smaller mode. */
const refined = (offsets: Int32Array, size: number, stride: number): Int32Array => {
  const count = offsets.length
  const finer = new Int32Array(count * size)
  for (let i = 0, at = 0; i < count; i++)
    for (let k = 0, offset = offsets[i]!; k < size; k++, offset += stride) finer[at++] = offset
  return finer
}

/** `from` plus the offset of every element of these modes, major to minor, in units of their strides times `unit`. */
const offsetsOver = (modes: ReadonlyArray<Mode>, from: number, unit: number): Int32Array =>
  modes.reduce<Int32Array>(
    (offsets, { size, stride }) => (size === 1 ? offsets : refined(offsets, size, stride * unit)),
    Int32Array.of(from),
  )

/** Offset of every element in units of its strides, row-major over the logical shape, without `byteOffset`. */
export const elementOffsets = (ref: TransformedRef): Int32Array => offsetsOver(chainsOf(ref).flat(), 0, 1)

/** Do the elements lie behind one another, row-major? Exactly if `elementOffsets` counts from 0, element by element. */
export const isRowMajor = (ref: TransformedRef): boolean => {
  let next = unitOf(ref.bits)
  return chainsOf(ref)
    .flat()
    .every((_, k, modes) => {
      const { size, stride } = modes[modes.length - 1 - k]!
      const isNext = size === 1 || stride === next
      next *= size
      return isNext
    })
}

/** Where every element lies, before the swizzle, when the ref's base is at this address. */
const linearAddresses = (ref: TransformedRef, baseAddress: number): Int32Array => {
  const first = baseAddress + ref.byteOffset
  if (ref.bits % 8 === 0) return offsetsOver(chainsOf(ref).flat(), first, ref.bits / 8)
  const offsets = elementOffsets(ref)
  const unit = strideBits(ref.bits)
  for (let i = 0; i < offsets.length; i++) offsets[i] = first + Math.floor((offsets[i]! * unit) / 8)
  return offsets
}

/** Byte of every element, row-major over the logical shape, relative to the base and before the swizzle. */
export const byteOffsets = (ref: TransformedRef): Int32Array => linearAddresses(ref, 0)

/** Where every element lies when the ref's base is at this absolute shared-memory address. */
export const swizzledAddresses = (ref: TransformedRef, baseAddress: number): Int32Array => {
  const addresses = linearAddresses(ref, baseAddress)
  return isSwizzled(ref) ? swizzleAddresses(ref.swizzle, addresses) : addresses
}

/** Address of one element. The index must be inside the shape. */
export const addressOf = (ref: TransformedRef, baseAddress: number, index: Index): number => {
  const offset = chainsOf(ref).reduce((sum, chain, d) => {
    let rest = index[d]!
    let along = 0
    for (let level = chain.length - 1; level >= 0; level--) {
      const { size, stride } = chain[level]!
      along += (rest % size) * stride
      rest = Math.floor(rest / size)
    }
    return sum + along
  }, 0)
  return swizzleAddress(ref.swizzle)(
    baseAddress + ref.byteOffset + Math.floor((offset * strideBits(ref.bits)) / 8),
  )
}

/** A run of bytes: first address and length. */
export type Span = readonly [start: number, length: number]

/** Sorted, disjoint, and with a gap between neighbours. */
export const mergeSpans = (unsorted: ReadonlyArray<Span>): ReadonlyArray<Span> => {
  const sorted = [...unsorted].sort((a, b) => a[0] - b[0])
  const merged: (readonly [number, number])[] = []
  for (const [start, length] of sorted) {
    const last = merged[merged.length - 1]
    if (last !== undefined && start <= last[0] + last[1])
      merged[merged.length - 1] = [last[0], Math.max(last[1], start + length - last[0])]
    else merged.push([start, length])
  }
  return merged
}

/** Bytes touched before the swizzle. Dimensions that continue the run of the smaller ones are absorbed, the others counted out. */
const linearSpans = (ref: TransformedRef, baseAddress: number): ReadonlyArray<Span> => {
  const modes = chainsOf(ref)
    .flat()
    .sort((a, b) => a.stride - b.stride)
  let run = unitOf(ref.bits)
  let absorbed = 0
  while (absorbed < modes.length && modes[absorbed]!.stride <= run) {
    run += modes[absorbed]!.stride * (modes[absorbed]!.size - 1)
    absorbed++
  }
  const starts = offsetsOver(modes.slice(absorbed).reverse(), 0, 1)
  const unit = strideBits(ref.bits)
  const spans: Span[] = []
  for (const start of starts) {
    const firstBit = start * unit
    const first = Math.floor(firstBit / 8)
    spans.push([baseAddress + ref.byteOffset + first, Math.ceil((firstBit + run * unit) / 8) - first])
  }
  return mergeSpans(spans)
}

/**
 * The bytes touched when the base is at this address: sorted, disjoint, maximal runs. The swizzle exchanges 16-byte
 * chunks inside aligned blocks of its span, so whole blocks stay and only the ragged ends are followed chunk by chunk.
 */
export const spans = (ref: TransformedRef, baseAddress: number): ReadonlyArray<Span> => {
  const linear = linearSpans(ref, baseAddress)
  if (!isSwizzled(ref)) return linear
  const block = ref.swizzle
  const swizzled = swizzleAddress(ref.swizzle)
  const moved: Span[] = []
  const chunks = (from: number, to: number): void => {
    for (let a = from; a < to;) {
      const next = Math.min(to, a - (a % 16) + 16)
      moved.push([swizzled(a), next - a])
      a = next
    }
  }
  for (const [start, length] of linear) {
    const end = start + length
    const firstWhole = Math.ceil(start / block) * block
    const lastWhole = Math.floor(end / block) * block
    if (firstWhole >= lastWhole) chunks(start, end)
    else {
      chunks(start, firstWhole)
      moved.push([firstWhole, lastWhole - firstWhole])
      chunks(lastWhole, end)
    }
  }
  return mergeSpans(moved)
}

// ------------------------------------------------------------------------------------------- instances

/** Equal as data, hence as functions. */
export const sameRef = (a: TransformedRef, b: TransformedRef): boolean =>
  a === b ||
  (a.bits === b.bits &&
    a.byteOffset === b.byteOffset &&
    a.swizzle === b.swizzle &&
    sameShape(a.shape, b.shape) &&
    sameTiling(a.tiling, b.tiling) &&
    sameShape(a.strides, b.strides))
