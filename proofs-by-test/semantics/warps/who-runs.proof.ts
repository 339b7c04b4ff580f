/**
 * Which lanes `activemask` finds together is fixed in a run and open on a chip: a verdict is `ok` where every grouping that is tried comes to the same, and says so where it decides
 * something, and there alone. So is what a line holds that `discard` has dropped. Which lane `elect.sync` takes is open, too: a verdict is `ok` where the highest member comes to the same as the
 * lowest.
 */
import { describe, expect, it, test } from 'vitest'
import { electedOf } from '../../../src/semantics/machine/election.js'
import { groupings, partsOf } from '../../../src/semantics/machine/grouping.js'
import { bits } from '../../../src/numerics/bits.js'
import { shadow } from '../../../src/numerics/shadow.js'
import { warpSource } from '../../../src/semantics/execution/launch-warps.js'
import { checkSource, standardOptions } from '../../../src/semantics/verdict/check.js'
import { ofZeros, textLaunched, verdictOfText } from '../../dialects/ptx/launched-text.js'
import { right } from '../../either.js'
import { moduleOf } from '../../dialects/ptx/small-text.js'

const verdictOf = (body: string): ReturnType<typeof verdictOfText> => {
  const text = moduleOf(
    ['py'],
    `.reg .b32 %r<12>; .reg .b64 %rd<8>; .reg .pred %p<5>; .shared .align 4 .b8 s[128];
ld.param.u64 %rd1, [py]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; mov.b32 %r3, %r1; setp.lt.u32 %p1, %r1, 16;
${body}
ret;`,
  )
  return verdictOfText(text, { threads: 32, buffers: ofZeros(33, 'y') }, {})
}
const about = (what: string, { scope }: ReturnType<typeof verdictOfText>): ReadonlyArray<string> =>
  scope.filter((line) => line.includes(what))
const stored = 'st.global.b32 [%rd3], %r3;'
/** The first of those that are together counts them, and tells them where they begin: %r6 is a place of their own for each. */
const counted = `activemask.b32 %r2; brev.b32 %r4, %r2; bfind.shiftamt.u32 %r4, %r4; popc.b32 %r5, %r2;
setp.eq.u32 %p2, %r1, %r4; @%p2 atom.global.add.u32 %r6, [%rd1+128], %r5;
shfl.sync.idx.b32 %r6, %r6, %r4, 31, %r2; mov.u32 %r7, %lanemask_lt; and.b32 %r7, %r7, %r2; popc.b32 %r7, %r7; add.u32 %r6, %r6, %r7;`

describe('activemask, whatever lanes it finds', () => {
  it.each([
    ['is stored', `@%p1 bra A; bra B; A: activemask.b32 %r3; B: ${stored}`],
    [
      'decides a branch',
      `activemask.b32 %r2; setp.eq.u32 %p2, %r2, -1; @!%p2 bra B; mov.b32 %r3, 7; B: ${stored}`,
    ],
    [
      'is the members of a shuffle of another lane',
      `activemask.b32 %r2; shfl.sync.idx.b32 %r3, %r1, 3, 31, %r2; ${stored}`,
    ],
    [
      'is the members of a vote that is stored',
      `@!%p1 bra B; activemask.b32 %r2; vote.sync.ballot.b32 %r3, %p1, %r2; B: ${stored}`,
    ],
    [
      'is the members of a barrier between lanes',
      `mov.u32 %r4, s; shl.b32 %r5, %r1, 2; add.u32 %r6, %r4, %r5; st.shared.b32 [%r6], %r1; activemask.b32 %r2; bar.warp.sync %r2;
xor.b32 %r5, %r5, 4; add.u32 %r6, %r4, %r5; ld.shared.b32 %r3, [%r6]; ${stored}`,
    ],
    [
      'is the members of a barrier of halves',
      `mov.u32 %r4, s; shl.b32 %r5, %r1, 2; add.u32 %r6, %r4, %r5; st.shared.b32 [%r6], %r1; activemask.b32 %r2; bar.warp.sync %r2;
xor.b32 %r5, %r5, 64; add.u32 %r6, %r4, %r5; ld.shared.b32 %r3, [%r6]; ${stored}`,
    ],
  ])('where it %s, is undecided', (_, body) => {
    const { verdict, reason } = verdictOf(body)
    expect(verdict).toBe('undecided')
    expect(reason).toContain('PTX does not say')
  })

  it('where one lane adds for all, is ok, and the verdict says what was tried', () => {
    const all = verdictOf(`@!%p1 bra B; ${counted} B: ${stored}`)
    expect(all.verdict).toBe('ok')
    expect(about('activemask', all)).toHaveLength(1)
  })
  it('where lanes take places in turn, is ok, and their order is told', () => {
    const all = verdictOf(
      `@!%p1 bra B; ${counted} mul.wide.u32 %rd4, %r6, 4; add.s64 %rd5, %rd1, %rd4; st.global.b32 [%rd5], %r3; B:`,
    )
    expect(all.verdict).toBe('ok')
    expect(about('the order of the words of y', all)).toHaveLength(1)
  })
  it('where all lanes meet at a barrier of the CTA behind it, is ok', () => {
    const all = verdictOf(`activemask.b32 %r2; setp.eq.u32 %p2, %r2, 1; @%p2 bra B; B: bar.sync 0; ${stored}`)
    expect(all.verdict).toBe('ok')
  })
  it('where nobody uses its mask, is not told', () => {
    expect(about('activemask', verdictOf(`activemask.b32 %r2; ${stored}`))).toEqual([])
  })
})

