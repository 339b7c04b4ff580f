/**
 * Tiled layouts: which lane of which warp holds an element of a tile in registers.
 *
 * Cut an array by a tiling. Some of the tiled dimensions of the base tile are handed to the 4 warps, some to the 32 lanes
 * of a warp, one is the position inside a register ("vector"), and all that is left counts the registers, row-major.
 * So one lane holds a register file `tiled shape with warp, lane and vector dimensions set to 1`, each register of which
 * has `vector` elements. A warp or lane entry may also be `Replicated(n)`: n of them hold the same elements.
 *
 *     WGMMA = tiling (64, 8)(16, 8)(8, 8)(2), warps -7, lanes -3 and -2, vector -1
 *     array (64, 16)  ->  tiled (1, 2 | 4, 1, 2, 1, 8, 4, 2)       dimensions -7..-1 after the bar
 *                                     warp       lanes  vector      registers (1, 2, 1, 1, 2, 1, 1, 1, 1)
 *     element [i, j]: warp i div 16, lane 4 (i mod 8) + (j mod 8) div 2, register 2 (j div 8) + (i mod 16) div 8, vector j mod 2
 *     warp 0, lane 0 holds (0,0)(0,1) (8,0)(8,1) (0,8)(0,9) (8,8)(8,9)
 *
 * Names: Mosaic GPU `TiledLayout`, `plgpu.Layout.WGMMA` and its kin; in Triton the same functions are linear layouts
 * (`nvidia_mma` v3); CuTe calls them TV layouts.
 *
 * Laws
 * 1. Partition: every element of the array is held by exactly `replication` (warp, lane, register, vector) places, and every place holds an element.
 * 2. `elementAt` and `ownersOf` are inverse: p is among ownersOf(e) exactly when elementAt(p) = e.
 * 3. `canonicalize` is idempotent.
 * 4. `canonicalize` keeps the function (warp, lane, register, vector) -> element.
 * 5. `positionTable` lists the row-major positions of `elementAt`.
 * 6. `reduce(axes)` projects: lane (w, l) of the reduced layout holds exactly the coordinates, without those axes, of what it held before.
 * 7. Broadcasting back moves nothing: register r of a lane of the whole takes register `broadcastRegisters[r]` of the same lane of the reduced array.
 * 8. A slice moves nothing: register r of a lane of the slice is register `registers[r]` of the same lane of the array.
 *
 * Source: JAX docs, Pallas:MGPU reference (layouts), and Mosaic GPU's definition of tiled fragmented arrays.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../failure.js'
import { refuse, unreachable } from '../failure.js'
import type { Index, Shape } from '../transforms/shape.js'
import {
  isExtent,
  ravel,
  rowMajorStrides,
  sameShape,
  showShape,
  sizeOf,
  unravel,
} from '../transforms/shape.js'
import type { Tile, TileShapeError, Tiling, TilingError } from '../transforms/tile.js'
import {
  canonicalTiling,
  isTiling,
  sameTiling,
  showTiling,
  tileIndex,
  tileShape,
  tileStrides,
  tiling,
  untileIndex,
} from '../transforms/tile.js'

// ---------------------------------------------------------------------------------------------- model

/** The size of a warpgroup: tiled layouts speak of one. */
export const warpsPerWarpgroup = 4
export const lanesPerWarp = 32

/** A share of the warps or lanes that all hold the same elements. */
export interface Replicated {
  readonly _tag: 'Replicated'
  readonly times: number
}

/** A dimension of the tiled base tile, counted from the end (-1 is the last), or a replication. */
export type Partitioned = number | Replicated

/** A tiled layout that is not checked yet. */
export interface TiledSpec {
  readonly tiling: ReadonlyArray<Tile>
  /** Major to minor. */
  readonly warpDims: ReadonlyArray<Partitioned>
  /** Major to minor. */
  readonly laneDims: ReadonlyArray<Partitioned>
  readonly vectorDim: number
}

declare const legalTiledLayout: unique symbol

/** Only `tiledLayout` and `isTiledLayout` make one. Plain data at run time. */
export interface TiledLayout {
  readonly _tag: 'tiled'
  readonly tiling: Tiling
  readonly warpDims: ReadonlyArray<Partitioned>
  readonly laneDims: ReadonlyArray<Partitioned>
  readonly vectorDim: number
  readonly [legalTiledLayout]: true
}

