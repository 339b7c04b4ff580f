/**
 * A baseline never makes pass what it does not name. Random verdicts, random rows.
 *
 * Oracle: the rule said again over plain tuples, side by side and without keys; and attacks, each of which changes one thing that a row names.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeBaseline } from '../../../src/semantics/files/accept-codec.js'
import {
  baselineOf,
  withAccepted,
  type AcceptedRow,
  type Launching,
} from '../../../src/semantics/judging/accept.js'
import type { Condition, Conditions, Finding, Operation } from '../../../src/semantics/judging/finding.js'
import { verdictSchema, wayOf, type Verdict } from '../../../src/semantics/judging/verdict.js'
import { right } from '../../either.js'
import { draws } from '../../extent.js'

// ---------------------------------------------------------------- random verdicts

/** Few values, and texts that a careless key would run together. */
const texts = ['x = s[t];', 's[t] = x;\n', '', 'a\nb', '"]', ',']
const operation = fc
  .record({
    site: fc.constantFrom(...texts),
    does: fc.constantFrom('reads', 'writes', 'cpAsync writes', 'arrives'),
    at: fc.nat(3),
    index: fc.nat(1),
  })
  .map(({ site, does, at, index }): Operation => ({
    index,
    agent: `w${String(index)}@0`,
    site,
    path: [],
    iteration: [],
    at,
    does,
  }))
const place = fc.record({
  plane: fc.constantFrom('smem@0', 'smem@1', 'gmem out'),
  spans: fc.constant([[0, 4]] as const),
})
const finding: fc.Arbitrary<Finding> = fc
  .record(
    {
      id: fc.constantFrom('D1' as const, 'D2' as const, 'B3' as const),
      a: operation,
      b: operation,
      place,
    },
    { requiredKeys: ['id', 'a'] },
  )
  .map((f) => ({ severity: 'E' as const, text: 'wrong', ...f }))
const replayable = fc
  .record({ one: finding, alike: fc.array(finding, { maxLength: 2 }) })
  .map(({ one, alike }) => ({
    ...one,
    schedule: 0,
    ...(alike.length === 0 ? {} : { alike: alike.map((f) => ({ ...f, schedule: 0 })) }),
  }))
const condition: fc.Arbitrary<Condition> = fc.oneof(
  { weight: 20, arbitrary: fc.constant({ holds: true, failures: [], findings: [] }) },
  {
    weight: 1,
    arbitrary: fc
      .record({ findings: fc.array(finding, { maxLength: 2 }), more: fc.nat(1) })
      .map(({ findings, more }) => ({
        holds: false,
        failures: [...findings.map(() => 'so'), ...(more === 1 || findings.length === 0 ? ['so too'] : [])],
        findings,
      })),
  },
)
const conditions: fc.Arbitrary<Conditions> = fc.record({
  C1: condition,
  C2: condition,
  C3: condition,
  C4: condition,
  C5: condition,
  C6: condition,
})
const search = fc.record({
  complete: fc.boolean(),
  bound: fc.constant(null),
  states: fc.constant(3),
  transitions: fc.constant(3),
})
const names = ['ok', 'invalid', 'hazard', 'deadlock', 'wrong-result', 'undecided', 'out-of-fuel'] as const
const verdict: fc.Arbitrary<Verdict> = fc
  .record({
    name: fc.oneof(
      { weight: 5, arbitrary: fc.constant('hazard' as const) },
      { weight: 1, arbitrary: fc.constantFrom(...names) },
    ),
    kernel: fc.constantFrom('k', 'l'),
    findings: fc.array(replayable, { maxLength: 3 }),
    conditions,
    first: fc.option(conditions),
    search: fc.option(fc.record({ of: search, lanes: fc.boolean() })),
    proved: fc.constantFrom(null, true, true, false),
  })
  .map((v): Verdict => ({
    schema: verdictSchema,
    kernel: v.kernel,
    settings: {},
    verdict: v.name,
    reason: 'because',
    search: v.search === null ? null : { ...v.search.of, ...(v.search.lanes ? { leaves: 'lanes' } : {}) },
    schedule: 0,
    conditions: v.conditions,
    ...(v.first === null ? {} : { firstConditions: v.first }),
    findings: v.findings,
    notes: [],
    schedules: ['eager'],
    waitFor: [],
    provenance: v.proved === null ? null : { proved: v.proved, inOrder: true, text: 'out = a' },
    digest: { order: '', output: '' },
    counts: { events: 0, steps: 0, agents: 0, ctas: 0, clusters: 0, runs: 1 },
    scope: [],
    ...wayOf(v.name, 'one-schedule'),
  }))

const launching = (kernel: string, launch = 'grid 1'): Launching => ({
  kernel,
  launch,
  at: ({ site }) => (site === '' ? null : { file: 'k.cu', statement: site, nth: site.length % 2 }),
})

// ---------------------------------------------------------------- the rule, said again

