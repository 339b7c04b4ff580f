/**
 * Data followed through registers: what a kernel moves is proved for all inputs or refuted.
 *
 * Oracle: the kernel run on inputs. What is proved to be a copy is one on every input that was tried; a kernel that only moves bytes and whose output is its
 * input on three random inputs (of 128 random bytes each) is a copy, and is proved to be one.
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import type { Machine } from '../../../src/semantics/machine/state.js'
import * as Plane from '../../../src/semantics/machine/plane.js'
import type { World } from '../../../src/semantics/machine/world.js'
import { usualSharedBase, warpSource } from '../../../src/semantics/execution/launch-warps.js'
import { eager } from '../../../src/semantics/execution/policy.js'
import type { Provenance } from '../../../src/semantics/judging/verdict.js'
import { checkSource, standardOptions } from '../../../src/semantics/verdict/check.js'
import * as Ref from '../../../src/transforms/ref.js'
import { right } from '../../either.js'
import { nightly } from '../../extent.js'
import { prop } from '../../prop.js'
import { moduleOf, programOf } from '../../dialects/ptx/small-text.js'

/** Every lane loads two elements of f16 as one word into %a, and stores %a. */
const kernel = (
  body: string,
  load = 'ld.global.b32 %a, [%in];',
  store = 'st.global.b32 [%out], %a;',
): string =>
  moduleOf(
    ['x', 'y'],
    `.reg .pred %p, %q;
.reg .b16 %h<4>;
.reg .b32 %a, %b, %c, %d, %t, %s;
.reg .f32 %f;
.reg .b64 %in, %out, %o;
.shared .align 16 .b8 m[128];
ld.param.u64 %in, [x];
ld.param.u64 %out, [y];
mov.u32 %t, %tid.x;
mul.wide.u32 %o, %t, 4;
add.s64 %in, %in, %o;
add.s64 %out, %out, %o;
mov.u32 %s, m;
mov.u32 %b, 0;
mov.u32 %c, 0;
mov.u32 %d, 0;
${load}
${body}
${store}
ret;`,
  )

const elements = {
  dtype: 'f16',
  layout: right(Ref.ofStrides([64], 16, [1])),
  shape: [64],
  strides: [1],
} as const

const wide = {
  dtype: 'f32',
  layout: right(Ref.ofStrides([64], 32, [1])),
  shape: [64],
  strides: [1],
} as const

const ran = (
  text: string,
  input: Uint8Array,
  left: typeof elements | typeof wide = elements,
): { readonly proof: Provenance; readonly output: Uint8Array } => {
  const checked = right(
    checkSource(
      warpSource(programOf(text), {
        grid: [1],
        block: [32],
        cluster: null,
        dynamicBytes: 0,
        parameters: new Uint8Array(16),
        pointers: [
          { offset: 0, tensor: 'x' },
          { offset: 8, tensor: 'y' },
        ],
        tensors: [
          { name: 'x', role: 'in', contents: input, bytes: 128, elements, symbol: null },
          {
            name: 'y',
            role: 'out',
            contents: null,
            bytes: left === wide ? 256 : 128,
            elements: left,
            symbol: null,
          },
        ],
        sharedBase: usualSharedBase,
        computes: { _tag: 'copy', from: 'x', out: 'y' },
      }),
      { ...standardOptions, algebra: bits('hopper'), policy: eager, explore: false },
    ),
  )
  return { proof: checked.verdict.provenance!, output: bytesOf(checked) }
}

const planeBytes = 128
const bytesOf = ({ world, machine }: { world: World; machine: Machine }): Uint8Array => {
  const out = new Uint8Array(planeBytes)
  Plane.copyOut(
    machine.planes[world.header.planes.findIndex(({ name }) => name === 'y')]!,
    0,
    planeBytes,
    out,
  )
  return out
}

const seededBytes = (seed: number): Uint8Array => {
  let x = Math.imul(seed + 1, 0x9e3779b1)
  return Uint8Array.from({ length: planeBytes }, () => {
    x = (Math.imul(x, 1664525) + 1013904223) | 0
    return x >>> 24
  })
}
const same = (a: Uint8Array, b: Uint8Array): boolean => a.every((v, i) => v === b[i])

