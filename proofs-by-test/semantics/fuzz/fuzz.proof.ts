/** No document makes the library hang or crash: it ends in a verdict or in a typed refusal, within its fuel. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { edited, edits, type DamageConstraints } from '../../../src/arbitraries/json.js'
import { bits } from '../../../src/numerics/bits.js'
import type { Json } from '../../../src/wire.js'
import { hostile } from './hostile.js'
import { hostileTraces } from './hostile-traces.js'
import { counted, jsonOf, ofProgram, ofTrace, programs, traces } from './judge.js'
import { nightly, sampled } from '../../extent.js'

const documents = programs.map(jsonOf)

/** A sweep of so many by day, and of 1,200 times as many by night. */
const runs = (byDay: number): number => (nightly ? 1200 * byDay : byDay)

describe('programs that ask for more than there is', () => {
  test.each(sampled(4, hostile))('%s', (_, program, comes) => {
    expect(ofProgram(program)).toBe(comes)
  })
  test('over bits they end, too', () => {
    const hopper = bits('hopper')
    const asked = hostile.filter((_, i) => nightly || i % 12 === 0)
    for (const [, program] of asked) expect(ofProgram(program, hopper)).toMatch(/^[\w.-]+$/)
  })
})

describe('traces that are larger than anything is', () => {
  test.each(sampled(4, hostileTraces))('%s', (_, lines, comes) => {
    expect(ofTrace(lines)).toBe(comes)
  })
})

describe('damaged traces', () => {
  test('end in a verdict or a refusal; many are read to their end', () => {
    const of = traces()
    const kinds = ['kin', 'scale', 'kin', 'replace', 'graft', 'repeat', 'remove'] as const
    let total = 0
    let judged = 0
    const property = (constraints: DamageConstraints, seed: number, cases: number): void => {
      fc.assert(
        fc.property(fc.nat(of.length - 1), fc.boolean(), edits(constraints), (k, count, some) => {
          const document = some.reduce(edited, of[k]!)
          total++
          if (!ofTrace(count ? counted(document) : document).startsWith('trace.')) judged++
        }),
        { seed, numRuns: runs(cases), endOnFailure: true },
      )
    }
    property({ maxEdits: 2 }, 4, 30)
    property({ maxEdits: 2, kinds }, 5, 45)
    expect(judged / total).toBeGreaterThan(0.2)
  })
})

describe('damaged programs', () => {
  const outcomes = new Map<string, number>()
  const count = (what: string): boolean => {
    outcomes.set(what, (outcomes.get(what) ?? 0) + 1)
    return true
  }
  /** Edits are drawn, not documents: a failure is told by them, and is small as it stands. */
  const sweep = (
    constraints: DamageConstraints,
    seed: number,
    cases: number,
    outcome: (document: Json) => string,
  ): void => {
    fc.assert(
      fc.property(fc.nat(documents.length - 1), edits(constraints), (k, some) =>
        count(outcome(some.reduce(edited, documents[k]!))),
      ),
      { seed, numRuns: runs(cases), endOnFailure: true },
    )
  }
  test('of all kinds of damage', () => {
    sweep({ maxEdits: 2 }, 1, 110, (document) => ofProgram(document))
  })
  test('of parts that are exchanged for others of their kind: most are read, many run', () => {
    const kinds = ['kin', 'scale', 'kin', 'replace', 'repeat', 'remove'] as const
    sweep({ maxEdits: 2, kinds }, 2, 55, (document) => ofProgram(document))
  })
  test('over bits, and with further schedules', () => {
    const hopper = bits('hopper')
    sweep({ maxEdits: 1, kinds: ['kin', 'scale'] }, 3, 8, (document) => ofProgram(document, hopper, true))
  })
  test('enough of them get through to the machine', () => {
    const total = [...outcomes.values()].reduce((sum, n) => sum + n, 0)
    const judged = ['ok', 'hazard', 'deadlock', 'invalid', 'undecided', 'wrong-result', 'out-of-fuel'].reduce(
      (sum, name) => sum + (outcomes.get(name) ?? 0),
      0,
    )
    expect(judged / total).toBeGreaterThan(0.3)
    expect(outcomes.size).toBeGreaterThan(nightly ? 20 : 7)
  })
})
