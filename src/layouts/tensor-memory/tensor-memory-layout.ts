/**
 * Layouts of tensor memory: which lane, column and part of the 32-bit column holds an element of a matrix.
 *
 * Most are tiled layouts read another way: what hands a dimension to the 4 warps hands it to the 4 quarters of 32 lanes, lanes of a warp are lanes of a
 * quarter, and what counts registers counts columns. A vector fills one column; one of fewer bits than 32 leaves the upper bits unused.
 *
 *     default(1) on (128, 64)         element [i, j]: lane i, column j
 *     default(2) on (128, 64)         lane i, column j div 2, part j mod 2: two 16-bit elements share a column
 *     half_lane(64, 1) on (64, 64)    lane 32 (i div 16) + 16 (j div 32) + i mod 16, column j mod 32
 *     m64_collective(64, 1)           lane 64 (j div 32) + i, column j mod 32
 *     scales on (256, 8)              lanes i mod 32 of every quarter, column 8 (k div 4) + 4 (i div 128) + (i mod 128) div 32, part k mod 4
 *
 * | kind                    | base tile | copies | what for                                                        |
 * |-------------------------|-----------|--------|-----------------------------------------------------------------|
 * | default                 | (128, p)  | 1      | accumulators of 128 rows; of 256 rows of a pair of CTAs         |
 * | half-lane               | (64, c)   | 1      | accumulators of 64 rows                                         |
 * | m64-collective          | (64, c)   | 1      | accumulators of 128 rows of a pair of CTAs                      |
 * | scales                  | (128, 4)  | 4      | block scales                                                    |
 * | b-scales-m64-collective | (256, 4)  | 2      | block scales of B for a pair with 128 rows of A                 |
 * | sparse-metadata         | (128, 16) | 1      | which elements of a sparse A are stored; 2 bits each            |
 *
 * Scales are written by a copy that runs along the rows first, so beyond 128 rows by 4 columns their columns are not in the row-major order that the tiled
 * layout gives. The tiled layout of the B scales of a pair names the first half of the rows in quarters 0 and 2; the copy (64 rows, to warps 0 and 1, and to 2 and
 * 3) and the accumulator put it in quarters 0 and 1. Both tiled layouts serve for equality; `place` follows the copies. That the chip does
 * likewise is documented, not measured. The tag of sparse metadata says nothing of their places, either: a copy puts line i of 64 numbers into lane i, and which
 * row's they are is the matter of the product (`sparsity.ts`). Nothing loads them into registers.
 *
 * Names: Pallas `plgpu.TMEMLayout`, Mosaic GPU `TMEMLayout`; Triton `tensor_memory_encoding` (blockM 128, blockM 64, two CTAs) and
 * `tensor_memory_scales_encoding`; CuTe `tmem_frg` and `tmem_sf_frg`.
 *
 * Laws
 * 1. Partition: every element is in exactly `replication` places, every place (lane, column below `columnsOf`, part below `vectorLength`) holds one.
 * 2. `elementAt` and `places` are inverse.
 * 3. `positionTable` lists `elementAt` by lane, column, part.
 * 4. `columnsOf` = elements * copies / 128 / vector length.
 * 5. A slice of columns is the same array, its columns counted from `sliceColumns`.
 * 6. `parseTensorMemoryName(showTensorMemoryLayout(l)) = l`.
 *
 * Source: JAX docs, Pallas:MGPU reference (tensor memory); PTX ISA, tcgen05 data paths; CUTLASS's CuTe layouts of tensor memory.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../failure.js'
import { refuse, unreachable } from '../../failure.js'
import { didYouMean } from '../../nearest.js'
import type { Indexer } from '../../transforms/ref.js'
import type { Index, Shape } from '../../transforms/shape.js'
import { showShape, sizeOf } from '../../transforms/shape.js'
import type { NameSyntaxError } from '../name-syntax.js'
import { parseCall } from '../name-syntax.js'
import type { TiledLayout, TiledSpec } from '../tiled.js'
import * as Tiled from '../tiled.js'
import type { Cell } from './geometry.js'
import { tmemColumnBits, tmemLanes } from './geometry.js'

// ---------------------------------------------------------------------------------------------- model

export type TensorMemoryKind =
  'default' | 'half-lane' | 'm64-collective' | 'scales' | 'b-scales-m64-collective' | 'sparse-metadata'

declare const legalTensorMemoryLayout: unique symbol

/** Plain data at run time; only the constructors and `isTensorMemoryLayout` make one. */
export interface TensorMemoryLayout {
  readonly _tag: 'tensor-memory'
  readonly kind: TensorMemoryKind
  /** As a tiled layout: equality, base tile and vector length are its. */
  readonly tiled: TiledLayout
  readonly [legalTensorMemoryLayout]: true
}

