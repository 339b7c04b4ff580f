/** A barrier of a whole grid: its word is in the workspace that the launch has ready, and turns its highest bit when all have come. */
import { expect, it } from 'vitest'
import { differing } from './small-kernels.js'
import { programOf } from './small-text.js'

const ctas = 3
const x = Uint32Array.from({ length: 32 * ctas }, (_, k) => 7 * k + 1)
/** what it computed, and behind it what the next CTA computed */
const y = Uint32Array.from({ length: 64 * ctas }, (_, k) => {
  const at = k < 32 * ctas ? k : (k - 32 * ctas + 32) % (32 * ctas)
  return 2 * (7 * at + 1)
})

const spin = (compared: string): string => `
again: ld.acquire.gpu.u32 %r9, [%rd8]; xor.b32 %r10, %r9, %r8; ${compared} @%p2 bra again;`

const kernel = (arrive: string, compared: string): string => `
mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 32, %r1;
mul.wide.u32 %rd3, %r3, 4; add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3;
ld.global.u32 %r4, [%rd4]; shl.b32 %r4, %r4, 1; st.global.u32 [%rd5], %r4;
mov.u32 %r5, %envreg1; mov.u32 %r6, %envreg2; mov.b64 %rd8, {%r6, %r5}; add.s64 %rd8, %rd8, 4;
bar.sync 0; setp.ne.u32 %p1, %r1, 0; @%p1 bra over;
setp.eq.u32 %p3, %r2, 0; selp.b32 %r7, ${String(0x80000000 - ctas + 1)}, 1, %p3;
${arrive}
${spin(compared)}
over: bar.sync 0;
add.u32 %r3, %r3, 32; rem.u32 %r3, %r3, ${String(32 * ctas)}; mul.wide.u32 %rd6, %r3, 4; add.s64 %rd6, %rd2, %rd6;
ld.global.u32 %r4, [%rd6]; st.global.u32 [%rd5+${String(128 * ctas)}], %r4;`

const release = 'atom.add.release.gpu.u32 %r8, [%rd8], %r7;'

it.each(['setp.gt.s32 %p2, %r10, -1;', 'setp.ge.s32 %p2, %r10, 0;'])(
  'every CTA sees what every other did: %s',
  (compared) => {
    const said = differing(kernel(release, compared), x, y, undefined, '', ctas)
    expect(said).toContain(`0 of ${String(64 * ctas)} elements differ`)
    expect(said).toContain('ok: no hazards in any schedule (conditions C1-C6 hold')
  },
)

it('arriving without a release is found', () => {
  const relaxed = 'atom.add.relaxed.gpu.u32 %r8, [%rd8], %r7;'
  expect(differing(kernel(relaxed, 'setp.gt.s32 %p2, %r10, -1;'), x, y, undefined, '', ctas)).toContain(
    'hazard',
  )
})

it.each([
  ['setp.gt.s32 %p2, %r10, -1;', 'os'],
  ['setp.ge.s32 %p2, %r10, 0;', 'os'],
  ['setp.lt.s32 %p2, %r10, 0;', 'ss'],
  ['setp.gt.s32 %p2, %r10, 0;', undefined],
  ['setp.gt.u32 %p2, %r10, -1;', undefined],
])('%s waits for %s', (compared, until) => {
  const text = `.version 8.8
.target sm_90a
.address_size 64
.entry k(.param .u64 p) { .reg .b32 %r<12>; .reg .b64 %rd<9>; .reg .pred %p<4>;
ld.param.u64 %rd8, [p]; ld.global.u32 %r8, [%rd8+8];
${spin(compared)}
ret; }`
  expect(waitsOf(text)).toEqual([until])
})

const waitsOf = (text: string): ReadonlyArray<string | undefined> => {
  const { code } = programOf(text)
  return code.flatMap(({ operation: o }) =>
    o._tag === 'load' && o.ordering === 'acquire' ? [o.until?.comparison] : [],
  )
}

/** Parts of a CTA have a bit of a word each. */
it.each([
  ['setp.eq.s32 %p2, %r10, 0; @%p2 bra out; bra again;', 'nc'],
  ['setp.ne.s32 %p2, %r10, 0; @%p2 bra out; bra again;', 'sc'],
  ['setp.ne.s32 %p2, %r10, 0; @%p2 bra again; bra out;', 'nc'],
  // as a debug build has it
  ['setp.eq.s32 %p2, %r10, 0; not.pred %p3, %p2; @%p3 bra out; bra more; more: bra again;', 'sc'],
  ['setp.eq.s32 %p2, %r10, 1; @%p2 bra out; bra again;', undefined],
  ['setp.gt.s32 %p2, %r10, 0; @%p2 bra out; bra again;', undefined],
])('bits in common: %s waits for %s', (compared, until) => {
  const text = `.version 8.8
.target sm_90a
.address_size 64
.entry k(.param .u64 p) { .reg .b32 %r<12>; .reg .b64 %rd<9>; .reg .pred %p<4>;
ld.param.u64 %rd8, [p]; ld.global.u32 %r8, [%rd8+8];
again: ld.acquire.gpu.global.u32 %r9, [%rd8]; and.b32 %r10, %r9, %r8;
${compared}
out: ret; }`
  expect(waitsOf(text)).toEqual([until])
})
