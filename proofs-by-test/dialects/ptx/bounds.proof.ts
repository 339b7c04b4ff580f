/** Which parameters are bounds. Oracle: by hand, of entries that use their first parameter in one way each. */
import { expect, test } from 'vitest'
import { boundsOf } from '../../../src/dialects/ptx/flow/bounds.js'
import { codesOf, moduleOf } from './small-text.js'

const bounds = (lines: string): ReadonlyArray<number> => {
  const [code] = codesOf(
    moduleOf(
      ['u32 n', 'u32 m', 'at'],
      `.reg .pred %p<6>; .reg .b32 %r<8>; .reg .b64 %rd<4>;
ld.param.u32 %r1, [n]; ld.param.u32 %r2, [m]; ld.param.u64 %rd1, [at];
${lines}
ret;`,
    ),
  )
  return [...boundsOf(code!)].sort()
}
/** The parameter m and the address are used for something else. */
const others = 'st.global.u32 [%rd1], %r2;'

test.each([
  'setp.lt.u32 %p1, %r3, %r1;',
  'set.lt.u32.u32 %r4, %r3, %r1;',
  'add.s32 %r4, %r1, 31; setp.lt.s32 %p1, %r3, %r4;',
  'mov.u32 %r4, %r1; setp.lt.s32 %p1, %r3, %r4; @%p1 ret;',
  'cvt.u64.u32 %rd2, %r1; setp.gt.u64 %p1, %rd2, 5;',
  'selp.b32 %r4, %r1, 7, %p2; setp.eq.s32 %p1, %r4, %r3;',
  'mul.lo.s32 %r4, %r1, %r3; and.b32 %r4, %r4, 3; setp.eq.s32 %p1, %r4, 0;',
  // what it is compared by decides what is stored, and not what is stored where
  'set.lt.u32.u32 %r4, %r3, %r1; st.global.u32 [%rd1], %r4;',
])('a bound: %s', (lines) => {
  expect(bounds(`${others} ${lines}`)).toEqual([0])
})

test.each([
  'st.global.u32 [%rd1], %r1;',
  'mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r4, [%rd3];',
  'bar.sync %r1;',
  'bar.sync 0, %r1;',
  'shl.b32 %r4, %r1, 2; mov.u32 %r5, %r4; st.shared.u32 [%r5], 1;',
  'selp.b32 %r4, %r1, 7, %p2; st.global.u32 [%rd1], %r4;',
  // around a loop
  'A: st.global.u32 [%rd1], %r5; mov.u32 %r5, %r4; mov.u32 %r4, %r1; setp.lt.s32 %p1, %r3, %r1; @%p1 bra A;',
  // of it a part is read
  'ld.param.u16 %r4, [n+2];',
  'mov.b64 %rd2, n; st.global.u64 [%rd1], %rd2;',
])('none: %s', (lines) => {
  expect(bounds(`${others} setp.lt.u32 %p1, %r3, %r1; ${lines}`)).toEqual([])
})

test('two bounds, and none of what is not read', () => {
  expect(bounds('setp.lt.u32 %p1, %r3, %r1; setp.lt.u32 %p2, %r3, %r2; ld.global.u32 %r4, [%rd1];')).toEqual([
    0, 1,
  ])
})
