/** The kernels of `conformance/hopper/cuda` whose mutants are judged, at the launches that an H100 ran. */
import { readFileSync } from 'node:fs'
import type { PtxGround } from '../../../../src/dialects/ptx/mutants/judge.js'
import { launchedPtx } from '../../../../src/oracle/launch/ptx.js'
import { right } from '../../../either.js'
import { inMemory } from '../../../oracle/disk.js'
import { filesOf, launchOf } from '../cuda.js'

const folder = new URL('../../../../conformance/hopper/cuda/', import.meta.url)

/**
 * Kernels of which every mutant is decided. Open are `peek_pipeline` (peeks that are retargeted or relaxed: the verdict is undecided, and a search of four turns does not
 * end), `carried_peeks` and `cxx_pipeline` (not judged), `cxx_barrier` (six alive) and the kernels with clusters (a search
 * of a whole cluster has not come to its end).
 */
export const kernels: ReadonlyArray<string> = [
  'aggregate',
  'asserts',
  'block_reduce',
  'bulk_gather',
  'calls',
  'collatz',
  'constants',
  'cpasync_double',
  'cpasync_mbarrier',
  'cpasync_stages',
  'device_tensormap',
  'dispatch',
  'dynamic_shared',
  'float8',
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
  'prints',
  'scan_block',
  'scan_warp',
  'series_f64',
  'softmax',
  'struct_param',
  'tma_reduce',
  'transpose',
  'vectors',
  'votes',
  'warp_reduce',
  'wmma_tile',
]

/** Integers among the parameters, by the launch file itself. */
const integersOf = (kernel: string, offsets: ReadonlyArray<number>): PtxGround['integers'] =>
  launchOf(kernel).args.flatMap((a, k) =>
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

export const groundOf = (kernel: string): PtxGround => {
  const files = new Map(
    filesOf(kernel).map((file) => [file, new Uint8Array(readFileSync(new URL(`${kernel}/${file}`, folder)))]),
  )
  const {
    module,
    file,
    elaborated,
    arguments: given,
  } = right(launchedPtx(inMemory(files))(`${kernel}.ptx`, 'launch.json'))
  return {
    module,
    name: file,
    entry: elaborated.program.name,
    program: elaborated.program,
    given,
    integers: integersOf(
      kernel,
      elaborated.parameters.map(({ offset }) => offset),
    ),
    fuel: 1_000_000,
    states: 40_000,
  }
}
