/**
 * What `gemm` says of products of a warp whose accumulator begins with a tensor, and of a number inside of the sum. The kernels are written here; the formula is known from
 * what is written.
 */
import { describe, expect, test } from 'vitest'
import { checkPtx } from '../../../src/oracle/cli/ptx.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { right } from '../../either.js'
import { inMemory } from '../../oracle/disk.js'
import { worldOf } from '../../oracle/world.js'
import { moduleOf } from './small-text.js'

const k = 32
/** d (16, 8) = c + alpha a (16, 32) b (8, 32)', by products of 16 of k; alpha is two halves of 16 bits. */
const product = (alpha: string | null, begin: 'c' | 'zero' = 'c'): string => {
  const lines: string[] = []
  for (const [i, [row, column]] of [
    [0, 0],
    [0, 1],
    [8, 0],
    [8, 1],
  ].entries())
    lines.push(
      begin === 'c'
        ? `ld.global.f32 %f${String(i)}, [%rd3+${String(4 * (8 * row! + column!))}];`
        : `mov.f32 %f${String(i)}, 0f00000000;`,
    )
  for (let k0 = 0; k0 < k; k0 += 16) {
    for (const [r, [row, of]] of [
      [0, 0],
      [8, 0],
      [0, 8],
      [8, 8],
    ].entries()) {
      lines.push(`ld.global.b32 %r${String(10 + r)}, [%rd1+${String(2 * (k * row! + k0 + of!))}];`)
      if (alpha !== null)
        lines.push(`mov.b32 %r20, ${alpha};`, `mul.rn.f16x2 %r${String(10 + r)}, %r${String(10 + r)}, %r20;`)
    }
    for (const r of [0, 1])
      lines.push(`ld.global.b32 %r${String(14 + r)}, [%rd2+${String(2 * (k0 + 8 * r))}];`)
    lines.push(
      'mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r10, %r11, %r12, %r13}, {%r14, %r15}, {%f0, %f1, %f2, %f3};',
    )
  }
  return moduleOf(
    ['a', 'b', 'c', 'd'],
    `.reg .b32 %r<32>; .reg .b64 %rd<16>; .reg .f32 %f<8>;
ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [c]; ld.param.u64 %rd4, [d];
mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 2; and.b32 %r3, %r1, 3;
mad.lo.u32 %r4, %r2, ${String(2 * k)}, 0; shl.b32 %r5, %r3, 2; add.u32 %r4, %r4, %r5; cvt.u64.u32 %rd5, %r4;
add.s64 %rd1, %rd1, %rd5; add.s64 %rd2, %rd2, %rd5;
shl.b32 %r6, %r2, 5; shl.b32 %r7, %r3, 3; add.u32 %r6, %r6, %r7; cvt.u64.u32 %rd6, %r6; add.s64 %rd3, %rd3, %rd6; add.s64 %rd4, %rd4, %rd6;
${lines.join('\n')}
st.global.f32 [%rd4], %f0; st.global.f32 [%rd4+4], %f1; st.global.f32 [%rd4+256], %f2; st.global.f32 [%rd4+260], %f3; ret;`,
  )
}

/** The same of one thread for each element, by multiply-adds: the factor of a is in a register. */
const scalar = (before: string): string =>
  moduleOf(
    ['a', 'b', 'c', 'd'],
    `.reg .b32 %r<32>; .reg .b64 %rd<16>; .reg .f32 %f<8>; .reg .pred %p<2>;
ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [c]; ld.param.u64 %rd4, [d];
mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y;
mul.wide.u32 %rd5, %r2, ${String(4 * k)}; add.s64 %rd1, %rd1, %rd5; mul.wide.u32 %rd6, %r1, ${String(4 * k)}; add.s64 %rd2, %rd2, %rd6;
mad.lo.u32 %r3, %r2, 8, %r1; mul.wide.u32 %rd7, %r3, 4; add.s64 %rd3, %rd3, %rd7; add.s64 %rd4, %rd4, %rd7;
ld.global.f32 %f1, [%rd3]; mov.u32 %r4, 0;
loop: ld.global.f32 %f2, [%rd1]; ld.global.f32 %f3, [%rd2]; ${before} fma.rn.f32 %f1, %f2, %f3, %f1;
add.s64 %rd1, %rd1, 4; add.s64 %rd2, %rd2, 4; add.s32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, ${String(k)}; @%p1 bra loop;
st.global.f32 [%rd4], %f1; ret;`,
  )

