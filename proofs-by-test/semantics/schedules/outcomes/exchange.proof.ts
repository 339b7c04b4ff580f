/**
 * Equals that go first for one another. Oracle: the same search in which every cluster is itself.
 *
 * By day a few hundred kernels of three to five CTAs, by night 20,000.
 */
import { expect, test } from 'vitest'
import { nightly } from '../../../extent.js'
import { drawn, show, verdictOf } from './equals.js'

const from = nightly ? 1_000_000 + Number(process.env['TCSPEC_FROM'] ?? 0) : 1
const count = nightly
  ? Number(process.env['TCSPEC_PROGRAMS'] ?? 20_000)
  : Number(process.env['TCSPEC_PROGRAMS'] ?? 150)
const budget = 60_000

test(`${String(count)} kernels: the same verdict with equals and without`, { timeout: 14_400_000 }, () => {
  const seen = new Map<string, number>()
  const wrong: string[] = []
  let fewer = 0
  for (let seed = from; seed < from + count; seed++) {
    const d = drawn(seed)
    const some = verdictOf(d, false, budget)
    const name = `${some.verdict}${some.search?.exchanged === true ? ' by equals' : ''}${some.decidedBy === 'exploration' ? ' explored' : ''}`
    seen.set(name, (seen.get(name) ?? 0) + 1)
    if (some.search === null) continue
    const all = verdictOf(d, true, budget)
    if (some.verdict !== all.verdict && all.verdict !== 'undecided')
      wrong.push(
        `seed ${String(seed)}: ${some.verdict} (${some.reason}), every CTA ${all.verdict} (${all.reason})\n${show(d)}`,
      )
    if (some.search.exchanged === true && (all.search?.states ?? 0) > some.search.states) fewer++
  }
  if (nightly || process.env['TALLY'] !== undefined) console.log([...seen], { fewer })
  expect(wrong).toEqual([])
  expect(fewer).toBeGreaterThan(count / 12)
})
