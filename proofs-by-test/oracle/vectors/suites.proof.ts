/** Every suite keeps the laws of suites: its cases stay, have rules and legal names; questions and answers satisfy their forms. */
import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { suiteNamed, suites } from '../../../src/oracle/vectors/index.js'
import { features, sameJson, type Suite } from '../../../src/oracle/vectors/suite.js'
import type { Json } from '../../../src/wire.js'
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

interface Bits {
  readonly dtype: string
  readonly shape: ReadonlyArray<number>
  readonly bits: ReadonlyArray<number>
}

/** An answer whose only tensor has one pattern changed. */
const wrongAt = (answer: Readonly<Record<string, unknown>>, member: string, at: number): Json => {
  const t = answer[member] as Bits
  return {
    ...(answer as Readonly<Record<string, Json>>),
    [member]: { ...t, bits: t.bits.map((p, i) => (i === at ? (p + 1) % 2 ** 8 : p)) },
  }
}

test('law 5: a smaller question is one, and has fewer patterns or fewer that are not 0', () => {
  const bitsIn = (q: Json): ReadonlyArray<number> =>
    Object.values(q as Readonly<Record<string, Json>>).flatMap((t) =>
      typeof t === 'object' && t !== null && 'bits' in t ? [...(t as unknown as Bits).bits] : [],
    )
  const size = (q: Json): number => bitsIn(q).length + bitsIn(q).filter((p) => p !== 0).length
  const smaller = all.flatMap((suite) =>
    [...suite.cases()]
      .map(({ question }) => question)
      .concat(
        suite.rules.flatMap(({ id }) =>
          suite.name.startsWith('dot') ? fc.sample(suite.questions(id), { seed: 1, numRuns: 2 }) : [],
        ),
      )
      .flatMap((question) => [...suite.smaller(question)].map((less) => [suite, question, less] as const)),
  )
  expect(new Set(smaller.map(([suite]) => suite.name))).toEqual(new Set(['dot', 'dot-tcgen05', 'dot-scaled']))
  for (const [suite, question, less] of smaller) {
    expect(suite.question.codec.is(less)).toBe(true)
    expect(E.isRight(suite.ask(less))).toBe(E.isRight(suite.ask(question)))
    expect(size(less)).toBeLessThan(size(question))
  }
})

describe('law 3: a projected question is about the first wrong element, and has its answer', () => {
  test.each([
    ['dot', 'd'],
    ['dot-tcgen05', 'd'],
    ['dot-scaled', 'd'],
    ['functions', 'result'],
    ['conversions', 'result'],
  ])('%s', (name, member) => {
    const suite = all.find((one) => one.name === name)!
    const large = [...suite.cases()].flatMap((one) => {
      const asked = suite.ask(one.question)
      const found = E.isRight(asked) ? (asked.right as Readonly<Record<string, unknown>>) : null
      return found !== null && (found[member] as Bits).bits.length > 1 ? [{ one, found }] : []
    })
    expect(large.length).toBeGreaterThan(0)
    for (const { one, found } of [large[0]!, large[Math.floor(large.length / 2)]!, large.at(-1)!]) {
      const { bits } = found[member] as Bits
      for (const at of [0, 1, Math.floor(bits.length / 3), bits.length - 1]) {
        const smaller = suite.projected(one.question, found as Json, wrongAt(found, member, at))
        expect([one.name, suite.question.codec.is(smaller)]).toEqual([one.name, true])
        const asked = suite.ask(smaller)
        expect([
          one.name,
          at,
          E.isRight(asked) && (asked.right as unknown as Record<string, Bits>)[member]!.bits,
        ]).toEqual([one.name, at, [bits[at]]])
      }
      expect(suite.projected(one.question, found as Json, found)).toBeNull()
    }
  })
  test('mbarrier: the script up to the operation after which something is wrong', () => {
    const suite = all.find((one) => one.name === 'mbarrier')!
    interface Script {
      readonly operations: ReadonlyArray<{ readonly op: string }>
    }
    interface Steps {
      readonly steps: ReadonlyArray<Readonly<Record<string, Json>>>
      readonly trap: Json
    }
    const scripts = [...suite.cases()].filter(
      (one) =>
        (one.question as unknown as Script).operations.length > 3 && E.isRight(suite.ask(one.question)),
    )
    expect(
      scripts.some((one) => (one.question as unknown as Script).operations.some(({ op }) => op === 'inval')),
    ).toBe(true)
    for (const one of scripts) {
      const asked = suite.ask(one.question)
      const answer = (E.isRight(asked) ? asked.right : null) as unknown as Steps
      const at = Math.floor(answer.steps.length / 2)
      const wrong = {
        trap: answer.trap,
        steps: answer.steps.map((step, i) =>
          i === at ? { ...step, pending: Number(step['pending']) + 1 } : step,
        ),
      }
      const smaller = suite.projected(one.question, answer as unknown as Json, wrong)
      if (smaller === null) continue
      const again = suite.ask(smaller)
      expect([one.name, E.isRight(again) && (again.right as unknown as Steps).steps]).toEqual([
        one.name,
        answer.steps.slice(0, at + 1),
      ])
    }
  })
})
