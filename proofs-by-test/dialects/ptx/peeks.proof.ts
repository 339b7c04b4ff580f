/** Peeks of PTX: recognised in what nvcc makes of CUTLASS's tokens, judged alike in every schedule, and no peek where more is made of a flag. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { elaborate } from '../../../src/dialects/ptx/elaboration/elaborate.js'
import { parseModule } from '../../../src/dialects/ptx/index.js'
import { checkPtx, runPtx } from '../../../src/oracle/cli/ptx.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { timingOf } from '../../../src/semantics/warps/timing.js'
import type { WarpProgram } from '../../../src/semantics/warps/program.js'
import { right } from '../../either.js'
import { nightly } from '../../extent.js'
import { inMemory } from '../../oracle/disk.js'
import { worldOf } from '../../oracle/world.js'

const here = new URL('./peeks/', import.meta.url)
const bytesOf = (file: string): Uint8Array => new Uint8Array(readFileSync(new URL(file, here)))
const text = new TextDecoder().decode(bytesOf('two_rings.ptx'))
const ring = readFileSync(
  new URL('../../../conformance/hopper/cuda/peek_pipeline/peek_pipeline.ptx', import.meta.url),
  'utf8',
)

const programOf = (module: string): WarpProgram =>
  right(elaborate(right(parseModule(module)), null, 'x.ptx')).program

const tests = (
  p: WarpProgram,
): { readonly peeks: number; readonly others: number; readonly spared: number } => {
  const waits = p.code.flatMap(({ operation: o }) => (o._tag === 'mbarrierWait' ? [o] : []))
  return {
    peeks: waits.filter((o) => o.makes !== undefined).length,
    others: waits.filter((o) => !o.blocks && o.makes === undefined).length,
    spared: waits.filter((o) => o.spared !== undefined).length,
  }
}

const verdictOf = (module: string, schedule: string): Verdict =>
  right(
    checkPtx(
      worldOf(
        inMemory(
          new Map([
            ['m.ptx', new TextEncoder().encode(module)],
            ...['launch.json', 'x.npy', 'w.npy', 'y.npy'].map((f) => [f, bytesOf(f)] as const),
          ]),
        ),
      ),
      'm.ptx',
      { launch: 'launch.json', schedule },
    ),
  ).json() as Verdict

describe('recognised', () => {
  test('every test that does not wait, in both kernels', () => {
    const rings = tests(programOf(text))
    expect(rings.others).toBe(0)
    expect(rings.peeks).toBeGreaterThan(4)
    expect(rings.spared).toBeGreaterThan(2)
    const one = tests(programOf(ring))
    expect([one.others, one.peeks > 1, one.spared > 1]).toEqual([0, true, true])
    expect([timingOf(programOf(text)), timingOf(programOf(ring))]).toEqual([[], []])
  })
  test('bits are right, and the verdict is that of every schedule', () => {
    const files = new Map(
      ['two_rings.ptx', 'launch.json', 'x.npy', 'w.npy', 'y.npy'].map((f) => [f, bytesOf(f)] as const),
    )
    const report = right(runPtx(worldOf(inMemory(files)), 'two_rings.ptx', { launch: 'launch.json' }))
    expect(report.text()).toMatch(/^compared.* 0 of 128/mu)
    for (const schedule of [
      'eager',
      'lazy',
      ...(nightly ? ['roundrobin'] : []),
      ...(nightly ? [1, 2, 3, 4, 5, 6] : [1]).map((n) => `seeded:${String(n)}`),
    ])
      expect([schedule, verdictOf(text, schedule).verdict]).toEqual([schedule, 'ok'])
  })
})

/** Of the text the first line that matches, with another behind it or in its place. */
const edited = (from: RegExp, to: (line: string) => string): string => {
  let done = false
  return text
    .split('\n')
    .map((line) => {
      if (done || !from.test(line)) return line
      done = true
      return to(line)
    })
    .join('\n')
}

describe('no peek', () => {
  const flag = /selp\.b32 (%r\d+), 1, 0, P1;/u
  test('where the flag comes to memory', () => {
    const stored = edited(flag, (line) => `${line} st.shared.u32 [%r1+64], ${flag.exec(line)![1]!};`)
    expect(tests(programOf(stored)).others).toBeGreaterThan(0)
  })
  test('where the wait is made if the flag is true', () => {
    const turned = edited(flag, (line) => line.replace('1, 0', '0, 1'))
    expect(tests(programOf(turned)).others).toBeGreaterThan(0)
    expect(verdictOf(turned, 'eager').conditions.C1.holds).toBe(false)
  })
  test('where it is computed with', () => {
    const added = edited(flag, (line) => `${line} add.s32 %r1, %r1, ${flag.exec(line)![1]!};`)
    expect(tests(programOf(added)).others).toBeGreaterThan(0)
  })
})
