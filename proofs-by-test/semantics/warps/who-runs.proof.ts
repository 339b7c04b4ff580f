/** Which lanes `activemask` finds together is fixed in a run and open on a chip: a verdict says so where it decides something, and there alone. */
import { describe, expect, it } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import { launchedPtx } from '../../../src/oracle/launch/ptx.js'
import { warpSource } from '../../../src/semantics/execution/launch-warps.js'
import { checkSource, standardOptions } from '../../../src/semantics/verdict/check.js'
import { right } from '../../either.js'
import { inMemory } from '../../oracle/disk.js'

const scopeOf = (body: string): ReadonlyArray<string> => {
  const text = `.version 8.8
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 py) {
.reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .pred %p<4>;
ld.param.u64 %rd1, [py]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; mov.b32 %r3, %r1; setp.lt.u32 %p1, %r1, 16;
${body}
st.global.b32 [%rd3], %r3; ret; }`
  const y = { kind: 'pointer', tensor: 'y', dtype: 'u32', shape: [32], role: 'out' }
  const launch = { grid: [1], block: [32], args: [y], outputs: ['y'] }
  const disk = new Map([
    ['k.ptx', new TextEncoder().encode(text)],
    ['l.json', new TextEncoder().encode(JSON.stringify(launch))],
  ])
  const { elaborated, arguments: given } = right(launchedPtx(inMemory(disk))('k.ptx', 'l.json'))
  const { verdict } = right(
    checkSource(warpSource(elaborated.program, given), { ...standardOptions, algebra: bits('hopper') }),
  )
  expect(verdict.verdict).toBe('ok')
  return verdict.scope.filter((line) => line.includes('activemask'))
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