/** What all lanes do, of whom %p2 is the elected one. */
const whole = `elect.sync %r2|%p2, -1;`
const ofShared = 'mov.u32 %r4, s;'
describe('elect.sync, whichever lane it takes', () => {
  it.each([
    ['its number is stored', `${whole} @%p2 st.global.b32 [%rd1], %r1;`, 'byte 0 of y'],
    ['it stores where its number says', `${whole} mov.b32 %r3, 9; @%p2 ${stored}`, 'byte 0 of y'],
    ['all store whom they are told', `${whole} mov.b32 %r3, %r2; ${stored}`, 'byte 0 of y'],
    [
      'half of a warp elects, and its number is stored',
      `@%p1 bra E; elect.sync %r2|%p2, 0xffff0000; @%p2 st.global.b32 [%rd1+8], %r1; E:`,
      'byte 8 of y',
    ],
    ['a branch asks for it', `${whole} @!%p2 bra E; mov.b32 %r3, 7; E: ${stored}`, 'byte 0 of y'],
    [
      'lane 0 reads what it has stored, and does not wait',
      `${ofShared} ${whole} @%p2 st.shared.b32 [%r4], 7; setp.eq.u32 %p3, %r1, 0; @%p3 ld.shared.b32 %r3, [%r4]; @%p3 st.global.b32 [%rd1], %r3;`,
      'different lanes',
    ],
    [
      'lane 0 waits for what it has copied',
      `${ofShared} setp.lt.u32 %p3, %r1, 4; shl.b32 %r5, %r1, 2; add.u32 %r5, %r4, %r5; @%p3 st.shared.b32 [%r5], %r1; fence.proxy.async.shared::cta; bar.warp.sync -1;
${whole} @%p2 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r4], 16; setp.eq.u32 %p3, %r1, 0; @%p3 cp.async.bulk.commit_group; @%p3 cp.async.bulk.wait_group 0;`,
      '',
    ],
  ])('is undecided where %s', (_, body, what) => {
    const { verdict, reason } = verdictOf(body)
    expect(verdict).toBe('undecided')
    expect(reason).toContain('PTX does not say')
    expect(reason).toContain(what)
  })

  const before = verdictOf(stored)
  it.each([
    ['it stores a constant', `${whole} @%p2 st.global.b32 [%rd1+128], 7; ${stored}`],
    ['nothing asks who it is', `${whole} ${stored}`],
    [
      'one lane alone elects',
      `@%p1 bra E; setp.ne.u32 %p3, %r1, 20; @%p3 bra E; elect.sync %r2|%p2, 0x100000; @%p2 ${stored} E:`,
    ],
    [
      'it is asked twice, and each time is the same',
      `${whole} @%p2 st.global.b32 [%rd1+128], 7; elect.sync %r5|%p3, -1; @%p3 st.global.b32 [%rd1+128], 8; ${stored}`,
    ],
    [
      'all wait for what it has stored',
      `${ofShared} ${whole} @%p2 st.shared.b32 [%r4], 7; bar.warp.sync -1; ld.shared.b32 %r3, [%r4]; ${stored}`,
    ],
    [
      'it copies, and waits for what it has copied',
      `${ofShared} setp.lt.u32 %p3, %r1, 4; shl.b32 %r5, %r1, 2; add.u32 %r5, %r4, %r5; @%p3 st.shared.b32 [%r5], %r1; fence.proxy.async.shared::cta; bar.warp.sync -1;
${whole} @%p2 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r4], 16; @%p2 cp.async.bulk.commit_group; @%p2 cp.async.bulk.wait_group 0;`,
    ],
  ])('is ok, without a word, where %s', (_, body) => {
    const { verdict, scope, reason } = verdictOf(body)
    expect(verdict, reason).toBe('ok')
    expect(scope).toEqual(before.scope)
  })
})