/** A cell, and which of the elements in its 32 bits: part 0 is the lowest bits. */
export interface TmemPlace extends Cell {
  readonly part: number
}

export type ConstructError = 'tmem.columns' | 'tmem.packing'
export type TypeError = 'layout.shape' | 'tmem.rank' | 'tmem.packing' | 'tmem.rows'
export type InferError = ConstructError | 'tmem.rank' | 'tmem.rows' | 'tmem.packed-unsaid'
export type SliceError = 'tmem.rank' | 'tmem.slice-index' | 'tmem.slice-rows' | 'tmem.slice-columns'
export type TensorMemoryNameError = NameSyntaxError | ConstructError | 'name.unknown' | 'name.arguments'

// ---------------------------------------------------------------------------------------- constructors

type Built = E.Either<Failure<ConstructError>, TensorMemoryLayout>

const packings: ReadonlyArray<number> = [1, 2, 4, 8]

const canonical = (spec: TiledSpec): TiledLayout =>
  pipe(
    Tiled.canonicalize(spec),
    E.getOrElseW((why) => unreachable(why.message)),
  )

/** What a kind with these columns and packing looks like. */
const tiledOf = (kind: TensorMemoryKind, columns: number, packing: number): TiledLayout => {
  switch (kind) {
    case 'default':
      return canonical({
        tiling: [
          [128, packing],
          [32, packing],
        ],
        warpDims: [-4],
        laneDims: [-2],
        vectorDim: -1,
      })
    case 'half-lane':
      return canonical({
        tiling: [[64, columns], [16, columns / 2], [packing]],
        warpDims: [-5],
        laneDims: [-4, -3],
        vectorDim: -1,
      })
    case 'm64-collective':
      return canonical({
        tiling: [[64, columns], [32, columns / 2], [packing]],
        warpDims: [-4, -5],
        laneDims: [-3],
        vectorDim: -1,
      })
    case 'scales':
      return canonical({
        tiling: [
          [128, 4],
          [32, 1],
        ],
        warpDims: [Tiled.replicated(4)],
        laneDims: [-2],
        vectorDim: -3,
      })
    case 'b-scales-m64-collective':
      return canonical({
        tiling: [
          [256, 4],
          [128, 4],
          [32, 4],
        ],
        warpDims: [Tiled.replicated(2), -6],
        laneDims: [-2],
        vectorDim: -1,
      })
    case 'sparse-metadata':
      return canonical({
        tiling: [
          [128, 16],
          [32, 1],
          [16, 1],
          [8, 1],
        ],
        warpDims: [-8],
        laneDims: [-2, -4, -6],
        vectorDim: -7,
      })
    default:
      return unreachable(kind)
  }
}

const hasParameters = (kind: TensorMemoryKind): boolean =>
  kind === 'default' || kind === 'half-lane' || kind === 'm64-collective'

/** Is this data one of the layouts of tensor memory? */
export const isTensorMemoryLayout = (data: {
  readonly _tag: 'tensor-memory'
  readonly kind: TensorMemoryKind
  readonly tiled: TiledLayout
}): data is TensorMemoryLayout => {
  const columns = Tiled.baseTileShape(data.tiled)[1] ?? 0
  const packing = Tiled.vectorLength(data.tiled)
  const illegal = !packings.includes(packing) || (data.kind !== 'default' && columns % 16 !== 0)
  if (hasParameters(data.kind) && illegal) return false
  return Tiled.sameTiledLayout(tiledOf(data.kind, columns, packing), data.tiled)
}

const make = (kind: TensorMemoryKind, columns: number, packing: number): Built => {
  if (!packings.includes(packing))
    return refuse(
      'tmem.packing',
      `A ${kind} layout of tensor memory packs 1, 2, 4 or 8 elements into a column, found ${String(packing)}`,
    )
  if (!(Number.isSafeInteger(columns) && columns > 0 && columns % 16 === 0))
    return refuse(
      'tmem.columns',
      `A ${kind} layout of tensor memory has a positive multiple of 16 columns, found ${String(columns)}`,
    )
  return legal(kind, columns, packing)
}

const legal = (
  kind: TensorMemoryKind,
  columns: number,
  packing: number,
): E.Either<never, TensorMemoryLayout> => {
  const data = { _tag: 'tensor-memory' as const, kind, tiled: tiledOf(kind, columns, packing) }
  return isTensorMemoryLayout(data) ? E.right(data) : unreachable(`an invalid ${kind} layout`)
}

