/**
 * What becomes of the fields of a fence and of a declaration, and how mutants are counted. Oracles: tables by hand; the statements of a program that name a storage, found in their
 * text.
 */
import { describe, expect, test } from 'vitest'
import { effectsOf, type Program } from '../../../src/semantics/language/program.js'
import {
  byOperator,
  isWhole,
  mutantsOf,
  percent,
  tally,
  type JudgedMutant,
} from '../../../src/semantics/mutation/index.js'
import { programOf } from './settings.js'

const tiles = { n: 16, k: 80, tileN: 16, tileK: 16, stages: 2 } as const
const programs: ReadonlyArray<Program> = [
  programOf('queue', { m: 5, n: 64, rows: 1, buffering: 2, produce: 'copies' }),
  programOf('hopper-matmul', { m: 64, tileM: 64, ...tiles }),
  programOf('matmul0', { m: 128, tileM: 128, ...tiles }),
]

describe('fences', () => {
  const others: Readonly<Record<string, ReadonlyArray<string>>> = {
    'fence.proxyAsync cta': ['of cluster scope, wider', 'of global scope, other'],
    'fence.proxyAsync cluster': ['of cta scope, other', 'of global scope, other'],
    'fence.proxyAsync global': ['of cta scope, other', 'of cluster scope, other'],
    'tcgen05.fenceBefore': ['the fence of the other side, other'],
    'tcgen05.fenceAfter': ['the fence of the other side, other'],
  }
  const found = new Map<string, ReadonlyArray<string>>()
  for (const program of programs) {
    const changes = mutantsOf(program, ['FENCE'])
    for (const { instruction: i, site } of effectsOf(program.entry.body)) {
      const name = i._tag === 'fence.proxyAsync' ? `${i._tag} ${i.scope}` : i._tag
      if (others[name] !== undefined)
        found.set(
          `${name} | ${site.label}`,
          changes
            .filter((m) => m.label === site.label && !['earlier', 'later'].includes(m.manner))
            .map((m) => `${m.change}, ${m.manner}`),
        )
    }
  }
  test('some of each kind are found', () => {
    const kinds = new Set([...found.keys()].map((name) => name.split(' ')[0]))
    expect([...kinds].sort()).toEqual(['fence.proxyAsync', 'tcgen05.fenceAfter', 'tcgen05.fenceBefore'])
  })
  test.each([...found])('%s', (name, changes) => {
    expect(changes).toEqual(others[name.split(' | ')[0]!])
  })
})

test('the change of a declaration is about the statements that name it', () => {
  let seen = 0
  for (const program of programs)
    for (const m of mutantsOf(program).filter(({ instruction }) => instruction === 'declaration')) {
      const naming = effectsOf(program.entry.body).filter((d) =>
        JSON.stringify(d.instruction).includes(`"storage":"${m.label}"`),
      )
      expect([m.key, m.statements.map((d) => d.site.label)]).toEqual([m.key, naming.map((d) => d.site.label)])
      if (naming.length > 0) seen++
    }
  expect(seen).toBeGreaterThan(5)
})

test('of statements with one label the second and the third have keys of their own', () => {
  const twice = mutantsOf(programs[0]!, ['DUP'])[0]!
  const keys = mutantsOf(twice.program, ['DROP'])
    .map(({ key }) => key)
    .filter((key) => key.includes(`${twice.label} | left out`))
  expect(keys).toHaveLength(2)
  expect(keys[1]).toBe(`${keys[0]!} | 2`)
})

describe('tables', () => {
  const judged = (
    operator: 'DROP' | 'DUP',
    site: string,
    fate: JudgedMutant['fate'],
    ids: ReadonlyArray<string>,
    how: Partial<JudgedMutant> = {},
  ): JudgedMutant => ({
    mutant: { class: 'synchronisation', operator, site, change: 'left out', key: `${operator} ${site}` },
    verdict: fate === 'killed' ? 'hazard' : 'ok',
    fate,
    strict: false,
    named: fate === 'killed',
    accurate: false,
    certificate: null,
    ids,
    reason: '',
    ...how,
  })
  const all = [
    judged('DUP', 'c', 'killed', ['W1']),
    judged('DROP', 'a', 'killed', ['R1', 'B5'], { accurate: true }),
    judged('DROP', 'a', 'killed', ['B5'], { strict: true }),
    judged('DROP', 'b', 'killed', ['R1'], { named: false }),
    judged('DROP', 'b', 'undecided', [], { certificate: 'unneeded' }),
    judged('DROP', 'b', 'undecided', [], { certificate: 'unneeded' }),
    judged('DROP', 'd', 'killed', []),
  ]
  test('operators in their order, each counted by itself', () => {
    expect(byOperator(all)).toEqual([
      {
        operator: 'DROP',
        sites: 3,
        mutants: 6,
        equivalent: { unneeded: 2 },
        real: 4,
        killed: 4,
        named: 3,
        accurate: 1,
        strict: 1,
        ids: { R1: 2, B5: 1, hazard: 1 },
      },
      {
        operator: 'DUP',
        sites: 1,
        mutants: 1,
        equivalent: {},
        real: 1,
        killed: 1,
        named: 1,
        accurate: 0,
        strict: 0,
        ids: { W1: 1 },
      },
    ])
    expect(Object.keys(tally(all).ids)).toEqual(['R1', 'B5', 'W1', 'hazard'])
  })
  test.each([
    [5, 5, 5, true],
    [5, 5, 4, false],
    [5, 4, 4, false],
    [0, 0, 0, true],
  ])('%d real, %d killed, %d named: %s', (real, killed, named, is) => {
    expect(isWhole({ real, killed, named })).toBe(is)
  })
  test.each([
    [1, 3, '33.3 %'],
    [999, 1000, '99.9 %'],
    [9999, 10000, '99.9 %'],
    [7, 7, '100 %'],
    [0, 0, '-'],
  ])('%d of %d is %s', (part, whole, is) => {
    expect(percent(part, whole)).toBe(is)
  })
})
