/** Verdicts of kernels of strong and weak accesses, against every execution that the axioms of the memory model allow. */
import { describe, expect, test } from 'vitest'
import { dice } from '../../../../src/semantics/schedules/naive/random.js'
import { behaviours, everyAxiom, type Axiom } from '../../../../src/semantics/axioms/index.js'
import { nightly } from '../../../extent.js'
import { drawn } from './drawn.js'
import { asked, meant, show } from './sweep.js'

const from = nightly ? 1_000_000 : 1
const count = nightly ? 100_000 : 120

describe('theorem', () => {
  test(`${String(count)} kernels: sound, complete, real`, { timeout: 7_200_000 }, () => {
    const verdicts = new Map<string, number>()
    const wrong: string[] = []
    for (let seed = from; seed < from + count; seed++) {
      const { row, verdict } = asked(seed)
      verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1)
      if (row !== null) wrong.push(show(row))
    }
    expect(wrong).toEqual([])
    // most are decided, one way or the other
    expect(verdicts.get('ok') ?? 0).toBeGreaterThan(count / 4)
    expect(verdicts.get('hazard') ?? 0).toBeGreaterThan(count / 4)
    expect(verdicts.get('undecided, clean') ?? 0).toBeLessThan(1 + count / 500)
  })
})

/** Kinds that few kernels have: each was found among very many. */
const rare: ReadonlyArray<readonly [what: string, seed: number]> = [
  ['a read behind which its agent and another store one value', 1_024_902],
  ['an exchange that would have found a store that it comes before', 1_026_830],
  ['a sum that may come before one that nobody has looked at', 1_082_313],
  ['a sum that may come before one whose thread has written what its own has read', 2_016_270],
]
test.each(rare)('%s', (_, seed) => {
  const { row } = asked(seed)
  expect(row === null ? null : show(row)).toBeNull()
})

describe('what the kernels are about', () => {
  // each axiom left out, or a rule of order, some of them mean something else
  const without: ReadonlyArray<Axiom> = everyAxiom.filter(
    (a) => a !== 'no-thin-air' && a !== 'coherence' && a !== 'fence-sc',
  )
  for (const axiom of without)
    test(`without ${axiom} some kernel has other outcomes`, () => {
      let seen = false
      for (let seed = 1; seed < 4_000 && !seen; seed++) {
        const d = drawn(dice(seed))
        const [all, less] = [behaviours(d.program), behaviours(d.program, { without: [axiom] })]
        seen =
          all._tag === 'Right' &&
          less._tag === 'Right' &&
          all.right.complete &&
          less.right.complete &&
          less.right.outcomes.length > all.right.outcomes.length
      }
      expect(seen).toBe(true)
    })
  test('races, results that differ, and neither', () => {
    const kinds = new Set<string>()
    for (let seed = 1; seed < 300; seed++) {
      const m = meant(drawn(dice(seed)))
      if (m !== null) kinds.add(m.races ? 'races' : m.differs ? 'differs' : 'clean')
    }
    expect([...kinds].sort()).toEqual(['clean', 'differs', 'races'])
  })
})
