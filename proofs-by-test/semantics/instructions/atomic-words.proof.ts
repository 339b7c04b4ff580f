/**
 * Atomics on words against integers of unbounded size: lanes that name one place find what the lane before left, and the last one's stays. A kernel of one warp
 * does each; what every lane has found, and what memory holds then, are compared.
 */
import { describe, expect, it } from 'vitest'
import { nightly } from '../../extent.js'
import { differing } from '../../dialects/ptx/small-kernels.js'

const drawing = (seed: number): (() => number) => {
  let x = seed
  return () => {
    x ^= x << 13
    x ^= x >>> 17
    x ^= x << 5
    return x >>> 0
  }
}

type Join = (old: bigint, by: bigint, compare: bigint) => bigint
const wrap = (x: bigint): bigint => BigInt.asUintN(32, x)
const signed = (x: bigint): bigint => BigInt.asIntN(32, x)

const joins: Readonly<Record<string, Join>> = {
  'add.u32': (old, by) => old + by,
  'add.s32': (old, by) => old + by,
  'min.u32': (old, by) => (old < by ? old : by),
  'max.u32': (old, by) => (old > by ? old : by),
  'min.s32': (old, by) => (signed(old) < signed(by) ? old : by),
  'max.s32': (old, by) => (signed(old) > signed(by) ? old : by),
  'and.b32': (old, by) => old & by,
  'or.b32': (old, by) => old | by,
  'xor.b32': (old, by) => old ^ by,
  'exch.b32': (_, by) => by,
  'cas.b32': (old, by, compare) => (old === compare ? by : old),
  'inc.u32': (old, by) => (old >= by ? 0n : old + 1n),
  'dec.u32': (old, by) => (old === 0n || old > by ? by : old - 1n),
}

/** Words of memory that the 32 lanes share. */
const places = 5

/** y: what each lane has found, then memory. */
const expected = (join: Join, x: Uint32Array, held: Uint32Array): Uint32Array => {
  const memory = [...held].map(BigInt)
  const found = Array.from({ length: 32 }, (_, lane) => {
    const at = (7 * lane) % places
    const old = memory[at]!
    // what a lane compares with is the operand of the next one
    memory[at] = wrap(join(old, BigInt(x[lane]!), BigInt(x[(lane + 1) % 32]!)))
    return old
  })
  return Uint32Array.from([...found, ...memory].map(Number))
}

const body = (op: string, space: 'global' | 'shared'): string => {
  const compares = op.startsWith('cas')
  const at = space === 'global' ? '%rd7' : '%r9'
  return `
mov.u32 %r4, 7; mul.lo.s32 %r5, %r1, %r4; rem.u32 %r5, %r5, ${String(places)};
ld.global.u32 %r2, [%rd4];
add.s32 %r6, %r1, 1; and.b32 %r6, %r6, 31; mul.wide.u32 %rd6, %r6, 4; add.s64 %rd6, %rd1, %rd6; ld.global.u32 %r3, [%rd6];
mul.wide.u32 %rd7, %r5, 4; add.s64 %rd7, %rd2, %rd7; add.s64 %rd7, %rd7, 128;
mul.wide.u32 %rd8, %r1, 4; add.s64 %rd8, %rd2, %rd8; add.s64 %rd8, %rd8, 128;
setp.lt.u32 %p1, %r1, ${String(places)};
${
  space === 'global'
    ? ''
    : `mov.u32 %r8, memory; shl.b32 %r9, %r5, 2; add.u32 %r9, %r8, %r9; shl.b32 %r10, %r1, 2; add.u32 %r10, %r8, %r10;
@%p1 ld.global.u32 %r11, [%rd8]; @%p1 st.shared.u32 [%r10], %r11; bar.warp.sync -1;`
}
atom.${space}.${op} %r7, [${at}], ${compares ? '%r3, %r2' : '%r2'};
st.global.u32 [%rd5], %r7;
${space === 'global' ? '' : 'bar.warp.sync -1; @%p1 ld.shared.u32 %r11, [%r10]; @%p1 st.global.u32 [%rd8], %r11;'}`
}

describe('every atomic of a word', () => {
  const spaces = nightly ? (['global', 'shared'] as const) : (['global'] as const)
  for (const space of spaces)
    it.each(Object.entries(joins))(`${space}: %s`, (op, join) => {
      for (let round = 0; round < (nightly ? 10 : 1); round++) {
        const draw = drawing(round + 1 + op.length)
        // few values, so that comparisons and limits are met; and any
        const word = (): number => ((draw() & 1) === 0 ? draw() % 4 : draw())
        const x = Uint32Array.from({ length: 32 }, word)
        const held = Uint32Array.from({ length: places }, word)
        const before = new Uint32Array(32 + places)
        before.set(held, 32)
        const declared = space === 'global' ? '' : '.shared .align 4 .b8 memory[64];'
        expect(differing(body(op, space), x, expected(join, x, held), before, declared)).toContain(
          `0 of ${String(32 + places)} elements differ`,
        )
      }
    })
})
