/**
 * Small modules whose answers are known by hand: what a vector's address has to be a multiple of, which byte of a word is which, what nobody minds to be written twice,
 * which lanes have to be there, and which files are an answer.
 */
import { describe, expect, it } from 'vitest'
import { filesInLaunch } from '../../../src/oracle/launch/ptx-tensors.js'
import type { PtxLaunch, PtxTensor } from '../../../src/oracle/launch/ptx-file.js'
import { encodeNpy } from '../../../src/oracle/tensor-files/npy.js'
import { inMemory } from '../../oracle/disk.js'
import { running, worldOf } from '../../oracle/world.js'
import { right } from '../../either.js'

const words = (data: ReadonlyArray<number>): Uint8Array =>
  right(encodeNpy({ descr: 'u4', shape: [data.length], data: new Uint8Array(Uint32Array.from(data).buffer) }))
const registers = '.reg .b8 %c<9>; .reg .b16 %h<5>; .reg .b32 %r<16>; .reg .b64 %d<16>; .reg .pred %p<5>;'
const moduleOf = (body: string): string =>
  `.version 8.8\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 x, .param .u64 y)\n{\n${registers}\n.shared .align 16 .b8 s[1024];\nld.param.u64 %d1, [x];\nld.param.u64 %d2, [y];\n${body}\nret;\n}\n`
const wordsOfX = Array.from({ length: 64 }, (_, i) => i)

/** What a module says of x = 0, 1, ... and of y, which is to be `y`. */
const asked = async (command: 'check' | 'run', body: string, threads: number, y: ReadonlyArray<number>) => {
  const disk = new Map([
    ['k.ptx', new TextEncoder().encode(moduleOf(body))],
    [
      'l.json',
      new TextEncoder().encode(
        JSON.stringify({
          grid: [1],
          block: [threads],
          args: [
            { kind: 'pointer', tensor: 'x', dtype: 'u32', shape: [64], role: 'in' },
            { kind: 'pointer', tensor: 'y', dtype: 'u32', shape: [y.length], role: 'out' },
          ],
          outputs: ['y'],
        }),
      ),
    ],
    ['x.npy', words(wordsOfX)],
    ['y.npy', words(y)],
  ])
  return running(worldOf(inMemory(disk)))(command, 'k.ptx', '--launch', 'l.json')
}
const checked = (body: string, threads: number, y: ReadonlyArray<number> = [0]) =>
  asked('check', body, threads, y)
const ran = (body: string, y: ReadonlyArray<number>) => asked('run', body, 1, y)

describe('the address of a vector is a multiple of its size', () => {
  it.each([
    ['ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d1+8]', 16],
    ['ld.global.v2.u32 {%r1, %r2}, [%d1+4]', 8],
    ['ld.global.v4.u8 {%h1, %h2, %h3, %h4}, [%d1+2]', 4],
    ['st.shared.v4.u32 [s+8], {%r0, %r0, %r0, %r0}', 16],
  ])('%s', async (line, align) => {
    const { stdout } = await checked(`mov.u32 %r0, 0;\n${line};`, 1)
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(`is not a multiple of ${String(align)}`)
    expect(stdout).toContain('address.alignment')
  })
  it.each([
    ['ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d1+16]'],
    ['ld.global.v2.u32 {%r1, %r2}, [%d1+8]'],
    ['ld.global.v4.u8 {%h1, %h2, %h3, %h4}, [%d1+4]'],
  ])('%s', async (line) => {
    expect((await checked(`${line};\nst.global.u32 [%d2], 0;`, 1)).status).toBe(0)
  })
})

describe('the parts of a word, the lowest first', () => {
  it.each([
    ['mov.b32 {%c1, %c2, %c3, %c4}, %r1;\nmov.b32 %r2, {%c4, %c3, %c2, %c1};', 0x04030201],
    ['mov.b32 {%c1, %c2, %c3, %c4}, %r1;\nmov.b32 %r2, {%c2, %c1, %c4, %c3};', 0x02010403],
    ['mov.b32 {%h1, %h2}, %r1;\nmov.b32 %r2, {%h2, %h1};', 0x03040102],
    [
      'mov.b32 {%h1, %h2}, %r1;\nmov.b16 {%c1, %c2}, %h1;\nmov.b16 %h1, {%c2, %c1};\nmov.b32 %r2, {%h1, %h2};',
      0x01020403,
    ],
  ])('%s', async (lines, word) => {
    const { status } = await ran(`mov.u32 %r1, 0x01020304;\n${lines}\nst.global.u32 [%d2], %r2;`, [word])
    expect(status).toBe(0)
  })
})

describe('what is written twice', () => {
  const twice = (other: string): string => `mov.u32 %r1, %tid.x;
and.b32 %r2, %r1, 31;
mul.wide.u32 %d3, %r2, 4;
add.s64 %d4, %d1, %d3;
add.s64 %d5, %d2, %d3;
ld.global.b32 %r10, [%d4];
setp.lt.u32 %p1, %r1, 32;
@!%p1 bra other;
add.f32 %r11, %r10, %r10;
st.global.b32 [%d5], %r11;
ret;
other:
${other}
st.global.b32 [%d5], %r11;`
  const y = Array.from({ length: 32 }, () => 0)
  it('the same sum of the same words is a note', async () => {
    const { status, stdout } = await checked(twice('add.f32 %r11, %r10, %r10;'), 64, y)
    expect([status, /\bN4\b/.test(stdout)]).toEqual([0, true])
  })
  it.each(['mul.f32 %r11, %r10, %r10;', 'mov.u32 %r11, %r1;', 'add.s32 %r11, %r10, %r10;'])(
    '%s: another value is a race',
    async (other) => {
      const { status, stdout } = await checked(twice(other), 64, y)
      expect([status, /\bD2\b/.test(stdout)]).toEqual([1, true])
    },
  )
})

