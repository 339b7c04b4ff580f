/**
 * Random register layouts: tiled ones without a name, strided ones and splats, each with a shape that it describes.
 *
 * A tiled layout is drawn as *atoms*. The five bits of a lane and the two of a warp are cut into runs; each run goes to one axis of
 * the base tile, or to none, and then it is replication. Registers of any extent and the vector are atoms too. Atoms of an axis, in a
 * drawn order, are its chain of divisors, and the chains side by side are the tiling:
 *
 *     axis 0: warp 4, register 2, lane 8     axis 1: lane 4, vector 2      tiling (64, 8)(16, 2)(8, 1)
 *     tiled base tile (4, 4 | 2, 2 | 8, 1)   warp -6, lanes -2 and -5, vector -3
 *
 * Laws
 * 1. Every tiled layout is legal and canonical; replication, one to three axes, every vector length and layouts without a name occur.
 * 2. The shape of a sample is one that the layout describes.
 */
import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { greatest } from '../greatest.js'
import { unreachable } from '../failure.js'
import type { RegisterLayout } from '../layouts/register-layout.js'
import type { SplatLayout } from '../layouts/splat.js'
import { splatLayout } from '../layouts/splat.js'
import type { StridedLayout } from '../layouts/strided.js'
import { stridedLayout } from '../layouts/strided.js'
import type { Partitioned, TiledLayout } from '../layouts/tiled.js'
import { baseTileShape, canonicalize, named, replicated } from '../layouts/tiled.js'
import type { Shape } from '../transforms/shape.js'
import { shape } from './shape.js'

// ------------------------------------------------------------------------------------------ tiled layouts

/** What an extent of the tiled base tile counts. */
interface Atom {
  readonly unit: 'warp' | 'lane' | 'register' | 'vector'
  readonly extent: number
  /** Axes of the base tile; one past them is replication. */
  readonly axis: number
  /** Atoms of an axis stand in this order, major to minor. */
  readonly rank: number
}

const placed = (
  unit: Atom['unit'],
  extents: ReadonlyArray<number>,
  axes: number,
): fc.Arbitrary<ReadonlyArray<Atom>> =>
  fc.tuple(
    ...extents.map((extent) =>
      fc.tuple(fc.nat(axes), fc.nat(15)).map(([axis, rank]): Atom => ({ unit, extent, axis, rank })),
    ),
  )

/** A power of two as a product of powers of two. */
const runs = (bits: number): fc.Arbitrary<ReadonlyArray<number>> =>
  fc
    .array(fc.boolean(), { minLength: bits - 1, maxLength: bits - 1 })
    .map((cuts) =>
      cuts.reduce<ReadonlyArray<number>>(
        (parts, cut) => (cut ? [...parts, 2] : [...parts.slice(0, -1), 2 * parts[parts.length - 1]!]),
        [2],
      ),
    )

const units = (unit: Atom['unit'], bits: number, axes: number): fc.Arbitrary<ReadonlyArray<Atom>> =>
  runs(bits).chain((extents) => placed(unit, extents, axes))

const axesAndAtoms: fc.Arbitrary<readonly [axes: number, atoms: ReadonlyArray<Atom>]> = fc
  .integer({ min: 1, max: 3 })
  .chain((axes) =>
    fc
      .tuple(
        units('warp', 2, axes),
        units('lane', 5, axes),
        fc
          .array(fc.integer({ min: 2, max: 4 }), { maxLength: 2 })
          .chain((extents) => placed('register', extents, axes - 1)),
        fc.constantFrom(1, 2, 4, 8).chain((extent) => placed('vector', [extent], axes - 1)),
      )
      .map((atoms) => [axes, atoms.flat()] as const),
  )

const product = (atoms: ReadonlyArray<Atom>): number => atoms.reduce((all, { extent }) => all * extent, 1)

