/** What single instructions are as operations. Oracle: the PTX ISA, for what each says; ptxas 13.0, for which there are. */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { elaborate } from '../../../src/dialects/ptx/elaboration/elaborate.js'
import { parseModule } from '../../../src/dialects/ptx/index.js'
import type { Operation, WarpProgram } from '../../../src/semantics/warps/program.js'
import { left, right } from '../../either.js'

const elaborated = (line: string, target = 'sm_100a') =>
  elaborate(
    right(
      parseModule(`.version 8.8
.target ${target}
.address_size 64
.visible .entry k(.param .b64 par) {
.reg .b32 %r<20>; .reg .b64 %rd<8>; .reg .pred %p<4>; .reg .b16 %h<8>; .shared .align 16 .b8 s[64];
${line}
ret;
}`),
    ),
    'k',
    'k.ptx',
  )
const programOf = (line: string): WarpProgram => right(elaborated(line)).program
const operationOf = <T extends Operation['_tag']>(
  line: string,
  tag: T,
): Extract<Operation, { readonly _tag: T }> => {
  const found = programOf(line).code.find(({ operation }) => operation._tag === tag)
  return found!.operation as Extract<Operation, { readonly _tag: T }>
}

describe('tensor memory', () => {
  test('an allocation puts its address through a generic address, unless it names shared memory', () => {
    const spaceOf = (line: string): string => operationOf(line, 'tcgen05Alloc').into.space
    expect(spaceOf('tcgen05.alloc.cta_group::1.sync.aligned.b32 [%rd1], 32;')).toBe('generic')
    expect(spaceOf('tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r1], 32;')).toBe('shared')
  })
  test('a commit is for the CTAs of its mask, if it has one', () => {
    const commit = 'tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster'
    expect(operationOf(`${commit}.b64 [%r1];`, 'tcgen05Commit').multicast).toBe(null)
    const { multicast } = operationOf(`${commit}.multicast::cluster.b64 [%r1], %h1;`, 'tcgen05Commit')
    // a row of its own, beside that of the address
    expect(typeof multicast).toBe('number')
    expect(
      operationOf(`${commit}.multicast::cluster.b64 [%r1], %h1;`, 'tcgen05Commit').barrier.rows,
    ).not.toContain(multicast)
  })
  test.each([
    ['', false],
    ['.pack::16b', true],
  ])('words of two halves: %s', (packs, packed) => {
    expect(
      operationOf(`tcgen05.ld.sync.aligned.32x32b.x1${packs}.b32 {%r1}, [%r2];`, 'tcgen05Load').moved.packed,
    ).toBe(packed)
    const unpacks = packs.replace('pack', 'unpack')
    expect(
      operationOf(`tcgen05.st.sync.aligned.32x32b.x1${unpacks}.b32 [%r2], {%r1};`, 'tcgen05Store').moved
        .packed,
    ).toBe(packed)
  })
  // all that ptxas takes for sm_100a, of all kinds and all sizes
  const taken: Readonly<Record<string, number>> = {
    mxf8f6f4: 32,
    'mxf8f6f4.scale_vec::1X': 32,
    'mxf8f6f4.block32': 32,
    mxf4: 32,
    'mxf4.scale_vec::2X': 32,
    'mxf4.block32': 32,
    'mxf4nvf4.scale_vec::2X': 32,
    'mxf4nvf4.scale_vec::4X': 16,
    'mxf4nvf4.block16': 16,
    'mxf4nvf4.block32': 32,
  }
  test('elements that share a scale', () => {
    const found = ['mxf8f6f4', 'mxf4', 'mxf4nvf4'].flatMap((kind) =>
      ['', '.scale_vec::1X', '.scale_vec::2X', '.scale_vec::4X', '.block16', '.block32'].flatMap((size) => {
        const line = `tcgen05.mma.cta_group::1.kind::${kind}.block_scale${size} [%r1], %rd1, %rd2, %r2, [%r3], [%r4], %p1;`
        return E.isRight(elaborated(line))
          ? [[`${kind}${size}`, operationOf(line, 'tcgen05Mma').scales?.block] as const]
          : []
      }),
    )
    expect(Object.fromEntries(found)).toEqual(taken)
  })
})

