/** Order between operations: litmus tests of the clauses, and a second engine. */
import * as E from 'fp-ts/lib/Either.js'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  allClauses,
  clauses,
  forgottenEdges,
  Litmus,
  type ClauseId,
} from '../../../src/semantics/host/index.js'
import { racesByEdges } from './edges.js'
import { randomTest } from './random-tests.js'

const linesOf = (text: ReadonlyArray<string>): ReadonlyArray<Litmus.Line> => {
  const lines = Litmus.linesOf(text)
  if (E.isLeft(lines)) throw new Error(lines.left.message)
  return lines.right
}
const answer = (text: ReadonlyArray<string>, without: ClauseId | null): 'ok' | 'race' =>
  Litmus.judged(linesOf(text), without === null ? allClauses : (c) => c !== without).races.length === 0
    ? 'ok'
    : 'race'

describe('clauses', () => {
  it.each(clauses.map((c) => [c.id, c] as const))('%s: its test needs it', (_, c) => {
    expect(answer(c.litmus, null)).toBe(c.expect)
    expect(answer(c.litmus, c.id)).toBe(c.without)
    expect(c.expect).not.toBe(c.without)
  })
  it.each(forgottenEdges.map((f) => [f.what, f] as const))('a race: %s', (_, f) => {
    expect(answer(f.litmus, null)).toBe('race')
  })
  it('refuses what is no line', () => {
    expect(E.isLeft(Litmus.linesOf(['A on s: writes x']))).toBe(true)
    expect(E.isLeft(Litmus.linesOf(['graph on s; A after B: write x']))).toBe(true)
  })
})

describe('law 3: the closure of edges', () => {
  it('finds the same pairs of operations', () => {
    fc.assert(
      fc.property(randomTest, (text) => {
        const lines = linesOf(text)
        const { races, names } = Litmus.judged(lines, allClauses)
        const shown = (n: number | null): string => (n === null ? 'host' : names[n]!)
        const found = new Set(races.map((r) => `${shown(r.second.operation)} ${r.second.access.memory}`))
        const expected = new Set(racesByEdges(lines).map((r) => `${r.second} ${r.memory}`))
        expect([...found].sort()).toEqual([...expected].sort())
      }),
      { numRuns: 2000 },
    )
  })
})
