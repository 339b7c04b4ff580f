/** docs/Triton.md: its commands print what stands below them, its Python is that of the files, and its TypeScript runs. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { elaborate, launchOf, readModule } from '../../src/dialects/ttgir/index.js'
import { onDisk } from '../../src/oracle/tensor-files/disk.js'
import { check, standardOptions } from '../../src/semantics/verdict/check.js'
import { right } from '../either.js'
import { inMemory } from './disk.js'
import { notPrinted, printed, quotations } from './quoted.js'

const root = new URL('../../', import.meta.url)
const read = (file: string): string => readFileSync(new URL(file, root), 'utf8')
const page = read('docs/Triton.md')
const first = 'conformance/triton/first/'

/** The files that the page speaks of, by what it calls them. */
const place = (file: string): string => {
  const capture = (name: string): string => `conformance/triton/captures/${name}/`
  const [, called] = /^captures\/(.*)$/.exec(file) ?? []
  return called === undefined
    ? `${first}${file}`
    : called.startsWith('mm_hosttma')
      ? `${capture(called.replace('.ttgir', ''))}${called}`
      : `${capture('mm_ptr_64x64x32_s4_w4_256x256x192')}${called}`
}

describe('every quoted command prints what stands below it, in that order', () => {
  const quotes = quotations(page)
  test('there are ten', () => {
    expect(quotes.length).toBe(10)
  })
  test.each(quotes)('$argv', async ({ argv, quoted }) => {
    const written = new Map<string, Uint8Array>()
    const files = {
      ...inMemory(written),
      read: (file: string) => onDisk.read(fileURLToPath(new URL(place(file), root))),
    }
    const ran = await printed(argv, files)
    expect([ran.status, notPrinted(quoted, `${ran.stdout}${ran.stderr}`)]).toEqual([
      quoted.startsWith('tcspec: ') ? 2 : /^verdict +hazard|^P4|differ/m.test(quoted) ? 1 : 0,
      null,
    ])
  })
})

test('its Python is that of the files', () => {
  const python = [...page.matchAll(/```python\n([^]*?)```/g)].map((m) => m[1]!)
  expect(python.length).toBe(2)
  expect(read(`${first}row_scale.py`)).toContain(python[0]!.trimEnd())
  for (const line of python[1]!.trim().split('\n')) expect(read(`${first}make.py`)).toContain(line)
})

test('its TypeScript does what it says', () => {
  const module = right(readModule(read(`${first}row_scale.ttgir`)))
  const rows = { shape: [128, 64] }
  const launch = right(launchOf(module, { grid: [2], args: { dx: rows, dy: rows } }))
  const { verdict } = right(check(right(elaborate(module, launch)), standardOptions))
  expect(page).toContain(`// ${verdict.findings[0]!.missing!.text}\n`)
})
