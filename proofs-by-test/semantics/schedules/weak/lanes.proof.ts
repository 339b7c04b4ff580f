/** Lanes of one warp that read a flag together and decide together who goes on, against every execution that the axioms of the memory model allow. */
import { expect, test } from 'vitest'
import { nightly } from '../../../extent.js'
import { lanesAsked } from './lanes.js'

const from = nightly ? 1_000_000 : 1
const count = nightly ? 20_000 : 20

test(
  `${String(count)} kernels: a race is found just where some execution has one`,
  { timeout: 3_600_000 },
  () => {
    const verdicts = new Map<string, number>()
    const wrong: string[] = []
    for (let seed = from; seed < from + count; seed++) {
      const row = lanesAsked(seed)
      verdicts.set(row.verdict, (verdicts.get(row.verdict) ?? 0) + 1)
      if (row.wrong !== null) wrong.push(row.wrong)
    }
    expect(wrong).toEqual([])
    for (const verdict of ['ok', 'hazard', 'ok of many', 'hazard of many'])
      expect(verdicts.get(verdict) ?? 0, verdict).toBeGreaterThan(nightly ? count / 20 : 0)
  },
)
