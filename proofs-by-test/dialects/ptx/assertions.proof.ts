/** A failed assertion says its text, its file and its line. Oracle: the strings that the module was made with. */
import { describe, expect, test } from 'vitest'
import { checkPtx } from '../../../src/oracle/cli/ptx.js'
import { right } from '../../either.js'
import { inMemory } from '../../oracle/disk.js'
import { worldOf } from '../../oracle/world.js'

const bytesOf = (text: string): string => [...new TextEncoder().encode(text), 0].join(', ')
const variable = (name: string, text: string): string =>
  `.global .align 1 .b8 ${name}[${String(new TextEncoder().encode(text).length + 1)}] = {${bytesOf(text)}};`

/** A kernel that asserts that its argument is not 5; the text reaches the call by these instructions. */
const moduleOf = (text: string, file: string, by: string): string => `.version 8.8
.target sm_90a
.address_size 64
.extern .func __assertfail (.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);
${variable('says', text)}
${variable('where', file)}
.visible .entry k(.param .u32 n) {
.reg .b32 %r<4>; .reg .b64 %rd<8>; .reg .pred %p<2>;
ld.param.u32 %r1, [n]; mov.u64 %rd3, where; setp.ne.u32 %p1, %r1, 5; @%p1 bra over;
${by} cvta.global.u64 %rd4, %rd3;
{ .param .b64 p0; st.param.b64 [p0+0], %rd2; .param .b64 p1; st.param.b64 [p1+0], %rd4; .param .b32 p2; st.param.b32 [p2+0], 20;
.param .b64 p3; st.param.b64 [p3+0], %rd4; .param .b64 p4; st.param.b64 [p4+0], 1;
call.uni __assertfail, (p0, p1, p2, p3, p4); }
over: ret;
}`

const said = (module: string, n: number): string =>
  right(
    checkPtx(worldOf(inMemory(new Map([['k.ptx', new TextEncoder().encode(module)]]))), 'k.ptx', {
      grid: '1',
      block: '32',
      arg: [`0=${String(n)}`],
    }),
  )
    .text()
    .replace(/\s+/gu, ' ')

const direct = 'mov.u64 %rd1, says; cvta.global.u64 %rd2, %rd1;'

describe('an assertion', () => {
  test('says what fails, and where', () => {
    expect(said(moduleOf('n != 5 && "no five"', 'dir/a.cu', direct), 5)).toContain(
      'an assertion fails: n != 5 && "no five" (dir/a.cu:20)',
    )
    expect(said(moduleOf('n != 5', 'a.cu', direct), 4)).not.toContain('assertion')
  })
  test('whose text is not known says where it is', () => {
    const loaded = 'mov.u64 %rd1, says; cvta.global.u64 %rd5, %rd1; mul.lo.u64 %rd2, %rd5, 1;'
    expect(said(moduleOf('n != 5', 'a.cu', loaded), 5)).toContain('an assertion fails (a.cu:20)')
  })
  test('has no control characters, and is cut', () => {
    const text = said(moduleOf(`a\u001b[31m\r\n\u202eb${'c'.repeat(5000)}`, 'a.cu', direct), 5)
    expect(text).toContain('an assertion fails: a [31m b')
    // eslint-disable-next-line no-control-regex
    expect(text).not.toMatch(/[\u001b\r\u202e]/u)
    expect(text.length).toBeLessThan(3000)
  })
})
