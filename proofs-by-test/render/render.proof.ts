import { describe, expect, it } from 'vitest'
import { findingBlock } from '../../src/render/finding.js'
import { detailedFinding } from '../../src/semantics/judging/details.js'
import { plain, type Palette } from '../../src/render/palette.js'
import { beside, drawSwizzle, swizzlePicture } from '../../src/render/swizzle.js'
import { fields, table, thousands, wrap } from '../../src/render/table.js'
import { verdictText, type VerdictContext } from '../../src/render/verdict.js'
import type { Condition, Finding } from '../../src/semantics/judging/finding.js'
import { verdictSchema, wayOf, type Verdict } from '../../src/semantics/judging/verdict.js'
import { right } from '../either.js'

const loud: Palette = { ...plain, name: (t) => `\u001b[36m${t}\u001b[39m` }

describe('swizzle', () => {
  // The table of the PTX ISA for 128 bytes, by hand: chunk j of row r stands at j xor r.
  const rows = [
    '01234567',
    '10325476',
    '23016745',
    '32107654',
    '45670123',
    '54761032',
    '67452301',
    '76543210',
  ]
  it('law 1: the 128-byte picture is the published table', () => {
    const p = right(swizzlePicture(128))
    expect(p.chunkAt.map((r) => r.join(''))).toEqual(rows)
    const drawn = drawSwizzle(plain, p, 2).split('\n').slice(1)
    expect(drawn.map((l) => l.replace(/^row \d/, '').replace(/[^0-9]/g, ''))).toEqual(rows)
    expect(drawn.every((l) => l.split('[2]').length === 2)).toBe(true)
  })
  it('law 2: turns of reading one chunk of eight rows: 8, 4, 2, 1', () => {
    const turns = ([16, 32, 64, 128] as const).map((s) => {
      const p = right(swizzlePicture(s))
      return [0, 3, 7].map((c) => p.turns(c))
    })
    expect(turns[0]).toEqual([8, 8, 8])
    expect(turns[3]).toEqual([1, 1, 1])
    const p = right(swizzlePicture(128))
    for (let c = 0; c < 8; c++) expect(new Set(p.columnOf(c)).size).toBe(8)
  })
  it('side by side, escape codes take no room', () => {
    expect(beside(['ab', 'c'], ['x', 'y', 'z'], 4)).toBe('ab  x\nc   y\n    z')
    expect(beside([loud.name('ab')], ['x'], 4)).toBe(`${loud.name('ab')}  x`)
  })
})

describe('tables', () => {
  it('laws 1 and 2', () => {
    expect(table([['a', 'bb'], ['ccc'], ['d', 'e']])).toBe('a    bb\nccc\nd    e')
    expect(table([])).toBe('')
    expect([0, 999, 1000, 65536, 1234567].map(thousands)).toEqual([
      '0',
      '999',
      '1,000',
      '65,536',
      '1,234,567',
    ])
    expect(wrap('aa bb cc dddddd e', 5)).toEqual(['aa bb', 'cc', 'dddddd', 'e'])
    expect(
      fields(plain, 4, [
        ['k', 'v'],
        ['long', 'x\ny'],
      ]),
    ).toBe('k   v\nlongx\n    y')
  })
})

const finding: Finding = {
  id: 'W3',
  severity: 'E',
  text: 'wgmma reads and tmaLoad writes of smem@0 are not ordered (8 times)',
  a: {
    index: 0,
    agent: 'compute@0',
    site: 'wgmma',
    path: ['compute', 'k'],
    iteration: [0],
    at: 11,
    does: 'wgmma reads',
    operation: 2,
  },
  b: {
    index: 1,
    agent: 'memory@0',
    site: 'copy a',
    path: ['memory', 'k'],
    loc: 'k.py:7:3',
    iteration: [2],
    at: 13,
    does: 'tmaLoad writes',
    operation: 6,
  },
  place: {
    plane: 'smem@0',
    spans: [
      [0, 16384],
      [20000, 20016],
    ],
  },
  knew: 'memory@0 knows little',
  missing: { kind: 'group-wait', text: 'a wgmma group wait before the arrive' },
}
const smem = [
  { name: 'a_smem', start: 0, end: 16384 },
  { name: 'b_smem', start: 16384, end: 32768 },
  { name: 'out_smem', start: 32768, end: 65536 },
]

