/** What an entry does with its parameters. Oracle: by hand, text by text. */
import { describe, expect, test } from 'vitest'
import type { Code } from '../../../../src/dialects/ptx/index.js'
import { axesOf, parameterUses } from '../../../../src/dialects/ptx/flow/parameters.js'
import { codesOf, moduleOf } from '../small-text.js'

const declared = `.reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<16>; .reg .b64 %rd<16>; .reg .f32 %f<8>;
.shared .align 128 .b8 tile[1024]; .shared .align 8 .b64 bar;`
const codeWith = (parameters: ReadonlyArray<string>, lines: string): Code =>
  codesOf(moduleOf(parameters, `${declared}\n${lines}`, { target: 'sm_100a' }))[0]!
/** `0 at 0: u64, reads f32, writes b32, map of 2, stored`; `&`: the address of the parameter itself. */
const usesIn = (parameters: ReadonlyArray<string>, lines: string): ReadonlyArray<string> =>
  parameterUses(codeWith(parameters, lines)).map(({ parameter, offset, type, read, written, rank, stored }) =>
    [
      `${String(parameter)} at ${String(offset)}: ${type ?? '&'}`,
      ...(read.length > 0 ? [`reads ${read.join(' ')}`] : []),
      ...(written.length > 0 ? [`writes ${written.join(' ')}`] : []),
      ...(rank > 0 ? [`map of ${String(rank)}`] : []),
      ...(stored ? ['stored'] : []),
    ].join(', '),
  )
const uses = (lines: string): ReadonlyArray<string> => usesIn(['x', 'y', 'u32 n'], lines)

describe('numbers and addresses', () => {
  test.each([
    ['nothing', 'ret;', []],
    ['a number', 'ld.param.u32 %r1, [n];', ['2 at 0: u32']],
    ['a number that is added to another', 'ld.param.u32 %r1, [n]; add.u32 %r2, %r1, 1;', ['2 at 0: u32']],
    [
      'an address that is read',
      'ld.param.u64 %rd1, [x]; ld.global.f32 %f1, [%rd1];',
      ['0 at 0: u64, reads f32'],
    ],
    [
      'one that is written',
      'ld.param.u64 %rd1, [x]; st.global.u16 [%rd1+4], %h1;',
      ['0 at 0: u64, writes u16'],
    ],
    [
      'one that is both',
      'ld.param.u64 %rd1, [x]; ld.global.f32 %f1, [%rd1]; st.global.b32 [%rd1], %r1;',
      ['0 at 0: u64, reads f32, writes b32'],
    ],
    [
      'an atomic',
      'ld.param.u64 %rd1, [x]; atom.global.add.u32 %r1, [%rd1], 1;',
      ['0 at 0: u64, reads u32, writes u32'],
    ],
    [
      'types in their order',
      'ld.param.u64 %rd1, [x]; ld.global.u32 %r1, [%rd1]; ld.global.b32 %r1, [%rd1]; st.global.u32 [%rd1], %r1; st.global.b32 [%rd1], %r1;',
      ['0 at 0: u64, reads b32 u32, writes b32 u32'],
    ],
    [
      'two, in the order of the entry',
      'ld.param.u64 %rd2, [y]; ld.param.u64 %rd1, [x]; ld.global.f32 %f1, [%rd1]; st.global.f32 [%rd2], %f1;',
      ['0 at 0: u64, reads f32', '1 at 0: u64, writes f32'],
    ],
    [
      'the same loaded twice is one',
      'ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [x]; ld.global.f32 %f1, [%rd1]; st.global.f32 [%rd2], %f1;',
      ['0 at 0: u64, reads f32, writes f32'],
    ],
    [
      'where registers go',
      'ld.param.u64 %rd1, [x]; cvta.to.global.u64 %rd2, %rd1; mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd2, %rd3; mov.u64 %rd5, %rd4; ld.global.f32 %f1, [%rd5];',
      ['0 at 0: u64, reads f32'],
    ],
    [
      'in any order',
      'ld.global.f32 %f1, [%rd5]; mov.u64 %rd5, %rd4; mov.u64 %rd4, %rd1; ld.param.u64 %rd1, [x];',
      ['0 at 0: u64, reads f32'],
    ],
    [
      'through choices and wide sums',
      'ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; selp.b64 %rd3, %rd1, %rd2, %p1; mad.wide.u32 %rd4, %r1, 4, %rd3; ld.global.f32 %f1, [%rd4];',
      ['0 at 0: u64, reads f32', '1 at 0: u64, reads f32'],
    ],
    [
      'and not through products',
      'ld.param.u64 %rd1, [x]; mul.lo.u64 %rd2, %rd1, 2; ld.global.f32 %f1, [%rd2];',
      ['0 at 0: u64'],
    ],
    [
      'nor through memory',
      'ld.param.u64 %rd1, [x]; ld.global.u64 %rd2, [%rd1]; ld.global.f32 %f1, [%rd2];',
      ['0 at 0: u64, reads u64'],
    ],
    [
      'a value that is stored is no address',
      'ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; st.global.u64 [%rd2], %rd1;',
      ['0 at 0: u64', '1 at 0: u64, writes u64'],
    ],
    ['advice moves nothing', 'ld.param.u64 %rd1, [x]; prefetch.global.L2 [%rd1];', ['0 at 0: u64']],
  ])('%s', (_, lines, found) => {
    expect(uses(lines)).toEqual(found)
  })
})

