/**
 * `--without LINE` of PTX. Oracle: nvcc. A twin of a kernel has its statement left out of the source, and the text without the instructions of that statement has
 * the findings of the twin's text, at the same lines of the source.
 */
import { readFileSync } from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it, test } from 'vitest'
import type { World } from '../../../src/oracle/cli/command.js'
import { checkPtx } from '../../../src/oracle/cli/ptx.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { faults, fileText, filesOf } from '../../dialects/ptx/cuda.js'
import { left, right } from '../../either.js'
import { nightly } from '../../extent.js'
import { inMemory } from '../disk.js'
import { worldOf } from '../world.js'
import { moduleOf } from '../../dialects/ptx/small-text.js'

const folder = new URL('../../../conformance/hopper/cuda/', import.meta.url)
const worldWith = (kernel: string): World =>
  worldOf(
    inMemory(
      new Map(
        filesOf(kernel).map((file) => [
          file,
          new Uint8Array(readFileSync(new URL(`${kernel}/${file}`, folder))),
        ]),
      ),
    ),
  )

const judged = (kernel: string, file: string, without: ReadonlyArray<string>): Verdict =>
  right(checkPtx(worldWith(kernel), file, { launch: 'launch.json', without })).json() as Verdict

/** What is found, by the lines of the source. */
const foundIn = (v: Verdict): ReadonlyArray<string> =>
  [...new Set(v.findings.map(({ id, a, b }) => `${id} ${a.loc ?? ''} ${b?.loc ?? ''}`))].sort()

/** The line behind the macros that say which twins lack it; none where it is no call, or has more to it. */
const leftOutIn = (source: string, twin: number): number | null => {
  const lines = source.split('\n')
  // another statement in its place
  if (lines.some((line) => new RegExp(`(?:ONLY|EITHER)\\(${String(twin)}\\b`, 'u').test(line))) return null
  const at = lines.findIndex((line) => line.trim() === `EXCEPT(${String(twin)})`)
  if (at < 0) return null
  const next = lines.findIndex((line, k) => k > at && !/^\s*EXCEPT\(\d+\)$/u.test(line))
  return /^\s*(?:__syncthreads\(|asm volatile\("(?:bar|mbarrier|cp\.async\.(?:wait|commit)))/u.test(
    lines[next]!,
  )
    ? next + 1
    : null
}

/** Where nvcc makes another text of what is left: of `asserts` the warp that reads comes first in the one, and last in the other. */
const otherwise: ReadonlySet<string> = new Set(['asserts 1'])

const subjects = faults.flatMap(({ kernel, twin, source, ptx }) => {
  const line = leftOutIn(fileText(source), twin)
  return line === null
    ? []
    : [{ kernel, twin, line, ptx: ptx.split('/').pop()!, source: source.split('/').pop()! }]
})

describe('a statement that nvcc left out, and one that is left out here', () => {
  it('are many', () => {
    expect(subjects.length).toBeGreaterThan(20)
  })
  for (const { kernel, twin, line, ptx, source } of subjects.filter((_, k) => nightly || k % 15 === 0))
    it(`${kernel} ${String(twin)}, ${source}:${String(line)}`, () => {
      const own = foundIn(judged(kernel, ptx, []))
      const here = foundIn(judged(kernel, `${kernel}.ptx`, [`${source}:${String(line)}`]))
      expect(own.length).toBeGreaterThan(0)
      if (otherwise.has(`${kernel} ${String(twin)}`)) expect(here.length).toBeGreaterThan(0)
      else expect(here).toEqual(own)
    })
})

describe('what a text means', () => {
  const refusal = (text: string): string => {
    const answer = checkPtx(worldWith('block_reduce'), 'block_reduce.ptx', {
      launch: 'launch.json',
      without: [text],
    })
    return E.isRight(answer) ? 'nothing is refused' : left(answer).message
  }
  const lineOf = (opcode: string): number =>
    fileText('block_reduce/block_reduce.ptx')
      .split('\n')
      .findIndex((line) => line.includes(opcode)) + 1
  test('a line of the text, alone or behind its opcode, and what findings call it', () => {
    const line = lineOf('bar.sync')
    const first = judged('block_reduce', 'block_reduce.ptx', [String(line)])
    expect(first.verdict).toBe('hazard')
    for (const text of [`bar.sync ${String(line)}`, `block_reduce.cu:15 bar.sync (line ${String(line)})`])
      expect(foundIn(judged('block_reduce', 'block_reduce.ptx', [text]))).toEqual(foundIn(first))
  })
  test('of a wait that spins the flag is true, and the loop is left', () => {
    // the first warp stores and does not arrive: the second waits for ever, or reads what may not be there
    const lines = moduleOf(
      ['y'],
      `.reg .pred %p<3>; .reg .b32 %r<4>; .reg .b64 %rd<3>; .shared .align 8 .b8 m[8]; .shared .align 4 .b8 s[4];
ld.param.u64 %rd1, [y]; mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0; setp.ge.u32 %p2, %r1, 32;
@%p1 mbarrier.init.shared.b64 [m], 1;
bar.sync 0;
@%p2 bra W;
@%p1 st.shared.u32 [s], 7;
ret;
W:
mbarrier.test_wait.parity.shared.b64 %p1, [m], 0;
@!%p1 bra W;
ld.shared.u32 %r2, [s];
st.global.u32 [%rd1], %r2;
ret;`,
    )
    const held = new Map([['k.ptx', new TextEncoder().encode(lines)]])
    const on = (without: ReadonlyArray<string>): Verdict =>
      right(
        checkPtx(worldOf(inMemory(held)), 'k.ptx', {
          grid: '1',
          block: '64',
          arg: ['0=u32[1]:out'],
          without,
        }),
      ).json() as Verdict
    expect(on([]).verdict).toBe('deadlock')
    const without = on([String(1 + lines.split('\n').findIndex((line) => line.includes('test_wait')))])
    expect([without.verdict, without.waitFor, without.findings[0]?.id]).toEqual(['hazard', [], 'D1'])
  })
  test('what computes, what is not there and what is two things is refused in one line', () => {
    expect(refusal(String(lineOf('add.s32')))).toMatch(
      /^block_reduce\.ptx: --without: expected an instruction/u,
    )
    expect(refusal('other.cu:15')).toMatch(/found 'other\.cu:15'; the nearest are/u)
    expect(refusal('block_reduce.cu:18')).toMatch(/expected one operation, found \d+ by/u)
  })
  test('an instruction is named with its line of the source, of which the number may be that of its line in the text', () => {
    const said = (file: string): string => {
      const text = `.version 8.8
.target sm_90a
.address_size 64
.visible .entry k() {
.loc 1 6 1
bar.sync 0;
ret;
}
.file 1 "${file}"
`
      const held = new Map([['k.ptx', new TextEncoder().encode(text)]])
      const answer = checkPtx(worldOf(inMemory(held)), 'k.ptx', { grid: '1', block: '32', without: ['9'] })
      return E.isRight(answer) ? 'nothing is refused' : left(answer).message
    }
    expect(said('/a/k.cu')).toContain("the nearest are 'bar.sync 6' (k.cu:6)")
    // lines of the text itself are said once
    expect(said('/a/k.ptx')).toMatch(/the nearest are 'bar\.sync 6'$/u)
  })
})
