/**
 * What nothing has written, read by warps: it counts where something comes of it. Oracle: for each kernel the word of y that would hold what nothing has written, by hand.
 */
import { describe, expect, it } from 'vitest'
import { verdictOfText, written } from '../../dialects/ptx/launched-text.js'
import { moduleOf } from '../../dialects/ptx/small-text.js'

/** A CTA of two warps writes s[0..63]; word 64, which the last lane reads as its neighbour, nothing has written. %p1: the neighbour is there. */
const module = (body: string): string =>
  moduleOf(
    ['py', 'pz'],
    `.reg .b32 %r<32>; .reg .b64 %rd<16>; .reg .pred %p<8>;
ld.param.u64 %rd1, [py]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4; add.s64 %rd5, %rd1, %rd3;
ld.param.u64 %rd7, [pz]; add.s64 %rd6, %rd7, %rd3;
shl.b32 %r2, %r1, 2; mov.u32 %r3, s; add.s32 %r3, %r3, %r2; mov.u32 %r4, t; add.s32 %r4, %r4, %r2;
st.shared.b32 [%r3], %r1; bar.sync 0;
setp.lt.u32 %p1, %r1, 63; ld.shared.b32 %r10, [%r3+4];
${body}
ret;`,
    {
      before: `.shared .align 16 .b8 s[260];
.shared .align 16 .b8 t[260];
.shared .align 8 .b8 bar[8];`,
    },
  )

/** A CTA of four warps with 32 columns of tensor memory, of which each lane loads a word that nothing has written. %p1 is false. */
const columns = (body: string): string =>
  moduleOf(
    ['py', 'pz'],
    `.reg .b32 %r<32>; .reg .b64 %rd<16>; .reg .pred %p<8>;
ld.param.u64 %rd1, [py]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4; add.s64 %rd5, %rd1, %rd3; mov.u32 %r3, s;
setp.gt.u32 %p1, %r1, 500; setp.lt.u32 %p7, %r1, 32;
@%p7 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r3], 32; bar.sync 0; ld.shared.b32 %r4, [s]; bar.sync 0;
shl.b32 %r5, %r1, 16; and.b32 %r5, %r5, 6291456; add.s32 %r5, %r5, %r4;
tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r10}, [%r5]; tcgen05.wait::ld.sync.aligned;
${body}
bar.sync 0; @%p7 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r4, 32;
ret;`,
    { target: 'sm_100a', before: '.shared .align 16 .b8 s[16];' },
  )

const told = (body: string, more: { readonly strict?: boolean } = {}): string =>
  toldOf(module(body), 64, more)

const toldOf = (text: string, threads: number, more: { readonly strict?: boolean } = {}): string => {
  const verdict = verdictOfText(
    text,
    { threads, buffers: written(threads, 'y', 'z'), outputs: ['y'] },
    { ...more, provenance: false, explore: false },
  )
  const ids = (
    fs: ReadonlyArray<{ readonly id: string; readonly place?: { readonly plane: string } }>,
  ): string =>
    [...new Set(fs.map((f) => `${f.id} ${f.place?.plane ?? ''}`))].filter((x) => !x.includes('O1')).join()
  return [
    verdict.findings.every(({ id }) => id === 'O1') ? 'ok' : verdict.verdict,
    ids(verdict.findings),
    ids(verdict.notes),
  ]
    .filter((x) => x !== '')
    .join(' ')
}

const y = 'st.global.b32 [%rd5], %r11;'
const nothing = 'hazard I1 smem@0'

