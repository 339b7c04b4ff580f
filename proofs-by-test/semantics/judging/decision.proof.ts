/** From what a run shows to a verdict: a table by hand of every word, its sentence, and what counts before the end of a run. */
import { describe, expect, test } from 'vitest'
import {
  added,
  behindConditions,
  decideRun,
  explained,
  failing,
  longestExplained,
  showAllBlocked,
  showBlocked,
  wanting,
  withMissing,
} from '../../../src/semantics/judging/decision.js'
import { reading } from '../../../src/semantics/judging/deed.js'
import { defaults, judgeLog } from '../../../src/semantics/judging/detector/index.js'
import type {
  Blocked,
  Conditions,
  Diagnosis,
  HazardId,
  Judgement,
  Operation,
} from '../../../src/semantics/judging/finding.js'
import type { Provenance } from '../../../src/semantics/judging/verdict.js'
import { load, script, type Script } from './detector/script.js'

const operation = (agent: string, site: string, more: Partial<Operation> = {}): Operation => ({
  index: 0,
  agent,
  site,
  path: [],
  iteration: [],
  at: 1,
  does: 'reads',
  ...more,
})
const finding = (id: HazardId, text: string = id, site = 'here', b?: string): Diagnosis => ({
  id,
  severity: 'E',
  text,
  about: [],
  deeds: { a: reading, b: b === undefined ? null : reading },
  a: operation('w@0', site),
  ...(b === undefined ? {} : { b: operation('v@0', b) }),
})
type Name = keyof Conditions
const conditions = (failures: Partial<Record<Name, ReadonlyArray<string>>> = {}): Conditions<Diagnosis> => {
  const one = (name: Name): Conditions<Diagnosis>[Name] => ({
    holds: failures[name] === undefined,
    failures: failures[name] ?? [],
    findings: failures[name] === undefined ? [] : [finding('B3', name)],
  })
  return { C1: one('C1'), C2: one('C2'), C3: one('C3'), C4: one('C4'), C5: one('C5'), C6: one('C6') }
}
const judged = (more: Partial<Judgement> = {}): Judgement => ({
  findings: [],
  notes: [],
  conditions: conditions(),
  deadlock: [],
  candidates: false,
  byManual: [],
  digest: '',
  events: 0,
  lanesInTurn: false,
  quiet: false,
  otherwise: {
    reads: [],
    stores: [],
    ahead: [],
    controlled: new Set(),
    over: false,
    behind: null,
    stale: null,
  },
  looked: 0,
  ...more,
})
const blocked = (more: Partial<Blocked> = {}): Blocked => ({
  agent: 'w@0',
  warp: null,
  operation: operation('w@0', 'wait'),
  waitsFor: 'b generation 1',
  about: [],
  suppliers: [],
  ahead: [],
  ...more,
})
const proved: Provenance = { proved: true, inOrder: true, text: 'out = a' }
const refuted: Provenance = { proved: false, inOrder: false, text: 'out is not a' }

describe('words', () => {
  test('a blocked agent: where, in which round, for what, and who could help', () => {
    expect(showBlocked(blocked())).toBe(
      'w@0 is blocked at wait, waiting for b generation 1; no agent signals it in this run',
    )
    expect(
      showBlocked(
        blocked({
          operation: operation('w@0', 'wait', { path: ['outer', 'inner'], iteration: [3, 0] }),
          suppliers: ['v@0', 'u@1'],
        }),
      ),
    ).toBe(
      'w@0 is blocked at outer / inner / wait [3, 0], waiting for b generation 1; v@0, u@1 could signal it',
    )
    expect(showBlocked(blocked({ suppliers: ['v@0', 'u@1'], ahead: ['v@0 arrive b'] }))).toBe(
      'w@0 is blocked at wait, waiting for b generation 1; v@0 arrive b would signal it, after a wait that is blocked',
    )
  })
  test('what fails: the first failure of each condition, in their order', () => {
    expect(failing(conditions())).toBe('')
    expect(failing(conditions({ C6: ['six'], C2: ['two', 'again'], C4: [] }))).toBe(
      'C2 fails (two); C4 fails (no detail); C6 fails (six)',
    )
    for (const name of ['C1', 'C2', 'C3', 'C4', 'C5', 'C6'] as const)
      expect(failing(conditions({ [name]: ['so'] }))).toBe(`${name} fails (so)`)
  })
})

