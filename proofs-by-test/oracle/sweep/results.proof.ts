/**
 * Rows: what is kept of a verdict and of a mutant, and how rows are put together, counted, ranked and summed up.
 *
 * Oracles: sets and sums by plain definitions, over every order and every part of a few rows; the fields of the verdict itself.
 */
import * as E from 'fp-ts/lib/Either.js'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  belongs,
  counted,
  countsText,
  goodOf,
  merged,
  missingIn,
  pointsOf,
  rankedText,
  readResults,
  showResults,
  type Head,
  type Results,
  type Row,
} from '../../../src/oracle/sweep/results.js'
import type { Answer, PointOutcome } from '../../../src/oracle/sweep/model.js'
import {
  failedAnswer,
  judgedIn,
  ofMutant,
  ofVerdict,
  refusedAnswer,
  wordsOfCase,
} from '../../../src/oracle/sweep/work.js'
import type { JudgedMutant } from '../../../src/semantics/mutation/index.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { left, right } from '../../either.js'
import { ask, bare } from './world.js'

const outcomes = [
  ...['ok', 'hazard', 'deadlock', 'invalid', 'wrong-result', 'undecided', 'out-of-fuel'],
  ...['killed', 'survived', 'equivalent', 'timed', 'refused', 'failed'],
] as ReadonlyArray<PointOutcome>
const points = 12
const head: Head = {
  schema: 'tcspec.sweep-results/1',
  version: '1.2.3',
  hash: 'a'.repeat(64),
  points,
  shard: [1, 1],
  spec: { schema: 'tcspec.sweep/1', subjects: ['queue'] },
  files: {},
}
const row = (point: number, answer: Partial<Row> = {}): Row => ({
  point,
  hash: `${String(point)}`,
  key: `check queue ${String(point)}`,
  subject: point % 3 === 0 ? 'zoo/R1' : 'queue',
  outcome: 'ok',
  ids: [],
  reason: '',
  ...answer,
})
const results = (file: string, rows: ReadonlyArray<Row>, more: Partial<Head> = {}): Results => ({
  file,
  head: { ...head, ...more },
  rows,
})
const anyRows = fc
  .uniqueArray(
    fc.record({
      point: fc.nat({ max: points - 1 }),
      outcome: fc.constantFrom(...outcomes),
      ids: fc.array(fc.constantFrom('R1', 'R2', 'B1'), { maxLength: 2 }),
    }),
    { selector: ({ point }) => point },
  )
  .map((all) => all.map(({ point, ...answer }) => row(point, answer)))

describe('rows put together', () => {
  test('law 1: parts that overlap, in any order, are the rows of all, each once and in the order of the grid', () => {
    fc.assert(
      fc.property(anyRows, fc.array(fc.integer({ min: 1, max: 7 })), (rows, where) => {
        const part = (bit: number): Results =>
          results(
            `${String(bit)}.jsonl`,
            rows.filter((_, k) => ((where[k] ?? 7) >> bit) & 1),
            { shard: [bit + 1, 3] },
          )
        const made = right(merged([part(0), part(1), part(2)]))
        const expected = Array.from({ length: points }, (_, p) => rows.filter((r) => r.point === p)).flat()
        expect(made).toEqual({ file: '0.jsonl', head, rows: expected })
        // law 2
        expect(right(merged([made]))).toEqual(made)
        expect(right(readResults('0.jsonl', showResults(made)))).toEqual(made)
        for (const of of [
          [1, 1],
          [1, 3],
          [3, 3],
          [2, 5],
        ] as const)
          expect(missingIn(made, of)).toEqual(
            Array.from({ length: points }, (_, p) => p).filter(
              (p) => p % of[1] === of[0] - 1 && !rows.some((r) => r.point === p),
            ),
          )
      }),
    )
  })
  test('two rows of one point that differ are refused by the first that said it', () => {
    const parts = [
      results('a', [row(3, { reason: 'one' })]),
      results('b', [row(3, { reason: 'one' })]),
      results('c', [row(3, { reason: 'two', outcome: 'hazard' })]),
    ] as const
    expect(left(merged(parts))).toEqual({
      code: 'sweep.results',
      message: 'c: point 3 (check queue 3): expected what a says of it, ok (one), found hazard (two)',
    })
  })
  test('a part of another sweep or version is refused, wherever it stands', () => {
    for (const [more, why] of [
      [
        { version: '1.2.4' },
        'b: expected results of version 1.2.3 of the library, as a, found version 1.2.4',
      ],
      [
        { hash: 'b'.repeat(64) },
        `b: expected results of the sweep of a (${'a'.repeat(12)}), found those of another one (${'b'.repeat(12)}): the document or one of its files is another`,
      ],
    ] as const) {
      const [a, b] = [results('a', [row(0)]), results('b', [row(1)], more)]
      expect(left(belongs(b, head, 'a'))).toEqual({ code: 'sweep.results', message: why })
      expect(left(merged([a, b, a])).message).toBe(why)
      expect(left(merged([a, a, b])).message).toBe(why)
    }
    expect(belongs(results('b', []), head, 'a')).toEqual(E.right(null))
  })
  test('a line that is torn says nothing; one beyond the grid, and one that is no row, are refused by their number', () => {
    const lines = showResults(results('f', [row(1), row(0)]))
    for (const torn of ['{', '{"point":2', JSON.stringify(row(2))])
      expect(right(readResults('f', lines + torn))).toEqual(results('f', [row(1), row(0)]))
    for (const nothing of ['', '{"schema":']) expect(readResults('f', nothing)).toEqual(E.right(null))
    for (const [line, why] of [
      [JSON.stringify(row(points)), `f: line 4: point: expected one below 12, found 12`],
      ['{', 'f: line 4: not JSON'],
      ['{}', 'f: line 4: '],
    ] as const)
      expect(left(readResults('f', `${lines}${line}\n`)).message).toContain(why)
    expect(right(readResults('f', `${lines}${JSON.stringify(row(points - 1))}\n`))?.rows).toHaveLength(3)
    expect(left(readResults('f', '{\n')).message).toContain('f: line 1: not JSON')
  })
  test('shards are those that leave a remainder', () => {
    for (let n = 0; n < 9; n++)
      for (let of = 1; of < 5; of++)
        for (let part = 1; part <= of; part++)
          expect(pointsOf([part, of], n)).toEqual(
            Array.from({ length: n }, (_, p) => p).filter((p) => p % of === part - 1),
          )
  })
})