describe('comes to nothing', () => {
  it.each([
    ['the other is chosen', `selp.b32 %r11, %r10, 0, %p1; ${y}`],
    ['only others store it', `@%p1 st.global.b32 [%rd5], %r10;`],
    [
      'it is asked beside what is false',
      `setp.gt.u32 %p2, %r10, 5; and.pred %p3, %p1, %p2; selp.b32 %r11, 1, 0, %p3; ${y}`,
    ],
    [
      'it is computed with, and dropped',
      `add.s32 %r12, %r10, 1; mul.lo.s32 %r12, %r12, %r1; mov.b32 %r11, %r1; ${y}`,
    ],
    [
      'it is stored in shared memory, where nobody reads',
      `st.shared.b32 [%r4], %r10; mov.b32 %r11, %r1; ${y}`,
    ],
    [
      'it goes through shared memory, and the other is chosen',
      `st.shared.b32 [%r4], %r10; bar.sync 0; ld.shared.b32 %r12, [%r4]; selp.b32 %r11, %r12, 0, %p1; ${y}`,
    ],
    [
      'a lane that has it gives it to none that keeps it',
      `shfl.sync.down.b32 %r12, %r10, 1, 31, -1; selp.b32 %r11, %r12, 0, %p1; setp.lt.u32 %p2, %r1, 62; selp.b32 %r11, %r11, 0, %p2; ${y}`,
    ],
  ])('%s', (_, body) => {
    expect(told(body)).toBe('ok')
  })
})

/**
 * A tile of 32 words in place, of 64 threads: the second warp reads what the first may have stored already. The lanes of the first meet before they store, for each has read
 * the word of its neighbour.
 */
const inPlace = (what: string, meet = 'bar.warp.sync -1;'): string =>
  `and.b32 %r12, %r1, 31; shl.b32 %r12, %r12, 2; mov.u32 %r13, s; add.s32 %r13, %r13, %r12; setp.lt.u32 %p2, %r1, 32; ld.shared.b32 %r14, [%r13]; add.s32 %r14, %r14, 1; ${meet} @%p2 st.shared.b32 [%r13], %r14; ${what}`

describe('a race whose read', () => {
  it.each([
    ['is dropped', 'mov.b32 %r11, %r1;', 'ok'],
    ['is not chosen', 'selp.b32 %r11, %r14, 7, %p2;', 'ok'],
    ['is an output', 'mov.b32 %r11, %r14;', 'hazard D1 smem@0'],
    [
      'decides a branch',
      'mov.b32 %r11, 0; setp.gt.u32 %p3, %r14, 5; @%p3 bra over; mov.b32 %r11, 1; over:',
      'hazard D1 smem@0',
    ],
    [
      'is added to an output',
      'mov.b32 %r11, 0; red.global.add.u32 [%rd6], %r14;',
      'hazard D1 smem@0 I1 gmem z',
    ],
    ['is an output by way of a shuffle', 'shfl.sync.idx.b32 %r11, %r14, 3, 31, -1;', 'hazard D1 smem@0'],
    [
      'is stored where somebody reads',
      'st.shared.b32 [%r4], %r14; bar.sync 0;\nld.shared.b32 %r11, [t];',
      'ok',
    ],
    [
      'is stored where it is an output',
      'st.shared.b32 [%r4], %r14; bar.sync 0; ld.shared.b32 %r11, [t+128];',
      'hazard D1 smem@0',
    ],
  ])('%s', (_, what, verdict) => {
    expect(told(`${inPlace(what)} ${y}`)).toBe(verdict)
  })
  it.each([
    ['is dropped', 'mov.b32 %r11, %r1;', 'ok'],
    ['is an output', 'mov.b32 %r11, %r10;', 'hazard D5 smem@0'],
  ])('of the next lane, %s', (_, what, verdict) => {
    expect(told(`${inPlace(`bar.sync 0; ${what}`, '')} @%p1 ${y}`)).toContain(verdict)
  })
})

/** A tile of 16 words in place, of 64 threads: two lanes of the first warp read each of them, and the first of the two stores. */
const inHalf = (what: string): string =>
  `and.b32 %r12, %r1, 15; shl.b32 %r12, %r12, 2; mov.u32 %r13, s; add.s32 %r13, %r13, %r12; setp.lt.u32 %p2, %r1, 16; ld.shared.b32 %r14, [%r13]; add.s32 %r14, %r14, 1; @%p2 st.shared.b32 [%r13], %r14; ${what}`

