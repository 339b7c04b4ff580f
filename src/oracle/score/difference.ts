/**
 * Where two answers differ first: a path, what was expected there and what was found.
 *
 *     expected {"addresses": {"bits": [0, 2, 4]}}, found {"addresses": {"bits": [0, 4, 2]}}    at $.addresses.bits[1]: expected 2, found 4
 *
 * A pattern of a tensor is said as its type reads (`pattern.ts`).
 */
import { isObject, type Json } from '../../wire.js'
import type { Dtype } from '../../numerics/dtype.js'
import { own } from '../../own.js'
import { dtypeNamed, patternText } from './pattern.js'

export interface Difference {
  /** `$` is the answer */
  readonly path: string
  readonly expected: string
  readonly found: string
}

const most = 80
const shown = (json: unknown): string => {
  const text = json === undefined ? 'nothing' : JSON.stringify(json)
  return text.length <= most ? text : `${text.slice(0, most)}...`
}

const shownAs = (dtype: Dtype | null, json: unknown): string =>
  dtype !== null && typeof json === 'number' && Number.isSafeInteger(json) && json >= 0
    ? patternText(dtype, json)
    : shown(json)

const here = (path: string, expected: unknown, found: unknown, dtype: Dtype | null = null): Difference => ({
  path,
  expected: shownAs(dtype, expected),
  found: shownAs(dtype, found),
})

/** null: they are equal. */
export const firstDifference = (
  expected: unknown,
  found: unknown,
  path = '$',
  dtype: Dtype | null = null,
): Difference | null => {
  if (Array.isArray(expected) && Array.isArray(found)) {
    for (let i = 0; i < expected.length && i < found.length; i++) {
      const inside = firstDifference(expected[i], found[i], `${path}[${String(i)}]`, dtype)
      if (inside !== null) return inside
    }
    return expected.length === found.length ? null : here(`${path}.length`, expected.length, found.length)
  }
  if (!isObject(expected) || !isObject(found))
    return expected === found ? null : here(path, expected, found, dtype)
  for (const key of new Set([...Object.keys(expected), ...Object.keys(found)])) {
    const patterns = key === 'bits' ? dtypeNamed(own(expected, 'dtype')) : null
    const inside = firstDifference(own(expected, key), own(found, key), `${path}.${key}`, patterns)
    if (inside !== null) return inside
  }
  return null
}

export const showDifference = ({ path, expected, found }: Difference): string =>
  `at ${path}: expected ${expected}, found ${found}`

/** The size of a question, by which the smaller of two is shown. */
export const weight = (question: Json): number => JSON.stringify(question).length