const constant = (kind: TensorMemoryKind): TensorMemoryLayout => E.toUnion(legal(kind, 16, 1))

/** 128 rows, a lane each; `packing` elements a column. */
export const defaultLayout = (packing: number): Built => make('default', 16, packing)

/** 64 rows of `columns` elements: lanes 0 to 15 of each quarter hold the left half, lanes 16 to 31 the right half. */
export const halfLane = (columns: number, packing: number): Built => make('half-lane', columns, packing)

/** 64 rows of `columns` elements: quarters 0 and 1 hold the left half, 2 and 3 the right half. */
export const m64Collective = (columns: number, packing: number): Built =>
  make('m64-collective', columns, packing)

export const scales: TensorMemoryLayout = constant('scales')

export const bScalesM64Collective: TensorMemoryLayout = constant('b-scales-m64-collective')

export const sparseMetadata: TensorMemoryLayout = constant('sparse-metadata')

/** The shape of an array with leading dimensions as the matrix that it is in tensor memory: (..., m, n) is (m, ... n). */
export const collapseBatch = (shape: Shape): E.Either<Failure<'tmem.rank'>, Shape> =>
  shape.length < 2
    ? refuse('tmem.rank', `An array in tensor memory has two dimensions or more, found ${showShape(shape)}`)
    : E.right([shape[shape.length - 2]!, sizeOf(shape.slice(0, shape.length - 2)) * shape[shape.length - 1]!])

/**
 * The layout of an array of which no more is said than its rows. `packed` may be left out for 32-bit elements only.
 */
export const inferLayout = (
  shape: Shape,
  bits: number,
  options: { readonly packed?: boolean; readonly collective: boolean },
): E.Either<Failure<InferError>, TensorMemoryLayout> => {
  const { packed, collective } = options
  if (packed === undefined && bits !== tmemColumnBits)
    return refuse(
      'tmem.packed-unsaid',
      `Elements of ${String(bits)} bits in tensor memory: say whether they are packed, or give a layout`,
    )
  if (bits > tmemColumnBits)
    return refuse('tmem.packing', `A column of tensor memory has 32 bits, found elements of ${String(bits)}`)
  const packing = packed === true ? tmemColumnBits / bits : 1
  return pipe(
    collapseBatch(shape),
    E.chainW(([rows, columns]): E.Either<Failure<InferError>, TensorMemoryLayout> => {
      if (columns! % packing !== 0)
        return refuse(
          'tmem.packing',
          `Dimension ${String(shape.length - 1)}: ${String(columns)} elements of a row must be a multiple of the packing ${String(packing)}`,
        )
      switch (rows) {
        case 128:
          return defaultLayout(packing)
        case 64:
          return collective ? m64Collective(columns!, packing) : halfLane(columns!, packing)
        default:
          return refuse(
            'tmem.rows',
            `Dimension ${String(shape.length - 2)}: an array in tensor memory has 64 or 128 rows unless a layout is given, found ${String(rows)}`,
          )
      }
    }),
  )
}

// ----------------------------------------------------------------------------------------- destructors

/** Elements in one column of a lane. */
export const vectorLength = (layout: TensorMemoryLayout): number => Tiled.vectorLength(layout.tiled)

/** In how many places every element is held. */
export const replication = (layout: TensorMemoryLayout): number => Tiled.replication(layout.tiled)

/** Equal as data: the kind follows from the tiled layout. */
export const sameTensorMemoryLayout = (a: TensorMemoryLayout, b: TensorMemoryLayout): boolean =>
  Tiled.sameTiledLayout(a.tiled, b.tiled)

/** Do elements of `bits` bits go into the columns? One to a column, or as many as fill it. */
export const checkPacking = (
  layout: TensorMemoryLayout,
  bits: number,
): E.Either<Failure<'tmem.packing'>, TensorMemoryLayout> => {
  const length = vectorLength(layout)
  return (length === 1 ? bits <= tmemColumnBits : length * bits === tmemColumnBits)
    ? E.right(layout)
    : refuse(
        'tmem.packing',
        `${showTensorMemoryLayout(layout)} puts ${String(length)} of its elements into a column of 32 bits, found elements of ${String(bits)} bits`,
      )
}

