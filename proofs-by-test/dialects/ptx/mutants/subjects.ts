/** The kernels whose mutants are judged: of `conformance/hopper/cuda` and `conformance/hopper/warpgroups` at the launches that an H100 ran, and of `conformance/blackwell/cuda`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { PtxGround } from '../../../../src/dialects/ptx/mutants/judge.js'
import { launchedPtx } from '../../../../src/oracle/launch/ptx.js'
import { right } from '../../../either.js'
import { inMemory } from '../../../oracle/disk.js'
import type { Launch } from '../cuda.js'

const conformance = new URL('../../../../conformance/', import.meta.url)
const folders = ['hopper/cuda', 'hopper/warpgroups', 'blackwell/cuda']

/**
 * Kernels of which every mutant is decided. Open are some mutants of `peek_pipeline`, `cxx_barrier`, `cxx_pipeline` and `cluster_bins`, and most kernels of warpgroups: a
 * search that ends is missing (the essay says of which).
 */
export const kernels: ReadonlyArray<string> = [
  'aggregate',
  'asserts',
  'block_reduce',
  'bulk_gather',
  'calls',
  'carried_peeks',
  'cluster_copy',
  'cluster_pingpong',
  'cluster_reduce',
  'cluster_ring',
  'collatz',
  'constants',
  'cpasync_double',
  'cpasync_mbarrier',
  'cpasync_stages',
  'device_tensormap',
  'dispatch',
  'dynamic_shared',
  'float8',
  'gather_rows',
  'generic_address',
  'histogram',
  'integers',
  'last_block',
  'matmul_f32',
  'mma_ldmatrix',
  'named_barriers',
  'own_cpasync',
  'packed_bf16',
  'packed_f16',
  'pair_copy',
  'prints',
  'scan_block',
  'scan_warp',
  'series_f64',
  'softmax',
  'split_k',
  'struct_param',
  'tma_reduce',
  'transpose',
  'vectors',
  'votes',
  'warp_reduce',
  'wmma_tile',
]

/** Integers among the parameters, by the launch file itself. */
const integersOf = (args: Launch['args'], offsets: ReadonlyArray<number>): PtxGround['integers'] =>
  args.flatMap((a, k) =>
    a.kind === 'scalar' && /^[su](?:32|64)$/u.test(a.type)
      ? [
          {
            offset: offsets[k]!,
            bytes: a.type.endsWith('64') ? (8 as const) : (4 as const),
            value: Number(a.value),
          },
        ]
      : [],
  )

const folderOf = (kernel: string): URL =>
  folders.map((f) => new URL(`${f}/${kernel}/`, conformance)).find((f) => existsSync(f))!

const grounded = (
  files: ReadonlyMap<string, Uint8Array>,
  text: string,
  launch: string,
  states: number,
): PtxGround => {
  const {
    module,
    file,
    elaborated,
    arguments: given,
  } = right(launchedPtx(inMemory(new Map(files)))(text, launch))
  const { args } = JSON.parse(new TextDecoder().decode(files.get(launch)!)) as Launch
  return {
    module,
    name: file,
    entry: elaborated.program.name,
    program: elaborated.program,
    given,
    integers: integersOf(
      args,
      elaborated.parameters.map(({ offset }) => offset),
    ),
    unknown: null,
    fuel: 1_000_000,
    states,
  }
}

export const groundOf = (kernel: string): PtxGround => {
  const folder = folderOf(kernel)
  return grounded(
    new Map(readdirSync(folder).map((file) => [file, new Uint8Array(readFileSync(new URL(file, folder)))])),
    `${kernel}.ptx`,
    'launch.json',
    // one state of a warpgroup's products is a large one
    folder.pathname.includes('/hopper/cuda/') ? 40_000 : 4000,
  )
}

/** A text `k.ptx` with one entry `k`, at one CTA of so many threads; its argument is an output of 32 words. */
export const groundOfText = (text: string, threads: number): PtxGround => {
  const launch = {
    schema: 'tcspec.launch/1',
    kernel: 'k',
    grid: [1],
    block: [threads],
    args: [{ kind: 'pointer', tensor: 'out', dtype: 'u32', shape: [32], role: 'out' }],
    outputs: ['out'],
  }
  const bytes = (of: string): Uint8Array => new TextEncoder().encode(of)
  return grounded(
    new Map([
      ['k.ptx', bytes(text)],
      ['launch.json', bytes(JSON.stringify(launch))],
    ]),
    'k.ptx',
    'launch.json',
    4000,
  )
}