describe('structures', () => {
  const struct = (lines: string): ReadonlyArray<string> => usesIn(['align 8 .b8 s[32]', 'y'], lines)
  test.each([
    [
      'its address, and its first word',
      'ld.param.u32 %r1, [s]; mov.b64 %rd1, s;',
      ['0 at 0: u32', '0 at 0: &'],
    ],

    [
      'fields by their bytes',
      'ld.param.u32 %r1, [s+24]; ld.param.u64 %rd1, [s+8]; ld.global.f32 %f1, [%rd1];',
      ['0 at 8: u64, reads f32', '0 at 24: u32'],
    ],
    [
      'each register of a vector',
      'ld.param.v2.u64 {%rd1, %rd2}, [s+8]; st.global.f32 [%rd2], %f1;',
      ['0 at 8: u64', '0 at 16: u64, writes f32'],
    ],
    [
      'of narrow ones, too',
      'ld.param.v4.u8 {%h1, %h2, %h3, %h4}, [s];',
      ['0 at 0: u8', '0 at 1: u8', '0 at 2: u8', '0 at 3: u8'],
    ],
    [
      'through the address of the parameter',
      'mov.b64 %rd1, s; add.s64 %rd2, %rd1, 8; ld.param.u64 %rd3, [%rd2+8]; ld.global.f32 %f1, [%rd3];',
      ['0 at 0: &', '0 at 8: u64, reads f32'],
    ],
    [
      'at an offset of it',
      'mov.b64 %rd1, s; ld.param.v2.u32 {%r1, %r2}, [%rd1+12];',
      ['0 at 0: &', '0 at 12: u32', '0 at 16: u32'],
    ],
  ])('%s', (_, lines, found) => {
    expect(struct(lines)).toEqual(found)
  })
})

