/** The counts of the chip are those that its programs wrote, and every id is counted or excused. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { hazardIds } from '../../../src/semantics/judging/hazards.js'
import { silicon, siliconClause, unshown } from '../../../src/semantics/judging/silicon.js'

interface Row {
  readonly hazard: string
  readonly reader: string
  readonly statement: boolean
  readonly blocks: number
  readonly trials?: number
  readonly wrong?: number
  readonly byDelay?: ReadonlyArray<number>
  readonly fault?: string
  readonly launches?: number
}
const { device, launches, clocks, rows } = JSON.parse(
  readFileSync(new URL('../../../conformance/hopper/evidence/counts.json', import.meta.url), 'utf8'),
) as {
  readonly device: string
  readonly launches: number
  readonly clocks: ReadonlyArray<number>
  readonly rows: ReadonlyArray<Row>
}
const sum = (ns: ReadonlyArray<number>): number => ns.reduce((a, b) => a + b, 0)

describe('law 1: the numbers of the programs', () => {
  it('were counted on an H100, every trial at one pair of delays', () => {
    expect(device).toContain('H100')
    for (const r of rows) {
      if (r.fault !== undefined) continue
      // one trial is a block; of a pair of blocks, one of the two where the two are one trial
      const perLaunch = r.hazard === 'D3' || r.reader === 'cluster' ? r.blocks / 2 : r.blocks
      expect([r.hazard, r.trials]).toEqual([r.hazard, perLaunch * launches])
      expect(r.byDelay).toHaveLength(clocks.length ** 2)
      expect(sum(r.byDelay ?? [])).toBe(r.wrong)
    }
  })
  it('with the statement nothing is wrong, and nothing faults', () => {
    const standing = rows.filter((r) => r.statement)
    expect(standing).toHaveLength(2 * silicon.length)
    expect(standing.filter((r) => r.wrong !== 0)).toEqual([])
  })
  it('without it the table says the same', () => {
    const told = silicon.flatMap(({ hazard, reader, grids }) =>
      grids.map((g) => Object.assign({ hazard, reader }, g)),
    )
    const made = rows
      .filter((r) => !r.statement)
      .map(({ hazard, reader, blocks, trials, wrong, fault, launches: faultAt }) =>
        fault === undefined ? { hazard, reader, blocks, trials, wrong } : { hazard, reader, blocks, faultAt },
      )
    const text = (all: ReadonlyArray<object>): ReadonlyArray<string> =>
      all.map((x) => JSON.stringify(x)).sort()
    expect(text(told)).toEqual(text(made))
  })
})

it('law 2: an id is seen, or it is said why not', () => {
  for (const id of hazardIds)
    expect([id, (siliconClause(id) === undefined) !== (unshown[id] === undefined)]).toEqual([id, true])
})

it('a clause says how many of how many', () => {
  expect(siliconClause('W3')).toBe('seen wrong in 927,611 of 4,752,000 trials on an H100')
  expect(siliconClause('W2')).toBe('by the manual; never seen wrong in 4,752,000 trials on an H100')
  expect(siliconClause('B2')).toBe('an H100 ended the launch with a fault')
  expect(siliconClause('T1')).toBeUndefined()
})