/** Where a lane keeps an element: which of its registers, and at which position inside it. */
export interface TiledPlace {
  readonly warp: number
  readonly lane: number
  readonly register: number
  readonly vector: number
}

export type TiledLayoutError =
  | TilingError
  | TileShapeError
  | 'tiled.dimension-range'
  | 'tiled.dimension-duplicate'
  | 'tiled.warps'
  | 'tiled.lanes'
  | 'tiled.replication'
  | 'tiled.not-canonical'

export type ShapeError = 'layout.shape'
export type ReduceError = TiledLayoutError | 'tiled.reduce-axis'
export type SliceError = 'slice.rank' | 'slice.bounds' | 'slice.unaligned'

/** A part of an array that keeps the layout of the whole. */
export interface Slice {
  readonly shape: Shape
  /** Which registers of a lane of the whole are the registers of the same lane of the slice. */
  readonly registers: Int32Array
}

// ------------------------------------------------------------------------------------- the working form

const isDimension = (entry: Partitioned): entry is number => typeof entry === 'number'

export const replicated = (times: number): Replicated => ({ _tag: 'Replicated', times })

/** The tiled base tile without the quotients of the base tile by itself: what negative dimensions refer to. */
const tiledBase = (levels: Tiling): Shape => {
  const base = levels[0]!
  let extents: ReadonlyArray<number> = base
  for (const tile of levels.slice(1)) {
    const from = extents.length - tile.length
    const whole = extents
    extents = [...whole.slice(0, from), ...tile.map((t, k) => whole[from + k]! / t), ...tile]
  }
  return extents
}

const extentOf = (base: Shape, entry: Partitioned): number =>
  isDimension(entry) ? base[base.length + entry]! : entry.times

// ---------------------------------------------------------------------------------------- constructors

const checked = (spec: TiledSpec): E.Either<Failure<TiledLayoutError>, Tiling> =>
  pipe(
    tiling(spec.tiling),
    E.chainFirstW((levels) => tileShape(levels)(levels[0]!)),
    E.chainW((levels): E.Either<Failure<TiledLayoutError>, Tiling> => {
      const base = tiledBase(levels)
      const all = [...spec.warpDims, ...spec.laneDims, spec.vectorDim]
      const dims = all.filter(isDimension)
      const outside = dims.find((d) => !Number.isInteger(d) || d >= 0 || d < -base.length)
      if (outside !== undefined)
        return refuse(
          'tiled.dimension-range',
          `Warp, lane and vector dimensions must be negative and at least -${String(base.length)}, the rank of the tiled base tile ${showShape(base)}; found ${String(outside)}`,
        )
      if (new Set(dims).size !== dims.length)
        return refuse(
          'tiled.dimension-duplicate',
          `Warp, lane and vector dimensions must be distinct, found ${showShape(dims)}`,
        )
      const times = all.find(
        (entry) => !isDimension(entry) && !(Number.isInteger(entry.times) && entry.times > 0),
      )
      if (times !== undefined)
        return refuse('tiled.replication', 'A replication needs a positive number of copies')
      const warps = sizeOf(spec.warpDims.map((entry) => extentOf(base, entry)))
      if (warps !== warpsPerWarpgroup)
        return refuse(
          'tiled.warps',
          `The warp dimensions of a warpgroup must multiply to 4, found ${String(warps)} in the tiled base tile ${showShape(base)}`,
        )
      const lanes = sizeOf(spec.laneDims.map((entry) => extentOf(base, entry)))
      if (lanes !== lanesPerWarp)
        return refuse(
          'tiled.lanes',
          `The lane dimensions must multiply to 32, found ${String(lanes)} in the tiled base tile ${showShape(base)}`,
        )
      return E.right(levels)
    }),
  )

