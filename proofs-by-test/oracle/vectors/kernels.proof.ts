/** The suite `kernels`: a pair of the zoo is told apart as the zoo says, and a back end that leaves out one part of the judgement gets a case wrong. */
import * as E from 'fp-ts/lib/Either.js'
import { expect, test } from 'vitest'
import { foreign, programName, zoo } from '../../../src/kernels/broken/index.js'
import { kernelsSuite } from '../../../src/oracle/vectors/kernels.js'
import { sameJson } from '../../../src/oracle/vectors/suite.js'
import { noArguments } from '../../../src/semantics/execution/launch.js'
import { check, standardOptions, type CheckOptions } from '../../../src/semantics/verdict/check.js'
import type { Program } from '../../../src/semantics/language/program.js'
import { validate, type ProgramShape } from '../../../src/semantics/language/validate.js'
import { right } from '../../either.js'
import { sampled } from '../../extent.js'

interface Question {
  readonly program: ProgramShape
  readonly strict: boolean
  readonly strictProxies: boolean
  readonly tensorPipe: 'issueOrder' | 'documented'
}
interface Answer {
  readonly verdict: string
  readonly findings: ReadonlyArray<string>
  readonly notes: ReadonlyArray<string>
  readonly computes: unknown
}
const cases = [...kernelsSuite.cases()]
const named = (name: string): (typeof cases)[number] | undefined =>
  cases.find((one) => one.name === name.toLowerCase().replaceAll('/', '-'))

/** What is noted of mended kernels: W1 reads its slot without the proxy fence that PTX demands before the refill, and no Hopper chip needs it. */
const noted: Readonly<Record<string, ReadonlyArray<string>>> = { 'zoo/W1': ['P3'] }

test('both of a pair are cases: the one has its id, the other is clean', () => {
  for (const t of sampled(3, [...zoo, ...foreign])) {
    const clean = kernelsSuite.ask(named(programName(t, true))!.question)
    const notes = noted[t.path] ?? []
    expect([t.path, clean]).toMatchObject([t.path, { right: { verdict: 'ok', findings: [], notes } }])
    const bad = named(programName(t, false))
    if (bad === undefined) {
      // no program before it is placed and has types: a damaged one stands for it
      expect(cases.some((one) => one.rule === `kernels.${t.id}` && one.features.includes('refusal'))).toBe(
        true,
      )
      continue
    }
    expect(bad.rule).toBe(`kernels.${t.id}`)
    const asked = kernelsSuite.ask(bad.question)
    if (E.isLeft(asked)) expect([t.path, asked.left.code]).toEqual([t.path, t.id])
    else {
      const a = asked.right as unknown as Answer
      expect([t.path, a.verdict]).toEqual([t.path, t.shows.verdict])
      expect([...a.findings, ...a.notes]).toContain(t.id)
    }
  }
})

const usual = (q: Question): CheckOptions => ({
  ...standardOptions,
  arguments: { ...noArguments, tensorPipe: q.tensorPipe },
  strict: q.strict,
  strictProxies: q.strictProxies,
  explain: false,
})

/** Names of the cases that a back end gets wrong which judges with other options, or does not validate. */
const wrong = (rules: ReadonlyArray<string>, other: (q: Question) => CheckOptions): ReadonlyArray<string> =>
  cases
    .filter((one) => rules.includes(one.rule.slice('kernels.'.length)) && !one.features.includes('refusal'))
    .filter((one) => {
      const q = one.question as unknown as Question
      const { verdict } = right(check(right(validate(q.program)) as Program, other(q)))
      const expected = right(kernelsSuite.ask(one.question)) as unknown as Answer
      const { provenance } = verdict
      return !sameJson(expected, {
        verdict: verdict.verdict,
        findings: [...new Set(verdict.findings.map(({ id }) => id))].sort(),
        notes: [...new Set(verdict.notes.map(({ id }) => id))].sort(),
        computes: provenance === null ? null : { proved: provenance.proved, inOrder: provenance.inOrder },
      })
    })
    .map(({ name }) => name)

test.each<readonly [string, ReadonlyArray<string>, (o: CheckOptions) => Partial<CheckOptions>]>([
  ['contracts', ['U1', 'B8'], () => ({ strict: false })],
  ['proxies of overwrites', ['P3'], () => ({ strictProxies: false })],
  [
    'the order of the tensor core',
    ['N3'],
    () => ({ arguments: { ...noArguments, tensorPipe: 'issueOrder' } }),
  ],
  ['other schedules', ['B3', 'R3'], () => ({ explore: false })],
  ['what is computed', ['L1'], () => ({ provenance: false })],
  ['equal writes', ['N4'], () => ({ equalWrites: 'none' })],
  ['order and visibility', ['R1', 'P1', 'M2'], () => ({ hazards: false })],
])('a back end that leaves out %s is found out', (_, rules, without) => {
  expect(wrong(rules, usual)).toEqual([])
  expect(
    wrong(rules, (q) => {
      const options = usual(q)
      return { ...options, ...without(options) }
    }).length,
  ).toBeGreaterThan(0)
})
