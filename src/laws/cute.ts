/**
 * A shape:stride layout of your own: the function of an integer coordinate, which is read colexicographically.
 *
 * Laws that the kit states
 * - `cute.size`, `cute.cosize`: the number of coordinates; one more than the last offset.
 * - `cute.definition`: at(i) is that of the layout, on its coordinates and one size beyond, since the last mode has no end.
 */
import type { Layout } from '../layouts/cute/layout.js'
import { at as defined, cosize as definedCosize, size as definedSize } from '../layouts/cute/layout.js'
import type { Domain, Kit } from './law.js'
import { expectSame, forAll, numbers } from './law.js'

export interface ForeignCuteLayout {
  readonly at: (coordinate: number) => unknown
  readonly size?: () => number
  readonly cosize?: () => number
}

const once: Domain<null> = { size: 1, at: () => null, show: () => 'the layout' }

/** For this layout. */
export const cuteLayoutLaws = (layout: Layout): Kit<ForeignCuteLayout> => ({
  name: 'shape:stride layout',
  laws: [
    forAll('cute.size', 'the number of coordinates', once, ({ size }) =>
      size === undefined ? null : () => expectSame(definedSize(layout), size()),
    ),
    forAll('cute.cosize', 'one more than the last offset', once, ({ cosize }) =>
      cosize === undefined ? null : () => expectSame(definedCosize(layout), cosize()),
    ),
    forAll(
      'cute.definition',
      'the offset of the layout',
      numbers(2 * definedSize(layout), 'coordinate'),
      ({ at }) =>
        (i) =>
          expectSame(defined(layout, i), at(i)),
    ),
  ],
})
