/**
 * Loops that ask an mbarrier until it has come: what may be made of the answer between the question and the branch. Oracle: by hand; a loop is a wait where it is left when the answer
 * is yes and at no other time, and where nothing else is done in it.
 */
import { describe, expect, test } from 'vitest'
import { elaborate } from '../../../src/dialects/ptx/elaboration/elaborate.js'
import { parseModule } from '../../../src/dialects/ptx/index.js'
import { right } from '../../either.js'

const asked = (loop: string): string => {
  const { code } = right(
    elaborate(
      right(
        parseModule(`.version 8.7
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out) {
.reg .pred %p<8>; .reg .b32 %r<12>; .reg .b64 %rd<4>; .reg .b16 %h<4>; .reg .f32 %f<4>;
.shared .align 8 .b64 bar[2];
ld.param.u64 %rd1, [out]; mov.u32 %r1, bar; mov.u32 %r9, %tid.x; mov.b32 %r7, 5; setp.eq.s32 %p7, %r9, 0;
${loop}
st.global.b32 [%rd1], %r9;
ret;
}`),
      ),
      null,
      'x.ptx',
    ),
  ).program
  const waits = code.flatMap(({ operation: o }) => (o._tag === 'mbarrierWait' ? [o.blocks] : []))
  return waits.length === 1 ? (waits[0]! ? 'waits' : 'asks') : JSON.stringify(waits)
}
const ask = 'mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], 0;'
const chosen = 'selp.b32 %r2, 1, 0, %p1;'

describe('what is made of the answer', () => {
  test.each([
    ['nothing', '', '@!%p1', 'waits'],
    ['nothing, and it goes on asking after a yes', '', '@%p1', 'asks'],
    ['a copy', 'mov.pred %p2, %p1;', '@!%p2', 'waits'],
    ['the opposite', 'not.pred %p2, %p1;', '@%p2', 'waits'],
    ['the opposite, left where it is true', 'not.pred %p2, %p1;', '@!%p2', 'asks'],
    ['both it and another', 'and.pred %p2, %p1, %p7;', '@!%p2', 'asks'],
    ['a word', `${chosen} setp.ne.b32 %p2, %r2, 0;`, '@!%p2', 'waits'],
    ['a word that is 0', `${chosen} setp.eq.b32 %p2, %r2, 0;`, '@%p2', 'waits'],
    ['a word, left where it is 0', `${chosen} setp.eq.b32 %p2, %r2, 0;`, '@!%p2', 'asks'],
    ['a word, 0 for yes', 'selp.b32 %r2, 0, 1, %p1; setp.eq.b32 %p2, %r2, 0;', '@!%p2', 'waits'],
    ['a word, 0 for yes, left for no', 'selp.b32 %r2, 0, 1, %p1; setp.ne.b32 %p2, %r2, 0;', '@!%p2', 'asks'],
    ['any other number', 'selp.b32 %r2, -7, 0, %p1; setp.ne.s32 %p2, %r2, 0;', '@!%p2', 'waits'],
    ['one number for both', 'selp.b32 %r2, 1, 1, %p1; setp.ne.b32 %p2, %r2, 0;', '@!%p2', 'asks'],
    ['two numbers, neither 0', 'selp.b32 %r2, 1, 2, %p1; setp.ne.b32 %p2, %r2, 0;', '@!%p2', 'asks'],
    ['a number that is not known', 'selp.b32 %r2, %r9, 0, %p1; setp.ne.b32 %p2, %r2, 0;', '@!%p2', 'asks'],
    ['compared with 1', `${chosen} setp.ne.b32 %p2, %r2, 1;`, '@!%p2', 'asks'],
    ['compared in order', `${chosen} setp.gt.s32 %p2, %r2, 0;`, '@!%p2', 'asks'],
    ['the second of two results', `${chosen} setp.ne.b32 %p4|%p2, %r2, 0;`, '@%p2', 'waits'],
    [
      'the second of two results, left where it is true',
      `${chosen} setp.ne.b32 %p4|%p2, %r2, 0;`,
      '@!%p2',
      'asks',
    ],
    ['compared and joined', `${chosen} setp.ne.and.b32 %p2, %r2, 0, %p7;`, '@!%p2', 'asks'],
    ['a word of 16 bits', `${chosen} cvt.u16.u32 %h1, %r2; setp.ne.b16 %p2, %h1, 0;`, '@!%p2', 'waits'],
    [
      'a number of which 16 bits are 0',
      'selp.b32 %r2, 65536, 0, %p1; cvt.u16.u32 %h1, %r2; setp.ne.b16 %p2, %h1, 0;',
      '@!%p2',
      'asks',
    ],
    ['a copy of the word', `${chosen} mov.b32 %r3, %r2; setp.ne.b32 %p2, %r3, 0;`, '@!%p2', 'waits'],
    ['a sum', `${chosen} add.s32 %r3, %r2, 0; setp.ne.b32 %p2, %r3, 0;`, '@!%p2', 'asks'],
    ['by a guard', '@%p7 mov.pred %p2, %p1;', '@!%p2', 'asks'],
    ['of something else', 'setp.ne.b32 %p2, %r9, 3;', '@!%p2', 'asks'],
  ])('%s', (_, made, guard, is) => {
    expect(asked(`AGAIN: ${ask} ${made} ${guard} bra AGAIN;`)).toBe(is)
  })
})

describe('what else stands in the loop', () => {
  test.each([
    ['a sum that is read in it alone', 'add.s32 %r5, %r9, 1;', 'waits'],
    ['a count that is read behind it', 'add.s32 %r9, %r9, 1;', 'asks'],
    ['a store', 'st.global.b32 [%rd1], %r7;', 'asks'],
    ['another address', 'add.s32 %r1, %r1, 8;', 'asks'],
    ['a barrier', 'bar.sync 0;', 'asks'],
  ])('%s', (_, line, is) => {
    expect(asked(`AGAIN: ${ask} ${line} @!%p1 bra AGAIN;`)).toBe(is)
  })
  test('a way out that asks nothing', () => {
    expect(asked(`AGAIN: ${ask} @%p7 bra OUT; @!%p1 bra AGAIN; OUT:`)).toBe('asks')
  })
  test('a way out of its own for yes, and back by a jump', () => {
    expect(asked(`AGAIN: ${ask} @%p1 bra OUT; bra.uni AGAIN; OUT:`)).toBe('waits')
    expect(asked(`AGAIN: ${ask} @!%p1 bra OUT; bra.uni AGAIN; OUT:`)).toBe('asks')
  })
})
