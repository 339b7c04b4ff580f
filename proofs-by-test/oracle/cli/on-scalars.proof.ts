/**
 * Guessed numbers, and others in their place. Oracle: what each kernel of `guesses/scalars.cu` does with which number, said there.
 */
import * as fs from 'node:fs'
import { describe, expect, test } from 'vitest'
import { boundsOf } from '../../../src/dialects/ptx/flow/bounds.js'
import { functionsOf, parseModule, resolveModule } from '../../../src/dialects/ptx/index.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { right } from '../../either.js'
import { inMemory } from '../disk.js'
import { running, worldOf } from '../world.js'

const text = (name: string): string =>
  fs.readFileSync(new URL(`../launch/guesses/${name}`, import.meta.url), 'utf8')
const bytes = (name: string): Uint8Array => new TextEncoder().encode(text(name))
const disk = new Map([
  ['scalars.ptx', bytes('scalars.ptx')],
  ['scalars.cu', bytes('scalars.cu')],
])
const run = running(worldOf(inMemory(disk)))
const words = async (entry: string): Promise<ReadonlyArray<string>> => {
  const { stdout } = await run('kernels', 'scalars.ptx', '--entry', entry)
  const line = stdout.split('\n').find((l) => l.startsWith('tcspec check '))!
  return line.split(' ').slice(1)
}
const verdictOf = async (of: ReadonlyArray<string>): Promise<Verdict> =>
  JSON.parse((await run(...of, '--json')).stdout) as Verdict

describe('bounds', () => {
  const bounds = (ptx: string, entry: string): ReadonlyArray<number> => {
    const code = right(resolveModule(right(parseModule(ptx)))).find(
      (one) => one.code.function.name === entry,
    )!
    return [...boundsOf(code.code)].sort()
  }
  test('numbers that are compared alone', () => {
    const of = (entry: string) => bounds(text('scalars.ptx'), entry)
    expect([of('rest'), of('ring'), of('good')]).toEqual([[2], [2], []])
  })
  test.each([
    ['compared', 'setp.lt.s32 %p1, %r2, %r1;', true],
    ['compared after sums', 'add.s32 %r3, %r1, 5; shr.u32 %r3, %r3, 2; setp.lt.s32 %p1, %r2, %r3;', true],
    ['the less of two', 'min.s32 %r3, %r1, 7; setp.lt.s32 %p1, %r2, %r3;', true],
    ['looked at by nothing', '', true],
    [
      'in an address',
      'mul.wide.s32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r2;',
      false,
    ],
    [
      'chosen for an address',
      'selp.b32 %r3, %r1, 0, %p1; cvt.u64.u32 %rd2, %r3; ld.global.u32 %r2, [%rd2];',
      false,
    ],
    ['stored', 'st.global.u32 [%rd1], %r1;', false],
    ['a count of a barrier', 'bar.sync 1, %r1;', false],
    ['a value of a shuffle', 'shfl.sync.idx.b32 %r3, %r1, 0, 31, -1;', false],
  ])('%s: %s', (_, body, is) => {
    const ptx = `.version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 k_0, .param .u32 k_1)\n{\n.reg .pred %p<3>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\nld.param.u64 %rd1, [k_0];\nld.param.u32 %r1, [k_1];\nmov.u32 %r2, %tid.x;\n${body}\nret;\n}\n`
    expect(functionsOf(right(parseModule(ptx)))).toHaveLength(1)
    expect(bounds(ptx, 'k').includes(1)).toBe(is)
  })
})

describe('other numbers in the place of guessed ones', () => {
  test('the rest of a division is found, with the number and how to see it again', async () => {
    const said = await words('rest')
    const v = await verdictOf(said)
    expect([v.verdict, v.findings[0]?.id]).toEqual(['hazard', 'D1'])
    expect(v.reason).toMatch(/^with n = 255: on guessed arguments \(grid 1, block 128, x, y, n\): /u)
    // what the finding says shows it
    const replay = v.findings[0]!.replay!.replace(/ \(a run is deterministic\)$/u, '').split(' ')
    const bare = said.slice(0, said.indexOf('--arg'))
    const again = await verdictOf([...bare, ...replay])
    expect([again.verdict, again.findings[0]?.id]).toEqual(['hazard', 'D1'])
    // the guess alone shows nothing
    const given = said.map((word) => (word.startsWith('n=') ? word.replace(':guess', '') : word))
    expect((await verdictOf(given)).verdict).toBe('ok')
  })
  test('a right kernel stays right, and what was tried is said', async () => {
    for (const entry of ['ring', 'good']) {
      const v = await verdictOf(await words(entry))
      expect([entry, v.verdict, v.findings]).toEqual([entry, 'ok', []])
      expect(v.reason).toMatch(/^on guessed arguments .*; also tried: .*pitch = /u)
    }
  })
  test('nothing else is tried without a guess, beyond the budget, or where the guess shows something', async () => {
    const said = await words('ring')
    const none = said.map((word) => word.replace(/:guess$/u, ''))
    expect((await verdictOf(none)).reason).not.toContain('also tried')
    expect((await verdictOf([...said, '--budget', '0'])).reason).not.toContain('also tried')
  })
})
