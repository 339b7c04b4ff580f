/** What fences of one CTA's memory cover of guests: laws 1 and 2, against a function of CTA, agent and lane. */
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as Near from '../../../../src/semantics/judging/detector/near.js'

const covered = fc.oneof(
  fc.array(fc.nat(5), { minLength: 1, maxLength: 1 }),
  fc.array(fc.nat(5), { minLength: 32, maxLength: 32 }),
)
const near = fc.array(fc.array(covered, { maxLength: 3 }), { maxLength: 3 })

/** How far one lane is covered, by what is asked of it alone. */
const farOf = (x: Near.Near, cta: number, agent: number, lane: number): number => {
  let at = 0
  while (((Near.lanesCovered(x, cta, agent, at + 1) >>> lane) & 1) === 1) at++
  return at
}
const places = [0, 1, 2].flatMap((cta) =>
  [0, 1, 2].flatMap((agent) => [0, 5, 31].map((lane) => [cta, agent, lane] as const)),
)

describe('near', () => {
  it('law 1: join and meet are pointwise', () => {
    fc.assert(
      fc.property(near, near, (x, y) => {
        for (const place of places) {
          const [a, b] = [farOf(x, ...place), farOf(y, ...place)]
          expect(farOf(Near.join(x, y), ...place)).toBe(Math.max(a, b))
          expect(farOf(Near.meet(x, y), ...place)).toBe(Math.min(a, b))
        }
      }),
      { numRuns: 40 },
    )
  })
  it('law 2: one number for all lanes says what 32 of them say', () => {
    for (let at = 0; at < 4; at++)
      for (let asked = 0; asked < 5; asked++)
        expect(Near.lanesCovered([[[at]]], 0, 0, asked)).toBe(
          Near.lanesCovered([[new Array<number>(32).fill(at)]], 0, 0, asked),
        )
  })
  it('what is heard is of one CTA and one agent', () => {
    const x = Near.heard(Near.nowhere, 1, 2, [7])
    expect(Near.lanesCovered(x, 1, 2, 7)).toBe(-1)
    expect(Near.lanesCovered(x, 1, 2, 8)).toBe(0)
    for (const [cta, agent] of places) {
      if (cta === 1 && agent === 2) continue
      expect(Near.lanesCovered(x, cta, agent, 1)).toBe(0)
    }
    expect(Near.lanesCovered(Near.heard(x, 1, 2, [3]), 1, 2, 7)).toBe(-1)
  })
})