describe('a race of some lanes of a load', () => {
  it.each([
    ['that drop what they find', 'mov.b32 %r11, %r1;', 'ok'],
    ['that store it where nobody reads', 'st.shared.b32 [%r4], %r14; mov.b32 %r11, %r1;', 'ok'],
    ['that do not choose it', 'selp.b32 %r11, %r14, 7, %p2;', 'ok'],
    ['whose sum is an output', 'mov.b32 %r11, %r14;', 'hazard D5 smem@0'],
    [
      'of which one has it as an output',
      'setp.eq.u32 %p3, %r1, 20; selp.b32 %r11, %r14, 7, %p3;',
      'hazard D5 smem@0',
    ],
    [
      'that show it to those that store',
      'shfl.sync.bfly.b32 %r15, %r14, 16, 31, -1; selp.b32 %r11, %r15, 7, %p2;',
      'hazard D5 smem@0',
    ],
  ])('%s', (_, what, verdict) => {
    expect(told(`${inHalf(what)} ${y}`)).toContain(verdict)
  })
})

describe('counts', () => {
  it.each([
    ['it is an output', `mov.b32 %r11, %r10; ${y}`],
    ['so is what is computed from it', `add.s32 %r11, %r10, 1; ${y}`],
    ['it decides a branch', `setp.gt.u32 %p2, %r10, 5; @%p2 bra over; mov.b32 %r11, 1; ${y} over:`],
    [
      'it decides an address',
      `and.b32 %r12, %r10, 63; shl.b32 %r12, %r12, 2; mov.u32 %r13, s; add.s32 %r13, %r13, %r12; ld.shared.b32 %r11, [%r13]; ${y}`,
    ],
    ['it decides whether something is done', `setp.gt.u32 %p2, %r10, 5; @%p2 st.global.b32 [%rd5], %r1;`],
    [
      'it goes through shared memory',
      `st.shared.b32 [%r4], %r10; bar.sync 0; ld.shared.b32 %r11, [%r4]; ${y}`,
    ],
    ['another lane stores it', `shfl.sync.bfly.b32 %r11, %r10, 1, 31, -1; ${y}`],
    [
      'it is asked beside what is true',
      `setp.gt.u32 %p2, %r10, 5; or.pred %p3, %p1, %p2; selp.b32 %r11, 1, 0, %p3; ${y}`,
    ],
    [
      'an atomic adds it in shared memory',
      `st.shared.b32 [%r4], %r1; bar.sync 0; red.shared.add.u32 [t], %r10; bar.sync 0; ld.shared.b32 %r11, [t]; ${y}`,
    ],
    [
      'a vote asks it',
      `setp.gt.u32 %p2, %r10, 5; vote.sync.any.pred %p3, %p2, -1; selp.b32 %r11, 1, 0, %p3; ${y}`,
    ],
    ['a ballot asks it', `setp.gt.u32 %p2, %r10, 5; vote.sync.ballot.b32 %r11, %p2, -1; ${y}`],
    ['a warp adds it up', `redux.sync.add.u32 %r11, %r10, -1; ${y}`],
    ['a warp looks for its like', `match.any.sync.b32 %r11, %r10, -1; ${y}`],
    ['a barrier of the CTA asks it', `setp.gt.u32 %p2, %r10, 5; bar.red.popc.u32 %r11, 0, %p2; ${y}`],
    [
      'a product takes it',
      `mov.b32 %r20, 0; mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r11, %r12, %r13, %r14}, {%r10, %r10, %r10, %r10}, {%r10, %r10}, {%r20, %r20, %r20, %r20}; ${y}`,
    ],
    [
      'lanes store it as a matrix',
      `and.b32 %r12, %r1, 32; shl.b32 %r12, %r12, 2; and.b32 %r13, %r1, 7; shl.b32 %r13, %r13, 4; add.s32 %r12, %r12, %r13; mov.u32 %r14, t; add.s32 %r12, %r12, %r14; stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r12], {%r10}; bar.sync 0; ld.shared.b32 %r11, [t+252]; ${y}`,
    ],
    [
      "it is a barrier's count",
      'mov.u32 %r12, bar; setp.eq.u32 %p2, %r1, 63; @%p2 mbarrier.init.shared.b64 [%r12], %r10;',
    ],
    [
      'it is stored by its owner in a peer',
      `mapa.shared::cluster.u32 %r12, %r4, 0; st.shared::cluster.b32 [%r12], %r10; bar.sync 0; ld.shared.b32 %r11, [%r4]; ${y}`,
    ],
    [
      'an operation reads it where it was moved to',
      `st.shared.b32 [%r4], %r10; fence.proxy.async; bar.sync 0; setp.eq.u32 %p2, %r1, 0; mov.u32 %r12, t; @%p2 cp.async.bulk.global.shared::cta.bulk_group [%rd7], [%r12], 256; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;`,
    ],
  ])('%s', (_, body) => {
    expect(told(body)).toBe(nothing)
  })
})

