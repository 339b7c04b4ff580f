/** What all lanes of a warp do together, in the last warp of a block that has fewer: the lanes that the warp began with, no fewer. */
import { expect, test } from 'vitest'
import { checkPtx } from '../../../../src/oracle/cli/ptx.js'
import { right } from '../../../either.js'
import { inMemory } from '../../../oracle/disk.js'
import { worldOf } from '../../../oracle/world.js'
import { moduleOf } from '../../../dialects/ptx/small-text.js'

const said = (threads: number, leaving: string): string => {
  const module = moduleOf(
    ['a'],
    `.reg .b32 %r<8>; .reg .pred %p<2>;
mov.u32 %r1, %tid.x; mov.b32 %r2, %r1; ${leaving}
movmatrix.sync.aligned.m8n8.trans.b16 %r3, %r2;
ret;`,
  )
  const there = new Map([['k.ptx', new TextEncoder().encode(module)]])
  const asked = { grid: '1', block: String(threads), arg: ['0=i32[64]'] }
  return JSON.stringify(right(checkPtx(worldOf(inMemory(there)), 'k.ptx', asked)).json())
}
const ended = 'expected all lanes of the warp, and some have ended'

test.each([32, 48, 33, 64])('%i threads: every lane that there is', (threads) => {
  expect(said(threads, '')).not.toContain(ended)
})
test.each([
  [32, 7],
  [48, 40],
  [48, 47],
])('%i threads, of which thread %i has ended', (threads, one) => {
  expect(said(threads, `setp.eq.u32 %p1, %r1, ${String(one)}; @%p1 ret;`)).toContain(ended)
})
