/** Peeks of PTX: recognised in what nvcc makes of CUTLASS's tokens, judged alike in every schedule, and no peek where more is made of a flag. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { checkPtx, runPtx } from '../../../src/oracle/cli/ptx.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { timingOf } from '../../../src/semantics/warps/timing.js'
import type { WarpProgram } from '../../../src/semantics/warps/program.js'
import { right } from '../../either.js'
import { nightly } from '../../extent.js'
import { inMemory } from '../../oracle/disk.js'
import { worldOf } from '../../oracle/world.js'
import { madeOfAFlag, registersOfFlags } from './made-of-a-flag.js'
import { moduleOf, programOf } from './small-text.js'

const here = new URL('./peeks/', import.meta.url)
const bytesOf = (file: string): Uint8Array => new Uint8Array(readFileSync(new URL(file, here)))
const text = new TextDecoder().decode(bytesOf('two_rings.ptx'))
const ring = readFileSync(
  new URL('../../../conformance/hopper/cuda/peek_pipeline/peek_pipeline.ptx', import.meta.url),
  'utf8',
)

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
  test.each(['1, 2', '0, 0', '5, 5'])('where both choices say the same: %s', (choices) => {
    const alike = edited(flag, (line) => line.replace('1, 0', choices))
    expect(tests(programOf(alike)).others).toBeGreaterThan(0)
  })
  test.each(['%r1, 0', '1, %r1', '%r1, 1', '0, %r1'])('where a choice is no number: %s', (choices) => {
    const open = edited(flag, (line) => line.replace('1, 0', choices))
    expect(tests(programOf(open)).others).toBeGreaterThan(0)
  })
  test('where it is compared with another word than zero', () => {
    const one = edited(/setp\.eq\.s32 \t%p36, %r605, 0;/u, (line) => line.replace(', 0;', ', 1;'))
    expect(one).not.toBe(text)
    expect(tests(programOf(one)).others).toBeGreaterThan(0)
  })
  test('where it is computed with', () => {
    const added = (behind: string): string =>
      edited(flag, (line) => `${line} add.s32 %r1, %r1, ${flag.exec(line)![1]!}; ${behind}`)
    expect(tests(programOf(added('st.shared.u32 [%r2+64], %r1;'))).others).toBeGreaterThan(0)
    // and nothing reads it
    expect(tests(programOf(added(''))).others).toBe(0)
  })
})

describe('a peek spares nothing but its wait', () => {
  const kernel = (before: string, behind: string): string =>
    moduleOf(
      ['y'],
      `.reg .pred %p<6>; .reg .b32 %r<8>; .reg .b64 %rd<8>;
.shared .b64 full[2];
ld.param.u64 %rd1, [y];
mov.u32 %r1, full;
mov.u32 %r2, %tid.x;
mov.u32 %r3, 0;
setp.ne.u32 %p2, %r2, 0;
@%p2 bra set;
mbarrier.init.shared.b64 [%r1], 1;
set: bar.sync 0;
@%p2 bra go;
mbarrier.arrive.shared.b64 _, [%r1];
go: mbarrier.try_wait.parity.shared.b64 %p1, [%r1], 0;
@%p1 bra over;
${before}
again: mbarrier.try_wait.parity.shared.b64 %p3, [%r1], 0;
@!%p3 bra again;
${behind}
over: mul.wide.u32 %rd2, %r2, 4;
add.s64 %rd1, %rd1, %rd2;
st.global.u32 [%rd1], %r3;
ret;`,
    )
  const said = (text: string): Verdict =>
    right(
      checkPtx(worldOf(inMemory(new Map([['k.ptx', new TextEncoder().encode(text)]]))), 'k.ptx', {
        grid: '1',
        block: '64',
        arg: ['0=u32[64]:out'],
        schedule: 'eager',
      }),
    ).json() as Verdict
  const counts = 'add.u32 %r3, %r3, 1;'
  const waitAt = (label: string, at: string): string =>
    `${label}: mbarrier.try_wait.parity.shared.b64 %p4, ${at}, 0; @!%p4 bra ${label};`
  test.each<readonly [string, string, string, string]>([
    ['nothing else', '', '', 'ok'],
    ['what no one reads there', 'add.u32 %r4, %r2, 1;', 'add.u32 %r5, %r2, 1;', 'ok'],
    ['a count of how often it was too early', counts, '', 'undecided'],
    ['the same, behind the wait', '', counts, 'undecided'],
    ['a store', '', 'st.shared.u32 [full+8], 1;', 'undecided'],
    ['the same wait made again', '', waitAt('more', '[%r1]'), 'ok'],
    [
      'a wait that asks by a row that has changed',
      '',
      `mov.u32 %r1, full; ${waitAt('more', '[%r1]')}`,
      'undecided',
    ],
    ['a wait that asks by another row', '', `mov.u32 %r6, full; ${waitAt('more', '[%r6]')}`, 'undecided'],
  ])('%s: %#', (_, before, behind, verdict) => {
    const v = said(kernel(before, behind))
    expect([v.verdict, v.conditions.C1.holds]).toEqual([verdict, verdict === 'ok'])
  })
  test('whose wait is never over is a deadlock at that wait', () => {
    const v = said(kernel('', '').replace('mbarrier.arrive.shared.b64 _, [%r1];', ''))
    expect(v.verdict).toBe('deadlock')
    expect(v.reason).toContain('full')
  })
})

/**
 * One test, what is made of its flag, and the wait that a branch spares. Oracle: by hand; the wait is spared where the test was true and nowhere else, and nothing else comes of
 * the flag, nor of what is computed on the way of the wait.
 */
