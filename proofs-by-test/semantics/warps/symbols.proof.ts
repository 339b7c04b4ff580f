/**
 * Which variables of shared memory an address is made from: an access that leaves all of them is out of bounds, although it is inside shared memory. What the author divides by hand,
 * picks one of several from, or keeps in memory, is not asked. Oracle: the ISA, by hand.
 */
import { describe, expect, it } from 'vitest'
import { ofZeros, verdictOfText } from '../../dialects/ptx/launched-text.js'
import { moduleOf } from '../../dialects/ptx/small-text.js'

const verdictOf = (body: string): ReturnType<typeof verdictOfText> =>
  verdictOfText(
    moduleOf(
      ['py'],
      `.reg .b32 %r<16>; .reg .b64 %rd<8>; .reg .pred %p<5>;
.shared .align 16 .b8 a[128]; .shared .align 16 .b8 b[128]; .shared .align 16 .b8 q[16];
ld.param.u64 %rd1, [py]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; mov.u32 %r3, 7;
mov.u32 %r4, a; mov.u32 %r5, b; shl.b32 %r6, %r1, 2; add.u32 %r7, %r4, %r6; add.u32 %r8, %r5, %r6;
st.shared.b32 [%r7], %r1; st.shared.b32 [%r8], %r1; setp.lt.u32 %p1, %r1, 16; setp.eq.u32 %p2, %r1, 0; bar.warp.sync -1;
${body}
st.global.b32 [%rd3], %r3;
ret;`,
    ),
    { threads: 32, buffers: ofZeros(32, 'y') },
  )

