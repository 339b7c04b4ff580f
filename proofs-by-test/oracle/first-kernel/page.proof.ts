/** docs/FirstKernel.md: its code is that of `copy.ts`, which prints what stands behind it; what it quotes of the tool on the program in a file is what the tool prints. */
import { readFileSync } from 'node:fs'
import { format } from 'node:util'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { inMemory } from '../disk.js'
import { notPrinted, printed, quotations } from '../quoted.js'

const read = (file: string): string => readFileSync(new URL(file, import.meta.url), 'utf8')
const page = read('../../../docs/FirstKernel.md')
const code = read('copy.ts').replace("'../../../src/semantics/index.js'", "'tensorcore-spec/semantics'")

describe('its code', () => {
  it('is the module', () => {
    const blocks = [...page.matchAll(/```ts\n([^]*?)```/g)].map((m) => m[1]!)
    expect(blocks.join('\n')).toBe(code)
    expect(blocks.length).toBeGreaterThan(8)
  })
})

describe('run', () => {
  const files = new Map<string, Uint8Array>()
  const said: string[] = []
  beforeAll(async () => {
    const log = vi.spyOn(console, 'log').mockImplementation((...words: ReadonlyArray<unknown>) => {
      said.push(format(...words))
    })
    const { json } = await import('./copy.js')
    log.mockRestore()
    files.set('docs/tour/copy.json', new TextEncoder().encode(json))
  })
  it('the file of the tour is the finished program', () => {
    expect(JSON.parse(read('../../../docs/tour/copy.json'))).toEqual(
      JSON.parse(new TextDecoder().decode(files.get('docs/tour/copy.json'))),
    )
  })
  it('prints what stands behind it', () => {
    const comments = [...code.matchAll(/^console\.log\(.*\) \/\/ (.*)$/gm)].map((m) => m[1]!)
    expect(said).toEqual(comments)
    expect(code.split('console.log').length - 1).toBe(comments.length)
  })
  const quotes = quotations(page)
  it('there are four quotations', () => {
    expect(quotes.length).toBe(4)
  })
  it.each(quotes)('$argv', async ({ argv, quoted }) => {
    const ran = await printed(argv, inMemory(files))
    expect([ran.status, ran.stderr, notPrinted(quoted, ran.stdout)]).toEqual([
      argv.includes('mutate') ? 1 : argv.includes('--without') && !argv.includes('--mend') ? 1 : 0,
      '',
      null,
    ])
  })
})
