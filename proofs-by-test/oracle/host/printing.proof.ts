/** What kernels print: values at their places, texts in memory of the device, the lanes that print; and what an assertion says that fails. */
import { describe, expect, it } from 'vitest'
import type { HostOperation } from '../../../src/oracle/host/file.js'
import { doneWith, header } from './texts.js'

const bytesOf = (s: string): string => [...new TextEncoder().encode(s), 0].join(', ')
const variable = (name: string, s: string): string =>
  `.global .align 1 .b8 ${name}[${String(new TextEncoder().encode(s).length + 1)}] = {${bytesOf(s)}};\n`
const address = (to: string, of: string): string => `mov.u64 ${to}, ${of};\ncvta.global.u64 ${to}, ${to};\n`

const ptx = `${header}
.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
.extern .func __assertfail (.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);
${variable('format', '%d %lld %.2f [%s] é\n')}${variable('name', 'x')}${variable('what', 'i < 2')}${variable('file', 'k.cu')}${variable('of', 'void k(int)')}
.visible .entry prints(.param .u32 least)
{
  .local .align 8 .b8 values[32];
  .reg .pred %p<2>;
  .reg .b32 %r<4>;
  .reg .b64 %rd<8>;
  .reg .f64 %fd<2>;
  ld.param.u32 %r2, [least];
  mov.u32 %r1, %tid.x;
  setp.lt.u32 %p1, %r1, %r2;
  @%p1 bra DONE;
  cvt.rn.f64.u32 %fd1, %r1;
  mov.u64 %rd1, values;
  cvta.local.u64 %rd2, %rd1;
  cvt.u64.u32 %rd3, %r1;
  ${address('%rd4', 'name')}
  st.local.u32 [%rd1], %r1;
  st.local.u64 [%rd1+8], %rd3;
  st.local.f64 [%rd1+16], %fd1;
  st.local.u64 [%rd1+24], %rd4;
  ${address('%rd5', 'format')}
  {
    .param .b64 p0;
    .param .b64 p1;
    .param .b32 q;
    st.param.b64 [p0], %rd5;
    st.param.b64 [p1], %rd2;
    call.uni (q), vprintf, (p0, p1);
    ld.param.b32 %r3, [q];
  }
DONE:
  ret;
}
.visible .entry asserts()
{
  .reg .pred %p<2>;
  .reg .b32 %r<4>;
  .reg .b64 %rd<8>;
  mov.u32 %r1, %tid.x;
  setp.lt.u32 %p1, %r1, 2;
  @%p1 bra DONE;
  ${address('%rd1', 'what')}${address('%rd2', 'file')}${address('%rd3', 'of')}
  mov.u64 %rd4, 1;
  mov.u32 %r2, 7;
  {
    .param .b64 p0;
    .param .b64 p1;
    .param .b32 p2;
    .param .b64 p3;
    .param .b64 p4;
    st.param.b64 [p0], %rd1;
    st.param.b64 [p1], %rd2;
    st.param.b32 [p2], %r2;
    st.param.b64 [p3], %rd3;
    st.param.b64 [p4], %rd4;
    call.uni __assertfail, (p0, p1, p2, p3, p4);
  }
DONE:
  ret;
}
`
const prints = (least: number): HostOperation => ({
  op: 'launch',
  launch: { kernel: 'prints', grid: [1], block: [4], args: [least] },
})
const said = (...operations: ReadonlyArray<HostOperation>): string =>
  doneWith(ptx, operations)
    .printed.map(({ text, stream }) => `${String(stream)} ${Buffer.from(text, 'latin1').toString('utf8')}`)
    .join('')

describe('kernels print', () => {
  it('each lane its values', () => {
    expect(said(prints(2))).toBe('0 2 2 2.00 [x] é\n0 3 3 3.00 [x] é\n')
    expect(said(prints(4))).toBe('')
  })
  it('a launch that is known prints again, and what was printed before is not said twice', () => {
    expect(said(prints(2), prints(3), prints(3))).toBe('0 3 3 3.00 [x] é\n')
    expect(said(prints(2), { op: 'synchronize' })).toBe('')
  })
  it('an assertion that fails', () => {
    const asserts: HostOperation = {
      op: 'launch',
      launch: { kernel: 'asserts', grid: [1, 2], block: [1, 3], args: [] },
    }
    expect(said(asserts)).toBe('')
    const wide: HostOperation = {
      op: 'launch',
      launch: { kernel: 'asserts', grid: [1, 2], block: [3, 1], args: [] },
    }
    expect(said(wide)).toBe(
      [0, 1]
        .map(
          (y) =>
            `1 k.cu:7: void k(int): block: [0,${String(y)},0], thread: [2,0,0] Assertion \`i < 2\` failed.\n`,
        )
        .join(''),
    )
    expect(doneWith(ptx, [wide]).stopped?.fatal).toBe('assertion')
  })
})
