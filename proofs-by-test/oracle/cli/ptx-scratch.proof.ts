/**
 * Scratch memory of a launch of Triton. Oracle: nobody sees it after the launch, so what nothing writes there is no missing output; what nothing has written holds nothing.
 */
import { describe, expect, test } from 'vitest'
import { decodeVerdict } from '../../../src/semantics/files/verdict-codec.js'
import { right } from '../../either.js'
import { inMemory } from '../disk.js'
import { running, worldOf } from '../world.js'
import { moduleOf } from '../../dialects/ptx/small-text.js'

/** Each thread of CTA `c` has a word of scratch; the threads of the first CTA alone use theirs. */
const kernel = (writes: boolean, reads: boolean): string =>
  moduleOf(
    ['out', 'scratch', 'profile'],
    `.reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<8>;
ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [scratch]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mad.lo.s32 %r3, %r1, 32, %r2;
mul.wide.u32 %rd3, %r3, 4; add.s64 %rd1, %rd1, %rd3; add.s64 %rd2, %rd2, %rd3; setp.ne.u32 %p1, %r1, 0; mov.u32 %r4, 7;
@%p1 bra END;
${writes ? 'st.global.b32 [%rd2], %r4;' : ''}
${reads ? 'ld.global.b32 %r4, [%rd2];' : ''}
END: st.global.b32 [%rd1], %r4;
ret;`,
  )

const said = async (writes: boolean, reads: boolean, outside = false): Promise<string> => {
  const launch = {
    grid: [2],
    num_warps: 1,
    args: [{ kind: 'pointer', tensor: 'out', dtype: 'u32', shape: [outside ? 96 : 64], role: 'out' }],
    outputs: ['out'],
    extra: { global_scratch_size: 128 },
  }
  const bytes = (s: string): Uint8Array => new TextEncoder().encode(s)
  const disk = inMemory(
    new Map([
      ['k.ptx', bytes(kernel(writes, reads))],
      ['l.json', bytes(JSON.stringify(launch))],
    ]),
  )
  const ran = await running(worldOf(disk))('check', 'k.ptx', '--launch', 'l.json', '--json')
  const { verdict, findings } = right(decodeVerdict(JSON.parse(ran.stdout)))
  return [verdict, ...new Set(findings.map(({ id }) => id))].join(' ')
}

describe('scratch', () => {
  test.each([
    [true, true, 'ok'],
    [true, false, 'ok'],
    [false, false, 'ok'],
    [false, true, 'hazard I1'],
  ] as const)('written %j, read %j: %s', async (writes, reads, word) => {
    expect(await said(writes, reads)).toBe(word)
  })
  test('an output is another matter', async () => {
    expect(await said(true, true, true)).toBe('hazard O1')
  })
})
