/** Agents in a sentence: every one is said once. The oracle reads the sentence back. */
import * as fc from 'fast-check'
import { expect, it, test } from 'vitest'
import { agentsText } from '../../../src/semantics/judging/agent-names.js'

const readBack = (text: string): ReadonlyArray<string> =>
  text.split(/, (?=warps? \d|[a-z]+@)/u).flatMap((part) => {
    const [, numbers, cta] = /^warps (.*) of CTA (\d+)$/u.exec(part) ?? []
    if (numbers === undefined || cta === undefined) return [part]
    const [, from, to] = /^(\d+) to (\d+)$/u.exec(numbers) ?? []
    const all =
      from === undefined
        ? numbers.split(/, | and /u).map(Number)
        : Array.from({ length: Number(to) - Number(from) + 1 }, (_, i) => Number(from) + i)
    return all.map((n) => `warp ${String(n)}@${cta}`)
  })

test('law 1: what is read back is what was listed', () => {
  const names = fc.oneof(
    fc.tuple(fc.nat(40), fc.nat(2)).map(([n, cta]) => `warp ${String(n)}@${String(cta)}`),
    fc.constantFrom('producer@0', 'consumer@1'),
  )
  fc.assert(
    fc.property(fc.uniqueArray(names, { minLength: 1, maxLength: 24 }), (all) => {
      expect([...readBack(agentsText(all))].sort()).toEqual([...all].sort())
    }),
  )
})

it.each([
  [['warp 0@0', 'warp 1@0', 'warp 2@0'], 'warps 0 to 2 of CTA 0'],
  [['warp 2@1', 'warp 0@1', 'producer@0', 'warp 5@0'], 'warps 0 and 2 of CTA 1, producer@0, warp 5@0'],
])('law 2: %j', (names, text) => {
  expect(agentsText(names)).toBe(text)
})
