/**
 * One verdict of several levels. Oracle: the order of verdicts written out again, mistakes counted over ids and pairs of lines, and the published schema.
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeVerdict } from '../../../src/semantics/files/verdict-codec.js'
import type { HazardId, Operation, Severity } from '../../../src/semantics/judging/finding.js'
import type { LevelName } from '../../../src/semantics/judging/level-names.js'
import type { ReplayableFinding, Verdict, VerdictName } from '../../../src/semantics/judging/verdict.js'
import { joined, telling, type Came } from '../../../src/semantics/verdict/levels.js'
import { right } from '../../either.js'
import { prop } from '../../prop.js'

// ---------------------------------------------------------------- what is drawn

const condition = { holds: true, failures: [], findings: [] }

const verdictOf = (
  verdict: VerdictName,
  findings: ReadonlyArray<ReplayableFinding>,
  notes: ReadonlyArray<ReplayableFinding>,
  schedules: ReadonlyArray<string>,
): Verdict => ({
  schema: 'tcspec.verdict/2',
  kernel: 'k',
  settings: {},
  verdict,
  reason: `because of ${verdict}`,
  decidedBy: 'one-schedule',
  search: null,
  schedule: 0,
  conditions: { C1: condition, C2: condition, C3: condition, C4: condition, C5: condition, C6: condition },
  findings,
  notes,
  schedules,
  waitFor: [],
  provenance: null,
  digest: { order: 'o', output: 'none' },
  counts: { events: 1, steps: 2, agents: 3, ctas: 1, clusters: 1, runs: 1 },
  scope: ['what both leave out'],
})

const lines = [undefined, 'k.py:1', 'k.py:2:7', 'k.py:2:9']
const operation = fc
  .record({ line: fc.constantFrom(...lines), agent: fc.nat(3) })
  .map(({ line, agent }): Operation => {
    const bare: Operation = {
      index: agent,
      agent: `a${String(agent)}`,
      site: `s${String(agent)}`,
      path: [],
      iteration: [],
      at: agent,
      does: 'reads',
    }
    return line === undefined ? bare : { ...bare, loc: line }
  })
const schedules = ['eager', 'lazy', 'roundrobin', 'seeded:1']

/** Of a verdict with so many schedules. */
const finding = (count: number, severities: ReadonlyArray<Severity>): fc.Arbitrary<ReplayableFinding> =>
  fc
    .record({
      id: fc.constantFrom<HazardId>('D1', 'P1'),
      severity: fc.constantFrom(...severities),
      a: operation,
      b: fc.option(operation, { nil: undefined }),
      schedule: fc.nat(count - 1),
      accepted: fc.option(fc.constant('it may'), { nil: undefined }),
    })
    .map(({ b, accepted, ...rest }): ReplayableFinding => ({
      text: rest.id,
      replay: 'again',
      ...rest,
      ...(b === undefined ? {} : { b }),
      ...(accepted === undefined ? {} : { accepted }),
    }))

const names: ReadonlyArray<VerdictName> = [
  'ok',
  'out-of-fuel',
  'undecided',
  'wrong-result',
  'hazard',
  'deadlock',
  'invalid',
]

const verdicts: fc.Arbitrary<Verdict> = fc.integer({ min: 1, max: 4 }).chain((count) =>
  fc
    .record({
      name: fc.constantFrom(...names),
      findings: fc.array(finding(count, ['E']), { maxLength: 5 }),
      notes: fc.array(finding(count, ['C', 'L']), { maxLength: 4 }),
    })
    .map(({ name, findings, notes }) =>
      verdictOf(name, name === 'ok' ? [] : findings, notes, schedules.slice(0, count)),
    ),
)

const came = (level: LevelName): fc.Arbitrary<Came> =>
  fc.oneof(
    { weight: 4, arbitrary: verdicts.map((verdict): Came => ({ _tag: 'judged', level, verdict })) },
    { weight: 1, arbitrary: fc.constant<Came>({ _tag: 'refused', level, why: 'it is not taken' }) },
    { weight: 1, arbitrary: fc.constant<Came>({ _tag: 'absent', level, why: 'it is not there' }) },
  )
const pairs = fc.oneof(fc.tuple(came('ttgir'), came('ptx')), fc.tuple(came('jaxpr'), came('ptx')))

// ---------------------------------------------------------------- the oracle

const judgedIn = (cames: ReadonlyArray<Came>): ReadonlyArray<Verdict> =>
  cames.flatMap((c) => (c._tag === 'judged' ? [c.verdict] : []))

