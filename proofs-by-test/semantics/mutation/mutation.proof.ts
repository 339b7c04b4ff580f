/**
 * Mutation: the laws of `mutants.ts` and `kill.ts`, and the score of hopper-matmul.
 */
import { describe, expect, test } from 'vitest'
import * as E from 'fp-ts/lib/Either.js'
import { hopperMatmul } from '../../../src/kernels/hopper/hopper-matmul.js'
import { unit } from '../../../src/numerics/index.js'
import { check, type CheckOptions } from '../../../src/semantics/check.js'
import { encodeProgram } from '../../../src/semantics/codec.js'
import { noArguments } from '../../../src/semantics/launch.js'
import { judgeMutant, mutantsOf, synchronisation } from '../../../src/semantics/mutation/index.js'
import { eager } from '../../../src/semantics/policy.js'
import { print } from '../../../src/semantics/print.js'
import type { Program, Region } from '../../../src/semantics/program.js'
import { validate } from '../../../src/semantics/validate.js'

const right = <A>(e: E.Either<{ readonly message: string }, A>): A => {
  if (E.isLeft(e)) throw new Error(e.left.message)
  return e.right
}

const program = right(
  hopperMatmul({ dtype: 'f16', m: 64, n: 16, k: 112, tileM: 64, tileN: 16, tileK: 16, stages: 3 }),
)
const options: CheckOptions = {
  settings: {},
  algebra: unit,
  arguments: noArguments,
  policy: eager,
  strict: false,
  strictProxies: false,
  hazards: true,
  provenance: true,
  explore: true,
  fuel: 1_000_000,
}
const text = (p: Program): string => JSON.stringify(encodeProgram(p))
const mutants = mutantsOf(program)

/** Synchronisation statements, counted in the listing by another reading of the program. */
const count = (r: Region): number =>
  r.body.reduce((n, s) => {
    switch (s._tag) {
      case 'Let':
        return n
      case 'Do':
        return n + (synchronisation.has(s.instruction._tag) ? 1 : 0)
      case 'For':
        return n + count(s.body)
      case 'While':
        return n + count(s.before) + count(s.after)
      case 'If':
        return n + count(s.then) + count(s.else)
      case 'Fork':
        return n + s.branches.reduce((m, b) => m + count(b.body), 0)
    }
  }, 0)

describe('mutants', () => {
  test('law 1: all differ from the program and from each other', () => {
    const texts = [program, ...mutants.map((m) => m.program)].map(text)
    expect(new Set(texts).size).toBe(texts.length)
  })
  test('law 2: every synchronisation statement is dropped once and doubled once', () => {
    const sites = count(program.entry)
    expect(sites).toBeGreaterThan(15)
    expect(mutants.filter((m) => m.operator === 'DROP')).toHaveLength(sites)
    expect(mutants.filter((m) => m.operator === 'DUP')).toHaveLength(sites)
  })
  test('a drop takes one line out of the listing, a doubling adds one, anything else changes one', () => {
    const lines = print(program).split('\n')
    for (const m of mutants) {
      const other = print(m.program).split('\n')
      const difference = m.operator === 'DROP' ? -1 : m.operator === 'DUP' ? 1 : 0
      expect([m.site, m.change, other.length - lines.length]).toEqual([m.site, m.change, difference])
      if (difference === 0) expect(other.filter((line, i) => line !== lines[i])).toHaveLength(1)
    }
  })
  test('law 3: dropping one half of a doubling gives the program back', () => {
    for (const m of mutants.filter((x) => x.operator === 'DUP')) {
      const drops = mutantsOf(m.program, ['DROP']).filter((d) => d.site === m.site)
      expect(drops.map((d) => text(d.program))).toContain(text(program))
    }
  })
  test('a mutant is still a program: it validates', () => {
    for (const m of mutants)
      expect([m.site, m.change, E.isRight(validate(m.program))]).toEqual([m.site, m.change, true])
  })
})

describe('kills', () => {
  const judged = mutants.map((m) => judgeMutant(program, options, m))
  test('law 1: the program itself is ok', () => {
    expect(right(check(program, options)).verdict.verdict).toBe('ok')
  })
  test('every drop, every retarget, every wrong count and parity is killed, and by name; none is undecided', () => {
    const wrong = judged.filter((j) => ['DROP', 'RETARGET', 'COUNT', 'PARITY'].includes(j.mutant.operator))
    expect(wrong.length).toBeGreaterThan(45)
    for (const j of wrong) {
      // what orders nothing may go: a rendezvous of one agent, by certificate
      const found = (j.fate === 'killed' && j.named) || j.certificate === 'rendezvous of one'
      expect([j.mutant.site, j.mutant.operator, j.mutant.change, found]).toEqual([
        j.mutant.site,
        j.mutant.operator,
        j.mutant.change,
        true,
      ])
    }
    expect(judged.filter((j) => j.fate === 'undecided')).toEqual([])
  })
  test('every doubling is killed or equivalent by certificate', () => {
    for (const j of judged.filter((x) => x.mutant.operator === 'DUP'))
      expect([j.mutant.site, j.fate === 'killed' || j.certificate !== null]).toEqual([j.mutant.site, true])
  })
  test('law 2: a certificate is given to what is clean and computes the same, and to nothing else', () => {
    const certified = judged.filter((j) => j.certificate !== null)
    expect(certified.length).toBeGreaterThan(5)
    const original = right(check(program, options)).verdict
    for (const j of certified) {
      const { verdict } = right(check(j.mutant.program, options))
      expect([j.mutant.site, verdict.verdict, verdict.provenance]).toEqual([
        j.mutant.site,
        'ok',
        original.provenance,
      ])
    }
  })
  test('the survivors without a certificate are the three relaxations that order alone makes up for', () => {
    const left = judged.filter((j) => j.fate === 'survived' && j.certificate === null)
    expect(left.map((j) => `${j.mutant.label}: ${j.mutant.change}`).sort()).toEqual([
      'arrive consumed: relaxed',
      'wait consumed: relaxed',
      'wait out: reads only',
    ])
  })
})