/** May an array of this shape with elements of `bits` bits have the layout? Everything below assumes so, but for the bits. */
export const checkType = (
  layout: TensorMemoryLayout,
  shape: Shape,
  bits: number,
): E.Either<Failure<TypeError>, Shape> => {
  if (shape.length !== 2)
    return refuse(
      'tmem.rank',
      `A layout of tensor memory is of matrices, found the shape ${showShape(shape)}`,
    )
  if (layout.kind === 'b-scales-m64-collective' && shape[0] !== 256)
    return refuse(
      'tmem.rows',
      `Dimension 0: the scales of a pair's B have 256 rows, found ${String(shape[0])}`,
    )
  return pipe(
    checkPacking(layout, bits),
    E.chainW(() => Tiled.checkShape(layout.tiled, shape)),
  )
}

/** Columns that an array takes. */
export const columnsOf = (layout: TensorMemoryLayout, shape: Shape): number =>
  (sizeOf(shape) * replication(layout)) / tmemLanes / vectorLength(layout)

/** Blocks of 128 rows that lie beside each other in the columns of scales. */
const blocksOf = (layout: TensorMemoryLayout, rows: number): number =>
  layout.kind === 'scales' ? rows / 128 : 1

/** Lines of metadata are packed like rows of data: the tag of metadata is compared, and places nothing. */
const lines: TiledLayout = tiledOf('default', 16, 16)
const placedBy = (layout: TensorMemoryLayout): TiledLayout =>
  layout.kind === 'sparse-metadata' ? lines : layout.tiled

/** Every place of an element, by lane. */
export const places = (
  layout: TensorMemoryLayout,
  shape: Shape,
  element: Index,
): ReadonlyArray<TmemPlace> => {
  if (layout.kind !== 'scales' && layout.kind !== 'b-scales-m64-collective')
    return Tiled.ownersOf(placedBy(layout), shape, element).map(({ warp, lane, register, vector }) => ({
      lane: 32 * warp + lane,
      column: register,
      part: vector,
    }))
  const [row, k] = [element[0]!, element[1]!]
  const blocks = blocksOf(layout, shape[0]!)
  const block = Math.floor(row / 128)
  const column = 4 * (blocks * Math.floor(k / 4) + (block % blocks)) + Math.floor((row % 128) / 32)
  const quarters = layout.kind === 'scales' ? [0, 1, 2, 3] : [2 * block, 2 * block + 1]
  return quarters.map((quarter) => ({ lane: 32 * quarter + (row % 32), column, part: k % 4 }))
}

/** The element in a place. */
export const elementAt = (layout: TensorMemoryLayout, shape: Shape, place: TmemPlace): Index => {
  const { lane, column, part } = place
  if (layout.kind !== 'scales' && layout.kind !== 'b-scales-m64-collective')
    return Tiled.elementAt(placedBy(layout), shape, {
      warp: Math.floor(lane / 32),
      lane: lane % 32,
      register: column,
      vector: part,
    })
  const blocks = blocksOf(layout, shape[0]!)
  const chunk = Math.floor(column / 4)
  const block = layout.kind === 'scales' ? chunk % blocks : Math.floor(lane / 64)
  return [128 * block + 32 * (column % 4) + (lane % 32), 4 * Math.floor(chunk / blocks) + part]
}

/** Row-major positions of all elements, by lane, then column, then part. */
export const positionTable = (layout: TensorMemoryLayout, shape: Shape): Int32Array => {
  if (layout.kind !== 'scales' && layout.kind !== 'b-scales-m64-collective')
    return Tiled.positionTable(placedBy(layout), shape)
  const columns = columnsOf(layout, shape)
  return Int32Array.from({ length: tmemLanes * columns * 4 }, (_, at) => {
    const [row, k] = elementAt(layout, shape, {
      lane: Math.floor(at / (columns * 4)),
      column: Math.floor(at / 4) % columns,
      part: at % 4,
    })
    return row! * shape[1]! + k!
  })
}

// ----------------------------------------------------------------------------------------- combinators

export interface TensorMemorySlice {
  readonly shape: Shape
  /** First column of the slice, counted from that of the array. */
  readonly column: number
}

/**
 * A slice of an array in tensor memory. All rows must stay, an index is refused, and columns are cut at multiples of the
 * base tile: for the layouts whose base tile spans all columns only the whole is left.
 */
