/**
 * Which lanes `activemask` finds together is fixed in a run and open on a chip: a verdict says so where it decides something, and there alone. So is what a line holds that `discard`
 * has dropped.
 */
import { describe, expect, it } from 'vitest'
import { verdictOfText, written } from '../../dialects/ptx/launched-text.js'

const scopeOf = (body: string, what: string = 'activemask'): ReadonlyArray<string> => {
  const text = `.version 8.8
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 py) {
.reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .pred %p<4>;
ld.param.u64 %rd1, [py]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; mov.b32 %r3, %r1; setp.lt.u32 %p1, %r1, 16;
${body}
st.global.b32 [%rd3], %r3; ret; }`
  const { verdict, scope } = verdictOfText(
    text,
    { threads: 32, buffers: written(32, 'y'), outputs: ['y'] },
    {},
  )
  expect(verdict).toBe('ok')
  return scope.filter((line) => line.includes(what))
}

describe('activemask', () => {
  it.each([
    ['is stored', '@%p1 bra A; bra B; A: activemask.b32 %r3; B:'],
    ['decides a branch', 'activemask.b32 %r2; setp.eq.u32 %p2, %r2, -1; @!%p2 bra B; mov.b32 %r3, 7; B:'],
    ['is the members of a shuffle', 'activemask.b32 %r2; shfl.sync.idx.b32 %r3, %r1, 3, 31, %r2;'],
  ])('that %s is told', (_, body) => {
    expect(scopeOf(body)).toHaveLength(1)
  })
  it('whose mask nobody uses is not', () => {
    expect(scopeOf('activemask.b32 %r2;')).toEqual([])
  })
})

describe('discard', () => {
  it('is told', () => {
    expect(scopeOf('discard.global.L2 [%rd1], 128;', 'discard')).toHaveLength(1)
    expect(scopeOf('prefetch.global.L2 [%rd1];', 'discard')).toEqual([])
  })
})
