/** The counts of the chip are those that its programs wrote, and every id is counted or excused. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  other,
  reading,
  waiting,
  writing,
  type AccessDeed,
  type Deed,
} from '../../../src/semantics/judging/deed.js'
import { hazardIds, type HazardId } from '../../../src/semantics/judging/hazards.js'
import { ofPlane } from '../../../src/semantics/judging/subject.js'
import type { Space } from '../../../src/semantics/language/types.js'
import type { Header } from '../../../src/semantics/log/events.js'
import { unitNames } from '../../../src/semantics/log/units.js'
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

it('law 2: an id is counted, or it is said why not', () => {
  const isCounted = (id: HazardId): boolean => silicon.some((s) => s.hazard === id)
  for (const id of hazardIds) expect([id, isCounted(id) === (unshown[id] === undefined)]).toEqual([id, true])
})

describe('law 3: a clause is about one mistake', () => {
  const by = (_tag: 'reads' | 'writes', unit: AccessDeed['unit'], atomic = false): AccessDeed => ({
    _tag,
    unit,
    atomic,
  })
  const clause = (
    id: HazardId,
    a: Deed,
    b: Deed | null,
    arch: Header['arch'] = 'sm90a',
    space: Space = id === 'D2' || id === 'D3' || id === 'P5' ? 'gmem' : 'smem',
  ): string | undefined =>
    siliconClause(
      { arch, planes: [{ name: 'p', space, bytes: 4, initialised: true }] },
      { id, deeds: { a, b }, about: [ofPlane(0)] },
    )

  it('says how many of how many, whichever side came first', () => {
    const said =
      'in a micro-kernel with this mistake, an H100 computed wrong results in 927,611 of 4,752,000 launched blocks'
    expect(clause('W3', by('reads', 'wgmma'), writing)).toBe(said)
    expect(clause('W3', writing, by('reads', 'wgmma'))).toBe(said)
    expect(clause('K3', by('writes', 'tmaLoad'), by('writes', 'tmaLoad'))).toContain('launched clusters')
    expect(clause('B5', waiting, null)).toContain('an H100 hung in 4,752,000 of 4,752,000')
    expect(clause('D5', writing, reading)).toContain('in 3 micro-kernels with this mistake')
    expect(clause('D5', writing, reading, 'sm90a', 'gmem')).toContain('in 4,752,000 of 4,752,000 ')
    expect(clause('B2', other, other)).toBe(
      'in a micro-kernel with this mistake, an H100 ended the launch with a fault',
    )
  })
  it('of other accesses of the same id nothing is quoted', () => {
    expect(clause('P1', writing, by('reads', 'wgmma'))).toContain('in 352 of 4,752,000')
    expect(clause('P1', writing, by('reads', 'tmaStore'))).toBeUndefined()
    expect(clause('P1', writing, by('reads', 'wgmma'), 'sm90a', 'regs')).toBeUndefined()
    expect(clause('P1', writing, by('writes', 'wgmma'))).toBeUndefined()
    expect(clause('W1', by('writes', 'cpAsync'), reading)).toBeUndefined()
    expect(clause('R1', by('writes', 'tmaLoad'), reading)).toBeDefined()
    expect(clause('R1', by('writes', 'cpAsync'), reading)).toBeUndefined()
    expect(clause('D2', writing, writing)).toBeUndefined()
    expect(clause('D1', by('reads', 'agent', true), writing)).toBeUndefined()
    expect(clause('B6', writing, reading)).toBeUndefined()
    expect(clause('W3', by('reads', 'wgmma'), null)).toBeUndefined()
  })
  it('nor of another chip, nor what was never wrong', () => {
    expect(clause('W3', by('reads', 'wgmma'), writing, 'sm100a')).toBeUndefined()
    expect(clause('P3', reading, by('writes', 'tmaLoad'))).toBeUndefined()
    expect(clause('T1', other, null)).toBeUndefined()
  })
  it('nothing is quoted but wrong trials of the very row, for every row and every pair of accesses', () => {
    const deeds: ReadonlyArray<Deed> = [
      waiting,
      other,
      ...(['reads', 'writes'] as const).flatMap((t) =>
        (['agent', ...unitNames] as const).flatMap((u) => [by(t, u), by(t, u, true)]),
      ),
    ]
    const names = (ds: ReadonlyArray<Deed>): string =>
      ds
        .map((d) => JSON.stringify(d))
        .sort()
        .join()
    const wrong = new Set(
      silicon
        .filter(({ grids }) => grids.some((g) => 'faultAt' in g || g.wrong > 0))
        .map(({ hazard, sides }) => `${hazard} ${names(sides)}`),
    )
    for (const id of hazardIds)
      for (const a of deeds)
        for (const b of [null, ...deeds])
          if ((clause(id, a, b) !== undefined) !== wrong.has(`${id} ${names(b === null ? [a] : [a, b])}`))
            expect.fail(`${id} ${JSON.stringify([a, b])}`)
  })
})
