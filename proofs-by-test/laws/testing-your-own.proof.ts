/** The page `docs/TestingYourOwn.md`: its code is that of the files under `your-own`, and what they print is what it shows. */
import { readFileSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import './your-own/runner.js'

const page = readFileSync(new URL('../../docs/TestingYourOwn.md', import.meta.url), 'utf8')
const blocks = (language: string): readonly string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)\\n\`\`\`$`, 'gm'))].map(([, text]) => text!)
const published = (name: string): string =>
  readFileSync(new URL(`./your-own/${name}.ts`, import.meta.url), 'utf8')
    .replace(/'\.\.\/\.\.\/\.\.\/src\/(\w+)\/index\.js'/g, "'tensorcore-spec/$1'")
    .trimEnd()

test('the code of the page is the code that runs', () => {
  expect(blocks('ts')).toEqual(
    ['right', 'wrong', 'runner', 'registers', 'drawn', 'barrier', 'pipeline'].map(published),
  )
})

describe('what it prints is what the page shows', () => {
  test.each(
    ['right', 'wrong', 'registers', 'drawn', 'barrier', 'pipeline'].map((name, k) => [name, k] as const),
  )('%s', async (name, k) => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => undefined)
    await import(`./your-own/${name}.ts`)
    const printed = log.mock.calls.map(([line]) => String(line)).join('\n')
    log.mockRestore()
    if (process.env['TCSPEC_PRINT'] !== undefined) console.log(`${name}\n${printed}`)
    expect(blocks('text')[k]).toBe(printed)
  })
})