const said = (module: string, dtype: string, block: string, computes = 'gemm:a,b.T,d'): string => {
  const there = new Map([['k.ptx', new TextEncoder().encode(module)]])
  const arg = [`0=${dtype}[16,${String(k)}]`, `1=${dtype}[8,${String(k)}]`, '2=f32[16,8]', '3=f32[16,8]:out']
  const report = checkPtx(worldOf(inMemory(there)), 'k.ptx', { grid: '1', block, arg, computes })
  const verdict = right(report).json() as Verdict
  return `${verdict.provenance?.proved === true ? 'proved' : 'not proved'}: ${verdict.provenance?.text ?? ''}`
}

describe('products of matrices', () => {
  test.each([
    ['c before', null, /^proved: d = a @ b\.T \+ c for all inputs/],
    ['a power of two in the sum', '0x44004400', /^proved: d = 4 \* \(a @ b\.T\) \+ c for all inputs/],
    ['a half in the sum', '0x38003800', /^proved: d = 0\.5 \* \(a @ b\.T\) \+ c for all inputs/],
    [
      'three in the sum',
      '0x42004200',
      /^not proved: .* is multiplied by 3 before .* which rounds each of them/,
    ],
    ['two numbers in the sum', '0x44003c00', /^not proved/],
  ] as const)('%s', (_, alpha, says) => {
    expect(said(product(alpha), 'f16', '32')).toMatch(says)
  })
  test('without c it is the product, with a number it is not', () => {
    expect(said(product(null, 'zero'), 'f16', '32', 'matmul:a,b.T,d')).toMatch(
      /^proved: d = a @ b\.T for all/,
    )
    expect(said(product(null), 'f16', '32', 'matmul:a,b.T,d')).toMatch(/^not proved/)
    expect(said(product('0x40004000', 'zero'), 'f16', '32')).toMatch(/^proved: d = 2 \* \(a @ b\.T\) for all/)
  })
  test('a product that leaves k out is found out, with c before', () => {
    const module = product(null)
    const first = module.indexOf('mma.sync')
    const without = module.slice(0, first) + module.slice(module.indexOf(';', first) + 1)
    expect(said(without, 'f16', '32')).toMatch(/^not proved: .*k-slices 0:16 missing/)
  })
})

describe('multiply-adds', () => {
  test.each([
    ['c before', '', /^proved: d = a @ b\.T \+ c for all/],
    ['added to itself', 'add.f32 %f2, %f2, %f2;', /^proved: d = 2 \* \(a @ b\.T\) \+ c for all/],
    ['a quarter', 'mul.f32 %f2, %f2, 0f3E800000;', /^proved: d = 0\.25 \* \(a @ b\.T\) \+ c for all/],
    [
      'both factors',
      'add.f32 %f2, %f2, %f2; mul.f32 %f3, %f3, 0f40800000;',
      /^proved: d = 2 \* 4 \* \(a @ b\.T\) \+ c|^proved: d = 4 \* 2 \* \(a @ b\.T\) \+ c/,
    ],
    ['three', 'mul.f32 %f2, %f2, 0f40400000;', /^not proved: .*a factor is multiplied by 3 before/],
  ] as const)('%s', (_, before, says) => {
    expect(said(scalar(before), 'f32', '8,16')).toMatch(says)
  })
})
