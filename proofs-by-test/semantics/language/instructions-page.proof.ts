/** docs/instructions.md is what the rows say; `TCSPEC_REGENERATE=1` writes it. */
import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { rows } from '../../../src/semantics/language/rows.js'
import { instructionsOnPage, instructionsPage } from './instructions-page.js'

const file = new URL('../../../docs/instructions.md', import.meta.url).pathname

test('every instruction stands in one section, in the order of the rows', () => {
  expect(instructionsOnPage).toEqual(Object.keys(rows))
})

test('the page is what is made', () => {
  const page = instructionsPage()
  if (process.env['TCSPEC_REGENERATE'] !== undefined) writeFileSync(file, page)
  expect(readFileSync(file, 'utf8')).toBe(page)
})

test('what stands on one architecture only is what validation refuses on the other', () => {
  const only = [...instructionsPage().matchAll(/^\| `([\w.]+)` .*\| (sm\w+) \|$/gm)].map(([, name, arch]) => [
    name,
    arch,
  ])
  const families = new Map([
    ['wgmma', 'sm90a'],
    ['tcgen05', 'sm100a'],
    ['clc', 'sm100a'],
  ])
  expect(only).toEqual(
    Object.keys(rows).flatMap((name) => {
      const arch =
        name === 'tma.gather' || name === 'tma.scatter' ? 'sm100a' : families.get(name.split('.')[0]!)
      return arch === undefined ? [] : [[name, arch]]
    }),
  )
})
