/**
 * Where two answers differ first: a path, what was expected there and what was found.
 *
 *     expected {"addresses": {"bits": [0, 2, 4]}}, found {"addresses": {"bits": [0, 4, 2]}}    at $.addresses.bits[1]: expected 2, found 4
 *
 * A pattern of a tensor is said as its type reads (`pattern.ts`), and of a tensor of several dimensions the index of the element beside its number:
 *
 *     {"dtype": "u32", "shape": [2, 32], "bits": [...]}                                        at $.addresses.bits[33], element [1, 1]: expected ...
 */
import { isObject, type Json } from '../../wire.js'
import type { Dtype } from '../../numerics/dtype.js'
import { own } from '../../own.js'
import { sizeOf, unravel } from '../../transforms/shape.js'
import { dtypeNamed, patternText } from './pattern.js'

export interface Difference {
  /** `$` is the answer */
  readonly path: string
  /** index of the element of a tensor; null: its number says it */
  readonly element: ReadonlyArray<number> | null
  readonly expected: string
  readonly found: string
}

/** What the numbers of a list are: patterns of a tensor, or nothing in particular. */
interface Patterns {
  readonly dtype: Dtype
  readonly shape: ReadonlyArray<number>
}

const patternsOf = (tensor: Readonly<Record<string, unknown>>): Patterns | null => {
  const [dtype, shape] = [dtypeNamed(own(tensor, 'dtype')), own(tensor, 'shape')]
  const extents = Array.isArray(shape) ? shape.filter((n) => typeof n === 'number') : []
  return dtype === null ? null : { dtype, shape: extents }
}

/** In a row of elements the number of one says which it is. */
const elementOf = ({ shape }: Patterns, at: number): ReadonlyArray<number> | null =>
  shape.filter((extent) => extent !== 1).length > 1 && at < sizeOf(shape) ? unravel(shape)(at) : null

const most = 80
const shown = (json: unknown): string => {
  const text = json === undefined ? 'nothing' : JSON.stringify(json)
  return text.length <= most ? text : `${text.slice(0, most)}...`
}

const shownAs = (dtype: Dtype | null, json: unknown): string =>
  dtype !== null && typeof json === 'number' && Number.isSafeInteger(json) && json >= 0
    ? patternText(dtype, json)
    : shown(json)

const here = (
  path: string,
  expected: unknown,
  found: unknown,
  dtype: Dtype | null,
  element: ReadonlyArray<number> | null,
): Difference => ({ path, element, expected: shownAs(dtype, expected), found: shownAs(dtype, found) })

const differenceAt = (
  expected: unknown,
  found: unknown,
  path: string,
  patterns: Patterns | null,
  element: ReadonlyArray<number> | null,
): Difference | null => {
  if (Array.isArray(expected) && Array.isArray(found)) {
    for (let i = 0; i < expected.length && i < found.length; i++) {
      if (expected[i] === found[i]) continue
      const at = patterns === null ? null : elementOf(patterns, i)
      const inside = differenceAt(expected[i], found[i], `${path}[${String(i)}]`, patterns, at)
      if (inside !== null) return inside
    }
    return expected.length === found.length
      ? null
      : here(`${path}.length`, expected.length, found.length, null, null)
  }
  if (!isObject(expected) || !isObject(found))
    return expected === found ? null : here(path, expected, found, patterns?.dtype ?? null, element)
  for (const key of new Set([...Object.keys(expected), ...Object.keys(found)])) {
    const below = key === 'bits' ? patternsOf(expected) : null
    const inside = differenceAt(own(expected, key), own(found, key), `${path}.${key}`, below, null)
    if (inside !== null) return inside
  }
  return null
}

/** null: they are equal. */
export const firstDifference = (expected: unknown, found: unknown): Difference | null =>
  differenceAt(expected, found, '$', null, null)

export const showDifference = ({ path, element, expected, found }: Difference): string =>
  `at ${path}${element === null ? '' : `, element [${element.join(', ')}]`}: expected ${expected}, found ${found}`

/** The size of a question, by which the smaller of two is shown. */
export const weight = (question: Json): number => JSON.stringify(question).length