const canonicalParts = (spec: TiledSpec, levels: Tiling): TiledSpec => {
  const before = tiledBase(levels)
  let canonical: ReadonlyArray<Tile> = canonicalTiling(levels)
  let after = tiledExtents(canonical)
  const trivialVector = before[before.length + spec.vectorDim] === 1
  if (trivialVector && !after.includes(1)) {
    canonical = [...canonical, [1]]
    after = [...after, 1]
  }
  // Cutting nothing only adds extents of 1, so the longer ones correspond in order.
  const long = (extents: Shape): ReadonlyArray<number> =>
    extents.flatMap((n, k) => (n > 1 ? [k - extents.length] : []))
  const from = long(before)
  const to = long(after)
  const moved = (d: number): number => to[from.indexOf(d)]!
  const keep = (entries: ReadonlyArray<Partitioned>): ReadonlyArray<Partitioned> =>
    entries.flatMap((entry): ReadonlyArray<Partitioned> =>
      isDimension(entry) ? (from.includes(entry) ? [moved(entry)] : []) : entry.times === 1 ? [] : [entry],
    )
  return {
    tiling: canonical,
    warpDims: keep(spec.warpDims),
    laneDims: keep(spec.laneDims),
    vectorDim: trivialVector ? after.lastIndexOf(1) - after.length : moved(spec.vectorDim),
  }
}

const tiledExtents = (levels: ReadonlyArray<Tile>): Shape => (isTiling(levels) ? tiledBase(levels) : [])

const samePartitioned = (a: ReadonlyArray<Partitioned>, b: ReadonlyArray<Partitioned>): boolean =>
  a.length === b.length &&
  a.every((entry, k) => {
    const other = b[k]!
    return isDimension(entry) ? entry === other : !isDimension(other) && entry.times === other.times
  })

const sameSpec = (a: TiledSpec, b: TiledSpec): boolean =>
  sameTiling(a.tiling, b.tiling) &&
  samePartitioned(a.warpDims, b.warpDims) &&
  samePartitioned(a.laneDims, b.laneDims) &&
  a.vectorDim === b.vectorDim

const isCanonical = (spec: TiledSpec, levels: Tiling): boolean => {
  const canonical = canonicalParts(spec, levels)
  const base = tiledBase(levels)
  return (
    sameTiling(canonical.tiling, levels) &&
    samePartitioned(canonical.warpDims, spec.warpDims) &&
    samePartitioned(canonical.laneDims, spec.laneDims) &&
    (canonical.vectorDim === spec.vectorDim || base[base.length + spec.vectorDim] === 1)
  )
}

/** Is this data a legal, canonical tiled layout? */
export const isTiledLayout = (spec: TiledSpec & { readonly _tag: 'tiled' }): spec is TiledLayout => {
  const legal = checked(spec)
  return E.isRight(legal) && isCanonical(spec, legal.right)
}

/**
 * A tiled layout. Refuses an illegal tiling or one that does not divide its own base tile, dimensions out of range or
 * used twice, warps that do not multiply to 4 or lanes to 32, and data that is not canonical.
 */
export const tiledLayout = (spec: TiledSpec): E.Either<Failure<TiledLayoutError>, TiledLayout> =>
  pipe(
    checked(spec),
    E.chainW(() => {
      const { warpDims, laneDims, vectorDim } = spec
      const layout = { _tag: 'tiled' as const, tiling: spec.tiling, warpDims, laneDims, vectorDim }
      return isTiledLayout(layout)
        ? E.right(layout)
        : refuse(
            'tiled.not-canonical',
            `The layout with tiling ${showTiling(spec.tiling)} is not canonical: canonicalize it`,
          )
    }),
  )

/** The canonical layout of the same function: the canonical tiling, no dimensions of extent 1 for warps and lanes. */
export const canonicalize = (spec: TiledSpec): E.Either<Failure<TiledLayoutError>, TiledLayout> =>
  pipe(
    checked(spec),
    E.chain((levels) => tiledLayout(canonicalParts(spec, levels))),
  )

// ----------------------------------------------------------------------------------------- destructors

/** The unit of the layout: it must divide the last dimensions of every array that has the layout. */
export const baseTileShape = (layout: TiledLayout): Shape => layout.tiling[0]!

/** Elements in one register. */
export const vectorLength = (layout: TiledLayout): number => {
  const base = tiledBase(layout.tiling)
  return base[base.length + layout.vectorDim]!
}