/** What is proved, and if three runs copied. */
const judged = (text: string): { readonly proof: Provenance; readonly copies: boolean } => {
  const runs = [1, 2, 3].map((seed) => {
    const input = seededBytes(seed)
    const { proof, output } = ran(text, input)
    return { proof, copies: same(output, input) }
  })
  expect(new Set(runs.map(({ proof }) => proof.proved)).size).toBe(1)
  return { proof: runs[0]!.proof, copies: runs.every(({ copies }) => copies) }
}

describe('copies', () => {
  test.each([
    ['as it is', ''],
    ['through another register', 'mov.b32 %b, %a; mov.b32 %a, %b;'],
    ['taken apart and put together', 'mov.b32 {%h0, %h1}, %a; mov.b32 %a, {%h0, %h1};'],
    ['permuted twice', 'prmt.b32 %b, %a, 0, 0x0123; prmt.b32 %a, %b, 0, 0x0123;'],
    [
      'shifted, masked and joined',
      'shl.b32 %b, %a, 16; shr.u32 %b, %b, 16; and.b32 %c, %a, 0xffff0000; or.b32 %a, %b, %c;',
    ],
    [
      'shuffled there and back',
      'shfl.sync.bfly.b32 %b, %a, 5, 31, -1; shfl.sync.bfly.b32 %a, %b, 5, 31, -1;',
    ],
    [
      'chosen by the lane',
      'setp.lt.u32 %p, %t, 7; xor.b32 %b, %t, 9; selp.b32 %a, %a, %b, %p; @!%p ld.global.b32 %a, [%in];',
    ],
    [
      'guarded',
      'setp.lt.u32 %p, %t, 7; mov.b32 %b, %a; mov.b32 %a, 0; @%p mov.b32 %a, %b; @!%p mov.b32 %a, %b;',
    ],
    [
      'through shared memory, as halves of two lanes',
      'mov.b32 {%h0, %h1}, %a; shl.b32 %d, %t, 2; add.u32 %s, %s, %d; st.shared.b16 [%s], %h0; st.shared.b16 [%s+2], %h1; bar.sync 0; ld.shared.b32 %a, [%s];',
    ],
  ])('%s', (_, body) => {
    const { proof, copies } = judged(kernel(body))
    expect([proof.text, proof.proved, copies]).toEqual([proof.text, true, true])
  })
  test('two lanes of one load of 64 bits', () => {
    const { proof, copies } = judged(
      kernel(
        'and.b32 %c, %t, 1; setp.eq.u32 %p, %c, 1; selp.b32 %a, %b, %a, %p;',
        'and.b64 %o, %in, -8; ld.global.v2.b32 {%a, %b}, [%o];',
      ),
    )
    expect([proof.proved, copies]).toEqual([true, true])
  })
})

describe('no copies', () => {
  test.each([
    ['halves exchanged', 'prmt.b32 %a, %a, 0, 0x1032;', 'another element'],
    [
      'the middle of two elements',
      'shr.u32 %b, %a, 8; shl.b32 %c, %a, 24; or.b32 %a, %b, %c;',
      'part of an element',
    ],
    ['a neighbour', 'shfl.sync.bfly.b32 %a, %a, 1, 31, -1;', 'another element'],
    ['a sum', 'add.u32 %a, %a, 1;', 'computes with elements of f16 as if they were i32'],
    ['a half cut away', 'and.b32 %a, %a, 0xffff;', 'another element'],
    ['a constant', 'mov.b32 %a, 7;', 'computed by other means'],
    ['zeros', 'mov.b32 %a, 0;', 'is not an element of an input'],
  ])('%s', (_, body, why) => {
    const { proof, copies } = judged(kernel(body))
    expect([proof.proved, copies]).toEqual([false, false])
    expect(proof.text).toContain(why)
  })
})

