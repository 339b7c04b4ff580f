/**
 * Tilings, transforms and address functions of your own.
 *
 * Laws that the kits state
 * - `tile.shape`: the tiled shape is the quotients, then the tile, level by level.
 * - `tile.range`: a tiled index is inside the tiled shape.
 * - `tile.left-inverse`, `tile.right-inverse`: untiling undoes tiling, and tiling untiling.
 * - `tile.definition`: all the quotients, then all the remainders, level by level.
 * - `transform.size`: the physical shape has as many elements as the logical one.
 * - `transform.dense`: the k-th smallest offset is that of the k-th element of a dense array.
 * - `transform.shape`, `transform.definition`: shape and offsets are those of `transforms/ref.ts`.
 * - `ref.distinct`: no two elements have the same address, where they do not in the ref itself.
 * - `ref.definition`: every address is that of the ref.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../failure.js'
import type { OfTransformsError, RefError, TransformedRef } from '../transforms/ref.js'
import { byteOffsets, check, ofTransforms, swizzledAddresses } from '../transforms/ref.js'
import type { Index, Shape } from '../transforms/shape.js'
import { showShape, sizeOf, unravel } from '../transforms/shape.js'
import type { Tile, TileShapeError, TilingError } from '../transforms/tile.js'
import {
  tileIndex as definedIndex,
  tileShape as definedShape,
  showTiling,
  tiling,
} from '../transforms/tile.js'
import type { Transform } from '../transforms/transform.js'
import { physicalShape as definedPhysical, showTransform } from '../transforms/transform.js'
import { distinct } from './bijection.js'
import type { Domain, Kit } from './law.js'
import { expectSame, expectThat, forAll, numbers } from './law.js'

/** All indices of a shape, row-major. */
export const indices = (of: Shape): Domain<Index> => ({
  size: sizeOf(of),
  at: unravel(of),
  show: (index) => `index ${showShape(index)}`,
})

/** One question about the whole. */
const once: Domain<Shape> = { size: 1, at: () => [], show: () => 'the shape' }

/** Is it an index of the shape? */
export const inside = (index: Index, shape: Shape): boolean =>
  Array.isArray(index) &&
  index.length === shape.length &&
  index.every((i: number, k: number) => Number.isInteger(i) && i >= 0 && i < shape[k]!)

// ----------------------------------------------------------------------------------------------- tiles

export interface ForeignTiling {
  readonly tileIndex: (index: Index) => Index
  readonly untileIndex?: (tiled: Index) => Index
  readonly tileShape?: (shape: Shape) => Shape
}

/** For an array of this shape cut by these levels. Refuses levels that do not cut it. */
export const tileLaws = (
  shape: Shape,
  levels: ReadonlyArray<Tile>,
): E.Either<Failure<TilingError | TileShapeError>, Kit<ForeignTiling>> =>
  pipe(
    tiling(levels),
    E.chainW((legal) => definedShape(legal)(shape)),
    E.map((tiled) => ({
      name: `tiling ${showTiling(levels)} of ${showShape(shape)}`,
      laws: [
        forAll('tile.shape', 'the tiled shape is the quotients, then the tile', once, ({ tileShape }) =>
          tileShape === undefined ? null : () => expectSame(tiled, tileShape(shape)),
        ),
        forAll(
          'tile.range',
          'a tiled index is inside the tiled shape',
          indices(shape),
          ({ tileIndex }) =>
            (i) => {
              const found = tileIndex(i)
              return expectThat(inside(found, tiled), `an index of ${showShape(tiled)}`, found)
            },
        ),
        forAll(
          'tile.left-inverse',
          'untileIndex(tileIndex(i)) = i',
          indices(shape),
          ({ tileIndex, untileIndex }) =>
            untileIndex === undefined ? null : (i) => expectSame(i, untileIndex(tileIndex(i))),
        ),
        forAll(
          'tile.right-inverse',
          'tileIndex(untileIndex(j)) = j',
          indices(tiled),
          ({ tileIndex, untileIndex }) =>
            untileIndex === undefined ? null : (j) => expectSame(j, tileIndex(untileIndex(j))),
        ),
        forAll(
          'tile.definition',
          'quotients, then remainders',
          indices(shape),
          ({ tileIndex }) =>
            (i) =>
              expectSame(definedIndex(levels)(i), tileIndex(i)),
        ),
      ],
    })),
  )

