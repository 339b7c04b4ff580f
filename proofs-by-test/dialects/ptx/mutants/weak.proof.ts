/**
 * Changes of fences that order strong accesses. Oracle: the store-buffering litmus test of the memory model: of two threads that each store their own flag and then load the
 * other's, both may find 0 unless a `fence.sc` stands between in both. No interleaving shows that, so no search of interleavings may say that a fence is not needed.
 */
import { expect, test } from 'vitest'
import { judgingPtx, ptxMutants } from '../../../../src/dialects/ptx/mutants/judge.js'
import { right } from '../../../either.js'
import { groundOfText } from './subjects.js'
import { textOf } from './warps.js'

/** Lane 0 of each of two warps raises its flag, and enters where that of the other is down. */
const entering = (fence: string, entered: ReadonlyArray<string>): string =>
  textOf([
    '@%p1 bra over;',
    'shr.u32 %r11, %r1, 5;',
    'shl.b32 %r11, %r11, 2;',
    'add.u32 %r12, %r2, %r11;',
    'xor.b32 %r13, %r11, 4;',
    'add.u32 %r13, %r2, %r13;',
    'setp.ne.u32 %p3, %r1, 0;',
    'st.relaxed.cta.shared.u32 [%r12], 1;',
    fence,
    'ld.relaxed.cta.shared.u32 %r14, [%r13];',
    'setp.ne.u32 %p4, %r14, 0;',
    '@%p4 bra over;',
    ...entered,
    'over:',
  ])
const fates = (text: string, threads: number): ReadonlyArray<string> => {
  const g = groundOfText(
    text.replace(
      'setp.lt.u32 %p2, %r1, 32;',
      [
        'setp.lt.u32 %p2, %r1, 32;',
        'st.shared.u32 [%r4], 0;',
        'st.shared.u32 [%r9], 0;',
        '@%p2 st.global.u32 [%rd3], 7;',
        'bar.sync 0;',
      ].join('\n'),
    ),
    threads,
  )
  const judge = judgingPtx(g)
  return right(ptxMutants(g))
    .filter(({ change }) => change.site.kind === 'fence' && change.operator !== 'DUP')
    .map((m) => {
      const j = judge(m)
      return `${m.change.operator} ${j.fate === 'killed' ? j.ids.join() : (j.certificate ?? j.fate)}`
    })
}

test('of two threads that exclude one another by flags: a fence.sc that is left out, or is no fence.sc any more, is a race', () => {
  const counted = ['ld.shared.u32 %r15, [%r9];', 'add.u32 %r15, %r15, 1;', 'st.shared.u32 [%r9], %r15;']
  const all = fates(entering('fence.sc.cta;', counted), 64)
  expect(all.length).toBeGreaterThan(1)
  expect(new Set(all.map((line) => line.slice(line.indexOf(' ') + 1)))).toEqual(
    new Set(['D1', 'wider fence']),
  )
})
