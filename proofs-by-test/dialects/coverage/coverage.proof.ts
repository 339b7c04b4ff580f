/**
 * Every operation of the surfaces has a row, every row holds, every code has an example of its message, and docs/surfaces.md is made from them.
 */
import { familiesOf, jaxprSection, operations as jaxprOperations, refused as refusedJaxprs } from './jaxpr.js'
import { readFileSync, writeFileSync } from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { cutlass, mojo, pallas, ttng } from './all.js'
import { asked } from './asked.js'
import { page, sectionOf, type Surface } from './page.js'
import { fails } from './row.js'
import { nightly, sampled } from '../../extent.js'
import { operations, readable, takenAs, ttgirSection } from './ttgir.js'

const file = `${new URL('../../../', import.meta.url).pathname}docs/surfaces.md`

/** Without the module it is called by, and without its arguments: `plgpu.wgmma (A in registers)` is `wgmma`. */
const plain = (operation: string): string => operation.replace(/^(plgpu|pl|lax)\./, '').replace(/ ?\(.*$/, '')

const proved = <S extends object, Code extends string>(
  s: Surface<S, Code>,
  operations: ReadonlyArray<string>,
): void => {
  const rows = s.rooms.flatMap(([, some]) => some)
  describe(s.title, () => {
    // by day every third; of those every ninth without its operation, too
    test.each(sampled(3, rows).map((row, i) => [row.operation, row, i] as const))('%s', (_, row, i) => {
      expect(fails(row, s.surface, nightly || i % 9 === 0)).toBe(null)
    })
    test('every operation that is asked for has a row', () => {
      const given = new Set(rows.map((r) => plain(r.operation)))
      expect(operations.filter((o) => !given.has(o))).toEqual([])
    })
    test('each operation has one row', () => {
      const names = rows.map((r) => r.operation)
      expect(names.filter((name, i) => names.indexOf(name) < i)).toEqual([])
    })
    test('what a row calls is there', () => {
      const there = new Set(Object.keys(s.surface))
      for (const row of rows) for (const name of row.names) expect(there, row.operation).toContain(name)
    })
    test('every code has an example', () => {
      const given = new Set<string>(s.refusals.map((r) => r.code))
      expect(Object.keys(s.codes).filter((c) => !given.has(c))).toEqual([])
    })
    test.each(s.refusals.map((r, i) => [`${r.code} ${String(i)}`, r] as const))('refused: %s', (_, r) => {
      const result = r.use()
      expect(E.isLeft(result) ? result.left : 'accepted').toEqual({ code: r.code, message: r.message })
    })
  })
}

proved(pallas, asked.pallas)
proved(ttng, asked.ttng)
proved(mojo, asked.mojo)
proved(cutlass, asked.cutlass)

describe('TTGIR', () => {
  test.each(operations)('%s is elaborated, or refused for one reason', (name) => {
    expect(takenAs(name).length).toBe(1)
  })
  test('what can be read is known to Triton', () => {
    // what it promises LLVM stands in its texts under LLVM's name
    expect(readable.filter((name) => !operations.includes(name))).toEqual(['llvm.intr.assume'])
  })
})

describe('jaxprs', () => {
  test('an operation has one row, and no reason to be refused beside it', () => {
    expect(jaxprOperations.filter((op) => familiesOf(op).length !== 1)).toEqual([])
    expect(jaxprOperations.filter((op) => refusedJaxprs[op] !== undefined)).toEqual([])
  })
})

test('docs/surfaces.md is made from the rows', () => {
  const text = page([
    sectionOf(pallas),
    jaxprSection(),
    sectionOf(ttng),
    ttgirSection(),
    sectionOf(mojo),
    sectionOf(cutlass),
  ])
  if (process.env['TCSPEC_REGENERATE'] !== undefined) writeFileSync(file, text)
  expect(readFileSync(file, 'utf8')).toBe(text)
})