const spares = (
  made: string,
  guard: string,
  way: { readonly before?: string; readonly within?: string; readonly behind?: string } = {},
): string => {
  const found = tests(
    programOf(
      moduleOf(
        ['out'],
        `${registersOfFlags}
mbarrier.test_wait.parity.shared::cta.b64 %p1, [%r1], 0;
${made}
${guard} bra SPARED;
${way.before ?? ''}
AGAIN:
mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r1], 0;
@!%p3 bra AGAIN;
${way.within ?? ''}
SPARED:
${way.behind ?? ''}
st.global.b32 [%rd1], %r9;
ret;`,
      ),
    ),
  )
  return found.peeks === 1 && found.others === 0 && found.spared === 1
    ? 'peek'
    : found.spared === 0
      ? found.peeks === 0
        ? 'none'
        : 'a peek that spares nothing'
      : JSON.stringify(found)
}

describe('what is made of a flag', () => {
  test.each(madeOfAFlag.map((m) => [m.what, m] as const))('%s', (_, { made, guard, is }) => {
    expect(spares(made, guard)).toBe(is === 'both' || is === 'peek' ? 'peek' : 'none')
  })
  test('no branch goes by it', () => {
    expect(spares('setp.ne.b32 %p2, %r9, 3;', '@%p2')).toBe('a peek that spares nothing')
  })
})

describe('what stands on the way of a wait', () => {
  test.each([
    ['nothing', {}, 'peek'],
    ['what nothing reads behind it', { before: 'mov.b32 %r5, 3;' }, 'peek'],
    ['what is read behind it', { before: 'mov.b32 %r9, 3;' }, 'none'],
    ['what is read behind it, after the wait', { within: 'mov.b32 %r9, 3;' }, 'none'],
    ['what is written anew behind it', { within: 'mov.b32 %r9, 3;', behind: 'mov.b32 %r9, 4;' }, 'peek'],
    ['a store', { within: 'st.global.b32 [%rd1], %r7;' }, 'none'],
    ['a store before the wait', { before: 'st.global.b32 [%rd1], %r7;' }, 'none'],
    ['another barrier in the way', { before: 'mov.u32 %r1, bar+8;' }, 'peek'],
    ['a branch that joins', { within: '@%p7 bra SPARED; mov.b32 %r5, 3;' }, 'peek'],
    ['a branch around a store', { within: '@%p7 bra SPARED; st.global.b32 [%rd1], %r7;' }, 'none'],
    ['a trap', { within: '@%p7 trap;' }, 'peek'],
  ] as const)('%s', (_, way, is) => {
    expect(spares('', '@%p1', way)).toBe(is)
  })
})