describe('tensor maps', () => {
  const map = (lines: string): ReadonlyArray<string> => usesIn(['align 64 .b8 m[128]', 'x', 'y'], lines)
  const load = 'cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1]'
  const store = 'cp.async.bulk.tensor.3d.global.shared::cta.bulk_group'
  test.each([
    [
      'named twice',
      `${store} [m, {%r2, %r3, %r5}], [%r1]; ${load}, [m, {%r2, %r3}], [%r4];`,
      ['0 at 0: &, map of 3, stored'],
    ],

    [
      'by the address of the parameter',
      `mov.b64 %rd1, m; ${load}, [%rd1, {%r2, %r3}], [%r4];`,
      ['0 at 0: &, map of 2'],
    ],
    ['named in the instruction', `${load}, [m, {%r2, %r3}], [%r4];`, ['0 at 0: &, map of 2']],
    [
      'by an address that is given',
      `ld.param.u64 %rd1, [x]; ${load}, [%rd1, {%r2, %r3}], [%r4];`,
      ['1 at 0: u64, map of 2'],
    ],
    [
      'into which is stored',
      `mov.b64 %rd1, m; ${store} [%rd1, {%r2, %r3, %r5}], [%r1];`,
      ['0 at 0: &, map of 3, stored'],
    ],
    [
      'the larger of two ranks',
      `mov.b64 %rd1, m; ${store} [%rd1, {%r2, %r3, %r5}], [%r1]; ${load}, [%rd1, {%r2, %r3}], [%r4];`,
      ['0 at 0: &, map of 3, stored'],
    ],
    [
      'with what is added',
      'mov.b64 %rd1, m; cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group [%rd1, {%r2}], [%r1];',
      ['0 at 0: &, map of 1, stored'],
    ],
    ['advice about a map', 'mov.b64 %rd1, m; prefetch.tensormap [%rd1];', ['0 at 0: &']],
    [
      'what a map that is made lies over',
      'ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; tensormap.replace.tile.global_address.global.b1024.b64 [%rd2], %rd1;',
      ['1 at 0: u64, reads f16, writes f16', '2 at 0: u64'],
    ],
    [
      'and no other field of it',
      'ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; tensormap.replace.tile.global_stride.global.b1024.b64 [%rd2], 0, %rd1;',
      ['1 at 0: u64', '2 at 0: u64'],
    ],
  ])('%s', (_, lines, found) => {
    expect(map(lines)).toEqual(found)
  })
})

describe('copies', () => {
  test.each([
    [
      'from an address in shared memory that is given',
      'ld.param.u64 %rd1, [x]; ld.param.u32 %r1, [n]; cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 64;',
      ['0 at 0: u64, writes b32', '2 at 0: u32, reads b32'],
    ],
    [
      'so with a tensor map',
      'ld.param.u64 %rd1, [x]; ld.param.u32 %r1, [n]; cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%rd1, {%r2}], [%r1];',
      ['0 at 0: u64, map of 1, stored', '2 at 0: u32, reads b32'],
    ],
    [
      'and what is added from it',
      'ld.param.u64 %rd1, [x]; ld.param.u32 %r1, [n]; cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%rd1], [%r1], 64;',
      ['0 at 0: u64, reads f32, writes f32', '2 at 0: u32, reads f32'],
    ],

    [
      'from global memory',
      'ld.param.u64 %rd1, [x]; cp.async.ca.shared.global [%r1], [%rd1], 16;',
      ['0 at 0: u64, reads b32'],
    ],
    [
      'a bulk copy from it',
      'ld.param.u64 %rd1, [x]; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], 64, [%r2];',
      ['0 at 0: u64, reads b32'],
    ],
    [
      'into it',
      'ld.param.u64 %rd1, [x]; cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 64;',
      ['0 at 0: u64, writes b32'],
    ],
    [
      'added to it',
      'ld.param.u64 %rd1, [x]; cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%rd1], [%r1], 64;',
      ['0 at 0: u64, reads f32, writes f32'],
    ],
  ])('%s', (_, lines, found) => {
    expect(uses(lines)).toEqual(found)
  })
})

test('axes of the grid', () => {
  const axes = (lines: string): number => axesOf(codeWith(['x'], lines))
  expect(axes('ret;')).toBe(1)
  expect(axes('mov.u32 %r1, %ctaid.x;')).toBe(1)
  expect(axes('mov.u32 %r1, %ctaid.y;')).toBe(2)
  expect(axes('mov.u32 %r1, %ctaid.z; mov.u32 %r2, %ctaid.y;')).toBe(3)
  expect(axes('mov.u32 %r2, %ctaid.y; mov.u32 %r1, %tid.z;')).toBe(2)
  expect(axes('mov.u32 %r1, %nctaid.z;')).toBe(1)
})
