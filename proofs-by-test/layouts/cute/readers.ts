/** Small readers and the oracles of CuTe's proofs. */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../../src/failure.js'
import type { IntTuple } from '../../../src/layouts/cute/int-tuple.js'
import type { Layout, Mode } from '../../../src/layouts/cute/layout.js'
import { flatModes } from '../../../src/layouts/cute/layout.js'
import { parseLayout, showLayout } from '../../../src/layouts/cute/text.js'

export { code, range, right } from '../captured.js'

const must = <A>(e: E.Either<Failure, A>): A => {
  if (E.isLeft(e)) throw new Error(e.left.message)
  return e.right
}

/** A layout from its text. */
export const L = (text: string): Layout => must(parseLayout(text))

/** The text of a result, or the code of its refusal. */
export const text = (e: E.Either<Failure, Layout>): string =>
  E.isLeft(e) ? e.left.code : showLayout(e.right)

/**
 * The oracle: a plain layout as a loop over its leaves, fastest first, with no end to the last one. Written down without the module that
 * it is compared with.
 */
export const value = (l: Layout, index: number): number => {
  const modes = flatModes(l)
  let left = index
  let sum = 0
  modes.forEach(({ shape, stride }: Mode, k) => {
    if (typeof stride !== 'number') throw new Error('a basis stride')
    const c = k === modes.length - 1 ? left : ((left % shape) + shape) % shape
    left = Math.floor(left / shape)
    sum += c * stride
  })
  return sum
}

export const extent = (l: Layout): number => flatModes(l).reduce((n, mode) => n * mode.shape, 1)

export const image = (l: Layout): readonly number[] =>
  Array.from({ length: extent(l) }, (_, i) => value(l, i))

/** Brackets of JSON as CuTe prints them. */
export const tupleText = (t: IntTuple): string => JSON.stringify(t).replaceAll('[', '(').replaceAll(']', ')')

/** Every flat layout with these numbers of modes, extents and strides. */
export const allLayouts = (
  ranks: number,
  extents: readonly number[],
  strides: readonly number[],
): Layout[] => {
  const modes = extents.flatMap((s) => strides.map((d) => [s, d] as const))
  let lists: (readonly (readonly [number, number])[])[] = [[]]
  for (let k = 0; k < ranks; k++) lists = lists.flatMap((list) => modes.map((mode) => [...list, mode]))
  return lists.map((list) =>
    list.length === 1
      ? { _tag: 'layout', shape: list[0]![0], stride: list[0]![1] }
      : { _tag: 'layout', shape: list.map(([s]) => s), stride: list.map(([, d]) => d) },
  )
}