/** What a reader takes for one mistake; null: it has no lines, and is one by itself. */
const mistake = ({ id, a, b }: ReplayableFinding): string | null => {
  const line = (o: Operation | undefined): string | null =>
    o === undefined ? '-' : o.loc === undefined ? null : o.loc.split(':').slice(0, 2).join(':')
  const [x, y] = [line(a), line(b)]
  return x === null || y === null ? null : `${id} ${x < y ? `${x} ${y}` : `${y} ${x}`}`
}

// ---------------------------------------------------------------- laws

describe('laws', () => {
  prop([pairs], { numRuns: 200 })('1: the order of levels does not matter', ([x, y]) => {
    expect(joined([y, x])).toEqual(joined([x, y]))
    return true
  })

  prop([pairs], { numRuns: 200 })('2: never better than the worst', (cames) => {
    const one = joined(cames)
    const all = judgedIn(cames)
    if (one === null) return all.length === 0
    return all.every(({ verdict }) => names.indexOf(one.verdict) >= names.indexOf(verdict))
  })

  prop([pairs], { numRuns: 200 })(
    '2: no worse than the worst, but where the finer level is refused',
    (cames) => {
      const one = joined(cames)
      if (one === null) return true
      const worst = Math.max(...judgedIn(cames).map(({ verdict }) => names.indexOf(verdict)))
      return cames[1]._tag === 'refused' || names.indexOf(one.verdict) === worst
    },
  )

  prop([pairs], { numRuns: 200 })('3: each mistake once, and all of them', (cames) => {
    const one = joined(cames)
    if (one === null) return true
    const given = judgedIn(cames).flatMap(({ findings, notes }) => [...findings, ...notes])
    const told = [...one.findings, ...one.notes]
    const keys = told.map(mistake).filter((k) => k !== null)
    expect(new Set(keys).size).toBe(keys.length)
    expect([...keys].sort()).toEqual([...new Set(given.map(mistake).filter((k) => k !== null))].sort())
    expect(told.filter((f) => mistake(f) === null)).toHaveLength(
      given.filter((f) => mistake(f) === null).length,
    )
    return true
  })

  prop([pairs], { numRuns: 200 })('3: what a level counts as a finding stays one', (cames) => {
    const one = joined(cames)
    if (one === null) return true
    const found = new Set(one.findings.map(mistake))
    return judgedIn(cames).every(({ findings }) => findings.every((f) => found.has(mistake(f))))
  })

  prop([pairs], { numRuns: 200 })('3: an open finding is not hidden by an accepted one', (cames) => {
    const one = joined(cames)
    if (one === null) return true
    const open = judgedIn(cames).flatMap(({ findings }) => findings.filter((f) => f.accepted === undefined))
    return open.every((f) => {
      const key = mistake(f)
      return key === null || one.findings.some((g) => mistake(g) === key && g.accepted === undefined)
    })
  })

  prop([pairs], { numRuns: 200 })('4: ok only if the finer level is ok, or was not asked', (cames) => {
    const one = joined(cames)
    if (one?.verdict !== 'ok') return true
    const [, fine] = cames
    return fine._tag === 'absent' || (fine._tag === 'judged' && fine.verdict.verdict === 'ok')
  })

  prop([pairs], { numRuns: 200 })('4: an ok of one level alone says so', (cames) => {
    const one = joined(cames)
    if (one?.verdict !== 'ok' || judgedIn(cames).length === 2) return true
    return cames.every((c) => c._tag === 'judged' || one.reason.includes(c.why))
  })

  prop([verdicts])('5: one level alone has its own verdict', (verdict) => {
    const alone: Came = { _tag: 'judged', level: 'ttgir', verdict }
    return joined([alone]) === verdict
  })

  prop([pairs], { numRuns: 200 })(
    'every finding names a schedule of its own level, and every level that has it',
    (cames) => {
      const one = joined(cames)
      if (one === null) return true
      for (const f of [...one.findings, ...one.notes]) {
        const isOne = judgedIn(cames).length === 1
        const [first] = isOne
          ? cames.flatMap((c) => (c._tag === 'judged' ? [c.level] : []))
          : (f.levels ?? [])
        const of = cames.find((c) => c.level === first)
        if (of?._tag !== 'judged') return false
        const before = cames
          .slice(0, cames.indexOf(of))
          .reduce((n, c) => n + (c._tag === 'judged' ? c.verdict.schedules.length : 0), 0)
        const own = f.schedule === null ? -1 : f.schedule - before
        const all = [...of.verdict.findings, ...of.verdict.notes]
        const is = all.find((g) => g.a === f.a && g.b === f.b && g.schedule === own)
        if (is === undefined || f.replay !== (isOne ? 'again' : `--level ${of.level} again`)) return false
        if (isOne) continue
        const key = mistake(f)
        const having = cames.filter(
          (c) =>
            c._tag === 'judged' &&
            (key === null
              ? c === of
              : [...c.verdict.findings, ...c.verdict.notes].some((g) => mistake(g) === key)),
        )
        expect(new Set(f.levels)).toEqual(new Set(having.map((c) => c.level)))
      }
      return true
    },
  )

  prop([pairs], { numRuns: 200 })('it is a verdict as it is published', (cames) => {
    const one = joined(cames)
    if (one !== null) expect(right(decodeVerdict(JSON.parse(JSON.stringify(one))))).toEqual(one)
    return true
  })

  prop([pairs], { numRuns: 200 })('the level that tells the run is one with the worst verdict', (cames) => {
    const judged = cames.flatMap((c) => (c._tag === 'judged' ? [c] : []))
    const one = telling(judged)
    return one === null
      ? judged.length === 0
      : judged.every((c) => names.indexOf(c.verdict.verdict) <= names.indexOf(one.verdict.verdict))
  })
})