export const sliceColumns = (
  layout: TensorMemoryLayout,
  shape: Shape,
  indexers: ReadonlyArray<Indexer>,
): E.Either<Failure<SliceError>, TensorMemorySlice> => {
  const [rows, columns, ...more] = indexers
  if (rows === undefined || columns === undefined || more.length > 0)
    return refuse('tmem.rank', `A slice of tensor memory needs 2 indexers, found ${String(indexers.length)}`)
  if (rows._tag === 'at' || columns._tag === 'at')
    return refuse(
      'tmem.slice-index',
      `Dimension ${rows._tag === 'at' ? '0' : '1'}: tensor memory can only be sliced, found an index`,
    )
  const whole = (k: 0 | 1): boolean => {
    const { start, size, step } = k === 0 ? rows : columns
    return start === 0 && size === shape[k]! && (step ?? 1) === 1
  }
  if (!whole(0))
    return refuse(
      'tmem.slice-rows',
      `Dimension 0: the rows of tensor memory cannot be sliced, found ${String(rows.size)} from ${String(rows.start)}`,
    )
  const [tileRows, tileColumns] = [layout.tiled.tiling[0]![0]!, layout.tiled.tiling[0]![1]!]
  const { start, size, step = 1 } = columns
  const aligned =
    step === 1 &&
    size > 0 &&
    start >= 0 &&
    start + size <= shape[1]! &&
    start % tileColumns === 0 &&
    size % tileColumns === 0
  if (!aligned)
    return refuse(
      'tmem.slice-columns',
      `Dimension 1: a slice of ${showTensorMemoryLayout(layout)} lies inside the ${String(shape[1])} columns, starts at a multiple of ${String(tileColumns)} and has a multiple of it, found ${String(size)} from ${String(start)} in steps of ${String(step)}`,
    )
  if (!whole(1) && shape[0] !== tileRows && layout.kind !== 'scales')
    return refuse(
      'tmem.slice-columns',
      `Dimension 1: with ${String(shape[0])} rows of ${String(tileRows)} at a time the columns of a slice are not contiguous`,
    )
  return E.right({
    shape: [shape[0]!, size],
    column: (start / tileColumns) * columnsOf(layout, [shape[0]!, tileColumns]),
  })
}

// ------------------------------------------------------------------------------------------- instances

interface TensorMemoryFamily {
  readonly name: string
  readonly parameters: ReadonlyArray<string>
  readonly kind: TensorMemoryKind
  readonly make: (args: ReadonlyArray<number>) => Built
}

/** Every name, with its parameters. */
export const tensorMemoryFamilies: ReadonlyArray<TensorMemoryFamily> = [
  { name: 'DEFAULT', parameters: ['packing'], kind: 'default', make: ([p]) => defaultLayout(p!) },
  {
    name: 'HALF_LANE',
    parameters: ['columns', 'packing'],
    kind: 'half-lane',
    make: ([columns, p]) => halfLane(columns!, p!),
  },
  {
    name: 'M64_COLLECTIVE',
    parameters: ['columns', 'packing'],
    kind: 'm64-collective',
    make: ([columns, p]) => m64Collective(columns!, p!),
  },
  { name: 'SCALES', parameters: [], kind: 'scales', make: () => E.right(scales) },
  {
    name: 'B_SCALES_M64_COLLECTIVE',
    parameters: [],
    kind: 'b-scales-m64-collective',
    make: () => E.right(bScalesM64Collective),
  },
  { name: 'SPARSE_METADATA', parameters: [], kind: 'sparse-metadata', make: () => E.right(sparseMetadata) },
]

/** `HALF_LANE(64, 1)`. */
export const showTensorMemoryLayout = (layout: TensorMemoryLayout): string => {
  const { name, parameters } = tensorMemoryFamilies.find(({ kind }) => kind === layout.kind)!
  const values: Readonly<Record<string, number>> = {
    columns: Tiled.baseTileShape(layout.tiled)[1]!,
    packing: vectorLength(layout),
  }
  return parameters.length === 0 ? name : `${name}(${parameters.map((p) => String(values[p])).join(', ')})`
}

/** The layout of tensor memory that the text names. */
export const parseTensorMemoryName = (
  text: string,
): E.Either<Failure<TensorMemoryNameError>, TensorMemoryLayout> =>
  pipe(
    parseCall(text),
    E.chainW((call): E.Either<Failure<TensorMemoryNameError>, TensorMemoryLayout> => {
      const family = tensorMemoryFamilies.find(({ name }) => name === call.name)
      if (family === undefined)
        return refuse(
          'name.unknown',
          `There is no layout of tensor memory named ${call.name}; ${didYouMean(tensorMemoryFamilies.map(({ name }) => name))(call.name)}`,
        )
      const args = call.arguments.flatMap((a) => (typeof a === 'number' ? [a] : []))
      return call.methods.length === 0 &&
        args.length === call.arguments.length &&
        args.length === family.parameters.length
        ? family.make(args)
        : refuse(
            'name.arguments',
            `${family.name}: expected ${family.parameters.length === 0 ? 'no arguments' : `(${family.parameters.join(', ')})`}, found ${JSON.stringify(text)}`,
          )
    }),
  )