describe('copies of these inputs alone', () => {
  test.each([
    ['a branch on data', 'setp.eq.u32 %p, %a, 0x12345; @%p bra L; bra M; L: mov.b32 %a, 0; M:'],
    ['a guard of data', 'setp.eq.u32 %p, %a, 0x12345; @%p mov.b32 %a, 0;'],
    [
      'an address of data',
      'and.b32 %b, %a, 3; and.b32 %b, %b, 4; cvt.u64.u32 %o, %b; add.s64 %out, %out, %o;',
    ],
    ['a choice of data', 'setp.eq.u32 %p, %a, 0x12345; selp.b32 %a, 0, %a, %p;'],
    [
      'a lane of data',
      'and.b32 %b, %a, 3; and.b32 %b, %b, 4; add.u32 %b, %b, %t; shfl.sync.idx.b32 %a, %a, %b, 31, -1;',
    ],
    [
      'a selector of data',
      'and.b32 %b, %a, 3; and.b32 %b, %b, 4; add.u32 %b, %b, 0x3210; prmt.b32 %a, %a, 0, %b;',
    ],
    [
      'a vote on the data of one lane',
      'mov.b32 %c, 0; setp.eq.u32 %q, %t, 7; @%q mov.b32 %c, %a; setp.eq.u32 %p, %c, 0x12345; vote.sync.any.pred %p, %p, -1; @%p mov.b32 %a, 0;',
    ],
    [
      'a sum of the data of one lane',
      'mov.b32 %c, 0; setp.eq.u32 %q, %t, 7; @%q mov.b32 %c, %a; redux.sync.or.b32 %c, %c, -1; setp.eq.u32 %p, %c, 0x12345; @%p mov.b32 %a, 0;',
    ],
    ['through f32', 'mov.b32 %f, %a; mul.f32 %f, %f, 0f3F800000; mov.b32 %b, %f;  add.u32 %a, %a, 0;'],
  ])('%s', (_, body) => {
    expect(judged(kernel(body)).proof.proved).toBe(false)
  })
})

describe('words that go through shared memory', () => {
  const through = (store: string, then = ''): string =>
    kernel(
      `${store} bar.sync 0; ${then} ld.shared.u32 %b, [%s]; setp.ne.u32 %p, %b, 0; @%p bra L; mov.b32 %a, 0; L:`,
    )
  test.each([
    ['a constant', through('st.shared.u32 [%s], 1;'), true],
    [
      'a constant in bytes',
      through('st.shared.u8 [%s], 1; st.shared.u8 [%s+1], 0; st.shared.u16 [%s+2], 0;'),
      true,
    ],
    [
      'what comes from constants',
      through('shl.b32 %c, %t, 2; sub.u32 %c, %c, %c; add.u32 %c, %c, 3; st.shared.u32 [%s], %c;'),
      true,
    ],
    [
      'an atomic on constants',
      through('st.shared.u32 [%s], 1;', 'atom.shared.add.u32 %d, [%s], 2; bar.sync 0;'),
      true,
    ],
    ['data', through('or.b32 %c, %a, 1; st.shared.u32 [%s], %c;'), false],
    [
      'data over a constant',
      through('st.shared.u32 [%s], 1;', 'or.b32 %c, %a, 1; st.shared.u32 [%s], %c; bar.sync 0;'),
      false,
    ],
    ['a byte of data', through('st.shared.u32 [%s], 1;', 'st.shared.u8 [%s+1], %a; bar.sync 0;'), false],
    [
      'data that comes later by a copy',
      through(
        'st.shared.u32 [%s], 1;',
        'cp.async.ca.shared.global [%s], [%in], 4; cp.async.wait_all; bar.sync 0;',
      ),
      false,
    ],
    [
      'an atomic on data',
      through('st.shared.u32 [%s], 1;', 'atom.shared.or.b32 %d, [%s], %a; bar.sync 0;'),
      false,
    ],
  ])('%s', (_, text, proved) => {
    const { proof } = ran(text, seededBytes(1))
    expect([proof.text, proof.proved]).toEqual([proof.text, proved])
  })
})

