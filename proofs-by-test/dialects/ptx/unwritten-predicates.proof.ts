/**
 * What nothing has written decides nothing where the other operand decides alone. Oracle: the truth table of each operation, by hand: with one side unknown the result is known
 * exactly where both values of that side give the same.
 */
import { expect, test } from 'vitest'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { inMemory } from '../../oracle/disk.js'
import { running, worldOf } from '../../oracle/world.js'
import { moduleOf } from './small-text.js'

const kernel = (lines: string): string =>
  moduleOf(
    ['y'],
    `.reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<4>;
ld.param.u64 %rd1, [y];
${lines}
ret;`,
  )

const said = async (lines: string): Promise<ReadonlyArray<string>> => {
  const disk = inMemory(new Map([['k.ptx', new TextEncoder().encode(kernel(lines))]]))
  const asked = ['check', 'k.ptx', '--grid', '1', '--block', '32', '--arg', '0=u32[1]:out', '--json']
  const v = JSON.parse((await running(worldOf(disk))(...asked)).stdout) as Verdict
  return [v.verdict, ...v.findings.map(({ id }) => id)]
}

const operations: Readonly<Record<string, (a: boolean, b: boolean) => boolean>> = {
  and: (a, b) => a && b,
  or: (a, b) => a || b,
  xor: (a, b) => a !== b,
}

test.each(
  Object.entries(operations).flatMap(([op, f]) =>
    [false, true].flatMap((known) => [true, false].map((first) => ({ op, f, known, first }))),
  ),
)('$op of $known, it comes first: $first', async ({ op, f, known, first }) => {
  // %p2 has no value
  const operands = first ? '%p1, %p2' : '%p2, %p1'
  const isKnown = f(known, false) === f(known, true)
  const lines = `mov.pred %p1, ${known ? '-1' : '0'}; ${op}.pred %p3, ${operands}; @%p3 bra over; st.global.u32 [%rd1], 7; ret; over: st.global.u32 [%rd1], 8;`
  expect(await said(lines)).toEqual(isKnown ? ['ok'] : ['invalid', 'I1'])
})

test('member lanes that nothing has named are a read of nothing', async () => {
  const lines = (mask: string): string =>
    `mov.b32 %r1, 5; shfl.sync.bfly.b32 %r2, %r1, 1, 31, ${mask}; st.global.u32 [%rd1], %r2;`
  expect(await said(lines('-1'))).toEqual(['ok'])
  expect(await said(lines('%r7'))).toEqual(['invalid', 'I1'])
})
