/**
 * A seqlock: who reads between two equal even counts has read what belongs to them, here half the count. The data may be read early or late, and every value that a read may take is asked for; but who
 * takes a new one takes over, at the fence, that the count was raised before it, and then does not find the old count.
 * The second read of the data leaves the writer time between the first and the fence.
 */
import { expect, test } from 'vitest'
import type { Verdict } from '../../../../src/semantics/judging/verdict.js'
import { ofBlocks } from './blocks.js'
import { verdictOfText } from './sweep.js'

interface Fences {
  /** of the writer, between the odd count and the data, and between the data and the even count */
  readonly opens: string
  readonly closes: string
  /** of the reader, behind the first count, and before the second */
  readonly enters: string
  readonly leaves: string
}
const fence = 'fence.acq_rel.gpu;'
const usual: Fences = { opens: fence, closes: fence, enters: fence, leaves: fence }

const seqlock = ({ opens, closes, enters, leaves }: Fences): Verdict =>
  verdictOfText(
    ofBlocks(
      'seqlock',
      ``,
      `  setp.ne.u32 %p1, %r0, 0;
  @%p1 bra READ;
  st.relaxed.gpu.global.u32 [%rd1], 1;
  ${opens}
  st.relaxed.gpu.global.u32 [%rd1+4], 1;
  ${closes}
  st.relaxed.gpu.global.u32 [%rd1], 2;
  ret;
READ:
  ld.relaxed.gpu.global.u32 %r1, [%rd1];
  ${enters}
  ld.relaxed.gpu.global.u32 %r2, [%rd1+4];
  ld.relaxed.gpu.global.u32 %r3, [%rd1+4];
  ${leaves}
  ld.relaxed.gpu.global.u32 %r4, [%rd1];
  and.b32 %r6, %r1, 1;
  setp.ne.u32 %p2, %r6, 0;
  @%p2 bra READ;
  setp.ne.u32 %p3, %r1, %r4;
  @%p3 bra READ;
  shr.u32 %r5, %r1, 1;
  sub.u32 %r5, %r2, %r5;
  st.global.u32 [%rd2], %r5;
  ret;
`,
    ),
    'seqlock',
    { ctas: 2, threads: 32, words: 32, out: 4 },
  )

test('right: what is read is of one count', () => {
  const v = seqlock(usual)
  expect([v.verdict, v.search?.complete]).toEqual(['ok', true])
})
test.each(['opens', 'closes', 'enters', 'leaves'] as const)('without the fence that %s', (left) => {
  const v = seqlock(Object.assign({}, usual, { [left]: '' }))
  expect([v.verdict, v.findings[0]?.id]).toEqual(['hazard', 'V2'])
})
test.each(['opens', 'closes', 'enters', 'leaves'] as const)('of a CTA alone: the fence that %s', (left) => {
  const v = seqlock(Object.assign({}, usual, { [left]: 'fence.acq_rel.cta;' }))
  expect([v.verdict, v.findings[0]?.id]).toEqual(['hazard', 'V2'])
})