const ofAtoms = (axes: number, atoms: ReadonlyArray<Atom>): TiledLayout => {
  const chains = Array.from({ length: axes }, (_, axis) =>
    atoms.filter((atom) => atom.axis === axis).sort((a, b) => a.rank - b.rank),
  )
  const depth = greatest(0)(chains.map((chain) => chain.length))
  // Level k leaves out the first k atoms of every axis; the last level is what one atom is left of.
  const tiling = Array.from({ length: depth }, (_, level) =>
    chains.map((chain) => product(chain.slice(level))),
  )
  const dimension = (atom: Atom): Partitioned =>
    atom.axis === axes
      ? replicated(atom.extent)
      : chains[atom.axis]!.indexOf(atom) * axes + atom.axis - depth * axes
  const of = (unit: Atom['unit']): ReadonlyArray<Partitioned> =>
    atoms.filter((atom) => atom.unit === unit).map(dimension)
  const vector = atoms.find((atom) => atom.unit === 'vector')
  const vectorDim = vector === undefined ? -1 : dimension(vector)
  return pipe(
    canonicalize({
      tiling,
      warpDims: of('warp'),
      laneDims: of('lane'),
      vectorDim: typeof vectorDim === 'number' ? vectorDim : -1,
    }),
    E.getOrElseW((why) => unreachable(why.message)),
  )
}

/** A legal tiled layout of one to three axes, of which few have a name. */
export const tiledLayout = (): fc.Arbitrary<TiledLayout> =>
  axesAndAtoms.map(([axes, atoms]) => ofAtoms(axes, atoms))

/** A layout that has a name. */
export const namedTiledLayout = (): fc.Arbitrary<TiledLayout> => fc.constantFrom(...Object.values(named))

// --------------------------------------------------------------------------------- strided layouts, splats

/** A strided layout of a few registers: 128 V elements a register, in one to three dimensions. */
export const strided = (): fc.Arbitrary<StridedLayout> =>
  fc
    .tuple(
      fc.constantFrom(1, 2, 4, 8),
      fc.integer({ min: 1, max: 4 }),
      fc.constantFrom<(n: number) => Shape>(
        (n) => [n],
        (n) => [n / 128, 128],
        (n) => [n / 128, 2, 64],
        (n) => [128, n / 128],
      ),
    )
    .map(([v, registers, of]) =>
      pipe(
        stridedLayout(of(128 * v * registers), v),
        E.getOrElseW((why) => unreachable(why.message)),
      ),
    )

export const splat = (): fc.Arbitrary<SplatLayout> => shape({ maxSize: 1024 }).map(splatLayout)

// ------------------------------------------------------------------------------------- layouts with shapes

/** A layout and a shape that it describes. */
export interface Sample<L extends RegisterLayout = RegisterLayout> {
  readonly layout: L
  readonly shape: Shape
}

/** A tiled layout and one to three of its base tiles along every axis, perhaps after a leading dimension. */
export const tiledSample = (
  layouts: fc.Arbitrary<TiledLayout> = tiledLayout(),
): fc.Arbitrary<Sample<TiledLayout>> =>
  layouts.chain((layout) =>
    fc
      .tuple(
        fc.array(fc.integer({ min: 1, max: 2 }), { maxLength: 1 }),
        fc.tuple(...baseTileShape(layout).map(() => fc.integer({ min: 1, max: 3 }))),
      )
      .map(([leading, times]) => ({
        layout,
        shape: [...leading, ...baseTileShape(layout).map((n, k) => n * times[k]!)],
      })),
  )

/** A register layout of any of these kinds and a shape that it describes; linear ones have an arbitrary of their own. */
export const registerLayout = (): fc.Arbitrary<Sample> =>
  fc.oneof<fc.Arbitrary<Sample>[]>(
    tiledSample(fc.oneof(namedTiledLayout(), tiledLayout())),
    strided().map((layout) => ({ layout, shape: layout.shape })),
    splat().map((layout) => ({ layout, shape: layout.shape })),
  )
