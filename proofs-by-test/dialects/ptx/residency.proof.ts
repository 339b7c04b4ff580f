/**
 * Residency: a verdict on CTAs that wait for one another takes all of them to be on the chip. Where they are more than it has multiprocessors, the verdict says so.
 * Oracle: an H100 has 132 multiprocessors, and each holds a CTA of one warp.
 */
import { expect, it } from 'vitest'
import { ofZeros, verdictOfText } from './launched-text.js'
import { moduleOf } from './small-text.js'

const scopeOf = (body: string, grid: number): ReadonlyArray<string> => {
  const text = moduleOf(
    ['p'],
    `.reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p<2>;
ld.param.u64 %rd1, [p];
${body}
ret;`,
  )
  const { verdict, scope } = verdictOfText(text, { grid, threads: 1, buffers: ofZeros(grid, 'p') })
  expect(verdict).toBe('ok')
  return scope.filter((s) => s.includes('holds all'))
}

/** Every CTA counts itself, and waits for all. */
const barrier = (ctas: number): string => `red.release.gpu.global.add.u32 [%rd1], 1;
WAIT: ld.acquire.gpu.global.u32 %r1, [%rd1]; setp.ne.u32 %p1, %r1, ${String(ctas)}; @%p1 bra WAIT;`
/** Every CTA writes a word of its own. */
const apart =
  'mov.u32 %r1, %ctaid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2; st.global.u32 [%rd2], %r1;'

it('as many CTAs as multiprocessors are all there', () => {
  expect(scopeOf(barrier(132), 132)).toEqual([])
})
it('one more may wait for a place, and is waited for', () => {
  expect(scopeOf(barrier(133), 133)).toEqual([
    expect.stringMatching(/^whether a chip holds all 133 CTAs at once/),
  ])
})
it('CTAs that nobody waits for need no place', () => {
  expect(scopeOf(apart, 133)).toEqual([])
})
