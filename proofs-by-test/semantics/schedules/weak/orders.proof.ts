/**
 * Two writes that nothing orders, and which of their orders there are.
 *
 * A sum comes before the flag that another waits for, who stores to the same word then. Had that store come first, the sum would have found it: where the summing thread takes
 * over what it finds before it sets the flag, the store would come before the flag that it has waited for. So there is one order alone, and else there are two. Oracle: the axioms.
 *
 * A note that only some orders show is shown, whatever the first one was.
 */
import { describe, expect, it } from 'vitest'
import { ofBlocks } from './blocks.js'
import { verdictOfText } from './sweep.js'

const launch = { ctas: 2, threads: 32, words: 32, out: 16 }

/** Block 0 sums, does this, and sets the flag; block 1 waits for it, does that, and stores. */
const summed = (between: string, store: string, behind: string = ''): string =>
  ofBlocks(
    'orders',
    '',
    `  setp.ne.u32 %p1, %r0, 0;
  @%p1 bra WAIT;
  red.relaxed.gpu.global.add.u32 [%rd1+4], 1;
  ${between}
  st.relaxed.gpu.global.u32 [%rd1], 1;
  ${behind}
  ret;
WAIT:
  ld.relaxed.gpu.global.u32 %r1, [%rd1];
  setp.ne.u32 %p1, %r1, 1;
  @%p1 bra WAIT;
  ${store}
  ret;
`,
  )
const found = (text: string): ReadonlyArray<string> =>
  verdictOfText(text, 'orders', launch).findings.map(({ id }) => id)

describe('a store behind a flag, and a sum before it', () => {
  const release = 'st.release.gpu.global.u32 [%rd1+4], 1;'
  it.each([
    ['an acquire of the word', 'ld.acquire.gpu.global.u32 %r2, [%rd1+4];', release],
    ['a fence', 'fence.acq_rel.gpu;', release],
    [
      'fences on both sides',
      'fence.acq_rel.gpu;',
      'fence.acq_rel.gpu; st.relaxed.gpu.global.u32 [%rd1+4], 1;',
    ],
  ])('have one order where the sum is taken over by %s', (_, between, store) => {
    expect(found(summed(between, store))).toEqual([])
  })
  it.each([
    ['nothing is taken over', 'ld.relaxed.gpu.global.u32 %r2, [%rd1+4];', release, ''],
    ['another word is acquired', 'ld.acquire.gpu.global.u32 %r2, [%rd1+8];', release, ''],
    ['the scope is too narrow', 'fence.acq_rel.cta;', release, ''],
    ['the store releases nothing', 'fence.acq_rel.gpu;', 'st.relaxed.gpu.global.u32 [%rd1+4], 1;', ''],
    ['it is taken over behind the flag', '', release, 'fence.acq_rel.gpu;'],
    [
      'what is released was known before the wait',
      'fence.acq_rel.gpu;',
      'st.relaxed.gpu.global.u32 [%rd1+4], 1; fence.acq_rel.gpu;',
      '',
    ],
  ])('have two where %s', (_, between, store, behind) => {
    expect(found(summed(between, store, behind))).toEqual(['V2'])
  })
})

describe('what only some schedules note', () => {
  /** Block 1 stores where it comes first; the sums of block 0 come behind it, or between it and what it has read. */
  const either = (store: string): string =>
    ofBlocks(
      'orders',
      '',
      `  setp.ne.u32 %p1, %r0, 0;
  @%p1 bra ASK;
  red.relaxed.gpu.global.add.u32 [%rd1+4], 1;
  red.relaxed.gpu.global.add.u32 [%rd1+4], 1;
  ld.relaxed.gpu.global.u32 %r1, [%rd1+4];
  st.global.u32 [%rd2], %r1;
  ret;
ASK:
  ld.relaxed.gpu.global.u32 %r1, [%rd1+4];
  setp.ne.u32 %p1, %r1, 0;
  @%p1 ret;
  ${store}
  ret;
`,
    )
  it('is told beside an ok, and replays', () => {
    const v = verdictOfText(either('st.relaxed.gpu.global.u32 [%rd1+4], 2;'), 'orders', launch)
    expect(v.verdict).toBe('ok')
    const notes = v.notes.filter(({ id, b }) => id === 'N1' && b !== undefined)
    expect(notes).toHaveLength(2)
    const others = v.schedules.filter((_, row) => row !== v.schedule)
    for (const { schedule } of notes) expect(others).toContain(v.schedules[schedule ?? -1])
  })
  it('is not told where the writes commute', () => {
    const v = verdictOfText(either('red.relaxed.gpu.global.add.u32 [%rd1+4], 2;'), 'orders', launch)
    // what the ends leave otherwise is said of a tensor, and not of two writes
    expect(v.notes.filter(({ b }) => b !== undefined)).toEqual([])
  })
})