describe('a run decides', () => {
  const race = finding('R1', 'a race')
  const owed = finding('U2', 'owed at the end')
  const noFuel = { name: 'out-of-fuel', reason: 'no fuel' } as const
  const cut = { name: 'undecided', reason: 'cut' } as const
  const unended = conditions({ C5: ['how the run ends is not known'] })
  const rows: ReadonlyArray<
    readonly [
      what: string,
      given: Parameters<typeof decideRun>,
      decision: readonly [name: string, reason: string],
    ]
  > = [
    [
      'stuck',
      ['stuck', judged({ deadlock: [blocked()] }), proved],
      ['deadlock', 'w@0 waits for b generation 1; no agent signals it in this run'],
    ],
    [
      'stuck, with findings',
      ['stuck', judged({ deadlock: [blocked()], findings: [race] }), null],
      ['deadlock', 'w@0 waits for b generation 1; no agent signals it in this run'],
    ],
    ['stuck, not judged', ['stuck', null, null], ['deadlock', 'every agent is blocked']],
    ['stuck, with nobody listed', ['stuck', judged(), null], ['deadlock', 'every agent is blocked']],
    ['out of fuel', [noFuel, judged({ conditions: unended }), proved], ['out-of-fuel', 'no fuel']],
    ['cut', [cut, judged({ conditions: unended }), refuted], ['undecided', 'cut']],
    ['out of fuel, not judged', [noFuel, null, refuted], ['out-of-fuel', 'no fuel']],
    ['out of fuel, a race', [noFuel, judged({ findings: [race] }), null], ['hazard', 'a race']],
    ['cut, a race', [cut, judged({ findings: [race], conditions: unended }), null], ['hazard', 'a race']],
    [
      'out of fuel, owed by a cluster that has ended',
      [noFuel, judged({ findings: [owed] }), null],
      ['hazard', 'owed at the end'],
    ],
    [
      'out of fuel, and a condition fails: no fuel decides that',
      [noFuel, judged({ conditions: conditions({ C3: ['three'], C5: ['no end'] }) }), null],
      ['undecided', 'C3 fails (three); no fuel'],
    ],
    [
      'out of fuel, a candidate',
      [
        noFuel,
        judged({ findings: [race], candidates: true, conditions: conditions({ C3: ['three'] }) }),
        null,
      ],
      ['undecided', 'C3 fails (three); no fuel'],
    ],
    ['a race', ['completed', judged({ findings: [race, owed] }), proved], ['hazard', 'a race']],
    [
      'a race comes before the result',
      ['completed', judged({ findings: [race] }), refuted],
      ['hazard', 'a race'],
    ],
    ['owed', ['completed', judged({ findings: [owed] }), proved], ['hazard', 'owed at the end']],
    ['a wrong result', ['completed', judged(), refuted], ['wrong-result', 'out is not a']],
    ['a wrong result, not judged', ['completed', null, refuted], ['wrong-result', 'out is not a']],
    [
      'a condition fails',
      ['completed', judged({ conditions: conditions({ C1: ['one'] }) }), proved],
      ['undecided', 'one schedule does not decide, because C1 fails (one)'],
    ],
    [
      'a condition fails, and the result is wrong in this run',
      ['completed', judged({ conditions: conditions({ C1: ['one'] }) }), refuted],
      ['undecided', 'one schedule does not decide, because C1 fails (one)'],
    ],
    [
      'a candidate',
      [
        'completed',
        judged({ findings: [race], candidates: true, conditions: conditions({ C3: ['three'] }) }),
        proved,
      ],
      [
        'undecided',
        '1 possible race, not reproduced: one schedule does not decide, because C3 fails (three)',
      ],
    ],
    [
      'a fault is none',
      [
        'completed',
        judged({
          findings: [race, finding('B7', 'a life')],
          candidates: true,
          conditions: conditions({ C3: ['three'] }),
        }),
        proved,
      ],
      ['hazard', 'a race'],
    ],
    [
      'all is well',
      ['completed', judged(), proved],
      ['ok', 'no hazards in any schedule (conditions C1-C6 hold, so one run is enough)'],
    ],
    [
      'nothing is claimed',
      ['completed', judged(), null],
      ['ok', 'no hazards in any schedule (conditions C1-C6 hold, so one run is enough)'],
    ],
    ['not judged', ['completed', null, proved], ['ok', 'the run completed; hazards were not checked']],
  ]
  test.each(rows)('%s', (_, given, [name, reason]) => {
    expect(decideRun(...given)).toEqual({ name, reason })
  })
})

