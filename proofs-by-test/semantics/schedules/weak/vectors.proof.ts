/**
 * A vector of words is read word by word, in no order: where one of them says that the other is there, the other may be an older one all the same. Oracle: the ISA (an access to a
 * vector is several accesses to scalars, between which nothing is said).
 */
import { describe, expect, it } from 'vitest'
import { ofBlocks } from './blocks.js'
import { verdictOfText } from './sweep.js'

/** Block 0 writes; block 1 waits, and puts out what it has found beside the flag. */
const found = (writes: string, reads: string): ReadonlyArray<string> =>
  verdictOfText(
    ofBlocks(
      'vectors',
      '',
      `  setp.ne.u32 %p1, %r0, 0;
  @%p1 bra AGAIN;
  mov.u32 %r1, 1;
  mov.u32 %r2, 7;
  ${writes}
  ret;
AGAIN:
  ${reads}
  ret;
`,
    ),
    'vectors',
    { ctas: 2, threads: 32, words: 32, out: 16 },
  ).findings.map(({ id }) => id)

const both = `ld.relaxed.gpu.global.v2.u32 {%r1, %r2}, [%rd1];
  setp.eq.u32 %p1, %r1, 0;`
const asked = `${both}
  @%p1 bra AGAIN;
  st.global.u32 [%rd2], %r2;`
const once = `${both}
  @%p1 ret;
  st.global.u32 [%rd2], %r2;`
const inTurn = 'st.relaxed.gpu.global.u32 [%rd1+4], %r2; st.relaxed.gpu.global.u32 [%rd1], %r1;'
const together = 'st.relaxed.gpu.global.v2.u32 [%rd1], {%r1, %r2};'

describe('a flag and what it is for, in one vector', () => {
  it.each([
    ['waited for, written together', together, asked],
    ['waited for, written in turn', inTurn, asked],
    ['looked at, written together', together, once],
  ])('may be of two times: %s', (_, writes, reads) => {
    expect(found(writes, reads)).toEqual(['V2'])
  })
  it.each([
    [
      'what stands beside the flag comes to nothing',
      together,
      `${both}\n  @%p1 bra AGAIN;\n  st.global.u32 [%rd2], %r1;`,
    ],
    ['it was there before', 'st.relaxed.gpu.global.u32 [%rd1], %r1;', asked],
    [
      'it is read once more, behind a fence',
      `st.relaxed.gpu.global.u32 [%rd1+4], %r2; fence.acq_rel.gpu; st.relaxed.gpu.global.u32 [%rd1], %r1;`,
      `${both}
  @%p1 bra AGAIN;
  fence.acq_rel.gpu;
  ld.relaxed.gpu.global.u32 %r2, [%rd1+4];
  st.global.u32 [%rd2], %r2;`,
    ],
    [
      'the two are one scalar',
      'mov.b64 %rd3, {%r1, %r2}; st.relaxed.gpu.global.u64 [%rd1], %rd3;',
      `ld.relaxed.gpu.global.u64 %rd3, [%rd1];
  mov.b64 {%r1, %r2}, %rd3;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra AGAIN;
  st.global.u32 [%rd2], %r2;`,
    ],
  ])('are not where %s', (_, writes, reads) => {
    expect(found(writes, reads)).toEqual([])
  })
})
