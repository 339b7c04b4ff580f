/**
 * Races of a loop that a compiler has unrolled. Oracle: where a barrier stands between the two lines, and where none does, counted by hand.
 *
 *     turn          store, barrier, load        the barrier that is missing
 *     line          3      4        5           behind 5, before 3 of the next turn
 *     without 4     3               5           behind 3, before 5: it is in each turn
 */
import { describe, expect, it } from 'vitest'
import { sidesOf } from '../../../src/semantics/judging/fix.js'
import { grouped } from '../../../src/semantics/judging/alike.js'
import { lineOf } from '../../../src/semantics/judging/lines.js'
import { ofZeros, verdictOfText } from '../../dialects/ptx/launched-text.js'

const turns = 3

/** Each turn stores the thread's own word and loads one of the other warp. */
const kernelOf = (inTurn: string, after: string): string => `.version 8.8
.target sm_90a
.address_size 64
.shared .align 4 .b8 s[256];
.visible .entry k(.param .u64 py) {
.reg .b32 %r<32>; .reg .b64 %rd<16>;
ld.param.u64 %rd1, [py]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4; add.s64 %rd2, %rd1, %rd3; mov.u32 %r2, s;
shl.b32 %r3, %r1, 2; xor.b32 %r4, %r3, 128; add.s32 %r3, %r3, %r2; add.s32 %r4, %r4, %r2; mov.b32 %r10, 0;
${Array.from(
  { length: turns },
  (_, turn) => `.loc 1 3 5
add.s32 %r5, %r1, ${String(turn)};
st.shared.b32 [%r3], %r5;
${inTurn}
.loc 1 5 5
ld.shared.b32 %r6, [%r4];
add.s32 %r10, %r10, %r6;
${after}`,
).join('\n')}
bar.sync 0;
st.global.b32 [%rd2], %r10; ret;
}
.file 1 "k.cu"
`

const barrier = 'bar.sync 0;'
const findingsOf = (inTurn: string, after: string) =>
  grouped(verdictOfText(kernelOf(inTurn, after), { threads: 64, buffers: ofZeros(64, 'y'), outputs: ['y'] }))
    .findings

describe('copies of two lines', () => {
  it('with both barriers: nothing', () => {
    expect(findingsOf(barrier, barrier)).toEqual([])
  })
  it.each([
    { of: 'the turn', inTurn: '', after: barrier, sides: ['3', '5'], most: 2 * turns },
    { of: 'its end', inTurn: barrier, after: '', sides: ['5', '3'], most: 2 * (turns - 1) },
  ])(
    'without the barrier of $of: one finding, with its sides in their order',
    ({ inTurn, after, sides, most }) => {
      const findings = findingsOf(inTurn, after)
      expect(findings.map(({ id }) => id)).toEqual(['D1'])
      const [finding] = findings
      expect(sidesOf(finding!)?.map((o) => lineOf(o)?.split(':').at(-1))).toEqual(sides)
      expect(finding!.alike?.length).toBeGreaterThan(0)
      expect(finding!.alike?.length).toBeLessThan(most)
    },
  )
})
