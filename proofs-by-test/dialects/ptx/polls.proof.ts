/**
 * Polls that are written out, as libcu++ has them for atomics and semaphores: some loads one after another, then a back-off by the clock. They are one wait where
 * they do nothing but wait; broken twins are found by line and by name, and what does more stays as it is.
 */
import { describe, expect, test } from 'vitest'
import { checkPtx } from '../../../src/oracle/cli/ptx.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { right } from '../../either.js'
import { inMemory } from '../../oracle/disk.js'
import { worldOf } from '../../oracle/world.js'
import { moduleOf, programOf } from './small-text.js'

interface Changed {
  readonly stored?: string
  readonly second?: string
  readonly asked?: string
  readonly sleeps?: string
  readonly behind?: string
}

/** One block fills a buffer and raises a flag; another polls it. */
const kernel = ({
  stored = 'st.release.gpu.global.u32 [%rd4], 1;',
  second = 'ld.acquire.gpu.global.u32 %r4, [%rd5];',
  asked = 'setp.ne.s32 %p3, %r4, 0;',
  sleeps = 'nanosleep.u32 %r7;',
  behind = '',
}: Changed): string =>
  moduleOf(
    ['y', 'buffer', 'flag'],
    `.reg .pred %p<9>; .reg .b32 %r<16>; .reg .b64 %rd<16>;
ld.param.u64 %rd1, [y]; ld.param.u64 %rd2, [buffer]; ld.param.u64 %rd4, [flag];
mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x;
mul.wide.u32 %rd3, %r2, 4;
add.s64 %rd1, %rd1, %rd3; add.s64 %rd2, %rd2, %rd3;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra waits;
st.global.u32 [%rd2], %r2;
bar.sync 0;
setp.ne.u32 %p2, %r2, 0;
@%p2 bra done;
${stored}
bra done;
waits: setp.ne.u32 %p2, %r2, 0;
@%p2 bra over;
mov.u64 %rd5, %rd4;
ld.acquire.gpu.global.u32 %r3, [%rd5];
setp.ne.s32 %p3, %r3, 0;
@%p3 bra over;
mov.u64 %rd5, %rd4;
${second}
${asked}
@%p3 bra over;
late: mov.u64 %rd7, %globaltimer;
mov.u32 %r6, 0;
again: setp.lt.s32 %p4, %r6, 16;
@%p4 bra next;
mov.u64 %rd8, %globaltimer;
sub.s64 %rd9, %rd8, %rd7;
cvt.u32.u64 %r7, %rd9;
${sleeps}
next: add.s32 %r6, %r6, 1;
ld.acquire.gpu.global.u32 %r5, [%rd4];
setp.eq.s32 %p5, %r5, 0;
@%p5 bra again;
ld.acquire.gpu.global.u32 %r5, [%rd4];
setp.eq.s32 %p5, %r5, 0;
@%p5 bra late;
over: bar.sync 0;
ld.global.u32 %r8, [%rd2];
${behind}
st.global.u32 [%rd1], %r8;
done: ret;`,
  )

const waitsOf = (text: string): ReadonlyArray<string> =>
  programOf(text).code.flatMap(({ operation: o }) =>
    o._tag === 'load' && o.until !== undefined ? [o.until.comparison] : [],
  )
const verdictOf = (text: string, schedule = 'eager'): Verdict =>
  right(
    checkPtx(worldOf(inMemory(new Map([['k.ptx', new TextEncoder().encode(text)]]))), 'k.ptx', {
      grid: '2',
      block: '64',
      arg: ['0=u32[64]:out', '1=u32[64]:out', '2=u32[1]:out'],
      schedule,
    }),
  ).json() as Verdict
const lineOf = (text: string, part: string): string =>
  `line ${String(text.split('\n').findIndex((line) => line.includes(part)) + 1)}`

describe('a poll with its back-off', () => {
  test('is a wait, and ok in every schedule', () => {
    const text = kernel({})
    expect(waitsOf(text)).toEqual(['ne'])
    for (const schedule of ['eager', 'lazy']) {
      const v = verdictOf(text, schedule)
      expect([schedule, v.verdict, v.conditions.C1.holds]).toEqual([schedule, 'ok', true])
    }
  })
  test('whose word is never written is a deadlock, at its first load', () => {
    const text = kernel({ stored: '' })
    const v = verdictOf(text)
    expect(v.verdict).toBe('deadlock')
    expect(v.reason).toContain('semaphore gmem flag')
    expect(JSON.stringify(v.findings.at(-1))).toContain(lineOf(text, 'ld.acquire.gpu.global.u32 %r3'))
  })
  test('whose word is written relaxed orders nothing', () => {
    const text = kernel({ stored: 'st.relaxed.gpu.global.u32 [%rd4], 1;' })
    const v = verdictOf(text)
    expect(v.verdict).toBe('hazard')
    const said = v.findings
      .flatMap(({ a, b }) => [a.loc ?? '', b?.loc ?? '', JSON.stringify([a, b])])
      .join(' ')
    expect(said).toContain(lineOf(text, 'st.global.u32 [%rd2]'))
    expect(said).toContain(lineOf(text, 'ld.global.u32 %r8'))
  })
})

test('a poll of a byte is no wait: a semaphore has 32 bits', () => {
  const wide = kernel({}).replaceAll('ld.acquire.gpu.global.u32', 'ld.acquire.gpu.global.u8')
  expect(waitsOf(wide)).toEqual([])
})

describe('what does more is no wait', () => {
  test.each<readonly [string, Changed]>([
    ['it asks for something else', { asked: 'setp.ne.s32 %p3, %r4, 2;' }],
    ['its answer is overwritten', { asked: 'setp.ne.s32 %p3, %r4, 0; setp.ne.s32 %p3, %r2, 0;' }],
    ['it asks for another word', { second: 'ld.acquire.gpu.global.u32 %r4, [%rd5+4];' }],
    ['it asks in another way', { second: 'ld.relaxed.gpu.global.u32 %r4, [%rd5];' }],
    ['it writes something', { sleeps: 'st.global.u32 [%rd1], 5;' }],
    [
      'it may sleep for ever',
      { sleeps: 'more: mov.u64 %rd9, %globaltimer; setp.lt.s64 %p6, %rd9, 9; @%p6 bra more;' },
    ],
    ['how often it has asked is heard', { behind: 'add.u32 %r8, %r8, %r6;' }],
    ['what it found first is heard', { behind: 'add.u32 %r8, %r8, %r3;' }],
    ['the clock is heard', { behind: 'cvt.u32.u64 %r8, %rd7;' }],
  ])('%s', (_, changed) => {
    const first = 'ld.acquire.gpu.global.u32 %r3'
    const text = kernel(changed)
    const waits = programOf(text)
    const labels = waits.code.flatMap(({ operation: o, site }) =>
      o._tag === 'load' && o.until !== undefined ? [waits.sites[site]?.label ?? ''] : [],
    )
    expect(labels.join()).not.toContain(lineOf(text, first))
  })
})
