/**
 * `--mend N` of PTX, and fixes in the words of CUDA. The broken twins were made by leaving one statement out of a right kernel, so the oracle is the statement
 * that was left out: it is what the fix names.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { silent, type Outcome, type World } from '../../../src/oracle/cli/command.js'
import { commands } from '../../../src/oracle/cli/commands/index.js'
import { tcspec } from '../../../src/oracle/cli/program.js'
import { decodeVerdict } from '../../../src/semantics/files/verdict-codec.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { right } from '../../either.js'
import { inMemory } from '../disk.js'

const disk = new Map<string, Uint8Array>()
const world: World = {
  files: inMemory(disk),
  version: '0',
  colours: false,
  clock: () => 0,
  progress: () => silent,
  conformance: null,
}
const said = (...argv: ReadonlyArray<string>): Promise<Outcome> => tcspec(commands, world)(argv)()
const verdictOf = async (...argv: ReadonlyArray<string>): Promise<Verdict> =>
  right(decodeVerdict(JSON.parse((await said('check', ...argv, '--json')).stdout)))

const head = (name: string): string => `.version 9.0
.target sm_90a
.address_size 64
.visible .entry ${name}(.param .u64 p) .maxntid 64 {
  .reg .b32 %r<12>; .reg .b64 %rd<6>; .reg .pred %p<3>;
  .shared .align 4 .b8 s[256];
  ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mov.u32 %r5, s; shl.b32 %r2, %r1, 2; add.u32 %r3, %r5, %r2;
  xor.b32 %r4, %r2, 252; add.u32 %r6, %r5, %r4; cvt.u64.u32 %rd2, %r2; add.u64 %rd3, %rd1, %rd2;
`
/** Each thread reads what one of the other warp has written. */
const exchanged = (between: string): string => `${head('k')}
  st.shared.u32 [%r3], %r1;
  ${between}
  ld.shared.u32 %r7, [%r6];
  st.global.u32 [%rd3], %r7;
  ret;
}
`
/** The same within a warp. */
const within = (between: string): string =>
  exchanged(between).replace('xor.b32 %r4, %r2, 252', 'xor.b32 %r4, %r2, 124')
/** Half of the lanes read what their own warp has written, half what the other has. */
const rotated = (between: string): string =>
  exchanged(between).replace('xor.b32 %r4, %r2, 252;', 'add.u32 %r4, %r2, 64; and.b32 %r4, %r4, 252;')
/** The store stands in a branch that half of the warps take: a barrier right behind it would never be passed. */
const branched = (between: string): string => `${head('k')}
  setp.lt.u32 %p1, %r1, 32;
  @!%p1 bra $meet;
  st.shared.u32 [%r3], %r1;
$meet:
  ${between}
  @%p1 bra $end;
  ld.shared.u32 %r7, [%r6];
  st.global.u32 [%rd3], %r7;
$end:
  ret;
}
`
const launch = ['--grid', '1', '--block', '64', '--arg', '0=u32[64]:inout']
const write = (name: string, text: string): void => {
  disk.set(name, new TextEncoder().encode(text))
}

/** One thread stores the bytes that all of a block have written, again and again. */
const stored = (commit: string, wait: string): string => `${head('k')}
  setp.ne.s32 %p1, %r1, 0; mov.u32 %r7, 0;
$again:
  st.shared.u32 [%r3], %r7;
  fence.proxy.async.shared::cta;
  bar.sync 0;
  @%p1 bra $meet;
  cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r5], 256;
  ${commit}
  ${wait}
$meet:
  bar.sync 0;
  add.u64 %rd1, %rd1, 256; add.s32 %r7, %r7, 1; setp.lt.s32 %p2, %r7, 3;
  @%p2 bra $again;
  @%p1 bra $end;
  cp.async.bulk.wait_group 0;
$end:
  ret;
}
`
const rounds = ['--grid', '1', '--block', '64', '--arg', '0=u32[192]:inout']
const commit = 'cp.async.bulk.commit_group;'
const wait = 'cp.async.bulk.wait_group.read 0;'

describe('a group of stores', () => {
  test('is ok where it is committed and waited for', async () => {
    write('right.ptx', stored(commit, wait))
    expect((await verdictOf('right.ptx', ...rounds)).verdict).toBe('ok')
  })
  test.each([
    [
      'without its wait: the wait is said to stand before the threads meet',
      stored(commit, ''),
      /^`cp\.async\.bulk\.wait_group\.read 0` after .*, before `.* bar\.sync .*`/u,
      ['cp.async.bulk.wait_group.read 0'],
    ],
    [
      'without its commit: the commit alone is said, because the wait is there',
      stored('', wait),
      /^`cp\.async\.bulk\.commit_group` after [^,]*: the wait for groups that is there covers committed ones only$/u,
      ['cp.async.bulk.commit_group'],
    ],
  ])('%s', async (_, text, fix, statements) => {
    write('k.ptx', text)
    const broken = await verdictOf('k.ptx', ...rounds)
    expect(broken.verdict).toBe('hazard')
    for (const f of broken.findings) expect(f.fix).toMatch(fix)
    const mended = await verdictOf('k.ptx', ...rounds, '--mend', '1')
    expect(mended.verdict).toBe('ok')
    expect(mended.mended?.[0]?.added.map((a) => a.statement)).toEqual(statements)
  })
})

/** Two warps of three exchange what they have written. */
const among = (between: string): string => `${head('k').replace('.maxntid 64', '.maxntid 96')}
  setp.ge.u32 %p1, %r1, 64;
  @%p1 bra $end;
  st.shared.u32 [%r3], %r1;
  ${between}
  ld.shared.u32 %r7, [%r6];
  st.global.u32 [%rd3], %r7;
$end:
  ret;
}
`

