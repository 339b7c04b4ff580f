/**
 * ld.global.nc is for memory that the kernel does not write. Oracle: PTX ISA, “ld.global.nc”: the path is not coherent with writes of the kernel, whatever orders them; and the same
 * kernel with a plain load.
 */
import { describe, expect, test } from 'vitest'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { verdictBesideWords } from './small-kernels.js'
import { moduleOf } from './small-text.js'

/** Each lane stores its word of x, and then loads a word into y. */
const judged = (load: string, body: (load: string) => string): Verdict => {
  const module = moduleOf(
    ['x', 'y'],
    `.reg .b32 %r<8>; .reg .b64 %rd<8>;
ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; mov.u32 %r1, %tid.x; xor.b32 %r2, %r1, 31;
mul.wide.u32 %rd3, %r1, 4; mul.wide.u32 %rd4, %r2, 4;
add.s64 %rd5, %rd2, %rd3; add.s64 %rd3, %rd1, %rd3; add.s64 %rd4, %rd1, %rd4;
${body(load)}
st.global.b32 [%rd5], %r3;
ret;`,
  )
  return verdictBesideWords(module, 32, {
    grid: '1',
    block: '32',
    arg: ['0=words.npy:inout', '1=u32[32]:out'],
  })
}

describe('what the kernel has written, by the read-only path', () => {
  const store = 'st.global.b32 [%rd3], %r1;'
  test.each<readonly [string, (load: string) => string, readonly [string, string]]>([
    ['nothing', (load) => `${load} %r3, [%rd4];`, ['ok', 'ok']],
    [
      'by another lane that was met',
      (load) => `${store} bar.warp.sync -1; ${load} %r3, [%rd4];`,
      ['ok', 'hazard'],
    ],
    ['by the lane itself', (load) => `${store} ${load} %r3, [%rd3];`, ['ok', 'hazard']],
    ['only after the load', (load) => `${load} %r3, [%rd4]; bar.warp.sync -1; ${store}`, ['ok', 'ok']],
    ['by a lane that was not met', (load) => `${store} ${load} %r3, [%rd4];`, ['hazard', 'hazard']],
  ])('%s', (_, body, expected) => {
    const both = ['ld.global.b32', 'ld.global.nc.b32'].map((load) => judged(load, body))
    expect(both.map(({ verdict }) => verdict)).toEqual(expected)
    const [plain, byPath] = both.map(({ findings }) => findings)
    if (expected[0] === 'ok' && expected[1] !== 'ok')
      expect([plain, byPath!.map(({ id }) => id)]).toEqual([[], ['V3']])
  })
})
