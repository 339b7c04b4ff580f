/**
 * A grid barrier whose threads look at the sense before they count themselves. Without a fence between the two the look may take what the last one stores, which comes of all
 * counts: then its thread waits for a change that has happened. Oracle: the axioms. A chain from the look to that store would have to go through the count, which is relaxed and
 * of another word, so no order forbids it; with a fence there is one.
 *
 * The last one is told by a thread, and the store made by the same or by one of another warp, of which a barrier is between.
 */
import { describe, expect, it } from 'vitest'
import { verdictOfText } from './sweep.js'

/** Before the count, and behind it. */
interface Fences {
  readonly before: string
  readonly behind: string
}
const fence = 'fence.acq_rel.gpu;'

const barrier = (fences: Fences, warps: 1 | 2, by: 'same' | 'other'): string => `.version 8.5
.target sm_90a
.address_size 64
.visible .entry barrier(.param .u64 words, .param .u64 out)
{
  .reg .pred %p<6>;
  .reg .b32 %r<12>;
  .reg .b64 %rd<4>;
  .shared .align 4 .b32 last;
  ld.param.u64 %rd1, [words];
  mov.u32 %r0, %tid.x;
  mov.u32 %r1, %nctaid.x;
  sub.u32 %r1, %r1, 1;
  setp.ne.u32 %p1, %r0, 0;
  setp.eq.u32 %p2, %r0, ${by === 'same' ? '0' : '32'};
  bar.sync 0;
  @%p1 bra MET;
  fence.acq_rel.gpu;
  ld.relaxed.gpu.global.u32 %r2, [%rd1];
  ${fences.before}
  atom.relaxed.gpu.global.add.u32 %r3, [%rd1+4], 1;
  ${fences.behind}
  st.shared.u32 [last], %r3;
MET:
  ${warps === 2 ? 'bar.sync 0;' : 'bar.warp.sync -1;'}
  ld.shared.u32 %r4, [last];
  setp.eq.u32 %p3, %r4, %r1;
  @!%p3 bra WAIT;
  @!%p2 bra OVER;
  fence.acq_rel.gpu;
  st.relaxed.gpu.global.u32 [%rd1], 1;
  bra OVER;
WAIT:
  @%p1 bra OVER;
AGAIN:
  ld.relaxed.gpu.global.u32 %r5, [%rd1];
  setp.eq.u32 %p4, %r5, %r2;
  @%p4 bra AGAIN;
OVER:
  ret;
}
`

const verdictOf = (fences: Fences, warps: 1 | 2, by: 'same' | 'other'): string =>
  verdictOfText(barrier(fences, warps, by), 'barrier', { ctas: 2, threads: 32 * warps, words: 32, out: 4 })
    .verdict

describe('a sense that is read before the count', () => {
  const warps = [
    [1, 'same'],
    [2, 'same'],
    [2, 'other'],
  ] as const
  it.each(warps)('of %i warps, stored by the %s: without a fence between the two', (n, by) => {
    expect(verdictOf({ before: '', behind: fence }, n, by)).toBe('deadlock')
  })
  it.each(warps)('of %i warps, stored by the %s: with one', (n, by) => {
    expect(verdictOf({ before: fence, behind: fence }, n, by)).toBe('ok')
  })
  it('is shown by fences of those who count, not by one of who stores alone', () => {
    expect(verdictOf({ before: fence, behind: '' }, 2, 'other')).toBe('deadlock')
  })
})
