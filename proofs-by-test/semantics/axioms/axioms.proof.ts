/** The axioms: the answers to our own litmus tests, and that each axiom is needed for one. */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import {
  axioms,
  behaviours,
  everyAxiom,
  refusals,
  type Axiom,
  type FinalState,
  type Instruction,
  type Program,
} from '../../../src/semantics/axioms/index.js'
import { candidatesOf } from '../../../src/semantics/axioms/candidates.js'
import { isAllowed } from '../../../src/semantics/axioms/axioms.js'
import { pathsOf } from '../../../src/semantics/axioms/paths.js'
import { right } from '../../either.js'
import { tests, type Wanted } from './tests.js'

const isWanted =
  (wanted: Wanted) =>
  ({ registers, memory }: FinalState): boolean =>
    Object.entries(wanted).every(([name, v]) => (memory.get(name) ?? registers.get(name)) === v)
const isAllowedBy = (program: Program, wanted: Wanted, without: ReadonlyArray<Axiom> = []): boolean => {
  const { outcomes, complete } = right(behaviours(program, { without }))
  expect(complete).toBe(true)
  return outcomes.some(({ state }) => isWanted(wanted)(state))
}

describe('litmus tests', () => {
  it.each(tests.map((t) => [t.name, t] as const))('%s', (_, { program, wanted, allowed }) => {
    expect(isAllowedBy(program, wanted)).toBe(allowed)
  })
})

describe('each axiom is needed', () => {
  it.each(tests.filter(({ allowed }) => !allowed).map((t) => [t.name, t] as const))(
    '%s: exactly the axioms that it names, alone, decide it',
    (_, { program, wanted, needs }) => {
      expect(everyAxiom.filter((a) => isAllowedBy(program, wanted, [a]))).toEqual(needs)
    },
  )
  it('every axiom but Fence-SC has such a test', () => {
    expect(everyAxiom.filter((a) => !tests.some(({ needs }) => needs.includes(a)))).toEqual(['fence-sc'])
  })
  it('Fence-SC forbids executions, if no state', () => {
    const { program } = tests.find(({ name }) => name === 'SB fence.sc')!
    const twice: Program = {
      memory: program.memory,
      threads: program.threads.map((t, k) =>
        k > 0
          ? t
          : {
              ...t,
              body: t.body.flatMap((i): ReadonlyArray<Instruction> => (i._tag === 'fence' ? [i, i] : [i])),
            },
      ),
    }
    const executions = (without: ReadonlyArray<Axiom>): number => {
      const enforced = new Set(everyAxiom.filter((a) => !without.includes(a)))
      const paths = twice.threads.map((t) => pathsOf(t, 2).paths[0]!)
      return [...candidatesOf(twice, paths, enforced)].filter(
        (c) => c !== undefined && isAllowed(c, enforced),
      ).length
    }
    expect(executions([])).toBeLessThan(executions(['fence-sc']))
  })
  it('the table has them in the manual’s order', () => {
    expect(axioms.map(({ id }) => id)).toEqual(everyAxiom)
    expect(axioms.map(({ section }) => section)).toEqual(
      ['1', '2', '3', '4', '5', '6'].map((k) => `8.10.${k}`),
    )
  })
})

describe('refusals', () => {
  it.each(tests.filter(({ needs }) => needs.length > 0).map((t) => [t.name, t] as const))(
    '%s: contradict one axiom that it needs, in a circle',
    (_, { program, wanted, needs }) => {
      const found = right(refusals(program, isWanted(wanted), {}, Object.values(wanted)))
      expect(found.length).toBeGreaterThan(0)
      expect([...new Set(found.flatMap((r) => r.contradictions.map(({ axiom }) => axiom)))].sort()).toEqual(
        [...needs].sort(),
      )
      for (const { contradictions } of found)
        for (const { arrows } of contradictions)
          arrows.forEach(({ to }, k) => {
            expect(arrows[(k + 1) % arrows.length]!.from).toBe(to)
          })
    },
  )
  it('a program of too many events is refused', () => {
    const long: Program = {
      memory: new Map([['x', 0]]),
      threads: [
        {
          ...tests[0]!.program.threads[0]!,
          body: Array.from({ length: 40 }, () => tests[0]!.program.threads[0]!.body[0]!),
        },
      ],
    }
    const answer = behaviours(long)
    expect(E.isLeft(answer) && answer.left.code).toBe('axioms.long')
  })
})
