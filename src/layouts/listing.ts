/**
 * Listings: a register layout written out, place by place.
 *
 * A listing is the function (warp, lane, register) -> element as a table of row-major positions, and nothing of how it came
 * about: a tiled layout, bases over GF(2) and a dump of another compiler become comparable. A splat, whose one register is
 * every element, is the one case that the table cannot hold; a flag says it.
 *
 *     WGMMA on (64, 8):  4 warps, 32 lanes, 4 registers;  positions[0..3] = 0 1 64 65     (lane 0: [0,0] [0,1] [8,0] [8,1])
 *
 * Laws
 * 1. `listingOf(l, s).positions` is `elementTable(l, s)`.
 * 2. `holders(a)(p)` are exactly the places that hold position p, by warp, then lane, then register.
 * 3. `differences(a, b)` counts the elements whose holders are not the same in both; `first` is the first of them in row-major
 *    order, with both sets of places, and null exactly when there is none.
 * 4. `listing` refuses a position that the shape does not have; nothing above `mostPlaces` is written out.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../failure.js'
import { refuse } from '../failure.js'
import type { Index, Shape } from '../transforms/shape.js'
import { sameShape, showShape, sizeOf, unravel } from '../transforms/shape.js'
import type { LayoutError, Place, RegisterLayout } from './register-layout.js'
import { checkShape, elementTable, laneCount, registersPerLane, warpCount } from './register-layout.js'

// ---------------------------------------------------------------------------------------------- model

export interface Listing {
  readonly shape: Shape
  readonly warps: number
  readonly lanes: number
  /** Elements of one lane. */
  readonly registers: number
  /** Every place holds every element; `positions` are zeros then. */
  readonly splat: boolean
  /** Row-major position of the element held, by warp, then lane, then register. */
  readonly positions: Int32Array
}

export type ListingError = 'listing.position' | 'listing.length' | 'listing.shape' | 'listing.too-large'

/** Places, or elements, beyond which a listing is not written out. */
export const mostPlaces: number = 2 ** 22

/** The first element, row-major, that two listings keep in different places. */
export interface Difference {
  readonly element: Index
  readonly left: ReadonlyArray<Place>
  readonly right: ReadonlyArray<Place>
}

export interface Differences {
  readonly count: number
  readonly first: Difference | null
}

// ---------------------------------------------------------------------------------------- constructors

/** Can so many places of an array of this shape be written out? */
export const checkSize = (places: number, shape: Shape): E.Either<Failure<ListingError>, null> => {
  const most = Math.max(places, sizeOf(shape))
  return most <= mostPlaces
    ? E.right(null)
    : refuse(
        'listing.too-large',
        `A layout is written out for at most ${String(mostPlaces)} elements and places, found ${String(most)} on ${showShape(shape)}`,
      )
}

/** A listing from its table. Errors: more than is written out, a table of another length, a position outside the array. */
export const listing = (
  shape: Shape,
  warps: number,
  lanes: number,
  registers: number,
  positions: Int32Array,
): E.Either<Failure<ListingError>, Listing> => {
  const fits = checkSize(positions.length, shape)
  if (E.isLeft(fits)) return fits
  if (positions.length !== warps * lanes * registers)
    return refuse(
      'listing.length',
      `${String(warps)} warps of ${String(lanes)} lanes with ${String(registers)} registers hold ${String(warps * lanes * registers)} elements, found ${String(positions.length)}`,
    )
  const size = sizeOf(shape)
  const outside = positions.find((p) => p < 0 || p >= size)
  return outside === undefined
    ? E.right({ shape, warps, lanes, registers, splat: false, positions })
    : refuse(
        'listing.position',
        `Position ${String(outside)} is outside an array of shape ${showShape(shape)}`,
      )
}

/** The listing of a layout. Errors: those of `checkShape`, and more places than are written out. */
export const listingOf = (
  layout: RegisterLayout,
  shape: Shape,
): E.Either<Failure<LayoutError | ListingError>, Listing> =>
  pipe(
    checkShape(layout, shape),
    E.chainW(() => checkSize(warpCount(layout) * laneCount(layout) * registersPerLane(layout, shape), shape)),
    E.map(() => ({
      shape,
      warps: warpCount(layout),
      lanes: laneCount(layout),
      registers: registersPerLane(layout, shape),
      splat: layout._tag === 'splat',
      positions: elementTable(layout, shape),
    })),
  )

// ----------------------------------------------------------------------------------------- destructors

/** The place with this number. */
export const placeAt =
  ({ lanes, registers }: Listing) =>
  (at: number): Place => ({
    warp: Math.floor(at / (lanes * registers)),
    lane: Math.floor(at / registers) % lanes,
    register: at % registers,
  })

/** Everybody who holds the element at a row-major position. Sorts the listing once. */
export const holders = (listed: Listing): ((position: number) => ReadonlyArray<Place>) => {
  const place = placeAt(listed)
  const all = Array.from(listed.positions, (_, at) => at)
  if (listed.splat) return () => all.map(place)
  // Counting sort by position keeps the order of places.
  const starts = new Int32Array(sizeOf(listed.shape) + 1)
  for (const position of listed.positions) starts[position + 1]! += 1
  for (let p = 1; p < starts.length; p++) starts[p]! += starts[p - 1]!
  const sorted = new Int32Array(all.length)
  const next = starts.slice()
  listed.positions.forEach((position, at) => {
    sorted[next[position]!] = at
    next[position]! += 1
  })
  return (position) => Array.from(sorted.subarray(starts[position], starts[position + 1]), place)
}

// ----------------------------------------------------------------------------------------- combinators

const samePlaces = (a: ReadonlyArray<Place>, b: ReadonlyArray<Place>): boolean =>
  a.length === b.length &&
  a.every((p, k) => p.warp === b[k]!.warp && p.lane === b[k]!.lane && p.register === b[k]!.register)

/** All elements that are held in different places: how many, and the first. Errors: arrays of different shapes. */
export const differences = (left: Listing, right: Listing): E.Either<Failure<ListingError>, Differences> => {
  if (!sameShape(left.shape, right.shape))
    return refuse(
      'listing.shape',
      `Expected two layouts of one shape, found ${showShape(left.shape)} and ${showShape(right.shape)}`,
    )
  const [a, b] = [holders(left), holders(right)]
  let count = 0
  let first: Difference | null = null
  for (let p = 0; p < sizeOf(left.shape); p++) {
    if (samePlaces(a(p), b(p))) continue
    count += 1
    first ??= { element: unravel(left.shape)(p), left: a(p), right: b(p) }
  }
  return E.right({ count, first })
}