test('threads that take a branch meet at a barrier of their own: it is said, and is right', async () => {
  const three = ['--grid', '1', '--block', '96', '--arg', '0=u32[64]:inout']
  write('right.ptx', among('bar.sync 1, 64;'))
  expect((await verdictOf('right.ptx', ...three)).verdict).toBe('ok')
  write('k.ptx', among(''))
  const broken = await verdictOf('k.ptx', ...three)
  expect(broken.verdict).toBe('hazard')
  for (const f of broken.findings)
    expect(f.fix).toMatch(
      /^`bar\.sync 1, n` between .*, for the n threads that take the branch at `k\.ptx:11`: `__syncthreads\(\)` would wait for the others, too$/u,
    )
})

describe('a missing barrier', () => {
  test.each([
    ['two warps', exchanged, 'bar.sync 0', /^`__syncthreads\(\)` between /u],
    ['one warp', within, 'bar.warp.sync', /^`__syncwarp\(\)` between /u],
    ['a warp and two warps, by one load', rotated, 'bar.sync 0', /^`__syncthreads\(\)` between /u],
    [
      'a branch',
      branched,
      'bar.sync 0',
      /^`__syncthreads\(\)` between .*, outside the branches at `k\.ptx:11` and `k\.ptx:15`: all threads of the block must reach it$/u,
    ],
  ] as const)('%s: is said, tried, and the kernel is right with it', async (_, text, statement, fix) => {
    write('right.ptx', text(statement === 'bar.sync 0' ? 'bar.sync 0;' : 'bar.warp.sync 0xffffffff;'))
    write('k.ptx', text(''))
    expect((await verdictOf('right.ptx', ...launch)).verdict).toBe('ok')
    const broken = await verdictOf('k.ptx', ...launch)
    expect(broken.verdict).toBe('hazard')
    for (const f of broken.findings) expect(f.fix).toMatch(fix)
    const mended = await verdictOf('k.ptx', ...launch, '--mend', '1')
    expect(mended.verdict).toBe('ok')
    expect(mended.mended?.[0]?.added.map((a) => a.statement.startsWith(statement))).toEqual([true])
    const { stdout, status } = await said('check', 'k.ptx', ...launch, '--mend', '1')
    expect(status).toBe(0)
    expect(stdout).toMatch(
      /^mended +D[15] \(finding 1 of a verdict that was hazard\), fix \(checked\): bar\./mu,
    )
  })
})

describe('a fence between blocks', () => {
  const folder = new URL('../../../conformance/hopper/cuda/last_block/', import.meta.url)
  test('the word that announces is there, so the fence is named, and not other bytes', async () => {
    for (const file of readdirSync(folder))
      disk.set(file, new Uint8Array(readFileSync(new URL(file, folder))))
    const text = new TextDecoder().decode(disk.get('last_block.ptx'))
    // all fences of memory left out
    write('unfenced.ptx', text.replace(/^\s*(membar\.gl|fence\.(acq_rel|sc)\.gpu);$/gmu, ''))
    const v = await verdictOf('unfenced.ptx', '--launch', 'launch.json')
    const found = v.findings.find((f) => f.id === 'D3')
    expect(found?.missing?.fence).toBe('threads')
    expect(found?.fix).toMatch(/^`__threadfence\(\)` after /u)
  })
})

test('what no statement mends is refused, and a number that is no finding', async () => {
  write('k.ptx', exchanged('bar.sync 0;'))
  expect((await said('check', 'k.ptx', ...launch, '--mend', '1')).stderr).toMatch(
    /^tcspec: --mend: expected a verdict with findings/u,
  )
})

describe('what a twin has lost is put back', () => {
  const cuda = new URL('../../../conformance/hopper/cuda/', import.meta.url)
  // the statement that the right kernel has there, by its first words
  test.each([
    ['cluster_copy', 'broken2.ptx', 'mbarrier.try_wait.parity'],
    ['device_tensormap', 'broken2.ptx', 'mbarrier.try_wait.parity'],
    ['device_tensormap', 'broken1.ptx', 'fence.proxy.tensormap::generic.acquire'],
  ])('%s/%s: %s', async (kernel, file, statement) => {
    const folder = new URL(`${kernel}/`, cuda)
    for (const one of readdirSync(folder)) disk.set(one, new Uint8Array(readFileSync(new URL(one, folder))))
    const count = (name: string): number => new TextDecoder().decode(disk.get(name)).split(statement).length
    expect(count(`${kernel}.ptx`)).toBeGreaterThan(count(file))
    const v = await verdictOf(file, '--launch', 'launch.json', '--mend', '1')
    expect([v.verdict, v.mended?.[0]?.added.map((a) => a.statement.startsWith(statement))]).toEqual([
      'ok',
      [true],
    ])
  })
  test('where none of what was tried helps, that is said, with the fix', async () => {
    const folder = new URL('device_tensormap/', cuda)
    for (const one of readdirSync(folder)) disk.set(one, new Uint8Array(readFileSync(new URL(one, folder))))
    const { stderr, status } = await said('check', 'broken3.ptx', '--launch', 'launch.json', '--mend', '1')
    expect(status).toBe(2)
    expect(stderr).toMatch(
      /^tcspec: device_tensormap: none of the \d+ places and statements tried fixes D2 without another finding in its place; the fix is: an mbarrier wait for /u,
    )
  })
})