type Side = readonly [site: string, does: string] | null
const sidesOf = ({ a, b }: Pick<Finding, 'a' | 'b'>): readonly [Side, Side] => {
  // what is no access has no word of its own
  const side = ({ site, does }: Operation): Side => [site, does === 'arrives' ? 'other' : does]
  return [side(a), b === undefined ? null : side(b)]
}
const isSame = (x: Side, y: Side): boolean =>
  x === null || y === null ? x === y : x[0] === y[0] && x[1] === y[1]
/** The memory of a CTA is that of every CTA. */
const memoryOf = (f: Pick<Finding, 'place'>): string =>
  f.place === undefined ? '' : f.place.plane.replace(/@.*$/u, '')
const names1 = (known: Finding, id: string, f: Pick<Finding, 'a' | 'b' | 'place'>): boolean => {
  const [[p, q], [x, y]] = [sidesOf(known), sidesOf(f)]
  return (
    known.id === id &&
    memoryOf(known) === memoryOf(f) &&
    ((isSame(p, x) && isSame(q, y)) || (isSame(p, y) && isSame(q, x)))
  )
}
const allOf = (v: Verdict): ReadonlyArray<Finding> =>
  v.findings.flatMap(({ alike = [], ...f }) => [
    f,
    ...alike.map(({ a, b, place }): Finding => ({
      id: f.id,
      severity: f.severity,
      text: f.text,
      a,
      ...(b === undefined ? {} : { b }),
      ...(place === undefined ? {} : { place }),
    })),
  ])
const mayPass = (v: Verdict, accepted: ReadonlyArray<Finding>): boolean => {
  if (v.verdict === 'ok') return v.findings.every((f) => known(f, accepted))
  if (v.verdict !== 'hazard' || v.findings.length === 0 || v.provenance?.proved === false) return false
  if (!v.findings.every((f) => known(f, accepted))) return false
  if (v.search?.complete === true && v.search.leaves === undefined) return true
  return [v.conditions, v.firstConditions].every(
    (all) =>
      all === undefined ||
      Object.values(all).every(
        (c: Condition) =>
          c.holds ||
          (c.findings.length > 0 &&
            c.failures.length <= c.findings.length &&
            c.findings.every((f) => accepted.some((k) => names1(k, f.id, f)))),
      ),
  )
}
const known = (f: Verdict['findings'][number], accepted: ReadonlyArray<Finding>): boolean =>
  [f, ...(f.alike ?? [])].every((one) => accepted.some((k) => names1(k, f.id, one)))

const rowsFor = (v: Verdict, findings: ReadonlyArray<Finding>, launch?: string): ReadonlyArray<AcceptedRow> =>
  baselineOf({ ...v, findings: findings.map((f) => ({ ...f, schedule: 0 })) }, launching(v.kernel, launch))
    .accepted

// ---------------------------------------------------------------- proofs

const runs = { numRuns: draws(3000), seed: 47 }
const withRows = (v: Verdict, rows: ReadonlyArray<AcceptedRow>, launch?: string): Verdict =>
  withAccepted(v, launching(v.kernel, launch), rows)

describe('a verdict passes', () => {
  test('as the rule says, whatever the findings and the rows', () => {
    const tally = { passed: 0, failed: 0 }
    fc.assert(
      fc.property(verdict, fc.array(finding, { maxLength: 4 }), fc.nat(), (v, others, drop) => {
        const own = [...allOf(v), ...Object.values(v.conditions).flatMap((c: Condition) => c.findings)]
        // mostly all that there is; sometimes one is not accepted
        const accepted = [
          ...others,
          ...own.filter((_, i) => own.length === 0 || drop % (2 * own.length) !== i),
        ]
        const told = withRows(v, rowsFor(v, accepted))
        expect(told.passes).toBe(mayPass(v, accepted))
        expect(told.open === undefined).toBe(told.passes)
        tally[told.passes === true ? 'passed' : 'failed']++
      }),
      runs,
    )
    expect(Math.min(tally.passed, tally.failed)).toBeGreaterThan(runs.numRuns / 10)
  })
  test('law 1: never with a finding that no row names', () => {
    fc.assert(
      fc.property(verdict, fc.array(finding, { maxLength: 4 }), (v, accepted) => {
        const fresh = allOf(v).filter((f) => !accepted.some((k) => names1(k, f.id, f)))
        const told = withRows(v, rowsFor(v, accepted))
        if (fresh.length > 0) expect([told.passes, told.open]).toEqual([false, expect.any(String)])
      }),
      runs,
    )
  })
  test('law 2: with its own rows, if nothing else is open; law 3: and keeps what it says', () => {
    fc.assert(
      fc.property(verdict, (v) => {
        const told = withRows(v, baselineOf(v, launching(v.kernel)).accepted)
        expect(told.passes).toBe(mayPass(v, allOf(v)))
        expect([told.verdict, told.reason, told.findings.length]).toEqual([
          v.verdict,
          v.reason,
          v.findings.length,
        ])
        const ids = (of: Verdict): ReadonlyArray<string> => of.findings.map((f) => f.id).sort()
        expect(ids(told)).toEqual(ids(v))
      }),
      runs,
    )
  })
  test('law 4: with more rows no less, with fewer no more', () => {
    fc.assert(
      fc.property(verdict, fc.array(finding, { maxLength: 4 }), fc.array(finding), (v, some, more) => {
        const [few, many] = [rowsFor(v, some), rowsFor(v, [...some, ...more])]
        if (withRows(v, few).passes === true) expect(withRows(v, many).passes).toBe(true)
      }),
      runs,
    )
  })
})

