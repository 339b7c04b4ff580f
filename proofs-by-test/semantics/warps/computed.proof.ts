/**
 * Sums of products by the lanes of a warp: what is proved to be a product of matrices for all inputs is one.
 *
 * Oracle: the kernel run on matrices of small integers, of which f32 has every sum exactly. A kernel that only multiplies and adds, and whose output is the
 * product on three of them, is proved to be one; no other is.
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import * as Plane from '../../../src/semantics/machine/plane.js'
import { usualSharedBase, warpSource } from '../../../src/semantics/execution/launch-warps.js'
import { eager } from '../../../src/semantics/execution/policy.js'
import type { Dtype } from '../../../src/numerics/dtype.js'
import { encode } from '../../../src/numerics/float-format.js'
import { scalarOperation } from '../../../src/numerics/scalar/index.js'
import { arithmeticOf, oneOf } from '../../../src/semantics/warps/computed.js'
import type { Provenance } from '../../../src/semantics/judging/verdict.js'
import { dice } from '../../../src/semantics/schedules/naive/random.js'
import { checkSource, standardOptions } from '../../../src/semantics/verdict/check.js'
import * as Ref from '../../../src/transforms/ref.js'
import { right } from '../../either.js'
import { nightly, sampled } from '../../extent.js'
import { prop } from '../../prop.js'
import { moduleOf, programOf } from '../../dialects/ptx/small-text.js'

interface Extents {
  readonly m: number
  readonly n: number
  readonly k: number
}

const tensor = (
  name: string,
  role: 'in' | 'out' | 'inout',
  shape: readonly [number, number],
  values: ReadonlyArray<number> | null,
  dtype: 'f32' | 'f16' = 'f32',
): Parameters<typeof warpSource>[1]['tensors'][number] => ({
  name,
  role,
  contents:
    values === null
      ? null
      : new Uint8Array(
          dtype === 'f32'
            ? Float32Array.from(values).buffer
            : Uint16Array.from(values, (x) => encode('f16', x)).buffer,
        ),
  bytes: (dtype === 'f32' ? 4 : 2) * shape[0] * shape[1],
  elements: {
    dtype,
    layout: right(Ref.ofStrides(shape, dtype === 'f32' ? 32 : 16, [shape[1], 1])),
    shape,
    strides: [shape[1], 1],
  },
  symbol: null,
})

interface Ran {
  readonly proof: Provenance
  /** the output was the product of every input that was tried */
  readonly isProduct: boolean
}

const ran = (
  text: string,
  { m, n, k }: Extents,
  before: ReadonlyArray<number> | null = null,
  dtype: 'f32' | 'f16' = 'f32',
  // what an epilogue is to make of a sum and of what was there; null: there is none
  epilogue: ((sum: number, old: number) => number) | null = null,
): Ran => {
  const program = programOf(text)
  const runs = [1, 2, 3].map((seed): Ran => {
    const die = dice(seed)
    const draw = (count: number): ReadonlyArray<number> =>
      Array.from({ length: count }, () => die.below(9) - 4)
    const [a, b] = [draw(m * k), draw(k * n)]
    const { verdict, world, machine } = right(
      checkSource(
        warpSource(program, {
          grid: [1],
          block: [32],
          cluster: null,
          dynamicBytes: 0,
          parameters: new Uint8Array(24),
          pointers: ['a', 'b', 'c'].map((name, i) => ({ offset: 8 * i, tensor: name })),
          tensors: [
            tensor('a', 'in', [m, k], a, dtype),
            tensor('b', 'in', [k, n], b, dtype),
            tensor('c', before === null ? 'out' : 'inout', [m, n], before),
          ],
          sharedBase: usualSharedBase,
          computes: {
            _tag: 'matmul',
            a: 'a',
            b: 'b',
            out: 'c',
            accumulator: 'f32',
            blockK: 8,
            ...(epilogue === null ? {} : { epilogue: true }),
          },
        }),
        { ...standardOptions, algebra: bits('hopper'), policy: eager, explore: false, provenance: true },
      ),
    )
    const out = new Uint8Array(4 * m * n)
    Plane.copyOut(
      machine.planes[world.header.planes.findIndex(({ name }) => name === 'c')]!,
      0,
      out.length,
      out,
    )
    const c = new Float32Array(out.buffer)
    const isProduct = c.every((x, at) => {
      let sum = 0
      for (let e = 0; e < k; e++) sum += a[Math.floor(at / n) * k + e]! * b[e * n + (at % n)]!
      return x === (epilogue === null ? sum : epilogue(sum, before?.[at] ?? 0))
    })
    return { proof: verdict.provenance!, isProduct }
  })
  return { proof: runs[0]!.proof, isProduct: runs.every((one) => one.isProduct) }
}