test('words that are put together of numbers', () => {
  const wordsOf = (line: string): ReadonlyArray<number> =>
    [...programOf(line).constants].map(({ word }) => word >>> 0).filter((word) => word !== 0)
  expect(wordsOf('mov.b32 %r1, {0x1234, 0x5678};')).toEqual([0x1234, 0x5678])
  expect(wordsOf('mov.b32 %r1, {%h1, 0x5678};')).toEqual([0x5678])
  expect(wordsOf('mov.b64 %rd1, {0x12345678, %r1};')).toEqual([0x12345678])
})

test.each([
  ['async', 'cluster global'],
  ['async.global', 'global'],
  ['async.shared::cta', 'cta'],
  ['async.shared::cluster', 'cluster'],
  ['async::generic.acquire.sync_restrict::shared::cluster.cluster', 'cluster'],
  ['async::generic.release.sync_restrict::shared::cta.cluster', 'cta'],
])('fence.proxy.%s is for %s memory', (kind, spaces) => {
  const found = programOf(`fence.proxy.${kind};`).code.flatMap(({ operation: o }) =>
    o._tag === 'fence' ? [o.kind === 'proxyAsync' ? o.scope : o.kind] : [],
  )
  expect(found.join(' ')).toBe(spaces)
})

test.each([
  ['%tid.x', 'ptx.operand'],
  ['%r1', 'ptx.operand'],
  ['s', 'ptx.operand'],
  ['%nope', 'ptx.name'],
  // `%r<20>` is %r0 to %r19
  ['%r', 'ptx.name'],
])('%s is no predicate: %s', (operand, code) => {
  expect(left(elaborated(`and.pred %p1, ${operand}, %p2;`)).code).toBe(code)
  expect(E.isRight(elaborated('and.pred %p1, 1, %p2;'))).toBe(true)
})

test('a matrix is in memory, and no parameter', () => {
  const registers = '{%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}'
  const load = (at: string) => elaborated(`wmma.load.a.sync.aligned.row.m16n16k16.f16 ${registers}, [${at}];`)
  expect(left(load('par')).code).toBe('ptx.operand')
  expect(E.isRight(load('%rd1'))).toBe(true)
})

describe('what a program does by itself', () => {
  test('a trap is no assertion that fails', () => {
    expect(operationOf('trap;', 'trap')).toMatchObject({ asserted: false })
  })
  test.each([
    // ptxas takes the cache operator, and the way of a load, before the state space
    ['ld.nc.global.u32 %r1, [%rd1];', 'ld.global.nc.u32 %r1, [%rd1];'],
    ['ld.ca.global.u32 %r1, [%rd1];', 'ld.global.ca.u32 %r1, [%rd1];'],
    ['st.wb.global.u32 [%rd1], %r1;', 'st.global.wb.u32 [%rd1], %r1;'],
    ['ld.global.acquire.gpu.u32 %r1, [%rd1];', 'ld.acquire.gpu.global.u32 %r1, [%rd1];'],
    ['max.s32.relu %r1, %r2, %r3;', 'max.relu.s32 %r1, %r2, %r3;'],
    ['vote.all.sync.pred %p1, %p2, -1;', 'vote.sync.all.pred %p1, %p2, -1;'],
  ])('%s is %s', (one, other) => {
    const operations = (line: string) => programOf(line).code.map(({ operation }) => operation)
    expect(operations(one)).toEqual(operations(other))
  })
  // a word of halves, of bytes, and of both orders of the same
  test.each([
    ['mov.b32 %r1, {%h1, %h2};', 'pack', [[16, 2]]],
    [
      'mov.b64 %rd1, {%h1, %h2, %h3, %h4};',
      'pack',
      [
        [16, 2],
        [16, 2],
      ],
    ],
    [
      'mov.b32 {%h1, %h2}, %r1;',
      'part',
      [
        [16, 0],
        [16, 16],
      ],
    ],
    [
      'mov.b64 {%h1, %h2, %h3, %h4}, %rd1;',
      'part',
      [
        [16, 0],
        [16, 16],
        [16, 0],
        [16, 16],
      ],
    ],
  ] as const)('%s', (line, tag, all) => {
    const found = programOf(line).code.flatMap(({ operation: o }) =>
      o._tag === tag ? [o._tag === 'pack' ? [o.bits, o.from.length] : [o.bits, o.at]] : [],
    )
    expect(found).toEqual(all)
  })
})