// ------------------------------------------------------------------------------------------ transforms

export interface ForeignTransform {
  readonly physicalShape?: (shape: Shape) => Shape
  /** Byte of the element, rounded down, from the start of the array and before any swizzle. */
  readonly byteOffset: (index: Index) => number
}

/** For an array of `bits`-bit elements under these transforms. Refuses transforms that do not apply. */
export const transformLaws = (
  shape: Shape,
  bits: number,
  transforms: ReadonlyArray<Transform>,
): E.Either<Failure<OfTransformsError>, Kit<ForeignTransform>> =>
  pipe(
    ofTransforms(shape, bits, transforms),
    E.bindTo('ref'),
    E.bindW('physical', () => definedPhysical(bits, transforms)(shape)),
    E.map(({ ref, physical }) => {
      const all = indices(shape)
      const offsets = byteOffsets(ref)
      return {
        name: `${showShape(shape)}, ${String(bits)}-bit, under ${transforms.map(showTransform).join(', ') || 'no transform'}`,
        laws: [
          forAll<ForeignTransform, Shape>(
            'transform.size',
            'the physical and the logical shape have equally many elements',
            once,
            ({ physicalShape }) =>
              physicalShape === undefined
                ? null
                : () => expectSame(sizeOf(shape), sizeOf(physicalShape(shape))),
          ),
          forAll<ForeignTransform, number>(
            'transform.dense',
            'the offsets are those of a dense array, in some order',
            numbers(all.size, 'offset number'),
            ({ byteOffset }) => {
              // Offsets are sorted on first use, so that what the subject throws is caught with the rest.
              let sorted: ReadonlyArray<number> | null = null
              return (k) => {
                sorted ??= Array.from({ length: all.size }, (_, at) => byteOffset(all.at(at))).sort(
                  (a, b) => a - b,
                )
                return expectSame(Math.floor((k * bits) / 8), sorted[k])
              }
            },
            'wholly',
          ),
          forAll<ForeignTransform, Shape>(
            'transform.shape',
            'the physical shape is that of the transforms',
            once,
            ({ physicalShape }) =>
              physicalShape === undefined ? null : () => expectSame(physical, physicalShape(shape)),
          ),
          forAll<ForeignTransform, number>(
            'transform.definition',
            'every element lies where the transforms put it',
            { size: all.size, at: (position) => position, show: (position) => all.show(all.at(position)) },
            ({ byteOffset }) =>
              (position) =>
                expectSame(offsets[position], byteOffset(all.at(position))),
          ),
        ],
      }
    }),
  )

// ------------------------------------------------------------------------------------------- addresses

export interface ForeignAddresses {
  /** Absolute byte of shared memory at which the element lies, after the swizzle. */
  readonly addressOf: (index: Index) => number
}

/** For a ref whose base is at this address. Refuses data that is no ref. */
export const refAddressLaws = (
  ref: TransformedRef,
  baseAddress: number,
): E.Either<Failure<RefError>, Kit<ForeignAddresses>> =>
  pipe(
    check(ref),
    E.map((legal) => {
      const all = indices(legal.shape)
      const addresses = swizzledAddresses(legal, baseAddress)
      const positions: Domain<number> = {
        size: all.size,
        at: (position) => position,
        show: (position) => all.show(all.at(position)),
      }
      const alone = new Set(addresses).size === addresses.length
      return {
        name: `addresses of a ref of shape ${showShape(legal.shape)} at ${String(baseAddress)}`,
        laws: [
          forAll<ForeignAddresses, number>(
            'ref.distinct',
            'no two elements have the same address',
            positions,
            ({ addressOf }) =>
              alone
                ? distinct((position) => addressOf(all.at(position)), 'elements number', 'addresses')
                : null,
            'wholly',
          ),
          forAll<ForeignAddresses, number>(
            'ref.definition',
            'every element lies at the address of the ref',
            positions,
            ({ addressOf }) =>
              (position) =>
                expectSame(addresses[position], addressOf(all.at(position))),
          ),
        ],
      }
    }),
  )
