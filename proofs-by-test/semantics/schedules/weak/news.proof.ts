/**
 * A message is part of a state as far as somebody can learn from it. Two ways lead to states that are alike in all but what one word tells, and to a race on one of them alone.
 *
 *     first     st x, 1;  st.release g, 1
 *     second    spin on k;  if (g) ..;  st.release flag, 1;  spin on g;  st h, 1      flag tells of x only if g was found before
 *     third     st k, 1;  spin on h;  spin on flag;  ld x                             a race where it does not; h and k tell nothing
 *
 * When `h` is set, `first` has ended, `second` knows of x on both ways, and nothing but the message of `flag` is left of the difference. Whichever way a search follows first, it must
 * follow the other; so each role is played by each block, for the first run and the search prefer some blocks to others.
 */
import { describe, expect, test } from 'vitest'
import type { Verdict } from '../../../../src/semantics/judging/verdict.js'
import { ofBlocks } from './blocks.js'
import { verdictOfText } from './sweep.js'

type Role = 'first' | 'second' | 'third'

/** x at 0, g at 4, flag at 8, h at 12, k at 16 */
const lines = (tells: Tells, stores: Stores): Readonly<Record<Role, string>> => ({
  first: `
  st.global.u32 [%rd1], 1;
  st.release.gpu.global.u32 [%rd1+4], 1;
  ret;`,
  second:
    tells === 'all'
      ? `
WAIT:
  ld.relaxed.gpu.global.u32 %r2, [%rd1+16];
  setp.eq.u32 %p2, %r2, 0;
  @%p2 bra WAIT;
SECOND:
  ld.acquire.gpu.global.u32 %r2, [%rd1+4];
  setp.eq.u32 %p2, %r2, 0;
  @%p2 bra SECOND;
  st.release.gpu.global.u32 [%rd1+8], 1;
  st.relaxed.gpu.global.u32 [%rd1+12], 1;
  ret;`
      : `
WAIT:
  ld.relaxed.gpu.global.u32 %r2, [%rd1+16];
  setp.eq.u32 %p2, %r2, 0;
  @%p2 bra WAIT;
  ld.acquire.gpu.global.u32 %r2, [%rd1+4];
  setp.eq.u32 %p2, %r2, 0;
  @%p2 bra SO;
  add.u32 %r6, %r6, %r2;
SO:
  mov.u32 %r6, 0;
  mov.u32 %r2, 0;
  st.release.gpu.global.u32 [%rd1+8], 1;
SECOND:
  ld.acquire.gpu.global.u32 %r2, [%rd1+4];
  setp.eq.u32 %p2, %r2, 0;
  @%p2 bra SECOND;
  st.relaxed.gpu.global.u32 [%rd1+12], 1;
  ret;`,
  third: `
  st.relaxed.gpu.global.u32 [%rd1+16], 1;
THIRD:
  ld.relaxed.gpu.global.u32 %r3, [%rd1+12];
  setp.eq.u32 %p2, %r3, 0;
  @%p2 bra THIRD;
AGAIN:
  ld.acquire.gpu.global.u32 %r3, [%rd1+8];
  setp.eq.u32 %p2, %r3, 0;
  @%p2 bra AGAIN;
  ld.global.u32 %r4, [%rd1];
  st.global.u32 [%rd2], ${stores === 'x' ? '%r4' : '%r5'};
  ret;`,
})
type Tells = 'all' | 'what it has found'
/** what `third` stores: what it has read, or 0 */
type Stores = 'x' | 'nothing of it'

const verdictOf = (roles: ReadonlyArray<Role>, tells: Tells, stores: Stores = 'x'): Verdict =>
  verdictOfText(
    ofBlocks(
      'news',
      `  mov.u32 %r2, 0;
  mov.u32 %r5, 0;
  mov.u32 %r6, 0;
`,
      `  setp.eq.u32 %p1, %r0, 0;
  @%p1 bra BLOCK0;
  setp.eq.u32 %p1, %r0, 1;
  @%p1 bra BLOCK1;
  bra BLOCK2;
${roles.map((role, k) => `BLOCK${String(k)}:${lines(tells, stores)[role]}`).join('\n')}
`,
    ),
    'news',
    { ctas: 3, threads: 32, words: 32, out: 4 },
  )

const orders: ReadonlyArray<ReadonlyArray<Role>> = [
  ['first', 'second', 'third'],
  ['first', 'third', 'second'],
  ['second', 'first', 'third'],
  ['second', 'third', 'first'],
  ['third', 'first', 'second'],
  ['third', 'second', 'first'],
]
describe.each(orders)('%s, %s, %s', (...roles) => {
  test('what the flag tells depends on when g was found', () => {
    const v = verdictOf(roles, 'what it has found')
    expect([v.verdict, v.findings.some(({ id }) => id === 'D3')]).toEqual(['hazard', true])
  })
  test('found before it tells: no way to a race', () => {
    const v = verdictOf(roles, 'all')
    expect(v.verdict).toBe('ok')
  })
  test('a race of a load that nobody stores comes to nothing, on every way', () => {
    const v = verdictOf(roles, 'what it has found', 'nothing of it')
    expect([v.verdict, v.search?.complete]).toEqual(['ok', true])
  })
})
