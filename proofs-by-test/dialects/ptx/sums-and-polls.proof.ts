/**
 * Atomic sums, whose rounding shows their order, and loops that ask what another block has still to write. Oracle: the ISA, by hand.
 */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { runPtx } from '../../../src/oracle/cli/ptx.js'
import { inMemory } from '../../oracle/disk.js'
import { worldOf } from '../../oracle/world.js'
import { npy } from './small-kernels.js'
import { ofZeros, verdictOfText } from './launched-text.js'
import { moduleOf } from './small-text.js'

const verdictOf = (body: string, grid: number, block: number) => {
  const text = moduleOf(
    ['py', 'pz'],
    `.reg .b16 %h<4>; .reg .b32 %r<32>; .reg .b64 %rd<16>; .reg .f32 %f<4>; .reg .f64 %d<4>; .reg .pred %p<8>;
ld.param.u64 %rd1, [py]; ld.param.u64 %rd2, [pz]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, 1; mov.f32 %f1, 0f3F800000;
mov.f64 %d1, 0d3FF0000000000000; mov.b16 %h1, 0x3C00; shr.u32 %r4, %r1, 5; setp.eq.u32 %p1, %r4, 0; and.b32 %r5, %r1, 31;
${body}
ret;`,
  )
  return verdictOfText(text, { grid, threads: block, buffers: ofZeros(64, 'y', 'z') }, { provenance: false })
}

describe('the order of a sum shows', () => {
  const said = (body: string): string => {
    const { verdict, notes } = verdictOf(body, 1, 64)
    return [verdict, ...notes.map(({ id }) => id)].join(' ')
  }
  it.each([
    ['red.global.add.f32 [%rd1], %f1;', 'ok N1'],
    ['red.global.add.f64 [%rd1], %d1;', 'ok N1'],
    ['red.global.add.noftz.f16x2 [%rd1], %r3;', 'ok N1'],
    ['red.global.add.noftz.bf16 [%rd1], %h1;', 'ok N1'],
    ['red.global.add.v2.f32 [%rd1], {%f1, %f1};', 'ok N1'],
    ['red.global.add.v2.f32 [%rd1], {0f3F800000, 0f3F800000};', 'ok N1'],
    ['red.global.add.u32 [%rd1], %r3;', 'ok'],
    ['red.global.or.b32 [%rd1], %r3;', 'ok'],
    ['@%p1 red.global.add.f32 [%rd1], %f1;', 'ok'],
    ['@%p1 red.global.add.f32 [%rd1], %f1; bar.sync 0; @!%p1 red.global.add.f32 [%rd1], %f1;', 'ok'],
  ])('%s', (body, says) => {
    expect(said(body)).toBe(says)
  })
})

describe('two lanes of one warp, one word', () => {
  const [store, load] = ['st.relaxed.gpu.global.u32 [%rd1], ', 'ld.relaxed.gpu.global.u32 %r8, [%rd1];']
  const by = (lane: number, what: string): string => `setp.eq.u32 %p2, %r5, ${String(lane)}; @%p2 ${what}`
  it.each([
    ['one stores, the other loads and drops it', `${by(0, `${store}%r3;`)} ${by(1, load)}`, 'ok'],
    [
      'one stores, the other loads and branches on it',
      `mov.u32 %r8, 0; ${by(0, `${store}%r3;`)} ${by(1, load)} setp.eq.u32 %p3, %r8, 1; @%p3 st.global.u32 [%rd2], %r3;`,
      'ok',
    ],
    [
      'one stores, the other stores what it has loaded',
      `mov.u32 %r8, 0; ${by(0, `${store}%r3;`)} ${by(1, load)} ${by(1, 'st.global.u32 [%rd2], %r8;')}`,
      'hazard',
    ],
    ['both store, each its own', `${by(0, `${store}%r5;`)} ${by(1, `${store}%r5;`)}`, 'hazard'],
    [
      'both add',
      `${by(0, 'red.global.add.u32 [%rd1], %r3;')} ${by(1, 'red.global.add.u32 [%rd1], %r3;')}`,
      'ok',
    ],
  ])('%s', (_, body, verdict) => {
    expect(verdictOf(body, 1, 32).verdict).toBe(verdict)
  })
})