describe('who has read what is written again', () => {
  // the first warp writes a word, the second reads it and tells, or tells nothing, and the first writes it again
  const again = (told: string, last: string): string => `mov.u32 %r1, %tid.x;
mov.u32 %r5, 5;
mov.u32 %r7, 7;
setp.ge.u32 %p1, %r1, 32;
setp.ne.u32 %p2, %r1, 0;
setp.ne.u32 %p3, %r1, 32;
@!%p2 st.shared.u32 [s], %r5;
bar.sync 0;
@%p1 bra second;
${told}
@%p2 bra over;
st.shared.u32 [s], %r5;
${last}
bra over;
second:
@%p3 bra read;
ld.shared.u32 %r3, [s];
st.global.u32 [%d2], %r3;
read:
${told}
over:
@!%p2 st.shared.u32 [s+64], %r5;
@!%p3 st.shared.u32 [s+64], %r5;`
  const notes = (stdout: string): number => [...stdout.matchAll(/^N4 /gm)].length
  it('in order: nothing to say but of what both write', async () => {
    const { status, stdout } = await checked(again('bar.sync 1, 64;', ''), 64, [5])
    expect([status, notes(stdout)]).toEqual([0, 1])
  })
  it('in no order, and another value is written after it: a race with the read', async () => {
    const { status, stdout } = await checked(again('', 'st.shared.u32 [s], %r7;'), 64, [5])
    expect([status, /\bD1\b/.test(stdout)]).toEqual([1, true])
  })
})

describe('a warp that has no 32 lanes', () => {
  const matrix = 'mov.u32 %r2, s;\nldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r3}, [%r2];\n'
  const filled =
    'mov.u32 %r1, %tid.x;\nmov.u32 %r4, s;\nshl.b32 %r5, %r1, 4;\nadd.s32 %r5, %r4, %r5;\nmov.u32 %r6, 0;\nst.shared.v4.u32 [%r5], {%r6, %r6, %r6, %r6};\nbar.sync 0;\n'
  it('loads a matrix with those that it began with', async () => {
    const { stdout } = await checked(`${filled}${matrix}`, 48)
    expect([stdout.includes('verdict     invalid'), stdout.includes('warp.aligned')]).toEqual([false, false])
  })
  it.each([36, 40, 47])('and not without those from %i on, which have ended', async (n) => {
    const { stdout } = await checked(`${filled}setp.ge.u32 %p1, %r1, ${String(n)};\n@%p1 ret;\n${matrix}`, 48)
    expect(stdout).toContain('warp.aligned')
  })
})

describe('lanes that have parted peek and wait each for themselves', () => {
  const copied = (wait: string): string => `.shared .align 8 .b64 full;
mov.u32 %r1, %tid.x;
mov.u32 %r2, full;
mov.u32 %r3, s;
setp.ne.u32 %p1, %r1, 0;
setp.ge.u32 %p2, %r1, 8;
@%p1 bra made;
mbarrier.init.shared.b64 [%r2], 1;
fence.mbarrier_init.release.cluster;
made:
bar.sync 0;
@%p2 bra copied;
@%p1 bra announced;
mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 128;
announced:
bar.warp.sync 255;
shl.b32 %r4, %r1, 4;
cvt.u64.u32 %d3, %r4;
add.s64 %d4, %d1, %d3;
add.s32 %r5, %r3, %r4;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r5], [%d4], 16, [%r2];
copied:
${wait}
shl.b32 %r6, %r1, 2;
add.s32 %r7, %r3, %r6;
ld.shared.u32 %r8, [%r7];
cvt.u64.u32 %d5, %r6;
add.s64 %d6, %d2, %d5;
st.global.u32 [%d6], %r8;`
  const asks = 'mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p3, [%r2], 0;\n'
  const spin = `again:\n${asks}@!%p3 bra again;\n`
  const y = Array.from({ length: 32 }, (_, i) => i)
  it.each([
    ['a wait', spin],
    ['the same, its first turn by itself', `${asks}@%p3 bra over;\n${spin}over:`],
    ['two turns', `${asks}@%p3 bra over;\n${asks}@%p3 bra over;\n${spin}over:`],
  ])('%s: ok', async (_, wait) => {
    const { status, stdout } = await checked(copied(wait), 32, y)
    expect([status, stdout.includes('C1 to C6 hold')]).toEqual([0, true])
  })
  it.each([
    ['no wait', ''],
    ['a test alone', asks],
    ['of the eight alone that copy', `@%p2 bra over;\n${spin}over:`],
  ])('%s: not', async (_, wait) => {
    expect((await checked(copied(wait), 32, y)).status).not.toBe(0)
  })
})

describe('which file is an answer', () => {
  const launch = { outputs: ['x'] } as unknown as PtxLaunch
  const behind = (role: PtxTensor['role'], file?: string): string | null =>
    filesInLaunch('d/l.json', launch, { tensor: 'x', role, file } as unknown as PtxTensor).behind
  it.each([
    ['in', 'before.npy', null],
    ['inout', 'before.npy', 'd/x.npy'],
    ['out', undefined, 'd/x.npy'],
    [undefined, 'before.npy', 'd/x.npy'],
    ['in', undefined, null],
    ['inout', undefined, null],
  ] as const)('role %s, file %s: %s', (role, file, name) => {
    expect(behind(role, file)).toBe(name)
  })
})
