/**
 * What one lane of a warp has found, or has left in another CTA, the others do not know. Oracle: PTX ISA, memory consistency model: observation is a thread's, and `bar.warp.sync`
 * orders the threads of its mask. Each kernel with the meeting is ok, and without it is none.
 */
import { describe, expect, test } from 'vitest'
import { verdictBesideWords } from './small-kernels.js'

/** The verdict, and the ids of the findings; of a kernel of two CTAs of one warp each. */
const judged = (module: string, lanes: 'threads' | 'off' = 'threads'): ReadonlyArray<string> => {
  const { verdict, findings } = verdictBesideWords(module, 4, {
    grid: '2',
    block: '32',
    arg: ['0=words.npy:inout'],
    lanes,
  })
  return [verdict, ...new Set(findings.map(({ id }) => id))]
}

const head = `.version 8.8
.target sm_90a
.address_size 64
.shared .align 8 .b8 bar[8];
.shared .align 8 .b8 word[8];
.visible .entry k(.param .u64 p)`
const registers = '.reg .b32 %r<16>; .reg .b64 %rd<4>; .reg .pred %p<8>;'
const met = 'bar.warp.sync -1;'

describe('a word that a lane waits for', () => {
  /** By lane 0, for a number. */
  const kernel = (writer: string, reader: string, until = 1): string => `${head} {
${registers}
ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;
setp.eq.u32 %p0, %r1, 0; setp.eq.u32 %p1, %r1, 1; setp.lt.u32 %p2, %r1, 2; setp.ne.u32 %p3, %r2, 0;
@%p3 bra OTHER;
${writer}
ret;
OTHER: @!%p0 bra NEXT;
AGAIN: ld.relaxed.gpu.global.b32 %r3, [%rd1]; setp.ne.s32 %p4, %r3, ${String(until)}; @%p4 bra AGAIN;
NEXT:
${reader}
ret; }`
  const one = '@%p0 st.relaxed.gpu.global.b32 [%rd1], 1;'
  const load = '@%p1 ld.global.b32 %r9, [%rd1]; @%p1 st.global.b32 [%rd1+4], %r9;'
  test.each<readonly [string, string, string, ReadonlyArray<string>]>([
    ['is written by the lane that has waited', one, '@%p0 st.global.b32 [%rd1], 2;', ['ok']],
    ['by another, which has met it', one, `${met} @%p1 st.global.b32 [%rd1], 2;`, ['ok']],
    ['by another, which has not', one, '@%p1 st.global.b32 [%rd1], 2;', ['hazard', 'D3', 'D5']],
    ['is read by another, which has met it', one, `${met} ${load}`, ['ok']],
    ['by another, which has not', one, load, ['hazard', 'D3']],
    [
      'is left by two lanes, of which one is found',
      '@%p2 st.relaxed.gpu.global.b32 [%rd1], 1;',
      '@%p0 st.global.b32 [%rd1], 2;',
      ['hazard', 'D3'],
    ],
  ])('%s', (_, writer, reader, expected) => {
    expect(judged(kernel(writer, reader))).toEqual(expected)
  })
  test('is left by a lane that has met the one that left something else before', () => {
    const two = '@%p1 st.relaxed.gpu.global.b32 [%rd1], 2;'
    const reader = '@%p0 st.global.b32 [%rd1], 3;'
    // others have done something, too, and have not met them
    const half = 'ld.global.b32 %r9, [%rd1+12]; @%p2 bar.warp.sync 3;'
    for (const meeting of [met, half])
      expect(judged(kernel(`${one} ${meeting} ${two}`, reader, 2))).toEqual(['ok'])
    expect(judged(kernel(`${one} ${two}`, reader, 2))[0]).toBe('hazard')
  })
  test('of warps that act as one any lane has found it', () => {
    expect(judged(kernel(one, load), 'off')).toEqual(['ok'])
  })
})

describe('what lanes leave in another CTA, when it exits', () => {
  const kernel = (body: string): string => `${head} .reqnctapercluster 2 {
${registers}
mov.u32 %r1, %tid.x; mov.u32 %r2, %cluster_ctarank;
setp.eq.u32 %p0, %r1, 0; setp.eq.u32 %p1, %r1, 1; setp.ne.u32 %p3, %r2, 0;
mov.u32 %r5, bar; mov.u32 %r6, word; mapa.shared::cluster.u32 %r7, %r5, 1; mapa.shared::cluster.u32 %r8, %r6, 1;
@%p0 mbarrier.init.shared.b64 [%r5], 1;
fence.mbarrier_init.release.cluster;
barrier.cluster.arrive; barrier.cluster.wait;
@%p3 bra OTHER;
${body}
ret;
OTHER:
AGAIN: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p4, [%r5], 0; @!%p4 bra AGAIN;
ret; }`
  const arrive = (lane: number): string =>
    `@%p${String(lane)} mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r7];`
  const [plain, strong] = ['', '.relaxed.cluster'].map(
    (how) => `@%p0 st${how}.shared::cluster.b32 [%r8], 1;`,
  ) as [string, string]
  const more = '@%p1 st.shared::cluster.b32 [%r8+4], 1;'
  test.each<readonly [string, string, ReadonlyArray<string>]>([
    ['a store, and its lane arrives', `${plain} ${arrive(0)}`, ['ok']],
    ['another lane arrives that has met it', `${plain} ${met} ${arrive(1)}`, ['ok']],
    ['another lane arrives that has not', `${plain} ${arrive(1)}`, ['hazard', 'K1']],
    ['one that has stored, too, and has met it', `${plain} ${more} ${met} ${arrive(1)}`, ['ok']],
    ['one that has stored, too, and has not', `${plain} ${more} ${arrive(1)}`, ['hazard', 'K1']],
    ['a strong store, and another lane has met it', `${strong} ${met} ${arrive(1)}`, ['ok']],
    ['a strong store, and another lane has not', `${strong} ${arrive(1)}`, ['hazard', 'K1']],
  ])('%s', (_, body, expected) => {
    expect(judged(kernel(body))).toEqual(expected)
  })
  test('of warps that act as one any lane says it', () => {
    expect(judged(kernel(`${plain} ${more} ${arrive(1)}`), 'off')).not.toContain('K1')
  })
})
