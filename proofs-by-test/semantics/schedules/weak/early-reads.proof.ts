/**
 * A grid barrier whose threads look at the sense before they count themselves. Without a fence between the two the look may take what the last one stores, which comes of all
 * counts: then its thread waits for a change that has happened. Oracle: the axioms. A chain from the look to that store would have to go through the count, which is relaxed and
 * of another word, so no order forbids it; with a fence there is one.
 *
 * The last one is told by a thread. The store is made by the same or by one of another warp, behind a barrier; and so is the look, before one.
 */
import { describe, expect, it } from 'vitest'
import { verdictOfText } from './sweep.js'

/** Before the count, and behind it. */
interface Fences {
  readonly before: string
  readonly behind: string
}
const fence = 'fence.acq_rel.gpu;'

/** Who of the CTA does it: the thread that counts, or one of another warp. */
type Who = 'same' | 'other'
interface Roles {
  readonly warps: 1 | 2
  readonly stores: Who
  readonly reads: Who
}
const thread = (who: Who): string => (who === 'same' ? '0' : '32')

const barrier = (fences: Fences, { warps, stores, reads }: Roles): string => `.version 8.5
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
  setp.eq.u32 %p2, %r0, ${thread(stores)};
  setp.ne.u32 %p5, %r0, ${thread(reads)};
  bar.sync 0;
  @%p5 bra READ;
  fence.acq_rel.gpu;
  ld.relaxed.gpu.global.u32 %r2, [%rd1];
READ:
  ${reads === 'other' ? 'bar.sync 0;' : ''}
  @%p1 bra MET;
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
  @%p5 bra OVER;
AGAIN:
  ld.relaxed.gpu.global.u32 %r5, [%rd1];
  setp.eq.u32 %p4, %r5, %r2;
  @%p4 bra AGAIN;
OVER:
  ret;
}
`

const verdictOf = (fences: Fences, roles: Roles): string =>
  verdictOfText(barrier(fences, roles), 'barrier', { ctas: 2, threads: 32 * roles.warps, words: 32, out: 4 })
    .verdict

describe('a sense that is read before the count', () => {
  const roles: ReadonlyArray<Roles> = [
    { warps: 1, stores: 'same', reads: 'same' },
    { warps: 2, stores: 'same', reads: 'same' },
    { warps: 2, stores: 'other', reads: 'same' },
    { warps: 2, stores: 'same', reads: 'other' },
    { warps: 2, stores: 'other', reads: 'other' },
  ]
  it.each(roles)(
    'of $warps warps, stored by the $stores, read by the $reads: without a fence between the two',
    (who) => {
      expect(verdictOf({ before: '', behind: fence }, who)).toBe('deadlock')
    },
  )
  it.each(roles)('of $warps warps, stored by the $stores, read by the $reads: with one', (who) => {
    expect(verdictOf({ before: fence, behind: fence }, who)).toBe('ok')
  })
  it.each(['same', 'other'] as const)(
    'is shown by fences of those who count, not by one of who stores alone: read by the %s',
    (reads) => {
      const who: Roles = { warps: 2, stores: 'other', reads }
      expect(verdictOf({ before: fence, behind: '' }, who)).toBe('deadlock')
    },
  )
})
