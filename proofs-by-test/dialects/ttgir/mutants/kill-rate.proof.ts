/**
 * The kill rate of Triton's modules, and its page. The whole is for the night; by day a slice of some of them. With TCSPEC_REGENERATE the page is written
 * anew.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { judgedAt, type TextMutant } from '../../../../src/dialects/ttgir/index.js'
import { judging, ofClass, tally, type Judged } from '../../../../src/semantics/mutation/index.js'
import { right } from '../../../either.js'
import { nightly, sampled } from '../../../extent.js'
import { page, type Rated } from '../../../semantics/mutation/page.js'
import { essay } from './essay.js'
import { files, judgedWith, judgeOf, subjectAt } from './subjects.js'

const written = `${new URL('../../../../', import.meta.url).pathname}docs/kill-rate-triton.md`

/** Milliseconds for the mutants of one module, where the machine is busy. */
const patience = 3_600_000

const rate = (file: string, which: (m: TextMutant, k: number) => boolean): Rated<Judged> => {
  const subject = subjectAt(file)
  const judge = judgedAt(subject.ground, judgeOf(file, subject))
  return {
    instance: { kernel: file, settings: { ...judgedWith(file) } },
    judged: subject.mutants.filter(which).map(judge),
  }
}

/** What should not be: alive without a certificate, or killed without a name. */
const wrong = (judged: ReadonlyArray<Judged>): ReadonlyArray<string> =>
  judged
    .filter((j) => (j.fate === 'killed' ? !j.named : j.certificate === null))
    .map((j) => `${j.mutant.key}: ${j.verdict} ${j.ids.slice(0, 4).join()}`)

const orders = ({ change }: TextMutant): boolean => change.class === 'synchronisation'

describe.skipIf(!nightly)('the whole table', () => {
  const all: Rated<Judged>[] = []
  test.each(files)(
    '%s: every mutant is killed by name, or equivalent by certificate',
    (file) => {
      const rated = rate(file, orders)
      all.push(rated)
      expect(wrong(rated.judged)).toEqual([])
    },
    patience,
  )
  test('at least 700 real mutants of synchronisation', () => {
    const judged = all.flatMap((r) => r.judged)
    expect(tally(ofClass(judged, 'synchronisation')).real).toBeGreaterThan(700)
  })
  test('docs/kill-rate-triton.md says so', () => {
    const text = page(all, essay)
    if (process.env['TCSPEC_REGENERATE'] !== undefined) writeFileSync(written, text)
    expect(readFileSync(written, 'utf8')).toBe(text)
  })
})

describe('a slice of some modules', () => {
  const looked = ['mm_ptr_64x64x32_s4_w4_sm90', 'mm_hosttma_nows_64x64x32_s4_w4_sm90']
  test.each(sampled(2, looked))('%s', (file) => {
    const { judged } = rate(file, (m, k) => orders(m) && k % 16 === 3)
    expect(judged.length).toBeGreaterThan(3)
    expect(wrong(judged)).toEqual([])
  })
  test('law 1 of killing: the module itself is not killed', () => {
    const { ground, options, mutants } = subjectAt(looked[1]!)
    const itself = { ...right(mutants.find(orders)!.at(ground)), program: ground.program }
    expect(judging(ground.program, options)(itself)).toMatchObject({
      fate: 'survived',
      certificate: 'same program',
    })
  })
})
