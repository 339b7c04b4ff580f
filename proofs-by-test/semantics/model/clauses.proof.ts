/** The clauses: each litmus test has its verdict, another one without its clause, and the detector says the same of it. */
import { describe, expect, it } from 'vitest'
import { clauses, model, usual } from '../../../src/semantics/model/index.js'
import { differences } from './comparison.js'
import { read, said } from './litmus.js'

const has = (all: ReadonlyArray<string>, word: string): boolean =>
  all.some((s) => s === word || s.startsWith(`${word}: `))

describe('each clause', () => {
  it('has a name of its own', () => {
    expect(new Set(clauses.map((c) => c.id)).size).toBe(clauses.length)
  })
  it.each(clauses.map((c) => [c.id, c] as const))('%s: its litmus test needs it', (id, { litmus }) => {
    const test = read(litmus.log)
    const options = { ...usual, ...litmus.options }
    const whole = said(test, model(test.header, test.log, options))
    const less = said(test, model(test.header, test.log, options, [id]))
    expect([whole, has(whole, litmus.expect)]).toEqual([whole, true])
    expect(has(less, litmus.without) ? [] : less).toEqual([])
    expect(less).not.toEqual(whole)
    if (litmus.expect === 'ok') expect(whole).toEqual(['ok'])
  })
  it.each(clauses.map((c) => [c.id, c] as const))('%s: the detector agrees on it', (id, { litmus }) => {
    const { header, log } = read(litmus.log)
    expect(differences(header, log, litmus.options)).toEqual([])
    expect(differences(header, log, litmus.options, [id])).not.toEqual([])
  })
})
