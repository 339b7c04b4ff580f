/** Named barriers by their threads: counts that differ, threads too many, and who is told. By hand. */
import { describe, expect, test } from 'vitest'
import { script, type Script } from './script.js'

const meet = (
  s: Script,
  agent: number,
  kind: 'arrive' | 'leave',
  count: number,
  site: string,
  threads = 128,
  id = 1,
): void =>
  s.push({ _tag: 'rendezvous', stamp: s.stamp(agent, site), kind, id, count, threads, relaxed: false })
const told = (write: (s: Script) => void): ReadonlyArray<string> => {
  const s = script({ agents: ['a@0', 'b@0', 'c@0'], barriers: [] })
  write(s)
  return s.judge().findings.map((f) => `${f.id}: ${f.text} (${f.a.site}, ${f.b?.site ?? ''})`)
}

describe('the count', () => {
  test('is that of the first arrival of each generation', () => {
    const text = (count: number, first: number, generation: number): string =>
      `${String(count)} threads are counted here and ${String(first)} by the first arrival of generation ${String(generation)}`
    const all = told((s) => {
      meet(s, 0, 'arrive', 256, 'first')
      meet(s, 1, 'arrive', 384, 'second')
      meet(s, 2, 'arrive', 384, 'third')
      for (const x of [0, 1, 2]) meet(s, x, 'leave', 384, 'go')
    })
    expect(all.map((t) => t.replace(/^B2: [^:]*: /, ''))).toEqual([
      `${text(384, 256, 0)} (first, second)`,
      `${text(384, 256, 0)} (first, third)`,
    ])
  })
  test('may be another in another generation', () => {
    expect(
      told((s) => {
        for (const kind of ['arrive', 'leave'] as const) for (const x of [0, 1]) meet(s, x, kind, 256, 'two')
        for (const kind of ['arrive', 'leave'] as const)
          for (const x of [0, 1, 2]) meet(s, x, kind, 384, 'three')
      }),
    ).toEqual([])
  })
  test('is not exceeded', () => {
    const all = told((s) => {
      meet(s, 0, 'arrive', 192, 'first')
      meet(s, 1, 'arrive', 192, 'second')
      for (const x of [0, 1]) meet(s, x, 'leave', 192, 'go')
    })
    expect(all.map((t) => t.replace(/^B2: [^:]*: /, ''))).toEqual([
      '256 threads arrive where 192 are counted (first, second)',
    ])
  })
})