describe('rows summed up', () => {
  test('counts by subject, in the order of the grid, the most frequent first', () => {
    fc.assert(
      fc.property(anyRows, (rows) => {
        const sorted = Array.from({ length: points }, (_, p) => rows.filter((r) => r.point === p)).flat()
        const subjects = [...new Set(sorted.map((r) => r.subject))]
        const found = counted(rows)
        expect(found.map((c) => c.subject)).toEqual(subjects)
        for (const { subject, points: n, outcomes: of, ids } of found) {
          const own = rows.filter((r) => r.subject === subject)
          expect(n).toBe(own.length)
          const number = (words: ReadonlyArray<string>): ReadonlyArray<readonly [string, number]> =>
            [...new Set(words)].map((w) => [w, words.filter((x) => x === w).length] as const)
          const expected = (words: ReadonlyArray<string>): unknown =>
            [...number(words)].sort((a, b) => (b[1] !== a[1] ? b[1] - a[1] : a[0] < b[0] ? -1 : 1))
          expect(Object.entries(of)).toEqual(expected(own.map((r) => r.outcome)))
          expect(Object.entries(ids)).toEqual(
            expected(
              own.filter((r) => r.outcome !== 'killed').flatMap((r) => (r.ids.length ? [r.ids[0]!] : [])),
            ),
          )
        }
        // a column for what there is, and a line of sums
        const [titles, ...lines] = countsText(found)
          .split('\n')
          .map((line) => line.split(/ {2,}/u))
        const there = outcomes.filter((o) => rows.some((r) => r.outcome === o))
        expect(titles).toEqual(['subject', 'points', ...there, 'first ids'])
        expect(lines.map(([name]) => name)).toEqual([...subjects, 'all'])
        for (const [name, n, ...cells] of lines) {
          const own = rows.filter((r) => name === 'all' || r.subject === name)
          expect(Number(n)).toBe(own.length)
          expect(cells.slice(0, there.length).map(Number)).toEqual(
            there.map((o) => own.filter((r) => r.outcome === o).length),
          )
          const ids = Object.entries(found.find((c) => c.subject === name)?.ids ?? {})
          expect(cells.slice(there.length).join()).toBe(ids.map(([id, k]) => `${id} ${String(k)}`).join(', '))
        }
      }),
      { numRuns: 50 },
    )
  })
  test('all good, one bad, or one open: every pair of outcomes', () => {
    const kinds: Readonly<Record<string, boolean | null>> = {
      ...{ ok: true, killed: true, equivalent: true, refused: true, timed: true },
      ...{ undecided: null, 'out-of-fuel': null },
      ...{
        hazard: false,
        deadlock: false,
        invalid: false,
        'wrong-result': false,
        survived: false,
        failed: false,
      },
    }
    expect(goodOf([])).toBe(true)
    for (const a of outcomes)
      for (const b of outcomes) {
        const both = [kinds[a], kinds[b]]
        const expected = both.includes(false) ? false : both.includes(null) ? null : true
        expect([a, b, goodOf([row(0, { outcome: a }), row(1, { outcome: b })])]).toEqual([a, b, expected])
      }
  })
  test('predictions: the fastest first, and by name where two are equal', () => {
    const timed = (point: number, microseconds: number): Row =>
      row(point, {
        outcome: 'timed',
        time: { chip: 'h100', microseconds, tensorCores: 0.125, bound: 'dram' },
      })
    const rows = [timed(3, 3), timed(4, 20), timed(9, 1.04), timed(5, 3), row(0)]
    for (const some of [rows, [...rows].reverse()])
      expect(rankedText(some)).toEqual([
        '',
        [
          'us    tensor cores  bound  command',
          '1.0   12.5 %        dram   check queue 9',
          '3.0   12.5 %        dram   check queue 3',
          '3.0   12.5 %        dram   check queue 5',
          '20.0  12.5 %        dram   check queue 4',
        ].join('\n'),
      ])
    expect(rankedText([row(0)])).toEqual([])
  })
})

