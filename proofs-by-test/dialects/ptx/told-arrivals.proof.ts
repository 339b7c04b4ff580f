/**
 * What an arrival at an mbarrier is told: how many were missing. That says who came before, so where it decides something one schedule does not decide (C1); a wait for the phase
 * of the arrival is the same whoever came before.
 *
 * Oracle: in a schedule in which warp 1 arrives first two warps write one word, in one in which warp 0 does one of them.
 */
import { describe, expect, it } from 'vitest'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { bits } from '../../../src/numerics/bits.js'
import { checkSource, standardOptions } from '../../../src/semantics/verdict/check.js'
import { right } from '../../either.js'
import { ofZeros, sourceOfText } from './launched-text.js'
import { moduleOf } from './small-text.js'

const verdictOf = (threads: number, ...lines: ReadonlyArray<string>): Verdict => {
  const text = moduleOf(
    ['y'],
    `.reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .pred %p<8>;
.shared .b64 full; .shared .b32 seen[64];
ld.param.u64 %rd1, [y]; mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r1, 32; and.b32 %r2, %r1, 31; setp.eq.u32 %p3, %r2, 0;
mov.u32 %r3, seen; shl.b32 %r4, %r1, 2; add.u32 %r3, %r3, %r4;
${lines.join('\n')}
ret;`,
  )
  const source = sourceOfText(text, { threads, buffers: ofZeros(64, 'y') })
  return right(checkSource(source, { ...standardOptions, algebra: bits('hopper') })).verdict
}

const init = (count: number): string =>
  `@%p1 mbarrier.init.shared.b64 [full], ${String(count)}; mov.u32 %r5, 0; mov.u64 %rd2, 0; bar.sync 0;`
const arrive = '@%p3 mbarrier.arrive.shared.b64 %rd2, [full];'
const missing = '@%p3 mbarrier.pending_count.b64 %r5, %rd2;'
/** warp 0 stores where it was the second, warp 1 in any case */
const stores = 'setp.eq.and.u32 %p4, %r5, 2, %p1; @%p4 st.global.u32 [%rd1], 1; @%p2 st.global.u32 [%rd1], 2;'

describe('how many arrivals were missing', () => {
  it.each([
    ['is counted', [missing, stores]],
    ['is counted, and used behind a barrier', [missing, 'bar.sync 0;', stores]],
    [
      'is read from the token itself',
      [
        'shr.u64 %rd3, %rd2, 43; cvt.u32.u64 %r5, %rd3; and.b32 %r5, %r5, 1;',
        stores.replace('2, %p1', '0, %p1'),
      ],
    ],
  ])('that %s says who came before: the order in which two warps race is found', (_, lines) => {
    const v = verdictOf(64, init(3), arrive, ...lines)
    expect(v.conditions.C1.holds || v.firstConditions?.C1.holds === true).toBe(false)
    expect([v.verdict, v.findings.map(({ id }) => id)]).toEqual(['hazard', ['D2']])
  })

  it('of lanes of one warp is told in one order, and the verdict says so', () => {
    const all = 'mbarrier.arrive.shared.b64 %rd2, [full]; mbarrier.pending_count.b64 %r5, %rd2;'
    const v = verdictOf(32, init(40), all, 'setp.eq.u32 %p5, %r5, 40; @%p5 st.global.u32 [%rd1], %r1;')
    expect(v.verdict).toBe('ok')
    expect(v.scope.some((line) => line.includes('lanes of one warp arrive'))).toBe(true)
  })

  it('is of no matter for who waits for the phase', () => {
    const wait = [
      'st.shared.u32 [%r3], %r1; mbarrier.arrive.shared.b64 %rd2, [full];',
      'W: mbarrier.try_wait.shared.b64 %p5, [full], %rd2; @!%p5 bra W;',
      'xor.b32 %r4, %r1, 63; shl.b32 %r4, %r4, 2; mov.u32 %r6, seen; add.u32 %r6, %r6, %r4; ld.shared.u32 %r7, [%r6];',
      'mul.wide.u32 %rd4, %r1, 4; add.u64 %rd5, %rd1, %rd4; st.global.u32 [%rd5], %r7;',
    ]
    const v = verdictOf(64, init(64), ...wait)
    expect([v.verdict, v.decidedBy, v.scope]).toEqual(['ok', 'one-schedule', []])
  })
})