/** In how many places every element is held. */
export const replication = (layout: TiledLayout): number =>
  sizeOf([...layout.warpDims, ...layout.laneDims].map((entry) => (isDimension(entry) ? 1 : entry.times)))

/** Does the base tile divide the array? */
export const checkShape = (layout: TiledLayout, shape: Shape): E.Either<Failure<ShapeError>, Shape> => {
  const base = baseTileShape(layout)
  const from = shape.length - base.length
  const no = (why: string): E.Either<Failure<ShapeError>, never> =>
    refuse(
      'layout.shape',
      `The base tile ${showShape(base)} does not divide the array shape ${showShape(shape)}: ${why}`,
    )
  if (from < 0) return no(`expected rank ${String(base.length)} or more, found ${String(shape.length)}`)
  const bad = shape.findIndex((extent, d) => !isExtent(extent) || extent % (base[d - from] ?? 1) !== 0)
  return bad < 0
    ? E.right(shape)
    : no(
        `dimension ${String(bad)} must be a positive multiple of ${String(base[bad - from] ?? 1)}, found ${String(shape[bad])}`,
      )
}

/** Extents of one lane's registers, row-major: the tiled shape with warp, lane and vector dimensions set to 1. The base tile must divide the shape. */
export const registersShape = (layout: TiledLayout, shape: Shape): Shape => {
  const base = baseTileShape(layout)
  const from = shape.length - base.length
  // The first level leaves the quotients by the base tile; the others act inside it.
  const extents = [
    ...shape.map((extent, d) => (d < from ? extent : extent / base[d - from]!)),
    ...tiledBase(layout.tiling),
  ]
  const taken = [...layout.warpDims, ...layout.laneDims, layout.vectorDim].filter(isDimension)
  for (const d of taken) extents[extents.length + d] = 1
  return extents
}

/** Coordinates of a warp or lane along its dimensions, major to minor; replicas have none. */
const spread = (
  entries: ReadonlyArray<Partitioned>,
  base: Shape,
  unit: number,
): ReadonlyArray<readonly [dimension: number, coordinate: number]> => {
  const coordinates = unravel(entries.map((entry) => extentOf(base, entry)))(unit)
  return entries.flatMap((entry, k): ReadonlyArray<readonly [number, number]> =>
    isDimension(entry) ? [[entry, coordinates[k]!]] : [],
  )
}

/** The element in a place. All coordinates must be in range and the base tile must divide the shape. */
export const elementAt = (layout: TiledLayout, shape: Shape, place: TiledPlace): Index => {
  const base = tiledBase(layout.tiling)
  const tiled = [...unravel(registersShape(layout, shape))(place.register)]
  for (const [d, coordinate] of [
    ...spread(layout.warpDims, base, place.warp),
    ...spread(layout.laneDims, base, place.lane),
  ])
    tiled[tiled.length + d] = coordinate
  tiled[tiled.length + layout.vectorDim] = place.vector
  return untileIndex(layout.tiling)(tiled)
}

/** All units whose coordinates along the dimensions are those of the element. */
const unitsOf = (entries: ReadonlyArray<Partitioned>, base: Shape, tiled: Index): ReadonlyArray<number> => {
  let units: ReadonlyArray<number> = [0]
  for (const entry of entries) {
    const extent = extentOf(base, entry)
    units = isDimension(entry)
      ? units.map((u) => u * extent + tiled[tiled.length + entry]!)
      : units.flatMap((u) => Array.from({ length: extent }, (_, copy) => u * extent + copy))
  }
  return units
}

/**
 * Every place that holds the element, by warp, then lane.
 *
 * @example
 * ```ts
 * import { named, tiled } from 'tensorcore-spec/layouts'
 *
 * const rows = named.parseName('WGMMA_ROW')
 * const owners = rows._tag === 'Right' && rows.right._tag === 'tiled' ? tiled.ownersOf(rows.right, [64], [0]) : []
 * console.log(owners.length, owners[0]) // 4 { warp: 0, lane: 0, register: 0, vector: 0 }
 * ```
 */
