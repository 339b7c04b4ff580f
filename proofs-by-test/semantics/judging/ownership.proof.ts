/**
 * Whose a finding is. Oracle of the language: the directory that a text was captured in. Gluon's authors write barriers, Triton's do not, and both came out of
 * one compiler.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { everyOperation, readModule } from '../../../src/dialects/ttgir/index.js'
import { placed as made, placedIn } from '../../../src/oracle/launch/placed.js'
import { hazardIds } from '../../../src/semantics/judging/hazards.js'
import { languageOf, whoseOf, writesBarriers, type Placed } from '../../../src/semantics/judging/ownership.js'
import { right } from '../../either.js'

const conformance = new URL('../../../conformance/triton/', import.meta.url)
const namesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(new URL(folder, conformance), { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.ttgir'))
    .sort()
    .map((name) => `${folder}/${name}`)
const textOf = (name: string): string => {
  const bytes = readFileSync(new URL(name, conformance))
  return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
}
const placedOf = (name: string): ReadonlyArray<Placed> => {
  const module = right(readModule(textOf(name)))
  return placedIn(module, everyOperation(module.operations))
}

describe('the language of a text is told by where its operations come from', () => {
  it.each(namesIn('gluon/texts'))('%s: its author writes barriers', (name) => {
    expect(writesBarriers(placedOf(name))).toBe(true)
  })
  it.each(namesIn('captures'))('%s: its author writes none, where the text has any', (name) => {
    const all = placedOf(name)
    const tells = all.some(({ role }) => role === 'commit' || role === 'init')
    expect([tells, writesBarriers(all)]).toEqual([tells, !tells])
  })
  it('of a text without places, or not of Python, nothing is told', () => {
    const pair = (place: string | null): ReadonlyArray<Placed> => [made('copy', place), made('commit', place)]
    expect(writesBarriers(pair(null))).toBe(true)
    expect(writesBarriers(pair('k.cu:3:0'))).toBe(true)
    expect(writesBarriers(pair('k.py:3:4'))).toBe(false)
    expect(writesBarriers([made('init', 'k.py:3:0')])).toBe(false)
    expect(writesBarriers([made('init', 'k.cu:3:0')])).toBe(true)
  })
  it('a lowering gives a place of the statement that it lowers, and of no other', () => {
    const [here, there] = ['k.py:3:4', 'k.py:4:4']
    for (const [role, others] of [
      ['commit', ['copy']],
      ['init', ['copy', 'product', 'loop']],
      ['tensor memory', ['product']],
    ] as const)
      for (const other of ['copy', 'product', 'loop'] as const) {
        const lowers = (others as ReadonlyArray<string>).includes(other)
        expect([role, other, writesBarriers([made(role, here), made(other, here)])]).toEqual([
          role,
          other,
          !lowers,
        ])
        expect(writesBarriers([made(role, here), made(other, there)])).toBe(true)
        expect(languageOf([made(role, here), made(other, here)])).toBe(lowers ? 'triton' : 'gluon')
      }
    // what both write tells nothing
    expect(languageOf([made('copy', here), made('product', there), made('loop', there)])).toBe('triton')
    expect(languageOf([])).toBe('triton')
  })
})

describe('whose a finding is', () => {
  const smem = { plane: 'smem@0', spans: [] }
  const gmem = { plane: 'gmem c', spans: [] }
  it('an author who writes all of it has all of it', () => {
    for (const id of hazardIds)
      for (const fences of ['author', undefined] as const)
        expect(whoseOf({ fences, barriers: true, beside: [] }, { id, place: smem })).toBe('author')
  })
  it('Triton: what is in shared memory is its compiler’s, what is between programs is the author’s', () => {
    const triton = { fences: 'lowered', barriers: false, beside: [] } as const
    for (const id of ['P1', 'M8', 'B7', 'W3'] as const)
      expect(whoseOf(triton, { id, place: smem })).toBe('compiler')
    for (const id of ['D2', 'D3', 'I1', 'N1'] as const)
      expect(whoseOf(triton, { id, place: gmem })).toBe('author')
    // bytes that do not add up come of a descriptor of the launch, and so does what follows
    expect(whoseOf(triton, { id: 'B4' })).toBe('author')
    const withB4 = { fences: 'lowered', barriers: false, beside: [{ id: 'B4' }] } as const
    expect(whoseOf(withB4, { id: 'R3', place: smem })).toBe('author')
  })
  it('Gluon: the author’s, but for fences that his language does not have', () => {
    const gluon = { fences: 'compiler', barriers: true, beside: [] } as const
    expect(whoseOf(gluon, { id: 'P1', place: smem })).toBe('author')
    expect(whoseOf(gluon, { id: 'B7' })).toBe('author')
    expect(whoseOf(gluon, { id: 'M8', place: { plane: 'tmem@0', spans: [] } })).toBe('compiler')
  })
  it('a library’s: an initialisation that it does not fence', () => {
    const library = { fences: 'library', barriers: true, beside: [] } as const
    expect(whoseOf(library, { id: 'P6' })).toBe('library')
    expect(whoseOf(library, { id: 'D1', place: smem })).toBe('author')
  })
})
