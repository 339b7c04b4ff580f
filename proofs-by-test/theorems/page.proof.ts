/** docs/Theorems.md is what the rows and the sources say, and every row names a test that is there. With TCSPEC_REGENERATE the page is written anew. */
import { readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { lawsIn, page } from './page.js'
import { parts } from './rows.js'

const root = new URL('../../', import.meta.url).pathname
const file = `${root}docs/Theorems.md`

it('the page is what is committed, but for the counts of laws, which every new module changes', () => {
  const text = page()
  if (process.env['TCSPEC_REGENERATE'] !== undefined) writeFileSync(file, text)
  const rows = (of: string): string => of.replace(/^\| (?:`src\/\w+`|all) \|.*$/gm, '')
  expect(rows(readFileSync(file, 'utf8'))).toBe(rows(text))
})
it('every row names a test that is there', () => {
  for (const { theorems } of parts)
    for (const { proof, test } of theorems)
      expect([
        proof,
        test,
        readFileSync(`${root}proofs-by-test/${proof}.proof.ts`, 'utf8').includes(test),
      ]).toEqual([proof, test, true])
})
it('laws are counted in headers alone', () => {
  expect(
    lawsIn(
      '/**\n * X.\n *\n * 1. no law\n *\n * Laws\n * 1. a\n *    goes on\n * 2. b\n */\n/** Laws\n * 3. c */',
    ),
  ).toBe(2)
  expect(lawsIn('/** X.\n *\n * Law 1. a\n */')).toBe(1)
  expect(lawsIn('/** X. */')).toBe(0)
})
