/**
 * A launch in pieces against the launch in one piece. Oracle: `checkSource` on the data, and the command line without threads.
 *
 * | what                                                                     | by day            | by night                |
 * |--------------------------------------------------------------------------|-------------------|-------------------------|
 * | PTX: verdict, schedule and every byte of global memory                    | some              | each grid of `hopper`   |
 * | what may not be parted, or is decided by data: it is not known in pieces  | each              | each                    |
 * | `run --threads`, of PTX, of a module and of a jaxpr: the same document     | each, one by one  | and in threads          |
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import * as fast from '../../../src/fast/index.js'
import { launchedPtx } from '../../../src/oracle/launch/ptx.js'
import type { LaunchedPtx } from '../../../src/oracle/launch/ptx.js'
import { spreadLaunch } from '../../../src/oracle/parallel/spread-warps.js'
import { threads } from '../../../src/oracle/parallel/threads.js'
import { workerOf, type Assemble, type Task } from '../../../src/oracle/parallel/work.js'
import { warpSource } from '../../../src/semantics/execution/launch-warps.js'
import * as Plane from '../../../src/semantics/machine/plane.js'
import {
  checkSource,
  standardOptions,
  type Checked,
  type CheckOptions,
} from '../../../src/semantics/verdict/check.js'
import { right } from '../../either.js'
import { nightly, sampled } from '../../extent.js'
import { onDisk } from '../../../src/oracle/tensor-files/disk.js'
import { inMemory } from '../disk.js'
import { running, worldOf } from '../world.js'

const hopper = new URL('../../../conformance/hopper/', import.meta.url)

/** Tasks the other way round, each setting told as a thread is told it: nothing may depend on who comes first. */
const backwards: Assemble = (setting) => {
  const work = workerOf(structuredClone(setting))
  return {
    size: 1,
    perform: (tasks) => Promise.resolve([...tasks].reverse().map(work).reverse()),
    close: () => undefined,
  }
}

const options: CheckOptions = { ...standardOptions, provenance: false, explore: false }
const quiet = () => ({ update: () => undefined, stop: () => undefined })

const launchedAs = (folder: string, text: string): LaunchedPtx => {
  const at = new URL(`${folder}/`, hopper)
  const held = new Map(
    readdirSync(at).flatMap((file) =>
      /\.(?:ptx|json|npy)$/u.test(file)
        ? [[file, new Uint8Array(readFileSync(new URL(file, at)))] as const]
        : [],
    ),
  )
  return right(launchedPtx(inMemory(held))(text, { launch: 'launch.json' }))
}

const inOne = ({ elaborated, arguments: given }: LaunchedPtx): Checked =>
  right(checkSource(warpSource(elaborated.program, given), { ...options, algebra: fast.bits('hopper') }))

const inPieces = (launched: LaunchedPtx, assemble: Assemble = backwards): Promise<Checked | null> =>
  spreadLaunch(
    {
      module: launched.module,
      file: launched.file,
      program: launched.elaborated.program,
      given: launched.arguments,
      arithmetic: 'hopper',
      fast: true,
      options: { ...options, algebra: fast.bits('hopper') },
    },
    assemble,
    2,
    quiet,
  )

const memoryOf = ({ world, machine }: Checked): ReadonlyArray<readonly [string, Uint8Array]> =>
  world.header.planes.flatMap(({ space, name, bytes }, plane) => {
    if (space !== 'gmem') return []
    const held = new Uint8Array(bytes)
    Plane.copyOut(machine.planes[plane]!, 0, bytes, held)
    return [[name, held] as const]
  })

/** Kernels whose CTAs have nothing to do with one another, and whose data decide nothing. */
const parted = ['block_reduce', 'cpasync_stages', 'mma_ldmatrix', 'transpose', 'vectors', 'warp_reduce'].map(
  (name) => `cuda/${name}`,
)
const all = ['cuda', 'warpgroups'].flatMap((folder) =>
  readdirSync(new URL(folder, hopper))
    .filter((name) => existsSync(new URL(`${folder}/${name}/launch.json`, hopper)))
    .map((name) => `${folder}/${name}`),
)

const same = (pieces: Checked, one: Checked): void => {
  expect(pieces.verdict).toEqual(one.verdict)
  expect(pieces.schedule).toEqual(one.schedule)
  expect(memoryOf(pieces)).toEqual(memoryOf(one))
}