const kernel = (body: string): string =>
  moduleOf(
    ['x', 'y', 'z'],
    `.reg .pred %p;
.reg .b32 %t, %r, %q;
.reg .f32 %a<4>, %b<4>, %s<4>, %u;
.reg .b64 %x, %y, %z, %o;
.shared .align 16 .b8 m[256];
ld.param.u64 %x, [x];
ld.param.u64 %y, [y];
ld.param.u64 %z, [z];
mov.u32 %t, %tid.x;
mul.wide.u32 %o, %t, 4;
add.s64 %z, %z, %o;
${body}
ret;`,
  )

// ---------------------------------------------------------------- each lane an element

const small: Extents = { m: 4, n: 8, k: 4 }
/** Lane t has row t / 8 of a and column t % 8 of b. */
const byLanes = (body: string): string =>
  kernel(`
shr.u32 %r, %t, 3;
mul.wide.u32 %o, %r, 16;
add.s64 %x, %x, %o;
and.b32 %q, %t, 7;
mul.wide.u32 %o, %q, 4;
add.s64 %y, %y, %o;
${[0, 1, 2, 3].map((k) => `ld.global.f32 %a${String(k)}, [%x+${String(4 * k)}]; ld.global.f32 %b${String(k)}, [%y+${String(32 * k)}]; mov.f32 %s${String(k)}, 0f00000000;`).join('\n')}
${body}
st.global.f32 [%z], %s0;`)

const chain = [0, 1, 2, 3].map((k) => `fma.rn.f32 %s0, %a${String(k)}, %b${String(k)}, %s0;`)

