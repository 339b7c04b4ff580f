/** What hardware alone knows: a program that a clock decides is not wrong, and not decided; one that a register decides that nothing has written is. */
import { expect, test } from 'vitest'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { inMemory } from '../../oracle/disk.js'
import { running, worldOf } from '../../oracle/world.js'
import { moduleOf } from './small-text.js'

const kernel = (...lines: ReadonlyArray<string>): string =>
  moduleOf(
    ['y'],
    `.reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>;
.shared .b64 full[2];
ld.param.u64 %rd1, [y];
${lines.join('\n')}
st.global.u32 [%rd1], 7;
over:
ret;`,
  )

const verdictOf = async (text: string): Promise<Verdict> => {
  const said = running(worldOf(inMemory(new Map([['k.ptx', new TextEncoder().encode(text)]]))))
  const asked = ['--grid', '1', '--block', '32', '--arg', '0=u32[1]:out', '--json']
  return JSON.parse((await said('check', 'k.ptx', ...asked)).stdout) as Verdict
}

const odd = ['and.b64 %rd3, %rd2, 1;', 'setp.eq.s64 %p1, %rd3, 0;']
const branch = [...odd, '@%p1 bra over;']
const address = [...odd, 'selp.b64 %rd4, 0, 4, %p1;', 'add.s64 %rd1, %rd1, %rd4;']
const guarded = [...odd, '@%p1 st.global.u32 [%rd1], 6;']

test.each([
  ['a branch', '%clock64', branch],
  ['an address', '%globaltimer', address],
  ['a guard', '%clock64', guarded],
])('%s that %s decides is not decided, and no read of what nothing has written', async (_, clock, lines) => {
  const v = await verdictOf(kernel(`mov.u64 %rd2, ${clock};`, ...lines))
  expect([v.verdict, v.findings]).toEqual(['undecided', []])
  expect(v.reason).toContain(`${clock} may be anything`)
  expect(v.conditions.C1.holds).toBe(false)
})

test.each([
  ['a branch', branch],
  ['an address', address],
  ['a guard', guarded],
])('%s that nothing has written decides is I1, also where a clock is read', async (_, lines) => {
  const v = await verdictOf(kernel('mov.u64 %rd5, %clock64;', ...lines))
  expect([v.verdict, v.findings.map(({ id }) => id)]).toEqual(['invalid', ['I1']])
})

/** As a debug build has it: what is computed goes through memory before it decides. */
const depot = ['.local .b64 kept[2];', 'mov.u64 %rd6, kept;', 'cvta.local.u64 %rd6, %rd6;']
test.each([
  ['local memory', 'st.local.u64 [kept], %rd2;', 'ld.local.u64 %rd2, [kept];'],
  ['a pointer to it', 'st.u64 [%rd6+8], %rd2;', 'ld.u64 %rd2, [%rd6+8];'],
])('a clock that goes through %s is no read of what nothing has written', async (_, store, load) => {
  const through = (clock: string): string => kernel(...depot, clock, store, load, ...branch)
  const v = await verdictOf(through('mov.u64 %rd2, %globaltimer;'))
  expect([v.verdict, v.findings]).toEqual(['undecided', []])
  expect(v.reason).toContain('%globaltimer may be anything')
  const w = await verdictOf(through('mov.u64 %rd5, %globaltimer;'))
  expect([w.verdict, w.findings.map(({ id }) => id)]).toEqual(['invalid', ['I1']])
})

test('a byte of which some bits are written is not said to be read before that', async () => {
  const set = ['ld.u8 %r1, [%rd6+3];', 'and.b32 %r2, %r1, -3;', 'or.b32 %r3, %r2, 2;', 'st.u8 [%rd6+3], %r3;']
  const asked = ['ld.u8 %r4, [%rd6+3];', 'and.b32 %r5, %r4, 2;', 'setp.eq.s32 %p1, %r5, 0;', '@%p1 bra over;']
  const v = await verdictOf(kernel(...depot, ...set, ...asked))
  expect([v.verdict, v.findings]).toEqual(['undecided', []])
  expect(v.reason).toContain('a field of bits decides what happens here')
  // no bit of it is written, or it is another word
  for (const other of [set.slice(0, 3), [...set.slice(0, 3), 'st.u16 [%rd6+4], %r3;']]) {
    const w = await verdictOf(kernel(...depot, ...other, ...asked))
    expect([w.verdict, w.findings.map(({ id }) => id)]).toEqual(['invalid', ['I1']])
  }
})

test('a clock that nothing asks costs nothing', async () => {
  const v = await verdictOf(kernel('mov.u64 %rd5, %clock64;', 'add.s64 %rd6, %rd5, 1;'))
  expect(v.verdict, v.reason).toBe('ok')
})

/** One lane arrives; all wait, and back off by the clock: `late` is what they do then. */
const waiting = (late: string, after: string): string =>
  kernel(
    'mov.u32 %r1, full;',
    'mov.u32 %r2, %tid.x;',
    'setp.ne.u32 %p2, %r2, 0;',
    '@%p2 bra set;',
    'mbarrier.init.shared.b64 [%r1], 1;',
    'mbarrier.arrive.shared.b64 _, [%r1];',
    'set: bar.sync 0;',
    'mov.u64 %rd2, %globaltimer;',
    'mov.u32 %r3, 0;',
    'again: mbarrier.try_wait.parity.shared.b64 %p1, [%r1], 0;',
    '@%p1 bra out;',
    'mov.u64 %rd3, %globaltimer;',
    'sub.s64 %rd4, %rd3, %rd2;',
    'setp.gt.s64 %p3, %rd4, 40000;',
    late,
    'add.s32 %r3, %r3, 1;',
    'bra again;',
    'late: trap;',
    'out:',
    after,
  )

test.each([
  ['sleeps', '@%p3 nanosleep.u32 100;'],
  ['traps', '@%p3 bra late;'],
  ['traps by a guard', '@%p3 trap;'],
])('a wait that %s where it takes long is a wait', async (_, late) => {
  const v = await verdictOf(waiting(late, ''))
  expect(v.verdict, v.reason).toBe('ok')
})

test('a wait that gives up by the clock, or tells how long it took, is none', async () => {
  expect((await verdictOf(waiting('@%p3 bra out;', ''))).conditions.C1.holds).toBe(false)
  expect((await verdictOf(waiting('', 'st.global.u32 [%rd1], %r3;'))).conditions.C1.holds).toBe(false)
})
