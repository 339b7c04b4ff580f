/**
 * A register layout of your own: which element does this lane's register hold?
 *
 * Places are counted as everywhere here: `register` counts *elements* of a lane. The first laws hold of any layout that gives every
 * element a place; the last says that it is the layout meant.
 *
 * Laws that the kit states
 * - `registers.range`: every place holds an element of the array.
 * - `registers.cover`: every element is held somewhere.
 * - `registers.uniform`: every element is held in as many places as the first one.
 * - `registers.owners`: `ownersOf(e)` are the places that hold e, in any order.
 * - `registers.definition`: place by place the element of the layout.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../failure.js'
import type { LayoutError, Place, RegisterLayout } from '../layouts/register-layout.js'
import {
  checkShape,
  elementTable,
  laneCount,
  registersPerLane,
  showLayout,
  warpCount,
} from '../layouts/register-layout.js'
import type { Index, Shape } from '../transforms/shape.js'
import { ravel, showShape, sizeOf, unravel } from '../transforms/shape.js'
import type { Domain, Fault, Kit, Law } from './law.js'
import { expectSame, expectThat, forAll } from './law.js'
import { indices, inside } from './transform.js'

export interface ForeignRegisterLayout {
  readonly elementOf: (warp: number, lane: number, register: number) => Index
  readonly ownersOf?: (element: Index) => ReadonlyArray<Place>
}

/** How many places there are. `registers` counts elements of a lane. */
export interface PlaceCounts {
  readonly warps: number
  readonly lanes: number
  readonly registers: number
}

const showPlace = ({ warp, lane, register }: Place): string =>
  `warp ${String(warp)}, lane ${String(lane)}, register ${String(register)}`

const places = ({ warps, lanes, registers }: PlaceCounts): Domain<Place> => ({
  size: warps * lanes * registers,
  at: (position) => ({
    warp: Math.floor(position / (lanes * registers)),
    lane: Math.floor(position / registers) % lanes,
    register: position % registers,
  }),
  show: showPlace,
})

/** How often every element is held, by row-major position; places outside the array are not counted. */
const heldBy = (subject: ForeignRegisterLayout, all: Domain<Place>, shape: Shape): Int32Array => {
  const held = new Int32Array(sizeOf(shape))
  const position = ravel(shape)
  for (let at = 0; at < all.size; at++) {
    const { warp, lane, register } = all.at(at)
    const element = subject.elementOf(warp, lane, register)
    if (inside(element, shape)) held[position(element)]!++
  }
  return held
}

const sameCount = (expected: number, found: number): Fault | null =>
  expected === found ? null : { expected: `${String(expected)} place(s)`, found: `${String(found)} place(s)` }

/** For any layout of an array of this shape over these places. */
export const anyRegisterLayoutLaws = (shape: Shape, counts: PlaceCounts): Kit<ForeignRegisterLayout> => {
  const all = places(counts)
  const elements = indices(shape)
  const position = ravel(shape)
  /** Counted on first use, so that what the subject throws is caught with the rest. */
  const counted = (subject: ForeignRegisterLayout): (() => Int32Array) => {
    let held: Int32Array | null = null
    return () => (held ??= heldBy(subject, all, shape))
  }
  return {
    name: `register layout of shape ${showShape(shape)}`,
    laws: [
      forAll(
        'registers.range',
        'every place holds an element of the array',
        all,
        ({ elementOf }) =>
          (place) => {
            const found = elementOf(place.warp, place.lane, place.register)
            return expectThat(inside(found, shape), `an index of ${showShape(shape)}`, found)
          },
      ),
      forAll(
        'registers.cover',
        'every element is held',
        elements,
        (subject) => {
          const held = counted(subject)
          return (e) => (held()[position(e)]! > 0 ? null : { expected: 'at least one place', found: 'none' })
        },
        'wholly',
      ),
      forAll(
        'registers.uniform',
        'every element is held the same number of times',
        elements,
        (subject) => {
          const held = counted(subject)
          return (e) => sameCount(held()[0]!, held()[position(e)]!)
        },
        'wholly',
      ),
      forAll(
        'registers.owners',
        'the owners of an element are the places that hold it',
        elements,
        (subject) => {
          const { ownersOf, elementOf } = subject
          if (ownersOf === undefined) return null
          const held = counted(subject)
          return (e) => {
            const found = ownersOf(e)
            const stranger = found.find(
              ({ warp, lane, register }) => expectSame(e, elementOf(warp, lane, register)) !== null,
            )
            if (stranger !== undefined)
              return {
                expected: 'places that hold it',
                found: `${showPlace(stranger)}, which holds ${showShape(elementOf(stranger.warp, stranger.lane, stranger.register))}`,
              }
            const different = new Set(found.map(showPlace)).size
            return sameCount(held()[position(e)]!, different)
          }
        },
        'wholly',
      ),
    ],
  }
}

/** For this layout of an array of this shape. Refuses a shape that the layout does not describe. */
export const registerLayoutLaws = (
  layout: RegisterLayout,
  shape: Shape,
): E.Either<Failure<LayoutError>, Kit<ForeignRegisterLayout>> =>
  pipe(
    checkShape(layout, shape),
    E.map(() => {
      const counts = {
        warps: warpCount(layout),
        lanes: laneCount(layout),
        registers: registersPerLane(layout, shape),
      }
      const table = elementTable(layout, shape)
      const all = places(counts)
      const definition: Law<ForeignRegisterLayout> = forAll(
        'registers.definition',
        `the element of ${showLayout(layout)}`,
        { size: all.size, at: (at) => at, show: (at) => showPlace(all.at(at)) },
        ({ elementOf }) =>
          (at) => {
            const { warp, lane, register } = all.at(at)
            return expectSame(unravel(shape)(table[at]!), elementOf(warp, lane, register))
          },
      )
      // One register of a splat stands for every element, so no place holds *an* element.
      const intrinsic = layout._tag === 'splat' ? [] : anyRegisterLayoutLaws(shape, counts).laws
      return {
        name: `${showLayout(layout)} on shape ${showShape(shape)}`,
        laws: [...intrinsic, definition],
      }
    }),
  )
