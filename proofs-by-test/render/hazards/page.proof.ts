/** The page and the manifest are what the zoo says; listings lose nothing, comparisons give both back. */
import { readFileSync, writeFileSync } from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { linesOf, zoo } from '../../../src/kernels/broken/zoo/index.js'
import { hazardsPage, manifest } from '../../../src/render/hazards/index.js'
import { compared, listing } from '../../../src/render/hazards/listing.js'
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
