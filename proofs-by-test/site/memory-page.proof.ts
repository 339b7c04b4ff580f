/** The place of the memory model: what the build makes of docs/MemoryModel.md, and the state of a test in the address. */
import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { memoryPage } from '../../site/guide/memory-page.js'
import { readAddress, writeAddress } from '../../site/src/address.js'
import { isSame, paramsOf, pristine, stateOf } from '../../site/src/places/memory/state.js'
import { clauses } from '../../src/semantics/model/index.js'
import { litmusLines } from '../../src/semantics/model/litmus.js'

const text = readFileSync(new URL('../../docs/MemoryModel.md', import.meta.url), 'utf8')
const page = memoryPage(text)
const all = page.sections.flatMap((s) => s.clauses)
const hazards = page.sections.flatMap((s) => s.hazards)

describe('the page', () => {
  it('law 1: has every clause once, with its test and what it says', () => {
    expect(all.map((c) => c.id)).toEqual(clauses.map((c) => c.id))
    for (const c of clauses) {
      const shown = all.find((x) => x.id === c.id)!
      expect(shown.lines).toEqual(c.litmus.log)
      expect(litmusLines(pristine(shown).text).lines).toEqual(c.litmus.log)
      expect(shown.options.strictProxies).toBe(c.litmus.options?.strictProxies === true)
      expect(shown.html).toContain('<em>Source</em>')
      expect(shown.html).not.toContain('<pre')
    }
  })
  it('law 2: has the table of hazards as the text has it', () => {
    const rows = text.split('\n').filter((line) => /^\| [A-Z]\d+ \|/.test(line))
    expect(hazards.length).toBe(rows.length)
    hazards.forEach((h, k) => {
      const list = (ids: ReadonlyArray<string>): string => ids.map((id) => `\`${id}\``).join(', ')
      expect(`| ${h.id} | ${list(h.missed)} | ${list(h.refused)} |`).toBe(rows[k])
    })
    expect(page.sections.find((s) => s.hazards.length > 0)!.after).toContain('do not depend on a clause')
  })
  it('has the words of every section, and its links lead to the guide or to a clause', () => {
    expect(page.sections.map((s) => s.title)).toEqual([...text.matchAll(/^## (.*)$/gm)].map(([, t]) => t))
    const html = [
      page.lead,
      ...page.sections.flatMap((s) => [s.html, s.after, ...s.clauses.map((c) => c.html)]),
    ]
    const links = html.flatMap((h) => [...h.matchAll(/href="([^"]*)"/g)].map(([, to]) => to!))
    expect(links.length).toBeGreaterThan(5)
    for (const to of links)
      expect([
        to,
        /^guide\/[\w-]+\.html(#|$)/.test(to) || all.some((c) => to === `#/memory?clause=${c.id}`),
      ]).toEqual([to, true])
    for (const h of html) expect(h).not.toContain('<table><tr><td>program')
  })
})

describe('state.ts, law 1: what is read of what was written is the state', () => {
  it('over the address, for any text', () => {
    const options = fc.record({ strict: fc.boolean(), strictProxies: fc.boolean(), documented: fc.boolean() })
    fc.assert(
      fc.property(
        fc.constantFrom(...all),
        fc.string({ unit: 'grapheme' }),
        fc.subarray(all.map((c) => c.id)),
        options,
        (clause, said, leftOut, chosen) => {
          const state = { text: said, leftOut, options: chosen }
          const params = Object.fromEntries(
            Object.entries(paramsOf(clause, state)).filter((e): e is [string, string] => e[1] !== null),
          )
          const read = readAddress(writeAddress({ place: 'memory', params }))
          expect(isSame(stateOf(clause, read.params), state)).toBe(true)
        },
      ),
      { numRuns: 60 },
    )
  })
  it('a test as it is takes no words', () => {
    for (const c of all)
      expect(Object.values(paramsOf(c, pristine(c))).filter((v) => v !== null)).toEqual([c.id])
    const [a, b] = [all[0]!, all[1]!]
    expect(isSame(stateOf(b, { clause: a.id, test: 'T0: write x' }), pristine(b))).toBe(true)
  })
})