describe('each lane an element', () => {
  const kernels: ReadonlyArray<readonly [about: string, body: string, proved: boolean, inOrder: boolean]> = [
    ['a chain', chain.join('\n'), true, true],
    ['backwards', [...chain].reverse().join('\n'), true, false],
    [
      'products and sums apart',
      [0, 1, 2, 3]
        .map((k) => `mul.rn.f32 %u, %b${String(k)}, %a${String(k)}; add.rn.f32 %s0, %u, %s0;`)
        .join('\n'),
      true,
      true,
    ],
    [
      'two sums',
      `${chain[0]!} ${chain[1]!} fma.rn.f32 %s1, %a2, %b2, %s1; fma.rn.f32 %s1, %a3, %b3, %s1; add.f32 %s0, %s0, %s1;`,
      true,
      false,
    ],
    [
      'half of it of a neighbour',
      `${chain[0]!} ${chain[1]!} fma.rn.f32 %s1, %a2, %b2, %s1; fma.rn.f32 %s1, %a3, %b3, %s1; shfl.sync.bfly.b32 %s1, %s1, 1, 31, -1; add.f32 %s0, %s0, %s1;`,
      false,
      false,
    ],
    ['one k twice', `${chain.join('\n')} ${chain[3]!}`, false, false],
    ['one k missing', chain.slice(1).join('\n'), false, false],
    ['a sum twice', `${chain.join('\n')} add.f32 %s0, %s0, %s0;`, false, false],
    [
      'a difference',
      `${chain.slice(1).join('\n')} mul.f32 %u, %a0, %b0; sub.f32 %s0, %s0, %u;`,
      false,
      false,
    ],
    ['another sign', `neg.f32 %a1, %a1; ${chain.join('\n')}`, false, false],
    ['a scale', `${chain.join('\n')} mul.f32 %s0, %s0, 0f40000000;`, false, false],
    ['a scale of one', `${chain.join('\n')} mul.f32 %s0, 0f3F800000, %s0;`, true, true],
    [
      'a scale of one of a half of it, and the other added',
      `${chain[0]!} ${chain[1]!} fma.rn.f32 %s1, %a2, %b2, %s1; fma.rn.f32 %s1, %a3, %b3, %s1; fma.rn.f32 %s0, %s1, 0f3F800000, %s0;`,
      true,
      false,
    ],
    [
      'a one that data has made',
      `${chain.join('\n')} div.rn.f32 %u, %a0, %a0; mul.f32 %s0, %s0, %u;`,
      false,
      false,
    ],
    ['nearly one', `${chain.join('\n')} mul.f32 %s0, %s0, 0f3F800001;`, false, false],
    [
      'one and a lane’s number',
      `${chain.join('\n')} mov.b32 %r, 0f3F800000; add.u32 %r, %r, %t; mov.b32 %u, %r; mul.f32 %s0, %s0, %u;`,
      false,
      false,
    ],
    ['one more', `${chain.join('\n')} add.f32 %s0, %s0, 0f3F800000;`, false, false],
    ['an element more', `${chain.join('\n')} add.f32 %s0, %s0, %a0;`, false, false],
    ['a cube', `${chain.join('\n')} mul.f32 %s0, %s0, %a0;`, false, false],
    ['clamped', `${chain.slice(0, 3).join('\n')} fma.rn.sat.f32 %s0, %a3, %b3, %s0;`, false, false],
    ['of a neighbour', `${chain.join('\n')} shfl.sync.bfly.b32 %s0, %s0, 1, 31, -1;`, false, false],
  ]
  test.each(sampled(3, kernels))('%s', (_, body, proved, inOrder) => {
    const { proof, isProduct } = ran(byLanes(body), small)
    expect([proof.text, proof.proved, proof.inOrder, isProduct]).toEqual([
      proof.text,
      proved,
      inOrder,
      proved,
    ])
  })

  const old = Array.from({ length: small.m * small.n }, (_, i) => i - 7)
  const epilogues: ReadonlyArray<
    readonly [said: string, body: string, is: (sum: number, old: number) => number]
  > = [
    ['0.5 * (a @ b)', 'mul.f32 %s0, %s0, 0f3F000000;', (sum) => sum / 2],
    [
      '0.5 * (a @ b) + 2 * c',
      'mul.f32 %s0, 0f3F000000, %s0; ld.global.f32 %u, [%z]; fma.rn.f32 %s0, %u, 0f40000000, %s0;',
      (sum, was) => sum / 2 + 2 * was,
    ],
    ['a @ b + c', 'ld.global.f32 %u, [%z]; fma.rn.f32 %s0, %s0, 0f3F800000, %u;', (sum, was) => sum + was],
    ['3 + a @ b', 'add.f32 %s0, %s0, 0f40400000;', (sum) => sum + 3],
    [
      '2 * (a @ b + c)',
      'ld.global.f32 %u, [%z]; add.f32 %s0, %s0, %u; mul.f32 %s0, 0f40000000, %s0;',
      (sum, was) => 2 * (sum + was),
    ],
  ]
  test.each(epilogues)('with an epilogue: %s', (said, body, is) => {
    const text = byLanes(`${chain.join('\n')} ${body}`)
    const { proof, isProduct } = ran(text, small, old, 'f32', is)
    expect([proof.proved, isProduct]).toEqual([true, true])
    expect(proof.text).toContain(`c = ${said} for all inputs`)
    // which is not only a product
    expect(ran(text, small, old).proof).toMatchObject({ proved: false })
    expect(ran(text, small, old).proof.text).toContain(said)
  })
  test.each([
    ['of another lane', 'shfl.sync.bfly.b32 %s0, %s0, 1, 31, -1; mul.f32 %s0, %s0, 0f3F000000;'],
    [
      'another scale in one lane',
      'setp.eq.u32 %p, %t, 5; mul.f32 %s0, %s0, 0f3F000000; @%p mul.f32 %s0, %s0, 0f3F000000;',
    ],
    ['by a lane’s number', 'cvt.rn.f32.u32 %u, %t; mul.f32 %s0, %s0, %u;'],
    [
      'of a neighbour’s element',
      'ld.global.f32 %u, [%z]; shfl.sync.bfly.b32 %u, %u, 1, 31, -1; add.f32 %s0, %s0, %u;',
    ],
    ['by a function', 'sqrt.rn.f32 %s0, %s0;'],
  ])('with no epilogue of whole tensors: %s', (_, body) => {
    const { proof } = ran(byLanes(`${chain.join('\n')} ${body}`), small, old, 'f32', () => 0)
    expect(proof).toMatchObject({ proved: false })
  })

  const named = fc.constantFrom('%a0', '%a1', '%a2', '%a3', '%b0', '%b1', '%b2', '%b3', '%s0', '%s1', '%s2')
  const recipe = fc.tuple(
    fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 }),
    fc.array(fc.constantFrom('fma', 'apart', 'turned'), { minLength: 4, maxLength: 4 }),
    fc.array(fc.constantFrom('%s0', '%s1'), { minLength: 4, maxLength: 4 }),
    fc.option(fc.tuple(fc.nat(), named), { freq: 2 }),
  )
  prop([recipe], { numRuns: nightly ? 300 : 6 })('drawn: proved iff it is one', ([ks, ways, sums, edit]) => {
    const lines = [
      ...ks.map((k, i) => {
        const [a, b, s] = [`%a${String(k)}`, `%b${String(k)}`, sums[i]!]
        return ways[i] === 'fma'
          ? `fma.rn.f32 ${s}, ${a}, ${b}, ${s};`
          : ways[i] === 'turned'
            ? `fma.rn.f32 ${s}, ${b}, ${a}, ${s};`
            : `mul.f32 %u, ${a}, ${b}; add.f32 ${s}, ${s}, %u;`
      }),
      'add.f32 %s0, %s1, %s0;',
    ].join('\n')
    const places = [...lines.matchAll(/%[abs]\d/gu)]
    const text =
      edit === null
        ? lines
        : ((at) => `${lines.slice(0, at)}${edit[1]}${lines.slice(at + 3)}`)(
            places[edit[0] % places.length]!.index,
          )
    const { proof, isProduct } = ran(byLanes(text), small)
    return proof.proved === isProduct
  })
})