export const ownersOf = (layout: TiledLayout, shape: Shape, element: Index): ReadonlyArray<TiledPlace> => {
  const base = tiledBase(layout.tiling)
  const tiled = tileIndex(layout.tiling)(element)
  const registers = registersShape(layout, shape)
  const register = ravel(registers)(tiled.map((i, k) => (registers[k] === 1 ? 0 : i)))
  const vector = tiled[tiled.length + layout.vectorDim]!
  return unitsOf(layout.warpDims, base, tiled).flatMap((warp) =>
    unitsOf(layout.laneDims, base, tiled).map((lane) => ({ warp, lane, register, vector })),
  )
}

/**
 * Row-major positions of all elements held, by warp, then lane, then register, then vector position. The base tile must
 * divide the shape. Untiling and row-major listing are both sums over coordinates, so each kind of coordinate has its share.
 */
export const positionTable = (layout: TiledLayout, shape: Shape): Int32Array => {
  const base = tiledBase(layout.tiling)
  const strides = tileStrides(layout.tiling)(rowMajorStrides(shape))
  const strideOf = (d: number): number => strides[strides.length + d]!
  const share = (entries: ReadonlyArray<Partitioned>, count: number): ReadonlyArray<number> =>
    Array.from({ length: count }, (_, unit) =>
      spread(entries, base, unit).reduce((sum, [d, coordinate]) => sum + coordinate * strideOf(d), 0),
    )
  const warps = share(layout.warpDims, warpsPerWarpgroup)
  const lanes = share(layout.laneDims, lanesPerWarp)
  const registers = registersShape(layout, shape)
  const held = Array.from({ length: sizeOf(registers) }, (_, register) =>
    unravel(registers)(register).reduce((sum, coordinate, k) => sum + coordinate * strides[k]!, 0),
  )
  const length = vectorLength(layout)
  const step = strideOf(layout.vectorDim)
  const table = new Int32Array(warps.length * lanes.length * held.length * length)
  let at = 0
  for (const warp of warps)
    for (const lane of lanes)
      for (const register of held)
        for (let v = 0; v < length; v++) table[at++] = warp + lane + register + v * step
  return table
}

/** Registers of one lane, each of `vectorLength` elements. */
export const registerCount = (layout: TiledLayout, shape: Shape): number =>
  sizeOf(registersShape(layout, shape))

// ----------------------------------------------------------------------------------------- combinators

/**
 * The layout of an array that has lost some dimensions of the base tile (axes count from its first dimension).
 * Warps and lanes that were spread over a lost dimension become replicas. Losing every dimension is refused: what is left is a splat.
 */
export const reduce =
  (axes: ReadonlyArray<number>) =>
  (layout: TiledLayout): E.Either<Failure<ReduceError>, TiledLayout> => {
    const rank = layout.tiling[0]!.length
    const bad = axes.find((axis) => !Number.isInteger(axis) || axis < 0 || axis >= rank)
    if (bad !== undefined)
      return refuse(
        'tiled.reduce-axis',
        `The base tile ${showShape(layout.tiling[0]!)} has no axis ${String(bad)}`,
      )
    const lost = (axis: number): boolean => axes.includes(axis)
    if (layout.tiling[0]!.every((_, axis) => lost(axis)))
      return refuse(
        'tiled.reduce-axis',
        'Reducing every axis of the base tile leaves a splat, not a tiled layout',
      )
    const base = tiledBase(layout.tiling)
    // Which axis of the base tile does each tiled dimension belong to? Levels act on suffixes.
    let owner: ReadonlyArray<number> = layout.tiling[0]!.map((_, axis) => axis)
    for (const tile of layout.tiling.slice(1)) owner = [...owner, ...owner.slice(owner.length - tile.length)]
    const kept = owner.flatMap((axis, k) => (lost(axis) ? [] : [k]))
    const levels = layout.tiling
      .map((tile) => tile.filter((_, k) => !lost(rank - tile.length + k)))
      .filter((tile) => tile.length > 0)
    const lostVector = !kept.includes(base.length + layout.vectorDim)
    const length = kept.length + (lostVector ? 1 : 0)
    const moved = (d: number): number => kept.indexOf(base.length + d) - length
    const keep = (entries: ReadonlyArray<Partitioned>): ReadonlyArray<Partitioned> =>
      entries.map((entry) =>
        !isDimension(entry)
          ? entry
          : kept.includes(base.length + entry)
            ? moved(entry)
            : replicated(extentOf(base, entry)),
      )
    return canonicalize({
      tiling: lostVector ? [...levels, [1]] : levels,
      warpDims: keep(layout.warpDims),
      laneDims: keep(layout.laneDims),
      vectorDim: lostVector ? -1 : moved(layout.vectorDim),
    })
  }

