/**
 * A ring of four slots between two blocks, told on by words: what has been taken over by all no longer tells states apart, so the states grow as the product of both counters
 * within reach of one another, and not as the ways that led there.
 */
import { expect, test } from 'vitest'
import type { Verdict } from '../../../../src/semantics/judging/verdict.js'
import { ofBlocks } from './blocks.js'
import { verdictOfText } from './sweep.js'

/** `tells`: how the producer raises its counter. */
const ring = (items: number, tells: 'release' | 'relaxed'): Verdict =>
  verdictOfText(
    ofBlocks(
      'ring',
      `  mov.u32 %r1, 0;
  mov.u32 %r5, 0;
`,
      `  setp.ne.u32 %p1, %r0, 0;
  @%p1 bra TAKE;
GIVE:
  ld.acquire.gpu.global.u32 %r2, [%rd1+4];
  sub.u32 %r3, %r1, %r2;
  setp.ge.u32 %p2, %r3, 4;
  @%p2 bra GIVE;
  and.b32 %r4, %r1, 3;
  mul.wide.u32 %rd3, %r4, 4;
  add.u64 %rd4, %rd1, %rd3;
  st.global.u32 [%rd4+16], %r1;
  add.u32 %r1, %r1, 1;
  st.${tells}.gpu.global.u32 [%rd1], %r1;
  setp.lt.u32 %p3, %r1, ${String(items)};
  @%p3 bra GIVE;
  ret;
TAKE:
  ld.acquire.gpu.global.u32 %r2, [%rd1];
  setp.le.u32 %p2, %r2, %r1;
  @%p2 bra TAKE;
  and.b32 %r4, %r1, 3;
  mul.wide.u32 %rd3, %r4, 4;
  add.u64 %rd4, %rd1, %rd3;
  ld.global.u32 %r6, [%rd4+16];
  add.u32 %r5, %r5, %r6;
  add.u32 %r1, %r1, 1;
  st.release.gpu.global.u32 [%rd1+4], %r1;
  setp.lt.u32 %p3, %r1, ${String(items)};
  @%p3 bra TAKE;
  st.global.u32 [%rd2], %r5;
  ret;
`,
    ),
    'ring',
    { ctas: 2, threads: 32, words: 32, out: 4 },
  )

test('right: every order is followed', () => {
  const v = ring(4, 'release')
  expect([v.verdict, v.search?.complete]).toEqual(['ok', true])
  expect(v.search?.states).toBeLessThan(200)
})
test('a counter that tells nothing', () => {
  const v = ring(4, 'relaxed')
  expect([v.verdict, v.findings[0]?.id]).toEqual(['hazard', 'D3'])
})