describe('a row is no row of', () => {
  const attacks: ReadonlyArray<readonly [string, (r: AcceptedRow) => AcceptedRow]> = [
    ['another kernel', (r) => ({ ...r, kernel: `${r.kernel}2` })],
    ['another launch', (r) => ({ ...r, launch: 'grid 2' })],
    ['no launch', (r) => ({ ...r, launch: '' })],
    ['another id', (r) => ({ ...r, id: r.id === 'D1' ? 'D2' : 'D1' })],
    ['another memory', (r) => ({ ...r, memory: `${r.memory ?? 'smem'}2` })],
    ['no memory', (r) => ({ ...r, memory: r.memory === null ? '' : null })],
    ['another statement', (r) => ({ ...r, a: { ...r.a, statement: `${r.a.statement} ` } })],
    ['another file', (r) => ({ ...r, a: { ...r.a, file: r.a.file === undefined ? '' : `${r.a.file}h` } })],
    ['another line alike', (r) => ({ ...r, a: { ...r.a, nth: r.a.nth + 1 } })],
    ['another access', (r) => ({ ...r, a: { ...r.a, does: `${r.a.does}?` } })],
    [
      'another pair',
      (r) => ({ ...r, b: r.b === null ? { statement: '', nth: 0, does: '' } : { ...r.b, nth: r.b.nth + 1 } }),
    ],
    ['one side', (r) => ({ ...r, b: r.b === null ? r.a : null })],
  ]
  test.each(attacks)('%s', (_, attack) => {
    let tried = 0
    fc.assert(
      fc.property(finding, verdict, (f, v) => {
        const one: Verdict = { ...v, verdict: 'hazard', findings: [{ ...f, schedule: 0 }] }
        const rows = rowsFor(one, [f])
        expect(withRows(one, rows).findings[0]!.accepted).toBeDefined()
        const told = withRows(one, rows.map(attack))
        expect([told.passes, told.findings[0]!.accepted]).toEqual([false, undefined])
        tried++
      }),
      { numRuns: 300, seed: 47 },
    )
    expect(tried).toBe(300)
  })
})

describe('a baseline', () => {
  test('is read as it was written, and keeps the rows of other kernels and launches', () => {
    fc.assert(
      fc.property(verdict, verdict, (v, w) => {
        const first = baselineOf(v, launching('k', 'grid 1'))
        const second = baselineOf(w, launching('k', 'grid 2'), first.accepted)
        const third = baselineOf(v, launching('k', 'grid 1'), second.accepted)
        expect(right(decodeBaseline(JSON.parse(JSON.stringify(third))))).toEqual(third)
        const byText = (rows: ReadonlyArray<AcceptedRow>): ReadonlyArray<string> =>
          rows.map((r) => JSON.stringify(r)).sort()
        expect(byText(third.accepted)).toEqual(byText(second.accepted))
        expect(third.accepted.filter((r) => r.launch === 'grid 1')).toHaveLength(first.accepted.length)
      }),
      { numRuns: 500, seed: 47 },
    )
  })
})

test('a row without a launch accepts its finding in every launch, stays where another launch is written, and keeps its reason', () => {
  fc.assert(
    fc.property(verdict, (v) => {
      const of = launching(v.kernel)
      const { accepted } = baselineOf(v, of)
      const open = accepted.map(({ kernel, id, a, b, memory }): AcceptedRow => ({
        kernel,
        id,
        a,
        b,
        memory,
        reason: 'fine',
      }))
      for (const launch of ['grid 1', 'grid 2']) {
        const other = launching(v.kernel, launch)
        expect(withAccepted(v, other, open).passes).toBe(withAccepted(v, of, accepted).passes)
        expect(baselineOf(v, other, open).accepted).toEqual(open)
      }
      if (v.findings.length > 0)
        expect(withAccepted(v, launching(v.kernel, 'grid 2'), accepted).passes).toBe(false)
    }),
  )
})

test('a row says how many findings it accepts', () => {
  fc.assert(
    fc.property(finding, verdict, fc.integer({ min: 0, max: 3 }), (f, v, count) => {
      const one: Verdict = { ...v, verdict: 'hazard', findings: [{ ...f, schedule: 0 }] }
      const rows = rowsFor(one, [f])
      const many: Verdict = { ...one, findings: Array.from({ length: count }, () => ({ ...f, schedule: 0 })) }
      for (const row of withRows(many, rows).accepted ?? []) expect(row.findings).toBe(count)
    }),
  )
})
