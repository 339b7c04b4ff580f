/**
 * Loops in which the threads of a CTA ask a word of memory and hear at a barrier what all have found. Oracle: by hand; such a loop is a wait where it is left when one has found what it
 * looks for, or all have, and at no other time, whatever stands between the barrier and the branch.
 */
import { describe, expect, test } from 'vitest'
import { moduleOf, programOf } from './small-text.js'

const asked = (loop: string): string => {
  const { code } = programOf(
    moduleOf(
      ['flag', 'out'],
      `.reg .pred %p<8>; .reg .b32 %r<12>; .reg .b64 %rd<4>;
ld.param.u64 %rd1, [flag]; ld.param.u64 %rd2, [out]; mov.u32 %r9, %tid.x; setp.eq.s32 %p7, %r9, 0;
${loop}
st.global.b32 [%rd2], %r9;
ret;`,
    ),
  )
  const until = code.flatMap(({ operation: o }) =>
    o._tag === 'load' && o.until !== undefined ? [o.until.comparison] : [],
  )
  return until.length === 0 ? 'asks' : `waits: ${until.join()}`
}
/** All go on as long as each (`and`), or one (`or`), says that it has not found it. */
const loop = (how: string, line: string, leaves: string): string =>
  `mov.b32 %r1, 0; AGAIN: setp.ne.s32 %p1, %r1, 1; barrier.cta.red.${how}.pred %p2, 0, %p1; ${leaves} bra OUT; ${line} ld.acquire.gpu.global.u32 %r1, [%rd1]; bra AGAIN; OUT:`
const chosen = 'selp.b32 %r2, 1, 0, %p2;'

describe('what is made of what was heard', () => {
  test.each([
    ['nothing', 'and', '', '@!%p2', 'waits: eq'],
    ['nothing, and it is left where one has not', 'and', '', '@%p2', 'asks'],
    ['a copy', 'and', 'mov.pred %p3, %p2;', '@!%p3', 'waits: eq'],
    ['the opposite', 'and', 'not.pred %p3, %p2;', '@%p3', 'waits: eq'],
    ['the opposite, left where it is true', 'and', 'not.pred %p3, %p2;', '@!%p3', 'asks'],
    ['a word', 'and', `${chosen} setp.ne.s32 %p3, %r2, 0;`, '@!%p3', 'waits: eq'],
    ['a word, the other way round', 'and', `${chosen} setp.eq.s32 %p3, %r2, 0;`, '@%p3', 'waits: eq'],
    ['one number for both', 'and', 'selp.b32 %r2, 1, 1, %p2; setp.ne.s32 %p3, %r2, 0;', '@!%p3', 'asks'],
    [
      'a number that is not known',
      'and',
      'selp.b32 %r2, %r9, 0, %p2; setp.ne.s32 %p3, %r2, 0;',
      '@!%p3',
      'asks',
    ],
    ['the first of two results', 'and', `${chosen} setp.ne.s32 %p3|%p4, %r2, 0;`, '@!%p3', 'waits: eq'],
    ['the second of two results', 'and', `${chosen} setp.ne.s32 %p3|%p4, %r2, 0;`, '@%p4', 'waits: eq'],
    ['another predicate', 'and', '', '@!%p7', 'asks'],
    ['by a guard', 'and', '@%p7 mov.pred %p3, %p2;', '@!%p3', 'asks'],
    ['whether one has not found it', 'or', '', '@!%p2', 'waits: eq'],
  ])('%s', (_, how, made, guard, is) => {
    expect(asked(loop(how, '', `${made} ${guard}`))).toBe(is)
  })
})

describe('what else stands in the loop', () => {
  test.each([
    ['a sum', 'add.s32 %r5, %r9, 1;', 'waits: eq'],
    ['a count that is read behind it', 'add.s32 %r9, %r9, 1;', 'asks'],
    ['a store', 'st.global.b32 [%rd2], %r9;', 'asks'],
    ['another address', 'add.s64 %rd1, %rd1, 8;', 'asks'],
  ])('%s', (_, line, is) => {
    expect(asked(loop('and', line, '@!%p2'))).toBe(is)
  })
})
