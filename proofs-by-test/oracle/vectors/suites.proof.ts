/** Every suite keeps the laws of suites: its cases stay, have rules and legal names; questions and answers satisfy their forms. */
import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { suiteNamed, suites } from '../../../src/oracle/vectors/index.js'
import { features, sameJson, type Suite } from '../../../src/oracle/vectors/suite.js'
import { nightly, sampled } from '../../extent.js'

const all = await Promise.all(suites.map(({ load }) => load()))

describe.each(all.map((suite): [string, Suite] => [suite.name, suite]))('suite %s', (name, suite) => {
  const cases = [...suite.cases()]
  const some = sampled(Math.ceil(cases.length / 8), cases)
  test('its cases stay, and their names are distinct and names of files', () => {
    expect(sameJson([...suite.cases()], cases)).toBe(true)
    expect(new Set(cases.map((one) => one.name)).size).toBe(cases.length)
    expect(
      cases.filter((one) => !/^[a-z0-9][a-z0-9_-]{0,79}$/.test(one.name)).map((one) => one.name),
    ).toEqual([])
  })
  test('each of its rules has a case, and each case one of its rules', () => {
    expect([...new Set(cases.map(({ rule }) => rule))].sort()).toEqual(suite.rules.map(({ id }) => id).sort())
    expect(suite.rules.filter(({ id }) => !id.startsWith(`${name}.`))).toEqual([])
    for (const one of cases) for (const tag of one.features) expect(features).toContain(tag)
  })
  test('questions and answers satisfy their forms; a refusal is tagged and has a code', () => {
    for (const one of some) {
      expect(suite.question.codec.is(one.question), one.name).toBe(true)
      const asked = suite.ask(one.question)
      if (E.isRight(asked)) expect(suite.answer.codec.is(asked.right), one.name).toBe(true)
      else expect(asked.left.code, one.name).not.toBe('question')
      expect([one.name, one.features.includes('refusal')]).toEqual([one.name, E.isLeft(asked)])
    }
  })
  test('the same is asked twice and answered alike', () => {
    for (const one of sampled(Math.ceil(cases.length / 2), cases))
      expect(sameJson(suite.ask(one.question), suite.ask(one.question))).toBe(true)
  })
  test.each(suite.rules.map(({ id }) => [id]))('random questions about %s are questions', (rule) => {
    fc.assert(
      fc.property(suite.questions(rule), (question) => {
        const asked = suite.ask(question)
        return (
          suite.question.codec.is(question) &&
          (E.isRight(asked) ? suite.answer.codec.is(asked.right) : asked.left.code !== 'question')
        )
      }),
      { numRuns: nightly ? 40 : 2, seed: 1 },
    )
  })
  test('anything else is refused', () => {
    for (const damaged of [null, 3, [], {}, { dtype: 'f16' }]) {
      const asked = suite.ask(damaged)
      expect(E.isLeft(asked) && asked.left.code).toBe('question')
    }
  })
})

test('what is no suite is refused, with what was meant', async () => {
  const found = await suiteNamed('swizle')()
  expect(E.isLeft(found) && found.left.message).toMatch(/did you mean swizzle/)
})
