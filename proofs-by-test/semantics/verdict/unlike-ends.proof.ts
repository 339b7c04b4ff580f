/** Orders that all come to an end and leave other bytes are told (N1), tensor by tensor; orders that leave the same are not. */
import { describe, expect, it } from 'vitest'
import { turnedRound } from '../../../src/semantics/verdict/unlike-ends.js'
import { right } from '../../either.js'
import { noArguments } from '../../../src/semantics/execution/launch.js'
import { bits } from '../../../src/numerics/bits.js'
import { ofZeros, sourceOfText, verdictOfText } from '../../dialects/ptx/launched-text.js'
import { moduleOf } from '../../dialects/ptx/small-text.js'

const textOf = (lines: string): string =>
  moduleOf(
    ['f', 'y'],
    `.reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 %rd<8>;
ld.param.u64 %rd1, [f]; ld.param.u64 %rd2, [y]; mov.u32 %r1, %ctaid.x; mul.wide.u32 %rd3, %r1, 4; add.u64 %rd4, %rd2, %rd3;
setp.eq.u32 %p1, %r1, 0;
${lines}
ret;`,
  )
const launch = (grid: number) => ({ grid, threads: 1, buffers: ofZeros(4, 'f', 'y') })

/** The verdict, and the tensors that notes call open. */
const openIn = (lines: string, grid: number): string => {
  const { verdict, notes, findings } = verdictOfText(textOf(lines), launch(grid), {})
  return [
    verdict,
    ...findings.map(({ id }) => id),
    ...notes.flatMap(({ id, place }) => (id === 'N1' ? [place?.plane ?? ''] : [])),
  ].join(', ')
}

const ticket = 'atom.relaxed.gpu.global.add.u32 %r2, [%rd1], 1;'

describe('ends that leave other bytes', () => {
  it.each([
    [
      'a flag that is raised, and read by who stores one value or another',
      2,
      `@!%p1 bra R; st.relaxed.gpu.global.u32 [%rd1], 1; ret;
R: ld.relaxed.gpu.global.u32 %r2, [%rd1]; setp.ne.u32 %p2, %r2, 0; @%p2 bra S; st.global.u32 [%rd2], 2; ret; S: st.global.u32 [%rd2], 1;`,
      'ok, gmem y',
    ],
    ['a ticket that is stored by its CTA', 2, `${ticket} st.global.u32 [%rd4], %r2;`, 'ok, gmem y'],
    [
      'a ticket that decides what its CTA stores',
      3,
      `${ticket} setp.eq.u32 %p2, %r2, 0; selp.b32 %r3, 7, 9, %p2; @%p2 bra S; S: st.global.u32 [%rd4], %r3;`,
      'ok, gmem y',
    ],
    [
      'the first one that comes stores its number',
      2,
      'atom.relaxed.gpu.global.cas.b32 %r2, [%rd1], 0, 1; setp.ne.u32 %p2, %r2, 0; @%p2 bra S; add.u32 %r3, %r1, 1; st.global.u32 [%rd2], %r3; S:',
      'ok, gmem f, gmem y',
    ],
    [
      'a ticket that says which word its CTA stores, and no other CTA stores any',
      2,
      `${ticket} @%p1 bra S; mul.wide.u32 %rd5, %r2, 4; add.u64 %rd6, %rd2, %rd5; st.global.u32 [%rd6], 1; S:`,
      'ok, gmem y',
    ],
  ])('%s: told', (_, grid, lines, said) => {
    expect(openIn(lines, grid)).toBe(said)
  })

  it.each([
    ['the last one stores', 3, `${ticket} setp.ne.u32 %p2, %r2, 2; @%p2 bra S; st.global.u32 [%rd2], 9; S:`],
    [
      'tickets of pieces of work, whoever does them',
      2,
      `A: ${ticket} setp.gt.u32 %p2, %r2, 3; @%p2 bra S; mul.wide.u32 %rd5, %r2, 4; add.u64 %rd6, %rd2, %rd5; st.global.u32 [%rd6], %r2; bra A; S:`,
    ],
    ['tickets that nobody uses', 2, `${ticket} st.global.u32 [%rd4], %r1;`],
  ])('%s: not told', (_, grid, lines) => {
    expect(openIn(lines, grid)).toBe('ok')
  })

  it('are also those of clusters in the opposite order', () => {
    const { world } = right(sourceOfText(textOf(ticket), launch(3)).launch(bits('hopper'), noArguments))
    const key = (agent: number) => ({ agent, at: 1, stage: 'agent' as const, part: 0 })
    expect(turnedRound(world, [key(0), key(1), key(2)])).toEqual([key(2), key(1), key(0)])
  })
})
