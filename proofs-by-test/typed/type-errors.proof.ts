import { describe, expect, test } from 'vitest'
import { execFileSync } from 'node:child_process'
import * as E from 'fp-ts/lib/Either.js'
import * as Typed from '../../docs/typed/index.js'
import { nightly } from '../extent.js'
import { lawful, operands, wrong } from './calls.js'

const tool = (name: string, flag: string): string =>
  execFileSync(process.execPath, [new URL(`../../tools/${name}.mjs`, import.meta.url).pathname, flag], {
    encoding: 'utf8',
  })

/** By night: by day tsc reads `misuse.types.ts`, whenever it reads anything (`npm run check`). */
const refusedByTsc = Object.entries(wrong)

const sources = {
  ...Object.fromEntries(refusedByTsc.map(([name, [source]]) => [name, operands + source])),
  ...Object.fromEntries(Object.entries(lawful).map(([name, source]) => [name, operands + source])),
}
// the compiler takes most of a second to be read
const compiled = nightly
  ? (await import('./compile.js')).compile(sources, tool('instantiations', '--print'))
  : null

describe.runIf(nightly)('law 1: one diagnostic, which names the reason', () => {
  test.each(refusedByTsc)('%s', (name, [, reason]) => {
    expect(compiled!.found[name]).toHaveLength(1)
    expect(compiled!.found[name]![0]).toContain(reason)
  })
})

describe.runIf(nightly)('lawful calls, and what cannot be known, compile', () => {
  test.each(Object.keys(lawful))('%s', (name) => {
    expect(compiled!.found[name]).toEqual([])
  })
})

/** The value of the last expression, with n = 64. */
const evaluated = (source: string): unknown => {
  const names = Object.keys(Typed)
  const body = new Function(...names, 'n', `${operands}return ${source}`)
  return body(...names.map((name) => Typed[name as keyof typeof Typed]), 64)
}
const refused = (value: unknown): boolean => {
  const either = value as E.Either<unknown, unknown> | { readonly layout: E.Either<unknown, unknown> }
  return E.isLeft('layout' in either ? either.layout : either)
}

describe('law 2: what tsc refuses, the run-time check refuses', () => {
  test.each(Object.entries(wrong))('%s', (_, [source]) => {
    expect(refused(evaluated(source))).toBe(true)
  })
  test.each(['products', 'copies'])('%s: lawful ones pass', (name) => {
    for (const source of lawful[name]!.split('; ')) expect(refused(evaluated(source)), source).toBe(false)
  })
})

test('quotients, laws 1 and 2: the table is what its generator writes', () => {
  expect(tool('quotients', '--check')).toContain('is current')
})

test.runIf(nightly)('300 tiles of 60 shapes cost fewer than 12,000 instantiations', () => {
  const { counted } = compiled!
  expect(counted.diagnostics).toEqual([])
  expect(counted.instantiations).toBeGreaterThan(1_000)
  expect(counted.instantiations).toBeLessThan(12_000)
})
