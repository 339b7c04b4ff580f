/**
 * Twenty findings of different ids, word for word: what a reader of `tcspec check` sees, from kernels of the zoo and small PTX.
 *
 * The texts stand in `twenty-findings.txt`, so that a change of words is seen in a review. Each must say what is wrong, where, why, and how to fix it. Those sentences are made in
 * some twenty modules; nowhere else are they seen together. `TCSPEC_REGENERATE` writes the file again: read it then, as one who knows CUDA and not this project.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { printed } from '../oracle/quoted.js'

const file = new URL('./twenty-findings.txt', import.meta.url)

/** What is checked, and the id whose first finding is shown. */
const shown: ReadonlyArray<readonly [argv: string, id: string]> = [
  ['check zoo/D1', 'D1'],
  ['check zoo/D2', 'D2'],
  ['check zoo/D3', 'D3'],
  ['check zoo/D5', 'D5'],
  ['check zoo/D6', 'D6'],
  ['check zoo/P1', 'P1'],
  ['check zoo/P4', 'P4'],
  ['check zoo/R1', 'R1'],
  ['check zoo/R2', 'R2'],
  ['check zoo/W1', 'W1'],
  ['check zoo/W3', 'W3'],
  ['check zoo/B1', 'B1'],
  ['check zoo/B2', 'B2'],
  ['check zoo/B4', 'B4'],
  ['check zoo/B5', 'B5'],
  ['check zoo/B6', 'B6'],
  ['check zoo/B7', 'B7'],
  ['check zoo/U2', 'U2'],
  ['check zoo/M2', 'M2'],
  ['check zoo/M8', 'M8'],
  ['check zoo/K1', 'K1'],
  ['check zoo/I1', 'I1'],
  ['check zoo/O1', 'O1'],
]

/** The verdict's row and the first finding of this id. */
const excerpt = (id: string, output: string): string => {
  const verdict = /^verdict .*(?:\n {12}.*)*/m.exec(output)?.[0] ?? 'no verdict'
  const block = output.split('\n\n').find((text) => text.trimStart().startsWith(`${id}  `)) ?? 'no finding'
  return `${verdict}\n\n${block.trim()}`
}

const texts = await Promise.all(
  shown.map(async ([argv, id]) => {
    const { stdout } = await printed(argv)
    return { id, text: excerpt(id, stdout), page: `$ tcspec ${argv}\n${excerpt(id, stdout)}` }
  }),
)

test('they are those of the file, word for word', () => {
  const page = `${texts.map((t) => t.page).join('\n\n\n')}\n`
  if (process.env['TCSPEC_REGENERATE'] !== undefined) writeFileSync(file, page)
  expect(page).toBe(readFileSync(file, 'utf8'))
})

describe.each(texts)('$id', ({ id, text }) => {
  test('says where, and how to fix it', () => {
    expect(text).toMatch(new RegExp(`^${id}  `, 'm'))
    expect(text).toMatch(/^ {4}(first|where) /m)
    expect(text).toMatch(/^ {4}fix {7}\S/m)
  })
  test('repeats nothing: the fix does not say again what is wrong', () => {
    const [, fix = ''] = text.split(/^ {4}fix {7}/m)
    expect(fix).not.toContain('deadlock:')
    expect(fix).not.toMatch(/waits for .* generation/)
  })
  test('is in the language of the project', () => {
    expect(text).not.toMatch(/\b(behind|stands for|beside|whoever|nobody|somebody|is told)\b/i)
    expect(text).not.toMatch(/of which (it|they) knows?/)
  })
})