describe('what an agent might have done', () => {
  test.each([
    [
      'after its copy',
      'st.global.b32 [%out], %a; setp.eq.u32 %p, %a, 0x12345; @%p st.global.b32 [%out], %b;',
    ],
    [
      'after its copy, behind a branch',
      'st.global.b32 [%out], %a; setp.eq.u32 %p, %a, 0x12345; @!%p bra L; st.global.b32 [%out], %b; L:',
    ],
  ])('%s', (_, store) => {
    const { proof, copies } = judged(kernel('', undefined, store))
    expect([proof.proved, copies]).toEqual([false, true])
    expect(proof.text).toContain('data decides what an agent does')
  })
})

describe('conversions to a wider type', () => {
  // two elements of f16 become two of f32
  const widened = (body: string): Provenance =>
    ran(
      kernel(
        `add.s64 %out, %out, %o; mov.b32 {%h0, %h1}, %a; ${body}`,
        'ld.global.b32 %a, [%in];',
        'st.global.v2.b32 [%out], {%c, %d};',
      ),
      seededBytes(1),
      wide,
    ).proof
  test.each([
    ['each', 'cvt.f32.f16 %f, %h0; mov.b32 %c, %f; cvt.f32.f16 %f, %h1; mov.b32 %d, %f;', true],
    ['exchanged', 'cvt.f32.f16 %f, %h1; mov.b32 %c, %f; cvt.f32.f16 %f, %h0; mov.b32 %d, %f;', false],
    ['one of them twice', 'cvt.f32.f16 %f, %h1; mov.b32 %c, %f; mov.b32 %d, %f;', false],
    [
      'as if they were of another type',
      'cvt.f32.bf16 %f, %h0; mov.b32 %c, %f; cvt.f32.bf16 %f, %h1; mov.b32 %d, %f;',
      false,
    ],
    [
      'halves of two that are put together',
      'cvt.f32.f16 %f, %h0; mov.b32 %c, %f; cvt.f32.f16 %f, %h1; mov.b32 %d, %f; prmt.b32 %c, %c, %d, 0x7610;',
      false,
    ],
  ])('%s', (_, body, proved) => {
    const proof = widened(body)
    expect([proof.text, proof.proved]).toEqual([proof.text, proved])
  })
})

// ---------------------------------------------------------------- random moves

const registers = ['%a', '%b', '%c', '%d'] as const
const register = fc.constantFrom(...registers)
/** Moves of bytes, of which every one may keep its element whole or not. */
const moves: fc.Arbitrary<string> = fc.oneof(
  fc.tuple(register, register).map(([x, y]) => `mov.b32 ${x}, ${y};`),
  fc
    .tuple(
      register,
      register,
      register,
      fc.constantFrom('0x3210', '0x1032', '0x5410', '0x7632', '0x3254', '0x2103', '0x5140'),
    )
    .map(([x, y, z, s]) => `prmt.b32 ${x}, ${y}, ${z}, ${s};`),
  fc
    .tuple(register, register, fc.constantFrom(1, 2, 16))
    .map(([x, y, by]) => `shfl.sync.bfly.b32 ${x}, ${y}, ${String(by)}, 31, -1;`),
  fc
    .tuple(register, register, register, fc.integer({ min: 0, max: 32 }))
    .map(([x, y, z, n]) => `setp.lt.u32 %p, %t, ${String(n)}; selp.b32 ${x}, ${y}, ${z}, %p;`),
  fc.tuple(register, register).map(([x, y]) => `mov.b32 {%h0, %h1}, ${x}; mov.b32 ${y}, {%h1, %h0};`),
  fc
    .tuple(register, register, register)
    .map(([x, y, z]) => `shl.b32 ${x}, ${y}, 16; shr.u32 ${z}, ${y}, 16; or.b32 ${x}, ${x}, ${z};`),
)

describe('random moves', () => {
  prop([fc.array(moves, { minLength: 1, maxLength: 6 })], { numRuns: nightly ? 120 : 40 })(
    'are proved iff they copy',
    (body) => {
      const { proof, copies } = judged(kernel(body.join('\n')))
      return proof.proved === copies
    },
  )
})
