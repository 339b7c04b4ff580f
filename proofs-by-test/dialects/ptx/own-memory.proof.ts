/** Local memory is its thread's alone: an address of it that another thread uses is refused, whichever way it came; its own thread gets it back from any memory. */
import { describe, expect, it } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { checkSource, standardOptions } from '../../../src/semantics/verdict/check.js'
import { right } from '../../either.js'
import { ofZeros, sourceOfText } from './launched-text.js'
import { moduleOf } from './small-text.js'

/** Thread t keeps t, and lends the address in %rd4; what it then loads from %rd5 goes to the output. */
const verdictOf = (...lends: ReadonlyArray<string>): Verdict => {
  const text = moduleOf(
    ['y'],
    `.reg .b32 %r<16>; .reg .b64 %rd<16>; .reg .pred %p<8>;
.local .align 8 .b8 own[16]; .shared .align 8 .b64 lent[64];
ld.param.u64 %rd1, [y]; mov.u32 %r1, %tid.x; mov.u32 %r11, %ctaid.x; mad.lo.u32 %r12, %r11, 64, %r1; mul.wide.u32 %rd2, %r12, 4; add.u64 %rd3, %rd1, %rd2;
mov.u64 %rd4, own; cvta.local.u64 %rd4, %rd4; st.u32 [%rd4+4], %r1;
mov.u32 %r2, lent; shl.b32 %r3, %r1, 3; add.u32 %r4, %r2, %r3;
${lends.join('\n')}
ld.u32 %r8, [%rd5+4]; st.global.u32 [%rd3], %r8; ret;`,
  )
  const source = sourceOfText(text, { grid: 2, threads: 64, buffers: ofZeros(128, 'y') })
  return right(checkSource(source, { ...standardOptions, algebra: bits('hopper') })).verdict
}

const all = 'st.shared.u64 [%r4], %rd4; bar.sync 0;'

describe('an address of local memory', () => {
  it.each([
    ['of a thread of another warp, through shared memory', [all, 'xor.b32 %r5, %r3, 256;']],
    ['of a thread of the same warp, through shared memory', [all, 'xor.b32 %r5, %r3, 8;']],
  ])('%s is refused', (_, lines) => {
    const v = verdictOf(...lines, 'add.u32 %r6, %r2, %r5; ld.shared.u64 %rd5, [%r6];')
    expect([v.verdict, v.reason]).toEqual(['invalid', expect.stringContaining('which that thread alone')])
  })

  it.each([
    ['another lane', 'mov.b32 %r7, 3;', 'invalid'],
    ['the lane itself', 'and.b32 %r7, %r1, 31;', 'ok'],
  ])('is a word of %s that a shuffle brings', (_, lane, verdict) => {
    const shuffled = [
      'mov.b64 {%r9, %r10}, %rd4;',
      'shfl.sync.idx.b32 %r9, %r9, %r7, 31, -1; shfl.sync.idx.b32 %r10, %r10, %r7, 31, -1;',
      'mov.b64 %rd5, {%r9, %r10};',
    ]
    expect(verdictOf(lane, ...shuffled).verdict).toBe(verdict)
  })

  it('comes back to its thread from shared memory', () => {
    expect(verdictOf(all, 'ld.shared.u64 %rd5, [%r4];').verdict).toBe('ok')
  })

  it.each([
    ['own', 'mov.u64 %rd6, %rd4;', 'ok'],
    ['of another thread', 'add.u32 %r6, %r2, 24; ld.shared.u64 %rd6, [%r6];', 'ok'],
    ['of shared memory', 'cvt.u64.u32 %rd6, %r2; cvta.shared.u64 %rd6, %rd6;', 'invalid'],
  ])('is in the window of local memory: %s', (_, address, verdict) => {
    // who is in the window goes on, who is not reads where nothing is
    const asks = 'isspacep.local %p1, %rd6; selp.b64 %rd5, %rd4, 0, %p1;'
    expect(verdictOf(all, address, asks).verdict).toBe(verdict)
  })
})