describe('elect.sync without data', () => {
  const unknown = (body: string): ReturnType<typeof verdictOfText> => {
    const text = moduleOf(
      ['py', 'px'],
      `.reg .b32 %r<12>; .reg .b64 %rd<8>; .reg .pred %p<5>;
ld.param.u64 %rd1, [py]; ld.param.u64 %rd2, [px]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd3, %rd2; add.s64 %rd3, %rd3, %rd1;
ld.global.b32 %r4, [%rd4]; elect.sync %r2|%p1, -1;
${body}
ret;`,
    )
    const { program, given } = textLaunched(text, {
      threads: 32,
      buffers: [...ofZeros(32, 'y'), { name: 'x', role: 'in', words: new Uint32Array(32) }],
      outputs: [],
    })
    return right(
      checkSource(warpSource(program, Object.assign({}, given, { unknown: new Set(['x']) })), {
        ...standardOptions,
        algebra: shadow(bits('hopper')),
        provenance: false,
        explore: false,
      }),
    ).verdict
  }
  it.each([
    ['it stores what it has loaded for itself', '@%p1 st.global.b32 [%rd1], %r4;', 1],
    ['so behind a branch', '@!%p1 bra E; add.u32 %r4, %r4, 1; st.global.b32 [%rd1], %r4; E:', 1],
    ['all store what it had', 'shfl.sync.idx.b32 %r5, %r4, %r2, 31, -1; st.global.b32 [%rd3], %r5;', 1],
    [
      'it stores what any lane would have loaded',
      '@%p1 ld.global.b32 %r5, [%rd2]; @%p1 st.global.b32 [%rd1], %r5;',
      0,
    ],
    [
      'it stores what one lane has told all',
      'shfl.sync.idx.b32 %r5, %r4, 3, 31, -1; @%p1 st.global.b32 [%rd1], %r5;',
      0,
    ],
    ['all store their own', 'st.global.b32 [%rd3], %r4;', 0],
  ])('tells where the choice may show: %s', (_, body, lines) => {
    const v = unknown(body)
    expect(v.verdict, v.reason).toBe('ok')
    expect(about('elect.sync', v)).toHaveLength(lines)
  })
})

test('who is elected: a member, the lowest or the highest', () => {
  for (const [mask, low, high] of [
    [-1, 0, 31],
    [1, 0, 0],
    [0x80000000 | 0, 31, 31],
    [0x00000ff0, 4, 11],
  ] as const) {
    expect(electedOf('lowest', mask)).toBe(low)
    expect(electedOf('highest', mask)).toBe(high)
  }
})

test('parts of a mask: disjoint, all of it, and each its own part', () => {
  for (const grouping of groupings)
    for (const mask of [-1, 1, 0x80000001 | 0, 0x0ff00ff0, 0xffff0000 | 0]) {
      const parts = partsOf(grouping, mask)
      expect(parts.reduce((all, lanes) => all | lanes, 0)).toBe(mask)
      parts.forEach((a, i) => {
        expect(partsOf(grouping, a)).toEqual([a])
        for (const b of parts.slice(i + 1)) expect(a & b).toBe(0)
      })
    }
  expect(partsOf('parity', 0b111111)).toEqual([0b010101, 0b101010])
})

describe('discard', () => {
  it('is told', () => {
    expect(about('discard', verdictOf(`discard.global.L2 [%rd1], 128; ${stored}`))).toHaveLength(1)
    expect(about('discard', verdictOf(`prefetch.global.L2 [%rd1]; ${stored}`))).toEqual([])
  })
})
