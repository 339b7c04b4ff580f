/** docs/MemoryModel.md is what the clauses, their litmus tests and the zoo say. With TCSPEC_REGENERATE the page is written anew. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { evidence, needs } from '../../../src/render/hazards/index.js'
import { clauses } from '../../../src/semantics/model/index.js'
import { page } from './page.js'

const root = new URL('../../../', import.meta.url).pathname
const file = `${root}docs/MemoryModel.md`

describe('the page of the memory model', () => {
  const all = needs()
  const text = page(all)
  if (process.env['TCSPEC_REGENERATE'] !== undefined) writeFileSync(file, text)
  it('is what is committed', () => {
    expect(readFileSync(file, 'utf8')).toBe(text)
  })
  it('a section of the ISA has a number where the number was looked up; else its title', () => {
    const known = [
      '8.4.2',
      '8.5',
      '8.7',
      '8.7.1',
      '8.7.2',
      '8.8',
      '8.9.2',
      '8.9.3',
      '8.9.4',
      '8.9.6',
      '8.10.1',
      '8.10.2',
      '8.10.4',
      '8.10.5',
      '8.10.6',
      '8.9.1.1',
      '8.9.5',
      '9.7.13.4',
      '9.7.13.15',
      '9.7.13.15.4',
      '9.7.13.15.6',
      '9.7.13.15.16',
    ]
    const cited = clauses.flatMap(({ source }) => source.match(/\b\d+\.\d+(?:\.\d+)*/g) ?? [])
    expect(
      [...new Set(cited)].filter((n) => ![...known, '9.7.15', '9.7.16', '9.7.16.6'].includes(n)),
    ).toEqual([])
    expect(cited.length).toBeGreaterThan(20)
  })
  it('law 1: every clause has a section, a source and a litmus test', () => {
    const sections = text.split('\n### ').slice(1)
    for (const { id } of clauses) {
      const section = sections.find((s) => s.startsWith(`${id}\n`))
      expect([id, section?.includes('_Source_: '), section?.includes(`| without \`${id}\` | `)]).toEqual([
        id,
        true,
        true,
      ])
    }
  })
  it('evidence, laws 1 and 2: a hazard has clauses that it needs or a source of its own, and what was captured is there', () => {
    const without = all.filter((n) => n.missed.length === 0).map((n) => n.id)
    expect(without.filter((id) => evidence[id] === undefined)).toEqual([])
    expect(without.length).toBeGreaterThan(5)
    for (const { captured } of Object.values(evidence))
      if (captured !== undefined)
        expect([captured.file, existsSync(`${root}conformance/hopper/${captured.file}`)]).toEqual([
          captured.file,
          true,
        ])
  })
})