describe('a register, or a word of local memory, that nothing has written', () => {
  const local = '.local .align 4 .b8 l[16]; .reg .b64 %l<4>; mov.u64 %l1, l;'
  it.each([
    ['is an output', 'mov.b32 %r11, %r20;'],
    ['is computed with', 'add.s32 %r11, %r20, 1;'],
    ['goes through a shuffle', 'shfl.sync.bfly.b32 %r11, %r20, 1, 31, -1;'],
    ['is written by one lane alone', 'setp.eq.u32 %p2, %r1, 3; @%p2 mov.b32 %r11, 1;'],
    ['goes through local memory', `${local} st.local.b32 [%l1+4], %r20; ld.local.b32 %r11, [%l1+4];`],
    ['is of local memory', `${local} st.local.b32 [%l1+4], %r1; ld.local.b32 %r11, [%l1+8];`],
    ['is of local memory in part', `${local} st.local.b16 [%l1+4], 1; ld.local.b32 %r11, [%l1+4];`],
  ])('counts if it %s', (_, body) => {
    expect(told(`${body} ${y}`)).toBe('invalid I1 ')
  })
  it.each([
    ['is dropped', `add.s32 %r12, %r20, 1; mov.b32 %r11, %r1; ${y}`],
    ['is not chosen', `setp.lt.u32 %p2, %r1, 99; selp.b32 %r11, %r1, %r20, %p2; ${y}`],
    ['is stored by no lane', `setp.eq.u32 %p2, %r1, 3; @%p2 mov.b32 %r11, 1; @%p2 ${y}`],
    ['lies beside what is', `${local} st.local.b16 [%l1+4], 1; ld.local.u16 %r11, [%l1+4]; ${y}`],
  ])('comes to nothing if it %s', (_, body) => {
    expect(told(body)).toBe('ok')
  })
  /** %r20 and what is named %n nothing writes; %r1 is a lane's own number */
  const pair = (type: string, upper: string, lower: string): string =>
    `.reg .b16 %h<4>; .reg .b32 %n; cvt.rn${type.startsWith('e') ? '.satfinite' : ''}.${type}x2.f32 ${type.startsWith('e') ? '%h1' : '%r11'}, ${upper}, ${lower};`
  const apart = 'mov.b32 {%h1, %h2}, %r11;'
  it.each([
    ['the upper of two converted bytes', `${pair('e4m3', '%r20', '%r1')} st.global.b8 [%rd5], %h1;`, 'ok'],
    ['the lower of them', `${pair('e4m3', '%r1', '%r20')} st.global.b8 [%rd5], %h1;`, 'invalid I1 '],
    [
      'the upper, and both are stored',
      `${pair('e5m2', '%r20', '%r1')} st.global.b16 [%rd5], %h1;`,
      'invalid I1 ',
    ],
    ['the upper of two halves', `${pair('bf16', '%r20', '%r1')} ${apart} st.global.b16 [%rd5], %h1;`, 'ok'],
    [
      'the upper, which is stored',
      `${pair('bf16', '%r20', '%r1')} ${apart} st.global.b16 [%rd5], %h2;`,
      'invalid I1 ',
    ],
    [
      'the lower, and the upper is stored',
      `${pair('f16', '%r1', '%r20')} ${apart} st.global.b16 [%rd5], %h2;`,
      'ok',
    ],
    [
      'the lower until later',
      `${pair('e4m3', '%r1', '%n')} mov.b32 %n, %r1; st.global.b8 [%rd5], %h1;`,
      'invalid I1 ',
    ],
    [
      'the lower where one lane alone writes it',
      `.reg .b32 %m; setp.eq.u32 %p2, %r1, 3; @%p2 mov.b32 %m, 1; ${pair('e4m3', '%r1', '%m')} st.global.b8 [%rd5], %h1;`,
      'invalid I1 ',
    ],
    [
      'a half that is added to, and the other is stored',
      `.reg .b16 %h<4>; mov.b16 %h1, 7; mov.b32 %r12, {%h2, %h1}; add.s16x2 %r12, %r12, 65537; mov.b32 {%h3, %h1}, %r12; st.global.b16 [%rd5], %h1;`,
      'ok',
    ],
    [
      'a half of a pair that is added to once, and the other goes on',
      `.reg .b16 %h<5>; mov.b16 %h1, 7; mov.b32 %r12, {%h2, %h1}; add.s16x2 %r13, %r12, 65537; mov.b32 {%h3, %h4}, %r13; cvt.u32.u16 %r14, %h4; shl.b32 %r11, %r14, 3; ${y}`,
      'ok',
    ],
    [
      'the half that goes on',
      `.reg .b16 %h<5>; mov.b16 %h1, 7; mov.b32 %r12, {%h2, %h1}; add.s16x2 %r13, %r12, 65537; mov.b32 {%h3, %h4}, %r13; cvt.u32.u16 %r14, %h3; shl.b32 %r11, %r14, 3; ${y}`,
      'invalid I1 ',
    ],
    [
      'a word of a pair that is not stored',
      `.reg .b16 %h<4>; mov.b16 %h1, 7; mov.b32 %r12, {%h1, %h2}; st.global.b16 [%rd5], %r12;`,
      'ok',
    ],
  ])('is %s', (_, body, verdict) => {
    expect(toldOf(module(body).replace('ld.shared.b32 %r10, [%r3+4];', ''), 64)).toBe(verdict)
  })
  /** %p1 is true, %r4 is written; %r13 and %r14 are written where it says so */
  const bytes = 'cvt.rn.satfinite.e4m3x2.f32 %h1, %r13, %r12;'
  const one = 'st.global.b8 [%rd5], %h1;'
  const two = 'st.global.b16 [%rd5], %h1;'
  const both = 'mov.b32 %r12, %r1; mov.b32 %r13, %r1;'
  const bad = 'invalid I1 '
  it.each([
    ['nothing where nothing converts them', `${both} @%p1 bra over; ${bytes} over: ${two}`, bad],
    [
      'nothing where nothing adds them',
      `add.s32 %r12, %r4, 1; @%p1 bra over; add.s32 %r11, %r12, 1; over: ${y}`,
      bad,
    ],
    [
      'written where a jump leads back to what writes them',
      `bra.uni first; again: ${both} bra.uni over; first: ${bytes} bra.uni again; over: ${two}`,
      bad,
    ],
    [
      'written in a later turn',
      `mov.b32 %r15, 0; mov.b32 %r13, %r1; again: add.s32 %r12, %r14, %r15; setp.eq.u32 %p3, %r15, 1; @%p3 bra over; ${bytes} mov.b32 %r14, 1; add.s32 %r15, %r15, 1; bra.uni again; over: ${two}`,
      bad,
    ],
    [
      'converted anew in each turn',
      `mov.b32 %r15, 0; again: add.s32 %r12, %r1, %r15; ${bytes} ${one} add.s32 %r15, %r15, 1; setp.lt.u32 %p3, %r15, 3; @%p3 bra again;`,
      'ok',
    ],
    [
      'converted on a way that all take',
      `@%p1 bra over; ${y} over: mov.b32 %r12, %r1; ${bytes} setp.eq.u32 %p3, %r1, 1; @%p3 bra on; mov.b32 %r16, 1; on: ${one}`,
      'ok',
    ],
  ])('of which the operands are %s', (_, body, verdict) => {
    expect(
      toldOf(
        module(`.reg .b16 %h<4>; ${body}`).replace(
          'ld.shared.b32 %r10, [%r3+4];',
          'setp.lt.u32 %p1, %r1, 99;',
        ),
        64,
      ),
    ).toBe(verdict)
  })
  const halves = 'mov.b16 %h1, 7; mov.b32 %r12, {%h1, %h2};'
  it.each([
    ['of the word that is written', '%h1', '%r1', 'ok'],
    ['of the other', '%h2', '%r1', bad],
    ['of the word that is written, in the upper half', '%h2', '%r4', 'ok'],
    ['of the other, in the lower half', '%h1', '%r4', bad],
  ])('there and back to fp8: the half %s', (_, half, written, verdict) => {
    const [upper, lower] = written === '%r1' ? ['%r14', '%r1'] : ['%r4', '%r14']
    const body = `.reg .b16 %h<4>; cvt.rn.satfinite.e5m2x2.f32 %h3, ${upper}, ${lower}; cvt.rn.f16x2.e5m2x2 %r13, %h3; mov.b32 {%h1, %h2}, %r13; cvt.f32.f16 %r11, ${half}; ${y}`
    expect(toldOf(module(body).replace('ld.shared.b32 %r10, [%r3+4];', 'mov.b32 %r4, %r1;'), 64)).toBe(
      verdict,
    )
  })
  // the upper half of %r12 is written by nothing; the first of a pair keeps it out, and the second does not
  it.each([
    ['and', 'and.b32 %r11, %r12, 0x8000ffff;', 'and.b32 %r11, %r12, 0x1ffff;', 'and.b32 %r11, %r12, 0x7fff;'],
    ['or', 'or.b32 %r11, %r12, 1;', 'or.b32 %r11, %r12, 0x7fff0000;', 'or.b32 %r11, %r12, 0xffff0000;'],
    [
      'xor',
      'xor.b32 %r11, %r12, 1;',
      'xor.b32 %r11, %r12, -1;',
      'xor.b32 %r13, %r12, -1; shl.b32 %r11, %r13, 16;',
    ],
    [
      'not',
      'not.b32 %r11, %r12;',
      'not.b32 %r13, %r12; shl.b32 %r11, %r13, 15;',
      'not.b32 %r13, %r12; shl.b32 %r11, %r13, 16;',
    ],
    ['a shift', 'shr.u32 %r11, %r12, 1;', 'shl.b32 %r11, %r12, 15;', 'shl.b32 %r11, %r12, 16;'],
    [
      'a shift to the right',
      'shr.u32 %r11, %r12, 16;',
      'shl.b32 %r13, %r12, 16; shr.s32 %r11, %r13, 16; shr.u32 %r11, %r12, 3;',
      'shl.b32 %r13, %r12, 17; shr.u32 %r11, %r13, 3;',
    ],
    [
      'bytes',
      'prmt.b32 %r11, %r12, %r1, 0x4210;',
      'prmt.b32 %r11, %r1, %r12, 0x7010;',
      'prmt.b32 %r11, %r1, %r12, 0x5410;',
    ],
    [
      'signs of bytes',
      'prmt.b32 %r11, %r12, 0, 0xb010;',
      'prmt.b32 %r11, %r12, 0, 0x010a;',
      'mov.b32 %r14, {%h2, %h1}; shr.u32 %r13, %r14, 15; prmt.b32 %r11, %r13, 0, 0x8888;',
    ],
    [
      'a table',
      'lop3.b32 %r11, %r12, %r12, 0x8000, 0xea;',
      'lop3.b32 %r11, %r12, %r1, 0x10000, 0xe8;',
      'lop3.b32 %r11, %r12, 0x8000, 7, 0xea;',
    ],
    [
      'sums',
      'add.s32 %r11, %r12, 1;',
      'mad.lo.s32 %r13, %r12, %r1, %r1; shl.b32 %r11, %r13, 15;',
      'mad.lo.s32 %r13, %r12, %r1, %r1; shl.b32 %r11, %r13, 16;',
    ],
    [
      'a sum shifted to the right',
      'sub.s32 %r13, %r12, 1; shr.u32 %r11, %r13, 4;',
      'mul.lo.s32 %r13, %r12, 6; and.b32 %r11, %r13, 0x20000;',
      'mul.lo.s32 %r13, %r12, 6; and.b32 %r11, %r13, 0x8000;',
    ],
  ])('bit by bit through %s', (_, wrong, worse, right) => {
    for (const [body, verdict] of [
      [wrong, bad],
      [worse, bad],
      [right, 'ok'],
    ] as const)
      expect([
        body,
        toldOf(
          module(`.reg .b16 %h<4>; ${halves} ${body} ${y}`).replace('ld.shared.b32 %r10, [%r3+4];', ''),
          64,
        ),
      ]).toEqual([body, verdict])
  })
  it.each([
    ['in place', 'and.b32 %r12, %r12, 0x7fff; add.s32 %r12, %r12, 1; mov.b32 %r11, %r12;', 'ok'],
    [
      'in place, but for its upper bits',
      'add.s32 %r12, %r12, 1; and.b32 %r12, %r12, 0x17fff; mov.b32 %r11, %r12;',
      bad,
    ],
    [
      'in a turn before the last, of what the last writes',
      'mov.b32 %r15, 0; again: setp.eq.u32 %p3, %r15, 0; @%p3 bra first; mov.b32 %r14, %r1; first: add.s32 %r13, %r14, 1; @!%p3 bra on; add.s32 %r12, %r13, 1; on: add.s32 %r15, %r15, 1; setp.lt.u32 %p3, %r15, 2; @%p3 bra again; add.s32 %r11, %r12, 1;',
      bad,
    ],
    [
      'in the first turn, of what the second overwrites',
      'mov.b32 %r15, 0; again: setp.ne.u32 %p3, %r15, 0; @%p3 bra on; add.s32 %r16, %r14, 1; add.s32 %r11, %r16, 1; on: mov.b32 %r14, %r1; mov.b32 %r16, %r1; add.s32 %r15, %r15, 1; setp.lt.u32 %p3, %r15, 2; @%p3 bra again;',
      bad,
    ],
    [
      'in the first turn, of what is overwritten in it',
      'mov.b32 %r15, 0; again: add.s32 %r13, %r14, 1; add.s32 %r11, %r13, 1; mov.b32 %r13, %r1; mov.b32 %r14, %r1; add.s32 %r15, %r15, 1; setp.lt.u32 %p3, %r15, 1; @%p3 bra again;',
      bad,
    ],
  ])('computed %s', (_, body, verdict) => {
    expect(
      toldOf(
        module(`.reg .b16 %h<4>; ${halves} ${body} ${y}`).replace('ld.shared.b32 %r10, [%r3+4];', ''),
        64,
      ),
    ).toBe(verdict)
  })
  it('comes to nothing if it is what hardware alone knows', () => {
    const text = module(`mov.u32 %r11, %smid; ${y}`).replace('ld.shared.b32 %r10, [%r3+4];', '')
    expect(toldOf(text, 64)).toBe('ok')
  })
  it('comes to nothing if it lies between the fields of a parameter', () => {
    const callee =
      '.func (.param .b32 r) f(.param .align 4 .b8 a[8]) { .reg .b32 %r<4>; .reg .b16 %h; ld.param.b32 %r1, [a]; ld.param.s16 %h, [a+4]; cvt.s32.s16 %r2, %h; add.s32 %r3, %r1, %r2; st.param.b32 [r], %r3; ret; }'
    const call =
      '{ .reg .b16 %h; mov.b16 %h, 5; .param .align 4 .b8 q[8]; .param .b32 s; st.param.b32 [q], %r1; st.param.b16 [q+4], %h; call.uni (s), f, (q); ld.param.b32 %r11, [s]; }'
    const text = module(`${call} ${y}`).replace('.visible .entry', `${callee}\n.visible .entry`)
    expect(toldOf(text, 64)).toBe('ok')
  })
})