describe('finding', () => {
  it('law 1: all of it is there', () => {
    expect(
      findingBlock(plain, {
        ...detailedFinding({ smem, replay: () => '' }, finding),
        replay: '--schedule eager',
      }),
    ).toBe(
      [
        'W3  wgmma operand overwritten in flight',
        '    wgmma reads and tmaLoad writes of smem@0 are not ordered (8 times)',
        '    first     compute@0  compute / k / wgmma [0]  wgmma reads     event 11',
        '    second    memory@0   memory / k / copy a [2]  tmaLoad writes  event 13, k.py:7:3',
        '    bytes     smem@0 0 to 16,384, 20,000 to 20,016, in a_smem, b_smem',
        '    why       memory@0 knows little',
        '    fix       a wgmma group wait before the arrive',
        '    replay    --schedule eager',
      ].join('\n'),
    )
  })
  it('one operation, and nothing more than there is', () => {
    const { id, severity, text, a } = finding
    expect(findingBlock(plain, { id, severity, text, a })).toBe(
      [
        'W3  wgmma operand overwritten in flight',
        '    wgmma reads and tmaLoad writes of smem@0 are not ordered (8 times)',
        '    where     compute@0  compute / k / wgmma [0]  wgmma reads  event 11',
      ].join('\n'),
    )
    expect(findingBlock(plain, { id, severity: 'C', text, a })).toMatch(/^W3 .* \(contract\)\n/)
    expect(findingBlock(plain, { id, severity: 'L', text, a })).toMatch(/^W3 .* \(note\)\n/)
  })
})

describe('verdict', () => {
  const holds: Condition = { holds: true, failures: [], findings: [] }
  const verdict = (over: Partial<Verdict>): Verdict => ({
    schema: verdictSchema,
    kernel: 'k',
    settings: {},
    verdict: 'ok',
    reason: 'because',
    search: null,
    schedule: 0,
    conditions: { C1: holds, C2: holds, C3: holds, C4: holds, C5: holds, C6: holds },
    findings: [],
    notes: [],
    schedules: ['eager'],
    waitFor: [],
    provenance: null,
    digest: { order: '', output: '' },
    counts: { events: 0, steps: 0, agents: 0, ctas: 0, clusters: 0, runs: 1 },
    scope: [],
    ...wayOf(over.verdict ?? 'ok', 'one-schedule'),
    ...over,
  })
  const context: VerdictContext = { palette: plain, judged: true, most: 1 }
  it('law 1: the word, and the findings up to the most that are shown', () => {
    expect(verdictText(context, verdict({}))).toBe(
      'verdict     ok: because\nconditions  C1 to C6 hold\ndecided by  one schedule',
    )
    const f = { ...finding, schedule: 0 }
    const text = verdictText(context, verdict({ verdict: 'hazard', findings: [f, f], notes: [f] }))
    expect(text).toMatch(/^verdict {5}hazard: because\n/)
    expect(text.match(/^W3/gm)).toHaveLength(1)
    expect(text).toMatch(/and 2 more findings/)
  })
  it('an undecided verdict names what fails and has decided nothing; a proof needs an ok', () => {
    const fails: Condition = { holds: false, failures: ['B3: this', 'B3: that'], findings: [] }
    const provenance = { proved: true, inOrder: true, text: 'out = a @ b' }
    const v = verdict({ verdict: 'undecided', provenance })
    const text = verdictText(context, { ...v, conditions: { ...v.conditions, C3: fails } })
    expect(text).toContain('C3 (generations of a barrier cannot mix) fails: B3: this (and 1 more)')
    expect(text).toContain('looked at   one schedule')
    expect(text).toContain('in this run out = a @ b')
    expect(verdictText(context, verdict({ provenance }))).toContain('proved      out = a @ b')
    expect(verdictText(context, verdict({ provenance: { ...provenance, proved: false } }))).toContain(
      'not proved  out',
    )
    expect(verdictText({ ...context, judged: false }, verdict({}))).toBe('verdict     ok: because')
    expect(
      verdictText(
        context,
        verdict({ verdict: 'deadlock', decidedBy: 'exploration', waitFor: ['x waits', 'y waits'] }),
      ),
    ).toMatch(/decided by {2}exploration of 1 schedule\nblocked {5}x waits\n {12}y waits/)
  })
})