// ---------------------------------------------------------------- all lanes one element

const dot: Extents = { m: 1, n: 1, k: 32 }
/** Lane t has a[t] and b[t]. */
const byAll = (body: string): string =>
  kernel(`
add.s64 %x, %x, %o;
add.s64 %y, %y, %o;
sub.s64 %z, %z, %o;
ld.global.f32 %a0, [%x];
ld.global.f32 %b0, [%y];
mul.f32 %s0, %a0, %b0;
${body}`)
const butterfly = (by: number): string =>
  `shfl.sync.bfly.b32 %u, %s0, ${String(by)}, 31, -1; add.f32 %s0, %s0, %u;`
const store = 'setp.eq.u32 %p, %t, 0; @%p st.global.f32 [%z], %s0;'

describe('all lanes one element', () => {
  const kernels: ReadonlyArray<
    readonly [about: string, body: string, before: ReadonlyArray<number> | null, proved: boolean]
  > = [
    ['by butterflies', `${[16, 8, 4, 2, 1].map(butterfly).join('\n')} ${store}`, null, true],
    ['one of them twice', `${[16, 8, 4, 4, 1].map(butterfly).join('\n')} ${store}`, null, false],
    ['one of them left out', `${[16, 8, 4, 2].map(butterfly).join('\n')} ${store}`, null, false],
    ['by atomics, onto zero', 'red.global.add.f32 [%z], %s0;', [0], true],
    ['by atomics, onto another number', 'red.global.add.f32 [%z], %s0;', [1], false],
    ['by atomics, one lane missing', 'setp.ne.u32 %p, %t, 7; @%p red.global.add.f32 [%z], %s0;', [0], false],
    [
      'by atomics, one lane twice',
      'red.global.add.f32 [%z], %s0; setp.eq.u32 %p, %t, 7; @%p red.global.add.f32 [%z], %s0;',
      [0],
      false,
    ],
  ]
  test.each(sampled(2, kernels))('%s', (_, body, before, proved) => {
    const { proof, isProduct } = ran(byAll(body), dot, before)
    expect([proof.text, proof.proved, isProduct]).toEqual([proof.text, proved, proved])
  })
})

// ---------------------------------------------------------------- products of the whole warp

