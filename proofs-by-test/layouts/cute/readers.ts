/** Small readers and the oracles of CuTe's proofs. */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../../src/failure.js'
import type { IntTuple } from '../../../src/layouts/cute/int-tuple.js'
import type { Layout, Mode } from '../../../src/layouts/cute/layout.js'
import { flatModes } from '../../../src/layouts/cute/layout.js'
import { parseLayout, showLayout } from '../../../src/layouts/cute/text.js'
import { right } from '../../either.js'

export { range } from '../captured.js'

/** A layout from its text. */
export const L = (text: string): Layout => right(parseLayout(text))

/** The text of a result, or the code of its refusal. */
export const text = (e: E.Either<Failure, Layout>): string =>
  E.isLeft(e) ? e.left.code : showLayout(e.right)

/**
 * The oracle: the leaves of a plain layout, then a loop over them, fastest first, with no end to the last one. Written down without the
 * module that it is compared with.
 */
const evaluator = (l: Layout): ((index: number) => number) => {
  const modes: readonly Mode[] = flatModes(l)
  const extents = modes.map((mode) => mode.shape)
  const strides = modes.map(({ stride }) => (typeof stride === 'number' ? stride : NaN))
  const last = modes.length - 1
  return (index) => {
    let left = index
    let sum = 0
    for (let k = 0; k <= last; k++) {
      const shape = extents[k]!
      const c = k === last ? left : ((left % shape) + shape) % shape
      left = Math.floor(left / shape)
      sum += c * strides[k]!
    }
    return sum
  }
}

export const value = (l: Layout, index: number): number => evaluator(l)(index)

export const extent = (l: Layout): number => flatModes(l).reduce((n, mode) => n * mode.shape, 1)

/** The values at 0 .. n-1, n the size by default. */
export const image = (l: Layout, n: number = extent(l)): readonly number[] => {
  const f = evaluator(l)
  return Array.from({ length: n }, (_, i) => f(i))
}

/** The values at the given integers. */
export const values = (l: Layout, at: readonly number[]): readonly number[] => at.map(evaluator(l))

export const same = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((x, i) => x === b[i])

/** One expectation for many checks: the things that fail, named. */
export const failing = <A>(things: readonly A[], ok: (a: A) => boolean, name: (a: A) => string): string[] =>
  things.filter((a) => !ok(a)).map(name)

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
