/**
 * Atomics of acquire and release that come in no order: who hears of whom is chance, and it may not matter. Oracle: by hand, whether an ordinary access rests on what is heard.
 */
import { describe, expect, it } from 'vitest'
import { ofZeros, verdictOfText } from '../../dialects/ptx/launched-text.js'
import { moduleOf } from '../../dialects/ptx/small-text.js'

/** Two warps; %p1: the first. Every lane has a word of x and of y, and the warps share the words of c. */
const textOf = (text: string): string =>
  moduleOf(
    ['px', 'pc'],
    `.reg .b32 %r<32>; .reg .b64 %rd<16>; .reg .pred %p<4>;
ld.param.u64 %rd1, [px]; ld.param.u64 %rd2, [pc];
mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 31; mul.wide.u32 %rd3, %r2, 4; add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3;
setp.lt.u32 %p1, %r1, 32;
${text}
ret;`,
  )

const said = (text: string): string => {
  const { verdict } = verdictOfText(
    textOf(text),
    {
      threads: 64,
      buffers: [
        { name: 'x', role: 'inout', words: new Uint32Array(64).fill(0x3f800000) },
        ...ofZeros(64, 'c'),
      ],
      outputs: ['x', 'c'],
    },
    { provenance: false, explore: false, budget: 0 },
  )
  return verdict === 'ok' ? 'ok' : 'hazard or undecided'
}

const add = (type: string): string =>
  `atom.global.gpu.acq_rel.add.${type} %r11, [%rd5], ${type === 'f32' ? '%r10' : '%r1'};`
const load = 'ld.global.b32 %r10, [%rd4];'

describe('what is heard by chance', () => {
  it.each([
    ['nothing rests on it', `${load} ${add('f32')}`, 'ok'],
    ['twice', `${load} ${add('f32')} ${add('f32')}`, 'ok'],
    [
      'each warp stores what is its own',
      `${add('u32')} @%p1 st.global.b32 [%rd4], %r1; @!%p1 st.global.b32 [%rd4+128], %r1;`,
      'ok',
    ],
    [
      'a message rests on it: in one order it has been told',
      `@!%p1 bra other; st.global.b32 [%rd4], %r1; ${add('u32')} ret; other: ${add('u32')} ld.global.b32 %r12, [%rd4]; st.global.b32 [%rd4+128], %r12;`,
      'hazard or undecided',
    ],
    [
      'what is found decides a branch',
      `${add('u32')} setp.gt.u32 %p2, %r11, 5; @%p2 st.global.b32 [%rd4+128], %r1;`,
      'hazard or undecided',
    ],
  ])('%s', (_, text, verdict) => {
    expect(said(text)).toBe(verdict)
  })
})
