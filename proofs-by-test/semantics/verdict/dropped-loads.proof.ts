/**
 * Loads of which nothing comes in the last turn of a loop. Oracle: which executions of a load something reads, counted by hand.
 *
 *     v = s[next];  for (i = 0; i < n; i++) { acc += v; barrier; v = s[next]; }   s[own] = acc;
 *
 * The load of the last turn races with the store behind the loop. Nobody reads what it found.
 */
import { describe, expect, it } from 'vitest'
import { ofZeros, verdictOfText } from '../../dialects/ptx/launched-text.js'
import { moduleOf } from '../../dialects/ptx/small-text.js'

/** Each thread has its own word of s at %r3, and that of a thread of the other warp at %r4; %r5 counts turns; what is summed is in %r10. */
const kernelOf = (text: string): string =>
  moduleOf(
    ['py'],
    `.reg .b32 %r<32>; .reg .b64 %rd<16>; .reg .pred %p<4>;
ld.param.u64 %rd1, [py]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4; add.s64 %rd2, %rd1, %rd3; mov.u32 %r2, s;
shl.b32 %r3, %r1, 2; xor.b32 %r4, %r3, 128; add.s32 %r3, %r3, %r2; add.s32 %r4, %r4, %r2;
st.shared.b32 [%r3], %r1; bar.sync 0; mov.b32 %r10, 0; mov.b32 %r5, 0; mov.b32 %r6, 0;
${text}
st.shared.b32 [%r3], %r10; bar.sync 0; ld.shared.b32 %r12, [%r3]; st.global.b32 [%rd2], %r12; ret;`,
    { before: '.shared .align 4 .b8 s[256];' },
  )

const verdictOf = (text: string): string =>
  verdictOfText(kernelOf(text), { threads: 64, buffers: ofZeros(64, 'y'), outputs: ['y'] }).verdict

/** Values are loaded so many turns ahead. */
const pipelineOf = (turns: number, ahead: number): string => {
  const values = Array.from({ length: ahead }, (_, i) => 16 + i)
  return `${values.map((r) => `ld.shared.b32 %r${String(r)}, [%r4];`).join(' ')}
again:
add.s32 %r10, %r10, %r16; bar.sync 0;
${values
  .slice(1)
  .map((r) => `mov.b32 %r${String(r - 1)}, %r${String(r)};`)
  .join(' ')}
ld.shared.b32 %r${String(15 + ahead)}, [%r4];
add.s32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, ${String(turns)}; @%p1 bra again;`
}

describe('a load for a turn that does not come', () => {
  it('is no race, however many turns came before and however far it is ahead', () => {
    for (const turns of [1, 2, 5])
      for (const ahead of [1, 2, 3])
        expect([turns, ahead, verdictOf(pipelineOf(turns, ahead))]).toEqual([turns, ahead, 'ok'])
  })
  it('is one of every turn of the loop around it', () => {
    const nest = (end: string): string => `outer: mov.b32 %r5, 0;
${pipelineOf(2, 1)}
${end} st.shared.b32 [%r3], %r10; bar.sync 0; mov.b32 %r5, 0;
add.s32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, 5; @%p2 bra outer;`
    expect(verdictOf(nest(''))).toBe('ok')
    expect(verdictOf(nest('add.s32 %r10, %r10, %r16;'))).toBe('hazard')
  })
  it('is a race where what it found is read behind the loop, as it is or computed', () => {
    for (const turns of [1, 2, 5])
      for (const use of [
        'add.s32 %r10, %r10, %r16;',
        'setp.gt.s32 %p3, %r16, 5; @%p3 add.s32 %r10, %r10, 1;',
        'xor.b32 %r17, %r16, 3; mad.lo.s32 %r10, %r17, 2, %r10;',
      ])
        expect([use, verdictOf(`${pipelineOf(turns, 1)} ${use}`)]).toEqual([use, 'hazard'])
  })
  it('is a race where only one of its executions is read', () => {
    // the loop stores in every turn; the value is read in turn 2 alone, or in none
    const loop = (read: number): string => `again: ld.shared.b32 %r16, [%r4]; st.shared.b32 [%r3], %r10;
setp.eq.u32 %p2, %r5, ${String(read)}; @!%p2 bra over; add.s32 %r10, %r10, %r16; over:
bar.sync 0; add.s32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 4; @%p1 bra again;`
    expect(verdictOf(loop(9))).toBe('ok')
    for (const read of [0, 2, 3]) expect([read, verdictOf(loop(read))]).toEqual([read, 'hazard'])
  })
})
