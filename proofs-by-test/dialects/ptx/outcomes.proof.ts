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

describe('a counter that is set back by a plain store', () => {
  const module = (body: string): string => `
.version 8.0
.target sm_90
.address_size 64
.visible .entry count(.param .u64 c)
{
  .reg .pred %p<4>;
  .reg .b32 %r<4>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [c];
  mov.u32 %r1, %tid.x;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra done;
  ${body.trim()}
  st.global.u32 [%rd1], 0;
done:
  ret;
}
`
  const judged = (text: string, ctas: number): Verdict => {
    const c = { kind: 'pointer', tensor: 'c', dtype: 'u32', shape: [1], role: 'inout', file: 'zero.npy' }
    const launch = JSON.stringify({ grid: [ctas], block: [32], args: [c], outputs: ['c'] })
    const files = new Map([
      ['count.ptx', new TextEncoder().encode(module(text))],
      ['count.json', new TextEncoder().encode(launch)],
      ['zero.npy', bytesOf('zero1u.npy')],
    ])
    return right(
      checkPtx(worldOf(inMemory(files)), 'count.ptx', { launch: 'count.json', schedule: 'eager' }),
    ).json() as Verdict
  }
  const last = `
  atom.global.add.u32 %r2, [%rd1], 1;
  setp.ne.u32 %p2, %r2, 2;
  @%p2 bra done;`
  test('by who counts last: the others are found by its atomic, and come before the store', () => {
    const v = judged(last, 3)
    expect([v.verdict, v.decidedBy, v.findings.length]).toEqual(['ok', 'exploration', 0])
  })
  test('not by the last but one', () => {
    const v = judged(last.replace('%r2, 2', '%r2, 1'), 3)
    expect([v.verdict, v.findings[0]?.id]).toEqual(['hazard', 'D3'])
  })
  const waits = `
  mov.u32 %r3, %ctaid.x;
  setp.ne.u32 %p2, %r3, 0;
  @%p2 bra again;
  red.relaxed.gpu.global.add.u32 [%rd1], 1;
  bra done;
again:
  ld.acquire.gpu.global.u32 %r2, [%rd1];
  setp.ne.u32 %p3, %r2, 1;
  @%p3 bra again;`
  test('behind a wait for what the other adds; without the wait it is a race', () => {
    const v = judged(waits, 2)
    expect([v.verdict, v.decidedBy, v.findings.length]).toEqual(['ok', 'one-schedule', 0])
    const w = judged(waits.replace('  @%p3 bra again;', ''), 2)
    expect([w.verdict, w.findings[0]?.id]).toEqual(['hazard', 'D3'])
  })
})
