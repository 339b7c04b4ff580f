/** docs/LaunchOrder.md is what the clauses and their litmus tests say. With TCSPEC_REGENERATE the page is written anew. */
import { readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { page } from './page.js'

const file = new URL('../../../docs/LaunchOrder.md', import.meta.url).pathname

it('is what is committed', () => {
  const text = page()
  if (process.env['TCSPEC_REGENERATE'] !== undefined) writeFileSync(file, text)
  expect(readFileSync(file, 'utf8')).toBe(text)
})
