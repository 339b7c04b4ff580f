/**
 * Whatever is ok by one schedule is ok by all that is asked of it (`mutants.ts`): a hundred mutants by day, at night as many as it takes for 50,000 that are
 * accepted. `TCSPEC_PROGRAMS`: so many seeds, `TCSPEC_FROM`: from that one on, for a sweep in pieces.
 */
import { expect, test } from 'vitest'
import { nightly } from '../../extent.js'
import { ask, mutantOf } from './mutants.js'

const from = Number(process.env['TCSPEC_FROM'] ?? 0)
const count = Number(process.env['TCSPEC_PROGRAMS'] ?? (nightly ? 90_000 : 40))

test('what is ok by one schedule is ok', { timeout: 14_400_000 }, () => {
  const tally = { seeds: 0, accepted: 0, ok: 0, searched: 0 }
  const said = new Map<string, number>()
  const against: string[] = []
  for (let seed = from; seed < from + count; seed++) {
    const asked = ask(mutantOf(seed), nightly ? 3_000 : 300)
    tally.seeds += 1
    if (asked.accepted) tally.accepted += 1
    if (asked.said === 'ok') tally.ok += 1
    if (asked.searched) tally.searched += 1
    said.set(asked.said, (said.get(asked.said) ?? 0) + 1)
    for (const text of asked.against) against.push(`seed ${String(seed)}: ${text}`)
  }
  if (nightly) console.log(JSON.stringify({ ...tally, said: Object.fromEntries(said), against }))
  expect(against.slice(0, 5)).toEqual([])
  // not for want of cases
  expect(tally.accepted).toBeGreaterThan(count / 4)
  expect(tally.ok).toBeGreaterThan(count / 20)
  expect(tally.searched).toBeGreaterThan(tally.ok / 4)
})
