/** Clocks in programs: a kernel that waits for one ends, and later reads find greater times. That time goes by is all that a chip promises. */
import { describe, expect, it } from 'vitest'
import type { HostOperation } from '../../../src/oracle/host/file.js'
import { bytesOf } from '../../../src/oracle/host/memory.js'
import { doneWith, header } from './texts.js'

/** Each thread waits until so much time has gone by, and stores when it began and when it ended. */
const waits = (name: string, clock: string): string => `
.visible .entry ${name}(.param .u64 y, .param .u64 least)
{
  .reg .pred %p<2>;
  .reg .b32 %r<4>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [y];
  ld.param.u64 %rd2, [least];
  mov.u32 %r1, %ctaid.x;
  mul.wide.u32 %rd3, %r1, 16;
  add.s64 %rd1, %rd1, %rd3;
  mov.u64 %rd4, ${clock};
AGAIN:
  mov.u64 %rd5, ${clock};
  sub.s64 %rd6, %rd5, %rd4;
  setp.lt.u64 %p1, %rd6, %rd2;
  @%p1 bra AGAIN;
  st.global.v2.u64 [%rd1], {%rd4, %rd5};
  ret;
}
`
const ptx = `${header}${waits('cycles', '%clock64')}${waits('nanoseconds', '%globaltimer')}`
const launch = (kernel: string, least: number): HostOperation => ({
  op: 'launch',
  launch: { kernel, grid: [3], block: [1], args: [{ kind: 'pointer', tensor: 'y', at: 0 }, least] },
})

describe('clocks', () => {
  it.each(['cycles', 'nanoseconds'])('a kernel that waits for %s', (kernel) => {
    const h = doneWith(ptx, [{ op: 'alloc', memory: 'y', bytes: 48 }, launch(kernel, 100_000_000)])
    expect([h.stopped, h.findings]).toEqual([null, []])
    const times = [...new BigUint64Array(bytesOf(h.memories.get('y')!, 0, 48).slice().buffer)]
    expect(times).toEqual([...times].sort((a, b) => (a < b ? -1 : 1)))
    expect(times.filter((_, i) => i % 2 === 1).map((t, i) => t - times[2 * i]! >= 100_000_000n)).toEqual([
      true,
      true,
      true,
    ])
  })
})