describe('findings', () => {
  test('behind a condition that fails: C6, then C4, then C3', () => {
    const j = judged({
      conditions: conditions({ C1: [''], C2: [''], C3: [''], C4: [''], C5: [''], C6: [''] }),
    })
    expect(behindConditions(j).map((f) => f.text)).toEqual(['C6', 'C4', 'C3'])
    expect(behindConditions(judged())).toEqual([])
  })
  test('groups: each adds what those before it do not have, by id, agents and sites; within one nothing is dropped', () => {
    const [x, y, z] = [finding('R1'), finding('R1', 'R1', 'there'), finding('R2')]
    const other = { ...x, a: operation('u@0', 'here') }
    const pair = finding('R1', 'R1', 'here', 'b')
    const place = { ...x, text: 'in another plane' }
    expect(
      added([
        [x, place],
        [x, y],
        [y, z, x, other, pair],
        [pair, finding('R1', 'R1', 'here', 'c')],
      ]),
    ).toEqual([[x, place], [y], [z, other, pair], [finding('R1', 'R1', 'here', 'c')]])
    expect(added([[], [{ ...pair, b: operation('u@0', 'b') }], [pair]])[2]).toEqual([pair])
  })
})

describe('missing edges', () => {
  const kinds = (findings: ReadonlyArray<Diagnosis>): ReadonlyArray<string | undefined> =>
    findings.map((f) => f.missing?.kind)
  const start = (s: Script, id: number): void => {
    s.cluster(id)
    s.init(0, 0, 1)
    s.sync([0, 1], 16, true)
  }
  /** A copy and a read that nobody orders, once for each slot. */
  const races = (count: number, more: (s: Script) => void = () => undefined): Script => {
    const s = script({ agents: ['p@0', 'c@0'], barriers: [{ name: 'full', count: 1 }], bare: true })
    start(s, 0)
    for (let i = 0; i < count; i++) {
      load(s, 0, 0, `s0 ${String(i)}`, `load ${String(i)}`)
      s.r(1, `s0 ${String(i)}`, `read ${String(i)}`)
      s.wait(0, 0, i % 2 === 0 ? 0 : 1)
    }
    more(s)
    return s
  }
  const of = (s: Script): ReadonlyArray<Diagnosis> =>
    withMissing(s.header, s.events, s.judge().findings, defaults)

  test('are looked for, for the first findings', () => {
    const found = of(races(explained + 1))
    expect(
      kinds(found)
        .slice(0, explained)
        .every((k) => k !== undefined),
    ).toBe(true)
    expect(found.slice(explained).map((f) => f.missing)).toEqual([undefined])
    expect(found.map((f) => ({ ...f, missing: undefined }))).toEqual(
      races(explained + 1)
        .judge()
        .findings.map((f) => ({ ...f, missing: undefined })),
    )
  })
  test('what is known is kept, and not asked again', () => {
    const s = races(2)
    const known = { kind: 'fence', text: 'as it was', about: [] } as const
    const [first, second] = s.judge().findings
    const before = [{ ...first!, missing: known }, second!]
    const after = withMissing(s.header, s.events, before, defaults)
    expect(after[0]).toBe(before[0])
    expect(after[1]!.missing).toBeDefined()
    expect(wanting(before)).toEqual([second])
    expect(wanting(after)).toEqual([])
    expect(wanting([...before, second!, second!])).toEqual([second, second])
  })
  test('what the id says by itself is not looked for in a log, and is said with any', () => {
    const s = races(1)
    const stuck: Diagnosis = { ...s.judge().findings[0]!, id: 'B5' }
    expect(wanting([stuck])).toEqual([])
    expect(kinds(withMissing(s.header, [], [stuck], defaults))).toEqual(['arrive'])
    expect(withMissing(s.header, s.events, [stuck], defaults)).toEqual(
      withMissing(s.header, [], [stuck], defaults),
    )
  })
  test('not in a log that is too long, or empty', () => {
    const s = races(1)
    const { findings } = s.judge()
    expect(kinds(withMissing(s.header, [], findings, defaults))).toEqual([undefined])
    const long = [...s.events]
    const fence = s.events.length
    s.fence(1)
    const again = s.events[fence]!
    let at = 1000
    while (long.length <= longestExplained)
      long.push('stamp' in again ? { ...again, stamp: { ...again.stamp, at: at++ } } : again)
    expect(kinds(withMissing(s.header, long, findings, defaults))).toEqual([undefined])
  })
  test('in the log of the cluster that shows it', () => {
    const s = script({ agents: ['p@0', 'c@0'], barriers: [{ name: 'full', count: 1 }], bare: true })
    start(s, 0)
    s.w(0, 's0 0', 'fine')
    start(s, 1)
    load(s, 0, 0, 's0 1', 'load')
    s.r(1, 's0 1', 'read')
    s.wait(0, 0, 0)
    const { findings } = judgeLog(s.header, s.events, defaults)
    const [found] = withMissing(s.header, s.events, findings, defaults)
    expect(found!.missing?.kind).toBe('wait')
    expect(found!.missing?.text).toContain('`read`')
    const elsewhere = s.events.slice(
      0,
      s.events.findIndex((e) => e._tag === 'cluster' && e.id === 1),
    )
    expect(kinds(withMissing(s.header, elsewhere, findings, defaults))).toEqual([undefined])
  })
  test('what is answered by its id alone needs no log', () => {
    const s = races(0)
    const one = finding('T4')
    const [answered] = withMissing(s.header, [], [one], defaults)
    expect(answered!.missing?.kind).toBe('none-found')
  })
})

test('warps of one CTA that wait in one place are one line', () => {
  const warp = (number: number, cta: number, waitsFor = 'bar 1'): Blocked =>
    blocked({ agent: `warp ${String(number)}@${String(cta)}`, warp: { number, cta }, waitsFor })
  const lines = showAllBlocked([
    warp(0, 0),
    warp(2, 0),
    warp(1, 0),
    warp(0, 1),
    warp(3, 0, 'bar 2'),
    blocked(),
    blocked(),
  ])
  expect(lines.map((line) => line.replace(/ (is|are) blocked.*waiting for ([^;]*);.*$/u, ': $2'))).toEqual([
    'warps 0 to 2 of CTA 0: bar 1',
    'warp 0@1: bar 1',
    'warp 3@0: bar 2',
    'w@0: b generation 1',
    'w@0: b generation 1',
  ])
  expect(showAllBlocked([warp(0, 0), warp(2, 0)])[0]).toMatch(/^warps 0 and 2 of CTA 0 are blocked at /u)
})
