/** Texts of one entry `k`, of one warp or two, for changes of what lanes have with one another. */

/** %r1 the thread, %r7 its lane, %r2 the address of `s`, %r4 that of the lane's own word, %rd3 that of its own output; %p1 is false of lane 0 alone. */
export const textOf = (body: ReadonlyArray<string>): string =>
  [
    '.version 8.3',
    '.target sm_90a',
    '.address_size 64',
    '.visible .entry k(.param .u64 out)',
    '{',
    '.reg .pred %p<10>;',
    '.reg .b32 %r<20>;',
    '.reg .b64 %rd<6>;',
    '.shared .align 128 .b8 s[128];',
    '.shared .align 8 .b8 bar[8];',
    '.shared .align 8 .b8 other[8];',
    '.shared .align 4 .b8 flag[4];',
    'ld.param.u64 %rd1, [out];',
    'mov.u32 %r1, %tid.x;',
    'and.b32 %r7, %r1, 31;',
    'mov.u32 %r2, s;',
    'shl.b32 %r3, %r7, 2;',
    'add.u32 %r4, %r2, %r3;',
    'cvt.u64.u32 %rd2, %r3;',
    'add.u64 %rd3, %rd1, %rd2;',
    'mov.u32 %r8, bar;',
    'mov.u32 %r9, flag;',
    'mov.u32 %r10, other;',
    'setp.ne.u32 %p1, %r7, 0;',
    'setp.lt.u32 %p2, %r1, 32;',
    ...body,
    'ret;',
    '}',
    '',
  ].join('\n')

/** Each lane stores its word, all meet in between, and each reads the word of the lane on the other side. */
export const mirrored = (meet: string): string =>
  textOf([
    'st.shared.u32 [%r4], %r1;',
    meet,
    'sub.u32 %r5, 31, %r7;',
    'shl.b32 %r5, %r5, 2;',
    'add.u32 %r5, %r2, %r5;',
    'ld.shared.u32 %r6, [%r5];',
    'st.global.u32 [%rd3], %r6;',
  ])

/** Every lane stores, they meet, and every lane stores its own word once more. */
export const apart = (meet: string): string =>
  textOf(['st.shared.u32 [%r4], %r1;', meet, 'ld.shared.u32 %r6, [%r4];', 'st.global.u32 [%rd3], %r6;'])

/** The lower lanes alone store, meet, and read; what the others do says `upper`. */
export const lowerLanes = (upper: ReadonlyArray<string>): string =>
  textOf([
    'st.global.u32 [%rd3], %r1;',
    'setp.ge.u32 %p3, %r7, 16;',
    '@%p3 bra upper;',
    'st.shared.u32 [%r4], %r1;',
    'bar.warp.sync 65535;',
    'sub.u32 %r5, 15, %r7;',
    'shl.b32 %r5, %r5, 2;',
    'add.u32 %r5, %r2, %r5;',
    'ld.shared.u32 %r6, [%r5];',
    'st.global.u32 [%rd3], %r6;',
    'bra over;',
    'upper:',
    ...upper,
    'over:',
  ])

export const first: ReadonlyArray<string> = ['@%p1 bra stored;', 'st.shared.u32 [%r2], 7;', 'stored:']

/** Lane 0 of warp 0 stores, or what `before` does; `tell` says it to warp 1, which waits with `hear`. Its lanes read words of their own, or all the first one. */
export const told = (
  tell: ReadonlyArray<string>,
  hear: ReadonlyArray<string>,
  before: ReadonlyArray<string> = first,
): string =>
  textOf([
    'setp.ne.u32 %p4, %r1, 0;',
    '@%p4 bra begin;',
    'mbarrier.init.shared::cta.b64 [%r8], 1;',
    'mbarrier.init.shared::cta.b64 [%r10], 1;',
    'st.shared.u32 [%r9], 0;',
    'begin:',
    'bar.sync 0;',
    '@!%p2 bra reads;',
    ...before,
    ...tell,
    'ret;',
    'reads:',
    ...hear,
    before.some((line) => line.includes('[%r4]')) ? 'mov.u32 %r17, %r4;' : 'mov.u32 %r17, %r2;',
    'ld.shared.u32 %r6, [%r17];',
    'st.global.u32 [%rd3], %r6;',
  ])

export const arrival: ReadonlyArray<string> = [
  '@%p1 bra told;',
  'mbarrier.arrive.shared::cta.b64 _, [%r8];',
  'told:',
]
export const wait: ReadonlyArray<string> = [
  'again:',
  'mbarrier.try_wait.parity.shared::cta.b64 %p5, [%r8], 0;',
  '@!%p5 bra again;',
]
export const release: ReadonlyArray<string> = [
  '@%p1 bra told;',
  'st.release.cta.shared.u32 [%r9], 1;',
  'told:',
]
export const fenced: ReadonlyArray<string> = [
  'fence.acq_rel.cta;',
  '@%p1 bra told;',
  'st.relaxed.cta.shared.u32 [%r9], 1;',
  'told:',
]
export const acquire: ReadonlyArray<string> = [
  'again:',
  'ld.acquire.cta.shared.u32 %r11, [%r9];',
  'setp.eq.u32 %p5, %r11, 0;',
  '@%p5 bra again;',
]

/**
 * Of two warps lane 0 alone: each has a word of `s` (%r12), and that of the other (%r13). What it does with them leaves something in %r14; who has 0 there counts in `flag`,
 * without a lock.
 */
export const entering = (body: ReadonlyArray<string>): string =>
  textOf([
    'st.shared.u32 [%r4], 0;',
    'st.shared.u32 [%r9], 0;',
    '@%p2 st.global.u32 [%rd3], 7;',
    'bar.sync 0;',
    '@%p1 bra over;',
    'shr.u32 %r11, %r1, 5;',
    'shl.b32 %r11, %r11, 2;',
    'add.u32 %r12, %r2, %r11;',
    'xor.b32 %r13, %r11, 4;',
    'add.u32 %r13, %r2, %r13;',
    ...body,
    'setp.ne.u32 %p4, %r14, 0;',
    '@%p4 bra over;',
    'ld.shared.u32 %r15, [%r9];',
    'add.u32 %r15, %r15, 1;',
    'st.shared.u32 [%r9], %r15;',
    'over:',
  ])