describe('counts, where an atomic of the output', () => {
  it.each([
    ['adds it', 'red.global.add.u32 [%rd5], %r10;', ' I1 gmem y'],
    ['compares with it', 'atom.global.cas.b32 %r12, [%rd5], %r10, 1;', ' I1 gmem y'],
    // what the exchange finds is used by nothing
    ['leaves it', 'atom.global.exch.b32 %r12, [%rd5], %r10;', ''],
  ])('%s', (_, body, besides) => {
    expect(told(body)).toBe(`${nothing}${besides}`)
  })

  it('or a copy of an output goes as far as it says', () => {
    const copy =
      'and.b32 %r12, %r10, 4; cp.async.ca.shared.global [%r4], [%rd6], 4, %r12; cp.async.wait_all; bar.sync 0;'
    expect(told(`${copy} ld.shared.b32 %r11, [%r4]; ${y}`)).toBe(`${nothing} I1 gmem z`)
  })
})

describe('an output holds what the launch has put there', () => {
  it('to read it is of its contract with the caller: a note, and a hazard where that is asked for', () => {
    const sum = 'atom.global.add.u32 %r12, [%rd5], %r1;'
    expect(told(sum)).toBe('ok I1 gmem y')
    expect(told(sum, { strict: true })).toContain('hazard I1 gmem y')
    expect(told('ld.global.b32 %r12, [%rd5]; add.s32 %r11, %r12, %r1; st.global.b32 [%rd5], %r11;')).toBe(
      'ok I1 gmem y',
    )
    expect(told('mov.b32 %r11, %r1; ' + y + ' ld.global.b32 %r12, [%rd5];')).toBe('ok')
  })
})