/**
 * May an array of the first layout be broadcast along new axes (of the base tile of the second) into the second? It may when it has
 * the layout that the second leaves when it loses those axes: then every lane has at hand all it needs.
 */
export const checkBroadcast =
  (axes: ReadonlyArray<number>) =>
  (
    reduced: TiledLayout,
    whole: TiledLayout,
  ): E.Either<Failure<ReduceError | 'tiled.broadcast'>, TiledLayout> =>
    pipe(
      reduce(axes)(whole),
      E.chainW((expected) =>
        sameSpec(expected, reduced)
          ? E.right(whole)
          : refuse(
              'tiled.broadcast',
              `A layout with tiling ${showTiling(reduced.tiling)} does not broadcast along ${showShape(axes)} to one with tiling ${showTiling(whole.tiling)}: expected what that leaves when it is reduced, tiling ${showTiling(expected.tiling)}`,
            ),
      ),
    )

/** An array's shape and an element's index without these axes of the base tile. */
const without =
  (axes: ReadonlyArray<number>, layout: TiledLayout) =>
  (index: Index): Index => {
    const from = index.length - layout.tiling[0]!.length
    return index.filter((_, d) => !axes.includes(d - from))
  }

/**
 * For each register position of a lane (register times vector length plus vector) of an array with this layout and shape: which
 * register position of the same lane of the reduced array it takes when that is broadcast along the axes.
 */
export const broadcastRegisters =
  (axes: ReadonlyArray<number>) =>
  (whole: TiledLayout, shape: Shape): E.Either<Failure<ReduceError>, Int32Array> =>
    pipe(
      reduce(axes)(whole),
      E.map((reduced) => {
        const project = without(axes, whole)
        const [length, reducedLength] = [vectorLength(whole), vectorLength(reduced)]
        return Int32Array.from({ length: registerCount(whole, shape) * length }, (_, at) => {
          const element = elementAt(whole, shape, {
            warp: 0,
            lane: 0,
            register: Math.floor(at / length),
            vector: at % length,
          })
          const { register, vector } = ownersOf(reduced, project(shape), project(element))[0]!
          return register * reducedLength + vector
        })
      }),
    )

/**
 * The elements from `starts`, `sizes` of them. Starts and sizes must be multiples of the base tile in its dimensions, and may be
 * anything inside the array before those. The base tile must divide the shape.
 */
export const slice =
  (starts: Index, sizes: Shape) =>
  (layout: TiledLayout, shape: Shape): E.Either<Failure<SliceError>, Slice> => {
    if (starts.length !== shape.length || sizes.length !== shape.length)
      return refuse(
        'slice.rank',
        `A slice of an array of shape ${showShape(shape)} needs ${String(shape.length)} starts and sizes, found ${showShape(starts)} and ${showShape(sizes)}`,
      )
    const outside = shape.findIndex(
      (extent, d) => !isExtent(sizes[d]!) || !isExtent(starts[d]! + 1) || starts[d]! + sizes[d]! > extent,
    )
    if (outside >= 0)
      return refuse(
        'slice.bounds',
        `Dimension ${String(outside)}: ${String(sizes[outside])} elements from ${String(starts[outside])} do not fit in an extent of ${String(shape[outside])}`,
      )
    const base = baseTileShape(layout)
    const from = shape.length - base.length
    const unaligned = base.findIndex((t, k) => starts[from + k]! % t !== 0 || sizes[from + k]! % t !== 0)
    if (unaligned >= 0)
      return refuse(
        'slice.unaligned',
        `Dimension ${String(from + unaligned)}: a slice must start at a multiple of the base tile's ${String(base[unaligned])} and have a multiple of that many, found ${String(sizes[from + unaligned])} elements from ${String(starts[from + unaligned])}`,
      )
    const [outer, inner] = [registersShape(layout, shape), registersShape(layout, sizes)]
    const first = tileIndex(layout.tiling)(starts)
    return E.right({
      shape: sizes,
      registers: Int32Array.from({ length: sizeOf(inner) }, (_, register) =>
        ravel(outer)(unravel(inner)(register).map((i, d) => i + first[d]!)),
      ),
    })
  }

