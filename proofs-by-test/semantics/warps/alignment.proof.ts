/** Vectors in memory lie at multiples of all their bytes: the manual's rule, for every width and place of a small array. */
import { expect, test } from 'vitest'
import { checkPtx } from '../../../src/oracle/cli/ptx.js'
import { right } from '../../either.js'
import { inMemory } from '../../oracle/disk.js'
import { worldOf } from '../../oracle/world.js'

const said = (opcode: string, registers: number, at: number): string => {
  const list = Array.from({ length: registers }, (_, i) => `%r${String(i)}`).join(', ')
  const module = `.version 8.8
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 a) {
.reg .b32 %r<8>; .reg .b64 %rd<2>;
ld.param.u64 %rd1, [a];
${opcode} ${registers === 1 ? list : `{${list}}`}, [%rd1+${String(at)}];
ret;
}
`
  const there = new Map([['k.ptx', new TextEncoder().encode(module)]])
  const report = checkPtx(worldOf(inMemory(there)), 'k.ptx', { grid: '1', block: '1', arg: ['0=i32[64]'] })
  return JSON.stringify(right(report).json())
}

test.each([
  ['ld.global.b32', 1, 4],
  ['ld.global.v2.b32', 2, 8],
  ['ld.global.v4.b32', 4, 16],
] as const)('%s', (opcode, registers, bytes) => {
  for (let at = 0; at < 32; at += 2)
    expect([at, said(opcode, registers, at).includes('is not a multiple of')]).toEqual([at, at % bytes !== 0])
})
