/**
 * Bijections of 0 .. n-1: the kit under all others, for any numbering of your own.
 *
 * Laws that the kit states
 * - `bijection.range`: forward(i) is an integer of 0 .. n-1.
 * - `bijection.injective`: no two points have the same image. Between sets of one finite size this makes it a
 * bijection.
 * - `bijection.left-inverse`: backward(forward(i)) = i.
 * - `bijection.right-inverse`: forward(backward(j)) = j.
 */
import type { Fault, Kit } from './law.js'
import { expectSame, expectThat, forAll, numbers, show } from './law.js'

export interface ForeignBijection {
  readonly forward: (point: number) => number
  readonly backward?: (image: number) => number
}

/** Judges points in order and remembers their images. */
export const distinct = (
  image: (point: number) => unknown,
  name: string,
  things: string,
): ((point: number) => Fault | null) => {
  const seen = new Map<unknown, number>()
  return (point) => {
    const value = image(point)
    const found = typeof value === 'number' ? value : show(value)
    const before = seen.get(found)
    if (before === undefined) {
      seen.set(found, point)
      return null
    }
    return {
      input: `${name} ${String(before)} and ${String(point)}`,
      expected: `two ${things}`,
      found: `${show(value)} for both`,
    }
  }
}

/** For functions on 0 .. size-1. */
export const bijectionLaws = (size: number): Kit<ForeignBijection> => {
  const points = numbers(size, 'point')
  return {
    name: `bijection of ${String(size)} points`,
    laws: [
      forAll('bijection.range', 'every image is an integer from 0 to n-1', points, ({ forward }) => (i) => {
        const image = forward(i)
        return expectThat(
          Number.isInteger(image) && image >= 0 && image < size,
          `an integer from 0 to ${String(size - 1)}`,
          image,
        )
      }),
      forAll(
        'bijection.injective',
        'no two points have the same image',
        points,
        ({ forward }) => distinct(forward, 'points', 'images'),
        'wholly',
      ),
      forAll('bijection.left-inverse', 'backward(forward(i)) = i', points, ({ forward, backward }) =>
        backward === undefined ? null : (i) => expectSame(i, backward(forward(i))),
      ),
      forAll('bijection.right-inverse', 'forward(backward(j)) = j', points, ({ forward, backward }) =>
        backward === undefined ? null : (j) => expectSame(j, forward(backward(j))),
      ),
    ],
  }
}