// ---------------------------------------------------------------- by hand

describe('what is said', () => {
  const judged = (level: LevelName, name: VerdictName): Came => ({
    _tag: 'judged',
    level,
    verdict: verdictOf(name, [], [], ['eager']),
  })
  const said = (...cames: ReadonlyArray<Came>): string => {
    const one = joined(cames, ['what both leave out'])
    return `${one?.verdict ?? ''}: ${one?.reason ?? ''}`
  }

  test.each([
    [[judged('ttgir', 'ok'), judged('ptx', 'ok')], 'ok: because of ok, in TTGIR and in PTX'],
    [[judged('ttgir', 'ok'), judged('ptx', 'hazard')], 'hazard: in PTX, because of hazard'],
    [[judged('ttgir', 'hazard'), judged('ptx', 'ok')], 'hazard: in TTGIR, because of hazard'],
    [[judged('ttgir', 'ok'), judged('ptx', 'undecided')], 'undecided: in PTX, because of undecided'],
    [
      [judged('ttgir', 'ok'), { _tag: 'refused', level: 'ptx', why: 'x' }],
      'undecided: TTGIR shows no hazards, and PTX is refused: x',
    ],
    [
      [judged('ptx', 'ok'), { _tag: 'refused', level: 'ttgir', why: 'x' }],
      'ok: because of ok, in PTX alone; TTGIR is refused: x',
    ],
    [[judged('ttgir', 'hazard'), { _tag: 'absent', level: 'ptx', why: 'x' }], 'hazard: because of hazard'],
    [
      [judged('ttgir', 'hazard'), { _tag: 'refused', level: 'ptx', why: 'x' }],
      'hazard: because of hazard; PTX is refused: x',
    ],
    [
      [judged('ttgir', 'ok'), { _tag: 'absent', level: 'ptx', why: 'x' }],
      'ok: because of ok, in TTGIR alone; PTX was not judged: x',
    ],
  ] as ReadonlyArray<readonly [ReadonlyArray<Came>, string]>)('%#', (cames, text) => {
    expect(said(...cames)).toBe(text)
  })

  test('what the coarser level leaves out is left out unless the finer one was judged', () => {
    const left = ['what both leave out']
    expect(joined([judged('ttgir', 'ok'), judged('ptx', 'ok')], left)?.scope).toEqual([])
    expect(joined([judged('ttgir', 'ok'), { _tag: 'absent', level: 'ptx', why: 'x' }], left)?.scope).toEqual(
      left,
    )
  })

  test('a baseline passes if it passes at every level, and its rows count over all', () => {
    const row = {
      id: 'D1',
      a: { statement: 's', nth: 0, does: 'reads' },
      b: null,
      memory: null,
      launch: '',
      reason: 'r',
    } as const
    const passing = (level: 'ttgir' | 'ptx', passes: boolean, findings: number): Came => ({
      _tag: 'judged',
      level,
      verdict: {
        ...verdictOf('hazard', [], [], ['eager']),
        accepted: [{ ...row, findings }],
        passes,
        ...(passes ? {} : { open: 'one finding is not accepted' }),
      },
    })
    const both = joined([passing('ttgir', true, 1), passing('ptx', true, 2)])
    expect([both?.passes, both?.accepted]).toEqual([true, [{ ...row, findings: 3 }]])
    const one = joined([passing('ttgir', true, 1), passing('ptx', false, 2)])
    expect([one?.passes, one?.open]).toEqual([false, 'one finding is not accepted'])
    const refused = joined([
      {
        _tag: 'judged',
        level: 'ttgir',
        verdict: { ...verdictOf('ok', [], [], ['eager']), accepted: [], passes: true },
      },
      { _tag: 'refused', level: 'ptx', why: 'x' },
    ])
    expect(refused?.passes).toBe(false)
  })
})
