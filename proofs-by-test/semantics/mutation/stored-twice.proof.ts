/** A store that a mutant doubles is a race, though nothing shows it: the kernel itself stores nothing twice. */
import { expect, test } from 'vitest'
import { judgedAt, kernels } from '../../../src/kernels/catalogue/index.js'
import { judging, mutantsOf } from '../../../src/semantics/mutation/index.js'
import { check } from '../../../src/semantics/verdict/check.js'
import { right } from '../../either.js'
import { nightly } from '../../extent.js'
import { options } from './settings.js'

test.each(['matmul1', ...(nightly ? ['fa3-attention'] : [])])('%s: its copy out, doubled', (name) => {
  const { program } = right(judgedAt(kernels.find((k) => k.name === name)!))
  const doubled = mutantsOf(program).filter((m) => m.operator === 'DUP' && /copy out$/.test(m.site))
  expect(doubled.length).toBeGreaterThan(0)
  const [mutant] = doubled
  // by itself it is fine, with a note
  const { verdict } = right(check(mutant!.program, options))
  expect(verdict.verdict).toBe('ok')
  expect(verdict.notes.map((n) => n.id)).toContain('N4')
  const judged = judging(program, options)(mutant!)
  expect([judged.fate, judged.named, judged.ids[0]]).toEqual(['killed', true, 'D2'])
})