describe('an access that leaves its variable', () => {
  it.each([
    ['reads past its end', 'ld.shared.b32 %r3, [%r7+4];', 'bytes 128..132 leave a of 128 bytes'],
    ['reads before its start', 'ld.shared.b32 %r3, [%r8+-4];', 'bytes -4..0 leave b of 128 bytes'],
    ['names it and goes on', 'ld.shared.b32 %r3, [a+128];', 'bytes 128..132 leave a of 128 bytes'],
    [
      'reads half of a pair past its end',
      'add.u32 %r9, %r7, %r6; ld.shared.v2.b32 {%r3, %r2}, [%r9];',
      'leave a of 128 bytes',
    ],
    ['writes past its end', 'st.shared.b32 [%r7+64], %r3;', 'leave a of 128 bytes'],
    ['adds past its end', 'atom.shared.add.u32 %r3, [%r7+64], 1;', 'leave a of 128 bytes'],
    [
      'goes by a generic address',
      'cvt.u64.u32 %rd4, %r7; cvta.shared.u64 %rd5, %rd4; ld.b32 %r3, [%rd5+64];',
      'leave a of 128 bytes',
    ],
    [
      'is at an index that memory gives',
      'ld.shared.b32 %r9, [%r8]; mad.lo.u32 %r9, %r9, 8, %r4; ld.shared.b32 %r3, [%r9];',
      'leave a of 128 bytes',
    ],
    [
      'is picked by a comparison with an end of another',
      'add.u32 %r9, %r5, 128; setp.lt.u32 %p3, %r8, %r9; selp.b32 %r10, 64, 68, %p3; add.u32 %r10, %r7, %r10; ld.shared.b32 %r3, [%r10];',
      'leave a of 128 bytes',
    ],
  ])('%s', (_, body, says) => {
    const { verdict, reason } = verdictOf(body)
    expect(verdict).toBe('invalid')
    expect(reason).toContain('I2')
    expect(reason).toContain(says)
  })

  it.each([
    ['up to its last byte', '@%p1 ld.shared.b32 %r3, [%r7+64];'],
    [
      'one variable or another',
      'selp.b32 %r9, %r4, %r5, %p1; add.u32 %r9, %r9, %r6; ld.shared.b32 %r3, [%r9];',
    ],
    [
      'from one variable to another by their distance',
      'sub.u32 %r9, %r5, %r4; add.u32 %r9, %r7, %r9; ld.shared.b32 %r3, [%r9];',
    ],
    [
      'at an address that is kept in memory',
      '@%p2 st.shared.b32 [q], %r5; bar.warp.sync -1; ld.shared.b32 %r9, [q]; add.u32 %r9, %r9, %r6; ld.shared.b32 %r3, [%r9];',
    ],
    [
      'at a distance that is kept in memory, where addresses are',
      'sub.u32 %r9, %r5, %r4; @%p2 st.shared.b32 [q], %r9; bar.warp.sync -1; ld.shared.b32 %r9, [q]; add.u32 %r9, %r7, %r9; ld.shared.b32 %r3, [%r9];',
    ],
    ['what was aligned', 'and.b32 %r9, %r7, -16; ld.shared.b32 %r3, [%r9];'],
    [
      'at an address that no variable has said',
      'mov.u32 %r9, 1152; add.u32 %r9, %r9, %r6; ld.shared.b32 %r3, [%r9];',
    ],
  ])('is none: %s', (_, body) => {
    expect(verdictOf(body)).toMatchObject({ verdict: 'ok' })
  })

  const parted = (body: string, dynamicBytes: string): string =>
    moduleOf(
      ['py'],
      `.reg .b32 %r<16>; .reg .b64 %rd<8>; .shared .align 16 .b8 ${dynamicBytes}[128];
mov.u32 %r1, %tid.x; shl.b32 %r6, %r1, 2; mov.u32 %r4, d; add.u32 %r7, %r4, %r6; mov.u32 %r5, ${dynamicBytes}; add.u32 %r8, %r5, %r6;
st.shared.b32 [%r8], %r1; ${body}
ret;`,
      { before: '.extern .shared .align 16 .b8 d[];' },
    )
  it.each([
    ['the dynamic part, before its start', 'st.shared.b32 [%r7+-4], %r1;', 'invalid'],
    ['a variable, into the dynamic part', 'st.shared.b32 [%r8+64], %r1;', 'invalid'],
    [
      'nothing: the dynamic part is divided by hand',
      'st.shared.b32 [%r7+128], %r1; st.shared.b32 [%r7], %r1;',
      'ok',
    ],
  ])('leaves %s', (_, body, verdict) => {
    expect(
      verdictOfText(parted(body, 's'), { threads: 32, dynamic: 256, buffers: ofZeros(1, 'y') }).verdict,
    ).toBe(verdict)
  })

  const onOne = (variables: string, first: string): string =>
    moduleOf(
      ['py'],
      `.reg .b32 %r<16>; .reg .pred %p<2>;
${variables}
mov.u32 %r1, %tid.x; shl.b32 %r6, %r1, 2; mov.u32 %r4, all; add.u32 %r7, %r4, %r6; setp.eq.u32 %p1, %r1, 0;
${first} st.shared.b32 [%r7+16], %r1;
ret;`,
    )
  const flag = '@%p1 st.shared.u8 [all], 1;'
  it.each([
    ['is a variable, and the name of all that follows', '.shared .align 16 .b8 all;', flag, 'ok'],
    [
      'is a variable alone where another one lies behind it',
      '.shared .align 16 .b8 all; .shared .align 16 .b8 other[128];',
      '',
      'invalid',
    ],
    [
      'may have others before it, which are asked for their ends',
      '.shared .align 16 .b8 other[128]; .shared .align 16 .b8 all;',
      `@%p1 st.shared.b32 [other], 1; ${flag}`,
      'ok',
    ],
    ['is no word', '.shared .align 16 .b32 all;', '', 'invalid'],
  ])('one byte %s', (_, variables, first, verdict) => {
    expect(
      verdictOfText(onOne(variables, first), { threads: 32, dynamic: 256, buffers: ofZeros(1, 'y') }).verdict,
    ).toBe(verdict)
  })
})
