/**
 * What a warp writes as one instruction (`stmatrix`, `tcgen05.alloc`) is one access by all of its lanes, also where one of them knows more than the others: they do not race with one
 * another; each of them must come after what was there, and who reads it must have heard of each.
 */
import { describe, expect, it } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import { checkSource, standardOptions } from '../../../src/semantics/verdict/check.js'
import { right } from '../../either.js'
import { ofZeros, sourceOfText } from './launched-text.js'

/** The finding of a kernel of two warps. Lane 0 of the first fences alone, so that it knows what others do not. */
const foundIn = (target: string, ...lines: ReadonlyArray<string>): string => {
  const text = `.version 8.8
.target ${target}
.address_size 64
.visible .entry k(.param .u64 y) {
.reg .b32 %r<16>; .reg .b64 %rd<8>; .reg .pred %p<8>;
.shared .align 128 .b32 tile[32]; .shared .align 4 .b32 columns; .shared .align 8 .b64 full;
ld.param.u64 %rd1, [y]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;
setp.eq.u32 %p1, %r1, 0; setp.lt.u32 %p2, %r1, 32; mov.u32 %r2, tile; and.b32 %r3, %r1, 7; shl.b32 %r4, %r3, 4; add.u32 %r5, %r2, %r4;
${lines.join('\n')}
ret; }`
  const source = sourceOfText(text, { threads: 64, buffers: ofZeros(64, 'y') })
  const { verdict } = right(checkSource(source, { ...standardOptions, algebra: bits('hopper') }))
  return verdict.findings[0]?.id ?? verdict.verdict
}

const init = (count: number): string => `@%p1 mbarrier.init.shared.b64 [full], ${String(count)}; bar.sync 0;`
const apart = '@!%p1 bra TOGETHER; st.global.u32 [%rd1+252], %r1; membar.cta; TOGETHER:'
const stores = 'stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r5], {%r1};'
const allocates = [
  'tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [columns], 32;',
  'tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;',
]
const frees =
  'bar.sync 0; ld.shared.u32 %r8, [columns]; @!%p2 bra END; tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r8, 32; END:'
const ofFirst = (...lines: ReadonlyArray<string>): string =>
  ['@!%p2 bra OTHERS;', ...lines, 'OTHERS:'].join('\n')

describe('one instruction of a warp of which a lane has fenced alone', () => {
  it.each([
    ['stmatrix', 'sm_90a', [ofFirst(apart, stores)]],
    ['tcgen05.alloc', 'sm_100a', [ofFirst(apart, ...allocates), frees]],
  ])('%s is no race with itself', (_, target, lines) => {
    expect(foundIn(target, ...lines)).toBe('ok')
  })

  it.each([
    ['and the lanes have met', 'bar.warp.sync -1;', 'ok'],
    ['and the lanes have not met', '', 'D5'],
  ])('comes after what that lane has stored there, %s', (_, met, found) => {
    expect(foundIn('sm_90a', ofFirst('@%p1 st.shared.u32 [tile], 3;', met, apart, stores))).toBe(found)
  })

  it.each([
    ['every lane', 32, '', 'ok'],
    ['all lanes but that one', 31, '@!%p1 ', 'D1'],
    ['that lane alone', 1, '@%p1 ', 'D1'],
  ])('is read by another warp that has heard of %s', (_, count, guard, found) => {
    const tells = `${guard}mbarrier.arrive.shared.b64 _, [full]; bra END;`
    const reads = [
      'W: mbarrier.try_wait.parity.shared.b64 %p5, [full], 0; @!%p5 bra W;',
      'ld.shared.u32 %r7, [tile]; st.global.u32 [%rd3], %r7; END:',
    ]
    const own = apart.replaceAll('252', '0')
    expect(foundIn('sm_90a', init(count), ofFirst(own, stores, tells), ...reads)).toBe(found)
  })
})
