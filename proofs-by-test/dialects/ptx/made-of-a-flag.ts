/**
 * What is made of the answer of an mbarrier before a branch goes by it. By hand; two proofs read the table.
 *
 * | a row is | because                                                                                                             |
 * |----------|---------------------------------------------------------------------------------------------------------------------|
 * | both     | the guard is true exactly where the answer is: a loop that asks again unless it is true is a wait (`spun.proof.ts`), and a wait that it passes over is spared by a peek (`peeks.proof.ts`) |
 * | spin     | the same, by a way that is not followed for a peek                                                                  |
 * | peek     | it is true where the answer is, or by something that is no answer, which spares the wait as well                    |
 * | neither  | none of these                                                                                                       |
 *
 * %p1 is the answer, %p7 is another predicate, %r7 is 5, %r9 the thread, and %rd1 an address in global memory.
 */
export interface Made {
  readonly what: string
  readonly made: string
  readonly guard: string
  readonly is: 'both' | 'spin' | 'peek' | 'neither'
}

const chosen = 'selp.b32 %r2, 1, 0, %p1;'
const row = ([what, made, guard, is]: readonly [string, string, string, Made['is']]): Made => ({
  what,
  made,
  guard,
  is,
})

export const madeOfAFlag: ReadonlyArray<Made> = (
  [
    ['nothing', '', '@%p1', 'both'],
    ['nothing, and where it is false', '', '@!%p1', 'neither'],
    ['a copy', 'mov.pred %p2, %p1;', '@%p2', 'both'],
    ['a copy by a guard', 'setp.ne.b32 %p2, %r9, 3; @%p7 mov.pred %p2, %p1;', '@%p2', 'peek'],
    ['its opposite', 'not.pred %p2, %p1;', '@!%p2', 'both'],
    ['its opposite, and where that is true', 'not.pred %p2, %p1;', '@%p2', 'neither'],
    ['both it and another', 'and.pred %p2, %p1, %p7;', '@%p2', 'neither'],
    ['a word', `${chosen} setp.ne.b32 %p2, %r2, 0;`, '@%p2', 'both'],
    ['a word, the other way round', `${chosen} setp.eq.b32 %p2, %r2, 0;`, '@!%p2', 'both'],
    ['a word, compared to be none', `${chosen} setp.eq.b32 %p2, %r2, 0;`, '@%p2', 'neither'],
    [
      'a word that is 0 where it is true',
      'selp.b32 %r2, 0, 1, %p1; setp.eq.b32 %p2, %r2, 0;',
      '@%p2',
      'both',
    ],
    ['and where that is not', 'selp.b32 %r2, 0, 1, %p1; setp.ne.b32 %p2, %r2, 0;', '@%p2', 'neither'],
    ['any other number', 'selp.b32 %r2, -7, 0, %p1; setp.ne.s32 %p2, %r2, 0;', '@%p2', 'both'],
    ['one number for both', 'selp.b32 %r2, 1, 1, %p1; setp.ne.b32 %p2, %r2, 0;', '@%p2', 'neither'],
    ['two numbers, neither 0', 'selp.b32 %r2, 1, 2, %p1; setp.ne.b32 %p2, %r2, 0;', '@%p2', 'neither'],
    ['a number that is not known', 'selp.b32 %r2, %r9, 0, %p1; setp.ne.b32 %p2, %r2, 0;', '@%p2', 'neither'],
    ['a choice between flags', 'selp.b32 %r2, 1, 0, %p7; setp.ne.b32 %p2, %r2, 0;', '@%p1', 'both'],
    ['compared with 1', `${chosen} setp.ne.b32 %p2, %r2, 1;`, '@%p2', 'neither'],
    ['0 compared with it', `${chosen} setp.ne.s32 %p2, 0, %r2;`, '@%p2', 'neither'],
    ['compared in order', `${chosen} setp.gt.s32 %p2, %r2, 0;`, '@%p2', 'neither'],
    ['the first of two results', `${chosen} setp.ne.b32 %p2|%p4, %r2, 0;`, '@%p2', 'spin'],
    ['the second of two results', `${chosen} setp.ne.b32 %p4|%p2, %r2, 0;`, '@!%p2', 'spin'],
    [
      'the second of two results, and where it is true',
      `${chosen} setp.ne.b32 %p4|%p2, %r2, 0;`,
      '@%p2',
      'neither',
    ],
    ['compared and joined', `${chosen} setp.ne.and.b32 %p2, %r2, 0, %p7;`, '@%p2', 'neither'],
    ['compared as a float', `${chosen} mov.b32 %f1, %r2; setp.ne.f32 %p2, %f1, 0f00000000;`, '@%p2', 'spin'],
    ['a word of 16 bits', `${chosen} cvt.u16.u32 %h1, %r2; setp.ne.b16 %p2, %h1, 0;`, '@%p2', 'both'],
    ['its lower half', `${chosen} mov.b32 {%h1, %h2}, %r2; setp.ne.b16 %p2, %h1, 0;`, '@%p2', 'both'],
    [
      'a number of which 16 bits are 0',
      'selp.b32 %r2, 65536, 0, %p1; cvt.u16.u32 %h1, %r2; setp.ne.b16 %p2, %h1, 0;',
      '@%p2',
      'neither',
    ],
    ['a word of 64 bits', `${chosen} cvt.u64.u32 %rd2, %r2; setp.ne.s64 %p2, %rd2, 0;`, '@%p2', 'spin'],
    ['a float of it', `${chosen} cvt.rn.f32.u32 %f1, %r2; setp.ne.f32 %p2, %f1, 0f00000000;`, '@%p2', 'spin'],
    ['a copy of the word', `${chosen} mov.b32 %r3, %r2; setp.ne.b32 %p2, %r3, 0;`, '@%p2', 'both'],
    ['a sum', `${chosen} add.s32 %r3, %r2, 0; setp.ne.b32 %p2, %r3, 0;`, '@%p2', 'neither'],
    ['a sum that nothing reads', `${chosen} add.s32 %r3, %r2, 4; setp.ne.b32 %p2, %r2, 0;`, '@%p2', 'both'],
    ['what is stored', `${chosen} st.global.b32 [%rd1], %r2;`, '@%p1', 'neither'],
    ['a guard of something else', '@%p1 st.global.b32 [%rd1], %r7;', '@%p1', 'neither'],
  ] as const
).map(row)

/** The guard that is true where another is not. */
export const opposite = (guard: string): string =>
  guard.startsWith('@!') ? guard.replace('!', '') : guard.replace('@', '@!')

/** The registers that the table speaks of, and two mbarriers, of which the address of the first is in %r1. */
export const registersOfFlags = `.reg .pred %p<8>; .reg .b32 %r<12>; .reg .b64 %rd<4>; .reg .b16 %h<4>; .reg .f32 %f<4>;
.shared .align 8 .b64 bar[2];
ld.param.u64 %rd1, [out]; mov.u32 %r1, bar; mov.u32 %r9, %tid.x; mov.b32 %r7, 5; setp.eq.s32 %p7, %r9, 0;`
