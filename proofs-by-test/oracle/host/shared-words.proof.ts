/** The host and a kernel on one word: a note where the kernel is atomic for the system, and a hazard otherwise. The rule is that of the PTX memory model: scopes must include the other. */
import { describe, expect, it } from 'vitest'
import type { HostOperation } from '../../../src/oracle/host/file.js'
import { doneWith, header } from './texts.js'

const kernel = (body: string): string => `${header}
.visible .entry k(.param .u64 x)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [x];
  mov.u32 %r1, 1;
${body}
  ret;
}
`
const saidOf = (body: string, host: HostOperation, waits = false): ReadonlyArray<string> =>
  doneWith(kernel(body), [
    { op: 'alloc', memory: 'x', bytes: 8, kind: 'managed', zeros: true },
    {
      op: 'launch',
      launch: { kernel: 'k', grid: [1], block: [1], args: [{ kind: 'pointer', tensor: 'x', at: 0 }] },
    },
    ...(waits ? [{ op: 'synchronize' } as const] : []),
    host,
  ]).findings.map(({ id, severity }) => `${id} ${severity}`)

const writes: HostOperation = { op: 'touch', writes: ['x'] }
const reads: HostOperation = { op: 'touch', reads: ['x'] }

describe('a word of the host and a kernel', () => {
  it.each([
    ['an atomic of the system', 'red.sys.global.add.u32 [%rd1], %r1;', ['H3 L']],
    ['a store of the system', 'st.release.sys.global.u32 [%rd1], %r1;', ['H3 L']],
    ['an atomic of the device', 'red.gpu.global.add.u32 [%rd1], %r1;', ['H3 E']],
    ['a plain store', 'st.global.u32 [%rd1], %r1;', ['H3 E']],
    ['both', 'red.sys.global.add.u32 [%rd1], %r1;\nst.global.u32 [%rd1+4], %r1;', ['H3 E', 'H3 L']],
  ])('%s', (_, body, said) => {
    expect([...new Set(saidOf(body, writes))].sort()).toEqual(said)
    expect([...new Set(saidOf(body, reads))].sort()).toEqual(said)
    expect(saidOf(body, writes, true)).toEqual([])
  })
})