describe('what one instruction of several lanes stores in one place', () => {
  it.each([
    ['a constant', 'st.global.u32 [%rd1], %r3;', 'ok'],
    ['constants', 'st.global.v2.u32 [%rd1], {%r3, %r3};', 'ok'],
    ['a word of each lane', 'st.global.u32 [%rd1], %r5;', 'hazard'],
    ['a constant and a word of each lane', 'st.global.v2.u32 [%rd1], {%r3, %r5};', 'hazard'],
    ['a word of each lane and a constant', 'st.global.v2.u32 [%rd1], {%r5, %r3};', 'hazard'],
  ])('%s', (_, body, verdict) => {
    expect(verdictOf(body, 1, 32).verdict).toBe(verdict)
  })

  it('needs a place for each lane', () => {
    const { findings } = verdictOf('st.global.u32 [%rd1], %r5;', 1, 32)
    expect(findings.map(({ id }) => id)).toEqual(['D5'])
    expect(JSON.stringify(findings[0])).toMatch(/place.* each lane/u)
  })
})

describe('who asks in vain lets others go first', () => {
  /** Block 0 waits for what block 1 writes. */
  it.each([
    [
      'two words at once',
      'ld.volatile.global.v2.u32 {%r8, %r9}, [%rd1]; or.b32 %r8, %r8, %r9; setp.eq.u32 %p3, %r8, 0;',
    ],
    [
      'an atomic that adds nothing',
      'mov.u32 %r10, 0; atom.global.add.u32 %r8, [%rd1], %r10; setp.eq.u32 %p3, %r8, 0;',
    ],
    ['an exchange by comparison', 'atom.global.cas.b32 %r8, [%rd1], %r3, 2; setp.ne.u32 %p3, %r8, %r3;'],
  ])('%s', (_, asks) => {
    const body = `setp.ne.u32 %p2, %r2, 0; setp.ne.u32 %p4, %r5, 0; @%p4 bra out; @%p2 bra write;
again: ${asks} @%p3 bra again; st.global.u32 [%rd2], %r3; bra out;
write: st.volatile.global.u32 [%rd1+4], %r3; st.volatile.global.u32 [%rd1], %r3; out:`
    expect(['ok', 'undecided']).toContain(verdictOf(body, 2, 32).verdict)
  })

  // who has the lock reads again, behind its exchange, what it has read before
  it('and who has got what it asked for is not one of them', () => {
    const body = `setp.ne.u32 %p4, %r5, 0; @%p4 bra out;
ld.acquire.gpu.global.u32 %r8, [%rd1]; setp.ne.u32 %p3, %r8, 0; @%p3 bra out;
again: atom.acquire.gpu.global.cas.b32 %r9, [%rd1+4], 0, 1; setp.ne.u32 %p3, %r9, 0; @%p3 bra again;
ld.relaxed.gpu.global.u32 %r8, [%rd1]; setp.ne.u32 %p3, %r8, 0; @%p3 bra free;
st.release.gpu.global.u32 [%rd1], 1;
free: st.release.gpu.global.u32 [%rd1+4], 0; out:`
    expect(verdictOf(body, 2, 32)).toMatchObject({ verdict: 'ok' })
  })
})

it.each([
  ['red.global.add.f32 [%rd1], %f1;', /; their order is open \(N1\)\n\s*verdict\s+ok/u],
  ['red.global.add.u32 [%rd1], %r1;', /expects\n\s*verdict\s+wrong-result/u],
])('of a sum whose order is open a file has one result: %s', (body, says) => {
  const text = moduleOf(
    ['py'],
    ` .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .f32 %f<4>;
ld.param.u64 %rd1, [py]; mov.u32 %r1, %tid.x; cvt.rn.f32.u32 %f1, %r1; ${body}
ret;`,
  )
  const y = { kind: 'pointer', tensor: 'y', dtype: 'u32', shape: [1], role: 'inout', file: 'z.npy' }
  const launch = { grid: [1], block: [64], args: [y], outputs: ['y'] }
  const files = new Map([
    ['k.ptx', new TextEncoder().encode(text)],
    ['l.json', new TextEncoder().encode(JSON.stringify(launch))],
    ['z.npy', npy(Uint32Array.of(0))],
    ['y.npy', npy(Uint32Array.of(1))],
  ])
  const ran = runPtx(worldOf(inMemory(files)), 'k.ptx', { launch: 'l.json' })
  expect(E.isLeft(ran) ? ran.left.message : ran.right.text()).toMatch(says)
})
