/** Kernels of clusters, bulk copies and tensor maps as nvcc compiled them leave what they compute by definition, in every order. */
import { expect, it } from 'vitest'
import { elaborate } from '../../../src/dialects/ptx/elaboration/elaborate.js'
import { parseModule } from '../../../src/dialects/ptx/index.js'
import { bits } from '../../../src/numerics/bits.js'
import { launchWarps } from '../../../src/semantics/execution/launch-warps.js'
import { eager, lazy, seeded } from '../../../src/semantics/execution/policy.js'
import { ignore, run, settings } from '../../../src/semantics/execution/run.js'
import * as Plane from '../../../src/semantics/machine/plane.js'
import { right } from '../../either.js'
import { nightly } from '../../extent.js'
import { fileText } from './cuda.js'
import { definitions } from './cuda-outputs.js'
import { argumentsOf } from './runs.js'
const kernels = [
  'cluster_reduce',
  'cluster_pingpong',
  'cluster_copy',
  'cluster_ring',
  'cluster_bins',
  'bulk_gather',
  'tma_reduce',
  'device_tensormap',
]

it.each(kernels)('%s', (kernel) => {
  const { program, parameters } = right(
    elaborate(right(parseModule(fileText(`${kernel}/${kernel}.ptx`))), null, `${kernel}.ptx`),
  )
  // that of the eager one is compared with the chip's (`cuda-runs.proof.ts`)
  for (const policy of nightly ? [eager, lazy, seeded(7)] : [seeded(7)]) {
    const { world, machine, planeOf } = right(
      launchWarps(program, argumentsOf(kernel, parameters), bits('hopper')),
    )
    const { machine: after, outcome } = run(world, machine, settings(policy), ignore)
    expect(outcome).toEqual({ _tag: 'completed' })
    for (const [name, expected] of Object.entries(definitions[kernel]!())) {
      const found = new Uint8Array(4 * expected.length)
      Plane.copyOut(after.planes[planeOf.get(name)!]!, 0, found.length, found)
      const float = name === 'sums' || (name === 'y' && !/copy|ring/u.test(kernel))
      const elements = float ? new Float32Array(found.buffer) : new Uint32Array(found.buffer)
      expect([name, [...elements]]).toEqual([name, [...expected]])
    }
  }
})