// ------------------------------------------------------------------------------------------- instances

/** Equal as data. Different data may still be the same function, as WGMMA and WGMMA_ACC_32BIT are. */
export const sameTiledLayout = (a: TiledLayout, b: TiledLayout): boolean => sameSpec(a, b)

export const sameBaseTile = (a: TiledLayout, b: TiledLayout): boolean =>
  sameShape(baseTileShape(a), baseTileShape(b))

const constant = (
  levels: ReadonlyArray<Tile>,
  warpDims: ReadonlyArray<Partitioned>,
  laneDims: ReadonlyArray<Partitioned>,
  vectorDim: number,
): TiledLayout =>
  pipe(
    tiledLayout({ tiling: levels, warpDims, laneDims, vectorDim }),
    E.getOrElseW((why) => unreachable(why.message)),
  )

/** The accumulator of wgmma, and its 16-bit A operand from registers. */
export const WGMMA: TiledLayout = constant([[64, 8], [16, 8], [8, 8], [2]], [-7], [-3, -2], -1)

/** The same places, one 32-bit element a register. */
export const WGMMA_ACC_32BIT: TiledLayout = constant([[64, 8], [16, 8], [8, 8], [2], [1]], [-8], [-4, -3], -1)

/** One value for each row of a WGMMA array: what a reduction along the columns of a row leaves. */
export const WGMMA_ROW: TiledLayout = constant([[64], [16], [8], [1]], [-4], [-2, replicated(4)], -1)

/** One value for each column of a WGMMA array. */
export const WGMMA_COL: TiledLayout = constant([[8], [2]], [replicated(4)], [replicated(8), -2], -1)

/** The 8-bit A operand of wgmma from registers. */
export const WGMMA_8BIT: TiledLayout = constant([[64, 16], [16, 16], [8, 16], [4]], [-7], [-3, -2], -1)

/** 8-bit elements in an order that becomes WGMMA when they are widened to 16 bits. */
export const WGMMA_UPCAST_2X: TiledLayout = constant(
  [[64, 16], [16, 16], [8, 16], [8], [4]],
  [-8],
  [-4, -2, -3],
  -1,
)

/** 4-bit elements in an order that becomes WGMMA_UPCAST_2X when they are widened to 8 bits. */
export const WGMMA_UPCAST_4X: TiledLayout = constant([[64, 32], [16, 32], [8, 32], [8]], [-7], [-3, -2], -1)

/** WGMMA with every aligned 2 x 2 block transposed. */
export const WGMMA_TRANSPOSED: TiledLayout = constant(
  [
    [64, 8],
    [16, 8],
    [8, 8],
    [2, 2],
    [2, 1],
  ],
  [-10],
  [-6, -3, -5],
  -2,
)

/** What tcgen05.ld 16x256b brings from the default tensor-memory layout. */
export const TCGEN05: TiledLayout = constant([[128, 8], [32, 8], [8, 8], [2]], [-7], [-3, -2], -1)

export const TCGEN05_TRANSPOSED: TiledLayout = constant(
  [
    [128, 8],
    [32, 8],
    [8, 8],
    [2, 2],
    [2, 1],
  ],
  [-10],
  [-6, -3, -5],
  -2,
)

export const TCGEN05_ROW: TiledLayout = constant([[128], [32], [8], [1]], [-4], [-2, replicated(4)], -1)

export const TCGEN05_COL: TiledLayout = WGMMA_COL

/** Row indices of a gathering TMA, 16 at a time, for all lanes. */
export const TMA_INDICES: TiledLayout = constant([[16], [4]], [-2], [replicated(32)], -1)

/** The same, 4 at a time. */
export const TMA_INDICES_4: TiledLayout = constant([[4]], [replicated(4)], [replicated(32)], -1)

