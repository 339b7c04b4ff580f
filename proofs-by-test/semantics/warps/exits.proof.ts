/** Warps that end before a barrier: one for all threads does not wait for them, and one that counts does; what they wrote is in no order with what follows. */
import { expect, test } from 'vitest'
import { eager, lazy, seeded } from '../../../src/semantics/execution/policy.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { verdictOfText } from '../../dialects/ptx/launched-text.js'
import { moduleOf } from '../../dialects/ptx/small-text.js'

/** Warp 0 does `first` and ends; warps 1 and 2 write, meet, read each other's. */
const kernel = (first: string, meet: string): string =>
  moduleOf(
    [],
    `.reg .pred %p;
.reg .b32 %t, %w, %a, %b, %v;
.shared .align 4 .b8 m[16];
mov.u32 %t, %tid.x;
shr.u32 %w, %t, 5;
setp.ne.u32 %p, %w, 0;
@%p bra REST;
${first}
ret;
REST:
mov.u32 %a, m;
shl.b32 %b, %w, 2;
add.u32 %a, %a, %b;
st.shared.u32 [%a], %w;
${meet}
xor.b32 %b, %w, 3;
shl.b32 %b, %b, 2;
mov.u32 %a, m;
add.u32 %a, %a, %b;
ld.shared.u32 %v, [%a];
${meet}
ret;`,
  )

const verdictOf = (text: string, policy = eager): Verdict =>
  verdictOfText(text, { threads: 96 }, { policy, provenance: false, explore: false })

test('a barrier for all threads does not wait for warps that have ended', () => {
  for (const policy of [eager, lazy, seeded(1), seeded(2), seeded(3), seeded(4)])
    expect(verdictOf(kernel('', 'bar.sync 0;'), policy).verdict).toBe('ok')
  // they may have met the others before
  for (const policy of [eager, lazy, seeded(1)])
    expect(verdictOf(kernel('bar.sync 0;', 'bar.sync 0;'), policy).verdict).toBe('ok')
})
test('one that counts does', () => {
  expect(verdictOf(kernel('', 'bar.sync 0, 96;')).verdict).toBe('deadlock')
  expect(verdictOf(kernel('', 'bar.sync 0, 64;')).verdict).toBe('ok')
})
test('what they wrote is in no order with what follows', () => {
  const v = verdictOf(kernel('st.shared.u32 [m+4], %w;', 'bar.sync 0;'))
  expect([v.verdict, v.findings.length > 0]).toEqual(['hazard', true])
})
