/** Findings of one cause: a table by hand of what one change mends, and that no finding is lost. */
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { byCause } from '../../src/render/causes.js'
import type { HazardId, MissingEdge, Operation } from '../../src/semantics/judging/finding.js'
import type { ReplayableFinding } from '../../src/semantics/judging/verdict.js'

const operation = (program: string, site: string): Operation => ({
  agent: `${program}@0`,
  site,
  at: 1,
  index: 0,
  path: [program],
  iteration: [],
  does: 'writes',
})

const finding = (
  id: HazardId,
  [a, b]: readonly [Operation, Operation],
  missing: Omit<MissingEdge, 'text'>,
  more: Partial<ReplayableFinding> = {},
): ReplayableFinding =>
  Object.assign(
    {
      id,
      severity: 'E' as const,
      text: '',
      schedule: null,
      a,
      b,
      missing: Object.assign({ text: '' }, missing),
    },
    more,
  )

const reads = operation('compute', 'read')
const copies = operation('memory', 'copy')
const other = operation('memory', 'copy b')
const stores = operation('store', 'out')
const waits = (name: string): Omit<MissingEdge, 'text'> => ({ kind: 'wait', barrier: { name } })
const race = finding('W1', [reads, copies], waits('empty[0]'))

/** Is it one change that mends both? */
const pairs: ReadonlyArray<readonly [string, boolean, ReplayableFinding, ReplayableFinding]> = [
  ['another slot of the ring', true, race, finding('B1', [reads, other], waits('empty[1]'))],
  [
    'with the place of its initialisation',
    true,
    race,
    finding('B3', [reads, copies], waits('empty[2] (init k.cu:9)')),
  ],
  [
    'said the other way round',
    true,
    race,
    finding('B3', [copies, reads], { ...waits('empty[0]'), reversed: true }),
  ],
  ['another ring', false, race, finding('W1', [reads, copies], waits('full[0]'))],
  ['a wait in another program', false, race, finding('W1', [reads, stores], waits('empty[0]'))],
  ['a note', false, race, finding('W1', [reads, copies], waits('empty[0]'), { severity: 'L' })],
  [
    'one that is accepted',
    false,
    race,
    finding('W1', [reads, copies], waits('empty[0]'), { accepted: 'known' }),
  ],
  [
    'one of the compiler',
    false,
    race,
    finding('W1', [reads, copies], waits('empty[0]'), { whose: 'compiler' }),
  ],
  [
    'an arrive that comes too early, and lanes that it does not tell of',
    true,
    finding('W1', [reads, copies], { kind: 'arrive', moves: { site: 'arrive', loc: 'k.cu:4' } }),
    finding('B1', [reads, copies], { kind: 'warp-sync', ahead: '`arrive` (k.cu:4)' }),
  ],
  [
    'two arrives that come too early',
    false,
    finding('W1', [reads, copies], { kind: 'arrive', moves: { site: 'arrive' } }),
    finding('W1', [reads, copies], { kind: 'arrive', moves: { site: 'arrive', loc: 'k.cu:5' } }),
  ],
  [
    'a fence after one write, for two copies',
    true,
    finding('P1', [reads, copies], { kind: 'fence', fence: 'shared', after: 'a' }),
    finding('P1', [reads, other], { kind: 'fence', fence: 'shared', after: 'a' }),
  ],
  [
    'two fences',
    false,
    finding('P1', [reads, copies], { kind: 'fence', fence: 'shared', after: 'a' }),
    finding('P1', [reads, copies], { kind: 'fence', fence: 'global', after: 'a' }),
  ],
  [
    'a barrier between two statements, and one between two others',
    false,
    finding('D1', [reads, copies], { kind: 'arrive-wait', distance: 'cta' }),
    finding('D1', [reads, other], { kind: 'arrive-wait', distance: 'cta' }),
  ],
]

describe('findings of one cause', () => {
  it.each(pairs)('%s', (_, isOne, x, y) => {
    expect(byCause([x, y]).map(({ others }) => others.length)).toEqual(isOne ? [1] : [0, 0])
  })
  it('laws 1 and 2: none is lost, each stands with one of its own kind, and the first of all is shown first', () => {
    const all = pairs.flatMap(([, , x, y]) => [x, y])
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...all), { minLength: 1 }), (findings) => {
        const causes = byCause(findings)
        const told = causes.flatMap(({ shown, others }) => [shown, ...others])
        expect([...told].sort((x, y) => all.indexOf(x) - all.indexOf(y))).toEqual(
          [...findings].sort((x, y) => all.indexOf(x) - all.indexOf(y)),
        )
        expect(causes[0]?.shown).toBe(findings[0])
        for (const { shown, others } of causes)
          for (const f of others)
            expect([f.severity, f.whose, f.accepted]).toEqual([shown.severity, shown.whose, shown.accepted])
      }),
    )
  })
})
