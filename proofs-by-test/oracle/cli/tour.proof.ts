/**
 * The first page and the tour say what is true: every command is one, with flags that it has; what the first page quotes is printed; its picture is that finding; its figures are those
 * of the pages that it links to. That every command runs on the files of the tree is shown with the built package (`proofs-in-browser/tour.proof.ts`).
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { findingPicture } from '../../../src/render/finding-picture.js'
import { write } from '../../../src/render/svg.js'
import type { Finding } from '../../../src/semantics/judging/finding.js'
import { onDisk } from '../../../src/oracle/tensor-files/disk.js'
import { inMemory } from '../disk.js'
import { notPrinted, printed } from '../quoted.js'
import { commandsIn } from '../tour.js'

const place = (file: string): URL => new URL(`../../../${file}`, import.meta.url)
const fromDisk = { ...inMemory(new Map()), read: (file: string) => onDisk.read(fileURLToPath(place(file))) }
const text = (file: string): string => readFileSync(place(file), 'utf8')
const pages = ['README.md', 'docs/Tour.md']

describe.each(pages)('%s', (page) => {
  test('every command and every flag of it exists', async () => {
    const lines = commandsIn(text(page))
    expect(lines.length).toBeGreaterThan(0)
    for (const line of lines) {
      const help = await printed(`${line.split(' ')[0]!} --help`)
      expect([line, help.status]).toEqual([line, 0])
      const own = line.split(' -- ')[0]!
      for (const [flag] of own.matchAll(/(?<= )--?[a-z][\w-]*/g))
        expect([line, help.stdout.includes(flag)]).toEqual([line, true])
    }
  })
  test('every file that it names is there', () => {
    const files = [...text(page).matchAll(/(?:conformance|docs\/tour)\/[\w./-]+\w/g)].map(([file]) => file)
    expect(files.filter((file) => !existsSync(place(file)))).toEqual([])
  })
})

describe('the first page', () => {
  const page = text('README.md')
  const [, argv = '', quoted = ''] = /```\n\$ npx tcspec (.*)\n([^]*?)\n```/.exec(page) ?? []
  test('prints what it quotes', async () => {
    const { stdout, status } = await printed(argv, fromDisk)
    expect([notPrinted(quoted, stdout), status]).toEqual([null, 1])
  })
  test('its picture is that of the finding', async () => {
    const { stdout } = await printed(`${argv} --json`, fromDisk)
    const { findings } = JSON.parse(stdout) as { readonly findings: ReadonlyArray<Finding> }
    const picture = write(findingPicture(findings[0]!, 900))
    if (process.env['TCSPEC_REGENERATE'] !== undefined) writeFileSync(place('docs/race.svg'), picture)
    expect(text('docs/race.svg')).toBe(picture)
  })
  test.each([
    ['docs/kill-rate.md', 0],
    ['docs/kill-rate-triton.md', 0],
    ['docs/kill-rate-ptx.md', 0],
  ])('%s has the figures', (of, which) => {
    const rows = [...text(of).matchAll(/^\| all \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|/gm)]
    const thousands = (n: string): string => Number(n).toLocaleString('en-US')
    const [, , , , real = '', killed = ''] = rows[which]!
    expect(page).toContain(`${thousands(killed)} of ${thousands(real)} in`)
  })
  test('is short: what it says in full stands elsewhere', () => {
    expect(page.split('\n').length).toBeLessThan(95)
    expect(page.split(/\s+/).length).toBeLessThan(800)
  })
})

test.each([
  ['docs/tour/back-end.py', 'docs/Score.md'],
  ['docs/tour/mosaic.json', 'docs/LayoutDescriptions.md'],
])('%s is what %s prints', (file, page) => {
  const blocks = [...text(page).matchAll(/^```(?:python|json mosaic\.json)\n([^]*?)^```$/gm)].map(
    ([, block]) => block!,
  )
  // after the line that says what the file is
  expect(blocks).toContain(text(file).replace(/^""".*\n/, ''))
})
