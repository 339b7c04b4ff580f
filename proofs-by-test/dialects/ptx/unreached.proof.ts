/** What control never comes to decides nothing. Oracle: by hand, which guards are always false; the condition C1 of a kernel that asks a barrier there, and of one that may ask. */
import { describe, expect, it } from 'vitest'
import { unreached } from '../../../src/dialects/ptx/flow/unreached.js'
import { codesOf } from './small-text.js'

const module = (guard: string): string => `.version 8.8
.target sm_90a
.address_size 64
.shared .align 8 .b8 bar[8];
.visible .entry k(.param .u32 pn) {
.reg .b32 %r<8>; .reg .pred %p<8>;
ld.param.u32 %r1, [pn];
${guard}
@!%p1 bra skip;
again:
mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0;
@!%p2 bra again;
skip:
ret; }`

/** Of what stands from `again` to `skip`, how much is never come to. */
const left = (guard: string): number => {
  const [code] = codesOf(module(guard))
  return [...unreached(code!)].map((k) => code!.instructions[k]!.form.base).length
}

describe('what is never come to', () => {
  it.each<readonly [string, number]>([
    ['mov.pred %p1, 0;', 2],
    ['setp.ne.s32 %p1, 3, 3;', 2],
    ['setp.eq.s32 %p3, %r1, 5; mov.pred %p4, 0; and.pred %p1, %p3, %p4;', 2],
    ['mov.pred %p1, -1;', 0],
    ['setp.eq.s32 %p1, %r1, 5;', 0],
  ])('%s', (guard, count) => {
    expect(left(guard)).toBe(count)
  })
})