describe('what is kept', () => {
  test('of a verdict: how it was found, and how its outputs compare', async () => {
    const said = async (...words: ReadonlyArray<string>): Promise<Verdict> =>
      JSON.parse((await ask(bare, ...words, '--json')).stdout) as Verdict
    const kept = (v: Verdict): Answer => ofVerdict(v)
    const verdicts = [
      await said('check', 'queue'),
      await said('check', 'zoo/R1'),
      await said('check', 'queue', '--fuel', '10'),
      await said('run', 'queue', '--over', 'bits'),
    ]
    for (const v of verdicts) {
      const { verdict, outcome, ids, reason } = kept(v)
      expect([outcome, reason]).toEqual([v.verdict, v.reason])
      expect(ids).toEqual([...new Set(v.findings.map((f) => f.id))])
      const expected: Record<string, unknown> = {
        notes: [...new Set(v.notes.map((f) => f.id))],
        proved: v.provenance === null ? null : v.provenance.proved,
        digest: v.digest,
        events: v.counts.events,
      }
      for (const name of ['decidedBy', 'lookedAt'] as const) if (name in v) expected[name] = v[name]
      if (v.comparison !== undefined) {
        const { different, elements, maxUlp } = v.comparison
        expected['comparison'] = { different, elements, maxUlp }
      }
      expect(verdict).toStrictEqual(expected)
    }
    expect(verdicts.map((v) => [v.decidedBy, v.lookedAt])).toContainEqual([undefined, 'one-schedule'])
    // outputs that need only be close: those that are not are counted
    const far = { at: 1, found: 2, expected: 3, by: 1 }
    const output = (elements: number, farthest: typeof far | null) => ({
      ...{ tensor: 'c', elements, tolerance: { kind: 'absolute', bound: 1 }, size: null },
      ...{ farthest, largestError: null },
    })
    const near = (outputs: ReadonlyArray<ReturnType<typeof output>>): unknown =>
      kept({ ...verdicts[0]!, approximation: { to: 'float64', outputs } }).verdict?.comparison
    expect(near([output(5, null), output(7, far), output(11, far)])).toEqual({
      ...{ different: 2, elements: 23, maxUlp: null },
    })
    expect(near([output(5, null)])).toEqual({ different: 0, elements: 5, maxUlp: null })
    // both: the bits say more
    expect(
      kept({ ...verdicts[3]!, approximation: { to: 'float64', outputs: [output(1, far)] } }).verdict
        ?.comparison,
    ).toEqual(kept(verdicts[3]!).verdict?.comparison)
  })
  test('a reason is one line', () => {
    for (const [text, line] of [
      ['a', 'a'],
      ['  a\n', 'a'],
      ['a \r\n\n  b\n c', 'a b c'],
      ['\na  b', 'a  b'],
    ] as const) {
      expect(failedAnswer(text)).toEqual({ outcome: 'failed', ids: [], reason: line })
      expect(refusedAnswer({ code: 'x', message: text })).toEqual({
        outcome: 'refused',
        ids: ['x'],
        reason: line,
      })
    }
  })
  test('a case is words of a shell: a flag, its value, or its values, in one go or one by one', () => {
    const words = (options: Parameters<typeof wordsOfCase>[0]['options']): string =>
      wordsOfCase({ command: 'mutate', name: 'queue', options }).join(' ')
    expect(words({})).toBe('mutate queue')
    expect(words({ strict: true, tensorPipe: 'none' })).toBe('mutate queue --strict --tensor-pipe none')
    expect(words({ set: ['m=1', 'n=2'], argOf: [] })).toBe('mutate queue --set m=1 n=2 --arg-of')
    expect(words({ class: ['a', 'b'], operator: ['DROP'] })).toBe(
      'mutate queue --class a --class b --operator DROP',
    )
  })
  test('of a mutant: every fate, with and without a certificate, and back', () => {
    for (const fate of ['killed', 'survived', 'undecided'] as const)
      for (const certificate of [null, 'it stores what is there'])
        for (const bits of [0, 1, 2, 4]) {
          if (fate === 'killed' && certificate !== null) continue
          const judged: JudgedMutant = {
            mutant: { class: 'synchronisation', operator: 'DROP', site: 's', change: 'c', key: 'k' },
            verdict: 'hazard',
            fate: certificate === null ? fate : 'survived',
            strict: (bits & 1) > 0,
            named: (bits & 2) > 0,
            accurate: (bits & 4) > 0,
            certificate,
            ids: ['R1', 'R2', 'R1'],
            reason: 'because\n of it',
          }
          const answer = ofMutant(judged)
          expect(answer.outcome).toBe(certificate === null ? fate : 'equivalent')
          expect(judgedIn('k', answer)).toEqual({ ...judged, ids: ['R1', 'R2'], reason: 'because of it' })
        }
    expect(judgedIn('k', failedAnswer('x'))).toBeNull()
  })
})