describe('a product of the whole warp', () => {
  const extents: Extents = { m: 16, n: 8, k: 16 }
  /** Lane 4g + t has rows g and g + 8 of a and c, columns 2t and 2t + 1 of each eight; column g of b, of its rows the same. */
  const byWarp = (product: string): string =>
    kernel(`
.reg .b32 %f<8>;
.reg .b16 %h<4>;
.reg .f32 %d<8>;
shr.u32 %r, %t, 2;
and.b32 %q, %t, 3;
ld.param.u64 %z, [z];
mad.wide.u32 %x, %r, 32, %x; mad.wide.u32 %x, %q, 4, %x;
mad.wide.u32 %y, %q, 32, %y; mad.wide.u32 %y, %r, 2, %y;
mad.wide.u32 %z, %r, 32, %z; mad.wide.u32 %z, %q, 8, %z;
ld.global.b32 %f0, [%x]; ld.global.b32 %f1, [%x+256]; ld.global.b32 %f2, [%x+16]; ld.global.b32 %f3, [%x+272];
${[0, 1]
  .map(
    (w) =>
      `ld.global.b16 %h0, [%y+${String(128 * w)}]; ld.global.b16 %h1, [%y+${String(128 * w + 16)}]; mov.b32 %f${String(4 + w)}, {%h0, %h1};`,
  )
  .join('\n')}
${[0, 1, 2, 3].map((i) => `mov.f32 %d${String(i)}, 0f00000000;`).join(' ')}
${product}
st.global.v2.f32 [%z], {%d0, %d1}; st.global.v2.f32 [%z+256], {%d2, %d3};`)
  const mma = (a: string, b: string): string =>
    `mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%d0, %d1, %d2, %d3}, {${a}}, {${b}}, {%d0, %d1, %d2, %d3};`
  const [a, b] = ['%f0, %f1, %f2, %f3', '%f4, %f5']
  test.each([
    ['as it is', mma(a, b), true],
    ['rows of a exchanged', mma('%f1, %f0, %f3, %f2', b), false],
    ['halves of k exchanged', mma('%f2, %f3, %f0, %f1', '%f5, %f4'), true],
    ['halves of k of one operand exchanged', mma(a, '%f5, %f4'), false],
    ['twice', `${mma(a, b)} ${mma(a, b)}`, false],
    ['and a sum', `${mma(a, b)} add.f32 %d1, %d1, %d0;`, false],
    ['rows of c exchanged', `${mma(a, b)} mov.f32 %d4, %d0; mov.f32 %d0, %d1; mov.f32 %d1, %d4;`, false],
    ['from plain zeros', mma('%q, %q, %q, %q', b), false],
  ])('%s', (_, product, proved) => {
    const { proof, isProduct } = ran(byWarp(product), extents, null, 'f16')
    expect([proof.text, proof.proved, isProduct]).toEqual([proof.text, proved, proved])
  })
})

describe('sums and products by name', () => {
  test.each<readonly [string, Dtype | null]>([
    ['add.f32', 'f32'],
    ['fma.rn.ftz.f16x2', 'f16'],
    ['mul.rn.bf16', 'bf16'],
    ['add.s32', 'i32'],
    ['mul.lo.s32', 'i32'],
    ['mad.lo.u32', 'i32'],
    ['mul.hi.u32', null],
    ['mul.wide.s32', null],
    ['sub.f32', null],
    ['add.sat.s32', null],
    ['fma.rn.sat.f32', null],
    ['add.f64', null],
  ])('%s', (name, dtype) => {
    expect(arithmeticOf(name)?.dtype ?? null).toBe(dtype)
  })
})

// both halves of a word of two, and a word whose upper half a number of 16 bits does not have
test.each([
  ['mul.f32', 'f32', 4, 0x40490fdb],
  ['mul.rn.f32', 'f32', 4, 0x40490fdb],
  ['mul.f16', 'f16', 2, 0x4248],
  ['mul.f16x2', 'f16', 4, 0x42484100],
  ['mul.bf16', 'bf16', 2, 0x4049],
  ['mul.bf16x2', 'bf16', 4, 0x40493f80],
  ['mul.lo.s32', 'i32', 4, -12345],
] as const)('%s by the word that is one leaves a word as it is', (name, dtype, bytes, word) => {
  const is = arithmeticOf(name)!
  expect(is).toEqual({ how: 'multiply', dtype, bytes, rows: 1 })
  const row = scalarOperation(name) ?? scalarOperation(name.replace('mul.', 'mul.rn.'))
  expect(row!.compute(word, oneOf(is))).toBe(word)
  expect(row!.compute(oneOf(is), word)).toBe(word)
})
test('other products and sums are of no arithmetic that is followed, or have another type', () => {
  const names = ['mul.hi.s32', 'mul.wide.s32', 'add.sat.s32', 'add.sat.f32', 'mul.f64', 'xor.b32', 'max.f32']
  expect(names.map(arithmeticOf)).toEqual(names.map(() => null))
  expect(['add.s32', 'add.ftz.f32', 'fma.rn.f32', 'add.u32', 'sub.s32'].map(arithmeticOf)).toEqual([
    { how: 'add', dtype: 'i32', bytes: 4, rows: 1 },
    { how: 'add', dtype: 'f32', bytes: 4, rows: 1 },
    { how: 'multiplyAdd', dtype: 'f32', bytes: 4, rows: 1 },
    { how: 'add', dtype: 'i32', bytes: 4, rows: 1 },
    null,
  ])
})
