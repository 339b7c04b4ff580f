/** The page and the manifest are what the zoo says; listings lose nothing, comparisons give both back. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { linesOf, zoo } from '../../../src/kernels/broken/zoo/index.js'
import { hazardsPage, manifest } from '../../../src/render/hazards/index.js'
import { compared, listing } from '../../../src/render/hazards/listing.js'
import { remedies } from '../../../src/render/hazards/remedies.js'
import { hazardIds } from '../../../src/semantics/judging/hazards.js'

const root = new URL('../../../', import.meta.url).pathname
const files = {
  page: `${root}docs/hazards.md`,
  manifest: `${root}conformance/hazard-zoo.json`,
}

describe('what is committed is what is made', () => {
  const page = hazardsPage()
  const data = `${JSON.stringify(manifest(), null, 2)}\n`
  if (process.env['TCSPEC_REGENERATE'] !== undefined) {
    writeFileSync(files.page, page)
    writeFileSync(files.manifest, data)
  }
  it('the page', () => {
    expect(readFileSync(files.page, 'utf8')).toBe(page)
  })
  it('the manifest', () => {
    expect(readFileSync(files.manifest, 'utf8')).toBe(data)
  })
  it('law 1: every id has a section, a kernel, and what is said of it', () => {
    const sections = page.split('\n### ').slice(1)
    for (const id of hazardIds) {
      // a note on the manual has no kernel
      if (id === 'N5') continue
      const section = sections.find((s) => s.startsWith(`${id} `))
      expect([id, section?.includes('```diff'), section?.includes(`\`tcspec check zoo/${id}`)]).toEqual([
        id,
        true,
        true,
      ])
      // the block of a finding begins with its id; a refusal with its code
      expect(section).toMatch(new RegExp(`^(${id}  |invalid     ${id}: )`, 'm'))
    }
  })
})

describe('remedies', () => {
  const all = Object.values(remedies)
  it('every id can be fixed in a language, or is a matter of one that has no statement for it', () => {
    for (const id of hazardIds)
      expect([
        id,
        [remedies[id].cuda, remedies[id].triton, remedies[id].pallas].some((fix) => fix !== null),
      ]).toEqual([id, true])
  })
  // the names are those of the references: a table of Pallas by hand, and kernels of this project that Triton compiles
  it('a statement of Pallas or of Gluon is one that a kernel of this project is written with', () => {
    const folders = [
      'python/kernels',
      'python/examples',
      'conformance/triton',
      'conformance/jaxpr',
      'python/tests',
      'docs',
    ]
    const sources = folders
      .flatMap((folder) =>
        readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
          .filter((file) => /\.(py|md)$/u.test(file) && file !== 'hazards.md')
          .map((file) => readFileSync(`${root}${folder}/${file}`, 'utf8')),
      )
      .join('\n')
    for (const fix of all.flatMap(({ triton, pallas }) => [triton ?? '', pallas ?? '']))
      for (const [name] of fix.matchAll(
        /\b(?:plgpu|mbarrier|tma|gl|tl|pl)\.\w+|\b(?:fence_async_shared|warpgroup_mma_wait|tcgen05_commit)\b/gu,
      ))
        expect([name, sources.includes(name)]).toEqual([name, true])
  })
  it('every fix is on the page', () => {
    const page = readFileSync(files.page, 'utf8')
    for (const { looks, why, cuda, triton, pallas } of all)
      for (const text of [looks, why, cuda, triton, pallas])
        if (text !== null) expect(page).toContain(`| ${text} |`)
  })
})

describe('listings', () => {
  it('law 1: a line for each declaration of memory and each statement', () => {
    for (const t of zoo)
      for (const fixed of [false, true]) {
        const made = t.draft(fixed)
        if (E.isLeft(made)) continue
        const { storage, launch } = made.right
        const registers = launch.agents.filter((a) => a.registers !== undefined).length
        expect(listing(made.right)).toHaveLength(storage.length + registers + linesOf(made.right))
      }
  })
  it('law 2: a comparison holds both', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 12 })
    fc.assert(
      fc.property(text, text, (a, b) => {
        const lines = compared(a, b)
        const without = (mark: string): ReadonlyArray<string> =>
          lines.filter((l) => !l.startsWith(mark)).map((l) => l.slice(2))
        expect([without('+'), without('-')]).toEqual([a, b])
        // and shares as much as can be shared: a line of one that is shared is not said twice
        if (a.join() === b.join()) expect(lines.every((l) => l.startsWith(' '))).toBe(true)
      }),
    )
  })
})