describe('of tensor memory', () => {
  const stored = (what: string): string => toldOf(columns(`${what} ${y}`), 128)
  const unwritten = 'hazard I1 tmem@0'
  it.each([
    ['it is dropped', 'mov.b32 %r11, %r1;', 'ok'],
    ['the other is chosen', 'add.s32 %r10, %r10, 1; selp.b32 %r11, %r10, 7, %p1;', 'ok'],
    [
      'it is stored there again, and read by nothing',
      'tcgen05.st.sync.aligned.32x32b.x1.b32 [%r5], {%r10}; tcgen05.wait::st.sync.aligned; mov.b32 %r11, %r1;',
      'ok',
    ],
    [
      'it goes through tensor memory',
      'tcgen05.st.sync.aligned.32x32b.x1.b32 [%r5+4], {%r10}; tcgen05.wait::st.sync.aligned; tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r11}, [%r5+4]; tcgen05.wait::ld.sync.aligned;',
      unwritten,
    ],
    ['it is an output', 'mov.b32 %r11, %r10;', unwritten],
    ['so is what is computed from it', 'add.s32 %r11, %r10, 1;', unwritten],
  ])('%s', (_, what, verdict) => {
    expect(stored(what)).toBe(verdict)
  })
  it('the address of the columns is the same for all warps, and of no input', () => {
    const address = (what: string): string =>
      toldOf(columns(`${what} st.shared.b32 [s+8], %r11; mov.b32 %r11, %r1; ${y}`), 128)
    expect(address('mov.b32 %r11, %r4;')).toMatch(/^ok N4/u)
    expect(address('mov.b32 %r11, %r5;')).toContain('hazard')
  })
})

describe('a copy of nothing', () => {
  /** Lanes from 16 on copy `bytes` from an address far below z. */
  const copied = (bytes: number): string =>
    `setp.lt.u32 %p2, %r1, 16; selp.b32 %r12, 4, ${String(bytes)}, %p2; add.s64 %rd8, %rd6, -8589934592; selp.b64 %rd9, %rd6, %rd8, %p2; cp.async.ca.shared.global [%r4], [%rd9], 4, %r12; cp.async.wait_all; bar.sync 0; mov.b32 %r11, %r1; ${y}`
  it('names an address that may be nowhere', () => {
    expect(told(copied(0))).toContain('ok')
    expect(told(copied(4))).toContain('invalid')
  })
})
