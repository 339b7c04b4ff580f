/** What one run leaves open, who comes first to what decides: every order of it is followed, and what only some of them show is found. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { checkPtx, runPtx } from '../../../src/oracle/cli/ptx.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { right } from '../../either.js'
import { nightly } from '../../extent.js'
import { inMemory } from '../../oracle/disk.js'
import { worldOf } from '../../oracle/world.js'

const here = new URL('./outcomes/', import.meta.url)
const bytesOf = (file: string): Uint8Array => new Uint8Array(readFileSync(new URL(file, here)))
const data = ['last.json', 'lock.json', 'tickets.json', 'x.npy', 'zero4.npy', 'zero1.npy', 'zero1u.npy']
const worldWith = (module: string): ReturnType<typeof worldOf> =>
  worldOf(inMemory(new Map([module, ...data].map((file) => [file, bytesOf(file)] as const))))
const verdictOf = (module: string, kernel: string, schedule = 'eager'): Verdict =>
  right(checkPtx(worldWith(module), module, { launch: `${kernel}.json`, schedule })).json() as Verdict

const schedules = ['eager', 'lazy', 'seeded:1', 'seeded:2', 'seeded:3']

describe('right: ok, by a search of what decides', () => {
  for (const kernel of ['last', 'lock', 'tickets'])
    test(kernel, () => {
      for (const schedule of nightly ? schedules : ['eager', 'seeded:1']) {
        const v = verdictOf('right.ptx', kernel, schedule)
        expect([schedule, v.verdict, v.decidedBy, v.search?.complete]).toEqual([
          schedule,
          'ok',
          'exploration',
          true,
        ])
        expect(v.conditions.C1.failures[0]).toContain('outcomes.cu:')
      }
    })
})

describe('broken', () => {
  test('a fence that one block leaves out shows where it is not the last, which no eager run says', () => {
    const found = schedules.map((schedule) => {
      const v = verdictOf('broken1.ptx', 'last', schedule)
      expect(v.verdict).toBe('hazard')
      const said = v.findings.flatMap(({ a, b }) => [a.loc ?? '', b?.loc ?? '']).join(' ')
      expect([said.includes('outcomes.cu:8'), said.includes('outcomes.cu:15')]).toEqual([true, true])
      return v.decidedBy
    })
    expect(found[0]).toBe('exploration')
  })
  test('a lock that is given back too early', () => {
    const v = verdictOf('broken2.ptx', 'lock')
    expect([v.verdict, v.findings[0]?.a.loc?.startsWith('outcomes.cu:28')]).toEqual(['hazard', true])
  })
  test('the schedule that shows it replays to it', () => {
    const report = right(
      runPtx(worldWith('broken1.ptx'), 'broken1.ptx', { launch: 'last.json', record: 'found.json' }),
    )
    const [file] = report.files ?? []
    const files = new Map(['broken1.ptx', ...data].map((name) => [name, bytesOf(name)] as const))
    files.set('found.json', file!.bytes)
    const again = right(
      checkPtx(worldOf(inMemory(files)), 'broken1.ptx', {
        launch: 'last.json',
        schedule: 'recorded:found.json',
      }),
    ).json() as Verdict
    expect([again.verdict, again.decidedBy]).toEqual(['hazard', 'one-schedule'])
  })
})
