import * as E from 'fp-ts/lib/Either.js'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { explore, type Exploration } from '../../../src/semantics/naive/explore.js'
import { parse } from '../../../src/semantics/naive/notation.js'
import type { Skeleton } from '../../../src/semantics/naive/skeleton.js'

/** One record a line: a skeleton, then what an independent engine counted in its whole state space. */
const recorded: ReadonlyArray<readonly [string, string]> = readFileSync(
  new URL('../../../conformance/prototype/explored.txt', import.meta.url),
  'utf8',
)
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => {
    const [skeleton, counts] = line.split('\t')
    return [skeleton!, counts!]
  })

export const skeleton = (text: string): Skeleton => {
  const parsed = parse(text)
  if (E.isLeft(parsed)) throw new Error(parsed.left.message)
  return parsed.right
}
const explored = (text: string, stop: boolean): Exploration => {
  const result = explore(skeleton(text), { states: 200_000, stop })
  if (result === 'too large') throw new Error(`too large: ${text}`)
  return result
}
const counts = (x: Exploration): string =>
  [x.states, x.race.length, x.visibility.length, x.fault.length, x.deadlock.length, x.exit.length].join(' ')

describe('explore', () => {
  it('law 2: agrees with the recorded engine in every count of every state space', () => {
    const wrong = recorded.filter(([text, expected]) => counts(explored(text, false)) !== expected)
    expect(wrong.slice(0, 5).map(([text, expected]) => [text, expected, counts(explored(text, false))])).toEqual([])
  })
})
