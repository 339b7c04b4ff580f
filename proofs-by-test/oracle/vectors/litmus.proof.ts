/** The suite `litmus`: a back end without one clause of the model gets a case of that clause wrong; any lines are answered or refused. */
import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { expect, test } from 'vitest'
import { litmusAnswer, litmusSuite } from '../../../src/oracle/vectors/litmus.js'
import { sameJson } from '../../../src/oracle/vectors/suite.js'
import { clauses } from '../../../src/semantics/model/index.js'
import { nightly } from '../../extent.js'

type Question = Parameters<typeof litmusAnswer>[0]
const cases = [...litmusSuite.cases()].map((one) => ({
  ...one,
  question: one.question as unknown as Question,
}))

test.each(clauses.map(({ id }) => [id]))('a model without %s is found out', (id) => {
  const own = cases.filter(({ rule }) => rule === `litmus.${id}`)
  const wrong = own.filter(({ question }) => !sameJson(litmusAnswer(question), litmusAnswer(question, [id])))
  expect([own.length > 1, wrong.length > 0]).toEqual([true, true])
})

test('a race, an order, an end', () => {
  const of = (asks: Question['asks'], ...lines: ReadonlyArray<string>): Question => ({
    lines,
    asks,
    strict: false,
    strictProxies: false,
    tensorPipe: 'issueOrder',
  })
  expect(litmusSuite.ask(of('pairs', 'T0: write x', 'T1: read x'))).toEqual(
    E.right({ pairs: [{ a: 0, b: 1, is: 'race' }], nothing: [] }),
  )
  expect(litmusSuite.ask(of('pairs', 'T0: write x', 'T0: arrive b', 'T1: wait b 0', 'T1: read x'))).toEqual(
    E.right({ pairs: [], nothing: [] }),
  )
  expect(litmusSuite.ask(of('pairs', 'T0: write g', 'next cluster', 'T1: read x', 'T0: write g'))).toEqual(
    E.right({ pairs: [{ a: 0, b: 3, is: 'race of clusters' }], nothing: [] }),
  )
  expect(litmusSuite.ask(of('run', 'T0: issue #1 store', '#1: read x', 'T0: commit bulk'))).toEqual(
    E.right({ conditions: ['C5'], ends: ['U2'] }),
  )
  expect(litmusSuite.ask(of('pairs', 'T0: whistle'))).toMatchObject(E.left({ code: 'litmus.line' }))
})

test('lines in any order are answered, or refused', () => {
  const every = [...new Set(cases.flatMap(({ question }) => question.lines))]
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...every), { maxLength: 12 }),
      fc.constantFrom<Question['asks'][]>('pairs', 'run'),
      fc.boolean(),
      (lines, asks, strict) => {
        const asked = litmusSuite.ask({
          lines,
          asks,
          strict,
          strictProxies: strict,
          tensorPipe: 'issueOrder',
        })
        return E.isRight(asked) ? litmusSuite.answer.codec.is(asked.right) : asked.left.code === 'litmus.line'
      },
    ),
    { numRuns: nightly ? 200 : 40, seed: 1 },
  )
})