describe('law 1', () => {
  test.each(sampled(3, parted))('%s is parted, and is what it is in one piece', async (folder) => {
    const launched = launchedAs(folder, `${folder.split('/')[1]!}.ptx`)
    const pieces = await inPieces(launched)
    expect(pieces).not.toBeNull()
    if (pieces !== null) same(pieces, inOne(launched))
  })
  test('ring, with products, by tensor maps', async () => {
    const launched = launchedAs('warpgroups/ring', 'ring.ptx')
    const pieces = await inPieces(launched)
    expect(pieces).not.toBeNull()
    if (pieces !== null) same(pieces, inOne(launched))
  })
  test.runIf(nightly)('each kernel, where it is parted', { timeout: 3_600_000 }, async () => {
    let count = 0
    for (const folder of all) {
      const launched = launchedAs(folder, `${folder.split('/')[1]!}.ptx`)
      const pieces = await inPieces(launched)
      if (pieces === null) continue
      count++
      same(pieces, inOne(launched))
    }
    expect(count).toBeGreaterThan(20)
  })
})

describe('it is not known in pieces', () => {
  test.each([
    ['atomics of the grid', 'cuda/last_block', 'last_block.ptx'],
    ['data decide how long it runs', 'cuda/collatz', 'collatz.ptx'],
    ['a race', 'warpgroups/ring', 'broken1.ptx'],
  ])('%s', async (_, folder, text) => {
    expect(await inPieces(launchedAs(folder, text))).toBeNull()
  })
  test('two CTAs store one byte, the same without data', async () => {
    const text = `.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 in) .reqntid 32 {
  .reg .b32 %r<4>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [in];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.u64 %rd4, %rd1, %rd3;
  add.u64 %rd5, %rd2, %rd3;
  ld.global.u32 %r2, [%rd5];
  st.global.u32 [%rd4], %r2;
  ret;
}`
    const launch = {
      schema: 'tcspec.launch/1',
      name: 'k',
      kernel: 'k',
      arch: 'sm_90a',
      grid: [2],
      block: [32],
      shared: 0,
      args: [
        { kind: 'pointer', tensor: 'out', dtype: 's32', shape: [32], role: 'out' },
        { kind: 'pointer', tensor: 'in', dtype: 's32', shape: [32], role: 'in', file: null },
      ],
    }
    const encoded = new TextEncoder()
    const files = inMemory(
      new Map([
        ['k.ptx', encoded.encode(text)],
        ['launch.json', encoded.encode(JSON.stringify(launch))],
      ]),
    )
    expect(await inPieces(right(launchedPtx(files)('k.ptx', { launch: 'launch.json' })))).toBeNull()
  })
  test('a thread that does not answer', async () => {
    const lazy: Assemble = () => ({
      size: 1,
      perform: (tasks) => Promise.resolve(tasks.map(() => ({ _tag: 'stopped' as const }))),
      close: () => undefined,
    })
    expect(await inPieces(launchedAs('cuda/transpose', 'transpose.ptx'), lazy)).toBeNull()
  })
})

describe('run --threads says what run says', () => {
  const at = (file: string): string => new URL(`../../../conformance/${file}`, import.meta.url).pathname
  const module = 'mm_ptr_64x64x32_s4_w4_256x256x192'
  const lines: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    [
      'PTX',
      [
        at('hopper/cuda/mma_ldmatrix/mma_ldmatrix.ptx'),
        '--launch',
        at('hopper/cuda/mma_ldmatrix/launch.json'),
      ],
    ],
    [
      'a module',
      [
        at(`triton/captures/${module}/${module}.ttgir`),
        '--launch',
        at(`triton/captures/${module}/launch.json`),
        '--level',
        'ttgir',
      ],
    ],
    ['a jaxpr', [at('jaxpr/0.10.2/matmul_f16_256x256x256.jaxpr.json'), '--level', 'jaxpr']],
  ]
  test.each(lines)('%s', { timeout: 120_000 }, async (_, words) => {
    const done: Task[] = []
    const counting: Assemble = (setting, size) => {
      const crew = backwards(setting, size)
      return {
        ...crew,
        perform: (tasks, progress) => {
          done.push(...tasks)
          return crew.perform(tasks, progress)
        },
      }
    }
    const world = worldOf(onDisk)
    const one = await running(world)('run', ...words, '--json')
    const shared = { ...world, threads: { assemble: counting, count: 4 } }
    // a count that does not divide the clusters
    for (const count of nightly ? ['2', '3'] : ['3']) {
      done.length = 0
      expect(await running(shared)('run', ...words, '--json', '--threads', count)).toEqual(one)
      expect(done.filter(({ _tag }) => _tag === 'cluster').length).toBeGreaterThan(1)
    }
  })
  test.runIf(nightly)('in threads', async () => {
    const launched = launchedAs('cuda/mma_ldmatrix', 'mma_ldmatrix.ptx')
    const pieces = await inPieces(launched, threads(new URL('worker-of-sources.mjs', import.meta.url)))
    expect(pieces).not.toBeNull()
    if (pieces !== null) same(pieces, inOne(launched))
  })
})
