/**
 * docs/ptx-opcodes.md is what the table says and what elaboration does; `TCSPEC_REGENERATE=1` writes it. New rows are asked of the assembler first:
 * what `words` has and `conformance/cuda/words.json` has not goes to `conformance/cuda/opcodes.py`.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { forms } from '../../../src/dialects/ptx/index.js'
import { nightly } from '../../extent.js'
import { words, wordsOf } from './lines.js'
import { opcodesPage, saidOf, whyNot } from './opcodes-page.js'

const file = new URL('../../../docs/ptx-opcodes.md', import.meta.url).pathname

it('the assembler was asked about every spelling', () => {
  expect(words.filter((l) => saidOf(l) === undefined).map((l) => l.line)).toEqual([])
})

/** Every row's first spelling by day, all of them by night. */
it('the page is what is made', () => {
  const before = readFileSync(file, 'utf8')
  if (process.env['TCSPEC_REGENERATE'] !== undefined) writeFileSync(file, opcodesPage())
  if (nightly) expect(readFileSync(file, 'utf8')).toBe(opcodesPage())
  const rows = before.split('\n').filter((l) => l.startsWith('| `'))
  const families = [...new Set(forms.map((f) => f.family))]
  const inOrder = families.flatMap((family) => forms.filter((f) => f.family === family))
  expect(rows.map((l) => l.split(' ')[1]!.replace(/`/g, ''))).toEqual(inOrder.map((f) => f.base))
  inOrder.forEach((form, k) => {
    const [first] = wordsOf(form)
    if (first === undefined || saidOf(first) !== true) return
    expect([form.row, whyNot(first) === null]).toEqual([form.row, !rows[k]!.endsWith('| does not run |')])
  })
})
