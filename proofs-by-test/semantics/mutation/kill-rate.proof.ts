/**
 * The kill rate of every kernel of the catalogue, and its page. The whole is for the night; by day a slice of each kernel. With TCSPEC_REGENERATE the page is
 * written anew.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { cutDownTo, judgedAt, kernels, type Kernel } from '../../../src/kernels/catalogue/index.js'
import {
  cutDown,
  judging,
  mutantsOf,
  ofClass,
  operators,
  tally,
  type Judged,
  type Mutant,
} from '../../../src/semantics/mutation/index.js'
import type { Program } from '../../../src/semantics/language/program.js'
import { page, type Rated } from './page.js'
import { options } from './settings.js'
import { nightly } from '../../extent.js'
import { followed } from '../../kernels/followed.js'
import { right } from '../../either.js'

const file = `${new URL('../../../', import.meta.url).pathname}docs/kill-rate.md`

const rate = (kernel: Kernel, which: (program: Program) => ReadonlyArray<Mutant>): Rated<Judged> => {
  // by day with fewer tiles
  const instance = right(nightly || kernel.persistent !== true ? judgedAt(kernel) : cutDownTo(kernel, 3, 2))
  const forms = followed(kernel)
  const smaller = (nightly ? forms : forms.slice(0, 1)).map((i) => cutDown(i.program, options))
  const judged = which(instance.program).map(judging(instance.program, options, smaller))
  return { instance, judged }
}

/** What should not be: alive without a certificate, or killed without a name. */
const wrong = (judged: ReadonlyArray<Judged>): ReadonlyArray<string> =>
  judged
    .filter((j) => (j.fate === 'killed' ? !j.named : j.certificate === null))
    .map((j) => `${j.mutant.key}: ${j.verdict} ${j.ids.slice(0, 4).join()}`)

describe.skipIf(!nightly)('the whole table', () => {
  const all: Rated<Judged>[] = []
  test.each(kernels.map((k) => [k.name, k] as const))(
    '%s: every mutant is killed by name, or equivalent by certificate',
    (_, kernel) => {
      const rated = rate(kernel, (program) => mutantsOf(program))
      all.push(rated)
      expect(wrong(rated.judged)).toEqual([])
    },
  )
  test('at least 700 real mutants of synchronisation', () => {
    const real = tally(
      ofClass(
        all.flatMap((r) => r.judged),
        'synchronisation',
      ),
    ).real
    expect(real).toBeGreaterThan(700)
  })
  test('docs/kill-rate.md says so', () => {
    const text = page(all)
    if (process.env['TCSPEC_REGENERATE'] !== undefined) writeFileSync(file, text)
    expect(readFileSync(file, 'utf8')).toBe(text)
  })
})

describe('a slice of every kernel', () => {
  const asked = new Set<string>()
  test.each(kernels.map((k, i) => [k.name, k, i] as const))('%s', (_, kernel, i) => {
    // one operator a kernel, so that all have their turn: the next one of which it has a mutant, and the first of those
    const { judged } = rate(kernel, (program) => {
      for (let k = 0; k < operators.length; k++) {
        const [first] = mutantsOf(program, [operators[(i + k) % operators.length]!])
        if (first !== undefined) return [first]
      }
      return []
    })
    expect(judged.length).toBe(1)
    for (const j of judged) asked.add(j.mutant.operator)
    expect(wrong(judged)).toEqual([])
  })
  test('every operator has had its turn', () => {
    // lanes are PTX's
    expect([...asked].sort()).toEqual(operators.filter((o) => o !== 'LANES').sort())
  })
})
