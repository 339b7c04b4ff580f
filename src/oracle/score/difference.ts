/**
 * Where two answers differ first: a path, what was expected there and what was found.
 *
 *     expected {"addresses": {"bits": [0, 2, 4]}}, found {"addresses": {"bits": [0, 4, 2]}}    at $.addresses.bits[1]: expected 2, found 4
 */
import { isObject, type Json } from '../../wire.js'
import { own } from '../../own.js'

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

const here = (path: string, expected: unknown, found: unknown): Difference => ({
  path,
  expected: shown(expected),
  found: shown(found),
})

/** null: they are equal. */
export const firstDifference = (expected: unknown, found: unknown, path = '$'): Difference | null => {
  if (Array.isArray(expected) && Array.isArray(found)) {
    for (let i = 0; i < expected.length && i < found.length; i++) {
      const inside = firstDifference(expected[i], found[i], `${path}[${String(i)}]`)
      if (inside !== null) return inside
    }
    return expected.length === found.length ? null : here(`${path}.length`, expected.length, found.length)
  }
  if (!isObject(expected) || !isObject(found)) return expected === found ? null : here(path, expected, found)
  for (const key of new Set([...Object.keys(expected), ...Object.keys(found)])) {
    const inside = firstDifference(own(expected, key), own(found, key), `${path}.${key}`)
    if (inside !== null) return inside
  }
  return null
}

export const showDifference = ({ path, expected, found }: Difference): string =>
  `at ${path}: expected ${expected}, found ${found}`

/** The size of a question, by which the smaller of two is shown. */
export const weight = (question: Json): number => JSON.stringify(question).length
