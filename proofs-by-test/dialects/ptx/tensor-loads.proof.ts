/**
 * A load of tensor memory that leaves the extreme of its words as well: nothing that comes with it is there before the wait.
 * Oracle: PTX ISA, tcgen05.wait, read off the place of the wait.
 */
import { describe, expect, test } from 'vitest'
import { verdictBesideWords } from './small-kernels.js'
import { moduleOf } from './small-text.js'

const load = 'tcgen05.ld.red.sync.aligned.32x32b.x2.max.u32 {%r10, %r11}, %r12, [%r5];'
const wait = 'tcgen05.wait::ld.sync.aligned;'
const out = (r: string): string => `st.global.b32 [%rd2], ${r};`

const judged = (body: string): string => {
  const module = moduleOf(
    ['x', 'y'],
    `.reg .b32 %r<32>; .reg .b64 %rd<8>; .reg .pred %p<4>;
.shared .align 4 .b32 s;
ld.param.u64 %rd2, [y]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4; add.s64 %rd2, %rd2, %rd3; mov.u32 %r3, s;
tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r3], 32; bar.sync 0; ld.shared.b32 %r5, [s];
tcgen05.st.sync.aligned.32x32b.x2.b32 [%r5], {%r1, %r1}; tcgen05.wait::st.sync.aligned;
${body}
bar.sync 0; tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r5, 32;
ret;`,
    { target: 'sm_103a' },
  )
  const { verdict, findings } = verdictBesideWords(module, 32, {
    grid: '1',
    block: '32',
    arg: ['0=words.npy', '1=u32[32]:out'],
  })
  return [verdict, ...findings.map(({ id }) => id)].join(' ')
}

describe('tcgen05.ld.red', () => {
  test.each([
    ['its extreme after the wait', `${load} ${wait} ${out('%r12')}`, 'ok'],
    ['its extreme before the wait', `${load} ${out('%r12')} ${wait}`, 'hazard M3'],
    ['a word before the wait', `${load} ${out('%r11')} ${wait}`, 'hazard M3'],
    [
      'its extreme is written before the wait',
      `${load} mov.b32 %r12, 0; ${wait} ${out('%r12')}`,
      'hazard M3',
    ],
  ])('%s', (_, body, is) => {
    expect(judged(body)).toBe(is)
  })
})