/** A row of tensor memory per lane, `vectorLength` columns a register. */
export const TMEM_NATIVE = (vectorLength: number): E.Either<Failure<TiledLayoutError>, TiledLayout> =>
  tiledLayout({
    tiling: [
      [128, vectorLength],
      [32, vectorLength],
    ],
    warpDims: [-4],
    laneDims: [-2],
    vectorDim: -1,
  })

export type ParameterError = 'tiled.parameter'

/** What tcgen05.ld 16x256b brings from an accumulator of 64 rows that a pair of CTAs shares; a multiple of 16 columns. */
export const TCGEN05_M64_COLLECTIVE = (
  columns: number,
): E.Either<Failure<TiledLayoutError | ParameterError>, TiledLayout> =>
  isExtent(columns) && columns % 16 === 0
    ? canonicalize({
        tiling: [[64, columns], [32, columns / 2], [8, 8], [2]],
        warpDims: [-6, -7],
        laneDims: [-3, -2],
        vectorDim: -1,
      })
    : refuse(
        'tiled.parameter',
        `TCGEN05_M64_COLLECTIVE: expected a positive multiple of 16 columns, found ${String(columns)}`,
      )

/** How many of the 4 warps stand along M, and with them the others along N; elements in 32 bits. */
const mma = (
  name: string,
  bits: number,
  mWarps: number,
  make: (elements: number, nWarps: number) => TiledSpec,
): E.Either<Failure<TiledLayoutError | ParameterError>, TiledLayout> => {
  if (![4, 8, 16, 32].includes(bits))
    return refuse(
      'tiled.parameter',
      `${name}: expected elements of 4, 8, 16 or 32 bits, found ${String(bits)}`,
    )
  if (![1, 2, 4].includes(mWarps))
    return refuse('tiled.parameter', `${name}: expected 1, 2 or 4 warps along M, found ${String(mWarps)}`)
  return canonicalize(make(32 / bits, 4 / mWarps))
}

/** The left operand of the Ampere mma m16n8, k = 256 / bits, for elements of `bits` bits, `mWarps` warps along M. */
export const MMA_LHS = (
  bits: number,
  mWarps: number,
): E.Either<Failure<TiledLayoutError | ParameterError>, TiledLayout> =>
  mma('MMA_LHS', bits, mWarps, (e, nWarps) => ({
    tiling: [[16 * mWarps, 8 * e], [16, 4 * e], [8, 4 * e], [e]],
    warpDims: [-7, replicated(nWarps)],
    laneDims: [-3, -2],
    vectorDim: -1,
  }))

/** Its right operand, k x n; the other `4 / mWarps` warps stand along N. */
export const MMA_RHS = (
  bits: number,
  mWarps: number,
): E.Either<Failure<TiledLayoutError | ParameterError>, TiledLayout> =>
  mma('MMA_RHS', bits, mWarps, (e, nWarps) => ({
    tiling: [
      [8 * e, 8 * nWarps],
      [4 * e, 8],
      [e, 1],
    ],
    warpDims: [replicated(mWarps), -5],
    laneDims: [-3, -4],
    vectorDim: -2,
  }))

/** Its accumulator, which holds pairs of columns whatever the element. */
export const MMA_ACC = (mWarps: number): E.Either<Failure<TiledLayoutError | ParameterError>, TiledLayout> =>
  mma('MMA_ACC', 32, mWarps, (_, nWarps) => ({
    tiling: [[16 * mWarps, 8 * nWarps], [16, 8], [8, 8], [2]],
    warpDims: [-7, -6],
    laneDims: [-3, -2],
    vectorDim: -1,
  }))

/** The layouts with a name and no parameter. */
export const named: Readonly<Record<string, TiledLayout>> = {
  WGMMA,
  WGMMA_ACC_32BIT,
  WGMMA_ROW,
  WGMMA_COL,
  WGMMA_8BIT,
  WGMMA_UPCAST_2X,
  WGMMA_UPCAST_4X,
  WGMMA_TRANSPOSED,
  TCGEN05,
  TCGEN05_TRANSPOSED,
  TCGEN05_ROW,
  TMA_INDICES,
  TMA_INDICES_4,
}
