/** What a verdict that is open says to do next: more schedules, where these could decide it, and nothing where they could not. */
import { expect, it } from 'vitest'
import { checkPtx } from '../../../src/oracle/cli/ptx.js'
import { right } from '../../either.js'
import { inMemory } from '../disk.js'
import { worldOf } from '../world.js'
import { moduleOf } from '../../dialects/ptx/small-text.js'

const textOf = (body: string): string =>
  moduleOf(
    ['py'],
    `.reg .b32 %r<12>; .reg .b64 %rd<8>; .reg .pred %p<5>; .shared .align 4 .b8 s[128]; .shared .align 8 .b8 m[8];
ld.param.u64 %rd1, [py]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; mov.b32 %r3, 7; mov.u32 %r4, %laneid; shl.b32 %r5, %r4, 2; mov.u32 %r6, s; add.u32 %r5, %r5, %r6;
${body}
st.global.b32 [%rd3], %r3;
ret;`,
  )

it.each([
  ['which lanes run together', 'activemask.b32 %r3;', 32, false],
  ['which lane is elected', 'elect.sync %r2|%p1, -1; @%p1 mov.b32 %r3, %r1;', 32, false],
  [
    'a multiprocessor, read back from memory',
    'mov.u32 %r2, %smid; st.shared.b32 [%r5], %r2; ld.shared.b32 %r2, [%r5]; setp.eq.u32 %p1, %r2, 3; @!%p1 bra E; mov.b32 %r3, 8; bar.warp.sync -1; E:',
    32,
    false,
  ],
  [
    'an mbarrier that is tested',
    `setp.eq.u32 %p2, %r1, 0; @%p2 mbarrier.init.shared.b64 [m], 256; bar.sync 0;
mbarrier.arrive.shared.b64 _, [m]; mbarrier.test_wait.parity.shared.b64 %p1, [m], 0; @%p1 mov.b32 %r3, 9;`,
    256,
    true,
  ],
])('of what is open by %s', (_, body, threads, says) => {
  const y = { kind: 'pointer', tensor: 'y', dtype: 'u32', shape: [threads], role: 'out' }
  const launch = { grid: [1], block: [threads], args: [y], outputs: [] }
  const files = new Map([
    ['k.ptx', new TextEncoder().encode(textOf(body))],
    ['l.json', new TextEncoder().encode(JSON.stringify(launch))],
  ])
  const text = right(checkPtx(worldOf(inMemory(files)), 'k.ptx', { launch: 'l.json', budget: '500' })).text()
  expect(text).toContain('undecided')
  expect(text.includes('--budget EVENTS')).toBe(says)
})
