/**
 * The kill rate of PTX, and its page. The whole is for the night; by day a slice of some kernels. With TCSPEC_REGENERATE the page is written anew. Oracle: what a
 * mutant is follows from the change alone; it is dead by name, or what makes it none is a rule or a search of all its schedules.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { judgingPtx, ptxMutants, type PtxMutant } from '../../../../src/dialects/ptx/mutants/judge.js'
import { tally, type JudgedMutant } from '../../../../src/semantics/mutation/index.js'
import { right } from '../../../either.js'
import { nightly, sampled } from '../../../extent.js'
import { page, type Rated } from '../../../semantics/mutation/page.js'
import { essay } from './essay.js'
import { groundOf, kernels } from './subjects.js'

const written = `${new URL('../../../../', import.meta.url).pathname}docs/kill-rate-ptx.md`

/** Milliseconds for the mutants of one kernel, where the machine is busy. */
const patience = 3_600_000

const rate = (kernel: string, which: (m: PtxMutant, k: number) => boolean): Rated => {
  const ground = groundOf(kernel)
  const judge = judgingPtx(ground)
  return {
    instance: { kernel, settings: {} },
    judged: right(ptxMutants(ground)).filter(which).map(judge),
  }
}

/** What should not be: alive without a certificate, or killed without a name. */
const wrong = (judged: ReadonlyArray<JudgedMutant>): ReadonlyArray<string> =>
  judged
    .filter((j) => (j.fate === 'killed' ? !j.named : j.certificate === null))
    .map((j) => `${j.mutant.key}: ${j.verdict} ${j.ids.slice(0, 4).join()}`)

describe.skipIf(!nightly)('the whole table', () => {
  const all: Rated[] = []
  test.each(kernels)(
    '%s: every mutant is killed by name, or equivalent by certificate',
    (kernel) => {
      const rated = rate(kernel, () => true)
      if (rated.judged.length > 0) all.push(rated)
      expect(wrong(rated.judged)).toEqual([])
    },
    patience,
  )
  test('at least 1,500 mutants, of ten kernels and more', () => {
    expect(all.length).toBeGreaterThan(9)
    expect(tally(all.flatMap((r) => r.judged)).mutants).toBeGreaterThanOrEqual(1500)
  })
  test('docs/kill-rate-ptx.md says so', () => {
    const text = page(all, essay)
    if (process.env['TCSPEC_REGENERATE'] !== undefined) writeFileSync(written, text)
    expect(readFileSync(written, 'utf8')).toBe(text)
  })
})

describe('a slice of some kernels', () => {
  test.each(sampled(2, ['block_reduce', 'device_tensormap', 'generic_address']))('%s', (kernel) => {
    const { judged } = rate(kernel, (_, k) => k % 12 === 4)
    expect(judged.length).toBeGreaterThan(0)
    expect(wrong(judged)).toEqual([])
  })
  test('law 1 of the judge: the text itself is not killed', () => {
    const ground = groundOf('block_reduce')
    const [first] = right(ptxMutants(ground))
    const itself: PtxMutant = {
      key: first!.key,
      change: { ...first!.change, operator: 'ORDER', manner: 'other', instead: new Map() },
      module: () => ground.module,
    }
    expect(judgingPtx(ground)(itself)).toMatchObject({ fate: 'survived', certificate: 'same program' })
  })
})
